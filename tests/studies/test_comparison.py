"""`compare`: every part of its answer against a plain computation, and its behaviour on the inputs people bring."""

import itertools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from narrowing import known
from rankscope.coefficients import default_coefficients
from rankscope.demo import demo_scores
from rankscope.studies.differences import swapped_pairs

TRUTH = {"a": 0.9, "b": 0.5, "c": 0.4, "d": 0.1}
ESTIMATE = {"d": 0.2, "c": 0.6, "b": 0.5, "a": 0.8}


def test_every_topic_has_its_influence_and_the_text_names_five():
    from rankscope.demo import demo_scores

    human, careful = list(demo_scores().values())[:2]
    estimate = rs.compare(human, careful, resamples=0).estimates[0]
    own = rs.topic_influence(human, careful)
    assert {c.topic: c.change for c in estimate.influence} == dict(zip(own.topics, own.changes[0], strict=True))
    assert [c.change for c in estimate.influence] == sorted((c.change for c in estimate.influence), reverse=True)
    assert [(c.topic, c.change) for c in estimate.carriers] == list(own.carriers("kendall", 5))


def test_default_is_every_coefficient_and_the_symmetric_forms():
    result = rs.compare(TRUTH, ESTIMATE)
    names = [c.name for c in result.estimates[0].coefficients]
    assert {record.name for record in rs.all_coefficients() if record.by_default} <= set(names)
    assert "tau_ap(symmetric=True)" in names
    assert names == [str(c) for c in default_coefficients()] == result.settings["coefficients"]


def test_values_are_the_coefficients_own():
    result = rs.compare(TRUTH, ESTIMATE).estimates[0]
    x, y = [TRUTH[s] for s in "abcd"], [ESTIMATE[s] for s in "abcd"]
    for found in result.coefficients:
        assert found.value == rs.coefficient(found.name)(x, y)


def test_chosen_coefficients_in_the_order_given():
    result = rs.compare(TRUTH, ESTIMATE, coefficients=["tau_gap@3", "rbo(p=0.5)", "kendall"])
    assert [c.name for c in result.estimates[0].coefficients] == ["tau_gap@3", "rbo(p=0.5)", "kendall"]
    assert result.estimates[0].value("rbo( p=.5 )") == result.estimates[0].coefficients[1].value
    with pytest.raises(rs.BadParameter, match="tau_ap was not computed"):
        result.estimates[0].value("tau_ap")
    with pytest.raises(rs.UnknownName, match="did you mean tau_ap"):
        rs.compare(TRUTH, ESTIMATE, coefficients=["tauap"])


def test_the_one_swap_with_both_gaps():
    (swap,) = rs.compare(TRUTH, ESTIMATE).estimates[0].swaps
    assert (swap.better, swap.worse) == ("b", "c")
    assert swap.truth_gap == pytest.approx(0.1)
    assert swap.estimate_gap == pytest.approx(0.1)
    assert (swap.truth_ranks, swap.estimate_ranks) == ((2.0, 3.0), (3.0, 2.0))


scores = st.lists(st.integers(0, 6).map(lambda i: i / 10), min_size=2, max_size=12)


@given(st.data())
def test_swaps_ties_and_tops_by_definition(data):
    x = data.draw(scores)
    y = data.draw(st.lists(st.integers(0, 6).map(lambda i: i / 10), min_size=len(x), max_size=len(x)))
    names = [f"s{i}" for i in range(len(x))]
    result = rs.compare(
        rs.SystemScores(x, names), rs.SystemScores(y, names), coefficients=["tau_a"], top=(1, 2, 5), resamples=0
    ).estimates[0]
    pairs = list(itertools.permutations(range(len(x)), 2))
    expected = {(names[i], names[j]) for i, j in pairs if x[i] > x[j] and y[i] < y[j]}
    assert {(s.better, s.worse) for s in result.swaps} == expected
    assert len(result.swaps) == result.swap_count == len(expected)
    assert [s.truth_gap for s in result.swaps] == sorted((s.truth_gap for s in result.swaps), reverse=True)
    assert result.truth_ties == sum(x[i] == x[j] for i, j in pairs) // 2
    assert result.estimate_ties == sum(y[i] == y[j] for i, j in pairs) // 2
    for top in result.top:
        best_x = {i for i in range(len(x)) if sum(v > x[i] for v in x) < top.k}
        best_y = {i for i in range(len(y)) if sum(v > y[i] for v in y) < top.k}
        assert top.shared == len(best_x & best_y)
        assert 0.0 <= top.share <= 1.0


