"""The text of a correction: what the judge adds to the human topics, and the leaderboard by both."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from rankscope.measures import parse_measure
from rankscope.report.blocks import Block, Heading, Sentence, text_table
from rankscope.report.numbers import counted, decimals, how_tested, number_range, percent, score_digits
from rankscope.report.remarks import remark_sentences
from rankscope.report.terminal_ranks import rank_text, set_text
from rankscope.report.text_tables import TextTable
from rankscope.report.theme import label
from rankscope.report.units import in_units, sentences_in_units

if TYPE_CHECKING:
    from rankscope.measures.record import Form
    from rankscope.studies.correction_result import CorrectedLeaderboard, Correction, MappedGrade, SampledDocuments

# A judge that adds less than this share to the human topics adds nothing worth the words.
NOTABLE = 1.05
# With fewer documents that make up the error of a corrected mean, its interval for these topics is doubtful.
FEW_DOCUMENTS = 5.0


def correction(result: Correction) -> list[Block]:
    """The text of a correction: for every judge what it adds, and the corrected leaderboard."""
    said: list[Block] = []
    for board in result.leaderboards:
        said += [Heading(*title(result, board)), *sentences(result, board), _table(result, board)]
    return [*said, *remark_sentences(result.remarks), *sentences_in_units(_how_to_use(result), result.unit, ())]


def ranked_by(board: CorrectedLeaderboard) -> str:
    """What a leaderboard ranks by, in a word."""
    return "predicted" if board.documents is None else "combined"


def title(result: Correction, board: CorrectedLeaderboard) -> tuple[str, str]:
    """What was corrected, and over which data."""
    by = "" if result.measure is None else f" by {label(result.measure)}"
    by += " (lower is better)" if result.lower_is_better else ""
    what = f"{label(result.human)} and {label(board.judge)} together{by}"
    if board.documents is not None:
        over = f"{counted(len(board.systems), 'system')}, {counted(board.judged_topics, 'topic')}"
        documents = board.documents
        return (
            what,
            f"{over}, {documents.labelled:,} of {documents.judged:,} documents labelled by {label(result.human)}",
        )
    more = board.judged_topics - board.human_topics
    over = f"{counted(len(board.systems), 'system')}, {counted(board.human_topics, 'topic')} labelled by both"
    what = f"{label(result.human)} and {label(board.judge)} together{by}"
    return what, in_units(f"{over} and {more:,} by {label(board.judge)} alone", result.unit, _names(result, board))


def _names(result: Correction, board: CorrectedLeaderboard) -> tuple[str, str]:
    return label(result.human), label(board.judge)


def sentences(result: Correction, board: CorrectedLeaderboard) -> list[Sentence]:
    """What the judge adds to the ranking, and to the means, and how many systems differ."""
    said = [*_sentences(result, board), _different(result, board)]
    return sentences_in_units(said, result.unit, _names(result, board))


def _different(result: Correction, board: CorrectedLeaderboard) -> Sentence:
    """How many pairs of systems are significantly different."""
    alpha = round(1.0 - float(result.settings["level"]), 12)
    tests = board.significance("corrected", alpha=alpha), board.significance("predicted", alpha=alpha)
    corrected, predicted = (round(test.share * test.pairs) for test in tests)
    pairs = tests[0].pairs
    text = (
        f"{corrected:,} of {counted(pairs, 'pair')} of systems are significantly different by the corrected means, and "
        f"{predicted:,} by the {ranked_by(board)} means ({how_tested('t', tests[0].settings['correction'], alpha)})."
    )
    return Sentence("pairs", text, {"corrected": corrected, "predicted": predicted, "pairs": pairs})


def _sentences(result: Correction, board: CorrectedLeaderboard) -> list[Sentence]:
    if board.documents is not None:
        return _document_sentences(result, board, board.documents)
    n, more = board.human_topics, board.judged_topics - board.human_topics
    human, judge = label(result.human), label(board.judge)
    predicted, corrected = board.predicted_topics or 0.0, board.corrected_topics or 0.0
    if max(predicted, corrected) < NOTABLE * n:
        text = f"{judge} adds nothing: its {counted(more, 'further topic')} do not make the ranking better."
        return [Sentence("gain", text, {"more": more})]
    said = []
    if predicted >= NOTABLE * n:
        text = (
            f"{counted(n, 'topic')} labelled by {human} and {more:,} more labelled by {judge} rank systems as well as "
            f"about {board.predicted_topics:,.0f} labelled by {human} would."
        )
        numbers = {"human_topics": n, "more": more, "predicted_topics": predicted}
        said.append(Sentence("gain", text, numbers))
    text = (
        f"Corrected means are as precise as those of about {board.corrected_topics:,.0f} topics labelled by {human}, "
        f"and unbiased whatever errors {judge} makes."
    )
    return [*said, Sentence("precision", text, {"corrected_topics": corrected})]


def form_of(result: Correction) -> Form:
    """How scores are made of gains: sums, divided by ideal scores, or of pairs, whose precision is not told."""
    return "sum" if result.measure is None else parse_measure(result.measure).record.form


def _document_sentences(result: Correction, board: CorrectedLeaderboard, documents: SampledDocuments) -> list[Sentence]:
    """What was filled in, mapped, corrected and combined, and what the judge adds to people's labels."""
    human, judge = label(result.human), label(board.judge)
    n, as_many, ungraded = documents.labelled, documents.corrected_documents, documents.ungraded_documents
    form = form_of(result)
    both, alone = (f"{max(n, number):,.0f}" for number in (as_many, ungraded))
    before = "before division by ideal scores, " if form == "ideal" else ""
    precise = f"{before}corrected means are as precise as if {human} alone had labelled about"
    if n >= documents.judged:
        gain = f"{human} labelled all {n:,} documents, so that {judge} has nothing to add."
    elif as_many < NOTABLE * max(n, ungraded):
        gain = (
            f"As far as {n:,} labels by {human} tell, {judge} adds nothing to them: topics and ranks alone say as much "
            "of the other documents."
        )
    elif form == "pairs":
        gain = f"{n:,} labels by {human} correct what {judge} says of {documents.judged:,} documents."
    else:
        gain = (
            f"{precise[0].upper()}{precise[1:]} {both} documents in place of {n:,}; without the grades by {judge}, by "
            f"topics and ranks alone, about {alone}."
        )
    numbers = {"labelled": n, "corrected_documents": as_many, "ungraded_documents": ungraded}
    said = [Sentence("gain", gain, numbers)]
    filled = documents.judged - n
    text = (
        f"Filled in: {filled:,} documents that {human} did not label, with the gain expected of the grade that {judge} "
        f"gave them ({_meanings(documents.grades)})."
    )
    said.append(Sentence("filled", text, {"filled": filled}))
    text = (
        f"Corrected: each label by {human} stands for as many documents as its inclusion probability says. Combined, "
        f"for the ranking: the filled-in means, and {percent(board.weight)} of what the corrected ones say beyond them."
    )
    said.append(Sentence("combined", text, {"weight": board.weight}))
    if 0.0 < documents.deciding_documents < FEW_DOCUMENTS:
        few = max(round(documents.deciding_documents), 1)
        text = (
            f"The sampling error of a corrected mean rests on about {counted(few, 'labelled document')}, whose "
            "inclusion probabilities were small: intervals for these topics (same_topics) are rough."
        )
        said.append(Sentence("few documents", text, {"deciding_documents": few}))
    if documents.unlabelled:
        text = f"{counted(documents.unlabelled, 'drawn document')} without a label: taken to lack it at random."
        said.append(Sentence("unlabelled", text, {"unlabelled": documents.unlabelled}))
    if documents.without_judge:
        text = (
            f"{counted(documents.without_judge, 'document')} labelled by {human} alone: nothing is filled in for such."
        )
        said.append(Sentence("without judge", text, {"without_judge": documents.without_judge}))
    return said


