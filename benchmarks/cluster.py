"""A real Dask cluster on this machine: speed-up, equal results, killed processes, bytes sent, tasks per second.

    .venv/bin/python -m benchmarks cluster

Scheduler and workers are processes of `dask scheduler` and `dask worker`. Where other work shares the cores, wall times
say little: processor time is beside them, the sum of client, scheduler and workers. docs/scale.md is made of this.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import rankscope as rs
from benchmarks.timing import DATA
from rankscope.demo import demo_scores
from rankscope.errors import UnreachableCluster
from rankscope.studies import blocks as studies_blocks
from rankscope.studies.sending import Packer

_DASK = str(Path(sys.executable).with_name("dask"))
_TICKS = os.sysconf("SC_CLK_TCK")
# Every process has one thread, as a worker has.
_THREADS = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
# Workers load this module, too: some of its blocks are sent to them.
_ENVIRONMENT = {**os.environ, **_THREADS, "PYTHONPATH": str(Path(__file__).parents[1])}

SCORES = demo_scores()["human"]
ESTIMATORS: dict[str, Any] = {"sizes": [20, 50], "collections": 1_000}
TRACKS = {f"track {i}": (30, 40, 50, i) for i in range(1, 5)}


@dataclass(eq=False)
class Cluster:
    """Processes of a scheduler and its workers."""

    folder: Path
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]

    @property
    def address(self) -> str:
        return str(json.loads((self.folder / "scheduler.json").read_text(encoding="utf-8"))["address"])

    def processor_seconds(self) -> list[float]:
        """Of this process, the scheduler and every worker."""
        others = (self.scheduler, *self.workers)
        return [time.process_time(), *(_processor_seconds(process.pid) for process in others)]

    def start_worker(self) -> None:
        words = [_DASK, "worker", "--scheduler-file", str(self.folder / "scheduler.json"), "--nthreads", "1"]
        words += ["--no-nanny", "--no-dashboard", "--local-directory", str(self.folder)]
        self.workers.append(_started(words))


@contextmanager
def cluster(workers: int) -> Iterator[Cluster]:
    """A scheduler and this number of workers, which have all arrived."""
    distributed: Any = import_module("distributed")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scheduler.json"
        words = [_DASK, "scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
        made = Cluster(Path(folder), _started(words), [])
        try:
            for _ in range(workers):
                made.start_worker()
            while not (file.exists() and file.stat().st_size):
                time.sleep(0.05)
            with distributed.Client(made.address, set_as_default=False) as client:
                client.wait_for_workers(workers, timeout=120)
                # The first call of a kernel loads it, which is no part of a study.
                client.run(exec, "import rankscope as rs; rs.judge_tracks; import rankscope.studies.blocks", {})
            yield made
        finally:
            for process in (*made.workers, made.scheduler):
                process.kill()
                process.wait()


def _started(words: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=_ENVIRONMENT)


def _processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _peak_megabytes(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def tracks() -> dict[str, Any]:
    return {name: rs.simulate_track(s, t, depth=d, rng=seed) for name, (s, t, d, seed) in TRACKS.items()}


def estimators(**where: Any) -> Any:
    return rs.study_estimators({"human": SCORES}, **ESTIMATORS, **where)


def judged(data: dict[str, Any], **where: Any) -> Any:
    return rs.judge_tracks(data, ["nDCG@10", "AP"], **where)


def content(result: Any) -> str:
    return json.dumps(result.to_dict(), sort_keys=True)


def speed_up(name: str, study: Callable[..., Any], repeats: int) -> list[str]:
    """Times with one thread here, and with 1, 2 and 4 worker processes; the best of some runs.

    Where there are fewer free cores than processes, wall time cannot fall. What it would be with a core for each is
    bounded by the processor time of the busiest process, by which the last speed-up is.
    """
    lines = [
        f"| {name} | wall, s | speed-up | processor time of all, s | of the busiest, s | speed-up by it | result |",
        "|---|--:|--:|--:|--:|--:|---|",
    ]
    study(jobs=1)  # kernels are compiled or loaded
    wall, processor, wanted = np.inf, np.inf, ""
    for _ in range(repeats):
        began, worked = time.perf_counter(), time.process_time()
        wanted = content(study(jobs=1))
        wall = min(wall, time.perf_counter() - began)
        processor = min(processor, time.process_time() - worked)
    lines.append(f"| `--jobs 1` | {wall:.1f} | 1 | {processor:.1f} | {processor:.1f} | 1 | |")
    for workers in (1, 2, 4):
        with cluster(workers) as made:
            study(cluster=made.address)  # as above, on every worker
            best, same = [np.inf] * 3, True
            for _ in range(repeats):
                began, before = time.perf_counter(), made.processor_seconds()
                same &= content(study(cluster=made.address)) == wanted
                spent = [now - then for now, then in zip(made.processor_seconds(), before, strict=True)]
                found = time.perf_counter() - began, sum(spent), max(spent)
                best = [min(both) for both in zip(best, found, strict=True)]
        lines.append(
            f"| {workers} worker{'s' * (workers > 1)} | {best[0]:.1f} | {wall / best[0]:.2f} | {best[1]:.1f} | "
            f"{best[2]:.1f} | {processor / best[2]:.2f} | {_says(same)} |"
        )
    return lines


def killed(name: str, study: Callable[..., Any]) -> list[str]:
    """A worker killed in the middle, and the scheduler killed in the middle and the study resumed."""
    wanted = content(study(jobs=1))
    lines = []
    with cluster(2) as made:

        def kill_worker(done: int, total: int) -> None:
            if done == total // 3 and len(made.workers) == 2:
                os.kill(made.workers[0].pid, signal.SIGKILL)
                made.start_worker()

        same = content(study(cluster=made.address, progress=kill_worker)) == wanted
        lines.append(
            f"- {name}: one of two workers killed (SIGKILL) after a third of the blocks, another joins: {_says(same)}"
        )
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "kept"
        stopped = ""
        with cluster(2) as made:

            def kill_scheduler(done: int, total: int) -> None:
                if done == total // 2:
                    os.kill(made.scheduler.pid, signal.SIGKILL)

            try:
                study(cluster=made.address, checkpoint=kept, progress=kill_scheduler)
            except UnreachableCluster as error:
                stopped = str(error)
        there = len(list(kept.glob("*.npz")))
        first: list[int] = []
        with cluster(2) as made:
            resumed = study(cluster=made.address, checkpoint=kept, progress=lambda done, _: first.append(done))
        lines.append(
            f'- {name}, the scheduler killed after half of the blocks: the command says "{stopped.split("; ")[-1]}"; '
            f"{there} blocks are kept; the same command on a new cluster begins with {first[0]} blocks done: "
            f"{_says(content(resumed) == wanted)}."
        )
    return lines


def _says(same: bool) -> str:
    return "equal to the last bit" if same else "DIFFERENT"


def collected(study: Callable[..., Any]) -> list[Any]:
    """The blocks of a study, which are not run."""
    seen: list[Any] = []

    class Stop(Exception):
        pass

    def run_blocks(blocks: Any, **_: Any) -> Any:
        seen.extend(blocks)
        raise Stop

    homes = [module for module in list(sys.modules.values()) if getattr(module, "run_blocks", None) is not None]
    before = studies_blocks.run_blocks
    for home in homes:
        home.run_blocks = run_blocks  # type: ignore[attr-defined]
    try:
        study()
    except Stop:
        pass
    finally:
        for home in homes:
            home.run_blocks = before  # type: ignore[attr-defined]
    return seen


def bytes_sent(studies: dict[str, Callable[..., Any]]) -> list[str]:
    """Bytes with every block before arrays travelled apart, and now; and what goes once to each worker."""
    lines = [
        "| study | blocks | bytes with each block, before | now | arrays, once to each worker | in all, 4 workers |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    dumps = import_module("cloudpickle").dumps
    for name, study in studies.items():
        blocks = collected(study)
        some = blocks[:: max(1, len(blocks) // 50)]
        before = float(np.mean([len(dumps(block.run)) for block in some]))
        packer, own = Packer(), []
        sizes: dict[str, int] = {}
        uses: Counter[str] = Counter()
        for block in blocks:
            packed = packer.pack(block.run)
            own.append(len(packed.data))
            uses.update(packed.keys)
            if packed.new is not None:
                sizes[packed.new.key] = packed.new.size
        now, number = float(np.mean(own)), len(blocks)
        arrays = sum(size * min(4, uses[key]) for key, size in sizes.items())
        lines.append(
            f"| {name} | {number:,} | {before:,.0f} | {now:,.0f} | {sum(sizes.values()):,} | "
            f"{before * number / 1e6:,.1f} → {(now * number + arrays) / 1e6:,.1f} MB |"
        )
    return lines


@dataclass(frozen=True)
class Nothing:
    """A block that does next to nothing."""

    name: str
    data: np.ndarray[Any, Any]
    shape = (1,)

    def run(self) -> Any:
        return self.data[:1]


def tasks_per_second(number: int = 3_000) -> tuple[list[str], float, float]:
    """How many blocks that do nothing pass per second, and what one costs client and scheduler."""
    blocks = [Nothing(str(i), np.zeros(10_000)) for i in range(1)]
    blocks = [Nothing(str(i), blocks[0].data) for i in range(number)]
    with cluster(2) as made:
        studies_blocks.run_blocks(blocks[:200], cluster=made.address)
        began, worked = time.perf_counter(), time.process_time()
        before = _processor_seconds(made.scheduler.pid)
        studies_blocks.run_blocks(blocks, cluster=made.address)
        wall, client = time.perf_counter() - began, time.process_time() - worked
        scheduler = _processor_seconds(made.scheduler.pid) - before
        memory = _peak_megabytes(made.scheduler.pid), _peak_megabytes(made.workers[0].pid)
    return (
        [
            f"- {number:,} blocks that do nothing, 2 workers: {number / wall:,.0f} per second of wall time. One "
            f"takes {1e3 * client / number:.2f} ms of the client's processor time and {1e3 * scheduler / number:.2f} "
            f"ms of the scheduler's: with a core for each, {number / max(client, scheduler):,.0f} per second.",
            f"- Peak memory meanwhile: scheduler {memory[0]:,.0f} MB, worker {memory[1]:,.0f} MB.",
        ],
        client / number,
        scheduler / number,
    )


def block_costs() -> tuple[list[str], float, float, float]:
    """Processor seconds of a simulated collection with all estimators, and of a judge on a track."""
    lines = ["| block | processor time | peak memory of the process |", "|---|--:|--:|"]
    tables: dict[str, Any] = {"simulated, 32 systems": SCORES}
    if (DATA / "urbano2016").exists():
        tables["TREC-7 ad hoc, 103 systems"] = rs.read_scores(DATA / "urbano2016" / "adhoc7.csv")
    collection = 0.0
    for name, table in tables.items():
        seconds = []
        for size in (10, 50, 100):
            rs.study_estimators({"scores": table}, sizes=[size], collections=1, jobs=1)
            worked = time.process_time()
            rs.study_estimators({"scores": table}, sizes=[size], collections=25, jobs=1, rng=1)
            seconds.append((time.process_time() - worked) / 25)
            lines.append(
                f"| one collection of {size} topics, all estimators: {name} | {seconds[-1]:.3f} s | "
                f"{_own_peak():,.0f} MB |"
            )
        collection = float(np.mean(seconds))
    judges: list[float] = []
    track = rs.simulate_track(40, 50, rng=0)
    named: dict[str, tuple[Any, Any, dict[str, Any]]] = {
        "simulated, 40 systems × 50 topics": (track.runs, track.truth, dict(list(track.judges.items())[:2]))
    }
    dl19 = DATA / "dl19"
    if dl19.exists():
        labels = {name: dl19 / "judges" / f"{name}.qrels" for name in ("umbrela-gpt-4o", "four-prompts-llama3")}
        named["TREC DL 2019, 37 systems × 43 topics"] = (dl19 / "runs", dl19 / "qrels.human.txt", labels)
    for name, (runs, truth, of) in named.items():
        data = rs.JudgedTrack(runs=rs.read_runs(runs) if isinstance(runs, Path) else runs, truth=truth, judges=of)
        judged({"x": data}, jobs=1)
        worked = time.process_time()
        judged({"x": data}, jobs=1)
        judges.append((time.process_time() - worked) / len(of))
        lines.append(f"| one judge on one track, nDCG@10 and AP: {name} | {judges[-1]:.2f} s | {_own_peak():,.0f} MB |")
    return lines, collection, float(np.mean(judges)), _own_peak()


def _own_peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def extrapolated(collection: float, judge: float, client: float, scheduler: float) -> list[str]:
    """What 10⁶ collections and 1,000 judges × 100 tracks take, by machines of 32 cores."""
    lines = [
        "| study | blocks | processor hours | 1 machine | 10 machines | 100 machines | scheduler's own time |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    own = max(client, scheduler)
    for name, blocks, seconds in (
        ("10⁶ collections, blocks of 25", 40_000, 25 * collection),
        ("1,000 judges × 100 tracks", 100_000, judge),
    ):
        work = blocks * seconds
        hours = [max(work / (32 * machines), blocks * own) / 3600 for machines in (1, 10, 100)]
        times = " | ".join(f"{60 * h:.0f} min" if h < 2 else f"{h:.1f} h" for h in hours)
        lines.append(f"| {name} | {blocks:,} | {work / 3600:,.0f} | {times} | {60 * blocks * own / 3600:.1f} min |")
    return lines


def run() -> list[str]:
    data = tracks()
    judge = partial(judged, data)
    sent: dict[str, Callable[..., Any]] = {"estimators": estimators, "judge --tracks": judge}
    track = data["track 1"]
    for name in ("holes", "topics", "uniques"):
        sent[name] = partial(getattr(rs, f"study_{name}"), track.runs, track.truth, ["AP"], resamples=100)
    sent["circularity"] = partial(rs.study_circularity, track.runs, track.truth, track.judges, "AP")
    sent["correction"] = partial(rs.study_correction, track.runs, track.truth, track.judges, "nDCG@10")
    costs, collection, one_judge, _ = block_costs()
    passed, client, scheduler = tasks_per_second()
    repeats = int(os.environ.get("RANKSCOPE_REPEATS", "2"))
    return [
        "## On a cluster",
        "",
        *speed_up("`study estimators`, 32 systems, 2,000 collections in 80 blocks", estimators, repeats),
        "",
        *speed_up("`judge --tracks`, 4 tracks × 3 judges in 12 blocks", judge, repeats),
        "",
        *killed("`study estimators`", estimators),
        *killed("`judge --tracks`", judge),
        "",
        *bytes_sent(sent),
        "",
        *passed,
        "",
        *costs,
        "",
        *extrapolated(collection, one_judge, client, scheduler),
    ]
