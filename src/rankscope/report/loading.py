"""A saved result as it was: from its JSON to its class, by the annotations of the class's fields."""

from __future__ import annotations

import collections.abc
import dataclasses
import importlib
import json
import os
import re
import types
from pathlib import Path
from typing import Any, Literal, NoReturn, Union, get_args, get_origin, get_type_hints

import numpy as np

from rankscope.errors import RankscopeError, UnrecognisedFormat
from rankscope.files.text import check_text, read_bytes
from rankscope.report.kinds import KINDS
from rankscope.results import HEADER, LARGEST_JSON_INTEGER, SCHEMA, Result

# Results whose classes are not among the public names.
_MODULES = {"NullTable": "rankscope.studies.null_table", "OneTable": "rankscope.results"}
_NUMBERS = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}
# Settings nest three deep; nothing that rankscope writes comes near this.
_DEEPEST = 20
_SAVE = "save the result again, as .json"


class _Misfit(Exception):
    """A value that does not fit its place."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{place.lstrip('/') or 'the result'} {problem}")
        self.place = place


def load(path: str | os.PathLike[str]) -> Any:
    """Read a result that was saved as JSON, to print, draw, page or save it again without computing.

    Everything that tables, texts, charts and pages show is in the file. Single draws of `study gaps`, `study swaps` and
    `study estimators` are not.

    Parameters
    ----------
    path : str | os.PathLike[str]
        A JSON file that `Result.save`, or any command with `-o FILE.json` or `--format json`, wrote.

    Returns
    -------
    Result
        The result, of the class that it had.

    Raises
    ------
    UnreadableFile
        If the file cannot be read.
    EmptyFile
        If there is nothing in it.
    BinaryFile
        If it is not text.
    UnrecognisedFormat
        If it is not a result of rankscope, is not whole, or was written by a version whose results this one cannot
        read.

    Examples
    --------
    >>> import rankscope as rs, tempfile
    >>> result = rs.significance([[0.2, 0.4, 0.5], [0.6, 0.5, 0.9], [0.1, 0.3, 0.2]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result.save(f"{folder}/pairs.json")
    ...     again = rs.load(f"{folder}/pairs.json")
    >>> type(again).__name__, str(again) == str(result)
    ('Significance', True)
    """
    path = Path(path)
    document = _parsed(path)
    header = document.pop(HEADER)
    kind = _class(header, path)
    try:
        _restore(document, header.get("not_finite", {}))
        result = _rebuilt(kind, document, "")
    except (_Misfit, RankscopeError) as error:
        wrote, this = _writer(header), _this()
        why = "so it was changed since it was written" if wrote == this else f"{wrote} wrote it, and this is {this}"
        way_out = (
            "run the command again" if wrote == this else "run the command again, or use the version that wrote it"
        )
        raise UnrecognisedFormat(path, f"{error}; {why}: {way_out}") from None
    object.__setattr__(result, "_versions", header["versions"])
    return result


def _parsed(path: Path) -> dict[str, Any]:
    """The content of a file that says that it is a result."""
    data = read_bytes(path)
    check_text(data, path, "a saved result")
    try:
        document: dict[str, Any] = json.loads(data.decode("utf-8-sig"), parse_constant=_no_constant)
    except RecursionError:
        raise UnrecognisedFormat(path, f"not a saved result: its values nest too deep; {_SAVE}") from None
    except ValueError as error:
        line = getattr(error, "lineno", None)
        problem = f"not JSON, or not all of it ({getattr(error, 'msg', error)}); {_SAVE}"
        raise UnrecognisedFormat(path, problem, line=line) from None
    header = document.get(HEADER) if isinstance(document, dict) else None
    if not isinstance(header, dict):
        raise UnrecognisedFormat(
            path,
            f'JSON, but not a saved result: no "{HEADER}" in it says of what (rankscope 0.1 wrote none); run '
            "the command again with -o FILE.json",
        )
    return document


def _class(header: dict[str, Any], path: Path) -> type[Result]:
    """The class that the header names, if this version can read it."""
    schema, name = header.get("schema"), header.get("result")
    if type(schema) is not int or not isinstance(name, str) or not _is_versions(header.get("versions")):
        raise UnrecognisedFormat(
            path, f'"{HEADER}" does not have the schema, result and versions that it needs; {_SAVE}'
        )
    if schema != SCHEMA:
        way_out = "upgrade rankscope" if schema > SCHEMA else "run the command again"
        raise UnrecognisedFormat(
            path, f"schema {schema} of {_writer(header)}, and {_this()} reads schema {SCHEMA}; {way_out}"
        )
    if name not in {kind.result for kind in KINDS} - {Result.__name__}:
        raise UnrecognisedFormat(
            path, f"{_writer(header)} wrote a {name!r}, which {_this()} does not know; use the version that wrote it"
        )
    module = importlib.import_module(_MODULES.get(name, "rankscope"))
    kind: type[Result] = getattr(module, name)
    return kind


def _restore(document: dict[str, Any], numbers: Any) -> None:
    """Put the numbers that JSON does not have back where it has null."""
    if not isinstance(numbers, dict):
        raise _Misfit(f"{HEADER}/not_finite", "is not an object")
    for place, number in numbers.items():
        *path, last = [key.replace("~1", "/").replace("~0", "~") for key in place.split("/")[1:]] or [""]
        inside: Any = document
        try:
            for key in path:
                inside = inside[int(key) if isinstance(inside, list) else key]
            key = int(last) if isinstance(inside, list) else last
            if inside[key] is not None:
                raise _Misfit(place, "is not null")
            inside[key] = _NUMBERS[number]
        except (LookupError, TypeError, ValueError):
            raise _Misfit(place, "is not there, or is not a number") from None


def _rebuilt(kind: Any, value: Any, place: str) -> Any:
    """A value of an annotated type from its JSON; only dataclasses that annotations name are ever made."""
    if dataclasses.is_dataclass(kind):
        return _dataclass(kind, value, place)
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _one_of(inner, value, place)
    if origin is Literal:
        if not any(type(value) is type(choice) and value == choice for choice in inner):
            _misfit(value, place)
        return value
    if origin is np.ndarray:
        return _array(get_args(inner[1])[0], value, place)
    if origin is tuple:
        return _tuple(inner, value, place)
    if origin is not None and issubclass(origin, collections.abc.Mapping):
        return _mapping(origin, inner, value, place)
    return _single(kind, value, place)


def _dataclass(kind: Any, value: Any, place: str) -> Any:
    if not isinstance(value, dict):
        _misfit(value, place)
    if hasattr(kind, "from_content"):
        hints = get_type_hints(kind.from_content)
        del hints["return"]
        return kind.from_content(**_fields(hints, set(), value, place))
    hints = get_type_hints(kind)
    fields = dataclasses.fields(kind)
    absent = (dataclasses.MISSING, dataclasses.MISSING)
    defaults = {field.name for field in fields if (field.default, field.default_factory) != absent}
    draws = getattr(kind, "draws_in", None)
    values = _fields({f.name: hints[f.name] for f in fields if f.name != draws}, defaults, value, place)
    made = object.__new__(kind)  # not by calling the class, whose arguments may be others than its fields
    for field in fields:
        if field.name in values:
            object.__setattr__(made, field.name, values[field.name])
        elif field.name == draws:
            object.__setattr__(made, draws, {})
        else:
            default = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
            object.__setattr__(made, field.name, default)
    if hasattr(made, "__post_init__"):
        made.__post_init__()
    return made


def _fields(hints: dict[str, Any], defaults: set[str], value: dict[str, Any], place: str) -> dict[str, Any]:
    """The values of these fields, of which those with defaults may be absent."""
    for name in value:
        if name not in hints:
            raise _Misfit(f"{place}/{name}", "is not known")
    for name in hints:
        if name not in value and name not in defaults:
            raise _Misfit(f"{place}/{name}", "is missing")
    return {name: _rebuilt(hints[name], inner, f"{place}/{name}") for name, inner in value.items()}


def _one_of(kinds: tuple[Any, ...], value: Any, place: str) -> Any:
    if value is None and types.NoneType in kinds:
        return None
    problems = []
    for kind in kinds:
        if kind is not types.NoneType:
            try:
                return _rebuilt(kind, value, place)
            except _Misfit as error:
                problems.append(error)
    raise max(problems, key=lambda error: error.place.count("/"))  # what fits the farthest is what was meant


def _tuple(kinds: tuple[Any, ...], value: Any, place: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        _misfit(value, place)
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        kinds = (kinds[0],) * len(value)
    if len(kinds) != len(value):
        raise _Misfit(place, f"has {len(value)} values instead of {len(kinds)}")
    pairs = zip(kinds, value, strict=True)
    return tuple(_rebuilt(kind, inner, f"{place}/{i}") for i, (kind, inner) in enumerate(pairs))


def _mapping(origin: Any, kinds: tuple[Any, ...], value: Any, place: str) -> Any:
    if not isinstance(value, dict):
        _misfit(value, place)
    of_keys, of_values = kinds if len(kinds) == 2 else (str, *kinds)
    mapping = {_key(of_keys, key, place): _rebuilt(of_values, inner, f"{place}/{key}") for key, inner in value.items()}
    return mapping if origin in (dict, collections.abc.Mapping) else origin(mapping)


def _key(kind: Any, key: str, place: str) -> Any:
    """A key, which is always a string in JSON."""
    if kind in (int, float):
        try:
            return kind(key)
        except ValueError:
            _misfit(key, place)
    return _rebuilt(kind, key, place)


def _array(kind: Any, value: Any, place: str) -> Any:
    if not isinstance(value, list):
        _misfit(value, place)
    try:
        array = np.asarray(value, dtype=kind)
    except (TypeError, ValueError, OverflowError):
        raise _Misfit(place, "is not an array of numbers") from None
    if array.dtype.kind != "f" and array.tolist() != value:
        raise _Misfit(place, f"is not an array of type {array.dtype}")
    array.flags.writeable = False
    return array


def _single(kind: Any, value: Any, place: str) -> Any:
    if kind is Any:
        _check_depth(value, place)
    elif kind is int and isinstance(value, str) and re.fullmatch(r"-?\d{16,400}", value):
        if abs(int(value)) > LARGEST_JSON_INTEGER:  # written as text, since many read numbers as doubles
            return int(value)
        _misfit(value, place)
    elif not _is(kind, value):
        _misfit(value, place)
    return value


def _is(kind: Any, value: Any) -> bool:
    """Whether a value of JSON is of a type; where a float is asked for a whole number will do."""
    if kind is types.NoneType or kind is None:
        return value is None
    if kind is float:
        return type(value) in (float, int)
    return kind in (int, str, bool) and type(value) is kind


def _check_depth(value: Any, place: str, depth: int = 0) -> None:
    if depth > _DEEPEST:
        raise _Misfit(place, "nests too deep")
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            _check_depth(inner, place, depth + 1)


def _misfit(value: Any, place: str) -> NoReturn:
    if isinstance(value, dict | list):
        text = "an object" if isinstance(value, dict) else "a list"
    else:
        text = json.dumps(value, ensure_ascii=False)
    raise _Misfit(place, f"is {text if len(text) <= 40 else text[:40] + '…'}, which does not fit there")


def _no_constant(token: str) -> NoReturn:
    raise ValueError(f"{token} is not JSON")


def _is_versions(versions: Any) -> bool:
    return isinstance(versions, dict) and all(isinstance(each, str) for each in versions.values())


def _writer(header: dict[str, Any]) -> str:
    return f"rankscope {header['versions'].get('rankscope', 'of unknown version')}"


def _this() -> str:
    from rankscope import __version__

    return f"rankscope {__version__}"
