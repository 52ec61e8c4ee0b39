"""`read_runs`: files of runs → RunSet."""

from __future__ import annotations

import os
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from rankscope.checks import check_choice, check_jobs
from rankscope.errors import (
    BadFile,
    BadParameter,
    BinaryFile,
    DuplicateDocument,
    DuplicateSystem,
    NotANumber,
    RaggedRow,
    SkippedFile,
    UnrecognisedFormat,
    some,
)
from rankscope.files.fingerprints import recording
from rankscope.files.json_runs import is_json_object, run_lines
from rankscope.files.overwriting import note_input
from rankscope.files.run_cache import RunCache
from rankscope.files.run_pool import Pools, Ranked
from rankscope.files.sources import PathLike, find_files, system_name
from rankscope.files.text import raw_bytes, read_bytes
from rankscope.files.trec_lines import Kind, Lines, grouped, read_lines
from rankscope.files.wrong_kind import is_no_run
from rankscope.runs import Positions, RunSet

NameFrom = Literal["file", "tag"]
Ties = Literal["id", "rank"]
OnDuplicate = Literal["error", "first", "best"]
NAME_FROM: tuple[NameFrom, ...] = get_args(NameFrom)
TIES: tuple[Ties, ...] = get_args(Ties)
ON_DUPLICATE: tuple[OnDuplicate, ...] = get_args(OnDuplicate)

Progress = Callable[[int, int], None]

# What reading a file of another kind as a run raises.
_OTHER_KINDS = (BinaryFile, NotANumber, RaggedRow, UnrecognisedFormat)


