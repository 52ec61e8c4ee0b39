"""Draw docs/images/coefficients/: for every coefficient one picture of what it sees and its relatives miss.

    .venv/bin/python docs/coefficient_pictures.py

The examples are those of docs/coefficient_examples.py. All values are the library's, and so are the alternative texts,
which are written into the pages. `make docs` runs this; tests hold the claims, the pictures and the texts.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from coefficient_examples import PICTURES, Panel, Picture, Scores, symbol, value
from slope_charts import FAINT, HEAD, SMALL, VALUE, WIDTH, document, dot, line, movement, number, slopes, text
from topics_picture import draw_topics, topics_alternative

DOCS = Path(__file__).parent
PAGES = ("which-coefficient.md", "inference.md")
FOLDER = "images/coefficients"
TOPICS_PICTURE = f"{FOLDER}/topics_resampled.svg"
_IMAGE = re.compile(rf"!\[[^\]]*\]\(({FOLDER}/\w+\.svg)\)")


def shown(name: str, panel: Panel) -> str:
    """A symbol and its value: τ .87."""
    return f"{symbol(name)} {number(value(name, panel))}"


def alternative(picture: Picture) -> str:
    """What a reader who cannot see the picture is told."""
    parts = []
    for panel in picture.panels:
        sides = f"truth {_in_order(panel.truth, picture)}; estimate {_in_order(panel.estimate, picture)}"
        others = ", ".join(shown(name, panel) for name in picture.relatives)
        parts.append(f"{panel.title} ({sides}): {shown(picture.coefficient, panel)}, while {others}.")
    return " ".join(parts)


def _in_order(scores: Scores, picture: Picture) -> str:
    groups: dict[float, list[str]] = {}
    for system in sorted(scores):
        groups.setdefault(scores[system], []).append(system)
    names = {score: "=".join(systems) for score, systems in groups.items()}
    best_first = sorted(names, reverse=True)
    return ", ".join(f"{names[s]} {number(s)}" if picture.by_score else names[s] for s in best_first)


_TOP, _BETWEEN_ROWS, _TALLEST = 66, 26, 190


def draw(picture: Picture) -> str:
    """The picture as SVG."""
    systems = max(len(panel.truth) for panel in picture.panels)
    height = _TALLEST if picture.by_score else min(_TALLEST, _BETWEEN_ROWS * (systems - 1))
    width = WIDTH / len(picture.panels)
    values, others = _TOP + height + 42, _TOP + height + 66
    parts = []
    for place, panel in enumerate(picture.panels):
        left = place * width
        parts.append(text(left + width / 2, 26, panel.title, size=HEAD, bold=True))
        parts += _by_topics(panel, left, height) if panel.topics else _two_columns(panel, left, width, height, picture)
        parts.append(text(left + width / 2, values, shown(picture.coefficient, panel), size=VALUE, bold=True))
        words = " · ".join(shown(name, panel) for name in picture.relatives)
        parts.append(text(left + width / 2, others, words, colour=FAINT))
    alike = all(len({number(value(name, p)) for p in picture.panels}) == 1 for name in picture.relatives)
    parts.append(text(WIDTH / 2, values, "≠", size=VALUE, bold=True))
    parts.append(text(WIDTH / 2, others, "=" if alike else "≈", size=HEAD, colour=FAINT))
    parts += _legend(others + 34)
    title = f"{symbol(picture.coefficient)}: {' or '.join(panel.title for panel in picture.panels)}"
    return document(parts, height=others + 50, title=title, description=alternative(picture))


def _two_columns(panel: Panel, left: float, width: float, height: float, picture: Picture) -> Iterator[str]:
    truth, estimate = left + width * 0.33, left + width * 0.67
    yield text(truth, 50, "truth", size=SMALL, colour=FAINT)
    yield text(estimate, 50, "estimate", size=SMALL, colour=FAINT)
    yield from slopes(
        left=truth,
        right=estimate,
        top=_TOP,
        height=height,
        truth=panel.truth,
        estimate=panel.estimate,
        by_score=picture.by_score,
    )


def _by_topics(panel: Panel, left: float, height: float) -> Iterator[str]:
    """The truth's topics beside its means: how systems vary together is what the distance is about."""
    topics = panel.topics or ()
    systems = sorted(panel.truth)
    moves = movement(panel.truth, panel.estimate)
    scale = (0.0, max(max(row) for row in topics))
    places = [left + 26 + 20 * i for i in range(len(topics))]

    def y(score: float) -> float:
        return _TOP + height * (scale[1] - score) / (scale[1] - scale[0])

    yield text((places[0] + places[-1]) / 2, 50, "truth: eight topics", size=SMALL, colour=FAINT)
    yield text(left + 206, 50, "mean", size=SMALL, colour=FAINT)
    yield text(left + 276, 50, "estimate", size=SMALL, colour=FAINT)
    for s in sorted(systems, key=lambda s: abs(moves[s])):
        column = [y(row[systems.index(s)]) for row in topics]
        for (a, b), x in zip(pairwise(column), places, strict=False):
            yield line(x, a, x + 20, b, rises=moves[s])
        for x, at in zip(places, column, strict=True):
            yield dot(x, at, rises=moves[s])
    yield from slopes(
        left=left + 206,
        right=left + 276,
        top=_TOP,
        height=height,
        truth=panel.truth,
        estimate=panel.estimate,
        by_score=True,
        scale=scale,
    )


def _legend(y: float) -> Iterator[str]:
    for offset, rises, meaning in ((-134, 1.0, "rises"), (-44, -1.0, "falls"), (42, 0.0, "keeps its rank")):
        x = WIDTH / 2 + offset
        yield line(x, y - 4, x + 26, y - 4, rises=rises)
        yield dot(x + 13, y - 4, rises=rises)
        yield text(x + 33, y, meaning, size=SMALL, anchor="start", colour=FAINT)


def pictures() -> dict[str, str]:
    """Every picture by its path in docs."""
    return {f"{FOLDER}/{p.name}.svg": draw(p) for p in PICTURES} | {TOPICS_PICTURE: draw_topics()}


def alternatives() -> dict[str, str]:
    """Every picture's alternative text."""
    return {f"{FOLDER}/{p.name}.svg": alternative(p) for p in PICTURES} | {TOPICS_PICTURE: topics_alternative()}


def with_alternatives(page: str) -> str:
    """A page with the alternative texts of its pictures as they should be."""
    texts = alternatives()
    return _IMAGE.sub(lambda found: f"![{texts[found[1]]}]({found[1]})", page)


if __name__ == "__main__":
    (DOCS / FOLDER).mkdir(parents=True, exist_ok=True)
    for path, svg in pictures().items():
        (DOCS / path).write_text(svg, encoding="utf-8")
    for name in PAGES:
        page = DOCS / name
        page.write_text(with_alternatives(page.read_text(encoding="utf-8")), encoding="utf-8")
    sys.stdout.write(f"wrote {DOCS / FOLDER}\n")
