"""What cannot be read: each message names the file, the line where there is one, the problem and the way out."""

import bz2
import gzip
import os
import re
from typing import Any

import numpy as np
import pytest
import zstandard

from narrowing import by_topic
from rankscope import errors
from rankscope.files import read_scores

NOISE = np.random.default_rng(7).integers(0, 256, 4096).astype(np.uint8).tobytes()

CASES = {
    "empty": (b"", errors.EmptyFile, "scores.csv: the file is empty"),
    "blank": (b"\n \n\n", errors.EmptyFile, "scores.csv: the file is empty"),
    "a mark and nothing": (b"\xef\xbb\xbf\n", errors.EmptyFile, "scores.csv: the file is empty"),
    "a header only": ("topic,a,b\n", errors.EmptyFile, "scores.csv: a header and no rows"),
    "a short row": ("topic,a,b\n1,.1,.2\n2,.3\n", errors.RaggedRow, "scores.csv:3: 2 fields, the header has 3; leave"),
    "a long row": ("topic,a,b\n1,.1,.2,.3\n", errors.RaggedRow, "scores.csv:2: 4 fields, the header has 3; quote"),
    "ragged numbers": (".1,.2\n.3\n", errors.RaggedRow, "scores.csv:2: 1 field, the first row has 2"),
    "ragged below blank lines": ("a,b\n\n\n.1,.2\n\n.3\n", errors.RaggedRow, "scores.csv:6: 1 field"),
    "ragged below a name of two lines": ('topic,"a\nb"\n1,.1\n2\n', errors.RaggedRow, "scores.csv:4: 1 field"),
    "no name for the first column": ("a b\nt1 .1 .2\nt2 .3 .4\n", errors.RaggedRow, "name the first column"),
    "text among numbers": ("topic,a,b\n1,.1,x\n2,.3,.4\n", errors.NotANumber, "scores.csv:2: 'x' in column 'b'"),
    "the topmost first": ("topic,a,b\n1,.1,.2\n2,.3,y\n3,x,.4\n", errors.NotANumber, "scores.csv:3: 'y' in column 'b'"),
    "infinite": (
        "topic,a\n1,inf\n2,.1\n",
        errors.NotANumber,
        "scores.csv:2: 'inf' in column 'a' is not a finite number",
    ),
    "too large": ("topic,a\n1,1e999\n2,.1\n", errors.NotANumber, "scores.csv:2: '1e999'"),
    "underscores": ("topic,a\n1,1_0\n2,.1\n", errors.NotANumber, "scores.csv:2: '1_0'"),
    "other digits": ("topic,a\n1,٣\n2,.1\n", errors.NotANumber, "scores.csv:2: '٣'"),
    "a decimal comma": ("topic;a\n1;0,5\n2;0.5\n", errors.NotANumber, "scores.csv:2: '0,5'.*decimals with a point"),
    "percentages": ("system,score\na,35%\nb,40\nc,50\n", errors.NotANumber, "scores.csv:2: '35%'.*percentages"),
    "a wrong value in a long table": ("run,topic,score\na,1,.1\na,2,x\n", errors.NotANumber, "scores.csv:3: 'x'"),
    "no numbers": ("topic,a\n1,x\n2,y\n", errors.NoNumericColumn, "scores.csv: no column holds scores.*'topic', 'a'"),
    "a topic twice": (
        "topic,a\n1,.1\n2,.2\n1,.3\n",
        errors.DuplicateScore,
        "scores.csv:4: topic '1'.*line 2; keep one",
    ),
    "a score twice": (
        "run,topic,score\na,1,.1\na,2,.2\n\na,1,.3\n",
        errors.DuplicateScore,
        "scores.csv:5: 'a' has a score on topic '1' already, on line 2; keep one",
    ),
    "a system twice": ("run,score\na,.1\nb,.2\na,.3\n", errors.DuplicateScore, "scores.csv:4: 'a'.*on line 2"),
    "a column twice": ("topic,a,a\n1,.1,.2\n", errors.DuplicateScore, "scores.csv:1: columns 2 and 3.*rename"),
    "a key twice": ('{"run": "a", "score": 1, "score": 2}', errors.DuplicateScore, "scores.csv:1: the key 'score'"),
    "no topic": ("topic,a\n1,.1\n,.2\n", errors.MissingName, "scores.csv:3: no topic"),
    "no system": ("run,topic,score\na,1,.1\n,2,.2\n", errors.MissingName, "scores.csv:3: no system in column 'run'"),
    "no header for a column": (
        "topic,a,,b\n1,.1,.2,.3\n",
        errors.UnrecognisedFormat,
        "scores.csv:1: column 3 has no name",
    ),
    "an open quote": (
        'topic,a\n1,.1\n"2,.2\n3,.3\n',
        errors.UnrecognisedFormat,
        "scores.csv:3: the quotes.*close each",
    ),
    "a huge field": ("topic,a\n" + "x" * 140_000 + ",.1\n", errors.UnrecognisedFormat, "scores.csv:2: .*field limit"),
    "not JSON": ('{"run": "a", "score": 1}\n{"run": }\n', errors.UnrecognisedFormat, "scores.csv:2: not a JSON object"),
    "not an object": (
        '{"run": "a", "score": 1}\n[1]\n',
        errors.UnrecognisedFormat,
        "scores.csv:2: not a JSON object; each",
    ),
    "two objects on a line": ('{"a": 1}, {"a": 2}\n', errors.UnrecognisedFormat, "scores.csv:1: not a JSON object"),
    "nested": (
        '{"a": {"b": {"c": 0.5}}}',
        errors.UnrecognisedFormat,
        "scores.csv: JSON of an unknown form.*'a'; write",
    ),
    "nested lines": (
        '{"a": [1]}\n{"a": [1]}\n',
        errors.UnrecognisedFormat,
        "scores.csv:1: 'a' holds a list or an object",
    ),
    "deeply nested": ('{"a":' + "[" * 100_000, errors.UnrecognisedFormat, "scores.csv: JSON that is nested too deeply"),
    "no keys": ("{}\n{}\n", errors.UnrecognisedFormat, "scores.csv: the JSON objects are empty"),
    "an array": (
        '[["a", 1]]',
        errors.UnrecognisedFormat,
        "scores.csv:1: a JSON array of arrays; write objects",
    ),
    "a run": ("1 Q0 d1 1 0.5 bm25\n", errors.UnrecognisedFormat, "scores.csv:1: this is a run.*evaluate"),
    "judgments": ("1 0 d1 1\n1 0 d2 0\n", errors.UnrecognisedFormat, "scores.csv:1: these look like.*judgments"),
    "judgments of numbers": ("1 0 17 1\n1 0 18 0\n", errors.UnrecognisedFormat, "--input-format wide"),
    "an image": (b"\x89PNG\r\n\x1a\n" + bytes(30), errors.BinaryFile, "scores.csv: not a score table but a PNG image"),
    "a workbook": (b"PK\x03\x04" + bytes(30), errors.BinaryFile, "scores.csv: .*Excel.*save the sheet as CSV"),
    "a NUL": (b"a,b\n.1,\x00\n", errors.BinaryFile, "scores.csv:2: a NUL byte.*export the scores as CSV"),
    "noise": (NOISE, errors.BinaryFile, "scores.csv.*neither text nor Parquet"),
    "noise without NULs": (NOISE.replace(b"\0", b"\xff"), errors.BinaryFile, "scores.csv: neither text nor Parquet"),
    "Latin-1": (
        "topic,a\n1,.1\ncafé,.2\n".encode("latin-1"),
        errors.UnreadableFile,
        "scores.csv:3: byte 0xe9.*as UTF-8",
    ),
    "UTF-16": ("topic,a\n1,.1\n".encode("utf-16"), errors.UnreadableFile, "scores.csv:1: the text is UTF-16; save"),
    "half of a gzip": (gzip.compress(NOISE)[:-20], errors.UnreadableFile, "scores.csv: its compression is broken"),
    "a wrong gzip": (b"\x1f\x8b" + NOISE, errors.UnreadableFile, "scores.csv: its compression is broken"),
    "garbled gzip": (gzip.compress(NOISE)[:12] + NOISE, errors.UnreadableFile, "scores.csv: its compression is broken"),
    "half of a bzip2": (bz2.compress(NOISE)[:-20], errors.UnreadableFile, "scores.csv: its compression is broken"),
    "half of a zstd": (
        zstandard.ZstdCompressor().compress(NOISE)[:-20],
        errors.UnreadableFile,
        "scores.csv: its compression is broken.*ends early",
    ),
    "a wrong zstd": (b"\x28\xb5\x2f\xfd" + NOISE, errors.UnreadableFile, "scores.csv: its compression is broken"),
    "a broken Parquet": (b"PAR1" + NOISE + b"PAR1", errors.UnreadableFile, "scores.csv: a broken Parquet file"),
    "half of a Parquet": (b"PAR1" + NOISE, errors.UnreadableFile, "scores.csv: a broken Parquet file"),
}


