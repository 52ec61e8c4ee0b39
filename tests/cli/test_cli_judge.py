"""`rankscope judge` as a person runs it."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import rankscope as rs
from rankscope.cli import main
from rankscope.demo import write_track

QUICK = ["--resamples", "100", "--random-draws", "20", "--pseudo-draws", "5", "-q"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("track")
    write_track(rs.simulate_track(12, 15, rng=3), folder)
    return folder


def run(folder, *words):
    base = ["judge", str(folder / "runs"), "--truth", str(folder / "human.qrels")]
    return CliRunner().invoke(main, [*base, *words, *QUICK])


def test_says_the_verdict_first(folder):
    done = run(folder, "--judge", str(folder / "careful.qrels"), "--judge", f"p={folder / 'partial.qrels'}", "-m", "AP")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0] == "Can these 2 judges rank 12 systems on 15 topics instead of human?"
    assert lines[1].startswith("• ")
    assert "(AP). " in lines[1]
    assert "careful" in lines[1]
    assert lines[2].startswith("A topic of careful is worth ")
    assert "worth of a topic" in done.stdout
    assert "Agreement of labels" in done.stdout


def test_one_judge_is_told_in_detail(folder):
    groups = f"{folder / 'families.csv'}:family"
    done = run(folder, "--judge", str(folder / "partial.qrels"), "-m", "nDCG@10", "--groups", groups)
    assert done.exit_code == 0, done.output
    for part in (
        "condition",
        "Groups",
        "ranks gained",
        "Scores by partial",
        "Largest moves",
        "A topic of partial is worth",
    ):
        assert part in done.stdout


def test_json_holds_everything(folder, tmp_path):
    path = tmp_path / "report.json"
    done = run(folder, "--judge", str(folder / "careful.qrels"), "-o", str(path))
    assert done.exit_code == 0, done.output
    read = json.loads(path.read_text())
    answer = read["answers"][0]
    wanted = {"verdict", "agreement", "top", "pseudo", "shift", "movers"}
    assert wanted <= answer.keys()
    assert {"level", "worth", "own_worth", "reasons", "warnings", "rule"} <= answer["verdict"].keys()
    assert {"certainty", "winner", "verdict"} <= answer["agreement"].keys()
    assert [level["judge"] for level in read["levels"]] == ["careful"]
    assert read["measures"] == ["nDCG@10", "AP"]


def test_hostile_names_are_text_on_the_page(folder, tmp_path):
    path = tmp_path / "page.html"
    name = "<script>alert(1)</script>"
    done = run(folder, "--judge", f"{name}={folder / 'careful.qrels'}", "-m", "AP", "-o", str(path))
    assert done.exit_code == 0, done.output
    assert "<script>alert(1)" not in path.read_text()


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--judge", "nowhere.qrels"], "no such file"),
        (["--judge", "{folder}/careful.qrels", "--judge", "{folder}/careful.qrels"], "two judges are called 'careful'"),
        (["--judge", "{folder}/careful.qrels", "-m", "nGCD@10"], "nDCG"),
        (["--judge", "{folder}/runs/lexical-01.run"], "lexical-01.run"),
        (["--judge", "{folder}/careful.qrels", "--groups", "{folder}/human.csv"], "human.csv"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(folder, words, problem):
    done = run(folder, *[word.format(folder=folder) for word in words])
    assert done.exit_code == 2
    assert problem in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_real_grades_need_a_level_for_binary_measures(folder, tmp_path):
    truth = rs.read_judgments(folder / "human.qrels")
    real = tmp_path / "real.qrels"
    rs.write_judgments(truth.with_grades(truth.grades + np.linspace(0, 0.4, len(truth))), real)
    done = run(folder, "--judge", str(real), "-m", "AP")
    assert done.exit_code == 2
    assert "--judge real=FILE:rel=1" in done.stderr
    assert run(folder, "--judge", f"{real}:rel=1", "-m", "AP").exit_code == 0
    assert run(folder, "--judge", str(real), "-m", "AP(rel=1)").exit_code == 0


def test_a_judge_says_what_its_grades_mean_after_its_file(folder, tmp_path):
    truth = rs.read_judgments(folder / "human.qrels")
    rs.write_judgments(truth.binary(rel=2), tmp_path / "yesno.qrels")
    judge = f"llm={tmp_path / 'yesno.qrels'}"
    done = run(folder, "--judge", f"{judge}:rel=1", "-m", "AP(rel=2)", "-o", str(tmp_path / "r.json"))
    assert done.exit_code == 0, done.output
    read = json.loads((tmp_path / "r.json").read_text())
    assert read["settings"]["scales"] == {"llm": {"rel": 1.0, "map": None}}
    assert read["answers"][0]["verdict"]["level"] == "interchangeable"
    done = run(folder, "--judge", f"{judge}:map=1>2,0>0", "-m", "AP(rel=2)")
    assert "INTERCHANGEABLE" in done.stdout
    assert "1 → 2" in done.stdout


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ("rel=high", "'high' is not a grade"),
        ("map=1", "such as map=1>2"),
        ("map=1>x", "'x' is not a grade"),
        ("level=1", "there are rel, map"),
        ("map=9>1", "no label has this grade"),
    ],
)
def test_what_cannot_be_said_of_a_judge(folder, keys, problem):
    done = run(folder, "--judge", f"{folder / 'careful.qrels'}:{keys}", "-m", "AP")
    assert done.exit_code == 2
    assert problem in done.stderr


def test_systems_are_chosen_and_shown_under_other_names(folder, tmp_path):
    systems = [path.stem for path in sorted((folder / "runs").glob("*.run"))]
    about = tmp_path / "about.csv"
    rows = [f"{s},{s.upper()},{s.split('-')[0]}" for s in systems]
    about.write_text("\n".join(["system,name,group", *rows]))
    out = tmp_path / "r.json"
    words = ["--judge", str(folder / "careful.qrels"), "-m", "AP", "--names", str(about), "--groups", str(about)]
    done = run(folder, *words, "--exclude", systems[0], "--exclude", f"{systems[1][:-1]}2", "-o", str(out))
    assert done.exit_code == 0, done.output
    read = json.loads(out.read_text())
    assert set(read["systems"]) == {s.upper() for s in systems if s not in (systems[0], f"{systems[1][:-1]}2")}
    assert read["groups"][systems[-1].upper()] == systems[-1].split("-")[0]
    assert (read["remarks"][0]["kind"], read["remarks"][0]["total"]) == ("systems left out", len(systems))
    assert [part["role"] for part in read["settings"]["inputs"]][-2:] == ["groups", "names"]
    done = run(folder, *words, "--systems", "nothing*")
    assert (done.exit_code, "--systems nothing*: no system has this name" in done.stderr) == (2, True)
    about.write_text("\n".join(["system,name", *(f"{s},same" for s in systems)]))
    done = run(folder, "--judge", str(folder / "careful.qrels"), "--names", str(about))
    assert "would both be 'same'" in done.stderr
