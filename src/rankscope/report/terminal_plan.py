"""The text of a plan: what to label, what to expect of it, and what that rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankscope.report.blocks import Block, Heading, Sentence, text_table
from rankscope.report.numbers import counted, decimals, number_range, percent
from rankscope.report.remarks import remark_sentences
from rankscope.report.text_tables import TextTable
from rankscope.report.theme import label

if TYPE_CHECKING:
    from rankscope.studies.plan_result import LabelPlan

# Topics are listed up to this number; the file and the tables have all.
_LISTED = 12


def plan(result: LabelPlan) -> list[Block]:
    """The text of a plan."""
    said: list[Block] = [Heading(*title(result)), *sentences(result), _table(result)]
    return [*said, *remark_sentences(result.remarks), *basis(result)]


def title(result: LabelPlan) -> tuple[str, str]:
    """What was planned, and over which data."""
    measure = "" if result.measure is None else f" by {label(result.measure)}"
    over = f"{counted(result.systems, 'system')}{measure}, {counted(result.total, result.by)} labelled by "
    return "What to label next", over + label(result.judge)


def sentences(result: LabelPlan) -> list[Sentence]:
    """What to label, and what to expect then."""
    new, human = result.budget - result.labelled, "people" if result.human is None else label(result.human)
    so_far = f", with the {result.labelled:,} labelled by {human}" if result.labelled else ""
    asked = "" if result.target is None else f", the fewest expected to reach {label(result.target)}"
    if new <= 0:
        text = f"No more labels are needed: {result.labelled:,} {result.by}s have them{asked}."
    elif result.by == "topic":
        topics = [label(row.topic) for row in result.topics if not row.labelled]
        more = f" and {len(topics) - _LISTED:,} more" if len(topics) > _LISTED else ""
        which = ", ".join(topics[:_LISTED]) + more
        text = f"Label {counted(new, 'more topic' if result.labelled else 'topic')} ({result.budget:,} in all"
        text += f"{so_far}{asked}): {which}."
    else:
        open_ = sum(row.grade is None for row in result.documents)
        text = (
            f"Label {counted(open_, 'document')} of {counted(len(result.topics), 'topic')}, drawn at random "
            f"({result.budget:,} in all expected{so_far}{asked}); each has its inclusion probability."
        )
    return [Sentence("to label", text, {"budget": result.budget, "labelled": result.labelled}), _expected(result)]


def _expected(result: LabelPlan) -> Sentence:
    then, now = result.planned, result.now
    width = number_range(then.width_range.low, then.width_range.high, 1)
    before = "" if now is None or now is then else f"; now: {now.width:.1f}"
    text = (
        f"To expect: typical rank sets of {then.width:.1f} ranks on average ({width}{before}), "
        f"{percent(then.separated)} of the pairs of systems separated, and {then.candidates:g} systems that may be "
        f"among the top {result.top}."
    )
    numbers = {"width": then.width, "separated": then.separated, "candidates": then.candidates}
    return Sentence("expected", text, numbers)


def basis(result: LabelPlan) -> list[Sentence]:
    """What the expectations rest on, and what the choice is good for."""
    said = []
    if result.assumed:
        text = (
            "Without human labels it is assumed how the judge follows people, and the ranges are wide: label a few "
            "first, and plan again with them (--truth)."
        )
        said.append(Sentence("assumed", text))
    if result.by == "topic":
        text = "Label whole topics, in any order but all of them: a correction takes them for a random part."
    else:
        text = (
            "Label all of the documents drawn: each stands for others that were not, by its probability. More labels "
            "do not reduce the error of these topics themselves, which is in the last row."
        )
    return [*said, Sentence("use", text)]


def _table(result: LabelPlan) -> TextTable:
    worth = any(row.worth is not None for row in result.expected)
    columns = (f"{result.by}s", "rank set", "range", "widest", "separated", f"may be in top {result.top}", "worth")
    rows = []
    for row in result.expected:
        mark = "→ " if row.budget == result.budget else ""
        cells = [
            f"{mark}{row.budget:,}",
            decimals(row.width, 1),
            number_range(row.width_range.low, row.width_range.high, 1),
            f"{row.widest:g}",
            percent(row.separated),
            f"{row.candidates:g}",
        ]
        if worth:
            cells.append("" if row.worth is None else number_range(row.worth.low, row.worth.high, 2))
        rows.append(cells)
    shown = columns if worth else columns[:-1]
    title_ = f"Expected with other numbers of {result.by}s; ranges have nine draws in ten"
    return text_table(shown, rows, right=shown, title=title_, spare=("widest", shown[-1]))
