"""Topics and systems of a simulated track: which documents are relevant, and what systems of a family share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankscope.errors import BadParameter
from rankscope.scores import Floats

Indices = npt.NDArray[np.intp]

# Relevant documents of a topic: the median number, the sd of its logarithm, and the ratio of a grade to the one below.
_RELEVANT, _RELEVANT_SPREAD, _RARER = 40.0, 0.6, 0.6
# How much topics differ in ease, and families and systems on a topic: standard deviations of the logarithm of skill.
_EASE, _FAMILY_TOPIC, _SYSTEM_TOPIC = 0.30, 0.15, 0.12
# The share of a score's noise that all systems have in common: documents that look relevant to all.
_COMMON = 0.25


@dataclass(frozen=True, kw_only=True)
class FamilyModel:
    """A family of systems in a simulated track.

    Parameters
    ----------
    name : str
        Its name, with which the names of its systems begin.
    share : float, default 1.0
        Its share of the systems, relative to that of other families.
    skill : float, default 1.0
        The mean difference of its systems' scores for documents one grade apart, in standard deviations of noise.
    spread : float, default 0.08
        The standard deviation of skill among its systems.
    cohesion : float, default 0.6
        The share, from 0 to 1, of the noise not common to all systems that its systems have in common.
    kin : tuple of str, default ()
        Other families with which they share that noise.

    Raises
    ------
    BadParameter
        If an option is out of its range.

    Examples
    --------
    >>> FamilyModel(name="dense", skill=0.8).share
    1.0
    """

    name: str
    share: float = 1.0
    skill: float = 1.0
    spread: float = 0.08
    cohesion: float = 0.6
    kin: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.name:
            raise BadParameter("a family needs a name")
        for name in ("share", "skill", "spread"):
            if not 0.0 <= getattr(self, name) < math.inf:
                raise BadParameter(f"{name}={getattr(self, name)} of family {self.name!r}: a number, 0 or more")
        if not 0.0 <= self.cohesion <= 1.0:
            raise BadParameter(f"cohesion={self.cohesion} of family {self.name!r}: a number from 0 to 1")


FAMILIES = (
    FamilyModel(name="baseline", share=0.15, skill=0.50, spread=0.07, cohesion=0.5),
    FamilyModel(name="lexical", share=0.30, skill=0.66, spread=0.03),
    FamilyModel(name="dense", share=0.20, skill=0.73, spread=0.05),
    FamilyModel(name="hybrid", share=0.15, skill=0.81, spread=0.04, kin=("lexical", "dense")),
    FamilyModel(name="reranker", share=0.20, skill=0.90, spread=0.06, kin=("lexical",)),
)


def allotted(families: Sequence[FamilyModel], systems: int) -> list[int]:
    """The number of systems of each family, by largest remainders.

    >>> allotted(FAMILIES, 40)
    [6, 12, 8, 6, 8]
    """
    shares = np.array([family.share for family in families])
    if not shares.sum() > 0.0:
        raise BadParameter("families: at least one share must be above 0")
    wanted = systems * shares / shares.sum()
    counts = np.floor(wanted + 1e-9)
    for i in np.argsort(counts - wanted, kind="stable")[: systems - int(counts.sum())]:
        counts[i] += 1
    return [int(count) for count in counts]


@dataclass(frozen=True, kw_only=True, eq=False)
class Systems:
    """The systems of a track, with the family and skill of each."""

    families: tuple[FamilyModel, ...]
    family: Indices
    skill: Floats

    @classmethod
    def draw(cls, generator: np.random.Generator, families: Sequence[FamilyModel], systems: int) -> Systems:
        """Draw the skills of systems of these families."""
        family = np.repeat(np.arange(len(families)), allotted(families, systems))
        skill = np.array([f.skill for f in families])[family]
        spread = np.array([f.spread for f in families])[family]
        return cls(
            families=tuple(families),
            family=family,
            skill=np.maximum(skill + spread * generator.standard_normal(systems), 0.0),
        )

    @property
    def names(self) -> list[str]:
        """The systems' names, such as lexical-03."""
        sizes = np.bincount(self.family, minlength=len(self.families))
        width = max(2, len(str(sizes.max(initial=0))))
        return [
            f"{f.name}-{i:0{width}}" for f, size in zip(self.families, sizes, strict=True) for i in range(1, size + 1)
        ]


@dataclass(frozen=True, kw_only=True, eq=False)
class Topic:
    """A topic's candidates: their numbers in the corpus, ascending, their true grades, and what families see in them.

    `ranked` (systems, depth) are the positions of the documents that each system retrieved, best first.
    """

    numbers: Indices
    grades: Indices
    seen: Floats
    ranked: npt.NDArray[np.int32]


def draw_topic(
    generator: np.random.Generator, systems: Systems, *, corpus: int, candidates: int, depth: int, highest: int
) -> Topic:
    """Draw a topic and what the systems retrieve for it."""
    grades = _grades(generator, candidates, highest)
    numbers = np.sort(generator.choice(corpus, candidates, replace=False, shuffle=False))
    ease = _EASE * generator.standard_normal()
    by_family = _FAMILY_TOPIC * generator.standard_normal(len(systems.families))
    by_system = _SYSTEM_TOPIC * generator.standard_normal(len(systems.skill))
    skill = systems.skill * np.exp(ease + by_family[systems.family] + by_system)
    common = generator.standard_normal(candidates)
    seen = _seen(systems.families, generator.standard_normal((len(systems.families), candidates)))
    cohesion = np.array([family.cohesion for family in systems.families])[systems.family]
    scores = generator.standard_normal((len(systems.skill), candidates))
    scores *= np.sqrt((1.0 - _COMMON) * (1.0 - cohesion))[:, None]
    scores += np.sqrt((1.0 - _COMMON) * cohesion)[:, None] * seen[systems.family]
    scores += math.sqrt(_COMMON) * common
    scores += skill[:, None] * grades
    return Topic(numbers=numbers, grades=grades, seen=seen, ranked=_best(scores, depth).astype(np.int32))


def _grades(generator: np.random.Generator, candidates: int, highest: int) -> Indices:
    """Draw true grades: few documents are relevant, more for some topics, and the highest grades are the rarest."""
    wanted = _RELEVANT * math.exp(_RELEVANT_SPREAD * generator.standard_normal())
    relevant = int(np.clip(round(wanted), min(highest, candidates), max(candidates // 3, 1)))
    weights = _RARER ** np.arange(highest)
    grades = np.zeros(candidates, dtype=np.intp)
    drawn = 1 + generator.choice(highest, relevant, p=weights / weights.sum())
    grades[generator.choice(candidates, relevant, replace=False)] = drawn
    return grades


def _seen(families: Sequence[FamilyModel], own: Floats) -> Floats:
    """What each family sees in documents beyond their relevance: its own view and its kin's, with variance 1."""
    at = {family.name: i for i, family in enumerate(families)}
    views = [[at[name] for name in (family.name, *family.kin)] for family in families]
    return np.stack([own[view].sum(axis=0) / math.sqrt(len(view)) for view in views])


def _best(scores: Floats, depth: int) -> Indices:
    if depth < scores.shape[1]:
        best = np.argpartition(scores, scores.shape[1] - depth, axis=1)[:, scores.shape[1] - depth :]
        order = np.argsort(np.take_along_axis(scores, best, axis=1), axis=1)[:, ::-1]
        return np.take_along_axis(best, order, axis=1)
    return np.argsort(scores, axis=1)[:, ::-1]
