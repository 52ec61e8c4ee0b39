"""The compiled coefficients against their literal twins (tests/oracles.py), on scores of every shape we fear."""

from __future__ import annotations

import itertools
import math
import warnings
from fractions import Fraction
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike

import oracles
import rankscope as rs
from oracles import ways_to_break
from rankscope.coefficients import coefficient, pairs, pearson_rank_ties, rows, ties

ORDINAL = 1e-12  # counts and ranks: only the last sum is rounded
INTERVAL = 1e-9  # sums of squares of scores

#: every coefficient under every option, and how close the fast one has to come
SETTINGS: list[tuple[str, dict[str, Any], float]] = [
    ("pearson", {}, INTERVAL),
    ("spearman", {}, ORDINAL),
    ("kendall", {}, ORDINAL),
    ("tau_a", {}, ORDINAL),
    ("tau_b", {}, ORDINAL),
    ("tau_ap", {}, ORDINAL),
    ("tau_ap", {"symmetric": True}, ORDINAL),
    ("tau_ap_a", {}, ORDINAL),
    ("tau_ap_a", {"symmetric": True}, ORDINAL),
    ("tau_ap_b", {}, ORDINAL),
    ("tau_gap", {}, INTERVAL),
    ("tau_gap", {"symmetric": True}, INTERVAL),
    ("pearson_rank", {}, INTERVAL),
    ("pearson_rank", {"symmetric": True}, INTERVAL),
    ("pearson_rank", {"scale": False}, INTERVAL),
    ("pearson_rank", {"scale": False, "symmetric": True}, INTERVAL),
    ("rbo", {}, ORDINAL),
    ("rbo", {"ties": "b"}, ORDINAL),
    ("rbo", {"ties": "w"}, ORDINAL),
    ("rbo", {"p": 0.5, "ties": "a"}, ORDINAL),
    ("rbo", {"p": 0.99, "ties": "b"}, ORDINAL),
    ("rbo", {"p": 0.1, "ties": "w"}, ORDINAL),
    ("weighted_tau", {}, ORDINAL),
    ("pairwise_accuracy", {}, ORDINAL),
    ("fuzzy_kendall", {}, ORDINAL),
    ("fuzzy_kendall", {"symmetric": True}, ORDINAL),
    ("fuzzy_kendall", {"fuzziness": 0.0}, ORDINAL),
    ("fuzzy_kendall", {"fuzziness": 0.3}, ORDINAL),
    ("fuzzy_kendall", {"fuzziness": 1.0, "symmetric": True}, ORDINAL),
]


BY_NAME = {record.name: record for record in rs.all_coefficients()}

#: those for which short lists are looked at pair by pair and long ones sorted
SORTED_WHEN_LONG = (
    "kendall",
    "tau_a",
    "tau_b",
    "tau_ap",
    "tau_ap_a",
    "tau_ap_b",
    "tau_gap",
    "weighted_tau",
    "fuzzy_kendall",
    "pairwise_accuracy",
)


def label(value: object) -> str | None:
    if isinstance(value, dict):
        return ",".join(f"{key}={setting}" for key, setting in value.items()) or "plain"
    return value if isinstance(value, str) else ""


every_setting = pytest.mark.parametrize(("name", "options", "tolerance"), SETTINGS, ids=label)


