"""`rankscope study`: questions that take many simulated or resampled evaluations.

To add one, write `rs.study_NAME` and its record in `STUDIES`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import click

import rankscope as rs
from rankscope.cli import options, study_options
from rankscope.cli.command import Work, keeping_parts, make_command
from rankscope.cli.declaring import Declared
from rankscope.cli.study_inputs import BLOCKED_TABLE, EITHER, JUDGED, NOTHING, REPEATS, RUNS, TABLE, TABLES, Kind
from rankscope.defaults import FEWER_RESAMPLES


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
            study_options.SOME_COEFFICIENTS(default=("tau_b", "tau_ap")),
            options.GROUPS,
            study_options.RESORTED(default=100),
            study_options.NOISE(default="0,0.25,0.5,0.75,1"),
            study_options.REPEATS(default=20),
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
            study_options.BUDGETS(default="0.05,0.1,0.2,0.4,0.6,0.8,1"),
            study_options.STUDIED_DESIGNS(default=("influence", "random")),
            study_options.CONTROLS,
            study_options.REPEATS(default=100),
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
            study_options.GOAL,
            study_options.GOAL_COEFFICIENT,
            study_options.PRICE,
            study_options.DEPTHS(default="1,2,3,5,7,10,15,20,30,50,75,100"),
            study_options.FRACTIONS(default="0.05,0.1,0.15,0.2,0.25,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1"),
            study_options.REPEATS(default=10),
            study_options.CONTRIBUTING,
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
            study_options.SIZES(default="10..100"),
            options.COLLECTIONS(default=1_000),
            study_options.SOME_COEFFICIENTS(default=("tau", "tau_ap")),
            study_options.STUDIED_ESTIMATORS,
            study_options.DROP,
            options.MODEL,
            options.BOUNDS,
            options.SOME_RESAMPLES(default=FEWER_RESAMPLES),
            study_options.EACH,
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
            study_options.SYSTEMS,
            study_options.DRAWS(default=100_000),
            study_options.PAIRS,
            study_options.SOME_COEFFICIENTS(default=("pearson_rank",)),
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
            study_options.FRACTIONS(default="0.01,0.02,0.05,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9"),
            study_options.REPEATS(default=30),
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
            study_options.DEPTHS(default="1,5,10,25,50,100"),
            study_options.CONTRIBUTING,
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
        options=(study_options.SHUFFLES, options.LEVEL),
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
            study_options.DEPTH(default=100),
            study_options.DRAWS(default=50),
            study_options.DUPLICATES,
            study_options.CONTRIBUTING,
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
            study_options.TAU,
            study_options.RANKINGS,
            study_options.DRAWS(default=2_000),
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
        options=(study_options.TRUTH_COEFFICIENT, study_options.PERMUTATIONS, options.LEVEL),
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
            study_options.SWAPS,
            study_options.DRAWS(default=1_000),
            study_options.AMONG,
            options.COEFFICIENTS,
            study_options.TEST,
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
            study_options.AGAINST,
            options.TRUTH_MEASURE,
            study_options.GOAL,
            study_options.GOAL_COEFFICIENT,
            study_options.SIZES,
            study_options.REPEATS(default=200),
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
            study_options.CONTRIBUTING,
            study_options.DEPTH,
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
        options=(study_options.SOME_COEFFICIENTS(default=("pearson", "tau_ap", "tau_gap")),),
        help="""How much does each pair of systems weigh in a coefficient: what does it cost to swap that pair alone?

        SCORES is a score table (topics × systems) or a leaderboard. A loss is 1 − coefficient after the swap, a weight
        the same from 0 to 1 over all pairs (Gao & Oard 2015, Figures 4 to 6).
        """,
    ),
)


@click.group(commands=[study.command() for study in STUDIES])
def study() -> None:
    """Questions that take many evaluations: pools, missing judgments, numbers of topics, coefficients, estimators."""
