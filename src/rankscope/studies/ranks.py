"""`rank`: which ranks are certain? Rank sets, groups that cannot be separated, and the systems that may be best."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from rankscope.aggregates import AGGREGATES, AggregateName
from rankscope.battles import BattleScores
from rankscope.checks import check_choice, check_count, check_jobs, check_level
from rankscope.defaults import LEVEL, RESAMPLES
from rankscope.errors import BadParameter, MissingScores, TooFewSystems
from rankscope.inference import rank_sets
from rankscope.inference.rank_sets import Flags, Ranks, Separations, UncertainMeans
from rankscope.inference.resampling import Seed, check_topics, recorded_seed
from rankscope.inputs import ScoresLike, to_named_scores
from rankscope.missing import Fit
from rankscope.results import Interval, Remark, Result, Table
from rankscope.scores import Floats, OnMissing, ScoreMatrix, Scores, SystemScores

# The kinds of rank sets.
SetKind = Literal["typical", "marginal", "simultaneous"]
SET_KINDS: tuple[SetKind, ...] = get_args(SetKind)
# How many of the best systems the set of possible members is given for, beside the best one.
TOP = 10
# Multiples of the topics for which rank sets are foretold. Widths are averaged over samples of topics and over systems,
# so that fewer samples are enough where there are many systems.
TIMES = (2, 4)
_FEWEST_SAMPLES, _MOST_SAMPLES, _SYSTEM_SAMPLES = 5, 40, 2_000
# Draws behind each of those samples; their mean is all that is wanted.
_FEWER = 400


@dataclass(frozen=True, kw_only=True)
class RankSet:
    """The ranks that a system may have, from the best to the worst; 1 is the best rank."""

    low: int
    high: int


@dataclass(frozen=True, kw_only=True)
class RankedSystem:
    """A system of a leaderboard.

    Attributes
    ----------
    system : str
        Its name.
    score : float
        Its mean score, or the score given.
    interval : Interval or None
        The interval of that score alone.
    rank : float
        Its rank by score; systems that tie share the mean of their ranks.
    typical : RankSet
        Right for the level's share of the systems on average.
    marginal : RankSet
        Made to contain the true rank of this system with the level's probability.
    simultaneous : RankSet
        All sets together contain all true ranks with the level's probability.
    expected_rank : float
        The mean of its rank over typical draws.
    best_probability : float
        The share of typical draws in which it is the best; systems that tie share a draw.
    may_be_best, may_be_in_top : bool
        Whether it belongs to the set that contains the best system, or a system of the true top, with the level's
        probability.
    groups : str
        The letters of the groups it belongs to: two systems share a letter exactly if they are not significantly
        different.
    """

    system: str
    score: float
    interval: Interval | None
    rank: float
    typical: RankSet
    marginal: RankSet
    simultaneous: RankSet
    expected_rank: float
    best_probability: float
    may_be_best: bool
    may_be_in_top: bool
    groups: str

    def ranks(self, kind: SetKind) -> RankSet:
        """The rank set of this kind."""
        return {"typical": self.typical, "marginal": self.marginal, "simultaneous": self.simultaneous}[kind]


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """What more topics would do, on average over samples of them: typical sets, and how many of them contain rank 1."""

    times: int
    topics: int
    width: float
    may_be_best: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Leaderboard:
    """Systems with their rank sets, best first.

    Attributes
    ----------
    label : str
        What tells this leaderboard from the others: its measure, or its name.
    name, measure : str or None
        What was ranked.
    topics : int or None
        The number of topics; None for scores with standard errors.
    aggregate : str
        How the scores of a system on topics became one.
    fit : {"additive", "pairwise"} or None
        How systems were scored where scores are missing.
    lower_is_better : bool
        Whether lower scores are better.
    systems : tuple of RankedSystem
        The systems, best first.
    groups : tuple of tuple of str
        Systems of which no two are significantly different; every two that are not share a group.
    levels : int
        How many systems can be chosen of which every two are significantly different, from the best down.
    distribution : ndarray of shape (systems, systems)
        The probability that a system (row) has a rank (column), over typical draws.
    outlook : tuple of Outlook
        What more topics would do; empty where there are no topics.
    unit : str
        What a topic is: "topic", or for battles "battle" (or "question", where several battles share an id).
    winner_topics : int or None
        About how many topics would leave the winner as the only system that may be best; None where no number would,
        or where there are no topics, or systems have different ones.
    """

    label: str
    name: str | None
    measure: str | None
    topics: int | None
    aggregate: AggregateName
    fit: Fit | None
    lower_is_better: bool
    systems: tuple[RankedSystem, ...]
    groups: tuple[tuple[str, ...], ...]
    levels: int
    distribution: Floats
    outlook: tuple[Outlook, ...]
    winner_topics: int | None
    unit: str = "topic"

    @property
    def best(self) -> tuple[str, ...]:
        """The systems that may be best."""
        return tuple(system.system for system in self.systems if system.may_be_best)

    def mean_width(self, kind: SetKind = "typical") -> float:
        """The number of ranks in a set of this kind, on average over systems."""
        return float(np.mean([entry.ranks(kind).high - entry.ranks(kind).low + 1 for entry in self.systems]))


@dataclass(frozen=True, kw_only=True, eq=False)
class Ranking(Result):
    """Leaderboards with rank sets, one for each table of scores that was given.

    `kind` is the kind of rank sets that text and charts show; the other kinds are there, too. `remarks` tell what was
    left out.
    """

    leaderboards: tuple[Leaderboard, ...]
    kind: SetKind
    remarks: tuple[Remark, ...] = ()
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row per leaderboard and system, best first."""
        columns = (
            *("scores", "system", "score", "low", "high", "rank"),
            *(f"{kind}_{end}" for kind in SET_KINDS for end in ("low", "high")),
            *("expected_rank", "best_probability", "may_be_best", "may_be_in_top", "groups"),
        )
        rows = (
            (
                *(board.label, entry.system, entry.score, *_ends(entry.interval), entry.rank),
                *(end for kind in SET_KINDS for end in (entry.ranks(kind).low, entry.ranks(kind).high)),
                *(entry.expected_rank, entry.best_probability, entry.may_be_best, entry.may_be_in_top, entry.groups),
            )
            for board in self.leaderboards
            for entry in board.systems
        )
        ends = (f"{self.kind}_low", f"{self.kind}_high")
        brief = ("scores", "rank", "system", "score", "low", "high", *ends, "best_probability", "groups")
        return Table(columns, tuple(rows), brief=brief)

    def tables(self) -> dict[str, Table]:
        """Systems, groups that cannot be separated, what more topics would do, and the probability of each rank."""
        groups = (
            (board.label, _letter(number), len(group), " ".join(group))
            for board in self.leaderboards
            for number, group in enumerate(board.groups)
        )
        outlook = (
            (board.label, ahead.times, ahead.topics, ahead.width, ahead.may_be_best)
            for board in self.leaderboards
            for ahead in board.outlook
        )
        distribution = (
            (board.label, board.systems[place].system, rank + 1, float(board.distribution[place, rank]))
            for board in self.leaderboards
            for place, rank in np.argwhere(board.distribution > 0.0).tolist()
        )
        return {
            "systems": self.table(),
            "groups": Table(("scores", "group", "size", "systems"), tuple(groups)),
            "outlook": Table(("scores", "times", "topics", "width", "may_be_best"), tuple(outlook)),
            "distribution": Table(("scores", "system", "rank", "probability"), tuple(distribution)),
        }


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)


