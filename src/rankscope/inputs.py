"""What functions accept for scores, runs and judgments, and one conversion for each.

Wherever an object is accepted, so is where to read it from: a path, a folder, a pattern or a list of paths. The public
functions of lower layers, which know no files, are here with these conversions.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rankscope import alignment, files
from rankscope import runs as run_sets
from rankscope.alignment import Topics
from rankscope.battles import Battles
from rankscope.errors import BadParameter, MissingScores
from rankscope.files.frames import is_frame
from rankscope.files.sources import is_paths
from rankscope.measure_names import measure_label
from rankscope.runs import Coverage, JudgedRuns, Judgments, JudgmentSample, RunSet
from rankscope.scores import OnMissing, ScoreMatrix, Scores, SystemScores

if TYPE_CHECKING:
    import numpy.typing as npt
    from narwhals.typing import IntoDataFrame

    from rankscope.files import WriteFormat

PathLike: TypeAlias = str | os.PathLike[str]
ScoresLike: TypeAlias = (
    "Scores | Battles | PathLike | Sequence[PathLike] | Mapping[str, Any] | IntoDataFrame | npt.ArrayLike"
)
RunsLike: TypeAlias = "RunSet | PathLike | Sequence[PathLike] | Mapping[str, Mapping[str, Sequence[str]]]"
JudgmentsLike: TypeAlias = "Judgments | PathLike | Mapping[str, Mapping[str, float]] | IntoDataFrame"
SampleLike: TypeAlias = "JudgmentSample | PathLike"
# Labels may also be words, and items need no topics: {item: label}.
LabelsLike: TypeAlias = "JudgmentsLike | Mapping[str, Mapping[str, float | str]] | Mapping[str, float | str]"
# One judge or several; a mapping is of judges by name.
JudgesLike: TypeAlias = "Judgments | PathLike | IntoDataFrame | Sequence[JudgmentsLike] | Mapping[str, JudgmentsLike]"
LabellersLike: TypeAlias = "Judgments | PathLike | IntoDataFrame | Sequence[LabelsLike] | Mapping[str, LabelsLike]"


def to_scores(source: ScoresLike) -> Scores:
    """Scores as they are, or converted by `read_scores`; missing ones stay missing (NaN).

    >>> to_scores({"bm25": 0.2, "dense": 0.3}).systems
    ('bm25', 'dense')
    """
    if isinstance(source, ScoreMatrix | SystemScores):
        return source
    if isinstance(source, Battles):
        return source.scores()
    return files.read_scores(source, on_missing="keep")


def to_named_scores(
    sources: Iterable[ScoresLike], *, measure: str | None = None, systems: Sequence[str] = ()
) -> list[Scores]:
    """Scores, with names where a source is a mapping from names to scores: {"umbrela": scores}.

    A mapping from systems to their scores, or to those by topic, is scores itself. Where a mapping of mappings could be
    either, the names of `systems` decide: those of the other side. `measure` is the one to read where there are
    several; scores of another measure are an error.

    >>> [scores.name for scores in to_named_scores([{"a": 0.5, "b": 0.4}, {"llm": {"a": 0.5, "b": 0.4}}], systems="ab")]
    [None, 'llm']
    """
    named: list[tuple[str | None, Any]] = []
    for source in sources:
        if isinstance(source, Mapping) and _is_of_names(source, systems):
            named += [(str(name), scores) for name, scores in source.items()]
        else:
            named.append((None, source))
    return [_measured(name, source, measure) for name, source in named]


def one_named(source: ScoresLike, *, measure: str | None = None) -> Scores:
    """One side's scores, with their name if the source is a mapping of one name."""
    scores, *others = to_named_scores([source], measure=measure)
    if others:
        raise BadParameter(f"there are scores under {len(others) + 1} names where one side's belong; give one")
    return scores


def _is_of_names(source: Mapping[Any, Any], systems: Sequence[str]) -> bool:
    """Whether a mapping has scores by name, and not by system."""
    parts = list(source.values())
    if not parts or any(isinstance(part, float | int | np.number) or part is None for part in parts):
        return False
    if not all(isinstance(part, Mapping) for part in parts):
        return True
    inner = [key for part in parts for key in part]
    deeper = any(isinstance(value, Mapping) for part in parts for value in part.values())
    return deeper or (not set(source) & set(systems) and bool(set(inner) & set(systems)))


