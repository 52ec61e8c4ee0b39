"""The rank distance and its test against exact fractions, scipy, the paper and the properties it claims."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankscope as rs
from narrowing import known
from oracles_distance import by_least_squares, exhaustive, over_ties
from rankscope.inference import rank_distance_ties
from rankscope.inference.rank_contour import rank_contour
from rankscope.inference.rank_distance import d_rank
from rankscope.inference.rank_distance_baseline import prepare
from rankscope.inference.rank_distance_null import RankDistanceNull, rank_distance_null, rank_distance_test
from rankscope.inference.rank_distance_ties import _by_pushes, _swapped, _tied_places, least_distance
from rankscope.kernels import distance as kernel

# Carterette 2009, section 3.1; systems A, B, C.
AP = rs.ScoreMatrix(
    [[0.283, 0.481, 0.516], [0.017, 0.399, 0.544], [0.075, 0.300, 0.277], [0.183, 0.662, 0.616]], ["A", "B", "C"]
)
P10 = rs.SystemScores([0.5, 0.75, 0.7], ["A", "B", "C"])


def distance(scores, order, ridge=0.0):
    """The kernel's distance of an order of columns."""
    base = prepare(scores)
    places = np.argsort(base.positions)[np.asarray(order)]
    return base.distances(places[None], ridge)[0]


def ranked(order):
    """An estimate that ranks the columns in this order."""
    return -np.argsort(order).astype(float)


# --- the paper's figures --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("order", "value"),
    # FACTS (exact minimisation, checked). The paper prints 4.88 for BAC and CAB, the distance at θ = 0.
    [("ABC", 4.8828), ("ACB", 4.8828), ("BAC", 4.4470), ("CAB", 4.8288), ("BCA", 0.6508), ("CBA", 0.0)],
)
def test_six_orders_of_section_3_1(order, value):
    estimate = {name: 3.0 - place for place, name in enumerate(order)}
    result = d_rank(AP, estimate)
    assert result.order == tuple(order)
    assert result.distance == pytest.approx(value, abs=5e-5)
    assert result.distance == pytest.approx(
        exhaustive(AP.values.tolist(), ["ABC".index(s) for s in order])[0], abs=1e-12
    )


def test_nearest_point_of_figure_2():
    result = d_rank(AP, P10)
    # FACTS: θ = (0.3217, 0) from worst to best; ours is from best to worst.
    assert result.theta == pytest.approx((0.0, 0.3217), abs=5e-5)
    assert result.differences == pytest.approx((-0.028, 0.349), abs=5e-4)  # section 3.1, MAP_Δ
    assert result.active == (True, False)
    assert (result.ridge, result.consistent, result.ties) == (0.0, True, None)
    assert result.condition == pytest.approx(1.0)


def test_bootstrap_of_section_3_2():
    null = rank_distance_null(AP, resamples=20_000)
    values, counts = np.unique(null.distances.round(6), return_counts=True)
    assert values[:2] == pytest.approx([0.0, 0.650846])
    # The paper: 0.65 with probability 0.21, 0 with 0.79, the others never.
    assert counts[:2] / 20_000 == pytest.approx([0.79, 0.21], abs=0.015)
    assert null.pvalue(d_rank(AP, P10).distance) == pytest.approx(0.21, abs=0.015)
    assert counts[:2].sum() / 20_000 > 0.995


@pytest.fixture(scope="module")
def robust(data):
    return tuple(rs.read_scores(data / "robust2004" / f"robust2004_{name}.csv") for name in ("ap", "p10"))


def test_robust_2004_from_precision_to_map(robust):
    ap, p10 = robust
    assert d_rank(p10, ap).distance == pytest.approx(14.11, abs=5e-3)  # Table 1(b), as printed


def test_robust_2004_from_map_to_precision(robust):
    result = d_rank(*robust)
    # FACTS: 24.54 to 25.47 over tie orders, 25.44 printed. All 49,152 ways, tried once: 24.53644 to 25.48752.
    ties = known(result.ties)
    assert ties.ways == 49_152
    assert not ties.exact
    assert ties.least == pytest.approx(24.536441, abs=1e-6)
    assert ties.greatest == pytest.approx(25.487517, abs=1e-6)
    assert ties.least <= result.distance == ties.value <= 24.5369
    assert ties.least < 25.44 < ties.greatest


def test_robust_2004_with_one_decimal(robust):
    # docs/ties.md. The dual problem proves the least; the baseline's favour is not the nearest way.
    ap, p10 = robust
    base, means = prepare(ap), p10.means.round(1)
    own = base.distances(base.orders(means[base.positions])[None], 0.0)[0]
    assert own == pytest.approx(18.92, abs=5e-3)
    distance, proven = least_distance(base, means[base.positions])
    assert proven
    assert distance == pytest.approx(12.58, abs=5e-3)


