"""Build the wheel, install it in a fresh environment with `src` out of the way, and run the tests there.

    python tests/built.py                                 # the newest versions of the dependencies
    python tests/built.py --lowest                        # the lowest that pyproject.toml declares
    python tests/built.py --python python3.13 -- -n 2 -m "not slow" tests/files

What follows `--` is given to pytest. `make test-wheel` and `make test-lowest` call this.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# What tests look at beside themselves; `src` is not among them.
_BESIDE = (
    ".github",
    "tests",
    "fuzz",
    "docs",
    "benchmarks",
    "reproductions",
    "mkdocs.yml",
    "pyproject.toml",
    "README.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
)
_REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9._-]+)\s*>=\s*(?P<version>[0-9.]+)(?P<marker>\s*;.*)?")


def lowest() -> list[str]:
    """Every requirement that pyproject.toml declares, pinned to its lower bound."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    declared = [*project["dependencies"], *(requirement for extra in extras for requirement in extra)]
    bounds: dict[str, str] = {}
    for requirement in declared:
        match = _REQUIREMENT.fullmatch(requirement)
        if match is None:
            raise SystemExit(f"pyproject.toml: {requirement!r} has no lower bound of the form name>=version")
        before = bounds.setdefault(match["name"], match["version"])
        if before != match["version"]:
            raise SystemExit(f"pyproject.toml: two lower bounds for {match['name']}: {before} and {match['version']}")
    return [f"{name}=={version}" for name, version in bounds.items()]


def wheel(python: str, folder: Path) -> Path:
    """The wheel of the work tree, with all that the package needs in it."""
    _run([python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT])
    (built,) = folder.glob("*.whl")
    package = ROOT / "src"
    wanted = {
        path.relative_to(package).as_posix()
        for path in (package / "rankscope").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")
    }
    missing = wanted - set(zipfile.ZipFile(built).namelist())
    if missing:
        raise SystemExit(f"{built.name} lacks {', '.join(sorted(missing))}")
    return built


def main() -> int:
    """Make the environment and run the tests in it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lowest", action="store_true", help="the lowest declared versions of the dependencies")
    parser.add_argument("--python", default=sys.executable, help="the interpreter to install for")
    parser.add_argument("--keep", type=Path, help="make the environment in this folder, or use the one there")
    parser.add_argument("pytest", nargs="*", help="arguments of pytest")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rankscope-built-") as made:
        folder = Path(made)
        environment = chosen.keep or folder / "venv"
        python = environment / "bin" / "python"
        if not python.exists():
            _run([chosen.python, "-m", "venv", environment])
        built = wheel(str(python), folder / "wheel")
        constraints = folder / "constraints.txt"
        constraints.write_text("\n".join(lowest()) + "\n" if chosen.lowest else "", encoding="utf-8")
        _run([python, "-m", "pip", "install", "--quiet", "--constraint", constraints, f"{built}[dev]"])
        _run([python, "-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall", built])
        place = folder / "tree"
        place.mkdir()
        for name in _BESIDE:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, place / name, ignore=shutil.ignore_patterns("__pycache__", ".*"))
            else:
                shutil.copy2(source, place / name)
        axe = ROOT / ".venv" / "axe"  # the browser's test of accessibility, where CI has installed it
        if axe.is_dir():
            (place / ".venv").mkdir()
            (place / ".venv" / "axe").symlink_to(axe)
        _run([python, "-c", _PROOF], cwd=place)
        # Another Python or other versions bring warnings of their own; ours stay errors.
        words = [python, "-m", "pytest", "-p", "no:cacheprovider", *_where(place), *(chosen.pytest or _ALL)]
        data = os.environ.get("RANKSCOPE_DATA", str(ROOT / ".." / "shared" / "data"))
        scripts = f"{environment / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(
            words, check=False, cwd=place, env={**os.environ, "RANKSCOPE_DATA": data, "PATH": scripts}
        ).returncode


# The examples of the installed package's docstrings, and the tests.
_ALL = ["-m", "not slow", "--doctest-modules", "--pyargs", "rankscope", "tests"]


def _where(place: Path) -> list[str]:
    """The settings are the project's, also for the doctests of a package that lies elsewhere."""
    return [f"--rootdir={place}", f"--config-file={place / 'pyproject.toml'}"]


_PROOF = """
import importlib.metadata as about, pathlib, sys, rankscope
place = pathlib.Path(rankscope.__file__)
assert "site-packages" in place.parts, f"{place}: this is not the installed package"
needed = [line.split(";")[0] for line in about.requires("rankscope") if "extra" not in line]
names = [name for line in needed for name in [line.split(">")[0].strip()]]
print(f"rankscope {rankscope.__version__} on Python {sys.version.split()[0]} from {place.parent}:")
print(", ".join(f"{name} {about.version(name)}" for name in names), flush=True)
"""


def _run(words: list[object], cwd: Path | None = None) -> None:
    done = subprocess.run([str(word) for word in words], check=False, cwd=cwd)
    if done.returncode:
        raise SystemExit(done.returncode)


if __name__ == "__main__":
    sys.exit(main())
