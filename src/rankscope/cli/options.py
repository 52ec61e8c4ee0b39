"""Every argument and option of the command line, declared once, and the bundles that commands share.

An option has the name of the library's keyword, so that commands pass values on as they come. Calling a declaration
makes the option, with another default or another type where a command differs. Choices and defaults are written out,
since importing the library would make `--help` slow; `tests/cli/test_options.py` compares them with its signatures.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from rankscope import defaults
from rankscope.checks import GREATEST_LEVEL, LEAST_LEVEL
from rankscope.cli.values import COUNT, COUNT_OR_NONE, SHARE, Numbers, Pair, Real, RealOrNone, Sizes, Whole, Words

Declared = Callable[..., click.Parameter]

# Keywords that several options make together: those of `read_runs`, and those of `read_scores`.
READING, SCORE_READING = "reading", "score_reading"


def argument(name: str, metavar: str, **settings: Any) -> Declared:
    """Declare an argument."""
    return partial(click.Argument, [name], metavar=metavar, **settings)


def option(*names: str, into: str | None = None, key: str | None = None, **settings: Any) -> Declared:
    """Declare an option; its value is None where it may be repeated, has no default and is not given.

    With `into`, the command gets one mapping of that name, with the values of all such options that were given.
    """
    if into is not None:
        settings |= {"expose_value": False, "callback": partial(_gather, into, key)}
    elif settings.get("multiple") and not settings.get("required"):
        settings |= {"callback": lambda ctx, param, value: value or None}
    return partial(_Option, names, **{"show_default": True, **settings})


class _Option(click.Option):
    """An option that is refused if it is given twice, unless it is repeatable; click would take the last silently."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Watch how often the parser meets it."""
        super().add_to_parser(parser, ctx)
        if self.multiple or self.is_flag or self.count:
            return
        for known in (parser._long_opt, parser._short_opt):
            for name in known.keys() & set(self.opts):
                known[name].process = partial(self._process_once, known[name].process)

    def _process_once(self, process: Callable[[str, Any], None], value: str, state: Any) -> None:
        if self.name in state.opts:
            given = f"{state.opts[self.name]!r} and {value!r}"
            raise click.UsageError(
                f"{self.opts[-1]} is given twice ({given}) and takes one value; run it once for each."
            )
        process(value, state)


def choice(*names: str, choices: Sequence[str], **settings: Any) -> Declared:
    """Declare an option with a closed set of values."""
    return option(*names, type=click.Choice(choices), **settings)