def _measured(name: str | None, source: Any, measure: str | None) -> Scores:
    if measure is None or isinstance(source, ScoreMatrix | SystemScores | Battles):
        scores = to_scores(source)
        if measure is not None and scores.measure and measure_label(scores.measure) != measure_label(measure):
            called = name or scores.name or "scores"
            raise BadParameter(f"{called}: the measure of these scores is {scores.measure}, not {measure}")
    else:
        scores = files.read_scores(source, measure=measure, on_missing="keep")
    return scores if name is None else scores.renamed(name)


def to_matrix(source: ScoresLike, why: str) -> ScoreMatrix:
    """Scores by topic; `why` they are needed ends the error that a leaderboard raises.

    >>> to_matrix([[0.2, 0.3], [0.4, 0.1]], "a paired test compares systems topic by topic")
    <ScoreMatrix: 2 topics × 2 systems>
    """
    scores = to_scores(source)
    if not isinstance(scores, ScoreMatrix):
        called = "these are" if scores.name is None else f"{scores.name}:"
        raise MissingScores(f"{called} scores without topics; {why}. Give scores by topic")
    return scores


def to_runs(source: RunsLike, *, jobs: int | None = None) -> RunSet:
    """Runs as they are, from a mapping of system → topic → documents, or read from files.

    >>> to_runs({"bm25": {"1": ["d1"]}}).systems
    ('bm25',)
    """
    if isinstance(source, RunSet):
        return source
    if isinstance(source, Mapping):
        return RunSet.of(source)
    if not isinstance(source, list | tuple) and not is_paths(source):
        raise BadParameter(
            f"{type(source).__name__} is not a set of runs; give a RunSet, a path or list of paths, or a mapping "
            "{system: {topic: documents}}"
        )
    return files.read_runs(source, jobs=jobs)


def to_judgments(source: LabelsLike, *, bare: bool = False) -> Judgments:
    """Judgments as they are, from a mapping of topic → document → grade or a data frame, or read from a file.

    With `bare`, labels may be words, and items may lack topics.

    >>> to_judgments({"1": {"d1": 2}}).topics
    ('1',)
    >>> to_judgments({"a": "yes", "b": "no"}, bare=True).words
    ('no', 'yes')
    """
    if isinstance(source, Judgments):
        if source.words is not None and not bare:
            words = ", ".join(map(repr, source.words[:3]))
            raise BadParameter(f"the labels are words ({words}), and grades are needed; read them with grades={{…}}")
        return source
    if isinstance(source, Mapping):
        grades: Any = source
        return Judgments.of(grades) if not bare else _bare_judgments(grades)
    if isinstance(source, str | os.PathLike):
        return files.read_judgments(source, bare=bare)
    if not is_frame(source):
        raise BadParameter(
            f"{type(source).__name__} is not judgments; give Judgments, a path, a mapping "
            "{topic: {document: grade}}, or a data frame with columns topic, document and grade"
        )
    return files.frame_judgments(source, bare=bare)


def to_sample(source: SampleLike) -> JudgmentSample:
    """A probability sample of judgments as it is, or read from a file."""
    if isinstance(source, JudgmentSample):
        return source
    if not isinstance(source, str | os.PathLike):
        raise BadParameter(
            f"{type(source).__name__} is not a sample of judgments; give a JudgmentSample (JudgmentSample.of makes one "
            "from a mapping) or a path"
        )
    return files.read_sample(source)


def _bare_judgments(labels: Mapping[str, Any]) -> Judgments:
    """Judgments from {topic: {item: label}} or {item: label}; labels may be words."""
    nested = all(isinstance(items, Mapping) for items in labels.values())
    by_topic: dict[str, Mapping[str, Any]]
    by_topic = dict(labels) if nested else {str(item): {str(item): label} for item, label in labels.items()}
    given = [label for items in by_topic.values() for label in items.values()]
    if not any(isinstance(label, str) for label in given):
        return replace(Judgments.of(by_topic), without_topics=not nested)
    words = tuple(sorted({str(label) for label in given if not _is_nan(label)}))
    code = {word: float(i) for i, word in enumerate(words)}
    coded = {
        topic: {item: code.get(str(label), math.nan) for item, label in items.items()}
        for topic, items in by_topic.items()
    }
    return replace(Judgments.of(coded), words=words, without_topics=not nested)


