"""What a coefficient *is*: one record each, from which choices, errors, docs, labels and tests are derived."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from rankscope.inputs import ScoresLike
from rankscope.names import Name, Value
from rankscope.parameters import Parameter
from rankscope.scores import Floats

Breaks = Literal["none", "truth", "estimate", "both"]


@dataclass(frozen=True, kw_only=True)
class Record:
    """A coefficient and its traits.

    `breaks` is the side whose ties leave the published definition open; `tie_bounds` breaks them. `interval` is true
    where gaps between scores matter, not only their order. `by_default` is false for those shown only when asked for.

    `best_in_agreement` is true where, over all ways to break ties, the value is greatest with those that agree with the
    other side and least with those that disagree. `mean_over_ties` takes what `function` takes, and gives the mean over
    all ways to break ties. Without them `tie_bounds` has to search where there are too many ways to try.
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
    by_default: bool = True
    best_in_agreement: bool = False
    mean_over_ties: Callable[..., float | Floats] | None = field(default=None, repr=False)

    @property
    def ordinal(self) -> bool:
        """Whether scores of which only the order is meaningful may be compared (Gao & Oard 2015, Table 1): always."""
        return True


@dataclass(frozen=True)
class Coefficient:
    """A coefficient with values for its parameters and cutoff: a function of (truth, estimate) that has a name.

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
    def settings(self) -> Mapping[str, Value | None]:
        """The values of all parameters, including defaults."""
        return {p.name: p.default for p in self.record.parameters} | dict(self.parameters)

    @property
    def symmetric(self) -> bool:
        """Whether truth and estimate may change places."""
        return self.cutoff is None and (self.record.symmetric or bool(self.settings.get("symmetric", False)))

    @property
    def looks_at(self) -> str:
        """What the coefficient measures, in a few words."""
        what = "the same, mean of both ways" if self.settings.get("symmetric", False) else self.record.looks_at
        return what if self.cutoff is None else f"{what}, in the truth's top {self.cutoff}"

    @property
    def symbol(self) -> str:
        """The symbol with the cutoff and the parameters that differ from their defaults: τ_AP@10, RBO(p=0.8)."""
        both_ways = " sym." if self.settings.get("symmetric", False) else ""
        shown = ",".join(f"{key}={value}" for key, value in self.parameters if key != "symmetric")
        cutoff = "" if self.cutoff is None else f"@{self.cutoff}"
        return self.record.symbol + both_ways + (f"({shown})" if shown else "") + cutoff
