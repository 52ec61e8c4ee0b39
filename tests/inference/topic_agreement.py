"""Do intervals of agreement by topic cover? Samples of topics of real collections.

`make coverage` writes a table of docs/which-coefficient.md from it, and tests/inference/test_topic_coverage.py runs it
small. All topics at hand are the population; the truth of an interval is the mean of a coefficient over 2,000 samples
of 50 of them, drawn with replacement.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from written_sections import DATA, DOCS, need, write_section

import rankscope as rs
from narrowing import known

NAMES = ("spa", "acc_eq", "kendall(by=topic)", "pearson(by=topic)", "kendall(by=none)", "acc_eq(by=means)")
TOPICS = 50

Array = np.ndarray[Any, Any]


def collections(data: Path) -> dict[str, tuple[Array, Array]]:
    """Truth and estimate of each collection, topics × systems."""
    scores = data / "summeval" / "scores.csv.gz"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # several scores of a system on a document are averaged, as asked
        experts, prompts = (
            rs.read_scores(scores, measure="coherence", where={"rater": rater}, on_duplicate="mean").values
            for rater in ("expert*", "gpt-3.5*")
        )
    ap, p10 = (rs.read_scores(data / "robust2004" / f"robust2004_{m}.csv").values[:, :20] for m in ("ap", "p10"))
    return {
        f"SummEval, coherence, experts and gpt-3.5, {experts.shape[1]} systems": (experts, prompts),
        f"Robust 2004, AP and P@10, {ap.shape[1]} systems": (ap, p10),
    }


def covered(
    truth: Array, estimate: Array, names: Sequence[str], samples: int, *, resamples: int = 400, means: int = 2_000
) -> Array:
    """How often the interval of each coefficient holds its mean over samples of topics."""

    def sample(seed: list[int]) -> tuple[Array, Array]:
        rows = np.random.default_rng(seed).integers(0, len(truth), TOPICS)
        return truth[rows], estimate[rows]

    def values(sides: tuple[Array, Array], resamples: int, seed: int) -> Any:
        # The permutation test behind SPA is near its limit with 300 draws, and the mean over samples nearer still.
        quick = [name.replace("spa", "spa(permutations=300)") for name in names]
        return rs.topic_agreement(*sides, quick, resamples=resamples, rng=seed, jobs=1).values

    true = np.mean([[v.value for v in values(sample([1, i]), 0, i)] for i in range(means)], axis=0)
    held = np.zeros(len(names))
    for i in range(samples):
        found = values(sample([2, i]), resamples, i)
        inside = [known(v.interval) for v in found]
        held += [own.low <= t <= own.high for own, t in zip(inside, true, strict=True)]
    return held / samples


def table(data: Path, samples: int, means: int) -> str:
    """The table of the docs."""
    rows = [f"| | {' | '.join(f'`{name}`' for name in NAMES)} |", "|---" * (1 + len(NAMES)) + "|"]
    for name, sides in collections(data).items():
        shares = covered(*sides, NAMES, samples, means=means)
        rows.append(f"| {name} | {' | '.join(f'{100 * share:.1f} %' for share in shares)} |")
    return "\n".join(rows)


if __name__ == "__main__":
    need(DATA)
    write_section(DOCS / "which-coefficient.md", "agreement by topic", table(DATA, 400, 1_000))
