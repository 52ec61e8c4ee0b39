"""Significance of pairs: t and Wilcoxon against scipy pair by pair, and what holds for every test."""

from __future__ import annotations

import itertools
import json
import warnings
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import oracles_pairs
import rankscope as rs
from rankscope.averages import decimal_code
from rankscope.errors import BadParameter, MissingScores, RankscopeWarning, TooFewSystems
from rankscope.inference.closed_tests import paired_t
from rankscope.inference.pairs import TESTS, significance

NAMES = [record.name for record in TESTS]


def pairs(m):
    return list(itertools.combinations(range(m), 2))


def draw_tables(cells, topics, systems=(2, 5)):
    """Tables of scores with many ties, zeros, identical systems and constant gaps."""

    def table(shape):
        n, m = shape
        columns = st.lists(st.lists(cells, min_size=n, max_size=n), min_size=m, max_size=m)
        return st.tuples(columns, st.booleans(), st.booleans()).map(twisted)

    def twisted(drawn):
        columns, twin, shifted = drawn
        if twin:
            columns[-1] = list(columns[0])
        if shifted:
            columns[-1] = [round(v + 0.1, 6) for v in columns[0]]
        return np.array(columns, dtype=float).T

    return st.tuples(st.integers(*topics), st.integers(*systems)).flatmap(table)


decimals = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 1.0]) | st.integers(0, 10**6).map(lambda k: k / 10**6)
reals = st.floats(-1e6, 1e6, allow_subnormal=False)


def integers(table):
    """Scipy's copy of decimal scores as whole numbers, on which it subtracts exactly too."""
    coded = decimal_code(table)
    return table if coded is None else coded[0]


def scipy_pair(function, x, y):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # scipy warns where it divides by zero; the value is what is wanted
        return function(x, y)


# --- t -----------------------------------------------------------------------


@given(table=draw_tables(decimals | reals, topics=(2, 30)))
def test_t_is_scipys_ttest_rel(table):
    ours = significance(table)
    exact = integers(table)
    for i, j in pairs(table.shape[1]):
        x, y = exact[:, i], exact[:, j]
        if np.array_equal(x, y):
            assert (ours.statistic[i, j], ours.pvalues[i, j]) == (0.0, 1.0)
        elif np.ptp(x - y) == 0.0:
            assert (abs(ours.statistic[i, j]), ours.pvalues[i, j]) == (np.inf, 0.0)
        else:
            theirs = scipy_pair(stats.ttest_rel, x, y)
            assert ours.pvalues[i, j] == pytest.approx(theirs.pvalue, abs=1e-10)
            assert ours.statistic[i, j] == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("offset", [0.0, 1e6, -1e9])
@pytest.mark.parametrize("scale", [1e-200, 1e-6, 1.0, 1e200])
def test_t_keeps_ten_decimals_under_offsets_and_scales(offset, scale):
    rng = np.random.default_rng(1)
    table = rng.standard_normal((40, 12))
    table[:, 5] = table[:, 4] + 1e-7 * rng.standard_normal(40)  # a pair whose covariances cancel
    table = (table + offset) * scale
    ours = paired_t(table).pvalues
    for i, j in pairs(12):
        gaps = (table[:, i] - table[:, j]) / scale  # scipy's squares would overflow
        assert ours[i, j] == pytest.approx(stats.ttest_1samp(gaps, 0.0).pvalue, abs=1e-10)


def test_figure_1_of_gao_and_oard_2015(data):
    # TREC-5 AP: 63.6 % of pairs differ at p < .05 by a paired t-test (checked).
    result = significance(rs.read_scores(data / "trec5" / "adhoc5_ap.csv")).by_mean()
    assert round(result.share, 3) == 0.636
    assert np.all(np.diff(result.means) <= 0.0)
    assert np.all(result.differences[np.triu_indices(61, 1)] >= 0.0)
    assert not (result.pvalues == 0.05).any()  # so that < and ≤ are the same here


# --- Wilcoxon ----------------------------------------------------------------


def scipy_wilcoxon(x, y):
    """scipy's default; told in full to a scipy before 1.15, which took ties for none and refused equal columns."""
    chosen = {}
    if tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 15):
        size = np.abs(x - y)
        if not size.any():
            return SimpleNamespace(statistic=0.0, pvalue=np.nan)
        tied = (size == 0).any() or len(np.unique(size)) < len(size)
        few = stats.PermutationMethod() if len(size) <= 13 else "approx"
        chosen = {"method": "approx" if len(size) > 50 else few if tied else "exact"}
    return scipy_pair(partial(stats.wilcoxon, **chosen), x, y)


