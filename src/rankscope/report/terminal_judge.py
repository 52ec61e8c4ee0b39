"""The answer of `judge` as text: the verdicts in words, then numbers, then where to look further."""

from __future__ import annotations

from rankscope.report.bars import worth_axis, worth_bar
from rankscope.report.blocks import REST, Block, Heading, Sentence, text_table
from rankscope.report.next_steps import TITLE, next_sentences
from rankscope.report.numbers import DASH, counted, decimals, p_cell, p_value, percent, two, worth_number
from rankscope.report.sentences import (
    claim,
    cluster_sentences,
    comparison_sentences,
    judge_sentences,
    reason_rows,
    verdict_headline,
    verdict_sentences,
)
from rankscope.report.terminal_compare import (
    by_topic_blocks,
    cluster_blocks,
    cluster_names,
    decisiveness_blocks,
    group_table,
)
from rankscope.report.terminal_judge_studies import repeat_counts, repeat_notes, variation, worthwhile
from rankscope.report.terminal_ranks import set_text
from rankscope.report.text_tables import TextTable
from rankscope.report.theme import label
from rankscope.studies.clusters import most_favoured
from rankscope.studies.judging.answers import JudgeAnswer, JudgeReport

_DOUBTFUL_SHOWN = 5
# With more answers than this only the claims and tables are shown, not each answer's details.
_DETAILED = 2
_SIGNS = {True: "✓", False: "✗", None: "·"}
# What the verdict, the tables or the notes say already.
_SAID = ("undefined", "no interval", "random labels", "random relevance", "best systems", "labels", "remark")


def judge_blocks(report: JudgeReport) -> list[Block]:
    """What is said of the report, from top to bottom."""
    detailed = len(report.answers) <= _DETAILED
    said: list[Block] = [Heading(question(report))]
    for answer in report.answers:
        said += _answer(answer, full=detailed)
    if len(report.measures) > 1:
        said.append(_levels(report))
    compared = [measure for measure in report.measures if any(a.measure == measure for a in report.answers)]
    said += [_table(report, measure) for measure in compared]
    if len(report.judges) > 1:
        best = {measure: best_sentence(report, measure) for measure in report.measures}
        said += [Sentence("best judge", text, {"measure": measure}) for measure, text in best.items() if text]
    if detailed:
        for answer in report.answers:
            said += _details(report, answer)
    if len(report.answers) > 1:
        said += _clusters(report)
    varying = [answer.repeats for answer in report.answers if answer.repeats is not None]
    if varying and not detailed:
        said.append(Heading("Judges that were asked several times"))
        said += [sentence for own in varying for sentence in (*variation(own)[:2], *worthwhile(own))]
    said += _next(report)
    said += [Sentence("skipped", f"Skipped: {skipped}.", {"judge": skipped.judge}) for skipped in report.skipped]
    said.append(_labels(report))
    if len(report.judges) > 1:
        said += [_places(report, measure) for measure in compared]
    said += [Sentence("remark", f"Note: {remark}.") for remark in report.remarks]
    more = "" if detailed else "Reasons, groups and pairs of one judge: name it alone. "
    return [*said, f"{more}{REST}"]


def _clusters(report: JudgeReport) -> list[Block]:
    """What each judge moves together under each measure, where it was asked for, and the cluster it favours most."""
    sought = [answer for answer in report.answers if answer.agreement.clusters is not None]
    favours = dict(
        zip(map(id, sought), most_favoured([answer.agreement.clusters or () for answer in sought]), strict=True)
    )
    said: list[Block] = []
    for answer in report.answers:
        for sentence in cluster_sentences(answer.agreement):
            text, numbers, most = sentence.text, dict(sentence.numbers), favours.get(id(answer))
            if most is not None:
                cluster, p = most
                advantage = cluster.shift.advantage or 0.0
                if p <= report.settings["alpha"]:
                    what = f"It {'favours' if advantage > 0.0 else 'is against'} {cluster_names(cluster)}"
                    text += f" {what} ({decimals(advantage, sign=True)}, p {p_value(p)})."
                else:
                    text += f" None is significantly favoured or disfavoured (smallest p {p_value(p)})."
                numbers |= {"advantage": advantage, "p": p}
            said.append(Sentence(sentence.kind, f"• {answer.measure}: {text}", numbers))
    tested = f" (smallest p of a favour, by Holm over {counted(len(sought), 'answer')})" if sought else ""
    return [Heading(f"Systems that move together{tested}"), *said] if said else []


def _next(report: JudgeReport) -> list[Block]:
    """What to do with the judges that alone will not do; of many answers, under the measure of their lowest level."""
    detailed = len(report.answers) <= _DETAILED
    chosen = report.answers if detailed else [report.answer(level.judge, level.measure) for level in report.levels]
    said: list[Block] = []
    for answer in chosen:
        own = next_sentences(report, answer)[: None if detailed else 1]
        if own:
            text = " ".join(sentence.text for sentence in own)
            numbers = {key: value for sentence in own for key, value in sentence.numbers.items()}
            said.append(Sentence("next", f"• {label(answer.judge)} ({answer.measure}). {text}", numbers))
    if not said:
        return []
    more = [] if detailed else ["Both together, where the judge labels more topics: rankscope correct."]
    return [Heading(TITLE), *said, *more]


def question(report: JudgeReport) -> str:
    """What is asked."""
    what = label(report.judges[0]) if len(report.judges) == 1 else f"these {len(report.judges)} judges"
    systems, topics = counted(len(report.systems), "system"), counted(len(report.topics), "topic")
    return f"Can {what} rank {systems} on {topics} instead of {label(report.truth)}?"


