"""`fit_collection`: a model of a collection's scores, from which new topics for the same systems are drawn.

effects.py and direct.py fit the two models; collections.py draws from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

import numpy as np
import numpy.typing as npt

from rankscope.averages import check_size
from rankscope.checks import check_choice, check_count
from rankscope.defaults import MOST_SYSTEMS, SEED
from rankscope.errors import BadParameter, TooFewSystems, TooLarge
from rankscope.inference.resampling import Seed, check_plain_mean, check_topics
from rankscope.inputs import ScoresLike, to_matrix
from rankscope.scores import Floats, OnMissing, ScoreMatrix
from rankscope.simulation.copulas import COPULAS, CopulaName
from rankscope.simulation.direct import fit_direct
from rankscope.simulation.effects import fit_effects
from rankscope.simulation.margin_families import CRITERIA, MARGINS, Criterion, MarginName

ModelName = Literal["effects", "margins"]
MODELS: tuple[ModelName, ...] = get_args(ModelName)

# A measure has few values if there are at most 500, which are multiples of 1/k for a k up to 30, or at most a tenth of
# the number of scores.
_FEW_VALUES = 500
_FEW_PARTS = 30
_FEW_SHARE = 0.1
_ROUNDED = 5.1e-5
# Topics that are not random are chosen from a pool of at least 200, and at least four times their number (Urbano 2016).
_POOL, _POOL_FACTOR = 200, 4


class Sampler(Protocol):
    """Draws scores of distinct systems on new topics."""

    def draw(self, generator: np.random.Generator, topics: int) -> tuple[Floats, Floats]:
        """Scores, topics × systems, and the ease of each topic."""


@dataclass(frozen=True, kw_only=True, eq=False)
class CollectionModel:
    """A fitted collection, from which `draw` takes new topics for the same systems.

    Attributes
    ----------
    original : ScoreMatrix
        The scores that were fitted.
    means : ndarray
        The systems' true means.
    margins : tuple of str
        The family of each system's margin.
    settings : dict
        The options.
    sampler : Sampler or None
        Draws the distinct systems; None if all systems are constant.
    places : ndarray
        The column of the sampler for each system; −1 for constant ones.
    bounds : tuple of float
        The range of the scores.
    """

    original: ScoreMatrix
    means: Floats
    margins: tuple[str, ...]
    settings: dict[str, Any]
    sampler: Sampler | None
    places: npt.NDArray[np.intp]
    bounds: tuple[float, float]

    def __repr__(self) -> str:
        topics, systems = self.original.values.shape
        return f"<CollectionModel ({self.settings['model']}): {topics} topics × {systems} systems>"

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems' names."""
        return self.original.systems

    def draw(self, topics: int, rng: Seed = SEED) -> Floats:
        """Scores on new topics, topics × systems; a generator continues from its state."""
        check_count("topics", topics)
        generator = rng if isinstance(rng, np.random.Generator) else np.random.default_rng(rng)
        if self.sampler is None:
            return np.tile(self.means, (topics, 1))
        if self.settings["random_topics"]:
            drawn, _ = self.sampler.draw(generator, topics)
        else:
            drawn = _chosen_by_ease(*self.sampler.draw(generator, max(_POOL, _POOL_FACTOR * topics)), topics, generator)
        low, high = self.bounds
        if (low, high) != (0.0, 1.0):
            drawn = low + (high - low) * drawn
        if np.array_equal(self.places, np.arange(drawn.shape[1])):
            return drawn
        return np.asarray(np.where(self.places >= 0, drawn[:, self.places], self.means))


