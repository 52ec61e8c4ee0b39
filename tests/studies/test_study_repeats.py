"""Repeats of a judge: variance components against their literal twins, and what follows from them."""

import json

import numpy as np
import pytest
import repeated
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_repeats as slow
import rankscope as rs
from narrowing import known
from rankscope.cli import main
from rankscope.files.scores import read_scores_each
from rankscope.inference.repeats import components, systematic_pvalue, topic_interval

SEEDS = st.integers(0, 10_000)


def made(seed, repeats=3, topics=5, systems=4, systematic=0.0):
    rng = np.random.default_rng(seed)
    true = rng.normal(size=systems) + rng.normal(size=(topics, systems))
    by_repeat = systematic * rng.normal(size=(repeats, 1, systems))
    return true + by_repeat + rng.normal(size=(repeats, topics, systems)) + rng.normal(size=(repeats, topics, 1))


@settings(max_examples=15)
@given(seed=SEEDS, repeats=st.integers(2, 4), topics=st.integers(3, 5), systems=st.integers(2, 4), ties=st.booleans())
def test_components_are_those_of_the_crossed_design_and_without_each_topic(seed, repeats, topics, systems, ties):
    values = made(seed, repeats, topics, systems)
    values = values.round() if ties else values
    whole, without = components(values)
    assert tuple(map(float, whole)) == pytest.approx(slow.components(values), abs=1e-10)
    if topics > 3:
        left = slow.components(np.delete(values, 1, axis=1))
        assert tuple(float(part[1]) for part in without) == pytest.approx(left, abs=1e-10)


@settings(max_examples=5)
@given(seed=SEEDS)
def test_the_permutation_test_draws_from_all_orders_within_topics(seed):
    values = made(seed, repeats=2, topics=5, systems=3)
    exact = slow.permutation_pvalue(values)
    assert systematic_pvalue(values, 499, 0) == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 499) + 0.01)


def test_an_interval_needs_variances_above_zero():
    assert topic_interval(-0.1, np.array([0.1, 0.2]), 0.95) is None
    assert topic_interval(0.1, np.array([0.1, -0.2]), 0.95) is None
    inside = known(topic_interval(0.5, np.array([0.4, 0.5, 0.6]), 0.95, most=1.0))
    assert 0.0 < inside.low < 0.5 < inside.high < 1.0


def test_errors_are_those_of_means_over_topics_and_repeats():
    values = made(1, repeats=4, topics=30, systems=8, systematic=0.5)
    (judge,) = rs.study_repeats({"llm": list(values)}).judged
    by_topics, by_repeats, by_both = judge.by_topics.variance, judge.by_repeats, judge.by_both.variance
    for count in judge.counts:
        k, n = count.repeats, 30
        assert count.error**2 / 2 == pytest.approx(by_topics / n + by_repeats / k + by_both / (n * k))
        assert count.more_topics**2 / 2 == pytest.approx(by_topics / (n * k) + by_repeats + by_both / (n * k))
        if count.equal_topics is not None:
            once = (by_topics + by_both) / count.equal_topics + by_repeats
            assert once == pytest.approx(count.error**2 / 2)
        assert count.worth is count.expected_tau is count.agreement is None
    assert [count.repeats for count in judge.counts] == [1, 2, 3, 4, 8, 40]
    assert judge.share == pytest.approx(by_both / (by_topics + by_both))
    assert known(judge.pvalue) < 0.05


def test_worth_of_all_repeats_is_that_of_their_mean_and_fewer_are_worth_less():
    rng = np.random.default_rng(3)
    truth = rng.normal(size=12) + rng.normal(size=(40, 12))
    repeats = [truth + rng.normal(0, 0.3, 12) + rng.normal(size=truth.shape) for _ in range(3)]
    (judge,) = rs.study_repeats({"llm": repeats}, truth).judged
    by_count = {count.repeats: count for count in judge.counts}
    assert by_count[3].worth == pytest.approx(rs.worth(truth, np.mean(repeats, axis=0), splits=0).worth)
    assert by_count[3].expected_tau == pytest.approx(rs.worth(truth, np.mean(repeats, axis=0), splits=0).tau_judge)
    worths = [known(count.worth) for count in judge.counts]
    assert worths == sorted(worths)
    means = truth.mean(axis=0)
    alone = np.mean([rs.tau_b(means, repeat.mean(axis=0)) for repeat in repeats])
    assert by_count[1].agreement == pytest.approx(alone)
    assert by_count[6].agreement is None


