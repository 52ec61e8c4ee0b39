"""The embedded examples: scores of a small track for the docs, and a whole track as files for newcomers."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rankscope.scores import Floats, ScoreMatrix
from rankscope.simulation.tracks import Track

_FAMILIES = {"lexical": 0.0, "dense": 0.35, "hybrid": 0.55, "llm": 0.75}


def demo_scores(*, systems_per_family: int = 8, topics: int = 40, rng: int = 0) -> dict[str, ScoreMatrix]:
    """Scores of a simulated track under a human judge and three other judges, the human's first.

    Systems come in families; a score is the logistic of family + system + topic + noise shared within a family. The
    `careful` judge adds little noise, the `lenient` one scores everybody higher and squeezes the top together, and the
    `partial` one favours the systems of its own kind.

    >>> tables = demo_scores()
    >>> list(tables), tables["human"]
    (['human', 'careful', 'lenient', 'partial'], <ScoreMatrix of nDCG@10: 40 topics × 32 systems>)
    """
    random = np.random.default_rng(rng)
    families = np.repeat(list(_FAMILIES), systems_per_family)
    count = len(families)
    skill = np.array([_FAMILIES[f] for f in families]) + random.normal(0.0, 0.3, count)
    difficulty = random.normal(0.0, 0.9, (topics, 1))
    by_family = {family: random.normal(0.0, 0.4, topics) for family in _FAMILIES}
    shared = np.column_stack([by_family[f] for f in families])
    merit = skill + difficulty + shared + random.normal(0.0, 0.5, (topics, count)) - 0.4
    careful = merit + random.normal(0.0, 0.35, merit.shape)
    lenient = 0.5 * np.minimum(merit, 0.6) + 0.8 + random.normal(0.0, 0.25, merit.shape)
    partial = merit + 0.6 * (families == "llm") + random.normal(0.0, 0.35, merit.shape)
    names = [f"{family}-{i % systems_per_family + 1}" for i, family in enumerate(families)]
    labels = [f"q{i + 1}" for i in range(topics)]
    made = {"human": merit, "careful": careful, "lenient": lenient, "partial": partial}
    return {
        judge: ScoreMatrix(_scores(logits), names, labels, measure="nDCG@10", name=judge)
        for judge, logits in made.items()
    }


def _scores(logits: Floats) -> Floats:
    """Four decimals, as evaluation programs print them."""
    return np.asarray(np.round(1.0 / (1.0 + np.exp(-logits)), 4))


def write_track(track: Track, folder: Path) -> dict[str, Path]:
    """Write a track as ordinary files: runs, judgments, families, and scores by topic under every judge.

    The paths are by name: `runs`, `families`, `human` and every judge's.
    """
    from rankscope.files import write_judgments, write_runs, write_scores
    from rankscope.files.atomic import write_text
    from rankscope.measures import evaluate
    from rankscope.results import Table

    judgments = {"human": track.truth, **track.judges}
    paths = {"runs": folder / "runs", "families": folder / "families.csv"}
    paths |= {name: folder / f"{name}.qrels" for name in judgments}
    write_runs(track.runs, paths["runs"])
    for name, rows in judgments.items():
        write_judgments(rows, paths[name])
        scores = evaluate(track.runs, rows, "nDCG@10").scores["nDCG@10"]
        write_scores(scores, folder / f"{name}.csv")
    write_text(paths["families"], Table(("system", "family"), tuple(track.groups.items())).to_csv())
    return paths
