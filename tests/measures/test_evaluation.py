"""`evaluate`: averaging, missing topics, real grades, providers, and what the result writes."""

import json
from fractions import Fraction
from typing import Any

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st
from made_runs import table, tracks

import oracles_measures as oracles
import rankscope as rs
from rankscope.errors import BadParameter, MissingScores, ShapeMismatch
from rankscope.measures import elsewhere
from rankscope.measures.evaluation import TOPICS
from rankscope.runs import Judgments, RunSet, join

RUNS = {
    "bm25": {"1": ["a", "b", "c"], "2": ["d", "e"], "9": ["a"]},
    "dense": {"1": ["c", "x", "a"]},
    "other": {"1": ["x", "y"], "2": ["x"]},
}
GRADES = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"e": 1, "d": 0}, "3": {"z": 1}}


def made(**settings):
    return rs.evaluate(RunSet.of(RUNS), Judgments.of(GRADES, name="human"), ["AP", "RR", "NumRet", "GMAP"], **settings)


def test_complete_averaging_counts_a_missing_topic_as_zero():
    evaluation = made()
    assert evaluation.scores["AP"].topics == ("1", "2", "3")
    rr = evaluation.scores["RR"].values
    assert rr.tolist() == [[1.0, 1.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, 0.0]]
    assert evaluation.summaries["RR"].values.tolist() == [0.5, 1 / 3, 0.0]
    assert evaluation.summaries["NumRet"].values.tolist() == [5.0, 3.0, 3.0]
    logs = evaluation.scores["GMAP"].values
    assert logs[2].tolist() == [np.log(1e-5)] * 3
    assert np.allclose(evaluation.summaries["GMAP"].values, np.exp(logs.mean(axis=0)))
    assert evaluation.systems == ("bm25", "dense", "other")


def test_each_system_over_its_own_topics():
    evaluation = made(topics="retrieved")
    assert evaluation.scores["RR"].topics == ("1", "2")
    assert np.isnan(evaluation.scores["RR"].values).tolist() == [[False] * 3, [False, True, False]]
    assert evaluation.summaries["RR"].values.tolist() == [0.75, 1.0, 0.0]
    with pytest.raises(MissingScores, match="dense on topic 2"):
        _ = evaluation.scores["RR"].means


def test_shared_topics():
    evaluation = made(topics="shared")
    assert evaluation.scores["RR"].topics == ("1",)
    only = RunSet.of({"a": {"1": ["x"]}, "b": {"2": ["x"]}})
    with pytest.raises(MissingScores, match="retrieved by every system; use topics='judged'"):
        rs.evaluate(only, Judgments.of(GRADES), "AP", topics="shared")
    with pytest.raises(MissingScores, match="no judgments"):
        rs.evaluate(only, Judgments.of({}), "AP")


def test_coverage():
    coverage = made().coverage
    assert coverage.judged_only == ("3",)
    assert coverage.run_only == ("9",)
    assert coverage.missing_topics == {"dense": ("2",)}
    assert coverage.without_judged == ("other",)


def test_joined_runs_need_no_judgments():
    joined = join(RunSet.of(RUNS), Judgments.of(GRADES, name="human"))
    evaluation = rs.evaluate(joined, measures="AP")
    assert evaluation.scores["AP"] == made().scores["AP"]
    assert evaluation.coverage is None
    with pytest.raises(BadParameter, match="joined with judgments already"):
        rs.evaluate(joined, Judgments.of(GRADES), "AP")
    with pytest.raises(BadParameter, match="judgments are missing"):
        rs.evaluate(RunSet.of(RUNS), measures="AP")
    with pytest.raises(BadParameter, match="needs runs and judgments"):
        rs.evaluate(joined, measures="Accuracy@2")
    with pytest.raises(BadParameter, match="needs the runs themselves"):
        rs.score(joined, "Accuracy@2")
    wrong: Any = "all"
    with pytest.raises(BadParameter, match="one of judged, retrieved, shared"):
        rs.evaluate(joined, measures="AP", topics=wrong)
    with pytest.raises(ShapeMismatch, match="give \\(B, J\\)"):
        rs.rescore(joined, "AP", [1.0, 2.0])
    with pytest.raises(BadParameter, match="jobs=0"):
        rs.rescore(joined, "AP", [joined.grades], jobs=0)


