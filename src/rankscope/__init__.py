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
    ConflictingJudgments,
    ConstantInput,
    ConstantMeasure,
    DuplicateDocument,
    DuplicateJudgments,
    DuplicateScore,
    DuplicateSystem,
    EmptyFile,
    MismatchedCheckpoint,
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
    TooLarge,
    UnkeptKernels,
    UnknownMeasure,
    UnknownName,
    UnnamedData,
    UnreachableCluster,
    UnreadableFile,
    UnrecognisedFormat,
    UnwritableOutput,
    UnwrittenCache,
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
    from rankscope.files import read_judgments, read_runs, read_scores, write_judgments, write_runs, write_scores
    from rankscope.files.groups import read_groups
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
    from rankscope.inference.labels import LabelAgreement, label_agreement
    from rankscope.inference.new_topics import NewTopicAgreement, new_topic_agreement
    from rankscope.inference.pairs import Significance, significance
    from rankscope.inference.permutation import Permutation, permutation_test
    from rankscope.inference.rank_contour import RankContour, rank_contour
    from rankscope.inference.rank_distance import RankDistance, d_rank
    from rankscope.inference.rank_distance_null import (
        RankDistanceNull,
        RankDistanceTest,
        rank_distance_null,
        rank_distance_test,
    )
    from rankscope.inference.worth import Worth, worth
    from rankscope.measure_table import MeasureTable, read_measures
    from rankscope.measures import (
        Evaluation,
        Measure,
        TopicEvaluation,
        all_measures,
        evaluate,
        parse_measure,
        parse_measures,
        rescore,
        score,
    )
    from rankscope.runs import Coverage, JudgedRuns, Judgments, RunSet, coverage, join
    from rankscope.scores import ScoreMatrix, SystemScores, align
    from rankscope.simulation import (
        CollectionModel,
        Diagnostics,
        FamilyModel,
        JudgeModel,
        Simulation,
        Track,
        diagnose,
        fit_collection,
        simulate,
        simulate_track,
    )
    from rankscope.simulation.pseudo import pseudo_grades
    from rankscope.studies.comparison import compare
    from rankscope.studies.comparison_result import Comparison
    from rankscope.studies.depth_cost import DepthCostStudy, study_depth_cost
    from rankscope.studies.estimators import EstimatorStudy, study_estimators
    from rankscope.studies.gaps import GapStudy, study_gaps
    from rankscope.studies.holes import HolesStudy, study_holes
    from rankscope.studies.judging.answers import JudgeReport
    from rankscope.studies.judging.ask import judge
    from rankscope.studies.metrics.correlation import MeasureCorrelations, correlate_measures
    from rankscope.studies.metrics.depths import DepthPredictions, predict_deep_measures
    from rankscope.studies.metrics.from_runs import measure_runs
    from rankscope.studies.metrics.given import MeasurePrediction, predict_measure
    from rankscope.studies.metrics.prediction import MeasurePredictions, predict_measures
    from rankscope.studies.metrics.ranking import MeasureRanking, rank_measures
    from rankscope.studies.pool_depth import PoolDepthStudy, study_pool_depth
    from rankscope.studies.pseudo import PseudoStudy, study_pseudo
    from rankscope.studies.reliability import Reliability, reliability
    from rankscope.studies.reorderings import ReorderingStudy, study_reorderings
    from rankscope.studies.swaps import SwapStudy, study_swaps
    from rankscope.studies.topic_subsets import TopicsStudy, study_topics
    from rankscope.studies.uniques import UniquesStudy, study_uniques
    from rankscope.studies.verdict import Verdict
    from rankscope.studies.weights import PairWeights, study_weights

__version__ = "0.2.0.dev0"

