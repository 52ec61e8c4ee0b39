"""The page of `judge`: the page of a comparison, a view per judge and measure, plus what only labels can tell."""

from __future__ import annotations

from dataclasses import replace

from rankscope.inference.labels.results import LabelAgreement
from rankscope.inference.labels.statistics import STATISTICS
from rankscope.report.charts.correction import board_ranks
from rankscope.report.charts.judge_studies import repeats, variance
from rankscope.report.charts.labels import confusion_panel, topics_panel
from rankscope.report.charts.shift import shift_panel
from rankscope.report.charts.sides import Sides
from rankscope.report.next_steps import TITLE, correction_of, next_sentences
from rankscope.report.numbers import DASH, counted, percent
from rankscope.report.page_compare import (
    TIES,
    answer_line,
    comparison_sections,
    comparison_view,
    ends,
    group_table,
    page_sides,
    texts_of,
)
from rankscope.report.page_method import comparison_methods, provenance
from rankscope.report.page_model import (
    NAME,
    AnswerLine,
    Column,
    Figure,
    Method,
    Page,
    PageTable,
    Place,
    Section,
    Tabs,
    View,
)
from rankscope.report.sentences import judge_sentences
from rankscope.report.terminal_judge import best_sentence, question
from rankscope.report.terminal_judge_studies import repeat_notes, variation, worthwhile
from rankscope.report.theme import label
from rankscope.studies.comparison_result import EstimateComparison
from rankscope.studies.judging.answers import JudgeAnswer, JudgeReport
from rankscope.studies.judging.scales import Skipped
from rankscope.studies.repeats import RepeatsStudy

_RANDOM = (
    "The judge's own labels assigned at random to the judged documents of each topic, {draws:,} times; systems are "
    "scored by them. The p-value counts the draws whose means covary with the truth's at least as much as the judge's "
    "do. A claim must also hold for the scores beyond those that random labels are expected to give."
)
_GROUPS = (
    "By topic and system, the judge's score on the truth's scale minus the truth's; the group's mean minus that of the "
    "other systems. A group counts as favoured where both the t-test over topics (Holm) and the permutation of groups "
    "over systems (largest difference over groups) have a small p-value."
)


def judge_page(report: JudgeReport) -> Page:
    """The page of `judge`: a view per judge and measure."""
    systems, topics = counted(len(report.systems), "system"), counted(len(report.topics), "topic")
    compared = [answer.agreement for answer in report.answers]
    missing = "a judged topic without documents of a system scores 0; unjudged documents as each measure says"
    facts = [
        ("Truth", report.truth),
        ("Judges", ", ".join(report.judges)),
        ("Measures", ", ".join(report.measures)),
        ("Systems and topics", f"{systems}, {topics}"),
        TIES,
        ("Missing", missing),
    ]
    by_group = " by group" if any(answer.shift.groups for answer in report.answers) else ""
    why = (
        Place("shift", f"Shift of scores{by_group}"),
        Place("topics", "Agreement of labels by topic"),
        Place("confusion", "Which labels are confused with which", fixed=True),
    )
    return Page(
        title=question(report),
        lead=f"{systems} on {topics}, by {' and '.join(report.measures)}.",
        tabs=(Tabs("judge", "Judge", report.judges), Tabs("measure", "Measure", report.measures)),
        sections=comparison_sections(
            "Better than random labels?",
            (
                Section("why", "Why? Topics, groups, labels", why),
                *([_REPEATS] if any(answer.repeats is not None for answer in report.answers) else []),
                Section("next", TITLE, (Place("corrected", "Both together, and each alone", wide=True),)),
            ),
        ),
        views=(
            *(_view(report, answer, sides) for answer, sides in zip(report.answers, page_sides(report), strict=True)),
            *(_skipped_view(report, skipped) for skipped in report.skipped),
        ),
        systems=tuple(label(name, NAME) for name in report.systems),
        answers=_lines(report),
        remarks=(*(f"skipped: {skipped}" for skipped in report.skipped), *map(str, report.remarks)),
        methods=(
            *comparison_methods(compared, report.measures, report.settings["resamples"]),
            *_methods(report),
        ),
        provenance=provenance(report, facts),
    )


