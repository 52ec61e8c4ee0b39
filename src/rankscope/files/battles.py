"""`read_battles`: a table of battles → Battles."""

from __future__ import annotations

import json
import math
import os
import re
import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rankscope.battles import Battles
from rankscope.errors import BadParameter, EmptyFile, LeftOutBattles, MissingName, UnrecognisedFormat, some
from rankscope.files.delimited import read_delimited
from rankscope.files.frames import frame_table, is_frame
from rankscope.files.jsonl import is_json_lines
from rankscope.files.parquet import parquet_table
from rankscope.files.row_filter import Where, matching_rows
from rankscope.files.sources import expanded, system_name
from rankscope.files.table import Column, Place, Table, is_number, listed, normalise
from rankscope.files.text import PARQUET_MAGIC, decode, read_bytes
from rankscope.scores import Floats

# Headers of the two models, in pairs.
_MODELS = (
    ("model_a", "model_b"),
    ("model_1", "model_2"),
    ("system_a", "system_b"),
    ("system_1", "system_2"),
    ("generator_1", "generator_2"),
    ("player_a", "player_b"),
)
_WINNER = ("winner", "preference", "outcome", "verdict")
# One column for each outcome, 1 where it is the one, as on Kaggle.
_ONE_HOT = ("winner_model_a", "winner_model_b", "winner_tie")
# Ids of battles before those of questions: the latter say which battles to resample together where there are no others.
_IDS = (
    *("battle_id", "num", "id", "conversation_id", "comparison_id"),
    *("question_id", "prompt_id", "instruction_id", "query_id", "qid", "question", "instruction", "prompt"),
)

# What labels say that the first model won.
_LABELS = {
    1.0: ("model_a", "model_1", "a", "left", "first", "1", "win", "output_1", "[[a]]", "system_a", "assistant_a"),
    0.0: ("model_b", "model_2", "b", "right", "second", "2", "loss", "output_2", "[[b]]", "system_b"),
    0.5: ("tie", "draw", "both", "equal", "tie_(bothbad)", "bothbad", "both_bad", "tie_(both_bad)", "0", "c"),
}
_WON = {word: share for share, words in _LABELS.items() for word in words}
_WON |= {"assistant_b": 0.0, "[[c]]": 0.5, "0_0": 0.5, "both_good": 0.5, "neither": 0.5, "same": 0.5}

_MODEL_KEYS = re.compile(r'"(?:model_a|model_1|system_a|system_1|generator_1|player_a)"\s*:')
_BEGINNING = 200_000


def read_battles(
    source: object,
    *,
    winner: str | None = None,
    id_column: str | None = None,
    model_a: str | None = None,
    model_b: str | None = None,
    skip: Sequence[str] = (),
    where: Where | None = None,
    name: str | None = None,
) -> Battles:
    """Read battles: two models, and which of them won, a battle per row.

    CSV, TSV, JSON lines, a JSON array or Parquet, plain or compressed, or a data frame. Winners are `model_a`,
    `model_b`, `tie` or `tie (bothbad)`, also `A`, `B`, `left`, `right`, `1`, `2`, the names of the two models, or a
    preference from 1 (the first model) to 2; or there is one column for each outcome. Where battles have an id, those
    of several judges can be paired. Battles of a model with itself are left out, with a `LeftOutBattles` warning.

    Parameters
    ----------
    source : path or data frame
        The battles.
    winner : str, optional
        The column with the winner, where there are several judges: `winner_gpt4`, or `gpt4` for short.
    id_column : str, optional
        The column by which battles of several judges are paired; battles that share an id are resampled together. By
        default that of battles, then that of questions, where there is one.
    model_a, model_b : str, optional
        The columns with the models, if they are not called so.
    skip : sequence of str, optional
        Labels whose battles are left out, such as those of answers that could not be parsed; "" is an empty cell.
    where : mapping of str to str, optional
        Chooses rows by what columns hold: `{"judge": "expert*"}`.
    name : str, optional
        What messages and reports call these battles; by default the judge's name in the column of the winner, or the
        file's name.

    Returns
    -------
    Battles
        The battles.

    Raises
    ------
    BadFile
        If the file cannot be read or understood; its subclasses name the cause, and messages the file and line.

    Examples
    --------
    >>> import polars as pl
    >>> rows = {"model_a": ["x", "y"], "model_b": ["y", "z"], "winner": ["model_a", "tie"]}
    >>> read_battles(pl.DataFrame(rows))
    <Battles: 2 of 3 models>
    """
    if isinstance(source, str | os.PathLike):
        path = expanded(source)
        table = _file_table(read_bytes(path), path)
        title = system_name(path)
    elif is_frame(source):
        table, title = frame_table(source), None
    else:
        raise BadParameter(f"{type(source).__name__} is not battles; give a path or a data frame")
    if isinstance(skip, str):
        raise BadParameter(f"skip={skip!r}: give a list of labels")
    if where:
        table = matching_rows(table, where)
    columns = {"winner": winner, "id_column": id_column, "model_a": model_a, "model_b": model_b}
    return table_battles(table, title, skip=skip, name=name, **columns)


