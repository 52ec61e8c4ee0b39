"""The public names, each listed once. `__init__.py` imports them from here on first use; type checkers read them."""

from .battles import (
    Battles as Battles,
    BattleScores as BattleScores,
)
from .coefficients import (
    all_coefficients as all_coefficients,
    coefficient as coefficient,
    fuzzy_kendall as fuzzy_kendall,
    kendall as kendall,
    pairwise_accuracy as pairwise_accuracy,
    pearson as pearson,
    pearson_rank as pearson_rank,
    rbo as rbo,
    spearman as spearman,
    tau_a as tau_a,
    tau_ap as tau_ap,
    tau_ap_a as tau_ap_a,
    tau_ap_b as tau_ap_b,
    tau_b as tau_b,
    tau_gap as tau_gap,
    weighted_tau as weighted_tau,
)
from .coefficients.lists import (
    ListOverlap as ListOverlap,
    PairOverlap as PairOverlap,
    RunOverlap as RunOverlap,
    rbo_lists as rbo_lists,
    rbo_runs as rbo_runs,
)
from .coefficients.ties import (
    TieBounds as TieBounds,
    tie_bounds as tie_bounds,
)
from .errors import (
    AmbiguousMeasure as AmbiguousMeasure,
    BadFile as BadFile,
    BadParameter as BadParameter,
    BinaryFile as BinaryFile,
    ConflictingJudgments as ConflictingJudgments,
    ConstantInput as ConstantInput,
    DifferentScales as DifferentScales,
    ConstantMeasure as ConstantMeasure,
    DuplicateDocument as DuplicateDocument,
    DuplicateJudgments as DuplicateJudgments,
    DuplicateScore as DuplicateScore,
    DuplicateSystem as DuplicateSystem,
    EmptyFile as EmptyFile,
    LeftOutBattles as LeftOutBattles,
    IgnoredColumns as IgnoredColumns,
    MismatchedCheckpoint as MismatchedCheckpoint,
    MismatchedNames as MismatchedNames,
    MissingName as MissingName,
    MissingScores as MissingScores,
    NoNumericColumn as NoNumericColumn,
    NoStrengths as NoStrengths,
    NotANumber as NotANumber,
    NotFinite as NotFinite,
    RaggedRow as RaggedRow,
    RankscopeError as RankscopeError,
    RankscopeWarning as RankscopeWarning,
    RepeatedScores as RepeatedScores,
    ShapeMismatch as ShapeMismatch,
    SkippedFile as SkippedFile,
    TooFewSystems as TooFewSystems,
    TooLarge as TooLarge,
    UnknownMeasure as UnknownMeasure,
    UnknownName as UnknownName,
    UnnamedData as UnnamedData,
    UnreachableCluster as UnreachableCluster,
    UnreadableFile as UnreadableFile,
    UnrecognisedFormat as UnrecognisedFormat,
    UnwritableOutput as UnwritableOutput,
    UnwrittenCache as UnwrittenCache,
)
from .files import (
    read_battles as read_battles,
    read_judgments as read_judgments,
    read_runs as read_runs,
    read_sample as read_sample,
    read_scores as read_scores,
)
from .files.groups import (
    read_groups as read_groups,
)
from .inference.agreement import (
    Bootstrap as Bootstrap,
    bootstrap as bootstrap,
)
from .inference.allowed_ranks import (
    AllowedRanks as AllowedRanks,
    allowed_ranks as allowed_ranks,
)
from .inference.corrections import (
    adjust as adjust,
)
from .inference.discrimination import (
    DiscriminativePower as DiscriminativePower,
    MeasurePower as MeasurePower,
    discriminative_power as discriminative_power,
    sakai_discriminative_power as sakai_discriminative_power,
)
from .inference.expected import (
    ExpectedCorrelation as ExpectedCorrelation,
    expected_correlation as expected_correlation,
)
from .inference.influence import (
    TopicInfluence as TopicInfluence,
    topic_influence as topic_influence,
)
from .inference.intervals import (
    kendall_interval as kendall_interval,
)
from .inference.labels import (
    LabelAgreement as LabelAgreement,
    label_agreement as label_agreement,
)
from .inference.new_topics import (
    NewTopicAgreement as NewTopicAgreement,
    new_topic_agreement as new_topic_agreement,
)
from .inference.pairs import (
    Significance as Significance,
    significance as significance,
)
from .inference.permutation import (
    Permutation as Permutation,
    permutation_test as permutation_test,
)
from .inference.rank_contour import (
    RankContour as RankContour,
    rank_contour as rank_contour,
)
from .inference.rank_distance import (
    RankDistance as RankDistance,
    d_rank as d_rank,
)
from .inference.rank_distance_null import (
    RankDistanceNull as RankDistanceNull,
    RankDistanceTest as RankDistanceTest,
    rank_distance_null as rank_distance_null,
    rank_distance_test as rank_distance_test,
)
from .inference.sampling import (
    document_influence as document_influence,
    draw_sample as draw_sample,
    inclusion_probabilities as inclusion_probabilities,
)
from .inference.swap_tests import (
    SwapTest as SwapTest,
    SwapValue as SwapValue,
    swap_test as swap_test,
)
from .inference.topic_level import (
    TopicAgreement as TopicAgreement,
    TopicValue as TopicValue,
    topic_agreement as topic_agreement,
)
from .inference.worth import (
    Worth as Worth,
    worth as worth,
)
from .inputs import (
    align as align,
    coverage as coverage,
    join as join,
    write_judgments as write_judgments,
    write_runs as write_runs,
    write_sample as write_sample,
    write_scores as write_scores,
)
from .measure_table import (
    MeasureTable as MeasureTable,
    read_measures as read_measures,
)
from .measures import (
    Evaluation as Evaluation,
    Measure as Measure,
    TopicEvaluation as TopicEvaluation,
    all_measures as all_measures,
    evaluate as evaluate,
    parse_measure as parse_measure,
    parse_measures as parse_measures,
    rescore as rescore,
    score as score,
)
from .report.loading import (
    load as load,
)
from .runs import (
    Coverage as Coverage,
    JudgedRuns as JudgedRuns,
    JudgmentSample as JudgmentSample,
    Judgments as Judgments,
    RunSet as RunSet,
)
from .scores import (
    ScoreMatrix as ScoreMatrix,
    SystemScores as SystemScores,
)
from .simulation import (
    CollectionModel as CollectionModel,
    Diagnostics as Diagnostics,
    FamilyModel as FamilyModel,
    JudgeModel as JudgeModel,
    Simulation as Simulation,
    Track as Track,
    diagnose as diagnose,
    fit_collection as fit_collection,
    simulate as simulate,
    simulate_track as simulate_track,
)
from .simulation.pseudo import (
    pseudo_grades as pseudo_grades,
)
from .studies.labels import (
    LabelReport as LabelReport,
    labels as labels,
)
from .studies.circularity import (
    CircularityStudy as CircularityStudy,
    study_circularity as study_circularity,
)
from .studies.families import (
    name_families as name_families,
)
from .studies.comparison import (
    compare as compare,
)
from .studies.correction import (
    correct as correct,
)
from .studies.correction_result import (
    CorrectedLeaderboard as CorrectedLeaderboard,
    CorrectedSystem as CorrectedSystem,
    Correction as Correction,
    MappedGrade as MappedGrade,
    SampledDocuments as SampledDocuments,
)
from .studies.correction_study import (
    BudgetPoint as BudgetPoint,
    CorrectionStudy as CorrectionStudy,
    study_correction as study_correction,
)
from .studies.depth_cost import (
    DepthCostStudy as DepthCostStudy,
    study_depth_cost as study_depth_cost,
)
from .studies.estimators import (
    EstimatorStudy as EstimatorStudy,
    study_estimators as study_estimators,
)
from .studies.gaps import (
    GapStudy as GapStudy,
    study_gaps as study_gaps,
)
from .studies.holes import (
    HolesStudy as HolesStudy,
    study_holes as study_holes,
)
from .studies.judging.ask import (
    judge as judge,
)
from .studies.judging.answers import (
    JudgeReport as JudgeReport,
)
from .studies.judging.panels import (
    Panel as Panel,
    panel as panel,
)
from .studies.judging.scales import (
    JudgeLabels as JudgeLabels,
    Skipped as Skipped,
)
from .studies.judging.track_report import (
    TracksReport as TracksReport,
)
from .studies.judging.tracks import (
    JudgedTrack as JudgedTrack,
    judge_tracks as judge_tracks,
)
from .studies.metrics.correlation import (
    MeasureCorrelations as MeasureCorrelations,
    correlate_measures as correlate_measures,
)
from .studies.metrics.depths import (
    DepthPredictions as DepthPredictions,
    predict_deep_measures as predict_deep_measures,
)
from .studies.metrics.from_runs import (
    measure_runs as measure_runs,
)
from .studies.metrics.given import (
    MeasurePrediction as MeasurePrediction,
    predict_measure as predict_measure,
)
from .studies.metrics.prediction import (
    MeasurePredictions as MeasurePredictions,
    predict_measures as predict_measures,
)
from .studies.metrics.ranking import (
    MeasureRanking as MeasureRanking,
    rank_measures as rank_measures,
)
from .studies.comparison_result import (
    Comparison as Comparison,
    ComparisonByMeasure as ComparisonByMeasure,
)
from .studies.plan import (
    plan as plan,
    plan_topics as plan_topics,
)
from .studies.plan_result import (
    LabelPlan as LabelPlan,
)
from .studies.pool_depth import (
    PoolDepthStudy as PoolDepthStudy,
    study_pool_depth as study_pool_depth,
)
from .studies.profiles import (
    ProfilesStudy as ProfilesStudy,
    study_profiles as study_profiles,
)
from .studies.pseudo import (
    PseudoStudy as PseudoStudy,
    study_pseudo as study_pseudo,
)
from .studies.ranks import (
    Leaderboard as Leaderboard,
    RankSet as RankSet,
    RankedSystem as RankedSystem,
    Ranking as Ranking,
    rank as rank,
)
from .studies.reliability import (
    Reliability as Reliability,
    reliability as reliability,
)
from .studies.panel_study import (
    PanelStudy as PanelStudy,
    study_panel as study_panel,
)
from .studies.reorderings import (
    ReorderingStudy as ReorderingStudy,
    study_reorderings as study_reorderings,
)
from .studies.repeats import (
    RepeatsStudy as RepeatsStudy,
    study_repeats as study_repeats,
)
from .studies.swaps import (
    SwapStudy as SwapStudy,
    study_swaps as study_swaps,
)
from .studies.topic_subsets import (
    TopicsStudy as TopicsStudy,
    study_topics as study_topics,
)
from .studies.uniques import (
    UniquesStudy as UniquesStudy,
    study_uniques as study_uniques,
)
from .studies.verdict import (
    Verdict as Verdict,
)
from .studies.weights import (
    PairWeights as PairWeights,
    study_weights as study_weights,
)

__all__: list[str]
__version__: str
