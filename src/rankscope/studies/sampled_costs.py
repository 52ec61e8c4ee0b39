"""People on a sample of the documents and a judge on all, as variants of `study depth-cost`."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankscope.inference.designs import DOCUMENT_DESIGNS
from rankscope.runs import JudgedRuns, Judgments, join
from rankscope.scores import Floats
from rankscope.studies.correction_ways import Drawing
from rankscope.studies.cost_mixes import union
from rankscope.studies.judgment_reference import Reference
from rankscope.studies.judgment_variants import Setting, Variants

# What is made of the sample, by its place among the ways of a sample.
MADE = {"filled": 1, "corrected": 2, "combined": 3}
_BY_INFLUENCE = next(design for design in DOCUMENT_DESIGNS if design.name == "influence")


@dataclass(frozen=True, eq=False)
class Samples:
    """The documents that people judged, with the judge's grades, to be drawn by their influence."""

    reference: Reference
    documents: Judgments
    judged: JudgedRuns
    human: Floats
    judge: Floats
    seed: int

    @classmethod
    def of(cls, reference: Reference, judge: Judgments, seed: int) -> Samples:
        """The human judgments beside a judge's labels of them."""
        documents, human, own = union(reference.judgments, judge)
        both = ~np.isnan(human)
        kept = documents.keep(both)
        return cls(reference, kept, join(reference.runs, kept), human[both], own[both], seed)

    @cached_property
    def drawings(self) -> list[Drawing | None]:
        """By measure."""
        given = self.human, self.judge
        return [Drawing.of(self.documents, self.judged, name, *given) for name in self.reference.measures]

    @property
    def possible(self) -> bool:
        """Whether any measure is made of the gains of single documents, and there are systems to combine scores of."""
        return len(self.reference.runs.systems) > len(MADE) and any(each is not None for each in self.drawings)

    def variants(self, settings: dict[str, Setting], fraction: float, repeats: int) -> Variants:
        """A block: each way to use a sample of this fraction, as often as there are repeats."""
        shape = (len(settings) * repeats, len(self.reference.measures), len(self.reference.statistics))
        digest = hashlib.sha256(self.judge.tobytes()).hexdigest()[:24]
        each = tuple(setting for setting in settings.values() for _ in range(repeats))
        name = f"sample-{fraction!r}-{repeats}-{digest}"
        return Variants(
            name=name, settings=each, shape=shape, run=lambda: self._run(tuple(settings), fraction, repeats)
        )

    def _run(self, ways: Sequence[str], fraction: float, repeats: int) -> Floats:
        reference, places = self.reference, [MADE[way] for way in ways]
        size = fraction * len(self.human)
        values = np.full((len(ways), repeats, len(reference.measures), len(reference.statistics)), np.nan)
        for at, (drawing, ranking) in enumerate(zip(self.drawings, reference.rankings.values(), strict=True)):
            for repeat in range(repeats):
                drawn = None if drawing is None else drawing.draw(_BY_INFLUENCE, size, self.seed, repeat)
                if drawn is not None:
                    values[:, repeat, at] = ranking.agreements(drawn.means[places], reference.coefficients)
        return values.reshape(-1, *values.shape[2:])
