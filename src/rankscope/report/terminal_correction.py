"""The text of a correction: what the judge adds to the human topics, and the leaderboard by both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankscope.report.blocks import Block, Heading, Sentence, text_table
from rankscope.report.numbers import counted, decimals, number_range, percent, score_digits
from rankscope.report.remarks import remark_sentences
from rankscope.report.terminal_ranks import rank_text, set_text
from rankscope.report.text_tables import TextTable
from rankscope.report.theme import label
from rankscope.report.units import in_units, sentences_in_units

if TYPE_CHECKING:
    from rankscope.studies.correction import CorrectedLeaderboard, Correction

# A judge that adds less than this share to the human topics adds nothing worth the words.
NOTABLE = 1.05


def correction(result: Correction) -> list[Block]:
    """The text of a correction: for every judge what it adds, and the corrected leaderboard."""
    said: list[Block] = []
    for board in result.leaderboards:
        said += [Heading(*title(result, board)), *sentences(result, board), _table(result, board)]
    return [*said, *remark_sentences(result.remarks), _how_to_use(float(result.settings["level"]))]


def title(result: Correction, board: CorrectedLeaderboard) -> tuple[str, str]:
    """What was corrected, and over which data."""
    by = "" if result.measure is None else f" by {label(result.measure)}"
    by += " (lower is better)" if result.lower_is_better else ""
    more = board.judged_topics - board.human_topics
    over = f"{counted(len(board.systems), 'system')}, {counted(board.human_topics, 'topic')} labelled by both"
    what = f"{label(result.human)} and {label(board.judge)} together{by}"
    return what, in_units(f"{over} and {more:,} by {label(board.judge)} alone", result.unit, _names(result, board))


def _names(result: Correction, board: CorrectedLeaderboard) -> tuple[str, str]:
    return label(result.human), label(board.judge)


def sentences(result: Correction, board: CorrectedLeaderboard) -> list[Sentence]:
    """What the judge adds to the ranking, and to the means."""
    return sentences_in_units(_sentences(result, board), result.unit, _names(result, board))


def _sentences(result: Correction, board: CorrectedLeaderboard) -> list[Sentence]:
    n, more = board.human_topics, board.judged_topics - board.human_topics
    human, judge = label(result.human), label(board.judge)
    if max(board.predicted_topics, board.corrected_topics) < NOTABLE * n:
        text = f"{judge} adds nothing: its {counted(more, 'further topic')} do not make the ranking better."
        return [Sentence("gain", text, {"more": more})]
    said = []
    if board.predicted_topics >= NOTABLE * n:
        text = (
            f"{counted(n, 'topic')} labelled by {human} and {more:,} more labelled by {judge} rank systems as well as "
            f"about {board.predicted_topics:,.0f} labelled by {human} would."
        )
        numbers = {"human_topics": n, "more": more, "predicted_topics": board.predicted_topics}
        said.append(Sentence("gain", text, numbers))
    text = (
        f"Corrected means are as precise as those of about {board.corrected_topics:,.0f} topics labelled by {human}, "
        f"and unbiased whatever errors {judge} makes."
    )
    return [*said, Sentence("precision", text, {"corrected_topics": board.corrected_topics})]


def _table(result: Correction, board: CorrectedLeaderboard) -> TextTable:
    human, judge = label(result.human), label(board.judge)
    columns = ("rank", "system", "rank set", "predicted", "corrected", "interval", human, judge)
    if human == judge:
        columns = (*columns[:-2], "human", "judge")
    digits = score_digits(value for entry in board.systems for value in (entry.human, entry.judge))
    rows = [
        (
            rank_text(entry.rank),
            label(entry.system),
            set_text(entry.typical),
            decimals(entry.predicted, digits),
            decimals(entry.corrected, digits),
            number_range(entry.interval.low, entry.interval.high, min(digits, 3)),
            decimals(entry.human, digits),
            decimals(entry.judge, digits),
        )
        for entry in board.systems
    ]
    right = tuple(column for column in columns if column != "system")
    return text_table(columns, rows, right=right, spare=(columns[-1], columns[-2], "predicted"))


def _how_to_use(level: float) -> Sentence:
    text = (
        "Rank by the predictions: their rank sets are typical, right for "
        f"{percent(level)} of the systems on average. Publish the corrected means: their intervals hold whatever the "
        "judge does."
    )
    return Sentence("use", text, {"level": level})
