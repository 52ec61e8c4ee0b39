"""Scores from a probability sample of judgments: every sample enumerated, literal twins, and what must hold."""

from functools import cache
from itertools import product

import corrected_documents
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles_documents as literal
import rankscope as rs
from rankscope.inference import document_correction as correction
from rankscope.inference.document_correction import Sampled, combine, corrected_scores, estimate, expected_values
from rankscope.inference.document_correction import _numerators as numerators
from rankscope.inference.document_scores import DocumentScores

CHANCES = np.array([0.3, 0.6, 0.5, 0.8, 0.4, 1.0])
GAINS = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0])
GRADES = np.array([1.0, 1.0, 0.0, 2.0, 0.0, 2.0])


@cache
def documents(measure):
    names = {"1": ["a", "b", "c"], "2": ["d", "e", "f"]}
    runs = {
        "x": {"1": ["a", "b", "c"], "2": ["f", "e"]},
        "y": {"1": ["c", "a"], "2": ["d", "f", "e"]},
        "z": {"1": ["b", "q", "c", "a"], "2": ["e", "d"]},
    }
    labels = dict(zip([d for rows in names.values() for d in rows], GAINS, strict=True))
    judged = rs.join(runs, {t: {d: labels[d] for d in rows} for t, rows in names.items()})
    return DocumentScores.of(judged, rs.parse_measure(measure))


def samples():
    """Every sample of documents with its probability."""
    for drawn in product([False, True], repeat=len(CHANCES)):
        taken = np.array(drawn)
        chance = float(np.prod(np.where(taken, CHANCES, 1.0 - CHANCES)))
        if chance > 0.0:
            rows = np.flatnonzero(taken)
            yield chance, Sampled(rows, CHANCES[rows], GAINS[rows])


@pytest.mark.parametrize("measure", ["DCG@2", "P@3", "RBP(p=0.8)"])
def test_corrected_and_human_scores_are_unbiased_over_all_samples(measure):
    scores = documents(measure)
    table = correction.features(scores, GRADES)
    means = {"corrected": 0.0, "human": 0.0}
    for chance, sampled in samples():
        found = estimate(scores, table, sampled)
        means["corrected"] += chance * found.corrected
        means["human"] += chance * found.human
    truth = scores.scores(GAINS, np.ones(2))
    assert means["corrected"] == pytest.approx(truth, abs=1e-12)
    assert means["human"] == pytest.approx(truth, abs=1e-12)


@pytest.mark.parametrize("measure", ["AP", "AP@2", "DCG@3"])
def test_numerators_and_their_variance_with_fixed_expectations(measure):
    """Products of two documents' estimates are unbiased, since documents are drawn independently."""
    scores = documents(measure)
    guess = np.array([0.5, 0.2, 0.3, 0.9, 0.1, 0.6])
    mean = 0.0
    for chance, (rows, chances, gains) in samples():
        estimated = guess.copy()
        estimated[rows] += (gains - guess[rows]) / chances
        mean += chance * scores.scores(estimated, np.ones(2))
    assert mean == pytest.approx(scores.scores(GAINS, np.ones(2)), abs=1e-12)


def test_the_covariance_of_sums_is_unbiased():
    scores = documents("DCG@3")
    guess = np.array([0.5, 0.2, 0.3, 0.9, 0.1, 0.6])[:, None]
    rows = [
        (
            chance,
            corrected_scores(scores, numerators(scores, guess, sampled.gains[:, None], sampled), np.ones(1)),
        )
        for chance, sampled in samples()
    ]
    means = np.array([found.scores.mean(axis=0) for _, found in rows])
    chances = np.array([chance for chance, _ in rows])
    spread = means - chances @ means
    estimated = sum(chance * found.changes @ found.changes.T for chance, found in rows)
    assert estimated == pytest.approx((spread * chances[:, None]).T @ spread, abs=1e-12)


@pytest.mark.parametrize("measure", ["DCG@2", "nDCG@3", "AP", "nDCG"])
def test_with_every_document_labelled_all_scores_are_the_human_ones(measure):
    scores = documents(measure)
    everything = Sampled(np.arange(6), np.ones(6), GAINS)
    found = estimate(scores, correction.features(scores, GRADES), everything)
    truth = rs.score(scores.judged, measure)[measure].values
    for kind in (found.human, found.filled, found.corrected):
        assert kind == pytest.approx(truth, abs=1e-12)
    assert found.covariance == pytest.approx(np.zeros((3, 3)))
    assert found.combined.means == pytest.approx(truth.mean(axis=0) - truth.mean(), abs=1e-12)


