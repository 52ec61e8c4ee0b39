"""Scores of systems under several measures on one collection: the material for choosing measures."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Literal, get_args

import numpy as np

from rankscope.alignment import reindexed
from rankscope.averages import exact_means
from rankscope.checks import check_choice
from rankscope.errors import (
    BadParameter,
    MismatchedNames,
    MissingScores,
    ShapeMismatch,
    UnknownMeasure,
    UnnamedData,
    some,
)
from rankscope.files.columns import Columns
from rankscope.files.duplicates import OnDuplicateScores
from rankscope.files.frames import is_frame
from rankscope.files.recognise import Format
from rankscope.files.row_filter import Where
from rankscope.files.scores import read_every_measure, read_scores
from rankscope.files.sources import is_paths, system_name
from rankscope.measure_names import canonical, closest_first, matching, measure_label
from rankscope.missing import WAYS_OUT
from rankscope.scores import Floats, ScoreMatrix, Scores

# What becomes of scores that some measure lacks; a table may also keep its gaps.
IfMissing = Literal["error", "intersect", "zero"]
IF_MISSING: tuple[IfMissing, ...] = get_args(IfMissing)
OrKeep = Literal["error", "intersect", "zero", "keep"]
OR_KEEP: tuple[OrKeep, ...] = get_args(OrKeep)
# Where measures are looked at two by two, each pair may have its own cells.
OrPairwise = Literal["error", "intersect", "zero", "pairwise"]
OR_PAIRWISE: tuple[OrPairwise, ...] = get_args(OrPairwise)


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasureTable:
    """One collection: systems in rows and measures in columns, and the scores by topic where there are topics.

    `values` holds systems × measures, the means over topics where there are topics; `by_topic` holds topics × systems
    × measures, or is None. `left_out` names measures that had no scores by topic where others had. Scores are NaN where
    they are missing and were kept; the mean over topics is then NaN, too.

    >>> table = MeasureTable.of({"AP": [[0.2, 0.4], [0.6, 0.5]], "RR": [[1.0, 0.5], [1.0, 1.0]]}, name="toy")
    >>> table, table.values.tolist()
    (<MeasureTable toy: 2 systems × 2 measures, 2 topics>, [[0.4, 1.0], [0.45, 0.75]])
    """

    name: str
    systems: tuple[str, ...]
    measures: tuple[str, ...]
    values: Floats
    topics: tuple[str, ...] = ()
    by_topic: Floats | None = None
    left_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.values.shape != (len(self.systems), len(self.measures)):
            raise ShapeMismatch(
                f"{self.name}: values of shape {self.values.shape} for {len(self.systems)} systems and "
                f"{len(self.measures)} measures"
            )
        for array in (self.values, self.by_topic):
            if array is not None:
                array.flags.writeable = False

    def __repr__(self) -> str:
        topics = f", {len(self.topics)} topics" if self.by_topic is not None else ""
        return f"<MeasureTable {self.name}: {len(self.systems)} systems × {len(self.measures)} measures{topics}>"

    @staticmethod
    def of(scores: Mapping[str, object], *, name: str = "scores", on_missing: OrKeep = "error") -> MeasureTable:
        """A table from one set of scores per measure; each may be anything that `read_scores` takes.

        All measures must score the same systems, and the same topics where they have topics: otherwise an error lists
        what is missing, or only what all have is kept ("intersect"), or the rest is zero ("zero") or NaN ("keep").
        """
        check_choice("on_missing", on_missing, OR_KEEP)
        if not scores:
            raise BadParameter("there are no measures; give one set of scores per measure")
        read = {str(label): read_scores(each, on_missing="keep", name=str(label)) for label, each in scores.items()}
        left_out: tuple[str, ...] = ()
        matrices = {label: each for label, each in read.items() if isinstance(each, ScoreMatrix)}
        if matrices and len(matrices) < len(read):
            left_out = tuple(label for label in read if label not in matrices)
            read = dict(matrices)
        return _assembled(read, name, on_missing, left_out)

    def select(self, measures: Sequence[str]) -> MeasureTable:
        """These measures only, in the order given; any common spelling will do."""
        labels = [self.find(measure) for measure in measures]
        twice = [label for label in dict.fromkeys(labels) if labels.count(label) > 1]
        if twice:
            raise BadParameter(f"{some(twice)} asked for more than once; name each measure once")
        keep = [self.measures.index(label) for label in labels]
        cells = None if self.by_topic is None else np.ascontiguousarray(self.by_topic[:, :, keep])
        return replace(
            self, measures=tuple(labels), values=np.ascontiguousarray(self.values[:, keep]), by_topic=cells, left_out=()
        )

    def find(self, measure: str) -> str:
        """The measure of this name, in this table's spelling."""
        matches = matching(measure, self.measures) or matching(measure_label(measure), self.measures)
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise UnknownMeasure(self.name, f"{measure!r} may be {', '.join(matches)}; write it as the table does")
        # AP where there is AP@1000 and AP@10: those first, the deepest before others.
        kin = [m for m in self.measures if canonical(m).partition("@")[0] == canonical(measure).partition("@")[0]]
        kin.sort(key=lambda m: -float(canonical(m).partition("@")[2] or 0))
        offered = [*kin, *(m for m in closest_first(measure, self.measures) if m not in kin)]
        raise UnknownMeasure(self.name, f"no measure {measure!r}; there is {', '.join(offered)}")

    @property
    def complete(self) -> bool:
        """Whether every measure has every score."""
        return not np.isnan(self.values if self.by_topic is None else self.by_topic).any()

    def fill(self, on_missing: IfMissing) -> MeasureTable:
        """The table without gaps: without the topics (or systems) that have one, with zeros, or an error."""
        if self.complete:
            return self
        cells = self.values if self.by_topic is None else self.by_topic
        topics = None if self.by_topic is None else self.topics
        cells, systems, topics = _without_gaps(cells, self.measures, self.systems, topics, self.name, on_missing)
        return _of_cells(cells, self.measures, systems, topics, self.name, self.left_out)

    def means(self, measure: str) -> Floats:
        """The scores of all systems under one measure."""
        return np.asarray(self.values[:, self.measures.index(self.find(measure))])


