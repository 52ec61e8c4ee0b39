"""The gap-sensitive coefficients: τ_GAP (Gao & Oard 2015) and Pearson Rank (Gao, Bagdouri & Oard 2016).

For τ_GAP rows are arranged by the estimate (`keys`), then by the truth (`values`), both best first.
"""

from typing import NamedTuple

import numpy as np

from rankscope.kernels.compiled import Floats, Integers, compiled, inlined
from rankscope.kernels.linear import geometric_mean
from rankscope.kernels.sorting import Placed, room_for_places, row_of


class Gaps(NamedTuple):
    """For each place, sums of its gaps in the truth to other places."""

    right: Floats  # to earlier places outside its tie group that the truth ranks above it
    wrong: Floats  # to earlier places outside its tie group that the truth ranks below it
    level: Floats  # to the other members of its tie group
    group: Integers  # the first place of its tie group


@inlined
def _room_for_gaps(m: int) -> Gaps:
    return Gaps(np.empty(m), np.empty(m), np.empty(m), np.empty(m, dtype=np.int64))


@inlined
def _gaps_by_pairs(values: Floats, gaps: Gaps, upwards: Floats, wrong_upwards: Floats, right_upwards: Floats) -> None:
    """Set `right` and `wrong` by looking at every pair.

    `upwards` lists the values from the last, so that what is below a place is a list from 0: a loop over it becomes
    vector code.
    """
    m = values.shape[0]
    for i in range(m):
        upwards[i] = values[m - 1 - i]
        wrong_upwards[i] = 0.0
        right_upwards[i] = 0.0
    below = 0  # the first place below the group
    for i in range(m):
        while below < m and gaps.group[below] <= i:
            below += 1
        value = values[i]
        for j in range(m - below):
            gap = value - upwards[j]
            right_upwards[j] += gap if gap > 0.0 else 0.0
            wrong_upwards[j] -= gap if gap < 0.0 else 0.0
    for i in range(m):
        gaps.right[i] = right_upwards[m - 1 - i]
        gaps.wrong[i] = wrong_upwards[m - 1 - i]


