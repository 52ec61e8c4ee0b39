"""`read_runs` against its literal twin, on odd input, and on the mistakes people make."""

import bz2
import gzip
import subprocess
import sys
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import example, given
from hypothesis import strategies as st

import rankscope as rs
from oracles_runs import literal_run
from rankscope.files.run_pool import Pools
from rankscope.files.runs import _ranked
from rankscope.files.trec_lines import Kind, read_lines

SPACE = st.sampled_from([b" ", b"\t", b"  ", b" \t ", b"\v", b"\f"])
END = st.sampled_from([b"\n", b"\r\n", b" \n", b"\n\n", b"\n \t\r\n"])
NAMES = st.sampled_from(["d", "d1", "d10", "d11", "d2", "D2", "é", "文書", "😀", "\x01", "\xa0", "x" * 40, "x" * 41])
TOPICS = st.sampled_from(["1", "10", "301", "q-é", "all"])


def _midpoints(x: float) -> list[str]:
    """Halfway between two singles, and a little to both sides: where rounding twice, or carelessly, goes wrong."""
    low = np.float32(x)
    middle = (float(low) + float(np.nextafter(low, np.float32(np.inf)))) / 2
    ulp = np.spacing(middle)
    return [f"{value:.{digits}e}" for value in (middle - ulp, middle, middle + ulp) for digits in (16, 18, 25)]


FINITE = st.floats(allow_nan=False, allow_infinity=False)
SCORES = st.one_of(
    st.sampled_from(
        [
            "1e-5",
            "+3",
            ".5",
            "1.",
            "1E+2",
            "-0",
            "0",
            "00",
            "+.0e7",
            "0.1",
            "0.10",
            "1e-01",
            "0.1000000000000000055511151",
            "4.9e-324",
            "1e-400",
            "1e400",
            "-1e400",
            "inf",
            "-Infinity",
            "1e38",
            "3.5e38",
            "1e-45",
            "7e-46",
            "1e22",
            "1e23",
            "9007199254740993",
            "9007199254740992.99999",
            "12345678901234567890123",
            "0.000000000000000000000000001",
            "16777217",
            "16777217.0000000001",
            "1.00000000001",
            "1.00000000002",
            "1e0000000001",
            "1" + "0" * 60,
            "0." + "0" * 60 + "1",
        ]
    ),
    st.integers(-5, 5).map(str),
    FINITE.map(repr),
    FINITE.map(lambda x: f"{x:.17e}"),
    st.floats(-100, 100).map(lambda x: f"{x:.6f}"),
    st.floats(1e-40, 1e30).map(_midpoints).flatmap(st.sampled_from),
)


@st.composite
def run_texts(draw: st.DrawFn, *, unique: bool = True) -> bytes:
    row = st.tuples(TOPICS, NAMES, st.integers(0, 4), SCORES)
    rows = draw(st.lists(row, min_size=1, max_size=25, unique_by=(lambda row: row[:2]) if unique else None))
    text = draw(st.sampled_from([b"", b"\xef\xbb\xbf", b"\n"]))
    for topic, document, rank, score in rows:
        fields = [topic.encode(), b"Q0", document.encode(), str(rank).encode(), score.encode(), b"tag"]
        text += draw(st.sampled_from([b"", b" ", b"\t"]))
        for field in fields[:-1]:
            text += field + draw(SPACE)
        text += fields[-1] + draw(END)
    return text.rstrip(b"\n") if draw(st.booleans()) else text


def _same(found: rs.RunSet, wanted: rs.RunSet) -> None:
    assert (found.systems, found.topics) == (wanted.systems, wanted.topics)
    for field in ("documents", "starts", "pool_starts"):
        one, other = getattr(found, field), getattr(wanted, field)
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist(), field
    assert found.ids.names() == wanted.ids.names()


@given(st.lists(run_texts(), min_size=1, max_size=4), st.sampled_from(["id", "rank"]), st.sampled_from([1, 3]))
def test_runs_are_what_the_literal_reader_makes_of_them(tmp_path_factory, texts, ties, jobs):
    folder = tmp_path_factory.mktemp("runs")
    for number, text in enumerate(texts):
        (folder / f"s{number}.run").write_bytes(text)
    wanted = rs.RunSet.of({f"s{number}": literal_run(text, ties=ties) for number, text in enumerate(texts)})
    _same(rs.read_runs(folder, ties=ties, jobs=jobs), wanted)


