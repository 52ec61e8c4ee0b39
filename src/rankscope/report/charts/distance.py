"""Rank distance (Carterette 2009): rankings of equal τ, allowed ranks, null distributions, neighbours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import altair
import numpy as np

import rankscope as rs
from rankscope.report.charts import layers
from rankscope.report.charts.layers import Drawing
from rankscope.report.theme import BLUE, COLUMN, GREEN, GREY, PAGE, VERMILION, heading, label, mean_of
from rankscope.studies.null_table import NullTable
from rankscope.studies.reorderings import Reordering

# Smaller shares have the colour of this one.
_RAREST = 1e-6
_DISTANCE = "rank distance d_rank (lower is closer)"


def reorderings(result: rs.ReorderingStudy) -> Drawing:
    """Rankings of equal τ: the truth's means as open circles, the estimate's filled (Carterette 2009, Figure 1)."""
    panels = [_reordering(result, ranking, place) for place, ranking in enumerate(result.reorderings)]
    critical = (
        "" if result.critical_value is None else f", critical d_rank {result.critical_value:.2f} at {result.alpha:g}"
    )
    title = heading(
        f"τ is {result.tau:.3f} for all{critical}", "worst system left, best right; open: truth, filled: estimate"
    )
    return altair.concat(*panels, columns=2).properties(title=title)


def _reordering(result: rs.ReorderingStudy, ranking: Reordering, place: int) -> Drawing:
    m = len(result.systems)
    means = result.means.tolist()
    rows = [
        {
            "place": m - i,
            "system": label(result.systems[i], 200),
            "truth": means[i],
            "estimate": means[rank - 1],
            "truth rank": i + 1,
            "estimate rank": rank,
            "kind": "moved" if rank != i + 1 else "not moved",
        }
        for i, rank in enumerate(ranking.ranks)
    ]
    base = layers.plot(rows).encode(
        x=altair.X("place:Q", title="system, by increasing mean", scale=altair.Scale(domain=[0, m + 1], nice=False)),
        tooltip=["system:N", "truth rank:Q", "estimate rank:Q", *layers.numbers("truth")],
    )
    y = altair.Y("truth:Q", title=mean_of(result.measure), scale=altair.Scale(zero=False))
    size = 40 if m <= 30 else 24 if m <= 70 else 14
    p = "" if ranking.pvalue is None else f", p {'< 0.01' if ranking.pvalue < 0.01 else f'{ranking.pvalue:.2f}'}"
    title = heading(f"({chr(97 + place % 26)}) d_rank {ranking.distance:.2f}{p}", f"moved {ranking.moved}")
    return altair.layer(
        base.mark_rule(style="whisker").encode(y=y, y2="estimate:Q"),
        base.mark_point(style="hollow", size=size).encode(y=y),
        base.mark_point(filled=True, size=size * 0.7, color=BLUE, opacity=0.9).encode(y="estimate:Q"),
    ).properties(width=PAGE // 2 - 80, height=190, title=title)


def allowed(result: rs.AllowedRanks) -> Drawing:
    """The share of allowed rankings that put each system at each rank, on a logarithmic scale (Figure 3)."""
    m = len(result.systems)
    keys, ranks = layers.system_keys(result.systems), list(range(1, m + 1))
    shares = np.asarray(result.shares)
    rows = [
        {"x": keys[i], "rank": j + 1, "share": float(shares[i, j]), "system": label(result.systems[i], 200)}
        for i, j in np.argwhere(shares > 0.0).tolist()
    ]
    least = min(row["share"] for row in rows)
    floor = max(_RAREST, 10.0 ** math.floor(math.log10(least))) if least < 1.0 else 0.1
    step = max(1, round((COLUMN - 80) / m))
    limit = f"d_rank ≤ {result.limit:.2f}" if result.by == "d_rank" else f"τ ≥ {result.limit:g}"
    made = "all rankings counted" if result.exact else f"{result.draws:,} draws"
    title = "system, the baseline's best first" if m <= layers.NAMED_UP_TO else "rank in the baseline (1 is best)"
    cells = (
        layers.plot(rows)
        .mark_rect(strokeWidth=0, aria=False)
        .encode(
            x=layers.cells_across("x", keys, title),
            y=layers.cells_down("rank", ranks, "allowed rank (1 is best)"),
            color=altair.Color(
                "share:Q",
                title="share of allowed rankings",
                scale=altair.Scale(type="log", domain=[floor, 1.0], range="heatmap", clamp=True),
                legend=altair.Legend(direction="horizontal", gradientLength=150, format="~g", tickCount=4),
            ),
            tooltip=["system:N", "rank:Q", *layers.numbers("share")],
        )
    )
    return altair.layer(layers.cells_background(keys, ranks), cells).properties(
        width=step * m, height=step * m, title=heading(f"Ranks allowed by {limit}", made)
    )


def null(result: rs.RankDistanceNull) -> Drawing:
    """The null distribution with its critical values at 10, 5 and 1 %."""
    levels = [level for level in (0.1, 0.05, 0.01) if level * (result.resamples + 1) >= 1]
    places = [(f"critical at {level:g}", result.critical_value(level)) for level in levels]
    return _distribution(result, places, (BLUE, VERMILION, GREEN), "Rankings of the baseline over resampled topics")


def tested(result: rs.RankDistanceTest) -> Drawing:
    """The null distribution, the observed distance and the critical value at 5 %."""
    level = 0.05
    places = [(f"observed, p {result.pvalue:.4f}", result.distance)]
    if level * (result.null.resamples + 1) >= 1:
        places.append((f"critical at {level:g}", result.critical_value(level)))
    finite = [(name, place) for name, place in places if math.isfinite(place)]
    return _distribution(result.null, finite, (VERMILION, BLUE), f"d_rank {result.distance:.2f}")


def _distribution(
    null: rs.RankDistanceNull, places: Sequence[tuple[str, float]], colours: Sequence[str], title: str
) -> Drawing:
    note = f"{null.resamples:,} draws, {null.systems} systems, {null.topics} topics"
    drawn = altair.layer(layers.bars(layers.histogram(null.distances), _DISTANCE), layers.marks(places, colours))
    return drawn.properties(width=COLUMN - 70, height=180, title=heading(title, note))


def null_table(result: NullTable) -> Drawing:
    """The null distribution of each baseline: quartiles as a bar, critical values as points."""
    names = layers.distinct(list(result.nulls))
    kinds = [f"critical at {level:g}" for level in result.levels]
    rows, points = [], []
    for name, distribution in zip(names, result.nulls.values(), strict=True):
        low, median, high = np.quantile(distribution.distances, [0.25, 0.5, 0.75]).tolist()
        rows.append({"row": name, "low": low, "median": median, "high": high})
        for level, kind in zip(result.levels, kinds, strict=True):
            points.append({"row": name, "kind": kind, "value": distribution.critical_value(level)})
    y = layers.row_axis(names)
    x = altair.X("value:Q", title=_DISTANCE, scale=altair.Scale(zero=True))
    quartiles = layers.plot(rows).encode(y=y, tooltip=["row:N", "low:Q", "median:Q", "high:Q"])
    tooltip = ["row:N", "kind:N", *layers.numbers("value", format=".3f")]
    return altair.layer(
        quartiles.mark_bar(style="bar", opacity=0.5, height={"band": 0.5}).encode(x="low:Q", x2="high:Q"),
        quartiles.mark_tick(style="ink", thickness=2).encode(x="median:Q"),
        layers.plot(points)
        .mark_point(filled=True, size=48)
        .encode(x=x, y=y, tooltip=tooltip, **layers.categories(kinds)),
    ).properties(
        width=COLUMN - 110,
        height=altair.Step(22),
        title=heading("Rank distances by topic sampling error", "bar: quartiles, tick: median"),
    )


def neighbours(result: rs.RankDistance) -> Drawing:
    """The baseline's differences between neighbours in the estimate's order, and the nearest ones with that order."""
    theta: Any = result.theta or (None,) * len(result.differences)
    rows = [
        {
            "place": i + 1,
            "better": label(a, 200),
            "worse": label(b, 200),
            "difference": difference,
            "θ": point,
            "kind": "held at zero" if active else "free",
        }
        for i, (a, b, difference, point, active) in enumerate(
            zip(result.order[:-1], result.order[1:], result.differences, theta, result.active, strict=True)
        )
    ]
    base = layers.plot(rows).encode(
        x=altair.X("place:Q", title="pair of neighbours in the estimate, best first", scale=altair.Scale(zero=False)),
        tooltip=["better:N", "worse:N", "kind:N", *layers.numbers("difference"), "θ:Q"],
    )
    y = altair.Y("difference:Q", title="difference in the baseline")
    kinds = layers.categories(("free", "held at zero"), (GREY, VERMILION), ("circle", "triangle-down"))
    size = 34 if len(rows) <= 60 else 18
    return altair.layer(
        layers.line_at(y=0, style="faint"),
        base.mark_rule(style="whisker").encode(y=y, y2="θ:Q"),
        base.mark_point(style="hollow", size=size * 0.6).encode(y="θ:Q"),
        base.mark_point(filled=True, size=size).encode(y=y, **kinds),
    ).properties(
        width=COLUMN - 70 if len(rows) <= 40 else PAGE - 90,
        height=190,
        title=heading(
            f"d_rank {result.distance:.2f}",
            "filled: the baseline's differences; open: the nearest point θ with the estimate's order",
        ),
    )
