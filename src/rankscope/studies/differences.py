"""Where two lists of scores part: swapped pairs, ties, and the overlap of their tops; plain arrays in and out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from rankscope.scores import Floats

# Pairs looked at in one block when swaps are listed: bounds memory for long leaderboards.
BLOCK = 4_000_000

Positions = npt.NDArray[np.intp]


def swapped_pairs(x: Floats, y: Floats, most: int, *, block: int = BLOCK) -> tuple[int, Positions]:
    """The number of discordant pairs, and those with the largest gap in x, then in y: rows (better by x, worse)."""
    m = len(x)
    order = np.argsort(-x, kind="stable")
    xs, ys = x[order], y[order]
    count = 0
    kept = np.empty((0, 2), dtype=np.intp)
    step = max(1, block // m)
    least = -np.inf  # the smallest gap that is still kept: below it pairs are counted, not listed
    for start in range(0, m, step):
        rows = slice(start, min(start + step, m))
        swapped = (xs[rows, None] > xs[None, start:]) & (ys[rows, None] < ys[None, start:])
        count += int(np.count_nonzero(swapped))
        if most == 0 or xs[start] - xs[-1] < least:
            continue
        a, b = np.nonzero(swapped)
        a, b = a + start, b + start
        large = xs[a] - xs[b] >= least
        kept = np.concatenate([kept, np.column_stack([a[large], b[large]])])
        kept = kept[np.lexsort((kept[:, 0], ys[kept[:, 0]] - ys[kept[:, 1]], xs[kept[:, 1]] - xs[kept[:, 0]]))][:most]
        if len(kept) == most:
            least = xs[kept[-1, 0]] - xs[kept[-1, 1]]
    return count, order[kept]


def tied_pairs(scores: Floats) -> int:
    """The number of pairs with equal scores."""
    _, sizes = np.unique(scores, return_counts=True)
    return int((sizes * (sizes - 1) // 2).sum())


def shared_top(x: Floats, y: Floats, k: int) -> tuple[int, float]:
    """How many of the two tops of k are in both, and their share of the larger; those tied at a cut are all in."""
    x_top, y_top = (scores >= np.sort(scores)[-k] for scores in (x, y))
    shared = int((x_top & y_top).sum())
    return shared, shared / max(int(x_top.sum()), int(y_top.sum()))
