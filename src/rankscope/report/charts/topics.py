"""The influence of topics: how coefficients change when a topic is left out."""

from __future__ import annotations

import altair

from rankscope.coefficients import coefficient
from rankscope.inference.influence import TopicInfluence
from rankscope.report.charts.layers import Drawing, colours, concatenated, line_at, numbers, plot
from rankscope.report.theme import COLUMN, PAGE, VERMILION, heading, label

_LABELLED = 5
# Paler than the theme's grey, so that grey print keeps it apart from the other colour.
_PALE = "#B5B5B5"
_KINDS = ("agreement higher without it", "not higher without it")


def influence(result: TopicInfluence) -> Drawing:
    """A panel per coefficient: topics from the greatest rise to the greatest fall when they are left out."""
    return concatenated([_panel(result, place) for place in range(len(result.coefficients))])


def _panel(result: TopicInfluence, place: int) -> Drawing:
    changes = result.changes[place].tolist()
    order = sorted(range(len(changes)), key=lambda t: -changes[t] if changes[t] == changes[t] else float("inf"))
    rows = [
        {
            "place": i + 1,
            "topic": label(result.topics[t], 60),
            "change": changes[t],
            "without": float(result.without[place, t]),
            "kind": _KINDS[0] if changes[t] > 0.0 else _KINDS[1],
        }
        for i, t in enumerate(order)
    ]
    name = result.coefficients[place]
    symbol = coefficient(name).symbol
    base = plot(rows).encode(
        x=altair.X("place:Q", title="topic, by decreasing change", scale=altair.Scale(nice=False, zero=False)),
        tooltip=["topic:N", *numbers("change", format="+.4f"), *numbers("without")],
    )
    y = altair.Y("change:Q", title=f"change of {symbol} without the topic")
    carriers = ", ".join(row["topic"] for row in rows[:_LABELLED] if row["change"] is not None and row["change"] > 0.0)
    width = COLUMN - 80 if len(result.coefficients) == 1 else PAGE // 2 - 80
    thick = max(0.6, min(4.0, 0.6 * width / len(rows)))
    stems = base.mark_rule(strokeWidth=thick).encode(y=y, y2=altair.datum(0), color=colours(_KINDS, (VERMILION, _PALE)))
    return altair.layer(line_at(y=0, style="faint"), stems).properties(
        width=width,
        height=170,
        title=heading(
            f"{symbol} is {float(result.values[place]):.3f} with all {len(rows)} topics",
            f"higher without {carriers}" if carriers else "",
        ),
    )
