"""How often the verdict errs: the simulations run, and the slow tests hold what docs/verdict.md claims of them."""

import math

import numpy as np
import pytest
import simulated
from operating_collections import OTHERS, SIMULATED, collection
from operating_groups import NULLS, SHIFTED, group_tests
from operating_judges import (
    FRESH,
    IDENTICAL,
    KINDS,
    LLM_LIKE,
    at_margin,
    favouring,
    known_judges,
    margins,
    other_collections,
    simulate,
    worst,
)
from operating_labels import (
    DEALT,
    dealt_labels,
    judges_of,
    labels_of,
    random_labels,
    subset_claims,
    subset_levels,
    subset_tables,
    subsets,
    undecided,
    undecided_on_all_data,
)
from operating_pairs import PAIRS, pair_tables, prediction, sample_of_population
from operating_rule import judged_topics, reaches, without_expected_tau
from written_sections import marks, write_section

import rankscope as rs
from narrowing import known
from rankscope.inference.agreement import draw_values
from rankscope.inference.contrasts import contrasts
from rankscope.scores import ScoreMatrix
from rankscope.studies.verdict import Rule, verdict


def within_error(share: float, runs: int) -> float:
    """A nominal share plus three Monte-Carlo standard errors."""
    return share + 3.0 * math.sqrt(share * (1.0 - share) / runs)


def test_the_simulations_run_and_print_tables():
    """One run of each, to keep the slow tests and `make coverage` working; no claim about the figures."""
    people = SIMULATED
    lines = [*known_judges(1, systems=(10,), topics=(10,), name=people)]
    lines += other_collections(1, names=(people,), systems=(10,), topics=(10,))
    result = group_tests(collection(people), NULLS[3], systems=8, topics=5, runs=1)
    assert sum(line.startswith("| 10 | 10 |") for line in lines) == 4
    assert sum(line.startswith(f"| {people} | 10 | 10 |") for line in lines) == 1
    assert all(0.0 <= share <= 1.0 for share in result)
    draw = sample_of_population(simulated.Population(systems=8))
    plain, wider = prediction(draw, 5, ["kendall"], runs=2, resamples=19)
    assert (plain <= wider).all()


def test_the_simulations_on_real_data_run(data):
    lines = [*random_labels(1, tracks=[("dl19", "nDCG@10")], judges=("umbrela-gpt-4o",), draws=20, shared=20)]
    lines += subset_tables(1, judges=("umbrela-gpt-4o",), measures=("nDCG@10",), draws=20)
    lines += pair_tables(1, pairs=PAIRS[1:2])
    assert sum(line.startswith("| dl19 | nDCG@10 |") for line in lines) == 2
    assert sum(line.startswith("| umbrela-gpt-4o |") for line in lines) == 2
    assert sum(line.startswith("| trec5 AP, trec5 P@10 |") for line in lines) == 3


def test_what_stands_between_the_marks_is_replaced(tmp_path):
    page, (begin, end) = tmp_path / "verdict.md", marks("levels")
    page.write_text("# Verdict\n", encoding="utf-8")
    write_section(page, "levels", "first\n")
    write_section(page, "levels", "second")
    assert page.read_text(encoding="utf-8") == f"# Verdict\n\n{begin}\n\nsecond\n\n{end}\n"


def test_leaving_expected_tau_out_changes_no_level():
    random = np.random.default_rng(0)
    truth, judge, _ = (ScoreMatrix(table) for table in simulated.Population(systems=12).sample(15, random))
    slow = verdict(truth, judge, Rule())
    with without_expected_tau():
        quick = verdict(truth, judge, Rule())
    assert np.isfinite(known(slow.worth).tau_judge)
    assert np.isnan(known(quick.worth).tau_judge)
    assert (quick.level, quick.reasons) == (slow.level, slow.reasons)


def test_simulated_judges_have_the_worth_that_they_are_given():
    """With many topics and systems the estimate is the known value."""
    people = collection(SIMULATED)
    judges = (LLM_LIKE, *at_margin(2.0)[:4])
    for outcome in simulate(people, judges, systems=100, topics=400, runs=5):
        assert np.median(outcome.worths) == pytest.approx(1.0 / outcome.judge.error(), rel=0.15)


