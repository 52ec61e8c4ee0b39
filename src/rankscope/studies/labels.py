"""`labels`: do judges give the same labels as the truth, and which of them agrees best?"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscope.checks import check_name
from rankscope.defaults import LEVEL, RESAMPLES, SEED
from rankscope.errors import BadParameter, MismatchedNames, RankscopeError, UnknownName
from rankscope.inference.contrasts import Contrast, contrast, with_holm
from rankscope.inference.intervals import Method
from rankscope.inference.labels.agreement import (
    FAILED,
    draw_statistics,
    label_agreement,
    observed_statistics,
    why_not,
    without_failures,
)
from rankscope.inference.labels.categories import Categories, Rule, as_setting, labels_of
from rankscope.inference.labels.counts import TopicCounts
from rankscope.inference.labels.levels import BestLevel, best_level
from rankscope.inference.labels.matching import Pairs, comparable, match, with_topics, with_words
from rankscope.inference.labels.results import LabelAgreement
from rankscope.inference.labels.statistics import STATISTICS, Agreement, Statistic
from rankscope.inference.resampling import Seed, recorded_seed
from rankscope.inputs import LabellersLike, LabelsLike, to_judges, to_judgments
from rankscope.results import Remark, Result, Table, rows_table, stacked
from rankscope.runs import Judgments
from rankscope.scores import Floats

# Statistics of the main table; the chosen one comes first.
_SHOWN = ("kappa", "kappa_quadratic", "kappa_binary", "alpha_ordinal", "ac1", "equal", "auc", "spearman")
_BIAS = ("mean_difference", "relevant_difference")


@dataclass(frozen=True, kw_only=True)
class LabelPair:
    """Agreement of two sides, one of which may be the truth, on the truth's items that both labelled."""

    first: str
    second: str
    items: int
    value: float | None


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelReport(Result):
    """Labels of judges against those of the truth.

    Attributes
    ----------
    truth : str
        The name of the truth.
    judges : tuple of str
        The judges, in the order given.
    statistic : str
        The statistic by which judges are compared.
    agreements : dict of str to LabelAgreement
        Each judge's agreement with the truth: every statistic, the confusion matrix, bias, topics.
    contrasts : tuple of Contrast
        The difference of every two judges in the statistic, on the items that both and the truth labelled; p-values
        are adjusted by Holm.
    matrix : tuple of LabelPair
        The statistic for every two sides.
    levels : tuple of BestLevel
        For each judge the grade from which on it should count as relevant; empty where labels are words.
    remarks : tuple of Remark
        What was left out.
    settings : dict
        The options.
    """

    truth: str
    judges: tuple[str, ...]
    statistic: str
    agreements: dict[str, LabelAgreement]
    contrasts: tuple[Contrast, ...]
    matrix: tuple[LabelPair, ...]
    levels: tuple[BestLevel, ...]
    remarks: tuple[Remark, ...]
    settings: dict[str, Any]

    def __getitem__(self, judge: str) -> LabelAgreement:
        """The agreement of this judge with the truth."""
        if judge not in self.agreements:
            raise UnknownName(f"no judge {judge!r}: choose one of {', '.join(self.judges)}")
        return self.agreements[judge]

    def beaten_by(self, judge: str, alpha: float = 0.05) -> tuple[str, ...]:
        """The judges that agree significantly less than this one."""
        pairs = [(c.first, c.second) if c.difference > 0.0 else (c.second, c.first) for c in self.contrasts]
        below = (c.adjusted is not None and c.adjusted <= alpha for c in self.contrasts)
        return tuple(worse for (better, worse), holds in zip(pairs, below, strict=True) if holds and better == judge)

    def table(self) -> Table:
        """One row per judge."""
        shown = (self.statistic, *(name for name in (*_SHOWN, *_BIAS) if name != self.statistic))
        columns = ["judge", "items", "topics", "covered", self.statistic, "low", "high", *shown[1:]]
        levels = {level.judge: level for level in self.levels}
        rows = []
        for judge, agreement in self.agreements.items():
            interval = agreement[self.statistic].interval
            ends = (None, None) if interval is None else (interval.low, interval.high)
            covered = agreement.coverage
            topics = None if agreement.unit == "item" else covered.topics
            values = [agreement.value(name) for name in shown]
            level = levels.get(judge)
            tuned = (None, None) if level is None else (level.level, level.cross_validated)
            rows.append((judge, covered.pairs, topics, covered.share, values[0], *ends, *values[1:], *tuned))
        few = ("kappa", "kappa_quadratic", "kappa_binary", "alpha_ordinal", "equal", "mean_difference")
        brief = ("judge", "items", self.statistic, "low", "high", *(name for name in few if name in shown[1:]))
        return Table((*columns, "best_level", "kappa_best_level"), tuple(rows), brief=brief)

    def tables(self) -> dict[str, Table]:
        """Every table by name, the main one first."""
        ends = {"low": "interval.low", "high": "interval.high"}
        agreements = self.agreements.items()
        return {
            "judges": self.table(),
            "statistics": stacked("judge", ((judge, agreement.table()) for judge, agreement in agreements)),
            "contrasts": rows_table(
                self.contrasts,
                {name: name for name in ("first", "second", "difference")}
                | ends
                | {"p": "pvalue", "p_holm": "adjusted"},
            ),
            "matrix": rows_table(self.matrix, LabelPair),
            "levels": rows_table(
                self.levels,
                {name: name for name in ("judge", "truth_rel", "level", "kappa", "cross_validated")}
                | ends
                | {name: name for name in ("lowest", "highest", "folds")},
            ),
            "confusion": Table(
                ("judge", "truth_label", "judge_label", "items"),
                tuple(row for judge, agreement in agreements for row in _confused(judge, agreement)),
            ),
            "grades": stacked("judge", ((judge, agreement.tables()["grades"]) for judge, agreement in agreements)),
            "topics": stacked("judge", ((judge, agreement.topic_table()) for judge, agreement in agreements)),
        }


