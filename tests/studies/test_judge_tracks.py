"""Judges over several tracks: each answer is that of `judge`, and what is combined is what it says."""

import functools
import json
import math
from typing import Any

import numpy as np
import pytest
import scipy.stats
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.cli import main
from rankscope.demo import write_track
from rankscope.studies.judging.over_tracks import mean_worth
from rankscope.studies.verdict import LEVELS

BRIEF: dict[str, Any] = {"resamples": 60, "random_draws": 40}
MEASURES = ["nDCG@10", "AP"]


@functools.cache
def track(seed):
    return rs.simulate_track(11, 12, depth=15, rng=seed)


@functools.cache
def report():
    return rs.judge_tracks({"first": track(1), "second": track(2)}, MEASURES, jobs=1, **BRIEF)


def test_an_answer_is_that_of_judge_with_this_judge_alone():
    assert len(report().answers) == 12
    for answer in report().answers:
        own = track(1 if answer.track == "first" else 2)
        alone = rs.judge(own.runs, own.truth, {answer.judge: own.judges[answer.judge]}, answer.measure, **BRIEF)
        of_judge = alone.answers[0]
        worth = of_judge.verdict.worth
        assert worth is not None
        assert answer.interval is not None
        assert (answer.level, answer.worth, answer.topics) == (of_judge.verdict.level, worth.worth, 12)
        assert (answer.interval.low, answer.interval.high) == (worth.interval.low, worth.interval.high)
        assert answer.tau == of_judge.agreement.value("tau_b")
        assert answer.kappa == alone.labels[answer.judge]["kappa"].value


def test_a_level_over_tracks_is_the_lowest():
    for over in report().overall:
        own = [a for a in report().answers if (a.judge, a.measure) == (over.judge, over.measure)]
        assert over.level == LEVELS[max(LEVELS.index(answer.level) for answer in own)]
        assert next(answer.level for answer in own if answer.track == over.track) == over.level
        assert sum(over.levels.values()) == over.tracks == 2
        assert over.worth == pytest.approx(math.sqrt(own[0].worth * own[1].worth))  # by hand
        assert over.interval is None  # of two tracks
    for level in report().levels:
        own = [over for over in report().overall if over.judge == level.judge]
        assert level.level == LEVELS[max(LEVELS.index(over.level) for over in own)]


@given(st.lists(st.floats(0.01, 100.0), min_size=5, max_size=30), st.sampled_from([0.8, 0.95]))
def test_the_mean_worth_is_scipys_interval_of_the_logarithms(worths, level):
    mean, interval = mean_worth(worths, level)
    assert mean is not None
    assert interval is not None
    assert math.log(mean) == pytest.approx(np.log(worths).mean(), abs=1e-9)
    if np.ptp(worths) > 1e-6:
        low, high = scipy.stats.ttest_1samp(np.log(worths), 0.0).confidence_interval(level)
        assert (math.log(interval.low), math.log(interval.high)) == pytest.approx((low, high), abs=1e-9)
    inverse, turned = mean_worth([1.0 / worth for worth in worths], level)
    assert inverse == pytest.approx(1.0 / mean)
    assert turned is not None
    assert turned.low == pytest.approx(1.0 / interval.high)


@pytest.mark.parametrize("odd", [0.0, math.inf, math.nan])
def test_no_mean_where_a_track_has_no_worth(odd):
    assert mean_worth([1.0, 1.0, 1.0, 1.0, 1.0, odd]) == (None, None)


def test_a_judge_that_a_track_lacks_or_cannot_rank_by():
    some = rs.JudgedTrack(runs=track(1).runs, truth=track(1).truth, judges={"careful": track(1).judges["careful"]})
    found = rs.judge_tracks({"some": some, "all": track(2)}, ["nDCG@10", "AP(rel=9)"], **BRIEF)
    assert found.without == {"lenient": ("some",), "partial": ("some",)}
    assert {(each.track, each.reason.judge) for each in found.skipped} == {
        ("some", "careful"),
        *(("all", judge) for judge in track(2).judges),
    }
    assert {each.reason.why for each in found.skipped} == {"no relevant grade"}
    assert found.measures == ("nDCG@10", "AP(rel=9)")
    assert len(found.answers) == 4
    with pytest.raises(rs.BadParameter, match="no grade"):
        rs.judge_tracks({"all": track(2)}, "AP(rel=9)", **BRIEF)


