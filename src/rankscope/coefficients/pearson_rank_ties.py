"""The orders of the truth's ties under which Pearson Rank is least and greatest.

In Gao, Bagdouri & Oard (2016), Eq. 1, a system's term is the cosine of its gaps to all above it. The gaps in the truth
to members of its own tie group are 0, so that those above it in the group enter the estimate's sum of squares alone.
What follows: tie groups do not affect each other; a system's term depends on which members are above it, not on their
order; and swapping neighbours changes no term but theirs.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rankscope.coefficients.rows import tame
from rankscope.scores import Floats

# Larger groups are not tried in all their orders, whatever the limit: it takes time and memory of size · 2^size.
_MOST_TRIED = 16
# Squared gaps computed at once.
_GAPS = 1 << 21
# What a swap must add to the sum of cosines, so that rounding does not swap to and fro.
_NOTABLE = 1e-13

Positions = npt.NDArray[np.intp]


@dataclass(frozen=True, kw_only=True)
class _Group:
    """A tie group of the truth below the top one."""

    members: Positions
    share: float  # of all weights, of each member
    cosine: Floats  # the members' terms times the square root of `above`
    above: Floats  # the sum of squared gaps in the estimate to the systems above the group
    y: Floats  # their scores in the estimate


class Extremes(NamedTuple):
    """The ranks (1 is best) of the systems where the value is least and greatest."""

    least: Floats
    greatest: Floats
    mean: float | None  # over all ways to break ties, if that is known
    searched: int  # tie groups whose orders were not all tried


def extreme_ranks(x: Floats, y: Floats, starts: Floats, *, scale: bool, limit: int) -> Extremes:
    """The ranks at which Pearson Rank is least and greatest, over all ways to break the ties of the truth x.

    Groups with up to `limit` subsets are tried in all their orders. Others are sorted from each of `starts` (ranks) by
    swapping neighbours until no swap improves the value.
    """
    groups = _groups(tame(x[None])[0], tame(y[None])[0], scale)
    ranks = np.stack([starts[0], starts[0]])
    tried = [group for group in groups if 1 << len(group.members) <= min(limit, 1 << _MOST_TRIED)]
    searched = [group for group in groups if 1 << len(group.members) > min(limit, 1 << _MOST_TRIED)]
    mean = 0.0
    for group in tried:
        *orders, term = _all_orders(group)
        mean += group.share * term
        for own, order in zip(ranks, orders, strict=True):
            own[group.members[order]] = np.sort(starts[0, group.members])
    if searched:
        for own, sign in zip(ranks, (-1.0, 1.0), strict=True):
            _sort_by_swaps(searched, starts, sign, own)
    return Extremes(ranks[0], ranks[1], None if searched else mean, len(searched))


def _groups(x: Floats, y: Floats, scale: bool) -> list[_Group]:
    """The truth's tie groups below the top one."""
    order = np.argsort(-x, kind="stable")
    x, y = x[order], y[order] - y[order[0]]
    bounds = [*np.flatnonzero(np.diff(x, prepend=np.inf)).tolist(), len(x)]
    weights = (x - x[-1]) / (x[0] - x[-1]) if scale else x
    total = float(weights[bounds[1] :].sum())
    groups = []
    for start, end in itertools.pairwise(bounds[1:]):
        own, x_gaps = y[start:end], x[:start] - x[start]
        middle = float(y[:start].mean())
        spread = y[:start] - middle
        above = float(spread @ spread) + start * (middle - own) ** 2
        product = float(x_gaps @ spread) + float(x_gaps.sum()) * (middle - own)
        cosine = np.where(above > 0.0, product / max(float(np.sqrt(x_gaps @ x_gaps)), np.finfo(float).tiny), 0.0)
        share = float(weights[start]) / total if total > 0.0 else 1.0 / (len(x) - bounds[1])
        groups.append(_Group(members=order[start:end], share=share, cosine=cosine, above=above, y=own))
    return groups


