"""Scores of the same systems on the same topics, several times by one judge: variance by topics and by repeats.

Scores are centred over the systems for each topic and repeat; then

    y_tsr = μ_s + τ_ts + ρ_sr + ε_tsr

with variances between systems, of topics (a system's scores differ by topic), of repeats (a repeat favours a system on
all topics, as another prompt does) and of both (what a repeat changes on one topic alone). These are the variance
components of a design in which systems, topics and repeats are crossed (Brennan 2001, section 3.1). The mean of a
system over n topics and k repeats errs by

    σ²(n, k) = topics/n + repeats/k + both/(n k).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rankscope.inference.resampling import Seed, generators
from rankscope.results import Interval
from rankscope.scores import Floats


class Components(NamedTuple):
    """Variance components, unbiased and so perhaps below 0; arrays where one topic is left out in turn."""

    systems: Any
    topics: Any
    repeats: Any
    both: Any

    def clipped(self) -> Components:
        """At least 0 each."""
        return Components(*(np.maximum(part, 0.0) for part in self))

    def error(self, topics: float, repeats: float) -> Any:
        """The error variance of a system's mean over so many topics and repeats, relative to the other systems."""
        return self.topics / topics + self.repeats / repeats + self.both / (topics * repeats)

    @property
    def share(self) -> Any:
        """The share of the error of a single repeat, over topics, that more repeats would remove."""
        total = np.asarray(self.topics + self.both)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(total > 0.0, self.both / total, np.nan)


def components(values: Floats) -> tuple[Components, Components]:
    """The variance components of (repeats, topics, systems) scores: of all, and without each topic.

    Two repeats, three topics and two systems are the least.
    """
    repeats, topics, systems = values.shape
    y = values - values.mean(axis=2, keepdims=True)
    by_topic = y.mean(axis=0)  # topics × systems
    own = y - by_topic  # what each repeat adds
    squares_topic, squares_own = (by_topic**2).sum(axis=1), (own**2).sum(axis=(0, 2))
    mean, mean_own = by_topic.mean(axis=0), own.mean(axis=1)
    whole = _components(
        float(squares_topic.sum()),
        float(squares_own.sum()),
        float((mean**2).sum()),
        float((mean_own**2).sum()),
        (repeats, topics, systems),
    )
    # Without topic t a mean is (n z − y_t)/(n − 1).
    left = (topics * mean - by_topic) / (topics - 1.0)
    left_own = (topics * mean_own[:, None] - own) / (topics - 1.0)
    without = _components(
        squares_topic.sum() - squares_topic,
        squares_own.sum() - squares_own,
        (left**2).sum(axis=1),
        (left_own**2).sum(axis=(0, 2)),
        (repeats, topics - 1, systems),
    )
    return whole, without


def _components(
    squares_topic: Any, squares_own: Any, mean: Any, mean_own: Any, shape: tuple[int, int, int]
) -> Components:
    """From sums of squares: of topics' means, of what repeats add, of systems' means, and of repeats' means."""
    repeats, topics, systems = shape
    of_systems = repeats * topics * mean / (systems - 1)
    of_topics = repeats * (squares_topic - topics * mean) / ((topics - 1) * (systems - 1))
    of_repeats = topics * mean_own / ((repeats - 1) * (systems - 1))
    of_both = (squares_own - topics * mean_own) / ((topics - 1) * (repeats - 1) * (systems - 1))
    return Components(
        (of_systems - of_topics - of_repeats + of_both) / (repeats * topics),
        (of_topics - of_both) / repeats,
        (of_repeats - of_both) / topics,
        of_both,
    )


def topic_interval(whole: float, without: Floats, level: float, *, most: float = math.inf) -> Interval | None:
    """The leave-one-topic-out t interval of a variance, or of a share up to `most`, from 0; None if undefined.

    Variances are skewed, so that it is of their logarithm (of the logit of a share).
    """
    from scipy.special import stdtrit

    method = "leave one topic out, t on the logarithm" if most == math.inf else "leave one topic out, t on the logit"

    def scale(value: Any) -> Any:
        return np.log(value) if most == math.inf else np.log(value / (most - value))

    if not 0.0 < whole < most or not ((without > 0.0) & (without < most)).all():
        return None
    left = scale(without)
    variance = (len(left) - 1) / len(left) * ((left - left.mean()) ** 2).sum()
    half = float(stdtrit(len(left) - 1, 0.5 + level / 2.0)) * math.sqrt(variance)
    ends = (float(scale(whole)) - half, float(scale(whole)) + half)
    low, high = (math.exp(end) if most == math.inf else most / (1.0 + math.exp(-end)) for end in ends)
    return Interval(low=low, high=high, level=level, method=method)


def systematic_pvalue(values: Floats, draws: int, rng: Seed) -> float | None:
    """Do repeats favour systems on all topics alike? Repeats exchange their places within each topic at random.

    The statistic is the variance of repeats' system means. If repeats differ by chance alone, any order of them within
    a topic is equally likely, so that the test is exact. None without draws.
    """
    if not draws:
        return None
    return (1 + sum(exchanges(values, *chunk) for chunk in generators(rng, draws))) / (draws + 1)


def exchanges(values: Floats, generator: np.random.Generator, draws: int) -> int:
    """In how many draws repeats that exchange their places within topics differ on all topics as much as they do."""
    y = values - values.mean(axis=2, keepdims=True)
    own = y - y.mean(axis=0)
    repeats, topics, _ = own.shape
    found = float((own.sum(axis=1) ** 2).sum())
    by_topic = np.ascontiguousarray(own.transpose(1, 0, 2))
    at = np.arange(topics)[:, None]
    as_large = 0
    for _ in range(draws):
        order = generator.permuted(np.tile(np.arange(repeats), (topics, 1)), axis=1)
        as_large += float((by_topic[at, order].sum(axis=0) ** 2).sum()) >= found * (1.0 - 1e-12)
    return as_large
