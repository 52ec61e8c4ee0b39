"""How many topics are needed? Subsets against all topics, against as many others, and against another evaluation."""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rankscope.alignment import align
from rankscope.checks import check_count, check_jobs, check_resamples, check_seed, check_share
from rankscope.coefficients import Coefficient
from rankscope.coefficients import coefficient as find
from rankscope.coefficients.rows import quietly
from rankscope.defaults import ALPHA, LEVEL, MEASURES, RESAMPLES, SEED
from rankscope.errors import BadParameter, MissingScores, TooFewSystems
from rankscope.inference.agreement import values_of
from rankscope.inference.expected import checked_sample
from rankscope.inference.resampling import Draws, resampled
from rankscope.inputs import JudgmentsLike, RunsLike, ScoresLike, to_matrix, to_scores
from rankscope.measures.scoring import Measures
from rankscope.results import Remark, Result, Table, rows_table
from rankscope.runs import RunSet
from rankscope.scores import Floats, OnMissing, ScoreMatrix
from rankscope.studies.blocks import Progress
from rankscope.studies.judgment_reference import (
    DISTANCE,
    Rankings,
    ReferenceRanking,
    check_coefficients,
    check_systems,
    make_reference,
)
from rankscope.studies.judgment_variants import (
    JudgmentStudy,
    Setting,
    VariantAgreement,
    Variants,
    agreement_rows,
    repeat_ranges,
    run_variants,
)
from rankscope.studies.reliability import (
    TARGET,
    ExpectedByTopics,
    check_target,
    expected_by_topics,
    sampled_table,
)

Against = Literal["all", "others", "truth"]

REPEATS = 200
_MOST_SIZES = 10
# Subsets in a block.
_BLOCK = 100
# Means are equal if they differ by less than this share of the largest; so are a value and the target.
_SAME = 1e-12


@dataclass(frozen=True, kw_only=True)
class SizeNeeded:
    """The least number of topics studied that reaches the target, as all larger ones do; None if none does.

    `topics` reaches it on average, `most` in 95 % of subsets. Undefined coefficients do not reach it.
    """

    measure: str
    against: Against
    topics: int | None
    most: int | None


@dataclass(frozen=True, kw_only=True, eq=False)
class TopicsStudy(JudgmentStudy, Result):
    """Rankings by subsets of the topics; see `rs.study_topics`.

    The setting of a row of `agreements` is the number of `topics` in a subset, and what it is compared with: `against`
    "all" topics, as many "others", or the "truth", which is another evaluation of the same systems. The rank distance
    is computed against all topics only.

    `expected` has the expected correlation with the true ranking, over all topics such as these, by measure; measures
    whose scores are not means, or the same for all systems, have none. `truth` is the name of the other evaluation, and
    `shared` the number of topics that it shares with this one, None without topics of its own.
    """

    question = "How many topics are needed?"

    sizes: tuple[int, ...]
    coefficient: str
    target: float
    needed: tuple[SizeNeeded, ...]
    expected: dict[str, ExpectedByTopics]
    truth: str | None
    shared: int | None
    remarks: tuple[Remark, ...]

    def needed_table(self) -> Table:
        """One row per measure and ranking to compare with: the numbers of topics that reach the target."""
        return rows_table(self.needed, ("measure", "against", "topics", "most"))

    def expected_table(self) -> Table:
        """One row per measure and number of topics: the expected correlation with the true ranking."""
        columns = ("measure", "topics", "tau", "tau_low", "tau_high", "tau_ap", "tau_ap_low", "tau_ap_high")
        rows = []
        for measure, expected in self.expected.items():
            for count in expected.counts:
                values: list[float | None] = []
                for value, interval in ((count.tau, count.tau_interval), (count.tau_ap, count.tau_ap_interval)):
                    values += (value, None, None) if interval is None else (value, interval.low, interval.high)
                rows.append((measure, count.topics, *values))
        return Table(columns, tuple(rows))

    def tables(self) -> dict[str, Table]:
        """All tables by name, the main table first."""
        return {"agreements": self.table(), "needed": self.needed_table(), "expected": self.expected_table()}


