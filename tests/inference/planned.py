"""Plans followed on the Deep Learning track of 2019, human labels hidden: expected and reached widths, and designs.

`make coverage` writes sections of docs/planning.md from it.
"""

from collections.abc import Iterator

import numpy as np
from scipy.special import stdtrit
from scipy.stats import kendalltau
from written_sections import DATA, DOCS, need, runs_asked, write_section

import rankscope as rs
from rankscope.inference import document_correction, document_planning, rank_sets
from rankscope.inference.correction import best_linear, centred
from rankscope.inference.designs import DOCUMENT_DESIGNS, DocumentPool, topic_order
from rankscope.inference.document_planning import DocumentOutlook
from rankscope.inference.document_scores import DocumentScores
from rankscope.inference.planning import TopicOutlook, student_factor
from rankscope.inference.rank_sets import UncertainMeans
from rankscope.inference.sampling import permanent_numbers

FOLDER = DATA / "dl19"
JUDGES = ("umbrela-gpt-4o", "binary-gpt-4o", "four-prompts-llama3")
MEASURE = rs.parse_measure("nDCG@10")
# Widths are compared in fewer draws of documents than errors: they take longer.
WIDTHS = 20


def head(*columns: str) -> str:
    """The head of a table."""
    return f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}"


def line(*cells: object) -> str:
    """A row of a table."""
    return f"| {' | '.join(map(str, cells))} |"


def short(value: float, digits: int = 3) -> str:
    """A number between 0 and 1 without its leading 0."""
    return f"{value:.{digits}f}".removeprefix("0")


def mean_width(means, covariance):
    """The mean number of ranks in a typical rank set."""
    drawn = UncertainMeans.of_covariance(means, covariance, resamples=200)
    low, high = rank_sets.typical(*rank_sets.rank_bounds(drawn.means + drawn.deviations), 0.95)
    return float((high - low + 1).mean())


def scores(path):
    table = rs.evaluate(FOLDER / "runs", path, [MEASURE]).scores[str(MEASURE)]
    return table.select(topics=sorted(table.topics), systems=sorted(table.systems))


def expected(outlook, budget, reached):
    """The median that is expected, and whether the range has what was reached."""
    width = outlook.at(budget).width
    low, high = np.quantile(width, [0.05, 0.95])
    return np.median(width), low <= reached <= high


def topics(repeats: int) -> Iterator[str]:
    """Widths by topic, expected from none, 8 and 15 human topics."""
    yield head("judge", "topics", "reached", "expected without labels", "from 8 topics", "from 15 topics")
    for judge in JUDGES:
        x, y = scores(FOLDER / "qrels.human.txt").values, scores(FOLDER / f"judges/{judge}.qrels").values
        names = tuple(map(str, range(len(x))))
        for n in (15, 25, 35):
            rows = []
            for seed in range(repeats):
                order = topic_order(names, seed)
                first, rest = order[:n], order[n:]
                fit = best_linear(x[first], y[first], y[rest])
                reached = mean_width(fit.means, fit.ranking_covariance * student_factor(fit.freedom, 0.95) ** 2)
                row = [reached]
                for pilot in (size for size in (0, 8, 15) if size < n):
                    known, others = order[:pilot], order[pilot:]
                    outlook = TopicOutlook(x[known], y[known], y[others], level=0.95, top=5, seed=seed)
                    row += expected(outlook, n, reached)
                rows.append(row)
            reached, *others = np.mean(rows, axis=0)
            cells = [
                f"{width:.1f} ({short(inside, 2)})" for width, inside in zip(others[::2], others[1::2], strict=True)
            ]
            yield line(judge, n, f"{reached:.1f}", *cells, *([""] * (3 - len(cells))))


def documents(repeats: int) -> tuple[str, str]:
    """Designs of documents: τ, errors and coverage, and widths expected from 5 % of the labels and from none."""
    accuracy = [head("judge", "labels", "design", "τ corrected", "τ combined", "error", "covers")]
    widths = [head("judge", "labels", "design", "reached", "expected from 5 %", "(without)")]
    for judge in (JUDGES[0], JUDGES[2]):
        for share, design, means, width in followed(judge, repeats):
            labels = f"{share:.0%}".replace("%", " %")
            if share < 0.4:
                cells = (short(means[0]), short(means[1]), short(means[2], 4), short(means[3]))
                accuracy.append(line(judge, labels, f"`{design}`", *cells))
            widths.append(
                line(judge, labels, f"`{design}`", *(f"{value:.1f}" for value in width[:2]), f"({width[2]:.1f})")
            )
    return "\n".join(accuracy), "\n".join(widths)