@pytest.mark.parametrize("block", [1, 7, 50, 10**6])
def test_blocks_do_not_change_the_swaps(block):
    rng = np.random.default_rng(1)
    x, y = rng.random((2, 40)).round(2)
    count, pairs = swapped_pairs(x, y, 30)
    again, same = swapped_pairs(x, y, 30, block=block)
    assert (again, same.tolist()) == (count, pairs.tolist())


def test_most_swaps_are_kept_and_all_counted():
    x = np.arange(30.0)
    result = rs.compare(x, -x, coefficients=["kendall"], max_swaps=5).estimates[0]
    assert (len(result.swaps), result.swap_count, result.pairs) == (5, 435, 435)
    assert result.swaps[0].truth_gap == 29.0


def test_a_constant_estimate_is_nan_not_good_or_bad():
    result = rs.compare(TRUTH, dict.fromkeys(TRUTH, 0.3))
    assert all(np.isnan(c.value) and c.ties is None for c in result.estimates[0].coefficients)
    assert json.loads(result.to_json())["estimates"][0]["coefficients"][0]["value"] is None


def test_ties_are_shown_where_they_matter():
    result = rs.compare({"a": 3, "b": 2, "c": 1}, {"a": 0.5, "b": 0.5, "c": 0.1}).estimates[0]
    found = {c.name: c.ties for c in result.coefficients}
    ties = known(found["tau_ap"])
    assert (ties.least, ties.greatest) == (0.0, 1.0)
    assert found["pearson"] is None
    rng = np.random.default_rng(0)
    x = rng.random(400)
    y = x.copy()
    y[np.argsort(x)[[0, 1]]] = 0.0  # one tie at the tail of 400 moves nothing that anyone would see
    assert all(c.ties is None for c in rs.compare(x, y).estimates[0].coefficients)


def test_several_estimates_keep_their_order_and_get_distinct_names():
    result = rs.compare(TRUTH, ESTIMATE, ESTIMATE)
    assert [e.name for e in result.estimates] == ["estimate 1", "estimate 2"]
    table = rs.SystemScores([1.0, 2.0], ["a", "b"], name="same.csv")
    assert [e.name for e in rs.compare(table, table, table).estimates] == ["same.csv (2)", "same.csv (3)"]


def test_json_has_the_promised_shape():
    read = json.loads(rs.compare(TRUTH, ESTIMATE).to_json())
    assert set(read) == {"rankscope", "truth", "estimates", "contrasts", "groups", "remarks", "settings"}
    (estimate,) = read["estimates"]
    assert {"name", "coefficients", "swaps"} <= set(estimate)
    assert {"name", "value"} <= set(estimate["coefficients"][0])
    assert estimate["swaps"][0]["better"] == "b"
    assert read["truth"]["systems"] == 4
    assert read["settings"]["on_missing"] == "error"


def test_frames_and_swap_tables():
    result = rs.compare(TRUTH, ESTIMATE)
    assert result.to_frame().height == len(result.estimates[0].coefficients)
    assert result.to_csv("swaps").splitlines()[1].startswith("estimate 1,b,c,")


def test_one_shared_system_is_too_few():
    with pytest.raises(rs.TooFewSystems, match="both sides share 1: 'a'"):
        rs.compare({"a": 1, "b": 2}, {"a": 1, "c": 2}, on_missing="intersect")


