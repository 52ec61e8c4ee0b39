"""`plan`: what to label is what was asked for, larger plans keep smaller ones, and expectations follow the labels."""

import functools

import numpy as np
import pytest

import rankscope as rs
from rankscope.demo import demo_scores
from rankscope.inference.planning import TopicOutlook
from rankscope.studies.plan_result import TARGETS, parse_target


@functools.cache
def tables():
    return demo_scores(systems_per_family=3, topics=24)


def people(count):
    human = tables()["human"]
    first = rs.plan_topics(tables()["careful"], budget=count)
    return human.select(topics=[row.topic for row in first.topics])


def test_a_larger_plan_keeps_the_topics_of_the_smaller_one():
    small = rs.plan_topics(tables()["careful"], budget=6)
    large = rs.plan_topics(tables()["careful"], people(6), budget="50%")
    assert [row.topic for row in large.topics][:6] == [row.topic for row in small.topics]
    assert [row.labelled for row in large.topics] == [True] * 6 + [False] * 6
    assert [row.place for row in large.topics] == list(range(1, 13))
    again = rs.plan_topics(tables()["careful"], people(6), budget=12)
    assert again.expected == large.expected
    other = rs.plan_topics(tables()["careful"], budget=6, rng=1)
    assert {row.topic for row in other.topics} != {row.topic for row in small.topics}


def test_topics_labelled_otherwise_stay_and_the_next_are_added():
    human = tables()["human"].select(topics=tables()["human"].topics[:5])
    made = rs.plan_topics(tables()["careful"], human, budget=8)
    assert {row.topic for row in made.topics if row.labelled} == set(human.topics)
    assert sum(not row.labelled for row in made.topics) == 3


def test_expectations_improve_with_the_budget():
    made = rs.plan_topics(tables()["careful"], people(8), budget=12)
    width = [row.width for row in made.expected]
    assert width == sorted(width, reverse=True)
    assert made.expected[0].budget == made.labelled == 8
    assert made.expected[-1].budget == 24
    assert made.planned.budget == 12
    for row in made.expected:
        assert row.width_range.low <= row.width <= row.width_range.high
        assert 1.0 <= row.width <= row.widest <= 12.0
        assert 0.0 <= row.separated_range.low <= row.separated <= row.separated_range.high <= 1.0


@functools.cache
def sixteen():
    return rs.plan_topics(tables()["careful"], people(8), budget=16)


@pytest.mark.parametrize("name", ["width", "widest", "separated"])
def test_a_target_gives_the_smallest_budget_that_reaches_it(name):
    value = getattr(sixteen().planned, name)
    made = rs.plan_topics(tables()["careful"], people(8), target=f"{name}={value!r}")
    target = parse_target(f"{name}={value!r}")[0]
    assert target.reached(made.planned, value)
    assert made.budget <= 16
    assert all(row.budget >= made.budget or not target.reached(row, value) for row in made.expected)


