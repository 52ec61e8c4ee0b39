"""The looks of charts and pages: fonts, sizes, and colours for every kind of colour vision, light and dark.

Charts name styles and take their neutral colours from here through Vega's `config`, so that one specification can be
drawn light or dark. A difference in colour is always also a difference in shape or dash.
"""

from __future__ import annotations

import sys
from typing import Any, Literal, get_args

from rankscope.aggregates import AGGREGATES, AggregateName
from rankscope.checks import check_choice
from rankscope.errors import BadParameter

Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = get_args(Theme)

# The widths of a column and of a page of a two-column paper (3.4 and 7 inches) in Vega's pixels, 96 to the inch.
COLUMN, PAGE = 326, 672

# Okabe & Ito's colours, distinct for any colour vision, ordered so that neighbours differ in lightness.
BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, YELLOW, GREY = "#E69F00", "#56B4E9", "#F0E442", "#8C8C8C"
PALETTE = (BLUE, ORANGE, GREEN, PURPLE, VERMILION, SKY, GREY, YELLOW)
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
DASHES = ([1, 0], [6, 2], [2, 2], [8, 2, 2, 2], [4, 4], [1, 3], [10, 3], [6, 2, 2, 2, 2, 2])

# How a verdict is marked everywhere: a tone, which pages and charts have a colour for, the sign of pages, and the shape
# of charts that looks like it.
VERDICT_MARKS: dict[str, tuple[str, str, str]] = {
    "interchangeable": ("good", "●", "circle"),
    "substitute": ("good", "◆", "diamond"),
    "substitute with more topics": ("fair", "▶", "triangle-right"),
    "clear differences only": ("poor", "▲", "triangle-up"),
    "undecided": ("none", "▼", "triangle-down"),
    "not a substitute": ("bad", "■", "square"),
    "no better than random labels": ("bad", "✚", "cross"),
    "no better than random scores": ("bad", "✚", "cross"),
}
# Darker than the other grey, which people who do not see green would take for it.
TONES = {"good": GREEN, "fair": BLUE, "poor": ORANGE, "bad": VERMILION, "none": "#6E6E6E"}

_FONT = "Arial, Helvetica, 'Liberation Sans', 'DejaVu Sans', sans-serif"
_LABEL, _TITLE, _HEADING = 10, 11, 12

# Light and dark: background, text, secondary text, grid lines, and bands.
_COLOURS: dict[str, tuple[str, str]] = {
    "paper": ("#ffffff", "#16181c"),
    "ink": ("#1a1a1a", "#ececec"),
    "faint": ("#5c5c5c", "#a8a8a8"),
    "grid": ("#e4e4e4", "#33363c"),
    "band": ("#eeeeee", "#26292f"),
}
# The ramp of heat maps from the lowest value to the highest.
_RAMPS: dict[Theme, list[str]] = {
    "light": ["#f2f6fb", "#c6dbef", "#6baed6", "#2171b5", "#08306b"],
    "dark": ["#1d2a38", "#1f4e79", "#2f86c4", "#8cc4ea", "#f2f9ff"],
}
# The same for pages, by the names of CSS variables; `mark` is the highlight, the last five are for verdicts.
_PAGE_COLOURS: dict[str, tuple[str, str]] = {
    "paper": ("#ffffff", "#16181c"),
    "card": ("#f6f7f9", "#1e2127"),
    "ink": ("#1a1c20", "#ececec"),
    "faint": ("#555b66", "#b0b5be"),
    "line": ("#d9dde3", "#363b44"),
    "link": ("#0b5c94", "#7cc0f0"),
    "focus": ("#0b5c94", "#9ad0f5"),
    "mark": ("#c2185b", "#ff6fa3"),
    "mark-edge": ("#1a1c20", "#ffffff"),
    "mark-text": ("#a3124b", "#ff9dc0"),
    "mark-row": ("#fde7ef", "#4a2335"),
    "good": ("#0b6b4f", "#5fd3ad"),
    "fair": ("#0b5c94", "#7cc0f0"),
    "poor": ("#a84300", "#f5a767"),
    "bad": ("#a3123a", "#ff8aa5"),
    "none": ("#555b66", "#b0b5be"),
}
PAGE_COLOURS: dict[Theme, dict[str, str]] = {
    theme: {name: pair[i] for name, pair in _PAGE_COLOURS.items()} for i, theme in enumerate(THEMES)
}