def study_topics(
    scores: ScoresLike | RunsLike,
    judgments: JudgmentsLike | None = None,
    measures: Measures | None = None,
    *,
    against: ScoresLike | None = None,
    on_missing: OnMissing = "error",
    target: float = TARGET,
    coefficient: str | Coefficient = "tau_b",
    sizes: Sequence[int] | None = None,
    repeats: int = REPEATS,
    coefficients: Sequence[str | Coefficient] | None = None,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    rng: int = SEED,
    jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    cluster: Any = None,
    progress: Progress | None = None,
) -> TopicsStudy:
    """Rank the systems by k of the n topics, drawn without replacement, and compare with all n, and with k others.

    With `against`, also compare with the ranking by another, more expensive evaluation of the same systems, such as
    scores by people.

    A subset is part of all topics, so its agreement with all approaches 1 as k approaches n, whatever the topics: it
    overstates agreement with the true ranking, over all topics such as these. The agreement of two disjoint subsets,
    up to k = n/2, does not. The expected correlation with the true ranking (`expected`) is that of `rs.reliability` by
    maximum likelihood, which also holds for items scored 0 or 1.

    Parameters
    ----------
    scores : ScoresLike or RunsLike
        Scores by topic. With `judgments`, the runs to score: a `RunSet`, or where to read it from.
    judgments : JudgmentsLike, optional
        The judgments of runs: a `Judgments`, or where to read it from.
    measures : Measures, optional
        The measures to score runs by; None for nDCG@10 and AP. Scores have theirs.
    against : ScoresLike, optional
        Scores of the same systems by another evaluation, by topic or not; its topics may be others.
    on_missing : str, default "error"
        What becomes of missing scores, and of systems that only one evaluation has: "error", "intersect", "zero", or
        "drop-systems=SHARE" and the like before them (docs/aggregates.md).
    target : float, default 0.9
        The value for which the number of topics is told.
    coefficient : str or Coefficient, default "tau_b"
        The coefficient that must reach it.
    sizes : sequence of int, optional
        The numbers of topics in a subset; None for at most ten multiples of five, or of more. All topics are also
        compared with the other evaluation.
    repeats : int, default 200
        The number of subsets of each size.
    coefficients : sequence of str or Coefficient, optional
        Other coefficients of agreement; None for all. The rank distance is always computed.
    alpha : float, default 0.05
        The level of the rank distance test.
    resamples : int, default 2000
        Draws of topics behind the rank distance test and the intervals of expected correlations; 0 for neither.
    rng : int, default 0
        The seed. It decides every number.
    jobs : int, optional
        The number of threads; None for one per core. Numbers do not depend on it.
    checkpoint : path, optional
        A folder that keeps finished blocks. An interrupted study continues from it, also with more repeats or other
        sizes.
    cluster : str or distributed.Client, optional
        The address of a Dask scheduler, or a client of it.
    progress : callable, optional
        Called with the number of blocks done and the number of all blocks.

    Returns
    -------
    TopicsStudy
        Agreement by number of topics, measure and coefficient; the numbers that reach the target; and the expected
        correlation with the true ranking.

    Raises
    ------
    BadParameter
        If an argument is out of its range, or runs and scores are mixed up.
    MissingScores
        If there are fewer than two topics, a score is missing, or no run retrieved a judged document.
    MismatchedNames
        If the other evaluation has other systems.
    TooFewSystems
        If there are fewer than two systems.
    MismatchedCheckpoint
        If the folder belongs to another study.
    UnreachableCluster
        If the cluster does not answer.

    Examples
    --------
    >>> from rankscope.demo import demo_scores
    >>> by_people, by_judge = demo_scores()["human"], demo_scores()["careful"]
    >>> study = study_topics(by_judge, against=by_people, repeats=20, coefficients=["tau_b"], resamples=0)
    >>> [(row.against, row.topics) for row in study.needed]
    [('all', 30), ('others', None), ('truth', None)]
    """
    repeats, resamples, seed = check_count("repeats", repeats), check_resamples(resamples), check_seed(rng)
    check_share("alpha", alpha)
    check_target(target)
    check_jobs(jobs)
    wanted = find(coefficient)
    every = tuple({str(one): one for one in (wanted, *check_coefficients(coefficients))}.values())
    other = None if against is None else to_scores(against)
    if judgments is None:
        tables = _of_scores(scores, measures)
        judged = None
    else:
        runs: Any = scores
        names = MEASURES if measures is None else measures
        judged = make_reference(runs, judgments, names, every, resamples=0, rng=seed, jobs=jobs)
        tables = {measure: ranking.scores for measure, ranking in judged.rankings.items()}
    tables, truths, remarks = _aligned(tables, other, on_missing)
    reference = Rankings(
        coefficients=every,
        rankings={
            measure: ReferenceRanking.of(table, resamples=resamples, rng=seed, jobs=jobs)
            for measure, table in tables.items()
        },
    )
    first = next(iter(tables.values()))
    n = len(first.topics)
    subset_sizes = default_sizes(n) if sizes is None else _check_sizes(sizes, n)
    settings: list[Setting] = [
        *({"against": "all", "topics": size} for size in subset_sizes),
        *({"against": "others", "topics": size} for size in subset_sizes if 2 * size <= n),
        *({"against": "truth", "topics": size} for size in sorted({*subset_sizes, n}) if truths),
    ]
    blocks = [
        Variants(
            name="{against}-topics-{topics:05d}-repeats-".format(**setting)
            + f"{numbers.start + 1:06d}-{numbers.stop:06d}",
            settings=(setting,) * len(numbers),
            shape=(len(numbers), len(reference.measures), len(reference.statistics)),
            run=functools.partial(_agreements, reference, truths, setting, numbers, seed),
        )
        for setting in settings
        for numbers in repeat_ranges(repeats, _BLOCK)
    ]
    kept = reference.checkpoint(checkpoint, "topics", {"seed": seed, "truth": _digest(truths)})
    compared = run_variants(reference, blocks, jobs=jobs, cluster=cluster, checkpoint=kept, progress=progress)
    agreements = tuple(
        row
        for row in agreement_rows(reference, compared, alpha=alpha)
        if row.coefficient != DISTANCE
        or (row.setting["against"] == "all" and reference.rankings[row.measure].baseline is not None)
    )
    draws = Draws(resamples, seed, jobs)
    description = reference.description()
    return TopicsStudy(
        agreements=agreements,
        sizes=subset_sizes,
        coefficient=str(wanted),
        target=target,
        needed=tuple(_needed(agreements, str(wanted), target)),
        expected=_expected(tables, sorted({*subset_sizes, n}), target, draws),
        truth=None if other is None else other.name or "the truth",
        shared=len(set(first.topics) & set(other.topics)) if isinstance(other, ScoreMatrix) else None,
        remarks=remarks,
        settings={
            "sizes": list(subset_sizes),
            "repeats": repeats,
            "target": target,
            "coefficient": str(wanted),
            "on_missing": on_missing,
            "alpha": alpha,
            "resamples": resamples,
            "seed": seed,
        },
        **(description if judged is None else {**description, "judgments": judged.description()["judgments"]}),
    )


