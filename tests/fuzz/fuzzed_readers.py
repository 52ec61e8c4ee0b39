"""Every reader under hostile bytes: seeds of each format, ways to spoil them, and what a reader may do with them.

A reader gives a result or a RankscopeError, and a result says what the bytes say: rankings and grades are those of the
literal readers (tests/oracles_runs.py), and each score is the number that some literal reading of the text gives that
system and topic (tests/oracles_scores.py).
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import math
import re
import tempfile
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import zstandard

import oracles_runs
import oracles_scores
import rankscope as rs
from rankscope.errors import RankscopeError, RankscopeWarning
from rankscope.files import FORMATS
from rankscope.files.checkpoints import Checkpoint
from rankscope.files.compression import decompress
from rankscope.files.groups import read_groups, read_names
from rankscope.files.write_tables import write_scores
from rankscope.inference.rank_distance_null import RankDistanceNull
from rankscope.measure_table import read_measures

Check = Callable[[Path], object]

_TOKEN = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)

# What breaks readers: words for no number, great and small ones, other scripts' digits, marks, quotes, line ends.
WORDS = (
    b"nan",
    b"-nan",
    b"inf",
    b"-Infinity",
    b"1e999",
    b"-1e-999",
    b"1_000",
    "٣".encode(),
    b"0x1p3",
    b"1e",
    b"1.5.2",
    b".",
    b"-",
    b"+",
    b"",
    b" ",
    b"  ",
    b"\t",
    b"\n",
    b"\r\n",
    b"\r",
    b"\v",
    b"\f",
    b"\x1c",
    b"\x1f",
    b"\x85",
    b"\x00",
    b"\xff",
    b"\xef\xbb\xbf",
    "\u2028".encode(),
    "\u00a0".encode(),
    "\u202e".encode(),
    b"\x1b[31m",
    b'"',
    b'""',
    b"'",
    b"\x2c",
    b";",
    b"#",
    b":",
    b"{",
    b"}",
    b"[",
    b"]",
    b"\\",
    b"null",
    b"true",
    b'{"a":',
    b"all",
    b"ALL",
    b"amean",
    b"runid",
    b"topic",
    b"system",
    b"measure",
    b"value",
    b"score",
    b"rank",
    b"map",
    b"nDCG@10",
    b"Q0",
    b"1",
    b"0.5",
    b"9" * 30,
    b"0." + b"3" * 60,
    b"16777217",
    b"340282356779733661637539395458142568448",
    b"a" * 300,
    b"\x1f\x8b",
    b"PAR1",
    b"PK\x03\x04",
    b"-2147483649",
    b"9223372036854775808",
    b"2e308",
    b"4.9e-324",
    "é".encode(),
    "e\u0301".encode(),
    b"__index_level_0__",
)


@cache
def seeds() -> dict[str, tuple[bytes, ...]]:
    """Whole files of each kind, made here."""
    matrix = rs.ScoreMatrix(
        [[0.25, 0.5, 0.125], [0.375, 0.0, 1.0]], ["bm25", "dense é", 'q"x'], ["301", "302"], measure="AP"
    )
    board = rs.SystemScores([0.31, 0.28, 0.5], ["dense", "bm25", "ours, too"], measure="nDCG@10")
    tables = [_written(matrix, ending) for ending in (".csv", ".tsv", ".jsonl")]
    tables += [_written(board, ending) for ending in (".csv", ".tsv", ".jsonl")]
    tables += [
        b"topic,bm25,dense\n301,.1,.2\n302,.3,.4\nall,.2,.3\n",
        b"run,301,302\nbm25,.1,.2\ndense,.3,.4\n",
        b"0.1 0.2 0.3\n0.4 0.5 0.6\n",
        b"bm25;dense\n0.1;NA\n;0.5\n",
        b"map                   \tall\t0.2812\nP_10\tall\t0.5\n",
        b"runid\tall\tbm25\nmap\t301\t0.25\nmap\t302\t0.5\nmap\tall\t0.375\n"
        b"runid\tall\tdense\nmap\t301\t0.5\nmap\tall\t0.5\n",
        b"301\tnDCG@10\t0.5\n302\tnDCG@10\t0.25\nall\tnDCG@10\t0.375\n",
        b"AP\t0.3\nnDCG@10\t0.5\n",
        b"query_id,measure,value\n301,AP,0.5\n302,AP,0.25\n",
        b"model,rank,nDCG@10,AP\na,1,0.5,0.25\nb,2,0.25,0.125\n",
        b'{"run": "a", "topic": 301, "AP": 0.5}\n{"run": "b", "topic": 301, "AP": null}\n',
    ]
    parquet = [_written(scores, ".parquet") for scores in (matrix, board)]
    runs = [
        b"301 Q0 d1 1 9.5 x\n301 Q0 d2 2 9.25 x\n302 Q0 d1 1 0.5 x\n302 Q0 d3 2 0.5 x\n",
        "1\tQ0\té1\t1\t-1e-3\ty\r\n1\tQ0\té2\t2\t16777217\ty\r\n\r\n2\tQ0\tz\t1\tinf\ty\r\n".encode(),
    ]
    judgments = [b"301 0 d1 2\n301 0 d2 0\n302 0 d1 -1\n", "1\t0\té1\t0.5\r\n1\t0\té2\t1\r\n1\t0\té1\t0.5\r\n".encode()]
    groups = [
        b"run,score,team\nbm25,0.2,Ours\ndense,0.3,Theirs\n",
        b"bm25 ours\ndense theirs\n",
        b"# names\nbm25\n\ndense\n",
    ]
    return {
        "scores": (*tables, *parquet, _gzip(tables[0]), bz2.compress(tables[1]), _zstd(tables[2])),
        "runs": (*runs, _gzip(runs[0]), bz2.compress(runs[0]), _zstd(runs[1])),
        "judgments": (*judgments, _gzip(judgments[0]), _zstd(judgments[1])),
        "groups": tuple(groups),
        "null": (_null(),),
        "checkpoint": _checkpoint(),
        "cache": (_cache(),),
        "distances": (
            _npy([0.25, 0.5]),
            _npy(np.array([1, 2])),
            _npy(np.array(["x"])),
            _npy(np.zeros((2, 2))),
        ),
        "metadata": (json.dumps(_METADATA).encode(), b"[]", b"1e999"),
        "note": (
            b'{"kind": "topics \xc3\x97 systems", "measure": "AP", "systems_named": true, "topics_named": true}',
            b'{"kind": "leaderboard", "measure": null, "systems_named": false, "topics_named": false}',
        ),
        "index": (
            b'{"index_columns": [{"kind": "range", "name": null, "start": 1, "stop": 3, "step": 1}], "columns": []}',
            b'{"index_columns": ["__index_level_0__"]}',
        ),
    }


def check(kind: str, data: bytes) -> object:
    """Read these bytes as this kind of file: what was read, or the RankscopeError that says why not."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", RankscopeWarning)
        path = Path(folder, "fuzzed")
        path.write_bytes(data)
        found: object = None
        for read in READERS[kind]:
            try:
                found = read(path)
            except RankscopeError as error:
                found = error
            said = str(found) if isinstance(found, RankscopeError) else "read"
            assert said.strip(), "an error without words"
            assert "\n" not in said, f"a message of several lines: {said}"
        return found


