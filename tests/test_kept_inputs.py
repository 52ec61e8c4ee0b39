"""No command overwrites its input, whatever path leads there: the same, another spelling, a link, a folder."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import writing_commands
from writing_commands import OUT, WRITING

# `study gaps` draws scores by itself.
FILES = {name: one for name, one in WRITING.items() if "--output" in one.outputs and name != "study gaps"}


@pytest.fixture
def run(command_files, monkeypatch):
    monkeypatch.chdir(command_files)
    yield writing_commands.invoke
    writing_commands.clear_output(command_files)


def _inputs(words):
    """The files that a command line names, and one in each folder."""
    named = [Path(word) for word in words if Path(word).exists()]
    return [sorted(path.iterdir())[0] if path.is_dir() else path for path in named]


@pytest.mark.parametrize("name", FILES)
def test_no_command_overwrites_its_input(run, name):
    words = FILES[name].words
    assert _inputs(words)
    for path in _inputs(words):
        before = path.read_bytes()
        for place in _ways(path):
            done = run([*words, "-o", place])
            assert done.exit_code == 2, (place, done.output)
            known = "an input" if str(place) == str(path) else f"the input {path}"
            assert done.stderr.splitlines()[-1] == (
                f"rankscope: {place}: this is {known}, which the output would overwrite; "
                "choose another file for the output"
            )
            assert path.read_bytes() == before


def _ways(path):
    symbolic, hard = Path(OUT, f"symbolic-{path.name}"), Path(OUT, f"hard-{path.name}")
    for link in (symbolic, hard):
        link.unlink(missing_ok=True)
    symbolic.symlink_to(path.absolute())
    os.link(path, hard)
    return [path, path.absolute(), Path(OUT, "..", path), symbolic, hard]


def test_a_table_of_every_collection_does_not_either(run):
    words = WRITING["study estimators"].words
    before = Path("a.csv").read_bytes()
    assert run([*words, "--each", "a.csv"]).exit_code == 2
    assert Path("a.csv").read_bytes() == before


def test_a_folder_of_output_that_holds_the_input(run):
    """The name in the folder is known only when it is written."""
    place = Path(OUT, "collection-2.csv")
    shutil.copy("a.csv", place)
    done = run(["simulate", place, "--collections", "3", "-o", OUT])
    assert done.exit_code == 2
    assert f"rankscope: {place}: this is an input" in done.stderr
    assert place.read_bytes() == Path("a.csv").read_bytes()


def test_cached_runs_are_inputs_too(run):
    words = [*WRITING["evaluate"].words, "--cache", f"{OUT}/cache"]
    assert run(words).exit_code == 0
    path = sorted(Path("runs").iterdir())[0]
    assert run([*words, "--format", "csv", "-o", path]).exit_code == 2
    assert "Q0" in path.read_text()


def test_an_older_output_is_replaced(run):
    words = [*WRITING["compare"].words, "-o", f"{OUT}/report.json"]
    assert run(words).exit_code == 0
    assert run(words).exit_code == 0
