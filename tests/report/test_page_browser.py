"""The page in a real browser: it draws, highlights, keeps its state, asks for nothing, and can be used without a mouse.

Needs chromium (`apt-get install chromium`, or RANKSCOPE_CHROMIUM=path) and the Python package playwright; the test of
accessibility also axe-core (`npm install --prefix .venv/axe axe-core`). What is not there is skipped, with the reason.
"""

import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest
from page_reports import HOSTILE, SCRIPT, compared, corrected, large, on_page, page_of, ranked, small

from rankscope.report.page import chart_page

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")

CHROMIUM = os.environ.get("RANKSCOPE_CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None
)
AXE = Path(__file__).parents[2] / ".venv/axe/node_modules/axe-core/axe.min.js"

if CHROMIUM is None:
    pytest.skip("no browser found: install chromium or set RANKSCOPE_CHROMIUM", allow_module_level=True)

READY = "html[data-ready=true]"
FIGURES = {
    "scores",
    "ranks",
    "coefficients",
    "top",
    "discordance",
    "certainty",
    "shift",
    "confusion",
    "topics",
    "worth",
}


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The pages, each made when it is first asked for."""
    folder, made = tmp_path_factory.mktemp("pages"), {}

    def get(make):
        if make not in made:
            made[make] = folder / f"{make.__name__} & report.html"
            made[make].write_text(page_of(make), encoding="utf-8")
        return made[make]

    return get


@contextmanager
def opened(browser, path, fragment="", **options):
    """The page, ready; errors, dialogs and requests to anything but the file itself fail the test."""
    # Without motion a page that is scrolled stands still at once, and tips stay.
    context = browser.new_context(viewport={"width": 1200, "height": 900}, reduced_motion="reduce", **options)
    tab = context.new_page()
    wrong = []
    tab.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    tab.on("pageerror", lambda error: wrong.append(str(error)))

    def on_dialog(dialog):
        wrong.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    tab.on("dialog", on_dialog)
    tab.on("request", lambda request: None if request.url.startswith("file:") else wrong.append(request.url))
    tab.goto(path.as_uri() + fragment)
    tab.wait_for_selector(READY, timeout=60_000)
    yield tab
    context.close()
    assert wrong == []


def drawn(tab):
    """The figures that show something, by name."""
    found = tab.evaluate(
        """() => [...document.querySelectorAll("figure:not([hidden])")].map((figure) => [
            figure.id.replace("figure-", ""),
            figure.querySelectorAll("svg path, svg line, svg text, svg rect").length,
            figure.querySelector("svg") ? figure.querySelector("svg").getBoundingClientRect().width : 0])"""
    )
    return {name for name, marks, width in found if marks > 5 and width > 100}


def emphasised(tab, name):
    """How many marks of a figure have the colour of the highlight."""
    return tab.evaluate(
        """(name) => [...document.querySelectorAll(`#figure-${name} svg *`)].filter(
            (e) => /--mark/.test((e.getAttribute("stroke") || "") + (e.getAttribute("fill") || "") +
                                 (e.getAttribute("style") || ""))).length""",
        name,
    )


def state(tab):
    return tab.evaluate("() => decodeURIComponent(location.hash)")


def test_every_chart_of_a_small_report_is_drawn_and_names_are_text(browser, files):
    with opened(browser, files(small)) as tab:
        assert drawn(tab) == FIGURES
        assert tab.locator("h1").inner_text().startswith("Can these 2 judges rank 14 systems")
        assert SCRIPT in tab.locator("[data-tabs=judge] [role=tab]").first.inner_text()
        names = tab.locator("#table-systems button.name").all_inner_texts()
        assert {SCRIPT, "</script>\"'", "a.b[0]['c']"} <= set(names)
        assert SCRIPT in tab.locator("#figure-ranks svg").inner_html().replace("&lt;", "<").replace("&gt;", ">")
        assert tab.locator("#figure-ranks svg script").count() == 0


def test_tabs_choose_judge_and_measure_and_the_address_keeps_the_choice(browser, files):
    report = small()
    with opened(browser, files(small)) as tab:
        first = tab.locator("#sentence").inner_text()
        assert first == on_page(report.answers[0].verdict)
        tab.locator("[data-tabs=judge] [role=tab]").nth(1).click()
        tab.wait_for_selector(READY)
        tab.locator("[data-tabs=measure] [role=tab]").first.press("ArrowRight")
        tab.wait_for_selector(READY)
        assert tab.locator("#sentence").inner_text() == on_page(report.answer("</script>\"'", "AP").verdict)
        assert tab.locator("[data-tabs=measure] [aria-selected=true]").inner_text() == "AP"
        assert state(tab) == "#judge=</script>\"'&measure=AP"
        tab.go_back()
        tab.wait_for_selector(READY)
        assert state(tab) == "#judge=</script>\"'&measure=nDCG@10"
        assert tab.locator("#sentence").inner_text() == on_page(report.answer("</script>\"'", "nDCG@10").verdict)


def test_a_system_clicked_is_highlighted_everywhere_until_escape(browser, files):
    with opened(browser, files(small)) as tab:
        for name in HOSTILE[:3]:
            tab.locator("#table-systems button.name", has_text=name).first.click()
            assert f"system={name}" in state(tab)
            assert tab.locator("#table-systems tr.marked").count() == 1
            for figure in ("scores", "ranks"):
                assert emphasised(tab, figure) > 0
            assert tab.locator("#find").input_value() == name
            tab.keyboard.press("Escape")
            assert "system" not in state(tab)
            assert tab.locator("tr.marked").count() == 0
            tab.wait_for_timeout(100)
            assert emphasised(tab, "scores") == 0


def test_a_point_can_be_clicked_and_its_tip_is_text(browser, files):
    with opened(browser, files(small)) as tab:
        point = tab.locator("#figure-shift .mark-symbol.role-mark path").first
        point.scroll_into_view_if_needed()
        tab.wait_for_timeout(300)  # a tip goes when the page is scrolled, and the browser tells of that a frame later
        point.hover()
        tip = tab.locator("#tip")
        tip.wait_for(state="visible")
        system = tip.locator("dd").first.inner_text()
        assert tip.locator("dt").first.inner_text() == "system"
        point.click()
        assert tab.locator("#find").input_value() == system
        assert tip.locator("script, b, i").count() == 0


def test_the_address_restores_judge_measure_and_highlight(browser, files):
    report = small()
    where = f"#judge={quote(report.judges[1])}&measure=AP&system={quote(SCRIPT)}"
    with opened(browser, files(small), where) as tab:
        assert tab.locator("#sentence").inner_text() == on_page(report.answer(report.judges[1], "AP").verdict)
        assert tab.locator("#table-systems tr.marked button.name").inner_text() == SCRIPT
        assert emphasised(tab, "ranks") > 0
    with opened(browser, files(small), "#judge=nobody&system=%E0%A4%A&x") as tab:
        assert tab.locator("#sentence").inner_text() == on_page(report.answers[0].verdict)


def test_tables_sort_and_filter(browser, files):
    with opened(browser, files(small)) as tab:
        table = tab.locator("#table-systems")
        heads = table.locator("th")
        rank = next(i for i in range(heads.count()) if heads.nth(i).inner_text().startswith("Rank, <script>"))
        heads.nth(rank).locator("button").click()
        ranks = [float(text) for text in table.locator(f"tbody td:nth-child({rank + 1})").all_inner_texts()]
        assert ranks == sorted(ranks)
        assert heads.nth(rank).get_attribute("aria-sort") == "ascending"
        heads.nth(rank).locator("button").press("Enter")
        assert heads.nth(rank).get_attribute("aria-sort") == "descending"
        table.locator("input").fill("alert(1)")
        assert table.locator("tbody tr").count() == 1
        table.locator("input").fill("")
        assert table.locator("tbody tr").count() == 14


def test_a_comparison_has_its_page(browser, files):
    with opened(browser, files(compared)) as tab:
        assert drawn(tab) == {"worth", "scores", "ranks", "coefficients", "top", "discordance", "certainty"}
        tab.locator("[role=tab]").nth(1).click()
        tab.wait_for_selector(READY)
        assert tab.locator("#sentence").inner_text().startswith("8 topics and 8 systems cannot tell")


@pytest.mark.parametrize(("make", "figures"), [(ranked, {"ranks", "distribution"}), (corrected, {"scores", "ranks"})])
def test_leaderboards_have_a_page_with_highlight_and_filter(browser, files, make, figures):
    with opened(browser, files(make)) as tab:
        assert drawn(tab) == figures
        tab.locator("#find").fill(HOSTILE[2])
        tab.locator("#find").press("Enter")
        tab.wait_for_selector(READY)
        assert emphasised(tab, "ranks")
        tab.locator("#tables input[type=search]").first.fill(HOSTILE[7])
        assert tab.locator("#tables tbody tr").count() == 1
        tab.locator("[role=tab]").nth(1).click()
        tab.wait_for_selector(READY)
        assert drawn(tab) == figures


def test_a_page_of_one_chart_draws_it_and_saves_it(browser, tmp_path):
    path = tmp_path / "chart.html"
    path.write_text(chart_page(compared(), "ranks", theme="dark"), encoding="utf-8")
    with opened(browser, path, accept_downloads=True) as tab:
        assert drawn(tab) == {"chart"}
        assert not tab.locator("#controls").is_visible()
        assert tab.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(22, 24, 28)"
        for kind, start in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
            with tab.expect_download() as download:
                tab.get_by_text(f"Save as {kind}").click()
            assert download.value.suggested_filename == f"chart.{kind.lower()}"
            content = Path(download.value.path()).read_bytes()
            assert content.startswith(start)
            assert b"var(--" not in content
        tab.locator("summary").click()
        assert tab.locator(".words table").first.is_visible()


@pytest.mark.parametrize("make", [small, compared, ranked, pytest.param(large, marks=pytest.mark.slow)])
def test_axe_finds_no_serious_fault(browser, files, make):
    if not AXE.exists():
        pytest.skip("axe-core is not installed: npm install --prefix .venv/axe axe-core")
    with opened(browser, files(make), color_scheme="light") as tab:
        tab.evaluate(AXE.read_text(encoding="utf-8"))
        for scheme in ("light", "dark"):
            tab.emulate_media(color_scheme=scheme)
            tab.wait_for_selector(READY)
            found = tab.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
            faults = [
                (fault["id"], fault["help"], [node["html"][:200] for node in fault["nodes"][:3]])
                for fault in found["violations"]
                if fault["impact"] in ("serious", "critical")
            ]
            assert faults == [], scheme


def test_it_prints_without_controls(browser, files):
    with opened(browser, files(small), color_scheme="dark") as tab:
        tab.emulate_media(media="print")
        assert not tab.locator("#controls").is_visible()
        assert tab.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        pdf = tab.pdf(format="A4")
        assert pdf.startswith(b"%PDF-")
        assert len(pdf) > 50_000


@pytest.fixture(scope="module")
def tab(browser, files):
    """One tab for the tests of widths, colours, print and keyboard, which leave it as they found it."""
    with opened(browser, files(small)) as shared:
        yield shared


def cut(tab):
    """Texts of charts that reach beyond their chart, and charts that reach beyond the page or their own scroll bar."""
    return tab.evaluate(
        """() => [...document.querySelectorAll("figure:not([hidden]) svg")].flatMap((svg) => {
            const box = svg.getBoundingClientRect();
            const holder = svg.closest(".chart");
            const wide = box.width > holder.clientWidth + 1 && getComputedStyle(holder).overflowX !== "auto";
            const texts = [...svg.querySelectorAll("text")].filter((text) => {
                const own = text.getBoundingClientRect();
                return own.width && (own.left < box.left - 2 || own.right > box.right + 2 || own.top < box.top - 2 ||
                                     own.bottom > box.bottom + 2);
            });
            return [...(wide ? [holder.parentElement.id] : []), ...texts.map((text) => text.textContent)];
        })"""
    )


# The width of the narrowest cell of a table with a long text.
_NARROWEST = """() => Math.min(...[...document.querySelectorAll("#tables td:not(.right)")]
    .filter((cell) => cell.textContent.length > 24 && !cell.querySelector("button")).map((cell) => cell.offsetWidth))"""


@pytest.mark.parametrize("width", [1280, 768, 390])
def test_it_fits_every_screen_in_both_colours(tab, width):
    tab.set_viewport_size({"width": width, "height": 800})
    tab.wait_for_timeout(350)  # the page waits until the size rests before it draws again
    tab.wait_for_selector(READY)
    for scheme in ("light", "dark"):
        tab.emulate_media(color_scheme=scheme)
        assert tab.evaluate("() => document.documentElement.scrollWidth") <= width
        assert drawn(tab) == FIGURES
        assert cut(tab) == []
        assert width > 800 or tab.evaluate(_NARROWEST) > 170, "a text in a column out of sight must not make a row tall"
        dark = tab.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(22, 24, 28)"
        assert dark == (scheme == "dark")


def test_a_print_has_every_answer_and_says_whose_details_follow(tab):
    report = small()
    tab.emulate_media(media="print", color_scheme="dark")
    lines = tab.locator("#answers tbody tr")
    assert lines.count() == len(report.answers)
    for i, answer in enumerate(report.answers):
        assert lines.nth(i).is_visible()
        assert answer.verdict.level in lines.nth(i).inner_text()
    assert tab.locator("#answers thead").is_visible()
    assert tab.locator("#verdict-title").inner_text() == f"{report.judges[0]}, nDCG@10"
    assert tab.locator(".one-of").is_visible()
    tab.emulate_media(media="screen", color_scheme="light")
    assert not tab.locator(".one-of").is_visible()


_CONTROLS = """() => {
    const wanted = [...document.querySelectorAll("button, input, summary, [tabindex]")].filter((e) =>
        e.tabIndex >= 0 && e.checkVisibility());
    wanted.forEach((e, i) => { e.dataset.place = i; });
    document.activeElement.blur();
    window.scrollTo(0, 0);
    return wanted.length;
}"""
_FOCUSED = """() => {
    const { dataset: { place } } = document.activeElement;
    return [place === undefined ? null : Number(place),
            getComputedStyle(document.activeElement).outlineStyle !== "none"];
}"""


def test_the_keyboard_reaches_every_control_in_order_and_sees_where_it_is(tab):
    tab.set_viewport_size({"width": 1280, "height": 800})
    tab.wait_for_timeout(350)
    tab.wait_for_selector(READY)
    controls = tab.evaluate(_CONTROLS)
    assert controls > 30
    reached = []
    for _ in range(controls):
        tab.keyboard.press("Tab")
        place, outlined = tab.evaluate(_FOCUSED)
        assert outlined, place
        reached.append(place)
    assert reached == list(range(controls))


def test_the_keyboard_alone_chooses_sorts_filters_and_highlights(tab):
    report = small()
    tab.locator("#answers button").nth(3).focus()
    tab.keyboard.press("Enter")
    tab.wait_for_selector(READY)
    assert tab.locator("#sentence").inner_text() == on_page(report.answers[3].verdict)
    tab.locator("[data-tabs=judge] [aria-selected=true]").focus()
    tab.keyboard.press("Home")
    tab.wait_for_selector(READY)
    assert tab.locator("#verdict-title").inner_text() == f"{report.judges[0]}, AP"
    tab.locator("#table-systems button.name").first.focus()
    tab.keyboard.press("Space")
    assert tab.locator("#table-systems tr.marked").count() == 1
    tab.keyboard.press("Escape")
    assert tab.locator("tr.marked").count() == 0


@pytest.mark.slow
def test_143_systems_and_8_judges(browser, files):
    report = large()
    with opened(browser, files(large)) as tab:
        assert drawn(tab) == FIGURES
        assert tab.locator("[data-tabs=judge] [role=tab]").count() == 8
        tab.locator("[data-tabs=judge] [role=tab]").nth(7).click()
        tab.wait_for_selector(READY, timeout=60_000)
        assert tab.locator("#sentence").inner_text() == on_page(report.answer("judge 7").verdict)
        assert drawn(tab) == FIGURES
        system = report.systems[100]
        tab.locator("#find").fill(system)
        assert f"system={system}" in state(tab)
        assert emphasised(tab, "scores") > 0
