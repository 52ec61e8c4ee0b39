"""Long studies in blocks: each is computed from what it is given, anywhere, and kept when it is done.

A block holds its data and its seed, so that its numbers depend on neither the number of workers, nor their order, nor
the machine's load; a block lost with its worker is computed again. The same blocks run in threads here (compiled loops
leave the interpreter's lock) or on a Dask cluster, to which arrays that blocks share are sent once (`sending.py`).
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from rankscope.checks import check_jobs
from rankscope.errors import BadParameter
from rankscope.files.checkpoints import Checkpoint
from rankscope.inference.resampling import one_blas_thread
from rankscope.scores import Floats
from rankscope.studies.cluster import run_on_cluster

Progress = Callable[[int, int], None]


class Block(Protocol):
    """A piece of a study."""

    @property
    def name(self) -> str:
        """Its name among the blocks of the study, which is also a file's."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of its numbers; a kept block of another shape is refused."""

    def run(self) -> Floats:
        """Its numbers."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Part:
    """A block that is a call of a function, whose numbers depend on its arguments alone."""

    name: str
    shape: tuple[int, ...]
    function: Callable[..., Floats]
    arguments: tuple[Any, ...]

    def run(self) -> Floats:
        """What the function gives."""
        return self.function(*self.arguments)


def run_blocks(
    blocks: Sequence[Block],
    *,
    jobs: int | None = None,
    cluster: Any = None,
    checkpoint: Checkpoint | None = None,
    progress: Progress | None = None,
    arrived: Callable[[int, Floats], None] | None = None,
) -> list[Floats]:
    """The numbers of each block, in order; those that the checkpoint has are not computed again.

    `cluster` is the address of a Dask scheduler or a `distributed.Client`. `progress` is called with the number of
    blocks done and of all, at the start and after each block. `arrived` is called with the place and the numbers of
    each block that was computed.
    """
    check_jobs(jobs)
    done: dict[int, Floats] = {}
    for place, block in enumerate(blocks):
        kept = None if checkpoint is None else checkpoint.load(block.name, block.shape)
        if kept is not None:
            done[place] = kept
    if progress is not None:
        progress(len(done), len(blocks))

    def keep(place: int, values: Floats) -> None:
        if checkpoint is not None:
            checkpoint.save(blocks[place].name, values)
        done[place] = values
        if arrived is not None:
            arrived(place, values)
        if progress is not None:
            progress(len(done), len(blocks))

    tasks = [_Task(place, block, _versions()) for place, block in enumerate(blocks) if place not in done]
    if tasks:
        _run(tasks, jobs, cluster, keep)
    return [done[place] for place in range(len(blocks))]


def _run(tasks: Sequence[_Task], jobs: int | None, cluster: Any, keep: Callable[[int, Floats], None]) -> None:
    """Run the tasks and keep their numbers as they come in."""
    if cluster is not None:
        run_on_cluster([task.run for task in tasks], cluster, lambda result: keep(*result))
        return
    workers = min(len(tasks), (os.cpu_count() or 1) if jobs is None else jobs)
    if workers == 1:
        with one_blas_thread():  # once for all: it looks for libraries in C, where Ctrl-C would be lost
            for task in tasks:
                keep(*task.run())
        return
    import joblib

    calls = (joblib.delayed(task.run)() for task in tasks)
    options: dict[str, Any] = {"return_as": "generator_unordered", "batch_size": 1}
    with one_blas_thread():
        _collect(joblib.Parallel(workers, backend="threading", **options)(calls), keep)


def _collect(results: Any, keep: Callable[[int, Floats], None]) -> None:
    """Keep results as they come in; they stop coming when it fails."""
    try:
        for place, values in results:
            keep(place, values)
    finally:
        with warnings.catch_warnings():  # joblib's, that some were still under way
            warnings.simplefilter("ignore", UserWarning)
            results.close()


@dataclass(frozen=True, eq=False)
class _Task:
    """A block on its way to a worker, which must run the same code."""

    place: int
    block: Block
    versions: str

    def run(self) -> tuple[int, Floats]:
        if _versions() != self.versions:
            raise BadParameter(
                f"a worker of the cluster has {_versions()}, and here it is {self.versions}: install one"
            )
        with one_blas_thread():
            return self.place, self.block.run()


def _versions() -> str:
    from rankscope import __version__

    return f"rankscope {__version__} with numpy {np.__version__}"
