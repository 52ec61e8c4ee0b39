"""Battles and their scores: literal twins, other libraries, and battles that tell nothing."""

import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given, settings

import oracles_battles
import rankscope as rs
from narrowing import known
from rankscope.battles import BattleScores


def battles_of(rows, ids=None):
    return rs.Battles([f"m{a}" for a, _, _ in rows], [f"m{b}" for _, b, _ in rows], [w for _, _, w in rows], ids)


def coded(battles):
    return list(zip(battles.first.tolist(), battles.second.tolist(), battles.wins.tolist(), strict=True))


def rows_of(models):
    numbers = st.integers(0, models - 1)
    row = st.tuples(numbers, numbers, st.sampled_from([0.0, 0.5, 1.0])).filter(lambda row: row[0] != row[1])
    return st.lists(row, min_size=1, max_size=25)


def simulated(models, count, seed, tie=0.3):
    rng = np.random.default_rng(seed)
    strength = rng.normal(0.0, 1.0, models)
    first = rng.integers(0, models, count)
    second = (first + rng.integers(1, models, count)) % models
    chance = 1.0 / (1.0 + np.exp(strength[second] - strength[first]))
    wins = np.where(rng.random(count) < tie, 0.5, (rng.random(count) < chance).astype(float))
    return battles_of(list(zip(first.tolist(), second.tolist(), wins.tolist(), strict=True)))


@settings(max_examples=15, deadline=None)
@given(rows_of(4), st.sampled_from([0.0, 0.5, 2.0]))
def test_bradley_terry_is_zermelos_iteration(rows, prior):
    battles = battles_of(rows)
    try:
        scores = battles.scores(prior=prior)
    except rs.NoStrengths:
        return
    expected = oracles_battles.zermelo(coded(battles), len(battles.systems), prior)
    assert np.allclose(scores.means, expected, atol=1e-4)


@settings(max_examples=25, deadline=None)
@given(rows_of(4))
def test_win_rates_are_their_definition(rows):
    battles = battles_of(rows)
    expected = oracles_battles.win_rates(coded(battles), len(battles.systems))
    assert battles.scores("win_rate").means.tolist() == pytest.approx(expected)


@pytest.mark.parametrize("score", ["bradley_terry", "win_rate"])
def test_a_row_is_what_counting_its_battle_once_more_does(score):
    battles = simulated(4, 40, 1)
    literal = {"bradley_terry": oracles_battles.zermelo, "win_rate": oracles_battles.win_rates}[score]
    scores = battles.scores(score)
    expected = np.array(oracles_battles.influences(literal, coded(battles), 4))
    assert np.allclose(scores.values, scores.means + len(battles) * expected, atol=0.02)


def test_strengths_agree_with_evalica_and_choix():
    """Two libraries with other algorithms: MM and iterated Luce spectral ranking."""
    evalica, choix = pytest.importorskip("evalica"), pytest.importorskip("choix")
    battles = simulated(8, 400, 2)
    ours = battles.scores().means
    label = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y, 0.5: evalica.Winner.Draw}
    names = [[battles.systems[code] for code in side] for side in (battles.first, battles.second)]
    result = evalica.bradley_terry(*names, [label[win] for win in battles.wins], tolerance=1e-13, limit=10_000)
    theirs = 400.0 * np.log10(result.scores.reindex(list(battles.systems)).to_numpy())
    assert np.allclose(ours - ours.mean(), theirs - theirs.mean(), atol=1e-6)
    won = np.zeros((8, 8))
    np.add.at(won, (battles.first, battles.second), battles.wins)
    np.add.at(won, (battles.second, battles.first), 1.0 - battles.wins)
    spectral = choix.ilsr_pairwise_dense(won, tol=1e-12) * 400.0 / math.log(10.0)
    assert np.allclose(ours - ours.mean(), spectral, atol=1e-6)
    rates = evalica.average_win_rate(*names, [label[win] for win in battles.wins])
    assert rates.scores.index.size == 8  # a mean over opponents, which is another quantity


