"""Judges of a simulated track: how a judge labels documents, given their true grades."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.errors import BadParameter
from rankscope.scores import Floats

Indices = npt.NDArray[np.intp]

NOISE = 0.4
# Rows of a confusion matrix add up to 1 within the rounding of short decimals.
_ROUNDED = 1e-6


@dataclass(frozen=True, kw_only=True)
class JudgeModel:
    """A judge of a simulated track: how likely its labels are given the true grade, and where it errs.

    Parameters
    ----------
    noise : float or None, default None
        The standard deviation of its perception, in grades; None is 0.4. It perceives the true grade plus `leniency`
        plus a normal error, and labels with the nearest grade.
    leniency : float, default 0.0
        How many grades too high it perceives documents.
    confusion : sequence of sequence of float or None, default None
        The probability of each label (column) given each true grade from 0 (row), instead of `noise` and `leniency`.
    labels : sequence of float or None, default None
        The grade of each column of `confusion`; None is 0, 1, 2 and so on.
    favours : str or None, default None
        The family of systems that it favours.
    bias : float, default 0.0
        The correlation, from −1 to 1, of its errors with what the systems of that family see in a document beyond its
        relevance. Their documents are overrated, and others underrated, at the same error rates.
    by_topic : float, default 0.0
        The share, from 0 to 1, of its errors' variance that all documents of a topic have in common.

    Raises
    ------
    BadParameter
        If an option is out of its range or contradicts another.

    Examples
    --------
    >>> JudgeModel(noise=0.5, leniency=0.5).probabilities(2).round(2).tolist()
    [[0.5, 0.48, 0.02], [0.02, 0.48, 0.5], [0.0, 0.02, 0.98]]
    """

    noise: float | None = None
    leniency: float = 0.0
    confusion: Sequence[Sequence[float]] | None = None
    labels: Sequence[float] | None = None
    favours: str | None = None
    bias: float = 0.0
    by_topic: float = 0.0

    def __post_init__(self) -> None:
        if self.noise is not None and not 0.0 <= self.noise < math.inf:
            raise BadParameter(f"noise={self.noise}: a standard deviation in grades, 0 or more")
        if not math.isfinite(self.leniency):
            raise BadParameter(f"leniency={self.leniency}: a finite number of grades")
        if (self.favours is None) != (self.bias == 0.0):
            raise BadParameter("favours and bias go together: name a family and set its bias, such as 0.5")
        if not (0.0 <= self.by_topic <= 1.0 and self.bias**2 + self.by_topic <= 1.0):
            raise BadParameter(
                f"bias={self.bias}, by_topic={self.by_topic}: bias must be from −1 to 1, by_topic from 0 to 1, and "
                "bias² + by_topic at most 1"
            )
        if self.confusion is None:
            if self.labels is not None:
                raise BadParameter("labels are the columns of confusion; give both")
            return
        if self.noise is not None or self.leniency:
            raise BadParameter("confusion sets all error rates; leave out noise and leniency")
        table = tuple(tuple(float(share) for share in row) for row in self.confusion)
        object.__setattr__(self, "confusion", table)
        width = len(table[0]) if table else 0
        if not width or any(
            len(row) != width or not min(row) >= 0.0 or not abs(sum(row) - 1.0) < _ROUNDED for row in table
        ):
            raise BadParameter("confusion: rows of equal length, whose probabilities add up to 1")
        if self.labels is not None:
            object.__setattr__(self, "labels", tuple(float(label) for label in self.labels))
            if len(self.labels) != width or not all(map(math.isfinite, self.labels)):
                raise BadParameter(f"labels={self.labels}: {width} numbers, one for each column of confusion")

    def probabilities(self, highest: int) -> Floats:
        """The probability of each label (column) given each true grade from 0 to `highest` (row)."""
        if self.confusion is not None:
            given = np.array(self.confusion, dtype=np.float64)
            if len(given) != highest + 1:
                raise BadParameter(f"confusion has {len(given)} rows; true grades are 0 to {highest}")
            return np.asarray(given / given.sum(axis=1, keepdims=True))
        grades = np.arange(highest + 1.0)
        above = _normal_cdf(
            grades[:, None] + self.leniency - (grades[1:] - 0.5), NOISE if self.noise is None else self.noise
        )
        edge = np.ones((highest + 1, 1))
        return -np.diff(np.hstack([edge, above, 0.0 * edge]), axis=1)

    def draw(
        self,
        generator: np.random.Generator,
        *,
        grades: Indices,
        topic: Indices,
        highest: int,
        seen: Floats | None = None,
    ) -> Floats:
        """Labels of documents with these true grades and topics; `seen` is what the favoured family sees in them."""
        topics = int(topic.max(initial=-1)) + 1
        own = generator.standard_normal(len(grades))
        shared = generator.standard_normal(topics)[topic]
        error = math.sqrt(self.by_topic) * shared + math.sqrt(1.0 - self.by_topic - self.bias**2) * own
        if self.favours is not None:
            if seen is None:
                raise BadParameter(f"favours={self.favours!r}: give what its systems see in documents (seen)")
            error += self.bias * _normal_scores(seen, grades)
        upper = np.cumsum(self.probabilities(highest), axis=1)[:, :-1]
        columns = (_normal_cdf(error, 1.0)[:, None] > upper[grades]).sum(axis=1)
        labels = np.arange(upper.shape[1] + 1.0) if self.labels is None else np.asarray(self.labels, dtype=np.float64)
        return np.asarray(labels[columns])


def _normal_scores(values: Floats, groups: Indices) -> Floats:
    """Standard normal quantiles of the values' ranks within their group, so that its error rates do not change."""
    from scipy.special import ndtri

    order = np.lexsort((values, groups))
    sizes = np.bincount(groups)
    first = np.cumsum(sizes) - sizes
    ranks = np.empty(len(values))
    ranks[order] = np.arange(len(values)) - first[groups[order]] + 0.5
    return np.asarray(ndtri(ranks / sizes[groups]))


def _normal_cdf(values: Floats, sd: float) -> Floats:
    from scipy.special import ndtr

    return np.asarray(ndtr(values / sd) if sd > 0.0 else (values >= 0.0).astype(np.float64))
