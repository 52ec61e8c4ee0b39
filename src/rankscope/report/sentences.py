"""What is said of a comparison, as data: each sentence has a kind, by which terminal and pages choose and place it.

People see their own names for both sides, `truth` and `estimate` being the library's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankscope.inference.worth import Worth
from rankscope.report.blocks import counted, p_value
from rankscope.report.numbers import interval_text, percent, two, whole, worth_number
from rankscope.report.theme import label
from rankscope.studies.parts import CoefficientValue, EstimateComparison, RankDistanceSummary
from rankscope.studies.verdict import ENOUGH, Kind, Reason, Verdict

if TYPE_CHECKING:
    from rankscope.studies.judging.parts import JudgeAnswer, JudgeReport

_CORRECTIONS = {"none": "uncorrected", "bonferroni": "Bonferroni", "holm": "Holm", "bh": "BH"}
_PEOPLE = ("human", "humans", "people")


@dataclass(frozen=True)
class Sentence:
    """One sentence and what it is about."""

    kind: str
    text: str


# ---- the verdict -----------------------------------------------------------------------------------------------


def verdict_text(verdict: Verdict) -> str:
    """The verdict in full: what is claimed, what a topic is worth, what to expect, and the warnings."""
    return " ".join(sentence.text for sentence in verdict_sentences(verdict))


def verdict_headline(verdict: Verdict) -> str:
    """The claim and the warnings: what stands at the top of a page."""
    return " ".join([claim(verdict), *(warning_text(reason, verdict) for reason in verdict.warnings)])


def verdict_sentences(verdict: Verdict) -> list[Sentence]:
    """Claim, worth, expected τ, cap, chance level, warnings: those that there are, in this order."""
    found = [Sentence("claim", claim(verdict))]
    worth = verdict.worth
    if worth is not None:
        found.append(Sentence("worth", worth_sentence(verdict, worth)))
        found.append(Sentence("expected", expected_sentence(verdict, worth)))
        if worth.bias > 0.0 and worth.worth > 0.0:
            found.append(Sentence("cap", _cap(verdict, worth)))
        if _value(verdict, "random labels") is None:
            found.append(
                Sentence("chance", "There are no labels to deal at random, so that the chance level is skipped.")
            )
    found += [Sentence("warning", warning_text(reason, verdict)) for reason in verdict.warnings]
    return found


def claim(verdict: Verdict) -> str:
    """What the level allows, in one sentence."""
    judge, truth, worth = label(verdict.estimate), label(verdict.truth), verdict.worth
    if worth is None:
        return _nothing_to_tell(verdict)
    topics = f"its {counted(worth.topics, 'topic')}"
    low = _value(verdict, "substitute") or 0.0
    human = topics_of(verdict.truth, low * worth.topics)
    match verdict.level:
        case "interchangeable":
            return f"{judge} can replace {truth}: {topics} rank systems as well as at least {human} would."
        case "substitute":
            return f"{judge} can stand in for {truth}: {topics} rank systems as well as at least {human} would."
        case "substitute with more topics":
            return f"{judge} can stand in for {truth} with more topics: {_how_many(verdict, worth)}."
        case "clear differences only":
            half = topics_of(verdict.truth, verdict.rule.substitute * worth.topics)
            return (
                f"Trust {judge} for clear differences only: its ranking is as good as that of at least {human}, and "
                f"not shown to be as good as that of {half}."
            )
        case "not a substitute":
            high = topics_of(verdict.truth, (_value(verdict, "not a substitute") or 0.0) * worth.topics)
            return f"{judge} is no substitute for {truth}: {topics} rank systems no better than {high} would."
        case "no better than random labels":
            p = _value(verdict, "random labels")
            return (
                f"Labels dealt at random would rank these systems as well as {judge} does "
                f"(p {p_value(1.0 if p is None else p)})."
            )
    return _undecided(verdict, worth)


def _value(verdict: Verdict, kind: Kind) -> float | None:
    return next((reason.value for reason in verdict.reasons if reason.kind == kind), None)


def topics_of(truth: str, number: float) -> str:
    """So many topics of the truth, under its own name.

    >>> topics_of("human", 27.4), topics_of("AP", 1.0)
    ('27 human topics', '1 topic of AP')
    """
    written = whole(number)
    noun = "topic" if written in ("1", "less than 1") else "topics"
    return f"{written} {label(truth)} {noun}" if truth.lower() in _PEOPLE else f"{written} {noun} of {label(truth)}"


def _how_many(verdict: Verdict, worth: Worth) -> str:
    if math.isfinite(worth.equal_at):
        human = topics_of(verdict.truth, worth.topics)
        return f"about {whole(worth.equal_at * worth.topics)} of them match {human}"
    low = (_value(verdict, "more topics") or 0.0) * worth.topics
    human = topics_of(verdict.truth, low)
    return f"{whole(worth.times * worth.topics)} of them rank systems as well as at least {human} would"


def _nothing_to_tell(verdict: Verdict) -> str:
    judge, truth = label(verdict.estimate), label(verdict.truth)
    for reason in verdict.reasons:
        if reason.kind == "truth":
            what = "scores all systems alike" if not reason.value else "orders the systems alike on every topic"
            return (
                f"Nothing can be said of {judge}: {truth} {what}, so that there is no topic sampling error to compare."
            )
    n, m = (int(_value(verdict, kind) or 0) for kind in ("topics", "systems"))
    return f"{counted(n, 'topic')} and {counted(m, 'system')} cannot tell how well {judge} stands in for {truth}."


def _undecided(verdict: Verdict, worth: Worth) -> str:
    n, m = worth.truth_topics, worth.systems
    low = _value(verdict, "substitute")
    high = _value(verdict, "not a substitute")
    between = (
        f"{counted(n, 'topic')} and {counted(m, 'system')} cannot tell: a topic of {label(verdict.estimate)} is worth "
        f"between {worth_number(low)} and {worth_number(high)} of {_one_topic(verdict.truth)}."
    )
    if min(n, worth.estimate_topics, m) < ENOUGH:
        return f"{between} Claims take at least {ENOUGH} topics and {ENOUGH} systems."
    needed = worth.topics_to_decide(verdict.rule.substitute)
    if needed is None or needed > 10_000.0:
        return f"{between} More systems would decide."
    return f"{between} {'More' if needed <= n else f'About {whole(needed)}'} topics would decide."


def _one_topic(truth: str) -> str:
    return f"a {label(truth)} topic" if truth.lower() in _PEOPLE else f"a topic of {label(truth)}"


def worth_sentence(verdict: Verdict, worth: Worth) -> str:
    """What a topic is worth, with its interval."""
    text = (
        f"A topic of {label(verdict.estimate)} is worth {worth_number(worth.worth)} of {_one_topic(verdict.truth)} "
        f"({interval_text(worth.interval, number='worth')})"
    )
    own = verdict.own_worth
    return f"{text}; beyond random labels {worth_number(own.worth)}." if own is not None else f"{text}."


def expected_sentence(verdict: Verdict, worth: Worth) -> str:
    """Expected τ with the true ranking, both sides."""
    return (
        f"Expected τ with the true ranking, by {counted(worth.topics, 'topic')}: {label(verdict.truth)} "
        f"{two(worth.tau_human)}, {label(verdict.estimate)} {two(worth.tau_judge)} "
        f"({two(worth.tau_judge_interval.low)} to {two(worth.tau_judge_interval.high)})."
    )


def _cap(verdict: Verdict, worth: Worth) -> str:
    return (
        f"However many topics it has, it stays below about {topics_of(verdict.truth, worth.cap)} (at least "
        f"{whole(worth.cap_low)})."
    )


def population_sentence(verdict: Verdict) -> str | None:
    """The agreement over the population of topics; None where it cannot be told."""
    worth = verdict.worth
    if worth is None or worth.population_tau is None or worth.population_tau_interval is None:
        return None
    return (
        f"Over the population of topics {label(verdict.truth)} and {label(verdict.estimate)} agree with τ about "
        f"{two(worth.population_tau)} (approximate {interval_text(worth.population_tau_interval)})."
    )


def warning_text(reason: Reason, verdict: Verdict) -> str:
    """A warning that stands beside the level."""
    judge, truth, name = label(verdict.estimate), label(verdict.truth), label(reason.name or "")
    match reason.kind:
        case "group":
            advantage = reason.value or 0.0
            favoured = "favours" if advantage > 0.0 else "disfavours"
            p = "" if reason.limit is None else f", p {p_value(reason.limit)}"
            gap = f"{advantage:+.3f}".replace("-", "−")
            return f"Warning: {judge} {favoured} group {name} ({gap} on the scale of {truth}{p})."
        case "coverage":
            return f"Warning: {judge} covers {percent(reason.value or 0.0)} of the documents that {truth} judged."
        case _:
            return f"Warning: the winner by {judge}, {name}, is significantly worse than the winner by {truth}."


def reason_rows(verdict: Verdict) -> list[tuple[bool | None, str, str]]:
    """Everything that the rule asked: whether it holds, the question, and the number found."""
    rows = []
    for reason in verdict.reasons:
        against = reason.kind == "not a substitute" and reason.holds is not None
        rows.append((not reason.holds if against else reason.holds, *_asked(reason, verdict)))
    return rows


def _asked(reason: Reason, verdict: Verdict) -> tuple[str, str]:
    judge, truth, rule = label(verdict.estimate), label(verdict.truth), verdict.rule
    value, limit = reason.value, reason.limit
    match reason.kind:
        case "topics" | "systems":
            return f"at least {limit:g} {reason.kind}", "–" if value is None else f"{value:g}"
        case "truth":
            return f"{truth} orders the systems, and not alike on every topic", "no"
        case "random labels":
            asked = f"better than random labels (p ≤ {limit:g})"
            return asked, "no labels to deal at random" if value is None else f"p {p_value(value)}"
        case "interchangeable" | "substitute":
            found = "–" if value is None else f"at least {worth_number(value)}"
            return (
                f"{reason.kind}: a topic of {judge} is worth at least {limit:g} of {_one_topic(verdict.truth)}",
                found,
            )
        case "more topics":
            asked = f"substitute with more topics: the same with up to {rule.times:g} times as many topics"
            return asked, "–" if value is None else f"at least {worth_number(value)}"
        case "clear differences":
            asked = f"clear differences: as good as {topics_of(verdict.truth, limit or 0.0)}"
            return asked, "–" if value is None else f"as good as at least {topics_of(verdict.truth, value)}"
    asked = f"not ruled out as a substitute: worth may be {limit:g}, or {truth} is not reliable"
    return asked, "–" if value is None else f"at most {worth_number(value)}"


# ---- the comparison of rankings --------------------------------------------------------------------------------


def comparison_sentences(estimate: EstimateComparison, truth: str) -> list[Sentence]:
    """What is said of the two rankings beside the verdict, in reading order."""
    found = [Sentence("agreement", agreement_sentence(estimate, truth))]
    found += [Sentence("swaps", _swaps(estimate, truth)), *_significant(estimate, truth)]
    found.append(Sentence("winner", winner_sentence(estimate, truth)))
    if estimate.top:
        tops = ", ".join(f"{t.shared} of the top {t.k}" for t in estimate.top)
        found.append(Sentence("top", f"{label(estimate.name)} keeps {tops} of {label(truth)}."))
    if estimate.carriers:
        carriers = ", ".join(f"{label(c.topic)} (+{c.change:.3f})" for c in estimate.carriers)
        found.append(Sentence("topics", f"Topics without which τ would be higher: {carriers}."))
    if estimate.truth_ties or estimate.estimate_ties:
        ties = f"{counted(estimate.truth_ties, 'pair')} by {label(truth)}, {estimate.estimate_ties:,} by"
        found.append(Sentence("ties", f"Tied: {ties} {label(estimate.name)}."))
    if any(not math.isfinite(c.value) for c in estimate.coefficients):
        text = "A dash means that a side scores all systems alike, as far as the coefficient can tell."
        found.append(Sentence("undefined", text))
    if estimate.no_interval is not None:
        found.append(Sentence("no interval", f"No interval over topics: {estimate.no_interval}."))
    if estimate.most_systems is not None:
        text = (
            f"With more than {estimate.most_systems:,} systems, tests of pairs, the rank distance, bounds under ties "
            "and the permutation test are left out."
        )
        found.append(Sentence("left out", text))
    return [*found, *other_tests(estimate, truth)]


def kendall(estimate: EstimateComparison) -> CoefficientValue:
    """Kendall's τ where it was asked for, else the first coefficient."""
    for name in ("tau_b", "kendall"):
        for value in estimate.coefficients:
            if value.name == name:
                return value
    return estimate.coefficients[0]


