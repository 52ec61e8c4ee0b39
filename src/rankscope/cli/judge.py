"""`rankscope judge`: may systems be ranked with these judgments instead?"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import rankscope as rs
from rankscope.cli import options
from rankscope.cli.command import Work, command, keeping_parts, refuse
from rankscope.cli.declaring import option
from rankscope.cli.reading.judges import labels_reader, read_asked, read_named, read_panels
from rankscope.cli.reading.runs import read_runs
from rankscope.cli.reading.systems import read_groups, shown_groups
from rankscope.cli.reading.tracks import read_track, track_name
from rankscope.cli.values import COUNT, COUNT_OR_NONE, Whole

ASKED_JUDGES = partial(
    options.SCALED_JUDGES,
    metavar="[NAME=]FILE[,FILE…][:rel=GRADE,map=GRADE>GRADE]",
    help="The labels of a judge, named after the file unless a name is given; of one that was asked several times, "
    "files or patterns with commas between, or FILE:each=COLUMN for those in one table. rel is its lowest relevant "
    "grade, map replaces grades by others; rel=cv and map=cv learn them from the truth's labels of other topics. "
    "Repeatable.",
)
TRACKS = option(
    "--tracks",
    "by_tracks",
    is_flag=True,
    help="RUNS are folders of tracks: each has its runs in 'runs', and --truth and --judge name files, folders or "
    "patterns in it ('judges/*.qrels').",
)
MORE_COEFFICIENTS = partial(
    options.COEFFICIENTS,
    help="A coefficient beside the usual ones: pairwise_accuracy, spa, acc_eq, 'kendall(by=topic)'. Repeatable.",
)
TOP = option("--top", type=Whole(min=2), default=10, help="The number of best systems of the truth to look at.")
RANDOM_DRAWS = option(
    "--random-draws",
    type=COUNT_OR_NONE,
    default=300,
    help="Draws of random labels for the chance level; 0 leaves it out.",
)
PSEUDO_DRAWS = option(
    "--pseudo-draws", type=COUNT_OR_NONE, default=50, help="Draws of random relevance from the pool; 0 leaves it out."
)
POOL_DEPTH = option("--pool-depth", type=COUNT, default=100, help="The depth of that pool.")

# What a report over tracks does not have.
_OF_ONE_TRACK = (
    options.PANELS,
    MORE_COEFFICIENTS,
    options.DECISIVENESS,
    options.GROUPS,
    options.CLUSTERS,
    TOP,
    PSEUDO_DRAWS,
    POOL_DEPTH,
)
_NOT_BY_TRACKS = tuple(declared().name for declared in _OF_ONE_TRACK)


@command(
    options.RUNS,
    TRACKS,
    options.TRUTH,
    ASKED_JUDGES,
    options.PANELS,
    MORE_COEFFICIENTS,
    options.DECISIVENESS,
    options.MEASURES,
    options.GROUPS,
    options.CLUSTERS,
    TOP,
    *options.RULE,
    options.RESAMPLES,
    options.LEVEL,
    options.ALPHA,
    options.CORRECTION,
    RANDOM_DRAWS,
    PSEUDO_DRAWS,
    POOL_DEPTH,
    *options.IN_PARTS,
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
    by_tracks: bool,
    reading: dict[str, Any],
    on_conflict: Any,
    checkpoint: str | None,
    cluster: str | None,
    **settings: Any,
) -> rs.JudgeReport | rs.TracksReport:
    """May systems be ranked with these judgments instead of the truth's?

    RUNS are files, folders or patterns of TREC runs; judgments are TREC qrels. For each judge and measure the answer
    says what one of its topics is worth in topics of the truth, and what that allows (docs/verdict.md); then agreement
    with intervals, the chance level of random labels, swaps, significantly different pairs, groups, and agreement of
    labels. Where a judge's grades mean something else than the truth's, say so after its file: rel=1 is the lowest
    that is relevant, map=1>2 makes grade 1 a 2; rel=cv and map=cv learn this from the truth's labels of other topics.
    A judge that was asked several times has several files: its scores are the mean of its repeats, which are a further
    source of error, and the answer says how many repeats are worth it (docs/howto/repeats.md).

    With --tracks every argument is the folder of a track, with its runs in "runs": one answer for each judge, measure
    and track, and each judge over all tracks (docs/howto/several-tracks.md). This is computed in parts, which
    --checkpoint keeps and --cluster computes elsewhere.

    \b
        rankscope judge runs --truth human.qrels --judge gpt=gpt.qrels -m nDCG@10 -o report.html
        rankscope judge runs --truth human.qrels --judge yesno=binary.qrels:rel=1 -m 'AP(rel=2)'
        rankscope judge runs --truth human.qrels --judge a.qrels --judge b.qrels --judge c.qrels --panel mean
        rankscope judge runs --truth human.qrels --judge gpt=run1.qrels,run2.qrels,run3.qrels
        rankscope judge --tracks dl19 dl20 dl21 --truth human.qrels --judge 'judges/*.qrels' -o tracks.html
    """  # noqa: D301 (\b is click's mark for lines that must not be wrapped)
    chosen = rs.parse_measures(measures)  # a typo should not wait for the files to be read
    if by_tracks:
        refuse("a report over tracks", _OF_ONE_TRACK, "ask for one track, without --tracks")
        every = {**settings, "checkpoint": checkpoint, "cluster": cluster}
        every = {name: value for name, value in every.items() if name not in _NOT_BY_TRACKS}
        return _over_tracks(work, runs, truth, judges, chosen, reading, on_conflict, every)
    refuse("one track", options.IN_PARTS, "name the folders of tracks, of which there may be one: --tracks")
    combined = read_panels(panels or ())

    (trusted,) = read_named((truth,), labels_reader(work, "truth", on_conflict)).values()
    labels = read_asked(work, judges, on_conflict)
    by_system = read_groups(work, groups)
    systems, shown, left_out = read_runs(work, runs, reading, settings["jobs"], tell=False)
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


def _over_tracks(
    work: Work,
    folders: tuple[str, ...],
    truth: str,
    judges: tuple[str, ...],
    measures: Any,
    reading: dict[str, Any],
    on_conflict: Any,
    settings: dict[str, Any],
) -> rs.TracksReport:
    names = [track_name(folder) for folder in folders]
    shown = names if len(set(names)) == len(names) else list(folders)
    tracks = {
        name: read_track(work, folder, truth, judges, reading, on_conflict=on_conflict, jobs=settings["jobs"])
        for name, folder in zip(shown, folders, strict=True)
    }
    work.progress.begin("Judging")
    with keeping_parts(work, settings["checkpoint"]):
        report = rs.judge_tracks(tracks, measures, progress=work.progress, **settings)
    for level in report.levels:
        work.say_afterwards(f"{level.level.upper()} ({level.judge}; {level.track}, {level.measure}).")
    return report
