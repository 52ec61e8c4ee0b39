"""The statistics of label agreement, one record each, in the order in which they are shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from rankscope.inference.labels.counts import Sample
from rankscope.scores import Floats

# A draw of topics whose variance of grades is below this share of their squares is constant up to rounding errors.
_CONSTANT = 1e-12
# τ_b walks over the grades of the side that has fewer.
MOST_GRADES = 100


# The names of those that measure agreement.
Agreement = Literal[
    "equal",
    "kappa",
    "kappa_linear",
    "kappa_quadratic",
    "alpha_nominal",
    "alpha_ordinal",
    "alpha_interval",
    "ac1",
    "kappa_binary",
    "auc",
    "spearman",
    "tau_b",
]


@dataclass(frozen=True, kw_only=True)
class Statistic:
    """A statistic; `values` returns one number per sample of topics, nan where it is not defined.

    `by_label` statistics compare labels, others the grades themselves; `nominal` ones need no order, so that labels may
    be words. `few_grades` says that one side must have no more than `MOST_GRADES` different ones.
    """

    name: str
    label: str
    symbol: str
    reference: str
    values: Callable[[Sample], Floats]
    undefined: str
    bounds: tuple[float, float] = (-1.0, 1.0)
    by_label: bool = True
    nominal: bool = False
    few_grades: bool = False
    agreement: bool = True


def _equal(sample: Sample) -> Floats:
    return np.asarray(sample.cells[:, sample.rows == sample.columns].sum(axis=1) / sample.pairs)


def _kappa(sample: Sample) -> Floats:
    same = sample.cells[:, sample.rows == sample.columns].sum(axis=1)
    return _beyond_chance(sample.pairs, same, (sample.truth * sample.judge).sum(axis=1))


def binary_kappa(counts: Floats) -> Floats:
    """Cohen's κ of each row of counts: relevant to both, to the judge only, to the truth only, to neither."""
    both, judge_only, truth_only, neither = counts.T
    yes = (both + truth_only) * (both + judge_only)
    no = (neither + truth_only) * (neither + judge_only)
    return _beyond_chance(counts.sum(axis=1), both + neither, yes + no)


def _beyond_chance(pairs: Floats, same: Floats, chance: Floats) -> Floats:
    """(p_o − p_e)/(1 − p_e), from counts instead of shares: they are integers and therefore exact."""
    return _ratio(pairs * same - chance, pairs**2 - chance)


def _kappa_weighted(sample: Sample, power: int) -> Floats:
    """1 − Σ w p_o / Σ w p_e, with weights by the distance between labels."""
    labels = np.ldexp(sample.labels, -int(np.frexp(np.abs(sample.labels).max())[1]))  # exact, and squares stay finite
    distance = np.abs(labels[:, None] - labels) ** power
    observed = sample.cells @ distance[sample.rows, sample.columns]
    expected = ((sample.truth @ distance) * sample.judge).sum(axis=1)
    return 1.0 - _ratio(sample.pairs * observed, expected)


def _ac1(sample: Sample) -> Floats:
    """Chance is Σ π(1 − π)/(k − 1) with the mean share π of each of the k labels."""
    shares = (sample.truth + sample.judge) / (2.0 * sample.pairs[:, None])
    k = len(sample.labels)
    if k < 2:
        return np.full(len(sample.pairs), np.nan)
    chance = (shares * (1.0 - shares)).sum(axis=1) / (k - 1)
    return _ratio(_equal(sample) - chance, 1.0 - chance)


def _alpha_nominal(sample: Sample) -> Floats:
    both = sample.truth + sample.judge
    values = 2.0 * sample.pairs
    observed = 2.0 * sample.cells[:, sample.rows != sample.columns].sum(axis=1)
    return 1.0 - _ratio((values - 1.0) * observed, values**2 - (both**2).sum(axis=1))


def _alpha_ordinal(sample: Sample) -> Floats:
    """Krippendorff's ordinal distance of two labels is that of their mean ranks among all labels given."""
    both = sample.truth + sample.judge
    ranks = np.cumsum(both, axis=1) - both / 2.0
    ranks -= sample.pairs[:, None]  # minus the mean rank, so that sums of squares stay small and exact
    distances = (ranks[:, sample.rows] - ranks[:, sample.columns]) ** 2
    observed = 2.0 * (sample.cells * distances).sum(axis=1)
    return _alpha_squared(sample.pairs, observed, (both * ranks).sum(axis=1), (both * ranks**2).sum(axis=1))


