"""Every study, and `judge --tracks`, takes a cluster and a checkpoint.

On two processes each gives the same numbers, to the last bit.
"""

import json
import warnings
from typing import Any

import pytest

import rankscope as rs
from rankscope.cli.study import STUDIES
from rankscope.demo import demo_scores

TRACK = rs.simulate_track(12, 12, depth=20, rng=1)
SCORES = demo_scores(systems_per_family=3, topics=20)["human"]
JUDGE = {"noisy": TRACK.judges["partial"]}
ON_RUNS: dict[str, Any] = {"measures": ["nDCG@10"], "coefficients": ["tau_b"]}
CALLS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "circularity": (
        (TRACK.runs, TRACK.truth, JUDGE, "nDCG@10"),
        {"coefficients": ["tau_b"], "noise": [0.0, 0.5], "repeats": 2},
    ),
    "correction": ((TRACK.runs, TRACK.truth, JUDGE, "nDCG@10"), {"budgets": [0.5], "repeats": 3}),
    "depth-cost": (
        (TRACK.runs, TRACK.truth),
        {**ON_RUNS, "judges": JUDGE, "depths": [2, 5], "fractions": [0.5], "repeats": 2},
    ),
    "estimators": (({"human": SCORES},), {"sizes": [8], "collections": 30, "resamples": 20}),
    "gaps": ((), {"systems": 10, "draws": 4_100}),
    "holes": ((TRACK.runs, TRACK.truth), {**ON_RUNS, "fractions": [0.3, 0.6], "repeats": 4, "resamples": 50}),
    "panel": ((TRACK.runs, TRACK.truth, TRACK.judges, ["AP"]), {"panels": ["mean", "weighted"]}),
    "pool-depth": ((TRACK.runs, TRACK.truth), {**ON_RUNS, "depths": [2, 5], "resamples": 50}),
    "profiles": ((SCORES,), {"draws": 600}),
    "pseudo": ((TRACK.runs, TRACK.truth), {**ON_RUNS, "draws": 12, "resamples": 50}),
    "reorderings": ((SCORES,), {"draws": 1_100, "resamples": 50}),
    "repeats": (
        ({"llm": list(TRACK.judges.values())}, TRACK.truth),
        {"runs": TRACK.runs, "measures": ["AP"], "draws": 600},
    ),
    "swaps": ((SCORES,), {"draws": 1_100, "coefficients": ["tau_ap", "tau_gap"]}),
    "topics": ((SCORES,), {"coefficients": ["tau_b"], "sizes": [5, 10], "repeats": 12, "resamples": 50}),
    "uniques": ((TRACK.runs, TRACK.truth), {**ON_RUNS, "depth": 10, "resamples": 50}),
    "weights": ((SCORES,), {}),
}


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Dask says of itself when it starts is not ours to mend
        made = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        )
    with made, distributed.Client(made, set_as_default=False) as client:
        yield client


TRACKS = ({"first": TRACK, "second": rs.simulate_track(11, 10, depth=20, rng=2)}, "nDCG@10")


def ran(name, **where):
    if name == "judge --tracks":
        return rs.judge_tracks(*TRACKS, resamples=50, random_draws=20, **where)
    inputs, settings = CALLS[name]
    return getattr(rs, f"study_{name.replace('-', '_')}")(*inputs, **settings, **where)


def test_every_study_takes_both():
    for study in STUDIES:
        assert {"cluster", "checkpoint"} <= {param.name for param in study.command().params}, study.name
    assert {study.name for study in STUDIES} == set(CALLS)


@pytest.mark.parametrize("name", [*CALLS, "judge --tracks"])
def test_the_same_numbers_on_a_cluster_and_from_a_checkpoint(name, cluster, tmp_path):
    local = json.dumps(ran(name, jobs=1).to_dict())
    assert json.dumps(ran(name, cluster=cluster, checkpoint=tmp_path / "kept").to_dict()) == local
    parts = len(list((tmp_path / "kept").glob("*.npz")))
    seen = []
    again = ran(name, checkpoint=tmp_path / "kept", progress=lambda *done: seen.append(done))
    assert seen == [(parts, parts)]  # nothing is left to compute
    assert json.dumps(again.to_dict()) == local