def check_scores(path: Path) -> object:
    """Scores are numbers of the file, each no more often than there, and where a literal reading has them."""
    numbers = _numbers(path)
    scores = rs.read_scores(path, on_missing="keep")
    _check_held(scores.values, numbers)
    _check_honest(path, scores)
    # What was read can be written and read again, or is refused.
    again = path.with_name("again.parquet")
    write_scores(scores, again)
    assert rs.read_scores(again, on_missing="keep") == scores
    again.unlink()
    return scores


def check_forced(path: Path) -> object:
    """The same where a format is forced."""
    numbers = _numbers(path)
    found: object = None
    for form in FORMATS:
        try:
            found = rs.read_scores(path, format=form, on_missing="keep")
        except RankscopeError as error:
            found = error
        else:
            _check_held(found.values, numbers)
            _check_honest(path, found, form)
    return found


def check_measures(path: Path) -> object:
    """Scores under every measure."""
    table = read_measures(path)
    assert np.isfinite(table.values).all()
    return table


def check_run(path: Path) -> object:
    """Rankings are those of the literal reader."""
    found: dict[object, object] = {}
    for ties in ("id", "rank"):
        for on_duplicate in ("error", "first", "best"):
            try:
                runs = rs.read_runs(path, ties=ties, on_duplicate=on_duplicate)
            except RankscopeError as error:
                found[ties, on_duplicate] = error
                continue
            (system,) = runs.systems
            wanted = oracles_runs.literal_run(_lines(path), ties=ties, on_duplicate=on_duplicate)
            read = {topic: runs.retrieved(system, topic) for topic in runs.topics}
            assert read == wanted, (ties, on_duplicate, read, wanted)
            found[ties, on_duplicate] = read
    try:
        rs.read_runs(path, name="tag")
    except RankscopeError as error:
        found["tag"] = error
    return found


