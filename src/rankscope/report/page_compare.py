"""The page of `compare`: a view per estimate."""

from __future__ import annotations

from dataclasses import replace

from rankscope.report.charts.coefficients import coefficients_panel
from rankscope.report.charts.judge import certainty_panel, top_panel, worth_panel
from rankscope.report.charts.judge_systems import scores_panel
from rankscope.report.charts.pairs import discordance_panel
from rankscope.report.charts.ranks import ranks_panel
from rankscope.report.numbers import counted, interval_text, percent, two, worth_number
from rankscope.report.page_judge import SWAPS, verdict_numbers
from rankscope.report.page_judge_method import WORTH
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
from rankscope.report.sentences import (
    agreement_sentence,
    claim,
    comparison_sentences,
    kendall,
    population_sentence,
    reason_rows,
    verdict_headline,
    verdict_sentences,
)
from rankscope.report.theme import label
from rankscope.studies.parts import Comparison, EstimateComparison

_SIDE = 420
_TOP = 10
_WORTH_FIGURE = FigureForm("worth", "Worth of a topic", wide=True)
_COEFFICIENTS_FIGURE = FigureForm("coefficients", "Every coefficient", wide=True)
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
    one = len(result.estimates) == 1
    what = label(result.estimates[0].name) if one else f"these {len(result.estimates)} estimates"
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
    rows = [
        (e.name, e.measure or "–", two(kendall(e).value), _worth(e), _sentence(result, e)) for e in result.estimates
    ]
    return Page(
        title=f"{'Does' if one else 'Do'} {what} rank {systems} as {label(result.truth.name)} does?",
        lead=f"{systems}{topics}{measure}.",
        tabs=(Tabs("estimate", "Estimate", tuple(e.name for e in result.estimates)),),
        sections=_sections(result),
        views=tuple(_view(result, e, i, most) for i, e in enumerate(result.estimates)),
        systems=tuple(label(s.system, NAME) for s in result.estimates[0].systems),
        overview=(
            ("Estimate", "Measure", kendall(result.estimates[0]).symbol, "Worth of a topic", "In a sentence"),
            tuple(rows),
        ),
        remarks=(),
        methods=methods,
        references=references(methods),
        provenance=provenance(result.settings, facts),
    )


def _worth(e: EstimateComparison) -> str:
    worth = None if e.verdict is None else e.verdict.worth
    return worth_number(None if worth is None else worth.worth)


def _sentence(result: Comparison, e: EstimateComparison) -> str:
    agreement = agreement_sentence(e, result.truth.name)
    return agreement if e.verdict is None else f"{claim(e.verdict)} {agreement}"


def _sections(result: Comparison) -> tuple[SectionForm, ...]:
    intervals = any(s.truth_low is not None for e in result.estimates for s in e.systems)
    tested = any(e.separation is not None for e in result.estimates)
    worth = any(e.verdict is not None and e.verdict.worth is not None for e in result.estimates)
    return (
        *((SectionForm("worth", "What is a topic worth?", (_WORTH_FIGURE,)),) if worth else ()),
        SectionForm(
            "agree",
            "Do they agree?",
            (FigureForm("scores", "Scores against scores"), FigureForm("ranks", "Ranks side by side")),
        ),
        SectionForm("coefficients", "By which coefficient?", (_COEFFICIENTS_FIGURE,)),
        SectionForm("top", "At the top?", (FigureForm("top", "The best systems", wide=True),)),
        SectionForm(
            "pairs",
            "Which pairs?",
            (
                FigureForm("discordance", "Pairs that change order", fixed=True),
                FigureForm("certainty", "Significantly different pairs"),
            ),
        ),
        SectionForm("tests", "Other tests"),
        SectionForm(
            "tables",
            "The numbers",
            (),
            (
                systems_form(other="estimate", groups=False, intervals=intervals),
                swaps_form(other="estimate", tested=tested),
                coefficients_form(chance=False),
                *((_CONTRASTS,) if result.contrasts else ()),
            ),
        ),
    )


