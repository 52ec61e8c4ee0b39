"""Rankings from random parts of the judgments, against evaluation from scratch with the judgments edited."""

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_studies as slow
import rankscope as rs
from narrowing import known
from rankscope.coefficients.rows import quietly
from rankscope.files import read_judgments, read_runs
from rankscope.runs import Judgments, RunSet
from rankscope.studies.holes import kept_rows, rows_kept
from rankscope.studies.spread import SPREAD, spread_of

SEEDS = st.integers(0, 10_000)


@settings(max_examples=15)
@given(seed=SEEDS)
def test_every_number_is_that_of_evaluations_from_scratch(seed):
    runs, judgments = slow.made_track(seed)
    study = rs.study_holes(
        *slow.coded(runs, judgments),
        slow.MEASURES,
        fractions=[0.5, 0],
        repeats=3,
        rng=seed,
        resamples=0,
        coefficients=slow.COEFFICIENTS,
    )
    assert [row.setting["fraction"] for row in study.agreements[:7]] == [0.0] * 6 + [0.5]
    rows = {(row.measure, row.setting["fraction"], row.coefficient): row for row in study.agreements}
    assert len(rows) == 4 * 2 * 6
    for fraction in (0.0, 0.5):
        kept = [slow.with_holes(judgments, fraction, seed, number) for number in range(3)]
        for measure in slow.MEASURES:
            truth = slow.scores(runs, judgments, measure)
            with quietly():
                each = [slow.agreement(truth, slow.scores(runs, judged, measure)) for judged in kept]
            for name in each[0]:
                row = rows[measure, fraction, name]
                expected = spread_of(np.array([values[name] for values in each]))
                assert row.value == pytest.approx(expected.mean, nan_ok=True)
                for field in SPREAD:
                    value = getattr(expected, field)
                    assert getattr(row.spread, field) == pytest.approx(value, nan_ok=True), (row, field)
                assert {sum(map(len, judged.values())) for judged in kept} == {row.setting["judgments"]}


@given(seed=SEEDS, fraction=st.floats(0, 1), more=st.floats(0, 1))
def test_what_is_kept(seed, fraction, more):
    judgments = Judgments.of(slow.made_track(seed)[1])
    relevant = judgments.grades >= 1
    small, large = sorted((fraction, more))
    kept = [kept_rows(judgments, relevant, f, np.random.default_rng(seed)) for f in (small, large)]
    assert not (kept[0] & ~kept[1]).any()  # within a repeat the smaller part is in the larger
    for topic in range(len(judgments.topics)):
        for stratum in (relevant, ~relevant):
            rows = stratum & (judgments.topic_of == topic)
            there = int(rows.sum())
            expected = min(there, max(1, math.floor(small * there + 0.5)))
            assert (kept[0] & rows).sum() == expected
    assert kept[0].sum() == rows_kept(judgments, small, 1)


def test_all_judgments_give_the_full_ranking():
    track = slow.coded(*slow.made_track(4, systems=5, topics=5))
    study = rs.study_holes(*track, "AP", fractions=[1], repeats=2, coefficients=["tau_b"], resamples=50)
    tau, distance = study.agreements
    assert (tau.value, known(tau.spread).sd, tau.setting["judgments"]) == (1.0, 0.0, len(track[1]))
    assert (distance.value, distance.pvalue, distance.rejected) == (0.0, 1.0, 0.0)
    assert study.losses[0].significant_up_to is None
    assert study.losses[0].indistinguishable_from == 1.0


def test_every_stratum_is_drawn_alike():
    # Each of ten relevant documents is kept with the same chance at a fraction of one half.
    judgments = Judgments.of({"1": {f"d{i}": i % 2 for i in range(20)}})
    relevant = judgments.grades >= 1
    counts = np.zeros(20)
    for number in range(2_000):
        counts += kept_rows(judgments, relevant, 0.5, np.random.default_rng([0, number]))
    assert np.all(np.abs(counts / 2_000 - 0.5) < 5 * 0.5 / math.sqrt(2_000))


def test_where_significance_is_lost():
    track = slow.coded(*slow.made_track(6, systems=5, topics=5))
    study = rs.study_holes(*track, "AP", fractions=[0, 0.5, 1], repeats=4, coefficients=["tau_b"], resamples=99)
    rejected = [known(row.rejected) for row in study.agreements if row.coefficient == "d_rank"]
    loss = study.losses[0]
    over = [f for f, share in zip((0.0, 0.5, 1.0), rejected, strict=True) if share >= 0.5]
    assert loss.significant_up_to == (max(over) if over else None)
    assert loss.indistinguishable_from == min(f for f in (0.0, 0.5, 1.0) if not over or f > max(over))
    assert study.tables()["losses"].rows == (("AP", loss.significant_up_to, loss.indistinguishable_from),)