def _confused(judge: str, agreement: LabelAgreement) -> Iterator[tuple[str, str, str, int]]:
    names = agreement.label_names
    for name, counts in zip(names, () if agreement.confusion is None else agreement.confusion.tolist(), strict=True):
        yield from ((judge, name, other, count) for other, count in zip(names, counts, strict=True))


def labels(
    truth: LabelsLike,
    judges: LabellersLike,
    *,
    statistic: Agreement = "kappa",
    truth_rel: float = 1.0,
    judge_rel: float | Mapping[str, float] = 1.0,
    categories: Rule | Sequence[float] = "round",
    failed: float | None = FAILED,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    method: Method = "recentred",
    rng: Seed = SEED,
) -> LabelReport:
    """Agreement of judges' labels with the truth's, item by item, and which judge agrees best.

    Each judge gets every statistic of `label_agreement` with an interval over topics, or over items where they have no
    topics. Every two judges are compared on the items that both and the truth labelled, with the same resampled topics
    (p-values adjusted by Holm). For each judge the lowest grade that should count as relevant is found, and scored on
    topics that it was not chosen on. Labels may be grades, real numbers or words; words have the statistics that need
    no order.

    Parameters
    ----------
    truth : LabelsLike
        The labels that are trusted.
    judges : LabellersLike
        The labels of one judge or several.
    statistic : {"equal", "kappa", "kappa_linear", "kappa_quadratic", "alpha_nominal", …}, default "kappa"
        The statistic by which judges are compared: any of `label_agreement` that measures agreement.
    truth_rel : float, default 1.0
        The least relevant grade of the truth.
    judge_rel : float or mapping, default 1.0
        That of the judges: one for all, or by name (1 for those not named).
    categories : {"truncate", "round", "distinct"} or sequence of float, default "round"
        How grades become labels: without decimals, rounded, as they are, or the number of these bounds that they reach.
    failed : float or None, default -1.0
        The judges' grade that stands for a label that could not be read: such items count as not labelled. If the truth
        has this grade too, it is a label like any other; None is no such grade.
    resamples : int, default 2000
        The number of draws of topics; 0 for no intervals and tests. A single topic has none either.
    level : float, default 0.95
        The level of the intervals.
    method : {"recentred", "percentile", "bca"}, default "recentred"
        The kind of interval, as in `bootstrap`; differences of judges always have the first.
    rng : int or numpy.random.Generator, default 0
        A seed or a generator.

    Returns
    -------
    LabelReport
        Each judge's agreement with the truth, tests of their differences, every two sides, and best levels.

    Raises
    ------
    MismatchedNames
        If a judge labelled no item of the truth, or one side has words and another numbers.
    UnknownName
        If there is no such statistic.
    BadParameter
        If an option is out of its range, or words are compared by a statistic that needs an order.

    References
    ----------
    K. L. Gwet, "Computing inter-rater reliability and its variance in the presence of high agreement", British Journal
    of Mathematical and Statistical Psychology 61, 2008. Those of κ and α: `label_agreement`.

    Examples
    --------
    >>> human = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 0, "d": 3}}
    >>> model = {"1": {"a": 2, "b": 1, "c": 1}, "2": {"a": 0, "e": 3}}
    >>> report = labels(human, {"model": model, "copy": human}, resamples=0)
    >>> report["model"].value("kappa"), report["copy"].value("kappa")
    (0.6363636363636364, 1.0)
    >>> labels({"x": "yes", "y": "no"}, {"z": {"x": "yes", "y": "yes"}}, resamples=0)["z"].value("equal")
    0.5
    """
    by_name = {record.name: record for record in STATISTICS if record.agreement}
    chosen = by_name[check_name("statistic", statistic, by_name)]
    human, others = _comparable(to_judgments(truth, bare=True), to_judges(judges, bare=True))
    if human.words is not None and not chosen.nominal:
        nominal = ", ".join(record.name for record in STATISTICS if record.nominal)
        raise BadParameter(
            f"the labels are words, which have no order, and {statistic} needs one; map them to grades "
            f"(grades={{'yes': 1, 'no': 0}}; FILE:map=yes>1,no>0), or choose one of {nominal} (statistic, --statistic)"
        )
    rels = _levels_given(judge_rel, others)
    seed: Any = int(rng.integers(2**62)) if isinstance(rng, np.random.Generator) else rng
    plan = _Plan(
        statistic=chosen,
        truth_rel=truth_rel,
        rels=rels,
        categories=categories,
        resamples=resamples,
        level=level,
        rng=seed,
    )
    agreements, matched = {}, {}
    for name, judge in others.items():
        try:
            agreements[name] = label_agreement(
                human,
                judge,
                truth_categories=categories,
                judge_categories=categories,
                truth_rel=truth_rel,
                judge_rel=rels[name],
                failed=failed,
                resamples=resamples,
                level=level,
                method=method,
                rng=seed,
            )
        except RankscopeError as error:
            raise type(error)(f"{name}: {error}") if type(error) in (MismatchedNames, BadParameter) else error from None
        matched[name] = match(human, without_failures(human, judge, failed)[0])
    grades = {name: _aligned(pairs, len(human)) for name, pairs in matched.items()}
    truth_name = human.name or "truth"
    return LabelReport(
        truth=truth_name,
        judges=tuple(others),
        statistic=statistic,
        agreements=agreements,
        contrasts=tuple(_contrasts(human, grades, plan)),
        matrix=tuple(_matrix(truth_name, human, grades, plan)),
        levels=()
        if human.words is not None
        else tuple(
            best_level(name, pairs, truth_rel, resamples=resamples, level=level, rng=seed)
            for name, pairs in matched.items()
        ),
        remarks=tuple(_remarks(truth_name, agreements)),
        settings={
            "statistic": statistic,
            "truth_rel": truth_rel,
            "judge_rel": rels,
            "categories": as_setting(categories),
            "by_item": all(pairs.by_item for pairs in matched.values()),
            "failed": failed,
            "resamples": resamples,
            "level": level,
            "method": method,
            "seed": recorded_seed(rng),
        },
    )


