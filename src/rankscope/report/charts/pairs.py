"""Pairs of systems: which differ significantly, how much each weighs, which change order between two sides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair
import numpy as np

import rankscope as rs
from rankscope.report.charts import layers
from rankscope.report.charts.layers import Drawing, Row
from rankscope.report.charts.sides import Sides, alone, panels
from rankscope.report.theme import BLUE, COLUMN, ORANGE, PAGE, VERMILION, heading, label

_PALE = "#C9CED6"
_ORDERS = ("in the same order", "in opposite orders", "not significant")


def significance(result: rs.Significance) -> Drawing:
    """Which pairs differ significantly, systems in the order of their means (Gao & Oard 2015, Figure 1)."""
    ranked = result.by_mean()
    alpha = result.settings["alpha"]
    kinds = [f"p ≤ {alpha:g}", f"p > {alpha:g}"]
    rows = [
        {"i": i, "j": j, "p": ranked.adjusted[i, j], "kind": kinds[0 if ranked.significant[i, j] else 1]}
        for i, j in zip(*(side.tolist() for side in np.triu_indices(len(ranked.systems), 1)), strict=True)
    ]
    square = _square(rows, ranked.systems, layers.colours(kinds, (BLUE, _PALE)), layers.numbers("p"), COLUMN - 80)
    correction = result.settings["correction"]
    corrected = "" if correction == "none" else f", {correction} corrected"
    title = f"{result.share:.1%} of {result.pairs:,} pairs differ significantly"
    return square.properties(title=heading(title, f"{result.method}{corrected}, {result.topics} topics"))


def weights(result: rs.PairWeights) -> Drawing:
    """The weight of each pair in each coefficient (Gao & Oard 2015, Figures 4 to 6)."""
    first, second = np.triu_indices(len(result.systems), 1)
    count = len(result.coefficients)
    columns = min(3, count)
    side = COLUMN - 80 if count == 1 else PAGE // columns - 72
    squares = []
    for coefficient in result.coefficients:
        weights, losses = coefficient.weights[first, second].tolist(), coefficient.losses[first, second].tolist()
        rows = [
            {"i": i, "j": j, "weight": round(weight, 5), "loss": round(loss, 6)}
            for i, j, weight, loss in zip(first.tolist(), second.tolist(), weights, losses, strict=True)
        ]
        colour = altair.Color(
            "weight:Q",
            title="weight",
            scale=altair.Scale(domain=[0, 1], range="heatmap"),
            legend=altair.Legend(direction="horizontal", gradientLength=120, values=[0, 0.5, 1]),
        )
        tips = [*layers.numbers("weight", format=".3f"), *layers.numbers("loss")]
        square = _square(rows, result.systems, colour, tips, side)
        squares.append(square.properties(title=heading(coefficient.symbol)))
    return layers.concatenated(squares, columns=columns)


def discordance(result: rs.Comparison | rs.ComparisonByMeasure | rs.JudgeReport) -> Drawing:
    """A panel per comparison: the pairs that change order."""
    side = COLUMN - 80 if alone(result) else PAGE // 2 - 80
    return panels(result, lambda sides: discordance_panel(sides, side))


def discordance_panel(sides: Sides, side: int) -> Drawing:
    """The swapped pairs of one comparison, systems in the truth's order."""
    comparison, truth, separation = sides.comparison, sides.truth, sides.comparison.separation
    place = {s.system: i for i, s in enumerate(comparison.systems)}
    kinds, values = ["significant swap", "swapped"], [VERMILION, ORANGE]
    if separation is None:
        kinds, values = kinds[1:], values[1:]
    rows = [
        {
            "i": place[swap.better],
            "j": place[swap.worse],
            "gap": swap.truth_gap,
            "estimate gap": swap.estimate_gap,
            "p": swap.pvalue,
            "kind": kinds[0 if swap.significant else -1],
        }
        for swap in comparison.swaps
    ]
    tips = [
        altair.Tooltip("gap:Q", title=f"gap, {truth}", format=".4f"),
        altair.Tooltip("estimate gap:Q", title=f"gap, {sides.estimate}", format=".4f"),
        *([] if separation is None else [altair.Tooltip("p:Q", title=f"p, {truth}", format=".4f")]),
    ]
    every = len(comparison.swaps) == comparison.swap_count
    kept = "" if every else f", the {len(comparison.swaps):,} with the largest gap shown"
    significant = "" if separation is None else f", {separation.swaps:,} of them significant by {truth}"
    swaps = f"{comparison.swap_count:,} of {comparison.pairs:,} pairs change order{significant}{kept}"
    systems = [s.system for s in comparison.systems]
    square = _square(rows, systems, layers.colours(kinds, values), tips, side, framed=True, ranked_by=f"by {truth}")
    return square.properties(title=heading(sides.title, swaps))


