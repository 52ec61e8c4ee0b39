"""The rule of the verdict: what is proven, what is not, and the reference levels."""

import math
from typing import Any

import numpy as np
import pytest

import rankscope as rs
from narrowing import known
from rankscope.studies.chance import Chance, chance_pvalue
from rankscope.studies.verdict import LEVELS, Reason, Rule, lowest, verdict


def sides(n, m, seed=0, *, noise=0.0, bias=0.0) -> tuple[rs.ScoreMatrix, rs.ScoreMatrix]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=m) + rng.normal(size=(n, 1)) + 1.5 * rng.normal(size=(n, m))
    y = x + bias * rng.normal(size=m) + noise * rng.normal(size=(n, m))
    systems, topics = [f"s{i}" for i in range(m)], [f"t{i}" for i in range(n)]
    return rs.ScoreMatrix(x, systems, topics, name="human"), rs.ScoreMatrix(y, systems, topics, name="judge")


def test_levels_go_down_as_the_judge_gets_worse():
    levels = [
        verdict(*sides(60, 40, noise=noise, bias=bias), Rule()).level
        for noise, bias in ((0.0, 0.0), (1.2, 0.0), (1.2, 0.3), (3.0, 0.0), (9.0, 0.0))
    ]
    places = [LEVELS.index(level) for level in levels]
    assert places == sorted(places)
    assert levels[0] == "interchangeable"
    assert levels[-1] == "not a substitute"


@pytest.mark.parametrize(("n", "m"), [(9, 40), (40, 9), (3, 4), (2, 40), (40, 2)])
def test_too_little_data_claims_nothing(n, m):
    found = verdict(*sides(n, m), Rule())
    assert found.level == "undecided"
    assert str(found)


def dealt(truth, estimate, pvalue):
    return Chance(null="labels", pvalue=pvalue, truth=truth, estimate=estimate)


def test_every_claim_must_hold_beyond_random_labels_too():
    x, y = sides(50, 30, noise=0.3)
    alone = verdict(x, y, Rule())
    # All that the judge knows is what random labels would give.
    chance = dealt(0.0 * x.values, y.values - 0.05 * np.random.default_rng(1).normal(size=y.values.shape), 0.001)
    both = verdict(x, y, Rule(), chance=chance)
    assert LEVELS.index(both.level) > LEVELS.index(alone.level)
    worth = known(alone.worth).worth
    assert known(both.worth).worth == worth
    assert known(both.own_worth).worth < worth


def test_not_better_than_random_labels_needs_enough_data_to_be_said():
    x, y = sides(50, 30)
    nothing = dealt(0.0 * x.values, 0.0 * y.values, 0.3)
    assert verdict(x, y, Rule(), chance=nothing).level == "no better than random labels"
    few = x.select(systems=x.systems[:8]), y.select(systems=y.systems[:8])
    nothing = dealt(np.zeros((50, 8)), np.zeros((50, 8)), 0.3)
    assert verdict(*few, Rule(), chance=nothing).level == "undecided"


def test_the_p_of_random_labels_counts_the_observed_draw():
    truth = np.array([3.0, 2.0, 1.0])
    assert chance_pvalue(truth, truth, np.zeros((99, 3))) == 0.01
    assert chance_pvalue(truth, np.zeros(3), np.zeros((99, 3))) == 1.0


def test_undecided_says_what_would_decide():
    found = verdict(*sides(12, 12, noise=2.0), Rule())
    assert found.level == "undecided"
    assert "cannot tell" in str(found)
    assert "would decide" in str(found)


def test_reasons_are_data_and_all_are_listed():
    found = verdict(
        *sides(30, 20, noise=0.5), Rule(), warnings=[Reason(kind="coverage", holds=False, value=0.5, limit=0.95)]
    )
    assert [r.kind for r in found.reasons] == [
        "topics",
        "systems",
        "random labels",
        "interchangeable",
        "substitute",
        "more topics",
        "clear differences",
        "not a substitute",
    ]
    assert next(r for r in found.reasons if r.kind == "random labels").holds is None
    assert "covers 50 %" in str(found)


def test_a_constant_judge_of_a_score_table_is_no_substitute():
    x, y = sides(40, 20)
    flat = rs.ScoreMatrix(np.full_like(y.values, 0.4), y.systems, y.topics, name="flat")
    found = verdict(x, flat, Rule())
    assert found.level == "not a substitute"
    assert known(found.worth).worth == 0.0


