"""May systems be ranked with other judgments: the obvious cases, the parts of the answer, and bad input."""

import json
import math

import numpy as np
import pytest

import rankscope as rs
from rankscope.runs import Judgments, RunSet
from rankscope.studies.judging.ask import judge
from rankscope.studies.judging.verdict import LEVELS

QUICK = {"resamples": 400, "floor_draws": 60, "pseudo_draws": 10}


def made_track(systems=16, topics=30, documents=60, depth=30, seed=5):
    """Runs of systems from poor to good, and the grades (0 to 3) of what they pool."""
    rng = np.random.default_rng(seed)
    rankings = {f"s{s:02}": {} for s in range(systems)}
    grades = {}
    for t in range(topics):
        true = rng.choice([0, 0, 0, 0, 1, 2, 3], size=documents)
        names = [f"d{i}" for i in range(documents)]
        for s, run in enumerate(rankings.values()):
            score = true * (0.2 + 0.1 * s) + rng.normal(0, 1, documents)
            run[f"t{t}"] = [names[i] for i in np.argsort(-score)[:depth]]
        pooled = {d for run in rankings.values() for d in run[f"t{t}"]}
        grades[f"t{t}"] = {d: int(g) for d, g in zip(names, true, strict=True) if d in pooled}
    return RunSet.of(rankings), Judgments.of(grades, name="human")


@pytest.fixture(scope="module")
def track():
    return made_track()


def level(track, other, **options):
    runs, truth = track
    return judge(runs, truth, {"other": other}, "nDCG@10", **(QUICK | options)).answers[0].verdict.level


def shuffled_within_topics(truth, seed=0):
    rng = np.random.default_rng(seed)
    grades = truth.grades.copy()
    for a, b in zip(truth.starts[:-1], truth.starts[1:], strict=True):
        grades[a:b] = rng.permutation(grades[a:b])
    return truth.with_grades(grades)


def flipped(truth, share, seed=0):
    rng = np.random.default_rng(seed)
    grades = truth.grades.copy()
    at = rng.random(len(grades)) < share
    grades[at] = rng.integers(0, 4, at.sum())
    return truth.with_grades(grades)


def test_the_truth_is_interchangeable_with_itself(track):
    assert level(track, track[1]) == "interchangeable"


def test_labels_shuffled_within_topics_are_no_better_than_chance(track):
    for seed in range(3):
        assert level(track, shuffled_within_topics(track[1], seed)) == "no better than chance"


@pytest.mark.parametrize("grade", [0, 1, 3])
def test_constant_labels_are_no_better_than_chance(track, grade):
    assert level(track, track[1].with_grades(np.full(len(track[1]), grade))) == "no better than chance"


def test_reversed_labels_are_no_better_than_chance(track):
    assert level(track, track[1].with_grades(3 - track[1].grades)) == "no better than chance"


def test_a_twentieth_of_labels_flipped_does_little(track):
    assert level(track, flipped(track[1], 0.05)) in ("interchangeable", "within the luck of topics")


def test_half_the_labels_flipped_does_much(track):
    assert level(track, flipped(track[1], 0.9)) in ("not interchangeable", "no better than chance", "undecided")


def test_half_the_topics_never_stand_for_all(track):
    runs, truth = track
    report = judge(runs, truth, {"half": truth.for_topics(truth.topics[::2])}, "nDCG@10", **QUICK)
    answer = report.answers[0]
    assert answer.verdict.level == "clear differences only"
    assert not answer.paired
    assert answer.topics == 15
    assert "15 of 30 topics" in answer.verdict.sentence
    assert any("lacks 15" in remark for remark in report.remarks)


def test_the_numbers_are_those_of_compare_and_evaluate(track):
    runs, truth = track
    other = flipped(truth, 0.2)
    report = judge(runs, truth, {"other": other}, ["nDCG@10", "AP"], **QUICK)
    for measure in ("nDCG@10", "AP"):
        x, y = (rs.evaluate(runs, one, measure).scores[measure] for one in (truth, other))
        found = report.answer("other", measure)
        assert found.agreement.value("tau_ap") == rs.tau_ap(x.means, y.means)
        assert found.agreement.rank_distance.distance == pytest.approx(rs.d_rank(x, y.means).distance)
        assert found.shift.mean == pytest.approx((y.means - x.means).mean())
        best = np.argsort(-x.means)[:10]
        assert found.top.value("tau_b") == pytest.approx(rs.tau_b(x.means[best], y.means[best]))


