"""Blocks of the study of panels: the scores of all runs by one judge, or by one panel of some judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

import numpy as np

from rankscope.errors import BadParameter
from rankscope.measures.evaluation import evaluate
from rankscope.measures.record import Measure
from rankscope.runs import Judgments, RunSet
from rankscope.scores import Floats, ScoreMatrix
from rankscope.studies.judging.panels import Panel, panel_judges
from rankscope.studies.judging.scales import Judge, Skipped, Why, on_topics_of

_WHY: tuple[Why, ...] = get_args(Why)
# Numbers before the scores: why there are none (its place, from 1), and the highest and the least grade that say so.
_BEFORE, _NO_PANEL = 3, -1.0


@dataclass(frozen=True, kw_only=True, eq=False)
class Scorer:
    """The runs, the truth, whose topics count, and the measures to score by."""

    runs: RunSet
    truth: Judgments
    measures: tuple[Measure, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Measures × numbers: what `numbers` gives."""
        return len(self.measures), _BEFORE + len(self.truth.topics) * len(self.runs.systems)

    def numbers(self, judge: Judge) -> Floats:
        """By measure, why there are no scores, or the scores by topic and system; NaN on topics the judge lacks."""
        out = np.full(self.shape, np.nan)
        place = {topic: i for i, topic in enumerate(self.truth.topics)}
        for row, measure in zip(out, self.measures, strict=True):
            why = judge.not_computed(measure)
            if why is None:
                own = str(judge.own(measure))
                table = evaluate(self.runs, on_topics_of(judge.name, judge.labels(measure), self.truth), own).scores[
                    own
                ]
                why = judge.not_ranked(measure, table)
            if why is not None:
                known = (np.nan if grade is None else grade for grade in (why.highest, why.least))
                row[:_BEFORE] = _WHY.index(why.why) + 1, *known
                continue
            row[0] = 0.0
            scores = row[_BEFORE:].reshape(len(place), -1)
            scores[[place[topic] for topic in table.topics]] = table.values
        return out

    def tables(self, name: str, numbers: Floats) -> tuple[dict[str, ScoreMatrix], list[Skipped]]:
        """The scores by measure, and why there are none of the others."""
        tables: dict[str, ScoreMatrix] = {}
        skipped: list[Skipped] = []
        for row, measure in zip(numbers, self.measures, strict=True):
            if row[0] == _NO_PANEL:
                continue
            if row[0]:
                highest, least = (None if np.isnan(grade) else float(grade) for grade in row[1:_BEFORE])
                why = _WHY[int(row[0]) - 1]
                skipped.append(Skipped(judge=name, measure=str(measure), why=why, highest=highest, least=least))
                continue
            values = row[_BEFORE:].reshape(len(self.truth.topics), -1)
            there = ~np.isnan(values).all(axis=1)
            topics = [topic for topic, known in zip(self.truth.topics, there, strict=True) if known]
            tables[str(measure)] = ScoreMatrix(
                values[there], self.runs.systems, topics, measure=str(measure), name=name
            )
        return tables, skipped


@dataclass(frozen=True, kw_only=True, eq=False)
class PanelBlock:
    """A judge, or a panel of these members; `part` of another panel is left out where nothing can be learned for it."""

    name: str
    scorer: Scorer
    members: Mapping[str, Judge]
    panel: Panel | None
    seed: int
    part: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """Measures × numbers."""
        return self.scorer.shape

    def run(self) -> Floats:
        """The numbers."""
        judges = self.members
        if self.panel is not None:
            try:
                judges = panel_judges([self.panel], self.members, self.scorer.truth, rng=self.seed)
            except BadParameter:
                if not self.part:
                    raise
                return np.full(self.shape, _NO_PANEL)
        (judge,) = judges.values()
        return self.scorer.numbers(judge)
