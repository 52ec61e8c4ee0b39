"""Which topics carry the disagreement: how coefficients move when one is left out."""

from __future__ import annotations

from rankscope.coefficients import coefficient
from rankscope.inference.influence import TopicInfluence
from rankscope.report.charts.layers import Drawing, rows_of
from rankscope.report.theme import COLUMN, GREY, PAGE, VERMILION, heading, label

_LABELLED = 5


def influence(result: TopicInfluence) -> Drawing:
    """A panel per coefficient: topics from the one whose absence helps most to the one whose absence hurts most."""
    import altair

    panels = [_panel(result, place) for place in range(len(result.coefficients))]
    return panels[0] if len(panels) == 1 else altair.concat(*panels, columns=2)


def _panel(result: TopicInfluence, place: int) -> Drawing:
    import altair

    changes = result.changes[place].tolist()
    order = sorted(range(len(changes)), key=lambda t: -changes[t] if changes[t] == changes[t] else float("inf"))
    rows = [
        {
            "place": i + 1,
            "topic": label(result.topics[t], 60),
            "change": changes[t],
            "without": float(result.without[place, t]),
            "kind": "carries disagreement" if changes[t] > 0.0 else "carries agreement",
        }
        for i, t in enumerate(order)
    ]
    name = result.coefficients[place]
    symbol = coefficient(name).symbol
    base = altair.Chart(rows_of(rows)).encode(
        x=altair.X("place:Q", title="topic, in the order of its influence", scale=altair.Scale(nice=False, zero=False)),
        tooltip=["topic:N", altair.Tooltip("change:Q", format="+.4f"), altair.Tooltip("without:Q", format=".4f")],
    )
    y = altair.Y("change:Q", title=f"change of {symbol} without the topic")
    kinds = ["carries disagreement", "carries agreement"]
    colour = altair.Color("kind:N", title=None, scale=altair.Scale(domain=kinds, range=[VERMILION, GREY]))
    carriers = ", ".join(row["topic"] for row in rows[:_LABELLED] if row["change"] is not None and row["change"] > 0.0)
    zero = altair.Chart(rows_of([{"y": 0}])).mark_rule(style="reference").encode(y="y:Q")
    width = COLUMN - 80 if len(result.coefficients) == 1 else PAGE // 2 - 80
    return altair.layer(
        zero,
        base.mark_rule(strokeWidth=max(0.6, min(4.0, 0.6 * width / len(rows)))).encode(
            y=y, y2=altair.datum(0), color=colour
        ),
    ).properties(
        width=width,
        height=170,
        title=heading(
            f"{symbol} is {float(result.values[place]):.3f} with all {len(rows)} topics",
            f"higher without {carriers}" if carriers else "",
        ),
    )