def test_the_p_of_a_contrast_does_not_depend_on_the_level_of_intervals():
    random = np.random.default_rng(1)
    human, first, second = (ScoreMatrix(t) for t in simulated.Population(systems=10).sample(12, random))
    sides, chosen = [(human, first), (human, second)], [rs.coefficient("kendall")]
    draws = draw_values(sides, chosen, resamples=99, topics="paired", rng=0, jobs=None)
    by_level = [contrasts(["a", "b"], sides, chosen, draws, level=level)[0] for level in (0.5, 0.95, 0.999)]
    assert len({c.pvalue for c in by_level}) == 1
    assert known(by_level[0].interval).low > known(by_level[2].interval).low


@pytest.fixture(scope="module")
def robust(data):
    return collection("robust2004 AP")


CLAIMS = ("interchangeable", "substitute")


@pytest.mark.slow
@pytest.mark.parametrize("topics", [10, 25, 50, 100])
@pytest.mark.parametrize("systems", [10, 30])
def test_false_claims_at_the_margin_are_at_most_5_percent(robust, systems, topics):
    """Judges of a true worth of exactly .8 and .5, by noise, bias, both, and correlated errors plus bias."""
    runs = 500
    result = margins(robust, systems=systems, topics=topics, runs=runs, claims=CLAIMS, seed=1)
    for claim, outcomes in result.items():
        assert worst(outcomes, claim)[0] <= within_error(0.05, runs), claim


@pytest.mark.slow
@pytest.mark.parametrize("topics", [10, 25, 50])
@pytest.mark.parametrize("systems", [10, 30])
def test_the_bounds_hold_and_known_judges_get_the_levels_they_deserve(robust, systems, topics):
    """VERDICT.md: the low end held in .92 to 1.00, the high end in .90 to 1.00 (below .95 only at 10 topics)."""
    runs = 300
    many = judged_topics(topics)
    judges = [
        IDENTICAL,
        LLM_LIKE,
        *FRESH,
        favouring(robust, 1.0, many),
    ]
    same, llm, other, taken, favours = simulate(robust, judges, systems=systems, topics=topics, runs=runs)
    assert same.share("interchangeable") >= (0.80 if (systems, topics) == (10, 10) else 0.93)
    assert llm.share("interchangeable") <= 0.15
    for fresh in (other, taken):
        assert np.median(fresh.worths) == pytest.approx(0.95, abs=0.15)
        assert fresh.share("interchangeable") <= 0.01
    assert favours.share("substitute with more topics") <= within_error(0.01, runs)
    for outcome in (same, llm, other, taken, favours):
        assert outcome.covered("low") >= 0.92 - 3.0 * (0.92 * 0.08 / runs) ** 0.5
        assert outcome.covered("high") >= (0.85 if topics == 10 else 0.92)


@pytest.mark.slow
def test_false_claims_on_other_collections(data):
    """Collections not used in choosing the method, and a simulated track: at most 5 % on average over kinds of error.

    Single cells exceed 5 %: VERDICT.md admits up to 8 % of false "interchangeable". Three Monte-Carlo standard errors
    of 200 runs are on top of that here.
    """
    runs = 200
    for claim in CLAIMS:
        shares = []
        for name in OTHERS:
            people = collection(name)
            for systems in (10, 30):
                result = margins(people, systems=systems, topics=25, runs=runs, claims=(claim,), seed=2)
                shares += [outcome.share(claim) for outcome in result[claim] if outcome.judge.name in KINDS]
        assert np.mean(shares) <= 0.05
        assert max(shares) <= within_error(0.08, runs)