@given(st.integers(0, 10_000), st.integers(2, 9))
def test_leaving_out_is_literal(seed, drawn):
    generator = np.random.default_rng(seed)
    table, penalties = generator.normal(size=(10, 4)), generator.uniform(0.5, 3.0, 4)
    rows = np.sort(generator.choice(10, drawn, replace=False))
    values = generator.uniform(0.0, 2.0, (drawn, 2))
    wanted = literal.left_out_ridge(table.tolist(), penalties, rows.tolist(), values.tolist())
    assert expected_values(table, penalties, rows, values) == pytest.approx(wanted, abs=1e-9)


@given(st.integers(0, 10_000), st.integers(3, 7), st.integers(1, 10))
def test_combining_is_literal(seed, systems, documents):
    """Also where fewer documents than systems make the noise."""
    generator = np.random.default_rng(seed)
    filled, corrected = generator.normal(size=(2, systems))
    root = generator.normal(size=(systems, documents))
    found = combine(filled, corrected, root @ root.T)
    wanted = literal.shared_out(
        filled, corrected, root @ root.T, correction._SPREADS, correction._SIZES, correction._CURVE
    )
    assert found.means == pytest.approx(wanted, rel=1e-6, abs=1e-7)
    assert 0.0 <= found.weight <= 1.0


@given(st.integers(0, 10_000), st.sampled_from(["AP", "nDCG@3"]), st.booleans())
def test_what_scores_are_divided_by_is_literal(seed, measure, to_rank):
    generator = np.random.default_rng(seed)
    scores = documents(measure)
    topics, chances = (
        scores.topic_of.tolist(),
        np.where(generator.random(6) < 0.3, 1.0, generator.uniform(0.02, 0.9, 6)),
    )
    cap: float | None = correction.CAP
    if to_rank:
        cap = correction.RANKING_CAP if measure == "AP" else None
    taken = (generator.random(6) < 0.6) | (chances == 1.0)
    rows = np.flatnonzero(taken)
    levels = np.ones(1) if measure == "nDCG@3" else np.zeros(0)
    means = generator.uniform(0.0, 1.0, (6, 1 + len(levels)))
    values = np.column_stack([GAINS, GAINS[:, None] >= levels]).astype(float)
    sampled = Sampled(rows, chances[rows], GAINS[rows])
    drawn = numerators(scores, means, values[rows], sampled)
    found = correction._divisor(scores, drawn, levels, to_rank=to_rank)
    given = topics, chances, taken, means[:, -1], values[:, -1]
    if to_rank:
        norms, _ = correction.ranking_norms(scores, drawn, levels)
        share = literal.believed(*given)[0] if measure == "nDCG@3" else 0.0
        published = correction._divisor(scores, drawn, levels).norms
        assert norms == pytest.approx(share * published + (1.0 - share) * found.norms)
    numbers, added = literal.topic_numbers(*given, cap)
    for topic, number in numbers.items():
        norm = max(number, 1.0)
        if measure == "nDCG@3":
            of_topic = [d for d in range(6) if taken[d] and topics[d] == topic and chances[d] < 1.0]
            variance = 0.0 if to_rank else sum((1.0 - chances[d]) * added[d] ** 2 for d in of_topic)
            norm = literal.ideal_score([1.0], [number], [variance], literal.discounts(3))
        assert found.norms[topic] == pytest.approx(norm)


@given(st.integers(0, 10_000))
def test_the_bias_of_the_cap_is_literal(seed):
    """Only AP's intervals get it; without a weight above the cap there is none, but for numbers below 0."""
    drawn, levels = drawn_at_random("AP", seed, least=0.005)
    scores = documents("AP")
    found = corrected_scores(scores, drawn, levels)
    chances, values, taken = np.ones(6), np.zeros(6), np.zeros(6, dtype=bool)
    rows, chances[rows], values[rows] = drawn.sampled
    taken[rows] = True
    given = scores.topic_of.tolist(), chances, taken, drawn.means[:, 0], values, correction.CAP
    wanted = [literal.bias_of_cap(*given, dict(enumerate(system))) for system in found.scores.T]
    assert found.bias == pytest.approx(wanted)
    assert (np.abs(found.bias) <= np.abs(found.scores).mean(axis=0) + 1e-12).all()
    assert not corrected_scores(documents("nDCG@3"), *drawn_at_random("nDCG@3", seed)).bias.any()


