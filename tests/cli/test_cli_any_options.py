"""Every command under random options and odd values: an answer, or an error in one line, and never a traceback."""

from __future__ import annotations

import shlex
from pathlib import Path
from random import Random
from typing import Any

import click
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from rankscope.cli import main
from writing_commands import OUT, commands, make_input

# The demo takes seconds, and has no input.
COMMANDS = {name: command for name, command in commands() if name != "demo"}

TABLES = ("a.csv", "b.csv", "names.csv", "flat.csv", "gaps.csv", "board.csv", "one.csv", "measures.csv", "huge.csv")
# What suits a parameter, by its name: most values are such, so that more than the first check is reached.
USUAL = {
    **dict.fromkeys(("scores", "baselines", "estimates"), ("a.csv", "b.csv", "a.csv", "b.csv", "a.csv", *TABLES)),
    **dict.fromkeys(("random_draws", "pseudo_draws"), ("0", "2")),
    **dict.fromkeys(("draws", "collections", "repeats", "jobs", "max_predictors"), ("1", "2")),
    **dict.fromkeys(("level", "alpha", "target", "threshold", "drop"), ("0.05", "0.5", "0.95")),
    **dict.fromkeys(
        ("coefficient", "coefficients", "target_coefficient"), ("tau_b", "tau_ap", "pearson", "rbo(p=0.8)")
    ),
    **dict.fromkeys(("measure", "measures"), ("AP", "nDCG@10", "P@5", "RR", "bpref", "map", "P_10")),
    "truth_measure": ("AP",),
    "estimate_measure": ("AP",),
    "resamples": ("2", "20", "200"),
    "pair": ("normal:uniform",),
    "tables": ("measures.csv", "measures.csv", "other.csv", "a.csv", "board.csv", "flat.csv"),
    "runs": ("runs",),
    "qrels": ("truth.txt",),
    "judges": ("cheap.txt", "llm=cheap.txt", "truth.txt"),
    "dev": ("other.csv",),
    "groups": ("teams.csv:team", "teams.csv"),
    "contributing": ("*", "dense*"),
    "fractions": ("0.5", "0.3,1"),
    "sizes": ("3", "3..5:1", "2,4"),
    "depths": ("1,5", "10"),
    "rel": ("1", "2"),
    "bounds": ("0", "1"),
    "cache": (f"{OUT}/cache",),
}
# What never suits, or hardly.
WHOLE = ("0", "1", "-1", "1.5", "nan", "", "x", "0x10", "１")
HUGE = ("9" * 12, "9" * 25, str(2**31), str(2**63))
REAL = ("0", "1", "-1", "1e-300", "1e308", "nan", "inf", "-inf", "", "x", "0,5", "0.9999999999999999")
LISTS = ("2,2", "0", "-1", "1,,2", "nan", "1e400", "x", "", "5..3", "2..4:0", "9" * 25)
NAMES = (
    "trec",
    "nDCG@0",
    "P@99999999999999999999",
    "AP(",
    "AP(rel=nan)",
    "rbo(p=1)",
    "nope",
    "",
    "[red]",
    "\x1b[31m",
    "é",
)
FILES = (
    *(
        "gaps.csv",
        "huge.csv",
        "elsewhere.txt",
        "truth.txt",
        "empty.csv",
        "binary.bin",
        "nothing-here",
        "~nouser/x",
        ".",
    ),
    *("", "no/folder/x", "teams.csv", "teams.csv:nope", "x" * 300, "runs"),
)
PLACES = (
    *(f"{OUT}/x{ending}" for ending in ("", ".bad", "/y.csv", "y" * 300, "y" * 300 + ".csv")),
    *("a.csv", "b.csv", "truth.txt", "runs", "", "/proc/x.csv", "no/folder/x.csv", "~nouser/x.csv"),
)
# Where a great number costs no time.
FREE = ("rng", "top", "max_swaps", "pool_depth", "depth")


def _usual(option: click.Parameter, command: str) -> tuple[str, ...]:
    kind, name = option.type, option.name or ""
    if name == "truth":
        return ("truth.txt",) if command == "judge" else USUAL["estimates"]
    if name == "measures" and command.startswith("metrics"):
        return ("map,P_10,bpref", "AP,bpref", "gupta2019")
    if name in USUAL:
        return USUAL[name]
    if isinstance(kind, click.Choice):
        return tuple(kind.choices)
    if isinstance(kind, click.Path):
        return (f"{OUT}/x",) if kind.dir_okay else tuple(f"{OUT}/x.{e}" for e in ("csv", "json", "tex", "txt", "svg"))
    if isinstance(kind, click.FloatRange):
        return ("0.5", "0.95")
    return ("2", "3") if isinstance(kind, click.IntRange) else ("AP",)


