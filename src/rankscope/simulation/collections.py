"""`simulate`: new collections for the same systems, whose true means are the observed ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np

from rankscope.checks import check_count
from rankscope.defaults import SEED
from rankscope.errors import BadParameter
from rankscope.inference.resampling import Seed, in_threads, recorded_seed, seeds_of
from rankscope.inputs import ScoresLike
from rankscope.results import Result, Table
from rankscope.scores import Floats, OnMissing, ScoreMatrix
from rankscope.simulation.copulas import CopulaName
from rankscope.simulation.diagnostics import Diagnostics, diagnose
from rankscope.simulation.margin_families import Criterion, MarginName
from rankscope.simulation.models import CollectionModel, ModelName, fit_collection


@dataclass(frozen=True, kw_only=True, eq=False)
class Simulation(Result):
    """Simulated collections.

    Attributes
    ----------
    values : ndarray
        Scores, collections × topics × systems.
    means : ndarray
        The systems' true means.
    systems : tuple of str
        Their names.
    measure : str or None
        The measure.
    margins : tuple of str
        The family of each system's margin.
    diagnostics : Diagnostics
        The original scores against the simulated ones.
    settings : dict
        The options.
    systems_named : bool
        Whether the original systems had names.
    """

    values: Floats
    means: Floats
    systems: tuple[str, ...]
    measure: str | None
    margins: tuple[str, ...]
    diagnostics: Diagnostics
    settings: dict[str, Any]
    systems_named: bool = True

    def matrices(self) -> Iterator[ScoreMatrix]:
        """Each collection as scores by topic; topic names differ between collections."""
        systems = self.systems if self.systems_named else None
        for number, values in enumerate(self.values, start=1):
            topics = [f"c{number}t{topic}" for topic in range(1, len(values) + 1)]
            yield ScoreMatrix(values, systems, topics, measure=self.measure, name=f"collection {number}")

    def table(self) -> Table:
        """Originals against simulated scores."""
        return self.diagnostics.table()

    def tables(self) -> dict[str, Table]:
        """Those of the diagnostics."""
        return self.diagnostics.tables()


def simulate(
    scores: ScoresLike | CollectionModel,
    *,
    topics: int | None = None,
    collections: int = 1,
    rng: Seed = SEED,
    model: ModelName = "effects",
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
    """Simulate collections of new topics for the same systems, whose true means are the observed ones.

    Each collection has its own random generator, so a seed gives the same ones with any number of threads, and more
    collections begin with the same ones.

    Parameters
    ----------
    scores : ScoresLike or CollectionModel
        Scores by topic, or the model that `fit_collection` made of them. Options of the fit then raise `BadParameter`.
    topics : int or None, default None
        The number of topics of each collection; None is as many as the original has.
    collections : int, default 1
        The number of collections.
    rng : int or numpy.random.Generator, default 0
        A seed or a generator.
    model : {"effects", "margins"}, default "effects"
        System and topic effects on the logit scale (Urbano 2016), or a margin per system and a copula (Urbano & Nagler
        2018).
    normal : bool, default False
        Normal residuals on the scale of the scores, which may then leave it; for "effects".
    homoscedastic : bool, default False
        Residuals with the same variance for all systems; for "effects".
    uncorrelated : bool, default False
        Residuals that are independent of each other and of the topic effect.
    random_topics : bool, default True
        Whether topics are a random sample; otherwise easy or hard ones are more likely.
    margin : {"auto", "beta", "normal", "kernel", "beta_binomial", "smoothed", "empirical"}, default "auto"
        The family of margins, for "margins"; "auto" takes the best by `criterion`.
    criterion : {"aic", "loglik"}, default "aic"
        How the best margin is chosen.
    copula : {"gaussian", "vine"}, default "gaussian"
        The dependence between systems, for "margins"; "vine" needs `rankscope[vines]`.
    trees : int, default 5
        The number of trees of a vine.
    discrete : bool or None, default None
        Whether the measure has few values, as P@10 or RR, which are then kept; None decides by the scores. They are
        drawn from each system's frequencies under "effects", and from discrete margins under "margins".
    bounds : sequence of float, default (0.0, 1.0)
        The range of continuous scores.
    on_missing : str, default "error"
        What becomes of missing scores: "error", "intersect", "zero", "drop-systems=SHARE", "drop-topics=SHARE" or
        "connected", as in `read_scores`.
    jobs : int or None, default None
        The number of threads; None is one per core.

    Returns
    -------
    Simulation
        The simulated scores, and how they compare with the original ones.

    Raises
    ------
    BadParameter
        If an option is unknown, out of its range, or set although a fitted model is given.
    MissingScores
        Without topics, with fewer than two, or with missing scores.

    References
    ----------
    J. Urbano, "Test collection reliability: a study of bias and robustness to statistical assumptions via stochastic
    simulation", Information Retrieval Journal 19, 2016.
    J. Urbano and T. Nagler, "Stochastic simulation of test collections: evaluation scores", SIGIR 2018.

    Examples
    --------
    >>> from rankscope.demo import demo_scores
    >>> simulated = simulate(demo_scores()["human"], topics=20, collections=2)
    >>> [matrix.values.shape[0] for matrix in simulated.matrices()]
    [20, 20]
    """
    check_count("collections", collections)
    options: dict[str, Any] = {
        "model": model,
        "normal": normal,
        "homoscedastic": homoscedastic,
        "uncorrelated": uncorrelated,
        "random_topics": random_topics,
        "margin": margin,
        "criterion": criterion,
        "copula": copula,
        "trees": trees,
        "discrete": discrete,
        "bounds": tuple(bounds),
        "on_missing": on_missing,
    }
    if isinstance(scores, CollectionModel):
        _check_not_given(options)
        fitted = scores
    else:
        fitted = fit_collection(scores, jobs=jobs, **options)
    original = fitted.original
    size = len(original.topics) if topics is None else topics
    generators = [np.random.default_rng(seed) for seed in seeds_of(rng, collections)]
    values = np.stack(in_threads(lambda generator: fitted.draw(size, generator), generators, jobs))
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
            "seed": recorded_seed(rng),
        },
        systems_named=original.systems_named,
    )


def _check_not_given(options: dict[str, Any]) -> None:
    """Raise `BadParameter` if an option of `fit_collection` is not at its default."""
    defaults = signature(fit_collection).parameters
    given = [f"{name}={value!r}" for name, value in options.items() if value != defaults[name].default]
    if given:
        raise BadParameter(f"{', '.join(given)}: the model is fitted already; pass such options to fit_collection")
