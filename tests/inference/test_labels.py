"""Agreement of labels: against literal twins, scikit-learn, textbook values and published ones."""

import csv
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_labels as oracle
import rankscope as rs
from narrowing import known
from rankscope.errors import BadParameter, MismatchedNames, NotFinite, UnknownName
from rankscope.inference.labels.counts import MOST_LABELS, TopicCounts
from rankscope.inference.labels.matching import match
from rankscope.inference.labels.statistics import STATISTICS
from rankscope.inference.resampling import generators, topic_counts
from rankscope.runs import Ids, Judgments

NAMES = st.one_of(st.sampled_from(["d1", "d2", "d3", "δ", "", "a b", "\udcff", "d1\x00"]), st.text(max_size=3))
GRADES = st.one_of(
    st.integers(-2, 4).map(float),
    st.sampled_from([0.5, 1.5, 2.5, 1.37, -0.3, 0.1, 99.9, math.nan]),
)
QRELS = st.dictionaries(st.sampled_from(["q1", "q2", "q3", "ζ", ""]), st.dictionaries(NAMES, GRADES, max_size=6))
RULES: dict[Any, Callable[[float], float]] = {
    "truncate": oracle.truncated,
    "round": oracle.rounded,
    "distinct": float,
    (0.5, 2.0): oracle.binned((0.5, 2.0)),
}


def grades(text: str) -> Judgments:
    """One topic, a document per figure."""
    return Judgments.of({"1": {f"d{i}": float(figure) for i, figure in enumerate(text.split())}})


def close(result: float | None, wanted: float | None) -> bool:
    if result is None or wanted is None:
        return result is wanted
    return math.isclose(result, wanted, abs_tol=1e-9)


@given(QRELS, QRELS, st.sampled_from(list(RULES)), st.sampled_from(list(RULES)), st.sampled_from([0.5, 1.0, 2.0]))
def test_against_literal_twins(truth, judge, truth_rule, judge_rule, judge_rel):
    shared = oracle.shared(truth, judge)
    human, asked = Judgments.of(truth), Judgments.of(judge)
    if not shared:
        with pytest.raises(MismatchedNames):
            rs.label_agreement(human, asked, failed=None, resamples=0)
        return
    agreement = rs.label_agreement(
        human,
        asked,
        truth_categories=truth_rule,
        judge_categories=judge_rule,
        judge_rel=judge_rel,
        failed=None,
        resamples=0,
    )
    pairs = [pair for topic in shared.values() for pair in topic]
    labels = oracle.labelled(pairs, RULES[truth_rule], RULES[judge_rule])
    for name, wanted in oracle.statistics(labels, pairs, 1.0, judge_rel).items():
        assert close(agreement.value(name), wanted), name
        assert (agreement[name].reason is None) == (wanted is not None)
    labels_seen, confusion = [*map(float, agreement.label_names)], known(agreement.confusion)
    for i, x in enumerate(labels_seen):
        for j, y in enumerate(labels_seen):
            assert confusion[i, j] == labels.count((x, y))
    for cut in (known(agreement.binary), *agreement.thresholds):
        for name, wanted in oracle.binary(pairs, cut.truth_rel, cut.judge_rel).items():
            assert close(getattr(cut, name), wanted), name
    assert [topic.topic for topic in agreement.topics] == list(shared)
    for topic, own in zip(agreement.topics, shared.values(), strict=True):
        labelled = oracle.labelled(own, RULES[truth_rule], RULES[judge_rule])
        wanted = oracle.statistics(labelled, own, 1.0, judge_rel)
        assert topic.pairs == len(own)
        for name in ("equal", "kappa", "kappa_binary", "alpha_ordinal", "mean_difference"):
            assert close(getattr(topic, name), wanted[name]), name
    assert json.loads(agreement.to_json())["coverage"]["pairs"] == len(pairs)