def read_measures(
    source: object,
    *,
    measures: Sequence[str] | None = None,
    format: Format | None = None,  # noqa: A002  the word the user knows
    columns: Columns | None = None,
    where: Where | None = None,
    on_duplicate: OnDuplicateScores = "error",
    on_missing: OrKeep = "error",
    name: str | None = None,
) -> MeasureTable:
    """Read a collection's scores under all its measures, from files or from data in memory.

    docs/metrics.md shows each kind of source.

    Parameters
    ----------
    source : path, sequence of paths, mapping, data frame or MeasureTable
        A table of systems × measures, a long table, output of trec_eval or ir_measures (a file or a folder), or a
        folder of topics × systems tables, one per measure; or a mapping of scores by measure, or data in memory.
    measures : sequence of str, optional
        Only these measures, in this order and in any common spelling.
    format, columns, where, on_duplicate : optional
        As in `read_scores`: the format, the header of each column by its role, the rows to keep, and what becomes of
        several scores of a system on a topic.
    on_missing : {"error", "intersect", "zero", "keep"}, default "error"
        What becomes of systems, topics or scores that some measure lacks: an error that lists them, or they are left
        out, or they score 0, or stay missing (NaN), for `correlate_measures(…, on_missing="pairwise")`.
    name : str, optional
        The collection's name; by default that of the file or folder.

    Returns
    -------
    MeasureTable
        Systems × measures, and topics × systems × measures where there are topics.

    Raises
    ------
    BadFile
        If a file cannot be read or understood; its subclasses name the cause, and messages the file and line.
    MismatchedNames, MissingScores
        If measures do not score the same systems and topics and `on_missing` is "error".
    UnknownMeasure
        If one of `measures` is not there.

    Examples
    --------
    >>> read_measures({"AP": {"bm25": 0.3, "dense": 0.4}, "RR": {"bm25": 0.7, "dense": 0.8}}, name="toy")
    <MeasureTable toy: 2 systems × 2 measures>
    """
    if isinstance(source, MeasureTable):
        table = source if name is None else replace(source, name=name)
    elif isinstance(source, Mapping):
        table = MeasureTable.of(source, name=name or "scores", on_missing=on_missing)
    elif is_paths(source) or is_frame(source):
        title = name or _title(source)
        scores = read_every_measure(source, format=format, columns=columns, where=where, on_duplicate=on_duplicate)
        table = MeasureTable.of(scores, name=title, on_missing=on_missing)
    else:
        raise BadParameter(
            f"{type(source).__name__} is not a table of measures; give a path, a data frame, or a mapping of scores by "
            "measure"
        )
    return table if measures is None else table.select(measures)


