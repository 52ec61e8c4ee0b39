"""How every chart looks: fonts, sizes, colours that all can distinguish, light and dark.

Charts name styles and take their neutral colours from here through Vega's `config`, so that one specification is drawn
light or dark. Where colour distinguishes, a shape or a dash does so too.
"""

from __future__ import annotations

import sys
from typing import Any, Literal, get_args

from rankscope.errors import BadParameter

Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = get_args(Theme)

# A column and a page of a two-column paper, in Vega's pixels: 96 to the inch, 3.4 and 7 inches.
COLUMN, PAGE = 326, 672

# Okabe & Ito's colours, distinct with any colour vision, in an order in which neighbours differ in lightness.
BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, YELLOW, GREY = "#E69F00", "#56B4E9", "#F0E442", "#8C8C8C"
PALETTE = (BLUE, ORANGE, GREEN, PURPLE, VERMILION, SKY, GREY, YELLOW)
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
DASHES = ([1, 0], [6, 2], [2, 2], [8, 2, 2, 2], [4, 4], [1, 3], [10, 3], [6, 2, 2, 2, 2, 2])

_FONT = "Arial, Helvetica, 'Liberation Sans', 'DejaVu Sans', sans-serif"
_LABEL, _TITLE, _HEADING = 10, 11, 12

# Paper, ink, ink for what is secondary, lines of a grid, and the ramp of heat maps from nothing to most.
_COLOURS: dict[Theme, dict[str, Any]] = {
    "light": {
        "paper": "#ffffff",
        "ink": "#1a1a1a",
        "faint": "#5c5c5c",
        "grid": "#e4e4e4",
        "band": "#eeeeee",
        "ramp": ["#f2f6fb", "#c6dbef", "#6baed6", "#2171b5", "#08306b"],
    },
    "dark": {
        "paper": "#16181c",
        "ink": "#ececec",
        "faint": "#a8a8a8",
        "grid": "#33363c",
        "band": "#26292f",
        "ramp": ["#1d2a38", "#1f4e79", "#2f86c4", "#8cc4ea", "#f2f9ff"],
    },
}


def config(theme: Theme = "light") -> dict[str, Any]:
    """Vega-Lite's `config` of a theme."""
    if theme not in THEMES:
        raise BadParameter(f"theme={theme!r}: choose one of {', '.join(THEMES)}")
    c = _COLOURS[theme]
    axis = {
        "labelFontSize": _LABEL,
        "titleFontSize": _TITLE,
        "titleFontWeight": "normal",
        "labelColor": c["ink"],
        "titleColor": c["ink"],
        "domainColor": c["faint"],
        "tickColor": c["faint"],
        "gridColor": c["grid"],
        "labelLimit": 150,
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
        "header": {"labelFontSize": _TITLE, "titleFontSize": _TITLE, "labelColor": c["ink"], "titleColor": c["ink"]},
        "legend": {
            "labelFontSize": _LABEL,
            "titleFontSize": _TITLE,
            "titleFontWeight": "normal",
            "labelColor": c["ink"],
            "titleColor": c["ink"],
            "labelLimit": 260,
            "symbolSize": 60,
            "symbolOpacity": 1,
            "orient": "bottom",
            "columns": 4,
        },
        "title": {**heading, "fontSize": _HEADING, "subtitleFontSize": _LABEL, "limit": PAGE, "offset": 8},
        "concat": {"spacing": 18},
        "range": {"category": list(PALETTE), "heatmap": c["ramp"], "ramp": c["ramp"], "ordinal": c["ramp"]},
        "mark": {"color": BLUE},
        "rule": {"color": c["ink"]},
        "point": {"size": 42, "opacity": 0.95, "strokeWidth": 1.4},
        "line": {"strokeWidth": 1.8},
        "text": {"color": c["ink"], "fontSize": _LABEL},
        # `color` and not `stroke` or `fill`: Vega-Lite sets those from it, or else from its own default.
        "style": {
            # What is there to compare with: a diagonal, a target, zero.
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
    """A chart's title, with a quieter line or more below it; without text those lines alone."""
    import altair

    below = [label(line, 160) for line in lines if line]
    if text is None:
        return altair.TitleParams(text=below, fontSize=_LABEL) if below else altair.Undefined
    return altair.TitleParams(text=label(text, 110), subtitle=below if below else altair.Undefined)


def label(text: str, most: int = 40) -> str:
    r"""Text that a chart can show: on one line, without control characters, and no longer than `most`.

    >>> label("run\tone"), label("x" * 12, 8), label("</script>")
    ('run one', 'xxx…xxxx', '</script>')
    """
    words = "".join(c if c.isprintable() else " " if c.isspace() else "�" for c in text)
    shown = " ".join(words.split()) if words.strip() else "�"
    if len(shown) <= most:
        return shown
    tail = most // 2
    return f"{shown[: most - 1 - tail]}…{shown[-tail:]}"


def better(what: str, *, higher: bool = True) -> str:
    """An axis title that says which way is better."""
    return f"{what} ({'higher' if higher else 'lower'} is better)"


def mean_of(measure: str | None, role: str | None = None) -> str:
    """The title of an axis of system means: "truth: mean AP (higher is better)"."""
    what = "mean score" if measure is None else f"mean {label(measure)}"
    return better(what if role is None else f"{role}: {what}")


def spread(values: list[str], most: int) -> list[int]:
    """The places of at most so many values, evenly apart, the first and the last among them.

    >>> spread(list("abcdefg"), 3)
    [0, 3, 6]
    """
    if len(values) <= most:
        return list(range(len(values)))
    return sorted({round(i * (len(values) - 1) / (most - 1)) for i in range(most)})
