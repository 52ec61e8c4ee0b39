"""Every kind of result goes every way: one record each, and every output says what it should."""

import importlib
import json
import math
import pkgutil
import re

import pytest
from altair.utils import schemapi
from sample_results import MADE, made

import rankscope as rs
from rankscope.report.blocks import Heading, Sentence
from rankscope.report.charts import specification
from rankscope.report.kinds import KINDS, kind_of, load
from rankscope.report.methods import methods
from rankscope.report.tables.layout import layout
from rankscope.report.terminal import blocks, line, plain_text
from rankscope.report.text_tables import TextTable, clean_lines
from rankscope.results import Result

# Results without a chart, and why.
WITHOUT_CHART = {
    "Result": "the base, whose record serves results from outside the package",
    "OneTable": "one of a result's tables on its own; the result has the charts",
}

# Tables with a column for every system.
MATRICES = {("AllowedRanks", "main")}

# Tables of single draws, which files do not keep.
OF_DRAWS = {("EstimatorStudy", "collections")}


def every_class():
    """The classes of results in the package."""
    for module in pkgutil.walk_packages(rs.__path__, "rankscope."):
        if not module.name.startswith(("rankscope.cli", "rankscope.report", "rankscope.__main__")):
            importlib.import_module(module.name)
    classes, left = [], [Result]
    while left:
        kind = left.pop()
        left += kind.__subclasses__()
        if kind.__module__.startswith("rankscope."):
            classes.append(kind)
    return classes


def test_every_class_has_a_record_and_every_record_a_class():
    records, classes = [kind.result for kind in KINDS], every_class()
    assert len(set(records)) == len(records)
    assert set(records) <= {kind.__name__ for kind in classes}
    for kind in classes:
        own = next(base.__name__ for base in kind.__mro__ if base.__name__ in records)
        assert kind is Result or own != "Result", f"add a record of {kind.__name__} to report/kinds.py"
    bases = {base for kind in classes for base in kind.__bases__}
    made_of = {kind.__name__ for kind in classes if kind not in bases}
    assert set(MADE) == made_of, "tests/report/sample_results.py has a small one of each"


def saved_and_loaded(result, folder):
    """The result after a way through a file."""
    result.save(folder / "saved.json")
    return rs.load(folder / "saved.json")


def written(number):
    """The ways in which a text may write a number: rounded, in per cent, as one in so many, or as a word."""
    values = [number, 100 * number, *([1 / number] if number else [])]
    forms = {f"{value:,.{digits}f}" for value in values for digits in range(6)}
    forms |= {f"{value:.{digits}g}" for value in values for digits in range(1, 6)}
    return {"no", "one", "two"} & {{0: "no", 1: "one", 2: "two"}.get(number)} | {f.replace("-", "−") for f in forms}


@pytest.mark.parametrize("kind", sorted(MADE))
def test_the_numbers_of_a_sentence_are_in_its_text(kind):
    for sentence in blocks(made(kind)):
        if isinstance(sentence, Sentence):
            text = re.sub(r"(?<![\d.])\.(?=\d)", "0.", sentence.text)  # p-values are written without the zero
            for name, given in sentence.numbers.items():
                for number in given if isinstance(given, list | tuple) else [given]:
                    if isinstance(number, float | int) and not isinstance(number, bool) and math.isfinite(number):
                        told = any(re.search(rf"(?<![\d.,]){re.escape(form)}(?!\d)", text) for form in written(number))
                        assert told, f"{name} {number} in: {text}"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.result)
def test_the_functions_of_a_record_exist(kind):
    others = [function for function in (kind.page, kind.methods) if function]
    functions = [kind.text, *(chart.function for chart in kind.charts), *others]
    assert all(callable(load(function)) for function in functions)
    assert all(chart.shows for chart in kind.charts)
    names = [chart.name for chart in kind.charts]
    assert len(set(names)) == len(names)
    assert bool(names) != (kind.result in WITHOUT_CHART)


@pytest.mark.parametrize("name", MADE)
def test_text(name, tmp_path):
    result = made(name)
    said = blocks(result)
    assert name == "OneTable" or isinstance(said[0], Heading)
    assert all(isinstance(block, Heading | Sentence | TextTable | str) for block in said)
    assert not [block.text for block in said if isinstance(block, Heading) and re.search(r"\?[.:]", block.text)]
    sentences = [block for block in said if isinstance(block, Sentence)]
    assert all(sentence.kind and sentence.text.endswith(".") for sentence in sentences)
    for block in said:
        text = block.plain() if isinstance(block, TextTable) else line(block)
        assert not re.search(r"\bnan\b|(?<![\w/])-\d", text), "numbers are written by report/numbers.py"
    result.save(tmp_path / "result.txt")
    assert "\u00a0" not in str(result)
    assert str(result) + "\n" == plain_text(result) == (tmp_path / "result.txt").read_text(encoding="utf-8")
    for block in said:
        if not isinstance(block, TextTable):
            assert clean_lines(line(block)) in str(result)


