"""Which pairs of systems differ significantly, given their scores on the same topics?"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rankscope.errors import BadParameter, RankscopeWarning, ShapeMismatch, TooFewSystems, check_memory, some
from rankscope.files import read_scores
from rankscope.inference import closed_tests, resampled_tests
from rankscope.inference.closed_tests import Outcome, mean_differences, symmetric
from rankscope.inference.corrections import Correction, adjust, check_correction
from rankscope.inference.resampled_tests import Draws
from rankscope.inference.resampling import Seed
from rankscope.results import Result, Table
from rankscope.scores import Floats, ScoreMatrix

Test = Literal["t", "wilcoxon", "randomisation", "bootstrap", "tukey"]

# Arrays of all pairs that are held at once: differences, statistics, p-values, indices, and those in the making.
_COPIES = 10

# The two guarantees that multiply a least p-value by the number of pairs whatever the other p-values are.
_FAMILY_WISE: tuple[Correction, ...] = ("bonferroni", "holm")


@dataclass(frozen=True, kw_only=True)
class PairTest:
    """A test of all pairs: its function, the fewest topics it can do with, whether it resamples and corrects itself."""

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
    """Every pair of systems, tested: m × m arrays in the order of `systems`, row against column.

    `share` is the share of pairs that are `significant`: adjusted p ≤ alpha. `differences` are of means, row less
    column. `statistic` is t ("t", "bootstrap"), W+ ("wilcoxon") or the difference of means ("randomisation",
    "tukey"). `method` says how p-values were found.
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
        """The same with the best system first: the order of a significance map (Gao & Oard 2015, Figure 1)."""
        order = np.argsort(-self.means, kind="stable")
        grid = np.ix_(order, order)
        return Significance(
            share=self.share,
            systems=tuple(self.systems[i] for i in order),
            means=_read_only(self.means[order]),
            differences=_read_only(self.differences[grid]),
            statistic=_read_only(self.statistic[grid]),
            pvalues=_read_only(self.pvalues[grid]),
            adjusted=_read_only(self.adjusted[grid]),
            significant=_read_only(self.significant[grid]),
            method=self.method,
            measure=self.measure,
            topics=self.topics,
            settings=self.settings,
        )

    def table(self) -> Table:
        """One row per pair, the system with the greater mean first; by p, then by difference."""
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
    scores: Any,
    *,
    test: Test = "t",
    correction: Correction = "none",
    alpha: float = 0.05,
    resamples: int = 10_000,
    rng: Seed = 0,
    jobs: int | None = None,
) -> Significance:
    """Test every pair of systems of a score matrix, two-sided and paired by topic.

    "t" is the paired t-test; "wilcoxon" the signed-rank test; "randomisation" flips signs of differences; "bootstrap"
    resamples topics, shifted to no difference and studentised (Sakai 2006); "tukey" shuffles systems within topics
    and so corrects for all pairs itself (Carterette 2012). The last three take `resamples` from `rng`, on `jobs`
    threads, and give the same whatever the number of threads. All but "tukey" take a `correction`.

    Systems that score alike on every topic have p = 1. A gap that is the same on every topic is the most extreme
    outcome a test knows, and has its p; for "t" that is the limit, 0.

    >>> table = ScoreMatrix([[0.2, 0.5, 0.3], [0.4, 0.6, 0.3], [0.3, 0.7, 0.2], [0.1, 0.5, 0.3]], ["a", "b", "c"])
    >>> result = significance(table, correction="holm")
    >>> result.pvalues[0].round(4).tolist(), round(result.share, 4)
    ([1.0, 0.0065, 0.7608], 0.6667)
    >>> result.table().rows[0][:2]
    ('b', 'a')
    """
    chosen = _checked_settings(test, correction, alpha, resamples, rng, jobs)
    matrix = _checked_scores(scores, chosen)
    m = len(matrix.systems)
    check_memory(_COPIES * 8.0 * m * m, f"testing all pairs of {m:,} systems", "select fewer systems")
    upper = np.triu_indices(m, 1)
    outcome = chosen.function(matrix.values, Draws(resamples=resamples, rng=rng, jobs=jobs))
    if correction in _FAMILY_WISE and outcome.least * len(upper[0]) > alpha:
        warnings.warn(
            f"{outcome.method} cannot give a p under {outcome.least:.2g}, which {correction} over {len(upper[0])} "
            f"pairs takes above alpha={alpha}: no pair can be significant; use test='tukey', which corrects for all "
            "pairs itself, correction='bh', or more resamples or topics",
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
        differences=_read_only(mean_differences(matrix.values)),
        statistic=_read_only(outcome.statistic),
        pvalues=_read_only(outcome.pvalues),
        adjusted=_read_only(adjusted),
        significant=_read_only(significant),
        method=outcome.method,
        measure=matrix.measure,
        topics=len(matrix.topics),
        settings={
            "test": test,
            "correction": correction,
            "alpha": alpha,
            "resamples": resamples if chosen.resamples else None,
            "seed": rng if chosen.resamples and isinstance(rng, int) else None,
        },
    )


def _checked_settings(
    test: str,
    correction: Correction,
    alpha: float,
    resamples: int,
    rng: Seed,
    jobs: int | None,
) -> PairTest:
    known = {record.name: record for record in TESTS}
    chosen = next((record for record in TESTS if record.name == test), None)
    if chosen is None:
        raise BadParameter(f"test={test!r}: choose one of {', '.join(known)}")
    check_correction(correction)
    if chosen.corrects and correction != "none":
        raise BadParameter(
            f"correction={correction!r} with test={test!r}: {chosen.label} corrects for all pairs itself; "
            "use correction='none'"
        )
    if not 0.0 < alpha < 1.0:
        raise BadParameter(f"alpha={alpha}: a level lies between 0 and 1, and neither end is one")
    if resamples < 1:
        raise BadParameter(f"resamples={resamples}: the number of resamples is 1 or more")
    if isinstance(rng, int) and rng < 0:
        raise BadParameter(f"rng={rng}: a seed is 0 or more")
    if jobs is not None and jobs < 1:
        raise BadParameter(f"jobs={jobs}: the number of threads is 1 or more, or None for one on each core")
    return chosen


def _checked_scores(scores: Any, chosen: PairTest) -> ScoreMatrix:
    matrix = read_scores(scores)
    if not isinstance(matrix, ScoreMatrix):
        raise ShapeMismatch("these scores are one for each system; a paired test needs the scores on each topic")
    if len(matrix.systems) < 2:
        raise TooFewSystems(f"a pair needs two systems, there is {len(matrix.systems)}: {some(matrix.systems)}")
    _ = matrix.means  # raises where there are no topics or scores are missing, and says which
    if len(matrix.topics) < chosen.fewest_topics:
        able = [record.name for record in TESTS if record.fewest_topics <= len(matrix.topics)]
        raise BadParameter(
            f"test={chosen.name!r}: the {chosen.label} estimates a variance over topics and needs "
            f"{chosen.fewest_topics} at least, there is {len(matrix.topics)}; give more topics (with one, only "
            f"{', '.join(able)} have a p, and it is 1 or close to it)"
        )
    return matrix


def _read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array