def read_collections(
    sources: object, *, measures: Sequence[str] | None = None, on_missing: OrPairwise = "error", pairs: bool = False
) -> tuple[MeasureTable, ...]:
    """One or several collections with the same measures in the same order; names are made to differ.

    They have gaps only with "pairwise", which is for callers that look at `pairs` of measures.
    """
    if on_missing == "pairwise" and not pairs:
        raise BadParameter(
            "on_missing='pairwise' is for correlations, each between two measures; here every measure must have every "
            f"score: {WAYS_OUT}"
        )
    check_choice("on_missing", on_missing, OR_PAIRWISE if pairs else IF_MISSING)
    listed: Sequence[object] = sources if isinstance(sources, list | tuple) else [sources]
    if not listed:
        raise BadParameter("there are no collections; give at least one")
    gaps: OrKeep = "keep" if on_missing == "pairwise" else on_missing
    tables = [read_measures(source, measures=measures, on_missing=gaps) for source in listed]
    if on_missing != "pairwise":
        tables = [table.fill(on_missing) for table in tables]
    tables = [tables[0], *(_with_measures_of(tables[0], table) for table in tables[1:])]
    return tuple(replace(table, name=name) for table, name in zip(tables, _distinct(tables), strict=True))


def _assembled(read: Mapping[str, Scores], name: str, on_missing: OrKeep, left_out: tuple[str, ...]) -> MeasureTable:
    _check_all_named(read, name)
    systems = _shared("system", {label: each.systems for label, each in read.items()}, name, on_missing)
    matrices = {label: each for label, each in read.items() if isinstance(each, ScoreMatrix)}
    topics: tuple[str, ...] | None = None
    if matrices:
        topics = _shared("topic", {label: each.topics for label, each in matrices.items()}, name, on_missing)
    # What a measure lacks was refused before, or scores zero, or stays missing.
    lacking = np.nan if on_missing == "keep" else 0.0
    cells = np.stack([reindexed(scores, systems, topics, lacking=lacking).values for scores in read.values()], axis=-1)
    cells, systems, topics = _without_gaps(cells, tuple(read), systems, topics, name, on_missing)
    return _of_cells(cells, tuple(read), systems, topics, name, left_out)


def _of_cells(
    cells: Floats,
    measures: tuple[str, ...],
    systems: tuple[str, ...],
    topics: tuple[str, ...] | None,
    name: str,
    left_out: tuple[str, ...],
) -> MeasureTable:
    """The table of systems × measures, or of topics × systems × measures with their means."""
    if topics is None:
        return MeasureTable(name=name, systems=systems, measures=measures, values=cells, left_out=left_out)
    means = np.column_stack([_means(np.ascontiguousarray(cells[:, :, m])) for m in range(len(measures))])
    return MeasureTable(
        name=name, systems=systems, measures=measures, values=means, topics=topics, by_topic=cells, left_out=left_out
    )


def _means(cells: Floats) -> Floats:
    """The mean of each system over topics; NaN where a score is missing."""
    whole = ~np.isnan(cells).any(axis=0)
    means = np.full(cells.shape[1], np.nan)
    means[whole] = exact_means(np.ascontiguousarray(cells[:, whole]))
    return means


def _check_all_named(read: Mapping[str, Scores], name: str) -> None:
    for kind in ("systems", "topics"):
        named = {label: getattr(each, f"{kind}_named", True) for label, each in read.items()}
        if len(set(named.values())) > 1:
            without = [label for label, has in named.items() if not has]
            raise UnnamedData(
                f"{name}: {some(without)} does not name its {kind} and others do, so that they cannot be matched; name "
                "them for every measure"
            )
        if kind == "systems" and not any(named.values()):
            sizes = {label: len(each.systems) for label, each in read.items()}
            if len(set(sizes.values())) > 1:
                listed = ", ".join(f"{label} {size}" for label, size in sizes.items())
                raise MismatchedNames(
                    f"{name}: systems have no names and their numbers differ ({listed}); name the systems"
                )


