"""The command line as a user meets it: exit codes, what goes where, errors in one line."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

import rankscope as rs
from rankscope.cli import main

HOSTILE = ["<script>alert(1)</script>", "</script>\"'", "[red]x[/red]", "täu, ρ\nnew", "=cmd()", "  spaced  "]


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def invoke(*words):
        return CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)

    return invoke


@pytest.fixture
def tables(tmp_path):
    (tmp_path / "truth.csv").write_text("system,score\na,0.9\nb,0.5\nc,0.4\nd,0.1\n")
    (tmp_path / "judge.csv").write_text("system,score\nd,0.2\nc,0.6\nb,0.5\na,0.8\n")
    return tmp_path / "truth.csv", tmp_path / "judge.csv"


def test_table_by_default(run, tables):
    done = run("compare", *tables)
    assert done.exit_code == 0
    assert "judge.csv instead of truth.csv: 4 systems" in done.stdout
    assert "1 of 6 pairs change order (16.7 %)." in done.stdout
    assert "kendall, tau_b" in done.stdout
    assert not done.stderr
    assert "\x1b[" not in done.stdout  # plain where it is not a terminal


def test_json_equals_the_librarys(run, tables):
    done = run("compare", *tables, "--format", "json", "-c", "tau_ap", "-c", "tau_gap@3")
    read = json.loads(done.stdout)
    inputs = read["settings"].pop("inputs")  # what the command knows of the files, and the library does not
    assert [one["path"] for one in inputs] == [str(path) for path in tables]
    assert read == json.loads(rs.compare(*tables, coefficients=["tau_ap", "tau_gap@3"]).to_json())
    assert [c["name"] for c in json.loads(done.stdout)["estimates"][0]["coefficients"]] == ["tau_ap", "tau_gap@3"]


@pytest.mark.parametrize(
    ("style", "start"),
    [("csv", "estimate,coefficient,value"), ("latex", "% \\usepackage"), ("table", "judge.csv")],
)
def test_formats(run, tables, tmp_path, style, start):
    assert run("compare", *tables, "--format", style).stdout.startswith(start)
    done = run("compare", *tables, "--format", style, "-o", tmp_path / "out")
    assert done.stdout == ""
    assert (tmp_path / "out").read_text().startswith(start)


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("out.json", b"{"),
        ("out.csv", b"estimate,"),
        ("out.tex", b"% \\usepackage{booktabs}"),
        ("out.txt", b"judge.csv"),
        ("out.html", b"<!doctype html>"),
        ("out.svg", b"<svg"),
        ("out.png", b"\x89PNG"),
        ("out.pdf", b"%PDF"),
    ],
)
def test_output_by_extension(run, tables, tmp_path, name, start):
    assert run("compare", *tables, "-o", tmp_path / name).exit_code == 0
    assert (tmp_path / name).read_bytes().startswith(start)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(["truth.csv", "judge.csv", name])  # nothing left behind


def refused(done, *parts):
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.startswith("rankscope: ")
    assert done.stderr.count("\n") == 1
    assert all(part in done.stderr for part in parts), done.stderr


def test_bad_input_is_one_line_and_exit_2(run, tables, tmp_path):
    refused(run("compare", tables[0], tmp_path / "absent.csv"), "absent.csv")
    (tmp_path / "bad.csv").write_text("system,score\na,0.9\nb,high\n")
    refused(run("compare", tables[0], tmp_path / "bad.csv"), "bad.csv:3", "high")
    (tmp_path / "part.csv").write_text("system,score\na,0.9\nb,0.1\n")
    refused(
        run("compare", tables[0], tmp_path / "part.csv"), "2 of 4 systems only in the truth", "--on-missing intersect"
    )
    refused(run("compare", *tables, "-c", "tau_app"), "did you mean tau_ap")
    refused(run("compare", *tables, "-c", "rbo(p=2)"), "p=2.0")
    refused(run("compare", *tables, "-c", "rbo(q=2)"), "no parameter 'q'")
    refused(run("compare", *tables, "-o", tmp_path / "out.xyz"), ".xyz", ".json")
    refused(run("compare", *tables, "-o", tmp_path / "no" / "folder" / "out.json"), "out.json")


def test_on_missing(run, tables, tmp_path):
    (tmp_path / "part.csv").write_text("system,score\na,0.9\nb,0.1\nz,0.3\n")
    for policy, systems in (("intersect", 2), ("zero", 5)):
        done = run("compare", tables[0], tmp_path / "part.csv", "--on-missing", policy, "--format", "json")
        assert len(json.loads(done.stdout)["estimates"][0]["systems"]) == systems


def test_two_measures_of_one_file(run, tmp_path):
    path = tmp_path / "board.csv"
    path.write_text("system,AP,P@10\na,0.3,0.5\nb,0.2,0.6\n")
    refused(run("compare", path, path), "board.csv", "AP", "P@10", "--measure")
    done = run("compare", path, path, "--truth-measure", "AP", "--estimate-measure", "P@10", "--format", "json")
    assert json.loads(done.stdout)["estimates"][0]["coefficients"][0]["value"] == -1.0


@pytest.mark.parametrize("extension", ["json", "csv", "tex", "txt", "html", "svg"])
def test_hostile_names_are_names(run, tmp_path, extension):
    board = rs.SystemScores([0.1 * i for i in range(len(HOSTILE))], HOSTILE)
    rs.write_scores(board, tmp_path / "a.csv")
    rs.write_scores(rs.SystemScores(board.values[::-1], HOSTILE), tmp_path / "b.csv")
    done = run("compare", tmp_path / "a.csv", tmp_path / "b.csv", "-o", tmp_path / f"out.{extension}")
    assert done.exit_code == 0, done.stderr
    text = (tmp_path / f"out.{extension}").read_text()
    if extension == "html":
        assert "<script>alert" not in text
    if extension == "json":
        assert {s["system"] for s in json.loads(text)["estimates"][0]["systems"]} == set(
            rs.read_scores(tmp_path / "a.csv").systems
        )


def test_demo_writes_ordinary_files(run, tmp_path, demo_folder):
    folder = demo_folder / "rankscope-demo"
    assert {p.name for p in folder.iterdir()} >= {
        "runs",
        "families.csv",
        "report.json",
        "report.html",
        "human-half.qrels",
        *(f"{judge}.{kind}" for judge in ("human", "careful", "lenient", "partial") for kind in ("qrels", "csv")),
    }
    assert len(list((folder / "runs").glob("*.run"))) == 40
    assert rs.read_scores(folder / "human.csv").values.shape == (50, 40)
    assert rs.read_judgments(folder / "partial.qrels").topics == rs.read_judgments(folder / "human.qrels").topics
    (tmp_path / "file").write_text("")
    refused(run("demo", "--folder", tmp_path / "file" / "sub"), "choose another folder")


def test_version_and_module():
    done = subprocess.run([sys.executable, "-m", "rankscope", "--version"], capture_output=True, text=True, check=True)
    assert rs.__version__ in done.stdout


def test_a_closed_pipe_is_not_an_error(tables):
    command = f"{sys.executable} -m rankscope compare {tables[0]} {tables[1]} | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("model", "words", "named"),
    [
        ("effects", ["--margin", "beta", "--trees", "5"], ("--margin, --trees", "--model margins")),
        ("effects", ["--criterion", "aic"], ("--criterion", "--model margins")),
        ("margins", ["--normal", "--homoscedastic"], ("--normal, --homoscedastic", "--model effects")),
    ],
)
def test_simulate_refuses_options_of_the_other_model(run, tmp_path, model, words, named):
    (tmp_path / "scores.csv").write_text("topic,a,b\n1,0.1,0.25\n2,0.33,0.4\n3,0.5,0.15\n")
    refused(run("simulate", "scores.csv", "--model", model, *words), f"--model {model} does not take", *named)
    assert run("simulate", "scores.csv", "--model", model).exit_code == 0
