"""`rankscope compare`: score tables or leaderboards against a truth."""

from __future__ import annotations

from typing import Any

import click

from rankscope.cli import options, score_options

# The names of files.FORMATS, written out so that --help does not import the readers; a test holds them equal.
INPUT_FORMATS = ("wide", "wide-systems", "long", "trec_eval", "ir_measures", "leaderboard")


@click.command()
@click.argument("truth")
@click.argument("estimates", nargs=-1, required=True, metavar="ESTIMATE...")
@click.option(
    "-c",
    "--coefficient",
    "coefficients",
    multiple=True,
    metavar="NAME",
    help="A coefficient: tau_ap, 'rbo(p=0.8)', tau_gap@10, 'pearson_rank(symmetric=true)'. Repeatable; default all.",
)
@click.option("-m", "--measure", help="Which measure to read, where the files hold several.")
@click.option("--truth-measure", help="The same for the truth alone.")
@click.option("--estimate-measure", help="The same for the estimates alone.")
@click.option(
    "--input-format", type=click.Choice(INPUT_FORMATS), help="What the files are; by default as their content says."
)
@score_options.columns
@options.on_missing
@click.option(
    "--topics",
    type=click.Choice(("paired", "independent")),
    default="paired",
    show_default=True,
    help="Are both sides scored on the same topics, or on two samples of them?",
)
@options.verdict_rule
@options.resamples
@options.level
@click.option(
    "--interval",
    "method",
    type=click.Choice(("recentred", "percentile", "bca")),
    default="recentred",
    show_default=True,
    help="How intervals are made; docs/coverage.md tells why.",
)
@click.option(
    "--alpha",
    type=options.SHARE,
    default=0.05,
    show_default=True,
    help="The level at which two systems are significantly different.",
)
@click.option(
    "--correction",
    type=click.Choice(("none", "bonferroni", "holm", "bh")),
    default="bh",
    show_default=True,
    help="How those many tests are corrected.",
)
@click.option(
    "--top", multiple=True, type=click.IntRange(min=1), metavar="K", help="Overlap of the top K. Repeatable; 1 3 5 10."
)
@click.option(
    "--max-swaps",
    type=click.IntRange(min=0),
    default=10_000,
    show_default=True,
    help="Keep this many swaps, those with the largest gap in the truth; all are counted.",
)
@options.output_format
@options.output
@options.seed
@options.jobs
@options.quiet
@options.reports_errors
def compare(
    truth: str,
    estimates: tuple[str, ...],
    coefficients: tuple[str, ...],
    measure: str | None,
    truth_measure: str | None,
    estimate_measure: str | None,
    input_format: Any,
    columns: Any,
    on_missing: Any,
    topics: Any,
    rule: dict[str, Any],
    resamples: int,
    level: float,
    method: Any,
    alpha: float,
    correction: Any,
    top: tuple[int, ...],
    max_swaps: int,
    style: str | None,
    output: str | None,
    seed: int,
    jobs: int | None,
    quiet: bool,
) -> None:
    """Does each ESTIMATE rank the systems as TRUTH does, and what is one of its topics worth?

    Files are score tables (topics × systems), long tables, trec_eval or ir_measures output (a folder, one file per
    run), or leaderboards; CSV, TSV, JSONL or Parquet, plain or compressed, recognised by their content. To compare two
    measures of one file, name it twice:

    \b
        rankscope compare scores.csv scores.csv --truth-measure AP --estimate-measure P@10
    """  # noqa: D301 (\b is click's mark for lines that must not be wrapped)
    from dataclasses import replace

    import rankscope as rs
    from rankscope.coefficients import coefficient
    from rankscope.files.fingerprints import recording
    from rankscope.studies.comparison import TOP

    chosen = [coefficient(name) for name in coefficients] or None  # a typo should not wait for the files to be read
    sides = [("truth", truth, truth_measure or measure)]
    sides += [("estimate", path, estimate_measure or measure) for path in estimates]
    scores, inputs = [], []
    with options.working("Comparing", quiet=quiet):
        for role, path, chosen_measure in sides:
            with recording() as read:
                scores.append(_read(path, chosen_measure, input_format, columns, on_missing))
            inputs.append(read.fingerprint(role, path))
        result = rs.compare(
            *scores,
            coefficients=chosen,
            on_missing=on_missing,
            topics=topics,
            **rule,
            resamples=resamples,
            level=level,
            method=method,
            alpha=alpha,
            correction=correction,
            top=top or TOP,
            max_swaps=max_swaps,
            rng=seed,
            jobs=jobs,
        )
        result = replace(result, settings={**result.settings, "inputs": inputs})
    options.write(result, style=style, output=output)


def _read(path: str, measure: str | None, input_format: Any, columns: Any, on_missing: str) -> Any:
    """An explicit gap in a file is an error here, where file and line are known; the rest is left to the alignment."""
    import rankscope as rs

    gaps: Any = "error" if on_missing == "error" else "keep"
    return rs.read_scores(path, format=input_format, measure=measure, columns=columns, on_missing=gaps)
