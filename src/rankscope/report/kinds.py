"""Every kind of result, each with one record: what is said of it, its charts, and its page.

Terminal, text files, `print`, pages, figures and notebooks all ask here. To add a kind of result, write its functions
and add its record. A result is named by its class and a function by "module:function" below `rankscope.report`, so that
nothing is loaded before it is needed. A subclass without a record has its base's, at last that of `Result`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rankscope.errors import BadParameter


@dataclass(frozen=True)
class Chart:
    """A chart of a result: its name, the function that draws it without configuration, and what it shows."""

    name: str
    function: str
    shows: str

    def load(self) -> Callable[..., Any]:
        """The function."""
        return load(self.function)


@dataclass(frozen=True)
class Kind:
    """A kind of result: its class, the function that gives its blocks of text, its charts, and its own page if any.

    The first chart is the one that it is shown by. Without a page of its own, the page is the first chart and the text.
    `methods` says for a paper what was done; without it, the heading and the settings do.
    """

    result: str
    text: str
    charts: tuple[Chart, ...] = ()
    page: str | None = None
    methods: str | None = None


KINDS: tuple[Kind, ...] = (
    Kind("Result", "answers:any_result"),
    Kind("OneTable", "answers:one_table"),
    Kind(
        "Comparison",
        "terminal_compare:comparison_blocks",
        (
            Chart(
                "scores", "charts.scores:scores", "scores against scores with bars and diagonal, swapped pairs marked"
            ),
            Chart("ranks", "charts.ranks:ranks", "ranks side by side, significant swaps emphasised"),
            Chart("coefficients", "charts.coefficients:coefficients", "coefficients with their intervals"),
            Chart("worth", "charts.worth:estimates", "what a topic of every estimate is worth, with margins"),
            Chart("discordance", "charts.pairs:discordance", "which pairs of systems change order"),
            Chart("certainty", "charts.pairs:certainty", "which pairs differ significantly on either side"),
            Chart("top", "charts.scores:top", "the best systems of either side"),
            Chart("decisiveness", "charts.win_rates:decisiveness", "win rates of pairs on both sides, with the fit"),
            Chart("contrasts", "charts.coefficients:contrasts", "estimates against each other, with intervals"),
        ),
        page="page_compare:compare_page",
        methods="methods:comparison",
    ),
    Kind(
        "ComparisonByMeasure",
        "terminal_compare:by_measure_blocks",
        (
            Chart("worth", "charts.worth:estimates_by_measure", "what a topic of every estimate is worth, by measure"),
            Chart("scores", "charts.scores:scores", "scores of the truth against those of each estimate"),
            Chart("ranks", "charts.ranks:ranks", "ranks side by side, significant swaps emphasised"),
            Chart("discordance", "charts.pairs:discordance", "which pairs of systems change order"),
            Chart("certainty", "charts.pairs:certainty", "which pairs differ significantly on either side"),
            Chart("top", "charts.scores:top", "the best systems of either side"),
        ),
        page="page_compare:compare_page",
        methods="methods:by_measure",
    ),
    Kind(
        "JudgeReport",
        "terminal_judge:judge_blocks",
        (
            Chart("judges", "charts.worth:judges", "what a topic of every judge is worth, with margins"),
            Chart("scores", "charts.scores:scores", "scores under the truth and under each judge"),
            Chart("ranks", "charts.ranks:ranks", "ranks side by side, significant swaps emphasised"),
            Chart("coefficients", "charts.coefficients:judged", "coefficients beside what random labels reach"),
            Chart("discordance", "charts.pairs:discordance", "which pairs of systems change order"),
            Chart("certainty", "charts.pairs:certainty", "which pairs differ significantly on either side"),
            Chart("top", "charts.scores:top", "the best systems of either side"),
            Chart("shift", "charts.shift:shift", "the shift between truth and judge, by group"),
            Chart("confusion", "charts.labels:confusions", "which labels are confused with which"),
            Chart("topics", "charts.labels:topics", "agreement of labels by topic"),
        ),
        page="page_judge:judge_page",
        methods="methods:judged",
    ),
    Kind(
        "TracksReport",
        "terminal_tracks:tracks",
        (
            Chart("worth", "charts.tracks:worth", "what a topic of every judge is worth on every track, with margins"),
            Chart("levels", "charts.tracks:levels", "the level of every judge on every track"),
        ),
    ),
    Kind(
        "Evaluation",
        "answers:evaluation",
        (Chart("measures", "charts.evaluation:measures", "every system under every measure"),),
    ),
    Kind(
        "TopicEvaluation",
        "answers:topic_evaluation",
        (Chart("topics", "charts.evaluation:topics", "systems and topics under the first measure"),),
    ),
    Kind(
        "Coverage",
        "answers:coverage",
        (Chart("counts", "charts.evaluation:covered", "what runs and judgments do not share"),),
    ),
    Kind(
        "RunOverlap",
        "answers:run_overlap",
        (Chart("matrix", "charts.evaluation:run_overlaps", "the overlap of every two runs"),),
    ),
    Kind(
        "LabelAgreement",
        "answers:label_agreement",
        (
            Chart("statistics", "charts.labels:statistics", "agreement of labels, with intervals"),
            Chart("confusion", "charts.labels:confusion", "which labels are confused with which"),
        ),
    ),
    Kind(
        "LabelReport",
        "terminal_labels:label_blocks",
        (
            Chart("agreement", "charts.labels:judges", "agreement of every judge with the truth, with intervals"),
            Chart("confusion", "charts.labels:judge_confusions", "which labels every judge confuses with which"),
            Chart("topics", "charts.labels:judge_topics", "agreement of every judge by topic"),
            Chart("matrix", "charts.labels:matrix", "agreement of every two sides"),
            Chart("bias", "charts.labels:bias", "who is lenient: mean differences of grades, with intervals"),
        ),
        methods="methods:labels",
    ),
    Kind(
        "Worth",
        "answers:worth",
        (Chart("worth", "charts.worth:worth", "what a topic is worth, by how many topics the judge labels"),),
    ),
    Kind(
        "Bootstrap",
        "answers:bootstrap",
        (
            Chart("intervals", "charts.coefficients:bootstrap", "coefficients with their intervals"),
            Chart("draws", "charts.coefficients:bootstrap_draws", "how each coefficient varies over resampled topics"),
        ),
    ),
    Kind(
        "TopicAgreement",
        "terminal_compare:topic_agreement",
        (Chart("values", "charts.coefficients:by_topic", "agreement by topic, with intervals"),),
    ),
    Kind(
        "SwapTest",
        "terminal_compare:swap_test",
        (Chart("differences", "charts.coefficients:swap_test", "differences beside those after random swaps"),),
    ),
    Kind(
        "Permutation",
        "answers:permutation",
        (Chart("chance", "charts.coefficients:permutation", "the value beside the permutation distribution"),),
    ),
    Kind(
        "Significance",
        "answers:significance",
        (Chart("map", "charts.pairs:significance", "which pairs differ significantly"),),
    ),
    Kind(
        "DiscriminativePower",
        "answers:discriminative_power",
        (Chart("pairs", "charts.power:pairs", "the truth's significant pairs: same order, tied or reversed"),),
    ),
    Kind(
        "MeasurePower",
        "answers:measure_power",
        (Chart("curve", "charts.power:curve", "the curve of achieved significance levels"),),
    ),
    Kind(
        "TopicInfluence",
        "answers:topic_influence",
        (Chart("topics", "charts.topics:influence", "how coefficients move when a topic is left out"),),
    ),
    Kind(
        "NewTopicAgreement",
        "answers:new_topics",
        (Chart("intervals", "charts.evaluation:new_topics", "the agreement to expect with new topics"),),
    ),
    Kind(
        "ExpectedCorrelation",
        "answers:expected_correlation",
        (Chart("draws", "charts.reliability:draws", "draws of the correlation with the truth"),),
    ),
    Kind(
        "Reliability",
        "answers:reliability",
        (
            Chart("topics", "charts.reliability:topics", "expected correlation by number of topics, and the target"),
            Chart("estimators", "charts.reliability:estimators", "the value of every estimator"),
        ),
        methods="methods:reliability",
    ),
    Kind(
        "Ranking",
        "terminal_ranks:ranking",
        (
            Chart("ranks", "charts.rank_sets:rank_sets", "rank sets, best system first, with groups not separated"),
            Chart("distribution", "charts.rank_sets:distribution", "the probability of each rank"),
        ),
        page="page_ranks:ranking_page",
        methods="methods:ranking",
    ),
    Kind(
        "Correction",
        "terminal_correction:correction",
        (
            Chart("scores", "charts.correction:scores", "corrected means with intervals, beside human and judge alone"),
            Chart("ranks", "charts.correction:ranks", "predicted ranks with rank sets, beside human and judge alone"),
        ),
        page="page_ranks:correction_page",
        methods="methods:correction",
    ),
    Kind(
        "LabelPlan",
        "terminal_plan:plan",
        (Chart("precision", "charts.plan:precision", "what to expect of the ranking by budget, the plan marked"),),
    ),
    Kind(
        "RankDistance",
        "answers:rank_distance",
        (Chart("neighbours", "charts.distance:neighbours", "differences between neighbours, and the nearest point θ"),),
    ),
    Kind(
        "RankDistanceTest",
        "answers:rank_distance_test",
        (Chart("null", "charts.distance:tested", "the null distribution, observed distance and critical value"),),
    ),
    Kind(
        "RankDistanceNull",
        "answers:rank_distance_null",
        (Chart("null", "charts.distance:null", "the null distribution and its critical values"),),
    ),
    Kind(
        "NullTable",
        "answers:null_table",
        (Chart("critical", "charts.distance:null_table", "critical values of each baseline"),),
    ),
    Kind(
        "AllowedRanks",
        "answers:allowed_ranks",
        (Chart("ranks", "charts.distance:allowed", "the ranks that systems may take, on a logarithmic scale"),),
    ),
    Kind(
        "RankContour",
        "answers:rank_contour",
        (Chart("contour", "charts.contour:contour", "three systems' mean differences and the nearest point θ"),),
    ),
    Kind(
        "ReorderingStudy",
        "answers:reorderings",
        (Chart("scores", "charts.distance:reorderings", "rankings with the same τ, from near to far"),),
    ),
    Kind(
        "PairWeights",
        "answers:pair_weights",
        (Chart("weights", "charts.pairs:weights", "how much each pair of systems weighs in a coefficient"),),
    ),
    Kind(
        "SwapStudy",
        "answers:swaps",
        (
            Chart("ranks", "charts.swaps:ranks", "ranks before and after one draw of swaps"),
            Chart(
                "coefficients", "charts.swaps:coefficients", "coefficients after swaps: mean, quartiles and extremes"
            ),
        ),
    ),
    Kind(
        "GapStudy",
        "answers:gaps",
        (
            Chart("scores", "charts.gaps:scores", "scores of the median draw of each pair of distributions"),
            Chart("quartiles", "charts.gaps:quartiles", "median, quartiles and extremes of each pair of distributions"),
        ),
    ),
    Kind(
        "EstimatorStudy",
        "answers:estimators",
        (
            Chart("error", "charts.estimators:error", "error of estimators by number of topics and collection"),
            Chart("bias", "charts.estimators:bias", "bias of estimators by number of topics and collection"),
        ),
    ),
    Kind(
        "Diagnostics",
        "answers:diagnostics",
        (Chart("systems", "charts.diagnostics:systems", "original against simulated scores, a point per system"),),
    ),
    Kind(
        "Simulation",
        "answers:simulation",
        (Chart("systems", "charts.diagnostics:simulation", "original against simulated scores, a point per system"),),
    ),
    Kind(
        "PoolDepthStudy",
        "terminal_studies:study_blocks",
        (Chart("depths", "charts.judgments:by_setting", "agreement, rank distance and p by depth of the pool"),),
    ),
    Kind(
        "HolesStudy",
        "terminal_studies:study_blocks",
        (Chart("shares", "charts.judgments:by_setting", "agreement, rank distance and p by share of judgments kept"),),
    ),
    Kind(
        "TopicsStudy",
        "terminal_studies:study_blocks",
        (Chart("sizes", "charts.judgments:topics", "agreement, rank distance and p by number of topics"),),
    ),
    Kind(
        "PseudoStudy",
        "terminal_studies:study_blocks",
        (Chart("agreement", "charts.judgments:pseudo", "agreement of random relevance with the judgments"),),
    ),
    Kind(
        "UniquesStudy",
        "terminal_studies:study_blocks",
        (Chart("scores", "charts.judgments:uniques", "scores with and without a group's unique documents"),),
    ),
    Kind(
        "PanelStudy",
        "terminal_panel:panel",
        (
            Chart("worth", "charts.panel:worth", "worth of judges, panels, and panels without each member"),
            Chart("errors", "charts.panel:errors", "how judges' errors correlate, and the effective number of judges"),
        ),
    ),
    Kind(
        "CorrectionStudy",
        "terminal_correction_study:correction_study",
        (
            Chart("agreement", "charts.correction_study:agreement", "agreement with all human labels, by budget"),
            Chart(
                "designs", "charts.correction_study:designs", "agreement with all human labels, by design and budget"
            ),
            Chart("error", "charts.correction_study:error", "error of means, by budget"),
            Chart("coverage", "charts.correction_study:coverage", "coverage of intervals, by budget"),
        ),
    ),
    Kind(
        "DepthCostStudy",
        "terminal_studies:study_blocks",
        (Chart("cost", "charts.judgments:depth_cost", "agreement against cost, and the cheapest way to a target"),),
    ),
    Kind(
        "CircularityStudy",
        "terminal_judge_studies:circularity",
        (
            Chart("gains", "charts.judge_studies:gains", "gains by the judge against gains by the truth, by noise"),
            Chart("users", "charts.judge_studies:users", "agreement if all systems, or one, use the judge, by noise"),
        ),
    ),
    Kind(
        "ProfilesStudy",
        "terminal_judge_studies:profiles",
        (
            Chart(
                "systems", "charts.judge_studies:profiles", "scores against how far a system succeeds where others do"
            ),
        ),
    ),
    Kind(
        "RepeatsStudy",
        "terminal_judge_studies:repeats",
        (
            Chart("error", "charts.judge_studies:repeats", "error of differences by number of repeats, or of topics"),
            Chart("variance", "charts.judge_studies:variance", "the error of one repeat: topics, repeats, and both"),
        ),
    ),
    Kind(
        "MeasureCorrelations",
        "terminal_metrics:correlations",
        (Chart("heatmap", "charts.metrics:correlation_chart", "correlations with clusters"),),
    ),
    Kind(
        "MeasurePredictions",
        "terminal_metrics:predictions",
        (Chart("fits", "charts.metrics:prediction_chart", "how well measures are predicted"),),
    ),
    Kind(
        "DepthPredictions",
        "terminal_metrics:depth_predictions",
        (Chart("depths", "charts.metrics:depth_chart", "deep measures from shallow ones, by depth"),),
    ),
    Kind(
        "MeasurePrediction",
        "terminal_metrics:prediction",
        (Chart("interval", "charts.metrics:given_chart", "the prediction and its intervals"),),
    ),
    Kind(
        "MeasureRanking",
        "terminal_metrics:ranking",
        (Chart("paths", "charts.metrics:ranking_chart", "the path of each way to choose measures"),),
    ),
)

_BY_CLASS = {kind.result: kind for kind in KINDS}


def load(function: str) -> Callable[..., Any]:
    """The function that "module:function" names."""
    module, name = function.split(":")
    loaded: Callable[..., Any] = getattr(importlib.import_module(f"rankscope.report.{module}"), name)
    return loaded


def kind_of(result: object) -> Kind:
    """The record of a result."""
    for base in type(result).__mro__:
        if base.__name__ in _BY_CLASS:
            return _BY_CLASS[base.__name__]
    raise BadParameter(f"{type(result).__name__} is not a result of rankscope")


def charts_of(result: object) -> tuple[Chart, ...]:
    """The charts of a result, the one it is shown by first."""
    return kind_of(result).charts


def find_chart(result: object, name: str | None = None) -> Chart:
    """The chart of this name, or the first."""
    known, kind = charts_of(result), type(result).__name__
    if not known:
        raise BadParameter(f"{kind} has no chart; its table is in .csv, .tex and .txt, and all of it in .json")
    for chart in known:
        if name in (None, chart.name):
            return chart
    raise BadParameter(f"{kind} has no chart {name!r}; it has: {', '.join(chart.name for chart in known)}")
