"""`simulate`: new collections for the same systems, with the observed means as the truth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.errors import BadParameter
from rankscope.inference.resampling import Seed, in_threads
from rankscope.results import Result, Table
from rankscope.scores import Floats, OnMissing, ScoreMatrix
from rankscope.simulation.copulas import CopulaName
from rankscope.simulation.diagnostics import Diagnostics, diagnose
from rankscope.simulation.families import Criterion, MarginName
from rankscope.simulation.models import CollectionModel, ModelName, fit_collection


@dataclass(frozen=True, kw_only=True, eq=False)
class Simulation(Result):
    """Simulated collections: `values` is collections × topics × systems, and `means` are the systems' true means."""

    values: Floats
    means: Floats
    systems: tuple[str, ...]
    measure: str | None
    margins: tuple[str, ...]
    diagnostics: Diagnostics
    settings: dict[str, Any]
    systems_named: bool = True

    def matrices(self) -> Iterator[ScoreMatrix]:
        """Each collection as scores by topic; no two collections share a topic's name."""
        systems = self.systems if self.systems_named else None
        for number, values in enumerate(self.values, start=1):
            topics = [f"c{number}t{topic}" for topic in range(1, len(values) + 1)]
            yield ScoreMatrix(values, systems, topics, measure=self.measure, name=f"collection {number}")

    def table(self) -> Table:
        """Originals against simulated scores."""
        return self.diagnostics.table()


def simulate(
    scores: object,
    *,
    topics: int | None = None,
    collections: int = 1,
    rng: Seed = 0,
    model: ModelName | CollectionModel = "effects",
    normal: bool = False,
    homoscedastic: bool = False,
    uncorrelated: bool = False,
    random_topics: bool = True,
    margin: MarginName = "auto",
    criterion: Criterion = "aic",
    copula: CopulaName = "gaussian",
    trees: int = 5,
    discrete: bool | None = None,
    bounds: Sequence[float] = (0.0, 1.0),
    on_missing: OnMissing = "error",
    jobs: int | None = None,
) -> Simulation:
    """New collections for the systems of `scores`, by default with as many topics; options as for `fit_collection`.

    Every collection has a generator of its own, so that a seed gives the same ones with any number of `jobs`. A model
    that is fitted already may be given as `model`, and the other options then count for nothing.

    >>> from rankscope.demo import demo_scores
    >>> simulated = simulate(demo_scores()["human"], topics=20, collections=2)
    >>> [matrix.values.shape[0] for matrix in simulated.matrices()]
    [20, 20]
    """
    if collections < 1:
        raise BadParameter(f"collections={collections}: one at least")
    if isinstance(model, CollectionModel):
        fitted = model
    else:
        fitted = fit_collection(
            scores, model=model, normal=normal, homoscedastic=homoscedastic, uncorrelated=uncorrelated,
            random_topics=random_topics, margin=margin, criterion=criterion, copula=copula, trees=trees,
            discrete=discrete, bounds=bounds, on_missing=on_missing, jobs=jobs,
        )  # fmt: skip
    original = fitted.original
    size = len(original.topics) if topics is None else topics
    drawn = in_threads(lambda generator: fitted.draw(size, generator), spawned(rng, collections), jobs)
    values = np.stack(drawn)
    return Simulation(
        values=values,
        means=fitted.means,
        systems=original.systems,
        measure=original.measure,
        margins=fitted.margins,
        diagnostics=diagnose(original, values),
        settings={
            **fitted.settings,
            "topics": size,
            "collections": collections,
            "seed": None if isinstance(rng, np.random.Generator) else int(rng),
        },
        systems_named=original.systems_named,
    )


def spawned(rng: Seed, count: int) -> list[np.random.Generator]:
    """A generator for each collection."""
    sequence = rng.bit_generator.seed_seq if isinstance(rng, np.random.Generator) else np.random.SeedSequence(rng)
    return [np.random.default_rng(child) for child in sequence.spawn(count)]  # type: ignore[attr-defined]
