"""How sure a ranking would be after more labels: what to expect of each budget, before anybody labels.

What is believed now are means p with error covariance R; with more labels the errors shrink to R′, and the means move
by a draw from N(0, R − R′), since what is learned is what the errors lose. Rank sets around the moved means, with
errors R′, are those to expect. All is repeated over draws, which differ in how the means move and in the variance
components: those of resampled human labels or, without any, assumed ones.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np

from rankscope.fits import PRIOR_TOPICS
from rankscope.inference import rank_sets
from rankscope.inference.correction import (
    Components,
    centred,
    components,
    mean_slope,
    predictor,
    remaining_variance,
    unit,
)
from rankscope.scores import Floats

DRAWS = 40
# Draws of ranks behind each expected rank set, and scores held at a time.
_RANKS, _CELLS = 200, 4_000_000
# Without human labels, the correlation of the judge's scores with human ones is drawn from these ranges: within systems
# over topics, and between systems. Eight judges of dl19 have .52 to .78 within by nDCG@10, and .72 to .84 by AP.
ASSUMED_WITHIN, ASSUMED_BETWEEN = (0.0, 0.8), (0.5, 1.0)
# The least share of the variance of means that is taken to lie between systems, as in the variance model of worth.
_LEAST_VARIANCE = 0.02


class Precision(NamedTuple):
    """What to expect of a ranking, in each draw.

    `width` and `widest` are the mean and the greatest number of ranks in a typical rank set, `separated` the share of
    pairs whose difference exceeds its error at the level, and `candidates` how many systems may be among the top.
    """

    width: Floats
    widest: Floats
    separated: Floats
    candidates: Floats


class Beliefs(NamedTuple):
    """Means believed now (draws × systems), and standard deviations along axes: of how they move, and of R′.

    Axes are systems × directions, deviations draws × directions; those of R′ are widened as Student's t is. `caution`
    is a variance, by draw, that intervals of differences have beyond R′ and that changes no rank.
    """

    means: Floats
    move_axes: Floats
    moves: Floats
    error_axes: Floats
    errors: Floats
    caution: Floats


class Outlook(ABC):
    """The ranking to expect by budget; a kind of label says how errors shrink.

    Draws have the same random numbers at every budget, so that a curve over budgets is smooth.
    """

    level: float
    top: int
    seed: int

    @abstractmethod
    def beliefs(self, budget: int) -> Beliefs:
        """Means and errors with this budget in all."""

    def at(self, budget: int) -> Precision:
        """What to expect with this budget in all."""
        generator = np.random.default_rng([self.seed, 0])
        now = self.beliefs(budget)
        draws, m = now.means.shape
        step = max(1, _CELLS // (_RANKS * m))
        parts = []
        for rows in (slice(start, start + step) for start in range(0, draws, step)):
            moves, errors = now.moves[rows], now.errors[rows]
            means = now.means[rows] + (generator.standard_normal(moves.shape) * moves) @ now.move_axes.T
            parts.append(self._ranked(means, errors, now.error_axes, now.caution[rows], generator))
        return Precision(*np.concatenate(parts, axis=1))

    def _ranked(
        self, means: Floats, errors: Floats, axes: Floats, caution: Floats, generator: np.random.Generator
    ) -> Floats:
        """The four quantities of `Precision` (rows) in some draws (columns)."""
        from scipy.special import ndtri

        draws, m = means.shape
        drawn = means + (generator.standard_normal((_RANKS, *errors.shape)) * errors) @ axes.T
        first, last = (side.reshape(_RANKS, draws * m) for side in rank_sets.rank_bounds(drawn.reshape(-1, m)))
        low, high = (side.reshape(draws, m) for side in rank_sets.typical(first, last, self.level))
        beyond = float(ndtri((1.0 + self.level) / 2.0))
        separated = []
        for own, sd, added in zip(means, errors, caution, strict=True):
            variances = rank_sets.difference_variances((axes * np.square(sd)) @ axes.T) + 2.0 * added
            separated.append(float((np.abs(own[:, None] - own) > beyond * np.sqrt(variances)).mean()))
        widths = high - low + 1
        return np.array(
            [
                widths.mean(axis=1),
                widths.max(axis=1),
                np.array(separated) * m / (m - 1.0),
                (low <= self.top).sum(axis=1),
            ]
        )


class TopicOutlook(Outlook):
    """The ranking to expect of human topics beside the judge's, given those labelled so far: none, or at least three.

    Human scores are taken to vary over topics along the same axes as the judge's, which has more topics; how much they
    vary, and how the judge follows them, is from the human topics.
    """

    def __init__(
        self,
        human: Floats,
        judge: Floats,
        further: Floats,
        *,
        level: float,
        top: int,
        seed: int = 0,
        draws: int = DRAWS,
    ) -> None:
        self.level, self.top, self.seed = level, top, seed
        self.labelled, self.judged = len(human), len(judge) + len(further)
        x, y, r = centred(human), centred(judge), centred(further)
        scale = unit(x, y)
        y, r = y * scale, r * scale
        self._axes, self._along = _axes(np.concatenate([y, r]))
        # In how many directions systems vary independently over topics
        self._directions = float(self._along.sum() ** 2 / max(np.square(self._along).sum(), 1e-300))
        r = r if len(r) > 1 else r[:0]  # a single topic does not show how scores vary over topics
        generator = np.random.default_rng([seed, 1])
        self._off: Components | None = None
        if len(x):
            whole = components(x, y, r)
            self._components, other = (_resampled(generator, x, y, r, draws) for _ in range(2))
            self._off = Components(*(drawn - value for drawn, value in zip(other, whole, strict=True)))
            weights = predictor(whole, len(x), len(r)).weights
        else:
            within, between = (generator.uniform(*ends, draws) for ends in (ASSUMED_WITHIN, ASSUMED_BETWEEN))
            self._components = assumed_components(r, within, between)
            weights = predictor(self._components, 0, len(r)).weights
        means = [z.mean(axis=0) if len(z) else np.zeros(r.shape[1]) for z in (x, y, r)]
        self._means = np.broadcast_to(weights @ np.array(means), (draws, r.shape[1]))

    def beliefs(self, budget: int) -> Beliefs:
        """Along common axes the error variance is that of topics, plus what shrinking and the judge's errors leave."""
        now, then = self._variances(self.labelled), self._variances(budget)
        freedom = min(PRIOR_TOPICS + budget - 1.0, max(budget - 1.0, 1.0) * self._directions)
        wider = student_factor(freedom, self.level)
        moves = np.sqrt(np.maximum(now - then, 0.0))
        caution = wider**2 * self._caution(budget)
        return Beliefs(self._means, self._axes, moves, self._axes, wider * np.sqrt(then), caution)

    def _weights(self, n: int) -> Floats:
        """The weights of the prediction from n human topics, by what so many topics will tell of the components."""
        return predictor(self._estimate(n), n, self.judged - n).weights

    def _variances(self, n: int) -> Floats:
        """Error variances with n human topics."""
        c, more, weights = self._components, self.judged - n, self._weights(n)
        wx, wy, wr = weights.T
        human = (wx * wx * c.exx + 2.0 * wx * wy * c.exy + wy * wy * c.eyy) / max(n, 1)
        further = wr * wr * c.err / max(more, 1)
        by_topics = np.maximum(human + further, 0.0)
        return np.asarray(by_topics[:, None] * self._along + remaining_variance(c, weights)[:, None])

    def _caution(self, n: int) -> Floats:
        """What intervals get for taking the variance of true values one standard error larger (see `best_linear`).

        The standard error is that of Gaussian means.
        """
        own, error = self._components.kxx, np.maximum(self._components.exx, 0.0) / n
        uncertain = np.sqrt(2.0 * error * (2.0 * own + error) / self._directions)
        return np.asarray((1.0 - mean_slope(self._components, self._weights(n))) ** 2 * uncertain)

    def _estimate(self, n: int) -> Components:
        """The components as n topics would estimate them: off by another resample's error, less with more topics."""
        if self._off is None:
            return self._components
        share = (self.labelled / n) ** 0.5
        c = Components(*(value + share * off for value, off in zip(self._components, self._off, strict=True)))
        kxx, kyy, exx, eyy, err = (np.maximum(value, 0.0) for value in (c.kxx, c.kyy, c.exx, c.eyy, c.err))
        between, within = np.sqrt(kxx * kyy), np.sqrt(exx * eyy)
        kxy, exy = np.clip(c.kxy, -between, between), np.clip(c.exy, -within, within)
        return Components(kxx, kxy, kyy, exx, exy, eyy, err)


