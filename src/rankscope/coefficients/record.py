"""What a coefficient *is*: one record each, from which choices, errors, docs, labels and tests are derived."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from rankscope.coefficients.rows import ScoresLike
from rankscope.errors import BadParameter
from rankscope.names import Name, Value
from rankscope.scores import Floats

Breaks = Literal["none", "truth", "estimate", "both"]


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A parameter that a coefficient's name may carry: `rbo(p=0.8)`."""

    name: str
    default: Value
    meaning: str
    choices: tuple[Value, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Record:
    """A coefficient and its traits.

    `breaks` says which side's ties leave the published definition open, and so which side `tie_bounds` orders.
    """

    name: str
    label: str
    symbol: str
    looks_at: str
    reference: str
    function: Callable[..., float | Floats] = field(repr=False)
    parameters: tuple[Parameter, ...] = ()
    range: tuple[float, float] = (-1.0, 1.0)
    symmetric: bool
    head_weighted: bool
    gap_sensitive: bool
    interval: bool
    breaks: Breaks
    ties: str
    cost: str = "O(m log m)"
    same_as: str | None = None

    @property
    def ordinal(self) -> bool:
        """Whether it may be used with scores of which only the order means something: all may (Table 1)."""
        return True


@dataclass(frozen=True)
class Coefficient:
    """A coefficient with its parameters and cutoff settled: a function of (truth, estimate) that has a name.

    >>> from rankscope.coefficients import coefficient
    >>> rbo = coefficient("rbo(p=0.8)@3")
    >>> str(rbo), rbo([4, 3, 2, 1], [4, 3, 2, 1])
    ('rbo(p=0.8)@3', 1.0)
    """

    record: Record
    parameters: tuple[tuple[str, Value], ...] = ()
    cutoff: int | None = None

    def __str__(self) -> str:
        return str(Name(self.record.name, self.parameters, self.cutoff))

    def __call__(self, truth: ScoresLike, estimate: ScoresLike) -> float | Floats:
        return self.record.function(truth, estimate, k=self.cutoff, **dict(self.parameters))

    @property
    def settings(self) -> Mapping[str, Value]:
        """All parameters, the defaults among them."""
        return {p.name: p.default for p in self.record.parameters} | dict(self.parameters)

    @property
    def symmetric(self) -> bool:
        """Whether truth and estimate may change places."""
        return self.cutoff is None and (self.record.symmetric or bool(self.settings.get("symmetric", False)))

    @property
    def looks_at(self) -> str:
        """What the coefficient looks at, in a few words."""
        what = "the same, mean of both ways" if self.settings.get("symmetric", False) else self.record.looks_at
        return what if self.cutoff is None else f"{what}, in the truth's top {self.cutoff}"

    @property
    def symbol(self) -> str:
        """The symbol with cutoff and what differs from the defaults: τ_AP@10, RBO(p=0.8)."""
        both_ways = " sym." if self.settings.get("symmetric", False) else ""
        shown = ",".join(f"{key}={value}" for key, value in self.parameters if key != "symmetric")
        cutoff = "" if self.cutoff is None else f"@{self.cutoff}"
        return self.record.symbol + both_ways + (f"({shown})" if shown else "") + cutoff


def settle(record: Record, given: tuple[tuple[str, Value], ...], cutoff: int | None) -> Coefficient:
    """Check a name's parameters against its record; those at their default are left out of the name."""
    known = {p.name: p for p in record.parameters}
    kept: list[tuple[str, Value]] = []
    for key, value in given:
        if key not in known:
            names = ", ".join(known) or "none"
            raise BadParameter(f"{record.name} has no parameter {key!r}; it has: {names}")
        parameter = known[key]
        if parameter.choices and value not in parameter.choices:
            choices = ", ".join(map(str, parameter.choices))
            raise BadParameter(f"{record.name}({key}={value}): choose one of {choices}")
        if isinstance(parameter.default, float) and not _is_number(value):
            raise BadParameter(f"{record.name}({key}={value}): {key} is a number")
        if value != parameter.default:
            kept.append((key, float(value) if isinstance(parameter.default, float) else value))
    order = list(known)
    return Coefficient(record, tuple(sorted(kept, key=lambda item: order.index(item[0]))), cutoff)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
