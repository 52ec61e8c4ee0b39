"""Nulls of many baselines: one command, kept files that load again."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import rankscope as rs
from rankscope.cli import main
from rankscope.demo import demo_scores
from rankscope.studies.null_table import null_table


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in").mkdir()
    for name, scores in demo_scores(systems_per_family=2, topics=12).items():
        rs.write_scores(scores, tmp_path / "in" / f"{name}.csv")
    return tmp_path


def test_the_command_keeps_nulls_that_load_again(folder):
    words = ["nulls", str(folder / "in"), "--folder", str(folder / "out"), "--resamples", "199", "--format", "json"]
    done = CliRunner().invoke(main, words, catch_exceptions=False)
    assert done.exit_code == 0
    assert set(json.loads(done.stdout)["nulls"]) == {"human", "careful", "lenient", "partial"}
    human = rs.read_scores(folder / "in" / "human.csv")
    null = rs.RankDistanceNull.load(folder / "out" / "human.npz")
    estimate = rs.read_scores(folder / "in" / "careful.csv")
    test = rs.rank_distance_test(human, estimate, null=null)
    assert test.pvalue == rs.rank_distance_test(human, estimate, resamples=199).pvalue
    with pytest.raises(rs.RankscopeError, match="baseline"):
        rs.rank_distance_test(estimate, human, null=null)


def test_the_table_has_critical_values(folder):
    made = null_table([folder / "in" / "human.csv"], resamples=199, levels=(0.1, 0.05))
    (row,) = made.table().rows
    assert row[:3] == ("human", 8, 12)
    assert row[3] <= row[4]
    assert np.isfinite(row[4])


def test_what_cannot_be_a_baseline(folder, tmp_path):
    with pytest.raises(rs.MissingScores, match="the null of board is made by resampling topics"):
        null_table({"board": {"a": 1.0, "b": 2.0}})
    with pytest.raises(rs.BadParameter, match="there are no scores"):
        null_table([])
    (tmp_path / "again").mkdir()
    with pytest.raises(
        rs.BadParameter, match=r"two score tables are called 'human' .*in/human\.csv and .*again/human\.csv"
    ):
        null_table([folder / "in" / "human.csv", tmp_path / "again" / "human.csv"])