def agreement_sentence(estimate: EstimateComparison, truth: str) -> str:
    """How well the two rankings agree."""
    tau = kendall(estimate)
    if not math.isfinite(tau.value):
        return f"{label(estimate.name)} cannot be compared with {label(truth)}: a side scores all systems alike."
    band = "" if tau.interval is None else f" ({interval_text(tau.interval)}{_covers(tau)})"
    return f"{label(estimate.name)} and {label(truth)} agree with {tau.symbol} {two(tau.value)}{band}."


def _covers(tau: CoefficientValue) -> str:
    over_topics = tau.interval is not None and tau.interval.method.startswith("topic")
    return " for the mean over samples of as many topics" if over_topics else " over systems"


def _swaps(estimate: EstimateComparison, truth: str) -> str:
    share = percent(estimate.swap_count / estimate.pairs) if estimate.pairs else "0 %"
    return f"{estimate.swap_count:,} of {counted(estimate.pairs, 'pair')} change order ({share})."


def _significant(estimate: EstimateComparison, truth: str) -> list[Sentence]:
    apart, certainty = estimate.separation, estimate.certainty
    if apart is None:
        return []
    how = f"{apart.test}-test, {_CORRECTIONS.get(apart.correction, apart.correction)}, {percent(apart.alpha)}"
    if apart.pairs == 0:
        text = f"{label(truth)} finds no pair of systems significantly different ({how})."
    else:
        text = (
            f"{apart.swaps:,} of the {counted(apart.pairs, 'pair')} that {label(truth)} finds significantly different "
            f"{'is' if apart.swaps == 1 else 'are'} swapped ({how})."
        )
    found = [Sentence("significant", text)]
    if certainty is not None:
        alone = certainty.judge_only_alike + certainty.judge_only_opposite
        found.append(
            Sentence(
                "certainty",
                f"{label(estimate.name)} finds {counted(certainty.both + alone, 'pair')} significantly different: "
                f"{certainty.both:,} as {label(truth)} does, {certainty.both_opposite:,} of them in the opposite "
                f"order, and {alone:,} that {label(truth)} does not, {certainty.judge_only_opposite:,} of them "
                "against its order.",
            )
        )
    return found


