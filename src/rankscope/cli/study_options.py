"""Options of studies alone; those that other commands have too are in `options.py`."""

from __future__ import annotations

from functools import partial

import click

from rankscope.cli import options
from rankscope.cli.declaring import argument, choice, option
from rankscope.cli.values import COUNT, COUNT_OR_NONE, Numbers, Pair, Real, Sizes, Whole

SCORE_FILES = argument("scores", "SCORES...", nargs=-1, required=True)
CONTRIBUTING = option(
    "--contributing",
    multiple=True,
    metavar="NAMES",
    help="Systems that were pooled: a name, a pattern ('ou*'), a file with a name per line, or a column of a table and "
    "its value ('leaderboard.csv:pooled=yes'). Repeatable; by default all.",
)
SOME_COEFFICIENTS = partial(
    options.COEFFICIENTS,
    help="A coefficient: tau_ap, 'rbo(p=0.8)', tau_gap@10, 'pearson_rank(symmetric=true)'. Repeatable.",
)
TEST = choice(
    "--test",
    choices=("t", "wilcoxon", "randomisation", "bootstrap", "tukey"),
    default="t",
    help="The test of the difference between two systems.",
)
DEPTHS = option("--depths", type=Numbers(int, "depth"), help="The depths of the pools.")
BUDGETS = option(
    "--budgets", type=Numbers(float, "budget"), help="The shares of all human labels, or topics, that people label."
)
STUDIED_DESIGNS = choice(
    "--design",
    "designs",
    choices=options.DESIGNS,
    multiple=True,
    help="How samples of documents are drawn. Repeatable.",
)
CONTROLS = option(
    "--controls/--no-controls",
    default=False,
    help="Try two bad judges beside each: its labels dealt at random within topics, and its labels reversed.",
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
    options.JUDGES,
    required=True,
    metavar="NAME=FILE,FILE…",
    help="The repeats of a judge: files or patterns with commas between, or FILE:each=COLUMN for those in one table; "
    "labels of RUNS (also :rel=1,map=1>2), otherwise scores. Repeatable.",
)
REPEATED_TRUTH = partial(
    options.TRUTH, required=False, help="The judgments, or scores, that are trusted, if there are any."
)
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
    options.RANKED_MEASURES,
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
TRUTH_COEFFICIENT = partial(options.COEFFICIENT, default="tau_b", help="The coefficient of agreement with the truth.")
PRICE = option(
    "--price", type=Real(min=0), default=0.0, help="The cost of a judge's label if a human judgment costs 1."
)
PUBLISHED = tuple(name for name in options.ESTIMATORS if not name.startswith("bayes"))
STUDIED_ESTIMATORS = choice(
    "--estimator",
    "estimators",
    choices=options.ESTIMATORS,
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