def test_infinite_distances_are_told_and_json_holds():
    # b beats a on every topic by as much: without a ridge no sample of topics puts a first.
    topics = [str(t) for t in range(4)]
    runs = RunSet.of({"a": {t: ["n", "y"] for t in topics}, "b": {t: ["y", "n"] for t in topics}})
    judgments = Judgments.of({t: {"y": 1, "n": 0, "z": 1} for t in topics})
    study = rs.study_holes(runs, judgments, "AP", fractions=[0, 1], repeats=5, resamples=20)
    assert json.loads(study.to_json())["judgments"] == 12
    assert study.agreements[-1].value == 0.0


def test_one_repeat_has_a_value_and_no_spread():
    track = slow.coded(*slow.made_track(4, systems=5, topics=5))
    study = rs.study_holes(*track, ["AP", "P@2"], fractions=[0.2, 1], repeats=1, coefficients=["tau_b"], resamples=0)
    assert all(row.spread is None and row.ends is None for row in study.agreements)
    assert study.variant_settings() == [row.setting for row in study.agreements[:4:2]]
    table = study.table()
    assert table.columns[:6] == ("fraction", "judgments", "measure", "coefficient", "value", "sd")
    assert table.rows[2][:6] == (1.0, len(track[1]), "AP", "tau_b", 1.0, None)
    assert "5 to 95 %" not in str(study)
    assert study.chart() is not None


def test_the_same_numbers_whatever_the_number_of_threads_and_after_an_interruption(tmp_path):
    track = slow.coded(*slow.made_track(8, systems=5, topics=4))
    settings: dict[str, Any] = {"fractions": [0.3, 0.6], "coefficients": ["tau_b", "rbo"], "resamples": 60}
    once = rs.study_holes(*track, "AP", repeats=25, jobs=1, **settings)
    assert rs.study_holes(*track, "AP", repeats=25, jobs=4, **settings).to_json() == once.to_json()

    class Interruption(Exception):
        pass

    def stop(done, total):
        if done == 3:
            raise Interruption

    kept = tmp_path / "kept"
    with pytest.raises(Interruption):
        rs.study_holes(*track, "AP", repeats=25, jobs=1, checkpoint=kept, progress=stop, **settings)
    calls = []
    again = rs.study_holes(
        *track, "AP", repeats=25, checkpoint=kept, progress=lambda *done: calls.append(done), **settings
    )
    assert calls[0] == (3, 6)
    assert again.to_json() == once.to_json()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"fractions": []}, "one or more, each from 0"),
        ({"fractions": [1.5]}, "from 0 to 1"),
        ({"fractions": [float("nan")]}, "from 0 to 1"),
        ({"repeats": 0}, "repeats=0"),
        ({"alpha": 0}, "alpha=0"),
    ],
)
def test_what_is_wrong_is_told(wrong, message):
    track = slow.coded(*slow.made_track(2))
    with pytest.raises(rs.RankscopeError, match=message):
        rs.study_holes(*track, "AP", **wrong)


def test_dl19_bpref_stands_holes_better_than_ap(data):
    # The claim of Buckley & Voorhees (2004), and of Carterette (2009), section 4.5, on other data.
    runs, judgments = read_runs(data / "dl19" / "runs"), read_judgments(data / "dl19" / "qrels.human.txt")
    study = rs.study_holes(
        runs, judgments, ["AP", "bpref"], fractions=[0.05, 0.2, 0.5], repeats=10, coefficients=["tau_b"], resamples=300
    )
    mean = {(row.measure, row.setting["fraction"], row.coefficient): row.value for row in study.agreements}
    for fraction in (0.05, 0.2, 0.5):
        assert mean["Bpref", fraction, "tau_b"] > mean["AP", fraction, "tau_b"] + 0.02
    for measure in ("AP", "Bpref"):
        taus = [mean[measure, fraction, "tau_b"] for fraction in (0.05, 0.2, 0.5)]
        assert taus == sorted(taus)
        assert mean[measure, 0.05, "d_rank"] > mean[measure, 0.5, "d_rank"]
