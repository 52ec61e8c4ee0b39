"""What commands read: scores and judgments with names, runs, and systems by name, pattern, file or column."""

from __future__ import annotations

import fnmatch
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import rankscope as rs
from rankscope.cli.command import Work
from rankscope.cli.options import BESIDE
from rankscope.cli.sources import Source, parse_source

if TYPE_CHECKING:
    from rankscope.scores import Scores


def read_scores(
    work: Work,
    role: str,
    word: str,
    reading: Mapping[str, Any],
    *,
    measure: str | None = None,
    on_missing: Any = "keep",
) -> Scores:
    """The scores in a source, `[NAME=]FILE[:COLUMN=PATTERN,…]`, read as the options of `TABLE_READING` say.

    A gap in a file is an error where file and line are known; whoever aligns two sides treats it otherwise.
    """
    return _one(_scores(work, role, parse_source(word), reading, measure, on_missing), word)


def read_sides(
    work: Work, word: str, reading: Mapping[str, Any], *, measure: str | None = None, on_missing: Any = "keep"
) -> list[Scores]:
    """The estimates in a source: one, or one for every value of the column that `each` names after the colon."""
    return _scores(work, "estimate", parse_source(word), reading, measure, on_missing)


def _one(scores: list[Scores], word: str) -> Scores:
    if len(scores) > 1:
        raise rs.BadParameter(f"{word}: one table is needed here, without 'each'; choose a value by its column")
    return scores[0]


def read_filled(
    work: Work, word: str, reading: Mapping[str, Any], *, measure: str | None = None, on_missing: Any
) -> Scores:
    """The scores in a source as `--on-missing` leaves them, with a remark on what was left out."""
    scores = read_scores(work, "scores", word, reading, measure=measure, on_missing=on_missing).fill(on_missing)
    say_left_out(work, [scores])
    return scores


def say_left_out(work: Work, tables: Iterable[Scores]) -> None:
    """Tell what was left out of score tables, where the result does not."""
    for table in tables:
        for remark in table.left_out:
            work.remark(str(remark))


def read_tables(
    work: Work,
    words: Sequence[str],
    reading: Mapping[str, Any],
    *,
    measure: str | None = None,
    on_missing: Any = "keep",
) -> dict[str, Scores]:
    """The scores in each file of these sources and folders, by the name given to it, otherwise by that of the file."""
    from rankscope.files.sources import find_files
    from rankscope.studies.tables import named_tables

    tables: dict[str, Scores] = {}
    for word in words:
        source = parse_source(word)
        paths = [str(path) for path in find_files(source.path).paths]
        for stem, path in named_tables(paths).items():
            name = stem if source.name is None else source.name if len(paths) == 1 else f"{source.name} {stem}"
            if name in tables:
                raise rs.BadParameter(f"two score tables are called {name!r}; name them: first={path} second=FILE")
            own = source._replace(path=path)
            tables[name] = _one(_scores(work, "scores", own, reading, measure, on_missing), word)
    return tables