def test_robust_2004_critical_value(robust):
    ap, p10 = robust
    test = rank_distance_test(ap, p10, resamples=2_000)
    assert test.critical_value(0.05) == pytest.approx(6.8, abs=0.1)  # FACTS
    assert test.pvalue == 1 / 2_001  # the paper prints 0.00


def test_contour_of_figure_2():
    picture = rank_contour(AP, P10)
    assert picture.axes == ("C − A", "B − C")
    assert picture.mean == pytest.approx((0.349, -0.028), abs=5e-4)
    assert picture.covariance[0] == pytest.approx((0.0246, -0.0071), abs=5e-5)
    assert picture.covariance[1] == pytest.approx((-0.0071, 0.0073), abs=5e-5)
    assert picture.estimate == pytest.approx((0.2, 0.05))
    assert picture.nearest == pytest.approx((0.322, 0.0), abs=5e-4)
    assert picture.distance == pytest.approx(0.65, abs=5e-3)
    inverse = np.linalg.inv(np.array(picture.covariance))
    for contour in picture.contours:
        gaps = np.array(contour.points) - picture.mean
        assert 4 * np.einsum("pi,ij,pj->p", gaps, inverse, gaps) == pytest.approx(contour.t_squared)
    assert {"".join(o.order): round(o.distance, 4) for o in picture.orders}["BAC"] == 4.447
    assert len(picture.table().rows) == 7 * 121
    with pytest.raises(rs.BadParameter, match="three systems"):
        rank_contour(np.eye(4), [1, 2, 3, 4])


# --- against the literal twins --------------------------------------------------------------------------------------


def random_problem(rng, most_systems, most_topics):
    """Scores and an order, with what real tables have: identical runs, constant ones, shifted ones, few topics."""
    m, n = rng.integers(2, most_systems + 1), rng.integers(2, most_topics + 1)
    spread = 10 ** rng.uniform(-3, 0)
    scores = rng.random((n, 1)) * rng.random() + rng.random((n, m)) * spread + rng.normal(0, 0.1, m) * rng.random()
    places = int(rng.choice([1, 2, 4]))
    scores = scores.round(places)
    a, b, c = rng.integers(m, size=3)
    flaw = rng.integers(6)
    if flaw == 1:
        scores[:, a] = scores[:, b]
    elif flaw == 2:
        scores[:, c] = round(float(rng.random()), places)
    elif flaw == 3:
        scores[:, a] = scores[:, b] + round(float(rng.normal(0, 0.1)), places)
    elif flaw == 4:  # nearly identical: one score differs in its last digit
        scores[:, a] = scores[:, b]
        scores[rng.integers(n), a] += 10.0**-places
    elif flaw == 5:
        scores[:, a] = scores[:, b] = scores[:, c]
    ridge = float(rng.choice([0.0, 0.0, 1e-5, 1e-2]))
    return scores.round(places), rng.permutation(m), ridge


@pytest.mark.parametrize("seed", range(4))
def test_equals_exact_fractions(seed):
    rng = np.random.default_rng(seed)
    infinite = 0
    for _ in range(500):
        scores, order, ridge = random_problem(rng, 6, 10)
        want, theta = exhaustive(scores.tolist(), order.tolist(), ridge)
        base = prepare(scores)
        got, multipliers, point = base.distance_and_point(np.argsort(base.positions)[order], ridge)
        assert got == want or got == pytest.approx(want, rel=1e-8, abs=1e-8)
        infinite += math.isinf(want)
        if math.isfinite(want):
            assert point == pytest.approx(np.array(theta), abs=1e-8)
            assert (multipliers >= 0).all()
            assert multipliers @ point == pytest.approx(0.0, abs=1e-8 * max(1.0, multipliers.sum()))
    assert infinite > 10


@pytest.mark.parametrize("seed", range(3))
def test_equals_nonnegative_least_squares(seed):
    rng = np.random.default_rng(100 + seed)
    for _ in range(120):
        m, n = rng.integers(8, 40), rng.integers(5, 60)
        scores = (0.5 * rng.random((n, 1)) + 0.3 * rng.random((n, m)) + rng.normal(0, 0.03, m)).round(4)
        if rng.random() < 0.5:  # identical runs
            scores[:, rng.integers(m, size=2)] = scores[:, [0]]
        ridge = 1e-5 if m >= n else 0.0
        order = np.argsort(-(scores.mean(axis=0) + rng.normal(0, 0.02, m)))
        assert distance(scores, order, ridge) == pytest.approx(
            by_least_squares(scores, order.tolist(), ridge), rel=1e-8, abs=1e-8
        )


