"""May systems be ranked with other judgments: the obvious cases, the parts of the answer, and bad input."""

import functools
import itertools
import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau

import rankscope as rs
from narrowing import known
from rankscope.files.fingerprints import Recorded
from rankscope.inference.correction import best_linear
from rankscope.report.terminal import plain_text
from rankscope.runs import Judgments, RunSet, join
from rankscope.studies.judging import chance
from rankscope.studies.judging.ask import judge
from rankscope.studies.judging.chance import dealt_scores
from rankscope.studies.judging.shift import shift
from rankscope.studies.verdict import LEVELS

QUICK: dict[str, Any] = {"resamples": 200, "random_draws": 99, "pseudo_draws": 10}


def made_track(systems=16, topics=30, documents=60, depth=30, seed=5):
    """Runs of systems from poor to good, and the grades (0 to 3) of what they pool."""
    rng = np.random.default_rng(seed)
    rankings: dict[str, dict[str, list[str]]] = {f"s{s:02}": {} for s in range(systems)}
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


FAVOURABLE = LEVELS[:4]


def test_the_truth_is_interchangeable_with_itself(track):
    assert level(track, track[1]) == "interchangeable"


def test_labels_dealt_at_random_are_no_better_than_random_labels(track):
    levels = [level(track, shuffled_within_topics(track[1], seed)) for seed in range(3)]
    assert levels.count("no better than random labels") >= 2  # 1 of 20 passes the test
    assert not set(levels) & set(FAVOURABLE)


@pytest.mark.parametrize("grade", [0, 1, 3])
def test_constant_labels_rank_nothing(track, grade):
    """Every document in the tops is judged, so that one label gives all systems the same score."""
    with pytest.raises(rs.BadParameter, match="the same score" if grade else "its highest is 0"):
        level(track, track[1].with_grades(np.full(len(track[1]), grade)))


def test_reversed_labels_are_no_better_than_random_labels(track):
    assert level(track, track[1].with_grades(3 - track[1].grades)) == "no better than random labels"


def test_a_twentieth_of_labels_flipped_does_little(track):
    assert level(track, flipped(track[1], 0.05)) in ("interchangeable", "substitute")


def test_most_labels_flipped_does_much(track):
    assert level(track, flipped(track[1], 0.9)) in ("undecided", "not a substitute", "no better than random labels")


def test_a_judge_that_lacks_topics_is_compared_on_the_others_with_a_warning(track):
    runs, truth = track
    report = judge(runs, truth, {"half": truth.for_topics(truth.topics[::2])}, "nDCG@10", **QUICK)
    answer = report.answers[0]
    assert answer.topics == 15
    assert answer.agreement.value("tau_b") == 1.0
    assert [(w.kind, known(w.value) < 0.6) for w in answer.verdict.warnings] == [("coverage", True)]
    assert "covers 49.9 %" in str(answer.verdict)
    assert any("lacks 15" in str(remark) for remark in report.remarks)


def test_few_systems_or_topics_never_prove_anything():
    for systems, topics in ((5, 30), (30, 6), (4, 4)):
        runs, truth = made_track(systems=systems, topics=topics)
        for other in (truth, flipped(truth, 0.1), shuffled_within_topics(truth)):
            verdict = judge(runs, truth, {"x": other}, "nDCG@10", **QUICK).answers[0].verdict
            assert verdict.level in ("undecided", "not a substitute")
            assert "at least 10 topics and 10 systems" in str(verdict) or verdict.level == "not a substitute"


def test_a_truth_without_significant_pairs_leaves_it_undecided():
    """Systems that do not differ: nothing is proven, for or against."""
    rng = np.random.default_rng(8)
    rankings = {
        f"s{s:02}": {f"t{t}": [f"d{i}" for i in rng.permutation(40)[:20]] for t in range(15)} for s in range(12)
    }
    grades = {f"t{t}": {f"d{i}": int(rng.integers(0, 2)) for i in range(40)} for t in range(15)}
    truth = Judgments.of(grades, name="human")
    answer = judge(RunSet.of(rankings), truth, {"x": flipped(truth, 0.5)}, "P@10", **QUICK).answers[0]
    assert answer.verdict.level in ("undecided", "no better than random labels")
    assert known(answer.agreement.separation).pairs == 0
    text = plain_text(judge(RunSet.of(rankings), truth, {"x": flipped(truth, 0.5)}, "P@10", **QUICK))
    assert "human finds no pair of systems significantly different" in text


