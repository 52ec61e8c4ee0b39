"""Why topics are resampled: rankings by topics drawn again beside rankings of systems drawn again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from coefficient_examples import Scores, scored
from slope_charts import FAINT, HEAD, LINE, SMALL, WIDTH, document, line, number, ranks, text

from rankscope.coefficients import coefficient

_TOP = 66
# Six systems on twelve topics, and five draws of topics and of systems.
_DRAWS = 5


def topic_scores() -> np.ndarray:
    """Scores of twelve topics × six systems, neighbours nearer than the standard error of their difference."""
    rng = np.random.default_rng(0)
    difficulty = rng.normal(0.0, 0.12, size=(12, 1))
    means = np.linspace(0.55, 0.45, 6)
    found = np.round(np.clip(means + difficulty + rng.normal(0.0, 0.15, size=(12, 6)), 0.0, 1.0), 2)
    return found[:, np.argsort(-found.mean(axis=0), kind="stable")]


def topic_draws() -> list[Scores]:
    """The means over the observed topics, then over topics drawn with replacement."""
    scores = topic_scores()
    rng = np.random.default_rng(1)
    drawn = [np.arange(len(scores)), *rng.integers(0, len(scores), size=(_DRAWS, len(scores)))]
    return [scored(*scores[topics].mean(axis=0).tolist()) for topics in drawn]


def system_draws() -> list[dict[str, int]]:
    """How often each system is there: once, then as often as it is drawn."""
    rng = np.random.default_rng(2)
    counts = [np.ones(6, dtype=int), *(np.bincount(row, minlength=6) for row in rng.integers(0, 6, size=(_DRAWS, 6)))]
    return [dict(zip("ABCDEF", map(int, row), strict=True)) for row in counts]


def topic_agreements() -> tuple[list[float], list[float]]:
    """τ with the observed ranking, draw by draw: topics drawn, and systems drawn."""
    tau = coefficient("kendall")
    observed, *others = topic_draws()
    by_topics = [float(tau(list(observed.values()), list(other.values()))) for other in others]
    by_systems = []
    for counts in system_draws()[1:]:
        kept = [observed[s] for s, count in counts.items() for _ in range(count)]
        by_systems.append(float(tau(kept, kept)))
    return by_topics, by_systems


def draw_topics() -> str:
    """Rankings by topics drawn again beside rankings of systems drawn again."""
    by_topics, by_systems = topic_agreements()
    columns, counts = topic_draws(), system_draws()
    step, height, half = 48, 150, WIDTH / 2
    parts = [
        text(half / 2, 26, "Topics drawn again", size=HEAD, bold=True),
        text(half * 1.5, 26, "Systems drawn again", size=HEAD, bold=True),
        f'<line x1="{half:g}" y1="16" x2="{half:g}" y2="{_TOP + height + 52}" stroke="{LINE}"/>',
    ]
    for left, taus in ((0.0, by_topics), (half, by_systems)):
        places = [left + 62 + step * i for i in range(_DRAWS + 1)]
        heads = ("seen", *(f"{i}" for i in range(1, _DRAWS + 1)))
        for x, head in zip(places, heads, strict=True):
            parts.append(text(x, 50, head, size=SMALL, colour=FAINT))
        parts.append(text(left + 34, _TOP + height + 38, "τ", bold=True))
        for x, tau in zip(places[1:], taus, strict=True):
            parts.append(text(x, _TOP + height + 38, number(tau), bold=True))
    parts += _draws_of_topics(columns, 62, step, height)
    parts += _draws_of_systems(counts, half + 62, step, height)
    note = "six systems ranked by the topics seen, then by five draws; τ with the first ranking"
    parts.append(text(half, _TOP + height + 72, note, size=SMALL, colour=FAINT))
    return document(
        parts, height=_TOP + height + 88, title="Why topics are resampled", description=topics_alternative()
    )


def _draws_of_topics(columns: Sequence[Scores], left: float, step: float, height: float) -> Iterator[str]:
    places = [{s: _TOP + height * (rank - 1) / 5 for s, rank in ranks(column).items()} for column in columns]
    for i, (before, after) in enumerate(pairwise(places)):
        for s in before:
            x = left + step * i
            yield line(x + 11, before[s], x + step - 11, after[s], rises=before[s] - after[s])
    for i, column in enumerate(places):
        for s, y in column.items():
            yield text(left + step * i, y + 4.5, s, bold=True)


def _draws_of_systems(counts: Sequence[dict[str, int]], left: float, step: float, height: float) -> Iterator[str]:
    for place, s in enumerate("ABCDEF"):
        y = _TOP + height * place / 5
        seen = [i for i, column in enumerate(counts) if column[s]]
        for a, b in pairwise(seen):
            yield line(left + step * a + 5 + 5 * counts[a][s], y, left + step * b - 5 - 5 * counts[b][s], y, rises=0.0)
        for i in seen:
            yield text(left + step * i, y + 4.5, s * counts[i][s], bold=True)


def topics_alternative() -> str:
    """The picture of draws in words."""
    by_topics, by_systems = topic_agreements()
    rankings = ["".join(sorted(column, key=lambda s: -column[s])) for column in topic_draws()]
    return (
        f"Six systems ranked by the topics seen ({rankings[0]}) and by five draws of topics "
        f"({', '.join(rankings[1:])}): τ with the first is {', '.join(map(number, by_topics))}. With systems drawn "
        "instead, some are missing and some there more than once, but none passes another: "
        f"τ is {', '.join(map(number, by_systems))}."
    )