def test_pairs_have_tau_flips_and_agreement_of_labels():
    first = rs.ScoreMatrix([[1, 2, 3], [1, 2, 3], [1, 3, 2]], ["a", "b", "c"], ["1", "2", "3"], name="x")
    second = rs.ScoreMatrix([[1, 3, 2], [1, 2, 3], [1, 3, 2]], ["a", "b", "c"], ["1", "2", "3"], name="y")
    (judge,) = rs.study_repeats({"llm": [first, second]}, draws=0).judged
    (pair,) = judge.pairs
    assert (pair.first, pair.second, pair.flipped) == ("x", "y", 1 / 3)
    assert pair.equal == pytest.approx(7 / 9)
    assert judge.pvalue is None
    assert judge.mean("kappa") == pair.kappa


def test_labels_of_runs_are_scored_on_the_topics_that_all_have():
    track = rs.simulate_track(6, 8, depth=20, rng=1)
    rng = np.random.default_rng(0)
    flipped = [
        track.truth.with_grades(np.where(rng.random(len(track.truth)) < 0.2, 0, track.truth.grades)) for _ in "ab"
    ]
    fewer = flipped[1].for_topics(flipped[1].topics[1:])
    study = rs.study_repeats({"llm": [flipped[0], fewer]}, track.truth, runs=track.runs, measures=["AP", "nDCG@10"])
    assert [(own.measure, own.topics, own.systems) for own in study.judged] == [("AP", 7, 6), ("nDCG@10", 7, 6)]
    values = [rs.evaluate(track.runs, side.for_topics(fewer.topics), "AP").scores["AP"] for side in flipped]
    (scored,) = rs.study_repeats({"llm": values}).judged
    assert study.judged[0].by_both.variance == pytest.approx(scored.by_both.variance)
    assert study.judged[0].pairs[0].kappa == pytest.approx(rs.label_agreement(flipped[0], fewer).value("kappa"))
    scaled = rs.study_repeats(
        {"llm": [rs.JudgeLabels(side, rel=2) for side in flipped]}, track.truth, runs=track.runs, measures="AP"
    )
    assert scaled.judged[0].by_both.variance != study.judged[0].by_both.variance


def test_odd_input_is_named():
    table = made(1)[0]
    with pytest.raises(rs.BadParameter, match="one repeat"):
        rs.study_repeats({"llm": [table]})
    with pytest.raises(rs.BadParameter, match="mapping"):
        rs.study_repeats({})
    with pytest.raises(rs.MissingScores, match="2 common topics"):
        rs.study_repeats({"llm": [table[:2], table[:2]]})
    with pytest.raises(rs.TooFewSystems):
        rs.study_repeats({"llm": [table[:, :1], table[:, :1]]})
    with pytest.raises(rs.MismatchedNames, match="'b'"):
        rs.study_repeats({"llm": [{"a": {"1": 1.0, "2": 2.0}}, {"b": {"1": 1.0, "2": 2.0}}]})
    (same,) = rs.study_repeats({"llm": [table, table]}, table).judged
    assert (same.share, same.by_both.variance, same.pvalue) == (0.0, 0.0, 1.0)
    (constant,) = rs.study_repeats({"llm": [np.ones((4, 3))] * 2}, table[:4, :3]).judged
    assert (constant.share, constant.pairs[0].tau, constant.counts[0].worth) == (None, None, None)
    assert "score alike" in str(rs.study_repeats({"llm": [np.ones((4, 3))] * 2}))


def call(*words, code=0):
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exit_code == code, (result.output, result.exception)
    return result


