"""Plans followed on the Deep Learning track of 2019, human labels hidden: expected and reached widths, and designs.

docs/planning.md has the figures:

    python tests/inference/planned.py topics umbrela-gpt-4o 100
    python tests/inference/planned.py designs umbrela-gpt-4o 200
    python tests/inference/planned.py documents umbrela-gpt-4o 100
"""

import sys

import numpy as np
from scipy.special import stdtrit
from scipy.stats import kendalltau
from simulated import ROBUST

import rankscope as rs
from rankscope.inference import document_correction, rank_sets
from rankscope.inference.correction import best_linear, prediction_powered
from rankscope.inference.designs import DOCUMENT_DESIGNS, TOPIC_DESIGNS, DocumentPool, topic_order
from rankscope.inference.document_planning import DocumentOutlook
from rankscope.inference.document_scores import DocumentScores
from rankscope.inference.planning import TopicOutlook, student_factor
from rankscope.inference.rank_sets import UncertainMeans
from rankscope.inference.sampling import permanent_numbers

FOLDER = ROBUST.parent / "dl19"
MEASURE = rs.parse_measure("nDCG@10")
# Widths are compared in fewer draws of documents than errors: they take longer.
WIDTHS = 20


def say(*values):
    """Write a line."""
    sys.stdout.write(" ".join(map(str, values)) + "\n")


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


def topics(judge, repeats):
    """Widths by topic, expected from none, 8 and 15 human topics."""
    x, y = scores(FOLDER / "qrels.human.txt").values, scores(FOLDER / f"judges/{judge}.qrels").values
    names = tuple(map(str, range(len(x))))
    for n in (15, 25, 35):
        rows = []
        for seed in range(repeats):
            order = topic_order(TOPIC_DESIGNS[0], names, y, seed)
            first, rest = order[:n], order[n:]
            fit = best_linear(x[first], y[first], y[rest])
            reached = mean_width(fit.means, fit.covariance * student_factor(fit.freedom, 0.95) ** 2)
            row = [reached]
            for pilot in (size for size in (0, 8, 15) if size < n):
                known, others = order[:pilot], order[pilot:]
                outlook = TopicOutlook(x[known], y[known], y[others], level=0.95, top=5, seed=seed)
                row += expected(outlook, n, reached)
            rows.append(row)
        say(judge, n, np.mean(rows, axis=0).round(3))


def designs(judge, repeats):
    """Both orders of topics: τ of corrected means and predictions, their errors, and coverage."""
    x, y = scores(FOLDER / "qrels.human.txt").values, scores(FOLDER / f"judges/{judge}.qrels").values
    truth, names = x.mean(axis=0), tuple(map(str, range(len(x))))
    for n in (8, 15, 25):
        for design in TOPIC_DESIGNS:
            rows = []
            for seed in range(repeats):
                order = topic_order(design, names, y, seed)
                sides = x[order[:n]], y[order[:n]], y[order[n:]]
                powered, fit = prediction_powered(*sides), best_linear(*sides)
                half = stdtrit(n - 1, 0.975) * np.sqrt(np.diag(powered.covariance))
                rows.append(
                    [
                        *(kendalltau(own.means, truth).statistic for own in (powered, fit)),
                        *(np.var(own.means - truth) for own in (powered, fit)),
                        np.mean(np.abs(powered.means - truth) <= half),
                    ]
                )
            tau, error, covers = np.split(np.mean(rows, axis=0), [2, 4])
            say(judge, n, design.name, tau.round(3), np.sqrt(error).round(4), covers.round(3))


def documents(judge, repeats):
    """Designs of documents: τ, errors and coverage, and widths expected from 5 % of the labels and from none."""
    runs, labels = rs.read_runs(FOLDER / "runs"), rs.read_judgments(FOLDER / f"judges/{judge}.qrels")
    judged = rs.join(runs, labels)
    by_judge = rs.evaluate(runs, labels, [MEASURE]).scores[str(MEASURE)]
    human = rs.read_judgments(FOLDER / "qrels.human.txt")
    truth = rs.evaluate(runs, human, [MEASURE]).scores[str(MEASURE)].select(systems=by_judge.systems).means
    grades = {(topic, document): grade for topic, document, grade in human.to_frame().iter_rows()}
    pool = DocumentPool.of(labels, judged, MEASURE, by_judge.values)
    of, table = DocumentScores.of(judged, MEASURE), document_correction.features
    gains = of.gains(np.array([grades[topic, document] for topic, document, _ in labels.to_frame().iter_rows()]))
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
                half = 1.96 * np.sqrt(np.diag(found.covariance))
                taus = (kendalltau(each, truth).statistic for each in (corrected, combined.means))
                rows.append([*taus, np.std(corrected - truth), np.mean(np.abs(corrected - truth) <= half)])
                if seed < WIDTHS:
                    centred = found.ranked - found.ranked.mean(axis=1, keepdims=True)
                    error = combined.slope**2 * np.cov(centred, rowvar=False) / count + combined.covariance
                    reached = mean_width(combined.means, error * student_factor(count - 1, 0.95) ** 2)
                    row = [reached]
                    for known in (np.where(numbers < pilot, gains, np.nan), np.full(len(pool), np.nan)):
                        outlook = DocumentOutlook(pool, design, own, known, level=0.95, top=5)
                        row += expected(outlook, round(share * len(pool)), reached)
                    widths.append(row)
            say(judge, share, design.name, np.mean(rows, axis=0).round(4), np.mean(widths, axis=0).round(2))


if __name__ == "__main__":
    {"topics": topics, "designs": designs, "documents": documents}[sys.argv[1]](sys.argv[2], int(sys.argv[3]))
