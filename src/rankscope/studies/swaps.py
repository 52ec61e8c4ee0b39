"""What do random swaps do to coefficients, between systems that differ significantly and between others?

Gao & Oard (2015), section 4.1: five pairs are swapped at random, many times over.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from rankscope.coefficients import Coefficient, coefficient, default_coefficients
from rankscope.coefficients.rows import quietly
from rankscope.errors import BadParameter
from rankscope.files import read_scores
from rankscope.inference.agreement import values_of
from rankscope.inference.corrections import Correction
from rankscope.inference.pairs import Test, significance
from rankscope.inference.resampling import Seed, generators, in_threads
from rankscope.results import Result, Table, plain
from rankscope.scores import Floats, mean_ranks
from rankscope.studies.spread import SPREAD, Spread, spread_of

Among = Literal["significant", "others"]
AMONG: tuple[Among, ...] = get_args(Among)

SWAPS = 5
DRAWS = 1_000

Pairs = npt.NDArray[np.intp]


@dataclass(frozen=True, kw_only=True)
class SwapSpread:
    """A coefficient between the truth and the truth with pairs of one kind swapped."""

    among: Among
    coefficient: str
    symbol: str
    spread: Spread


@dataclass(frozen=True, kw_only=True)
class SwappedRanks:
    """One draw, as a picture shows it: the pairs that were swapped, in turn, and every system's ranks.

    `truth_ranks` and `estimate_ranks` are in the order of `systems`, the truth's best first.
    """

    among: Among
    pairs: tuple[tuple[str, str], ...]
    systems: tuple[str, ...]
    truth_ranks: tuple[float, ...]
    estimate_ranks: tuple[float, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class SwapStudy(Result):
    """Coefficients after random swaps, by the kind of pairs that were swapped.

    `share` is the share of significant pairs, `pairs` how many of each kind there were to choose from, `examples` the
    first draw of each kind. `draws` has every value, coefficients × draws by kind; it is not part of `to_dict`.
    """

    spreads: tuple[SwapSpread, ...]
    examples: tuple[SwappedRanks, ...]
    share: float
    pairs: dict[str, int]
    coefficients: tuple[str, ...]
    measure: str | None
    settings: dict[str, Any]
    draws: dict[str, Floats]

    def table(self) -> Table:
        """One row per kind of pairs and coefficient."""
        rows = [(one.among, one.coefficient, *(getattr(one.spread, name) for name in SPREAD)) for one in self.spreads]
        return Table(("among", "coefficient", *SPREAD), tuple(rows))

    def to_dict(self) -> dict[str, Any]:
        """Everything but the single draws."""
        return {name: plain(getattr(self, name)) for name in self.__dataclass_fields__ if name != "draws"}

    def spread(self, among: Among, name: str) -> Spread:
        """The spread of a coefficient after swaps among one kind of pairs."""
        wanted = (among, str(coefficient(name)))
        for one in self.spreads:
            if (one.among, one.coefficient) == wanted:
                return one.spread
        raise BadParameter(f"{wanted[1]} after swaps among {among!r} was not studied")


def study_swaps(
    scores: Any,
    *,
    swaps: int = SWAPS,
    draws: int = DRAWS,
    among: Sequence[Among] = AMONG,
    coefficients: Sequence[str | Coefficient] | None = None,
    test: Test = "t",
    correction: Correction = "none",
    alpha: float = 0.05,
    rng: int = 0,
    jobs: int | None = None,
) -> SwapStudy:
    """Swap `swaps` pairs of systems drawn at random, `draws` times over, and see what coefficients make of it.

    Pairs are drawn without replacement `among` those that differ significantly ("significant") or among the "others",
    and their scores are exchanged in turn; a system may be in several. The truth is the systems' means. `test`,
    `correction` and `alpha` are those of `rs.significance`. The two kinds have draws of their own, which depend neither
    on `jobs` nor on whether the other kind is asked for.

    >>> from rankscope.demo import demo_scores
    >>> study = study_swaps(demo_scores()["human"], draws=200, coefficients=["tau_ap", "tau_gap"])
    >>> study.spread("significant", "tau_gap").mean < study.spread("others", "tau_gap").mean
    True
    """
    chosen = default_coefficients() if coefficients is None else tuple(coefficient(name) for name in coefficients)
    kinds = _checked(swaps, draws, among, chosen, rng)
    table = read_scores(scores)
    tested = significance(table, test=test, correction=correction, alpha=alpha, rng=rng, jobs=jobs).by_mean()
    every = np.column_stack(np.triu_indices(len(tested.systems), 1))
    apart = tested.significant[every[:, 0], every[:, 1]]
    pairs = {"significant": every[apart], "others": every[~apart]}
    seeds = dict(zip(AMONG, np.random.SeedSequence(rng).spawn(len(AMONG)), strict=True))
    found: dict[str, Floats] = {}
    examples = []
    for kind in kinds:
        _enough(kind, len(pairs[kind]), swaps, alpha)
        values, first = _swapped(tested.means, pairs[kind], chosen, swaps, draws, seeds[kind], jobs)
        found[kind] = values
        examples.append(_example(kind, tested.systems, tested.means, *first))
    return SwapStudy(
        spreads=tuple(
            SwapSpread(among=kind, coefficient=str(one), symbol=one.symbol, spread=spread_of(row))
            for kind in kinds
            for one, row in zip(chosen, found[kind], strict=True)
        ),
        examples=tuple(examples),
        share=tested.share,
        pairs={kind: len(of_kind) for kind, of_kind in pairs.items()},
        coefficients=tuple(map(str, chosen)),
        measure=tested.measure,
        settings={"swaps": swaps, "draws": draws, "among": list(kinds), **tested.settings, "seed": rng},
        draws=found,
    )


def _checked(
    swaps: int, draws: int, among: Sequence[Among], chosen: Sequence[Coefficient], rng: int
) -> tuple[Among, ...]:
    for what, count in (("swaps", swaps), ("draws", draws)):
        if count < 1:
            raise BadParameter(f"{what}={count}: one at least")
    if not chosen:
        raise BadParameter("coefficients=[]: one at least, or None for all")
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer) or rng < 0:
        raise BadParameter(f"rng={rng}: a whole number, 0 or more")
    kinds = (among,) if isinstance(among, str) else tuple(among)
    if not kinds or any(kind not in AMONG for kind in kinds):
        raise BadParameter(f"among={among!r}: choose from {', '.join(AMONG)}")
    return tuple(kind for kind in AMONG if kind in kinds)


def _enough(kind: Among, available: int, swaps: int, alpha: float) -> None:
    if available < swaps:
        which = "differ" if kind == "significant" else "do not differ"
        other = AMONG[1 - AMONG.index(kind)]
        raise BadParameter(
            f"{available} pairs {which} significantly at alpha={alpha:g}, too few for {swaps} swaps; swap fewer, use "
            f"another alpha, or swap among the {other!r} only"
        )


def _swapped(
    truth: Floats,
    pairs: Pairs,
    chosen: Sequence[Coefficient],
    swaps: int,
    draws: int,
    seed: np.random.SeedSequence,
    jobs: int | None,
) -> tuple[Floats, tuple[Pairs, Floats]]:
    """Every coefficient (row) after each draw of swaps (column), and the first draw's pairs and scores."""

    def one_chunk(chunk: tuple[np.random.Generator, int]) -> tuple[Floats, Pairs, Floats]:
        picked, estimates = swapped_scores(truth, pairs, swaps, *chunk)
        with quietly():
            return values_of(chosen, truth[None], estimates), picked[0], estimates[0].copy()

    rng: Seed = np.random.default_rng(seed)
    parts = in_threads(one_chunk, list(generators(rng, draws)), jobs)
    return np.concatenate([part[0] for part in parts], axis=1), parts[0][1:]


def swapped_scores(
    truth: Floats, pairs: Pairs, swaps: int, generator: np.random.Generator, draws: int
) -> tuple[Pairs, Floats]:
    """For each draw, the pairs picked (draws × swaps × 2), and the truth's scores once they are exchanged in turn."""
    picked = pairs[np.stack([generator.choice(len(pairs), swaps, replace=False) for _ in range(draws)])]
    scores = np.repeat(truth[None], draws, axis=0)
    row = np.arange(draws)
    for turn in range(swaps):
        a, b = picked[:, turn, 0], picked[:, turn, 1]
        scores[row, a], scores[row, b] = scores[row, b], scores[row, a]
    return picked, scores


def _example(kind: Among, systems: Sequence[str], truth: Floats, picked: Pairs, estimate: Floats) -> SwappedRanks:
    return SwappedRanks(
        among=kind,
        pairs=tuple((systems[a], systems[b]) for a, b in picked.tolist()),
        systems=tuple(systems),
        truth_ranks=tuple(mean_ranks(truth).tolist()),
        estimate_ranks=tuple(mean_ranks(estimate).tolist()),
    )
