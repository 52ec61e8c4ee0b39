"""Every public function that takes scores, runs or judgments takes paths, too, by the conversions of `inputs`."""

import inspect
import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rankscope as rs
from rankscope import inputs
from rankscope.demo import demo_scores

LIKE = ("ScoresLike", "RunsLike", "JudgmentsLike", "JudgesLike", "LabelsLike", "LabellersLike")

# Annotations of scores, runs or judgments that leave paths out, or say nothing.
NARROW = re.compile(r"\b(Any|object|ScoreMatrix|SystemScores|Scores|ScoresLike|RunSet|Judgments|ArrayLike)\b")

# Parameters that take something else, or more: a simulation's draws, measure tables, p-values, a reader's own
# source.
OTHER = {
    "adjust": {"pvalues"},
    "correlate_measures": {"collections"},
    "diagnose": {"simulated"},
    "draw_sample": {"probabilities"},
    "inclusion_probabilities": {"influence"},
    "predict_deep_measures": {"training", "development", "tests"},
    "predict_measure": {"training"},
    "predict_measures": {"training", "development", "tests"},
    "rank": {"standard_errors", "covariance"},
    "rank_measures": {"collections"},
    "read_battles": {"source"},
    "read_measures": {"source"},
    "read_scores": {"source"},
    "rescore": {"grades"},
}

# What a call needs besides, and what keeps it short.
ARGUMENTS: dict[str, dict[str, Any]] = {
    "allowed_ranks": {"draws": 100, "resamples": 50},
    "bootstrap": {"resamples": 20},
    "compare": {"resamples": 20},
    "correct": {"resamples": 20},
    "diagnose": {"simulated": lambda folder: rs.read_scores(folder / "truth.csv").values},
    "discriminative_power": {"resamples": 20},
    "draw_sample": {"probabilities": lambda folder: np.ones(len(rs.read_judgments(folder / "truth.qrels")))},
    "evaluate": {"measures": "AP"},
    "expected_correlation": {"resamples": 20},
    "new_topic_agreement": {"resamples": 20},
    "judge": {"measures": "AP", "resamples": 20},
    "label_agreement": {"resamples": 20},
    "labels": {"resamples": 20},
    "measure_runs": {"measures": "AP"},
    "plan": {"measure": "AP", "budget": 4},
    "plan_topics": {"budget": 4},
    "permutation_test": {"permutations": 20},
    "pseudo_grades": {"draws": 2, "depth": 3},
    "rank": {"resamples": 20},
    "rank_distance_null": {"resamples": 20},
    "rank_distance_test": {"resamples": 20},
    "reliability": {"resamples": 20},
    "sakai_discriminative_power": {"resamples": 20},
    "significance": {"resamples": 20},
    "study_circularity": {"measures": "AP", "noise": [0]},
    "study_correction": {"measures": "AP", "repeats": 2, "budgets": [0.5]},
    "study_depth_cost": {"measures": "AP", "resamples": 20},
    "study_estimators": {"sizes": [5], "collections": 2},
    "study_holes": {"measures": "AP", "repeats": 2, "fractions": [0.5], "resamples": 20},
    "study_pool_depth": {"measures": "AP", "depths": [1, 2], "resamples": 20},
    "study_pseudo": {"measures": "AP", "draws": 2, "depth": 3, "resamples": 20},
    "study_repeats": {
        "judges": lambda folder: {"llm": [folder / "truth.qrels", folder / "judge.qrels"]},
        "truth": lambda folder: folder / "truth.qrels",
        "runs": lambda folder: folder / "runs",
        "measures": "AP",
    },
    "study_reorderings": {"count": 1, "draws": 20, "resamples": 20},
    "study_swaps": {"draws": 20, "swaps": 1, "resamples": 20},
    "study_topics": {
        "scores": lambda folder: folder / "runs",
        **{"measures": "AP", "sizes": [2], "repeats": 2, "resamples": 20},
    },
    "study_uniques": {"measures": "AP", "resamples": 20},
    "tie_bounds": {"coefficient": "kendall"},
    "write_judgments": {"path": lambda folder: folder / "written.qrels"},
    "write_runs": {"folder": lambda folder: folder / "written"},
    "write_scores": {"path": lambda folder: folder / "written.csv"},
}


def _functions():
    return {name: thing for name in rs.__all__ if inspect.isfunction(thing := getattr(rs, name))}


