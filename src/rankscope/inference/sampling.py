"""Drawing documents for people to label: their influence on the ranking, inclusion probabilities, and the draw."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from rankscope.checks import check_seed
from rankscope.errors import BadParameter, ShapeMismatch
from rankscope.inference.document_scores import DocumentScores
from rankscope.inputs import JudgmentsLike, RunsLike, to_judgments, to_runs
from rankscope.measures import Measure, parse_measure
from rankscope.runs import JudgedRuns, Judgments, JudgmentSample, join
from rankscope.scores import Floats

# The share of a sample that is drawn evenly, so that documents without influence can be drawn, too: the ideal order of
# nDCG and the number of relevant documents depend on all of them.
EVEN = 0.1


def document_influence(runs: RunsLike, judgments: JudgmentsLike, measure: str | Measure = "nDCG@10") -> Floats:
    """How much the label of each document matters to the differences between systems.

    A document's weight for a system is what the system's mean score changes with the document's gain; its influence is
    the root of the sum of squares of its weights around their average over systems. Documents that all systems have at
    the same rank, or none, change no difference. Drawing documents in proportion to it makes differences between
    systems about as precise as a sample of this size can (Horvitz & Thompson 1952).

    Parameters
    ----------
    runs : RunsLike
        The rankings.
    judgments : JudgmentsLike
        The documents that may be labelled, with the grades of a judge, at which the weights of AP and nDCG are taken.
    measure : str or Measure, default "nDCG@10"
        P@k, DCG@k, nDCG@k, RBP, INSQ or AP.

    Returns
    -------
    ndarray
        One number for each judgment, in their order.

    Raises
    ------
    BadParameter
        If the measure is not made of the gains of single documents.
    MismatchedNames
        If runs and judgments share no topic.

    Examples
    --------
    >>> runs = {"a": {"1": ["d1", "d2", "d3"]}, "b": {"1": ["d1", "d3", "d2"]}}
    >>> document_influence(runs, {"1": {"d1": 1, "d2": 1, "d3": 0}}, "DCG@2").round(3).tolist()
    [0.0, 0.446, 0.446]
    """
    weights = difference_weights(join(to_runs(runs), to_judgments(judgments)), parse_measure(measure))
    return np.asarray(np.sqrt(np.square(weights).sum(axis=0)))


def difference_weights(judged: JudgedRuns, measure: Measure) -> Floats:
    """Systems × judgments: how much a system's mean, relative to the average system, changes with a document's gain.

    The weights of AP and nDCG are taken at the grades of the judgments.
    """
    documents = DocumentScores.of(judged, measure)
    gains = documents.gains(judged.grades)
    topics = len(judged.topics)
    ideal = None
    if documents.form == "ideal":
        levels = np.unique(gains[gains > 0.0]) if (gains > 0.0).any() else np.ones(1)
        counts = [documents.by_topic(np.asarray(gains >= level, np.float64)) for level in levels]
        ideal = documents.ideal(levels, np.array(counts).T)
    # A topic without a gain is taken to have one relevant document, of the least gain that there is.
    least = np.ones(topics) if ideal is None else np.full(topics, ideal.levels[0] * documents.rank_weights[0])
    norms = documents.norms(gains, ideal, least)
    weights = documents.weights(gains, norms, documents.scores(gains, norms))
    return np.asarray((weights - weights.mean(axis=0)) / topics)


def inclusion_probabilities(influence: npt.ArrayLike, size: float, *, even: float = EVEN) -> Floats:
    """Inclusion probabilities for a sample of a given expected size, in proportion to influence.

    No probability is above 1; what a document would have beyond it goes to the others. For the same influence, a larger
    size lowers no probability, so that a sample can be extended.

    Parameters
    ----------
    influence : array_like
        One number for each document, 0 or more; equal numbers give equal probabilities.
    size : float
        The expected number of documents.
    even : float, default 0.1
        The share of the size that is drawn evenly, whatever the influence. With 0 documents without influence are
        never drawn.

    Returns
    -------
    ndarray
        One probability for each document; their sum is the size, or the number of documents that can be drawn if that
        is less.

    Raises
    ------
    BadParameter
        If an influence is negative or not finite, the size is not above 0, or `even` is not from 0 to 1.

    Examples
    --------
    >>> inclusion_probabilities([1, 1, 2, 6], 2, even=0).tolist()
    [0.25, 0.25, 0.5, 1.0]
    """
    values = np.asarray(influence, dtype=np.float64)
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all() or (values < 0.0).any():
        raise BadParameter("influence is one number for each document, at least one, finite and not negative")
    if not 0.0 < size < np.inf:
        raise BadParameter(f"size={size}: the expected number of documents, above 0")
    if not 0.0 <= even <= 1.0:
        raise BadParameter(f"even={even}: a share from 0 to 1")
    total = values.sum()
    if total > 0.0:
        values = (1.0 - even) * values / total + even / len(values)
    elif even > 0.0:
        values = np.full(len(values), 1.0 / len(values))
    # With the greatest k documents certain, the others share what is left; the first k that leaves none above 1 is it.
    order = np.argsort(-values, kind="stable")
    ranked = values[order]
    rest = np.cumsum(ranked[::-1])[::-1]
    left = size - np.arange(len(values))
    factor = np.divide(left, rest, out=np.full(len(values), np.inf), where=rest > 0.0)
    fits = np.flatnonzero(ranked * np.where(np.isfinite(factor), factor, 0.0) <= 1.0)
    certain = int(fits[0]) if len(fits) else len(values)
    probabilities = np.ones(len(values))
    if certain < len(values) and rest[certain] > 0.0 and left[certain] > 0.0:
        probabilities[order[certain:]] = np.minimum(ranked[certain:] * factor[certain], 1.0)
    probabilities[values == 0.0] = 0.0
    return probabilities


def draw_sample(judgments: JudgmentsLike, probabilities: npt.ArrayLike, *, rng: int = 0) -> JudgmentSample:
    """Draw documents for people to label, each independently with its probability (Poisson sampling).

    Every document has a number between 0 and 1 that depends on the seed, its topic and its name alone, and is drawn if
    its probability is greater. So a sample with the same seed and probabilities at least as large contains the smaller
    one, whatever happened in between: labels are never lost.

    Parameters
    ----------
    judgments : JudgmentsLike
        The documents that may be drawn: those that the judge labelled. Their grades do not matter.
    probabilities : array_like
        The inclusion probability of each judgment, from 0 to 1.
    rng : int, default 0
        The seed.

    Returns
    -------
    JudgmentSample
        The drawn documents, without labels.

    Raises
    ------
    ShapeMismatch, BadParameter
        If there is not one probability from 0 to 1 for each judgment, or the seed is negative.

    References
    ----------
    K. R. W. Brewer, L. J. Early and S. F. Joyce: Selecting several samples from a single population. Australian
    Journal of Statistics 14, 1972 (permanent random numbers).

    Examples
    --------
    >>> judged = {"301": {f"d{i}": 0 for i in range(1000)}}
    >>> few, more = draw_sample(judged, [0.1] * 1000), draw_sample(judged, [0.3] * 1000)
    >>> set(few.judgments.ids.names()) < set(more.judgments.ids.names())
    True
    """
    documents = to_judgments(judgments)
    chances = np.asarray(probabilities, dtype=np.float64)
    if chances.shape != (len(documents),):
        raise ShapeMismatch(f"{chances.shape} probabilities for {len(documents)} documents; give one for each")
    if not ((chances >= 0.0) & (chances <= 1.0)).all():
        raise BadParameter("an inclusion probability is not from 0 to 1; inclusion_probabilities makes such ones")
    drawn = permanent_numbers(documents, check_seed(rng)) < chances
    blank = documents.with_grades(np.full(len(documents), np.nan))
    return JudgmentSample(judgments=blank.keep(drawn), probabilities=chances[drawn])


def permanent_numbers(judgments: Judgments, seed: int) -> Floats:
    """A number from 0 to 1 (exclusive) for each document, from the seed, its topic and its name alone."""
    topics = [judgments.topics[t].encode("utf-8", "surrogateescape") for t in judgments.topic_of.tolist()]
    names = [name.encode("utf-8", "surrogateescape") for name in judgments.ids.names()]
    digests = [
        blake2b(b"%d\0%s\0%s" % (seed, topic, name), digest_size=8).digest()
        for topic, name in zip(topics, names, strict=True)
    ]
    return np.frombuffer(b"".join(digests), dtype="<u8") / 2.0**64
