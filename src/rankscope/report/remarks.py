"""Remarks on the input in words: a phrase each, which a command puts on a line and a page into a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankscope.errors import some
from rankscope.report.blocks import Sentence
from rankscope.report.numbers import counted, minus, percent
from rankscope.results import Remark

if TYPE_CHECKING:
    from rankscope.studies.judging.scales import Skipped

# What becomes of the judged topics that a system lacks, by the topics that are averaged over.
_LACKING = {"judged": "count as 0", "shared": "are left out for all", "retrieved": "are left out for it"}
# How grades became labels.
_LABELS = {
    "truncate": "were truncated to whole numbers to make labels",
    "round": "were rounded to whole numbers to make labels",
    "distinct": "are labels as they are",
}


# What was done about scores that are missing.
_MISSING = {
    "zero": "count as 0",
    "additive": "stay missing; systems are scored by an additive model of systems and topics",
    "pairwise": "stay missing; every two systems are compared on the topics that both have",
}
# Why something was left out, where that is not the name of a policy.
_WHY = {
    "intersect": "some score is missing",
    "no score": "no score",
    "one side only": "on one side only",
    "connected": "not connected with the others by shared topics",
}


def remark_sentences(remarks: tuple[Remark, ...] | list[Remark]) -> list[Sentence]:
    """Each remark as a sentence."""
    texts = [(remark, remark_text(remark)) for remark in remarks]
    # A name at the beginning stays as it is.
    begins = [
        text if remark.about and text.startswith(remark.about) else text[0].upper() + text[1:] for remark, text in texts
    ]
    return [
        Sentence("remark", f"{text}.", {"about": remark.kind}) for text, (remark, _) in zip(begins, texts, strict=True)
    ]


def remark_text(remark: Remark) -> str:
    """The remark in words, without a full stop.

    >>> remark_text(Remark(kind="topics without runs", names=("301",)))
    "no run has 1 judged topic: '301'"
    """
    about, count, names = remark.about or "", remark.count or 0, remark.names
    whose = f"the {about}" if about in ("truth", "judge") else about
    match remark.kind:
        case "topics without runs":
            return f"no run has {counted(len(names), 'judged topic')}: {some(names)}"
        case "topics without judgments":
            return f"{counted(len(names), 'topic')} of the runs not judged, left out: {some(names)}"
        case "topics that systems lack":
            lacking = [f"{name} ({number})" for name, number in zip(names, remark.counts, strict=True)]
            what = f"retrieved nothing for some judged topics, which {_LACKING[remark.how or 'judged']}"
            return f"{counted(len(names), 'system')} {what}: {some(lacking)}"
        case "systems without judged documents":
            return f"{counted(len(names), 'system')} without a judged document: {some(names)}"
        case "topics that a judge lacks":
            return f"{about} lacks {count:,} of {remark.total:,} topics; both sides are compared on the others"
        case "topics of a judge alone":
            return f"{about} has {counted(count, 'topic')} without judgments in {remark.other}; left out"
        case "no chance level":
            return f"some measures were computed by {', '.join(names)}, without a chance level"
        case "measure computed elsewhere":
            return f"{about} is computed through {', '.join(names)}"
        case "systems left out" | "topics left out":
            what = f"{count:,} of {counted(remark.total or 0, remark.kind.split()[0].removesuffix('s'))} left out"
            if remark.how is None:
                return f"{_about(remark)}{what}, as asked"
            return f"{_about(remark)}{what} ({_WHY.get(remark.how, _share_text(remark.how))}): {some(names)}"
        case "scores missing":
            share = percent(count / remark.total) if remark.total else "0 %"
            what = f"{_about(remark)}{count:,} of {remark.total:,} scores ({share})"
            return f"{what} are missing and {_MISSING[remark.how or 'zero']}"
        case "not a mean":
            what = f"{_about(remark)}systems are scored by {_FITS.get(remark.how or '', f'their {remark.how}')}"
            return f"{what}, which is not a mean over the same topics; left out: {', '.join(names)}"
        case "grades in bins":
            return f"the grades of {whose} were put into {count:,} bins to make labels"
        case "grades that are not whole":
            what = f"{count:,} of the {remark.total:,} grades of {whose} are not whole numbers"
            return f"{what}; they {_LABELS[remark.how or 'distinct']}"
        case "one label":
            return f"the only label of {whose} is {remark.how}, so it distinguishes nothing"
        case "one topic":
            unit = remark.how or "topic"
            what = "only one item was labelled" if unit == "item" else "only one topic has pairs judged"
            return f"{what} by both, so there are no intervals over {unit}s"
        case "failed labels":
            return f"{counted(count, 'failed label')} ({minus(remark.how or '')}) of {whose}, left out"
        case "items of one side":
            return f"{counted(count, 'item')} labelled by {about} and not by {remark.other}; left out"
        case "topics labelled in part":
            many = "1 topic is" if count == 1 else f"{count:,} topics are"
            return f"{_about(remark)}{many} labelled in part, and not counted as labelled: {some(names)}"
        case "labels drawn otherwise":
            return (
                f"{counted(count, 'label')} by {about}: not all were drawn by this plan (the same design, seed and "
                "judge); they are kept, count as certain, and the other documents are drawn afresh"
            )
        case "mapped grades":
            return f"grades of {about} were changed as asked, {', '.join(names)}: {counted(count, 'label')}"
        case "learned map":
            return (
                f"grades of {about} are the mean grades that the truth gives to such documents on other topics "
                f"({counted(count, 'label')} changed)"
            )
        case "panel":
            return f"{about} is a panel of {counted(count, remark.other or 'judge')} ({remark.how}): {', '.join(names)}"
        case "repeats":
            return (
                f"{about} was asked {counted(count, 'time')}: its scores are the mean of its repeats, and agreement of "
                "labels is over the labels of all of them"
            )
        case "own level of relevance" if remark.how == "cv":
            return f"grades of {about} are relevant from a level on that was chosen on other topics"
        case "own level of relevance" if remark.how == "measure":
            return f"grades of {about} are relevant from the measure's level on, 1 unless it names another"
        case "own level of relevance":
            return f"grades of {about} are relevant from {remark.how} on, whatever level a measure names"
        case "grades below zero":
            which = ", ".join(f"{grade} ({number:,})" for grade, number in zip(names, remark.counts, strict=True))
            return (
                f"{count:,} of {counted(remark.total or 0, 'label')} of {about} are below zero, {which}; measures take "
                "these documents as not judged, and agreement of labels leaves −1 out unless both sides have it"
            )


def skipped_text(skipped: Skipped) -> str:
    """Why a judge is not compared under a measure, and the way out, without a full stop."""
    which = f"{skipped.judge} under {skipped.measure}"
    option = f"--judge {skipped.judge}=FILE"
    match skipped.why:
        case "real grades":
            return (
                f"{which}: some of its grades are not whole numbers, so it must be said from which grade on a document "
                f"is relevant, such as {option}:rel=1 (JudgeLabels(…, rel=1))"
            )
        case "whole grades":
            return (
                f"{which}: the measure is computed elsewhere, from whole grades, and some are not; make them whole, "
                f"such as {option}:map=0.5>1 (JudgeLabels(…, map={{0.5: 1}}))"
            )
        case "no relevant grade" if skipped.least is None:
            return (
                f"{which}: it has no grade that counts; its highest is {skipped.highest:g}, and only those above 0 do. "
                f"Leave it out, or raise its grades, such as {option}:map={skipped.highest:g}>1 (JudgeLabels(…, map=…))"
            )
        case "no relevant grade":
            highest, least = f"{skipped.highest:g}", f"{skipped.least:g}"
            return (
                f"{which}: it has no grade that counts as relevant; its highest is {highest}, and {least} is the "
                f"lowest that does. If its {highest} is relevant, say {option}:rel={highest} "
                f"(JudgeLabels(…, rel={highest})); if it stands for {least}, {option}:map={highest}>{least}"
            )
    return f"{which}: its labels give all systems the same score, so there is no ranking to compare; leave it out"


# How systems are scored where scores stay missing.
_FITS = {"additive": "an additive model", "pairwise": "pairwise comparisons"}


def _about(remark: Remark) -> str:
    return "" if remark.about is None else f"{remark.about}: "


def _share_text(how: str) -> str:
    """The reason in words: "drop-systems=0.5" is "lacking more than 50 % of the topics"."""
    name, equals, share = how.partition("=")
    of = "topics" if name == "drop-systems" else "systems"
    if not equals:
        return how
    return f"lacking {of}" if float(share) == 0.0 else f"lacking more than {percent(float(share))} of the {of}"
