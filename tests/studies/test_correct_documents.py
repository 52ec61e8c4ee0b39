"""`correct` by document: a sample of a simulated track, every output, and what is refused."""

import json
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import rankscope as rs
from rankscope.cli import main
from rankscope.report.terminal import plain_text

QUICK: Any = {"resamples": 100, "jobs": 1}


@cache
def track():
    return rs.simulate_track(systems=8, topics=12, depth=20, pool_depth=10, candidates=60, rng=3)


@cache
def judge():
    return next(iter(track().judges.values()))


@cache
def sample(measure="nDCG@10", share=0.4, rng=1):
    chances = rs.inclusion_probabilities(rs.document_influence(track().runs, judge(), measure), share * len(judge()))
    drawn = rs.draw_sample(judge(), chances, rng=rng)
    truth = {(t, d): g for t, d, g in track().truth.to_frame().rows()}
    grades = [truth[t, d] for t, d, *_ in drawn.to_frame().rows()]
    return rs.JudgmentSample(
        judgments=drawn.judgments.with_grades(grades, name="<people>"), probabilities=drawn.probabilities
    )


@cache
def corrected(measure="nDCG@10"):
    return rs.correct(sample(), judge(), runs=track().runs, measure=measure, **QUICK)


@pytest.mark.parametrize("measure", ["nDCG@10", "AP", "DCG@5", "P@5", "RBP(p=0.8)"])
def test_with_all_labels_every_estimate_is_the_human_score(measure):
    everything = rs.JudgmentSample(judgments=track().truth, probabilities=np.ones(len(track().truth)))
    board = rs.correct(everything, judge(), runs=track().runs, measure=measure, **QUICK).leaderboards[0]
    truth = rs.evaluate(track().runs, track().truth, measure).summaries[measure]
    wanted = dict(zip(truth.systems, truth.values, strict=True))
    alone = rs.evaluate(track().runs, judge(), measure).summaries[measure]
    judged = dict(zip(alone.systems, alone.values, strict=True))
    for entry in board.systems:
        for value in (entry.human, entry.corrected, entry.filled, entry.predicted):
            assert value == pytest.approx(wanted[entry.system])
        assert entry.judge == pytest.approx(judged[entry.system])
        assert entry.same_topics is not None
        assert entry.same_topics.high - entry.same_topics.low == pytest.approx(0.0, abs=1e-9)


def test_an_error_that_few_documents_make_up_is_said():
    given = sample()
    unlikely = given.probabilities.copy()
    unlikely[np.argsort(-unlikely * (given.judgments.grades > 0), kind="stable")[:12]] = 0.001  # those that matter most
    doubtful = rs.correct(
        rs.JudgmentSample(judgments=given.judgments, probabilities=unlikely),
        judge(),
        runs=track().runs,
        measure="DCG@10",
        **QUICK,
    )
    documents = doubtful.leaderboards[0].documents
    assert documents is not None
    assert documents.deciding_documents < 5.0
    assert "The sampling error of a corrected mean rests on about" in str(doubtful)
    assert "rests on about" not in str(corrected())


def test_the_result_says_what_was_labelled_and_mapped():
    board = corrected().leaderboards[0]
    documents = board.documents
    assert (documents.labelled, documents.judged) == (len(sample()), len(judge()))
    assert sum(grade.documents for grade in documents.grades) == len(judge())
    assert sum(grade.labelled for grade in documents.grades) == len(sample())
    assert [entry.rank for entry in board.systems] == sorted(entry.rank for entry in board.systems)
    assert 0.0 <= board.weight <= 1.0
    for entry in board.systems:
        assert entry.interval.low < entry.corrected < entry.interval.high
        assert entry.same_topics.low < entry.corrected < entry.same_topics.high