def test_scores_that_are_not_decimals():
    rng = np.random.default_rng(7)
    for _ in range(100):
        m, n = rng.integers(3, 20), rng.integers(25, 60)
        scores = rng.random((n, m)) + rng.random((n, 1))
        scores[:, 1] = scores[:, 0]
        order = rng.permutation(m)
        assert distance(scores, order) == pytest.approx(by_least_squares(scores, order.tolist()), rel=1e-8, abs=1e-8)


def test_many_orders_at_once_are_the_same_as_one_by_one():
    rng = np.random.default_rng(3)
    base = prepare(rng.random((30, 12)).round(3))
    orders = np.array([rng.permutation(12) for _ in range(50)])
    together = base.distances(orders, 0.0)
    assert [base.distances(order[None], 0.0)[0] for order in orders] == together.tolist()


def test_nearly_identical_systems_with_another_between():
    # A and A' differ on one topic by the last of six digits: their swap is one standard error, whatever stands between.
    rng = np.random.default_rng(0)
    a, b = rng.random(40).round(6), rng.random(40).round(6)
    twin = a.copy()
    twin[0] = round(twin[0] - 1e-6, 6)
    scores = np.column_stack([a, b, twin])
    order = [2, 1, 0]
    assert distance(scores, order) == pytest.approx(exhaustive(scores.tolist(), order)[0], rel=1e-6)


# --- the properties the paper claims --------------------------------------------------------------------------------

tables = st.integers(2, 5).flatmap(
    lambda m: st.lists(st.lists(st.integers(0, 20), min_size=m, max_size=m), min_size=m + 1, max_size=8)
)


@given(tables, st.randoms(use_true_random=False))
def test_theorem_1_zero_for_the_same_ranking_only(rows, random):
    scores = np.array(rows) / 10
    means = rs.ScoreMatrix(scores).means
    order = list(range(len(means)))
    random.shuffle(order)
    same = all(means[a] >= means[b] for a, b in itertools.pairwise(order))
    assert (distance(scores, order) == 0.0) == same


@given(tables)
def test_own_ranking_is_at_zero(rows):
    scores = np.array(rows) / 10
    assert d_rank(scores, scores).distance == 0.0


def test_theorem_2_a_larger_t_is_farther_where_only_the_swapped_pair_matters():
    # "All else being equal": the other systems are far away, so that the distance is the pair's |t| itself.
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 0.05, (30, 3))
    result, t_values = [], []
    for gap in (0.01, 0.02, 0.05):
        scores = noise + np.array([0.6, 0.6 - gap, 0.0])
        difference = scores[:, 0] - scores[:, 1]
        t_values.append(abs(difference.mean()) / (difference.std(ddof=1) / math.sqrt(30)))
        result.append(distance(scores, np.argsort(-scores.mean(axis=0))[[1, 0, 2]]))
    assert result == pytest.approx(t_values)


def three_systems(gaps, correlation, topics=30):
    """Systems i, i+1, i+2 whose differences from i have these means, sd 0.1, and exactly this correlation."""
    white = np.random.default_rng(2).normal(size=(topics, 2))
    white = np.linalg.qr(white - white.mean(axis=0))[0] * math.sqrt(topics - 1)
    u = 0.1 * white[:, 0]
    v = 0.1 * (correlation * white[:, 0] + math.sqrt(1 - correlation**2) * white[:, 1])
    return np.column_stack([np.full(topics, 0.5), 0.5 - gaps[0] - u, 0.5 - gaps[1] - v])


def test_theorem_3_splitting_similar_systems_is_never_better_and_worse_only_if_both_pairs_bind():
    # With t = √n gap/sd of the two pairs: θ of the second stays positive while ρ t₁ ≤ t₂, and the distance is t₁
    # whatever ρ. So the theorem's strict inequality fails there; beyond, the distance grows with ρ.
    gaps = (0.04, 0.05)
    t = [math.sqrt(30) * gap / 0.1 for gap in gaps]
    assert [distance(three_systems(gaps, rho), [1, 0, 2]) for rho in (-0.5, 0.0, 0.9)] == pytest.approx([t[0]] * 3)
    gaps = (0.04, 0.041)
    t = [math.sqrt(30) * gap / 0.1 for gap in gaps]
    # The order must be μ_i > μ_{i+1} > μ_{i+2}; sd of the second difference doubled makes the second pair bind.
    result = []
    for rho in (0.3, 0.6, 0.8, 0.95):
        scores = three_systems(gaps, rho)
        scores[:, 2] = scores[:, 2].mean() + 2 * (scores[:, 2] - scores[:, 2].mean())
        first, second = t[0], t[1] / 2
        both = rho * first > second
        want = (first**2 + second**2 - 2 * rho * first * second) / (1 - rho**2) if both else first**2
        result.append(distance(scores, [1, 0, 2]))
        assert result[-1] == pytest.approx(math.sqrt(want))
    assert result == sorted(result)
    assert result[0] == pytest.approx(t[0])
    assert result[-1] > result[-2] > t[0] + 1e-6


