"""Systems that an estimate moves together: clusters that nobody named, each tested as a group is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rankscope.inference.corrections import adjust
from rankscope.inference.resampling import Seed
from rankscope.inference.residual_clusters import LEAST, MOST_SYSTEMS, joined_systems
from rankscope.inference.worth_model import scaled_sides
from rankscope.scores import ScoreMatrix, Scores
from rankscope.studies.families import OTHER
from rankscope.studies.groups import GroupShift, group_shifts

# Why no clusters were sought though they were asked for.
NoClusters = Literal["no shared topics", "few", "many systems", "one score"]


@dataclass(frozen=True, kw_only=True)
class SystemCluster:
    """Systems that an estimate moves together from topic to topic, and whether it favours them.

    Attributes
    ----------
    systems : tuple of str
        Its systems.
    correlation : float
        The mean correlation of residuals at which the last of them joined.
    joined_pvalue : float
        Its p: how often the two closest systems are as close when residuals are dealt anew within topics, or when
        each system's are shuffled over topics, whichever is more often.
    shift : GroupShift
        How the cluster fares against all other systems, tested as a group is.
    """

    systems: tuple[str, ...]
    correlation: float
    joined_pvalue: float
    shift: GroupShift

    @property
    def names(self) -> str:
        """Its systems in one line."""
        return ", ".join(self.systems)


def system_clusters(
    truth: Scores, estimate: Scores, *, paired: bool, alpha: float, level: float, rng: Seed
) -> tuple[SystemCluster, ...] | NoClusters:
    """The clusters of systems that the estimate moves together, or why none were sought; the systems are the same."""
    if not (paired and isinstance(truth, ScoreMatrix) and isinstance(estimate, ScoreMatrix)):
        return "no shared topics"
    if not (truth.averaged and estimate.averaged):
        return "no shared topics"
    if min(truth.values.shape) < LEAST:
        return "few"
    if len(truth.systems) > MOST_SYSTEMS:
        return "many systems"
    sides = scaled_sides(truth.values, estimate.values, paired=True)
    if sides is None:
        return "one score"
    x, y = sides
    clusters = joined_systems(y - x, alpha=alpha, rng=rng)
    if not clusters:
        return ()
    names = {i: f"cluster {number}" for number, cluster in enumerate(clusters, 1) for i in cluster.systems}
    group_of = {system: names.get(i, OTHER) for i, system in enumerate(truth.systems)}
    shifts = group_shifts(truth, estimate, group_of, level=level, rng=rng, paired=True)
    by_name = {shift.group: shift for shift in shifts}
    return tuple(
        SystemCluster(
            systems=tuple(truth.systems[i] for i in cluster.systems),
            correlation=cluster.correlation,
            joined_pvalue=cluster.pvalue,
            shift=by_name[names[cluster.systems[0]]],
        )
        for cluster in clusters
    )


def most_favoured(answers: Sequence[Sequence[SystemCluster]]) -> list[tuple[SystemCluster, float] | None]:
    """Of each answer's clusters the one with the smallest p of a favour, and that p by Holm over all answers.

    An answer's own p-values allow for its clusters already. Where none were found there is nothing to favour: p is 1.
    """
    smallest = [min((c for c in own if c.shift.pvalue is not None), key=_favour, default=None) for own in answers]
    adjusted = adjust([1.0 if own is None else _favour(own) for own in smallest], "holm")
    return [None if own is None else (own, float(p)) for own, p in zip(smallest, adjusted, strict=True)]


def _favour(cluster: SystemCluster) -> float:
    return 1.0 if cluster.shift.pvalue is None else cluster.shift.pvalue