@given(QRELS, QRELS)
def test_coverage_counts_every_judgment(truth, judge):
    if not oracle.shared(truth, judge):
        return
    coverage = rs.label_agreement(Judgments.of(truth), Judgments.of(judge), failed=None, resamples=0).coverage
    known, asked = (
        {(topic, d) for topic, rows in side.items() for d, grade in rows.items() if not math.isnan(grade)}
        for side in (truth, judge)
    )
    assert (coverage.pairs, coverage.truth_only, coverage.judge_only) == (
        len(known & asked),
        len(known - asked),
        len(asked - known),
    )
    topics, others, both = ({topic for topic, _ in side} for side in (known, asked, known & asked))
    assert coverage.topics == len(both)
    assert set(coverage.topics_truth_only) == topics - others
    assert set(coverage.topics_judge_only) == others - topics
    assert set(coverage.topics_without_shared_pair) == (topics & others) - both
    assert coverage.share == len(known & asked) / len(known)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40))
def test_kappas_are_scikit_learns(pairs):
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    x, y = zip(*pairs, strict=True)
    agreement = rs.label_agreement(grades(" ".join(map(str, x))), grades(" ".join(map(str, y))), resamples=0)
    if len({*x, *y}) == 1:
        return  # scikit-learn has a nan and a warning there; ours is None, tested below
    for name, weights in (("kappa", None), ("kappa_linear", "linear"), ("kappa_quadratic", "quadratic")):
        wanted = metrics.cohen_kappa_score(x, y, labels=range(4), weights=weights)
        assert agreement.value(name) == pytest.approx(wanted, abs=1e-12)


def test_published_agreement_of_twelve_judges(data):
    """Cohen's κ and ordinal α, to the four decimals that the LLMJudge benchmark prints: all twelve agree."""
    folder = data / "dl23-judges"

    human = rs.read_judgments(folder / "human.qrels")
    published = list(csv.DictReader((folder / "published-kappa-alpha.csv").read_text(encoding="utf-8").splitlines()))
    assert len(published) == 12
    for row in published:
        agreement = rs.label_agreement(
            human, rs.read_judgments(folder / "judges" / f"{row['judge']}.qrels"), resamples=0
        )
        assert f"{agreement.value('kappa'):.4f}" == row["kappa"], row
        assert f"{agreement.value('alpha_ordinal'):.4f}" == row["alpha"], row
        assert (agreement.coverage.pairs, agreement.coverage.topics) == (4423, 25)


def test_krippendorffs_examples():
    """Krippendorff (Computing Krippendorff's alpha-reliability, 2011): α = 0.095 (section A) and 0.692 (section B)."""
    binary = rs.label_agreement(grades("0 1 0 0 0 0 0 0 1 0"), grades("1 1 1 0 0 1 0 0 0 0"), resamples=0)
    assert round(known(binary.value("alpha_nominal")), 3) == 0.095
    nominal = rs.label_agreement(grades("1 1 2 2 4 3 3 3 5 4 4 1"), grades("2 1 2 2 2 3 3 3 5 4 4 4"), resamples=0)
    assert round(known(nominal.value("alpha_nominal")), 3) == 0.692


def test_a_draw_of_topics_is_the_agreement_of_its_pairs():
    """The matrix product against the pairs of the drawn topics written out."""
    random = np.random.default_rng(3)
    truth, judge = (
        {f"q{t}": {f"d{i}": float(random.integers(0, 4)) for i in range(6)} for t in range(5)} for _ in range(2)
    )
    pairs = match(Judgments.of(truth), Judgments.of(judge))
    counts = TopicCounts.of(pairs, pairs.truth, pairs.judge, truth_rel=2.0, judge_rel=1.0)
    drawn = topic_counts(random, 5, 40)
    sample = counts.sample(drawn)
    result = {statistic.name: statistic.values(sample) for statistic in STATISTICS}
    shared = list(oracle.shared(truth, judge).values())
    for b, row in enumerate(drawn.astype(int)):
        written_out = [pair for own, times in zip(shared, row, strict=True) for pair in own * times]
        for name, wanted in oracle.statistics(written_out, written_out, 2.0, 1.0).items():
            assert close(float(result[name][b]), wanted), name


