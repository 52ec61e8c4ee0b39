"""Every coefficient has a picture of what it sees; the library's numbers bear out what the picture claims."""

import doctest
import itertools
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import rankscope as rs
from narrowing import known

DOCS = Path(__file__).parents[1] / "docs"
sys.path.insert(0, str(DOCS))
try:
    import coefficient_examples as examples
    import coefficient_pictures as drawn
    import slope_charts
    import topics_picture as topics
finally:
    sys.path.remove(str(DOCS))

NAMES = [record.name for record in rs.all_coefficients()] + ["d_rank"]
PAGES = {name: (DOCS / name).read_text(encoding="utf-8") for name in drawn.PAGES}
GUIDE = PAGES["which-coefficient.md"]
SVGS = drawn.pictures()
SVG = "{http://www.w3.org/2000/svg}"
# Generous for the sans serif fonts named, of which a digit has 0.56 of its size.
_CHARACTER = 0.6


@pytest.fixture(params=examples.PICTURES, ids=lambda picture: picture.name)
def picture(request):
    return request.param


@pytest.mark.parametrize("name", NAMES)
def test_every_coefficient_has_a_picture(name):
    assert [p.coefficient for p in examples.PICTURES if p.name == name] == [name]


@pytest.mark.parametrize("name", NAMES)
def test_every_coefficient_has_a_section_with_its_picture(name):
    found = re.search(rf"^## {name}\n(.*?)(?=^## |\Z)", GUIDE, re.MULTILINE | re.DOTALL)
    assert found, f"docs/which-coefficient.md has no section {name}"
    section = found[1]
    record = next((record for record in rs.all_coefficients() if record.name == name), None)
    called = section.split(": [")[0]
    assert (record.label if record else "Rank distance") in called
    assert (record.symbol if record else "d_rank") in called
    assert f"({drawn.FOLDER}/{name}.svg)" in section
    for words in ("\n- **Sees** ", "\n- **Blind to** ", "\n- **Use it**", "\n- **Not** "):
        assert section.count(words) == 1
    captions = re.findall(r"!\[[^\]]+\]\([^)]+\)\n\n\*[^*]", section)
    assert len(captions) == section.count("![")
    assert f"(#{name})" in GUIDE, "the table does not lead to it"


def test_no_section_or_picture_is_of_something_else():
    assert re.findall(r"^## (\w+)$", GUIDE, re.MULTILINE) == NAMES
    assert {p.coefficient for p in examples.PICTURES} == set(NAMES)


def test_the_coefficient_tells_the_panels_apart(picture):
    left, right = (examples.value(picture.coefficient, panel) for panel in picture.panels)
    assert picture.margin >= 0.05
    assert abs(left - right) >= picture.margin


def test_its_relatives_do_not(picture):
    assert picture.relatives
    assert picture.slack <= min(0.05, picture.margin / 2)
    for name in picture.relatives:
        left, right = (examples.value(name, panel) for panel in picture.panels)
        assert abs(left - right) <= picture.slack + 1e-12, name


def test_relatives_are_other_coefficients(picture):
    same = {record.name: record.same_as or record.name for record in rs.all_coefficients()}
    own = same.get(picture.coefficient, picture.coefficient)
    assert own not in [same.get(name, name) for name in picture.relatives]


def test_panels_are_small_and_complete(picture):
    systems = {tuple(sorted(side)) for panel in picture.panels for side in (panel.truth, panel.estimate)}
    assert len(systems) == 1
    assert 5 <= len(systems.pop()) <= 8


def test_topics_are_those_of_the_truth(picture):
    for panel in picture.panels:
        if panel.topics is not None:
            scores = dict(zip(sorted(panel.truth), zip(*panel.topics, strict=True), strict=True))
            assert {s: sum(c) / len(c) for s, c in scores.items()} == pytest.approx(panel.truth)
    columns = [sorted(map(sorted, zip(*p.topics, strict=True))) for p in picture.panels if p.topics is not None]
    assert not columns or columns[0] == columns[1], "each system has the same scores, on other topics"


