"""Every command that writes, with small input and a place for each of its outputs; a test holds the list complete."""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner, Result

import rankscope as rs
from rankscope.cli import main

OUT = "out"


@dataclass(frozen=True)
class Writing:
    """A command on the files that `make_input` makes: its words, and each of its output options with a place in OUT."""

    words: tuple[str, ...]
    outputs: Mapping[str, str]

    def line(self) -> list[str]:
        """The whole command line."""
        places = {option: f"{OUT}/{place}" for option, place in self.outputs.items()}
        return [*self.words, *(word for pair in places.items() for word in pair)]

    def only(self, option: str, place: str) -> list[str]:
        """The command line with this output alone."""
        return [*self.words, option, place]


_RUNS = ("runs", "--qrels", "truth.txt", "-m", "AP", "-c", "tau_b")
_QUICK = ("--resamples", "0")
_KEPT = {"--checkpoint": "kept"}
_CACHED = {"--cache": "cache", **_KEPT}

# By the command's place in the tree; what follows a colon is a second form of it.
WRITING = {
    "evaluate": Writing(("evaluate", "runs", "--qrels", "truth.txt"), {"--output": "scores.csv", "--cache": "cache"}),
    "evaluate: trec_eval": Writing(
        ("evaluate", "runs", "--qrels", "truth.txt", "--by-topic", "--format", "trec_eval"), {"--output": "scores.eval"}
    ),
    "judge": Writing(
        (
            "judge",
            "runs",
            "--truth",
            "truth.txt",
            "--judge",
            "cheap.txt",
            "--resamples",
            "20",
            "-m",
            "AP",
            "--random-draws",
            "0",
            "--pseudo-draws",
            "0",
        ),
        {"--output": "report.html", "--cache": "cache"},
    ),
    "judge: tracks": Writing(
        (
            *("judge", "--tracks", "track", "--truth", "human.qrels", "--judge", "llm.qrels", "-m", "AP"),
            *("--resamples", "20", "--random-draws", "20"),
        ),
        {"--output": "report.json", **_CACHED},
    ),
    "labels": Writing(("labels", "truth.txt", "cheap.txt", "--resamples", "20"), {"--output": "labels.html"}),
    "compare": Writing(("compare", "a.csv", "b.csv", "--resamples", "20"), {"--output": "report.json"}),
    "rank": Writing(("rank", "a.csv", "--resamples", "50"), {"--output": "board.json"}),
    "rank: runs": Writing(
        ("rank", "runs", "--qrels", "truth.txt", "--resamples", "50"), {"--output": "board.csv", "--cache": "cache"}
    ),
    "correct": Writing(("correct", "few.csv", "b.csv", "--resamples", "50"), {"--output": "board.json"}),
    "correct: runs": Writing(
        ("correct", "runs", "--truth", "few.txt", "--judge", "cheap.txt", "--resamples", "50"),
        {"--output": "board.csv", "--cache": "cache"},
    ),
    "plan": Writing(
        ("plan", "runs", "--judge", "cheap.txt", "--budget", "50%", "-m", "AP"),
        {"--output": "to-label.qrels", "--cache": "cache"},
    ),
    "reliability": Writing(("reliability", "a.csv", "--resamples", "20"), {"--output": "table.tex"}),
    "simulate": Writing(("simulate", "a.csv", "--collections", "3"), {"--output": "made"}),
    "simulate: one": Writing(("simulate", "a.csv"), {"--output": "made.parquet"}),
    "nulls": Writing(("nulls", "a.csv", "b.csv", "--resamples", "200"), {"--output": "table.csv", "--folder": "nulls"}),
    "metrics correlate": Writing(("metrics", "correlate", "measures.csv", *_QUICK), {"--output": "found.csv"}),
    "metrics predict": Writing(
        ("metrics", "predict", "measures.csv", "--dev", "other.csv", "--max-predictors", "1"),
        {"--output": "found.json"},
    ),
    "metrics rank": Writing(("metrics", "rank", "measures.csv", *_QUICK), {"--output": "found.txt"}),
    "study estimators": Writing(
        ("study", "estimators", "a.csv", "--sizes", "10", "--collections", "60", "--estimator", "ml", "--drop", "0"),
        {"--output": "study.json", "--checkpoint": "kept", "--each": "each.csv"},
    ),
    "study swaps": Writing(
        ("study", "swaps", "a.csv", "--draws", "10", "-k", "1", "-c", "tau_b"), {"--output": "swaps.csv", **_KEPT}
    ),
    "study weights": Writing(("study", "weights", "a.csv"), {"--output": "weights.csv", **_KEPT}),
    "study gaps": Writing(("study", "gaps", "--draws", "50"), {"--output": "gaps.json", **_KEPT}),
    "study reorderings": Writing(
        ("study", "reorderings", "a.csv", "--draws", "50", *_QUICK), {"--output": "reorderings.csv", **_KEPT}
    ),
    "study pool-depth": Writing(
        ("study", "pool-depth", *_RUNS, *_QUICK, "--depths", "1,5"), {"--output": "study.csv", **_CACHED}
    ),
    "study holes": Writing(
        ("study", "holes", *_RUNS, *_QUICK, "--repeats", "2", "--fractions", "0.3,0.6"),
        {"--output": "study.csv", **_CACHED},
    ),
    "study pseudo": Writing(("study", "pseudo", *_RUNS, *_QUICK, "--draws", "2"), {"--output": "study.csv", **_CACHED}),
    "study uniques": Writing(
        ("study", "uniques", *_RUNS, *_QUICK, "--depth", "5"), {"--output": "study.csv", **_CACHED}
    ),
    "study topics": Writing(
        ("study", "topics", *_RUNS, *_QUICK, "--repeats", "2", "--sizes", "3"), {"--output": "study.csv", **_CACHED}
    ),
    "study correction": Writing(
        (
            *("study", "correction", "runs", "--truth", "truth.txt", "-m", "AP"),
            *("--judge", "cheap.txt", "--repeats", "2"),
        ),
        {"--output": "study.csv", **_CACHED},
    ),
    "study depth-cost": Writing(
        (
            "study",
            "depth-cost",
            *_RUNS,
            "--judge",
            "cheap.txt",
            "--repeats",
            "2",
            "--depths",
            "1,5",
            "--fractions",
            "0.5,1",
        ),
        {"--output": "study.csv", **_CACHED},
    ),
    "study circularity": Writing(
        (
            *("study", "circularity", "runs", "--truth", "truth.txt", "--judge", "cheap.txt", "-m", "AP"),
            *("--noise", "0,1", "--repeats", "2"),
        ),
        {"--output": "study.csv", **_CACHED},
    ),
    "study profiles": Writing(("study", "profiles", "a.csv"), {"--output": "study.csv", **_KEPT}),
    "study panel": Writing(
        (
            *("study", "panel", "runs", "--truth", "truth.txt", "--judge", "cheap.txt", "--judge", "j=truth.txt"),
            *("-m", "AP"),
        ),
        {"--output": "study.csv", **_CACHED},
    ),
    "study repeats": Writing(
        ("study", "repeats", "runs", "--truth", "truth.txt", "--judge", "j=truth.txt,cheap.txt", "-m", "AP"),
        {"--output": "study.csv", **_CACHED},
    ),
    "show": Writing(("show", "saved.json"), {"--output": "shown.html"}),
    "demo": Writing(("demo",), {"--folder": "demo"}),
}