def _gather(into: str, key: str | None, ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    values = ctx.params.setdefault(into, {})
    if value is not None:
        values[key or param.name] = value
    return value


# What a command does beside computing.

FORMATS = ("table", "json", "csv", "latex", "markdown", "html")
FORMAT = choice(
    "--format",
    "style",
    choices=FORMATS,
    help="The format of the result; by default that of the extension of -o, otherwise a table. html is a table without "
    "a page around it.",
)
OUTPUT = option(
    "-o",
    "--output",
    type=click.Path(),
    help="Write the result (.json .csv .tex .md .txt .html) or a chart (.svg .png .pdf) to this file, whole or not at "
    "all; or a bundle for a paper (page, LaTeX tables, figures, methods, references) to a FOLDER/.",
)
CHART = option("--chart", metavar="NAME", help="The chart that -o writes if a result has several (docs/charts.md).")
THEME = choice("--theme", choices=("light", "dark"), default="light", help="The colours of a chart.")
WIDTH = option(
    "--width",
    metavar="WIDTH",
    help="The width of a picture in a paper: one (a column), two (both), or such as 8.5cm or 3.4in.",
)
CSV_SAFE = option(
    "--csv-safe",
    is_flag=True,
    help="In CSV, put ' before names that a spreadsheet would take for formulas (they begin with = + - @).",
)
TABLE = option(
    "--table",
    "which",
    metavar="NAME",
    help="Write this table alone; by default CSV, LaTeX and Markdown have the first, and JSON has all of the result. A "
    "name that does not exist lists those that do.",
)
COLUMNS = option(
    "--columns", type=Words(), help="The columns of the table to write, in this order: a comma list of their names."
)
ROWS = option("--rows", type=COUNT, help="The number of rows of the table to write, from the first.")
DIGITS = option(
    "--digits", type=Whole(0, 15), help="The decimals of numbers in a table as text, LaTeX, Markdown or HTML."
)
INTERVALS = choice(
    "--interval-form",
    "intervals",
    choices=("brackets", "plusminus", "columns"),
    help="Intervals in LaTeX, Markdown and HTML: 0.83 [0.75, 0.89] (the default), 0.83 ± 0.07, or in columns.",
)
SEED = option(
    "--seed", "rng", type=COUNT_OR_NONE, default=defaults.SEED, help="The seed of everything random; 0 or more."
)
JOBS = option("--jobs", type=COUNT, help="Threads to use, by default one per core; results do not depend on it.")
QUIET = option("-q", "--quiet", is_flag=True, help="No progress on stderr, and no remarks on what one side lacks.")
CHECKPOINT = option(
    "--checkpoint",
    type=click.Path(file_okay=False),
    help="Keep finished parts in this folder, so that the same command continues from there.",
)
CLUSTER = option("--cluster", metavar="ADDRESS", help="Compute on the Dask cluster with this scheduler (tcp://…).")

# What everything that is computed in parts takes.
IN_PARTS = (CHECKPOINT, CLUSTER)

WRITING = (FORMAT, OUTPUT, CHART, THEME, WIDTH, CSV_SAFE, TABLE, COLUMNS, ROWS, DIGITS, INTERVALS)
COMPUTING = (SEED, JOBS, QUIET)

SAVED = argument("saved", "FILE")

# Score tables.

SCORES = argument("scores", "SCORES")
SCORE_FILES = argument("scores", "SCORES...", nargs=-1, required=True)
BASELINES = argument("baselines", "SCORES...", nargs=-1, required=True)
TRUTH_SCORES = argument("truth", "TRUTH")
ESTIMATES = argument("estimates", "ESTIMATE...", nargs=-1, required=True)
MEASURE = option("-m", "--measure", help="The measure to read if a file has several.")
TRUTH_MEASURE = option("--truth-measure", help="The measure to read for the truth alone.")
ESTIMATE_MEASURE = option("--estimate-measure", help="The measure to read for the estimates alone.")
INPUT_FORMAT = choice(
    "--input-format",
    into=SCORE_READING,
    key="format",
    choices=("wide", "wide-systems", "long", "trec_eval", "ir_measures", "tot", "leaderboard"),
    help="The format of the files; by default recognised from their content.",
)
COLUMN = {
    role: option(f"--{role}-column", into=SCORE_READING, metavar="NAME", help=text)
    for role, text in (
        ("topic", "The column with topics, in all files; no other column is then taken for it."),
        ("system", "The column with systems."),
        ("score", "The column with scores."),
        ("measure", "The column with measures."),
    )
}
ERROR_COLUMN = option(
    "--error-column",
    into=SCORE_READING,
    metavar="NAME",
    help="The column with the standard error of each score, of a leaderboard without topics; columns called "
    "standard_error, stderr and the like are known.",
)
ON_DUPLICATE_SCORE = choice(
    "--on-duplicate",
    into=SCORE_READING,
    choices=("error", "first", "last", "mean", "best"),
    default="error",
    help="Several scores of a system on a topic: stop, or take one of them (best: the highest) or their mean.",
)
# How every command reads score tables; `cli.reading.read_scores` takes the values.
TABLE_READING = (INPUT_FORMAT, *COLUMN.values(), ON_DUPLICATE_SCORE)
ON_MISSING = option(
    "--on-missing",
    metavar="POLICY",
    default="error",
    help="Missing scores, systems or topics: error, intersect (leave out topics that lack a score, and what only one "
    "side has), zero, additive or pairwise (do without); drop-systems=SHARE or drop-topics=SHARE (those that lack more "
    "than a share) and connected (all but the largest connected part) may come before, with commas "
    "(docs/aggregates.md).",
)
ON_MISSING_MEASURES = choice(
    "--on-missing",
    choices=("error", "intersect", "zero"),
    default="error",
    help="Scores that some measure lacks: stop, leave the system or topic out, or score it zero.",
)
ON_MISSING_PAIRWISE = choice(
    "--on-missing",
    choices=("error", "intersect", "zero", "pairwise"),
    default="error",
    help="Scores that some measure lacks: stop, leave the system or topic out, score it zero, or correlate every two "
    "measures over what both have.",
)

ONE_TABLE = (SCORES, MEASURE)

# Runs and judgments.

RUNS = argument("runs", "RUNS...", nargs=-1, required=True)
QRELS = option("--qrels", required=True, metavar="FILE", help="The judgments: lines of topic, 0, document, grade.")
TRUTH = option("--truth", required=True, metavar="[NAME=]FILE", help="The judgments that are trusted.")
JUDGES = option(
    "--judge",
    "judges",
    multiple=True,
    metavar="[NAME=]FILE",
    help="The labels of a judge, named after the file unless a name is given. Repeatable.",
)
SCALED_JUDGES = partial(
    JUDGES,
    required=True,
    metavar="[NAME=]FILE[:rel=GRADE,map=GRADE>GRADE]",
    help="The labels of a judge, named after the file unless a name is given; rel is its lowest relevant grade, map "
    "makes grades others; rel=cv and map=cv learn them from the truth's labels of other topics. Repeatable.",
)
ASKED_JUDGES = partial(
    SCALED_JUDGES,
    metavar="[NAME=]FILE[,FILE…][:rel=GRADE,map=GRADE>GRADE]",
    help="The labels of a judge, named after the file unless a name is given; of one that was asked several times, "
    "files or patterns with commas between, or FILE:each=COLUMN for those in one table. rel is its lowest relevant "
    "grade, map makes grades others; rel=cv and map=cv learn them from the truth's labels of other topics. Repeatable.",
)
TRACKS = option(
    "--tracks",
    "by_tracks",
    is_flag=True,
    help="RUNS are folders of tracks: each has its runs in 'runs', and --truth and --judge name files, folders or "
    "patterns in it ('judges/*.qrels').",
)
PANELS = option(
    "--panel",
    "panels",
    multiple=True,
    metavar="[NAME=]HOW[:judges=NAMES,rel=GRADE]",
    help="A panel of the judges as one more judge: mean, median, majority, dawid-skene or weighted (docs/panels.md); "
    "judges are its members ('a|*gpt*'), by default all. Repeatable.",
)
SCORE_PANELS = choice(
    "--panel",
    "panels",
    multiple=True,
    choices=("mean", "median"),
    help="A panel of the estimates as one more estimate: the mean or median of their standardised scores "
    "(docs/panels.md). Repeatable.",
)
MEASURES = option(
    "-m",
    "--measure",
    "--measures",
    "measures",
    multiple=True,
    default=defaults.MEASURES,
    metavar="NAME",
    help="A measure (nDCG@10, 'AP(rel=2)', map), or a group of them (trec, gupta2019). Repeatable.",
)
GROUPS = option(
    "--groups",
    metavar="FILE[:COLUMN]",
    help="A table with the group (team, family) of each system, and the column of groups if it has several; 'names' "
    "takes families from the names of systems (docs/clusters.md).",
)
CLUSTERS = option(
    "--clusters",
    is_flag=True,
    help="Look for systems that a judge or estimate moves together from topic to topic (docs/clusters.md).",
)
CONTRIBUTING = option(
    "--contributing",
    multiple=True,
    metavar="NAMES",
    help="Systems that were pooled: a name, a pattern ('ou*'), a file with a name per line, or a column of a table and "
    "its value ('leaderboard.csv:pooled=yes'). Repeatable; by default all.",
)
ONLY = option(
    "--systems",
    "only",
    multiple=True,
    metavar="NAMES",
    help="Systems to keep: a name, a pattern ('ou*'), a file with a name per line, or a column of a table and its "
    "value ('leaderboard.csv:pooled=yes'). Repeatable; by default all.",
)
EXCLUDE = option("--exclude", multiple=True, metavar="NAMES", help="Systems to leave out, as --systems. Repeatable.")
NAMES = option(
    "--names",
    metavar="FILE[:COLUMN]",
    help="A table with the name to show for each system (system,name); --groups may be the same (system,name,group).",
)
STRIP_PREFIX = option(
    "--strip-prefix",
    metavar="PATTERN",
    help="Show systems without what their names begin with ('input.', '*/'), unless two would be called the same.",
)


def _gathered(into: str) -> dict[str, Declared]:
    """Which systems, and under which names: options that make part of the mapping of what is read."""
    chosen = {"only": ONLY, "exclude": EXCLUDE, "names": NAMES, "strip_prefix": STRIP_PREFIX}
    return {
        key: partial(declared, expose_value=False, callback=partial(_gather, into, key))
        for key, declared in chosen.items()
    }


_SCORED_SYSTEMS = _gathered(SCORE_READING)


# What becomes of scores between the file and the ranking, the same for every command that reads score tables.
_RANKING = (
    choice(
        "--aggregate",
        into=SCORE_READING,
        choices=("mean", "median", "geometric", "normalised", "borda", "win_rate"),
        default="mean",
        help="How a system's scores on topics become one (docs/aggregates.md).",
    ),
    option(
        "--lower-is-better",
        into=SCORE_READING,
        multiple=True,
        metavar="MEASURE",
        help="A measure whose lower scores are better (TER, WER, latency), or a pattern; '*' is all. Repeatable.",
    ),
)
# Which scores, and under which names: all that a command needs which ranks nothing.
SCORE_CHOOSING = (
    _SCORED_SYSTEMS["only"],
    _SCORED_SYSTEMS["exclude"],
    option(
        "--only-topics",
        into=SCORE_READING,
        multiple=True,
        metavar="NAMES",
        help="Topics to keep, as --systems; for one file alone, FILE:topics=PATTERN. Repeatable.",
    ),
    option(
        "--exclude-topics",
        into=SCORE_READING,
        multiple=True,
        metavar="NAMES",
        help="Topics to leave out, as --systems. Repeatable.",
    ),
    _SCORED_SYSTEMS["names"],
    _SCORED_SYSTEMS["strip_prefix"],
)
SCORE_PREPARING = (*_RANKING, *SCORE_CHOOSING)
# The same of runs.
RUN_SYSTEMS = tuple(_gathered(READING).values())
# Everything about the tables of a command that takes no runs.
ALL_TABLE_READING = (*TABLE_READING, *SCORE_PREPARING, ON_MISSING)
REL = option("--rel", type=Real(), default=1, help="The lowest grade that counts as relevant.")

ON_DUPLICATE_DOCUMENT = choice(
    "--on-duplicate",
    into=READING,
    choices=("error", "first", "best"),
    default="error",
    help="A document twice in a ranking: stop, or keep its first line or its best score.",
)
ON_CONFLICT = choice(
    "--on-conflict",
    choices=("error", "first", "last", "max", "mean", "majority"),
    default="error",
    help="A document judged twice with different grades: stop, or take one of the grades, their mean or the most "
    "frequent.",
)
# `--cache beside` is the folder of the runs.
BESIDE = "beside"
RUN_READING = (
    *RUN_SYSTEMS,
    option(
        "--cache",
        into=READING,
        metavar="FOLDER",
        help=f"Keep parsed runs in this folder to make later reads faster; '{BESIDE}' keeps them beside the runs.",
    ),
    ON_DUPLICATE_DOCUMENT,
    ON_CONFLICT,
    choice(
        "--ties",
        into=READING,
        choices=("id", "rank"),
        default="id",
        help="Order equal scores by document name, descending (as trec_eval does), or by the rank column.",
    ),
    choice(
        "--name",
        into=READING,
        choices=("file", "tag"),
        default="file",
        help="Name systems after their file or after the tag in it.",
    ),
)
JUDGED_RUNS = (RUNS, QRELS, MEASURES)

# Coefficients, resampling and tests.

COEFFICIENTS = option(
    "-c",
    "--coefficient",
    "coefficients",
    multiple=True,
    metavar="NAME",
    help="A coefficient: tau_ap, 'rbo(p=0.8)', tau_gap@10, 'pearson_rank(symmetric=true)'. Repeatable; by default all "
    "but pairwise_accuracy. By topic: spa, acc_eq, 'kendall(by=topic)'.",
)
MORE_COEFFICIENTS = partial(
    COEFFICIENTS,
    help="A coefficient beside the usual ones: pairwise_accuracy, spa, acc_eq, 'kendall(by=topic)'. Repeatable.",
)
SOME_COEFFICIENTS = partial(
    COEFFICIENTS, help="A coefficient: tau_ap, 'rbo(p=0.8)', tau_gap@10, 'pearson_rank(symmetric=true)'. Repeatable."
)
RESAMPLES = option(
    "--resamples",
    type=COUNT_OR_NONE,
    default=defaults.RESAMPLES,
    help="Resamples of topics for intervals and p-values; 0 leaves them out.",
)
SOME_RESAMPLES = partial(RESAMPLES, type=COUNT, help="Resamples of topics.")
LEVEL = option(
    "--level",
    type=Real(LEAST_LEVEL, GREATEST_LEVEL),
    default=defaults.LEVEL,
    help=f"The coverage of intervals, from {LEAST_LEVEL} to {GREATEST_LEVEL}.",
)
INTERVAL = choice(
    "--interval",
    "method",
    choices=("recentred", "percentile", "bca"),
    default="recentred",
    help="The bootstrap interval; docs/coverage.md compares them.",
)
ALPHA = option("--alpha", type=SHARE, default=defaults.ALPHA, help="The significance level of tests.")
CORRECTION = choice(
    "--correction",
    choices=("none", "bonferroni", "holm", "bh"),
    default=defaults.CORRECTION,
    help="How the tests of all pairs of systems are corrected for their number.",
)
TEST = choice(
    "--test",
    choices=("t", "wilcoxon", "randomisation", "bootstrap", "tukey"),
    default="t",
    help="The test of the difference between two systems.",
)

# The rule of the verdict (docs/verdict.md).

RULE = (
    option(
        "--margins",
        type=float,
        nargs=2,
        default=(0.8, 0.5),
        help="The lowest worth of a topic to be interchangeable, and to be a substitute.",
    ),
    option(
        "--times",
        type=click.FloatRange(min=1),
        default=4.0,
        help="How many times as many topics a substitute with more topics may need.",
    ),
    option(
        "--least-topics",
        type=click.FloatRange(min=0, min_open=True),
        default=10.0,
        help="The number of topics of the truth that must be equalled to find clear differences.",
    ),
    option(
        "--judged-topics",
        type=COUNT,
        help="The number of topics the judge will label; by default as many as the truth has, at least 50.",
    ),
)

# compare, judge, evaluate, reliability, nulls, demo.

TOPICS = choice(
    "--topics",
    choices=("auto", "paired", "independent"),
    default="auto",
    help="Whether both sides are scored on the same topics or on two samples; auto: two samples where none is shared.",
)
TOP = option("--top", type=Whole(min=2), default=10, help="The number of best systems of the truth to look at.")
TOPS = option(
    "--top", multiple=True, type=COUNT, metavar="K", default=(1, 3, 5, 10), help="Report on the top K. Repeatable."
)
MAX_SWAPS = option(
    "--max-swaps",
    type=COUNT_OR_NONE,
    default=10_000,
    help="The number of swaps to list, those with the largest gap in the truth; all are counted.",
)
CONTRAST_TEST = choice(
    "--contrast-test",
    choices=("bootstrap", "perm-both", "perm-topics", "perm-systems", "perm-cells"),
    default="bootstrap",
    help="The test between two estimates: resampled topics, or swapped scores (Perm-Both of Deutsch et al. 2021).",
)
DECISIVENESS = option(
    "--decisiveness",
    is_flag=True,
    help="How decisive each estimate is and which systems it favours, by win rates of all pairs (JuStRank).",
)
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
BY_TOPIC = option("--by-topic", is_flag=True, help="Scores of each topic, not only over all of them.")
AVERAGED_TOPICS = choice(
    "--topics",
    choices=("judged", "shared", "retrieved"),
    default="judged",
    help="Average over all judged topics, a missing one scoring 0 (trec_eval -c), over those that every system has, or "
    "over each system's own (trec_eval without -c).",
)
EVALUATION_FORMAT = partial(
    FORMAT,
    type=click.Choice((*FORMATS, "trec_eval")),
    help="The format of the result; by default that of the extension of -o, otherwise a table. With --by-topic, "
    "trec_eval is the output of `trec_eval -q`.",
)
TARGET = option(
    "--target",
    type=Real(-1, 1, min_open=True, max_open=True),
    default=0.9,
    help="The expected τ for which to find the number of topics.",
)
ESTIMATORS = ("msqd", "ml", "res", "kd", "shw", "shwo", "bayes", "bayes_bootstrap")
ESTIMATOR = choice(
    "--estimator",
    choices=ESTIMATORS,
    default="msqd",
    help="The estimator that gets an interval (all are shown); other numbers of topics use ml if chosen, else msqd.",
)
NULLS_FOLDER = option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Also keep each null here as NAME.npz, for rs.rank_distance_test(…, null=RankDistanceNull.load(path)).",
)
DEMO_FOLDER = option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("rankscope-demo"),
    help="The folder for the files of the example.",
)

