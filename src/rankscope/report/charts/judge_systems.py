"""Systems under a judge: scores against the truth's, and the shift between them, by group."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from rankscope.report.charts.judge import _panels, group_kinds
from rankscope.report.charts.parts import Drawing, Row, categories, rows_of
from rankscope.report.charts.scores import reference_layers, told_apart_swaps
from rankscope.report.theme import BLUE, COLUMN, GREY, ORANGE, VERMILION, heading, label, mean_of
from rankscope.studies.comparison_result import EstimateComparison
from rankscope.studies.judging.answers import JudgeReport
from rankscope.studies.judging.shift import Shift

# Lines between more swapped pairs than this hide the points.
_LINES = 150
_MANY = 60
_KINDS = ("no swap", "swapped", "significant swap")


def scores(report: JudgeReport) -> Drawing:
    """Scores under the truth and under each judge."""
    kinds = group_kinds(report.groups)
    return _panels(report, lambda a: scores_panel(a.agreement, a.measure, kinds))


def scores_panel(estimate: EstimateComparison, truth_measure: str | None, groups: Mapping[str, str]) -> Drawing:
    """Every system's mean under both sides, bars and diagonal; lines join swapped pairs that differ significantly.

    Colour and shape are the system's group, or, without groups, whether it is swapped.
    """
    import altair

    rows, kinds = _score_rows(estimate, groups)
    x_title, y_title = mean_of(truth_measure, "truth"), mean_of(estimate.measure, "estimate")
    scale = altair.Scale(zero=False, nice=True)
    x, y = altair.X("truth:Q", title=x_title, scale=scale), altair.Y("estimate:Q", title=y_title, scale=scale)
    base = altair.Chart(rows_of(rows))
    line = _diagonal(rows) if truth_measure == estimate.measure else []
    layers = reference_layers(base, rows, line, x, y, faint=0.25 if len(rows) > _MANY else 0.4)
    pairs = _pair_rows(estimate)
    if pairs:
        layers.append(
            altair.Chart(rows_of(pairs))
            .mark_rule(color=VERMILION, opacity=0.4, strokeWidth=1)
            .encode(
                x=altair.X("truth:Q"), y=altair.Y("estimate:Q"), x2=altair.X2("truth 2:Q"), y2=altair.Y2("estimate "
                "2:Q"),
                tooltip=[altair.Tooltip("system:N", title="better in truth"), altair.Tooltip("other:N", title="worse")],
            )
        )  # fmt: skip
    tips = [
        altair.Tooltip("system:N"),
        *([altair.Tooltip("kind:N", title="group")] if groups else []),
        *(altair.Tooltip(f"{name}:Q", format=".4f") for name in ("truth", "estimate")),
        altair.Tooltip("truth rank:Q"),
        altair.Tooltip("estimate rank:Q"),
        altair.Tooltip("swaps:Q", title="significant swaps"),
    ]
    encoding = categories(kinds) if groups else categories(kinds, (GREY, ORANGE, VERMILION))
    points = base.mark_point(filled=True, size=60 if len(rows) <= _MANY else 36).encode(
        x=x, y=y, tooltip=tips, **encoding
    )
    title = heading(label(estimate.name), f"{len(rows)} systems")
    return altair.layer(*layers, points).properties(width=COLUMN - 70, height=COLUMN - 70, title=title)


def _score_rows(estimate: EstimateComparison, groups: Mapping[str, str]) -> tuple[list[Row], list[str]]:
    counts = told_apart_swaps(estimate)
    swapped = {name for swap in estimate.swaps for name in (swap.better, swap.worse)}
    rows = [
        {
            "system": label(s.system, 200),
            "truth": s.truth,
            "estimate": s.estimate,
            "truth rank": s.truth_rank,
            "estimate rank": s.estimate_rank,
            "truth low": s.truth_low,
            "truth high": s.truth_high,
            "estimate low": s.estimate_low,
            "estimate high": s.estimate_high,
            "swaps": counts.get(s.system, 0),
            "kind": groups.get(s.system, "other groups")
            if groups
            else _KINDS[2 if s.system in counts else 1 if s.system in swapped else 0],
        }
        for s in estimate.systems
    ]
    kinds = list(dict.fromkeys(sorted(groups.values()))) if groups else list(_KINDS)
    return rows, kinds


def _pair_rows(estimate: EstimateComparison) -> list[Row]:
    place = {s.system: s for s in estimate.systems}
    return [
        {
            "truth": place[swap.better].truth,
            "estimate": place[swap.better].estimate,
            "truth 2": place[swap.worse].truth,
            "estimate 2": place[swap.worse].estimate,
            "system": label(swap.better, 200),
            "other": label(swap.worse, 200),
        }
        for swap in [swap for swap in estimate.swaps if swap.significant][:_LINES]
    ]


def _diagonal(rows: list[Row]) -> list[Row]:
    """Where both scores are the same, over what both sides span."""
    ends = [(min(row[side] for row in rows), max(row[side] for row in rows)) for side in ("truth", "estimate")]
    low, high = max(ends[0][0], ends[1][0]), min(ends[0][1], ends[1][1])
    return [{"truth": end, "estimate": end} for end in (low, high)] if low < high else []


def shift(report: JudgeReport) -> Drawing:
    """How each judge's scores differ from the truth's, by the height of the score and by group."""
    kinds = group_kinds(report.groups)
    return _panels(report, lambda a: shift_panel(a.agreement, a.shift, kinds))


def shift_panel(estimate: EstimateComparison, found: Shift, groups: Mapping[str, str]) -> Drawing:
    """Judge less truth against their middle (Bland & Altman 1986): lines are the mean and 1.96 standard deviations."""
    import altair

    rows: list[Row] = [
        {
            "system": label(s.system, 200),
            # Over the topics that both have, which may be fewer than the truth's own mean is over.
            "middle": s.estimate - found.systems[s.system] / 2.0,
            "difference": found.systems[s.system],
            "kind": groups.get(s.system, "systems"),
            "places gained": s.truth_rank - s.estimate_rank,
        }
        for s in estimate.systems
        if s.system in found.systems
    ]
    spread = float(np.std([row["difference"] for row in rows]))
    lines = rows_of(
        [
            {"at": found.mean, "what": "mean shift"},
            {"at": found.mean - 1.96 * spread, "what": "mean − 1.96 standard deviations"},
            {"at": found.mean + 1.96 * spread, "what": "mean + 1.96 standard deviations"},
        ]
    )
    what = label(estimate.measure or "score")
    x = altair.X("middle:Q", title=f"mean {what}, middle of truth and judge", scale=altair.Scale(zero=False))
    y = altair.Y("difference:Q", title="judge less truth", scale=altair.Scale(zero=True))
    tip = [altair.Tooltip("what:N"), altair.Tooltip("at:Q", format="+.4f")]
    layers: list[Any] = [
        altair.Chart(rows_of([{"at": 0.0}])).mark_rule(style="faint").encode(y=altair.Y("at:Q")),
        altair.Chart(lines).mark_rule(style="reference").encode(y=altair.Y("at:Q"), tooltip=tip),
    ]
    trend = _trend(rows, found)
    if trend:
        layers.append(
            altair.Chart(rows_of(trend))
            .mark_line(style="ink", opacity=0.6)
            .encode(x=altair.X("middle:Q"), y=altair.Y("difference:Q"))
        )
    kinds = list(dict.fromkeys(sorted(groups.values()))) if groups else ["systems"]
    points = altair.Chart(rows_of(rows)).mark_point(filled=True, size=60 if len(rows) <= _MANY else 36)
    tips = [
        altair.Tooltip("system:N"),
        *([altair.Tooltip("kind:N", title="group")] if groups else []),
        altair.Tooltip("middle:Q", format=".4f"),
        altair.Tooltip("difference:Q", title="judge less truth", format="+.4f"),
        altair.Tooltip("places gained:Q", format="+"),
    ]
    encoding = categories(kinds) if groups else {"color": altair.value(BLUE)}
    layers.append(points.encode(x=x, y=y, tooltip=tips, **encoding))
    return altair.layer(*layers).properties(width=COLUMN, height=COLUMN - 90, title=heading(label(estimate.name)))


def _trend(rows: list[Row], found: Shift) -> list[Row]:
    """The line of the slope through the middle of all."""
    if found.slope is None or not math.isfinite(found.slope):
        return []
    at = [row["middle"] for row in rows]
    centre = sum(at) / len(at)
    return [{"middle": x, "difference": found.mean + found.slope * (x - centre)} for x in (min(at), max(at))]