def student_factor(freedom: float, level: float) -> float:
    """How much wider an interval by Student's t is than one by the normal distribution."""
    from scipy.special import ndtri, stdtrit

    tail = (1.0 + level) / 2.0
    return float(stdtrit(freedom, tail) / ndtri(tail))


def assumed_components(judge: Floats, within: Floats, between: Floats) -> Components:
    """Variance components of human scores that vary as the judge's do, and correlate with them as assumed."""
    topics, m = judge.shape
    means = judge.mean(axis=0)
    error = float(np.square(judge - means).sum()) / ((topics - 1.0) * (m - 1.0))
    spread = float(means @ means) / (m - 1.0)
    true = max(spread - error / topics, _LEAST_VARIANCE * spread)
    k, e = np.full(within.shape, true), np.full(within.shape, error)
    return Components(k, between * k, k, e, within * e, e, e)


def _axes(scores: Floats) -> tuple[Floats, Floats]:
    """The axes along which centred scores vary over topics, and how much, on average 1; none for all systems alike."""
    m = scores.shape[1]
    covariance = np.atleast_2d(np.cov(scores, rowvar=False))
    total = float(np.trace(covariance))
    shape = covariance * ((m - 1.0) / total) if total > 0.0 else np.eye(m) - 1.0 / m
    # The axis of all systems alike gets the greatest value, and is left out.
    values, axes = np.linalg.eigh(shape + 2.0)
    return np.asarray(axes[:, :-1]), np.maximum(values[:-1], 0.0)


def _resampled(generator: np.random.Generator, x: Floats, y: Floats, r: Floats, draws: int) -> Components:
    """The components of human topics drawn with replacement, at least two different ones in each draw."""
    drawn: list[Components] = []
    while len(drawn) < draws:
        rows = generator.integers(0, len(x), len(x))
        if np.ptp(rows) > 0:
            drawn.append(components(x[rows], y[rows], r))
    return Components(*(np.concatenate(values) for values in zip(*drawn, strict=True)))
