"""Large input: what looks at every pair is left out or sampled, and said so; what cannot fit is refused."""

import os
import signal
import subprocess
import sys
import time
import tracemalloc
from typing import Any

import numpy as np
import pytest

import rankscope as rs
from narrowing import known
from rankscope.checks import check_memory
from rankscope.coefficients import default_coefficients
from rankscope.inference import agreement, swap_probabilities
from rankscope.report.terminal import plain_text
from rankscope.simulation import copulas, smoothing
from rankscope.studies import pair_sample, weights
from rankscope.studies.differences import swapped_pairs
from rankscope.studies.judging import chance


def tables(topics, systems, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.random((topics, systems)) + rng.random(systems)
    return rs.ScoreMatrix(x), rs.ScoreMatrix(x + 0.3 * rng.random((topics, systems)))


def test_above_a_stated_size_pairs_are_left_out_and_that_is_said(monkeypatch):
    monkeypatch.setattr(pair_sample, "MOST_SYSTEMS", 20)
    result = rs.compare(*tables(12, 21), resamples=20)
    estimate = result.estimates[0]
    assert (estimate.separation, estimate.certainty, estimate.rank_distance) == (None, None, None)
    assert {c.pvalue for c in estimate.coefficients} == {None}
    assert estimate.verdict is not None
    assert estimate.most_systems == 20
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_an_interrupt_is_heard_while_a_large_table_is_compared(tmp_path):
    """The command is interrupted once it is at work; it ends within seconds although minutes of work are left."""
    truth, estimate = tables(200, 1_500)
    paths = tmp_path / "a.csv", tmp_path / "b.csv"
    for scores, path in zip((truth, estimate), paths, strict=True):
        rs.write_scores(scores, path)
    code = (  # a background process inherits that interrupts are ignored
        "import signal; from rankscope.cli import main\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "main()"
    )
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


def test_a_sample_of_systems_stands_for_all_in_studies_of_pairs(monkeypatch):
    truth, _ = tables(30, 80)
    whole, swapped = rs.study_weights(truth), rs.study_swaps(truth, draws=200)
    assert (whole.sampled, swapped.sampled, whole.ranks) == (None, None, tuple(range(1, 81)))
    monkeypatch.setattr(weights, "ALL_PAIRS", 50)
    monkeypatch.setattr(weights, "MOST_SCORES", 80 * 50 * 50 // 2)
    monkeypatch.setattr(pair_sample, "MOST_SYSTEMS", 50)
    with pytest.warns(rs.RankscopeWarning, match="of 80 systems, the pairs of a random sample of 50 are looked at"):
        part = rs.study_weights(truth)
    assert (part.sampled, len(part.systems)) == (50, 50)
    places = [rank - 1 for rank in part.ranks]
    assert part["tau_ap"].losses[0, 1:].tolist() == whole["tau_ap"].losses[places[0], places[1:]].tolist()
    assert part.heaviest(1).rows[0][3:5] == tuple(whole.systems[rank - 1] for rank in part.heaviest(1).rows[0][1:3])
    with pytest.warns(rs.RankscopeWarning, match="sample of 50"):
        some = rs.study_swaps(truth, draws=200)
    assert some.sampled == 50
    said = "There are more systems; the pairs of 50 drawn at random stand for all of them."
    assert [said in " ".join(str(study).split()) for study in (part, some, whole, swapped)] == [
        True,
        True,
        False,
        False,
    ]
    assert sum(some.pairs.values()) == 50 * 49 // 2
    assert some.examples[0].systems == swapped.examples[0].systems
    assert some.spread("others", "tau_ap").mean == pytest.approx(swapped.spread("others", "tau_ap").mean, abs=0.02)


def test_coefficients_of_many_lists_are_computed_some_at_a_time(monkeypatch):
    """The swaps of 5,000 systems took 4 GB: what coefficients share was held for 500 lists at once."""
    rng = np.random.default_rng(0)
    x, y = rng.random((1, 300)), rng.random((400, 300))
    chosen = default_coefficients()
    whole = agreement.values_of(chosen, x, y)
    tracemalloc.start()
    monkeypatch.setattr(agreement, "_SCORES", 3_000)
    part = agreement.values_of(chosen, x, y)
    assert tracemalloc.get_traced_memory()[1] < 5e6
    tracemalloc.stop()
    assert part.tolist() == whole.tolist()


def labelled(topics, documents, systems=6):
    """Runs, and two sets of judgments of many documents of which runs retrieve few."""
    rng = np.random.default_rng(0)
    names = [f"d{i}" for i in range(documents)]
    truth, judge = rng.integers(0, 3, (2, topics, documents)).tolist()
    picked = [rng.permuted(np.arange(documents))[:20] for _ in range(systems * topics)]
    runs = {
        f"s{s}": {str(t): [names[i] for i in picked[s * topics + t]] for t in range(topics)} for s in range(systems)
    }
    grades = [{str(t): dict(zip(names, rows[t], strict=True)) for t in range(topics)} for rows in (truth, judge)]
    return rs.RunSet.of(runs), rs.Judgments.of(grades[0]), rs.Judgments.of(grades[1], name="judge")


def test_judging_holds_some_draws_at_a_time(monkeypatch):
    """10⁷ judgments a side took 3.3 GB for their names alone, and draws × pool for relevance drawn from the pool."""
    runs, truth, judge = labelled(topics=12, documents=4_000)
    options: dict[str, Any] = {"measures": "AP", "resamples": 20, "random_draws": 40, "pseudo_draws": 40}
    whole = rs.judge(runs, truth, judge, **options)
    steps: list[str] = []
    monkeypatch.setattr(chance, "_GRADES", len(truth))
    tracemalloc.start()
    part = rs.judge(runs, truth, judge, **options, progress=steps.append)
    assert tracemalloc.get_traced_memory()[1] < 12e6  # 48,000 judgments: 40 draws of their grades alone take 15 MB
    tracemalloc.stop()
    assert part.answers[0].pseudo == whole.answers[0].pseudo
    assert known(part.labels["judge"]).to_dict() == known(whole.labels["judge"]).to_dict()
    assert "Dealing the labels of judge at random: draw 40 of 40" in steps


def test_an_interrupt_is_heard_while_many_judgments_are_dealt(tmp_path):
    runs, truth, judge = labelled(topics=20, documents=10_000)
    rs.write_runs(runs, tmp_path / "runs")
    for judgments, name in ((truth, "truth"), (judge, "judge")):
        rs.write_judgments(judgments, tmp_path / f"{name}.qrels")
    code = (
        "import rankscope.studies.judging.chance as c, rankscope.cli, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a background process inherits that it is ignored
        "rescore = c.rescore\n"
        "def told(*args, **options):\n"
        "    print('dealing', file=sys.stderr, flush=True)\n"
        "    return rescore(*args, **options)\n"
        "c.rescore = told\n"
        "rankscope.cli.main()\n"
    )
    words = ["judge", "runs", "--truth", "truth.qrels", "--judge", "judge.qrels", "--random-draws", "100000"]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while "dealing" not in known(process.stderr).readline():
        assert process.poll() is None
    time.sleep(0.3)
    began = time.monotonic()
    os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode != 0
    assert time.monotonic() - began < 10  # a draw is a tenth of a second; all of them would take hours
