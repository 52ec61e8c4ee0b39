"""Compiled kernels are kept where it is possible, and commands work where it is not."""

from __future__ import annotations

import itertools
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rankscope

PACKAGE = Path(rankscope.__file__).parent
COMPILING = "rankscope: compiling kernels, once for this version and machine …"
SCORES = "topic,a,b,c\n1,.1,.2,.3\n2,.3,.1,.4\n3,.4,.2,.2\n"
COMPARE = ("compare", "scores.csv", "scores.csv", "-c", "spearman", "--resamples", "0", "--format", "json")


class Installed:
    """A copy of a package and the kernels kept beside it, and the surroundings of a command that runs it."""

    def __init__(self, folder: Path, package: Path) -> None:
        self.folder = folder
        self.package = folder / "site" / "rankscope"
        self.kernels = self.package / "kernels"
        shutil.copytree(package, self.package)
        (folder / "scores.csv").write_text(SCORES)
        for name in ("home", "tmp"):
            (folder / name).mkdir()
        self.own = folder / "home" / ".cache" / "rankscope"
        self.temporary = folder / "tmp" / f"rankscope-{os.getuid()}"

    def run(self, *, largest_file: int | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
        """Compare a table with itself."""
        kept = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")}
        places = {"PYTHONPATH": "site", "HOME": str(self.folder / "home"), "TMPDIR": str(self.folder / "tmp")}

        def limit() -> None:
            if largest_file is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))

        return subprocess.run(
            [sys.executable, "-m", "rankscope", *COMPARE],
            cwd=self.folder,
            env={**kept, **places, **variables},
            preexec_fn=limit,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    def block(self, *folders: Path) -> None:
        """Put a file where a folder should be, which nobody can write into, not even root."""
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.write_text("")

    @property
    def beside(self) -> Path:
        return self.kernels / "__pycache__"


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """The package without compiled kernels. Python's own compiled files stay, which it would take a second to make."""
    folder = tmp_path_factory.mktemp("plain") / "rankscope"
    return Path(shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("*.nb[ic]")))


@pytest.fixture(scope="module")
def run_once(tmp_path_factory, plain):
    """A package that has run, and so has compiled kernels."""
    ran = Installed(tmp_path_factory.mktemp("ran"), plain)
    assert COMPILING in expect_success(ran.run(), remarks=0)
    return ran


@pytest.fixture
def installed(tmp_path, plain):
    return Installed(tmp_path, plain)


@pytest.fixture
def compiled(tmp_path, run_once):
    return Installed(tmp_path, run_once.package)


def kept_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.nbc"))}


def expect_success(done: subprocess.CompletedProcess[str], *, remarks: int) -> str:
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("{")
    lines = [line for line in done.stderr.splitlines() if line != COMPILING]
    assert len(lines) == remarks, done.stderr
    assert all(line.startswith("rankscope: compiled code cannot be kept in ") for line in lines)
    return done.stderr


def test_kernels_are_kept_beside_the_sources(run_once, compiled):
    before = kept_in(compiled.beside)
    assert any(name.startswith("linear.spearman-") for name in before)
    assert expect_success(compiled.run(), remarks=0) == ""
    assert kept_in(compiled.beside) == before
    assert not run_once.own.exists()
    assert not compiled.own.exists()


@pytest.mark.slow
def test_a_package_that_cannot_be_written_uses_the_users_folder(installed):
    installed.block(installed.beside)
    expect_success(installed.run(), remarks=0)
    assert kept_in(installed.own)
    assert installed.own.stat().st_mode & 0o777 == 0o700


@pytest.mark.slow
def test_without_a_home_kernels_are_kept_among_temporary_files_with_one_remark(installed):
    installed.block(installed.beside, installed.own.parent)
    said = expect_success(installed.run(), remarks=1)
    assert "set NUMBA_CACHE_DIR to a folder that can be written" in said
    assert kept_in(installed.temporary)
    expect_success(installed.run(), remarks=0)  # nothing is compiled, and nothing needs to be said


@pytest.mark.slow
def test_without_any_folder_kernels_live_in_memory_with_one_remark(installed):
    installed.block(installed.beside, installed.own.parent, installed.temporary)
    said = expect_success(installed.run(), remarks=1)
    assert "every start compiles it again" in said
    chosen = installed.folder / "chosen"
    expect_success(installed.run(NUMBA_CACHE_DIR=str(chosen)), remarks=0)  # the way out that the remark names
    assert kept_in(chosen)


@pytest.mark.slow
def test_a_chosen_folder_that_cannot_be_written_is_told(installed):
    chosen = installed.folder / "chosen"
    installed.block(chosen)
    assert str(chosen) in expect_success(installed.run(NUMBA_CACHE_DIR=str(chosen)), remarks=1)
    assert kept_in(installed.beside)


@pytest.mark.slow
def test_a_full_disk_is_one_remark(installed):
    said = expect_success(installed.run(largest_file=1000), remarks=1)
    assert "File too large" in said
    assert [path for path in installed.folder.rglob("*.partial") if path.is_file()] == []


def test_damaged_kernels_are_compiled_again_and_repaired(compiled):
    whole = kept_in(compiled.beside)
    damages = itertools.cycle([lambda data: b"", lambda data: data[:-1], lambda data: data[:-9] + b"\0" * 9])
    damaged = {name: damage(data) for (name, data), damage in zip(whole.items(), damages, strict=False)}
    assert len(damaged) >= 3
    for name, data in damaged.items():
        (compiled.beside / name).write_bytes(data)
    expect_success(compiled.run(), remarks=0)
    repaired = kept_in(compiled.beside)
    assert repaired.keys() == whole.keys()
    assert all(repaired[name] != damaged[name] for name in whole)
    expect_success(compiled.run(), remarks=0)
    assert kept_in(compiled.beside) == repaired


def test_kernels_in_a_folder_that_others_can_write_are_not_loaded(installed, run_once):
    installed.block(installed.beside)
    shutil.copytree(run_once.beside, installed.own)
    installed.own.chmod(0o700)
    before = kept_in(installed.own)
    expect_success(installed.run(), remarks=0)
    assert kept_in(installed.own) == before
    installed.own.chmod(0o777)
    said = expect_success(installed.run(), remarks=1)
    assert "belongs to another user, or others may write to it" in said


@pytest.mark.slow
def test_a_kernel_is_compiled_again_when_another_file_of_kernels_changes(compiled):
    before = kept_in(compiled.beside)
    with (compiled.kernels / "sorting.py").open("a") as file:
        file.write("\n# changed\n")
    expect_success(compiled.run(), remarks=0)
    assert len(kept_in(compiled.beside)) == 2 * len(before)