@pytest.mark.parametrize("case", CASES)
def test_broken_files(file, case):
    content, kind, message = CASES[case]
    path = file(content)
    with pytest.raises(kind) as caught:
        read_scores(path)
    assert type(caught.value) is kind
    assert str(caught.value).startswith(os.fspath(path))
    assert re.search(message, str(caught.value)), str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(errors.UnreadableFile, match=r"nothing.csv: there is no such file or folder; check the path"):
        read_scores(tmp_path / "nothing.csv")
    with pytest.raises(errors.UnreadableFile, match=r"nothing\*.csv: no file.*matches this pattern"):
        read_scores(f"{tmp_path}/nothing*.csv")
    with pytest.raises(errors.UnreadableFile, match=r"NUL character"):
        read_scores("a\0b")
    with pytest.raises(errors.UnreadableFile, match=r"cannot be read \(File name too long\); check the path"):
        read_scores("topic,bm25\n" + "301,0.5\n" * 1000)


def test_a_folder_with_nothing_in_it(tmp_path):
    (tmp_path / ".hidden").write_text("x")
    with pytest.raises(errors.EmptyFile, match=rf"{tmp_path.name}: the folder holds no files"):
        read_scores(tmp_path)


def test_an_empty_list():
    with pytest.raises(errors.BadParameter, match="an empty list"):
        read_scores([])


