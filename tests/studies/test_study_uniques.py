"""Systems without what they alone brought to the judgments, against evaluation from scratch."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_studies as slow
import rankscope as rs
from narrowing import known
from rankscope.averages import mean_ranks
from rankscope.coefficients.rows import quietly
from rankscope.files import read_judgments, read_runs
from rankscope.runs import Judgments, RunSet

SEEDS = st.integers(0, 10_000)


@settings(max_examples=15)
@given(seed=SEEDS, depth=st.integers(1, 9), grouped=st.booleans(), some=st.booleans())
def test_every_number_is_that_of_an_evaluation_from_scratch(seed, depth, grouped, some):
    runs, judgments = slow.made_track(seed)
    systems = list(runs)
    group_of = {s: "even" if i % 2 == 0 else s for i, s in enumerate(systems)} if grouped else {s: s for s in systems}
    contributing = systems[: len(systems) // 2 + 1] if some else systems
    study = rs.study_uniques(
        *slow.coded(runs, judgments),
        ["AP", "P@2"],
        groups=group_of if grouped else None,
        depth=depth,
        resamples=0,
        contributing=contributing if some else None,
        coefficients=slow.COEFFICIENTS,
    )
    groups = list(dict.fromkeys(group_of.values()))
    unique = {g: slow.unique_documents(runs, judgments, group_of, g, depth, contributing) for g in groups}
    assert {c.group: c.unique for c in study.contributions} == {g: len(documents) for g, documents in unique.items()}
    assert {c.group: c.unique_relevant for c in study.contributions} == {
        g: sum(judgments[t][d] >= 1 for t, d in documents) for g, documents in unique.items()
    }
    for measure in ("AP", "P@2"):
        truth = slow.scores(runs, judgments, measure)
        reduced = {g: slow.scores(runs, slow.without(judgments, unique[g]), measure) for g in groups}
        values = truth.values.copy()
        for change in (change for change in study.changes if change.measure == measure):
            s = systems.index(change.system)
            after = reduced[group_of[change.system]]
            values[:, s] = after.values[:, s]
            assert change.group == group_of[change.system]
            assert (change.score, change.score_without) == pytest.approx((truth.means[s], after.means[s]))
            assert (change.rank, change.rank_without) == (mean_ranks(truth.means)[s], mean_ranks(after.means)[s])
            assert change.change == pytest.approx(after.means[s] - truth.means[s])
            assert change.moved == change.rank_without - change.rank
        with quietly():
            expected = slow.agreement(truth, rs.ScoreMatrix(values, truth.systems, truth.topics))
        values = {row.coefficient: row.value for row in study.agreements if row.measure == measure}
        assert values == pytest.approx(expected, nan_ok=True)


def test_intervals_and_p_come_from_the_bootstrap_and_the_rank_distance_test():
    runs, judgments = slow.made_track(12, systems=5, topics=5)
    study = rs.study_uniques(
        *slow.coded(runs, judgments), "AP", depth=8, coefficients=["tau_b"], resamples=150, rng=3, jobs=1
    )
    tau, distance = study.agreements
    assert known(tau.interval).low <= tau.value <= known(tau.interval).high
    assert tau.pvalue is None
    assert 1 / 151 <= known(distance.pvalue) <= 1.0
    other = rs.study_uniques(
        *slow.coded(runs, judgments), "AP", depth=8, coefficients=["tau_b"], resamples=150, rng=3, jobs=3
    )
    assert other.to_json() == study.to_json()
    assert list(study.tables()) == ["systems", "agreements", "contributions"]
    assert json.loads(study.to_json())["depth"] == 8


def test_the_depth_is_that_to_which_all_is_judged():
    runs = RunSet.of({"a": {"1": ["x", "y", "w"]}, "b": {"1": ["z", "x", "v"]}})
    judged = Judgments.of({"1": {"x": 1, "y": 0, "z": 1, "v": 1}})
    assert rs.study_uniques(runs, judged, "P@2", resamples=0).depth == 2
    assert rs.study_uniques(runs, judged, "P@2", contributing=["b"], resamples=0).depth == 3
    with pytest.raises(rs.BadParameter, match="the pool's depth is not known"):
        rs.study_uniques(runs, Judgments.of({"1": {"x": 1}}), "P@2", resamples=0)


def test_groups_name_every_system_and_may_name_others():
    track = slow.coded(*slow.made_track(2, systems=3))
    names = dict.fromkeys(track[0].systems, "one team")
    study = rs.study_uniques(*track, "AP", groups={**names, "not a run": "x"}, depth=2, resamples=0)
    assert [group.group for group in study.contributions] == ["one team"]
    # All belongs to the one group, and without the pool's documents nothing to depth 2 is left.
    assert all(change.score_without <= change.score or np.isnan(change.score) for change in study.changes)
    del names[track[0].systems[1]]
    with pytest.raises(rs.MismatchedNames, match="no group is named for 'δense'"):
        rs.study_uniques(*track, "AP", groups=names, depth=2)
    with pytest.raises(rs.UnknownName, match="nobody"):
        rs.study_uniques(*track, "AP", contributing=["nobody"])
    with pytest.raises(rs.BadParameter, match="depth=0"):
        rs.study_uniques(*track, "AP", depth=0)


def test_nothing_unique_changes_nothing():
    same = {"1": ["x", "y"], "2": ["y", "x"]}
    runs = RunSet.of({"a": same, "b": dict(reversed(same.items())), "c": {"1": ["y", "x"], "2": ["x", "y"]}})
    study = rs.study_uniques(runs, Judgments.of({"1": {"x": 1, "y": 0}, "2": {"x": 1, "y": 0}}), "AP", resamples=0)
    assert all(group.unique == 0 for group in study.contributions)
    assert all(change.change == 0.0 and change.moved == 0.0 for change in study.changes)


def test_covid1_was_pooled_to_depth_7(data):
    # TREC-COVID round 1 (Roberts et al. 2020): one run of each team was pooled, to depth 7.
    table = f"{data / 'covid1' / 'leaderboard.csv'}:contributed judgments"
    pooled = [system for system, yes in rs.read_groups(table).items() if yes == "yes"]
    teams = rs.read_groups(data / "covid1" / "leaderboard.csv", "team")
    assert len({teams[system] for system in pooled}) == len(pooled) == 56
    some = sorted(pooled)[:20]
    runs = read_runs([data / "covid1" / "runs" / f"{system}.gz" for system in some])
    study = rs.study_uniques(
        runs,
        read_judgments(data / "covid1" / "qrels.txt"),
        "nDCG@10",
        groups=teams,
        coefficients=["tau_b"],
        resamples=0,
    )
    assert study.depth == 7
    assert all(change.score_without <= change.score + 1e-12 for change in study.changes)
    assert 0.7 < study.agreements[0].value < 1.0


def test_a_study_goes_on_from_its_checkpoint(tmp_path, monkeypatch):
    track = rs.simulate_track(20, 6, depth=30, rng=2)
    whole = rs.study_uniques(track.runs, track.truth, "AP", resamples=50)
    rs.study_uniques(track.runs, track.truth, "AP", resamples=50, checkpoint=tmp_path)
    monkeypatch.setattr("rankscope.studies.judgment_reference.rescore", lambda *_, **__: pytest.fail("computed again"))
    again = rs.study_uniques(track.runs, track.truth, "AP", resamples=50, checkpoint=tmp_path)
    assert again.to_json() == whole.to_json()
    with pytest.raises(rs.MismatchedCheckpoint):
        rs.study_uniques(track.runs, track.truth, "AP", resamples=50, checkpoint=tmp_path, depth=3)