def test_the_variance_of_ap_contains_the_bias_of_the_cap(data):
    """Below a shallow pool documents have tiny probabilities, and without the bias intervals cover .83 to .84."""
    study = rs.study_correction(
        data / "dl19" / "runs",
        data / "dl19" / "qrels.human.txt",
        {"umbrela": data / "dl19" / "judges" / "umbrela-gpt-4o.qrels"},
        "AP",
        budgets=[0.2],
        designs=["shallow"],
        repeats=40,
    )
    (covered,) = (point.covered for point in study.points if point.way == "corrected_documents")
    assert covered is not None
    assert covered >= 0.9


def test_a_system_without_sampled_documents_is_not_known_for_certain(monkeypatch):
    """Neither a nor f is in the top two of z: what is combined takes its noise to be that of the average system."""
    noises = []

    def kept(filled, corrected, noise):
        noises.append(noise)
        return combine(filled, corrected, noise)

    monkeypatch.setattr(correction, "combine", kept)
    scores, rows = documents("DCG@2"), np.array([0, 5])
    estimate(scores, correction.features(scores, GRADES), Sampled(rows, np.array([0.5, 0.5]), GAINS[rows]))
    x, y, z = np.diag(noises[0])
    assert min(x, y) > 0.0
    assert 0.5 * (x + y) / 2.0 < z <= (x + y) / 2.0


@given(st.integers(0, 10_000), st.integers(3, 7))
def test_smoothing_is_literal(seed, systems):
    generator = np.random.default_rng(seed)
    changes, weights = generator.normal(size=(2, systems, 9))
    squares = np.square(changes)
    freedom = float(np.median(squares.sum(axis=1) ** 2 / np.square(squares).sum(axis=1)))
    wanted = literal.smoothed(changes, weights, freedom, correction._SMOOTHING)
    assert correction.smoothed_covariance(changes, weights) == pytest.approx(wanted)


def drawn_at_random(measure, seed, least=0.02):
    """Numerators of a random sample of graded documents, with random expectations, and their levels."""
    generator = np.random.default_rng(seed)
    chances = np.where(generator.random(6) < 0.3, 1.0, generator.uniform(least, 0.9, 6))
    rows = np.flatnonzero((generator.random(6) < 0.7) | (chances == 1.0))
    gains = generator.integers(0, 2 if measure == "AP" else 4, 6).astype(float)
    sampled = Sampled(rows, chances[rows], gains[rows])
    levels, values = correction._counted_values(sampled)
    means = generator.uniform(0.0, 1.0, (6, 1 + len(levels)))
    return numerators(documents(measure), means, values, sampled), levels


@given(st.integers(0, 10_000), st.sampled_from(["DCG@2", "AP", "nDCG@3"]))
def test_the_sampling_covariance_is_literal(seed, measure):
    drawn, levels = drawn_at_random(measure, seed)
    scores = documents(measure)
    found = corrected_scores(scores, drawn, levels)
    chances = drawn.means[drawn.sampled.rows[drawn.unsure], 1:]
    covariance, freedom = correction.sampling_covariance(found, chances)
    implied = literal.implied_covariance(
        [slope.tolist() for slope in found.slopes], chances.tolist(), correction._LEAST_CHANCE
    )
    wanted, degrees = literal.sampling_covariance(
        found.changes.tolist(), implied, correction._PRIOR_FREEDOM, found.bias.tolist()
    )
    assert covariance == pytest.approx(np.array(wanted), rel=1e-9, abs=1e-12)
    assert freedom == pytest.approx(degrees)
    assert np.linalg.eigvalsh(covariance).min() >= -1e-12 * max(1.0, float(np.trace(covariance)))


@given(st.integers(0, 10_000), st.sampled_from(["DCG@2", "P@3", "AP", "nDCG@3"]))
def test_slopes_are_what_a_mean_changes_with_a_gain(seed, measure):
    """The slopes of a document's levels, by their residuals, add up to its change where no weight is capped."""
    drawn, levels = drawn_at_random(measure, seed, least=1.0 / correction.CAP)
    found = corrected_scores(documents(measure), drawn, levels)
    rows, chances = drawn.sampled.rows[drawn.unsure], drawn.sampled.probabilities[drawn.unsure]
    values = drawn.values[drawn.unsure]
    residuals = values - drawn.means[rows]
    consistent = drawn.means[rows, 0] - drawn.means[rows, 1:] @ np.diff(levels, prepend=0.0)  # of gain and levels
    total = sum(slope * residuals[:, 1 + level] for level, slope in enumerate(found.slopes))
    direct = drawn.weights / found.norms[documents(measure).topic_of[rows]] * np.sqrt(1.0 - chances) / chances / 2
    if measure == "AP":
        divided = found.scores / found.norms[:, None]
        direct -= divided[documents(measure).topic_of[rows]].T * np.sqrt(1.0 - chances) / chances / 2
    assert total - direct * consistent == pytest.approx(found.changes, rel=1e-7, abs=1e-9)


