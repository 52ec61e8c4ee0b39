"""What becomes of missing scores: the policies of `on_missing`, read once.

A policy is one word, or several steps with commas, taken in order: `drop-topics=0.5,drop-systems=0.2,additive`.
The last step says what becomes of the scores that are still missing; without it, topics that lack one are left out, or
systems if topics were left out before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from rankscope.errors import BadParameter

Mask = npt.NDArray[np.bool_]
Ending = Literal["error", "intersect", "zero", "additive", "pairwise"]
# How scores are estimated where some are missing and stay so.
Fit = Literal["additive", "pairwise"]

ENDINGS: tuple[Ending, ...] = get_args(Ending)
FITS: tuple[Fit, ...] = get_args(Fit)
SHARES = ("drop-systems", "drop-topics")
CONNECTED = "connected"
# The forms that a policy may have, as help and errors show them.
FORMS = (*ENDINGS, *(f"{step}=SHARE" for step in SHARES), CONNECTED)
WAYS_OUT = "use on_missing='intersect' (--on-missing intersect) or on_missing='zero' (--on-missing zero)"
MODEL_WAY_OUT = "on_missing='additive' (--on-missing additive)"


@dataclass(frozen=True)
class Step:
    """Systems or topics to leave out first: those that lack more than a share, or all but one connected part."""

    name: str
    share: float = 0.0

    def __str__(self) -> str:
        return self.name if self.name == CONNECTED else f"{self.name}={self.share:g}"

    def kept(self, present: Mask) -> tuple[Mask, Mask]:
        """Which topics (rows) and systems (columns) are kept.

        >>> present = np.array([[True, True], [True, False]])
        >>> [side.tolist() for side in Step("drop-systems", 0.2).kept(present)]
        [[True, True], [True, False]]
        """
        rows, columns = np.ones(present.shape[0], bool), np.ones(present.shape[1], bool)
        if self.name == CONNECTED:
            parts = connected_parts(present)
            part = np.bincount(parts[present.shape[0] :]).argmax() if len(parts) else 0
            return parts[: present.shape[0]] == part, parts[present.shape[0] :] == part
        axis = 0 if self.name == "drop-systems" else 1
        if present.shape[axis]:
            # A share of 0.2 of 10 allows 2, whatever rounding makes of the product.
            kept = (~present).sum(axis=axis) <= self.share * present.shape[axis] + 1e-9
            return (rows, kept) if axis == 0 else (kept, columns)
        return rows, columns


@dataclass(frozen=True)
class Policy:
    """Steps that leave systems or topics out, and what becomes of the scores that are then missing."""

    steps: tuple[Step, ...]
    ending: Ending

    @property
    def fit(self) -> Fit | None:
        """The estimator that takes missing scores; None where none are left."""
        return self.ending if self.ending in ("additive", "pairwise") else None


def parse_on_missing(text: str) -> Policy:
    """Read a policy; `BadParameter` for what is none.

    >>> parse_on_missing("drop-systems=0.5")
    Policy(steps=(Step(name='drop-systems', share=0.5),), ending='intersect')
    >>> [str(step) for step in parse_on_missing("drop-topics=0.5").steps]
    ['drop-topics=0.5', 'drop-systems=0']
    >>> parse_on_missing("connected,additive").fit
    'additive'
    """
    words = [word.strip() for word in str(text).split(",")]
    steps: list[Step] = []
    for place, word in enumerate(words):
        name, equals, share = word.partition("=")
        if word in ENDINGS and place == len(words) - 1:
            return Policy(tuple(steps), word)
        if word == CONNECTED:
            steps.append(Step(CONNECTED))
        elif name in SHARES and equals:
            steps.append(Step(name, _share(share, word)))
        else:
            last = f"; {word!r} can only be the last step" if word in ENDINGS else ""
            raise BadParameter(f"on_missing={text!r} must be one of {', '.join(FORMS)}, or several with commas{last}")
    if steps[-1].name == "drop-topics":
        steps.append(Step("drop-systems", 0.0))
    return Policy(tuple(steps), "intersect")


def _share(text: str, word: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = np.nan
    if not 0.0 <= share < 1.0:
        example = f"{word.partition('=')[0]}=0.5"
        raise BadParameter(f"on_missing: {word!r} needs a share from 0 to below 1, such as {example}")
    return share


def connected_parts(present: Mask) -> npt.NDArray[np.intp]:
    """The part of each topic, then of each system; a chain of scores joins all that belong to one part.

    >>> connected_parts(np.array([[True, True, False], [False, False, True]])).tolist()
    [0, 1, 0, 0, 1]
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    topics, systems = present.shape
    rows, columns = np.nonzero(present)
    links = coo_array((np.ones(len(rows)), (rows, columns + topics)), shape=(topics + systems, topics + systems))
    return np.asarray(connected_components(links, directed=False)[1], dtype=np.intp)
