"""Output of trec_eval and ir_measures."""

import pytest

from narrowing import by_topic
from rankscope.errors import (
    AmbiguousMeasure,
    DuplicateScore,
    MissingScores,
    NoNumericColumn,
    NotANumber,
    RaggedRow,
    UnrecognisedFormat,
)
from rankscope.files import read_scores
from rankscope.files.sources import system_name
from rankscope.scores import ScoreMatrix, SystemScores


def line(measure, topic, value):
    """A line as trec_eval 9.0.8 prints it: `printf("%-22s\\t%s\\t%6.4f\\n")` in trec_eval.c."""
    return f"{measure:<22}\t{topic}\t{value}\n"


def output(scores, runid=None, *, topics=True):
    """What `trec_eval -q` prints: the topics, then the summary, which begins with the run's name."""
    text = ""
    if topics:
        for topic, value in scores.items():
            text += line("num_ret", topic, 1000) + line("map", topic, f"{value:.4f}") + line("P_10", topic, "0.5000")
    if runid is not None:
        text += line("runid", "all", runid)
    mean = sum(scores.values()) / len(scores)
    return text + line("num_q", "all", len(scores)) + line("map", "all", f"{mean:.4f}") + line("P_10", "all", "0.5000")


BM25, DENSE = {"301": 0.1, "302": 0.2}, {"301": 0.3, "302": 0.4}
MATRIX = ScoreMatrix([[0.1, 0.3], [0.2, 0.4]], ["bm25", "dense"], ["301", "302"], measure="map")


@pytest.fixture
def folder(tmp_path):
    """One file per run."""
    folder = tmp_path / "evaluated"
    folder.mkdir()
    (folder / "a.eval").write_text(output(BM25, "bm25"))
    (folder / "b.eval").write_text(output(DENSE, "dense"))
    return folder


def test_a_folder_a_pattern_and_a_list(folder):
    for source in (folder, f"{folder}/*.eval", [folder / "a.eval", str(folder / "b.eval")]):
        assert read_scores(source, measure="AP") == MATRIX
    assert read_scores(folder, measure="AP").name == "evaluated"


def test_the_measure_must_be_chosen(folder):
    with pytest.raises(
        AmbiguousMeasure, match=r"a\.eval: 4 measures and none chosen: num_ret, map, P_10, num_q; say which"
    ):
        read_scores(folder)


def test_counts_are_measures_too(folder):
    assert read_scores(folder, measure="num_ret").values.tolist() == [[1000, 1000], [1000, 1000]]


def test_a_measure_of_the_summary_only_is_a_leaderboard(folder):
    assert read_scores(folder, measure="num_q") == SystemScores([2, 2], ["bm25", "dense"], measure="num_q")


def test_files_name_the_systems_where_runids_are_alike(folder):
    (folder / "b.eval").write_text(output(DENSE, "bm25"))
    assert read_scores(folder, measure="map").systems == ("a", "b")


def test_files_name_the_systems_where_a_runid_is_missing(folder):
    (folder / "b.eval").write_text(output(DENSE))
    assert read_scores(folder, measure="map").systems == ("a", "b")


@pytest.mark.parametrize("topics", [True, False])
def test_runs_after_each_other_in_one_file(file, topics):
    path = file(output(BM25, "bm25", topics=topics) + output(DENSE, "dense", topics=topics))
    scores = read_scores(path, measure="P@10" if topics else "AP")
    assert scores.systems == ("bm25", "dense")
    assert isinstance(scores, ScoreMatrix if topics else SystemScores)


def test_runs_of_different_topics_after_each_other(file):
    path = file(output({"301": 0.1}, "bm25") + output({"302": 0.4}, "dense"))
    assert read_scores(path, measure="map", on_missing="keep").missing == (("dense", "301"), ("bm25", "302"))
    with pytest.raises(MissingScores, match=r"scores.csv: 2 of 4 scores.*'dense' on topic '301' \(no row\).*zero"):
        read_scores(path, measure="map")


def test_runs_after_each_other_need_names(file):
    with pytest.raises(DuplicateScore, match=r"scores.csv:10: a second run begins here.*each run in its own file"):
        read_scores(file(output(BM25) + output(DENSE)), measure="map")


def test_without_topics(file):
    assert read_scores(file(output(BM25, "bm25", topics=False)), measure="map") == SystemScores(
        [0.15], ["bm25"], measure="map"
    )


def test_one_measure_needs_no_choice(file):
    text = line("map", "301", "0.1") + line("map", "302", "0.2") + line("map", "all", "0.15")
    assert read_scores(file(text, "bm25.k1=0.9.eval.txt")) == ScoreMatrix(
        [[0.1], [0.2]], ["bm25.k1=0.9"], ["301", "302"], measure="map"
    )


def test_spaces_instead_of_tabs(file):
    assert by_topic(read_scores(file(output(BM25, "bm25").replace("\t", "  ")), measure="map")).topics == ("301", "302")


