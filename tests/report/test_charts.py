"""Charts and pages as data, without drawing, and that files are written or refused."""

import html

import pytest

import rankscope as rs
from rankscope.report import chart, save
from rankscope.report.page import page
from rankscope.report.terminal import plain_text
from rankscope.results import Interval

RESULT = rs.compare({"a": 3.0, "b": 2.0, "c": 1.0}, {"a": 3.0, "b": 1.0, "c": 2.0}, {"a": 1.0, "b": 2.0, "c": 3.0})


def test_a_panel_per_estimate_and_a_point_per_system():
    specification = RESULT.chart().to_dict()
    assert len(specification["concat"]) == 2
    for panel in specification["concat"]:
        points = panel["layer"][-1]
        assert len(specification["datasets"][points["data"]["name"]]) == 3
        assert "higher is better" in points["encoding"]["x"]["title"]


def test_saving_refuses_an_unknown_extension(tmp_path):
    with pytest.raises(rs.UnwritableOutput, match=r"\.json.*\.html"):
        save(RESULT, tmp_path / "x.doc")
    assert list(tmp_path.iterdir()) == []


def test_the_page_needs_nothing_from_outside():
    text = page(RESULT)
    assert "default-src 'none'" in html.unescape(text)
    assert "http-equiv" in text


def test_text_says_when_a_value_is_undefined():
    text = plain_text(rs.compare({"a": 1, "b": 2}, {"a": 1, "b": 1}))
    assert "–" in text
    assert "scores all systems alike" in text


@pytest.mark.parametrize("draw", [chart, page, plain_text])
def test_what_has_no_picture_says_so(draw):
    with pytest.raises(rs.BadParameter, match="Interval"):
        draw(Interval(low=0.0, high=1.0, level=0.95, method="none"))