def test_the_top_is_separated_where_the_scores_allow():
    skill = np.repeat([0.0, 3.0], [9, 3])
    truth = skill + np.random.default_rng(0).normal(0.0, 1.0, (20, 12))
    names, topics = [f"s{i}" for i in range(12)], [f"t{i}" for i in range(20)]
    judge, human = rs.ScoreMatrix(truth, names, topics), rs.ScoreMatrix(truth[:6], names, topics[:6])
    made = rs.plan_topics(judge, human, target="top=3")
    assert (made.top, made.planned.candidates) == (3, 3.0)
    worth = rs.plan_topics(judge, human, target="worth=0.01").planned.worth
    assert worth is not None
    assert worth.low >= 0.01


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({}, "give either a budget"),
        ({"budget": 5, "target": "width=3"}, "give either a budget"),
        ({"budget": 2}, "a correction needs at least 3 topics with human labels; give a number from 3 to 24"),
        ({"budget": 25}, "the judge labelled 24 topics; give a number from 3 to 24"),
        ({"human": 8, "budget": 5}, "people labelled 8 of the topics already, .* give a number from 8 to 24"),
        ({"human": 24, "budget": 5}, "people labelled 24 of the topics already, .* nothing left to plan"),
        ({"budget": "x"}, "a whole number, 1 or more, or a share"),
        ({"budget": "2.5"}, "a whole number, 1 or more, or a share"),
        ({"budget": "0%"}, "a share of all"),
        ({"budget": "inf%"}, "a share of all"),
        ({"target": "width"}, "width=NUMBER, 1 or more"),
        ({"target": "width=nan"}, "width=NUMBER, 1 or more"),
        ({"target": "separated=1.5"}, "0 to 1"),
        ({"target": "top=2.5"}, "top=NUMBER"),
        ({"target": "top=12"}, "there are 12 systems"),
        (
            {"target": "width=1"},
            "not expected to be reached with all 24 topics: then rank sets have .* allow more ranks",
        ),
        ({"target": "top=2"}, "systems may be among the top 2; take another top, or give a budget"),
        (
            {"human": 8, "target": "worth=1"},
            r"interval of the worth is 0\.\d\d to \d+\.\d\d; take a margin outside of it",
        ),
        ({"budget": 5, "level": 2.0}, "level=2.0"),
        ({"budget": 5, "rng": -1}, "rng=-1"),
    ],
)
def test_bad_requests_say_the_way_out(options, problem):
    so_far = people(options["human"]) if "human" in options else None
    with pytest.raises(rs.BadParameter, match=problem):
        rs.plan_topics(tables()["careful"], **{**options, "human": so_far})


def test_unknown_targets_are_named():
    with pytest.raises(rs.UnknownName, match="did you mean width"):
        rs.plan_topics(tables()["careful"], target="widht=3")
    assert [target.name for target in TARGETS] == ["top", "width", "widest", "separated", "worth"]


def test_worth_needs_human_labels():
    with pytest.raises(rs.MissingScores, match="label some first"):
        rs.plan_topics(tables()["careful"], target="worth=0.8")
    with pytest.raises(rs.MissingScores, match="at least 3 of them, or no human scores at all"):
        rs.plan_topics(tables()["careful"], people(4).select(topics=people(4).topics[:2]), budget=5)


def test_odd_judges_are_refused_or_planned_for():
    human = tables()["human"]
    constant = rs.ScoreMatrix(np.ones((24, 12)), human.systems, human.topics)
    with pytest.raises(rs.ConstantMeasure, match="scores all systems alike"):
        rs.plan_topics(constant, budget=5)
    few = human.select(systems=human.systems[:3])
    with pytest.raises(rs.TooFewSystems, match="at least 4 systems"):
        rs.plan_topics(few, budget=5)
    with pytest.raises(rs.MissingScores, match="needs at least 5"):
        rs.plan_topics(human.select(topics=human.topics[:4]), budget=3)
    identical = rs.plan_topics(human, people(6), budget=24)
    assert identical.planned.separated > 0.3
    flat = rs.ScoreMatrix(np.full((6, 12), 0.5), human.systems, people(6).topics)
    assert rs.plan_topics(tables()["careful"], flat, budget=9).planned.worth is None


def test_topics_of_people_alone_are_left_out_and_said():
    human = tables()["human"].select(topics=tables()["human"].topics[:6])
    judge = tables()["careful"].select(topics=tables()["careful"].topics[2:])
    made = rs.plan_topics(judge, human, budget=6)
    assert made.labelled == 4
    assert [(remark.kind, remark.count) for remark in made.remarks] == [("topics left out", 2)]
    assert "2 of 6 topics" in str(made)


def test_systems_of_one_side_are_an_error_or_left_out_and_said():
    human = people(6).select(systems=people(6).systems[1:])
    with pytest.raises(rs.MismatchedNames, match=r"1 of 12 systems only in the estimate \(careful\)"):
        rs.plan_topics(tables()["careful"], human, budget=8)
    made = rs.plan_topics(tables()["careful"], human, budget=8, on_missing="intersect")
    assert made.systems == 11
    assert [(remark.kind, remark.count) for remark in made.remarks] == [("systems left out", 1)]


