"""What a topic is called: sentences are written for topics, and say battles or questions where rows are those."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from rankscope.report.blocks import Sentence

TOPIC = "topic"


def in_units(text: str, unit: str, names: Sequence[str] = ()) -> str:
    """The text with the unit's name for "topic", except in names.

    >>> in_units("A topic of topics-llm is worth 2 topics of people.", "battle", ["topics-llm", "people"])
    'A battle of topics-llm is worth 2 battles of people.'
    """
    if unit == TOPIC:
        return text
    kept = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True) if name)
    pattern = re.compile((f"{kept}|" if kept else "") + r"\b(?P<topic>[Tt]opic)(?=s?\b)")

    def write(match: re.Match[str]) -> str:
        if match["topic"] is None:
            return match[0]
        return unit.capitalize() if match["topic"][0] == "T" else unit

    return pattern.sub(write, text)


def sentences_in_units(said: Sequence[Sentence], unit: str, names: Sequence[str]) -> list[Sentence]:
    """The sentences with the unit's name for "topic"."""
    return [replace(sentence, text=in_units(sentence.text, unit, names)) for sentence in said]
