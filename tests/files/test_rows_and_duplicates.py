"""Rows chosen by a column, and several scores of a system on a topic."""

from __future__ import annotations

import json
import math
import warnings
from collections import defaultdict
from fractions import Fraction
from itertools import chain
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from narrowing import by_topic
from rankscope.cli import main
from rankscope.files.columns import ColumnRole

RATED = """document,system,dimension,rater,score
d1,M1,fluency,expert1,3
d1,M1,fluency,expert2,4
d1,M1,fluency,llm,5
d1,M2,fluency,expert1,1
d1,M2,fluency,expert2,2
d1,M2,fluency,llm,4
d2,M1,fluency,expert1,2
d2,M1,fluency,expert2,
d2,M1,fluency,llm,1
d2,M2,fluency,expert1,5
d2,M2,fluency,expert2,4
d2,M2,fluency,llm,2
"""
ROLES: dict[ColumnRole, str] = {"topic": "document", "system": "system", "measure": "dimension", "score": "score"}


def _read(path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.RepeatedScores)
        return by_topic(rs.read_scores(path, columns=ROLES, **options))


def test_rows_are_chosen_by_a_column(file):
    path = file(RATED)
    llm = _read(path, where={"rater": "llm"})
    assert llm.values.tolist() == [[5, 4], [1, 2]]
    assert (llm.name, llm.measure) == ("scores.csv:rater=llm", "fluency")
    assert _read(path, where={"Rater": "*1"}).values.tolist() == [[3, 1], [2, 5]]
    assert _read(path, where={"rater": "llm", "document": "d1"}).values.tolist() == [[5, 4]]


def test_a_cell_may_be_what_would_be_a_pattern(file):
    path = file("system,topic,set,score\na,1,x[1],0.5\na,1,x1,0.7\n")
    assert by_topic(rs.read_scores(path, where={"set": "x[1]"})).values.tolist() == [[0.5]]
    assert by_topic(rs.read_scores(path, where={"set": "x?"})).values.tolist() == [[0.7]]


def test_a_column_that_chooses_rows_is_no_score(file):
    wide = file("topic,year,bm25,dense\n1,2019,0.1,0.2\n2,2020,0.3,0.4\n")
    assert by_topic(rs.read_scores(wide, where={"year": "2020"})).values.tolist() == [[0.3, 0.4]]


def test_rows_of_frames_are_chosen(file):
    frame = pd.read_csv(file(RATED))
    assert _read(frame, where={"rater": "llm"}).values.tolist() == [[5, 4], [1, 2]]
    with pytest.raises(rs.NotANumber, match="row 2: 'x' in column 'score'"):
        rs.read_scores(
            pd.DataFrame({"system": ["a", "b", "c"], "kind": ["u", "v", "v"], "score": ["0.5", "x", "0.2"]}),
            where={"kind": "v"},
        )


@pytest.mark.parametrize(
    ("where", "problem"),
    [
        ({"judge": "x"}, "scores.csv:1: no column 'judge' to choose rows by; the columns are 'document', 'system'"),
        ({"rater": "crowd*"}, "no row has 'crowd\\*' in column 'rater', which holds 'expert1', 'expert2', 'llm'"),
        ({"rater": "llm", "score": "3"}, "no row has rater=llm and score=3, though some have each"),
    ],
)
def test_rows_that_cannot_be_chosen(file, where, problem):
    with pytest.raises(rs.UnrecognisedFormat, match=problem):
        rs.read_scores(file(RATED), where=where)


def test_rows_are_not_chosen_without_headers(file):
    with pytest.raises(rs.UnrecognisedFormat, match=r"output of trec_eval has no headers; add some, or leave that out"):
        rs.read_scores(file("map\t1\t0.5\nmap\tall\t0.5\n"), where={"map": "x"})
    with pytest.raises(rs.UnrecognisedFormat, match=r"there is no header; add one"):
        rs.read_scores(file("bm25 0.5\ndense 0.7\n"), where={"map": "x"})
    wrong: list[Any] = [{}, "rater=llm", {"rater": 1}]
    for where in wrong:
        with pytest.raises(rs.BadParameter, match="where="):
            rs.read_scores(file(RATED), where=where)