@pytest.mark.parametrize("count", [22, 23, 24])
def test_all_topics_but_a_few_may_be_labelled(count):
    made = rs.plan_topics(tables()["careful"], people(count), budget=24)
    assert made.labelled == count
    assert all(1.0 <= row.width <= 12.0 for row in made.expected)


def test_a_useless_judge_is_not_expected_to_help():
    random = np.random.default_rng(0)
    truth = random.normal(0.0, 0.5, 30) + random.normal(0.0, 1.0, (200, 30))
    noise = random.normal(0.0, 1.0, (200, 30))
    useless, perfect = (
        TopicOutlook(truth[:20], judge[:20], judge[20:], level=0.95, top=5).at(30).width for judge in (noise, truth)
    )
    assert np.median(perfect) < 0.9 * np.median(useless)


@functools.cache
def track():
    return rs.simulate_track(8, 12, depth=20, rng=1)


def test_runs_give_the_documents_of_the_topics():
    judge = track().judges["careful"]
    first = rs.plan(track().runs, judge, budget=4, measure="AP")
    labelled = track().truth.for_topics([row.topic for row in first.topics])
    made = rs.plan(track().runs, judge, labelled, budget=6, measure="AP")
    fresh = {row.topic for row in made.topics if not row.labelled}
    assert len(fresh) == 2
    given = judge.for_topics([row.topic for row in made.topics])
    assert made.to_label().same_rows(given)
    assert {row.topic for row in made.documents if row.grade is None} == fresh
    assert all(row.documents for row in made.topics)
    assert rs.correct(  # what was labelled is what a correction takes
        rs.evaluate(track().runs, labelled, "AP").scores["AP"], rs.evaluate(track().runs, judge, "AP").scores["AP"]
    ).leaderboards[0].human_topics == len(first.topics)


def test_a_topic_that_is_labelled_in_part_is_not_counted_and_keeps_its_labels(tmp_path):
    judge = track().judges["careful"]
    rs.plan(track().runs, judge, budget=5).save(tmp_path / "to-label.qrels")
    lines = (tmp_path / "to-label.qrels").read_text().replace("?", "1").splitlines()
    begun = lines[0].split()[0]
    lines[0] = lines[0][:-1] + "?"
    (tmp_path / "to-label.qrels").write_text("\n".join(lines) + "\n")
    made = rs.plan(track().runs, judge, tmp_path / "to-label.qrels", budget=6)
    assert made.labelled == 4
    assert [(remark.kind, remark.names) for remark in made.remarks] == [("topics labelled in part", (begun,))]
    assert f"1 topic is labelled in part, and not counted as labelled: '{begun}'" in str(made)
    grades = [row.grade for row in made.documents if row.topic == begun]
    assert (grades[0], set(grades[1:])) == (None, {1.0})


def test_scores_have_no_file_to_label(tmp_path):
    made = rs.plan_topics(tables()["careful"], budget=5)
    with pytest.raises(rs.BadParameter, match="no file to label"):
        made.save(tmp_path / "to-label.qrels")


# ---- by document -----------------------------------------------------------------------------------------------------


def documents_of(truth=None, **options):
    judge = track().judges["careful"]
    return rs.plan(track().runs, judge, truth, **{"by": "document", "measure": "nDCG@10", **options})


def labelled_by_people(made):
    grades = {(t, d): g for t, d, g in track().truth.to_frame().iter_rows()}
    sample = made.sample()
    rows = sample.judgments.to_frame().iter_rows()
    return sample.with_labels(sample.judgments.with_grades([grades.get((t, d), 0.0) for t, d, _ in rows]))


