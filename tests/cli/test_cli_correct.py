"""`rankscope correct`: score tables and runs give the library's numbers, and errors say the way out."""

import json
import re
import shlex
from typing import Any

import numpy as np
import pytest
import scipy.stats
from click.testing import CliRunner

import rankscope as rs
from rankscope.cli import main
from rankscope.demo import demo_scores


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tables = demo_scores()
    rs.write_scores(tables["human"].select(topics=tables["human"].topics[:15]), "human.csv")
    for judge in ("careful", "partial"):
        rs.write_scores(tables[judge], f"{judge}.csv")
    return lambda *words: CliRunner().invoke(main, ["correct", *words, "--resamples", "100"], catch_exceptions=False)


def test_tables_give_what_the_library_gives(run):
    done = run("human.csv", "careful.csv", "partial.csv", "--format", "json")
    expected = rs.correct("human.csv", "careful.csv", "partial.csv", resamples=100).to_dict()
    for key in ("human", "measure", "leaderboards"):
        assert json.loads(done.stdout)[key] == json.loads(json.dumps(expected[key]))


def test_the_text_names_both_sides_and_says_what_is_gained(run):
    text = run("human.csv", "careful.csv").stdout
    assert "human.csv and careful.csv together" in text
    assert "15 topics labelled by human.csv and 25 more labelled by careful.csv rank systems as well as about" in text
    assert "unbiased whatever errors careful.csv makes" in text


def test_a_judge_without_knowledge_adds_nothing(run):
    tables = demo_scores()
    noise = rs.ScoreMatrix(
        [[(7 * s * s + 13 * t * (s + 1)) % 101 / 101 for s in range(len(tables["human"].systems))] for t in range(40)],
        tables["human"].systems,
        tables["human"].topics[:40],
    )
    rs.write_scores(noise, "noise.csv")
    assert "noise.csv adds nothing" in run("human.csv", "noise.csv").stdout


def test_runs_are_scored_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    track = rs.simulate_track(systems=6, topics=10, rng=2)
    rs.write_runs(track.runs, "runs")
    rs.write_judgments(next(iter(track.judges.values())), "llm.qrels")
    rs.write_judgments(track.truth.for_topics(track.truth.topics[:4]), "human.qrels")
    words = ["correct", "runs", "--truth", "human.qrels", "--judge", "gpt=llm.qrels", "-m", "AP", "--resamples", "100"]
    done = CliRunner().invoke(main, [*words, "--format", "json"], catch_exceptions=False)
    board = json.loads(done.stdout)["leaderboards"][0]
    assert (board["judge"], board["human_topics"], board["judged_topics"]) == ("gpt", 4, 10)