def test_errors_name_the_line_of_the_file(file):
    path = file(RATED.replace("M2,fluency,llm,2", "M2,fluency,llm,two"))
    with pytest.raises(rs.NotANumber, match=r"scores.csv:13: 'two'"):
        _read(path, where={"rater": "llm"})
    with pytest.raises(rs.MissingScores, match=r"'M1' on topic 'd2' \(line 9\)"):
        _read(file(RATED), where={"rater": "expert2"})


def test_two_scores_are_an_error_that_tells_the_rows_apart(file):
    with pytest.raises(rs.DuplicateScore, match="csv:3: 'M1' has a score on topic 'd1' already, on line 2") as error:
        _read(file(RATED))
    way_out = "differ in 'rater': choose some by that column, where={'rater': 'expert2'} (FILE:rater=expert2), or"
    assert way_out in str(error.value)
    with pytest.raises(rs.DuplicateScore, match=r"or combine them: on_duplicate='mean' \(--on-duplicate mean\)"):
        rs.read_scores(file("system,topic,score\na,1,0.5\na,1,0.5\n"))
    with pytest.raises(
        rs.DuplicateScore, match=r"topic '1' has a row already, on line 2; keep one of them, or combine"
    ):
        rs.read_scores(file("topic,a\n1,0.5\n1,0.5\n"))


def test_several_scores_are_combined_and_counted(file):
    path = file(RATED)
    with pytest.warns(rs.RepeatedScores, match=r"3 of 4 scores were given more than once \(2 rows each\); the mean of"):
        experts = rs.read_scores(path, columns=ROLES, where={"rater": "expert*"}, on_duplicate="mean")
    assert by_topic(experts).values.tolist() == [[3.5, 1.5], [2, 4.5]]
    assert _read(path, on_duplicate="first").values.tolist() == [[3, 1], [2, 5]]
    assert _read(path, on_duplicate="last").values.tolist() == [[5, 4], [1, 2]]
    assert _read(path, on_duplicate="best").values.tolist() == [[5, 4], [2, 5]]
    with pytest.raises(rs.BadParameter, match="on_duplicate"):
        _read(path, on_duplicate="max")


def test_rows_of_wide_tables_are_combined(file):
    with pytest.warns(rs.RepeatedScores, match="2 of 4 scores"):
        scores = by_topic(rs.read_scores(file("topic,a,b\n1,0.5,0.1\n2,1,1\n1,0.7,0.2\n"), on_duplicate="mean"))
    assert scores.topics == ("1", "2")
    assert scores.values.tolist() == [[0.6, 0.15], [1, 1]]


SCORES = st.one_of(st.none(), st.integers(-20, 20).map(lambda n: n / 10))
ROWS = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("123"), SCORES), min_size=1, max_size=12)


def _literal(given_scores: list[float], on_duplicate: str) -> float:
    if not given_scores:
        return math.nan
    if on_duplicate == "mean":
        decimals = [Fraction(str(score)) for score in given_scores]
        return float(sum(decimals) / len(decimals))
    return {"first": given_scores[0], "last": given_scores[-1], "best": max(given_scores)}[on_duplicate]


@given(ROWS, st.sampled_from(["first", "last", "mean", "best"]))
def test_duplicates_as_defined(tmp_path_factory, rows, on_duplicate):
    """Cell by cell, with dicts and fractions; a mean is within rounding of the exact one."""
    path = tmp_path_factory.getbasetemp() / "duplicates.csv"
    lines = [f"{system},{topic},{'' if score is None else score}" for system, topic, score in rows]
    path.write_text("\n".join(["system,topic,score", *lines]), encoding="utf-8")
    cells: dict[tuple[str, str], list[float]] = defaultdict(list)
    for system, topic, score in rows:
        cells[topic, system] += [] if score is None else [score]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.RepeatedScores)
        read = by_topic(rs.read_scores(path, on_duplicate=on_duplicate, on_missing="keep"))
    wanted = [[_literal(cells.get((t, s), []), on_duplicate) for s in read.systems] for t in read.topics]
    assert read.values.ravel().tolist() == pytest.approx(list(chain(*wanted)), nan_ok=True, abs=1e-15)


