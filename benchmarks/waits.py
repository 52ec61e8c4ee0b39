"""What people wait for: whole commands of common and of large sizes, as processes."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import rankscope as rs
from benchmarks.limits import table
from benchmarks.processes import Usage, measure
from rankscope.simulation import JudgeModel

PATIENCE = 600.0
_JUDGES = {
    "a": JudgeModel(noise=0.5),
    "b": JudgeModel(noise=0.7, leniency=0.5),
    "c": JudgeModel(noise=0.6, favours="dense", bias=0.3),
    "d": JudgeModel(noise=0.9),
    "e": JudgeModel(noise=0.4, by_topic=0.3),
}
_MEASURES = ("-m", "nDCG@10", "-m", "AP", "-m", "P@10")


def _track(folder: Path) -> list[str]:
    """`judge` on a simulated track of 63 runs and 53 topics with five judges, without measures."""
    made = rs.simulate_track(63, 53, judges=_JUDGES, rng=1)
    rs.write_runs(made.runs, folder / "runs")
    rs.write_judgments(made.truth, folder / "truth.qrels")
    words = ["judge", str(folder / "runs"), "--truth", str(folder / "truth.qrels")]
    for name, judgments in made.judges.items():
        rs.write_judgments(judgments, folder / f"{name}.qrels")
        words += ["--judge", str(folder / f"{name}.qrels")]
    return words


def run() -> Iterator[str]:
    """A row for each command, the best of three for short ones."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        judge = _track(folder)
        large = [[str(path) for path in table(folder, *size)] for size in ((1_000, 1_000), (10_000, 100))]
        page = ["-o", str(folder / "report.html")]
        small = rs.simulate_track(34, 50, rng=2)
        rs.write_scores(rs.evaluate(small.runs, small.truth, "nDCG@10").scores["nDCG@10"], folder / "34x50.csv")
        study = ["study", "estimators", str(folder / "34x50.csv"), "--drop", "0"]
        cases = (
            ("`judge`, 63 runs × 53 topics, 5 judges, nDCG@10", [*judge, *_MEASURES[:2]], 3, ""),
            ("the same under nDCG@10, AP and P@10", [*judge, *_MEASURES], 3, "4 s"),
            ("the same with the page", [*judge, *_MEASURES, *page], 3, "6 s"),
            ("`compare`, 1,000 systems × 1,000 topics", ["compare", *large[0]], 1, "15 s"),
            ("`compare`, 10,000 systems × 100 topics", ["compare", *large[1]], 1, "that it ends"),
            ("`study estimators`, 34 × 50: first results", [*study, "--collections", "25"], 1, ""),
            ("the same to its end (1,000 collections)", study, 1, "30 s, or first results early"),
        )
        yield "## What people wait for\n\nWhole commands with their defaults, as processes.\n"
        yield "| what | seconds | processor time | peak memory | budget |\n|---|---|---|---|---|"
        for what, words, times, budget in cases:
            took = min((measure([*words, "--quiet"], PATIENCE) for _ in range(times)), key=lambda use: use.seconds)
            yield f"| {what} | {_said(took)} | {took.processor:.1f} s | {took.peak:.2f} GB | {budget} |"


def _said(took: Usage) -> str:
    return took.failed or f"{took.seconds:.1f} s"


if __name__ == "__main__":
    for line in run():
        print(line, flush=True)
