"""`label_agreement`: do two judges give the same labels, beyond chance, and where do they differ?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from rankscope.checks import check_choice, check_level, check_resamples
from rankscope.defaults import LEVEL, RESAMPLES, SEED
from rankscope.errors import BadParameter, MismatchedNames
from rankscope.inference.intervals import METHODS, Method, interval
from rankscope.inference.labels.categories import Categories, as_setting, labels_of
from rankscope.inference.labels.counts import MOST_LABELS, TopicCounts
from rankscope.inference.labels.matching import Pairs, comparable, judged_topics, match
from rankscope.inference.labels.results import (
    BinaryAgreement,
    GradeBias,
    LabelAgreement,
    LabelCoverage,
    LabelValue,
    TopicAgreement,
)
from rankscope.inference.labels.statistics import MOST_GRADES, STATISTICS, Statistic, binary_kappa
from rankscope.inference.resampling import Seed, count_blocks, generators, recorded_seed, row_blocks
from rankscope.inputs import LabelsLike, to_judgments
from rankscope.results import Remark
from rankscope.runs import Judgments
from rankscope.scores import Floats

# The grade by which judges say that they could not read their model's answer.
FAILED = -1.0


def label_agreement(
    truth: LabelsLike,
    judge: LabelsLike,
    *,
    truth_categories: Categories = "truncate",
    judge_categories: Categories = "truncate",
    truth_rel: float = 1.0,
    judge_rel: float = 1.0,
    thresholds: Sequence[float] | None = None,
    failed: float | None = FAILED,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    method: Method = "recentred",
    rng: Seed = SEED,
) -> LabelAgreement:
    """Agreement of two sets of judgments on the pairs of topic and document that both judged.

    Cohen's κ, plain and weighted, Krippendorff's α, Gwet's AC1, rank correlations, the confusion matrix, agreement by
    topic, coverage, and how well the judge finds the relevant documents. 1 is full agreement and 0 agreement by chance.
    κ, α and AC1 compare labels; interval α, correlations, the mean difference and thresholds use the grades themselves.
    Weights are distances between labels. If one side is constant, κ is 0; if both give one label throughout, it is
    None. Labels that are words have the statistics that need no order. `labels` compares several judges.

    Parameters
    ----------
    truth, judge : LabelsLike
        The two sets of judgments, or of labels of items without topics.
    truth_categories, judge_categories : {"truncate", "round", "distinct"} or sequence of float, default "truncate"
        How grades become labels: without decimals, rounded, as they are, or the number of these bounds that they reach.
    truth_rel, judge_rel : float, default 1.0
        The least relevant grade of each side, for `kappa_binary` and `binary`.
    thresholds : sequence of float or None, default None
        Thresholds that cut both sides; None is the truth's labels above its lowest, or the bounds of its bins.
    failed : float or None, default -1.0
        The judge's grade that stands for a label that could not be read: such pairs count as not labelled. If the truth
        has this grade too, it is a label like any other; None is no such grade.
    resamples : int, default 2000
        The number of draws of topics behind the intervals, or of items where they have no topics; 0 for none. A single
        topic has none either.
    level : float, default 0.95
        The level of the intervals.
    method : {"recentred", "percentile", "bca"}, default "recentred"
        The kind of interval, as in `bootstrap`.
    rng : int or numpy.random.Generator, default 0
        A seed or a generator.

    Returns
    -------
    LabelAgreement
        Every statistic with its interval, and the counts behind them.

    Raises
    ------
    MismatchedNames
        If no pair of topic and document was judged by both.
    NotFinite
        If a grade is infinite.
    BadParameter
        If an option is out of its range, or a document is judged twice.

    References
    ----------
    J. Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological Measurement 20, 1960.
    J. Cohen, "Weighted kappa: nominal scale agreement with provision for scaled disagreement or partial credit",
    Psychological Bulletin 70, 1968.
    K. Krippendorff, "Content analysis: an introduction to its methodology", 2nd edition, Sage 2004, chapter 11.

    Examples
    --------
    >>> from rankscope.runs import Judgments
    >>> human = Judgments.of({"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 0, "d": 3}})
    >>> model = Judgments.of({"1": {"a": 2, "b": 1, "c": 1}, "2": {"a": 0, "e": 3}})
    >>> agreement = label_agreement(human, model)
    >>> agreement.value("kappa"), agreement.coverage.pairs, agreement.confusion.tolist()
    (0.6363636363636364, 4, [[1, 1, 0], [0, 1, 0], [0, 0, 1]])
    """
    truth, judge = to_judgments(truth, bare=True), to_judgments(judge, bare=True)
    check_level(level)
    check_choice("method", method, METHODS)
    check_resamples(resamples)
    asked = () if thresholds is None else thresholds
    cuts = [("truth_rel", truth_rel), ("judge_rel", judge_rel), *(("thresholds", cut) for cut in asked)]
    for name, cut in cuts:
        if not math.isfinite(cut):
            raise BadParameter(f"{name}={cut}: a finite number")
    judge, failures = without_failures(truth, judge, failed)
    pairs = match(truth, judge)
    x = labels_of(pairs.truth, truth_categories, "truth_categories")
    y = labels_of(pairs.judge, judge_categories, "judge_categories")
    counts = TopicCounts.of(pairs, x, y, truth_rel=truth_rel, judge_rel=judge_rel)
    labelled = len(counts.labels) > 0
    if thresholds is None:
        if not isinstance(truth_categories, str):
            thresholds = truth_categories
        else:
            thresholds = np.unique(x)[1:].tolist() if labelled else ()
    words = pairs.words
    named = counts.labels.tolist() if words is None else [words[int(code)] for code in counts.labels]
    return LabelAgreement(
        truth=truth.name,
        judge=judge.name,
        values=_values(counts, words is not None, resamples=resamples, level=level, method=method, rng=rng),
        coverage=_coverage(truth, judge, pairs, failures),
        labels=tuple(named) if labelled else None,
        confusion=counts.confusion() if labelled else None,
        binary=None if words else binary_agreement(pairs, truth_rel, judge_rel),
        thresholds=() if words else tuple(binary_agreement(pairs, float(cut), float(cut)) for cut in thresholds),
        grades=() if words else _grades(pairs, x),
        topics=() if pairs.by_item else _topics(pairs, counts),
        remarks=tuple(_remarks(pairs, x, y, truth_categories, judge_categories, failures, failed)),
        settings={
            "truth_categories": as_setting(truth_categories),
            "judge_categories": as_setting(judge_categories),
            "truth_rel": truth_rel,
            "judge_rel": judge_rel,
            "failed": failed,
            "by_item": pairs.by_item,
            "resamples": resamples,
            "level": level,
            "method": method,
            "seed": recorded_seed(rng),
        },
    )


def without_failures(truth: Judgments, judge: Judgments, failed: float | None) -> tuple[Judgments, int]:
    """The judge without the labels that stand for failures, and their number."""
    if failed is None or judge.words is not None or truth.words is not None or np.any(truth.grades == failed):
        return judge, 0
    failures = judge.grades == failed
    if not failures.any():
        return judge, 0
    if failures.all():
        raise MismatchedNames(
            f"all {len(judge):,} labels of the judge are {failed:g}, which stands for a failure; label again, or keep "
            "them as labels (failed=None; --failed none)"
        )
    return judge.with_grades(np.where(failures, np.nan, judge.grades)), int(failures.sum())


def draw_statistics(chosen: Sequence[Statistic], counts: TopicCounts, *, resamples: int, rng: Seed) -> Floats:
    """Each statistic (row) in each draw of topics (column); no draws for a single topic."""
    chunks = generators(rng, resamples) if resamples and counts.topics > 1 else ()
    blocks = [
        _statistics(chosen, counts, drawn[rows])
        for generator, size in chunks
        for drawn in count_blocks(generator, counts.topics, size)
        for rows in row_blocks(len(drawn), len(counts.grades.counts))
    ]
    return np.concatenate(blocks, axis=1) if blocks else np.empty((len(chosen), 0))


def observed_statistics(chosen: Sequence[Statistic], counts: TopicCounts) -> Floats:
    """Each statistic over all topics."""
    return _statistics(chosen, counts, np.ones((1, counts.topics)))[:, 0]


def _values(
    counts: TopicCounts, words: bool, *, resamples: int, level: float, method: Method, rng: Seed
) -> tuple[LabelValue, ...]:
    topics = counts.topics
    chosen = [statistic for statistic in STATISTICS if why_not(statistic, counts, words) is None]
    observed = observed_statistics(chosen, counts)
    draws = draw_statistics(chosen, counts, resamples=resamples, rng=rng)
    left_out = _left_out(chosen, counts) if method == "bca" and draws.shape[1] else None
    at = {statistic.name: i for i, statistic in enumerate(chosen)}
    values = []
    for statistic in STATISTICS:
        i = at.get(statistic.name)
        if i is None:
            values.append(_absent(statistic, why_not(statistic, counts, words) or ""))
        elif math.isnan(observed[i]):
            values.append(_absent(statistic, statistic.undefined))
        else:
            drawn = draws[i]
            values.append(
                LabelValue(
                    name=statistic.name,
                    label=statistic.label,
                    symbol=statistic.symbol,
                    value=float(observed[i]),
                    interval=interval(
                        drawn,
                        float(observed[i]),
                        level=level,
                        method=method,
                        topics=topics,
                        jackknife=None if left_out is None else left_out[i],
                        bounds=statistic.bounds,
                    ),
                    standard_error=_standard_error(drawn, topics),
                    undefined=int(np.isnan(drawn).sum()),
                )
            )
    return tuple(values)


def why_not(statistic: Statistic, counts: TopicCounts, words: bool) -> str | None:
    """Why a statistic cannot be computed; None if it can."""
    if words and not statistic.nominal:
        return "the labels are words, which have no order; map them to grades (grades={'yes': 1}; FILE:map=yes>1,no>0)"
    if statistic.by_label and not len(counts.labels):
        return f"there are more than {MOST_LABELS} labels; give bounds that make fewer"
    if statistic.few_grades and min(len(counts.grades.truth), len(counts.grades.judge)) > MOST_GRADES:
        return f"both sides have more than {MOST_GRADES} different grades"
    return None


def _statistics(chosen: Sequence[Statistic], counts: TopicCounts, drawn: Floats | None) -> Floats:
    """Each statistic (row) in each draw of topics (column), or without draws on each topic alone."""
    sample = counts.sample(drawn)
    return np.stack([statistic.values(sample) for statistic in chosen])


def _left_out(chosen: Sequence[Statistic], counts: TopicCounts) -> Floats:
    """Each statistic (row) with each topic (column) left out."""
    blocks = []
    for rows in row_blocks(counts.topics, counts.topics):
        kept = np.ones((rows.stop - rows.start, counts.topics))
        kept[np.arange(len(kept)), np.arange(rows.start, rows.stop)] = 0.0
        blocks.append(_statistics(chosen, counts, kept))
    return np.concatenate(blocks, axis=1)


def _absent(statistic: Statistic, reason: str) -> LabelValue:
    return LabelValue(name=statistic.name, label=statistic.label, symbol=statistic.symbol, reason=reason)


def _standard_error(drawn: Floats, topics: int) -> float | None:
    drawn = drawn[np.isfinite(drawn)]
    return float(drawn.std(ddof=1) * math.sqrt(topics / (topics - 1.0))) if len(drawn) > 1 else None


def _coverage(truth: Judgments, judge: Judgments, pairs: Pairs, failed: int) -> LabelCoverage:
    truth, judge = comparable(truth, judge)
    known, asked, shared = judged_topics(truth), judged_topics(judge), set(pairs.topics)
    return LabelCoverage(
        pairs=len(pairs.topic),
        truth_only=sum(known.values()) - len(pairs.topic),
        judge_only=sum(asked.values()) - len(pairs.topic),
        topics=len(pairs.topics),
        topics_truth_only=tuple(topic for topic in known if topic not in asked and not pairs.by_item),
        topics_judge_only=tuple(topic for topic in asked if topic not in known and not pairs.by_item),
        topics_without_shared_pair=tuple(topic for topic in known if topic in asked and topic not in shared),
        failed=failed,
    )


def binary_agreement(pairs: Pairs, truth_rel: float, judge_rel: float) -> BinaryAgreement:
    """Relevant or not, each side cut at its own threshold."""
    known, called = pairs.truth >= truth_rel, pairs.judge >= judge_rel
    both, judge_only = int((known & called).sum()), int((~known & called).sum())
    truth_only, neither = int((known & ~called).sum()), int((~known & ~called).sum())
    kappa = float(binary_kappa(np.array([[both, judge_only, truth_only, neither]], dtype=np.float64))[0])
    return BinaryAgreement(
        truth_rel=truth_rel,
        judge_rel=judge_rel,
        both=both,
        judge_only=judge_only,
        truth_only=truth_only,
        neither=neither,
        precision=_share(both, both + judge_only),
        recall=_share(both, both + truth_only),
        f1=_share(2 * both, 2 * both + judge_only + truth_only),
        kappa=None if math.isnan(kappa) else kappa,
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _grades(pairs: Pairs, labels: Floats) -> tuple[GradeBias, ...]:
    """The judge's mean grade for each of the truth's labels; none where there are too many."""
    distinct, at, counts = np.unique(labels, return_inverse=True, return_counts=True)
    if len(distinct) > MOST_LABELS:
        return ()
    judge, truth = (np.bincount(at, weights=grades) / counts for grades in (pairs.judge, pairs.truth))
    return tuple(
        GradeBias(label=label, pairs=count, judge_mean=mean, difference=mean - true)
        for label, count, mean, true in zip(
            distinct.tolist(), counts.tolist(), judge.tolist(), truth.tolist(), strict=True
        )
    )


def _topics(pairs: Pairs, counts: TopicCounts) -> tuple[TopicAgreement, ...]:
    """Agreement by topic: each topic is a sample of its own."""
    shown = [statistic for statistic in STATISTICS if statistic.name in TopicAgreement.__dataclass_fields__]
    chosen = [statistic for statistic in shown if why_not(statistic, counts, pairs.words is not None) is None]
    rows = _statistics(chosen, counts, None).tolist()
    by_name = {
        statistic.name: [None if math.isnan(value) else value for value in row]
        for statistic, row in zip(chosen, rows, strict=True)
    }
    nothing = [None] * counts.topics
    sizes = np.bincount(pairs.topic, minlength=counts.topics)
    return tuple(
        TopicAgreement(
            topic=topic,
            pairs=int(sizes[t]),
            truth_only=int(pairs.truth_only[t]),
            judge_only=int(pairs.judge_only[t]),
            equal=by_name.get("equal", nothing)[t],
            kappa=by_name.get("kappa", nothing)[t],
            kappa_binary=by_name.get("kappa_binary", nothing)[t],
            alpha_ordinal=by_name.get("alpha_ordinal", nothing)[t],
            mean_difference=by_name.get("mean_difference", nothing)[t],
        )
        for t, topic in enumerate(pairs.topics)
    )


def _remarks(
    pairs: Pairs,
    x: Floats,
    y: Floats,
    truth_categories: Categories,
    judge_categories: Categories,
    failures: int,
    failed: float | None,
) -> Iterator[Remark]:
    if failures:
        yield Remark(kind="failed labels", about="judge", count=failures, how=f"{failed:g}")
    sides = (("truth", pairs.truth, x, truth_categories), ("judge", pairs.judge, y, judge_categories))
    for role, grades, labels, categories in sides:
        fractions, all_grades = int((grades != np.trunc(grades)).sum()), len(grades)
        if not isinstance(categories, str):
            yield Remark(kind="grades in bins", about=role, count=len(categories) + 1)
        elif fractions:
            how = str(categories)
            yield Remark(kind="grades that are not whole", about=role, count=fractions, total=all_grades, how=how)
        if labels.min() == labels.max():
            word = f"{labels[0]:g}" if pairs.words is None else pairs.words[int(labels[0])]
            yield Remark(kind="one label", about=role, how=word)
    if len(pairs.topics) == 1:
        yield Remark(kind="one topic", how="item" if pairs.by_item else "topic")
