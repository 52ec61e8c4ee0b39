"""Every Eval Ever: records of a model's scores, records of its answers, and the index that points to records."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rankscope.files.harness.record import (
    Harness,
    HarnessScore,
    Lines,
    has_keys,
    to_list,
    to_name,
    to_object,
    to_score,
)

_UNNAMED = "score"


def is_record(document: object) -> bool:
    """Whether this is a record of a model's scores."""
    return has_keys(document, "schema_version", "model_info", "evaluation_results")


def record(document: dict[str, Any], path: Path) -> Iterator[HarnessScore]:
    """The scores of every evaluation; measures are named by their kind, where that is unambiguous."""
    model = _model(to_object(document["model_info"], path, "model_info"), path)
    listed = to_list(document["evaluation_results"], path, "evaluation_results")
    results = [to_object(result, path, f"evaluation_results[{n}]") for n, result in enumerate(listed)]
    tasks = [to_name(r.get("evaluation_name"), path, f"evaluation_results[{n}]") for n, r in enumerate(results)]
    configs = [result.get("metric_config") for result in results]
    kinds = [_text(config, "metric_kind", "metric_name", "metric_id") for config in configs]
    names = [_text(config, "metric_name", "metric_id", "metric_kind") for config in configs]
    counts = Counter(zip(tasks, kinds, strict=True))
    rows = zip(tasks, kinds, names, configs, results, strict=True)
    for number, (task, kind, name, config, result) in enumerate(rows):
        where = f"evaluation_results[{number}].score_details"
        details = to_object(result.get("score_details"), path, where)
        measure = kind if counts[task, kind] == 1 else name
        yield HarnessScore(
            model,
            task,
            _UNNAMED if measure in ("", task) else measure,
            to_score(details.get("score"), path, f"{where}.score"),
            error=_error(details.get("uncertainty"), path, f"{where}.uncertainty"),
            where=where,
            lower_is_better=isinstance(config, dict) and config.get("lower_is_better") is True,
        )


def is_answer(first: object) -> bool:
    """Whether this is the record of one answer."""
    return has_keys(first, "schema_version", "model_id", "sample_id", "evaluation")


def answers(lines: Lines, path: Path) -> Iterator[HarnessScore]:
    """The score of every answer."""
    for number, answer in lines:
        where = f"line {number}"
        scored = to_object(answer.get("evaluation"), path, where)
        yield HarnessScore(
            to_name(answer.get("model_id"), path, where),
            to_name(answer.get("evaluation_name"), path, where),
            _UNNAMED,
            to_score(scored.get("score"), path, where),
            sample=to_name(answer.get("sample_id"), path, where),
            where=where,
        )


def is_index(first: object) -> bool:
    """Whether this is a line of a datastore's index."""
    return has_keys(first, "record_type", "object_path")


def index(lines: Lines, path: Path) -> Iterator[HarnessScore]:
    """Nothing: an index holds no scores."""
    yield from ()


def _model(info: dict[str, Any], path: Path) -> str:
    return to_name(info.get("id") or info.get("name"), path, "model_info.id")


def _text(config: object, *keys: str) -> str:
    """The first of these that the configuration of a metric has."""
    values = [config.get(key) for key in keys] if isinstance(config, dict) else []
    return next((value for value in values if isinstance(value, str) and value.strip()), "")


def _error(uncertainty: object, path: Path, where: str) -> float:
    if not isinstance(uncertainty, dict):
        return math.nan
    error = uncertainty.get("standard_error")
    return to_score(error.get("value") if isinstance(error, dict) else error, path, f"{where}.standard_error")


RECORD = Harness("a record of Every Eval Ever", "document", is_record, record)
ANSWERS = Harness("answers of Every Eval Ever", "lines", is_answer, answers)
INDEX = Harness("an index of Every Eval Ever", "lines", is_index, index, way_out="give the records that it lists")
