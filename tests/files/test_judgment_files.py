"""`read_judgments` against its literal twin, on real messy files, and on the mistakes people make."""

import gzip
import warnings
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from oracles_runs import literal_judgments

ROWS = st.lists(
    st.tuples(
        st.sampled_from(["1", "10", "é"]),
        st.sampled_from(["0", "Q0", "0.5", "x"]),
        st.sampled_from(["d1", "d2", "d10", "文書"]),
        st.sampled_from(["0", "1", "2", "-2", "0.25", "1e0", "+1", "0.16666666666666666", "0.30000000000000004"]),
    ),
    min_size=1,
    max_size=20,
)


@given(ROWS, st.sampled_from(["first", "last", "max", "mean"]), st.sampled_from(["\n", "\r\n"]))
def test_judgments_are_what_the_literal_reader_makes_of_them(tmp_path_factory, rows, on_conflict, end):
    path = tmp_path_factory.mktemp("qrels") / "q.txt"
    text = end.join(" \t ".join(row) for row in rows)
    path.write_text(text, encoding="utf-8", newline="")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.DuplicateJudgments)
        found = rs.read_judgments(path, on_conflict=on_conflict)
    wanted = rs.Judgments.of(literal_judgments(text.encode(), on_conflict=on_conflict))
    assert found.same_rows(wanted)
    assert found.grades.tolist() == wanted.grades.tolist()


@given(ROWS)
def test_repeats_are_counted_and_conflicts_refused(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("qrels") / "q.txt"
    path.write_text("".join(" ".join(row) + "\n" for row in rows), encoding="utf-8")
    grades: dict[tuple[str, str], set[float]] = {}
    for topic, _, document, grade in rows:
        grades.setdefault((topic, document), set()).add(float(grade))
    conflicts = sum(len(found) > 1 for found in grades.values())
    repeats = len(rows) - len(grades)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if conflicts:
            with pytest.raises(rs.ConflictingJudgments) as error:
                rs.read_judgments(path)
            several = f"({conflicts} documents have different grades)"
            assert (several in str(error.value)) == (conflicts > 1)
            assert not caught
        else:
            assert len(rs.read_judgments(path)) == len(grades)
            assert len(caught) == (repeats > 0)
            assert all(f" {repeats} rows repeat a judgment with the same grade" in str(w.message) for w in caught)


def test_repeats_of_judgments_that_conflict_are_votes_and_no_repeats(file):
    path = file("1 0 a 1\n1 0 a 1\n1 0 a 4\n1 0 b 2\n", "q")
    assert rs.read_judgments(path, on_conflict="mean").grades.tolist() == [2.0, 2.0]


GOOD = "301 0 d1 2\n301 0 d2 0\n"


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (GOOD + "301 0 d3\n", rs.RaggedRow, ":3: 3 fields, a judgment line has 4; correct or remove the line"),
        (GOOD + "301 0 d3 Score: 2\n", rs.RaggedRow, ":3: 5 fields, a judgment line has 4"),
        (GOOD + "301 0 d3 None\n", rs.NotANumber, ":3: the grade 'None' is not a number; correct it or remove"),
        (
            GOOD + "301 0 d3 relevant\n",
            rs.NotANumber,
            ":3: the grade 'relevant' is not a number; correct it or remove the line, or map labels to grades",
        ),
        (GOOD + "301 0 d3 ?\n", rs.NotANumber, ":3: no label yet (?), as 1 of 3 documents; label them all, or remove"),
        ("301 0 d1 ?\n301 0 d2 ?\n", rs.NotANumber, ":1: no label yet (?), as 2 of 2 documents; label them all"),
        (GOOD + "301 0 d3 nan\n", rs.NotANumber, ":3: the grade 'nan' is not a number"),
        (GOOD + "301 0 d3 inf\n", rs.NotANumber, ":3: the grade 'inf' is not a number"),
        (GOOD + "301 0 d1 0\n", rs.ConflictingJudgments, ":3: document 'd1' of topic '301' has grade 0 here and 2 on"),
        ("", rs.EmptyFile, ": the file is empty"),
        ("301 Q0 d1 1 9.5 t\n", rs.UnrecognisedFormat, ":1: this is a run, not judgments; give it as a run"),
        ("topic,bm25\n301,0.25\n", rs.UnrecognisedFormat, ": no column of items, which measures need"),
        ("map\tall\t0.25\n", rs.UnrecognisedFormat, ":1: this looks like the output of trec_eval"),
        (gzip.compress(GOOD.encode(), mtime=0)[:20], rs.UnreadableFile, ": its compression is broken"),
    ],
)
def test_mistakes_are_told_with_file_and_line(file, text, error, message):
    path = file(text, "q.x")
    with pytest.raises(error) as caught:
        rs.read_judgments(path)
    assert str(caught.value).startswith(f"{path}{message}")


