"""The figures of docs/correction-study.md: ways to spend human labels beside a judge, on three collections.

    python docs/correction_figures.py [REPEATS]

writes its tables and docs/images/correction.svg. The data are those of `make data` (../shared/data or RANKSCOPE_DATA).
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import rankscope as rs
from rankscope.studies.correction_ways import WAYS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "correction-study.md"
DATA = Path(os.environ.get("RANKSCOPE_DATA", ROOT.parent / "shared" / "data"))
BEGIN, END = "<!-- figures: written by correction_figures.py -->", "<!-- end of figures -->"
MEASURES = ("nDCG@10", "AP")
BUDGETS = (0.05, 0.1, 0.2, 0.4, 0.8)


def deep_learning(repeats: int, *, controls: bool = False) -> rs.CorrectionStudy:
    """The Deep Learning track of 2019, with two LLM judges."""
    judges = {
        name: DATA / "dl19" / "judges" / f"{name}.qrels"
        for name in ("umbrela-gpt-4o", "four-prompts-llama3")[: 1 if controls else 2]
    }
    human = DATA / "dl19" / "qrels.human.txt"
    return rs.study_correction(
        DATA / "dl19" / "runs", human, judges, MEASURES, controls=controls, repeats=repeats, budgets=BUDGETS
    )


def covid(repeats: int) -> rs.CorrectionStudy:
    """TREC-COVID's first round; the judge has the human labels, 40 % of them dealt at random within topics."""
    human, random = rs.read_judgments(DATA / "covid1" / "qrels.txt"), np.random.default_rng(0)
    grades = human.grades.copy()
    for first, last in zip(human.starts[:-1], human.starts[1:], strict=True):
        dealt = first + np.flatnonzero(random.random(last - first) < 0.4)
        grades[dealt] = random.permutation(grades[dealt])
    return rs.study_correction(
        DATA / "covid1" / "runs",
        human,
        {"40 % dealt": human.with_grades(grades)},
        MEASURES,
        repeats=repeats,
        budgets=BUDGETS,
    )


def simulated(repeats: int) -> rs.CorrectionStudy:
    """The demo's track, with the two judges that are no substitute."""
    track = rs.simulate_track()
    judges = {name: track.judges[name] for name in ("lenient", "partial")}
    return rs.study_correction(track.runs, track.truth, judges, MEASURES, repeats=repeats, budgets=BUDGETS)


def tables(study: rs.CorrectionStudy, title: str) -> Iterator[str]:
    """A table for each judge and measure: τ_b and the error of means in thousandths, by way and budget."""
    budgets = study.settings["budgets"]
    for judge in study.judges:
        for measure in study.measures:
            points = {(point.way, point.budget): point for point in study.of(judge, measure)}
            alone = points["judge", None]
            yield f"\n**{title}, {judge}, {measure}** (the judge alone: {_cell(alone)})\n"
            yield "| | " + " | ".join(f"{budget:.0%}" for budget in budgets) + " |"
            yield "|---|" + "---|" * len(budgets)
            for way in WAYS[1:]:
                cells = [_cell(points.get((way.name, budget))) for budget in budgets]
                yield f"| {way.text} | " + " | ".join(cells) + " |"


def coverage(study: rs.CorrectionStudy) -> Iterator[str]:
    """Coverage of intervals by way and budget, of all judges and measures together."""
    budgets = study.settings["budgets"]
    yield "\n| covered, dl19 | " + " | ".join(f"{budget:.0%}" for budget in budgets) + " |"
    yield "|---|" + "---|" * len(budgets)
    for way in WAYS:
        shares = [
            [p.covered for p in study.points if (p.way, p.budget) == (way.name, budget) and p.covered is not None]
            for budget in budgets
        ]
        if any(shares):
            cells = [f"{min(each):.3f}–{max(each):.3f}" if each else "" for each in shares]
            yield f"| {way.text} | " + " | ".join(cells) + " |"


def _cell(point: rs.BudgetPoint | None) -> str:
    return "" if point is None else f"{point.tau or 0.0:.3f} · {1000.0 * (point.error or 0.0):.1f}"


def main(repeats: int) -> None:
    """Run the studies, draw the picture, and write the tables."""
    tracks = deep_learning(repeats)
    tracks.save(ROOT / "docs" / "images" / "correction.svg")
    lines = [
        f"{repeats} repeats. Each cell: τ_b with the ranking by all human labels · error of means, in thousandths."
    ]
    lines += [
        *tables(tracks, "dl19"),
        *tables(covid(repeats), "covid1"),
        *tables(simulated(repeats), "simulated track"),
    ]
    lines += coverage(tracks)
    lines.append("\nBad judges made of umbrela-gpt-4o: its labels dealt at random within topics, and turned round.")
    bad = list(tables(deep_learning(repeats, controls=True), "dl19"))
    lines += bad[len(bad) // 3 :]
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN, 1)
    PAGE.write_text(f"{before}{BEGIN}\n\n{chr(10).join(lines)}\n\n{END}{rest.split(END, 1)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 30)