def _kind(function, parameter):
    """Which of the three a parameter is annotated as, by the alias of `inputs` and no other of its name."""
    for alias in LIKE:
        of_inputs = getattr(inputs, alias)
        if alias in str(parameter.annotation) and function.__globals__.get(alias, of_inputs) is of_inputs:
            return alias
    return None


def _kinds(function):
    parameters = inspect.signature(function).parameters.values()
    return {p.name: kind for p in parameters if (kind := _kind(function, p)) is not None}


CONVERTING = {name: kinds for name, function in _functions().items() if (kinds := _kinds(function))}


@pytest.mark.parametrize("name", sorted(_functions()))
def test_scores_runs_and_judgments_are_annotated_as_what_is_converted(name):
    function = _functions()[name]
    narrow = {
        p.name
        for p in inspect.signature(function).parameters.values()
        if NARROW.search(str(p.annotation)) and _kind(function, p) is None
    }
    narrow -= {"cluster", *OTHER.get(name, set())}  # an address or a client
    assert not narrow, f"{name}: {narrow} accept no path; annotate them as in rankscope.inputs"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Scores, runs and judgments of a small track as files."""
    folder = tmp_path_factory.mktemp("inputs")
    track = rs.simulate_track(systems=8, topics=12, depth=10, pool_depth=5, candidates=40, rng=1)
    rs.write_runs(track.runs, folder / "runs")
    rs.write_judgments(track.truth, folder / "truth.qrels")
    rs.write_judgments(next(iter(track.judges.values())), folder / "judge.qrels")
    for name in ("truth", "judge"):
        scores = rs.evaluate(folder / "runs", folder / f"{name}.qrels", "nDCG@10").scores["nDCG@10"]
        rs.write_scores(scores, folder / f"{name}.csv")
        rs.write_scores(scores.select(systems=scores.systems[:3]), folder / f"{name}-three.csv")
        few = scores.topics[:5] if name == "truth" else scores.topics
        rs.write_scores(scores.select(topics=few), folder / f"{name}-few.csv")
    return folder


@pytest.mark.filterwarnings("ignore::rankscope.errors.RankscopeWarning")
@pytest.mark.parametrize("name", sorted(CONVERTING))
def test_paths_are_accepted(name, folder):
    function, kinds = _functions()[name], CONVERTING[name]
    signature = inspect.signature(function)
    values = {key: value(folder) if callable(value) else value for key, value in ARGUMENTS.get(name, {}).items()}
    of = {"rank_contour": "-three", "correct": "-few"}.get(name, "")
    files = {
        "ScoresLike": iter([folder / f"{side}{of}.csv" for side in ("truth", "judge", "judge")]),
        "RunsLike": iter([folder / "runs"]),
        "JudgmentsLike": iter([folder / "truth.qrels", folder / "judge.qrels"]),
        "JudgesLike": iter([folder / "judge.qrels"]),
        "LabelsLike": iter([folder / "truth.qrels", folder / "judge.qrels"]),
        "LabellersLike": iter([folder / "judge.qrels"]),
    }
    for parameter in signature.parameters.values():
        wanted = parameter.default is not None or parameter.name == "judgments"
        if wanted and parameter.name in kinds and parameter.name not in values:
            path = next(files[kinds[parameter.name]])
            several = parameter.kind is parameter.VAR_POSITIONAL
            values[parameter.name] = (path,) if several else path
    bound = inspect.BoundArguments(signature, values)
    function(*bound.args, **bound.kwargs)


def test_judgments_from_mappings_and_frames():
    wanted = rs.Judgments.of({"301": {"d1": 2, "d2": 0}, "302": {"d1": 1}})
    columns = {"topic": [301, 301, 302], "document": ["d1", "d2", "d1"], "grade": [2, 0, 1]}
    sources: list[Any] = [
        {301: {"d1": 2, "d2": 0}, 302: {"d1": 1}},
        pl.DataFrame(columns),
        pd.DataFrame(columns),
        pd.DataFrame(columns).rename(columns={"topic": "query_id", "document": "doc_id", "grade": "relevance"}),
        wanted.to_frame(),
        wanted,
    ]
    for source in sources:
        read = inputs.to_judgments(source)
        assert read.same_rows(wanted)
        np.testing.assert_array_equal(read.grades, wanted.grades)


@pytest.mark.parametrize(
    ("columns", "error", "problem"),
    [
        ({"topic": ["1"], "grade": [1]}, rs.UnrecognisedFormat, "no column of items"),
        ({"topic": ["1"], "doc": ["a"], "grade": ["x"]}, rs.NotANumber, "row 1: the label 'x' is not a number"),
        ({"topic": ["1", None], "doc": ["a", "b"], "grade": [1, 2]}, rs.MissingName, "row 2"),
        ({"topic": ["1", "1"], "doc": ["a", "a"], "grade": [1, 2]}, rs.ConflictingJudgments, "row 2: .* 2 here and 1"),
    ],
)
def test_frames_that_are_no_judgments(columns, error, problem):
    with pytest.raises(error, match=problem):
        inputs.to_judgments(pl.DataFrame(columns))


def test_the_same_judgment_twice_in_a_frame_counts_once():
    assert len(inputs.to_judgments(pl.DataFrame({"topic": ["1", "1"], "doc": ["a", "a"], "grade": [1, 1]}))) == 1


def test_what_is_none_of_these_says_what_is_wanted():
    wrong: Any = 3
    with pytest.raises(rs.BadParameter, match=r"int is not judgments; give Judgments, a path, a mapping"):
        inputs.to_judgments(wrong)
    with pytest.raises(rs.BadParameter, match=r"int is not a set of runs; give a RunSet, a path"):
        inputs.to_runs(wrong)
    with pytest.raises(rs.BadParameter, match="an empty list holds no runs"):
        inputs.to_runs([])
    with pytest.raises(rs.MissingScores, match=r"scores without topics; because. Give scores by topic"):
        inputs.to_matrix({"a": 0.1}, "because")


def test_runs_from_mappings():
    assert inputs.to_runs({"a": {"1": ["d1"]}}).retrieved("a", "1") == ["d1"]


SIDE = rs.ScoreMatrix([[0.1, 0.4], [0.3, 0.5]], ["a", "b"], ["1", "2"])


@pytest.mark.parametrize(
    "scores",
    [
        SIDE,
        pd.DataFrame({"a": [0.1, 0.3], "b": [0.4, 0.5]}, index=pd.Index(["1", "2"], name="topic")),
        {"a": {"1": 0.1, "2": 0.3}, "b": {"1": 0.4, "2": 0.5}},
        {"a": 0.2, "b": 0.45},
        rs.SystemScores([0.2, 0.45], ["a", "b"]),
    ],
)
def test_a_mapping_from_names_to_scores_names_them(scores):
    named = rs.compare({"human": SIDE}, {"umbrela": scores, "x=y": scores}, resamples=0)
    plain = rs.compare(SIDE, scores, resamples=0)
    assert (named.truth.name, [e.name for e in named.estimates]) == ("human", ["umbrela", "x=y"])
    assert named.estimates[0].value("tau_b") == plain.estimates[0].value("tau_b")
    assert plain.estimates[0].name == "estimate 1"


def test_the_measure_of_files_with_several(tmp_path):
    path = tmp_path / "long.csv"
    rows = [f"{s},{t},{m},0.{i}{j}" for i, s in enumerate("abc") for j, t in enumerate("12") for m in ("AP", "RR")]
    path.write_text("\n".join(["system,topic,measure,score", *rows]), encoding="utf-8")
    result = rs.compare(path, {"again": path}, measure="map", resamples=0)
    assert (result.truth.measure, result.estimates[0].name) == ("AP", "again")
    with pytest.raises(rs.BadParameter, match="the measure of these scores is RR, not AP"):
        rs.compare(path, SIDE.labelled("RR"), measure="AP", resamples=0)
    with pytest.raises(rs.BadParameter, match="under 2 names where one side's belong"):
        rs.compare({"x": SIDE, "y": SIDE}, SIDE)


def test_names_in_rank_and_correct():
    human = demo_scores()["human"]
    assert [b.name for b in rs.rank({"x": human, "y": human}, resamples=50).leaderboards] == ["x", "y"]
    few = human.select(topics=human.topics[:10])
    corrected = rs.correct({"people": few}, {"llm": demo_scores()["partial"]}, resamples=50)
    assert (corrected.human, corrected.leaderboards[0].judge) == ("people", "llm")


@pytest.mark.parametrize("function", [rs.kendall, rs.discriminative_power])
def test_what_has_no_option_for_differing_sides_names_what_has(function):
    fewer = SIDE.select(systems=["a"])
    with pytest.raises(rs.MismatchedNames, match=r"these are options of rs\.align, whose two sides can be given here"):
        function(SIDE, fewer)
