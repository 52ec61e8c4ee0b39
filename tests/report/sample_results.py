"""A small result of every kind, made once: what the tests of outputs and charts walk through."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

import rankscope as rs
from rankscope.demo import demo_scores
from rankscope.studies.null_table import null_table

TABLES = demo_scores()
HUMAN, CAREFUL, PARTIAL = TABLES["human"], TABLES["careful"], TABLES["partial"]
THREE = [[0.283, 0.481, 0.516], [0.017, 0.399, 0.544], [0.075, 0.300, 0.277], [0.183, 0.662, 0.616]]

_TOPICS, _SYSTEMS = [str(t) for t in range(8)], [f"s{i}" for i in range(6)]
_RNG = np.random.default_rng(0)
RUNS = rs.RunSet.of({s: {t: [f"d{d}" for d in _RNG.permutation(30)[:12]] for t in _TOPICS} for s in _SYSTEMS})
TRUTH = rs.Judgments.of({t: {f"d{d}": int(_RNG.integers(0, 3)) for d in range(30)} for t in _TOPICS})
JUDGE = rs.Judgments.of({t: {f"d{d}": int(_RNG.integers(0, 3)) for d in range(30)} for t in _TOPICS})
OTHER = rs.Judgments.of({t: {f"d{d}": int(_RNG.integers(0, 3)) for d in range(30)} for t in _TOPICS})
RIVAL = rs.SystemScores(_RNG.random(6), _SYSTEMS, name="</script> rival")
BRIEF: dict[str, Any] = {"coefficients": ["tau_b", "tau_ap"], "resamples": 49}

TRACK = rs.simulate_track(systems=6, topics=8, rng=1)


def _collection(seed, names=("AP", "nDCG", "RR", "P@10"), topics=6, systems=9):
    random = np.random.default_rng(seed)
    ability = random.uniform(0.2, 0.8, systems)
    return {n: np.clip(ability + 0.2 * random.standard_normal((topics, systems)), 0, 1).round(3) for n in names}


def _by_depth(seed):
    names = ("AP", "P", "bpref")
    return {f"{d}:{n}": v for d in (10, 100) for n, v in _collection(10 * d + seed, names).items()}


@functools.cache
def made(kind: str) -> Any:
    """The result of this class."""
    return MADE[kind]()


MADE: dict[str, Callable[[], Any]] = {
    "PoolDepthStudy": lambda: rs.study_pool_depth(RUNS, TRUTH, depths=[1, 5, 10], **BRIEF),
    "HolesStudy": lambda: rs.study_holes(RUNS, TRUTH, fractions=[0.2, 0.8], repeats=3, **BRIEF),
    "TopicsStudy": lambda: rs.study_topics(RUNS, TRUTH, against=RIVAL, sizes=[2, 4, 6], repeats=3, **BRIEF),
    "PseudoStudy": lambda: rs.study_pseudo(RUNS, TRUTH, draws=4, **BRIEF),
    "UniquesStudy": lambda: rs.study_uniques(RUNS, TRUTH, **BRIEF),
    "PanelStudy": lambda: rs.study_panel(
        RUNS, TRUTH, {"j</script>": JUDGE, "k": TRUTH, "l": OTHER}, "AP", panels=["mean", "weighted"]
    ),
    "DepthCostStudy": lambda: rs.study_depth_cost(
        RUNS,
        TRUTH,
        judges={"j</script>": JUDGE},
        depths=[1, 5],
        fractions=[0.5, 1.0],
        repeats=2,
        coefficients=["tau_b"],
    ),
    "CorrectionStudy": lambda: rs.study_correction(
        RUNS, TRUTH, {"j</script>": JUDGE}, "AP", budgets=[0.5, 1], repeats=2
    ),
    "CircularityStudy": lambda: rs.study_circularity(
        RUNS,
        TRUTH,
        {"j</script>": JUDGE},
        groups={s: "<g>" if i < 3 else "h" for i, s in enumerate(_SYSTEMS)},
        noise=[0, 1],
        repeats=2,
    ),
    "ProfilesStudy": lambda: rs.study_profiles(HUMAN),
    "RepeatsStudy": lambda: rs.study_repeats(
        {"j</script>": [TRUTH, JUDGE], "k": [JUDGE, TRUTH]}, TRUTH, runs=RUNS, measures=["nDCG@10", "AP"], draws=19
    ),
    "Evaluation": lambda: rs.evaluate(RUNS, TRUTH, ("nDCG@10", "AP")),
    "TopicEvaluation": lambda: rs.evaluate(RUNS, TRUTH, ("nDCG@10", "AP")).by_topic(),
    "RunOverlap": lambda: rs.rbo_runs(RUNS),
    "Coverage": lambda: rs.coverage(RUNS, TRUTH),
    "Worth": lambda: rs.worth(HUMAN, PARTIAL),
    "NewTopicAgreement": lambda: rs.new_topic_agreement(HUMAN, ["kendall", "tau_ap"], resamples=99),
    "LabelAgreement": lambda: rs.label_agreement(TRUTH, JUDGE),
    "LabelReport": lambda: rs.labels(TRUTH, {"j</script>": JUDGE, "copy": TRUTH}, resamples=49),
    "Comparison": lambda: rs.compare(HUMAN, CAREFUL, PARTIAL, resamples=200, decisiveness=True),
    "ComparisonByMeasure": lambda: rs.ComparisonByMeasure.of(
        [rs.compare(HUMAN.labelled(m), CAREFUL.labelled(m), PARTIAL.labelled(m), resamples=200) for m in ("AP", "RR")]
    ),
    "Bootstrap": lambda: rs.bootstrap(HUMAN, PARTIAL, ["kendall", "tau_gap"], resamples=200),
    "TopicAgreement": lambda: rs.topic_agreement(HUMAN, PARTIAL, ["spa", "acc_eq", "kendall(by=topic)"], resamples=200),
    "SwapTest": lambda: rs.swap_test(HUMAN, CAREFUL, PARTIAL, ["kendall", "spa"], permutations=50),
    "Permutation": lambda: rs.permutation_test(HUMAN, PARTIAL, permutations=99)[0],
    "Significance": lambda: rs.significance(HUMAN),
    "PairWeights": lambda: rs.study_weights(HUMAN, coefficients=["tau_ap", "tau_gap"]),
    "SwapStudy": lambda: rs.study_swaps(HUMAN, draws=50),
    "GapStudy": lambda: rs.study_gaps(draws=300, systems=20),
    "ReorderingStudy": lambda: rs.study_reorderings(HUMAN, draws=200, resamples=99),
    "Ranking": lambda: rs.rank(HUMAN, PARTIAL, resamples=200),
    "RankContour": lambda: rs.rank_contour(THREE, [0.5, 0.75, 0.7]),
    "AllowedRanks": lambda: rs.allowed_ranks(HUMAN, by="tau"),
    "RankDistanceNull": lambda: rs.rank_distance_null(HUMAN, resamples=199),
    "RankDistanceTest": lambda: rs.rank_distance_test(HUMAN, PARTIAL, resamples=199),
    "LabelPlan": lambda: rs.plan_topics(PARTIAL, HUMAN.select(topics=HUMAN.topics[:6]), budget=9),
    "Correction": lambda: rs.correct(HUMAN.select(topics=HUMAN.topics[:6]), PARTIAL, resamples=200),
    "RankDistance": lambda: rs.d_rank(HUMAN, PARTIAL),
    "NullTable": lambda: null_table({"human": HUMAN, "partial": PARTIAL}, resamples=199),
    "DiscriminativePower": lambda: rs.discriminative_power(HUMAN, PARTIAL),
    "MeasurePower": lambda: rs.sakai_discriminative_power(HUMAN, test="t"),
    "TopicInfluence": lambda: rs.topic_influence(HUMAN, PARTIAL, ["kendall", "tau_ap"]),
    "Reliability": lambda: rs.reliability(HUMAN, resamples=50, topic_counts=(10, 40, 200)),
    "ExpectedCorrelation": lambda: rs.expected_correlation(HUMAN, resamples=200),
    "EstimatorStudy": lambda: rs.study_estimators(
        {"a": HUMAN, "b": PARTIAL}, sizes=(10, 20), collections=3, estimators=["ml", "msqd"]
    ),
    "Diagnostics": lambda: rs.simulate(HUMAN).diagnostics,
    "Simulation": lambda: rs.simulate(HUMAN),
    "TracksReport": lambda: rs.judge_tracks(
        {
            f"{name}</script>": rs.JudgedTrack(runs=TRACK.runs, truth=TRACK.truth, judges=judges)
            for name, judges in [
                *((str(i), {"j</script>": TRACK.judges["careful"], "k": TRACK.judges["partial"]}) for i in range(5)),
                ("last", {"k": TRACK.judges["lenient"]}),
            ]
        },
        ["nDCG@10", "AP(rel=9)"],
        resamples=49,
        random_draws=19,
    ),
    "JudgeReport": lambda: rs.judge(
        TRACK.runs, TRACK.truth, TRACK.judges, ["AP"], resamples=20, random_draws=5, pseudo_draws=2
    ),
    "MeasureCorrelations": lambda: rs.correlate_measures(_collection(0), resamples=30),
    "MeasurePredictions": lambda: rs.predict_measures(_collection(0), development=_collection(1), max_predictors=2),
    "DepthPredictions": lambda: rs.predict_deep_measures(_by_depth(0), development=_by_depth(1)),
    "MeasurePrediction": lambda: rs.predict_measure([_collection(0), _collection(1)], given={"nDCG": 0.5}, target="AP"),
    "MeasureRanking": lambda: rs.rank_measures(_collection(0), resamples=30),
    "OneTable": lambda: made("LabelAgreement").only("topics"),
}
