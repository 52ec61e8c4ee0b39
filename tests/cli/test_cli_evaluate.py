"""`rankscope evaluate` as a person meets it."""

import gzip
import json

import numpy as np
import pytest
from click.testing import CliRunner

import rankscope as rs
from narrowing import by_topic
from rankscope.cli import main

RUNS = {
    "bm25": "1 Q0 a 1 3 x\n1 Q0 b 2 2 x\n1 Q0 c 3 1 x\n2 Q0 d 1 2 x\n2 Q0 e 2 1 x\n",
    "dense": "1 Q0 c 1 3 y\n1 Q0 u 2 2 y\n1 Q0 a 3 1 y\n9 Q0 a 1 1 y\n",
    "[red]ß": "1 Q0 u 1 3 z\n2 Q0 u 1 3 z\n",
}
QRELS = "1 0 a 2\n1 0 b 0\n1 0 c 1\n2 0 e 1\n2 0 d 0\n3 0 z 1\n"


@pytest.fixture
def track(tmp_path, monkeypatch):
    (tmp_path / "runs").mkdir()
    for name, text in RUNS.items():
        (tmp_path / "runs" / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "qrels.txt").write_text(QRELS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*words):
    return CliRunner().invoke(main, ["evaluate", *words])


def test_table_of_means(track):
    done = call("runs", "--qrels", "qrels.txt", "-m", "RR", "-m", "P_2")
    assert done.exit_code == 0, done.output
    lines = [line.split() for line in done.stdout.splitlines() if line.strip()]
    assert " ".join(lines[0]) == "Scores by RR, P@2: 3 systems on 3 topics"
    assert lines[1] == ["system", "RR", "P@2"]
    assert lines[3] == ["bm25", "0.5000", "0.3333"]
    assert lines[4] == ["dense", "0.3333", "0.1667"]
    assert lines[5] == ["[red]ß", "0.0000", "0.0000"]


def test_remarks_on_coverage_go_to_stderr(track):
    done = call("runs", "--qrels", "qrels.txt", "-m", "RR")
    said = done.stderr
    assert "no run has 1 judged topic: '3'" in said
    assert "1 topic of the runs not judged, left out: '9'" in said
    assert "1 system retrieved nothing for some judged topics, which count as 0: 'dense (1)'" in said
    assert "1 system without a judged document: '[red]ß'" in said
    assert call("runs", "--qrels", "qrels.txt", "-q").stderr == ""
    assert "left out for it" in call("runs", "--qrels", "qrels.txt", "--topics", "retrieved").stderr


def test_systems_are_chosen_and_named(track):
    (track / "names.csv").write_text("system,name,group\ndense,Dense,neural\nbm25,BM25,lexical\n")
    done = call("runs", "--qrels", "qrels.txt", "-m", "RR", "--exclude", "[[]red*", "--names", "names.csv")
    assert [line.split()[0] for line in done.stdout.splitlines()[4:]] == ["BM25", "Dense"]
    assert "1 of 3 systems are left out (--systems, --exclude)" in done.stderr
    done = call("runs", "--qrels", "qrels.txt", "-m", "RR", "--strip-prefix", "bm")
    assert [line.split()[0] for line in done.stdout.splitlines()[4:]] == ["25", "dense", "[red]ß"]
    ranked = CliRunner().invoke(
        main, ["rank", "runs", "--qrels", "qrels.txt", "-m", "RR", "--systems", "*e*", "--format", "csv", "-q"]
    )
    assert ranked.exit_code == 0, ranked.output
    assert "bm25" not in ranked.stdout


def test_json_has_everything_or_the_rows_of_a_table(track):
    whole = json.loads(call("runs", "--qrels", "qrels.txt", "--measures", "RR", "--format", "json").stdout)
    assert (whole["rankscope"]["result"], whole["measures"]) == ("Evaluation", ["RR"])
    done = call("runs", "--qrels", "qrels.txt", "--measures", "RR", "--table", "systems", "--format", "json")
    assert json.loads(done.stdout)["rows"][0] == {"system": "bm25", "RR": 0.5}
    done = call("runs", "--qrels", "qrels.txt", "-m", "RR", "--table", "topics", "--format", "json")
    assert json.loads(done.stdout)["rows"][1] == {"system": "bm25", "topic": "2", "measure": "RR", "value": 0.5}


@pytest.mark.parametrize("name", ["out.csv", "out.json", "out.tex", "out.txt"])
@pytest.mark.parametrize("by_topic", [[], ["--by-topic"]])
def test_files(track, name, by_topic):
    done = call("runs", "--qrels", "qrels.txt", "-o", name, *by_topic)
    assert done.exit_code == 0
    assert done.stdout == ""
    assert "bm25" in (track / name).read_text()


