"""Judges over several tracks as text: each judge over all tracks, and the level and worth on each track."""

from __future__ import annotations

import rankscope as rs
from rankscope.report.bars import worth_axis, worth_bar
from rankscope.report.blocks import REST, Block, Heading, Sentence, text_table
from rankscope.report.numbers import counted, percent, worth_number
from rankscope.report.text_tables import TextTable
from rankscope.report.theme import VERDICT_MARKS, label
from rankscope.studies.judging.over_tracks import LEAST_TRACKS
from rankscope.studies.judging.track_report import LowestLevel, OverTracks
from rankscope.studies.verdict import LEVELS

# A table of every track is for a screen: more tracks are in JSON and CSV, more judges too.
_MOST_TRACKS, _MOST_JUDGES = 8, 40


def tracks(report: rs.TracksReport) -> list[Block]:
    """What is said of judges over several tracks."""
    counts = ", ".join(
        (
            counted(len(report.tracks), "track"),
            counted(len(report.judges), "judge"),
            counted(len(report.measures), "measure"),
        )
    )
    said: list[Block] = [Heading("Which judges may stand in for the truth, track by track", counts)]
    said += [_judge(report, level) for level in report.levels[:_MOST_JUDGES]]
    for measure in report.measures:
        rows = [over for over in report.overall if over.measure == measure]
        rows.sort(key=lambda over: (LEVELS.index(over.level), -(over.worth or 0.0)))
        if rows:
            said.append(_overall(rows[:_MOST_JUDGES], measure, len(rows)))
            if len(report.tracks) <= _MOST_TRACKS:
                said.append(_by_track(report, rows[:_MOST_JUDGES], measure))
    said += [_meaning(report), *_left_out(report)]
    return [*said, REST]


def _judge(report: rs.TracksReport, level: LowestLevel) -> Sentence:
    """The lowest level of a judge, and where it has it."""
    if level.tracks == len(report.measures) == 1:
        text = f"{label(level.judge)}: {level.level.upper()} on {label(level.track)} under {level.measure}."
        return Sentence("lowest level", text)
    over = f"{counted(level.tracks, 'track')} and {counted(len(report.measures), 'measure')}"
    text = (
        f"{label(level.judge)}: {level.level.upper()} is the lowest of its levels over {over} "
        f"(first on {label(level.track)} under {level.measure})."
    )
    return Sentence("lowest level", text, {"tracks": level.tracks, "measures": len(report.measures)})


def _overall(rows: list[OverTracks], measure: str, every: int) -> TextTable:
    cells = []
    for over in rows:
        ends = (None, None) if over.interval is None else (over.interval.low, over.interval.high)
        cells.append(
            [
                over.judge,
                f"{VERDICT_MARKS[over.level][1]} {over.level}",
                str(over.tracks),
                worth_number(over.worth),
                "" if over.worth is None else worth_bar(over.worth, *ends),
                "" if over.interval is None else f"{worth_number(ends[0])} to {worth_number(ends[1])}",
                "" if over.lowest is None else f"{worth_number(over.lowest)} to {worth_number(over.highest)}",
            ]
        )
    more = "" if len(rows) == every else f" (the first {len(rows)} of {every:,} judges)"
    return text_table(
        ("judge", "lowest level", "tracks", "worth", worth_axis(), "interval", "by track"),
        cells,
        right=("tracks", "worth"),
        title=f"{measure}: worth of a judged topic over tracks{more}",
        spare=(worth_axis(), "by track"),
    )


def _by_track(report: rs.TracksReport, rows: list[OverTracks], measure: str) -> TextTable:
    names = [track.track for track in report.tracks]
    cells = {
        (answer.judge, answer.track): f"{VERDICT_MARKS[answer.level][1]} {worth_number(answer.worth)}"
        for answer in report.answers
        if answer.measure == measure
    }
    lines = [[over.judge, *(cells.get((over.judge, name), "") for name in names)] for over in rows]
    seen = {answer.level for answer in report.answers if answer.measure == measure}
    key = "; ".join(f"{VERDICT_MARKS[level][1]} {level}" for level in LEVELS if level in seen)
    return text_table(("judge", *names), lines, title=f"{measure}: level and worth on each track ({key})")


def _meaning(report: rs.TracksReport) -> Sentence:
    """What is combined over tracks, and how."""
    text = (
        "What a level allows is proven on each track by itself, so that the lowest of several favourable levels holds "
        "on all of these tracks without a correction. Worth over tracks is the geometric mean of the worths"
    )
    level = next((over.interval.level for over in report.overall if over.interval is not None), None)
    if level is None:
        return Sentence("over tracks", f"{text}; an interval takes {LEAST_TRACKS} tracks.", {"tracks": LEAST_TRACKS})
    text += f"; its {percent(level)} interval takes the tracks as a sample of tracks."
    return Sentence("over tracks", text, {"level": level})


def _left_out(report: rs.TracksReport) -> list[Block]:
    said: list[Block] = [
        Sentence(
            "judge without tracks",
            f"{label(judge)} has no labels on {counted(len(lacking), 'track')}: {', '.join(map(label, lacking[:5]))}"
            f"{' …' if len(lacking) > 5 else ''}.",
            {"tracks": len(lacking)},
        )
        for judge, lacking in report.without.items()
    ]
    return [*said, *(Sentence("skipped", f"Skipped on {label(s.track)}: {s.reason}.") for s in report.skipped)]