def test_a_prior_is_ties_with_a_model_of_average_strength():
    choix = pytest.importorskip("choix")
    battles = battles_of([(0, 1, 1.0), (0, 2, 1.0), (1, 2, 0.5), (2, 1, 1.0)])  # model 0 won all of its battles
    ours = battles.scores(prior=2.0).means
    won = np.zeros((4, 4))
    np.add.at(won, (battles.first, battles.second), battles.wins)
    np.add.at(won, (battles.second, battles.first), 1.0 - battles.wins)
    won[3, :3] = won[:3, 3] = 1.0  # two ties of each with a fourth model
    spectral = choix.ilsr_pairwise_dense(won, tol=1e-13)[:3] * 400.0 / math.log(10.0)
    assert np.allclose(ours - ours.mean(), spectral - spectral.mean(), atol=1e-6)


@settings(max_examples=20, deadline=None)
@given(rows_of(4), st.data())
def test_means_and_covariance_are_those_of_the_rows(rows, data):
    ids = data.draw(st.none() | st.lists(st.sampled_from("abcdef"), min_size=len(rows), max_size=len(rows)))
    scores = battles_of(rows, ids).scores("win_rate")
    assume(len(scores.topics) > 1)
    assert np.allclose(scores.values.mean(axis=0), scores.means)
    assert np.allclose(np.cov(scores.values, rowvar=False) / len(scores.topics), scores.covariance)


def test_the_covariance_is_that_of_resampled_battles():
    """Against the bootstrap itself, every draw fitted anew."""
    battles = simulated(5, 1_500, 3)
    rng = np.random.default_rng(0)
    drawn = []
    for _ in range(200):
        rows = rng.integers(0, len(battles), len(battles))
        again = battles._rows(rows)
        order = [again.systems.index(name) for name in battles.systems]
        drawn.append(again.scores().means[order])
    ratio = np.std(drawn, axis=0) / np.sqrt(np.diag(battles.scores().covariance))
    assert np.all(abs(ratio - 1.0) < 0.2)


def test_battles_that_share_an_id_are_one_row():
    rows = [(0, 1, 1.0), (1, 2, 0.5), (0, 2, 0.0), (1, 0, 0.5)]
    scores = battles_of(rows, ["q1", "q2", "q1", "q2"]).scores()
    assert scores.topics == ("q1", "q2")
    assert scores.unit == "question"
    assert battles_of(rows).scores().unit == "battle"


def test_mirrored_records_tie_exactly():
    ring = [(a, (a + 1) % 7, w) for a in range(7) for w in (1.0, 1.0, 0.0, 0.5)]
    ring += [(b, a, w) for a, b, w in ring]
    assert len(set(battles_of(ring).scores().means.tolist())) == 1


def test_all_ties_are_all_equal():
    scores = battles_of([(0, 1, 0.5), (1, 2, 0.5), (2, 0, 0.5)]).scores()
    assert scores.means.tolist() == [1000.0, 1000.0, 1000.0]
    assert np.allclose(scores.covariance, 0.0)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([(0, 1, 1.0), (1, 2, 1.0), (2, 1, 1.0)], "'m0' won every battle, so"),
        ([(0, 1, 0.0), (1, 2, 1.0), (2, 1, 1.0)], "'m0' lost every battle, so"),
        ([(0, 1, 0.5), (2, 3, 0.5), (3, 4, 0.5)], "never met in a battle; 'm0', 'm1' met"),
        ([(0, 1, 1.0)], "'m0' won every battle"),
    ],
)
def test_battles_that_tell_no_strength_say_so(rows, said):
    battles = battles_of(rows)
    with pytest.raises(rs.NoStrengths, match=said):
        battles.scores()
    assert np.isfinite(battles.scores("win_rate").means).all()  # the ways out work
    if "never met" not in said:
        assert np.isfinite(battles.scores(prior=1.0).means).all()


def test_extreme_records_have_finite_strengths():
    rows = [(0, 1, 1.0)] * 5_000 + [(0, 1, 0.0), (1, 2, 1.0), (2, 1, 1.0)]
    means = battles_of(rows).scores().means
    assert means[0] - means[1] == pytest.approx(400.0 * math.log10(5_000.0), rel=1e-9)