def test_the_lowest_level_over_measures_counts(track):
    runs, truth = track
    report = judge(runs, truth, {"x": flipped(truth, 0.3)}, ["nDCG@10", "P@5", "AP"], **QUICK)
    worst = max((a.verdict.level for a in report.answers), key=LEVELS.index)
    assert (report.levels[0].judge, report.levels[0].level) == ("x", worst)
    assert report.answer("x", report.levels[0].measure).verdict.level == worst


def test_the_best_of_several_judges_must_prove_more(track):
    runs, truth = track
    judges = {f"j{i}": flipped(truth, 0.2, seed=i) for i in range(4)}
    report = judge(runs, truth, judges, "nDCG@10", **QUICK)
    (best,) = report.best
    assert best.confidence == pytest.approx(1 - 0.05 / 4)
    own = report.answer(best.judge).verdict
    assert best.worth == known(own.worth).worth == max(known(a.verdict.worth).worth for a in report.answers)
    assert LEVELS.index(best.level) >= LEVELS.index(own.level)


def test_margins_and_topics_are_options(track):
    runs, truth = track
    strict = judge(runs, truth, {"x": flipped(truth, 0.1)}, "AP", margins=(50.0, 50.0), **QUICK).answers[0].verdict
    assert strict.level in ("clear differences only", "not a substitute", "undecided")
    many = judge(runs, truth, {"x": flipped(truth, 0.1)}, "AP", judged_topics=1_000, **QUICK).answers[0].verdict
    assert known(many.worth).topics == 1_000
    with pytest.raises(rs.BadParameter, match="the greater one first"):
        judge(runs, truth, {"x": truth}, "AP", margins=(0.5, 0.8))


def test_random_labels_are_dealt_within_topics_with_exact_expectation(track):
    runs, truth = track
    judged = join(runs, truth)
    for measure in ("nDCG@10", "AP", "P@5", "RBP"):
        exact = dealt_scores(judged, [measure], 1, 0, means=False, jobs=1)[measure]
        assert exact.exact
        assert exact.means.shape == (0, 16)
        drawn = dealt_scores(judged, [measure], 600, 0, means=True, jobs=2)[measure]
        assert drawn.means.mean(axis=0) == pytest.approx(exact.expected.mean(axis=0), abs=0.01)
    drawn = dealt_scores(judged, ["ERR"], 600, 0, means=False, jobs=1)["ERR"]
    assert not drawn.exact
    assert drawn.expected.shape == (30, 16)


def test_random_labels_are_held_some_draws_at_a_time(track, monkeypatch):
    """All draws of 1,000,000 judgments at once took 4.9 GB."""
    judged = join(*track)
    monkeypatch.setattr(chance, "_GRADES", 5 * len(judged.grades))
    tables = list(chance._dealt_grades(judged, 23, 0))
    assert [len(table) for table in tables] == [5, 5, 5, 5, 3]
    for first, last in itertools.pairwise(judged.judgment_starts):
        own = np.sort(judged.grades[first:last])
        assert all((np.sort(table[:, first:last], axis=1) == own).all() for table in tables)


def test_the_numbers_are_those_of_compare_and_evaluate(track):
    runs, truth = track
    other = flipped(truth, 0.2)
    report = judge(runs, truth, {"other": other}, ["nDCG@10", "AP"], **QUICK)
    for measure in ("nDCG@10", "AP"):
        x, y = (rs.evaluate(runs, one, measure).scores[measure] for one in (truth, other))
        found = report.answer("other", measure)
        assert found.agreement.value("tau_ap") == rs.tau_ap(x.means, y.means)
        assert known(found.agreement.rank_distance).distance == pytest.approx(rs.d_rank(x, y.means).distance)
        assert found.shift.mean == pytest.approx((y.means - x.means).mean())
        best = np.argsort(-x.means)[:10]
        assert known(found.top).value("tau_b") == pytest.approx(rs.tau_b(x.means[best], y.means[best]))


def test_every_pair_is_counted_once(track):
    runs, truth = track
    (answer,) = judge(runs, truth, {"other": flipped(truth, 0.3)}, "P@10", **QUICK).answers
    found = known(answer.agreement.certainty)
    parts = (
        found.both_alike,
        found.both_opposite,
        found.judge_only_alike,
        found.judge_only_opposite,
        found.truth_only_alike,
        found.truth_only_opposite,
        found.neither,
    )
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
    pvalue = max(known(favoured.topic_pvalue), known(favoured.system_pvalue))
    assert favoured.pvalue == pvalue < 0.05
    assert found.verdict.level not in ("interchangeable", "substitute")
    assert ("group", "mine") in [(w.kind, w.name) for w in found.verdict.warnings]
    assert "favours group mine" in str(found.verdict)


