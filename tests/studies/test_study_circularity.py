"""Runs re-sorted by a judge's labels, against sorting lists of documents and evaluating from scratch."""

import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles_studies as slow
import rankscope as rs
from narrowing import known
from rankscope.averages import mean_ranks
from rankscope.coefficients.rows import quietly
from rankscope.studies.circularity_blocks import CircularityBlock, Setup, noisy, places_by

SEEDS = st.integers(0, 10_000)


def made(seed, **size):
    """Runs and two sets of judgments of the same topics, with holes of their own."""
    runs, truth = slow.made_track(seed, **size)
    rng = np.random.default_rng(seed)
    labels = {
        topic: {d: float(rng.integers(-1, 3)) for d in rows if rng.random() < 0.8}
        | {f"d{i}": float(rng.integers(0, 3)) for i in range(5, 9)}
        for topic, rows in truth.items()
    }
    return runs, truth, labels


@settings(max_examples=12)
@given(seed=SEEDS, depth=st.integers(1, 9), grouped=st.booleans())
def test_every_number_is_that_of_an_evaluation_from_scratch(seed, depth, grouped):
    runs, truth, labels = made(seed)
    systems = list(runs)
    team_of: dict[str, str] | None = (
        {s: "even" if i % 2 == 0 else "<b>" for i, s in enumerate(systems)} if grouped else None
    )
    measure = "AP" if seed % 2 else "nDCG@3"
    means = slow.scores(runs, labels, measure).means
    judges = {"llm": labels}
    if len(set(means.tolist())) == 1:
        with pytest.raises(rs.BadParameter, match="llm under"):
            rs.study_circularity(runs, truth, judges, measure, depth=depth, noise=[0])
        return
    study = rs.study_circularity(runs, truth, judges, measure, depth=depth, noise=[0], groups=team_of)
    sets: dict[tuple[str, str | None], list[list[str]]] = {("nobody", None): [[]], ("all", None): [systems]}
    sets["one at a time", None] = [[s] for s in systems]
    sets |= {("group", g): [[s for s in systems if (team_of or {})[s] == g]] for g in (team_of or {}).values()}
    assert {(use.users, use.group) for use in study.uses} == set(sets)
    before = {side: slow.scores(runs, grades, measure) for side, grades in (("truth", truth), ("llm", labels))}
    for use in study.uses:
        expected = []
        for users in sets[use.users, use.group]:
            changed = slow.using(runs, labels, users, depth)
            x, y = slow.scores(changed, truth, measure), slow.scores(changed, labels, measure)
            own = [systems.index(s) for s in users]
            best = [i for i, mean in enumerate(y.means) if mean == y.means.max()]
            with quietly():
                tau = rs.coefficient("tau_b")(x.means, y.means)
            gains = [
                (t.means - before[side].means)[own].mean() if own else 0.0 for side, t in (("llm", y), ("truth", x))
            ]
            loss = x.means.max() - x.means[best].mean()
            expected.append([*gains, tau, mean_ranks(x.means)[best].mean(), loss])
        value = use.agreements["tau_b"]
        found = [use.judge_gain, use.true_gain, np.nan if value is None else value, use.winner_rank, use.winner_loss]
        assert found == pytest.approx(np.mean(expected, axis=0).tolist(), nan_ok=True, abs=1e-12)
        assert use.inflation == pytest.approx(use.judge_gain - use.true_gain, abs=1e-12)
    for alone in study.by_system:
        changed = slow.using(runs, labels, [alone.system], depth)
        for grades, score, rank in (
            (truth, alone.true_score_using, alone.true_rank_using),
            (labels, alone.judge_score_using, alone.judge_rank_using),
        ):
            scores = dict(zip(systems, slow.scores(changed, grades, measure).means.tolist(), strict=True))
            assert score == pytest.approx(scores[alone.system])
            assert rank == slow.rank_of(scores, alone.system)


