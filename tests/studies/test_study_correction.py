"""Ways to spend human labels beside a judge, against evaluation from scratch with labels hidden."""

import functools
import json
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import stdtrit
from scipy.stats import kendalltau

import oracles_studies as slow
import rankscope as rs
from narrowing import known
from oracles_correction import best_linear, prediction_powered
from rankscope.cli import main
from rankscope.inference.designs import DOCUMENT_DESIGNS
from rankscope.report.terminal import plain_text
from rankscope.studies.correction_ways import WAYS, topic_statistics, ways_of


@functools.cache
def track():
    return rs.simulate_track(10, 14, depth=30, pool_depth=8, candidates=100, rng=2)


@functools.cache
def studied():
    made = track()
    return rs.study_correction(
        made.runs,
        made.truth,
        {"partial": made.judges["partial"]},
        "nDCG@10",
        budgets=[0.4, 0.6, 0.8, 1],
        repeats=10,
        controls=True,
    )


def error(means, truth):
    means, truth = np.asarray(means), np.asarray(truth)
    return float(np.sqrt(np.mean((means - means.mean() - truth + truth.mean()) ** 2)))


@settings(max_examples=10)
@given(st.integers(0, 10_000), st.integers(3, 8), st.integers(2, 6))
def test_by_topic_is_literal(seed, shown, hidden):
    random = np.random.default_rng(seed)
    x = random.normal(size=(shown + hidden, 5)) + np.arange(5) / 2
    y = x + random.normal(size=x.shape)
    order = random.permutation(len(x))
    some, rest = order[:shown], order[shown:]
    got = topic_statistics(x, y, some, rest, 0.9)
    truth = x.mean(axis=0)
    linear, covariance, freedom = best_linear(x[some].tolist(), y[some].tolist(), y[rest].tolist())
    powered = prediction_powered(x[some].tolist(), y[some].tolist(), y[rest].tolist())
    for row, means in zip(got, (x[some].mean(axis=0), powered, linear), strict=True):
        assert row[0] == pytest.approx(error(means, truth), rel=1e-6)
        assert row[2] == pytest.approx(kendalltau(truth, means).statistic)
        assert row[3] == pytest.approx(rs.tau_ap_b(truth, means))
    half = stdtrit(shown - 1, 0.95) * x[some].std(axis=0, ddof=1) / shown**0.5
    assert got[0, 1] == np.mean(np.abs(x[some].mean(axis=0) - truth) <= half)
    own = stdtrit(freedom, 0.95) * np.sqrt(np.diag(covariance))
    assert got[2, 1] == np.mean(np.abs(linear - truth + truth.mean()) <= own)


@settings(max_examples=8)
@given(st.integers(0, 10_000))
def test_by_depth_is_an_evaluation_from_scratch(seed):
    runs, judgments = slow.made_track(seed, systems=4, topics=3)
    judge = slow.made_track(seed + 1, systems=4, topics=3)[1]
    study = rs.study_correction(
        *slow.coded(runs, judgments), rs.Judgments.of(judge), "AP", budgets=[0.4, 1], repeats=1, rng=seed
    )
    random = np.random.default_rng([seed, 0])
    order: Any = {(topic, document): None for topic, grades in judgments.items() for document in grades}
    order = dict(zip(order, random.random(len(order)), strict=True))
    truth = slow.scores(runs, judgments, "AP").means
    for point in study.points:
        if point.way not in ("pool", "top"):
            continue
        size = max(1, round(known(point.budget) * len(order)))
        alone, filled = slow.people_in_the_top(runs, judgments, judge, size, order)
        means = slow.scores(runs, alone if point.way == "pool" else filled, "AP").means
        assert point.error == pytest.approx(error(means, truth), abs=1e-12)
        if point.tau is not None:
            assert point.tau == pytest.approx(kendalltau(truth, means).statistic)


def test_all_labels_give_the_human_ranking():
    last = [p for p in studied().points if p.budget == 1.0]
    assert {p.way for p in last} == {way.name for way in WAYS if way.spent != "none"}
    assert all(p.tau == pytest.approx(1.0) and known(p.error) < 1e-9 for p in last)


def test_by_document_is_what_correct_gives():
    made = track()
    judge = made.judges["partial"]
    once: Any = {"budgets": [0.3], "repeats": 1, "rng": 4, "designs": ["influence"]}
    study = rs.study_correction(made.runs, made.truth, judge, "nDCG@10", **once)
    chances = rs.inclusion_probabilities(rs.document_influence(made.runs, judge), round(0.3 * len(judge)))
    drawn = np.random.default_rng([4, 0]).random(len(judge)) < chances
    sample = rs.JudgmentSample(judgments=made.truth.keep(drawn), probabilities=chances[drawn])
    board = rs.correct(sample, judge, runs=made.runs, measure="nDCG@10", resamples=20).leaderboards[0]
    full = rs.evaluate(made.runs, made.truth, "nDCG@10").scores["nDCG@10"]
    truth = dict(zip(full.systems, full.means, strict=True))
    points = {point.way: point for point in study.points}
    ways = (("sampled", "human"), ("filled", "filled"), ("corrected_documents", "corrected"), ("combined", "predicted"))
    for way, field in ways:
        means = [getattr(entry, field) for entry in board.systems]
        true = [truth[entry.system] for entry in board.systems]
        assert points[way].error == pytest.approx(error(means, true), rel=1e-6)
        assert points[way].tau == pytest.approx(kendalltau(true, means).statistic)


