"""Runs in sources of the command line, chosen and named as options say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import rankscope as rs
from rankscope.cli.command import Work
from rankscope.cli.options import BESIDE
from rankscope.cli.reading.systems import SYSTEM_KEYS, display_names, selected_systems


class ChosenRuns(NamedTuple):
    """The runs that were chosen, under the names to show; `shown` has these by the systems' own, in the same order."""

    runs: rs.RunSet
    shown: dict[str, str]
    left_out: int


def read_runs(
    work: Work, paths: Sequence[str], reading: Mapping[str, Any], jobs: int | None, *, tell: bool = True
) -> ChosenRuns:
    """The runs in these files, folders and patterns, read, chosen and named as the options say.

    A remark says how many systems were not chosen, unless the result does (`tell`).
    """
    cache = reading.get("cache")
    keywords = {key: value for key, value in reading.items() if key not in SYSTEM_KEYS}
    keywords["cache"] = True if cache == BESIDE else cache
    runs = work.read("runs", list(paths), lambda paths: rs.read_runs(paths, jobs=jobs, **keywords))
    kept = selected_systems(runs.systems, reading.get("only") or None, reading.get("exclude") or None)
    shown = display_names(reading, kept, work)
    left_out = len(runs.systems) - len(kept)
    if left_out:
        if tell:
            work.remark(f"{left_out:,} of {len(runs.systems):,} systems are left out (--systems, --exclude)")
        runs = runs.select(systems=kept)
    return ChosenRuns(replace(runs, systems=tuple(shown.values())), shown, left_out)


def reading_of_runs(reading: Mapping[str, Any], of_scores: Mapping[str, Any], on_duplicate: Any) -> dict[str, Any]:
    """How a command that takes either reads runs: what only runs have, and what is said of both."""
    if on_duplicate in ("last", "mean"):
        raise rs.BadParameter(f"--on-duplicate {on_duplicate} is for scores; of runs, choose error, first or best")
    both = {key: of_scores[key] for key in SYSTEM_KEYS if key in of_scores}
    return {**reading, **both, "on_duplicate": on_duplicate}
