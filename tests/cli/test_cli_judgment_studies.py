"""The studies of runs and judgments on the command line."""

import csv
import io
import json
import signal
import subprocess
import sys

import pytest
from click.testing import CliRunner

from rankscope.cli import main
from rankscope.demo import demo_scores
from rankscope.files import write_runs, write_scores
from rankscope.runs import Judgments, RunSet

TOPICS = [str(t) for t in range(301, 309)]
ORDERS = {"good": "abcdefgh", "fair": "bacfdegh", "odd": "hgcdabef", "bad": "hgfedcba", "[red]": "acbdhgfe"}
STUDIES = ("pool-depth", "holes", "pseudo", "uniques", "topics", "depth-cost")
QUICK = {
    "holes": ["--repeats", "3"],
    "pseudo": ["--draws", "3"],
    "topics": ["--repeats", "5"],
    "depth-cost": ["--repeats", "2"],
}


@pytest.fixture
def track(tmp_path):
    runs = RunSet.of({s: {t: [f"d{t}{c}" for c in order] for t in TOPICS} for s, order in ORDERS.items()})
    judgments = Judgments.of(
        {t: {f"d{t}{c}": int(c in "abc" if i % 2 else c in "bcd") for c in "abcdefgh"} for i, t in enumerate(TOPICS)}
    )
    write_runs(runs, tmp_path / "runs")
    rows = judgments.to_frame().rows()
    (tmp_path / "human.qrels").write_text("".join(f"{t} 0 {d} {g:g}\n" for t, d, g in rows))
    (tmp_path / "llm.qrels").write_text("".join(f"{t} 0 {d} {int(d[-1] in 'abd')}\n" for t, d, _ in rows))
    (tmp_path / "teams.csv").write_text("run,team,pooled\ngood,A,yes\nfair,A,no\nodd,B,yes\nbad,B,yes\n[red],C,yes\n")
    return tmp_path


def call(study, track, *options, code=0):
    result = CliRunner().invoke(
        main,
        ["study", study, str(track / "runs"), "--qrels", str(track / "human.qrels"), *QUICK.get(study, []), *options],
    )
    assert result.exit_code == code, (result.output, result.exception)
    return result


@pytest.mark.parametrize("study", STUDIES)
def test_table_json_csv_and_latex(study, track):
    text = (
        call(study, track, "-m", "AP", "--resamples", "50") if study != "depth-cost" else call(study, track, "-m", "AP")
    )
    assert "5 systems" in text.stdout
    assert "τ_b" in text.stdout
    assert text.stderr == ""
    options = ["-m", "AP", "-c", "tau_b", *([] if study == "depth-cost" else ["--resamples", "0"])]
    found = json.loads(call(study, track, "--format", "json", *options).stdout)
    assert found["systems"] == 5
    assert found["topics"] == 8
    assert found["settings"]["seed"] == 0
    rows = list(csv.DictReader(io.StringIO(call(study, track, "--format", "csv", *options).stdout)))
    assert {row["measure"] for row in rows} == {"AP"}
    assert r"\begin{tabular}" in call(study, track, "--format", "latex", *options).stdout
    call(study, track, "-o", str(track / "out.txt"), *options)
    assert (track / "out.txt").read_text() == call(study, track, *options).stdout


@pytest.mark.parametrize(
    ("study", "table", "header"),
    [
        ("pool-depth", "pools", "depth,pool,judgments,relevant"),
        ("holes", "losses", "measure,significant_up_to,indistinguishable_from"),
        ("pseudo", "draws", "measure,draw,coefficient,value"),
        ("uniques", "agreements", "measure,coefficient,value,low,high,pvalue"),
        ("uniques", "contributions", "group,systems,contributing,unique,unique_relevant"),
        ("depth-cost", "cheapest", "measure,way,judge,reached,overall,depth,fraction,judgments,labels,cost,value"),
    ],
)
def test_other_tables(study, table, header, track):
    options = ["-m", "AP", "-c", "tau_b", "--table", table]
    written = call(study, track, *options, "--format", "csv").stdout
    assert written.splitlines()[0] == header
    assert len(json.loads(call(study, track, *options, "--format", "json").stdout)["rows"]) == written.count("\n") - 1


