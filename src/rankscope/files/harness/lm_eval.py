"""lm-evaluation-harness: results of whole tasks, before and since version 0.4, and logs of samples."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rankscope.errors import BadFile
from rankscope.files.harness.record import (
    Harness,
    HarnessScore,
    Lines,
    has_keys,
    is_score,
    to_name,
    to_object,
    to_score,
    wrong,
)
from rankscope.files.sources import system_name
from rankscope.files.text import decode, read_bytes

# samples_TASK_TIME.jsonl beside results_TIME.json; older versions write no time.
_SAMPLES = re.compile(r"samples_(?P<task>.+?)(?:_(?P<time>\d{4}-\d\d-\d\dT[\d.:+-]+))?$")
_ERROR = "_stderr"
_NO_FILTER = "none"
# What a sample has beside its scores.
_NOT_SCORES = ("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics")


def is_results(document: object) -> bool:
    """Whether this is a file of results: scores by task, and the configuration or the versions of the tasks."""
    return (
        has_keys(document, "results")
        and isinstance(document, dict)
        and isinstance(document["results"], dict)
        and ("config" in document or "versions" in document)
        and all(isinstance(scores, dict) for scores in document["results"].values())
    )


def results(document: dict[str, Any], path: Path) -> Iterator[HarnessScore]:
    """The scores of every task; groups of tasks that are listed themselves are left out, as summaries are."""
    model = model_of(document) or system_name(path)
    tasks = to_object(document["results"], path, "results")
    groups = document.get("group_subtasks")
    subtasks = {
        name: [task for task in listed if task in tasks]
        for name, listed in (groups.items() if isinstance(groups, dict) else ())
        if isinstance(listed, list)
    }
    directions = document.get("higher_is_better")
    directions = directions if isinstance(directions, dict) else {}
    group_of = {task: name for name, listed in subtasks.items() for task in listed}
    for task, scores in tasks.items():
        if subtasks.get(task):
            continue
        details = {"group": _top(task, group_of)} if group_of else {}
        for key, value in scores.items():
            measure, _, chosen = key.partition(",")
            if measure.endswith(_ERROR) or not (is_score(value) or value is None):
                continue  # the standard error of another score, or text such as "alias"
            where = f"results.{task}.{key}"
            error = scores.get(f"{measure}{_ERROR},{chosen}" if chosen else f"{measure}{_ERROR}")
            yield HarnessScore(
                model,
                task,
                _measure(measure, chosen),
                to_score(value, path, where),
                error=to_score(error, path, where),
                where=where,
                details=details,
                lower_is_better=has_keys(directions.get(task), measure) and directions[task][measure] is False,
            )


def is_sample(first: object) -> bool:
    """Whether this is a line of a log of samples."""
    return has_keys(first, "doc_id", "doc", "filtered_resps") or has_keys(first, "doc_id", "doc", "resps")


def samples(lines: Lines, path: Path) -> Iterator[HarnessScore]:
    """The scores of every sample; the model is that of the results beside the log."""
    match = _SAMPLES.fullmatch(system_name(path))
    task = match["task"] if match else system_name(path)
    model = _model_beside(path, match["time"] if match else None)
    for number, sample in lines:
        where = f"line {number}"
        doc = to_name(sample.get("doc_id"), path, where)
        named = sample.get("metrics")
        names = named if isinstance(named, list) else [key for key in sample if key not in _NOT_SCORES]
        scores = {name: sample.get(name) for name in names if isinstance(name, str)}
        numbers = {name: value for name, value in scores.items() if isinstance(value, int | float) or value is None}
        if not numbers:
            raise wrong(path, where, "this sample has no score; log samples of a task with a score for each sample")
        chosen = sample.get("filter")
        for name, value in numbers.items():
            measure = _measure(name, chosen if isinstance(chosen, str) else "")
            yield HarnessScore(model, task, measure, to_score(value, path, where), sample=doc, where=where)


def model_of(document: Mapping[str, Any]) -> str | None:
    """The model that a file of results is about, with its revision unless that is the main one."""
    config = document.get("config")
    settings: Mapping[str, Any] = config if isinstance(config, dict) else {}
    arguments = settings.get("model_args")
    if isinstance(arguments, str):
        arguments = dict(part.partition("=")[::2] for part in arguments.split(","))
    given: Mapping[str, Any] = arguments if isinstance(arguments, dict) else {}
    names = (document.get("model_name"), given.get("pretrained"), given.get("model"), settings.get("model"))
    model = next((name for name in names if isinstance(name, str) and name.strip()), None)
    revision = given.get("revision")
    if model is None or not isinstance(revision, str) or revision in ("", "main"):
        return model
    return f"{model}@{revision}"


def _measure(metric: str, chosen: str) -> str:
    return metric if chosen in ("", _NO_FILTER) else f"{metric},{chosen}"


def _top(task: str, group_of: Mapping[str, str]) -> str:
    """The outermost group of a task; groups that hold each other do not go on for ever."""
    seen = [task]
    while (group := group_of.get(seen[-1])) is not None and group not in seen:
        seen.append(group)
    return seen[-1] if len(seen) > 1 else ""


def _model_beside(path: Path, time: str | None) -> str:
    """The model of the results written with these samples, or the folder's name, in which `__` stands for `/`."""
    results = sorted(path.parent.glob("results*.json"))
    same = [file for file in results if time is not None and time in file.name]
    for file in same or (results if len(results) == 1 else []):
        try:
            document = json.loads(decode(read_bytes(file), file))
        except (BadFile, ValueError, RecursionError):
            continue  # these samples can be read without it
        if is_results(document) and (model := model_of(document)) is not None:
            return model
    return path.resolve().parent.name.replace("__", "/") or system_name(path)


RESULTS = Harness("lm-evaluation-harness results", "document", is_results, results)
SAMPLES = Harness("lm-evaluation-harness samples", "lines", is_sample, samples)
