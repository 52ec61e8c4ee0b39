"""Other numbers of topics: the curve, what reaches a target, and what the command says of them."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import rankscope as rs
from rankscope.cli.options import ESTIMATORS
from rankscope.cli.reliability import reliability as command
from rankscope.demo import demo_scores
from rankscope.inference.expected import ESTIMATOR_NAMES, checked_sample, expected_correlation
from rankscope.inference.resampling import Draws, topic_counts
from rankscope.inference.topic_curve import STATISTICS, topic_curve
from rankscope.studies.reliability import reliability, variance_components

HUMAN = demo_scores()["human"]


@pytest.fixture(scope="module")
def curve():
    return topic_curve(checked_sample(HUMAN), "msqd", [10, 200], Draws(400, 0, None))


@pytest.mark.parametrize("estimator", STATISTICS)
def test_the_curve_passes_through_the_estimate(estimator):
    curve = topic_curve(checked_sample(HUMAN), estimator, [10], Draws(20, 0, 1))
    expected = tuple(expected_correlation(HUMAN, c, estimator, resamples=10).estimate for c in ("tau", "tau_ap"))
    assert curve.at(len(HUMAN.topics)) == pytest.approx(expected, abs=1e-12)


def test_more_topics_are_better(curve):
    assert (np.diff(curve.values, axis=0) > 0).all()


def test_draws_of_the_curve_are_the_estimator_in_draws_of_topics():
    # ML in a resampled collection, computed as for any other, against the binned pairs; duplicates are just topics.
    sample = checked_sample(HUMAN)
    n = sample.topics
    curve = topic_curve(sample, "ml", [n], Draws(5, 0, 1))
    generator = np.random.default_rng(np.random.SeedSequence(0).spawn(1)[0])
    counts = topic_counts(generator, n, 5).astype(int)
    for drawn, count in zip(curve.draws, counts, strict=True):
        resampled = rs.ScoreMatrix(np.repeat(HUMAN.values, count, axis=0))
        literal = [expected_correlation(resampled, c, "ml", resamples=1).estimate for c in ("tau", "tau_ap")]
        assert drawn[np.searchsorted(curve.sizes, n)] == pytest.approx(literal, abs=2e-4)


def test_the_fewest_topics_that_reach_the_target(curve):
    topics, low, high = curve.needed(0.9, 0, 0.95)
    around = topic_curve(curve.sample, "msqd", [int(topics) - 1, int(topics)], Draws(2, 0, 1))
    assert around.at(int(topics) - 1)[0] < 0.9 <= around.at(int(topics))[0]
    assert low < topics < high


def test_a_target_out_of_reach_takes_infinitely_many_topics():
    values = np.random.default_rng(0).random((10, 3)).round(3)
    values[:, 2] = values[::-1, 1]  # tied for ever
    result = reliability(rs.ScoreMatrix(values), target=0.95, resamples=50)
    assert result.needed.topics is None
    assert "No number of topics up to 100,000" in str(result)


def test_variance_components_are_those_of_the_analysis_of_variance():
    # Brennan (2001), section 3: mean squares by hand.
    values = np.random.default_rng(1).random((12, 5))
    n, m = values.shape
    grand = values.mean()
    ms_systems = n * sum((values[:, s].mean() - grand) ** 2 for s in range(m)) / (m - 1)
    ms_topics = m * sum((values[t].mean() - grand) ** 2 for t in range(n)) / (n - 1)
    rest = sum(
        (values[t, s] - values[t].mean() - values[:, s].mean() + grand) ** 2 for t in range(n) for s in range(m)
    ) / ((n - 1) * (m - 1))
    result = variance_components(values)
    assert result.interaction == pytest.approx(rest)
    assert result.systems == pytest.approx(max((ms_systems - rest) / n, 0))
    assert result.topics == pytest.approx(max((ms_topics - rest) / m, 0))
    assert set(result.negative) == {
        name for name, value in (("systems", ms_systems - rest), ("topics", ms_topics - rest)) if value < 0
    }
    assert result.e_rho2(20) == pytest.approx(result.systems / (result.systems + rest / 20))
    assert result.phi(20) == pytest.approx(result.systems / (result.systems + (result.topics + rest) / 20))


def test_negative_components_are_zero_and_told():
    values = np.array([[0.1, 0.9], [0.9, 0.2], [0.2, 0.8], [0.8, 0.2]])
    result = reliability(rs.ScoreMatrix(values), resamples=50)
    assert result.components.negative == ("systems", "topics")
    assert result.e_rho2 == 0.0
    assert "negative variance set to 0: systems, topics" in str(result)


def test_systems_without_any_noise_are_fully_reliable():
    values = np.random.default_rng(0).integers(0, 50, (6, 1)) / 128 + np.array([[0.0, 0.125, 0.5]])
    result = reliability(rs.ScoreMatrix(values), resamples=50)
    assert result.tau.estimate == result.e_rho2 == 1.0
    assert result.needed.topics == 2


@pytest.mark.parametrize("topics", [2, 3])
def test_few_topics_do_without_split_halves(topics):
    result = reliability(rs.ScoreMatrix(HUMAN.values[:topics]), resamples=50)
    missing = {e.estimator for e in result.estimators if e.tau is None}
    assert missing == {"shw", "shwo"}


def test_a_paper_sentence():
    result = reliability(HUMAN, resamples=200)
    _, first, second, third, *_ = str(result).splitlines()
    assert first.startswith(f"With these 40 topics, the ranking of {len(HUMAN.systems)} systems")
    assert f"τ = {result.tau.estimate:.3f} (95 % interval" in first
    assert f"would take {result.needed.topics:,} such topics" in second
    assert "Eρ² = " in third


def test_bad_settings_are_refused():
    with pytest.raises(rs.BadParameter, match="target=1"):
        reliability(HUMAN, target=1.0)
    with pytest.raises(rs.BadParameter, match="topic_counts=1: a whole number, 2 or more"):
        reliability(HUMAN, topic_counts=[1, 10])


@pytest.fixture
def table(tmp_path):
    rs.write_scores(HUMAN, tmp_path / "human.csv")
    return tmp_path / "human.csv"


def run(*words):
    return CliRunner().invoke(command, [str(w) for w in words], catch_exceptions=False)


def test_the_command_offers_every_estimator():
    assert ESTIMATORS == ESTIMATOR_NAMES


def test_the_command_says_a_sentence_and_shows_a_table(table):
    done = run(table, "--resamples", 50)
    assert done.exit_code == 0
    assert done.stdout == f"{reliability(rs.read_scores(table), resamples=50)}\n"
    assert "\nWith these 40 topics, the ranking of" in done.stdout
    assert "minimum squared quantile deviation" in done.stdout
    assert "bayes_bootstrap" in done.stdout


def test_the_command_writes_json_that_is_the_result(table, tmp_path):
    done = run(table, "--resamples", 50, "--format", "json", "--estimator", "ml", "--target", 0.8, "--seed", 3)
    result = json.loads(done.stdout)
    assert result["needed"]["target"] == 0.8
    assert result["extrapolated_by"] == "ml"
    assert result["settings"]["seed"] == 3
    assert run(table, "--resamples", 50, "-o", tmp_path / "out.csv").exit_code == 0
    assert (tmp_path / "out.csv").read_text().startswith("topics,tau,tau_low")


def test_the_command_refuses_a_leaderboard(tmp_path):
    (tmp_path / "board.csv").write_text("system,score\na,0.9\nb,0.5\n")
    done = run(tmp_path / "board.csv")
    assert done.exit_code == 2
    assert "Give scores by topic" in done.stderr
