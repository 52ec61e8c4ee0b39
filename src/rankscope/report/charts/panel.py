"""Charts of the study of panels."""

from __future__ import annotations

import altair

import rankscope as rs
from rankscope.errors import BadParameter
from rankscope.report.charts import layers
from rankscope.report.charts.layers import Drawing
from rankscope.report.charts.worth import on_axis, worth_x
from rankscope.report.numbers import decimals
from rankscope.report.terminal_panel import OF
from rankscope.report.theme import COLUMN, heading, title_text
from rankscope.results import plain

_KINDS = ("judge", "panel", "panel without a judge")


def worth(result: rs.PanelStudy) -> Drawing:
    """Worth with its interval, of judges and panels; beside a panel, its worth without each member."""
    panels = []
    for measure in result.measures:
        own = [row for row in (*result.agreements, *result.left_out) if row.measure == measure and row.worth]
        whole = sorted((row for row in own if row.left_out is None), key=lambda row: -(row.worth or 0.0))
        if not whole:
            continue
        order = layers.distinct([row.name for row in whole], 30)
        shown = dict(zip([row.name for row in whole], order, strict=True))
        rows = [
            {
                "row": shown[row.name],
                "kind": _KINDS[2] if row.left_out else _KINDS[0] if row.how is None else _KINDS[1],
                "without": row.left_out or "",
                "worth": plain(row.worth),
                "value": on_axis(row.worth or 0.0),
                "low": None if row.interval is None or row.left_out else on_axis(row.interval.low),
                "high": None if row.interval is None or row.left_out else on_axis(row.interval.high),
            }
            for row in own
            if row.name in shown
        ]
        x = worth_x("value", f"worth of a topic, in topics of {title_text(result.truth, 30)}")
        colours = layers.categories(list(_KINDS))
        base = layers.plot(rows).encode(
            y=layers.row_axis(order), tooltip=["row:N", "kind:N", "without:N", *layers.numbers("worth", format=".2f")]
        )
        left = base.transform_filter("datum.kind == 'panel without a judge'")
        main = base.transform_filter("datum.kind != 'panel without a judge'")
        drawn = [
            layers.line_at(x=1.0),
            left.mark_point(size=18, opacity=0.7).encode(x=x, **colours),
            *layers.interval_marks(main, x, colours),
        ]
        panel = altair.layer(*drawn).properties(
            width=COLUMN - 60, height=altair.Step(22), title=heading(measure, "dashed: worth 1")
        )
        panels.append(panel)
    return layers.concatenated(panels, columns=1)


def errors(result: rs.PanelStudy) -> Drawing:
    """Correlations of errors of every two judges, a heat map for each kind of error."""
    if not result.shared:
        raise BadParameter("one judge shares its errors with nobody; give two judges at least")
    panels = []
    for shared in result.shared:
        pairs = [pair for pair in result.errors if (pair.of, pair.measure) == (shared.of, shared.measure)]
        names = list(dict.fromkeys(name for pair in pairs for name in (pair.first, pair.second)))
        values = [pair.correlation for pair in pairs]
        counts = {"documents": result.documents, "scores": result.systems * result.topics, "systems": result.systems}
        drawn = layers.pair_matrix(names, values, [counts[shared.of]] * len(pairs), shared.of, "errors of")
        under = f"{shared.measure}: " if shared.measure else ""
        note = f"mean {decimals(shared.correlation, 2)}: {decimals(shared.effective, 1)} effective judges"
        panels.append(drawn.properties(title=heading(f"{under}{OF[shared.of]}", note)))
    return layers.concatenated(panels)
