"""Labels in a table: which columns hold topics, items and labels, and the judgments that the rows make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from rankscope.errors import (
    BadFile,
    BadParameter,
    ConflictingJudgments,
    DuplicateScore,
    MissingName,
    NotANumber,
    UnrecognisedFormat,
)
from rankscope.files.columns import SYSTEM, TOPIC
from rankscope.files.recognise import column_called
from rankscope.files.row_filter import Where, matching_rows
from rankscope.files.table import HEADER, Column, Place, Table, is_missing, is_number, listed
from rankscope.files.trec_lines import MAP_WORDS, TO_COME, still_to_label
from rankscope.runs import Floats, Ids, Judgments

OnConflict = Literal["error", "first", "last", "max", "mean", "majority"]
ON_CONFLICT: tuple[OnConflict, ...] = get_args(OnConflict)
LabelRole = Literal["topic", "item", "label"]
LABEL_ROLES: tuple[LabelRole, ...] = get_args(LabelRole)
LabelColumns = Mapping[LabelRole, str]

# Headers by what they mean, in order of precedence.
ITEM = (
    "item",
    "item_id",
    "itemid",
    "document",
    "document_id",
    "doc",
    "doc_id",
    "docid",
    "docno",
    "passage",
    "passage_id",
    "pid",
    "segment",
    "segment_id",
    "seg",
    "seg_id",
    "sample_id",
    "example_id",
    "instance_id",
    "answer_id",
    "id",
)
LABEL = (
    "label",
    "grade",
    "relevance",
    "rel",
    "relevance_label",
    "relevance_grade",
    "relevance_score",
    "judgment",
    "judgement",
    "rating",
    "annotation",
    "verdict",
    "preference",
    "winner",
    "score",
    "value",
)
RATER = (
    "rater",
    "rater_id",
    "annotator",
    "annotator_id",
    "assessor",
    "judge",
    "worker",
    "worker_id",
    "coder",
    "labeler",
)
# The probability with which a document was drawn for people to label.
PROBABILITY = ("probability", "inclusion_probability", "sampling_probability", "prob", "p")
_TOPIC = tuple(word for word in TOPIC if word not in ITEM)
_WORDS = frozenset((*_TOPIC, *ITEM, *LABEL, *RATER, *SYSTEM, *PROBABILITY))
# What the columns of a table without a header hold, by their number; the second of four is not looked at.
_BY_WIDTH: dict[int, tuple[LabelRole | None, ...]] = {
    2: ("item", "label"),
    3: ("topic", "item", "label"),
    4: ("topic", None, "item", "label"),
}
# Lines of a sample: topic, anything, document, grade, inclusion probability.
SAMPLE_WIDTH = 5
_NAME_THEM = "name the columns (columns={'item': …, 'label': …}; --item-column, --label-column)"
_SHOWN_LABELS = 8


@dataclass(frozen=True)
class _Layout:
    """The columns of a table; without topics every item is a topic of its own. `rater` says who gave the label."""

    item: Column
    label: Column
    topic: Column | None
    rater: Column | None


def table_judgments(
    table: Table,
    *,
    columns: LabelColumns | None = None,
    where: Where | None = None,
    grades: Mapping[str, float] | None = None,
    on_conflict: OnConflict = "error",
    name: str | None = None,
    bare: bool = False,
    unlabelled: bool = False,
) -> Judgments:
    """The judgments in a table, one label per row; `read_judgments` explains the options.

    With `unlabelled`, a missing label is one to come, and its grade NaN.

    >>> table = Table(Place("labels.csv"), (Column("item", ["a", "b"]), Column("label", ["yes", "no"])))
    >>> table_judgments(table, bare=True).words
    ('no', 'yes')
    """
    table = _with_header(table, columns, where)
    if len(set(table.headers)) < len(table.headers) and table.headed:
        twice = next(header for header, count in Counter(table.headers).items() if count > 1)
        raise table.place.error(DuplicateScore, f"two columns are called {twice!r}; rename one of them", HEADER)
    if where:
        table = chosen_rows(table, where)
    layout = _layout(table, columns)
    if layout.topic is None and not bare:
        seen = f"the columns are {listed(table.headers)}" if table.headed else f"there are {len(table.columns)} columns"
        role = "item" if layout.item.word in _TOPIC else "topic"
        problem = (
            f"no column of {role}s, which measures need; {seen}; name one (columns={{'{role}': …}}, --{role}-column)"
        )
        raise table.place.error(UnrecognisedFormat, problem)
    rows, words = _labels(layout.label, table.place, grades or {}, bare=bare)
    topics = layout.item.cells if layout.topic is None else layout.topic.cells
    by_topic: dict[str, dict[str, list[int]]] = {}
    for row, (topic, item) in enumerate(zip(topics, layout.item.cells, strict=True)):
        if not topic.strip() or not item.strip() or (np.isnan(rows[row]) and not (bare or unlabelled)):
            raise table.place.error(MissingName, "a topic, document or grade is missing; leave the row out", row)
        by_topic.setdefault(topic.strip(), {}).setdefault(item.strip(), []).append(row)
    return Judgments(
        topics=tuple(by_topic),
        starts=np.cumsum([0, *(len(items) for items in by_topic.values())]),
        ids=Ids.of(item for items in by_topic.values() for item in items),
        grades=np.array(
            [
                rows[given[0]]
                if len(given) == 1
                else _merged(given, rows, words, on_conflict, layout, table.place, sampled=unlabelled)
                for items in by_topic.values()
                for given in items.values()
            ],
            dtype=np.float64,
        ),
        name=name,
        words=words,
        without_topics=layout.topic is None,
    )


def sample_judgments(
    table: Table, *, columns: LabelColumns | None, grades: Mapping[str, float] | None, name: str
) -> Judgments:
    """The documents of a sample, with NaN for labels to come."""
    return table_judgments(table, columns=columns, grades=grades, name=name, unlabelled=True)


def chosen_rows(table: Table, where: Where) -> Table:
    """The rows that match, with every column that may hold topics, items, labels or raters."""
    return matching_rows(table, where, label_columns(table))


def label_columns(table: Table) -> Any:
    """The columns that may hold topics, items, labels or raters, which choosing rows by them leaves in the table."""
    return {column.header: column.header for column in table.columns if column.word in _WORDS}


def _with_header(table: Table, columns: LabelColumns | None, where: Where | None) -> Table:
    """The table as it is if its first row names columns; otherwise that row is one of labels."""
    if not table.headed or columns or where or any(column.word in _WORDS for column in table.columns):
        return table
    last = table.columns[-1]
    if last.numeric and not any(is_number(header) for header in table.headers):
        return table  # a name above numbers
    place, line_of = table.place, table.place.line_of
    if line_of is not None:
        place = Place(place.path, lambda row: line_of(row - 1))
    above = tuple(Column("", [column.header, *column.cells]) for column in table.columns)
    return Table(place, above, headed=False)


def _layout(table: Table, columns: LabelColumns | None) -> _Layout:
    if not table.headed:
        roles = _BY_WIDTH.get(len(table.columns))
        if roles is None:
            problem = (
                f"{len(table.columns)} columns without names that say what they hold; add a header (topic,item,label)"
            )
            if len(table.columns) == SAMPLE_WIDTH:
                problem += ", or read qrels with inclusion probabilities as a sample (read_sample; correct --truth)"
            raise table.place.error(UnrecognisedFormat, problem)
        by_role = {role: column for role, column in zip(roles, table.columns, strict=True) if role is not None}
        return _Layout(by_role["item"], by_role["label"], by_role.get("topic"), None)
    named = {role: column_called(table, name) for role, name in (columns or {}).items()}
    free = Table(table.place, tuple(column for column in table.columns if column not in named.values()))
    topic, item, label = (named.get(role) for role in LABEL_ROLES)
    item = item or _first(free, ITEM)
    topic = topic or _first(free, _TOPIC)
    system = _first(free, SYSTEM)
    rater = _first(free, RATER)
    if item is None:
        item, system = system, None  # a label for each topic and system
    elif topic is None and system is not None and "item" not in named:
        topic, item = item, system  # each system's answer to an item has a label
    if item is None:
        item, topic = topic, None  # a label for each topic
    label = label or _first(free, LABEL)
    if label is None:
        others = [c for c in free.columns if c not in (item, topic, system, rater) and any(c.cells) and c.header]
        label = others[0] if len(others) == 1 else None
    if item is None or label is None:
        what = "items" if item is None else "labels"
        problem = f"no column is known to hold the {what}; the columns are {listed(table.headers)}; {_NAME_THEM}"
        raise table.place.error(UnrecognisedFormat, problem)
    return _Layout(item, label, topic, rater)


def _first(table: Table, words: Sequence[str]) -> Column | None:
    return next((table.by_word[word] for word in words if word in table.by_word), None)


def _labels(
    column: Column, place: Place, grades: Mapping[str, float], *, bare: bool
) -> tuple[Floats, tuple[str, ...] | None]:
    """Each row's grade, or the code of its word; NaN where a label is missing."""
    if grades:
        column = Column(column.header, mapped_labels(column.cells, grades, place))
    values = column.values.copy()
    if column.numeric:
        return values, None
    cells = [cell.strip() for cell in column.cells]
    if not bare:
        row = int(np.flatnonzero(column.wrong)[0])
        to_come = cells.count(TO_COME)
        problem = f"the label {cells[row]!r} is not a number; {MAP_WORDS}"
        raise place.error(NotANumber, still_to_label(to_come, len(cells)) if cells[row] == TO_COME else problem, row)
    words = tuple(sorted({cell for cell in cells if not is_missing(cell)}))
    code = {word: float(i) for i, word in enumerate(words)}
    return np.array([code.get(cell, np.nan) for cell in cells]), words


