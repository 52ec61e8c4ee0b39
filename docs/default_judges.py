"""The table of the default judges in docs/tracks.md: what they do over 40 seeds. Prints, writes nothing."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

import rankscope as rs

SEEDS = 40
MEASURES = ("nDCG@10", "AP")


def main() -> None:
    """Print mean (sd) of τ, shift, ranks gained by the dense family, κ and α, the median worth, and the levels."""
    rows: dict[str, list[list[float | None]]] = defaultdict(list)
    levels: Counter[tuple[str, str, str]] = Counter()
    for seed in range(SEEDS):
        track = rs.simulate_track(rng=seed)
        dense = np.array([track.groups[system] == "dense" for system in track.runs.systems])
        report = rs.judge(
            track.runs, track.truth, track.judges, MEASURES, resamples=0, random_draws=99, pseudo_draws=0, rng=seed
        )
        for answer in report.answers:
            levels[answer.judge, answer.measure, answer.verdict.level] += 1
            if answer.measure != MEASURES[0] or answer.verdict.worth is None:
                continue
            order = {s.system: s for s in answer.agreement.systems}
            gained = np.array([order[s].truth_rank - order[s].estimate_rank for s in track.runs.systems])
            labels = rs.label_agreement(track.truth, track.judges[answer.judge], resamples=0)
            kappa, alpha = labels.value("kappa"), labels.value("alpha_ordinal")
            tau, worth = answer.agreement.value("tau_b"), answer.verdict.worth.worth
            rows[answer.judge].append([tau, answer.shift.mean, gained[dense].mean(), kappa, alpha, worth])
    for judge, found in rows.items():
        table = np.array(found, dtype=float)
        mean, sd = table.mean(axis=0), table.std(axis=0)
        print(
            f"{judge}: τ {mean[0]:.3f} ({sd[0]:.3f}), scores {mean[1]:+.3f}, dense {mean[2]:+.1f}, κ {mean[3]:.3f}, "
            f"α {mean[4]:.3f}, worth {np.median(table[:, 5]):.2f}; seed 0: τ {table[0, 0]:.3f}"
        )
    for (judge, measure, level), count in sorted(levels.items()):
        print(f"{judge}, {measure}: {level} {count}")


if __name__ == "__main__":
    main()
