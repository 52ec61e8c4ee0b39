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
  linear prediction of the true differences between systems. Both contain what people said of the drawn documents, so
  their difference Σ I (1/p − 1)(y − m) has less noise than the corrected scores; it tells of the documents that were
  not drawn. In it no document weighs more than `CAP`: with tiny probabilities one label would decide the ranking.

AP and nDCG are divided by numbers of relevant documents, which a sample of a topic tells poorly. In their estimates no
document weighs more than `CAP`, and what people have not seen is multiplied so that its sum over topics is unbiased.
Ideal scores get back what the noise of these numbers takes from them. To rank by nDCG, the numbers are also drawn to
what is expected of each topic, as far as their noise explains how they differ from it (James & Stein 1961); what noise
does not explain is the weight that the published ideal scores keep.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rankscope.fits import PRIOR_TOPICS
from rankscope.inference.document_scores import DocumentScores, Ideal
from rankscope.inference.rank_sets import moderated
from rankscope.runs import Positions
from rankscope.scores import Floats

# Judge's grades are taken as they are up to this number of different ones, and in as many groups of equal size beyond.
MOST_GRADES = 10
# What predictions are drawn to the mean by, in documents: the judge's grades and ranks, and topics.
_GRADE_PENALTY, _TOPIC_PENALTY = 2.0, 5.0
# The most that a document weighs in a topic's number of relevant documents where means are published, which keeps them
# nearly unbiased, and in combined scores.
CAP = 20.0
# The same where systems are ranked by AP: less noise, and more bias.
RANKING_CAP = 3.0
# What the covariance of the difference between filled-in and corrected means is drawn to its smooth form by, in degrees
# of freedom.
_SMOOTHING = 50.0
# What the variance of corrected means is drawn to the one that expected gains imply by, in degrees of freedom, and the
# least probability of a gain: a few labels without a surprise do not prove that there are none.
_PRIOR_FREEDOM, _LEAST_CHANCE = 10.0, 0.01
# The levels of gain at which the documents of a topic are counted, at most.
_MOST_LEVELS = 20
# Corrected means as a curve of filled-in ones, before any label: standard deviations of its slope around 1, and of its
# bend around 0.
_CURVE = (1.0, 0.25)
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

    `covariance` is that of the corrected means over draws of documents from these topics, for AP with the square of
    their bias, `freedom` the degrees of freedom of each system's variance, and `deciding` the number of documents that
    make up most of it (Satterthwaite 1946; see `sampling_covariance`). `expected` are the gains that the other
    documents lead to expect, one for each judgment. `combined` are the means to rank by, and `ranked` the filled-in
    scores they were made of.
    """

    human: Floats
    filled: Floats
    corrected: Floats
    covariance: Floats
    freedom: Floats
    deciding: Floats
    expected: Floats
    combined: CombinedMeans
    ranked: Floats


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
    inverse = np.linalg.inv(drawn.T @ drawn + np.diag(penalties))
    expected = table @ (inverse @ (drawn.T @ values))
    leverage = ((drawn @ inverse) * drawn).sum(axis=1)[:, None]
    expected[rows] = (expected[rows] - leverage * values) / (1.0 - leverage)
    return np.asarray(np.maximum(expected, 0.0))


class Counts(NamedTuple):
    """The estimated number of documents of at least each level of gain by topic, (T, L).

    They are those that people found, and `factor` (L) times an estimate of the others in which no document weighs more
    than the cap, or surprises are believed in part (`_believed`); the factor makes the sum over topics unbiased.
    `uncapped` (T, L) are the unbiased and noisy numbers. `shares` (T, L) are each topic's part of the others. `own`
    (u, L) is what each document that may be missed adds to the number of its topic by being drawn, and `pooled` (u, L)
    what it adds to the numbers of all topics through the factor. `believed` (L,) is the share of what sets topics apart
    that noise does not explain; all of it with a cap.
    """

    numbers: Floats
    uncapped: Floats
    shares: Floats
    own: Floats
    pooled: Floats
    believed: Floats


class CorrectedScores(NamedTuple):
    """Scores (T, S) of m + I (y − m)/p, what they are divided by, and their errors over draws of documents.

    `changes` (S, u) is what each drawn document adds to the error of each mean, a root of the covariance, if no
    document's weight were capped in the norms. `slopes` are (S, u) for each level of gain: how much that error changes
    if a document reaches it. `bias` (S,) estimates what the cap adds to the means by AP (see `_bias_of_cap`).
    """

    scores: Floats
    norms: Floats
    bias: Floats
    changes: Floats
    slopes: list[Floats]


def estimate(documents: DocumentScores, features_of: tuple[Floats, Floats], sampled: Sampled) -> DocumentEstimates:
    """Human, filled-in, corrected and combined scores; `features_of` has the judge's grades (see `features`)."""
    rows = sampled.rows
    levels, values = _counted_values(sampled)
    expected = expected_values(*features_of, rows, values)
    expected[:, 1:] = np.minimum(expected[:, 1:], 1.0)
    numerators = _numerators(documents, expected, values, sampled)
    corrected = corrected_scores(documents, numerators, levels)
    chances = expected[rows[numerators.unsure], 1:]
    covariance, deciding = sampling_covariance(corrected, chances)
    alone = _numerators(documents, 0.0 * expected, values, sampled)
    gains = expected[:, 0].copy()
    gains[rows] = sampled.gains
    filled = documents.scores(gains, corrected.norms)
    ranked, combined = ranking(documents, numerators, levels, gains)
    return DocumentEstimates(
        human=alone.scores / _divisor(documents, alone, levels).norms[:, None],
        filled=filled,
        corrected=corrected.scores,
        covariance=covariance,
        freedom=PRIOR_TOPICS + deciding,
        deciding=deciding,
        expected=expected[:, 0],
        combined=on_scale(combined, ranked.mean(axis=0), filled.mean(axis=0)),
        ranked=ranked,
    )


