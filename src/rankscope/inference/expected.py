"""`expected_correlation`: how well does the ranking by these topics agree with the true one, over the population?

`ESTIMATORS` has one record per estimator of Urbano & Marrero (2016) and two Bayesian ones. Their functions are in
swap_probabilities.py (by pairs of systems), split_halves.py and posterior_means.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from rankscope.checks import check_level, check_memory, check_name
from rankscope.coefficients import Coefficient, coefficient
from rankscope.defaults import FEWER_RESAMPLES, LEVEL, SEED
from rankscope.errors import BadParameter, TooFewSystems
from rankscope.inference import split_halves, swap_probabilities
from rankscope.inference.posterior_means import PAIRWISE, Posterior, correlation_draws, position
from rankscope.inference.resampling import Draws, Seed, check_averaged, check_topics, recorded_seed
from rankscope.inference.swap_probabilities import Sample, expected_tau_and_ap
from rankscope.inputs import ScoresLike, to_matrix
from rankscope.results import Interval, Result, Table, rows_table
from rankscope.scores import Floats

EstimatorName = Literal["msqd", "ml", "res", "kd", "shw", "shwo", "bayes", "bayes_bootstrap"]
ESTIMATOR_NAMES: tuple[EstimatorName, ...] = get_args(EstimatorName)

# Arrays of all pairs held at the same time.
_COPIES = 6

Function = Callable[[Sample, Sequence[Coefficient], Draws], Floats]


@dataclass(frozen=True, kw_only=True)
class Estimator:
    """An estimator of the expected correlation: a function from scores to its value for each coefficient.

    `any_coefficient` says whether it takes coefficients other than τ and τ_AP.
    """

    name: EstimatorName
    label: str
    reference: str
    function: Function = field(repr=False)
    any_coefficient: bool = False


def _by_pairs(swaps: Callable[[Sample, Draws], Floats]) -> Function:
    return lambda sample, chosen, draws: _pick(chosen, expected_tau_and_ap(sample, swaps(sample, draws)))


def _by_halves(split: split_halves.Split) -> Function:
    return lambda sample, chosen, draws: _pick(chosen, split_halves.split_halves(sample, draws, split))


def _by_posterior(posterior: Posterior) -> Function:
    return lambda sample, chosen, draws: np.array(
        [drawn.mean() for drawn in correlation_draws(sample, chosen, draws, posterior)]
    )


ESTIMATORS: tuple[Estimator, ...] = (
    Estimator(
        name="msqd",
        label="minimum squared quantile deviation",
        reference="Urbano & Marrero 2016, Eqs. 8 and 9",
        function=_by_pairs(swap_probabilities.quantile_deviation),
    ),
    Estimator(
        name="ml",
        label="maximum likelihood",
        reference="Urbano & Marrero 2016, Eqs. 5 to 7",
        function=_by_pairs(swap_probabilities.maximum_likelihood),
    ),
    Estimator(
        name="res",
        label="resampling",
        reference="Urbano & Marrero 2016, Eq. 10",
        function=_by_pairs(swap_probabilities.resampling),
    ),
    Estimator(
        name="kd",
        label="kernel density",
        reference="Urbano & Marrero 2016, section 3.1.4; bandwidth of Wand & Jones 1995, section 3.6.1",
        function=_by_pairs(swap_probabilities.kernel_density),
    ),
    Estimator(
        name="shw",
        label="split halves with replacement",
        reference="Urbano & Marrero 2016, section 4.2",
        function=_by_halves(split_halves.with_replacement_counts),
    ),
    Estimator(
        name="shwo",
        label="split halves without replacement",
        reference="Urbano & Marrero 2016, section 4.2",
        function=_by_halves(split_halves.without_replacement_counts),
    ),
    Estimator(
        name="bayes",
        label="posterior mean, multivariate t",
        reference="Named as future work by Urbano & Marrero 2016; flat prior, systems' covariance as in the sample",
        function=_by_posterior("t"),
        any_coefficient=True,
    ),
    Estimator(
        name="bayes_bootstrap",
        label="posterior mean, Bayesian bootstrap over topics",
        reference="Rubin 1981",
        function=_by_posterior("bootstrap"),
        any_coefficient=True,
    ),
)
DEFAULT: EstimatorName = "msqd"
_BY_NAME: dict[str, Estimator] = {record.name: record for record in ESTIMATORS}


@dataclass(frozen=True, kw_only=True, eq=False)
class ExpectedCorrelation(Result):
    """The expected correlation between the ranking by these topics and the true one.

    Attributes
    ----------
    estimate : float
        The expected correlation.
    interval : Interval
        For the correlation of *this* ranking with the true one, not for its expectation: posterior draws of the true
        means, moved to the estimate. docs/reliability.md has its coverage.
    coefficient, estimator : str
        Their names.
    systems, topics : int
        Their numbers.
    identical_pairs : int
        Pairs of systems with the same scores on every topic; they count as concordant.
    draws : ndarray
        The correlation in each posterior draw.
    settings : dict
        The options.
    """

    estimate: float
    interval: Interval
    coefficient: str
    estimator: EstimatorName
    systems: int
    topics: int
    identical_pairs: int
    draws: Floats
    settings: dict[str, Any]

    def table(self) -> Table:
        """One row."""
        columns = ("coefficient", "estimator", "estimate", "interval.low", "interval.high", "systems", "topics")
        return rows_table([self], columns)


def expected_correlation(
    scores: ScoresLike,
    coefficient: str | Coefficient = "tau",
    estimator: EstimatorName = DEFAULT,
    *,
    level: float = LEVEL,
    resamples: int = FEWER_RESAMPLES,
    rng: Seed = SEED,
    jobs: int | None = None,
) -> ExpectedCorrelation:
    """The expected correlation between the ranking of systems by these topics and the true one.

    The true ranking is by means over the population of topics. Systems with tied means are equally likely in either
    order; identical ones count as concordant.

    Parameters
    ----------
    scores : ScoresLike
        Scores by topic.
    coefficient : str or Coefficient, default "tau"
        τ or τ_AP; any coefficient with "bayes" and "bayes_bootstrap".
    estimator : {"msqd", "ml", "res", "kd", "shw", "shwo", "bayes", "bayes_bootstrap"}, default "msqd"
        The estimator. "msqd" and "ml" are in closed form and need no draws for the estimate.
    level : float, default 0.95
        The level of the interval.
    resamples : int, default 1000
        The number of draws: of posterior means for the interval, and of topics for estimators that resample.
    rng : int or numpy.random.Generator, default 0
        A seed or a generator. A seed gives the same draws with any number of threads.
    jobs : int or None, default None
        The number of threads; None is one per core.

    Returns
    -------
    ExpectedCorrelation
        The estimate and its interval.

    Raises
    ------
    MissingScores
        Without topics, with fewer than two (four for split halves), or with missing scores.
    TooFewSystems
        With fewer than two systems, or if all are identical.
    UnknownName
        If there is no such estimator or coefficient.
    BadParameter
        If the estimator does not take the coefficient, or an option is out of its range.

    References
    ----------
    J. Urbano and M. Marrero, "Toward estimating the rank correlation between the test collection results and the true
    system performance", SIGIR 2016.
    D. B. Rubin, "The Bayesian bootstrap", Annals of Statistics 9, 1981, for "bayes_bootstrap".

    Examples
    --------
    >>> from rankscope.demo import demo_scores
    >>> tau = expected_correlation(demo_scores()["human"], "tau")
    >>> tau.interval.low < tau.estimate < tau.interval.high
    True
    >>> tau_gap = expected_correlation(demo_scores()["human"], "tau_gap@10", "bayes", resamples=200)
    >>> 0.0 < tau_gap.estimate < 1.0
    True
    """
    check_level(level)
    record, by = find_estimator(estimator), find_coefficient(coefficient, estimator)
    sample, draws = checked_sample(scores), Draws(resamples, rng, jobs)
    drawn = correlation_draws(sample, [by], draws, "bootstrap" if record.name == "bayes_bootstrap" else "t")[0]
    drawn = drawn[np.isfinite(drawn)]
    estimate = float(drawn.mean() if record.any_coefficient else record.function(sample, [by], draws)[0])
    return ExpectedCorrelation(
        estimate=estimate,
        interval=moved_interval(drawn, estimate, level, by.record.range),
        coefficient=str(by),
        estimator=record.name,
        systems=sample.systems,
        topics=sample.topics,
        identical_pairs=sample.identical_pairs,
        draws=drawn,
        settings={"level": level, "resamples": resamples, "seed": recorded_seed(rng)},
    )


def expected_values(sample: Sample, estimator: EstimatorName, chosen: Sequence[Coefficient], draws: Draws) -> Floats:
    """The estimate for each of the coefficients, from one computation."""
    return find_estimator(estimator).function(sample, chosen, draws)


def moved_interval(drawn: Floats, estimate: float, level: float, bounds: tuple[float, float]) -> Interval:
    """The quantiles of the draws, moved so that their mean is the estimate, within the bounds."""
    tail = (1.0 - level) / 2.0
    low, high = np.clip(np.quantile(drawn, [tail, 1.0 - tail]) + (estimate - drawn.mean()), *bounds)
    return Interval(low=float(low), high=float(high), level=level, method="posterior draws, moved to the estimate")


def checked_sample(scores: ScoresLike) -> Sample:
    """The sample behind scores with at least two topics and two different systems."""
    matrix = to_matrix(scores, "agreement with the true ranking depends on the number and spread of topics")
    _ = matrix.means  # raises and names what is missing
    check_averaged(matrix, "the expected correlation")
    check_topics(matrix, matrix.name or "the score matrix")
    m = len(matrix.systems)
    if m < 2:
        raise TooFewSystems(f"a ranking needs at least two systems, there is {m}")
    check_memory(_COPIES * 8.0 * m * m, f"looking at all pairs of {m:,} systems", "select fewer systems")
    sample = Sample.of(matrix.values)
    if not sample.distinct.any():
        raise TooFewSystems(f"all {m} systems have the same scores on every topic, so there is no ranking; add others")
    return sample


def find_estimator(name: str) -> Estimator:
    """The estimator of this name."""
    return _BY_NAME[check_name("estimator", name, ESTIMATOR_NAMES)]


def find_coefficient(name: str | Coefficient, estimator: str) -> Coefficient:
    """The coefficient of this name, if the estimator takes it."""
    by = coefficient(name)
    if position(by) is None and not find_estimator(estimator).any_coefficient:
        others = " or ".join(repr(e.name) for e in ESTIMATORS if e.any_coefficient)
        raise BadParameter(f"estimator={estimator!r} takes tau and tau_ap, not {by}; use estimator={others}")
    return by


def _pick(chosen: Sequence[Coefficient], both: Floats) -> Floats:
    return both[[PAIRWISE.index(str(by)) for by in chosen]]
