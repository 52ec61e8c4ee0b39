"""Scores as functions of the documents' gains, which may be any real numbers, and what each document adds to them.

A measure that is a sum of gain × weight of the rank is linear in the gains; AP is linear in each of them, and divided
by their sum; nDCG is a sum divided by that of the ideal order. So each takes expected gains where grades are not known,
and estimates of gains that are unbiased give unbiased estimates of the numerators.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rankscope.checks import check_memory
from rankscope.errors import BadParameter
from rankscope.measures.cells import Cells
from rankscope.measures.record import Form, Measure
from rankscope.measures.registry import all_measures
from rankscope.runs import JudgedRuns, Positions
from rankscope.scores import Floats


class Ideal(NamedTuple):
    """The ideal order of every topic: its score, and the weight of the rank at which each level of gain ends.

    `levels` are gains in ascending order, `ends` (T, L) say how much one more document of at least that gain adds, and
    `bends` (T, L) how much less the one after it does.
    """

    score: Floats
    levels: Floats
    ends: Floats
    bends: Floats


@dataclass(frozen=True, eq=False)
class DocumentScores:
    """How the scores of all systems follow from the gains of the documents of `judged`, one gain for each judgment.

    `cell`, `row` and `weight` are, for each judged document that counts in a ranking, the ranking (topic × systems +
    system), the judgment, and the weight of its rank; rankings one after another, ranks ascending.
    """

    judged: JudgedRuns
    measure: Measure
    parts: Callable[[Cells, Measure], tuple[Floats, Floats]]
    rank_weights: Floats
    cell: Positions
    row: Positions
    weight: Floats

    @classmethod
    def of(cls, judged: JudgedRuns, measure: Measure) -> DocumentScores:
        """The scores by a measure that is made of the gains of documents; raises `BadParameter` for others."""
        parts = measure.record.parts
        if parts is None:
            names = ", ".join(record.name for record in all_measures() if record.parts is not None)
            raise BadParameter(f"{measure} is not made of the gains of single documents; those that are: {names}")
        if any(p.name == "judged_only" for p in measure.record.parameters) and measure["judged_only"]:
            raise BadParameter(f"{measure}: a sample leaves most documents unjudged; leave judged_only out")
        rank_weights = parts(Cells(judged, np.zeros((1, len(judged.grades)))), measure)[1]
        lengths = np.diff(judged.starts)
        inside = judged.ranks <= len(rank_weights)
        cell = np.repeat(np.arange(len(lengths)), lengths)[inside]
        return cls(
            judged=judged,
            measure=measure,
            parts=parts,
            rank_weights=rank_weights,
            cell=cell,
            row=judged.rows[inside].astype(np.int64),
            weight=rank_weights[judged.ranks[inside] - 1],
        )

    @cached_property
    def topic_of(self) -> Positions:
        """The topic of every judgment."""
        return np.repeat(np.arange(len(self.judged.topics)), np.diff(self.judged.judgment_starts))

    @property
    def form(self) -> Form:
        """How a score is made of gains."""
        return self.measure.record.form

    def gains(self, grades: Floats) -> Floats:
        """The gain of each of these grades of the judgments."""
        cells = Cells(self.judged, np.ascontiguousarray(grades, np.float64)[None])
        return np.asarray(self.parts(cells, self.measure)[0][0])

    def scores(self, gains: Floats, norms: Floats) -> Floats:
        """Topics × systems, divided by the norm of each topic (see `norms`)."""
        per_row = gains[self.row]
        if self.form == "pairs":
            per_row = per_row * (1.0 + self._above(per_row))
        return self._summed(self.weight * per_row) / norms[:, None]

    def weights(self, gains: Floats, norms: Floats, scores: Floats) -> Floats:
        """Systems × judgments: how much a score changes with the gain of each document.

        The ideal order is taken as it is: `Ideal.ends` has what a document changes there.
        """
        topic = self.topic_of
        out = self.rank_changes(gains, np.arange(len(gains)))
        if self.form == "pairs" and scores.any():
            out -= scores[topic].T
        out /= norms[topic]
        return out

    def rank_changes(self, gains: Floats, rows: Positions) -> Floats:
        """Systems × these judgments: how much a score changes with their gains before it is divided."""
        systems = len(self.judged.systems)
        check_memory(24.0 * systems * len(rows), "the weight of every document for every system", "take fewer systems")
        per_row = self.weight
        if self.form == "pairs":
            weighted = self.weight * gains[self.row]
            below = self._summed(weighted).ravel()[self.cell] - self._above(weighted) - weighted
            per_row = self.weight * (1.0 + self._above(gains[self.row])) + below
        column = np.full(len(gains), -1)
        column[rows] = np.arange(len(rows))
        places = column[self.row]
        wanted = places >= 0
        out = np.zeros((systems, len(rows)))
        out[self._system[wanted], places[wanted]] = per_row[wanted]
        return out

    def norms(self, gains: Floats, ideal: Ideal | None, least: Floats) -> Floats:
        """What each topic's scores are divided by: 1, the number of relevant documents, or the ideal score.

        `least` is what the documents that are known have for certain, and no estimate is less.
        """
        if self.form == "sum":
            return np.ones(len(self.judged.topics))
        return np.maximum(self.by_topic(gains) if ideal is None else ideal.score, least)

    def ideal(self, levels: Floats, counts: Floats) -> Ideal:
        """The ideal score of each topic from the numbers of documents of at least each level, (T, L), whole or not.

        One more document of at least a level's gain adds its step to the rank at which such documents end.
        """
        steps = np.diff(levels, prepend=0.0)
        ends = np.concatenate([self.rank_weights, [0.0, 0.0]])
        sums = np.concatenate([[0.0], np.cumsum(self.rank_weights)])
        inside = np.clip(counts, 0.0, float(len(self.rank_weights)))
        last = np.floor(inside).astype(np.int64)
        total = sums[last] + (inside - last) * ends[last]
        return Ideal(total @ steps, levels, ends[last] * steps, (ends[last] - ends[last + 1]) * steps)

    def by_topic(self, values: Floats) -> Floats:
        """The sum of the values of each topic's judgments."""
        return np.asarray(np.bincount(self.topic_of, weights=values, minlength=len(self.judged.topics)), np.float64)

    def _summed(self, per_row: Floats) -> Floats:
        shape = len(self.judged.topics), len(self.judged.systems)
        sums = np.bincount(self.cell, weights=per_row, minlength=shape[0] * shape[1])
        return np.asarray(sums, np.float64).reshape(shape)

    def _above(self, per_row: Floats) -> Floats:
        """The sum of what stands above in the same ranking."""
        before = np.cumsum(per_row) - per_row
        return np.asarray(before - before[self._first])

    @cached_property
    def _first(self) -> Positions:
        """The place of the first document of each document's ranking."""
        return np.searchsorted(self.cell, self.cell, side="left")

    @cached_property
    def _system(self) -> Positions:
        return self.cell % len(self.judged.systems)
