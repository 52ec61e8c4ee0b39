"""A folder for a paper: all that a result has, compiled by a real TeX, and nothing of anybody else's replaced."""

import functools
import json
import re
import shutil
import subprocess

import pytest
from click.testing import CliRunner
from sample_results import made

import rankscope as rs
from rankscope.cli import main
from rankscope.demo import demo_scores
from rankscope.files.written_folder import write_folder
from rankscope.report import bundle as bundles
from rankscope.report.charts import picture
from rankscope.report.methods import methods

HOSTILE = ["a_b%&#{}~^\\$", "\\input{x}", "[b]", "*", "<&>", "système Ü", "x--y", "系"]


@functools.cache
def some_figure():
    """A figure that stands for all, since drawing takes a second each."""
    return picture(made("Significance"), "pdf")


@pytest.fixture
def drawn_once(monkeypatch):
    monkeypatch.setattr(bundles, "picture", lambda *args: some_figure())


def typeset(folder):
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "overview.tex"],
        cwd=folder,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    assert done.returncode == 0, "\n".join(line for line in done.stdout.splitlines() if line.startswith(("!", "l.")))


def test_a_folder_has_all_of_a_result(tmp_path, drawn_once):
    result = made("JudgeReport")
    result.save(f"{tmp_path}/new/overview/")
    folder = tmp_path / "new" / "overview"
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    tables = {f"tables/{name}.tex" for name, table in result.tables().items() if table.rows}
    assert {"report.html", "result.json", "methods.tex", "references.bib", "overview.tex", *tables} < names
    assert {"figures/ranks.pdf", "figures/judges.pdf"} < names
    assert rs.load(folder / "result.json").to_json() == result.to_json()
    said = (folder / "methods.tex").read_text(encoding="utf-8")
    assert "6 systems by AP~\\cite{harman1992,buckley2000} on 8 topics under human" in said
    assert "3 judges (careful, lenient and partial)" in said
    assert "20 resamples" in said
    assert f"rankscope {rs.__version__}" in said
    keys = re.findall(r"^@\w+\{(\w+),", (folder / "references.bib").read_text(encoding="utf-8"), re.M)
    assert {key for keys in re.findall(r"\\cite\{(.*?)\}", said) for key in keys.split(",")} == set(keys)
    if shutil.which("pdflatex"):
        typeset(folder)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex here")
def test_hostile_names_compile(tmp_path, drawn_once):
    truth = rs.SystemScores([0.9 - i / 10 for i in range(7)], HOSTILE[:7], name=HOSTILE[0], measure="my_%measure")
    estimate = rs.SystemScores([0.9 - i**2 / 50 for i in range(7)], HOSTILE[:7], name="[a]#")
    rs.compare(truth, estimate, coefficients=["tau_b", "tau_ap"], resamples=0).save(f"{tmp_path}/made/")
    typeset(tmp_path / "made")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex here")
@pytest.mark.parametrize("kind", ["JudgeReport", "Ranking", "Correction", "LabelReport", "HolesStudy", "Reliability"])
def test_real_figures_compile(kind, tmp_path):
    made(kind).save(f"{tmp_path}/made/")
    typeset(tmp_path / "made")


def test_methods_name_the_tests_that_were_made():
    scores = demo_scores()
    sides = {"x": scores["careful"], "y": scores["partial"]}
    result = rs.compare(scores["human"], sides, coefficients=["tau_b"], resamples=50, contrast_test="perm-both")
    said, bibliography = methods(result)
    assert "Their differences are tested by the permutation test Perm-Both~\\cite{deutsch2021}" in said
    assert "paired $t$-test over topics has $p$ $\\le$ 0.05, with the correction of Benjamini and Hochberg" in said
    assert "@article{deutsch2021," in bibliography
    median = {name: rs.ScoreMatrix(t.given, t.systems, t.topics, aggregate="median") for name, t in scores.items()}
    said, _ = methods(rs.compare(median["human"], median["careful"], coefficients=["tau_b"], resamples=0))
    assert "on 40 topics (median over topics) under" in said


def test_files_that_others_wrote_or_changed_stay(tmp_path):
    folder = tmp_path / "paper"
    write_folder(folder, {"a.tex": b"1", "figures/b.pdf": b"2", "old.tex": b"3", "kept.tex": b"4"})
    (folder / "main.tex").write_text("mine")
    (folder / "kept.tex").write_text("changed by its author")
    write_folder(folder, {"a.tex": b"new", "figures/b.pdf": b"2"})
    assert {path.name: path.read_bytes() for path in folder.glob("*.tex")} == {
        "a.tex": b"new",
        "main.tex": b"mine",
        "kept.tex": b"changed by its author",
    }
    (folder / "figures" / "b.pdf").write_bytes(b"edited")
    with pytest.raises(rs.UnwritableOutput, match=r"figures/b\.pdf: this file was there before, or was changed since"):
        write_folder(folder, {"a.tex": b"newer", "figures/b.pdf": b"5"})
    assert (folder / "a.tex").read_bytes() == b"new", "nothing was written"
    with pytest.raises(rs.UnwritableOutput, match="was there before"):
        write_folder(folder, {"main.tex": b""})


def test_a_list_that_was_tampered_with_removes_nothing_elsewhere(tmp_path):
    (tmp_path / "mine.txt").write_bytes(b"1")
    write_folder(tmp_path / "paper", {"a.tex": b"1"})
    listed = json.loads((tmp_path / "paper" / "bundle.json").read_text())
    listed["files"]["../mine.txt"] = listed["files"]["a.tex"]
    (tmp_path / "paper" / "bundle.json").write_text(json.dumps(listed))
    write_folder(tmp_path / "paper", {"b.tex": b"1"})
    assert (tmp_path / "mine.txt").exists()
    assert not (tmp_path / "paper" / "a.tex").exists()


def test_a_folder_that_cannot_be_made_leaves_nothing(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(rs.UnwritableOutput, match="cannot be written"):
        write_folder(tmp_path / "file" / "below", {"a.tex": b"1"})
    with pytest.raises(rs.UnwritableOutput):
        write_folder(tmp_path / "new", {"a": b"1", "a/b": b"2"})
    assert {path.name for path in tmp_path.iterdir()} == {"file"}


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--table", "pairs"), "a folder gets all tables"),
        (("--format", "csv"), "a folder gets a result in all formats"),
        (("--chart", "map"), "a folder gets all charts"),
    ],
)
def test_the_command_writes_a_folder_of_the_whole_result(words, problem, tmp_path, drawn_once):
    made("RunOverlap").save(tmp_path / "saved.json")
    wanted = ("show", str(tmp_path / "saved.json"), "-o", f"{tmp_path}/made/")
    refused = CliRunner().invoke(main, [*wanted, *words])
    assert (refused.exit_code, problem in refused.stderr) == (2, True)
    assert not (tmp_path / "made").exists()
    assert CliRunner().invoke(main, wanted).exit_code == 0
    assert CliRunner().invoke(main, wanted).exit_code == 0, "the same again"
    assert (tmp_path / "made" / "methods.tex").exists()