@given(run_texts(unique=False), st.sampled_from(["first", "best"]), st.sampled_from(["id", "rank"]))
def test_duplicates_are_treated_as_asked(tmp_path_factory, text, on_duplicate, ties):
    path = tmp_path_factory.mktemp("runs") / "s.run"
    path.write_bytes(text)
    wanted = rs.RunSet.of({"s": literal_run(text, ties=ties, on_duplicate=on_duplicate)})
    _same(rs.read_runs(path, ties=ties, on_duplicate=on_duplicate), wanted)


@given(st.lists(SCORES, min_size=1))
@example(_midpoints(0.3))
def test_scores_are_correctly_rounded_singles(tmp_path_factory, scores):
    path = tmp_path_factory.mktemp("runs") / "s.run"
    path.write_text("".join(f"1 Q0 d{i} 1 {score} t\n" for i, score in enumerate(scores)))
    kind = Kind("a run", "run", "", width=6, number=4, number_name="score", single=True, infinite=True)
    with np.errstate(over="ignore"):
        found = read_lines(path, kind).numbers.astype(np.float32)
        wanted = np.array([float(score) for score in scores]).astype(np.float32)
    assert found.tobytes() == wanted.tobytes()


@given(st.lists(SCORES.filter(lambda score: "inf" not in score.lower() and "e400" not in score), min_size=1))
def test_grades_are_correctly_rounded_doubles(tmp_path_factory, grades):
    path = tmp_path_factory.mktemp("qrels") / "q"
    path.write_text("".join(f"1 0 d{i} {grade}\n" for i, grade in enumerate(grades)))
    assert rs.read_judgments(path).grades.tobytes() == np.array([float(grade) for grade in grades]).tobytes()


