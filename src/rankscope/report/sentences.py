"""What is said of verdicts, comparisons and judges, as data: terminal, pages and notebooks choose sentences by kind.

People see their own names for both sides, `truth` and `estimate` being the library's.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rankscope.inference.residual_clusters import LEAST, MOST_SYSTEMS
from rankscope.inference.worth import Worth
from rankscope.report.blocks import Sentence
from rankscope.report.numbers import (
    DASH,
    NO_INTERVAL,
    counted,
    decimals,
    how_tested,
    interval_text,
    number_range,
    p_value,
    percent,
    two,
    whole,
    worth_number,
)
from rankscope.report.remarks import remark_sentences
from rankscope.report.theme import label
from rankscope.report.units import TOPIC, in_units, sentences_in_units
from rankscope.studies.chance import DEALT_SCORES
from rankscope.studies.comparison_result import CoefficientValue, EstimateComparison, RankDistanceSummary
from rankscope.studies.verdict import ENOUGH, Kind, Reason, Verdict

if TYPE_CHECKING:
    from rankscope.studies.judging.answers import JudgeAnswer, JudgeReport

_PEOPLE = ("human", "humans", "people")
_MOVERS = 5


# ---- the verdict -----------------------------------------------------------------------------------------------


def verdict_text(verdict: Verdict) -> str:
    """The verdict as a paper may quote it: what is claimed, what a topic is worth, what to expect, and the warnings."""
    return " ".join(sentence.text for sentence in verdict_sentences(verdict) if sentence.kind != "population")


def verdict_headline(verdict: Verdict) -> str:
    """The claim and the warnings: what stands at the top of a page."""
    text = " ".join([claim(verdict), *(warning_text(reason, verdict) for reason in verdict.warnings)])
    return in_units(text, verdict.unit, _named_in(verdict))


def verdict_line(verdict: Verdict) -> Sentence:
    """The level and what it allows."""
    text = in_units(f"{verdict.level.upper()}. {claim(verdict)}", verdict.unit, _named_in(verdict))
    return Sentence("claim", text, {"level": verdict.level})


def verdict_sentences(verdict: Verdict) -> list[Sentence]:
    """Claim, worth, expected τ, cap, population, chance level, warnings: those that there are, in this order."""
    said = [Sentence("claim", claim(verdict), {"level": verdict.level})]
    if verdict.worth is not None:
        said += worth_sentences(verdict.worth, verdict.own_worth)
    for reason in verdict.warnings:
        said.append(Sentence("warning", warning_text(reason, verdict), {"value": reason.value, "limit": reason.limit}))
    return sentences_in_units(said, verdict.unit, _named_in(verdict))


def _named_in(verdict: Verdict) -> list[str]:
    """The user's names in the sentences of a verdict."""
    winners = [reason.name for reason in verdict.warnings if reason.name]
    return [label(name) for name in (verdict.truth, verdict.estimate, *winners)]


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
            return f"Random labels would rank these systems as well as {judge} does (p {p_value(p or 1.0)})."
        case "no better than random scores":
            p = _value(verdict, "random scores")
            return (
                f"Its scores dealt at random to the systems, topic by topic, would rank them as well as {judge} does "
                f"(p {p_value(p or 1.0)})."
            )
    return _undecided(verdict, worth)


def _value(verdict: Verdict, kind: Kind) -> float | None:
    return next((reason.value for reason in verdict.reasons if reason.kind == kind), None)


