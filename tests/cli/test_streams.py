"""Standard output in other encodings, or closed.

click's runner gives a command streams of an encoding as Python does; real processes show that it is the same.
"""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

import rankscope as rs
from rankscope.cli import main
from rankscope.report.text_tables import width

# Python settles the encoding of its streams from these, before rankscope is there.
ENCODINGS = {
    "latin-1": {"PYTHONIOENCODING": "latin-1"},
    "cp1252": {"PYTHONIOENCODING": "cp1252"},
    "ascii": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "utf-8": {"PYTHONUTF8": "1"},
}
SYSTEMS = ("bm25", "dense", "système", "系统")
COMMANDS = {
    "compare": ("compare", "a.csv", "b.csv", "--resamples", "20"),
    "reliability": ("reliability", "a.csv", "--resamples", "20"),
    "study weights": ("study", "weights", "a.csv"),
    "study estimators": ("study", "estimators", "a.csv", "--sizes", "10", "--collections", "4", "--drop", "0"),
    "evaluate": ("evaluate", "runs", "--qrels", "truth.txt"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("encodings")
    rows = [[0.1, 0.5, 0.25, 0.3], [0.2, 0.25, 0.5, 0.1], [0.5, 0.125, 0.3, 0.2], [0.4, 0.2, 0.1, 0.6]]
    topics = ["1", "2", "3", "vier ④"]
    rs.write_scores(rs.ScoreMatrix(rows, SYSTEMS, topics), folder / "a.csv")
    rs.write_scores(rs.ScoreMatrix([row[::-1] for row in rows], SYSTEMS, topics), folder / "b.csv")
    runs = {
        name: {str(t): [f"d{(7 * s + 3 * t + i) % 9}" for i in range(8)] for t in range(4)}
        for s, name in enumerate(SYSTEMS)
    }
    rs.write_runs(rs.RunSet.of(runs), folder / "runs")
    rs.write_judgments(rs.Judgments.of({str(t): {"d1": 1, "d5": 2, "d7": 0} for t in range(4)}), folder / "truth.txt")
    return folder


def call(folder, words, settings, **streams):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "LANG", "PYTHON"))}
    environment |= {"PYTHONPATH": os.pathsep.join(sys.path), **settings}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    return subprocess.run(
        [sys.executable, "-m", "rankscope", *words], cwd=folder, env=environment, check=False, **streams
    )


def written(words, encoding):
    """The bytes that a command writes to a standard output of this encoding; it succeeds without a remark."""
    done = CliRunner(charset=encoding).invoke(main, words)
    assert (done.exit_code, done.stderr_bytes) == (0, b"")
    return done.stdout_bytes


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_process_writes_the_same(folder, encoding, monkeypatch):
    monkeypatch.chdir(folder)
    for words in (COMMANDS["compare"], (*COMMANDS["evaluate"], "--format", "csv")):
        done = call(folder, words, ENCODINGS[encoding])
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout == written(words, encoding)


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_table_in_any_encoding(folder, command, encoding, monkeypatch):
    monkeypatch.chdir(folder)
    text = written(COMMANDS[command], encoding).decode(encoding)
    assert text.endswith("\n")
    assert ("\\" in text) == (encoding != "utf-8" and command in ("compare", "evaluate", "study weights"))
    assert ("τ" in text) == (encoding == "utf-8" and command not in ("evaluate", "study weights"))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_columns_stay_aligned(folder, encoding, monkeypatch):
    monkeypatch.chdir(folder)
    text = written(COMMANDS["evaluate"], encoding).decode(encoding)
    _, _, header, rule, *rows = text.strip("\n").splitlines()
    assert set(rule) == ({"─"} if encoding == "utf-8" else {"-"})
    assert {width(row.partition(" 0.")[0]) for row in rows} == {header.index("nDCG@10")}


def test_signs_that_stand_for_others(folder, monkeypatch):
    monkeypatch.chdir(folder)
    text = written(COMMANDS["compare"], "ascii").decode("ascii")
    assert "tau_b" in text
    assert "systeme" in text
    assert r"\u7cfb\u7edf" in text
    assert "système" in written(COMMANDS["compare"], "latin-1").decode("latin-1")


def _json_systems(text):
    """The systems in the JSON of an evaluation."""
    return {system for table in json.loads(text)["scores"].values() for system in table["systems"]}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("style", ["json", "csv", "latex", "trec_eval"])
