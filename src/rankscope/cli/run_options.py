"""What commands that read runs and judgments share: options, reading, and remarks on what one side lacks."""

from __future__ import annotations

import contextlib
import functools
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from rankscope.cli import streams

if TYPE_CHECKING:
    from rankscope.runs import Judgments, RunSet

# The choices of rankscope.files, written out so that --help does not import the readers; a test holds them equal.
ON_DUPLICATE = ("error", "first", "best")
ON_CONFLICT = ("error", "first", "last", "max", "mean")
TIES = ("id", "rank")
NAME_FROM = ("file", "tag")
BESIDE = "beside"

runs_argument = click.argument("runs", nargs=-1, required=True, metavar="RUNS...")


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How to read runs and judgments, as the options say."""

    cache: str | None
    on_duplicate: Any
    on_conflict: Any
    ties: Any
    name: Any

    def runs(self, paths: Sequence[str], *, jobs: int | None = None) -> RunSet:
        """The runs in these files, folders and patterns."""
        from rankscope.files import read_runs

        return read_runs(
            list(paths),
            name=self.name,
            ties=self.ties,
            on_duplicate=self.on_duplicate,
            cache=True if self.cache == BESIDE else self.cache,
            jobs=jobs,
        )

    def judgments(self, path: str) -> Judgments:
        """The judgments in this file."""
        from rankscope.files import read_judgments

        return read_judgments(path, on_conflict=self.on_conflict)


_OPTIONS = (
    click.option(
        "--cache",
        metavar="FOLDER",
        help="Keep what was read of the runs in this folder, so that the next time is faster; "
        f"'{BESIDE}' keeps it beside the runs.",
    ),
    click.option(
        "--on-duplicate",
        type=click.Choice(ON_DUPLICATE),
        default="error",
        show_default=True,
        help="A document twice in a ranking: stop, count its first line, or its best score.",
    ),
    click.option(
        "--on-conflict",
        type=click.Choice(ON_CONFLICT),
        default="error",
        show_default=True,
        help="A document judged twice, with different grades: stop, or take one of them, or their mean.",
    ),
    click.option(
        "--ties",
        type=click.Choice(TIES),
        default="id",
        show_default=True,
        help="Equal scores go by document name descending, as trec_eval has it, or by the rank column.",
    ),
    click.option(
        "--name",
        type=click.Choice(NAME_FROM),
        default="file",
        show_default=True,
        help="Call systems by the name of their file, or by the tag in it.",
    ),
)


def reading(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options for reading runs and judgments, given to the command as one `reading`."""

    @functools.wraps(command)
    def run(
        *args: Any, cache: str | None, on_duplicate: str, on_conflict: str, ties: str, name: str, **kwargs: Any
    ) -> Any:
        how = Reading(cache=cache, on_duplicate=on_duplicate, on_conflict=on_conflict, ties=ties, name=name)
        return command(*args, reading=how, **kwargs)

    wrapped: Callable[..., Any] = run
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped


@contextlib.contextmanager
def warnings_as_remarks() -> Iterator[None]:
    """Say rankscope's warnings on stderr, in one line each and each once."""
    from rankscope.errors import RankscopeWarning

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RankscopeWarning)
        yield
    for text in dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, RankscopeWarning)):
        remark(text)
    for warning in caught:
        if not issubclass(warning.category, RankscopeWarning):
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


def remark(text: str) -> None:
    """One line on stderr, from rankscope."""
    streams.remark(f"rankscope: {text}")
