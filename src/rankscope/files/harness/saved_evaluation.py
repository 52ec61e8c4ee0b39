"""rankscope's own evaluations, as `rankscope evaluate -o FILE.json` writes them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rankscope.files.harness.record import Harness, HarnessScore, has_keys, to_list, to_name, to_object, to_score, wrong
from rankscope.results import HEADER

_TABLE = ("systems", "topics", "given")


def is_evaluation(document: object) -> bool:
    """Whether this is a saved evaluation."""
    return has_keys(document, HEADER) and has_keys(_evaluation(document), "scores", "summaries")


def evaluation(document: dict[str, Any], path: Path) -> Iterator[HarnessScore]:
    """The score of every system on every topic under every measure."""
    for measure, saved in to_object(_evaluation(document)["scores"], path, "scores").items():
        where = f"scores.{measure}"
        table = to_object(saved, path, where)
        systems, topics, rows = (to_list(table.get(key), path, f"{where}.{key}") for key in _TABLE)
        if len(rows) != len(topics):
            raise wrong(path, where, f"{len(rows)} rows for {len(topics)} topics; write the file again")
        for topic, row in zip(topics, rows, strict=True):
            values = to_list(row, path, where)
            if len(values) != len(systems):
                raise wrong(path, where, f"{len(values)} scores for {len(systems)} systems; write the file again")
            for system, value in zip(systems, values, strict=True):
                place = f"{where}.{topic}.{system}"
                model, sample = to_name(system, path, place), to_name(topic, path, place)
                yield HarnessScore(model, "", measure, to_score(value, path, place), sample=sample, where=place)


def _evaluation(document: Any) -> Any:
    """The evaluation, which is inside of one that is written topic by topic."""
    return document.get("evaluation", document)


EVALUATION = Harness("an evaluation of rankscope", "document", is_evaluation, evaluation)
