"""Decisiveness and system-specific bias (JuStRank): a literal twin, battles, draws, and what is shown of them."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import rankscope as rs
from narrowing import known
from rankscope.cli import main
from rankscope.demo import demo_scores
from rankscope.report.loading import load
from rankscope.studies.decisiveness import LEAST, MOST, Decisiveness, decisiveness, fitted_alpha

HUMAN, CAREFUL, PARTIAL, *_ = demo_scores().values()


def found(truth, estimate, resamples=0, **options) -> Decisiveness | None:
    x, y = (side if isinstance(side, rs.ScoreMatrix) else rs.ScoreMatrix(side) for side in (truth, estimate))
    settings = {"level": 0.95, "rng": 0, "jobs": 1} | options
    return decisiveness(x, y, "paired", resamples=resamples, **settings)


def literal(truth, estimate):
    """Win rates without ties, α by trying many, and each system's mean residual, in loops."""
    m = len(truth[0])
    rates: dict[tuple[int, int], tuple[float, float]] = {}
    for i, j in itertools.permutations(range(m), 2):
        both = []
        for table in (truth, estimate):
            won, lost = sum(row[i] > row[j] for row in table), sum(row[i] < row[j] for row in table)
            both += [won / (won + lost)] if won + lost else []
        if len(both) == 2:
            rates[i, j] = both[0], both[1]
    tried = np.exp(np.linspace(math.log(LEAST), math.log(MOST), 200))
    losses = np.zeros(len(tried))
    for x, y in rates.values():
        losses += (y - stats.beta.cdf(x, tried, tried)) ** 2

    def biases(alpha):
        residuals = {pair: y - stats.beta.cdf(x, alpha, alpha) for pair, (x, y) in rates.items()}
        return {i: np.mean([r for (a, _), r in residuals.items() if a == i]) for i in {a for a, _ in rates}}

    return losses.min(), rates, biases


@given(
    tables=st.integers(2, 4).flatmap(
        lambda m: st.tuples(
            *[st.lists(st.lists(st.integers(0, 4), min_size=m, max_size=m), min_size=3, max_size=6)] * 2
        )
    )
)
@settings(max_examples=15)
def test_the_fit_is_literal(tables):
    rows = min(map(len, tables))
    truth, estimate = (table[:rows] for table in tables)
    least, rates, biases = literal(truth, estimate)
    result = found(np.array(truth, float), np.array(estimate, float))
    if not rates or all(x == 0.5 for x, _ in rates.values()):
        assert result is None
        return
    result = known(result)
    # Each pair counts once in the fit, and twice in the twin; a finer search cannot be worse.
    assert 2 * sum((p.estimate - p.expected) ** 2 for p in result.pairs) <= least + 1e-9
    expected = biases(result.alpha)
    own = {int(s.system) - 1: s.bias for s in result.systems}
    assert {i: own[i] for i in expected} == pytest.approx(expected, abs=1e-9)


def test_alpha_is_recovered():
    x = np.linspace(0.02, 0.98, 50)
    for alpha in (0.1, 1.0, 4.76):
        assert fitted_alpha(x, stats.beta.cdf(x, alpha, alpha)) == pytest.approx(alpha, rel=1e-6)
    assert fitted_alpha(x, 1.0 - x) == pytest.approx(LEAST)  # a judge that reverses all is as indecisive as can be
    assert fitted_alpha(x, (x > 0.5).astype(float)) == pytest.approx(MOST)


def test_a_judge_that_is_the_truth_has_no_bias():
    result = known(found(HUMAN, HUMAN))
    assert result.alpha == pytest.approx(1.0, abs=1e-6)
    assert result.spread == pytest.approx(0.0, abs=1e-9)
    assert found(np.ones((4, 3)), HUMAN.values[:4, :3]) is None


