"""Every measure in display order, groups of them, and how a name finds one."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import TypeVar

from rankscope.errors import BadParameter, UnknownName
from rankscope.files.measure_names import canonical
from rankscope.measures import compat, gain, precision, preference, sets, users
from rankscope.measures.record import Measure, Record, settle
from rankscope.names import Value, parse

RECORDS: tuple[Record, ...] = (
    precision.AP,
    precision.GMAP,
    preference.INF_AP,
    gain.NDCG,
    gain.DCG,
    precision.P,
    precision.R,
    precision.RPREC,
    precision.RR,
    precision.SUCCESS,
    preference.BPREF,
    users.ERR,
    users.RBP,
    users.INSQ,
    users.INST,
    compat.COMPAT,
    precision.IPREC,
    precision.IPREC_MEAN,
    sets.SET_P,
    sets.SET_R,
    sets.SET_F,
    sets.SET_AP,
    sets.UTILITY,
    sets.JUDGED,
    sets.NUM_Q,
    sets.NUM_RET,
    sets.NUM_REL,
    sets.NUM_REL_RET,
)

V = TypeVar("V")

_CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
GROUPS: dict[str, tuple[str, ...]] = {
    "gupta2019": (
        *(f"{base}@{k}" for base in ("AP", "nDCG", "P", "R") for k in (10, 20, 100, 1000)),
        "Rprec",
        "Bpref",
        "RR",
        "ERR@20",
        "RBP(p=0.5)",
        "RBP(p=0.8)",
        "RBP(p=0.95)",
    ),
    "trec": (
        "NumQ",
        "NumRet",
        "NumRel",
        "NumRelRet",
        "AP",
        "GMAP",
        "Rprec",
        "Bpref",
        "RR",
        *(f"IPrec@{level / 10:g}" for level in range(11)),
        *(f"P@{k}" for k in _CUTS),
    ),
}

# One spelling of each name, as `canonical` has it, with the record that it means.
_BY_NAME = {
    canonical(name): record
    for record in RECORDS
    for name in (record.name, *record.also, *([] if record.trec is None else [record.trec]))
}
_PARTS = re.compile(r"(?P<base>[^(@\s]+)(?:\s*\((?P<parameters>.*)\))?(?:\s*(?P<cutoff>@.*))?", re.DOTALL)
# Names stand between white space and commas, which parentheses may hold too.
_WORD = re.compile(r"(?:\([^)]*\)?|[^\s,(])+")


def all_measures() -> tuple[Record, ...]:
    """The records of all measures that rankscope computes itself, in display order.

    >>> [record.name for record in all_measures() if record.unjudged == "left out"]
    ['Bpref']
    """
    return RECORDS


def parse_measure(name: str | Measure) -> Measure:
    """The measure of this name: `nDCG@10`, `AP(rel=2)`, or trec_eval's `ndcg_cut_10`, `map`.

    What rankscope does not compute itself is looked up in ir_measures; `provider` says who computes it.

    >>> str(parse_measure("nDCG(dcg='exp-log2')@10")), str(parse_measure("P_10")), str(parse_measure("gm_map"))
    ("nDCG(dcg='exp-log2')@10", 'P@10', 'GMAP')
    """
    if isinstance(name, Measure):
        return name
    parts = _PARTS.fullmatch(name.strip())
    if parts is None:
        raise UnknownName(f"{name!r} is not a measure; names look like nDCG@10, AP(rel=2) or map")
    base, _, cut = canonical(parts["base"] + (parts["cutoff"] or "").replace(" ", "")).partition("@")
    record = _BY_NAME.get(base)
    if record is None:
        return _elsewhere(name, parts["base"])
    try:
        cutoff = float(cut) if cut else None
    except ValueError:
        raise BadParameter(f"{name!r}: {cut!r} is no cutoff; write {record.name}@10") from None
    return settle(record, _parameters(name, parts["parameters"]), cutoff)


def parse_measures(measures: str | Measure | Iterable[str | Measure]) -> tuple[Measure, ...]:
    """Measures by name, several in one string if need be, and groups expanded; each once, in the order given.

    >>> len(parse_measures("gupta2019")), [str(m) for m in parse_measures("AP map, nDCG@10")]
    (23, ['AP', 'nDCG@10'])
    """
    given = [measures] if isinstance(measures, str | Measure) else list(measures)
    found: dict[Measure, None] = {}
    for one in given:
        words = [one] if isinstance(one, Measure) else _WORD.findall(one)
        for word in words:
            for name in GROUPS.get(word, (word,)) if isinstance(word, str) else (word,):
                found[parse_measure(name)] = None
    if not found:
        raise BadParameter("no measure is named; name some, as nDCG@10, AP or the group trec")
    return tuple(found)


class ByMeasure(dict[str, V]):
    """Something for each measure, found under any spelling of its name.

    >>> ByMeasure({"nDCG@10": 0.5})["ndcg_cut_10"]
    0.5
    """

    def __missing__(self, name: str | Measure) -> V:
        settled = str(parse_measure(name))
        if settled not in self:
            raise BadParameter(f"{settled} was not computed; there are: {', '.join(self)}")
        return self[settled]


def _parameters(name: str, inside: str | None) -> tuple[tuple[str, Value], ...]:
    if not inside or not inside.strip():
        return ()
    # A mapping of gains holds commas; the grammar of names has quotes for such.
    quoted = re.sub(r"\{([^{}']*)\}", lambda found: "'" + re.sub(r"\s", "", found[1]) + "'", inside)
    try:
        return parse(f"measure({quoted})").parameters
    except UnknownName as error:
        raise UnknownName(str(error).replace(f"measure({quoted})", name)) from None


def _elsewhere(name: str, base: str) -> Measure:
    from rankscope.measures.elsewhere import find, names

    found = find(name)
    if found is not None:
        return found
    known = {spelling.casefold(): spelling for spelling in (*names(), *GROUPS)}
    for record in reversed(RECORDS):
        known |= {spelling.casefold(): record.name for spelling in (*record.also, record.trec or record.name)}
        known[record.name.casefold()] = record.name
    near = difflib.get_close_matches(base.casefold(), known, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(dict.fromkeys(known[key] for key in near))}? " if near else ""
    offered = ", ".join(record.name for record in RECORDS)
    raise UnknownName(f"no measure is called {base!r}; {hint}There are: {offered}; groups: {', '.join(GROUPS)}")
