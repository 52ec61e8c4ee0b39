"""`rankscope plan`: files to label that `correct` reads back, the library's numbers, and errors with a way out."""

import json
import re

import pytest
from click.testing import CliRunner

import rankscope as rs
from rankscope.cli import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("plan")
    track = rs.simulate_track(8, 12, depth=20, rng=1)
    rs.write_runs(track.runs, place / "runs")
    rs.write_judgments(track.judges["careful"], place / "llm.qrels")
    rs.write_judgments(track.truth, place / "everything.qrels")
    rs.write_scores(rs.evaluate(track.runs, track.judges["careful"], "AP").scores["AP"], place / "llm.csv")
    return place


@pytest.fixture
def run(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return lambda *words: CliRunner().invoke(main, words, catch_exceptions=False)


def label(folder, name):
    """Give every document with ? the grade that people gave it, and 0 where they did not look."""
    given = rs.read_judgments(folder / "everything.qrels")
    grades = {
        (given.topics[t], document): grade
        for t, document, grade in zip(given.topic_of, given.ids.names(), given.grades, strict=True)
    }
    lines = []
    for line in (folder / name).read_text().splitlines():
        topic, zero, document, grade, *chance = line.split()
        found = f"{grades.get((topic, document), 0):g}" if grade == "?" else grade
        lines.append(" ".join([topic, zero, document, found, *chance]))
    (folder / name).write_text("\n".join(lines) + "\n")


def test_topics_are_planned_labelled_corrected_and_extended(run, folder):
    done = run("plan", "runs", "--judge", "llm.qrels", "--budget", "4", "-m", "AP", "-o", "labels.qrels")
    assert done.exit_code == 0
    command = "rankscope correct runs --truth labels.qrels --judge llm.qrels -m AP"
    assert command in done.stderr
    assert run(*command.split()[1:]).exit_code == 2  # people have yet to label
    label(folder, "labels.qrels")
    assert "4 topics labelled by both and 8 by llm alone" in run(*command.split()[1:]).stdout
    words = ("plan", "runs", "--judge", "llm.qrels", "--truth", "labels.qrels", "-m", "AP")
    text = run(*words, "--budget", "50%").stdout
    assert re.search(r"Label 2 more topics \(6 in all, with the 4 labelled by labels\): \S+, \S+\.", text)
    run(*words, "--budget", "6", "-o", "more.qrels")
    before, after = ((folder / name).read_text().splitlines() for name in ("labels.qrels", "more.qrels"))
    assert set(before) < set(after)
    assert {line.split()[3] for line in set(after) - set(before)} == {"?"}


def test_the_command_gives_what_the_library_gives(run):
    done = run("plan", "runs", "--judge", "careful=llm.qrels", "--budget", "5", "--format", "json")
    expected = rs.plan("runs", "llm.qrels", budget=5).to_dict()
    given = json.loads(done.stdout)
    assert given["judge"] == "careful"
    for key in ("topics", "documents", "expected", "budget"):
        assert given[key] == json.loads(json.dumps(expected[key]))


def test_scores_give_topics(run):
    done = run("plan", "llm.csv", "--budget", "5", "--format", "csv")
    assert len(done.stdout.splitlines()) == 6
    assert run("plan", "llm.csv", "--truth", "llm.csv", "--budget", "12").exit_code == 0


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("runs", "--judge", "llm.qrels"), "give either a budget"),
        (("runs", "--budget", "5"), "runs"),
        (("llm.csv", "llm.csv", "--budget", "5"), "give one table"),
        (("llm.csv", "--budget", "5", "--ties", "rank"), "does not take --ties"),
        (("runs", "--judge", "llm.qrels", "--budget", "5", "--aggregate", "median"), "does not take --aggregate"),
        (("runs", "--judge", "llm.qrels", "--budget", "5", "-o", "x.xyz"), "names no format; use one of .qrels"),
        (("runs", "--judge", "llm.qrels", "--budget", "5", "-o", "-"), "goes to standard output without -o"),
        (("llm.csv", "--budget", "5", "-o", "x.qrels"), "no file to label"),
    ],
)
def test_errors_say_the_way_out(run, words, problem):
    done = run("plan", *words)
    assert done.exit_code == 2
    assert problem in done.stderr


def test_a_plan_does_not_replace_a_file_with_labels_that_it_lacks(run, folder):
    words = ("plan", "runs", "--judge", "llm.qrels", "--budget", "3", "-o", "precious.qrels")
    assert run(*words).exit_code == run(*words).exit_code == 0  # nothing is lost yet
    label(folder, "precious.qrels")
    before = (folder / "precious.qrels").read_bytes()
    refused = run(*words)
    assert refused.exit_code == 2
    assert "labels that the plan has not, and would lose them; give it as the human labels so far" in refused.stderr
    assert (folder / "precious.qrels").read_bytes() == before
    extended = run(*words[:4], "--budget", "5", "--truth", "precious.qrels", "-o", "extended.qrels")
    assert extended.exit_code == 0


def test_documents_are_planned_labelled_and_extended(run, folder):
    words = ("plan", "runs", "--judge", "llm.qrels", "--by", "document")
    assert run(*words, "--budget", "60", "-o", "sample.qrels").exit_code == 0
    label(folder, "sample.qrels")
    done = run(*words, "--truth", "people=sample.qrels", "--budget", "150", "-o", "larger.qrels")
    assert done.exit_code == 0
    small, large = (rs.read_sample(folder / name) for name in ("sample.qrels", "larger.qrels"))
    assert large.labelled.sum() == len(small)
    assert set(small.judgments.ids.names()) < set(large.judgments.ids.names())
    text = run(*words, "--truth", "people=sample.qrels", "--budget", "150").stdout
    assert f"with the {len(small)} labelled by people" in text
    assert f"Label {len(large) - len(small)} documents of 12 topics" in text
    assert "plan by topic, or give runs" in run("plan", "llm.csv", "--by", "document", "--budget", "5").stderr
    assert "plan by document" in run(*words[:-2], "--truth", "sample.qrels", "--budget", "5").stderr