def _scores(
    work: Work, role: str, source: Source, reading: Mapping[str, Any], measure: str | None, on_missing: Any
) -> list[Scores]:
    from rankscope.files.scores import read_scores_each
    from rankscope.scores import with_names

    each = source.options.get("each")
    source = source._replace(options={key: value for key, value in source.options.items() if key != "each"})
    parts = {key: source.options[key] for key in _PARTS if key in source.options}
    source = source._replace(options={key: value for key, value in source.options.items() if key not in parts})
    wanted = {key: reading[key] for key in _PREPARING if reading.get(key)}
    reading = {key: value for key, value in reading.items() if key not in _PREPARING}
    # A gap may be one of a system or topic that is not wanted; otherwise it is an error with file and line.
    of_all = {"aggregate", "lower_is_better", "names", "strip_prefix"}
    all_of_it = not parts.keys() - {"aggregate"} and not wanted.keys() - of_all
    gaps = "error" if on_missing == "error" and all_of_it else "keep"
    if reading.get("on_duplicate") == "best" and "lower_is_better" in wanted:
        raise rs.BadParameter(
            "--on-duplicate best takes the highest score, which is the worst where lower is better; choose first, last "
            "or mean"
        )

    def read(path: str) -> list[Scores]:
        keywords = table_keywords(source, reading)
        if each is not None:
            return read_scores_each(path, each, measure=measure, on_missing=gaps, **keywords)
        if _is_battles(source):
            return [_battle_scores(source._replace(path=path))]
        return [rs.read_scores(path, measure=measure, on_missing=gaps, name=source.name, **keywords)]

    def prepared(scores: Any) -> Scores:
        scores = _chosen(scores, source.path, wanted, parts)
        if "names" in wanted or "strip_prefix" in wanted:
            scores = with_names(scores, display_names(wanted, scores.systems, work))
        if each is not None and source.name:
            scores = scores.renamed(f"{source.name} {scores.name}")
        lower = scores.lower_is_better or _lower_is_better(work, scores, wanted.get("lower_is_better", ()))
        ready: Scores = scores.scored(parts.get("aggregate", wanted.get("aggregate", "mean")), lower_is_better=lower)
        return ready

    return [prepared(scores) for scores in work.read(role, source.path, read)]


# What the options of `SCORE_PREPARING` say, and the keys after a colon that say so of one file.
_SYSTEMS = ("only", "exclude", "names", "strip_prefix")
_PREPARING = ("aggregate", "lower_is_better", "only_topics", "exclude_topics", *_SYSTEMS)
_PARTS = ("systems", "topics", "aggregate")


def _chosen(scores: Scores, path: str, wanted: Mapping[str, Any], parts: Mapping[str, str]) -> Scores:
    """The systems and topics that options and the keys after a colon choose."""
    from rankscope.scores import ScoreMatrix, chosen

    systems = selected_systems(scores.systems, wanted.get("only"), wanted.get("exclude"))
    if "systems" in parts:
        systems = matching_names(f"{path}:systems=", [parts["systems"]], systems)
    of_topics = [key for key in ("only_topics", "exclude_topics", "topics") if key in wanted or key in parts]
    if not isinstance(scores, ScoreMatrix):
        if of_topics:
            raise rs.BadParameter(f"{path}: there are no topics to choose from; these are scores of systems alone")
        return scores if len(systems) == len(scores.systems) else chosen(scores, systems)
    topics = list(scores.topics)
    if "only_topics" in wanted:
        topics = matching_names("--only-topics", wanted["only_topics"], topics, "topic")
    if "exclude_topics" in wanted:
        without = set(matching_names("--exclude-topics", wanted["exclude_topics"], scores.topics, "topic"))
        topics = [topic for topic in topics if topic not in without]
    if "topics" in parts:
        topics = matching_names(f"{path}:topics=", [parts["topics"]], topics, "topic")
    if not topics:
        raise rs.BadParameter("--only-topics and --exclude-topics leave no topic; keep more, or exclude fewer")
    if len(systems) == len(scores.systems) and len(topics) == len(scores.topics):
        return scores
    return chosen(scores, systems, topics if of_topics else None)


def _lower_is_better(work: Work, scores: Scores, patterns: Sequence[str]) -> bool:
    """Whether lower scores of this measure are better; a remark where they are not, in case of a slip."""
    from rankscope.measure_names import matching

    if not patterns:
        return False
    measure = scores.measure
    named = measure is not None and any(fnmatch.fnmatchcase(measure, p) or matching(p, [measure]) for p in patterns)
    if "*" in patterns or named:
        return True
    if measure is None:
        raise rs.BadParameter(
            f"--lower-is-better {patterns[0]}: {scores.name or 'the table'} does not name its measure; name it "
            f"(-m {patterns[0]}), or say --lower-is-better '*'"
        )
    work.remark(f"{measure}: higher scores are better (--lower-is-better {' '.join(patterns)})")
    return False


# Keys after the colon that say how to read battles; others choose rows.
_BATTLE_COLUMNS = ("winner", "id_column", "model_a", "model_b")