def _terms(cosine: Floats, squares: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(squares > 0.0, np.clip(cosine / np.sqrt(squares), -1.0, 1.0), 0.0)


def _all_orders(group: _Group) -> tuple[Positions, Positions, float]:
    """The orders of a group at which the sum of its terms is least and greatest, and the mean of the sum over all.

    The best order of a set of members ends with one of them, after the best order of the others.
    """
    size = len(group.members)
    gaps = (group.y[:, None] - group.y) ** 2
    squares = np.repeat(group.above[:, None], 1 << size, axis=1)  # a row per member, a column per set above it
    count = np.zeros(1 << size, dtype=np.intp)
    for k in range(size):
        bit = 1 << k
        squares[:, bit : 2 * bit] = squares[:, :bit] + gaps[:, k, None]
        count[bit : 2 * bit] = count[:bit] + 1
    terms = _terms(group.cosine[:, None], squares)
    bits = 1 << np.arange(size)
    by_count = [np.flatnonzero(count == number) for number in range(size + 1)]
    orders, mean = [], 0.0
    for sign in (-1.0, 1.0):
        best, last = np.zeros(1 << size), np.zeros(1 << size, dtype=np.intp)
        for sets in by_count[1:]:
            without = sets[:, None] ^ bits
            ends = sign * terms[np.arange(size), without] + best[without]
            ends[(sets[:, None] & bits) == 0] = -np.inf
            last[sets] = ends.argmax(axis=1)
            best[sets] = ends.max(axis=1)
        order, left = [], (1 << size) - 1
        while left:
            order.append(int(last[left]))
            left ^= 1 << order[-1]
        orders.append(np.array(order[::-1]))
    for sets in by_count[:-1]:
        outside = (sets[:, None] & bits) == 0
        # Every number of members above is as likely, and so is every set of this number.
        mean += float(terms[:, sets].T[outside].sum()) / (len(sets) * (size - int(count[sets[0]])))
    return orders[0], orders[1], mean


def _sort_by_swaps(groups: list[_Group], starts: Floats, sign: float, ranks: Floats) -> None:
    """Set the `ranks` of the groups' members, sorted from each start; each group takes the best of its orders."""
    first = np.cumsum([0, *(len(group.members) for group in groups)])
    best = np.full(len(groups), -np.inf)
    for start in starts:
        orders = [np.argsort(start[group.members]) for group in groups]
        members, terms = _swapped(groups, orders, sign)
        totals = sign * np.add.reduceat(terms, first[:-1])
        for i in np.flatnonzero(totals > best):
            ranks[members[first[i] : first[i + 1]]] = np.sort(start[groups[i].members])
        best = np.maximum(best, totals)


def _swapped(groups: list[_Group], orders: list[Positions], sign: float) -> tuple[Positions, Floats]:
    """The members of all groups, each from the best, after swaps until none improves the sum of terms; and the terms.

    Neighbours at even places are compared at once, then those at odd places, by turns.
    """
    both = list(zip(groups, orders, strict=True))
    members = np.concatenate([group.members[order] for group, order in both])
    cosine = np.concatenate([group.cosine[order] for group, order in both])
    above = np.concatenate([group.above[order] for group, order in both])
    y = np.concatenate([group.y[order] for group, order in both])
    squares = above + np.concatenate([_squares_before(group.y[order]) for group, order in both])
    own = np.repeat(np.arange(len(groups)), [len(order) for order in orders])
    share = np.array([group.share for group in groups])[own]
    inside = np.flatnonzero(own[1:] == own[:-1])
    idle = 0
    while idle < 2:
        for parity in (0, 1):
            upper = inside[inside % 2 == parity]
            lower = upper + 1
            gap = (y[upper] - y[lower]) ** 2
            # Rounding must not take a sum below what the systems above the group make of it.
            risen, fallen = np.maximum(squares[lower] - gap, above[lower]), squares[upper] + gap
            gain = _terms(cosine[lower], risen) + _terms(cosine[upper], fallen)
            gain -= _terms(cosine[upper], squares[upper]) + _terms(cosine[lower], squares[lower])
            better = sign * gain > _NOTABLE
            idle = 0 if better.any() else idle + 1
            upper, lower = upper[better], lower[better]
            for values in (members, cosine, above, y):
                values[upper], values[lower] = values[lower], values[upper]
            squares[upper], squares[lower] = risen[better], fallen[better]
    return members, share * _terms(cosine, squares)


def _squares_before(y: Floats) -> Floats:
    """For each place, the sum of its squared gaps to those before it."""
    sums = np.empty(len(y))
    step = max(1, _GAPS // len(y))
    for i in range(0, len(y), step):
        gaps = np.tril((y[i : i + step, None] - y) ** 2, k=i - 1)
        sums[i : i + step] = gaps.sum(axis=1)
    return sums