@given(tables, st.randoms(use_true_random=False))
def test_names_and_not_columns_count(rows, random):
    scores = np.array(rows) / 10
    m = scores.shape[1]
    estimate = [random.random() for _ in range(m)]
    shuffled = list(range(m))
    random.shuffle(shuffled)
    names = [f"s{i}" for i in range(m)]
    first = d_rank(rs.ScoreMatrix(scores, names), dict(zip(names, estimate, strict=True)))
    second = d_rank(
        rs.ScoreMatrix(scores[:, shuffled], [names[i] for i in shuffled]), dict(zip(names, estimate, strict=True))
    )
    assert first.order == second.order
    assert first.distance == pytest.approx(second.distance, rel=1e-9, abs=1e-9)


@given(tables, st.sampled_from([0.5, 10.0, 1000.0]), st.randoms(use_true_random=False))
def test_units_of_scores_do_not_count(rows, factor, random):
    scores = np.array(rows) / 10
    order = list(range(scores.shape[1]))
    random.shuffle(order)
    first, second = distance(scores, order), distance(scores * factor + 3.0, order)
    assert first == second or first == pytest.approx(second, rel=1e-9, abs=1e-9)


# --- ties, ridges, edges --------------------------------------------------------------------------------------------


def test_ties_are_broken_in_the_baselines_favour_and_bounded_exactly():
    result = d_rank(AP, {"A": 0.5, "B": 0.7, "C": 0.7})
    assert result.order == ("C", "B", "A")
    assert result.distance == 0.0
    ties = known(result.ties)
    assert (ties.exact, ties.ways, ties.coefficient) == (True, 2, "d_rank")
    assert (ties.least, ties.greatest) == (0.0, d_rank(AP, P10).distance)


def test_search_over_ties_finds_the_extremes_of_all_ways():
    rng = np.random.default_rng(11)
    scores = (rng.random((40, 1)) + 0.3 * rng.random((40, 9)) + rng.normal(0, 0.05, 9)).round(3)
    estimate = np.round(scores.mean(axis=0) + rng.normal(0, 0.05, 9), 1)
    every, searched = known(d_rank(scores, estimate).ties), known(d_rank(scores, estimate, limit=1).ties)
    assert every.exact
    assert not searched.exact
    assert searched.least == pytest.approx(every.least)
    assert searched.greatest == pytest.approx(every.greatest)


@st.composite
def tied_tables(draw):
    """Scores of up to six systems, identical ones among them, and an estimate that ties most of them."""
    m = draw(st.integers(3, 6))
    cells = st.lists(st.integers(0, 20), min_size=m, max_size=m)
    scores = np.array(draw(st.lists(cells, min_size=2, max_size=12)), dtype=float)
    if draw(st.booleans()):
        scores[:, draw(st.integers(0, m - 1))] = scores[:, 0]
    estimate = draw(st.lists(st.integers(0, 2), min_size=m, max_size=m).filter(lambda e: len(set(e)) < m))
    return scores, np.array(estimate, dtype=float)


@given(tied_tables(), st.sampled_from([0.0, 1e-3, 1.0]))
@settings(max_examples=60)
def test_bounds_under_ties_are_those_of_all_ways(table, ridge):
    every = known(d_rank(*table, ridge=ridge).ties)
    assert every.exact
    if table[0].shape[1] <= 4:
        want = over_ties(table[0].tolist(), table[1].tolist(), ridge)
        assert (every.least, every.mean, every.greatest) == pytest.approx(want, rel=1e-6, abs=1e-6)
    searched = known(d_rank(*table, ridge=ridge, limit=1).ties)
    assert every.least - 1e-6 <= searched.least <= searched.value <= searched.greatest * (1 + 1e-12)
    assert searched.greatest == every.greatest or searched.greatest <= every.greatest + 1e-6
    if "least: exact" in searched.method:
        assert ridge == 0.0
        assert searched.least == pytest.approx(every.least, rel=1e-6, abs=1e-6)
    if searched.exact:  # the least is proven, and an impossible order found
        assert (searched.mean, searched.greatest) == (math.inf, math.inf) == (every.mean, every.greatest)


def test_least_distance_over_ties_is_proven_without_a_ridge():
    """Every table is proven, also with identical systems, and equal to the least of all orders in exact fractions."""
    rng = np.random.default_rng(17)
    below = 0
    for _ in range(40):
        scores = (rng.random((12, 1)) + 0.3 * rng.random((12, 5)) + rng.normal(0, 0.1, 5)).round(2)
        if rng.random() < 0.3:
            scores[:, 1] = scores[:, 0]
        estimate = rng.integers(0, 2, 5)
        base = prepare(scores)
        distance, proven = least_distance(base, estimate[base.positions].astype(float))
        assert proven
        assert distance == pytest.approx(over_ties(scores.tolist(), estimate.tolist())[0], rel=1e-8, abs=1e-8)
        below += distance < d_rank(scores, estimate).distance - 1e-6
    # Ties broken by the baseline's means are not always the nearest.
    assert below > 0