def _lines(report: JudgeReport) -> tuple[AnswerLine, ...]:
    """Every judge and measure in a line, those that were skipped too."""
    lines = []
    for judge in report.judges:
        for measure in report.measures:
            at, names = (report.judges.index(judge), report.measures.index(measure)), (judge, measure)
            skipped = [s for s in report.skipped if (s.judge, s.measure) == names]
            if skipped:
                line = AnswerLine(at, names, "skipped", DASH, "", None, DASH, _why(skipped[0]))
            else:
                line = answer_line(at, names, report.answer(judge, measure).agreement, report.truth)
            lines.append(line)
    return tuple(lines)


def _why(skipped: Skipped) -> str:
    """Why a judge is skipped, where its name and measure stand beside it."""
    text = str(skipped).removeprefix(f"{skipped.judge} under {skipped.measure}: ")
    return f"{text[0].upper()}{text[1:]}."


def _skipped_view(report: JudgeReport, skipped: Skipped) -> View:
    """What stands where a judge is not compared under a measure: why."""
    at = (report.judges.index(skipped.judge), report.measures.index(skipped.measure))
    return View(at=at, sentence=f"Skipped: {skipped}.")


def _view(report: JudgeReport, answer: JudgeAnswer, sides: Sides) -> View:
    at = (report.judges.index(answer.judge), report.measures.index(answer.measure))
    peers = [a.agreement for a in report.answers if a.measure == answer.measure]
    view = comparison_view(sides, report.truth, at, peers)
    said = judge_sentences(report, answer)
    texts = {
        **view.texts,
        "worth": [*view.texts["worth"], *filter(None, [best_sentence(report, answer.measure)])],
        "coefficients": texts_of(said, "random labels", "random relevance"),
        "top": [*view.texts["top"], *texts_of(said, "best systems", "rank sets")],
        "why": [*view.texts["topics"], *texts_of(said, "moves", "shift", "labels", "remark")],
        "next": [sentence.text for sentence in next_sentences(report, answer)],
        **_repeat_texts(answer),
    }
    labels = report.labels[answer.judge]
    shift = Figure(
        shift_panel(sides, answer.shift),
        f"How much higher {sides.estimate} scores each system than {sides.truth}, by the mean of the two. Dashed: the "
        "mean difference, and 1.96 standard deviations around it; line: the slope.",
        f"Shift of scores: {' '.join(texts_of(said, 'shift'))}",
    )
    return replace(
        view,
        texts=texts,
        figures={
            **view.figures,
            "shift": shift,
            **_label_figures(sides, labels, answer.agreement),
            **_corrected(report, answer),
            **_repeat_figures(report, answer),
        },
        tables={
            "verdicts": view.tables["verdicts"],
            **({"judges": _places(report, answer.measure)} if len(report.judges) > 1 else {}),
            **view.tables,
            **_rank_sets(answer, sides),
            "groups": group_table(answer.shift.groups, sides),
            **_label_tables(labels, answer.agreement),
            **_repeat_tables(answer, sides),
        },
    )


_REPEATS = Section(
    "repeats",
    "How much does the judge vary when it is asked again?",
    (Place("repeat_errors", "Error by number of repeats"), Place("repeat_variance", "The error of one repeat")),
)


def _repeat_texts(answer: JudgeAnswer) -> dict[str, list[str]]:
    own = answer.repeats
    if own is None:
        return {}
    return {"repeats": [sentence.text for sentence in (*variation(own), *worthwhile(own), *repeat_notes([own]))]}