def test_data_are_utf8_in_any_encoding(folder, style, encoding, monkeypatch):
    monkeypatch.chdir(folder)
    text = written((*COMMANDS["evaluate"], "--format", style), encoding).decode("utf-8")
    assert "系统" in text
    if style == "json":
        assert _json_systems(text) == set(SYSTEMS)
    if style == "csv":
        assert {row[0] for row in csv.reader(io.StringIO(text))} == {"system", *SYSTEMS}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_help_and_errors_in_any_encoding(folder, encoding):
    for words, code in (
        (["--help"], 0),
        (["reliability", "--help"], 0),
        (["compare", "a.csv", "τ.csv"], 2),
        (["compare", "a.csv", "b.csv", "--level", "τ"], 2),
    ):
        done = call(folder, words, ENCODINGS[encoding])
        assert done.returncode == code
        assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a shell closes a stream on POSIX")
@pytest.mark.parametrize("style", [(), ("--format", "json")])
def test_a_closed_standard_output(folder, style):
    closed = {"preexec_fn": lambda: os.close(1), "stdout": None}
    done = call(folder, (*COMMANDS["evaluate"], *style), {}, **closed)
    wanted = b"rankscope: standard output: it is closed; name a file for the output with -o\n"
    assert (done.returncode, done.stderr) == (2, wanted)
    done = call(folder, (*COMMANDS["evaluate"], *style, "-o", "scores.csv"), {}, **closed)
    assert (done.returncode, done.stderr) == (0, b"")
    assert call(folder, ["--help"], {}, **closed).returncode == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a shell closes a stream on POSIX")
def test_a_closed_standard_error(folder):
    done = call(folder, COMMANDS["compare"], {}, preexec_fn=lambda: os.close(2), stderr=None)
    assert done.returncode == 0
    assert done.stdout == call(folder, COMMANDS["compare"], {}).stdout
    assert (
        call(folder, ["compare", "a.csv", "none.csv"], {}, preexec_fn=lambda: os.close(2), stderr=None).returncode == 2
    )


def test_a_name_whose_bytes_are_no_characters(folder, tmp_path, monkeypatch):
    name = os.fsdecode(b"caf\xe9")
    for source in (folder / "runs").iterdir():
        (tmp_path / source.name).write_bytes(source.read_bytes())
    try:
        (tmp_path / f"{name}.run").write_bytes((folder / "runs" / "bm25.run").read_bytes())
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    monkeypatch.chdir(folder)
    words = ("evaluate", str(tmp_path), "--qrels", "truth.txt")
    for style in ("table", "json", "csv", "latex", "trec_eval"):
        text = written((*words, "--format", style), "utf-8")
        assert CliRunner().invoke(main, [*words, "--format", style, "-o", "out.txt"]).exit_code == 0, style
        if style == "json":
            assert name in _json_systems(text)
            assert call(folder, (*words, "--format", style), {}).stdout == text


HOSTILE = "\x1b[31mred\x1b]0;title\x07"


def _shown(text):
    return all(c.isprintable() or c == "\n" for c in text)


def test_the_name_of_a_file_does_not_drive_the_terminal(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    track = rs.simulate_track(systems=6, topics=8, rng=1)
    rs.write_runs(track.runs, "runs")
    rs.write_judgments(track.truth, "truth.txt")
    rs.write_judgments(next(iter(track.judges.values())), f"{HOSTILE}.txt")
    words = ["judge", "runs", "--truth", "truth.txt", "--judge", f"{HOSTILE}.txt", "-m", "AP", "--resamples", "20"]
    words += ["--random-draws", "0", "--pseudo-draws", "0"]
    for more in ((), ("-o", "report.json")):
        done = CliRunner().invoke(main, [*words, *more], color=True, catch_exceptions=False)
        assert done.exit_code == 0
        assert _shown(done.output), done.output
    rs.write_scores(rs.evaluate(track.runs, track.truth, "AP").scores["AP"], f"{HOSTILE}.csv")
    words = ["study", "estimators", f"{HOSTILE}.csv", "--sizes", "10", "--collections", "4", "--drop", "0"]
    done = CliRunner().invoke(main, [*words, "--estimator", "ml"], color=True, catch_exceptions=False)
    assert done.exit_code == 0
    assert "red" in done.output
    assert _shown(done.output), done.output
