"""Scoring: from text to twenty measures beside pytrec_eval and trec_eval, and again under other judgments."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytrec_eval

import rankscope as rs
from benchmarks.runs import DEPTH, RUNS, TOPICS, write_track
from benchmarks.timing import DATA, best

MEASURES = (
    "map",
    "map_cut_100",
    "ndcg",
    "ndcg_cut_5",
    "ndcg_cut_10",
    "ndcg_cut_20",
    "ndcg_cut_100",
    "P_5",
    "P_10",
    "P_20",
    "P_100",
    "recall_10",
    "recall_100",
    "recall_1000",
    "success_1",
    "success_10",
    "Rprec",
    "recip_rank",
    "bpref",
    "infAP",
)
SIZES = (5, 20, 80)
GRADINGS = 100

_EVALUATE = """
import resource, sys, rankscope as rs
rs.evaluate(sys.argv[1], sys.argv[2], sys.argv[3].split())
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def _pytrec_eval(folder: Path, qrels: Path) -> None:
    with qrels.open(encoding="ascii") as file:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), set(MEASURES))
    for path in sorted(folder.iterdir()):
        with path.open(encoding="ascii") as file:
            evaluator.evaluate(pytrec_eval.parse_run(file))


def _trec_eval(folder: Path, qrels: Path) -> None:
    options = [word for name in MEASURES for word in ("-m", _with_dot(name))]
    for path in sorted(folder.iterdir()):
        subprocess.run(["trec_eval", "-q", *options, str(qrels), str(path)], check=True, stdout=subprocess.DEVNULL)


def _with_dot(name: str) -> str:
    base, _, cutoff = name.rpartition("_")
    return f"{base}.{cutoff}" if cutoff.isdigit() else name


def _from_text() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as place:
        folder = write_track(Path(place))
        qrels = folder.parent / "qrels.txt"
        kept = folder.parent / "kept"
        runs, judgments = rs.read_runs(folder, cache=kept), rs.read_judgments(qrels)
        judged = rs.join(runs, judgments)
        rs.score(judged, MEASURES)  # compile
        theirs = best(lambda: _pytrec_eval(folder, qrels), 3)
        ours = best(lambda: rs.evaluate(folder, qrels, MEASURES))
        again = {
            f"`rs.evaluate`, from text to {len(MEASURES)} measures": ours,
            "the same with runs from their cache": best(
                lambda: rs.evaluate(rs.read_runs(folder, cache=kept), qrels, MEASURES)
            ),
            "runs and judgments in memory": best(lambda: rs.evaluate(runs, judgments, MEASURES)),
            "`rs.score`, other grades, all measures": best(lambda: rs.score(judged, MEASURES)),
            "`rs.score`, other grades, nDCG@10": best(lambda: rs.score(judged, "nDCG@10")),
            "`rs.score`, other grades, AP": best(lambda: rs.score(judged, "AP")),
        }
        yield f"## From text to {len(MEASURES)} measures, {RUNS} runs × {TOPICS} topics × {DEPTH:,} documents\n"
        yield "Budget: 3 times as fast as pytrec_eval reading the same files; under other judgments 50 times as fast as"
        yield f"doing it all again. {len(judged.ranks):,} judged documents are in the rankings.\n"
        yield "| what | ms | times pytrec_eval | times `rs.evaluate` from text |\n|---|---|---|---|"
        yield f"| `pytrec_eval`, parse and evaluate | {theirs * 1e3:,.0f} | 1 | {ours / theirs:.2f} |"
        if shutil.which("trec_eval"):
            slow = best(lambda: _trec_eval(folder, qrels), 2)
            yield f"| `trec_eval -q`, each file | {slow * 1e3:,.0f} | {theirs / slow:.2f} | {ours / slow:.2f} |"
        for what, seconds in again.items():
            yield f"| {what} | {seconds * 1e3:,.2f} | {theirs / seconds:,.1f} | {ours / seconds:,.1f} |"
        if not shutil.which("trec_eval"):
            yield "\nThe `trec_eval` binary is not on the path."
        yield from _many(judged)


def _many(judged: rs.JudgedRuns) -> Iterator[str]:
    random = np.random.default_rng(0)
    grades = np.where(random.random((GRADINGS, len(judged.grades))) < 0.1, np.nan, judged.grades)
    yield f"\n## {GRADINGS} gradings of the same judgments, each without a random tenth\n"
    yield "| measure | ms | ms per grading |\n|---|---|---|"
    for name in ("nDCG@10", "AP", "bpref", "RBP(p=0.8)", " ".join(MEASURES)):
        seconds = best(partial(rs.rescore, judged, name, grades), 3)
        shown = f"all {len(MEASURES)}" if " " in name else name
        yield f"| {shown} | {seconds * 1e3:,.1f} | {seconds / GRADINGS * 1e3:.2f} |"


def _growth() -> Iterator[str]:
    yield f"\n## Growth, {len(MEASURES)} measures from text\n"
    yield "| runs | rows | seconds | microseconds per row | peak memory, MB |\n|---|---|---|---|---|"
    for size in SIZES:
        with tempfile.TemporaryDirectory() as place:
            folder = write_track(Path(place), runs=size)
            qrels = folder.parent / "qrels.txt"
            seconds = best(partial(rs.evaluate, folder, qrels, MEASURES), 3)
            words = [sys.executable, "-c", _EVALUATE, str(folder), str(qrels), " ".join(MEASURES)]
            memory = float(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
            rows = size * TOPICS * DEPTH
            yield f"| {size} | {rows:,} | {seconds:.2f} | {seconds / rows * 1e6:.2f} | {memory:,.0f} |"


def _covid() -> Iterator[str]:
    track = DATA / "covid1"
    if not track.is_dir():
        yield f"\nNo TREC-COVID runs at {track}."
        return
    yield "\n## TREC-COVID round 1: 143 runs, 3.5 million lines, gzipped, the 23 measures of Gupta et al.\n"
    yield "Budget: 15 s cold, 2 s from the cache; whole processes, start included.\n"
    with tempfile.TemporaryDirectory() as place:
        words = [
            sys.executable,
            "-m",
            "rankscope",
            "evaluate",
            str(track / "runs"),
            "--qrels",
            str(track / "qrels.txt"),
        ]
        words += ["-m", "gupta2019", "-q", "--format", "csv"]

        def command(*more: str) -> None:
            subprocess.run([*words, *more], check=True, capture_output=True)

        cold = best(command, 3)
        command("--cache", place)
        kept = best(lambda: command("--cache", place), 3)
    judged = rs.join(rs.read_runs(track / "runs"), rs.read_judgments(track / "qrels.txt"))
    rows = {"`rankscope evaluate`, cold": cold, "from the cache": kept}
    for name in ("gupta2019", "AP", "nDCG@10", "bpref"):
        rows[f"`rs.score` again in memory, {name}"] = best(partial(rs.score, judged, name))
    yield "| what | seconds |\n|---|---|"
    for what, seconds in rows.items():
        yield f"| {what} | {seconds:.4f} |"


def run() -> Iterator[str]:
    yield from _from_text()
    yield from _growth()
    yield from _covid()