_LAZY = {
    "rankscope.studies.comparison": ("compare",),
    "rankscope.studies.depth_cost": ("DepthCostStudy", "study_depth_cost"),
    "rankscope.studies.holes": ("HolesStudy", "study_holes"),
    "rankscope.studies.pool_depth": ("PoolDepthStudy", "study_pool_depth"),
    "rankscope.studies.pseudo": ("PseudoStudy", "study_pseudo"),
    "rankscope.studies.topic_subsets": ("TopicsStudy", "study_topics"),
    "rankscope.studies.uniques": ("UniquesStudy", "study_uniques"),
    "rankscope.simulation.pseudo": ("pseudo_grades",),
    "rankscope.files.groups": ("read_groups",),
    "rankscope.studies.comparison_result": ("Comparison",),
    "rankscope.studies.judging.ask": ("judge",),
    "rankscope.studies.judging.answers": ("JudgeReport",),
    "rankscope.measure_table": ("MeasureTable", "read_measures"),
    "rankscope.studies.metrics.correlation": ("MeasureCorrelations", "correlate_measures"),
    "rankscope.studies.metrics.depths": ("DepthPredictions", "predict_deep_measures"),
    "rankscope.studies.metrics.from_runs": ("measure_runs",),
    "rankscope.studies.metrics.given": ("MeasurePrediction", "predict_measure"),
    "rankscope.studies.metrics.prediction": ("MeasurePredictions", "predict_measures"),
    "rankscope.studies.metrics.ranking": ("MeasureRanking", "rank_measures"),
    "rankscope.files": (
        "read_judgments",
        "read_runs",
        "read_scores",
        "write_judgments",
        "write_runs",
        "write_scores",
    ),
    "rankscope.runs": ("Coverage", "JudgedRuns", "Judgments", "RunSet", "coverage", "join"),
    "rankscope.measures": (
        "Evaluation",
        "Measure",
        "TopicEvaluation",
        "all_measures",
        "evaluate",
        "parse_measure",
        "parse_measures",
        "rescore",
        "score",
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
    "rankscope.inference.new_topics": ("NewTopicAgreement", "new_topic_agreement"),
    "rankscope.inference.worth": ("Worth", "worth"),
    "rankscope.studies.estimators": ("EstimatorStudy", "study_estimators"),
    "rankscope.studies.gaps": ("GapStudy", "study_gaps"),
    "rankscope.studies.reorderings": ("ReorderingStudy", "study_reorderings"),
    "rankscope.studies.swaps": ("SwapStudy", "study_swaps"),
    "rankscope.studies.verdict": ("Verdict",),
    "rankscope.studies.weights": ("PairWeights", "study_weights"),
    "rankscope.studies.reliability": ("Reliability", "reliability"),
    "rankscope.simulation": (
        "CollectionModel",
        "Diagnostics",
        "FamilyModel",
        "JudgeModel",
        "Simulation",
        "Track",
        "diagnose",
        "fit_collection",
        "simulate",
        "simulate_track",
    ),
    "rankscope.inference.influence": (
        "TopicInfluence",
        "topic_influence",
    ),
    "rankscope.inference.intervals": ("kendall_interval",),
    "rankscope.inference.labels": ("LabelAgreement", "label_agreement"),
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
    "rankscope.inference.rank_distance_null": (
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
    "ConflictingJudgments",
    "ConstantInput",
    "ConstantMeasure",
    "Coverage",
    "DepthCostStudy",
    "DepthPredictions",
    "Diagnostics",
    "DiscriminativePower",
    "DuplicateDocument",
    "DuplicateJudgments",
    "DuplicateScore",
    "DuplicateSystem",
    "EmptyFile",
    "EstimatorStudy",
    "Evaluation",
    "ExpectedCorrelation",
    "FamilyModel",
    "GapStudy",
    "HolesStudy",
    "JudgeModel",
    "JudgeReport",
    "JudgedRuns",
    "Judgments",
    "LabelAgreement",
    "Measure",
    "MeasureCorrelations",
    "MeasurePower",
    "MeasurePrediction",
    "MeasurePredictions",
    "MeasureRanking",
    "MeasureTable",
    "MismatchedCheckpoint",
    "MismatchedNames",
    "MissingName",
    "MissingScores",
    "NewTopicAgreement",
    "NoNumericColumn",
    "NotANumber",
    "NotFinite",
    "PairWeights",
    "Permutation",
    "PoolDepthStudy",
    "PseudoStudy",
    "RaggedRow",
    "RankContour",
    "RankDistance",
    "RankDistanceNull",
    "RankDistanceTest",
    "RankscopeError",
    "RankscopeWarning",
    "Reliability",
    "ReorderingStudy",
    "RunSet",
    "ScoreMatrix",
    "ShapeMismatch",
    "Significance",
    "Simulation",
    "SwapStudy",
    "SystemScores",
    "TieBounds",
    "TooFewSystems",
    "TooLarge",
    "TopicEvaluation",
    "TopicInfluence",
    "TopicsStudy",
    "Track",
    "UniquesStudy",
    "UnkeptKernels",
    "UnknownMeasure",
    "UnknownName",
    "UnnamedData",
    "UnreachableCluster",
    "UnreadableFile",
    "UnrecognisedFormat",
    "UnwritableOutput",
    "UnwrittenCache",
    "Verdict",
    "Worth",
    "adjust",
    "align",
    "all_coefficients",
    "all_measures",
    "allowed_ranks",
    "bootstrap",
    "coefficient",
    "compare",
    "correlate_measures",
    "coverage",
    "d_rank",
    "diagnose",
    "discriminative_power",
    "evaluate",
    "expected_correlation",
    "fit_collection",
    "fuzzy_kendall",
    "join",
    "judge",
    "kendall",
    "kendall_interval",
    "label_agreement",
    "measure_runs",
    "new_topic_agreement",
    "parse_measure",
    "parse_measures",
    "pearson",
    "pearson_rank",
    "permutation_test",
    "predict_deep_measures",
    "predict_measure",
    "predict_measures",
    "pseudo_grades",
    "rank_contour",
    "rank_distance_null",
    "rank_distance_test",
    "rank_measures",
    "rbo",
    "read_groups",
    "read_judgments",
    "read_measures",
    "read_runs",
    "read_scores",
    "reliability",
    "rescore",
    "sakai_discriminative_power",
    "score",
    "significance",
    "simulate",
    "simulate_track",
    "spearman",
    "study_depth_cost",
    "study_estimators",
    "study_gaps",
    "study_holes",
    "study_pool_depth",
    "study_pseudo",
    "study_reorderings",
    "study_swaps",
    "study_topics",
    "study_uniques",
    "study_weights",
    "tau_a",
    "tau_ap",
    "tau_ap_a",
    "tau_ap_b",
    "tau_b",
    "tau_gap",
    "tie_bounds",
    "topic_influence",
    "weighted_tau",
    "worth",
    "write_judgments",
    "write_runs",
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
