"""People's labels on a probability sample of the documents, a judge's on all: filled-in, corrected and combined scores.

Each document has an expected gain m, predicted from the judge's grade of it, the influence of its ranks, and its topic,
by what people said of the *other* sampled documents. With y the human gain, p the inclusion probability, and I whether
the document was drawn:

- *filled in*: y where people looked, m elsewhere. It has little noise, and the bias of m.
- *corrected*: m + I (y − m)/p, whose expectation is y whatever the judge did, since m does not depend on the document
  itself. Scores that are sums of gains are unbiased, and so are the numerators of AP and nDCG but for what documents
  share through m.
- *human*: I y/p, what people's labels alone give.
- *combined*: a curve of the filled-in scores, to which corrected scores add as much as their noise allows: the best
  linear prediction of the true differences between systems.

AP and nDCG are divided by numbers of relevant documents, which a sample of a topic tells poorly. In their estimates no
document weighs more than `CAP`, and all are multiplied so that their sum over topics is unbiased.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankscope.inference.document_scores import DocumentScores
from rankscope.runs import Positions
from rankscope.scores import Floats

# Judge's grades are taken as they are up to this number of different ones, and in as many groups of equal size beyond.
MOST_GRADES = 10
# What predictions are drawn to the mean by, in documents: the judge's grades and ranks, and topics.
_GRADE_PENALTY, _TOPIC_PENALTY = 2.0, 5.0
# The most that a document weighs in a topic's number of relevant documents, where means are published and where systems
# are ranked: the first is nearly unbiased, the second has less noise.
CAP, RANKING_CAP = 20.0, 1.0
# The levels of gain at which the documents of a topic are counted, at most.
_MOST_LEVELS = 20
# How the bias of filled-in scores may be spread over directions, from alike in all to mostly in the noisiest, and how
# large it may be, in units of the mean noise.
_SPREADS = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)
_SIZES = np.concatenate([[0.0], np.geomspace(1e-3, 1e4, 43)])


class Sampled(NamedTuple):
    """The drawn judgments: their rows, inclusion probabilities and human gains."""

    rows: Positions
    probabilities: Floats
    gains: Floats


class DocumentEstimates(NamedTuple):
    """Scores of all systems by topic, (T, S): `human`, `filled` and `corrected`, with sampling covariances of means.

    `covariance` is that of the corrected means, and `human_covariance` that of the human ones, over draws of documents
    from these topics; `freedom` and `human_freedom` are the degrees of freedom of each system's variance, since few
    documents make up most of it (Satterthwaite 1946). `expected` are the gains that the other documents lead to expect,
    one for each judgment.
    """

    human: Floats
    filled: Floats
    corrected: Floats
    covariance: Floats
    human_covariance: Floats
    freedom: Floats
    human_freedom: Floats
    expected: Floats


class CombinedMeans(NamedTuple):
    """Combined means relative to the average system, and the covariance of their errors over draws of documents.

    `weight` is the share of what corrected scores say beyond the filled-in ones that is believed, and `slope` how much
    the combined means change with the filled-in ones, on average.
    """

    means: Floats
    covariance: Floats
    weight: float
    slope: float


def judge_classes(grades: Floats) -> Positions:
    """The class of each of the judge's grades: one per grade, or groups of about equal size where there are many."""
    distinct, classes = np.unique(grades, return_inverse=True)
    if len(distinct) <= MOST_GRADES:
        return np.asarray(classes.reshape(-1), np.int64)
    edges = np.unique(np.quantile(grades, np.arange(1, MOST_GRADES) / MOST_GRADES))
    return np.searchsorted(edges, grades, side="left")


def features(documents: DocumentScores, grades: Floats) -> tuple[Floats, Floats]:
    """What human gains are predicted from, (J, K), with penalties: grade, grade × influence of ranks, topic.

    A document without a judge's grade (NaN) has no features: nothing is expected of it.
    """
    known = ~np.isnan(grades)
    codes = judge_classes(grades[known])
    classes = np.zeros((len(grades), int(codes.max(initial=0)) + 1))
    classes[known, codes] = 1.0
    topics = np.eye(len(documents.judged.topics))[documents.topic_of]
    flat = np.zeros(len(grades)), np.ones(topics.shape[1]), np.zeros((topics.shape[1], len(documents.judged.systems)))
    weights = documents.weights(*flat)
    spread = ((weights - weights.mean(axis=0)) ** 2).sum(axis=0)
    place = np.argsort(np.argsort(spread, kind="stable"), kind="stable") / max(len(grades), 1) - 0.5
    table = np.hstack([np.ones((len(grades), 1)), classes, place[:, None] * classes, topics]) * known[:, None]
    alike = np.full(2 * classes.shape[1], _GRADE_PENALTY)
    return table, np.concatenate([[1e-3], alike, np.full(topics.shape[1], _TOPIC_PENALTY)])


