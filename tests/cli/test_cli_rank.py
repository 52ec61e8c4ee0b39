"""`rankscope rank`: score tables, runs with judgments, and leaderboards with standard errors."""

import json

import pytest
from click.testing import CliRunner

import rankscope as rs
from rankscope.cli import main
from rankscope.demo import demo_scores


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("human", "partial"):
        rs.write_scores(demo_scores()[name], tmp_path / f"{name}.csv")
    (tmp_path / "bare.csv").write_text("model,acc\na,0.7\nb,0.69\n")
    (tmp_path / "board.csv").write_text("model,acc,stderr\na,0.7,0.01\nb,0.69,0.01\nc,0.5,0.02\nd,0.2,0.01\n")
    return lambda *words: CliRunner().invoke(main, ["rank", *words, "--resamples", "200"], catch_exceptions=False)


def test_json_equals_the_librarys(run):
    said = json.loads(run("human.csv", "partial.csv", "--format", "json").stdout)
    result = json.loads(rs.rank("human.csv", "partial.csv", resamples=200).to_json())
    del said["settings"], result["settings"]
    assert said == result


@pytest.mark.parametrize("kind", ["typical", "marginal", "simultaneous"])
def test_the_kind_is_shown_and_all_are_in_csv(run, kind):
    assert f"Rank sets are {kind}:" in run("human.csv", "--kind", kind).stdout
    header = run("human.csv", "--kind", kind, "--format", "csv").stdout.splitlines()[0].split(",")
    assert {f"{each}_low" for each in ("typical", "marginal", "simultaneous")} <= set(header)


def test_runs_are_scored_and_each_measure_is_ranked(run, tmp_path):
    track = rs.simulate_track(systems=6, topics=8, rng=1)
    rs.write_runs(track.runs, tmp_path / "runs")
    rs.write_judgments(track.truth, tmp_path / "truth.qrels")
    said = json.loads(run("runs", "--qrels", "truth.qrels", "-m", "AP", "-m", "P@5", "--format", "json").stdout)
    assert [board["label"] for board in said["leaderboards"]] == ["AP", "P@5"]
    evaluation = rs.evaluate("runs", "truth.qrels", ["AP", "P@5"])
    result = rs.rank(evaluation.scores["AP"], evaluation.scores["P@5"], resamples=200)
    assert said["leaderboards"] == result.to_dict()["leaderboards"]
    assert [given["role"] for given in said["settings"]["inputs"]] == ["judgments", "runs"]
    assert "side by side" in run("runs", "--qrels", "truth.qrels", "-m", "AP", "-m", "P@5").stdout


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("-m", "acc"),
        ("--error-column", "stderr"),
        ("--system-column", "model", "--score-column", "acc", "--error-column", "stderr"),
    ],
)
def test_a_leaderboard_with_standard_errors(run, words):
    said = json.loads(run("board.csv", *words, "--format", "json").stdout)
    errors = {"a": 0.01, "b": 0.01, "c": 0.02, "d": 0.01}
    result = rs.rank({"a": 0.7, "b": 0.69, "c": 0.5, "d": 0.2}, standard_errors=errors, resamples=200)
    assert said["leaderboards"][0]["systems"] == result.to_dict()["leaderboards"][0]["systems"]


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("bare.csv",), "--error-column NAME"),
        (("board.csv", "-m", "acc", "-m", "f1", "--error-column", "stderr"), "belongs to one measure"),
        (("human.csv", "--error-column", "stderr"), "no column is called 'stderr'"),
        (("human.csv", "--ties", "rank"), "does not take --ties"),
        (("human.csv", "--qrels", "q", "--error-column", "x"), "does not take --error-column"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(run, words, problem):
    done = run(*words)
    assert done.exit_code == 2
    assert problem in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_tables_columns_and_digits_can_be_chosen(run, tmp_path):
    latex = run("human.csv", "--format", "latex", "--columns", "rank,system,typical_low", "--digits", "1").stdout
    assert latex.splitlines()[3] == r"Rank & System & Typical low \\"
    assert latex.splitlines()[5].startswith("1 & ")
    assert run("human.csv", "--table", "outlook", "--format", "csv").stdout.startswith("scores,times,topics,width")
    assert run("human.csv", "--columns", "system", "-o", "names.csv").exit_code == 0
    assert (tmp_path / "names.csv").read_text().splitlines()[0] == "system"
    assert run("human.csv", "--columns", "system").stdout.split()[0] == "system"
    refused = run("human.csv", "--columns", "sistem")
    assert (refused.exit_code, "there is no column 'sistem'; there are: scores, system" in refused.stderr) == (2, True)
    assert "has no table 'x'; it has: systems, groups" in run("human.csv", "--table", "x").stderr


def test_aggregates_of_one_table_stand_side_by_side(run):
    done = run("human.csv", "human.csv:aggregate=median", "--format", "json")
    boards = json.loads(done.stdout)["leaderboards"]
    assert [(board["label"], board["aggregate"]) for board in boards] == [
        ("human.csv, mean", "mean"),
        ("human.csv, median", "median"),
    ]
    text = run("human.csv", "human.csv:aggregate=median").stdout
    assert "Ranks by human.csv, median: " in text
    assert "one of mean, median" in run("human.csv:aggregate=mode").stderr