def test_csv_reads_back(track):
    direct = rs.evaluate("runs", "qrels.txt", "nDCG@10 AP")
    call("runs", "--qrels", "qrels.txt", "-o", "means.csv")
    means = rs.read_scores("means.csv", measure="nDCG@10")
    assert means.systems == direct.systems
    assert sorted(means.values) == sorted(direct.summaries["nDCG@10"].values)
    call("runs", "--qrels", "qrels.txt", "-o", "topics.csv", "--by-topic")
    scores = rs.read_scores("topics.csv", measure="AP").select(systems=direct.scores["AP"].systems)
    assert np.array_equal(scores.values, direct.scores["AP"].values)
    assert by_topic(scores).topics == direct.scores["AP"].topics


def test_trec_eval_layout_reads_back(track):
    done = call(
        "runs",
        "--qrels",
        "qrels.txt",
        "-m",
        "trec ndcg_cut_10 ERR@20",
        "--by-topic",
        "--format",
        "trec_eval",
        "-o",
        "scores.eval",
    )
    assert done.exit_code == 0, done.output
    lines = (track / "scores.eval").read_text().splitlines()
    assert lines[0] == f"{'num_ret':<22}\t1\t3"
    assert f"{'runid':<22}\tall\tbm25" in lines
    assert f"{'recip_rank':<22}\tall\t0.5000" in lines
    assert f"{'num_q':<22}\tall\t3" in lines
    assert f"{'iprec_at_recall_0.10':<22}\tall\t0.5000" in lines
    assert not any(line.startswith(("num_q", "gm_map")) and "\tall\t" not in line for line in lines)
    direct = rs.evaluate("runs", "qrels.txt", "map ndcg_cut_10 ERR@20")
    for name in ("map", "nDCG@10", "ERR@20"):
        scores = rs.read_scores("scores.eval", measure=name).select(systems=direct.scores[name].systems)
        assert np.allclose(scores.values, direct.scores[name].values, rtol=0, atol=5.01e-5)
        assert by_topic(scores).topics == direct.scores[name].topics
    done = call("runs", "--qrels", "qrels.txt", "-m", "map", "--format", "trec_eval")
    assert all(line.split("\t")[1] == "all" for line in done.stdout.splitlines())


def test_missing_topics_are_not_printed_as_scores(track):
    done = call(
        "runs", "--qrels", "qrels.txt", "-m", "map", "--by-topic", "--topics", "retrieved", "--format", "trec_eval"
    )
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    dense = rows[rows.index([f"{'runid':<22}", "all", "dense"]) - 1]
    assert dense[1] == "1"  # and nothing for topic 2, which it has not
    assert "nan" not in done.stdout
    done = call(
        "runs", "--qrels", "qrels.txt", "-m", "map", "--table", "topics", "--topics", "retrieved", "--format", "json"
    )
    assert {"system": "dense", "topic": "2", "measure": "AP", "value": None} in json.loads(done.stdout)["rows"]


def test_reading_options(track):
    assert call("runs", "--qrels", "qrels.txt", "--name", "tag", "--format", "csv").stdout.splitlines()[1][:2] == "x,"
    (track / "twice.run").write_text("1 Q0 a 1 3 x\n1 Q0 a 2 9 x\n")
    done = call("twice.run", "--qrels", "qrels.txt")
    assert done.exit_code == 2
    assert "twice.run:2" in done.stderr
    assert call("twice.run", "--qrels", "qrels.txt", "--on-duplicate", "best").exit_code == 0
    (track / "ties.run").write_text("1 Q0 a 1 3 x\n1 Q0 u 2 3 x\n")
    first = [
        call("ties.run", "--qrels", "qrels.txt", "-m", "RR@1", "--ties", how, "--format", "csv").stdout[-4:-1]
        for how in ("id", "rank")
    ]
    assert first == ["0.0", "333"]
    (track / "conflict.txt").write_text("1 0 a 2\n1 0 a 0\n")
    done = call("runs", "--qrels", "conflict.txt")
    assert done.exit_code == 2
    assert call("runs", "--qrels", "conflict.txt", "--on-conflict", "max").exit_code == 0
    (track / "again.txt").write_text("1 0 a 2\n1 0 a 2\n")
    assert "rankscope: " in call("runs", "--qrels", "again.txt").stderr


@pytest.mark.parametrize("where", ["kept", "beside"])
def test_the_cache_gives_the_same(track, where):
    plain = call("runs", "--qrels", "qrels.txt", "--format", "csv").stdout
    for _ in range(2):
        assert call("runs", "--qrels", "qrels.txt", "--format", "csv", "--cache", where).stdout == plain
    if where == "kept":
        assert list((track / "kept").iterdir())


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["runs", "--qrels", "qrels.txt", "-m", "nDGC@10"], "did you mean nDCG"),
        (["runs", "--qrels", "nothing.txt"], "nothing.txt"),
        (["nothing", "--qrels", "qrels.txt"], "nothing"),
        (["runs", "--qrels", "qrels.txt", "-o", "x.eps"], "names no format"),
        (["qrels.txt", "--qrels", "qrels.txt"], "qrels.txt"),
    ],
)
def test_errors_are_one_line_and_exit_2(track, words, says):
    done = call(*words)
    assert done.exit_code == 2
    assert says in done.stderr
    assert done.stderr.startswith("rankscope: ")
    assert done.stdout == ""