@pytest.mark.parametrize("name", MADE)
def test_json_csv_and_latex(name, tmp_path):
    result = made(name)
    for extension in ("json", "csv", "tex"):
        result.save(tmp_path / f"result.{extension}")
        assert "\u00a0" not in (tmp_path / f"result.{extension}").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert (tmp_path / "result.csv").read_text(encoding="utf-8") == result.to_csv()
    assert (tmp_path / "result.tex").read_text(encoding="utf-8") == result.to_latex()


def ready_for_a_paper(table, *, matrix):
    """A table fits on a page, and has no heading or cell that an author would have to edit."""
    shown = layout(table)
    assert len(shown.columns) <= 11 or matrix, "give the table brief columns"
    for cell in (cell for row in (shown.columns, *shown.rows) for cell in row if cell.own):
        assert not re.search(r"^(True|False|None|nan)$|(?<!\w)[a-z]{2,}_", cell.text), cell.text
    for heading in shown.columns:
        assert heading.own or heading.text.casefold() in map(str.casefold, {*table.names.values(), *table.columns})
    assert table.to_latex().count("\\\\") == len(table.rows) + 1
    assert table.to_markdown().count("\n|") >= len(table.rows)
    assert table.to_html().count("<tr>") == len(table.rows) + 1
    assert not re.search(r"\d %", table.to_html())


@pytest.mark.parametrize("name", MADE)
def test_every_table(name, tmp_path):
    result = made(name)
    tables = result.tables()
    assert next(iter(tables.values())).to_csv() == result.to_csv()
    for table in tables:
        alone = result.only(table)
        assert alone.to_csv() == tables[table].to_csv()
        assert alone.to_latex().startswith("% \\usepackage{booktabs")
        assert len(json.loads(alone.to_json())["rows"]) == len(tables[table].rows)
        assert str(alone)
        assert alone.to_frame().columns == list(tables[table].columns)
        ready_for_a_paper(tables[table], matrix=(name, table) in MATRICES)
    with pytest.raises(rs.BadParameter, match=f"it has: {next(iter(tables))}"):
        result.only("no such table")


@pytest.mark.parametrize("name", [name for name in MADE if name != "OneTable"])
def test_what_was_done_in_a_paragraph(name):
    said, bibliography = methods(made(name))
    known = set(re.findall(r"^@\w+\{(\w+),", bibliography, re.M))
    assert {key for keys in re.findall(r"\\cite\{(.*?)\}", said) for key in keys.split(",")} == known
    assert all(line.endswith((".", "?")) for line in said.splitlines())
    assert not re.search(r"(?<!\\)[#%&_](?![^$]*\$)|None|\bnan\b", re.sub(r"\$.*?\$|\\cite\{.*?\}", "", said))


def texts_of(page):
    """What a page says, without scripts and without charts, whose texts do not run on to another line."""
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    static = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.S)
    if data is None:
        return static
    views = json.loads(data[1])["views"]
    for figure in (figure for view in views for figure in view["figures"].values()):
        del figure["filling"]
    return static + json.dumps(views, ensure_ascii=False)


@pytest.mark.parametrize("name", MADE)
def test_every_chart_and_the_page(name, tmp_path):
    result, loaded = made(name), saved_and_loaded(made(name), tmp_path)
    for chart in kind_of(result).charts:
        spec = specification(result, chart.name)
        json.dumps(spec, allow_nan=False)
        with schemapi.debug_mode(False):  # the same chart need not be checked against Vega-Lite's schema twice
            assert specification(loaded, chart.name) == spec
    result.save(tmp_path / "result.html")
    page = (tmp_path / "result.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "default-src 'none'" in page
    assert not re.search(r"\d %|\bp (=|<|&lt;) \d", texts_of(page)), "no line ends within 95 % or p = 0.05"
    with schemapi.debug_mode(False):
        loaded.save(tmp_path / "loaded.html")
    assert (tmp_path / "loaded.html").read_text(encoding="utf-8") == page


@pytest.mark.parametrize("name", MADE)
def test_a_saved_result_is_as_it_was(name, tmp_path):
    result, loaded = made(name), saved_and_loaded(made(name), tmp_path)
    assert type(loaded) is type(result)
    assert loaded.to_json() == result.to_json()
    assert str(loaded) == str(result)
    tables = {table: content for table, content in result.tables().items() if (name, table) not in OF_DRAWS}
    assert list(loaded.tables()) == list(tables)
    for table, content in tables.items():
        assert loaded.tables()[table].to_csv() == content.to_csv()
        assert loaded.tables()[table].to_latex() == content.to_latex()


@pytest.mark.parametrize("name", MADE)
def test_a_notebook(name, monkeypatch):
    import sys

    if name != "Significance":  # one is drawn; charts have tests of their own
        monkeypatch.setitem(sys.modules, "vl_convert", None)
    shown = made(name)._repr_html_()
    assert ("<img" in shown) == (name == "Significance")
    assert "<table>" in shown
    assert name == "OneTable" or shown.startswith("<p><strong>")
    assert not re.search(r"\d %|\bp (=|<|&lt;) \d", shown)


def test_a_result_from_outside_is_shown_by_its_table():
    class FrameOfMind(Result):
        def table(self):
            return made("Coverage").table()

    assert str(FrameOfMind()).startswith("Frame of mind\n\nwhat")
