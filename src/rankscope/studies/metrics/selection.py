"""Few measures that say most: orders of measures by the determinant of their covariance (Sheffield 1985; Gupta 2019).

The log determinant of a set's covariance is large when its measures vary much and correlate little. Every function
takes a symmetric positive definite matrix; `regular` makes one of a nearly singular one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from rankscope.checks import check_choice
from rankscope.scores import Floats

Method = Literal["backward", "forward", "row_sums"]
METHODS: tuple[Method, ...] = get_args(Method)
METHOD_LABELS: dict[Method, str] = {
    "backward": "iterative backward",
    "forward": "greedy forward",
    "row_sums": "row sums (the authors' script)",
}
# The smallest eigenvalue of the correlations below which the matrix counts as singular, and what is then added to
# each variance, as a share of it.
SINGULAR = 1e-10
RIDGE = 1e-8
# An inverse whose pivot (a variance inflation factor) is beyond this has lost digits in the update: it is made anew.
_INFLATED = 1e6
# Values this close are ties but for rounding; the later measure goes.
_TIE = 1e-9
EXACT_UP_TO = 30
RESTARTS = 20


@dataclass(frozen=True, eq=False)
class Regular:
    """A matrix to choose from: with a ridge where it was nearly singular."""

    matrix: Floats
    smallest: float
    ridge: float


@dataclass(frozen=True, eq=False)
class Order:
    """Positions from most to least informative, and the criterion by which each was taken in (or, backward, left)."""

    positions: tuple[int, ...]
    criterion: Floats


@dataclass(frozen=True, eq=False)
class Best:
    """The set of one size with the greatest log determinant that was found; `exact` if none is greater."""

    positions: tuple[int, ...]
    log_det: float
    exact: bool


def regular(matrix: Floats) -> Regular:
    """The matrix, with a small ridge where its correlations are nearly singular: two measures alike, say."""
    scale = np.sqrt(np.diagonal(matrix))
    smallest = float(np.linalg.eigvalsh(matrix / np.outer(scale, scale))[0])
    ridge = RIDGE if smallest < SINGULAR else 0.0
    return Regular(matrix + ridge * np.diag(np.diagonal(matrix)), smallest, ridge)


def backward(matrix: Floats) -> Order:
    """Remove, one by one, the measure without which the determinant is greatest (Algorithm 1, by deletion).

    det Σ without i is det Σ · (Σ⁻¹)ᵢᵢ, and deleting i from Σ is a rank-one update of Σ⁻¹: O(S²) a step. The paper's
    line 7 makes that update on Σ itself, which conditions on i where deletion is meant. The criterion is the log
    determinant of what is left, at each place the set of all measures down to it.

    >>> backward(np.array([[4.0, 1.9, 0.1], [1.9, 1.0, 0.1], [0.1, 0.1, 1.0]])).positions
    (0, 2, 1)
    """
    scale = np.diagonal(matrix)
    root = np.sqrt(scale)
    correlations = matrix / np.outer(root, root)
    left = list(range(len(matrix)))
    inverse = np.linalg.inv(correlations)
    removed = []
    while len(left) > 1:
        # (Σ⁻¹)ᵢᵢ is (R⁻¹)ᵢᵢ/σᵢ²; the inverse of correlations keeps more digits.
        gains = np.diagonal(inverse) / scale[left]
        at = int(np.flatnonzero(gains >= gains.max() * (1.0 - _TIE))[-1])
        pivot = inverse[at, at]
        removed.append(left.pop(at))
        if pivot > _INFLATED:
            inverse = np.linalg.inv(correlations[np.ix_(left, left)])
        else:
            updated = inverse - np.outer(inverse[:, at], inverse[at]) / pivot
            inverse = np.delete(np.delete(updated, at, axis=0), at, axis=1)
    positions = (left[0], *reversed(removed))
    return Order(positions, log_dets(matrix, positions))


def forward(matrix: Floats) -> Order:
    """Take in, one by one, the measure with the greatest Σ_j σᵢⱼ²/σᵢᵢ (Algorithm 2).

    That is what it explains of all that is left, itself included. After each, the covariance of those left is that
    given what was taken (the Schur complement).

    >>> forward(np.array([[4.0, 1.9, 0.1], [1.9, 1.0, 0.1], [0.1, 0.1, 1.0]])).positions
    (0, 2, 1)
    """
    left, rest = list(range(len(matrix))), matrix.copy()
    floor = SINGULAR * np.diagonal(matrix)
    positions, criterion = [], []
    while left:
        variances = np.diagonal(rest)[left]
        sums = np.square(rest[np.ix_(left, left)]).sum(axis=1)
        explained = np.divide(sums, variances, out=np.zeros(len(left)), where=variances > floor[left])
        at = int(np.flatnonzero(explained >= explained.max() * (1.0 - _TIE))[0])
        chosen = left.pop(at)
        positions.append(chosen)
        criterion.append(float(explained[at]))
        if rest[chosen, chosen] > floor[chosen]:
            rest = rest - np.outer(rest[:, chosen], rest[chosen]) / rest[chosen, chosen]
    return Order(tuple(positions), np.array(criterion))


def row_sums(matrix: Floats) -> Order:
    """Take in, one by one, the measure with the greatest sum of covariances with those left: the authors' script.

    Nothing is updated after a choice, so that measures alike are chosen one after the other.
    """
    left, positions, criterion = list(range(len(matrix))), [], []
    while left:
        sums = matrix[np.ix_(left, left)].sum(axis=1)
        at = int(np.argmax(sums))
        criterion.append(float(sums[at]))
        positions.append(left.pop(at))
    return Order(tuple(positions), np.array(criterion))


def order_by(matrix: Floats, method: Method) -> Order:
    """The order by a method."""
    check_choice("method", method, METHODS)
    return {"backward": backward, "forward": forward, "row_sums": row_sums}[method](matrix)


def backward_batch(matrices: Floats) -> npt.NDArray[np.intp]:
    """Backward elimination of many matrices at once: batch × S, positions from most to least informative."""
    batch, size, _ = matrices.shape
    scale = np.diagonal(matrices, axis1=1, axis2=2)
    root = np.sqrt(scale)
    correlations = matrices / (root[:, :, None] * root[:, None, :])
    inverse = np.linalg.inv(correlations)
    present, order, draws = np.ones((batch, size), dtype=bool), np.empty((batch, size), dtype=np.intp), np.arange(batch)
    for place in range(size - 1, 0, -1):
        gains = np.where(present, np.diagonal(inverse, axis1=1, axis2=2) / scale, -np.inf)
        tied = gains >= gains.max(axis=1, keepdims=True) * (1.0 - _TIE)
        out = size - 1 - np.argmax(tied[:, ::-1], axis=1)
        order[:, place] = out
        present[draws, out] = False
        column, pivot = inverse[draws, :, out], inverse[draws, out, out]
        inflated = pivot > _INFLATED
        inverse = inverse - column[:, :, None] * column[:, None, :] / pivot[:, None, None]
        if inflated.any():
            # Those that are out become independent of the rest, so that the rest is inverted on its own.
            left = present[inflated]
            kept = correlations[inflated] * (left[:, :, None] & left[:, None, :])
            inverse[inflated] = np.linalg.inv(kept + (~left)[:, :, None] * np.eye(size))
    order[:, 0] = np.argmax(present, axis=1)
    return order


def log_dets(matrix: Floats, positions: Sequence[int]) -> Floats:
    """The log determinant of the first, the first two … of these positions: one factorisation gives all."""
    chosen = matrix[np.ix_(positions, positions)]
    try:
        factor = np.diagonal(np.linalg.cholesky(chosen))
    except np.linalg.LinAlgError:
        return np.array([np.linalg.slogdet(chosen[: k + 1, : k + 1])[1] for k in range(len(positions))])
    return np.asarray(2.0 * np.cumsum(np.log(factor)))


def best_sets(matrix: Floats, *, restarts: int = RESTARTS, rng: int = 0) -> list[Best]:
    """For every size, the set with the greatest determinant: exact up to 30 measures, else by exchange.

    >>> [best.positions for best in best_sets(np.array([[4.0, 1.9, 0.1], [1.9, 1.0, 0.1], [0.1, 0.1, 1.0]]))]
    [(0,), (0, 2), (0, 1, 2)]
    """
    size = len(matrix)
    starts = [backward(matrix).positions, forward(matrix).positions]
    if size > EXACT_UP_TO:
        generator = np.random.default_rng(rng)
        return [_by_exchange(matrix, k, starts, restarts, generator) for k in range(1, size + 1)]
    return _by_branch_and_bound(matrix, starts)


def _by_branch_and_bound(matrix: Floats, starts: Sequence[tuple[int, ...]]) -> list[Best]:
    from rankscope.kernels.determinants import greatest_determinants

    size = len(matrix)
    best, members = np.full(size + 1, -np.inf), np.zeros((size + 1, size), dtype=np.int64)
    # The most informative first: what is decided late then varies little, and the bound is close. The kernel works on
    # the matrix in that order.
    order = list(starts[0])
    place = {position: i for i, position in enumerate(order)}
    for start in starts:
        for k, value in enumerate(log_dets(matrix, start), 1):
            if value > best[k]:
                best[k] = value
                members[k] = 0
                members[k, [place[position] for position in start[:k]]] = 1
    # A bound must beat the incumbent by more than rounding to be followed.
    best[1:] += 1e-12 * (1.0 + np.abs(best[1:]))
    sorted_matrix = np.ascontiguousarray(matrix[np.ix_(order, order)])
    greatest_determinants(sorted_matrix, 1e-14 * np.diagonal(sorted_matrix), best, members)
    sets = []
    for k in range(1, size + 1):
        positions = tuple(sorted(order[i] for i in np.flatnonzero(members[k])))
        sets.append(Best(positions, float(log_dets(matrix, positions)[-1]), True))
    return sets


def _by_exchange(
    matrix: Floats, size: int, starts: Sequence[tuple[int, ...]], restarts: int, generator: np.random.Generator
) -> Best:
    tries = [list(start[:size]) for start in starts]
    tries += [generator.permutation(len(matrix))[:size].tolist() for _ in range(restarts)]
    return max((exchange(matrix, each) for each in tries), key=lambda best: best.log_det)


def exchange(matrix: Floats, start: Sequence[int]) -> Best:
    """Swap a member for a non-member while that raises the determinant, the best swap first.

    det(A − i + j)/det A = Pᵢᵢ sⱼ + bᵢⱼ², with P the inverse of A's matrix, sⱼ what is left of j's variance given A,
    and b = P·cov(A, j): all swaps from one inverse.
    """
    chosen = list(start)
    others = [i for i in range(len(matrix)) if i not in set(chosen)]
    while others and chosen:
        inverse = np.linalg.inv(matrix[np.ix_(chosen, chosen)])
        across = matrix[np.ix_(chosen, others)]
        explained = inverse @ across
        left = np.diagonal(matrix)[others] - (across * explained).sum(axis=0)
        ratio = np.outer(np.diagonal(inverse), left) + np.square(explained)
        i, j = np.unravel_index(int(np.argmax(ratio)), ratio.shape)
        if ratio[i, j] <= 1.0 + 1e-10:
            break
        chosen[i], others[j] = others[j], chosen[i]
    positions = tuple(sorted(chosen))
    return Best(positions, float(log_dets(matrix, positions)[-1]), len(positions) == len(matrix))
