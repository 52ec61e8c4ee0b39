"""Score tables in many dialects, read as pandas and polars read them: every score with its topic and its system."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import assume, given
from hypothesis import strategies as st

import rankscope as rs
from narrowing import by_topic
from rankscope.cli import main
from rankscope.cli.options import COLUMN
from rankscope.files.columns import _WORDS, COLUMN_ROLES, ROLES, ColumnRole, is_label_word, is_summary
from rankscope.files.table import CORNER, is_number

RESERVED = sorted(_WORDS - {"", CORNER})
LETTERS = st.characters(codec="utf-8", exclude_categories=("C", "Z"), exclude_characters="\x1c\x1d\x1e\x1f\x85")
PLAIN = st.text(LETTERS, min_size=1, max_size=6)
SPACED = st.builds("{} {}".format, PLAIN, PLAIN)
NUMBERED = st.sampled_from(["0301", "301", "7", "0.5", "1e5", "2024"])
NAMES = st.one_of(PLAIN, SPACED, NUMBERED, st.sampled_from(RESERVED), st.sampled_from([w.title() for w in RESERVED]))
LABELS = NAMES.filter(lambda name: not is_summary(name))
MISSING = ("", "NA", "NaN", "null", "-")
SCORES = st.one_of(
    st.floats(0, 1).map(repr),
    st.floats(-1e6, 1e6).map("{:.4f}".format),
    st.integers(0, 100).map(str),
    st.sampled_from([*MISSING, "1e-04", "+.5", "5."]),
)


Quoting = Literal[0, 1, 2, 3]
COLUMNS: dict[str, list[ColumnRole]] = {
    "wide": ["topic"],
    "long": ["system", "topic", "score"],
    "leaderboard": ["system", "score"],
}


@dataclass(frozen=True)
class Written:
    """A table as text, what its columns are called by role, and its scores by topic and system as it was made."""

    text: str
    delimiter: str
    columns: dict[ColumnRole, str]
    form: str

    @property
    def encoded(self) -> bytes:
        return self.text.encode()


def _text(rows: list[list[str]], delimiter: str, quoting: Quoting, end: str) -> str:
    # A delimiter of another dialect that stands in every line could be the one: quotes say which it is.
    if any(mark in cell for row in rows for cell in row for mark in ",;\t"):
        quoting = csv.QUOTE_ALL
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator=end).writerows(rows)
    return out.getvalue()


@st.composite
def tables(draw: st.DrawFn, *, any_header: bool) -> Written:
    """A wide or a long table or a leaderboard, under any header or under the usual ones."""
    delimiter = draw(st.sampled_from(",;\t"))
    quotings: list[Quoting] = [csv.QUOTE_MINIMAL, csv.QUOTE_ALL]
    quoting, end = draw(st.sampled_from(quotings)), draw(st.sampled_from(["\n", "\r\n"]))
    form = draw(st.sampled_from(["wide", "long", "leaderboard"]))
    topics = draw(st.lists(LABELS, min_size=1, max_size=4, unique=True))
    roles = COLUMNS[form]
    drawn = st.lists(NAMES, min_size=len(roles), max_size=len(roles), unique=True)
    called: list[str] = draw(drawn) if any_header else [*roles]
    columns = dict(zip(roles, called, strict=True))
    free = LABELS if any_header else LABELS.filter(lambda name: not is_label_word(name))
    systems = draw(st.lists(free, min_size=1, max_size=4, unique=True))
    cells = draw(st.lists(SCORES, min_size=len(topics) * len(systems), max_size=len(topics) * len(systems)))
    scores = dict(zip(itertools.product(topics, systems), cells, strict=True))
    if form == "wide":
        assume(not set(called) & set(systems))
        rows = [[*called, *systems], *([topic, *(scores[topic, one] for one in systems)] for topic in topics)]
    elif form == "long":
        rows = [called, *([one, topic, scores[topic, one]] for topic, one in scores)]
    else:
        rows = [called, *([one, scores[topics[0], one]] for one in systems)]
    assume(any(is_number(cell) for cell in cells[: len(systems)]))
    return Written(_text(rows, delimiter, quoting, end), delimiter, columns, form)


def _frames(written: Written) -> list[list[dict[str, str]]]:
    """The rows as pandas and as polars have them, every cell as text."""
    pandas = pd.read_csv(
        io.StringIO(written.text), sep=written.delimiter, dtype=str, keep_default_na=False, index_col=False
    )
    # In headers polars leaves doubled quotes as they are; in cells it does not.
    frame = pl.read_csv(written.encoded, separator=written.delimiter, infer_schema=False, has_header=False)
    headers, *rows = ([cell or "" for cell in row] for row in frame.rows())
    return [pandas.to_dict("records"), [dict(zip(headers, row, strict=True)) for row in rows]]


def _wanted(rows: list[dict[str, str]], written: Written) -> dict[tuple[str | None, str], float | None]:
    columns = written.columns
    found: dict[tuple[str | None, str], float | None] = {}
    for row in rows:
        topic = row.get(columns.get("topic", ""))
        if written.form == "wide":
            found |= {(topic, system): _number(cell) for system, cell in row.items() if system != columns["topic"]}
        else:
            found[topic, row[columns["system"]]] = _number(row[columns["score"]])
    return found


def _number(cell: str) -> float | None:
    return None if cell in MISSING else float(cell)


def _read(scores: rs.ScoreMatrix | rs.SystemScores) -> dict[tuple[str | None, str], float | None]:
    topics = scores.topics if isinstance(scores, rs.ScoreMatrix) else (None,)
    grid = scores.values.reshape(len(topics), -1)
    return {
        (topic, system): None if math.isnan(value) else value
        for topic, row in zip(topics, grid.tolist(), strict=True)
        for system, value in zip(scores.systems, row, strict=True)
    }


def _check(written: Written, columns: dict[ColumnRole, str] | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.csv")
        path.write_bytes(written.encoded)
        read = _read(rs.read_scores(path, columns=columns, on_missing="keep"))
    for rows in _frames(written):
        assert read == _wanted(rows, written)


@given(tables(any_header=True))
def test_with_named_columns_any_header_is_read_as_pandas_and_polars_read_it(written):
    _check(written, written.columns)


@given(tables(any_header=False))
def test_usual_headers_are_read_as_pandas_and_polars_read_them(written):
    _check(written, None)


# Words of a role as the names of systems, each of which was taken for something else.
MISREAD = {
    "model": "topic,bm25,model\n1,.1,.2\n2,.3,.4\n",
    "value": "topic,measure,value\n1,.1,.2\n2,.3,.4\n",
    "rank": "topic,rank,score\n1,.1,.2\n2,.3,.4\n",
}


@pytest.mark.parametrize("text", MISREAD.values(), ids=MISREAD)
def test_words_with_a_meaning_are_systems_where_the_topic_column_is_named(tmp_path, text):
    path = tmp_path / "table.csv"
    path.write_text(text)
    scores = rs.read_scores(path, columns={"topic": "topic"})
    assert scores.systems == tuple(text.splitlines()[0].split(",")[1:])
    assert scores.values.tolist() == [[0.1, 0.2], [0.3, 0.4]]


def test_a_leaderboard_or_a_wide_table_is_not_the_output_of_a_tool(tmp_path):
    """Found by the tables above: a measure's name in the second field of a header, or a topic of such a name."""
    path = tmp_path / "table.tsv"
    path.write_text("system\tAP\tP@10\nbm25\t.1\t.2\ndense\t.3\t.4\n")
    assert rs.read_scores(path, measure="P@10").values.tolist() == [0.2, 0.4]
    path.write_text("topic\ta\tb\nmap\t.1\t.2\nrunid\t.3\t.4\n")
    assert by_topic(rs.read_scores(path)).topics == ("map", "runid")
    path.write_text("{,a\nx,.1\n")
    assert by_topic(rs.read_scores(path, columns={"topic": "{"})).topics == ("x",)


