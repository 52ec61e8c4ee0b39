"""Workers that were forked: polars would wait forever for threads that stayed behind."""

import multiprocessing
import os
import subprocess
import sys

import pytest

CODE = """
import multiprocessing, sys
import rankscope as rs

def work(what):
    if what == "read":
        return str(rs.read_scores("a.parquet"))
    if what == "write":
        rs.write_scores(SCORES, "b.parquet")
    return str(rs.read_scores("a.csv"))

def told(what):
    try:
        return work(what)
    except rs.RankscopeError as error:
        return f"{type(error).__name__}: {error}"

SCORES = rs.read_scores({"bm25": {"1": 0.1, "2": 0.2}, "dense": {"1": 0.3, "2": 0.1}})
if __name__ == "__main__":
    rs.write_scores(SCORES, "a.csv")
    rs.write_scores(SCORES, "a.parquet")
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        for what in ("read", "write", "csv"):
            print(pool.apply(told, [what]))
"""


def run(tmp_path, method):
    (tmp_path / "forking.py").write_text(CODE)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-W", "ignore", "forking.py", method]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.splitlines()


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system does not fork")
def test_parquet_after_a_fork_is_an_error_and_not_a_wait(tmp_path):
    read, write, csv = run(tmp_path, "fork")
    assert read.startswith("UnreadableFile: a.parquet: this process was forked from one that had used Parquet")
    assert write.startswith("UnwritableOutput: b.parquet: this process was forked")
    assert "or use CSV" in read
    assert csv == "<ScoreMatrix: 2 topics × 2 systems>"


def test_the_way_out_works(tmp_path):
    assert run(tmp_path, "spawn") == ["<ScoreMatrix: 2 topics × 2 systems>"] * 3
