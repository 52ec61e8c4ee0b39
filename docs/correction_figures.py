"""The figures of docs/correction-study.md: ways to spend human labels beside a judge, on three collections.

    python docs/correction_figures.py [REPEATS [FOLDER]]

writes its tables, docs/images/correction.svg and docs/images/correction-designs.svg. FOLDER keeps finished parts.
The data are those of `make data` (../shared/data or RANKSCOPE_DATA).
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import rankscope as rs
from rankscope.inference.designs import DOCUMENT_DESIGNS
from rankscope.studies.correction_ways import WAYS, designs_of, ways_of

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "correction-study.md"
DATA = Path(os.environ.get("RANKSCOPE_DATA", ROOT.parent / "shared" / "data"))
BEGIN, END = "<!-- figures: written by correction_figures.py -->", "<!-- end of figures -->"
MEASURES = ("nDCG@10", "AP")
# Judges of the Deep Learning track that have tables of their own, and those on which nothing was chosen.
JUDGES = ("umbrela-gpt-4o", "four-prompts-llama3")
OTHERS = ("binary-llama3.2", "exam-max-gpt-4o", "four-prompts-flan-t5", "umbrela-gpt-4")
BUDGETS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.0)
# Less than one label for each topic, to six.
FEW = (0.003, 0.007, 0.014, 0.027)


def study(
    name: str, runs: Any, human: Any, judges: Any, repeats: int, folder: Path | None, **more: Any
) -> rs.CorrectionStudy:
    """The study of a collection, by all designs; finished parts are kept in the folder."""
    kept = None if folder is None else folder / name
    given = {
        "repeats": repeats,
        "budgets": BUDGETS,
        "designs": [design.name for design in DOCUMENT_DESIGNS],
        "checkpoint": kept,
        **more,
    }
    return rs.study_correction(runs, human, judges, MEASURES, jobs=1, **given)


def deep_learning(
    repeats: int, folder: Path | None, names: tuple[str, ...] = JUDGES, **more: Any
) -> rs.CorrectionStudy:
    """The Deep Learning track of 2019, with some of its LLM judges."""
    judges = {name: DATA / "dl19" / "judges" / f"{name}.qrels" for name in names}
    return study("dl19", DATA / "dl19" / "runs", DATA / "dl19" / "qrels.human.txt", judges, repeats, folder, **more)


def covid(repeats: int, folder: Path | None) -> rs.CorrectionStudy:
    """TREC-COVID's first round, every fourth run; the judge has the human labels, 40 % of them dealt within topics."""
    human, random = rs.read_judgments(DATA / "covid1" / "qrels.txt"), np.random.default_rng(0)
    grades = human.grades.copy()
    for first, last in zip(human.starts[:-1], human.starts[1:], strict=True):
        dealt = first + np.flatnonzero(random.random(last - first) < 0.4)
        grades[dealt] = random.permutation(grades[dealt])
    runs = rs.read_runs(DATA / "covid1" / "runs")
    some = runs.select(systems=sorted(runs.systems)[::4])
    return study("covid1", some, human, {"40 % dealt": human.with_grades(grades)}, repeats, folder)


def simulated(repeats: int, folder: Path | None) -> rs.CorrectionStudy:
    """The demo's track, with the judge that favours a family of systems."""
    track = rs.simulate_track()
    return study("simulated", track.runs, track.truth, {"partial": track.judges["partial"]}, repeats, folder)


def tables(study: rs.CorrectionStudy, title: str) -> Iterator[str]:
    """A table for each judge and measure: τ_b, τ_AP and the error of means in thousandths, by way and budget.

    Topics are random, and documents drawn by influence.
    """
    budgets = study.settings["budgets"]
    for judge in study.judges:
        for measure in study.measures:
            points = {(p.way, p.budget): p for p in study.of(judge, measure) if p.design in (None, "influence")}
            alone = points["judge", None]
            yield f"\n**{title}, {judge}, {measure}** (the judge alone: {_cell(alone)})\n"
            yield from _head("", budgets)
            for way in WAYS[1:]:
                yield _row(way.text, [_cell(points.get((way.name, budget))) for budget in budgets])


def designs(study: rs.CorrectionStudy, title: str) -> Iterator[str]:
    """A table for each judge and measure: τ_b of predictions by topic, of corrected · combined means by document."""
    budgets = study.settings["budgets"]
    for judge in study.judges:
        for measure in study.measures:
            points = {(p.way, p.design, p.budget): p for p in study.of(judge, measure)}
            yield f"\n**{title}, {judge}, {measure}**\n"
            yield from _head("design", budgets)
            kinds: Any = {"topics": ("predicted",), "sample": ("corrected_documents", "combined")}
            for spent, ways in kinds.items():
                for design in designs_of(spent, study.settings["designs"]):
                    cells = [
                        " · ".join(f"{points[way, design, b].tau or 0.0:.3f}" for way in ways)
                        if (ways[0], design, b) in points
                        else ""
                        for b in budgets
                    ]
                    yield _row("random topics" if design is None else f"documents, {design}", cells)


def coverage(studies: dict[str, rs.CorrectionStudy]) -> Iterator[str]:
    """Coverage of intervals by way and budget: the least and the greatest of all judges and measures of a track."""
    for title, study in studies.items():
        budgets = study.settings["budgets"][:-1]
        yield ""
        yield from _head(f"covered, {title}", budgets)
        for way in WAYS:
            for design in designs_of(way.spent, study.settings["designs"]):
                shares = [
                    [
                        p.covered
                        for p in study.points
                        if (p.way, p.design, p.budget) == (way.name, design, budget) and p.covered is not None
                    ]
                    for budget in budgets
                ]
                if any(shares):
                    cells = [f"{min(each):.3f}–{max(each):.3f}" if each else "" for each in shares]
                    yield _row(", ".join(filter(None, (way.text, design))), cells)


