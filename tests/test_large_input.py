"""Large input: what looks at every pair is left out or sampled, and said so; what cannot fit is refused."""

import os
import signal
import subprocess
import sys
import time
import tracemalloc

import numpy as np
import pytest

import rankscope as rs
from rankscope.errors import check_memory
from rankscope.inference import swap_probabilities
from rankscope.report.terminal import plain_text
from rankscope.simulation import copulas, smoothing
from rankscope.studies import pair_sample
from rankscope.studies.differences import swapped_pairs


def tables(topics, systems, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.random((topics, systems)) + rng.random(systems)
    return rs.ScoreMatrix(x), rs.ScoreMatrix(x + 0.3 * rng.random((topics, systems)))


def test_above_a_stated_size_pairs_are_left_out_and_that_is_said(monkeypatch):
    monkeypatch.setattr(pair_sample, "MOST_SYSTEMS", 20)
    result = rs.compare(*tables(12, 21), resamples=20)
    found = result.estimates[0]
    assert (found.separation, found.certainty, found.rank_distance) == (None, None, None)
    assert {c.pvalue for c in found.coefficients} == {None}
    assert found.verdict is not None
    assert found.most_systems == 20
    assert "With more than 20 systems, tests of pairs" in plain_text(result)
    assert rs.compare(*tables(12, 20), resamples=20).estimates[0].separation is not None


def test_expected_correlations_take_a_sample_of_many_systems(monkeypatch):
    truth, estimate = tables(30, 80)
    whole = rs.worth(truth, estimate)
    every = rs.reliability(truth, resamples=20)
    monkeypatch.setattr(swap_probabilities, "MOST_SYSTEMS", 40)
    part = rs.worth(truth, estimate)
    assert part.worth == whole.worth
    assert part.tau_human == pytest.approx(whole.tau_human, abs=0.05)
    sampled = rs.reliability(truth, resamples=20)
    assert (every.sampled, sampled.sampled) == (None, 40)
    assert sampled.tau.estimate == pytest.approx(every.tau.estimate, abs=0.05)
    assert sampled.components == every.components


@pytest.mark.parametrize("most", [0, 1, 7, 1000])
def test_swaps_are_the_same_however_many_rows_are_looked_at(most):
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 10, (2, 60)).astype(float)
    whole = swapped_pairs(x, y, most)
    for block in (1, 100, 500):
        part = swapped_pairs(x, y, most, block=block)
        assert part[0] == whole[0]
        gaps = [(x[a] - x[b], y[b] - y[a]) for a, b in part[1]]
        assert gaps == [(x[a] - x[b], y[b] - y[a]) for a, b in whole[1]]
    literal = sorted(
        ((x[a] - x[b], y[b] - y[a]) for a in range(60) for b in range(60) if x[a] > x[b] and y[a] < y[b]), reverse=True
    )
    assert whole[0] == len(literal)
    assert [(x[a] - x[b], y[b] - y[a]) for a, b in whole[1]] == literal[:most]


def test_what_does_not_fit_is_refused_before_it_starts():
    with pytest.raises(rs.TooLarge, match=r"takes about 1,000,000\.0 GB, and .* are free; take less"):
        check_memory(1e15, "this", "take less")
    check_memory(1.0, "this", "take less")
    huge = rs.ScoreMatrix(np.random.default_rng(0).random((2, 400_000)))
    for ask in (rs.significance, rs.expected_correlation, rs.rank_distance_null):
        with pytest.raises(rs.TooLarge, match="400,000 systems"):
            ask(huge)


def test_kernel_margins_of_many_topics_take_no_matrix_of_topics(monkeypatch):
    """100 systems on 10,000 topics took 5 GB to simulate, a matrix of all gaps for each system."""
    x = np.random.default_rng(0).beta(2, 5, 5_000)
    tracemalloc.start()
    found = smoothing.plug_in_bandwidth(x)
    quantiles = smoothing.kernel_quantiles(x, found, 0.0, 1.0)
    heights = smoothing.kernel_density(x, found, 0.0, 1.0)
    assert tracemalloc.get_traced_memory()[1] < 400e6
    tracemalloc.stop()
    monkeypatch.setattr(smoothing, "_MOST", len(x))
    assert found == pytest.approx(smoothing.plug_in_bandwidth(x), rel=0.01)
    monkeypatch.setattr("rankscope.inference.resampling._COUNTS", 10**9)
    assert smoothing.kernel_quantiles(x, found, 0.0, 1.0).tolist() == quantiles.tolist()
    assert smoothing.kernel_density(x, found, 0.0, 1.0).tolist() == heights.tolist()


def test_an_interrupt_is_heard_while_a_large_table_is_compared(tmp_path):
    """The command is interrupted once it is at work; it ends within seconds although minutes of work are left."""
    truth, estimate = tables(200, 1_500)
    paths = tmp_path / "a.csv", tmp_path / "b.csv"
    for scores, path in zip((truth, estimate), paths, strict=True):
        rs.write_scores(scores, path)
    code = "from rankscope.cli import main; main()"
    words = ["compare", *map(str, paths), "--resamples", "200000"]
    process = subprocess.Popen([sys.executable, "-c", code, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(6)
    assert process.poll() is None
    began = time.monotonic()
    os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode != 0
    assert time.monotonic() - began < 30  # far from the minutes that all chunks would take


def test_correlations_of_many_systems_are_simulated_without_a_matrix_of_them(monkeypatch):
    """5,000 systems took the eigenvalues of a matrix of 5,000 × 5,000, minutes of work."""
    scores = np.random.default_rng(0).random((20, 60))
    scores[:, 3] = 0.5
    whole = copulas.GaussianCopula.of_columns(scores).factor
    monkeypatch.setattr(copulas, "MOST_COLUMNS", 10)
    thin = copulas.GaussianCopula.of_columns(scores).factor
    assert thin @ thin.T == pytest.approx(whole @ whole.T, abs=1e-12)
    assert rs.simulate(rs.ScoreMatrix(scores), topics=5, rng=0).values.shape == (1, 5, 60)
