"""`fit_collection`: a model of a collection's scores, from which new topics for the same systems are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

import numpy as np
import numpy.typing as npt

from rankscope.errors import BadParameter, MissingScores, TooFewSystems
from rankscope.inference.resampling import Seed
from rankscope.scores import Floats, OnMissing, ScoreMatrix, as_scores, check_size
from rankscope.simulation.copulas import COPULAS, CopulaName
from rankscope.simulation.direct import fit_direct
from rankscope.simulation.effects import fit_effects
from rankscope.simulation.families import CRITERIA, MARGINS, Criterion, MarginName

ModelName = Literal["effects", "margins"]
MODELS: tuple[ModelName, ...] = get_args(ModelName)

# A measure has few values if they are at most so many, and parts of so few, or at most this share of the scores.
_FEW_VALUES = 500
_FEW_PARTS = 30
_FEW_SHARE = 0.1
_ROUNDED = 5.1e-5
# Non-random topics are chosen from a pool of this size at least, and of so many times those wanted (Urbano 2016).
_POOL, _POOL_FACTOR = 200, 4


class Sampler(Protocol):
    """Draws scores of distinct systems on new topics."""

    def draw(self, generator: np.random.Generator, topics: int) -> tuple[Floats, Floats]:
        """Scores, topics × systems, and how easy each topic is."""


@dataclass(frozen=True, kw_only=True, eq=False)
class CollectionModel:
    """A fitted collection: `draw` gives new topics for the same systems, whose true means are `means`.

    `margins` names each system's margin; `places` says which drawn column is whose, −1 for systems that are constant.
    """

    original: ScoreMatrix
    means: Floats
    margins: tuple[str, ...]
    settings: dict[str, Any]
    sampler: Sampler | None
    places: npt.NDArray[np.intp]
    bounds: tuple[float, float]

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems' names."""
        return self.original.systems

    def draw(self, topics: int, rng: Seed = 0) -> Floats:
        """Scores on new topics, topics × systems; a generator goes on from where it is."""
        if topics < 1:
            raise BadParameter(f"topics={topics}: one at least")
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
    scores: object,
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

    `model="effects"` is the algorithm of Urbano (2016), with its assumptions as switches: `normal` residuals (on the
    scale of the scores, which may then leave it), `homoscedastic` residuals, `uncorrelated` residuals, and topics that
    are not `random_topics` but lean to easy or to hard ones. `model="margins"` is that of Urbano & Nagler (2018): a
    `margin` per system, by default the best by `criterion`, and a `copula`, Gaussian or a vine of so many `trees`.

    Scores with few values (P@10, RR; `discrete` says so or not) keep them: they are drawn from each system's
    frequencies under "effects", and from discrete margins under "margins". Continuous scores lie in `bounds`. A system
    that is constant stays so, and identical systems stay identical.

    >>> from rankscope.demo import demo_scores
    >>> fitted = fit_collection(demo_scores()["human"])
    >>> fitted.draw(3, rng=1).shape == (3, len(fitted.systems))
    True
    """
    matrix = _checked(scores, on_missing)
    for name, value, known in (
        ("model", model, MODELS), ("copula", copula, COPULAS), ("margin", margin, MARGINS),
        ("criterion", criterion, CRITERIA),
    ):  # fmt: skip
        if value not in known:
            raise BadParameter(f"{name}={value!r}: choose one of {', '.join(known)}")
    few = has_few_values(matrix.values) if discrete is None else discrete
    if model == "effects" and (copula != "gaussian" or margin != "auto"):
        raise BadParameter("margin and copula are for model='margins'; 'effects' has kernel margins, Gaussian copula")
    if (few or model == "margins") and (normal or homoscedastic):
        why = "scores take few values, which they keep (discrete=False gives them up)" if few else "margins are fitted"
        raise BadParameter(f"normal and homoscedastic are for model='effects' on continuous scores; here {why}")
    if trees < 1:
        raise BadParameter(f"trees={trees}: one at least")
    low, high = _bounds(bounds, matrix, needed=not (few or normal))
    settings: dict[str, Any] = {
        "model": model, "discrete": few, "normal": normal, "homoscedastic": homoscedastic,
        "uncorrelated": uncorrelated, "random_topics": random_topics, "margin": margin, "criterion": criterion,
        "copula": copula, "trees": trees, "bounds": [low, high],
    }  # fmt: skip
    varying = np.flatnonzero(np.ptp(matrix.values, axis=0) > 0.0)
    places = np.full(len(matrix.systems), -1, dtype=np.intp)
    names = np.full(len(matrix.systems), "constant", dtype=object)
    sampler: Sampler | None = None
    if len(varying):
        values = (matrix.values[:, varying] - low) / (high - low)
        means = (matrix.means[varying] - low) / (high - low)
        first, places[varying] = _distinct(values)
        if few or model == "margins":
            support = np.unique(values) if few else np.empty(0)
            sampler, families = fit_direct(
                values[:, first], means[first], discrete=few, criterion=criterion, copula=copula, trees=trees,
                margin="empirical" if few and model == "effects" else margin, uncorrelated=uncorrelated,
                support=support,
            )  # fmt: skip
        else:
            sampler = fit_effects(
                values, values[:, first], means[first], normal=normal, homoscedastic=homoscedastic,
                uncorrelated=uncorrelated, jobs=jobs,
            )  # fmt: skip
            families = ("normal residual" if normal else "kernel residual",) * len(first)
        names[varying] = np.array(families, dtype=object)[places[varying]]
    return CollectionModel(
        original=matrix, means=matrix.means, margins=tuple(names.tolist()), settings=settings, sampler=sampler,
        places=places, bounds=(low, high),
    )  # fmt: skip


def has_few_values(values: Floats) -> bool:
    """Whether scores are those of a measure with few values: whole k-ths for a k up to 30 (P@10), or at most 500 values
    that are at most a tenth of the scores (RR).

    >>> has_few_values(np.array([[0.1, 0.3], [0.0, 0.9]])), has_few_values(np.linspace(0, 1, 50)[:, None])
    (True, False)
    """
    distinct = np.unique(values)
    if len(distinct) > _FEW_VALUES:
        return False
    parts = distinct * np.arange(1, _FEW_PARTS + 1)[:, None]
    # Four decimals, as in most published tables, are enough to tell.
    whole = np.abs(parts - np.rint(parts)) <= _ROUNDED * np.arange(1, _FEW_PARTS + 1)[:, None]
    return bool(whole.all(axis=1).any()) or len(distinct) <= _FEW_SHARE * values.size


def _checked(scores: object, on_missing: OnMissing) -> ScoreMatrix:
    matrix = as_scores(scores)
    if not isinstance(matrix, ScoreMatrix):
        raise MissingScores("this is a leaderboard, and new topics are drawn after the old ones; give scores by topic")
    if not matrix.systems:
        raise TooFewSystems("there are no systems to simulate")
    if len(matrix.topics) < 2:
        raise MissingScores(f"{len(matrix.topics)} topic says nothing of how topics differ; two at least are needed")
    check_size(matrix.values)
    return matrix.fill(on_missing)


def _bounds(bounds: Sequence[float], matrix: ScoreMatrix, *, needed: bool) -> tuple[float, float]:
    """The range of the scores; (0, 1) where none is needed."""
    if len(bounds) != 2 or not np.isfinite(bounds).all() or not bounds[0] < bounds[1]:
        raise BadParameter(f"bounds={tuple(bounds)}: two numbers, the lower first")
    if not needed:
        return 0.0, 1.0
    low, high = float(bounds[0]), float(bounds[1])
    least, most = float(matrix.values.min()), float(matrix.values.max())
    if least < low or most > high:
        raise BadParameter(
            f"scores from {least:g} to {most:g} leave the range {low:g} to {high:g}; say which range they have: "
            "bounds=(low, high) (--bounds LOW HIGH)"
        )
    return low, high


def _distinct(values: Floats) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """The first of each set of identical columns, in the order of the columns, and each column's place among them."""
    _, first, inverse = np.unique(values, axis=1, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[inverse.reshape(-1)]


def _chosen_by_ease(scores: Floats, ease: Floats, topics: int, generator: np.random.Generator) -> Floats:
    """Topics taken with the probabilities of a Beta density of random shape over them, hardest first (Urbano 2016)."""
    a, b = generator.uniform(0.01, 2.0), generator.uniform(2.0, 8.0)
    if generator.random() < 0.5:
        a, b = b, a
    place = np.arange(1, len(ease) + 1) / (len(ease) + 2.0)
    log_weights = (a - 1.0) * np.log(place) + (b - 1.0) * np.log1p(-place)
    weights = np.exp(log_weights - log_weights.max())
    chosen = generator.choice(len(ease), size=topics, replace=False, p=weights / weights.sum())
    return np.asarray(scores[np.argsort(ease, kind="stable")[chosen]])
