"""The command line under full disks, places that cannot be written, wrong kinds of files, and hostile names."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import rankscope as rs
from rankscope.cli import main

# Linux has a device that is always full, and a file system in which nothing can be made.
FULL, NOWHERE = Path("/dev/full"), Path("/proc")
needs_devices = pytest.mark.skipif(not FULL.exists() or not NOWHERE.is_dir(), reason="/dev/full and /proc are Linux's")

_ESTIMATORS = (
    "study",
    "estimators",
    "a.csv",
    "--sizes",
    "10",
    "--collections",
    "4",
    "--estimator",
    "ml",
    "--drop",
    "0",
)
COMMANDS = {
    "evaluate": ("evaluate", "runs", "--qrels", "truth.txt"),
    "compare": ("compare", "a.csv", "a.csv", "--resamples", "0"),
    "rank": ("rank", "a.csv", "--resamples", "50"),
    "reliability": ("reliability", "a.csv", "--resamples", "20"),
    "nulls": ("nulls", "a.csv", "--resamples", "200"),
    "estimators": _ESTIMATORS,
}


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runs = {f"s{s}": {str(t): [f"d{(7 * s + 3 * t + i) % 9}" for i in range(8)] for t in range(4)} for s in range(3)}
    rs.write_runs(rs.RunSet.of(runs), tmp_path / "runs")
    rs.write_judgments(rs.Judgments.of({str(t): {"d1": 1, "d5": 2, "d7": 0} for t in range(4)}), tmp_path / "truth.txt")
    scores = [[0.1, 0.5, 0.25], [0.2, 0.25, 0.5], [0.5, 0.125, 0.3], [0.4, 0.2, 0.1]]
    rs.write_scores(rs.ScoreMatrix(scores, ["a", "b", "c"], ["1", "2", "3", "4"]), tmp_path / "a.csv")

    def invoke(*words):
        found = CliRunner().invoke(main, [str(word) for word in words])
        assert found.exception is None or isinstance(found.exception, SystemExit), found.exception
        return found

    return invoke


@needs_devices
@pytest.mark.parametrize("command", COMMANDS)
def test_a_full_disk_is_told(run, command):
    found = run(*COMMANDS[command], "-o", FULL, "--format", "csv")
    assert found.exit_code == 2
    assert found.stderr == (
        "rankscope: /dev/full: cannot be written (No space left on device); choose another place for the output\n"
    )


@needs_devices
@pytest.mark.parametrize("command", COMMANDS)
def test_a_place_that_cannot_be_written_is_told(run, command):
    found = run(*COMMANDS[command], "-o", NOWHERE / "x.csv")
    assert found.exit_code == 2
    assert found.stderr.startswith("rankscope: /proc/x.csv: cannot be written (")
    found = run(*COMMANDS[command], "-o", "nowhere/x.csv")
    assert found.exit_code == 2
    assert found.stderr == (
        "rankscope: nowhere/x.csv: there is no folder 'nowhere'; make it, or choose another place for the output\n"
    )


@needs_devices
@pytest.mark.parametrize(
    "words",
    [
        ("simulate", "a.csv", "-o", NOWHERE / "x"),
        ("simulate", "a.csv", "-o", NOWHERE / "x.csv"),
        ("nulls", "a.csv", "--resamples", "200", "--folder", NOWHERE / "x"),
        ("demo", "--folder", NOWHERE / "x"),
        (*_ESTIMATORS, "--checkpoint", NOWHERE / "x"),
        (*_ESTIMATORS, "--each", NOWHERE / "x"),
    ],
)
def test_other_outputs_that_cannot_be_written(run, words):
    found = run(*words)
    assert found.exit_code == 2
    assert found.stderr.startswith("rankscope: /proc/x")
    assert "choose another" in found.stderr


@needs_devices
def test_a_cache_that_cannot_be_written_is_a_remark(run):
    wanted = run("evaluate", "runs", "--qrels", "truth.txt").stdout
    found = run("evaluate", "runs", "--qrels", "truth.txt", "--cache", NOWHERE / "x")
    assert (found.exit_code, found.stdout) == (0, wanted)
    assert found.stderr.startswith("rankscope: /proc/x: the cache cannot be written (")


@needs_devices
@pytest.mark.parametrize("style", ["table", "json"])
def test_standard_output_on_a_full_disk(run, style):
    words = [sys.executable, "-m", "rankscope", "evaluate", "runs", "--qrels", "truth.txt", "--format", style]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with FULL.open("wb") as full:
        done = subprocess.run(words, check=False, stdout=full, stderr=subprocess.PIPE, text=True, env=environment)
    wanted = "rankscope: the output cannot be written (No space left on device); choose another place\n"
    assert (done.returncode, done.stderr) == (2, wanted)


def test_a_folder_as_judgments(run):
    found = run("evaluate", "runs", "--qrels", "runs")
    assert (found.exit_code, found.stderr) == (2, "rankscope: runs: this is a folder; give the name of a file in it\n")


@pytest.mark.parametrize(
    ("content", "problem"), [("", "the file is empty"), ("x", "one: a header and no rows below it")]
)
def test_a_file_with_nothing_to_say(run, content, problem):
    Path("one").write_text(content)
    found = run("evaluate", "runs", "--qrels", "one")
    assert found.exit_code == 2
    assert problem in found.stderr


def test_subfolders_and_hidden_files_are_left_alone(run):
    wanted = run("evaluate", "runs", "--qrels", "truth.txt").stdout
    (Path("runs") / "sub").mkdir()
    (Path("runs") / ".hidden").write_text("junk")
    assert run("evaluate", "runs", "--qrels", "truth.txt").stdout == wanted
    Path("tables").mkdir()
    Path("a.csv").rename("tables/a.csv")
    Path("tables/.hidden").write_text("junk")
    assert run("nulls", "tables", "--resamples", "200").exit_code == 0
    Path("none").mkdir()
    assert run("nulls", "none").stderr.startswith("rankscope: none: the folder holds no files")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are POSIX's")
def test_runs_through_a_pipe_are_read_once(run):
    code = "import sys; print(open(sys.argv[1]).read(), end='', file=open(sys.argv[2], 'w'))"
    os.mkfifo("pipe")
    with subprocess.Popen([sys.executable, "-c", code, "runs/s0.run", "pipe"]):
        found = run("evaluate", "pipe", "--qrels", "truth.txt", "--cache", "kept")
    assert found.exit_code == 0, found.stderr
    assert found.stdout.splitlines()[-1].startswith("pipe")


HOSTILE = ("\x1b[31mred", "two\nlines", "\u202ertl", "x" * 10_000, "tab\there", "<b>bold</b>", "nul�")


@pytest.mark.parametrize("command", ["compare", "reliability"])
def test_names_do_not_drive_the_terminal(run, tmp_path, command):
    rows = [[(3 * s + 7 * t + s * t) % 11 / 10 for s in range(len(HOSTILE))] for t in range(5)]
    rs.write_scores(rs.ScoreMatrix(rows, HOSTILE, ["\x1b[2J", "\u202e", "3", "4", "5"]), tmp_path / "h.csv")
    rows = [row[::-1] for row in rows]
    rs.write_scores(rs.ScoreMatrix(rows, HOSTILE, ["\x1b[2J", "\u202e", "3", "4", "5"]), tmp_path / "e.csv")
    words = ("h.csv", "e.csv") if command == "compare" else ("h.csv",)
    found = CliRunner().invoke(main, [command, *words, "--resamples", "20"], color=True)
    assert found.exit_code == 0, found.output
    assert all(c.isprintable() or c == "\n" for c in found.output)
    assert max(map(len, found.output.splitlines())) < 1_000


def test_names_that_a_spreadsheet_would_run(run, tmp_path):
    names = ["=HYPERLINK(0)", "@x", "plain"]
    rs.write_scores(rs.ScoreMatrix([[0.1, 0.2, 0.3], [0.3, 0.2, 0.2]], names, ["1", "2"]), tmp_path / "f.csv")
    words = ("study", "weights", "f.csv", "--format", "csv")
    assert ",=HYPERLINK(0)," in run(*words).stdout
    safe = run(*words, "--csv-safe").stdout
    assert ",'=HYPERLINK(0)," in safe
    assert not any(f",{name}," in safe for name in names[:2])
    assert run("study", "weights", "f.csv", "--csv-safe", "-o", "weights.csv").exit_code == 0
    assert Path("weights.csv").read_text() == safe


def test_errors_do_not_drive_the_terminal(run):
    found = CliRunner().invoke(main, ["evaluate", "\x1b[31mno\nrun", "--qrels", "truth.txt"], color=True)
    assert found.exit_code == 2
    assert found.stderr.startswith(r"rankscope: \x1b[31mno\nrun: ")
    assert found.stderr.count("\n") == 1