@dataclass(frozen=True, kw_only=True)
class _Plan:
    """How judges are compared with each other."""

    statistic: Statistic
    truth_rel: float
    rels: dict[str, float]
    categories: Categories
    resamples: int
    level: float
    rng: int

    def counts(self, pairs: Pairs, first: str | None, second: str) -> TopicCounts:
        """Counts by topic of the labels of two sides, the first of which is the truth if it is None."""
        return TopicCounts.of(
            pairs,
            labels_of(pairs.truth, self.categories, "categories"),
            labels_of(pairs.judge, self.categories, "categories"),
            truth_rel=self.truth_rel if first is None else self.rels[first],
            judge_rel=self.rels[second],
        )


def _comparable(truth: Judgments, judges: dict[str, Judgments]) -> tuple[Judgments, dict[str, Judgments]]:
    """All sides with the same words at the same places, and with topics where one of them has some."""
    if truth.words is not None:
        given = [word for judge in judges.values() for word in judge.words or ()]
        words = tuple(dict.fromkeys((*truth.words, *given)))
        for name, judge in judges.items():
            try:
                comparable(truth, judge)
            except MismatchedNames as error:
                raise MismatchedNames(f"{name}: {error}") from None
        truth = replace(truth, words=words)
        judges = {name: with_words(judge, words) for name, judge in judges.items()}
    with_own = next((name for name, judge in judges.items() if not judge.without_topics), None)
    if truth.without_topics and with_own is not None:
        truth = with_topics(truth, judges[with_own], "the truth", with_own)
    return truth, judges