def expected_values(table: Floats, penalties: Floats, rows: Positions, values: Floats) -> Floats:
    """For each document, (J, V), the ridge regression's prediction from the sampled documents other than itself.

    Leaving out an observation of a ridge regression changes its own prediction ŷ to (ŷ − h y)/(1 − h), with h its
    leverage, so that one fit is enough. Drawn documents count alike: where they are drawn in proportion to their
    influence, that makes the influential errors small.
    """
    drawn = table[rows]
    gram = drawn.T @ drawn + np.diag(penalties)
    expected = table @ np.linalg.solve(gram, drawn.T @ values)
    leverage = (drawn * np.linalg.solve(gram, drawn.T).T).sum(axis=1)[:, None]
    expected[rows] = (expected[rows] - leverage * values) / (1.0 - leverage)
    return np.asarray(np.maximum(expected, 0.0))


class Counts(NamedTuple):
    """The estimated number of documents of at least each level of gain by topic, (T, L).

    They are `factor` (L) times numbers in which no document weighs more than the cap; the factor makes their sum over
    topics unbiased. `shares` (T, L) are each topic's part of the sum.
    """

    numbers: Floats
    shares: Floats
    factor: Floats


def estimate(
    documents: DocumentScores, features_of: tuple[Floats, Floats], sampled: Sampled, *, cap: float = CAP
) -> DocumentEstimates:
    """Human, filled-in and corrected scores; `features_of` has the judge's grades (see `features`)."""
    rows, gains = sampled.rows, sampled.gains
    levels = _levels(gains) if documents.form == "ideal" else np.zeros(0)
    values = np.column_stack([gains, gains[:, None] >= levels]).astype(np.float64)
    expected = expected_values(*features_of, rows, values)
    expected[:, 1:] = np.minimum(expected[:, 1:], 1.0)
    estimates = [
        corrected_scores(documents, means, levels, values, sampled, cap) for means in (expected, 0.0 * expected)
    ]
    (corrected, norms, covariance, freedom), (human, _, human_covariance, human_freedom) = estimates
    filled = expected[:, 0].copy()
    filled[rows] = gains
    return DocumentEstimates(
        human=human,
        filled=documents.scores(filled, norms),
        corrected=corrected,
        covariance=covariance,
        human_covariance=human_covariance,
        freedom=freedom,
        human_freedom=human_freedom,
        expected=expected[:, 0],
    )


def combine(filled: Floats, corrected: Floats, covariance: Floats) -> CombinedMeans:
    """The best linear prediction of true means from filled-in and corrected means.

    A rising curve (a line or a parabola) of the filled-in means is fitted to the corrected ones: what it explains is no
    noise, and it changes no rank. The rest is bias of the filled-in means and noise of the corrected ones, whose
    covariance is known. In each direction in which it varies, the bias has some share of the variance; the shares are
    averaged over the sizes and spreads of biases that explain the rest, by their likelihoods.
    """
    systems = len(filled)
    centre = np.eye(systems) - 1.0 / systems
    x, y, noise = centre @ filled, centre @ corrected, centre @ covariance @ centre
    curve, slope = _rising(x, y)
    rest = y - curve
    variances, directions = np.linalg.eigh(noise)
    variances, directions = variances[1:], directions[:, 1:]  # the first is the mean of all systems
    if variances[-1] <= 1e-12 * max(float(rest @ rest), 1e-300):
        return CombinedMeans(y, noise, 1.0, slope)
    variances = np.maximum(variances, 1e-9 * variances[-1])
    along = directions.T @ rest
    shapes = (variances / variances.mean()) ** np.array(_SPREADS)[:, None]
    bias = (shapes / shapes.mean(axis=1, keepdims=True))[:, None] * (_SIZES[:, None] * variances.mean())
    bias = bias.reshape(-1, len(variances))
    total = bias + variances
    likelihoods = -0.5 * (np.log(total) + along**2 / total).sum(axis=1)
    belief = np.exp(likelihoods - likelihoods.max())
    shares = belief / belief.sum() @ (bias / total)
    weight = float((shares * variances).sum() / variances.sum())
    left = (directions * (shares * variances)) @ directions.T
    return CombinedMeans(np.asarray(curve + directions @ (shares * along)), left, weight, slope)


def on_scale(combined: CombinedMeans, corrected: Floats) -> CombinedMeans:
    """Combined means on the scale of corrected ones, where the former were made with other norms for the ranking."""
    squares = float(combined.means @ combined.means)
    factor = float(combined.means @ (corrected - corrected.mean())) / squares if squares > 0.0 else 1.0
    if factor <= 0.0:
        return combined
    return CombinedMeans(
        combined.means * factor, combined.covariance * factor**2, combined.weight, combined.slope * factor
    )


