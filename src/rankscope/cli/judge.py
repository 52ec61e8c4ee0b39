"""`rankscope judge`: may systems be ranked with these judgments instead?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rankscope.cli import options, run_options, streams
from rankscope.cli.run_options import Reading

if TYPE_CHECKING:
    from rankscope.runs import Judgments


@click.command()
@run_options.runs_argument
@click.option("--truth", required=True, metavar="[NAME=]FILE", help="The judgments that are trusted.")
@click.option(
    "--judge",
    "judges",
    required=True,
    multiple=True,
    metavar="[NAME=]FILE",
    help="Judgments that might replace them. Repeatable; called by the file's name unless you name them.",
)
@click.option(
    "-m",
    "--measure",
    "--measures",
    "measures",
    multiple=True,
    metavar="NAME",
    help="A measure to rank by: nDCG@10, 'AP(rel=2)', map. Repeatable; by default nDCG@10 and AP.",
)
@click.option(
    "--groups",
    metavar="FILE[:COLUMN]",
    help="A table of systems and their group (team, family): does a judge favour one?",
)
@click.option(
    "--top", type=click.IntRange(min=2), default=10, show_default=True, help="How many of the truth's best to look at."
)
@options.verdict_rule
@options.resamples
@options.level
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
    "--random-draws",
    type=click.IntRange(min=0),
    default=300,
    show_default=True,
    help="Draws of random labels for the chance level; 0 leaves it out.",
)
@click.option(
    "--pseudo-draws",
    type=click.IntRange(min=0),
    default=50,
    show_default=True,
    help="Draws of relevance from the pool.",
)
@click.option(
    "--pool-depth", type=click.IntRange(min=1), default=100, show_default=True, help="The depth of that pool."
)
@run_options.reading
@options.output_format
@options.output
@options.seed
@options.jobs
@options.quiet
@options.reports_errors
def judge(
    runs: tuple[str, ...],
    truth: str,
    judges: tuple[str, ...],
    measures: tuple[str, ...],
    groups: str | None,
    top: int,
    rule: dict[str, Any],
    resamples: int,
    level: float,
    alpha: float,
    correction: Any,
    random_draws: int,
    pseudo_draws: int,
    pool_depth: int,
    reading: Reading,
    style: str | None,
    output: str | None,
    seed: int,
    jobs: int | None,
    quiet: bool,
) -> None:
    """May systems be ranked with these judgments instead of the truth's?

    RUNS are files, folders or patterns of TREC runs; judgments are TREC qrels. For each judge and measure the answer
    says what one of its topics is worth in topics of the truth, and what that allows (docs/verdict.md); then agreement
    with intervals, what random labels reach, swaps, significantly different pairs, groups, and agreement of labels.

    \b
        rankscope judge runs --truth human.qrels --judge gpt=gpt.qrels -m nDCG@10 -o report.html
    """  # noqa: D301 (\b is click's mark for lines that must not be wrapped)
    from dataclasses import replace

    from rankscope.files.fingerprints import recording
    from rankscope.files.groups import read_groups
    from rankscope.measures.registry import parse_measures
    from rankscope.studies.judging.ask import MEASURES
    from rankscope.studies.judging.ask import judge as ask

    chosen = parse_measures(measures or MEASURES)  # a typo should not wait for the files to be read
    with options.working("Reading", quiet=quiet) as tell:
        inputs: list[dict[str, Any]] = []
        (human,) = _read("truth", (truth,), reading, inputs).values()
        others = _read("judge", judges, reading, inputs)
        teams = None
        if groups is not None:
            with recording() as read:
                teams = read_groups(groups)
            inputs.append(read.fingerprint("groups", groups))
        with recording() as read:
            systems = reading.runs(runs, jobs=jobs)
        inputs.insert(0, read.fingerprint("runs", runs))
        found = ask(
            systems,
            human,
            others,
            chosen,
            groups=teams,
            top=top,
            **rule,
            resamples=resamples,
            level=level,
            alpha=alpha,
            correction=correction,
            random_draws=random_draws,
            pseudo_draws=pseudo_draws,
            pool_depth=pool_depth,
            rng=seed,
            jobs=jobs,
            progress=tell,
        )
        tell("Writing")
        found = replace(found, settings={**found.settings, "inputs": inputs})
    options.write(found, style=style, output=output)
    if output is not None and not quiet:
        for answer in found.answers:
            streams.remark(f"{answer.verdict.level.upper()} ({answer.measure}). {answer.verdict}")


def _read(role: str, given: tuple[str, ...], reading: Reading, inputs: list[dict[str, Any]]) -> dict[str, Judgments]:
    """Judgments by the name given before an equals sign, or by the file's; an error where two are the same.

    The fingerprints of the files are added to `inputs`.
    """
    from dataclasses import replace

    from rankscope.errors import BadParameter
    from rankscope.files.fingerprints import recording

    found: dict[str, Judgments] = {}
    for name, path in _paths(given):
        with recording() as read:
            one = reading.judgments(path)
        inputs.append(read.fingerprint(f"{role} {name}".strip(), path))
        called = name or one.name or path
        if called in found:
            raise BadParameter(f"two judges are called {called!r}; name them: --judge first=FILE --judge second=FILE")
        found[called] = replace(one, name=called)
    return found


def _paths(given: tuple[str, ...]) -> list[tuple[str, str]]:
    """The name before an equals sign, or none, and the path; the name of a file that is there may have the sign too."""
    from rankscope.files.sources import is_there

    found = []
    for one in given:
        name, equals, path = one.partition("=")
        named = equals == "=" and not is_there(one)
        found.append((name, path) if named else ("", one))
    return found
