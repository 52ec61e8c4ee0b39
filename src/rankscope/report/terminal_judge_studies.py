"""The studies of judges as text: what happens when systems use a judge, and when it is asked again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import rankscope as rs
from rankscope.defaults import ALPHA
from rankscope.report.blocks import REST, Block, Heading, Sentence, text_table
from rankscope.report.numbers import (
    counted,
    decimals,
    interval_text,
    number_range,
    p_cell,
    p_value,
    percent,
    score_digits,
    two,
    worth_number,
)
from rankscope.report.terminal_studies import symbol
from rankscope.report.text_tables import TextTable
from rankscope.report.theme import label
from rankscope.results import Interval
from rankscope.studies.circularity import Entrant, JudgeUse, SystemUse
from rankscope.studies.repeats import RepeatedJudge

# With more pairs of judge and measure than this, tables say it all.
_SAID = 4
# Repeats are enough where they make no more than this share of the error variance.
_SMALL = 0.1
# Systems in the table of profiles.
_LOWEST = 10


def circularity(study: rs.CircularityStudy) -> list[Block]:
    """What is said of systems that use the judge."""
    topics = sorted(set(study.topics.values()))
    number = f"{topics[0]:,} to {topics[-1]:,} topics" if len(topics) > 1 else counted(topics[0], "topic")
    over = f"{counted(study.systems, 'system')}, {number}, top {study.depth:,} of every run re-sorted by its labels"
    said: list[Block] = [Heading(f"What if systems used the judge? {over}")]
    pairs = [(judge, measure) for measure in study.measures for judge in study.judges if _rows(study, judge, measure)]
    if len(pairs) <= _SAID:
        for judge, measure in pairs:
            said += _sentences(study, judge, measure)
    for measure in study.measures:
        judges = [judge for judge, under in pairs if under == measure]
        if judges:
            said.append(_by_judge(study, judges, measure))
        said += [_by_noise(study, judge, measure) for judge in judges if len(pairs) <= _SAID]
    said.append(_meaning(study))
    said += [Sentence("skipped", f"{reason}.") for reason in study.skipped]
    return [*said, REST]


def _rows(study: rs.CircularityStudy, judge: str, measure: str) -> list[JudgeUse]:
    return [use for use in study.uses if (use.judge, use.measure) == (judge, measure)]


def _parts(
    study: rs.CircularityStudy, judge: str, measure: str
) -> tuple[JudgeUse, JudgeUse, JudgeUse, list[SystemUse], Entrant]:
    """Nobody, all and one at a time with the least noise; every system alone; and the judge as a system."""
    rows = _rows(study, judge, measure)
    by_users = {use.users: use for use in reversed(rows)}
    alone = [own for own in study.by_system if (own.judge, own.measure) == (judge, measure)]
    entrant = next(own for own in study.entrants if (own.judge, own.measure) == (judge, measure))
    return by_users["nobody"], by_users["all"], by_users["one at a time"], alone, entrant


def _first_alone(alone: list[SystemUse]) -> int:
    return sum(own.judge_rank_using == 1.0 for own in alone)


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def _sentences(study: rs.CircularityStudy, judge: str, measure: str) -> list[Block]:
    nobody, every, _, alone, entrant = _parts(study, judge, measure)
    name, truth = label(judge), label(study.truth)
    some = f" and {percent(every.noise)} of the labels were random" if every.noise else ""
    per = every.judge_gain / every.true_gain if every.true_gain > 0.0 and every.judge_gain > 0.0 else None
    rate = "" if per is None else f", {decimals(per, 1)} points by {name} for each by {truth}"
    inside = next("" if i is None else f" ({interval_text(i, number='three')})" for i in (every.inflation_interval,))
    gain = (
        f"{name}, {measure}: if all systems used it{some}, their mean score would change by "
        f"{decimals(every.judge_gain, sign=True)} by {name} and by {decimals(every.true_gain, sign=True)} by {truth}"
        f"{rate}; the inflation is {decimals(every.inflation, sign=True)}{inside}."
    )
    numbers = {"judge": every.judge_gain, "truth": every.true_gain, "per": per, "inflation": every.inflation}
    said: list[Block] = [Sentence("gain", gain, numbers)]
    first = study.coefficients[0]
    taus = nobody.agreements[first], every.agreements[first]
    text = f"{symbol(first)} of the two rankings would go from {two(taus[0])} to {two(taus[1])}"
    if nobody.worth is not None and every.worth is not None:
        text += f", the worth of a topic from {worth_number(nobody.worth)} to {worth_number(every.worth)}"
    said.append(Sentence("ranking", f"{text}.", {"before": taus[0], "after": taus[1]}))
    best = _first_alone(alone)
    ranks = _mean([own.true_rank for own in alone]), _mean([own.true_rank_using for own in alone])
    by_judge = _mean([own.judge_rank_using for own in alone])
    said.append(
        Sentence(
            "alone",
            f"A system that alone used it would be first by {name} in {best} of {len(alone)} cases; its mean rank "
            f"would be {decimals(by_judge, 1)} by {name} and {decimals(ranks[1], 1)} by {truth} (as it is: "
            f"{decimals(ranks[0], 1)}).",
            {"first": best, "systems": len(alone), "judge": by_judge, "truth": ranks[1], "before": ranks[0]},
        )
    )
    said.append(
        Sentence(
            "entrant",
            f"{name} as a system, ranking the {counted(entrant.documents, 'document')} that it labelled: rank "
            f"{entrant.judge_rank:g} by {name}, and {entrant.true_rank:g} of {study.systems + 1} by {truth} (score "
            f"{decimals(entrant.true_score)}, the best system's {decimals(entrant.best_score)}).",
            {"documents": entrant.documents, "judge": entrant.judge_rank, "truth": entrant.true_rank},
        )
    )
    return said


def _by_judge(study: rs.CircularityStudy, judges: list[str], measure: str) -> TextTable:
    first = study.coefficients[0]
    rows = []
    for judge in judges:
        nobody, every, one, alone, entrant = _parts(study, judge, measure)
        rows.append(
            [
                label(judge),
                decimals(every.judge_gain, sign=True),
                decimals(every.true_gain, sign=True),
                two(nobody.agreements[first]),
                two(every.agreements[first]),
                two(one.agreements[first]),
                f"{_first_alone(alone)} of {len(alone)}",
                decimals(_mean([own.true_rank_using for own in alone]), 1),
                f"{entrant.true_rank:g}",
            ]
        )
    tau, truth = symbol(first), label(study.truth, 12)
    gains = ("gain by judge", f"by {truth}")
    columns = (
        "judge",
        *gains,
        f"{tau} now",
        "all use it",
        "one uses it",
        "first alone",
        f"rank by {truth}",
        "as a system",
    )
    return text_table(columns, rows, right=columns[1:], title=f"{measure}: if systems used the judge")


def _by_noise(study: rs.CircularityStudy, judge: str, measure: str) -> TextTable:
    shown = study.coefficients[:2]
    rows = [
        [
            use.users if use.group is None else label(use.group),
            "" if use.users == "nobody" else percent(use.noise),
            decimals(use.judge_gain, sign=True),
            decimals(use.true_gain, sign=True),
            decimals(use.inflation, sign=True),
            *(two(use.agreements[name]) for name in shown),
            worth_number(use.worth),
            decimals(use.winner_rank, 1),
        ]
        for use in _rows(study, judge, measure)
    ]
    names = ("noise", "gain by judge", f"by {label(study.truth, 12)}", "inflation", *map(symbol, shown), "worth")
    columns = ("who uses it", *names, "rank of its best")
    return text_table(columns, rows, right=columns[1:], title=f"{label(judge)}, {measure}: by users and noise")


def _meaning(study: rs.CircularityStudy) -> Sentence:
    shares = [study.labelled[judge] for judge in study.judges]
    low, high = percent(min(shares)), percent(max(shares))
    share = low if low == high else f"{low} to {high}"
    text = (
        f"{share} of the documents in the re-sorted tops have a label; the others count as grade 0, and equal labels "
        "keep the run's order. Noise: the share of labels replaced by random ones of the topic."
    )
    return Sentence("labelled", text, {"least": min(shares), "most": max(shares)})


def repeats(study: rs.RepeatsStudy) -> list[Block]:
    """What is said of a judge that was asked again."""
    said: list[Block] = [Heading("How much does a judge vary when it is asked again?")]
    for own in study.judged:
        said += [*variation(own), repeat_counts(own, study.truth, study.coefficient)]
    return [*said, *repeat_notes(study.judged), REST]


def repeat_notes(judged: Sequence[RepeatedJudge]) -> list[Sentence]:
    """What the columns of the tables of repeats are, and what their p-values test."""
    text = (
        "Error: the standard error of the difference between two systems' means. More topics: the same with as many "
        "labels spent on more topics, each asked about once."
    )
    said = [Sentence("error", text)]
    hypothesis = "p: the permutation test of the hypothesis that repeats differ by chance alone on every topic."
    if any(own.pvalue is not None for own in judged):
        said.append(Sentence("hypothesis", hypothesis))
    return said


def worthwhile(own: RepeatedJudge) -> list[Sentence]:
    """The share of the error that is the repeats', and how many repeats would do."""
    once, many = own.by_repeats + own.by_both.variance / own.topics, own.by_topics.variance / own.topics
    if not once + many > 0.0:
        return []
    k = len(own.repeats)
    share = (once / k) / (once / k + many)
    alone = once / (once + many)
    text = (
        f"Repeats make {percent(alone)} of the error variance of {label(own.judge)} asked once, and {percent(share)} "
        f"of that of the mean of {k}"
    )
    numbers: dict[str, Any] = {"alone": alone, "share": share, "repeats": k}
    enough = math.ceil(once / many / _SMALL * (1.0 - _SMALL)) if many > 0.0 else None
    if enough is None:
        text += "; topics make none"
    elif enough <= 1:
        text += f"; once is enough to keep it below {percent(_SMALL)}"
    else:
        text += f"; {enough:,} repeats would keep it below {percent(_SMALL)}"
        numbers["enough"] = enough
    return [Sentence("worthwhile", f"{text}.", numbers)]