def test_the_ends_of_a_search_say_how_they_were_found():
    rng = np.random.default_rng(19)
    scores = (rng.random((40, 1)) + 0.3 * rng.random((40, 12)) + rng.normal(0, 0.05, 12)).round(3)
    estimate = np.round(scores.mean(axis=0), 1)
    bare, ridged = (known(d_rank(scores, estimate, ridge=ridge, limit=1).ties) for ridge in (0.0, 1e-3))
    assert not bare.exact
    assert bare.method.startswith("least: exact, one quadratic program; greatest: search")
    # With a ridge the distance depends on the order inside a tie group: neither end is proven.
    assert not ridged.exact
    assert ridged.method.startswith("least and greatest: search")


@pytest.mark.parametrize(("systems", "topics"), [(120, 20), (60, 150)])
def test_bounds_of_many_ties_contain_other_random_ways(systems, topics, monkeypatch):
    """As with very many ties: not every swap of neighbours is evaluated. The bounds do not depend on the run."""
    monkeypatch.setattr(rank_distance_ties, "_SWAP_STAGES", 0)
    rng = np.random.default_rng(systems)
    skill = np.clip(rng.normal(0.4, 0.06, systems), 0.05, 0.95)
    scores, other = (rng.binomial(10, skill, (topics, systems)) / 10 for _ in range(2))
    estimate = other.mean(axis=0).round(2)
    result = d_rank(scores, estimate)
    ties = known(result.ties)
    base = prepare(scores)
    means = estimate[base.positions]
    orders = np.stack([np.lexsort((rng.random(systems), -means)) for _ in range(200)])
    distances = base.distances(orders, result.ridge)
    assert ties.least < distances.min()
    assert distances.max() < ties.greatest
    assert ties == known(d_rank(scores, estimate).ties)


@given(
    levels=st.lists(st.integers(0, 9), min_size=2, max_size=8),
    ends=st.tuples(st.integers(0, 9), st.integers(0, 9)),
    sign=st.sampled_from([-1.0, 1.0]),
)
def test_swaps_gain_what_they_say(levels, ends, sign):
    def rises(order):
        path = [ends[0], *(levels[i] for i in order), ends[1]]
        return sum(max(0, below - above) ** 2 for above, below in itertools.pairwise(path))

    start = np.arange(len(levels))
    order, gain = _swapped(start, np.array(levels, float), ends, sign)
    assert sorted(order.tolist()) == start.tolist()
    assert sign * (rises(order) - rises(start)) == pytest.approx(gain)
    swapped = [[*order] for _ in itertools.combinations(start, 2)]
    for (i, j), other in zip(itertools.combinations(start, 2), swapped, strict=True):
        other[i], other[j] = other[j], other[i]
        assert sign * rises(other) <= sign * rises(order) + 1e-6


def test_swaps_by_pushes_gain_at_least_what_they_say():
    rng = np.random.default_rng(23)
    gained = 0
    for _ in range(60):
        scores = (rng.random((30, 1)) + 0.3 * rng.random((30, 10)) + rng.normal(0, 0.05, 10)).round(3)
        base = prepare(scores)
        means = rng.integers(0, 3, 10).astype(float)
        order = np.lexsort((rng.random(10), -means))
        before, multipliers, _ = base.distance_and_point(order, 0.0)
        swapped, gains = _by_pushes(base, order, multipliers, _tied_places(means))
        after = base.distances(swapped[None], 0.0)[0]
        assert after**2 >= before**2 + base.topics * gains.sum() * (1 - 1e-6) - 1e-6
        gained += gains.sum() > 0.0
    assert gained > 0


def test_ridge_of_the_paper_where_systems_are_as_many_as_topics():
    rng = np.random.default_rng(5)
    scores = rng.random((6, 8)).round(3)
    assert d_rank(scores, np.arange(8)).ridge == 1e-5
    assert d_rank(scores, np.arange(8), ridge=0.5).ridge == 0.5
    assert d_rank(scores, np.arange(8), ridge=0.5).settings["ridge"] == 0.5
    assert d_rank(scores[:, :3], np.arange(3)).ridge == 0.0


