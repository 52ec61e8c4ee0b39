"""Charts of the studies of judges."""

from __future__ import annotations

import altair

import rankscope as rs
from rankscope.report.charts import layers
from rankscope.report.charts.layers import Drawing
from rankscope.report.terminal_studies import symbol
from rankscope.report.theme import PAGE, heading, label, title_text

# With more judges, a chart of them is larger.
_FEW = 3
# Systems with the lowest correlation whose names are shown.
_NAMED = 3


def gains(result: rs.CircularityStudy) -> Drawing:
    """Gain by the judge against gain by the truth, a point per system, with the mean of all systems by noise."""
    kinds = dict(zip(result.judges, layers.distinct(list(result.judges), 30), strict=True))
    panels = []
    for measure in result.measures:
        systems = [
            {"system": label(own.system, 60), "kind": kinds[own.judge], "true": own.true_gain, "judge": own.judge_gain}
            for own in result.by_system
            if own.measure == measure
        ]
        means = [
            {"noise": use.noise, "kind": kinds[use.judge], "true": use.true_gain, "judge": use.judge_gain}
            for use in result.uses
            if use.measure == measure and use.users == "all"
        ]
        if not means:
            continue
        own = [row for row in result.by_system if row.measure == measure]
        true_gains = [use.true_gain for use in result.uses if use.measure == measure] + [row.true_gain for row in own]
        x = altair.X("true:Q", title=f"gain by {title_text(result.truth, 20)}")
        y = altair.Y("judge:Q", title="gain by the judge")
        encoding = layers.categories(list(kinds.values()))
        tips = layers.numbers("true", "judge")
        points = layers.plot(systems).mark_point(filled=True, size=14, opacity=0.35)
        steps = layers.plot(means)
        panel = altair.layer(
            layers.diagonal("true", "judge", (min(true_gains), max(true_gains))),
            points.encode(x=x, y=y, color=encoding["color"], tooltip=["system:N", "kind:N", *tips]),
            steps.mark_line(strokeWidth=1).encode(x=x, y=y, color=encoding["color"], order="noise:Q"),
            steps.mark_point(filled=True, size=60).encode(x=x, y=y, **encoding, tooltip=["kind:N", "noise:Q", *tips]),
        )
        side = PAGE // 2 - 60 if len(kinds) <= _FEW else PAGE - 220
        note = "small: each system; large: all systems, by noise; dashed: equal gains"
        panels.append(panel.properties(width=side, height=side, title=heading(measure, note)))
    return layers.concatenated(panels, columns=1)


