"""What commands share: options, errors as one line on stderr, and where output goes."""

from __future__ import annotations

import contextlib
import errno
import functools
import math
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click

from rankscope.cli import streams
from rankscope.errors import RankscopeError, RankscopeWarning

if TYPE_CHECKING:
    from rankscope.results import Result

P = ParamSpec("P")
R = TypeVar("R")
Command = Callable[..., Any]

# A disk or a quota that is full, a file too great, a device that fails: what standard output may run into.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)

# Seconds of silence that a person bears.
_PATIENCE = 2.0

OUTPUT_FORMATS = ("table", "json", "csv", "latex")

output_format = click.option(
    "--format",
    "style",
    type=click.Choice(OUTPUT_FORMATS),
    help="How to write the result; by default as -o's extension says, else a table.",
)
_CHART, _THEME, _CSV_SAFE = "rankscope.chart", "rankscope.theme", "rankscope.csv_safe"


def _keep(key: str) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Keep an option's value where `write` finds it, so that commands need not hand it on."""

    def keep(ctx: click.Context, _: click.Parameter, value: Any) -> Any:
        ctx.meta[key] = value
        return value

    return keep


def output(command: Command) -> Command:
    """Where the result goes, as which chart, and how names go into CSV."""
    for option in (
        click.option(
            "--csv-safe",
            is_flag=True,
            expose_value=False,
            callback=_keep(_CSV_SAFE),
            help="In CSV, put ' before names that a spreadsheet would take for formulas (they begin with = + - @).",
        ),
        click.option(
            "--theme",
            type=click.Choice(("light", "dark")),
            default="light",
            show_default=True,
            expose_value=False,
            callback=_keep(_THEME),
            help="How a chart looks.",
        ),
        click.option(
            "--chart",
            metavar="NAME",
            expose_value=False,
            callback=_keep(_CHART),
            help="Which chart -o writes, where a result has several; docs/charts.md lists them.",
        ),
        click.option(
            "-o",
            "--output",
            type=click.Path(dir_okay=False),
            help="Write to this file, whole or not at all: .json .csv .tex .txt .html, or a chart as .svg .png .pdf.",
        ),
    ):
        command = option(command)
    return command


class Real(click.FloatRange):
    """A finite number, within bounds if there are some; click's own lets nan through every bound."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number", param, ctx)
        return number


# What lies between 0 and 1, such as the level of a test.
SHARE = Real(0, 1, min_open=True, max_open=True)

seed = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seeds everything random; 0 or more."
)


resamples = click.option(
    "--resamples",
    type=click.IntRange(min=0),
    default=2_000,
    show_default=True,
    help="Draws behind intervals and p-values; 0 for none.",
)
level = click.option(
    "--level",
    type=Real(0.001, 0.9999),
    default=0.95,
    show_default=True,
    help="What intervals are meant to cover, from 0.001 to 0.9999.",
)
_RULE = (
    click.option(
        "--margins",
        type=float,
        nargs=2,
        default=(0.8, 0.5),
        show_default=True,
        help="The least worth of a topic to be interchangeable, and to be a substitute.",
    ),
    click.option(
        "--times",
        type=click.FloatRange(min=1),
        default=4.0,
        show_default=True,
        help="How many times as many topics a substitute with more topics may take.",
    ),
    click.option(
        "--least-topics",
        type=click.FloatRange(min=0, min_open=True),
        default=10.0,
        show_default=True,
        help="The topics of the truth whose ranking must be equalled for clear differences.",
    ),
    click.option(
        "--judged-topics",
        type=click.IntRange(min=1),
        help="How many topics the judge will label; by default as many as the truth has, at least 50.",
    ),
)
_RULE_NAMES = ("margins", "times", "least_topics", "judged_topics")


def verdict_rule(command: Command) -> Command:
    """The verdict's margins, handed to the command as one `rule`."""

    @functools.wraps(command)
    def with_rule(**given: Any) -> Any:
        return command(rule={name: given.pop(name) for name in _RULE_NAMES}, **given)

    for option in reversed(_RULE):
        with_rule = option(with_rule)
    return with_rule


jobs = click.option(
    "--jobs", type=click.IntRange(min=1), help="Threads to use; by default one per core. The numbers stay the same."
)
quiet = click.option("-q", "--quiet", is_flag=True, help="No progress on stderr.")