def rank(
    scores: ScoresLike,
    *others: ScoresLike,
    standard_errors: Mapping[str, float] | npt.ArrayLike | None = None,
    covariance: npt.ArrayLike | None = None,
    kind: SetKind = "typical",
    top: int = TOP,
    on_missing: OnMissing = "error",
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    rng: Seed = 0,
    jobs: int | None = None,
) -> Ranking:
    """Rank systems, with the ranks that each of them may have.

    Two kinds of rank sets are given. *Typical* sets are right for the level's share of the systems on average: choose
    them to show a leaderboard. *Guaranteed* sets are made to contain a system's true rank (marginal), or all true ranks
    at once (simultaneous), with the level's probability: choose them to make a claim. They are resampled from 50 topics
    on, and by paired t-tests with Holm's correction below; where many systems have exactly the same true score and
    topics are few, they hold less often than that (docs/coverage.md). True ranks are those over the population of
    topics.

    Parameters
    ----------
    scores, *others : ScoresLike
        Scores by topic, or battles; each table is ranked on its own, so that measures or judges stand side by side. A
        leaderboard without topics needs standard errors, its own or those given, or a `covariance`. A mapping from
        names to scores names them.
    standard_errors : mapping or array_like, optional
        The standard error of each score of a leaderboard without topics, by system or in its order, instead of its own;
        errors of different systems are taken to be independent.
    covariance : array_like, optional
        The covariance of the scores of a leaderboard without topics, systems in its order.
    kind : {"typical", "marginal", "simultaneous"}, default "typical"
        The rank sets that text and charts show; the result has all.
    top : int, default 10
        The size of the top whose possible members are marked.
    on_missing : str, default "error"
        What becomes of missing scores: "error", "intersect", "zero", "additive", "pairwise", "drop-systems=SHARE",
        "drop-topics=SHARE" or "connected", as in `read_scores`.
    resamples : int, default 2000
        Draws of topics, or of normal errors.
    level : float, default 0.95
        What sets and intervals are meant to cover.
    rng : int or Generator, default 0
        The seed of the draws.
    jobs : int, optional
        Threads; None is one per core. The numbers stay the same.

    Returns
    -------
    Ranking
        One leaderboard for each table.

    Raises
    ------
    MissingScores
        A leaderboard without topics has neither standard errors nor a covariance, or scores are missing.
    TooFewSystems
        There are fewer than two systems.
    TooLarge
        All pairs of systems do not fit in memory.

    References
    ----------
    M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm: Inference for ranks with applications to mobility across
    neighbourhoods and academic achievement across countries. Review of Economic Studies 91(1), 2024.
    M. Klein, T. Wright and J. Wieczorek: A joint confidence region for an overall ranking of populations. Journal of
    the Royal Statistical Society C 69(3), 2020.

    Examples
    --------
    >>> from rankscope.demo import demo_scores
    >>> board = rank(demo_scores()["human"], resamples=500).leaderboards[0]
    >>> board.systems[0].rank, board.systems[0].typical.low
    (1.0, 1)
    """
    check_level(level)
    check_count("resamples", resamples)
    check_count("top", top)
    check_jobs(jobs)
    check_choice("kind", kind, SET_KINDS)
    tables = to_named_scores([scores, *others])
    if (standard_errors is not None or covariance is not None) and others:
        raise BadParameter("standard_errors and covariance belong to one leaderboard; rank the others on their own")
    if standard_errors is None and covariance is None:  # which are in the order of all systems
        tables = [table.fill(on_missing) for table in tables]
    boards: list[Leaderboard] = []
    remarks: list[Remark] = []
    for label, table in zip(_labels(tables), tables, strict=True):
        remarks += table.left_out
        data, intervals = _uncertain(table, standard_errors, covariance, resamples, level, rng, jobs)
        boards.append(_leaderboard(label, table, data, intervals, top=top, level=level, jobs=jobs))
    settings = {
        "level": level,
        "resamples": resamples,
        "top": top,
        "on_missing": on_missing,
        "seed": recorded_seed(rng),
    }
    return Ranking(leaderboards=tuple(boards), kind=kind, remarks=tuple(dict.fromkeys(remarks)), settings=settings)


