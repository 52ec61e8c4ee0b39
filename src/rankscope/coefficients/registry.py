"""Every coefficient in display order, and the lookup by name."""

from __future__ import annotations

from rankscope.checks import check_name
from rankscope.coefficients import accuracy, ap, gaps, linear, overlap, pairs
from rankscope.coefficients.record import Coefficient, Record
from rankscope.errors import BadParameter
from rankscope.names import parse
from rankscope.parameters import check_parameters

RECORDS: tuple[Record, ...] = (
    pairs.KENDALL,
    pairs.TAU_A,
    pairs.TAU_B,
    ap.TAU_AP,
    ap.TAU_AP_A,
    ap.TAU_AP_B,
    gaps.TAU_GAP,
    gaps.PEARSON_RANK,
    pairs.WEIGHTED_TAU,
    overlap.RBO,
    pairs.FUZZY_KENDALL,
    linear.SPEARMAN,
    linear.PEARSON,
    accuracy.PAIRWISE_ACCURACY,
)

# What text shows where nobody chose coefficients: order, order at the top, gaps at the top, and overlap of the tops.
MAIN = (pairs.KENDALL, pairs.TAU_B, ap.TAU_AP, gaps.TAU_GAP, gaps.PEARSON_RANK, overlap.RBO)

_BY_NAME = {record.name: record for record in RECORDS}
_ALSO = {"tau": "kendall"}
# What is computed from scores by topic rather than from means (`inference/topic_level.py`), as any coefficient with a
# parameter `by` is.
BY_TOPIC = ("spa", "acc_eq")


def all_coefficients() -> tuple[Record, ...]:
    """The records of all coefficients, in display order.

    Returns
    -------
    tuple[Record, ...]
        A record has the name, symbol, reference, function, parameters and traits of a coefficient.

    Examples
    --------
    >>> [record.name for record in all_coefficients() if record.head_weighted and record.gap_sensitive]
    ['tau_gap', 'pearson_rank']
    """
    return RECORDS


def coefficient(name: str | Coefficient) -> Coefficient:
    """The coefficient of this name, with its parameters and cutoff.

    Parameters
    ----------
    name : str | Coefficient
        A name such as `tau_ap`, `rbo(p=0.8)` or `tau_gap(symmetric=true)@10`; a coefficient is returned as it is.

    Returns
    -------
    Coefficient
        A function of (truth, estimate) whose `str` is its shortest name.

    Raises
    ------
    UnknownName
        If there is no coefficient of this name.
    BadParameter
        If a parameter is unknown or its value is not allowed.

    Examples
    --------
    >>> str(coefficient("RBO(p = 0.8, ties=b) @10"))
    'rbo(p=0.8,ties=b)@10'
    """
    if isinstance(name, Coefficient):
        return name
    parsed = parse(name)
    base = parsed.base.lower()
    if base in BY_TOPIC or "by" in dict(parsed.parameters):
        raise BadParameter(f"{name} is computed from scores by topic; only compare and rs.topic_agreement have it")
    record = _BY_NAME[check_name("coefficient", _ALSO.get(base, base), _BY_NAME)]
    parameters = check_parameters(record.name, record.parameters, parsed.parameters)
    return Coefficient(record, parameters, parsed.cutoff)


def default_coefficients() -> tuple[Coefficient, ...]:
    """What is computed where nobody chose coefficients: most records, and symmetric forms of asymmetric ones."""
    chosen: list[Coefficient] = []
    for record in filter(lambda record: record.by_default, RECORDS):
        chosen.append(Coefficient(record))
        if record.same_as is None and any(p.name == "symmetric" for p in record.parameters):
            chosen.append(Coefficient(record, (("symmetric", True),)))
    return tuple(chosen)
