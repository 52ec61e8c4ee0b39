"""The answer of `judge` as text: the verdicts in words, then numbers, then where to look further."""

from __future__ import annotations

import math

from rankscope.report.bars import worth_axis, worth_bar
from rankscope.report.blocks import REST, Block, Heading, counted, number_range, p_value, text_table
from rankscope.report.numbers import DASH, percent, two, worth_number
from rankscope.report.sentences import (
    claim,
    comparison_sentences,
    population_sentence,
    reason_rows,
    verdict_headline,
    verdict_sentences,
)
from rankscope.report.theme import label
from rankscope.studies.judging.answers import JudgeAnswer, JudgeReport

_DOUBTFUL_SHOWN = 5
_MOVERS_SHOWN = 5
# With more answers than this only the claims and tables are shown, not each answer's details.
_DETAILED = 2
_SIGNS = {True: "✓", False: "✗", None: "·"}


def judge_blocks(report: JudgeReport) -> list[Block]:
    """What is said of the report, from top to bottom."""
    detailed = len(report.answers) <= _DETAILED
    found: list[Block] = [Heading(question(report))]
    for answer in report.answers:
        found += _answer(answer, full=detailed)
    if len(report.measures) > 1:
        found.append(_levels(report))
    found += [_table(report, measure) for measure in report.measures]
    found += [best_sentence(report, measure) for measure in report.measures if len(report.judges) > 1]
    if detailed:
        for answer in report.answers:
            found += _details(report, answer)
    found.append(_labels(report))
    if len(report.judges) > 1:
        found += [_places(report, measure) for measure in report.measures]
    found += [f"Note: {remark}." for remark in report.remarks]
    more = "" if detailed else "Reasons, groups and pairs of one judge: name it alone. "
    return [*(one for one in found if one), f"{more}{REST}"]


def question(report: JudgeReport) -> str:
    """What is asked."""
    what = label(report.judges[0]) if len(report.judges) == 1 else f"these {len(report.judges)} judges"
    systems, topics = counted(len(report.systems), "system"), counted(len(report.topics), "topic")
    return f"Can {what} rank {systems} on {topics} instead of {label(report.truth)}?"


def _answer(answer: JudgeAnswer, *, full: bool) -> list[Block]:
    verdict = answer.verdict
    level = f"• {verdict.level.upper()} ({answer.measure})."
    if full:
        return [f"{level} {claim(verdict)}", " ".join(s.text for s in verdict_sentences(verdict)[1:])]
    return [f"{level} {verdict_headline(verdict)}"]


def _levels(report: JudgeReport) -> str:
    """Each judge over all measures."""
    said = [f"{label(one.judge)} {one.level} (by {one.measure})" for one in report.levels]
    return f"Over all measures the lowest level counts: {'; '.join(said)}."


def best_sentence(report: JudgeReport, measure: str) -> str:
    """The best judge under a measure, with what choosing it costs."""
    found = next((one for one in report.best if one.measure == measure), None)
    if found is None:
        return ""
    return (
        f"{measure}: {label(found.judge)} has the highest worth ({worth_number(found.worth)}). As the best of "
        f"{len(report.judges)} it is proven to be: {found.level} ({percent(found.confidence)} bounds)."
    )


def _table(report: JudgeReport, measure: str) -> Block:
    answers = [a for a in report.answers if a.measure == measure]
    numbers = ("expected τ", "τ", "τ_AP", "top", "random")
    columns = ["judge", "verdict", "worth", worth_axis(), "interval", *numbers]
    rows = []
    for a in answers:
        worth, tau = a.verdict.worth, a.agreement["tau_b"]
        ends = (None, None) if worth is None else (worth.interval.low, worth.interval.high)
        rows.append(
            [
                a.judge,
                a.verdict.level,
                worth_number(None if worth is None else worth.worth),
                "" if worth is None else worth_bar(worth.worth, *ends),
                "" if worth is None else f"{worth_number(ends[0])} to {worth_number(ends[1])}",
                two(None if worth is None else worth.tau_judge),
                _value(tau.value),
                _value(a.agreement.value("tau_ap")),
                DASH if a.top is None else _value(a.top.value("tau_b")),
                DASH if a.chance is None else _value(a.chance["tau_b"].mean),
            ]
        )
    human = next((a.verdict.worth.tau_human for a in answers if a.verdict.worth is not None), None)
    rows.append([report.truth, "", "1", worth_bar(1.0, None, None), "", two(human), "", "", "", ""])
    return text_table(
        columns,
        rows,
        right=("worth", *numbers),
        title=f"{measure}: worth of a topic, expected τ with the true ranking, agreement with {label(report.truth)}",
        spare=(worth_axis(), "top", "random", "τ_AP"),
    )