def test_the_second_column_is_not_looked_at(file):
    """TREC-COVID has the round of judging there, 0.5 among them."""
    assert rs.read_judgments(file("1 0.5  d1 2\n1 1  d2 1\n", "q")).grades.tolist() == [2, 1]


@pytest.mark.parametrize("name", ["judge", "judge.qrels", "judge.txt", "judge.qrels.gz", "judge.qrels.txt"])
def test_judges_are_named_by_their_files(file, name):
    assert rs.read_judgments(file(GOOD, name)).name == "judge"
    assert rs.read_judgments(file(GOOD, name), name="me").name == "me"


def test_options_are_checked(tmp_path):
    wrong: Any = "x"
    with pytest.raises(rs.BadParameter, match="on_conflict='x'"):
        rs.read_judgments(tmp_path, on_conflict=wrong)
    with pytest.raises(rs.UnreadableFile, match="no such file"):
        rs.read_judgments(tmp_path / "nowhere")
    with pytest.raises(rs.UnreadableFile, match="this is a folder"):
        rs.read_judgments(tmp_path)


@pytest.mark.parametrize("ending", ["", ".gz", ".bz2", ".zst"])
def test_written_judgments_read_back(tmp_path, ending):
    grades = {"301": {"d1": 2, "é": 0.1 + 0.2, "d3": -2}, "302": {"d1": 1e-300, "d2": 1e30}}
    judgments = rs.Judgments.of(grades)
    rs.write_judgments(judgments, tmp_path / f"q.txt{ending}")
    found = rs.read_judgments(tmp_path / f"q.txt{ending}")
    assert found.same_rows(judgments)
    assert found.grades.tolist() == judgments.grades.tolist()


def test_grades_that_are_none_cannot_be_written(tmp_path):
    judgments = rs.Judgments.of({"1": {"d": float("nan")}})
    with pytest.raises(rs.UnwritableOutput, match="NaN"):
        rs.write_judgments(judgments, tmp_path / "q")
    with pytest.raises(rs.UnwritableOutput, match="document 'd 1'"):
        rs.write_judgments(rs.Judgments.of({"1": {"d 1": 1}}), tmp_path / "q")


# What each messy file of dl19 is, by `wc -l`, `sort -u` and awk.
def test_messy_partial(data):
    found = rs.read_judgments(data / "dl19" / "judges-messy" / "13-of-43-topics.qrels")
    assert (len(found), len(found.topics), found.whole) == (3424, 13, False)
    runs = rs.read_runs(data / "dl19" / "runs" / "p_bert.gz")
    assert len(rs.coverage(runs, found).run_only) == 30


def test_messy_real_valued(data):
    found = rs.read_judgments(data / "dl19" / "judges-messy" / "real-valued-partial.qrels")
    assert (len(found), len(found.topics), found.whole) == (7978, 43, False)
    assert found.grades[found.ids.names().index("1017759")] == 0.2


def test_messy_empty(data):
    with pytest.raises(rs.EmptyFile, match=r"empty.qrels: the file is empty"):
        rs.read_judgments(data / "dl19" / "judges-messy" / "empty.qrels")


def test_messy_duplicates(data):
    path = data / "dl19" / "judges-messy" / "duplicate-rows.qrels"
    with pytest.raises(rs.ConflictingJudgments, match=r":9262: .* grade 2 here and 3 on line 2 \(8245"):
        rs.read_judgments(path)
    for on_conflict in ("first", "last", "max", "mean"):
        with pytest.warns(rs.DuplicateJudgments, match="rows repeat a judgment with the same grade"):
            found = rs.read_judgments(path, on_conflict=on_conflict)
        wanted = rs.Judgments.of(literal_judgments(path.read_bytes(), on_conflict=on_conflict))
        assert found.same_rows(wanted)
        assert found.grades.tolist() == wanted.grades.tolist()


def test_every_real_file_of_judgments(data):
    """Rows as `wc -l` counts them; none has a row twice."""
    for name in ("covid1/qrels.txt", "dl19/qrels.human.txt", "dl23-judges/human.qrels"):
        path = data / name
        assert len(rs.read_judgments(path)) == len(path.read_bytes().splitlines())
    for path in sorted((data / "dl19" / "judges").iterdir()) + sorted((data / "dl23-judges" / "judges").iterdir()):
        assert len(rs.read_judgments(path, on_conflict="first")) > 0
