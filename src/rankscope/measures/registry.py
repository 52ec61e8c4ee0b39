"""Every measure in display order, groups of measures, and the lookup by name."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import TypeVar

from rankscope.errors import BadParameter, UnknownName
from rankscope.measure_names import canonical
from rankscope.measures import compat, gain, precision, preference, sets, users
from rankscope.measures.record import Measure, Record, check_cutoff
from rankscope.names import Value, parse
from rankscope.parameters import check_parameters

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

# The record of each name, in its canonical spelling.
_BY_NAME = {
    canonical(name): record
    for record in RECORDS
    for name in (record.name, *record.also, *([] if record.trec is None else [record.trec]))
}
_PARTS = re.compile(r"(?P<base>[^(@\s]+)(?:\s*\((?P<parameters>.*)\))?(?:\s*(?P<cutoff>@.*))?", re.DOTALL)
# Names are separated by white space and commas, which may also occur inside parentheses.
_WORD = re.compile(r"(?:\([^)]*\)?|[^\s,(])+")


def all_measures() -> tuple[Record, ...]:
    """The records of all measures that rankscope computes itself, in display order.

    Returns
    -------
    tuple[Record, ...]
        A record has the name, reference, parameters and traits of a measure.

    Examples
    --------
    >>> [record.name for record in all_measures() if record.unjudged == "left out"]
    ['Bpref']
    """
    return RECORDS


def parse_measure(name: str | Measure) -> Measure:
    """The measure of this name, with its parameters and cutoff.

    A measure that rankscope does not compute itself is looked up in ir_measures; `provider` names who computes it.

    Parameters
    ----------
    name : str | Measure
        A name as in ir_measures (`nDCG@10`, `AP(rel=2)`) or trec_eval (`ndcg_cut_10`, `map`); a measure is returned as
        it is.

    Returns
    -------
    Measure
        Its `str` is the name as ir_measures writes it.

    Raises
    ------
    UnknownName
        If there is no measure of this name.
    BadParameter
        If a parameter or the cutoff is not allowed.

    Examples
    --------
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
        raise BadParameter(f"{name!r}: {cut!r} is not a cutoff; write {record.name}@10") from None
    parameters = check_parameters(record.name, record.parameters, _parameters(name, parts["parameters"]))
    return Measure(record, parameters, check_cutoff(record, cutoff))


def parse_measures(measures: str | Measure | Iterable[str | Measure]) -> tuple[Measure, ...]:
    """Several measures by name, with groups expanded; each once, in the order given.

    Parameters
    ----------
    measures : str | Measure | Iterable[str | Measure]
        Names, also several in a string, separated by white space or commas; or the groups `trec` and `gupta2019`.

    Returns
    -------
    tuple[Measure, ...]
        The measures.

    Raises
    ------
    UnknownName
        If there is no measure of a name.
    BadParameter
        If no measure is named, or a parameter or cutoff is not allowed.

    Examples
    --------
    >>> len(parse_measures("gupta2019")), [str(m) for m in parse_measures("AP map, nDCG@10")]
    (23, ['AP', 'nDCG@10'])
    """
    given = [measures] if isinstance(measures, str | Measure) else list(measures)
    names: list[str | Measure] = []
    for measure in given:
        if isinstance(measure, Measure):
            names.append(measure)
        else:
            names.extend(name for word in _WORD.findall(measure) for name in GROUPS.get(word, (word,)))
    if not names:
        raise BadParameter("no measure is named; name some, such as nDCG@10, AP or the group trec")
    return tuple(dict.fromkeys(map(parse_measure, names)))


class ByMeasure(dict[str, V]):
    """Values by measure, found under any spelling of the measure's name.

    >>> ByMeasure({"nDCG@10": 0.5})["ndcg_cut_10"]
    0.5
    """

    def __missing__(self, name: str | Measure) -> V:
        canonical_name = str(parse_measure(name))
        if canonical_name not in self:
            raise BadParameter(f"{canonical_name} was not computed; there are: {', '.join(self)}")
        return self[canonical_name]


def _parameters(name: str, inside: str | None) -> tuple[tuple[str, Value], ...]:
    if not inside or not inside.strip():
        return ()
    # A mapping of gains contains commas, which the grammar of names allows in quotes only.
    quoted = re.sub(r"\{([^{}']*)\}", lambda gains: "'" + re.sub(r"\s", "", gains[1]) + "'", inside)
    try:
        return parse(f"measure({quoted})").parameters
    except UnknownName as error:
        raise UnknownName(str(error).replace(f"measure({quoted})", name)) from None


def _elsewhere(name: str, base: str) -> Measure:
    """The measure of this name in ir_measures, or an error that offers similar names."""
    from rankscope.measures.elsewhere import find, names

    measure = find(name)
    if measure is not None:
        return measure
    known = {spelling.casefold(): spelling for spelling in (*names(), *GROUPS)}
    for record in reversed(RECORDS):
        known |= {spelling.casefold(): record.name for spelling in (*record.also, record.trec or record.name)}
        known[record.name.casefold()] = record.name
    near = difflib.get_close_matches(base.casefold(), known, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(dict.fromkeys(known[key] for key in near))}? There are" if near else "there are"
    offered = ", ".join(record.name for record in RECORDS)
    raise UnknownName(f"no measure is called {base!r}; {hint}: {offered}; groups: {', '.join(GROUPS)}")
