"""What is said of judges' labels: a sentence for each judge, then tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankscope.report.blocks import REST, Block, Heading, Sentence, data_table, text_table
from rankscope.report.numbers import DASH, counted, decimals, number_range, p_cell, percent, two
from rankscope.report.remarks import remark_sentences
from rankscope.report.text_tables import TextTable
from rankscope.report.theme import label

if TYPE_CHECKING:
    from rankscope.inference.labels.results import LabelAgreement
    from rankscope.studies.labels import LabelReport

# With more judges than this, their confusion matrices and every two of them are left to charts and files.
_DETAILED = 2
_MATRIX = 8
# The other statistics of the table, with their columns.
_COLUMNS = {
    "kappa": "κ",
    "kappa_quadratic": "κ quadratic",
    "kappa_binary": "κ binary",
    "alpha_ordinal": "α ordinal",
    "ac1": "AC1",
    "equal": "equal",
    "auc": "AUC",
    "spearman": "ρ",
}


def label_blocks(report: LabelReport) -> list[Block]:
    """What is said of the report, from top to bottom."""
    order = sorted(report.judges, key=lambda judge: -_value(report[judge], report.statistic))
    said: list[Block] = [Heading(_question(report), _over(report))]
    said += [_sentence(report, judge) for judge in order]
    said.append(_table(report, order))
    if len(order) > 1:
        said.append(_places(report, order))
    if len(order) <= _DETAILED:
        for judge in order:
            confusion = report[judge].confusion_table()
            if confusion.rows and len(confusion.rows) <= _MATRIX:
                said.append(data_table(confusion, title=f"Labels of {label(report.truth)} (rows) by {label(judge)}"))
    if any(best.level is not None for best in report.levels):
        said.append(_levels(report, order))
    elif report.levels:
        cut = f"From grade {report.settings['truth_rel']:g} on"
        text = f"{cut}, every item or no item is relevant to {label(report.truth)}; --rel chooses another grade."
        said.append(Sentence("level", text, {"rel": report.settings["truth_rel"]}))
    said += remark_sentences(report.remarks)
    return [*said, REST]


def _value(agreement: LabelAgreement, name: str) -> float:
    value = agreement.value(name)
    return -2.0 if value is None else value


def _question(report: LabelReport) -> str:
    what = label(report.judges[0]) if len(report.judges) == 1 else f"{len(report.judges)} judges"
    return f"Labels of {what} against {label(report.truth)}"


def _over(report: LabelReport) -> str:
    covered = [agreement.coverage for agreement in report.agreements.values()]
    items, topics = max(c.pairs for c in covered), max(c.topics for c in covered)
    most = "" if len({c.pairs for c in covered}) == 1 else "up to "
    return f"{most}{counted(items, 'item')}" + ("" if report.settings["by_item"] else f" on {counted(topics, 'topic')}")


def _sentence(report: LabelReport, judge: str) -> Sentence:
    """What the judge's labels are worth, in one sentence or two."""
    agreement, truth = report[judge], label(report.truth)
    main = agreement[report.statistic]
    if main.value is None:
        text = f"• {label(judge)}: {main.symbol} is not defined: {main.reason}."
        return Sentence("agreement", text, {"judge": judge, "value": None})
    chance = 0.5 if main.name == "auc" else 0.0
    interval = main.interval
    if interval is None:
        claim = "no interval, so that chance cannot be ruled out"
    else:
        ends = f"{percent(interval.level)} interval {number_range(interval.low, interval.high, 2)}"
        if main.name == "equal":
            claim = ends
        elif interval.low > chance:
            claim = f"{ends}; agrees with {truth} beyond chance"
        elif interval.high < chance:
            claim = f"{ends}; contradicts {truth}"
        else:
            claim = f"{ends}; no agreement with {truth} beyond chance is shown"
    parts = [f"• {label(judge)}: {main.symbol} {two(main.value)} ({claim})."]
    equal, bias = agreement.value("equal"), _bias(agreement, truth)
    if equal is not None:
        parts.append(f"{percent(equal)} of the labels are equal{bias}.")
    elif bias:
        parts.append(f"The judge{bias.removeprefix(', and the judge')}.")
    return Sentence("agreement", " ".join(parts), {"judge": judge, "value": main.value, "equal": equal})


