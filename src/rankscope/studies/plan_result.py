"""What a plan consists of: what to label, what to expect by budget, and the targets that it may reach."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from rankscope.checks import check_count, check_name
from rankscope.errors import BadParameter
from rankscope.inference.planning import Outlook
from rankscope.results import Interval, Remark, Result, Table, rows_table
from rankscope.runs import Judgments, JudgmentSample

By = Literal["topic", "document"]
# The size of the top whose possible members are counted, where no target says another.
TOP = 5
# The share of draws that a range of expected values has, and the budgets at which they are told.
_RANGE, _BUDGETS = 0.9, 8


@dataclass(frozen=True, kw_only=True)
class ExpectedRanking:
    """What to expect of the corrected ranking with a budget: medians over draws, with ranges.

    Attributes
    ----------
    budget : int
        The topics or documents labelled by people, in all.
    width : float
        The mean number of ranks in a typical rank set.
    width_range : Interval
        What nine draws in ten lie between.
    widest : float
        The number of ranks in the widest of them.
    separated : float
        The share of pairs of systems whose difference exceeds its error at the level, each on its own.
    separated_range : Interval
        What nine draws in ten lie between.
    candidates : float
        The number of systems that may be among the top.
    worth : Interval or None
        The interval of the worth of a judged topic that so many human topics would give; None where fewer than five
        have human labels, or documents are planned.
    """

    budget: int
    width: float
    width_range: Interval
    widest: float
    separated: float
    separated_range: Interval
    candidates: float
    worth: Interval | None = None


@dataclass(frozen=True, kw_only=True)
class PlannedTopic:
    """A topic of a plan: its place in the order of the design, whether it has human labels, and its documents."""

    topic: str
    place: int
    labelled: bool
    documents: int


@dataclass(frozen=True, kw_only=True)
class PlannedDocument:
    """A document for people to label: its grade is None while it has none.

    `probability` is that of being drawn; None where whole topics are labelled.
    """

    topic: str
    document: str
    grade: float | None
    probability: float | None


@dataclass(frozen=True, kw_only=True)
class LabelPlan(Result):
    """What people should label, and what to expect of the ranking then.

    Attributes
    ----------
    by : str
        Whether topics or documents are chosen.
    design : str
        How they are chosen.
    budget : int
        How many there are to be in all, those with labels included.
    labelled, total : int
        How many have labels now, and how many the judge labelled.
    target : str or None
        What the budget was found for.
    topics : tuple of PlannedTopic
        The topics with something to label, in the order of the design (by topic) or of the judge's labels.
    documents : tuple of PlannedDocument
        The documents to label; empty where scores were given in place of runs.
    expected : tuple of ExpectedRanking
        What to expect by budget, the plan's among them.
    assumed : bool
        Whether, for lack of human labels, it was assumed how the judge follows people (docs/planning.md).
    judge, human, measure, systems, top, lower_is_better
        What was planned for; `human` is None without human labels.
    remarks : tuple of Remark
        What was left out.
    settings : dict
        The options.
    """

    by: By
    design: str
    budget: int
    labelled: int
    total: int
    target: str | None
    topics: tuple[PlannedTopic, ...]
    documents: tuple[PlannedDocument, ...]
    expected: tuple[ExpectedRanking, ...]
    assumed: bool
    judge: str
    human: str | None
    measure: str | None
    systems: int
    top: int
    remarks: tuple[Remark, ...] = ()
    settings: dict[str, Any]

    @property
    def planned(self) -> ExpectedRanking:
        """What to expect of the plan."""
        return next(row for row in self.expected if row.budget == self.budget)

    @property
    def now(self) -> ExpectedRanking | None:
        """What the labels so far give by the same reckoning; None without any."""
        return next((row for row in self.expected if row.budget == self.labelled), None)

    def table(self) -> Table:
        """The topics or documents to label, one row each."""
        if self.by == "topic":
            return rows_table(self.topics, PlannedTopic)
        return rows_table(self.documents, PlannedDocument)

    def tables(self) -> dict[str, Table]:
        """What to label, what to expect by budget, and the documents."""
        columns = {
            **{name: name for name in ("budget", "width", "width_low", "width_high", "widest", "separated")},
            **{"width_low": "width_range.low", "width_high": "width_range.high"},
            **{"separated_low": "separated_range.low", "separated_high": "separated_range.high"},
            **{"candidates": "candidates", "worth_low": "worth.low", "worth_high": "worth.high"},
        }
        tables = {"topics": rows_table(self.topics, PlannedTopic), "expected": rows_table(self.expected, columns)}
        documents = {"documents": rows_table(self.documents, PlannedDocument)}
        return {**tables, **documents} if self.by == "topic" else {**documents, **tables}

    def to_label(self) -> Judgments:
        """The documents to label, a grade being NaN until there is one; what .qrels files have."""
        if not self.documents:
            raise BadParameter(
                "scores say nothing of documents, so that there is no file to label; plan from runs and the judge's "
                "labels, or take the topics (.csv)"
            )
        rows: dict[str, dict[str, float]] = {}
        for row in self.documents:
            rows.setdefault(row.topic, {})[row.document] = math.nan if row.grade is None else row.grade
        return Judgments.of(rows)

    def sample(self) -> JudgmentSample:
        """The documents to label with their inclusion probabilities, which are 1 where whole topics are labelled."""
        chances = [1.0 if row.probability is None else row.probability for row in self.documents]
        return JudgmentSample(judgments=self.to_label(), probabilities=np.array(chances))


# ---- targets ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Target:
    """Something to reach: its name, what it means, the bounds of its value, and whether an expected ranking has it.

    `said` is what a ranking has in place of it, and `way_out` what to ask for then.
    """

    name: str
    text: str
    bounds: tuple[float, float]
    reached: Callable[[ExpectedRanking, float], bool]
    said: Callable[[ExpectedRanking, float], str]
    way_out: str


def _decided(row: ExpectedRanking, margin: float) -> bool:
    return row.worth is not None and (row.worth.low >= margin or row.worth.high < margin)


def _worth_then(row: ExpectedRanking, margin: float) -> str:
    if row.worth is None:
        return "nothing is known of it"
    return f"the interval of the worth is {row.worth.low:.2f} to {row.worth.high:.2f}"


TARGETS: tuple[Target, ...] = (
    Target(
        "top",
        "no more than this number of systems may be among as many best",
        (1.0, math.inf),
        lambda row, value: row.candidates <= value,
        lambda row, value: f"{row.candidates:g} systems may be among the top {value:g}",
        "take another top",
    ),
    Target(
        "width",
        "typical rank sets have at most this number of ranks on average over systems",
        (1.0, math.inf),
        lambda row, value: row.width <= value,
        lambda row, value: f"rank sets have {row.width:.1f} ranks on average",
        "allow more ranks",
    ),
    Target(
        "widest",
        "no typical rank set has more ranks",
        (1.0, math.inf),
        lambda row, value: row.widest <= value,
        lambda row, value: f"the widest rank set has {row.widest:g} ranks",
        "allow more ranks",
    ),
    Target(
        "separated",
        "at least this share of the pairs of systems is separated",
        (0.0, 1.0),
        lambda row, value: row.separated >= value,
        lambda row, value: f"{100.0 * row.separated:.0f} % of the pairs are separated",
        "ask for a smaller share",
    ),
    Target(
        "worth",
        "the interval of the worth of a judged topic is at one side of this margin",
        (0.0, math.inf),
        _decided,
        _worth_then,
        "take a margin outside of it",
    ),
)


Goal = tuple[Target, float]


def parse_target(text: str) -> Goal:
    """A target and its value: "top=5", "width=3", "widest=4", "separated=0.8" or "worth=0.8"."""
    name, equals, number = str(text).partition("=")
    check_name("target", name.strip(), [target.name for target in TARGETS])
    target = next(target for target in TARGETS if target.name == name.strip())
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    low, high = target.bounds
    whole = target.name != "top" or value.is_integer()
    if not equals or not (low <= value < math.inf and value <= high and whole):
        between = f"{low:g} to {high:g}" if high < math.inf else f"{low:g} or more"
        raise BadParameter(f"target {text!r}: {target.name}=NUMBER, {between}: {target.text}")
    return target, value


def find_goal(budget: int | str | None, target: str | None) -> Goal | None:
    """The target, where it is asked for in place of a budget."""
    if (budget is None) == (target is None):
        raise BadParameter("give either a budget, such as 20, or a target, such as 'width=3'")
    return None if target is None else parse_target(target)


def counted_budget(budget: int | str | None, total: int) -> int | None:
    """The budget as a number of topics or documents: itself, or its share of all, rounded up."""
    if not isinstance(budget, str):
        return None if budget is None else check_count("budget", budget)
    number, percent = budget.strip().removesuffix("%"), budget.strip().endswith("%")
    try:
        value = float(number) * (total / 100.0 if percent else 1.0)
        size = math.ceil(value - 1e-9)
    except (ValueError, OverflowError):
        size = 0
    if size < 1 or (not percent and size != value):
        raise BadParameter(f"budget={budget!r}: a whole number, 1 or more, or a share of all such as '10%'")
    return size


def top_of(goal: Goal | None, systems: int) -> int:
    """The size of the top to look at."""
    if goal is None or goal[0].name != "top":
        return min(TOP, systems - 1)
    if goal[1] >= systems:
        raise BadParameter(f"target top={goal[1]:g}: there are {systems} systems; take a smaller top")
    return int(goal[1])


def find_size(
    goal: Goal | None,
    budget: int | None,
    expected: Callable[[int], ExpectedRanking],
    *,
    labelled: int,
    needed: int,
    total: int,
    what: str,
) -> int:
    """The budget, or the smallest that is expected to reach the goal, sought by halving."""
    least = max(labelled, needed)
    if goal is None:
        if budget is None or not least <= budget <= total:
            raise BadParameter(f"budget={budget}: {_out_of_range(budget, labelled, needed, total, what)}")
        return budget
    target, value = goal
    best = expected(total)
    if not target.reached(best, value):
        raise BadParameter(
            f"target {target.name}={value:g} is not expected to be reached with all {total:,} {what}: then "
            f"{target.said(best, value)}; {target.way_out}, or give a budget"
        )
    low, high = least - 1, total
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if target.reached(expected(middle), value) else (middle, high)
    return high


def _out_of_range(budget: int | None, labelled: int, needed: int, total: int, what: str) -> str:
    """Why a budget is too small or too large, and which would do."""
    least = max(labelled, needed)
    if budget is not None and budget > total:
        why = f"the judge labelled {total:,} {what}"
    elif labelled >= needed:
        why = f"people labelled {labelled:,} of the {what} already, and a budget counts these"
    else:
        why = f"a correction needs at least {needed} {what} with human labels"
    return f"{why}; give a number from {least} to {total}" if least < total else f"{why}; there is nothing left to plan"


def budgets(least: int, chosen: int, total: int) -> list[int]:
    """Budgets to tell of: those between, the chosen one, and the ends."""
    between = np.rint(np.geomspace(max(least, 1), total, _BUDGETS)).astype(int).tolist()
    return sorted({*between, least, chosen, total})


def expect(outlook: Outlook, budget: int) -> ExpectedRanking:
    """Medians and ranges of what to expect over draws."""
    drawn = outlook.at(budget)
    tails = ((1.0 - _RANGE) / 2.0, (1.0 + _RANGE) / 2.0)
    width, separated = (
        Interval(low=float(low), high=float(high), level=_RANGE, method="draws of errors and variances")
        for low, high in (np.quantile(values, tails) for values in (drawn.width, drawn.separated))
    )
    medians = [float(np.median(values)) for values in drawn]
    return ExpectedRanking(
        budget=budget,
        width=medians[0],
        width_range=width,
        widest=medians[1],
        separated=medians[2],
        separated_range=separated,
        candidates=medians[3],
    )
