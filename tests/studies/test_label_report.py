"""`labels`: several judges of the same items, their differences, and the level that agrees best."""

import math
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_labels as oracle
import rankscope as rs
from narrowing import known
from rankscope.inference.labels.levels import parts_of
from rankscope.inference.labels.statistics import STATISTICS, Agreement
from rankscope.inference.resampling import generators, topic_counts


def made(topics=8, items=12, seed=0, noise=1.0):
    """A truth with grades 0 to 3, and a judge whose grades are the truth's with noise."""
    random = np.random.default_rng(seed)
    truth, judge = {}, {}
    for t in range(topics):
        grades = random.integers(0, 4, items)
        noisy = np.clip(np.rint(grades + noise * random.standard_normal(items)), 0, 3)
        truth[f"q{t}"] = {f"d{i}": float(g) for i, g in enumerate(grades)}
        judge[f"q{t}"] = {f"d{i}": float(g) for i, g in enumerate(noisy)}
    return truth, judge


def test_each_judge_has_the_agreement_of_label_agreement():
    truth, judge = made()
    report = rs.labels(truth, {"judge": judge, "copy": truth}, resamples=200, truth_rel=2, judge_rel={"judge": 3})
    alone = rs.label_agreement(
        truth,
        judge,
        truth_rel=2,
        judge_rel=3,
        truth_categories="round",
        judge_categories="round",
        resamples=200,
    )
    assert report["judge"].values == alone.values
    assert report["judge"].settings["judge_rel"] == 3.0
    assert report["copy"].value("kappa") == 1.0
    with pytest.raises(rs.UnknownName, match="no judge 'x': choose one of judge, copy"):
        report["x"]


def test_contrasts_are_differences_over_the_same_draws():
    """Recomputed from each judge's own draws: all judges label all items, so the draws are those of one seed."""
    truth, near = made(noise=0.6)
    far = made(noise=2.5)[1]
    report = rs.labels(truth, {"near": near, "far": far}, resamples=500, rng=3)
    (contrast,) = report.contrasts
    kappas = [known(report[judge].value("kappa")) for judge in ("near", "far")]
    assert contrast.difference == pytest.approx(kappas[0] - kappas[1])
    generator, size = next(iter(generators(3, 500)))
    draws = []
    for weights in topic_counts(generator, 8, size):
        sides = []
        for judge in (near, far):
            pairs = [
                (truth[t][d], judge[t][d])
                for t, count in zip(truth, weights, strict=True)
                for d in truth[t]
                for _ in range(int(count))
            ]
            sides.append(known(oracle.kappa(pairs)))
        draws.append(sides[0] - sides[1])
    interval = known(contrast.interval)
    assert interval.low < contrast.difference < interval.high
    low, high = np.quantile(draws, [0.025, 0.975])
    widened = (interval.high - interval.low) / (high - low)
    assert 1.0 < widened < 1.4  # t of 7 degrees of freedom over z, and √(8/7): 1.29
    assert report.beaten_by("near") == ("far",)


def test_judges_are_compared_on_the_items_that_both_labelled():
    """The partial judge labels only the first half, perfectly; the other errs only in the second half."""
    truth = {f"q{t}": {f"d{i}": float((i + t) % 3) for i in range(10)} for t in range(4)}
    partial = {t: {d: g for d, g in rows.items() if int(d[1:]) < 5} for t, rows in truth.items()}
    late = {t: {d: (g if int(d[1:]) < 5 else 2 - g) for d, g in rows.items()} for t, rows in truth.items()}
    report = rs.labels(truth, {"partial": partial, "late": late}, resamples=100)
    assert known(report["late"].value("kappa")) < 1.0
    assert report.contrasts[0].difference == 0.0
    assert {(p.first, p.second): p.items for p in report.matrix} == {
        ("truth", "partial"): 20,
        ("truth", "late"): 40,
        ("partial", "late"): 20,
    }
    assert "20 items labelled by truth and not by partial; left out" in map(str, report.remarks)


TOPICS = st.lists(
    st.lists(st.tuples(st.integers(0, 2).map(float), st.sampled_from([0.0, 0.25, 1.0, 3.0])), min_size=1, max_size=5),
    min_size=2,
    max_size=13,
)


