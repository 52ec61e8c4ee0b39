"""`label_agreement`: do two judges give the same pairs the same labels, beyond chance, and where do they part?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from rankscope.errors import BadParameter
from rankscope.inference.intervals import METHODS, Method, check_level, interval
from rankscope.inference.labels.categories import Categories, as_setting, labels_of
from rankscope.inference.labels.counts import MOST_LABELS, TopicCounts
from rankscope.inference.labels.matching import Pairs, judged_topics, match
from rankscope.inference.labels.parts import BinaryAgreement, LabelAgreement, LabelCoverage, LabelValue, TopicAgreement
from rankscope.inference.labels.statistics import STATISTICS, Statistic, binary_kappa
from rankscope.inference.resampling import Seed, count_blocks, generators, row_blocks
from rankscope.runs import Judgments
from rankscope.scores import Floats

RESAMPLES = 2_000
LEVEL = 0.95


def label_agreement(
    truth: Judgments,
    judge: Judgments,
    *,
    truth_categories: Categories = "truncate",
    judge_categories: Categories = "truncate",
    truth_rel: float = 1.0,
    judge_rel: float = 1.0,
    thresholds: Sequence[float] | None = None,
    resamples: int = RESAMPLES,
    level: float = LEVEL,
    method: Method = "recentred",
    rng: Seed = 0,
) -> LabelAgreement:
    """Agreement of two sets of judgments on the pairs of topic and document that both judged.

    Cohen's κ, plain and weighted, Krippendorff's α, the confusion matrix, agreement by topic, coverage, and how well
    the judge finds what is relevant. 1 is full agreement and 0 that of chance. κ and α compare *labels*:
    `truth_categories` and `judge_categories` say how grades become labels ("truncate", "round", "distinct", or bounds
    of bins); interval α, the mean difference and thresholds take grades as they are. Weights are distances between
    labels. With a constant side κ is 0; where both sides have one and the same label throughout it is None.

    `kappa_binary` and `binary` take grades of at least `truth_rel` and `judge_rel` for relevant. `thresholds` cut both
    sides alike; by default they are the truth's labels above its lowest, or the bounds of its bins. Intervals resample
    topics; with `resamples=0` or a single topic there are none.

    >>> from rankscope.runs import Judgments
    >>> human = Judgments.of({"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 0, "d": 3}})
    >>> model = Judgments.of({"1": {"a": 2, "b": 1, "c": 1}, "2": {"a": 0, "e": 3}})
    >>> found = label_agreement(human, model)
    >>> found.value("kappa"), found.coverage.pairs, found.confusion.tolist()
    (0.6363636363636364, 4, [[1, 1, 0], [0, 1, 0], [0, 0, 1]])
    """
    check_level(level)
    if method not in METHODS:
        raise BadParameter(f"method={method!r}: choose one of {', '.join(METHODS)}")
    if resamples < 0:
        raise BadParameter(f"resamples={resamples}: none (0) or more")
    asked = () if thresholds is None else thresholds
    cuts = [("truth_rel", truth_rel), ("judge_rel", judge_rel), *(("thresholds", cut) for cut in asked)]
    for name, cut in cuts:
        if not math.isfinite(cut):
            raise BadParameter(f"{name}={cut}: a threshold is a number")
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
    return LabelAgreement(
        truth=truth.name,
        judge=judge.name,
        values=_values(counts, resamples=resamples, level=level, method=method, rng=rng),
        coverage=_coverage(truth, judge, pairs),
        labels=tuple(counts.labels.tolist()) if labelled else None,
        confusion=counts.confusion() if labelled else None,
        binary=_binary(pairs, truth_rel, judge_rel),
        thresholds=tuple(_binary(pairs, float(cut), float(cut)) for cut in thresholds),
        topics=_topics(pairs, counts),
        remarks=tuple(_remarks(pairs, x, y, truth_categories, judge_categories)),
        settings={
            "truth_categories": as_setting(truth_categories),
            "judge_categories": as_setting(judge_categories),
            "truth_rel": truth_rel,
            "judge_rel": judge_rel,
            "resamples": resamples,
            "level": level,
            "method": method,
            "seed": None if isinstance(rng, np.random.Generator) else int(rng),
        },
    )


def _values(counts: TopicCounts, *, resamples: int, level: float, method: Method, rng: Seed) -> tuple[LabelValue, ...]:
    topics = counts.topics
    chosen = [one for one in STATISTICS if len(counts.labels) or not one.by_label]
    observed = _statistics(chosen, counts, np.ones((1, topics)))[:, 0]
    chunks = generators(rng, resamples) if resamples and topics > 1 else ()
    parts = [
        _statistics(chosen, counts, drawn)
        for generator, size in chunks
        for drawn in count_blocks(generator, topics, size)
    ]
    draws = np.concatenate(parts, axis=1) if parts else np.empty((len(chosen), 0))
    left_out = _left_out(chosen, counts) if method == "bca" and parts else None
    at = {one.name: i for i, one in enumerate(chosen)}
    values = []
    for one in STATISTICS:
        i = at.get(one.name)
        if i is None:
            values.append(_absent(one, f"there are more than {MOST_LABELS} labels; give bounds that make fewer"))
        elif math.isnan(observed[i]):
            values.append(_absent(one, one.undefined))
        else:
            drawn = draws[i]
            values.append(
                LabelValue(
                    name=one.name,
                    label=one.label,
                    symbol=one.symbol,
                    value=float(observed[i]),
                    interval=interval(
                        drawn,
                        float(observed[i]),
                        level=level,
                        method=method,
                        topics=topics,
                        jackknife=None if left_out is None else left_out[i],
                        bounds=one.bounds,
                    ),
                    standard_error=_standard_error(drawn, topics),
                    undefined=int(np.isnan(drawn).sum()),
                    reason=None,
                )
            )
    return tuple(values)


def _statistics(chosen: Sequence[Statistic], counts: TopicCounts, drawn: Floats) -> Floats:
    """Each statistic (row) in each draw of topics (column)."""
    sample = counts.sample(drawn)
    return np.stack([one.values(sample) for one in chosen])


def _left_out(chosen: Sequence[Statistic], counts: TopicCounts) -> Floats:
    """Each statistic (row) with each topic (column) left out."""
    parts = []
    for rows in row_blocks(counts.topics, counts.topics):
        kept = np.ones((rows.stop - rows.start, counts.topics))
        kept[np.arange(len(kept)), np.arange(rows.start, rows.stop)] = 0.0
        parts.append(_statistics(chosen, counts, kept))
    return np.concatenate(parts, axis=1)


def _absent(one: Statistic, reason: str) -> LabelValue:
    return LabelValue(
        name=one.name,
        label=one.label,
        symbol=one.symbol,
        value=None,
        interval=None,
        standard_error=None,
        undefined=0,
        reason=reason,
    )


def _standard_error(drawn: Floats, topics: int) -> float | None:
    drawn = drawn[np.isfinite(drawn)]
    return float(drawn.std(ddof=1) * math.sqrt(topics / (topics - 1.0))) if len(drawn) > 1 else None


def _coverage(truth: Judgments, judge: Judgments, pairs: Pairs) -> LabelCoverage:
    known, asked, shared = judged_topics(truth), judged_topics(judge), set(pairs.topics)
    return LabelCoverage(
        pairs=len(pairs.topic),
        truth_only=sum(known.values()) - len(pairs.topic),
        judge_only=sum(asked.values()) - len(pairs.topic),
        topics=len(pairs.topics),
        topics_truth_only=tuple(topic for topic in known if topic not in asked),
        topics_judge_only=tuple(topic for topic in asked if topic not in known),
        topics_without_shared_pair=tuple(topic for topic in known if topic in asked and topic not in shared),
    )


def _binary(pairs: Pairs, truth_rel: float, judge_rel: float) -> BinaryAgreement:
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


def _topics(pairs: Pairs, counts: TopicCounts) -> tuple[TopicAgreement, ...]:
    """Each topic is a sample that holds it alone."""
    shown = [one for one in STATISTICS if one.name in TopicAgreement.__dataclass_fields__]
    chosen = [one for one in shown if len(counts.labels) or not one.by_label]
    values = _statistics(chosen, counts, np.eye(counts.topics))
    found = {
        one.name: [None if math.isnan(v) else v for v in row] for one, row in zip(chosen, values.tolist(), strict=True)
    }
    nothing = [None] * counts.topics
    sizes = np.bincount(pairs.topic, minlength=counts.topics)
    return tuple(
        TopicAgreement(
            topic=topic,
            pairs=int(sizes[t]),
            truth_only=int(pairs.truth_only[t]),
            judge_only=int(pairs.judge_only[t]),
            equal=found.get("equal", nothing)[t],
            kappa=found.get("kappa", nothing)[t],
            kappa_binary=found["kappa_binary"][t],
            alpha_ordinal=found.get("alpha_ordinal", nothing)[t],
            mean_difference=found["mean_difference"][t] or 0.0,  # always defined; the type does not know
        )
        for t, topic in enumerate(pairs.topics)
    )


_MADE = {
    "truncate": "were truncated to whole numbers to make labels",
    "round": "were rounded to whole numbers to make labels",
    "distinct": "are labels as they are, each different grade one of its own",
}


def _remarks(
    pairs: Pairs, x: Floats, y: Floats, truth_categories: Categories, judge_categories: Categories
) -> Iterator[str]:
    sides = (("truth", pairs.truth, x, truth_categories), ("judge", pairs.judge, y, judge_categories))
    for role, grades, labels, categories in sides:
        parts = int((grades != np.trunc(grades)).sum())
        if not isinstance(categories, str):
            yield f"the {role}'s grades were put into {len(categories) + 1} bins to make labels"
        elif parts:
            yield f"{parts:,} of the {role}'s {len(grades):,} grades are not whole numbers; they {_MADE[categories]}"
        if labels.min() == labels.max():
            yield f"the {role} gives every pair the label {labels[0]:g}, so that it tells no two documents apart"
    if len(pairs.topics) == 1:
        yield "there is one topic with pairs judged by both, so that there are no intervals over topics"