def test_every_form_of_table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("tag,item,acc,f1\na,x,.1,.9\na,y,.2,.8\nb,x,.3,.7\nb,y,.4,.6\n")
    long = rs.read_scores(path, columns={"system": "tag", "topic": "item", "score": "acc"})
    assert (long.systems, by_topic(long).topics, long.measure) == (("a", "b"), ("x", "y"), "acc")
    assert rs.read_scores(path, columns={"system": "tag", "topic": "item"}, measure="f1").values.tolist() == [
        [0.9, 0.7],
        [0.8, 0.6],
    ]
    path.write_text("what,n,m\na,1,.1\nb,2,.2\n")
    assert rs.read_scores(path, columns={"system": "what", "score": "m"}).values.tolist() == [0.1, 0.2]
    assert by_topic(rs.read_scores(path, columns={"system": "what"}, format="wide-systems")).topics == ("n", "m")
    path.write_text("what,how,m\nx,AP,.1\nx,P@5,.2\n")
    by_measure = rs.read_scores(path, columns={"topic": "what", "measure": "how", "score": "m"}, measure="P@5")
    assert by_measure.values.tolist() == [[0.2]]
    path.write_text("1,2,3\n.1,.2,.3\n.2,.3,.4\n")  # a header that would be none
    assert rs.read_scores(path, columns={"topic": "1"}).systems == ("2", "3")
    path.write_text('{"who": "a", "score": 1}\n{"who": "b", "score": 2}\n')
    assert rs.read_scores(path, columns={"system": "who"}).systems == ("a", "b")
    frame = pd.DataFrame({"model": [0.1, 0.2], "name": [0.3, 0.4]}, index=pd.Index(["x", "y"], name="item"))
    assert rs.read_scores(frame, columns={"topic": "item"}).systems == ("model", "name")


