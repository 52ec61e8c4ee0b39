"""What fuzzing found, and what people hand over by mistake: each an error that says what to do."""

import io
import json
import zipfile
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import rankscope as rs
from narrowing import by_topic
from rankscope.files.archives import BrokenArchive, read_archive
from rankscope.files.checkpoints import Checkpoint
from rankscope.files.groups import read_groups
from rankscope.measure_table import read_measures


def _npz(path, **members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    return path


def _npy(content, **changed):
    data = io.BytesIO()
    np.save(data, np.array(content))
    raw = data.getvalue()
    for old, new in changed.items():
        raw = raw.replace(old.encode(), new.encode())
    return raw


def _noted(path, columns, **notes):
    data = io.BytesIO()
    pl.DataFrame(columns).write_parquet(data, metadata={key: json.dumps(note) for key, note in notes.items()})
    path.write_bytes(data.getvalue())
    return path


def test_a_groups_file_of_separators_is_empty(file):
    with pytest.raises(rs.EmptyFile, match="the file is empty"):
        read_groups(file("\x1c"))


def test_a_run_of_text_rows_only(file):
    path = file("runid\tall\tbm25\nmap\t301\t0.25\nmap\tall\t0.25\nrunid\tall\tdense\n")
    with pytest.raises(rs.RankscopeError, match="no scores here, only rows of text"):
        read_measures(path)


NOTE = {"kind": "topics × systems", "measure": "AP", "systems_named": True, "topics_named": True}


@pytest.mark.parametrize(
    ("columns", "note", "message"),
    [
        ({"topic": ["301"]}, NOTE, "does not suit its columns"),
        ({"topic": ["301"], "a": [0.5]}, {**NOTE, "measure": ["AP"]}, "does not suit its columns"),
        ({"system": ["a"], "x": [0.5], "y": [0.25]}, {**NOTE, "kind": "leaderboard"}, "does not suit its columns"),
        ({"topic": ["301"], "a": ["much"]}, NOTE, "row 1: 'much' in column 'a' is not a number"),
    ],
)
def test_a_parquet_file_whose_note_does_not_suit(tmp_path, columns, note, message):
    with pytest.raises(rs.RankscopeError, match=message):
        rs.read_scores(_noted(tmp_path / "a.parquet", columns, rankscope=note))


@pytest.mark.parametrize(
    "index",
    [
        {"start": 1, "stop": 10**30, "step": 1},
        {"start": 1, "stop": 2, "step": 1},
        {"start": 1, "stop": 3, "step": 0},
        {"start": "1", "stop": 3, "step": 1},
        {"start": 1},
    ],
)
def test_a_pandas_index_that_does_not_suit_the_rows(tmp_path, index):
    note = {"index_columns": [{"kind": "range", "name": None, **index}]}
    path = _noted(tmp_path / "a.parquet", {"a": [0.5, 0.25], "b": [0.1, 0.2]}, pandas=note)
    with pytest.raises(rs.UnreadableFile, match="pandas' note on the index does not suit the rows"):
        rs.read_scores(path)


def test_a_pandas_index_that_suits(tmp_path):
    note = {"index_columns": [{"kind": "range", "name": None, "start": 301, "stop": 303, "step": 1}]}
    path = _noted(tmp_path / "a.parquet", {"a": [0.5, 0.25], "b": [0.1, 0.2]}, pandas=note)
    assert by_topic(rs.read_scores(path)).topics == ("301", "302")


NOT_CHARACTERS = _npy("x")[:-4] + (0x08000078).to_bytes(4, "little")


@pytest.mark.parametrize(
    "members",
    [
        {"distances": _npy([0.5], **{"(1,)": "(9,)"}), "metadata": _npy("{}")},
        {"distances": _npy([0.5, 0.25], **{"(2,)": "(10**12,)"}), "metadata": _npy("{}")},
        {"distances": _npy(["0.5"]), "metadata": _npy("{}")},
        {"distances": NOT_CHARACTERS, "metadata": _npy("{}")},
        {"distances": _npy([0.5]), "metadata": NOT_CHARACTERS},
        {"distances": _npy([0.5]), "metadata": _npy("[" * 100_000)},
        {"distances": b"", "metadata": _npy("{}")},
        {"distances": _npy([0.5], **{"<f8": "a8 "}), "metadata": _npy("{}")},  # numpy warns
        {"distances": _npy([0.5], **{"<f8": "<f3"}), "metadata": _npy("{}")},
        {"distances": _npy([0.5], **{"'<f8'": "[('x',"}), "metadata": _npy("{}")},
        {"distances": _npy([0.5]), "metadata": _npy("x", **{"<U1": "<U9"})},
        {"metadata": _npy("{}")},
    ],
)
def test_a_null_that_is_damaged_inside(tmp_path, members):
    with pytest.raises(rs.RankscopeError, match="not a null distribution saved by rankscope"):
        rs.RankDistanceNull.load(_npz(tmp_path / "a.npz", **members))


def test_a_header_may_not_ask_for_all_memory(tmp_path):
    huge = _npy([0.5]).replace(b"(1,), }" + b" " * 14, b"(99999999999999,), } ")
    assert b"99999999999999" in huge
    with pytest.raises(BrokenArchive, match="does not hold what its header says"):
        read_archive(_npz(tmp_path / "a.npz", values=huge), ["values"])


def test_a_checkpoint_that_is_damaged_inside_is_made_again(tmp_path):
    kept = Checkpoint.open(tmp_path / "kept", {"seed": 1})
    for values in (_npy(["x"]), b"", _npy([0.5])[:-3]):
        _npz(tmp_path / "kept" / "first.npz", values=values, fingerprint=_npy(kept.fingerprint))
        assert kept.load("first", (1,)) is None
    _npz(tmp_path / "kept" / "first.npz", values=_npy([0.5]), fingerprint=NOT_CHARACTERS)
    assert kept.load("first", (1,)) is None


def test_a_block_of_another_shape_is_refused(tmp_path):
    kept = Checkpoint.open(tmp_path / "kept", {"seed": 1})
    for values in (np.zeros(3), np.zeros((2, 1)), np.zeros(()), np.zeros(0)):
        kept.save("first", values)
        with pytest.raises(rs.MismatchedCheckpoint, match=r"first\.npz: this block has shape .*; remove the file"):
            kept.load("first", (2,))


def _described(**changes):
    whole = {
        "kind": "rankscope null distribution",
        "version": 1,
        "statistic": "d_rank",
        "resamples": 3,
        "ridge": 0.0,
        "seed": 0,
        "systems": 4,
        "topics": 9,
        "baseline": "0" * 64,
        **changes,
    }
    return _npy(json.dumps(whole).replace('"huge"', "1e999"))


def test_a_null_as_it_should_be(tmp_path):
    path = _npz(tmp_path / "a.npz", distances=_npy([0.0, 0.5, np.inf]), metadata=_described())
    assert rs.RankDistanceNull.load(path).pvalue(0.5) == 0.75


@pytest.mark.parametrize("distances", [[0.7, 0.5, 0.1], [0.1, 0.5, 0.3], [-0.1, 0.5, 0.7], [0.1, np.nan, 0.7], []])
def test_a_null_whose_distances_are_out_of_order_is_refused(tmp_path, distances):
    path = _npz(tmp_path / "a.npz", distances=_npy(distances), metadata=_described(resamples=len(distances)))
    with pytest.raises(rs.UnrecognisedFormat, match=r"0 or more, in ascending order.*; make it again"):
        rs.RankDistanceNull.load(path)


@pytest.mark.parametrize("field", ["seed", "systems", "topics", "ridge", "baseline", "resamples"])
@pytest.mark.parametrize("value", ["huge", "x", True, [], {}, -1.5])
def test_a_null_whose_description_is_wrong_is_refused(tmp_path, field, value):
    if field == "baseline" and value == "x":
        return  # a text, which is compared with the baseline's hash when the null is used
    path = _npz(tmp_path / "a.npz", distances=_npy([0.1, 0.5, 0.7]), metadata=_described(**{field: value}))
    with pytest.raises(rs.UnrecognisedFormat, match="make it again"):
        rs.RankDistanceNull.load(path)


def test_a_null_made_in_python_is_checked_too(tmp_path):
    null = rs.RankDistanceNull.load(_npz(tmp_path / "a.npz", distances=_npy([0.1, 0.5, 0.7]), metadata=_described()))
    with pytest.raises(rs.BadParameter, match="ascending order"):
        replace(null, distances=null.distances[::-1])


def test_a_head_nested_without_end(tmp_path):
    (tmp_path / "study.json").write_text("[" * 100_000)
    with pytest.raises(rs.RankscopeError, match="not a checkpoint of rankscope"):
        Checkpoint.open(tmp_path, {"seed": 1})


def test_a_folder_in_place_of_a_file(tmp_path):
    with pytest.raises(rs.UnreadableFile, match=r"this is a folder; give the name of a file in it"):
        rs.read_judgments(tmp_path)


def test_the_same_run_twice(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.run").write_text("1 Q0 d 1 1 x\n")
    with pytest.raises(rs.DuplicateSystem, match=r"a.run: this run is given twice; give it once"):
        rs.read_runs(["a.run", str(tmp_path / "a.run")])


def test_two_columns_without_names_may_begin_with_a_missing_score(file):
    scores = rs.read_scores(file("nan,0.5\n0.0,0.25\n0.0,0.125\n"), on_missing="keep")
    assert isinstance(scores, rs.ScoreMatrix)
    assert scores.values[1:].tolist() == [[0.0, 0.25], [0.0, 0.125]]
    assert np.isnan(scores.values[0, 0])


@pytest.mark.parametrize("measure", [None, "AP"])
def test_a_measure_of_two_lines_is_told_in_one(file, measure):
    path = file('system,"two\nlines",b\nx,0.5,0.25\ny,0.25,0.125\n')
    with pytest.raises(rs.RankscopeError, match=r"'two\\nlines'.*; say ") as caught:
        rs.read_scores(path, measure=measure)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("form", ["leaderboard", "wide", "wide-systems", "long"])
def test_a_first_row_of_scores_is_no_header_where_a_format_is_forced(file, form):
    path = file("bm25,ours,0.5\ndense,theirs,0.25\nmix,ours,0.125\n")
    with pytest.raises(rs.RankscopeError) as caught:
        rs.read_scores(path, format=form)
    assert "scores.csv:1: the first row, 'bm25', 'ours', '0.5', holds scores and not column names" in str(caught.value)


@pytest.mark.parametrize("name", ["0.5", "k1=0.9"])
def test_a_system_may_still_be_called_as_a_number_is(file, name):
    scores = rs.read_scores(file(f"topic,{name},b\nt1,.1,.2\nt2,.3,.4\n"), format="wide")
    assert scores.systems == (name, "b")


def test_a_run_of_text_rows_between_others(file):
    path = file("map\t301\t0.25\nrunid\tall\tbm25\nmap\tall\t0.25\nrunid\tall\tdense\nmap\t301\t0.5\n")
    with pytest.raises(rs.DuplicateScore, match=r"scores.csv:4: a second run begins here"):
        rs.read_scores(path)


@pytest.mark.parametrize("text", ["map\t\t0.25\nP_10\tall\t0.5\n", "\tAP\t0.5\n", "301\tAP\t0.5\n\tAP\t0.25\n"])
@pytest.mark.parametrize("read", [rs.read_scores, read_measures])
def test_a_line_that_has_lost_its_topic(file, read, text):
    with pytest.raises(rs.MissingName, match=r"scores.csv:\d: no topic or no measure in this line"):
        read(file(text))


@pytest.mark.parametrize("form", [None, "wide"])
@pytest.mark.parametrize("text", ["0.1 0.2 1e999 0.5\n", "0.1,x,0.2\n0.3,y,0.4\n"])
def test_a_column_that_is_no_number_is_not_left_out_where_there_is_no_header(file, form, text):
    with pytest.raises(rs.RankscopeError):
        rs.read_scores(file(text), format=form)


def test_a_first_row_of_scores_above_columns_of_both(file):
    path = file("x 0.2 0.3\nabc y 0.6\n1 0.2 0.4\n")
    with pytest.raises(rs.RankscopeError, match="holds scores and not column names"):
        rs.read_scores(path, format="leaderboard")
