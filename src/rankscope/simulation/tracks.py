"""`simulate_track`: a whole track, with runs in families, pooled human judgments and other judges.

track_systems.py draws topics and runs, track_judges.py the labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.checks import check_count
from rankscope.defaults import SEED
from rankscope.errors import BadParameter, some
from rankscope.inference.resampling import Seed, recorded_seed, seeds_of
from rankscope.runs import Ids, Judgments, RunSet
from rankscope.scores import Floats
from rankscope.simulation.track_judges import Indices, JudgeModel
from rankscope.simulation.track_systems import FAMILIES, FamilyModel, Systems, Topic, draw_topic

CORPUS = 100_000
_FIRST_TOPIC = 101

# Chosen to show three levels of the verdict under nDCG@10: the careful judge is a substitute, the lenient one is with
# more topics, and the partial one is not, although its labels are better than the lenient one's (docs/tracks.md).
HUMAN = JudgeModel(noise=0.4)
JUDGES = {
    "careful": JudgeModel(noise=0.5, by_topic=0.1),
    "lenient": JudgeModel(noise=1.1, leniency=0.7, by_topic=0.1),
    "partial": JudgeModel(noise=0.6, favours="dense", bias=0.6, by_topic=0.1),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Track:
    """A simulated track.

    Attributes
    ----------
    runs : RunSet
        The runs of all systems.
    truth : Judgments
        The human judgments of the pool.
    judges : mapping of str to Judgments
        Other judges' judgments of the same documents, by name.
    perfect : Judgments
        The true grades of all candidates, pooled or not, from which all judgments are drawn.
    groups : mapping of str to str
        The family of each system.
    settings : dict
        The options.
    """

    runs: RunSet
    truth: Judgments
    judges: Mapping[str, Judgments]
    perfect: Judgments
    groups: Mapping[str, str]
    settings: dict[str, Any]

    def __repr__(self) -> str:
        return (
            f"<Track: {len(self.runs.systems)} systems × {len(self.runs.topics)} topics, {len(self.truth)} judgments, "
            f"judges {', '.join(self.judges) or 'none'}>"
        )


def simulate_track(
    systems: int = 40,
    topics: int = 50,
    *,
    depth: int = 100,
    pool_depth: int = 20,
    highest_grade: int = 3,
    candidates: int = 600,
    families: Sequence[FamilyModel] = FAMILIES,
    human: JudgeModel = HUMAN,
    judges: Mapping[str, JudgeModel] | None = None,
    rng: Seed = SEED,
) -> Track:
    """Simulate a track: runs of systems in families, human judgments of the pool, and other judges.

    Topics differ in ease and in the number of relevant documents among their candidates. A system's score of a document
    is its skill times the true grade, plus noise that it shares partly with all systems and partly with its family. The
    first topics do not depend on the number of topics, nor a judge's labels on the judges after it.

    Parameters
    ----------
    systems : int, default 40
        The number of systems.
    topics : int, default 50
        The number of topics.
    depth : int, default 100
        The number of documents that a system retrieves for a topic.
    pool_depth : int, default 20
        The depth to which runs are judged.
    highest_grade : int, default 3
        The highest grade; the lowest is 0.
    candidates : int, default 600
        The number of documents of a topic that systems rank.
    families : sequence of FamilyModel, default FAMILIES
        The families of systems; by default "baseline", "lexical", "dense", "hybrid" and "reranker".
    human : JudgeModel, default JudgeModel(noise=0.4)
        The human judge, who errs too.
    judges : mapping of str to JudgeModel or None, default None
        Other judges by name; None is "careful", "lenient" and "partial", which favours the family "dense".
    rng : int or numpy.random.Generator, default 0
        A seed or a generator.

    Returns
    -------
    Track
        Runs, judgments and families.

    Raises
    ------
    BadParameter
        If an option is out of its range, or a judge or family names one that does not exist.

    Examples
    --------
    >>> track = simulate_track(10, 5, depth=50)
    >>> track.runs, list(track.judges)
    (<RunSet: 10 systems × 5 topics, 2500 documents>, ['careful', 'lenient', 'partial'])
    >>> track.runs.systems[2], track.groups[track.runs.systems[2]]
    ('lexical-01', 'lexical')
    >>> strict = simulate_track(10, 5, judges={"strict": JudgeModel(noise=0.5, leniency=-1)})
    >>> bool(strict.judges["strict"].grades.mean() < strict.truth.grades.mean())
    True
    """
    judges = JUDGES if judges is None else judges
    if "human" in judges:
        raise BadParameter("judges: 'human' is the truth's name; give the judge another, or set human")
    counts = {"systems": systems, "topics": topics, "depth": depth, "pool_depth": pool_depth}
    for name, count in {**counts, "highest_grade": highest_grade}.items():
        check_count(name, count)
    if candidates < depth:
        raise BadParameter(f"candidates={candidates}: a run of {depth} documents needs at least as many candidates")
    _check_families(families, {"human": human, **judges}, highest_grade)
    corpus = max(CORPUS, 10 * candidates)
    for_systems, for_topics, for_human, *for_judges = _generators(rng, 3 + len(judges))
    participants = Systems.draw(for_systems, families, systems)
    drawn = [
        draw_topic(g, participants, corpus=corpus, candidates=candidates, depth=depth, highest=highest_grade)
        for g in _generators(for_topics, topics)
    ]
    names = tuple(str(_FIRST_TOPIC + t) for t in range(topics))
    runs = _runs(drawn, tuple(participants.names), names, corpus)
    pool = _Pool.of(drawn, runs.topics, pool_depth, corpus)
    labels = {
        name: pool.judged(model, name, generator, participants, highest_grade)
        for (name, model), generator in zip([("human", human), *judges.items()], [for_human, *for_judges], strict=True)
    }
    return Track(
        runs=runs,
        truth=labels.pop("human"),
        judges=labels,
        perfect=_perfect(drawn, runs.topics, corpus),
        groups={name: families[f].name for name, f in zip(participants.names, participants.family, strict=True)},
        settings={
            **counts,
            "highest_grade": highest_grade,
            "candidates": candidates,
            "families": [asdict(family) for family in families],
            "human": asdict(human),
            "judges": {name: asdict(model) for name, model in judges.items()},
            "seed": recorded_seed(rng),
        },
    )


def _generators(rng: Seed, count: int) -> list[np.random.Generator]:
    return [np.random.default_rng(seed) for seed in seeds_of(rng, count)]


@dataclass(frozen=True, eq=False)
class _Pool:
    """The documents to judge, in the order of topics: their topic, true grade, name, and what families see in them."""

    topics: tuple[str, ...]
    topic: Indices
    grades: Indices
    ids: Ids
    seen: Floats

    @classmethod
    def of(cls, drawn: Sequence[Topic], topics: tuple[str, ...], depth: int, corpus: int) -> _Pool:
        pooled = [_occurring(topic, topic.ranked[:, :depth]) for topic in drawn]
        return cls(
            topics,
            np.repeat(np.arange(len(topics)), [len(places) for places in pooled]),
            np.concatenate([topic.grades[places] for topic, places in zip(drawn, pooled, strict=True)]),
            _ids(np.concatenate([topic.numbers[places] for topic, places in zip(drawn, pooled, strict=True)]), corpus),
            np.hstack([topic.seen[:, places] for topic, places in zip(drawn, pooled, strict=True)]),
        )

    def judged(
        self, model: JudgeModel, name: str, generator: np.random.Generator, systems: Systems, highest: int
    ) -> Judgments:
        at = [family.name for family in systems.families]
        seen = None if model.favours is None else self.seen[at.index(model.favours)]
        labels = model.draw(generator, grades=self.grades, topic=self.topic, highest=highest, seen=seen)
        return Judgments(
            topics=self.topics, starts=_starts(self.topic, self.topics), ids=self.ids, grades=labels, name=name
        )


def _runs(drawn: Sequence[Topic], systems: tuple[str, ...], topics: tuple[str, ...], corpus: int) -> RunSet:
    documents, numbers, pool_starts = [], [], [0]
    for topic in drawn:
        places = _occurring(topic, topic.ranked)
        codes = np.empty(len(topic.grades), dtype=np.int32)
        codes[places] = np.arange(pool_starts[-1], pool_starts[-1] + len(places))
        documents.append(codes[topic.ranked].reshape(-1))
        numbers.append(topic.numbers[places])
        pool_starts.append(pool_starts[-1] + len(places))
    depth = drawn[0].ranked.shape[1]
    return RunSet(
        systems=systems,
        topics=topics,
        documents=np.concatenate(documents),
        starts=depth * np.arange(len(systems) * len(topics) + 1, dtype=np.int64),
        pool_starts=np.array(pool_starts, dtype=np.int64),
        ids=_ids(np.concatenate(numbers), corpus),
        name="simulated",
    )


def _occurring(topic: Topic, ranked: npt.NDArray[np.int32]) -> Indices:
    """The candidates that are in any of the rankings."""
    there = np.zeros(len(topic.grades), dtype=np.bool_)
    there[ranked] = True
    return np.flatnonzero(there)


def _perfect(drawn: Sequence[Topic], topics: tuple[str, ...], corpus: int) -> Judgments:
    number = np.repeat(np.arange(len(topics)), [len(topic.grades) for topic in drawn])
    return Judgments(
        topics=topics,
        starts=_starts(number, topics),
        ids=_ids(np.concatenate([topic.numbers for topic in drawn]), corpus),
        grades=np.concatenate([topic.grades for topic in drawn]).astype(np.float64),
        name="perfect",
    )


def _starts(topic: Indices, topics: tuple[str, ...]) -> Indices:
    return np.concatenate([[0], np.cumsum(np.bincount(topic, minlength=len(topics)))])


def _ids(numbers: Indices, corpus: int) -> Ids:
    """Document names of equal length, such as doc-00123."""
    digits = len(str(corpus - 1))
    prefix = np.frombuffer(b"doc-", dtype=np.uint8)
    text = np.empty((len(numbers), len(prefix) + digits), dtype=np.uint8)
    text[:, : len(prefix)] = prefix
    text[:, len(prefix) :] = ord("0") + numbers[:, None] // 10 ** np.arange(digits - 1, -1, -1) % 10
    return Ids(text.reshape(-1), text.shape[1] * np.arange(len(numbers) + 1, dtype=np.int64))


def _check_families(families: Sequence[FamilyModel], judges: Mapping[str, JudgeModel], highest_grade: int) -> None:
    names = [family.name for family in families]
    if not names or len(set(names)) < len(names):
        raise BadParameter(f"families: at least one, with different names; these are {some(names) or 'none'}")
    unknown = [kin for family in families for kin in family.kin if kin not in names]
    unknown += [model.favours for model in judges.values() if model.favours is not None and model.favours not in names]
    if unknown:
        raise BadParameter(f"no family {some(unknown)}: the families are {', '.join(names)}")
    for model in judges.values():
        model.probabilities(highest_grade)  # raises if its confusion has too many or too few rows
