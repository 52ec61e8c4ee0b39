"""Slow, literal twins of the variance components of repeats: sums over all cells (Brennan 2001, chapter 3)."""

from __future__ import annotations

import itertools

import numpy as np


def components(values):
    """Systems, topics, repeats, both: from the expected mean squares of a crossed design, cell by cell."""
    repeats, topics, systems = values.shape
    cells = list(itertools.product(range(repeats), range(topics), range(systems)))

    def mean(r=None, t=None, s=None):
        return np.mean([values[c] for c in cells if r in (None, c[0]) and t in (None, c[1]) and s in (None, c[2])])

    whole = mean()
    of_system = sum((mean(s=s) - whole) ** 2 for s in range(systems)) * repeats * topics / (systems - 1)
    by_topic = sum((mean(t=t, s=s) - mean(t=t) - mean(s=s) + whole) ** 2 for t in range(topics) for s in range(systems))
    by_repeat = sum(
        (mean(r=r, s=s) - mean(r=r) - mean(s=s) + whole) ** 2 for r in range(repeats) for s in range(systems)
    )
    rest = sum(
        (values[r, t, s] - mean(r=r, t=t) - mean(r=r, s=s) - mean(t=t, s=s) + mean(r=r) + mean(t=t) + mean(s=s) - whole)
        ** 2
        for r, t, s in cells
    )
    ms_topic = by_topic * repeats / ((topics - 1) * (systems - 1))
    ms_repeat = by_repeat * topics / ((repeats - 1) * (systems - 1))
    ms_rest = rest / ((repeats - 1) * (topics - 1) * (systems - 1))
    return (
        (of_system - ms_topic - ms_repeat + ms_rest) / (repeats * topics),
        (ms_topic - ms_rest) / repeats,
        (ms_repeat - ms_rest) / topics,
        ms_rest,
    )


def permutation_pvalue(values):
    """The exact share of orders of repeats within topics whose repeats differ as much as those at hand, or more."""
    repeats, topics, _ = values.shape
    centred = values - values.mean(axis=2, keepdims=True)

    def statistic(orders):
        moved = np.array([[centred[order[r], t] for t, order in enumerate(orders)] for r in range(repeats)])
        return ((moved.mean(axis=1) - moved.mean(axis=(0, 1))) ** 2).sum()

    every = list(itertools.product(itertools.permutations(range(repeats)), repeat=topics))
    found = statistic([tuple(range(repeats))] * topics)
    return np.mean([statistic(orders) >= found * (1 - 1e-12) for orders in every])
