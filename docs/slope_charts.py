"""Small charts of a truth beside an estimate, as SVG text of our own: the same bytes whatever is installed.

Colours and fonts are those of the package's charts. Systems that rise are solid blue, those that fall dashed vermilion,
so that grey loses nothing. The paper is white, for pages that are dark.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape

from rankscope.report.theme import BLUE, GREY, VERMILION, config

WIDTH = 680  # the column of the site has 688
TEXT, SMALL, HEAD, VALUE = 13, 12, 14, 21
_THEME = config("light")
PAPER, INK = _THEME["background"], _THEME["axis"]["labelColor"]
FAINT, LINE = _THEME["axis"]["domainColor"], _THEME["axis"]["gridColor"]
_DOWN = {True: "", False: ' stroke-dasharray="6 3"'}
_APART = 15  # lines of labels nearer than this, in pixels, would touch


def document(parts: Sequence[str], *, height: float, title: str, description: str) -> str:
    """A whole SVG, with what a reader who cannot see it is told."""
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{WIDTH}" height="{height:g}" '
        f'viewBox="0 0 {WIDTH} {height:g}" font-family="{escape(_THEME["font"])}" font-size="{TEXT}" fill="{INK}">\n'
        f"<title>{escape(title)}</title>\n<desc>{escape(description)}</desc>\n"
        f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1:g}" rx="6" fill="{PAPER}" stroke="{LINE}"/>\n'
        f"{body}\n</svg>\n"
    )


def text(
    x: float, y: float, words: str, *, size: int = TEXT, anchor: str = "middle", colour: str = INK, bold: bool = False
) -> str:
    """One line of text; `_x` or `_{x}` after a letter is set as a subscript, which every viewer can draw by `dy`."""
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}"{weight}>'
        f"{_subscripts(words, size)}</text>"
    )


def _subscripts(words: str, size: int) -> str:
    down, small = round(size * 0.25), max(11, round(size * 0.75))

    def lowered(found: re.Match[str]) -> str:
        after = found[2]
        # What follows goes back up; a zero-width space carries the step where nothing follows.
        return (
            f'<tspan dy="{down}" font-size="{small}">{found[1]}</tspan><tspan dy="-{down}">{after or "&#8203;"}</tspan>'
        )

    return re.sub(r"(?<=[τρd])_([A-Za-z]+(?:,[ab])?)(.?)", lowered, escape(words))


def line(x1: float, y1: float, x2: float, y2: float, *, rises: float) -> str:
    """A system's line: it rises (above 0), falls (below 0), or stays."""
    if rises == 0.0:
        style = f'stroke="{GREY}" stroke-width="1.4"'
    else:
        style = f'stroke="{BLUE if rises > 0.0 else VERMILION}" stroke-width="2.6"{_DOWN[rises > 0.0]}'
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" {style}/>'


def dot(x: float, y: float, *, rises: float = 0.0, hollow: bool = False) -> str:
    """A system's place: a disc where it stays, a triangle up where it rises, down where it falls."""
    colour = GREY if rises == 0.0 else BLUE if rises > 0.0 else VERMILION
    fill = f'fill="{PAPER}" stroke="{colour}" stroke-width="1.4"' if hollow else f'fill="{colour}"'
    if rises == 0.0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" {fill}/>'
    tip = -5.0 if rises > 0.0 else 5.0
    points = f"{x - 5:.1f},{y - tip:.1f} {x + 5:.1f},{y - tip:.1f} {x:.1f},{y + tip:.1f}"
    return f'<polygon points="{points}" {fill}/>'


def slopes(
    *,
    left: float,
    right: float,
    top: float,
    height: float,
    truth: Mapping[str, float],
    estimate: Mapping[str, float],
    by_score: bool,
    scale: tuple[float, float] | None = None,
) -> list[str]:
    """Every system's line from the truth to the estimate, by score or by rank; what ties meets in one point.

    Each side has a scale of its own, since the order and the gaps are compared and not the level. A `scale` given, low
    and high, is that of both; the truth is then not labelled, for something stands to its left.
    """
    moves = movement(truth, estimate)
    sides = {}
    for name, scores in (("truth", truth), ("estimate", estimate)):
        places = scores if by_score else {system: -rank for system, rank in ranks(scores).items()}
        low, high = scale or ((min(places.values()), max(places.values())) if by_score else (-len(places), -1))
        sides[name] = {s: top + height * (high - value) / (high - low) for s, value in places.items()}
    drawn = sorted(truth, key=lambda s: abs(moves[s]))  # what moves lies above what stays
    parts = [line(left, sides["truth"][s], right, sides["estimate"][s], rises=moves[s]) for s in drawn]
    for s in drawn:
        parts += [dot(left, sides["truth"][s], rises=moves[s]), dot(right, sides["estimate"][s], rises=moves[s])]
    if scale is None:
        parts += _labels(left - 11, "end", truth, sides["truth"], by_score, (top, top + height))
    parts += _labels(right + 11, "start", estimate, sides["estimate"], by_score, (top, top + height))
    return parts


def _labels(
    x: float,
    anchor: str,
    scores: Mapping[str, float],
    places: Mapping[str, float],
    by_score: bool,
    within: tuple[float, float],
) -> list[str]:
    groups: dict[float, list[str]] = {}
    for system in sorted(scores):
        groups.setdefault(scores[system], []).append(system)
    ordered = sorted(groups, reverse=True)
    wanted = [places[groups[score][0]] for score in ordered]
    parts = []
    for score, y in zip(ordered, spread(wanted, _APART, within), strict=True):
        words = " = ".join(groups[score])
        if by_score:
            words = f"{words} {number(score)}" if anchor == "end" else f"{number(score)} {words}"
        parts.append(text(x, y + 4.5, words, anchor=anchor))
    return parts


def spread(wanted: Sequence[float], apart: float, within: tuple[float, float]) -> list[float]:
    """Places as near to those wanted (in ascending order) as keeps them so far apart and within these ends.

    >>> spread([20, 21, 40], 10, (0, 40)), spread([0, 1, 40], 10, (0, 40))
    ([15.5, 25.5, 40.0], [0.0, 10.0, 40.0])
    """
    blocks: list[list[float]] = []  # the mean of the block's wanted starts, and its size
    for i, place in enumerate(wanted):
        blocks.append([place - i * apart, 1.0])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            mean, size = blocks.pop()
            before, count = blocks[-1]
            blocks[-1] = [(before * count + mean * size) / (count + size), count + size]
    starts = [mean for mean, size in blocks for _ in range(int(size))]
    least, most = within[0], within[1] - (len(wanted) - 1) * apart
    return [float(min(max(start, least), most) + i * apart) for i, start in enumerate(starts)]


def ranks(scores: Mapping[str, float]) -> dict[str, float]:
    """Each system's rank, 1 for the best; ties share their mean."""
    values = list(scores.values())
    return {s: sum(v > x for v in values) + (sum(v == x for v in values) + 1) / 2 for s, x in scores.items()}


def movement(truth: Mapping[str, float], estimate: Mapping[str, float]) -> dict[str, float]:
    """How many ranks each system rises."""
    before, after = ranks(truth), ranks(estimate)
    return {s: before[s] - after[s] for s in truth}


def number(value: float) -> str:
    """Two digits, without the zero before the point.

    >>> number(0.6), number(-0.201), number(1.0), number(12.345)
    ('.60', '−.20', '1.00', '12.35')
    """
    shown = f"{abs(value):.2f}"
    sign = "−" if value < 0.0 and shown != "0.00" else ""
    return sign + (shown[1:] if shown.startswith("0") else shown)