def variation(own: RepeatedJudge) -> list[Sentence]:
    """How much repeats vary: topic by topic, on all topics, and in their rankings and labels."""
    name = f"{label(own.judge)}, {own.measure}"
    size = f"{counted(len(own.repeats), 'repeat')}, {counted(own.systems, 'system')}, {counted(own.topics, 'topic')}"
    if own.share is None:
        said = [Sentence("share", f"{name} ({size}): all systems score alike on every topic.")]
    else:
        inside = "" if own.share_interval is None else f" ({_share_ends(own.share_interval)})"
        text = (
            f"{name} ({size}): {percent(own.share)}{inside} of the topic sampling error of one repeat differs from "
            "repeat to repeat, and is less in the mean of several."
        )
        said = [Sentence("share", text, {"share": own.share})]
    if own.pvalue is not None:
        differ = own.pvalue <= ALPHA
        text = (
            f"Repeats differ by more than chance (p {p_value(own.pvalue)}): they favour some systems on all topics, "
            "which no number of topics removes."
            if differ
            else f"No sign that repeats favour systems on all topics (p {p_value(own.pvalue)})."
        )
        said.append(Sentence("systematic", text, {"p": own.pvalue}))
    taus = [pair.tau for pair in own.pairs if pair.tau is not None]
    flipped, equal = own.mean("flipped"), own.mean("equal")
    text = f"Two repeats: τ_b {two(own.mean('tau'))} on average (least {two(min(taus, default=None))})"
    text += f", {percent(flipped or 0.0)} of the pairs of systems in opposite order"
    if equal is not None:
        text += f"; labels equal in {percent(equal)}, κ {two(own.mean('kappa'))}, α {two(own.mean('alpha'))} (ordinal)"
    said.append(Sentence("stability", f"{text}.", {"tau": own.mean("tau"), "flipped": flipped, "equal": equal}))
    return said


