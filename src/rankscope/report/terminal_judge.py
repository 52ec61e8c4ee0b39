"""The answer of `judge` as text: the verdicts in words, then numbers, then where to look further."""

from __future__ import annotations

import math

from rankscope.report.bars import axis, interval_bar, quarter_below
from rankscope.report.blocks import REST, Block, Heading, counted, number_range, p_value, text_table
from rankscope.studies.judging.parts import JudgeAnswer, JudgeReport

_DOUBTFUL_SHOWN = 5
_MOVERS_SHOWN = 5
# With more answers than this only the words and tables are shown, not each answer's details.
_DETAILED = 2


def judge_blocks(report: JudgeReport) -> list[Block]:
    """What is said of the report, from top to bottom."""
    what = "this judge" if len(report.judges) == 1 else f"these {len(report.judges)} judges"
    systems, topics = counted(len(report.systems), "system"), counted(len(report.topics), "topic")
    found: list[Block] = [Heading(f"May {systems} on {topics} be ranked by {what} instead of {report.truth}?")]
    found += [_sentence(answer) for answer in report.answers]
    for measure in report.measures:
        found.append(_agreement(report, measure))
    if len(report.answers) <= _DETAILED:
        for answer in report.answers:
            found += _details(report, answer)
    found.append(_labels(report))
    if len(report.judges) > 1:
        found += [_places(report, measure) for measure in report.measures]
    found += [f"Note: {remark}." for remark in report.remarks]
    more = (
        "" if len(report.answers) <= _DETAILED else "Reasons, groups and doubtful pairs of one judge: name it alone. "
    )
    return [*found, f"{more}{REST}"]


def _sentence(answer: JudgeAnswer) -> str:
    return f"• {answer.verdict.level.upper()}. {answer.verdict.sentence}"


def _agreement(report: JudgeReport, measure: str) -> Block:
    answers = [a for a in report.answers if a.measure == measure]
    ceiling = report.truth_under(measure).ceiling
    taus = [a.agreement["tau_b"] for a in answers]
    start = quarter_below([t.interval.low if t.interval else t.value for t in taus])
    numbers = ("τ_AP", "top", "shuffled", "pseudo", "d_rank p")
    columns = ["judge", "verdict", "τ", axis(start, 1), "interval", *numbers]
    rows = []
    for a in answers:
        tau = a.agreement["tau_b"]
        low, high = (None, None) if tau.interval is None else (tau.interval.low, tau.interval.high)
        distance = a.agreement.rank_distance
        rows.append([
            a.judge, a.verdict.level, _value(tau.value), interval_bar(tau.value, low, high, start=start),
            number_range(low, high), _value(a.agreement.value("tau_ap")),
            "–" if a.top is None else _value(a.top.value("tau_b")),
            "–" if a.floor is None else _value(a.floor["tau_b"].mean),
            "–" if a.pseudo is None else _value(a.pseudo["tau_b"].mean),
            "–" if distance is None else p_value(distance.pvalue).removeprefix("= "),
        ])  # fmt: skip
    if ceiling is not None:
        fresh, at_top = ceiling["tau_b"], next((f.mean for f in ceiling.fresh_top if f.name == "tau_b"), None)
        low, high = fresh.interval.low, fresh.interval.high
        rows.append([
            "fresh topics", "the ceiling", _value(fresh.mean), interval_bar(fresh.mean, low, high, start=start),
            number_range(low, high), _value(ceiling["tau_ap"].mean), _value(at_top), "", "", "",
        ])  # fmt: skip
    return text_table(
        columns,
        rows,
        right=("τ", *numbers),
        title=f"{measure}: agreement with {report.truth}",
        spare=(axis(start, 1), "pseudo", "shuffled", "top"),
    )


def _value(value: float | None) -> str:
    return "–" if value is None or not math.isfinite(value) else f"{value:.3f}"


def _details(report: JudgeReport, answer: JudgeAnswer) -> list[Block]:
    found: list[Block] = [Heading(f"{answer.judge} under {answer.measure}")]
    found.append(
        text_table(
            ("", "asked", "found"),
            [[{True: "✓", False: "✗", None: "·"}[r.holds], r.test, r.text] for r in answer.verdict.reasons],
        )
    )
    c = answer.certainty
    if c is not None:
        found.append(
            f"Of {counted(c.pairs, 'pair')} the truth tells {c.both + c.truth_only_alike + c.truth_only_opposite:,} "
            f"apart and the judge {c.both + c.judge_only_alike + c.judge_only_opposite:,}: {c.both_alike:,} alike, "
            f"{c.both_opposite:,} reversed with certainty, {c.judge_only_alike + c.judge_only_opposite:,} by the judge "
            f"alone ({c.judge_only_opposite:,} of them in the other direction)."
        )
        if c.doubtful:
            rows = [
                [d.preferred, d.other, f"{d.judge_gap:.4f}", f"{d.truth_gap:.4f}", p_value(d.truth_pvalue)[2:]]
                for d in c.doubtful[:_DOUBTFUL_SHOWN]
            ]
            columns = ("the judge prefers", "to", "gap", "in the truth", "p in the truth")
            found.append(
                text_table(columns, rows, right=columns[2:], title="Told apart by the judge, not by the truth")
            )
    s = answer.shift
    if s is not None:
        slope = "" if s.slope is None else f"; slope on the mean {s.slope:+.2f}"
        if s.slope_interval is not None:
            slope += f" ({number_range(s.slope_interval.low, s.slope_interval.high)})"
        found.append(f"Scores under the judge: {s.mean:+.3f} on average, ± {s.spread:.3f} between systems{slope}.")
        if s.groups:
            rows = [
                [
                    g.group,
                    str(g.systems),
                    f"{g.shift:+.4f}",
                    "–" if g.advantage is None else f"{g.advantage:+.4f}",
                    "–" if g.adjusted is None else p_value(g.adjusted).removeprefix("= "),
                    f"{g.ranks_gained:+.1f}",
                ]
                for g in s.groups
            ]
            numbers = ("systems", "shift", "over others", "p, Holm", "places gained")
            found.append(text_table(("group", *numbers), rows, right=numbers, title="Groups"))
    if answer.movers:
        moved = ", ".join(f"{m.system} {m.truth_rank:g} → {m.judge_rank:g}" for m in answer.movers[:_MOVERS_SHOWN])
        found.append(f"Who moves most: {moved}.")
    return found


def _labels(report: JudgeReport) -> Block:
    shown = ("kappa", "kappa_quadratic", "kappa_binary", "alpha_ordinal")
    rows = []
    for judge, labels in report.labels.items():
        if labels is None:
            rows.append([judge, "0", *["–"] * len(shown), "–"])
            continue
        values = [_value(labels.value(name)) for name in shown]
        total = labels.coverage.pairs + labels.coverage.truth_only
        rows.append([judge, f"{labels.coverage.pairs:,}", *values, f"{labels.coverage.pairs / total:.1%}"])
    columns = ("judge", "pairs", "κ", "κ quadratic", "κ binary", "α ordinal", "covered")
    return text_table(columns, rows, right=columns[1:], title="Agreement of labels")


def _places(report: JudgeReport, measure: str) -> Block:
    rows = [
        [str(p.place), p.judge, _value(p.tau), ", ".join(p.beats) or "–"] for p in report.places if p.measure == measure
    ]
    title = f"{measure}: judges by τ, and whom each beats beyond the luck of the topics (paired bootstrap, Holm)"
    return text_table(("place", "judge", "τ", "beats"), rows, right=("place", "τ"), title=title)
