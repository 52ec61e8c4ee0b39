"""`rankscope demo`: the embedded track, written as ordinary files and judged."""

from __future__ import annotations

from pathlib import Path

import click

from rankscope.cli import options, streams

MEASURES = ("nDCG@10", "AP")


@click.command()
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("rankscope-demo"),
    show_default=True,
    help="Where to write the example's files.",
)
@options.seed
@options.jobs
@options.quiet
@options.reports_errors
def demo(folder: Path, seed: int, jobs: int | None, quiet: bool) -> None:
    """Make a track of 40 systems on 50 topics, and ask whether three judges may stand for the human one.

    The folder gets the runs, the judgments, the systems' families and scores by topic as ordinary files to look at, and
    the report.
    """
    import rankscope as rs
    from rankscope.demo import write_track

    with options.working("Making a track", quiet=quiet) as tell:
        options.make_folder(folder)
        track = rs.simulate_track(rng=seed)
        paths = write_track(track, folder)
        result = rs.judge(
            track.runs, track.truth, track.judges, MEASURES, groups=track.groups, rng=seed, jobs=jobs, progress=tell
        )
    options.write(result, style=None, output=None)
    report = folder / "report.html"
    with options.working("Writing the report", quiet=quiet):
        result.save(report)
        result.save(folder / "report.json")
    judges = " ".join(f"--judge {paths[name]}" for name in track.judges)
    groups = f"--groups {paths['families']}"
    streams.show(
        f"\nThe same on your own files: rankscope judge {paths['runs']} --truth {paths['human']} {judges} {groups}",
        f"Report: {report}",
    )
