"""Inspect (inspect_ai): logs as JSON, and as `.eval` archives of JSON files."""

from __future__ import annotations

import io
import json
import math
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rankscope.errors import BadFile, NotANumber, UnreadableFile
from rankscope.files.archives import BROKEN
from rankscope.files.compression import expands_suspiciously
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
from rankscope.files.table import is_number
from rankscope.files.text import decode

# As Inspect itself turns values into numbers (`value_to_float`).
_VALUES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
# Metrics of which "stderr" is the standard error.
_MEANS = ("accuracy", "mean")
_HEADERS = ("header.json", "_journal/start.json")
_SAMPLE = re.compile(r"samples/.+\.json")
_PART_OF_SUMMARIES = re.compile(r"_journal/summaries/\d+\.json")


def is_log(document: object) -> bool:
    """Whether this is a log of an evaluation."""
    return isinstance(document, dict) and has_keys(document.get("eval"), "task", "model")


def scores(log: dict[str, Any], path: Path) -> Iterator[HarnessScore]:
    """The scores of every sample; those of the whole task where the log has no samples."""
    about = to_object(log["eval"], path, "eval")
    model, task = to_name(about["model"], path, "eval.model"), to_name(about["task"], path, "eval.task")
    samples, reductions = log.get("samples"), log.get("reductions")
    if samples:
        yield from _of_samples(to_list(samples, path, "samples"), model, task, path)
    if reductions:
        yield from _of_reductions(to_list(reductions, path, "reductions"), model, task, path, extra=bool(samples))
    if not samples and not reductions:
        yield from _of_task(log.get("results"), model, task, path)


def _of_samples(samples: list[Any], model: str, task: str, path: Path) -> Iterator[HarnessScore]:
    """The mean over its epochs of each sample's scores; a sample that failed lacks them."""
    by_topic: dict[str, dict[str, list[float]]] = {}
    for number, sample in enumerate(samples):
        where = f"samples[{number}]"
        about = to_object(sample, path, where)
        topic = to_name(about.get("id"), path, f"{where}.id")
        by_scorer = about.get("scores") or ({"score": about["score"]} if about.get("score") else {})
        epochs = by_topic.setdefault(topic, {})
        for scorer, score in to_object(by_scorer, path, f"{where}.scores").items():
            place = f"{where}.scores.{scorer}"
            for measure, value in _values(scorer, to_object(score, path, place).get("value"), path, place):
                epochs.setdefault(measure, []).append(value)
    measures = dict.fromkeys(measure for epochs in by_topic.values() for measure in epochs)
    if not measures:
        raise wrong(path, "samples", "no sample has a score; score the log first (inspect score)")
    for topic, epochs in by_topic.items():
        for measure in measures:
            scored = [value for value in epochs.get(measure, ()) if not math.isnan(value)]
            mean = math.fsum(scored) / len(scored) if scored else math.nan
            yield HarnessScore(model, task, measure, mean, sample=topic, where=f"sample {topic}")


def _of_reductions(reductions: list[Any], model: str, task: str, path: Path, *, extra: bool) -> Iterator[HarnessScore]:
    """Scores of samples as Inspect reduced them over epochs; beside samples only other reductions than the mean."""
    for number, reduction in enumerate(reductions):
        where = f"reductions[{number}]"
        about = to_object(reduction, path, where)
        reducer = about.get("reducer")
        named = isinstance(reducer, str) and reducer != "mean"
        if extra and not named:
            continue
        scorer = to_name(about.get("scorer"), path, f"{where}.scorer")
        label = f"{scorer}/{reducer}" if named else scorer
        for index, sample in enumerate(to_list(about.get("samples"), path, f"{where}.samples")):
            place = f"{where}.samples[{index}]"
            score = to_object(sample, path, place)
            topic = to_name(score.get("sample_id"), path, f"{place}.sample_id")
            for measure, value in _values(label, score.get("value"), path, place):
                yield HarnessScore(model, task, measure, value, sample=topic, where=place)


