"""The studies of runs and judgments as text: a heading, compact tables by measure, and what they come to in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from rankscope.coefficients import coefficient
from rankscope.report.blocks import Block, Heading, counted, number_range, p_value, text_table
from rankscope.report.text_tables import TextTable
from rankscope.results import Result
from rankscope.studies.cost_mixes import CostPoint
from rankscope.studies.depth_cost import DepthCostStudy
from rankscope.studies.holes import HolesStudy
from rankscope.studies.pool_depth import PoolDepthStudy
from rankscope.studies.pseudo import PseudoStudy
from rankscope.studies.topic_subsets import TopicsStudy
from rankscope.studies.uniques import UniquesStudy
from rankscope.studies.variants import DISTANCE

# Where all coefficients were computed, those that a reader knows stand in tables with a row per setting.
_SHOWN = ("tau_b", "tau_ap", "tau_gap", "pearson_rank")
_MOST_SHOWN = 5
_ROWS = 10


def study_blocks(result: Result) -> list[Block] | None:
    """What is said of a study of runs and judgments; None for other results."""
    for kind, blocks in _BLOCKS:
        if isinstance(result, kind):
            return blocks(result)
    return None


def _pool_depth(study: PoolDepthStudy) -> list[Block]:
    found: list[Block] = [
        Heading(f"Pools of several depths against all {counted(study.judgments, 'judgment')}: {_size(study)}")
    ]
    names = _shown(study.coefficients)
    for measure in study.measures:
        at = {(one.depth, one.coefficient): one for one in study.agreements if one.measure == measure}
        rows = []
        for pool in study.pools:
            distance = at[pool.depth, DISTANCE]
            cells = [str(pool.depth), f"{pool.pool:,}", f"{pool.judgments:,}", f"{pool.relevant:,}"]
            for name in names:
                one = at[pool.depth, name]
                cells.append(_number(one.value) + _ends(one.low, one.high))
            rows.append([*cells, _distance(distance.value), _p(distance.pvalue)])
        columns = ["depth", "pool", "judged", "relevant", *map(_symbol, names), "d_rank", "p"]
        found.append(_table(columns, rows, title=f"{measure}{_level(study)}"))
    found.append(
        "Judged: the documents of the pool that have judgments. p: is the ranking further from that by all judgments "
        "than resampling the topics puts it?"
    )
    return found


def _holes(study: HolesStudy) -> list[Block]:
    found: list[Block] = [
        Heading(f"Random parts of {counted(study.judgments, 'judgment')} against all: {_size(study)}")
    ]
    names = _shown(study.coefficients)
    for measure in study.measures:
        at = {(one.fraction, one.coefficient): one for one in study.agreements if one.measure == measure}
        rows = []
        for fraction in dict.fromkeys(fraction for fraction, _ in at):
            distance = at[fraction, DISTANCE]
            rows.append([
                f"{fraction:.4g}", f"{distance.judgments:,}",
                *(_number(at[fraction, name].mean) + _sd(at[fraction, name].sd) for name in names),
                _distance(distance.mean), _p(distance.pvalue), _percent(distance.rejected),
            ])  # fmt: skip
        columns = ["fraction", "judgments", *map(_symbol, names), "d_rank", "mean p", "rejected"]
        title = f"{measure}: mean ± standard deviation of {counted(study.settings['repeats'], 'repeat')}"
        found.append(_table(columns, rows, title=title))
    alpha = study.settings["alpha"]
    for loss in study.losses:
        if loss.significant_up_to is None:
            said = "the rank distance test rejects at no fraction studied in half of the repeats"
        else:
            said = f"the rank distance test (p ≤ {alpha:g}) rejects in half of the repeats or more up to a fraction of "
            said += f"{loss.significant_up_to:.4g}"
            after = loss.indistinguishable_from
            said += ", the largest studied" if after is None else f", and no longer at {after:.4g}"
        found.append(f"{loss.measure}: {said}.")
    return found


def _pseudo(study: PseudoStudy) -> list[Block]:
    how = "as often as systems have them" if study.settings["duplicates"] else "each as likely as any other"
    found: list[Block] = [
        Heading(f"Random relevance against the judgments, {counted(study.draws, 'draw')}: {_size(study)}"),
        f"Documents are drawn from a pool of {study.pool:,} (to depth {study.settings['depth']}), {how}; "
        f"{study.share:.1%} ± {study.share_sd:.1%} of a topic's pool become relevant.",
    ]
    for measure in study.measures:
        rows = [
            [_symbol(one.coefficient), one.coefficient, _value(one.mean, one.coefficient),
             "–" if one.sd is None else _value(one.sd, one.coefficient),
             f"{_value(one.q5, one.coefficient)} to {_value(one.q95, one.coefficient)}", _p(one.pvalue)]
            for one in study.agreements
            if one.measure == measure
        ]  # fmt: skip
        columns = ("", "coefficient", "mean", "sd", "5 % to 95 %", "mean p")
        found.append(text_table(columns, rows, right=("mean", "sd", "mean p"), title=measure))
    return found


def _uniques(study: UniquesStudy) -> list[Block]:
    teams = len(study.contributions)
    grouped = "" if teams == study.systems else f" in {counted(teams, 'group')}"
    found: list[Block] = [
        Heading(f"Without what a group alone brought to the judgments: {_size(study)}{grouped}"),
        f"Pool to depth {study.depth}: {sum(one.unique for one in study.contributions):,} of "
        f"{counted(study.judgments, 'judged document')} have one contributor only.",
    ]
    top = [one for one in study.contributions if one.unique][:_ROWS]
    if top:
        rows = [[o.group, str(o.systems), str(o.contributing), str(o.unique), str(o.unique_relevant)] for o in top]
        columns = ("group", "systems", "pooled", "unique", "relevant")
        found.append(text_table(columns, rows, right=columns[1:], title="Most unique relevant documents"))
    for measure in study.measures:
        rows = [
            [_symbol(one.coefficient), one.coefficient, _value(one.value, one.coefficient),
             number_range(one.low, one.high), _p(one.pvalue)]
            for one in study.agreements
            if one.measure == measure
        ]  # fmt: skip
        columns = ("", "coefficient", "value", f"{study.settings['level']:.0%} interval", "p")
        title = f"{measure}: each system without its group's unique documents, against all judgments"
        found.append(text_table(columns, rows, right=("value", "p"), title=title))
        changed = [one for one in study.changes if one.measure == measure]
        movers = sorted(changed, key=lambda one: (-abs(one.moved), one.change))[:_ROWS]
        rows = [
            [o.system, o.group, f"{o.score:.4f}", f"{o.score_without:.4f}", f"{o.rank:g}", f"{o.rank_without:g}"]
            for o in movers
            if o.moved
        ]
        if rows:
            headers = ("system", "group", "score", "without", "rank", "rank without")
            found.append(text_table(headers, rows, right=headers[2:], title=f"{measure}: the systems that move most"))
    return found


def _topics(study: TopicsStudy) -> list[Block]:
    found: list[Block] = [Heading(f"Subsets of {counted(study.topics, 'topic')}: {study.systems:,} systems")]
    names = _shown(study.coefficients)
    for measure in study.measures:
        for against, what in (("all", f"all {study.topics}"), ("others", "as many others")):
            at = {
                (one.topics, one.coefficient): one
                for one in study.agreements
                if one.measure == measure and one.against == against
            }
            rows = []
            for size in dict.fromkeys(size for size, _ in at):
                cells = [str(size)]
                for name in names:
                    one = at[size, name]
                    cells.append(_number(one.mean) + _ends(one.q5, one.q95))
                if against == "all":
                    distance = at[size, DISTANCE]
                    cells += [_distance(distance.mean), _p(distance.pvalue)]
                rows.append(cells)
            if rows:
                columns = ["topics", *map(_symbol, names), *(["d_rank", "mean p"] if against == "all" else [])]
                repeats = counted(study.settings["repeats"], "subset")
                found.append(_table(columns, rows, title=f"{measure} against {what}: mean and 5 to 95 % of {repeats}"))
    return found


def _depth_cost(study: DepthCostStudy) -> list[Block]:
    symbol, target = _symbol(study.coefficient), study.target
    found: list[Block] = [
        Heading(f"Which judgments reach {symbol} ≥ {target:g} with all {study.judgments:,}? {_size(study)}")
    ]
    for measure in study.measures:
        for one in (best for best in study.cheapest if best.measure == measure):
            what = "a judge below: " + one.judge if one.judge is not None else _WAYS[one.way]
            if one.point is None:
                found.append(f"{measure}, {what}: nothing studied reaches it.")
                continue
            mark = " — the cheapest" if one.overall else ""
            labels = f" and {counted(one.point.labels, 'label')}" if one.point.labels else ""
            found.append(
                f"{measure}, {what}: {counted(one.point.judgments, 'judgment')}{labels} ({_setting(one.point)}), "
                f"{symbol} = {one.point.value:.4f}{mark}."
            )
        rows = [
            [one.way, one.judge or "", _setting(one), f"{one.judgments:,}", f"{one.labels:,}", f"{one.cost:,.0f}",
             _number(one.value) + _sd(one.sd), "*" if one.value >= target else ""]
            for one in study.points
            if (one.measure, one.coefficient) == (measure, study.coefficient)
        ]  # fmt: skip
        columns = ("way", "judge", "setting", "judgments", "labels", "cost", symbol, "reached")
        found.append(text_table(columns, rows, right=("judgments", "labels", "cost", symbol), title=measure))
    return found


_WAYS = {"depth": "a shallower pool", "holes": "random judgments"}


def _setting(point: CostPoint) -> str:
    if point.fraction is not None:
        return f"fraction {point.fraction:.4g}"
    if point.depth is None:
        return "all"
    return f"depth {point.depth}" if point.depth else "no people"


def _shown(names: Sequence[str]) -> list[str]:
    if len(names) <= _MOST_SHOWN:
        return list(names)
    return [name for name in _SHOWN if name in names] or list(names[:_MOST_SHOWN])


def _size(study: Any) -> str:
    return f"{counted(study.systems, 'system')} on {counted(study.topics, 'topic')}"


def _symbol(name: str) -> str:
    return "d_rank" if name == DISTANCE else coefficient(name).symbol


def _level(study: PoolDepthStudy) -> str:
    return f", with {study.settings['level']:.0%} intervals" if study.settings["resamples"] else ""


def _number(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.3f}"


def _value(value: float, name: str) -> str:
    return _distance(value) if name == DISTANCE else _number(value)


def _distance(value: float) -> str:
    return "–" if math.isnan(value) else "∞" if value == float("inf") else f"{value:.2f}"


def _ends(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None or math.isnan(low) else f" [{low:.3f}, {high:.3f}]"


def _sd(value: float | None) -> str:
    return "" if value is None else f" ±{value:.3f}"


def _p(value: float | None) -> str:
    return "" if value is None else p_value(value).removeprefix("= ")


def _percent(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"


def _table(columns: Iterable[str], rows: Sequence[Sequence[str]], *, title: str) -> TextTable:
    names = list(columns)
    return text_table(names, rows, right=names, title=title)


_BLOCKS: tuple[tuple[type, Callable[[Any], list[Block]]], ...] = (
    (PoolDepthStudy, _pool_depth),
    (HolesStudy, _holes),
    (PseudoStudy, _pseudo),
    (UniquesStudy, _uniques),
    (TopicsStudy, _topics),
    (DepthCostStudy, _depth_cost),
)