def _levels_given(judge_rel: float | Mapping[str, float], judges: Mapping[str, Judgments]) -> dict[str, float]:
    if not isinstance(judge_rel, Mapping):
        return dict.fromkeys(judges, float(judge_rel))
    unknown = next((name for name in judge_rel if name not in judges), None)
    if unknown is not None:
        raise BadParameter(f"judge_rel names {unknown!r}, which is no judge; there are {', '.join(judges)}")
    return {name: float(judge_rel.get(name, 1.0)) for name in judges}


def _aligned(pairs: Pairs, rows: int) -> Floats:
    """The judge's grade of each of the truth's items; NaN where there is none."""
    grades = np.full(rows, np.nan)
    grades[pairs.rows] = pairs.judge
    return grades


def _shared(human: Judgments, first: Floats, second: Floats, items: Floats) -> Pairs:
    """The pairs of two sides on those of the truth's items that have a number in all three."""
    rows = np.flatnonzero(~np.isnan(first) & ~np.isnan(second) & ~np.isnan(items))
    used, topic = np.unique(human.topic_of[rows], return_inverse=True)
    nothing = np.zeros(len(used), dtype=np.int64)
    return Pairs(
        topics=tuple(human.topics[t] for t in used),
        topic=topic,
        truth=first[rows],
        judge=second[rows],
        truth_only=nothing,
        judge_only=nothing,
        rows=rows,
        words=human.words,
    )


def _contrasts(human: Judgments, grades: Mapping[str, Floats], plan: _Plan) -> list[Contrast]:
    """The difference in the statistic of every two judges, by the same draws of the topics that they share."""
    kept: dict[tuple[str, bytes], tuple[float, Floats, int]] = {}

    def drawn(judge: str, other: str) -> tuple[float, Floats, int]:
        pairs = _shared(human, human.grades, grades[judge], grades[other])
        key = (judge, pairs.rows.tobytes())
        if key not in kept:
            counts = plan.counts(pairs, None, judge) if len(pairs.rows) else None
            if counts is None or why_not(plan.statistic, counts, human.words is not None) is not None:
                kept[key] = (math.nan, np.empty(0), 0)
            else:
                value = float(observed_statistics([plan.statistic], counts)[0])
                draws = draw_statistics([plan.statistic], counts, resamples=plan.resamples, rng=plan.rng)[0]
                kept[key] = (value, draws, counts.topics)
        return kept[key]

    width = plan.statistic.bounds[1] - plan.statistic.bounds[0]
    family = []
    for first, second in itertools.combinations(grades, 2):
        (x, draws, topics), (y, others, _) = drawn(first, second), drawn(second, first)
        if math.isfinite(x - y):
            name, pair = plan.statistic.name, (first, second)
            family.append(contrast(name, pair, x - y, draws - others, topics, width=width, level=plan.level))
    return with_holm(family)


def _matrix(truth: str, human: Judgments, grades: Mapping[str, Floats], plan: _Plan) -> Iterator[LabelPair]:
    """Every two sides, the truth among them."""
    sides: Sequence[tuple[str | None, Floats]] = [(None, human.grades), *grades.items()]
    for (first, x), (second, y) in itertools.combinations(sides, 2):
        pairs = _shared(human, x, y, human.grades)
        value = math.nan
        if len(pairs.rows) and second is not None:
            counts = plan.counts(pairs, first, second)
            if why_not(plan.statistic, counts, human.words is not None) is None:
                value = float(observed_statistics([plan.statistic], counts)[0])
        yield LabelPair(
            first=truth if first is None else first,
            second=str(second),
            items=len(pairs.rows),
            value=None if math.isnan(value) else value,
        )


def _remarks(truth: str, agreements: Mapping[str, LabelAgreement]) -> Iterator[Remark]:
    """What was left out, and how grades became labels, under each judge's name; the same of the truth once."""
    said: set[tuple[str, str | None]] = set()
    for judge, agreement in agreements.items():
        covered = agreement.coverage
        if covered.truth_only - covered.failed > 0:
            count = covered.truth_only - covered.failed
            yield Remark(kind="items of one side", about=truth, other=judge, count=count)
        if covered.judge_only:
            yield Remark(kind="items of one side", about=judge, other=truth, count=covered.judge_only)
        for remark in agreement.remarks:
            about = {"truth": truth, "judge": judge}.get(remark.about or "", remark.about)
            if (remark.kind, about) not in said:
                said.add((remark.kind, about))
                yield replace(remark, about=about)