@given(st.integers(0, 10_000), st.sampled_from(["DCG@2", "AP", "nDCG@3"]))
def test_what_is_combined_is_literal(seed, measure):
    """The difference of filled-in and capped corrected means, with the noise of what drawn documents stand for."""
    drawn, levels = drawn_at_random(measure, seed)
    scores = documents(measure)
    filled = drawn.means[:, 0].copy()
    filled[drawn.sampled.rows] = drawn.sampled.gains
    ranked, combined = correction.ranking(scores, drawn, levels, filled)
    norms, _ = correction.ranking_norms(scores, drawn, levels)
    assert ranked == pytest.approx(scores.scores(filled, norms))
    gains = drawn.means[:, 0].copy()
    changes, even = [], []
    for row, chance, gain in zip(*drawn.sampled, strict=True):
        gains[row] += min(1.0 / chance, correction.CAP) * (gain - drawn.means[row, 0])
    for row, chance, gain in zip(*drawn.sampled, strict=True):
        if chance < 1.0:
            more = gains.copy()
            more[row] += 1.0  # scores before they are divided are linear in each gain
            slope = ((scores.scores(more, norms) - scores.scores(gains, norms)) / 2).sum(axis=0)
            slope[np.abs(slope) < 1e-12] = 0.0  # a system without the document: what is left is rounding
            even.append(slope * (min(1.0 / chance, correction.CAP) - 1.0))
            changes.append(even[-1] * (gain - drawn.means[row, 0]))
    shape = (3, len(changes))
    noise = correction.smoothed_covariance(
        np.reshape(np.transpose(changes), shape), np.reshape(np.transpose(even), shape)
    )
    noise = literal.moderated(noise, literal.degrees(np.reshape(np.transpose(changes), shape)))
    wanted = combine(ranked.mean(axis=0), scores.scores(gains, norms).mean(axis=0), np.array(noise))
    assert combined.means == pytest.approx(wanted.means, rel=1e-7, abs=1e-9)
    assert (np.diag(combined.covariance) >= (1.0 - 1e-9) * np.diag(wanted.covariance) - 1e-12).all()


def test_tiny_probabilities_do_not_decide_the_ranking():
    """A document with a probability of 1/2000 weighs 20 in combined means, and 2000 in corrected ones."""
    scores = documents("DCG@3")
    table = correction.features(scores, GRADES)
    rows = np.arange(6)
    found = [
        estimate(scores, table, Sampled(rows, np.array([chance, 0.5, 0.5, 0.5, 0.5, 1.0]), GAINS))
        for chance in (1.0 / correction.CAP, 1.0 / 2000.0)
    ]
    assert found[0].combined.means == pytest.approx(found[1].combined.means)
    assert np.abs(found[1].corrected).max() > 20.0 * np.abs(found[0].corrected).max()


def test_human_errors_are_those_of_estimates_that_expect_nothing():
    """Over all samples, the estimated covariance of human sums is the true one."""
    scores = documents("DCG@3")
    rows = list(samples())
    means = np.array([scores.scores(_weighted(drawn), np.ones(2)).mean(axis=0) for _, drawn in rows])
    chances = np.array([chance for chance, _ in rows])
    spread = means - chances @ means
    estimated = sum(chance * corrected_documents.human_errors(scores, drawn)[0] for chance, drawn in rows)
    assert estimated == pytest.approx((spread * chances[:, None]).T @ spread, abs=1e-12)


def _weighted(drawn):
    gains = np.zeros(6)
    gains[drawn.rows] = drawn.gains / drawn.probabilities
    return gains


def test_noise_does_not_turn_the_filled_in_means_round():
    """Corrected means that are noise, and by chance in the opposite order, leave the order of the filled-in ones."""
    filled = np.linspace(0.0, 1.0, 12)
    combined = combine(filled, -filled, 10.0 * np.eye(12))
    assert np.argsort(combined.means).tolist() == np.arange(12).tolist()
    assert 0.5 < combined.slope < 1.0


