"""HELM: folders of one run each, with the statistics of every instance (per_instance_stats.json) or of the run."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rankscope.files.harness.record import (
    Harness,
    HarnessScore,
    has_keys,
    to_list,
    to_name,
    to_object,
    to_score,
    wrong,
)
from rankscope.files.text import decode, read_bytes

SPEC = "run_spec.json"
PER_INSTANCE, OVERALL = "per_instance_stats.json", "stats.json"
# The split that HELM reports, where there is one.
_REPORTED = "test"
# Statistics about requests, not about answers; they are offered last.
_BOOKKEEPING = re.compile(r"(num|finish_reason|training|inference|estimated|batch|prompt|max_prob|logprob)(_.*)?")
_MODEL = re.compile(r"(?:^|(?<=[:,]))model=[^,]*,?")


def is_per_instance(document: object) -> bool:
    """Whether these are the statistics of instances."""
    return _first(document, "instance_id", "stats")


def per_instance(document: list[Any], path: Path) -> Iterator[HarnessScore]:
    """The statistics of every instance, averaged over trials; perturbed copies of instances are left out."""
    model, task = _run(path)
    by_topic: dict[str, dict[str, list[float]]] = {}
    splits: dict[str, str] = {}
    for number, instance in enumerate(document):
        where = f"[{number}]"
        about = to_object(instance, path, where)
        if about.get("perturbation") is not None:
            continue
        topic = to_name(about.get("instance_id"), path, f"{where}.instance_id")
        for index, stat in enumerate(to_list(about.get("stats"), path, f"{where}.stats")):
            name, split, perturbed, value = _stat(stat, path, f"{where}.stats[{index}]")
            if not perturbed:
                splits[topic] = split or splits.get(topic, "")
                by_topic.setdefault(topic, {}).setdefault(name, []).append(value)
    reported = _REPORTED in splits.values()
    measures = _ordered(name for stats in by_topic.values() for name in stats)
    for topic, stats in by_topic.items():
        if reported and splits[topic] != _REPORTED:
            continue
        for name in measures:
            values = [value for value in stats.get(name, ()) if not math.isnan(value)]
            mean = math.fsum(values) / len(values) if values else math.nan
            yield HarnessScore(model, task, name, mean, sample=topic, where=f"instance {topic}")


def is_overall(document: object) -> bool:
    """Whether these are the statistics of a run as a whole."""
    return _first(document, "name", "count", "sum") and has_keys(document[0]["name"], "name")  # type: ignore[index]


def overall(document: list[Any], path: Path) -> Iterator[HarnessScore]:
    """The statistics of a run, for runs that do not list their instances."""
    model, task = _run(path)
    stats = [_stat(stat, path, f"[{number}]") for number, stat in enumerate(document)]
    plain = [(name, split, value) for name, split, perturbed, value in stats if not perturbed]
    reported = any(split == _REPORTED for _, split, _ in plain)
    values = {name: value for name, split, value in plain if not reported or split in (_REPORTED, "")}
    for name in _ordered(values):
        yield HarnessScore(model, task, name, values[name], where=name)


def _first(document: object, *keys: str) -> bool:
    return isinstance(document, list) and bool(document) and has_keys(document[0], *keys)


def _ordered(names: Any) -> list[str]:
    return sorted(dict.fromkeys(names), key=lambda name: _BOOKKEEPING.fullmatch(name) is not None)


def _stat(stat: object, path: Path, where: str) -> tuple[str, str, bool, float]:
    about = to_object(stat, path, where)
    named = to_object(about.get("name"), path, f"{where}.name")
    name = to_name(named.get("name"), path, f"{where}.name.name")
    value = about.get("mean")
    if value is None and about.get("count"):
        count, total = (to_score(about.get(key), path, f"{where}.{key}") for key in ("count", "sum"))
        value = total / count
    split = named.get("split")
    perturbed = named.get("perturbation") is not None
    return name, split if isinstance(split, str) else "", perturbed, to_score(value, path, where)


def _run(path: Path) -> tuple[str, str]:
    """The model and the rest of the run's name, from run_spec.json or from the folder's name."""
    name, model = path.resolve().parent.name, None
    spec = path.parent / SPEC
    if spec.is_file():
        try:
            document = json.loads(decode(read_bytes(spec), spec))
        except (ValueError, RecursionError) as error:
            raise wrong(spec, "", f"not JSON ({error}); fetch or write the run again") from None
        about = to_object(document, spec, "")
        name = to_name(about.get("name"), spec, "name")
        adapter = about.get("adapter_spec")
        model = adapter.get("model") if isinstance(adapter, dict) else None
    if not isinstance(model, str) or not model:
        match = re.search(r"model=([^,]+)", name)
        if match is None:
            problem = f"there is no {SPEC} beside this file, and the folder's name says no model= either"
            raise wrong(path, "", f"{problem}; keep the folder as HELM wrote it")
        model = match[1]
    return model, _MODEL.sub("", name).rstrip(",:") or name


PER_INSTANCE_STATS = Harness("HELM's statistics of instances", "document", is_per_instance, per_instance)
STATS = Harness("HELM's statistics", "document", is_overall, overall)
