"""`rankscope study`: questions that take many simulated or resampled evaluations.

To add one, write `rs.study_NAME` and its record in `STUDIES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import click

import rankscope as rs
from rankscope import defaults
from rankscope.cli import options
from rankscope.cli.command import Work, keeping_parts, make_command, refuse
from rankscope.cli.options import Declared
from rankscope.cli.reading import (
    matching_names,
    read_filled,
    read_groups,
    read_judges,
    read_named,
    read_panels,
    read_repeats,
    read_runs,
    read_scores,
    read_tables,
    reading_of_runs,
    say_left_out,
    say_systems_left_out,
    shown_groups,
)
from rankscope.defaults import FEWER_RESAMPLES

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
    judgments = rs.read_judgments(qrels, on_conflict=on_conflict)
    if judges is not None:
        settings["judges"] = read_named(judges, lambda _, path: rs.read_judgments(path, on_conflict=on_conflict))
        _remark_scales(work, judgments, settings["judges"])
    systems = read_runs(work, runs, reading, jobs)
    say_systems_left_out(work, systems)
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

    def read(role: str, name: str, path: str) -> rs.Judgments:
        return work.read(f"{role} {name}".strip(), path, partial(rs.read_judgments, on_conflict=on_conflict))

    (trusted,) = read_named((truth,), partial(read, "truth")).values()
    labels = read_judges(judges, partial(read, "judge"))
    if "panels" in settings:
        settings["panels"] = read_panels(settings["panels"])
    by_system = read_groups(work, groups)
    systems = read_runs(work, runs, reading, jobs)
    say_systems_left_out(work, systems)
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

        def labels(name: str, path: str) -> rs.Judgments:
            return work.read("truth", path, partial(rs.read_judgments, on_conflict=on_conflict))

        (settings["truth"],) = read_named((truth,), labels).values()
    elif truth is not None:
        settings["truth"] = read_scores(work, "truth", truth, score_reading, measure=measure, on_missing=on_missing)
    if runs:
        systems = read_runs(work, runs, reading_of_runs(reading, score_reading, on_duplicate), settings["jobs"])
        say_systems_left_out(work, systems)
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
    before=(options.SCORE_FILES, options.MEASURE),
    after=(*options.IN_PARTS, *options.ALL_TABLE_READING, *options.WRITING, *options.COMPUTING),
    read=_read_tables,
)
EITHER = Kind(
    before=(options.RANKED, options.RANKED_QRELS, options.STUDIED_MEASURES, options.COEFFICIENTS),
    after=(
        *(*options.IN_PARTS, *_OF_SCORES, *options.RANKED_RUN_READING, options.ON_DUPLICATE_EITHER),
        *(*options.WRITING, *options.COMPUTING),
    ),
    read=_read_either,
)
REPEATS = Kind(
    before=(options.REPEATED_RUNS, options.REPEATED_TRUTH, options.REPEATED_JUDGES, options.STUDIED_MEASURES),
    after=(
        *(options.CHECKPOINT, options.CLUSTER),
        *(*_OF_SCORES, *options.RANKED_RUN_READING, options.ON_DUPLICATE_EITHER),
        *(*options.WRITING, *options.COMPUTING),
    ),
    read=_read_repeats,
)
NOTHING = Kind(after=(*options.IN_PARTS, *options.WRITING, *options.COMPUTING), read=_read_nothing)


@dataclass(frozen=True, kw_only=True)
class Study:
    """A study: its name on the command line, its input, what it is doing, its own options, and its tables by name."""

    name: str
    kind: Kind
    step: str
    options: tuple[Declared | click.Parameter, ...]
    tables: tuple[str, ...] = ()
    early: bool = False  # whether it gives the result of its first part, which is then said on stderr
    help: str

    def command(self) -> click.Command:
        """The command."""
        table = options.TABLE(type=click.Choice(self.tables)) if self.tables else options.TABLE
        after = (table if param is options.TABLE else param for param in self.kind.after)
        params = (*self.kind.before, *self.options, *after)
        return make_command(self.name, self.help, params, self.run, step="Reading")

    def run(self, work: Work, each: str | None = None, **given: Any) -> Any:
        """Read, run the study, and return its result."""
        inputs, settings = self.kind.read(work, **given)
        study: Callable[..., Any] = getattr(rs, f"study_{self.name.replace('-', '_')}")
        work.progress.begin(self.step)
        if self.early:
            settings["early"] = partial(_say_early, work)
        if "checkpoint" in settings:
            with keeping_parts(work, settings["checkpoint"]):
                result = study(*inputs, progress=work.progress, **settings)
        else:
            result = study(*inputs, **settings)
        if each is not None:
            from rankscope.files import write_text

            write_text(each, result.collection_table().to_csv(safe=work.csv_safe))
        return result


def _say_early(work: Work, result: Any) -> None:
    """The first results on stderr, line by line, as a remark is one line."""
    work.remark("first results, the rest follows")
    for line in str(result).splitlines() if not work.quiet else ():
        work.progress.remark(line)


STUDIES = (
    Study(
        name="circularity",
        kind=JUDGED,
        step="Re-sorting",
        options=(
            options.SOME_COEFFICIENTS(default=("tau_b", "tau_ap")),
            options.GROUPS,
            options.RESORTED(default=100),
            options.NOISE(default="0,0.25,0.5,0.75,1"),
            options.REPEATS(default=20),
            options.LEVEL,
        ),
        tables=("uses", "systems", "entrants"),
        help="""What if systems used the judge?

        The top of every run is re-sorted by the judge's labels: by all systems, by one at a time, and by each group
        (--groups), with random labels among them (--noise). How far do its scores rise, how far the truth's, what
        becomes of agreement, worth and the winner, and where would the judge's own ranking of the labelled documents
        stand (Clarke & Dietz 2024)? A document without a label counts as grade 0; equal labels keep the run's order.

        \b
            rankscope study circularity runs --truth human.qrels --judge llm.qrels -m nDCG@10 -o circularity.html
        """,
    ),
    Study(
        name="correction",
        kind=JUDGED,
        step="Hiding labels",
        options=(
            options.BUDGETS(default="0.05,0.1,0.2,0.4,0.6,0.8,1"),
            options.STUDIED_DESIGNS(default=("random", "influence")),
            options.CONTROLS,
            options.REPEATS(default=100),
            options.LEVEL,
        ),
        help="""How should human labels be spent beside a judge?

        Human labels of RUNS are hidden, and what is left is spent in several ways at each budget: people alone on some
        topics or on the top of the pool, people in the top and the judge below, and the judge corrected by people on
        topics or on a sample of documents (docs/correction.md). --design says which topics and documents. Error of
        means, coverage of intervals, and agreement with the ranking by all human labels.

        \b
            rankscope study correction runs --truth human.qrels --judge llm.qrels -m nDCG@10
        """,
    ),
    Study(
        name="depth-cost",
        kind=RUNS,
        step="Judging less",
        options=(
            options.JUDGES,
            options.GOAL,
            options.GOAL_COEFFICIENT,
            options.PRICE,
            options.DEPTHS(default="1,2,3,5,7,10,15,20,30,50,75,100"),
            options.FRACTIONS(default="0.05,0.1,0.15,0.2,0.25,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1"),
            options.REPEATS(default=10),
            options.CONTRIBUTING,
            options.REL,
        ),
        tables=("points", "cheapest"),
        help="""What do judgments cost, and what do they buy?

        RUNS are ranked with shallower pools, with random parts of the judgments, with human judgments to a depth and a
        judge's labels below it, and with a sample of human judgments by which a judge's are mapped and corrected: the
        number of judgments against the agreement with the ranking by all of them, and the cheapest mix that reaches a
        target.

        \b
            rankscope study depth-cost runs --qrels human.qrels --judge llm.qrels -m nDCG@10 --target 0.9
        """,
    ),
    Study(
        name="estimators",
        kind=TABLES,
        step="Simulating",
        early=True,
        options=(
            options.SIZES(default="10..100"),
            options.COLLECTIONS(default=1_000),
            options.SOME_COEFFICIENTS(default=("tau", "tau_ap")),
            options.STUDIED_ESTIMATORS,
            options.DROP,
            options.MODEL,
            options.BOUNDS,
            options.SOME_RESAMPLES(default=FEWER_RESAMPLES),
            options.EACH,
        ),
        help="""How far off are estimates of the correlation with the true ranking, by number of topics?

        From each of the SCORES (tables topics × systems, or folders of them) new collections are simulated, for which
        the truth is known: mean absolute error and bias of every estimator, as in Figures 1 and 2 of Urbano & Marrero
        (2016). Beside them are the mean actual correlation and its spread, which is the error of the best constant.
        Coefficients other than tau and tau_ap are for the Bayesian estimators only.
        """,
    ),
    Study(
        name="gaps",
        kind=NOTHING,
        step="Drawing",
        options=(
            options.SYSTEMS,
            options.DRAWS(default=100_000),
            options.PAIRS,
            options.SOME_COEFFICIENTS(default=("pearson_rank",)),
        ),
        help="""How do coefficients respond to gaps between scores if all ranks are right?

        Scores of truth and estimate are drawn from a distribution each and sorted, so that both rank the systems alike
        (Gao, Bagdouri & Oard 2016, Figure 3).
        """,
    ),
    Study(
        name="holes",
        kind=RUNS,
        step="Drawing judgments",
        options=(
            options.FRACTIONS(default="0.01,0.02,0.05,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9"),
            options.REPEATS(default=30),
            options.REL,
            options.ALPHA,
            options.RESAMPLES,
        ),
        tables=("agreements", "losses"),
        help="""How many judgments may be missing?

        A random fraction of the judgments is kept, the same of the relevant and of the other documents of each topic,
        at least one of each, and RUNS are ranked with these: coefficients, rank distance and p against completeness,
        and where the difference from the full ranking is no longer significant (Buckley & Voorhees 2004; Figure 4 of
        Carterette 2009).

        \b
            rankscope study holes runs --qrels qrels.txt -m AP -m bpref --repeats 30
        """,
    ),
    Study(
        name="panel",
        kind=JUDGED,
        step="Combining judges",
        options=(
            options.PANELS(default=("mean", "median", "majority", "dawid-skene", "weighted")),
            options.LEVEL,
        ),
        tables=("agreements", "left_out", "shared", "errors"),
        help="""What does a panel of judges gain, and why no more?

        The judges' labels are combined in several ways, and RUNS ranked by each: agreement with the truth and worth of
        a topic, beside those of every judge, and without each member. Errors that judges share make a panel worth
        fewer independent judges than it has (Kish 1965): correlations of errors of documents' grades, of scores and of
        systems, and the effective number of judges.

        \b
            rankscope study panel runs --truth human.qrels --judge a.qrels --judge b.qrels --judge c.qrels -o panel.html
        """,
    ),
    Study(
        name="pool-depth",
        kind=RUNS,
        step="Pooling",
        options=(
            options.DEPTHS(default="1,5,10,25,50,100"),
            options.CONTRIBUTING,
            options.REL,
            options.RESAMPLES,
            options.LEVEL,
        ),
        tables=("agreements", "pools"),
        help="""Would judging fewer documents of each run have ranked the systems alike?

        RUNS are ranked with the judgments of a pool to each depth only, and compared with all judgments: number of
        judgments, every coefficient with its interval over topics, rank distance with p (Table 2 of Carterette 2009).

        \b
            rankscope study pool-depth runs --qrels qrels.txt -m AP --depths 1,5,10,25,50
        """,
    ),
    Study(
        name="profiles",
        kind=BLOCKED_TABLE,
        step="Comparing topics",
        options=(options.SHUFFLES, options.LEVEL),
        help="""Does a system succeed where the others do?

        SCORES is a score table (topics × systems). Each system's scores are correlated over topics with the mean of
        the others: a low correlation at a high score is a reason to read what the system answers, as it may please the
        judge by other means; at a low score it is often a broken run. A permutation test tells which systems follow
        the others at all.
        """,
    ),
    Study(
        name="pseudo",
        kind=RUNS,
        step="Drawing relevance",
        options=(
            options.DEPTH(default=100),
            options.DRAWS(default=50),
            options.DUPLICATES,
            options.CONTRIBUTING,
            options.REL,
            options.ALPHA,
            options.RESAMPLES,
        ),
        tables=("agreements", "draws"),
        help="""How well do random labels rank the systems?

        Random documents of the pool are called relevant, as many as the judgments have, and RUNS are ranked by them
        (Soboroff, Nicholas & Cahan 2001): mean and standard deviation of every coefficient and of the rank distance.

        \b
            rankscope study pseudo runs --qrels qrels.txt -m AP --draws 50
        """,
    ),
    Study(
        name="reorderings",
        kind=TABLE,
        step="Reordering",
        options=(
            options.TAU,
            options.RANKINGS,
            options.DRAWS(default=2_000),
            options.RESAMPLES(default=FEWER_RESAMPLES),
            options.ALPHA,
            options.SEED,
        ),
        help="""How different can rankings be that all have the same Kendall's τ with the truth?

        SCORES is a score table (topics × systems). The rankings are chosen from the random draws, with rank distances
        from small to large (Carterette 2009, Figure 1).
        """,
    ),
    Study(
        name="repeats",
        kind=REPEATS,
        step="Comparing repeats",
        options=(options.TRUTH_COEFFICIENT, options.PERMUTATIONS, options.LEVEL),
        tables=("judges", "counts", "pairs"),
        help="""How much does a judge vary when it is asked again, and how many repeats are worth it?

        Several label files of one judge for the same RUNS, or without RUNS several score tables (topics × systems): the
        variance by topics apart from that by repeats, whether repeats favour systems on all topics (as another prompt
        does), agreement of labels and rankings, and the error and worth of the mean of several repeats, beside what as
        many labels of more topics would give.

        \b
            rankscope study repeats runs --truth human.qrels --judge gpt=run1.qrels,run2.qrels,run3.qrels -m nDCG@10
            rankscope study repeats --judge 'gpt=scores.csv:each=seed' --truth human.csv
        """,
    ),
    Study(
        name="swaps",
        kind=TABLE,
        step="Swapping",
        options=(
            options.SWAPS,
            options.DRAWS(default=1_000),
            options.AMONG,
            options.COEFFICIENTS,
            options.TEST,
            options.CORRECTION(default="none"),
            options.ALPHA,
            options.SEED,
        ),
        help="""How do coefficients respond to random swaps of systems that are significantly different, and of others?

        SCORES is a score table (topics × systems), whose means are the truth. In each draw some pairs of systems
        exchange their scores (Gao & Oard 2015, Figures 1 to 3).
        """,
    ),
    Study(
        name="topics",
        kind=EITHER,
        step="Drawing topics",
        options=(
            options.AGAINST,
            options.TRUTH_MEASURE,
            options.GOAL,
            options.GOAL_COEFFICIENT,
            options.SIZES,
            options.REPEATS(default=200),
            options.ALPHA,
            options.RESAMPLES,
        ),
        tables=("agreements", "needed", "expected"),
        help="""How many topics, or items, does it take?

        Systems are ranked by random subsets of the topics of SCORES (topics × systems), and compared with the ranking
        by all of them, with that by another subset of the same size, and with that by another, more expensive
        evaluation (--against). A subset is part of all topics, so beside its agreement with all stands the expected
        correlation with the true ranking, over all topics such as these. With --qrels, RUNS are scored first. Without
        --sizes there are ten sizes or fewer, below all topics.

        \b
            rankscope study topics cheap.csv --against expensive.csv --target 0.9
            rankscope study topics scores.csv -m P@10 --against scores.csv --truth-measure AP
            rankscope study topics runs --qrels qrels.txt -m nDCG@10 --sizes 5..40:5
        """,
    ),
    Study(
        name="uniques",
        kind=RUNS,
        step="Leaving out",
        options=(
            options.GROUPS,
            options.CONTRIBUTING,
            options.DEPTH,
            options.REL,
            options.RESAMPLES,
            options.LEVEL,
        ),
        tables=("systems", "agreements", "contributions"),
        help="""Could a system that was not pooled be judged fairly with these judgments?

        Each of the RUNS is scored without the judgments of documents that only it, or only its group, brought to the
        pool: how its score and rank change, and how the ranking by such scores agrees with that by all judgments (Gao,
        Bagdouri & Oard 2016). Without --depth, it is the largest to which 99 % of pooled documents are judged.

        \b
            rankscope study uniques runs --qrels qrels.txt --groups leaderboard.csv:team \\
                --contributing 'leaderboard.csv:pooled=yes'
        """,
    ),
    Study(
        name="weights",
        kind=TABLE,
        step="Swapping",
        options=(options.SOME_COEFFICIENTS(default=("pearson", "tau_ap", "tau_gap")),),
        help="""How much does each pair of systems weigh in a coefficient: what does it cost to swap that pair alone?

        SCORES is a score table (topics × systems) or a leaderboard. A loss is 1 − coefficient after the swap, a weight
        the same from 0 to 1 over all pairs (Gao & Oard 2015, Figures 4 to 6).
        """,
    ),
)


@click.group(commands=[study.command() for study in STUDIES])
def study() -> None:
    """Questions that take many evaluations: pools, missing judgments, numbers of topics, coefficients, estimators."""
