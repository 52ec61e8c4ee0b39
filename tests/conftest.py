"""What every test may ask for."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest
from hypothesis import settings

# Text for a pipe is as wide as it has to be, or as COLUMNS says, which pytest-xdist sets.
os.environ.pop("COLUMNS", None)

# The same examples on every run and machine. `make test-slow` takes many more; HYPOTHESIS_PROFILE=default explores.
settings.register_profile("ci", derandomize=True, deadline=None, max_examples=25)
settings.register_profile("long", derandomize=True, deadline=None, max_examples=300)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of shared public data (RANKSCOPE_DATA names another place)."""
    folder = Path(os.environ.get("RANKSCOPE_DATA", Path(__file__).parents[1] / ".." / "shared" / "data")).resolve()
    if not folder.is_dir():
        pytest.skip(f"no shared data at {folder}: set RANKSCOPE_DATA")
    return folder


@pytest.fixture(scope="module")
def command_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with small input for every command that writes."""
    from writing_commands import make_input

    folder = tmp_path_factory.mktemp("commands")
    make_input(folder)
    return folder


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which `rankscope demo` has run. It takes seconds, so tests share it and change none of its files."""
    from click.testing import CliRunner

    from rankscope.cli import main

    folder = tmp_path_factory.mktemp("demo")
    with contextlib.chdir(folder):
        done = CliRunner().invoke(main, ["demo"])
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "Report: rankscope-demo/report.html"), done.output
    return folder