def test_any_spelling_finds_the_scores():
    evaluation = made()
    assert evaluation.scores["map"] is evaluation.scores["AP"]
    assert evaluation.summaries["recip_rank"] is evaluation.summaries["RR"]
    with pytest.raises(BadParameter, match="P@5 was not computed; there are: AP, RR"):
        _ = evaluation.scores["P@5"]


def test_binary_measures_ask_which_real_grades_are_relevant():
    runs, grades = RunSet.of({"a": {"1": ["x", "y", "z"]}}), Judgments.of({"1": {"x": 0.4, "y": 2.5}})
    for name, way in (("AP", "AP(rel=1)"), ("P@5", "P(rel=1)@5"), ("RBP(p=0.5)", "RBP(p=0.5,rel=1)")):
        with pytest.raises(BadParameter, match="not whole numbers") as caught:
            rs.evaluate(runs, grades, name)
        assert str(caught.value).endswith(way)
        assert rs.evaluate(runs, grades, way).scores[way].values.size == 1
    assert rs.evaluate(runs, grades, "AP(rel=0.4)").scores["AP(rel=0.4)"].values.item() == 1.0
    assert rs.evaluate(runs, grades, "RR(rel=1)").scores["RR(rel=1)"].values.item() == 0.5
    gain = 0.4 + 2.5 / np.log2(3)
    assert rs.evaluate(runs, grades, "DCG").scores["DCG"].values.item() == pytest.approx(gain, abs=1e-15)


def test_a_grade_above_the_greatest_is_an_error():
    runs, grades = RunSet.of({"a": {"1": ["x"]}}), Judgments.of({"1": {"x": 5}})
    with pytest.raises(BadParameter, match="grade of 5 is above max_rel=4"):
        rs.evaluate(runs, grades, "ERR@20")
    assert rs.evaluate(runs, grades, "ERR(max_rel=5)").scores["ERR(max_rel=5)"].values.item() == 31 / 32


def test_tables_and_json():
    evaluation = made()
    assert evaluation.table().columns == ("system", "AP", "RR", "NumRet", "GMAP")
    assert [row[0] for row in evaluation.table().rows] == ["bm25", "dense", "other"]
    assert [row[3] for row in evaluation.table().rows] == [5, 3, 3]
    document = json.loads(evaluation.to_json())
    assert document["summaries"]["RR"]["systems"][0] == "bm25"
    assert document["summaries"]["RR"]["given"][0] == 0.5
    assert len(document["scores"]["RR"]["given"]) == len(document["scores"]["RR"]["topics"])
    by_topic = json.loads(evaluation.only("topics").to_json())["rows"]
    assert by_topic[1] == {"system": "bm25", "topic": "1", "measure": "RR", "value": 1.0}
    assert len(by_topic) == 36
    assert evaluation.to_dict()["settings"]["topics"] == "judged"
    assert evaluation.to_csv().startswith("system,AP,RR,NumRet,GMAP\nbm25,")
    assert ">bm25</td>" in evaluation._repr_html_()


def test_counts_do_not_order_systems():
    runs = RunSet.of({"long": {"1": ["b", "c", "a"]}, "good": {"1": ["a"]}})
    assert rs.evaluate(runs, Judgments.of(GRADES), "NumRet RR").systems == ("good", "long")
    assert rs.evaluate(runs, Judgments.of(GRADES), "NumRet").systems == ("long", "good")


