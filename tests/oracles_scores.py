"""A literal twin of the reader of scores: every honest reading of a text, cell by cell, with csv, json and dicts.

Which of them is meant is for the reader to say. But what it gives must be one of them: each number with the system and
the topic that the text gives it, none left out, none twice.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterator, Sequence

from rankscope.files.columns import is_label_word
from rankscope.scores import ScoreMatrix, Scores

Grid = list[list[str]]
Cells = dict[tuple[str, str], float]
Triples = list[tuple[str, str, str]]

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_MISSING = ("", "na", "n/a", "nan", "null", "none", "-", "+nan", "-nan")
_SUMMARIES = ("all", "amean")
_TEXTS = ("runid", "relstring")


def is_read_honestly(text: str, scores: Scores, *, form: str | None = None, file: str = "fuzzed") -> bool:
    """Whether some reading of this text, of any format or of this one, gives these very scores."""
    ways = {
        "wide": lambda: any(_wide(grid, scores) for grid in _grids(text)),
        "wide-systems": lambda: any(_wide(grid, scores, turned=True) for grid in _grids(text)),
        "long": lambda: any(_long(grid, scores) for grid in _grids(text)),
        "leaderboard": lambda: any(_leaderboard(grid, scores) for grid in _grids(text)),
        "trec_eval": lambda: _lines(text, scores, (1, 0, 2), file),
        "ir_measures": lambda: (
            _lines(text, scores, (0, 1, 2), file)
            or _lines(text, scores, (-1, 0, 1), file)
            or any(_tool_table(grid, scores, file) for grid in _grids(text))
            or _headless(text, scores, system=0, measure=2, topic=(1,), value=3)
        ),
        "tot": lambda: _headless(text, scores, system=0, measure=1, topic=(2,), value=3),
        "wmt": lambda: (
            _headless(text, scores, system=4, measure=0, topic=(), value=5)
            or _headless(text, scores, system=4, measure=0, topic=(5, 6), value=7)
        ),
    }
    return any(way() for name, way in ways.items() if form in (name, None)) or _document(text, scores, file)


def _grids(text: str) -> Iterator[Grid]:
    """The text as rows of cells, in each way in which all rows have one length."""
    if re.match(r"\s*\{\s*[\"'}]", text):
        yield _json(text)
        return
    for delimiter in (",", "\t", ";", None):
        lines = io.StringIO(text, newline="")
        try:
            rows = (
                [line.split() for line in lines]
                if delimiter is None
                else list(csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True))
            )
        except csv.Error:
            continue
        rows = [row for row in rows if row not in ([], [""])]
        if rows and len({len(row) for row in rows}) == 1:
            yield rows
            yield [[cell.rstrip(" ") for cell in row] for row in rows]


def _json(text: str) -> Grid:
    decode = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str).decode
    objects = [decode(line) for line in io.StringIO(text) if line.strip()]
    keys = list(dict.fromkeys(key for one in objects for key in one))
    return [keys, *([("" if one.get(key) is None else str(one[key])) for key in keys] for one in objects)]


def _wide(grid: Grid, scores: Scores, *, turned: bool = False) -> bool:
    """Topics in rows and systems in columns, or the other way round; the first row or none names the columns."""
    down, across = _names(scores, "topics"), _names(scores, "systems")
    down, across = (across, down) if turned else (down, across)
    values = scores.values if isinstance(scores, ScoreMatrix) else scores.values[None, :]
    values = values.T if turned else values
    for headed in (True, False):
        header, rows = (grid[0], grid[1:]) if headed else ([""] * len(grid[0]), grid)
        for label in (None, *range(len(header))):
            names = None if label is None else [row[label] for row in rows]
            said = [c for c, name in enumerate(header) if c != label and name]
            if headed and across is None and said:
                if not turned or isinstance(scores, ScoreMatrix) or not all(_is_summary(header[c]) for c in said):
                    continue  # names that nothing is called by
                taken: list[int] | None = said[:1]  # summaries alone: a leaderboard by the first
            else:
                taken = _columns(header, rows, label, across, values.shape[1], turned)
            kept = _rows(names, down, len(rows), scores, turned)
            if taken is None or kept is None or len(kept) != values.shape[0]:
                continue
            if all(
                _same(rows[row][column], values[i, j]) for i, row in enumerate(kept) for j, column in enumerate(taken)
            ):
                return True
    return False


def _columns(
    header: list[str], rows: Grid, label: int | None, names: Sequence[str] | None, count: int, turned: bool
) -> list[int] | None:
    """The columns of these names, or all of them in order; those left out are labels, empty, or summaries."""
    others = [column for column in range(len(header)) if column != label]
    if names is None:
        solid = [c for c in others if header[c] or any(row[c] for row in rows)]
        return next((chosen for chosen in (others, solid) if len(chosen) == count), None)
    taken = [next((c for c in others if header[c] == name), -1) for name in names]
    if -1 in taken or len(set(taken)) < len(taken):
        return None
    left = [column for column in others if column not in taken]
    fine = all(
        is_label_word(header[c])
        or (turned and _is_summary(header[c]))
        or not (header[c] or any(row[c] for row in rows))
        or (not turned and all(row[c] and not re.search("[0-9]", row[c]) for row in rows))
        for c in left
    )
    return taken if fine else None


def _rows(
    labels: list[str] | None, names: Sequence[str] | None, count: int, scores: Scores, turned: bool
) -> list[int] | None:
    """All rows but summaries, in their order; of a leaderboard the first summary."""
    if labels is not None and not any(labels):
        labels = None
    if labels is None or names is None:
        return list(range(count)) if names is None and labels is None else _summary(labels, scores)
    kept = [row for row, name in enumerate(labels) if turned or not _is_summary(name)]
    return kept if [labels[row] for row in kept] == list(names) else None


def _summary(labels: list[str] | None, scores: Scores) -> list[int] | None:
    if isinstance(scores, ScoreMatrix) or labels is None or any(not _is_summary(name) for name in labels):
        return None
    return [0]


def _long(grid: Grid, scores: Scores) -> bool:
    """A row for each system and topic, under any columns of the header; a column of measures chooses rows."""
    header, rows = grid[0], grid[1:]
    places = range(len(header))
    for system in (c for c in places if {row[c] for row in rows} == set(scores.systems)):
        for topic in (None, *places) if not isinstance(scores, ScoreMatrix) else places:
            for measure in (None, *(c for c in places if scores.measure in {row[c] for row in rows})):
                for value in (c for c in places if not _is_score(header, c)):
                    triples = [
                        (row[system], "all" if topic is None else row[topic], row[value])
                        for row in rows
                        if measure is None or row[measure] == scores.measure
                    ]
                    if _agrees(triples, [row[system] for row in rows], scores):
                        return True
    return False


def _leaderboard(grid: Grid, scores: Scores) -> bool:
    """Names in one column, scores in another."""
    if isinstance(scores, ScoreMatrix):
        return False
    for rows in (grid[1:], grid):
        for value in range(len(grid[0])):
            if rows is not grid and _is_score(grid[0], value):
                continue
            for system in range(len(grid[0])) if scores.systems_named else (None,):
                named = system is None or [row[system] for row in rows] == list(scores.systems)
                if (
                    named
                    and len(rows) == len(scores.values)
                    and all(_same(row[value], one) for row, one in zip(rows, scores.values, strict=True))
                ):
                    return True
    return _long(grid, scores)


def _tool_table(grid: Grid, scores: Scores, file: str) -> bool:
    """The one run of a table of topics, measures and values."""
    header, rows = grid[0], grid[1:]
    places = range(len(header))
    return any(
        _agrees(
            [(file, "all" if t is None else row[t], row[v]) for row in rows if row[m] == scores.measure], [file], scores
        )
        for m in places
        for v in places
        if not _is_score(header, v)
        for t in (None, *places)
    )


def _lines(text: str, scores: Scores, order: tuple[int, int, int], file: str) -> bool:
    """Lines of a tool: where the topic, the measure and the value are (no topic: -1); several runs name themselves."""
    fields = [line.split("\t") if "\t" in line else line.split(None, 2) for line in io.StringIO(text) if line.strip()]
    topic, measure, value = order
    if any(len(row) != max(order) + 1 for row in fields):
        return False
    rows = [(row[measure].strip(), "all" if topic < 0 else row[topic].strip(), row[value].strip()) for row in fields]
    runs: list[Triples] = [[]]
    for name, about, cell in rows:
        before = runs[-1]
        ended = any(_is_summary(one[1]) for one in before) and not _is_summary(about)
        # Only trec_eval's output, the measure first, may hold several runs.
        if measure == 0 < topic and (ended or any(one[:2] == (name, about) for one in before)):
            runs.append([])
        runs[-1].append((name, about, cell))
    tags = [[cell for name, about, cell in run if name == "runid" and _is_summary(about)] for run in runs]
    systems = [tag[0] for tag in tags if tag]
    if len(set(systems)) != len(runs):
        systems = [file]
    if len(systems) != len(runs):
        return False
    triples = [
        (system, about, cell)
        for system, run in zip(systems, runs, strict=True)
        for name, about, cell in run
        if name == scores.measure and name not in _TEXTS
    ]
    return _agrees(triples, systems, scores)


def _document(text: str, scores: Scores, file: str) -> bool:
    """One JSON object of scores by system or measure, or of such objects."""
    try:
        document = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str).decode(text.strip())
    except (ValueError, RecursionError):
        return False
    if not isinstance(document, dict):
        return False
    rows = [
        (outer, inner, "" if value is None else str(value))
        for outer, inside in document.items()
        for inner, value in (inside.items() if isinstance(inside, dict) else [("", inside)])
    ]
    ways: list[tuple[Triples, list[str]]] = [
        ([(o, "all", v) for o, i, v in rows if i in ("", scores.measure)], [o for o, _, _ in rows]),
        ([(file, "all", v) for o, _, v in rows if o == scores.measure], [file]),
        ([(file, o, v) for o, i, v in rows if i == scores.measure], [file]),
        ([(o, i, v) for o, i, v in rows], [o for o, _, _ in rows]),
        ([(i, o, v) for o, i, v in rows], [i for _, i, _ in rows]),
    ]
    return any(_agrees(triples, systems, scores) for triples, systems in ways)


def _headless(text: str, scores: Scores, *, system: int, measure: int, topic: tuple[int, ...], value: int) -> bool:
    """Lines without a header, with these columns; the value is the last."""
    rows = [
        [cell.strip() for cell in (line.rstrip("\r\n").split("\t") if "\t" in line else line.split())]
        for line in io.StringIO(text)
        if line.strip()
    ]
    if any(len(row) != value + 1 for row in rows):
        return False
    triples = [
        (row[system], ":".join(row[place] for place in topic) if topic else "all", row[value])
        for row in rows
        if row[measure] == scores.measure
    ]
    return _agrees(triples, [row[system] for row in rows], scores)


def _agrees(triples: Triples, systems: Sequence[str], scores: Scores) -> bool:
    """Whether these systems, topics and values, each once, are the scores; what has no row is missing."""
    matrix = isinstance(scores, ScoreMatrix)
    if list(dict.fromkeys(systems)) != list(scores.systems):
        return False
    kept = [one for one in triples if not matrix or (one[1] and not _is_summary(one[1]))]
    if not matrix and any(not _is_summary(topic) for _, topic, _ in kept):
        return False
    if not kept:
        return False
    found = {(system, topic if matrix else ""): cell for system, topic, cell in kept}
    topics = list(dict.fromkeys(topic for _, topic, _ in kept)) if matrix else [""]
    if len(found) < len(kept) or (isinstance(scores, ScoreMatrix) and topics != list(scores.topics)):
        return False
    values = scores.values if matrix else scores.values[None, :]
    return all(
        _same(found.get((system, topic), ""), values[i, j])
        for i, topic in enumerate(topics)
        for j, system in enumerate(scores.systems)
    )


def _names(scores: Scores, what: str) -> Sequence[str] | None:
    if what == "systems":
        return scores.systems if scores.systems_named else None
    return scores.topics if isinstance(scores, ScoreMatrix) and scores.topics_named else None


def _is_summary(topic: str) -> bool:
    return topic.lower() in _SUMMARIES


def _is_score(header: list[str], place: int) -> bool:
    """Whether a score stands there and the row is no header: nothing in it says what a column is."""
    text = header[place].strip()
    return not any(map(is_label_word, header)) and _NUMBER.fullmatch(text) is not None and not text.isdecimal()


def _same(cell: str, value: float) -> bool:
    text = cell.strip()
    if math.isnan(value):
        return text.lower() in _MISSING
    return _NUMBER.fullmatch(text) is not None and float(text) == value
