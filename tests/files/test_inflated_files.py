"""Small files that grow without end when decompressed are refused before they fill the memory."""

import bz2
import gzip
import io
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
import zstandard

import rankscope as rs
from rankscope.files import compression
from rankscope.files.archives import BrokenArchive, read_archive

TEXT = "".join(f"301 Q0 d{i * 7919 % 1000} {i} {1000 / (i + 1)} x\n" for i in range(500)).encode()
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "zst": lambda data: zstandard.ZstdCompressor().compress(data),
}
STREAMS: dict[str, Callable[[], Any]] = {
    "gz": lambda: zlib.compressobj(9, wbits=31),
    "bz2": bz2.BZ2Compressor,
    "zst": lambda: zstandard.ZstdCompressor().compressobj(),
}
MEGABYTE = b"301 Q0 d1 1 0.5 x\n" + b" " * ((1 << 20) - 18)


def bomb(kind, megabytes):
    stream = STREAMS[kind]()
    return b"".join(stream.compress(MEGABYTE) for _ in range(megabytes)) + stream.flush()


@pytest.mark.parametrize("read", [rs.read_runs, rs.read_judgments, rs.read_scores])
def test_a_file_that_grows_without_end_is_refused(file, read):
    path = file(bomb("zst", 300))
    assert path.stat().st_size < 1 << 14
    wanted = r"scores.csv: [\d,]+ bytes that grow to more than \d+ MB .*; if it is right, decompress it first and give"
    with pytest.raises(rs.UnreadableFile, match=wanted):
        read(path)


@pytest.mark.parametrize("kind", STREAMS)
def test_little_is_held_beyond_the_limit(monkeypatch, tmp_path, kind):
    seen = []

    def expands_suspiciously(size, _):
        seen.append(size)
        return size > 1 << 20

    monkeypatch.setattr(compression, "expands_suspiciously", expands_suspiciously)
    with pytest.raises(rs.UnreadableFile, match="grow to more than"):
        compression.decompress(bomb(kind, 110), tmp_path / "a")
    assert max(seen) < 100 << 20


@pytest.mark.parametrize("kind", COMPRESS)
def test_what_is_large_or_shrinks_well_is_read_as_ever(monkeypatch, file, kind):
    monkeypatch.setattr(compression, "MOST", len(TEXT) - 1)  # large, but not out of proportion
    runs = rs.read_runs(file(COMPRESS[kind](TEXT)))
    assert len(runs.retrieved("scores", "301")) == 500
    monkeypatch.setattr(compression, "MOST", 1 << 28)
    monkeypatch.setattr(compression, "RATIO", 1)  # out of proportion, but not large
    assert len(rs.read_runs(file(COMPRESS[kind](TEXT))).retrieved("scores", "301")) == 500


@pytest.mark.parametrize("kind", COMPRESS)
@pytest.mark.parametrize("step", [1, 2, 7, 1 << 20])
def test_streams_after_each_other_in_steps_of_any_size(monkeypatch, tmp_path, kind, step):
    monkeypatch.setattr(compression, "_STEPS", dict.fromkeys(compression._STEPS, step))
    parts = (TEXT, b"", b"302 Q0 d1 1 1 x\n")
    data = b"".join(map(COMPRESS[kind], parts))
    assert compression.decompress(data, tmp_path) == b"".join(parts)
    for cut in (1, 5, len(data) // 2):
        with pytest.raises(rs.UnreadableFile, match="its compression is broken"):
            compression.decompress(data[:-cut], tmp_path)


def test_what_may_follow_a_stream(tmp_path):
    assert (
        compression.decompress(gzip.compress(TEXT) + bytes(1000) + gzip.compress(TEXT) + bytes(3), tmp_path) == TEXT * 2
    )
    assert compression.decompress(bz2.compress(TEXT) + b"more", tmp_path) == TEXT
    for data in (gzip.compress(TEXT) + b"more", COMPRESS["zst"](TEXT) + b"more", bz2.compress(TEXT) + b"BZh9more"):
        with pytest.raises(rs.UnreadableFile, match="its compression is broken"):
            compression.decompress(data, tmp_path)


def test_a_checksum_that_is_wrong(tmp_path):
    data = bytearray(gzip.compress(TEXT))
    data[-8] ^= 1
    with pytest.raises(rs.UnreadableFile, match="its compression is broken"):
        compression.decompress(bytes(data), tmp_path)


def test_a_parquet_file_of_one_number(tmp_path):
    rows = 40_000_000
    pl.select(a=pl.repeat(0.5, rows)).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(rs.UnreadableFile, match=r"bytes that hold 40,000,000 cells, far more than tables of scores do"):
        rs.read_scores(tmp_path / "a.parquet")


def test_an_archive_of_zeros(tmp_path):
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (40 << 20,)})
    with (
        zipfile.ZipFile(tmp_path / "a.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("distances.npy", "w") as member,
    ):
        member.write(head.getvalue())
        for _ in range(40 * 8):
            member.write(bytes(1 << 20))
    with pytest.raises(BrokenArchive, match="more memory than a file of this size"):
        read_archive(tmp_path / "a.npz", ["distances"])
    with pytest.raises(rs.RankscopeError, match="not a null distribution"):
        rs.RankDistanceNull.load(tmp_path / "a.npz")
