"""The topic bootstrap, permutations, contrasts and influence against plain loops."""

import itertools
import math
import tracemalloc

import numpy as np
import pytest

import rankscope as rs
from narrowing import known
from rankscope.demo import demo_scores
from rankscope.inference.agreement import bootstrap, draw_values, left_out_values
from rankscope.inference.contrasts import contrasts
from rankscope.inference.influence import topic_influence
from rankscope.inference.permutation import permutation_test
from rankscope.inference.resampling import CHUNK, TopicMeans, generators, topic_counts

TABLES = demo_scores(systems_per_family=3, topics=12)
NAMES = ["kendall", "tau_ap", "tau_gap", "pearson_rank", "pearson", "rbo(p=0.8)", "tau_ap@5"]


def resampled(scores, counts):
    """The means over topics repeated as the counts say, one topic after the other."""
    rows = [topic for topic, count in enumerate(counts) for _ in range(int(count))]
    return np.array([math.fsum(scores.values[rows, s]) / len(rows) for s in range(len(scores.systems))])


def test_draws_are_the_coefficients_of_resampled_topics():
    human, judge = TABLES["human"], TABLES["careful"]
    chosen = [rs.coefficient(name) for name in NAMES]
    (drawn,) = draw_values([(human, judge)], chosen, resamples=40, topics="paired", rng=3, jobs=1)
    ((generator, size),) = generators(3, 40)
    counts = topic_counts(generator, 12, size)
    assert counts.sum(axis=1).tolist() == [12] * 40
    for draw in range(40):
        x, y = resampled(human, counts[draw]), resampled(judge, counts[draw])
        assert [by(x, y) for by in chosen] == pytest.approx(drawn[:, draw].tolist(), abs=1e-9)


def test_a_seed_gives_the_same_whatever_the_number_of_workers():
    bootstrapped = [
        bootstrap(TABLES["human"], TABLES["partial"], NAMES, resamples=2 * CHUNK + 7, rng=5, jobs=jobs)
        for jobs in (1, 2, 5)
    ]
    for other in bootstrapped[1:]:
        for a, b in zip(bootstrapped[0].values, other.values, strict=True):
            assert a.draws.tolist() == b.draws.tolist()
            assert a.interval == b.interval
    assert (
        bootstrap(TABLES["human"], TABLES["partial"], rng=6).values[0].draws.tolist()
        != bootstrapped[0].values[0].draws.tolist()
    )


def test_more_draws_begin_with_the_same_ones():
    few, many = (bootstrap(TABLES["human"], TABLES["partial"], resamples=n, rng=1).values[0].draws for n in (500, 1000))
    assert many[:500].tolist() == few.tolist()


def test_independent_topics_are_drawn_on_their_own():
    human = TABLES["human"]
    other = TABLES["careful"].select(topics=TABLES["careful"].topics[:7])
    with pytest.raises(rs.MismatchedNames):
        bootstrap(human, other)
    apart = bootstrap(human, other, ["pearson"], topics="independent", resamples=2000).values[0]
    assert known(apart.interval).low < apart.value < known(apart.interval).high
    together = bootstrap(human, TABLES["careful"], ["pearson"], resamples=2000).values[0]
    split = bootstrap(human, TABLES["careful"], ["pearson"], topics="independent", resamples=2000).values[0]
    assert split.standard_error > together.standard_error  # shared topics move both sides alike
    with pytest.raises(rs.BadParameter, match="independent"):
        bootstrap(human, other, topics="independent", method="bca")


def test_identical_systems_tie_in_every_draw():
    """Robust 2004 has such a pair; scores that are no short decimals would part them in the last bit."""
    rng = np.random.default_rng(0)
    values = rng.random((37, 9)) / 3.0
    values[:, 7] = values[:, 2]
    means = TopicMeans.of(rs.ScoreMatrix(values)).means(topic_counts(rng, 37, 300))
    assert (means[:, 7] == means[:, 2]).all()
    decimals = np.round(values, 2)
    decimals[:, 8] = decimals[::-1, 0]
    exact = TopicMeans.of(rs.ScoreMatrix(decimals)).means(np.ones((1, 37)))
    assert exact[0, 8] == exact[0, 0] == rs.ScoreMatrix(decimals).means[0]


def test_a_constant_draw_is_left_out_and_counted():
    scores = rs.ScoreMatrix([[1.0, 2.0, 3.0], [5.0, 5.0, 5.0]])
    bootstrapped = bootstrap(scores, rs.ScoreMatrix([[1.0, 3.0, 2.0], [1.0, 3.0, 2.0]]), resamples=400).values[0]
    assert 60 < bootstrapped.undefined < 140  # both topics the constant one: a quarter of the draws
    assert math.isfinite(known(bootstrapped.interval).low)