def winner_sentence(estimate: EstimateComparison, truth: str) -> str:
    """Who wins on either side."""
    w, judge = estimate.winner, label(estimate.name)
    if w.same:
        return f"{label(w.truth)} wins on both sides."
    worse = {
        True: f", which {label(truth)} finds significantly worse",
        False: f", which {label(truth)} does not find significantly different",
        None: "",
    }
    return f"{label(w.truth)} wins by {label(truth)}, {label(w.estimate)} by {judge}{worse[w.significant]}."


def other_tests(estimate: EstimateComparison, truth: str) -> list[Sentence]:
    """Carterette's test and the permutation test, each with what it does and does not test."""
    found = []
    if estimate.rank_distance is not None:
        found.append(Sentence("rank distance", _distance(estimate.rank_distance, estimate.name, truth)))
    tau = kendall(estimate)
    if tau.pvalue is not None:
        found.append(
            Sentence(
                "permutation",
                f"Permutation test of {tau.symbol}: p {p_value(tau.pvalue)} if the scores of {label(estimate.name)} "
                "belonged to the systems at random. It does not test whether its labels are better than random ones, "
                "which rank systems too.",
            )
        )
    return found


def _distance(found: RankDistanceSummary, name: str, truth: str) -> str:
    ties = "" if found.ties_least is None else f" ({found.ties_least:.2f} to {found.ties_greatest:.2f} by ties)"
    value = found.critical_value
    critical = "" if value is None else f", critical value {value:.2f} at {percent(found.alpha)}"
    ridge = f", ridge {found.ridge:g}" if found.ridge else ""
    return (
        f"Rank distance of {label(name)} from {label(truth)}: {found.distance:.2f}{ties}, p {p_value(found.pvalue)}"
        f"{critical}{ridge}. It tests whether resampling {label(truth)}'s own topics could give this ranking "
        "(Carterette 2009); new topics often could not either, so that it decides nothing here."
    )