def test_repeats_are_files_patterns_or_a_column(tmp_path):
    values = made(2, repeats=3, topics=6, systems=5)
    lines = ["seed,topic,system,score"]
    for r, table in enumerate(values):
        rows = [f"q{t},s{s},{score}" for t, row in enumerate(table.tolist()) for s, score in enumerate(row)]
        (tmp_path / f"run{r}.csv").write_text("\n".join(["topic,system,score", *rows]) + "\n")
        lines += [f"{r},{row}" for row in rows]
    (tmp_path / "all.csv").write_text("\n".join(lines) + "\n")
    files = [tmp_path / f"run{r}.csv" for r in range(3)]
    found = [
        json.loads(call("study", "repeats", "--judge", f"llm={given}", "--truth", files[0], "--format", "json").stdout)
        for given in (",".join(map(str, files)), tmp_path / "run*.csv", f"{tmp_path / 'all.csv'}:each=seed")
    ]
    assert len({own["judged"][0]["by_both"]["variance"] for own in found}) == 1
    assert [len(own["judged"][0]["repeats"]) for own in found] == [3, 3, 3]
    assert found[0]["truth"] == "run0.csv"
    call("study", "repeats", "--judge", f"llm={files[0]}", code=2)


def test_repeats_of_labels_and_a_message_where_one_file_is_needed(tmp_path):
    track = rs.simulate_track(5, 6, depth=10, rng=1)
    rs.write_runs(track.runs, tmp_path / "runs")
    rs.write_judgments(track.truth, tmp_path / "a.qrels")
    rs.write_judgments(track.truth.with_grades(track.truth.grades[::-1]), tmp_path / "b.qrels")
    both = f"llm={tmp_path / 'a.qrels'},{tmp_path / 'b.qrels'}"
    options = ("--judge", both, "--truth", f"people={tmp_path / 'a.qrels'}", "-m", "nDCG@10")
    text = call("study", "repeats", tmp_path / "runs", *options).stdout
    assert "llm, nDCG@10 (2 repeats, 5 systems, 6 topics)" in text
    assert "τ_b with people" in text
    table = call("study", "repeats", tmp_path / "runs", *options, "--table", "counts", "--format", "csv").stdout
    assert table.startswith("judge,measure,repeats,error,more_topics,equal_topics,worth,expected_tau,agreement\n")
    refused = call("study", "circularity", tmp_path / "runs", *options, code=2).stderr
    assert "2 files" in refused
    assert "repeats in judge and in study repeats" in refused
    assert (
        "--aggregate" in call("study", "repeats", tmp_path / "runs", *options, "--aggregate", "median", code=2).stderr
    )
    scores = ("study", "repeats", *options[:2], "-m", "AP", "-m", "RR")
    assert "one measure" in call(*scores, code=2).stderr


def test_prompts_of_summeval_favour_systems_on_all_documents(data):
    # docs/howto/repeats.md has these figures.
    table = data / "summeval" / "scores.csv.gz"
    repeats = read_scores_each(table, "rater", measure="coherence", where={"rater": "gpt-3.5*"})
    (judge,) = rs.study_repeats({"gpt-3.5": repeats}, draws=199).judged
    assert judge.share == pytest.approx(0.627, abs=0.001)
    assert judge.pvalue == 0.005
    assert judge.by_repeats > 5 * judge.by_topics.variance / judge.topics


def test_components_are_recovered_on_real_labels(data):
    scores = repeated.many_repeats(data / "dl19", "umbrela-gpt-4o", "nDCG@10", 0.2, np.random.default_rng(1), 60)
    ratio, covered, level = repeated.coverage(scores, 3, 25, 37, 40, 0, draws=39)
    assert ratio == pytest.approx([1.0, 1.0, 1.0], abs=0.1)
    assert min(covered) >= 0.8
    assert level <= 0.2


@pytest.mark.slow
@pytest.mark.parametrize(("judge", "measure", "redrawn"), repeated.SETTINGS)
def test_intervals_cover_and_the_test_keeps_its_level(data, judge, measure, redrawn):
    scores = repeated.many_repeats(data / "dl19", judge, measure, redrawn, np.random.default_rng(1))
    for size in repeated.SIZES:
        ratio, covered, level = repeated.coverage(scores, *size, 200, 0, draws=199)
        assert ratio[:2] == pytest.approx([1.0, 1.0], abs=0.1)
        assert min(covered) >= 0.85
        assert level <= 0.09