def _of_task(results: object, model: str, task: str, path: Path) -> Iterator[HarnessScore]:
    """The metrics of the whole task."""
    if not results:
        raise wrong(path, "results", "neither samples nor results here; let the evaluation finish, or score the log")
    listed = to_list(to_object(results, path, "results").get("scores"), path, "results.scores")
    for number, score in enumerate(listed):
        where = f"results.scores[{number}]"
        about = to_object(score, path, where)
        metrics = to_object(about.get("metrics"), path, f"{where}.metrics")
        prefix = f"{to_name(about.get('name'), path, where)}/" if len(listed) > 1 else ""
        values = {
            name: to_score(to_object(metric, path, f"{where}.metrics.{name}").get("value"), path, f"{where}.{name}")
            for name, metric in metrics.items()
        }
        for name, value in values.items():
            if name != "stderr":
                error = values.get("stderr", math.nan) if name in _MEANS else math.nan
                place = f"{where}.metrics.{name}"
                yield HarnessScore(model, task, f"{prefix}{name}", value, error=error, where=place)


def _values(measure: str, value: object, path: Path, where: str) -> Iterator[tuple[str, float]]:
    """A score, or several by their names."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _values(f"{measure}/{name}", each, path, where)
    elif isinstance(value, list):
        for number, each in enumerate(value, 1):
            yield from _values(f"{measure}/{number}", each, path, where)
    elif isinstance(value, str) and not is_number(value):
        if value in _VALUES or value.lower() in _VALUES:
            yield measure, _VALUES.get(value, _VALUES.get(value.lower(), math.nan))
        elif value.strip().lower() in ("", "nan"):
            yield measure, math.nan
        else:
            problem = f"{value[:40]!r} is neither a number nor C, I, P or N, as Inspect writes correct and incorrect"
            raise wrong(path, where, f"{problem}; choose a scorer that gives these", NotANumber)
    else:
        yield measure, to_score(value, path, where)


def is_archive(data: bytes) -> bool:
    """Whether these are the bytes of a `.eval` archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return any(name in archive.NameToInfo for name in _HEADERS)
    except (*BROKEN, OSError):
        return False


def open_archive(data: bytes, path: Path) -> dict[str, Any]:
    """The log in a `.eval` archive: its header, and samples from their summaries where there are some."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if expands_suspiciously(sum(member.file_size for member in archive.infolist()), len(data)):
                problem = f"{len(data):,} bytes that grow to more than 256 MB when unpacked, far more than a log does"
                raise UnreadableFile(path, f"{problem}; if it is right, write it as JSON (inspect log convert)")
            names = list(archive.NameToInfo)
            header = next(name for name in _HEADERS if name in names)
            log = to_object(_member(archive, header, path), path, header)
            log["samples"] = _archived_samples(archive, names, path)
            if "reductions.json" in names:
                log["reductions"] = _member(archive, "reductions.json", path)
            return log
    except BadFile:
        raise
    except NotImplementedError as error:
        problem = f"this archive is compressed in a way that cannot be read here ({error})"
        raise UnreadableFile(path, f"{problem}; write it as JSON: inspect log convert --to json") from None
    except (*BROKEN, OSError) as error:
        raise UnreadableFile(path, f"the archive is broken ({error}); fetch or write it again") from error


def _archived_samples(archive: zipfile.ZipFile, names: list[str], path: Path) -> list[Any]:
    if "summaries.json" in names:
        return to_list(_member(archive, "summaries.json", path), path, "summaries.json")
    samples = [_member(archive, name, path) for name in names if _SAMPLE.fullmatch(name)]
    if samples:
        return samples
    parts = [name for name in names if _PART_OF_SUMMARIES.fullmatch(name)]
    return [sample for name in parts for sample in to_list(_member(archive, name, path), path, name)]


def _member(archive: zipfile.ZipFile, name: str, path: Path) -> Any:
    """One JSON file of the archive; its directory may lie about sizes, so that no more is unpacked than it says."""
    member = archive.getinfo(name)
    with archive.open(member) as file:
        data = file.read(member.file_size + 1)
    if not data.strip():
        return None
    try:
        return json.loads(decode(data, path))
    except (ValueError, RecursionError) as error:
        raise wrong(path, name, f"not JSON ({error}); fetch or write the log again") from None


LOG = Harness("an Inspect log", "document", is_log, scores)