def certainty(result: rs.Comparison | rs.ComparisonByMeasure | rs.JudgeReport) -> Drawing:
    """A panel per comparison: the pairs that each side finds significantly different."""
    return panels(result, certainty_panel, shared="x")


def certainty_panel(sides: Sides) -> Drawing | None:
    """Pairs by the side that finds them significantly different and by order; None where pairs were not tested."""
    certainty = sides.comparison.certainty
    if certainty is None:
        return None
    who = ("both", f"{label(sides.estimate, 18)} alone", f"{label(sides.truth, 18)} alone", "neither")
    same, opposite, neither = _ORDERS
    counts = (
        (who[0], same, certainty.both_alike),
        (who[0], opposite, certainty.both_opposite),
        (who[1], same, certainty.judge_only_alike),
        (who[1], opposite, certainty.judge_only_opposite),
        (who[2], same, certainty.truth_only_alike),
        (who[2], opposite, certainty.truth_only_opposite),
        (who[3], neither, certainty.neither),
    )
    rows = [
        {"who": by, "kind": kind, "pairs": pairs, "share": pairs / max(1, certainty.pairs), "place": place}
        for place, (by, kind, pairs) in enumerate(counts)
    ]
    # A thin slice is easily missed, so the number of opposite pairs is written at the end of the bar.
    notes: list[Row] = []
    for by in who:
        total = sum(pairs for name, _, pairs in counts if name == by)
        against = sum(pairs for name, kind, pairs in counts if (name, kind) == (by, opposite))
        notes.append({"who": by, "end": total, "text": f"{total:,}" + (f", {against:,} opposite" if against else "")})
    y = altair.Y("who:N", title="significantly different by", sort=None, scale=altair.Scale(domain=list(who)))
    longest = max(note["end"] for note in notes)
    bars = (
        layers.plot(rows)
        .mark_bar(opacity=0.9)
        .encode(
            y=y,
            x=altair.X("pairs:Q", title="pairs of systems", scale=altair.Scale(domain=[0, 1.6 * longest], nice=False)),
            order=altair.Order("place:Q"),
            color=layers.colours(_ORDERS, (BLUE, ORANGE, _PALE)),
            tooltip=[
                altair.Tooltip("who:N", title="by"),
                altair.Tooltip("kind:N", title="order"),
                *layers.numbers("pairs", format=","),
                *layers.numbers("share", format=".1%"),
            ],
        )
    )
    texts = layers.plot(notes).mark_text(style="label", align="left", dx=4).encode(y=y, x="end:Q", text="text:N")
    corrected = "" if certainty.correction == "none" else f", {certainty.correction} corrected"
    title = heading(sides.title, f"{certainty.test}, p ≤ {certainty.alpha:g}{corrected}")
    return altair.layer(bars, texts).properties(width=COLUMN, height=altair.Step(30), title=title)


def _square(
    rows: Sequence[Row],
    systems: Sequence[str],
    colour: Any,
    tips: Sequence[Any],
    side: int,
    *,
    framed: bool = False,
    ranked_by: str = "by mean",
) -> Drawing:
    """A square of cells for the pairs (i, j), mirrored at the diagonal; a look-up adds the long names of systems."""
    m = len(systems)
    keys = layers.system_keys(systems)
    cells = layers.rows_of([{**row, "i": keys[row["i"]], "j": keys[row["j"]]} for row in rows])
    names = layers.rows_of([{"key": key, "name": label(name, 200)} for key, name in zip(keys, systems, strict=True)])
    # Cells of whole or half pixels leave no seams in a picture of twice the size.
    step = max(1.0, round(2.0 * side / m) / 2.0)
    title = "system, best first" if m <= layers.NAMED_UP_TO else f"rank {ranked_by} (1 is best)"
    source = altair.LookupData(data=altair.InlineData(values=names["values"]), key="key", fields=["name"])
    drawn = [layers.cells_background(keys, keys)] if framed else []
    for x, y in (("j", "i"), ("i", "j")):
        base = layers.Plot(cells).transform_lookup("i", from_=source, as_=["system"])
        base = base.transform_lookup("j", from_=source, as_=["other"])
        drawn.append(
            base.mark_rect(strokeWidth=0, aria=False).encode(
                x=layers.cells_across(x, keys, title),
                y=layers.cells_down(y, keys, title),
                color=colour,
                tooltip=["system:N", "other:N", *tips],
            )
        )
    return altair.layer(*drawn).properties(width=step * m, height=step * m)
