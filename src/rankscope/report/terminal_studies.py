"""The studies of changed judgments as text: a heading, a compact table per measure, and sentences.

All studies share heading and tables. What only one study knows stands in `_EXTRAS`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import rankscope as rs
from rankscope.coefficients import coefficient
from rankscope.report.blocks import Block, Heading, Sentence, text_table
from rankscope.report.numbers import counted, decimals, p_cell, percent
from rankscope.report.remarks import remark_sentences
from rankscope.report.text_tables import TextTable
from rankscope.results import Interval
from rankscope.studies.judgment_reference import DISTANCE
from rankscope.studies.judgment_variants import JudgmentStudy, Setting, VariantAgreement
from rankscope.studies.reliability import TopicsNeeded
from rankscope.studies.topic_subsets import SizeNeeded

# Of many coefficients, tables with a row per setting show those that most readers know.
_FAMILIAR = ("tau_b", "tau_ap", "tau_gap", "pearson_rank")
_MOST_COLUMNS = 5
_MOST_ROWS = 10


def study_blocks(study: JudgmentStudy) -> list[Block]:
    """Everything that is said about a study."""
    extras = _EXTRAS.get(type(study), _Extras())
    blocks: list[Block] = [Heading(f"{study.question} {size_words(study)}"), *extras.opening(study)]
    for measure in study.measures:
        rows = [row for row in study.agreements if row.measure == measure]
        title = ": ".join(filter(None, (measure, spread_words(study))))
        shown = extras.coefficients(study)
        named = [replace(row, setting=shown_setting(study, row.setting)) for row in rows]
        blocks.append(_by_setting(named, shown, title) if rows[0].setting else _by_coefficient(rows, title))
        blocks += extras.of_measure(study, measure)
    tested = any(row.pvalue is not None for row in study.agreements)
    hypothesis = Sentence(
        "hypothesis",
        "p: the rank distance test of the hypothesis that the ranking is no further from the one by all "
        f"{extras.whole} than rankings by resampled topics are.",
    )
    return [*blocks, *extras.closing(study), *([hypothesis] if tested else [])]


def size_words(study: JudgmentStudy) -> str:
    """The numbers of systems, topics and judgments."""
    sizes = (study.systems, "system"), (study.topics, "topic"), (study.judgments, "judgment")
    return ", ".join(counted(number, noun) for number, noun in sizes if number is not None)


def shown_setting(study: JudgmentStudy, setting: Setting) -> Setting:
    """A setting in which another evaluation has its name."""
    if isinstance(study, rs.TopicsStudy) and setting["against"] == "truth":
        return {**setting, "against": study.truth}
    return setting


def spread_words(study: JudgmentStudy) -> str:
    """What the ends beside a value are."""
    interval = next((row.interval for row in study.agreements if row.interval is not None), None)
    spread = next((row.spread for row in study.agreements if row.spread is not None), None)
    if interval is not None:
        return f"value and {percent(interval.level)} interval"
    return "" if spread is None else f"mean and 5 to 95 % of {counted(spread.draws, 'repeat')}"


def _by_setting(rows: Sequence[VariantAgreement], names: Sequence[str], title: str) -> TextTable:
    """A row per setting, a column per coefficient."""
    by_setting: list[tuple[Setting, dict[str, VariantAgreement]]] = []
    for row in rows:
        if not by_setting or by_setting[-1][0] != row.setting:
            by_setting.append((row.setting, {}))
        by_setting[-1][1][row.coefficient] = row
    columns = [(key, [_part(setting[key]) for setting, _ in by_setting]) for key in rows[0].setting]
    columns += [(symbol(name), [_value(by[name]) + _ends(by[name]) for _, by in by_setting]) for name in names]
    distances = [by.get(DISTANCE) for _, by in by_setting]
    columns += [
        (DISTANCE, ["" if row is None else _value(row) for row in distances]),
        (_p_name(rows), ["" if row is None else _p(row.pvalue) for row in distances]),
        ("rejected", ["" if row is None else _share(row.rejected) for row in distances]),
    ]
    words = [key for key in rows[0].setting if any(isinstance(row.setting[key], str) for row in rows)]
    return _filled(columns, words, title, spare=("rejected", _p_name(rows), DISTANCE, "labels"))


def _by_coefficient(rows: Sequence[VariantAgreement], title: str) -> TextTable:
    """A row per coefficient; for studies without settings."""
    sds = [None if row.spread is None else row.spread.sd for row in rows]
    columns = [
        ("", [symbol(row.coefficient) for row in rows]),
        ("coefficient", [row.coefficient for row in rows]),
        ("value", [_value(row) for row in rows]),
        ("sd", ["" if sd is None else _number(sd, row.coefficient) for row, sd in zip(rows, sds, strict=True)]),
        ("interval" if sds[0] is None else "5 to 95 %", [_ends(row).strip() for row in rows]),
        (_p_name(rows), [_p(row.pvalue) for row in rows]),
        ("rejected", [_share(row.rejected) for row in rows]),
    ]
    return _filled(columns, ("", "coefficient"), title)


def _filled(
    columns: Sequence[tuple[str, list[str]]], words: Sequence[str], title: str, spare: Sequence[str] = ()
) -> TextTable:
    """A table of the columns that have an entry; those that are `words` are aligned to the left."""
    kept = [(name, cells) for name, cells in columns if any(cells)]
    names = [name for name, _ in kept]
    right = [name for name in names if name not in words]
    rows = list(zip(*(cells for _, cells in kept), strict=True))
    return text_table(names, rows, right=right, title=title, spare=spare)


@dataclass(frozen=True, kw_only=True)
class _Extras:
    """What is said of one study alone: before the tables, after each measure's table, and at the end.

    `whole` is what the ranking to compare with has all of.
    """

    whole: str = "judgments"
    opening: Callable[[Any], list[Block]] = lambda study: []
    of_measure: Callable[[Any, str], list[Block]] = lambda study, measure: []
    closing: Callable[[Any], list[Block]] = lambda study: []
    coefficients: Callable[[Any], list[str]] = lambda study: _familiar(study.coefficients)


def _pool_depth_meaning(study: rs.PoolDepthStudy) -> list[Block]:
    return [Sentence("judgments", "Judgments: the documents of the pool that are judged.")]


def _losses(study: rs.HolesStudy) -> list[Block]:
    said: list[Block] = []
    for loss in study.losses:
        numbers = {}
        if loss.significant_up_to is None:
            text = "the rank distance test rejects in half of the repeats at no fraction studied"
        else:
            text = f"the rank distance test (p ≤ {study.settings['alpha']:g}) rejects in at least half of the repeats "
            text += f"up to a fraction of {loss.significant_up_to:.4g}"
            after = loss.indistinguishable_from
            text += ", the largest studied" if after is None else f", and no longer at {after:.4g}"
            numbers = {"up_to": loss.significant_up_to, "from": after}
        said.append(Sentence("loss", f"{loss.measure}: {text}.", numbers))
    return said


def _random_labels(study: rs.PseudoStudy) -> list[Block]:
    how = "once for each system that has them" if study.settings["duplicates"] else "all equally likely"
    text = (
        f"Documents are drawn from a pool of {study.pool:,} (to depth {study.settings['depth']}), {how}; "
        f"{percent(study.share)} ± {percent(study.share_sd)} of a topic's pool become relevant."
    )
    return [Sentence("random labels", text, {"pool": study.pool, "share": study.share})]


def _contributions(study: rs.UniquesStudy) -> list[Block]:
    unique = sum(group.unique for group in study.contributions)
    groups = len(study.contributions)
    of = "" if groups == study.systems else f" The systems are in {counted(groups, 'group')}."
    text = (
        f"Pool to depth {study.depth}: {unique:,} of {counted(study.judgments, 'judged document')} have one "
        f"contributor only.{of} Each system is scored without its group's unique documents."
    )
    said: list[Block] = [Sentence("contributions", text, {"unique": unique, "judgments": study.judgments})]
    top = [group for group in study.contributions if group.unique][:_MOST_ROWS]
    if top:
        columns = ("group", "systems", "pooled", "unique", "relevant")
        numbers = [(g.group, g.systems, g.contributing, g.unique, g.unique_relevant) for g in top]
        rows = [[str(cell) for cell in row] for row in numbers]
        said.append(text_table(columns, rows, right=columns[1:], title="Most unique relevant documents"))
    return said


def _movers(study: rs.UniquesStudy, measure: str) -> list[Block]:
    changes = [change for change in study.changes if change.measure == measure and change.moved]
    movers = sorted(changes, key=lambda change: (-abs(change.moved), change.change))[:_MOST_ROWS]
    if not movers:
        return []
    columns = ("system", "group", "score", "without", "rank", "rank without")
    rows = [
        [c.system, c.group, decimals(c.score, 4), decimals(c.score_without, 4), f"{c.rank:g}", f"{c.rank_without:g}"]
        for c in movers
    ]
    return [text_table(columns, rows, right=columns[2:], title=f"{measure}: the systems that move most")]


def _cheapest(study: rs.DepthCostStudy) -> list[Block]:
    target = symbol(study.coefficient)
    text = f"Target: {target} ≥ {study.target:g} with the ranking by all judgments."
    said: list[Block] = [Sentence("target", text, {"target": study.target})]
    ways = {"depth": "a shallower pool", "holes": "random judgments", "judge": "a judge below: {judge}"}
    ways["filled"] = "people on a sample, {judge} mapped for the rest"
    ways |= {way: f"people on a sample, {{judge}} {way}" for way in ("corrected", "combined")}
    for best in study.cheapest:
        what = f"{best.measure}, {ways[best.way].replace('{judge}', best.judge or '')}"
        if best.point is None:
            said.append(Sentence("cheapest", f"{what}: no setting studied reaches the target."))
            continue
        setting = best.point.setting
        labels = f" and {counted(setting['labels'], 'label')}" if setting["labels"] else ""
        parts = best.way not in ("depth", "judge")
        where = f"fraction {setting['fraction']:.4g}" if parts else f"depth {setting['depth']}"
        if not parts and not setting["depth"]:
            where = "all judgments" if best.way == "depth" else "no people"
        mark = " — the cheapest" if best.overall else ""
        text = (
            f"{what}: {counted(setting['judgments'], 'judgment')}{labels} ({where}), "
            f"{target} = {decimals(best.point.value, 4)}{mark}."
        )
        numbers = {"judgments": setting["judgments"], "labels": setting["labels"] or None, "value": best.point.value}
        said.append(Sentence("cheapest", text, numbers))
    return said


def _topics_needed(study: rs.TopicsStudy) -> list[Block]:
    """How many topics reach the target with each ranking, and with the true one."""
    said: list[Block] = []
    rankings = {
        "all": f"the ranking by all {study.topics:,} topics",
        "others": "the ranking by as many other topics",
        "truth": f"the ranking by {study.truth}",
    }
    for needed in study.needed:
        target = f"{needed.measure}: {symbol(study.coefficient)} ≥ {study.target:g}"
        numbers: dict[str, float | None] = {"target": study.target, "topics": needed.topics, "most": needed.most}
        most = "by no number studied" if needed.most is None else f"by {counted(needed.most, 'topic')}"
        if needed.topics is None:
            largest = _largest(study, needed)
            numbers["value"] = largest.value
            topics = counted(largest.setting["topics"], "topic")
            how = f"not reached; the mean of {topics} is {decimals(largest.value)}"
        else:
            how = f"reached by {counted(needed.topics, 'topic')} on average, and {most} in 95 % of subsets"
        said.append(Sentence("topics needed", f"{target} with {rankings[needed.against]}: {how}.", numbers))
    for measure, expected in study.expected.items():
        text = needed_text(expected.needed, intervals=bool(study.settings["resamples"]))
        said.append(Sentence("expected", f"{measure}: {text[0].lower()}{text[1:]}", {"topics": expected.needed.topics}))
    text = (
        "A subset is part of all topics, so its agreement with all overstates how well it agrees with the true "
        "ranking, and the more so the larger it is."
    )
    if study.expected:
        text += " The expected τ is about the true ranking itself."
    said.append(Sentence("shared", text))
    if study.shared:
        both = "all" if study.shared == study.topics else f"{study.shared:,}"
        text = f"{study.truth} has {both} of these {study.topics:,} topics, too; new topics may agree less with it."
        said.append(Sentence("shared", text, {"shared": study.shared}))
    return [*said, *remark_sentences(study.remarks)]


def _expected_table(study: rs.TopicsStudy, measure: str) -> list[Block]:
    expected = study.expected.get(measure)
    if expected is None:
        return []
    rows = [
        [
            f"{count.topics:,}",
            _with_interval(count.tau, count.tau_interval),
            _with_interval(count.tau_ap, count.tau_ap_interval),
        ]
        for count in expected.counts
    ]
    title = f"{measure}: expected with the true ranking, over all topics such as these"
    return [text_table(("topics", "τ", "τ_AP"), rows, right=("topics", "τ", "τ_AP"), title=title)]


def _largest(study: rs.TopicsStudy, needed: SizeNeeded) -> VariantAgreement:
    """The agreement of the largest subsets."""
    wanted = (needed.measure, needed.against, study.coefficient)
    rows = [row for row in study.agreements if (row.measure, row.setting["against"], row.coefficient) == wanted]
    return max(rows, key=lambda row: row.setting["topics"])


def _with_interval(value: float, interval: Interval | None) -> str:
    ends = "" if interval is None else f" [{decimals(interval.low)}, {decimals(interval.high)}]"
    return f"{decimals(value)}{ends}"


def needed_text(needed: TopicsNeeded, *, intervals: bool = True) -> str:
    """How many topics an expected correlation takes."""
    if needed.topics is None:
        return f"No number of topics up to 100,000 is expected to reach τ = {needed.target:g} with the true ranking."
    low, high = ("more" if end is None else f"{end:,}" for end in (needed.low, needed.high))
    between = f" ({percent(needed.level)} interval {low} to {high})" if intervals else ""
    return (
        f"An expected τ of {needed.target:g} with the true ranking would take {counted(needed.topics, 'such topic')}"
        f"{between}."
    )


_EXTRAS: dict[type, _Extras] = {
    rs.TopicsStudy: _Extras(whole="topics", opening=_topics_needed, of_measure=_expected_table),
    rs.PoolDepthStudy: _Extras(closing=_pool_depth_meaning),
    rs.HolesStudy: _Extras(closing=_losses),
    rs.PseudoStudy: _Extras(opening=_random_labels),
    rs.UniquesStudy: _Extras(opening=_contributions, of_measure=_movers),
    rs.DepthCostStudy: _Extras(opening=_cheapest, coefficients=lambda study: [study.coefficient]),
}


def _familiar(names: Sequence[str]) -> list[str]:
    if len(names) <= _MOST_COLUMNS:
        return list(names)
    return [name for name in _FAMILIAR if name in names] or list(names[:_MOST_COLUMNS])


def symbol(name: str) -> str:
    """The symbol of a coefficient, or the name of the rank distance."""
    return DISTANCE if name == DISTANCE else coefficient(name).symbol


def _p_name(rows: Sequence[VariantAgreement]) -> str:
    return "p" if all(row.spread is None for row in rows) else "mean p"


def _part(value: Any) -> str:
    """A part of a setting."""
    if value is None or isinstance(value, str):
        return value or ""
    return f"{value:.4g}" if isinstance(value, float) and value < 1_000 else f"{value:,.0f}"


def _value(row: VariantAgreement) -> str:
    return _number(row.value, row.coefficient)


def _ends(row: VariantAgreement) -> str:
    if row.ends is None or math.isnan(row.ends[0]):
        return ""
    low, high = (_number(end, row.coefficient) for end in row.ends)
    return f" [{low}, {high}]"


def _number(value: float, name: str) -> str:
    return decimals(value, 2 if name == DISTANCE else 3)


def _p(value: float | None) -> str:
    return "" if value is None else p_cell(value)


def _share(value: float | None) -> str:
    return "" if value is None else percent(value)
