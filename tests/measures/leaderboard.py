"""TREC-COVID round 1 against its official scores, every cell: `.venv/bin/python tests/measures/leaderboard.py`.

The official RBP(.5) takes grades 0, 1, 2 as gains 0, ½, 1. Scores are published to four decimals.
"""

from __future__ import annotations

import csv
import os
import sys
from pathlib import Path

import rankscope as rs

DATA = Path(os.environ.get("RANKSCOPE_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))
OFFICIAL = {
    "AP": "MAP",
    "nDCG@10": "ndcg@10",
    "Bpref": "bpref",
    "P@5": "p@5",
    "RBP(p=0.5,max_rel=2)": "RBP(p=.5)",
}


def differences(folder: Path) -> list[tuple[str, str, float, float]]:
    """Run, measure, our score and the official one."""
    evaluation = rs.evaluate(folder / "runs", folder / "qrels.txt", list(OFFICIAL))
    with (folder / "leaderboard.csv").open(encoding="utf-8", newline="") as file:
        official = {row["run"]: row for row in csv.DictReader(file)}
    return [(system, m, value, float(official[system][OFFICIAL[m]])) for system, m, value in evaluation.rows()]


def main() -> None:
    """Print a row for each run, and the largest difference of each measure."""
    cells = differences(DATA / "covid1")
    sys.stdout.write("run" + "".join(f"\t{m}\tofficial\tdifference" for m in OFFICIAL) + "\n")
    for run in dict.fromkeys(cell[0] for cell in cells):
        row = "".join(f"\t{ours:.6f}\t{theirs:.4f}\t{ours - theirs:+.6f}" for r, _, ours, theirs in cells if r == run)
        sys.stdout.write(run + row + "\n")
    for m in OFFICIAL:
        worst = max(abs(ours - theirs) for _, measure, ours, theirs in cells if measure == m)
        beyond = sum(abs(ours - theirs) > 5.0001e-5 for _, measure, ours, theirs in cells if measure == m)
        sys.stdout.write(f"{m}: largest difference {worst:.2e}; {beyond} of 143 cells beyond rounding\n")


if __name__ == "__main__":
    main()
