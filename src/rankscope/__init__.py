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
    from rankscope.inference.agreement import Bootstrap, bootstrap
    from rankscope.inference.allowed_ranks import AllowedRanks, allowed_ranks
    from rankscope.inference.corrections import adjust
    from rankscope.inference.discrimination import (
        DiscriminativePower,
        MeasurePower,
        discriminative_power,
        sakai_discriminative_power,
    )
    from rankscope.inference.expected import ExpectedCorrelation, expected_correlation
    from rankscope.inference.influence import TopicInfluence, topic_influence
    from rankscope.inference.intervals import kendall_interval
    from rankscope.inference.pairs import Significance, significance
    from rankscope.inference.permutation import Permutation, permutation_test
    from rankscope.inference.rank_contour import RankContour, rank_contour
    from rankscope.inference.rank_distance import RankDistance, d_rank
    from rankscope.inference.rank_null import RankDistanceNull, RankDistanceTest, rank_distance_null, rank_distance_test
    from rankscope.scores import ScoreMatrix, SystemScores, align
    from rankscope.simulation import CollectionModel, Diagnostics, Simulation, diagnose, fit_collection, simulate
    from rankscope.studies.comparison import compare
    from rankscope.studies.parts import Comparison
    from rankscope.studies.reliability import Reliability, reliability

__version__ = "0.1.0.dev0"

_LAZY = {
    "rankscope.studies.comparison": ("compare",),
    "rankscope.studies.parts": ("Comparison",),
    "rankscope.files": (
        "read_scores",
        "write_scores",
    ),
    "rankscope.scores": (
        "ScoreMatrix",
        "SystemScores",
        "align",
    ),
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
    "rankscope.coefficients.ties": (
        "TieBounds",
        "tie_bounds",
    ),
    "rankscope.inference.agreement": (
        "Bootstrap",
        "bootstrap",
    ),
    "rankscope.inference.allowed_ranks": (
        "AllowedRanks",
        "allowed_ranks",
    ),
    "rankscope.inference.corrections": ("adjust",),
    "rankscope.inference.discrimination": (
        "DiscriminativePower",
        "MeasurePower",
        "discriminative_power",
        "sakai_discriminative_power",
    ),
    "rankscope.inference.expected": ("ExpectedCorrelation", "expected_correlation"),
    "rankscope.studies.reliability": ("Reliability", "reliability"),
    "rankscope.simulation": (
        "CollectionModel",
        "Diagnostics",
        "Simulation",
        "diagnose",
        "fit_collection",
        "simulate",
    ),
    "rankscope.inference.influence": (
        "TopicInfluence",
        "topic_influence",
    ),
    "rankscope.inference.intervals": ("kendall_interval",),
    "rankscope.inference.pairs": (
        "Significance",
        "significance",
    ),
    "rankscope.inference.permutation": (
        "Permutation",
        "permutation_test",
    ),
    "rankscope.inference.rank_contour": ("RankContour", "rank_contour"),
    "rankscope.inference.rank_distance": (
        "RankDistance",
        "d_rank",
    ),
    "rankscope.inference.rank_null": (
        "RankDistanceNull",
        "RankDistanceTest",
        "rank_distance_null",
        "rank_distance_test",
    ),
}
_MODULE_OF = {name: module for module, names in _LAZY.items() for name in names}

__all__ = [
    "AllowedRanks",
    "AmbiguousMeasure",
    "BadFile",
    "BadParameter",
    "BinaryFile",
    "Bootstrap",
    "CollectionModel",
    "Comparison",
    "ConstantInput",
    "Diagnostics",
    "DiscriminativePower",
    "DuplicateScore",
    "EmptyFile",
    "ExpectedCorrelation",
    "MeasurePower",
    "MismatchedNames",
    "MissingName",
    "MissingScores",
    "NoNumericColumn",
    "NotANumber",
    "NotFinite",
    "Permutation",
    "RaggedRow",
    "RankContour",
    "RankDistance",
    "RankDistanceNull",
    "RankDistanceTest",
    "RankscopeError",
    "RankscopeWarning",
    "Reliability",
    "ScoreMatrix",
    "ShapeMismatch",
    "Significance",
    "Simulation",
    "SystemScores",
    "TieBounds",
    "TooFewSystems",
    "TopicInfluence",
    "UnknownMeasure",
    "UnknownName",
    "UnnamedData",
    "UnreadableFile",
    "UnrecognisedFormat",
    "UnwritableOutput",
    "adjust",
    "align",
    "all_coefficients",
    "allowed_ranks",
    "bootstrap",
    "coefficient",
    "compare",
    "d_rank",
    "diagnose",
    "discriminative_power",
    "expected_correlation",
    "fit_collection",
    "fuzzy_kendall",
    "kendall",
    "kendall_interval",
    "pearson",
    "pearson_rank",
    "permutation_test",
    "rank_contour",
    "rank_distance_null",
    "rank_distance_test",
    "rbo",
    "read_scores",
    "reliability",
    "sakai_discriminative_power",
    "significance",
    "simulate",
    "spearman",
    "tau_a",
    "tau_ap",
    "tau_ap_a",
    "tau_ap_b",
    "tau_b",
    "tau_gap",
    "tie_bounds",
    "topic_influence",
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
