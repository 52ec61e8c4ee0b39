"""`read_every_measure`: all measures that files hold, each as scores; and one way to write a measure's name."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from rankscope.errors import DuplicateScore, EmptyFile, NoNumericColumn
from rankscope.files.delimited import read_delimited
from rankscope.files.frames import frame_table, parquet_table
from rankscope.files.jsonl import is_json_lines, read_jsonl
from rankscope.files.long import ONLY_TEXT, Part, from_parts, long_part
from rankscope.files.measure_names import canonical, is_known
from rankscope.files.noted import from_notes
from rankscope.files.per_run import Run, named_parts, system_name
from rankscope.files.recognise import Layout, recognise
from rankscope.files.sources import PathLike, find_files, is_paths
from rankscope.files.table import Column, Table, check_numbers
from rankscope.files.text import PARQUET_MAGIC, decode, read_bytes
from rankscope.files.trec_eval import has_header, read_ir_measures, read_trec_eval, recognise_lines, run_table
from rankscope.files.wide import from_wide
from rankscope.scores import Scores, SystemScores

# Rows of trec_eval's output that count things or name the run.
_NO_SCORES = ("numq", "numret", "numrel", "numrelret", "num_nonrel_judged_ret", "runid", "relstring", "utility")
_SHOWN_AS = {
    "ap": "AP", "ndcg": "nDCG", "p": "P", "r": "R", "rr": "RR", "rprec": "Rprec", "bpref": "bpref", "err": "ERR",
    "infap": "infAP", "gm_map": "GMAP", "gmap": "GMAP", "gm_bpref": "GMbpref", "rbp": "RBP",
    "success": "Success", "judged": "Judged",
}  # fmt: skip
# RBP's persistence as columns write it: rbp_95 is p = 0.95; and as one published set of tables misspells it, rdp_95.
_PERSISTENCE = re.compile(r"r[bd]p_(\d+)", re.IGNORECASE)
_DEPTH = re.compile(r"(\d+)[_:](?=[A-Za-z])(.+)")
# File names without the sign of a cutoff: web2012_ndcg20.csv.
_GLUED = re.compile(r"(map|ap|ndcg|precision|p|recall|r|err|rr|mrr|success)(\d+)", re.IGNORECASE)


def read_every_measure(source: object) -> dict[str, Scores]:
    """Every measure in files or a data frame, by its name: topics × systems, or one score per system.

    `source` is a path, a folder, a pattern, a list of paths, or a frame of pandas or polars. Output of trec_eval or
    ir_measures, long tables and leaderboards hold their measures' names. In a table with neither a system nor a topic
    column, headers that are measures' names stand over the scores of systems, one a row. A table of topics × systems
    holds one measure, which the file's name tells; a folder of such tables holds one measure a file.
    """
    if not is_paths(source):
        table = frame_table(source)
        return _of_table(table, recognise(table), "scores")
    paths = find_files(source).paths
    if len(paths) == 1:
        return _labelled(_of_file(paths[0]), paths[0])
    return _together(paths)


def measure_label(name: str) -> str:
    """A measure's name as ir_measures would write it, where it is a known one; with the judging depth before a colon.

    >>> measure_label("map_cut_1000all"), measure_label("rdp_95all"), measure_label("30_ndcgall"), measure_label("mine")
    ('AP@1000', 'RBP(p=0.95)', '30:nDCG', 'mine')
    """
    text = name.strip()
    depth = _DEPTH.fullmatch(text)
    if depth:
        inner = measure_label(depth[2])
        return f"{int(depth[1])}:{inner}" if inner != depth[2] or is_known(inner) else text
    for candidate in (text, text.removesuffix("all").rstrip("_")):
        persistence = _PERSISTENCE.fullmatch(candidate)
        if persistence:
            return f"RBP(p=0.{persistence[1]})"
        if is_known(candidate):
            return _as_shown(candidate)
    return text


def is_measure(header: str) -> bool:
    """Whether a column header is a measure's name, with or without a judging depth or a trailing `all`."""
    return measure_label(header) != header.strip() or is_known(header)


def _as_shown(name: str) -> str:
    plain = re.fullmatch(r"([a-z0-9_]+)(@[0-9.]+)?", canonical(name))
    if plain is None or plain[1] not in _SHOWN_AS:
        return name
    return _SHOWN_AS[plain[1]] + (plain[2] or "")


