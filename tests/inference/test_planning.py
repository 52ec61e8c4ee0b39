"""Errors that are expected of more labels: literally, and shrinking with the budget."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_designs import made_pool

import oracles_plans as literal
from rankscope.inference.correction import Components
from rankscope.inference.designs import DOCUMENT_DESIGNS
from rankscope.inference.document_planning import FEWEST, DocumentOutlook
from rankscope.inference.planning import TopicOutlook, assumed_components, student_factor

INFLUENCE = DOCUMENT_DESIGNS[0]


@settings(max_examples=30)
@given(seed=st.integers(0, 1000), n=st.integers(1, 15), within=st.floats(0.0, 0.8), between=st.floats(0.5, 0.99))
def test_errors_of_more_topics_are_the_literal_ones(seed, n, within, between):
    scores = np.random.default_rng(seed).random((20, 5))
    outlook = TopicOutlook(scores[:0], scores[:0], scores, level=0.95, top=2, draws=1)
    centred = scores - scores.mean(axis=1, keepdims=True)
    outlook._components = assumed_components(centred, np.array([within]), np.array([between]))
    c = [float(value[0]) for value in outlook._components]
    values = np.linalg.eigvalsh(np.cov(centred, rowvar=False))
    directions = values.sum() ** 2 / np.square(values).sum()
    error, caution = literal.topic_errors(c, n, 20 - n, directions)
    assert outlook._variances(n).mean() == pytest.approx(error, rel=1e-6)
    assert outlook._caution(n) == pytest.approx(caution, rel=1e-6)


def test_assumed_components_are_those_of_the_judge():
    scores = np.random.default_rng(1).random((30, 6))
    centred = scores - scores.mean(axis=1, keepdims=True)
    c = Components(*(value[0] for value in assumed_components(centred, np.array([0.5]), np.array([0.9]))))
    assert c.exx == pytest.approx(np.trace(np.cov(centred, rowvar=False)) / 5)
    assert (c.kxy, c.exy) == pytest.approx((0.9 * c.kxx, 0.5 * c.exx))


def outlook_of(labels):
    pool = made_pool()
    gains = pool.judgments.grades
    human = np.full(len(pool), np.nan)
    human[:labels] = np.random.default_rng(0).integers(0, 3, labels)
    return DocumentOutlook(pool, INFLUENCE, gains, human, form="sum", level=0.95, top=3, draws=5)


@pytest.mark.parametrize("labels", [0, FEWEST - 1, 60])
def test_errors_of_more_documents_are_the_literal_ones(labels):
    outlook = outlook_of(labels)
    pool, budget = made_pool(), 200
    now = outlook.beliefs(budget)
    chances = INFLUENCE.function(pool, budget).tolist()
    wider = student_factor(len(pool.scores) - 1, 0.95)
    for draw in (0, 4):
        variances = (outlook._sizes[draw] * outlook._residuals).tolist()
        for axis in (0, now.moves.shape[1] - 1):
            expected = literal.document_errors(
                pool.weights.tolist(), variances, chances, outlook._common[draw], now.error_axes[:, axis]
            )
            assert (now.errors[draw, axis] / wider) ** 2 == pytest.approx(expected, rel=1e-6)
    assert np.abs(now.move_axes.sum(axis=0)).max() < 1e-9
    # What is left with all labels is the error of topics.
    errors = outlook.beliefs(len(pool)).errors[0] / wider
    axes = outlook.beliefs(len(pool)).error_axes
    scores = pool.scores - pool.scores.mean(axis=1, keepdims=True)
    over = np.cov(scores, rowvar=False) / len(scores)
    left = (axes * errors**2) @ axes.T
    assert left == pytest.approx(over * np.trace(left) / np.trace(over), abs=1e-12)
    assert labels or left == pytest.approx(over)


@pytest.mark.parametrize("labels", [0, 60])
def test_more_documents_leave_less_error(labels):
    outlook = outlook_of(labels)
    total = len(made_pool())
    widths = [np.median(outlook.at(budget).width) for budget in (max(labels, 20), 150, 400, total)]
    assert widths == sorted(widths, reverse=True)
    again = outlook_of(labels).at(150)
    assert all(np.array_equal(a, b) for a, b in zip(again, outlook.at(150), strict=True))
