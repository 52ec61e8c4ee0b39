"""The page of two leaderboards on different scales: the systems that were compared, digits and axes by scale."""

import json
import re

import numpy as np
import pytest

import rankscope as rs
from rankscope.demo import demo_scores
from rankscope.report.charts import chart, specification
from rankscope.report.charts.scores import top_panel
from rankscope.report.charts.sides import sides_of
from rankscope.report.numbers import score_digits
from rankscope.report.page import page
from rankscope.report.page_pack import packed
from rankscope.report.page_ranks import correction_page, ranking_page
from rankscope.report.page_specs import drawing

ELO = {f"s{i}": 1034.4024 + 37.5 * i for i in range(9)}
PERCENT = {f"s{i}": 12.5 + 4.25 * ((i * 3) % 5) for i in range(5)}


def compared():
    return rs.compare(ELO, PERCENT, on_missing="intersect")


def test_the_page_counts_the_systems_that_were_compared():
    (title,) = re.findall(r"<h1[^>]*>(.*?)</h1>", page(compared()), re.DOTALL)
    assert "rank 5 systems as" in title


def test_digits_follow_the_range_of_the_scores():
    assert score_digits(ELO.values()) == 1
    assert score_digits([0.123, 0.456]) == 4
    text = str(compared())
    assert "1034.4" in text
    assert "1034.4000" not in text


def test_scales_do_not_share_an_axis():
    axes = json.dumps(top_panel(sides_of(compared())[0]).to_dict())
    assert "standard deviations" in axes


def corrected(unit=100.0):
    human = demo_scores()["human"]
    judge = demo_scores()["careful"]
    other = rs.ScoreMatrix(unit * judge.values, judge.systems, judge.topics, name="careful")
    return rs.correct(human.select(topics=human.topics[:15]), other, resamples=50)


def test_a_judge_on_another_scale_does_not_take_the_digits_of_human_scores():
    result = corrected()
    best = result.leaderboards[0].systems[0]
    assert f"{best.corrected:.4f}" in str(result)
    assert f"{best.judge:.2f}" in str(result)
    assert f"{best.judge:.4f}" not in str(result)


def test_a_judge_on_another_scale_is_drawn_on_the_scale_of_people():
    result = corrected()
    points = next(rows for rows in drawing(chart(result, "scores")).data if "kind" in rows[0])
    of_judge = [row for row in points if row["kind"] == "careful alone, on the scale of human"]
    board = result.leaderboards[0].systems
    assert [row["mean"] for row in of_judge] == [entry.judge for entry in board]
    assert np.corrcoef([row["score"] for row in of_judge], [entry.judge for entry in board])[0, 1] == pytest.approx(1)
    drawn, human = (
        [f(values) for f in (np.mean, np.std)]
        for values in ([row["score"] for row in of_judge], [entry.human for entry in board])
    )
    assert drawn == pytest.approx(human)
    assert "on the scale of" not in json.dumps(specification(corrected(1.0), "scores"))


def test_tables_of_pages_have_the_digits_of_the_scale():
    ranking = rs.rank({name: {"t1": score, "t2": score + 9.5, "t3": 1000.0} for name, score in ELO.items()})
    pages = (ranking_page(ranking), {"Score": 1}), (correction_page(corrected()), {"Corrected": 4, "Mean, careful": 2})
    for page_, digits in pages:
        (view,) = packed(page_)["views"]
        shown = {column["title"]: column["digits"] for column in view["tables"]["systems"]["columns"]}
        assert {title: shown[title] for title in digits} == digits
