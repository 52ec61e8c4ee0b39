"""Names are data: hostile, long and odd ones are drawn as text, in every chart and file."""

import itertools
import re
import subprocess
from xml.etree import ElementTree

import numpy as np
import pytest

import rankscope as rs
from rankscope.report import save
from rankscope.report.charts import charts_of, picture, specification
from rankscope.report.charts.layers import distinct, thin_labels
from rankscope.report.page import chart_page
from rankscope.report.theme import PALETTE, config, label

NAMES = [
    "<script>alert(1)</script>",
    "</script>\"'",
    "a.b[c]",
    '[x] "y" \\ z',
    "x" * 300,
    "täu, ρ\nnew",
    "${1+1} {{7*7}}",
    "\x00\x07bell",
    "datum.a",
    "系统",
    "\ud800 lone",
    "plain",
]
_RNG = np.random.default_rng(0)
TRUTH = rs.ScoreMatrix(
    _RNG.random((20, 12)), NAMES, ["<b>", *map(str, range(19))], measure="AP[.]<i>\\", name='</script>"\\'
)
ESTIMATES = [
    rs.ScoreMatrix(TRUTH.values + _RNG.normal(0, spread, TRUTH.values.shape), NAMES, TRUTH.topics, name=name)
    for spread, name in ((0.2, 'judge.x[0]"\\'), (0.3, "</script><script>alert(2)</script>"))
]
RESULTS = [
    rs.compare(TRUTH, *ESTIMATES, resamples=50, decisiveness=True),
    rs.significance(TRUTH),
    rs.study_weights(TRUTH),
    rs.study_swaps(TRUTH, swaps=2, draws=5, among="others"),
    rs.study_reorderings(TRUTH, draws=80, resamples=0),
    rs.allowed_ranks(TRUTH, by="tau"),
    rs.d_rank(TRUTH, ESTIMATES[0]),
    rs.topic_influence(TRUTH, ESTIMATES[0]),
    rs.reliability(TRUTH, resamples=20),
    rs.rank_contour(TRUTH.select(systems=NAMES[:3]), ESTIMATES[0].select(systems=NAMES[:3])),
    rs.simulate(TRUTH),
]
DRAWN = [(result, record.name) for result in RESULTS for record in charts_of(result)]


@pytest.mark.parametrize(("result", "name"), DRAWN, ids=lambda x: x if isinstance(x, str) else type(x).__name__)
def test_hostile_names_are_text_in_svg(result, name):
    svg = picture(result, "svg", name).decode()
    ElementTree.fromstring(svg)  # well formed
    assert "<script" not in svg
    assert "alert(2)<" not in svg.replace("&lt;", "")


@pytest.mark.parametrize(("result", "name"), DRAWN, ids=lambda x: x if isinstance(x, str) else type(x).__name__)
def test_no_name_is_a_field(result, name):
    # Vega reads dots and brackets in field names as paths; names must only ever be values.
    fields = set(re.findall(r"'field': '([^']*)'", str(specification(result, name))))
    assert not fields & set(NAMES)
    assert not any(set('.[]<>"\\') & set(field) for field in fields)


def test_a_figure_is_one_page_from_which_no_name_escapes(tmp_path):
    result = RESULTS[0]
    text = chart_page(result, "ranks")
    assert text.count("<script") == 3  # the specification, Vega, and the call: none of a name
    assert text.count("</script>") == 3
    assert "default-src 'none'" in text
    assert not re.search(r"""(?:src|href)\s*=\s*["']?https?:""", text.split("<script>")[0])
    save(result, tmp_path / "figure.html", chart="ranks")
    assert (tmp_path / "figure.html").read_text(encoding="utf-8") == text
    save(RESULTS[1], tmp_path / "map.html", theme="dark")
    assert config("dark")["background"] in (tmp_path / "map.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def browser():
    import shutil

    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no chromium to open a figure in")
    return found


def test_a_figure_is_drawn_by_a_browser(browser, tmp_path):
    save(RESULTS[0], tmp_path / "figure.html", chart="scores")
    done = subprocess.run(
        [
            browser,
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--virtual-time-budget=8000",
            f"--user-data-dir={tmp_path / 'profile'}",
            "--enable-logging=stderr",
            "--dump-dom",
            str(tmp_path / "figure.html"),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert "CONSOLE" not in done.stderr
    assert done.stdout.count('class="mark-symbol') > 3
    assert done.stdout.count("<script") == 3
    assert "judge.x[0]" in done.stdout


def test_labels():
    assert label("a\nb") == "a b"
    assert label("") == label("  ") == "�"
    assert len(label("x" * 300, 30)) == 30
    assert distinct(["x" * 300, "x" * 299 + "y", "x" * 300 + "z"], 20)[0] != distinct(["x" * 299 + "y"], 20)[0]
    assert distinct(["a", "a\t"]) == ["a", "a (2)"]


def test_labels_keep_their_distance():
    places = [float(i) for i in range(100)]
    shown = thin_labels(places, [0.0] * 99 + [1.0], 5.0)
    assert 99 in shown
    assert all(b - a >= 5 for a, b in itertools.pairwise(shown))


def test_neighbouring_colours_differ_in_grey():
    def grey(colour):
        red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
        return 0.299 * red + 0.587 * green + 0.114 * blue

    assert len(set(PALETTE)) == 8
    assert all(abs(grey(a) - grey(b)) > 12 for a, b in itertools.pairwise(PALETTE))


def test_many_systems_are_legible():
    many = rs.SystemScores(np.arange(150.0), [f"system-{i}" for i in range(150)])
    other = rs.SystemScores(np.arange(150.0)[np.random.default_rng(1).permutation(150)], many.systems)
    result = rs.compare(many, other, coefficients=["tau_b"], resamples=0)
    spec = specification(result, "ranks")
    assert spec["height"] <= 700
    texts = [row for values in spec["datasets"].values() for row in values if "text" in row and "system" in row]
    assert 60 < len(texts) < 150  # as many as there is room for, on both sides
    assert len(picture(result, "svg", "discordance")) < 1_500_000