def noisy(topics: int, seed: int) -> tuple[Judgments, Judgments]:
    random = np.random.default_rng(seed)
    shift = random.normal(0.0, 0.5, topics)
    truth = {f"q{t}": {f"d{i}": float(random.integers(0, 4)) for i in range(20)} for t in range(topics)}
    judge = {
        topic: {d: float(np.clip(np.rint(g + shift[t] + random.normal()), 0, 3)) for d, g in rows.items()}
        for t, (topic, rows) in enumerate(truth.items())
    }
    return Judgments.of(truth, name="human"), Judgments.of(judge, name="model")


@pytest.mark.parametrize("method", ["recentred", "percentile", "bca"])
def test_intervals_surround_the_value(method):
    agreement = rs.label_agreement(*noisy(30, 1), method=method, resamples=600)
    assert (agreement.truth, agreement.judge) == ("human", "model")
    for value in agreement.values:
        interval = known(value.interval)
        assert interval.low < known(value.value) < interval.high
        assert known(value.standard_error) > 0.0
        assert interval.method == f"topic bootstrap, {method}"
    assert [row[0] for row in agreement.table().rows] == [statistic.name for statistic in STATISTICS]


def test_a_seed_gives_the_same_intervals_and_chunks_begin_alike():
    sides = noisy(12, 2)
    first, again, other = (rs.label_agreement(*sides, resamples=700, rng=seed) for seed in (4, 4, 5))
    assert first.to_dict() == again.to_dict()
    assert first["kappa"].interval != other["kappa"].interval
    generator = np.random.default_rng(4)
    assert rs.label_agreement(*sides, resamples=700, rng=generator)["kappa"].interval == first["kappa"].interval
    assert len(list(generators(4, 700))) == 2


@pytest.mark.slow
def test_coverage_of_intervals():
    """95 % intervals contain the value for the population of topics about that often, with 25 very different topics."""
    names = [statistic.name for statistic in STATISTICS]
    true = rs.label_agreement(*noisy(20_000, 0), resamples=0)
    inside = np.zeros(len(names))
    for seed in range(1, 401):
        agreement = rs.label_agreement(*noisy(25, seed), resamples=500)
        for i, name in enumerate(names):
            interval = known(agreement[name].interval)
            inside[i] += interval.low <= known(true.value(name)) <= interval.high
    assert np.all(np.abs(inside / 400 - 0.95) < 0.03), dict(zip(names, inside / 400, strict=True))


def test_the_truth_against_itself():
    truth, _ = noisy(10, 7)
    agreement = rs.label_agreement(truth, truth)
    for value in agreement.values:
        wanted = 0.0 if value.name.endswith("_difference") else 1.0
        interval = known(value.interval)
        assert (value.value, interval.low, interval.high) == (wanted, wanted, wanted)
    assert all(cut.f1 == cut.kappa == 1.0 for cut in agreement.thresholds)
    assert [cut.truth_rel for cut in agreement.thresholds] == [1.0, 2.0, 3.0]
    assert agreement.remarks == ()


def test_a_constant_judge_is_no_better_than_chance():
    agreement = rs.label_agreement(grades("0 1 2 3"), grades("1 1 1 1"))
    assert [agreement.value(name) for name in ("kappa", "kappa_linear", "kappa_quadratic", "kappa_binary")] == [0.0] * 4
    assert known(agreement.value("alpha_nominal")) < 0.2
    assert "the only label of the judge is 1, so it distinguishes nothing" in map(str, agreement.remarks)
    assert str(agreement.remarks[-1]) == (
        "only one topic has pairs judged by both, so there are no intervals over topics"
    )
    assert all(value.interval is None and value.standard_error is None for value in agreement.values)