def check_judgments(path: Path) -> object:
    """Grades are those of the literal reader."""
    found: dict[str, object] = {}
    for rule in ("error", "first", "last", "max", "mean"):
        try:
            judgments = rs.read_judgments(path, on_conflict=rule)
        except RankscopeError as error:
            found[rule] = error
            continue
        wanted = oracles_runs.literal_judgments(_lines(path), on_conflict=rule)
        read = _grades(judgments)
        assert read.keys() == wanted.keys()
        for topic, grades in wanted.items():
            assert read[topic].keys() == grades.keys()
            assert np.allclose([read[topic][d] for d in grades], list(grades.values()), rtol=1e-12, atol=0)
        found[rule] = read
    return found


def check_groups(path: Path) -> object:
    """Groups and names are pieces of the text."""
    groups = read_groups(path)
    assert groups
    assert all(name and label for name, label in groups.items())
    return groups


def check_names(path: Path) -> object:
    """Names are lines of the text."""
    names = read_names(path)
    assert len(set(names)) == len(names) > 0
    return names


def check_null(path: Path) -> object:
    """A null's distances are numbers in ascending order, as many as it says."""
    null = RankDistanceNull.load(path)
    assert null.resamples == len(null.distances) > 0
    assert bool(np.all(null.distances[1:] >= null.distances[:-1]))
    return null


def check_checkpoint(path: Path) -> object:
    """A block that is damaged is made again; a head that is, is an error."""
    data = path.read_bytes()
    folder = path.with_name("kept")
    folder.mkdir(exist_ok=True)
    (folder / "study.json").unlink(missing_ok=True)
    opened = Checkpoint.open(folder, {"seed": 1})
    (folder / "first.npz").write_bytes(data)
    values = opened.load("first", (2,))
    assert values is None or values.dtype == np.float64
    (folder / "study.json").write_bytes(data)
    try:
        Checkpoint.open(folder, {"seed": 1})
    except RankscopeError as error:
        return error if values is None else values
    return values


def check_cache(path: Path) -> object:
    """A cache that is not whole is not believed."""
    runs = path.with_name("a.run")
    runs.write_bytes(seeds()["runs"][0])
    kept = path.with_name("cached")
    read = rs.read_runs(runs, cache=kept)
    (file,) = kept.glob("*.runs")
    file.write_bytes(path.read_bytes())
    again = rs.read_runs(runs, cache=kept)
    for topic in read.topics:
        assert again.retrieved("a", topic) == read.retrieved("a", topic)
    return again


def check_distances(path: Path) -> object:
    """An archive that is whole and holds anything in place of the distances."""
    return check_null(_archive(path, path.read_bytes(), _npy(json.dumps(_METADATA))))


def check_metadata(path: Path) -> object:
    """An archive that is whole and says anything about itself."""
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        return None
    return check_null(_archive(path, _npy([0.25, 0.5]), _npy(text)))


def check_note(path: Path) -> object:
    """A Parquet file with any note of ours, on columns that may or may not suit it."""
    return _check_noted(path, "rankscope")


def check_index(path: Path) -> object:
    """A Parquet file with any note of pandas'."""
    return _check_noted(path, "pandas")


def _check_noted(path: Path, key: str) -> object:
    import polars as pl

    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        return None
    found: object = None
    for columns in _COLUMNS:
        data = io.BytesIO()
        pl.DataFrame(columns).write_parquet(data, metadata={key: text})
        file = path.with_name("noted.parquet")
        file.write_bytes(data.getvalue())
        try:
            read = rs.read_scores(file, on_missing="keep")
        except RankscopeError as error:
            found = error if found is None else found
            continue
        found = read
        held = Counter(float(v) for cells in columns.values() for v in cells if isinstance(v, int | float))
        _check_held(read.values, held)
        assert read.measure is None or isinstance(read.measure, str)
    return found


def _archive(path: Path, distances: bytes, metadata: bytes) -> Path:
    made = path.with_name("made.npz")
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("distances.npy", distances)
        archive.writestr("metadata.npy", metadata)
    return made


