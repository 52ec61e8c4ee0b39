"""`read_sample` and `write_sample`: both forms, labels to come, and the mistakes people make."""

import numpy as np
import pytest

import rankscope as rs
from rankscope.files import is_sample
from rankscope.files.samples import is_to_label, read_to_label

GOOD = "301 0 d1 2 0.5\n301 0 d2 ? 0.25\n302 0 d1 0 1\n"
TABLE = "qid,docno,label,probability\n301,d1,2,0.5\n301,d2,,0.25\n302,d1,0,1\n"


@pytest.mark.parametrize("text", [GOOD, GOOD.replace("\n", "\r\n"), TABLE, TABLE.replace(",,", ",?,")])
def test_both_forms_are_read(file, text):
    path = file(text, "sample.qrels")
    sample = rs.read_sample(path)
    assert is_sample(path)
    assert sample.name == "sample"
    assert sample.judgments.topics == ("301", "302")
    assert sample.to_frame()["document"].to_list() == ["d1", "d2", "d1"]
    assert sample.labelled.tolist() == [True, False, True]
    assert sample.judgments.grades[[0, 2]].tolist() == [2.0, 0.0]
    assert sample.to_frame()["probability"].to_list() == [0.5, 0.25, 1.0]


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_written_samples_read_back(tmp_path, ending):
    sample = rs.JudgmentSample.of({"1": {"é": (0.5, 1 / 3), "b": (None, 1e-9)}, "2": {"b": (3, 1.0)}})
    rs.write_sample(sample, tmp_path / f"s.qrels{ending}")
    again = rs.read_sample(tmp_path / f"s.qrels{ending}")
    assert again.judgments.same_rows(sample.judgments)
    assert np.array_equal(again.judgments.grades, sample.judgments.grades, equal_nan=True)
    assert again.probabilities.tolist() == sample.probabilities.tolist()


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (GOOD + "302 0 d2 1\n", rs.RaggedRow, ":4: 4 fields, a line of a sample has 5"),
        (GOOD + "302 0 d2 1 0\n", rs.NotANumber, ":4: the inclusion probability '0' is not a number above 0"),
        (GOOD + "302 0 d2 1 1.5\n", rs.NotANumber, ":4: the inclusion probability '1.5' is not a number above 0"),
        (GOOD + "302 0 d2 1 nan\n", rs.NotANumber, ":4: the inclusion probability 'nan' is not a number above 0"),
        (GOOD + "302 0 d2 yes 1\n", rs.NotANumber, ":4: the label 'yes' is not a number; map labels to grades"),
        (GOOD + "302 0 d1 1 1\n", rs.ConflictingJudgments, ":4: document 'd1' of topic '302' has grade 1 here and 0"),
        (GOOD + "302 0 d1 0 0.5\n", rs.ConflictingJudgments, ":4: document 'd1' of topic '302' has probability 0.5"),
        ("301 0 d1 2\n", rs.UnrecognisedFormat, ": four fields: no inclusion probabilities"),
        ("qid,docno,label\n1,a,2\n", rs.UnrecognisedFormat, ": columns 'qid', 'docno', 'label': no inclusion"),
        (TABLE + "302,d2,1,\n", rs.NotANumber, ":5: the inclusion probability '' is not a number above 0"),
        ("# by Ann\n" + GOOD, rs.RaggedRow, ":1: 3 fields, a line of a sample has 5"),
        ("301 0 d0 2\n" + GOOD, rs.RaggedRow, ":1: 4 fields, a line of a sample has 5"),
        ("301 0 d0 yes 1\n" + GOOD, rs.NotANumber, ":1: the label 'yes' is not a number; map labels to grades"),
        (GOOD.replace(".", ","), rs.NotANumber, ":1: the inclusion probability '0,5' is not a number above 0"),
        ("", rs.EmptyFile, ": the file is empty"),
        (b"301 0 d\xe9 2 0.5\n", rs.UnreadableFile, ":1: byte 0xe9 is not UTF-8"),
    ],
)
def test_mistakes_are_told_with_file_and_line(file, text, error, message):
    path = file(text, "s.x")
    with pytest.raises(error) as caught:
        rs.read_sample(path)
    assert str(caught.value).startswith(f"{path}{message}")


def test_words_become_grades_and_rows_are_chosen(file):
    path = file("topic,document,rater,label,p\n1,a,ann,yes,0.5\n1,b,ann,?,0.5\n1,a,bob,no,0.5\n", "s.csv")
    sample = rs.read_sample(path, grades={"yes": 1, "no": 0}, where={"rater": "ann"})
    assert sample.judgments.grades[0] == 1.0
    assert len(sample) == 2


def test_lines_may_have_words_for_grades(file):
    path = file("1 0 d1 yes 0.5\n1 0 d2 no 0.25\n2 0 d1 ? 0.5\n")
    assert is_sample(path)
    sample = rs.read_sample(path, grades={"yes": 1, "no": 0})
    assert sample.judgments.grades[:2].tolist() == [1.0, 0.0]
    assert np.isnan(sample.judgments.grades[2])
    with pytest.raises(rs.NotANumber, match="yes"):
        rs.read_sample(path)


def test_what_is_wrong_with_the_first_line_is_told_as_of_a_sample(file):
    for first in ("# by Ann\n", "301 0 d0 2\n", "301 0 d0 yes 1\n", "301 0 d0 1 ½\n"):
        assert is_sample(file(first + GOOD, "s.qrels"))


def test_conflicts_of_a_sample_advise_no_option(file):
    with pytest.raises(rs.ConflictingJudgments, match=r"on line 3; keep one$"):
        rs.read_sample(file(GOOD + "302 0 d1 1 1\n", "s"))


def test_topics_with_labels_to_come_are_read_for_plans(file):
    path = file("301 0 d1 2\n301 0 d2 ?\n302 0 d1 0\n", "topics.qrels")
    assert is_to_label(path)
    assert not is_sample(path)
    sample = read_to_label(path)
    assert sample.labelled.tolist() == [True, False, True]
    assert sample.probabilities.tolist() == [1.0, 1.0, 1.0]
    assert is_to_label(file(GOOD, "sample.qrels"))
    assert not is_to_label(file("301 0 d1 2\n", "done.qrels"))


def test_a_repeated_document_counts_once(file):
    with pytest.warns(rs.DuplicateJudgments, match="rows that repeat a document of the sample: 2"):
        sample = rs.read_sample(file(GOOD + "301 0 d2 1 0.25\n301 0 d1 2 0.5\n", "s"))
    assert sample.judgments.grades.tolist() == [2.0, 1.0, 0.0]


def test_judgments_with_probabilities_are_not_read_as_judgments(file):
    with pytest.raises(rs.UnrecognisedFormat, match="read qrels with inclusion probabilities as a sample"):
        rs.read_judgments(file(GOOD.replace("?", "1"), "s"))
    with pytest.raises(rs.BadParameter, match="is not a sample of judgments"):
        rs.write_sample({"1": {"a": 1}}, "x")  # type: ignore[arg-type]
