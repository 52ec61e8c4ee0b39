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
import numpy.typing as npt

from rankscope.inference import rank_sets
from rankscope.inference.correction import Components, centred, components, predictor, remaining_variance, unit
from rankscope.inference.rank_sets import PRIOR_TOPICS
from rankscope.inference.resampling import seeds_of
from rankscope.scores import Floats

DRAWS = 40
# Draws of ranks behind each expected rank set.
_RANKS = 400
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


class Roots(NamedTuple):
    """Means believed now, and roots of R − R′ and of R′ (widened as Student's t is)."""

    means: Floats
    moves: Floats
    errors: Floats


class Outlook(ABC):
    """The ranking to expect by budget; a kind of label says how errors shrink.

    Draws have the same random numbers at every budget, so that a curve over budgets is smooth.
    """

    draws: int
    level: float
    top: int
    seed: int

    @abstractmethod
    def roots(self, draw: int, budget: int) -> Roots:
        """Means and errors in a draw."""

    def at(self, budget: int) -> Precision:
        """What to expect with this budget in all."""
        seeds = seeds_of(self.seed, self.draws)
        rows = [self._in_draw(draw, budget, np.random.default_rng(seed)) for draw, seed in enumerate(seeds)]
        return Precision(*np.array(rows).T)

    def _in_draw(self, draw: int, budget: int, generator: np.random.Generator) -> tuple[float, float, float, float]:
        from scipy.special import ndtri

        now = self.roots(draw, budget)
        m = len(now.means)
        means = now.means + now.moves @ generator.standard_normal(now.moves.shape[1])
        drawn = means + generator.standard_normal((_RANKS, now.errors.shape[1])) @ now.errors.T
        low, high = rank_sets.typical(*rank_sets.rank_bounds(drawn), self.level)
        spreads = np.sqrt(rank_sets.difference_variances(now.errors @ now.errors.T))
        beyond = np.abs(means[:, None] - means) > float(ndtri((1.0 + self.level) / 2.0)) * spreads
        widths = high - low + 1
        return float(widths.mean()), float(widths.max()), beyond.sum() / (m * (m - 1.0)), float((low <= self.top).sum())


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
        self.level, self.top, self.seed, self.draws = level, top, seed, draws
        self.labelled, self.judged = len(human), len(judge) + len(further)
        x, y, r = centred(human), centred(judge), centred(further)
        scale = unit(x, y)
        y, r = y * scale, r * scale
        self._axes, self._along = _axes(np.concatenate([y, r]))
        means = np.array([z.mean(axis=0) if len(z) else np.zeros(r.shape[1]) for z in (x, y, r)])
        self._components: list[Components] = []
        self._estimated: list[Components] = []
        self._means: list[Floats] = []
        whole = _scalars(components(x, y, r)) if len(x) else None
        for child in seeds_of(np.random.default_rng([seed, 1]), draws):  # not the draws that move the means
            generator = np.random.default_rng(child)
            if whole is None:
                c = other = assumed_components(r, *(float(generator.uniform(*ends)) for ends in _ASSUMED))
            else:
                c, other = (_scalars(components(x[rows], y[rows], r)) for rows in _resampled(generator, len(x)))
                other = Components(*(drawn - value for drawn, value in zip(other, whole, strict=True)))
            self._components.append(c)
            self._estimated.append(other)
            self._means.append(predictor(whole or c, len(x), len(r)).weights @ means)

    def roots(self, draw: int, budget: int) -> Roots:
        """Along common axes the error variance is that of topics, plus what shrinking and the judge's errors leave."""
        from scipy.special import ndtri, stdtrit

        tail = (1.0 + self.level) / 2.0
        now, then = self._variances(draw, self.labelled), self._variances(draw, budget)
        wider = float(stdtrit(PRIOR_TOPICS + max(budget - 1, 0), tail) / ndtri(tail))
        return Roots(
            self._means[draw],
            self._axes * np.sqrt(np.maximum(now - then, 0.0)),
            self._axes * (wider * np.sqrt(then)),
        )

    def _variances(self, draw: int, n: int) -> Floats:
        """Error variances with n human topics, weighted by what so many topics will tell of the components."""
        c, more = self._components[draw], self.judged - n
        weights = predictor(self._estimate(draw, n), n, more).weights
        wx, wy, wr = (float(w) for w in weights)
        human = (wx * wx * c.exx + 2.0 * wx * wy * c.exy + wy * wy * c.eyy) / n if n else 0.0
        further = wr * wr * c.err / more if more else 0.0
        return np.asarray(max(human + further, 0.0) * self._along + float(remaining_variance(c, weights)))

    def _estimate(self, draw: int, n: int) -> Components:
        """The components as n topics would estimate them: off by another resample's error, less with more topics."""
        c = self._components[draw]
        if not self.labelled:
            return c
        share = min(self.labelled / n, 1.0) ** 0.5
        kxx, kxy, kyy, exx, exy, eyy, err = (
            value + share * off for value, off in zip(c, self._estimated[draw], strict=True)
        )
        kxx, kyy, exx, eyy, err = (max(value, 0.0) for value in (kxx, kyy, exx, eyy, err))
        between, within = (kxx * kyy) ** 0.5, (exx * eyy) ** 0.5
        return Components(kxx, min(max(kxy, -between), between), kyy, exx, min(max(exy, -within), within), eyy, err)


_ASSUMED = (ASSUMED_WITHIN, ASSUMED_BETWEEN)


def assumed_components(judge: Floats, within: float, between: float) -> Components:
    """Variance components of human scores that vary as the judge's do, and correlate with them as assumed."""
    topics, m = judge.shape
    means = judge.mean(axis=0)
    error = float(np.square(judge - means).sum()) / ((topics - 1.0) * (m - 1.0))
    spread = float(means @ means) / (m - 1.0)
    true = max(spread - error / topics, _LEAST_VARIANCE * spread)
    return Components(true, between * true, true, error, within * error, error, error)


def _axes(scores: Floats) -> tuple[Floats, Floats]:
    """The axes along which centred scores vary over topics, and how much, on average 1; none for all systems alike."""
    m = scores.shape[1]
    covariance = np.atleast_2d(np.cov(scores, rowvar=False))
    total = float(np.trace(covariance))
    shape = covariance * ((m - 1.0) / total) if total > 0.0 else np.eye(m) - 1.0 / m
    # The axis of all systems alike gets the greatest value, and is left out.
    values, axes = np.linalg.eigh(shape + 2.0)
    return np.asarray(axes[:, :-1]), np.maximum(values[:-1], 0.0)


def _resampled(generator: np.random.Generator, n: int) -> list[npt.NDArray[np.intp]]:
    """Two draws of topics with replacement, in each at least two different ones."""
    drawn: list[npt.NDArray[np.intp]] = []
    while len(drawn) < 2:
        rows = generator.integers(0, n, n)
        if np.ptp(rows) > 0:
            drawn.append(rows)
    return drawn


def _scalars(c: Components) -> Components:
    return Components(*(float(value[0]) for value in c))
