"""What is written reads back as the very same scores, whatever they are called."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankscope.errors import BadParameter, UnwritableOutput
from rankscope.files import read_scores, write_scores
from rankscope.files.columns import LABEL, MEASURE, RANK, SYSTEM, TOPIC, VALUE
from rankscope.files.table import CORNER
from rankscope.scores import ScoreMatrix, SystemScores

HOSTILE = [
    "a,b",
    "a;b",
    "a\tb",
    'say "hi"',
    '"',
    "two\nlines",
    "\r\n",
    "\r",
    " ",
    " before",
    "behind ",
    "\t",
    "<script>alert(1)</script>",
    "Ünïcödé",
    "日本",
    "💥",
    "x" * 5000,
    "NA",
    "nan",
    "-",
    "null",
    "None",
    "1",
    "0.5",
    "1e5",
    "0301",
    "inf",
    "{",
    "[",
    "#",
    "'",
    "\\",
    "\ufeff",
    "\x85",
    "\u2028",
    "\x01",
    "runid",
    "map",
    "Q0",
    "=1+1",
    "__index_level_0__",
    *SYSTEM,
    *TOPIC,
    *MEASURE,
    *VALUE,
    *LABEL[1:],
    *RANK,
    CORNER,
]
WIDE = ("scores.csv", "scores.tsv", "scores.parquet")
LONG = (("scores.csv", "long"), ("scores.tsv", "long"), ("scores.jsonl", None))

names = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8),
)
topic_names = names.filter(lambda name: name.lower() not in ("all", "amean"))
numbers = st.one_of(st.floats(allow_nan=True, allow_infinity=False), st.sampled_from([0.0, 1.0, 0.1, 5e-324, 1e308]))


@st.composite
def matrices(draw, *, named=None, measured=False):
    systems = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    topics = draw(st.lists(topic_names, min_size=1, max_size=4, unique=True))
    values = draw(st.lists(numbers, min_size=len(systems) * len(topics), max_size=len(systems) * len(topics)))
    if named is None and draw(st.booleans()):
        systems_given, topics_given = draw(st.sampled_from([(systems, None), (None, topics), (None, None)]))
    else:
        systems_given, topics_given = systems, topics
    measure = draw(st.one_of(st.none(), names)) if measured else None
    table = np.array(values).reshape(len(topics), len(systems))
    return ScoreMatrix(table, systems_given, topics_given, measure=measure)


@st.composite
def leaderboards(draw, *, named=None):
    systems = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    values = draw(st.lists(numbers, min_size=len(systems), max_size=len(systems)))
    given_names = systems if named or draw(st.booleans()) else None
    return SystemScores(values, given_names, measure=draw(st.one_of(st.none(), names)))


quick = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def back(scores, path, form=None):
    write_scores(scores, path, format=form)
    return read_scores(path, on_missing="keep")


@quick
@given(scores=matrices())
@pytest.mark.parametrize("name", WIDE)
def test_wide(tmp_path, name, scores):
    assert back(scores, tmp_path / name) == scores


@quick
@given(scores=matrices(measured=True))
def test_parquet_keeps_the_measure(tmp_path, scores):
    assert back(scores, tmp_path / "scores.parquet") == scores


@quick
@given(scores=matrices(named=True, measured=True))
@pytest.mark.parametrize(("name", "form"), LONG)
def test_long(tmp_path, name, form, scores):
    assert back(scores, tmp_path / name, form) == scores


@quick
@given(scores=leaderboards())
@pytest.mark.parametrize("name", WIDE)
def test_leaderboard(tmp_path, name, scores):
    assert back(scores, tmp_path / name) == scores


@quick
@given(scores=leaderboards(named=True))
@pytest.mark.parametrize(("name", "form"), LONG)
def test_long_leaderboard(tmp_path, name, form, scores):
    assert back(scores, tmp_path / name, form) == scores


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("file", ["scores.csv", "scores.tsv", "scores.jsonl", "scores.parquet"])
def test_each_hostile_name(tmp_path, name, file):
    for systems, topics in (([name, "other"], ["1", "2"]), (["a", "b"], [name, "other"]), ([name, "b"], [name, "x"])):
        scores = ScoreMatrix([[0.25, 0.5], [0.125, 1.0]], systems, topics)
        assert back(scores, tmp_path / file) == scores
    for scores in (ScoreMatrix([[0.25]], [name], ["301"]), ScoreMatrix([[0.25]], ["bm25"], [name])):
        assert back(scores, tmp_path / file) == scores
    leaderboard = SystemScores([0.25, 0.5], [name, "other"], measure=name)
    assert back(leaderboard, tmp_path / file) == leaderboard


@pytest.mark.parametrize("ending", ["", ".gz", ".bz2", ".zst"])
@pytest.mark.parametrize("name", ["scores.csv", "scores.tsv", "scores.jsonl", "scores.parquet"])
def test_compression(tmp_path, name, ending):
    scores = ScoreMatrix([[0.1, 0.2], [0.3, 0.4]], ["bm25", "dense"], ["301", "302"])
    path = tmp_path / f"{name}{ending}"
    assert back(scores, path) == scores
    other = tmp_path / "content decides"
    path.rename(other)
    assert read_scores(other) == scores


def test_the_same_scores_give_the_same_bytes(tmp_path):
    scores = SystemScores([0.1, 0.2], ["bm25", "dense"])
    for name in ("a.csv.gz", "b.csv.gz"):
        write_scores(scores, tmp_path / name)
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()


def test_what_the_files_look_like(tmp_path):
    scores = ScoreMatrix([[0.1, float("nan")]], ["bm25", "dense"], ["301"], measure="AP")
    write_scores(scores, tmp_path / "wide.csv")
    assert (tmp_path / "wide.csv").read_text() == '"topic","bm25","dense"\n"301",0.1,nan\n'
    write_scores(scores, tmp_path / "long.tsv", format="long")
    assert (tmp_path / "long.tsv").read_text().splitlines()[:2] == [
        '"system"\t"topic"\t"measure"\t"value"',
        '"bm25"\t"301"\t"AP"\t0.1',
    ]
    write_scores(scores, tmp_path / "long.jsonl")
    assert (tmp_path / "long.jsonl").read_text().splitlines()[1] == (
        '{"system": "dense", "topic": "301", "measure": "AP", "value": null}'
    )
    write_scores(ScoreMatrix([[0.5]], ["name"], ["301"]), tmp_path / "corner.csv")
    assert (tmp_path / "corner.csv").read_text() == '"topic\\system","name"\n"301",0.5\n'


@pytest.mark.parametrize(
    ("scores", "name", "form", "message"),
    [
        (SystemScores([]), "a.csv", None, "no scores to write"),
        (SystemScores([0.1], [""]), "a.csv", None, "'' cannot be written as a name"),
        (SystemScores([0.1], ["a\0"]), "a.csv", None, "cannot be written as a name"),
        (SystemScores([0.1], ["\ud800"]), "a.jsonl", None, "cannot be written as a name"),
        (ScoreMatrix([[0.1]], ["a"], ["All"]), "a.csv", None, "'All' would be read as the summary.*rename it"),
        (ScoreMatrix([[0.1]], None, ["1"]), "a.jsonl", None, "these systems have none; write .csv or .parquet"),
        (ScoreMatrix([[0.1]], ["a"]), "a.csv", "long", "these topics have none"),
        (ScoreMatrix([[0.1]]), "a.xlsx", None, "'.xlsx' says no format; use .csv, .tsv, .jsonl, .parquet"),
        (ScoreMatrix([[0.1]]), "a.gz", None, "'' says no format"),
        (ScoreMatrix([[0.1]]), "a.csv", "parquet", "scores by topic as .csv cannot be 'parquet'; use format='wide'"),
        (SystemScores([0.1]), "a.csv", "wide", "a leaderboard as .csv cannot be 'wide'; use format='leaderboard'"),
    ],
)
def test_what_cannot_be_written(tmp_path, scores, name, form, message):
    with pytest.raises(UnwritableOutput, match=rf"{name}: .*{message}"):
        write_scores(scores, tmp_path / name, format=form)
    assert not list(tmp_path.iterdir())


def test_an_unknown_format(tmp_path):
    wrong: Any = "excel"
    with pytest.raises(BadParameter, match="one of wide, long, leaderboard, parquet"):
        write_scores(SystemScores([0.1]), tmp_path / "a.csv", format=wrong)