def _labels(tables: Sequence[Scores]) -> list[str]:
    """What distinguishes the tables: their measures, names or aggregates, or some of these together.

    >>> _labels([ScoreMatrix([[1.0]], measure="AP", name="a"), ScoreMatrix([[1.0]], measure="AP", name="b")])
    ['a', 'b']
    """
    measures, names = [table.measure for table in tables], [table.name for table in tables]
    aggregates = [AGGREGATES[table.aggregate].label for table in tables]
    both = [f"{name} {measure}" for name, measure in zip(names, measures, strict=True)]
    scored = zip(names, measures, aggregates, strict=True)
    other = [f"{measure or name or 'scores'}, {how}" for name, measure, how in scored]
    for labels in (measures, names, both, other):
        if None not in labels and len(set(labels)) == len(labels):
            return [str(label) for label in labels]
    return [f"scores {number}" for number in range(1, len(tables) + 1)] if len(tables) > 1 else ["scores"]


def _uncertain(
    table: Scores,
    standard_errors: Mapping[str, float] | npt.ArrayLike | None,
    covariance: npt.ArrayLike | None,
    resamples: int,
    level: float,
    rng: Seed,
    jobs: int | None,
) -> tuple[UncertainMeans, list[Interval]]:
    """The means with draws of their error, and the interval of each."""
    if len(table.systems) < 2:
        raise TooFewSystems(f"a ranking needs at least two systems, there is {len(table.systems)}")
    if isinstance(table, ScoreMatrix):
        if standard_errors is not None or covariance is not None:
            raise BadParameter("these are scores by topic, which have their own errors; leave standard_errors out")
        if isinstance(table, BattleScores):
            # Means of resampled battles are as good as normal, and there may be millions of battles.
            battles, covariance = len(table.topics), table.covariance
            data = UncertainMeans.of_covariance(table.means, covariance, resamples=resamples, rng=rng, topics=battles)
            errors = np.sqrt(np.diag(covariance))
            return data, _intervals(table, errors, level, battles - 1, f"t over {table.unit}s")
        check_topics(table, table.name or "the score matrix")
        data = UncertainMeans.of_topics(table, resamples=resamples, rng=rng, jobs=jobs)
        topics = len(table.topics)
        if table.averaged:
            errors = table.values.std(axis=0, ddof=1) / math.sqrt(topics)
            return data, _intervals(table, errors, level, topics - 1, "t over topics")
        errors = data.deviations.std(axis=0) * math.sqrt(topics / (topics - 1.0))
        freedom = topics - 1 if data.freedom is None else data.freedom
        return data, _intervals(table, errors, level, freedom, "t with the error of resampled topics")
    errors = _matrix(table, standard_errors, covariance)
    data = UncertainMeans.of_covariance(table.means, errors, resamples=resamples, rng=rng)
    return data, _intervals(table, np.sqrt(np.diag(errors)), level, math.inf, "normal, from standard errors")