def test_biases_sum_to_nothing_and_find_the_favourite():
    values = HUMAN.values.copy()
    values[:, 3] += 1.0
    result = known(found(HUMAN, rs.ScoreMatrix(values, HUMAN.systems, HUMAN.topics), 200))
    assert sum(s.bias for s in result.systems) == pytest.approx(0.0, abs=1e-9)
    first = result.systems[0]
    assert first.system == HUMAN.systems[3]
    assert known(first.adjusted) <= 0.3  # 32 systems and 200 draws: Holm's least is 0.16
    assert known(first.interval).low > 0


def test_battles_are_as_a_table_of_their_win_rates():
    """One battle for every pair of systems and topic, won by the higher score."""
    x, y = HUMAN.values[:12, :4], PARTIAL.values[:12, :4]
    pairs = list(itertools.combinations(range(4), 2))
    names, sides = list("abcd"), []
    for table in (x, y):
        rows = [(names[i], names[j], 0.5 + 0.5 * np.sign(row[i] - row[j])) for row in table for i, j in pairs]
        first, second, wins = zip(*rows, strict=True)
        ids = [str(t) for t in range(12) for _ in pairs]
        sides.append(rs.Battles(first, second, wins, ids).scores("win_rate"))
    of_battles, of_scores = known(found(sides[0], sides[1], 100)), known(found(x, y, 100))
    assert of_battles.alpha == pytest.approx(of_scores.alpha)
    assert known(of_battles.interval).low == pytest.approx(known(of_scores.interval).low)
    assert [s.bias for s in of_battles.systems] == pytest.approx([s.bias for s in of_scores.systems])


def test_seed_and_jobs():
    x, y = HUMAN.values[:, :8], PARTIAL.values[:, :8]
    once, again = (found(x, y, 600, jobs=jobs) for jobs in (1, 2))
    assert once == again


def test_compare_shows_it_when_asked(tmp_path):
    few = HUMAN.systems[:8]
    human, careful = (side.select(systems=few) for side in (HUMAN, CAREFUL))
    result = rs.compare(human, careful, coefficients=["tau_b"], resamples=100, decisiveness=True)
    text = str(result)
    assert "Decisiveness α" in text
    assert "Holm over all systems" in text
    assert result.estimates[0].decisiveness == found(human, careful, 100)
    assert result.tables()["bias"].columns[:3] == ("estimate", "system", "bias")
    result.save(tmp_path / "result.json")
    assert load(tmp_path / "result.json").estimates[0].decisiveness == result.estimates[0].decisiveness
    assert result.chart("decisiveness").to_dict()
    without = rs.compare(human, careful, coefficients=["tau_b"], resamples=0)
    assert without.estimates[0].decisiveness is None
    with pytest.raises(rs.BadParameter, match="nothing to draw"):
        without.chart("decisiveness")


def test_judge_shows_what_was_asked_for():
    track = rs.simulate_track(6, 10, depth=20, rng=1)
    options: dict[str, Any] = {"coefficients": ["spa", "pairwise_accuracy"], "decisiveness": True, "random_draws": 0}
    judges = {name: track.judges[name] for name in list(track.judges)[:1]}
    report = rs.judge(track.runs, track.truth, judges, "nDCG@10", resamples=50, pseudo_draws=0, **options)
    agreement = report.answers[0].agreement
    assert [v.name for v in agreement.by_topic] == ["spa"]
    assert agreement.value("pairwise_accuracy") == pytest.approx((agreement.value("tau_a") + 1) / 2, abs=0.1)
    text = str(report)
    assert "Decisiveness α" in text
    assert "Agreement by topic" in text


def test_the_option(tmp_path):
    for name, table in (("human", HUMAN), ("careful", CAREFUL)):
        rs.write_scores(table, tmp_path / f"{name}.csv")
    files = [str(tmp_path / "human.csv"), str(tmp_path / "careful.csv")]
    ran = CliRunner().invoke(main, ["compare", *files, "-c", "tau_b", "--decisiveness", "--resamples", "20"])
    assert ran.exit_code == 0, ran.output
    assert "Decisiveness α" in ran.output
