"""Remarks on the input in words: a phrase each, which a command puts on a line and a page into a sentence."""

from __future__ import annotations

from rankscope.errors import some
from rankscope.report.blocks import Sentence
from rankscope.report.numbers import counted
from rankscope.results import Remark

# What becomes of the judged topics that a system lacks, by the topics that are averaged over.
_LACKING = {"judged": "count as 0", "shared": "are left out for all", "retrieved": "are left out for it"}
# How grades became labels.
_LABELS = {
    "truncate": "were truncated to whole numbers to make labels",
    "round": "were rounded to whole numbers to make labels",
    "distinct": "are labels as they are",
}


def remark_sentences(remarks: tuple[Remark, ...] | list[Remark]) -> list[Sentence]:
    """Each remark as a sentence."""
    texts = [(remark, remark_text(remark)) for remark in remarks]
    return [Sentence("remark", f"{text[0].upper()}{text[1:]}.", {"about": remark.kind}) for remark, text in texts]


def remark_text(remark: Remark) -> str:
    """The remark in words, without a full stop.

    >>> remark_text(Remark(kind="topics without runs", names=("301",)))
    "no run has 1 judged topic: '301'"
    """
    about, count, names = remark.about or "", remark.count or 0, remark.names
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
        case "grades in bins":
            return f"the {about}'s grades were put into {count:,} bins to make labels"
        case "grades that are not whole":
            what = f"{count:,} of the {about}'s {remark.total:,} grades are not whole numbers"
            return f"{what}; they {_LABELS[remark.how or 'distinct']}"
        case "one label":
            return f"the {about} gives every pair the label {remark.how}, so it distinguishes no documents"
        case "one topic":
            return "only one topic has pairs judged by both, so there are no intervals over topics"