def test_order_is_that_of_trec_evals_own_code():
    """The first two differ beyond single precision only: trec_eval has them tied, and the greater name wins."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    run = {"a": 1.00000000002, "b": 1.00000000001, "é": 0.5, "z": 0.5, "d10": 0.25, "d1": 0.25, "inf": float("inf")}
    reciprocal = {}
    for document in run:
        evaluator = pytrec_eval.RelevanceEvaluator({"1": {document: 1}}, {"recip_rank"})
        reciprocal[document] = evaluator.evaluate({"1": run})["1"]["recip_rank"]
    theirs = sorted(run, key=lambda document: -reciprocal[document])
    text = "".join(f"1 Q0 {document} 0 {score!r} t\n" for document, score in run.items()).encode()
    assert theirs == ["inf", "b", "a", "é", "z", "d10", "d1"] == literal_run(text)["1"]


def test_many_topics_and_documents_of_one_file(tmp_path):
    """More topics than the first table of them holds, interleaved, in no order."""
    random = np.random.default_rng(0)
    rows = [(t, d) for t in range(500) for d in range(60)]
    random.shuffle(rows)
    scores = random.random(len(rows)).round(2)
    text = "".join(f"{t} Q0 doc-{d} 0 {x} t\n" for (t, d), x in zip(rows, scores, strict=True)).encode()
    (tmp_path / "s").write_bytes(text)
    _same(rs.read_runs(tmp_path / "s"), rs.RunSet.of({"s": literal_run(text)}))


def test_pools_grow_over_many_files(tmp_path):
    random = np.random.default_rng(1)
    rankings = {}
    for s in range(12):
        documents = random.permutation(4_000)[: 1_000 + 100 * s]
        text = "".join(f"1 Q0 D{d} 0 {-i} t\n" for i, d in enumerate(documents))
        (tmp_path / f"s{s:02}.txt.gz").write_bytes(gzip.compress(text.encode()))
        rankings[f"s{s:02}"] = {"1": [f"D{d}" for d in documents]}
    for jobs in (1, 2, 5):
        _same(rs.read_runs(tmp_path, jobs=jobs), rs.RunSet.of(rankings))


@given(st.lists(run_texts(), min_size=1, max_size=3), st.sampled_from([0, -1, 2**62]))
def test_names_of_one_hash_stay_different(tmp_path_factory, texts, code):
    """Hashes only say where to look: were they all alike, nothing would change."""
    path = tmp_path_factory.mktemp("runs") / "s"
    kind = Kind("a run", "run", "", width=6, number=4, number_name="score", single=True, infinite=True)
    pools = Pools()
    for text in texts:
        path.write_bytes(text)
        lines = read_lines(path, kind)
        pools.enter(_ranked(replace(lines, hashes=np.full_like(lines.hashes, code)), "error"))
    names = [f"s{number}" for number in range(len(texts))]
    wanted = {name: literal_run(text) for name, text in zip(names, texts, strict=True)}
    _same(pools.run_set(names, None), rs.RunSet.of(wanted))


def test_pools_take_many_runs_one_by_one_or_together(tmp_path, monkeypatch):
    random = np.random.default_rng(2)
    rankings = {}
    for s in range(6):
        rankings[f"s{s}"] = {str(t): [f"d{d}" for d in random.permutation(60)[: 10 * s + 1]] for t in range(s, 9)}
    rs.write_runs(rs.RunSet.of(rankings), tmp_path)
    for at_once in (0, 2_000, 1 << 25):
        monkeypatch.setattr("rankscope.files.run_pool._AT_ONCE", at_once)
        _same(rs.read_runs(tmp_path), rs.RunSet.of(rankings))


LINE = "301 Q0 d1 1 9.5 tag\n"


@pytest.mark.parametrize(
    "name", ["bm25", "bm25.run", "bm25.txt", "bm25.trec", "bm25.res", "bm25.run.gz", "BM25.TXT.gz"]
)
@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress, zstandard.ZstdCompressor().compress])
def test_names_come_from_files_and_compression_from_content(file, name, compress):
    runs = rs.read_runs(file(compress(LINE.encode()), name))
    assert runs.systems == (name.split(".")[0],)
    assert runs.retrieved(runs.systems[0], "301") == ["d1"]


@pytest.mark.parametrize("name", ["bm25.k1=0.9", "10x10.prf.unipd.it", "naïve 検索", "a'b\"c", "CON", "-x"])
def test_dots_and_letters_of_a_name_stay(file, name):
    assert rs.read_runs(file(LINE, name + ".gz")).systems == (name,)


def test_files_folders_and_patterns_together(tmp_path):
    for name in ("a/one.run", "a/two.run", "b/three.run", "four.run"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(LINE)
    (tmp_path / "a" / ".hidden").write_text("x")
    found = rs.read_runs([tmp_path / "four.run", str(tmp_path / "a"), str(tmp_path / "b" / "*.run")])
    assert found.systems == ("four", "one", "two", "three")
    assert rs.read_runs(tmp_path / "a").name == "a"


def test_names_from_tags(tmp_path):
    (tmp_path / "x.run").write_text("1 Q0 d 1 1 BM25\n")
    (tmp_path / "y.run").write_text("1 Q0 d 1 1 dense\n")
    assert rs.read_runs(tmp_path, name="tag").systems == ("BM25", "dense")
    (tmp_path / "z.run").write_text("1 Q0 d 1 1 dense\n")
    with pytest.raises(rs.DuplicateSystem, match=r"z.run: .*y.run gives a system 'dense', too; rename one"):
        rs.read_runs(tmp_path, name="tag")
    (tmp_path / "z.run").write_text("1 Q0 d 1 1 one\n\n1 Q0 e 1 1 other\n")
    with pytest.raises(rs.UnrecognisedFormat, match=r"z.run:3: the tag 'other' after 'one': one file is one run"):
        rs.read_runs(tmp_path, name="tag")


def test_two_files_of_one_name(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "bm25.run").write_text(LINE)
    with pytest.raises(rs.DuplicateSystem, match=r"b/bm25.run: .*a/bm25.run gives a system 'bm25', too"):
        rs.read_runs([tmp_path / "a", tmp_path / "b"])


def test_old_line_ends(file):
    assert rs.read_runs(file("1 Q0 d1 1 2 t\r1 Q0 d2 2 1 t\r", "s")).retrieved("s", "1") == ["d1", "d2"]


def test_equal_scores_by_rank_column(file):
    path = file("1 Q0 a 1 5 t\n1 Q0 b 2 5 t\n1 Q0 c 3 7 t\n", "s")
    assert rs.read_runs(path).retrieved("s", "1") == ["c", "b", "a"]
    assert rs.read_runs(path, ties="rank").retrieved("s", "1") == ["c", "a", "b"]


GOOD = "301 Q0 d1 1 9.5 t\n301 Q0 d2 2 9.25 t\n"


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (GOOD + "301 Q0 d3 3 9.0\n", rs.RaggedRow, ":3: 5 fields, a run line has 6; correct or remove the line"),
        (GOOD + "\n301 Q0 d3 3 9.0 my tag\n", rs.RaggedRow, ":4: 7 fields, a run line has 6"),
        ("301\n" + GOOD, rs.RaggedRow, ":1: 1 field, a run line has 6"),
        (GOOD + "301 Q0 d3 3 nan t\n", rs.NotANumber, ":3: the score 'nan' is not a number; correct it or remove"),
        (GOOD + "301 Q0 d3 3 -NaN t\n", rs.NotANumber, ":3: the score '-NaN' is not a number"),
        (GOOD + "301 Q0 d3 3 high t\n", rs.NotANumber, ":3: the score 'high' is not a number"),
        (GOOD + "301 Q0 d3 3 1_000 t\n", rs.NotANumber, ":3: the score '1_000' is not a number"),
        (GOOD + "301 Q0 d3 3 0x1p3 t\n", rs.NotANumber, ":3: the score '0x1p3' is not a number"),
        (GOOD + "301 Q0 d3 3 ++inf t\n", rs.NotANumber, ":3: the score '++inf' is not a number"),
        (GOOD + "301 Q0 d3 3 1,5 t\n301 Q0\n", rs.NotANumber, ":3: the score '1,5' is not a number"),
        ("t Q0 d rank score tag\n" + GOOD, rs.NotANumber, ":1: the score 'score' is not a number; remove the line if"),
        (GOOD + "301 Q0 d1 3 9.0 t\n", rs.DuplicateDocument, ":3: document 'd1' is on line 1 already for topic '301'"),
        ("", rs.EmptyFile, ": the file is empty"),
        ("\n \r\n", rs.EmptyFile, ": the file is empty"),
        ("\ufeff\n", rs.EmptyFile, ": the file is empty"),
        (b"PK\x03\x04....", rs.BinaryFile, ": not a run but a zip archive"),
        (b"PAR1\x15\x04PAR1", rs.BinaryFile, ": not a run but a Parquet table"),
        (GOOD.encode() + b"\0\0", rs.BinaryFile, ":3: a NUL byte: this is not text"),
        (GOOD.encode() + b"301 Q0 d\xe9 3 1 t\n", rs.UnreadableFile, ":3: byte 0xe9 is not UTF-8"),
        (GOOD.encode("utf-16"), rs.UnreadableFile, ":1: the text is UTF-16; save it as UTF-8"),
        (gzip.compress(GOOD.encode(), mtime=0)[:-6], rs.UnreadableFile, ": its compression is broken"),
        ("301 0 d1 1\n301 0 d2 0\n", rs.UnrecognisedFormat, ":1: these look like relevance judgments, not a run; give"),
        ("\n301 0 d1 1\n", rs.UnrecognisedFormat, ":2: these look like relevance judgments"),
        ("map\t301\t0.25\nmap\tall\t0.25\n", rs.UnrecognisedFormat, ":1: this looks like the output of trec_eval"),
        ("topic,bm25,dense\n1,0.5,0.4\n", rs.UnrecognisedFormat, ":1: a table separated by commas, not a run"),
        ("1,Q0,d,1,0.5,t\n1,Q0,e,1,0.5,t\n", rs.UnrecognisedFormat, ":1: the fields are separated by commas"),
        ('[{"d": 1}]', rs.UnrecognisedFormat, ":1: JSON, not a run; write lines of topic, Q0"),
        ('{"1": 2}', rs.UnrecognisedFormat, ": JSON, but not of a run; write {topic: {document: score}}, or lines of"),
        ('{"a": {"1": {"d": 1}}}', rs.UnrecognisedFormat, ": JSON of several runs; write one file for each"),
        ('{"1": {"d": "x"}}', rs.NotANumber, ": document 'd' of topic '1' has 'x', not a score"),
        ('{"1": {"d": NaN}}', rs.NotANumber, ": document 'd' of topic '1' has 'NaN', not a score"),
        ('{"1": {"a b": 1}}', rs.UnrecognisedFormat, ": the document 'a b' is empty or has white space; rename it"),
        ('{"1": {"d": 1, "d": 2}}', rs.DuplicateDocument, ": the key 'd' appears twice in one object"),
        ('{"1": {"d": 1}', rs.UnrecognisedFormat, ": broken JSON"),
        ('{"1": {}}', rs.EmptyFile, ": there is no document in this run"),
    ],
)
def test_mistakes_are_told_with_file_and_line(file, text, error, message):
    path = file(text, "runs.x")
    with pytest.raises(error) as caught:
        rs.read_runs(path)
    assert str(caught.value).startswith(f"{path}{message}")


def test_the_rank_column_matters_when_it_is_trusted(file):
    path = file("1 Q0 a x 5 t\n", "s")
    assert rs.read_runs(path).retrieved("s", "1") == ["a"]
    with pytest.raises(rs.NotANumber, match=":1: the rank 'x' is not a number"):
        rs.read_runs(path, ties="rank")


def test_the_first_of_many_mistakes_is_told(tmp_path):
    """Whatever the number of threads: the first file's, and its first line's."""
    for s in range(8):
        bad = "" if s < 3 else f"1 Q0 d9 1 bad{s} t\n1\n"
        (tmp_path / f"s{s}").write_text(LINE + bad)
    for jobs in (1, 2, 8):
        with pytest.raises(rs.NotANumber, match="s3:2: the score 'bad3'"):
            rs.read_runs(tmp_path, jobs=jobs)


def test_options_are_checked(tmp_path):
    for options in ({"name": "x"}, {"ties": "x"}, {"on_duplicate": "x"}, {"jobs": 0}):
        with pytest.raises(rs.BadParameter, match=next(iter(options))):
            rs.read_runs(tmp_path, **options)
    with pytest.raises(rs.BadParameter, match="empty list"):
        rs.read_runs([])
    with pytest.raises(rs.EmptyFile, match="the folder holds no files"):
        rs.read_runs(tmp_path)
    with pytest.raises(rs.UnreadableFile, match="no such file"):
        rs.read_runs(tmp_path / "nowhere")


def test_progress_counts_files(tmp_path):
    for s in range(5):
        (tmp_path / f"s{s}").write_text(LINE)
    seen = []
    rs.read_runs(tmp_path, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(done, 5) for done in range(1, 6)]


@given(run_texts(), st.sampled_from([".run", ".run.gz", ".zst", ""]))
def test_written_runs_read_back(tmp_path_factory, text, ending):
    folder = tmp_path_factory.mktemp("runs")
    runs = rs.RunSet.of({"a b": literal_run(text), "dense.v2": literal_run(text)})
    rs.write_runs(runs, folder / "new", ending=ending)
    _same(rs.read_runs(folder / "new"), runs)


def test_what_cannot_be_written_is_refused(tmp_path):
    for rankings, word in (
        ({"a": {"1": ["d 1"]}}, "document 'd 1'"),
        ({"a": {"1\n": ["d"]}}, "topic"),
        ({"a/b": {"1": ["d"]}}, "system 'a/b' cannot be a file's name"),
        ({"..": {"1": ["d"]}}, "system '..'"),
    ):
        with pytest.raises(rs.UnwritableOutput, match=word):
            rs.write_runs(rs.RunSet.of(rankings), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_run_killed_while_it_is_written_leaves_no_half_file(tmp_path):
    """The process dies between the first byte and the last; the file is not there, or is the old one."""
    (tmp_path / "a.run").write_text("old\n")
    code = (
        "import os, sys; from pathlib import Path; import rankscope as rs\n"
        "def half(self, data):\n"
        "    with self.open('wb') as file:\n"
        "        file.write(data[: len(data) // 2]); file.flush()\n"
        "    os._exit(9)\n"
        "Path.write_bytes = half\n"
        "rs.write_runs(rs.RunSet.of({'a': {'1': ['d1', 'd2']}}), sys.argv[1])\n"
    )
    died = subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False, capture_output=True)
    assert died.returncode == 9
    assert (tmp_path / "a.run").read_text() == "old\n"
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")] == ["a.run"]


def test_truncated_members_are_never_a_shorter_run(file):
    """A gzip file cut at any byte is an error, and never fewer documents."""
    whole = gzip.compress("".join(f"1 Q0 d{i} 1 {-i} t\n" for i in range(200)).encode(), mtime=0)
    for cut in range(2, len(whole), 37):
        with pytest.raises(rs.RankscopeError):
            rs.read_runs(file(whole[:cut], "s.gz"))
    with pytest.raises(rs.UnreadableFile, match="broken"):
        rs.read_runs(file(whole[:200] + zlib.compress(b"x") + whole[210:], "s.gz"))


def test_covid_runs_are_what_the_literal_reader_makes_of_them(data):
    paths = sorted((data / "covid1" / "runs").iterdir())[::12]
    wanted = {path.name.removesuffix(".gz"): literal_run(gzip.decompress(path.read_bytes())) for path in paths}
    _same(rs.read_runs(paths), rs.RunSet.of(wanted))


def test_real_tracks_are_read_whole(data):
    """Counts of the data's own README, and of `zcat | wc -l`."""
    covid = rs.read_runs(data / "covid1" / "runs")
    assert (len(covid.systems), len(covid.topics), len(covid.documents)) == (143, 30, 3_509_493)
    dl19 = rs.read_runs(data / "dl19" / "runs")
    assert (len(dl19.systems), len(dl19.topics)) == (37, 43)
    judgments = rs.read_judgments(Path(data, "dl19", "qrels.human.txt"))
    assert rs.coverage(dl19, judgments).judged_only == ()