# Labels.

TRUTH_LABELS = argument("truth", "TRUTH")
LABELLERS = argument("judges", "JUDGE...", nargs=-1, required=True)
STATISTIC = choice(
    "--statistic",
    choices=(
        *("equal", "kappa", "kappa_linear", "kappa_quadratic", "alpha_nominal", "alpha_ordinal", "alpha_interval"),
        *("ac1", "kappa_binary", "auc", "spearman", "tau_b"),
    ),
    default="kappa",
    help="The statistic by which judges are compared (docs/labels.md); all are in the result.",
)
CATEGORIES = choice(
    "--categories",
    choices=("truncate", "round", "distinct"),
    default="round",
    help="How grades that are not whole numbers become labels.",
)
FAILED = option(
    "--failed",
    type=RealOrNone(),
    default=-1.0,
    metavar="GRADE",
    help="The judges' grade that stands for a failure, left out unless the truth has it too; 'none' for no such grade.",
)
ITEM_COLUMN = option("--item-column", into=SCORE_READING, metavar="NAME", help="The column with items.")
LABEL_COLUMN = option("--label-column", into=SCORE_READING, metavar="NAME", help="The column with labels.")

# Rank sets.

RANKED = argument("sources", "SCORES|RUNS...", nargs=-1, required=True)
RANKED_QRELS = partial(
    QRELS,
    required=False,
    help="The judgments of RUNS: lines of topic, 0, document, grade; without them, SCORES are read.",
)
COMPARED_MEASURES = partial(
    MEASURES,
    default=None,
    help="The measure to read if a file has several. Repeatable; the sides are compared by each on its own.",
)
RANKED_MEASURES = partial(
    MEASURES,
    default=None,
    help="A measure of RUNS, or the one to read of SCORES that have several. Repeatable; each is ranked on its own.",
)
# Of scores and of runs, where a command takes either.
ON_DUPLICATE_EITHER = choice(
    "--on-duplicate",
    choices=("error", "first", "last", "mean", "best"),
    default="error",
    help="Several scores of a system on a topic: stop, or take one of them (best: the highest) or their mean. A "
    "document twice in a ranking: stop, or keep its first line or its best score.",
)
RANKED_TABLE_READING = tuple(declared for declared in TABLE_READING if declared is not ON_DUPLICATE_SCORE)
RANKED_RUN_READING = tuple(
    declared for declared in RUN_READING if declared not in (ON_DUPLICATE_DOCUMENT, *RUN_SYSTEMS)
)
# Which systems, of scores or runs: what both have.
EITHER_SYSTEMS = tuple(_SCORED_SYSTEMS.values())
KIND = choice(
    "--kind",
    choices=("typical", "marginal", "simultaneous"),
    default="typical",
    help="The rank sets to show: right for most systems on average, guaranteed for any one, or for all at once. JSON "
    "and CSV have all.",
)
RANKED_TOP = option("--top", type=COUNT, default=10, help="The size of the top whose possible members are marked.")
CORRECTED = argument("sources", "SCORES|RUNS...", nargs=-1, required=True)
HUMAN_QRELS = partial(
    TRUTH,
    required=False,
    help="The human judgments, which correct the judge's: of some topics, or of a sample of documents with inclusion "
    "probabilities (a fifth field).",
)
ON_UNLABELLED = choice(
    "--on-unlabelled",
    choices=("error", "random"),
    default="error",
    help="Drawn documents without a label are an error, or lack it at random, so that the others stand for them.",
)