def test_nothing_to_compare_with():
    with pytest.raises(rs.BadParameter, match="nothing to compare"):
        rs.compare(TRUTH)
    with pytest.raises(rs.BadParameter, match="1 or more"):
        rs.compare(TRUTH, ESTIMATE, top=[0])


def test_missing_cells_are_settled_for_both_sides_together():
    truth = rs.ScoreMatrix([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]], list("abc"), ["1", "2"])
    gap = rs.ScoreMatrix([[0.1, np.nan, 0.3], [0.4, 0.2, 0.3]], list("abc"), ["1", "2"])
    with pytest.raises(rs.MissingScores, match="b on topic 1"):
        rs.compare(truth, gap)
    result = rs.compare(truth, gap, on_missing="intersect").estimates[0]
    assert result.topics == 1
    assert [s.truth for s in result.systems] == [0.3, 0.2, 0.1]


def test_robust_2004(data):
    """τ(P@10, MAP) = 0.798 over 110 systems (FACTS, checked against Carterette 2009, Table 1, which prints 0.80)."""
    result = rs.compare(data / "robust2004" / "robust2004_ap.csv", data / "robust2004" / "robust2004_p10.csv")
    (estimate,) = result.estimates
    assert result.truth.systems == 110
    assert estimate.topics == 249
    assert estimate.value("tau_a") == pytest.approx(0.798, abs=5e-4)
    assert len({s.estimate for s in estimate.systems}) == 95  # FACTS: 15 ties among mean P@10 scores


def test_trec5_and_partly_different_leaderboards(data):
    result = rs.compare(
        data / "trec5" / "adhoc5_ap.csv", data / "trec5" / "adhoc5_p10.csv", data / "trec5" / "adhoc5_rr.csv"
    )
    assert [len(e.systems) for e in result.estimates] == [61, 61]
    board = rs.read_scores(data / "covid1" / "leaderboard.csv", measure="MAP")
    other = rs.read_scores(data / "covid1" / "leaderboard.csv", measure="bpref").select(systems=board.systems[5:])
    with pytest.raises(rs.MismatchedNames, match="5 of 143 systems only in the truth"):
        rs.compare(board, other)
    assert len(rs.compare(board, other, on_missing="intersect").estimates[0].systems) == 138


def tables():
    made = demo_scores(systems_per_family=3, topics=15)
    return made["human"], made["careful"], made["partial"]


def test_intervals_and_p_are_those_of_the_library():
    human, careful, partial = tables()
    result = rs.compare(human, careful, partial, coefficients=["kendall", "tau_b", "tau_gap"], resamples=300, rng=4)
    for estimate, scores in zip(result.estimates, (careful, partial), strict=True):
        alone = rs.bootstrap(human, scores, ["tau_b", "tau_gap"], resamples=300, rng=4)
        chance = rs.permutation_test(human, scores, ["tau_b", "tau_gap"], permutations=300, rng=4)
        assert [c.interval for c in estimate.coefficients[1:]] == [v.interval for v in alone.values]
        assert [c.pvalue for c in estimate.coefficients[1:]] == [p.pvalue for p in chance]
        assert estimate["kendall"].interval == estimate["tau_b"].interval
        assert estimate.no_interval is None


def test_rank_distance_separation_and_carriers_are_those_of_the_library():
    human, careful, partial = tables()
    result = rs.compare(human, careful, partial, resamples=300, correction="holm", alpha=0.1)
    for estimate, scores in zip(result.estimates, (careful, partial), strict=True):
        test = rs.rank_distance_test(human, scores, resamples=300)
        found = known(estimate.rank_distance)
        assert (found.distance, found.pvalue) == (test.distance, test.pvalue)
        assert found.critical_value == test.critical_value(0.1)
        power = rs.discriminative_power(human, scores, correction="holm", alpha=0.1)
        apart = known(estimate.separation)
        assert (apart.pairs, apart.swaps, apart.discriminative_power) == (power.pairs, power.opposed, power.value)
        assert sum(known(swap.significant) for swap in estimate.swaps) == apart.swaps
        carriers = rs.topic_influence(human, scores).carriers("kendall")
        assert [(c.topic, c.change) for c in estimate.carriers] == list(carriers)


