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
from rankscope.studies.judging.answers import JudgeReport

WORTH = Method(
    "Worth of a topic",
    "",
    "Scores are centred by topic and split into what systems keep over topics and topic sampling error, on both sides. "
    "Worth is 1/(a + bN): a is the sampling error of a judged topic relative to a human one, b the judge's own errors "
    "on systems, which N topics do not remove. Its interval leaves out one topic and one system at a time (t), and is "
    "never narrower than χ² allows for a bias that these systems do not show. Expected τ with the true ranking is by "
    "the estimator MSQD, at N topics and at worth × N.",
    "Urbano & Marrero 2016",
)
_CHANCE = (
    "The judge's own labels dealt at random to the judged documents of each topic, {draws} times, and systems scored "
    "by them; the p counts draws whose means have at least the covariance with the truth's. A claim must also hold for "
    "scores beyond those that random labels are expected to give."
)
_GROUPS = (
    "By topic and system, the judge's score on the truth's scale less the truth's; the group's mean less that of the "
    "others. A group counts as favoured where both the t-test over topics (Holm) and the permutation of groups over "
    "systems (largest difference over groups) give a small p."
)


def judge_methods(report: JudgeReport) -> tuple[Method, ...]:
    """A note on everything that the report used."""
    settings = report.settings
    found = [
        Method(
            "The verdict",
            "",
            "The highest claim whose bound is proven; what was asked is listed under the verdict, and docs/verdict.md "
            "of rankscope has the rule, its limits, and how often it errs.",
            "",
        ),
        WORTH,
        *coefficient_methods(c for a in report.answers for c in a.agreement.coefficients),
        *measure_methods(report.measures),
    ]
    found += interval_methods((a.agreement for a in report.answers), settings["resamples"])
    chance = next((a.chance for a in report.answers if a.chance is not None), None)
    if chance is not None:
        found.append(Method("Random labels", "", _CHANCE.format(draws=f"{chance.draws:,}"), ""))
    pseudo = next((a.pseudo for a in report.answers if a.pseudo is not None), None)
    if pseudo is not None:
        text = f"Relevance drawn at random from the pool of depth {settings['pool_depth']}, {pseudo.draws:,} times."
        found.append(Method("Relevance drawn from the pool", "", text, "Soboroff et al. 2001"))
    if any(a.agreement.rank_distance is not None for a in report.answers):
        found.append(RANK_DISTANCE)
    certainty = next((a.agreement.certainty for a in report.answers if a.agreement.certainty is not None), None)
    if certainty is not None:
        found.append(pair_method(certainty.test, certainty.correction, certainty.alpha))
    text = "Judge less truth of each system, against the middle of the two."
    found.append(Method("Shift of scores", "", text, "Bland & Altman 1986"))
    if any(a.shift.groups for a in report.answers):
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
