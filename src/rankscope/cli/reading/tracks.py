"""Tracks as folders: runs, and files there that the command line names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import rankscope as rs
from rankscope.cli.command import Work
from rankscope.cli.reading.judges import given_grades, judge_labels, words_map
from rankscope.cli.reading.runs import read_runs
from rankscope.cli.sources import parse_source


def read_track(
    work: Work,
    folder: str,
    truth: str,
    judges: Sequence[str],
    reading: Mapping[str, Any],
    *,
    on_conflict: Any,
    jobs: int | None,
) -> rs.JudgedTrack:
    """A track from its folder: runs in `runs`, and the files there that `--truth` and `--judge` name.

    A pattern of judges does not stand for the truth. A folder may lack a judge, but not all.
    """
    name, place = track_name(folder), Path(folder)
    trusted = parse_source(truth)
    trusted.refuse_options(("map",))
    files = _files_in(place, trusted.path)
    if len(files) != 1:
        many = "no file" if not files else f"{len(files)} files"
        raise rs.BadParameter(f"{folder}: {many} by the name --truth gives, {trusted.path!r}; name one in each track")

    def read(role: str, path: str, grades: Mapping[str, float] | None) -> rs.Judgments:
        how = partial(rs.read_judgments, grades=grades, on_conflict=on_conflict)
        return work.read(f"{name}: {role}", path, how)

    human = read("truth", files[0], given_grades(trusted))
    if trusted.name is not None:
        human = replace(human, name=trusted.name)
    labels: dict[str, rs.JudgeLabels] = {}
    for word in judges:
        source = parse_source(word)
        source.refuse_options(("rel", "map"))
        paths = [path for path in _files_in(place, source.path) if not Path(path).samefile(files[0])]
        if source.name is not None and len(paths) > 1:
            raise rs.BadParameter(f"{folder}: {word} is {len(paths)} files, and a name is for one; leave it out")
        for path in paths:
            own = read(f"judge {source.name or ''}".strip(), path, words_map(source))
            judge = source.name or own.name or path
            if judge in labels:
                raise rs.BadParameter(f"{folder}: two judges are called {judge!r}; name them: --judge first=FILE")
            own = replace(own, name=judge).sharing(human)  # there may be very many
            labels[judge] = judge_labels(own, source)
    if not labels:
        raise rs.BadParameter(f"{folder}: no file of a judge by the names --judge gives; they are names in the folder")
    runs = read_runs(work, [str(place / "runs")], reading, jobs)
    return rs.JudgedTrack(runs=runs.runs, truth=human, judges=labels)


def track_name(folder: str) -> str:
    """The name of a track, which is that of its folder."""
    return Path(folder).resolve().name


def _files_in(folder: Path, path: str) -> list[str]:
    """The files of a folder that a name, a folder's name or a pattern stands for; none where there are none."""
    from rankscope.files.sources import find_files

    try:
        return [str(file) for file in find_files(str(folder / path)).paths if Path(file).exists()]
    except rs.UnreadableFile:
        return []
