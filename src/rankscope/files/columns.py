"""Words that have a meaning in tables: headers of systems, topics, measures and values, and names of summary rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from rankscope.files.table import CORNER, Column, Table, normalise
from rankscope.measure_names import is_known

Role = Literal["system", "topic", "measure", "value"]
# The roles that the user may give to columns of a table.
ColumnRole = Literal["topic", "system", "score", "measure", "error"]
COLUMN_ROLES: tuple[ColumnRole, ...] = get_args(ColumnRole)
Columns = Mapping[ColumnRole, str]

# In order of precedence where a table has two of them: an id before a text (`query_id` before `query`).
SYSTEM = (
    "system",
    "system_id",
    "systemid",
    "system_name",
    "sys",
    "sys_id",
    "sysid",
    "run",
    "run_id",
    "runid",
    "run_name",
    "run_tag",
    "runtag",
    "model",
    "model_id",
    "model_name",
    "method",
    "submission",
    "tag",
    "name",
)
TOPIC = (
    "topic",
    "topic_id",
    "topicid",
    "topic_no",
    "topic_number",
    "query_id",
    "queryid",
    "qid",
    "q_id",
    "question_id",
    "query",
    "question",
)
MEASURE = ("measure", "metric", "measure_name", "metric_name")
VALUE = ("value", "score", "val", "measure_value", "metric_value")
ROLES: dict[Role, tuple[str, ...]] = {"system": SYSTEM, "topic": TOPIC, "measure": MEASURE, "value": VALUE}

# Headers of a label column that do not say what it labels; pandas and R write a row index under "".
LABEL = ("", "id", "index")
# Ranks: numbers that are not scores, and better when lower.
RANK = ("rank", "#", "position", "place")
# Standard errors: `stderr`, `acc_stderr`, `lc_standard_error`, lm-eval's `acc_stderr,none`.
_ERROR_WORD = r"(?:standard_err(?:or)?|std_?err(?:or)?)"
_ERROR = re.compile(rf"^{_ERROR_WORD}(?:_|(?=$|[,(@]))|_{_ERROR_WORD}(?=$|[_,(@])|^se$")
# Short words that have other meanings, unless another column has the rest of the header.
_SHORT_ERROR = re.compile(r"_se$|^se_")
# The topic of the row that sums up all topics, as trec_eval, ir_measures and gdeval write it.
SUMMARIES = ("all", "amean")

_WORDS = frozenset((*SYSTEM, *TOPIC, *MEASURE, *VALUE, *LABEL, *RANK, CORNER))


def is_label_word(header: str) -> bool:
    """Whether a header is one of these words, so that it cannot name a system."""
    return normalise(header) in _WORDS


def is_role_word(column: Column) -> bool:
    """Whether a column's header says that it holds systems, topics, measures or scores."""
    return any(column.word in words for words in ROLES.values())


def is_summary(topic: str) -> bool:
    """Whether a row of this topic sums up the others.

    >>> is_summary("all"), is_summary("301")
    (True, False)
    """
    return topic.lower() in SUMMARIES


def is_label_column(column: Column) -> bool:
    """Whether a column's header is one of these words."""
    return column.word in _WORDS


def find(table: Table, role: Role) -> Column | None:
    """The column in this role, the first of the role's words that a header has."""
    return next((table.by_word[word] for word in ROLES[role] if word in table.by_word), None)


def label_column(table: Table) -> Column | None:
    """The first column, if its header says that it labels rows, but not with what."""
    first = table.columns[0]
    return first if table.headed and first.word in LABEL else None


def names_scores(column: Column) -> bool:
    """Whether a header is a measure's name or a word for a score."""
    return column.word in VALUE or is_known(column.header)


def is_rank(column: Column) -> bool:
    """Whether a header is a word for a rank."""
    return column.word in RANK


def is_error(header: str) -> bool:
    """Whether a header is a name for standard errors.

    >>> is_error("lc_standard_error"), is_error("acc_stderr,none"), is_error("SE"), is_error("squared error")
    (True, True, True, False)
    """
    return _ERROR.search(normalise(header)) is not None


def errors_of(columns: Sequence[Column]) -> dict[Column, Column | None]:
    """The columns of standard errors, each with the column of its scores: that of the same name, or the one before it.

    >>> accuracy, f1, error = Column("acc"), Column("f1"), Column("acc_se")
    >>> errors_of([accuracy, f1, error]) == {error: accuracy}
    True
    """
    by_word = {column.word: column for column in columns}
    found: dict[Column, Column | None] = {}
    before: Column | None = None
    for column in columns:
        of_short = by_word.get(_SHORT_ERROR.sub("", column.word))
        if is_error(column.header):
            found[column] = by_word.get(_ERROR.sub("", column.word), before)
        elif of_short is not None and of_short is not column:
            found[column] = of_short
        before = None if column in found else column
    return found
