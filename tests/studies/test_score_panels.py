"""Panels of score tables: several estimates combined into one more."""

from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import oracles_panels as oracle
import rankscope as rs
from rankscope.cli import main
from rankscope.studies.score_panels import SCORE_PANELS, score_panel

SYSTEMS, TOPICS = [f"s{i}" for i in range(8)], [f"t{i}" for i in range(12)]


def table(name: str, noise: float, scale: float = 1.0, **options: Any) -> rs.ScoreMatrix:
    """Scores with errors of their own besides the same true ones."""
    rng = np.random.default_rng(sum(map(ord, name)))
    true = np.linspace(0.2, 0.8, 8) + np.random.default_rng(0).normal(0.0, 0.1, (12, 8))
    return rs.ScoreMatrix(scale * (true + rng.normal(0.0, noise, (12, 8))), SYSTEMS, TOPICS, name=name, **options)


@settings(max_examples=30, deadline=None)
@given(arrays(float, (3, 2, 4), elements=st.integers(-3, 3).map(float)), st.sampled_from(SCORE_PANELS))
def test_panels_are_those_of_the_literal_twin(values, how):
    made = score_panel(how, {str(i): rs.ScoreMatrix(own) for i, own in enumerate(values)}, "panel")
    assert made.values == pytest.approx(np.array(oracle.score_panel(values.tolist(), how)))


def test_a_panel_is_one_more_estimate_whatever_the_scales_of_its_members():
    truth, others = table("truth", 0.0), [table(name, 0.3) for name in ("a", "b", "c")]
    result = rs.compare(truth, *others, panels=["mean", "median", "mean"], resamples=0)
    assert [own.name for own in result.estimates] == ["a", "b", "c", "panel-mean", "panel-median"]
    assert "panel-mean is a panel of 3 estimates (mean): a, b, c" in str(result)
    assert result.settings["panels"]["panel-mean"] == {"how": "mean", "estimates": ["a", "b", "c"]}
    # Another scale, and lower scores that are better, make no difference.
    changed = [others[0], table("b", 0.3, 100.0), table("c", 0.3, -1.0, lower_is_better=True)]
    again = rs.compare(truth, *changed, panels=["mean"], resamples=0)
    assert again.estimates[-1].value("tau_b") == result.estimates[3].value("tau_b")
    taken = rs.compare(truth, others[0].renamed("panel-mean"), others[1], panels=["mean"], resamples=0)
    assert [own.name for own in taken.estimates] == ["panel-mean", "b", "panel-mean (2)"]


def test_what_all_estimates_share():
    truth, a, b = table("truth", 0.0), table("a", 0.3), table("b", 0.3)
    fewer = {"a": a.select(topics=TOPICS[:8]), "b": b.select(topics=TOPICS[4:], systems=SYSTEMS[1:])}
    result = rs.compare(truth, fewer, panels=["mean"], on_missing="intersect", resamples=0)
    assert (result.estimates[-1].topics, len(result.estimates[-1].systems)) == (4, 7)
    fewer["b"] = b.select(topics=TOPICS[8:])
    with pytest.raises(rs.MismatchedNames, match="panel-mean: all estimates share 8 systems and 0 topics"):
        rs.compare(truth, fewer, panels=["mean"], on_missing="intersect", resamples=0)
    with pytest.raises(rs.BadParameter, match="a panel combines several estimates, and there is one"):
        rs.compare(truth, a, panels=["mean"], resamples=0)
    board = {"board": dict(zip(SYSTEMS, range(8), strict=True))}
    with pytest.raises(rs.BadParameter, match="a panel needs means over topics, and board has none"):
        rs.compare(truth, a, board, panels=["median"], resamples=0)
    wrong: Any = ["vote"]
    with pytest.raises(rs.BadParameter, match="panels"):
        rs.compare(truth, a, b, panels=wrong, resamples=0)
    arrays_alone = rs.compare(truth.values, a.values, b.values, panels=["mean"], resamples=0)
    assert arrays_alone.estimates[-1].name == "panel-mean"


def test_on_the_command_line(tmp_path):
    files = []
    for side in (table("truth", 0.0), table("a", 0.3), table("b", 0.3)):
        files.append(str(tmp_path / f"{side.name}.csv"))
        rs.write_scores(side, files[-1])
    done = CliRunner().invoke(main, ["compare", *files, "--panel", "mean", "--panel", "median", "--resamples", "20"])
    assert done.exit_code == 0, done.output
    assert "panel-median is a panel of 2 estimates (median): a.csv, b.csv" in done.stdout