def _meanings(grades: tuple[MappedGrade, ...]) -> str:
    """The judge's grades and what they came to mean: 0 → 0.12, 1 → 0.64."""
    ranges = ((f"{g.least:g}" if g.least == g.greatest else f"{g.least:.3g} to {g.greatest:.3g}", g) for g in grades)
    return ", ".join(f"{grade} → {decimals(meaning.expected, 2)}" for grade, meaning in ranges)


def board_digits(board: CorrectedLeaderboard) -> tuple[int, int]:
    """The decimals of scores on people's scale, and of those on the judge's, which may be another."""
    of_people = ((entry.human, entry.predicted, entry.corrected) for entry in board.systems)
    return score_digits(itertools.chain.from_iterable(of_people)), score_digits(entry.judge for entry in board.systems)


def _table(result: Correction, board: CorrectedLeaderboard) -> TextTable:
    human, judge = label(result.human), label(board.judge)
    predicted = "predicted" if board.documents is None else "combined"
    columns = ("rank", "system", "rank set", predicted, "corrected", "interval", human, judge)
    if human == judge:
        columns = (*columns[:-2], "human", "judge")
    digits, judge_digits = board_digits(board)
    rows = [
        (
            rank_text(entry.rank),
            label(entry.system),
            set_text(entry.typical),
            decimals(entry.predicted, digits),
            decimals(entry.corrected, digits),
            number_range(entry.interval.low, entry.interval.high, min(digits, 3)),
            decimals(entry.human, digits),
            decimals(entry.judge, judge_digits),
        )
        for entry in board.systems
    ]
    right = tuple(column for column in columns if column != "system")
    return text_table(columns, rows, right=right, spare=(columns[-1], columns[-2], predicted))


def _how_to_use(result: Correction) -> list[Sentence]:
    """What to rank by, and what to publish."""
    level = float(result.settings["level"])
    text = (
        f"Rank by the {ranked_by(result.leaderboards[0])} means: their rank sets are typical, right for "
        f"{percent(level)} of the systems on average. Publish the corrected means: their intervals, for the population "
        "of topics, hold whatever the judge does."
    )
    return [Sentence("use", text, {"level": level})]
