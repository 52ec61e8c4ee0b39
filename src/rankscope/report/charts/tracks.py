"""Judges over several tracks: worth on each track with its interval, and the level of every judge on every track."""

from __future__ import annotations

import altair

import rankscope as rs
from rankscope.errors import BadParameter
from rankscope.report.charts.layers import Drawing, Row, categories, concatenated, distinct, line_at, numbers, plot
from rankscope.report.charts.worth import on_axis, worth_x
from rankscope.report.theme import COLUMN, TONES, VERDICT_MARKS, heading
from rankscope.results import plain
from rankscope.studies.judging.track_report import OverTracks
from rankscope.studies.verdict import LEVELS

# A chart of more rows, or more judges or tracks, cannot be read; the tables have all.
_MOST_ROWS, _MOST_CELLS = 120, 60


def worth(report: rs.TracksReport) -> Drawing:
    """Worth by judge and track, a panel per measure; a judge's tracks stand below each other."""
    drawn = [_worth_panel(report, measure) for measure in _measures(report, with_worth=True)]
    if not drawn:
        raise BadParameter("there is no worth to draw: it needs enough topics and systems on some track")
    return concatenated(drawn, columns=1)


def levels(report: rs.TracksReport) -> Drawing:
    """The level of every judge on every track, a panel per measure."""
    return concatenated([_level_panel(report, measure) for measure in _measures(report)], columns=1)


def _measures(report: rs.TracksReport, *, with_worth: bool = False) -> list[str]:
    known = {answer.measure for answer in report.answers if not with_worth or answer.worth is not None}
    return [measure for measure in report.measures if measure in known]


def _judges(report: rs.TracksReport, measure: str, most: int) -> tuple[dict[str, str], str]:
    """The judges' labels, the highest level and worth first, and a note if there are more of them than can be drawn."""
    known = [over for over in report.overall if over.measure == measure]

    def order(over: OverTracks) -> tuple[int, float]:
        return LEVELS.index(over.level), -(over.worth or 0.0)

    kept = [over.judge for over in sorted(known, key=order)][:most]
    more = "" if len(kept) == len(known) else f"; the first {len(kept)} of {len(known):,} judges"
    return dict(zip(kept, distinct(kept, 30), strict=True)), more


def _tracks(report: rs.TracksReport, most: int) -> dict[str, str]:
    names = [track.track for track in report.tracks][:most]
    return dict(zip(names, distinct(names, 20), strict=True))


def _by_level(report: rs.TracksReport) -> Row:
    """Colour and shape of the levels: the same in all panels, which share one legend."""
    seen = {answer.level for answer in report.answers}
    kinds = [level for level in LEVELS if level in seen]
    marks = [VERDICT_MARKS[kind] for kind in kinds]
    return categories(kinds, [TONES[tone] for tone, _, _ in marks], [shape for _, _, shape in marks])


_TIPS = (altair.Tooltip("judge:N"), altair.Tooltip("track:N"), altair.Tooltip("kind:N", title="verdict"))


def _worth_panel(report: rs.TracksReport, measure: str) -> Drawing:
    tracks = _tracks(report, _MOST_ROWS)
    judges, more = _judges(report, measure, max(1, _MOST_ROWS // len(tracks)))
    answers = {
        (answer.judge, answer.track): (answer, answer.worth, answer.interval)
        for answer in report.answers
        if answer.measure == measure
    }
    rows: list[Row] = []
    for judge, judge_label in judges.items():
        for track, track_label in tracks.items():
            answer, value, interval = answers.get((judge, track), (None, None, None))
            if answer is None or value is None or interval is None:
                continue
            rows.append(
                {
                    "row": f"{judge_label} · {track_label}",
                    "judge": judge_label,
                    "track": track_label,
                    "worth": plain(value),
                    "low": interval.low,
                    "high": plain(interval.high),
                    "at": on_axis(value),
                    "from": on_axis(interval.low),
                    "to": on_axis(interval.high),
                    "kind": answer.level,
                }
            )
    encoding = _by_level(report)
    y = altair.Y("row:N", title=None, sort=None, scale=altair.Scale(domain=[row["row"] for row in rows]))
    base = plot(rows).encode(y=y, tooltip=[*_TIPS, *numbers("worth", "low", "high", format=".3f")])
    margins = report.settings["margins"]
    note = f"dashed: interchangeable from {margins[0]:g}, substitute from {margins[1]:g}{more}"
    x = worth_x("at", "worth of a judged topic, in topics of the truth")
    return altair.layer(
        line_at(x=1.0, style="faint"),
        line_at(x=margins[0]),
        line_at(x=margins[1]),
        base.mark_rule(strokeWidth=2).encode(x="from:Q", x2="to:Q", color=encoding["color"]),
        base.mark_point(filled=True, size=60, opacity=1).encode(x=x, **encoding),
    ).properties(width=COLUMN, height=altair.Step(15), title=heading(measure, note))


def _level_panel(report: rs.TracksReport, measure: str) -> Drawing:
    judges, more = _judges(report, measure, _MOST_CELLS)
    tracks = _tracks(report, _MOST_CELLS)
    rows: list[Row] = [
        {
            "judge": judges[answer.judge],
            "track": tracks[answer.track],
            "kind": answer.level,
            "worth": plain(answer.worth),
        }
        for answer in report.answers
        if answer.measure == measure and answer.judge in judges and answer.track in tracks
    ]
    across = altair.X("track:N", title="track", sort=None, scale=altair.Scale(domain=list(tracks.values())))
    down = altair.Y("judge:N", title=None, sort=None, scale=altair.Scale(domain=list(judges.values())))
    note = f"the level of every judge on every track{more}"
    return (
        plot(rows)
        .mark_point(filled=True, size=110, opacity=1)
        .encode(x=across, y=down, tooltip=[*_TIPS, *numbers("worth", format=".3f")], **_by_level(report))
        .properties(width=altair.Step(34), height=altair.Step(22), title=heading(measure, note))
    )
