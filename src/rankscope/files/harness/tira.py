"""TIRA: evaluations in prototext, of a run or of its queries, and TIREx's dump of all evaluations."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rankscope.errors import UnrecognisedFormat
from rankscope.files.columns import SUMMARIES
from rankscope.files.harness.record import Harness, HarnessScore, Lines, has_keys, to_name, to_object, to_score, wrong
from rankscope.files.sources import system_name

_BEGIN = re.compile(r"\s*measure\s*\{")
_FIELD = re.compile(r'\s*(?P<key>\w+)\s*:\s*(?:"(?P<text>(?:[^"\\]|\\.)*)"|(?P<bare>\S+))\s*')
# Names that TIRA gives to every evaluation and its folder: the run is the folder around them.
_COMMON = ("evaluation", "evaluation-per-query", "output")
_ABOUT = ("approach", "dataset")


def is_prototext(text: str) -> bool:
    r"""Whether a text is an evaluation in prototext.

    >>> is_prototext('measure {\n\tkey: "AP"'), is_prototext("measure,value")
    (True, False)
    """
    return _BEGIN.match(text) is not None


def parse_prototext(text: str, path: Path) -> Lines:
    """The fields of every `measure { … }`, with the line where it begins."""
    blocks: list[tuple[int, dict[str, Any]]] = []
    block: dict[str, Any] | None = None
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        if _BEGIN.fullmatch(line.rstrip()) and block is None:
            block = {}
            blocks.append((number, block))
        elif line.strip() == "}" and block is not None:
            block = None
        else:
            field = _FIELD.fullmatch(line)
            if field is None or block is None:
                problem = 'not a field of an evaluation in prototext, such as key: "AP"; fetch or write the file again'
                raise UnrecognisedFormat(path, problem, line=number)
            text_value = field["bare"] if field["text"] is None else re.sub(r"\\(.)", r"\1", field["text"])
            block[field["key"]] = text_value
    if block is not None:
        raise UnrecognisedFormat(path, "the file ends early, inside of measure {; fetch or write it again")
    return blocks


def evaluation(lines: Lines, path: Path) -> Iterator[HarnessScore]:
    """The scores of one run, by query or overall."""
    run = _run(path)
    for number, fields in lines:
        where = f"line {number}"
        measure = to_name(fields.get("measure", fields.get("key")), path, where)
        topic = to_name(fields.get("query_id", SUMMARIES[0]), path, where)
        if "value" not in fields:
            raise wrong(path, where, "this measure has no value; fetch or write the file again")
        yield HarnessScore(run, "", measure, to_score(fields["value"], path, where), sample=topic, where=where)


def is_dump(document: object) -> bool:
    """Whether this is TIREx's dump: benchmarks, the approaches to each, and the scores of each."""
    if not isinstance(document, dict) or not all(isinstance(each, dict) for each in document.values()):
        return False
    first = next((about for each in document.values() for about in each.values() if about is not None), None)
    return has_keys(first, *_ABOUT)


def dump(document: dict[str, Any], path: Path) -> Iterator[HarnessScore]:
    """The scores of every approach on every benchmark; null is an approach that was not evaluated there."""
    evaluated = [about for each in document.values() for about in each.values() if isinstance(about, dict)]
    measures = dict.fromkeys(key for about in evaluated for key in about if key not in _ABOUT)
    for benchmark, approaches in document.items():
        for approach, about in approaches.items():
            where = f"{benchmark}.{approach}"
            scores = {} if about is None else to_object(about, path, where)
            for measure in measures:
                value = to_score(scores.get(measure), path, f"{where}.{measure}") if scores else math.nan
                yield HarnessScore(approach, benchmark, measure, value, where=where)


def _run(path: Path) -> str:
    """The run's name: that of the file, or of the nearest folder, that is not TIRA's own."""
    folders = reversed(path.resolve().parts[1:-1])
    return next((name for name in (system_name(path), *folders) if name not in _COMMON), system_name(path))


PROTOTEXT = Harness("an evaluation of TIRA", "lines", lambda _: False, evaluation)
DUMP = Harness("TIREx's dump of evaluations", "document", is_dump, dump)
