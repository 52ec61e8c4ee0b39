"""Tables on paper: LaTeX (compiled where there is a TeX), Markdown and HTML; test_every_result.py walks through all."""

import shutil
import subprocess
from dataclasses import replace
from typing import Any

import pytest
from sample_results import MADE, made

import rankscope as rs
from rankscope.report.methods import methods
from rankscope.results import Table

TEX = next((name for name in ("pdflatex", "lualatex", "tectonic") if shutil.which(name)), None)
# Results whose tables have every kind of column.
FEW = ("JudgeReport", "Comparison", "Ranking", "LabelAgreement", "Significance")
INTERVALS = Table(
    ("system", "tau_b", "tau_b_low", "tau_b_high", "pvalue", "same_winner", "worth"),
    (("a_b", 0.8, 0.7, 0.9, 0.0004, True, 0.75), ("c", -0.1, -0.3, 0.1, 0.25, None, 28.4)),
)


def compiled(text, folder, *, engine=None):
    """Typeset a document with these packages and body."""
    packages = "\\usepackage{booktabs,longtable,graphicx}\n"
    start = f"\\documentclass{{article}}\n{packages}\\begin{{document}}\n"
    (folder / "all.tex").write_text(f"{start}{text}\n\\end{{document}}\n", encoding="utf-8")
    options = [] if TEX == "tectonic" else ["-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"]
    done = subprocess.run(
        [engine or str(TEX), *options, "all.tex"],
        cwd=folder,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    problem = [line for line in done.stdout.splitlines() if line.startswith(("!", "l."))]
    assert done.returncode == 0, "\n".join([*problem, done.stderr])


@pytest.mark.skipif(TEX is None, reason="there is no pdflatex, lualatex or tectonic here")
@pytest.mark.parametrize("kinds", [FEW, pytest.param(tuple(MADE), marks=pytest.mark.slow)], ids=["few", "all"])
def test_every_table_compiles(kinds, tmp_path):
    tables = [
        table.shown(rows=70 if kind == "Significance" else 3)
        for kind in kinds
        for table in made(kind).tables().values()
    ]
    tables += [replace(table, intervals=form) for table in tables for form in ("plusminus", "columns")]
    compiled("\n\n\\bigskip\n".join(f"\\tiny {table.to_latex()}" for table in tables), tmp_path)


@pytest.mark.skipif(shutil.which("lualatex") is None, reason="there is no lualatex here")
@pytest.mark.slow
def test_names_of_all_scripts_compile(tmp_path):
    table = Table(("system", "score"), (("系统 🙂 ש", 0.5), ("e\u0301", 0.4)))
    assert "% XeLaTeX or LuaLaTeX, with a font that has ש 系 统 🙂\n" in table.to_latex()
    compiled(table.to_latex(), tmp_path, engine="lualatex")


def test_intervals_have_the_form_that_is_asked_for():
    rows = {form: replace(INTERVALS, intervals=form).to_latex() for form in ("brackets", "plusminus", "columns")}
    assert r"a\_b & 0.800 [0.700, 0.900] & $<$.001 & yes & 0.75 \\" in rows["brackets"]
    assert r"c & $-$0.100 [$-$0.300, 0.100] & .250 & -- & 28\phantom{.00} \\" in rows["brackets"]
    assert r"a\_b & 0.800 $\pm$ 0.100 & $<$.001" in rows["plusminus"]
    assert r"System & $\tau_b$ & Tau b low & " in rows["columns"] or r"& 0.800 & 0.700 & 0.900 &" in rows["columns"]
    uneven = Table(("tau", "tau_low", "tau_high"), ((0.8, 0.6, 0.9),), intervals="plusminus")
    assert "$0.800^{+0.100}_{-0.200}$" in uneven.to_latex()
    assert "0.800 +0.100/−0.200" in uneven.to_html()


def test_markdown_and_html_say_the_same():
    assert INTERVALS.to_markdown().splitlines() == [
        r"| System | $\tau_b$ | $p$ | Same best system | Worth |",
        "| :--- | ---: | ---: | :--- | ---: |",
        r"| a\_b | 0.800 \[0.700, 0.900\] | &lt;.001 | yes | 0.75 |",
        r"| c | −0.100 \[−0.300, 0.100\] | .250 | – | 28 |",
    ]
    assert '<th style="text-align: right"><i>τ</i><sub>b</sub></th>' in INTERVALS.to_html()
    assert "<td>a_b</td>" in INTERVALS.to_html()


def test_a_key_that_is_the_same_in_all_rows_is_said_once():
    table = Table(("judge", "measure", "system"), (("x%", "AP", "a"), ("x%", "AP", "b")))
    assert table.to_latex().splitlines()[1:3] == ["% Judge: x%", "% Measure: AP"]
    assert table.to_markdown().startswith("Judge: x%; Measure: AP\n\n| System |")
    assert "<caption>Judge: x%; Measure: AP</caption>" in table.to_html()
    assert table.shown(["judge", "system"]).to_latex().splitlines()[3] == r"Judge & System \\"


def test_names_of_the_user_stay_as_they_are():
    table = rs.evaluate({"my_run": {"1": ["d"]}, "b": {"1": ["e"]}}, {"1": {"d": 1}}, ["nDCG@10", "AP(rel=1)"])
    assert table.to_latex().splitlines()[3] == r"System & nDCG@10 & AP(rel=1) \\"
    assert r"my\_run & 1.0000 & 1.0000 \\" in table.to_latex()


def test_ends_without_a_name_stay_columns():
    table = Table(("least", "greatest", "set_low", "set_high"), ((0.0, 1.0, 1, 3),))
    assert r"Min. & Max. & Set \\" in table.to_latex()
    assert r"0.000 & 1.000 & 1--3 \\" in table.to_latex()


def test_a_long_table_breaks_over_pages():
    table = Table(("system", "score"), tuple((f"s{i}", i / 100) for i in range(70)))
    assert "% \\usepackage{booktabs,longtable}, in one column\n\\begin{longtable}" in table.to_latex()


def test_groups_of_a_judge_have_a_table():
    track = rs.simulate_track(systems=6, topics=8, rng=1)
    settings: dict[str, Any] = {"resamples": 20, "random_draws": 5, "pseudo_draws": 2}
    groups = {system: "ab"[i % 2] for i, system in enumerate(track.runs.systems)}
    report = rs.judge(track.runs, track.truth, track.judges, ["AP"], groups=groups, **settings)
    assert report.to_frame("groups").height == 2 * len(report.judges)
    assert "by permuting the groups" in methods(report)[0]
    assert "human only, same order" in report.to_latex("pairs")


def test_frames_and_files_of_each_table(tmp_path):
    result = made("JudgeReport")
    assert result.to_frame("systems").columns[:4] == ["judge", "measure", "system", "truth_score"]
    assert result.to_csv("movers").startswith("judge,measure,system,truth_rank,judge_rank,places\n")
    result.only("pairs", rows=1).save(tmp_path / "pairs.md")
    assert (tmp_path / "pairs.md").read_text(encoding="utf-8").startswith("| Judge | Measure | Pairs |")
    with pytest.raises(rs.BadParameter, match="it has: judges, coefficients, correlations, systems, ranks"):
        result.to_latex("sistems")
