"""The text of results that need no layout of their own: a heading, the answer in sentences, and tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rankscope.coefficients.lists import PairOverlap
from rankscope.report.blocks import Block, Heading, Sentence, data_table, text_table
from rankscope.report.numbers import (
    DASH,
    counted,
    decimals,
    how_tested,
    interval_text,
    number_range,
    p_value,
    percent,
    two,
)
from rankscope.report.remarks import remark_sentences
from rankscope.report.terminal_studies import needed_text
from rankscope.report.text_tables import TextTable
from rankscope.report.theme import label
from rankscope.results import Table, rows_table

if TYPE_CHECKING:
    import rankscope as rs
    from rankscope.results import OneTable, Result
    from rankscope.studies.null_table import NullTable

# Rows that the text shows of a table with a row per pair or topic; files have all.
_ROWS = 20
_HEAVIEST = 10


def any_result(result: Result) -> list[Block]:
    """The text of a result that has no record: the words of its class's name, and its main table."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(result).__name__).capitalize()
    return [Heading(words), data_table(result.table())]


def one_table(result: OneTable) -> list[Block]:
    """The text of one table on its own: nothing but the table."""
    return [data_table(result.table())]


def _size(result: rs.RankDistance | rs.RankDistanceNull | rs.ExpectedCorrelation | rs.NewTopicAgreement) -> str:
    return f"{counted(result.systems, 'system')} on {counted(result.topics, 'topic')}"


# ---- runs and labels -------------------------------------------------------------------------------------------


def evaluation(result: rs.Evaluation) -> list[Block]:
    """The text of an evaluation: every system under every measure."""
    return [_evaluated(result), data_table(result.table())]


def topic_evaluation(result: rs.TopicEvaluation) -> list[Block]:
    """The text of an evaluation by topic."""
    return [_evaluated(result.evaluation), data_table(result.table())]


def _evaluated(result: rs.Evaluation) -> Heading:
    scores = result.scores[result.measures[0]]
    over = f"{counted(len(scores.systems), 'system')} on {counted(len(scores.topics), 'topic')}"
    return Heading(f"Scores by {', '.join(result.measures)}", over)


def coverage(result: rs.Coverage) -> list[Block]:
    """The text of what runs and judgments share."""
    said: list[Block] = [Heading("What runs and judgments share", counted(result.judged_topics, "judged topic"))]
    if result.complete:
        said.append(Sentence("complete", "Every system has every judged topic, and a judged document."))
    return [*said, *remark_sentences(result.remarks()), data_table(result.table())]


def run_overlap(result: rs.RunOverlap) -> list[Block]:
    """The text of the overlap of runs: the most and the least alike, and every pair, the most alike first."""
    within = "" if result.depth is None else f", first {counted(result.depth, 'document')}"
    over = f"{counted(len(result.systems), 'run')} on {counted(len(result.topics), 'topic')}{within}, p = {result.p:g}"
    pairs = sorted((pair for pair in result.pairs if pair.topics), key=lambda pair: pair.ext or 0.0, reverse=True)
    said: list[Block] = [Heading("Rank-biased overlap of runs", over)]
    if len(pairs) == 1:
        said.append(_overlap("overlap", pairs[0]))
    else:
        said += [_overlap("most", pairs[0], "Most alike: "), _overlap("least", pairs[-1], "Least alike: ")]
    fewer = sum(pair.topics < len(result.topics) for pair in result.pairs)
    if fewer:
        text = f"Topics for which a run retrieved nothing are left out of its means: {counted(fewer, 'pair')} of runs."
        said.append(Sentence("topics", text, {"pairs": fewer}))
    best_first = rows_table(pairs, PairOverlap, 3)
    return [*said, data_table(best_first, title="Means over topics, most alike first", most=_ROWS)]


def _overlap(kind: str, pair: PairOverlap, which: str = "") -> Sentence:
    text = (
        f"{which}{label(pair.first)} and {label(pair.second)}, {two(pair.ext)}; "
        f"{two(pair.min)} to {two(pair.max)} whatever follows their lists."
    )
    return Sentence(kind, text, {"ext": pair.ext, "min": pair.min, "max": pair.max})