@inlined
def _gaps_by_merging(values: Floats, gaps: Gaps, source: Placed, target: Placed) -> None:
    """The same as `_gaps_by_pairs`, by a merge sort.

    A cursor walks down (for `right`) and up (for `wrong`) the merged values, carrying the sum of the gaps between
    itself and the left values passed. It only ever adds positive terms, so that no digits cancel, however skewed the
    scores.
    """
    right, wrong, group = gaps.right, gaps.wrong, gaps.group
    m = values.shape[0]
    for i in range(m):
        source.values[i] = values[i]
        source.places[i] = i
        right[i] = 0.0
        wrong[i] = 0.0
    width = 1
    while width < m:
        for first in range(0, m - width, 2 * width):
            middle = first + width
            end = min(middle + width, m)
            # At most one group straddles the border; its left members do not count for its right ones.
            straddling = group[middle] if group[middle - 1] == group[middle] else -1
            cursor = max(source.values[first], source.values[middle])
            passed, passed_inside = 0, 0
            total, total_inside = 0.0, 0.0
            i, j = first, middle
            for k in range(first, end):
                from_left = i < middle and (j == end or source.values[i] >= source.values[j])
                at = i if from_left else j
                value, place = source.values[at], source.places[at]
                step = cursor - value
                total += passed * step
                total_inside += passed_inside * step
                cursor = value
                if from_left:
                    if group[place] == straddling:
                        passed_inside += 1
                    else:
                        passed += 1
                    i += 1
                else:
                    right[place] += total if group[place] == straddling else total + total_inside
                    j += 1
                target.values[k], target.places[k] = value, place
            cursor = min(source.values[middle - 1], source.values[end - 1])
            passed = 0
            total = 0.0
            i, j = middle - 1, end - 1
            while j >= middle:
                from_left = i >= first and source.values[i] <= source.values[j]
                at = i if from_left else j
                value = source.values[at]
                total += passed * (value - cursor)
                cursor = value
                if from_left:
                    passed += 1
                    i -= 1
                else:
                    # Inside a group the truth descends, so that a straddling left member is never the smaller.
                    wrong[source.places[j]] += total
                    j -= 1
        tail = (m // (2 * width)) * 2 * width
        if m - tail <= width:  # a last block without a partner is carried over
            for k in range(tail, m):
                target.values[k], target.places[k] = source.values[k], source.places[k]
        source, target = target, source
        width *= 2


@inlined
def _gaps_inside(values: Floats, start: int, end: int, level: Floats) -> None:
    """For each member of a tie group sorted by descending value, the sum of its gaps to the other members."""
    total = 0.0
    level[start] = 0.0
    for place in range(start + 1, end):
        total += (place - start) * (values[place - 1] - values[place])
        level[place] = total
    total = 0.0
    for place in range(end - 2, start - 1, -1):
        total += (end - 1 - place) * (values[place] - values[place + 1])
        level[place] += total


@inlined
def _find_groups(keys: Floats, values: Floats, gaps: Gaps) -> int:
    """Set `group` and `level`; returns the size of the top group."""
    m = keys.shape[0]
    start, top = 0, 0
    for end in range(1, m + 1):
        if end == m or keys[end] != keys[start]:
            for i in range(start, end):
                gaps.group[i] = start
            _gaps_inside(values, start, end, gaps.level)
            top = end if start == 0 else top
            start = end
    return top


@inlined
def _share_of_gaps(gaps: Gaps, top: int) -> float:
    """τ_GAP (Gao & Oard 2015, Eq. 3) from the sums of gaps and the size of the top group.

    A pair tied in the estimate is met at each member half of the time, as often right as wrong.
    """
    right, wrong, level = gaps.right, gaps.wrong, gaps.level
    total, weights = 0.0, 0.0
    for place in range(right.shape[0]):
        all_gaps = right[place] + wrong[place] + level[place] / 2.0
        if all_gaps > 0.0:
            weight = 1.0 if place >= top else (top - 1.0) / top
            total += weight * (right[place] + level[place] / 4.0) / all_gaps
            weights += weight
    return 2.0 * total / weights - 1.0 if weights > 0.0 else np.nan


@compiled
def tau_gap_by_pairs(keys: Floats, values: Floats) -> Floats:
    """The same as `tau_gap`, by looking at every pair."""
    rows, m = keys.shape
    out = np.empty(rows, dtype=np.float64)
    gaps = _room_for_gaps(m)
    upwards, wrong_upwards, right_upwards = np.empty(m), np.empty(m), np.empty(m)
    for row in range(rows):
        top = _find_groups(keys[row], values[row], gaps)
        _gaps_by_pairs(values[row], gaps, upwards, wrong_upwards, right_upwards)
        out[row] = _share_of_gaps(gaps, top)
    return out


@compiled
def tau_gap(keys: Floats, values: Floats) -> Floats:
    """τ_GAP of every row."""
    rows, m = keys.shape
    out = np.empty(rows, dtype=np.float64)
    gaps = _room_for_gaps(m)
    source, target = room_for_places(m), room_for_places(m)
    for row in range(rows):
        top = _find_groups(keys[row], values[row], gaps)
        _gaps_by_merging(values[row], gaps, source, target)
        out[row] = _share_of_gaps(gaps, top)
    return out


@compiled
def pearson_rank(truth: Floats, estimate: Floats, order: Integers, scaled: bool, grouped: bool) -> Floats:
    """Pearson Rank ρ_r in one pass of running moments over the items from best to worst by the truth.

    `scaled`: weights are min–max scaled scores, otherwise the scores. `grouped`: items tied in the truth are level,
    otherwise `order` breaks their ties. Scores are taken relative to the first item's, which is above every pivot, so
    that moments keep their digits when all scores are close.
    """
    rows, m = max(len(truth), len(estimate)), order.shape[1]
    out = np.empty(rows, dtype=np.float64)
    for row in range(rows):
        x, y, by = row_of(truth, row), row_of(estimate, row), row_of(order, row)
        x_first, y_first = x[by[0]], y[by[0]]
        x_last = x[by[m - 1]]
        x_spread = x_first - x_last
        count, x_mean, y_mean = 0, 0.0, 0.0
        xx, xy, yy = 0.0, 0.0, 0.0
        total, weights, plain, pivots = 0.0, 0.0, 0.0, 0
        start = 0
        while start < m:
            end = start + 1
            while grouped and end < m and x[by[end]] == x[by[start]]:
                end += 1
            size = end - start
            x_here = x[by[start]] - x_first
            y_level, yy_level = 0.0, 0.0
            for i in range(start, end):
                y_level += (y[by[i]] - y_first) / size
            for i in range(start, end):
                yy_level += (y[by[i]] - y_first - y_level) ** 2
            x_gap = x_mean - x_here
            xx_here = xx + count * x_gap * x_gap
            if xx_here > 0.0:
                weight = (x[by[start]] - x_last) / x_spread if scaled else x[by[start]]
                for i in range(start, end):
                    y_here = y[by[i]] - y_first
                    y_gap = y_mean - y_here
                    tied = yy_level + size * (y_level - y_here) ** 2 if size > 1 else 0.0
                    yy_here = yy + count * y_gap * y_gap + tied / 2.0
                    if yy_here > 0.0:
                        # A term of Gao, Bagdouri & Oard (2016), Eq. 1: the cosine of the gaps to all items above.
                        term = (xy + count * x_gap * y_gap) / geometric_mean(xx_here, yy_here)
                        term = min(1.0, max(-1.0, term))
                        total += weight * term
                        plain += term
                    weights += weight
                    pivots += 1
            # The moments with the group, from those without it (Chan, Golub & LeVeque 1983).
            both = count + size
            x_step, y_step = x_here - x_mean, y_level - y_mean
            share = count * size / both
            xx += share * x_step * x_step
            xy += share * x_step * y_step
            yy += share * y_step * y_step + yy_level
            x_mean += x_step * size / both
            y_mean += y_step * size / both
            count = both
            start = end
        if weights > 0.0:
            out[row] = total / weights
        else:
            out[row] = plain / pivots if pivots > 0 else np.nan
    return out
