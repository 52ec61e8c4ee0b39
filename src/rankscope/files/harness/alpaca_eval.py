"""AlpacaEval: which of two answers an annotator preferred, instruction by instruction (annotations.json)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rankscope.errors import NotANumber
from rankscope.files.harness.record import Harness, HarnessScore, has_keys, to_name, to_object, to_score, wrong

_PREFERENCE = "preference"
# As AlpacaEval itself reads the 0 of its first version: neither is preferred.
_DRAW = 1.5


def is_annotations(document: object) -> bool:
    """Whether this is a list of preferences between two generators."""
    return (
        isinstance(document, list)
        and bool(document)
        and has_keys(document[0], "instruction", "generator_2", _PREFERENCE)
    )


def preferences(document: list[Any], path: Path) -> Iterator[HarnessScore]:
    """How far the second generator was preferred on every instruction, 0 to 1; the annotator is the measure."""
    repeated: Counter[tuple[str, str, str]] = Counter()
    for number, entry in enumerate(document):
        where = f"[{number}]"
        about = to_object(entry, path, where)
        model = to_name(about.get("generator_2"), path, f"{where}.generator_2")
        instruction = to_name(about.get("instruction"), path, f"{where}.instruction")
        annotator, baseline = about.get("annotator"), about.get("generator_1")
        measure = annotator if isinstance(annotator, str) and annotator else _PREFERENCE
        key = (model, instruction, measure)
        repeated[key] += 1
        # An instruction that a file has twice is two topics.
        topic = instruction if repeated[key] == 1 else f"{instruction} ({repeated[key]})"
        yield HarnessScore(
            model,
            "",
            measure,
            _preferred(about.get(_PREFERENCE), path, f"{where}.{_PREFERENCE}"),
            sample=topic,
            where=where,
            details={"baseline": baseline if isinstance(baseline, str) else ""},
        )


def _preferred(preference: object, path: Path, where: str) -> float:
    value = to_score(preference, path, where)
    if value == 0.0:
        value = _DRAW
    if not math.isnan(value) and not 1.0 <= value <= 2.0:
        problem = f"{value:g} is not a preference, which is 1 to 2, or 0 for a draw; correct it, or write null"
        raise wrong(path, where, problem, NotANumber)
    return value - 1.0


ANNOTATIONS = Harness("annotations of AlpacaEval", "document", is_annotations, preferences)