def test_a_bad_judge_costs_nothing_beyond_noise():
    """Corrected means are those of people but for a weight near 0; the reversed judge is as good as the judge."""
    for judge in ("partial, shuffled", "partial, reversed"):
        points = {(p.way, p.budget): p for p in studied().of(judge, "nDCG@10")}
        assert known(points["judge", None].tau) < 0.5
        for budget in (0.4, 0.6, 0.8):
            people, corrected = points["people", budget], points["corrected", budget]
            assert known(corrected.error) <= 1.15 * known(people.error)
            assert known(corrected.tau) >= known(people.tau) - 0.05


def test_jobs_checkpoints_and_more_repeats(tmp_path):
    made = track()
    given: Any = (made.runs, made.truth, {"partial": made.judges["partial"]}, "AP")
    options: dict[str, Any] = {"budgets": [0.3], "repeats": 12}
    once = rs.study_correction(*given, jobs=1, **options)
    assert rs.study_correction(*given, jobs=3, **options).to_json() == once.to_json()
    rs.study_correction(*given, checkpoint=tmp_path / "kept", **{**options, "repeats": 10})
    done: list[tuple[int, int]] = []
    again = rs.study_correction(
        *given, checkpoint=tmp_path / "kept", progress=lambda at, of: done.append((at, of)), **options
    )
    assert again.to_json() == once.to_json()
    assert done[0][0] >= 1  # the first block of documents was kept
    with pytest.raises(rs.MismatchedCheckpoint):
        rs.study_correction(*(*given[:3], "nDCG@10"), checkpoint=tmp_path / "kept", **options)


def test_the_text_and_the_table_name_every_way():
    text = plain_text(studied())
    assert all(way.text in text for way in WAYS)
    assert "Ranks best:" in text
    assert json.loads(studied().to_json())["points"][0]["way"] == "judge"


def test_each_design_has_rows_of_its_own():
    """What a design gives does not depend on the others, and designs that choose otherwise give other numbers."""
    made = track()
    given: Any = (made.runs, made.truth, {"partial": made.judges["partial"]}, "AP")
    options: Any = {"budgets": [0.4], "repeats": 3}
    names: Any = [design.name for design in DOCUMENT_DESIGNS]
    every = rs.study_correction(*given, **options, designs=names)
    others = {(way.name, None) for way in WAYS if way.spent != "sample"}
    of_documents = {(way.name, design.name) for way in ways_of("sample") for design in DOCUMENT_DESIGNS}
    found = {(point.way, point.design): point for point in every.points}
    assert set(found) == others | of_documents
    for point in rs.study_correction(*given, **options, designs=["close"]).points:
        assert point == found[point.way, point.design]
    assert len({found["corrected_documents", design.name].error for design in DOCUMENT_DESIGNS}) == len(
        DOCUMENT_DESIGNS
    )
    assert "combined by document" in plain_text(every)
    assert every.table().columns[:5] == ("judge", "measure", "way", "design", "budget")


def test_the_command_takes_designs(tmp_path):
    made = track()
    rs.write_runs(made.runs, tmp_path / "runs")
    rs.write_judgments(made.truth, tmp_path / "human.qrels")
    rs.write_judgments(made.judges["partial"], tmp_path / "partial.qrels")
    files = [
        str(tmp_path / "runs"),
        "--truth",
        str(tmp_path / "human.qrels"),
        "--judge",
        str(tmp_path / "partial.qrels"),
    ]
    words = ["study", "correction", *files, "-m", "AP", "--repeats", "1", "--budgets", "0.5", "-q"]
    shown = CliRunner().invoke(main, [*words, "--format", "json", "--design", "stratified", "--design", "close"])
    assert shown.exit_code == 0, shown.output
    designs = {point["design"] for point in json.loads(shown.stdout)["points"]}
    assert designs == {None, "stratified", "close"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"designs": []},
        {"designs": ["deep"]},
        {"budgets": []},
        {"budgets": [0]},
        {"budgets": [1.5]},
        {"repeats": 0},
        {"level": 2},
        {"rng": -1},
    ],
)
def test_bad_parameters(wrong):
    made = track()
    with pytest.raises(rs.BadParameter):
        rs.study_correction(made.runs, made.truth, made.judges, "AP", **wrong)


def test_a_judge_without_some_topics_is_refused():
    made = track()
    part = made.truth.for_topics(made.truth.topics[:5])
    with pytest.raises(rs.MismatchedNames, match="lacks 9 of the 14 topics"):
        rs.study_correction(made.runs, made.truth, part, "AP")
    with pytest.raises(rs.TooFewSystems):
        rs.study_correction(made.runs.select(systems=made.runs.systems[:3]), made.truth, made.truth, "AP")