def _repeat_figures(report: JudgeReport, answer: JudgeAnswer) -> dict[str, Figure]:
    """The error by number of repeats, and the parts of the error of one."""
    own = answer.repeats
    if own is None:
        return {}
    study = RepeatsStudy(judged=(own,), truth=report.truth, coefficient="tau_b", settings=report.settings)
    said = " ".join(sentence.text for sentence in worthwhile(own))
    errors = "The standard error of a difference by the mean of several repeats, or with as many labels on more topics."
    parts = "The error variance of a mean by one repeat: by topics, by repeats on all topics, and by both."
    return {
        "repeat_errors": Figure(repeats(study), errors, f"{errors} {said}"),
        "repeat_variance": Figure(variance(study), parts, f"{parts} {said}"),
    }


def _repeat_tables(answer: JudgeAnswer, sides: Sides) -> dict[str, PageTable]:
    own = answer.repeats
    if own is None:
        return {}
    counts = (
        Column("Repeats", lambda c: c.repeats, "count"),
        Column("Error of a difference", lambda c: c.error, "number", 4),
        Column("The same by more topics", lambda c: c.more_topics, "number", 4),
        Column("As one repeat of topics", lambda c: c.equal_topics, "number", 0),
        Column("Worth", lambda c: c.worth, "number", 2),
        Column("Expected τ", lambda c: c.expected_tau, "number", 2),
        Column(f"τ_b with {label(sides.truth, 20)}", lambda c: c.agreement, "number", 3),
    )
    pairs = (
        Column("Repeat", lambda p: p.first),
        Column("and", lambda p: p.second),
        Column("τ_b", lambda p: p.tau, "number", 3),
        Column("Pairs of systems in opposite order", lambda p: p.flipped, "share"),
        Column("Equal labels", lambda p: p.equal, "share"),
        Column("κ", lambda p: p.kappa, "number", 3),
        Column("α, ordinal", lambda p: p.alpha, "number", 3),
    )
    return {
        "repeats": PageTable("The mean of several repeats", own.counts, counts),
        "repeat_pairs": PageTable("Every two repeats", own.pairs, pairs),
    }


def _label_figures(sides: Sides, labels: LabelAgreement, e: EstimateComparison) -> dict[str, Figure]:
    figures = {
        "topics": Figure(
            topics_panel(labels, e.carriers),
            f"Each topic: agreement of labels, and how much higher the labels of {sides.estimate} are. Named: topics "
            "without which the rankings would agree better.",
            f"Agreement of labels on {len(labels.topics)} topics. The numbers are in the table of topics.",
        )
    }
    matrix = confusion_panel(labels)
    if matrix is not None:
        figures["confusion"] = Figure(
            matrix,
            f"Documents by both labels. The stronger the colour, the larger the share of the label by {sides.truth}.",
            f"Confusion matrix of {counted(labels.coverage.pairs, 'document')} labelled by {sides.truth} and by "
            f"{sides.estimate}.",
        )
    return figures


def _corrected(report: JudgeReport, answer: JudgeAnswer) -> dict[str, Figure]:
    """The leaderboard by people and the judge together, for a judge that alone will not do."""
    if answer.correction is None:
        return {}
    board, truth = answer.correction.leaderboard, label(report.truth)
    some, level = counted(board.human_topics, "topic"), percent(report.settings["level"])
    caption = (
        f"Ranks by {truth} on {some} and {label(answer.judge)} on {board.judged_topics} together, with {level} rank "
        "sets, beside the ranks by each alone."
    )
    if answer.correction.halves is not None:
        caption += f" The labels by {truth} on the other topics, drawn at random, were set aside."
    return {"corrected": Figure(board_ranks(correction_of(report, answer), board), caption, caption)}


def _places(report: JudgeReport, measure: str) -> PageTable:
    rows = [(p, report.answer(p.judge, measure)) for p in report.places if p.measure == measure]
    return PageTable(
        "Judges, the highest τ_b first",
        rows,
        (
            Column("Place", lambda r: r[0].place, "rank"),
            Column("Judge", lambda r: r[0].judge, "tab"),
            Column("τ_b", lambda r: r[0].tau, "number", 3),
            Column("Interval", lambda r: ends(r[1].agreement["tau_b"].interval), "interval", 3),
            Column("τ_AP,b", lambda r: r[1].agreement.value("tau_ap_b"), "number", 3),
            Column("τ_b at the top", lambda r: None if r[1].top is None else r[1].top.value("tau_b"), "number", 3),
            Column("Significantly above (paired bootstrap, Holm)", lambda r: ", ".join(r[0].beats) or DASH),
        ),
    )