def test_every_pair_is_counted_once(track):
    runs, truth = track
    found = judge(runs, truth, {"other": flipped(truth, 0.3)}, "P@10", **QUICK).answers[0].certainty
    parts = (
        found.both_alike, found.both_opposite, found.judge_only_alike, found.judge_only_opposite,
        found.truth_only_alike, found.truth_only_opposite, found.neither,
    )  # fmt: skip
    assert sum(parts) == found.pairs == 16 * 15 // 2


def test_a_favoured_group_is_found(track):
    runs, truth = track
    groups = {s: "mine" if s in ("s03", "s04", "s05") else "theirs" for s in runs.systems}
    # The judge calls relevant whatever the weak systems of its own family retrieve near the top.
    mine = {(t, d) for s in ("s03", "s04", "s05") for t in runs.topics for d in runs.retrieved(s, t)[:10]}
    rows = [(t, truth.ids[i]) for j, t in enumerate(truth.topics) for i in range(truth.starts[j], truth.starts[j + 1])]
    grades = np.array([3.0 if row in mine else g for row, g in zip(rows, truth.grades, strict=True)])
    found = judge(runs, truth, {"biased": truth.with_grades(grades)}, "nDCG@10", groups=groups, **QUICK).answers[0]
    favoured = next(g for g in found.shift.groups if g.group == "mine")
    assert favoured.ranks_gained > 3
    assert favoured.adjusted < 0.01
    assert found.verdict.level not in ("interchangeable", "within the luck of topics")
    assert any(r.holds is False and "mine" in r.text for r in found.verdict.reasons)


def test_judges_are_ranked_and_tested_against_each_other(track):
    runs, truth = track
    judges = {"good": flipped(truth, 0.05), "bad": flipped(truth, 0.8)}
    report = judge(runs, truth, judges, "nDCG@10", **QUICK)
    assert [p.judge for p in report.places] == ["good", "bad"]
    assert report.places[0].beats == ("bad",)
    assert report.places[1].beaten_by == ("good",)


def test_the_answer_does_not_depend_on_jobs(track):
    runs, truth = track
    one, two = (
        judge(runs, truth, {"x": flipped(truth, 0.2)}, "AP", jobs=jobs, **QUICK).to_json() for jobs in (1, 2)
    )  # fmt: skip
    assert one == two


def test_json_is_whole_and_plain(track):
    runs, truth = track
    report = judge(runs, truth, {"x": flipped(truth, 0.2)}, "AP", **QUICK)
    read = json.loads(report.to_json())
    assert read["answers"][0]["verdict"]["level"] in LEVELS
    assert read["answers"][0]["agreement"]["coefficients"][0]["interval"]["method"]
    assert read["labels"]["x"]["confusion"]
    assert len(report.table().rows) == 1


def test_a_measure_computed_elsewhere_has_no_floor(track):
    runs, truth = track
    report = judge(runs, truth, {"x": truth}, "Accuracy", **QUICK)
    assert report.answers[0].floor is None
    assert any("without a floor" in remark for remark in report.remarks)


def test_few_systems_and_topics_give_an_answer():
    runs, truth = made_track(systems=3, topics=4)
    report = judge(runs, truth, {"x": truth}, "nDCG@10", **QUICK)
    assert report.answers[0].top is None
    assert report.answers[0].verdict.level in LEVELS


def test_a_truth_that_ranks_nothing_is_no_answer():
    runs, truth = made_track(systems=4, topics=5)
    nothing = truth.with_grades(np.zeros(len(truth)))
    report = judge(runs, nothing, {"x": truth}, "nDCG@10", **QUICK)
    assert math.isnan(report.answers[0].agreement.value("tau_b"))
    assert report.answers[0].verdict.level == "undecided"
    assert "truth's labels score all systems alike" in report.answers[0].verdict.sentence


def test_bad_input_is_refused(track):
    runs, truth = track
    with pytest.raises(rs.RankscopeError, match="no topic in common"):
        judge(runs, truth, {"x": Judgments.of({"elsewhere": {"d1": 1}})}, "AP")
    with pytest.raises(rs.RankscopeError, match="no judge"):
        judge(runs, truth, {}, "AP")
    with pytest.raises(rs.RankscopeError, match="no group"):
        judge(runs, truth, {"x": truth}, "AP", groups={"s00": "a"})
    with pytest.raises(rs.RankscopeError, match="two systems"):
        judge(runs.select(systems=["s00"]), truth, {"x": truth}, "AP")
