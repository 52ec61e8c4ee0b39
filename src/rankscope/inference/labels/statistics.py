"""The statistics of label agreement, one record each, in the order in which they are shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankscope.inference.labels.counts import Sample
from rankscope.scores import Floats

# A draw of topics whose variance of grades is below this share of their squares is constant up to rounding errors.
_CONSTANT = 1e-12


@dataclass(frozen=True, kw_only=True)
class Statistic:
    """A statistic; `values` returns one number per sample of topics, nan where it is not defined."""

    name: str
    label: str
    symbol: str
    reference: str
    values: Callable[[Sample], Floats]
    undefined: str
    bounds: tuple[float, float] = (-1.0, 1.0)
    by_label: bool = True


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
    ),
    Statistic(
        name="kappa",
        label="Cohen's kappa",
        symbol="κ",
        reference="Cohen (Educational and Psychological Measurement, 1960)",
        values=_kappa,
        undefined=_COHEN_UNDEFINED,
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
        name="kappa_binary",
        label="Cohen's kappa, relevant or not",
        symbol="κ_rel",
        reference="Cohen (1960), each side's grades cut at its own relevance threshold",
        values=lambda sample: binary_kappa(sample.binary),
        undefined="every pair, or no pair, is relevant to both sides, so agreement by chance is full",
        by_label=False,
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
    ),
)
