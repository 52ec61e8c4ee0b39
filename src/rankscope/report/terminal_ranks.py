"""The text of a ranking: who may be best, what can be distinguished, what more topics would do, and the leaderboard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankscope.aggregates import AGGREGATES
from rankscope.inference.rank_sets import FEWEST_RESAMPLED
from rankscope.report.blocks import Block, Heading, Sentence, text_table
from rankscope.report.numbers import counted, decimals, number_range, percent, score_digits
from rankscope.report.remarks import remark_sentences
from rankscope.report.text_tables import TextTable
from rankscope.report.theme import label

if TYPE_CHECKING:
    from rankscope.studies.ranks import Leaderboard, RankedSystem, Ranking, RankSet, SetKind

# Names in a sentence; the table has the others.
_NAMED = 8
# The fewest topics for which docs/coverage.md has the coverage of rank sets.
_FEWEST_TOPICS = 10
_OTHERS = {
    "typical": "For a claim about one system, use marginal sets; about all ranks at once, simultaneous sets.",
    "marginal": "They hold for one system at a time; for all ranks at once, use simultaneous sets.",
    "simultaneous": "They are wide; typical sets are right for as many systems on average, and narrower.",
}


def ranking(result: Ranking) -> list[Block]:
    """The text of a ranking: rank sets of all leaderboards side by side, and each of them with its answer."""
    level = float(result.settings["level"])
    said: list[Block] = []
    for board in result.leaderboards:
        said += [Heading(*_title(board)), *sentences(board, level), _table(board, result.kind)]
    said += remark_sentences(result.remarks)
    if len(result.leaderboards) > 1:
        said.append(_side_by_side(result))
    return [*said, promise(result.kind, level)]


def _title(board: Leaderboard) -> tuple[str, str]:
    over = counted(len(board.systems), "system")
    topics = " with standard errors" if board.topics is None else f" on {counted(board.topics, board.unit)}"
    return f"Ranks by {scored_by(board)}", over + topics


def scored_by(board: Leaderboard) -> str:
    """What ranks the systems: the measure, unless the aggregate is another than the mean or lower scores are better."""
    how = AGGREGATES[board.aggregate]
    text = label(board.label)
    if board.aggregate != "mean" and not board.label.endswith(how.label):
        text = f"{how.label} of {text}" if how.own_scale else f"{how.label} by {text}"
    return f"{text} (lower is better)" if board.lower_is_better else text


def sentences(board: Leaderboard, level: float) -> list[Sentence]:
    """Who may be best, how many levels can be distinguished, and what more topics would do."""
    best, systems = board.best, len(board.systems)
    named = ", ".join(label(name) for name in best[:_NAMED])
    named += f" and {len(best) - _NAMED} more" if len(best) > _NAMED else ""
    if len(best) == 1:
        text = f"{named} is the best system, with {percent(level)} confidence."
    else:
        text = f"{len(best)} of {systems} systems may be the best, with {percent(level)} confidence: {named}."
    said = [Sentence("best", text, {"may_be_best": len(best)})]
    text = "No two systems are significantly different."
    if board.levels > 1:
        text = (
            f"{board.levels} levels can be distinguished; systems that share a letter are not significantly different."
        )
    said.append(Sentence("levels", text, {"levels": board.levels} if board.levels > 1 else {}))
    return [*said, *_outlook(board)]


def _outlook(board: Leaderboard) -> list[Sentence]:
    """What more topics would do."""
    if board.topics is None or board.fit is not None:
        return []
    said, units = [], f"{board.unit}s"
    if board.outlook:
        width = board.mean_width()
        ahead = [f"{decimals(more.width, 1)} with {more.topics:,}" for more in board.outlook]
        text = f"A typical rank set spans {decimals(width, 1)} ranks with these {units}; expect {' and '.join(ahead)}."
        expected = {"widths": [more.width for more in board.outlook], "topics": [more.topics for more in board.outlook]}
        said.append(Sentence("outlook", text, {"width": width, **expected}))
    winner = label(board.systems[0].system)
    if len(board.best) > 1:
        text = f"No number of {units} is expected to single out {winner}, which ties with another system."
        if board.winner_topics is not None:
            text = f"About {board.winner_topics:,} {units} would single out {winner}, if it is as good as estimated."
        said.append(Sentence("winner", text, {"topics": board.winner_topics}))
    if board.topics < FEWEST_RESAMPLED:
        text = "Significance is by paired t-tests with Holm's correction, since resampling needs "
        text += f"{FEWEST_RESAMPLED} {units}; typical rank sets are resampled."
        said.append(Sentence("holm", text, {"fewest": FEWEST_RESAMPLED}))
    if board.topics < _FEWEST_TOPICS:
        text = (
            f"With fewer than {_FEWEST_TOPICS} {units}, no rank set is known to cover as it should (docs/coverage.md)."
        )
        said.append(Sentence("few topics", text, {"fewest": _FEWEST_TOPICS}))
    return said


def promise(kind: SetKind, level: float) -> Sentence:
    """Which kind of set is shown, what it promises, and what the others are for."""
    promises = {
        "typical": f"contain the true rank of {percent(level)} of the systems on average",
        "marginal": f"contain the true rank of any given system with {percent(level)} confidence",
        "simultaneous": f"contain the true ranks of all systems at once with {percent(level)} confidence",
    }
    return Sentence("kind", f"Rank sets are {kind}: they {promises[kind]}. {_OTHERS[kind]}", {"kind": kind})


def _table(board: Leaderboard, kind: SetKind) -> TextTable:
    columns = ("rank", "system", "score", "interval", "rank set", "P(best)", "may be best", "groups")
    digits = score_digits(entry.score for entry in board.systems)
    rows = [
        (
            rank_text(entry.rank),
            label(entry.system),
            decimals(entry.score, digits),
            "" if entry.interval is None else number_range(entry.interval.low, entry.interval.high, min(digits, 3)),
            set_text(entry.ranks(kind)),
            decimals(entry.best_probability),
            "yes" if entry.may_be_best else "",
            letters_text(entry.groups),
        )
        for entry in board.systems
    ]
    return text_table(
        columns, rows, right=("rank", "score", "rank set", "P(best)"), spare=("groups", "interval", "may be best")
    )


def _side_by_side(result: Ranking) -> TextTable:
    boards = result.leaderboards
    by_system = [{entry.system: entry for entry in board.systems} for board in boards]
    names = dict.fromkeys(name for entries in by_system for name in entries)
    rows = [
        (label(name), *(_ranked(entries[name], result.kind) if name in entries else "" for entries in by_system))
        for name in names
    ]
    columns = ("system", *(label(board.label) for board in boards))
    return text_table(columns, rows, title="Ranks and rank sets side by side")


def _ranked(entry: RankedSystem, kind: SetKind) -> str:
    return f"{rank_text(entry.rank)} ({set_text(entry.ranks(kind))})"


def rank_text(rank: float) -> str:
    """A rank, with a half where systems tie.

    >>> rank_text(3.0), rank_text(2.5)
    ('3', '2.5')
    """
    return f"{rank:g}"


def set_text(ranks: RankSet) -> str:
    """The ranks that a system may have: "2–7", or one rank."""
    return str(ranks.low) if ranks.low == ranks.high else f"{ranks.low}–{ranks.high}"


def letters_text(groups: str) -> str:
    """The letters of groups, three and more in a row as a range.

    >>> letters_text("abcde"), letters_text("ab"), letters_text("abdef"), letters_text("y,z,aa")
    ('a–e', 'ab', 'ab d–f', 'y–aa')
    """
    letters = groups.split(",") if "," in groups else list(groups)
    runs: list[list[str]] = []
    for letter in letters:
        if runs and _number(letter) == _number(runs[-1][-1]) + 1:
            runs[-1].append(letter)
        else:
            runs.append([letter])
    if all(len(run) <= 2 for run in runs):
        return groups
    comma = "," if "," in groups else ""
    return " ".join(f"{run[0]}–{run[-1]}" if len(run) > 2 else comma.join(run) for run in runs)


def _number(letter: str) -> int:
    """The number of a letter, from 1: a is 1, z is 26, aa is 27."""
    value = 0
    for character in letter:
        value = 26 * value + ord(character) - ord("a") + 1
    return value