def followed(judge: str, repeats: int) -> Iterator[tuple[float, str, np.ndarray, np.ndarray]]:
    """For each share and design: τ corrected and combined, error, coverage; and widths reached and expected."""
    runs, labels = rs.read_runs(FOLDER / "runs"), rs.read_judgments(FOLDER / f"judges/{judge}.qrels")
    judged = rs.join(runs, labels)
    by_judge = rs.evaluate(runs, labels, [MEASURE]).scores[str(MEASURE)]
    human = rs.read_judgments(FOLDER / "qrels.human.txt")
    truth = rs.evaluate(runs, human, [MEASURE]).scores[str(MEASURE)].select(systems=by_judge.systems).means
    grades = {(topic, document): grade for topic, document, grade in human.to_frame().rows()}
    pool = DocumentPool.of(labels, judged, MEASURE, by_judge.values)
    of, table = DocumentScores.of(judged, MEASURE), document_correction.features
    gains = of.gains(np.array([grades[topic, document] for topic, document, _ in labels.to_frame().rows()]))
    features, own, count = table(of, labels.grades), of.gains(judged.grades), len(judged.topics)
    for share in (0.05, 0.1, 0.2, 0.4):
        for design in DOCUMENT_DESIGNS:
            chances, pilot = (design.function(pool, part * len(pool)) for part in (share, 0.05))
            rows, widths = [], []
            for seed in range(repeats):
                numbers = permanent_numbers(labels, seed)
                drawn = np.flatnonzero(numbers < chances)
                sampled = document_correction.Sampled(drawn, chances[drawn], gains[drawn])
                found = document_correction.estimate(of, features, sampled)
                corrected, combined = found.corrected.mean(axis=0), found.combined
                half = stdtrit(found.freedom, 0.975) * np.sqrt(np.diag(found.covariance))
                taus = (kendalltau(each, truth).statistic for each in (corrected, combined.means))
                rows.append([*taus, np.std(corrected - truth), np.mean(np.abs(corrected - truth) <= half)])
                if seed < WIDTHS:
                    centred = found.ranked - found.ranked.mean(axis=1, keepdims=True)
                    error = combined.slope**2 * np.cov(centred, rowvar=False) / count + combined.covariance
                    row = [mean_width(combined.means, error * student_factor(count - 1, 0.95) ** 2)]
                    for known in (np.where(numbers < pilot, gains, np.nan), np.full(len(pool), np.nan)):
                        outlook = DocumentOutlook(pool, design, own, known, form=of.form, level=0.95, top=5)
                        row.append(expected(outlook, round(share * len(pool)), row[0])[0])
                    widths.append(row)
            yield share, design.name, np.mean(rows, axis=0), np.mean(widths, axis=0)


def assumptions() -> Iterator[str]:
    """What a plan without human labels assumes, as all human labels of the track tell it for each judge.

    *within* and *between* are correlations of people's and the judge's scores within systems and between true values of
    systems; e is the standard deviation of human gains around the mean for the judge's grade, in that of the judge's
    gains; γ is the squared bias of means with expected gains, without a factor of all differences, by what it would be
    if the judge's errors on documents were independent.
    """
    yield head("judge", "measure", "within", "between", "e", "γ")
    runs, human = rs.read_runs(FOLDER / "runs"), rs.read_judgments(FOLDER / "qrels.human.txt")
    known = {(topic, document): grade for topic, document, grade in human.to_frame().rows()}
    for path in sorted((FOLDER / "judges").glob("*.qrels")):
        labels = rs.read_judgments(path)
        grades = np.array([known.get((topic, document), np.nan) for topic, document, _ in labels.to_frame().rows()])
        labels = labels.keep(~np.isnan(grades))
        people = labels.with_grades(grades[~np.isnan(grades)])
        whole = bool((labels.grades == np.round(labels.grades)).all())
        for measure in (MEASURE, rs.parse_measure("AP" if whole else "AP(rel=1)")):
            yield line(path.stem, measure, *(short(value, 2) for value in agreement(runs, people, labels, measure)))


def agreement(runs, people, labels, measure):
    """The four numbers of a judge in `assumptions`."""
    scored = [rs.score(rs.join(runs, each), str(measure))[str(measure)].values for each in (people, labels)]
    x, y = (centred(each) for each in scored)
    within = np.corrcoef((x - x.mean(axis=0)).ravel(), (y - y.mean(axis=0)).ravel())[0, 1]
    true = np.cov(x.mean(axis=0), y.mean(axis=0)) - np.cov(
        (x - x.mean(axis=0)).ravel(), (y - y.mean(axis=0)).ravel()
    ) / (len(x) - 1)
    between = true[0, 1] / np.sqrt(true[0, 0] * true[1, 1])
    joined = rs.join(runs, labels)
    pool, of = DocumentPool.of(labels, joined, measure, scored[1]), DocumentScores.of(joined, measure)
    gains, judged = of.gains(people.grades), of.gains(labels.grades)
    expected, residuals = document_planning._by_grade(labels.grades, np.ones(len(gains), dtype=bool), gains)
    filled = scored[1].mean(axis=0) - scored[1].mean() + pool.weights @ (expected - judged)
    bias = pool.weights @ (gains - expected)
    bias = bias - (bias @ filled) / (filled @ filled) * filled
    common = bias @ bias / np.square(pool.weights * np.sqrt(residuals)).sum()
    return within, between, np.sqrt(np.square(gains - expected).mean()) / judged.std(), common


def main(repeats: int) -> None:
    """Write the sections."""
    need(FOLDER)
    page = DOCS / "planning.md"
    write_section(page, "assumptions", "\n".join(assumptions()))
    write_section(page, "widths by topic", "\n".join(topics(repeats)))
    accuracy, widths = documents(repeats)
    write_section(page, "designs of documents", accuracy)
    write_section(page, "widths by document", widths)


if __name__ == "__main__":
    main(runs_asked(100))