# Plans.

ONE_JUDGE = option("--judge", metavar="[NAME=]FILE", help="The judge's labels of RUNS; without them, SCORES are read.")
SOME_TRUTH = partial(
    TRUTH, required=False, help="The human judgments so far, or the human scores where SCORES are read."
)
BUDGET = option(
    "--budget", metavar="NUMBER|SHARE%", help="What people label in all, labels so far included: 20, or 10% of all."
)
PLAN_TARGET = option(
    "--target",
    metavar="NAME=NUMBER",
    help="What to reach with the smallest budget: top=K, width=RANKS, widest=RANKS, separated=SHARE, worth=MARGIN.",
)
PLAN_BY = choice(
    "--by", choices=("topic", "document"), default="topic", help="Label whole topics, or a sample of all documents."
)
DESIGNS = ("random", "spread", "influence", "close", "stratified", "shallow")
DESIGN = choice(
    "--design",
    choices=DESIGNS,
    help="How topics (random, spread) or documents (influence, close, stratified, shallow, random) are chosen; by "
    "default topics at random, documents by influence (docs/planning.md).",
)
PLAN_OUTPUT = partial(
    OUTPUT,
    help="Write the file to label (.qrels), the result (.json .csv .tex .txt .html) or a chart (.svg .png .pdf), whole "
    "or not at all.",
)
PLAN_WRITING = tuple(PLAN_OUTPUT if declared is OUTPUT else declared for declared in WRITING)