def test_leaderboards_and_single_topics_have_nothing_to_resample():
    board = rs.SystemScores([1.0, 2.0])
    with pytest.raises(rs.MissingScores, match="scores without topics; resampling draws topics"):
        bootstrap(board, board)
    single = rs.ScoreMatrix([[1.0, 2.0]])
    with pytest.raises(rs.MissingScores, match="at least two"):
        bootstrap(single, single)
    for wrong in ({"resamples": 0}, {"level": 1.0}, {"method": "best"}, {"jobs": 0}):
        with pytest.raises(rs.BadParameter):
            bootstrap(TABLES["human"], TABLES["careful"], **wrong)


def test_permutations_against_all_of_them():
    x, y = [5.0, 4.0, 2.0, 1.0, 0.5], [4.0, 5.0, 2.5, 1.0, 0.2]
    for name in NAMES[:5]:
        by = rs.coefficient(name)
        every = np.array([by(x, list(p)) for p in itertools.permutations(y)])
        permuted = permutation_test(x, y, [name], permutations=20_000, rng=2)[0]
        assert permuted.pvalue == pytest.approx((every >= by(x, y) - 1e-12).mean(), abs=0.01)
        assert permuted.chance == pytest.approx(every.mean(), abs=0.02)


def test_a_p_is_never_zero_and_a_constant_side_has_none():
    x = np.arange(30.0)
    assert permutation_test(x, x, permutations=99)[0].pvalue == 0.01
    with pytest.warns(rs.ConstantInput):
        rs.kendall(x, np.ones(30))
    assert permutation_test(x, np.ones(30), permutations=99)[0].pvalue is None


def test_contrasts_of_an_estimate_with_itself_and_with_a_worse_one():
    human = TABLES["human"]
    noise = rs.ScoreMatrix(np.random.default_rng(1).random(human.values.shape), human.systems, human.topics)
    sides = [(human, TABLES["careful"]), (human, TABLES["careful"]), (human, noise)]
    chosen = [rs.coefficient("kendall"), rs.coefficient("tau_gap")]
    draws = draw_values(sides, chosen, resamples=999, topics="paired", rng=0, jobs=None)
    contrasted = contrasts(["a", "same", "noise"], sides, chosen, draws, level=0.95)
    assert [(c.name, c.first, c.second) for c in contrasted[:3]] == [
        ("kendall", "a", "same"),
        ("kendall", "a", "noise"),
        ("kendall", "same", "noise"),
    ]
    assert (contrasted[0].difference, contrasted[0].pvalue, contrasted[0].adjusted) == (0.0, 1.0, 1.0)
    pvalue = known(contrasted[1].pvalue)
    assert pvalue < 0.05
    assert contrasted[1].adjusted == pytest.approx(min(1.0, 3 * pvalue))
    assert known(contrasted[1].interval).low > 0.0


def test_influence_is_the_loop_over_topics():
    human, judge = TABLES["human"], TABLES["partial"]
    influence = topic_influence(human, judge, NAMES)
    for t, topic in enumerate(human.topics):
        rest = [other for other in human.topics if other != topic]
        x, y = human.select(topics=rest).means, judge.select(topics=rest).means
        assert [rs.coefficient(n)(x, y) for n in NAMES] == pytest.approx(influence.without[:, t].tolist(), abs=1e-9)
    names = influence.carriers("kendall", 3)
    assert [change for _, change in names] == sorted((change for _, change in names), reverse=True)
    chosen = [rs.coefficient(n) for n in NAMES]
    assert left_out_values(chosen, human, judge).tolist() == influence.without.tolist()


@pytest.mark.parametrize("counts", [1, 30, 77])
def test_the_numbers_do_not_depend_on_how_many_draws_are_held_at_a_time(monkeypatch, counts):
    human, judge = TABLES["human"], TABLES["partial"]

    def everything():
        null = rs.rank_distance_null(human, resamples=60, rng=3).distances
        bootstrapped = rs.bootstrap(human, judge, NAMES, resamples=60, rng=3)
        return [
            *(v.draws.tolist() for v in bootstrapped.values),
            null.tolist(),
            topic_influence(human, judge).without.tolist(),
        ]

    whole = everything()
    monkeypatch.setattr("rankscope.inference.resampling._COUNTS", counts)
    assert everything() == whole


def test_memory_grows_with_topics_and_not_with_their_square():
    """Two systems on 100,000 topics: a matrix of topics × topics would take 74 GiB."""
    values = np.random.default_rng(0).random((100_000, 2)).round(3)
    tracemalloc.start()
    result = rs.compare(rs.ScoreMatrix(values), rs.ScoreMatrix(values[:, ::-1]), resamples=2, coefficients=["tau_b"])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.estimates[0].carriers is not None
    assert peak < 500e6


def test_a_topic_that_carries_the_disagreement_is_named():
    truth = np.tile(np.arange(6.0), (8, 1)) + np.random.default_rng(0).random((8, 6)) / 10
    estimate = truth.copy()
    estimate[3] = 60 * truth[3][::-1]
    topics = [f"q{i}" for i in range(8)]
    influence = topic_influence(rs.ScoreMatrix(truth, topics=topics), rs.ScoreMatrix(estimate, topics=topics))
    ((topic, weight),) = influence.carriers("kendall", 1)
    assert topic == "q3"
    assert weight == pytest.approx(2.0)