def make_input(folder: Path) -> None:
    """The files that the commands read, and an empty folder for what they write."""
    track = rs.simulate_track(systems=6, topics=8, rng=1)
    for place, human, cheap in ((folder, "truth.txt", "cheap.txt"), (folder / "track", "human.qrels", "llm.qrels")):
        rs.write_runs(track.runs, place / "runs")
        rs.write_judgments(track.truth, place / human)
        rs.write_judgments(next(iter(track.judges.values())), place / cheap)
    scores = rs.evaluate(track.runs, track.truth, ["AP", "nDCG@10"]).scores
    for name, matrix in zip("ab", scores.values(), strict=True):
        rs.write_scores(matrix, folder / f"{name}.csv")
    few = scores["nDCG@10"].topics[:4]
    rs.write_scores(scores["nDCG@10"].select(topics=few), folder / "few.csv")
    rs.write_judgments(track.truth.for_topics(few), folder / "few.txt")
    for name, shift in (("measures", 1), ("other", 2)):
        rows = [[(i * (j + shift) * 37 % 101 + 60 * i) / 1000 for j in range(3)] for i in range(12)]
        lines = ["system,map,P_10,bpref", *(f"s{i}," + ",".join(map(str, row)) for i, row in enumerate(rows))]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    rs.worth(scores["AP"], scores["nDCG@10"]).save(folder / "saved.json")
    (folder / OUT).mkdir()


def commands(command: click.Command = main, words: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Every command of the tree that is no group, by its words."""
    if not isinstance(command, click.Group):
        yield " ".join(words), command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from commands(found, (*words, name))


def output_options(command: click.Command) -> set[str]:
    """The options that name a file or folder to be written: input is given as words, output as a path."""
    return {
        option.opts[-1]
        for option in command.params
        if isinstance(option, click.Option)
        and (isinstance(option.type, click.Path | click.File) or "FOLDER" in (option.metavar or ""))
    }


def make_demo_small() -> None:
    """The demo on a track of a few systems, under one measure and with few draws: the same files, only smaller."""
    demo: Any = importlib.import_module("rankscope.cli.demo")
    demo.MEASURES = ("AP",)
    rs.simulate_track = partial(rs.simulate_track, systems=6, topics=8)
    rs.judge = partial(rs.judge, resamples=20, random_draws=0, pseudo_draws=0)


def invoke(words: Sequence[object]) -> Result:
    """Run a command line; an exception that is no exit fails the test."""
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def clear_output(folder: Path) -> None:
    """Leave the folder of outputs empty."""
    shutil.rmtree(folder / OUT)
    (folder / OUT).mkdir()