def _npy(content: object) -> bytes:
    data = io.BytesIO()
    np.save(data, np.array(content))
    return data.getvalue()


_METADATA = {
    "kind": "rankscope null distribution",
    "version": 1,
    "statistic": "d_rank",
    "ridge": 0.5,
    "seed": 1,
    "systems": 4,
    "topics": 6,
    "baseline": "scores",
    "resamples": 2,
}
_COLUMNS: tuple[dict[str, list[object]], ...] = (
    {"topic": ["301", "302"], "bm25": [0.5, 0.25], "dense": [0.125, None]},
    {"topic": ["301", "302"], "bm25": ["x", "y"], "dense": [0.125, 0.5]},
    {"only": [0.5, 0.25]},
    {"topic": ["301"]},
    {"system": ["a", "a"], "score": [1, 2]},
    {"system": ["a", None], "score": [math.inf, 2.0]},
)

READERS: dict[str, tuple[Check, ...]] = {
    "scores": (check_scores, check_forced, check_measures),
    "runs": (check_run,),
    "judgments": (check_judgments,),
    "groups": (check_groups, check_names),
    "null": (check_null,),
    "checkpoint": (check_checkpoint,),
    "cache": (check_cache,),
    "distances": (check_distances,),
    "metadata": (check_metadata,),
    "note": (check_note,),
    "index": (check_index,),
}


def _numbers(path: Path) -> Counter[float] | None:
    """The numbers that the text of a file holds, with how often; None where it is not text."""
    try:
        data = decompress(path.read_bytes(), path)
        if data.startswith(b"PAR1"):
            return None
        text = data.decode()
    except (RankscopeError, UnicodeDecodeError):
        return None
    # JSON may write any character as \\u….
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda code: chr(int(code[1], 16)), text)
    return Counter(float(word) + 0.0 for word in _TOKEN.findall(text))


def _check_honest(path: Path, scores: rs.ScoreMatrix | rs.SystemScores, form: str | None = None) -> None:
    data = decompress(path.read_bytes(), path)
    if not data.startswith(b"PAR1"):
        text = data.decode("utf-8-sig")
        assert oracles_scores.is_read_honestly(text, scores, form=form), f"no reading of {text!r} gives {scores!r}"


def _check_held(values: np.ndarray, numbers: Counter[float] | None) -> None:
    assert not np.isinf(values).any()
    if numbers is None:
        return
    read = Counter(value + 0.0 for value in values.ravel().tolist() if not math.isnan(value))
    extra = {value: count for value, count in read.items() if count > numbers[value]}
    assert not extra, f"scores that the file does not hold: {extra}"


def _lines(path: Path) -> bytes:
    """The text of a file, its lines ended by \\n, without a byte order mark."""
    data = decompress(path.read_bytes(), path).removeprefix(b"\xef\xbb\xbf")
    return data.replace(b"\r", b"\n") if b"\n" not in data else data


def _written(scores: rs.ScoreMatrix | rs.SystemScores, ending: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "scores" + ending)
        write_scores(scores, path)
        return path.read_bytes()


def _gzip(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)  # no time stamp: the same seeds on every run


def _zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data)


def _null() -> bytes:
    scores = rs.ScoreMatrix(np.random.default_rng(0).random((6, 4)).round(3))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "null.npz")
        rs.rank_distance_null(scores, resamples=20, rng=1).save(path)
        return path.read_bytes()


def _checkpoint() -> tuple[bytes, ...]:
    with tempfile.TemporaryDirectory() as folder:
        opened = Checkpoint.open(folder, {"seed": 1})
        opened.save("first", np.array([0.5, 0.25]))
        return (Path(folder, "first.npz").read_bytes(), Path(folder, "study.json").read_bytes())


def _cache() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a.run").write_bytes(seeds_of_runs())
        rs.read_runs(Path(folder, "a.run"), cache=Path(folder, "kept"))
        (file,) = Path(folder, "kept").glob("*.runs")
        return file.read_bytes()


def seeds_of_runs() -> bytes:
    """The first of the runs, for the cache."""
    return b"301 Q0 d1 1 9.5 x\n301 Q0 d2 2 9.25 x\n302 Q0 d1 1 0.5 x\n302 Q0 d3 2 0.5 x\n"


def _grades(judgments: rs.Judgments) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {topic: {} for topic in judgments.topics}
    for topic, document, grade in judgments.to_frame().iter_rows():
        found[topic][document] = grade
    return found