def label_agreement(result: rs.LabelAgreement) -> list[Block]:
    """The text of the agreement of two sets of labels."""
    truth, judge, covered = label(result.truth or "truth"), label(result.judge or "judge"), result.coverage
    kappa, equal = result.value("kappa"), result.value("equal")
    both = counted(covered.pairs, "shared pair")
    said: list[Block] = [Heading(f"Labels of {judge} against {truth}", f"{both} on {counted(covered.topics, 'topic')}")]
    if kappa is not None and equal is not None:
        text = f"{percent(equal)} of the labels are equal, Cohen's κ is {two(kappa)}."
        said.append(Sentence("agreement", text, {"equal": equal, "kappa": kappa}))
    text = f"{judge} labelled {percent(covered.share)} of the pairs that {truth} judged."
    said.append(Sentence("coverage", text, {"share": covered.share}))
    said += remark_sentences(result.remarks)
    said.append(data_table(result.table()))
    confusion = result.confusion_table()
    return [*said, data_table(confusion, title=f"Labels of {truth} (rows) by {judge}")] if confusion.rows else said


# ---- agreement and tests ---------------------------------------------------------------------------------------


def worth(result: rs.Worth) -> list[Block]:
    """The text of what a judged topic is worth."""
    from rankscope.report.sentences import worth_sentences

    n, other = result.truth_topics, result.estimate_topics
    topics = counted(n, "topic") if result.paired else f"{n:,} and {counted(other, 'topic')}"
    heading = Heading(f"Worth of a topic of {label(result.estimate)}", f"{counted(result.systems, 'system')}, {topics}")
    return [heading, *worth_sentences(result), data_table(result.table())]


def bootstrap(result: rs.Bootstrap) -> list[Block]:
    """The text of coefficients with intervals over topics."""
    text = f"Intervals are for the mean over samples of the same number of topics ({result.topics} resampling)."
    return [
        Heading("Agreement, with intervals over topics", counted(len(result.values), "coefficient")),
        Sentence("intervals", text),
        data_table(result.table()),
    ]


def permutation(result: rs.Permutation) -> list[Block]:
    """The text of a permutation test."""
    p = "no p-value" if result.pvalue is None else f"p {p_value(result.pvalue)}"
    text = (
        f"{result.name} is {decimals(result.value)}; scores assigned to the systems at random give "
        f"{decimals(result.chance)} on average ({p}, {counted(result.permutations, 'permutation')})."
    )
    numbers = {"value": result.value, "chance": result.chance, "pvalue": result.pvalue}
    return [Heading(f"Permutation test of {result.name}"), Sentence("test", text, numbers)]


def significance(result: rs.Significance) -> list[Block]:
    """The text of tests of all pairs of systems: those with the smallest p."""
    pairs = result.pairs
    differ = round(result.share * pairs)
    over = f"{counted(len(result.systems), 'system')} on {counted(result.topics, 'topic')}"
    return [
        Heading(f"Pairs that differ significantly{_by(result.measure)}", over),
        _differing(result, differ, pairs, result.share),
        data_table(result.table(), title="Pairs by p", most=_ROWS),
    ]


def _differing(
    result: rs.Significance | rs.MeasurePower | rs.SwapStudy, differ: int, pairs: int, share: float
) -> Sentence:
    """How many pairs differ significantly, and how they were tested."""
    text = f"{differ:,} of {counted(pairs, 'pair')} are significantly different ({percent(share)}; {_how(result)})."
    return Sentence("significant", text, {"significant": differ, "pairs": pairs, "share": share})


def _how(result: rs.Significance | rs.DiscriminativePower | rs.MeasurePower | rs.SwapStudy) -> str:
    return how_tested(*(result.settings[name] for name in ("test", "correction", "alpha")))


def _by(measure: str | None) -> str:
    return f" by {measure}" if measure else ""