def _view(result: Comparison, estimate: EstimateComparison, place: int, most: int) -> View:
    e = replace(estimate, swaps=estimate.swaps[:most])
    said = comparison_sentences(e, result.truth.name)
    truth, other = label(result.truth.name), label(e.name)

    def of(*kinds: str) -> list[str]:
        return [sentence.text for sentence in said if sentence.kind in kinds]

    top = next((t for t in reversed(e.top)), None)
    figures = {
        "scores": Figure(
            scores_panel(e, result.truth.measure, {}).properties(height=_SIDE),
            "Each system's mean on both sides. Colour and shape say whether a system is swapped; red lines join "
            f"swapped pairs that {truth} finds significantly different.",
            f"Scatter plot of {len(e.systems)} systems. The numbers are in the table of all systems.",
        ),
        "ranks": Figure(
            ranks_panel(e),
            f"Ranks by {truth} (left) and by {other} (right), 1 is best.",
            f"Ranks of {len(e.systems)} systems on both sides. The numbers are in the table of all systems.",
        ),
        "coefficients": Figure(
            coefficients_panel([e]),
            "Agreement by every coefficient, with intervals where there are topics.",
            "Coefficients with intervals. The numbers are in the table of every coefficient.",
        ),
        "top": Figure(
            top_panel(e, _TOP),
            f"Systems among the best {_TOP} of either side, in the order of {truth}; beside each name its rank by "
            f"{truth} → by {other}.",
            "Mean scores of the best systems. The numbers are in the table of all systems."
            if top is None
            else f"{other} keeps {top.shared} of the top {top.k} of {truth}.",
        ),
        "discordance": Figure(
            discordance_panel(e, _SIDE),
            "Every cell is a pair of systems; marked cells change order."
            + ("" if len(e.swaps) == e.swap_count else f" The {len(e.swaps):,} with the largest gap are shown."),
            f"Square of pairs of systems: {e.swap_count} of {e.pairs} change order. They are in the table of "
            f"swapped pairs.",
        ),
    }
    if e.certainty is not None:
        c = e.certainty
        figures["certainty"] = Figure(
            certainty_panel(c, result.truth.name, e.name),
            "Pairs of systems by the side that finds them significantly different, and whether both order them alike.",
            f"Bars: both find {c.both} pairs significantly different, {c.both_opposite} of them in opposite orders.",
        )
    verdicts = [v for v in (one.verdict for one in result.estimates) if v is not None and v.worth is not None]
    if verdicts:
        figures["worth"] = Figure(
            worth_panel(verdicts),
            f"How many topics of {truth} a topic of each estimate is worth, with {percent(result.settings['level'])} "
            "bounds; 1 is as good. Dashed: the margins of the rule. Colour and shape are the verdict.",
            "Worth of a topic of every estimate; the numbers are in the overview.",
        )
    tables = {
        "systems": systems_rows(e, None),
        "swaps": swaps_rows(e),
        "coefficients": coefficients_rows(e, None),
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
        level="" if e.verdict is None else e.verdict.level,
        sentence=agreement_sentence(e, result.truth.name) if e.verdict is None else verdict_headline(e.verdict),
        numbers=_numbers(e) if e.verdict is None else verdict_numbers(e.verdict, e),
        reasons=() if e.verdict is None else tuple(reason_rows(e.verdict)),
        texts={
            "worth": _worth_texts(e),
            "agree": of("agreement", "undefined", "no interval", "left out"),
            "top": of("winner", "top"),
            "pairs": of("swaps", "significant", "certainty", "ties", "topics"),
            "tests": of("rank distance", "permutation"),
        },
        figures=figures,
        tables=tables,
    )


def _worth_texts(e: EstimateComparison) -> list[str]:
    if e.verdict is None:
        return []
    said = [s.text for s in verdict_sentences(e.verdict) if s.kind in ("worth", "expected", "cap", "chance")]
    population = population_sentence(e.verdict)
    return said if population is None else [*said, population]


def _numbers(e: EstimateComparison) -> tuple[Number, ...]:
    """The numbers at the top where there are no topics to tell a worth by."""
    tau = kendall(e)
    return (
        Number(
            f"{tau.symbol}, agreement of the rankings",
            two(tau.value),
            "no interval" if tau.interval is None else interval_text(tau.interval),
        ),
        Number(
            "pairs that change order",
            percent(e.swap_count / e.pairs) if e.pairs else "–",
            f"{e.swap_count:,} of {e.pairs:,}",
        ),
        Number("winner", "same" if e.winner.same else "other", label(e.winner.estimate)),
    )


def _methods(result: Comparison) -> tuple[Method, ...]:
    settings = result.settings
    measures = {m for m in (result.truth.measure, *(e.measure for e in result.estimates)) if m is not None}
    found = [
        *((WORTH,) if any(e.verdict is not None for e in result.estimates) else ()),
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
