"""Levels by the rule as it is used, without expected τ, which does not decide, and how tables write them."""

from __future__ import annotations

import math
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from types import SimpleNamespace
from unittest import mock

from rankscope.inference import worth as worth_module
from rankscope.inference.worth import FEWEST_JUDGED
from rankscope.studies.verdict import LEVELS, Rule

RULE = Rule()
# The levels' letters, in the order of LEVELS.
LETTERS = ("I", "S", "M", "C", "U", "N", "X")


def without_expected_tau() -> AbstractContextManager[object]:
    """Leave expected τ out of `measure_worth`: no level depends on it."""
    return mock.patch.multiple(
        worth_module,
        Sample=SimpleNamespace(of=lambda values: None),
        quantile_statistics=lambda sample, jobs: None,
        _expected_tau=lambda sample, statistics, topics: math.nan,
    )


def reaches(level: str, claim: str) -> bool:
    """Whether a level is this claim or a higher one."""
    return LEVELS.index(level) <= LEVELS.index(claim)


def judged_topics(topics: int) -> int:
    """N, as the verdict takes it by default."""
    return max(topics, FEWEST_JUDGED)


# The order in which levels are printed, without random labels and with them.
SHOWN = ("I", "S", "M", "C", "N", "U")
WITH_RANDOM = (*SHOWN, "X")


def percent(share: float) -> str:
    """A share in whole per cent."""
    return f"{100.0 * share:.0f}"


def mix(levels: Counter[str], shown: Sequence[str] = SHOWN) -> str:
    """Percentages of levels, separated by strokes."""
    total = sum(levels.values())
    return "/".join(percent(levels[LEVELS[LETTERS.index(letter)]] / total) for letter in shown)


def error(runs: int, share: float = 0.05) -> float:
    """Half the width of a 95 % interval of a share, in percentage points."""
    return 196.0 * math.sqrt(share * (1.0 - share) / runs)


def named(share: float, kind: str) -> str:
    """A percentage with the kind of error that it belongs to, unless it is 0."""
    return "0" if percent(share) == "0" else f"{percent(share)} ({kind})"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Markdown rows."""
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(map(str, row)) + " |"
    yield ""


def paragraph(text: str) -> Iterator[str]:
    """A paragraph in lines of the documentation's width."""
    yield textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)
    yield ""
