"""The sections of `judge`'s page: which figures and tables stand where."""

from __future__ import annotations

from rankscope.report.page_tables import coefficients_form, swaps_form, systems_form
from rankscope.report.page_views import Column, FigureForm, SectionForm, TableForm
from rankscope.studies.judging.answers import JudgeReport

_VERDICTS = TableForm(
    "verdicts",
    "Verdicts",
    (
        Column("judge", "Judge", "tab"),
        Column("verdict", "Verdict"),
        Column("worth", "Worth of a topic", "number", 2),
        Column("low", "Interval", "interval", 2, "high"),
        Column("own", "Beyond random labels", "number", 2),
        Column("cap", "Cap, topics", "number", 0),
        Column("expected", "Expected τ", "number", 3),
        Column("tau", "τ", "number", 3),
        Column("random p", "p, random labels", "p"),
        Column("warnings", "Warnings"),
    ),
)
_JUDGES = TableForm(
    "judges",
    "Judges, the highest τ first",
    (
        Column("place", "Place", "rank"),
        Column("judge", "Judge", "tab"),
        Column("tau", "τ", "number", 3),
        Column("low", "Interval", "interval", 3, "high"),
        Column("tau_ap", "τ_AP", "number", 3),
        Column("top", "τ at the top", "number", 3),
        Column("beats", "Significantly above (paired bootstrap, Holm)"),
    ),
)
_DOUBTFUL = TableForm(
    "doubtful",
    "Significantly different by the judge, against the truth or without it",
    (
        Column("system", "The judge prefers", "system"),
        Column("other", "to", "system"),
        Column("judge gap", "Gap, judge", "number"),
        Column("truth gap", "Gap, truth", "signed"),
        Column("judge p", "p, judge", "p"),
        Column("truth p", "p, truth", "p"),
        Column("reversed", "Reversed", "yes"),
    ),
)
_GROUPS = TableForm(
    "groups",
    "Groups of systems",
    (
        Column("group", "Group"),
        Column("systems", "Systems", "count"),
        Column("shift", "Shift", "signed"),
        Column("advantage", "Advantage, on the truth's scale", "signed"),
        Column("low", "Interval", "interval", 4, "high"),
        Column("topic p", "p over topics (t, Holm)", "p"),
        Column("system p", "p over systems (permutation)", "p"),
        Column("ranks", "Ranks gained", "signed", 1),
    ),
)
_LABELS = TableForm(
    "labels",
    "Agreement of labels",
    (
        Column("label", "Statistic"),
        Column("value", "Value", "number", 3),
        Column("low", "Interval", "interval", 3, "high"),
        Column("reason", "Why there is none"),
    ),
)
_TOPICS = TableForm(
    "topics",
    "Topics",
    (
        Column("topic", "Topic"),
        Column("pairs", "Documents", "count"),
        Column("equal", "Equal labels", "share"),
        Column("kappa", "κ", "number", 3),
        Column("binary", "κ, relevant or not", "number", 3),
        Column("difference", "Mean difference", "signed", 3),
        Column("change", "τ rises without it by", "number", 4),
    ),
)


def sections(report: JudgeReport) -> tuple[SectionForm, ...]:
    """The sections, in the order in which a reader doubts."""
    several = len(report.judges) > 1
    groups = any(a.shift.groups for a in report.answers)
    return (
        SectionForm("worth", "What is a judged topic worth?", (FigureForm("judges", "Worth of a topic", wide=True),)),
        SectionForm(
            "agree",
            "Do they agree?",
            (FigureForm("scores", "Scores against scores"), FigureForm("ranks", "Ranks side by side")),
        ),
        SectionForm(
            "chance",
            "Better than random labels?",
            (FigureForm("coefficients", "Agreement beside random labels", wide=True),),
        ),
        SectionForm("top", "At the top?", (FigureForm("top", "The best systems", wide=True),)),
        SectionForm(
            "pairs",
            "Which pairs?",
            (
                FigureForm("discordance", "Pairs that change order", fixed=True),
                FigureForm("certainty", "Significantly different pairs"),
            ),
        ),
        SectionForm(
            "why",
            "Why? Topics, groups, labels",
            (
                FigureForm("shift", "Shift of scores" + (" by group" if groups else "")),
                FigureForm("topics", "Agreement of labels by topic"),
                FigureForm("confusion", "Which labels are taken for which", fixed=True),
            ),
        ),
        SectionForm("tests", "Other tests"),
        SectionForm(
            "tables",
            "The numbers",
            (),
            (
                _VERDICTS,
                *((_JUDGES,) if several else ()),
                systems_form(other="judge", groups=report.groups is not None, intervals=True),
                swaps_form(other="judge", tested=True),
                _DOUBTFUL,
                coefficients_form(chance=True),
                *((_GROUPS,) if groups else ()),
                _LABELS,
                _TOPICS,
            ),
        ),
    )