def test_what_battles_refuse():
    with pytest.raises(rs.BadParameter, match="'a' battles itself"):
        rs.Battles(["a"], ["a"], [1.0])
    with pytest.raises(rs.BadParameter, match="from 0 to 1"):
        rs.Battles(["a"], ["b"], [2.0])
    with pytest.raises(rs.BadParameter, match="no battles"):
        rs.Battles([], [], [])
    with pytest.raises(rs.ShapeMismatch):
        rs.Battles(["a"], ["b", "c"], [1.0])
    with pytest.raises(rs.BadParameter, match="prior=-1"):
        simulated(3, 30, 1).scores(prior=-1.0)
    with pytest.raises(rs.BadParameter, match="leave it out for win rates"):
        simulated(3, 30, 1).scores("win_rate", prior=1.0)


def test_fewer_battles_are_scored_anew_and_fewer_models_are_not():
    battles = simulated(4, 200, 4)
    battles = rs.Battles(
        [battles.systems[code] for code in battles.first],
        [battles.systems[code] for code in battles.second],
        battles.wins,
        [f"b{number}" for number in range(200)],
    )
    scores = battles.scores()
    some = [f"b{number}" for number in reversed(range(120))]
    fewer = scores.select(topics=some, systems=["m1", "m0"])
    assert isinstance(fewer, BattleScores)
    assert fewer.topics == tuple(some)
    anew = battles.select(some).scores()
    assert fewer.means.tolist() == [anew.means[anew.systems.index(name)] for name in ("m1", "m0")]
    assert np.allclose(fewer.values.mean(axis=0), fewer.means)
    kept = scores.select(systems=["m2", "m3"])
    assert kept.means.tolist() == [scores.means[scores.systems.index(name)] for name in ("m2", "m3")]


def test_sides_are_paired_by_id():
    battles = simulated(4, 300, 5)
    names = [[battles.systems[code] for code in side] for side in (battles.first, battles.second)]
    ids = [f"b{number}" for number in range(300)]
    truth = rs.Battles(names[0], names[1], battles.wins, ids, name="people")
    shuffled = np.random.default_rng(0).permutation(300)
    estimate = rs.Battles(
        [names[0][i] for i in shuffled],
        [names[1][i] for i in shuffled],
        battles.wins[shuffled],
        [ids[i] for i in shuffled],
        name="llm",
    )
    x, y = rs.align(truth.scores(), estimate.scores())
    assert np.allclose(x.values, y.values, atol=1e-6)
    result = rs.compare(truth, estimate, resamples=50, coefficients=["kendall"])
    assert result.estimates[0].value("kendall") == 1.0
    interval = known(result.estimates[0]["kendall"].interval)
    assert (interval.low, interval.high) == (1.0, 1.0)  # the same battles are drawn on both sides


def test_battles_are_ranked_and_compared_like_scores():
    battles = simulated(5, 800, 6)
    board = rs.rank(battles, resamples=200).leaderboards[0]
    assert (board.unit, board.topics, board.measure) == ("battle", 800, "Bradley–Terry")
    assert board.systems[0].score == battles.scores().means.max()
    assert [ahead.topics for ahead in board.outlook] == [1_600, 3_200]
    text = str(rs.rank(battles, resamples=200))
    assert "5 systems on 800 battles" in text
    assert "topic" not in text
    same = rs.rank(battles.scores(), resamples=200).leaderboards[0]
    assert [entry.system for entry in same.systems] == [entry.system for entry in board.systems]


@pytest.mark.parametrize("score", ["bradley_terry", "win_rate"])
def test_the_covariance_of_a_coin_is_that_of_winners_turned_at_random(score):
    battles = simulated(4, 2_000, 7)
    rng = np.random.default_rng(0)
    names = [[battles.systems[code] for code in side] for side in (battles.first, battles.second)]
    drawn = []
    for _ in range(200):
        turned = np.where(rng.random(len(battles)) < 0.5, battles.wins, 1.0 - battles.wins)
        drawn.append(rs.Battles(names[0], names[1], turned).scores(score).means)
    ratio = np.std(drawn, axis=0) / np.sqrt(np.diag(battles.scores(score).coin_covariance))
    assert np.all(abs(ratio - 1.0) < 0.2)
