"""`rankscope demo`: the embedded track, written as ordinary files and judged."""

from __future__ import annotations

from pathlib import Path

import click

import rankscope as rs
from rankscope.cli import options, streams
from rankscope.cli.command import Work, command
from rankscope.cli.declaring import option
from rankscope.cli.output import make_folder, write
from rankscope.defaults import MEASURES

DEMO_FOLDER = option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("rankscope-demo"),
    help="The folder for the files of the example.",
)


@command(DEMO_FOLDER, *options.COMPUTING, step="Making a track")
def demo(work: Work, folder: Path, rng: int, jobs: int | None) -> None:
    """Make a track of 40 systems on 50 topics, and ask whether three judges may replace the human one.

    The folder gets the report, and runs, judgments, families of systems and scores by topic as ordinary files. The
    report also shows what people on half of the topics make of a judge that fails.
    """
    from rankscope.demo import write_track

    make_folder(folder)
    track = rs.simulate_track(rng=rng)
    paths = write_track(track, folder)
    result = rs.judge(
        track.runs,
        track.truth,
        track.judges,
        MEASURES,
        groups=track.groups,
        rng=rng,
        jobs=jobs,
        progress=work.progress.begin,
    )
    work.progress.begin("Writing the report")
    failing = [result.answer(level.judge, level.measure) for level in result.levels]
    remedies = [(answer, answer.correction) for answer in failing if answer.correction is not None]
    if remedies:
        half = folder / "human-half.qrels"
        rs.write_judgments(track.truth.for_topics(remedies[-1][1].topics), half)
    report = folder / "report.html"
    result.save(report)
    result.save(folder / "report.json")
    work.progress.close()
    write(result)
    judges = " ".join(f"--judge {paths[name]}" for name in track.judges)
    groups = f"--groups {paths['families']}"
    streams.show(
        f"\nThe same on your own files: rankscope judge {paths['runs']} --truth {paths['human']} {judges} {groups}",
        *(
            f"People on half of the topics correct {answer.judge}: rankscope correct {paths['runs']} --truth {half} "
            f"--judge {paths[answer.judge]} -m {answer.measure}"
            for answer, _ in remedies[-1:]
        ),
        f"Report: {report}",
    )
