"""Rankings from shallower pools, against evaluation from scratch with the judgments edited."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_studies as slow
import rankscope as rs
from rankscope.coefficients.rows import quietly
from rankscope.files import read_judgments, read_runs
from rankscope.runs import Judgments, RunSet

QUICK: dict[str, Any] = {"coefficients": slow.COEFFICIENTS, "resamples": 0}
SEEDS = st.integers(0, 10_000)


@settings(max_examples=25)
@given(seed=SEEDS, some=st.booleans())
def test_every_number_is_that_of_an_evaluation_from_scratch(seed, some):
    runs, judgments = slow.made_track(seed)
    contributing = list(runs)[:1] if some else None
    study = rs.study_pool_depth(
        *slow.coded(runs, judgments), slow.MEASURES, depths=[1, 2, 50], contributing=contributing, **QUICK
    )
    rows = {(row.measure, row.setting["depth"], row.coefficient): row for row in study.agreements}
    assert len(rows) == len(study.agreements) == 4 * 3 * 6
    for measure in slow.MEASURES:
        truth = slow.scores(runs, judgments, measure)
        for depth in (1, 2, 50):
            kept = slow.pooled(runs, judgments, depth, contributing)
            with quietly():
                expected = slow.agreement(truth, slow.scores(runs, kept, measure))
            for name, value in expected.items():
                row = rows[measure, depth, name]
                assert row.value == pytest.approx(value, nan_ok=True), (measure, depth, name)
                assert row.setting["judgments"] == sum(map(len, kept.values()))
                assert (row.spread, row.interval, row.pvalue, row.rejected) == (None, None, None, None)
    assert study.pool_table().columns == ("depth", "pool", "judgments", "relevant")
    for depth, pool, _, relevant in study.pool_table().rows:
        kept = slow.pooled(runs, judgments, depth, contributing)
        assert pool == sum(len(slow.pool(runs, t, depth, contributing)) for t in judgments)
        assert relevant == sum(grade >= 1 for graded in kept.values() for grade in graded.values())


def test_intervals_and_p_are_those_of_the_bootstrap_and_the_rank_distance_test():
    runs, judgments = slow.made_track(3, systems=5, topics=5)
    study = rs.study_pool_depth(
        *slow.coded(runs, judgments), "AP", depths=[1], coefficients=["tau_b", "tau_gap"], resamples=200, rng=7
    )
    truth = slow.scores(runs, judgments, "AP")
    estimate = slow.scores(runs, slow.pooled(runs, judgments, 1), "AP")
    with quietly():
        drawn = rs.bootstrap(truth, estimate, ["tau_b", "tau_gap"], resamples=200, rng=7)
        test = rs.rank_distance_test(truth, estimate.means, null=rs.rank_distance_null(truth, resamples=200, rng=7))
    *coefficients, distance = study.agreements
    for row, value in zip(coefficients, drawn.values, strict=True):
        assert row.value == pytest.approx(value.value)
        assert row.interval == value.interval
    assert distance.coefficient == "d_rank"
    assert distance.value == pytest.approx(test.distance)
    assert distance.pvalue == test.pvalue


def test_a_pool_deeper_than_all_runs_is_all_that_was_retrieved():
    runs, judgments = slow.made_track(5)
    *_, last = rs.study_pool_depth(*slow.coded(runs, judgments), "AP", depths=[3, 10**6], **QUICK).variant_settings()
    assert last["judgments"] == sum(d in slow.pool(runs, t, 10**6) for t, rows in judgments.items() for d in rows)


def test_the_same_numbers_whatever_the_number_of_threads_and_after_an_interruption(tmp_path):
    track = slow.coded(*slow.made_track(8, systems=5, topics=4))
    settings: dict[str, Any] = {"depths": [1, 2, 3], "coefficients": ["tau_b", "rbo"], "resamples": 60}
    calls = []
    once = rs.study_pool_depth(*track, "AP", jobs=1, progress=lambda *done: calls.append(done), **settings)
    assert calls == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert rs.study_pool_depth(*track, "AP", jobs=3, **settings).to_json() == once.to_json()
    rs.study_pool_depth(*track, "AP", checkpoint=tmp_path / "kept", **{**settings, "depths": [2]})
    calls.clear()
    again = rs.study_pool_depth(
        *track, "AP", checkpoint=tmp_path / "kept", progress=lambda *done: calls.append(done), jobs=1, **settings
    )
    assert calls[0] == (1, 3)
    assert again.to_json() == once.to_json()
    with pytest.raises(rs.MismatchedCheckpoint, match="seed"):
        rs.study_pool_depth(*track, "AP", checkpoint=tmp_path / "kept", rng=1, **settings)
    other = slow.coded(*slow.made_track(9, systems=5, topics=4))
    with pytest.raises(rs.MismatchedCheckpoint, match="input"):
        rs.study_pool_depth(*other, "AP", checkpoint=tmp_path / "kept", **settings)


def test_one_topic_has_no_rank_distance_and_json_has_no_nan():
    runs, judgments = slow.made_track(1, systems=3, topics=1)
    study = rs.study_pool_depth(*slow.coded(runs, judgments), "AP", depths=[1], resamples=50)
    row = next(row for row in study.to_dict()["agreements"] if row["coefficient"] == "d_rank")
    assert (row["value"], row["pvalue"]) == (None, None)
    assert json.loads(study.to_json())["topics"] == 1
    assert study.to_csv().startswith("depth,pool,judgments,relevant,measure,coefficient,value,low,high,pvalue\n1,")
    assert r"\toprule" in study.to_latex()


def test_judgments_without_a_relevant_document_rank_nothing():
    runs, judgments = slow.made_track(2)
    nothing = {topic: dict.fromkeys(rows, 0.0) for topic, rows in judgments.items()}
    study = rs.study_pool_depth(*slow.coded(runs, nothing), "AP", depths=[1], resamples=0, coefficients=["tau_b"])
    assert np.isnan(study.agreements[0].value)
    assert study.relevant == 0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"depths": []}, "one or more, each a rank"),
        ({"depths": [0, 5]}, "each a rank from 1"),
        ({"contributing": ["nobody"]}, "no system 'nobody'"),
        ({"contributing": []}, "one or more systems"),
        ({"contributing": "bm25"}, "contributing='bm25'"),
        ({"coefficients": []}, "one or more names"),
        ({"coefficients": ["tau_zz"]}, "tau_zz"),
        ({"resamples": -1}, "resamples=-1"),
        ({"level": 1.0}, "level"),
        ({"jobs": 0}, "jobs=0"),
        ({"rng": -1}, "rng=-1"),
        ({"measures": "zz"}, "zz"),
    ],
)
def test_what_is_wrong_is_told(wrong, message):
    track = slow.coded(*slow.made_track(2))
    with pytest.raises(rs.RankscopeError, match=message):
        rs.study_pool_depth(*track, **wrong)


def test_runs_and_judgments_that_share_nothing_are_refused():
    runs = RunSet.of({"a": {"1": ["x"]}, "b": {"1": ["y"]}})
    with pytest.raises(rs.MissingScores, match="no run retrieved a judged document"):
        rs.study_pool_depth(runs, Judgments.of({"1": {"z": 1}}))
    with pytest.raises(rs.TooFewSystems):
        rs.study_pool_depth(RunSet.of({"a": {"1": ["x"]}}), Judgments.of({"1": {"x": 1}}))


def test_dl19_was_pooled_to_depth_10(data):
    # Craswell et al., Overview of the TREC 2019 Deep Learning Track: pools of depth 10, and more by active learning.
    runs, judgments = read_runs(data / "dl19" / "runs"), read_judgments(data / "dl19" / "qrels.human.txt")
    study = rs.study_pool_depth(runs, judgments, "nDCG@10", depths=[5, 10, 20], coefficients=["tau_b"], resamples=0)
    five, ten, twenty = study.variant_settings()
    assert five["pool"] == five["judgments"]
    assert ten["judgments"] >= 0.999 * ten["pool"]
    assert twenty["judgments"] < 0.7 * twenty["pool"]
    values = [row.value for row in study.agreements if row.coefficient == "tau_b"]
    assert 0.9 < values[0] < values[1] < values[2] < 1.0
