"""`correct` by document: people labelled a probability sample of the documents, the judge all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np

from rankscope.checks import check_choice
from rankscope.defaults import MEASURES
from rankscope.errors import ConstantMeasure, MissingScores, TooFewSystems, some
from rankscope.inference.document_correction import (
    DocumentEstimates,
    Sampled,
    as_many_alone,
    estimate,
    features,
    judge_classes,
)
from rankscope.inference.document_scores import DocumentScores
from rankscope.inference.resampling import recorded_seed
from rankscope.inputs import JudgmentsLike, RunsLike, to_judgments, to_runs, to_sample
from rankscope.measures import Measure, parse_measure, score
from rankscope.results import Remark
from rankscope.runs import Ids, Judgments, JudgmentSample, RunSet, coverage, join
from rankscope.scores import Floats
from rankscope.studies.correction_result import (
    CorrectedLeaderboard,
    Correction,
    EstimatedMeans,
    MappedGrade,
    SampledDocuments,
    corrected_systems,
)

OnUnlabelled = Literal["error", "random"]
ON_UNLABELLED: tuple[OnUnlabelled, ...] = get_args(OnUnlabelled)
LEAST_DOCUMENTS, LEAST_TOPICS, LEAST_SYSTEMS = 10, 3, 4


def correct_documents(
    runs: RunsLike,
    human: Any,
    judges: Sequence[Any],
    measure: str | Measure | None,
    *,
    on_unlabelled: OnUnlabelled,
    **drawing: Any,
) -> Correction:
    """The correction of each judge by a sample of human judgments; `correct` explains the options."""
    check_choice("on_unlabelled", on_unlabelled, ON_UNLABELLED)
    chosen = parse_measure(MEASURES[0] if measure is None else measure)
    run_set, drawn = to_runs(runs), to_sample(human)
    name = drawn.name or "human"
    labelled = _labelled(drawn, name, on_unlabelled)
    labels = [_named(judge, f"judge {number}") for number, judge in enumerate(judges, 1)]
    covered = dict.fromkeys(remark for own in labels for remark in coverage(run_set, own).remarks())
    boards = [_leaderboard(run_set, labelled, own, chosen, len(drawn) - len(labelled), drawing) for own in labels]
    return Correction(
        human=name,
        measure=str(chosen),
        leaderboards=tuple(boards),
        remarks=tuple(remark for remark in covered if isinstance(remark, Remark)),
        settings={
            "on_unlabelled": on_unlabelled,
            "resamples": drawing["resamples"],
            "level": drawing["level"],
            "seed": recorded_seed(drawing["rng"]),
        },
    )


def _named(judge: JudgmentsLike, name: str) -> Judgments:
    judgments = to_judgments(judge)
    return judgments if judgments.name else replace(judgments, name=name)


def _labelled(sample: JudgmentSample, name: str, on_unlabelled: OnUnlabelled) -> JudgmentSample:
    """The documents with a label; without one, they are an error, or the others stand for them."""
    has = sample.labelled
    missing = len(sample) - int(has.sum())
    if missing and on_unlabelled == "error":
        row = int(np.flatnonzero(~has)[0])
        topic = sample.judgments.topics[sample.judgments.topic_of[row]]
        raise MissingScores(
            f"{name}: no label yet for {missing:,} of the {len(sample):,} drawn documents, the first of them "
            f"{sample.judgments.ids[row]!r} of topic {topic!r}; label them, or say that it is chance which ones lack "
            "one (on_unlabelled='random', --on-unlabelled random): otherwise leaving them out would bias the scores"
        )
    kept = sample.keep(has)
    if len(kept) < LEAST_DOCUMENTS:
        way_out = "label the others" if len(sample) >= LEAST_DOCUMENTS else "draw more (rankscope plan --by document)"
        raise MissingScores(
            f"{name}: a correction needs at least {LEAST_DOCUMENTS} documents with a label, and {len(kept)} of "
            f"{len(sample):,} drawn have one; {way_out}"
        )
    return replace(kept, probabilities=kept.probabilities * (len(kept) / len(sample)))


def _leaderboard(
    runs: RunSet,
    sample: JudgmentSample,
    judge: Judgments,
    measure: Measure,
    unlabelled: int,
    drawing: dict[str, Any],
) -> CorrectedLeaderboard:
    everything, grades, sampled_rows = _together(judge, sample)
    joined = join(runs, everything)
    topics, systems = len(joined.topics), len(joined.systems)
    if systems < LEAST_SYSTEMS:
        raise TooFewSystems(f"a correction needs at least {LEAST_SYSTEMS} systems, there are {systems}")
    if topics < LEAST_TOPICS:
        raise MissingScores(f"there are {topics} topics, and a correction needs at least {LEAST_TOPICS}")
    documents = DocumentScores.of(joined, measure)
    human = np.full(len(everything), np.nan)
    human[sampled_rows] = sample.judgments.grades
    gains = documents.gains(human)[sampled_rows]
    if np.ptp(gains) == 0.0:
        raise ConstantMeasure(
            f"{sample.name or 'human'}: by {measure}, all {len(sample):,} labels have the same gain, {gains[0]:g}, so "
            "that they say nothing of the systems; check the grades, or label more documents"
        )
    sampled = Sampled(sampled_rows, sample.probabilities, gains)
    features_of, alike = (features(documents, given) for given in (grades, np.where(np.isnan(grades), np.nan, 0.0)))
    found = estimate(documents, features_of, sampled)
    judged_alone = score(joined.with_grades(grades, name=judge.name), [measure])[str(measure)].values
    means = _means(joined.systems, found, judged_alone.mean(axis=0))
    entries = corrected_systems(means, lower_is_better=False, **drawing)
    return CorrectedLeaderboard(
        judge=judge.name or "judge",
        human_topics=topics,
        judged_topics=topics,
        weight=found.combined.weight,
        weights=(found.combined.slope,),
        corrected_topics=None,
        predicted_topics=None,
        systems=entries,
        **means.errors(entries),
        documents=SampledDocuments(
            labelled=len(sample),
            judged=len(everything),
            unlabelled=unlabelled,
            without_judge=int(np.isnan(grades).sum()),
            corrected_documents=as_many_alone(documents, features_of, sampled),
            ungraded_documents=as_many_alone(documents, alike, sampled),
            deciding_documents=float(np.median(found.deciding)),
            grades=_mapped(grades, sampled_rows, found.expected),
        ),
    )


def _means(systems: tuple[str, ...], found: DocumentEstimates, judge: Floats) -> EstimatedMeans:
    """All means; errors are over topics, whose variation contains that of the drawn documents.

    Predictions vary over topics as filled-in scores do, on the scale of the predictions.
    """
    topics, combined = len(found.corrected), found.combined
    corrected = found.corrected.mean(axis=0)
    centred = found.ranked - found.ranked.mean(axis=1, keepdims=True)
    predicted = combined.slope**2 * np.cov(centred, rowvar=False) / topics + combined.covariance
    return EstimatedMeans(
        systems=systems,
        human=found.human.mean(axis=0),
        judge=judge,
        corrected=corrected,
        covariance=np.cov(found.corrected, rowvar=False) / topics,
        topics=topics,
        predicted=float(corrected.mean()) + combined.means,
        predicted_covariance=predicted,
        ranking_covariance=predicted,
        freedom=topics - 1,
        methods=("inverse inclusion probabilities, t over topics", "filled in and corrected, t over topics"),
        filled=found.filled.mean(axis=0),
        sampling=found.covariance,
        sampling_freedom=found.freedom,
    )


def _together(judge: Judgments, sample: JudgmentSample) -> tuple[Judgments, Floats, Any]:
    """All documents, the judge's grade of each (NaN without), and the rows of the sampled ones."""
    place: dict[str, dict[str, float]] = {topic: {} for topic in judge.topics}
    for topic, name, grade in zip(judge.topic_of.tolist(), judge.ids.names(), judge.grades.tolist(), strict=True):
        place[judge.topics[topic]][name] = grade
    keys = [
        (sample.judgments.topics[topic], name)
        for topic, name in zip(sample.judgments.topic_of.tolist(), sample.judgments.ids.names(), strict=True)
    ]
    lacking = [topic for topic in sample.judgments.topics if topic not in place]
    if len(lacking) == len(sample.judgments.topics):
        raise MissingScores(
            f"{judge.name} labelled none of the topics of the sample ({some(lacking)}); check that both are about the "
            "same topics"
        )
    for topic, name in keys:
        place.setdefault(topic, {}).setdefault(name, np.nan)
    everything = Judgments(
        topics=tuple(place),
        starts=np.cumsum([0, *(len(rows) for rows in place.values())]),
        ids=Ids.of(name for rows in place.values() for name in rows),
        grades=np.array([grade for rows in place.values() for grade in rows.values()], dtype=np.float64),
        name=judge.name,
    )
    row_of = {key: row for row, key in enumerate((topic, name) for topic, rows in place.items() for name in rows)}
    return everything, everything.grades, np.array([row_of[key] for key in keys], dtype=np.int64)


def _mapped(grades: Floats, rows: Any, expected: Floats) -> tuple[MappedGrade, ...]:
    """What the judge's grades came to mean, class by class."""
    known = np.flatnonzero(~np.isnan(grades))
    classes = judge_classes(grades[known])
    drawn = np.isin(known, rows)
    return tuple(
        MappedGrade(
            least=float(grades[known][inside].min()),
            greatest=float(grades[known][inside].max()),
            documents=int(inside.sum()),
            labelled=int(drawn[inside].sum()),
            expected=float(expected[known][inside].mean()),
        )
        for inside in (classes == code for code in np.unique(classes))
    )