def mapped_labels(cells: Sequence[str], grades: Mapping[str, float], place: Place) -> list[str]:
    """The labels with those that the map names replaced by grades; a number is found however it is written."""
    known = {_written(label): repr(float(grade)) for label, grade in grades.items()}
    written = {cell: _written(cell) for cell in set(cells)}
    if not any(label in known for label in written.values()):
        labels = listed(sorted(set(written.values()))[:_SHOWN_LABELS])
        raise place.error(UnrecognisedFormat, f"the map names none of the labels, which are {labels}; map these")
    return [known.get(written[cell], cell) for cell in cells]


def _written(label: str) -> str:
    label = str(label).strip()
    return repr(float(label)) if is_number(label) else label


def _merged(
    given: Sequence[int],
    rows: Floats,
    words: tuple[str, ...] | None,
    on_conflict: OnConflict,
    layout: _Layout,
    place: Place,
    *,
    sampled: bool,
) -> float:
    """The label that counts of several of one item; missing ones have no vote."""
    given = [row for row in given if not np.isnan(rows[row])]
    if not given:
        return float("nan")
    labels = [float(rows[row]) for row in given]
    if on_conflict == "mean" and words is None:
        return sum(labels) / len(labels)
    if len(set(labels)) == 1 or on_conflict == "first":
        return labels[0]
    if on_conflict == "last":
        return labels[-1]
    if on_conflict == "majority":
        return Counter(labels).most_common(1)[0][0]  # of labels given equally often, the one that came first
    if on_conflict == "max" and words is None:
        return max(labels)
    raise _conflict(given, labels, words, on_conflict, layout, place, sampled=sampled)


