"""The pages of `judge` and `compare`: one file, nothing from outside, every name a text, all of the result in it."""

import base64
import functools
import hashlib
import html
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest
from page_reports import HOSTILE, SCRIPT, compared, filled, large, on_page, page_of, small, unpacked_column

import rankscope as rs
from narrowing import known
from rankscope.coefficients import all_coefficients
from rankscope.demo import demo_scores
from rankscope.report.charts import chart, charts_of
from rankscope.report.own_text import unbroken
from rankscope.report.page import chart_page, page
from rankscope.report.page_compare import compare_page
from rankscope.report.page_formulas import FORMULAS, SAME, mathml
from rankscope.report.page_judge import judge_page
from rankscope.report.page_model import Column, Page, PageTable, View, with_unbroken_texts
from rankscope.report.page_pack import packed
from rankscope.report.page_specs import drawing, page_config, with_highlight
from rankscope.report.references import known_references, short_forms
from rankscope.report.terminal_plan import sentences as plan_sentences
from rankscope.report.theme import label


class Reader(HTMLParser):
    """Elements with their attributes and the text inside them."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.stack = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append([tag, dict(attrs), ""])
        self.stack.append(self.elements[-1])

    def handle_endtag(self, tag):
        while self.stack and self.stack.pop()[0] != tag:
            pass

    def handle_data(self, data):
        for element in self.stack[-1:]:
            element[2] += data


@functools.cache
def views_of_small():
    return judge_page(small())


@pytest.fixture(scope="module", params=["judge", "compare", "chart"])
def text(request):
    if request.param == "chart":
        return chart_page(compared(), "ranks", theme="dark")
    return page_of(small if request.param == "judge" else compared)


def _column(data, table, title):
    """The values of the column with this title."""
    index = next(column["values"] for column in table["columns"] if column["title"] == title)
    return unpacked_column(data["store"], index)


def _data(text):
    return json.loads(known(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S))[1])


def test_the_policy_names_every_script_and_style_by_its_hash(text):
    found = Reader(text).elements
    policy = next(a["content"] for tag, a, _ in found if tag == "meta" and "Security" in a.get("http-equiv", ""))
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert "connect-src 'none'" in policy
    for tag in ("script", "style"):
        bodies = [body for name, a, body in found if name == tag and a.get("type") != "application/json"]
        assert bodies
        for body in bodies:
            assert f"'sha256-{base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()}'" in policy


def test_nothing_is_asked_from_outside_and_nothing_is_styled_or_scripted_in_attributes(text):
    for tag, attributes, _ in Reader(text).elements:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form")
        assert not {"src", "href", "style", "action"} & attributes.keys()
        assert not [name for name in attributes if name.startswith("on")]


def test_hostile_names_are_text(text):
    found = Reader(text).elements
    scripts = [a for tag, a, _ in found if tag == "script"]
    assert len(scripts) == 3  # the data, the library, the page's own
    assert "alert(1)" not in "".join(body for tag, a, body in found if tag == "script" and not a)
    options = [a["value"] for tag, a, _ in found if tag == "option"]
    if options:  # a page of one chart offers no names
        assert set(options) >= {" ".join(name.split()) if "\u2028" in name else name for name in HOSTILE}
    assert html.escape(SCRIPT) in text
    assert SCRIPT not in text


def test_the_page_of_a_chart_says_first_what_the_terminal_says_first():
    plan = rs.plan_topics(demo_scores()["careful"], budget=5)
    text = chart_page(plan)
    (view,) = _data(text)["views"]
    assert view["texts"]["chart"] == [unbroken(sentence.text) for sentence in plan_sentences(plan)]
    assert "Label whole topics, in any order" in text.split("<summary>The numbers</summary>")[1]


def test_the_same_result_gives_the_same_file():
    assert page(compared()) == page_of(compared)


def test_a_number_stays_with_its_per_cent_sign_and_a_name_as_it_is():
    columns = (Column("top 5 %", lambda row: f"{row} 5 %"), Column("system", lambda row: f"{row} 5 %", "system"))
    texts = {"section": ["by 95 %"]}
    view = View(sentence="95 % of 5 %", texts=texts, tables={"t": PageTable("the best 5 %", ["a"], columns)})
    page = with_unbroken_texts(Page(title="5 %", views=(view,), systems=("a 5 %",)))
    assert (page.title, page.systems) == ("5\u00a0%", ("a 5 %",))
    assert (page.views[0].sentence, page.views[0].texts["section"]) == ("95\u00a0% of 5\u00a0%", ("by 95\u00a0%",))
    table = page.views[0].tables["t"]
    assert (table.title, table.columns[0].title, table.rows) == ("the best 5\u00a0%", "top 5\u00a0%", ["a"])
    assert [column.value("a") for column in table.columns] == ["a 5\u00a0%", "a 5 %"]


def test_every_answer_is_in_the_page():
    report = small()
    data = _data(page_of(small))
    assert [view["sentence"] for view in data["views"]] == [on_page(answer.verdict) for answer in report.answers]
    for view, answer in zip(data["views"], report.answers, strict=True):
        systems, tables, judge = answer.agreement.systems, view["tables"], label(answer.judge, 20)
        assert _column(data, tables["systems"], "Rank, human") == [s.truth_rank for s in systems]
        means = _column(data, tables["systems"], f"Mean, {judge}")
        assert means == [round(s.estimate, 4) for s in systems]  # as they are shown: rounded once
        assert view["tables"]["swaps"]["n"] == view["tables"]["swaps"]["total"] == answer.agreement.swap_count
        assert len(view["reasons"]) == len(answer.verdict.reasons)
        coverage = report.labels[answer.judge].coverage
        said = f" of the {coverage.pairs + coverage.truth_only:,} pairs of human; "
        assert any(said in text for text in view["texts"]["why"])
        symbols, values = (_column(data, tables["coefficients"], title) for title in ("Symbol", "Value"))
        assert values[symbols.index("τ_b")] == round(answer.agreement.value("tau_b"), 3)


def test_every_answer_has_a_line_at_the_top_and_what_is_skipped_too():
    report = small()
    lines = judge_page(report).answers
    assert [line.names for line in lines] == [(answer.judge, answer.measure) for answer in report.answers]
    assert [line.level for line in lines] == [answer.verdict.level for answer in report.answers]
    for line, answer in zip(lines, report.answers, strict=True):
        worth = known(answer.verdict.worth)
        least, value, most = (known(line.bar)[i] for i in (1, 0, 2))
        assert 0.0 <= least <= value <= most <= 100.0
        assert line.interval.startswith(f"{worth.interval.low:.2f} to")
    reason = rs.Skipped(judge=report.judges[1], measure="AP", why="all systems alike")
    kept = tuple(a for a in report.answers if (a.judge, a.measure) != (reason.judge, "AP"))
    places = tuple(p for p in report.places if (p.judge, p.measure) != (reason.judge, "AP"))
    skipped = replace(report, answers=kept, places=places, skipped=(reason,))
    lines = judge_page(skipped).answers
    assert (lines[-1].level, lines[-1].bar) == ("skipped", None)
    assert lines[-1].against.startswith("Its labels give all systems the same score")
    text = page(skipped)
    assert text.index('id="answers"') < text.index('id="tab-panel"')
    assert _data(text)["views"][-1]["sentence"] == f"Skipped: {reason}."


def test_packed_figures_are_the_charts():
    made = views_of_small()
    data = json.loads(json.dumps(packed(made)))
    for view, kept in zip(made.views, data["views"], strict=True):
        assert kept["figures"].keys() == view.figures.keys()
        for name, figure in view.figures.items():
            drawn = drawing(figure.chart)
            spec = filled(data["store"]["specs"][kept["figures"][name]["spec"]], kept["figures"][name]["filling"])
            assert spec == {key: value for key, value in drawn.spec.items() if key != "title"}
            assert [rows["n"] for rows in kept["figures"][name]["data"]] == [len(rows) for rows in drawn.data]


def test_a_page_draws_the_scores_that_the_chart_draws():
    result = compared()
    drawn: Any = chart(result, "scores")
    panels = [drawing(panel) for panel in drawn.concat]
    for view, panel in zip(compare_page(result).views, panels, strict=True):
        assert drawing(view.figures["scores"].chart).data == panel.data


def test_both_sides_have_the_names_that_the_user_gave_them():
    made = json.dumps(packed(compare_page(compared())), ensure_ascii=False)
    for title in ("the truth: mean score", f"rank, {SCRIPT}", f"Mean, {label(SCRIPT, 20)}", "gap, the truth"):
        assert title in made.replace("&lt;", "<")


def test_a_column_without_values_is_left_out():
    without_topics = compare_page(rs.compare({"a": 3, "b": 2, "c": 1}, {"a": 3, "b": 1, "c": 2}))
    tables = packed(without_topics)["views"][0]["tables"]
    assert "Interval" not in [column["title"] for column in tables["systems"]["columns"]]
    assert "Significant" not in [column["title"] for column in tables["swaps"]["columns"]]
    assert "doubtful" not in tables


def test_every_chart_of_a_report_is_valid_vega_lite():
    report = small()
    for record in charts_of(report):
        assert chart(report, record.name).to_dict()  # Altair validates


def test_what_names_a_system_can_be_highlighted():
    spec = {"layer": [{"mark": "point", "encoding": {"x": {"field": "x"}}, "data": {"name": "data-0"}}]}
    found = with_highlight(spec, [[{"system": "a", "x": 1}]])
    assert found["params"] == [{"name": "highlighted", "value": ""}]
    assert "highlighted" in found["layer"][0]["encoding"]["opacity"]["condition"][0]["test"]
    assert "params" not in with_highlight(spec, [[{"x": 1}]])
    named = ("scores", "ranks", "top", "discordance", "shift")
    for view in views_of_small().views:
        for name in named:
            assert drawing(view.figures[name].chart).spec["params"]


def test_charts_take_their_colours_from_the_page():
    config, variables = page_config()
    assert variables["light"].keys() == variables["dark"].keys()
    assert config["axis"]["labelColor"] in {f"var(--{name})" for name in variables["light"]}


def test_every_coefficient_has_a_formula_and_a_reference():
    for record in all_coefficients():
        own = SAME.get(record.name, record.name)
        ElementTree.fromstring(mathml(FORMULAS[own].source))  # well formed
        assert FORMULAS[own].letters.endswith(".")
        assert set(short_forms(record.reference)) <= known_references().keys()


def test_method_notes_tell_what_was_used_and_nothing_else():
    text = page_of(compared)
    assert "Kendall 1945" in text
    assert "Soboroff" not in text
    assert "Soboroff" in page_of(small)
    alone = rs.compare({"a": 3, "b": 2, "c": 1}, {"a": 3, "b": 1, "c": 2}, coefficients=["kendall"])
    assert "Yilmaz" not in page(alone)


def test_provenance_has_versions_seed_and_inputs(tmp_path):
    from dataclasses import replace

    given = {"role": "truth", "path": "<q>", "files": 1, "bytes": 12, "blake2b": "00ff"}
    result = compared()
    text = page(replace(result, settings={**result.settings, "inputs": [given]}))
    for part in (f"rankscope {rs.__version__}", "numpy ", "Python ", "&lt;q&gt; (12 bytes, blake2b 00ff)", "Seed"):
        assert part in text


def test_leaderboards_and_constant_sides_have_a_page():
    assert "0.33" in page(rs.compare({"a": 3, "b": 2, "c": 1}, {"a": 3, "b": 1, "c": 2}))
    flat = rs.compare({"a": 3, "b": 2, "c": 1}, {"a": 1, "b": 1, "c": 1})
    assert "a side scores all systems alike" in page(flat)


def test_other_results_have_the_plain_page():
    scores = rs.ScoreMatrix([[0.1, 0.5], [0.3, 0.5], [0.2, 0.6]])
    assert "<script" not in page(rs.significance(scores))


@pytest.mark.slow
def test_a_page_of_143_systems_and_8_judges_is_under_3_megabytes():
    assert len(page_of(large).encode()) < 3_000_000


def test_every_verdict_has_one_mark():
    from rankscope.report.theme import PAGE_COLOURS, TONES, VERDICT_MARKS
    from rankscope.studies.verdict import LEVELS

    assert tuple(VERDICT_MARKS) == LEVELS
    assert {tone for tone, _, _ in VERDICT_MARKS.values()} == set(TONES) <= set(PAGE_COLOURS["light"])
