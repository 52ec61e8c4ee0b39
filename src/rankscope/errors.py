"""Errors and warnings, one class per cause.

Every message names the place, the problem and the way out; the command line prints it as it is.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence


class RankscopeError(ValueError):
    """The base class of all errors that rankscope raises on purpose."""


class BadFile(RankscopeError):
    """A file cannot be read or written as asked; `path` and, where there is one, `line` say where."""

    def __init__(self, path: str | os.PathLike[str], problem: str, *, line: int | None = None) -> None:
        self.path = os.fspath(path)
        self.line = line
        self.problem = problem
        place = self.path if line is None else f"{self.path}:{line}"
        super().__init__(f"{place}: {problem}")


class UnreadableFile(BadFile):
    """The file or folder does not exist, cannot be read, or its compression is broken."""


class EmptyFile(BadFile):
    """The file has no rows."""


class BinaryFile(BadFile):
    """The file is not text (nor Parquet, where that is accepted)."""


class UnrecognisedFormat(BadFile):
    """The content does not fit any known format, or not the one that was forced."""


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
    """The source does not have the measure that was asked for."""


class UnwritableOutput(BadFile):
    """The output cannot be written; no incomplete file is left."""


class MismatchedCheckpoint(BadFile):
    """The checkpoint folder belongs to a study with other settings, or holds something else."""


class MissingScores(RankscopeError):
    """Some system has no score on some topic; missing scores (NaN) are never silently averaged."""


class MismatchedNames(RankscopeError):
    """Systems or topics are on only one side of a comparison."""


class UnnamedData(RankscopeError):
    """Only one side has names, so the two cannot be aligned."""


class UnknownName(RankscopeError):
    """There is no coefficient, measure or estimator of this name, or the name cannot be parsed."""


class BadParameter(RankscopeError):
    """An argument is unknown or out of range."""


class ShapeMismatch(RankscopeError):
    """Two arrays do not hold scores of the same systems, or an array has the wrong number of dimensions."""


class UnreachableCluster(RankscopeError):
    """The cluster does not answer, has no workers, or was lost during the computation."""


class NotFinite(RankscopeError):
    """A score is NaN or infinite where a ranking needs a number."""


class TooFewSystems(RankscopeError):
    """A ranking needs at least two systems."""


class NoStrengths(RankscopeError):
    """Battles do not tell the strengths of all models: some never met the others, or won or lost every battle."""


class TooLarge(RankscopeError):
    """The computation would need more memory than is free, or would take too long."""


class ConstantMeasure(RankscopeError):
    """A measure gives all systems the same score, so it cannot be correlated or used to predict."""


class RankscopeWarning(UserWarning):
    """The base class of all warnings of rankscope."""


class ConstantInput(RankscopeWarning):
    """One side gives all systems the same score; the coefficient is `nan`."""


class DuplicateJudgments(RankscopeWarning):
    """Some judgments are repeated with the same grade; they count once."""


class DifferentScales(RankscopeWarning):
    """Measures on very different scales are ranked by their covariance, which the widest scale then decides."""


class IgnoredColumns(RankscopeWarning):
    """Some columns of a table hold text or nothing where scores might be; they are left out."""


class RepeatedScores(RankscopeWarning):
    """Some systems have several scores on a topic, which `on_duplicate` combines."""


class LeftOutBattles(RankscopeWarning):
    """Some battles say nothing of ranks, or have a label that is to be skipped; they are left out."""


class SkippedFile(RankscopeWarning):
    """A file among runs or scores is something else, such as a README; it is left out."""


class UnwrittenCache(RankscopeWarning):
    """The cache cannot be written; reading again will take as long."""


def some(names: Sequence[str], most: int = 5) -> str:
    """The first names and the number of the others, for an error message.

    >>> some(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    shown = ", ".join(repr(name) for name in names[:most])
    rest = len(names) - most
    return shown if rest <= 0 else f"{shown} and {rest} more"


# Usual differences in spelling, and what the spellings have in common.
_SPELLINGS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("leading zeros", lambda name: name.lstrip("0")),
    ("upper and lower case", str.casefold),
    ("letters around the number", lambda name: re.sub(r"[^0-9]", "", name).lstrip("0") or name),
)


def nothing_in_common(
    what: str, sides: tuple[str, str], first: Sequence[str], second: Sequence[str], way_out: str = ""
) -> MismatchedNames:
    """The error for two sides that share no topic or system, with the likely cause where one is seen.

    >>> print(nothing_in_common("topic", ("a", "b"), ["01", "02"], ["1", "2"]))
    a and b have no topic in common: '01' and '1' are probably the same (leading zeros); rename the topics of one side
    """
    problem = f"{sides[0]} and {sides[1]} have no {what} in common"
    same = spelled_alike(first, second)
    if same is not None:
        return MismatchedNames(f"{problem}: {same}; rename the {what}s of one side{way_out}")
    shown = f"{some(first, 2)} against {some(second, 2)}"
    return MismatchedNames(f"{problem} ({shown}); check that both are about the same {what}s{way_out}")


def spelled_alike(first: Sequence[str], second: Sequence[str]) -> str | None:
    """What shows that names which all differ are probably the same, or None.

    >>> spelled_alike(["01", "02"], ["1", "2"])
    "'01' and '1' are probably the same (leading zeros)"
    """
    for difference, alike in _SPELLINGS:
        known = {alike(name): name for name in second}
        pairs = [(name, known[alike(name)]) for name in first if alike(name) in known]
        if 2 * len(pairs) >= min(len(first), len(second)) > 0:
            return f"{pairs[0][0]!r} and {pairs[0][1]!r} are probably the same ({difference})"
    return None
