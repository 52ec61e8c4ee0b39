"""Discriminative power of an estimate (Carterette 2009) and of a measure (Sakai 2006)."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rankscope as rs
from narrowing import by_topic
from rankscope.errors import MismatchedNames, MissingScores, ShapeMismatch
from rankscope.inference.discrimination import discriminative_power, sakai_discriminative_power
from rankscope.inference.pairs import significance

# Carterette 2009, section 3.1: three systems, four topics.
AP = rs.ScoreMatrix(
    [[0.283, 0.481, 0.516], [0.017, 0.399, 0.544], [0.075, 0.300, 0.277], [0.183, 0.662, 0.616]], ["A", "B", "C"]
)


@pytest.mark.parametrize(
    ("order", "power"), [("ABC", 0.0), ("ACB", 0.0), ("BAC", 0.5), ("CAB", 0.5), ("BCA", 1.0), ("CBA", 1.0)]
)
def test_dsc_pow_of_carterette_2009(order, power):
    # The column "dsc pow" of the table in section 3.1.
    result = discriminative_power(AP, rs.SystemScores([3.0, 2.0, 1.0], list(order)))
    assert (result.value, result.pairs, result.all_pairs) == (power, 2, 3)
    assert result.agreeing + result.opposed == 2


def test_a_tie_in_the_estimate_counts_half():
    result = discriminative_power(AP, [0.5, 0.5, 0.5])
    assert (result.value, result.tied) == (0.5, 2)
    assert discriminative_power(AP, [0.5, 0.5, 0.9]).value == 0.75


def test_no_significant_pair_has_no_value():
    alike = rs.ScoreMatrix(np.repeat([[0.1], [0.5], [0.3]], 3, axis=1))
    result = discriminative_power(alike, [3.0, 2.0, 1.0])
    assert (result.value, result.pairs, result.all_pairs) == (None, 0, 3)
    assert result.to_dict()["value"] is None


@given(
    estimate=st.lists(st.sampled_from([0.0, 0.2, 0.5, 0.9]), min_size=6, max_size=6),
    correction=st.sampled_from(["none", "holm"]),
)
def test_it_is_the_literal_share(estimate, correction):
    table = np.random.default_rng(0).random((20, 6)).round(2) + np.linspace(0.0, 0.4, 6).round(2)
    means, credit, count = table.mean(axis=0), 0.0, 0
    p = {(i, j): stats.ttest_rel(table[:, i], table[:, j]).pvalue for i, j in itertools.combinations(range(6), 2)}
    ordered = sorted(p.values())
    for (i, j), value in p.items():
        adjusted = value
        if correction == "holm":
            adjusted = max(ordered[k] * (len(p) - k) for k in range(ordered.index(value) + 1))
        if adjusted <= 0.05:
            count += 1
            credit += 0.5 + 0.5 * np.sign(means[i] - means[j]) * np.sign(estimate[i] - estimate[j])
    result = discriminative_power(table, estimate, correction=correction)
    assert result.pairs == count > 0
    assert result.value == pytest.approx(credit / count)
    assert result.agreeing + result.tied + result.opposed == result.pairs


def test_names_align_and_positions_do_not():
    shuffled = rs.ScoreMatrix(AP.values[:, [2, 0, 1]], ["C", "A", "B"])
    assert discriminative_power(AP, shuffled).value == 1.0
    assert discriminative_power(AP, {"C": 3.0, "A": 1.0, "B": 2.0}).value == 1.0


def test_the_truth_itself_has_all_the_power():
    assert discriminative_power(AP, AP).value == 1.0
    assert discriminative_power(AP.values, AP.values).value == 1.0


def test_sides_that_do_not_match_are_refused():
    with pytest.raises(ShapeMismatch, match="scores 2 systems and the truth 3"):
        discriminative_power(AP, [0.1, 0.2])
    with pytest.raises(MismatchedNames, match="only in"):
        discriminative_power(AP, {"A": 1.0, "B": 2.0, "D": 3.0})
    with pytest.raises(MissingScores, match="scores without topics; a paired test"):
        discriminative_power({"A": 1.0, "B": 2.0}, AP)


@pytest.mark.parametrize("test", ["t", "bootstrap", "tukey"])
def test_sakais_power_is_the_share_under_the_curve_at_alpha(test):
    table = np.random.default_rng(1).random((30, 7)) + np.linspace(0.0, 0.3, 7)
    power = sakai_discriminative_power(table, test=test, resamples=500, alpha=0.1)
    tested = significance(table, test=test, resamples=500, alpha=0.1)
    assert power.value == tested.share == power.significant / power.pairs
    assert power.asl.tolist() == sorted(tested.pvalues[np.triu_indices(7, 1)])
    assert (power.asl <= 0.1).sum() == power.significant > 0
    assert power.table().rows[-1][:2] == (21, 1.0)


def test_more_topics_tell_more_pairs_apart(data):
    scores = by_topic(rs.read_scores(data / "trec5" / "adhoc5_ap.csv"))
    few = scores.select(topics=scores.topics[::5])
    assert sakai_discriminative_power(few, test="t").value < sakai_discriminative_power(scores, test="t").value


def test_sakais_default_is_the_bootstrap():
    assert sakai_discriminative_power(AP, resamples=100).settings["test"] == "bootstrap"