def _odd(option: click.Parameter) -> tuple[str, ...]:
    kind, name = option.type, option.name or ""
    if isinstance(kind, click.Path):
        return PLACES
    if isinstance(kind, click.IntRange) or kind is click.INT:
        return (*WHOLE, *(HUGE if name in FREE else ()))
    if isinstance(kind, click.FloatRange) or kind is click.FLOAT:
        return REAL
    return (*NAMES, *FILES) if kind is click.STRING else LISTS


# What decides how long a command takes is always given.
LONG = ("resamples", "draws", "random_draws", "pseudo_draws", "collections", "repeats")


def line(random: Random) -> list[str]:
    """A command line: what is required, a few other options, and as a rule one value that does not suit."""
    name = random.choice(sorted(COMMANDS))
    options: list[Any] = [
        option for option in COMMANDS[name].params if option.name != "cluster"
    ]  # test_cluster_faults.py
    odd = random.choice([*(option for option in options if not isinstance(option.type, click.Choice)), None])
    words, arguments = name.split(), []
    for option in options:
        values = _odd(option) if option is odd else _usual(option, name)
        if isinstance(option, click.Argument):
            count = random.choice((1, 1, 1, 2)) if option.nargs == -1 and option.name != "runs" else 1
            arguments += random.choices(values, k=count)
        elif option.name == "runs" and option is not odd:
            words += ["--runs", "runs", "truth.txt"] * (random.random() < 0.15)
        elif option is odd or option.required or option.name in LONG or random.random() < 0.15:
            given = [] if option.is_flag else random.choices(values, k=option.nargs)
            words += [random.choice((*option.opts, *option.secondary_opts)), *given]
    return [*words, *arguments]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files that suit, and files that are wrong in many ways."""
    folder = tmp_path_factory.mktemp("any")
    make_input(folder)
    texts = {
        "board.csv": "system,score\na,0.5\nb,0.25\nc,0.5\n",
        "gaps.csv": "topic,a,b,c\n1,0.1,,0.3\n2,0.2,0.4,\n3,0.5,0.1,0.2\n",
        "one.csv": "topic,a\n1,0.5\n",
        "huge.csv": "topic,a,b\n1,1e308,-1e308\n2,1e300,1e308\n",
        "names.csv": 'topic,"[red]","=1+1","\x1b[2J"\n01,0.1,0.2,0.3\n"a b",0.3,0.2,0.5\n3,0.2,0.2,0.1\n',
        "flat.csv": "topic,a,b,c\n1,0.5,0.5,0.5\n2,0.5,0.5,0.5\n3,0.5,0.5,0.5\n",
        "elsewhere.txt": "901 0 d1 1\n902 0 d1 0\n",
        "empty.csv": "",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "binary.bin").write_bytes(bytes(range(256)))
    systems = sorted(path.name.removesuffix(".run") for path in (folder / "runs").iterdir())
    (folder / "teams.csv").write_text("run,team\n" + "".join(f"{s},{'xy'[i % 2]}\n" for i, s in enumerate(systems)))
    return folder


@pytest.fixture
def place(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return Snapshot()


class Snapshot:
    """The files of a folder as they are now."""

    def __init__(self):
        self.content = {path: path.read_bytes() for path in sorted(Path().rglob("*")) if path.is_file()}
        self.folders = {path for path in Path().rglob("*") if path.is_dir()}

    def restore(self, words):
        """Remove what was written, and check that no input has changed: -o may replace a file that is not an input."""
        for path in sorted(Path().rglob("*"), reverse=True):
            if path.is_dir() and path not in self.folders:
                path.rmdir()
            elif path.is_file() and path not in self.content:
                path.unlink()
        for path, content in self.content.items():
            if path.read_bytes() != content:
                assert words.count(str(path)) == 1, path  # as the output alone
                path.write_bytes(content)


# Made from a seed: Hypothesis' own choices repeat themselves, and most of a thousand lines would be the same.
SEEDS = st.integers(0, 2**64 - 1)
PLACED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@settings(PLACED, max_examples=250)
@given(seed=SEEDS)
def test_never_a_traceback(place, seed):
    check(place, seed)


@pytest.mark.slow
@settings(PLACED, max_examples=2000)
@given(seed=SEEDS)
def test_never_a_traceback_among_many(place, seed):
    check(place, seed)


def check(place, seed):
    words = line(Random(seed))
    note(f"rankscope {shlex.join(words)}")
    done = CliRunner().invoke(main, words)
    if not isinstance(done.exception, SystemExit | None):
        raise done.exception
    assert done.exit_code in (0, 2), done.output
    assert "Traceback" not in done.output
    if done.exit_code == 2:
        told = done.stderr.splitlines()
        assert told
        assert told[-1].startswith(("rankscope: ", "Error: ")), told
        assert not done.stdout, done.stdout
    place.restore(words)
