"""Rank sets of a leaderboard, and the probability of each rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankscope.report.charts.layers import Drawing, Row, categories, concatenated, distinct, plot, rank_ticks
from rankscope.report.numbers import counted, percent
from rankscope.report.terminal_ranks import letters_text, scored_by
from rankscope.report.theme import BLUE, PAGE, SKY, VERMILION, heading, label
from rankscope.studies.ranks import Leaderboard, Ranking

# Up to this number of systems every row has its name, in letters that become smaller; beyond it rows have ranks.
_NAMED_UP_TO = 130
# Up to this number of systems the letters of groups are written beside the rows.
_LETTERED_UP_TO = 60
# The systems that the distribution of ranks is drawn for, and the least probability that is drawn.
_MOST_ROWS = 120
_RAREST = 0.005
_WIDE, _NARROW = PAGE - 180, PAGE // 2 - 130
_RANKS = "rank (1 is best)"
_BANDS = "bands: systems not significantly worse than the first of their band"
_BEST, _OTHER = "rank by score, may be best", "rank by score"


def rank_sets(result: Ranking) -> Drawing:
    """Systems from the best down, with their rank sets; in a band are those not significantly worse than its first."""
    width = _WIDE if len(result.leaderboards) == 1 else _NARROW
    return concatenated([board_sets(result, board, width) for board in result.leaderboards])


def board_sets(result: Ranking, board: Leaderboard, width: int = _WIDE) -> Drawing:
    """The rank sets of one leaderboard."""
    import altair

    systems, level = len(board.systems), percent(result.settings["level"])
    names, step = _rows(board)
    dark, pale = f"{result.kind} {level} rank set", f"simultaneous {level} rank set"
    rows = [
        {
            "row": name,
            "system": label(entry.system, 200),
            "rank": entry.rank,
            "score": entry.score,
            "rank set": f"{entry.ranks(result.kind).low}–{entry.ranks(result.kind).high}",
            "simultaneous": f"{entry.simultaneous.low}–{entry.simultaneous.high}",
            "P(best)": entry.best_probability,
            "groups": entry.groups,
            "letters": letters_text(entry.groups),
            "kind": _BEST if entry.may_be_best else _OTHER,
        }
        for name, entry in zip(names, board.systems, strict=True)
    ]
    sets = [
        {
            "row": name,
            "system": label(entry.system, 200),
            "kind": kind,
            "from": ranks.low - 0.5,
            "to": ranks.high + 0.5,
        }
        for name, entry in zip(names, board.systems, strict=True)
        for kind, ranks in {pale: entry.simultaneous, dark: entry.ranks(result.kind)}.items()
    ]
    y = _y(names, systems, step)
    x = altair.X("rank:Q", title=_RANKS, **_rank_axis(systems))
    kinds = list(dict.fromkeys((dark, pale)))
    colour = altair.Color(
        "kind:N",
        title=None,
        scale=altair.Scale(domain=kinds, range=[BLUE, SKY][: len(kinds)]),
        legend=altair.Legend(columns=1),
    )
    drawn = plot(sets).encode(x=altair.X("from:Q", title=_RANKS), x2="to:Q", y=y, color=colour)
    base = plot(rows).encode(
        y=y,
        tooltip=[
            *("system:N", "rank:Q", "rank set:N", "simultaneous:N", "groups:N"),
            *(altair.Tooltip("score:Q", format=".4f"), altair.Tooltip("P(best):Q", format=".3f")),
        ],
    )
    shown = categories((_BEST, _OTHER), (VERMILION, "white"), ("diamond", "circle"))
    shown = {channel: encoding.legend(columns=1, symbolStrokeColor="black") for channel, encoding in shown.items()}
    sizes = max(9, min(46, 4 * step))
    layers = [
        plot(_bands(board, names))
        .mark_rect(style="band")
        .encode(y=altair.Y("first:N", sort=None, bandPosition=0), y2=altair.Y2("last:N", bandPosition=1)),
        altair.layer(
            drawn.transform_filter(altair.datum.kind == pale).mark_bar(height={"band": 0.3}),
            drawn.transform_filter(altair.datum.kind == dark).mark_bar(height={"band": 0.8}),
        ),
        base.mark_point(filled=True, size=sizes, stroke="black", strokeWidth=0.6, opacity=1.0).encode(x=x, **shown),
    ]
    if systems <= _LETTERED_UP_TO:
        layers.append(
            base.mark_text(style="note", align="left", dx=6).encode(
                x=altair.value("width"), text=altair.Text("letters:N")
            )
        )
    return (
        altair.layer(*layers)
        .resolve_scale(color="independent", shape="independent")
        .properties(width=width, height=altair.Step(step), title=_title(board, _BANDS))
    )


def _title(board: Leaderboard, *lines: str) -> Any:
    over = "" if board.topics is None else f" on {counted(board.topics, board.unit)}"
    best = f"{len(board.best)} may be best" if len(board.best) > 1 else "1 is the best"
    return heading(
        f"{scored_by(board)}: {counted(len(board.systems), 'system')}{over}",
        f"{best}; {counted(board.levels, 'level')} can be distinguished",
        *lines,
    )


def _rows(board: Leaderboard) -> tuple[list[str], int]:
    """The names of the rows, and their height."""
    systems = len(board.systems)
    step = next((step for most, step in ((30, 16), (60, 12), (_NAMED_UP_TO, 9), (300, 4)) if systems <= most), 2)
    if systems <= _NAMED_UP_TO:
        return distinct([entry.system for entry in board.systems], 28), step
    return [str(place) for place in range(1, systems + 1)], step


def _y(names: list[str], systems: int, step: int) -> Any:
    import altair

    axis: dict[str, Any] = {"grid": False, "ticks": False, "domain": False, "labelLimit": 150}
    if systems <= _NAMED_UP_TO:
        axis |= {"labelFontSize": min(10, step - 1), "labelOverlap": False}
    else:
        axis |= {"values": [str(tick) for tick in rank_ticks(systems)]}
    title = None if systems <= _NAMED_UP_TO else "system, best first"
    return altair.Y("row:N", title=title, sort=None, scale=altair.Scale(domain=names), axis=altair.Axis(**axis))


def _rank_axis(systems: int) -> dict[str, Any]:
    import altair

    return {
        "scale": altair.Scale(domain=[0.5, systems + 0.5], nice=False, zero=False),
        "axis": altair.Axis(values=rank_ticks(systems), grid=True, format="d"),
    }


def _bands(board: Leaderboard, names: list[str]) -> list[Row]:
    """Every second band: a band ends before the first system that shares no group with the band's first one."""
    groups = [set(group) for group in board.groups]
    starts = [0]
    for place, entry in enumerate(board.systems):
        first = board.systems[starts[-1]].system
        if not any(first in group and entry.system in group for group in groups):
            starts.append(place)
    ends = [*starts[1:], len(names)]
    return [{"first": names[a], "last": names[b - 1]} for a, b in list(zip(starts, ends, strict=True))[::2]]


