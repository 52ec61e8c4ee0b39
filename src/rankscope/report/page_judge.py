"""The page of `judge`: a view per judge and measure, its pictures in the order in which a reader doubts."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from rankscope.report.blocks import counted, p_value
from rankscope.report.charts.judge import (
    bounded_coefficients,
    certainty_panel,
    group_kinds,
    judges_panel,
    top_panel,
)
from rankscope.report.charts.judge_labels import confusion_panel, topics_panel
from rankscope.report.charts.judge_systems import scores_panel, shift_panel
from rankscope.report.charts.pairs import discordance_panel
from rankscope.report.charts.ranks import ranks_panel
from rankscope.report.page_judge_forms import sections
from rankscope.report.page_judge_method import judge_methods
from rankscope.report.page_method import provenance, references
from rankscope.report.page_tables import NAME, coefficients_rows, kept_swaps, swaps_rows, systems_rows
from rankscope.report.page_views import Figure, Number, Page, Tabs, View
from rankscope.report.terminal import where_they_part
from rankscope.report.theme import label
from rankscope.results import Interval
from rankscope.studies.judging.parts import JudgeAnswer, JudgeReport

# All judges' and measures' swaps together that fit on a page; the rest are counted.
SWAPS = 24_000
_SIDE = 420


def judge_page(report: JudgeReport) -> Page:
    """The page of a report."""
    what = "this judge" if len(report.judges) == 1 else f"these {len(report.judges)} judges"
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
        title=f"May {systems} be ranked by {what} instead of {report.truth}?",
        lead=f"{systems} on {topics}, by {' and '.join(report.measures)}.",
        tabs=(Tabs("judge", "Judge", report.judges), Tabs("measure", "Measure", report.measures)),
        sections=sections(report),
        views=tuple(_view(report, answer, most) for answer in report.answers),
        systems=tuple(label(name, NAME) for name in report.systems),
        overview=_overview(report),
        remarks=report.remarks,
        methods=methods,
        references=references(methods),
        provenance=provenance(report.settings, facts),
    )


def _overview(report: JudgeReport) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    rows = [(a.judge, a.measure, a.verdict.level, a.verdict.sentence) for a in report.answers]
    return ("Judge", "Measure", "Verdict", "In a sentence"), tuple(rows)


def _view(report: JudgeReport, answer: JudgeAnswer, most: int) -> View:
    kept = replace(answer, agreement=replace(answer.agreement, swaps=answer.agreement.swaps[:most]))
    return View(
        at=(report.judges.index(answer.judge), report.measures.index(answer.measure)),
        level=answer.verdict.level,
        sentence=answer.verdict.sentence,
        numbers=_numbers(report, answer),
        reasons=tuple((r.holds, r.test, r.text) for r in answer.verdict.reasons),
        texts=_texts(report, answer),
        figures=_figures(report, kept),
        tables=_tables(report, kept),
    )


def _numbers(report: JudgeReport, answer: JudgeAnswer) -> tuple[Number, ...]:
    tau = answer.agreement["tau_b"]
    ceiling = report.truth_under(answer.measure).ceiling
    fresh = None if ceiling is None else ceiling["tau_b"]
    floor = None if answer.floor is None else answer.floor["tau_b"]
    return (
        Number(
            "τ, agreement with the truth's ranking",
            two(tau.value),
            "a side scores all systems alike"
            if not math.isfinite(tau.value)
            else "no interval"
            if tau.interval is None
            else around(tau.interval),
        ),
        Number(
            "what fresh topics, judged by the truth, would give",
            "–" if fresh is None else two(fresh.mean),
            report.truth_under(answer.measure).no_ceiling or "it could not be told"
            if fresh is None
            else f"{two(fresh.interval.low)} to {two(fresh.interval.high)} for {fresh.interval.level:.0%} of such "
            f"samples",
        ),
        Number(
            "what labels that know nothing give",
            "–" if floor is None else two(floor.mean),
            "not drawn"
            if floor is None or floor.high is None
            else f"at most {two(floor.high)} in 97.5 % of "
            f"{counted(answer.floor.draws if answer.floor else 0, 'shuffle')}",
        ),
    )


def around(interval: Interval) -> str:
    """An interval in words, and what it is over."""
    over = "topics" if interval.method.startswith("topic") else "systems"
    return f"{two(interval.low)} to {two(interval.high)}, {interval.level:.0%} interval over {over}"


def two(value: float | None) -> str:
    """A number with two digits, or a dash."""
    if value is None or not math.isfinite(value):
        return "–"
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")  # adding zero makes −0 a 0


def _texts(report: JudgeReport, answer: JudgeAnswer) -> dict[str, list[str]]:
    said = where_they_part(answer.agreement)
    pairs = [text for text in said if "change order" in text or "apart" in text or text.startswith("Tied")]
    ceiling = report.truth_under(answer.measure).ceiling
    beyond = []
    if ceiling is not None and ceiling.endless:
        e = ceiling.endless[0]
        beyond.append(
            f"The truth's own ranking is a sample's too: its τ with the ranking by endless topics is expected to be "
            f"{two(e.estimate)} ({two(e.interval.low)} to {two(e.interval.high)})."
        )
    if answer.pseudo is not None:
        beyond.append(f"Relevance drawn at random from the pool gives τ {two(answer.pseudo['tau_b'].mean)} on average.")
    top = [_winner(answer)]
    if answer.top is not None:
        t = answer.top["tau_b"]
        inside = "" if t.interval is None else f" ({two(t.interval.low)} to {two(t.interval.high)})"
        top.append(f"Among the truth's best {len(answer.top.systems)} systems τ is {two(t.value)}{inside}.")
    top += [text for text in said if text.startswith("Systems of")]
    why = [text for text in said if text.startswith("Topics")]
    if answer.movers:
        moved = ", ".join(f"{label(m.system)} {m.truth_rank:g} → {m.judge_rank:g}" for m in answer.movers[:5])
        why.append(f"Who moves most: {moved}.")
    return {
        "agree": [text for text in said if text.startswith(("A dash", "No interval"))],
        "beyond": [*beyond, *(text for text in said if text.startswith("Rank distance"))],
        "top": top,
        "pairs": [*pairs, *_certainty(answer)],
        "why": [*why, *_shift(answer), *_labels(report, answer)],
    }


def _winner(answer: JudgeAnswer) -> str:
    w = answer.winner
    if w.same:
        return f"{label(w.truth)} wins on both sides."
    apart = {True: ", which the truth finds worse", False: ", which the truth cannot tell from it", None: ""}
    return f"{label(w.truth)} wins by the truth, {label(w.judge)} by the judge{apart[w.told_apart]}."


def _certainty(answer: JudgeAnswer) -> list[str]:
    c = answer.certainty
    if c is None:
        return []
    alone = c.judge_only_alike + c.judge_only_opposite
    return [
        f"Both sides tell {c.both:,} of {counted(c.pairs, 'pair')} apart and reverse {c.both_opposite:,} of them. "
        f"The judge "
        f"alone tells {alone:,} apart, {c.judge_only_opposite:,} of them against the truth's order: that is false "
        f"certainty."
    ]


def _shift(answer: JudgeAnswer) -> list[str]:
    s = answer.shift
    if s is None:
        return []
    slope = ""
    if s.slope is not None and s.slope_interval is not None:
        way = "narrows" if s.slope < 0 else "widens"
        sure = s.slope_interval.low > 0 or s.slope_interval.high < 0
        slope = f"; the judge {way} the field (slope {s.slope:+.2f}{'' if sure else ', which may be luck'})"
    text = f"Scores under the judge run {s.mean:+.3f} on average, ± {s.spread:.3f} between systems{slope}."
    return [text.replace("-", "−")]


def _labels(report: JudgeReport, answer: JudgeAnswer) -> list[str]:
    found = report.labels.get(answer.judge)
    if found is None:
        return ["No document is judged by both sides, so that labels cannot be compared."]
    kappa, equal = found["kappa"], found["equal"]
    share = found.coverage.share
    every = counted(found.coverage.pairs + found.coverage.truth_only, "pair")
    said = f"The judge labelled {share:.1%} of the truth's {every}"
    if kappa.value is not None and equal.value is not None:
        said += f"; {equal.value:.1%} of the shared labels are equal, Cohen's κ is {two(kappa.value)}"
    return [f"{said}.", *(f"{remark[0].upper()}{remark[1:]}." for remark in found.remarks)]


def _figures(report: JudgeReport, answer: JudgeAnswer) -> dict[str, Figure]:
    e = answer.agreement
    kinds = group_kinds(report.groups)
    ceiling = report.truth_under(answer.measure).ceiling
    who, tau = label(answer.judge), two(e["tau_b"].value)
    colour = "Colour and shape are the group." if kinds else "Colour and shape say whether a system is swapped."
    found: dict[str, Figure] = {
        "scores": Figure(
            scores_panel(e, answer.measure, kinds).properties(height=_SIDE),
            f"Each system's mean {answer.measure} by the truth and by {who}, with {report.settings['level']:.0%} "
            f"intervals; "
            f"on the dashed line both are the same. {colour} Red lines join pairs that the truth tells apart and "
            f"the judge "
            "swaps.",
            f"Scatter plot of {len(e.systems)} systems, truth against {who}: τ is {tau}. The numbers are in the "
            f"table of all "
            "systems.",
        ),
        "ranks": Figure(
            ranks_panel(e),
            "Ranks in the truth (left) and by the judge (right), 1 is best. Strong lines move past a system that "
            "the truth "
            "tells from them.",
            f"Ranks of {len(e.systems)} systems on both sides. The numbers are in the table of all systems.",
        ),
        "coefficients": Figure(
            bounded_coefficients(answer, ceiling),
            "Points and bars: the judge's agreement and its interval. Green: what fresh topics judged by the truth "
            "give. "
            "Grey: what shuffled labels give, from their mean to what 97.5 % stay below.",
            f"Coefficients of {who} with intervals between floor and ceiling. The numbers are in the table of every "
            "coefficient.",
        ),
        "top": Figure(
            top_panel(e, report.settings["top"]),
            f"Systems among the best {report.settings['top']} of either side, in the truth's order; beside each "
            f"name its "
            "rank in the truth → by the judge.",
            f"Mean scores of the best systems on either side. {_winner(answer)}",
        ),
        "discordance": Figure(
            discordance_panel(e, _SIDE),
            f"Every cell is a pair of systems; marked cells change order. {_kept(answer, e.swap_count)}",
            f"Square of pairs of systems: {e.swap_count} of {e.pairs} change order. They are in the table of "
            f"swapped pairs.",
        ),
    }
    if answer.certainty is not None:
        c = answer.certainty
        found["certainty"] = Figure(
            certainty_panel(c),
            "Pairs of systems by who tells them apart, and whether the two sides order them alike.",
            f"Bars: both tell {c.both} pairs apart, {c.both_opposite} of them in opposite orders; the judge alone "
            f"{c.judge_only_alike + c.judge_only_opposite}, the truth alone "
            f"{c.truth_only_alike + c.truth_only_opposite}, "
            f"neither {c.neither}.",
        )
    if answer.shift is not None:
        found["shift"] = Figure(
            shift_panel(e, answer.shift, kinds),
            "How much higher the judge scores each system, by the height of its score. Dashed: the mean, and 1.96 "
            "standard "
            "deviations around it; line: the slope.",
            f"Shift of scores: {_shift(answer)[0]}",
        )
    labels = report.labels.get(answer.judge)
    if labels is not None:
        grid = confusion_panel(labels)
        if grid is not None:
            found["confusion"] = Figure(
                grid,
                "Documents by both labels. The darker, the larger the share of the truth's label.",
                f"Confusion matrix of labels. {_labels(report, answer)[0]}",
            )
        found["topics"] = Figure(
            topics_panel(labels, e.carriers),
            "Each topic: agreement of labels, and how much higher the judge's labels are. Named: topics without "
            "which the "
            "rankings would agree better.",
            f"Agreement of labels on {len(labels.topics)} topics. The numbers are in the table of topics.",
        )
    if len(report.judges) > 1:
        found["judges"] = Figure(
            judges_panel(report, answer.measure),
            "Judges by τ with the truth. Green: what fresh topics give. Grey: what each judge's shuffled labels give.",
            f"τ of {len(report.judges)} judges under {answer.measure}. The numbers are in the table of judges.",
        )
    return found


def _kept(answer: JudgeAnswer, count: int) -> str:
    shown = len(answer.agreement.swaps)
    return "" if shown == count else f"The {shown:,} with the largest gap in the truth are shown."


def _tables(report: JudgeReport, answer: JudgeAnswer) -> dict[str, Any]:
    e = answer.agreement
    found: dict[str, Any] = {
        "systems": systems_rows(e, report.groups),
        "swaps": swaps_rows(e),
        "coefficients": coefficients_rows(e, report.truth_under(answer.measure).ceiling, answer.floor),
    }
    if answer.certainty is not None and answer.certainty.doubtful:
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
            for d in answer.certainty.doubtful
        ]
    if answer.shift is not None and answer.shift.groups:
        found["groups"] = [
            {
                "group": g.group,
                "systems": g.systems,
                "shift": g.shift,
                "advantage": g.advantage,
                "low": None if g.interval is None else g.interval.low,
                "high": None if g.interval is None else g.interval.high,
                "p": g.adjusted,
                "places": g.ranks_gained,
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


def _places(report: JudgeReport, measure: str) -> list[dict[str, Any]]:
    rows = []
    for place in report.places:
        if place.measure != measure:
            continue
        a = report.answer(place.judge, measure)
        tau, distance = a.agreement["tau_b"], a.agreement.rank_distance
        rows.append(
            {
                "place": place.place,
                "judge": place.judge,
                "verdict": a.verdict.level,
                "tau": place.tau,
                "low": None if tau.interval is None else tau.interval.low,
                "high": None if tau.interval is None else tau.interval.high,
                "tau_ap": a.agreement.value("tau_ap"),
                "top": None if a.top is None else a.top.value("tau_b"),
                "distance": "" if distance is None else f"{distance.distance:.2f}, p {p_value(distance.pvalue)}",
                "beats": ", ".join(place.beats) or "–",
            }
        )
    return rows
