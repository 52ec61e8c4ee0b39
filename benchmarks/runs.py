"""Runs and judgments: from text to codes against pytrec_eval's parser, growth, memory, the cache, and the join."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytrec_eval

import rankscope as rs
from benchmarks.timing import best

RUNS, TOPICS, DEPTH, POOL, JUDGED = 20, 50, 1_000, 5_000, 200
SIZES = (5, 20, 80)

_READ = """
import resource, sys, rankscope as rs
runs = rs.read_runs(sys.argv[1])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def write_track(folder: Path, runs: int = RUNS, topics: int = TOPICS, depth: int = DEPTH, seed: int = 0) -> Path:
    """Made-up runs of `depth` documents of each topic's pool, and judgments beside their folder, which is returned."""
    random = np.random.default_rng(seed)
    (folder / "runs").mkdir(parents=True)
    names = [f"FT9{i % 97:02}-{i:06}" for i in range(POOL)]
    merit = random.standard_normal((topics, POOL))
    for s in range(runs):
        noise = 0.5 + s / runs
        lines = []
        for t in range(topics):
            scores = merit[t] + noise * random.standard_normal(POOL)
            order = np.argsort(-scores)[:depth]
            lines += [
                f"{301 + t} Q0 {names[d]} {rank} {score:.6f} system{s}\n"
                for rank, (d, score) in enumerate(zip(order.tolist(), scores[order].tolist(), strict=True), 1)
            ]
        (folder / "runs" / f"system{s:03}.run").write_text("".join(lines), encoding="ascii")
    judged = [np.argsort(-merit[t] + random.standard_normal(POOL))[:JUDGED] for t in range(topics)]
    grades = np.clip(np.rint(merit), 0, 3).astype(int)
    rows = (f"{301 + t} 0 {names[d]} {grades[t, d]}\n" for t in range(topics) for d in judged[t])
    (folder / "qrels.txt").write_text("".join(rows), encoding="ascii")
    return folder / "runs"


def _theirs(paths: list[Path]) -> None:
    for path in paths:
        with path.open(encoding="ascii") as file:
            pytrec_eval.parse_run(file)


def run() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as place:
        folder = write_track(Path(place))
        paths = sorted(folder.iterdir())
        runs = rs.read_runs(folder)  # compile
        judgments = rs.read_judgments(folder.parent / "qrels.txt")
        rs.join(runs, judgments)
        rs.read_runs(folder, cache=folder.parent / "kept")
        theirs = best(lambda: _theirs(paths), 3)
        rows = {
            "`pytrec_eval.parse_run`, every file": theirs,
            "`rs.read_runs`, one thread": best(lambda: rs.read_runs(folder, jobs=1)),
            "`rs.read_runs`": best(lambda: rs.read_runs(folder)),
            "`rs.read_runs` from its cache": best(lambda: rs.read_runs(folder, cache=folder.parent / "kept")),
            "`rs.read_judgments`": best(lambda: rs.read_judgments(folder.parent / "qrels.txt")),
            "`rs.join`": best(lambda: rs.join(runs, judgments)),
        }
        yield f"## Reading {RUNS} runs × {TOPICS} topics × {DEPTH:,} documents, {len(judgments):,} judgments\n"
        yield "Baseline: `pytrec_eval.parse_run` on the same files, which does not rank the documents; ours does.\n"
        yield "| what | ms | ms per run | times as fast |\n|---|---|---|---|"
        for what, seconds in rows.items():
            each = f"{seconds / RUNS * 1e3:.1f}" if "read_runs" in what or "parse" in what else "–"
            yield f"| {what} | {seconds * 1e3:,.1f} | {each} | {theirs / seconds:.1f} |"
    yield "\n## Reading more runs\n"
    yield "| runs | rows | seconds | million rows per second | peak memory, MB |\n|---|---|---|---|---|"
    for size in SIZES:
        with tempfile.TemporaryDirectory() as place:
            folder = write_track(Path(place), runs=size)
            seconds = best(partial(rs.read_runs, folder), 3)
            words = [sys.executable, "-c", _READ, str(folder)]
            memory = float(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
            count = size * TOPICS * DEPTH
            yield f"| {size} | {count:,} | {seconds:.2f} | {count / seconds / 1e6:.1f} | {memory:,.0f} |"
