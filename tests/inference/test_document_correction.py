"""Scores from a probability sample of judgments: every sample enumerated, literal twins, and what must hold."""

from functools import cache
from itertools import product

import corrected_documents
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_documents as literal
import rankscope as rs
from rankscope.inference import document_correction as correction
from rankscope.inference.document_correction import Sampled, combine, corrected_scores, estimate, expected_values
from rankscope.inference.document_scores import DocumentScores

CHANCES = np.array([0.3, 0.6, 0.5, 0.8, 0.4, 1.0])
GAINS = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0])
GRADES = np.array([1.0, 1.0, 0.0, 2.0, 0.0, 2.0])


@cache
def documents(measure):
    names = {"1": ["a", "b", "c"], "2": ["d", "e", "f"]}
    runs = {
        "x": {"1": ["a", "b", "c"], "2": ["f", "e"]},
        "y": {"1": ["c", "a"], "2": ["d", "f", "e"]},
        "z": {"1": ["b", "q", "c", "a"], "2": ["e", "d"]},
    }
    labels = dict(zip([d for rows in names.values() for d in rows], GAINS, strict=True))
    judged = rs.join(runs, {t: {d: labels[d] for d in rows} for t, rows in names.items()})
    return DocumentScores.of(judged, rs.parse_measure(measure))


def samples():
    """Every sample of documents with its probability."""
    for drawn in product([False, True], repeat=len(CHANCES)):
        taken = np.array(drawn)
        chance = float(np.prod(np.where(taken, CHANCES, 1.0 - CHANCES)))
        if chance > 0.0:
            rows = np.flatnonzero(taken)
            yield chance, Sampled(rows, CHANCES[rows], GAINS[rows])


@pytest.mark.parametrize("measure", ["DCG@2", "P@3", "RBP(p=0.8)"])
def test_corrected_and_human_scores_are_unbiased_over_all_samples(measure):
    scores = documents(measure)
    table = correction.features(scores, GRADES)
    means = {"corrected": 0.0, "human": 0.0}
    for chance, sampled in samples():
        found = estimate(scores, table, sampled)
        means["corrected"] += chance * found.corrected
        means["human"] += chance * found.human
    truth = scores.scores(GAINS, np.ones(2))
    assert means["corrected"] == pytest.approx(truth, abs=1e-12)
    assert means["human"] == pytest.approx(truth, abs=1e-12)


@pytest.mark.parametrize("measure", ["AP", "AP@2", "DCG@3"])
def test_numerators_and_their_variance_with_fixed_expectations(measure):
    """Products of two documents' estimates are unbiased, since documents are drawn independently."""
    scores = documents(measure)
    guess = np.array([0.5, 0.2, 0.3, 0.9, 0.1, 0.6])
    mean = 0.0
    for chance, (rows, chances, gains) in samples():
        estimated = guess.copy()
        estimated[rows] += (gains - guess[rows]) / chances
        mean += chance * scores.scores(estimated, np.ones(2))
    assert mean == pytest.approx(scores.scores(GAINS, np.ones(2)), abs=1e-12)


def test_the_covariance_of_sums_is_unbiased():
    scores = documents("DCG@3")
    guess = np.array([0.5, 0.2, 0.3, 0.9, 0.1, 0.6])[:, None]
    rows = [
        (chance, *corrected_scores(scores, guess, np.zeros(0), sampled.gains[:, None], sampled, 20.0))
        for chance, sampled in samples()
    ]
    means = np.array([found.mean(axis=0) for _, found, *_ in rows])
    chances = np.array([chance for chance, *_ in rows])
    spread = means - chances @ means
    estimated = sum(chance * covariance for chance, _, _, covariance, _ in rows)
    assert estimated == pytest.approx((spread * chances[:, None]).T @ spread, abs=1e-12)


