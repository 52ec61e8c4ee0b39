"""The gallery has a picture of every chart, and what makes it."""

import importlib.util
from pathlib import Path

import pytest

from narrowing import known
from rankscope.report.kinds import KINDS

DOCS = Path(__file__).parents[1] / "docs"
_spec = known(importlib.util.spec_from_file_location("gallery", DOCS / "gallery.py"))
gallery = importlib.util.module_from_spec(_spec)
known(_spec.loader).exec_module(gallery)


@pytest.mark.parametrize(("result", "chart"), [(kind.result, chart.name) for kind in KINDS for chart in kind.charts])
def test_every_chart_has_its_picture_and_command(result, chart):
    assert result in gallery.EXAMPLES, "add what makes it to docs/gallery.py"
    picture = gallery.IMAGES / f"{result}-{chart}.webp"
    assert picture.exists(), f"run `docs/gallery.py {result}`"
    assert picture.read_bytes()[8:12] == b"WEBP"


def test_the_gallery_is_current():
    assert (DOCS / "gallery.md").read_text(encoding="utf-8") == gallery.page(), "run docs/gallery.py"


def test_there_is_no_picture_of_a_chart_that_is_gone():
    drawn = {f"{kind.result}-{chart.name}.webp" for kind in KINDS for chart in kind.charts}
    assert {path.name for path in gallery.IMAGES.iterdir()} == drawn
