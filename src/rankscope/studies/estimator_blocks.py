"""Simulated collections in blocks: what each estimator says of a collection, and what is true of it."""

from __future__ import annotations

import functools
import hashlib
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscope.coefficients import Coefficient, coefficient
from rankscope.inference.expected import EstimatorName, find_estimator
from rankscope.inference.posterior_means import correlations_with
from rankscope.inference.resampling import Draws, one_blas_thread
from rankscope.inference.swap_probabilities import Sample
from rankscope.scores import Floats, ScoreMatrix
from rankscope.simulation import CollectionModel, fit_collection

# Simulated collections in a block: a second or two of work, little to lose.
COLLECTIONS = 25


@dataclass(frozen=True, kw_only=True, eq=False)
class Source:
    """Scores to simulate from, and how; `digest` is of the scores, so that equal scores give equal collections."""

    name: str
    values: Floats
    simulation: tuple[tuple[str, Any], ...]

    @functools.cached_property
    def digest(self) -> str:
        """The SHA-256 of shape and scores."""
        shape = "×".join(map(str, self.values.shape)).encode()
        return hashlib.sha256(shape + np.ascontiguousarray(self.values, dtype="<f8").tobytes()).hexdigest()

    def fitted(self, jobs: int | None = 1) -> CollectionModel:
        """The model of these scores, fitted once in a process."""
        key = (self.digest, self.simulation)
        with _FITTING:
            model = _fitted.pop(key, None)
            if model is None:
                with one_blas_thread():  # the same bits wherever it is fitted
                    model = fit_collection(ScoreMatrix(self.values), **dict(self.simulation), jobs=jobs)
            _fitted[key] = model  # the last used is last
            while len(_fitted) > _KEPT:
                del _fitted[next(iter(_fitted))]
        return model


_KEPT = 8
_FITTING = threading.Lock()
_fitted: dict[Any, CollectionModel] = {}


@dataclass(frozen=True, kw_only=True, eq=False)
class EstimatorBlock:
    """Some collections of one size: a row each, by coefficient the actual value and then each estimator's."""

    source: Source
    topics: int
    first: int
    last: int
    estimators: tuple[EstimatorName, ...]
    coefficients: tuple[str, ...]
    resamples: int
    seed: int

    @property
    def name(self) -> str:
        """The block's name among all, also a file's."""
        short = re.sub(r"[^A-Za-z0-9_-]+", "-", self.source.name)[:40].strip("-")
        scores = f"{short}-{self.source.digest[:12]}"
        return f"{scores}-topics-{self.topics:04d}-collections-{self.first + 1:05d}-{self.last:05d}"

    @property
    def shape(self) -> tuple[int, ...]:
        """Collections × coefficients × (1 + estimators)."""
        return (self.last - self.first, len(self.coefficients), 1 + len(self.estimators))

    def run(self) -> Floats:
        """The numbers."""
        chosen = [coefficient(name) for name in self.coefficients]
        return np.stack([self._collection(number, chosen) for number in range(self.first, self.last)])

    def _collection(self, number: int, chosen: Sequence[Coefficient]) -> Floats:
        # The seed depends on the scores, the size and the collection's number: not on what else is studied.
        words = np.frombuffer(bytes.fromhex(self.source.digest[:32]), dtype="<u4").tolist()
        simulated, drawn = np.random.SeedSequence(self.seed, spawn_key=(*words, self.topics, number)).spawn(2)
        model = self.source.fitted()
        sample = Sample.of(model.draw(self.topics, np.random.default_rng(simulated)))
        out = np.full((len(chosen), 1 + len(self.estimators)), np.nan)
        if not sample.distinct.any():  # all systems alike on so few topics: there is nothing to estimate
            return out
        out[:, 0] = [values[0] for values in correlations_with(sample, model.means[None, sample.order], chosen)]
        draws = Draws(self.resamples, int.from_bytes(drawn.generate_state(4).tobytes(), "little"), 1)
        for place, name in enumerate(self.estimators, start=1):
            out[:, place] = find_estimator(name).function(sample, chosen, draws)
        return out
