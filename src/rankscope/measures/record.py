"""What a measure *is*: one record each, from which names, errors, docs, tests and computation are derived."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from rankscope.errors import BadParameter
from rankscope.names import Name, Value
from rankscope.parameters import Parameter
from rankscope.scores import Floats

if TYPE_CHECKING:
    from rankscope.measures.cells import Cells

Cutoff = Literal["none", "optional", "required"]
Summary = Literal["mean", "sum", "geometric"]
Unjudged = Literal["not relevant", "left out", "counted", "a range", "not used"]

# How a score is made of the gains of documents: Σ gain × weight of the rank ("sum"), that over the same of the ideal
# order ("ideal"), or Σ gain / rank × the gains down to there, over the sum of all gains ("pairs": AP).
Form = Literal["sum", "ideal", "pairs"]

NATIVE = "rankscope"

# Ranks are 32-bit integers in kernels.
_LAST_RANK = 2**31 - 1


@dataclass(frozen=True, kw_only=True)
class Record:
    """A measure and its traits.

    `trec` is its name in trec_eval and `trec_cut` the one with a cutoff, written {}. `binary` measures distinguish
    relevant and not relevant only, others use the grade itself. `unjudged` is how unjudged documents are treated. The
    `summary` over topics is the mean, the sum, or the geometric mean where the scores of topics are logarithms.
    `parts` gives the gain of each judgment, (B, J), and the weight of each rank, where the score is made of these as
    `form` says. `expected` computes the exact expectation when each topic's grades are permuted at random among its
    judged documents; None if there is no closed form.
    """

    name: str
    label: str
    looks_at: str
    reference: str
    function: Callable[[Cells, Measure], Floats] | None = field(repr=False, default=None)
    expected: Callable[[Cells, Measure], Floats] | None = field(repr=False, default=None)
    parts: Callable[[Cells, Measure], tuple[Floats, Floats]] | None = field(repr=False, default=None)
    form: Form = "sum"
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
    """A measure with values for its parameters and cutoff; `parse_measure(str(measure)) == measure`.

    >>> from rankscope.measures import parse_measure
    >>> str(parse_measure("ndcg_cut_10")), parse_measure("RBP(p=0.5)")["p"]
    ('nDCG@10', 0.5)
    """

    record: Record
    parameters: tuple[tuple[str, Value], ...] = ()
    cutoff: int | float | None = None

    def __str__(self) -> str:
        text = str(Name(self.record.name, self.parameters))
        text = re.sub(r"gains='([^']*)'", r"gains={\1}", text)
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


def check_cutoff(record: Record, cutoff: float | None) -> int | float | None:
    """The cutoff, as an integer where it is a rank; an error if the measure takes another kind of cutoff or none."""
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
