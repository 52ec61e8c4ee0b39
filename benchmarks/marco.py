"""Runs of the size of MS MARCO's development set: 100 runs × 6,980 queries × 100 documents, 70 million lines."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytrec_eval

from benchmarks.processes import measure
from benchmarks.timing import best

RUNS, QUERIES, DEPTH = 100, 6_980, 100
# Documents of a query that runs retrieve some of, and documents of the collection.
CANDIDATES, COLLECTION = 400, 8_841_823
PATIENCE = 600.0


def write(folder: Path, runs: int = RUNS) -> None:
    """Runs in `runs`, and `qrels.txt` with one relevant passage for each query."""
    random = np.random.default_rng(0)
    (folder / "runs").mkdir(parents=True)
    queries = np.sort(random.choice(1_100_000, QUERIES, replace=False))
    steps = random.permuted(np.tile(np.arange(CANDIDATES) * (COLLECTION // CANDIDATES), (QUERIES, 1)), axis=1)
    passages = random.integers(0, COLLECTION // CANDIDATES, (QUERIES, CANDIDATES)) + steps
    (folder / "qrels.txt").write_text("".join(f"{q} 0 {p} 1\n" for q, p in zip(queries, passages[:, 0], strict=True)))
    scores = [f"{rank + 1} {25 - rank / 8:.4f}" for rank in range(DEPTH)]
    for run in range(runs):
        with (folder / "runs" / f"run{run:03}.txt").open("w", encoding="ascii") as file:
            for query, candidates in zip(queries.tolist(), passages, strict=True):
                places = random.integers(0, CANDIDATES - DEPTH, endpoint=True)
                retrieved = candidates[places : places + DEPTH].tolist()
                lines = (
                    f"{query} Q0 {passage} {score} run{run}\n" for passage, score in zip(retrieved, scores, strict=True)
                )
                file.write("".join(lines))


def run() -> Iterator[str]:
    """Rows per second of `evaluate`, against pytrec_eval's parser on one of the files."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write(folder)
        with (folder / "runs" / "run000.txt").open(encoding="ascii") as file:
            text = file.read().splitlines(keepends=True)
        theirs = len(text) / best(lambda: pytrec_eval.parse_run(text), 1)
        words = ["evaluate", str(folder / "runs"), "--qrels", str(folder / "qrels.txt"), "-m", "RR@10", "-m", "nDCG@10"]
        took = measure([*words, "-o", str(folder / "scores.json"), "--quiet"], PATIENCE)
    rows = RUNS * QUERIES * DEPTH
    yield f"## MS MARCO's size: {RUNS} runs × {QUERIES:,} queries × {DEPTH} documents\n"
    yield "`rankscope evaluate -m RR@10 -m nDCG@10`, the whole process; baseline: `pytrec_eval.parse_run` on one run.\n"
    yield "| what | million rows per second | times the baseline | seconds | processor time | peak memory |"
    yield "|---|---|---|---|---|---|"
    yield f"| `pytrec_eval.parse_run` | {theirs / 1e6:.2f} | 1 | | | |"
    if took.failed:
        yield f"| `rankscope evaluate` | {took.failed} | | | | |"
        return
    speed = rows / took.seconds
    yield (
        f"| `rankscope evaluate` | {speed / 1e6:.1f} | {speed / theirs:.1f} | {took.seconds:.1f} s "
        f"| {took.processor:.1f} s | {took.peak:.2f} GB |"
    )
    yield "\nBudget: 3 million rows per second, below 2 GB."


if __name__ == "__main__":
    for line in run():
        print(line, flush=True)