def corrected_scores(
    documents: DocumentScores, means: Floats, levels: Floats, values: Floats, sampled: Sampled, cap: float
) -> tuple[Floats, Floats, Floats, Floats]:
    """Scores (T, S) of m + I (y − m)/p, what they are divided by, and the covariance of their means over draws.

    Last are the degrees of freedom of each mean's variance.
    """
    rows, chances, _ = sampled
    topics = len(documents.judged.topics)
    residuals = values - means[rows]
    gains = means[:, 0].copy()
    gains[rows] += residuals[:, 0] / chances
    counted = slice(0, 0) if documents.form == "sum" else slice(0, 1) if documents.form == "pairs" else slice(1, None)
    counts = _counts(documents, means[:, counted], residuals[:, counted], values[:, counted], sampled, cap)
    norms, ends = np.ones(topics), np.ones((topics, 1))
    if documents.form == "ideal":
        ideal = documents.ideal(levels, counts.numbers)
        norms, ends = np.maximum(ideal.score, levels[0] * documents.rank_weights[0]), ideal.ends
    elif documents.form == "pairs":
        norms = np.maximum(counts.numbers[:, 0], 1.0)
    scores = documents.scores(gains, norms)
    # What the mean of each system (rows) changes with the residual of each drawn document, times p.
    changes = documents.weights(gains, norms, np.zeros_like(scores))[:, rows] * residuals[:, 0]
    if documents.form != "sum":
        divided = scores[:, None, :] / norms[:, None, None] * ends[:, :, None]
        pooled = np.einsum("tls,tl->ls", divided, counts.shares)
        own = np.minimum(1.0, cap * chances)[:, None] * counts.factor
        each = residuals[:, counted]
        changes -= np.einsum("dl,dls->sd", each * own, divided[documents.topic_of[rows]])
        changes -= (each * (1.0 - own) @ pooled).T
    changes *= np.sqrt(1.0 - chances) / chances / topics
    squares = np.square(changes)
    total, fourth = squares.sum(axis=1), np.square(squares).sum(axis=1)
    freedom = np.divide(total**2, fourth, out=np.full(len(total), np.inf), where=fourth > 0.0)
    return scores, norms, np.asarray(changes @ changes.T), freedom


def _counts(
    documents: DocumentScores, means: Floats, residuals: Floats, values: Floats, sampled: Sampled, cap: float
) -> Counts:
    rows, chances, _ = sampled
    topic = documents.topic_of[rows]

    def by_topic(topic_of: Positions, columns: Floats) -> Floats:
        sums = np.zeros((len(documents.judged.topics), columns.shape[1]))
        np.add.at(sums, topic_of, columns)
        return sums

    expected, found = by_topic(documents.topic_of, means), by_topic(topic, values)
    capped = np.maximum(expected + by_topic(topic, np.minimum(1.0 / chances, cap)[:, None] * residuals), found)
    total = expected.sum(axis=0) + (residuals / chances[:, None]).sum(axis=0)
    sums = capped.sum(axis=0)
    known = (sums > 0.0) & (total > 0.0)
    factor = np.divide(total, sums, out=np.ones_like(sums), where=known)
    shares = np.divide(capped, sums, out=np.zeros_like(capped), where=sums > 0.0)
    return Counts(np.maximum(factor * capped, found), shares, factor)


def _levels(gains: Floats) -> Floats:
    """The gains at which documents are counted: all that people gave, or quantiles of them where there are many."""
    levels = np.unique(gains[gains > 0.0])
    if len(levels) > _MOST_LEVELS:
        levels = np.unique(np.quantile(gains[gains > 0.0], np.linspace(0.0, 1.0, _MOST_LEVELS)))
    return levels if len(levels) else np.ones(1)


def _rising(x: Floats, y: Floats) -> tuple[Floats, float]:
    """The parabola of x, or the line where that does not rise, that is closest to y (both centred); its mean slope."""
    scale = float(x.std())
    if scale <= 1e-12 * float(np.abs(y).max(initial=1.0)):
        return np.zeros_like(y), 0.0
    unit = x / scale
    powers = np.column_stack([unit, unit**2 - np.mean(unit**2)])
    line, bend = np.linalg.lstsq(powers, y, rcond=None)[0]
    if float((line + 2.0 * bend * unit).min()) > 0.0:
        return np.asarray(powers @ (line, bend)), float(line) / scale
    slope = max(float(unit @ y) / float(unit @ unit), 0.0)
    return np.asarray(slope * unit), slope / scale
