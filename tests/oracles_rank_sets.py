"""Rank sets by their definitions, slowly: one pair, one draw, one hypothesis at a time."""

import math

import numpy as np
from scipy import stats


def rank_bounds(row):
    """The best and the worst rank of each system: one more than those above it, and all but those below it."""
    low = [1 + sum(other > mine for other in row) for mine in row]
    high = [len(row) - sum(other < mine for other in row) for mine in row]
    return low, high


def widening(topics, level, freedom=None):
    tail = (1 + level) / 2
    return math.sqrt(topics / (topics - 1)) * stats.t.ppf(tail, freedom or topics - 1) / stats.norm.ppf(tail)


def standard_error(values, j, k):
    difference = values[:, j] - values[:, k]
    return math.sqrt(difference.var(ddof=1) / len(difference))


def critical(greatest, level):
    """The smallest drawn value that at most (1 − level) of the draws and the observation exceed."""
    for value in sorted(greatest):
        if sum(other > value for other in greatest) + 1 <= (1 - level) * (len(greatest) + 1) + 1e-9:
            return value
    return math.inf


def step_down(values, deviations, hypotheses, level, resampled):
    """Which of the hypotheses "j is not better than k" are rejected, dropping those rejected and testing again.

    The critical value is that of the greatest difference over draws, or Holm's where they are not `resampled`.
    """
    means, topics = values.mean(axis=0), len(values)
    wide = math.sqrt(topics / (topics - 1))
    left = set(hypotheses)
    rejected: set[tuple[int, int]] = set()
    while True:
        greatest = []
        for draw in deviations:
            values_now = [0.0]
            for j, k in left:
                error = standard_error(values, j, k)
                if error > 1e-9:
                    values_now.append(wide * (draw[j] - draw[k]) / error)
            greatest.append(max(values_now))
        tail = stats.norm.sf(critical(greatest, level)) if resampled else (1 - level) / max(len(left), 1)
        limit = stats.t.isf(tail, topics - 1)
        now = set()
        for j, k in left:
            gap, error = means[j] - means[k], standard_error(values, j, k)
            if abs(gap) > 1e-12 and ((error <= 1e-9 and gap > 0) or (error > 1e-9 and gap / error > limit)):
                now.add((j, k))
        if not now:
            return rejected
        rejected |= now
        left -= now


def simultaneous(values, deviations, level, resampled):
    systems = range(values.shape[1])
    return step_down(values, deviations, [(j, k) for j in systems for k in systems if j != k], level, resampled)


def marginal(values, deviations, level, resampled, j):
    others = [k for k in range(values.shape[1]) if k != j]
    return step_down(values, deviations, [(j, k) for k in others] + [(k, j) for k in others], level, resampled)


def best_rank(values, deviations, level, resampled, j):
    return step_down(values, deviations, [(k, j) for k in range(values.shape[1]) if k != j], level, resampled)


def sets(rejected, systems):
    """Low and high rank of each system."""
    low = [1 + sum((k, j) in rejected for k in range(systems)) for j in range(systems)]
    high = [systems - sum((j, k) in rejected for k in range(systems)) for j in range(systems)]
    return low, high


def typical(values, deviations, level, prior):
    """Quantiles of ranks over draws around shrunk means, errors moderated by the average (topic effects removed)."""
    topics, systems = values.shape
    centred = values - values.mean(axis=1, keepdims=True)
    means = centred.mean(axis=0)
    residuals = centred - means
    error = (residuals**2).sum() / ((topics - 1) * (systems - 1))
    spread = (means**2).sum() / (systems - 1)
    factor = max(systems - 3, 0) / (systems - 1)
    share = max(1 - factor * error / topics / spread, 0.02) if spread > 0 else 0.02
    own = residuals.var(axis=0)
    ranks = []
    for draw in deviations:
        row = []
        for j in range(systems):
            moderated = (prior * own.mean() + (topics - 1) * own[j]) / (prior + topics - 1)
            ratio = math.sqrt(moderated / own[j]) if own[j] > 1e-18 else 1.0
            noise = draw[j] - draw.mean()
            wide = widening(topics, level, topics - 1 + prior)
            row.append(share * means[j] + math.sqrt(share) * ratio * wide * noise)
        ranks.append(rank_bounds(row))
    lows, highs = np.array([low for low, _ in ranks]), np.array([high for _, high in ranks])
    tail = (1 - level) / 2
    low = [sorted(column)[max(math.ceil(tail * len(column) - 1e-9) - 1, 0)] for column in lows.T]
    high = [sorted(column)[math.ceil((1 - tail) * (len(column) - 1) - 1e-9)] for column in highs.T]
    return low, high