# Simulation.

NEW_TOPICS = option("--topics", type=Whole(1, 10**8), help="Topics per collection; by default as in SCORES.")
COLLECTIONS = option("--collections", type=COUNT, default=1, help="The number of collections (of each size).")
COLLECTIONS_OUTPUT = option(
    "-o",
    "--output",
    "place",
    type=click.Path(path_type=Path),
    help="Write one collection to a file (.csv .tsv .jsonl .parquet), several to a folder, "
    "or a chart of the diagnostics (.svg .png .pdf .html).",
)
DIAGNOSTICS_FORMAT = partial(FORMAT, default="table", help="The format of the diagnostics.")
MODEL = choice(
    "--model",
    choices=("effects", "margins"),
    default="effects",
    help="Effects on the logit scale (Urbano 2016), or a fitted margin per system (Urbano & Nagler 2018).",
)
BOUNDS = option("--bounds", type=Real(), nargs=2, default=(0.0, 1.0), help="The range of the scores.")
# What only one of the models takes.
EFFECTS = (
    option("--normal", is_flag=True, help="effects: normal residuals; scores may leave their range."),
    option("--homoscedastic", is_flag=True, help="effects: the same variance of residuals for all systems."),
)
MARGINS = (
    choice(
        "--margin",
        choices=("auto", "beta", "normal", "kernel", "beta_binomial", "smoothed", "empirical"),
        default="auto",
        help="margins: one family for all systems, or the best one for each.",
    ),
    choice("--criterion", choices=("aic", "loglik"), default="aic", help="margins: what the best family is chosen by."),
    choice("--copula", choices=("gaussian", "vine"), default="gaussian", help="margins: the dependence of systems."),
    option("--trees", type=COUNT, default=5, help="margins: the number of trees of a vine copula."),
)
UNCORRELATED = option(
    "--uncorrelated", is_flag=True, help="Independent systems: residuals (effects), scores (margins)."
)
RANDOM_TOPICS = option(
    "--random-topics/--non-random-topics", default=True, help="Random topics, or mostly easy or mostly hard ones."
)
DISCRETE = option(
    "--discrete/--continuous", default=None, help="Keep to the values that scores take; by default if there are few."
)