@given(TOPICS)
def test_best_levels_are_those_of_the_literal_twin(topics):
    truth, judge = (
        {f"q{t}": {f"d{i}": pair[side] for i, pair in enumerate(pairs)} for t, pairs in enumerate(topics)}
        for side in (0, 1)
    )
    (found,) = rs.labels(truth, {"j": judge}, resamples=0).levels
    grades = {y for pairs in topics for _, y in pairs}
    relevant = {x >= 1.0 for pairs in topics for x, _ in pairs}
    if len(grades) < 2 or len(relevant) < 2:
        assert found.level is None
        assert found.reason is not None
        return
    parts = parts_of(len(topics), min(len(topics), 10), 0).tolist()
    level, kappa = oracle.best_level(topics, 1.0, parts)
    assert found.level == level
    assert found.kappa == pytest.approx(oracle.binary([p for t in topics for p in t], 1.0, level)["kappa"])
    assert (found.cross_validated is None) == (kappa is None)
    if kappa is not None:
        assert found.cross_validated == pytest.approx(kappa, abs=1e-9)


def test_a_level_that_is_tuned_on_noise_is_not_rewarded():
    """A judge of random reals: the best of many levels looks good on its own topics, and not on others."""
    random = np.random.default_rng(1)
    truth = {f"q{t}": {f"d{i}": float(random.integers(0, 2)) for i in range(6)} for t in range(12)}
    noise = {j: {t: {d: float(random.random()) for d in rows} for t, rows in truth.items()} for j in "abcdefgh"}
    found = rs.labels(truth, noise, resamples=0).levels
    assert np.mean([level.kappa for level in found]) > 0.1
    assert abs(np.mean([level.cross_validated for level in found])) < 0.1


def test_real_valued_judges_have_correlations_and_a_level(data):
    human = data / "dl19" / "qrels.human.txt"
    judge = data / "dl19" / "judges-messy" / "real-valued-partial.qrels"
    report = rs.labels(human, {"real": judge}, truth_rel=2, resamples=0)
    agreement = report["real"]
    pairs = [
        (x, y)
        for topic in oracle.shared(*(_mapping(rs.read_judgments(p)) for p in (human, judge))).values()
        for x, y in topic
    ]
    assert agreement.value("auc") == pytest.approx(oracle.auc(pairs, 2.0))
    assert 0.5 < known(agreement.value("auc")) < 1.0
    assert report.levels[0].level is not None


def _mapping(judgments):
    rows: dict[str, dict[str, float]] = {topic: {} for topic in judgments.topics}
    for t, item, grade in zip(judgments.topic_of, judgments.ids.names(), judgments.grades.tolist(), strict=True):
        rows[judgments.topics[t]][item] = grade
    return rows


def test_words_have_nominal_statistics_and_a_matrix():
    truth = {"a": "yes", "b": "no", "c": "no", "d": "tie"}
    judges = {
        "x": {"a": "yes", "b": "no", "c": "maybe", "d": "no"},
        "y": {"a": "yes", "b": "tie", "c": "unsure", "d": "no"},
    }
    report = rs.labels(truth, judges, resamples=50)
    assert report["x"].value("equal") == 0.5
    assert known(report["x"]["kappa_quadratic"].reason).startswith("the labels are words, which have no order")
    assert report["x"].labels == ("no", "tie", "yes", "maybe")
    pairs = {(p.first, p.second): p.value for p in report.matrix}
    code = {word: float(i) for i, word in enumerate(("no", "tie", "yes", "maybe", "unsure"))}
    both = [(code[judges["x"][i]], code[judges["y"][i]]) for i in truth]
    assert pairs["x", "y"] == pytest.approx(oracle.kappa(both))
    assert report.levels == ()
    with pytest.raises(rs.BadParameter, match="alpha_ordinal needs one; map them to grades"):
        rs.labels(truth, judges, statistic="alpha_ordinal")
    with pytest.raises(rs.MismatchedNames, match="z: the sides share no label: the truth's are 'no', 'tie', 'yes'"):
        rs.labels(truth, {"z": {"a": "ja"}})
    with pytest.raises(rs.MismatchedNames, match="z: one side has words and the other numbers"):
        rs.labels(truth, {"z": {"a": 1}})