@given(table=draw_tables(decimals | reals, topics=(1, 6)))
def test_wilcoxon_is_the_enumeration_for_few_topics(table):
    ours = significance(table, test="wilcoxon")
    exact = integers(table)
    for i, j in pairs(table.shape[1]):
        if decimal_code(table) is None:  # the twin would subtract exactly where floats round
            continue
        plus, p = oracles_pairs.wilcoxon(exact[:, i], exact[:, j])
        assert (ours.statistic[i, j], ours.pvalues[i, j]) == (plus, pytest.approx(p, abs=1e-14))
        assert ours.statistic[j, i] == oracles_pairs.wilcoxon(exact[:, j], exact[:, i])[0]


@pytest.mark.parametrize("topics", [2, 5, 10, 13, 14, 50, 51, 120])
@pytest.mark.parametrize("levels", [4, 1_000_000], ids=["tied", "untied"])
def test_wilcoxon_is_scipys_default(topics, levels):
    table = np.random.default_rng(topics).integers(0, levels, (topics, 6)) / levels
    table[:, 4] += 0.5
    ours = significance(table, test="wilcoxon")
    exact = integers(table)
    compared = [(0, 4)] if topics == 13 else pairs(6)  # scipy takes 2 s for 13 topics with ties
    for i, j in compared:
        theirs = scipy_wilcoxon(exact[:, i], exact[:, j])
        expected = 1.0 if np.isnan(theirs.pvalue) else theirs.pvalue
        assert ours.pvalues[i, j] == pytest.approx(expected, abs=1e-10)
        assert min(ours.statistic[i, j], ours.statistic[j, i]) == theirs.statistic


@settings(max_examples=50)
@given(table=draw_tables(decimals | reals, topics=(14, 60)))
def test_wilcoxon_is_scipys_default_on_any_scores(table):
    ours = significance(table, test="wilcoxon")
    exact = integers(table)
    for i, j in pairs(table.shape[1]):
        theirs = scipy_wilcoxon(exact[:, i], exact[:, j]).pvalue
        assert ours.pvalues[i, j] == pytest.approx(1.0 if np.isnan(theirs) else theirs, abs=1e-10)


def test_wilcoxon_sees_ties_that_floats_hide():
    table = np.array([[0.3, 0.2], [0.2, 0.1], [0.1, 0.3], [0.9, 0.4]])  # 0.3 − 0.2 and 0.2 − 0.1 differ as floats
    assert significance(table, test="wilcoxon").statistic[0, 1] == 1.5 + 1.5 + 4.0


@pytest.mark.parametrize(
    ("topics", "method"),
    [(13, "exact for all pairs"), (30, "exact for 2 of 3 pairs, normal"), (60, "signed ranks, normal")],
)
def test_wilcoxon_says_how(topics, method):
    table = np.random.default_rng(0).random((topics, 3))
    table[0, 0] = table[0, 1]  # a zero difference: not exact beyond 13 topics
    assert method in significance(table, test="wilcoxon").method


# --- what holds for every test ----------------------------------------------


@pytest.mark.parametrize("test", NAMES)
@settings(max_examples=40, deadline=None)  # the first call loads compiled code
@given(table=draw_tables(decimals | reals, topics=(2, 16)))
def test_every_test_gives_probabilities(test, table):
    result = significance(table, test=test, resamples=200)
    m = table.shape[1]
    assert np.array_equal(result.pvalues, result.pvalues.T)
    assert np.all(np.diag(result.pvalues) == 1.0)
    assert np.all((result.pvalues >= 0.0) & (result.pvalues <= 1.0))
    assert np.array_equal(result.differences, -result.differences.T)
    assert not np.isnan(result.statistic).any()
    if test != "t":
        assert np.all(result.pvalues > 0.0)
    for i, j in pairs(m):
        if np.array_equal(table[:, i], table[:, j]):
            assert result.pvalues[i, j] == 1.0
    assert 0.0 <= result.share <= 1.0
    assert result.significant.sum() == 2 * round(result.share * result.pairs)


@pytest.mark.parametrize("test", NAMES)
def test_a_constant_gap_is_the_most_extreme_outcome(test):
    base = np.random.default_rng(8).random((12, 1)).round(3)
    table = np.hstack([base, base + 0.1, np.random.default_rng(9).random((12, 1)).round(3)]).round(3)
    p = significance(table, test=test, resamples=999).pvalues
    least = {"t": 0.0, "wilcoxon": 2 / 2**12, "bootstrap": 1 / 1000}
    if test in least:
        assert p[0, 1] == least[test]
    elif test == "randomisation":
        assert p[0, 1] <= 5 / 1000
    assert p[0, 1] == p[1, 0]


