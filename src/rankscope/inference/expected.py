"""How well does the ranking by these topics agree with the true one, over all topics? (Urbano & Marrero 2016)"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from rankscope.coefficients import Coefficient, coefficient
from rankscope.errors import BadParameter, MissingScores, TooFewSystems, UnknownName, check_memory
from rankscope.inference import expected_pairs, expected_split
from rankscope.inference.expected_bayes import PAIRWISE, Posterior, correlation_draws, position
from rankscope.inference.expected_pairs import Draws, Sample
from rankscope.inference.expected_weights import expected_tau_and_ap
from rankscope.inference.intervals import check_level
from rankscope.inference.resampling import Seed, check_topics
from rankscope.results import Interval, Result, Table
from rankscope.scores import Floats, ScoreMatrix, Scores

EstimatorName = Literal["msqd", "ml", "res", "kd", "shw", "shwo", "bayes", "bayes_bootstrap"]
ESTIMATOR_NAMES: tuple[EstimatorName, ...] = get_args(EstimatorName)

RESAMPLES = 1_000
LEVEL = 0.95
# Arrays of all pairs that are held at once.
_COPIES = 6

Function = Callable[[Sample, Sequence[Coefficient], Draws], Floats]


@dataclass(frozen=True, kw_only=True)
class Estimator:
    """An estimator of the expected correlation: a function from scores to its value for each coefficient.

    `random` says whether it draws, `any_coefficient` whether it knows more than τ and τ_AP.
    """

    name: EstimatorName
    label: str
    reference: str
    function: Function = field(repr=False)
    random: bool
    any_coefficient: bool = False


def _by_pairs(swaps: Callable[[Sample, Draws], Floats]) -> Function:
    return lambda sample, chosen, draws: _pick(chosen, expected_tau_and_ap(sample, swaps(sample, draws)))


def _by_halves(halves: Callable[[Sample, Draws], Floats]) -> Function:
    return lambda sample, chosen, draws: _pick(chosen, halves(sample, draws))


def _by_posterior(posterior: Posterior) -> Function:
    return lambda sample, chosen, draws: np.array(
        [drawn.mean() for drawn in correlation_draws(sample, chosen, draws, posterior)]
    )


ESTIMATORS: tuple[Estimator, ...] = (
    Estimator(
        name="msqd",
        label="minimum squared quantile deviation",
        reference="Urbano & Marrero 2016, Eqs. 8 and 9",
        function=_by_pairs(expected_pairs.quantile_deviation),
        random=False,
    ),
    Estimator(
        name="ml",
        label="maximum likelihood",
        reference="Urbano & Marrero 2016, Eqs. 5 to 7",
        function=_by_pairs(expected_pairs.maximum_likelihood),
        random=False,
    ),
    Estimator(
        name="res",
        label="resampling",
        reference="Urbano & Marrero 2016, Eq. 10",
        function=_by_pairs(expected_pairs.resampling),
        random=True,
    ),
    Estimator(
        name="kd",
        label="kernel density",
        reference="Urbano & Marrero 2016, section 3.1.4; bandwidth of Wand & Jones 1995, section 3.6.1",
        function=_by_pairs(expected_pairs.kernel_density),
        random=True,
    ),
    Estimator(
        name="shw",
        label="split halves with replacement",
        reference="Urbano & Marrero 2016, section 4.2",
        function=_by_halves(expected_split.with_replacement),
        random=True,
    ),
    Estimator(
        name="shwo",
        label="split halves without replacement",
        reference="Urbano & Marrero 2016, section 4.2",
        function=_by_halves(expected_split.without_replacement),
        random=True,
    ),
    Estimator(
        name="bayes",
        label="posterior mean, multivariate t",
        reference="Named as future work by Urbano & Marrero 2016; flat prior, systems' covariance as in the sample",
        function=_by_posterior("t"),
        random=True,
        any_coefficient=True,
    ),
    Estimator(
        name="bayes_bootstrap",
        label="posterior mean, Bayesian bootstrap over topics",
        reference="Rubin 1981",
        function=_by_posterior("bootstrap"),
        random=True,
        any_coefficient=True,
    ),
)
DEFAULT: EstimatorName = "msqd"
_BY_NAME: dict[str, Estimator] = {one.name: one for one in ESTIMATORS}


@dataclass(frozen=True, kw_only=True, eq=False)
class ExpectedCorrelation(Result):
    """The correlation to be expected between the ranking by these topics and the true one.

    `interval` is for the correlation of *this* ranking with the truth, not for its expectation: draws of true means
    from their posterior, moved to the estimate. docs/reliability.md tells how often it covers. `identical_pairs` are
    pairs of systems that score alike on every topic; they count as concordant.
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
        columns = ("coefficient", "estimator", "estimate", "low", "high", "systems", "topics")
        row = (self.coefficient, self.estimator, self.estimate, self.interval.low, self.interval.high)
        return Table(columns, ((*row, self.systems, self.topics),))


