"""Random swaps: ranks after one draw (Gao & Oard 2015, Figures 2 and 3), and coefficients over all draws."""

from __future__ import annotations

import altair

from rankscope.coefficients import coefficient
from rankscope.report.charts import layers
from rankscope.report.charts.layers import Drawing
from rankscope.report.theme import COLUMN, GREY, PAGE, VERMILION, heading, label
from rankscope.studies.swaps import SwappedRanks, SwapStudy

_AMONG = {"significant": "pairs that differ significantly", "others": "pairs that do not"}


def ranks(result: SwapStudy) -> Drawing:
    """One draw of each kind: every system's rank before and after."""
    return layers.concatenated([_panel(result, example) for example in result.examples])


def _panel(result: SwapStudy, example: SwappedRanks) -> Drawing:
    swapped = {name for pair in example.pairs for name in pair}
    rows = [
        {
            "system": label(name, 200),
            "truth rank": before,
            "estimate rank": after,
            "kind": "swapped" if name in swapped else "not swapped",
        }
        for name, before, after in zip(example.systems, example.truth_ranks, example.estimate_ranks, strict=True)
    ]
    # The picture is an example of the draws whose means are given.
    shown = ("pearson", "tau_b", "tau_ap", "tau_gap")
    means = [
        f"{s.symbol} {s.spread.mean:.2f}" for s in result.spreads if s.among == example.among and s.coefficient in shown
    ]
    last = len(rows)
    scale = altair.Scale(domain=[0.0, last + 1.0], nice=False)
    down = altair.Scale(domain=[0.0, last + 1.0], nice=False, reverse=True)
    axis = altair.Axis(values=layers.rank_ticks(last))
    title = heading(
        f"{len(example.pairs)} swaps among {_AMONG[example.among]}",
        f"mean of {result.settings['draws']:,} draws: {', '.join(means)}" if means else "",
    )
    ranks = (("truth rank", "rank before"), ("estimate rank", "rank after"))
    return (
        layers.plot(rows)
        .mark_point(filled=True, size=34)
        .encode(
            x=altair.X("truth rank:Q", title="rank before the swaps (1 is best)", scale=scale, axis=axis),
            y=altair.Y("estimate rank:Q", title="rank after the swaps (1 is best)", scale=down, axis=axis),
            tooltip=["system:N", *(altair.Tooltip(f"{field}:Q", title=title) for field, title in ranks)],
            **layers.categories(("not swapped", "swapped"), (GREY, VERMILION), ("circle", "triangle-up")),
        )
        .properties(width=PAGE // 2 - 90, height=PAGE // 2 - 90, title=title)
    )


def coefficients(result: SwapStudy) -> Drawing:
    """Every coefficient over all draws, by the kind of pairs swapped."""
    # Another name of a coefficient that is shown would only repeat its box.
    names = [n for n in result.coefficients if coefficient(n).record.same_as not in result.coefficients]
    shown = dict(zip(names, layers.distinct([coefficient(name).symbol for name in names]), strict=True))
    kinds = [_AMONG[kind] for kind in _AMONG if any(s.among == kind for s in result.spreads)]
    rows = [
        {"row": shown[s.coefficient], "kind": _AMONG[s.among], **layers.box_row(s.spread)}
        for s in result.spreads
        if s.coefficient in shown
    ]
    chart = layers.boxes(
        rows,
        order=list(shown.values()),
        kinds=kinds,
        x_title="coefficient after the swaps (1 is no change)",
        width=COLUMN - 100,
        height=24 if len(kinds) > 1 else 18,
    )
    settings = result.settings
    return chart.properties(
        title=heading(
            f"{settings['swaps']} random swaps, {settings['draws']:,} draws",
            "line: range, bar: quartiles, tick: median, point: mean",
        )
    )