@pytest.mark.parametrize("test", NAMES)
def test_order_of_systems_and_topics_does_not_matter(test):
    rng = np.random.default_rng(10)
    table = rng.random((7, 5)).round(2)
    order = rng.permutation(5)
    here = significance(table, test=test, resamples=128)
    there = significance(table[:, order], test=test, resamples=128)
    slack = 0.2 if test == "tukey" else 1e-12  # Tukey's shuffles depend on the order, its distribution does not
    assert np.abs(here.pvalues[np.ix_(order, order)] - there.pvalues).max() <= slack
    if test in ("t", "wilcoxon", "randomisation"):
        again = significance(table[rng.permutation(7)], test=test, resamples=128)
        assert np.abs(here.pvalues - again.pvalues).max() <= 1e-12


def test_the_table_has_the_better_system_first_and_the_least_p_on_top():
    scores = rs.ScoreMatrix([[0.2, 0.5, 0.3], [0.4, 0.6, 0.3], [0.3, 0.7, 0.2], [0.1, 0.5, 0.3]], ["a", "b", "c"])
    result = significance(scores, correction="bonferroni")
    rows = result.table().rows
    assert [row[:2] for row in rows] == [("b", "a"), ("b", "c"), ("c", "a")]
    assert [row[3] for row in rows] == sorted(result.pvalues[np.triu_indices(3, 1)])
    assert all(row[2] >= 0.0 and row[5] == (row[4] <= 0.05) for row in rows)
    assert rows[0][4] == pytest.approx(3 * rows[0][3])
    assert json.loads(result.to_json())["settings"]["correction"] == "bonferroni"
    assert result.to_frame().height == 3
    with pytest.raises(ValueError, match="read-only"):
        result.pvalues[0, 1] = 0.0


def test_corrections_are_over_pairs():
    table = np.random.default_rng(11).random((30, 8)) + np.linspace(0.0, 0.4, 8)
    none, bh, holm, bonferroni = (
        significance(table, correction=c).significant.sum() for c in ("none", "bh", "holm", "bonferroni")
    )
    assert none >= bh >= holm >= bonferroni > 0
    upper = np.triu_indices(8, 1)
    p = significance(table, correction="holm")
    assert p.adjusted[upper].tolist() == pytest.approx(
        [oracles_pairs.holm(p.pvalues[upper].tolist(), i) for i in range(28)]
    )


# --- errors and warnings -----------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "anova"}, "t, wilcoxon, randomisation, bootstrap, tukey"),
        ({"correction": "sidak"}, "none, bonferroni, holm, bh"),
        ({"test": "tukey", "correction": "holm"}, "corrects for all pairs itself; use correction='none'"),
        ({"alpha": 0.0}, "alpha=0.0"),
        ({"alpha": float("nan")}, "alpha=nan"),
        ({"resamples": 0}, "resamples=0"),
        ({"jobs": 0}, "jobs=0"),
        ({"rng": -1}, "rng=-1: a whole number, 0 or more"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(BadParameter, match=message):
        significance([[0.1, 0.2], [0.3, 0.5]], **options)


def test_scores_that_hold_no_pair_are_refused():
    with pytest.raises(MissingScores, match="scores without topics; a paired test"):
        significance({"a": 0.1, "b": 0.2})
    with pytest.raises(TooFewSystems, match="there is 1"):
        significance([[0.1], [0.2]])
    with pytest.raises(MissingScores, match="1 scores are missing"):
        significance(rs.ScoreMatrix([[0.1, np.nan], [0.2, 0.3]]))


@pytest.mark.parametrize("test", NAMES)
def test_one_topic(test):
    if test in ("t", "bootstrap"):
        with pytest.raises(BadParameter, match="needs at least 2 topics, there is 1"):
            significance([[0.1, 0.2]], test=test)
    else:
        assert significance([[0.1, 0.2]], test=test).pvalues.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_a_correction_that_no_resampled_p_can_pass_is_said():
    table = np.random.default_rng(12).random((20, 10))
    with pytest.warns(RankscopeWarning, match="no pair can be significant; use test='tukey'"):
        significance(table, test="randomisation", correction="holm", resamples=100)
    significance(table, test="randomisation", correction="bh", resamples=100)
