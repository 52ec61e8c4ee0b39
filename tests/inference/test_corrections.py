"""Corrections against their definitions, and the order among them."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_pairs
from rankscope.errors import BadParameter
from rankscope.inference.corrections import CORRECTIONS, adjust

pvalues = st.lists(
    st.one_of(st.sampled_from([0.0, 0.01, 0.05, 0.5, 1.0]), st.floats(0.0, 1.0, allow_subnormal=False)), max_size=12
)


@pytest.mark.parametrize("method", ["bonferroni", "holm", "bh"])
@given(p=pvalues)
def test_adjusted_is_the_least_level_that_rejects(method, p):
    literal = getattr(oracles_pairs, method)
    assert adjust(p, method).tolist() == pytest.approx([literal(p, i) for i in range(len(p))], abs=1e-15)


@given(p=pvalues)
def test_order_and_bounds(p):
    none, bonferroni, holm, bh = (adjust(p, method) for method in CORRECTIONS)
    slack = 1e-15
    assert none.tolist() == p
    assert np.all(none <= bh + slack)
    assert np.all(bh <= holm + slack)
    assert np.all(holm <= bonferroni + slack)
    assert np.all(bonferroni <= 1.0)
    for adjusted in (bonferroni, holm, bh):
        assert np.all(np.diff(adjusted[np.argsort(p)]) >= 0.0)


@given(p=pvalues, seed=st.integers(0, 100))
def test_the_order_given_does_not_matter(p, seed):
    order = np.random.default_rng(seed).permutation(len(p))
    shuffled = np.array(p)[order]
    for method in CORRECTIONS:
        assert adjust(shuffled, method).tolist() == adjust(p, method)[order].tolist()


def test_the_example_of_benjamini_and_hochberg():
    # Benjamini & Hochberg 1995, their fifteen p-values: at .05 Bonferroni rejects three, their procedure four.
    p = [
        0.0001,
        0.0004,
        0.0019,
        0.0095,
        0.0201,
        0.0278,
        0.0298,
        0.0344,
        0.0459,
        0.3240,
        0.4262,
        0.5719,
        0.6528,
        0.7590,
        1.0,
    ]
    rejected = {method: int((adjust(p, method) <= 0.05).sum()) for method in CORRECTIONS}
    assert rejected == {"none": 9, "bonferroni": 3, "holm": 3, "bh": 4}


def test_the_input_is_left_alone():
    p = np.array([0.04, 0.01])
    for method in CORRECTIONS:
        adjust(p, method)[:] = 7.0
    assert p.tolist() == [0.04, 0.01]


@pytest.mark.parametrize(
    ("p", "message"),
    [
        ([0.1, float("nan")], r"pvalues\[1\] is nan"),
        ([-0.1], r"pvalues\[0\] is -0.1"),
        ([1.5], "between 0 and 1"),
        ([[0.1]], "2 dimensions"),
        (0.1, "0 dimensions"),
        (["x"], "list of numbers"),
    ],
)
def test_what_is_no_pvalue_is_refused(p, message):
    with pytest.raises(BadParameter, match=message):
        adjust(p, "holm")


def test_an_unknown_correction_names_the_known():
    wrong: Any = "sidak"
    with pytest.raises(BadParameter, match="none, bonferroni, holm, bh"):
        adjust([0.1], wrong)