def test_labels_that_are_words_are_mapped_where_they_are_read(tmp_path, monkeypatch):
    """What an error advises, `FILE:map=yes>1`, works for both sides, in every command."""
    monkeypatch.chdir(tmp_path)
    track = rs.simulate_track(systems=6, topics=10, rng=2)
    rs.write_runs(track.runs, "runs")
    rs.write_judgments(next(iter(track.judges.values())), "llm.qrels")
    rs.write_judgments(track.truth.for_topics(track.truth.topics[:4]), "human.qrels")
    for name in ("llm", "human"):
        text = (tmp_path / f"{name}.qrels").read_text()
        (tmp_path / f"{name}-words.qrels").write_text(text.replace(" 1\n", " yes\n"))
    for command, words in (
        ("correct", ("--truth", "human", "--judge", "llm", "-m", "AP", "--resamples", "100")),
        ("plan", ("--truth", "human", "--judge", "llm", "-m", "AP", "--budget", "6")),
        ("judge", ("--truth", "human", "--judge", "llm", "-m", "AP", "--resamples", "100")),
        ("evaluate", ("--qrels", "human", "-m", "AP")),
        ("rank", ("--qrels", "human", "-m", "AP")),
    ):

        def text(ending, command=command, words=words):
            named = [f"{word}={word}{ending}" if word in ("human", "llm") else word for word in words]
            return CliRunner().invoke(main, [command, "runs", *named], catch_exceptions=False)

        assert "FILE:map=yes>1,no>0" in text("-words.qrels").stderr
        mapped = text("-words.qrels:map=yes>1")
        assert mapped.exit_code == 0
        advised = re.findall(r"rankscope (correct runs .*map=yes>1' -m AP)\.", mapped.stdout)
        assert len(advised) == (command == "judge")
        for line in advised:
            assert CliRunner().invoke(main, shlex.split(line), catch_exceptions=False).exit_code == 0
        said = re.sub(r"'(\w+)-words\.qrels:map=yes>1'", r"\1.qrels", mapped.stdout)
        assert said.replace("-words", "") == text(".qrels").stdout


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("human.csv",), "give two tables at least"),
        (("careful.csv", "human.csv"), "lacks 25 of the 40 human topics"),
        (
            ("human.csv", "human.csv"),
            "a correction needs at least 2 topics that human.csv alone has scores of, and there are 0",
        ),
        (("human.csv", "--truth", "x.qrels"), "name the human judgments (--truth) and a judge's (--judge)"),
        (("human.csv", "careful.csv", "--ties", "rank"), "does not take --ties"),
    ],
)
def test_errors_say_the_way_out(run, words, problem):
    done = run(*words)
    assert done.exit_code == 2
    assert problem in done.stderr


def test_topics_that_the_judge_lacks_can_be_left_out(run):
    tables = demo_scores()
    rs.write_scores(tables["careful"].select(topics=tables["careful"].topics[3:]), "late.csv")
    assert run("human.csv", "late.csv").exit_code == 2
    board = json.loads(run("human.csv", "late.csv", "--on-missing", "intersect", "--format", "json").stdout)
    assert board["leaderboards"][0]["human_topics"] == 12


def test_lower_scores_may_be_better(run):
    """Errors 1 − s are ranked as scores s, and shown as given."""
    tables = demo_scores()
    human = tables["human"].select(topics=tables["human"].topics[:15])
    for scores, path in ((human, "errors.csv"), (tables["careful"], "judged.csv")):
        rs.write_scores(rs.ScoreMatrix(1.0 - scores.values, scores.systems, scores.topics), path)
    plain = json.loads(run("human.csv", "careful.csv", "--format", "json").stdout)["leaderboards"][0]["systems"]
    lower = json.loads(run("errors.csv", "judged.csv", "--lower-is-better", "*", "--format", "json").stdout)
    assert lower["lower_is_better"]
    for one, other in zip(plain, lower["leaderboards"][0]["systems"], strict=True):
        assert (one["system"], one["rank"]) == (other["system"], other["rank"])
        assert other["corrected"] == pytest.approx(1.0 - one["corrected"])
        assert other["interval"]["low"] == pytest.approx(1.0 - one["interval"]["high"])
    assert "(lower is better)" in run("errors.csv", "judged.csv", "--lower-is-better", "*").stdout


def test_systems_and_topics_are_chosen_and_what_is_left_out_is_in_the_result(run):
    systems = demo_scores()["human"].systems
    done = run("human.csv", "careful.csv", "--exclude", systems[0], "--format", "json")
    read = json.loads(done.stdout)
    assert systems[0] not in [entry["system"] for entry in read["leaderboards"][0]["systems"]]
    assert [(remark["kind"], remark["count"]) for remark in read["remarks"]] == [("systems left out", 1)] * 2
    for words, problem in (
        (("--aggregate", "median"), "a correction needs means over the same topics, and these are medians"),
        (("--aggregate", "geometric"), "a correction is of means, and these are geometric means"),
    ):
        refused = run("human.csv", "careful.csv", *words)
        assert refused.exit_code == 2
        assert problem in refused.stderr
        assert "--aggregate mean" in refused.stderr