def _bias(agreement: LabelAgreement, truth: str) -> str:
    """Whether the judge is lenient, by the share that it calls relevant or by its grades; empty for words."""
    binary = agreement.binary
    if binary is None:
        return ""
    relevant, others = binary.both + binary.truth_only, binary.judge_only + binary.neither
    by_share = bool(relevant and others)
    difference = agreement["relevant_difference" if by_share else "mean_difference"]
    interval = difference.interval
    if interval is None or interval.low <= 0.0 <= interval.high:
        how = "is neither lenient nor strict for certain"
    else:
        how = "is lenient" if (difference.value or 0.0) > 0.0 else "is strict"
    if by_share:
        n = relevant + others
        shares = [percent((binary.both + count) / n) for count in (binary.judge_only, binary.truth_only)]
        return f", and the judge {how}: {shares[0]} relevant, {shares[1]} by {truth}"
    grades = f"its grades differ by {decimals(difference.value, 2, sign=True)} on average"
    return f", and the judge {how}: {grades}"


def _table(report: LabelReport, order: list[str]) -> TextTable:
    main = report.statistic
    first = report[order[0]][main].symbol
    others = [name for name in _COLUMNS if name != main and any(report[j].value(name) is not None for j in order)]
    graded = any(report[judge].value("mean_difference") is not None for judge in order)
    columns = ["judge", "items", "covered", first, "interval", *(_COLUMNS[name] for name in others)]
    columns += ["mean diff."] if graded else []
    rows = []
    for judge in order:
        agreement = report[judge]
        value = agreement[main]
        ends = "" if value.interval is None else number_range(value.interval.low, value.interval.high, 2)
        row = [judge, f"{agreement.coverage.pairs:,}", percent(agreement.coverage.share), decimals(value.value), ends]
        row += [decimals(agreement.value(name)) for name in others]
        rows.append([*row, decimals(agreement.value("mean_difference"), 2, sign=True)] if graded else row)
    right = [column for column in columns if column not in ("judge", "interval")]
    spare = ("covered", "AC1", "ρ", "α ordinal", "κ quadratic", "items")
    return text_table(columns, rows, right=right, title=f"Agreement with {label(report.truth)}", spare=spare)


def _places(report: LabelReport, order: list[str]) -> TextTable:
    """Judges by the statistic, and those that are significantly below each."""
    symbol = report[order[0]][report.statistic].symbol
    rows = []
    for place, judge in enumerate(order, 1):
        nearest = next(
            (c for c in report.contrasts if place < len(order) and {c.first, c.second} == {judge, order[place]}), None
        )
        p = DASH if nearest is None else p_cell(nearest.adjusted)
        below = ", ".join(report.beaten_by(judge)) or DASH
        rows.append([str(place), judge, decimals(report[judge].value(report.statistic)), p, below])
    title = (
        f"Judges by {symbol}, the p of the difference from the next, and those with significantly lower {symbol} "
        f"(paired bootstrap over {report[order[0]].unit}s, Holm, 5 %)"
    )
    return text_table(
        ("place", "judge", symbol, "p, next", "significantly above"),
        rows,
        right=("place", symbol, "p, next"),
        title=title,
    )


def _levels(report: LabelReport, order: list[str]) -> TextTable:
    by_judge = {level.judge: level for level in report.levels}
    rels = report.settings["judge_rel"]
    rows = []
    for judge in order:
        best = by_judge[judge]
        ends = "" if best.interval is None else number_range(best.interval.low, best.interval.high, 2)
        rows.append(
            [
                judge,
                f"{rels[judge]:g}",
                decimals(report[judge].value("kappa_binary")),
                DASH if best.level is None else f"{best.level:g}",
                decimals(best.cross_validated),
                ends,
            ]
        )
    rel = f"{report.settings['truth_rel']:g}"
    folds = max((level.folds for level in report.levels), default=0)
    title = (
        f"Relevant or not, {label(report.truth)} from grade {rel} on: each judge's level, and the level that agrees "
        f"best, scored on {report[order[0]].unit}s it was not chosen on ({folds} parts)"
    )
    columns = ("judge", "level", "κ binary", "best level", f"κ, other {report[order[0]].unit}s", "interval")
    return text_table(columns, rows, right=columns[1:5], title=title)
