"""`topic_influence`: how each coefficient changes when a topic is left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.coefficients import Coefficient, coefficient
from rankscope.inference.agreement import left_out_values, values_of, with_topics
from rankscope.inputs import ScoresLike
from rankscope.results import Result, Table
from rankscope.scores import Floats, OnMissing


@dataclass(frozen=True, kw_only=True)
class TopicInfluence(Result):
    """Coefficients without each topic.

    A topic with a positive change carries disagreement: without it the two sides agree more.

    Attributes
    ----------
    coefficients, topics : tuple of str
        The names.
    values : ndarray
        Each coefficient with all topics.
    without : ndarray
        Each coefficient (row) without each topic (column).
    settings : dict
        The options.
    """

    coefficients: tuple[str, ...]
    topics: tuple[str, ...]
    values: Floats
    without: Floats
    settings: dict[str, Any]

    @property
    def changes(self) -> Floats:
        """How much each coefficient (row) rises when a topic (column) is left out."""
        return self.without - self.values[:, None]

    def carriers(self, name: str, most: int = 5) -> tuple[tuple[str, float], ...]:
        """The topics whose absence raises a coefficient most, and by how much."""
        changes = self.changes[self.coefficients.index(str(coefficient(name)))]
        order = np.argsort(-changes, kind="stable")[:most]
        return tuple((self.topics[t], float(changes[t])) for t in order if changes[t] > 0.0)

    def table(self) -> Table:
        """One row per coefficient and topic, the largest change first."""
        rows = [
            (name, self.topics[t], float(self.without[c, t]), float(changes[t]))
            for c, (name, changes) in enumerate(zip(self.coefficients, self.changes, strict=True))
            for t in np.argsort(-np.abs(changes), kind="stable")
        ]
        return Table(("coefficient", "topic", "value_without", "change"), tuple(rows))


def topic_influence(
    truth: ScoresLike,
    estimate: ScoresLike,
    coefficients: Sequence[str | Coefficient] = ("kendall",),
    *,
    on_missing: OnMissing = "error",
) -> TopicInfluence:
    """Compute coefficients without each topic in turn.

    Parameters
    ----------
    truth, estimate : ScoresLike
        Scores of the same systems on the same topics.
    coefficients : sequence of str or Coefficient, default ("kendall",)
        The coefficients.
    on_missing : str, default "error"
        What becomes of missing scores, and of systems and topics that only one side has: "error", "intersect", "zero",
        "drop-systems=SHARE", "drop-topics=SHARE" or "connected", as in `align`.

    Returns
    -------
    TopicInfluence
        Each coefficient with all topics and without each.

    Raises
    ------
    MissingScores
        If a side has no topics, fewer than two, or missing scores.

    Examples
    --------
    >>> from rankscope.demo import demo_scores
    >>> tables = demo_scores()
    >>> influence = topic_influence(tables["human"], tables["partial"], ["tau_ap"])
    >>> [topic for topic, change in influence.carriers("tau_ap", 2)] == [
    ...     row[1] for row in influence.table().rows if row[3] > 0
    ... ][:2]
    True
    """
    chosen = [coefficient(name) for name in coefficients]
    x, y = with_topics(truth, estimate, "paired", on_missing)
    return TopicInfluence(
        coefficients=tuple(map(str, chosen)),
        topics=x.topics,
        values=values_of(chosen, x.means[None], y.means[None])[:, 0],
        without=left_out_values(chosen, x, y),
        settings={"on_missing": on_missing},
    )