def as_many_alone(documents: DocumentScores, features_of: tuple[Floats, Floats], sampled: Sampled) -> float:
    """How many documents people alone would label, drawn alike, to know sums of gains as well as the corrected ones.

    The error of sums is in proportion to (1 − f)/f, with f the share of the documents that are labelled, and to the
    squares of what people's gains have beyond what is expected of them; people alone expect nothing. A document counts
    by its chance of having been missed: where they are drawn in proportion to their influence, all then have the same
    part in the error. The error itself is far less well known, since a few documents with small probabilities decide
    it. Documents that change no score are left out.
    """
    rows, chances, gains = sampled
    matters = np.zeros(len(documents.topic_of), dtype=bool)
    matters[documents.row[documents.weight > 0.0]] = True
    labelled, total = int(matters[rows].sum()), int(matters.sum())
    surprise = gains - expected_values(*features_of, rows, gains[:, None])[rows, 0]
    alone, left = (float(((1.0 - chances) * each**2)[matters[rows]].sum()) for each in (gains, surprise))
    error = labelled * alone + (total - labelled) * left
    return len(rows) * total * alone / error if error > 0.0 else float(len(rows))


def ranking(
    documents: DocumentScores, numerators: _Numerators, levels: Floats, filled: Floats
) -> tuple[Floats, CombinedMeans]:
    """Filled-in scores (T, S) and combined means to rank by; `filled` are the filled-in gains.

    Each system's noise is drawn to that of the average system: one whose documents are rarely in the sample would
    otherwise seem to be known well. The errors of combined means are those of the combination, and what no combination
    changes: the gains of documents that were not drawn around what is expected of them, and the noise of the norms.
    """
    (rows, chances, _), unsure, topics = numerators.sampled, numerators.unsure, len(numerators.scores)
    capped = numerators.with_chances(np.maximum(chances, 1.0 / CAP))
    norms, divisors = ranking_norms(documents, numerators, levels)
    ranked, corrected = documents.scores(filled, norms), capped.scores / norms[:, None]
    rows, missed = rows[unsure], 1.0 - chances[unsure]
    weights = capped.weights / (norms[documents.topic_of[rows]] * topics)
    changes = weights * (numerators.values[unsure, 0] - numerators.means[rows, 0])
    stands_for = 1.0 / capped.sampled.probabilities[unsure] - 1.0
    noise = smoothed_covariance(changes * stands_for, weights * stands_for)
    noise = moderated(noise, _freedom(changes * stands_for))
    combined = combine(ranked.mean(axis=0), corrected.mean(axis=0), noise)
    rest = changes * np.sqrt(missed / (1.0 - missed))
    for share, divisor in divisors:
        through = _through_norms(divisor, corrected / norms[:, None], documents.topic_of[rows])
        rest = rest + share * through * np.sqrt(missed) / topics
    rest = rest - rest.mean(axis=0)
    return ranked, combined._replace(covariance=combined.covariance + rest @ rest.T)


