r"""What was done, as a paragraph for a paper: LaTeX with \cite, and the BibTeX, generated from the result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rankscope.coefficients import coefficient
from rankscope.errors import RankscopeError
from rankscope.report.kinds import kind_of, load
from rankscope.report.numbers import counted, percent
from rankscope.report.own_text import tex_name, tex_words
from rankscope.report.references import cited
from rankscope.report.tables.columns import measure_name
from rankscope.report.terminal import heading_of

if TYPE_CHECKING:
    import rankscope as rs
    from rankscope.inference.contrasts import Contrast
    from rankscope.results import Result
    from rankscope.studies.comparison_result import CoefficientValue, EstimateComparison

# The corrections of tests for their number, with their references.
_CORRECTIONS = {
    "none": ("without correction", ""),
    "bonferroni": ("Bonferroni's correction", ""),
    "holm": ("Holm's correction", "Holm 1979"),
    "bh": ("the correction of Benjamini and Hochberg", "Benjamini & Hochberg 1995"),
}
_APART = ("inputs", "providers", "panels", "scales", "coefficients", "judge_rel", "groups")


class Text:
    """Sentences as LaTeX, and the citations in them."""

    def __init__(self) -> None:
        self.sentences: list[str] = []
        self.citations: list[str] = []

    def say(self, *parts: str) -> None:
        """Add a sentence of our own words; what is LaTeX already is given by `name` or `cite`."""
        self.sentences.append("".join(parts))

    def cite(self, *citations: str) -> str:
        r"""The \cite of these, or nothing where no reference is known."""
        keys = [entry.key for entry in cited(citations)]
        self.citations += citations
        return rf"~\cite{{{','.join(keys)}}}" if keys else ""


def methods(result: Result) -> tuple[str, str]:
    """The paragraph on what was done, and the BibTeX of what it cites."""
    text = Text()
    function = kind_of(result).methods
    (load(function) if function else any_result)(result, text)
    version = result.versions["rankscope"]
    seed = getattr(result, "settings", {}).get("seed")
    seeded = "" if seed is None else f", with the seed {seed}"
    text.say(rf"All was computed with rankscope {tex_name(version)}~\cite{{rankscope}}{seeded}.")
    return "\n".join(text.sentences) + "\n", bibliography(text.citations, version)


def bibliography(citations: Iterable[str], version: str) -> str:
    """The entries of citations, and that of rankscope, as BibTeX."""
    own = (
        "@misc{rankscope,\n  author = {{The rankscope maintainers}},\n"
        "  title = {{rankscope: do two evaluations rank systems alike?}},\n"
        f"  note = {{Version {version}}},\n}}\n"
    )
    return "\n".join([*(entry.bibtex for entry in cited(citations)), own])


def any_result(result: Result, text: Text) -> None:
    """What any result tells of itself: its heading and its settings."""
    heading = heading_of(result).text
    text.say(tex_words(heading if heading.endswith("?") else f"{heading}."))
    settings = getattr(result, "settings", {})
    written = [
        f"{key.replace('_', ' ')} {_written(value)}"
        for key, value in settings.items()
        if key not in (*_APART, "seed") and value is not None
    ]
    if written:
        text.say(tex_name(f"Settings: {'; '.join(written)}."))


def comparison(result: rs.Comparison, text: Text) -> None:
    """What `compare` did."""
    _compared(text, result.truth.name, result.truth.systems, result.estimates, [result.truth.measure], "estimate")
    _agreement(text, result.estimates, result.settings)
    _contrasts(text, result.contrasts, result.settings)


def by_measure(result: rs.ComparisonByMeasure, text: Text) -> None:
    """What `compare` did by several measures."""
    first = result.comparisons[0]
    _compared(text, first.truth.name, first.truth.systems, first.estimates, result.measures, "estimate")
    _agreement(text, [e for c in result.comparisons for e in c.estimates], result.settings)
    _contrasts(text, [contrast for c in result.comparisons for contrast in c.contrasts], result.settings)


def judged(result: rs.JudgeReport, text: Text) -> None:
    """What `judge` did."""
    compared = [answer.with_groups for answer in result.answers]
    own = [answer.agreement for answer in result.answers if answer.measure == result.answers[0].measure]
    _compared(text, result.truth, len(result.systems), own, result.measures, "judge")
    _agreement(text, compared, result.settings)
    _contrasts(text, [contrast for some in result.contrasts.values() for contrast in some], result.settings)
    draws = result.settings["random_draws"]
    if draws:
        text.say(
            f"The chance level is that of labels dealt at random to the documents within each topic ({draws:,} times)."
        )
    asked = result.settings.get("repeats", {})
    if asked:
        each = _listed([f"{tex_name(name)} ({number} times)" for name, number in asked.items()])
        text.say(
            f"Judges that were asked several times ({each}) are scored by the mean of their repeats; leaving out each "
            "repeat adds to the interval of worth."
        )
    if result.labels:
        text.say(
            "Agreement of labels, document by document, is given by Cohen's ",
            tex_words("κ"),
            text.cite("Cohen 1960"),
            " and Krippendorff's ",
            tex_words("α"),
            text.cite("Krippendorff 2004"),
            ".",
        )


def _compared(
    text: Text,
    truth: str,
    systems: int,
    compared: Sequence[EstimateComparison],
    measures: Sequence[str | None],
    side: str,
) -> None:
    """Who was compared with whom, on what."""
    known = [name for name in measures if name]
    by = f" by {_listed([_measure(name, text) for name in known])}" if known else ""
    topics = {e.topics for e in compared}
    on = ""
    if len(topics) == 1 and None not in topics:
        (number,) = topics
        on = f" on {counted(number or 0, compared[0].unit)}"
        if not compared[0].paired:
            on += f" ({counted(compared[0].truth_topics or 0, 'topic')} of {tex_name(truth)}, none in common)"
    names = _listed([tex_name(e.name) for e in compared])
    whom = names if len(compared) == 1 else f"{len(compared)} {side}s ({names})"
    if compared[0].aggregate != "mean":
        on += f" ({tex_name(compared[0].aggregate.replace('_', ' '))} over topics)"
    what = f"the ranking of {counted(systems, 'system')}{by}{on} under {tex_name(truth)}"
    text.say(f"We compared {what} with that under {whom}.")


def _measure(name: str, text: Text) -> str:
    from rankscope.measures.registry import parse_measures

    try:
        return tex_name(measure_name(name)) + text.cite(parse_measures(name)[0].record.reference)
    except RankscopeError:
        return tex_name(name)  # the name of a measure in a score table is free


def _agreement(text: Text, compared: Sequence[EstimateComparison], settings: dict[str, Any]) -> None:
    """Worth, rule, coefficients, intervals, tests."""
    level = tex_words(percent(settings["level"]))
    verdicts = [e.verdict for e in compared if e.verdict is not None]
    if verdicts:
        _worth(text, settings, level, beyond=any(verdict.own_worth is not None for verdict in verdicts))
    values = {c.name: c for e in compared for c in e.coefficients}
    both_ways = [name for name in values if "symmetric" in name]
    named = _listed([_coefficient(c, text) for name, c in values.items() if name not in both_ways])
    end = "; sym.\\ marks the mean of both directions." if both_ways else "."
    text.say(f"Agreement of rankings is measured by {named}{end}")
    methods = dict.fromkeys(c.interval.method for e in compared for c in e.coefficients if c.interval is not None)
    if methods:
        how = _listed([tex_words(method.replace(", ", " (") + ")" * (", " in method)) for method in methods])
        draws = f" with {settings['resamples']:,} resamples" if settings["resamples"] else ""
        text.say(f"Their {level} intervals are by {how}{draws}.")
    tested = next((e.separation for e in compared if e.separation is not None), None)
    if tested is not None:
        how, reference = _CORRECTIONS[tested.correction]
        over = "by their standard errors" if tested.test == "z" else "over topics"
        kind = "" if tested.test == "z" else "paired "
        text.say(
            f"Two systems differ significantly where a {kind}{tex_words(f'${tested.test}$')}-test {over} has ",
            tex_words(f"$p$ ≤ {tested.alpha:g}"),
            f", {'with ' if tested.correction != 'none' else ''}{how}{text.cite(reference)}.",
        )
    if any(e.rank_distance is not None for e in compared):
        text.say(f"The rank distance {tex_words('d_rank')} is Carterette's{text.cite('Carterette 2009')}.")
    if any(e.groups for e in compared):
        text.say(
            "Groups of systems are compared over topics (",
            tex_words("$t$"),
            f"-tests with Holm's correction{text.cite('Holm 1979')}) and by permuting the groups over systems; the ",
            f"larger {tex_words('$p$')} counts.",
        )


def _contrasts(text: Text, contrasts: Sequence[Contrast], settings: dict[str, Any]) -> None:
    """How the coefficients of two estimates were compared."""
    if not any(contrast.pvalue is not None for contrast in contrasts):
        return
    test = settings.get("contrast_test", "bootstrap")
    by = "a paired bootstrap over topics" if test == "bootstrap" else _swapped(test, text)
    text.say(f"Their differences are tested by {by}, with Holm's correction{text.cite('Holm 1979')}.")


def _swapped(test: str, text: Text) -> str:
    from rankscope.inference.swap_tests import RECORDS, SWAP_OF

    record = next(record for record in RECORDS if record.name == SWAP_OF[test])
    return f"the permutation test {tex_name(record.label)}{text.cite(record.reference)}"


def _worth(text: Text, settings: dict[str, Any], level: str, *, beyond: bool) -> None:
    """What a topic is worth, and the rule of the verdict."""
    interchangeable, substitute = settings["margins"]
    text.say(
        "The worth of a topic is the number of topics of the reference that rank systems as well; its ",
        f"{level} interval is a jackknife over topics and over systems.",
    )
    text.say(
        "A ranking is called interchangeable with that of the reference if the lower end is at least ",
        f"{interchangeable:g}, a substitute if it is at least {substitute:g}, a substitute with more topics if it is ",
        f"so with {settings['times']:g} times as many topics, and of use for clear differences only if the lower end ",
        f"times the number of topics is at least {settings['least_topics']:g}",
        "; each must also hold for what the scores tell beyond those of random labels." if beyond else ".",
    )
    text.say(
        f"The {tex_words('τ')} to expect with the true ranking, over the population of topics, is estimated by ",
        f"minimum squared quantile deviation{text.cite('Urbano & Marrero 2016')}.",
    )


def _coefficient(value: CoefficientValue, text: Text) -> str:
    try:
        reference = coefficient(value.name).record.reference
    except RankscopeError:
        reference = ""
    return tex_words(value.symbol) + text.cite(reference)


def ranking(result: rs.Ranking, text: Text) -> None:
    """What `rank` did."""
    level = tex_words(percent(result.settings["level"]))
    for board in result.leaderboards:
        over = "" if board.topics is None else f" over {counted(board.topics, board.unit)}"
        by = f" by {_measure(board.measure, text)}" if board.measure else ""
        name = "" if board.name is None or len(result.leaderboards) == 1 else f" of {tex_name(board.name)}"
        text.say(f"We ranked {counted(len(board.systems), 'system')}{name}{by}{over}.")
    contain = {
        "typical": f"of {level} of the systems, on average over the leaderboard",
        "marginal": f"of a system that was chosen beforehand, with {level} confidence",
        "simultaneous": f"of all systems at once, with {level} confidence",
    }
    guaranteed = "Mogstad et al. 2024; Klein, Wright & Wieczorek 2020" if result.kind != "typical" else ""
    text.say(f"Rank sets contain the true rank {contain[result.kind]}{text.cite(guaranteed)}.")
    text.say(f"They are from {result.settings['resamples']:,} draws.")
    text.say("Systems that share a letter are not significantly different by the simultaneous comparison of all pairs.")


def correction(result: rs.Correction, text: Text) -> None:
    """What `correct` did, by topic or by document."""
    by = f" by {_measure(result.measure, text)}" if result.measure else ""
    human = tex_name(result.human)
    for board in result.leaderboards:
        systems, judge = counted(len(board.systems), "system"), tex_name(board.judge)
        topics, sample = counted(board.human_topics, result.unit), board.documents
        if sample is None:
            more = counted(board.judged_topics, result.unit)
            text.say(f"Scores{by} of {systems} by {human} on {topics} were combined with those by {judge} on {more}.")
        else:
            text.say(
                f"We scored {systems}{by} on {topics}, of whose {sample.judged:,} documents {human} labelled ",
                f"{sample.labelled:,}, drawn with known probabilities, and {judge} all.",
            )
    level = tex_words(percent(result.settings["level"]))
    powered = f"prediction-powered{text.cite('Angelopoulos et al. 2023')}"
    if all(board.documents is not None for board in result.leaderboards):
        powered = "weighted by the inclusion probabilities of the labels"
    text.say(f"Corrected means are {powered}, with {level} intervals.")
    text.say("Systems are ranked by predictions of their means that combine both sides.")


def labels(result: rs.LabelReport, text: Text) -> None:
    """What `labels` did."""
    names = _listed([tex_name(judge) for judge in result.judges])
    pairs = _listed(list(dict.fromkeys(f"{own.coverage.pairs:,}" for own in result.agreements.values())))
    truth = tex_name(result.truth)
    text.say(f"We compared the labels of {names} with those of {truth} on {pairs} items that both labelled.")
    text.say(
        f"Agreement is given by Cohen's {tex_words('κ')}{text.cite('Cohen 1960')} and Krippendorff's ",
        f"{tex_words('α')}{text.cite('Krippendorff 2004')}; judges are compared with Holm's ",
        f"correction{text.cite('Holm 1979')}.",
    )
    s = result.settings
    unit = "items" if s["by_item"] else "topics"
    text.say(f"{tex_words(percent(s['level']))} intervals are from {s['resamples']:,} resamples of {unit}.")


def reliability(result: rs.Reliability, text: Text) -> None:
    """What `reliability` did."""
    tau, s = result.tau, result.settings
    by = f" by {_measure(result.measure, text)}" if result.measure else ""
    text.say(
        f"We estimated how well the ranking of {counted(tau.systems, 'system')}{by} on {counted(tau.topics, 'topic')} "
        f"correlates with the true ranking over the population of topics{text.cite('Urbano & Marrero 2016')}."
    )
    text.say(f"{tex_words(percent(s['level']))} intervals are from {s['resamples']:,} resamples of topics.")


def _listed(names: Sequence[str]) -> str:
    """Names as a sentence lists them.

    >>> _listed(["a", "b", "c"]), _listed(["a"])
    ('a, b and c', 'a')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _written(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_written, value))
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
