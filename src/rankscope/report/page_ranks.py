"""The pages of a ranking and of a correction: a view per leaderboard, with charts, tables and notes."""

from __future__ import annotations

import rankscope as rs
from rankscope.report.charts import correction as correction_charts
from rankscope.report.charts import rank_sets as rank_charts
from rankscope.report.numbers import DASH, counted, decimals, percent, score_digits
from rankscope.report.page_method import provenance
from rankscope.report.page_model import (
    NAME,
    Column,
    Figure,
    Method,
    Number,
    Page,
    PageTable,
    Place,
    Section,
    Tabs,
    View,
)
from rankscope.report.terminal_correction import board_digits, form_of, ranked_by
from rankscope.report.terminal_correction import sentences as correction_sentences
from rankscope.report.terminal_correction import title as correction_title
from rankscope.report.terminal_ranks import promise, set_text
from rankscope.report.terminal_ranks import sentences as rank_sentences
from rankscope.report.theme import label
from rankscope.studies.correction_result import CorrectedLeaderboard, CorrectedSystem
from rankscope.studies.ranks import SET_KINDS, Leaderboard, RankedSystem, SetKind

_RANKS = "Which ranks?"
_SETS = (
    Method(
        "Typical rank sets",
        "Quantiles of ranks over draws around scores that are shrunk towards each other by as much as sampling error "
        "drove them apart: right for the stated share of the systems on average.",
    ),
    Method(
        "Guaranteed rank sets",
        "From systems that are significantly better or worse, by the greatest studentised difference over draws, with "
        "step-down; with fewer than 50 topics by paired t-tests with Holm's correction.",
        "Mogstad et al. 2024; Klein, Wright & Wieczorek 2020; Holm 1979",
    ),
)
_CORRECTION = (
    Method(
        "Corrected means",
        "The human mean plus λ times the difference of the judge's mean over further topics from its mean over the "
        "human ones, with one λ for all systems; unbiased whatever errors the judge makes.",
        "Angelopoulos et al. 2023",
    ),
    Method(
        "Predicted means",
        "The best linear prediction of a system's true mean from the human mean and the judge's means on the same and "
        "on further topics, with variances estimated from the scores. Errors by leaving out one human topic at a time.",
    ),
)
_BY_DOCUMENT = (
    Method(
        "Filled-in scores",
        "Where people did not look, a document has the gain that people gave, on average, to other documents of the "
        "same grade by the judge, adjusted to its topic and to the influence of its ranks (ridge regression).",
    ),
    Method(
        "Corrected means",
        "The expected gain of every document plus, where people looked, the difference of their label from it, divided "
        "by the inclusion probability: unbiased whatever the judge does, since a document's own label has no part in "
        "what is expected of it. AP and nDCG divide by estimated numbers of relevant documents: a small bias remains.",
        "Horvitz & Thompson 1952; Aslam & Pavlu 2007",
    ),
    Method(
        "Combined means",
        "The best linear prediction of true differences between systems from filled-in and corrected means, with bias "
        "and sampling error estimated.",
    ),
)


def ranking_page(result: rs.Ranking) -> Page:
    """The page of `rank`: a view per leaderboard."""
    boards = result.leaderboards
    systems = counted(len(boards[0].systems), "system")
    sets = promise(result.kind, float(result.settings["level"])).text
    views = tuple(_ranking_view(result, board, (place,)) for place, board in enumerate(boards))
    rows = tuple((board.label, view.sentence) for board, view in zip(boards, views, strict=True))
    facts = [("Leaderboards", ", ".join(board.label for board in boards)), ("Systems", systems)]
    return Page(
        title=f"Which ranks of {systems} are certain?",
        lead=sets,
        tabs=(Tabs("scores", "Leaderboard", tuple(board.label for board in boards)),),
        sections=(
            Section("ranks", _RANKS, (Place("ranks", "Rank sets", wide=True),)),
            Section("distribution", "How likely is each rank?", (Place("distribution", "Ranks", wide=True),)),
        ),
        views=views,
        systems=tuple(dict.fromkeys(label(entry.system, NAME) for board in boards for entry in board.systems)),
        overview=(("Leaderboard", "In a sentence"), rows),
        methods=_SETS,
        provenance=provenance(result, facts),
    )