def combine(filled: Floats, corrected: Floats, covariance: Floats) -> CombinedMeans:
    """The best linear prediction of true means from filled-in and corrected means.

    A rising curve (a line or a parabola) of the filled-in means is fitted to the corrected ones: what it explains is no
    noise, and it changes no rank. Where noise hides the curve, it is the filled-in means themselves. The rest is bias
    of the filled-in means and noise of the corrected ones, whose covariance is known. In each direction in which it
    varies, the bias has some share of the variance; the shares are averaged over the sizes and spreads of biases that
    explain the rest, by their likelihoods.
    """
    systems = len(filled)
    centre = np.eye(systems) - 1.0 / systems
    x, y, noise = centre @ filled, centre @ corrected, centre @ covariance @ centre
    curve, slope = _rising(x, y, noise)
    rest = y - curve
    # The direction of all systems alike gets the greatest value, and is left out.
    variances, directions = np.linalg.eigh(noise + (2.0 * float(np.trace(noise)) / systems or 1.0))
    variances, directions = variances[:-1], directions[:, :-1]
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


def on_scale(combined: CombinedMeans, ranked: Floats, filled: Floats) -> CombinedMeans:
    """Combined means on the scale of published ones: filled-in means by both norms tell the factor between them."""
    own, other = ranked - ranked.mean(), filled - filled.mean()
    squares = float(own @ own)
    factor = float(own @ other) / squares if squares > 0.0 else 1.0
    if factor <= 0.0:
        return combined
    return CombinedMeans(
        combined.means * factor, combined.covariance * factor**2, combined.weight, combined.slope * factor
    )


@dataclass(frozen=True, eq=False)
class _Numerators:
    """Scores of m + I (y − m)/p before they are divided, with what was expected (m) and found (y) at each level."""

    documents: DocumentScores
    gains: Floats
    means: Floats
    values: Floats
    sampled: Sampled
    scores: Floats

    def with_chances(self, chances: Floats) -> _Numerators:
        """The same if documents had been drawn with these probabilities."""
        if np.array_equal(chances, self.sampled.probabilities):
            return self
        return _numerators(self.documents, self.means, self.values, self.sampled._replace(probabilities=chances))

    @cached_property
    def unsure(self) -> Positions:
        """The places, among the drawn documents, of those that might have been missed; the others have no error."""
        return np.flatnonzero(self.sampled.probabilities < 1.0)

    @cached_property
    def weights(self) -> Floats:
        """Systems × documents that might have been missed: how much the scores change with their gains."""
        return self.documents.rank_changes(self.gains, self.sampled.rows[self.unsure])


def _numerators(documents: DocumentScores, means: Floats, values: Floats, sampled: Sampled) -> _Numerators:
    rows, chances, _ = sampled
    gains = means[:, 0].copy()
    gains[rows] += (values[:, 0] - means[rows, 0]) / chances
    scores = documents.scores(gains, np.ones(len(documents.judged.topics)))
    return _Numerators(documents, gains, means, values, sampled, scores)


class _Divisor(NamedTuple):
    """What scores are divided by, (T,), how it changes with the number of documents of each level, and the numbers."""

    norms: Floats
    ends: Floats
    counts: Counts | None


def _counted(documents: DocumentScores) -> slice:
    """Which values are counted: gains for AP, levels of gain for nDCG."""
    return slice(0, 1) if documents.form == "pairs" else slice(1, None)


def ranking_norms(
    documents: DocumentScores, numerators: _Numerators, levels: Floats
) -> tuple[Floats, list[tuple[float, _Divisor]]]:
    """What scores are divided by to rank, (T,), and the divisors that it is the mean of, with their shares.

    For nDCG, the published ideal scores have the share of the differences between topics that is believed.
    """
    shrunk = _divisor(documents, numerators, levels, to_rank=True)
    if documents.form != "ideal" or shrunk.counts is None:
        return shrunk.norms, [(1.0, shrunk)]
    published, share = _divisor(documents, numerators, levels), float(shrunk.counts.believed.mean())
    norms = share * published.norms + (1.0 - share) * shrunk.norms
    return norms, [(share, published), (1.0 - share, shrunk)]


