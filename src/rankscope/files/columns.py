"""Words that have a meaning in tables: headers of systems, topics, measures and values, and names of summary rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from rankscope.files.table import CORNER, Column, Table, is_number, normalise
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
    "generator",
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
    "prompt_id",
    "sample_id",
    "instance_id",
    "item_id",
    "example_id",
    "instruction_id",
    "segment_id",
    "seg_id",
    "segid",
    "document_id",
    "doc_id",
    "task_id",
    "prompt",
    "sample",
    "instance",
    "item",
    "example",
    "instruction",
    "segment",
    "seg",
    "document",
    "task",
    "task_name",
    "scenario",
)
MEASURE = ("measure", "metric", "measure_name", "metric_name", "dimension", "criterion")
VALUE = ("value", "score", "val", "measure_value", "metric_value")
ROLES: dict[Role, tuple[str, ...]] = {"system": SYSTEM, "topic": TOPIC, "measure": MEASURE, "value": VALUE}

# Headers of a label column that do not say what it labels; pandas and R write a row index under "".
LABEL = ("", "id", "index")
# Ranks: numbers that are not scores, and better when lower.
RANK = ("rank", "#", "position", "place")
# Headers under which PyTerrier writes tests of a measure against the baseline, after the measure's name.
_COMPANIONS = (" +", " -", " p-value", " reject", " p-value corrected")
# Standard errors: `stderr`, `acc_stderr`, `lc_standard_error`, lm-eval's `acc_stderr,none`.
_ERROR_WORD = r"(?:standard_err(?:or)?|std_?err(?:or)?)"
_ERROR = re.compile(rf"^{_ERROR_WORD}(?:_|(?=$|[,(@]))|_{_ERROR_WORD}(?=$|[_,(@])|^se$")
# Short words that have other meanings, unless another column has the rest of the header.
_SHORT_ERROR = re.compile(r"_se$|^se_")
# The topic of the row that sums up all topics, as trec_eval, ir_measures and gdeval write it.
SUMMARIES = ("all", "amean")

# Words that are nothing else; a system or a measure may well be called by another.
_SURE = frozenset((*SYSTEM, *VALUE, *TOPIC[: TOPIC.index("prompt_id")], *MEASURE[: MEASURE.index("dimension")]))
_GLIMPSE = 100
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
    """The column in this role, the first of the role's words that a header has.

    Topics are named or counted and measures are named, so that a column of scores is neither.
    """
    columns = (table.by_word[word] for word in ROLES[role] if word in table.by_word)
    return next((column for column in columns if _may_hold(column, role)), None)


def _may_hold(column: Column, role: Role) -> bool:
    glimpse = column.cells[:_GLIMPSE]
    if column.word in _SURE:
        return True
    if role == "measure":
        return not all(map(is_number, glimpse))
    return not all(map(is_number, glimpse)) or all(cell.strip().isdecimal() for cell in glimpse)


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


def is_identifier(column: Column) -> bool:
    """Whether a header is a word for what names a row, so that numbers under it are not scores.

    >>> [is_identifier(Column(header)) for header in ("doc_id", "Instruction", "ID", "id_rate")]
    [True, True, True, False]
    """
    return column.word == "id" or column.word.endswith("_id") or column.word in (*SYSTEM, *TOPIC)


def companions(columns: Sequence[Column]) -> list[Column]:
    """The columns that say something of another one, as PyTerrier's `map p-value` does of `map`.

    >>> [column.header for column in companions([Column("map"), Column("map +"), Column("map p-value"), Column("x -")])]
    ['map +', 'map p-value']
    """
    headers = {column.header for column in columns}
    return [c for c in columns if any(c.header.removesuffix(end) in headers - {c.header} for end in _COMPANIONS)]


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
    scores: dict[Column, Column | None] = {}
    before: Column | None = None
    for column in columns:
        of_short = by_word.get(_SHORT_ERROR.sub("", column.word))
        if is_error(column.header):
            scores[column] = by_word.get(_ERROR.sub("", column.word), before)
        elif of_short is not None and of_short is not column:
            scores[column] = of_short
        before = None if column in scores else column
    return scores
