"""Panels of judges, grade maps and levels learned on other topics: literal twins, what may be seen, bad input."""

import math
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_panels as oracle
import rankscope as rs
from narrowing import known
from rankscope.cli import main
from rankscope.inference.error_correlation import by_grade, by_score, error_correlations
from rankscope.inference.labels import panels as combining
from rankscope.inference.labels.levels import best_cut
from rankscope.inference.labels.panels import COMBINATIONS
from rankscope.inference.labels.tuning import LabelTable, grade_map

QUICK: dict[str, Any] = {"resamples": 0, "random_draws": 0, "pseudo_draws": 0}
GRADE = st.sampled_from([0.0, 0.4, 1.0, 1.5, 2.0, 3.0])


def word(text: str) -> Any:
    """A word that is not one of the choices."""
    return text


FEW = settings(max_examples=40, deadline=None)


@st.composite
def label_rows(draw):
    judges = draw(st.integers(2, 4))
    rows = draw(st.lists(st.lists(GRADE | st.just(math.nan), min_size=judges, max_size=judges), min_size=1, max_size=8))
    return np.array(rows)


@FEW
@given(label_rows())
def test_combinations_are_those_of_the_literal_twins(rows):
    plain = rows.tolist()
    for function, twin in ((combining.mean, oracle.mean), (combining.median, oracle.median)):
        np.testing.assert_allclose(function(rows), [twin(row) for row in plain])
    np.testing.assert_array_equal(combining.majority(rows, 3), [oracle.majority(row) for row in plain])
    expected = oracle.dawid_skene(plain, 3, 500) if not np.isnan(rows).all() else [math.nan] * len(rows)
    np.testing.assert_allclose(combining.dawid_skene(rows, 3), expected, atol=2e-5)


@FEW
@given(label_rows(), st.data())
def test_no_other_weights_predict_better(rows, data):
    if np.isnan(rows).all():
        return
    truth = np.array([data.draw(GRADE) for _ in rows])
    weight = combining.weights(rows, truth)[2]
    assert (weight >= 0.0).all()
    least = oracle.squared_error(rows.tolist(), truth.tolist(), weight.tolist())
    for _ in range(5):
        other = [max(0.0, w + data.draw(st.floats(-0.5, 0.5))) for w in weight]
        assert oracle.squared_error(rows.tolist(), truth.tolist(), other) >= least - 1e-9


PAIRS = st.lists(st.tuples(GRADE, GRADE), min_size=1, max_size=12)


@FEW
@given(PAIRS)
def test_grade_maps_and_levels_are_those_of_the_literal_twins(pairs):
    grades, truth = np.array(pairs).T
    expected = oracle.isotonic(grades.tolist(), truth.tolist())
    np.testing.assert_allclose(grade_map(grades, truth)(np.array(list(expected))), list(expected.values()))
    relevant = truth >= 1.0
    if len(set(grades.tolist())) > 1 and 0 < relevant.sum() < len(relevant):
        called = grades >= best_cut(grades, relevant)
        best = oracle.best_level_kappa(grades.tolist(), relevant.tolist())
        assert oracle.kappa(called.tolist(), relevant.tolist()) == pytest.approx(best)


@FEW
@given(st.lists(st.tuples(GRADE, GRADE, GRADE), min_size=2, max_size=10))
def test_errors_and_their_correlations_are_those_of_the_literal_twins(rows):
    truth, *judges = (list(column) for column in zip(*rows, strict=True))
    for explains, twin in ((by_grade, oracle.grade_errors), (by_score, oracle.residuals)):
        errors = [twin(judge, truth) for judge in judges]
        found = error_correlations(np.array(judges).T, explains(np.array(truth)))
        if any(sum(map(abs, own)) < 1e-9 for own in errors):
            assert found.mean is None
            continue
        expected = oracle.correlation(*errors)
        assert found.mean == pytest.approx(expected, abs=1e-7)
        if expected > -0.99:
            assert found.effective == pytest.approx(2 / (1 + expected), rel=1e-4)