def test_what_topics_and_ranks_tell_is_not_credited_to_the_judge():
    """Without its grades a judge adds what one does that gives all documents the same, and so do random labels."""
    alike = judge().with_grades(np.ones(len(judge())), name="alike")
    dealt = judge().with_grades(np.random.default_rng(2).permutation(judge().grades), name="dealt")
    result = rs.correct(sample(), judge(), alike, dealt, runs=track().runs, measure="DCG@10", **QUICK)
    table = result.tables()["judges"]
    at = [table.columns.index(name) for name in ("corrected_documents", "ungraded_documents")]
    careful, same, random = ([row[place] for place in at] for row in table.rows)
    assert same[0] == pytest.approx(same[1], rel=1e-6)
    assert careful[1] == pytest.approx(same[0], rel=0.1)
    assert careful[0] > 1.3 * careful[1]
    assert random[0] < 1.05 * random[1]
    text = plain_text(result)
    assert "alike adds nothing to" in text
    assert "dealt adds nothing to" in text
    assert f"in place of {len(sample())}; without the grades by {judge().name}" in text


def test_a_good_judge_is_credited_whatever_the_draw():
    """Also where a few documents with tiny probabilities decide the error."""
    text = str(corrected())
    assert "Before division by ideal scores, corrected means are as precise as if" in text
    for seed in range(8):
        drawn = sample("DCG@10", 0.1, seed)
        documents = rs.correct(drawn, judge(), runs=track().runs, measure="DCG@10", **QUICK).leaderboards[0].documents
        assert documents is not None
        assert documents.corrected_documents > 1.05 * documents.ungraded_documents
        assert len(drawn) < documents.corrected_documents <= documents.judged


def test_where_people_labelled_everything_nothing_is_left_to_add():
    whole = rs.JudgmentSample(judgments=track().truth, probabilities=np.ones(len(track().truth)))
    text = str(rs.correct(whole, judge(), runs=track().runs, measure="nDCG@10", **QUICK))
    assert f"labelled all {len(track().truth)} documents, so that {judge().name} has nothing to add." in text
    assert "The sampling error" not in text


def test_ap_does_not_say_how_many_labels_are_as_precise(tmp_path):
    """Sums of gains do not tell the precision of AP; they do tell of a judge that adds nothing."""
    result = corrected("AP")
    assert f"{len(sample())} labels by <people> correct what {judge().name} says of" in str(result)
    dealt = judge().with_grades(np.random.default_rng(2).permutation(judge().grades), name="dealt")
    assert "dealt adds nothing to" in plain_text(rs.correct(sample(), dealt, runs=track().runs, measure="AP", **QUICK))
    result.save(tmp_path / "ap.json")
    assert str(rs.load(tmp_path / "ap.json")) == str(result)


def test_every_output_works(tmp_path):
    result = corrected()
    text = str(result)
    for words in ("documents labelled by <people>", "Filled in: ", "Corrected: ", "Combined", "combined   corrected"):
        assert words in text
    result.save(tmp_path / "saved.json")
    again = rs.load(tmp_path / "saved.json")
    assert str(again) == text
    assert again.to_json() == result.to_json()
    assert set(result.tables()) == {"systems", "judges", "grades", "pairs"}
    assert {"filled", "same_topics_low"} <= set(result.table().columns)
    for chart in ("scores", "ranks"):
        assert "documents labelled by" in json.dumps(result.chart(chart).to_dict())
    result.save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Filled-in scores" in page
    assert "<people>" not in page