def _through_norms(divisor: _Divisor, divided: Floats, topic: Positions) -> Floats:
    """Systems × documents: what drawn documents add to the sums of scores over topics through the norms.

    `divided` are the scores, divided by their norms once more.
    """
    _, ends, counts = divisor
    if counts is None:
        return np.zeros((divided.shape[1], len(topic)))
    pooled = np.einsum("ts,tl,tl->ls", divided, ends, counts.shares)
    return np.asarray(-divided[topic].T * (counts.own * ends[topic]).sum(axis=1) - (counts.pooled @ pooled).T)


def _divisor(documents: DocumentScores, numerators: _Numerators, levels: Floats, *, to_rank: bool = False) -> _Divisor:
    whole = np.ones(len(numerators.scores))
    if documents.form == "sum":
        return _Divisor(whole, whole[:, None], None)
    if documents.form == "pairs":
        counts = _counts(documents, numerators, RANKING_CAP if to_rank else CAP)
        return _Divisor(np.maximum(counts.numbers[:, 0], 1.0), whole[:, None], counts)
    counts = _counts(documents, numerators, None if to_rank else CAP)
    ideal = documents.ideal(levels, counts.numbers)
    lost: Any = 0.0 if to_rank else _lost_to_noise(ideal, documents, numerators, counts)
    most = float(levels[-1] * documents.rank_weights.sum())
    least = levels[0] * documents.rank_weights[0]
    return _Divisor(np.clip(ideal.score + lost, least, max(least, most)), ideal.ends, counts)


def corrected_scores(documents: DocumentScores, numerators: _Numerators, levels: Floats) -> CorrectedScores:
    """Corrected scores of every topic, with no document weighing more than `CAP` in what they are divided by."""
    rows, chances = numerators.sampled.rows[numerators.unsure], numerators.sampled.probabilities[numerators.unsure]
    topics, topic = len(numerators.scores), documents.topic_of[rows]
    residuals = (numerators.values[numerators.unsure] - numerators.means[rows]) / chances[:, None]
    norms, ends, counts = _divisor(documents, numerators, levels)
    scores = numerators.scores / norms[:, None]
    weights, steps = numerators.weights / norms[topic], np.diff(levels, prepend=0.0)
    bias = np.zeros(scores.shape[1])
    changes, slopes = weights * residuals[:, 0], [weights * (step / chances) for step in steps]
    if counts is not None:
        divided = (scores / norms[:, None])[topic].T
        changes = changes - divided * (residuals[:, _counted(documents)] * ends[topic]).sum(axis=1)
        # AP is divided by a sum of gains, so that a level counts by its step. In nDCG `ends` has the steps already, and
        # an ideal score is bounded, so that the variance without a cap is larger than the errors with one.
        pairs = documents.form == "pairs"
        if pairs:
            bias = _bias_of_cap(scores, counts)
        per_level, most = (ends[topic] * steps, np.inf) if pairs else (ends[topic], CAP)
        stands_for = np.minimum(1.0 / chances, most)
        slopes = [slope - divided * (end * stands_for) for slope, end in zip(slopes, per_level.T, strict=True)]
    spread = np.sqrt(1.0 - chances) / topics
    return CorrectedScores(scores, norms, bias, changes * spread, [slope * spread for slope in slopes])


def _bias_of_cap(scores: Floats, counts: Counts) -> Floats:
    """An estimate of how far off mean AP is since the number of relevant documents is capped in every topic, (S,).

    The cap keeps the sum of the numbers and moves documents between topics; the unbiased numbers tell how many. What a
    topic has too many or too few is divided by the larger of its two numbers, so that no score is off by more than
    itself.
    """
    capped, uncapped = counts.numbers[:, 0], np.maximum(counts.uncapped[:, 0], 0.0)
    off = (uncapped - capped) / np.maximum(np.maximum(capped, uncapped), 1.0)
    return np.asarray((off[:, None] * scores).mean(axis=0))


