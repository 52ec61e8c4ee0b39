"""What becomes of scores between a file and the ranking: the options that every command of score tables has."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from rankscope.cli import main

TASKS = ("WikiRetrieval", "NewsRetrieval", "LawRetrieval", "PatentRetrieval", "SpamLabels", "ToxicLabels")
LONG = "model,task,metric,score\n" + "".join(
    f"{model},{task},TER,{score}\n"
    for model, scores in {
        "acme/a": (10, 12, 14, 11, 30, 35),
        "acme/b": (20, 22, 21, 25, 10, 12),
        "beta/c": (30, 31, 33, 35, 20, 21),
    }.items()
    for task, score in zip(TASKS, scores, strict=True)
)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(LONG)
    return str(path)


def run(*words):
    return CliRunner().invoke(main, [*words])


def ranked(*words):
    result = run("rank", *words, "--format", "json", "--resamples", "50")
    assert result.exit_code == 0, result.output
    read = json.loads(result.stdout)
    return [entry["system"] for entry in read["leaderboards"][0]["systems"]], read


def test_lower_scores_are_better_and_stay_the_users_numbers(table):
    systems, read = ranked(table, "--lower-is-better", "TER", "--only-topics", "*Retrieval")
    assert systems == ["acme/a", "acme/b", "beta/c"]
    board = read["leaderboards"][0]
    assert (board["lower_is_better"], board["topics"]) == (True, 4)
    assert board["systems"][0]["score"] == pytest.approx(11.75)  # (10 + 12 + 14 + 11) / 4
    assert read["remarks"][0]["kind"] == "topics left out"
    assert "higher scores are better" in run("rank", table, "--lower-is-better", "WER", "--resamples", "50").stderr


@pytest.mark.parametrize("aggregate", ["median", "geometric", "normalised", "borda", "win_rate"])
def test_aggregates(table, aggregate):
    systems, read = ranked(table, "--aggregate", aggregate, "--only-topics", "*Retrieval")
    assert systems == ["beta/c", "acme/b", "acme/a"]
    assert read["leaderboards"][0]["aggregate"] == aggregate


def test_systems_topics_and_names_are_chosen(table, tmp_path):
    names = tmp_path / "names.csv"
    names.write_text("system,name,group\nacme/a,Alpha,Acme\nacme/b,Bravo,Acme\n")
    assert ranked(table, "--systems", "acme/*", "--exclude-topics", "*Labels")[0] == ["acme/b", "acme/a"]
    assert ranked(table, "--exclude", "acme/a")[0] == ["beta/c", "acme/b"]
    assert ranked(f"{table}:topics=*Retrieval", "--names", str(names))[0] == ["beta/c", "Bravo", "Alpha"]
    result = run("rank", table, "--only-topics", "x*")
    assert result.exit_code == 2
    assert "--only-topics x*: no topic has this name" in result.stderr


def test_two_groups_of_topics_are_two_samples(table):
    result = run(
        "compare", f"{table}:topics=*Retrieval", f"{table}:topics=*Labels", "--format", "json", "--resamples", "50"
    )
    assert result.exit_code == 0, result.output
    estimate = json.loads(result.stdout)["estimates"][0]
    assert (estimate["paired"], estimate["truth_topics"], estimate["topics"]) == (False, 4, 2)


def test_one_table_commands_take_policies_for_gaps(tmp_path):
    path = tmp_path / "gaps.csv"
    rows = [f"q{i},{i % 3 / 4},{i % 5 / 6},{'' if i == 3 else i % 7 / 8},{i % 4 / 5}" for i in range(12)]
    path.write_text("topic,a,b,c,d\n" + "\n".join(rows) + "\n")
    result = run("reliability", str(path), "--on-missing", "intersect", "--resamples", "20")
    assert result.exit_code == 0, result.output
    assert "1 of 12 topics left out (some score is missing): 'q3'" in result.stdout
    assert not result.stderr
    for words in (("reliability",), ("nulls", "--resamples", "50"), ("simulate",)):
        done = run(words[0], str(path), *words[1:], "--on-missing", "intersect", "--format", "json")
        assert done.exit_code == 0, done.output
        assert [remark["kind"] for remark in json.loads(done.stdout)["remarks"]] == ["topics left out"]
    result = run("reliability", str(path), "--on-missing", "additive")
    assert result.exit_code == 2
    assert "needs means over the same topics" in result.stderr
    result = run("rank", str(path), "--on-missing", "drop-system=0.5")
    assert result.exit_code == 2
    assert "drop-systems=SHARE" in result.stderr


def test_simulate_chooses_measures_systems_and_topics(table, tmp_path):
    words = ("simulate", table, "-m", "TER", "--bounds", "0", "100", "--only-topics", "*Retrieval")
    done = run(*words, "--format", "json")
    assert done.exit_code == 0, done.output
    read = json.loads(done.stdout)
    assert read["settings"]["topics"] == 4
    assert read["remarks"][0]["count"] == 2
    (tmp_path / "gaps.csv").write_text("topic,a,b\n1,0.1,0.2\n2,0.3,\n3,0.5,0.4\n4,0.2,0.6\n")
    refused = run("simulate", str(tmp_path / "gaps.csv"), "--on-missing", "additive")
    assert refused.exit_code == 2
    assert "on_missing='additive' keeps incomplete topics; leave them out" in refused.stderr
    assert run("simulate", str(tmp_path / "gaps.csv"), "--on-missing", "intersect").exit_code == 0
