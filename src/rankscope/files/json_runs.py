"""A run as one JSON object, `{topic: {document: score}}`, as ranx saves it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from rankscope.errors import BadFile, DuplicateDocument, EmptyFile, NotANumber, UnrecognisedFormat
from rankscope.files.jsonl import KeyTwice, distinct_keys
from rankscope.files.sources import system_name

_FORM = "{topic: {document: score}}"


class _Number(str):
    """A number as it is written, with all its digits."""

    __slots__ = ()


def is_json_object(data: bytes) -> bool:
    """Whether a file begins as a JSON object does."""
    return re.match(rb'(?:\xef\xbb\xbf)?\s*\{\s*["}]', data) is not None


def run_lines(data: bytes, path: Path) -> bytes:
    """The run in JSON as lines of topic, Q0, document, rank, score, tag, documents in the order of the file."""
    tag = "_".join(system_name(str(path)).split())
    lines = []
    for topic, documents in _topics(data, path).items():
        for rank, (document, score) in enumerate(documents.items(), 1):
            if not isinstance(score, _Number) or score == "NaN":
                problem = f"document {document!r} of topic {topic!r} has {score!r}, not a score; correct it"
                raise NotANumber(path, problem)
            for what, name in (("topic", topic), ("document", document)):
                if len(name.split()) != 1 or name != name.strip():
                    raise UnrecognisedFormat(path, f"the {what} {name!r} is empty or has white space; rename it")
            lines.append(f"{topic} Q0 {document} {rank} {score} {tag}\n")
    if not lines:
        raise EmptyFile(path, "there is no document in this run")
    return "".join(lines).encode()


def _topics(data: bytes, path: Path) -> dict[str, dict[str, object]]:
    try:
        whole = json.loads(
            data.decode("utf-8-sig"),
            object_pairs_hook=distinct_keys,
            parse_int=_Number,
            parse_float=_Number,
            parse_constant=_Number,
        )
    except KeyTwice as error:
        raise DuplicateDocument(path, f"the key {error} appears twice in one object; keep one") from None
    except (ValueError, RecursionError) as error:
        raise _no_run(path, f"broken JSON ({getattr(error, 'msg', 'it cannot be decoded')})") from None
    inner = list(whole.values()) if isinstance(whole, dict) else []
    if not whole or not all(isinstance(documents, dict) for documents in inner):
        raise _no_run(path, "JSON, but not of a run")
    if any(isinstance(value, dict) for documents in inner for value in documents.values()):
        problem = "JSON of several runs; write one file for each, or use rs.RunSet.of in Python"
        raise UnrecognisedFormat(path, f"{problem}: {_FORM} is one run")
    return dict(whole)


def _no_run(path: Path, problem: str) -> BadFile:
    return UnrecognisedFormat(path, f"{problem}; write {_FORM}, or lines of topic, Q0, document, rank, score, tag")
