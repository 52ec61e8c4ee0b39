"""Labels in sources of the command line: judges with their scales, their repeats, and panels of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import rankscope as rs
from rankscope.cli.command import Work
from rankscope.cli.reading.scores import scores_of, table_keywords
from rankscope.cli.sources import Source, parse_source

if TYPE_CHECKING:  # at run time rs.Judgments would load numpy, which `--help` does without
    # Reads labels, given their name, which may be empty, the path, and the grades by label if the source has them.
    LabelsReader = Callable[[str, str, Mapping[str, float] | None], rs.Judgments]


def labels_reader(work: Work, role: str, on_conflict: Any) -> LabelsReader:
    """A reader for `read_named` and `read_judges`: what it reads is noted as that of a role, such as "judge"."""

    def read(name: str, path: str, grades: Mapping[str, float] | None) -> rs.Judgments:
        how = partial(rs.read_judgments, grades=grades, on_conflict=on_conflict)
        return work.read(f"{role} {name}".strip(), path, how, grades=grades)

    return read


def read_named(given: Sequence[str], reader: LabelsReader) -> dict[str, rs.Judgments]:
    """Judgments by the name given before an equals sign, otherwise by that of the file; an error if two are equal.

    The key `map` after the file gives labels their grades: `human=FILE:map=yes>1,no>0`.
    """
    return {name: judgments for name, (judgments, _) in _read_named(given, reader, ("map",), all_maps=True).items()}


def plain_reader(on_conflict: Any) -> LabelsReader:
    """A reader for `read_named` whose files are not noted."""

    def read(name: str, path: str, grades: Mapping[str, float] | None) -> rs.Judgments:
        return rs.read_judgments(path, grades=grades, on_conflict=on_conflict)

    return read


def read_judges(given: Sequence[str], reader: LabelsReader) -> dict[str, rs.JudgeLabels]:
    """Judges by name, as `read_named` does, with the keys `rel` and `map` after the file: `llm=FILE:rel=1,map=1>2`."""
    read = _read_named(given, reader, ("rel", "map")).items()
    return {name: judge_labels(judgments, source) for name, (judgments, source) in read}


def judge_labels(judgments: rs.Judgments, source: Source) -> rs.JudgeLabels:
    """A judge's labels with the scale that the keys `rel` and `map` of its source give."""
    learned = source.options.get("map") == "cv"
    given = None if learned or words_map(source) else _given_map(source)
    return rs.JudgeLabels(judgments, rel=_level(source), map="cv" if learned else given)


def given_grades(source: Source) -> dict[str, float] | None:
    """The grades that the key `map` gives to labels."""
    return _grade_map(source) if "map" in source.options else None


def words_map(source: Source) -> dict[str, float] | None:
    """The grades that the key `map` gives to labels, where some of these are words and not grades themselves."""
    if source.options.get("map", "cv") == "cv":
        return None
    grades = _grade_map(source)
    return None if all(map(_is_grade, grades)) else grades


def read_asked(work: Work, given: Sequence[str], on_conflict: Any) -> dict[str, Any]:
    """Judges by name, as `read_judges` does; where one has several files, or `each=COLUMN`, a list of its repeats."""
    judges: dict[str, Any] = {}
    for word in given:
        source = parse_source(word)
        own: dict[str, Any]
        if "each" in source.options or _several(source):
            how: dict[str, Any] = {"runs": True, "measure": None, "on_missing": "keep", "on_conflict": on_conflict}
            name, repeats = read_repeats(work, word, {}, **how)
            own = {name: repeats}
        else:
            own = dict(read_judges([word], labels_reader(work, "judge", on_conflict)))
        for name, labels in own.items():
            if name in judges:
                raise _same_name(name)
            judges[name] = labels
    return judges


def _several(source: Source) -> bool:
    """Whether a source names several files: with commas between them, or by a pattern; a path that exists is one."""
    from rankscope.files.sources import is_there

    if is_there(source.path):
        return False
    return "," in source.path or any(sign in source.path for sign in "*?[")


def read_panels(given: Sequence[str]) -> list[rs.Panel]:
    """Panels as the command line writes them: `HOW`, `NAME=HOW`, `HOW:judges=a|*gpt*,rel=cv`."""
    panels = []
    for word in given:
        source = parse_source(word)
        source.refuse_options(("judges", "rel"))
        how: Any = source.path
        judges = source.options["judges"].split("|") if "judges" in source.options else None
        rel: Any = _level(source) or "measure"
        panels.append(rs.Panel(how, source.name or "", judges, rel))
    return panels


def _level(source: Source) -> Any:
    """The lowest relevant grade that a source names, or how it is found."""
    text = source.options.get("rel")
    return text if text in (None, "cv", "measure") else _grade(source, "rel", text)


