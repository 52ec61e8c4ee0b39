"""What a comparison is made from: the same topics, two samples of topics, standard errors, or nothing but scores."""

import itertools
from typing import Any

import numpy as np
import pytest

import rankscope as rs
from narrowing import known
from rankscope.demo import demo_scores
from rankscope.inference.agreement import draw_values, known_errors
from rankscope.inference.pairs import error_significance
from rankscope.studies.chance import chance_pvalue, dealt_to_systems

HUMAN, CAREFUL = demo_scores()["human"], demo_scores()["careful"]
FEW: Any = {"coefficients": ["tau_b"], "resamples": 199}


def board(scores, name, *, errors=True):
    values = scores.values
    found = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return rs.SystemScores(scores.means, scores.systems, name=name, standard_errors=found if errors else None)


def apart(scores):
    return rs.ScoreMatrix(scores.values, scores.systems, ["x" * (i + 1) for i in range(len(scores.topics))], name="llm")


# ---- two samples of topics -------------------------------------------------------------------------------------


def test_sides_without_a_topic_in_common_are_two_samples():
    result = rs.compare(HUMAN, apart(CAREFUL), **FEW)
    (estimate,) = result.estimates
    assert (estimate.paired, estimate.carriers) == (False, ())
    assert known(known(estimate.verdict).worth).paired is False
    assert "compared as two samples of topics" in str(result)
    asked = rs.compare(HUMAN, apart(CAREFUL), topics="independent", **FEW)
    assert asked.table() == result.table()
    # Topics of the same names that are said to be two samples are no pairs for the verdict either.
    named = rs.compare(HUMAN, CAREFUL, topics="independent", **FEW).estimates[0]
    assert known(known(named.verdict).worth).worth == known(known(estimate.verdict).worth).worth


def test_topics_that_differ_in_spelling_alone_are_refused():
    zeros = rs.ScoreMatrix(HUMAN.values, HUMAN.systems, [f"0{t}" for t in HUMAN.topics])
    with pytest.raises(rs.MismatchedNames, match=r"probably the same \(leading zeros\).*--topics independent"):
        rs.compare(rs.ScoreMatrix(HUMAN.values, HUMAN.systems, HUMAN.topics), zeros, **FEW)


def test_errors_about_topics_name_the_option_that_works():
    part = HUMAN.select(topics=HUMAN.topics[:9])
    with pytest.raises(rs.MismatchedNames, match="--topics independent"):
        rs.compare(HUMAN, part, **FEW)
    assert rs.compare(HUMAN, part, topics="independent", **FEW).estimates[0].paired is False


# ---- the chance level ------------------------------------------------------------------------------------------


def test_dealt_scores_are_permutations_within_topics():
    table = rs.ScoreMatrix([[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]])
    drawn = dealt_to_systems(table, 400, 0)
    rows = [list(itertools.permutations(row)) for row in table.values.tolist()]
    possible = {tuple((np.array(a) + b) / 2) for a in rows[0] for b in rows[1]}
    assert {tuple(row) for row in drawn.tolist()} == possible
    np.testing.assert_allclose(drawn.mean(axis=1), table.values.mean())
    np.testing.assert_array_equal(drawn[:100], dealt_to_systems(table, 100, 0)[:100])


def test_the_p_of_chance_counts_the_observed_draw():
    truth, estimate = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0])
    worse = np.array([[3.0, 2.0, 1.0]] * 9)
    assert chance_pvalue(truth, estimate, worse) == 1 / 10
    assert chance_pvalue(truth, estimate, np.concatenate([worse, [estimate]])) == 2 / 11


def test_scores_that_know_nothing_are_no_better_than_random_ones():
    rng = np.random.default_rng(4)
    truth = rs.ScoreMatrix(rng.normal(size=(40, 15)) + np.linspace(0, 3, 15), name="truth")
    noise = rs.ScoreMatrix(rng.normal(size=(40, 15)), name="noise")
    result = rs.compare(truth, noise, **FEW)
    verdict = known(result.estimates[0].verdict)
    assert verdict.level == "no better than random scores"
    assert "dealt at random to the systems, topic by topic" in str(verdict)
    good = rs.compare(HUMAN, CAREFUL, **FEW).estimates[0]
    assert known(known(good.chance).pvalue) <= 1 / 200 + 1e-12
    assert known(good.verdict).level not in ("no better than random scores", "no better than random labels")


