"""What decides the numbers of a study, as one hash: the same runs, labels and scores give the same checkpoint."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


def digest_of(*parts: Any) -> str:
    """The SHA-256 of numbers, names, arrays, and dataclasses, sequences and mappings of them.

    >>> digest_of({"a": np.ones(2)}) == digest_of({"a": np.ones(2)}), digest_of(np.ones(2)) == digest_of(np.zeros(2))
    (True, False)
    """
    digest = hashlib.sha256()
    for part in parts:
        _add(digest, part)
    return digest.hexdigest()


def _add(digest: Any, part: Any) -> None:
    if isinstance(part, np.ndarray):
        digest.update(f"{part.dtype.str}{part.shape}".encode())
        digest.update(np.ascontiguousarray(part).tobytes())
    elif is_dataclass(part) and not isinstance(part, type):
        named = {field.name: getattr(part, field.name) for field in fields(part)}
        # Functions are made of the other fields.
        _add(digest, [type(part).__name__, {name: own for name, own in named.items() if not callable(own)}])
    elif isinstance(part, dict | list | tuple):
        digest.update(f"{type(part).__name__} of {len(part)}:".encode())
        for each in part.items() if isinstance(part, dict) else part:
            _add(digest, each)
    else:
        digest.update(json.dumps([type(part).__name__, str(part)], ensure_ascii=True).encode())
