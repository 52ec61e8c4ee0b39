"""What a measure *is*: one record each, from which names, errors, docs, tests and computation are derived."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from rankscope.errors import BadParameter
from rankscope.names import Name, Value
from rankscope.scores import Floats

if TYPE_CHECKING:
    from rankscope.measures.cells import Cells

Cutoff = Literal["none", "optional", "required"]
Summary = Literal["mean", "sum", "geometric"]
Unjudged = Literal["not relevant", "left out", "counted", "a range", "not used"]

NATIVE = "rankscope"

# Ranks are 32-bit integers in kernels.
_LAST_RANK = 2**31 - 1


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A parameter that a measure's name may carry: `RBP(p=0.5)`."""

    name: str
    default: Value | None
    meaning: str
    choices: tuple[Value, ...] = ()
    least: float | None = None
    below: float | None = None
    pattern: str = ""
    example: str = ""

    @property
    def number(self) -> bool:
        """Whether it takes a number."""
        return isinstance(self.default, int | float) and not isinstance(self.default, bool)


@dataclass(frozen=True, kw_only=True)
class Record:
    """A measure and its traits.

    `trec` is its name in trec_eval, with {} for the cutoff. `binary` measures know relevant and not relevant only,
    others use the grade itself. `unjudged` says what becomes of documents that nobody judged. A `summary` over topics
    is the mean, the sum, or the geometric mean where topics hold logarithms. `expected` gives the exact expectation
    when each topic's grades are dealt at random to its judged documents; None where only draws can tell.
    """

    name: str
    label: str
    looks_at: str
    reference: str
    function: Callable[[Cells, Measure], Floats] | None = field(repr=False, default=None)
    expected: Callable[[Cells, Measure], Floats] | None = field(repr=False, default=None)
    parameters: tuple[Parameter, ...] = ()
    cutoff: Cutoff = "none"
    real_cutoff: bool = False
    trec: str | None = None
    trec_cut: str | None = None
    also: tuple[str, ...] = ()
    binary: bool
    range: tuple[float, float] = (0.0, 1.0)
    summary: Summary = "mean"
    unjudged: Unjudged = "not relevant"
    provider: str = NATIVE


@dataclass(frozen=True)
class Measure:
    """A measure with its parameters and cutoff settled; `parse_measure(str(measure)) == measure`.

    >>> from rankscope.measures import parse_measure
    >>> str(parse_measure("ndcg_cut_10")), parse_measure("RBP(p=0.5)")["p"]
    ('nDCG@10', 0.5)
    """

    record: Record
    parameters: tuple[tuple[str, Value], ...] = ()
    cutoff: int | float | None = None

    def __str__(self) -> str:
        text = str(Name(self.record.name, self.parameters))
        text = re.sub(r"gains='([^']*)'", lambda found: f"gains={{{found[1]}}}", text)
        return text if self.cutoff is None else f"{text}@{self.cutoff:{'d' if isinstance(self.cutoff, int) else 'g'}}"

    def __repr__(self) -> str:
        return f"<Measure {self}>"

    def __getitem__(self, parameter: str) -> Any:
        given = dict(self.parameters)
        if parameter in given:
            return given[parameter]
        return next(p.default for p in self.record.parameters if p.name == parameter)

    @property
    def rel(self) -> float | None:
        """The least grade that is relevant, where the name says it."""
        given = dict(self.parameters).get("rel")
        return None if given is None else float(given)

    @property
    def depth(self) -> int:
        """The cutoff, 0 for none, as kernels take it."""
        return 0 if self.cutoff is None else int(self.cutoff)

    @property
    def provider(self) -> str:
        """Who computes it: rankscope, or a provider of ir_measures."""
        return self.record.provider

    @property
    def trec_name(self) -> str:
        """The name in trec_eval's output; rankscope's own where trec_eval has none.

        >>> from rankscope.measures import parse_measure
        >>> parse_measure("nDCG@10").trec_name, parse_measure("ERR@20").trec_name
        ('ndcg_cut_10', 'ERR@20')
        """
        name = self.record.trec if self.cutoff is None else self.record.trec_cut
        if name is None or self.parameters:
            return str(self)
        if self.cutoff is None:
            return name
        return name.format(f"{self.cutoff:.2f}" if self.record.real_cutoff else self.cutoff)


def settle(record: Record, given: tuple[tuple[str, Value], ...], cutoff: float | None) -> Measure:
    """Check a name's parameters against its record; those at their default are left out of the name.

    `rel` stays where it is given: with real-valued grades a binary measure needs it.
    """
    known = {p.name: p for p in record.parameters}
    kept: list[tuple[str, Value]] = []
    for key, value in given:
        if key not in known:
            names = ", ".join(known) or "none"
            raise BadParameter(f"{record.name} has no parameter {key!r}; it has: {names}")
        checked = _checked(record, known[key], value)
        if checked != known[key].default or key == "rel":
            kept.append((key, checked))
    order = list(known)
    kept.sort(key=lambda item: order.index(item[0]))
    return Measure(record, tuple(kept), _cutoff(record, cutoff))


def _checked(record: Record, parameter: Parameter, value: Value) -> Value:
    where = f"{record.name}({parameter.name}={value})"
    if parameter.choices and value not in parameter.choices:
        raise BadParameter(f"{where}: choose one of {', '.join(map(str, parameter.choices))}")
    if isinstance(parameter.default, bool) and not isinstance(value, bool):
        raise BadParameter(f"{where}: {parameter.name} is true or false")
    if parameter.pattern and re.fullmatch(parameter.pattern, str(value)) is None:
        raise BadParameter(f"{where}: write {parameter.name}={parameter.example}")
    if not parameter.number:
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadParameter(f"{where}: {parameter.name} is a number")
    if parameter.least is not None and not value >= parameter.least:
        raise BadParameter(f"{where}: {parameter.name} is {parameter.least:g} or more")
    if parameter.below is not None and not value < parameter.below:
        raise BadParameter(f"{where}: {parameter.name} is below {parameter.below:g}")
    if not math.isfinite(value):
        raise BadParameter(f"{where}: {parameter.name} is a finite number")
    return float(value) if isinstance(parameter.default, float) else value


def _cutoff(record: Record, cutoff: float | None) -> int | float | None:
    name = record.name
    if cutoff is None:
        if record.cutoff == "required":
            example = f"{name}@0.1" if record.real_cutoff else f"{name}@10"
            raise BadParameter(f"{name} needs a cutoff; write {example}")
        return None
    if record.cutoff == "none":
        raise BadParameter(f"{name}@{cutoff:g}: {name} takes no cutoff; write {name}")
    if record.real_cutoff:
        if not 0.0 <= cutoff <= 1.0:
            raise BadParameter(f"{name}@{cutoff:g}: the cutoff is a recall, from 0 to 1")
        return float(cutoff)
    if not 1 <= cutoff <= _LAST_RANK or cutoff != int(cutoff):
        raise BadParameter(f"{name}@{cutoff:g}: the cutoff is a rank, a whole number from 1 to {_LAST_RANK:,}")
    return int(cutoff)