def topics_of(truth: str, number: float) -> str:
    """A number of topics of the truth, under its own name.

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
            return f"Nothing can be said of {judge}: {truth} {what}, so there is no topic sampling error to compare."
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


def worth_sentences(worth: Worth, own: Worth | None = None) -> list[Sentence]:
    """Worth, expected τ with the true ranking, cap, and agreement over the population of topics, as far as known.

    `own` is the worth beyond random labels.
    """
    judge, truth = label(worth.estimate), label(worth.truth)
    ends, expected = worth.interval, worth.tau_judge_interval
    beyond = "" if own is None else f"; beyond random labels {worth_number(own.worth)}"
    said = [
        Sentence(
            "worth",
            f"A topic of {judge} is worth {worth_number(worth.worth)} of {_one_topic(worth.truth)} "
            f"({interval_text(ends, number='worth')}){beyond}.",
            {"worth": worth.worth, "low": ends.low, "high": ends.high, "own_worth": own and own.worth},
        ),
        Sentence(
            "expected",
            f"Expected τ with the true ranking, by {counted(worth.topics, 'topic')}: {truth} {two(worth.tau_human)}, "
            f"{judge} {two(worth.tau_judge)} ({number_range(expected.low, expected.high, 2)}).",
            {"topics": worth.topics, "tau_human": worth.tau_human, "tau_judge": worth.tau_judge},
        ),
    ]
    if worth.bias > 0.0 and worth.worth > 0.0:
        most = topics_of(worth.truth, worth.cap)
        text = f"However many topics it has, it stays below about {most} (lower bound {whole(worth.cap_low)})."
        said.append(Sentence("cap", text, {"cap": worth.cap, "cap_low": worth.cap_low}))
    if worth.population_tau is not None and worth.population_tau_interval is not None:
        said.append(
            Sentence(
                "population",
                f"Over the population of topics {truth} and {judge} agree with τ about {two(worth.population_tau)} "
                f"(approximate {interval_text(worth.population_tau_interval)}).",
                {"population_tau": worth.population_tau},
            )
        )
    return said


def warning_text(reason: Reason, verdict: Verdict) -> str:
    """A warning that stands beside the level."""
    judge, truth, name = label(verdict.estimate), label(verdict.truth), label(reason.name or "")
    match reason.kind:
        case "group":
            advantage = reason.value or 0.0
            favoured = "favours" if advantage > 0.0 else "disfavours"
            p = "" if reason.limit is None else f", p {p_value(reason.limit)}"
            gap = decimals(advantage, sign=True)
            return f"Warning: {judge} {favoured} group {name} ({gap} on the scale of {truth}{p})."
        case "coverage":
            return f"Warning: {judge} covers {percent(reason.value or 0.0)} of the documents that {truth} judged."
        case _:
            return f"Warning: the winner by {judge}, {name}, is significantly worse than the winner by {truth}."


def main_reason(verdict: Verdict) -> str:
    """What speaks most against a higher level, and the warnings; a dash where nothing does."""
    said = []
    worth = verdict.worth
    failing = {reason.kind: reason for reason in verdict.reasons if reason.holds is False}
    low, high = _value(verdict, "substitute"), _value(verdict, "not a substitute")
    if worth is None:
        said.append(_nothing_to_tell(verdict))
    elif "random labels" in failing:
        said.append(f"Random labels do as well (p {p_value(failing['random labels'].value or 1.0)}).")
    elif "topics" in failing or "systems" in failing:
        said.append(f"Claims take at least {ENOUGH} topics and {ENOUGH} systems.")
    elif verdict.level == "not a substitute":
        beyond = "" if worth_number(high) == worth_number(worth.interval.high) else " beyond random labels"
        said.append(f"Worth{beyond} at most {worth_number(high)}; {verdict.rule.substitute:g} is asked.")
    elif verdict.level != "interchangeable":
        asked = verdict.rule.interchangeable if verdict.level == "substitute" else verdict.rule.substitute
        beyond = "" if worth_number(low) == worth_number(worth.interval.low) else " beyond random labels"
        said.append(f"Worth{beyond} may be {worth_number(low)}; {asked:g} is asked.")
    said += [warning_text(reason, verdict) for reason in verdict.warnings]
    return " ".join(said) or DASH


def reason_rows(verdict: Verdict) -> list[tuple[bool | None, str, str]]:
    """Everything that the rule asked: whether it holds, the question, and the number found."""
    rows = []
    for reason in verdict.reasons:
        against = reason.kind == "not a substitute" and reason.holds is not None
        asked, number = _asked(reason, verdict)
        asked = in_units(asked, verdict.unit, _named_in(verdict))
        rows.append((not reason.holds if against else reason.holds, asked, number))
    return rows


def _asked(reason: Reason, verdict: Verdict) -> tuple[str, str]:
    judge, truth, rule = label(verdict.estimate), label(verdict.truth), verdict.rule
    value, limit = reason.value, reason.limit
    match reason.kind:
        case "topics" | "systems":
            return f"at least {limit:g} {reason.kind}", DASH if value is None else f"{value:g}"
        case "truth":
            return f"{truth} orders the systems, and not alike on every topic", "no"
        case "random labels":
            asked = f"better than random labels (p ≤ {limit:g})"
            return asked, "not tested" if value is None else f"p {p_value(value)}"
        case "random scores":
            asked = f"better than its scores dealt at random to the systems, topic by topic (p ≤ {limit:g})"
            return asked, DASH if value is None else f"p {p_value(value)}"
        case "interchangeable" | "substitute":
            asked = f"{reason.kind}: a topic of {judge} is worth at least {limit:g} of {_one_topic(verdict.truth)}"
            return asked, DASH if value is None else f"at least {worth_number(value)}"
        case "more topics":
            asked = f"substitute with more topics: the same with up to {rule.times:g} times as many topics"
            return asked, DASH if value is None else f"at least {worth_number(value)}"
        case "clear differences":
            asked = f"clear differences: as good as {topics_of(verdict.truth, limit or 0.0)}"
            return asked, DASH if value is None else f"as good as at least {topics_of(verdict.truth, value)}"
    asked = f"not ruled out as a substitute: worth may be {limit:g}, or {truth} is not reliable"
    return asked, DASH if value is None else f"at most {worth_number(value)}"


# Why no clusters were sought.
_NO_CLUSTERS = {
    "no shared topics": "that needs means over the same topics on both sides",
    "few": f"that needs {LEAST} topics and {LEAST} systems at least",
    "many systems": f"there are more than {MOST_SYSTEMS} systems, too many to permute",
    "one score": "a side gives all systems the same mean",
}

# ---- the comparison of rankings --------------------------------------------------------------------------------


def comparison_sentences(estimate: EstimateComparison, truth: str) -> list[Sentence]:
    """What is said of the two rankings beside the verdict, in reading order."""
    tau = kendall(estimate)
    said = [
        *_evidence(estimate, truth),
        Sentence("agreement", agreement_sentence(estimate, truth), {"coefficient": tau.name, "value": tau.value}),
        *_chance(estimate),
        _swaps(estimate),
        *_significant(estimate, truth),
        Sentence("winner", winner_sentence(estimate, truth), {"same": estimate.winner.same}),
    ]
    if estimate.top:
        tops = ", ".join(f"{t.shared} of the top {t.k}" for t in estimate.top)
        shared = {f"top {t.k}": t.shared for t in estimate.top}
        said.append(Sentence("top", f"{label(estimate.name)} keeps {tops} of {label(truth)}.", shared))
    if estimate.carriers:
        topics = ", ".join(f"{label(c.topic)} ({decimals(c.change, sign=True)})" for c in estimate.carriers)
        changes = {c.topic: c.change for c in estimate.carriers}
        said.append(Sentence("topics", f"Topics without which {tau.symbol} would be higher: {topics}.", changes))
    if estimate.truth_ties or estimate.estimate_ties:
        ties = f"{counted(estimate.truth_ties, 'pair')} by {label(truth)}, {estimate.estimate_ties:,} by"
        numbers = {"truth": estimate.truth_ties, "estimate": estimate.estimate_ties}
        said.append(Sentence("ties", f"Tied: {ties} {label(estimate.name)}.", numbers))
    if any(not math.isfinite(c.value) for c in estimate.coefficients):
        text = "A dash means that a side scores all systems alike, as far as the coefficient can tell."
        said.append(Sentence("undefined", text))
    if estimate.no_interval is not None:
        said.append(Sentence("no interval", f"No interval over topics: {NO_INTERVAL[estimate.no_interval]}."))
    said += _unknown(estimate, truth)
    if estimate.most_systems is not None:
        text = (
            f"With more than {estimate.most_systems:,} systems, tests of pairs, the rank distance, bounds under ties "
            "and the permutation test are left out."
        )
        said.append(Sentence("left out", text, {"most_systems": estimate.most_systems}))
    systems = [system.system for system in estimate.systems]
    names = [label(name) for name in (truth, estimate.name, *systems)] if estimate.unit != TOPIC else []
    return sentences_in_units([*said, *other_tests(estimate, truth)], estimate.unit, names)


def cluster_sentences(estimate: EstimateComparison) -> list[Sentence]:
    """Whether an estimate moves systems together, or why that is not known; none where it was not asked."""
    clusters, name = estimate.clusters, label(estimate.name)
    if estimate.no_clusters is not None:
        text = f"Systems that {name} moves together were not sought: {_NO_CLUSTERS[estimate.no_clusters]}."
        return [Sentence("clusters", text, {"clusters": None})]
    if clusters is None:
        return []
    text = (
        f"{name} moves no systems together more than chance does (permuted residuals)."
        if not clusters
        else f"{counted(sum(len(c.systems) for c in clusters), 'system')} move together under {name}, in "
        f"{counted(len(clusters), 'cluster')}."
    )
    return [Sentence("clusters", text, {"clusters": len(clusters)})]


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
    band = "" if tau.interval is None else f" ({interval_text(tau.interval)}{_covers(estimate, truth)})"
    return f"{label(estimate.name)} and {label(truth)} agree with {tau.symbol} {two(tau.value)}{band}."


def _covers(estimate: EstimateComparison, truth: str) -> str:
    """What the interval is over: topics or standard errors of the sides, or systems where neither is known."""
    if estimate.no_interval is not None:
        return " over systems"
    first, second = estimate.truth_errors, estimate.estimate_errors
    if first == second == "topics":
        return " for the mean over samples of the same number of topics"
    if first == second:
        return " from the standard errors of both sides"
    known = [f"the {errors} of {label(name)}" for errors, name in ((first, truth), (second, estimate.name)) if errors]
    return f" from {' and '.join(known)}{'' if len(known) > 1 else ' alone'}"


def _evidence(estimate: EstimateComparison, truth: str) -> list[Sentence]:
    """How the sides are compared, where that is not by the same topics."""
    if estimate.paired is not False:
        return []
    text = (
        f"{label(truth)} ({counted(estimate.truth_topics or 0, 'topic')}) and {label(estimate.name)} "
        f"({counted(estimate.topics or 0, 'topic')}) are compared as two samples of topics."
    )
    return [Sentence("two samples", text, {"truth": estimate.truth_topics, "estimate": estimate.topics})]


def _chance(estimate: EstimateComparison) -> list[Sentence]:
    """What chance reaches, where scores alone were dealt; that of labels is said with what labels tell."""
    tau, chance = kendall(estimate), estimate.chance
    if chance is None or chance.kind != DEALT_SCORES:
        return []
    mean, p = chance[tau.name].mean, chance.pvalue
    name = label(estimate.name)
    dealt = f"The scores of {name}, dealt at random to the systems topic by topic, reach"
    if estimate.unit != TOPIC:
        dealt = f"The winners of {name}, decided anew by a coin in every battle, reach"
    p_text = p_value(1.0 if p is None else p)
    text = f"{dealt} {tau.symbol} {two(mean)} on average; agreement as high as that of {name} has p {p_text} by chance."
    return [Sentence("chance", text, {"mean": mean, "pvalue": p})]


def _unknown(estimate: EstimateComparison, truth: str) -> list[Sentence]:
    """What cannot be known, and what would tell."""
    if estimate.paired is not None:
        return []
    sides = ((estimate.truth_errors, truth), (estimate.estimate_errors, estimate.name))
    lacking = [label(name) for errors, name in sides if errors is None]
    text = ""
    if lacking:
        unknown = "it cannot be known how many swaps are chance"
        text = f"Without topics or standard errors of {' and '.join(lacking)}, {unknown}"
        text += ". " if len(lacking) > 1 else "; intervals leave the errors of its scores out. "
    if "standard errors" in (estimate.truth_errors, estimate.estimate_errors):
        text += "Standard errors are taken as independent, between systems too. "
    text += f"What a topic of {label(estimate.name)} is worth cannot be known without scores by topic on both sides."
    return [Sentence("unknown", text)]


def _swaps(estimate: EstimateComparison) -> Sentence:
    share = estimate.swap_count / estimate.pairs if estimate.pairs else 0.0
    text = f"{estimate.swap_count:,} of {counted(estimate.pairs, 'pair')} change order ({percent(share)})."
    return Sentence("swaps", text, {"swaps": estimate.swap_count, "pairs": estimate.pairs, "share": share})


def _significant(estimate: EstimateComparison, truth: str) -> list[Sentence]:
    tested, certainty = estimate.separation, estimate.certainty
    if tested is None:
        return []
    how = how_tested(tested.test, tested.correction, tested.alpha)
    if tested.pairs == 0:
        text = f"{label(truth)} finds no pair of systems significantly different ({how})."
    else:
        text = (
            f"{tested.swaps:,} of the {counted(tested.pairs, 'pair')} that {label(truth)} finds significantly "
            f"different {'is' if tested.swaps == 1 else 'are'} swapped ({how})."
        )
    said = [Sentence("significant", text, {"pairs": tested.pairs, "swaps": tested.swaps, "alpha": tested.alpha})]
    if certainty is not None:
        alone = certainty.judge_only_alike + certainty.judge_only_opposite
        said.append(
            Sentence(
                "certainty",
                f"{label(estimate.name)} finds {counted(certainty.both + alone, 'pair')} significantly different. "
                f"Of these, {label(truth)} finds {certainty.both:,} significantly different too "
                f"({certainty.both_opposite:,} in the opposite order) and {alone:,} not "
                f"({certainty.judge_only_opposite:,} ordered the other way).",
                {"both": certainty.both, "both_opposite": certainty.both_opposite, "alone": alone},
            )
        )
    return said


def winner_sentence(estimate: EstimateComparison, truth: str) -> str:
    """Who wins on either side."""
    w, judge = estimate.winner, label(estimate.name)
    if w.truth is None or w.estimate is None:
        return "There is no winner: a side scores all systems alike."
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
    said = []
    if estimate.rank_distance is not None:
        said.append(_distance(estimate.rank_distance, estimate.name, truth))
    tau = kendall(estimate)
    if tau.pvalue is not None:
        text = (
            f"Permutation test of {tau.symbol}: p {p_value(tau.pvalue)} if the scores of {label(estimate.name)} "
            "were assigned to the systems at random."
        )
        if estimate.chance is not None and estimate.chance.kind != DEALT_SCORES:
            text += " It does not test whether its labels are better than random labels, which rank systems too."
        said.append(Sentence("permutation", text, {"pvalue": tau.pvalue}))
    return said


def _distance(summary: RankDistanceSummary, name: str, truth: str) -> Sentence:
    ties = number_range(summary.ties_least, summary.ties_greatest, 2)
    value = summary.critical_value
    critical = "" if value is None else f", critical value {two(value)} at {percent(summary.alpha)}"
    ridge = f", ridge {summary.ridge:g}" if summary.ridge else ""
    return Sentence(
        "rank distance",
        f"Rank distance of {label(name)} from {label(truth)}: {two(summary.distance)}{ties and f' ({ties} by ties)'}, "
        f"p {p_value(summary.pvalue)}{critical}{ridge}. It tests whether resampling {label(truth)}'s own topics could "
        "give this ranking (Carterette 2009). Rankings by new topics often fail it too, so it does not decide here.",
        {"distance": summary.distance, "pvalue": summary.pvalue, "critical_value": value, "alpha": summary.alpha},
    )


# ---- what only labels can tell ---------------------------------------------------------------------------------


def judge_sentences(report: JudgeReport, answer: JudgeAnswer) -> list[Sentence]:
    """What is said of one judge under one measure beside the verdict and the comparison, in reading order."""
    judge, truth = label(answer.judge), label(report.truth)
    said = []
    if answer.chance is not None and answer.chance["tau_b"].mean is not None:
        mean, p = answer.chance["tau_b"].mean, answer.chance.pvalue
        tested = "" if p is None else f"; p {p_value(p)} that {judge} is no better"
        text = f"The labels of {judge}, assigned at random within topics, reach τ_b {two(mean)} on average{tested}."
        said.append(Sentence("random labels", text, {"tau_b": mean, "pvalue": p}))
    if answer.pseudo is not None:
        drawn = answer.pseudo["tau_b"].mean
        text = f"Relevance drawn at random from the pool gives τ_b {two(drawn)} on average."
        said.append(Sentence("random relevance", text, {"tau_b": drawn}))
    if answer.top is not None:
        top = answer.top["tau_b"]
        inside = "" if top.interval is None else f" ({number_range(top.interval.low, top.interval.high, 2)})"
        best = counted(len(answer.top.systems), "system")
        text = f"Among the best {best} by {truth} τ_b is {two(top.value)}{inside}."
        said.append(Sentence("best systems", text, {"tau_b": top.value, "systems": len(answer.top.systems)}))
    said += _rank_sets(report, answer)
    if answer.movers:
        moves = answer.movers[:_MOVERS]
        moved = ", ".join(f"{label(m.system)} {m.truth_rank:g} → {m.judge_rank:g}" for m in moves)
        said.append(Sentence("moves", f"Largest moves: {moved}.", {m.system: m.places for m in moves}))
    return [*said, _shift(answer, truth), *_labels(report, answer)]


def _rank_sets(report: JudgeReport, answer: JudgeAnswer) -> list[Sentence]:
    """How many of the truth's best systems either side cannot tell from the best of them."""
    ranks = answer.ranks
    if ranks is None:
        return []
    judge, truth, n = label(answer.judge), label(report.truth), len(ranks.systems)
    text = (
        f"Of the top {n} by {truth}, {judge} cannot separate {len(ranks.judge.inseparable)} from the one it ranks "
        f"first, {label(ranks.judge.best)}; {truth} cannot separate {len(ranks.truth.inseparable)} from "
        f"{label(ranks.truth.best)}. Of their {counted(ranks.pairs, 'pair')}, {judge} separates "
        f"{ranks.judge.separated:,} and {truth} {ranks.truth.separated:,} (simultaneous over all systems, "
        f"{percent(ranks.level)})."
    )
    numbers = {
        "systems": n,
        "judge": len(ranks.judge.inseparable),
        "truth": len(ranks.truth.inseparable),
        "judge_pairs": ranks.judge.separated,
        "truth_pairs": ranks.truth.separated,
    }
    return [Sentence("rank sets", text, numbers)]


