"""SIGKILL in the middle of every command that writes: no half file, and what is left does not stand in the way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import writing_commands
from rankscope.report.page_render import vega
from writing_commands import OUT, WRITING

PROGRAM = Path(__file__).with_name("killed_commands.py")
# Some at a time, since a process takes longer to begin than most commands here.
PARTS = 2


def test_no_command_that_writes_is_forgotten():
    wanted = {
        (name, option) for name, one in writing_commands.commands() for option in writing_commands.output_options(one)
    }
    listed = {(name.split(":")[0], option) for name, one in WRITING.items() for option in one.outputs}
    assert listed == wanted
    assert {name for name, _ in wanted} == {name for name, _ in writing_commands.commands()}, "all commands write"


@pytest.mark.parametrize("part", range(PARTS))
def test_a_killed_command_leaves_no_half_file(tmp_path, part):
    writing_commands.make_input(tmp_path)
    chosen = dict(list(WRITING.items())[part::PARTS])
    told = _kill(tmp_path, {name: one.line() for name, one in chosen.items()})
    assert told.keys() == chosen.keys()
    for name, one in told.items():
        assert one["steps"] >= 3, name
        assert one["killed"] >= 1, name
        assert one["halves"] == 1, name


def _kill(folder, commands):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, str(PROGRAM), OUT],
        input=json.dumps({"commands": commands, "library": vega()}),
        check=False,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)
