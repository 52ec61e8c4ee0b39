"""What is long is read in a time that grows with its length, and does not fill the memory."""

import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

import rankscope as rs
from rankscope.files.jsonl import read_jsonl
from rankscope.names import parse

LONG = 100_000


@contextmanager
def within(seconds):
    """Fail beyond so much of the processor's time, however busy the machine is: many times what a linear way takes."""
    begin = time.process_time()
    yield
    assert time.process_time() - begin < seconds


@pytest.mark.parametrize(
    "name",
    [
        "a" + " " * LONG + "x",
        " " * LONG + "!",
        "a(" + " " * LONG + ")x",
        "a" + ")" * LONG,
        "a(" + ") " * LONG,
        "a(p=" + "x" * LONG + "'",
        "a(p='" + "\\" * LONG,
        "a@" + " " * LONG,
    ],
)
def test_names_that_are_none(name):
    with within(5), pytest.raises(rs.UnknownName):
        parse(name)


def test_names_with_many_parameters():
    with within(5):
        assert len(parse("a(" + ", ".join(f"p{i}=1" for i in range(LONG // 5)) + " )").parameters) == LONG // 5


@pytest.mark.parametrize("text", ["AP" + "," * LONG + ")", "AP" + " " * LONG + "x)", "AP(" + " ," * LONG])
def test_measures_that_are_none(text):
    with within(5), pytest.raises(rs.RankscopeError):
        rs.parse_measures(text)


def test_an_unknown_coefficient_on_the_command_line(tmp_path):
    (tmp_path / "t.csv").write_text("topic,a,b\n1,.1,.2\n2,.2,.3\n")
    words = [sys.executable, "-m", "rankscope", "compare", "t.csv", "t.csv", "-c", "tau_ap" + " " * LONG + "x"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=30)
    assert done.returncode == 2
    assert "is not a name" in done.stderr


def test_a_header_that_may_be_a_measure(tmp_path):
    (tmp_path / "t.csv").write_text(f"system,AP{' ' * LONG}x\nbm25,.1\ndense,.2\n")
    with within(5):
        assert rs.read_scores(tmp_path / "t.csv").systems == ("bm25", "dense")


def test_a_key_twice_among_many():
    pairs = ",".join(f'"k{i}":1' for i in range(LONG))
    with within(10), pytest.raises(rs.DuplicateScore, match="'k99999' appears twice"):
        read_jsonl(f'{{{pairs},"k{LONG - 1}":1}}', "x.jsonl")


def test_rows_without_a_common_key_do_not_fill_the_memory():
    with within(10), pytest.raises(rs.UnrecognisedFormat, match=r"different keys in .* rows, .*; write rows with"):
        read_jsonl("\n".join(f'{{"k{i}":1}}' for i in range(LONG)), "x.jsonl")


@pytest.mark.slow
def test_a_frame_of_many_columns_with_an_index():
    index = pd.Index(["1", "2"], name="topic")
    frame = pd.DataFrame(np.ones((2, LONG)), columns=[f"s{i}" for i in range(LONG)], index=index)
    with within(30):
        assert rs.read_scores(frame).values.shape == (2, LONG)


def test_a_table_of_many_columns(tmp_path):
    names = ",".join(f"s{i}" for i in range(LONG))
    (tmp_path / "w.csv").write_text(f"topic,{names}\n1{',.5' * LONG}\n2{',.25' * (LONG - 1)},\n")
    with within(20):
        scores = rs.read_scores(tmp_path / "w.csv", on_missing="keep")
    assert scores.values[:, -2:].tolist()[0] == [0.5, 0.5]
    assert scores.values[1, -2] == 0.25
    assert np.isnan(scores.values[1, -1])


def test_a_table_of_too_many_columns_is_refused(tmp_path):
    (tmp_path / "w.csv").write_text("," * 3_000_000 + "\n" + "," * 3_000_000 + "\n")
    with within(20), pytest.raises(rs.UnrecognisedFormat, match=r"3,000,001 columns, .*; write one score per row"):
        rs.read_scores(tmp_path / "w.csv")
