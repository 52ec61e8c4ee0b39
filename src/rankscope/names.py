"""The one grammar of names: `tau_ap`, `rbo(p=0.9)`, `tau_gap@10`, `nDCG(dcg='exp-log2')@10`.

A name is a base, parameters in parentheses, and a cutoff behind an at sign; `parse(str(name)) == name`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from rankscope.errors import UnknownName

Value = bool | int | float | str

# White space is allowed only before what must follow it: two stretches side by side could be divided in many ways.
_NAME = re.compile(r"(?P<base>[^\W\d]\w*)(?:\s*\((?P<parameters>.*)\))?(?:\s*@\s*(?P<cutoff>\d{1,18}))?", re.DOTALL)
_PARAMETER = re.compile(r"\s*(?P<key>[^\W\d]\w*)\s*=\s*(?P<value>'(?:[^'\\]|\\.)*'|[^,'\s]+)\s*(?:,|$)", re.DOTALL)


@dataclass(frozen=True)
class Name:
    """A parsed name.

    >>> str(Name("rbo", (("p", 0.9),), cutoff=10))
    'rbo(p=0.9)@10'
    """

    base: str
    parameters: tuple[tuple[str, Value], ...] = ()
    cutoff: int | None = None

    def __str__(self) -> str:
        text = self.base
        if self.parameters:
            text += "(" + ",".join(f"{key}={_write(value)}" for key, value in self.parameters) + ")"
        return text if self.cutoff is None else f"{text}@{self.cutoff}"


def parse(text: str) -> Name:
    """Read a name; the order of its parameters is kept.

    >>> parse("RBP(p=0.8, rel=2)@20")
    Name(base='RBP', parameters=(('p', 0.8), ('rel', 2)), cutoff=20)
    """
    match = _NAME.fullmatch(text.strip())
    if match is None:
        raise UnknownName(f"{text!r} is not a name; names look like tau_ap, rbo(p=0.9) or tau_gap@10")
    parameters: dict[str, Value] = {}
    inside = (match["parameters"] or "").rstrip()
    position = 0
    while position < len(inside):
        parameter = _PARAMETER.match(inside, position)
        if parameter is None:
            raise UnknownName(
                f"{text!r}: {inside[position:]!r} is not a parameter; write name=value, separated by commas"
            )
        if parameter["key"] in parameters:
            raise UnknownName(f"{text!r}: the parameter {parameter['key']} is given twice; keep one")
        parameters[parameter["key"]] = _read(parameter["value"])
        position = parameter.end()
    cutoff = None if match["cutoff"] is None else int(match["cutoff"])
    if cutoff == 0:
        raise UnknownName(f"{text!r}: a cutoff is 1 or more")
    return Name(match["base"], tuple(parameters.items()), cutoff)


def without_prefix(names: Sequence[str], pattern: str, taken: Collection[str] = ()) -> list[str]:
    """Names without the shortest start that matches a pattern; as they are where two would be the same, or one taken.

    >>> without_prefix(["input.bm25", "input.dense", "other"], "input.")
    ['bm25', 'dense', 'other']
    >>> without_prefix(["a/large", "b/large", "b/small"], "*/")
    ['a/large', 'b/large', 'small']
    """
    short = []
    for name in names:
        ends = (end for end in range(1, len(name)) if fnmatchcase(name[:end], pattern))
        short.append(name[next(ends, 0) :])
    counts = Counter([*short, *names, *taken])
    own = [name == rest or counts[rest] == 1 for name, rest in zip(names, short, strict=True)]
    return [rest if unique else name for name, rest, unique in zip(names, short, own, strict=True)]


def without_common_start(names: Sequence[str]) -> list[str]:
    """What is left of names without what they all begin with, up to a mark between words.

    >>> without_common_start(["web2012_ap", "web2012_rr"]), without_common_start(["trec5"])
    (['ap', 'rr'], ['trec5'])
    """
    shared = 0
    for characters in zip(*names, strict=False):
        if len(set(characters)) > 1:
            break
        shared += 1
    cut = max(names[0].rfind(mark, 0, shared) for mark in "_-. /") + 1
    rest = [name[cut:] for name in names]
    return rest if len(names) > 1 and all(rest) and len(set(rest)) == len(rest) else list(names)


def _read(text: str) -> Value:
    if text.startswith("'"):
        return re.sub(r"\\(.)", r"\1", text[1:-1], flags=re.DOTALL)
    if text in ("True", "true"):
        return True
    if text in ("False", "false"):
        return False
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _write(value: Value) -> str:
    if isinstance(value, str):
        bare = re.fullmatch(r"[^\W\d]\w*", value) is not None and isinstance(_read(value), str)
        return value if bare else "'" + re.sub(r"(['\\])", r"\\\1", value) + "'"
    return repr(value)
