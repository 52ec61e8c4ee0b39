"""Runs and judgments that share no topic: an error that names the likely cause, by every command that joins them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import rankscope as rs
from rankscope.cli import main
from writing_commands import make_input

QUICK = ("-m", "AP", "--resamples", "0")
COMMANDS = {
    "evaluate": ("evaluate", "runs", "--qrels", "other.txt"),
    "evaluate: shared": ("evaluate", "runs", "--qrels", "other.txt", "--topics", "shared"),
    "judge: truth": ("judge", "runs", "--truth", "other.txt", "--judge", "other.txt", *QUICK),
    "judge: judge": ("judge", "runs", "--truth", "truth.txt", "--judge", "other.txt", *QUICK),
    "pool-depth": ("study", "pool-depth", "runs", "--qrels", "other.txt", *QUICK),
    "holes": ("study", "holes", "runs", "--qrels", "other.txt", *QUICK),
    "pseudo": ("study", "pseudo", "runs", "--qrels", "other.txt", *QUICK),
    "uniques": ("study", "uniques", "runs", "--qrels", "other.txt", *QUICK, "--quiet"),
    "topics": ("study", "topics", "runs", "--qrels", "other.txt", *QUICK),
    "depth-cost": ("study", "depth-cost", "runs", "--qrels", "other.txt", "-m", "AP"),
    "depth-cost: judge": ("study", "depth-cost", "runs", "--qrels", "truth.txt", "--judge", "other.txt", "-m", "AP"),
    "metrics": ("metrics", "correlate", "--runs", "runs", "other.txt", "--resamples", "0"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    make_input(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _rename(topic_of):
    lines = [line.split() for line in Path("truth.txt").read_text().splitlines()]
    Path("other.txt").write_text("".join(f"{topic_of(t)} {q} {d} {g}\n" for t, q, d, g in lines))


@pytest.mark.parametrize("command", COMMANDS)
def test_no_common_topic_is_an_error_with_its_likely_cause(folder, command):
    first = Path("truth.txt").read_text().split()[0]
    _rename(lambda topic: f"0{topic}")
    done = CliRunner().invoke(main, COMMANDS[command], catch_exceptions=False)
    assert done.exit_code == 2, done.output
    assert len(done.stderr.splitlines()) == 1
    assert "have no topic in common: " in done.stderr
    assert f"'{first}'" in done.stderr
    assert f"'0{first}'" in done.stderr
    assert "are probably the same (leading zeros); rename the topics of one side" in done.stderr


@pytest.mark.parametrize(
    ("topic_of", "cause"),
    [
        (lambda t: f"q{t}", "are probably the same (letters around the number)"),
        (lambda t: f"{10_000 + int(t)}", "check that both are about the same topics"),
    ],
)
def test_other_causes(folder, topic_of, cause):
    _rename(topic_of)
    done = CliRunner().invoke(main, COMMANDS["evaluate"], catch_exceptions=False)
    assert done.exit_code == 2
    assert cause in done.stderr


def test_one_common_topic_is_enough(folder):
    first = Path("truth.txt").read_text().split()[0]
    _rename(lambda topic: topic if topic == first else f"0{topic}")
    done = CliRunner().invoke(main, COMMANDS["evaluate"], catch_exceptions=False)
    assert done.exit_code == 0
    assert "no run has 7 judged topics" in done.stderr


def test_case_and_tables():
    truth, estimate = ({name: {"a": 0.1, "b": 0.2} for name in names} for names in (("Q1", "Q2"), ("q1", "q2")))
    with pytest.raises(rs.MismatchedNames, match="'Q1' and 'q1' are probably the same \\(upper and lower case\\)"):
        rs.compare(truth, estimate, resamples=0)
