"""The oracles against published values, against scipy, and against themselves: who watches the watchmen."""

from __future__ import annotations

import math

import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import oracles
from oracles import ways_to_break

# Scores of FACTS, "Ties in τ_AP (Urbano & Marrero 2017)", computed with the authors' R package ircor.
X = [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992]
Y = [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988]
X_ROUNDED = [round(score, 1) for score in X]
Y_ROUNDED = [round(score, 1) for score in Y]


@st.composite
def tied_pairs_of_lists(draw, levels=4, least=2, most=12):
    m = draw(st.integers(least, most))
    side = st.lists(st.integers(0, levels - 1), min_size=m, max_size=m).filter(lambda scores: len(set(scores)) > 1)
    return draw(side), draw(side)


@pytest.mark.parametrize(
    ("coefficient", "x", "y", "value"),
    [  # authority of all: FACTS, "Ties in τ_AP"; the R package ircor
        (oracles.tau_a, X, Y, 0.9111),
        (oracles.tau_b, X, Y, 0.9111),
        (oracles.tau_ap, X, Y, 0.8519),
        (oracles.symmetric(oracles.tau_ap), X, Y, 0.8333),
        (oracles.tau_a, X, Y_ROUNDED, 0.8889),
        (oracles.tau_ap_a, X, Y_ROUNDED, 0.7454),
        (oracles.tau_b, X_ROUNDED, Y_ROUNDED, 0.9398),
        (oracles.tau_ap_b, X_ROUNDED, Y_ROUNDED, 0.7321),
    ],
)
def test_ircor(coefficient, x, y, value):
    assert round(coefficient(x, y), 4) == value


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (oracles.pearson, scipy.stats.pearsonr),
        (oracles.spearman, scipy.stats.spearmanr),
        (oracles.tau_b, scipy.stats.kendalltau),
        (oracles.weighted_tau, scipy.stats.weightedtau),
    ],
)
@given(lists=tied_pairs_of_lists())
def test_scipy(ours, theirs, lists):
    x, y = lists
    assert ours(x, y) == pytest.approx(float(theirs(x, y).statistic), abs=1e-12)


@given(lists=tied_pairs_of_lists(most=7).filter(lambda xy: ways_to_break(xy[0]) * ways_to_break(xy[1]) <= 2000))
def test_tau_ap_is_the_mean_over_all_tie_breaks(lists):
    assert oracles.tau_ap(*lists) == pytest.approx(oracles.tau_ap_enumerated(*lists), abs=1e-12)


@given(
    lists=tied_pairs_of_lists(most=7).filter(lambda xy: ways_to_break(xy[0]) * ways_to_break(xy[1]) <= 2000),
    p=st.sampled_from([0.5, 0.9, 0.98]),
)
def test_rbo_a_is_the_mean_over_all_tie_breaks(lists, p):
    # Corsi & Urbano 2024: rule a is the expectation over random tie breaks.
    assert oracles.rbo(*lists, p=p, ties="a") == pytest.approx(oracles.rbo_enumerated(*lists, p=p), abs=1e-12)


@given(x=st.permutations(range(8)), y=st.permutations(range(8)))
def test_without_ties_all_rules_agree(x, y):
    assert oracles.tau_a(x, y) == pytest.approx(oracles.tau_b(x, y), abs=1e-12)
    assert oracles.tau_ap(x, y) == pytest.approx(float(oracles.tau_ap_untied(x, y)), abs=1e-12)
    assert oracles.tau_ap_b(x, y) == pytest.approx(oracles.symmetric(oracles.tau_ap)(x, y), abs=1e-12)
    assert oracles.rbo(x, y, ties="b") == pytest.approx(oracles.rbo(x, y), abs=1e-12)
    assert oracles.rbo(x, y, ties="w") == pytest.approx(oracles.rbo(x, y), abs=1e-12)
    assert oracles.rbo_untied(x, y, 0.9) == pytest.approx(oracles.rbo(x, y), abs=1e-12)
    assert oracles.fuzzy_kendall([score + 1e9 for score in x], y, fuzziness=0) == oracles.tau_a(x, y)


