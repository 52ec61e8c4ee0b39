"""What random swaps do: ranks after one draw (Gao & Oard 2015, Figures 2 and 3), and coefficients over all."""

from __future__ import annotations

from rankscope.coefficients import coefficient
from rankscope.report.charts.layers import Drawing, box_row, boxes, categories, distinct, rank_ticks, rows_of
from rankscope.report.theme import COLUMN, GREY, PAGE, VERMILION, heading, label
from rankscope.studies.swaps import SwappedRanks, SwapStudy

_AMONG = {"significant": "pairs that differ significantly", "others": "pairs that do not"}


def ranks(result: SwapStudy) -> Drawing:
    """One draw of each kind: every system's rank before and after."""
    import altair

    panels = [_panel(result, example) for example in result.examples]
    return panels[0] if len(panels) == 1 else altair.concat(*panels, columns=2)


def _panel(result: SwapStudy, example: SwappedRanks) -> Drawing:
    import altair

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
    # The means over all draws, which are what the picture is an example of.
    shown = ("pearson", "tau_b", "tau_ap", "tau_gap")
    means = [
        f"{one.symbol} {one.spread.mean:.2f}"
        for one in result.spreads
        if one.among == example.among and one.coefficient in shown
    ]
    last = len(rows)
    scale = altair.Scale(domain=[0.0, last + 1.0], nice=False)
    down = altair.Scale(domain=[0.0, last + 1.0], nice=False, reverse=True)
    axis = altair.Axis(values=rank_ticks(last))
    title = heading(
        f"{len(example.pairs)} swaps among {_AMONG[example.among]}",
        f"mean of {result.settings['draws']:,} draws: {', '.join(means)}" if means else "",
    )
    return (
        altair.Chart(rows_of(rows))
        .mark_point(filled=True, size=34)
        .encode(
            x=altair.X("truth rank:Q", title="rank in the truth (1 is best)", scale=scale, axis=axis),
            y=altair.Y("estimate rank:Q", title="rank after the swaps (1 is best)", scale=down, axis=axis),
            tooltip=["system:N", "truth rank:Q", "estimate rank:Q"],
            **categories(("not swapped", "swapped"), (GREY, VERMILION), ("circle", "triangle-up")),
        )
        .properties(width=PAGE // 2 - 90, height=PAGE // 2 - 90, title=title)
    )


def coefficients(result: SwapStudy) -> Drawing:
    """Every coefficient over all draws, by the kind of pairs swapped."""
    # Other names of a coefficient that is there too would repeat its box.
    names = [n for n in result.coefficients if coefficient(n).record.same_as not in result.coefficients]
    shown = dict(zip(names, distinct([coefficient(name).symbol for name in names]), strict=True))
    kinds = [_AMONG[kind] for kind in _AMONG if any(one.among == kind for one in result.spreads)]
    rows = [
        {"row": shown[one.coefficient], "kind": _AMONG[one.among], **box_row(one.spread)}
        for one in result.spreads
        if one.coefficient in shown
    ]
    chart = boxes(
        rows,
        order=list(shown.values()),
        kinds=kinds,
        x_title="coefficient after the swaps (1 is no change)",
        width=COLUMN - 100,
        step=24 if len(kinds) > 1 else 18,
    )
    settings = result.settings
    return chart.properties(
        title=heading(
            f"{settings['swaps']} random swaps, {settings['draws']:,} draws",
            "line: least to greatest, bar: quartiles, tick: median, point: mean",
        )
    )
