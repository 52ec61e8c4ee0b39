"""A panel: several judges' labels combined into those of one more judge."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from rankscope.checks import check_name
from rankscope.defaults import SEED
from rankscope.errors import BadParameter, some
from rankscope.inference.labels.levels import Flags
from rankscope.inference.labels.panels import BY_NAME, weighted, weights
from rankscope.inference.labels.tuning import LabelTable
from rankscope.inputs import JudgesLike, JudgmentsLike, to_judgments
from rankscope.results import Remark
from rankscope.runs import Judgments
from rankscope.scores import Floats
from rankscope.studies.judging.scales import Judge, Level, ScaledJudges, to_labels

How = Literal["mean", "median", "majority", "dawid-skene", "weighted"]


@dataclass(frozen=True)
class Panel:
    """A panel of judges as one more judge.

    Parameters
    ----------
    how : {"mean", "median", "majority", "dawid-skene", "weighted"}
        How labels are combined (docs/panels.md).
    name : str, optional
        What reports call it; by default `panel-` and how.
    judges : sequence of str, optional
        Its members: names, or patterns such as `*gpt*`; by default all judges.
    rel : float, "measure" or "cv", default "measure"
        Which of its grades are relevant, as in `JudgeLabels`.

    Examples
    --------
    >>> Panel("median", judges=["umbrela*"]).name
    'panel-median'
    """

    how: How
    name: str = ""
    judges: Sequence[str] | None = None
    rel: Level = "measure"

    def __post_init__(self) -> None:
        check_name("way to combine judges", self.how, BY_NAME)
        if not self.name:
            object.__setattr__(self, "name", f"panel-{self.how}")

    def members(self, judges: Sequence[str]) -> list[str]:
        """The judges that belong to it."""
        wanted = ["*"] if self.judges is None else self.judges
        for pattern in wanted:
            if not any(fnmatch.fnmatchcase(judge, pattern) for judge in judges):
                raise BadParameter(f"{self.name}: no judge is called {pattern!r}; there are {some(list(judges))}")
        return [judge for judge in judges if any(fnmatch.fnmatchcase(judge, pattern) for pattern in wanted)]


def panel(
    judges: JudgesLike | ScaledJudges,
    how: How = "mean",
    *,
    truth: JudgmentsLike | None = None,
    name: str | None = None,
    rng: int = SEED,
) -> Judgments:
    """Combine the labels of several judges into those of one.

    Every document that one of the judges labelled gets a grade, from the labels it has. Grades below zero are no
    labels. Where judges' highest grades differ, each judge's grades are multiplied so that its highest is that of the
    truth, or of all judges without one; those with a map of their own are taken as they are. What is learned from the
    truth's labels (`how="weighted"`, `JudgeLabels(…, map="cv")`) is learned on other topics than those it is applied
    to, in ten parts of the topics. Grades of means, medians and the like are real numbers: in `judge`, say which are
    relevant (`JudgeLabels(…, rel="measure")`), or give the panel itself (`judge(…, panels=["mean"])`).

    Parameters
    ----------
    judges : JudgesLike or JudgeLabels
        The judges.
    how : {"mean", "median", "majority", "dawid-skene", "weighted"}, default "mean"
        The mean or median grade; the most frequent whole grade, the lowest of those that are equally frequent; the
        expected grade by the model of Dawid & Skene; the grade that weights of at least 0 predict.
    truth : JudgmentsLike, optional
        The labels to learn from; "weighted" and `map="cv"` need them.
    name : str, optional
        What reports call it; by default `panel-` and how.
    rng : int, default 0
        The seed of the parts of the topics.

    Returns
    -------
    Judgments
        The panel's grades.

    Raises
    ------
    BadParameter
        If there is no truth where one is needed, or one topic alone to learn from.

    References
    ----------
    A. P. Dawid and A. M. Skene, "Maximum likelihood estimation of observer error-rates using the EM algorithm", Applied
    Statistics 28, 1979. L. Breiman, "Stacked regressions", Machine Learning 24, 1996.

    Examples
    --------
    >>> strict, lenient = {"301": {"d1": 0, "d2": 1}}, {"301": {"d1": 1, "d2": 3}}
    >>> panel({"strict": strict, "lenient": lenient}).grades.tolist()
    [0.5, 3.0]
    """
    made = Panel(how, name or "")
    human = None if truth is None else to_judgments(truth)
    return panel_labels(made, to_labels(judges, human, rng=rng), human, rng=rng)


def panel_labels(
    panel: Panel, judges: Mapping[str, Judge], truth: Judgments | None, *, rng: int, truth_rel: float | None = None
) -> Judgments:
    """The panel's labels; with the truth's level of relevance, 1 or 0 by a level of its own learned on other topics."""
    members = [judges[name] for name in panel.members(list(judges))]
    combine = BY_NAME[panel.how].function
    tuned = [j for j, member in enumerate(members) if member.map == "cv"]
    if truth is None and combine is None:
        raise BadParameter(f"{panel.name}: weights are learned from a truth; give truth=, or combine otherwise")
    table = LabelTable.of([member.given for member in members], truth, rng)
    top, scaled = _scaled(members, table)
    plain = None if combine is None or tuned else combine(scaled, top)

    def apply(learn: Flags, own: Flags) -> Floats:
        """All that is learned for one part of the topics is learned without it: maps, then weights, then the level."""
        combined = plain
        if combined is None:
            grades = scaled.copy()
            for j in tuned:
                grades[:, j] = table.map_of(j, learn)(table.grades[:, j])
            if combine is None:
                combined = weighted(grades, weights(grades[learn], table.truth[learn]), top)
            else:
                combined = combine(grades, top)
        return combined[own] if truth_rel is None else table.cut(combined, learn, own, truth_rel)

    grades = plain if plain is not None and truth_rel is None else table.cross_fitted(apply)
    labels = table.rows.with_grades(grades, name=panel.name)
    return labels.keep(~np.isnan(labels.grades))


def _scaled(members: Sequence[Judge], table: LabelTable) -> tuple[float, Floats]:
    """The highest grade, and grades so that all judges reach it but those with a map of their own."""
    highest = [float(np.nanmax(column, initial=0.0)) for column in table.grades.T]
    top = float(np.nanmax(table.truth, initial=0.0)) or max(highest)
    factors = [
        top / own if member.map is None and own > 0.0 else 1.0 for member, own in zip(members, highest, strict=True)
    ]
    scaled = table.grades * np.array(factors)
    return max(top, float(np.nanmax(scaled, initial=0.0))), scaled


def to_panels(panels: Sequence[str | Panel]) -> list[Panel]:
    """Panels, of which those that are words are of all judges."""
    return [each if isinstance(each, Panel) else Panel(each) for each in panels]  # type: ignore[arg-type]  # checked


def check_panels(panels: Sequence[Panel], judges: Sequence[str]) -> None:
    """Raise `BadParameter` unless panels and judges have names of their own, and every panel has members."""
    taken = set(judges)
    for panel in panels:
        if panel.name in taken:
            raise BadParameter(
                f"two judges are called {panel.name!r}; give the panel a name: best=mean, Panel(…, name=…)"
            )
        taken.add(panel.name)
        panel.members(judges)


def panel_judges(
    panels: Sequence[Panel], judges: Mapping[str, Judge], truth: Judgments, *, rng: int
) -> dict[str, Judge]:
    """The panels as judges by name."""
    check_panels(panels, list(judges))
    made: dict[str, Judge] = {}
    for panel in panels:
        by = partial(panel_labels, panel, judges, truth, rng=rng)
        labels = by()
        made[panel.name] = Judge(
            name=panel.name,
            given=labels,
            judgments=labels,
            rel=panel.rel,
            map=None,
            mapped=0,
            learned=lambda truth_rel, by=by: by(truth_rel=truth_rel),  # type: ignore[misc]
        )
    return made


def panel_remarks(panels: Sequence[Panel], judges: Sequence[str]) -> list[Remark]:
    """Who is on each panel."""
    return [
        Remark(kind="panel", about=panel.name, count=len(members), names=tuple(members), how=panel.how)
        for panel in panels
        for members in [panel.members(judges)]
    ]
