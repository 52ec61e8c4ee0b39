"""`rankscope demo`: the embedded example, written as ordinary files and compared."""

from __future__ import annotations

from pathlib import Path

import click

from rankscope.cli import options


@click.command()
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("rankscope-demo"),
    show_default=True,
    help="Where to write the example's files.",
)
@options.seed
@options.reports_errors
def demo(folder: Path, seed: int) -> None:
    """Make a small track of 32 systems on 40 topics and compare three judges with the human one."""
    import rankscope as rs
    from rankscope.demo import demo_scores

    options.make_folder(folder)
    paths = {}
    for judge, scores in demo_scores(rng=seed).items():
        paths[judge] = folder / f"{judge}.csv"
        rs.write_scores(scores, paths[judge])
    result = rs.compare(*paths.values(), rng=seed)
    options.write(result, style=None, output=None)
    report = folder / "report.html"
    result.save(report)
    result.save(folder / "comparison.json")
    click.echo(f"\nThe same on your own files: rankscope compare {' '.join(map(str, paths.values()))}")
    click.echo(f"Report: {report}")