def test_several_wide_tables(file):
    file("topic,a\n1,.1\n", "a.csv")
    path = file("topic,b\n1,.1\n", "b.csv")
    with pytest.raises(errors.UnrecognisedFormat, match=r"b.csv: a second wide table beside .*a.csv;.*one at a time"):
        read_scores(path.parent)


def test_several_long_tables(file):
    file("run,topic,score\na,1,.1\n", "a.csv")
    path = file("run,topic,score\nb,1,.2\n", "b.csv")
    assert read_scores(path.parent).systems == ("a", "b")
    file("run,topic,score\nb,1,.2\n\na,1,.3\n", "b.csv")
    with pytest.raises(
        errors.DuplicateScore, match=r"b.csv:4: 'a' has a score on topic '1' already, on line 2 of .*a.csv"
    ):
        read_scores(path.parent)


MISSING = "topic,a,b\n301,.1,{}\n302,.2,.3\n303,NA,.4\n"


@pytest.mark.parametrize("marker", ["", "NA", "N/A", "NaN", "nan", "null", "None", "-", " "])
def test_missing_scores_in_a_wide_table(file, marker):
    path = file(MISSING.format(marker))
    with pytest.raises(errors.MissingScores) as caught:
        read_scores(path)
    message = str(caught.value)
    assert message.startswith(
        f"{path}: 2 of 6 scores are missing: 'b' on topic '301' (line 2), 'a' on topic '303' (line 4)"
    )
    assert message.endswith("(--on-missing additive)")
    assert by_topic(read_scores(path, on_missing="intersect")).topics == ("302",)
    assert read_scores(path, on_missing="zero").values.tolist() == [[0.1, 0.0], [0.2, 0.3], [0.0, 0.4]]
    assert read_scores(path, on_missing="keep").missing == (("b", "301"), ("a", "303"))


def test_missing_scores_in_a_long_table(file):
    path = file("run,topic,score\na,1,.1\na,2,.2\n\nb,1,\n")
    with pytest.raises(errors.MissingScores, match=r"2 of 4.*'b' on topic '1' \(line 5\), 'b' on topic '2' \(no row\)"):
        read_scores(path)


def test_missing_scores_in_a_leaderboard(file):
    path = file("run,score\na,.1\nb,-\nc,.2\n")
    with pytest.raises(errors.MissingScores, match=r"1 of 3 scores are missing: 'b' \(line 3\); use on_missing"):
        read_scores(path)
    assert read_scores(path, on_missing="intersect").systems == ("a", "c")


def test_missing_scores_where_systems_are_in_rows(file):
    with pytest.raises(errors.MissingScores, match=r"'b' on topic '301' \(line 3\)"):
        read_scores(file("run,301,302\na,.1,.2\nb,,.3\n"))


def test_many_missing_scores_are_counted(file):
    with pytest.raises(errors.MissingScores, match=r"9 of 10 .*\(line 4\) and 6 more; use"):
        read_scores(file("topic,a\n" + "".join(f"{i},{'.1' if i == 9 else ''}\n" for i in range(10))))


def test_an_unknown_policy(file):
    wrong: Any = "skip"
    with pytest.raises(errors.BadParameter, match="one of error, intersect, zero"):
        read_scores(file("a,b\n.1,.2\n"), on_missing=wrong)
