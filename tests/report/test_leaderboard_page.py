"""The page of two leaderboards on different scales: the systems that were compared, digits and axes by scale."""

import json
import re

import rankscope as rs
from rankscope.report.charts.scores import top_panel
from rankscope.report.charts.sides import sides_of
from rankscope.report.numbers import score_digits
from rankscope.report.page import page

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