def sampling_covariance(corrected: CorrectedScores, chances: Floats) -> tuple[Floats, Floats]:
    """The covariance of corrected means over draws of documents, and the documents that decide each system's variance.

    In a small sample few labels decide the covariance that residuals give, and where none of them is a surprise it is
    far too small. So it is drawn to the one that expected gains imply: those of a document are nested events (a gain of
    at least each level), whose probabilities were predicted (`chances`, u × L). Then each system's variance is drawn to
    that of the average system, since a document with a tiny probability is rarely in the sample. The square of the bias
    is added, which makes it the mean squared error.
    """
    own, seen = corrected.changes @ corrected.changes.T, _freedom(corrected.changes)
    reached = np.minimum.accumulate(np.clip(chances, _LEAST_CHANCE, 1.0 - _LEAST_CHANCE), axis=1)
    exactly = reached - np.column_stack([reached[:, 1:], np.zeros(len(reached))])
    around = np.zeros_like(corrected.changes)
    for slope, share in zip(corrected.slopes, reached.T, strict=True):
        around -= slope * share
    implied = (around * (1.0 - reached[:, 0])) @ around.T
    for slope, share in zip(corrected.slopes, exactly.T, strict=True):
        around = around + slope
        implied = implied + (around * share) @ around.T
    kept = seen / (seen + _PRIOR_FREEDOM)
    covariance = own * np.sqrt(np.outer(kept, kept)) + implied * np.sqrt(np.outer(1.0 - kept, 1.0 - kept))
    return moderated(covariance, seen) + np.outer(corrected.bias, corrected.bias), seen


def smoothed_covariance(changes: Floats, even: Floats) -> Floats:
    """The covariance of changes (S, u), drawn to what it would be if all residuals were alike (`even`, S × u).

    In a small sample chance decides its directions.
    """
    own, smooth = changes @ changes.T, even @ even.T
    total, alike = (float(np.trace(each) - each.mean() * len(each)) for each in (own, smooth))
    if total <= 0.0 or alike <= 0.0:
        return np.asarray(own)
    share = _SMOOTHING / (_SMOOTHING + float(np.median(_freedom(changes))))
    return np.asarray((1.0 - share) * own + share * total / alike * smooth)


def _freedom(changes: Floats) -> Floats:
    """The degrees of freedom of each system's variance (Satterthwaite 1946); none where nothing changes."""
    squares = np.square(changes)
    total, fourth = squares.sum(axis=1), np.square(squares).sum(axis=1)
    return np.asarray(np.divide(total**2, fourth, out=np.zeros_like(total), where=fourth > 0.0))


def _lost_to_noise(ideal: Ideal, documents: DocumentScores, numerators: _Numerators, counts: Counts) -> Floats:
    """What the noise of the numbers takes from ideal scores: each further document adds less than the last.

    To second order that is half the variance of a number times the bend of the ideal score. No variance is taken to be
    larger than its number, plus one.
    """
    (rows, chances, _), unsure = numerators.sampled, numerators.unsure
    variances = np.zeros_like(counts.numbers)
    np.add.at(variances, documents.topic_of[rows[unsure]], (1.0 - chances[unsure])[:, None] * counts.own**2)
    return np.asarray(0.5 * (ideal.bends * np.minimum(variances, counts.numbers + 1.0)).sum(axis=1))


def _counts(documents: DocumentScores, numerators: _Numerators, cap: float | None) -> Counts:
    """The numbers with a cap, or, without one, drawn to what is expected of each topic."""
    (rows, chances, _), unsure, counted = numerators.sampled, numerators.unsure, _counted(documents)
    means, values = numerators.means[:, counted], numerators.values[:, counted]
    topics, topic, known = documents.topic_of, documents.topic_of[rows], means[rows]

    def by_topic(topic_of: Positions, columns: Floats) -> Floats:
        sums = [np.bincount(topic_of, weights=column, minlength=len(numerators.scores)) for column in columns.T]
        return np.column_stack(sums)

    # Beyond its own label a drawn document stands for others, as many as its weight says, instead of for what was
    # expected of it.
    surprise = (1.0 / chances - 1.0)[:, None] * (values - known)
    expected = by_topic(topics, means) - by_topic(topic, known)
    if cap is None:
        believed, multiplier = _believed(expected, by_topic(topic, surprise), by_topic(topic, surprise**2))
        kept = multiplier * surprise
    else:
        believed = np.ones(means.shape[1])
        kept = (np.minimum(1.0 / chances, cap) - 1.0)[:, None] * (values - known)
    others = np.maximum(expected + by_topic(topic, kept), 0.0)
    sums = others.sum(axis=0)
    total = np.maximum(expected.sum(axis=0) + surprise.sum(axis=0), 0.0)
    factor = np.divide(total, sums, out=np.ones_like(sums), where=sums > 0.0)
    shares = np.divide(others, sums, out=np.zeros_like(others), where=sums > 0.0)
    found = by_topic(topic, values)
    return Counts(
        numbers=found + factor * others,
        uncapped=found + expected + by_topic(topic, surprise),
        shares=shares,
        own=(values + factor * (kept - known))[unsure],
        pooled=(surprise - known - factor * (kept - known))[unsure],
        believed=believed,
    )


