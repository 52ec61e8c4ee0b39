"""The answer of `label_agreement`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import UnknownName
from rankscope.results import Interval, Result, Table


@dataclass(frozen=True, kw_only=True)
class LabelValue:
    """A statistic with its topic-bootstrap interval; None where it is not defined, and then `reason` says why.

    `undefined` counts the draws of topics in which it was not defined.
    """

    name: str
    label: str
    symbol: str
    value: float | None
    interval: Interval | None
    standard_error: float | None
    undefined: int
    reason: str | None


@dataclass(frozen=True, kw_only=True)
class BinaryAgreement:
    """How the judge finds what is relevant: grades of at least `truth_rel` and `judge_rel` are.

    Precision is None where the judge calls nothing relevant, recall where the truth does not, F1 where neither does.
    """

    truth_rel: float
    judge_rel: float
    both: int
    judge_only: int
    truth_only: int
    neither: int
    precision: float | None
    recall: float | None
    f1: float | None
    kappa: float | None


@dataclass(frozen=True, kw_only=True)
class TopicAgreement:
    """Agreement on one topic; `pairs` were judged by both sides. What is None is not defined there."""

    topic: str
    pairs: int
    truth_only: int
    judge_only: int
    equal: float | None
    kappa: float | None
    kappa_binary: float | None
    alpha_ordinal: float | None
    mean_difference: float


@dataclass(frozen=True, kw_only=True)
class LabelCoverage:
    """Who judged what: pairs of topic and document, and topics; `topics` are those with a pair judged by both."""

    pairs: int
    truth_only: int
    judge_only: int
    topics: int
    topics_truth_only: tuple[str, ...]
    topics_judge_only: tuple[str, ...]
    topics_without_shared_pair: tuple[str, ...]

    @property
    def share(self) -> float:
        """The share of the truth's pairs that the judge judged."""
        return self.pairs / (self.pairs + self.truth_only)


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelAgreement(Result):
    """Agreement of two sets of judgments on the pairs that both judged.

    `confusion` counts pairs by the truth's label (rows) and the judge's (columns), both in the order of `labels`.
    `binary` cuts each side at its own threshold, `thresholds` both sides at the same ones. `remarks` say what a reader
    should know of the labels.
    """

    truth: str | None
    judge: str | None
    values: tuple[LabelValue, ...]
    coverage: LabelCoverage
    labels: tuple[float, ...] | None
    confusion: npt.NDArray[np.int64] | None
    binary: BinaryAgreement
    thresholds: tuple[BinaryAgreement, ...]
    topics: tuple[TopicAgreement, ...]
    remarks: tuple[str, ...]
    settings: dict[str, Any]

    def __getitem__(self, name: str) -> LabelValue:
        """The statistic of this name."""
        for value in self.values:
            if value.name == name:
                return value
        raise UnknownName(f"no statistic {name!r}: choose one of {', '.join(value.name for value in self.values)}")

    def value(self, name: str) -> float | None:
        """The value of the statistic of this name."""
        return self[name].value

    def table(self) -> Table:
        """One row per statistic."""
        rows = [
            (v.name, v.value, v.interval and v.interval.low, v.interval and v.interval.high, v.standard_error)
            for v in self.values
        ]
        return Table(("statistic", "value", "low", "high", "standard_error"), tuple(rows))

    def confusion_table(self) -> Table:
        """The confusion matrix, the truth's labels in rows."""
        if self.labels is None or self.confusion is None:
            return Table(("truth",), ())
        names = [f"{label:g}" for label in self.labels]
        rows = [(name, *counts) for name, counts in zip(names, self.confusion.tolist(), strict=True)]
        return Table(("truth", *(f"judge {name}" for name in names)), tuple(rows))

    def topic_table(self) -> Table:
        """One row per topic."""
        columns = tuple(TopicAgreement.__dataclass_fields__)
        return Table(columns, tuple(tuple(getattr(topic, name) for name in columns) for topic in self.topics))

    def threshold_table(self) -> Table:
        """One row per threshold, each side's own first."""
        columns = tuple(BinaryAgreement.__dataclass_fields__)
        every = (self.binary, *(one for one in self.thresholds if one != self.binary))
        return Table(columns, tuple(tuple(getattr(one, name) for name in columns) for one in every))