def _is_battles(source: Source) -> bool:
    from rankscope.battles import SCORES

    given = source.options
    return any(key in given for key in (*_BATTLE_COLUMNS, "skip", "prior")) or given.get("score") in SCORES


def _battle_scores(source: Source) -> Scores:
    """The scores of battles, `FILE:winner=COLUMN,id_column=COLUMN,skip=LABEL|LABEL,score=win_rate,prior=1`."""
    given = dict(source.options)
    columns: dict[str, Any] = {key: given.pop(key) for key in _BATTLE_COLUMNS if key in given}
    skip = given.pop("skip").split("|") if "skip" in given else ()
    score: Any = given.pop("score", "bradley_terry")
    prior = given.pop("prior", "0")
    try:
        ties = float(prior)
    except ValueError:
        raise rs.BadParameter(f"{source.path}: prior={prior} after the colon is no number of ties") from None
    battles = rs.read_battles(source.path, skip=skip, where=given or None, name=source.name, **columns)
    return battles.scores(score, prior=ties)


def table_keywords(source: Source, reading: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords of `read_scores` and `read_measures` that the source and the options of `TABLE_READING` give."""
    headers = {key.removesuffix("_column"): name for key, name in reading.items() if key.endswith("_column")}
    others = {key: value for key, value in reading.items() if not key.endswith("_column")}
    return {**others, "columns": headers or None, "where": source.options or None}


class ChosenRuns(NamedTuple):
    """The runs that were chosen, under the names to show; `shown` has these by the systems' own, in the same order."""

    runs: rs.RunSet
    shown: dict[str, str]
    left_out: int


def read_runs(work: Work, paths: Sequence[str], reading: Mapping[str, Any], jobs: int | None) -> ChosenRuns:
    """The runs in these files, folders and patterns, read, chosen and named as the options say."""
    cache = reading.get("cache")
    keywords = {key: value for key, value in reading.items() if key not in _SYSTEMS}
    keywords["cache"] = True if cache == BESIDE else cache
    runs = work.read("runs", list(paths), lambda paths: rs.read_runs(paths, jobs=jobs, **keywords))
    kept = selected_systems(runs.systems, reading.get("only") or None, reading.get("exclude") or None)
    shown = display_names(reading, kept, work)
    left_out = len(runs.systems) - len(kept)
    if left_out:
        runs = runs.select(systems=kept)
    return ChosenRuns(replace(runs, systems=tuple(shown.values())), shown, left_out)


def say_systems_left_out(work: Work, chosen: ChosenRuns) -> None:
    """Tell how many systems were not chosen, where the result does not."""
    if chosen.left_out:
        every = chosen.left_out + len(chosen.shown)
        work.remark(f"{chosen.left_out:,} of {every:,} systems are left out (--systems, --exclude)")


def reading_of_runs(reading: Mapping[str, Any], of_scores: Mapping[str, Any], on_duplicate: Any) -> dict[str, Any]:
    """How a command that takes either reads runs: what only runs have, and what is said of both."""
    if on_duplicate in ("last", "mean"):
        raise rs.BadParameter(f"--on-duplicate {on_duplicate} is for scores; of runs, choose error, first or best")
    both = {key: of_scores[key] for key in _SYSTEMS if key in of_scores}
    return {**reading, **both, "on_duplicate": on_duplicate}


def read_groups(work: Work, path: str | None) -> Any:
    """The group of each system, or "names" where no file is called so."""
    if path is None or (path == "names" and not Path(path).exists()):
        return path
    return work.read("groups", path, rs.read_groups)


def shown_groups(groups: Any, shown: Mapping[str, str]) -> Any:
    """The groups by the names that are shown of systems."""
    if isinstance(groups, str):
        return groups
    return None if groups is None else {shown.get(system, system): group for system, group in groups.items()}


def read_named(given: Sequence[str], reader: Callable[[str, str], rs.Judgments]) -> dict[str, rs.Judgments]:
    """Judgments by the name given before an equals sign, otherwise by that of the file; an error if two are equal.

    The reader is called with the name, which may be empty, and the path.
    """
    return {name: judgments for name, (judgments, _) in _read_named(given, reader, ()).items()}


def read_judges(given: Sequence[str], reader: Callable[[str, str], rs.Judgments]) -> dict[str, rs.JudgeLabels]:
    """Judges by name, as `read_named` does, with the keys `rel` and `map` after the file: `llm=FILE:rel=1,map=1>2`."""
    read = _read_named(given, reader, ("rel", "map")).items()
    return {
        name: rs.JudgeLabels(
            judgments,
            rel=_level(source),
            map="cv" if source.options.get("map") == "cv" else _given_map(source),
        )
        for name, (judgments, source) in read
    }


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
    trusted.refuse_options()
    files = _files_in(place, trusted.path)
    if len(files) != 1:
        found = "no file" if not files else f"{len(files)} files"
        raise rs.BadParameter(f"{folder}: {found} by the name --truth gives, {trusted.path!r}; name one in each track")

    def read(role: str, path: str) -> rs.Judgments:
        return work.read(f"{name}: {role}", path, partial(rs.read_judgments, on_conflict=on_conflict))

    human = read("truth", files[0])
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
            own = read(f"judge {source.name or ''}".strip(), path)
            judge = source.name or own.name or path
            if judge in labels:
                raise rs.BadParameter(f"{folder}: two judges are called {judge!r}; name them: --judge first=FILE")
            own = replace(own, name=judge).sharing(human)  # there may be very many
            learned = source.options.get("map") == "cv"
            labels[judge] = rs.JudgeLabels(own, rel=_level(source), map="cv" if learned else _given_map(source))
    if not labels:
        raise rs.BadParameter(f"{folder}: no file of a judge by the names --judge gives; they are names in the folder")
    runs = read_runs(work, [str(place / "runs")], reading, jobs)
    say_systems_left_out(work, runs)
    return rs.JudgedTrack(runs=runs.runs, truth=human, judges=labels)


def track_name(folder: str) -> str:
    """The name of a track, which is that of its folder."""
    return Path(folder).resolve().name


def _files_in(folder: Path, path: str) -> list[str]:
    """The files of a folder that a name, a folder's name or a pattern stands for; none where there are none."""
    from rankscope.files.sources import find_files

    try:
        return [str(found) for found in find_files(str(folder / path)).paths if Path(found).exists()]
    except rs.UnreadableFile:
        return []


def read_asked(work: Work, given: Sequence[str], on_conflict: Any) -> dict[str, Any]:
    """Judges by name, as `read_judges` does; where one has several files, or `each=COLUMN`, a list of its repeats."""

    def read(name: str, path: str) -> rs.Judgments:
        return work.read(f"judge {name}".strip(), path, partial(rs.read_judgments, on_conflict=on_conflict))

    judges: dict[str, Any] = {}
    for word in given:
        source = parse_source(word)
        own: dict[str, Any]
        if "each" in source.options or _several(source):
            how: dict[str, Any] = {"runs": True, "measure": None, "on_missing": "keep", "on_conflict": on_conflict}
            name, repeats = read_repeats(work, word, {}, **how)
            own = {name: repeats}
        else:
            own = dict(read_judges([word], read))
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
            repeats += _scores(work, f"judge {name}", own, reading, measure, on_missing)
    return name, repeats


def _labels(source: Source, on_conflict: Any, path: str) -> list[rs.JudgeLabels]:
    """The labels in a file, or those of each value of a column, with the judge's scale."""
    from rankscope.files.judgments import read_each

    where = dict(source.options)
    grades: Any = "cv" if where.pop("map", None) == "cv" else _given_map(source)
    where.pop("rel", None)
    each = where.pop("each", None)
    read = read_each(path, each, where=where or None, on_conflict=on_conflict)
    return [rs.JudgeLabels(labels, rel=_level(source), map=grades) for labels in read]


def _grade_map(source: Source) -> dict[str, float]:
    """The grades by label of a text such as "1>2,0.5>1" or "yes>1"."""
    grades = {}
    for part in source.options["map"].split(","):
        old, arrow, new = part.rpartition(">")
        if not arrow:
            raise rs.BadParameter(f"{source.path}: map={part}: a grade, >, and the grade it becomes, such as map=1>2")
        grades[old.strip()] = _grade(source, "map", new)
    return grades


def _grade(source: Source, key: str, text: str) -> float:
    try:
        grade = float(text)
    except ValueError:
        grade = math.nan
    if not math.isfinite(grade):
        raise rs.BadParameter(f"{source.path}: {key}: {text.strip()!r} is not a grade; give a number, such as 1")
    return grade


def _read_named(
    given: Sequence[str], reader: Callable[[str, str], rs.Judgments], keys: Sequence[str]
) -> dict[str, tuple[rs.Judgments, Source]]:
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
        judgments = reader(source.name or "", source.path)
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


def matching_names(option: str, given: Sequence[str], systems: Sequence[str], what: str = "system") -> list[str]:
    """The systems, or topics, that names, patterns, files and columns stand for, in the order of the systems.

    >>> matching_names("--systems", ["a*", "c"], ["a1", "a2", "b", "c"])
    ['a1', 'a2', 'c']
    """
    from rankscope.errors import some

    chosen: set[str] = set()
    for word in given:
        if word in systems:
            chosen.add(word)
            continue
        matching = [system for system in systems if fnmatch.fnmatchcase(system, word)]
        names = None if matching else _names_in_file(word)
        if names is not None:
            matching = [system for system in systems if system in names]
        if not matching:
            raise rs.BadParameter(f"{option} {word}: no {what} has this name; there are {some(list(systems))}")
        chosen.update(matching)
    return [system for system in systems if system in chosen]


def selected_systems(systems: Sequence[str], only: Sequence[str] | None, exclude: Sequence[str] | None) -> list[str]:
    """The systems that `--systems` keeps and `--exclude` does not leave out.

    >>> selected_systems(["a1", "a2", "b"], ["a*"], ["a2"])
    ['a1']
    """
    kept = list(systems) if only is None else matching_names("--systems", only, systems)
    without = set() if exclude is None else set(matching_names("--exclude", exclude, systems))
    left = [system for system in kept if system not in without]
    if not left:
        raise rs.BadParameter("--systems and --exclude leave no system; keep more, or exclude fewer")
    return left


def display_names(reading: Mapping[str, Any], systems: Sequence[str], work: Work) -> dict[str, str]:
    """The name that reports show for each system: that of `--names`, otherwise its own without `--strip-prefix`."""
    from rankscope.files.groups import read_display_names
    from rankscope.names import without_prefix

    path, prefix = reading.get("names"), reading.get("strip_prefix")
    given = {} if path is None else work.read("names", path, read_display_names)
    names = {system: given.get(system, system) for system in systems}
    if prefix:
        own = [system for system in systems if system not in given]
        taken = [name for system, name in names.items() if system in given]
        names |= dict(zip(own, without_prefix(own, prefix, taken), strict=True))
    owners: dict[str, str] = {}
    for system, name in names.items():
        if owners.setdefault(name, system) != system:
            raise rs.BadParameter(f"--names {path}: {owners[name]!r} and {system!r} would both be {name!r}; change one")
    if path is not None and not any(system in given for system in systems):
        known, there = next(iter(given)), systems[0]
        raise rs.BadParameter(f"--names {path}: none of the systems is in it; it has {known!r}, not {there!r}")
    return names


def _names_in_file(word: str) -> set[str] | None:
    """The names that a file lists, or those with a value in a column of a table; None if the word names no file."""
    from rankscope.files.groups import read_names
    from rankscope.files.sources import is_there

    if is_there(word) and Path(word).is_file():
        return set(read_names(word))
    place, equals, value = word.rpartition("=")
    if equals and is_there(place.rpartition(":")[0]):
        return {name for name, label in rs.read_groups(place).items() if label == value.strip()}
    if os.sep in word:
        return set(read_names(word))  # the path of a file that does not exist: the reader says so
    return None
