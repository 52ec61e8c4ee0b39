"""What was read, by size and hash."""

import hashlib
import os

import pytest

import rankscope as rs
from rankscope.files.fingerprints import fingerprint


def _hash(content):
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def test_a_file_has_its_own_hash(tmp_path):
    path = tmp_path / "a.qrels"
    path.write_bytes(b"1 0 d1 1\n")
    found = fingerprint("truth", path)
    assert found == {"role": "truth", "path": str(path), "files": 1, "bytes": 9, "blake2b": _hash(b"1 0 d1 1\n")}


def test_a_folder_has_the_hash_of_what_b2sum_writes(tmp_path):
    (tmp_path / "b").write_bytes(b"two")
    (tmp_path / "a").write_bytes(b"one")
    lines = f"{_hash(b'one')}  a\n{_hash(b'two')}  b\n"
    for source in (str(tmp_path), [str(tmp_path)], str(tmp_path / "*")):
        found = fingerprint("runs", source)
        assert (found["files"], found["bytes"], found["blake2b"]) == (2, 6, _hash(lines.encode()))


def test_a_pipe_has_none_and_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert fingerprint("judge", tmp_path / "pipe")["blake2b"] is None


def test_what_is_not_there_is_an_error(tmp_path):
    with pytest.raises(rs.UnreadableFile):
        fingerprint("truth", str(tmp_path / "*.none"))
