"""What can go wrong, one class per cause, and what is worth a warning.

Every message names the place, the problem and the way out, so that the command line can print it as it is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence


class RankscopeError(ValueError):
    """The base of every error rankscope raises on purpose."""


class BadFile(RankscopeError):
    """A file cannot be read as what it should be; `path` and, where there is one, `line` say where."""

    def __init__(self, path: str | os.PathLike[str], problem: str, *, line: int | None = None) -> None:
        self.path = os.fspath(path)
        self.line = line
        self.problem = problem
        place = self.path if line is None else f"{self.path}:{line}"
        super().__init__(f"{place}: {problem}")


class UnreadableFile(BadFile):
    """The file or folder does not exist, may not be read, or its compression is broken."""


class EmptyFile(BadFile):
    """The file holds no rows."""


class BinaryFile(BadFile):
    """The file is not text, and not Parquet either where that may be."""


class UnrecognisedFormat(BadFile):
    """The content fits none of the known formats, or not the one it was said to have."""


class RaggedRow(BadFile):
    """A row has more or fewer fields than the others."""


class NotANumber(BadFile):
    """A score or a grade is not a number."""


class DuplicateScore(BadFile):
    """The same system has two scores on the same topic, or two columns have the same name."""


class DuplicateSystem(BadFile):
    """Two files would give systems of the same name."""


class DuplicateDocument(BadFile):
    """A run retrieves the same document twice for a topic."""


class ConflictingJudgments(BadFile):
    """The same document has two different grades for a topic."""


class MissingName(BadFile):
    """A row does not say which system, topic or measure its score belongs to."""


class NoNumericColumn(BadFile):
    """No column holds scores."""


class AmbiguousMeasure(BadFile):
    """There are several measures and none was chosen."""


class UnknownMeasure(BadFile):
    """The measure that was asked for is not there."""


class UnwritableOutput(BadFile):
    """The output cannot be written; nothing was left half written."""


class MismatchedCheckpoint(BadFile):
    """The folder keeps parts of a study with other settings, or of none."""


class MissingScores(RankscopeError):
    """Some system has no score on some topic. NaN is missing, never silently averaged."""


class MismatchedNames(RankscopeError):
    """Systems or topics are on one side of a comparison only."""


class UnnamedData(RankscopeError):
    """One side has names and the other has none, so that they cannot be aligned."""


class UnknownName(RankscopeError):
    """No such coefficient, measure or estimator, or a name that does not parse."""


class BadParameter(RankscopeError):
    """A parameter is unknown or out of its range."""


class ShapeMismatch(RankscopeError):
    """Two arrays do not hold scores of the same systems, or an array has the wrong number of dimensions."""


class UnreachableCluster(RankscopeError):
    """The cluster does not answer, has no workers, or was lost on the way."""


class NotFinite(RankscopeError):
    """A score is NaN or infinite where a ranking needs a number."""


class TooFewSystems(RankscopeError):
    """A ranking needs two systems at least."""


class TooLarge(RankscopeError):
    """What was asked for would not fit in the memory that is free."""


class ConstantMeasure(RankscopeError):
    """A measure scores all alike, so that it neither correlates with others nor predicts them."""


class RankscopeWarning(UserWarning):
    """The base of every warning rankscope issues."""


class ConstantInput(RankscopeWarning):
    """One side scores all systems alike: it ranks nothing, so that the coefficient is `nan`."""


class DuplicateJudgments(RankscopeWarning):
    """Some judgments are there more than once with the same grade; they count once."""


class UnwrittenCache(RankscopeWarning):
    """The cache cannot be written, so that the next reading takes as long as this one."""


class UnkeptKernels(RankscopeWarning):
    """Compiled code cannot be kept where it should be, so that the next start may take as long as this one."""


def check_memory(needed: float, what: str, way_out: str) -> None:
    """Raise `TooLarge` before anything is computed that takes more bytes than are free.

    >>> check_memory(8.0, "one number", "take none")
    """
    try:
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # a system that does not tell
        return
    if needed > free:
        raise TooLarge(f"{what} takes about {needed / 1e9:,.1f} GB, and {free / 1e9:,.1f} GB are free; {way_out}")


def some(names: Sequence[str], most: int = 5) -> str:
    """The first few names and the count of all, for an error that lists what is missing.

    >>> some(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    shown = ", ".join(repr(name) for name in names[:most])
    rest = len(names) - most
    return shown if rest <= 0 else f"{shown} and {rest} more"


# How the same names are often written differently, and what is alike then.
_SPELLINGS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("leading zeros", lambda name: name.lstrip("0")),
    ("upper and lower case", str.casefold),
    ("letters around the number", lambda name: re.sub(r"[^0-9]", "", name).lstrip("0") or name),
)


def nothing_in_common(
    what: str, sides: tuple[str, str], first: Sequence[str], second: Sequence[str]
) -> MismatchedNames:
    """The error for two sides that share no topic or system, with the likely cause where one is seen.

    >>> print(nothing_in_common("topic", ("a", "b"), ["01", "02"], ["1", "2"]))
    a and b have no topic in common: '01' and '1' are probably the same (leading zeros); rename the topics of one side
    """
    problem = f"{sides[0]} and {sides[1]} have no {what} in common"
    for difference, alike in _SPELLINGS:
        known = {alike(name): name for name in second}
        pairs = [(name, known[alike(name)]) for name in first if alike(name) in known]
        if 2 * len(pairs) >= min(len(first), len(second)) > 0:
            same = f"{pairs[0][0]!r} and {pairs[0][1]!r} are probably the same ({difference})"
            return MismatchedNames(f"{problem}: {same}; rename the {what}s of one side")
    shown = f"{some(first, 2)} against {some(second, 2)}"
    return MismatchedNames(f"{problem} ({shown}); check that both are about the same {what}s")
