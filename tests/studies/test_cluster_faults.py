"""Clusters that lack something, in real processes: what is missing is said after a stated patience."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import rankscope as rs
from rankscope.cli import main
from rankscope.files.checkpoints import Checkpoint
from rankscope.studies import blocks
from rankscope.studies import cluster as clusters

pytest.importorskip("distributed")

# A scheduler, a worker of the one at an address, or both in one process; "bare" for one that has no rankscope.
PROCESS = """
import asyncio, json, sys
role, address, bare = sys.argv[1:]
if bare == "bare":
    sys.modules["rankscope"] = None
from distributed import Scheduler, Worker
async def run():
    if role == "scheduler":
        server = Scheduler(host="127.0.0.1", port=0, dashboard_address="127.0.0.1:0", dashboard=True)
    else:
        server = Worker(address, nthreads=1, dashboard=False)
    async with server:
        print(json.dumps([server.address, server.http_server.port]), flush=True)
        await server.finished()
asyncio.run(run())
"""


class Slow:
    """A block that takes a moment."""

    shape = (1,)

    def __init__(self, name):
        self.name = name

    def run(self):
        time.sleep(0.2)
        return np.array([float(len(self.name))])


BLOCKS = [Slow("x" * (i + 1)) for i in range(30)]


@contextmanager
def process(role, address="", bare=False):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONWARNINGS": "ignore"}
    words = [sys.executable, "-c", PROCESS, role, address, "bare" if bare else "whole"]
    started: Any = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    )
    with started:
        try:
            started.address, started.http_port = json.loads(started.stdout.readline())
            yield started
        finally:
            started.kill()


@pytest.fixture(scope="module")
def scheduler():
    with process("scheduler") as started:
        yield started


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(clusters, "_PATIENCE", 2.0)


def refused(cluster, **settings):
    began = time.monotonic()
    with pytest.raises(rs.UnreachableCluster) as caught:
        blocks.run_blocks(BLOCKS, cluster=cluster, **settings)
    assert time.monotonic() - began < 15.0
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_no_worker(scheduler):
    place = scheduler.address
    wanted = f"the cluster at {place}: no worker came within 2 seconds; start workers with `dask worker {place}`"
    assert refused(place) == wanted


def test_all_workers_gone_in_the_middle(scheduler):
    with process("worker", scheduler.address) as worker:
        kill = lambda done, total: worker.kill() if done == 2 else None  # noqa: E731
        told = refused(scheduler.address, progress=kill)
    assert "all its workers are gone, and no other came within 2 seconds" in told
    assert "parts in a checkpoint are safe: run again" in told


class LostFuture:
    """A call that was done, whose worker died before its result was fetched: it waits to be computed again."""

    def __init__(self, status):
        self.status = status

    def result(self, timeout):
        assert timeout == 2.0
        raise TimeoutError


def test_a_result_that_was_lost_with_its_worker_is_not_waited_for_without_end():
    assert clusters._result(LostFuture("pending"), None) is None
    with pytest.raises(TimeoutError):
        clusters._result(LostFuture("error"), None)


def test_the_scheduler_gone_in_the_middle():
    with process("scheduler") as own, process("worker", own.address):
        kill = lambda done, total: own.kill() if done == 2 else None  # noqa: E731
        told = refused(own.address, progress=kill)
    assert told.startswith(f"the cluster at {own.address} was lost (")


@dataclass
class Summing:
    """A block of data that others share, which takes a moment."""

    name: str
    data: np.ndarray
    shape = (1,)

    def run(self):
        time.sleep(0.2)
        return np.array([self.data.sum() + float(self.name)])


def summing(number=12):
    data = np.arange(50_000.0)
    return [Summing(str(i), data) for i in range(number)]


def test_a_worker_that_joins_gets_the_data_that_only_a_lost_one_had(scheduler):
    wanted = blocks.run_blocks(summing(), jobs=1)
    with ExitStack() as stack:
        first = stack.enter_context(process("worker", scheduler.address))

        def change(done, total):
            if done == 3:
                first.kill()
                stack.enter_context(process("worker", scheduler.address))

        assert blocks.run_blocks(summing(), cluster=scheduler.address, progress=change) == wanted


def test_the_scheduler_gone_in_the_middle_and_the_rest_on_another(tmp_path):
    wanted = blocks.run_blocks(summing(), jobs=1)
    kept = Checkpoint.open(tmp_path / "kept", {"study": "sums"})
    with process("scheduler") as own, process("worker", own.address):
        kill = lambda done, total: own.kill() if done == 4 else None  # noqa: E731
        with pytest.raises(rs.UnreachableCluster, match="parts in a checkpoint are safe: run again"):
            blocks.run_blocks(summing(), cluster=own.address, checkpoint=kept, progress=kill)
    seen = []
    with process("scheduler") as own, process("worker", own.address):
        found = blocks.run_blocks(
            summing(), cluster=own.address, checkpoint=kept, progress=lambda *done: seen.append(done)
        )
    assert found == wanted
    assert seen[0][0] >= 4


def test_a_worker_without_rankscope(scheduler):
    with process("worker", scheduler.address, bare=True) as worker:
        told = refused(scheduler.address)
    assert told == (
        f"the cluster at {scheduler.address}: the worker {worker.address} has no rankscope; "
        "install rankscope in the same version on the scheduler and on all workers"
    )


def test_a_scheduler_without_rankscope():
    with process("scheduler", bare=True) as own, process("worker", own.address):
        told = refused(own.address)
    assert told == (
        f"the cluster at {own.address}: its scheduler cannot load rankscope; "
        "install rankscope in the same version on the scheduler and on all workers"
    )


def test_the_port_of_the_dashboard(scheduler):
    told = refused(f"tcp://127.0.0.1:{scheduler.http_port}")
    assert "no Dask scheduler answers there" in told
    assert "8787 is its dashboard" in told


def test_the_address_of_a_worker(scheduler):
    with process("worker", scheduler.address) as worker:
        assert "a Dask worker answers there, and no scheduler; give the address" in refused(worker.address)


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("tls://127.0.0.1:8786", "tls:// needs certificates, named by DASK_DISTRIBUTED__COMM__TLS__CA_FILE"),
        ("http://127.0.0.1:8787", "no Dask scheduler answers there"),
        ("nonsense://x", "no Dask scheduler answers there"),
        ("tcp://127.0.0.1:99999", "no Dask scheduler answers there"),
        ("", "no Dask scheduler answers there"),
    ],
)
def test_addresses_that_are_none(address, problem, tmp_path):
    rs.write_scores(rs.ScoreMatrix(np.arange(12.0).reshape(4, 3) % 5 / 5, ["a", "b", "c"]), tmp_path / "a.csv")
    words = ["study", "estimators", str(tmp_path / "a.csv"), "--drop", "0", "--collections", "1", "--cluster", address]
    done = CliRunner().invoke(main, words, catch_exceptions=False)
    assert done.exit_code == 2, done.output
    assert done.stderr.startswith(f"rankscope: cluster={address}: ")
    assert problem in done.stderr
    assert len(done.stderr.splitlines()) == 1
