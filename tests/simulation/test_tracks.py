"""Simulated tracks: what they promise of runs, pools, judgments and judges."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_tracks as oracle
import rankscope as rs
from rankscope.errors import BadParameter
from rankscope.simulation.track_systems import FAMILIES, _best, allotted
from rankscope.simulation.tracks import JUDGES

SHARES = st.floats(0.0, 1.0)


@pytest.fixture(scope="module")
def track():
    return rs.simulate_track()


def by_name(judgments):
    """Topic → document → grade."""
    return {
        topic: dict(zip(judgments.ids.names(a, b), judgments.grades[a:b].tolist(), strict=True))
        for topic, a, b in zip(judgments.topics, judgments.starts[:-1], judgments.starts[1:], strict=True)
    }


def means(track, judgments, measure="nDCG@10"):
    return rs.evaluate(track.runs, judgments, [measure]).scores[measure].means


def test_sizes_and_names(track):
    assert (len(track.runs.systems), len(track.runs.topics)) == (40, 50)
    assert set(np.diff(track.runs.starts)) == {100}
    assert track.runs.systems[:2] == ("baseline-01", "baseline-02")
    assert track.runs.topics[0] == "101"
    name = track.runs.retrieved("lexical-03", "101")[0]
    assert len(name) == len("doc-00123")
    assert name.startswith("doc-")
    assert {track.groups[system] for system in track.runs.systems} == {family.name for family in FAMILIES}
    assert all(system.startswith(family) for system, family in track.groups.items())
    assert repr(track).startswith("<Track: 40 systems × 50 topics, ")
    assert track.settings["judges"]["partial"]["favours"] == "dense"


def test_no_run_has_a_document_twice(track):
    for system in track.runs.systems[::7]:
        result = track.runs.retrieved(system, "120")
        assert len(set(result)) == len(result) == 100


def test_exactly_the_pool_is_judged_by_everybody(track):
    truth = by_name(track.truth)
    for topic in track.runs.topics:
        pool = {d for system in track.runs.systems for d in track.runs.retrieved(system, topic)[:20]}
        assert set(truth[topic]) == pool
        assert list(truth[topic]) == sorted(pool)
    assert list(track.judges) == ["careful", "lenient", "partial"]
    for name, judge in track.judges.items():
        assert judge.name == name
        assert judge.same_rows(track.truth)
    assert set(np.unique(track.truth.grades)) == {0.0, 1.0, 2.0, 3.0}


def test_all_candidates_have_a_perfect_grade(track):
    perfect = by_name(track.perfect)
    assert {len(rows) for rows in perfect.values()} == {600}
    for topic in track.runs.topics[:5]:
        assert set(track.runs.retrieved("dense-01", topic)) <= set(perfect[topic])
    relevant = np.add.reduceat(track.perfect.grades > 0.0, track.perfect.starts[:-1])
    assert relevant.min() >= 3
    assert relevant.max() > 2 * np.median(relevant)


def test_codes_are_those_of_the_documents(track):
    """The same runs built name by name."""
    small = rs.simulate_track(5, 3, depth=20)
    rankings = {
        system: {topic: small.runs.retrieved(system, topic) for topic in small.runs.topics}
        for system in small.runs.systems
    }
    again = rs.RunSet.of(rankings)
    assert len(again.ids) == len(small.runs.ids)
    for judgments in (small.truth, small.perfect):
        assert np.array_equal(
            means(small, judgments), rs.evaluate(again, judgments, ["nDCG@10"]).scores["nDCG@10"].means
        )


def test_a_seed_gives_the_same_track(track):
    again, other = rs.simulate_track(), rs.simulate_track(rng=1)
    assert np.array_equal(again.runs.documents, track.runs.documents)
    assert again.runs.ids.same(track.runs.ids)
    for name in track.judges:
        assert np.array_equal(again.judges[name].grades, track.judges[name].grades)
    assert not other.runs.ids.same(track.runs.ids)
    assert rs.simulate_track(5, 2, rng=np.random.default_rng(3)).runs.ids.same(rs.simulate_track(5, 2, rng=3).runs.ids)


def test_what_comes_later_changes_nothing_before():
    few, more = rs.simulate_track(8, 4), rs.simulate_track(8, 6)
    for topic in few.runs.topics:
        assert few.runs.retrieved("lexical-02", topic) == more.runs.retrieved("lexical-02", topic)
    one = rs.simulate_track(8, 4, judges={"careful": JUDGES["careful"]})
    assert np.array_equal(one.judges["careful"].grades, few.judges["careful"].grades)
    assert np.array_equal(one.truth.grades, few.truth.grades)
    deeper = rs.simulate_track(8, 4, pool_depth=40)
    assert np.array_equal(deeper.runs.documents, few.runs.documents)
    assert len(deeper.truth) > len(few.truth)


def test_the_claims_of_the_default_track():
    """Spread, families and the three judges as docs/tracks.md has them, on average over seeds."""
    result = []
    for seed in range(8):
        track = rs.simulate_track(rng=seed)
        human = means(track, track.truth)
        family = np.array([track.groups[system] for system in track.runs.systems])
        row = {"low": human.min(), "high": human.max()}
        row |= {name: human[family == name].mean() for name in np.unique(family)}
        for name, judge in track.judges.items():
            scores = means(track, judge)
            row[f"τ {name}"] = rs.kendall(human, scores)
            row[f"shift {name}"] = scores.mean() - human.mean()
            row[f"κ {name}"] = rs.label_agreement(track.truth, judge, resamples=0).value("kappa")
            gained = np.argsort(np.argsort(-human)) - np.argsort(np.argsort(-scores))
            row[f"dense {name}"] = gained[family == "dense"].mean()
        result.append(row)
    mean = {key: np.mean([row[key] for row in result]) for key in result[0]}
    assert 0.22 < mean["low"] < 0.35
    assert 0.63 < mean["high"] < 0.75
    assert mean["baseline"] < mean["lexical"] < mean["dense"] < mean["hybrid"] < mean["reranker"]
    assert 0.92 < mean["τ careful"] < 0.96
    assert 0.85 < mean["τ lenient"] < 0.93
    assert 0.08 < mean["shift lenient"] < 0.15
    assert abs(mean["shift careful"]) < 0.02
    assert 0.67 < mean["τ partial"] < 0.78
    assert mean["dense partial"] > 6.0
    assert abs(mean["dense careful"]) < 1.0
    assert mean["κ careful"] > mean["κ partial"] > 2.0 * mean["κ lenient"]


def test_systems_of_a_family_resemble_each_other(track):
    scores = rs.evaluate(track.runs, track.truth, ["nDCG@10"]).scores["nDCG@10"].values
    correlation = np.corrcoef((scores - scores.mean(axis=1, keepdims=True)).T)
    family = np.array([track.groups[system] for system in track.runs.systems])
    alike = family[:, None] == family
    np.fill_diagonal(correlation, np.nan)
    assert np.nanmean(correlation[alike]) > np.nanmean(correlation[~alike]) + 0.3


@pytest.mark.parametrize("model", [rs.JudgeModel(noise=0.5), rs.JudgeModel(noise=0.6, favours="lexical", bias=0.8)])
def test_a_judge_has_the_error_rates_it_was_given(model):
    """Bias moves errors to other documents; how many there are of each kind stays."""
    track = rs.simulate_track(20, 60, judges={"one": model}, rng=5)
    true = by_name(track.perfect)
    grades = np.array([true[t][d] for t, rows in by_name(track.truth).items() for d in rows]).astype(int)
    wanted = model.probabilities(3)
    for grade in range(4):
        labels = track.judges["one"].grades[grades == grade].astype(int)
        shares = np.bincount(labels, minlength=4) / len(labels)
        assert np.abs(shares - wanted[grade]).max() < 4.0 * math.sqrt(0.25 / len(labels))


def test_a_confusion_matrix_of_ones_choice():
    binary = rs.JudgeModel(confusion=[[0.9, 0.1], [0.5, 0.5], [0.1, 0.9], [0, 1]])
    identity: Any = np.eye(4)
    real = rs.JudgeModel(confusion=identity, labels=[0.0, 0.5, 1.5, 9.0])
    track = rs.simulate_track(10, 30, human=rs.JudgeModel(noise=0), judges={"binary": binary, "real": real})
    assert set(track.judges["binary"].grades) == {0.0, 1.0}
    assert np.all(track.judges["binary"].grades[track.truth.grades == 3.0] == 1.0)
    assert np.array_equal(track.judges["real"].grades, np.array([0.0, 0.5, 1.5, 9.0])[track.truth.grades.astype(int)])
    assert abs(track.judges["binary"].grades[track.truth.grades == 0.0].mean() - 0.1) < 0.02
    assert real == rs.JudgeModel(confusion=np.eye(4).tolist(), labels=(0.0, 0.5, 1.5, 9.0))


def test_a_human_without_noise_tells_the_true_grade(track):
    exact = rs.simulate_track(10, 5, human=rs.JudgeModel(noise=0.0))
    true, told = by_name(exact.perfect), by_name(exact.truth)
    assert all(true[topic][document] == grade for topic, rows in told.items() for document, grade in rows.items())


@given(
    st.floats(0.0, 3.0).filter(lambda noise: noise == 0.0 or noise > 1e-3),
    st.floats(-3.0, 3.0),
    st.integers(1, 5),
)
def test_probabilities_against_the_literal_twin(noise, leniency, highest):
    probabilities = rs.JudgeModel(noise=noise, leniency=leniency).probabilities(highest)
    assert np.allclose(probabilities, oracle.probabilities(noise, leniency, highest), atol=1e-12)
    assert np.allclose(probabilities.sum(axis=1), 1.0)
    assert (probabilities >= 0.0).all()


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=30),
    st.floats(-0.8, 0.8),
    st.floats(0.0, 0.3),
    st.integers(0, 5),
)
def test_labels_against_the_literal_twin(documents, bias, by_topic, seed):
    grades, topics, seen = (np.array(column) for column in zip(*documents, strict=True))
    favours = {} if bias == 0.0 else {"favours": "lexical", "bias": bias}
    model = rs.JudgeModel(noise=0.7, leniency=0.2, by_topic=by_topic, **favours)
    result = model.draw(np.random.default_rng(seed), grades=grades, topic=topics, highest=3, seen=seen.astype(float))
    random = np.random.default_rng(seed)
    own, shared = random.standard_normal(len(grades)), random.standard_normal(topics.max() + 1)
    table = oracle.probabilities(0.7, 0.2, 3)
    view = seen.tolist() if favours else None
    assert result.tolist() == oracle.labels(
        table, range(4), grades.tolist(), topics.tolist(), own.tolist(), shared.tolist(), view, bias, by_topic
    )


@given(st.lists(SHARES, min_size=1, max_size=6).filter(lambda shares: sum(shares) > 0.01), st.integers(1, 50))
def test_every_system_has_a_family(shares, systems):
    families = [rs.FamilyModel(name=f"f{i}", share=share) for i, share in enumerate(shares)]
    counts = allotted(families, systems)
    assert sum(counts) == systems
    for count, share in zip(counts, shares, strict=True):
        assert abs(count - systems * share / sum(shares)) < 1.0 + 1e-6


def test_the_best_are_those_that_sorting_finds():
    scores = np.random.default_rng(0).normal(size=(6, 30))
    for depth in (1, 7, 30):
        assert _best(scores, depth).tolist() == [sorted(range(30), key=lambda i: -row[i])[:depth] for row in scores]


def test_families_of_ones_own():
    families = [rs.FamilyModel(name="good", skill=2.0), rs.FamilyModel(name="bad α", skill=0.0, spread=0.0)]
    track = rs.simulate_track(6, 10, families=families, judges={})
    assert track.runs.systems == ("good-01", "good-02", "good-03", "bad α-01", "bad α-02", "bad α-03")
    assert track.judges == {}
    human = means(track, track.truth)
    assert human[:3].min() > human[3:].max() + 0.3


def test_tiny_and_odd_sizes():
    assert len(rs.simulate_track(1, 1, depth=1, candidates=1).runs.documents) == 1
    full = rs.simulate_track(3, 2, depth=30, candidates=30, pool_depth=100, highest_grade=1)
    assert len(full.truth) == 60
    assert set(full.truth.grades) <= {0.0, 1.0}
    assert len(rs.simulate_track(2, 2, depth=10, candidates=10, highest_grade=9).perfect) == 20


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"systems": 0}, "systems=0: a whole number, 1 or more"),
        ({"topics": 0}, "topics=0"),
        ({"depth": 601}, "candidates=600: a run of 601 documents"),
        ({"pool_depth": 0}, "pool_depth=0"),
        ({"highest_grade": 0}, "highest_grade=0"),
        ({"families": []}, "families: at least one"),
        ({"families": [rs.FamilyModel(name="a")] * 2}, "different names"),
        ({"families": [rs.FamilyModel(name="a", share=0.0)], "judges": {}}, "at least one share"),
        ({"families": [rs.FamilyModel(name="a", kin=("b",))], "judges": {}}, "no family 'b': the families are a"),
        ({"judges": {"x": rs.JudgeModel(favours="sparse", bias=0.5)}}, "no family 'sparse': the families are baseline"),
        ({"judges": {"human": rs.JudgeModel()}}, "'human' is the truth's name"),
        ({"judges": {"x": rs.JudgeModel(confusion=[[1.0]])}}, "confusion has 1 rows; true grades are 0 to 3"),
    ],
)
def test_what_cannot_be_simulated_is_told(options, message):
    with pytest.raises(BadParameter, match=message):
        rs.simulate_track(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"noise": -1}, "noise=-1"),
        ({"noise": math.nan}, "noise=nan"),
        ({"leniency": math.inf}, "leniency=inf"),
        ({"bias": 0.5}, "favours and bias go together"),
        ({"favours": "dense"}, "favours and bias go together"),
        ({"favours": "dense", "bias": 0.9, "by_topic": 0.5}, "at most 1"),
        ({"by_topic": -0.1}, "by_topic=-0.1"),
        ({"labels": [0, 1]}, "labels are the columns of confusion"),
        ({"confusion": [[0.5, 0.5], [1.0]]}, "rows of equal length"),
        ({"confusion": [[0.5, 0.4]]}, "add up to 1"),
        ({"confusion": [[1.5, -0.5]]}, "add up to 1"),
        ({"confusion": []}, "rows of equal length"),
        ({"confusion": [[]]}, "rows of equal length"),
        ({"confusion": [[0.5, 0.5]], "noise": 1.0}, "leave out noise and leniency"),
        ({"confusion": [[0.5, 0.5]], "labels": [1.0]}, "2 numbers"),
        ({"confusion": [[0.5, 0.5]], "labels": [1.0, math.nan]}, "2 numbers"),
    ],
)
def test_a_judge_that_cannot_be(options, message):
    with pytest.raises(BadParameter, match=message):
        rs.JudgeModel(**options)


@pytest.mark.parametrize("options", [{"name": ""}, {"name": "a", "skill": -1}, {"name": "a", "cohesion": 1.1}])
def test_a_family_that_cannot_be(options):
    with pytest.raises(BadParameter):
        rs.FamilyModel(**options)