def test_systems_are_ranked_by_predictions_and_a_judge_of_noise_changes_next_to_nothing():
    tables = demo_scores()
    people = tables["human"].select(topics=tables["human"].topics[:6])
    generator = np.random.default_rng(3)
    noise = rs.ScoreMatrix(
        values=generator.permuted(tables["human"].values, axis=1),
        systems=tables["human"].systems,
        topics=tables["human"].topics,
    )
    result = rs.correct(people, {"careful": tables["careful"]}, {"noise": noise}, resamples=100)
    for board in result.leaderboards:
        ranks = [entry.rank for entry in board.systems]
        assert ranks == sorted(ranks)
        predictions = [entry.predicted for entry in board.systems]
        assert predictions == sorted(predictions, reverse=True)
    agreement = [
        rs.kendall([entry.human for entry in board.systems], [entry.predicted for entry in board.systems])
        for board in result.leaderboards
    ]
    assert agreement[1] > 0.95 > agreement[0]


def test_pairs_are_tested_by_both_means(run):
    """Each pair by t = difference/√(sum of variances − 2 covariances), Benjamini and Hochberg over all pairs."""
    result = rs.correct("human.csv", "careful.csv", resamples=100)
    board = result.leaderboards[0]
    rows = result.tables()["pairs"].rows
    names = [entry.system for entry in board.systems]
    assert len(rows) == len(names) * (len(names) - 1) // 2
    sides = (
        (board.significance(), board.covariance, 14.0, [entry.corrected for entry in board.systems]),
        (
            board.significance("predicted"),
            board.predicted_covariance,
            board.predicted_freedom,
            [entry.predicted for entry in board.systems],
        ),
    )
    for at, (test, covariance, freedom, means) in enumerate(sides):
        for j, k in ((0, 1), (2, len(names) - 1)):
            error = (covariance[j, j] + covariance[k, k] - 2.0 * covariance[j, k]) ** 0.5
            pvalue = 2.0 * scipy.stats.t.sf(abs(means[j] - means[k]) / error, freedom)
            half = scipy.stats.t.ppf(0.975, freedom) * error
            row = next(row for row in rows if row[1:3] == (names[j], names[k]))[3 + 6 * at :]
            gap = means[j] - means[k]
            assert row[:3] == pytest.approx((gap, gap - half, gap + half))
            assert row[3] == pytest.approx(pvalue)
            assert test.pvalues[k, j] == pytest.approx(pvalue)
            assert row[4] == pytest.approx(test.adjusted[j, k])
            assert row[5] == test.significant[j, k] == (test.adjusted[j, k] <= 0.05)
    text = run("human.csv", "careful.csv").stdout
    counts = [round(test.share * test.pairs) for test, *_ in sides]
    assert f"{counts[0]} of {len(rows)} pairs of systems are significantly different by the corrected means" in text
    assert f"{counts[1]} by the predicted means (paired t-test, BH, 5 %)" in text.replace("\n", " ")
    printed = run("human.csv", "careful.csv", "--table", "pairs", "--format", "csv").stdout.splitlines()
    assert len(printed) == len(rows) + 1
    wrong: Any = "human"
    with pytest.raises(rs.BadParameter, match="by="):
        board.significance(wrong)


def test_a_judge_may_have_the_name_of_the_truth(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    track = rs.simulate_track(8, 12, depth=20, rng=1)
    rs.write_runs(track.runs, "runs")
    some = track.truth.for_topics(track.truth.topics[:6])
    for folder, labels in (("people", some), ("llm", track.judges["careful"])):
        (tmp_path / folder).mkdir()
        rs.write_judgments(labels, f"{folder}/qrels.txt")
    words = ("correct", "runs", "-m", "AP", "--format", "json", "--truth", "people/qrels.txt", "--judge")
    same, named = (
        CliRunner().invoke(main, [*words, judge], catch_exceptions=False).stdout
        for judge in ("llm/qrels.txt", "llm=llm/qrels.txt")
    )
    assert json.loads(same)["leaderboards"][0] == json.loads(named)["leaderboards"][0] | {"judge": "qrels"}