def discriminative_power(result: rs.DiscriminativePower) -> list[Block]:
    """The text of how many significant pairs an estimate reproduces."""
    pairs = counted(result.pairs, "pair")
    if result.value is None:
        text = f"No pair of systems is significantly different by the truth ({_how(result)}): nothing to reproduce."
    else:
        text = (
            f"{result.agreeing:,} of the {pairs} that are significantly different by the truth ({_how(result)}) have "
            f"the same order, {result.tied:,} are tied and {result.opposed:,} reversed: {percent(result.value)}."
        )
    return [
        Heading("Discriminative power", f"{result.pairs:,} of {counted(result.all_pairs, 'pair')}"),
        Sentence("power", text, {"value": result.value, "pairs": result.pairs, "opposed": result.opposed}),
        data_table(result.table()),
    ]


def measure_power(result: rs.MeasurePower) -> list[Block]:
    """The text of the share of pairs that differ significantly by a measure."""
    return [
        Heading(f"Discriminative power{_by(result.measure)}", counted(result.pairs, "pair")),
        _differing(result, result.significant, result.pairs, result.value),
        data_table(result.table(), title="Achieved significance levels", most=_ROWS),
    ]


def topic_influence(result: rs.TopicInfluence) -> list[Block]:
    """The text of what leaving out each topic changes."""
    said: list[Block] = [Heading("Agreement without each topic", counted(len(result.topics), "topic"))]
    for name, value in zip(result.coefficients, result.values.tolist(), strict=True):
        topics = dict(result.carriers(name))
        raised = ", ".join(f"{label(topic)} ({decimals(change, sign=True)})" for topic, change in topics.items())
        text = f"{name} is {decimals(value)} with all topics; it rises most without {raised}."
        if not topics:
            text = f"{name} is {decimals(value)} with all topics, and does not rise without any of them."
        said.append(Sentence("topics", text, topics))
    table = result.table()
    for name in result.coefficients:
        rows = tuple(row for row in table.rows if row[0] == name)
        said.append(data_table(Table(table.columns, rows), title=f"{name}: largest changes", most=_HEAVIEST))
    return said


def new_topics(result: rs.NewTopicAgreement) -> list[Block]:
    """The text of the agreement to expect with new topics."""
    said: list[Block] = [Heading("Agreement to expect with the same number of new topics", _size(result))]
    for value in result.values:
        ends = interval_text(value.interval, number="three")
        text = f"{value.name} is expected to be {decimals(value.mean)} ({ends})."
        said.append(Sentence("expected", text, {"mean": value.mean}))
    return [*said, data_table(result.table())]


# ---- the true ranking ------------------------------------------------------------------------------------------


def expected_correlation(result: rs.ExpectedCorrelation) -> list[Block]:
    """The text of the expected correlation with the true ranking."""
    text = f"Expected {result.coefficient} is {_expected(result)}{_estimated_by(result)}."
    return [
        Heading("Expected correlation with the true ranking", _size(result)),
        Sentence("expected", text, {"estimate": result.estimate}),
        *_identical(result),
        data_table(result.table()),
    ]


def reliability(result: rs.Reliability) -> list[Block]:
    """The text of a ranking's reliability: what to expect, what a target takes, and every estimator."""
    tau, tau_ap, needed = result.tau, result.tau_ap, result.needed
    expected = (
        f"With these {counted(tau.topics, 'topic')}, the ranking of {counted(tau.systems, 'system')}"
        f"{_by(result.measure)} is expected to correlate with the true ranking at τ = {_expected(tau)} and "
        f"τ_AP = {_expected(tau_ap)}, intervals of the correlation of this one ranking{_estimated_by(tau)}."
    )
    negative = result.components.negative
    zeroed = f" (negative variance set to 0: {', '.join(negative)})" if negative else ""
    variances = f"Generalisability: Eρ² = {decimals(result.e_rho2)}, Φ = {decimals(result.phi)}{zeroed}."
    said: list[Block] = [
        Heading(f"Reliability of the ranking{_by(result.measure)}", _size(tau)),
        Sentence("expected", expected, {"tau": tau.estimate, "tau_ap": tau_ap.estimate}),
        Sentence("topics needed", needed_text(needed), {"target": needed.target, "topics": needed.topics}),
        Sentence("generalisability", variances, {"e_rho2": result.e_rho2, "phi": result.phi}),
    ]
    if result.sampled is not None:
        text = f"There are more systems; {result.sampled:,} drawn at random represent them."
        said.append(Sentence("sampled", text, {"sampled": result.sampled}))
    return [
        *said,
        *_identical(tau),
        *remark_sentences(result.remarks),
        _by_topics(result),
        _by_estimator(result),
    ]


