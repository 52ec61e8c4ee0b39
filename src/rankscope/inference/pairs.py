"""`significance`: which pairs of systems differ significantly, given their scores on the same topics?

The tests are in closed_tests.py and resampled_tests.py, one record each in `TESTS`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rankscope.checks import check_choice, check_count, check_jobs, check_memory, check_seed, check_share
from rankscope.defaults import ALPHA, SEED
from rankscope.errors import BadParameter, RankscopeWarning, TooFewSystems, some
from rankscope.inference import closed_tests, resampled_tests
from rankscope.inference.closed_tests import Outcome, mean_differences, read_only, symmetric
from rankscope.inference.corrections import CORRECTIONS, Correction, adjust
from rankscope.inference.rank_sets import difference_variances
from rankscope.inference.resampling import Draws, Seed, check_averaged, recorded_seed
from rankscope.inputs import ScoresLike, to_matrix
from rankscope.results import Result, Table
from rankscope.scores import Floats, ScoreMatrix, SystemScores

Test = Literal["t", "wilcoxon", "randomisation", "bootstrap", "tukey"]
# "z" is of leaderboards with standard errors (`error_significance`), the others of scores by topic.
AnyTest = Test | Literal["z"]

# Arrays of all pairs held at the same time: differences, statistics, p-values, indices and intermediate results.
_COPIES = 10

# The corrections that multiply the smallest p-value by the number of pairs, whatever the others are.
_FAMILY_WISE: tuple[Correction, ...] = ("bonferroni", "holm")


@dataclass(frozen=True, kw_only=True)
class PairTest:
    """A test of all pairs; `corrects` marks one whose p-values already hold for all pairs together."""

    name: Test
    label: str
    function: Callable[[Floats, Draws], Outcome]
    fewest_topics: int
    resamples: bool
    corrects: bool = False


TESTS: tuple[PairTest, ...] = (
    PairTest(
        name="t",
        label="paired t-test",
        function=lambda values, _: closed_tests.paired_t(values),
        fewest_topics=2,
        resamples=False,
    ),
    PairTest(
        name="wilcoxon",
        label="Wilcoxon's signed-rank test",
        function=lambda values, _: closed_tests.wilcoxon(values),
        fewest_topics=1,
        resamples=False,
    ),
    PairTest(
        name="randomisation",
        label="Fisher's randomisation test",
        function=resampled_tests.randomisation,
        fewest_topics=1,
        resamples=True,
    ),
    PairTest(
        name="bootstrap",
        label="shifted bootstrap test",
        function=resampled_tests.bootstrap,
        fewest_topics=2,
        resamples=True,
    ),
    PairTest(
        name="tukey",
        label="Tukey's HSD by randomisation",
        function=resampled_tests.tukey,
        fewest_topics=1,
        resamples=True,
        corrects=True,
    ),
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Significance(Result):
    """A paired test of every pair of systems: m × m arrays in the order of `systems`, row against column.

    Attributes
    ----------
    share : float
        The share of pairs that differ significantly.
    systems : tuple of str
        The systems.
    means : ndarray
        Their mean scores.
    differences : ndarray
        Differences of means, row minus column.
    statistic : ndarray
        t ("t", "bootstrap"), W+ ("wilcoxon") or the difference of means ("randomisation", "tukey").
    pvalues, adjusted : ndarray
        Two-sided p-values, and the same after the correction.
    significant : ndarray of bool
        Whether the adjusted p-value is at most alpha.
    method : str
        How p-values were computed.
    measure : str or None
        The measure behind the scores.
    topics : int
        Their number.
    settings : dict
        The options.
    """

    share: float
    systems: tuple[str, ...]
    means: Floats
    differences: Floats
    statistic: Floats
    pvalues: Floats
    adjusted: Floats
    significant: npt.NDArray[np.bool_]
    method: str
    measure: str | None
    topics: int
    settings: dict[str, Any]

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return len(self.systems) * (len(self.systems) - 1) // 2

    def by_mean(self) -> Significance:
        """The same with the best system first, as in a significance map (Gao & Oard 2015, Figure 1)."""
        order = np.argsort(-self.means, kind="stable")
        pairwise = ("differences", "statistic", "pvalues", "adjusted", "significant")
        matrices = {name: read_only(getattr(self, name)[np.ix_(order, order)]) for name in pairwise}
        systems = tuple(self.systems[i] for i in order)
        return replace(self, systems=systems, means=read_only(self.means[order]), **matrices)

    def table(self) -> Table:
        """One row per pair, the system with the greater mean first; sorted by p, then by difference."""
        first, second = np.triu_indices(len(self.systems), 1)
        worse = self.differences[first, second] < 0.0
        system, other = np.where(worse, second, first), np.where(worse, first, second)
        order = np.lexsort((-self.differences[system, other], self.pvalues[system, other]))
        rows = [
            (
                self.systems[i],
                self.systems[j],
                float(self.differences[i, j]),
                float(self.pvalues[i, j]),
                float(self.adjusted[i, j]),
                bool(self.significant[i, j]),
            )
            for i, j in zip(system[order].tolist(), other[order].tolist(), strict=True)
        ]
        return Table(("system", "other", "difference", "p", "adjusted", "significant"), tuple(rows))


def significance(
    scores: ScoresLike,
    *,
    test: Test = "t",
    correction: Correction = "none",
    alpha: float = ALPHA,
    resamples: int = 10_000,
    rng: Seed = SEED,
    jobs: int | None = None,
) -> Significance:
    """Test every pair of systems of a score matrix, two-sided and paired by topic.

    Identical systems have p = 1. A gap that is the same on every topic is the most extreme outcome of a test and gets
    its smallest p-value; for "t" that is the limit, 0.

    Parameters
    ----------
    scores : ScoresLike
        Scores by topic.
    test : {"t", "wilcoxon", "randomisation", "bootstrap", "tukey"}, default "t"
        The paired t-test; Wilcoxon's signed-rank test; random sign flips; topics resampled, shifted to no difference
        and studentised; or systems shuffled within topics, which corrects for all pairs itself.
    correction : {"none", "bonferroni", "holm", "bh"}, default "none"
        The correction for multiple tests; "tukey" takes none.
    alpha : float, default 0.05
        The level of the test.
    resamples : int, default 10000
        The number of draws, for "randomisation", "bootstrap" and "tukey".
    rng : int or numpy.random.Generator, default 0
        A seed or a generator. A seed gives the same draws with any number of threads.
    jobs : int or None, default None
        The number of threads; None is one per core.

    Returns
    -------
    Significance
        Statistics, p-values and adjusted p-values of all pairs.

    Raises
    ------
    BadParameter
        If an option is unknown or out of its range, or the test needs more topics.
    MissingScores
        Without topics, or with missing scores.
    TooFewSystems
        With fewer than two systems.

    References
    ----------
    T. Sakai, "Evaluating evaluation metrics based on the bootstrap", SIGIR 2006, for "bootstrap".
    B. Carterette, "Multiple testing in statistical analysis of systems-based information retrieval experiments", ACM
    Transactions on Information Systems 30(1), 2012, for "tukey".

    Examples
    --------
    >>> table = ScoreMatrix([[0.2, 0.5, 0.3], [0.4, 0.6, 0.3], [0.3, 0.7, 0.2], [0.1, 0.5, 0.3]], ["a", "b", "c"])
    >>> result = significance(table, correction="holm")
    >>> result.pvalues[0].round(4).tolist(), round(result.share, 4)
    ([1.0, 0.0065, 0.7608], 0.6667)
    >>> result.table().rows[0][:2]
    ('b', 'a')
    """
    chosen = _checked_test(test, correction)
    check_share("alpha", alpha)
    check_count("resamples", resamples)
    check_jobs(jobs)
    if not isinstance(rng, np.random.Generator):
        check_seed(rng)
    matrix = _checked_scores(scores, chosen)
    m = len(matrix.systems)
    check_memory(_COPIES * 8.0 * m * m, f"testing all pairs of {m:,} systems", "select fewer systems")
    upper = np.triu_indices(m, 1)
    outcome = chosen.function(matrix.values, Draws(resamples, rng, jobs))
    if correction in _FAMILY_WISE and outcome.least * len(upper[0]) > alpha:
        warnings.warn(
            f"{outcome.method}: {correction} over {len(upper[0])} pairs raises the smallest p-value, "
            f"{outcome.least:.2g}, above alpha={alpha}, so no pair can be significant; use test='tukey', "
            "which corrects for all pairs itself, correction='bh', or more resamples or topics",
            RankscopeWarning,
            stacklevel=2,
        )
    adjusted = symmetric(m, adjust(outcome.pvalues[upper], correction))
    significant = adjusted <= alpha
    np.fill_diagonal(significant, False)
    return Significance(
        share=float(significant[upper].mean()),
        systems=matrix.systems,
        means=matrix.means,
        differences=read_only(mean_differences(matrix.values)),
        statistic=read_only(outcome.statistic),
        pvalues=read_only(outcome.pvalues),
        adjusted=read_only(adjusted),
        significant=read_only(significant),
        method=outcome.method,
        measure=matrix.measure,
        topics=len(matrix.topics),
        settings={
            "test": test,
            "correction": correction,
            "alpha": alpha,
            "resamples": resamples if chosen.resamples else None,
            "seed": recorded_seed(rng) if chosen.resamples else None,
        },
    )


def error_significance(scores: SystemScores, *, correction: Correction, alpha: float) -> Significance:
    """Test every pair of systems of a leaderboard by their standard errors, which are taken as independent (z)."""
    covariance = np.diag(np.square(np.asarray(scores.standard_errors)))
    return covariance_significance(scores, covariance, None, "z-test from standard errors", correction, alpha)


def covariance_significance(
    scores: SystemScores,
    covariance: Floats,
    freedom: float | None,
    method: str,
    correction: Correction,
    alpha: float,
    topics: int = 0,
) -> Significance:
    """Test every pair of systems by the joint covariance of their errors: t with its degrees of freedom, or z."""
    from scipy.special import ndtr, stdtr

    m = len(scores.systems)
    check_memory(_COPIES * 8.0 * m * m, f"testing all pairs of {m:,} systems", "select fewer systems")
    differences = scores.means[:, None] - scores.means
    error = np.sqrt(difference_variances(covariance))
    # Scores without any error differ beyond doubt, or are equal.
    certain = np.where(differences == 0.0, 0.0, np.copysign(np.inf, differences))
    statistic = np.where(error > 0.0, differences / np.where(error > 0.0, error, 1.0), certain)
    below = ndtr(-np.abs(statistic)) if freedom is None else stdtr(freedom, -np.abs(statistic))
    pvalues = np.minimum(2.0 * below, 1.0)
    upper = np.triu_indices(m, 1)
    adjusted = symmetric(m, adjust(pvalues[upper], correction))
    significant = adjusted <= alpha
    np.fill_diagonal(significant, False)
    return Significance(
        share=float(significant[upper].mean()),
        systems=scores.systems,
        means=scores.means,
        differences=read_only(differences),
        statistic=read_only(statistic),
        pvalues=read_only(pvalues),
        adjusted=read_only(adjusted),
        significant=read_only(significant),
        method=method,
        measure=scores.measure,
        topics=topics,
        settings={
            "test": "z" if freedom is None else "t",
            "correction": correction,
            "alpha": alpha,
            "resamples": None,
            "seed": None,
        },
    )


def label_of_test(name: AnyTest) -> str:
    """What a test is called.

    >>> label_of_test("t"), label_of_test("z")
    ('paired t-test', 'z-test from standard errors')
    """
    labels: dict[str, str] = {record.name: record.label for record in TESTS}
    return labels.get(name, "z-test from standard errors")


def _checked_test(test: str, correction: Correction) -> PairTest:
    known = {record.name: record for record in TESTS}
    chosen = known[check_choice("test", test, known)]
    check_choice("correction", correction, CORRECTIONS)
    if chosen.corrects and correction != "none":
        raise BadParameter(
            f"correction={correction!r} with test={test!r}: {chosen.label} corrects for all pairs itself; "
            "use correction='none'"
        )
    return chosen


def _checked_scores(scores: ScoresLike, chosen: PairTest) -> ScoreMatrix:
    matrix = to_matrix(scores, "a paired test compares systems topic by topic")
    if len(matrix.systems) < 2:
        raise TooFewSystems(f"a pair needs two systems, there is {len(matrix.systems)}: {some(matrix.systems)}")
    _ = matrix.means  # raises and names what is missing
    check_averaged(matrix, "a test of the difference of two systems")
    if len(matrix.topics) < chosen.fewest_topics:
        able = [record.name for record in TESTS if record.fewest_topics <= len(matrix.topics)]
        raise BadParameter(
            f"test={chosen.name!r}: the {chosen.label} estimates a variance and needs at least "
            f"{chosen.fewest_topics} topics, there is {len(matrix.topics)}; give more topics "
            f"(with one, only {', '.join(able)} have a p-value, and it is 1 or close to it)"
        )
    return matrix
