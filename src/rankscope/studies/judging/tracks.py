"""`judge_tracks`: judges over several tracks, one answer for each judge, measure and track.

A judge on a track is a block, computed by `judge` itself, so that each answer is that of `judge` with this judge alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from rankscope.checks import check_count, check_jobs, check_level, check_resamples, check_seed
from rankscope.defaults import ALPHA, CORRECTION, LEVEL, MEASURES, RESAMPLES, SEED
from rankscope.errors import BadParameter, RankscopeError, TooFewSystems, some
from rankscope.files.checkpoints import Checkpoint
from rankscope.inference.corrections import Correction
from rankscope.inference.worth import TIMES
from rankscope.inputs import JudgesLike, JudgmentsLike, RunsLike, to_judgments, to_runs
from rankscope.measures.registry import parse_measures
from rankscope.measures.scoring import Measures
from rankscope.runs import Judgments, RunSet
from rankscope.simulation.tracks import Track
from rankscope.studies.blocks import Progress, run_blocks
from rankscope.studies.judging.ask import RANDOM_DRAWS
from rankscope.studies.judging.over_tracks import lowest_levels, over_tracks
from rankscope.studies.judging.scales import JudgeLabels, NothingRanked, ScaledJudges, named, on_topics_of
from rankscope.studies.judging.track_blocks import JudgeBlock, block_answers, on_track
from rankscope.studies.judging.track_report import TrackAnswer, TrackSize, TrackSkipped, TracksReport
from rankscope.studies.verdict import INTERCHANGEABLE, LEAST, SUBSTITUTE, rule_of


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
    numbers = run_blocks(blocks, jobs=jobs, cluster=cluster, checkpoint=kept, progress=progress)
    outcomes = [one for block, own in zip(blocks, numbers, strict=True) for one in block_answers(block, own, level)]
    answers = [one for one in outcomes if isinstance(one, TrackAnswer)]
    skipped = [one for one in outcomes if isinstance(one, TrackSkipped)]
    if not answers:
        raise NothingRanked([each.reason for each in skipped])
    judges = tuple(dict.fromkeys(judge for track in read.values() for judge in track.judges))
    without = {judge: tuple(t.name for t in read.values() if judge not in t.judges) for judge in judges}
    return TracksReport(
        tracks=tuple(track.size for track in read.values()),
        judges=judges,
        measures=names,
        levels=tuple(lowest_levels(judges, answers)),
        overall=tuple(over_tracks(judges, names, answers, level)),
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
            raise on_track(name, error) from None
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
