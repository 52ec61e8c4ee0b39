"""Battles that people judged in part and a judge in all: corrected scores against literal ones, and rank sets."""

import corrected_battles
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankscope as rs
from oracles_battles import chatzi_rank_sets, influences, win_rates, zermelo
from oracles_correction import prediction_powered as literal_prediction_powered
from oracles_correction import unseen_errors
from rankscope.inference.correction import best_linear

MODELS = ("a", "b", "c", "d")


def made(seed, battles=60, models=4):
    """Battles as (first, second, people's outcome, the judge's); people's are of the first half."""
    random = np.random.default_rng(seed)
    strength = random.normal(0.0, 0.5, models)
    rows = []
    for _ in range(battles):
        first, second = random.choice(models, 2, replace=False)
        chance = 1.0 / (1.0 + np.exp(strength[second] - strength[first]))
        outcomes = [0.5 if random.random() < 0.2 else float(random.random() < chance) for _ in range(2)]
        rows.append((int(first), int(second), outcomes[0], outcomes[0] if random.random() < 0.5 else outcomes[1]))
    return rows


def sides(rows, models=MODELS):
    ids = [str(number) for number in range(len(rows))]
    half = len(rows) // 2
    first, second = ([models[row[side]] for row in rows] for side in (0, 1))
    people = rs.Battles(first[:half], second[:half], [row[2] for row in rows[:half]], ids[:half], name="people")
    return people, rs.Battles(first, second, [row[3] for row in rows], ids, name="judge")


def literal_rows(score, battles):
    """What the scores would be if all battles were as each one, to first order."""
    values, count = score(battles, len(MODELS)), len(battles)
    return [
        [v + count * i for v, i in zip(values, row, strict=True)] for row in influences(score, battles, len(MODELS))
    ]


@settings(max_examples=5)
@given(st.integers(0, 10_000))
def test_corrected_scores_are_literal(seed):
    rows = made(seed, 30)
    half = len(rows) // 2
    for kind, literal in (("bradley_terry", zermelo), ("win_rate", win_rates)):
        try:
            people, judge = (side.scores(kind) for side in sides(rows))
            board = rs.correct(people, judge, resamples=20).leaderboards[0]
        except (rs.NoStrengths, rs.MismatchedNames):
            return
        tables = [
            literal_rows(literal, [(a, b, row[outcome]) for row in part for a, b in [row[:2]]])
            for part, outcome in ((rows[:half], 2), (rows[:half], 3), (rows[half:], 3))
        ]
        expected = dict(zip(MODELS, literal_prediction_powered(*tables), strict=True))
        got = {entry.system: entry.corrected for entry in board.systems}
        assert got == pytest.approx(expected, rel=1e-5)
        assert (board.human_topics, board.judged_topics) == (half, len(rows))


def test_unseen_errors_are_literal():
    random = np.random.default_rng(0)
    x, y, r = (random.normal(size=(rows, 6)) + np.arange(6) / 3 for rows in (12, 12, 20))
    y += x
    plain, wider = best_linear(x, y, r), best_linear(x, y, r, allow_unseen=True)
    added = unseen_errors(x.tolist(), y.tolist(), r.tolist())
    assert wider.covariance - plain.covariance == pytest.approx(added * (np.eye(6) - 1 / 6), abs=1e-12)
    assert wider.means == pytest.approx(plain.means)
    assert wider.equivalent < plain.equivalent


def test_a_reversed_judge_gives_the_same_scores():
    people, judge = sides(made(3, 200))
    turned = rs.Battles(
        [judge.systems[code] for code in judge.first],
        [judge.systems[code] for code in judge.second],
        1.0 - judge.wins,
        judge.ids,
    )
    boards = [rs.correct(people, side, resamples=20).leaderboards[0] for side in (judge, turned)]
    assert [e.corrected for e in boards[0].systems] == pytest.approx([e.corrected for e in boards[1].systems])
    assert boards[0].weight == pytest.approx(-boards[1].weight)


def test_what_cannot_be_combined_is_refused():
    people, judge = sides(made(1, 200))
    scores = rs.ScoreMatrix(np.eye(4), MODELS, ["0", "1", "2", "3"])
    ring = np.resize(MODELS, 40).tolist()
    swapped = rs.Battles(ring, ring[1:] + ring[:1], [1, 0, 0, 1, 0] * 8, list(map(str, range(40))))
    for human, other, problem in (
        (people, scores, "battles are corrected by battles"),
        (people, judge.scores("win_rate"), "scored differently"),
        (
            rs.Battles(["a"] * 4, ["b"] * 4, [1, 0, 1, 0], ["0", "1", "2", "3"]),
            judge,
            "judge has battles of 'c', 'd'; leave",
        ),
        (swapped, judge, "other models"),
    ):
        with pytest.raises(rs.RankscopeError, match=problem):
            rs.correct(human, other)


def test_the_text_speaks_of_battles():
    text = str(rs.correct(*sides(made(1, 400)), resamples=50))
    assert "200 battles labelled by both and 200 by judge alone" in text
    assert "topic" not in text


def test_rank_sets_of_chatzi_by_hand():
    """Two models, people alone decide (the judge always ties): λ = 0, and the covariance is that of the win rates.

    The first won 16 of 20: squared residuals of each sum to 20 · .8 · .2 = 3.2 and their products to −3.2, so the
    variance of the difference is 4 · 3.2/20² = .032; χ²(.95; 2) = 5.991, and .6 > √(.032 · 5.991) = .438 puts them in
    order. With 12 of 20, .2 < .537.
    """
    for won, expected in ((16, ([1, 2], [1, 2])), (12, ([1, 1], [2, 2]))):
        people = [1.0] * won + [0.0] * (20 - won)
        judge = [0.5] * 20 + [1.0, 0.0] * 10
        low, high = chatzi_rank_sets([0] * 40, [1] * 40, people, judge, 2)
        assert (low.tolist(), high.tolist()) == expected


def test_the_simulation_runs(data):
    assert 0.0 <= corrected_battles.measure("gpt4", 1_000, 1)["typical cover"] <= 1.0


RUNS = 60


@pytest.mark.slow
@pytest.mark.parametrize("judge", corrected_battles.JUDGES)
def test_rank_sets_of_corrected_battles_hold(data, judge):
    """Nominal .95 less three Monte-Carlo errors, were each run one observation of 20 models worth five."""
    cell = corrected_battles.measure(judge, 1_000, RUNS)
    least = 0.95 - 3.0 * (0.95 * 0.05 / (5 * RUNS)) ** 0.5
    assert min(cell["corrected covers"], cell["predicted covers"], cell["typical cover"]) >= least
    assert cell["sets hold, corrected"] >= 0.95 - 3.0 * (0.95 * 0.05 / RUNS) ** 0.5
    assert cell["error corrected"] <= 1.02 * cell["error people"]
    assert cell["τ predicted"] >= cell["τ people"] - 0.02


@pytest.mark.slow
def test_released_rank_sets_of_chatzi_do_not_hold_and_mended_ones_do(data):
    released, mended = (corrected_battles.measure_chatzi("gpt4", 1_000, 20, mended=own)[0] for own in (False, True))
    assert released <= 0.2
    assert mended >= 0.8
