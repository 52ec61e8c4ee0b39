"""Squares of pairs of systems, in the truth's order: what is significant, what weighs, what changes order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankscope.inference.pairs import Significance
from rankscope.report.charts.parts import NAMED_UP_TO, Drawing, Row, distinct, rank_ticks, rows_of
from rankscope.report.theme import BLUE, COLUMN, ORANGE, PAGE, VERMILION, heading, label
from rankscope.studies.comparison_result import Comparison, EstimateComparison
from rankscope.studies.weights import PairWeights

_PALE = "#C9CED6"


def significance(result: Significance) -> Drawing:
    """Which pairs differ significantly, systems by their means (Gao & Oard 2015, Figure 1)."""
    import altair

    ranked = result.by_mean()
    alpha = result.settings["alpha"]
    kinds = [f"p ≤ {alpha:g}", f"p > {alpha:g}"]
    rows = [
        {"i": i, "j": j, "p": ranked.adjusted[i, j], "kind": kinds[0 if ranked.significant[i, j] else 1]}
        for i, j in zip(*(side.tolist() for side in np.triu_indices(len(ranked.systems), 1)), strict=True)
    ]
    colour = altair.Color("kind:N", title=None, scale=altair.Scale(domain=kinds, range=[BLUE, _PALE]))
    tips = [altair.Tooltip("p:Q", format=".4f")]
    square = _square(rows, ranked.systems, colour, tips, COLUMN - 80)
    corrected = "" if result.settings["correction"] == "none" else f", {result.settings['correction']} corrected"
    title = f"{result.share:.1%} of {result.pairs:,} pairs differ significantly"
    return square.properties(title=heading(title, f"{result.method}{corrected}, {result.topics} topics"))


def weights(result: PairWeights) -> Drawing:
    """How much each pair weighs in each coefficient, darker for more (Gao & Oard 2015, Figures 4 to 6)."""
    import altair

    first, second = np.triu_indices(len(result.systems), 1)
    count = len(result.coefficients)
    columns = min(3, count)
    side = COLUMN - 80 if count == 1 else PAGE // columns - 72
    panels = []
    for one in result.coefficients:
        rows = [
            {"i": i, "j": j, "weight": round(weight, 5), "loss": round(loss, 6)}
            for i, j, weight, loss in zip(
                first.tolist(), second.tolist(), one.weights[first, second].tolist(),
                one.losses[first, second].tolist(), strict=True,
            )
        ]  # fmt: skip
        colour = altair.Color(
            "weight:Q",
            title="weight",
            scale=altair.Scale(domain=[0, 1], range="heatmap"),
            legend=altair.Legend(direction="horizontal", gradientLength=120, values=[0, 0.5, 1]),
        )
        tips = [altair.Tooltip("weight:Q", format=".3f"), altair.Tooltip("loss:Q", format=".4f")]
        panels.append(_square(rows, result.systems, colour, tips, side).properties(title=heading(one.symbol)))
    return panels[0] if count == 1 else altair.concat(*panels, columns=columns)


def discordance(result: Comparison) -> Drawing:
    """Which pairs change order between truth and estimate; a panel per estimate."""
    import altair

    alone = len(result.estimates) == 1
    side = COLUMN - 80 if alone else PAGE // 2 - 80
    panels = [discordance_panel(estimate, side) for estimate in result.estimates]
    return panels[0] if alone else altair.concat(*panels, columns=2)


def discordance_panel(estimate: EstimateComparison, side: int) -> Drawing:
    """One estimate's swaps, in the truth's order of systems."""
    import altair

    place = {s.system: i for i, s in enumerate(estimate.systems)}
    apart = estimate.separation is not None
    kinds = ["significant swap", "swapped"] if apart else ["swapped"]
    rows = [
        {
            "i": place[swap.better],
            "j": place[swap.worse],
            "gap": swap.truth_gap,
            "estimate gap": swap.estimate_gap,
            "p": swap.pvalue,
            "kind": kinds[0 if swap.significant else -1],
        }
        for swap in estimate.swaps
    ]
    colours = [VERMILION, ORANGE] if apart else [ORANGE]
    colour = altair.Color("kind:N", title=None, scale=altair.Scale(domain=kinds, range=colours))
    tips = [
        altair.Tooltip("gap:Q", title="gap in the truth", format=".4f"),
        altair.Tooltip("estimate gap:Q", title="in the estimate", format=".4f"),
        *([altair.Tooltip("p:Q", title="p in the truth", format=".4f")] if apart else []),
    ]
    kept = "" if len(estimate.swaps) == estimate.swap_count else f", the {len(estimate.swaps):,} largest shown"
    told = "" if estimate.separation is None else f", {estimate.separation.swaps:,} of them significant in the truth"
    title = heading(estimate.name, f"{estimate.swap_count:,} of {estimate.pairs:,} pairs change order{told}{kept}")
    square = _square(rows, [s.system for s in estimate.systems], colour, tips, side, framed=True)
    return square.properties(title=title)


def _square(
    rows: Sequence[Row], systems: Sequence[str], colour: Any, tips: Sequence[Any], side: int, *, framed: bool = False
) -> Drawing:
    """Cells of pairs (i, j), i above j, and their mirror images; names come by a look-up, for they are long."""
    import altair

    m = len(systems)
    named = m <= NAMED_UP_TO
    keys: list[Any] = list(distinct(systems, 24)) if named else list(range(1, m + 1))
    cells = rows_of([{**row, "i": keys[row["i"]], "j": keys[row["j"]]} for row in rows])
    names = rows_of([{"key": key, "name": label(name, 200)} for key, name in zip(keys, systems, strict=True)])
    # Whole or half pixels to a cell: no seams show in a picture at twice the size.
    step = max(1.0, round(2.0 * side / m) / 2.0)
    across: dict[str, Any] = {"scale": altair.Scale(domain=keys, padding=0), "sort": None}
    title = "system, best first" if named else "rank in the truth (1 is best)"
    grid: dict[str, Any] = {"grid": False, "labelLimit": 110, "ticks": True}
    ticks: dict[str, Any] = {} if named else {"values": rank_ticks(m)}
    source = altair.LookupData(data=altair.InlineData(values=names["values"]), key="key", fields=["name"])
    layers = []
    if framed:  # the background shows what is not there
        frame = altair.Chart(rows_of([{"a": keys[0], "b": keys[-1]}])).mark_rect(style="band")
        layers.append(
            frame.encode(
                x=altair.X("a:O", bandPosition=0, **across),
                x2=altair.X2("b:O", bandPosition=1),
                y=altair.Y("a:O", bandPosition=0, **across),
                y2=altair.Y2("b:O", bandPosition=1),
            )
        )
    for x, y in (("j", "i"), ("i", "j")):
        base = altair.Chart(cells).transform_lookup("i", from_=source, as_=["system"])
        base = base.transform_lookup("j", from_=source, as_=["other"])
        layers.append(
            base.mark_rect(strokeWidth=0, aria=False).encode(
                x=altair.X(
                    f"{x}:O", title=title, axis=altair.Axis(labelAngle=-60 if named else 0, **ticks, **grid), **across
                ),
                y=altair.Y(f"{y}:O", title=title, axis=altair.Axis(**ticks, **grid), **across),
                color=colour,
                tooltip=[altair.Tooltip("system:N"), altair.Tooltip("other:N"), *tips],
            )
        )
    return altair.layer(*layers).properties(width=step * m, height=step * m)
