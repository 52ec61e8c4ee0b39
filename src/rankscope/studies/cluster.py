"""Blocks on a Dask cluster; whatever is missing there is said after a stated patience, as an error of ours."""

from __future__ import annotations

import contextlib
import importlib
import logging
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from rankscope.checks import check_extra
from rankscope.errors import UnreachableCluster
from rankscope.studies.sending import Bundle, Packer, unpacked

# Seconds to wait for the scheduler to answer, for the first worker, and for another where all are gone.
_PATIENCE = 30.0
# Seconds between two looks at the workers, and at Ctrl-C.
_TICK = 1.0
# Blocks under way or waiting for each core.
_WAITING = 4
# Bundles of arrays that stay on the workers after the blocks that need them, for blocks to come.
_KEPT = 16
_EXTRA = "a cluster needs dask.distributed: pip install 'rankscope[cluster]', here and on its workers"
_START = (
    "give the address that `dask scheduler` prints, such as tcp://localhost:8786 (8787 is its dashboard), and start "
    "workers with `dask worker ADDRESS`"
)
_CERTIFICATES = (
    "tls:// needs certificates, named by DASK_DISTRIBUTED__COMM__TLS__CA_FILE, "
    "DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT and DASK_DISTRIBUTED__COMM__TLS__CLIENT__KEY"
)
_INSTALL = "install rankscope in the same version on the scheduler and on all workers"
_SAFE = "parts in a checkpoint are safe: run again"


def run_on_cluster(calls: Iterable[Callable[[], Any]], cluster: Any, keep: Callable[[Any], None]) -> None:
    """Call each on the cluster and keep what it gives as it comes in.

    `cluster` is the address of a Dask scheduler, or a `distributed.Client`. Only a few calls are sent ahead, and their
    arrays apart from them, once to each worker (`sending.py`). The scheduler can send both again, so that a worker that
    is lost costs time only.
    """
    distributed = check_extra("distributed", _EXTRA)
    # Dask warns of large arguments, since it sends them with every call; ours are sent once.
    large = importlib.import_module("dask.config").set({"distributed.admin.large-graph-warning-threshold": "1 PB"})
    with large, _without_tracebacks(), _client(cluster, distributed) as client, client.as_current():
        try:
            _run(calls, client, distributed, keep)
        except distributed.KilledWorker as error:
            problem = f"{_place(client)}: its workers were lost time and again ({_first_line(error)})"
            raise UnreachableCluster(f"{problem}; {_SAFE}") from None
        except (distributed.CancelledError, OSError) as error:
            raise UnreachableCluster(f"{_place(client)} was lost ({_first_line(error)}); {_SAFE}") from None


def _run(calls: Iterable[Callable[[], Any]], client: Any, distributed: Any, keep: Callable[[Any], None]) -> None:
    waiting = iter(calls)
    workers = _Workers(client)
    sender = _Sender(client)
    try:
        while True:
            cores = workers.cores()
            while len(sender.running) < _WAITING * cores and (call := next(waiting, None)) is not None:
                sender.send(call, workers.threads)
            if cores and not sender.running:
                return
            for future in _finished(list(sender.running), distributed):
                result = _result(future, client)
                if result is not None:
                    sender.done(future)
                    keep(result)
    finally:
        sender.release()


@dataclass(frozen=True, eq=False)
class _Sent:
    """Where a call was sent, and the bundles that it needs."""

    worker: str
    keys: tuple[str, ...]