def _by_topics(result: rs.Reliability) -> TextTable:
    """What to expect with other numbers of topics."""
    bands = [interval for c in result.counts if (interval := c.tau_interval) is not None]
    about = f"; {percent(bands[0].level)} intervals of the expected value, over samples of topics" if bands else ""
    rows = []
    for c in result.counts:
        taus = ((c.tau, c.tau_interval), (c.tau_ap, c.tau_ap_interval))
        cells = [(decimals(value), "" if band is None else number_range(band.low, band.high)) for value, band in taus]
        rows.append([f"{c.topics:,}", *(text for pair in cells for text in pair), decimals(c.e_rho2), decimals(c.phi)])
    columns = ("topics", "expected τ", "interval of τ", "expected τ_AP", "interval of τ_AP", "Eρ²", "Φ")
    right = ("topics", "expected τ", "expected τ_AP", "Eρ²", "Φ")
    title = f"Expected with other numbers of topics{about}"
    return text_table(columns, rows, right=right, title=title, spare=("Φ", "Eρ²", "interval of τ_AP"))


def _by_estimator(result: rs.Reliability) -> TextTable:
    rows = [[e.estimator, decimals(e.tau), decimals(e.tau_ap), e.label] for e in result.estimators]
    columns = ("estimator", "expected τ", "expected τ_AP", "how")
    return text_table(columns, rows, right=columns[1:3], title="With these topics, by every estimator", spare=("how",))


def _expected(result: rs.ExpectedCorrelation) -> str:
    return f"{decimals(result.estimate)} ({interval_text(result.interval, number='three')})"


def _estimated_by(result: rs.ExpectedCorrelation) -> str:
    from rankscope.inference.expected import find_estimator

    by = find_estimator(result.estimator)
    return f"; estimated by {by.label} ({by.reference.split(',')[0]})"


def _identical(result: rs.ExpectedCorrelation) -> list[Sentence]:
    """That systems with the same scores count as concordant, where there are some."""
    pairs = result.identical_pairs
    if not pairs:
        return []
    score = "pair of systems scores" if pairs == 1 else "pairs of systems score"
    text = f"{pairs:,} {score} alike on every topic and counted as concordant."
    return [Sentence("identical pairs", text, {"pairs": pairs})]


def estimators(result: rs.EstimatorStudy) -> list[Block]:
    """The text of a study of estimators: curves as tables, so that estimators are compared along a row."""
    from rankscope.coefficients import coefficient

    simulated = f"from {counted(len(result.systems), 'score table')}, {result.sizes[0]} to {result.sizes[-1]} topics"
    said: list[Block] = [Heading("Error and bias of estimators of the correlation with the true ranking", simulated)]
    for scores, systems in result.systems.items():
        for name in result.coefficients:
            about = f"{scores}, {counted(systems, 'system')}, {coefficient(name).record.symbol}"
            said.append(_curves(result, scores, name, "error", f"{about}: mean absolute error, ± its standard error"))
            title = f"{about}: bias, estimate minus actual, ± its standard error"
            said.append(_curves(result, scores, name, "bias", title))
    return said