def test_a_reversed_constant_difference_needs_a_ridge_and_says_so():
    rng = np.random.default_rng(6)
    column = rng.random(20).round(3)
    scores = np.column_stack([column, (column - 0.1).round(3), rng.random(20).round(3)])
    impossible = d_rank(scores, ranked([1, 0, 2]))
    assert not impossible.consistent
    assert impossible.ridge > 0.0
    assert math.isfinite(impossible.distance)
    bare = d_rank(scores, ranked([1, 2, 0]), ridge=0.0)
    assert (bare.distance, bare.theta, bare.multipliers, bare.condition) == (math.inf, None, None, None)
    assert bare.to_dict()["distance"] is None
    assert all(row[3] is None for row in bare.table().rows)
    test = rank_distance_test(scores, ranked([1, 0, 2]), null=rank_distance_null(scores, resamples=99))
    assert (test.distance, test.pvalue) == (math.inf, 0.01)


def test_identical_and_constant_systems_need_none():
    rng = np.random.default_rng(8)
    column = rng.random(20).round(3)
    scores = np.column_stack([column, rng.random(20).round(3), column, np.full(20, 0.5)])
    for order in itertools.permutations(range(4)):
        result = d_rank(scores, ranked(order))
        assert result.consistent
        assert result.ridge == 0.0
        assert result.distance == pytest.approx(exhaustive(scores.tolist(), order)[0], rel=1e-8, abs=1e-8)
    assert d_rank(np.full((5, 3), 0.5), [1, 2, 3]).distance == 0.0


def test_two_systems_are_a_paired_t_test():
    rng = np.random.default_rng(9)
    scores = rng.random((12, 2)).round(3)
    difference = scores[:, 0] - scores[:, 1]
    t = abs(difference.mean()) / (difference.std(ddof=1) / math.sqrt(12))
    wrong = [1, 0] if difference.mean() > 0 else [0, 1]
    assert distance(scores, wrong) == pytest.approx(t)


def test_what_cannot_be_ranked_is_refused():
    with pytest.raises(rs.TooFewSystems, match="two systems"):
        d_rank([[0.1], [0.2]], [0.5])
    with pytest.raises(rs.MissingScores, match="topic"):
        d_rank([[0.1, 0.2]], [0.5, 0.4])
    with pytest.raises(rs.MissingScores, match="scores by topic"):
        d_rank([0.1, 0.2], [0.5, 0.4])
    with pytest.raises(rs.MissingScores, match="missing"):
        d_rank([[0.1, math.nan], [0.2, 0.1]], [0.5, 0.4])
    with pytest.raises(rs.ShapeMismatch, match="2 means"):
        d_rank(AP, [0.5, 0.4])
    with pytest.raises(rs.NotFinite, match="NaN"):
        d_rank(AP, [0.5, 0.4, math.nan])
    with pytest.raises(rs.MismatchedNames, match="only in"):
        d_rank(AP, {"A": 0.1, "B": 0.2, "D": 0.3})
    with pytest.raises(rs.BadParameter, match="ridge=-1"):
        d_rank(AP, P10, ridge=-1)
    with pytest.raises(rs.BadParameter, match="limit=0"):
        d_rank(AP, P10, limit=0)


def test_estimates_of_every_kind():
    matrix = rs.ScoreMatrix([[0.2, 0.7, 0.8], [0.4, 0.8, 0.7]], ["A", "C", "B"])
    for estimate in (P10, {"C": 0.7, "A": 0.5, "B": 0.75}, matrix, [0.5, 0.75, 0.7], np.array([0.5, 0.76, 0.7])):
        assert d_rank(AP, estimate).order in {("B", "C", "A"), ("C", "B", "A")}
    assert d_rank(AP, matrix).distance == 0.0  # B and C tie


# --- the test -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(21)
    scores = (rng.random((25, 1)) + 0.5 * rng.random((25, 10)) + rng.normal(0, 0.05, 10)).round(3)
    return rs.ScoreMatrix(scores, [f"s{i}" for i in range(10)])


def test_p_counts_the_observed_ranking(table):
    worst = rank_distance_test(table, -table.means, resamples=199)
    assert worst.pvalue == 1 / 200
    assert rank_distance_test(table, table, resamples=199).pvalue == 1.0
    null = worst.null
    for d in null.distances[::20]:
        assert null.pvalue(d) == (1 + sum(null.distances >= d - 1e-9)) / 200
    # The same distance computed another way differs in its last digits, and is the same.
    assert null.pvalue(null.distances[100] * (1 + 1e-12)) == null.pvalue(null.distances[100])


def test_critical_value_is_where_p_passes_the_level(table):
    null = rank_distance_null(table, resamples=999)
    for level in (0.01, 0.05, 0.2, 0.5):
        critical = null.critical_value(level)
        assert null.pvalue(critical) > level
        assert null.pvalue(critical + 1e-6) <= level
    with pytest.raises(rs.BadParameter, match="draw more"):
        null.critical_value(0.0005)
    with pytest.raises(rs.BadParameter, match="between 0 and 1"):
        null.critical_value(1.0)
    with pytest.raises(rs.BadParameter, match="0 or more"):
        null.pvalue(-1.0)