@given(tracks(grades=st.integers(0, 3)), st.sampled_from(TOPICS))
def test_means_are_those_of_trec_eval(track, topics):
    """`trec_eval -c` for all judged topics, trec_eval for each system's own."""
    rankings, judgments = track
    runs = RunSet.of(rankings)
    try:
        evaluation = rs.evaluate(runs, Judgments.of(judgments), "map gm_map num_rel_ret", topics=topics)
    except MissingScores:
        return
    evaluator = pytrec_eval.RelevanceEvaluator(judgments, {"map", "gm_map", "num_rel_ret"})
    for s, (system, run) in enumerate(rankings.items()):
        scored = {t: {d: float(-i) for i, d in enumerate(documents)} for t, documents in run.items() if documents}
        values = evaluator.evaluate(scored)
        if topics == "shared":
            values = {t: v for t, v in values.items() if t in evaluation.scores["AP"].topics}
        elif topics == "judged":
            none = {"map": 0.0, "gm_map": np.log(1e-5), "num_rel_ret": 0.0}
            values |= {t: none for t in judgments if t not in values}
        for name in ("map", "gm_map", "num_rel_ret"):
            value = evaluation.summaries[name].values[s]
            if not values:
                assert np.isnan(value) or (name == "num_rel_ret" and value == 0.0)
                continue
            numbers = [v[name] for v in values.values()]
            assert value == pytest.approx(pytrec_eval.compute_aggregated_measure(name, numbers), abs=1e-10), system


# Providers inside ir_measures, and cwl_eval where it is installed, on what they and rankscope both compute.
PROVIDED = {
    "judged": ("Judged@3", "Judged"),
    "compat": ("Compat", "Compat(p=0.8,normalize=False)"),
    "msmarco": ("RR@2", "RR(rel=2)@3"),
    "cwl_eval": ("INST(T=2.0,max_rel=4)", "INSQ(T=1.5,max_rel=4)", "RBP(p=0.5,rel=1)", "RR", "P@5"),
}


@pytest.mark.parametrize("provider", PROVIDED)
@settings(max_examples=15)
@given(track=tracks(grades=st.integers(0, 4)))
def test_equal_to_providers_of_ir_measures(provider, track):
    rankings, judgments = track
    computes = ir_measures.providers.registry[provider]
    if not computes.is_available():
        pytest.skip(f"{provider} is not installed")
    names = PROVIDED[provider]
    matrices = rs.score(join(RunSet.of(rankings), Judgments.of(judgments)), names)
    wanted = [elsewhere.parsed(name) for name in names]
    for s, run in enumerate(rankings.values()):
        # Scores above 0: Compat takes a document that was not retrieved to have a score of 0.
        scored = {t: {d: float(99 - i) for i, d in enumerate(documents)} for t, documents in run.items() if documents}
        for metric in computes.evaluator(wanted, judgments).iter_calc(scored):
            matrix = matrices[str(metric.measure)]
            value = matrix.values[matrix.topics.index(metric.query_id), s]
            assert value == pytest.approx(metric.value, abs=1e-10), (str(metric.measure), metric.query_id)


def test_equal_to_gdeval():
    """ir_measures' gdeval (the TREC Web tracks' script, in perl) prints five decimals of ERR@k and nDCG@k."""
    gdeval = ir_measures.providers.registry["gdeval"]
    if not gdeval.is_available():
        pytest.skip("perl is not installed")
    rng = np.random.default_rng(0)
    documents = [f"d{i}" for i in range(60)]
    judgments = {str(t): {d: int(g) for d, g in zip(documents, rng.integers(-2, 5, 60), strict=True)} for t in range(5)}
    run = {t: [documents[i] for i in rng.permutation(60)[:40]] for t in judgments}
    scored = {t: {d: float(99 - i) for i, d in enumerate(ranking)} for t, ranking in run.items()}
    names = ("ERR@20", "nDCG(dcg='exp-log2')@20", "ERR@5", "nDCG(dcg='exp-log2')@5")
    matrices = rs.score(join(RunSet.of({"run": run}), Judgments.of(judgments)), names)
    rows = list(gdeval.evaluator([elsewhere.parsed(n) for n in names], judgments).iter_calc(scored))
    assert len(rows) == 20
    for metric in rows:
        matrix = matrices[str(metric.measure)]
        value = matrix.values[matrix.topics.index(metric.query_id), 0]
        assert value == pytest.approx(metric.value, abs=5.01e-6)


