"""The page of `compare`: a view per estimate."""

from __future__ import annotations

import math
from dataclasses import replace

from rankscope.report.blocks import counted, p_value
from rankscope.report.charts.coefficients import coefficients_panel
from rankscope.report.charts.judge import top_panel
from rankscope.report.charts.judge_systems import scores_panel
from rankscope.report.charts.pairs import discordance_panel
from rankscope.report.charts.ranks import ranks_panel
from rankscope.report.page_judge import SWAPS, around, two
from rankscope.report.page_method import (
    RANK_DISTANCE,
    coefficient_methods,
    interval_methods,
    measure_methods,
    pair_method,
    provenance,
    references,
)
from rankscope.report.page_tables import (
    NAME,
    coefficients_form,
    coefficients_rows,
    kept_swaps,
    swaps_form,
    swaps_rows,
    systems_form,
    systems_rows,
)
from rankscope.report.page_views import (
    Column,
    Figure,
    FigureForm,
    Method,
    Number,
    Page,
    SectionForm,
    TableForm,
    Tabs,
    View,
)
from rankscope.report.terminal import where_they_part
from rankscope.report.theme import label
from rankscope.studies.parts import CoefficientValue, Comparison, EstimateComparison

_SIDE = 420
_TOP = 10
_CONTRASTS = TableForm(
    "contrasts",
    "Estimates against each other: difference of agreement",
    (
        Column("coefficient", "Coefficient"),
        Column("first", "Estimate"),
        Column("second", "less"),
        Column("difference", "Difference", "signed", 3),
        Column("low", "Interval", "interval", 3, "high"),
        Column("p", "p, Holm", "p"),
    ),
)


def compare_page(result: Comparison) -> Page:
    """The page of a comparison."""
    most = kept_swaps(result.estimates, SWAPS)
    systems = counted(result.truth.systems, "system")
    topics = "" if result.truth.topics is None else f" on {counted(result.truth.topics, 'topic')}"
    what = "this estimate" if len(result.estimates) == 1 else f"these {len(result.estimates)} estimates"
    verb = "does" if len(result.estimates) == 1 else "do"
    methods = _methods(result)
    measure = "" if result.truth.measure is None else f", by {result.truth.measure}"
    missing = {
        "error": "none allowed",
        "intersect": "left out where one side lacks them",
        "zero": "scored 0 where missing",
    }
    facts = [
        ("Truth", result.truth.name),
        ("Estimates", ", ".join(e.name for e in result.estimates)),
        ("Systems and topics", f"{systems}{topics}{measure}"),
        ("Ties", "tied systems share their mean rank; each coefficient's own rule is in the method notes"),
        ("Missing", missing.get(str(result.settings.get("on_missing")), "–")),
    ]
    rows = [(e.name, e.measure or "–", two(_tau(e).value), _sentence(result, e)) for e in result.estimates]
    return Page(
        title=f"{verb.capitalize()} {what} rank {systems} as {result.truth.name} does?",
        lead=f"{systems}{topics}{measure}.",
        tabs=(Tabs("estimate", "Estimate", tuple(e.name for e in result.estimates)),),
        sections=_sections(result),
        views=tuple(_view(result, e, i, most) for i, e in enumerate(result.estimates)),
        systems=tuple(label(s.system, NAME) for s in result.estimates[0].systems),
        overview=(("Estimate", "Measure", _tau(result.estimates[0]).symbol, "In a sentence"), tuple(rows)),
        remarks=(),
        methods=methods,
        references=references(methods),
        provenance=provenance(result.settings, facts),
    )


def _tau(estimate: EstimateComparison) -> CoefficientValue:
    """Kendall's τ where it was asked for, else the first coefficient."""
    for name in ("tau_b", "kendall"):
        for found in estimate.coefficients:
            if found.name == name:
                return found
    return estimate.coefficients[0]


def _sentence(result: Comparison, e: EstimateComparison) -> str:
    tau = _tau(e)
    if not math.isfinite(tau.value):
        return f"{e.name} cannot be compared with {result.truth.name}: a side scores all systems alike."
    inside = "" if tau.interval is None else f" ({two(tau.interval.low)} to {two(tau.interval.high)})"
    share = f"{e.swap_count / e.pairs:.1%}" if e.pairs else "0 %"
    apart = "" if e.separation is None else f", {e.separation.swaps:,} of them told apart by {result.truth.name}"
    return (
        f"{e.name} ranks {counted(len(e.systems), 'system')} with {tau.symbol} {two(tau.value)}{inside} to "
        f"{result.truth.name}: {e.swap_count:,} of {counted(e.pairs, 'pair')} change order ({share}){apart}."
    )


def _level(e: EstimateComparison, alpha: float) -> str:
    tau = _tau(e)
    if not math.isfinite(tau.value):
        return "undecided"
    return "no better than chance" if tau.pvalue is not None and tau.pvalue > alpha else "compared"