def _matrix(
    table: Scores, standard_errors: Mapping[str, float] | npt.ArrayLike | None, covariance: npt.ArrayLike | None
) -> Floats:
    systems = len(table.systems)
    if covariance is not None and standard_errors is None:
        matrix = np.asarray(covariance, dtype=np.float64)
        if matrix.shape != (systems, systems) or not np.isfinite(matrix).all() or not np.allclose(matrix, matrix.T):
            raise BadParameter(
                f"covariance: a symmetric table of {systems} × {systems} finite numbers, systems in order"
            )
        return matrix
    if standard_errors is not None and covariance is not None:
        raise BadParameter("standard_errors and covariance say the same twice; give one of them")
    if standard_errors is None and isinstance(table, SystemScores) and table.standard_errors is not None:
        own = zip(table.systems, table.standard_errors.tolist(), strict=True)
        standard_errors = {system: error for system, error in own if not math.isnan(error)}
    if standard_errors is None:
        raise MissingScores(
            "a leaderboard without topics does not tell how certain its scores are; give scores by topic, standard "
            "errors (standard_errors=, --error-column NAME), or a covariance"
        )
    if isinstance(standard_errors, Mapping):
        lacking = [system for system in table.systems if system not in standard_errors]
        if lacking:
            raise MissingScores(f"{len(lacking)} systems have no standard error: {', '.join(lacking[:3])}")
        standard_errors = [standard_errors[system] for system in table.systems]
    errors = np.asarray(standard_errors, dtype=np.float64)
    if errors.shape != (systems,) or not np.isfinite(errors).all() or (errors < 0.0).any():
        raise BadParameter(f"standard_errors: {systems} numbers of at least 0, systems in order, or a mapping")
    return np.diag(errors**2)