def test_a_judge_that_errs_on_single_systems_favours_no_group(track):
    """A t-test over topics alone would find every group favoured or not: errors on systems do not average out."""
    runs, truth = track
    rng = np.random.default_rng(2)
    x = rs.evaluate(runs, truth, "nDCG@10").scores["nDCG@10"]
    found, by_topics = 0, 0
    for i in range(40):
        y = x.values + 0.03 * rng.normal(size=16) + 0.01 * rng.normal(size=x.values.shape)
        labels = dict(zip(runs.systems, rng.permutation(["a", "b"] * 8), strict=True))
        other = rs.ScoreMatrix(y, x.systems, x.topics)
        groups = shift(x, other, groups=labels, level=0.95, resamples=0, rng=i).groups
        found += any(known(g.pvalue) <= 0.05 for g in groups)
        by_topics += any(known(g.topic_pvalue) <= 0.05 for g in groups)
    assert found <= 6
    assert by_topics >= 20


def test_judges_are_ranked_and_tested_against_each_other(track):
    runs, truth = track
    judges = {"good": flipped(truth, 0.05), "bad": flipped(truth, 0.8)}
    report = judge(runs, truth, judges, "nDCG@10", **QUICK)
    assert [p.judge for p in report.places] == ["good", "bad"]
    assert report.places[0].beats == ("bad",)
    assert report.places[1].beaten_by == ("good",)


def test_the_answer_does_not_depend_on_jobs(track):
    runs, truth = track
    one, two = (judge(runs, truth, {"x": flipped(truth, 0.2)}, "AP", jobs=jobs, **QUICK).to_json() for jobs in (1, 2))
    assert one == two


def test_json_is_whole_and_plain(track):
    runs, truth = track
    report = judge(runs, truth, {"x": flipped(truth, 0.2)}, "AP", **QUICK)
    read = json.loads(report.to_json())
    assert read["answers"][0]["verdict"]["level"] in LEVELS
    assert read["answers"][0]["verdict"]["worth"]["interval"]["low"] > 0
    assert read["answers"][0]["agreement"]["coefficients"][0]["interval"]["method"]
    assert read["labels"]["x"]["confusion"]
    assert len(report.table().rows) == 1


def test_a_measure_computed_elsewhere_has_no_floor(track):
    runs, truth = track
    report = judge(runs, truth, {"x": truth}, "Accuracy", **QUICK)
    assert report.answers[0].chance is None
    assert report.answers[0].verdict.own_worth is None
    assert any("without a chance level" in str(remark) for remark in report.remarks)


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
    assert "human scores all systems alike" in str(report.answers[0].verdict)


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


def test_a_binary_judge_under_a_higher_level_is_skipped_with_the_way_out(track):
    runs, truth = track
    binary = truth.binary(rel=2)
    with pytest.raises(rs.BadParameter, match=r"its highest is 1, and 2 is the lowest .* --judge yesno=FILE:rel=1"):
        judge(runs, truth, {"yesno": binary}, "AP(rel=2)", **QUICK)
    report = judge(runs, truth, {"yesno": binary}, ["nDCG@10", "AP(rel=2)"], **QUICK)
    assert [(s.judge, s.measure, s.why, s.highest, s.least) for s in report.skipped] == [
        ("yesno", "AP(rel=2)", "no relevant grade", 1.0, 2.0)
    ]
    assert [a.measure for a in report.answers] == ["nDCG@10"]
    assert report.levels[0].skipped == ("AP(rel=2)",)
    assert "Skipped: yesno under AP(rel=2)" in plain_text(report)
    assert json.loads(report.to_json())["skipped"][0]["why"] == "no relevant grade"
    with pytest.raises(rs.BadParameter, match="no grade that counts"):
        report.answer("yesno", "AP(rel=2)")


@pytest.mark.parametrize("scale", [{"rel": 1}, {"map": {1: 2}}])
def test_a_judge_has_its_own_scale(track, scale):
    """The truth's own labels from 2 on as 1: with its level or grades stated, the judge ranks as the truth does."""
    runs, truth = track
    labels = rs.JudgeLabels(truth.binary(rel=2), **scale)
    report = judge(runs, truth, {"yesno": labels}, ["AP(rel=2)", "P(rel=2)@5"], **QUICK)
    assert report.skipped == ()
    for answer in report.answers:
        assert answer.agreement.value("tau_b") == 1.0
        assert answer.verdict.level == "interchangeable"
        assert known(answer.chance).pvalue == 1 / 100
    assert list(report.settings["scales"]) == ["yesno"]
    kind = "own level of relevance" if "rel" in scale else "mapped grades"
    assert [remark.kind for remark in report.remarks] == [kind]
    assert str(report.remarks[0]) in plain_text(report)


