"""The verdict on a judge: a fixed rule over the numbers of an answer, with its reasons; docs/verdict.md says why.

Every limit stands here by name. The rule never looks at anything that is not in the answer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from rankscope.inference.fresh_topics import FreshAgreement
    from rankscope.results import Interval
    from rankscope.studies.judging.ceiling import Ceiling
    from rankscope.studies.judging.certainty import PairCertainty
    from rankscope.studies.judging.findings import Winner
    from rankscope.studies.judging.floor import Floor
    from rankscope.studies.judging.shift import Shift
    from rankscope.studies.parts import CoefficientValue, EstimateComparison

Level = Literal[
    "interchangeable",
    "within the luck of topics",
    "clear differences only",
    "not interchangeable",
    "no better than chance",
    "undecided",
]
LEVELS: tuple[Level, ...] = get_args(Level)

# The judge must have labelled this share of the truth's pairs to stand for it.
COVERED = 0.95
# Of the pairs that both sides tell apart, this share may be reversed.
REVERSED_AT_BEST = 0.01
REVERSED_AT_MOST = 0.05
# A group is favoured if its systems move by this share of all places on average, with scores to match.
FAVOURED = 0.05
# Of the pairs that the truth tells apart, this share must be in the same order to tell clear differences by.
ORDERED_ALIKE = 0.9


_AVERAGE = "fresh topics give on average"


@dataclass(frozen=True, kw_only=True)
class Reason:
    """One test of the rule: what was asked, whether it holds (None: it could not be asked), and the numbers."""

    test: str
    holds: bool | None
    text: str


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The level, one sentence to quote, and every reason."""

    level: Level
    sentence: str
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What the rule looks at."""

    judge: str
    measure: str
    agreement: EstimateComparison
    top: EstimateComparison | None
    ceiling: Ceiling | None
    floor: Floor | None
    certainty: PairCertainty | None
    shift: Shift | None
    winner: Winner
    truth_topics: int
    judge_topics: int
    covered: float | None
    alpha: float


def verdict(e: Evidence) -> Verdict:
    """Apply the rule.

    1. τ undefined: *no better than chance*, or *undecided* if it is the truth that ranks nothing. 2. τ not above the
    floor: *no better than chance*, or *undecided* where its interval also reaches the ceiling. 3. All tests hold, and
    τ and τ_AP are what fresh topics give on average or more: *interchangeable*. 4. They hold with what unlucky fresh
    topics give: *within the luck of topics*. 5. The truth's significant pairs are kept well enough: *clear differences
    only*. 6. Else *not interchangeable*.
    """
    tau = e.agreement["tau_b"]
    if not math.isfinite(tau.value):
        ranked = len({system.truth for system in e.agreement.systems}) > 1
        who = "the judge's labels score" if ranked else "the truth's labels score"
        reason = Reason(test="a ranking", holds=False, text=f"{who} all systems alike")
        return _verdict(e, "no better than chance" if ranked else "undecided", [reason])
    above = _above_floor(tau, e.floor)
    if above.holds is False:
        unsure = e.ceiling is None or (tau.interval is not None and tau.interval.high >= e.ceiling["tau_b"].mean)
        return _verdict(e, "undecided" if unsure else "no better than chance", [above])
    ceilings = {name: None if e.ceiling is None else e.ceiling[name] for name in ("tau_b", "tau_ap")}
    averages = [
        _within(tau, ceilings["tau_b"], "agreement", lucky=True),
        _within(e.agreement["tau_ap"], ceilings["tau_ap"], "agreement near the top", lucky=True),
    ]
    tests = [
        above,
        _within(tau, ceilings["tau_b"], "agreement"),
        _within(e.agreement["tau_ap"], ceilings["tau_ap"], "agreement near the top"),
        _top(e),
        _reversals(e.certainty, REVERSED_AT_BEST),
        _winner(e.winner),
        _groups(e),
        _coverage(e),
    ]
    if e.ceiling is None or e.certainty is None:
        return _verdict(e, "undecided", [*averages, *tests])
    if all(reason.holds is not False for reason in tests):
        at_best = all(reason.holds is not False for reason in averages)
        return _verdict(e, "interchangeable" if at_best else "within the luck of topics", [*averages, *tests])
    clear = [_alike(e), _reversals(e.certainty, REVERSED_AT_MOST)]
    level: Level = "clear differences only" if all(r.holds is not False for r in clear) else "not interchangeable"
    return _verdict(e, level, [*averages, *tests, clear[0]])


def _above_floor(tau: CoefficientValue, floor: Floor | None) -> Reason:
    test = "better than labels that know nothing"
    mean, high = (None, None) if floor is None else (floor["tau_b"].mean, floor["tau_b"].high)
    if mean is None or high is None:
        return Reason(test=test, holds=None, text="what labels that know nothing would reach could not be drawn")
    low = tau.value if tau.interval is None else tau.interval.low
    holds = tau.value > high and low > mean
    text = f"τ {_number(tau)}; shuffled labels reach {two(mean)} (97.5 % of them at most {two(high)})"
    return Reason(test=test, holds=holds, text=text)


def _within(found: CoefficientValue, fresh: FreshAgreement | None, what: str, *, lucky: bool = False) -> Reason:
    """Whether agreement is as good as fresh topics give on average (`lucky`), or in all but 1 of 40 samples."""
    test = f"{what} as good as {_AVERAGE if lucky else 'unlucky fresh topics may give'}"
    if fresh is None or not math.isfinite(fresh.mean):
        return Reason(test=test, holds=None, text="what fresh topics would give could not be told")
    bar = fresh.mean if lucky else fresh.interval.low
    if lucky:
        text = f"{found.symbol} {_number(found)}, fresh topics {two(fresh.mean)} on average"
    else:
        text = (
            f"{found.symbol} {_number(found)}, {fresh.interval.level:.0%} of fresh topics at {_range(fresh.interval)}"
        )
    return Reason(test=test, holds=found.value >= bar, text=text)


def _top(e: Evidence) -> Reason:
    fresh = None if e.ceiling is None else next((f for f in e.ceiling.fresh_top if f.name == "tau_b"), None)
    if e.top is None or fresh is None or not math.isfinite(e.top["tau_b"].value):
        test = "the best systems ordered as fresh topics would"
        return Reason(test=test, holds=None, text="there are too few systems for a top of their own, or they all tie")
    found = _within(e.top["tau_b"], fresh, f"order of the best {len(e.top.systems)}")
    return found


def _reversals(certainty: PairCertainty | None, most: float) -> Reason:
    test = f"at most {most:.0%} of the pairs that both tell apart reversed"
    if certainty is None:
        return Reason(test=test, holds=None, text="one topic cannot tell systems apart")
    text = f"{certainty.both_opposite:,} of {certainty.both:,} pairs that both tell apart are reversed"
    return Reason(test=test, holds=certainty.reversed_share <= most, text=text)


def _winner(winner: Winner) -> Reason:
    test = "the winner kept, or one that the truth cannot tell from it"
    if winner.same:
        return Reason(test=test, holds=True, text=f"{winner.truth} wins on both sides")
    text = f"{winner.truth} wins by the truth, {winner.judge} by the judge"
    if winner.told_apart is None:
        return Reason(test=test, holds=False, text=text)
    apart = "which the truth finds worse" if winner.told_apart else "which the truth cannot tell from it"
    return Reason(test=test, holds=not winner.told_apart, text=f"{text}, {apart}")


def _groups(e: Evidence) -> Reason:
    test = "no group of systems favoured"
    if e.shift is None or not e.shift.groups:
        return Reason(test=test, holds=None, text="no groups were given")
    least = FAVOURED * len(e.agreement.systems)
    favoured = [
        g
        for g in e.shift.groups
        if g.adjusted is not None and g.adjusted <= e.alpha and abs(g.ranks_gained) >= max(least, 1.0)
    ]
    if not favoured:
        text = f"none of {len(e.shift.groups)} groups gains or loses {max(least, 1.0):.1f} places beyond doubt"
        return Reason(test=test, holds=True, text=text)
    most = min(favoured, key=lambda g: (g.adjusted, -abs(g.ranks_gained)))
    moves = "gain" if most.ranks_gained > 0 else "lose"
    text = f"systems of {most.group} {moves} {abs(most.ranks_gained):.1f} places on average"
    return Reason(test=test, holds=False, text=text)


def _coverage(e: Evidence) -> Reason:
    test = "all topics judged, and nearly all documents"
    share = "" if e.covered is None else f", {e.covered:.1%} of the truth's pairs"
    holds = e.judge_topics >= e.truth_topics and (e.covered is None or e.covered >= COVERED)
    return Reason(test=test, holds=holds, text=f"{e.judge_topics} of {e.truth_topics} topics{share}")


def _alike(e: Evidence) -> Reason:
    test = f"{ORDERED_ALIKE:.0%} of the pairs that the truth tells apart in the same order"
    separation = e.agreement.separation
    if separation is None or separation.discriminative_power is None:
        return Reason(test=test, holds=False, text="the truth tells no pair apart")
    power = separation.discriminative_power
    text = f"{power:.1%} of {separation.pairs:,} pairs that the truth tells apart are in the same order"
    return Reason(test=test, holds=power >= ORDERED_ALIKE, text=text)


def two(value: float) -> str:
    """Two decimals, and no zero below zero.

    >>> two(-0.001), two(0.914)
    ('0.00', '0.91')
    """
    return f"{round(value, 2) + 0.0:.2f}"


def _number(found: CoefficientValue) -> str:
    return f"{two(found.value)}" if found.interval is None else f"{two(found.value)} ({_range(found.interval)})"


def _range(band: Interval) -> str:
    return f"{two(band.low)} to {two(band.high)}"


_OPENINGS: dict[Level, str] = {
    "interchangeable": "{judge} ranks these {systems} systems as well as fresh topics, judged as the truth is, would",
    "within the luck of topics": "{judge} ranks these {systems} systems as unlucky fresh topics might",
    "clear differences only": "{judge} tells clearly different systems apart, and cannot stand for the truth",
    "not interchangeable": "{judge} does not rank these {systems} systems as the truth does",
    "no better than chance": "{judge} ranks these {systems} systems no better than labels that know nothing",
    "undecided": "these data cannot tell whether {judge} ranks systems as the truth does",
}


def _verdict(e: Evidence, level: Level, reasons: Sequence[Reason]) -> Verdict:
    opening = _OPENINGS[level].format(judge=e.judge, systems=len(e.agreement.systems))
    tau = e.agreement["tau_b"]
    if math.isfinite(tau.value):
        facts = [f"τ {_number(tau)}"]
        if e.ceiling is not None and math.isfinite(e.ceiling["tau_b"].mean):
            facts.append(f"fresh topics would give {two(e.ceiling['tau_b'].mean)}")
        if e.floor is not None and e.floor["tau_b"].mean is not None:
            facts.append(f"shuffled labels {two(e.floor['tau_b'].mean)}")
    else:
        facts = [reasons[0].text]
    failed = [reason.text for reason in reasons if reason.holds is False and not reason.test.endswith(_AVERAGE)]
    if level in ("within the luck of topics", "no better than chance") or not math.isfinite(tau.value):
        failed = []  # said already
    against = f" Against it: {'; '.join(failed)}." if failed else ""
    sentence = f"Under {e.measure}, {opening}: {', '.join(facts)}.{against}"
    return Verdict(level=level, sentence=sentence, reasons=tuple(reasons))