@pytest.mark.parametrize("measure", ["DCG@2", "nDCG@3", "AP", "nDCG"])
def test_with_every_document_labelled_all_scores_are_the_human_ones(measure):
    scores = documents(measure)
    everything = Sampled(np.arange(6), np.ones(6), GAINS)
    found = estimate(scores, correction.features(scores, GRADES), everything)
    truth = rs.score(scores.judged, measure)[measure].values
    for kind in (found.human, found.filled, found.corrected):
        assert kind == pytest.approx(truth, abs=1e-12)
    assert found.covariance == pytest.approx(np.zeros((3, 3)))
    exact = combine(found.filled.mean(axis=0), found.corrected.mean(axis=0), found.covariance)
    assert exact.means == pytest.approx(truth.mean(axis=0) - truth.mean(), abs=1e-12)


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(2, 9))
def test_leaving_out_is_literal(seed, drawn):
    generator = np.random.default_rng(seed)
    table, penalties = generator.normal(size=(10, 4)), generator.uniform(0.5, 3.0, 4)
    rows = np.sort(generator.choice(10, drawn, replace=False))
    values = generator.uniform(0.0, 2.0, (drawn, 2))
    wanted = literal.left_out_ridge(table.tolist(), penalties, rows.tolist(), values.tolist())
    assert expected_values(table, penalties, rows, values) == pytest.approx(wanted, abs=1e-9)


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(3, 7))
def test_combining_is_literal(seed, systems):
    generator = np.random.default_rng(seed)
    filled, corrected = generator.normal(size=(2, systems))
    root = generator.normal(size=(systems, systems + 3))
    found = combine(filled, corrected, root @ root.T)
    wanted = literal.shared_out(filled, corrected, root @ root.T, correction._SPREADS, correction._SIZES)
    assert found.means == pytest.approx(wanted, abs=1e-7)
    assert 0.0 <= found.weight <= 1.0


def test_combined_means_follow_the_evidence():
    filled = np.linspace(0.0, 1.0, 12)
    bias = np.where(np.arange(12) % 2, 0.5, -0.5)
    small, large = 1e-6 * np.eye(12), 10.0 * np.eye(12)
    wanted = filled + bias
    assert combine(filled, wanted, small).means == pytest.approx(wanted - wanted.mean(), abs=0.01)
    assert np.argsort(combine(filled, wanted, large).means).tolist() == np.arange(12).tolist()
    assert combine(np.zeros(12), wanted, small).means == pytest.approx(wanted - wanted.mean(), abs=0.01)


def test_combined_means_are_put_on_the_scale_of_the_corrected_ones():
    combined = combine(np.arange(5.0), np.arange(5.0), np.eye(5))
    scaled = correction.on_scale(combined, 3.0 * np.arange(5.0) + 7.0)
    assert scaled.means == pytest.approx(3.0 * (np.arange(5.0) - 2.0))
    assert scaled.covariance == pytest.approx(9.0 * combined.covariance * (1.0 / (combined.slope * 1.0)) ** 2, rel=1e-6)
    assert correction.on_scale(combined, -np.arange(5.0)) is combined


def test_a_document_that_the_judge_lacks_is_taken_for_nothing():
    scores = documents("DCG@3")
    grades = GRADES.copy()
    grades[0] = np.nan
    table, _ = correction.features(scores, grades)
    assert not table[0].any()


def test_many_different_grades_are_grouped():
    grades = np.random.default_rng(0).uniform(size=200)
    counts = np.bincount(correction.judge_classes(grades))
    assert len(counts) == correction.MOST_GRADES
    assert counts.min() >= 15
    assert correction.judge_classes(np.array([2.0, 0.0, 2.0])).tolist() == [1, 0, 1]


def test_the_simulations_run(data):
    cell = corrected_documents.track("shuffled", "DCG@10", 0.1, 2)
    assert set(cell.tau) == set(corrected_documents.KINDS)
    assert all(0.0 <= share <= 1.0 for share in cell.covered.values())


@pytest.mark.slow
@pytest.mark.parametrize("measure", corrected_documents.MEASURES)
@pytest.mark.parametrize("judge", corrected_documents.JUDGES)
def test_the_combined_ranking_is_as_good_as_each_and_a_bad_judge_costs_nothing(data, judge, measure):
    for share in (0.1, 0.2):
        cell = corrected_documents.track(judge, measure, share, 60)
        assert cell.tau["combined"] >= max(cell.tau["filled"], cell.tau["corrected"]) - 0.015
        assert cell.tau["combined"] >= cell.tau["human"]
        assert cell.error["corrected"] <= 1.05 * cell.error["human"]
        assert cell.covered["corrected"] >= 0.9