def test_an_error_names_the_track():
    other = {"x": {"d1": 1, "d2": 0}}
    wrong = rs.JudgedTrack(runs=track(1).runs, truth=track(1).truth, judges={"llm": other})
    with pytest.raises(rs.BadParameter, match=r"track second: .*llm"):
        rs.judge_tracks({"first": track(1), "second": wrong}, **BRIEF)
    with pytest.raises(rs.BadParameter, match="there is no track"):
        rs.judge_tracks({})


def test_parts_are_kept_also_for_more_judges(tmp_path):
    whole = track(1)
    fewer = rs.JudgedTrack(runs=whole.runs, truth=whole.truth, judges={"careful": whole.judges["careful"]})
    rs.judge_tracks({"a": fewer}, "AP", checkpoint=tmp_path, **BRIEF)
    seen = []
    again = rs.judge_tracks(
        {"a": whole}, "AP", checkpoint=tmp_path, progress=lambda *done: seen.append(done), jobs=2, **BRIEF
    )
    assert seen == [(1, 3), (2, 3), (3, 3)]
    wanted = rs.judge_tracks({"a": whole}, "AP", jobs=1, **BRIEF)
    assert json.dumps(again.to_dict()) == json.dumps(wanted.to_dict())
    # Other labels under the same name are another part.
    turned = rs.JudgedTrack(runs=whole.runs, truth=whole.truth, judges={"careful": whole.judges["partial"]})
    seen.clear()
    rs.judge_tracks({"a": turned}, "AP", checkpoint=tmp_path, progress=lambda *done: seen.append(done), **BRIEF)
    assert seen == [(0, 1), (1, 1)]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    place = tmp_path_factory.mktemp("tracks")
    for name, seed in (("first", 1), ("second", 2)):
        (place / name).mkdir()
        write_track(track(seed), place / name)
    return place


def rankscope(*words):
    return CliRunner().invoke(main, ["judge", "--tracks", *map(str, words)], catch_exceptions=False)


QUICK = ("-m", "nDCG@10", "-m", "AP", "--resamples", "60", "--random-draws", "40", "--format", "json")


def test_the_command_reads_folders(folders):
    done = rankscope(
        folders / "first", folders / "second", "--truth", "human.qrels", "--judge", "*.qrels", *QUICK, "--jobs", "1"
    )
    assert done.exit_code == 0, done.stderr
    tracks = {
        name: rs.JudgedTrack(
            runs=folders / name / "runs",
            truth=folders / name / "human.qrels",
            judges=[folders / name / f"{judge}.qrels" for judge in track(1).judges],
        )
        for name in ("first", "second")
    }
    wanted = json.loads(rs.judge_tracks(tracks, MEASURES, **BRIEF).to_json())
    found = json.loads(done.stdout)
    assert found["answers"] == wanted["answers"]
    assert found["overall"] == wanted["overall"]
    roles = [given["role"] for given in found["settings"]["inputs"]]
    assert roles[:2] == ["first: truth", "first: judge"]


def test_the_command_takes_names_and_says_what_is_missing(folders):
    (folders / "third").mkdir(exist_ok=True)
    common = ("--truth", "human.qrels", *QUICK)
    done = rankscope(folders / "first", *common, "--judge", "llm=careful.qrels:rel=2")
    assert json.loads(done.stdout)["judges"] == ["llm"]
    for words, problem in [
        ((folders / "third", *common, "--judge", "*.qrels"), "no file by the name --truth gives, 'human.qrels'"),
        ((folders / "first", *common, "--judge", "none.qrels"), "no file of a judge by the names --judge gives"),
        ((folders / "first", *common, "--judge", "x=*.qrels"), "is 3 files, and a name is for one"),
        ((folders / "first", "--truth", "*.qrels", "--judge", "*.qrels"), "4 files by the name --truth gives"),
        ((folders / "first", *common, "--judge", "*.qrels", "--top", "3"), "does not take --top"),
    ]:
        done = rankscope(*words)
        assert done.exit_code == 2
        assert problem in done.stderr
        assert len(done.stderr.splitlines()) == 1
    alone = ["judge", str(folders / "first/runs"), "--truth", str(folders / "first/human.qrels")]
    done = CliRunner().invoke(main, [*alone, "--judge", str(folders / "first/careful.qrels"), "--checkpoint", "x"])
    assert done.exit_code == 2
    assert "one track does not take --checkpoint" in done.stderr