def _of_file(path: Path) -> dict[str, Scores]:
    data = read_bytes(path)
    if data.startswith(PARQUET_MAGIC):
        table, notes = parquet_table(data, str(path))
        if notes:
            scores = from_notes(table, notes).scores
            return {scores.measure or _stem(path): scores}
        return _of_table(table, recognise(table), _stem(path))
    text = decode(data, path)
    if not text.strip():
        raise EmptyFile(path, "the file is empty")
    runs = _tool_output(text, path)
    if runs is not None:
        return _of_parts(named_parts(runs), str(path))
    table = read_jsonl(text, str(path)) if is_json_lines(text) else read_delimited(text, str(path))
    return _of_table(table, recognise(table), _stem(path))


def _tool_output(text: str, path: Path) -> list[Run] | None:
    tool = recognise_lines(text)
    if tool == "trec_eval":
        return list(read_trec_eval(text, str(path)))
    if tool == "ir_measures" and not has_header(text):
        return list(read_ir_measures(text, str(path)))
    return None


def _of_table(table: Table, layout: Layout, stem: str) -> dict[str, Scores]:
    if layout.format in ("long", "leaderboard"):
        return _of_parts([long_part(table, layout)], table.place.path)
    if layout.format == "ir_measures":
        return _of_parts(named_parts(run_table(table, layout)), table.place.path)
    headers = [column.header for column in layout.values]
    unlabelled = layout.topic is None and layout.system is None
    if unlabelled and table.headed and sum(map(is_measure, headers)) * 2 > len(headers):
        return {
            column.header: SystemScores(check_numbers(column, table.place), measure=column.header)
            for column in layout.values
        }
    return {stem: from_wide(table, layout, stem).scores}


def _of_parts(parts: Sequence[Part], path: str) -> dict[str, Scores]:
    """The scores under each measure that any part has; a system that lacks one is missing there."""
    offered = list(dict.fromkeys(name for part in parts for name in part.offered))
    wanted = [name for name in offered if canonical(name) not in _NO_SCORES]
    if not wanted:
        raise NoNumericColumn(path, "no measures here; give score tables with a column or row per measure")
    for part in parts:
        if not part.systems:
            raise part.place.error(NoNumericColumn, ONLY_TEXT)
    found = {}
    for name in wanted:
        having = [part if name in part.offered else _without_scores(part, name) for part in parts]
        found[name] = from_parts(having, name, path).scores
    return found


def _without_scores(part: Part, name: str) -> Part:
    """A run that lacks a measure: a row of no topic keeps its system in the table."""
    return Part(part.place, part.systems[:1], ["all"], [name], (Column(name, [""]),))


def _together(paths: Sequence[Path]) -> dict[str, Scores]:
    """Several files: output of evaluation tools, one run each; or one measure each."""
    read = ((path, read_bytes(path)) for path in paths)
    texts = {path: decode(data, path) for path, data in read if not data.startswith(PARQUET_MAGIC)}
    runs = {path: _tool_output(text, path) for path, text in texts.items() if text.strip()}
    if len(runs) == len(paths) and all(found is not None for found in runs.values()):
        every = [run for found in runs.values() for run in found or ()]
        return _labelled(_of_parts(named_parts(every), str(paths[0].parent)), paths[0])
    stems = dict(zip(paths, own_parts([_stem(path) for path in paths]), strict=True))
    found: dict[str, Scores] = {}
    for path in paths:
        inside = _of_file(path)
        for name, scores in inside.items():
            label = _from_stem(stems[path]) if name == _stem(path) else measure_label(name)
            if label in found:
                raise DuplicateScore(path, f"{label!r} was read from another file already; give one file per measure")
            found[label] = scores
    return found


def _labelled(found: Mapping[str, Scores], path: Path) -> dict[str, Scores]:
    labels = {name: _from_stem(name) if name == _stem(path) else measure_label(name) for name in found}
    taken: dict[str, str] = {}
    for name, label in labels.items():
        if label in taken:
            raise DuplicateScore(path, f"{taken[label]!r} and {name!r} are both {label}; keep one of them")
        taken[label] = name
    return {labels[name]: scores for name, scores in found.items()}


def _stem(path: PathLike) -> str:
    return system_name(os.fspath(path))


def own_parts(names: Sequence[str]) -> list[str]:
    """What is left of names without what they all begin with, up to a mark between words.

    >>> own_parts(["web2012_ap", "web2012_rr"]), own_parts(["trec5"])
    (['ap', 'rr'], ['trec5'])
    """
    shared = 0
    for characters in zip(*names, strict=False):
        if len(set(characters)) > 1:
            break
        shared += 1
    cut = max(names[0].rfind(mark, 0, shared) for mark in "_-. /") + 1
    own = [name[cut:] for name in names]
    return own if len(names) > 1 and all(own) and len(set(own)) == len(own) else list(names)


def _from_stem(stem: str) -> str:
    glued = _GLUED.fullmatch(stem)
    return measure_label(f"{glued[1]}@{glued[2]}" if glued else stem)
