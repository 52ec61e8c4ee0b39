"""Method notes of `judge`'s page."""

from __future__ import annotations

from rankscope.inference.labels.statistics import STATISTICS
from rankscope.report.page_method import (
    RANK_DISTANCE,
    coefficient_methods,
    interval_methods,
    measure_methods,
    pair_method,
)
from rankscope.report.page_views import Method
from rankscope.studies.judging.parts import JudgeReport

_CEILING = (
    "What fresh topics give",
    "The agreement of the truth's ranking with that by as many fresh topics, judged as the truth is. Means over (n "
    "− 1)/2 "
    "resampled topics have the variance of a fresh sample's means about the observed ones.",
)
_FLOOR = "The judge's own labels dealt anew to all judged pairs, {draws} times, and systems scored by them."
_GROUPS = (
    "By topic, the judge's score less the common slope times the truth's, of the group's systems less that of the "
    "others "
    "(analysis of covariance); t over topics, p by Holm over groups."
)


def judge_methods(report: JudgeReport) -> tuple[Method, ...]:
    """A note on everything that the report used."""
    settings = report.settings
    found = [
        Method(
            "The verdict",
            "",
            "A fixed rule over the tests listed under the verdict; docs/verdict.md of rankscope has its limits and "
            "reasons.",
            "",
        ),
        *coefficient_methods(c for a in report.answers for c in a.agreement.coefficients),
        *measure_methods(report.measures),
    ]
    found += interval_methods((a.agreement for a in report.answers), settings["resamples"])
    if any(truth.ceiling is not None for truth in report.truths):
        found.append(Method(_CEILING[0], "", _CEILING[1], ""))
        found.append(
            Method(
                "The ranking by endless topics",
                "",
                "The τ to expect between the truth's ranking and that by endless topics, by the estimator MSQD.",
                "Urbano & Marrero 2016",
            )
        )
    floor = next((a.floor for a in report.answers if a.floor is not None), None)
    if floor is not None:
        found.append(Method("What labels that know nothing give", "", _FLOOR.format(draws=f"{floor.draws:,}"), ""))
    pseudo = next((a.pseudo for a in report.answers if a.pseudo is not None), None)
    if pseudo is not None:
        text = f"Relevance drawn at random from the pool of depth {settings['pool_depth']}, {pseudo.draws:,} times."
        found.append(Method("Relevance drawn from the pool", "", text, "Soboroff et al. 2001"))
    if any(a.agreement.rank_distance is not None for a in report.answers):
        found.append(RANK_DISTANCE)
    certainty = next((a.certainty for a in report.answers if a.certainty is not None), None)
    if certainty is not None:
        found.append(pair_method(certainty.test, certainty.correction, certainty.alpha))
    if any(a.shift is not None for a in report.answers):
        text = "Judge less truth of each system, against the middle of the two."
        found.append(Method("Shift of scores", "", text, "Bland & Altman 1986"))
    if any(a.shift is not None and a.shift.groups for a in report.answers):
        found.append(Method("Groups", "", _GROUPS, "Holm 1979"))
    if len(report.judges) > 1 and any(report.contrasts.values()):
        text = "Differences of τ between judges over the same draws of topics, p by Holm over all pairs of judges."
        found.append(Method("Judges against each other", "", text, "Holm 1979"))
    return (*found, *_label_methods(report))


def _label_methods(report: JudgeReport) -> list[Method]:
    shown = {value.name for labels in report.labels.values() if labels is not None for value in labels.values}
    return [
        Method(f"{one.symbol}: {one.label}", "", "", one.reference)
        for one in STATISTICS
        if one.name in shown and one.name not in ("equal", "mean_difference")
    ]
