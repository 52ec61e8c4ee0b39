"""What the studies of runs and judgments share on the command line: options, which runs were pooled, and output."""

from __future__ import annotations

import fnmatch
import functools
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rankscope.cli import options, run_options, streams
from rankscope.cli.interrupts import interruptible
from rankscope.cli.progress import Progress

if TYPE_CHECKING:
    from rankscope.cli.run_options import Reading
    from rankscope.results import Result
    from rankscope.runs import Judgments, RunSet

S = TypeVar("S", bound="Result")
Command = Callable[..., Any]

MEASURES = ("nDCG@10", "AP")

qrels = click.option(
    "--qrels", required=True, metavar="FILE", help="All judgments: lines of topic, 0, document, grade."
)
measures = click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    default=MEASURES,
    show_default=True,
    metavar="NAME",
    help="A measure: nDCG@10, 'AP(rel=2)', bpref. Repeatable.",
)
coefficients = click.option(
    "-c",
    "--coefficient",
    "coefficients",
    multiple=True,
    metavar="NAME",
    help="A coefficient: tau_ap, 'rbo(p=0.8)', tau_gap@10. Repeatable; default all.",
)
contributing = click.option(
    "--contributing",
    multiple=True,
    metavar="NAMES",
    help="The systems that were pooled: a name, a pattern ('ou*'), a file with a name on each line, or a table's "
    "column and value ('leaderboard.csv:pooled=yes'). Repeatable; default all.",
)
rel = click.option(
    "--rel",
    type=options.Real(),
    default=1,
    show_default=True,
    help="The least grade of a document that counts as relevant.",
)
alpha = click.option(
    "--alpha",
    type=options.SHARE,
    default=0.05,
    show_default=True,
    help="The level of the rank distance test.",
)
checkpoint = click.option(
    "--checkpoint",
    type=click.Path(file_okay=False),
    help="Keep finished parts in this folder; the same command goes on from there.",
)


class Numbers(click.ParamType):  # type: ignore[type-arg]  # not generic before click 8.4
    """A comma list of numbers.

    >>> Numbers(int, "depth").convert("1,5,10", None, None), Numbers(float, "fraction").convert("0.1, 1", None, None)
    ((1, 5, 10), (0.1, 1.0))
    """

    name = "numbers"

    def __init__(self, kind: type[int] | type[float], what: str) -> None:
        self._kind, self._what = kind, what

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        return "NUMBERS"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[Any, ...]:
        if isinstance(value, tuple):
            return value
        found = []
        for word in str(value).split(","):
            try:
                found.append(self._kind(word.strip()))
            except ValueError:
                self.fail(f"{word.strip()!r} is no {self._what}; write numbers with commas between them", param, ctx)
        return tuple(found)


def listed(values: Sequence[float]) -> str:
    """Numbers as the option takes them."""
    return ",".join(f"{value:g}" for value in values)


def table(*names: str) -> Callable[[Command], Command]:
    """Which of the study's tables to write."""
    return click.option(
        "--table",
        "which",
        type=click.Choice(names),
        help=f"Write this table alone, as CSV, say; by default {names[0]}, and all in JSON.",
    )


