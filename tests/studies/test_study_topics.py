"""Rankings by subsets of the topics, against means over those topics taken one by one."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import oracles_studies as slow
import rankscope as rs
from narrowing import known
from rankscope.coefficients.rows import quietly
from rankscope.files import read_judgments, read_runs
from rankscope.studies.spread import SPREAD, spread_of
from rankscope.studies.topic_subsets import default_sizes

SEEDS = st.integers(0, 10_000)


@settings(max_examples=12)
@given(seed=SEEDS)
@example(seed=2107)  # where means over all topics differ by rounding only
def test_every_number_is_that_of_those_topics_alone(seed):
    runs, judgments = slow.made_track(seed)
    n = len(judgments)
    study = rs.study_topics(
        *slow.coded(runs, judgments),
        slow.MEASURES,
        repeats=4,
        coefficients=slow.COEFFICIENTS,
        resamples=0,
        rng=seed,
        sizes=range(1, n + 1),
    )
    orders = {
        size: [np.random.default_rng([seed, size, i]).permutation(n) for i in range(4)] for size in range(1, n + 1)
    }
    expected = {}
    for measure in slow.MEASURES:
        truth = slow.scores(runs, judgments, measure)
        whole = _over(truth, range(n))
        for size, drawn in orders.items():
            parts = [_over(truth, order[:size]) for order in drawn]
            others = [_over(truth, order[size : 2 * size]) for order in drawn] if 2 * size <= n else []
            expected[measure, "all", size, "d_rank"] = [slow.distance(truth, part) for part in parts]
            for name in slow.COEFFICIENTS:
                find = rs.coefficient(name)
                with quietly():
                    expected[measure, "all", size, name] = [find(whole, part) for part in parts]
                    if others:
                        pairs = zip(others, parts, strict=True)
                        expected[measure, "others", size, name] = [find(x, y) for x, y in pairs]
    rows = {(row.measure, *row.setting.values(), row.coefficient): row for row in study.agreements}
    assert rows.keys() == expected.keys()
    for key, values in expected.items():
        spread = spread_of(np.array(values))
        for name in SPREAD:
            value = getattr(spread, name)
            assert getattr(rows[key].spread, name) == pytest.approx(value, nan_ok=True, abs=1e-9), (key, name)


def _over(scores, topics):
    """Means over some topics; those that differ in the last bits only, as sums of thirds do, are equal."""
    means = scores.select(topics=[scores.topics[t] for t in sorted(topics)]).means.copy()
    order = np.argsort(means)
    for worse, better in itertools.pairwise(order):
        if means[better] - means[worse] < 1e-12:
            means[better] = means[worse]
    return means


def test_all_topics_give_the_full_ranking():
    track = slow.coded(*slow.made_track(4, systems=5, topics=5))
    study = rs.study_topics(*track, "nDCG@3", sizes=[5], repeats=3, coefficients=["tau_b"], resamples=50)
    tau, distance = study.agreements
    assert (tau.setting["against"], tau.value, known(tau.spread).sd) == ("all", 1.0, 0.0)
    assert (distance.value, distance.pvalue, distance.rejected) == (0.0, 1.0, 0.0)


@given(st.integers(2, 2_000))
def test_default_sizes(topics):
    sizes = default_sizes(topics)
    assert 1 <= len(sizes) <= 10
    assert sizes == tuple(sorted(set(sizes)))
    assert 1 <= sizes[0] <= sizes[-1] < topics


def test_the_same_numbers_whatever_the_number_of_threads_and_after_an_interruption(tmp_path):
    track = slow.coded(*slow.made_track(8, systems=5, topics=5))
    settings: dict[str, Any] = {"sizes": [1, 2, 4], "resamples": 50}
    once = rs.study_topics(*track, "AP", repeats=150, jobs=1, **settings)
    assert rs.study_topics(*track, "AP", repeats=150, jobs=3, **settings).to_json() == once.to_json()
    rs.study_topics(*track, "AP", repeats=100, checkpoint=tmp_path / "kept", **settings)
    calls = []
    again = rs.study_topics(
        *track, "AP", repeats=150, checkpoint=tmp_path / "kept", progress=lambda *c: calls.append(c), **settings
    )
    assert calls[0] == (5, 10)
    assert again.to_json() == once.to_json()


@pytest.mark.parametrize("sizes", [[], [0], [6], [2, 100]])
def test_sizes_that_cannot_be_are_refused(sizes):
    with pytest.raises(rs.BadParameter, match="from 1 to 5"):
        rs.study_topics(*slow.coded(*slow.made_track(8, systems=5, topics=5)), sizes=sizes)


def test_one_topic_has_no_subsets():
    with pytest.raises(rs.MissingScores, match="two or more"):
        rs.study_topics(*slow.coded(*slow.made_track(1, systems=3, topics=1)))


def test_dl19_more_topics_agree_more(data):
    runs, judgments = read_runs(data / "dl19" / "runs"), read_judgments(data / "dl19" / "qrels.human.txt")
    study = rs.study_topics(runs, judgments, "nDCG@10", repeats=50, coefficients=["tau_b"], resamples=0)
    for against in ("all", "others"):
        rows = [row for row in study.agreements if row.coefficient == "tau_b"]
        means = [row.value for row in rows if row.setting["against"] == against]
        assert means == sorted(means)
    # A subset is part of all, so that it agrees more with all than with as many others.
    at = {tuple(row.setting.values()): row.value for row in study.agreements if row.coefficient == "tau_b"}
    assert all(at["all", k] > value + 0.05 for (against, k), value in at.items() if against == "others")
