"""The real files under shared/data, which are read and never copied."""

import ast
import subprocess
import sys

import numpy as np
import pytest

from narrowing import by_topic
from rankscope.errors import AmbiguousMeasure, UnrecognisedFormat
from rankscope.files import read_scores
from rankscope.scores import ScoreMatrix, SystemScores


@pytest.mark.parametrize(
    ("path", "topics", "systems", "named"),
    [
        ("trec5/adhoc5_ap.csv", 50, 61, False),
        ("trec5/adhoc5_rr.csv", 50, 61, False),
        ("urbano2016/adhoc6.csv", 50, 74, False),
        ("urbano2016/adhoc7.csv", 50, 103, False),
        ("robust2004/robust2004_ap.csv", 249, 110, True),
        ("robust2004/robust2004_p10.csv", 249, 110, True),
        ("web2012/web2012_ndcg20.csv", 50, 48, False),
    ],
)
def test_score_tables(data, path, topics, systems, named):
    """Sizes from shared/data/README.md; values against numpy's own reader."""
    scores = read_scores(data / path)
    assert isinstance(scores, ScoreMatrix)
    assert scores.values.shape == (topics, systems)
    assert scores.topics_named is named
    plain = np.loadtxt(data / path, delimiter=",", skiprows=1)
    assert np.array_equal(scores.values, plain[:, 1:] if named else plain)


def test_robust_topics(data):
    assert by_topic(read_scores(data / "robust2004/robust2004_ap.csv")).topics[:2] == ("301", "302")


def test_covid_leaderboard(data):
    path = data / "covid1/leaderboard.csv"
    scores = read_scores(path, measure="nDCG@10")
    assert isinstance(scores, SystemScores)
    assert len(scores.systems) == 143
    assert dict(zip(scores.systems, scores.values, strict=True))["BBGhelani1"] == 0.6689
    with pytest.raises(AmbiguousMeasure, match=r"5 measures and none chosen: ndcg@10, p@5, RBP\(p=.5\), bpref, MAP"):
        read_scores(path)


def test_leaderboards_of_numbers(data):
    scores = read_scores(data / "gupta2019/result_wt2012.csv", format="leaderboard", measure="P_10all")
    assert len(scores.systems) == 48
    assert scores.values[0] == 0.26


@pytest.mark.parametrize("path", ["covid1/qrels.txt", "dl19/qrels.human.txt", "dl19/runs"])
def test_runs_and_judgments_are_told_as_such(data, path):
    with pytest.raises(UnrecognisedFormat, match=r"evaluate"):
        read_scores(data / path)


def test_ir_measures_itself(data, tmp_path):
    pytest.importorskip("ir_measures", reason="ir_measures is not installed")
    if not hasattr(ast, "Num"):
        pytest.skip("ir_measures' own command needs ast.Num, which Python 3.14 dropped")
    run = sorted((data / "dl19/runs").iterdir())[0]
    command = [sys.executable, "-m", "ir_measures", str(data / "dl19/qrels.human.txt"), str(run), "nDCG@10 P@5"]
    for name, options in (("q.txt", ["-q"]), ("a.txt", []), ("q.jsonl", ["-q", "-o", "jsonl"])):
        (tmp_path / name).write_bytes(subprocess.run([*command, *options], capture_output=True, check=True).stdout)
    rounded = by_topic(read_scores(tmp_path / "q.txt", measure="nDCG@10"))
    assert rounded.values.shape == (43, 1)
    assert read_scores(tmp_path / "a.txt", measure="nDCG@10").values[0] == pytest.approx(rounded.means[0], abs=1e-4)
    exact = by_topic(read_scores(tmp_path / "q.jsonl", measure="nDCG@10")).select(topics=rounded.topics)
    assert np.allclose(exact.values, rounded.values, atol=5e-5)


def test_importing_files_is_light():
    heavy = ("polars", "pandas", "pyarrow", "narwhals", "zstandard")
    code = f"import rankscope.files, sys; print(*[name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == ""