def read_runs(
    paths: PathLike | Sequence[PathLike],
    *,
    name: NameFrom = "file",
    ties: Ties = "id",
    on_duplicate: OnDuplicate = "error",
    cache: PathLike | bool | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> RunSet:
    r"""Read runs: one file each, lines of topic, Q0, document, rank, score, tag, or JSON as of ranx.

    Documents are ranked as trec_eval ranks them: by score descending, in single precision; then by document name
    descending, byte by byte; the rank column is ignored. Among several files, those that are not runs, such as a
    README, are left out with a `SkippedFile` warning; a damaged run is an error.

    Parameters
    ----------
    paths : path or sequence of paths
        A file, a folder, a pattern such as `runs/*.gz`, or a list of these.
    name : {"file", "tag"}, default "file"
        Whether a system is called by its file's name, without endings such as `.run` and `.gz`, or by its tag.
    ties : {"id", "rank"}, default "id"
        What decides among equal scores: the document's name, as in trec_eval, or the rank column.
    on_duplicate : {"error", "first", "best"}, default "error"
        What becomes of a document that comes twice for a topic: an error, or its first line counts, or its best.
    cache : path or bool, optional
        A folder for what was read, or True for one beside the input. Reading the same content again with the same
        options is then faster.
    jobs : int, optional
        The number of threads, by default one per core; the result does not depend on it.
    progress : callable, optional
        Called with the number of files read so far and the number of all.

    Returns
    -------
    RunSet
        The rankings, systems in the order of their files.

    Raises
    ------
    DuplicateDocument
        If a run retrieves a document twice for a topic and `on_duplicate` is "error".
    DuplicateSystem
        If two files would give systems of the same name.
    BadFile
        If a file cannot be read or understood; its subclasses name the cause, and messages the line.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "bm25.run").write_text("301 Q0 d1 1 9.5 x\n301 Q0 d2 2 9.7 x\n")
    ...     read_runs(folder).retrieved("bm25", "301")
    ['d2', 'd1']
    """
    check_choice("name", name, NAME_FROM)
    check_choice("ties", ties, TIES)
    check_choice("on_duplicate", on_duplicate, ON_DUPLICATE)
    workers = check_jobs(jobs) or os.cpu_count() or 1
    if isinstance(paths, list | tuple) and not paths:
        raise BadParameter("an empty list holds no runs; give at least one file")
    files = find_files(paths)
    for path in files.paths:  # here and not in the threads that read them, nor where a cache saves reading
        note_input(path)
    names = [system_name(str(path)) for path in files.paths] if name == "file" else None
    if names is not None:
        _check_systems(files.paths, names)
    kept = None
    # What comes through a pipe can be read once only, and not for a key first.
    if cache is not None and cache is not False and all(path.is_file() for path in files.paths):
        kept = RunCache.at(cache, files.paths, names, (name, ties, on_duplicate))
    if kept is None:
        return _read(files.paths, files.name, names, ties, on_duplicate, workers, progress)
    with recording() as seen, ThreadPoolExecutor(workers) as pool:
        for read in [pool.submit(copy_context().run, raw_bytes, path) for path in files.paths]:
            read.result()
    cached = kept.load(seen.digests(files.paths), files.name)
    if cached is not None:
        if progress is not None:
            progress(len(files.paths), len(files.paths))
        return cached
    # A file may have changed since: what is kept goes by the content that was parsed.
    with recording() as seen:
        runs = _read(files.paths, files.name, names, ties, on_duplicate, workers, progress)
    if len(runs.systems) == len(files.paths):  # else the next reader would not be told of the files left out
        kept.save(seen.digests(files.paths), runs)
    return runs


def _read(
    paths: Sequence[Path],
    title: str,
    names: Sequence[str] | None,
    ties: Ties,
    on_duplicate: OnDuplicate,
    workers: int,
    progress: Progress | None,
) -> RunSet:
    kind = Kind(
        "a run",
        "run",
        "lines of topic, Q0, document, rank, score, tag",
        width=6,
        number=4,
        number_name="score",
        rank=3 if ties == "rank" else -1,
        tag=5 if names is None else -1,
        single=True,
        infinite=True,
    )

    def read(path: Path) -> Ranked | BadFile:
        data = read_bytes(path)
        try:
            lines = run_lines(data, path) if is_json_object(data) else data
            return _ranked(read_lines(path, kind, lines), on_duplicate)
        except _OTHER_KINDS as error:
            damaged = isinstance(error, NotANumber) and is_json_object(data)
            if len(paths) > 1 and path.is_file() and is_no_run(data) and not damaged:
                return error
            raise

    pools, systems, read_paths = Pools(), [], []
    others: list[tuple[Path, BadFile]] = []
    for i, run in enumerate(_in_order(read, paths, workers)):
        if isinstance(run, BadFile):
            others.append((paths[i], run))
        else:
            pools.enter(run)
            read_paths.append(paths[i])
            systems.append(str(run.lines.tag) if names is None else names[i])
        if progress is not None:
            progress(i + 1, len(paths))
    if not read_paths:
        raise others[0][1]
    if others:
        which = "is not a run and was" if len(others) == 1 else "are not runs and were"
        warnings.warn(f"{some([str(path) for path, _ in others])} {which} left out", SkippedFile, stacklevel=3)
    if names is None:
        _check_systems(read_paths, systems)
    return pools.run_set(systems, title)


def _in_order(
    read: Callable[[Path], Ranked | BadFile], paths: Sequence[Path], workers: int
) -> Iterator[Ranked | BadFile]:
    """Runs in the order of their files, a few read ahead, so that few texts are in memory at once."""
    if workers == 1 or len(paths) == 1:
        yield from map(read, paths)
        return
    waiting: deque[Future[Ranked | BadFile]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        try:
            for path in paths:
                waiting.append(pool.submit(copy_context().run, read, path))
                if len(waiting) > workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _ranked(lines: Lines, on_duplicate: OnDuplicate) -> Ranked:
    """The rows of a run, each topic's best first, with no document twice."""
    from rankscope.kernels.run_text import Entries, arrange

    order, ends, first = grouped(lines)
    again = np.flatnonzero(first != np.arange(len(first)))
    if len(again) and on_duplicate == "error":
        raise _duplicate(lines, int(again[0]), int(first[again[0]]))
    if len(again) and on_duplicate == "first":
        order, ends = _without(order, ends, first[order] != order)
    # A number too great for single precision is infinite there, as in C.
    with np.errstate(over="ignore"):
        scores = lines.numbers.astype(np.float32)
    spare = np.empty(np.diff(ends).max(), np.int64)
    arrange(Entries(lines.text, lines.starts, lines.lengths, scores, lines.ranks), order, ends, spare)
    if len(again) and on_duplicate == "best":
        worse = np.ones(len(order), dtype=np.bool_)
        worse[np.unique(first[order], return_index=True)[1]] = False
        order, ends = _without(order, ends, worse)
    return Ranked(lines, order, ends)


def _without(
    order: Positions, ends: Positions, dropped: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> tuple[Positions, Positions]:
    before = np.concatenate([[0], np.cumsum(~dropped)])
    return order[~dropped], before[ends]


def _duplicate(lines: Lines, row: int, first: int) -> DuplicateDocument:
    topic = lines.topics[lines.topic_of[row]]
    problem = (
        f"document {lines.document(row)!r} is on line {lines.line_of(first)} already for topic {topic!r}; remove one, "
        "or keep the first or the best (on_duplicate, --on-duplicate)"
    )
    return DuplicateDocument(lines.path, problem, line=lines.line_of(row))


def _check_systems(paths: Sequence[Path], names: Sequence[str]) -> None:
    known: dict[str, Path] = {}
    for path, name in zip(paths, names, strict=True):
        if name in known and path.absolute() == known[name].absolute():
            raise DuplicateSystem(path, "this run is given twice; give it once")
        if name in known:
            raise DuplicateSystem(
                path, f"{known[name]} gives a system {name!r}, too; rename one of the two, or give only one"
            )
        known[name] = path
