"""Human scores of real and simulated collections, taken as the population of topics and systems."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from simulated import Population
from written_sections import DATA

import rankscope as rs
from rankscope.scores import Floats

MATRICES = {
    "robust2004 AP": "robust2004/robust2004_ap.csv",
    "robust2004 P@10": "robust2004/robust2004_p10.csv",
    "trec5 AP": "trec5/adhoc5_ap.csv",
    "trec5 P@10": "trec5/adhoc5_p10.csv",
    "trec5 RR": "trec5/adhoc5_rr.csv",
    "web2012 AP": "web2012/web2012_ap.csv",
    "web2012 P@10": "web2012/web2012_p10.csv",
    "web2012 nDCG@20": "web2012/web2012_ndcg20.csv",
    "web2012 ERR@20": "web2012/web2012_err20.csv",
    "adhoc6 AP": "urbano2016/adhoc6.csv",
    "adhoc7 AP": "urbano2016/adhoc7.csv",
}
SIMULATED = "simulated track"
# Matrices that were not used in choosing the method, apart from a simulated population.
OTHERS = (
    "trec5 AP",
    "trec5 RR",
    "web2012 nDCG@20",
    "web2012 ERR@20",
    "adhoc6 AP",
    "adhoc7 AP",
    "robust2004 P@10",
    SIMULATED,
)


@dataclass(frozen=True, eq=False)
class Collection:
    """Human scores of all topics and systems, taken as the population that topics and systems are drawn from."""

    name: str
    scores: Floats

    @cached_property
    def true_values(self) -> Floats:
        means: Floats = self.scores.mean(axis=0)
        return means

    @cached_property
    def between(self) -> float:
        """K: the variance of systems' true values."""
        return float(self.true_values.var(ddof=1))

    @cached_property
    def within(self) -> float:
        """E: the variance of a topic's scores around the true values, both centred by topic."""
        left = self.scores - self.true_values
        left = left - left.mean(axis=1, keepdims=True)
        return float((left**2).sum() / (len(left) * (left.shape[1] - 1)))


@cache
def collection(name: str) -> Collection:
    """One of MATRICES, or 5,000 topics of 100 simulated systems."""
    if name == SIMULATED:
        return Collection(name, Population(systems=100, seed=7).sample(5_000, np.random.default_rng(8))[0])
    return Collection(name, rs.read_scores(DATA / MATRICES[name]).values)