@pytest.mark.parametrize("design", ["influence", "close", "stratified", "shallow", "random"])
def test_documents_are_drawn_extended_and_kept(design, tmp_path):
    first = documents_of(budget="10%", design=design)
    assert first.assumed
    assert first.budget == np.ceil(0.1 * first.total)
    labels = labelled_by_people(first)
    rs.write_sample(labels, tmp_path / "labels.qrels")
    more = documents_of(tmp_path / "labels.qrels", budget="25%", design=design)
    assert not more.assumed
    assert more.labelled == len(first.documents) == sum(row.grade is not None for row in more.documents)
    assert {(row.topic, row.document) for row in first.documents} < {
        (row.topic, row.document) for row in more.documents
    }
    assert more.documents == documents_of(labels, budget="25%", design=design).documents
    more.save(tmp_path / "more.qrels")
    assert rs.read_sample(tmp_path / "more.qrels").probabilities.tolist() == [row.probability for row in more.documents]
    assert sum(row.documents for row in more.topics) == len(more.documents)
    separated = [row.separated for row in more.expected]
    assert np.diff(separated).min() > -0.02


def test_labels_of_another_seed_are_certain_and_that_is_said():
    labels = labelled_by_people(documents_of(budget="10%"))
    same, other = (documents_of(labels, budget="25%", rng=seed) for seed in (0, 1))
    assert same.remarks == ()
    assert [(remark.kind, remark.count) for remark in other.remarks] == [("labels drawn otherwise", len(labels))]
    assert "count as certain" in str(other)
    assert {row.probability for row in other.documents if row.grade is not None} == {1.0}


def test_whole_topics_labelled_before_are_certain():
    topics = track().truth.topics[:2]
    labels = track().judges["careful"].for_topics(topics)
    made = documents_of(labels, budget="40%")
    known = [row for row in made.documents if row.topic in topics]
    assert len(known) == len(labels) == made.labelled
    assert {row.probability for row in known} == {1.0}
    assert {row.labelled for row in made.topics if row.topic in topics} == {True}


def test_targets_find_the_smallest_number_of_documents():
    value = documents_of(budget=200).planned.width
    made = documents_of(target=f"width={value!r}")
    assert made.planned.width <= value
    assert made.budget <= 200
    assert "the fewest expected to reach width=" in str(made)


def test_no_plan_has_fewer_documents_than_a_correction_needs():
    made = documents_of(target="separated=0.01")
    assert made.budget == 10
    assert made.expected[0].budget >= 10


def test_labels_that_the_judge_lacks_are_left_out_and_said():
    labels = {"a topic": {"nowhere": 1}, track().truth.topics[0]: {"elsewhere": 2}}
    made = documents_of(labels, budget=50)
    assert made.labelled == 0
    assert [(remark.kind, remark.count) for remark in made.remarks] == [("items of one side", 2)]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"budget": 5, "design": "deep"}, "design='deep': one of influence, close"),
        ({"budget": 5, "by": "topic", "design": "close"}, "topics are always random"),
        ({"budget": 10**6}, "the judge labelled 1,030 documents; give a number from 10 to 1030"),
        ({"budget": 9}, "a correction needs at least 10 documents with human labels; give a number from 10 to 1030"),
        ({"target": "worth=0.8"}, "plan by topic for it"),
        ({"budget": 50, "measure": "RR"}, "not made of the gains of single documents"),
        ({"budget": 50, "by": "system"}, "one of topic, document"),
        ({"budget": 50, "by": "topic", "truth": rs.JudgmentSample.of({"101": {"a": (1, 0.5)}})}, "plan by document"),
    ],
)
def test_bad_requests_for_documents_say_the_way_out(options, problem):
    with pytest.raises(rs.BadParameter, match=problem):
        documents_of(**options)


@pytest.mark.parametrize("target", ["top", "top=", "top=x", "top=nan", "top=inf", "top=2.5", "top=0", "separated=2"])
def test_a_target_that_is_none_is_refused(target):
    with pytest.raises(rs.BadParameter, match="=NUMBER, "):
        parse_target(target)