@pytest.mark.slow
def test_a_judge_that_all_data_put_below_a_margin_does_not_reach_it_on_subsets(data):
    """Random subsets of dl19 by topics or systems: the claim of a margin is reached in at most 5 %.

    Over all judges and both measures "undecided" grows as topics or systems become fewer. It need not grow for each
    judge: some are undecided on all data because of a few systems, which a subset may lack.
    """
    runs = 60
    result = {measure: subset_levels(measure, runs=runs) for measure in ("nDCG@10", "AP(rel=1)")}
    claims = [claim for measure, levels in result.items() for claim in subset_claims(measure, levels)]
    assert {(claim.judge, claim.margin) for claim in claims} >= {("four-prompts-llama3", 0.5), ("binary-llama3.2", 0.8)}
    assert all(max(claim.shares) <= within_error(0.05, runs) for claim in claims)
    for levels in result.values():
        _, some, fewer, fewest = undecided(levels)[:4]  # of 35, 25, 15 and 10 topics
        assert some < fewer < fewest
        assert fewest >= undecided_on_all_data(levels) + 0.2
    everything = np.mean([undecided_on_all_data(levels) for levels in result.values()])
    by_size = np.mean([undecided(levels) for levels in result.values()], axis=0)
    for shares in (by_size[:4], by_size[4:]):  # fewer topics, fewer systems
        steps = np.diff([everything, *shares])
        assert (steps > -0.03).all()  # a share of 960 verdicts is known to 1.6 points
        assert shares[-1] >= everything + 0.15


@pytest.mark.slow
@pytest.mark.parametrize(("track", "measure"), DEALT)
def test_random_labels(data, track, measure):
    """The test of random labels holds its 5 %, and labels that are mostly random never reach a high level.

    Labels of which 60 % are random are "substitute with more topics" in 1 to 2 % on dl19: four times as many topics
    would really remove most of their error.
    """
    runs = 400
    same, little, most, nearly, nothing = dealt_labels(
        track, measure, (0.0, 0.2, 0.6, 0.8, 1.0), runs=runs, draws=2_000, seed=3
    )
    assert same.levels == {"interchangeable": runs}
    assert little.passed == runs
    assert not any(reaches(level, "substitute") for level in most.levels)
    assert most.levels["substitute with more topics"] <= 0.05 * runs
    for outcome in (nearly, nothing):
        assert not any(reaches(level, "substitute with more topics") for level in outcome.levels)
    assert nothing.passed / runs <= within_error(0.05, runs)
    assert nothing.levels["no better than random labels"] == runs - nothing.passed


@pytest.mark.slow
def test_decent_judges_on_few_data_are_rarely_called_random(data):
    labels = labels_of("dl19", "umbrela-gpt-4o", "nDCG@10")
    for size in (10, 15, 20):
        result = subsets(labels, topics=size, systems=size, runs=300, seed=4)
        assert result["no better than random labels"] <= 0.05 * 300


@pytest.mark.slow
@pytest.mark.parametrize("grouping", NULLS, ids=lambda grouping: grouping.name)
def test_groups_that_are_not_favoured_are_rarely_reported(robust, grouping):
    runs = 300
    for systems, topics in ((20, 25), (40, 50), (60, 50)):
        both, _, _ = group_tests(robust, grouping, systems=systems, topics=topics, runs=runs, seed=5)
        assert both <= within_error(0.05, runs)


@pytest.mark.slow
def test_a_favoured_family_is_found(robust):
    for grouping in SHIFTED[1], SHIFTED[3]:
        both, _, _ = group_tests(robust, grouping, systems=40, topics=50, runs=100, seed=6)
        assert both >= 0.8


@pytest.mark.slow
def test_an_interval_that_is_to_predict_another_sample_must_be_wider():
    """√2 times as wide the interval covers in .89 to .99; as it is, for a mean over samples, in clearly less."""
    draw = sample_of_population(simulated.Population())
    for topics in (25, 50):
        plain, wider = prediction(draw, topics, ["kendall", "tau_ap"], runs=400, seed=7)
        assert (plain <= 0.92).all()
        assert ((wider >= 0.92) & (wider <= 1.0)).all()


@pytest.mark.slow
def test_the_pieces_give_what_judge_gives(data):
    """The verdict on all of dl19 is that of `judge`, for every judge."""
    folder = data / "dl19"
    judges = {name: folder / "judges" / f"{name}.qrels" for name in judges_of("dl19")}
    runs = sorted((folder / "runs").iterdir())
    report = rs.judge(runs, folder / "qrels.human.txt", judges, "nDCG@10", resamples=0, pseudo_draws=0)
    for answer in report.answers:
        level, high, p = labels_of("dl19", answer.judge, "nDCG@10").verdict()
        result = answer.verdict
        assert (level, p) == (result.level, known(answer.chance).pvalue)
        ends = [known(worth).interval.high for worth in (result.worth, result.own_worth)]
        assert high == pytest.approx(min(ends), rel=1e-9)
