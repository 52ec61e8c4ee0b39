"""A judge that was asked several times, in `judge`: the mean of its repeats, their part in the error, odd input."""

import functools
import json
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import rankscope as rs
from narrowing import known
from rankscope.cli import main

QUICK: dict[str, Any] = {"resamples": 50, "random_draws": 30, "pseudo_draws": 0}


@functools.cache
def track():
    return rs.simulate_track(12, 14, depth=15, rng=3)


@functools.cache
def repeats(number=3, share=0.3):
    rng = np.random.default_rng(7)
    grades = track().truth.grades
    drawn = [np.where(rng.random(len(grades)) < share, rng.integers(0, 4, len(grades)), grades) for _ in range(number)]
    return [track().truth.with_grades(own, name=f"run{i}") for i, own in enumerate(drawn, 1)]


def judged(labels, measures="nDCG@10", **options):
    return rs.judge(track().runs, track().truth, {"llm": labels}, measures, **{**QUICK, **options})


def test_scores_are_the_mean_of_repeats_and_the_answer_says_how_much_they_vary():
    report = judged(repeats(), ["nDCG@10", "AP"])
    answer = report.answer("llm", "AP")
    truth = rs.evaluate(track().runs, track().truth, "AP").scores["AP"]
    tables = [rs.evaluate(track().runs, own, "AP").scores["AP"] for own in repeats()]
    mean = rs.ScoreMatrix(np.mean([own.values for own in tables], axis=0), truth.systems, truth.topics)
    once = rs.worth(truth, mean)
    worth = known(answer.verdict.worth)
    assert worth.worth == pytest.approx(once.worth)
    assert worth.repeats == 3
    assert worth.interval.low <= once.interval.low
    assert worth.interval.high >= once.interval.high
    study = rs.study_repeats({"llm": repeats()}, track().truth, runs=track().runs, measures=["nDCG@10", "AP"])
    found = known(answer.repeats)
    assert found.counts == study.judged[1].counts
    assert (found.share, found.pvalue, found.pairs) == tuple(
        getattr(study.judged[1], name) for name in ("share", "pvalue", "pairs")
    )
    assert found.counts[2].worth == pytest.approx(worth.worth)
    text = str(report)
    assert "llm was asked 3 times: its scores are the mean of its repeats" in text
    assert "of the error variance of llm asked once" in text
    assert report.tables()["repeats"].rows[1][:2] == ("llm", "AP")
    assert [row[2] for row in report.tables()["repeat_counts"].rows[:5]] == [1, 2, 3, 6, 30]
    assert report.settings["repeats"] == {"llm": 3}


def test_equal_repeats_are_one_judge_to_the_last_number():
    """Labels are dealt together: random labels are those of the judge asked once, and so is all that follows."""
    one, same = (judged(labels).answers[0] for labels in (repeats()[0], [repeats()[0]] * 2))
    for own in ("worth", "own_worth"):
        a, b = known(getattr(one.verdict, own)), known(getattr(same.verdict, own))
        assert b.worth == pytest.approx(a.worth)
        assert (b.interval.low, b.interval.high) == pytest.approx((a.interval.low, a.interval.high))
    assert known(same.chance).pvalue == known(one.chance).pvalue
    assert known(same.chance)["tau_b"].mean == pytest.approx(known(one.chance)["tau_b"].mean)
    assert known(same.repeats).share == 0.0
    assert same.agreement.value("tau_b") == one.agreement.value("tau_b")


def test_agreement_of_labels_is_over_the_labels_of_all_repeats():
    own = judged(repeats()).labels["llm"]
    alone = [rs.label_agreement(track().truth, labels, resamples=0) for labels in repeats()]
    assert own.coverage.pairs == sum(one.coverage.pairs for one in alone)
    assert np.array_equal(known(own.confusion), np.sum([known(one.confusion) for one in alone], axis=0))
    assert own.value("equal") == pytest.approx(np.mean([one.value("equal") for one in alone]))
    tuned = judged([rs.JudgeLabels(labels, map="cv") for labels in repeats()], "AP")
    assert known(tuned.labels["llm"].binary).both > 0


def test_repeats_that_lack_documents_or_topics_are_compared_on_what_all_have():
    first, second, third = repeats()
    fewer = second.for_topics(second.topics[2:])
    holes = third.keep(np.random.default_rng(1).random(len(third)) < 0.9)
    report = judged([first, fewer, holes])
    assert report.answers[0].topics == 12
    assert known(report.answers[0].repeats).topics == 12
    assert 0.0 < known(report.answers[0].chance).pvalue <= 1.0
    assert next((r.kind, r.count) for r in report.remarks) == ("topics that a judge lacks", 2)
    assert judged([first, fewer, holes], jobs=1).to_json() == report.to_json()
    with pytest.raises(rs.MismatchedNames, match="topic"):
        judged([first.for_topics(first.topics[:3]), second.for_topics(second.topics[3:])])


