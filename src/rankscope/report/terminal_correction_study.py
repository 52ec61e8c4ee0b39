"""The text of `study correction`: by judge and measure, what each way to spend human labels gives at each budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankscope.report.blocks import Block, Heading, Sentence, text_table
from rankscope.report.numbers import counted, decimals, percent
from rankscope.report.text_tables import TextTable
from rankscope.report.theme import label
from rankscope.studies.correction_ways import WAYS

if TYPE_CHECKING:
    from rankscope.studies.correction_study import BudgetPoint, CorrectionStudy

_NAMES = {way.name: way.text for way in WAYS}
# What "Ranks best" says of a way, and of the design of its topics or documents.
_Spending = tuple[str, str | None]
# A gain in τ_b below this is not worth the words.
_NOTABLE = 0.005


def correction_study(study: CorrectionStudy) -> list[Block]:
    """The text of the study."""
    sizes = (study.systems, "system"), (study.topics, "topic"), (study.judgments, "judgment")
    over = ", ".join(counted(number, noun) for number, noun in sizes)
    said: list[Block] = [Heading("How should human labels be spent beside a judge?", over)]
    for judge in study.judges:
        for measure in study.measures:
            points = study.of(judge, measure)
            said += [_table(judge, measure, points), *_best(points)]
    repeats, level = int(study.settings["repeats"]), percent(study.settings["level"])
    text = (
        f"Means over {counted(repeats, 'repeat')}; τ_b is with the ranking by all human labels, errors are of means "
        "relative to the average system."
    )
    said.append(Sentence("how", text, {"repeats": repeats}))
    text = (
        f"Intervals ({level}) by topic are for the population of topics; the truth here is the mean over these topics, "
        "of which people labelled a part, so that they cover more than that. Those by document are for these topics."
    )
    return [*said, Sentence("coverage", text, {"level": study.settings["level"]})]


def _table(judge: str, measure: str, points: tuple[BudgetPoint, ...]) -> TextTable:
    rows = [
        (
            _NAMES[point.way],
            point.design or "",
            "" if point.budget is None else percent(point.budget),
            "" if point.human_topics is None else str(point.human_topics),
            f"{point.labels:,}",
            decimals(point.tau),
            decimals(point.tau_ap),
            decimals(point.error, 4),
            "" if point.covered is None else decimals(point.covered),
        )
        for point in points
    ]
    columns = ("way", "design", "budget", "topics", "labels", "τ_b", "τ_AP,b", "error", "covered")
    title = f"{label(judge)} under {measure}"
    return text_table(columns, rows, right=columns[2:], title=title, spare=("covered", "τ_AP,b", "labels"))


def _best(points: tuple[BudgetPoint, ...]) -> list[Sentence]:
    """Which way has the highest τ_b at each budget below all labels, budgets with the same way together."""
    alone = next((point.tau for point in points if point.way == "judge"), None)
    best: dict[_Spending, list[float]] = {}
    for budget in sorted({point.budget for point in points if point.budget is not None and point.budget < 1.0}):
        known = [point for point in points if point.budget == budget and point.tau is not None]
        first = max(known, key=lambda point: point.tau or 0.0, default=None)
        if first is None:
            continue
        better = alone is None or (first.tau or 0.0) >= alone + _NOTABLE
        best.setdefault((first.way, first.design) if better else ("judge", None), []).append(budget)
    named = {_spending(*spent): budgets for spent, budgets in best.items()}
    parts = [f"{spent} at {', '.join(map(percent, budgets))}" for spent, budgets in named.items()]
    return [Sentence("best way", f"Ranks best: {'; '.join(parts)}.", named)] if parts else []


def _spending(way: str, design: str | None) -> str:
    return _NAMES[way] if design is None else f"{_NAMES[way]} ({design})"