def fast(name: str, truth: object, estimate: object, **options: object):
    """The library's value, with the warning for constant input silenced: the twins say `nan` there, and so must it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.ConstantInput)
        return getattr(rs, name)(np.asarray(truth, float), np.asarray(estimate, float), **options)


def literal(name: str, truth: list[float], estimate: list[float], **options: object) -> float:
    options = dict(options)
    coefficient = oracles.COEFFICIENTS[name]
    if options.pop("symmetric", False):
        coefficient = oracles.symmetric(coefficient)
    return coefficient(truth, estimate, **options)


def same(value: ArrayLike, expected: ArrayLike, tolerance: float) -> bool:
    return np.allclose(value, expected, rtol=0, atol=tolerance, equal_nan=True)


# --- scores ------------------------------------------------------------------

ULP = math.ulp(1.0)

#: how the scores of one side may look
SHAPES = {
    "untied": st.integers(0, 2**40).map(lambda k: k / 2**40),
    "equal gaps": st.nothing(),
    "three decimals": st.integers(0, 1000).map(lambda k: k / 1000),
    "few levels": st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    "two levels": st.sampled_from([0.1, 0.7]),
    "skewed": st.builds(lambda digit, power: digit * 10.0**power, st.integers(1, 9), st.integers(-6, 6)),
    "ulps from 1": st.integers(0, 6).map(lambda k: 1 + k * ULP),
    "negative": st.integers(-(2**30), 2**30).map(lambda k: k / 2**20),
    "huge": st.integers(0, 9).map(lambda k: k * 1e300),
    "tiny": st.integers(0, 9).map(lambda k: k * 1e-300),
    "huge, both signs": st.integers(-17, 17).map(lambda k: k * 1e307),
    # Within 10^120 of each other: squares of gaps have to be representable beside each other.
    "all sizes, both signs": st.builds(
        lambda digit, power: digit * 10.0**power, st.integers(-9, 9), st.integers(-60, 60)
    ),
    "constant": st.just(0.3),
}
NEGATIVE = frozenset({"negative", "huge, both signs", "all sizes, both signs"})


def side(shape: str, m: int) -> st.SearchStrategy[list[float]]:
    if shape == "equal gaps":
        return st.permutations([float(k) for k in range(m)])
    return st.lists(SHAPES[shape], min_size=m, max_size=m, unique=shape == "untied")


@st.composite
def two_sides(draw, most=40, without=frozenset()):
    m = draw(st.one_of(st.integers(2, min(6, most)), st.integers(2, most)))
    shapes = st.sampled_from([shape for shape in SHAPES if shape not in without])
    return draw(side(draw(shapes), m)), draw(side(draw(shapes), m))


def assume_off_the_border(name: str, options: dict[str, object], *sides: list[float]) -> None:
    """No truth gap is so near the fuzziness that rounding decides whether it is beyond it."""
    fuzziness = options.get("fuzziness", 0.05)
    if name == "fuzzy_kendall" and fuzziness:
        share = Fraction(str(fuzziness))
        for scores in sides if options.get("symmetric") else sides[:1]:
            for a, b in itertools.combinations({Fraction(score) for score in scores}, 2):
                assume(abs(abs(a - b) - share * min(abs(a), abs(b))) > Fraction(1, 10**12) * max(abs(a), abs(b)))


def raw_weights_are_negative(name: str, options: dict[str, object], *sides: list[float]) -> bool:
    sides = sides if options.get("symmetric") else sides[:1]
    return name == "pearson_rank" and options.get("scale") is False and min(map(min, sides)) < 0


# --- one list against one list -----------------------------------------------


@every_setting
@given(sides=two_sides())
def test_fast_is_literal(name, options, tolerance, sides):
    check_fast_is_literal(name, options, tolerance, sides)


@pytest.mark.parametrize(
    ("name", "options", "tolerance"), [one for one in SETTINGS if one[0] in SORTED_WHEN_LONG], ids=label
)
@given(sides=two_sides())
def test_merging_is_literal(name, options, tolerance, sides):
    """Long lists are sorted rather than looked at pair by pair; the same sorting on short ones."""
    with mock.patch.object(rows, "ALL_PAIRS", 0):
        check_fast_is_literal(name, options, tolerance, sides)


def check_fast_is_literal(name, options, tolerance, sides):
    assume_off_the_border(name, options, *sides)
    if raw_weights_are_negative(name, options, *sides):
        with pytest.raises(rs.BadParameter):
            fast(name, *sides, **options)
        return
    value = fast(name, *sides, **options)
    assert isinstance(value, float)
    assert same(value, literal(name, *sides, **options), tolerance)


@pytest.mark.parametrize("truth_shape", SHAPES)
@pytest.mark.parametrize("estimate_shape", ["untied", "few levels", "skewed", "ulps from 1"])
@given(draws=st.data(), m=st.integers(2, 9))
@settings(max_examples=5)
def test_fast_is_literal_on_every_shape(truth_shape, estimate_shape, draws, m):
    """Every pairing of shapes, so that none depends on Hypothesis's luck."""
    sides = draws.draw(side(truth_shape, m)), draws.draw(side(estimate_shape, m))
    for name, options, tolerance in SETTINGS:
        if name != "fuzzy_kendall" and not raw_weights_are_negative(name, options, *sides):
            assert same(fast(name, *sides, **options), literal(name, *sides, **options), tolerance), (name, options)


@every_setting
@pytest.mark.parametrize("levels", [40, 10**6], ids=["tied", "nearly untied"])
def test_fast_is_literal_on_300_systems(name, options, tolerance, levels):
    rng = np.random.default_rng(300)
    truth = rng.integers(1, levels, 300) / levels
    estimate = (truth * levels + rng.integers(0, levels, 300)) // 2 / levels
    assert same(
        fast(name, truth, estimate, **options), literal(name, list(truth), list(estimate), **options), tolerance
    )