def _shared(what: str, names: Mapping[str, tuple[str, ...]], title: str, on_missing: OrKeep) -> tuple[str, ...]:
    first = next(iter(names.values()))
    every = dict.fromkeys(label for each in names.values() for label in each)
    common = set(first).intersection(*map(set, names.values()))
    if len(common) == len(every):
        return first
    if on_missing == "error":
        short = next(label for label, each in names.items() if len(set(each)) < len(every))
        lacking = [label for label in every if label not in set(names[short])]
        raise MismatchedNames(
            f"{title}: not all measures score the same {what}s; {short} lacks {some(lacking)} of {len(every)}; "
            f"{WAYS_OUT}"
        )
    if on_missing in ("zero", "keep"):
        return tuple(every)
    if not common:
        raise MismatchedNames(f"{title}: no {what} is scored by all measures; check that all name their {what}s alike")
    return tuple(label for label in first if label in common)


def _without_gaps(
    cells: Floats,
    measures: tuple[str, ...],
    systems: tuple[str, ...],
    topics: tuple[str, ...] | None,
    title: str,
    on_missing: OrKeep,
) -> tuple[Floats, tuple[str, ...], tuple[str, ...] | None]:
    """Cells with gaps filled by zeros, or without the rows that have one; or an error that lists the first gaps."""
    gaps = np.argwhere(np.isnan(cells))
    if not len(gaps) or on_missing == "keep":
        return np.ascontiguousarray(cells), systems, topics
    if on_missing == "zero":
        return np.nan_to_num(cells, nan=0.0), systems, topics
    if on_missing == "error":
        listed = []
        for gap in gaps[:3]:
            topic = f" on topic {topics[gap[0]]}" if topics is not None else ""
            listed.append(f"{measures[gap[-1]]} of {systems[gap[-2]]}{topic}")
        more = f" and {len(gaps) - 3} more" if len(gaps) > 3 else ""
        raise MissingScores(
            f"{title}: {len(gaps)} of {cells.size} scores are missing: {', '.join(listed)}{more}; {WAYS_OUT}"
        )
    # Topics that lack a score go first, as they do in every table of scores; systems where there are no topics.
    whole = np.flatnonzero(~np.isnan(cells).any(axis=tuple(range(1, cells.ndim))))
    if not len(whole):
        what = "system" if topics is None else "topic"
        raise MissingScores(f"{title}: every {what} lacks some score; drop the measures with most gaps")
    if topics is None:
        return np.ascontiguousarray(cells[whole]), tuple(systems[i] for i in whole), None
    return np.ascontiguousarray(cells[whole]), systems, tuple(topics[i] for i in whole)


def _with_measures_of(first: MeasureTable, other: MeasureTable) -> MeasureTable:
    """The other table with the first's measures, in its order and spelling."""
    matches = {measure: matching(measure, other.measures) for measure in first.measures}
    lacking = [measure for measure, names in matches.items() if len(names) != 1]
    used = {name for names in matches.values() for name in names}
    spare = [measure for measure in other.measures if measure not in used]
    if not lacking and not spare:
        return replace(other.select([names[0] for names in matches.values()]), measures=first.measures)
    differences = [f"only {t.name} has {some(names)}" for t, names in ((first, lacking), (other, spare)) if names]
    raise MismatchedNames(
        f"{first.name} and {other.name} have different measures: {'; '.join(differences)}; "
        "choose those that both have, measures=[…] (--measures)"
    )


def _distinct(tables: Sequence[MeasureTable]) -> list[str]:
    """Names, numbered where different tables share one; the same table twice keeps its name."""
    known: dict[str, list[MeasureTable]] = {}
    numbers = []
    for table in tables:
        others = known.setdefault(table.name, [])
        same = [np.array_equal(other.values, table.values, equal_nan=True) for other in others]
        again = same.index(True) if any(same) else None
        if again is None:
            others.append(table)
        numbers.append(len(others) if again is None else again + 1)
    return [
        table.name if len(known[table.name]) == 1 else f"{table.name} ({number})"
        for table, number in zip(tables, numbers, strict=True)
    ]


def _title(source: object) -> str:
    if isinstance(source, str | os.PathLike):
        return system_name(PurePath(os.fspath(source)).name) or os.fspath(source)
    return "scores"
