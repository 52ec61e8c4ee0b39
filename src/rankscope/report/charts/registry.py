"""Which charts a result has, in one tuple; the first of a result is the one that it is shown by.

To add a chart, write a function from the result to an Altair chart without configuration, and add its line here.
Results are named, not imported, so that drawing one loads no other.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rankscope.errors import BadParameter

_HERE = "rankscope.report.charts"


@dataclass(frozen=True)
class ChartRecord:
    """A chart: the class of result it draws, its name among that result's, "module:function", and what it shows."""

    result: str
    name: str
    function: str
    shows: str

    def load(self) -> Callable[..., Any]:
        """The function."""
        module, function = self.function.split(":")
        found: Callable[..., Any] = getattr(importlib.import_module(module), function)
        return found


def _here(result: str, name: str, function: str, shows: str) -> ChartRecord:
    return ChartRecord(result, name, f"{_HERE}.{function}", shows)


_METRICS = f"{_HERE}.metrics"

CHARTS: tuple[ChartRecord, ...] = (
    _here(
        "Comparison", "scores", "scores:scores", "scores against scores with bars and diagonal, swapped pairs marked"
    ),
    _here("Comparison", "ranks", "ranks:ranks", "ranks side by side, significant swaps emphasised"),
    _here("Comparison", "coefficients", "coefficients:coefficients", "coefficients with their intervals"),
    _here("Comparison", "worth", "worth:estimates", "what a topic of every estimate is worth, with margins"),
    _here("Comparison", "discordance", "pairs:discordance", "which pairs of systems change order"),
    _here("Comparison", "contrasts", "coefficients:contrasts", "estimates against each other, with intervals"),
    _here("Worth", "worth", "worth:worth", "what a topic is worth, by how many topics the judge labels"),
    _here("Bootstrap", "intervals", "coefficients:bootstrap", "coefficients with their intervals"),
    _here("Bootstrap", "draws", "coefficients:bootstrap_draws", "how each coefficient varies over resampled topics"),
    _here("Permutation", "chance", "coefficients:permutation", "the value beside what chance gives"),
    _here("Significance", "map", "pairs:significance", "which pairs differ significantly"),
    _here("PairWeights", "weights", "pairs:weights", "how much each pair of systems weighs in a coefficient"),
    _here("SwapStudy", "ranks", "swaps:ranks", "ranks before and after one draw of swaps"),
    _here("SwapStudy", "coefficients", "swaps:coefficients", "coefficients after swaps: mean, quartiles and ends"),
    _here("GapStudy", "scores", "gaps:scores", "scores of the median draw of each pair of distributions"),
    _here("GapStudy", "quartiles", "gaps:quartiles", "median, quartiles and ends of each pair of distributions"),
    _here("ReorderingStudy", "scores", "distance:reorderings", "rankings of one τ, from near to far"),
    _here("RankContour", "contour", "contour:contour", "three systems' mean differences and the nearest point θ"),
    _here("AllowedRanks", "ranks", "distance:allowed", "the ranks that systems may take, on a logarithmic scale"),
    _here("RankDistanceNull", "null", "distance:null", "the null distribution and its critical values"),
    _here("RankDistanceTest", "null", "distance:tested", "the null distribution, observed distance and critical value"),
    _here(
        "RankDistance", "neighbours", "distance:neighbours", "differences between neighbours, and the nearest point θ"
    ),
    _here("NullTable", "critical", "distance:null_table", "critical values of each baseline"),
    _here("DiscriminativePower", "pairs", "power:pairs", "the truth's significant pairs, alike, tied or opposed"),
    _here("MeasurePower", "curve", "power:curve", "the curve of achieved significance levels"),
    _here("TopicInfluence", "topics", "topics:influence", "how coefficients move when a topic is left out"),
    _here("Reliability", "topics", "reliability:topics", "expected correlation by number of topics, and the target"),
    _here("Reliability", "estimators", "reliability:estimators", "what every estimator says"),
    _here("ExpectedCorrelation", "draws", "reliability:draws", "draws of the correlation with the truth"),
    _here("EstimatorStudy", "error", "estimators:error", "error of estimators by number of topics and collection"),
    _here("EstimatorStudy", "bias", "estimators:bias", "bias of estimators by number of topics and collection"),
    _here("Diagnostics", "systems", "diagnostics:systems", "original against simulated scores, a point per system"),
    _here("Simulation", "systems", "diagnostics:simulation", "original against simulated scores, a point per system"),
    _here("JudgeReport", "judges", "worth:judges", "what a topic of every judge is worth, with margins"),
    _here("JudgeReport", "scores", "scores:scores", "scores under the truth and under each judge"),
    _here("JudgeReport", "ranks", "ranks:ranks", "ranks side by side, significant swaps emphasised"),
    _here("JudgeReport", "coefficients", "coefficients:judged", "coefficients beside what random labels reach"),
    _here("JudgeReport", "discordance", "pairs:discordance", "which pairs of systems change order"),
    _here("JudgeReport", "certainty", "pairs:certainty", "what both sides say of pairs that differ significantly"),
    _here("JudgeReport", "top", "scores:top", "the truth's best systems"),
    _here("JudgeReport", "shift", "shift:shift", "the shift between truth and judge, by group"),
    _here("JudgeReport", "confusion", "labels:confusions", "which labels are taken for which"),
    _here("JudgeReport", "topics", "labels:topics", "agreement of labels by topic"),
    _here("PoolDepthStudy", "depths", "judgments:by_setting", "agreement, rank distance and p by depth of the pool"),
    _here("HolesStudy", "shares", "judgments:by_setting", "agreement, rank distance and p by share of judgments kept"),
    _here("TopicsStudy", "sizes", "judgments:by_setting", "agreement, rank distance and p by number of topics"),
    _here("PseudoStudy", "agreement", "judgments:pseudo", "agreement of random relevance with the judgments"),
    _here("UniquesStudy", "scores", "judgments:uniques", "scores with and without a group's unique documents"),
    _here("DepthCostStudy", "cost", "judgments:depth_cost", "agreement against cost, and the cheapest way to a target"),
    _here("Evaluation", "measures", "evaluation:measures", "every system under every measure"),
    _here("TopicEvaluation", "topics", "evaluation:topics", "systems and topics under the first measure"),
    _here("Coverage", "counts", "evaluation:covered", "what runs and judgments do not share"),
    _here("NewTopicAgreement", "intervals", "evaluation:fresh", "the agreement to expect with new topics"),
    _here("LabelAgreement", "statistics", "labels:statistics", "agreement of labels, with intervals"),
    _here("LabelAgreement", "confusion", "labels:confusion", "which labels are taken for which"),
    ChartRecord("MeasureCorrelations", "heatmap", f"{_METRICS}:correlation_chart", "correlations with clusters"),
    ChartRecord("MeasurePredictions", "fits", f"{_METRICS}:prediction_chart", "how well measures are predicted"),
    ChartRecord("DepthPredictions", "depths", f"{_METRICS}:depth_chart", "deep measures from shallow ones, by depth"),
    ChartRecord("MeasureRanking", "paths", f"{_METRICS}:ranking_chart", "the path of each way to choose measures"),
    ChartRecord("MeasurePrediction", "interval", f"{_METRICS}:given_chart", "the prediction and its intervals"),
)

# Results without a chart, and why.
WITHOUT: dict[str, str] = {"OneTable": "one of a study's tables on its own; the study has the charts"}


def charts_of(result: object) -> tuple[ChartRecord, ...]:
    """The charts of a result, the one it is shown by first; a subclass has its base's."""
    for kind in type(result).__mro__:
        found = tuple(record for record in CHARTS if record.result == kind.__name__)
        if found:
            return found
    return ()


def find_chart(result: object, name: str | None = None) -> ChartRecord:
    """The chart of this name, or the first."""
    kind = type(result).__name__
    known = charts_of(result)
    if not known:
        raise BadParameter(f"there is no chart of {kind}; its table is in .csv, .tex and .txt, and all of it in .json")
    if name is None:
        return known[0]
    for record in known:
        if record.name == name:
            return record
    names = ", ".join(record.name for record in known)
    raise BadParameter(f"{kind} has no chart {name!r}; it has: {names}")