def test_a_map_that_changes_nothing_is_an_error(track):
    runs, truth = track
    with pytest.raises(rs.BadParameter, match="no label has this grade"):
        judge(runs, truth, rs.JudgeLabels(truth, map={7: 1}), "AP")
    with pytest.raises(rs.BadParameter, match="finite"):
        rs.JudgeLabels(truth, rel=math.nan)


def test_a_judge_that_ranks_nothing_never_looks_perfect(track):
    """Labels of documents that nobody retrieves: every system scores 0."""
    runs, truth = track
    unseen = {t: {**dict.fromkeys(runs.retrieved("s00", t), 0), "unseen": 1} for t in truth.topics}
    with pytest.raises(rs.BadParameter, match="all systems the same score"):
        judge(runs, truth, {"x": unseen}, "AP", **QUICK)
    nothing = truth.with_grades(np.zeros(len(truth)))
    table = judge(runs, nothing, {"x": truth}, "AP", **QUICK).table()
    row = dict(zip(table.columns, table.rows[0], strict=True))
    assert (row["same_winner"], row["rank_distance"], row["rank_distance_pvalue"]) == (None, None, None)


def test_real_grades_skip_the_measures_that_need_a_level_only(track):
    runs, truth = track
    real = truth.with_grades(truth.grades * 0.9)
    report = judge(runs, truth, {"real": real, "same": truth}, ["nDCG@10", "AP"], **QUICK)
    assert [(s.judge, s.measure, s.why) for s in report.skipped] == [("real", "AP", "real grades")]
    assert [(a.judge, a.measure) for a in report.answers] == [("real", "nDCG@10"), ("same", "nDCG@10"), ("same", "AP")]
    given = judge(runs, truth, {"real": rs.JudgeLabels(real, rel=0.9)}, ["AP"], **QUICK)
    assert given.answers[0].agreement.value("tau_b") == 1.0
    with pytest.raises(rs.BadParameter, match="rel=1"):
        judge(runs, truth, {"real": real}, "AP", **QUICK)


def test_labels_of_other_documents_are_an_error_with_examples(track):
    runs, truth = track
    other = Judgments.of({t: {f"x{i}y": i % 3 for i in range(5)} for t in truth.topics})
    with pytest.raises(rs.MismatchedNames, match=r"topic 't0': x and human have no document in common"):
        judge(runs, truth, {"x": other}, "AP", **QUICK)


def test_labels_below_zero_are_counted_and_can_be_mapped(track):
    runs, truth = track
    grades = truth.grades.copy()
    grades[:25] = -1
    failed = truth.with_grades(grades)
    report = judge(runs, truth, {"x": failed}, "nDCG@10", **QUICK)
    (remark,) = report.remarks
    assert (remark.kind, remark.about, remark.count, remark.names) == ("grades below zero", "x", 25, ("-1",))
    assert "25 of" in plain_text(report)
    mapped = judge(runs, truth, {"x": rs.JudgeLabels(failed, map={-1: 0})}, "nDCG@10", **QUICK)
    assert [remark.kind for remark in mapped.remarks] == ["mapped grades"]


def test_rank_sets_of_both_sides_stand_beside_each_other(track):
    """The sets are those of `rank`, and separations its simultaneous ones over all systems."""
    runs, truth = track
    other = flipped(truth, 0.3)
    report = judge(runs, truth, {"other": other}, "nDCG@10", top=6, **QUICK)
    ranks = known(report.answers[0].ranks)
    for side, judgments in ((ranks.truth, truth), (ranks.judge, other)):
        scores = rs.evaluate(runs, judgments, "nDCG@10").scores["nDCG@10"]
        (board,) = rs.rank(scores, resamples=200).leaderboards
        by_name = {system.system: system for system in board.systems}
        assert [(s.low, s.high) for s in side.sets] == [
            (by_name[name].typical.low, by_name[name].typical.high) for name in ranks.systems
        ]
        assert side.best == min(ranks.systems, key=lambda name: by_name[name].rank)
        together = {frozenset((a, b)) for group in board.groups for a in group for b in group if a != b}
        assert set(side.inseparable) == {n for n in ranks.systems if frozenset((n, side.best)) in together}
        pairs = itertools.combinations(ranks.systems, 2)
        assert side.separated == sum(frozenset(pair) not in together for pair in pairs)
    text = plain_text(report)
    assert f"Of the top 6 by human, other cannot separate {len(ranks.judge.inseparable)} from the one it ranks" in text
    assert "The top 6 by human: typical ranks (95 %) among all systems" in text
    without = judge(runs, truth, {"other": other}, "nDCG@10", **(QUICK | {"resamples": 0}))
    assert without.answers[0].ranks is None


