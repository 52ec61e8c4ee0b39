"""`plan`: which topics, or which documents with which probabilities, people should label next."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from rankscope.checks import check_choice, check_count, check_level, check_name, check_seed
from rankscope.defaults import LEVEL, MEASURES, SEED
from rankscope.errors import BadParameter, ConstantMeasure, MissingScores, TooFewSystems
from rankscope.inference.designs import TOPIC_DESIGNS, TopicDesignName, topic_order
from rankscope.inference.planning import Outlook, TopicOutlook
from rankscope.inference.resampling import check_averaged, check_plain_mean
from rankscope.inference.worth import Worth, measure_worth
from rankscope.inputs import JudgmentsLike, RunsLike, ScoresLike, to_judgments, to_matrix, to_runs
from rankscope.measures import Measure, evaluate, parse_measure
from rankscope.results import Interval, Remark, Result, Table, rows_table
from rankscope.runs import Judgments, JudgmentSample
from rankscope.scores import ScoreMatrix, align
from rankscope.studies.correction import LEAST_FURTHER, LEAST_SYSTEMS, LEAST_TOPICS

By = Literal["topic", "document"]
# The size of the top whose possible members are counted, where no target says another.
TOP = 5
# The share of draws that a range of expected values has, and the budgets at which they are told.
_RANGE, _BUDGETS = 0.9, 8
# Below this number of human topics, `judge` decides nothing.
_LEAST_FOR_WORTH = 5
_WHY = "a plan needs to know how scores vary over topics"


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
    """Something to reach: its name, what it means, the bounds of its value, and whether an expected ranking has it."""

    name: str
    text: str
    bounds: tuple[float, float]
    reached: Callable[[ExpectedRanking, float], bool]
    said: Callable[[ExpectedRanking], str]


def _decided(row: ExpectedRanking, margin: float) -> bool:
    return row.worth is not None and (row.worth.low >= margin or row.worth.high < margin)


TARGETS: tuple[Target, ...] = (
    Target(
        "top",
        "no more than this number of systems may be among as many best",
        (1.0, math.inf),
        lambda row, value: row.candidates <= value,
        lambda row: f"{row.candidates:g} systems may be among them",
    ),
    Target(
        "width",
        "typical rank sets have at most this number of ranks on average over systems",
        (1.0, math.inf),
        lambda row, value: row.width <= value,
        lambda row: f"rank sets have {row.width:.1f} ranks on average",
    ),
    Target(
        "widest",
        "no typical rank set has more ranks",
        (1.0, math.inf),
        lambda row, value: row.widest <= value,
        lambda row: f"the widest rank set has {row.widest:g} ranks",
    ),
    Target(
        "separated",
        "at least this share of the pairs of systems is separated",
        (0.0, 1.0),
        lambda row, value: row.separated >= value,
        lambda row: f"{100.0 * row.separated:.0f} % of the pairs are separated",
    ),
    Target(
        "worth",
        "the interval of the worth of a judged topic is at one side of this margin",
        (0.0, math.inf),
        _decided,
        lambda row: "nothing is known" if row.worth is None else f"it is {row.worth.low:.2f} to {row.worth.high:.2f}",
    ),
)


def parse_target(text: str) -> tuple[Target, float]:
    """A target and its value: "top=5", "width=3", "widest=4", "separated=0.8" or "worth=0.8"."""
    name, equals, number = str(text).partition("=")
    check_name("target", name.strip(), [target.name for target in TARGETS])
    target = next(target for target in TARGETS if target.name == name.strip())
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    low, high = target.bounds
    whole = target.name != "top" or value == math.floor(value)
    if not equals or not (low <= value < math.inf and value <= high and whole):
        between = f"{low:g} to {high:g}" if high < math.inf else f"{low:g} or more"
        raise BadParameter(f"target {text!r}: {target.name}=NUMBER, {between}: {target.text}")
    return target, value


# ---- by topic --------------------------------------------------------------------------------------------------------


def plan_topics(
    judge: ScoresLike,
    human: ScoresLike | None = None,
    *,
    budget: int | str | None = None,
    target: str | None = None,
    design: TopicDesignName = "random",
    level: float = LEVEL,
    rng: int = SEED,
) -> LabelPlan:
    """Which topics people should label next, from a judge's scores and human scores so far.

    `plan` does the same from runs and labels, and writes the file to label.

    Parameters
    ----------
    judge : ScoresLike
        The judge's scores by topic: all topics that people may label.
    human : ScoresLike, optional
        Human scores of the same systems on some of these topics, at least three. Without them it is assumed how the
        judge follows people, and expectations are wide.
    budget : int or str, optional
        The number of topics that people label in all, those so far included; "10%" is a share of the judge's.
    target : str, optional
        What to reach in place of a budget: "top=5", "width=3", "widest=4", "separated=0.8" or "worth=0.8".
    design : {"random", "spread"}, default "random"
        The order in which topics are taken.
    level : float, default 0.95
        The level of rank sets and separated pairs.
    rng : int, default 0
        The seed. The same seed gives the same order, so that a larger budget keeps what was labelled.

    Returns
    -------
    LabelPlan
        The topics, and what to expect of `correct` then.

    Raises
    ------
    BadParameter
        If there is not one of budget and target, an option is out of its range, or no budget reaches the target.
    MissingScores
        If a side has no topics or lacks scores, people have fewer than three topics, or topics that the judge lacks.
    TooFewSystems
        If there are fewer than four systems.
    ConstantMeasure
        If the judge scores all systems alike on every topic.
    MismatchedNames
        If the sides have different systems.

    Examples
    --------
    >>> from rankscope.demo import demo_scores
    >>> tables = demo_scores()
    >>> first = plan_topics(tables["careful"], budget=10)
    >>> labelled = tables["human"].select(topics=[row.topic for row in first.topics])
    >>> more = plan_topics(tables["careful"], labelled, budget=20)
    >>> more.labelled, {row.topic for row in first.topics} < {row.topic for row in more.topics}
    (10, True)
    """
    check_level(level)
    check_seed(rng)
    check_choice("design", design, [known.name for known in TOPIC_DESIGNS])
    goal = _goal(budget, target)
    judged, people, alone = _sides(to_matrix(judge, _WHY), None if human is None else to_matrix(human, _WHY))
    n, total, m = 0 if people is None else len(people.topics), len(judged.topics), len(judged.systems)
    top = _top(goal, m)
    known = set() if people is None else set(people.topics)
    same = judged.select(topics=[t for t in judged.topics if t in known])
    further = judged.select(topics=[t for t in judged.topics if t not in known])
    of_people = judged.values[:0] if people is None else people.select(topics=same.topics).values
    outlook = TopicOutlook(of_people, same.values, further.values, level=level, top=top, seed=rng)
    worth = None
    if people is not None and n >= _LEAST_FOR_WORTH:
        worth = _worth(people.select(topics=same.topics), same, level)
    if goal is not None and goal[0].name == "worth" and worth is None:
        raise MissingScores(
            f"{n} topics have human labels, and what a judged topic is worth shows from {_LEAST_FOR_WORTH} on: label "
            f"some first (budget={2 * _LEAST_FOR_WORTH}), then plan again"
        )

    def expected(size: int) -> ExpectedRanking:
        return replace(expect(outlook, size), worth=None if worth is None else _worth_with(worth, size, level))

    least = max(n, LEAST_TOPICS)
    chosen = _size(goal, _counted(budget, total), expected, least, total, "topics")
    record = next(known_design for known_design in TOPIC_DESIGNS if known_design.name == design)
    order = topic_order(record, judged.topics, judged.values, rng)
    ranked = [judged.topics[place] for place in order]
    fresh = [topic for topic in ranked if topic not in known][: chosen - n]
    planned = [
        PlannedTopic(topic=topic, place=place, labelled=topic in known, documents=0)
        for place, topic in enumerate(ranked, 1)
        if topic in known or topic in set(fresh)
    ]
    remarks = list(judged.left_out if people is None else (*judged.left_out, *people.left_out))
    if alone:
        remarks.append(_left_out(people, alone))
    return LabelPlan(
        by="topic",
        design=design,
        budget=chosen,
        labelled=n,
        total=total,
        target=target,
        topics=tuple(planned),
        documents=(),
        expected=tuple(map(expected, budgets(least, chosen, total))),
        assumed=people is None,
        judge=judged.name or "judge",
        human=None if people is None else people.name or "human",
        measure=judged.measure,
        systems=m,
        top=top,
        remarks=tuple(dict.fromkeys(remarks)),
        settings={"budget": budget, "target": target, "design": design, "level": level, "seed": rng},
    )


def _goal(budget: int | str | None, target: str | None) -> tuple[Target, float] | None:
    if (budget is None) == (target is None):
        raise BadParameter("give either a budget, such as 20, or a target, such as 'width=3'")
    return None if target is None else parse_target(target)


def _counted(budget: int | str | None, total: int) -> int | None:
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


def _top(goal: tuple[Target, float] | None, systems: int) -> int:
    if goal is None or goal[0].name != "top":
        return min(TOP, systems - 1)
    if goal[1] >= systems:
        raise BadParameter(f"target top={goal[1]:g}: there are {systems} systems; take a smaller top")
    return int(goal[1])


def _size(
    goal: tuple[Target, float] | None,
    budget: int | None,
    expected: Callable[[int], ExpectedRanking],
    least: int,
    total: int,
    what: str,
) -> int:
    """The budget, or the smallest that is expected to reach the goal, sought by halving."""
    if goal is None:
        if budget is None or not least <= budget <= total:
            raise BadParameter(
                f"budget={budget}: from {least} to {total} {what} in all, since {least} have labels or are needed, and "
                f"the judge labelled {total}"
            )
        return budget
    target, value = goal
    best = expected(total)
    if not target.reached(best, value):
        raise BadParameter(
            f"target {target.name}={value:g} is not expected to be reached with all {total} {what}: then "
            f"{target.said(best)}; ask for less, or give a budget"
        )
    low, high = least - 1, total
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if target.reached(expected(middle), value) else (middle, high)
    return high


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


def _worth(human: ScoreMatrix, judge: ScoreMatrix, level: float) -> Worth | None:
    try:
        return measure_worth(human, judge, level=level, splits=0)
    except ConstantMeasure:
        return None


def _worth_with(now: Worth, topics: int, level: float) -> Interval:
    """The interval of worth with more human topics, whose part of the error shrinks with their number."""
    if now.worth <= 0.0:
        return now.interval
    v = 1.0 / now.worth
    half = math.hypot(now.topic_error * math.sqrt(now.truth_topics / topics), now.system_error)
    return Interval(
        low=1.0 / (v + half),
        high=1.0 / (v * math.exp(-min(half / v, 10.0))),
        level=level,
        method="leave one topic and one system out, t, topics scaled",
    )


def _sides(judge: ScoreMatrix, human: ScoreMatrix | None) -> tuple[ScoreMatrix, ScoreMatrix | None, list[str]]:
    """The judge's scores, the human ones of the same systems and topics, and the topics of people alone."""
    named = judge.name or "the judge"
    check_plain_mean(judge, f"{named}: a plan")
    check_averaged(judge, "a plan")
    _ = judge.means  # raises and names what is missing
    if len(judge.systems) < LEAST_SYSTEMS:
        raise TooFewSystems(f"a plan needs at least {LEAST_SYSTEMS} systems, there are {len(judge.systems)}")
    if len(judge.topics) < LEAST_TOPICS + LEAST_FURTHER:
        raise MissingScores(
            f"{named} has {len(judge.topics)} topics; to correct a part by the rest, it needs at least "
            f"{LEAST_TOPICS + LEAST_FURTHER}"
        )
    if not np.ptp(judge.values, axis=1).any():
        raise ConstantMeasure(f"{named} scores all systems alike on every topic, so that nothing can be planned")
    if human is None:
        return judge, None, []
    aligned, people = align(judge, human, topics="independent")
    if not (isinstance(aligned, ScoreMatrix) and isinstance(people, ScoreMatrix)):  # align keeps what it is given
        raise MissingScores(f"{named}: {_WHY}")
    check_averaged(people, "a plan")
    judged = set(aligned.topics)
    shared = [topic for topic in people.topics if topic in judged]
    alone = [topic for topic in people.topics if topic not in judged]
    if len(shared) < LEAST_TOPICS:
        raise MissingScores(
            f"{len(shared)} topics have scores by people and by {named}; a plan needs at least {LEAST_TOPICS} of them, "
            "or no human scores at all"
        )
    return aligned, people.select(topics=shared), alone


