"""Rankings by subsets of the topics, against means over those topics taken one by one."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import oracles_studies as slow
import rankscope as rs
from narrowing import known
from rankscope.coefficients.rows import quietly
from rankscope.demo import demo_scores
from rankscope.files import read_judgments, read_runs
from rankscope.studies.spread import SPREAD, spread_of
from rankscope.studies.topic_subsets import default_sizes

SEEDS = st.integers(0, 10_000)


@settings(max_examples=12)
@given(seed=SEEDS)
@example(seed=2107)  # where means over all topics differ by rounding only
def test_every_number_is_that_of_those_topics_alone(seed):
    runs, judgments = slow.made_track(seed)
    n = len(judgments)
    study = rs.study_topics(
        *slow.coded(runs, judgments),
        slow.MEASURES,
        repeats=4,
        coefficients=slow.COEFFICIENTS,
        resamples=0,
        rng=seed,
        sizes=range(1, n + 1),
    )
    orders = {
        size: [np.random.default_rng([seed, size, i]).permutation(n) for i in range(4)] for size in range(1, n + 1)
    }
    expected = {}
    for measure in slow.MEASURES:
        truth = slow.scores(runs, judgments, measure)
        whole = _over(truth, range(n))
        for size, drawn in orders.items():
            parts = [_over(truth, order[:size]) for order in drawn]
            others = [_over(truth, order[size : 2 * size]) for order in drawn] if 2 * size <= n else []
            expected[measure, "all", size, "d_rank"] = [slow.distance(truth, part) for part in parts]
            for name in slow.COEFFICIENTS:
                find = rs.coefficient(name)
                with quietly():
                    expected[measure, "all", size, name] = [find(whole, part) for part in parts]
                    if others:
                        pairs = zip(others, parts, strict=True)
                        expected[measure, "others", size, name] = [find(x, y) for x, y in pairs]
    rows = {(row.measure, *row.setting.values(), row.coefficient): row for row in study.agreements}
    assert rows.keys() == expected.keys()
    for key, values in expected.items():
        spread = spread_of(np.array(values))
        for name in SPREAD:
            value = getattr(spread, name)
            assert getattr(rows[key].spread, name) == pytest.approx(value, nan_ok=True, abs=1e-9), (key, name)


def _over(scores, topics):
    """Means over some topics; those that differ in the last bits only, as sums of thirds do, are equal."""
    means = scores.select(topics=[scores.topics[t] for t in sorted(topics)]).means.copy()
    order = np.argsort(means)
    for worse, better in itertools.pairwise(order):
        if means[better] - means[worse] < 1e-12:
            means[better] = means[worse]
    return means


def test_all_topics_give_the_full_ranking():
    track = slow.coded(*slow.made_track(4, systems=5, topics=5))
    study = rs.study_topics(*track, "nDCG@3", sizes=[5], repeats=3, coefficients=["tau_b"], resamples=50)
    tau, distance = study.agreements
    assert (tau.setting["against"], tau.value, known(tau.spread).sd) == ("all", 1.0, 0.0)
    assert (distance.value, distance.pvalue, distance.rejected) == (0.0, 1.0, 0.0)


@given(st.integers(2, 2_000))
def test_default_sizes(topics):
    sizes = default_sizes(topics)
    assert 1 <= len(sizes) <= 10
    assert sizes == tuple(sorted(set(sizes)))
    assert 1 <= sizes[0] <= sizes[-1] < topics


def test_the_same_numbers_whatever_the_number_of_threads_and_after_an_interruption(tmp_path):
    track = slow.coded(*slow.made_track(8, systems=5, topics=5))
    settings: dict[str, Any] = {"sizes": [1, 2, 4], "resamples": 50}
    once = rs.study_topics(*track, "AP", repeats=150, jobs=1, **settings)
    assert rs.study_topics(*track, "AP", repeats=150, jobs=3, **settings).to_json() == once.to_json()
    rs.study_topics(*track, "AP", repeats=100, checkpoint=tmp_path / "kept", **settings)
    calls = []
    again = rs.study_topics(
        *track, "AP", repeats=150, checkpoint=tmp_path / "kept", progress=lambda *c: calls.append(c), **settings
    )
    assert calls[0] == (5, 10)
    assert again.to_json() == once.to_json()


@pytest.mark.parametrize("sizes", [[], [0], [6], [2, 100]])
def test_sizes_that_cannot_be_are_refused(sizes):
    with pytest.raises(rs.BadParameter, match="from 1 to 5"):
        rs.study_topics(*slow.coded(*slow.made_track(8, systems=5, topics=5)), sizes=sizes)


def test_one_topic_has_no_subsets():
    with pytest.raises(rs.MissingScores, match="two or more"):
        rs.study_topics(*slow.coded(*slow.made_track(1, systems=3, topics=1)))


def test_dl19_more_topics_agree_more(data):
    runs, judgments = read_runs(data / "dl19" / "runs"), read_judgments(data / "dl19" / "qrels.human.txt")
    study = rs.study_topics(runs, judgments, "nDCG@10", repeats=50, coefficients=["tau_b"], resamples=0)
    for against in ("all", "others"):
        rows = [row for row in study.agreements if row.coefficient == "tau_b"]
        means = [row.value for row in rows if row.setting["against"] == against]
        assert means == sorted(means)
    # A subset is part of all, so that it agrees more with all than with as many others.
    at = {tuple(row.setting.values()): row.value for row in study.agreements if row.coefficient == "tau_b"}
    assert all(at["all", k] > value + 0.05 for (against, k), value in at.items() if against == "others")


def _literal(table, truth, size, number, seed, against):
    """One subset, topic by topic: what it is compared with, and its own means."""
    n = len(table.topics)
    order = np.random.default_rng([seed, size, number]).permutation(n)
    part = _over(table, order[:size])
    if against == "truth":
        return truth.means if isinstance(truth, rs.ScoreMatrix) else truth.values, part
    return _over(table, range(n) if against == "all" else order[size : 2 * size]), part


@settings(max_examples=15)
@given(seed=SEEDS, ties=st.booleans(), leaderboard=st.booleans())
def test_subsets_of_scores_against_another_evaluation(seed, ties, leaderboard):
    draw = np.random.default_rng(seed)
    m, n = int(draw.integers(2, 6)), int(draw.integers(2, 7))
    systems = [f"s{i}" for i in range(m)]
    values = draw.integers(0, 3, (n, m)) / 2 if ties else draw.random((n, m))
    table = rs.ScoreMatrix(values, systems, measure="AP")
    board = draw.integers(0, 4, m) / 4
    truth = rs.SystemScores(board, systems) if leaderboard else rs.ScoreMatrix(draw.random((3, m)), systems, name="t")
    # Systems are matched by name.
    shuffled = truth if leaderboard else truth.select(systems=systems[::-1])
    study = rs.study_topics(
        table, against=shuffled, sizes=range(1, n + 1), repeats=3, coefficients=["tau_ap"], resamples=0, rng=seed
    )
    rows = {(*row.setting.values(), row.coefficient): row for row in study.agreements if row.coefficient != "d_rank"}
    settings = [
        *((against, size) for against in ("all", "truth") for size in range(1, n + 1)),
        *(("others", size) for size in range(1, n // 2 + 1)),
    ]
    assert rows.keys() == {(*setting, name) for setting in settings for name in ("tau_b", "tau_ap")}
    order = list(systems) if leaderboard else systems[::-1]
    for (against, size), name in itertools.product(settings, ("tau_b", "tau_ap")):
        taken = []
        for number in range(3):
            left, right = _literal(table, truth, size, number, seed, against)
            # Compared in the order of the other evaluation.
            columns = [systems.index(s) for s in order]
            with quietly():
                taken.append(rs.coefficient(name)(left[columns], right[columns]))
        spread = spread_of(np.array(taken))
        for part in SPREAD:
            found = getattr(rows[against, size, name].spread, part)
            assert found == pytest.approx(getattr(spread, part), nan_ok=True, abs=1e-9), (against, size, name, part)
    # The least number that reaches the target, as all larger ones do.
    for needed in study.needed:
        of_it = {s: known(rows[a, s, "tau_b"].spread) for a, s in settings if a == needed.against}
        for name, found in (("mean", needed.topics), ("q5", needed.most)):
            reaching = [s for s, x in of_it.items() if not x.undefined and getattr(x, name) >= 0.9 - 1e-12]
            enough = [s for s in of_it if all(larger in reaching for larger in of_it if larger >= s)]
            assert found == min(enough, default=None)


def test_the_expected_correlation_is_that_of_reliability():
    human = demo_scores()["human"]
    study = rs.study_topics(human, sizes=[1, 10, 20], repeats=2, coefficients=["tau_b"], resamples=100, target=0.8)
    whole = rs.reliability(human, estimator="ml", topic_counts=[10, 20], resamples=100, target=0.8)
    expected = study.expected["nDCG@10"]
    assert expected.counts == whole.counts
    assert expected.needed == whole.needed


def test_the_expected_correlation_is_possible_for_items_right_or_wrong():
    # Two disjoint subsets are two samples of the population. If each orders a pair rightly with probability p, both
    # agree with expectation (2p − 1)², whose mean over pairs is at least the square of the mean of 2p − 1.
    draw = np.random.default_rng(0)
    solved = draw.random((400, 30)) < np.linspace(0.02, 0.2, 30) * draw.exponential(1.0, (400, 1))
    study = rs.study_topics(solved.astype(float), sizes=[50, 100, 200], coefficients=["kendall"], resamples=0)
    (expected,) = study.expected.values()
    for row in study.agreements:
        if row.setting["against"] == "others" and row.coefficient == "kendall":
            tau = next(count.tau for count in expected.counts if count.topics == row.setting["topics"])
            assert tau < np.sqrt(row.value)


def test_runs_and_their_scores_give_the_same():
    runs, judgments = slow.coded(*slow.made_track(8, systems=5, topics=5))
    settings: dict[str, Any] = {"repeats": 5, "coefficients": ["tau_b"], "resamples": 20}
    of_runs = rs.study_topics(runs, judgments, "AP", **settings)
    of_scores = rs.study_topics(rs.evaluate(runs, judgments, "AP").scores["AP"], **settings)
    assert of_runs.agreements == of_scores.agreements
    assert of_runs.expected == of_scores.expected
    assert (of_runs.judgments, of_scores.judgments) == (len(judgments), None)


def test_missing_scores_and_systems_of_one_side():
    scores = np.array([[1, 2, np.nan], [2, 1, 3], [3, 2, 1], [1, 2, 5]])
    table = rs.ScoreMatrix(scores, ["a", "b", "c"], ["1", "2", "3", "4"], name="cheap")
    board = rs.SystemScores([1, 2, 3, 4], ["a", "b", "c", "d"], name="board")
    settings: dict[str, Any] = {"against": board, "repeats": 2, "coefficients": ["tau_b"], "resamples": 0}
    study = rs.study_topics(table, on_missing="intersect", **settings)
    assert (study.systems, study.topics, study.truth, study.shared) == (3, 3, "board", None)
    assert [(remark.about, remark.names) for remark in study.remarks] == [("board", ("d",)), ("cheap", ("1",))]
    with pytest.raises(rs.MissingScores, match="c on topic 1"):
        rs.study_topics(table, **settings)
    with pytest.raises(rs.BadParameter, match="--on-missing intersect"):
        rs.study_topics(table, on_missing="additive", **{**settings, "against": None})


def test_equal_systems_reach_no_target_and_have_no_expected_correlation():
    study = rs.study_topics(np.ones((4, 3)), repeats=2, coefficients=["tau_b"], resamples=20)
    assert {(row.topics, row.most) for row in study.needed} == {(None, None)}
    assert study.expected == {}
    assert "not reached; the mean of 3 topics is –." in str(study)


def test_medians_have_neither_rank_distance_nor_expected_correlation():
    human = demo_scores()["human"].scored("median")
    study = rs.study_topics(human, sizes=[10], repeats=2, coefficients=["tau_b"], resamples=20)
    assert study.expected == {}
    assert {row.coefficient for row in study.agreements} == {"tau_b"}


@pytest.mark.parametrize(
    ("scores", "keywords", "error", "problem"),
    [
        ([[0.1, 0.2, 0.3]], {}, rs.MissingScores, "there is 1 topic; subsets need two or more"),
        ([[0.1], [0.2]], {}, rs.TooFewSystems, "there is 1 system"),
        ({"a": 0.1, "b": 0.2}, {}, rs.MissingScores, "without topics"),
        ([[1, 2], [2, 1]], {"measures": "AP"}, rs.BadParameter, "measures are for runs"),
        ([[1, 2], [2, 1]], {"target": 1.0}, rs.BadParameter, "below 1"),
        (rs.RunSet.of({"a": {"1": ["x"]}}), {}, rs.BadParameter, "runs need judgments"),
    ],
)
def test_what_cannot_be_studied(scores, keywords, error, problem):
    with pytest.raises(error, match=problem):
        rs.study_topics(scores, **keywords)


def test_a_checkpoint_is_of_one_other_evaluation(tmp_path):
    scores = demo_scores()
    settings: dict[str, Any] = {"sizes": [10], "repeats": 2, "coefficients": ["tau_b"], "resamples": 0}
    kept = rs.study_topics(scores["careful"], against=scores["human"], checkpoint=tmp_path / "kept", **settings)
    again = rs.study_topics(scores["careful"], against=scores["human"], checkpoint=tmp_path / "kept", **settings)
    assert again.to_json() == kept.to_json()
    with pytest.raises(rs.MismatchedCheckpoint):
        rs.study_topics(scores["careful"], against=scores["partial"], checkpoint=tmp_path / "kept", **settings)


def test_robust2004_the_whole_flatters_subsets(data):
    study = rs.study_topics(
        data / "robust2004" / "robust2004_p10.csv",
        against=data / "robust2004" / "robust2004_ap.csv",
        sizes=[50, 200],
        repeats=20,
        coefficients=["tau_b"],
        resamples=0,
    )
    with_all = {row.setting["topics"]: row.value for row in study.agreements if row.setting["against"] == "all"}
    (expected,) = study.expected.values()
    assert study.shared == study.topics == 249
    assert all(with_all[count.topics] > count.tau for count in expected.counts if count.topics in with_all)
