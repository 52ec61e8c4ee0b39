"""Measures of effectiveness: a registry, and `evaluate`, which scores runs under judgments."""

from rankscope.measures.evaluation import Evaluation, TopicEvaluation, evaluate
from rankscope.measures.record import Measure, Record
from rankscope.measures.registry import all_measures, parse_measure, parse_measures
from rankscope.measures.scoring import rescore, score

__all__ = [
    "Evaluation",
    "Measure",
    "Record",
    "TopicEvaluation",
    "all_measures",
    "evaluate",
    "parse_measure",
    "parse_measures",
    "rescore",
    "score",
]
