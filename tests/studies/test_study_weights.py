"""Weights of pairs against a literal twin, and what Gao & Oard (2015) say of Figures 4 to 6."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankscope as rs
from oracles_swaps import losses

HOSTILE = ["<script>alert(1)</script>", "</script>\"'", "a.b[c]", "täu\nρ", ""]


@settings(max_examples=30)
@given(
    st.lists(st.integers(0, 8).map(lambda i: i / 10), min_size=2, max_size=8).filter(lambda x: len(set(x)) > 1),
    st.sampled_from(["tau_b", "tau_ap", "tau_gap", "pearson", "pearson_rank", "rbo(p=0.8)", "tau_gap(symmetric=true)"]),
)
def test_losses_are_those_of_swapping_each_pair_alone(scores, name):
    found = rs.study_weights(scores, coefficients=[name])[name]
    ordered = sorted(scores, reverse=True)
    literal = losses(ordered, name)
    for (i, j), loss in literal.items():
        assert found.losses[i, j] == found.losses[j, i] == pytest.approx(loss, nan_ok=True)
    least, greatest = min(literal.values()), max(literal.values())
    if greatest > least:
        assert np.nanmin(found.weights) == 0.0
        assert np.nanmax(found.weights) == 1.0
    else:
        assert np.nanmin(found.weights) == 1.0
    assert np.isnan(np.diag(found.losses)).all()


def test_chunks_and_threads_do_not_count(monkeypatch):
    scores = np.random.default_rng(3).random(20)
    whole = rs.study_weights(scores, jobs=1)
    monkeypatch.setattr("rankscope.studies.weights._CHUNK", 45)
    parts = rs.study_weights(scores, jobs=3)
    for a, b in zip(whole.coefficients, parts.coefficients, strict=True):
        assert np.array_equal(a.losses, b.losses, equal_nan=True)


def test_systems_stand_in_the_truths_order_and_names_are_names():
    table = rs.study_weights(rs.SystemScores([0.1, 0.5, 0.3, 0.2, 0.4], HOSTILE), coefficients=["tau_a"])
    assert table.systems == (HOSTILE[1], HOSTILE[4], HOSTILE[2], HOSTILE[3], HOSTILE[0])
    assert len(table.table().rows) == 10
    top = table.heaviest(1).rows
    assert [row[3:5] for row in top] == [(HOSTILE[1], HOSTILE[0])]
    assert "\\u" not in table.to_csv()


def test_level_systems_cost_nothing():
    found = rs.study_weights([0.5, 0.5, 0.1], coefficients=["tau_b", "tau_gap"])
    assert [found[name].losses[0, 1] for name in ("tau_b", "tau_gap")] == [0.0, 0.0]


def test_bad_input():
    with pytest.raises(rs.TooFewSystems):
        rs.study_weights([0.5])
    with pytest.raises(rs.BadParameter):
        rs.study_weights([0.5, 0.1], coefficients=[])
    with pytest.raises(rs.BadParameter, match="was not studied"):
        _ = rs.study_weights([0.5, 0.1])["tau_a"]


def test_figures_4_to_6_of_gao_and_oard_2015(data):
    found = rs.study_weights(data / "trec5" / "adhoc5_ap.csv")
    rho, ap, gap = (found[name].weights for name in ("pearson", "tau_ap", "tau_gap"))
    last = len(found.systems) - 1
    # "dominated by the swapping pairs with large differences, probably composed of a system at very high rank and a
    # system at very low rank" (ρ); "progressively decreasing from the top-left corner … to the bottom-right" (τ_AP).
    assert rho[0, last] == 1.0
    assert rho[0, 1] < 0.01
    assert ap[0, last] == 1.0
    assert ap[0, 1] > 10 * ap[last - 1, last]
    # "a expansion of the lower weight area along the diagonal line comparing with the heatmap of τ_AP" (τ_GAP).
    near = [(i, i + 3) for i in range(10, last - 3)]
    assert np.mean([gap[pair] for pair in near]) < np.mean([ap[pair] for pair in near])
