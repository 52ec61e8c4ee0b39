"""What a column of a table is called on paper, and how its values are written.

A column is known by its name, which CSV and frames have: `tau_b`, `worth_low`, `random_labels_pvalue`. Names that are
not listed become words, so that a new table needs nothing here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from rankscope.errors import RankscopeError
from rankscope.measure_names import measure_label
from rankscope.report.numbers import DASH, decimals, score_digits, worth_number

HEADINGS = {
    "adjusted": "$p$ (adjusted)",
    "ac1": "AC1",
    "asl": "ASL",
    "best_probability": "P(best)",
    "both_alike": "both, same order",
    "both_opposite": "both, opposite",
    "cap": "most topics",
    "chance_pvalue": "$p$ (chance)",
    "critical_value": "critical value",
    "d_rank": "d_rank",
    "epsilon": "ε",
    "e_rho2": "Eρ²",
    "equal": "equal labels",
    "equal_at": "equal at",
    "estimate_only_alike": "estimate only, same order",
    "estimate_only_opposite": "estimate only, opposite",
    "ext": "RBO",
    "f1": "F1",
    "greatest": "max.",
    "human_expected_tau": "expected τ of the truth",
    "judge_only_alike": "judge only, same order",
    "judge_only_opposite": "judge only, opposite",
    "judge_rel": "relevant from (judge)",
    "k": "$k$",
    "kappa_linear": "κ (linear)",
    "kappa_quadratic": "κ (quadratic)",
    "ks": "KS distance",
    "least": "min.",
    "marginal": "rank set (marginal)",
    "own_worth": "worth, this scale alone",
    "p": "$p$",
    "places": "ranks gained",
    "p_holm": "$p$ (Holm)",
    "phi": "Φ",
    "pvalue": "$p$",
    "r2": "$R²$",
    "random_labels_tau": "τ of random labels",
    "rank_distance": "d_rank",
    "rank_distance_pvalue": "$p$ of d_rank",
    "same_winner": "same best system",
    "sd": "SD",
    "simultaneous": "rank set (simultaneous)",
    "t_squared": "$T²$",
    "tau": "τ",
    "tau_change": "change of τ without it",
    "tau_human": "expected τ, truth",
    "tau_judge": "expected τ, estimate",
    "theta": "θ",
    "ties": "under ties",
    "truth_rel": "relevant from (truth)",
    "truth_only_alike": "truth only, same order",
    "truth_only_opposite": "truth only, opposite",
    "typical": "rank set (typical)",
    **{f"q{share}": f"{share} %" for share in (5, 25, 75, 95)},
    **{name: name.upper() for name in ("kd", "ml", "msqd", "res", "shw", "shwo")},
    "bayes": "Bayes",
    "bayes_bootstrap": "Bayesian bootstrap",
}

_IDENTIFIER = re.compile(r"[a-z][a-z0-9_. ]*")
_P = re.compile(r"(?:^|_)(?:p|pvalue|p_holm|adjusted|asl)$")
_WORTH = re.compile(r"(?:^|_)(?:worth|cap|equal_at)(?:_low|_high)?$")
# Ranks, grades and settings: as short as they are.
_SHORT = re.compile(
    r"(?:^|^\w+_)rank(?:_without|_using)?$|(?<!mean) rank$|(?:^|_)(?:places|label|level|rel|lowest|highest|fraction|"
    r"cost|moved|farthest|times|up_to|indistinguishable_from)$"
)
_ONE = re.compile(r"^(?:expected_rank|mean rank|ranks_gained|width|may_be_best|\w+_topics)$")
_SCORE = re.compile(
    r"(?<!tau)(?:^|_)(?:score|score_without|score_using|truth|estimate|human|judge|predicted|corrected|mean|gap|shift|advantage|"
    r"original|simulated|difference)(?:_low|_high)?$"
)
_LEAST_P = 0.001


def heading(column: str) -> str | None:
    """The heading of a column in our own words; None for a name of the user's.

    >>> heading("tau_ap"), heading("truth_rank"), heading("topic_pvalue"), heading("nDCG@10")
    ('τ_AP', 'Truth rank', '$p$ (topic)', None)
    """
    words = HEADINGS.get(column) or symbol(column)
    if words is None and _IDENTIFIER.fullmatch(column):
        about, _, last = column.rpartition("_")
        words = f"$p$ ({about})" if last == "pvalue" else re.sub(r"\btau\b", "τ", column.replace("_", " "))
        words = f"SE of {about.replace('_', ' ')}" if last == "se" else words.replace("_", " ")
    return words if words is None or words[1:2] in ("", "_", ",", "@", "(", " ") else words[0].upper() + words[1:]


def measure_name(name: str) -> str:
    """A measure as the field writes it; a name with parameters is as somebody wrote it on purpose.

    >>> measure_name("ndcg_cut_10"), measure_name("AP(rel=1)"), measure_name("mine")
    ('nDCG@10', 'AP(rel=1)', 'mine')
    """
    return name if "(" in name else measure_label(name)


def symbol(name: str) -> str | None:
    """The symbol of the coefficient, or of the statistic of labels, that has this name; None if none has.

    >>> symbol("rbo(p=0.8)"), symbol("kappa"), symbol("system")
    ('RBO(p=0.8)', 'κ', None)
    """
    from rankscope.coefficients import coefficient
    from rankscope.inference.labels.statistics import STATISTICS
    from rankscope.inference.topic_level import topic_coefficient

    try:
        by_topic = topic_coefficient(name)
        return coefficient(name).symbol if by_topic is None else by_topic.symbol
    except RankscopeError:
        known = {statistic.name: statistic.symbol for statistic in STATISTICS if statistic.agreement}
        return known.get(name)


def _statistic(name: str) -> str:
    from rankscope.inference.labels.statistics import STATISTICS

    return next((statistic.label for statistic in STATISTICS if statistic.name == name), name)


# Columns whose text is ours, not the user's, with what it becomes.
WORDS: dict[str, Callable[[str], str]] = {
    "coefficient": lambda name: symbol(name) or name,
    "estimator": lambda name: HEADINGS.get(name, name),
    "statistic": _statistic,
    "verdict": str.capitalize,
}


def written(column: str, values: Sequence[Any], digits: int | None) -> list[str]:
    """The numbers of a column as text, a dash where there is none.

    >>> written("tau_b", [0.8, None, 0.91234], None), written("pvalue", [0.0004, 0.0213], None)
    (['0.800', '–', '0.912'], ['<.001', '.021'])
    >>> written("truth_rank", [1.0, 2.5], None), written("pairs", [1200, 3], None), written("r2", [0.00001], 2)
    (['1', '2.5'], ['1,200', '3'], ['<0.01'])
    """
    numbers = [value for value in values if isinstance(value, float)]
    write = _writer(column, numbers, digits)
    return [
        DASH if value is None else f"{value:,}".replace("-", "−") if isinstance(value, int) else write(value)
        for value in values
    ]


def _writer(column: str, numbers: Sequence[float], digits: int | None) -> Callable[[float], str]:
    """How the numbers of this column are written."""
    if _P.search(column):
        return _p
    if digits is None and _WORTH.search(column):
        return lambda value: worth_number(value).replace("> ", ">").replace("< ", "<")
    if digits is None and _ONE.search(column):
        digits = 1
    elif _SHORT.search(column) and symbol(column) is None and not column.startswith("kappa"):
        return lambda value: decimals(value) if not math.isfinite(value) else f"{value:g}".replace("-", "−")
    if digits is None and (_SCORE.search(column) or heading(column) is None):
        digits = score_digits(numbers)
    if digits is None:
        largest = max((abs(value) for value in numbers if math.isfinite(value)), default=0.0)
        digits = 3 if largest <= 10.0 else 2 if largest <= 1000.0 else 1
    places = digits
    return lambda value: _rounded(value, places)


def _p(value: float) -> str:
    if not math.isfinite(value):
        return DASH
    return "<.001" if value < _LEAST_P else f"{value:.3f}".removeprefix("0") if value < 0.9995 else "1.000"


def _rounded(value: float, digits: int) -> str:
    """A number with these decimals; one that would be shown as zero, and is not, is below the least that is shown."""
    if math.isfinite(value) and 0.0 < abs(value) < 0.5 * 10.0**-digits:
        least = f"{10.0**-digits:.{digits}f}"
        return f"<{least}" if value > 0.0 else f">−{least}"
    return decimals(value, digits)
