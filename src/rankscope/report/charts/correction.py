"""What a judge adds to human topics: means with intervals, and ranks."""

from __future__ import annotations

from typing import Any

from rankscope.report.charts.layers import Drawing, categories, concatenated, distinct, plot, rank_ticks
from rankscope.report.numbers import percent
from rankscope.report.terminal_correction import ranked_by, sentences, title
from rankscope.report.theme import BLUE, GREEN, PAGE, VERMILION, heading, label
from rankscope.studies.correction_result import CorrectedLeaderboard, Correction

# Beyond this number of systems the best are drawn.
_MOST_ROWS = 100
# A judge whose scores need an axis this many times as wide as human ones has another scale.
_WIDER = 5.0


def scores(result: Correction) -> Drawing:
    """Corrected means with intervals beside the means by people alone and by the judge alone."""
    return concatenated([board_scores(result, board) for board in result.leaderboards])


def ranks(result: Correction) -> Drawing:
    """The ranks of a leaderboard with their rank sets, and the ranks by people alone and by the judge alone."""
    return concatenated([board_ranks(result, board) for board in result.leaderboards])


def board_scores(result: Correction, board: CorrectedLeaderboard) -> Drawing:
    """The means of one leaderboard."""
    import altair

    level = percent(result.settings["level"])
    drawn, scale = _judge_scores(board), ""
    if drawn is not None:
        scale = f", on the scale of {label(result.human)}"
    kinds = (f"corrected, with {level} interval", f"{label(result.human)} alone", f"{label(board.judge)} alone{scale}")
    names, step = _rows(board)
    judged = [entry.judge for entry in board.systems] if drawn is None else drawn
    points = [
        {"row": name, "system": label(entry.system, 200), "kind": kind, "score": value, "mean": mean}
        for name, entry, judge in zip(names, board.systems, judged, strict=False)
        for kind, value, mean in zip(
            kinds, (entry.corrected, entry.human, judge), (entry.corrected, entry.human, entry.judge), strict=True
        )
    ]
    bars = [
        {"row": name, "system": label(entry.system, 200), "low": entry.interval.low, "high": entry.interval.high}
        for name, entry in zip(names, board.systems, strict=False)
    ]
    measure = "score" if result.measure is None else label(result.measure)
    measure += " (lower is better)" if result.lower_is_better else ""
    x = altair.X("score:Q", title=measure, scale=altair.Scale(zero=False))
    intervals = plot(bars).mark_rule(color=BLUE, strokeWidth=max(2, step // 4), opacity=0.5)
    layers = (
        intervals.encode(x=altair.X("low:Q", title=measure, scale=altair.Scale(zero=False)), x2="high:Q", y=_y(names)),
        _marks(points, kinds, x, names, step, altair.Tooltip("mean:Q", title="score", format=".4f")),
    )
    return altair.layer(*layers).properties(width=PAGE - 180, height=altair.Step(step), title=_title(result, board))


def _judge_scores(board: CorrectedLeaderboard) -> list[float] | None:
    """The judge's means moved to the mean and spread of human ones if they have another scale; None otherwise."""
    import numpy as np

    human, judge = (np.array([getattr(entry, side) for entry in board.systems]) for side in ("human", "judge"))
    ends = np.array([(entry.interval.low, entry.interval.high) for entry in board.systems])
    by_people = np.ptp([*human, *ends.ravel()])
    if by_people == 0.0 or np.ptp([*human, *ends.ravel(), *judge]) <= _WIDER * by_people:
        return None
    unit = np.abs(judge).max()  # large scores must not be squared
    spread = np.std(judge / unit)
    moved = (judge / unit - np.mean(judge / unit)) / (spread or 1.0)
    return list(map(float, human.mean() + moved * human.std()))


def board_ranks(result: Correction, board: CorrectedLeaderboard) -> Drawing:
    """The ranks of one leaderboard."""
    import altair

    level = percent(result.settings["level"])
    kinds = (
        f"{ranked_by(board)}, with {level} rank set",
        f"{label(result.human)} alone",
        f"{label(board.judge)} alone",
    )
    names, step = _rows(board)
    points = [
        {"row": name, "system": label(entry.system, 200), "kind": kind, "rank": value}
        for name, entry in zip(names, board.systems, strict=False)
        for kind, value in zip(kinds, (entry.rank, entry.human_rank, entry.judge_rank), strict=True)
    ]
    bars = [
        {
            "row": name,
            "system": label(entry.system, 200),
            "low": entry.typical.low - 0.5,
            "high": entry.typical.high + 0.5,
        }
        for name, entry in zip(names, board.systems, strict=False)
    ]
    axis: dict[str, Any] = {
        "title": "rank (1 is best)",
        "scale": altair.Scale(domain=[0.5, len(board.systems) + 0.5], nice=False, zero=False),
        "axis": altair.Axis(values=rank_ticks(len(board.systems)), format="d"),
    }
    layers = (
        plot(bars)
        .mark_bar(height={"band": 0.7}, color=BLUE, opacity=0.35)
        .encode(x=altair.X("low:Q", **axis), x2="high:Q", y=_y(names)),
        _marks(points, kinds, altair.X("rank:Q", **axis), names, step, "rank:Q"),
    )
    return altair.layer(*layers).properties(width=PAGE - 180, height=altair.Step(step), title=_title(result, board))


def _marks(
    points: list[dict[str, Any]], kinds: tuple[str, ...], x: Any, names: list[str], step: int, value: Any
) -> Any:

    shown = categories(kinds, (BLUE, GREEN, VERMILION), ("circle", "triangle-up", "diamond"))
    shown = {channel: encoding.legend(columns=1, title=None) for channel, encoding in shown.items()}
    return (
        plot(points)
        .mark_point(filled=True, size=max(16, min(46, 4 * step)), opacity=1.0)
        .encode(x=x, y=_y(names), tooltip=["system:N", "kind:N", value], **shown)
    )


def _title(result: Correction, board: CorrectedLeaderboard) -> Any:
    said = [sentence.text for sentence in sentences(result, board)[: None if board.documents is None else 1]]
    return heading(": ".join(title(result, board)), *said)


def _rows(board: CorrectedLeaderboard) -> tuple[list[str], int]:
    """The names of the rows, and their height."""
    drawn = [entry.system for entry in board.systems[:_MOST_ROWS]]
    return distinct(drawn, 28), 16 if len(drawn) <= 30 else 12 if len(drawn) <= 60 else 9


def _y(names: list[str]) -> Any:
    import altair

    axis = altair.Axis(grid=False, ticks=False, domain=False, labelLimit=150, labelOverlap=False)
    return altair.Y("row:N", title=None, sort=None, scale=altair.Scale(domain=names), axis=axis)