def is_battles(table: Table) -> bool:
    """Whether a table has a battle in each row, by its headers."""
    return _models(table) is not None and bool(_winners(table) or _one_hot(table))


def may_be_battles(text: str) -> bool:
    """Whether JSON text may hold battles, which bring whole conversations along."""
    return text.lstrip()[:1] in ("{", "[") and _MODEL_KEYS.search(text[:_BEGINNING]) is not None


def text_table(text: str, path: str) -> Table:
    """The table of battles in a text; from JSON only what is not a list or object."""
    return _json_table(text, path) if may_be_battles(text) or is_json_lines(text) else read_delimited(text, path)


def _file_table(data: bytes, path: Path) -> Table:
    if data.startswith(PARQUET_MAGIC):
        return parquet_table(data, str(path))[0]
    return text_table(decode(data, path), str(path))


def _json_table(text: str, path: str) -> Table:
    """Columns of the plain values in JSON lines or in a JSON array of objects; conversations are left."""
    lines: list[int] = []
    rows: list[dict[str, Any]] = []
    if text.lstrip().startswith("["):
        try:
            rows = json.loads(text, parse_int=str, parse_float=str)
        except (json.JSONDecodeError, RecursionError) as error:
            line = getattr(error, "lineno", 1)
            raise UnrecognisedFormat(path, f"not a JSON array ({error}); correct it", line=line) from None
    else:
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                try:
                    rows.append(json.loads(line, parse_int=str, parse_float=str))
                except (json.JSONDecodeError, RecursionError):
                    raise UnrecognisedFormat(path, "not a JSON object; each line is one", line=number) from None
                lines.append(number)
    if not all(isinstance(row, dict) for row in rows):
        raise UnrecognisedFormat(path, "not a list of JSON objects; each battle is an object")
    keys = dict.fromkeys(key for row in rows for key, value in row.items() if not isinstance(value, dict | list))
    if not keys:
        raise EmptyFile(path, "the file holds no battles")
    cells = ({key: _cell(value) for key, value in row.items()} for row in rows)
    plain = list(cells)
    columns = tuple(Column(key, [row.get(key, "") for row in plain]) for key in keys)
    return Table(Place(path, (lambda row: lines[max(row, 0)]) if lines else None), columns)


def _cell(value: object) -> str:
    return "" if value is None or isinstance(value, dict | list) else str(value)


def table_battles(
    table: Table,
    title: str | None,
    *,
    winner: str | None = None,
    id_column: str | None = None,
    model_a: str | None = None,
    model_b: str | None = None,
    skip: Sequence[str] = (),
    name: str | None = None,
) -> Battles:
    """The battles in a table, by the words in its headers and by the columns that the user names."""
    models = _models(table) or (None, None)
    first, second = (
        _called(table, given) if given is not None else known
        for given, known in zip((model_a, model_b), models, strict=True)
    )
    if first is None or second is None:
        problem = (
            "no columns 'model_a' and 'model_b'; name the columns of the two models (model_a=, model_b=, "
            f"FILE:model_a=…,model_b=…); there are {listed(table.headers)}"
        )
        raise table.place.error(UnrecognisedFormat, problem)
    judge, own_name = None, title
    if winner is None and _one_hot(table):
        wins = _one_hot_wins(table)
    else:
        judge = _winner_column(table, winner)
        wins = _wins(table, judge, first, second, skip)
        if len(_winners(table)) > 1:
            own_name = re.sub(r"(?i)^winner[_ .-]+", "", judge.header)
    unit = _called(table, id_column) if id_column is not None else _id_column(table)
    for role in (first, second, *(() if unit is None else (unit,))):
        for row in (row for row, cell in enumerate(role.cells) if not cell.strip()):
            raise table.place.error(MissingName, f"the column {role.header!r} is empty; fill it or drop the row", row)
    alike = np.array([a == b for a, b in zip(first.cells, second.cells, strict=True)])
    rows: list[int] = np.flatnonzero(~(alike | np.isnan(wins))).tolist()
    if alike.any():
        counted = f"a model battles itself in {alike.sum():,} of {len(alike):,} battles, which say nothing of ranks"
        warnings.warn(f"{table.place.path}: {counted}; they are left out", LeftOutBattles, stacklevel=3)
    if np.isnan(wins).any():
        counted = f"{np.isnan(wins).sum():,} of {len(wins):,} battles have a label to skip ({some(list(skip))})"
        warnings.warn(f"{table.place.path}: {counted}; they are left out", LeftOutBattles, stacklevel=3)
    if not len(rows):
        raise EmptyFile(table.place.path, "no battle of two models is left")
    return Battles(
        [first.cells[row] for row in rows],
        [second.cells[row] for row in rows],
        wins[rows],
        None if unit is None else [unit.cells[row] for row in rows],
        name=own_name if name is None else name,
    )


