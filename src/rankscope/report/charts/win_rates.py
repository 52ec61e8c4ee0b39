"""Win rates of pairs of systems on both sides, with the fitted curve."""

from __future__ import annotations

import altair
import numpy as np

import rankscope as rs
from rankscope.report.charts import layers
from rankscope.report.charts.layers import Drawing, Row
from rankscope.report.charts.sides import Sides, panels
from rankscope.report.theme import BLUE, COLUMN, VERMILION, heading, label
from rankscope.studies.decisiveness import beta_cdf

# Pairs drawn, spread evenly over all; each stands for both of its directions.
_PAIRS = 1000


def decisiveness(result: rs.Comparison) -> Drawing:
    """A panel for every estimate whose decisiveness was asked for."""
    return panels(result, decisiveness_panel)


def decisiveness_panel(sides: Sides) -> Drawing | None:
    """Every pair twice, once from each of its systems; the diagonal is the truth's own win rate."""
    decisiveness = sides.comparison.decisiveness
    if decisiveness is None:
        return None
    step = -(-len(decisiveness.pairs) // _PAIRS)
    rows: list[Row] = []
    for pair in decisiveness.pairs[::step]:
        first, second = label(pair.first, 40), label(pair.second, 40)
        rows.append({"x": pair.truth, "y": pair.estimate, "pair": f"{first} over {second}"})
        rows.append({"x": 1.0 - pair.truth, "y": 1.0 - pair.estimate, "pair": f"{second} over {first}"})
    at = np.linspace(0.0, 1.0, 101)
    curve = [{"x": float(x), "y": float(y)} for x, y in zip(at, beta_cdf(at, decisiveness.alpha), strict=True)]
    unit = altair.Scale(domain=[0, 1], nice=False)
    x = altair.X("x:Q", title=f"win rate by {sides.truth}", scale=unit)
    y = altair.Y("y:Q", title=f"win rate by {sides.estimate}", scale=unit)
    tip = [altair.Tooltip("pair:N", title=" "), *layers.numbers("x", "y", format=".2f")]
    return altair.layer(
        layers.diagonal("x", "y", (0.0, 1.0)),
        layers.plot(rows).mark_point(filled=True, color=BLUE, opacity=0.45, size=18).encode(x=x, y=y, tooltip=tip),
        layers.plot(curve).mark_line(color=VERMILION, strokeWidth=2).encode(x=x, y=y),
    ).properties(
        width=COLUMN - 120,
        height=COLUMN - 120,
        title=heading(
            sides.title,
            f"decisiveness α {decisiveness.alpha:.2f}; spread of biases {decisiveness.spread:.3f}; dashed: equal",
        ),
    )