def _is_nan(label: object) -> bool:
    return label is None or (isinstance(label, float) and math.isnan(label))


def to_judges(source: LabellersLike, *, bare: bool = False) -> dict[str, Judgments]:
    """Judgments by the name of their judge: the key in a mapping, otherwise their own name or that of their file.

    >>> list(to_judges({"llm": {"1": {"d1": 2}}}))
    ['llm']
    """
    if isinstance(source, Mapping):
        judges = {str(name): to_judgments(judgments, bare=bare) for name, judgments in source.items()}
    else:
        several: Any = source if isinstance(source, list | tuple) else [source]
        read = [to_judgments(judgments, bare=bare) for judgments in several]
        judges = {judgments.name or f"judge {i + 1}": judgments for i, judgments in enumerate(read)}
        if len(judges) < len(read):
            raise BadParameter("two judges have the same name; give them as a mapping from name to judgments")
    if not judges:
        raise BadParameter("there is no judge; give at least one")
    return judges


def align(
    truth: ScoresLike, estimate: ScoresLike, *, on_missing: OnMissing = "error", topics: Topics = "paired"
) -> tuple[Scores, Scores]:
    """Give both sides the same systems, and the same topics where both have topics, in the truth's order.

    Names decide, never positions, unless neither side has names.

    Parameters
    ----------
    truth, estimate : ScoresLike
        The two sides.
    on_missing : str, default "error"
        What becomes of missing scores: "error", "intersect", "zero", "additive", "pairwise", "drop-systems=SHARE",
        "drop-topics=SHARE" or "connected", as in `read_scores`. Systems or topics that only one side has are an error
        that lists them with "error", score 0 on the other side with "zero", and are left out otherwise.
    topics : {"paired", "independent"}, default "paired"
        With "independent" each side keeps its own topics: two samples of them.

    Returns
    -------
    tuple of ScoreMatrix or SystemScores
        The truth and the estimate.

    Raises
    ------
    MismatchedNames
        If systems or topics are on one side only and `on_missing` is "error", or if the sides share none.
    UnnamedData
        If only one side has names.
    MissingScores
        If a score is missing and `on_missing` is "error".

    Examples
    --------
    >>> truth, estimate = align({"x": 0.3, "y": 0.2}, {"y": 0.1, "x": 0.9})
    >>> estimate.values.tolist()
    [0.9, 0.1]
    """
    return alignment.align(to_scores(truth), to_scores(estimate), on_missing=on_missing, topics=topics)


def join(runs: RunsLike, judgments: JudgmentsLike) -> JudgedRuns:
    """Find the judged documents in every ranking.

    All measures depend on these documents alone, so that what is joined once can be scored many times.

    Parameters
    ----------
    runs : RunsLike
        The rankings.
    judgments : JudgmentsLike
        The judgments; their topics are those of the result.

    Returns
    -------
    JudgedRuns
        Ranks and grades of the judged documents by topic and system.

    Raises
    ------
    MismatchedNames
        If runs and judgments share no topic.

    Examples
    --------
    >>> join({"bm25": {"301": ["d1", "d2", "d3"]}}, {"301": {"d3": 1, "d9": 1}}).ranks.tolist()
    [3]
    """
    return run_sets.join(to_runs(runs), to_judgments(judgments))


def coverage(runs: RunsLike, judgments: JudgmentsLike, *, joined: JudgedRuns | None = None) -> Coverage:
    """Find what runs and judgments do not share.

    Parameters
    ----------
    runs : RunsLike
        The rankings.
    judgments : JudgmentsLike
        The judgments.
    joined : JudgedRuns, optional
        The result of `join` for these runs and judgments, where it is at hand; it saves the search.

    Returns
    -------
    Coverage
        Topics on one side only, systems that lack topics, systems without a judged document.

    Raises
    ------
    MismatchedNames
        If runs and judgments share no topic.

    Examples
    --------
    >>> runs = {"a": {"1": ["d1"], "9": ["d1"]}, "b": {"1": ["d7"]}}
    >>> shared = coverage(runs, {"1": {"d1": 1}, "2": {"d1": 1}})
    >>> shared.judged_only, shared.run_only, shared.without_judged
    (('2',), ('9',), ('b',))
    """
    return run_sets.coverage(to_runs(runs), to_judgments(judgments), joined=joined)


