"""How often the interval of worth over tracks covers the mean of the population of tracks.

    .venv/bin/python tests/studies/tracks_coverage.py

Tracks are simulated, each with its own topics and systems. The worths of a judge on all of them are the population,
from which samples of a few tracks are drawn. The last population mixes tracks of two kinds, on which the judge differs.
"""

import sys

import numpy as np

import rankscope as rs
from rankscope.studies.judging.over_tracks import mean_worth

TRACKS, SAMPLES = 200, 4_000


def worths(number: int = TRACKS, systems: int = 20, topics: int = 30) -> dict[str, np.ndarray]:
    """The worths of every judge of the simulator, one for each track."""
    found: dict[str, list[float]] = {}
    for seed in range(number):
        track = rs.simulate_track(systems, topics, depth=30, rng=seed)
        truth = rs.evaluate(track.runs, track.truth, "nDCG@10").scores["nDCG@10"]
        for name, judge in track.judges.items():
            scores = rs.evaluate(track.runs, judge, "nDCG@10").scores["nDCG@10"]
            found.setdefault(name, []).append(rs.worth(truth, scores).worth)
    return {name: np.array(values) for name, values in found.items()}


def coverage(population: np.ndarray, tracks: int, rng: np.random.Generator, samples: int = SAMPLES) -> float:
    """The share of samples of tracks whose 95 % interval covers the population's geometric mean."""
    mean = np.exp(np.log(population).mean())
    covered = 0
    for _ in range(samples):
        _, interval = mean_worth(rng.choice(population, tracks))
        covered += interval is not None and interval.low <= mean <= interval.high
    return covered / samples


def main() -> None:
    populations = worths()
    populations["half careful, half partial"] = np.concatenate([populations["careful"], populations["partial"]])
    rng = np.random.default_rng(0)
    lines = [
        "| worths of | geometric mean | sd of the logarithm | 5 tracks | 10 | 20 | 50 |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for name, population in populations.items():
        logs = np.log(population)
        rates = [f"{coverage(population, size, rng):.3f}" for size in (5, 10, 20, 50)]
        lines.append(f"| {name} | {np.exp(logs.mean()):.2f} | {logs.std():.2f} | {' | '.join(rates)} |")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