@pytest.mark.parametrize("name", sorted(set(oracles.COEFFICIENTS) - {"kendall", "tau_ap_a"}))
def test_fast_is_literal_on_1000_systems(name):
    rng = np.random.default_rng(1000)
    truth = np.round(rng.beta(1, 3, 1000), 3)
    estimate = np.round(truth + rng.normal(0, 0.1, 1000), 2)
    assert same(fast(name, truth, estimate), literal(name, list(truth), list(estimate)), INTERVAL)


@pytest.mark.parametrize("best", [1e2, 1e6, 1e16])
def test_pearson_rank_of_skewed_scores_keeps_the_weights_of_the_small(best):
    """A weight is x − min(x); (x − max(x)) − (min(x) − max(x)) would drop the digits of small scores."""
    truth, estimate = [best, 2e-5, 1e-5, 1e-6], [600.0, 0.07, 200000.0, 800000.0]
    assert same(fast("pearson_rank", truth, estimate), literal("pearson_rank", truth, estimate), 1e-12)


def test_fuzzy_kendall_at_the_border():
    """A gap of exactly the fuzziness is not beyond it, as far as binary fractions can say so."""
    assert math.isnan(fast("fuzzy_kendall", [21, 20], [2, 1]))
    assert fast("fuzzy_kendall", [21.001, 20], [2, 1]) == 1
    assert math.isnan(fast("fuzzy_kendall", [1.25, 1], [2, 1], fuzziness=0.25))
    assert math.isnan(fast("fuzzy_kendall", [2, 1], [2, 1], fuzziness=1.0))
    assert fast("fuzzy_kendall", [1, 0], [2, 1], fuzziness=1.0) == 1  # any gap is beyond a share of nothing


# --- @k ----------------------------------------------------------------------


@every_setting
@given(sides=two_sides(most=12, without=NEGATIVE | {"constant"}), k=st.integers(1, 14))
@settings(max_examples=25)
def test_at_k_is_the_coefficient_of_the_top(name, options, tolerance, sides, k):
    truth, estimate = sides
    top = oracles.top(truth, estimate, k)
    assume_off_the_border(name, options, *top)
    # A single system left is no ranking: undefined, like a constant side.
    expected = literal(name, *top, **options) if len(top[0]) > 1 else math.nan
    assert same(fast(name, *sides, k=k, **options), expected, tolerance)


# --- batches -----------------------------------------------------------------


def table(rng: np.random.Generator, rows: int, m: int) -> np.ndarray:
    """Rows of all kinds: untied, tied, constant."""
    scores = rng.random((rows, m))
    scores[::3] = np.round(scores[::3], 1)
    scores[4::7] = 0.5
    return scores


@every_setting
@pytest.mark.parametrize("k", [None, 5])
def test_a_batch_is_the_loop_over_its_rows(name, options, tolerance, k):
    rng = np.random.default_rng(7)
    truths, estimates = table(rng, 23, 11), table(rng, 23, 11)
    looped = [fast(name, t, e, k=k, **options) for t, e in zip(truths, estimates, strict=True)]
    batch = fast(name, truths, estimates, k=k, **options)
    assert batch.shape == (23,)
    assert same(batch, looped, 1e-15)
    one_truth = fast(name, truths[1], estimates, k=k, **options)
    assert same(one_truth, [fast(name, truths[1], e, k=k, **options) for e in estimates], 1e-15)
    one_estimate = fast(name, truths, estimates[1], k=k, **options)
    assert same(one_estimate, [fast(name, t, estimates[1], k=k, **options) for t in truths], 1e-15)


@every_setting
def test_leading_dimensions_broadcast(name, options, tolerance):
    rng = np.random.default_rng(8)
    truths, estimates = table(rng, 3, 9)[:, None, :], table(rng, 4, 9)
    values = fast(name, truths, estimates, **options)
    assert values.shape == (3, 4)
    looped = [[fast(name, truths[i, 0], estimates[j], **options) for j in range(4)] for i in range(3)]
    assert same(values, looped, 1e-15)


@every_setting
def test_views_lists_and_other_numbers_are_the_same_scores(name, options, tolerance):
    """Strides, dtypes and containers are how scores are held, not what they are."""
    rng = np.random.default_rng(9)
    truths, estimates = rng.integers(0, 6, (8, 10)), rng.integers(0, 6, (8, 10))
    expected = fast(name, truths, estimates, **options)
    function = getattr(rs, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.ConstantInput)
        assert same(function(truths, estimates, **options), expected, 0)
        assert same(function(truths.tolist(), estimates.tolist(), **options), expected, 0)
        assert same(
            function(np.asfortranarray(truths, float), np.asfortranarray(estimates, float), **options), expected, 0
        )
        assert same(function(truths[::-1].astype(float)[::-1], estimates.astype(np.float32), **options), expected, 0)
        frozen = truths.astype(float)
        frozen.setflags(write=False)
        assert same(function(frozen, estimates, **options), expected, 0)
        assert same(function(truths[::2], estimates[::2], **options), expected[::2], 0)