def test_combined_means_follow_the_evidence():
    filled = np.linspace(0.0, 1.0, 12)
    bias = np.where(np.arange(12) % 2, 0.5, -0.5)
    small, large = 1e-6 * np.eye(12), 10.0 * np.eye(12)
    wanted = filled + bias
    assert combine(filled, wanted, small).means == pytest.approx(wanted - wanted.mean(), abs=0.01)
    assert np.argsort(combine(filled, wanted, large).means).tolist() == np.arange(12).tolist()
    assert combine(np.zeros(12), wanted, small).means == pytest.approx(wanted - wanted.mean(), abs=0.01)


def test_combined_means_are_put_on_the_scale_of_the_published_ones():
    ranked = np.array([1.0, 4.0, 2.0, 3.0, 9.0])
    combined = combine(ranked, ranked, np.eye(5))
    scaled = correction.on_scale(combined, ranked, 3.0 * ranked + 7.0)
    assert scaled.means == pytest.approx(3.0 * combined.means)
    assert scaled.covariance == pytest.approx(9.0 * combined.covariance)
    assert scaled.slope == pytest.approx(3.0 * combined.slope)
    assert correction.on_scale(combined, ranked, -ranked) is combined


def test_a_document_that_the_judge_lacks_is_taken_for_nothing():
    scores = documents("DCG@3")
    grades = GRADES.copy()
    grades[0] = np.nan
    table, _ = correction.features(scores, grades)
    assert not table[0].any()


def test_many_different_grades_are_grouped():
    grades = np.random.default_rng(0).uniform(size=200)
    counts = np.bincount(correction.judge_classes(grades))
    assert len(counts) == correction.MOST_GRADES
    assert counts.min() >= 15
    assert correction.judge_classes(np.array([2.0, 0.0, 2.0])).tolist() == [1, 0, 1]


@given(st.integers(0, 10_000), st.sampled_from(["DCG@1", "DCG@2", "nDCG@3"]))
def test_as_many_labels_alone_is_literal(seed, measure):
    generator = np.random.default_rng(seed)
    scores = documents(measure)
    chances = np.where(generator.random(6) < 0.3, 1.0, generator.uniform(0.02, 0.9, 6))
    rows = np.flatnonzero((generator.random(6) < 0.7) | (chances == 1.0))
    gains = generator.integers(0, 3, 6).astype(float)
    table, penalties = correction.features(scores, GRADES)
    expected = literal.left_out_ridge(table, penalties, rows.tolist(), gains[rows][:, None])[:, 0]
    found = correction.as_many_alone(scores, (table, penalties), Sampled(rows, chances[rows], gains[rows]))
    ranked = set(scores.row.tolist())
    assert found == pytest.approx(literal.as_many_alone(ranked, rows.tolist(), chances, gains, expected), rel=1e-6)


def test_as_many_labels_alone_are_those_that_people_alone_need(data):
    """By DCG, about as many labels as are said bring people alone to the same error; a bad judge adds none."""
    for judge, least, most in (("umbrela-gpt-4o", 0.8, 1.5), ("shuffled", 0.8, 1.5)):
        cell = corrected_documents.alone(judge, "DCG@10", "influence", 250, 20)
        assert least * cell.needed < cell.graded < most * cell.needed
        assert cell.graded > 1.3 * cell.ungraded or judge == "shuffled"
        assert cell.graded < 1.05 * cell.ungraded or judge != "shuffled"


def test_the_simulations_run(data):
    cell = corrected_documents.track("shuffled", "DCG@10", 0.1, 2)
    assert set(cell.tau) == set(corrected_documents.KINDS)
    assert all(0.0 <= share <= 1.0 for share in cell.covered.values())


@pytest.mark.slow
@pytest.mark.parametrize("measure", corrected_documents.MEASURES)
@pytest.mark.parametrize("judge", corrected_documents.JUDGES)
def test_the_combined_ranking_is_as_good_as_each_and_a_bad_judge_costs_nothing(data, judge, measure):
    for share in (0.1, 0.2):
        cell = corrected_documents.track(judge, measure, share, 60)
        assert cell.tau["combined"] >= max(cell.tau["filled"], cell.tau["corrected"]) - 0.01
        assert cell.tau["combined"] >= cell.tau["human"]
        assert cell.error["corrected"] <= 1.05 * cell.error["human"]
        assert cell.covered["corrected"] >= 0.9