def _conflict(
    given: Sequence[int],
    labels: Sequence[float],
    words: tuple[str, ...] | None,
    on_conflict: OnConflict,
    layout: _Layout,
    place: Place,
    *,
    sampled: bool,
) -> BadFile:
    if on_conflict != "error":
        raise BadParameter(
            f"{place.path}: words have no {on_conflict}; choose the first, last or majority (on_conflict)"
        )
    at = next(i for i, label in enumerate(labels) if label != labels[0])
    row, first = given[at], given[0]
    shown = [repr(words[int(label)]) if words else f"{label:g}" for label in (labels[at], labels[0])]
    topic = "" if layout.topic is None else f" of topic {layout.topic.cells[row]!r}"
    where = place.row(first)
    what = "probability" if layout.label.word in PROBABILITY else "grade"
    problem = f"document {layout.item.cells[row]!r}{topic} has {what} {shown[0]} here and {shown[1]} on {where}"
    if sampled:  # nothing is said of how labels of a sample are to be combined
        return place.error(ConflictingJudgments, f"{problem}; keep one", row)
    rater = layout.rater
    if rater is not None and rater.cells[row] != rater.cells[first]:
        raters = listed(list(dict.fromkeys(rater.cells)))
        way_out = f"there are several raters, {raters}: choose (FILE:{rater.header}={rater.cells[first]}), or take "
    else:
        way_out = "keep one, or choose "
    way_out += "the first, last, max, mean or majority (on_conflict, --on-conflict)"
    return place.error(ConflictingJudgments, f"{problem}; {way_out}", row)