def expected_correlation(
    scores: Scores,
    coefficient: str | Coefficient = "tau",
    estimator: EstimatorName = DEFAULT,
    *,
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    rng: Seed = 0,
    jobs: int | None = None,
) -> ExpectedCorrelation:
    """The correlation to be expected between the ranking of systems by their means over these topics and the true one.

    τ and τ_AP by the six estimators of Urbano & Marrero (2016), any coefficient by "bayes" and "bayes_bootstrap".
    Systems that tie in the mean are as likely in one order as in the other; identical ones count as concordant.
    Closed estimators take no draws for the estimate, only for the interval.

    >>> from rankscope.demo import demo_scores
    >>> found = expected_correlation(demo_scores()["human"], "tau")
    >>> found.interval.low < found.estimate < found.interval.high
    True
    >>> wide = expected_correlation(demo_scores()["human"], "tau_gap@10", "bayes", resamples=200)
    >>> 0.0 < wide.estimate < 1.0
    True
    """
    check_level(level)
    record, one = find_estimator(estimator), find_coefficient(coefficient, estimator)
    sample, draws = checked_sample(scores), Draws(resamples, rng, jobs)
    drawn = correlation_draws(sample, [one], draws, "bootstrap" if record.name == "bayes_bootstrap" else "t")[0]
    drawn = drawn[np.isfinite(drawn)]
    estimate = float(drawn.mean() if record.any_coefficient else record.function(sample, [one], draws)[0])
    return ExpectedCorrelation(
        estimate=estimate,
        interval=moved_interval(drawn, estimate, level, one.record.range),
        coefficient=str(one),
        estimator=record.name,
        systems=sample.systems,
        topics=sample.topics,
        identical_pairs=sample.identical_pairs,
        draws=drawn,
        settings={"level": level, "resamples": resamples, "seed": rng if isinstance(rng, int) else None},
    )


def expected_values(sample: Sample, estimator: EstimatorName, chosen: Sequence[Coefficient], draws: Draws) -> Floats:
    """The estimate for each of the coefficients, from one computation."""
    return find_estimator(estimator).function(sample, chosen, draws)


def moved_interval(drawn: Floats, estimate: float, level: float, bounds: tuple[float, float]) -> Interval:
    """The quantiles of draws once these are moved to have the estimate for their mean, within the bounds."""
    tail = (1.0 - level) / 2.0
    low, high = np.clip(np.quantile(drawn, [tail, 1.0 - tail]) + (estimate - drawn.mean()), *bounds)
    return Interval(low=float(low), high=float(high), level=level, method="posterior draws, moved to the estimate")


def checked_sample(scores: Scores) -> Sample:
    """Scores by topic of systems that differ, two of each at least; or an error."""
    if not isinstance(scores, ScoreMatrix):
        raise MissingScores(
            "a leaderboard has no topics, and how well its ranking agrees with the true one depends on their number "
            "and spread; give scores by topic"
        )
    _ = scores.means  # raises, and says what is missing
    check_topics(scores, scores.name or "the score matrix")
    if len(scores.systems) < 2:
        raise TooFewSystems(f"a ranking needs two systems at least, there is {len(scores.systems)}")
    m = len(scores.systems)
    check_memory(_COPIES * 8.0 * m * m, f"looking at all pairs of {m:,} systems", "select fewer systems")
    sample = Sample.of(scores.values)
    if not sample.distinct.any():
        raise TooFewSystems(f"all {sample.systems} systems score alike on every topic: there is no ranking to be true")
    return sample


def find_estimator(name: str) -> Estimator:
    """The estimator of this name."""
    found = _BY_NAME.get(name)
    if found is None:
        close = difflib.get_close_matches(str(name), ESTIMATOR_NAMES, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]}? " if close else ""
        raise UnknownName(f"no estimator is called {name!r}; {hint}There are: {', '.join(ESTIMATOR_NAMES)}")
    return found


def find_coefficient(name: str | Coefficient, estimator: str) -> Coefficient:
    """The coefficient of this name, if the estimator knows it."""
    one = coefficient(name)
    if position(one) is None and not find_estimator(estimator).any_coefficient:
        others = " or ".join(repr(e.name) for e in ESTIMATORS if e.any_coefficient)
        raise BadParameter(f"estimator={estimator!r} knows tau and tau_ap, not {one}; use estimator={others}")
    return one


def _pick(chosen: Sequence[Coefficient], both: Floats) -> Floats:
    return both[[PAIRWISE.index(str(one)) for one in chosen]]
