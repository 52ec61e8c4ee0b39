"""Two sides of scores with the same systems and topics, matched by name."""

from __future__ import annotations

from typing import Any, Literal, cast, get_args

import numpy as np

from rankscope.checks import check_choice
from rankscope.errors import MismatchedNames, MissingScores, UnnamedData, nothing_in_common, some, spelled_alike
from rankscope.missing import WAYS_OUT, Policy, parse_on_missing
from rankscope.results import RemarkKind
from rankscope.scores import (
    OnMissing,
    ScoreMatrix,
    Scores,
    SystemScores,
    left_out_remark,
    read_only,
    with_fields,
    without_gaps,
)

Topics = Literal["paired", "independent"]
# "auto" is paired where topics are shared, and independent where none is.
AnyTopics = Literal["auto", "paired", "independent"]
TOPICS: tuple[Topics, ...] = get_args(Topics)
ANY_TOPICS: tuple[AnyTopics, ...] = get_args(AnyTopics)


def align(
    truth: Scores, estimate: Scores, *, on_missing: OnMissing = "error", topics: Topics = "paired"
) -> tuple[Scores, Scores]:
    """Both sides with the same systems, and the same topics where both have topics (`rs.align`, for scores)."""
    policy = parse_on_missing(on_missing)
    check_choice("topics", topics, TOPICS)
    if policy.fit is None:
        truth, estimate = truth.fill(on_missing), estimate.fill(on_missing)
    else:  # what is left out comes first, and the fit is of what both sides share
        truth, estimate = without_gaps(truth, policy), without_gaps(estimate, policy)
    sides = _title(truth, "the truth"), _title(estimate, "the estimate")
    named = _named(truth, estimate, "systems", sides)
    systems = _shared("system", truth.systems, estimate.systems, named, sides, policy)
    shared: tuple[str, ...] | None = None
    if topics == "paired" and isinstance(truth, ScoreMatrix) and isinstance(estimate, ScoreMatrix):
        named = _named(truth, estimate, "topics", sides)
        shared = _shared("topic", truth.topics, estimate.topics, named, sides, policy)
    aligned = _matched(truth, systems, shared), _matched(estimate, systems, shared)
    return aligned if policy.fit is None else (aligned[0].fill(policy.ending), aligned[1].fill(policy.ending))


def align_alike(truth: Scores, estimate: Scores) -> tuple[Scores, Scores]:
    """Both sides aligned, for functions without options for what differs: their errors name the function that has."""
    try:
        return align(truth, estimate)
    except (MismatchedNames, MissingScores) as error:
        raise type(error)(f"{error}; these are options of rs.align, whose two sides can be given here") from None


def _matched(scores: Scores, systems: tuple[str, ...], topics: tuple[str, ...] | None) -> Scores:
    """Scores of what both sides share, with a remark on what only this side has."""
    kinds: tuple[tuple[RemarkKind, tuple[str, ...], tuple[str, ...]], ...] = (
        ("systems left out", scores.systems, systems),
        ("topics left out", scores.topics if isinstance(scores, ScoreMatrix) and topics else (), topics or ()),
    )
    remarks = []
    for kind, own, kept in kinds:
        names = set(kept)
        alone = [name for name in own if name not in names]
        if alone:
            remarks.append(left_out_remark(kind, scores.name, alone, len(own), "one side only"))
    matched: Any = reindexed(scores, systems, topics)
    return cast("Scores", with_fields(matched, left_out=(*scores.left_out, *remarks)))


def pairing(truth: Scores, estimate: Scores, topics: AnyTopics) -> Topics:
    """Whether the sides' topics are the same or two samples: as asked for, or by their names.

    Topics that differ in spelling alone are paired, and refused by `align`.
    """
    check_choice("topics", topics, ANY_TOPICS)
    if topics != "auto":
        return topics
    if not (isinstance(truth, ScoreMatrix) and isinstance(estimate, ScoreMatrix)):
        return "paired"
    if not (truth.topics_named and estimate.topics_named) or not truth.topics or not estimate.topics:
        return "paired"
    shared = not set(truth.topics).isdisjoint(estimate.topics)
    return "paired" if shared or spelled_alike(truth.topics, estimate.topics) is not None else "independent"