def _sections(result: Comparison) -> tuple[SectionForm, ...]:
    intervals = any(s.truth_low is not None for e in result.estimates for s in e.systems)
    tested = any(e.separation is not None for e in result.estimates)
    return (
        SectionForm(
            "agree",
            "Do they agree?",
            (FigureForm("scores", "Scores against scores"), FigureForm("ranks", "Ranks side by side")),
        ),
        SectionForm("beyond", "Beyond chance?", (FigureForm("coefficients", "Every coefficient", wide=True),)),
        SectionForm("top", "At the top?", (FigureForm("top", "The best systems", wide=True),)),
        SectionForm("pairs", "Which pairs?", (FigureForm("discordance", "Pairs that change order", fixed=True),)),
        SectionForm(
            "tables",
            "The numbers",
            (),
            (
                systems_form(other="estimate", groups=False, intervals=intervals),
                swaps_form(other="estimate", tested=tested),
                coefficients_form(bounds=False),
                *((_CONTRASTS,) if result.contrasts else ()),
            ),
        ),
    )


def _view(result: Comparison, estimate: EstimateComparison, place: int, most: int) -> View:
    e = replace(estimate, swaps=estimate.swaps[:most])
    tau, said = _tau(e), where_they_part(e)
    top = next((t for t in reversed(e.top)), None)
    numbers = [
        Number(
            f"{tau.symbol}, agreement of the rankings",
            two(tau.value),
            "no interval" if tau.interval is None else around(tau.interval),
        ),
        Number(
            "what chance would give",
            two(tau.chance),
            "not drawn" if tau.pvalue is None else f"p {p_value(tau.pvalue)} for agreement by chance",
        ),
        Number(
            "pairs that change order",
            f"{e.swap_count / e.pairs:.0%}" if e.pairs else "–",
            f"{e.swap_count:,} of {e.pairs:,}",
        ),
    ]
    figures = {
        "scores": Figure(
            scores_panel(e, result.truth.measure, {}).properties(height=_SIDE),
            "Each system's mean on both sides. Colour and shape say whether a system is swapped; red lines join "
            "pairs that "
            "the truth tells apart and the estimate swaps.",
            f"Scatter plot of {len(e.systems)} systems. The numbers are in the table of all systems.",
        ),
        "ranks": Figure(
            ranks_panel(e),
            "Ranks in the truth (left) and in the estimate (right), 1 is best.",
            f"Ranks of {len(e.systems)} systems on both sides. The numbers are in the table of all systems.",
        ),
        "coefficients": Figure(
            coefficients_panel([e]),
            "Agreement by every coefficient, with intervals where there are topics.",
            "Coefficients with intervals. The numbers are in the table of every coefficient.",
        ),
        "top": Figure(
            top_panel(e, _TOP),
            f"Systems among the best {_TOP} of either side, in the truth's order; beside each name its rank in the "
            f"truth → in "
            "the estimate.",
            "Mean scores of the best systems. The numbers are in the table of all systems."
            if top is None
            else f"Of the truth's top {top.k}, {top.shared} are in the estimate's.",
        ),
        "discordance": Figure(
            discordance_panel(e, _SIDE),
            "Every cell is a pair of systems; marked cells change order."
            + (
                ""
                if len(e.swaps) == e.swap_count
                else f" The {len(e.swaps):,} with the largest gap in the truth are shown."
            ),
            f"Square of pairs of systems: {e.swap_count} of {e.pairs} change order. They are in the table of "
            f"swapped pairs.",
        ),
    }
    tables = {
        "systems": systems_rows(e, None),
        "swaps": swaps_rows(e),
        "coefficients": coefficients_rows(e, None, None),
    }
    if result.contrasts:
        tables["contrasts"] = [
            {
                "coefficient": c.name,
                "first": c.first,
                "second": c.second,
                "difference": c.difference,
                "low": None if c.interval is None else c.interval.low,
                "high": None if c.interval is None else c.interval.high,
                "p": c.adjusted,
            }
            for c in result.contrasts
        ]
    return View(
        at=(place,),
        level=_level(e, result.settings["alpha"]),
        sentence=_sentence(result, e),
        numbers=tuple(numbers),
        texts={
            "agree": [text for text in said if text.startswith(("A dash", "No interval", "Tied"))],
            "beyond": [text for text in said if text.startswith("Rank distance")],
            "top": [text for text in said if text.startswith("Systems of")],
            "pairs": [
                text for text in said if "change order" in text or "pairs apart" in text or text.startswith("Topics")
            ],
        },
        figures=figures,
        tables=tables,
    )


def _methods(result: Comparison) -> tuple[Method, ...]:
    settings = result.settings
    measures = {m for m in (result.truth.measure, *(e.measure for e in result.estimates)) if m is not None}
    found = [
        *coefficient_methods(c for e in result.estimates for c in e.coefficients),
        *measure_methods(sorted(measures)),
    ]
    found += interval_methods(result.estimates, settings["resamples"])
    if any(e.rank_distance is not None for e in result.estimates):
        found.append(RANK_DISTANCE)
    apart = next((e.separation for e in result.estimates if e.separation is not None), None)
    if apart is not None:
        found.append(pair_method(apart.test, apart.correction, apart.alpha))
    if result.contrasts:
        text = "Differences of agreement over the same draws of topics, p by Holm over all pairs of estimates."
        found.append(Method("Estimates against each other", "", text, "Holm 1979"))
    return tuple(found)
