"""The arguments and options that several commands share, declared once, and their bundles.

What one command alone has is declared beside it; `declaring.py` says how.
"""

from __future__ import annotations

from functools import partial

import click

from rankscope import defaults
from rankscope.checks import GREATEST_LEVEL, LEAST_LEVEL
from rankscope.cli.declaring import Declared, argument, choice, gathered, option
from rankscope.cli.values import COUNT, COUNT_OR_NONE, SHARE, Real, Whole, Words

# Keywords that several options make together: those of `read_runs`, and those of `read_scores`.
READING, SCORE_READING = "reading", "score_reading"


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


# Score tables.

SCORES = argument("scores", "SCORES")
MEASURE = option("-m", "--measure", help="The measure to read if a file has several.")
TRUTH_MEASURE = option("--truth-measure", help="The measure to read for the truth alone.")
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
# How every command reads score tables; `cli.reading.scores.read_scores` takes the values.
TABLE_READING = (INPUT_FORMAT, *COLUMN.values(), ON_DUPLICATE_SCORE)
ON_MISSING = option(
    "--on-missing",
    metavar="POLICY",
    default="error",
    help="Missing scores, systems or topics: error, intersect (leave out topics that lack a score, and what only one "
    "side has), zero, additive or pairwise (fit the scores there are); drop-systems=SHARE or drop-topics=SHARE (those "
    "that lack more than a share) and connected (all but the largest connected part) may come before, with commas "
    "(docs/aggregates.md).",
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
    "replaces grades by others; rel=cv and map=cv learn them from the truth's labels of other topics. Repeatable.",
)
PANELS = option(
    "--panel",
    "panels",
    multiple=True,
    metavar="[NAME=]HOW[:judges=NAMES,rel=GRADE]",
    help="A panel of the judges as one more judge: mean, median, majority, dawid-skene or weighted (docs/panels.md); "
    "judges are its members ('a|*gpt*'), by default all. Repeatable.",
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
ONLY = option(
    "--systems",
    "only",
    multiple=True,
    metavar="NAMES",
    help="Systems to keep: a name, a pattern ('ou*'), a file with a name per line, or a column of a table and its "
    "value ('leaderboard.csv:pooled=yes'). Repeatable; by default all.",
)
EXCLUDE = option(
    "--exclude",
    multiple=True,
    metavar="NAMES",
    help="Systems to leave out, given as for --systems. Repeatable.",
)
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
    return {key: gathered(declared, into, key) for key, declared in chosen.items()}


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
        help="Topics to keep, given as for --systems; for one file alone, FILE:topics=PATTERN. Repeatable.",
    ),
    option(
        "--exclude-topics",
        into=SCORE_READING,
        multiple=True,
        metavar="NAMES",
        help="Topics to leave out, given as for --systems. Repeatable.",
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

# Comparisons.

TOPS = option(
    "--top", multiple=True, type=COUNT, metavar="K", default=(1, 3, 5, 10), help="Report on the top K. Repeatable."
)
DECISIVENESS = option(
    "--decisiveness",
    is_flag=True,
    help="How decisive each estimate is and which systems it favours, by win rates of all pairs (JuStRank).",
)

# Scores, or runs with judgments, where a command takes either.

SCORES_OR_RUNS = argument("sources", "SCORES|RUNS...", nargs=-1, required=True)
RANKED_QRELS = partial(
    QRELS,
    required=False,
    help="The judgments of RUNS: lines of topic, 0, document, grade; without them, SCORES are read.",
)
RANKED_MEASURES = partial(
    MEASURES,
    default=None,
    help="A measure of RUNS, or the one to read of SCORES that have several. Repeatable; each is ranked on its own.",
)
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

# What one command and a study of it share.

COEFFICIENT = option("-c", "--coefficient", metavar="NAME", default="pearson", help="The coefficient between measures.")
COLLECTIONS = option("--collections", type=COUNT, default=1, help="The number of collections (of each size).")
MODEL = choice(
    "--model",
    choices=("effects", "margins"),
    default="effects",
    help="Effects on the logit scale (Urbano 2016), or a fitted margin per system (Urbano & Nagler 2018).",
)
BOUNDS = option("--bounds", type=Real(), nargs=2, default=(0.0, 1.0), help="The range of the scores.")
ESTIMATORS = ("msqd", "ml", "res", "kd", "shw", "shwo", "bayes", "bayes_bootstrap")
DESIGNS = ("influence", "close", "stratified", "shallow", "random")