# Measures.

TABLES = argument("tables", "[TABLES]...", nargs=-1)
COLLECTION_RUNS = option(
    "--runs",
    "runs",
    nargs=2,
    multiple=True,
    metavar="RUNS QRELS",
    help="A collection from runs (a folder, file or pattern) and their judgments. Repeatable.",
)
KEPT_MEASURES = option(
    "-m",
    "--measures",
    multiple=True,
    metavar="MEASURES",
    help="Measures to keep of TABLES or to compute of runs: a comma list or the group gupta2019, which is the default "
    "for runs. Repeatable.",
)
MEASURE_TABLES = (TABLES, COLLECTION_RUNS, KEPT_MEASURES, *TABLE_READING)
BY = choice(
    "--by",
    choices=("topics", "systems"),
    help="Compute over cells of topics × systems or over systems; by default topics if every collection has them.",
)
COEFFICIENT = option("-c", "--coefficient", metavar="NAME", default="pearson", help="The coefficient between measures.")
POOLED = option("--pooled/--each", default=True, help="All collections together, or each on its own.")
THRESHOLD = option(
    "--threshold", type=Real(-1, 1), default=0.9, help="The lowest mean correlation within a group of measures."
)
MATRIX = choice(
    "--matrix",
    choices=("covariance", "correlation"),
    default="covariance",
    help="The covariance favours measures that vary much; the correlation puts all on one scale.",
)
METHODS = choice(
    "--method",
    "methods",
    choices=("backward", "forward", "row_sums"),
    multiple=True,
    default=("backward", "forward"),
    help="A method; row_sums is what the authors' script does instead of their Algorithm 2. Repeatable.",
)
DEVELOPMENT = option(
    "--dev",
    "development",
    multiple=True,
    metavar="TABLE",
    help="A collection to choose predictors on: a table, or the name of one from --runs. Repeatable; without it, each "
    "training collection is left out in turn.",
)
TESTS = option(
    "--test",
    "tests",
    multiple=True,
    metavar="TABLE",
    help="A collection to report on: a table, or the name of one from --runs. Repeatable.",
)
TARGETS = option(
    "-t",
    "--target",
    "targets",
    multiple=True,
    metavar="MEASURE",
    help="A measure to predict; by default each. Repeatable.",
)
PREDICTORS = option(
    "--using",
    "predictors",
    multiple=True,
    metavar="MEASURES",
    help="Measures to predict from, a comma list; by default all others. Repeatable.",
)
MAX_PREDICTORS = option(
    "--max-predictors", type=COUNT, help="The largest number of predictors; by default 3, with --by-depth any."
)
CHOOSE = choice("--choose", choices=("tau", "r2"), default="tau", help="Choose predictors by Kendall's τ or by R².")
MODELS = choice(
    "--model",
    "models",
    choices=("linear", "svr", "boosting"),
    multiple=True,
    default=("linear",),
    help="A model; svr and boosting need pip install 'rankscope[learn]'. Repeatable, to compare.",
)
SEARCH = choice(
    "--search",
    choices=("linear", "own"),
    default="linear",
    help="Whether other models take the predictors of the linear model or search their own (slow).",
)
GIVEN = option(
    "--given",
    metavar="SCORES",
    help="Scores of one system, 'P@10=0.51,RR=0.7', to predict its --target from; all collections train.",
)
BY_DEPTH = option(
    "--by-depth", is_flag=True, help="Predict deep measures from shallow ones; columns are named 30_map or 30:AP."
)
LOW = option(
    "--low",
    type=COUNT,
    multiple=True,
    metavar="DEPTH",
    help="A small depth; by default those up to 50. Repeatable.",
)
HIGH = option(
    "--high", type=COUNT, multiple=True, metavar="DEPTH", help="A large depth; by default those beyond 50. Repeatable."
)

