"""Data in memory: arrays, mappings, scores, and frames of pandas and polars."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rankscope as rs
from narrowing import by_topic
from rankscope import results
from rankscope.errors import (
    AmbiguousMeasure,
    BadParameter,
    DuplicateScore,
    EmptyFile,
    MissingScores,
    NotANumber,
    ShapeMismatch,
    UnknownMeasure,
    UnreadableFile,
    UnrecognisedFormat,
    UnwritableOutput,
)
from rankscope.files import read_scores
from rankscope.scores import ScoreMatrix, SystemScores

MATRIX = ScoreMatrix([[0.1, 0.3], [0.2, 0.4]], ["bm25", "dense"], ["301", "302"])
WIDE = {"topic": [301, 302], "bm25": [0.1, 0.2], "dense": [0.3, 0.4]}
LONG = {
    "run": ["bm25", "bm25", "dense", "dense"],
    "qid": [301, 302, 301, 302],
    "measure": ["AP"] * 4,
    "value": [0.1, 0.2, 0.3, 0.4],
}


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, lambda d: pl.DataFrame(d).to_arrow()])
def test_frames_are_read_as_tables_are(frame):
    assert read_scores(frame(WIDE)) == MATRIX
    assert read_scores(frame(LONG)).measure == "AP"
    assert read_scores(frame({"model": ["a", "b"], "score": [0.1, 0.2]})) == SystemScores([0.1, 0.2], ["a", "b"])
    assert read_scores(frame({"a": ["0.1"], "b": ["0.2"]})) == ScoreMatrix([[0.1, 0.2]], ["a", "b"])


def test_a_pandas_index_is_a_column():
    frame = pd.DataFrame(WIDE)
    assert read_scores(frame.set_index("topic")) == MATRIX
    assert read_scores(frame.set_index("topic").rename_axis(None)) == MATRIX
    assert read_scores(frame[["bm25", "dense"]]) == ScoreMatrix(MATRIX.values, ["bm25", "dense"])
    assert read_scores(pd.DataFrame(LONG).set_index(["run", "qid"])["value"].to_frame()) == MATRIX
    assert read_scores(frame.set_index("topic").T.rename_axis("run")) == MATRIX


def test_a_pandas_pivot():
    pivot = pd.DataFrame(LONG).pivot_table(index="qid", columns="run", values="value")
    assert read_scores(pivot) == MATRIX


def test_a_series():
    assert read_scores(pd.Series({"a": 0.1, "b": 0.2}, name="score")) == SystemScores([0.1, 0.2], ["a", "b"])
    assert read_scores(pd.Series({"a": 0.1, "b": 0.2})) == SystemScores([0.1, 0.2], ["a", "b"])


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "float64", "string", "category", "Float32"])
def test_pandas_types(dtype):
    frame = pd.DataFrame({"topic": ["1", "2"], "a": pd.Series(["1", None], dtype="string")})
    if dtype not in ("string", "category"):
        frame["a"] = frame["a"].astype("Float64").astype(dtype)
    scores = read_scores(frame.astype({"a": dtype}), on_missing="keep")
    assert scores.missing == (("a", "2"),)
    assert scores.values[0, 0] == 1.0


def test_whole_numbers_as_floats_name_topics_without_a_point():
    assert read_scores(pd.DataFrame({**WIDE, "topic": [301.0, 302.0]})) == MATRIX


def test_errors_name_rows():
    with pytest.raises(NotANumber, match=r"<DataFrame>: row 2: 'x' in column 'a' is not a number"):
        read_scores(pl.DataFrame({"topic": [1, 2], "a": ["0.1", "x"]}))
    with pytest.raises(NotANumber, match=r"<DataFrame>: row 1: 'inf' in column 'a'"):
        read_scores(pl.DataFrame({"topic": [1, 2], "a": [float("inf"), 0.1]}))
    with pytest.raises(MissingScores, match=r"<DataFrame>: 1 of 2 scores are missing: 'a' on topic '2' \(row 2\)"):
        read_scores(pd.DataFrame({"topic": [1, 2], "a": [0.1, None]}))
    with pytest.raises(DuplicateScore, match=r"<DataFrame>: row 2: topic '1' has a row already, on row 1"):
        read_scores(pl.DataFrame({"topic": [1, 1], "a": [0.1, 0.2]}))


def test_frames_that_cannot_be_read():
    with pytest.raises(EmptyFile, match="<DataFrame>: the table holds no rows"):
        read_scores(pl.DataFrame())
    with pytest.raises(EmptyFile, match="<DataFrame>: the table holds no rows"):
        read_scores(pd.DataFrame({"topic": [], "a": []}))
    with pytest.raises(DuplicateScore, match="columns 'a' share a name"):
        read_scores(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    with pytest.raises(UnrecognisedFormat, match="several levels"):
        read_scores(pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")])))
    with pytest.raises(AmbiguousMeasure, match=r"<DataFrame>: 2 measures and none chosen: AP, RR"):
        read_scores(pd.DataFrame({"name": ["a"], "AP": [0.1], "RR": [0.2]}))


def test_parquet_of_other_origin(tmp_path):
    pd.DataFrame(WIDE).set_index("topic").rename_axis(None).to_parquet(tmp_path / "pandas.parquet")
    assert read_scores(tmp_path / "pandas.parquet") == MATRIX
    frame = pd.DataFrame({"bm25": [0.1, 0.2], "dense": [0.3, 0.4]}, index=["q1", "q9"])
    frame.to_parquet(tmp_path / "pandas.parquet")
    assert by_topic(read_scores(tmp_path / "pandas.parquet")).topics == ("q1", "q9")
    frame.reset_index(drop=True).to_parquet(tmp_path / "pandas.parquet")
    assert not by_topic(read_scores(tmp_path / "pandas.parquet")).topics_named
    pl.DataFrame(LONG).write_parquet(tmp_path / "polars.parquet")
    assert read_scores(tmp_path / "polars.parquet").measure == "AP"
    pl.DataFrame({"topic": [1], "a": ["x"]}).write_parquet(tmp_path / "wrong.parquet")
    with pytest.raises(ValueError, match=r"wrong.parquet: no column holds scores"):
        read_scores(tmp_path / "wrong.parquet")


def test_a_note_that_is_not_ours(tmp_path):
    pl.DataFrame(WIDE).write_parquet(tmp_path / "a.parquet", metadata={"rankscope": '{"kind": "x"}'})
    with pytest.raises(ValueError, match=r"a.parquet: the note in this Parquet file lacks 'systems_named'"):
        read_scores(tmp_path / "a.parquet")
    assert read_scores(tmp_path / "a.parquet", format="wide") == MATRIX


def test_arrays_and_mappings():
    assert read_scores(np.array([[0.1, 0.2]]), measure="AP", name="mine") == ScoreMatrix([[0.1, 0.2]], measure="AP")
    assert read_scores([0.1, 0.2]) == SystemScores([0.1, 0.2])
    assert read_scores({"a": 0.1, "b": 0.2}) == SystemScores([0.1, 0.2], ["a", "b"])
    assert read_scores({"a": {"1": 0.1}, "b": {"2": 0.2}}, on_missing="zero").values.tolist() == [[0.1, 0], [0, 0.2]]
    with pytest.raises(MissingScores):
        read_scores({"a": {"1": 0.1}, "b": {"2": 0.2}})
    with pytest.raises(BadParameter, match="format='wide' is for files and data frames"):
        read_scores([0.1, 0.2], format="wide")
    with pytest.raises(ShapeMismatch):
        read_scores(["a.csv", 0.5])


def test_scores_are_given_back():
    scores = ScoreMatrix([[0.1, 0.2]], measure="map")
    assert read_scores(scores) == scores
    assert read_scores(scores, measure="AP") == scores
    assert read_scores(scores, name="other").name == "other"
    assert read_scores(ScoreMatrix([[0.1]]), measure="AP").measure == "AP"
    assert read_scores(SystemScores([0.1]), measure="AP").measure == "AP"
    with pytest.raises(UnknownMeasure, match=r"<ScoreMatrix>: no measure 'RR'; these are scores of 'map'"):
        read_scores(scores, measure="RR")


@pytest.fixture
def without_polars(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    monkeypatch.setattr(results, "find_spec", lambda name: None)


def test_frames_are_those_of_pandas_where_polars_is_not_installed(without_polars):
    frame = results.data_frame({"system": ["a"], "score": [0.5]})
    assert isinstance(frame, pd.DataFrame)
    assert frame.to_dict("list") == {"system": ["a"], "score": [0.5]}


def test_without_polars_and_pandas_the_error_names_what_to_install(without_polars, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(BadParameter, match=r"pip install 'rankscope\[frames\]'"):
        results.data_frame({"system": ["a"]})


def test_parquet_without_polars(without_polars, tmp_path):
    with pytest.raises(UnwritableOutput, match=r"scores.parquet: Parquet needs polars: pip install"):
        rs.write_scores(rs.ScoreMatrix([[0.1, 0.2]]), tmp_path / "scores.parquet")
    (tmp_path / "other.parquet").write_bytes(b"PAR1 and so on PAR1")
    with pytest.raises(UnreadableFile, match=r"other.parquet: Parquet needs polars: pip install"):
        read_scores(tmp_path / "other.parquet")