def _ranking_view(result: rs.Ranking, board: Leaderboard, at: tuple[int, ...]) -> View:
    said = rank_sentences(board, float(result.settings["level"]))
    width = board.mean_width(result.kind)
    over = "" if board.topics is None else f"of {counted(board.topics, board.unit)}"
    alternative = f"of {counted(len(board.systems), 'system')}. The numbers are in the table."
    return View(
        at=at,
        sentence=said[0].text,
        numbers=(
            Number("may be best", str(len(board.best)), f"of {counted(len(board.systems), 'system')}"),
            Number("can be distinguished", counted(board.levels, "level"), over),
            Number(f"in a {result.kind} rank set, on average", f"{decimals(width, 1)} ranks", ""),
        ),
        texts={"ranks": [sentence.text for sentence in said[1:]]},
        figures={
            "ranks": Figure(
                rank_charts.board_sets(result, board),
                "Systems by score, with the ranks that each may have. In a band are systems that are not significantly "
                "worse than its first.",
                f"Rank sets {alternative}",
            ),
            "distribution": Figure(
                rank_charts.board_distribution(board),
                "The probability of each rank of each system.",
                f"Probabilities of ranks {alternative}",
            ),
        },
        tables={"systems": _ranking_table(board)},
    )


def _ranking_table(board: Leaderboard) -> PageTable:
    def ranks(kind: SetKind) -> Column:
        return Column(f"{kind.capitalize()} rank set", lambda entry: set_text(entry.ranks(kind)))

    def interval(entry: RankedSystem) -> tuple[float, float] | None:
        return None if entry.interval is None else (entry.interval.low, entry.interval.high)

    digits = score_digits(entry.score for entry in board.systems)
    return PageTable(
        "All systems",
        board.systems,
        (
            Column("System", lambda entry: entry.system, "system"),
            Column("Rank", lambda entry: entry.rank, "rank"),
            Column("Score", lambda entry: entry.score, "number", digits),
            Column("Interval", interval, "interval", digits),
            *(ranks(kind) for kind in SET_KINDS),
            Column("Expected rank", lambda entry: entry.expected_rank, "number", 1),
            Column("P(best)", lambda entry: entry.best_probability, "number", 3),
            Column("May be best", lambda entry: entry.may_be_best, "yes"),
            Column("Groups", lambda entry: entry.groups or DASH),
        ),
        shown=40,
    )


def correction_page(result: rs.Correction) -> Page:
    """The page of `correct`: a view per judge."""
    boards = result.leaderboards
    systems = counted(len(boards[0].systems), "system")
    views = tuple(_correction_view(result, board, (place,)) for place, board in enumerate(boards))
    rows = tuple((board.judge, view.sentence) for board, view in zip(boards, views, strict=True))
    judges = tuple(board.judge for board in boards)
    facts = [("Human scores", result.human), ("Judges", ", ".join(judges)), ("Systems", systems)]
    several = f"{label(result.human)} and {len(boards)} judges, {systems}"
    by_document = boards[0].documents is not None
    return Page(
        title=": ".join(correction_title(result, boards[0])) if len(boards) == 1 else several,
        lead=f"Rank by the {ranked_by(boards[0])} means; publish the corrected means, whose intervals hold whatever "
        "the judge does.",
        tabs=(Tabs("judge", "Judge", judges),),
        sections=(
            Section("scores", "Which scores?", (Place("scores", "Corrected means", wide=True),)),
            Section("ranks", _RANKS, (Place("ranks", "Ranks", wide=True),)),
        ),
        views=views,
        systems=tuple(dict.fromkeys(label(entry.system, NAME) for board in boards for entry in board.systems)),
        overview=(("Judge", "In a sentence"), rows),
        methods=(*(_BY_DOCUMENT if by_document else _CORRECTION), *_SETS),
        remarks=tuple(map(str, result.remarks)),
        provenance=provenance(result, facts),
        unit=result.unit,
    )


