"""Coefficients of agreement between two rankings: a registry of records, one family per file."""

from rankscope.coefficients.accuracy import pairwise_accuracy
from rankscope.coefficients.ap import tau_ap, tau_ap_a, tau_ap_b
from rankscope.coefficients.gaps import pearson_rank, tau_gap
from rankscope.coefficients.linear import pearson, spearman
from rankscope.coefficients.overlap import rbo
from rankscope.coefficients.pairs import fuzzy_kendall, kendall, tau_a, tau_b, weighted_tau
from rankscope.coefficients.record import Coefficient, Record
from rankscope.coefficients.registry import all_coefficients, coefficient, default_coefficients

__all__ = [
    "Coefficient",
    "Record",
    "all_coefficients",
    "coefficient",
    "default_coefficients",
    "fuzzy_kendall",
    "kendall",
    "pairwise_accuracy",
    "pearson",
    "pearson_rank",
    "rbo",
    "spearman",
    "tau_a",
    "tau_ap",
    "tau_ap_a",
    "tau_ap_b",
    "tau_b",
    "tau_gap",
    "weighted_tau",
]