def _share_ends(interval: Interval) -> str:
    return f"{percent(interval.level)} interval {percent(interval.low)} to {percent(interval.high)}"


def repeat_counts(own: RepeatedJudge, truth: str | None, coefficient: str) -> TextTable:
    """What the mean of several repeats is good for, by their number."""
    errors = [count.error for count in own.counts]
    digits = score_digits(errors)
    columns = ["repeats", "error", "more topics", "as one repeat of topics"]
    if truth is not None:
        columns += ["worth", "expected τ", f"{symbol(coefficient)} with {label(truth, 12)}"]
    rows = [
        [
            f"{count.repeats:,}",
            decimals(count.error, digits),
            decimals(count.more_topics, digits),
            "–" if count.equal_topics is None else f"{count.equal_topics:,.0f}",
            worth_number(count.worth),
            two(count.expected_tau),
            two(count.agreement),
        ][: len(columns)]
        for count in own.counts
    ]
    title = f"{label(own.judge)}, {own.measure}: the mean of several repeats"
    return text_table(columns, rows, right=columns, title=title)


def profiles(study: rs.ProfilesStudy) -> list[Block]:
    """What is said of systems that succeed where the others do not."""
    size = f"{counted(study.systems, 'system')}, {counted(study.topics, 'topic')}"
    under = "" if study.measure is None else f", {study.measure}"
    said: list[Block] = [Heading(f"Does a system succeed where the others do? {size}{under}")]
    first = study.profiles[0]
    if first.correlation is None:
        return [*said, Sentence("lowest", "No system has scores that differ between topics as the others' do.")]
    inside = "" if first.interval is None else f" ({interval_text(first.interval)})"
    text = (
        f"{label(first.system)}, rank {first.rank:g}, follows the other systems least: its scores by topic correlate "
        f"with their mean with r = {two(first.correlation)}{inside}; the median is {two(study.median)}."
    )
    said.append(Sentence("lowest", text, {"r": first.correlation, "median": study.median, "rank": first.rank}))
    tested = [own for own in study.profiles if own.adjusted is not None]
    if tested:
        follow = sum((own.adjusted or 0.0) <= ALPHA for own in tested)
        text = (
            f"{follow} of {counted(len(tested), 'system')} follow the others significantly. p: the permutation test of "
            "the hypothesis that a system's scores are unrelated to those of the others (largest correlation of all)."
        )
        said.append(Sentence("tested", text, {"follow": follow, "systems": len(tested)}))
    without = [own for own in study.profiles if own.correlation is None]
    if without:
        text = f"{counted(len(without), 'system')} without a correlation: the same score on all topics."
        said.append(Sentence("constant", text, {"systems": len(without)}))
    digits = score_digits([own.score for own in study.profiles])
    shown = [own for own in study.profiles if own.correlation is not None][:_LOWEST]
    rows = [
        [
            label(own.system),
            two(own.correlation),
            "" if own.interval is None else number_range(own.interval.low, own.interval.high, 2),
            decimals(own.score, digits),
            f"{own.rank:g}",
            *([p_cell(own.adjusted)] if tested else []),
        ]
        for own in shown
    ]
    columns = ("system", "r with the others", "interval", "score", "rank", *(["p"] if tested else []))
    said.append(text_table(columns, rows, right=columns[1:], title=f"The {len(shown)} lowest"))
    return [*said, REST]