def _alpha_interval(sample: Sample) -> Floats:
    pairs, _, squared_difference, total, squares = sample.moments.T
    return _alpha_squared(pairs, 2.0 * squared_difference, total, squares)


def _alpha_squared(pairs: Floats, observed: Floats, total: Floats, squares: Floats) -> Floats:
    """1 − D_o/D_e for squared distances, whose sum over all pairs of values follows from the moments."""
    values = 2.0 * pairs
    expected = 2.0 * (values * squares - total**2)
    expected[expected <= _CONSTANT * values * squares] = 0.0
    return 1.0 - _ratio((values - 1.0) * observed, expected)


def _mean_difference(sample: Sample) -> Floats:
    return np.asarray(sample.scale * sample.moments[:, 1] / sample.pairs)


def _relevant_difference(sample: Sample) -> Floats:
    _, judge_only, truth_only, _ = sample.binary.T
    return np.asarray((judge_only - truth_only) / sample.pairs)


def _grouped(weights: Floats, code: npt.NDArray[np.intp], codes: int) -> Floats:
    """Sums of the columns with each code."""
    order = np.argsort(code, kind="stable")
    return np.asarray(np.add.reduceat(weights[:, order], np.searchsorted(code[order], np.arange(codes)), axis=1))


def _spearman(sample: Sample) -> Floats:
    """Pearson's correlation of mean ranks among the pairs."""
    cells, weights = sample.grades, sample.weights
    ranks, squares = [], []
    for code, grades in ((cells.x, cells.truth), (cells.y, cells.judge)):
        counts = _grouped(weights, code, len(grades))
        middle = np.cumsum(counts, axis=1) - counts / 2.0 - sample.pairs[:, None] / 2.0
        squares.append((counts * middle**2).sum(axis=1))
        ranks.append(middle[:, code])
    return _ratio((weights * ranks[0] * ranks[1]).sum(axis=1), np.sqrt(squares[0] * squares[1]))


def _tau_b(sample: Sample) -> Floats:
    """Kendall's τ_b over pairs of labelled items, from the side with fewer grades to the other."""
    cells, weights = sample.grades, sample.weights
    few, many, (k, m) = cells.x, cells.y, (len(cells.truth), len(cells.judge))
    if k > m:
        few, many, k, m = many, few, m, k
    below = np.zeros((len(weights), m))
    more = np.zeros(len(weights))
    for value in range(k):
        at = np.flatnonzero(few == value)
        lower = np.cumsum(below, axis=1)
        # Below in both, less below in the one and above in the other.
        sign = 2.0 * lower[:, many[at]] - below[:, many[at]] - lower[:, -1:]
        more += (weights[:, at] * sign).sum(axis=1)
        below[:, many[at]] += weights[:, at]
    untied = [
        sample.pairs**2 - (_grouped(weights, code, size) ** 2).sum(axis=1) for code, size in ((few, k), (many, m))
    ]
    return _ratio(2.0 * more, np.sqrt(untied[0] * untied[1]))


def _auc(sample: Sample) -> Floats:
    """How often a relevant item has the higher grade of the judge than another, ties counting half."""
    cells, weights = sample.grades, sample.weights
    relevant = (cells.truth >= sample.truth_rel)[cells.x]
    yes, no = (_grouped(weights * chosen, cells.y, len(cells.judge)) for chosen in (relevant, ~relevant))
    won = (yes * (np.cumsum(no, axis=1) - no / 2.0)).sum(axis=1)
    return _ratio(won, yes.sum(axis=1) * no.sum(axis=1))


def _ratio(above: Floats, below: Floats) -> Floats:
    out = np.full(below.shape, np.nan)
    np.divide(above, below, out=out, where=below > 0.0)
    return out


_COHEN_UNDEFINED = "both sides give every pair the same label, so agreement by chance is full"
_ALPHA_UNDEFINED = "both sides give every pair the same label, so there is no disagreement by chance"

