"""Each system's topics against those of the others."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankscope as rs
from narrowing import known
from rankscope.studies.profiles import correlations


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), topics=st.integers(5, 9), systems=st.integers(3, 6), tied=st.booleans())
def test_correlations_are_numpys_with_all_topics_and_without_each(seed, topics, systems, tied):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 4, (topics, systems)).astype(float) if tied else rng.normal(size=(topics, systems))
    study = rs.study_profiles(values)
    found = {own.system: own.correlation for own in study.profiles}
    for s in range(systems):
        other = np.delete(values, s, axis=1).mean(axis=1)
        if np.ptp(values[:, s]) < 1e-9 or np.ptp(other) < 1e-9:
            assert found[str(s + 1)] is None
        else:
            assert found[str(s + 1)] == pytest.approx(np.corrcoef(values[:, s], other)[0, 1], abs=1e-9)
    ordered = [own.correlation for own in study.profiles if own.correlation is not None]
    assert ordered == sorted(ordered)
    x, y = rng.normal(size=(2, topics, 1))
    _, without = correlations(x, y)
    assert without[1, 0] == pytest.approx(np.corrcoef(np.delete(x, 1), np.delete(y, 1))[0, 1])


def test_permuted_topics_are_near_all_orders_of_topics():
    """p of each system by the largest correlation of all in all 120 orders, within four Monte-Carlo standard errors."""
    rng = np.random.default_rng(4)
    values = rng.normal(size=(5, 4)) + np.arange(5)[:, None]
    study = rs.study_profiles(values, draws=1999)
    others = [np.delete(values, s, axis=1).mean(axis=1) for s in range(4)]

    def correlated(order):
        return [np.corrcoef(values[order, s], others[s])[0, 1] for s in range(4)]

    highest = np.array([max(correlated(list(order))) for order in itertools.permutations(range(5))])
    for own in study.profiles:
        p = np.mean(highest >= known(own.correlation) - 1e-12)
        assert own.adjusted == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 1999) + 0.001)
    assert all(own.adjusted is None for own in rs.study_profiles(values, draws=0).profiles)
    assert "unrelated" in str(study)
    assert "unrelated" not in str(rs.study_profiles(values, draws=0))


def test_odd_tables():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(12, 4))
    values[:, 3] = 0.5
    study = rs.study_profiles(values)
    assert (study.profiles[-1].system, study.profiles[-1].correlation, study.profiles[-1].interval) == ("4", None, None)
    assert "1 system without a correlation" in str(study)
    assert "No system" in str(rs.study_profiles(np.ones((6, 3))))
    one = known(study.profiles[0].interval)
    assert one.low < known(study.profiles[0].correlation) < one.high
    with pytest.raises(rs.TooFewSystems):
        rs.study_profiles(values[:, :2])
    with pytest.raises(rs.MissingScores, match="5 topics"):
        rs.study_profiles(values[:4])
    with pytest.raises(rs.MissingScores, match="without topics"):
        rs.study_profiles({"a": 1.0, "b": 2.0, "c": 3.0})


def test_the_two_cheating_entries_of_alpaca_follow_the_others_least(data):
    # docs/howto/systems-that-use-the-judge.md: NullModel is a constant answer, gpt4_gamed a prompt against the judge.
    scores = rs.read_scores(data / "alpaca" / "preferences.csv.gz", on_missing="intersect")
    study = rs.study_profiles(scores)
    assert [own.system for own in study.profiles[:2]] == ["NullModel", "gpt4_gamed"]
    assert study.profiles[0].rank == 1.0
    assert study.profiles[0].correlation == pytest.approx(0.198, abs=0.001)


def test_intervals_cover_the_correlation_over_all_topics(data):
    scores = rs.read_scores(data / "robust2004" / "robust2004_ap.csv").values[:, :30]
    true = {own.system: own.correlation for own in rs.study_profiles(scores).profiles}
    rng = np.random.default_rng(0)
    held = [
        known(own.interval).low <= known(true[own.system]) <= known(own.interval).high
        for _ in range(40)
        for own in rs.study_profiles(scores[rng.integers(0, len(scores), 50)]).profiles
    ]
    assert np.mean(held) >= 0.9
