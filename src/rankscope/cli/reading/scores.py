"""Scores in sources of the command line: tables, leaderboards and battles, as options and keys after a colon say."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import rankscope as rs
from rankscope.cli.command import Work
from rankscope.cli.reading.systems import SYSTEM_KEYS, display_names, matching_names, selected_systems
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
    return _one(scores_of(work, role, parse_source(word), reading, measure, on_missing), word)


def read_sides(
    work: Work, word: str, reading: Mapping[str, Any], *, measure: str | None = None, on_missing: Any = "keep"
) -> list[Scores]:
    """The estimates in a source: one, or one for every value of the column that `each` names after the colon."""
    return scores_of(work, "estimate", parse_source(word), reading, measure, on_missing)


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
            tables[name] = _one(scores_of(work, "scores", own, reading, measure, on_missing), word)
    return tables


def scores_of(
    work: Work, role: str, source: Source, reading: Mapping[str, Any], measure: str | None, on_missing: Any
) -> list[Scores]:
    """The scores in a parsed source: one, or one for every value of the column that `each` names."""
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
_PREPARING = ("aggregate", "lower_is_better", "only_topics", "exclude_topics", *SYSTEM_KEYS)
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
        raise rs.BadParameter(f"{source.path}: prior={prior} after the colon is not a number of ties") from None
    battles = rs.read_battles(source.path, skip=skip, where=given or None, name=source.name, **columns)
    return battles.scores(score, prior=ties)


def table_keywords(source: Source, reading: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords of `read_scores` and `read_measures` that the source and the options of `TABLE_READING` give."""
    headers = {key.removesuffix("_column"): name for key, name in reading.items() if key.endswith("_column")}
    others = {key: value for key, value in reading.items() if not key.endswith("_column")}
    return {**others, "columns": headers or None, "where": source.options or None}