def test_two_constant_sides():
    """Different labels throughout: κ is 0, chance agrees as little. The same label: nothing to agree about."""
    apart = rs.label_agreement(grades("0 0 0"), grades("2 2 2"))
    assert (apart.value("kappa"), apart.value("kappa_quadratic"), apart.value("equal")) == (0.0, 0.0, 0.0)
    same = rs.label_agreement(grades("2 2 2"), grades("2 2 2"))
    for name in ("kappa", "kappa_linear", "alpha_nominal", "alpha_ordinal", "alpha_interval", "kappa_binary"):
        assert same.value(name) is None
        assert same[name].interval is None
    assert same["kappa"].reason == "both sides give every pair the same label, so agreement by chance is full"
    assert same.value("equal") == 1.0
    assert same.thresholds == ()


def test_draws_without_a_value_are_counted():
    truth = Judgments.of({"1": {"a": 0, "b": 0}, "2": {"a": 0, "b": 1}})
    agreement = rs.label_agreement(truth, truth, resamples=400)
    assert 50 < agreement["kappa"].undefined < 150  # topic 1 alone is drawn a quarter of the time
    assert agreement["alpha_interval"].undefined == agreement["kappa"].undefined
    assert agreement["equal"].undefined == 0


def test_real_grades_are_truncated_unless_told_otherwise():
    truth, judge = grades("0 1 2 2"), grades("0.9 1.6 1.99 2.5")
    agreement = rs.label_agreement(truth, judge)
    assert known(agreement.confusion).tolist() == [[1, 0, 0], [0, 1, 0], [0, 1, 1]]
    assert str(agreement.remarks[0]) == (
        "4 of the 4 grades of the judge are not whole numbers; they were truncated to whole numbers to make labels"
    )
    assert agreement.settings["judge_categories"] == "truncate"
    rounded = rs.label_agreement(truth, judge, judge_categories="round")
    assert rounded.labels == (0.0, 1.0, 2.0, 3.0)
    binned = rs.label_agreement(truth, judge, judge_categories=[1.0, 1.7])
    assert binned.value("kappa") == 1.0
    assert binned.settings["judge_categories"] == [1.0, 1.7]
    assert "the grades of the judge were put into 3 bins to make labels" in map(str, binned.remarks)
    assert agreement.value("alpha_interval") == rounded.value("alpha_interval") == binned.value("alpha_interval")


def test_halves_round_upwards_and_zero_has_no_sign():
    judge = grades("0.5 1.5 2.5 -0.5 0.49999999999999994")
    truth = grades("1 2 3 0 0")
    assert rs.label_agreement(truth, judge, judge_categories="round").value("equal") == 1.0
    assert rs.label_agreement(grades("0"), grades("-0.3")).labels == (0.0,)


def test_a_binary_judge_of_graded_truth():
    truth, judge = grades("0 1 2 3 3 0"), grades("0 0 1 1 1 0")
    agreement = rs.label_agreement(truth, judge, truth_rel=2)
    assert known(agreement.value("kappa")) < 1.0
    binary = known(agreement.binary)
    assert agreement.value("kappa_binary") == binary.kappa == binary.f1 == 1.0
    high = agreement.thresholds[-1]
    assert (high.truth_rel, high.precision, high.recall, high.f1, high.kappa) == (3.0, None, 0.0, 0.0, 0.0)


def test_bins_of_the_truth_are_the_thresholds():
    agreement = rs.label_agreement(
        grades("10 40 80"), grades("20 60 90"), truth_categories=(30, 70), judge_categories=(30, 70)
    )
    assert [cut.truth_rel for cut in agreement.thresholds] == [30.0, 70.0]
    assert agreement.value("kappa") == 1.0
    thresholds: Any = np.array([0.5])
    chosen = rs.label_agreement(grades("0 1"), grades("0 1"), thresholds=thresholds)
    assert [cut.judge_rel for cut in chosen.thresholds] == [0.5]


