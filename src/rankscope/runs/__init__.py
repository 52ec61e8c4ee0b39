"""Runs and judgments, coded by integers once so that they can be scored many times.

What a run retrieved for a topic is a list of codes into that topic's pool, the distinct documents that any run
retrieved. Judgments are rows of (topic, document, grade). `join` finds the judged documents in every ranking, with
their ranks; measures need no more than these, so that scoring under other grades is a gather over few numbers.
"""

from rankscope.runs.covered import Coverage, coverage
from rankscope.runs.ids import Bytes, Codes, Floats, Ids, Positions
from rankscope.runs.joined import JudgedRuns, join, join_all
from rankscope.runs.judgments import Judgments
from rankscope.runs.runset import RunSet
from rankscope.runs.sampled import JudgmentSample

__all__ = [
    "Bytes",
    "Codes",
    "Coverage",
    "Floats",
    "Ids",
    "JudgedRuns",
    "JudgmentSample",
    "Judgments",
    "Positions",
    "RunSet",
    "coverage",
    "join",
    "join_all",
]
