"""The gap-sensitive pair: τ_GAP (Gao & Oard 2015) and Pearson Rank (Gao, Bagdouri & Oard 2016)."""

import numpy as np

from rankscope.kernels.compiled import Floats, Integers, compiled, inlined
from rankscope.kernels.linear import geometric_mean
from rankscope.kernels.sorting import row_of


@inlined
def _gaps_by_pairs(
    values: Floats, group: Integers, right: Floats, wrong: Floats, upwards: Floats, ups: Floats, downs: Floats
) -> None:
    """For each place, the sums of gaps to earlier places outside its group with a greater and with a smaller value.

    `upwards` lists the values from the last, so that what lies below a place is a list from 0: a loop over it becomes
    vector code.
    """
    m = values.shape[0]
    for i in range(m):
        upwards[i] = values[m - 1 - i]
        ups[i] = 0.0
        downs[i] = 0.0
    below = 0  # the first place below the group
    for i in range(m):
        while below < m and group[below] <= i:
            below += 1
        value = values[i]
        for j in range(m - below):
            gap = value - upwards[j]
            downs[j] += gap if gap > 0.0 else 0.0
            ups[j] -= gap if gap < 0.0 else 0.0
    for i in range(m):
        right[i] = downs[m - 1 - i]
        wrong[i] = ups[m - 1 - i]


