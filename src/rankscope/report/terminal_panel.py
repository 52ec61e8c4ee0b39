"""The study of panels as text: judges and panels by worth, errors they share, and what each member adds."""

from __future__ import annotations

import rankscope as rs
from rankscope.report.bars import worth_axis, worth_bar
from rankscope.report.blocks import REST, Block, Heading, Sentence, text_table
from rankscope.report.numbers import counted, decimals, interval_text, worth_number
from rankscope.report.text_tables import TextTable
from rankscope.report.theme import label
from rankscope.studies.panel_study import Of, PanelAgreement

OF: dict[Of, str] = {
    "documents": "grades of documents",
    "scores": "scores of systems on topics",
    "systems": "mean scores of systems",
}


def panel(study: rs.PanelStudy) -> list[Block]:
    """What is said of a panel."""
    over = (
        f"{counted(len(study.judges), 'judge')}, {counted(study.systems, 'system')}, {counted(study.topics, 'topic')}, "
        f"truth: {label(study.truth)}"
    )
    said: list[Block] = [Heading("What does a panel of judges gain?", over)]
    for measure in study.measures:
        rows = [row for row in study.agreements if row.measure == measure]
        if rows:
            said += [_by_worth(rows, measure, study.truth), *_best(study, rows, measure)]
    if study.shared:
        said += [_shared(study), *_effective(study)]
    for measure in study.measures:
        if any(row.measure == measure for row in study.left_out):
            said.append(_left_out(study, measure))
    said += [Sentence("skipped", f"Skipped: {reason}.") for reason in study.skipped]
    return [*said, REST]


def _by_worth(rows: list[PanelAgreement], measure: str, truth: str) -> TextTable:
    cells = []
    for row in sorted(rows, key=lambda row: -(row.worth or 0.0)):
        ends = (None, None) if row.interval is None else (row.interval.low, row.interval.high)
        cells.append(
            [
                row.name,
                "judge" if row.how is None else "panel",
                worth_number(row.worth),
                "" if row.worth is None else worth_bar(row.worth, *ends),
                "" if row.interval is None else f"{worth_number(ends[0])} to {worth_number(ends[1])}",
                decimals(row.tau_b),
                decimals(row.tau_ap_b),
            ]
        )
    return text_table(
        ("name", "", "worth", worth_axis(), "interval", "τ_b", "τ_AP,b"),
        cells,
        right=("worth", "τ_b", "τ_AP,b"),
        title=f"{measure}: worth of a topic, agreement with {label(truth)}",
        spare=(worth_axis(),),
    )


def _best(study: rs.PanelStudy, rows: list[PanelAgreement], measure: str) -> list[Block]:
    """The best panel beside the best judge, by worth."""
    known = [row for row in rows if row.worth is not None]
    judges = [row for row in known if row.how is None]
    panels = [row for row in known if row.how is not None]
    if not judges or not panels:
        return []
    judge, best = (max(side, key=lambda row: row.worth or 0.0) for side in (judges, panels))
    below = sum((row.worth or 0.0) < (best.worth or 0.0) for row in judges)
    text = (
        f"{measure}: {label(best.name)} has the highest worth of {counted(len(panels), 'panel')} "
        f"({worth_number(best.worth)}), {label(judge.name)} that of the judges ({worth_number(judge.worth)}); this "
        f"panel is above {below} of {len(judges)} judges. Both were chosen by these data: intervals tell how far to "
        "trust the order."
    )
    return [Sentence("best", text, {"panel": best.worth, "judge": judge.worth, "below": below, "judges": len(judges)})]


def _shared(study: rs.PanelStudy) -> TextTable:
    rows = [
        [
            OF[each.of],
            each.measure or "",
            str(each.judges),
            decimals(each.correlation),
            "" if each.interval is None else f"{decimals(each.interval.low)} to {decimals(each.interval.high)}",
            decimals(each.effective, 1),
            ""
            if each.effective_interval is None
            else f"{decimals(each.effective_interval.low, 1)} to {decimals(each.effective_interval.high, 1)}",
        ]
        for each in study.shared
    ]
    columns = ("errors of", "measure", "judges", "mean correlation", "interval", "effective judges", "interval ")
    title = "Errors that judges share: what the truth does not explain"
    return text_table(columns, rows, right=("judges", "mean correlation", "effective judges"), title=title)


def _effective(study: rs.PanelStudy) -> list[Block]:
    first = study.shared[0]
    if first.effective is None:
        return []
    inside = "" if first.effective_interval is None else f" ({interval_text(first.effective_interval)})"
    text = (
        f"Errors of grades correlate by {decimals(first.correlation)} on average: for the mean grade, {first.judges} "
        f"judges are worth {decimals(first.effective, 1)} independent ones{inside}."
    )
    return [Sentence("effective", text, {"correlation": first.correlation, "effective": first.effective})]


def _left_out(study: rs.PanelStudy, measure: str) -> TextTable:
    """Panels by columns, members by rows: worth without the member, over the whole panel's."""
    rows = [row for row in study.left_out if row.measure == measure]
    panels = list(dict.fromkeys(row.name for row in rows))
    cells = {(row.left_out, row.name): row for row in rows}
    lines = []
    for judge in study.judges:
        own = [cells.get((judge, name)) for name in panels]
        if any(own):
            lines.append([judge, *("" if c is None else _change(c) for c in own)])
    title = f"{measure}: panels without each judge, change of τ_b and worth as a multiple of the whole panel's"
    return text_table(("without", *panels), lines, right=panels, title=title)


def _change(row: PanelAgreement) -> str:
    ratio = "" if row.worth_ratio is None else f"  ×{decimals(row.worth_ratio, 2)}"
    return f"{decimals(row.tau_change, sign=True)}{ratio}"
