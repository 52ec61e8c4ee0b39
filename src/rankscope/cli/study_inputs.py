"""What studies are given: the kinds of their input, each with its options and its reader."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import rankscope as rs
from rankscope import defaults
from rankscope.cli import options, study_options
from rankscope.cli.command import Work, refuse
from rankscope.cli.declaring import Declared
from rankscope.cli.reading.judges import labels_reader, plain_reader, read_judges, read_named, read_panels, read_repeats
from rankscope.cli.reading.runs import read_runs, reading_of_runs
from rankscope.cli.reading.scores import read_filled, read_scores, read_tables, say_left_out
from rankscope.cli.reading.systems import matching_names, read_groups, shown_groups

# What a study is given: the data, and the keywords that depend on them.
Inputs = tuple[tuple[Any, ...], dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Kind:
    """What studies of one kind of input share: options before and after those of the study, and how to read."""

    before: tuple[Declared, ...] = ()
    after: tuple[Declared, ...] = ()
    read: Callable[..., Inputs]


def _read_runs(
    work: Work,
    *,
    runs: tuple[str, ...],
    qrels: str,
    measures: tuple[str, ...],
    reading: Mapping[str, Any],
    on_conflict: Any,
    jobs: int | None,
    groups: str | None = None,
    contributing: tuple[str, ...] | None = None,
    judges: tuple[str, ...] | None = None,
    **settings: Any,
) -> Inputs:
    chosen = rs.parse_measures(measures)  # a typo should not wait for the files to be read
    by_system = read_groups(work, groups)
    (judgments,) = read_named((qrels,), plain_reader(on_conflict)).values()
    if judges is not None:
        settings["judges"] = read_named(judges, plain_reader(on_conflict))
        _remark_scales(work, judgments, settings["judges"])
    systems = read_runs(work, runs, reading, jobs)
    run_set, shown, _ = systems
    if by_system is not None:
        settings["groups"] = shown_groups(by_system, shown)
    for remark in rs.coverage(run_set, judgments).remarks():
        work.remark(str(remark))
    if contributing is not None:
        settings["contributing"] = [
            shown[system] for system in matching_names("--contributing", contributing, list(shown))
        ]
    return (run_set, judgments, chosen), {**settings, "jobs": jobs}


def _read_judged(
    work: Work,
    *,
    runs: tuple[str, ...],
    truth: str,
    judges: tuple[str, ...],
    measures: tuple[str, ...],
    reading: Mapping[str, Any],
    on_conflict: Any,
    groups: str | None = None,
    jobs: int | None,
    **settings: Any,
) -> Inputs:
    """Runs, the judgments that are trusted, and judges with their scales."""
    chosen = rs.parse_measures(measures)

    (trusted,) = read_named((truth,), labels_reader(work, "truth", on_conflict)).values()
    labels = read_judges(judges, labels_reader(work, "judge", on_conflict))
    if "panels" in settings:
        settings["panels"] = read_panels(settings["panels"])
    by_system = read_groups(work, groups)
    systems = read_runs(work, runs, reading, jobs)
    if by_system is not None:
        settings["groups"] = shown_groups(by_system, systems.shown)
    return (systems.runs, trusted, labels, chosen), {**settings, "jobs": jobs}


def _read_repeats(
    work: Work,
    *,
    runs: tuple[str, ...],
    truth: str | None,
    judges: tuple[str, ...],
    measures: tuple[str, ...] | None,
    score_reading: Mapping[str, Any],
    on_missing: Any,
    on_duplicate: Any,
    reading: Mapping[str, Any],
    on_conflict: Any,
    **settings: Any,
) -> Inputs:
    """Repeats of judges as labels of runs, or as scores where there are none; and the truth, if any."""
    score_reading = {**score_reading, "on_duplicate": on_duplicate}
    if runs:
        of_scores = [declared for declared in _OF_SCORES if declared not in options.EITHER_SYSTEMS]
        refuse("a study of runs", of_scores, "leave RUNS out to study scores")
        settings["measures"] = rs.parse_measures(measures or defaults.MEASURES)
    else:
        refuse("a study of scores", options.RANKED_RUN_READING, "name the runs before the options")
        if len(measures or ()) > 1:
            raise rs.BadParameter("scores are studied under one measure; run it once for each")
    measure = measures[0] if measures else None
    given = {"runs": bool(runs), "measure": measure, "on_missing": on_missing, "on_conflict": on_conflict}
    read = [read_repeats(work, word, score_reading, **given) for word in judges]
    if len({name for name, _ in read}) < len(read):
        raise rs.BadParameter(
            "two judges have the same name; name them: --judge first=FILE,FILE --judge second=FILE,FILE"
        )
    if truth is not None and runs:
        (settings["truth"],) = read_named((truth,), labels_reader(work, "truth", on_conflict)).values()
    elif truth is not None:
        settings["truth"] = read_scores(work, "truth", truth, score_reading, measure=measure, on_missing=on_missing)
    if runs:
        systems = read_runs(work, runs, reading_of_runs(reading, score_reading, on_duplicate), settings["jobs"])
        settings["runs"] = systems.runs
    return (dict(read),), settings


def _remark_scales(work: Work, human: rs.Judgments, judges: Mapping[str, rs.Judgments]) -> None:
    """Grades are mixed as they are: say so if their highest ones differ."""
    highest = human.grades.max(initial=0.0)
    for name, judge in judges.items():
        if len(judge) and judge.grades.max() != highest:
            grades = f"{name} grades up to {judge.grades.max():g} and people up to {highest:g}"
            work.remark(f"{grades}; they are mixed as they are")


def _read_table(
    work: Work, *, scores: str, measure: str | None, score_reading: Mapping[str, Any], on_missing: Any, **settings: Any
) -> Inputs:
    return (read_filled(work, scores, score_reading, measure=measure, on_missing=on_missing),), settings


def _read_tables(
    work: Work,
    *,
    scores: tuple[str, ...],
    measure: str | None,
    score_reading: Mapping[str, Any],
    on_missing: Any,
    **settings: Any,
) -> Inputs:
    tables = read_tables(work, scores, score_reading, measure=measure, on_missing=on_missing)
    filled = {name: table.fill(on_missing) for name, table in tables.items()}
    say_left_out(work, filled.values())
    return (filled,), settings


_OF_SCORES = (*options.RANKED_TABLE_READING, *options.SCORE_PREPARING, options.ON_MISSING)


def _read_either(
    work: Work,
    *,
    sources: tuple[str, ...],
    qrels: str | None,
    measures: tuple[str, ...] | None,
    against: str | None,
    truth_measure: str | None,
    score_reading: Mapping[str, Any],
    on_missing: Any,
    on_duplicate: Any,
    reading: Mapping[str, Any],
    on_conflict: Any,
    **settings: Any,
) -> Inputs:
    """A score table, or runs with judgments; and the scores of another evaluation."""
    measure = measures[0] if measures is not None and len(measures) == 1 else None
    score_reading = {**score_reading, "on_duplicate": on_duplicate}
    inputs: tuple[Any, ...]
    if qrels is None:
        refuse("a study of scores", options.RANKED_RUN_READING, "name the judgments of runs: --qrels FILE")
        if len(sources) > 1 or len(measures or ()) > 1:
            raise rs.BadParameter("one score table is studied, under one measure; run it once for each")
        inputs = (read_scores(work, "scores", sources[0], score_reading, measure=measure, on_missing=on_missing),)
    else:
        if against is None:
            of_scores = [declared for declared in _OF_SCORES if declared not in options.EITHER_SYSTEMS]
            refuse("a study of runs", of_scores, "leave --qrels out to study scores")
        reading = reading_of_runs(reading, score_reading, on_duplicate)
        given = {"reading": reading, "on_conflict": on_conflict, "measures": measures or defaults.MEASURES}
        inputs, settings = _read_runs(work, runs=sources, qrels=qrels, **given, **settings)
    if against is None and truth_measure is not None:
        raise rs.BadParameter("--truth-measure is that of another evaluation; name its scores: --against FILE")
    if against is not None:
        settings["against"] = read_scores(
            work, "truth", against, score_reading, measure=truth_measure or measure, on_missing=on_missing
        )
    return inputs, {**settings, "on_missing": on_missing}


def _read_nothing(work: Work, **settings: Any) -> Inputs:
    return (), settings


RUNS = Kind(
    before=(*options.JUDGED_RUNS, options.COEFFICIENTS),
    after=(*options.IN_PARTS, *options.RUN_READING, *options.WRITING, *options.COMPUTING),
    read=_read_runs,
)
JUDGED = Kind(
    before=(options.RUNS, options.TRUTH, options.SCALED_JUDGES, options.MEASURES),
    after=(*options.IN_PARTS, *options.RUN_READING, *options.WRITING, *options.COMPUTING),
    read=_read_judged,
)
TABLE = Kind(
    before=options.ONE_TABLE,
    after=(*options.IN_PARTS, *options.ALL_TABLE_READING, *options.WRITING, options.JOBS, options.QUIET),
    read=_read_table,
)
BLOCKED_TABLE = Kind(
    before=options.ONE_TABLE,
    after=(
        *(options.CHECKPOINT, options.CLUSTER, *options.ALL_TABLE_READING),
        *(*options.WRITING, *options.COMPUTING),
    ),
    read=_read_table,
)
TABLES = Kind(
    before=(study_options.SCORE_FILES, options.MEASURE),
    after=(*options.IN_PARTS, *options.ALL_TABLE_READING, *options.WRITING, *options.COMPUTING),
    read=_read_tables,
)
EITHER = Kind(
    before=(options.SCORES_OR_RUNS, options.RANKED_QRELS, study_options.STUDIED_MEASURES, options.COEFFICIENTS),
    after=(
        *(*options.IN_PARTS, *_OF_SCORES, *options.RANKED_RUN_READING, options.ON_DUPLICATE_EITHER),
        *(*options.WRITING, *options.COMPUTING),
    ),
    read=_read_either,
)
REPEATS = Kind(
    before=(
        study_options.REPEATED_RUNS,
        study_options.REPEATED_TRUTH,
        study_options.REPEATED_JUDGES,
        study_options.STUDIED_MEASURES,
    ),
    after=(
        *(options.CHECKPOINT, options.CLUSTER),
        *(*_OF_SCORES, *options.RANKED_RUN_READING, options.ON_DUPLICATE_EITHER),
        *(*options.WRITING, *options.COMPUTING),
    ),
    read=_read_repeats,
)
NOTHING = Kind(after=(*options.IN_PARTS, *options.WRITING, *options.COMPUTING), read=_read_nothing)
