"""`rankscope judge`: may systems be ranked with these judgments instead?"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import rankscope as rs
from rankscope.cli import options
from rankscope.cli.command import Work, command
from rankscope.cli.reading import read_groups, read_judges, read_named, read_panels, read_runs, shown_groups


@command(
    options.RUNS,
    options.TRUTH,
    options.SCALED_JUDGES,
    options.PANELS,
    options.MORE_COEFFICIENTS,
    options.DECISIVENESS,
    options.MEASURES,
    options.GROUPS,
    options.CLUSTERS,
    options.TOP,
    *options.RULE,
    options.RESAMPLES,
    options.LEVEL,
    options.ALPHA,
    options.CORRECTION,
    options.RANDOM_DRAWS,
    options.PSEUDO_DRAWS,
    options.POOL_DEPTH,
    *options.RUN_READING,
    *options.WRITING,
    *options.COMPUTING,
    step="Reading",
)
def judge(
    work: Work,
    runs: tuple[str, ...],
    truth: str,
    judges: tuple[str, ...],
    measures: tuple[str, ...],
    panels: tuple[str, ...] | None,
    coefficients: tuple[str, ...] | None,
    groups: str | None,
    reading: dict[str, Any],
    on_conflict: Any,
    **settings: Any,
) -> rs.JudgeReport:
    """May systems be ranked with these judgments instead of the truth's?

    RUNS are files, folders or patterns of TREC runs; judgments are TREC qrels. For each judge and measure the answer
    says what one of its topics is worth in topics of the truth, and what that allows (docs/verdict.md); then agreement
    with intervals, the chance level of random labels, swaps, significantly different pairs, groups, and agreement of
    labels. Where a judge's grades mean something else than the truth's, say so after its file: rel=1 is the lowest
    that is relevant, map=1>2 makes grade 1 a 2; rel=cv and map=cv learn this from the truth's labels of other topics.

    \b
        rankscope judge runs --truth human.qrels --judge gpt=gpt.qrels -m nDCG@10 -o report.html
        rankscope judge runs --truth human.qrels --judge yesno=binary.qrels:rel=1 -m 'AP(rel=2)'
        rankscope judge runs --truth human.qrels --judge a.qrels --judge b.qrels --judge c.qrels --panel mean
    """  # noqa: D301 (\b is click's mark for lines that must not be wrapped)
    chosen = rs.parse_measures(measures)  # a typo should not wait for the files to be read
    combined = read_panels(panels or ())

    def read(role: str, name: str, path: str) -> rs.Judgments:
        return work.read(f"{role} {name}".strip(), path, partial(rs.read_judgments, on_conflict=on_conflict))

    (trusted,) = read_named((truth,), partial(read, "truth")).values()
    labels = read_judges(judges, partial(read, "judge"))
    by_system = read_groups(work, groups)
    systems, shown, left_out = read_runs(work, runs, reading, settings["jobs"])
    # Runs come first for a reader, and last here, since they take longest.
    work.inputs.sort(key=lambda given: given["role"] != "runs")
    by_system = shown_groups(by_system, shown)
    report = rs.judge(
        *(systems, trusted, labels, chosen),
        panels=combined,
        coefficients=coefficients or (),
        groups=by_system,
        progress=work.progress.begin,
        **settings,
    )
    for answer in report.answers:
        work.say_afterwards(f"{answer.verdict.level.upper()} ({answer.measure}). {answer.verdict}")
    if left_out:
        from rankscope.results import Remark

        remark = Remark(kind="systems left out", count=left_out, total=left_out + len(systems.systems))
        report = replace(report, remarks=(remark, *report.remarks))
    return report
