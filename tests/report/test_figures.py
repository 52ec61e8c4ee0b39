"""Figures for papers: widths, embedded fonts, and colours that survive colour-blind eyes and grey print."""

import functools
import itertools
import json
import re
import shutil
import subprocess

import numpy as np
import pytest
from altair.utils import schemapi
from sample_results import made

import rankscope as rs
from rankscope.report.charts import charts_of, find_chart, picture
from rankscope.report.charts.text_widths import with_widths
from rankscope.report.charts.widths import pixels
from rankscope.report.kinds import KINDS
from rankscope.report.theme import PAGE, PALETTE, TONES

DRAWN = [kind.result for kind in KINDS if kind.charts]
# Viénot, Brettel & Mollon 1999: what a protanope and a deuteranope see of linear RGB.
BLIND = {
    "none": np.eye(3),
    "protanopia": np.array([[0.1124, 0.8876, 0], [0.1124, 0.8876, 0], [0.004, -0.004, 1]]),
    "deuteranopia": np.array([[0.2927, 0.7073, 0], [0.2927, 0.7073, 0], [-0.0223, 0.0223, 1]]),
}


def lab(colour, kind="none"):
    """CIELAB of a colour (sRGB, D65) as such an eye sees it."""
    rgb = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = BLIND[kind] @ np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = to_xyz @ linear / [0.9505, 1.0, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("kind", BLIND)
@pytest.mark.parametrize("colours", [PALETTE[:6], tuple(TONES.values())])
def test_colours_differ_for_every_kind_of_colour_vision(kind, colours):
    apart = {(a, b): np.linalg.norm(lab(a, kind) - lab(b, kind)) for a, b in itertools.combinations(colours, 2)}
    assert min(apart.values()) > 12, min(apart, key=lambda pair: apart[pair])  # 2.3 is just noticeable


@functools.cache
def drawn(kind, name):
    """The specification of a chart; the tests of charts check it against the schema."""
    with schemapi.debug_mode(False):
        return find_chart(made(kind), name).load()(made(kind)).to_dict(validate=False)


def parts(spec):
    """The titles of a chart and of its panels."""
    yield spec.get("title")
    for kind in ("layer", "concat", "hconcat", "vconcat"):
        for part in spec.get(kind, ()):
            yield from parts(part)


def units(spec):
    """Every mark of a specification with its encoding, the shared one included."""
    for part in (*spec.get("layer", ()), *(p for k in ("concat", "hconcat", "vconcat") for p in spec.get(k, ()))):
        yield from units({**part, "encoding": {**spec.get("encoding", {}), **part.get("encoding", {})}})
    if "mark" in spec:
        yield spec


@pytest.mark.parametrize("kind", DRAWN)
def test_what_colour_says_shape_dash_lightness_or_place_says_too(kind):
    for chart in charts_of(made(kind)):
        marks = list(units(drawn(kind, chart.name)))
        shapes = {unit["encoding"].get("shape", {}).get("field") for unit in marks}
        for unit in marks:
            encoding, colour = unit["encoding"], unit["encoding"].get("color", {})
            colours = colour.get("scale", {}).get("range") if colour.get("type") == "nominal" else None
            places = [encoding.get(name, {}).get("field") for name in ("strokeDash", "yOffset", "x", "y")]
            mark = unit["mark"] if isinstance(unit["mark"], str) else unit["mark"]["type"]
            shaped = colour.get("field") in shapes and mark in ("rule", "line", "point")  # a point and its line
            if isinstance(colours, list) and len(set(colours)) > 1 and not shaped and colour["field"] not in places:
                greys = sorted(lab(one)[0] for one in set(colours))
                assert min(b - a for a, b in itertools.pairwise(greys)) > 8, (chart.name, mark, colours)


@pytest.mark.parametrize("kind", DRAWN)
def test_every_dashed_line_and_band_is_explained(kind):
    for chart in charts_of(made(kind)):
        spec = drawn(kind, chart.name)
        styles = {unit["mark"].get("style") for unit in units(spec) if isinstance(unit["mark"], dict)}
        said = json.dumps([part for part in parts(spec) if part], ensure_ascii=False)
        assert "reference" not in styles or "dashed" in said, chart.name
        areas = [unit for unit in units(spec) if isinstance(unit["mark"], dict) and unit["mark"]["type"] == "area"]
        assert not areas or "band" in said, chart.name


@pytest.mark.parametrize(("width", "points"), [("one", 244.5), ("two", 504.0), ("12cm", 340.16)])
@pytest.mark.parametrize("chart", ["scores", "worth"])
def test_a_pdf_is_as_wide_as_asked_and_has_its_fonts(tmp_path, width, points, chart):
    path = tmp_path / "figure.pdf"
    made("Comparison").save(path, chart=chart, width=width)
    box = re.search(rb"/MediaBox\s*\[\s*0 0 ([\d.]+)", path.read_bytes())
    assert box
    assert float(box[1]) == pytest.approx(points, abs=0.5)
    if shutil.which("pdffonts"):
        said = subprocess.run(["pdffonts", path], capture_output=True, text=True, check=True).stdout.splitlines()[2:]
        assert said
        assert all(line.split()[-5] == "yes" for line in said)  # embedded


def test_svg_and_png_have_the_width_too():
    svg = picture(made("Comparison"), "svg", "worth", width="3.4in").decode()
    found = re.search(r'<svg[^>]* width="([\d.]+)"', svg)
    assert found
    assert float(found[1]) == pytest.approx(326.4, abs=0.1)
    png = picture(made("Comparison"), "png", "worth", width="3.4in")
    assert int.from_bytes(png[16:20], "big") == pytest.approx(3.4 * 300, abs=3)


@pytest.mark.parametrize("width", ["", "three", "8", "-3cm", "0.1cm", "1e3in", "500in"])
def test_a_width_that_is_none_is_refused(width):
    with pytest.raises(rs.BadParameter, match="one \\(a column\\)"):
        pixels(width)


def lengths(svg):
    """The lengths of the texts of an SVG, None where it gives none."""
    found = re.findall(r"<(?:text|tspan)\b([^>]*)>([^<]+)", svg)
    given = [(text, re.search(r'textLength="([\d.]+)" lengthAdjust="spacingAndGlyphs"', own)) for own, text in found]
    return {text: length and float(length[1]) for text, length in given}


def text_element(words, *, size=10, weight="normal"):
    font = f'font-family="Arial, \'Liberation Sans\'" font-size="{size}px" font-weight="{weight}"'
    return f'<text transform="translate(0,1)" {font}>{words}</text>'


def test_texts_of_an_svg_have_their_widths_in_arial():
    """By the font metrics of Helvetica (Adobe's AFM), which are Arial's: a digit is 0.556 em wide, a point 0.278."""
    texts = [text_element("0.25"), text_element("1,000", size=20), text_element("88", weight="bold")]
    lines = text_element('<tspan x="0" dy="1">123</tspan><tspan x="0" dy="2">4.5</tspan>', size=11)
    found = lengths(with_widths(f"<svg>{''.join(texts)}{lines}</svg>"))
    expected = {"0.25": 19.46, "1,000": 50.04, "88": 11.12, "123": 18.35, "4.5": 15.29}
    assert found == pytest.approx(expected, abs=0.03)


def test_widths_of_texts_change_nothing_else_and_leave_other_scripts_alone():
    names = ["a &lt;b&gt; &amp; c", "naïve τ_b → 95\u00a0%", "検索", "🙂 10", " ", "−0.5"]
    svg = f"<svg>{''.join(map(text_element, names))}<g><text>no font</text></g></svg>"
    found = with_widths(svg)
    assert re.sub(r' textLength="[\d.]+" lengthAdjust="spacingAndGlyphs"', "", found) == svg
    assert {text for text, length in lengths(found).items() if length is None} == {"検索", "🙂 10", " ", "no font"}


def test_an_svg_of_a_result_has_the_widths_of_its_texts():
    found = lengths(picture(made("Comparison"), "svg", "worth").decode())
    assert len(found) > 8
    assert all(length for text, length in found.items() if text.isascii())


def test_a_legend_makes_no_picture_wider_than_a_page():
    svg = picture(made("CorrectionStudy"), "svg", "agreement").decode()
    found = re.search(r'<svg[^>]* width="([\d.]+)"', svg)
    assert found
    assert float(found[1]) <= PAGE
