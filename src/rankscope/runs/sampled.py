"""A probability sample of documents for people to label: what was drawn, how probably, and the labels so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.errors import BadParameter, MismatchedNames, ShapeMismatch, some
from rankscope.results import data_frame
from rankscope.runs.ids import Floats, fixed
from rankscope.runs.judgments import Judgments


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgmentSample:
    """Documents that were drawn at random for people to label, each with the probability of being drawn.

    `judgments` are the drawn documents; a grade is NaN while the document has no label. `probabilities` are their
    inclusion probabilities, which make estimates unbiased: a document that is drawn with probability 1/4 stands for
    four. Documents are taken to be drawn independently of each other, as `draw_sample` does.

    Examples
    --------
    >>> sample = JudgmentSample.of({"301": {"d1": (2, 0.5), "d2": (None, 0.1)}})
    >>> sample.probabilities.tolist(), sample.labelled.tolist()
    ([0.5, 0.1], [True, False])
    """

    judgments: Judgments
    probabilities: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "probabilities", fixed(self.probabilities, np.float64))
        if self.probabilities.shape != (len(self.judgments),):
            shape, documents = self.probabilities.shape, len(self.judgments)
            raise ShapeMismatch(f"{shape} probabilities for {documents} documents; give one for each")
        wrong = np.flatnonzero(~((self.probabilities > 0.0) & (self.probabilities <= 1.0)))
        if len(wrong):
            row = int(wrong[0])
            raise BadParameter(
                f"document {self.judgments.ids[row]!r} has inclusion probability {self.probabilities[row]:g}; a "
                "document that can be drawn has one above 0, and at most 1"
            )

    def __repr__(self) -> str:
        topics = len(self.judgments.topics)
        return f"<JudgmentSample: {len(self)} documents of {topics} topics, {int(self.labelled.sum())} labelled>"

    def __len__(self) -> int:
        return len(self.judgments)

    @staticmethod
    def of(
        documents: Mapping[str, Mapping[str, tuple[float | None, float]]], *, name: str | None = None
    ) -> JudgmentSample:
        """A sample from a mapping of topic → document → (grade or None, inclusion probability)."""
        grades = {
            topic: {document: np.nan if grade is None else grade for document, (grade, _) in rows.items()}
            for topic, rows in documents.items()
        }
        probabilities = [probability for rows in documents.values() for _, probability in rows.values()]
        return JudgmentSample(judgments=Judgments.of(grades, name=name), probabilities=np.array(probabilities))

    @property
    def name(self) -> str | None:
        """What messages and reports call it."""
        return self.judgments.name

    @property
    def labelled(self) -> npt.NDArray[np.bool_]:
        """Which documents have a label."""
        return ~np.isnan(self.judgments.grades)

    def keep(self, rows: npt.ArrayLike) -> JudgmentSample:
        """Some documents only, given one truth value for each."""
        kept = self.judgments.keep(rows)
        return JudgmentSample(judgments=kept, probabilities=self.probabilities[np.asarray(rows)])

    def with_labels(self, labels: Judgments) -> JudgmentSample:
        """The same documents with these labels where they have one, and otherwise as they were.

        A label of a document that was not drawn is an error: it would count with no probability. So a larger sample
        takes over the labels of the smaller one that it extends (`larger.with_labels(smaller.judgments)`).

        >>> sample = JudgmentSample.of({"301": {"d1": (None, 0.5), "d2": (None, 0.1)}})
        >>> sample.with_labels(Judgments.of({"301": {"d2": 3}})).judgments.grades.tolist()
        [nan, 3.0]
        """
        row_of = {key: row for row, key in enumerate(_keys(self.judgments))}
        grades = self.judgments.grades.copy()
        strangers = []
        for (topic, document), grade in zip(_keys(labels), labels.grades.tolist(), strict=True):
            row = row_of.get((topic, document))
            if np.isnan(grade):
                continue
            if row is None:
                strangers.append(f"{topic} {document}")
            else:
                grades[row] = grade
        if strangers:
            raise MismatchedNames(
                f"{len(strangers)} labelled documents are not in the sample ({some(strangers)}); draw it with the same "
                "seed and probabilities at least as large, or leave the labels out"
            )
        return replace(self, judgments=self.judgments.with_grades(grades))

    def to_frame(self) -> Any:
        """One row per drawn document: topic, document, grade, probability."""
        return data_frame({**self.judgments.columns(), "probability": self.probabilities})


def _keys(judgments: Judgments) -> list[tuple[str, str]]:
    topics = [judgments.topics[t] for t in judgments.topic_of.tolist()]
    return list(zip(topics, judgments.ids.names(), strict=True))
