"""The tutorial notebook is stored as it runs: whole, in order, without errors, and it says what it says today."""

import base64
import copy
import importlib.util
import json
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from narrowing import known

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "notebooks"
PATHS = sorted(FOLDER.glob("*.ipynb"))


def _module(name):
    pytest.importorskip("nbformat")
    spec = known(importlib.util.spec_from_file_location(f"notebook_{name}", FOLDER / f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    known(spec.loader).exec_module(module)
    return module


@pytest.fixture(scope="module")
def run():
    return _module("run")


@pytest.fixture
def tutorial(run):
    return run.read(run.NOTEBOOK)


def said(notebook, name):
    """The text that the cell of this id gave."""
    (cell,) = [cell for cell in notebook.cells if cell.id == name]
    return "\n".join(
        "".join(output["text"] if output["output_type"] == "stream" else output["data"]["text/plain"])
        for output in cell.outputs
    )


def test_there_is_a_tutorial(run):
    assert run.NOTEBOOK in PATHS


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.name)
def test_a_stored_notebook_is_valid_and_small(path, run):
    notebook = run.read(path)  # raises where it is not valid
    assert (notebook.nbformat, notebook.nbformat_minor >= 5) == (4, True)
    assert path.stat().st_size < 1_500_000


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.name)
def test_every_cell_has_been_run_in_order_without_an_error(path, run):
    cells = run.code_cells(run.read(path))
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    for cell in cells:
        assert cell.outputs, f"{cell.id} shows nothing"
        for output in cell.outputs:
            assert output.output_type != "error"
            assert output.get("name") != "stderr", output


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.name)
def test_a_stored_notebook_is_in_the_form_that_is_written(path, run):
    """So that running it again changes what has changed, and nothing else."""
    notebook = run.read(path)
    written = run.nbformat.writes(run.normalised(notebook)) + "\n"
    assert path.read_text(encoding="utf-8") == written, "run `make notebooks`"


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.name)
def test_a_stored_notebook_tells_nothing_of_the_machine(path, run):
    text = re.sub(r'"image/png": "[^"]*"', "", path.read_text(encoding="utf-8"))
    assert not re.search(r"/(home|root|Users|work|tmp|var|usr|opt)/|[A-Z]:\\\\|site-packages|\b0x[0-9a-f]{6,}", text)


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.name)
def test_charts_are_pictures_that_need_no_script(path, run):
    pictures = 0
    for cell in run.code_cells(run.read(path)):
        for output in cell.outputs:
            for kind, data in output.get("data", {}).items():
                assert kind in ("text/plain", "text/html", "image/png")
                assert "<script" not in data
                assert not re.search(r"(src|href)=.https?:", data)
            if "image/png" in output.get("data", {}):
                raw = base64.b64decode(output["data"]["image/png"])
                width, height = struct.unpack(">II", raw[16:24])
                about = output["metadata"]["image/png"]
                assert raw.startswith(b"\x89PNG")
                assert 250 < about["width"] <= width <= 2000
                assert 60 < about["height"] <= height <= 2000
                assert len(about["alt"].split()) > 5, "say in the cell's metadata, as alt, what the picture shows"
                pictures += 1
    assert pictures >= 4


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.name)
def test_text_has_no_figures_and_its_links_lead_somewhere(path, run):
    """A figure belongs to the output, which is compared when the notebook is run anew."""
    links = 0
    for cell in run.read(path).cells:
        if cell.cell_type == "markdown":
            assert not re.search(r"\d[.,]\d|\.\d", cell.source), cell.source
            for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", cell.source):
                assert (path.parent / target).exists(), target
                links += 1
    assert links


def test_what_the_tutorial_says_of_its_output_holds(tutorial):
    levels = dict(re.findall(r"^(\w+): ([a-z ]+)$", said(tutorial, "judge"), re.MULTILINE))
    assert list(levels) == ["careful", "lenient", "partial"]
    assert levels == {
        "careful": "substitute",
        "lenient": "substitute with more topics",
        "partial": "not a substitute",
    }
    assert "✗ substitute" in said(tutorial, "reasons")
    assert "group dense" in said(tutorial, "reasons")
    assert "AP swaps 0 of them" in said(tutorial, "swaps")
    rows = re.findall(r"^(\w+) +κ (\S+) +worth (\S+)", said(tutorial, "labels"), re.MULTILINE)
    kappa, worth = ({name: float(row[i]) for name, *row in rows} for i in (0, 1))
    assert kappa["partial"] > 2.0 * kappa["lenient"]
    assert worth["careful"] > worth["lenient"] > worth["partial"]
    advantage = dict(re.findall(r"^(\w+) +advantage (\S+)", said(tutorial, "groups"), re.MULTILINE))
    assert max(advantage, key=lambda name: float(advantage[name])) == "dense"


@pytest.mark.slow
def test_the_tutorial_runs_anew_and_says_the_same():
    """In a process of its own: what Jupyter warns of is not ours."""
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    done = subprocess.run(
        [sys.executable, FOLDER / "run.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}\nIf this is meant, run `make notebooks` and read it anew."


def test_a_change_of_text_is_told_and_one_of_a_picture_is_not(run, tutorial):
    changed = copy.deepcopy(tutorial)
    assert run.differences(tutorial, changed) == []
    for cell in run.code_cells(changed):
        for output in cell.outputs:
            if "image/png" in output.get("data", {}):
                output["data"]["image/png"] = "AAAA"
    assert run.differences(tutorial, changed) == []
    cell = run.code_cells(changed)[1]
    cell.outputs[0]["text"] = cell.outputs[0]["text"].replace("systems", "cats")
    assert any("cats" in line for line in run.differences(tutorial, changed))


def test_what_changes_from_run_to_run_is_not_stored(run, tutorial):
    noisy = copy.deepcopy(tutorial)
    noisy.metadata["language_info"]["version"] = "3.99"
    for i, cell in enumerate(noisy.cells):
        cell.metadata["execution"] = {"iopub.execute_input": "2026-01-01T00:00:00"}
        if cell.cell_type == "code":
            cell.execution_count = 40 + i
    assert run.normalised(noisy) == tutorial


def test_the_page_on_the_site_has_all_of_the_notebook(tutorial):
    pytest.importorskip("mkdocs")
    page = _module("page")
    shown = page.markdown(json.loads(json.dumps(tutorial)), "tutorial.ipynb")
    assert shown.startswith("# ")
    assert 'href="tutorial.ipynb" download' in shown
    for cell in tutorial.cells:
        assert all(line in shown for line in cell.source.splitlines())
    stored = json.dumps(tutorial)
    charts, displays = stored.count('"image/png": "'), stored.count("data:image/png;base64,")
    assert shown.count("data:image/png;base64,") == charts + displays > 3
    assert not re.search(r"<script|src=.https?:", shown)


def test_code_with_backticks_keeps_its_fence():
    pytest.importorskip("mkdocs")
    page = _module("page")
    cell = {"cell_type": "code", "source": ['x = """\n', "```\n", '"""'], "outputs": []}
    title = {"cell_type": "markdown", "source": "# Title"}
    assert '````python\nx = """\n```\n"""\n````' in page.markdown({"cells": [title, cell]}, "a.ipynb")
