"""Panels of score tables: the estimates' scores, each on one scale, combined into one more estimate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import numpy as np

from rankscope.checks import check_choice
from rankscope.errors import BadParameter, MismatchedNames
from rankscope.results import Remark
from rankscope.scores import Floats, ScoreMatrix, Scores

ScorePanel = Literal["mean", "median"]
SCORE_PANELS: tuple[ScorePanel, ...] = get_args(ScorePanel)


def check_score_panels(panels: Sequence[ScorePanel], estimates: int) -> tuple[ScorePanel, ...]:
    """The panels, each once, where there are estimates to combine."""
    for how in panels:
        check_choice("panels", how, SCORE_PANELS)
    if panels and estimates < 2:
        raise BadParameter("a panel combines several estimates, and there is one; give more, or leave the panel out")
    return tuple(dict.fromkeys(panels))


def score_panel(how: ScorePanel, estimates: Mapping[str, Scores], name: str) -> ScoreMatrix:
    """The panel of the estimates, on the systems and topics that all of them have.

    An estimate's scores are taken less their topic's mean over systems, in units of the root mean square of all of
    these, so that each estimate counts the same whatever its scale, and a topic on which it hardly distinguishes
    systems counts little.
    """
    tables = []
    for member, scores in estimates.items():
        if not (isinstance(scores, ScoreMatrix) and scores.averaged):
            raise BadParameter(f"{name}: a panel needs means over topics, and {member} has none; leave one of them out")
        tables.append(scores)
    first = tables[0]
    systems = _in_all([table.systems for table in tables])
    topics = _in_all([table.topics for table in tables])
    if len(systems) < 2 or not topics:
        shared = f"{len(systems)} systems and {len(topics)} topics"
        raise MismatchedNames(f"{name}: all estimates share {shared}, too few; leave the panel or some of them out")
    scaled = [_standardised(table.select(systems=systems, topics=topics).values) for table in tables]
    combined = np.mean(scaled, axis=0) if how == "mean" else np.median(scaled, axis=0)
    measures = {table.measure for table in tables}
    return ScoreMatrix(
        combined,
        systems if first.systems_named else None,
        topics if first.topics_named else None,
        measure=measures.pop() if len(measures) == 1 else None,
        name=name,
    )


def score_panel_remark(how: ScorePanel, members: Sequence[str], name: str) -> Remark:
    """Who is on the panel."""
    return Remark(kind="panel", about=name, other="estimate", count=len(members), names=tuple(members), how=how)


def _in_all(names: Sequence[Sequence[str]]) -> list[str]:
    """The names that all have, in the order of the first."""
    shared = set(names[0]).intersection(*names)
    return [name for name in names[0] if name in shared]


def _standardised(values: Floats) -> Floats:
    centred = values - values.mean(axis=1, keepdims=True)
    size = float(np.sqrt((centred**2).mean()))
    return np.asarray(centred / size if size > 0.0 else centred)