def test_pooled_systems_by_name_pattern_file_and_column(track):
    (track / "pooled.txt").write_text("good\nodd\nunknown\n")
    for words, expected in (
        (["good"], ["good"]),
        (["*d"], ["bad", "good", "odd"]),
        (["[red]"], ["[red]"]),
        ([str(track / "pooled.txt")], ["good", "odd"]),
        ([f"{track / 'teams.csv'}:pooled=no", "bad"], ["bad", "fair"]),
    ):
        given = [part for word in words for part in ("--contributing", word)]
        result = call("pool-depth", track, "-m", "AP", "--resamples", "0", "--format", "json", *given)
        assert sorted(json.loads(result.stdout)["settings"]["contributing"]) == expected


def test_groups_from_a_column(track):
    teams = ["--groups", f"{track / 'teams.csv'}:team", "--contributing", f"{track / 'teams.csv'}:pooled=yes"]
    options = ["-m", "P@2", "--depth", "1", "--resamples", "0", "--format", "json"]
    found = json.loads(call("uniques", track, *teams, *options).stdout)
    assert {one["group"] for one in found["contributions"]} == {"A", "B", "C"}
    assert found["settings"]["groups"]["fair"] == "A"


def test_a_judge_below_the_pool(track):
    result = call(
        "depth-cost", track, "--judge", str(track / "llm.qrels"), "-m", "AP", "--target", "0.7", "--depths", "1,2"
    )
    assert "a judge below: llm" in result.stdout
    assert result.stderr == ""
    assert "no people" in result.stdout


def test_scales_that_differ_are_told(track):
    (track / "graded.qrels").write_text((track / "llm.qrels").read_text().replace(" 1\n", " 3\n"))
    options = ["--judge", str(track / "graded.qrels"), "-m", "AP", "--depths", "1", "--fractions", "1"]
    assert "graded grades up to 3 and people up to 1" in call("depth-cost", track, *options).stderr
    assert call("depth-cost", track, *options, "--quiet").stderr == ""


@pytest.mark.parametrize(
    ("study", "options", "message"),
    [
        ("pool-depth", ["--depths", "0"], "each a rank from 1"),
        ("pool-depth", ["--depths", "1,x"], "'x' is not a depth"),
        ("pool-depth", ["--contributing", "nobody"], "--contributing nobody: no system has this name"),
        ("pool-depth", ["--contributing", "no/where.txt"], "no such file"),
        ("pool-depth", ["-m", "zz"], "no measure is called 'zz'"),
        ("pool-depth", ["-c", "zz"], "no coefficient is called 'zz'"),
        ("holes", ["--fractions", "0.5,7"], "from 0 to 1"),
        ("topics", ["--sizes", "99"], "from 1 to 8"),
        ("uniques", ["--groups", "none.csv:team"], "none.csv: there is no such file"),
        ("depth-cost", ["--judge", "none.qrels"], "none.qrels"),
        ("depth-cost", ["--target-coefficient", "zz"], "zz"),
        ("pseudo", ["--qrels", "none.qrels"], "none.qrels"),
    ],
)
def test_bad_input_exits_with_2_and_says_why(study, options, message, track):
    result = call(study, track, *options, code=2)
    assert message in result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.output


def test_a_checkpoint_is_gone_on_from(track):
    options = ["-m", "AP", "-c", "tau_b", "--resamples", "0", "--checkpoint", str(track / "kept")]
    first = call("holes", track, *options)
    second = call("holes", track, *options)
    assert first.stdout == second.stdout
    assert "parts are there already" in second.stderr
    assert "settings" in json.loads((track / "kept" / "study.json").read_text())
    other = call("holes", track, *options, "--seed", "1", code=2)
    assert "another study: seed was 0" in other.stderr