# --- by hand -----------------------------------------------------------------


def test_tau_gap_by_hand():
    # Estimate order: the truth's 3, 0, 1. Pivot 0: 3/3. Pivot 1: (3 − 1)/(2 + 1). 2 · (1 + 2/3)/2 − 1.
    assert oracles.tau_gap([3, 0, 1], [9, 8, 7]) == pytest.approx(2 / 3)


def test_tau_gap_by_hand_tied_estimate():
    # Top group {4, 1}: ratio ¼·3/(½·3) = ½ with weight ½ each; pivot 0: 5/5 with weight 1. 2 · (½·½·2 + 1)/2 − 1.
    assert oracles.tau_gap([4, 1, 0], [7, 7, 3]) == pytest.approx(0.5)
    # Lower group {1, 0} under 4: pivot 1: (3 + ¼)/(3 + ½); pivot 0: (4 + ¼)/(4 + ½); the top item has weight 0.
    assert oracles.tau_gap([4, 1, 0], [7, 3, 3]) == pytest.approx(13 / 14 + 17 / 18 - 1)


def test_tau_gap_leaves_out_a_pivot_without_gaps():
    # Pivot 2 (the second 2) has only a truth tie above it: left out. Pivot 0: 4/4.
    assert oracles.tau_gap([2, 2, 0], [9, 8, 7]) == 1


def test_pearson_rank_by_hand():
    # Gao, Bagdouri & Oard 2016, Figure 2, with x = 1, ½, 0: the last weight is 0, so that only pivot 2's sign is left.
    assert oracles.pearson_rank([1, 0.5, 0], [5, 1, 3]) == 1
    # Raw weights 2 and 1: pivot 2: sign = 1; pivot 1: (2·2 + 1·(−2))/√((4 + 1)(4 + 4)) = 2/√40.
    assert oracles.pearson_rank([3, 2, 1], [5, 1, 3], scale=False) == pytest.approx((2 + 2 / math.sqrt(40)) / 3)


def test_pearson_rank_by_hand_tied_truth():
    # x = 2, 1, 1, 0; both pivots of the middle group have weight ½.
    # First: 1·4/√(1·(16 + ½·1)); second: 1·3/√(1·(9 + ½·1)).
    expected = (4 / math.sqrt(16.5) + 3 / math.sqrt(9.5)) / 2
    assert oracles.pearson_rank([2, 1, 1, 0], [5, 1, 2, 0]) == pytest.approx(expected)


def test_pearson_rank_by_hand_corner_rules():
    assert oracles.pearson_rank([1, 0], [0, 1]) == -1  # rule 4: the only weight is 0
    assert oracles.pearson_rank([1, 0, 0], [1, 0, 0]) == 1  # rule 4 again
    # rule 3: pivot 1 (weight ½ of ½) is tied with all above it in the estimate: term 0; pivot 0 has weight 0.
    assert oracles.pearson_rank([2, 1, 0], [1, 1, 0]) == 0
    # rule 2: both pivots of the top group are left out.
    assert oracles.pearson_rank([2, 2, 1, 0], [5, 4, 3, 0]) == pytest.approx(3 / math.sqrt(5 * 2))


def test_fuzzy_kendall_by_hand():
    # 1.00 and 1.04 are within 5 % of each other: the estimate may swap them at no cost, and no gain.
    assert oracles.fuzzy_kendall([2, 1.04, 1], [3, 1, 2]) == 1
    assert oracles.fuzzy_kendall([2, 1.04, 1], [3, 1, 2], fuzziness=0) == pytest.approx(1 / 3)
    assert oracles.fuzzy_kendall([2, 1.04, 1], [1, 1, 2]) == pytest.approx(-1 / 2)
    assert math.isnan(oracles.fuzzy_kendall([1.04, 1.02, 1], [1, 2, 3]))
    assert math.isnan(oracles.fuzzy_kendall([21, 20], [2, 1]))  # a gap of exactly 5 % is not beyond 5 %


