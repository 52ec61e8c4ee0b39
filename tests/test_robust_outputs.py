"""Every command that writes, to every place it can be told: full or not to be written, and a clear error each time."""

from __future__ import annotations

import importlib
import os
import resource
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

import rankscope as rs
import writing_commands
from writing_commands import OUT, WRITING

NOWHERE = Path("/proc")
needs_proc = pytest.mark.skipif(not Path("/proc/self").exists(), reason="/proc, where nothing can be made, is Linux's")


@pytest.fixture
def run(command_files, monkeypatch):
    monkeypatch.chdir(command_files)
    monkeypatch.setattr(rs, "simulate_track", rs.simulate_track)
    monkeypatch.setattr(rs, "judge", rs.judge)
    monkeypatch.setattr(importlib.import_module("rankscope.cli.demo"), "MEASURES", ())
    writing_commands.make_demo_small()
    yield writing_commands.invoke
    writing_commands.clear_output(command_files)


@contextmanager
def full_after(size):
    """No file can grow beyond this size, as on a disk that is full: a write that passes it is cut, then fails."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@needs_proc
@pytest.mark.parametrize("name", WRITING)
def test_an_output_that_cannot_be_written_is_told_in_one_line(run, name):
    one = WRITING[name]
    for option, place in one.outputs.items():  # -o comes first: all is computed, and compiled, before a disk is full
        found = run(one.only(option, str(NOWHERE / place)))
        _check(found, option, str(NOWHERE), "choose another")
        with full_after(64):
            found = run(one.only(option, f"{OUT}/{place}"))
        _check(found, option, f"{OUT}/{place.split('.')[0]}", "cannot be written (File too large); choose another")
        assert not _files(), (option, _files())


def _check(found, option, place, words):
    told = found.stderr.splitlines()
    assert "Traceback" not in found.output
    if option == "--cache":  # a remark: the result is right without it
        assert found.exit_code == 0, found.output
        assert any("the cache cannot be written (" in line and place in line for line in told), told
        return
    assert found.exit_code == 2, (option, found.output)
    assert told[-1].startswith(f"rankscope: {place}"), told
    assert words in told[-1], told
    assert len([line for line in told if "cannot" in line]) == 1, told


@pytest.mark.parametrize(
    "name", [name for name, one in WRITING.items() if Path(one.outputs.get("--output", "")).suffix]
)
def test_an_older_file_stays_where_a_new_one_cannot_be_written(run, name):
    one = WRITING[name]
    place = one.outputs["--output"]
    Path(OUT, place).write_text("older")
    with full_after(64):
        assert run(one.only("--output", f"{OUT}/{place}")).exit_code == 2
    assert Path(OUT, place).read_text() == "older"
    assert _files() == [f"{OUT}/{place}"]


def _files():
    return [str(path) for path in sorted(Path(OUT).rglob("*")) if path.is_file()]


# A small file system of its own, which goes with the process; root may make one, or who may be root in a namespace.
_SMALL = 'mount -t tmpfs -o size=4k none "$1" && shift && "$@"; code=$?; ls -A out > left; exit $code'


@pytest.mark.skipif(shutil.which("unshare") is None, reason="unshare is Linux's")
def test_a_disk_that_is_full(command_files, monkeypatch):
    monkeypatch.chdir(command_files)
    private = [
        "unshare",
        "--mount",
        *([] if os.geteuid() == 0 else ["--user", "--map-root-user"]),
        "sh",
        "-c",
        _SMALL,
        "sh",
        OUT,
    ]
    if subprocess.run([*private, "true"], check=False, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    words = [sys.executable, "-m", "rankscope", *WRITING["compare"].line()]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([*private, *words], check=False, capture_output=True, text=True, env=environment)
    reason = "cannot be written (No space left on device); choose another place for the output"
    wanted = f"rankscope: {OUT}/report.json: {reason}\n"
    assert (done.returncode, done.stderr) == (2, wanted)
    assert Path("left").read_text() == ""