def _models(table: Table) -> tuple[Column, Column] | None:
    for pair in _MODELS:
        if all(word in table.by_word for word in pair):
            return table.by_word[pair[0]], table.by_word[pair[1]]
    return None


def _winners(table: Table) -> list[Column]:
    """The columns that may hold a judge's winners."""
    known = [table.by_word[word] for word in _WINNER if word in table.by_word]
    return known or [column for column in table.columns if column.word.startswith("winner_")]


def _one_hot(table: Table) -> bool:
    return all(word in table.by_word for word in _ONE_HOT) and not any(word in table.by_word for word in _WINNER)


def _one_hot_wins(table: Table) -> Floats:
    columns = [table.by_word[word] for word in _ONE_HOT]
    flags = np.column_stack([column.values for column in columns])
    wrong = np.flatnonzero(~(np.isin(flags, (0.0, 1.0)).all(axis=1) & (flags.sum(axis=1) == 1.0)))
    if len(wrong):
        problem = f"one of {', '.join(_ONE_HOT)} is 1 and the others are 0; correct the row or drop it"
        raise table.place.error(UnrecognisedFormat, problem, int(wrong[0]))
    return np.asarray(flags[:, 0] + 0.5 * flags[:, 2])


def _winner_column(table: Table, winner: str | None) -> Column:
    there = _winners(table)
    if winner is not None:
        for column in table.columns:
            if column.header == winner or column.word == f"winner_{normalise(winner)}":
                return column
        problem = f"no column {winner!r} with winners; there are {listed([c.header for c in there] or table.headers)}"
        raise table.place.error(UnrecognisedFormat, problem)
    if len(there) > 1:
        headers = [column.header for column in there]
        problem = (
            f"several judges: {listed(headers)}; choose one: read_battles(…, winner={headers[0]!r}), "
            f"FILE:winner={headers[0]}"
        )
        raise table.place.error(UnrecognisedFormat, problem)
    if not there:
        problem = f"no column 'winner'; name it (winner=, FILE:winner=…); there are {listed(table.headers)}"
        raise table.place.error(UnrecognisedFormat, problem)
    return there[0]


def _id_column(table: Table) -> Column | None:
    return next((table.by_word[word] for word in _IDS if word in table.by_word), None)


def _called(table: Table, header: str) -> Column:
    column = next((column for column in table.columns if column.header == header), None)
    if column is None:
        problem = f"no column is called {header!r}; there are {listed(table.headers)}"
        raise table.place.error(UnrecognisedFormat, problem)
    return column


def _wins(table: Table, judge: Column, first: Column, second: Column, skip: Sequence[str]) -> Floats:
    """What the first model won in each battle; NaN for labels to skip."""
    left_out, known = {normalise(label) for label in skip}, dict[str, float | None]()
    if not any(label.startswith("2") for label in set(judge.cells)):
        known |= {"0": None, "0.0": None}  # beside 1 and 2 a tie; beside 1 alone, it may be either model
    wins = np.empty(len(judge))
    for row, label in enumerate(judge.cells):
        if label not in known:
            word = normalise(label)
            known[label] = math.nan if word in left_out else _WON.get(word, _share(label.strip()))
        share = known[label]
        if share is None:
            text = label.strip()
            share = 1.0 if text == first.cells[row].strip() else 0.0 if text == second.cells[row].strip() else None
        if share is None:
            raise table.place.error(UnrecognisedFormat, _unknown(judge, label), row)
        wins[row] = share
    return wins


def _share(label: str) -> float | None:
    """What a preference from 1 (the first model) to 2 says that the first won."""
    return 2.0 - float(label) if is_number(label) and 1.0 <= float(label) <= 2.0 else None


def _unknown(judge: Column, label: str) -> str:
    counts = Counter(judge.cells)
    seen = ", ".join(f"{word!r} ({count:,})" for word, count in counts.most_common(6))
    rare = f"{counts[label]:,} battle{'s' if counts[label] != 1 else ''}"
    return (
        f"{label!r} in column {judge.header!r} is not a winner; labels are model_a, model_b, tie and tie (bothbad), "
        f"also A, B, left, right, 1, 2 or the model's name; there are {seen}. Leave its {rare} out: skip=[{label!r}], "
        f"FILE:skip={label}"
    )
