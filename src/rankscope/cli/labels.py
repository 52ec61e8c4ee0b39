"""`rankscope labels`: do judges give the same labels as the truth?"""

from __future__ import annotations

from typing import Any

import rankscope as rs
from rankscope.cli import options
from rankscope.cli.command import Work, command
from rankscope.cli.declaring import argument, choice, option
from rankscope.cli.reading.judges import LabelSource, read_labels
from rankscope.cli.values import RealOrNone

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
ITEM_COLUMN = option("--item-column", into=options.SCORE_READING, metavar="NAME", help="The column with items.")
LABEL_COLUMN = option("--label-column", into=options.SCORE_READING, metavar="NAME", help="The column with labels.")


@command(
    TRUTH_LABELS,
    LABELLERS,
    STATISTIC,
    options.REL,
    CATEGORIES,
    ITEM_COLUMN,
    LABEL_COLUMN,
    options.COLUMN["topic"],
    options.ON_CONFLICT,
    FAILED,
    options.RESAMPLES,
    options.LEVEL,
    options.INTERVAL,
    *options.WRITING,
    options.SEED,
    options.QUIET,
    step="Comparing",
)
def labels(
    work: Work,
    truth: str,
    judges: tuple[str, ...],
    rel: float,
    score_reading: dict[str, Any],
    on_conflict: Any,
    **settings: Any,
) -> rs.LabelReport:
    """Do the judges give the same labels as TRUTH, and which of them agrees best?

    Files are TREC qrels or tables (CSV, TSV, JSON lines, JSON, Parquet) with a column of items, one of labels, and one
    of topics if there are some; a folder has one judge per file. After a colon, a column and a pattern choose rows;
    `label`, `item` and `topic` name columns, `map` turns labels into grades, `rel` is the lowest relevant grade of that
    side, and `each` makes a judge of every value in a column.

    \b
        rankscope labels human.qrels gpt.qrels llama=llama.csv:rel=2
        rankscope labels people=data.csv:label=human llm=data.csv:label=gpt,map=yes>1,no>0
        rankscope labels experts=scores.csv:rater=expert* scores.csv:rater=gpt*,each=rater --on-conflict mean
    """  # noqa: D301 (\b is click's mark for lines that must not be wrapped)

    def read(role: str, word: str) -> list[LabelSource]:
        return work.read(role, word, lambda word: read_labels(word, score_reading, on_conflict))

    trusted = read("truth", truth)
    if len(trusted) > 1:
        raise rs.BadParameter(f"{truth}: the truth is one file, without 'each'; choose one of its raters")
    human = trusted[0]
    by_name: dict[str, LabelSource] = {}
    for word in judges:
        for judge in read("judge", word):
            name = judge.labels.name or "judge"
            if name in by_name:
                raise rs.BadParameter(f"two judges are called {name!r}; name them: first=FILE second=FILE")
            by_name[name] = judge
    return rs.labels(
        human.labels,
        {name: judge.labels for name, judge in by_name.items()},
        truth_rel=rel if human.rel is None else human.rel,
        judge_rel={name: rel if judge.rel is None else judge.rel for name, judge in by_name.items()},
        **settings,
    )
