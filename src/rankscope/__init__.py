"""rankscope tells whether two evaluations rank systems alike, how sure one may be, and where they part.

`import rankscope as rs` is cheap: but for the errors, each public name is imported from its module on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from rankscope.errors import (
    AmbiguousMeasure,
    BadFile,
    BadParameter,
    BinaryFile,
    ConstantInput,
    DuplicateScore,
    EmptyFile,
    MismatchedNames,
    MissingName,
    MissingScores,
    NoNumericColumn,
    NotANumber,
    NotFinite,
    RaggedRow,
    RankscopeError,
    RankscopeWarning,
    ShapeMismatch,
    TooFewSystems,
    UnknownMeasure,
    UnknownName,
    UnnamedData,
    UnreadableFile,
    UnrecognisedFormat,
    UnwritableOutput,
)

if TYPE_CHECKING:
    from rankscope.coefficients import (
        all_coefficients,
        coefficient,
        fuzzy_kendall,
        kendall,
        pearson,
        pearson_rank,
        rbo,
        spearman,
        tau_a,
        tau_ap,
        tau_ap_a,
        tau_ap_b,
        tau_b,
        tau_gap,
        weighted_tau,
    )
    from rankscope.coefficients.ties import TieBounds, tie_bounds
    from rankscope.files import read_scores, write_scores
    from rankscope.scores import ScoreMatrix, SystemScores, align
    from rankscope.studies.comparison import Comparison, compare

__version__ = "0.1.0.dev0"

_LAZY = {
    "rankscope.studies.comparison": ("Comparison", "compare"),
    "rankscope.files": ("read_scores", "write_scores"),
    "rankscope.scores": ("ScoreMatrix", "SystemScores", "align"),
    "rankscope.coefficients": (
        "all_coefficients",
        "coefficient",
        "fuzzy_kendall",
        "kendall",
        "pearson",
        "pearson_rank",
        "rbo",
        "spearman",
        "tau_a",
        "tau_ap",
        "tau_ap_a",
        "tau_ap_b",
        "tau_b",
        "tau_gap",
        "weighted_tau",
    ),
    "rankscope.coefficients.ties": ("TieBounds", "tie_bounds"),
}
_MODULE_OF = {name: module for module, names in _LAZY.items() for name in names}

__all__ = [
    "AmbiguousMeasure",
    "BadFile",
    "BadParameter",
    "BinaryFile",
    "Comparison",
    "ConstantInput",
    "DuplicateScore",
    "EmptyFile",
    "MismatchedNames",
    "MissingName",
    "MissingScores",
    "NoNumericColumn",
    "NotANumber",
    "NotFinite",
    "RaggedRow",
    "RankscopeError",
    "RankscopeWarning",
    "ScoreMatrix",
    "ShapeMismatch",
    "SystemScores",
    "TieBounds",
    "TooFewSystems",
    "UnknownMeasure",
    "UnknownName",
    "UnnamedData",
    "UnreadableFile",
    "UnrecognisedFormat",
    "UnwritableOutput",
    "align",
    "all_coefficients",
    "coefficient",
    "compare",
    "fuzzy_kendall",
    "kendall",
    "pearson",
    "pearson_rank",
    "rbo",
    "read_scores",
    "spearman",
    "tau_a",
    "tau_ap",
    "tau_ap_a",
    "tau_ap_b",
    "tau_b",
    "tau_gap",
    "tie_bounds",
    "weighted_tau",
    "write_scores",
]


def __getattr__(name: str) -> object:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'rankscope' has no attribute {name!r}")
    value = getattr(importlib.import_module(module), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *_MODULE_OF]