def _answer(answer: JudgeAnswer, *, full: bool) -> list[Sentence]:
    verdict = answer.verdict
    said = claim(verdict) if full else verdict_headline(verdict)
    text = f"• {verdict.level.upper()} ({answer.measure}). {said}"
    first = Sentence("claim", text, {"level": verdict.level, "measure": answer.measure})
    return [first, *(verdict_sentences(verdict)[1:] if full else ())]


def _levels(report: JudgeReport) -> Sentence:
    """Each judge over all measures."""
    levels = "; ".join(
        f"{label(level.judge)} {level.level} (by {level.measure}"
        f"{', skipped under ' + ' and '.join(level.skipped) if level.skipped else ''})"
        for level in report.levels
    )
    numbers = {level.judge: level.level for level in report.levels}
    return Sentence("levels", f"Over all measures the lowest level counts: {levels}.", numbers)


def best_sentence(report: JudgeReport, measure: str) -> str:
    """The best judge under a measure, with what choosing it costs."""
    best = next((best for best in report.best if best.measure == measure), None)
    if best is None:
        return ""
    compared = sum(answer.measure == measure for answer in report.answers)
    return (
        f"{measure}: {label(best.judge)} has the highest worth ({worth_number(best.worth)}). As the best of "
        f"{compared} it is proven to be: {best.level} ({percent(best.confidence)} bounds)."
    )


def _table(report: JudgeReport, measure: str) -> TextTable:
    answers = [a for a in report.answers if a.measure == measure]
    numbers = ("expected τ", "τ_b", "τ_AP,b", f"τ_b, top {report.settings['top']}", "τ_b, random labels")
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
                decimals(tau.value),
                decimals(a.agreement.value("tau_ap_b")),
                DASH if a.top is None else decimals(a.top.value("tau_b")),
                DASH if a.chance is None else decimals(a.chance["tau_b"].mean),
            ]
        )
    human = next((a.verdict.worth.tau_human for a in answers if a.verdict.worth is not None), None)
    rows.append([report.truth, "", "1", worth_bar(1.0, None, None), "", two(human), "", "", "", ""])
    return text_table(
        columns,
        rows,
        right=("worth", *numbers),
        title=f"{measure}: worth of a topic, expected τ with the true ranking, agreement with {label(report.truth)}",
        spare=(worth_axis(), *numbers[:1:-1]),
    )


def _details(report: JudgeReport, answer: JudgeAnswer) -> list[Block]:
    judge, truth = label(answer.judge, 20), label(report.truth, 20)
    reasons = [[_SIGNS[holds], asked, number] for holds, asked, number in reason_rows(answer.verdict)]
    said: list[Block] = [Heading(f"{label(answer.judge)} under {answer.measure}")]
    said.append(text_table(("", "condition", "value"), reasons))
    sentences = [*comparison_sentences(answer.agreement, report.truth), *judge_sentences(report, answer)]
    said += [sentence for sentence in sentences if sentence.kind not in _SAID]
    said += by_topic_blocks(answer.agreement.by_topic) if answer.agreement.by_topic else []
    if answer.agreement.decisiveness is not None:
        said += decisiveness_blocks(report.truth, answer.judge, answer.agreement.decisiveness)
    if answer.repeats is not None:
        said += [*variation(answer.repeats), *worthwhile(answer.repeats)]
        said.append(repeat_counts(answer.repeats, report.truth, "tau_b"))
        said += repeat_notes([answer.repeats])
    if answer.ranks is not None:
        ranks = answer.ranks
        may = {True: "yes", False: "no"}
        rows = [
            [
                system,
                set_text(own),
                set_text(other),
                *(may[system in side.may_be_best] for side in (ranks.truth, ranks.judge)),
            ]
            for system, own, other in zip(ranks.systems, ranks.truth.sets, ranks.judge.sets, strict=True)
        ]
        columns = ("system", f"ranks, {truth}", f"ranks, {judge}", f"may be best, {truth}", f"may be best, {judge}")
        title = f"The top {len(ranks.systems)} by {truth}: typical ranks ({percent(ranks.level)}) among all systems"
        said.append(text_table(columns, rows, title=title))
    certainty = answer.agreement.certainty
    if certainty is not None and certainty.doubtful:
        rows = [
            [d.preferred, d.other, decimals(d.judge_gap, 4), decimals(d.truth_gap, 4), p_cell(d.truth_pvalue)]
            for d in certainty.doubtful[:_DOUBTFUL_SHOWN]
        ]
        columns = (f"{judge} prefers", "to", f"gap, {judge}", f"gap, {truth}", f"p, {truth}")
        title = f"Significantly different by {judge}, against {truth} or without it"
        said.append(text_table(columns, rows, right=columns[2:], title=title))
    if answer.shift.groups:
        said.append(group_table(answer.shift.groups, truth))
    return [*said, *cluster_blocks(answer.agreement, truth)]


def _labels(report: JudgeReport) -> TextTable:
    shown = ("kappa", "kappa_quadratic", "kappa_binary", "alpha_ordinal")
    rows = []
    for judge, labels in report.labels.items():
        values = [decimals(labels.value(name)) for name in shown]
        rows.append([judge, f"{labels.coverage.pairs:,}", *values, percent(labels.coverage.share)])
    columns = ("judge", "pairs", "κ", "κ quadratic", "κ binary", "α ordinal", "covered")
    return text_table(columns, rows, right=columns[1:], title="Agreement of labels")


def _places(report: JudgeReport, measure: str) -> TextTable:
    rows = [
        [str(p.place), p.judge, decimals(p.tau), ", ".join(p.beats) or DASH]
        for p in report.places
        if p.measure == measure
    ]
    title = f"{measure}: judges by τ_b, and those whose τ_b is significantly lower (paired topic bootstrap, Holm)"
    return text_table(("place", "judge", "τ_b", "significantly above"), rows, right=("place", "τ_b"), title=title)
