"""Human scores on some topics, a judge's on more: fast forms against literal ones, and what must hold of them."""

import corrected
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles_correction import best_linear as literal_best_linear
from oracles_correction import prediction_powered as literal_prediction_powered
from rankscope.inference.correction import best_linear, prediction_powered


def tables(seed, *, human=6, further=9, systems=5, noise=1.0, slope=1.0):
    generator = np.random.default_rng(seed)
    true = generator.normal(size=systems)
    easy = generator.normal(size=(human + further, 1))
    x = true + easy + generator.normal(size=(human + further, systems))
    y = slope * x + noise * generator.normal(size=x.shape)
    return x[:human], y[:human], y[human:]


@given(st.integers(0, 10_000), st.integers(3, 12), st.integers(2, 12), st.integers(4, 8), st.floats(0.0, 3.0))
def test_both_are_literal(seed, human, further, systems, noise):
    x, y, r = tables(seed, human=human, further=further, systems=systems, noise=noise)
    powered = prediction_powered(x, y, r)
    assert powered.means == pytest.approx(literal_prediction_powered(x.tolist(), y.tolist(), r.tolist()), abs=1e-9)
    means, covariance = literal_best_linear(x.tolist(), y.tolist(), r.tolist())
    predicted = best_linear(x, y, r)
    assert predicted.means == pytest.approx(means, rel=1e-6, abs=1e-8)
    assert predicted.covariance == pytest.approx(covariance, rel=1e-5, abs=1e-8)


@given(st.integers(0, 1_000), st.sampled_from([1e-6, 0.01, 100.0, 1e6]), st.floats(-5.0, 5.0))
def test_the_judges_unit_and_level_do_not_matter(seed, unit, level):
    x, y, r = tables(seed)
    for estimate in (prediction_powered, best_linear):
        plain, other = estimate(x, y, r), estimate(x, unit * y + level, unit * r + level)
        assert other.means == pytest.approx(plain.means, abs=1e-6)
        assert other.equivalent == pytest.approx(plain.equivalent, rel=1e-4)


def test_a_constant_judge_leaves_the_human_means():
    x, y, r = tables(1)
    powered = prediction_powered(x, np.zeros_like(y), np.zeros_like(r))
    assert powered.means == pytest.approx(x.mean(axis=0))
    assert powered.weight == 0.0
    assert powered.equivalent == pytest.approx(len(x))
    predicted = best_linear(x, np.zeros_like(y), np.zeros_like(r))
    assert predicted.weights[1:] == (0.0, 0.0)
    assert np.corrcoef(predicted.means, x.mean(axis=0))[0, 1] == pytest.approx(1.0)


def test_constant_human_scores_predict_nothing():
    _, y, r = tables(2)
    x = np.full_like(y, 0.5)
    assert prediction_powered(x, y, r).means == pytest.approx(np.full(5, 0.5))
    assert best_linear(x, y, r).means == pytest.approx(np.zeros(5))


def test_a_judge_that_repeats_people_adds_its_topics():
    """With the judge equal to people, all topics count: the equivalent number is that of both together."""
    x, y, r = tables(3, human=40, further=120, systems=30, noise=0.0)
    assert prediction_powered(x, y, r).equivalent == pytest.approx(160.0, rel=0.1)
    assert best_linear(x, y, r).equivalent == pytest.approx(160.0, rel=0.35)
    assert prediction_powered(x, y, r).means == pytest.approx(np.concatenate([x, r]).mean(axis=0), abs=0.01)


def test_a_judge_of_noise_gets_no_weight():
    x, y, r = tables(4, human=40, further=120, systems=30, noise=50.0, slope=0.0)
    assert abs(prediction_powered(x, y, r).weight) < 0.002
    assert prediction_powered(x, y, r).equivalent == pytest.approx(40.0, rel=0.05)


def test_the_simulations_run(data):
    cell = corrected.robust("shuffled", 10, 2)
    assert set(cell.tau) == {"human", "judge", "corrected", "predicted"}
    assert all(0.0 <= share <= 1.0 for share in cell.covered.values())


RUNS = 150


@pytest.mark.slow
@pytest.mark.parametrize("human", [10, 50])
@pytest.mark.parametrize("judge", corrected.JUDGES)
def test_intervals_and_rank_sets_cover_and_a_bad_judge_costs_nothing(data, judge, human):
    """Nominal .95 less three Monte-Carlo errors, were each run one observation of 30 systems worth five."""
    cell = corrected.robust(judge, human, RUNS)
    least = 0.95 - 3.0 * (0.95 * 0.05 / (5 * RUNS)) ** 0.5
    # Skewed scores on few topics: corrected means cover as human means do.
    assert all(share >= min(least, cell.covered["human"] - 0.015) for share in cell.covered.values())
    assert cell.error["corrected"] <= 1.02 * cell.error["human"]
    assert cell.error["predicted"] <= cell.error["human"]
    assert cell.tau["predicted"] >= cell.tau["human"] - 0.01