@settings(max_examples=10)
@given(seed=SEEDS)
def test_the_judge_as_a_system_ranks_what_it_labelled(seed):
    runs, truth, labels = made(seed)
    rng = np.random.default_rng(seed)
    labels = {
        t: {d: float(g) for d, g in zip(rows, rng.permutation(len(rows)), strict=True)} for t, rows in labels.items()
    }
    if len(set(slow.scores(runs, labels, "nDCG@3").means.tolist())) == 1:
        return
    (entrant,) = rs.study_circularity(runs, truth, {"llm": labels}, "nDCG@3", noise=[0], repeats=2).entrants
    entered = {**runs, "the judge itself": slow.ranked_by(labels)}
    for grades, score, rank in (
        (truth, entrant.true_score, entrant.true_rank),
        (labels, entrant.judge_score, entrant.judge_rank),
    ):
        scores = dict(zip(entered, slow.scores(entered, grades, "nDCG@3").means.tolist(), strict=True))
        assert score == pytest.approx(scores["the judge itself"])
        assert rank == slow.rank_of(scores, "the judge itself")


def test_worth_is_that_of_the_tables_with_all_re_sorted():
    track = rs.simulate_track(8, 12, depth=20, rng=3)
    judge = rs.simulate_track(8, 12, depth=20, rng=3).truth
    flipped = judge.with_grades(np.where(np.random.default_rng(0).random(len(judge)) < 0.2, 0.0, judge.grades))
    study = rs.study_circularity(track.runs, track.truth, {"j": flipped}, "nDCG@10", noise=[0], depth=10)
    runs = {s: {t: track.runs.retrieved(s, t) for t in track.runs.topics} for s in track.runs.systems}
    frame = flipped.to_frame()
    labels = {str(t): dict(zip(own["document"], own["grade"], strict=True)) for (t,), own in frame.group_by("topic")}
    changed = rs.RunSet.of(slow.using(runs, labels, list(runs), 10))
    x, y = (rs.evaluate(changed, side, "nDCG@10").scores["nDCG@10"] for side in (track.truth, flipped))
    every = next(use for use in study.uses if use.users == "all")
    assert every.worth == pytest.approx(rs.worth(x, y, splits=0).worth)
    nobody = study.uses[0]
    x, y = (rs.evaluate(track.runs, side, "nDCG@10").scores["nDCG@10"] for side in (track.truth, flipped))
    assert nobody.worth == pytest.approx(rs.worth(x, y, splits=0).worth)
    gains = known(every.judge_interval)
    assert gains.low < every.judge_gain < gains.high
    assert nobody.judge_interval is None


def test_noise_is_the_share_of_labels_replaced_by_labels_of_the_topic():
    rng = np.random.default_rng(0)
    documents = [f"d{i}" for i in range(200)]
    runs = rs.RunSet.of({s: {t: [documents[i] for i in rng.permutation(200)] for t in "12"} for s in "ab"})
    labels = rs.Judgments.of({"1": dict.fromkeys(documents[:150], 2.0), "2": dict.fromkeys(documents[:150], 1.0)})
    judged = rs.join(runs, labels)
    setup = Setup(
        truth=judged,
        judge=judged,
        measures=(),
        grades=(),
        coefficients=(),
        users=np.zeros((0, 2), dtype=bool),
        depth=100,
    )
    seen = setup.labels
    assert seen.shape == (4, 100)
    assert np.isnan(seen).any()
    # Labels of another topic never turn up: topic 1 has only 2, topic 2 only 1.
    for noise in (0.3, 1.0):
        other = noisy(seen, judged, noise, np.random.default_rng(1))
        np.testing.assert_array_equal(other, seen)
    mixed = judged.with_grades(np.where(np.arange(300) % 3 == 0, 0.0, 1.0))
    of_mixed = Setup(
        truth=mixed, judge=mixed, measures=(), grades=(), coefficients=(), users=setup.users, depth=200
    ).labels
    changed = noisy(of_mixed, mixed, 0.5, np.random.default_rng(1))
    known_ones = of_mixed >= 0.0
    # Half are replaced by a 0 (1 in 3) or 1 (2 in 3): of the ones, 1/6 become 0.
    ones = known_ones & (of_mixed == 1.0)
    assert (changed[ones] == 0.0).mean() == pytest.approx(1 / 6, abs=0.07)
    assert np.isnan(changed[~known_ones]).all()


def test_places_keep_the_order_of_equal_labels_and_end_with_nothing():
    labels = np.array([[1.0, np.nan, 2.0, 0.0, 2.0, -1.0]])
    assert places_by(labels).tolist() == [[3, 4, 1, 5, 2, 6]]


