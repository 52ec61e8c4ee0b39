"""Coefficients as points with intervals, beside what random labels reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankscope.inference.agreement import Bootstrap
from rankscope.inference.permutation import Permutation
from rankscope.report.charts.parts import Drawing, Row, bars, categories, distinct, histogram, marks, rows_of
from rankscope.report.theme import BLUE, COLUMN, GREY, PAGE, better, heading, label
from rankscope.studies.comparison_result import CoefficientValue, Comparison, EstimateComparison

# Where a coefficient may lie: an interval by the coefficient's name.
Ranges = Mapping[str, tuple[float, float]]

_STEP, _MORE = 20, 9
_DRAWN = 6


def coefficients(result: Comparison) -> Drawing:
    """All coefficients of all estimates."""
    return coefficients_panel(result.estimates, note=f"{result.settings['level']:.0%} intervals")


def coefficients_panel(
    estimates: Sequence[EstimateComparison],
    *,
    chance: Ranges | None = None,
    note: str = "",
) -> Drawing:
    """The coefficients of these estimates, those that go by two names once; what `chance` gives is shaded."""
    import altair

    names = distinct([e.name for e in estimates])
    folded = [one for one in estimates[0].coefficients if one.same_as is None or not _twin(one, estimates[0])]
    shown = dict(zip([one.name for one in folded], distinct([one.symbol for one in folded]), strict=True))
    rows = [
        {
            "row": shown[one.name],
            "coefficient": one.name,
            "kind": name,
            "value": one.value,
            "low": None if one.interval is None else one.interval.low,
            "high": None if one.interval is None else one.interval.high,
            "looks at": one.looks_at,
        }
        for name, estimate in zip(names, estimates, strict=True)
        for one in estimate.coefficients
        if one.name in shown
    ]
    order = list(shown.values())
    several = len(names) > 1
    base = altair.Chart(rows_of(rows)).encode(
        y=altair.Y("row:N", title=None, sort=None, scale=altair.Scale(domain=order), axis=altair.Axis(grid=True)),
        tooltip=[
            altair.Tooltip("kind:N", title="estimate"),
            altair.Tooltip("coefficient:N"),
            altair.Tooltip("looks at:N"),
            *(altair.Tooltip(f"{field}:Q", format=".4f") for field in ("value", "low", "high")),
        ],
    )
    if several:
        base = base.encode(yOffset=altair.YOffset("kind:N", scale=altair.Scale(domain=names)))
    x = altair.X("value:Q", title="agreement with the truth (1 is perfect)", scale=altair.Scale(zero=False, nice=True))
    encoding = categories(names)
    layers = [
        *_shades(shown, chance),
        base.mark_rule(strokeWidth=1.6).encode(x=altair.X("low:Q"), x2=altair.X2("high:Q"), color=encoding["color"]),
        base.mark_point(filled=True).encode(x=x, **encoding),
    ]
    said = [note if any(row["low"] is not None for row in rows) else "", "grey: random labels" if chance else ""]
    if not several:
        layers[-1] = base.mark_point(filled=True, color=BLUE).encode(x=x)
        layers[-2] = base.mark_rule(strokeWidth=1.6, color=BLUE).encode(x=altair.X("low:Q"), x2=altair.X2("high:Q"))
    title = heading(names[0] if not several else None, "; ".join(part for part in said if part))
    step = _STEP if not several else max(_STEP, _MORE * len(names) + 4)
    return altair.layer(*layers).properties(
        width=COLUMN - 100, height=altair.Step(step, **{"for": "position"}), title=title
    )


def _shades(shown: Mapping[str, str], ranges: Ranges | None) -> list[Drawing]:
    import altair

    if not ranges:
        return []
    rows = [
        {"row": shown[name], "low": low, "high": high, "what": "random labels"}
        for name, (low, high) in ranges.items()
        if name in shown
    ]
    return [
        altair.Chart(rows_of(rows))
        .mark_bar(color=GREY, opacity=0.28, height={"band": 0.9})
        .encode(
            x=altair.X("low:Q"),
            x2=altair.X2("high:Q"),
            y=altair.Y("row:N"),
            tooltip=[altair.Tooltip("what:N"), altair.Tooltip("low:Q"), altair.Tooltip("high:Q")],
        )
    ]


def _twin(one: CoefficientValue, estimate: EstimateComparison) -> bool:
    """Whether the coefficient of which this is another name is there too."""
    return any(other.name == one.same_as for other in estimate.coefficients)


def contrasts(result: Comparison) -> Drawing:
    """Differences of agreement between every two estimates, with intervals; a row per pair, a panel per coefficient."""
    import altair

    from rankscope.errors import BadParameter

    if not result.contrasts:
        raise BadParameter(
            "there are no contrasts: they need two estimates at least, with the same topics to draw from"
        )
    known = ("tau_b", "tau_ap", "tau_gap", "pearson_rank")
    chosen = [name for name in known if any(c.name == name for c in result.contrasts)] or [result.contrasts[0].name]
    symbols = {c.name: c.symbol for e in result.estimates for c in e.coefficients}
    rows = [
        {
            "row": f"{label(c.first, 24)} − {label(c.second, 24)}",
            "coefficient": c.name,
            "kind": "p ≤ 0.05" if c.adjusted is not None and c.adjusted <= 0.05 else "p > 0.05",
            "difference": c.difference,
            "low": None if c.interval is None else c.interval.low,
            "high": None if c.interval is None else c.interval.high,
            "p": c.adjusted,
        }
        for c in result.contrasts
        if c.name in chosen
    ]
    order = list(dict.fromkeys(row["row"] for row in rows))
    zero = altair.Chart(rows_of([{"x": 0}])).mark_rule(style="reference").encode(x=altair.X("x:Q"))
    panels = []
    for place, name in enumerate(chosen):
        base = altair.Chart(rows_of([row for row in rows if row["coefficient"] == name])).encode(
            y=altair.Y(
                "row:N", title=None, sort=None, scale=altair.Scale(domain=order),
                axis=altair.Axis(labels=place == 0, ticks=place == 0, grid=True, labelLimit=300),
            ),
            tooltip=[
                altair.Tooltip("row:N"),
                *(altair.Tooltip(f"{f}:Q", format=".4f") for f in ("difference", "low", "high", "p")),
            ],
        )  # fmt: skip
        x = altair.X("difference:Q", title=f"difference in {symbols.get(name, name)}")
        kinds = categories(("p ≤ 0.05", "p > 0.05"), (BLUE, GREY), ("circle", "square"))
        panel = altair.layer(
            zero,
            base.mark_rule(strokeWidth=1.6).encode(x=altair.X("low:Q"), x2=altair.X2("high:Q"), color=kinds["color"]),
            base.mark_point(filled=True).encode(x=x, **kinds),
        )
        panels.append(panel.properties(width=(PAGE - 190) // len(chosen) - 20, height=altair.Step(_STEP)))
    return altair.hconcat(*panels).properties(
        title=heading("Which estimate agrees more?", "p by Holm over all pairs of estimates")
    )


def bootstrap(result: Bootstrap) -> Drawing:
    """Coefficients with their intervals."""
    import altair

    rows: list[Row] = [
        {
            "row": one.name,
            "value": one.value,
            "low": None if one.interval is None else one.interval.low,
            "high": None if one.interval is None else one.interval.high,
            "standard error": one.standard_error,
        }
        for one in result.values
    ]
    base = altair.Chart(rows_of(rows)).encode(
        y=altair.Y("row:N", title=None, sort=None, scale=altair.Scale(domain=[row["row"] for row in rows])),
        tooltip=[
            altair.Tooltip("row:N"),
            *(altair.Tooltip(f"{f}:Q", format=".4f") for f in ("value", "low", "high", "standard error")),
        ],
    )
    x = altair.X("value:Q", title="agreement with the truth (1 is perfect)", scale=altair.Scale(zero=False))
    level = f"{result.settings['level']:.0%} intervals over {result.settings['resamples']:,} draws of topics"
    return altair.layer(
        base.mark_rule(strokeWidth=1.6, color=BLUE).encode(x=altair.X("low:Q"), x2=altair.X2("high:Q")),
        base.mark_point(filled=True, color=BLUE).encode(x=x),
    ).properties(width=COLUMN - 100, height=altair.Step(_STEP), title=heading(None, level))


def bootstrap_draws(result: Bootstrap) -> Drawing:
    """The draws of each coefficient, with its value."""
    import altair

    panels = []
    for one in result.values[:_DRAWN]:
        drawn = histogram(one.draws)
        panels.append(
            altair.layer(bars(drawn, better(one.name)), marks([("observed", one.value)])).properties(
                width=PAGE // 2 - 80, height=120
            )
        )
    return panels[0] if len(panels) == 1 else altair.concat(*panels, columns=2)


def permutation(result: Permutation) -> Drawing:
    """The value beside the mean under chance."""
    import altair

    rows = [{"row": result.name, "value": result.value, "chance": result.chance, "p": result.pvalue}]
    base = altair.Chart(rows_of(rows)).encode(
        y=altair.Y("row:N", title=None),
        tooltip=[altair.Tooltip("row:N"), altair.Tooltip("value:Q"), altair.Tooltip("chance:Q"), altair.Tooltip("p:Q")],
    )
    x = altair.X("value:Q", title="agreement with the truth (1 is perfect)")
    p = "" if result.pvalue is None else f"p {result.pvalue:.4f}, by {result.permutations:,} permutations"
    return altair.layer(
        base.mark_rule(style="whisker").encode(x=altair.X("chance:Q"), x2=altair.X2("value:Q")),
        base.mark_tick(thickness=2, style="ink").encode(x=altair.X("chance:Q")),
        base.mark_point(filled=True, color=BLUE, size=60).encode(x=x),
    ).properties(width=COLUMN - 100, height=40, title=heading(None, f"tick: mean under chance. {p}"))