def distribution(result: Ranking) -> Drawing:
    """The probability of each rank for each system, over typical draws."""
    width = _WIDE if len(result.leaderboards) == 1 else _NARROW
    return concatenated([board_distribution(board, width) for board in result.leaderboards])


def board_distribution(board: Leaderboard, width: int = _WIDE) -> Drawing:
    """The probability of each rank in one leaderboard."""
    import altair

    names, step = _rows(board)
    names = names[:_MOST_ROWS]
    shown = np.asarray(board.distribution)[: len(names)]
    rows = [
        {
            "row": names[place],
            "system": label(board.systems[place].system, 200),
            "rank": rank + 1,
            "from": rank + 0.5,
            "to": rank + 1.5,
            "probability": float(shown[place, rank]),
        }
        for place, rank in np.argwhere(shown >= _RAREST).tolist()
    ]
    systems = len(board.systems)
    return (
        plot(rows)
        .mark_rect(strokeWidth=0, aria=False)
        .encode(
            x=altair.X("from:Q", title=_RANKS, **_rank_axis(systems)),
            x2="to:Q",
            y=_y(names, len(names) if systems <= _NAMED_UP_TO else systems, step),
            color=altair.Color(
                "probability:Q",
                title="probability of the rank",
                scale=altair.Scale(type="sqrt", domain=[0.0, 1.0], range="heatmap"),
                legend=altair.Legend(direction="horizontal", gradientLength=150, format="~g", tickCount=4),
            ),
            tooltip=["system:N", "rank:Q", altair.Tooltip("probability:Q", format=".3f")],
        )
        .properties(width=width, height=altair.Step(step), title=_title(board))
    )