def _value(value: float | None) -> str:
    return DASH if value is None or not math.isfinite(value) else f"{value:.3f}"


def _details(report: JudgeReport, answer: JudgeAnswer) -> list[Block]:
    judge, truth = label(answer.judge, 20), label(report.truth, 20)
    found: list[Block] = [Heading(f"{label(answer.judge)} under {answer.measure}")]
    rows = [[_SIGNS[holds], asked, number] for holds, asked, number in reason_rows(answer.verdict)]
    found.append(text_table(("", "asked", "found"), rows))
    found += [population_sentence(answer.verdict) or ""]
    skip = ("undefined", "no interval")
    found += [s.text for s in comparison_sentences(answer.agreement, report.truth) if s.kind not in skip]
    c = answer.agreement.certainty
    if c is not None and c.doubtful:
        rows = [
            [d.preferred, d.other, f"{d.judge_gap:.4f}", f"{d.truth_gap:.4f}", p_value(d.truth_pvalue).lstrip("= ")]
            for d in c.doubtful[:_DOUBTFUL_SHOWN]
        ]
        columns = (f"{judge} prefers", "to", f"gap, {judge}", f"gap, {truth}", f"p, {truth}")
        title = f"Significantly different by {judge}, against {truth} or without it"
        found.append(text_table(columns, rows, right=columns[2:], title=title))
    s = answer.shift
    slope = "" if s.slope is None else f"; slope on the mean {s.slope:+.2f}"
    if s.slope_interval is not None:
        slope += f" ({number_range(s.slope_interval.low, s.slope_interval.high)})"
    found.append(f"Scores by {judge}: {s.mean:+.3f} on average, ± {s.spread:.3f} between systems{slope}.")
    if s.groups:
        rows = [
            [
                g.group,
                str(g.systems),
                f"{g.shift:+.4f}",
                DASH if g.advantage is None else f"{g.advantage:+.4f}",
                DASH if g.topic_pvalue is None else p_value(g.topic_pvalue).removeprefix("= "),
                DASH if g.system_pvalue is None else p_value(g.system_pvalue).removeprefix("= "),
                f"{g.ranks_gained:+.1f}",
            ]
            for g in s.groups
        ]
        numbers = ("systems", "shift", "advantage", "p, topics", "p, systems", "ranks gained")
        title = f"Groups: advantage on the scale of {truth}; favoured only where both p are small"
        found.append(text_table(("group", *numbers), rows, right=numbers, title=title))
    if answer.movers:
        moved = ", ".join(f"{m.system} {m.truth_rank:g} → {m.judge_rank:g}" for m in answer.movers[:_MOVERS_SHOWN])
        found.append(f"Largest moves: {moved}.")
    return [one for one in found if one]


def _labels(report: JudgeReport) -> Block:
    shown = ("kappa", "kappa_quadratic", "kappa_binary", "alpha_ordinal")
    rows = []
    for judge, labels in report.labels.items():
        if labels is None:
            rows.append([judge, "0", *["–"] * len(shown), "–"])
            continue
        values = [_value(labels.value(name)) for name in shown]
        total = labels.coverage.pairs + labels.coverage.truth_only
        rows.append([judge, f"{labels.coverage.pairs:,}", *values, f"{labels.coverage.pairs / total:.1%}"])
    columns = ("judge", "pairs", "κ", "κ quadratic", "κ binary", "α ordinal", "covered")
    return text_table(columns, rows, right=columns[1:], title="Agreement of labels")


def _places(report: JudgeReport, measure: str) -> Block:
    rows = [
        [str(p.place), p.judge, _value(p.tau), ", ".join(p.beats) or "–"] for p in report.places if p.measure == measure
    ]
    title = f"{measure}: judges by τ, and those whose τ is significantly lower (paired topic bootstrap, Holm)"
    return text_table(("place", "judge", "τ", "significantly above"), rows, right=("place", "τ"), title=title)