def _shift(answer: JudgeAnswer, truth: str) -> Sentence:
    shift, judge = answer.shift, label(answer.judge)
    slope = ""
    if shift.slope is not None:
        ends = shift.slope_interval
        inside = "" if ends is None else f", {interval_text(ends)}"
        way = "narrows" if shift.slope < 0 else "widens"
        slope = f"; {judge} {way} the range of scores (slope {decimals(shift.slope, 2, sign=True)}{inside})"
    text = (
        f"Scores by {judge} differ from those by {truth} by {decimals(shift.mean, sign=True)} on average, "
        f"± {decimals(shift.spread)} between systems{slope}."
    )
    return Sentence("shift", text, {"mean": shift.mean, "spread": shift.spread, "slope": shift.slope})


def _labels(report: JudgeReport, answer: JudgeAnswer) -> list[Sentence]:
    agreement = report.labels[answer.judge]
    kappa, equal, covered = agreement.value("kappa"), agreement.value("equal"), agreement.coverage
    every = counted(covered.pairs + covered.truth_only, "pair")
    text = f"{label(answer.judge)} labelled {percent(covered.share)} of the {every} of {label(report.truth)}"
    if kappa is not None and equal is not None:
        text += f"; {percent(equal)} of the shared labels are equal, Cohen's κ is {two(kappa)}"
    numbers = {"share": covered.share, "equal": equal, "kappa": kappa}
    return [Sentence("labels", f"{text}.", numbers), *remark_sentences(agreement.remarks)]
