"""Parameters that the names of coefficients and measures may carry: `rbo(p=0.8)`, `nDCG(dcg='exp-log2')@10`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from rankscope.errors import BadParameter
from rankscope.names import Value


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A parameter: its default, its meaning, and which values it may have.

    The type of the default is that of the parameter: a boolean, a number or a text. A value is one of `choices`, if
    there are any; a number is at least `least` and below `below`; a text matches `pattern`, as `example` does. A name
    carries the values that differ from the default, and with `always_named` the default too if it was given.
    """

    name: str
    default: Value | None
    meaning: str
    choices: tuple[Value, ...] = ()
    least: float | None = None
    below: float | None = None
    pattern: str = ""
    example: str = ""
    always_named: bool = False

    def check(self, owner: str, value: Value) -> Value:
        """The value, as a float where the default is one; an error that names the owner if it is not allowed.

        >>> Parameter(name="p", default=0.9, meaning="persistence", least=0.0, below=1.0).check("rbo", 0)
        0.0
        """
        where = f"{owner}({self.name}={value})"
        if self.choices and value not in self.choices:
            raise BadParameter(f"{where}: one of {', '.join(map(str, self.choices))}")
        if isinstance(self.default, bool):
            if not isinstance(value, bool):
                raise BadParameter(f"{where}: {self.name} is true or false")
            return value
        if self.pattern and re.fullmatch(self.pattern, str(value)) is None:
            raise BadParameter(f"{where}: write {self.name}={self.example}")
        return self._check_number(where, value) if isinstance(self.default, int | float) else value

    def _check_number(self, where: str, value: Value) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BadParameter(f"{where}: {self.name} is a number")
        if self.least is not None and not value >= self.least:
            raise BadParameter(f"{where}: {self.name} is {self.least:g} or more")
        if self.below is not None and not value < self.below:
            raise BadParameter(f"{where}: {self.name} is below {self.below:g}")
        if not math.isfinite(value):
            raise BadParameter(f"{where}: {self.name} is a finite number")
        return float(value) if isinstance(self.default, float) else value


def check_parameters(
    owner: str, parameters: tuple[Parameter, ...], given: Iterable[tuple[str, Value]]
) -> tuple[tuple[str, Value], ...]:
    """The given parameters that belong into the owner's name, checked, in the order of its parameters.

    >>> p = Parameter(name="p", default=0.8, meaning="persistence")
    >>> check_parameters("RBP", (p,), [("p", 0.8)]), check_parameters("RBP", (p,), [("p", 1)])
    ((), (('p', 1.0),))
    """
    known = {parameter.name: parameter for parameter in parameters}
    named: dict[str, Value] = {}
    for name, value in given:
        if name not in known:
            raise BadParameter(f"{owner} has no parameter {name!r}; it has: {', '.join(known) or 'none'}")
        checked = known[name].check(owner, value)
        if known[name].always_named or checked != known[name].default:
            named[name] = checked
    return tuple((name, named[name]) for name in known if name in named)