@every_setting
def test_inputs_are_left_alone(name, options, tolerance):
    rng = np.random.default_rng(10)
    truths, estimates = table(rng, 5, 8), table(rng, 5, 8)
    kept = truths.copy(), estimates.copy()
    fast(name, truths, estimates, **options)
    assert np.array_equal(truths, kept[0])
    assert np.array_equal(estimates, kept[1])


# --- the order in which systems are listed -----------------------------------


@every_setting
@given(sides=two_sides(most=15, without=NEGATIVE), draws=st.data())
@settings(max_examples=25)
def test_the_order_of_the_systems_does_not_matter(name, options, tolerance, sides, draws):
    truth, estimate = sides
    shuffled = draws.draw(st.permutations(range(len(truth))))
    value = fast(name, truth, estimate, **options)
    assert same(fast(name, [truth[i] for i in shuffled], [estimate[i] for i in shuffled], **options), value, 1e-12)


# --- bounds over tie breaks --------------------------------------------------


def bounds(name: str, sides: tuple[ArrayLike, ArrayLike], **options: Any):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.ConstantInput)
        return rs.tie_bounds(name, np.asarray(sides[0]), np.asarray(sides[1]), **options)


@st.composite
def tied_sides(draw, most_ways=500):
    m = draw(st.integers(2, 6))
    tied = st.lists(st.sampled_from([1.0, 1.5, 2.0, 4.0]), min_size=m, max_size=m).filter(lambda s: len(set(s)) > 1)
    return draw(st.tuples(tied, tied).filter(lambda xy: ways_to_break(xy[0]) * ways_to_break(xy[1]) <= most_ways))


def named(name: str, options: dict[str, Any]) -> str:
    return name + (f"({','.join(f'{key}={value}' for key, value in options.items())})" if options else "")


@every_setting
@given(sides=tied_sides())
@settings(max_examples=20)
def test_tie_bounds_are_those_of_all_ways(name, options, tolerance, sides):
    result = bounds(named(name, options), sides)
    assert result.exact
    assert same((result.least, result.mean, result.greatest), oracles.tie_bounds(name, *sides, **options), 1e-9)


@every_setting
@given(sides=tied_sides())
@settings(max_examples=20)
def test_tie_bounds_without_trying_all_ways(name, options, tolerance, sides):
    """Beyond the limit: exact by agreement and in closed form, or said not to be, and then within the exact bounds."""
    least, mean, greatest = oracles.tie_bounds(name, *sides, **options)
    result = bounds(named(name, options), sides, limit=1)
    record = BY_NAME[name]
    assert result.exact is (result.ways == 1 or record.mean_over_ties is not None)
    if record.best_in_agreement or result.exact:
        assert same((result.least, result.greatest), (least, greatest), 1e-9)
    if result.exact:
        assert same(result.mean, mean, 1e-9)
    else:
        assert least - 1e-9 <= result.least <= result.mean + 1e-9
        assert result.mean - 1e-9 <= result.greatest <= greatest + 1e-9


@pytest.mark.parametrize("options", [one[1] for one in SETTINGS if one[0] == "pearson_rank"], ids=label)
@given(sides=tied_sides(), levels=st.sampled_from([1.0, 2.0**-40]))
@settings(max_examples=50)
def test_tie_bounds_of_pearson_rank_by_subsets_of_tie_groups(options, sides, levels):
    """A limit that holds the subsets of every tie group, and often not the ways to break all ties."""
    sides = ([1.0 + score * levels for score in sides[0]], sides[1])
    largest = max(len(group) for side in sides for group in oracles.tie_groups(side))
    result = bounds(named("pearson_rank", options), sides, limit=1 << largest)
    assert result.exact
    expected = oracles.tie_bounds("pearson_rank", *sides, **options)
    assert same((result.least, result.mean, result.greatest), expected, 1e-9)


@st.composite
def much_tied_sides(draw):
    m = draw(st.integers(8, 40))
    scores = st.lists(st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.6]), min_size=m, max_size=m).filter(
        lambda s: len({*s}) > 1
    )
    return draw(scores), draw(scores)


