"""Labels in tables: which columns are taken for what, whose labels count, and what is refused."""

import json
from typing import Any

import polars as pl
import pytest

import rankscope as rs
from rankscope.files.judgments import read_each
from rankscope.inputs import to_judgments

SAME = {("301", "d1"): 2.0, ("301", "d2"): 0.0, ("302", "d1"): 1.0}


def rows(judgments: rs.Judgments) -> dict[tuple[str, str], float]:
    topics = (judgments.topics[t] for t in judgments.topic_of)
    return dict(zip(zip(topics, judgments.ids.names(), strict=True), judgments.grades.tolist(), strict=True))


@pytest.mark.parametrize(
    "text",
    [
        "301 0 d1 2\n301 0 d2 0\n302 0 d1 1\n",
        "301 d1 2\n301 d2 0\n302 d1 1\n",
        "301\td1\t2\n301\td2\t0\n302\td1\t1\n",
        "301,0,d1,2\n301,0,d2,0\n302,0,d1,1\n",
        "topic iter document grade\n301 0 d1 2\n301 0 d2 0\n302 0 d1 1\n",
        "query_id,doc_id,label\n301,d1,2\n301,d2,0\n302,d1,1\n",
        "relevance;docno;qid\n2;d1;301\n0;d2;301\n1;d1;302\n",
        ",qid,docno,gpt-4\n0,301,d1,2\n1,301,d2,0\n2,302,d1,1\n",
        "﻿item,system,rating\n301,d1,2\n301,d2,0\n302,d1,1\n",
        '{"qid": 301, "docid": "d1", "score": 2}\n{"qid": 301, "docid": "d2", "score": 0.0}\n'
        '{"qid": 302, "docid": "d1", "score": "1"}\n',
        '[{"qid": 301, "docid": "d1", "label": 2},\n {"qid": 301, "docid": "d2", "label": 0},\n'
        ' {"qid": 302, "docid": "d1", "label": 1}]',
        '{"301": {"d1": 2, "d2": 0}, "302": {"d1": 1}}',
    ],
)
def test_topics_items_and_labels_are_found(file, text):
    assert rows(rs.read_judgments(file(text, "labels.txt"))) == SAME


def test_items_without_topics_are_topics_of_their_own_and_only_for_labels(file):
    path = file("item,label\na,2\nb,0\n", "labels.csv")
    bare = rs.read_judgments(path, bare=True)
    assert bare.without_topics
    assert bare.topics == ("a", "b")
    with pytest.raises(rs.UnrecognisedFormat, match="no column of topics, which measures need"):
        rs.read_judgments(path)
    assert rows(to_judgments({"a": 2, "b": 0}, bare=True)) == rows(bare)
    assert rows(to_judgments(pl.DataFrame({"item": ["a", "b"], "label": [2, 0]}), bare=True)) == rows(bare)


def test_words_are_for_labels_and_a_map_makes_them_grades(file):
    path = file("t,x,yes\nt,y,no\n", "labels.csv")
    assert rs.read_judgments(path, bare=True).words == ("no", "yes")
    with pytest.raises(rs.NotANumber, match=r":1: the label 'yes' is not a number; map labels to grades"):
        rs.read_judgments(path)
    assert rs.read_judgments(path, grades={"yes": 1, "no": 0}).grades.tolist() == [1.0, 0.0]
    with pytest.raises(rs.BadParameter, match="the labels are words"):
        rs.evaluate({"s": {"t": ["x"]}}, rs.read_judgments(path, bare=True), "AP")


def test_a_map_changes_grades_of_qrels_however_they_are_written(file):
    path = file("1 0 a 1\n1 0 b 0\n", "q.qrels")
    assert rs.read_judgments(path, grades={"1.0": 2}).grades.tolist() == [2.0, 0.0]
    with pytest.raises(rs.UnrecognisedFormat, match="the map names none of the labels"):
        rs.read_judgments(path, grades={"yes": 2})


