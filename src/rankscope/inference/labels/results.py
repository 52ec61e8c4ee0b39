"""The result of `label_agreement`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import UnknownName
from rankscope.results import ENDS, Interval, Remark, Result, Table, rows_table


@dataclass(frozen=True, kw_only=True)
class LabelValue:
    """A statistic with its topic-bootstrap interval; None where it is not defined, with the reason.

    `undefined` is the number of draws of topics in which it was not defined.
    """

    name: str
    label: str
    symbol: str
    value: float | None = None
    interval: Interval | None = None
    standard_error: float | None = None
    undefined: int = 0
    reason: str | None = None


@dataclass(frozen=True, kw_only=True)
class BinaryAgreement:
    """How well the judge finds the relevant documents: grades of at least `truth_rel` and `judge_rel` are relevant.

    Precision is None where nothing is relevant to the judge, recall where nothing is to the truth, F1 where nothing is
    to either.
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
    """Agreement on one topic with `pairs` documents judged by both sides; None where a statistic is not defined."""

    topic: str
    pairs: int
    truth_only: int
    judge_only: int
    equal: float | None
    kappa: float | None
    kappa_binary: float | None
    alpha_ordinal: float | None
    mean_difference: float | None


@dataclass(frozen=True, kw_only=True)
class GradeBias:
    """The judge's grades of the pairs with one label of the truth: their mean, and how much it exceeds the truth's."""

    label: float
    pairs: int
    judge_mean: float
    difference: float


@dataclass(frozen=True, kw_only=True)
class LabelCoverage:
    """The pairs of topic and document, and the topics, that both sides or only one judged.

    `topics` is the number of those with a pair that both judged; without topics it is the number of items, and the
    topics on one side only are not listed. `failed` are the judge's labels that were left out as failures.
    """

    pairs: int
    truth_only: int
    judge_only: int
    topics: int
    topics_truth_only: tuple[str, ...]
    topics_judge_only: tuple[str, ...]
    topics_without_shared_pair: tuple[str, ...]
    failed: int = 0

    @property
    def share(self) -> float:
        """The share of the truth's pairs that the judge labelled."""
        return self.pairs / (self.pairs + self.truth_only)


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelAgreement(Result):
    """Agreement of two sets of judgments on the pairs of topic and document that both judged.

    Attributes
    ----------
    truth, judge : str or None
        The names of the sides.
    values : tuple of LabelValue
        One per statistic; `result["kappa"]` is the one of this name, `result.value("kappa")` its value.
    coverage : LabelCoverage
        What both sides or only one judged.
    labels : tuple of float or str, or None
        The labels in ascending order; None where there are more than 1,000.
    confusion : ndarray or None
        The number of pairs by the truth's label (rows) and the judge's (columns).
    binary : BinaryAgreement or None
        Relevant or not, each side cut at its own threshold; None where labels are words.
    thresholds : tuple of BinaryAgreement
        The same with both sides cut at the same thresholds.
    grades : tuple of GradeBias
        Whether the judge is lenient or strict, by the truth's label.
    topics : tuple of TopicAgreement
        Agreement by topic; empty where items have no topics.
    remarks : tuple of str
        How grades became labels, and constant sides.
    settings : dict
        The options.
    """

    truth: str | None
    judge: str | None
    values: tuple[LabelValue, ...]
    coverage: LabelCoverage
    labels: tuple[float, ...] | tuple[str, ...] | None
    confusion: npt.NDArray[np.int64] | None
    binary: BinaryAgreement | None
    thresholds: tuple[BinaryAgreement, ...]
    grades: tuple[GradeBias, ...]
    topics: tuple[TopicAgreement, ...]
    remarks: tuple[Remark, ...]
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

    @property
    def unit(self) -> str:
        """What was resampled: "topic", or "item" where there are no topics."""
        return "item" if self.settings["by_item"] else "topic"

    @property
    def label_names(self) -> tuple[str, ...]:
        """The labels as text; empty where there are more than 1,000."""
        return tuple(label if isinstance(label, str) else f"{label:g}" for label in self.labels or ())

    def table(self) -> Table:
        """One row per statistic."""
        columns = {"statistic": "name", "value": "value", **ENDS, "standard_error": "standard_error"}
        return rows_table(self.values, columns)

    def tables(self) -> dict[str, Table]:
        """Every table by name, the main one first."""
        return {
            "statistics": self.table(),
            "confusion": self.confusion_table(),
            "topics": self.topic_table(),
            "thresholds": self.threshold_table(),
            "grades": rows_table(self.grades, GradeBias),
        }

    def confusion_table(self) -> Table:
        """The confusion matrix, the truth's labels in rows."""
        if self.labels is None or self.confusion is None:
            return Table(("truth",), ())
        names = self.label_names
        rows = [(name, *counts) for name, counts in zip(names, self.confusion.tolist(), strict=True)]
        return Table(("truth", *(f"judge {name}" for name in names)), tuple(rows))

    def topic_table(self) -> Table:
        """One row per topic."""
        return rows_table(self.topics, TopicAgreement)

    def threshold_table(self) -> Table:
        """One row per threshold, each side's own first."""
        own = () if self.binary is None else (self.binary,)
        cuts = (*own, *(cut for cut in self.thresholds if cut != self.binary))
        return rows_table(cuts, BinaryAgreement)
