"""From a path to text: reading, recognising binary files, decoding."""

from __future__ import annotations

from pathlib import Path

from rankscope.errors import BinaryFile, EmptyFile, UnreadableFile
from rankscope.files.compression import decompress
from rankscope.files.fingerprints import note
from rankscope.files.overwriting import note_input

PARQUET_MAGIC = b"PAR1"

# What people hand over by mistake, by its first bytes.
_OTHER_FILES = (
    (b"PK\x03\x04", "a zip archive or an Excel workbook; save the sheet as CSV"),
    (b"\xfd7zXZ", "xz-compressed; compress it with gzip, bzip2 or zstd instead"),
    (b"ARROW1", "an Arrow file; save it as Parquet or CSV"),
    (b"\x93NUMPY", "a NumPy array; load it and pass the array"),
    (b"SQLite format 3", "a SQLite database; export the table as CSV"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"%PDF", "a PDF document"),
)
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_CONTROLS = frozenset(range(32)) - frozenset(b"\t\n\v\f\r\x1b")


def read_bytes(path: Path) -> bytes:
    """The content of a file, decompressed where its first bytes say gzip, bzip2 or zstd."""
    data = decompress(raw_bytes(path), path)
    if not data or data.isspace():
        raise EmptyFile(path, "the file is empty")
    return data


def raw_bytes(path: Path) -> bytes:
    """The content of a file as it is; its fingerprint is that of these bytes."""
    note_input(path)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise UnreadableFile(path, "there is no such file or folder; check the path") from None
    except IsADirectoryError:
        raise UnreadableFile(path, "this is a folder; give the name of a file in it") from None
    except OSError as error:
        check = "its permissions" if isinstance(error, PermissionError) else "the path"
        raise UnreadableFile(path, f"cannot be read ({error.strerror or error}); check {check}") from error
    note(path, data)
    return data


def decode(data: bytes, path: Path) -> str:
    """UTF-8 bytes as text, without a byte order mark; an error that says what the bytes are where they are not text."""
    check_text(data, path, "a score table", "neither text nor Parquet; export the scores as CSV")
    return data.decode("utf-8-sig")


def check_text(data: bytes, path: Path, what: str, binary: str = "not text; give the file as text, UTF-8") -> None:
    """Raise `BinaryFile` or `UnreadableFile` for bytes that are not UTF-8 text; `what` is what was expected."""
    for magic, other in _OTHER_FILES:
        if data.startswith(magic):
            raise BinaryFile(path, f"not {what} but {other}")
    if data.startswith(_UTF16_MARKS):
        raise UnreadableFile(path, "the text is UTF-16; save it as UTF-8", line=1)
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise BinaryFile(path, f"a NUL byte: this is {binary}", line=line)
    if data.isascii():
        return
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        if not _CONTROLS.isdisjoint(data[:4096]):
            raise BinaryFile(path, binary) from None
        line = data.count(b"\n", 0, error.start) + 1
        problem = f"byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8 (it may be Latin-1)"
        raise UnreadableFile(path, problem, line=line) from None