def test_more_labels_than_make_sense():
    many = MOST_LABELS + 1
    truth, judge = grades("0 1 " * (many // 2 + 1)), grades(" ".join(map(str, range(2 * (many // 2 + 1)))))
    agreement = rs.label_agreement(truth, judge)
    assert agreement.labels is None
    assert agreement.confusion is None
    assert agreement.value("kappa") is None
    assert agreement["kappa"].reason == "there are more than 1000 labels; give bounds that make fewer"
    assert agreement.value("alpha_interval") is not None
    assert agreement.topics[0].kappa is None
    assert agreement.confusion_table().rows == ()
    assert rs.label_agreement(truth, judge, judge_categories=[500]).value("kappa") is not None


@pytest.mark.parametrize("unit", [1e-300, 1.0, 1e300])
def test_interval_alpha_has_no_unit(unit):
    x, y = [0.0, 1.0, 2.0, 5.0], [1.0, 1.0, 2.5, 4.0]
    sides = [Judgments.of({"1": {f"d{i}": v * unit for i, v in enumerate(side)}}) for side in (x, y)]
    wanted = oracle.alpha(list(zip(x, y, strict=True)), "interval")
    assert rs.label_agreement(*sides).value("alpha_interval") == pytest.approx(wanted, abs=1e-12)


def test_tables_have_every_row():
    agreement = rs.label_agreement(*noisy(4, 3))
    assert agreement.confusion_table().columns == ("truth", "judge 0", "judge 1", "judge 2", "judge 3")
    assert sum(sum(row[1:]) for row in agreement.confusion_table().rows) == agreement.coverage.pairs == 80
    assert [row[0] for row in agreement.topic_table().rows] == ["q0", "q1", "q2", "q3"]
    assert [row[0] for row in agreement.threshold_table().rows] == [1.0, 2.0, 3.0]
    with pytest.raises(UnknownName, match="choose one of equal, kappa"):
        agreement.value("kapa")


def test_nothing_in_common_is_an_error():
    truth = Judgments.of({"301": {"d1": 1}})
    with pytest.raises(MismatchedNames, match="no topic in common: the truth's are '301', the judge's '1'"):
        rs.label_agreement(truth, Judgments.of({"1": {"d1": 1}}))
    with pytest.raises(
        MismatchedNames, match="no document in common: for topic '301' the truth has 'd1', the judge 'D1'"
    ):
        rs.label_agreement(truth, Judgments.of({"301": {"D1": 1}}))
    with pytest.raises(MismatchedNames, match="the judge has no judgments"):
        rs.label_agreement(truth, Judgments.of({}))
    with pytest.raises(MismatchedNames, match="the truth has no judgments"):
        rs.label_agreement(Judgments.of({"301": {"d1": math.nan}}), truth)


def test_hostile_input():
    twice = Judgments(topics=("1",), starts=np.array([0, 2]), ids=Ids.of(["d", "d"]), grades=np.array([1.0, 0.0]))
    with pytest.raises(BadParameter, match="the judge judges document 'd' of topic '1' twice"):
        rs.label_agreement(grades("1"), twice)
    with pytest.raises(NotFinite, match="the truth has infinite grades"):
        rs.label_agreement(Judgments.of({"1": {"d0": math.inf}}), grades("1"))
    for options, message in (
        ({"judge_categories": "floor"}, "judge_categories='floor': one of truncate, round, distinct"),
        ({"truth_categories": [2, 1]}, "ascending order"),
        ({"truth_categories": []}, "ascending order"),
        ({"method": "basic"}, "method='basic'"),
        ({"resamples": -1}, "resamples=-1"),
        ({"level": 95}, "level=95"),
        ({"truth_rel": math.nan}, "truth_rel=nan"),
        ({"thresholds": [math.inf]}, "thresholds=inf"),
    ):
        with pytest.raises(BadParameter, match=message):
            rs.label_agreement(grades("1 0"), grades("1 0"), **options)
