"""Runs and judgments in memory against their literal twins."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from oracles_runs import literal_contributors, literal_join
from rankscope.runs import Ids, join_all
from rankscope.runs.joined import codes_of
from rankscope.runs.runset import NEVER

# Names that share their beginnings, differ in length only, or are beyond ASCII.
NAMES = st.sampled_from(["d", "d1", "d10", "d11", "d2", "D2", "é", "δ-7", "文書", "😀", "x" * 70, "x" * 71])
TOPICS = st.sampled_from(["1", "10", "301", "q-é", "all"])
RANKINGS = st.dictionaries(
    st.sampled_from(["bm25", "dense", "T5", "naïve"]),
    st.dictionaries(TOPICS, st.lists(NAMES, unique=True, max_size=8), max_size=4),
    max_size=4,
)
GRADES = st.dictionaries(
    TOPICS, st.dictionaries(NAMES, st.sampled_from([-2.0, 0.0, 0.5, 1.0, 3.0]), max_size=8), max_size=5
)


def _rankings(runs: rs.RunSet) -> dict[str, dict[str, list[str]]]:
    return {system: {topic: runs.retrieved(system, topic) for topic in runs.topics} for system in runs.systems}


@given(RANKINGS, GRADES)
def test_join_finds_what_a_search_by_name_finds(rankings, grades):
    topics = {topic for by_topic in rankings.values() for topic in by_topic}
    if topics and grades and not topics & grades.keys():
        with pytest.raises(rs.MismatchedNames, match="no topic in common"):
            rs.join(rs.RunSet.of(rankings), rs.Judgments.of(grades))
        return
    joined = rs.join(rs.RunSet.of(rankings), rs.Judgments.of(grades))
    found = {}
    for t, topic in enumerate(joined.topics):
        for s, system in enumerate(joined.systems):
            cell = t * len(joined.systems) + s
            part = slice(joined.starts[cell], joined.starts[cell + 1])
            found[topic, system] = list(
                zip(joined.ranks[part].tolist(), joined.grades[joined.rows[part]].tolist(), strict=True)
            )
            assert joined.retrieved[cell] == len(rankings[system].get(topic, ()))
    assert found == literal_join(rankings, grades)
    assert joined.ranks.dtype == joined.rows.dtype == joined.retrieved.dtype == np.int32


@given(RANKINGS, GRADES)
def test_codes_of_judged_documents(rankings, grades):
    runs, judgments = rs.RunSet.of(rankings), rs.Judgments.of(grades)
    names, codes = judgments.ids.names(), codes_of(runs, judgments).tolist()
    for t, name, code in zip(judgments.topic_of.tolist(), names, codes, strict=True):
        topic = judgments.topics[t]
        retrieved = any(name in ranking.get(topic, ()) for ranking in rankings.values())
        assert (code >= 0) == retrieved
        if retrieved:
            pool = runs.topics.index(topic)
            assert runs.ids[code] == name
            assert runs.pool_starts[pool] <= code < runs.pool_starts[pool + 1]


def test_many_names_of_one_beginning_are_told_apart():
    names = [f"clueweb12-{i:06}" for i in range(30_000)]
    runs = rs.RunSet.of({"a": {"1": names}})
    judged = {name: float(i % 3) for i, name in enumerate(names) if i % 7 == 0} | {"clueweb12-": 1.0, "": 1.0}
    joined = rs.join(runs, rs.Judgments.of({"1": judged}))
    assert joined.ranks.tolist() == [i + 1 for i in range(30_000) if i % 7 == 0]


@given(RANKINGS, st.integers(1, 9))
def test_top_pools_and_contributors(rankings, depth):
    runs = rs.RunSet.of(rankings)
    groups = {system: system[0] if system != "T5" else None for system in rankings}
    cut = runs.top(depth)
    assert _rankings(cut) == {s: {t: list(rankings[s].get(t, ()))[:depth] for t in runs.topics} for s in rankings}
    assert cut.ids is runs.ids
    everyone = literal_contributors(rankings, depth, {system: system for system in rankings})
    teams = literal_contributors(rankings, depth, groups)
    pairs = [
        (topic, runs.ids[code])
        for t, topic in enumerate(runs.topics)
        for code in range(runs.pool_starts[t], runs.pool_starts[t + 1])
    ]
    assert runs.pooled(depth).tolist() == [pair in everyone for pair in pairs]
    assert runs.contributors(depth).tolist() == [len(everyone.get(pair, ())) for pair in pairs]
    wanted = [len(teams.get(pair, set()) - {None}) for pair in pairs]
    assert runs.contributors(depth, groups).tolist() == wanted
    assert runs.contributors(depth, list(groups.values())).tolist() == wanted
    some = list(rankings)[:2]
    only = literal_contributors({system: rankings[system] for system in some}, depth, {s: s for s in some})
    assert runs.pooled(depth, some).tolist() == [pair in only for pair in pairs]


@given(RANKINGS)
def test_best_ranks(rankings):
    runs = rs.RunSet.of(rankings)
    ranks = runs.best_ranks()
    for t, topic in enumerate(runs.topics):
        for code in range(runs.pool_starts[t], runs.pool_starts[t + 1]):
            name = runs.ids[code]
            lists = [run[topic] for run in rankings.values() if name in run.get(topic, ())]
            assert ranks[code] == min(documents.index(name) + 1 for documents in lists)
    assert set(runs.best_ranks([]).tolist()) <= {NEVER}


@given(RANKINGS, st.data())
def test_select(rankings, data):
    runs = rs.RunSet.of(rankings)
    systems = data.draw(st.permutations(runs.systems).map(lambda names: names[: len(names) // 2 + 1]))
    topics = data.draw(st.permutations(runs.topics).map(lambda names: names[: len(names) // 2 + 1]))
    runs.index  # noqa: B018  tables made before must not be wrong after
    for chosen, s, t in (
        (runs.select(systems=systems), systems, runs.topics),
        (runs.select(topics=topics), runs.systems, topics),
        (runs.select(systems=systems, topics=topics), systems, topics),
    ):
        assert _rankings(chosen) == {one: {topic: list(rankings[one].get(topic, ())) for topic in t} for one in s}
        grades = {topic: dict.fromkeys(runs.ids.names(), 1.0) for topic in runs.topics}
        joined = rs.join(chosen, rs.Judgments.of(grades))
        assert len(joined.ranks) == len(chosen.documents)


def test_select_says_what_there_is():
    runs = rs.RunSet.of({"bm25": {"1": ["d"]}})
    with pytest.raises(rs.UnknownName, match="no system 'dense'; there are 'bm25'"):
        runs.select(systems=["dense"])
    with pytest.raises(rs.BadParameter, match="list of names"):
        runs.select(topics="1")
    with pytest.raises(rs.BadParameter, match="twice"):
        runs.select(topics=["1", "1"])
    with pytest.raises(rs.BadParameter, match="depth=0"):
        runs.top(0)
    with pytest.raises(rs.ShapeMismatch, match="2 groups for 1 systems"):
        runs.contributors(1, ["a", "b"])
    with pytest.raises(rs.UnknownName, match="no system 'x'"):
        runs.contributors(1, {"x": 1})


def test_a_document_twice_is_refused_in_memory():
    with pytest.raises(rs.BadParameter, match="'bm25' retrieves a document twice for topic '1'"):
        rs.RunSet.of({"bm25": {"1": ["d", "d"]}})


@given(GRADES, st.data())
def test_judgments_helpers(grades, data):
    judgments = rs.Judgments.of(grades)
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(judgments), max_size=len(judgments))), dtype=bool)
    rows = [(topic, document) for topic, judged in grades.items() for document in judged]
    kept = judgments.keep(mask)
    assert kept.topics == judgments.topics
    assert [(kept.topics[t], name) for t, name in zip(kept.topic_of, kept.ids.names(), strict=True)] == [
        row for row, keep in zip(rows, mask, strict=True) if keep
    ]
    assert judgments.binary(1).grades.tolist() == [float(grades[t][d] >= 1) for t, d in rows]
    topics = data.draw(st.permutations(judgments.topics).map(lambda names: names[: len(names) // 2]))
    part = judgments.for_topics(topics)
    assert part.same_rows(rs.Judgments.of({topic: grades[topic] for topic in topics}))
    assert part.grades.tolist() == [grade for topic in topics for grade in grades[topic].values()]
    assert judgments.to_frame().rows() == [(t, d, grades[t][d]) for t, d in rows]
    assert judgments.whole == all(float(grades[t][d]).is_integer() for t, d in rows)


def test_judgments_refuse_the_wrong_number():
    judgments = rs.Judgments.of({"1": {"d": 1}})
    with pytest.raises(rs.ShapeMismatch, match="for 1 judgments"):
        judgments.with_grades([1, 2])
    with pytest.raises(rs.ShapeMismatch, match="truth value for each"):
        judgments.keep([0])


def test_other_grades_keep_the_rows():
    judgments = rs.Judgments.of({"1": {"d": 1, "e": 0}}, name="human")
    other = judgments.with_grades([2, 3], name="judge")
    assert (other.name, other.same_rows(judgments), other.grades.tolist()) == ("judge", True, [2, 3])


def test_judges_of_the_same_documents_share_the_search():
    runs = rs.RunSet.of({"a": {"1": ["d", "e", "f"]}})
    human, judge = rs.Judgments.of({"1": {"d": 1, "f": 0}}), rs.Judgments.of({"1": {"d": 0, "f": 2}}, name="judge")
    other = rs.Judgments.of({"1": {"f": 2, "d": 0}})
    joined = join_all(runs, [human, judge, other])
    assert joined[1].ranks is joined[0].ranks
    assert joined[1].name == "judge"
    assert joined[2].rows.tolist() == [1, 0]
    for each, judgments in zip(joined, (human, judge, other), strict=True):
        assert each.grades[each.rows].tolist() == rs.join(runs, judgments).grades[each.rows].tolist()


def test_what_was_joined_cannot_be_changed():
    joined = rs.join(rs.RunSet.of({"a": {"1": ["d"]}}), rs.Judgments.of({"1": {"d": 1}}))
    with pytest.raises(ValueError, match="read-only"):
        joined.grades[0] = 2


def test_coverage_counts_what_is_on_one_side_only():
    runs = rs.RunSet.of(
        {
            "a": {"1": ["d1"], "2": ["d2"], "9": ["d1"]},
            "b": {"1": ["d7"], "2": []},
            "c": {"2": ["d2"]},
        }
    )
    found = rs.coverage(runs, rs.Judgments.of({"1": {"d1": 1}, "2": {"d2": 1}, "3": {"d1": 1}}))
    assert found.judged_topics == 3
    assert found.judged_only == ("3",)
    assert found.run_only == ("9",)
    assert found.without_judged == ("b",)
    assert found.missing_topics == {"b": ("2",), "c": ("1",)}
    assert not found.complete
    assert found.table().rows[1] == ("judged topics no run has", 1)
    assert '"judged_only"' in found.to_json()


def test_coverage_of_runs_that_lack_nothing():
    runs = rs.RunSet.of({"a": {"1": ["d1"]}})
    assert rs.coverage(runs, rs.Judgments.of({"1": {"d1": 0}})).complete


def test_frames():
    runs = rs.RunSet.of({"a": {"1": ["d2", "d1"]}, "b": {"2": ["é"]}})
    assert runs.to_frame().rows() == [("a", "1", 1, "d2"), ("a", "1", 2, "d1"), ("b", "2", 1, "é")]
    assert rs.RunSet.of({}).to_frame().rows() == []
    assert rs.Judgments.of({}).to_frame().rows() == []


@given(st.lists(st.text(max_size=5)), st.data())
def test_ids(names, data):
    ids = Ids.of(names)
    assert ids.names() == names == [ids[i] for i in range(len(ids))]
    rows = data.draw(st.lists(st.integers(0, len(names) - 1))) if names else []
    assert ids.take(np.array(rows, dtype=np.int64)).names() == [names[row] for row in rows]


def _runs():
    return rs.RunSet.of({"a": {"1": ["d1", "d2"], "2": ["d3"]}, "b": {"1": ["d2"], "2": ["d4", "d3"]}})


HUGE = 2**40


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("documents", [0, 1, 1, 2, 3, HUGE // 2**12]),
        ("documents", [0, 1, 1, 2, 3, -1]),
        ("documents", [0, 1, 3, 2, 3, 2]),  # a document of another topic
        ("documents", [[0, 1, 1], [2, 3, 2]]),
        ("starts", [0, 2, 3, 4, HUGE]),
        ("starts", [0, HUGE, 3, 4, 6]),
        ("starts", [0, 2, 1, 4, 6]),
        ("starts", [-HUGE, 2, 3, 4, 6]),
        ("starts", [0, 2, 3, 6]),
        ("pool_starts", [0, HUGE, 4]),
        ("pool_starts", [0, 2, HUGE]),
        ("pool_starts", [0, 4]),
    ],
)
def test_runs_with_codes_or_offsets_out_of_bounds_are_refused(field, value):
    with pytest.raises((rs.BadParameter, rs.ShapeMismatch), match=field):
        replace(_runs(), **{field: np.array(value)})


def test_names_with_offsets_out_of_bounds_are_refused():
    for starts in ([0, HUGE], [0, 5], [1, 4], [0, 3, 2, 4], [-1, 4], []):
        with pytest.raises((rs.BadParameter, rs.ShapeMismatch), match="starts"):
            Ids(np.zeros(4, np.uint8), np.array(starts))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("starts", [0, HUGE, 3]),
        ("starts", [0, 2]),
        ("starts", [0, 2, HUGE]),
        ("grades", [1.0, 0.0]),
    ],
)
def test_judgments_with_offsets_out_of_bounds_are_refused(field, value):
    judgments = rs.Judgments.of({"1": {"d1": 1, "d2": 0}, "2": {"d3": 2}})
    wrong: dict[str, Any] = {field: np.array(value)}
    with pytest.raises((rs.BadParameter, rs.ShapeMismatch), match=field):
        replace(judgments, **wrong)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("rows", [0, HUGE // 2**12, 1, 2, 2]),
        ("rows", [0, 1, 1, -1, 2]),
        ("ranks", [1, 2, 1, 1, HUGE // 2**12]),
        ("ranks", [0, 2, 1, 1, 2]),
        ("starts", [0, 2, HUGE, 4, 5]),
        ("judgment_starts", [0, HUGE, 3]),
        ("retrieved", [2, 1, 1]),
        ("grades", [1.0, 0.0]),
    ],
)
def test_judged_runs_with_places_out_of_bounds_are_refused(field, value):
    joined = rs.join(_runs(), rs.Judgments.of({"1": {"d1": 1, "d2": 0}, "2": {"d3": 2}}))
    wrong: dict[str, Any] = {field: np.array(value)}
    with pytest.raises((rs.BadParameter, rs.ShapeMismatch)):
        replace(joined, **wrong)
