"""A reliability result in words that a paper can take over. Text is made here, not in the result."""

from __future__ import annotations

from rankscope.inference.expected import ExpectedCorrelation, find_estimator
from rankscope.studies.reliability import Reliability, TopicsNeeded


def sentences(found: Reliability) -> list[str]:
    """What to expect of this ranking, what a target would take, and the generalisability coefficients.

    >>> from rankscope.demo import demo_scores
    >>> from rankscope.studies.reliability import reliability
    >>> sentences(reliability(demo_scores()["human"], resamples=100))[0].split(",")[0]
    'With these 40 topics'
    """
    by, measure = find_estimator(found.tau.estimator), f" by {found.measure}" if found.measure else ""
    texts = [
        f"With these {found.tau.topics} topics, the ranking of {found.tau.systems} systems{measure} is expected to "
        f"correlate with the true ranking at {_value('τ', found.tau)} and {_value('τ_AP', found.tau_ap)}; "
        f"estimated by {by.label} ({by.reference.split(',')[0]}).",
        _topics(found.needed),
        f"Generalisability: Eρ² = {found.e_rho2:.3f}, Φ = {found.phi:.3f}{_negative(found)}.",
    ]
    if found.sampled is not None:
        texts.append(f"There are more systems; {found.sampled:,} drawn at random stand for all of them.")
    if found.tau.identical_pairs:
        pairs = "pair of systems scores" if found.tau.identical_pairs == 1 else "pairs of systems score"
        texts.append(f"{found.tau.identical_pairs} {pairs} alike on every topic and counted as concordant.")
    return texts


def _value(symbol: str, found: ExpectedCorrelation) -> str:
    ends = found.interval
    return f"{symbol} = {found.estimate:.3f} ({ends.level:.0%} interval {ends.low:.3f} to {ends.high:.3f})"


def _topics(needed: TopicsNeeded) -> str:
    if needed.topics is None:
        return f"No number of topics up to 100,000 is expected to reach τ = {needed.target:g}."
    low, high = ("more" if end is None else f"{end:,}" for end in (needed.low, needed.high))
    return (
        f"An expected τ of {needed.target:g} would take {needed.topics:,} such topics "
        f"({needed.level:.0%} interval {low} to {high})."
    )


def _negative(found: Reliability) -> str:
    names = found.components.negative
    return f" (negative variance set to 0: {', '.join(names)})" if names else ""
