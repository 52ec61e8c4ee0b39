"""Run the tests that a change touches: what `make check` does after lint and types.

    python tests/touched.py [--since REV] [--seconds 40]

Touched are the tests that were changed, the doctests of changed modules, and the test files that name a changed module
or one of its public names, those of the same package first. After the seconds given the run stops and says so.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "rankscope"

# Held whatever changed, and quick.
ALWAYS = ("tests/test_architecture.py",)


def changed_files(since: str) -> list[str]:
    """Files that differ from a revision, or that git does not know yet."""
    differing = _git("diff", "--name-only", "--diff-filter=d", since)
    return sorted({*differing, *_git("ls-files", "--others", "--exclude-standard")})


def touched(changed: Iterable[str]) -> list[str]:
    """What pytest is to run, the nearest first."""
    modules = [ROOT / name for name in changed if name.startswith("src/") and name.endswith(".py")]
    tests = {name: None for name in changed if re.fullmatch(r"tests/.*test_[^/]*\.py", name)}
    wanted = {name for module in modules for name in _names(module)}
    packages = {module.relative_to(PACKAGE).parts[0].removesuffix(".py") for module in modules}
    candidates = sorted((ROOT / "tests").rglob("test_*.py"), key=lambda path: path.parent.name not in packages)
    for path in candidates:
        if wanted & set(re.findall(r"[\w.]+", path.read_text(encoding="utf-8"))):
            tests.setdefault(str(path.relative_to(ROOT)))
    doctests = [str(module.relative_to(ROOT)) for module in modules if ">>>" in module.read_text(encoding="utf-8")]
    return [*doctests, *ALWAYS, *(name for name in tests if name not in ALWAYS)]


def _names(module: Path) -> set[str]:
    """What tests call a module: its dotted name, and its public functions and classes as `rs.NAME`."""
    dotted = ".".join(module.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    tree = ast.parse(module.read_text(encoding="utf-8"))
    defined = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return {dotted, *(f"rs.{name}" for name in defined if not name.startswith("_"))}


def _git(*arguments: str) -> list[str]:
    done = subprocess.run(("git", *arguments), cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


class Deadline:
    """Stop a run of pytest after some seconds, and say so."""

    def __init__(self, seconds: float) -> None:
        self._end, self._stopped = time.monotonic() + seconds, False
        self._session: Any = None

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Keep the session, to stop it."""
        self._session = session

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Stop where the time is over."""
        if not self._stopped and time.monotonic() > self._end:
            self._stopped = True
            self._session.shouldstop = "the time of `make check` is over; `make test` runs the rest"


def main() -> int:
    """Run what was touched."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--since", default="HEAD", metavar="REV", help="what the change is compared with (HEAD)")
    parser.add_argument("--seconds", type=float, default=40.0, help="how long it may take (40)")
    given = parser.parse_args()
    tests = touched(changed_files(given.since))
    print(f"{len(tests)} files of tests and doctests are touched by what changed since {given.since}", flush=True)
    arguments = ["-q", "-n", "auto", "-m", "not slow", "--doctest-modules", "-p", "no:cacheprovider", *tests]
    code = int(pytest.main(arguments, plugins=[Deadline(given.seconds)]))
    return 0 if code == pytest.ExitCode.INTERRUPTED else code


if __name__ == "__main__":
    sys.exit(main())
