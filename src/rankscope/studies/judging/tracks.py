"""`judge_tracks`: judges over several tracks, one answer for each judge, measure and track.

A judge on a track is a block, computed by `judge` itself, so that each answer is that of `judge` with this judge alone.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from rankscope.checks import check_count, check_jobs, check_level, check_resamples, check_seed
from rankscope.defaults import ALPHA, CORRECTION, LEVEL, MEASURES, RESAMPLES, SEED
from rankscope.errors import BadParameter, RankscopeError, TooFewSystems, some
from rankscope.files.checkpoints import Checkpoint
from rankscope.inference.corrections import Correction
from rankscope.inference.worth import TIMES, Worth
from rankscope.inputs import JudgesLike, JudgmentsLike, RunsLike, to_judgments, to_runs
from rankscope.measures.registry import parse_measures
from rankscope.measures.scoring import Measures
from rankscope.results import Interval, Result, Table, rows_table
from rankscope.runs import Judgments, RunSet
from rankscope.scores import Floats
from rankscope.simulation.tracks import Track
from rankscope.studies.blocks import Progress, run_blocks
from rankscope.studies.judging.answers import JudgeAnswer, JudgeReport
from rankscope.studies.judging.ask import RANDOM_DRAWS, judge
from rankscope.studies.judging.scales import (
    JudgeLabels,
    NothingRanked,
    ScaledJudges,
    Skipped,
    Why,
    named,
    on_topics_of,
)
from rankscope.studies.verdict import INTERCHANGEABLE, LEAST, LEVELS, SUBSTITUTE, Level, rule_of

# Worths of fewer tracks get no interval: see docs/judging-tracks.md for its coverage.
LEAST_TRACKS = 5
_METHOD = "t over tracks, of the logarithm of worth"


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgedTrack:
    """A track: runs, the judgments that are trusted, and the judges' (or paths to them).

    Examples
    --------
    >>> track = JudgedTrack(runs="dl19/runs", truth="dl19/human.qrels", judges=["dl19/gpt.qrels"])
    >>> track.truth
    'dl19/human.qrels'
    """

    runs: RunsLike
    truth: JudgmentsLike
    judges: JudgesLike | ScaledJudges


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


def judge_tracks(
    tracks: Mapping[str, JudgedTrack | Track],
    measures: Measures = MEASURES,
    *,
    margins: tuple[float, float] = (INTERCHANGEABLE, SUBSTITUTE),
    times: float = TIMES,
    least_topics: float = LEAST,
    judged_topics: int | None = None,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    alpha: float = ALPHA,
    correction: Correction = CORRECTION,
    random_draws: int = RANDOM_DRAWS,
    rng: int = SEED,
    jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    cluster: Any = None,
    progress: Progress | None = None,
) -> TracksReport:
    """May systems be ranked with these judgments instead of the truth's, on each of several tracks?

    Every judge on every track is asked as `judge` does. The worth of one judge over tracks is the geometric mean of its
    worths, with an interval that takes the tracks as a sample of tracks; its level is the lowest of all tracks.

    Parameters
    ----------
    tracks : mapping from str to JudgedTrack or Track
        Runs, truth and judges of each track. A judge goes by the same name on all tracks; a track may lack some.
    measures : str, Measure or iterable of them, default ("nDCG@10", "AP")
        Measures to score by; each gets a verdict.
    margins : pair of float, default (0.8, 0.5)
        The least worth of a judged topic to be interchangeable, and to be a substitute.
    times : float, default 4.0
        How many times as many topics the judge may label to be a substitute with more topics.
    least_topics : float, default 10.0
        The human topics whose ranking a judge must equal for clear differences.
    judged_topics : int, optional
        The number of topics the judge will label; by default, on each track, as many as its truth has, at least 50.
    resamples : int, default 2000
        Draws of topics behind intervals and p-values; 0 for none.
    level : float, default 0.95
        The level of all intervals.
    alpha : float, default 0.05
        The level of the paired t-tests between systems.
    correction : str, default "bh"
        How these tests are corrected for their number.
    random_draws : int, default 300
        Draws of random labels for the chance level; 0 leaves it out, and the verdict without it.
    rng : int, default 0
        The seed.
    jobs : int, optional
        The number of threads, by default one per core; the answer does not depend on it.
    checkpoint : path, optional
        A folder that keeps finished parts. An interrupted call continues from it, also with more tracks or judges.
    cluster : str or distributed.Client, optional
        The address of a Dask scheduler, or a client of it.
    progress : callable, optional
        Called with the number of judges on tracks that are done, and of all.

    Returns
    -------
    TracksReport
        An answer for each track, judge and measure, and each judge over all tracks.

    Raises
    ------
    BadParameter
        Where an option is out of its range, there is no track, or no judge can be ranked by.
    MismatchedNames
        Where a judge and the truth share no topic or no document.
    TooFewSystems
        Where a track has only one system.
    MismatchedCheckpoint
        Where the folder keeps parts of something else.
    UnreachableCluster
        Where the cluster does not answer.

    Examples
    --------
    >>> from rankscope.simulation.tracks import simulate_track
    >>> tracks = {
    ...     name: simulate_track(systems=12, topics=15, depth=20, rng=seed) for name, seed in [("a", 1), ("b", 2)]
    ... }
    >>> report = judge_tracks(tracks, "nDCG@10", resamples=0, random_draws=20)
    >>> [(answer.track, answer.judge) for answer in report.answers][:3]
    [('a', 'careful'), ('a', 'lenient'), ('a', 'partial')]
    """
    names = tuple(map(str, parse_measures(measures)))
    rule_of(margins, times, least_topics, judged_topics, check_level(level))  # checks
    settings = {
        "margins": list(margins),
        "times": times,
        "least_topics": least_topics,
        "judged_topics": judged_topics,
        "resamples": check_resamples(resamples),
        "level": level,
        "alpha": alpha,
        "correction": correction,
        "random_draws": check_count("random_draws", random_draws, 0),
        "seed": check_seed(rng),
    }
    check_jobs(jobs)
    read = {str(name): _Read.of(str(name), track, jobs) for name, track in tracks.items()}
    if not read:
        raise BadParameter("there is no track; give at least one")
    decisive = {**settings, "measures": list(names)}
    kept = None if checkpoint is None else Checkpoint.of_study(checkpoint, "judge tracks", decisive)
    options = {
        **{name: value for name, value in settings.items() if name not in ("margins", "seed")},
        "margins": tuple(margins),
        "rng": settings["seed"],
    }
    blocks = [
        JudgeBlock(
            name=track.block_name(judge, labels) if kept is not None else f"{number}-{place}",
            track=track.name,
            runs=track.runs,
            truth=track.truth,
            judge=judge,
            labels=labels,
            measures=names,
            options=options,
        )
        for number, track in enumerate(read.values())
        for place, (judge, labels) in enumerate(track.judges.items())
    ]
    found = run_blocks(blocks, jobs=jobs, cluster=cluster, checkpoint=kept, progress=progress)
    answers: list[TrackAnswer] = []
    skipped: list[TrackSkipped] = []
    for block, numbers in zip(blocks, found, strict=True):
        for measure, row in zip(names, numbers, strict=True):
            values = dict(zip(_NUMBERS, row.tolist(), strict=True))
            if math.isnan(values["why"]):
                answers.append(_answer(block, measure, values, level))
            else:
                skipped.append(TrackSkipped(track=block.track, reason=_skipped(block, measure, values)))
    if not answers:
        raise NothingRanked([each.reason for each in skipped])
    judges = tuple(dict.fromkeys(judge for track in read.values() for judge in track.judges))
    without = {judge: tuple(t.name for t in read.values() if judge not in t.judges) for judge in judges}
    return TracksReport(
        tracks=tuple(track.size for track in read.values()),
        judges=judges,
        measures=names,
        levels=tuple(_lowest_levels(judges, answers)),
        overall=tuple(_over_tracks(judges, names, answers, level)),
        answers=tuple(answers),
        skipped=tuple(skipped),
        without={judge: lacking for judge, lacking in without.items() if lacking},
        settings=settings,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Read:
    """A track, read."""

    name: str
    runs: RunSet
    truth: Judgments
    judges: dict[str, JudgeLabels]

    @classmethod
    def of(cls, name: str, track: JudgedTrack | Track, jobs: int | None) -> _Read:
        try:
            runs, truth, judges = to_runs(track.runs, jobs=jobs), to_judgments(track.truth), named(track.judges)
            for judge_name, labels in judges.items():
                own = to_judgments(labels.judgments)
                on_topics_of(judge_name, own, truth)
                judges[judge_name] = replace(labels, judgments=own.sharing(truth))
            if len(runs.systems) < 2:
                raise TooFewSystems(f"a ranking needs two systems at least, there is {some(runs.systems)}")
        except RankscopeError as error:
            raise _on_track(name, error) from None
        _ = runs.index  # made once, for all judges
        return cls(name=name, runs=runs, truth=truth, judges=judges)

    @property
    def size(self) -> TrackSize:
        return TrackSize(
            track=self.name,
            systems=len(self.runs.systems),
            topics=len(self.truth.topics),
            judgments=len(self.truth),
            judges=len(self.judges),
        )

    def block_name(self, judge: str, labels: JudgeLabels) -> str:
        """The name of a judge on this track, with the content of both: other labels are another part."""
        digest = hashlib.sha256(bytes.fromhex(self._digest))
        scale = [judge, labels.rel, list(labels.map.items()) if isinstance(labels.map, Mapping) else labels.map]
        digest.update(json.dumps(scale, ensure_ascii=True).encode())
        _add(digest, to_judgments(labels.judgments))
        short = re.sub(r"[^A-Za-z0-9_-]+", "-", f"{self.name}-{judge}")[:60].strip("-")
        return f"{short}-{digest.hexdigest()[:16]}"

    @cached_property
    def _digest(self) -> str:
        digest = hashlib.sha256(json.dumps([self.runs.systems, self.runs.topics], ensure_ascii=True).encode())
        ids = self.runs.ids
        for array in (self.runs.documents, self.runs.starts, self.runs.pool_starts, ids.starts, ids.text):
            digest.update(array.tobytes())
        _add(digest, self.truth)
        return digest.hexdigest()


def _add(digest: Any, judgments: Judgments) -> None:
    digest.update(json.dumps([judgments.name, judgments.topics], ensure_ascii=True).encode())
    for array in (judgments.starts, judgments.grades, judgments.ids.starts, judgments.ids.text):
        digest.update(array.tobytes())


# What a block says of each measure.
_NUMBERS = (
    *("level", "topics", "judged_topics", "worth", "worth_low", "worth_high", "own_worth", "own_low", "own_high"),
    *("cap", "expected_tau", "human_expected_tau", "tau", "tau_low", "tau_high", "tau_ap_b", "significant_swaps"),
    *("same_winner", "kappa", "random_labels_pvalue", "why", "highest", "least"),
)
_WHYS: tuple[Why, ...] = get_args(Why)


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgeBlock:
    """One judge on one track: measures × numbers, NaN for what there is not."""

    name: str
    track: str
    runs: RunSet
    truth: Judgments
    judge: str
    labels: JudgeLabels
    measures: tuple[str, ...]
    options: dict[str, Any]

    @property
    def shape(self) -> tuple[int, ...]:
        """Measures × numbers."""
        return len(self.measures), len(_NUMBERS)

    def run(self) -> Floats:
        """The numbers."""
        rows = {measure: dict.fromkeys(_NUMBERS, np.nan) for measure in self.measures}
        try:
            report = judge(
                *(self.runs, self.truth, {self.judge: self.labels}, self.measures),
                pseudo_draws=0,
                jobs=1,
                **self.options,
            )
            for answer in report.answers:
                rows[answer.measure] |= _numbers(report, answer)
            skipped = report.skipped
        except NothingRanked as error:
            skipped = error.skipped
        except RankscopeError as error:
            raise _on_track(self.track, error) from None
        for reason in skipped:
            known = {"highest": reason.highest, "least": reason.least}
            rows[reason.measure] |= {
                "why": float(_WHYS.index(reason.why)),
                **{name: value for name, value in known.items() if value is not None},
            }
        return np.array([list(row.values()) for row in rows.values()])


def _on_track(track: str, error: RankscopeError) -> BadParameter:
    return BadParameter(f"track {track}: {error}")


def _numbers(report: JudgeReport, answer: JudgeAnswer) -> dict[str, float]:
    agreement, chance = answer.agreement, answer.chance
    worth, own = answer.verdict.worth, answer.verdict.own_worth
    tau, labels = agreement["tau_b"], report.labels[answer.judge]
    known: dict[str, Any] = {
        "level": LEVELS.index(answer.verdict.level),
        "topics": answer.topics,
        "judged_topics": worth and worth.topics,
        **_worth_numbers(worth, "worth", "worth_low", "worth_high"),
        **_worth_numbers(own, "own_worth", "own_low", "own_high"),
        "cap": worth and worth.cap,
        "expected_tau": worth and worth.tau_judge,
        "human_expected_tau": worth and worth.tau_human,
        "tau": tau.value,
        "tau_low": tau.interval and tau.interval.low,
        "tau_high": tau.interval and tau.interval.high,
        "tau_ap_b": agreement.value("tau_ap_b"),
        "significant_swaps": agreement.separation and agreement.separation.swaps,
        "same_winner": agreement.winner.same,
        "kappa": labels["kappa"].value,
        "random_labels_pvalue": chance and chance.pvalue,
    }
    return {name: float(value) for name, value in known.items() if value is not None}


def _worth_numbers(worth: Worth | None, *names: str) -> dict[str, float]:
    if worth is None:
        return {}
    return dict(zip(names, (worth.worth, worth.interval.low, worth.interval.high), strict=True))


def _answer(block: JudgeBlock, measure: str, values: Mapping[str, float], level: float) -> TrackAnswer:
    known = {name: None if math.isnan(value) else value for name, value in values.items()}

    def interval(low: str, high: str, method: str) -> Interval | None:
        if known[low] is None or known[high] is None:
            return None
        return Interval(low=values[low], high=values[high], level=level, method=method)

    def count(name: str) -> int | None:
        return None if known[name] is None else int(values[name])

    return TrackAnswer(
        track=block.track,
        judge=block.judge,
        measure=measure,
        level=LEVELS[int(values["level"])],
        topics=int(values["topics"]),
        judged_topics=count("judged_topics"),
        worth=known["worth"],
        interval=interval("worth_low", "worth_high", "jackknife over topics and systems"),
        own_worth=known["own_worth"],
        own_interval=interval("own_low", "own_high", "jackknife over topics and systems"),
        cap=known["cap"],
        expected_tau=known["expected_tau"],
        human_expected_tau=known["human_expected_tau"],
        tau=values["tau"],
        tau_interval=interval("tau_low", "tau_high", "topic bootstrap, recentred"),
        tau_ap_b=values["tau_ap_b"],
        significant_swaps=count("significant_swaps"),
        same_winner=bool(values["same_winner"]),
        kappa=known["kappa"],
        random_labels_pvalue=known["random_labels_pvalue"],
    )


def _skipped(block: JudgeBlock, measure: str, values: Mapping[str, float]) -> Skipped:
    highest, least = (None if math.isnan(values[name]) else values[name] for name in ("highest", "least"))
    why = _WHYS[int(values["why"])]
    return Skipped(judge=block.judge, measure=measure, why=why, highest=highest, least=least)


def _first_lowest(answers: Sequence[TrackAnswer]) -> TrackAnswer:
    """The first answer with the lowest level."""
    return max(answers, key=lambda answer: LEVELS.index(answer.level))


def _lowest_levels(judges: Sequence[str], answers: Sequence[TrackAnswer]) -> Iterator[LowestLevel]:
    for name in judges:
        own = [answer for answer in answers if answer.judge == name]
        if own:
            worst = _first_lowest(own)
            yield LowestLevel(
                judge=name,
                level=worst.level,
                measure=worst.measure,
                track=worst.track,
                tracks=len({answer.track for answer in own}),
            )


def _over_tracks(
    judges: Sequence[str], measures: Sequence[str], answers: Sequence[TrackAnswer], level: float
) -> Iterator[OverTracks]:
    by_both: dict[tuple[str, str], list[TrackAnswer]] = {}
    for answer in answers:
        by_both.setdefault((answer.judge, answer.measure), []).append(answer)
    for name in judges:
        for measure in measures:
            own = by_both.get((name, measure))
            if own is None:
                continue
            worst = _first_lowest(own)
            worths = np.array([np.nan if answer.worth is None else answer.worth for answer in own])
            known = worths[~np.isnan(worths)]
            mean, interval = mean_worth(worths, level)
            counts = Counter(answer.level for answer in own)
            yield OverTracks(
                judge=name,
                measure=measure,
                tracks=len(own),
                level=worst.level,
                track=worst.track,
                levels={one: counts[one] for one in LEVELS if one in counts},
                worth=mean,
                interval=interval,
                lowest=float(known.min()) if len(known) else None,
                highest=float(known.max()) if len(known) else None,
            )


def mean_worth(worths: npt.ArrayLike, level: float = LEVEL) -> tuple[float | None, Interval | None]:
    """The geometric mean of the worths of one judge on several tracks, and its interval over tracks.

    Halving the worth of a track and doubling that of another balance each other. None where some track has no worth
    (a mean of the others would flatter the judge), or one that is 0 or infinite; no interval for fewer than five
    tracks.

    >>> mean_worth([0.25, 1.0])[0], mean_worth([0.25, float("nan")])
    (0.5, (None, None))
    """
    values = np.asarray(worths, dtype=np.float64)
    if not len(values) or not np.all(np.isfinite(values) & (values > 0.0)):
        return None, None
    logs = np.log(values)
    mean = float(logs.mean())
    if len(logs) < LEAST_TRACKS:
        return math.exp(mean), None
    from scipy.special import stdtrit

    half = float(stdtrit(len(logs) - 1, (1.0 + level) / 2.0)) * float(logs.std(ddof=1)) / math.sqrt(len(logs))
    return math.exp(mean), Interval(low=math.exp(mean - half), high=math.exp(mean + half), level=level, method=_METHOD)