def _believed(expected: Floats, surprise: Floats, variances: Floats) -> tuple[Floats, Floats]:
    """The share of the surprise in a topic's number that is believed, at each level of gain (James & Stein 1961).

    A surprise in the sum over topics is taken for a factor by which all topics are off. What is left differs between
    topics, and is believed as far as it is more than the variances explain. With the share comes what it multiplies a
    surprise by, since `_counts` multiplies the sum of what is expected and of the surprise that is kept.
    """
    before = expected.sum(axis=0)
    total = np.maximum(before + surprise.sum(axis=0), 0.0)
    factor = np.divide(total, before, out=np.ones_like(total), where=before > 0.0)
    gaps = np.square(expected + surprise - factor * expected).sum(axis=0)
    noise = np.divide(variances.sum(axis=0), gaps, out=np.ones_like(gaps), where=gaps > 0.0)
    share = np.maximum(1.0 - noise, 0.0)
    whole = share + (1.0 - share) * factor
    return share, np.asarray(np.divide(share, whole, out=np.zeros_like(share), where=whole > 0.0))


def _counted_values(sampled: Sampled) -> tuple[Floats, Floats]:
    """The levels at which documents are counted, and of each drawn one its gain and whether it reaches each level."""
    levels = _levels(sampled.gains)
    return levels, np.column_stack([sampled.gains, sampled.gains[:, None] >= levels]).astype(np.float64)


def _levels(gains: Floats) -> Floats:
    """The gains at which documents are counted: all that people gave, or quantiles of them where there are many."""
    levels = np.unique(gains[gains > 0.0])
    if len(levels) > _MOST_LEVELS:
        levels = np.unique(np.quantile(gains[gains > 0.0], np.linspace(0.0, 1.0, _MOST_LEVELS)))
    return levels if len(levels) else np.ones(1)


def _rising(x: Floats, y: Floats, noise: Floats) -> tuple[Floats, float]:
    """A parabola of x close to y (both centred), or a line where that does not rise; and its mean slope.

    y has noise of this covariance. As far as that leaves it open, the curve is x itself.
    """
    scale = float(x.std())
    if scale <= 1e-12 * float(np.abs(y).max(initial=1.0)):
        return np.zeros_like(y), 0.0
    unit = x / scale
    powers = np.column_stack([unit, unit**2 - np.mean(unit**2)])
    line, bend = _shrunk_fit(powers, y, noise, scale)
    if float((line + 2.0 * bend * unit).min()) > 1e-6 * scale:  # two tied means of three give 0, or nearly
        return np.asarray(powers @ (line, bend)), float(line) / scale
    slope = max(float(_shrunk_fit(powers[:, :1], y, noise, scale)[0]), 0.0)
    return np.asarray(slope * unit), slope / scale


def _shrunk_fit(powers: Floats, y: Floats, noise: Floats, scale: float) -> Floats:
    """The coefficients of least squares, drawn to those of x itself as far as the noise of y makes them uncertain."""
    before = np.zeros(powers.shape[1])
    before[0] = scale
    prior = np.diag(np.square(scale * np.array(_CURVE[: powers.shape[1]])))
    inverse = np.linalg.pinv(powers.T @ powers, rcond=1e-9, hermitian=True)
    fitted = inverse @ (powers.T @ y)
    sampling = inverse @ (powers.T @ noise @ powers) @ inverse
    return np.asarray(before + prior @ np.linalg.solve(prior + sampling, fitted - before))