def test_rbo_by_hand():
    # Depth 1: nothing shared. Depths 2, 3: all shared: .1·(0 + .9·1 + .81·1) + .729.
    assert oracles.rbo([3, 2, 1], [2, 3, 1]) == pytest.approx(0.9)
    # Truth ties its first two: contributions ½, ½ at depth 1 against 1, 0.
    assert oracles.rbo([2, 2, 1], [3, 2, 1], ties="a") == pytest.approx(0.95)
    assert oracles.rbo([2, 2, 1], [3, 2, 1], ties="b") == pytest.approx(0.9 + 0.1 * math.sqrt(0.5))
    assert oracles.rbo([2, 2, 1], [3, 2, 1], ties="w") == pytest.approx(0.9 + 0.1 * 2 / 3)


def test_constant_side_is_nan():
    for name, coefficient in oracles.COEFFICIENTS.items():
        assert math.isnan(coefficient([1, 1, 1], [1, 2, 3])), name
        assert math.isnan(coefficient([1, 2, 3], [5, 5, 5])), name
        assert all(math.isnan(bound) for bound in oracles.tie_bounds(name, [1, 1, 1], [1, 2, 3])), name


def test_top_takes_all_ties_at_the_cut():
    x, y = [5, 3, 3, 1], [1, 2, 3, 4]
    assert oracles.top(x, y, 1) == ([5], [1])
    assert oracles.top(x, y, 2) == oracles.top(x, y, 3) == ([5, 3, 3], [1, 2, 3])
    assert oracles.top(x, y, 4) == oracles.top(x, y, 9) == (x, y)


def test_tie_breaks():
    assert sorted(oracles.tie_breaks([1, 7, 7])) == [[0, 1, 2], [0, 2, 1]]
    assert len({tuple(order) for order in oracles.tie_breaks([1, 1, 1, 2, 2])}) == ways_to_break([1, 1, 1, 2, 2]) == 12


@given(lists=tied_pairs_of_lists(most=6).filter(lambda xy: ways_to_break(xy[0]) * ways_to_break(xy[1]) <= 300))
def test_the_mean_of_the_bounds_is_the_coefficient_where_its_tie_rule_says_so(lists):
    # τ_a scores a tie 0, the mean of ±1; τ_AP and RBO's rule a are means over tie breaks by definition.
    for name in ("tau_a", "tau_ap", "tau_ap_a", "rbo"):
        least, mean, greatest = oracles.tie_bounds(name, *lists)
        assert mean == pytest.approx(oracles.COEFFICIENTS[name](*lists), abs=1e-12)
        assert least - 1e-12 <= mean <= greatest + 1e-12


def test_tie_bounds_by_hand():
    # One estimate tie to break, either way: τ_GAP of (4, 1, 0) is 1, or with the last two swapped 2 · (1 + 3/4)/2 − 1.
    assert oracles.tie_bounds("tau_gap", [4, 1, 0], [7, 3, 3]) == pytest.approx((0.75, 0.875, 1.0))
    # Pearson Rank, x = 2, 1, 1, 0: whichever of the middle two is the lower meets the other in its estimate's sum.
    first_lower = (4 / math.sqrt(16 + 1) + 1) / 2
    second_lower = (1 + 3 / math.sqrt(9 + 1)) / 2
    bounds = oracles.tie_bounds("pearson_rank", [2, 1, 1, 0], [5, 1, 2, 0])
    assert bounds == pytest.approx((second_lower, (first_lower + second_lower) / 2, first_lower))
    assert oracles.tie_bounds("pearson", [2, 1, 1, 0], [5, 1, 2, 0])[0] == oracles.pearson([2, 1, 1, 0], [5, 1, 2, 0])