@FEW
@given(st.integers(0, 10_000))
def test_intervals_of_error_correlations_are_those_of_the_literal_twin(seed):
    """Leave each topic out, t on the logarithm of 1 + (m − 1)ρ, degrees of freedom by kurtosis."""
    rng = np.random.default_rng(seed)
    topic = np.repeat(np.arange(6), 4)
    truth = rng.normal(size=24)
    judges = truth[:, None] + rng.normal(size=(24, 1)) + rng.normal(size=(24, 3))
    found = error_correlations(judges, by_score(truth), topic, level=0.9)
    expected = oracle.error_correlation_interval(judges.T.tolist(), truth.tolist(), topic.tolist(), 0.9)
    assert (known(found.interval).low, known(found.interval).high) == pytest.approx(expected, abs=1e-7)
    assert known(found.effective_interval).low == pytest.approx(3 / (1 + 2 * expected[1]))
    assert error_correlations(judges, by_score(truth), topic // 3).interval is None


def test_independent_errors_are_not_correlated_whatever_the_scale():
    """Lenient, strict and compressed judges, independent given the truth: as many effective judges as judges."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 4, 20_000).astype(float)
    noise = rng.standard_normal((len(truth), 4))
    grades = np.column_stack([truth * slope + shift for slope, shift in ((1, 0), (0.3, 2), (2, -1), (0, 1))]) + noise
    found = error_correlations(grades, by_grade(truth), np.arange(len(truth)) % 40)
    assert found.effective == pytest.approx(4.0, abs=0.15)
    assert known(found.effective_interval).low < 4.0 < known(found.effective_interval).high
    copied = grades[:, [0, 0, 0]]
    assert error_correlations(copied, by_grade(truth)).effective == pytest.approx(1.0)


def test_a_study_of_panels():
    runs, truth, judges = track()
    panels: list[Any] = ["mean", rs.Panel("weighted", "two", ["a", "b"])]
    study = rs.study_panel(runs, truth, judges, ["nDCG@10", "AP"], panels=panels)
    report = rs.judge(runs, truth, judges, ["nDCG@10", "AP"], panels=panels, **QUICK)
    for row in study.agreements:
        answer = report.answer(row.name, row.measure)
        assert row.tau_b == answer.agreement.value("tau_b")
        assert row.worth == known(answer.verdict.worth).worth
    without = [row for row in study.left_out if (row.name, row.measure, row.left_out) == ("two", "AP", "b")]
    whole = next(row for row in study.agreements if (row.name, row.measure) == ("two", "AP"))
    assert without[0].tau_change == known(without[0].tau_b) - known(whole.tau_b)
    assert {row.left_out for row in study.left_out if row.name == "two"} == {"a", "b"}
    assert [each.of for each in study.shared] == ["documents", "scores", "systems", "scores", "systems"]
    assert list(study.tables()) == ["agreements", "left_out", "shared", "errors"]
    alone = rs.study_panel(runs, truth, judges["a"], "AP", panels=["mean"])
    assert (alone.shared, alone.left_out) == ((), ())
    assert alone.agreements[0].tau_b == alone.agreements[1].tau_b
    with pytest.raises(rs.BadParameter, match="two judges at least"):
        alone.chart("errors")


def track():
    made = rs.simulate_track(10, 12, depth=10, rng=3)
    rng = np.random.default_rng(4)
    judges = {}
    for name, share in (("a", 0.2), ("b", 0.4), ("c", 0.5)):
        wrong = rng.random(len(made.truth)) < share
        judges[name] = made.truth.with_grades(
            np.where(wrong, rng.integers(0, 4, len(wrong)), made.truth.grades), name=name
        )
    return made.runs, made.truth, judges


def with_other_truth(truth, topic):
    """The truth with the grades of one topic turned round."""
    grades = truth.grades.copy()
    rows = slice(truth.starts[topic], truth.starts[topic + 1])
    grades[rows] = grades[rows].max() - grades[rows]
    return truth.with_grades(grades)


@pytest.mark.parametrize("learned", ["map", "rel", "weighted", "weighted of maps", "level of weighted", "dawid-skene"])
def test_what_is_learned_for_a_topic_does_not_depend_on_its_own_labels(learned):
    """Whatever is learned, another truth on one topic changes labels of other topics, never its own."""
    _, truth, judges = track()
    topic, labels = 7, []
    for people in (truth, with_other_truth(truth, topic)):
        if learned == "map":
            made = rs.panel({"a": rs.JudgeLabels(judges["a"], map="cv"), "b": judges["b"]}, truth=people)
        elif learned == "rel":
            table = LabelTable.of([judges["a"]], people)
            made = judges["a"].with_grades(table.relevant(1.0, table.grades[:, 0]))
        elif learned == "level of weighted":
            from rankscope.studies.judging.panels import Panel, panel_labels
            from rankscope.studies.judging.scales import to_labels

            made = panel_labels(Panel("weighted"), to_labels(judges, people), people, rng=0, truth_rel=1.0)
        else:
            how: Any = "dawid-skene" if learned == "dawid-skene" else "weighted"
            mapped = learned != "weighted"
            members = {n: rs.JudgeLabels(j, map="cv") for n, j in judges.items()} if mapped else judges
            made = rs.panel(members, how, truth=people)
        labels.append(made)
    own = np.arange(labels[0].starts[topic], labels[0].starts[topic + 1])
    others = np.setdiff1d(np.arange(len(labels[0])), own)
    np.testing.assert_array_equal(labels[0].grades[own], labels[1].grades[own])
    if learned != "rel":
        assert (labels[0].grades[others] != labels[1].grades[others]).any()


def test_a_panel_is_one_more_judge():
    runs, truth, judges = track()
    ways = [combination.name for combination in COMBINATIONS]
    report = rs.judge(runs, truth, judges, ["nDCG@10", "AP"], panels=ways, **QUICK)
    assert report.judges == ("a", "b", "c", *(f"panel-{way}" for way in ways))
    assert len(report.answers) == 2 * len(report.judges)
    assert report.settings["panels"]["panel-mean"] == {"how": "mean", "judges": ["a", "b", "c"]}
    by_hand = rs.judge(runs, truth, {"p": rs.JudgeLabels(rs.panel(judges, truth=truth), rel=1)}, "AP", **QUICK)
    assert report.answer("panel-mean", "AP").agreement.systems == by_hand.answers[0].agreement.systems
    assert "panel-mean is a panel of 3 judges (mean): a, b, c" in str(report)
    some = rs.judge(runs, truth, judges, "AP", panels=[rs.Panel("median", "two", ["[ab]"], "cv")], **QUICK)
    assert some.settings["panels"] == {"two": {"how": "median", "judges": ["a", "b"]}}
    assert some.answer("two").verdict.worth is not None


def test_members_count_where_they_have_a_label_and_on_one_scale():
    first = {"1": {"x": 0, "y": 1}, "2": {"x": 1}}
    second = {"1": {"y": 4, "z": 2, "x": -1}, "2": {"x": 0}}
    combined = rs.panel({"first": first, "second": second})
    assert combined.to_frame().rows() == [("1", "x", 0.0), ("1", "y", 4.0), ("1", "z", 2.0), ("2", "x", 2.0)]
    truth = {"1": {"y": 2, "x": 0}}
    assert rs.panel({"first": first, "second": second}, truth=truth).grades.tolist() == [0.0, 2.0, 1.0, 1.0]
    named: dict[str, Any] = {"first": rs.JudgeLabels(first, map={1: 3}), "second": second}
    assert rs.panel(named, truth=truth).grades.tolist() == [0.0, 2.5, 1.0, 1.5]


def test_learned_scales_in_judge():
    runs, truth, judges = track()
    learned = {"m": rs.JudgeLabels(judges["c"], map="cv"), "r": rs.JudgeLabels(judges["c"], rel="cv"), "c": judges["c"]}
    report = rs.judge(runs, truth, learned, ["nDCG@10", "AP(rel=2)"], **QUICK)
    assert report.settings["scales"] == {"m": {"rel": "cv", "map": "cv"}, "r": {"rel": "cv", "map": None}}
    nd = {name: report.answer(name, "nDCG@10").agreement.value("tau_b") for name in learned}
    assert nd["r"] == nd["c"]
    both = [report.answer(name, "AP(rel=2)").agreement.systems for name in ("m", "r")]
    assert both[0] == both[1]
    kappas = {name: report.labels[name].value("kappa_binary") for name in learned}
    assert kappas["m"] == kappas["r"]
    assert "on other topics" in str(report)


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda j, t: rs.panel(j, "weighted"), "weights are learned from a truth"),
        (lambda j, t: rs.panel(j, word("average")), "no way to combine judges is called 'average'"),
        (lambda j, t: rs.panel({"a": rs.JudgeLabels(j["a"], map="cv"), "b": j["b"]}), "learned from a truth's labels"),
        (lambda j, t: rs.panel(j, "weighted", truth=t.for_topics(t.topics[:1])), "needs two topics"),
        (lambda j, t: rs.JudgeLabels(t, map=word("isotonic")), "map='isotonic'"),
        (lambda j, t: rs.JudgeLabels(t, rel=word("high")), "rel=high"),
        (lambda j, t: rs.Panel("mean", judges=["z*"]).members(["a"]), "no judge is called 'z\\*'"),
    ],
)
def test_bad_input(call, problem):
    _, truth, judges = track()
    with pytest.raises((rs.BadParameter, rs.UnknownName), match=problem):
        call(judges, truth)


def test_two_judges_of_one_name():
    runs, truth, judges = track()
    with pytest.raises(rs.BadParameter, match="two judges are called 'panel-mean'"):
        rs.judge(runs, truth, judges, "AP", panels=["mean", "mean"], **QUICK)


def test_on_dl19(data):
    """Mean grades of eight judges beat most of them, not the best; a learned level is what AP needs."""
    judges = {path.stem: path for path in sorted((data / "dl19" / "judges").glob("*.qrels"))}
    panels: list[Any] = ["majority", rs.Panel("mean", "tuned", rel="cv")]
    report = rs.judge(
        data / "dl19" / "runs", data / "dl19" / "qrels.human.txt", judges, ["nDCG@10", "AP"], panels=panels, **QUICK
    )
    taus = {(a.judge, a.measure): a.agreement.value("tau_b") for a in report.answers}
    assert taus["panel-majority", "nDCG@10"] == pytest.approx(0.895, abs=5e-4)
    assert taus["tuned", "AP"] == pytest.approx(0.946, abs=5e-4)
    assert taus["umbrela-gpt-4o", "nDCG@10"] == pytest.approx(0.9159, abs=5e-5)  # FACTS


def test_on_the_command_line(tmp_path):
    runs, truth, judges = track()
    rs.write_runs(runs, tmp_path / "runs")
    rs.write_judgments(truth, tmp_path / "human.qrels")
    words = [str(tmp_path / "runs"), "--truth", str(tmp_path / "human.qrels"), "-m", "AP"]
    for name, keys in (("a", ""), ("b", ":map=cv"), ("c", ":rel=cv")):
        rs.write_judgments(judges[name], tmp_path / f"{name}.qrels")
        words += ["--judge", f"{tmp_path / name}.qrels{keys}"]
    few = [
        "--resamples",
        "0",
        "--random-draws",
        "0",
        "--pseudo-draws",
        "0",
        "--panel",
        "mean",
        "--panel",
        "two=median:judges=a|b,rel=cv",
    ]
    done = CliRunner().invoke(main, ["judge", *words, *few])
    assert done.exit_code == 0, done.output
    assert "two is a panel of 2 judges (median): a, b" in done.stdout
    done = CliRunner().invoke(main, ["study", "panel", *words, "--panel", "weighted", "--format", "csv"])
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[-1].startswith("panel-weighted,AP,weighted,")
    done = CliRunner().invoke(main, ["judge", *words, "--panel", "mean:by=a"])
    assert done.exit_code == 2
    assert "no key 'by' after the colon" in done.output
