"""The same study on a real Dask cluster of two processes: the same numbers, also when one of them is killed."""

import os
import signal
import sys
import threading
import warnings
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import rankscope as rs
from rankscope.cli import main
from rankscope.demo import demo_scores
from rankscope.studies import blocks
from rankscope.studies import cluster as clusters

QUICK: dict[str, Any] = {"sizes": [8, 16], "collections": 125, "resamples": 40}


@pytest.fixture(scope="module")
def scores():
    return demo_scores(systems_per_family=3, topics=20)["human"]


def quiet_cluster(distributed, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Dask says of itself when it starts is not ours to mend
        return distributed.LocalCluster(dashboard_address=None, silence_logs=50, **options)


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with quiet_cluster(distributed, n_workers=2, threads_per_worker=1, processes=True) as made:
        yield made


@pytest.fixture(scope="module")
def local(scores):
    return rs.study_estimators({"human": scores}, jobs=1, **QUICK)


def test_the_cluster_gives_the_same_numbers_to_the_last_bit(cluster, scores, local, tmp_path):
    seen = []
    found = rs.study_estimators(
        {"human": scores}, cluster=cluster.scheduler_address, progress=lambda *x: seen.append(x), **QUICK
    )
    assert np.array_equal(found.values["human"], local.values["human"])
    assert seen == [(done, 10) for done in range(11)]


def test_a_worker_killed_in_the_middle_costs_time_only(cluster, scores, local, tmp_path):
    from distributed import Client

    with Client(cluster, set_as_default=False) as client:
        workers = client.run(os.getpid)
        assert len(set(workers.values()) | {os.getpid()}) == 3
        victim = next(iter(workers.values()))

        def kill(done, total):
            if done == 2:
                os.kill(victim, signal.SIGKILL)

        found = rs.study_estimators(
            {"human": scores}, cluster=client, checkpoint=tmp_path / "kept", progress=kill, **QUICK
        )
        assert np.array_equal(found.values["human"], local.values["human"])
        client.wait_for_workers(2, timeout=30)
        assert victim not in client.run(os.getpid).values()
    again = rs.study_estimators({"human": scores}, checkpoint=tmp_path / "kept", **QUICK)
    assert np.array_equal(again.values["human"], local.values["human"])


def test_an_error_on_a_worker_is_ours(cluster, scores, monkeypatch):
    monkeypatch.setattr(blocks, "_versions", lambda: "rankscope 99")
    with pytest.raises(rs.BadParameter, match=r"a worker of the cluster has rankscope .* and here it is rankscope 99"):
        rs.study_estimators({"human": scores}, cluster=cluster.scheduler_address, **QUICK)


class InMainThread:
    name = "where"
    shape = (1,)

    def run(self):
        return np.array([float(threading.current_thread() is threading.main_thread())])


def test_one_core_is_a_cluster_too_and_none_is_an_error(monkeypatch):
    """joblib by itself would compute here and now where the cluster has one core."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(clusters, "_PATIENCE", 0.5)
    with (
        quiet_cluster(distributed, n_workers=0, threads_per_worker=1, processes=False) as made,
        distributed.Client(made, set_as_default=False) as client,
    ):
        with pytest.raises(rs.UnreachableCluster, match=r"no worker came within 0\.5 seconds"):
            blocks.run_blocks([InMainThread()], cluster=client)
        made.scale(1)
        client.wait_for_workers(1, timeout=60)
        assert blocks.run_blocks([InMainThread()], cluster=client) == [0.0]
    assert blocks.run_blocks([InMainThread()], jobs=1) == [1.0]


def test_no_scheduler_and_no_package(scores, monkeypatch, tmp_path):
    monkeypatch.setattr(clusters, "_PATIENCE", 0.2)
    rs.write_scores(scores, tmp_path / "human.csv")
    words = ["study", "estimators", str(tmp_path / "human.csv"), "--collections", "1", "--cluster", "tcp://localhost:9"]
    done = CliRunner().invoke(main, words, catch_exceptions=False)
    assert done.exit_code == 2
    assert "no Dask scheduler answers there" in done.stderr
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = CliRunner().invoke(main, words, catch_exceptions=False)
    assert done.exit_code == 2
    assert "pip install 'rankscope[cluster]'" in done.stderr
