"""Studies of measures: every subset of predictors at once, drawn covariances, and the best sets of measures."""

import itertools
from collections.abc import Iterator
from functools import partial

import numpy as np
from scipy.stats import kendalltau

import rankscope as rs
from benchmarks.timing import best
from rankscope.measure_table import read_collections
from rankscope.studies.metrics.choosing import folds, score_subsets
from rankscope.studies.metrics.observations import observe
from rankscope.studies.metrics.selection import backward, best_sets

MEASURES, TRAIN, JUDGED = 22, 428, 48
TOPICS, SYSTEMS = 50, 48
# Single fits are timed on this share of the subsets, for one target.
SAMPLE = 200


def collection(systems: int, seed: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)
    ability = random.uniform(size=(systems, 3))
    weights = np.random.default_rng(0).uniform(size=(3, MEASURES))
    values = ability @ weights / 3 + 0.03 * random.standard_normal((systems, MEASURES))
    return {f"m{i}": values[:, i].round(4) for i in range(MEASURES)}


def fit_each(train: np.ndarray, judged: np.ndarray, target: int, subsets: list[tuple[int, ...]]) -> None:
    """What a script does: least squares and Kendall's τ for one subset after another."""
    for subset in subsets:
        columns = list(subset)
        design = np.column_stack([np.ones(len(train)), train[:, columns]])
        weights = np.linalg.lstsq(design, train[:, target], rcond=None)[0]
        predicted = weights[0] + judged[:, columns] @ weights[1:]
        kendalltau(judged[:, target], predicted)
        (
            1.0
            - np.square(judged[:, target] - predicted).sum()
            / np.square(judged[:, target] - judged[:, target].mean()).sum()
        )


def run() -> Iterator[str]:
    train, judged = read_collections([collection(TRAIN, 1), collection(JUDGED, 2)])
    judging = folds([train], [judged])
    every = range(MEASURES)

    def batched() -> None:
        for size in (1, 2, 3):
            score_subsets(judging, train.measures, every, every, size)

    batched()  # compile
    seconds = best(batched)
    subsets = [s for size in (1, 2, 3) for s in itertools.combinations(range(1, MEASURES), size)]
    count = len(subsets) * MEASURES
    sample = [subsets[i] for i in np.random.default_rng(0).permutation(len(subsets))[:SAMPLE]]
    alone = best(lambda: fit_each(train.values, judged.values, 0, sample), 3) / SAMPLE * count
    yield f"## Predicting measures: {MEASURES} measures, every target, every subset of 1 to 3 others\n"
    yield f"{count:,} regressions on {TRAIN} systems, τ and R² of each on {JUDGED} more. Budget: 5 s.\n"
    yield "| what | s | ratio |\n|---|---|---|"
    yield f"| `numpy.linalg.lstsq` and `scipy.stats.kendalltau`, one fit at a time (from {SAMPLE}) | {alone:.1f} | 1 |"
    yield f"| normal equations, batched by size | {seconds:.2f} | {alone / seconds:.0f}× |"
    whole = best(lambda: rs.predict_measures(train, development=judged), 3)
    yield f"\nAll of `rs.predict_measures`: {whole:.2f} s."
    yield from drawn()
    yield from sets()


def drawn() -> Iterator[str]:
    random = np.random.default_rng(0)
    cells = random.uniform(size=(TOPICS, SYSTEMS, MEASURES))
    table = {f"m{i}": cells[:, :, i] for i in range(MEASURES)}
    found = observe(read_collections(table), "topics")
    seconds = best(lambda: found.resampled_covariances(draws=1_000, rng=0), 3)

    def literal() -> None:
        for _ in range(20):
            rows = cells[random.integers(0, TOPICS, TOPICS)].reshape(-1, MEASURES)
            np.corrcoef(rows.T)

    slow = best(literal, 3) * 50
    yield f"\n## Correlating measures: 1,000 draws of {TOPICS} topics, {SYSTEMS} systems, {MEASURES} measures\n"
    yield "| what | s | ratio |\n|---|---|---|"
    yield f"| `numpy.corrcoef` of the drawn cells | {slow:.2f} | 1 |"
    yield f"| from sums over topics | {seconds:.3f} | {slow / seconds:.0f}× |"


def sets() -> Iterator[str]:
    yield "\n## Ranking measures: the set of greatest determinant, every size\n"
    yield "| measures | all subsets, s | branch and bound, s | ratio | backward alone, ms |\n|---|---|---|---|---|"
    for size in (12, 23, 30):
        random = np.random.default_rng(size)
        rows = random.standard_normal((200, 4)) @ random.standard_normal((4, size))
        matrix = np.cov((rows + 0.3 * random.standard_normal((200, size))).T)
        best_sets(matrix)  # compile
        seconds = best(partial(best_sets, matrix), 3)
        alone = best(partial(backward, matrix), 3)
        if size == 12:

            def everything(m: np.ndarray = matrix) -> None:
                for k in range(1, len(m) + 1):
                    stack = np.array(list(itertools.combinations(range(len(m)), k)))
                    np.linalg.slogdet(m[stack[:, :, None], stack[:, None, :]])[1].max()

            slow = best(everything, 3)
            yield f"| {size} | {slow:.3f} | {seconds:.4f} | {slow / seconds:.0f}× | {alone * 1e3:.2f} |"
        else:
            yield f"| {size} | – | {seconds:.3f} | – | {alone * 1e3:.2f} |"