def test_contrasts_between_estimates_on_the_same_topics():
    human, careful, partial = tables()
    noise = rs.ScoreMatrix(
        np.random.default_rng(0).random(human.values.shape), human.systems, human.topics, name="noise"
    )
    result = rs.compare(human, careful, partial, noise, coefficients=["kendall"], resamples=500)
    assert [(c.first, c.second) for c in result.contrasts] == [
        ("careful", "partial"),
        ("careful", "noise"),
        ("partial", "noise"),
    ]
    assert known(result.contrasts[1].adjusted) < 0.05
    assert all(known(c.adjusted) >= known(c.pvalue) for c in result.contrasts)
    fewer = careful.select(topics=careful.topics[:9]).renamed("fewer")
    part = rs.compare(human, careful, fewer, coefficients=["kendall"], resamples=100, on_missing="intersect")
    assert part.contrasts == ()  # another sample of topics: the draws are not shared


def test_leaderboards_have_kendalls_interval_and_say_why():
    (estimate,) = rs.compare(TRUTH, ESTIMATE, resamples=99).estimates
    assert estimate.no_interval == "no topics"
    assert "Carterette 2009, Eq. 1" in known(estimate["kendall"].interval).method
    assert estimate["tau_ap"].interval is None
    assert estimate["tau_ap"].pvalue is not None
    assert estimate.rank_distance is None
    assert estimate.separation is None
    result = rs.compare(tables()[0], tables()[1].system_scores(), resamples=99)
    (mixed,) = result.estimates
    assert (mixed.truth_errors, mixed.estimate_errors, mixed.verdict) == ("topics", None, None)
    assert "topics of human alone" in str(result)
    assert "intervals leave the errors of its scores out" in str(result)
    assert (
        known(mixed.rank_distance).distance == rs.d_rank(tables()[0], tables()[1]).distance
    )  # the truth's topics suffice
    assert mixed.separation is not None


def test_no_resamples_no_intervals():
    human, careful, _ = tables()
    (estimate,) = rs.compare(human, careful, resamples=0).estimates
    assert estimate.no_interval == "no resamples"
    assert estimate["tau_ap"].interval is None
    assert estimate["tau_ap"].pvalue is None
    assert estimate.rank_distance is None


def test_independent_topics():
    human, careful, _ = tables()
    other = rs.ScoreMatrix(careful.values[:9], careful.systems, [f"other{i}" for i in range(9)])
    (estimate,) = rs.compare(human, other, topics="independent", resamples=200).estimates
    assert estimate.topics == 9
    assert estimate["kendall"].interval is not None
    assert estimate.carriers == ()


@pytest.mark.parametrize(
    "wrong", [{"resamples": -1}, {"level": 0.0}, {"alpha": 1.0}, {"method": "x"}, {"correction": "x"}]
)
def test_wrong_settings(wrong):
    human, careful, _ = tables()
    with pytest.raises(rs.BadParameter):
        rs.compare(human, careful, **wrong)


def test_one_seed_one_result():
    human, careful, _ = tables()
    texts = {rs.compare(human, careful, resamples=600, rng=3, jobs=jobs).to_json() for jobs in (1, 2)}
    assert len(texts) == 1


def test_many_systems_have_fewer_draws_for_the_rank_distance():
    scores = np.random.default_rng(0).random((8, 320)).round(2)
    with pytest.warns(rs.errors.RankscopeWarning, match="320 systems the rank distance is tested with 241 draws"):
        found = rs.compare(scores, scores[:, ::-1], coefficients=["kendall"], resamples=293)
    distance = found.estimates[0].rank_distance
    assert distance is not None
    assert distance.resamples == 241  # 293 · (300/320)³ = 241.4
