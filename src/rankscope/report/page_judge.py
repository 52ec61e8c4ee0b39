"""The page of `judge`: a view per judge and measure, its pictures in the order in which a reader doubts."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from rankscope.report.charts.judge import (
    certainty_panel,
    coefficients_beside_chance,
    group_kinds,
    judges_panel,
    top_panel,
)
from rankscope.report.charts.judge_labels import confusion_panel, topics_panel
from rankscope.report.charts.judge_systems import scores_panel, shift_panel
from rankscope.report.charts.pairs import discordance_panel
from rankscope.report.charts.ranks import ranks_panel
from rankscope.report.numbers import DASH, counted, interval_text, p_value, percent, two, worth_number
from rankscope.report.page_judge_forms import sections
from rankscope.report.page_judge_method import judge_methods
from rankscope.report.page_method import provenance, references
from rankscope.report.page_tables import NAME, coefficients_rows, kept_swaps, swaps_rows, systems_rows
from rankscope.report.page_views import Figure, Number, Page, Tabs, View
from rankscope.report.remarks import remark_sentences
from rankscope.report.sentences import (
    claim,
    comparison_sentences,
    kendall,
    population_sentence,
    reason_rows,
    topics_of,
    verdict_headline,
    verdict_sentences,
    warning_text,
    winner_sentence,
)
from rankscope.report.terminal_judge import best_sentence, question
from rankscope.report.theme import label
from rankscope.studies.judging.parts import JudgeAnswer, JudgeReport
from rankscope.studies.parts import EstimateComparison
from rankscope.studies.verdict import Verdict

# All judges' and measures' swaps together that fit on a page; the rest are counted.
SWAPS = 24_000
_SIDE = 420


def judge_page(report: JudgeReport) -> Page:
    """The page of a report."""
    systems, topics = counted(len(report.systems), "system"), counted(len(report.topics), "topic")
    most = kept_swaps([a.agreement for a in report.answers], SWAPS)
    methods = judge_methods(report)
    facts = [
        ("Truth", report.truth),
        ("Judges", ", ".join(report.judges)),
        ("Measures", ", ".join(report.measures)),
        ("Systems and topics", f"{systems}, {topics}"),
        ("Ties", "tied systems share their mean rank; each coefficient's own rule is in the method notes"),
        (
            "Missing",
            "a judged topic that a system has no documents for scores 0; unjudged documents as each measure says",
        ),
    ]
    return Page(
        title=question(report),
        lead=f"{systems} on {topics}, by {' and '.join(report.measures)}.",
        tabs=(Tabs("judge", "Judge", report.judges), Tabs("measure", "Measure", report.measures)),
        sections=sections(report),
        views=tuple(_view(report, answer, most) for answer in report.answers),
        systems=tuple(label(name, NAME) for name in report.systems),
        overview=_overview(report),
        remarks=tuple(map(str, report.remarks)),
        methods=methods,
        references=references(methods),
        provenance=provenance(report.settings, facts),
    )


def _overview(report: JudgeReport) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    rows = [(a.judge, a.measure, a.verdict.level, _worth(a), claim(a.verdict)) for a in report.answers]
    return ("Judge", "Measure", "Verdict", "Worth of a topic", "In a sentence"), tuple(rows)


def _worth(answer: JudgeAnswer) -> str:
    worth = answer.verdict.worth
    if worth is None:
        return DASH
    return f"{worth_number(worth.worth)} ({worth_number(worth.interval.low)} to {worth_number(worth.interval.high)})"


def _view(report: JudgeReport, answer: JudgeAnswer, most: int) -> View:
    kept = replace(answer, agreement=replace(answer.agreement, swaps=answer.agreement.swaps[:most]))
    return View(
        at=(report.judges.index(answer.judge), report.measures.index(answer.measure)),
        level=answer.verdict.level,
        sentence=verdict_headline(answer.verdict),
        numbers=verdict_numbers(answer.verdict, answer.agreement),
        reasons=tuple(reason_rows(answer.verdict)),
        texts=_texts(report, answer),
        figures=_figures(report, kept),
        tables=_tables(report, kept),
    )


def verdict_numbers(verdict: Verdict, agreement: EstimateComparison) -> tuple[Number, ...]:
    """The three numbers at the top: worth, expected τ with the true ranking, agreement."""
    worth, tau = verdict.worth, kendall(agreement)
    truth, judge = label(verdict.truth, 24), label(verdict.estimate, 24)
    return (
        Number(
            f"{topics_of(verdict.truth, 2.0).removeprefix('2 ')} that a topic of {judge} is worth",
            worth_number(None if worth is None else worth.worth),
            "too little data to tell" if worth is None else interval_text(worth.interval, number="worth"),
        ),
        Number(
            f"expected τ of {judge} with the true ranking",
            two(None if worth is None else worth.tau_judge),
            "" if worth is None else f"{truth}: {two(worth.tau_human)}, both by {counted(worth.topics, 'topic')}",
        ),
        Number(
            f"{tau.symbol}, agreement with {truth} on these topics",
            two(tau.value),
            "a side scores all systems alike"
            if not math.isfinite(tau.value)
            else "no interval"
            if tau.interval is None
            else interval_text(tau.interval),
        ),
    )


def _texts(report: JudgeReport, answer: JudgeAnswer) -> dict[str, list[str]]:
    said = comparison_sentences(answer.agreement, report.truth)

    def of(*kinds: str) -> list[str]:
        return [sentence.text for sentence in said if sentence.kind in kinds]

    worth = [s.text for s in verdict_sentences(answer.verdict) if s.kind in ("worth", "expected", "cap", "chance")]
    population = population_sentence(answer.verdict)
    worth += [] if population is None else [population]
    best = best_sentence(report, answer.measure)
    worth += [best] if best else []
    chance = []
    if answer.chance is not None and answer.chance["tau_b"].mean is not None:
        p = answer.chance.pvalue
        tested = "" if p is None else f"; p {p_value(p)} that {label(answer.judge)} is no better"
        chance.append(
            f"The labels of {label(answer.judge)}, dealt at random within topics, reach τ "
            f"{two(answer.chance['tau_b'].mean)} on average{tested}."
        )
    if answer.pseudo is not None:
        chance.append(f"Relevance drawn at random from the pool gives τ {two(answer.pseudo['tau_b'].mean)} on average.")
    top = of("winner", "top")
    if answer.top is not None:
        t = answer.top["tau_b"]
        inside = "" if t.interval is None else f" ({two(t.interval.low)} to {two(t.interval.high)})"
        best_systems = counted(len(answer.top.systems), "system")
        top.append(f"Among the best {best_systems} by {label(report.truth)} τ is {two(t.value)}{inside}.")
    why = of("topics")
    if answer.movers:
        moved = ", ".join(f"{label(m.system)} {m.truth_rank:g} → {m.judge_rank:g}" for m in answer.movers[:5])
        why.append(f"Largest moves: {moved}.")
    return {
        "worth": worth,
        "agree": of("agreement", "undefined", "no interval", "left out"),
        "chance": chance,
        "top": top,
        "pairs": of("swaps", "significant", "certainty", "ties"),
        "why": [*why, *_shift(answer), *_labels(report, answer)],
        "tests": of("rank distance", "permutation"),
    }


def _shift(answer: JudgeAnswer) -> list[str]:
    s, judge = answer.shift, label(answer.judge)
    slope = ""
    if s.slope is not None and s.slope_interval is not None:
        way = "narrows" if s.slope < 0 else "widens"
        sure = s.slope_interval.low > 0 or s.slope_interval.high < 0
        doubt = "" if sure else ", interval includes 0"
        slope = f"; {judge} {way} the field (slope {s.slope:+.2f}{doubt})"
    text = f"Scores by {judge} run {s.mean:+.3f} higher on average, ± {s.spread:.3f} between systems{slope}."
    return [text.replace("-", "−")]


def _labels(report: JudgeReport, answer: JudgeAnswer) -> list[str]:
    found = report.labels.get(answer.judge)
    if found is None:
        return ["No document is judged by both sides, so that labels cannot be compared."]
    kappa, equal = found["kappa"], found["equal"]
    share = found.coverage.share
    every = counted(found.coverage.pairs + found.coverage.truth_only, "pair")
    said = f"{label(answer.judge)} labelled {percent(share)} of the {every} of {label(report.truth)}"
    if kappa.value is not None and equal.value is not None:
        said += f"; {percent(equal.value)} of the shared labels are equal, Cohen's κ is {two(kappa.value)}"
    return [f"{said}.", *(sentence.text for sentence in remark_sentences(found.remarks))]


def _figures(report: JudgeReport, answer: JudgeAnswer) -> dict[str, Figure]:
    e = answer.agreement
    kinds = group_kinds(report.groups)
    who, truth, tau = label(answer.judge), label(report.truth), two(e["tau_b"].value)
    level = percent(report.settings["level"])
    colour = "Colour and shape are the group." if kinds else "Colour and shape say whether a system is swapped."
    numbers = "The numbers are in the table of all systems."
    found: dict[str, Figure] = {
        "scores": Figure(
            scores_panel(e, answer.measure, kinds).properties(height=_SIDE),
            f"Each system's mean {answer.measure} by {truth} and by {who}, with {level} intervals; on the dashed line "
            f"both are the same. {colour} Red lines join swapped pairs that {truth} finds significantly different.",
            f"Scatter plot of {len(e.systems)} systems, {truth} against {who}: τ is {tau}. {numbers}",
        ),
        "ranks": Figure(
            ranks_panel(e),
            f"Ranks by {truth} (left) and by {who} (right), 1 is best. Strong lines cross that of a significantly "
            "different system.",
            f"Ranks of {len(e.systems)} systems on both sides. {numbers}",
        ),
        "coefficients": Figure(
            coefficients_beside_chance(answer),
            f"Points and bars: agreement with {truth}, and the {level} interval for its mean over samples of as many "
            "topics. Grey: what random labels give, from their mean to what 97.5 % stay below.",
            f"Coefficients of {who} with intervals beside random labels. The numbers are in the table of every "
            "coefficient.",
        ),
        "top": Figure(
            top_panel(e, report.settings["top"]),
            f"Systems among the best {report.settings['top']} of either side, in the order of {truth}; beside each "
            f"name its rank by {truth} → by {who}.",
            f"Mean scores of the best systems on either side. {winner_sentence(e, report.truth)}",
        ),
        "discordance": Figure(
            discordance_panel(e, _SIDE),
            f"Every cell is a pair of systems; marked cells change order. {_kept(answer, e.swap_count)}",
            f"Square of pairs of systems: {e.swap_count} of {e.pairs} change order. They are in the table of swapped "
            "pairs.",
        ),
        "shift": Figure(
            shift_panel(e, answer.shift, kinds),
            f"How much higher {who} scores each system, by the height of its score. Dashed: the mean, and 1.96 "
            "standard deviations around it; line: the slope.",
            f"Shift of scores: {_shift(answer)[0]}",
        ),
    }
    if any(a.verdict.worth is not None for a in report.answers if a.measure == answer.measure):
        found["judges"] = Figure(
            judges_panel(report, answer.measure),
            f"How many topics of {truth} a topic of each judge is worth, with {level} bounds; 1 is as good. Dashed: "
            "the margins of the rule. Colour and shape are the verdict.",
            f"Worth of {counted(len(report.judges), 'judge')} under {answer.measure}. The numbers are in the table of "
            "verdicts.",
        )
    if e.certainty is not None:
        c = e.certainty
        found["certainty"] = Figure(
            certainty_panel(c, report.truth, answer.judge),
            "Pairs of systems by the side that finds them significantly different, and whether both order them alike.",
            f"Bars: both find {c.both} pairs significantly different, {c.both_opposite} of them in opposite orders; "
            f"{who} alone {c.judge_only_alike + c.judge_only_opposite}, {truth} alone "
            f"{c.truth_only_alike + c.truth_only_opposite}, neither {c.neither}.",
        )
    labels = report.labels.get(answer.judge)
    if labels is not None:
        grid = confusion_panel(labels)
        if grid is not None:
            found["confusion"] = Figure(
                grid,
                f"Documents by both labels. The stronger the colour, the larger the share of the label by {truth}.",
                f"Confusion matrix of labels. {_labels(report, answer)[0]}",
            )
        found["topics"] = Figure(
            topics_panel(labels, e.carriers),
            f"Each topic: agreement of labels, and how much higher the labels of {who} are. Named: topics without "
            "which the rankings would agree better.",
            f"Agreement of labels on {len(labels.topics)} topics. The numbers are in the table of topics.",
        )
    return found


def _kept(answer: JudgeAnswer, count: int) -> str:
    shown = len(answer.agreement.swaps)
    return "" if shown == count else f"The {shown:,} with the largest gap are shown."


def _tables(report: JudgeReport, answer: JudgeAnswer) -> dict[str, Any]:
    e = answer.agreement
    found: dict[str, Any] = {
        "systems": systems_rows(e, report.groups),
        "swaps": swaps_rows(e),
        "coefficients": coefficients_rows(e, answer.chance),
        "verdicts": _verdicts(report, answer.measure),
    }
    if e.certainty is not None and e.certainty.doubtful:
        found["doubtful"] = [
            {
                "system": label(d.preferred, NAME),
                "other": label(d.other, NAME),
                "judge gap": d.judge_gap,
                "truth gap": d.truth_gap,
                "judge p": d.judge_pvalue,
                "truth p": d.truth_pvalue,
                "reversed": d.reversed,
            }
            for d in e.certainty.doubtful
        ]
    if answer.shift.groups:
        found["groups"] = [
            {
                "group": g.group,
                "systems": g.systems,
                "shift": g.shift,
                "advantage": g.advantage,
                "low": None if g.interval is None else g.interval.low,
                "high": None if g.interval is None else g.interval.high,
                "topic p": g.topic_pvalue,
                "system p": g.system_pvalue,
                "ranks": g.ranks_gained,
            }
            for g in answer.shift.groups
        ]
    labels = report.labels.get(answer.judge)
    if labels is not None:
        found["labels"] = [
            {
                "label": v.label,
                "value": v.value,
                "low": None if v.interval is None else v.interval.low,
                "high": None if v.interval is None else v.interval.high,
                "reason": v.reason,
            }
            for v in labels.values
        ]
        carry = {c.topic: c.change for c in e.carriers}
        found["topics"] = [
            {
                "topic": t.topic,
                "pairs": t.pairs,
                "equal": t.equal,
                "kappa": t.kappa,
                "binary": t.kappa_binary,
                "difference": t.mean_difference,
                "change": carry.get(t.topic),
            }
            for t in labels.topics
        ]
    if len(report.judges) > 1:
        found["judges"] = _places(report, answer.measure)
    return found


def _verdicts(report: JudgeReport, measure: str) -> list[dict[str, Any]]:
    rows = []
    for a in report.answers:
        worth, own = a.verdict.worth, a.verdict.own_worth
        if a.measure == measure:
            rows.append(
                {
                    "judge": a.judge,
                    "verdict": a.verdict.level,
                    "worth": None if worth is None else worth.worth,
                    "low": None if worth is None else worth.interval.low,
                    "high": None if worth is None else worth.interval.high,
                    "own": None if own is None else own.worth,
                    "cap": None if worth is None else worth.cap,
                    "expected": None if worth is None else worth.tau_judge,
                    "tau": a.agreement.value("tau_b"),
                    "random p": None if a.chance is None else a.chance.pvalue,
                    "warnings": " ".join(warning_text(reason, a.verdict) for reason in a.verdict.warnings) or DASH,
                }
            )
    return rows


def _places(report: JudgeReport, measure: str) -> list[dict[str, Any]]:
    rows = []
    for place in report.places:
        if place.measure != measure:
            continue
        a = report.answer(place.judge, measure)
        tau = a.agreement["tau_b"]
        rows.append(
            {
                "place": place.place,
                "judge": place.judge,
                "tau": place.tau,
                "low": None if tau.interval is None else tau.interval.low,
                "high": None if tau.interval is None else tau.interval.high,
                "tau_ap": a.agreement.value("tau_ap"),
                "top": None if a.top is None else a.top.value("tau_b"),
                "beats": ", ".join(place.beats) or DASH,
            }
        )
    return rows