def test_repeats_beside_other_judges_and_in_a_panel():
    judges = {"llm": repeats(), "other": repeats()[0], "one": [repeats()[1]]}
    report = rs.judge(track().runs, track().truth, judges, "AP", panels=["mean"], **QUICK)
    assert report.judges == ("llm", "other", "one", "panel-mean")
    assert [answer.repeats is not None for answer in report.answers] == [True, False, False, False]
    assert report.settings["repeats"] == {"llm": 3}
    with pytest.raises(rs.BadParameter, match="no labels"):
        judged([])
    with pytest.raises(rs.RankscopeError):
        rs.study_circularity(track().runs, track().truth, {"llm": repeats()}, "AP")


def test_a_few_topics_have_no_study_of_repeats_and_a_measure_may_be_skipped():
    topics = track().truth.topics[:2]
    few = [own.for_topics(topics) for own in repeats()]
    report = rs.judge(track().runs, track().truth.for_topics(topics), {"llm": few}, "AP", **QUICK)
    assert report.answers[0].repeats is None
    assert report.answers[0].verdict.level == "undecided"
    nothing = track().truth.with_grades(np.zeros(len(track().truth)))
    with pytest.raises(rs.BadParameter, match="llm under AP"):
        judged([repeats()[0], nothing], "AP")


def test_on_the_command_line_and_on_the_page(tmp_path):
    rs.write_runs(track().runs, tmp_path / "runs")
    rs.write_judgments(track().truth, tmp_path / "human.qrels")
    for own in repeats():
        rs.write_judgments(own, tmp_path / f"{own.name}.qrels")
    names = ",".join(str(tmp_path / f"run{i}.qrels") for i in (1, 2, 3))
    few = ["--resamples", "50", "--random-draws", "30", "--pseudo-draws", "0", "-m", "AP"]
    words = ["judge", str(tmp_path / "runs"), "--truth", str(tmp_path / "human.qrels"), *few]

    def call(*more, code=0):
        done = CliRunner().invoke(main, [*words, *more])
        assert done.exit_code == code, (done.output, done.exception)
        return done

    whole = call("--judge", f"llm={names}", "--format", "json").stdout
    assert json.loads(whole)["answers"][0]["verdict"]["worth"]["repeats"] == 3
    matching = call("--judge", f"llm={tmp_path}/run*.qrels", "--format", "json").stdout
    assert json.loads(matching)["answers"] == json.loads(whole)["answers"]
    rows = [f"{t},{d},{g:g},{own.name}" for own in repeats() for t, d, g in own.to_frame().rows()]
    (tmp_path / "labels.csv").write_text("\n".join(["topic,document,grade,seed", *rows]) + "\n")
    column = call("--judge", f"llm={tmp_path}/labels.csv:each=seed", "--format", "json").stdout
    worths = [json.loads(text)["answers"][0]["verdict"]["worth"]["worth"] for text in (whole, column)]
    assert worths[0] == pytest.approx(worths[1])
    table = call("--judge", f"llm={names}", "--format", "csv", "--table", "repeats").stdout
    assert table.splitlines()[1].startswith("llm,AP,12,14,")
    call("--judge", f"llm={names}", "-o", str(tmp_path / "report.html"))
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "How much does the judge vary when it is asked again?" in page
    call("--judge", f"llm={names}", "-o", str(tmp_path / "report.json"))
    loaded = rs.load(tmp_path / "report.json")
    assert "llm was asked 3 times" in str(loaded)
    assert loaded.tables()["repeats"].rows[0][:4] == ("llm", "AP", 12, 14)
    assert "two judges are called" in call("--judge", f"a={names}", "--judge", f"a={names}", code=2).output
    missing = call("--judge", f"llm={names},{tmp_path}/none.qrels", code=2).output
    assert "none.qrels" in missing


def test_odd_files_are_named(tmp_path):
    """What a stranger met: an empty name, labels that all failed, repeats of other documents, scores near zero."""
    rs.write_runs(track().runs, tmp_path / "runs")
    rs.write_judgments(track().truth, tmp_path / "human.qrels")
    rs.write_judgments(track().truth.with_grades(np.full(len(track().truth), -1.0)), tmp_path / "failed.qrels")
    words = ["judge", str(tmp_path / "runs"), "--truth", str(tmp_path / "human.qrels"), "-m", "AP", "--judge"]
    for given, said in ((f"x={tmp_path}/human.qrels,", "after a comma"), (f"x={tmp_path}/failed.qrels", "a failure")):
        done = CliRunner().invoke(main, [*words, given])
        assert done.exit_code == 2
        assert said in done.output
    nothing = rs.Judgments.of({topic: {"nothing": 1} for topic in track().truth.topics})
    with pytest.raises(rs.MismatchedNames, match="llm 1 and llm 2 are not labels of the same documents"):
        rs.study_repeats({"llm": [repeats()[0], nothing]}, runs=track().runs, measures="AP")
    rng = np.random.default_rng(0)
    tiny = rs.ScoreMatrix(rng.normal(size=(12, 6)) * 1e-300)
    for truth in (rs.ScoreMatrix(rng.normal(size=(12, 6))), tiny):
        assert rs.compare(truth, tiny, clusters=True, decisiveness=True, resamples=0).estimates[0].name
    one = {"a": repeats()[0], "b": repeats()[1].for_topics(track().truth.topics[:1])}
    study = rs.study_panel(track().runs, track().truth, one, "AP", panels=["weighted"])
    assert [row.left_out for row in study.left_out] == ["b"]