def _curves(result: rs.EstimatorStudy, scores: str, name: str, what: str, title: str) -> TextTable:
    errors = {(e.topics, e.estimator): e for e in result.errors if (e.scores, e.coefficient) == (scores, name)}
    columns = ("topics", "actual", "spread", *result.estimators)
    rows = []
    for size in result.sizes:
        row = [errors[size, estimator] for estimator in result.estimators]
        cells = [str(size), decimals(row[0].actual, 4), decimals(row[0].spread, 4)]
        for error in row:
            se = getattr(error, f"{what}_se")
            cells.append(decimals(getattr(error, what), 4) + ("" if se is None else f" ±{decimals(se, 4)}"))
        rows.append(cells)
    return text_table(columns, rows, right=columns, title=title)


# ---- the rank distance -----------------------------------------------------------------------------------------


def rank_distance(result: rs.RankDistance) -> list[Block]:
    """The text of a rank distance."""
    ties = "" if result.ties is None else f" ({number_range(result.ties.least, result.ties.greatest, 2)} by ties)"
    text = f"The rank distance is {two(result.distance)}{ties}; {counted(sum(result.active), 'pair')} of neighbours "
    text += "hold the nearest point at zero." if result.consistent else "reverse what is the same on every topic."
    return [
        Heading("Rank distance (Carterette 2009)", _size(result)),
        Sentence("distance", text, {"distance": result.distance, "active": sum(result.active)}),
        data_table(result.table(), title="Neighbours in the estimate's order", most=_ROWS),
    ]


def rank_distance_test(result: rs.RankDistanceTest) -> list[Block]:
    """The text of a test of the rank distance."""
    text = (
        f"The rank distance is {two(result.distance)}, p {p_value(result.pvalue)} "
        f"({counted(result.null.resamples, 'resample')} of the baseline's topics)."
    )
    return [
        Heading("Test of the rank distance (Carterette 2009)", _size(result.null)),
        Sentence("test", text, {"distance": result.distance, "pvalue": result.pvalue}),
        data_table(result.table()),
    ]


def rank_distance_null(result: rs.RankDistanceNull) -> list[Block]:
    """The text of a null distribution of the rank distance."""
    text = (
        f"Distances of the baseline's ranking from itself over {counted(result.resamples, 'resample')} of its topics."
    )
    return [
        Heading("Null distribution of the rank distance", _size(result)),
        Sentence("null", text, {"resamples": result.resamples}),
        data_table(result.table()),
    ]


def null_table(result: NullTable) -> list[Block]:
    """The text of the critical values of several baselines."""
    text = "A greater distance from a baseline is significant at that level: resampling its topics rarely gives one."
    return [
        Heading("Critical values of the rank distance", counted(len(result.nulls), "baseline")),
        Sentence("critical values", text),
        *remark_sentences(result.remarks),
        data_table(result.table()),
    ]


def allowed_ranks(result: rs.AllowedRanks) -> list[Block]:
    """The text of the ranks that systems may take."""
    limit = (
        f"τ of at least {result.limit:g}" if result.by == "tau" else f"a rank distance of at most {two(result.limit)}"
    )
    how = "all counted" if result.exact else f"{counted(result.draws or 0, 'draw')}"
    text = f"The shares of rankings with {limit} that put each system at each rank ({how})."
    said: list[Block] = [
        Heading("Ranks that systems may take", counted(len(result.systems), "system")),
        Sentence("allowed", text, {"limit": result.limit, "draws": result.draws}),
    ]
    if result.rhat is not None and result.ess is not None:
        text = f"The effective sample size of the chains is {result.ess:,.0f} (R̂ {decimals(result.rhat)})."
        said.append(Sentence("walks", text, {"ess": result.ess, "rhat": result.rhat}))
    return [*said, data_table(result.table())]


def rank_contour(result: rs.RankContour) -> list[Block]:
    """The text of three systems' rank distances: the six orders."""
    text = f"The rank distance of the estimate's order is {two(result.distance)}."
    rows = [[" > ".join(order.order), two(order.distance)] for order in result.orders]
    return [
        Heading("Rank distances of three systems", counted(result.topics, "topic")),
        Sentence("distance", text, {"distance": result.distance}),
        text_table(("order", "distance"), rows, right=("distance",), title="Every order, best system first"),
    ]