def _correction_view(result: rs.Correction, board: CorrectedLeaderboard, at: tuple[int, ...]) -> View:
    said = correction_sentences(result, board)
    level = percent(float(result.settings["level"]))
    alternative = f"of {counted(len(board.systems), 'system')}. The numbers are in the table."
    human, judge, units = label(result.human), label(board.judge), f"{result.unit}s"
    return View(
        at=at,
        sentence=said[0].text,
        numbers=_correction_numbers(result, board, human, judge, units),
        texts={"scores": [sentence.text for sentence in said[1:]]},
        figures={
            "scores": Figure(
                correction_charts.board_scores(result, board),
                f"Corrected means with {level} intervals, and the means by each side alone.",
                f"Means {alternative}",
            ),
            "ranks": Figure(
                correction_charts.board_ranks(result, board),
                f"Ranks of the {ranked_by(board)} means with {level} rank sets, and the ranks by each side alone.",
                f"Ranks {alternative}",
            ),
        },
        tables={"systems": _correction_table(result, board)},
    )


def _correction_numbers(
    result: rs.Correction, board: CorrectedLeaderboard, human: str, judge: str, units: str
) -> tuple[Number, ...]:
    if board.documents is not None:
        documents, form = board.documents, form_of(result)
        as_many = f"{max(documents.corrected_documents, documents.labelled):,.0f}"
        what = "sums of gains" if form == "ideal" else "corrected means"
        return (
            Number(f"documents labelled by {human}", f"{documents.labelled:,}", f"of {documents.judged:,} by {judge}"),
            *(() if form == "pairs" else (Number(f"by {human} alone, as precise", as_many, what),)),
            Number("of the correction believed", percent(board.weight), "combined means"),
        )
    return (
        Number(f"{units} labelled by {human}", f"{board.human_topics:,}", f"{board.judged_topics:,} by {judge}"),
        Number(f"{units} by {human} that rank as well", f"{board.predicted_topics:,.0f}", "predicted means"),
        Number(f"{units} by {human} that are as precise", f"{board.corrected_topics:,.0f}", "corrected means"),
    )


def _correction_table(result: rs.Correction, board: CorrectedLeaderboard) -> PageTable:
    human, judge = label(result.human, 20), label(board.judge, 20)

    def interval(entry: CorrectedSystem) -> tuple[float, float]:
        return entry.interval.low, entry.interval.high

    digits, judge_digits = board_digits(board)
    predicted = "Predicted" if board.documents is None else "Combined"
    filled = (Column("Filled in", lambda entry: entry.filled, "number", digits),) if board.documents is not None else ()
    return PageTable(
        "All systems",
        board.systems,
        (
            Column("System", lambda entry: entry.system, "system"),
            Column(f"Rank, {ranked_by(board)}", lambda entry: entry.rank, "rank"),
            Column("Rank set", lambda entry: set_text(entry.typical)),
            Column(predicted, lambda entry: entry.predicted, "number", digits),
            *filled,
            Column("Corrected", lambda entry: entry.corrected, "number", digits),
            Column("Interval", interval, "interval", digits),
            Column("Simultaneous rank set", lambda entry: set_text(entry.simultaneous)),
            Column(f"Mean, {human}", lambda entry: entry.human, "number", digits),
            Column(f"Rank, {human}", lambda entry: entry.human_rank, "rank"),
            Column(f"Mean, {judge}", lambda entry: entry.judge, "number", judge_digits),
            Column(f"Rank, {judge}", lambda entry: entry.judge_rank, "rank"),
        ),
        shown=40,
    )
