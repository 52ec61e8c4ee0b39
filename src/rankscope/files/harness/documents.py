"""Which form a file has, by its content, and the scores in it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from rankscope.errors import BadFile, DuplicateScore, UnrecognisedFormat
from rankscope.files.harness import (
    alpaca_eval,
    every_eval_ever,
    helm,
    inspect_logs,
    lm_eval,
    mteb,
    saved_evaluation,
    tira,
)
from rankscope.files.harness.record import Harness, HarnessFile, Lines
from rankscope.files.jsonl import KeyTwice, distinct_keys
from rankscope.files.text import decode

# In the order in which files are tried.
HARNESSES: tuple[Harness, ...] = (
    lm_eval.RESULTS,
    lm_eval.SAMPLES,
    inspect_logs.LOG,
    helm.PER_INSTANCE_STATS,
    helm.STATS,
    every_eval_ever.RECORD,
    every_eval_ever.ANSWERS,
    every_eval_ever.INDEX,
    mteb.RESULT,
    alpaca_eval.ANNOTATIONS,
    tira.DUMP,
    tira.PROTOTEXT,
    saved_evaluation.EVALUATION,
)

ZIP = b"PK\x03\x04"
_JSON = re.compile(r"\s*(?:\{\s*[\"}]|\[\s*[\[{])")


def read_harness(data: bytes, path: Path) -> HarnessFile | None:
    """The scores in the output of a harness; None if this is something else."""
    if data.startswith(ZIP):
        if not inspect_logs.is_archive(data):
            return None
        return _read(inspect_logs.LOG, inspect_logs.open_archive(data, path), path)
    start = data[:4096].decode("utf-8-sig", errors="replace")
    if tira.is_prototext(start):
        return _read(tira.PROTOTEXT, tira.parse_prototext(decode(data, path), path), path)
    if _JSON.match(start) is None:
        return None
    text = decode(data, path)
    first = first_line(text)
    if first is not None:
        harness = next((form for form in HARNESSES if form.form == "lines" and form.recognises(first)), None)
        return None if harness is None else _read(harness, _all_lines(text, path), path)
    document = parse_document(text, path)
    harness = next((form for form in HARNESSES if form.form == "document" and form.recognises(document)), None)
    return None if harness is None else _read(harness, document, path)


def check_some_score(file: HarnessFile) -> None:
    """Raise `UnrecognisedFormat` for a file without scores."""
    if not file.scores:
        raise UnrecognisedFormat(file.path, f"{file.harness.name}, without any score; {file.harness.way_out}")


def first_line(text: str) -> dict[str, Any] | None:
    r"""The first object of JSON lines; None where the text is one JSON document, over one line or several.

    >>> first_line('{"a": 1}\n{"a": 2}\n'), first_line('{"a": 1}') is None
    ({'a': 1}, True)
    """
    first, _, rest = text.strip().partition("\n")
    try:
        decoded = json.loads(first)
    except (ValueError, RecursionError):
        return None
    if not isinstance(decoded, dict):
        return None
    # One object alone may be either; harnesses write documents and lines with different keys.
    alone = not rest.strip()
    if alone and not any(form.form == "lines" and form.recognises(decoded) for form in HARNESSES):
        return None
    return decoded


def parse_document(text: str, path: Path) -> Any:
    """The content of a JSON file; None where it is JSON lines with a line that is broken."""
    try:
        return json.loads(text, object_pairs_hook=distinct_keys)
    except KeyTwice as error:
        line = None if "\n" in text.strip() else 1
        raise DuplicateScore(path, f"the key {error} appears twice in one object; keep one", line=line) from None
    except RecursionError:
        raise UnrecognisedFormat(path, "JSON that is nested too deeply to be scores; check the file") from None
    except ValueError as error:
        if isinstance(error, json.JSONDecodeError) and not _is_lines(text):
            problem = f"broken JSON ({error.msg}); it may have been cut short, so fetch or write it again"
            raise UnrecognisedFormat(path, problem, line=error.lineno) from None
        return None


def _is_lines(text: str) -> bool:
    """Whether some line is an object of its own, so that a broken one is a matter of that line."""
    lines = text.strip().split("\n")
    return len(lines) == 1 or any(re.match(r"\s*\{.*\}\s*$", line) for line in lines[:1000])


def _all_lines(text: str, path: Path) -> Lines:
    records = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            decoded = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = getattr(error, "msg", "nested too deeply")
            problem = f"broken JSON ({reason}); the file may have been cut short, so fetch or write it again"
            raise UnrecognisedFormat(path, problem, line=number) from None
        if not isinstance(decoded, dict):
            raise UnrecognisedFormat(path, "not a JSON object; each line is one object", line=number)
        records.append((number, decoded))
    return records


def _read(form: Harness, content: Any, path: Path) -> HarnessFile:
    try:
        scores = tuple(form.scores(content, path))
    except BadFile as error:
        # The message says which form the file was taken for.
        problem = error.problem if form.name in error.problem else f"{error.problem} (read as {form.name})"
        raise type(error)(error.path, problem, line=error.line) from None
    return HarnessFile(path, form, scores)