def write_scores(
    scores: ScoresLike,
    path: PathLike,
    *,
    format: WriteFormat | None = None,  # noqa: A002  the word the user knows
) -> None:
    """Write scores so that `read_scores(path, on_missing="keep")` gives them back exactly.

    The ending of the path decides: `.csv` and `.tsv` hold a wide table or a leaderboard, `.jsonl` a long table,
    `.parquet` either; a further `.gz`, `.bz2` or `.zst` compresses. A wide table has no place for the measure's name;
    the other forms keep it. The file appears whole or not at all.

    Parameters
    ----------
    scores : ScoresLike
        The scores; a path converts from one format to another.
    path : path
        The file to write.
    format : {"wide", "long", "leaderboard", "parquet"}, optional
        "long" writes a long CSV or TSV; otherwise the ending and the scores decide.

    Raises
    ------
    UnwritableOutput
        If the file cannot be written, its ending says no format, or a name would not read back as it is.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> scores = SystemScores([0.31, 0.28], ["dense", "bm25"], measure="AP")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_scores(scores, Path(folder, "ap.csv.gz"))
    ...     files.read_scores(Path(folder, "ap.csv.gz")) == scores
    True
    """
    files.write_scores(to_scores(scores), path, format=format)


def write_runs(runs: RunsLike, folder: PathLike, *, ending: str = ".run") -> None:
    """Write each run to a file of its own.

    A file is named by its system, and so is the tag, with `_` for white space. Scores count down to 1 from the number
    of documents, so that every reader ranks them alike. Each file appears whole or not at all.

    Parameters
    ----------
    runs : RunsLike
        The runs.
    folder : path
        The folder for the files, made if need be.
    ending : str, default ".run"
        The ending of the files; `.run.gz`, `.run.bz2` and `.run.zst` compress.

    Raises
    ------
    UnwritableOutput
        If the folder or a file cannot be written, or a name cannot stand in a run or be a file's name.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_runs({"bm25": {"301": ["d2", "d1"]}}, folder)
    ...     files.read_runs(folder).retrieved("bm25", "301")
    ['d2', 'd1']
    """
    files.write_runs(to_runs(runs), folder, ending=ending)


def write_judgments(judgments: JudgmentsLike, path: PathLike) -> None:
    """Write judgments as lines of topic, 0, document, grade.

    Whole grades are written without a point. Topics without a judgment leave no trace. The file appears whole or not at
    all.

    Parameters
    ----------
    judgments : JudgmentsLike
        The judgments.
    path : path
        The file to write; the endings `.gz`, `.bz2` and `.zst` compress.

    Raises
    ------
    UnwritableOutput
        If the file cannot be written, a name holds white space, or a grade is not finite.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_judgments({"301": {"d1": 2, "d2": 0.5}}, Path(folder, "qrels.txt"))
    ...     Path(folder, "qrels.txt").read_text().splitlines()
    ['301 0 d1 2', '301 0 d2 0.5']
    """
    files.write_judgments(to_judgments(judgments), path)


def write_sample(sample: SampleLike, path: PathLike) -> None:
    """Write a probability sample of judgments as lines of topic, 0, document, grade, inclusion probability.

    A document without a label has `?` for its grade: the file that people fill in. The file appears whole or not at
    all.

    Parameters
    ----------
    sample : JudgmentSample or path
        The sample.
    path : path
        The file to write; the endings `.gz`, `.bz2` and `.zst` compress.

    Raises
    ------
    UnwritableOutput
        If the file cannot be written, or a name holds white space.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_sample(JudgmentSample.of({"301": {"d1": (2, 0.5), "d2": (None, 0.1)}}), Path(folder, "sample.qrels"))
    ...     Path(folder, "sample.qrels").read_text().splitlines()
    ['301 0 d1 2 0.5', '301 0 d2 ? 0.1']
    """
    files.write_sample(to_sample(sample), path)
