"""What was read, by size and hash: those of the very bytes that were parsed."""

import hashlib
import json
import os
import threading

from click.testing import CliRunner

import rankscope as rs
from rankscope.cli import main
from rankscope.files.fingerprints import recording

TABLE = b"topic,a,b,c\n1,.1,.2,.3\n2,.3,.1,.4\n3,.4,.2,.2\n"
QRELS = b"1 0 d1 1\n"
RUN = b"1 Q0 d1 1 2.5 x\n"
COMPARE = ("-c", "tau_b", "--resamples", "0", "--format", "json")


def _hash(content):
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def test_a_file_has_its_own_hash(tmp_path):
    path = tmp_path / "a.qrels"
    path.write_bytes(QRELS)
    with recording() as read:
        rs.read_judgments(path)
    found = read.fingerprint("truth", path)
    assert found == {"role": "truth", "path": str(path), "files": 1, "bytes": 9, "blake2b": _hash(QRELS)}


def test_a_folder_has_the_hash_of_what_b2sum_writes(tmp_path):
    runs = {f"s{i}.run": RUN * (i == 0) + b"2 Q0 d1 1 %d x\n" % i for i in range(9)}
    for name, content in runs.items():
        (tmp_path / name).write_bytes(content)
    lines = "".join(f"{_hash(content)}  {name}\n" for name, content in runs.items())
    for source in (str(tmp_path), [str(tmp_path)], str(tmp_path / "*")):
        with recording() as read:
            rs.read_runs(source, jobs=4)
        found = read.fingerprint("runs", source)
        assert (found["files"], found["bytes"]) == (9, sum(map(len, runs.values())))
        assert found["blake2b"] == _hash(lines.encode())


def test_the_hash_of_runs_from_the_cache_is_the_same(tmp_path):
    (tmp_path / "s.run").write_bytes(RUN)
    for _ in range(2):
        with recording() as read:
            rs.read_runs(tmp_path / "s.run", cache=tmp_path / "kept")
        assert read.fingerprint("runs", "s.run")["blake2b"] == _hash(RUN)


def test_a_pipe_has_the_hash_of_what_came_through(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "truth.csv").write_bytes(TABLE)
    writer = threading.Thread(target=pipe.write_bytes, args=(TABLE,))
    writer.start()
    done = CliRunner().invoke(main, ["compare", str(tmp_path / "truth.csv"), str(pipe), *COMPARE])
    writer.join()
    inputs = json.loads(done.stdout)["settings"]["inputs"]
    assert [one["blake2b"] for one in inputs] == [_hash(TABLE)] * 2


def test_a_file_replaced_after_it_was_read_keeps_the_hash_of_what_was_read(tmp_path, monkeypatch):
    path = tmp_path / "scores.csv"
    path.write_bytes(TABLE)
    compare = rs.compare

    def replace_and_compare(*args, **options):
        path.write_bytes(TABLE.replace(b".1", b".9"))
        return compare(*args, **options)

    monkeypatch.setattr(rs, "compare", replace_and_compare)
    done = CliRunner().invoke(main, ["compare", str(path), str(path), *COMPARE])
    assert [one["blake2b"] for one in json.loads(done.stdout)["settings"]["inputs"]] == [_hash(TABLE)] * 2


def test_judge_records_what_it_read(tmp_path):
    texts = {"a.run": b"", "b.run": b"", "human.qrels": b"", "judge.qrels": b""}
    for topic in range(6):
        for rank, document in enumerate("xyz"):
            texts["a.run"] += b"%d Q0 %s %d %d a\n" % (topic, document.encode(), rank, 9 - rank)
            texts["b.run"] += b"%d Q0 %s %d %d b\n" % (topic, document.encode(), rank, rank)
            texts["human.qrels"] += b"%d 0 %s %d\n" % (topic, document.encode(), (rank + topic) % 2)
            texts["judge.qrels"] += b"%d 0 %s %d\n" % (topic, document.encode(), rank != topic % 3 and rank < 2)
    for name, content in texts.items():
        (tmp_path / name).write_bytes(content)
    runs = [str(tmp_path / "a.run"), str(tmp_path / "b.run")]
    words = ["--truth", str(tmp_path / "human.qrels"), "--judge", f"llm={tmp_path / 'judge.qrels'}", "-m", "AP"]
    done = CliRunner().invoke(main, ["judge", *runs, *words, "--resamples", "20", "--format", "json"])
    assert done.exit_code == 0, done.stderr
    inputs = json.loads(done.stdout)["settings"]["inputs"]
    assert [one["role"] for one in inputs] == ["runs", "truth", "judge llm"]
    together = "".join(f"{_hash(texts[name])}  {name}\n" for name in ("a.run", "b.run"))
    assert [one["blake2b"] for one in inputs] == [
        _hash(together.encode()),
        _hash(texts["human.qrels"]),
        _hash(texts["judge.qrels"]),
    ]
