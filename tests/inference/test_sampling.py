"""Influence of documents against small changes of their gains; probabilities and draws by what must hold of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_documents as literal
import rankscope as rs

DOCUMENTS = [f"d{i}" for i in range(7)]
RANKINGS = st.lists(st.permutations(DOCUMENTS).map(lambda order: order[:5]), min_size=2, max_size=4)
GRADES = st.lists(st.integers(0, 1), min_size=6, max_size=6)


@settings(max_examples=30)
@given(st.lists(RANKINGS, min_size=1, max_size=2), GRADES)
def test_influence_is_that_of_small_changes(topics, grades):
    systems = min(map(len, topics))
    runs = {f"s{s}": {str(t): rankings[s] for t, rankings in enumerate(topics)} for s in range(systems)}
    labels = {str(t): {d: float(g) for d, g in zip(DOCUMENTS, [1, *grades], strict=True)} for t in range(len(topics))}
    weights = literal.discounts(3)
    forms = {
        "DCG@3": lambda ranking, gains: literal.additive(ranking, gains, weights),
        "P@2": lambda ranking, gains: literal.additive(ranking, gains, [0.5, 0.5]),
        "RBP(p=0.5)": lambda ranking, gains: literal.additive(ranking, gains, [0.5 ** (i + 1) for i in range(9)]),
        "AP": literal.average_precision,
        "AP@3": lambda ranking, gains: literal.average_precision(ranking, gains, 3),
    }
    for name, score in forms.items():
        found = rs.document_influence(runs, labels, name)
        assert found == pytest.approx(literal.influence(runs, labels, score), abs=1e-4), name


def test_ndcg_has_the_influence_of_dcg_over_the_ideal():
    runs = {"a": {"1": ["x", "y", "z"]}, "b": {"1": ["y", "z"]}}
    labels = {"1": {"x": 2, "y": 1, "z": 0}}
    ideal = 2.0 + 1.0 / np.log2(3)
    assert rs.document_influence(runs, labels, "nDCG@2") * ideal == pytest.approx(
        rs.document_influence(runs, labels, "DCG@2")
    )
    nothing = {"1": {"x": 0, "y": 0, "z": 0}}
    assert rs.document_influence(runs, nothing, "nDCG@2") == pytest.approx(
        rs.document_influence(runs, nothing, "DCG@2")
    )


@given(
    st.lists(st.sampled_from([0.0, 1e-9, 0.2, 1.0, 5.0, 1e6]), min_size=1, max_size=12),
    st.floats(0.1, 15.0),
    st.sampled_from([0.0, 0.1, 1.0]),
)
def test_probabilities_add_up_and_rise_with_size(influence, size, even):
    found = rs.inclusion_probabilities(influence, size, even=even)
    possible = len(influence) if even else sum(x > 0.0 for x in influence)
    assert found.sum() == pytest.approx(min(size, possible))
    assert ((found >= 0.0) & (found <= 1.0)).all()
    assert (rs.inclusion_probabilities(influence, 1.5 * size, even=even) >= found - 1e-12).all()
    below = found[found < 1.0]
    mixed = np.array(influence)[found < 1.0]
    if even == 0.0 and (mixed > 0.0).any():
        assert np.ptp(below[mixed > 0.0] / mixed[mixed > 0.0]) == pytest.approx(0.0, abs=1e-6 * size / mixed.max())


def test_draws_have_their_probabilities_and_grow():
    names = {str(t): {f"d{i}": 0.0 for i in range(2000)} for t in range(2)}
    chances = np.tile(np.linspace(0.0, 0.5, 2000), 2)
    small = rs.draw_sample(names, chances)
    assert len(small) == pytest.approx(chances.sum(), abs=4 * np.sqrt((chances * (1 - chances)).sum()))
    assert not small.labelled.any()
    large = rs.draw_sample(names, 2 * chances)
    again = large.with_labels(small.judgments.with_grades(np.ones(len(small))))
    assert again.labelled.sum() == len(small)
    assert len(again) == len(large)
    other = rs.draw_sample(names, chances, rng=1)
    assert set(other.judgments.ids.names()) != set(small.judgments.ids.names())
    with pytest.raises(rs.MismatchedNames, match="not in the sample"):
        small.with_labels(large.judgments.with_grades(np.ones(len(large))))


def test_wrong_arguments_are_refused():
    with pytest.raises(rs.BadParameter, match="RR is not made of the gains"):
        rs.document_influence({"a": {"1": ["x"]}}, {"1": {"x": 1}}, "RR")
    with pytest.raises(rs.BadParameter, match="judged_only"):
        rs.document_influence({"a": {"1": ["x"]}}, {"1": {"x": 1}}, "AP(judged_only=True)")
    for wrong in ([], [-1.0], [np.nan]):
        with pytest.raises(rs.BadParameter, match="influence"):
            rs.inclusion_probabilities(wrong, 1)
    with pytest.raises(rs.BadParameter, match="size=0"):
        rs.inclusion_probabilities([1.0], 0)
    with pytest.raises(rs.BadParameter, match="even=2"):
        rs.inclusion_probabilities([1.0], 1, even=2)
    with pytest.raises(rs.ShapeMismatch, match="1 documents"):
        rs.draw_sample({"1": {"x": 1}}, [0.1, 0.2])
    with pytest.raises(rs.BadParameter, match="not from 0 to 1"):
        rs.draw_sample({"1": {"x": 1}}, [1.5])
    with pytest.raises(rs.BadParameter, match="above 0"):
        rs.JudgmentSample.of({"1": {"x": (1, 0.0)}})