def test_draws_do_not_depend_on_the_number_of_threads(table):
    one, two = (rank_distance_null(table, resamples=2_300, rng=4, jobs=jobs) for jobs in (1, 2))
    assert one.distances.tolist() == two.distances.tolist()
    assert one.distances.tolist() != rank_distance_null(table, resamples=2_300, rng=5).distances.tolist()
    assert rank_distance_null(table, resamples=50, rng=np.random.default_rng(3)).seed is None


def test_resampled_means_that_tie_contradict_nothing():
    # Scores of 1/30 are not decimals; their sums differ by rounding where they tie, and by one topic's worth else.
    rng = np.random.default_rng(13)
    thirtieths = rng.integers(0, 31, (9, 5))
    null = rank_distance_null(thirtieths / 30, resamples=600)
    whole = rank_distance_null(thirtieths.astype(float), resamples=600)
    assert null.distances == pytest.approx(whole.distances, abs=1e-9)


def test_null_comes_back_from_disk(table, tmp_path):
    null = rank_distance_null(table, resamples=100, ridge=1e-4, rng=9)
    path = tmp_path / "map.npz"
    null.save(path)
    back = RankDistanceNull.load(path)
    assert back.to_dict() == null.to_dict()
    estimate = -table.means
    assert (
        rank_distance_test(table, estimate, null=back).to_dict()
        == rank_distance_test(table, estimate, null=null).to_dict()
    )
    with np.load(path, allow_pickle=False) as archive:  # nothing in it needs pickle
        assert set(archive.files) == {"distances", "metadata"}
    null.save(tmp_path / "map.csv")
    assert (tmp_path / "map.csv").read_text().startswith("level,critical_value\n")


def test_null_of_another_baseline_is_refused(table):
    null = rank_distance_null(table, resamples=50)
    other = rs.ScoreMatrix(table.values + 0.001, table.systems)
    with pytest.raises(rs.BadParameter, match="another baseline"):
        rank_distance_test(other, table.means, null=null)
    with pytest.raises(rs.BadParameter, match="another baseline"):
        rank_distance_test(rs.ScoreMatrix(table.values, table.systems[::-1]), table.means, null=null)
    with pytest.raises(rs.BadParameter, match="made with ridge"):
        rank_distance_test(table, table.means, null=null, ridge=0.1)


def test_files_that_are_no_null_are_refused(table, tmp_path):
    with pytest.raises(rs.UnreadableFile, match="cannot be read"):
        RankDistanceNull.load(tmp_path / "none.npz")
    for name, content in (("text.npz", b"not an archive"), ("empty.npz", b"")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(rs.UnrecognisedFormat, match="not a null distribution"):
            RankDistanceNull.load(tmp_path / name)
    np.savez(tmp_path / "other.npz", a=np.ones(3))
    with pytest.raises(rs.UnrecognisedFormat, match="not a null distribution"):
        RankDistanceNull.load(tmp_path / "other.npz")
    np.savez(tmp_path / "pickled.npz", distances=np.array([{}], dtype=object), metadata=np.array("{}"))
    with pytest.raises(rs.UnrecognisedFormat, match="not a null distribution"):
        RankDistanceNull.load(tmp_path / "pickled.npz")


def test_ties_give_a_range_of_p(table):
    estimate = np.round(table.means, 1)
    test = rank_distance_test(table, estimate, resamples=199)
    least, greatest = known(test.ties_pvalues)
    assert least <= test.pvalue <= greatest
    assert test.table().rows[0][0] == test.distance
    assert rank_distance_test(table, table.means, resamples=19).ties_pvalues is None


def test_bad_numbers_are_refused(table):
    with pytest.raises(rs.BadParameter, match="resamples=0"):
        rank_distance_null(table, resamples=0)
    with pytest.raises(rs.BadParameter, match="jobs=0"):
        rank_distance_null(table, resamples=10, jobs=0)


def simulated(topics, trials, estimate_of):
    """The share of trials in which the 5 % test rejects the estimate made from 12 systems' effects and scores."""
    rng = np.random.default_rng(topics)
    rejected = 0
    for _ in range(trials):
        system = rng.normal(0.0, 0.05, 12)
        scores = 0.4 + system + rng.normal(0, 0.15, (topics, 1)) + rng.normal(0, 0.1, (topics, 12))
        rejected += rank_distance_test(scores, estimate_of(rng, system, scores), resamples=499).pvalue <= 0.05
    return rejected / trials


def about_the_baseline(rng, system, scores):
    return scores.mean(axis=0) + rng.multivariate_normal(np.zeros(len(system)), np.cov(scores.T) / len(scores))


@pytest.mark.slow
@pytest.mark.parametrize("topics", [25, 50, 250])
def test_level_for_means_drawn_about_the_baseline(topics):
    assert simulated(topics, 1_000, about_the_baseline) <= 0.07 + 0.014  # two standard errors


@pytest.mark.slow
def test_level_for_the_population_ranking_needs_many_topics():
    # What the docstring warns of: Σ_Δ is an estimate, and Algorithm 2 takes it as known.
    assert 0.1 < simulated(25, 400, lambda rng, system, scores: system) < 0.3
    assert simulated(250, 400, lambda rng, system, scores: system) < 0.09


# The last three have more than twice as many systems as topics, and are solved by equations of topics.
@pytest.mark.parametrize(
    ("topics", "systems", "ridge"),
    [(20, 8, 0.0), (30, 12, 1e-4), (6, 12, 1e-5), (2, 25, 1e-5), (3, 40, 1e-3), (5, 60, 1e-5)],
)
def test_least_squares_stands_in_for_exchanges(topics, systems, ridge):
    """Where exchanges cycle, scipy's nnls takes over: the same distance, multipliers and point."""
    rng = np.random.default_rng(topics)
    base = prepare(rs.ScoreMatrix(rng.random((topics, systems)).round(3)))
    for _ in range(20):
        order = rng.permutation(systems)
        exchanged = base._solved(order[None], ridge)
        distance, multipliers, theta = base._by_least_squares(order, ridge)
        assert distance == pytest.approx(exchanged[0][0], rel=1e-8)
        assert multipliers == pytest.approx(exchanged[1], abs=1e-8 * np.abs(exchanged[1]).max())
        assert theta == pytest.approx(exchanged[2], abs=1e-8 * base.unit)


@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(3, 6))
def test_least_squares_knows_constant_differences(seed, topics, systems):
    """Where a system is another one shifted by 0.1, rounding makes no impossible order possible."""
    random = np.random.default_rng(seed)
    values = random.integers(0, 4, (topics, systems)) / 10.0
    values[:, 1] = (np.round(10.0 * values[:, 0]) + 1.0) / 10.0
    base = prepare(rs.ScoreMatrix(values))
    for ridge in (0.0, 1e-5):
        order = random.permutation(systems)
        distance = base._by_least_squares(order, ridge)[0]
        assert distance == pytest.approx(base.distances(order[None], ridge)[0], rel=1e-4, abs=1e-6)


