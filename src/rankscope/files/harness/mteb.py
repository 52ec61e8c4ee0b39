"""MTEB: one file per model, revision and task, `results/MODEL/REVISION/TASK.json`, in all its versions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rankscope.files.harness.record import (
    Harness,
    HarnessFile,
    HarnessScore,
    has_keys,
    to_list,
    to_name,
    to_object,
    to_score,
)

MAIN = "main_score"
# The split that counts, where it has scores; otherwise the first that has.
_REPORTED = "test"
_DEFAULT = "default"


def is_result(document: object) -> bool:
    """Whether this is the result of a task, since version 1.11 or before."""
    if not isinstance(document, dict):
        return False
    if has_keys(document, "task_name", "scores"):
        return isinstance(document["scores"], dict) and "dataset_revision" in document
    return "mteb_dataset_name" in document


def result(document: dict[str, Any], path: Path) -> Iterator[HarnessScore]:
    """The main score of every subset, on the test split where it has scores; NaN where a file gives none."""
    key = "task_name" if "task_name" in document else "mteb_dataset_name"
    task = to_name(document[key], path, key)
    model, revision = _model(path)
    splits = dict(_new_splits(document, path) if "scores" in document else _old_splits(document, path))
    ordered = sorted(splits, key=lambda split: split != _REPORTED)
    split = next((name for name in ordered if any(not math.isnan(value) for value in splits[name].values())), None)
    chosen = split if split is not None else next(iter(ordered), "")
    for subset, value in (splits.get(chosen) or {_DEFAULT: math.nan}).items():
        details = {"subset": subset, "split": chosen, "revision": revision}
        where = f"{chosen}.{subset}"
        yield HarnessScore(model, task, MAIN, value, where=where, details=details)


def _new_splits(document: dict[str, Any], path: Path) -> Iterator[tuple[str, dict[str, float]]]:
    for split, listed in to_object(document["scores"], path, "scores").items():
        where = f"scores.{split}"
        subsets: dict[str, float] = {}
        for number, entry in enumerate(to_list(listed, path, where)):
            about = to_object(entry, path, f"{where}[{number}]")
            subset = about.get("hf_subset")
            value = to_score(about.get(MAIN), path, f"{where}[{number}].{MAIN}")
            # A subset that is listed twice alike counts once.
            name = subset if isinstance(subset, str) and subset else _DEFAULT
            if name in subsets and not _same(subsets[name], value):
                name = f"{name} ({number + 1})"
            subsets[name] = value
        yield split, subsets


def _old_splits(document: dict[str, Any], path: Path) -> Iterator[tuple[str, dict[str, float]]]:
    for split, about in document.items():
        if not isinstance(about, dict):
            continue  # the version and the like
        subsets = {name: each for name, each in about.items() if isinstance(each, dict)}
        # Without a main score an object may be a subset or a kind of similarity, and which number counts is not said.
        if MAIN in about or not any(MAIN in each for each in subsets.values()):
            yield split, {_DEFAULT: to_score(about.get(MAIN), path, f"{split}.{MAIN}")}
        else:
            yield split, {n: to_score(each.get(MAIN), path, f"{split}.{n}.{MAIN}") for n, each in subsets.items()}


def _same(first: float, second: float) -> bool:
    return first == second or (math.isnan(first) and math.isnan(second))


def _model(path: Path) -> tuple[str, str]:
    """Model and revision from the folders; a model's folder has `__` for `/`, and a revision may be several folders."""
    folders = path.resolve().parts[:-1]
    named = [depth for depth, name in enumerate(folders) if "__" in name]
    # A revision is below the model, unless there is none.
    above = [depth for depth in named if depth < len(folders) - 1]
    depth = max(above or named or [max(len(folders) - 2, 0)])
    return folders[depth].replace("__", "/"), "/".join(folders[depth + 1 :])


def by_task(files: Sequence[HarnessFile]) -> Iterator[tuple[Path, HarnessScore]]:
    """A task's score is the mean over its subsets if every model has all of them; otherwise each subset is a task."""
    subsets: dict[str, set[frozenset[str]]] = {}
    for file in files:
        for task in {score.task for score in file.scores}:
            subsets.setdefault(task, set()).add(frozenset(_subset(s) for s in file.scores if s.task == task))
    for file in files:
        by_name: dict[str, list[HarnessScore]] = {}
        for score in file.scores:
            alike = len(subsets[score.task]) == 1
            name = score.task if alike else f"{score.task} ({_subset(score)})"
            by_name.setdefault(name, []).append(score)
        for name, scores in by_name.items():
            mean = math.fsum(score.value for score in scores) / len(scores)
            yield file.path, replace(scores[0], task=name, value=mean)


def _subset(score: HarnessScore) -> str:
    return score.details["subset"]


RESULT = Harness("a result of MTEB", "document", is_result, result, by_task)