def test_values_are_in_the_picture_and_not_on_the_edge_of_rounding(picture):
    words = _words(SVGS[f"{drawn.FOLDER}/{picture.name}.svg"])
    for name in (picture.coefficient, *picture.relatives):
        for panel in picture.panels:
            value = examples.value(name, panel)
            shown = f"{examples.symbol(name).replace('_', '', 1)} {slope_charts.number(value)}"
            assert any(shown in line for line in words), shown
            # So that the last bit of a floating-point number, which differs between machines, is never seen.
            assert abs(abs(value) * 100 % 1 - 0.5) > 1e-4


def _words(svg):
    texts = ET.fromstring(svg).iter(f"{SVG}text")
    return ["".join(t.itertext()).replace("\u200b", "") for t in texts]


@pytest.mark.parametrize("path", SVGS)
def test_committed_pictures_are_current(path):
    assert (DOCS / path).read_text(encoding="utf-8") == SVGS[path], "run `make docs`"


def test_no_picture_is_left_over():
    assert {f"{drawn.FOLDER}/{p.name}" for p in (DOCS / drawn.FOLDER).iterdir()} == set(SVGS)


@pytest.mark.parametrize("path", SVGS)
def test_pictures_are_legible(path):
    root = ET.fromstring(SVGS[path])
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    paper = root.find(f"{SVG}rect")
    assert width == slope_charts.WIDTH <= 688, "the site would shrink it"
    assert known(paper).get("fill") == "#ffffff", "dark pages need a paper"
    for element in root.iter(f"{SVG}text"):
        words = "".join(element.itertext())
        size, x, y = (float(element.attrib[key]) for key in ("font-size", "x", "y"))
        assert min([size, *(float(t.get("font-size", size)) for t in element.iter(f"{SVG}tspan"))]) >= 11
        length = _CHARACTER * size * len(words)
        left = x - {"start": 0.0, "middle": length / 2, "end": length}[element.attrib["text-anchor"]]
        assert left > 0, words
        assert left + length < width, words
        assert size < y < height - 4, words


@pytest.mark.parametrize("path", SVGS)
def test_labels_of_a_column_do_not_touch(path):
    columns: dict[tuple[str, str], list[float]] = {}
    for element in ET.fromstring(SVGS[path]).iter(f"{SVG}text"):
        place = (element.attrib["x"], element.attrib["text-anchor"])
        columns.setdefault(place, []).append(float(element.attrib["y"]))
    for places in columns.values():
        places.sort()
        assert all(b - a >= 14 for a, b in itertools.pairwise(places))


@pytest.mark.parametrize("path", SVGS)
def test_pictures_say_what_they_show(path):
    root = ET.fromstring(SVGS[path])
    text = drawn.alternatives()[path]
    assert root.get("role") == "img"
    assert root.findtext(f"{SVG}title")
    assert root.findtext(f"{SVG}desc") == text
    assert "]" not in text
    assert any(f"![{text}]({path})" in page for page in PAGES.values()), "run `make docs`"


@pytest.mark.parametrize("page", PAGES)
def test_alternative_texts_are_current(page):
    assert drawn.with_alternatives(PAGES[page]) == PAGES[page], "run `make docs`"
    assert "![](" not in PAGES[page]


def test_topics_drawn_again_change_the_ranking_and_systems_drawn_again_do_not():
    by_topics, by_systems = topics.topic_agreements()
    assert sum(tau < 0.9 for tau in by_topics) >= 3
    assert by_systems == [1.0] * len(by_systems)
    assert any(0 in draw.values() and max(draw.values()) > 1 for draw in topics.system_draws())


@pytest.mark.parametrize("module", [examples, slope_charts], ids=lambda module: module.__name__)
def test_examples(module):
    assert doctest.testmod(module).failed == 0


def test_ties_are_written_with_an_equals_sign():
    assert examples.order("B A=C D") == {"B": 3.0, "A": 2.0, "C": 2.0, "D": 1.0}
    assert slope_charts.ranks(examples.order("B A=C D")) == {"B": 1.0, "A": 2.5, "C": 2.5, "D": 4.0}
    assert slope_charts.movement(examples.order("A B C"), examples.order("B=C A")) == {"A": -2.0, "B": 0.5, "C": 1.5}