def _intervals(table: Scores, errors: Floats, level: float, freedom: Floats | float, method: str) -> list[Interval]:
    """The interval of each score as it is shown."""
    from scipy.special import ndtri, stdtrit

    tail = (1.0 + level) / 2.0
    half = (stdtrit(freedom, tail) if np.isfinite(freedom).all() else ndtri(tail)) * errors
    ends = np.sort([table.shown(table.means - half), table.shown(table.means + half)], axis=0)
    return [Interval(low=float(low), high=float(high), level=level, method=method) for low, high in ends.T]


def _leaderboard(
    label: str,
    table: Scores,
    data: UncertainMeans,
    intervals: Sequence[Interval],
    *,
    top: int,
    level: float,
    jobs: int | None,
) -> Leaderboard:
    every, each = rank_sets.simultaneous(data, level, jobs), rank_sets.marginal(data, level, jobs)
    best = rank_sets.best_rank(data, level, jobs)
    low, high = rank_sets.rank_bounds(data.typical_draws(level))
    typical = rank_sets.typical(low, high, level)
    by_score_low, by_score_high = rank_sets.rank_bounds(data.means[None])
    ranks = (by_score_low[0] + by_score_high[0]) / 2.0
    order = np.lexsort((np.arange(len(ranks)), ranks))
    groups = _groups(every.better[np.ix_(order, order)])
    shown = table.shown(data.means)
    letters = _letters(groups, len(order))
    systems = [
        RankedSystem(
            system=table.systems[j],
            score=float(shown[j]),
            interval=intervals[j],
            rank=float(ranks[j]),
            typical=RankSet(low=int(typical[0][j]), high=int(typical[1][j])),
            marginal=_set(each, j),
            simultaneous=_set(every, j),
            expected_rank=float((low[:, j] + high[:, j]).mean() / 2.0),
            best_probability=float(np.mean((low[:, j] == 1) / high[:, j])),
            may_be_best=bool(best.low[j] == 1),
            may_be_in_top=bool(best.low[j] <= top),
            groups=letters[place],
        )
        for place, j in enumerate(order)
    ]
    return Leaderboard(
        label=label,
        name=table.name,
        measure=table.measure,
        topics=len(table.topics) if isinstance(table, ScoreMatrix) else None,
        aggregate=table.aggregate,
        fit=table.fit,
        lower_is_better=table.shown_lower,
        systems=tuple(systems),
        groups=tuple(tuple(systems[place].system for place in group) for group in groups),
        levels=_levels(every.better[np.ix_(order, order)]),
        distribution=rank_distribution(low, high)[order],
        outlook=_outlook(data, level),
        winner_topics=_winner_topics(data, best, int(order[0])),
        unit=table.unit if isinstance(table, BattleScores) else "topic",
    )


def _set(separations: Separations, j: int) -> RankSet:
    return RankSet(low=int(separations.low[j]), high=int(separations.high[j]))


def rank_distribution(low: Ranks, high: Ranks) -> Floats:
    """The probability of each rank for each system, from its ranks in every draw; systems that tie share theirs evenly.

    >>> rank_distribution(np.array([[1, 1, 3]]), np.array([[2, 2, 3]])).tolist()
    [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]
    """
    draws, systems = low.shape
    # A draw adds 1/(number of tied ranks) from its first rank on, and takes it off again after its last one.
    steps = np.zeros((systems, systems + 1))
    share = 1.0 / (high - low + 1.0) / draws
    rows = np.broadcast_to(np.arange(systems), low.shape)
    np.add.at(steps, (rows, low - 1), share)
    np.add.at(steps, (rows, high), -share)
    return np.asarray(np.maximum(np.cumsum(steps, axis=1)[:, :-1], 0.0))


