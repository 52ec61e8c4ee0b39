"""Designs of plans: their probabilities, literally; every topic equally likely; larger plans contain smaller ones."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

import oracles_plans as literal
import rankscope as rs
from rankscope.inference.designs import (
    DOCUMENT_DESIGNS,
    DocumentPool,
    draw_documents,
    topic_numbers,
    topic_order,
)

DESIGN = {design.name: design for design in DOCUMENT_DESIGNS}


@functools.cache
def made_pool():
    track = rs.simulate_track(8, 6, depth=20, rng=1)
    judge = track.judges[next(iter(track.judges))]
    measure = rs.parse_measure("nDCG@10")
    judged = rs.join(track.runs, judge)
    scores = rs.evaluate(track.runs, judge, [measure]).scores["nDCG@10"].values
    return DocumentPool.of(judge, judged, measure, scores)


@st.composite
def pools(draw):
    documents, systems, topics = draw(st.integers(1, 9)), draw(st.integers(2, 4)), draw(st.integers(2, 4))
    number = st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0])

    def table(rows, columns):
        return np.array([[draw(number) for _ in range(columns)] for _ in range(rows)])

    grades = [float(draw(st.integers(0, 3))) for _ in range(documents)]
    judgments = rs.Judgments.of({"1": {f"d{i}": grade for i, grade in enumerate(grades)}})
    depths = np.array([draw(st.integers(1, 9)) for _ in range(documents)])
    return DocumentPool(judgments, table(systems, documents), depths, table(topics, systems))


def literally(name, pool):
    weights = pool.weights.tolist()
    influence = literal.influence(weights)
    if name == "stratified":
        return literal.stratified(pool.judgments.grades.tolist(), pool.depths.tolist(), influence)
    if name == "close":
        return literal.close(weights, pool.scores.tolist(), lambda freedom, t: student.sf(t, freedom))
    return {"influence": influence, "random": [1.0] * len(pool)}[name]


@pytest.mark.parametrize("design", DOCUMENT_DESIGNS, ids=lambda design: design.name)
@settings(max_examples=40)
@given(pool=pools(), share=st.floats(0.01, 1.2))
def test_probabilities_are_the_literal_ones_and_sum_to_the_budget(design, pool, share):
    size = share * len(pool)
    chances = design.function(pool, size)
    if design.name == "shallow":
        expected = literal.shallow(pool.depths.tolist(), size)
    else:
        expected = literal.proportional(literally(design.name, pool), size)
    assert np.allclose(chances, expected, atol=1e-9)
    assert chances.sum() == pytest.approx(min(size, len(pool)))
    assert (chances <= 1.0).all()
    assert (chances >= min(0.1 * share, 1.0) - 1e-9).all()


@pytest.mark.parametrize("design", DOCUMENT_DESIGNS, ids=lambda design: design.name)
@settings(max_examples=30)
@given(pool=pools(), shares=st.tuples(st.floats(0.01, 1.1), st.floats(0.01, 1.1)))
def test_a_larger_budget_lowers_no_probability(design, pool, shares):
    less, more = sorted(shares)
    small, large = (design.function(pool, share * len(pool)) for share in (less, more))
    assert (large >= small - 1e-9).all()


@pytest.mark.parametrize("design", DOCUMENT_DESIGNS, ids=lambda design: design.name)
def test_a_larger_plan_contains_the_smaller_one_and_keeps_its_labels(design):
    pool = made_pool()
    small = draw_documents(design, pool, 60, seed=3)
    labels = small.with_labels(small.judgments.with_grades(np.arange(len(small)) % 3))
    large = draw_documents(design, pool, 150, seed=3, labelled=labels.judgments)
    assert int(large.labelled.sum()) == len(small)
    assert len(large) > len(small)
    assert np.array_equal(large.judgments.grades[large.labelled], labels.judgments.grades)
    chances = dict(zip(large.judgments.ids.names(), large.probabilities, strict=True))
    expected = design.function(pool, 150)
    assert chances.items() <= dict(zip(pool.judgments.ids.names(), expected, strict=True)).items()
    again = draw_documents(design, pool, 150, seed=3)
    assert again.judgments.same_rows(large.judgments)


def test_labels_from_elsewhere_are_certain_and_the_others_drawn_anew():
    pool = made_pool()
    elsewhere = draw_documents(DESIGN["random"], pool, 40, seed=9)
    labels = elsewhere.judgments.with_grades(np.ones(len(elsewhere)))
    plan = draw_documents(DESIGN["influence"], pool, 100, seed=3, labelled=labels)
    assert (plan.probabilities[plan.labelled] == 1.0).all()
    assert plan.labelled.sum() == len(labels)
    # What is left of the budget is drawn from the documents without a label: the mean over seeds is the budget.
    sizes = [len(draw_documents(DESIGN["influence"], pool, 100, seed=s, labelled=labels)) for s in range(60)]
    assert np.mean(sizes) == pytest.approx(100, abs=3.0)
    few = draw_documents(DESIGN["influence"], pool, 10, seed=3, labelled=labels)
    assert len(few) == len(labels)


def test_estimates_from_extended_plans_are_unbiased():
    pool, design = made_pool(), DESIGN["close"]
    values = pool.judgments.grades + 1.0
    rows = {key: row for row, key in enumerate(keys(pool.judgments))}
    totals = []
    for seed in range(400):
        first = draw_documents(DESIGN["influence"], pool, 30, seed=seed)
        labels = first.judgments.with_grades([values[rows[key]] for key in keys(first.judgments)])
        plan = draw_documents(design, pool, 80, seed=seed, labelled=labels)
        totals.append(
            sum(values[rows[key]] / p for key, p in zip(keys(plan.judgments), plan.probabilities, strict=True))
        )
    assert np.mean(totals) == pytest.approx(values.sum(), abs=3.0 * np.std(totals) / 20.0)


def keys(judgments):
    return [(judgments.topics[t], name) for t, name in zip(judgments.topic_of, judgments.ids.names(), strict=True)]


def test_every_topic_is_equally_likely_to_be_among_the_first():
    names = tuple(f"t{i}" for i in range(7))
    orders = np.array([topic_order(names, seed) for seed in range(1400)])
    assert (np.sort(orders, axis=1) == np.arange(7)).all()
    counts = np.array([(orders[:, :3] == topic).sum() for topic in range(7)])
    assert np.abs(counts - 600.0).max() < 75.0  # four standard deviations of a count of 1,400 draws at 3/7


def test_numbers_depend_on_seed_and_name_alone():
    assert topic_numbers(("a", "bé"), 5).tolist() == [literal.number(5, "a"), literal.number(5, "bé")]
