"""Every file format → the model, and the model → files; docs/formats.md describes them.

Readers of runs and judgments are loaded on first use: score tables need none of them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from rankscope.files.atomic import replacing, write_bytes, write_text
from rankscope.files.found import ON_MISSING_SCORES, OnMissingScores
from rankscope.files.read import read_scores
from rankscope.files.recognise import FORMATS, Format
from rankscope.files.write import WRITE_FORMATS, WriteFormat, write_scores

if TYPE_CHECKING:
    from rankscope.files.judgments import ON_CONFLICT, OnConflict, read_judgments
    from rankscope.files.runs import NAME_FROM, ON_DUPLICATE, TIES, NameFrom, OnDuplicate, Ties, read_runs
    from rankscope.files.write_trec import write_judgments, write_runs

_LATER = {
    "rankscope.files.judgments": ("ON_CONFLICT", "OnConflict", "read_judgments"),
    "rankscope.files.runs": ("NAME_FROM", "ON_DUPLICATE", "TIES", "NameFrom", "OnDuplicate", "Ties", "read_runs"),
    "rankscope.files.write_trec": ("write_judgments", "write_runs"),
}
_HOME = {name: module for module, names in _LATER.items() for name in names}

__all__ = [
    "FORMATS",
    "NAME_FROM",
    "ON_CONFLICT",
    "ON_DUPLICATE",
    "ON_MISSING_SCORES",
    "TIES",
    "WRITE_FORMATS",
    "Format",
    "NameFrom",
    "OnConflict",
    "OnDuplicate",
    "OnMissingScores",
    "Ties",
    "WriteFormat",
    "read_judgments",
    "read_runs",
    "read_scores",
    "replacing",
    "write_bytes",
    "write_judgments",
    "write_runs",
    "write_scores",
    "write_text",
]


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
