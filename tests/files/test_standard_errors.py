"""Columns of standard errors beside the scores of a leaderboard."""

import numpy as np
import pytest

import rankscope as rs
from narrowing import errors_of

NAN = float("nan")


def written(tmp_path, text):
    path = tmp_path / "board.csv"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("header", "measure", "expected"),
    [
        ("model,acc,stderr", None, [0.01, 0.02]),
        ("model,acc,SE", "acc", [0.01, 0.02]),
        ("model,acc,acc_stderr", None, [0.01, 0.02]),
        ('model,"acc,none","acc_stderr,none"', "acc,none", [0.01, 0.02]),  # lm-evaluation-harness
        ("model,acc,acc_se", None, [0.01, 0.02]),
        ("model,acc,Std. Error", None, [0.01, 0.02]),
        (",win_rate,standard_error", None, [0.01, 0.02]),  # AlpacaEval
        ("model,acc,note", "acc", None),
        ("model,bleu_fi,bleu_se", "bleu_fi", None),  # Finnish and Swedish
    ],
)
def test_which_headers_are_standard_errors(tmp_path, header, measure, expected):
    board = rs.read_scores(written(tmp_path, f"{header}\na,0.5,0.01\nb,0.4,0.02\n"), measure=measure)
    np.testing.assert_array_equal(board.values, [0.5, 0.4])
    if expected is None:
        assert isinstance(board, rs.SystemScores)
        assert board.standard_errors is None
    else:
        np.testing.assert_array_equal(errors_of(board), expected)


ALPACA = """,win_rate,standard_error,n_total,mode,length_controlled_winrate,lc_standard_error
a,70.5,1.5,805,minimal,60.5,0.3
b,50.0,0.0,805,community,50.0,
"""


def test_each_score_has_its_own_errors_and_errors_are_no_measure(tmp_path):
    path = written(tmp_path, ALPACA)
    np.testing.assert_array_equal(errors_of(rs.read_scores(path, measure="win_rate")), [1.5, 0.0])
    lc = rs.read_scores(path, measure="length_controlled_winrate")
    np.testing.assert_array_equal(errors_of(lc), [0.3, NAN])
    with pytest.raises(rs.AmbiguousMeasure, match="3 measures and none chosen"):
        rs.read_scores(path)


def test_errors_in_a_long_table_are_those_of_the_chosen_measure(tmp_path):
    rows = "a,acc,0.5,0.01\nb,acc,0.4,0.02\na,f1,0.7,0.03\nb,f1,0.6,\n"
    path = written(tmp_path, f"model,metric,value,stderr\n{rows}")
    np.testing.assert_array_equal(errors_of(rs.read_scores(path, measure="f1")), [0.03, NAN])


def test_a_named_column(tmp_path):
    path = written(tmp_path, "model,acc,f1,spread\na,0.5,0.7,0.01\nb,0.4,0.6,0.02\n")
    board = rs.read_scores(path, measure="acc", columns={"error": "spread"})
    np.testing.assert_array_equal(errors_of(board), [0.01, 0.02])
    by_names = rs.read_scores(path, columns={"system": "model", "score": "acc", "error": "spread"})
    assert by_names == board
    ranked = rs.rank(board, resamples=100)
    given = rs.rank(rs.SystemScores(board.values, board.systems), standard_errors=[0.01, 0.02], resamples=100)
    assert [s.interval for s in ranked.leaderboards[0].systems] == [s.interval for s in given.leaderboards[0].systems]


def test_errors_that_cannot_be(tmp_path):
    with pytest.raises(rs.NotANumber, match=r"board.csv:3: -1 in column 'stderr'"):
        rs.read_scores(written(tmp_path, "model,acc,stderr\na,0.5,0.1\nb,0.4,-1\n"))
    path = written(tmp_path, "topic,a,b\n1,0.5,0.1\n2,0.4,0.1\n")
    with pytest.raises(rs.UnrecognisedFormat, match="scores by topic have errors of their own"):
        rs.read_scores(path, columns={"error": "b"})


def test_a_system_without_an_error_is_named(tmp_path):
    with pytest.raises(rs.MissingScores, match="1 systems have no standard error: b"):
        rs.rank(written(tmp_path, "model,acc,stderr\na,0.5,0.1\nb,0.4,\n"))


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.jsonl", "x.parquet"])
@pytest.mark.parametrize("measure", ["acc", "stderr", "standard_error", None])
def test_written_errors_read_back(tmp_path, name, measure):
    board = rs.SystemScores([0.5, NAN], ["a", "b"], measure=measure, standard_errors=[NAN, 0.25])
    rs.write_scores(board, tmp_path / name)
    assert rs.read_scores(tmp_path / name, on_missing="keep") == board