def test_failed_labels_are_left_out_unless_the_truth_has_them():
    truth = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "c": 0}}
    judge = {"1": {"a": -1, "b": 0}, "2": {"a": 1, "c": 0}}
    report = rs.labels(truth, {"j": judge}, resamples=0)
    assert (report["j"].coverage.pairs, report["j"].coverage.failed) == (3, 1)
    assert report["j"].value("kappa") == 1.0
    assert "1 failed label (−1) of j, left out" in map(str, report.remarks)
    kept = rs.labels(truth, {"j": judge}, failed=None, resamples=0)
    assert kept["j"].coverage.pairs == 4
    own = rs.labels({"1": {"a": -1, "b": 0}}, {"j": {"1": {"a": -1, "b": 0}}}, resamples=0)
    assert own["j"].coverage.failed == 0
    with pytest.raises(rs.MismatchedNames, match="all 1 labels of the judge are -1, which stands for a failure"):
        rs.labels({"1": {"a": 1}}, {"j": {"1": {"a": -1}}})


def test_one_item_constant_labels_and_one_topic_have_reasons():
    one = rs.labels({"a": 1}, {"j": {"a": 1}})
    assert one["j"].value("kappa") is None
    assert one["j"]["kappa"].reason is not None
    assert one["j"].value("equal") == 1.0
    assert one["j"]["equal"].interval is None
    assert "only one item was labelled by both, so there are no intervals over items" in map(str, one.remarks)
    topic = rs.labels({"1": {"a": 1, "b": 0}}, {"j": {"1": {"a": 1, "b": 1}}, "k": {"1": {"a": 1, "b": 0}}})
    assert topic["k"]["kappa"].interval is None
    assert topic.contrasts[0].pvalue is None
    assert topic.levels[1].cross_validated is None
    assert topic.levels[0].reason == "the judge gives every item the same grade"


def test_items_without_topics_match_items_with_them():
    truth = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
    flat = {"a": 1, "b": 1, "c": 1, "z": 0}
    report = rs.labels(truth, {"flat": flat}, resamples=0)
    assert (report["flat"].coverage.pairs, report["flat"].coverage.topics) == (3, 2)
    swapped = rs.labels(flat, {"by topic": truth}, resamples=0)
    assert (swapped["by topic"].coverage.pairs, swapped["by topic"].coverage.topics) == (3, 2)
    with pytest.raises(rs.MismatchedNames, match="flat: the judge has no topics, and the truth has 'a' under topics"):
        rs.labels({"1": {"a": 1}, "2": {"a": 0}}, {"flat": flat})


def test_the_statistics_are_those_that_measure_agreement():
    assert list(get_args(Agreement)) == [record.name for record in STATISTICS if record.agreement]


def test_nothing_in_common_shows_names_of_both_sides():
    wrong: Any = "kapa"
    with pytest.raises(rs.MismatchedNames, match="no item in common: the truth's are 'a', the judge's 'z'"):
        rs.labels({"a": 1}, {"j": {"z": 1}})
    with pytest.raises(rs.UnknownName, match="statistic"):
        rs.labels({"a": 1}, {"j": {"a": 1}}, statistic=wrong)
    with pytest.raises(rs.BadParameter, match="judge_rel names 'x', which is no judge"):
        rs.labels({"a": 1}, {"j": {"a": 1}}, judge_rel={"x": 1})


def test_the_same_seed_gives_the_same_report():
    truth, judge = made()
    sides = {"j": judge, "k": truth}
    first, again = (rs.labels(truth, sides, resamples=60, rng=seed).to_json() for seed in (5, 5))
    assert first == again
    other = rs.labels(truth, sides, resamples=60, rng=np.random.default_rng(1))
    assert math.isfinite(known(other.contrasts[0].pvalue))


def test_published_agreement_of_twelve_judges_at_once(data):
    """The κ that the LLMJudge benchmark prints, by one call, and the best of them first."""
    folder = data / "dl23-judges"
    report = rs.labels(folder / "human.qrels", sorted((folder / "judges").glob("*.qrels")), resamples=0)
    lines = (folder / "published-kappa-alpha.csv").read_text(encoding="utf-8").splitlines()[1:]
    published = {line.split(",")[0]: line.split(",")[1:] for line in lines}
    assert {
        judge: [f"{agreement.value(name):.4f}" for name in ("kappa", "alpha_ordinal")]
        for judge, agreement in report.agreements.items()
    } == published
