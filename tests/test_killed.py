"""SIGKILL in the middle of every command that writes: no half file, and what is left does not stand in the way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import rankscope as rs

PROGRAM = Path(__file__).with_name("killed_commands.py")
_JUDGED = ("judge", "runs", "--truth", "truth.txt", "--judge", "cheap.txt", "--resamples", "20", "-m", "AP")
_NO_FLOOR = ("--floor-draws", "0", "--pseudo-draws", "0")
COMMANDS = {
    "evaluate": ("evaluate", "runs", "--qrels", "truth.txt", "-o", "out/scores.csv", "--cache", "out/cache"),
    "judge": (*_JUDGED, *_NO_FLOOR, "-o", "out/report.html", "--cache", "out/cache"),
    "compare": ("compare", "a.csv", "b.csv", "--resamples", "20", "-o", "out/report.json"),
    "simulate": ("simulate", "a.csv", "--collections", "4", "-o", "out/made"),
    "simulate one": ("simulate", "a.csv", "-o", "out/made.parquet"),
    "nulls": ("nulls", "a.csv", "b.csv", "--resamples", "200", "--folder", "out/nulls", "-o", "out/table.csv"),
    "estimators": (
        "study", "estimators", "a.csv", "--sizes", "10", "--collections", "60", "--estimator", "ml", "--drop", "0",
        "--checkpoint", "out/kept", "--each", "out/each.csv", "-o", "out/study.json",
    ),
    "holes": (
        "study", "holes", "runs", "--qrels", "truth.txt", "-m", "AP", "--repeats", "2", "--checkpoint", "out/kept",
        "-o", "out/holes.csv",
    ),
}  # fmt: skip


@pytest.fixture
def place(tmp_path: Path) -> Path:
    track = rs.simulate_track(systems=6, topics=8, rng=1)
    rs.write_runs(track.runs, tmp_path / "runs")
    rs.write_judgments(track.truth, tmp_path / "truth.txt")
    rs.write_judgments(next(iter(track.judges.values())), tmp_path / "cheap.txt")
    scores = rs.evaluate(track.runs, track.truth, ["AP", "nDCG@10"]).scores
    for name, matrix in zip("ab", scores.values(), strict=True):
        rs.write_scores(matrix, tmp_path / f"{name}.csv")
    (tmp_path / "out").mkdir()
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_a_killed_command_leaves_no_half_file(place, command):
    words = [sys.executable, str(PROGRAM), "out", "3", *COMMANDS[command]]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(words, check=False, cwd=place, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout)
    assert told["steps"] > 0
    assert told["killed"] > 0
