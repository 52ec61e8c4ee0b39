"""Rankings of one τ and many distances: each by definition, and the point of Carterette's Figure 1."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankscope as rs
from narrowing import known
from oracles_swaps import inversions
from rankscope.demo import demo_scores
from rankscope.studies.reorderings import orders_at

HUMAN = demo_scores()["human"]
STUDY = rs.study_reorderings(HUMAN, draws=600, resamples=199)


def test_every_ranking_has_the_tau_and_the_distance_it_says():
    m = len(HUMAN.systems)
    assert STUDY.tau == pytest.approx(0.9, abs=2 / (m * (m - 1)))
    for one in STUDY.reorderings:
        assert sorted(one.ranks) == list(range(1, m + 1))
        assert inversions(list(one.ranks)) == STUDY.inversions
        scores = {name: -float(rank) for name, rank in zip(STUDY.systems, one.ranks, strict=True)}
        assert rs.d_rank(HUMAN, scores).distance == pytest.approx(one.distance)
        assert rs.tau_a(HUMAN.means, [scores[name] for name in HUMAN.systems]) == pytest.approx(one.tau)


def test_distances_go_from_small_to_large_and_p_with_them():
    distances = [one.distance for one in STUDY.reorderings]
    assert distances == sorted(distances)
    assert distances[0] == STUDY.distances[0]
    assert distances[-1] == STUDY.distances[-1]
    assert distances[-1] > 4 * distances[0]
    pvalues = [known(one.pvalue) for one in STUDY.reorderings]
    assert pvalues == sorted(pvalues, reverse=True)
    null = rs.rank_distance_null(HUMAN, resamples=199)
    assert STUDY.critical_value == null.critical_value(0.05)
    assert pvalues == [null.pvalue(distance) for distance in distances]


@settings(max_examples=40)
@given(
    st.lists(st.integers(0, 9).map(lambda i: i / 10), min_size=2, max_size=9),
    st.integers(1, 20),
    st.integers(0, 2**32),
)
def test_orders_at_have_the_inversions_asked_for(means, wanted, seed):
    means = np.array(sorted(means, reverse=True))
    directions = np.random.default_rng(seed).standard_normal((15, len(means)))
    for order in orders_at(means, directions, wanted):
        assert sorted(order) == list(range(len(means)))
        assert inversions(order.tolist()) == wanted


def test_the_same_whatever_the_threads():
    one, three = (rs.study_reorderings(HUMAN, draws=1_100, resamples=0, jobs=jobs) for jobs in (1, 3))
    assert one.to_dict() == three.to_dict()
    assert one.critical_value is None
    assert {row[2] for row in one.table().rows} == {None}


def test_identical_and_dominated_systems():
    rng = np.random.default_rng(0)
    values = rng.random((20, 6))
    values[:, 1] = values[:, 0]  # identical
    values[:, 2] = values[:, 3] + 0.1  # better on every topic: the opposite order is infinitely far
    found = rs.study_reorderings(values, tau=0.6, draws=200, resamples=0)
    assert np.isfinite(found.distances).all()
    with_ridge = rs.study_reorderings(values, tau=0.6, draws=200, resamples=0, ridge=1e-3)
    assert len(with_ridge.distances) >= len(found.distances)


def test_bad_input():
    with pytest.raises(rs.BadParameter, match="allow no swap"):
        rs.study_reorderings(HUMAN.select(systems=HUMAN.systems[:3]))
    with pytest.raises(rs.BadParameter, match="from 0 to less than 1"):
        rs.study_reorderings(HUMAN, tau=1.0)
    with pytest.raises(rs.MissingScores, match="scores by topic"):
        rs.study_reorderings([0.3, 0.2, 0.1])
    for options in ({"count": 0}, {"draws": 0}, {"resamples": -1}, {"alpha": 0.0}, {"rng": -1}, {"ridge": -1.0}):
        with pytest.raises(rs.BadParameter):
            rs.study_reorderings(HUMAN, **options)


def test_tau_cannot_tell_what_the_rank_distance_can(data):
    # Carterette 2009, Figure 1: τ is .9 ± .01 for four rankings that go from harmless to plainly wrong.
    study = rs.study_reorderings(data / "trec5" / "adhoc5_ap.csv", draws=800, resamples=299)
    assert all(one.tau == pytest.approx(0.9, abs=0.01) for one in study.reorderings)
    assert known(study.reorderings[0].pvalue) > 0.5
    assert known(study.reorderings[-1].pvalue) < 0.01
    assert study.reorderings[-1].distance > 10 * study.reorderings[0].distance
