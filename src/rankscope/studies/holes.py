"""How many judgments may be missing? Random parts of them are kept.

Buckley & Voorhees (2004); Figure 4 of Carterette (2009).
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rankscope.checks import check_count, check_share
from rankscope.coefficients import Coefficient
from rankscope.defaults import ALPHA, MEASURES, RESAMPLES, SEED
from rankscope.inputs import JudgmentsLike, RunsLike
from rankscope.measures.scoring import Measures
from rankscope.results import Result, Table, rows_table
from rankscope.runs import Judgments
from rankscope.scores import Floats
from rankscope.studies.blocks import Progress
from rankscope.studies.judgment_reference import DISTANCE, Reference, check_fractions, make_reference
from rankscope.studies.judgment_variants import (
    JudgmentStudy,
    Setting,
    VariantAgreement,
    Variants,
    agreement_rows,
    graded_variants,
    repeat_ranges,
    run_variants,
)

FRACTIONS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
REPEATS = 30
# Repeats in a block: about a second of work for a large track.
_BLOCK = 10

Mask = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Loss:
    """The fraction at which the ranking ceases to differ significantly from that by all judgments, under one measure.

    `significant_up_to` is the largest fraction at which the rank distance test rejects in at least half of the repeats
    (None if there is none), and `indistinguishable_from` the next larger fraction studied (None if there is none).
    """

    measure: str
    significant_up_to: float | None
    indistinguishable_from: float | None


@dataclass(frozen=True, kw_only=True, eq=False)
class HolesStudy(JudgmentStudy, Result):
    """Rankings by random parts of the judgments against the ranking by all `judgments`; see `rs.study_holes`.

    The setting of a row of `agreements` is the `fraction` kept and the number of `judgments` that this is.
    """

    question = "How many judgments may be missing?"

    losses: tuple[Loss, ...]

    def loss_table(self) -> Table:
        """One row per measure: the fraction at which the difference from the full ranking ceases to be significant."""
        return rows_table(self.losses, Loss)

    def tables(self) -> dict[str, Table]:
        """All tables by name, the main table first."""
        return {"agreements": self.table(), "losses": self.loss_table()}


def study_holes(
    runs: RunsLike,
    judgments: JudgmentsLike,
    measures: Measures = MEASURES,
    *,
    fractions: Sequence[float] = FRACTIONS,
    repeats: int = REPEATS,
    coefficients: Sequence[str | Coefficient] | None = None,
    rel: float = 1,
    alpha: float = ALPHA,
    resamples: int = RESAMPLES,
    rng: int = SEED,
    jobs: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    cluster: Any = None,
    progress: Progress | None = None,
) -> HolesStudy:
    """Keep a random fraction of the judgments, rank the systems again, and compare with all judgments.

    In each topic, that fraction of its relevant documents and that fraction of the others is kept, rounded half up, but
    at least one of each if there are any. Within a repeat, the judgments kept at a smaller fraction are among those
    kept at a larger one.

    Parameters
    ----------
    runs : RunsLike
        The runs to rank: a `RunSet`, or where to read it from.
    judgments : JudgmentsLike
        All judgments: a `Judgments`, or where to read it from.
    measures : Measures, default ("nDCG@10", "AP")
        The measures to rank by.
    fractions : sequence of float, default (0.01, 0.02, 0.05, 0.1, 0.2, …, 0.9)
        The fractions of the judgments to keep, each from 0 to 1.
    repeats : int, default 30
        How often each fraction is drawn.
    coefficients : sequence of str or Coefficient, optional
        The coefficients of agreement; None for all. The rank distance is always computed.
    rel : float, default 1
        The least grade that counts as relevant when documents are drawn. A measure's own is part of its name.
    alpha : float, default 0.05
        The level of the rank distance test.
    resamples : int, default 2000
        Draws of topics behind the rank distance test; 0 for no test.
    rng : int, default 0
        The seed. It decides every number.
    jobs : int, optional
        The number of threads; None for one per core. Numbers do not depend on it.
    checkpoint : path, optional
        A folder that keeps finished blocks. An interrupted study continues from it, also with more repeats or other
        fractions.
    cluster : str or distributed.Client, optional
        The address of a Dask scheduler, or a client of it.
    progress : callable, optional
        Called with the number of blocks done and the number of all blocks.

    Returns
    -------
    HolesStudy
        Agreement by fraction, measure and coefficient, and the fraction at which significance is lost.

    Raises
    ------
    BadParameter
        If an argument is out of its range.
    MissingScores
        If no run retrieved a judged document.
    TooFewSystems
        If there are fewer than two runs.
    MismatchedCheckpoint
        If the folder belongs to another study.
    UnreachableCluster
        If the cluster does not answer.

    References
    ----------
    Buckley & Voorhees, Retrieval evaluation with incomplete information, SIGIR 2004.
    Carterette, On rank correlation and the distance between rankings, SIGIR 2009, section 4.5 and Figure 4.

    Examples
    --------
    >>> from rankscope.runs import Judgments, RunSet
    >>> runs = RunSet.of({"a": {"1": ["x", "y"], "2": ["u", "v"]}, "b": {"1": ["z", "x"], "2": ["w", "v"]}})
    >>> truth = Judgments.of({"1": {"x": 1, "y": 0, "z": 0}, "2": {"v": 1, "u": 0, "w": 0}})
    >>> study = study_holes(runs, truth, "AP", fractions=[0.5, 1], repeats=3, coefficients=["pearson"], resamples=0)
    >>> [(row.setting, row.value) for row in study.agreements if row.coefficient == "pearson"]
    [({'fraction': 0.5, 'judgments': 4}, 1.0), ({'fraction': 1.0, 'judgments': 6}, 1.0)]
    """
    kept_fractions = check_fractions(fractions)
    repeats = check_count("repeats", repeats)
    check_share("alpha", alpha)
    reference = make_reference(runs, judgments, measures, coefficients, resamples=resamples, rng=rng, jobs=jobs)
    blocks = [
        block
        for fraction in kept_fractions
        for block in hole_blocks(
            reference,
            {"fraction": fraction, "judgments": rows_kept(reference.judgments, fraction, rel)},
            fraction,
            repeats=repeats,
            rel=rel,
            seed=int(rng),
        )
    ]
    kept = reference.checkpoint(checkpoint, "holes", {"rel": rel, "seed": int(rng)})
    compared = run_variants(reference, blocks, jobs=jobs, cluster=cluster, checkpoint=kept, progress=progress)
    agreements = tuple(agreement_rows(reference, compared, alpha=alpha))
    return HolesStudy(
        agreements=agreements,
        losses=tuple(_losses(reference, kept_fractions, agreements)),
        settings={
            "fractions": list(kept_fractions),
            "repeats": repeats,
            "rel": rel,
            "alpha": alpha,
            "resamples": resamples,
            "seed": int(rng),
        },
        **reference.description(),
    )


def hole_blocks(
    reference: Reference, setting: Setting, fraction: float, *, repeats: int, rel: float, seed: int
) -> list[Variants]:
    """The blocks of repeats in which a random fraction of the judgments is kept."""
    return [
        graded_variants(
            reference,
            # All digits of the fraction, so that no two fractions share a name.
            f"fraction-{fraction!r}-repeats-{numbers.start + 1:05d}-{numbers.stop:05d}",
            [setting] * len(numbers),
            functools.partial(_grades, reference.judgments, fraction, numbers, rel, seed),
        )
        for numbers in repeat_ranges(repeats, _BLOCK)
    ]


def _grades(judgments: Judgments, fraction: float, numbers: range, rel: float, seed: int) -> Floats:
    """The grades that are kept in each of these repeats."""
    relevant = judgments.grades >= rel
    kept = [kept_rows(judgments, relevant, fraction, np.random.default_rng([seed, number])) for number in numbers]
    return np.where(np.stack(kept), judgments.grades, np.nan)


def kept_rows(judgments: Judgments, relevant: Mask, fraction: float, generator: np.random.Generator) -> Mask:
    """Which rows to keep: in each topic, the first of a random order of its relevant rows, and of the others.

    The generator gives one number for each row, which decides the order; the fraction decides how far to go in it.
    """
    stratum = 2 * judgments.topic_of + relevant
    order = np.lexsort((generator.random(len(judgments)), stratum))
    sizes = np.bincount(stratum, minlength=2 * len(judgments.topics))
    place = np.empty(len(judgments), dtype=np.int64)
    place[order] = np.arange(len(judgments)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.asarray(place < _quotas(sizes, fraction)[stratum])


def rows_kept(judgments: Judgments, fraction: float, rel: float) -> int:
    """How many rows a fraction keeps, which does not depend on chance."""
    sizes = np.bincount(2 * judgments.topic_of + (judgments.grades >= rel), minlength=2 * len(judgments.topics))
    return int(np.minimum(_quotas(sizes, fraction), sizes).sum())


def _quotas(sizes: Counts, fraction: float) -> Counts:
    """How many of each stratum to keep: the fraction, rounded half up, but at least one."""
    return np.asarray(np.maximum(np.floor(fraction * sizes + 0.5).astype(np.int64), 1))


def _losses(reference: Reference, fractions: Sequence[float], rows: Sequence[VariantAgreement]) -> Iterator[Loss]:
    for measure, ranking in reference.rankings.items():
        if ranking.null is None:
            continue
        rejected = [row.rejected or 0.0 for row in rows if (row.measure, row.coefficient) == (measure, DISTANCE)]
        last = max((i for i, share in enumerate(rejected) if share >= 0.5), default=-1)
        yield Loss(
            measure=measure,
            significant_up_to=fractions[last] if last >= 0 else None,
            indistinguishable_from=fractions[last + 1] if last + 1 < len(fractions) else None,
        )