def users(result: rs.CircularityStudy) -> Drawing:
    """Agreement of the rankings by truth and judge by noise: all use the judge, or one at a time; a line per judge."""
    first = result.coefficients[0]
    kinds = dict(zip(result.judges, layers.distinct(list(result.judges), 30), strict=True))
    panels = []
    for measure in result.measures:
        for who in ("all", "one at a time"):
            own = [use for use in result.uses if use.measure == measure]
            rows = [
                {"noise": use.noise, "kind": kinds[use.judge], "value": use.agreements[first]}
                for use in own
                if use.users == who
            ]
            now = [{"kind": kinds[use.judge], "value": use.agreements[first]} for use in own if use.users == "nobody"]
            if not rows:
                continue
            y = altair.Y("value:Q", title=f"{symbol(first)} (1 is perfect)", scale=altair.Scale(zero=False))
            x = altair.X("noise:Q", title="share of random labels", axis=altair.Axis(format="%", tickCount=5))
            base = layers.plot(rows).encode(x=x, tooltip=["kind:N", "noise:Q", *layers.numbers("value")])
            rule = (
                layers.plot(now)
                .mark_rule(strokeWidth=1, opacity=0.5)
                .encode(y=y, color=layers.colours(list(kinds.values())))
            )
            panel = altair.layer(rule, *layers.curves(base, y, list(kinds.values())))
            title = heading(f"{measure}, {who}", "thin lines: nobody uses the judge")
            panels.append(panel.properties(width=PAGE // 2 - 90, height=190, title=title))
    return layers.concatenated(panels)


def repeats(result: rs.RepeatsStudy) -> Drawing:
    """The error of a difference by the number of labels: several repeats of the topics, or one of more topics."""
    panels = []
    for own in result.judged:
        kinds = (f"repeats of {own.topics:,} topics", "one repeat of more topics")
        rows = [
            {"labels": count.repeats, "kind": kind, "error": error}
            for count in own.counts
            for kind, error in zip(kinds, (count.error, count.more_topics), strict=True)
        ]
        ticks = altair.Axis(values=[count.repeats for count in own.counts])
        x = altair.X("labels:Q", title="labels, in those of one repeat", scale=altair.Scale(type="log"), axis=ticks)
        base = layers.plot(rows).encode(x=x, tooltip=["kind:N", "labels:Q", *layers.numbers("error")])
        y = altair.Y("error:Q", title="standard error of a difference", scale=altair.Scale(zero=True))
        title = heading(f"{label(own.judge)}, {own.measure}", "lower is better")
        drawn = altair.layer(*layers.curves(base, y, kinds))
        panels.append(drawn.properties(width=PAGE // 2 - 90, height=190, title=title))
    return layers.concatenated(panels)


def variance(result: rs.RepeatsStudy) -> Drawing:
    """The error variance of a system's mean by one repeat: by topics, by repeats, and what repeats change by topic."""
    kinds = ("topics", "repeats, on all topics", "repeats, topic by topic")
    names = layers.distinct([f"{own.judge}, {own.measure}" for own in result.judged], 50)
    rows = []
    for name, own in zip(names, result.judged, strict=True):
        parts = (own.by_topics.variance / own.topics, own.by_repeats, own.by_both.variance / own.topics)
        whole = sum(parts) or 1.0
        rows += [
            {"row": name, "kind": kind, "place": place, "variance": part, "share": part / whole}
            for place, (kind, part) in enumerate(zip(kinds, parts, strict=True))
        ]
    tips = ["row:N", "kind:N", *layers.numbers("variance", format=".3g"), *layers.numbers("share", format=".1%")]
    return (
        layers.plot(rows)
        .mark_bar()
        .encode(
            y=layers.row_axis(names, grid=False),
            x=altair.X("share:Q", title="share of the error variance of one repeat", axis=altair.Axis(format="%")),
            color=layers.colours(kinds),
            order="place:Q",
            tooltip=tips,
        )
        .properties(width=PAGE // 2, height=layers.step(22))
    )


def profiles(result: rs.ProfilesStudy) -> Drawing:
    """Scores against correlations with the other systems, with the names of the lowest."""
    names = layers.distinct([own.system for own in result.profiles])
    rows = [
        {"system": name, "score": own.score, "rank": own.rank, "r": own.correlation, **layers.ends(own.interval)}
        for name, own in zip(names, result.profiles, strict=True)
        if own.correlation is not None
    ]
    x = altair.X("r:Q", title="correlation over topics with the mean of the others", scale=altair.Scale(zero=False))
    measure = title_text(result.measure or "score", 20)
    y = altair.Y("score:Q", title=f"{measure} (higher is better)", scale=altair.Scale(zero=False))
    tips = ["system:N", "rank:Q", *layers.numbers("score", "r", "low", "high")]
    base = layers.plot(rows).encode(y=y, tooltip=tips)
    named = layers.plot(rows[:_NAMED]).mark_text(align="left", dx=6).encode(x=x, y=y, text="system:N")
    return altair.layer(
        base.mark_rule(opacity=0.25).encode(x="low:Q", x2="high:Q"),
        base.mark_point(filled=True, size=34).encode(x=x),
        named,
    ).properties(width=PAGE // 2, height=260)
