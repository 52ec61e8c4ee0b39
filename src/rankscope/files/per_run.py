"""Output of evaluation tools, one run per file or several in one: which scores belong to which system."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePath

from rankscope.errors import DuplicateScore
from rankscope.files.long import Part
from rankscope.files.table import Column, Place

_COMPRESSION = (".gz", ".bz2", ".zst")
# Only endings that surely are none of a run's name: "bm25.k1=0.9" keeps its dots.
_ENDINGS = (
    ".txt", ".eval", ".trec", ".trec_eval", ".treceval", ".ir_measures", ".tsv", ".csv", ".jsonl", ".json", ".parquet",
    ".out", ".res", ".result", ".results", ".scores", ".run",
)  # fmt: skip


@dataclass(frozen=True)
class Run:
    """The scores of one run, with the name it gives itself, if it does; `first_row` is where it begins."""

    place: Place
    measures: Sequence[str]
    topics: Sequence[str] | None
    values: Column
    tag: str | None = None
    first_row: int = 0


def named_parts(runs: Sequence[Run]) -> list[Part]:
    """Each run as a part under its system's name.

    Names come from the runs' own `runid` rows if every run has one and no two are alike, and else from the files'
    names, for all of them: names of two kinds side by side would not match those of another folder.
    """
    tags = [run.tag for run in runs if run.tag is not None]
    names = tags if len(set(tags)) == len(runs) else _file_names(runs)
    return [_part(run, name) for run, name in zip(runs, names, strict=True)]


def system_name(path: str) -> str:
    """A file's name without the endings that say what kind of file it is.

    >>> system_name("runs/bm25.k1=0.9.eval.gz")
    'bm25.k1=0.9'
    """
    # A file's name is UTF-8, as the names in tables are, also where the locale says otherwise.
    name = os.fsencode(PurePath(path).name).decode("utf-8", "surrogateescape")
    for endings in (_COMPRESSION, _ENDINGS, _ENDINGS):
        ending = next((ending for ending in endings if name.lower().endswith(ending) and len(name) > len(ending)), "")
        name = name.removesuffix(name[len(name) - len(ending) :]) if ending else name
    return name


def _part(run: Run, name: str) -> Part:
    place = run.place
    if run.first_row and place.line_of is not None:
        line_of, first = place.line_of, run.first_row
        place = Place(place.path, lambda row: line_of(row + first))
    return Part(place, [name] * len(run.measures), run.topics, run.measures, (run.values,))


def _file_names(runs: Sequence[Run]) -> list[str]:
    paths = [run.place.path for run in runs]
    for previous, run in pairwise(runs):
        if previous.place.path == run.place.path:
            raise run.place.error(
                DuplicateScore,
                "a second run begins here, and the runs of this file do not name themselves with a different 'runid' "
                "row each; put each run in its own file, or correct the repeated line if it is one run",
                run.first_row,
            )
    names = [system_name(path) for path in paths]
    if max(Counter(names).values()) == 1:
        return names
    files = [PurePath(path).name for path in paths]
    return files if max(Counter(files).values()) == 1 else paths