# Studies.

DEPTHS = option("--depths", type=Numbers(int, "depth"), help="The depths of the pools.")
BUDGETS = option(
    "--budgets", type=Numbers(float, "budget"), help="The shares of the human labels, or topics, that people make."
)
STUDIED_DESIGNS = choice(
    "--design",
    "designs",
    choices=DESIGNS,
    multiple=True,
    help="How topics (random, spread) and documents (influence, close, stratified, shallow, random) are chosen; random "
    "is of both. Repeatable.",
)
CONTROLS = option(
    "--controls/--no-controls",
    default=False,
    help="Try two bad judges beside each: its labels dealt at random within topics, and turned round.",
)
FRACTIONS = option("--fractions", type=Numbers(float, "fraction"), help="The fractions of the judgments to keep.")
SIZES = option(
    "--sizes",
    type=Sizes(),
    help="Numbers of topics: a comma list of numbers and ranges, 10..100 (in tens) or 10..100:5 (in fives).",
)
DRAWS = option("--draws", type=COUNT, help="The number of random draws.")
REPEATED_RUNS = argument("runs", "[RUNS]...", nargs=-1)
REPEATED_JUDGES = partial(
    JUDGES,
    required=True,
    metavar="NAME=FILE,FILE…",
    help="The repeats of a judge: files or patterns with commas between, or FILE:each=COLUMN for those in one table; "
    "labels of RUNS (also :rel=1,map=1>2), otherwise scores. Repeatable.",
)
REPEATED_TRUTH = partial(TRUTH, required=False, help="The judgments, or scores, that are trusted, if there are any.")
PERMUTATIONS = partial(
    DRAWS, type=COUNT_OR_NONE, default=999, help="Permutations of repeats within topics; 0 leaves out the test."
)
SHUFFLES = partial(DRAWS, type=COUNT_OR_NONE, default=999, help="Permutations of topics; 0 leaves out the test.")
NOISE = option(
    "--noise",
    type=Numbers(float, "noise"),
    help="The shares of the labels that systems see at random, each from 0 to 1.",
)
REPEATS = option("--repeats", type=COUNT, help="The number of random samples of each size.")
DEPTH = option("--depth", type=COUNT, help="The depth of the pool.")
RESORTED = partial(DEPTH, help="The number of documents at the top of every run that are re-sorted.")
DUPLICATES = option(
    "--duplicates/--no-duplicates",
    default=False,
    help="Draw a document more often the more systems retrieve it (Soboroff et al.), or all alike (Carterette).",
)
STUDIED_MEASURES = partial(
    RANKED_MEASURES,
    help="A measure of RUNS, repeatable, by default nDCG@10 and AP; or the one to read of SCORES that have several.",
)
AGAINST = option(
    "--against",
    metavar="[NAME=]FILE",
    help="Scores of the same systems by another, more expensive evaluation, to compare subsets with.",
)
GOAL = option("--target", type=Real(), default=0.9, help="The value of the coefficient to reach.")
GOAL_COEFFICIENT = option(
    "--target-coefficient", "coefficient", default="tau_b", metavar="NAME", help="The coefficient that must reach it."
)
TRUTH_COEFFICIENT = partial(COEFFICIENT, default="tau_b", help="The coefficient of agreement with the truth.")
PRICE = option(
    "--price", type=Real(min=0), default=0.0, help="The cost of a judge's label if a human judgment costs 1."
)
PUBLISHED = tuple(name for name in ESTIMATORS if not name.startswith("bayes"))
STUDIED_ESTIMATORS = choice(
    "--estimator",
    "estimators",
    choices=ESTIMATORS,
    multiple=True,
    default=PUBLISHED,
    help="An estimator; by default the six of Urbano & Marrero (2016). Repeatable.",
)
DROP = option("--drop", type=Real(0, 1, max_open=True), default=0.25, help="The share of worst systems to leave out.")
EACH = option(
    "--each",
    type=click.Path(dir_okay=False),
    help="Also write the actual value and estimates of every collection, as CSV.",
)
SYSTEMS = option("--systems", type=Whole(min=2), default=50, help="The number of systems to simulate.")
DISTRIBUTIONS = ("uniform", "normal", "zipf")
PAIRS = option(
    "--pair",
    "pairs",
    type=Pair(DISTRIBUTIONS),
    multiple=True,
    default=("uniform:uniform", "normal:normal", "normal:uniform", "zipf:zipf", "zipf:normal", "zipf:uniform"),
    help=f"The distributions of the scores of truth and estimate: two of {', '.join(DISTRIBUTIONS)}. Repeatable.",
)
TAU = option("--tau", type=Real(0, 1, max_open=True), default=0.9, help="Kendall's τ of all rankings with the truth.")
RANKINGS = option("--count", type=COUNT, default=4, help="The number of rankings to show.")
SWAPS = option("-k", "--swaps", type=COUNT, default=5, help="The number of pairs to swap in each draw.")
AMONG = choice(
    "--among",
    choices=("significant", "others"),
    multiple=True,
    default=("significant", "others"),
    help="Swap pairs that are significantly different, or the others. Repeatable.",
)