def _rank_sets(answer: JudgeAnswer, sides: Sides) -> dict[str, PageTable]:
    ranks = answer.ranks
    if ranks is None:
        return {}
    truth, judge = label(sides.truth, 20), label(sides.estimate, 20)
    rows = list(zip(ranks.systems, ranks.truth.sets, ranks.judge.sets, strict=True))
    return {
        "rank_sets": PageTable(
            f"The top {len(rows)} by {truth}: typical ranks among all systems, and which may be best of these",
            rows,
            (
                Column("System", lambda r: r[0], "system"),
                Column(f"Ranks, {truth}", lambda r: (r[1].low, r[1].high), "interval", 0),
                Column(f"Ranks, {judge}", lambda r: (r[2].low, r[2].high), "interval", 0),
                Column(f"May be best, {truth}", lambda r: r[0] in ranks.truth.may_be_best, "yes"),
                Column(f"May be best, {judge}", lambda r: r[0] in ranks.judge.may_be_best, "yes"),
            ),
        )
    }


def _label_tables(labels: LabelAgreement, e: EstimateComparison) -> dict[str, PageTable]:
    changes = {carrier.topic: carrier.change for carrier in e.influence}
    return {
        "labels": PageTable(
            "Agreement of labels",
            labels.values,
            (
                Column("Statistic", lambda v: v.label),
                Column("Value", lambda v: v.value, "number", 3),
                Column("Interval", lambda v: ends(v.interval), "interval", 3),
                Column("Why it is undefined", lambda v: v.reason),
            ),
        ),
        "topics": PageTable(
            "Topics",
            labels.topics,
            (
                Column("Topic", lambda t: t.topic),
                Column("Documents", lambda t: t.pairs, "count"),
                Column("Equal labels", lambda t: t.equal, "share"),
                Column("κ", lambda t: t.kappa, "number", 3),
                Column("κ, relevant or not", lambda t: t.kappa_binary, "number", 3),
                Column("Mean difference", lambda t: t.mean_difference, "signed", 3),
                Column("τ_b rises without it by", lambda t: changes.get(t.topic), "number"),
            ),
        ),
    }


def _methods(report: JudgeReport) -> list[Method]:
    """A note on every method that only labels allow."""
    methods = []
    chance = next((a.chance for a in report.answers if a.chance is not None), None)
    if chance is not None:
        methods.append(Method("Random labels", _RANDOM.format(draws=chance.draws)))
    pseudo = next((a.pseudo for a in report.answers if a.pseudo is not None), None)
    if pseudo is not None:
        depth = report.settings["pool_depth"]
        text = f"Relevance drawn at random from the pool of depth {depth}, {pseudo.draws:,} times."
        methods.append(Method("Random relevance", text, "Soboroff et al. 2001"))
    text = "The judge's score of each system minus the truth's, against the mean of the two."
    methods.append(Method("Shift of scores", text, "Bland & Altman 1986"))
    if any(a.shift.groups for a in report.answers):
        methods.append(Method("Groups", _GROUPS, "Holm 1979"))
    if len(report.judges) > 1 and any(report.contrasts.values()):
        text = "Differences in τ_b between judges over the same draws of topics; p adjusted (Holm) over all pairs."
        methods.append(Method("Judges against each other", text, "Holm 1979"))
    shown = {value.name for labels in report.labels.values() for value in labels.values}
    for statistic in STATISTICS:
        if statistic.name in shown and statistic.name not in ("equal", "mean_difference"):
            methods.append(Method(f"{statistic.symbol}: {statistic.label}", "", statistic.reference))
    return methods