@settings(max_examples=30)
@given(tracks(grades=st.integers(0, 3)))
def test_a_measure_through_ir_measures(track):
    """Accuracy by its definition: how often a relevant document stands above one that is not."""
    rankings, judgments = track
    # ir_measures divides by zero where all that was retrieved is relevant.
    rankings = {system: {t: [*ranking, "not"] for t, ranking in run.items()} for system, run in rankings.items()}
    evaluation = rs.evaluate(RunSet.of(rankings), Judgments.of(judgments), ["Accuracy", "SetAP"])
    assert evaluation.providers == {"Accuracy": "ir_measures (accuracy)", "SetAP": "rankscope"}
    assert np.allclose(evaluation.scores["SetAP"].values, table(judgments, rankings, oracles.setap), atol=1e-12)
    for s, run in enumerate(rankings.values()):
        for t, (topic, grades) in enumerate(judgments.items()):
            flags = [grades.get(d, 0) >= 1 for d in run.get(topic, [])]
            pairs = [(i, j) for i, a in enumerate(flags) for j, b in enumerate(flags) if a and not b]
            expected = sum(i < j for i, j in pairs) / len(pairs) if pairs else 0.0
            assert evaluation.scores["Accuracy"].values[t, s] == pytest.approx(expected, abs=1e-12)


def test_what_a_provider_trips_over_is_told():
    with pytest.raises(BadParameter, match=r"ir_measures failed on a .*ZeroDivisionError.*leave the measure out"):
        rs.evaluate(RunSet.of({"a": {"1": ["a"]}}), Judgments.of(GRADES), "Accuracy")


def test_ir_measures_takes_whole_grades_only():
    with pytest.raises(BadParameter, match="whole grades only"):
        rs.evaluate(RunSet.of(RUNS), Judgments.of({"1": {"a": 0.5}}), "Accuracy@5")


def test_err_of_three_documents():
    """Chapelle et al. 2009, Equation 5, in fractions: grades 3, 2 and 4 of 4 at ranks 1, 3 and 4."""
    stops = [Fraction(7, 16), Fraction(3, 16), Fraction(15, 16)]
    expected = stops[0] + (1 - stops[0]) * stops[1] / 3 + (1 - stops[0]) * (1 - stops[1]) * stops[2] / 4
    joined = join(
        RunSet.of({"run": {"1": ["a", "x", "b", "c"]}}), Judgments.of({"1": {"a": 3, "b": 2, "c": 4, "d": 4}})
    )
    assert rs.score(joined, "ERR")["ERR"].values.item() == pytest.approx(float(expected), abs=1e-15)


def test_rbp_with_its_residual():
    """Moffat & Zobel 2008, Sections 3 and 4: relevant at ranks 1 and 4, not judged at 2, not relevant at 3, p = ½.

    The residual is the weight of rank 2, and that of all below the end of the ranking, ½⁴.
    """
    joined = join(RunSet.of({"run": {"1": ["a", "x", "b", "c"]}}), Judgments.of({"1": {"a": 1, "b": 0, "c": 1}}))
    matrices = rs.score(joined, "RBP(p=0.5) RBP(p=0.5,part=residual) RBP(p=0.5,part=upper)")
    assert [matrix.values.item() for matrix in matrices.values()] == [1 / 2 + 1 / 16, 1 / 4 + 1 / 16, 7 / 8]


def test_names_with_white_space_stay_one_column():
    runs = RunSet.of({"my system\tx": {"topic 1": ["a"]}})
    text = rs.evaluate(runs, Judgments.of({"topic 1": {"a": 1}}), "AP").by_topic().to_trec_eval()
    assert [line.split("\t")[1:] for line in text.splitlines()] == [
        ["topic_1", "1.0000"],
        ["all", "my_system_x"],
        ["all", "1.0000"],
    ]


def test_a_topic_of_negative_grades_alone_scores_zero():
    joined = join(RunSet.of({"run": {"1": ["a", "x"]}}), Judgments.of({"1": {"a": -1, "x": -2}}))
    matrices = rs.score(joined, "AP nDCG nDCG@5 Bpref infAP RR ERR RBP Compat Judged@2")
    assert [matrix.values.item() for matrix in matrices.values()] == [0.0] * 9 + [1.0]