STATISTICS = (
    Statistic(
        name="equal",
        label="share of equal labels",
        symbol="p_o",
        reference="share of pairs with the same label",
        values=_equal,
        undefined="",
        bounds=(0.0, 1.0),
        nominal=True,
    ),
    Statistic(
        name="kappa",
        label="Cohen's kappa",
        symbol="κ",
        reference="Cohen (Educational and Psychological Measurement, 1960)",
        values=_kappa,
        undefined=_COHEN_UNDEFINED,
        nominal=True,
    ),
    Statistic(
        name="kappa_linear",
        label="weighted kappa, linear",
        symbol="κ_w",
        reference="Cohen (Psychological Bulletin, 1968), weights |i − j|",
        values=lambda sample: _kappa_weighted(sample, 1),
        undefined=_COHEN_UNDEFINED,
    ),
    Statistic(
        name="kappa_quadratic",
        label="weighted kappa, quadratic",
        symbol="κ_w²",
        reference="Cohen (Psychological Bulletin, 1968), weights (i − j)²",
        values=lambda sample: _kappa_weighted(sample, 2),
        undefined=_COHEN_UNDEFINED,
    ),
    Statistic(
        name="alpha_nominal",
        label="Krippendorff's alpha, nominal",
        symbol="α_nom",
        reference="Krippendorff (Content Analysis, 2004), chapter 11",
        values=_alpha_nominal,
        undefined=_ALPHA_UNDEFINED,
        nominal=True,
    ),
    Statistic(
        name="alpha_ordinal",
        label="Krippendorff's alpha, ordinal",
        symbol="α_ord",
        reference="Krippendorff (Content Analysis, 2004), chapter 11",
        values=_alpha_ordinal,
        undefined=_ALPHA_UNDEFINED,
    ),
    Statistic(
        name="alpha_interval",
        label="Krippendorff's alpha, interval",
        symbol="α_int",
        reference="Krippendorff (Content Analysis, 2004), chapter 11; on the grades themselves",
        values=_alpha_interval,
        undefined="both sides give every pair the same grade, so there is no disagreement by chance",
        by_label=False,
    ),
    Statistic(
        name="ac1",
        label="Gwet's AC1",
        symbol="AC1",
        reference="Gwet (British Journal of Mathematical and Statistical Psychology, 2008)",
        values=_ac1,
        undefined="both sides give every pair the same label, so there is nothing to distinguish",
        nominal=True,
    ),
    Statistic(
        name="kappa_binary",
        label="Cohen's kappa, relevant or not",
        symbol="κ_rel",
        reference="Cohen (1960), each side's grades cut at its own relevance threshold",
        values=lambda sample: binary_kappa(sample.binary),
        undefined="every pair, or no pair, is relevant to both sides, so agreement by chance is full",
        by_label=False,
    ),
    Statistic(
        name="auc",
        label="AUC, relevant or not by the judge's grade",
        symbol="AUC",
        reference="Hanley and McNeil (Radiology, 1982), over all pairs of a relevant item and another",
        values=_auc,
        undefined="every item, or no item, is relevant to the truth",
        bounds=(0.0, 1.0),
        by_label=False,
    ),
    Statistic(
        name="spearman",
        label="Spearman's rho of the grades",
        symbol="ρ",
        reference="Spearman (American Journal of Psychology, 1904), over all items",
        values=_spearman,
        undefined="one side gives every item the same grade",
        by_label=False,
    ),
    Statistic(
        name="tau_b",
        label="Kendall's tau-b of the grades",
        symbol="τ_b",
        reference="Kendall (Biometrika, 1945), over all items",
        values=_tau_b,
        undefined="one side gives every item the same grade",
        by_label=False,
        few_grades=True,
    ),
    Statistic(
        name="relevant_difference",
        label="difference of the share of relevant items, judge minus truth",
        symbol="Δ relevant",
        reference="each side's grades cut at its own relevance threshold",
        values=_relevant_difference,
        undefined="",
        by_label=False,
        agreement=False,
    ),
    Statistic(
        name="mean_difference",
        label="mean grade difference, judge minus truth",
        symbol="ȳ − x̄",
        reference="mean over pairs of the grades themselves",
        values=_mean_difference,
        undefined="",
        bounds=(-np.inf, np.inf),
        by_label=False,
        agreement=False,
    ),
)