def test_a_truth_that_ranks_nothing_leaves_everything_open():
    x, y = sides(40, 20)
    flat = rs.ScoreMatrix(np.full_like(x.values, 0.4), x.systems, x.topics, name="human")
    found = verdict(flat, y, Rule())
    assert (found.level, found.worth) == ("undecided", None)
    assert "human scores all systems alike" in str(found)


def test_the_lowest_of_several():
    good, bad = (verdict(*sides(60, 40, noise=noise), Rule()) for noise in (0.0, 9.0))
    assert lowest([good, bad]) is bad


@pytest.mark.parametrize(
    "options",
    [
        {"substitute": 0.9},
        {"substitute": 0.0},
        {"times": 0.5},
        {"least": 0.0},
        {"topics": 0},
        {"level": 1.0},
        {"interchangeable": math.nan},
    ],
)
def test_a_rule_that_is_none_is_refused(options):
    with pytest.raises(rs.BadParameter):
        Rule(**options)


def test_compare_has_the_verdict_where_both_sides_have_topics():
    x, y = sides(30, 15, noise=0.5)
    found = known(rs.compare(x, y, resamples=50).estimates[0].verdict)
    assert found.level == verdict(x, y, Rule()).level
    assert known(found.worth).worth == rs.worth(x, y).worth
    assert rs.compare({"a": 1.0, "b": 2.0}, {"a": 2.0, "b": 1.0}).estimates[0].verdict is None
    two = rs.compare(x, y, resamples=50, judged_topics=100, margins=(0.9, 0.6), times=2, least_topics=5)
    other = known(two.estimates[0].verdict)
    assert known(other.worth).topics == 100
    assert other.rule.interchangeable == 0.9


def test_two_measures_of_one_judge_go_by_their_measures():
    x, y = (
        rs.ScoreMatrix(s.values, s.systems, s.topics, name="human", measure=m)
        for s, m in zip(sides(20, 12), "AB", strict=True)
    )
    found = rs.compare(x, y, resamples=0)
    assert (found.truth.name, found.estimates[0].name) == ("A", "B")
    assert str(found.estimates[0].verdict).startswith("B can replace A")


# VERDICT.md, last column, with the exam judges' topics aligned (see tests/inference/test_worth.py).
DL19 = {
    "nDCG@10": {
        "binary-gpt-4o": "undecided",
        "binary-llama3.2": "undecided",
        "exam-max-gpt-4o": "clear differences only",
        "exam-mean-gpt-4o": "substitute with more topics",
        "four-prompts-flan-t5": "substitute",
        "four-prompts-llama3": "undecided",
        "umbrela-gpt-4": "undecided",
        "umbrela-gpt-4o": "substitute",
    },
    "AP(rel=1)": {
        "binary-gpt-4o": "substitute with more topics",
        "binary-llama3.2": "clear differences only",
        "exam-max-gpt-4o": "substitute with more topics",
        "exam-mean-gpt-4o": "undecided",
        "four-prompts-flan-t5": "substitute with more topics",
        "four-prompts-llama3": "not a substitute",
        "umbrela-gpt-4": "clear differences only",
        "umbrela-gpt-4o": "clear differences only",
    },
}
# The same, own worth: by 300 deals there (tolerance .05), exact here; the exam judges' again ours.
OWN = {
    "nDCG@10": (0.34, 0.13, None, None, 1.58, 0.09, 0.39, 0.99),
    "AP(rel=1)": (0.82, 0.82, None, None, 1.00, 0.19, 0.57, 0.90),
}


def test_reference_levels_of_dl19(data):
    judges = {name: data / "dl19" / "judges" / f"{name}.qrels" for name in DL19["AP(rel=1)"]}
    options: dict[str, Any] = {"resamples": 0, "random_draws": 300, "pseudo_draws": 0}
    runs = rs.read_runs(data / "dl19" / "runs")
    report = rs.judge(runs, data / "dl19" / "qrels.human.txt", judges, list(DL19), **options)
    for measure, levels in DL19.items():
        assert {name: report.answer(name, measure).verdict.level for name in judges} == levels
        for name, own in zip(judges, OWN[measure], strict=True):
            if own is not None:
                own_worth = known(report.answer(name, measure).verdict.own_worth)
                assert own_worth.worth == pytest.approx(own, abs=0.05)