def test_the_command_recognises_a_sample(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rs.write_runs(track().runs, "runs")
    rs.write_judgments(judge(), "llm.qrels")
    rs.write_sample(sample(), "people.qrels")
    words = ["correct", "runs", "--truth", "people.qrels", "--judge", "gpt=llm.qrels", "--resamples", "100"]
    done = CliRunner().invoke(main, [*words, "--format", "json"], catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    read = json.loads(done.stdout)
    wanted = rs.correct("people.qrels", "llm.qrels", runs="runs", **QUICK).to_dict()
    assert read["human"] == "people"
    assert read["leaderboards"][0]["systems"] == json.loads(json.dumps(wanted["leaderboards"][0]["systems"]))
    text = (tmp_path / "people.qrels").read_text(encoding="utf-8").splitlines()
    fields = text[0].split()
    text[0] = " ".join([*fields[:3], "?", fields[4]])
    (tmp_path / "people.qrels").write_text("\n".join(text), encoding="utf-8")
    refused = CliRunner().invoke(main, words)
    assert refused.exit_code == 2
    assert "1 of the" in refused.stderr
    assert "--on-unlabelled random" in refused.stderr
    taken = CliRunner().invoke(main, [*words, "--on-unlabelled", "random"], catch_exceptions=False)
    assert "1 drawn document without a label" in taken.stdout
    wrong = CliRunner().invoke(main, [*words, "--on-missing", "intersect"])
    assert "a correction by document does not take --on-missing" in wrong.stderr


def test_documents_that_the_judge_lacks_count_with_their_probability():
    some = judge().keep(np.arange(len(judge())) % 7 > 0)
    result = rs.correct(sample(), some, runs=track().runs, **QUICK)
    documents = result.leaderboards[0].documents
    assert documents is not None
    assert documents.without_judge > 0
    assert "nothing is filled in for such" in str(result)


@pytest.mark.parametrize("how", ["reversed", "constant", "real"])
def test_any_judge_is_corrected(how):
    grades = {
        "reversed": 3.0 - judge().grades,
        "constant": np.ones(len(judge())),
        "real": judge().grades + np.linspace(0.0, 0.5, len(judge())),
    }[how]
    board = rs.correct(sample(), judge().with_grades(grades), runs=track().runs, **QUICK).leaderboards[0]
    assert all(np.isfinite([entry.corrected, entry.predicted, entry.filled or 0.0]).all() for entry in board.systems)
    if how == "reversed":
        plain = corrected().leaderboards[0]
        assert {e.system: round(e.corrected, 9) for e in plain.systems} == {
            e.system: round(e.corrected, 9) for e in board.systems
        }


def test_the_seed_decides_and_jobs_do_not():
    one = rs.correct(sample(), judge(), runs=track().runs, resamples=100, jobs=1)
    two = rs.correct(sample(), judge(), runs=track().runs, resamples=100, jobs=2)
    assert one.to_json() == two.to_json()


def test_wrong_input_is_refused_with_a_way_out():
    runs = track().runs
    with pytest.raises(rs.BadParameter, match="give runs="):
        rs.correct(sample(), judge())
    with pytest.raises(rs.BadParameter, match="is not a sample"):
        rs.correct(track().truth, judge(), runs=runs)
    with pytest.raises(rs.BadParameter, match="RR is not made of the gains"):
        rs.correct(sample(), judge(), runs=runs, measure="RR")
    with pytest.raises(rs.BadParameter, match="on_unlabelled='x'"):
        rs.correct(sample(), judge(), runs=runs, on_unlabelled="x")  # type: ignore[arg-type]
    few = sample().keep(np.arange(len(sample())) < 9)
    with pytest.raises(
        rs.MissingScores, match="at least 10 documents with a label, and 9 of 9 drawn have one; draw more"
    ):
        rs.correct(few, judge(), runs=runs)
    blank = sample().with_labels(sample().judgments)
    blank = replace(blank, judgments=blank.judgments.with_grades(np.full(len(blank), np.nan)))
    first = blank.judgments.ids[0]
    with pytest.raises(
        rs.MissingScores, match=f"no label yet for {len(blank)} of .* the first of them '{first}' of topic"
    ):
        rs.correct(blank, judge(), runs=runs)
    with pytest.raises(rs.MissingScores, match=f"0 of {len(blank)} drawn have one; label the others"):
        rs.correct(blank, judge(), runs=runs, on_unlabelled="random")
    same = replace(sample(), judgments=sample().judgments.with_grades(np.full(len(sample()), 1.0)))
    with pytest.raises(
        rs.ConstantMeasure, match=f"all {len(same)} labels have the same gain, 1, .* label more documents"
    ):
        rs.correct(same, judge(), runs=runs)
    with pytest.raises(rs.ConstantMeasure, match=r"by AP\(rel=2\), all .* the same gain, 0"):
        rs.correct(same, judge(), runs=runs, measure="AP(rel=2)")
    with pytest.raises(rs.TooFewSystems, match="at least 4 systems, there are 3"):
        rs.correct(sample(), judge(), runs=runs.select(systems=runs.systems[:3]))
    other = rs.Judgments.of({"elsewhere": {"d": 1}}, name="llm")
    with pytest.raises(rs.RankscopeError, match=r"no topic in common|none of the topics"):
        rs.correct(sample(), other, runs=runs)
