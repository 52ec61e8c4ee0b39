"""Resampling tests of pairs against enumerations, whatever the number of workers; every test's level under a null."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import oracles_pairs
from rankscope.averages import decimal_code
from rankscope.inference.pairs import significance


def pairs(m):
    return list(itertools.combinations(range(m), 2))


# --- against enumerations ----------------------------------------------------

few_decimals = npst.arrays(
    float, st.tuples(st.integers(1, 7), st.integers(2, 4)), elements=st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.55, 1.0])
)


@given(table=few_decimals)
def test_randomisation_enumerates_few_topics(table):
    ours = significance(table, test="randomisation")
    assert ours.method == f"all {2 ** len(table)} sign flips"
    for i, j in pairs(table.shape[1]):
        assert ours.pvalues[i, j] == oracles_pairs.randomisation(table[:, i], table[:, j])


def test_sampled_randomisation_is_near_the_enumeration():
    table = np.random.default_rng(3).random((9, 6)).round(2)
    exact = significance(table, test="randomisation", resamples=512)
    sampled = significance(table, test="randomisation", resamples=511)
    assert exact.method == "all 512 sign flips"
    assert sampled.method == "511 random sign flips"
    assert np.abs(exact.pvalues - sampled.pvalues).max() < 0.09  # four standard errors


def test_sums_that_tie_count_for_scores_that_are_no_decimals():
    # The same table in units of a third, which floats round: ties among sums must survive.
    table = np.random.default_rng(4).integers(0, 4, (8, 8)).astype(float)
    whole = significance(table, test="randomisation")
    thirds = significance(table / 3.0, test="randomisation")
    assert decimal_code(table / 3.0) is None
    assert np.array_equal(whole.pvalues, thirds.pvalues)
    assert np.array_equal(
        significance(table, test="tukey", resamples=300).pvalues,
        significance(table / 3.0, test="tukey", resamples=300).pvalues,
    )


@pytest.mark.parametrize("seed", range(3))
def test_bootstrap_is_near_the_enumeration(seed):
    table = np.random.default_rng(seed).random((5, 4)).round(2)
    ours = significance(table, test="bootstrap", resamples=20_000, rng=seed)
    for i, j in pairs(4):
        literal = oracles_pairs.bootstrap(table[:, i].tolist(), table[:, j].tolist())
        assert ours.pvalues[i, j] == pytest.approx(literal, abs=0.015)
    assert np.allclose(ours.statistic, significance(table).statistic)


@pytest.mark.parametrize("shape", [(1, 3), (2, 4), (3, 3)])
def test_tukey_is_near_the_enumeration(shape):
    table = np.random.default_rng(5).integers(0, 6, shape) / 10
    ours = significance(table, test="tukey", resamples=20_000)
    for i, j in pairs(shape[1]):
        assert ours.pvalues[i, j] == pytest.approx(oracles_pairs.tukey(table.tolist(), i, j), abs=0.015)


def test_tukey_on_two_systems_is_the_randomisation_test():
    table = np.random.default_rng(6).random((8, 2)).round(2)
    exact = significance(table, test="randomisation").pvalues[0, 1]
    assert significance(table, test="tukey", resamples=20_000).pvalues[0, 1] == pytest.approx(exact, abs=0.015)


@pytest.mark.parametrize("test", ["randomisation", "bootstrap", "tukey"])
def test_the_seed_decides_and_the_workers_do_not(test):
    table = np.random.default_rng(7).random((20, 8))
    one = significance(table, test=test, resamples=1_234, rng=11, jobs=1)
    two = significance(table, test=test, resamples=1_234, rng=11, jobs=2)
    other = significance(table, test=test, resamples=1_234, rng=12)
    assert np.array_equal(one.pvalues, two.pvalues)
    assert not np.array_equal(one.pvalues, other.pvalues)
    assert one.settings == {"test": test, "correction": "none", "alpha": 0.05, "resamples": 1_234, "seed": 11}
    generator = significance(table, test=test, resamples=1_234, rng=np.random.default_rng(11))
    assert np.array_equal(one.pvalues, generator.pvalues)
    assert generator.settings["seed"] is None


# --- level -------------------------------------------------------------------


def null_table(rng, topics, systems):
    """Systems alike in distribution, skewed as AP is, with topic effects: every pair is a true null."""
    hardness = rng.beta(1.0, 2.0, (topics, 1))
    return np.clip(hardness + 0.15 * rng.standard_normal((topics, systems)), 0.0, 1.0).round(4)


def rejected(test, topics, tables, systems, resamples):
    rng = np.random.default_rng(2024)
    shares = [
        significance(null_table(rng, topics, systems), test=test, resamples=resamples, rng=k).share
        for k in range(tables)
    ]
    return float(np.mean(shares))


def family_wise(test, correction, topics, tables, systems, resamples):
    rng = np.random.default_rng(2025)
    any_rejected = [
        significance(
            null_table(rng, topics, systems), test=test, correction=correction, resamples=resamples, rng=k
        ).significant.any()
        for k in range(tables)
    ]
    return float(np.mean(any_rejected))


@pytest.mark.parametrize("test", ["t", "wilcoxon", "randomisation", "bootstrap"])
def test_level_under_a_null(test):
    assert 0.02 <= rejected(test, topics=25, tables=60, systems=10, resamples=400) <= 0.08


def test_family_wise_level_under_a_null():
    shared = {"topics": 20, "tables": 200, "systems": 6, "resamples": 199}
    assert 0.01 <= family_wise("tukey", "none", **shared) <= 0.09
    assert family_wise("t", "holm", **shared) <= 0.09
    assert family_wise("t", "none", **shared) > 0.15  # why one corrects


@pytest.mark.slow
@pytest.mark.parametrize("topics", [25, 50, 250])
@pytest.mark.parametrize("test", ["t", "wilcoxon", "randomisation", "bootstrap"])
def test_level_under_a_null_at_length(test, topics):
    assert 0.04 <= rejected(test, topics=topics, tables=600, systems=10, resamples=1_000) <= 0.06


@pytest.mark.slow
@pytest.mark.parametrize("topics", [25, 50, 250])
def test_family_wise_level_at_length(topics):
    shared = {"topics": topics, "tables": 1_000, "systems": 10, "resamples": 999}
    assert 0.03 <= family_wise("tukey", "none", **shared) <= 0.07
    assert family_wise("t", "holm", **shared) <= 0.07