def test_two_sides_of_one_table_in_the_shell(file):
    path = file(
        "system,topic,rater,score\n"
        + "".join(
            f"s{s},{t},{rater},{(s * t + shift) % 7}\n"
            for s in range(4)
            for t in range(6)
            for shift, rater in enumerate(["expert1", "expert2", "llm"])
        )
    )
    words = ["compare", f"people={path}:rater=expert*", f"machine={path}:rater=llm", "--on-duplicate", "mean"]
    done = CliRunner().invoke(main, [*words, "--resamples", "50", "--format", "json"])
    assert done.exit_code == 0, done.output
    assert "24 of 24 scores were given more than once (2 rows each)" in done.stderr
    assert "machine" in done.stdout
    assert "people" in done.stdout
    done = CliRunner().invoke(main, ["reliability", f"{path}:rater=nobody"])
    assert done.exit_code == 2
    assert "no row has 'nobody' in column 'rater'" in done.stderr


def _rated(file):
    return file(
        "system,topic,dimension,rater,score\n"
        + "".join(
            f"s{s},{t},{dimension},{rater},{(s * t * (factor + 1) + shift) % 7}\n"
            for s in range(4)
            for t in range(6)
            for factor, dimension in enumerate(["fluency", "coherence"])
            for shift, rater in enumerate(["expert1", "expert2", "llm-a", "llm-b", "crowd"])
        )
    )


def test_every_value_of_a_column_is_an_estimate_under_every_measure(file):
    path = _rated(file)
    words = ["compare", f"people={path}:rater=expert*", f"{path}:rater=llm*,each=rater", "--on-duplicate", "mean"]
    words += ["--resamples", "50", "-m", "fluency", "-m", "coherence"]
    done = CliRunner().invoke(main, [*words, "--format", "json"])
    assert done.exit_code == 0, done.output
    answer = json.loads(done.stdout)
    assert [c["truth"]["measure"] for c in answer["comparisons"]] == ["fluency", "coherence"]
    assert [[e["name"] for e in c["estimates"]] for c in answer["comparisons"]] == [["llm-a", "llm-b"]] * 2
    assert [source["role"] for source in answer["settings"]["inputs"]] == ["truth", "estimate"]
    alone = ["compare", f"people={path}:rater=expert*", f"llm-b={path}:rater=llm-b", "--on-duplicate", "mean"]
    one = CliRunner().invoke(main, [*alone, "--resamples", "50", "-m", "coherence", "--format", "json"])
    assert json.loads(one.stdout)["estimates"][0]["systems"] == answer["comparisons"][1]["estimates"][1]["systems"]
    text = CliRunner().invoke(main, words).stdout
    assert text.startswith("2 estimates instead of people: 4 systems on 6 topics")
    assert "By coherence" in text


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("each=nobody", "no column 'nobody' to choose rows by"),
        ("rater=nobody,each=rater", "no row has 'nobody' in column 'rater'"),
    ],
)
def test_what_each_cannot_do(file, source, problem):
    path = _rated(file)
    done = CliRunner().invoke(main, ["compare", f"{path}:rater=crowd", f"{path}:{source}", "-m", "fluency"])
    assert done.exit_code == 2
    assert problem in done.stderr
    done = CliRunner().invoke(main, ["reliability", f"{path}:each=rater", "-m", "fluency"])
    assert done.exit_code == 2
    assert "one table is needed here, without 'each'" in done.stderr


def test_rank_takes_duplicates_of_scores_and_of_runs(file):
    path = file("system,topic,score\n" + "".join(f"s{s},{t},{(s * t) % 5}\n" * 2 for s in range(3) for t in range(5)))
    done = CliRunner().invoke(main, ["rank", str(path), "--on-duplicate", "mean", "--resamples", "50"])
    assert done.exit_code == 0, done.output
    done = CliRunner().invoke(main, ["rank", str(path), "--qrels", str(path), "--on-duplicate", "mean"])
    assert done.exit_code == 2
    assert "--on-duplicate mean is for scores; of runs, choose error, first or best" in done.stderr


def test_summeval_raters(data):
    """τ_b of system means from shared/data/summeval/README.md: gpt-4 against experts."""
    path = data / "summeval/scores.csv.gz"
    published = {"coherence": 0.70, "consistency": 0.71, "fluency": 0.94, "relevance": 0.83}
    for dimension, tau in published.items():
        sides = [_read(path, where={"rater": r}, measure=dimension, on_duplicate="mean") for r in ("expert*", "gpt-4*")]
        assert sides[0].values.shape == (100, 12)
        truth, estimate = (side.means for side in sides)
        assert rs.tau_b(truth, estimate) == pytest.approx(tau, abs=0.005), dimension
