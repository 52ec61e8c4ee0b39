"""What every command does around its one call of the library: progress, provenance, output, errors in one line."""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ParamSpec, TypeVar

import click
from click.core import ParameterSource

from rankscope.cli import streams
from rankscope.cli.declaring import Declared
from rankscope.cli.interrupts import interruptible
from rankscope.cli.output import write
from rankscope.cli.progress import Progress
from rankscope.errors import BadParameter, RankscopeError, RankscopeWarning

P = ParamSpec("P")
T = TypeVar("T")
S = TypeVar("S")

# What standard output may run into: a full disk or quota, a file that is too large, a device that fails.
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


@dataclass(frozen=True, kw_only=True)
class Work:
    """A command at work: its progress, the fingerprints of its inputs, and what it says beside its result."""

    progress: Progress
    quiet: bool
    csv_safe: bool
    inputs: list[dict[str, Any]] = field(default_factory=list)
    afterwards: list[str] = field(default_factory=list)

    def read(self, role: str, source: S, reader: Callable[[S], T], *, grades: Mapping[str, float] | None = None) -> T:
        """What the reader makes of the source, whose fingerprint goes into the settings of the result.

        With `grades`, by which the reader takes the labels of the file.
        """
        from rankscope.files.fingerprints import recording

        with recording() as recorded:
            content = reader(source)
        fingerprint = recorded.fingerprint(role, source) | ({"map": dict(grades)} if grades else {})
        if fingerprint not in self.inputs:  # a file may be read once for each of several measures
            self.inputs.append(fingerprint)
        return content

    def remark(self, text: str) -> None:
        """Say something on stderr at once."""
        if not self.quiet:
            self.progress.remark(f"rankscope: {text}")

    def say_afterwards(self, text: str) -> None:
        """Say something on stderr once the result is in a file, where it would not be seen otherwise."""
        self.afterwards.append(text)


def command(*params: Declared | click.Parameter, step: str) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a command of a function that reads, calls the library, and returns the result to write.

    The function gets a `Work` and the values of all parameters but those of output. Its docstring is the help, and its
    name the command's. It may return None if there is nothing to write.
    """

    def decorate(function: Callable[..., Any]) -> click.Command:
        return make_command(function.__name__, function.__doc__ or "", params, function, step=step)

    return decorate


def make_command(
    name: str, text: str, params: tuple[Declared | click.Parameter, ...], function: Callable[..., Any], *, step: str
) -> click.Command:
    """Make a command of this name, help and function, as `command` does."""

    def run(
        *,
        quiet: bool,
        style: str | None = None,
        output: str | None = None,
        chart: str | None = None,
        theme: Any = "light",
        width: str | None = None,
        csv_safe: bool = False,
        which: str | None = None,
        columns: tuple[str, ...] | None = None,
        digits: int | None = None,
        intervals: Any = None,
        rows: int | None = None,
        **given: Any,
    ) -> None:
        with Progress(step, quiet=quiet) as progress:
            work = Work(progress=progress, quiet=quiet, csv_safe=csv_safe)
            result = function(work, **given)
            if work.inputs and hasattr(result, "settings"):  # one table of a result alone has none
                result = replace(result, settings={**result.settings, "inputs": work.inputs})
            if result is not None and (which, columns, digits, intervals, rows) != (None,) * 5:
                result = result.only(which, columns=columns, digits=digits, intervals=intervals, rows=rows)
            if output is None:
                progress.close()
            else:
                progress.begin("Writing")
            if result is not None:
                write(result, style=style, output=output, chart=chart, theme=theme, width=width, csv_safe=csv_safe)
        if output is not None and not quiet:
            for remark in work.afterwards:
                streams.remark(remark)

    made = [param if isinstance(param, click.Parameter) else param() for param in params]
    return click.Command(name, params=made, callback=reports_errors(run), help=text)


def refuse(context: str, declared: Iterable[Declared], way_out: str) -> None:
    """Raise `BadParameter` if the command line has options that have no effect in this context."""
    source = click.get_current_context().get_parameter_source
    params = [declaration() for declaration in declared]
    given = [param.opts[-1] for param in params if source(param.name or "") is ParameterSource.COMMANDLINE]
    if given:
        raise BadParameter(f"{context} does not take {', '.join(given)}; leave these out, or {way_out}")


@contextlib.contextmanager
def keeping_parts(work: Work, checkpoint: str | None) -> Iterator[None]:
    """Say what is kept if the study is interrupted, and exit with 130."""
    try:
        with interruptible():
            yield
    except KeyboardInterrupt:
        work.progress.close()
        kept = "nothing is kept without --checkpoint"
        if checkpoint is not None:
            kept = f"finished parts are in {checkpoint}, and the same command continues from there"
        streams.remark(f"rankscope: interrupted; {kept}")
        sys.exit(130)


def reports_errors(function: Callable[P, T]) -> Callable[P, T]:
    """Turn rankscope's errors into one line on stderr and exit code 2, and its warnings into one line each.

    An output that is also an input is such an error.
    """

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        from rankscope.files.overwriting import inputs_kept

        try:
            with inputs_kept(_output_files()), _warnings_as_remarks():
                return function(*args, **kwargs)
        except RankscopeError as error:
            streams.remark(f"rankscope: {error}")
            sys.exit(2)
        except MemoryError as error:
            streams.remark(f"rankscope: not enough memory ({error or 'none left'}); ask for less, or use more memory")
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
    params = (param for param in context.command.params if isinstance(param.type, click.Path))
    paths = (context.params.get(param.name or "") for param in params)
    return [path for path in paths if path is not None]


@contextlib.contextmanager
def _warnings_as_remarks() -> Iterator[None]:
    """Write each of rankscope's warnings once, as a line on stderr."""
    caught: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", RankscopeWarning)
            yield
    finally:
        for text in dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, RankscopeWarning)):
            streams.remark(f"rankscope: {text}")
        for warning in caught:
            if not issubclass(warning.category, RankscopeWarning):
                warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


def _drop_output() -> None:
    """Send the rest of standard output nowhere, so that the interpreter does not try again as it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
