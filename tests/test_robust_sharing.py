"""Several processes at once over one cache or one folder of checkpoints, some of them killed: never a wrong number."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

import rankscope as rs
import writing_commands
from narrowing import known
from rankscope.cli import main
from rankscope.files import run_cache
from rankscope.files.checkpoints import Checkpoint
from rankscope.files.secret import user_secret
from writing_commands import WRITING

ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

# Reads runs over and over through one cache folder, under options that change in turn, so that some entries are the
# same for all processes and others are not; whole entries are deleted now and then, so that they are written again.
READER = """
import pathlib, random, sys
import rankscope as rs
runs, cache, seed, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
draw = random.Random(seed)
wanted = {ties: rs.read_runs(runs, ties=ties) for ties in ("id", "rank")}
print("ready", flush=True)
for _ in range(rounds):
    ties, duplicates = draw.choice(("id", "rank")), draw.choice(("error", "first", "best"))
    read = rs.read_runs(runs, ties=ties, on_duplicate=duplicates, cache=cache)
    for system in read.systems:
        for topic in read.topics:
            assert read.retrieved(system, topic) == wanted[ties].retrieved(system, topic), (system, topic)
    if draw.random() < 0.5:
        for path in pathlib.Path(cache).glob("*.runs"):
            path.unlink(missing_ok=True)
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    writing_commands.make_input(tmp_path)
    return tmp_path


def _reader(seed, rounds):
    words = [sys.executable, "-W", "error", "-c", READER, "runs", "out/cache", str(seed), str(rounds)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT)


def test_processes_that_share_a_cache_while_one_is_killed(place):
    readers = [_reader(seed, 60) for seed in (1, 2)]
    victim = _reader(3, 100_000)
    try:
        assert victim.stdout.readline() == b"ready\n", victim.communicate()[1]
        time.sleep(0.2)  # somewhere among its readings and writings
        victim.send_signal(signal.SIGKILL)
        for reader in readers:
            assert reader.communicate()[1] == b""
            assert reader.returncode == 0
    finally:
        for process in (victim, *readers):
            process.kill()
            process.communicate()
    left = [path.name for path in Path("out/cache").iterdir() if not path.name.endswith(run_cache.ENDING)]
    assert all(name.startswith(".rankscope-") and name.endswith(".partial") for name in left)
    assert len(left) <= 1, "more than the victim's"
    # Every entry that is there is believed, and so is whole.
    for path in Path("out/cache").glob(f"*{run_cache.ENDING}"):
        run_cache._unpacked(path.read_bytes(), known(user_secret()), "runs")


def _study(name, seed, output):
    words = [
        *WRITING[name].words,
        "--seed",
        str(seed),
        "--checkpoint",
        "out/kept",
        "--output",
        f"out/{output}",
        "--quiet",
    ]
    return subprocess.Popen(
        [sys.executable, "-m", "rankscope", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT
    )


def _ended(*processes):
    return [(process.communicate()[1].decode(), process.returncode) for process in processes]


@pytest.mark.parametrize("name", ["study holes", pytest.param("study estimators", marks=pytest.mark.slow)])
def test_two_studies_that_share_their_checkpoints(place, name):
    for seed in (1, 2):
        words = [*WRITING[name].words, "--seed", str(seed), "--output", f"out/wanted-{seed}.csv", "--quiet"]
        assert CliRunner().invoke(main, words).exit_code == 0
    wanted = {seed: Path(f"out/wanted-{seed}.csv").read_bytes() for seed in (1, 2)}
    assert wanted[1] != wanted[2]
    # The same study twice: both end, with the same numbers.
    assert _ended(_study(name, 1, "first.csv"), _study(name, 1, "second.csv")) == [("", 0)] * 2
    assert Path("out/first.csv").read_bytes() == Path("out/second.csv").read_bytes() == wanted[1]
    # Two different ones from an empty folder: each is refused or right.
    for path in Path("out/kept").iterdir():
        path.unlink()
    ended = _ended(_study(name, 1, "third.csv"), _study(name, 2, "fourth.csv"))
    assert 0 in [code for _, code in ended]
    for (told, code), output, seed in zip(ended, ("third.csv", "fourth.csv"), (1, 2), strict=True):
        if code:
            assert code == 2
            assert "these are parts of another study: " in told
        else:
            assert Path("out", output).read_bytes() == wanted[seed]


def test_blocks_of_a_study_that_came_in_between_are_not_taken(tmp_path):
    """Both found the folder empty: the head is the later one's, and each block says whose it is."""
    import numpy as np

    mine = Checkpoint.open(tmp_path / "kept", {"seed": 1})
    (tmp_path / "kept" / "study.json").unlink()
    other = Checkpoint.open(tmp_path / "kept", {"seed": 2})
    other.save("first", np.array([2.0]))
    assert mine.load("first", (1,)) is None
    mine.save("first", np.array([1.0]))
    assert other.load("first", (1,)) is None
    assert known(mine.load("first", (1,))).tolist() == [1.0]
    with pytest.raises(rs.RankscopeError, match="parts of another study: seed was 2 and is now 1"):
        Checkpoint.open(tmp_path / "kept", {"seed": 1})


@pytest.mark.parametrize("name", [name for name, one in WRITING.items() if "--checkpoint" in one.outputs])
def test_kept_blocks_of_another_shape_are_refused(place, name):
    """Blocks that say they are of this study and have other numbers of rows and columns, which were a traceback."""
    import numpy as np

    line = [*WRITING[name].words, "--checkpoint", "out/kept", "--quiet"]
    first = CliRunner().invoke(main, line, catch_exceptions=False)
    assert first.exit_code == 0, first.stderr
    blocks = sorted(Path("out/kept").glob("*.npz"))
    assert blocks
    written = [path.stat().st_mtime_ns for path in blocks]
    second = CliRunner().invoke(main, line, catch_exceptions=False)
    assert (second.exit_code, second.stdout) == (0, first.stdout)
    assert [path.stat().st_mtime_ns for path in blocks] == written, "whole blocks were computed again"
    for path in blocks:
        with np.load(path) as kept:
            changed = {"values": kept["values"].ravel()[1:], "fingerprint": kept["fingerprint"]}
        np.savez(path, **changed)
    again = CliRunner().invoke(main, line, catch_exceptions=False)
    assert (again.exit_code, again.stdout) == (2, "")
    assert any(path.name in again.stderr for path in blocks)