class _Sender:
    """Sends calls to the workers, and the arrays that they need once to each."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._packer = Packer()
        self._bundles: dict[str, Any] = {}  # those used last are last
        self.running: dict[Any, _Sent] = {}

    def send(self, call: Callable[[], Any], threads: Mapping[str, int]) -> None:
        """Send a call to the worker that has the fewest for each of its threads.

        Left to itself, the scheduler would prefer the one worker that has the arrays already.
        """
        packed = self._packer.pack(call)
        load = Counter(sent.worker for sent in self.running.values())
        worker = min(threads, key=lambda address: load[address] / threads[address])
        if packed.new is not None and packed.new.key not in self._bundles:
            name = f"rankscope-arrays-{packed.new.key}"
            self._bundles[packed.new.key] = self._client.submit(_received, packed.new, key=name)
        for key in packed.keys:
            self._bundles[key] = self._bundles.pop(key)
        future = self._client.submit(
            run_packed,
            packed.data,
            *(self._bundles[key] for key in packed.keys),
            workers=[worker],
            allow_other_workers=True,
            pure=False,
        )
        self.running[future] = _Sent(worker, packed.keys)

    def done(self, future: Any) -> None:
        """Forget a call whose result is here, and the bundles that no call has needed for long."""
        del self.running[future]
        future.release()  # others may hold it, such as the traceback of a wait that timed out
        needed = {key for sent in self.running.values() for key in sent.keys}
        for key in [key for key in list(self._bundles)[:-_KEPT] if key not in needed]:
            self._bundles.pop(key).release()
            self._packer.forget(key)

    def release(self) -> None:
        """Let go of everything: a client that is not ours lives on."""
        for future in (*self.running, *self._bundles.values()):
            future.release()


def _received(bundle: Bundle) -> Bundle:
    """A bundle, on a worker."""
    return bundle


def run_packed(data: bytes, *bundles: Bundle) -> Any:
    """What a packed call gives, on a worker that has its bundles."""
    return unpacked(data, bundles)()


def _finished(running: Sequence[Any], distributed: Any) -> list[Any]:
    """Those that are done, after a moment at most."""
    if not running:
        time.sleep(min(_TICK, _PATIENCE / 4))
        return []
    try:
        return list(distributed.wait(running, timeout=_TICK, return_when="FIRST_COMPLETED").done)
    except TimeoutError:
        return []


def _result(future: Any, client: Any) -> Any:
    """What a call gave; None where it is computed again, since its worker was lost with it."""
    try:
        return future.result(timeout=_PATIENCE)
    except TimeoutError:
        if future.status == "error":  # the call's own
            raise
        return None
    except RuntimeError as error:
        if "deserialization" not in str(error):
            raise
        raise UnreachableCluster(f"{_place(client)}: its scheduler cannot load rankscope; {_INSTALL}") from None


class _Workers:
    """The cores of a cluster, asked for now and then; an error where it has had none for too long."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.threads: dict[str, int] = {}
        self._asked = -_TICK
        self._seen = time.monotonic()
        self._known: set[str] = set()

    def cores(self) -> int:
        """How many there are."""
        now = time.monotonic()
        if self.threads and now - self._asked < _TICK:
            return sum(self.threads.values())
        workers = self._client.nthreads()
        self._check(set(workers) - self._known)
        self.threads, self._asked = dict(workers), now
        if self.threads:
            self._seen = now
        elif now - self._seen > _PATIENCE:
            missing = "all its workers are gone, and no other" if self._known else "no worker"
            more = f"; {_SAFE}" if self._known else ""
            raise UnreachableCluster(
                f"{_place(self._client)}: {missing} came within {_PATIENCE:g} seconds; start workers with `dask worker "
                f"{self._client.scheduler.address}`{more}"
            )
        return sum(self.threads.values())

    def _check(self, new: set[str]) -> None:
        """Raise an error for a worker that has no rankscope: it would end as soon as it gets a block, and the next."""
        if not new:
            return
        # exec, since a function of ours cannot be sent to where rankscope is not.
        outcomes = self._client.run(exec, "import rankscope.studies.blocks", {}, workers=list(new), on_error="return")
        for worker, outcome in outcomes.items():
            if isinstance(outcome, ImportError):
                raise UnreachableCluster(f"{_place(self._client)}: the worker {worker} has no rankscope; {_INSTALL}")
        self._known |= new


@contextlib.contextmanager
def _without_tracebacks() -> Generator[None, None, None]:
    """Leave it to the error of ours to say that a scheduler is gone: Dask logs tracebacks as it tries again."""
    loggers = [logging.getLogger(f"distributed.{name}") for name in ("client", "batched")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


@contextlib.contextmanager
def _client(cluster: Any, distributed: Any) -> Generator[Any, None, None]:
    """A client of the cluster; closed again if it was opened here."""
    if not isinstance(cluster, str):
        yield cluster
        return
    import asyncio

    # Asked beforehand: a client waits forever for what is not a scheduler, and complains when the interpreter exits.
    with ThreadPoolExecutor(1) as thread:  # a loop may run in this one, as in a notebook
        problem = thread.submit(asyncio.run, _no_scheduler(cluster, distributed)).result()
    if problem is not None:
        raise UnreachableCluster(f"cluster={cluster}: {problem}")
    with distributed.Client(cluster, timeout=_PATIENCE, set_as_default=False) as client:
        yield client


async def _no_scheduler(address: str, distributed: Any) -> str | None:
    """Why a scheduler does not answer there and how to help that; None if it does."""
    import asyncio

    try:
        settings = distributed.security.Security().get_connection_args("client")
        async with distributed.rpc(address, connection_args=settings, timeout=_PATIENCE) as remote:
            kind = (await asyncio.wait_for(remote.identity(), _PATIENCE))["type"]
    except TypeError as error:
        return f"{_CERTIFICATES} ({_first_line(error)})"
    except TimeoutError:
        return f"no Dask scheduler answers there within {_PATIENCE:g} seconds; {_START}"
    except (OSError, ValueError) as error:
        return f"no Dask scheduler answers there ({_first_line(error)}); {_START}"
    return None if kind == "Scheduler" else f"a Dask {str(kind).lower()} answers there, and no scheduler; {_START}"


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


def _place(client: Any) -> str:
    return f"the cluster at {client.scheduler.address}"