def _title(scores: Scores, role: str) -> str:
    return role if scores.name is None else f"{role} ({scores.name})"


def _named(truth: Scores, estimate: Scores, kind: str, sides: tuple[str, str]) -> bool:
    named = getattr(truth, f"{kind}_named"), getattr(estimate, f"{kind}_named")
    if named[0] != named[1]:
        with_names, without = sides if named[0] else sides[::-1]
        raise UnnamedData(
            f"{with_names} names its {kind} and {without} does not, so they cannot be matched; "
            f"give both sides names (a header row, a topic column), or neither{_two_samples(kind.removesuffix('s'))}"
        )
    return bool(named[0])


def _shared(
    what: str,
    first: tuple[str, ...],
    second: tuple[str, ...],
    named: bool,
    sides: tuple[str, str],
    policy: Policy,
) -> tuple[str, ...]:
    if not named:
        if len(first) != len(second):
            raise MismatchedNames(
                f"{sides[0]} has {len(first)} {what}s and {sides[1]} has {len(second)}, and neither names them; "
                f"name the {what}s on both sides so that they can be matched{_two_samples(what)}"
            )
        return first
    known_first, known_second = set(first), set(second)
    only_first = [name for name in first if name not in known_second]
    only_second = [name for name in second if name not in known_first]
    if policy.ending == "zero":
        return first + tuple(only_second)
    shared = tuple(name for name in first if name in known_second)
    if not shared:
        raise nothing_in_common(what, sides, first, second, _two_samples(what))
    if (only_first or only_second) and policy.ending == "error":
        differences = [
            f"{len(only)} of {len(all_names)} {what}s only in {side}: {some(only)}"
            for only, all_names, side in ((only_first, first, sides[0]), (only_second, second, sides[1]))
            if only
        ]
        raise MismatchedNames(f"{'; '.join(differences)}; {WAYS_OUT}{_two_samples(what)}")
    return shared


def _two_samples(what: str) -> str:
    """The way out that topics have and systems do not."""
    return ", or topics='independent' (--topics independent) for two samples of topics" if what == "topic" else ""


def reindexed(
    scores: Scores, systems: tuple[str, ...], topics: tuple[str, ...] | None = None, *, lacking: float = 0.0
) -> Scores:
    """The scores of these systems, and of these topics or its own, in this order; `lacking` for those it lacks."""
    column = {name: position for position, name in enumerate(scores.systems)}
    known = np.array([s in column for s in systems], dtype=bool)
    source = np.array([column.get(s, 0) for s in systems], dtype=np.intp)
    if known.all() and isinstance(scores, ScoreMatrix) and set(topics or ()) <= set(scores.topics):
        return scores.select(systems=systems, topics=topics)
    if isinstance(scores, SystemScores):
        values = np.where(known, scores.given[source], lacking)
        errors = None if scores.standard_errors is None else np.where(known, scores.standard_errors[source], np.nan)
        given = read_only(values, "a leaderboard", dimensions=1)
        return with_fields(scores, given=given, systems=systems, standard_errors=errors)
    topics = scores.topics if topics is None else topics
    row = {name: position for position, name in enumerate(scores.topics)}
    known_topics = np.array([t in row for t in topics], dtype=bool)
    source_topics = np.array([row.get(t, 0) for t in topics], dtype=np.intp)
    values = np.where(np.outer(known_topics, known), scores.given[np.ix_(source_topics, source)], lacking)
    return with_fields(
        scores, given=read_only(values, "a score matrix", dimensions=2), systems=systems, topics=tuple(topics)
    )
