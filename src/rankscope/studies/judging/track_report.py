"""The answer over several tracks: its rows, and its tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rankscope.results import Interval, Result, Table, rows_table
from rankscope.studies.judging.scales import Skipped
from rankscope.studies.verdict import Level


@dataclass(frozen=True, kw_only=True)
class TrackSize:
    """A track's name, and the numbers of its systems, topics, judgments of the truth, and judges."""

    track: str
    systems: int
    topics: int
    judgments: int
    judges: int


@dataclass(frozen=True, kw_only=True)
class TrackAnswer:
    """One judge on one track under one measure: what `judge` answers, in numbers.

    `topics` are those that both sides judged, `judged_topics` the number for which worth is given. `worth` is by the
    scores as they are, `own_worth` by what they say beyond random labels; both are None where there is too little to
    tell. `tau` is the agreement of the two rankings (τ_b), `expected_tau` the judge's with the true ranking.
    `significant_swaps` are the truth's significantly different pairs that the judge orders otherwise. `kappa` is the
    agreement of labels.
    """

    track: str
    judge: str
    measure: str
    level: Level
    topics: int
    judged_topics: int | None
    worth: float | None
    interval: Interval | None
    own_worth: float | None
    own_interval: Interval | None
    cap: float | None
    expected_tau: float | None
    human_expected_tau: float | None
    tau: float
    tau_interval: Interval | None
    tau_ap_b: float
    significant_swaps: int | None
    same_winner: bool
    kappa: float | None
    random_labels_pvalue: float | None


@dataclass(frozen=True, kw_only=True)
class OverTracks:
    """One judge under one measure over all tracks that have an answer.

    `level` is the lowest of its levels, and `track` the first track that has it: what a level allows is proven on each
    track by itself, so that the lowest holds on all of them without a correction. `levels` counts the tracks at each
    level. `worth` is the geometric mean of the tracks' worths, and `interval` takes the tracks as a sample of tracks:
    it is a t interval of the mean logarithm, None for fewer than five tracks. `lowest` and `highest` are the extreme
    worths.
    """

    judge: str
    measure: str
    tracks: int
    level: Level
    track: str
    levels: dict[str, int]
    worth: float | None
    interval: Interval | None
    lowest: float | None
    highest: float | None


@dataclass(frozen=True, kw_only=True)
class LowestLevel:
    """A judge over all measures and tracks: the lowest of its levels, and the first measure and track that have it."""

    judge: str
    level: Level
    measure: str
    track: str
    tracks: int


@dataclass(frozen=True, kw_only=True)
class TrackSkipped:
    """A judge that has no answer on a track under a measure, and why."""

    track: str
    reason: Skipped


@dataclass(frozen=True, kw_only=True, eq=False)
class TracksReport(Result):
    """May systems be ranked with these judgments instead, on each of several tracks?

    `answers` has one row for each track, judge and measure, `overall` one for each judge and measure, and `levels` one
    for each judge. `without` has the judges that some tracks lack, with these tracks' names.
    """

    tracks: tuple[TrackSize, ...]
    judges: tuple[str, ...]
    measures: tuple[str, ...]
    levels: tuple[LowestLevel, ...]
    overall: tuple[OverTracks, ...]
    answers: tuple[TrackAnswer, ...]
    skipped: tuple[TrackSkipped, ...]
    without: dict[str, tuple[str, ...]]
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per track, judge and measure."""
        rows = tuple(tuple(_cell(answer, name) for name in _COLUMNS) for answer in self.answers)
        return Table(_COLUMNS, rows, brief=_BRIEF)

    def overall_table(self) -> Table:
        """One row per judge and measure, over all tracks."""
        rows = tuple(tuple(_cell(over, name) for name in _OVERALL) for over in self.overall)
        return Table(_OVERALL, rows)

    def tables(self) -> dict[str, Table]:
        """Every table by name, the main one first."""
        return {
            "answers": self.table(),
            "overall": self.overall_table(),
            "levels": rows_table(self.levels, ("judge", "level", "measure", "track", "tracks")),
            "tracks": rows_table(self.tracks, ("track", "systems", "topics", "judgments", "judges")),
        }


_COLUMNS = (
    *("track", "judge", "measure", "verdict", "worth", "worth_low", "worth_high", "own_worth", "own_worth_low"),
    *("own_worth_high", "cap", "expected_tau", "human_expected_tau", "tau", "tau_low", "tau_high", "tau_ap_b"),
    *("significant_swaps", "same_winner", "kappa", "random_labels_pvalue", "topics", "judged_topics"),
)
_BRIEF = (
    *("track", "judge", "measure", "verdict", "worth", "worth_low", "worth_high"),
    *("expected_tau", "tau", "significant_swaps"),
)
_OVERALL = ("judge", "measure", "tracks", "verdict", "track", "worth", "worth_low", "worth_high", "lowest", "highest")
_FIELDS = {
    "verdict": ("level", None),
    "worth_low": ("interval", "low"),
    "worth_high": ("interval", "high"),
    "own_worth_low": ("own_interval", "low"),
    "own_worth_high": ("own_interval", "high"),
    "tau_low": ("tau_interval", "low"),
    "tau_high": ("tau_interval", "high"),
}


def _cell(row: TrackAnswer | OverTracks, column: str) -> Any:
    name, end = _FIELDS.get(column, (column, None))
    value = getattr(row, name)
    return value if end is None or value is None else getattr(value, end)