@functools.cache
def failing():
    """A judge that alone will not do, on the same topics as people."""
    runs, truth = made_track()
    return runs, truth, flipped(truth, 0.4)


def literal_halves(x, y, orders, half):
    """Mean τ_b with all human topics over random halves: people alone, predicted."""
    taus = []
    for order in orders:
        a, b = order[:half], order[half:]
        own = (x[a].mean(axis=0), best_linear(x[a], y[a], y[b]).means)
        taus.append([kendalltau(x.mean(axis=0), means).statistic for means in own])
    return np.mean(taus, axis=0)


def test_a_judge_that_will_not_do_is_corrected_by_people_on_half_of_the_topics():
    runs, truth, other = failing()
    report = judge(runs, truth, {"other": other}, "nDCG@10", **QUICK)
    correction = known(report.answers[0].correction)
    halves = known(correction.halves)
    x, y = (rs.evaluate(runs, labels, "nDCG@10").scores["nDCG@10"] for labels in (truth, other))
    random = np.random.default_rng([0, 30])
    orders = [random.permutation(30) for _ in range(halves.draws)]
    expected = literal_halves(x.values, y.values, orders, 15)
    got = (halves.tau_people, halves.tau_predicted)
    assert got == pytest.approx(expected, abs=1e-9)
    assert halves.tau_judge == pytest.approx(report.answers[0].agreement.value("tau_b"), abs=1e-12)
    board = rs.correct(x.select(topics=correction.topics), y, resamples=200).leaderboards[0]
    assert correction.leaderboard.systems == board.systems
    assert correction.leaderboard.covariance == pytest.approx(board.covariance)
    assert (board.human_topics, board.judged_topics) == (15, 30)
    text = plain_text(report)
    assert "What to do next" in text
    assert "rankscope correct RUNS --truth TRUTH --judge JUDGE -m nDCG@10" in text
    given = {"runs": ["a.run", "my runs/b.run"], "truth human": "h.qrels", "judge other": "o.qrels"}
    inputs = [Recorded().fingerprint(role, source) for role, source in given.items()]
    told = plain_text(replace(report, settings={**report.settings, "inputs": inputs}))
    assert "rankscope correct a.run 'my runs/b.run' --truth h.qrels --judge o.qrels -m nDCG@10" in told


def test_a_judge_that_adds_nothing_to_people_is_not_recommended():
    runs, truth = made_track()
    report = judge(runs, truth, {"other": flipped(truth, 0.6)}, "nDCG@10", **QUICK)
    halves = known(known(report.answers[0].correction).halves)
    assert known(halves.tau_predicted) < known(halves.tau_people)
    assert "other adds nothing to the ranking by human on 15 topics: let people label more" in plain_text(report)


def test_further_topics_of_the_judge_are_used_at_once():
    runs, truth, other = failing()
    part = truth.for_topics(truth.topics[:12])
    report = judge(runs, part, {"other": other}, "nDCG@10", **QUICK)
    correction = known(report.answers[0].correction)
    assert correction.halves is None
    x, y = (rs.evaluate(runs, labels, "nDCG@10").scores["nDCG@10"] for labels in (part, other))
    board = rs.correct(x, y, resamples=200).leaderboards[0]
    assert correction.leaderboard.systems == board.systems
    assert correction.leaderboard.covariance == pytest.approx(board.covariance)
    assert (correction.topics, board.judged_topics) == (part.topics, 30)


def test_what_needs_no_people_or_is_random_is_not_corrected(track):
    runs, truth = track
    judges = {"same": truth, "random": shuffled_within_topics(truth)}
    report = judge(runs, truth, judges, "nDCG@10", **QUICK)
    assert [answer.correction for answer in report.answers] == [None, None]
    assert "What to do next" not in plain_text(report)


def test_too_few_topics_for_a_correction_say_nothing():
    runs, truth = made_track(systems=6, topics=4)
    report = judge(runs, truth, {"other": flipped(truth, 0.6)}, "nDCG@10", **QUICK)
    assert report.answers[0].correction is None