def _of_scores(scores: Any, measures: Measures | None) -> dict[str, ScoreMatrix]:
    """The table of scores by its measure."""
    if isinstance(scores, RunSet):
        raise BadParameter("runs need judgments to be scored; give them as judgments")
    if measures is not None:
        raise BadParameter("measures are for runs with judgments; of scores, read one: read_scores(path, measure=…)")
    table = to_matrix(scores, "subsets are made of topics")
    return {table.measure or table.name or "score": table}


def _aligned(
    tables: Mapping[str, ScoreMatrix], other: Any, on_missing: OnMissing
) -> tuple[dict[str, ScoreMatrix], dict[str, Floats], tuple[Remark, ...]]:
    """Complete tables, what ranks their systems by the other evaluation (empty without one), and what was left out."""
    complete: dict[str, ScoreMatrix] = {}
    truths: dict[str, Floats] = {}
    remarks: dict[Remark, None] = {}
    for measure, given in tables.items():
        table: Any = given
        if other is None:
            table = table.fill(on_missing)
        else:
            truth, table = align(other, given, on_missing=on_missing, topics="independent")
            truths[measure] = truth.means if isinstance(truth, ScoreMatrix) else truth.values
            remarks |= dict.fromkeys(truth.left_out)
        check_systems(len(table.systems))
        if len(table.topics) < 2:
            raise MissingScores(f"there is {len(table.topics)} topic; subsets need two or more")
        if table.fit is not None:
            raise BadParameter(
                f"on_missing={table.fit!r} cannot rank by a few topics, which may lack a system altogether; leave out "
                "incomplete topics (--on-missing intersect), or systems (--on-missing drop-systems=SHARE,intersect)"
            )
        complete[measure] = table
        remarks |= dict.fromkeys(table.left_out)
    return complete, truths, tuple(remarks)


def _digest(truths: Mapping[str, Floats]) -> str:
    digest = hashlib.sha256()
    for means in truths.values():
        digest.update(np.ascontiguousarray(means, dtype="<f8").tobytes())
    return digest.hexdigest()


def _needed(rows: Sequence[VariantAgreement], coefficient: str, target: float) -> Iterator[SizeNeeded]:
    own = [row for row in rows if row.coefficient == coefficient]
    for measure, against in dict.fromkeys((row.measure, row.setting["against"]) for row in own):
        of_it = [row for row in own if (row.measure, row.setting["against"]) == (measure, against)]
        topics, most = (_first_reaching(of_it, name, target) for name in ("mean", "q5"))
        yield SizeNeeded(measure=measure, against=against, topics=topics, most=most)


def _first_reaching(rows: Sequence[VariantAgreement], name: str, target: float) -> int | None:
    """The least size at which a part of the spread, or the only value, reaches the target, as at all larger sizes."""
    least: int | None = None
    for row in sorted(rows, key=lambda row: -row.setting["topics"]):
        spread = row.spread
        value = row.value if spread is None else np.nan if spread.undefined else getattr(spread, name)
        if not value >= target - _SAME:  # NaN does not
            break
        least = row.setting["topics"]
    return least