@pytest.mark.parametrize(
    "content",
    [
        b"# Runs\n\nThese are the 2 runs of our group, bm25 and dense.\nThey retrieve 1,000 documents.\n",
        b"301 0 d1 1\n301 0 d2 0\n",
        b'{"runs": ["bm25"]}\n',
        b"\x89PNG\r\n\x1a\n\x00\x00\x00",
    ],
)
def test_what_is_no_run_among_runs_is_left_out_with_a_warning(tmp_path, content):
    for name in ("bm25", "dense"):
        (tmp_path / f"{name}.run").write_text("301 Q0 d1 1 9.5 x\n301 Q0 d2 2 9.1 x\n")
    (tmp_path / "README").write_bytes(content)
    for jobs, cache in ((1, False), (2, tmp_path / "cache"), (2, tmp_path / "cache")):
        with pytest.warns(rs.SkippedFile, match="README' is not a run and was left out"):
            assert rs.read_runs(tmp_path, jobs=jobs, cache=cache).systems == ("bm25", "dense")
    with pytest.raises(rs.BadFile, match="README"):
        rs.read_runs(tmp_path / "README")


@pytest.mark.parametrize(
    "content", ["301 Q0 d1 1 9.5\n", "301,Q0,d1,1,9.5,x\n", "301 Q0 d1 1 high x\n301 Q0 d2 2 9.1 x\n", ""]
)
def test_a_damaged_run_among_runs_is_an_error(tmp_path, content):
    (tmp_path / "bm25.run").write_text("301 Q0 d1 1 9.5 x\n301 Q0 d2 2 9.1 x\n")
    (tmp_path / "dense.run").write_text(content)
    with pytest.raises(rs.BadFile, match="dense"):
        rs.read_runs(tmp_path)


def test_json_of_ranx_is_a_run(file, data):
    runs = rs.read_runs(file('{"q1": {"d3": 0.25, "d2": 0.5}, "q2": {"é": 1e-3, "d2": 7}}', "bm25.json"))
    assert runs.systems == ("bm25",)
    assert [runs.retrieved("bm25", topic) for topic in ("q1", "q2")] == [["d2", "d3"], ["d2", "é"]]
    folder = data / "formats/ranx"
    saved, lines = (rs.read_runs(folder / name) for name in ("run.json", "run.trec"))
    assert [saved.retrieved("run", t) for t in saved.topics] == [lines.retrieved("run", t) for t in lines.topics]


def test_a_damaged_json_run_among_others_is_an_error(file):
    file('{"1": {"d": 1}}', "a.json")
    path = file('{"1": {"d": null}}', "b.json")
    with pytest.raises(rs.NotANumber, match="has None, not a score"):
        rs.read_runs(path.parent)