def test_seeds_and_threads(track):
    options = ["-m", "AP", "--format", "csv", "--resamples", "50"]
    same = {call("pseudo", track, *options, "--jobs", jobs).stdout for jobs in ("1", "3")}
    assert len(same) == 1
    assert call("pseudo", track, *options, "--seed", "1").stdout not in same


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_interrupted_it_says_what_is_kept(track):
    command = [
        sys.executable,
        "-m",
        "rankscope",
        "study",
        "holes",
        str(track / "runs"),
        "--qrels",
        str(track / "human.qrels"),
        "--repeats",
        "20000",
        "--resamples",
        "0",
        "--jobs",
        "1",
        "--checkpoint",
        str(track / "kept"),
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        for _ in range(600):
            if list((track / "kept").glob("fraction-*")) if (track / "kept").exists() else False:
                break
            try:
                process.wait(0.1)
                break
            except subprocess.TimeoutExpired:
                pass
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert f"interrupted; finished parts are in {track / 'kept'}" in said


def of_scores(folder, *options, code=0):
    result = CliRunner().invoke(main, ["study", "topics", *options, "--repeats", "3"], env={"COLUMNS": "200"})
    assert result.exit_code == code, (result.output, result.exception)
    return result


@pytest.fixture
def tables(tmp_path):
    scores = demo_scores()
    for name in ("human", "careful"):
        write_scores(scores[name].labelled(None), tmp_path / f"{name}.csv")
    return tmp_path


def test_topics_of_a_score_table_against_an_expensive_one(tables):
    options = ("-c", "tau_b", "--resamples", "0", "--sizes", "10,20", "--target", "0.6")
    sources = (f"llm={tables / 'careful.csv'}", "--against", f"people={tables / 'human.csv'}")
    text = of_scores(tables, *sources, *options).stdout
    assert text.startswith("How many topics are needed? 32 systems, 40 topics\nllm: τ_b ≥ 0.6 with the ranking by all")
    assert "with the ranking by people: reached by" in text
    assert "people has all of these 40 topics, too" in text
    found = json.loads(of_scores(tables, *sources, *options, "--format", "json").stdout)
    assert (found["truth"], found["shared"], found["judgments"], found["measures"]) == ("people", 40, None, ["llm"])
    needed = of_scores(tables, *sources, *options, "--format", "csv", "--table", "needed").stdout
    assert [row["against"] for row in csv.DictReader(io.StringIO(needed))] == ["all", "others", "truth"]


def test_two_measures_of_one_file(tables):
    rows = [f"{t},{s},{m},{v}" for t in "1234" for s, v in (("a", 0.2), ("b", 0.3)) for m in ("AP", "P@10")]
    (tables / "long.csv").write_text("\n".join(("topic,system,measure,score", *rows)))
    long = str(tables / "long.csv")
    options = ("-m", "P@10", "--resamples", "0", "-c", "tau_b")
    found = of_scores(tables, long, *options, "--against", long, "--truth-measure", "AP", "--format", "json")
    assert json.loads(found.stdout)["measures"] == ["P@10"]
    refused = of_scores(tables, long, *options, "--truth-measure", "AP", code=2)
    assert "--against FILE" in refused.stderr
    assert "run it once for each" in of_scores(tables, long, *options, "-m", "AP", code=2).stderr


def test_options_of_the_other_kind_of_input_are_refused(tables, track):
    assert "--ties" in of_scores(tables, str(tables / "human.csv"), "--ties", "rank", code=2).stderr
    assert "--aggregate" in call("topics", track, "--aggregate", "median", code=2).stderr
    assert "is for scores" in call("topics", track, "--on-duplicate", "mean", code=2).stderr