def _left_out(people: ScoreMatrix | None, alone: Sequence[str]) -> Remark:
    about = None if people is None else people.name
    total = len(alone) + (0 if people is None else len(people.topics))
    return Remark(
        kind="topics left out", about=about, count=len(alone), total=total, names=tuple(alone), how="one side only"
    )


# ---- from runs -------------------------------------------------------------------------------------------------------


def plan(
    runs: RunsLike,
    judge: JudgmentsLike,
    truth: JudgmentsLike | None = None,
    *,
    budget: int | str | None = None,
    target: str | None = None,
    design: TopicDesignName = "random",
    measure: str | Measure = MEASURES[0],
    level: float = LEVEL,
    rng: int = SEED,
) -> LabelPlan:
    """What people should label next, given runs, a judge's labels and human ones so far.

    People label some topics, or a random sample of the documents, and `correct` combines their labels with the judge's.
    `save` with a path that ends in .qrels writes the file to label.

    Parameters
    ----------
    runs : RunsLike
        The rankings.
    judge : JudgmentsLike
        The judge's labels: all topics and documents that people may label.
    truth : JudgmentsLike, optional
        The human labels so far. Without them it is assumed how the judge follows people, and expectations are rough.
    budget : int or str, optional
        The number of topics that people label in all, those so far included; "10%" is a share of the judge's.
    target : str, optional
        What to reach in place of a budget: "top=5", "width=3", "widest=4", "separated=0.8" or "worth=0.8".
    design : {"random", "spread"}, default "random"
        How topics are chosen (docs/planning.md).
    measure : str or Measure, default "nDCG@10"
        The measure that ranks the systems.
    level : float, default 0.95
        The level of rank sets and separated pairs.
    rng : int, default 0
        The seed. With the same seed, a larger budget keeps what was labelled.

    Returns
    -------
    LabelPlan
        What to label, and what to expect of `correct` then.

    Raises
    ------
    BadParameter
        If there is not one of budget and target, an option is out of its range, or no budget reaches the target.
    MissingScores
        If human labels cover fewer than three of the judge's topics.
    TooFewSystems
        If there are fewer than four systems.
    ConstantMeasure
        If the judge scores all systems alike on every topic.
    MismatchedNames
        If runs and labels share no topic.

    Examples
    --------
    >>> import rankscope as rs
    >>> track = rs.simulate_track(8, 12, depth=20, rng=1)
    >>> first = plan(track.runs, track.judges["careful"], budget=5)
    >>> labelled = track.truth.for_topics([row.topic for row in first.topics])
    >>> more = plan(track.runs, track.judges["careful"], labelled, budget=8)
    >>> more.labelled, sum(not row.labelled for row in more.topics)
    (5, 3)
    >>> more.to_label()
    <Judgments: 703 of 8 topics>
    """
    ranked, labels, chosen = to_runs(runs), to_judgments(judge), parse_measure(measure)
    people = None if truth is None else to_judgments(truth)

    def scored(own: Judgments, name: str) -> ScoreMatrix:
        return evaluate(ranked, own, [chosen]).scores[str(chosen)].renamed(own.name or name)

    made = plan_topics(
        scored(labels, "judge"),
        None if people is None else scored(people, "human"),
        budget=budget,
        target=target,
        design=design,
        level=level,
        rng=rng,
    )
    given = labels.for_topics([row.topic for row in made.topics])
    grades = _given(people)
    documents = tuple(
        PlannedDocument(topic=topic, document=name, grade=grades.get((topic, name)), probability=None)
        for topic, name in zip((given.topics[t] for t in given.topic_of.tolist()), given.ids.names(), strict=True)
    )
    counts = dict(zip(given.topics, np.diff(given.starts).tolist(), strict=True))
    topics = tuple(replace(row, documents=counts[row.topic]) for row in made.topics)
    return replace(made, topics=topics, documents=documents, settings={**made.settings, "measure": str(chosen)})


def _given(labelled: Judgments | None) -> dict[tuple[str, str], float]:
    """The human grade of each labelled document by topic and name."""
    if labelled is None:
        return {}
    places = zip(labelled.topic_of.tolist(), labelled.ids.names(), labelled.grades.tolist(), strict=True)
    return {(labelled.topics[t], name): grade for t, name, grade in places if not math.isnan(grade)}
