"""Values at the edge of what can be: an error in one line, or an answer, and never a traceback."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import rankscope as rs
from rankscope.cli import main
from writing_commands import make_input

JUDGE = ("judge", "runs", "--truth", "truth.txt", "--judge", "cheap.txt", "-m", "AP", "--random-draws", "0")
QUICK = ("--resamples", "20")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("odd")
    make_input(folder)
    (folder / "huge.csv").write_text("topic,a,b,c\n1,1e308,-1e308,1e307\n2,-1e308,1e308,1e308\n3,1e308,1e308,5e307\n")
    return folder


@pytest.fixture
def run(files, monkeypatch):
    monkeypatch.chdir(files)

    def invoke(*words):
        done = CliRunner().invoke(main, words)
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return done

    return invoke


@pytest.mark.parametrize(
    "words", [("compare", "a.csv", "b.csv"), ("reliability", "a.csv"), ("study", "gaps"), ("nulls", "a.csv"), JUDGE]
)
def test_a_negative_seed(run, words):
    done = run(*words, "--seed", "-1")
    assert done.exit_code == 2
    assert "'--seed': -1 is not in the range x>=0" in done.stderr


def test_a_seed_of_many_digits(run):
    assert run("compare", "a.csv", "b.csv", *QUICK, "--seed", "9" * 60).exit_code == 0


@pytest.mark.parametrize("level", ["1e-300", "0.9999999999999999", "0", "1", "nan", "-inf"])
@pytest.mark.parametrize("words", [JUDGE, ("compare", "a.csv", "b.csv"), ("metrics", "correlate", "measures.csv")])
def test_a_level_that_rounds_away(run, words, level):
    done = run(*words, *QUICK, "--level", level)
    assert done.exit_code == 2
    assert "'--level'" in done.stderr


@pytest.mark.parametrize("level", ["0.001", "0.9999"])
def test_the_least_and_the_greatest_level(run, level):
    for words in (JUDGE, ("compare", "a.csv", "b.csv"), ("reliability", "a.csv")):
        assert run(*words, *QUICK, "--level", level).exit_code == 0


def test_a_level_in_python():
    with pytest.raises(rs.BadParameter, match=r"level=1e-300: a number from 0\.001 to 0\.9999, such as 0\.95"):
        rs.bootstrap([[1.0, 2.0], [2.0, 1.0], [1.0, 3.0]], [[1.0, 2.0], [2.0, 1.0], [1.0, 3.0]], level=1e-300)


@pytest.mark.parametrize("measure", ["nDCG@99999999999999999999", "P@2147483648", "RBP@1e300", "Judged@9" + "9" * 400])
def test_a_huge_cutoff(run, measure):
    done = run("evaluate", "runs", "--qrels", "truth.txt", "-m", measure)
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("rankscope: ")


def test_the_greatest_cutoff_and_its_name(run):
    done = run("evaluate", "runs", "--qrels", "truth.txt", "-m", "nDCG@2147483647", "--format", "csv")
    assert done.stdout.startswith("system,nDCG@2147483647\n")


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "huge.csv", "huge.csv"),
        ("reliability", "huge.csv"),
        ("nulls", "huge.csv"),
        ("simulate", "huge.csv"),
        ("study", "swaps", "huge.csv"),
        ("study", "weights", "huge.csv"),
        ("study", "estimators", "huge.csv", "--drop", "0"),
        ("metrics", "correlate", "huge.csv", "--by", "systems"),
    ],
)
def test_scores_near_the_end_of_numbers(run, words):
    done = run(*words)
    assert done.exit_code == 2
    told = "rankscope: scores beyond 1e+150 cannot be averaged and squared; divide all scores by a constant\n"
    assert done.stderr == told


@pytest.mark.parametrize(
    "words",
    [
        ("evaluate", "~nouser/x", "--qrels", "truth.txt"),
        ("evaluate", "runs", "--qrels", "~nouser/x"),
        ("evaluate", "runs", "--qrels", "truth.txt", "--cache", "~nouser/x"),
        ("compare", "~nouser/x", "a.csv"),
        ("metrics", "correlate", "--runs", "~nouser/x", "truth.txt"),
        ("judge", "runs", "--truth", "truth.txt", "--judge", "~nouser/x"),
    ],
)
def test_a_home_of_nobody(run, words):
    done = run(*words)
    assert done.exit_code == 2
    assert done.stderr == "rankscope: ~nouser/x: there is no home folder of this name; check the path\n"


STUDY = ("--qrels", "truth.txt", "-m", "AP", *QUICK)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("metrics", "correlate", "measures.csv", "--measures", ""), "--measures names no measure"),
        (("metrics", "correlate", "--runs", "x" * 300, "truth.txt"), "File name too long"),
        (("study", "uniques", "runs", *STUDY, "--contributing", "x" * 300), "no system has this name"),
        (("study", "pool-depth", "runs", *STUDY, "--depths", "9" * 25), "each a rank from 1 to 2,147,483,646"),
        ((*JUDGE, *QUICK, "--pool-depth", "9" * 25), "a rank from 1 to 2,147,483,646"),
        (("judge", "runs", "--truth", "truth.txt", "--judge", "a=" + "x" * 300), "File name too long"),
        (("rank", "a.csv", "-o", "x" * 300 + ".csv"), "cannot be written (File name too long)"),
        (("rank", "a.csv", "-o", "x" * 300 + "/"), "cannot be written (File name too long)"),
        (
            ("plan", "runs", "--judge", "truth.txt", "--budget", "100%", "-o", "x" * 300 + ".qrels"),
            "cannot be written (File name too long)",
        ),
        (("study", "estimators", "a.csv", "--sizes", "9" * 25), "is not a number of topics"),
        (("study", "estimators", "a.csv", "--sizes", "1..999999999999"), "is not a number of topics"),
        (("simulate", "a.csv", "--topics", "9" * 25), "is not in the range 1<=x<=100000000"),
    ],
)
def test_what_random_command_lines_found(run, words, problem):
    done = run(*words)
    assert done.exit_code == 2
    assert problem in done.stderr.splitlines()[-1]


def test_a_warning_is_a_remark_and_said_once(run):
    done = run("study", "uniques", "runs", "--qrels", "truth.txt", "-m", "trec", *QUICK)
    assert done.exit_code == 0
    told = [line for line in done.stderr.splitlines() if "a side scores all systems alike" in line]
    assert len(told) == 1
    assert told[0].startswith("rankscope: ")


@pytest.mark.skipif(sys.platform != "linux", reason="the address space is limited on Linux")
def test_memory_that_is_not_there(files):
    code = "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30)); "
    code += "from rankscope.cli import main; main(sys.argv[1:])"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-c", code, "simulate", "a.csv", "--topics", "100000000", "--jobs", "1"]
    done = subprocess.run(words, cwd=files, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("rankscope: not enough memory (")


def test_python_without_docstrings(files):
    """Altair cannot be imported then; all but charts works."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    code = (
        "import sys; from rankscope.cli import main\n"
        "for words in (['-o', 'out/report.html'], ['-o', 'out/chart.svg'], ['--format', 'json']):\n"
        "    try: main([*sys.argv[1:], *words])\n"
        "    except SystemExit as end: print('ended', end.code)"
    )
    words = [sys.executable, "-OO", "-c", code, "compare", "a.csv", "b.csv", *QUICK]
    done = subprocess.run(words, cwd=files, env=environment, capture_output=True, text=True, check=True)
    told = "rankscope: charts and pages cannot be made by `python -OO` (PYTHONOPTIMIZE=2); use -O, or neither\n"
    assert done.stderr == 2 * told
    assert re.findall(r"^ended (\d)", done.stdout, re.MULTILINE) == ["2", "2", "0"]


def test_pages_have_the_licences_of_what_they_contain(run):
    assert run("compare", "a.csv", "b.csv", *QUICK, "-o", "out/page.html").exit_code == 0
    assert run("reliability", "a.csv", *QUICK, "-o", "out/figure.html").exit_code == 0
    notices = (Path(rs.__file__).parent / "report" / "assets" / "NOTICES.txt").read_text(encoding="utf-8")
    for page in ("page.html", "figure.html"):
        text = Path("out", page).read_text(encoding="utf-8")
        assert text.count(notices) == 1
        assert re.search(r"<script>/\*!\nThe charts of this page are drawn by the software below", text)
    for holder in ("University of Washington Interactive Data Lab", "Mike Bostock", "Joachim Wester"):
        assert holder in notices
