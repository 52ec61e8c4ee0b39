"""Studies of panels, repeats and profiles in blocks: the same numbers for any workers, and from a checkpoint."""

from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import rankscope as rs
from rankscope.cli import main

TRACK = rs.simulate_track(5, 6, depth=15, rng=2)


def judges():
    rng = np.random.default_rng(4)
    grades = TRACK.truth.grades
    wrong = [np.where(rng.random(len(grades)) < 0.3, rng.integers(0, 4, len(grades)), grades) for _ in "abc"]
    return {name: TRACK.truth.with_grades(own) for name, own in zip(("../a", "b", "c\n"), wrong, strict=True)}


def panel(**options: Any):
    return rs.study_panel(TRACK.runs, TRACK.truth, judges(), ["AP"], panels=["mean", "weighted"], **options)


def repeats(**options: Any):
    own = {"../llm": list(judges().values())}
    return rs.study_repeats(own, TRACK.truth, runs=TRACK.runs, measures=["AP"], **{"draws": 600, **options})


def profiles(**options: Any):
    scores = rs.ScoreMatrix(np.random.default_rng(1).normal(size=(8, 43)))
    return rs.study_profiles(scores, **{"draws": 600, **options})


STUDIES = {
    "panel": (panel, "panel_blocks.PanelBlock", {"rng": 1}),
    "repeats": (repeats, "repeat_blocks.ExchangeBlock", {"draws": 500}),
    "profiles": (profiles, "profiles.ProfileBlock", {"rng": 1}),
}


@pytest.mark.parametrize("name", STUDIES)
def test_a_seed_gives_the_same_for_any_number_of_jobs_and_from_a_checkpoint(name, tmp_path, monkeypatch):
    study, block, other = STUDIES[name]
    whole, seen = study(jobs=1), []
    again = study(jobs=3, checkpoint=tmp_path, progress=lambda *done: seen.append(done))
    assert again.to_json() == whole.to_json()
    assert seen[-1][0] == seen[-1][1] == len(list(tmp_path.glob("*.npz"))) > 1
    next(iter(tmp_path.glob("*.npz"))).unlink()  # an interrupted study has some of its blocks
    assert study(jobs=2, checkpoint=tmp_path).to_json() == whole.to_json()
    monkeypatch.setattr(f"rankscope.studies.{block}.run", lambda _: pytest.fail("computed again"))
    assert study(checkpoint=tmp_path).to_json() == whole.to_json()
    with pytest.raises(rs.MismatchedCheckpoint, match="another study"):
        study(checkpoint=tmp_path, **other)


def test_the_command_line_keeps_and_continues(tmp_path):
    rs.write_scores(rs.ScoreMatrix(np.random.default_rng(1).normal(size=(8, 5))), tmp_path / "scores.csv")
    words = ["study", "profiles", str(tmp_path / "scores.csv"), "--draws", "20", "--checkpoint", str(tmp_path / "kept")]
    first, second = (CliRunner().invoke(main, words) for _ in range(2))
    assert first.exit_code == second.exit_code == 0, first.output
    assert first.stdout == second.stdout
    assert "follow the others significantly" in first.stdout
