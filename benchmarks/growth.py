"""Processor time and peak memory of every command, and how they grow with systems, topics and draws.

Words on the command line choose commands: `python -m benchmarks.growth compare "study swaps"`.
"""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import rankscope as rs
from benchmarks.limits import table
from benchmarks.processes import Usage, measure
from rankscope.simulation import JudgeModel

PATIENCE = 300.0
# Systems × topics of score tables, and of tracks (100 documents a topic).
TABLE, TRACK = (200, 200), (60, 100)
_JUDGES = {"first": JudgeModel(noise=0.6), "second": JudgeModel(noise=0.9, leniency=0.5)}


@dataclass(frozen=True)
class Form:
    """A command: its words, the option that says how many draws it takes, and how many it takes without that."""

    words: str
    draws: str = ""
    base: int = 0


# {a}, {b} are score tables; {runs}, {truth}, {first}, {second} a track with two judges; {folder} is for output.
FORMS = (
    Form("compare {a} {b}", "--resamples", 2000),
    Form("judge {runs} --truth {truth} --judge {first} --judge {second}", "--resamples", 2000),
    Form("labels {truth} {first} {second}", "--resamples", 2000),
    Form("evaluate {runs} --qrels {truth}"),
    Form("rank {a}", "--resamples", 2000),
    Form("correct {half} {b}", "--resamples", 2000),
    Form("plan {runs} --judge {first} --budget 10% -o {folder}/plan.qrels"),
    Form("reliability {a}", "--resamples", 1000),
    Form("simulate {a} -o {folder}/made", "--collections", 5),
    Form("nulls {a} --folder {folder}/nulls", "--resamples", 1000),
    Form("metrics correlate --runs {runs} {truth}", "--resamples", 2000),
    Form("metrics rank --runs {runs} {truth}", "--resamples", 2000),
    Form("metrics predict --runs {runs} {truth} --runs {more}/runs {more}/truth.qrels"),
    Form("study circularity {runs} --truth {truth} --judge {first} -m AP", "--repeats", 20),
    Form("study correction {runs} --truth {truth} --judge {first} -m AP", "--repeats", 10),
    Form("study depth-cost {runs} --qrels {truth} --judge {first} -m AP", "--repeats", 10),
    Form("study estimators {a} --sizes 50", "--collections", 50),
    Form("study gaps --systems {systems}", "--draws", 10000),
    Form("study holes {runs} --qrels {truth} -m AP", "--repeats", 30),
    Form("study panel {runs} --truth {truth} --judge {first} --judge {second} -m AP"),
    Form("study pool-depth {runs} --qrels {truth} -m AP", "--resamples", 2000),
    Form("study profiles {a}"),
    Form("study pseudo {runs} --qrels {truth} -m AP", "--draws", 50),
    Form("study reorderings {a}", "--draws", 2000),
    Form("study repeats {runs} --truth {truth} --judge gpt={first},{second} -m AP", "--draws", 999),
    Form("study swaps {a}", "--draws", 1000),
    Form("study topics {runs} --qrels {truth} -m AP", "--repeats", 200),
    Form("study uniques {runs} --qrels {truth} -m AP", "--resamples", 2000),
    Form("study weights {a}"),
    Form("show {folder}/saved.json"),
)


def inputs(folder: Path, systems: int, topics: int) -> dict[str, str]:
    """The files that the words of a form name, for sizes that are multiples of the base's."""
    a, b = table(folder, TABLE[0] * systems, TABLE[1] * topics)
    half = folder / f"half-{a.name}"
    if isinstance(scores := rs.read_scores(a), rs.ScoreMatrix):
        rs.write_scores(scores.select(topics=scores.topics[::2]), half)
    home = folder / f"track{systems}x{topics}"
    if not home.exists():
        made = rs.simulate_track(TRACK[0] * systems, TRACK[1] * topics, judges=_JUDGES, rng=0)
        rs.write_runs(made.runs, home / "runs")
        rs.write_judgments(made.truth, home / "truth.qrels")
        for name, judgments in made.judges.items():
            rs.write_judgments(judgments, home / f"{name}.qrels")
    files = {name: str(home / f"{name}.qrels") for name in ("truth", *_JUDGES)}
    return {
        **{
            "a": str(a),
            "b": str(b),
            "half": str(half),
            "runs": str(home / "runs"),
            "folder": str(folder),
            "more": str(folder / "other"),
        },
        **files,
        "systems": str(TABLE[0] * systems),
    }


def run(wanted: Sequence[str] = ()) -> Iterator[str]:
    """A row for every command."""
    yield "## Peak memory and growth\n"
    yield (
        f"Every command with its defaults, as a process of its own: score tables of {TABLE[0]} systems × {TABLE[1]} "
        f"topics, simulated tracks of {TRACK[0]} runs × {TRACK[1]} topics × 100 documents. Seconds of processor time "
        "and peak memory; then both with twice the systems, topics and draws, as ratios to the first. The interpreter "
        "and imports take 0.3 to 0.6 s and 0.1 GB of each.\n"
    )
    yield "| command | processor time | peak | × 2 systems | × 2 topics | × 2 draws |\n|---|---|---|---|---|---|"
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        other = rs.simulate_track(*TRACK, rng=1)
        rs.write_runs(other.runs, folder / "other" / "runs")
        rs.write_judgments(other.truth, folder / "other" / "truth.qrels")
        sizes = {size: inputs(folder, *size) for size in ((1, 1), (2, 1), (1, 2))}
        a, b = sizes[1, 1]["a"], sizes[1, 1]["b"]
        measure(["compare", a, b, "-o", str(folder / "saved.json")], PATIENCE)
        for form in FORMS:
            name = form.words.partition(" {")[0].partition(" -")[0]
            if wanted and name not in wanted:
                continue
            base = _usage(form, sizes[1, 1])
            grown = [_ratio(base, _usage(form, sizes[size])) for size in ((2, 1), (1, 2))]
            draws = _ratio(base, _usage(form, sizes[1, 1], 2)) if form.draws else "–"
            failed = f" ({base.failed})" if base.failed else ""
            yield f"| `{name}` | {base.processor:.2f} s{failed} | {base.peak:.2f} GB | {' | '.join(grown)} | {draws} |"
    yield (
        "\nTime of the rank distance grows with the cube of the number of systems, and faster where systems come to "
        "outnumber topics, as here (`compare`, `nulls`, `study reorderings`)."
    )


def _usage(form: Form, files: dict[str, str], times: int = 1) -> Usage:
    draws = [form.draws, str(form.base * times)] if form.draws else []
    return measure([*(word.format(**files) for word in form.words.split()), *draws, "--quiet"], PATIENCE)


def _ratio(base: Usage, other: Usage) -> str:
    if base.failed or other.failed:
        return other.failed or "–"
    return f"{other.processor / base.processor:.1f}, {other.peak / base.peak:.1f}"


if __name__ == "__main__":
    for line in run(sys.argv[1:]):
        print(line, flush=True)