def assert_same_by_topics(scores, ridge, seed):
    """Newton's method in topics solves all orders, at the distances that exchanges of rows give."""
    base = prepare(rs.ScoreMatrix(scores))
    random = np.random.default_rng(seed)
    orders = np.stack([random.permutation(scores.shape[1]) for _ in range(5)])
    problem = orders, ridge * base._square, base.topics * (base.topics - 1.0)
    by_topics = kernel.distances_by_topics(base.sums, base.deviations, *problem)[0]
    by_pairs = kernel.distances(base.sums, base.spread, *problem)[0]
    assert (by_topics >= 0.0).all()
    assert by_topics == pytest.approx(by_pairs, rel=1e-8, abs=1e-8)
    assert base.distances(orders, ridge) == pytest.approx(by_pairs, rel=1e-8, abs=1e-8)


@given(
    rows=st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=2), min_size=5, max_size=30),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=40)
def test_equations_of_topics_are_those_of_pairs(rows, seed):
    """Two topics and a few levels: identical systems, constant differences and ties everywhere."""
    assert_same_by_topics(np.array(rows, float).T / 4, 1e-5, seed)


@given(
    topics=st.integers(2, 40),
    systems=st.integers(2, 80),
    ridge=st.sampled_from([1e-6, 1e-5, 1e-3, 1.0]),
    decimals=st.sampled_from([1, 3, 17]),
    seed=st.integers(0, 2**32),
)
def test_equations_of_topics_for_any_shape(topics, systems, ridge, decimals, seed):
    """Also with more topics than systems, where they are not used, and for scores that are not decimals."""
    random = np.random.default_rng(seed)
    assert_same_by_topics(random.random((topics, systems)).round(decimals), ridge, seed)


def test_many_more_systems_than_topics_converge():
    """143 systems on 20 topics: without a ridge, which is only looked at, exchanges used to cycle."""
    models = {f"judge {i}": rs.JudgeModel(noise=0.3 + 0.3 * i, leniency=0.1 * i) for i in range(7)}
    track = rs.simulate_track(143, 20, depth=30, pool_depth=8, candidates=150, judges=models, rng=1)
    truth, noisy = (
        rs.evaluate(track.runs, rows, "nDCG@10").scores["nDCG@10"] for rows in (track.truth, track.judges["judge 6"])
    )
    result = rs.d_rank(truth, noisy.means)
    expected = by_least_squares(truth.values, [truth.systems.index(s) for s in result.order], result.ridge)
    assert result.distance == pytest.approx(expected, rel=1e-6)