def fit_collection(
    scores: ScoresLike,
    *,
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
) -> CollectionModel:
    """Fit a model of scores by topic, to draw new topics for the same systems whose true means are the observed ones.

    Constant systems stay constant, and identical systems stay identical.

    Parameters
    ----------
    scores : ScoresLike
        Scores by topic.
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
    CollectionModel
        The fitted model.

    Raises
    ------
    BadParameter
        If an option is unknown, out of its range, or does not apply to the model or the scores.
    MissingScores
        Without topics, with fewer than two, or with missing scores.
    TooFewSystems
        Without systems.
    TooLarge
        With more than 2,000 systems, for "margins" and for scores with few values.

    References
    ----------
    J. Urbano, "Test collection reliability: a study of bias and robustness to statistical assumptions via stochastic
    simulation", Information Retrieval Journal 19, 2016.
    J. Urbano and T. Nagler, "Stochastic simulation of test collections: evaluation scores", SIGIR 2018.

    Examples
    --------
    >>> from rankscope.demo import demo_scores
    >>> fitted = fit_collection(demo_scores()["human"])
    >>> fitted.draw(3, rng=1).shape == (3, len(fitted.systems))
    True
    """
    matrix = _checked(scores, on_missing)
    check_choice("model", model, MODELS)
    check_choice("copula", copula, COPULAS)
    check_choice("margin", margin, MARGINS)
    check_choice("criterion", criterion, CRITERIA)
    check_count("trees", trees)
    few = has_few_values(matrix.values) if discrete is None else discrete
    if model == "effects" and (copula != "gaussian" or margin != "auto"):
        raise BadParameter(
            "margin and copula are for model='margins'; 'effects' has kernel margins and a Gaussian copula"
        )
    if (few or model == "margins") and (normal or homoscedastic):
        why = "the scores have few values (set discrete=False to ignore that)" if few else "model='margins'"
        raise BadParameter(f"normal and homoscedastic are for model='effects' on continuous scores; here {why}")
    low, high = _bounds(bounds, matrix, needed=not (few or normal))
    settings: dict[str, Any] = {
        "model": model,
        "discrete": few,
        "normal": normal,
        "homoscedastic": homoscedastic,
        "uncorrelated": uncorrelated,
        "random_topics": random_topics,
        "margin": margin,
        "criterion": criterion,
        "copula": copula,
        "trees": trees,
        "bounds": [low, high],
    }
    varying = np.flatnonzero(np.ptp(matrix.values, axis=0) > 0.0)
    places = np.full(len(matrix.systems), -1, dtype=np.intp)
    names = np.full(len(matrix.systems), "constant", dtype=object)
    sampler: Sampler | None = None
    if len(varying):
        values = (matrix.values[:, varying] - low) / (high - low)
        means = (matrix.means[varying] - low) / (high - low)
        first, places[varying] = _distinct(values)
        if few or model == "margins":
            if len(first) > MOST_SYSTEMS:
                raise TooLarge(
                    f"margins and copula of {len(first):,} systems take minutes and gigabytes; simulate at most "
                    f"{MOST_SYSTEMS:,}, or by model='effects' with discrete=False"
                )
            support = np.unique(values) if few else np.empty(0)
            sampler, families = fit_direct(
                values[:, first],
                means[first],
                discrete=few,
                margin="empirical" if few and model == "effects" else margin,
                criterion=criterion,
                copula=copula,
                trees=trees,
                uncorrelated=uncorrelated,
                support=support,
            )
        else:
            sampler = fit_effects(
                values,
                values[:, first],
                means[first],
                normal=normal,
                homoscedastic=homoscedastic,
                uncorrelated=uncorrelated,
                jobs=jobs,
            )
            families = ("normal residual" if normal else "kernel residual",) * len(first)
        names[varying] = np.array(families, dtype=object)[places[varying]]
    return CollectionModel(
        original=matrix,
        means=matrix.means,
        margins=tuple(names.tolist()),
        settings=settings,
        sampler=sampler,
        places=places,
        bounds=(low, high),
    )


def has_few_values(values: Floats) -> bool:
    """Whether a measure has few values: multiples of 1/k for a k up to 30 (P@10), or few for the number of scores (RR).

    >>> has_few_values(np.array([[0.1, 0.3], [0.0, 0.9]])), has_few_values(np.linspace(0, 1, 50)[:, None])
    (True, False)
    """
    distinct = np.unique(values)
    if len(distinct) > _FEW_VALUES:
        return False
    parts = distinct * np.arange(1, _FEW_PARTS + 1)[:, None]
    # The tolerance allows for four decimals, as in most published tables.
    whole = np.abs(parts - np.rint(parts)) <= _ROUNDED * np.arange(1, _FEW_PARTS + 1)[:, None]
    return bool(whole.all(axis=1).any()) or len(distinct) <= _FEW_SHARE * values.size


def _checked(scores: ScoresLike, on_missing: OnMissing) -> ScoreMatrix:
    matrix = to_matrix(scores, "new topics are drawn like the old ones")
    if not matrix.systems:
        raise TooFewSystems("there are no systems to simulate")
    check_topics(matrix, matrix.name or "the score matrix")
    check_size(matrix.values)
    filled = matrix.fill(on_missing)
    check_plain_mean(filled, "simulation")
    if filled.lower_is_better:
        raise BadParameter("simulation draws scores as they are, whichever are better; leave out lower_is_better")
    return filled


def _bounds(bounds: Sequence[float], matrix: ScoreMatrix, *, needed: bool) -> tuple[float, float]:
    """The range of the scores; (0, 1) where the model needs none."""
    if len(bounds) != 2 or not np.isfinite(bounds).all() or not bounds[0] < bounds[1]:
        raise BadParameter(f"bounds={tuple(bounds)}: two finite numbers, the lower first")
    if not needed:
        return 0.0, 1.0
    low, high = float(bounds[0]), float(bounds[1])
    least, most = float(matrix.values.min()), float(matrix.values.max())
    if least < low or most > high:
        raise BadParameter(
            f"scores from {least:g} to {most:g} are outside the range {low:g} to {high:g}; set their range with "
            "bounds=(low, high) (--bounds LOW HIGH)"
        )
    return low, high


def _distinct(values: Floats) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """The first of each set of identical columns, and each column's position among these."""
    _, first, inverse = np.unique(values, axis=1, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[inverse.reshape(-1)]


def _chosen_by_ease(scores: Floats, ease: Floats, topics: int, generator: np.random.Generator) -> Floats:
    """Topics drawn with probabilities from a Beta density of random shape over their ease (Urbano 2016)."""
    a, b = generator.uniform(0.01, 2.0), generator.uniform(2.0, 8.0)
    if generator.random() < 0.5:
        a, b = b, a
    place = np.arange(1, len(ease) + 1) / (len(ease) + 2.0)
    log_weights = (a - 1.0) * np.log(place) + (b - 1.0) * np.log1p(-place)
    weights = np.exp(log_weights - log_weights.max())
    chosen = generator.choice(len(ease), size=topics, replace=False, p=weights / weights.sum())
    return np.asarray(scores[np.argsort(ease, kind="stable")[chosen]])