def inputs(command: Command) -> Command:
    """What a study of runs is about: the runs, all judgments, measures and coefficients."""
    for option in (coefficients, measures, qrels, run_options.runs_argument):
        command = option(command)
    return command


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What was asked of a study of runs, whichever it is: its input, how to read, compute and write."""

    runs: tuple[str, ...]
    qrels: str
    measures: tuple[str, ...]
    coefficients: tuple[str, ...]
    checkpoint: str | None
    which: str | None
    reading: Reading
    style: str | None
    output: str | None
    seed: int
    jobs: int | None
    quiet: bool

    def read(self) -> tuple[RunSet, Judgments]:
        """The runs and all judgments, with remarks on what one side lacks."""
        from rankscope.measures import parse_measures
        from rankscope.runs import coverage

        parse_measures(self.measures)  # a typo should not wait for the files to be read
        with options.working("Reading", quiet=self.quiet):
            judgments = self.reading.judgments(self.qrels)
            runs = self.reading.runs(self.runs, jobs=self.jobs)
        if not self.quiet:
            for text in coverage(runs, judgments).remarks():
                options.remark(text)
        return runs, judgments

    def run(self, what: str, study: Callable[..., Any], runs: RunSet, judgments: Judgments, **own: Any) -> None:
        """Run the study with its own settings, say how far it is, and write it or one of its tables."""
        from rankscope.measures import parse_measures

        found = run(
            what, study, runs, judgments, parse_measures(self.measures), coefficients=self.coefficients or None,
            rng=self.seed, jobs=self.jobs, checkpoint=self.checkpoint, quiet=self.quiet, **own,
        )  # fmt: skip
        if self.which is not None:
            from rankscope.studies.one_table import OneTable

            found = OneTable(content=found.tables()[self.which])
        options.write(found, style=self.style, output=self.output)


def asked(*tables: str) -> Callable[[Command], Command]:
    """The options of every study of runs, given to the command as `asked`; its tables, where there are several."""

    def decorate(command: Command) -> Command:
        names = [field.name for field in fields(Asked)]

        @functools.wraps(command)
        def take(**given: Any) -> Any:
            given.setdefault("which", None)
            settings = {name: given.pop(name) for name in names}
            return options.reports_errors(command)(asked=Asked(**settings), **given)

        wrapped: Command = take
        chosen = (table(*tables),) if tables else ()
        for option in (
            options.quiet, options.jobs, options.seed, options.output, options.output_format, run_options.reading,
            *chosen, checkpoint,
        ):  # fmt: skip
            wrapped = option(wrapped)
        return wrapped

    return decorate


def contributing_systems(given: Sequence[str], systems: Sequence[str]) -> list[str] | None:
    """The systems that names, patterns, files and columns stand for; None where nothing is given.

    >>> contributing_systems(["a*", "c"], ["a1", "a2", "b", "c"])
    ['a1', 'a2', 'c']
    """
    from rankscope.errors import BadParameter, some

    if not given:
        return None
    chosen: set[str] = set()
    for word in given:
        if word in systems:
            chosen.add(word)
            continue
        names = _from_file(word)
        matching = [s for s in systems if s in names] if names is not None else fnmatch.filter(systems, word)
        if not matching:
            raise BadParameter(f"--contributing {word}: no system is called so; there are {some(list(systems))}")
        chosen.update(matching)
    return [system for system in systems if system in chosen]


def _from_file(word: str) -> set[str] | None:
    """The names that a file lists, or those to which a column of a table gives a value; None if it is no file."""
    from rankscope.files.groups import read_groups, read_names
    from rankscope.files.sources import is_there

    if is_there(word) and Path(word).is_file():
        return set(read_names(word))
    place, equals, value = word.rpartition("=")
    if equals and is_there(place.rpartition(":")[0]):
        return {name for name, label in read_groups(place).items() if label == value.strip()}
    if os.sep in word:
        return set(read_names(word))  # a path, to a file that is not there: the reader says so
    return None


def run(
    what: str, study: Callable[..., S], *args: Any, quiet: bool, checkpoint: str | None = None, **settings: Any
) -> S:
    """The study, with progress on stderr; where it is interrupted, what is kept is told."""
    progress = Progress(what, quiet=quiet)
    if checkpoint is not None:
        settings["checkpoint"] = checkpoint
    try:
        with interruptible():
            return study(*args, progress=progress, **settings)
    except KeyboardInterrupt:
        progress.close()
        kept = "nothing is kept without --checkpoint" if checkpoint is None else f"finished parts are in {checkpoint}"
        streams.remark(f"rankscope: interrupted; {kept}")
        sys.exit(130)
    finally:
        progress.close()