def test_a_seed_gives_the_same_for_any_number_of_jobs_and_from_a_checkpoint(tmp_path, monkeypatch):
    track = rs.simulate_track(5, 6, depth=20, rng=2)
    options: dict[str, Any] = {
        "judges": {"j": track.truth, "k": track.truth.binary(2)},
        "measures": "AP",
        "noise": [0, 0.5],
        "repeats": 7,
    }
    whole = rs.study_circularity(track.runs, track.truth, **options, jobs=1)
    again = rs.study_circularity(track.runs, track.truth, **options, jobs=3, checkpoint=tmp_path)
    assert again.to_json() == whole.to_json()
    monkeypatch.setattr("rankscope.studies.circularity_blocks.CircularityBlock.run", lambda _: pytest.fail("computed"))
    kept = rs.study_circularity(track.runs, track.truth, **options, checkpoint=tmp_path)
    assert kept.to_json() == whole.to_json()
    with pytest.raises(rs.MismatchedCheckpoint):
        rs.study_circularity(track.runs, track.truth, **options, checkpoint=tmp_path, depth=3)
    assert list(json.loads(whole.to_json())["topics"].values()) == [6, 6]


def test_a_block_gives_the_same_numbers_wherever_it_is_sent():
    track = rs.simulate_track(4, 5, depth=12, rng=2)
    judged = rs.join(track.runs, track.truth)
    setup = Setup(
        truth=judged,
        judge=judged,
        measures=(("nDCG@10", "nDCG@10"),),
        grades=(judged.grades,),
        coefficients=("tau_b",),
        users=np.ones((1, 4), dtype=bool),
        depth=10,
    )
    block = CircularityBlock(name="one", setup=setup, noise=0.5, numbers=range(3, 6), seed=7)
    sent = pickle.loads(pickle.dumps(block))
    np.testing.assert_array_equal(sent.run(), block.run())
    assert block.run().shape == block.shape


def test_judges_that_cannot_be_used_are_skipped_or_named():
    track = rs.simulate_track(5, 6, depth=20, rng=2)
    real = track.truth.with_grades(track.truth.grades / 3.0)
    nothing = track.truth.with_grades(np.zeros(len(track.truth)))
    study = rs.study_circularity(
        track.runs, track.truth, {"real": real, "nothing": nothing}, ["AP", "nDCG@10"], noise=[0]
    )
    assert [(s.judge, s.measure, s.why) for s in study.skipped] == [
        ("real", "AP", "real grades"),
        ("nothing", "AP", "no relevant grade"),
        ("nothing", "nDCG@10", "no relevant grade"),
    ]
    assert {(use.judge, use.measure) for use in study.uses} == {("real", "nDCG@10")}
    own = rs.study_circularity(
        track.runs, track.truth, {"real": rs.JudgeLabels(real, rel=1 / 3)}, "AP", noise=[0], depth=20
    )
    # The same documents in the same order as the truth's: every gain is the same by both.
    assert all(use.inflation == pytest.approx(0.0) for use in own.uses)
    learned = rs.JudgeLabels(real, rel="cv")
    tuned = rs.study_circularity(track.runs, track.truth, {"real": learned}, "AP", noise=[0], depth=20)
    report = rs.judge(track.runs, track.truth, {"real": learned}, "AP", resamples=0, random_draws=0, pseudo_draws=0)
    scores = {own.system: own.judge_score for own in tuned.by_system}
    assert scores == pytest.approx({s.system: s.estimate for s in report.answers[0].agreement.systems})
    with pytest.raises(rs.BadParameter, match="nothing under AP"):
        rs.study_circularity(track.runs, track.truth, {"nothing": nothing}, "AP")
    with pytest.raises(rs.BadParameter, match=r"noise=\(2.0,\)"):
        rs.study_circularity(track.runs, track.truth, track.truth, "AP", noise=[2])
    with pytest.raises(rs.MismatchedNames):
        rs.study_circularity(track.runs, track.truth, {"x": {"other": {"d": 1}}}, "AP")


def test_on_dl19_the_judge_gains_twice_what_people_do(data):
    # docs/howto/judges-under-stress.md has these figures.
    folder = data / "dl19"
    study = rs.study_circularity(
        folder / "runs",
        folder / "qrels.human.txt",
        folder / "judges" / "umbrela-gpt-4o.qrels",
        "nDCG@10",
        noise=[0],
        repeats=2,
    )
    every = next(use for use in study.uses if use.users == "all")
    assert (every.judge_gain, every.true_gain) == pytest.approx((0.232, 0.107), abs=0.001)
    assert sum(own.judge_rank_using == 1 for own in study.by_system) == 34
    assert study.entrants[0].true_rank in (10, 11, 12)
