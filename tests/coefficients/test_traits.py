"""What each coefficient's record says of it, held to be so; the theorems of the two Gao papers, with their limits."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oracles
import rankscope as rs
from narrowing import number

RECORDS = rs.all_coefficients()
NAMES = [record.name for record in RECORDS]
every_coefficient = pytest.mark.parametrize("record", RECORDS, ids=NAMES)

#: tie rules under which a tied ranking does not fully agree even with itself: ties are broken at random on both sides
TIES_COST_IDENTITY = {"tau_a", "tau_ap", "tau_ap_a", "rbo"}
#: coefficients that a shift of the truth changes: a relative gap has a zero
SHIFT_SENSITIVE = {"fuzzy_kendall"}
#: coefficients of which the estimate enters by its order only, though the truth enters by its scores
HYBRID = {"tau_gap", "fuzzy_kendall"}


def value(name: str, truth: object, estimate: object, **options: object) -> float:
    return number(rs.coefficient(name)(np.asarray(truth, float), np.asarray(estimate, float), **options))


def close(value: float | np.ndarray) -> object:
    return pytest.approx(value, abs=1e-12)


@st.composite
def scores(draw, sides=1, least=2, most=8, unique=False):
    """Lists of powers of two and their sums: far enough apart for fuzzy Kendall, exact under the maps applied here."""
    m = draw(st.integers(least, most))
    some = st.lists(st.integers(1, 12).map(lambda k: 2.0**k), min_size=m, max_size=m, unique=unique)
    some = some.filter(lambda side: len(set(side)) > 1)
    return draw(some) if sides == 1 else tuple(draw(some) for _ in range(sides))


def swapped(truth: Sequence[float], place: int) -> list[float]:
    """The truth with the scores of two neighbours swapped."""
    estimate = list(truth)
    estimate[place], estimate[place + 1] = truth[place + 1], truth[place]
    return estimate


def with_gaps(*gaps: float) -> list[float]:
    """Descending scores with these gaps, the last one 0."""
    return [float(sum(gaps[place:])) for place in range(len(gaps) + 1)]


# --- the registry ------------------------------------------------------------


def test_every_coefficient_has_a_twin_and_is_public():
    assert set(NAMES) | {"kendall"} == set(oracles.COEFFICIENTS)
    assert all(callable(getattr(rs, name)) for name in NAMES)


@every_coefficient
def test_the_record_is_complete(record):
    assert record.label
    assert record.symbol
    assert record.looks_at
    assert record.reference
    assert record.ties
    assert record.cost
    assert record.range[0] < record.range[1] == 1


@every_coefficient
def test_names_parse_back(record):
    for name in (record.name, f"{record.name}@10"):
        assert str(rs.coefficient(name)) == name
        assert rs.coefficient(str(rs.coefficient(name))) == rs.coefficient(name)


@every_coefficient
def test_the_value_of_a_name_is_the_function(record):
    truth, estimate = [9.0, 5.0, 4.0, 2.0, 1.0], [5.0, 9.0, 1.0, 4.0, 2.0]
    assert value(record.name, truth, estimate) == getattr(rs, record.name)(truth, estimate)
    assert value(f"{record.name}@4", truth, estimate) == getattr(rs, record.name)(truth, estimate, k=4)


# --- promises of all ---------------------------------------------------------


@every_coefficient
@given(truth=scores(unique=True))
@settings(max_examples=30)
def test_identity_is_one(record, truth):
    assert value(record.name, truth, truth) == close(1)


@every_coefficient
@given(truth=scores())
@settings(max_examples=30)
def test_identity_under_ties(record, truth):
    assume(len(set(truth)) < len(truth))
    if record.name in TIES_COST_IDENTITY:
        assert value(record.name, truth, truth) < 1
    else:
        assert value(record.name, truth, truth) == close(1)


@pytest.mark.parametrize("rule", ["b", "w"])
def test_identity_under_ties_rbo(rule):
    assert rs.rbo([3, 2, 2, 1], [3, 2, 2, 1], ties=rule) == close(1)


@every_coefficient
@given(truth=scores(unique=True))
@settings(max_examples=30)
def test_reversal_is_the_least_value(record, truth):
    reversal = value(record.name, truth, [-score for score in truth])
    if record.name == "rbo":  # two rankings of the same systems share them all in the end
        assert 0 < reversal < 1
    else:
        assert reversal == close(record.range[0])


@every_coefficient
@given(sides=scores(sides=2))
def test_values_are_within_the_range(record, sides):
    lowest, highest = record.range
    assert lowest <= value(record.name, *sides) <= highest


@every_coefficient
def test_symmetry(record):
    rng = np.random.default_rng(1)
    truths, estimates = np.round(rng.random((200, 6)), 1) + 1, np.round(rng.random((200, 6)), 1) + 1
    forth, back = record.function(truths, estimates), record.function(estimates, truths)
    if record.symmetric:
        assert forth == pytest.approx(back, abs=1e-12, nan_ok=True)
    else:
        assert np.nanmax(np.abs(forth - back)) > 0.1
        both = getattr(rs, record.name)(truths, estimates, symmetric=True)
        assert both == pytest.approx((forth + back) / 2, abs=1e-12, nan_ok=True)


@every_coefficient
@given(sides=scores(sides=2), factor=st.sampled_from([0.25, 2.0, 1024.0]), shift=st.integers(-64, 64))
@settings(max_examples=40)
def test_increasing_affine_maps_change_nothing(record, sides, factor, shift):
    truth, estimate = sides
    expected = value(record.name, truth, estimate)
    assert value(record.name, truth, [factor * score + shift for score in estimate]) == close(expected)
    truth_shift = 0 if record.name in SHIFT_SENSITIVE else shift
    assert value(record.name, [factor * score + truth_shift for score in truth], estimate) == close(expected)


def test_fuzzy_kendall_is_relative():
    """A shift of the truth brings its scores within 5 % of each other."""
    assert rs.fuzzy_kendall([3, 2, 1], [3, 1, 2]) == close(1 / 3)
    with pytest.warns(rs.ConstantInput):
        assert math.isnan(rs.fuzzy_kendall([103, 102, 101], [3, 1, 2]))


def test_raw_pearson_rank_is_relative():
    """Raw truth scores are weights: the higher all of them, the more even."""
    assert rs.pearson_rank([2, 1, 0], [2, 0, 1], scale=False) == close(1)
    assert rs.pearson_rank([3, 2, 1], [2, 0, 1], scale=False) < 0.95


@every_coefficient
@given(sides=scores(sides=2))
@settings(max_examples=30)
def test_ordinal_coefficients_see_order_only(record, sides):
    truth, estimate = sides
    cubes = [score**3 for score in estimate]
    if not record.interval or record.name in HYBRID:
        assert value(record.name, truth, cubes) == close(value(record.name, truth, estimate))
    if not record.interval:
        logs = [math.log(score) for score in truth]
        assert value(record.name, logs, cubes) == close(value(record.name, truth, estimate))


@every_coefficient
def test_interval_coefficients_see_sizes(record):
    """Some strictly increasing map of the truth changes the value of each, and of no ordinal one."""
    truth, estimate = [4.0, 3.0, 2.0, 1.0], [4.0, 2.0, 3.0, 1.0]
    stretched = [4.0, 1.02, 1.01, 1.0]
    changes = value(record.name, stretched, estimate) != close(value(record.name, truth, estimate))
    assert changes is record.interval


# --- heads and gaps ----------------------------------------------------------


@every_coefficient
@pytest.mark.parametrize("m", [4, 5, 9, 20])
def test_head_weight(record, m):
    """With equal gaps, a swap of neighbours costs the more the nearer the head it is, or the same everywhere."""
    # Scores from 100 m down by 100, so that no two are within fuzzy Kendall's 5 %.
    truth = [100.0 * score for score in range(m, 0, -1)]
    costs = [1 - value(record.name, truth, swapped(truth, place)) for place in range(m - 1)]
    if record.head_weighted:
        assert all(nearer > farther for nearer, farther in itertools.pairwise(costs))
    else:
        assert costs == pytest.approx([costs[0]] * (m - 1), abs=1e-12)


@every_coefficient
@pytest.mark.parametrize("place", [1, 2])
def test_gap_sensitivity(record, place):
    """At the same ranks, a swap of neighbours far apart costs more than one of neighbours close together.

    Below the top two: there the second place has a single pair, of which τ_GAP takes gap over gap.
    """
    gaps = [1.0, 1.0, 1.0, 1.0]
    near, far = list(gaps), list(gaps)
    near[place], far[place] = 0.02, 1.0
    near, far = [score + 1 for score in with_gaps(*near)], [score + 1 for score in with_gaps(*far)]
    near_cost = 1 - value(record.name, near, swapped(near, place))
    far_cost = 1 - value(record.name, far, swapped(far, place))
    if record.gap_sensitive:
        assert far_cost > near_cost
    else:
        assert far_cost == close(near_cost)


def test_tau_gap_does_not_see_the_gap_of_the_top_two():
    """A swap of the two best costs 2/(m − 1), whether they are neck and neck or worlds apart."""
    for gap in (1e-6, 1, 1e6):
        assert rs.tau_gap([3 + gap, 3, 2, 1], [3, 4, 2, 1]) == close(1 - 2 / 3)


@pytest.mark.parametrize(
    ("name", "interval", "head_weighted", "symmetric"),
    [  # Gao, Bagdouri & Oard 2016, Table 1
        ("pearson", True, False, True),
        ("tau_b", False, False, True),
        ("tau_ap", False, True, False),
        ("tau_gap", True, True, False),
        ("pearson_rank", True, True, False),
    ],
)
def test_table_1_of_gao_bagdouri_and_oard(name, interval, head_weighted, symmetric):
    record = next(record for record in RECORDS if record.name == name)
    assert (record.interval, record.head_weighted, record.symmetric) == (interval, head_weighted, symmetric)


# --- bad input ---------------------------------------------------------------


@every_coefficient
def test_a_constant_side_is_nan_with_a_warning(record):
    function = getattr(rs, record.name)
    for truth, estimate in (([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [4, 4, 4]), ([0, 0], [0, 0])):
        with pytest.warns(rs.ConstantInput):
            assert math.isnan(function(truth, estimate))
    with pytest.warns(rs.ConstantInput) as caught:
        values = function([[1, 2, 4], [1, 1, 1], [4, 2, 1]], [[1, 2, 4], [1, 2, 4], [5, 5, 5]])
    assert len(caught) == 1
    assert np.isnan(values).tolist() == [False, True, True]
    with pytest.warns(rs.ConstantInput):  # constant among the truth's top two, though not as a whole
        assert math.isnan(function([4, 4, 2, 1], [4, 3, 2, 1], k=2))


@every_coefficient
def test_bad_scores_are_errors(record):
    function = getattr(rs, record.name)
    for few in ([1.0], []):
        with pytest.raises(rs.TooFewSystems):
            function(few, few)
    for bad in (math.nan, math.inf, -math.inf):
        with pytest.raises(rs.NotFinite):
            function([1, bad, 3], [1, 2, 3])
        with pytest.raises(rs.NotFinite):
            function([[1, 2, 3], [1, 2, 3]], [[1, 2, 3], [1, 2, bad]])
    with pytest.raises(rs.ShapeMismatch):
        function([1, 2, 3], [1, 2])
    with pytest.raises(rs.ShapeMismatch):
        function(np.arange(6.0).reshape(2, 3), np.arange(9.0).reshape(3, 3))


def test_named_scores_are_matched_by_system_in_every_form(tmp_path):
    named = {"a": 0.4, "b": 0.3, "c": 0.1}
    (tmp_path / "scores.csv").write_text("system,score\na,0.4\nb,0.3\nc,0.1\n")
    other_order = {"c": 3.0, "b": 2.0, "a": 1.0}
    forms = (named, tmp_path / "scores.csv", [str(tmp_path / "scores.csv")], rs.read_scores(named))
    assert [rs.tau_b(form, other_order) for form in forms] == [-1.0] * 4
    with pytest.raises(rs.ShapeMismatch, match="one side has named systems"):
        rs.tau_b(named, [1, 2, 3])


@every_coefficient
@pytest.mark.parametrize("k", [0, -1])
def test_a_top_of_nothing_is_an_error(record, k):
    with pytest.raises(rs.BadParameter):
        getattr(rs, record.name)([3, 2, 1], [3, 2, 1], k=k)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("rbo", {"p": 0.0}),
        ("rbo", {"p": 1.0}),
        ("rbo", {"p": math.nan}),
        ("rbo", {"ties": "c"}),
        ("fuzzy_kendall", {"fuzziness": -0.01}),
        ("fuzzy_kendall", {"fuzziness": 1.01}),
        ("fuzzy_kendall", {"fuzziness": math.nan}),
    ],
)
def test_options_out_of_range_are_errors(name, options):
    with pytest.raises(rs.BadParameter):
        getattr(rs, name)([3, 2, 1], [3, 2, 1], **options)


# --- Gao & Oard 2015: τ_GAP --------------------------------------------------


@given(sides=scores(sides=2))
def test_tau_gap_theorem_1_bounds(sides):
    assert -1 <= rs.tau_gap(*sides) <= 1


class TestTauGapTheorem2:
    """If the gaps between the items follow the uniform distribution, then τ_GAP is equal to τ_AP.

    The proof puts Σ_{j<i} G_ji = (i − 1) g: all pairs have one gap g, not only neighbours. The scores of three systems
    or more cannot do that: 3, 2, 1 have gaps 1, 1 and 2.
    """

    @given(truth=st.permutations(range(7)), estimate=st.permutations(range(7)))
    def test_holds_with_one_gap_for_all_pairs(self, truth, estimate):
        with_one_gap = oracles.tau_gap(truth, estimate, gap=lambda a, b: 1)
        assert with_one_gap == close(rs.tau_ap(truth, estimate))

    def test_holds_for_two_systems(self):
        for estimate in ([1, 0], [0, 1]):
            assert rs.tau_gap([5, 2], estimate) == rs.tau_ap([5, 2], estimate)

    @pytest.mark.parametrize("estimate", list(itertools.permutations(range(3))))
    def test_holds_for_three_equally_spaced_systems(self, estimate):
        # The second pivot has one pair; the third is an end, all its pairs going one way, or the middle: gaps 1 and 1.
        assert rs.tau_gap([2, 1, 0], estimate) == close(rs.tau_ap([2, 1, 0], estimate))

    def test_fails_for_four_equally_spaced_systems(self):
        # Smallest counterexample. Estimate order 3, 2, 0, 1: the last pivot has gaps 2, 1 right, 1 wrong: ¾, not ⅔.
        truth, estimate = [3, 2, 1, 0], [3, 2, 0, 1]
        assert rs.tau_gap(truth, estimate) == close(2 * (1 + 1 + 3 / 4) / 3 - 1)
        assert rs.tau_ap(truth, estimate) == close(2 * (1 + 1 + 2 / 3) / 3 - 1)
        differing = [
            order
            for order in itertools.permutations(range(4))
            if rs.tau_gap(truth, order) != close(rs.tau_ap(truth, order))
        ]
        assert len(differing) == 12  # of 24


class TestTauGapTheorem3:
    """Errors at the same ranks cost more when their gaps are larger. The proof keeps the gaps of correct pairs."""

    @given(
        gaps=st.lists(st.integers(1, 30), min_size=1, max_size=6),
        draws=st.data(),
        more=st.integers(1, 30),
    )
    def test_holds_for_a_swap_of_neighbours(self, gaps, draws, more):
        # Widening one gap between neighbours widens correct pairs' gaps too, but never by as large a share.
        place = draws.draw(st.integers(0, len(gaps) - 1))
        wider = [gap + more * (k == place) for k, gap in enumerate(gaps)]
        near, far = with_gaps(*gaps), with_gaps(*wider)
        estimate = swapped(list(range(len(near), 0, -1)), place)
        assert rs.tau_gap(far, estimate) <= rs.tau_gap(near, estimate) + 1e-12

    def test_fails_where_correct_gaps_grow_more(self):
        # Estimate order: the truth's third, first, second. Wrong gaps grow, 2 → 7 and 1 → 3; the right one too, 1 → 4.
        estimate = [1, 0, 2]
        assert rs.tau_gap([4, 3, 2], estimate) == close(-1 / 2)
        assert rs.tau_gap([7, 3, 0], estimate) == close(-3 / 7)


class TestTauGapTheorem4:
    """If the swapped item pairs always have small gaps, then τ_GAP is larger than τ_AP; if large ones, smaller."""

    @given(sides=scores(sides=2, least=3, unique=True))
    def test_holds_pivot_by_pivot(self, sides):
        truth, estimate = sides
        order = sorted(range(len(truth)), key=lambda i: -estimate[i])
        smaller, larger = [], []
        for place in range(1, len(order)):
            signed = [truth[j] - truth[order[place]] for j in order[:place]]
            right, wrong = [gap for gap in signed if gap > 0], [-gap for gap in signed if gap < 0]
            if right and wrong:
                smaller.append(max(wrong) < min(right))
                larger.append(min(wrong) > max(right))
        if smaller and all(smaller):
            assert rs.tau_gap(truth, estimate) > rs.tau_ap(truth, estimate)
        if larger and all(larger):
            assert rs.tau_gap(truth, estimate) < rs.tau_ap(truth, estimate)

    def test_fails_on_average(self):
        # The wrong gap (6 − 3) is 3, the right ones 2 and 5: smaller on average, but not at the pivot 6: 2 meets 3.
        truth, estimate = [8, 6, 3], [2, 0, 1]
        assert rs.tau_gap(truth, estimate) == close(0.4)
        assert rs.tau_ap(truth, estimate) == close(0.5)


# --- Gao, Bagdouri & Oard 2016: Pearson Rank ---------------------------------


class TestPearsonRankTheorem1:
    """ρ_r = 1 if and only if Y = X, and −1 if and only if Y = 1 − X: the "if" holds, the "only if" does not."""

    @given(sides=scores(sides=2))
    def test_bounds(self, sides):
        assert -1 <= rs.pearson_rank(*sides) <= 1

    @given(truth=scores())
    def test_if(self, truth):
        assert rs.pearson_rank(truth, truth) == close(1)
        assert rs.pearson_rank(truth, [1 - score for score in truth]) == close(-1)

    def test_only_if_fails_for_another_unit(self):
        assert rs.pearson_rank([3, 2, 1, 0], [70, 50, 30, 10]) == close(1)
        assert rs.pearson_rank([3, 2, 1, 0], [10, 30, 50, 70]) == close(-1)

    def test_only_if_fails_for_two_systems(self):
        assert rs.pearson_rank([1, 0], [0.51, 0.5]) == close(1)

    def test_only_if_fails_for_the_last_system(self):
        # Min–max scaling gives the last system weight 0: the estimate may put it anywhere, the top included.
        for anything in (-7, 1.5, 99):
            assert rs.pearson_rank([3, 2, 1, 0], [3, 2, 1, anything]) == close(1)
            assert rs.pearson_rank([3, 2, 1, 0], [1, 2, 3, anything]) == close(-1)

    def test_only_if_fails_for_three_systems(self):
        # Only the second system has a weight then, and one system above it: all that is left is a sign.
        assert rs.pearson_rank([1, 0.5, 0], [0.6, 0.5, 0.9]) == close(1)

    def test_only_if_fails_for_raw_scores_of_which_the_last_is_zero(self):
        assert rs.pearson_rank([3, 2, 1, 0], [3, 2, 1, 99], scale=False) == close(1)

    @given(truth=scores(unique=True, least=4), draws=st.data())
    def test_one_needs_a_line_through_all_but_the_last(self, truth, draws):
        """What is true: an estimate that bends anywhere but at the last system is below 1."""
        truth = sorted(truth, reverse=True)
        place = draws.draw(st.integers(0, len(truth) - 2))
        estimate = list(truth)
        estimate[place] += draws.draw(st.sampled_from([-1.0, 1.0]))
        assert rs.pearson_rank(truth, estimate) < 1


class TestPearsonRankTheorem2:
    """Of two swaps of neighbours with the same gap, the one nearer the head costs more.

    A search by optimisation over all gaps, up to seven systems, found no counterexample: the ratio of the two costs
    tends to 1, from above, as the swapped gaps vanish beside the gap to the systems above them. (A step of the proof
    does not hold: ε_{i−1} is 0 for i = 3, one difference being parallel to any other, so it does not decrease with i.)
    """

    @given(gaps=st.lists(st.integers(1, 20), min_size=2, max_size=8), draws=st.data())
    def test_holds(self, gaps, draws):
        head = draws.draw(st.integers(0, len(gaps) - 2))
        tail = draws.draw(st.integers(head + 1, len(gaps) - 1))
        gaps[tail] = gaps[head]
        truth = with_gaps(*gaps)
        assert rs.pearson_rank(truth, swapped(truth, head)) < rs.pearson_rank(truth, swapped(truth, tail))

    @pytest.mark.parametrize("below", [0, 1, 1000])
    def test_holds_with_even_weights(self, below):
        truth = [score + below for score in with_gaps(500, 1, 1, 30)]
        assert rs.pearson_rank(truth, swapped(truth, 1), scale=False) < rs.pearson_rank(
            truth, swapped(truth, 2), scale=False
        )


class TestPearsonRankTheorem3:
    """The larger the gap of two swapped neighbours, the lower ρ_r, "when excluding the effect of item weights"."""

    @given(
        gaps=st.lists(st.integers(1, 20), min_size=2, max_size=7),
        draws=st.data(),
        more=st.integers(1, 20),
    )
    def test_holds_with_even_weights(self, gaps, draws, more):
        # Raw scores far above their gaps all weigh the same, to one part in a thousand millions.
        place = draws.draw(st.integers(0, len(gaps) - 1))
        wider = [gap + more * (k == place) for k, gap in enumerate(gaps)]
        near = [score + 2.0**40 for score in with_gaps(*gaps)]
        far = [score + 2.0**40 for score in with_gaps(*wider)]
        near_value = rs.pearson_rank(near, swapped(near, place), scale=False)
        far_value = rs.pearson_rank(far, swapped(far, place), scale=False)
        assert far_value < near_value + 1e-9

    def test_fails_with_the_weights(self):
        # The second system's term is 1 in any case (one above it), and widening the gap below it raises its weight.
        near, far = [4, 3, 1, 0], [5, 4, 1, 0]
        near_value = rs.pearson_rank(near, swapped(near, 1))
        far_value = rs.pearson_rank(far, swapped(far, 1))
        assert near_value == pytest.approx(0.71899, abs=1e-5)
        assert far_value == pytest.approx(0.73675, abs=1e-5)


@pytest.mark.parametrize(
    "name", ["tau_b", "tau_ap_b", "tau_gap", "pearson_rank", "weighted_tau", "spearman", "pearson"]
)
@given(st.lists(st.integers(0, 4), min_size=2, max_size=12))
def test_headline_coefficients_are_1_for_a_ranking_with_itself(name, scores):
    """Ties or not: these are what tables and charts show first."""
    assume(len(set(scores)) > 1)
    assert rs.coefficient(name)(scores, scores) == pytest.approx(1.0, abs=1e-12)