def _expected(
    tables: Mapping[str, ScoreMatrix], sizes: Sequence[int], target: float, draws: Draws
) -> dict[str, ExpectedByTopics]:
    """The expected correlation with the true ranking, of scores that are means and differ."""
    expected = {}
    for measure, table in tables.items():
        if not table.averaged:
            continue
        try:
            sample = checked_sample(sampled_table(table))
        except TooFewSystems:  # all are the same
            continue
        counts = [size for size in sizes if size > 1]
        # Scores of items are often 0 or 1, of which quantile deviations (`msqd`) make too little.
        expected[measure] = expected_by_topics(
            table, sample, counts, target=target, level=LEVEL, draws=draws, estimator="ml"
        )
    return expected


def default_sizes(topics: int) -> tuple[int, ...]:
    """At most ten numbers of topics below all: multiples of five, or of more if there are many topics.

    >>> default_sizes(30), default_sizes(4), default_sizes(249)[:3]
    ((5, 10, 15, 20, 25), (1, 2, 3), (25, 50, 75))
    """
    if topics <= 5:
        return tuple(range(1, topics))
    step = 5 * -(-topics // (5 * _MOST_SIZES))
    return tuple(range(step, topics, step))


def _check_sizes(sizes: Sequence[int], topics: int) -> tuple[int, ...]:
    ordered = tuple(sorted({int(size) for size in sizes}))
    if not ordered or ordered[0] < 1 or ordered[-1] > topics:
        raise BadParameter(f"sizes={ordered}: one or more numbers of topics, each from 1 to {topics} (all)")
    return ordered


def _agreements(
    reference: Rankings, truths: Mapping[str, Floats], setting: Setting, numbers: range, seed: int
) -> Floats:
    """The agreement of these subsets: subsets × measures × statistics."""
    n, size = len(next(iter(reference.rankings.values())).scores.topics), setting["topics"]
    # The same topics for all measures, and for both sides of the comparison.
    orders = np.stack([np.random.default_rng([seed, size, number]).permutation(n) for number in numbers])
    chosen = np.zeros((len(numbers), n))
    np.put_along_axis(chosen, orders[:, :size], 1.0, axis=1)
    others = None
    if setting["against"] == "others":
        others = np.zeros_like(chosen)
        np.put_along_axis(others, orders[:, size : 2 * size], 1.0, axis=1)
    by_measure = []
    for measure, ranking in reference.rankings.items():
        truth = truths[measure] if setting["against"] == "truth" else None
        by_measure.append(_of_ranking(ranking, reference.coefficients, chosen, others, truth))
    return np.stack(by_measure, axis=1)


def _of_ranking(
    ranking: ReferenceRanking,
    coefficients: Sequence[Coefficient],
    chosen: Floats,
    others: Floats | None,
    truth: Floats | None,
) -> Floats:
    """Every coefficient and the rank distance of the means over the chosen topics, rows of 0 and 1.

    They are compared with the truth, or with the means over others, or with those over all topics.
    """
    values = np.full((len(chosen), len(coefficients) + 1), np.nan)
    topic_means = resampled(ranking.scores)
    whole = levelled(ranking.scores.means[None])
    # All topics have their own ranking, without the rounding of another way to sum.
    means = np.repeat(whole, len(chosen), axis=0) if chosen.all() else levelled(topic_means.means(chosen))
    with quietly():
        if truth is not None:
            compared_with = levelled(truth[None])
        else:
            compared_with = whole if others is None else levelled(topic_means.means(others))
        values[:, :-1] = values_of(coefficients, compared_with, means).T
    baseline = ranking.baseline
    if baseline is not None and others is None and truth is None:
        values[:, -1] = baseline.distances(baseline.orders_of_sums(chosen @ baseline.scores), baseline.paper_ridge)
    return values


def levelled(means: Floats) -> Floats:
    """Rows of means in which those that differ by rounding alone are made equal.

    >>> levelled(np.array([[0.1 + 0.2, 0.5, 0.3]])).tolist()
    [[0.3, 0.5, 0.3]]
    """
    order = np.argsort(means, axis=1)
    ranked = np.take_along_axis(means, order, axis=1)
    noise = _SAME * np.abs(ranked).max(axis=1, keepdims=True, initial=0.0)
    first = np.ones(means.shape, dtype=bool)
    first[:, 1:] = np.diff(ranked, axis=1) > noise
    # Each takes the value of the first of its group: the last place at which a group began.
    places = np.maximum.accumulate(np.where(first, np.arange(means.shape[1]), 0), axis=1)
    level = np.empty_like(means)
    np.put_along_axis(level, order, np.take_along_axis(ranked, places, axis=1), axis=1)
    return level
