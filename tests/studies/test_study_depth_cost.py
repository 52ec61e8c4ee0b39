"""Judgments made against agreement reached, against evaluation from scratch with the judgments edited."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_studies as slow
import rankscope as rs
from narrowing import known
from rankscope.coefficients.rows import quietly
from rankscope.files import read_judgments, read_runs, write_judgments
from rankscope.runs import Judgments
from rankscope.studies.cost_mixes import union
from rankscope.studies.sampled_costs import MADE

SEEDS = st.integers(0, 10_000)


@settings(max_examples=15)
@given(seed=SEEDS, some=st.booleans())
def test_every_number_is_that_of_an_evaluation_from_scratch(seed, some):
    runs, judgments = slow.made_track(seed)
    judge = slow.made_track(seed + 1, systems=len(runs), topics=len(judgments))[1]
    judge.pop(next(iter(judge)))  # a topic that the judge lacks
    judge["999"] = {"d1": 1.0}  # and one that only the judge has
    contributing = list(runs)[:2] if some else None
    study = rs.study_depth_cost(
        *slow.coded(runs, judgments),
        ["AP", "nDCG@3"],
        judges={"llm": Judgments.of(judge)},
        depths=[1, 3],
        fractions=[0.5],
        repeats=2,
        contributing=contributing,
        coefficients=slow.COEFFICIENTS,
        price=0.25,
        rng=seed,
    )
    parts = ("way", "depth", "fraction")
    graded = [row for row in study.agreements if row.setting["way"] not in MADE]
    rows = {(row.measure, *(row.setting[p] for p in parts), row.coefficient): row for row in graded}
    assert len(rows) == len(graded) == 2 * (3 + 1 + 3) * 6
    for measure in ("AP", "nDCG@3"):
        truth = slow.scores(runs, judgments, measure)
        variants: dict[tuple[str, int | None, float | None], Any] = {("holes", None, 0.5): None}
        variants |= {("depth", d, None): (slow.pooled(runs, judgments, d, contributing), None, 0) for d in (1, 3)}
        variants["depth", None, None] = (judgments, None, 0)
        variants |= {("judge", d, None): slow.mixed(runs, judgments, judge, d, contributing) for d in (0, 1, 3)}
        for (way, depth, fraction), variant in variants.items():
            with quietly():
                if variant is None:
                    kept = [slow.with_holes(judgments, fraction, seed, i) for i in range(2)]
                    each = [slow.agreement(truth, slow.scores(runs, part, measure)) for part in kept]
                    expected = {name: _mean([values[name] for values in each]) for name in each[0]}
                    people, labels = sum(map(len, kept[0].values())), 0
                else:
                    grades, people, labels = variant
                    expected = slow.agreement(truth, slow.scores(runs, grades, measure))
                    people = sum(map(len, grades.values())) if people is None else people
            for name, value in expected.items():
                row = rows[measure, way, depth, fraction, name]
                assert row.value == pytest.approx(value, nan_ok=True), row
                counts = [row.setting[part] for part in ("judgments", "labels", "cost")]
                assert counts == [people, labels, people + 0.25 * labels]


def _mean(values):
    there = [value for value in values if not np.isnan(value)]
    return float(np.mean(there)) if there else np.nan


def test_the_cheapest_reaches_the_target_and_nothing_cheaper_does():
    runs, judgments = slow.made_track(21, systems=5, topics=5)
    judge = {t: {d: float(g > 1) for d, g in rows.items()} for t, rows in judgments.items()}
    study = rs.study_depth_cost(
        *slow.coded(runs, judgments),
        "AP",
        judges=Judgments.of(judge),
        depths=[1, 2, 4, 8],
        target=0.8,
        coefficient="tau_ap",
        coefficients=["tau_b"],
        price=0.1,
    )
    assert study.coefficients == ("tau_ap", "tau_b")
    assert [(best.way, best.judge) for best in study.cheapest] == [
        ("depth", None),
        ("holes", None),
        *((way, "judge 1") for way in ("judge", *MADE)),
    ]
    rows = [row for row in study.agreements if row.coefficient == "tau_ap" and row.value >= 0.8]
    for best in study.cheapest:
        assert best.point is not None
        assert best.point.setting["cost"] == min(r.setting["cost"] for r in rows if r.setting["way"] == best.way)
    costs = [known(best.point).setting["cost"] for best in study.cheapest]
    assert [best.overall for best in study.cheapest] == [cost == min(costs) for cost in costs]
    never = rs.study_depth_cost(
        *slow.coded(runs, judgments), "AP", depths=[1], fractions=[0.1], target=1.5, coefficients=["tau_b"]
    )
    assert all(best.point is None and not best.overall for best in never.cheapest)
    assert never.cheapest_table().rows[0] == ("AP", "depth", None, False, False, *[None] * 6)


def test_the_truth_as_judge_reaches_everything_without_people(tmp_path):
    runs, judgments = slow.made_track(22, systems=5, topics=5)
    track = slow.coded(runs, judgments)
    paths = [tmp_path / "llm.qrels", tmp_path / "other.qrels"]
    simple = Judgments.of(
        {t: {d.replace(" ", "_").replace("\t", "_"): g for d, g in rows.items()} for t, rows in judgments.items()}
    )
    for path in paths:
        write_judgments(simple, path)
    study = rs.study_depth_cost(*track, "AP", judges=[*paths, track[1]], depths=[1], coefficients=["tau_b"])
    assert study.judges == ("llm", "other", "judge 3")
    *_, last = (best for best in study.cheapest if best.way == "judge")
    point = known(last.point)
    depth, judgments = (point.setting[name] for name in ("depth", "judgments"))
    assert (last.judge, depth, judgments, point.value) == ("judge 3", 0, 0, 1.0)
    *_, written = (best for best in json.loads(study.to_json())["cheapest"] if best["way"] == "judge")
    assert written["point"]["setting"]["labels"] == len(track[1])


def test_the_union_of_judgments():
    truth = Judgments.of({"1": {"x": 2, "y": 0}, "2": {"z": 1}, "3": {}})
    judge = Judgments.of({"3": {"q": 1}, "1": {"w": 3, "y": 1}, "9": {"x": 1}})
    rows, ours, theirs = union(truth, judge)
    assert rows.topics == ("1", "2", "3")
    assert rows.ids.names() == ["x", "y", "w", "z", "q"]
    assert np.array_equal(ours, [2, 0, np.nan, 1, np.nan], equal_nan=True)
    assert np.array_equal(theirs, [np.nan, 1, 3, np.nan, 1], equal_nan=True)


def test_the_same_numbers_whatever_the_number_of_threads_and_after_an_interruption(tmp_path):
    track = slow.coded(*slow.made_track(8, systems=5, topics=4))
    settings: dict[str, Any] = {
        "judges": track[1],
        "depths": [1, 2],
        "fractions": [0.3, 0.6],
        "coefficients": ["tau_b"],
    }
    once = rs.study_depth_cost(*track, "AP", jobs=1, **settings)
    assert rs.study_depth_cost(*track, "AP", jobs=3, **settings).to_json() == once.to_json()
    rs.study_depth_cost(*track, "AP", checkpoint=tmp_path / "kept", **{**settings, "judges": None})
    calls = []
    again = rs.study_depth_cost(
        *track, "AP", checkpoint=tmp_path / "kept", progress=lambda *c: calls.append(c), **settings
    )
    assert calls[0] == (3, 6)
    assert again.to_json() == once.to_json()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"target": float("nan")}, "target"),
        ({"price": -1}, "price"),
        ({"depths": [0]}, "each a rank from 1"),
        ({"fractions": [2]}, "from 0 to 1"),
        ({"coefficient": "d_rank"}, "d_rank"),
        ({"repeats": 0}, "repeats=0"),
    ],
)
def test_what_is_wrong_is_told(wrong, message):
    with pytest.raises(rs.RankscopeError, match=message):
        rs.study_depth_cost(*slow.coded(*slow.made_track(2)), "AP", **wrong)


def test_dl19_a_judge_saves_judgments(data):
    # A judge alone is the comparison of the two judgments: τ_b of umbrela-gpt-4o .9159 (FACTS, dl19).
    judge = data / "dl19" / "judges" / "umbrela-gpt-4o.qrels"
    runs, judgments = read_runs(data / "dl19" / "runs"), read_judgments(data / "dl19" / "qrels.human.txt")
    study = rs.study_depth_cost(
        runs, judgments, "nDCG@10", judges=judge, depths=[1, 5, 10], fractions=[0.5], repeats=3, coefficients=["tau_b"]
    )
    rows = [row for row in study.agreements if row.coefficient == "tau_b"]
    at = {(row.setting["way"], row.setting["depth"]): row for row in rows}
    assert at["judge", 0].value == pytest.approx(0.9159, abs=5e-5)
    assert at["judge", 1].value > at["depth", 1].value + 0.05
    assert at["depth", None].value == 1.0
    best = {cheapest.way: cheapest for cheapest in study.cheapest}
    assert best["judge"].overall
    assert known(best["judge"].point).setting["judgments"] == 0
    assert known(best["depth"].point).setting["depth"] == 5
    assert best["holes"].point is None


def test_samples_are_those_of_the_study_of_corrections():
    made = rs.simulate_track(8, 10, depth=20, pool_depth=6, candidates=60, rng=3)
    judge = {"partial": made.judges["partial"]}
    given: dict[str, Any] = {"repeats": 3, "rng": 5}
    cost = rs.study_depth_cost(
        made.runs,
        made.truth,
        ["AP", "Bpref"],
        judges=judge,
        fractions=[0.5],
        depths=[1],
        coefficients=["tau_b"],
        **given,
    )
    ways = {"filled": "filled", "corrected": "corrected_documents", "combined": "combined"}
    expected = {
        point.way: point.tau
        for point in rs.study_correction(
            made.runs, made.truth, judge, "AP", budgets=[0.5], designs=["influence"], **given
        ).points
    }
    rows = {row.setting["way"]: row for row in cost.agreements if row.coefficient == "tau_b" and row.measure == "AP"}
    for way, name in ways.items():
        assert rows[way].value == pytest.approx(expected[name])
        assert rows[way].setting["judgments"] == round(0.5 * len(made.truth))
    # Bpref is not made of the gains of single documents.
    assert not {row.setting["way"] for row in cost.agreements if row.measure == "Bpref"} & set(ways)
    assert {best.way for best in cost.cheapest} == {"depth", "holes", "judge", *ways}
