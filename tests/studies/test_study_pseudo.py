"""Rankings by random relevance: what is drawn, and the numbers against evaluation from scratch."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_studies as slow
import rankscope as rs
from narrowing import known
from rankscope.coefficients.rows import quietly
from rankscope.files import read_judgments, read_runs
from rankscope.runs import Judgments, RunSet

SEEDS = st.integers(0, 10_000)


def relevant_share(runs, judgments, depth):
    shares = []
    for topic, rows in judgments.items():
        pool = slow.pool(runs, topic, depth)
        if pool:
            shares.append(sum(rows.get(document, 0) >= 1 for document in pool) / len(pool))
    return shares


@settings(max_examples=25)
@given(seed=SEEDS, depth=st.integers(1, 12), duplicates=st.booleans())
def test_documents_of_the_pool_are_drawn_and_no_others(seed, depth, duplicates):
    runs, judgments = slow.made_track(seed)
    shares = relevant_share(runs, judgments, depth)
    if not any(shares):
        with pytest.raises(rs.MissingScores, match="no document of the pool is relevant"):
            rs.pseudo_grades(*slow.coded(runs, judgments), depth=depth)
        return
    judged, grades = rs.pseudo_grades(
        *slow.coded(runs, judgments), depth=depth, draws=7, duplicates=duplicates, rng=seed
    )
    assert judged.topics == tuple(judgments)
    sizes = [len(slow.pool(runs, topic, depth)) for topic in judgments]
    assert np.diff(judged.judgment_starts).tolist() == sizes
    assert set(np.unique(grades)) <= {0.0, 1.0}
    drawn = np.add.reduceat(np.c_[grades, np.zeros(7)], judged.judgment_starts[:-1], axis=1)
    for size, counts in zip(sizes, drawn.T, strict=True):
        if size:
            assert (counts >= 1).all()
            assert (counts <= size).all()
    few = rs.pseudo_grades(*slow.coded(runs, judgments), depth=depth, draws=3, duplicates=duplicates, rng=seed)[1]
    assert np.array_equal(few, grades[:3])  # a draw does not depend on how many there are


def test_how_many_are_drawn_and_which():
    # One topic: the share has no spread, so that always 0.25 of 8 = 2 documents are drawn.
    documents = [f"d{i}" for i in range(8)]
    runs = {"a": {"1": documents}, "b": {"1": documents[:4]}, "c": {"1": documents[:2]}}
    judgments = {"1": {"d0": 1, "d7": 2, "d3": 0, "elsewhere": 1}}
    coded = slow.coded(runs, judgments)
    grades = rs.pseudo_grades(*coded, draws=4_000)[1]
    assert (grades.sum(axis=1) == 2).all()
    assert np.all(np.abs(grades.mean(axis=0) - 2 / 8) < 5 * math.sqrt(0.25 * 0.75 / 4_000))
    # With duplicates: weights 3 3 2 2 1 1 1 1 of 14, two drawn one after another.
    weights = np.array([3, 3, 2, 2, 1, 1, 1, 1]) / 14
    expected = [
        w + sum(other * w / (1 - other) for j, other in enumerate(weights) if j != i) for i, w in enumerate(weights)
    ]
    grades = rs.pseudo_grades(*coded, draws=4_000, duplicates=True)[1]
    assert (grades.sum(axis=1) == 2).all()
    assert np.all(np.abs(grades.mean(axis=0) - expected) < 5 * math.sqrt(0.25 / 4_000))


def test_the_pool_is_that_of_the_contributing_systems_to_the_depth():
    runs = {"a": {"1": ["x", "y", "z"]}, "b": {"1": ["u", "x"]}}
    judged, grades = rs.pseudo_grades(*slow.coded(runs, {"1": {"u": 1, "x": 1}}), depth=2, contributing=["a"], draws=5)
    assert grades.shape == (5, 2)  # x and y
    assert sorted(judged.ranks.tolist()) == [1, 2, 2]  # x and y of a, x of b


@settings(max_examples=10)
@given(seed=SEEDS, duplicates=st.booleans())
def test_every_number_is_that_of_evaluations_from_scratch(seed, duplicates):
    runs, judgments = slow.made_track(seed)
    if not any(relevant_share(runs, judgments, 100)):
        return
    track = slow.coded(runs, judgments)
    study = rs.study_pseudo(
        *track, slow.MEASURES, draws=6, duplicates=duplicates, coefficients=slow.COEFFICIENTS, resamples=0, rng=seed
    )
    _, grades = rs.pseudo_grades(*track, draws=6, duplicates=duplicates, rng=seed)
    # Rows of the pool: documents in the order in which systems bring them, topic by topic.
    documents = {t: list(dict.fromkeys(d for run in runs.values() for d in run.get(t, ()))) for t in judgments}
    for measure in slow.MEASURES:
        truth = slow.scores(runs, judgments, measure)
        for draw in range(6):
            row = iter(grades[draw])
            random = {topic: {d: next(row) for d in documents[topic]} for topic in judgments}
            with quietly():
                expected = slow.agreement(truth, slow.scores(runs, random, measure))
            assert study.values[measure][draw].tolist() == pytest.approx(list(expected.values()), nan_ok=True)
    for row in study.agreements:
        column = study.values[row.measure][:, (*slow.COEFFICIENTS, "d_rank").index(row.coefficient)]
        if not np.isnan(column).any():
            assert (row.value, known(row.spread).sd) == pytest.approx((column.mean(), column.std(ddof=1)))
    assert len(study.draw_table().rows) == 4 * 6 * 6


def test_the_same_numbers_whatever_the_number_of_threads_and_after_an_interruption(tmp_path):
    track = slow.coded(*slow.made_track(8, systems=5, topics=4))
    once = rs.study_pseudo(*track, "AP", draws=12, jobs=1, resamples=50)
    assert rs.study_pseudo(*track, "AP", draws=12, jobs=3, resamples=50).to_json() == once.to_json()
    rs.study_pseudo(*track, "AP", draws=5, checkpoint=tmp_path / "kept", resamples=50)
    again = rs.study_pseudo(*track, "AP", draws=12, checkpoint=tmp_path / "kept", resamples=50)
    assert again.to_json() == once.to_json()
    with pytest.raises(rs.MismatchedCheckpoint, match="duplicates"):
        rs.study_pseudo(*track, "AP", draws=12, checkpoint=tmp_path / "kept", duplicates=True)


def test_what_is_wrong_is_told():
    track = slow.coded(*slow.made_track(2))
    with pytest.raises(rs.BadParameter, match="draws=0"):
        rs.study_pseudo(*track, draws=0)
    with pytest.raises(rs.BadParameter, match="draws=0"):
        rs.pseudo_grades(*track, draws=0)
    with pytest.raises(rs.BadParameter, match="depth=0"):
        rs.study_pseudo(*track, depth=0)
    with pytest.raises(rs.MissingScores, match="the pool is empty"):
        rs.pseudo_grades(RunSet.of({"a": {"9": ["x"]}}), Judgments.of({"1": {"x": 1}}))
    with pytest.raises(rs.UnknownName, match="nobody"):
        rs.pseudo_grades(*track, contributing=["nobody"])


def test_dl19_knowing_nothing_agrees_more_when_popular_documents_are_drawn(data):
    # Soboroff et al. (2001): duplicates help. And Carterette (2009): the test rejects what τ takes for agreement.
    runs, judgments = read_runs(data / "dl19" / "runs"), read_judgments(data / "dl19" / "qrels.human.txt")
    settings: dict[str, Any] = {"draws": 10, "coefficients": ["tau_b"], "resamples": 200}
    plain, popular = (rs.study_pseudo(runs, judgments, "AP", duplicates=d, **settings) for d in (False, True))
    assert popular.agreements[0].value > plain.agreements[0].value + 0.1
    assert plain.agreements[1].rejected == popular.agreements[1].rejected == 1.0