RATED = "item,rater,label\na,ann,1\na,bob,2\na,cyd,2\nb,ann,0\n"


@pytest.mark.parametrize(
    ("choice", "label"), [("first", 1.0), ("last", 2.0), ("max", 2.0), ("mean", 5 / 3), ("majority", 2.0)]
)
def test_raters_of_one_item_are_merged(file, choice, label):
    found = rs.read_judgments(file(RATED, "rated.csv"), on_conflict=choice, bare=True)
    assert found.grades.tolist() == [label, 0.0]


def test_raters_are_chosen_by_patterns(file):
    path = file(RATED, "rated.csv")
    assert rs.read_judgments(path, where={"rater": "b*|cyd"}, bare=True).grades.tolist() == [2.0]
    assert {j.name: j.grades.tolist() for j in read_each(path, "rater", where=None, bare=True)} == {
        "ann": [1.0, 0.0],
        "bob": [2.0],
        "cyd": [2.0],
    }
    with pytest.raises(rs.ConflictingJudgments, match=r":3: .*there are several raters, 'ann', 'bob', 'cyd': choose"):
        rs.read_judgments(path, bare=True)
    with pytest.raises(rs.UnrecognisedFormat, match="no row has 'x' in column 'rater', which holds 'ann'"):
        rs.read_judgments(path, where={"rater": "x"}, bare=True)
    with pytest.raises(
        rs.UnrecognisedFormat, match="no column 'who' to choose rows by; the columns are 'item', 'rater'"
    ):
        rs.read_judgments(path, where={"who": "x"}, bare=True)


def test_columns_are_named_by_the_user(file):
    path = file("key,human,machine\na,1,0\nb,0,0\n", "two.csv")
    with pytest.raises(rs.UnrecognisedFormat, match="no column is known to hold the items; the columns are 'key'"):
        rs.read_judgments(path, bare=True)
    named = rs.read_judgments(path, columns={"item": "key", "label": "human"}, bare=True)
    assert rows(named) == {("a", "a"): 1.0, ("b", "b"): 0.0}
    wrong: Any = {"x": "key"}
    with pytest.raises(rs.BadParameter, match="no role 'x'"):
        rs.read_judgments(path, columns=wrong)


def test_missing_labels_are_none(file):
    found = rs.read_judgments(file("item,label\na,\nb,1\n", "labels.csv"), bare=True)
    assert [str(grade) for grade in found.grades] == ["nan", "1.0"]
    with pytest.raises(rs.MissingName, match=":2: a topic, document or grade is missing"):
        rs.read_judgments(file("qid,item,label\n1,a,\n", "labels.csv"))


def test_words_have_no_mean(file):
    path = file("item,rater,label\na,u,yes\na,v,no\n", "labels.csv")
    with pytest.raises(rs.BadParameter, match="words have no mean; choose the first, last or majority"):
        rs.read_judgments(path, on_conflict="mean", bare=True)
    assert rs.read_judgments(path, on_conflict="majority", bare=True).grades.tolist() == [1.0]


def test_summeval_raters(data):
    """100 documents × 12 systems per rater and dimension (README there: one reply of llama-2-70b cannot be read)."""
    path = data / "summeval" / "scores.csv.gz"
    experts = rs.read_judgments(
        path, where={"rater": "expert*", "dimension": "coherence"}, on_conflict="mean", bare=True
    )
    assert (len(experts.topics), len(experts)) == (100, 1200)
    llama = rs.read_judgments(path, where={"rater": "llama-2-70b*", "dimension": "coherence"}, bare=True)
    assert len(llama) == 1199


def test_json_that_holds_no_labels_is_refused(file):
    for content in ([1, 2], []):
        with pytest.raises(rs.UnrecognisedFormat, match="a JSON array holds one object per label"):
            rs.read_judgments(file(json.dumps(content), "labels.json"), bare=True)