def reorderings(result: rs.ReorderingStudy) -> list[Block]:
    """The text of rankings with one τ and different rank distances."""
    drawn = result.distances
    critical = ""
    if result.critical_value is not None:
        critical = f"; beyond {two(result.critical_value)} is significant at {percent(result.alpha)}"
    text = (
        f"{counted(len(drawn), 'ranking')} with τ = {decimals(result.tau)} have rank distances from "
        f"{number_range(float(drawn[0]), float(drawn[-1]), 2)}{critical}."
    )
    return [
        Heading(f"Rankings with the same τ{_by(result.measure)}", counted(len(result.systems), "system")),
        Sentence("distances", text, {"tau": result.tau, "critical_value": result.critical_value}),
        data_table(result.table(), title="From near to far"),
    ]


# ---- how coefficients behave -----------------------------------------------------------------------------------


def pair_weights(result: rs.PairWeights) -> list[Block]:
    """The text of the weights of pairs: the heaviest in each coefficient."""
    systems = len(result.systems)
    pairs = systems * (systems - 1) // 2
    text = "A loss is 1 − coefficient after the swap of the pair alone; a weight is the loss scaled to 0 … 1."
    return [
        Heading(f"The pairs that weigh most{_by(result.measure)}, of {pairs:,}", counted(systems, "system")),
        Sentence("weights", text),
        *_sampled(result.sampled),
        data_table(result.heaviest(_HEAVIEST)),
        "All pairs: --format csv, or a picture: -o weights.svg",
    ]


def swaps(result: rs.SwapStudy) -> list[Block]:
    """The text of coefficients after random swaps."""
    differ, every = result.pairs["significant"], sum(result.pairs.values())
    settings = result.settings
    swapped = f"{counted(settings['draws'], 'draw')} of {counted(settings['swaps'], 'swap')}"
    return [
        Heading(f"Coefficients after random swaps{_by(result.measure)}", swapped),
        _differing(result, differ, every, result.share),
        *_sampled(result.sampled),
        data_table(result.table()),
    ]


def _sampled(systems: int | None) -> list[Block]:
    """That the pairs of a sample of systems stand for all, where they do."""
    if systems is None:
        return []
    text = f"There are more systems; the pairs of {systems:,} drawn at random stand for all of them."
    return [Sentence("sampled", text, {"sampled": systems})]


def gaps(result: rs.GapStudy) -> list[Block]:
    """The text of coefficients between lists that rank alike."""
    draws = counted(result.settings["draws"], "draw")
    text = "The scores of each side are drawn from a distribution and sorted, so that all ranks agree."
    return [
        Heading("How coefficients respond to gaps if all ranks are right", f"{result.systems} systems, {draws}"),
        Sentence("gaps", text),
        data_table(result.table()),
    ]


# ---- simulation ------------------------------------------------------------------------------------------------


def diagnostics(result: rs.Diagnostics) -> list[Block]:
    """The text of original against simulated scores."""
    topics, simulated = result.settings["topics"], result.settings["simulated_topics"]
    over = f"{counted(len(result.margins), 'system')}, {counted(topics, 'topic')} and {simulated:,} simulated"
    largest = max((margin.mean.difference for margin in result.margins), key=abs, default=None)
    difference = DASH if largest is None else decimals(largest, 4, sign=True)
    text = f"The mean of a system differs by at most {difference}."
    return [
        Heading("Original against simulated scores", over),
        Sentence("means", text, {"largest": largest}),
        *remark_sentences(result.remarks),
        data_table(result.table()),
    ]


def simulation(result: rs.Simulation) -> list[Block]:
    """The text of simulated collections: how they compare with the original."""
    made = counted(len(result.values), "simulated collection")
    text = f"{made} of {counted(result.values.shape[1], 'topic')} for {counted(len(result.systems), 'system')}."
    heading, *rest = diagnostics(result.diagnostics)
    return [heading, Sentence("collections", text, {"collections": len(result.values)}), *rest]