# ---- what only labels can tell ---------------------------------------------------------------------------------


def judge_sentences(report: JudgeReport, answer: JudgeAnswer) -> list[Sentence]:
    """What is said of one judge under one measure beside the verdict and the comparison, in reading order."""
    judge, truth = label(answer.judge), label(report.truth)
    said = []
    if answer.chance is not None and answer.chance["tau_b"].mean is not None:
        p = answer.chance.pvalue
        tested = "" if p is None else f"; p {p_value(p)} that {judge} is no better"
        text = f"The labels of {judge}, dealt at random within topics, reach τ_b {two(answer.chance['tau_b'].mean)}"
        said.append(Sentence("random labels", f"{text} on average{tested}."))
    if answer.pseudo is not None:
        text = f"Relevance drawn at random from the pool gives τ_b {two(answer.pseudo['tau_b'].mean)} on average."
        said.append(Sentence("random relevance", text))
    if answer.top is not None:
        tau = answer.top["tau_b"]
        inside = "" if tau.interval is None else f" ({two(tau.interval.low)} to {two(tau.interval.high)})"
        best = counted(len(answer.top.systems), "system")
        said.append(Sentence("best systems", f"Among the best {best} by {truth} τ_b is {two(tau.value)}{inside}."))
    if answer.movers:
        moved = ", ".join(f"{label(m.system)} {m.truth_rank:g} → {m.judge_rank:g}" for m in answer.movers[:5])
        said.append(Sentence("moves", f"Largest moves: {moved}."))
    shift, slope = answer.shift, ""
    if shift.slope is not None and shift.slope_interval is not None:
        way = "narrows" if shift.slope < 0 else "widens"
        sure = shift.slope_interval.low > 0 or shift.slope_interval.high < 0
        slope = f"; {judge} {way} the field (slope {shift.slope:+.2f}{'' if sure else ', interval includes 0'})"
    text = f"Scores by {judge} run {shift.mean:+.3f} higher on average, ± {shift.spread:.3f} between systems{slope}."
    said.append(Sentence("shift", text.replace("-", "−")))
    labels = report.labels.get(answer.judge)
    if labels is None:
        return [*said, Sentence("labels", "No document is judged by both sides, so that labels cannot be compared.")]
    every = counted(labels.coverage.pairs + labels.coverage.truth_only, "pair")
    text = f"{judge} labelled {percent(labels.coverage.share)} of the {every} of {truth}"
    kappa, equal = labels["kappa"].value, labels["equal"].value
    if kappa is not None and equal is not None:
        text += f"; {percent(equal)} of the shared labels are equal, Cohen's κ is {two(kappa)}"
    said.append(Sentence("labels", f"{text}."))
    return [*said, *(Sentence("remark", f"{remark[0].upper()}{remark[1:]}.") for remark in labels.remarks)]