def config(theme: Theme = "light") -> dict[str, Any]:
    """Vega-Lite's `config` of a theme."""
    check_choice("theme", theme, THEMES)
    c = {name: pair[THEMES.index(theme)] for name, pair in _COLOURS.items()}
    ramp = _RAMPS[theme]
    sizes = {"labelFontSize": _LABEL, "titleFontSize": _TITLE, "labelColor": c["ink"], "titleColor": c["ink"]}
    axis = {
        **sizes,
        "titleFontWeight": "normal",
        "domainColor": c["faint"],
        "tickColor": c["faint"],
        "gridColor": c["grid"],
        "labelLimit": 150,
        "labelSeparation": 4,
        "titleLimit": PAGE,
        "titlePadding": 6,
    }
    heading = {"fontWeight": "normal", "color": c["ink"], "subtitleColor": c["faint"], "anchor": "start"}
    return {
        "background": c["paper"],
        "font": _FONT,
        "padding": 6,
        "view": {"stroke": None},
        "axis": axis,
        "header": {**sizes, "labelFontSize": _TITLE},
        "legend": {
            **sizes,
            "titleFontWeight": "normal",
            "labelLimit": 260,
            "symbolSize": 60,
            "symbolOpacity": 1,
            "orient": "bottom",
            "columns": 4,
        },
        "title": {**heading, "fontSize": _HEADING, "subtitleFontSize": _LABEL, "limit": PAGE, "offset": 8},
        "concat": {"spacing": 18},
        "range": {"category": list(PALETTE), "heatmap": ramp, "ramp": ramp, "ordinal": ramp},
        "mark": {"color": BLUE},
        "rule": {"color": c["ink"]},
        "point": {"size": 42, "opacity": 0.95, "strokeWidth": 1.4},
        "line": {"strokeWidth": 1.8},
        "text": {"color": c["ink"], "fontSize": _LABEL},
        # `color` and not `stroke` or `fill`: Vega-Lite sets those from it, or else from its own default.
        "style": {
            # A line to compare with: a diagonal, a target, zero.
            "reference": {"color": c["faint"], "strokeDash": [4, 3], "strokeWidth": 1},
            "whisker": {"color": c["faint"], "strokeWidth": 1, "opacity": 0.5},
            "ink": {"color": c["ink"], "strokeWidth": 1.4},
            "hollow": {"color": c["ink"], "strokeWidth": 1.1, "opacity": 1.0},
            "band": {"color": c["band"]},
            "bar": {"color": c["faint"]},
            "faint": {"color": c["faint"], "strokeWidth": 1, "opacity": 0.6},
            "note": {"color": c["faint"], "fontSize": _LABEL},
            "label": {"color": c["ink"], "fontSize": 9},
        },
    }


def check_docstrings() -> None:
    """Raise `BadParameter` where Python runs without docstrings: Altair cannot be imported then."""
    if sys.flags.optimize > 1:
        raise BadParameter("charts and pages cannot be made by `python -OO` (PYTHONOPTIMIZE=2); use -O, or neither")


def heading(text: str | None, *lines: str) -> Any:
    """The title of a chart with subtitles below it; without text, the subtitles alone."""
    import altair

    below = [label(line, 160) for line in lines if line]
    if text is None:
        return altair.TitleParams(text=below, fontSize=_LABEL) if below else altair.Undefined
    return altair.TitleParams(text=label(text, 110), subtitle=below if below else altair.Undefined)


def label(text: str, most: int = 40) -> str:
    r"""Text as a chart shows it: on one line, without control characters, at most `most` characters long.

    >>> label("run\tone"), label("x" * 12, 8), label("</script>")
    ('run one', 'xxx…xxxx', '</script>')
    """
    words = "".join(c if c.isprintable() else " " if c.isspace() else "�" for c in text)
    shown = " ".join(words.split()) if words.strip() else "�"
    if len(shown) <= most:
        return shown
    tail = most // 2
    return f"{shown[: most - 1 - tail]}…{shown[-tail:]}"


def title_text(text: str, most: int = 40) -> str:
    r"""A name as part of the title of an axis or tooltip, without backslashes.

    Vega-Lite writes these titles into expressions and escapes quotes there but no backslashes, which end the string.

    >>> print(title_text("runs\\judge"))
    runs∖judge
    """
    return label(text, most).replace("\\", "∖")


def better(what: str, *, higher: bool = True) -> str:
    """An axis title that says which way is better."""
    return f"{what} ({'higher' if higher else 'lower'} is better)"


def score_of(measure: str | None, aggregate: AggregateName = "mean") -> str:
    """What ranks the systems: "mean AP", "median TER", "mean win rate by AP".

    >>> score_of("AP"), score_of(None), score_of("AP", "win_rate")
    ('mean AP', 'mean score', 'mean win rate by AP')
    """
    how = AGGREGATES[aggregate]
    name = "score" if measure is None else title_text(measure)
    if how.own_scale:
        return f"{how.label} {name}"
    return how.label if measure is None else f"{how.label} by {name}"


def mean_of(
    measure: str | None, role: str | None = None, aggregate: AggregateName = "mean", *, lower_is_better: bool = False
) -> str:
    """The title of an axis of system means: "human: mean AP (higher is better)"."""
    what = score_of(measure, aggregate)
    return better(what if role is None else f"{role}: {what}", higher=not lower_is_better)


def spread(values: list[str], most: int) -> list[int]:
    """The indices of at most `most` values, evenly spaced, including the first and the last.

    >>> spread(list("abcdefg"), 3)
    [0, 3, 6]
    """
    if len(values) <= most:
        return list(range(len(values)))
    return sorted({round(i * (len(values) - 1) / (most - 1)) for i in range(most)})