@pytest.mark.parametrize(
    ("columns", "error", "said"),
    [
        ({"topic": "none"}, rs.UnrecognisedFormat, "t.csv:1: no column is called 'none'; the columns are 'topic', 'a'"),
        ({"topic": "topic", "system": "topic"}, rs.BadParameter, "one column has two roles"),
        ({"query": "topic"}, rs.BadParameter, "no role 'query'; there are topic, system, score, measure"),
        ({"score": "a"}, rs.BadParameter, "name the column of topics or of systems too"),
        ({}, rs.BadParameter, "give column names by role"),
        (["topic"], rs.BadParameter, "give column names by role"),
        ({"system": "topic", "measure": "a"}, rs.UnrecognisedFormat, "several columns may hold the scores: 'b', 'c'"),
    ],
)
def test_columns_that_cannot_be(tmp_path, columns, error, said):
    path = tmp_path / "t.csv"
    path.write_text("topic,a,b,c\n1,.1,.2,.3\n")
    with pytest.raises(error, match=said):
        rs.read_scores(path, columns=columns)


def test_columns_and_another_format_or_data_in_memory(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("topic,a\n1,.1\n")
    with pytest.raises(rs.UnrecognisedFormat, match="make it 'wide', and not 'long'; leave the format out"):
        rs.read_scores(path, columns={"topic": "topic"}, format="long")
    with pytest.raises(rs.BadParameter, match="columns are of files and data frames"):
        rs.read_scores({"a": {"1": 0.5}}, columns={"topic": "a"})


def test_the_command_line_has_the_same_roles(tmp_path):
    assert (*COLUMN, "error") == COLUMN_ROLES  # --error-column is of leaderboards alone
    assert set(ROLES) - {"value"} == set(COLUMN_ROLES) - {"score", "error"}
    path = tmp_path / "t.csv"
    path.write_text("topic,bm25,model,name\n1,.1,.2,.3\n2,.3,.4,.1\n3,.2,.2,.2\n")
    quick = {
        "compare": ["compare", str(path), str(path), "-c", "tau_b", "--resamples", "0", "--format", "json"],
        "reliability": ["reliability", str(path), "--resamples", "5", "--format", "json"],
        "simulate": ["simulate", str(path), "--format", "json"],
    }
    for words in quick.values():
        assert CliRunner().invoke(main, words).exit_code == 2  # "model" is taken for the column of systems
        done = CliRunner().invoke(main, [*words, "--topic-column", "topic"], catch_exceptions=False)
        assert done.exit_code == 0, done.stderr
        assert json.loads(done.stdout)