@pytest.mark.parametrize(
    ("name", "options"),
    [(name, options) for name, options, _ in SETTINGS if BY_NAME[name].best_in_agreement and name != "kendall"],
    ids=label,
)
@given(sides=much_tied_sides(), seed=st.integers(0, 100))
@settings(max_examples=10, deadline=None)
def test_no_search_leaves_the_bounds_by_agreement(name, options, sides, seed):
    """The claim that agreement is best, where there are far too many ways to try: a search finds nothing better."""
    result = bounds(named(name, options), sides, limit=1)
    assume(not math.isnan(result.value))
    x, y = map(np.asarray, sides)
    problem = ties.Problem.of(coefficient(named(name, options)), x, y)
    found = ties.search_ways(problem.values, problem.base, problem.sides, x, y, np.random.default_rng(seed), count=30)
    assert result.least - 1e-9 <= found[0] <= found[2] <= result.greatest + 1e-9


@given(sides=much_tied_sides())
@settings(max_examples=20, deadline=None)
def test_search_for_pearson_rank_by_swaps_comes_near_the_extremes_of_all_orders(sides):
    """Tie groups of up to 10 systems. That swaps of neighbours suffice is not proven, but nearly always true."""
    assume(max(map(len, oracles.tie_groups(sides[0]))) <= 10)
    exact, searched = (bounds("pearson_rank", sides, limit=limit) for limit in (1 << 10, 4))
    assert exact.least - 1e-9 <= searched.least <= searched.greatest <= exact.greatest + 1e-9
    assert searched.spread >= 0.98 * exact.spread - 1e-9


def test_tie_bounds_do_not_depend_on_how_much_is_compared_at_once():
    x, y = np.random.default_rng(4).integers(0, 6, (2, 90)) / 10
    names = ("weighted_tau", "pearson_rank", "tau_gap")
    whole = [bounds(name, (x, y)) for name in names]
    with (
        mock.patch.object(pairs, "_PAIRS", 100),
        mock.patch.object(pearson_rank_ties, "_GAPS", 100),
        mock.patch.object(ties, "_STEP_SCORES", 10_000),
    ):
        cut = [bounds(name, (x, y)) for name in names]
    for one, other in zip(whole, cut, strict=True):
        assert same((one.least, one.mean, one.greatest), (other.least, other.mean, other.greatest), 1e-12)


@pytest.mark.parametrize("name", ["kendall", "tau_ap", "rbo", "weighted_tau", "spearman", "tau_gap"])
@given(sides=tied_sides(most_ways=200), k=st.integers(2, 5))
@settings(max_examples=25)
def test_tie_bounds_at_k_with_ties_at_the_cut(name, sides, k):
    """Which of the systems that tie at the cut are in the top is a way to break ties too."""
    truth, estimate = sides
    top = oracles.top(truth, estimate, k)
    assume(len({*top[0]}) > 1 and len({*top[1]}) > 1)
    result = bounds(f"{name}@{k}", sides)
    assert result.exact
    assert same((result.least, result.mean, result.greatest), oracles.tie_bounds(name, *top, k=k), 1e-9)


@pytest.mark.parametrize("name", ["tau_a", "tau_ap", "tau_ap_a", "rbo"])
@given(sides=tied_sides())
@settings(max_examples=25)
def test_the_mean_of_the_bounds_is_the_coefficient_where_its_tie_rule_is_the_mean(name, sides):
    assert bounds(name, sides).mean == pytest.approx(fast(name, *sides), abs=1e-9)


@given(sides=tied_sides(), k=st.integers(2, 5), names=st.permutations(range(6)))
@settings(max_examples=40)
@pytest.mark.parametrize("name", ["tau_gap(symmetric=True)", "pearson_rank", "pearson_rank(symmetric=True)", "kendall"])
def test_tie_bounds_at_k_are_those_of_the_top(name, sides, k, names):
    """With the truth untied the top k is one set of systems, so that the bounds at k are the bounds of that set."""
    truth = [float(place) for place in names[: len(sides[1])]]
    top = oracles.top(truth, sides[1], k)
    cut, whole = [bounds(f"{name}@{k}", (truth, sides[1])), bounds(name, top)]
    assert same((cut.least, cut.mean, cut.greatest), (whole.least, whole.mean, whole.greatest), 1e-9)


@pytest.mark.parametrize("name", oracles.COEFFICIENTS)
def test_tie_bounds_of_untied_scores_are_the_coefficient(name):
    truth, estimate = [5.0, 3.0, 2.0, 0.0], [3.0, 5.0, 2.0, 1.0]
    result = bounds(name, (truth, estimate))
    assert result.ways == 1
    assert same((result.least, result.mean, result.greatest), fast(name, truth, estimate), 1e-12)
