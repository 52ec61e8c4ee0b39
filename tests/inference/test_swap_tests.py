"""Tests between two estimates by swapping their scores: a literal twin, levels, and the author's own program."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy import stats
from swapped_judges import estimates, levels

import rankscope as rs
from narrowing import known
from rankscope.demo import demo_scores
from rankscope.inference.resampling import Draws, generators
from rankscope.inference.swap_tests import RECORDS, SWAPS, swapped
from rankscope.inference.topic_level import asked_for

HUMAN, CAREFUL, PARTIAL, *_ = demo_scores().values()


def literal(truth, first, second, statistic, record, draws):
    """Deutsch, Dror & Roth 2021, Algorithm 1, in loops: the share of swaps with at least the observed difference."""
    a, b = ((side - side.mean()) / side.std() for side in (first, second))
    observed = statistic(truth, a) - statistic(truth, b)
    beyond = 1
    for generator, size in generators(0, draws):
        masks = record.mask(generator, size, *a.shape)
        for mask in masks:
            one, two = a.copy(), b.copy()
            for cell in itertools.product(*map(range, a.shape)):
                if mask[cell]:
                    one[cell], two[cell] = b[cell], a[cell]
            beyond += abs(statistic(truth, one) - statistic(truth, two)) >= abs(observed) - 1e-12
    return observed, beyond / (draws + 1)


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.name)
def test_swaps_are_literal(record):
    rng = np.random.default_rng(1)
    truth, first, second = rng.random((3, 6, 5))
    named = {
        "pearson": lambda x, y: stats.pearsonr(x.mean(axis=0), y.mean(axis=0))[0],
        "kendall": lambda x, y: stats.kendalltau(x.mean(axis=0), y.mean(axis=0))[0],
        "pearson(by=topic)": lambda x, y: np.mean([stats.pearsonr(u, v)[0] for u, v in zip(x, y, strict=True)]),
    }
    tested = rs.swap_test(truth, first, second, list(named), swap=record.name, permutations=25)
    for value, statistic in zip(tested.values, named.values(), strict=True):
        difference, p = literal(truth, first, second, statistic, record, 25)
        assert value.difference == pytest.approx(difference)
        assert value.pvalue == pytest.approx(p)


def test_what_changes_sides():
    rng = np.random.default_rng(0)
    masks = {record.name: record.mask(rng, 40, 5, 4) for record in RECORDS}
    assert tuple(masks) == SWAPS
    assert (masks["topics"] == masks["topics"][:, :, :1]).all()
    assert (masks["systems"] == masks["systems"][:, :1]).all()
    # Of a system and a topic both swapped, the score stays.
    assert (masks["both"] ^ masks["both"][:, :1] == (masks["both"] ^ masks["both"][:, :1])[:, :, :1]).all()
    assert not (masks["cells"] == masks["cells"][:, :1]).all()


def test_compare_has_the_test_that_was_asked_for():
    names = ["tau_b", "kendall(by=topic)"]
    options: dict[str, Any] = {"coefficients": names, "resamples": 150}
    result = rs.compare(HUMAN, CAREFUL, PARTIAL, contrast_test="perm-both", **options)
    own = rs.swap_test(HUMAN, CAREFUL, PARTIAL, names, permutations=150)
    assert [c.pvalue for c in result.contrasts] == [v.pvalue for v in own.values]
    bootstrapped = rs.compare(HUMAN, CAREFUL, PARTIAL, **options)
    assert [c.interval for c in result.contrasts] == [c.interval for c in bootstrapped.contrasts]
    assert "by perm-both" in str(result)
    assert own.hypothesis in str(own)
    with pytest.raises(rs.BadParameter, match="perm-both"):
        rs.compare(HUMAN, CAREFUL, contrast_test="both")  # type: ignore[arg-type]


def test_an_estimate_against_itself():
    assert [v.pvalue for v in rs.swap_test(HUMAN, CAREFUL, CAREFUL, ["tau_b", "spa"], permutations=20).values] == [
        1.0,
        1.0,
    ]


def test_scores_that_are_no_means_cannot_be_swapped():
    median = rs.ScoreMatrix(HUMAN.values, HUMAN.systems, HUMAN.topics, aggregate="median")
    with pytest.raises(rs.BadParameter, match="swaps scores"):
        rs.swap_test(median, median, median)


def test_p_of_the_authors_program(data):
    """nlpstats 0.0.1: permutation_test(gpt-3.5, llama-2-13b, experts, "system", coefficient, "both"), 1,000 swaps.

    p = .570 for Pearson's ρ and .047 for Kendall's τ, seed 0.
    """
    scores = data / "summeval" / "scores.csv.gz"
    with pytest.warns(rs.RepeatedScores):
        truth, first, second = (
            rs.read_scores(scores, measure="coherence", where={"rater": rater}, on_duplicate="mean")
            for rater in ("expert*", "gpt-3.5-turbo-0301_rts", "llama-2-13b-chat-hf_rts")
        )
    values = rs.swap_test(truth, first, second, ["pearson", "kendall"], permutations=2000).values
    assert [known(v.pvalue) for v in values] == pytest.approx([0.570, 0.047], abs=0.04)


@pytest.mark.slow
def test_levels_on_summeval(data):
    """A test holds its level where what it swaps is exchangeable; only swaps of systems do where systems are."""
    shares = levels(*estimates(data, "summeval"), 100, 99)
    for swap in SWAPS:
        assert shares[swap, swap].max() < 0.12
    assert shares["systems", "both"].max() > 0.2


def test_seed_and_jobs():
    chosen = asked_for(["tau_b"])
    once, again = (swapped(HUMAN, CAREFUL, PARTIAL, chosen, "cells", Draws(1100, 3, jobs)) for jobs in (1, 2))
    assert once == again