def _given_map(source: Source) -> dict[float, float] | None:
    if "map" not in source.options:
        return None
    return {_grade(source, "map", old): new for old, new in _grade_map(source).items()}


def read_repeats(
    work: Work,
    word: str,
    reading: Mapping[str, Any],
    *,
    runs: bool,
    measure: str | None,
    on_missing: Any,
    on_conflict: Any,
) -> tuple[str, list[Any]]:
    """A judge's name and repeats, `NAME=FILE,FILE…` or `NAME=FILE:each=COLUMN`: labels of runs, otherwise scores."""
    from rankscope.files.sources import system_name

    source = parse_source(word)
    files = source.files()
    name = source.name or system_name(files[0])
    repeats: list[Any] = []
    for path in files:
        own = source._replace(path=path, name=None)
        if runs:
            repeats += work.read(f"judge {name}", path, partial(_labels, own, on_conflict))
        else:
            repeats += scores_of(work, f"judge {name}", own, reading, measure, on_missing)
    return name, repeats


def _labels(source: Source, on_conflict: Any, path: str) -> list[rs.JudgeLabels]:
    """The labels in a file, or those of each value of a column, with the judge's scale."""
    from rankscope.files.judgments import read_each

    where = {key: value for key, value in source.options.items() if key not in ("rel", "map")}
    each = where.pop("each", None)
    read = read_each(path, each, where=where or None, grades=words_map(source), on_conflict=on_conflict)
    return [judge_labels(labels, source) for labels in read]


def _grade_map(source: Source) -> dict[str, float]:
    """The grades by label of a text such as "1>2,0.5>1" or "yes>1"."""
    grades = {}
    for part in source.options["map"].split(","):
        old, arrow, new = part.rpartition(">")
        if not arrow:
            raise rs.BadParameter(f"{source.path}: map={part}: a grade, >, and the grade it becomes, such as map=1>2")
        grades[old.strip()] = _grade(source, "map", new)
    return grades


def _is_grade(label: str) -> bool:
    try:
        return math.isfinite(float(label))
    except ValueError:
        return False


def _grade(source: Source, key: str, text: str) -> float:
    try:
        grade = float(text)
    except ValueError:
        grade = math.nan
    if not math.isfinite(grade):
        raise rs.BadParameter(f"{source.path}: {key}: {text.strip()!r} is not a grade; give a number, such as 1")
    return grade


def _read_named(
    given: Sequence[str], reader: LabelsReader, keys: Sequence[str], *, all_maps: bool = False
) -> dict[str, tuple[rs.Judgments, Source]]:
    """Labels and source by name; maps of words are for the reader, those of grades only if `all_maps`."""
    from rankscope.files.sources import is_there

    by_name: dict[str, tuple[rs.Judgments, Source]] = {}
    for word in given:
        source = parse_source(word)
        source.refuse_options(keys)
        several = source.path.split(",")
        if len(several) > 1 and all(map(is_there, several)):
            raise rs.BadParameter(
                f"{source.name or word}: {len(several)} files, and one set of labels is needed here; give each as a "
                "judge. Several files of one judge are its repeats in judge and in study repeats"
            )
        grades = given_grades(source) if all_maps else words_map(source)
        judgments = reader(source.name or "", source.path, grades)
        name = source.name or judgments.name or source.path
        if name in by_name:
            raise _same_name(name)
        by_name[name] = replace(judgments, name=name), source
    return by_name


def _same_name(name: str) -> rs.BadParameter:
    return rs.BadParameter(f"two judges are called {name!r}; name them: --judge first=FILE --judge second=FILE")


class LabelSource(NamedTuple):
    """Labels as one side of a comparison, and its lowest relevant grade if the source says so."""

    labels: rs.Judgments
    rel: float | None


def read_labels(word: str, reading: Mapping[str, Any], on_conflict: Any) -> list[LabelSource]:
    """The labels that a source on the command line stands for: one side, or one for each file or value of a column."""
    from rankscope.files.judgments import read_each
    from rankscope.files.label_table import LABEL_ROLES
    from rankscope.files.sources import find_files

    source = parse_source(word)
    where = dict(source.options)
    rel = _grade(source, "rel", where.pop("rel")) if "rel" in where else None
    grades = _grade_map(source) if where.pop("map", None) is not None else None
    each = where.pop("each", None)
    columns = table_keywords(source, reading)["columns"] or {}
    columns |= {role: where.pop(role) for role in LABEL_ROLES if role in where}
    read = [
        labels
        for path in find_files(source.path).paths
        for labels in read_each(
            path, each, columns=columns or None, where=where or None, grades=grades, on_conflict=on_conflict, bare=True
        )
    ]
    if source.name and len(read) == 1:
        read = [replace(read[0], name=source.name)]
    return [LabelSource(labels, rel) for labels in read]
