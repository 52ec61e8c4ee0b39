"""`rankscope labels`: sources of every form, what is said, and what is refused."""

import csv
import io
import json

import pytest
from click.testing import CliRunner

from rankscope.cli import main

TRUTH = "".join(f"q{t} 0 d{i} {(i + t) % 3}\n" for t in range(4) for i in range(6))
NEAR = "".join(f"q{t} 0 d{i} {(i + t) % 3 if i else 2}\n" for t in range(4) for i in range(6))
RATED = "item,rater,label\n" + "".join(
    f"i{i},{rater},{(i * k) % 3 + 1}\n" for rater, k in (("ann", 1), ("bob", 2), ("gpt", 1)) for i in range(8)
)


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("truth.qrels", TRUTH), ("near.qrels", NEAR), ("rated.csv", RATED)):
        (tmp_path / name).write_text(text, encoding="utf-8")

    def call(*words: str):
        return CliRunner().invoke(main, ["labels", *words, "--resamples", "50", "-q"])

    return call


def test_a_sentence_for_each_judge_comes_first(run):
    result = run("human=truth.qrels", "near.qrels", "copy=truth.qrels")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "Labels of 2 judges against human: 24 items on 4 topics"
    assert lines[1].startswith("• copy: κ 1.00 (95 % interval 1.00 to 1.00; agrees with human beyond chance).")
    assert lines[2].startswith("• near: κ 0.")


def test_levels_columns_and_maps_are_said_after_the_file(run):
    result = run("truth.qrels:rel=2", "near.qrels:map=1>0,2>1", "--format", "json")
    settings = json.loads(result.stdout)["settings"]
    assert (settings["truth_rel"], settings["judge_rel"]) == (2.0, {"near": 1.0})
    assert [source["role"] for source in settings["inputs"]] == ["truth", "judge"]


def test_raters_of_one_file_are_sides(run):
    words = ("people=rated.csv:rater=ann|bob", "rated.csv:rater=gpt,each=rater", "--on-conflict", "mean")
    table = list(csv.DictReader(io.StringIO(run(*words, "--format", "csv").stdout)))
    assert [(row["judge"], row["items"]) for row in table] == [("gpt", "8")]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("rated.csv", "near.qrels"), "there are several raters, 'ann', 'bob', 'gpt': choose (FILE:rater=ann)"),
        (("rated.csv:each=rater", "near.qrels"), "the truth is one file, without 'each'"),
        (
            ("truth.qrels", "near.qrels", "near.qrels"),
            "two judges are called 'near'; name them: first=FILE second=FILE",
        ),
        (("truth.qrels", "near.qrels:rel=x"), "rel: 'x' is not a grade"),
        (("truth.qrels", "near.qrels:map=1"), "a grade, >, and the grade it becomes, such as map=1>2"),
        (("truth.qrels", "rated.csv:rater=gpt"), "in common"),
    ],
)
def test_mistakes_end_in_one_line(run, words, problem):
    result = run(*words)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert problem in result.stderr


def test_a_chart_is_drawn(run, tmp_path):
    result = run("truth.qrels", "near.qrels", "--chart", "matrix", "-o", "chart.svg")
    assert result.exit_code == 0, result.output
    assert (tmp_path / "chart.svg").read_text(encoding="utf-8").startswith("<svg")