def _groups(better: Flags) -> list[list[int]]:
    """Groups without a separated pair, such that every two systems that are not separated share one (Piepho 2004).

    >>> better = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    >>> _groups(better)
    [[0, 1], [1, 2]]
    """
    alike = ~(better | better.T)
    to_share = np.triu(alike)  # the diagonal too: a system that is separated from all others is a group of its own
    groups = []
    for first in range(len(alike)):
        while to_share[first].any():
            second = int(np.argmax(to_share[first]))
            candidates = alike[first] & alike[second]
            group = sorted({first, second})
            for place in np.flatnonzero(candidates):
                if candidates[place] and place not in (first, second):
                    group.append(int(place))
                    candidates &= alike[place]
            to_share[np.ix_(group, group)] = False
            groups.append(sorted(group))
    return groups


def _letters(groups: Sequence[Sequence[int]], systems: int) -> list[str]:
    """The letters of the groups of each system: a, b, …, z, aa, ab, … with commas where there are more than 26."""
    comma = "" if len(groups) <= len(_ALPHABET) else ","
    letters: list[list[str]] = [[] for _ in range(systems)]
    for number, group in enumerate(groups):
        for place in group:
            letters[place].append(_letter(number))
    return [comma.join(own) for own in letters]


_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def _letter(number: int) -> str:
    """The name of a group.

    >>> _letter(0), _letter(25), _letter(26), _letter(53)
    ('a', 'z', 'aa', 'bb')
    """
    high, low = divmod(number, len(_ALPHABET))
    return _ALPHABET[low] if high == 0 else _letter(high - 1) + _ALPHABET[low]


def _levels(better: Flags) -> int:
    """How many systems can be chosen from the best down, each significantly worse than all chosen before it."""
    chosen: list[int] = []
    for place in range(len(better)):
        if better[chosen, place].all():
            chosen.append(place)
    return len(chosen)


def _outlook(data: UncertainMeans, level: float) -> tuple[Outlook, ...]:
    """Typical sets expected with more topics, over samples drawn around the shrunk means."""
    if data.topics is None:
        return ()
    true, errors = data.typical_draws(level), data.deviations
    samples = min(max(_FEWEST_SAMPLES, _SYSTEM_SAMPLES // len(data.means)), _MOST_SAMPLES, len(errors) // 2)
    outlooks = []
    for times in TIMES if samples else ():
        widths, contenders = [], []
        for sample in range(samples):
            # One draw is the truth, another the error of a new sample that is `times` as large.
            seen = UncertainMeans(
                means=true[sample] + errors[len(errors) // 2 + sample] / math.sqrt(times),
                deviations=errors[:_FEWER] / math.sqrt(times),
                variances=data.variances / times,
                topics=data.topics * times,
            )
            low, high = rank_sets.typical(*rank_sets.rank_bounds(seen.typical_draws(level)), level)
            widths.append((high - low + 1).mean())
            contenders.append((low == 1).sum())
        width, may_be_best = float(np.mean(widths)), float(np.mean(contenders))
        outlooks.append(Outlook(times=times, topics=times * data.topics, width=width, may_be_best=may_be_best))
    return tuple(outlooks)


def _winner_topics(data: UncertainMeans, best: Separations, winner: int) -> int | None:
    """Topics after which every other system is significantly worse than the winner, if the shrunk gaps are true."""
    if data.topics is None:
        return None
    gaps = data.true_share * (data.means[winner] - np.delete(data.means, winner))
    errors = np.sqrt(np.delete(data.variances[winner], winner))
    limits = np.delete(best.critical, winner)
    if (gaps <= 0.0).any() or not np.isfinite(limits).all():
        return None
    return math.ceil(data.topics * max(1.0, float(np.max((limits * errors / gaps) ** 2))))
