"""A Dask cluster as joblib's backend, and its failures as errors of ours."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Generator
from typing import Any

from rankscope.errors import BadParameter, UnreachableCluster

# Seconds to wait for the scheduler to answer, and then for the first worker.
_PATIENCE = 20
# Blocks under way or waiting for each core; joblib sends twice as many as it believes there are cores.
_WAITING = 4
_EXTRA = "a cluster needs dask.distributed: pip install 'rankscope[cluster]', here and on its workers"
_START = (
    "start one with `dask scheduler`, workers with `dask worker ADDRESS`, and give its address, such as "
    "tcp://localhost:8786"
)


@contextlib.contextmanager
def on_cluster(cluster: Any) -> Generator[None, None, None]:
    """Let joblib run on the cluster: the address of a Dask scheduler, or a `distributed.Client`."""
    import joblib

    try:
        distributed = importlib.import_module("distributed")
    except ImportError:
        raise BadParameter(_EXTRA) from None
    lost = (distributed.CancelledError, distributed.KilledWorker)
    with _client(cluster, distributed) as client, joblib.parallel_config(_backend(client)):
        try:
            yield
        except TimeoutError:
            raise UnreachableCluster(f"{_place(client)}: no worker came within {_PATIENCE} seconds; {_START}") from None
        except lost as error:
            problem = f"{_place(client)} was lost, or its workers were, time and again ({str(error).splitlines()[0]})"
            raise UnreachableCluster(f"{problem}; parts in a checkpoint are safe: run again") from None


def _backend(client: Any) -> Any:
    backend = importlib.import_module("joblib._dask").DaskDistributedBackend(
        client=client, wait_for_workers_timeout=_PATIENCE
    )
    cores = backend.effective_n_jobs
    # Where it sees one core, joblib computes in this very process. It counts cores once, at the start.
    backend.effective_n_jobs = lambda n_jobs: max(2, cores(n_jobs) * _WAITING // 2)
    return backend


@contextlib.contextmanager
def _client(cluster: Any, distributed: Any) -> Generator[Any, None, None]:
    """A client of the cluster; closed again if it was opened here."""
    if not isinstance(cluster, str):
        yield cluster
        return
    try:
        client = distributed.Client(cluster, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UnreachableCluster(f"cluster={cluster}: no Dask scheduler answers there ({error}); {_START}") from None
    with client:
        yield client


def _place(client: Any) -> str:
    return f"the cluster at {client.scheduler.address}"