# ---- groups ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("other", [lambda y: y, apart])
def test_a_favoured_group_is_named(other):
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(60, 24)) * 0.1 + np.linspace(0, 1, 24)
    favoured = np.arange(24) % 3 == 0
    estimate = rs.ScoreMatrix(truth + rng.normal(size=truth.shape) * 0.02 + 0.4 * favoured, name="llm")
    human = rs.ScoreMatrix(truth, estimate.systems, estimate.topics, name="human")
    estimate = rs.ScoreMatrix(estimate.values, human.systems, human.topics, name="llm")
    groups = {s: "ours" if f else "theirs" for s, f in zip(human.systems, favoured, strict=True)}
    result = rs.compare(human, other(estimate), groups=groups, **FEW)
    (found,) = result.estimates
    assert found.groups[0].group == "ours"
    assert found.groups[0].advantage == pytest.approx(0.4, abs=0.15)
    assert [w.name for w in known(found.verdict).warnings if w.kind == "group"][:1] == ["ours"]
    assert "favours group ours" in str(result)


def test_groups_need_topics():
    with pytest.raises(rs.MissingScores, match="leave groups out"):
        rs.compare(board(HUMAN, "a"), board(CAREFUL, "b"), groups=dict.fromkeys(HUMAN.systems, "x"), **FEW)


# ---- standard errors -------------------------------------------------------------------------------------------


def test_leaderboards_with_standard_errors_have_intervals_and_tests():
    result = rs.compare(board(HUMAN, "people"), board(CAREFUL, "llm"), **FEW)
    (estimate,) = result.estimates
    assert estimate.truth_errors == estimate.estimate_errors == "standard errors"
    band = known(estimate["tau_b"].interval)
    assert band.method == "parametric bootstrap, recentred"
    assert band.low < estimate.value("tau_b") < band.high
    assert known(estimate.separation).test == "z"
    assert estimate.systems[0].truth_low is not None
    assert estimate.verdict is None
    said = str(result)
    assert "from the standard errors of both sides" in said
    assert "What a topic of llm is worth cannot be known" in said
    alone = rs.compare(board(HUMAN, "people"), board(CAREFUL, "llm", errors=False), **FEW)
    assert "from the standard errors of people alone" in str(alone)


def test_one_unknown_standard_error_makes_them_unknown():
    known_board = board(HUMAN, "people")
    errors = known(known_board.standard_errors).copy()
    errors[0] = np.nan
    assert known_errors(rs.SystemScores(known_board.values, standard_errors=errors)) is None
    assert known_errors(known_board) == "standard errors"


def test_without_topics_and_errors_the_answer_says_what_cannot_be_known():
    said = str(rs.compare(board(HUMAN, "people", errors=False), board(CAREFUL, "llm", errors=False), **FEW))
    assert "it cannot be known how many swaps are chance" in said
    assert "over systems" in said


def test_draws_by_errors_have_these_errors_and_share_the_truths():
    first = rs.SystemScores([1.0, 2.0, 3.0], standard_errors=[0.0, 0.5, 2.0])
    second = rs.SystemScores([3.0, 2.0, 1.0], standard_errors=[1.0, 1.0, 1.0])
    chosen = [rs.coefficient("pearson")]
    options: Any = {"resamples": 4000, "topics": "paired", "rng": 0, "jobs": 1}
    one, two = draw_values([(first, second), (first, first)], chosen, **options)
    # By the literal definition.
    rng = np.random.default_rng(7)
    x = first.values + known(first.standard_errors) * rng.normal(size=(4000, 3))
    y = second.values + known(second.standard_errors) * rng.normal(size=(4000, 3))
    literal = [np.corrcoef(a, b)[0, 1] for a, b in zip(x, y, strict=True)]
    assert one.mean() == pytest.approx(np.mean(literal), abs=0.04)
    assert one.std() == pytest.approx(np.std(literal), abs=0.04)
    assert two.max() < 1.0  # the errors of two leaderboards are not the same


def test_pairs_by_standard_errors():
    from scipy.stats import norm

    scores = rs.SystemScores([1.0, 2.0, 2.0, 5.0], standard_errors=[0.3, 0.4, 0.0, 0.0])
    tested = error_significance(scores, correction="none", alpha=0.05)
    assert tested.pvalues[0, 1] == pytest.approx(2 * norm.sf(1.0 / 0.5))
    assert tested.pvalues[1, 2] == 1.0
    assert tested.pvalues[2, 3] == 0.0
    assert tested.significant.tolist()[2] == [True, False, False, True]


def test_bca_needs_paired_topics():
    with pytest.raises(rs.BadParameter, match="recentred"):
        rs.compare(board(HUMAN, "a"), board(CAREFUL, "b"), method="bca", **FEW)