@inlined
def _gaps_above(
    values: Floats,
    group: Integers,
    right: Floats,
    wrong: Floats,
    a_values: Floats,
    a_places: Integers,
    b_values: Floats,
    b_places: Integers,
) -> None:
    """The same as `_gaps_by_pairs`.

    A merge sort by value in which a cursor walks down (for `right`) and up (for `wrong`) the merged values, carrying
    the summed gaps between itself and the left values passed: it only ever adds positive terms, so that no digits
    cancel, however skewed the scores.
    """
    m = values.shape[0]
    for i in range(m):
        a_values[i] = values[i]
        a_places[i] = i
        right[i] = 0.0
        wrong[i] = 0.0
    width = 1
    while width < m:
        for a in range(0, m - width, 2 * width):
            b = a + width
            c = min(b + width, m)
            # One group at most straddles the border; its own left members do not count for its right ones.
            straddling = group[b] if group[b - 1] == group[b] else -1
            cursor = max(a_values[a], a_values[b])
            passed, passed_inside = 0, 0
            gaps, gaps_inside = 0.0, 0.0
            i, j = a, b
            for k in range(a, c):
                from_left = i < b and (j == c or a_values[i] >= a_values[j])
                at = i if from_left else j
                value, place = a_values[at], a_places[at]
                step = cursor - value
                gaps += passed * step
                gaps_inside += passed_inside * step
                cursor = value
                if from_left:
                    if group[place] == straddling:
                        passed_inside += 1
                    else:
                        passed += 1
                    i += 1
                else:
                    right[place] += gaps if group[place] == straddling else gaps + gaps_inside
                    j += 1
                b_values[k], b_places[k] = value, place
            cursor = min(a_values[b - 1], a_values[c - 1])
            passed = 0
            gaps = 0.0
            i, j = b - 1, c - 1
            while j >= b:
                from_left = i >= a and a_values[i] <= a_values[j]
                at = i if from_left else j
                value = a_values[at]
                gaps += passed * (value - cursor)
                cursor = value
                if from_left:
                    passed += 1
                    i -= 1
                else:
                    # Inside a group the truth descends, so that a straddling left member is never the smaller.
                    wrong[a_places[j]] += gaps
                    j -= 1
        tail = (m // (2 * width)) * 2 * width
        if m - tail <= width:  # a last block with no partner is carried over
            for k in range(tail, m):
                b_values[k], b_places[k] = a_values[k], a_places[k]
        a_values, b_values = b_values, a_values
        a_places, b_places = b_places, a_places
        width *= 2


@inlined
def _gaps_inside(values: Floats, start: int, end: int, level: Floats) -> None:
    """For each member of a tie group sorted by descending value, the sum of its gaps to the other members."""
    gaps = 0.0
    level[start] = 0.0
    for place in range(start + 1, end):
        gaps += (place - start) * (values[place - 1] - values[place])
        level[place] = gaps
    gaps = 0.0
    for place in range(end - 2, start - 1, -1):
        gaps += (end - 1 - place) * (values[place] - values[place + 1])
        level[place] += gaps


@inlined
def _tie_groups(keys: Floats, values: Floats, group: Integers, level: Floats) -> int:
    """The first place of every place's tie group, and its gaps inside the group; returns the size of the top group."""
    m = keys.shape[0]
    start, top = 0, 0
    for end in range(1, m + 1):
        if end == m or keys[end] != keys[start]:
            for i in range(start, end):
                group[i] = start
            _gaps_inside(values, start, end, level)
            top = end if start == 0 else top
            start = end
    return top


@inlined
def _share_of_gaps(right: Floats, wrong: Floats, level: Floats, top: int) -> float:
    """τ_GAP, Eq. 3, from each place's gaps to earlier ones.

    A pair tied in the estimate is met at each member half of the time, as often right as wrong.
    """
    total, weights = 0.0, 0.0
    for place in range(right.shape[0]):
        gaps = right[place] + wrong[place] + level[place] / 2.0
        if gaps > 0.0:
            weight = 1.0 if place >= top else (top - 1.0) / top
            total += weight * (right[place] + level[place] / 4.0) / gaps
            weights += weight
    return 2.0 * total / weights - 1.0 if weights > 0.0 else np.nan


@compiled
def tau_gap_by_pairs(keys: Floats, values: Floats) -> Floats:
    """The same as `tau_gap`, by looking at every pair."""
    rows, m = keys.shape
    out = np.empty(rows, dtype=np.float64)
    right, wrong, level = np.empty(m), np.empty(m), np.empty(m)
    upwards, ups, downs = np.empty(m), np.empty(m), np.empty(m)
    group = np.empty(m, dtype=np.int64)
    for row in range(rows):
        top = _tie_groups(keys[row], values[row], group, level)
        _gaps_by_pairs(values[row], group, right, wrong, upwards, ups, downs)
        out[row] = _share_of_gaps(right, wrong, level, top)
    return out


@compiled
def tau_gap(keys: Floats, values: Floats) -> Floats:
    """τ_GAP of rows arranged by the estimate (`keys`), `values` being the truth."""
    rows, m = keys.shape
    out = np.empty(rows, dtype=np.float64)
    right, wrong, level = np.empty(m), np.empty(m), np.empty(m)
    group = np.empty(m, dtype=np.int64)
    a_values, b_values = np.empty(m), np.empty(m)
    a_places, b_places = np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
    for row in range(rows):
        top = _tie_groups(keys[row], values[row], group, level)
        _gaps_above(values[row], group, right, wrong, a_values, a_places, b_values, b_places)
        out[row] = _share_of_gaps(right, wrong, level, top)
    return out


@compiled
def pearson_rank(truth: Floats, estimate: Floats, order: Integers, scaled: bool, grouped: bool) -> Floats:
    """ρ_r, Eq. 1, in one pass of running moments over the items from best to worst by the truth.

    `scaled`: weights are min–max scaled scores, else the scores. `grouped`: items tied in the truth are level, else
    `order` breaks their ties. Scores are taken relative to the first item's, which is above every pivot, so that
    moments keep their digits when all scores are close.
    """
    rows, m = max(len(truth), len(estimate)), order.shape[1]
    out = np.empty(rows, dtype=np.float64)
    for row in range(rows):
        x, y, by = (
            row_of(truth, row),
            row_of(estimate, row),
            row_of(order, row),
        )
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
                        term = (xy + count * x_gap * y_gap) / geometric_mean(xx_here, yy_here)
                        term = min(1.0, max(-1.0, term))
                        total += weight * term
                        plain += term
                    weights += weight
                    pivots += 1
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