def shortfall(studies: dict[str, rs.CorrectionStudy]) -> Iterator[str]:
    """How often combined means rank worse than the better of filled-in and corrected ones, and by how much."""
    yield "\n| combined less the better of the two, τ_b | rows | worse | by more than .004 | worst | mean |"
    yield "|---|---|---|---|---|---|"
    for title, study in studies.items():
        tau: dict[Any, float] = {(p.judge, p.measure, p.design, p.budget, p.way): p.tau or 0.0 for p in study.points}
        for design in study.settings["designs"]:
            gaps = [
                value - max(tau[(*at, "filled")], tau[(*at, "corrected_documents")])
                for (*at, way), value in tau.items()
                if way == "combined" and at[2] == design and at[3] != 1.0
            ]
            if gaps:
                counts = [str(len(gaps)), str(sum(gap < 0.0 for gap in gaps)), str(sum(gap < -0.004 for gap in gaps))]
                yield _row(f"{title}, {design}", [*counts, f"{min(gaps):+.3f}", f"{np.mean(gaps):+.3f}"])


def averages(studies: list[rs.CorrectionStudy]) -> Iterator[str]:
    """What the means to rank by gain on the others in τ_b, on average over judges, measures and designs."""
    budgets = list(BUDGETS[:-1])
    points = [point for study in studies for point in study.points]
    tau: dict[Any, float] = {(p.judge, p.measure, p.design, p.budget, p.way): p.tau or 0.0 for p in points}
    gains = {
        "predicted less people alone, by topic": ("predicted", "people"),
        "predicted less corrected, by topic": ("predicted", "corrected"),
        "combined less filled in, by document": ("combined", "filled"),
        "combined less corrected, by document": ("combined", "corrected_documents"),
        "combined less the better of the two, by document": ("combined", "filled", "corrected_documents"),
    }
    yield ""
    yield from _head("gain in τ_b, on average", budgets)
    for what, (ranked, *others) in gains.items():
        found: dict[float, list[float]] = {budget: [] for budget in budgets}
        for (*at, budget, way), value in tau.items():
            if way == ranked and budget in found:
                found[budget].append(value - max(tau[(*at, budget, other)] for other in others))
        yield _row(what, [f"{np.mean(values):+.4f}" if values else "" for values in found.values()])


def few_labels(study: rs.CorrectionStudy) -> Iterator[str]:
    """A table for each judge and measure: τ_b and the error of means of what is made of few sampled documents."""
    for judge in study.judges:
        for measure in study.measures:
            points = {(p.way, p.labels): p for p in study.of(judge, measure) if p.design == "influence"}
            labels = sorted({labels for _, labels in points})
            yield f"\n**dl19, {judge}, {measure}**\n"
            yield _row("labels", [str(number) for number in labels])
            yield "|---|" + "---|" * len(labels)
            for way in ways_of("sample"):
                cells = (points.get((way.name, number)) for number in labels)
                yield _row(
                    way.text, ["" if p is None else f"{p.tau:.3f} · {1000.0 * (p.error or 0.0):.0f}" for p in cells]
                )


def _head(first: str, budgets: list[float]) -> Iterator[str]:
    yield _row(first, [f"{budget:.0%}" for budget in budgets])
    yield "|---|" + "---|" * len(budgets)


def _row(first: str, cells: list[str]) -> str:
    return f"| {first} | " + " | ".join(cells) + " |"


def _cell(point: rs.BudgetPoint | None) -> str:
    if point is None:
        return ""
    return f"{point.tau or 0.0:.3f} · {point.tau_ap or 0.0:.3f} · {1000.0 * (point.error or 0.0):.1f}"


def main(repeats: int, folder: Path | None) -> None:
    """Run the studies, draw the pictures, and write the tables."""
    images = ROOT / "docs" / "images"
    studies = {"dl19": deep_learning(repeats, folder), "covid1": covid(repeats, folder)}
    studies["simulated track"] = simulated(repeats, folder)
    studies["dl19"].save(images / "correction.svg")
    studies["dl19"].save(images / "correction-designs.svg", chart="designs")
    lines = [
        f"{repeats} repeats. Each cell: τ_b · τ_AP with the ranking by all human labels · error of means, in "
        "thousandths. Topics are random, documents drawn by influence."
    ]
    lines += [line for title, study in studies.items() for line in tables(study, title)]
    lines.append("\nBad judges made of umbrela-gpt-4o: its labels dealt at random within topics, and turned round.")
    controls = deep_learning(repeats, folder, JUDGES[:1], controls=True, designs=("influence",))
    bad = list(tables(controls, "dl19"))
    lines += bad[len(bad) // 3 :]
    lines.append("\n### Designs\n\nτ_b of predictions by topic, and of corrected · combined means by document.")
    lines += [line for title, study in studies.items() for line in designs(study, title)]
    studies["four other judges of dl19"] = deep_learning(repeats, folder, OTHERS)
    lines += [*averages([*studies.values(), controls]), *shortfall(studies), "\n### Coverage", *coverage(studies)]
    few = [
        deep_learning(repeats, folder, JUDGES[1:], budgets=FEW, designs=("influence",)),
        deep_learning(repeats, folder, JUDGES[:1], budgets=FEW, designs=("influence",), controls=True),
    ]
    lines.append("\n### Few labels\n\nτ_b · error of means, in thousandths, documents drawn by influence.")
    lines += [line for part in few for line in few_labels(part)]
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN, 1)
    PAGE.write_text(f"{before}{BEGIN}\n\n{chr(10).join(lines)}\n\n{END}{rest.split(END, 1)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 30, Path(sys.argv[2]) if len(sys.argv) > 2 else None)