@contextlib.contextmanager
def working(what: str, *, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Say on stderr what is going on when it takes more than two seconds; only to a person at a terminal.

    What is given can be called with the name of the next step.
    """
    said = [what]

    def begin(step: str) -> None:
        said[0] = step

    if quiet or not sys.stderr.isatty():
        yield begin
        return
    done = threading.Event()

    def tell() -> None:
        started = time.monotonic()
        while not done.wait(0.5):
            seconds = time.monotonic() - started
            if seconds > _PATIENCE:
                click.echo(f"\r{said[0]} … {seconds:.0f} s\x1b[K", err=True, nl=False)

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield begin
    finally:
        done.set()
        teller.join()
        click.echo("\r\x1b[K", err=True, nl=False)


def on_missing(command: Command) -> Command:
    """The policy for systems or topics on one side only."""
    return click.option(
        "--on-missing",
        type=click.Choice(("error", "intersect", "zero")),
        default="error",
        show_default=True,
        help="A system or topic on one side only: stop, leave it out, or score it zero there.",
    )(command)


def reports_errors(command: Callable[P, R]) -> Callable[P, R]:
    """Turn rankscope's errors into one line on stderr and exit code 2, and its warnings into one line each.

    An output that is an input is such an error.
    """

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        from rankscope.files.overwriting import inputs_kept

        try:
            with inputs_kept(_output_files()), warnings_as_remarks():
                return command(*args, **kwargs)
        except RankscopeError as error:
            streams.remark(f"rankscope: {error}")
            sys.exit(2)
        except MemoryError as error:
            streams.remark(f"rankscope: not enough memory ({error or 'none left'}); ask for less, or take more memory")
            sys.exit(2)
        except BrokenPipeError:
            # The reader (head, less) has seen enough; leave without a complaint at interpreter exit.
            _drop_output()
            sys.exit(0)
        except OSError as error:
            if error.errno not in _FULL:
                raise
            streams.remark(f"rankscope: the output cannot be written ({error.strerror}); choose another place")
            _drop_output()
            sys.exit(2)

    return run


def _output_files() -> list[str | os.PathLike[str]]:
    """The files that the options of the command name for its output: those of type `click.Path`."""
    context = click.get_current_context()
    given = (context.params.get(one.name or "") for one in context.command.params if isinstance(one.type, click.Path))
    return [path for path in given if path is not None]


@contextlib.contextmanager
def warnings_as_remarks() -> Iterator[None]:
    """Say rankscope's warnings on stderr, in one line each and each once."""
    caught: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", RankscopeWarning)
            yield
    finally:
        for text in dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, RankscopeWarning)):
            remark(text)
        for warning in caught:
            if not issubclass(warning.category, RankscopeWarning):
                warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


def remark(text: str) -> None:
    """One line on stderr, from rankscope."""
    streams.remark(f"rankscope: {text}")


def _drop_output() -> None:
    """Send what is left to nowhere, so that the interpreter does not try again as it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def files_in(paths: Sequence[str]) -> list[Path]:
    """The files named, and those in the folders named but hidden ones, in order."""
    from rankscope.files.sources import find_files

    return list(find_files(list(paths)).paths)


def make_folder(folder: Path) -> None:
    """Make a folder for output, or say why not."""
    from rankscope.errors import UnwritableOutput

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = f"cannot make this folder ({error.strerror}); choose another folder"
        raise UnwritableOutput(folder, problem) from None


def write(result: Result, *, style: str | None, output: str | None) -> None:
    """Write a result to stdout or to a file."""
    from rankscope.files.atomic import write_text
    from rankscope.report.saving import rendered, save

    if output is None and style in (None, "table"):
        _to_terminal(result)
    elif output is None:
        streams.send(rendered(result, str(style), csv_safe=csv_safe()))
    elif style is None:
        chosen = click.get_current_context().meta
        save(result, output, chart=chosen.get(_CHART), theme=chosen.get(_THEME) or "light", csv_safe=csv_safe())
    else:
        write_text(output, rendered(result, style, csv_safe=csv_safe()))


def csv_safe() -> bool:
    """Whether names in CSV are to be safe for spreadsheets."""
    return bool(click.get_current_context().meta.get(_CSV_SAFE))


def _to_terminal(result: Result) -> None:
    from rankscope.report.terminal import plain_text, show

    if not streams.standard_output().isatty():
        with streams.fitting_tables():
            text = plain_text(result)
        streams.show(text.rstrip("\n"))
        return
    from rich.console import Console

    with streams.fitting_tables():
        show(result, Console(highlight=False))