@pytest.mark.parametrize("second_run", [False, True])
def test_a_value_that_is_no_number_has_its_line(file, second_run):
    first = output(DENSE, "dense") if second_run else ""
    text = first + output(BM25, "bm25").replace("0.2000", "oops")
    with pytest.raises(NotANumber, match=rf"scores.csv:{15 if second_run else 5}: 'oops' is not a number"):
        read_scores(file(text), measure="map")


def test_minus_nan_is_missing(file):
    with pytest.raises(MissingScores, match=r"'scores' on topic '302' \(line 2\)"):
        read_scores(file(line("map", "301", "0.1") + line("map", "302", "-nan"), "scores.eval"))


def test_a_line_of_two_fields(file):
    with pytest.raises(RaggedRow, match=r"scores.csv:301: 2 fields, a line of trec_eval has 3"):
        read_scores(file("".join(line("map", topic, 0.1) for topic in range(300)) + "map\tall\n"))


def test_a_run_name_and_no_scores(file):
    with pytest.raises(NoNumericColumn, match="no scores here"):
        read_scores(file(line("runid", "all", "bm25")), format="trec_eval")


def test_ir_measures_by_query(file):
    """As `ir_measures -q` 0.4.3 prints it (`tsv_output` in its __main__.py), the summary last."""
    for name, value in (("bm25.txt", 0.1), ("dense.txt", 0.3)):
        file(f"301\tnDCG@10\t{value}\n302\tnDCG@10\t{value + 0.1}\nall\tnDCG@10\t0.5\n301\tAP(rel=2)\t0.9\n", name)
    path = file("301\tnDCG@10\t0.5\n302\tnDCG@10\t0.6\n", "other.txt")
    scores = read_scores(path.parent, measure="ndcg_cut_10")
    assert scores.systems == ("bm25", "dense", "other")
    assert by_topic(scores).topics == ("301", "302")
    assert scores.values[0].tolist() == [0.1, 0.3, 0.5]


def test_ir_measures_in_total(file):
    file("nDCG@10\t0.5\nAP(rel=2)\t0.3\n", "bm25.txt")
    path = file("nDCG@10\t0.6\nAP(rel=2)\t0.4\n", "dense.txt")
    assert read_scores(path.parent, measure="AP(rel=2)") == SystemScores(
        [0.3, 0.4], ["bm25", "dense"], measure="AP(rel=2)"
    )
    with pytest.raises(AmbiguousMeasure, match=r"nDCG@10, AP\(rel=2\); say which"):
        read_scores(path.parent)


def test_ir_measures_in_json_lines(file):
    """As `ir_measures -q -o jsonl` 0.4.3 prints it."""
    file(
        '{"query_id": "301", "measure": "AP", "value": 0.25}\n{"query_id": "all", "measure": "AP", "value": 0.25}\n',
        "a.jsonl",
    )
    path = file('{"query_id": "301", "measure": "AP", "value": 0.75}\n', "b.jsonl")
    assert read_scores(path.parent) == ScoreMatrix([[0.25, 0.75]], ["a", "b"], ["301"], measure="AP")
    assert read_scores(file('{"measure": "AP", "value": 0.5}\n', "b.jsonl")) == SystemScores([0.5], ["b"], measure="AP")


def test_ir_measures_forced_on_names_of_our_own(file):
    path = file("301\tmine\t0.5\n302\tmine\t0.6\n", "bm25.txt")
    assert by_topic(read_scores(path, format="ir_measures")).topics == ("301", "302")


def test_files_of_two_formats(file):
    file("301\tAP\t0.5\n", "a.txt")
    path = file("map\t301\t0.5\n", "b.txt")
    with pytest.raises(
        UnrecognisedFormat, match=r"b\.txt: this looks like 'trec_eval' and .*a\.txt like 'ir_measures'"
    ):
        read_scores(path.parent)


def test_files_of_two_measures(file):
    file("301\tAP\t0.5\n", "a.txt")
    path = file("301\tRR\t0.5\n", "b.txt")
    with pytest.raises(AmbiguousMeasure, match=r"b\.txt: the measure here is 'RR', and 'AP' in .*a\.txt"):
        read_scores(path.parent)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/bm25.eval", "bm25"),
        ("bm25.txt.gz", "bm25"),
        ("k1.2-b0.75.trec_eval", "k1.2-b0.75"),
        (".eval", ".eval"),
        ("run", "run"),
        ("a.TXT", "a"),
    ],
)
def test_the_name_of_a_file_is_the_systems(path, name):
    assert system_name(path) == name


def test_files_with_one_stem_keep_their_endings(file):
    file("301\tAP\t0.5\n", "a.txt")
    path = file("301\tAP\t0.6\n", "a.eval")
    assert read_scores(path.parent).systems == ("a.eval", "a.txt")
