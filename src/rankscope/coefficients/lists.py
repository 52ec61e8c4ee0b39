"""Rank-biased overlap of lists and runs that need not rank the same items."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, get_args

import numpy as np

from rankscope.checks import check_choice, check_count, check_share
from rankscope.coefficients.overlap import TieTreatment, treatment
from rankscope.errors import BadParameter, MismatchedNames, NotFinite, TooFewSystems
from rankscope.files.frames import is_frame
from rankscope.inputs import RunsLike, ScoresLike, to_runs, to_scores
from rankscope.results import Result, Table, rows_table
from rankscope.scores import Floats, ScoreMatrix, SystemScores

# A list of items, of which any may be a group of tied items; or scores by item.
ListLike: TypeAlias = "Iterable[Hashable | Collection[Hashable]] | ScoresLike"


@dataclass(frozen=True, kw_only=True)
class ListOverlap:
    """The rank-biased overlap of two lists: extrapolated, and the bounds that hold whatever follows the lists."""

    ext: float
    min: float
    max: float
    p: float
    ties: TieTreatment

    @property
    def residual(self) -> float:
        """The greatest minus the least value: what the lists leave open."""
        return self.max - self.min


def rbo_lists(first: ListLike, second: ListLike, *, p: float = 0.9, ties: TieTreatment = "a") -> ListOverlap:
    """Rank-biased overlap of two lists, whose items and lengths may differ: extrapolated, least and greatest.

    The range is [0, 1]; it is symmetric. Lists are seen as the tops of longer rankings. `min` and `max` are the least
    and the greatest value over all ways to continue them without ties, and `ext` assumes that what follows agrees as
    what was seen. For scores of the same systems `ext` is `rbo`.

    Parameters
    ----------
    first, second : ListLike
        Items, best first; a list, tuple or set among them is a group of tied items. Or scores of items, such as
        {item: score} or a path to a leaderboard; higher is better, and equal scores are ties.
    p : float, default 0.9
        The probability, strictly between 0 and 1, that the reader continues to the next rank.
    ties : {"a", "b", "w"}, default "a"
        `a` is the mean over all ways to break ties; `b` corrects for the information that ties take away, as τ_b does;
        `w` lets tied items occur at the same rank.

    Returns
    -------
    ListOverlap
        The values `ext`, `min`, `max`, and `residual`, the difference of the last two.

    Raises
    ------
    BadParameter
        If a list is empty, has an item twice, or is none; or if `p` or `ties` is not allowed.
    NotFinite
        If a score is not a finite number.

    References
    ----------
    Webber, W., Moffat, A. and Zobel, J. (2010). A similarity measure for indefinite rankings. ACM Transactions on
    Information Systems 28(4), 20:1–20:38.
    Corsi, M. and Urbano, J. (2024). The treatment of ties in rank-biased overlap. Proc. SIGIR 2024, 251–260.

    Examples
    --------
    >>> overlap = rbo_lists(["red", {"blue", "green"}, "yellow"], ["blue", "red", "white"], p=0.9)
    >>> round(overlap.ext, 3), round(overlap.min, 3), round(overlap.max, 3), round(overlap.residual, 3)
    (0.608, 0.289, 0.832, 0.543)
    >>> rbo_lists({"x": 0.9, "y": 0.5}, {"y": 3, "x": 2, "z": 1}).ext
    0.9
    """
    check_share("p", p, 0.9)
    check_choice("ties", ties, get_args(TieTreatment))
    x, y = sorted((_groups("first", first), _groups("second", second)), key=lambda groups: sum(map(len, groups)))
    from rankscope.kernels.overlap import list_rbo

    codes = {item: code for code, item in enumerate(dict.fromkeys(itertools.chain(*x, *y)))}
    ext, least, greatest = list_rbo(*_coded(x, codes), *_coded(y, codes), float(p), treatment(ties))
    return ListOverlap(ext=ext, min=least, max=greatest, p=float(p), ties=ties)


Groups: TypeAlias = list[list[Hashable]]


def _groups(which: str, ranking: Any) -> Groups:
    """The tie groups of a list, best first."""
    if isinstance(ranking, ScoreMatrix | SystemScores | str | os.PathLike) or is_frame(ranking):
        scores = to_scores(ranking)
        groups = _by_score(which, dict(zip(scores.systems, scores.means.tolist(), strict=True)))
    elif isinstance(ranking, Mapping):
        groups = _by_score(which, ranking)
    elif isinstance(ranking, set | frozenset) or not isinstance(ranking, Iterable):
        raise BadParameter(
            f"{which} is of type {type(ranking).__name__}, which has no order; give a list of items, best first, in "
            "which a set is a group of tied items, or scores {item: score}"
        )
    else:
        groups = [_group(which, place, member) for place, member in enumerate(_plain(ranking), 1)]
    seen: set[Hashable] = set()
    for item in itertools.chain(*groups):
        if not isinstance(item, Hashable) or isinstance(item, tuple):
            raise BadParameter(f"{which} has the item {item!r}, of type {type(item).__name__}; give names or numbers")
        if item in seen:
            raise BadParameter(f"{which} has {item!r} twice; keep one")
        seen.add(item)
    if not seen:
        raise BadParameter(f"{which} is empty; a list needs at least one item")
    return groups


def _plain(values: Any) -> Any:
    return values.tolist() if isinstance(values, np.ndarray) else values


def _group(which: str, place: int, member: Any) -> list[Hashable]:
    member = _plain(member)
    if not isinstance(member, list | tuple | set | frozenset):
        return [member]
    if not member:
        raise BadParameter(f"{which} has an empty group of tied items (member {place}); leave it out")
    return list(member)


def _by_score(which: str, scores: Mapping[Any, Any]) -> Groups:
    for item, score in scores.items():
        try:
            finite = math.isfinite(score)
        except TypeError:
            raise BadParameter(f"{which} gives {item!r} the score {score!r}; scores are numbers") from None
        if not finite:
            raise NotFinite(f"{which} gives {item!r} the score {score}; leave it out, or give it a number")
    best_first = sorted(scores, key=lambda item: -scores[item])
    return [list(items) for _, items in itertools.groupby(best_first, key=lambda item: scores[item])]


def _coded(groups: Groups, codes: Mapping[Hashable, int]) -> tuple[Any, Any, Any]:
    """What the kernel takes for a list: codes by rank, where groups start, and the group of every code."""
    from rankscope.kernels.overlap import ABSENT

    order = np.array([codes[item] for item in itertools.chain(*groups)], dtype=np.int64)
    lengths = np.array([len(group) for group in groups], dtype=np.int64)
    group = np.full(len(codes), ABSENT, dtype=np.int64)
    group[order] = np.repeat(np.arange(len(groups)), lengths)
    return order, np.concatenate([[0], np.cumsum(lengths)]), group


@dataclass(frozen=True, kw_only=True)
class PairOverlap:
    """The overlap of two runs: means over the `topics` for which both retrieved something, None without any."""

    first: str
    second: str
    ext: float | None
    min: float | None
    max: float | None
    residual: float | None
    topics: int


@dataclass(frozen=True, kw_only=True)
class RunOverlap(Result):
    """The rank-biased overlap of every two runs.

    `by_topic` has `ext`, `min` and `max` of every topic and pair, topics × pairs × 3; they are nan where a run
    retrieved nothing.
    """

    pairs: tuple[PairOverlap, ...]
    systems: tuple[str, ...]
    topics: tuple[str, ...]
    p: float
    depth: int | None
    by_topic: Floats

    def table(self) -> Table:
        """A row per pair of runs."""
        return rows_table(self.pairs, PairOverlap)

    def tables(self) -> dict[str, Table]:
        """`pairs` with means over topics, and `topics` with a row per pair and topic."""
        rows = (
            (pair.first, pair.second, topic, *values, values[2] - values[1])
            for place, pair in enumerate(self.pairs)
            for topic, values in zip(self.topics, self.by_topic[:, place].tolist(), strict=True)
        )
        columns = ("first", "second", "topic", "ext", "min", "max", "residual")
        return {"pairs": self.table(), "topics": Table(columns, tuple(rows))}


def rbo_runs(runs: RunsLike, *, p: float = 0.9, depth: int | None = None) -> RunOverlap:
    """Rank-biased overlap of every two runs, topic by topic, and its mean over topics.

    Each topic's two lists are compared as by `rbo_lists`. A run ranks its documents without ties: those of equal score
    stand in the order in which they are evaluated.

    Parameters
    ----------
    runs : RunsLike
        Two runs or more, such as ["bm25.run", "dense.run"], a folder, or {system: {topic: documents}}.
    p : float, default 0.9
        The probability, strictly between 0 and 1, that the reader continues to the next rank.
    depth : int | None, default None
        Compare only the first `depth` documents of each ranking.

    Returns
    -------
    RunOverlap
        For every pair of runs the means of `ext`, `min`, `max` and `residual` over the topics for which both retrieved
        something, the number of these topics, and the values by topic.

    Raises
    ------
    TooFewSystems
        If there are fewer than two runs.
    MismatchedNames
        If no two runs share a topic.
    BadParameter
        If `p` or `depth` is not allowed.

    References
    ----------
    Webber, W., Moffat, A. and Zobel, J. (2010). A similarity measure for indefinite rankings. ACM Transactions on
    Information Systems 28(4), 20:1–20:38.

    Examples
    --------
    >>> runs = {"bm25": {"1": ["a", "b"], "2": ["c"]}, "dense": {"1": ["b", "a"], "2": ["c", "d"]}}
    >>> (pair,) = rbo_runs(runs).pairs
    >>> round(pair.ext, 3), round(pair.min, 3), round(pair.max, 3), pair.topics
    (0.95, 0.284, 0.95, 2)
    """
    check_share("p", p, 0.9)
    if depth is not None:
        check_count("depth", depth)
    given = to_runs(runs)
    if len(given.systems) < 2:
        raise TooFewSystems(f"{len(given.systems)} run; overlap is of two or more")
    cut = given if depth is None else given.top(depth)
    from rankscope.kernels.overlap import run_rbo

    documents = cut.documents.astype(np.int64)
    by_topic = run_rbo(documents, cut.starts, cut.pool_starts.astype(np.int64), len(cut.systems), float(p))
    by_topic.flags.writeable = False
    known = ~np.isnan(by_topic[:, :, 0])
    if not known.any():
        raise MismatchedNames(
            "no two runs retrieve documents for the same topic; check that their topics are named alike"
        )
    names = itertools.combinations(cut.systems, 2)
    pairs = tuple(_pair(*pair, by_topic[known[:, i], i]) for i, pair in enumerate(names))
    return RunOverlap(pairs=pairs, systems=cut.systems, topics=cut.topics, p=float(p), depth=depth, by_topic=by_topic)


def _pair(first: str, second: str, values: Floats) -> PairOverlap:
    if not len(values):
        return PairOverlap(first=first, second=second, ext=None, min=None, max=None, residual=None, topics=0)
    ext, least, greatest = values.mean(axis=0).tolist()
    return PairOverlap(
        first=first, second=second, ext=ext, min=least, max=greatest, residual=greatest - least, topics=len(values)
    )
