"""Do intervals of the additive model cover where scores are missing? Robust 2004 with scores deleted at random.

`python tests/inference/sparse_tables.py` prints the table of docs/howto/sparse-tables.md. The 249 topics are the
population, samples of them are drawn with replacement, and tables that fall into parts are left out.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.special import stdtrit
from simulated import ROBUST

import rankscope as rs
from rankscope.inference.rank_sets import UncertainMeans
from rankscope.scores import ScoreMatrix

SETTINGS = ((50, 0.0), (50, 0.3), (50, 0.7), (50, 0.9), (200, 0.9))


def coverage(values: np.ndarray, topics: int, missing: float, samples: int = 60, resamples: int = 500) -> list[float]:
    """The shares of intervals of scores, of intervals of differences, and of typical rank sets that hold the truth."""
    random = np.random.default_rng(0)
    truth, pairs = values.mean(axis=0), np.triu_indices(values.shape[1], 1)
    ranks = 1 + (truth[None, :] > truth[:, None]).sum(axis=1)
    held = []
    for sample in range(samples):
        table = values[random.integers(0, len(values), topics)].copy()
        if missing:
            table[random.random(table.shape) < missing] = np.nan
        scores = ScoreMatrix(table).fill("connected,additive")
        if len(scores.systems) < values.shape[1]:
            continue
        board = rs.rank(scores, resamples=resamples, rng=sample).leaderboards[0]
        own = [(entry, int(entry.system) - 1) for entry in board.systems]
        data = UncertainMeans.of_topics(scores, resamples=resamples, rng=sample)
        freedom = np.full(len(truth), topics - 1.0) if data.freedom is None else data.freedom
        limits = stdtrit(np.minimum(freedom[:, None], freedom), 0.975) * np.sqrt(data.variances)
        errors = np.abs((data.means - truth)[:, None] - (data.means - truth))
        held.append(
            (
                np.mean([e.interval is not None and e.interval.low <= truth[j] <= e.interval.high for e, j in own]),
                (errors <= limits)[pairs].mean(),
                np.mean([e.typical.low <= ranks[j] <= e.typical.high for e, j in own]),
            )
        )
    return [round(float(share), 3) for share in np.mean(held, axis=0)]


if __name__ == "__main__":
    scores_by_topic = rs.read_scores(ROBUST / "robust2004_ap.csv").values
    for topics, missing in SETTINGS:
        sys.stdout.write(f"{topics} {missing:.0%} {coverage(scores_by_topic, topics, missing)}\n")
