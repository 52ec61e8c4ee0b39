"""Tables of measures: from every kind of file, from memory, from runs; names, gaps and mismatches."""

import gzip

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from narrowing import known
from rankscope.measure_names import is_measure, measure_label
from rankscope.measure_table import MeasureTable, read_collections
from rankscope.names import without_common_start


@pytest.mark.parametrize(
    ("written", "label"),
    [
        ("map_cut_1000all", "AP@1000"),
        ("Rprecall", "Rprec"),
        ("recip_rankall", "RR"),
        ("ndcg_cut_10", "nDCG@10"),
        ("recall_100", "R@100"),
        ("P_10all", "P@10"),
        ("rdp_95all", "RBP(p=0.95)"),
        ("rbp_5", "RBP(p=0.5)"),
        ("gm_map", "GMAP"),
        ("30_mapall", "30:AP"),
        ("1000_rbp_95all", "1000:RBP(p=0.95)"),
        ("10:AP", "10:AP"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(dcg='exp-log2')@10"),
        ("MAP", "AP"),
        ("football", "football"),
        ("30_days", "30_days"),
        ("overall", "overall"),
    ],
)
def test_one_spelling_for_measures(written, label):
    assert measure_label(written) == label
    assert measure_label(label) == label


def test_what_is_a_measure():
    assert is_measure("P_1000all")
    assert is_measure("bpref")
    assert not is_measure("bm25")
    assert not is_measure("sys1")


@given(st.lists(st.text("ab_-", min_size=1, max_size=8), min_size=1, max_size=5, unique=True))
def test_what_is_left_stays_distinct_ends_of_the_names(names):
    own = without_common_start(names)
    assert len(set(own)) == len(names)
    assert all(name.endswith(part) and part for name, part in zip(names, own, strict=True))


def test_systems_in_rows_without_names(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("map,P_10,recip_rankall\n0.1,0.2,0.5\n0.3,0.4,0.6\n0.2,0.1,0.9\n")
    table = rs.read_measures(path)
    assert repr(table) == "<MeasureTable scores: 3 systems × 3 measures>"
    assert table.measures == ("AP", "P@10", "RR")
    assert table.values.tolist() == [[0.1, 0.2, 0.5], [0.3, 0.4, 0.6], [0.2, 0.1, 0.9]]
    assert table.by_topic is None


def test_a_leaderboard_and_its_names(tmp_path):
    path = tmp_path / "board.tsv"
    path.write_text("run\tteam\tmap\tbpref\nx\tA\t0.1\t0.3\ny\tB\t0.2\t0.4\n")
    table = rs.read_measures(path)
    assert (table.systems, table.measures) == (("x", "y"), ("AP", "bpref"))


LONG = [("x", "1", "map", 0.1), ("x", "2", "map", 0.3), ("y", "1", "map", 0.2), ("y", "2", "map", 0.5)]
LONG += [(s, t, "P_10", v + 0.1) for s, t, _, v in LONG]


def write_long(folder):
    lines = ["system,topic,measure,value", *(",".join(map(str, row)) for row in LONG)]
    path = folder / "long.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def write_wide(folder):
    path = folder / "columns.csv"
    path.write_text("system,topic,map,P_10\nx,1,0.1,0.2\nx,2,0.3,0.4\ny,1,0.2,0.3\ny,2,0.5,0.6\n")
    return path


def write_trec_eval(folder):
    runs = folder / "evals"
    runs.mkdir()
    for system in "xy":
        lines = []
        for topic in "12":
            lines.append(f"num_ret\t{topic}\t1000")
            lines += [f"{m}\t{t}\t{v}" for s, t, m, v in LONG if (s, t) == (system, topic)]
        lines += ["runid\tall\tz", "num_q\tall\t2", "gm_map\tall\t0.2"]
        (runs / f"{system}.eval").write_text("\n".join(lines) + "\n")
    return runs


def write_per_measure(folder):
    inner = folder / "web"
    inner.mkdir()
    (inner / "web_ap.csv").write_text("topic,x,y\n1,0.1,0.2\n2,0.3,0.5\n")
    with gzip.open(inner / "web_p10.csv.gz", "wt") as out:
        out.write("topic,x,y\n1,0.2,0.3\n2,0.4,0.6\n")
    return inner


@pytest.mark.parametrize("write", [write_long, write_wide, write_trec_eval, write_per_measure])
def test_topics_from_every_kind_of_file(tmp_path, write):
    table = rs.read_measures(write(tmp_path))
    assert table.measures == ("AP", "P@10")
    assert (table.systems, table.topics) == (("x", "y"), ("1", "2"))
    np.testing.assert_allclose(known(table.by_topic)[:, :, 0], [[0.1, 0.2], [0.3, 0.5]])
    np.testing.assert_allclose(table.values, [[0.2, 0.3], [0.35, 0.45]])


def test_what_has_no_topics_is_left_out_and_named(tmp_path):
    assert rs.read_measures(write_trec_eval(tmp_path)).left_out == ("GMAP",)


def test_a_run_that_lacks_a_measure_is_missed_not_forgotten(tmp_path):
    runs = write_trec_eval(tmp_path)
    text = (runs / "y.eval").read_text()
    (runs / "y.eval").write_text("".join(line for line in text.splitlines(keepends=True) if "P_10" not in line))
    with pytest.raises(rs.MissingScores, match=r"2 of 8 scores are missing: P@10 of y on topic 1"):
        rs.read_measures(runs)


def test_frames_and_mappings():
    frame = {"system": ["x", "y"], "AP": [0.1, 0.2], "nDCG@10": [0.3, 0.1]}
    for made in (pd.DataFrame(frame), pl.DataFrame(frame)):
        table = rs.read_measures(made, name="frame")
        assert (table.name, table.systems, table.measures) == ("frame", ("x", "y"), ("AP", "nDCG@10"))
    again = rs.read_measures(table, measures=["ndcg_cut_10"], name="other")
    assert (again.name, again.measures, again.values.tolist()) == ("other", ("nDCG@10",), [[0.3], [0.1]])
    with pytest.raises(rs.BadParameter, match="not a table of measures"):
        rs.read_measures(3)


def test_parquet(tmp_path):
    pl.DataFrame({"system": ["x", "y"], "AP": [0.1, 0.2], "RR": [0.3, 0.1]}).write_parquet(tmp_path / "t.parquet")
    assert rs.read_measures(tmp_path / "t.parquet").measures == ("AP", "RR")
    (tmp_path / "one").mkdir()
    for name in ("AP", "RR"):
        scores = rs.ScoreMatrix([[0.1, 0.2]], ["x", "y"], ["1"], measure=name)
        rs.write_scores(scores, tmp_path / "one" / f"{name}.parquet")
    assert rs.read_measures(tmp_path / "one").measures == ("AP", "RR")


def test_the_same_measure_twice_is_an_error(tmp_path):
    (tmp_path / "twice.csv").write_text("system,map,AP\nx,0.1,0.1\n")
    with pytest.raises(rs.DuplicateScore, match="'map' and 'AP' are both AP"):
        rs.read_measures(tmp_path / "twice.csv")
    (tmp_path / "two").mkdir()
    for name in ("a_ap", "a_map"):
        (tmp_path / "two" / f"{name}.csv").write_text("topic,x,y\n1,0.1,0.2\n")
    with pytest.raises(rs.DuplicateScore, match="'AP' was read from another file"):
        rs.read_measures(tmp_path / "two")


def test_broken_files_name_file_and_line(tmp_path):
    path = tmp_path / "broken.csv"
    path.write_text("map,P_10\n0.1,0.2\n0.3,good\n")
    with pytest.raises(rs.NotANumber, match=r"broken.csv:3: 'good'"):
        rs.read_measures(path)
    path.write_text("")
    with pytest.raises(rs.EmptyFile, match="empty"):
        rs.read_measures(path)
    with pytest.raises(rs.UnreadableFile, match="nowhere"):
        rs.read_measures(tmp_path / "nowhere.csv")


GAPPY = {
    "AP": {"x": {"1": 0.1, "2": 0.2}, "y": {"1": 0.3, "2": 0.4}},
    "RR": {"x": {"1": 0.5, "3": 0.6}, "y": {"1": 1.0}},
}


def test_gaps_are_errors_or_settled():
    with pytest.raises(rs.MismatchedNames, match=r"same topics; AP lacks '3' of 3"):
        rs.read_measures(GAPPY)
    shared = rs.read_measures(GAPPY, on_missing="intersect")
    assert shared.topics == ("1",)
    assert known(shared.by_topic).tolist() == [[[0.1, 0.5], [0.3, 1.0]]]
    zero = rs.read_measures(GAPPY, on_missing="zero")
    assert zero.topics == ("1", "2", "3")
    assert known(zero.by_topic)[2].tolist() == [[0.0, 0.6], [0.0, 0.0]]
    flat = {"AP": {"x": 0.1, "y": 0.2, "z": 0.3}, "RR": {"x": 0.1, "y": None, "z": 0.4}}
    assert rs.read_measures(flat, on_missing="intersect").systems == ("x", "z")
    with pytest.raises(rs.MismatchedNames, match="no system is scored by all"):
        rs.read_measures({"AP": {"x": 0.1}, "RR": {"y": 0.1}}, on_missing="intersect")
    with pytest.raises(rs.MissingScores, match="every system lacks"):
        rs.read_measures({"AP": {"x": None}, "RR": {"x": 0.1}}, on_missing="intersect")


def test_names_decide_never_positions():
    table = rs.read_measures({"AP": {"x": 0.1, "y": 0.2}, "RR": {"y": 0.9, "x": 0.8}})
    assert table.values.tolist() == [[0.1, 0.8], [0.2, 0.9]]


def test_collections_take_the_firsts_measures_and_distinct_names():
    first = {"AP": [0.1, 0.2], "nDCG@10": [0.3, 0.4]}
    other = {"ndcg_cut_10": [0.5, 0.6], "map": [0.7, 0.8]}
    one, two = read_collections([first, other])
    assert (one.measures, two.measures) == (("AP", "nDCG@10"),) * 2
    assert two.values.tolist() == [[0.7, 0.5], [0.8, 0.6]]
    assert (one.name, two.name) == ("scores (1)", "scores (2)")
    assert [table.name for table in read_collections([first, first])] == ["scores", "scores"]


def test_a_measure_that_is_not_there_lists_its_kin_first():
    table = rs.read_measures({"P@10": [0.1, 0.2], "AP@10": [0.3, 0.1], "AP@1000": [0.1, 0.5]})
    with pytest.raises(rs.UnknownMeasure, match=r"no measure 'map'; there is AP@1000, AP@10, P@10"):
        table.find("map")


def test_tables_are_read_only_and_checked():
    table = rs.read_measures({"AP": [0.1, 0.2], "RR": [0.3, 0.4]})
    with pytest.raises(ValueError, match="read-only"):
        table.values[0, 0] = 1.0
    with pytest.raises(rs.ShapeMismatch, match="values of shape"):
        MeasureTable(name="x", systems=("a",), measures=("AP",), values=np.zeros((2, 1)))


def test_from_runs_equals_evaluate(tmp_path):
    runs = rs.RunSet.of({"a": {"1": ["x", "y"], "2": ["z"]}, "b": {"1": ["y"], "2": ["x", "z"]}})
    judgments = rs.Judgments.of({"1": {"x": 1, "y": 2}, "2": {"z": 1}})
    table = rs.measure_runs(runs, judgments)
    assert len(table.measures) == 23
    scores = rs.evaluate(runs, judgments, "gupta2019")
    for name, column in (("Rprec", "Rprec"), ("RBP", "RBP(p=0.8)")):
        by_topic = known(table.by_topic)[:, :, table.measures.index(column)]
        np.testing.assert_array_equal(by_topic, scores.scores[name].values)
    folder = tmp_path / "robust" / "runs"
    folder.mkdir(parents=True)
    (folder / "a.run").write_text("1 Q0 x 1 9 t\n1 Q0 y 2 8 t\n2 Q0 z 1 7 t\n")
    (folder / "b.run").write_text("1 Q0 y 1 9 t\n2 Q0 x 1 8 t\n2 Q0 z 2 7 t\n")
    (tmp_path / "qrels").write_text("1 0 x 1\n1 0 y 2\n2 0 z 1\n")
    read = rs.measure_runs(folder, tmp_path / "qrels", ["AP", "RR"])
    assert (read.name, read.systems) == ("robust", ("a", "b"))
    np.testing.assert_array_equal(read.values[:, 0], table.means("AP@1000"))
