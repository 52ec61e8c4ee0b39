"""How numbers are written in sentences, tables, charts and pages: one minus sign, a dash where there is no number."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rankscope.results import Interval

if TYPE_CHECKING:
    from rankscope.inference.corrections import Correction
    from rankscope.inference.pairs import AnyTest

DASH = "–"
_LEAST_P = 0.0001
# From here on a number is written with a power of ten, and this number of digits.
_MANY_DIGITS, _IN_POWERS = 1e15, 4
# Why there is no interval over topics.
NO_INTERVAL = {
    "no resamples": "no resamples were asked for",
    "no topics": "neither side has topics or standard errors",
    "one topic": "one topic has no spread to resample",
}
_CORRECTIONS = {"none": "uncorrected", "bonferroni": "Bonferroni", "holm": "Holm", "bh": "BH"}


def decimals(value: float | None, digits: int = 3, *, sign: bool = False) -> str:
    """A number with this many decimals, a real minus sign and no negative zero; `sign` also writes the plus.

    >>> decimals(-0.0001), decimals(0.9144), decimals(-0.25, 2), decimals(0.5, 1, sign=True), decimals(None)
    ('0.000', '0.914', '−0.25', '+0.5', '–')
    >>> decimals(math.inf), decimals(math.nan), decimals(-2.5e200)
    ('∞', '–', '−2.5e+200')
    """
    if value is None or math.isnan(value):
        return DASH
    if math.isinf(value):
        return "∞" if value > 0.0 else "−∞"
    form = f".{digits}f" if abs(value) < _MANY_DIGITS else f".{_IN_POWERS}g"
    return minus(f"{round(value, digits) + 0.0:{'+' if sign else ''}{form}}")


def minus(text: str) -> str:
    """A written number with the one minus sign.

    >>> minus("-0.5")
    '−0.5'
    """
    return text.replace("-", "−")


def two(value: float | None) -> str:
    """Two decimals.

    >>> two(-0.001), two(0.914), two(-0.25), two(None)
    ('0.00', '0.91', '−0.25', '–')
    """
    return decimals(value, 2)


def counted(number: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "topic"), counted(1200, "pair")
    ('1 topic', '1,200 pairs')
    """
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def score_digits(values: Iterable[float]) -> int:
    """The decimals of scores, by the width of their range: 4 for scores up to 1, fewer for larger ones.

    >>> score_digits([0.2, 0.9]), score_digits([31.5, 77.02]), score_digits([1034.4024, 1287.6])
    (4, 2, 1)
    """
    known = [value for value in values if math.isfinite(value)]
    spread = max(known, default=0.0) - min(known, default=0.0) or max(map(abs, known), default=0.0)
    return 4 if spread <= 1.0 else max(0, 4 - math.ceil(math.log10(spread)))


def p_value(value: float) -> str:
    """A p-value after the letter p, never zero.

    >>> p_value(0.00001), p_value(0.25)
    ('< 0.0001', '= 0.2500')
    """
    return p_cell(value) if value < _LEAST_P else f"= {p_cell(value)}"


def p_cell(value: float | None) -> str:
    """A p-value in a column of them.

    >>> p_cell(0.00001), p_cell(0.25), p_cell(None)
    ('< 0.0001', '0.2500', '–')
    """
    if value is None:
        return DASH
    return f"< {_LEAST_P:.4f}" if value < _LEAST_P else f"{value:.4f}"


def number_range(low: float | None, high: float | None, digits: int = 3) -> str:
    """The ends of an interval; empty without an interval.

    >>> number_range(-0.1, 0.25, 2), number_range(None, None)
    ('−0.10 to 0.25', '')
    """
    return "" if low is None or high is None else f"{decimals(low, digits)} to {decimals(high, digits)}"


def worth_number(value: float | None) -> str:
    """A worth, or a number of topics relative to others, with as many digits as are meaningful.

    >>> worth_number(0.004), worth_number(0.9811), worth_number(27.86), worth_number(math.inf)
    ('0.004', '0.98', '28', '∞')
    """
    if value is None or not math.isfinite(value):
        return decimals(value)
    if value >= 1000.0:
        return "> 1,000"
    if value >= 10.0:
        return f"{value:.0f}"
    if 0.0 < value < 0.0005:
        return "< 0.001"
    return decimals(value, 2 if value >= 0.01 or value == 0.0 else 3)


def whole(value: float | None) -> str:
    """A number of topics.

    >>> whole(27.4), whole(0.3), whole(1234567.0), whole(math.inf)
    ('27', 'less than 1', '1,234,567', 'any number of')
    """
    if value is None or math.isnan(value):
        return DASH
    if math.isinf(value):
        return "any number of"
    return "less than 1" if value < 1.0 else f"{value:,.0f}"


def interval_text(interval: Interval, *, number: str = "two") -> str:
    """Level and ends of an interval: of worths, or with two or three decimals.

    >>> interval_text(Interval(low=0.66, high=1.574, level=0.95, method=""))
    '95 % interval 0.66 to 1.57'
    """
    write = {"worth": worth_number, "two": two, "three": decimals}[number]
    return f"{percent(interval.level)} interval {write(interval.low)} to {write(interval.high)}"


def percent(share: float) -> str:
    """A share in per cent, to three significant digits.

    >>> percent(0.95), percent(0.99375), percent(0.049)
    ('95 %', '99.4 %', '4.9 %')
    """
    return f"{100.0 * share:.3g} %"


def how_tested(test: AnyTest, correction: Correction, alpha: float) -> str:
    """How pairs were tested: test, correction and level.

    >>> how_tested("t", "bh", 0.05)
    'paired t-test, BH, 5 %'
    """
    from rankscope.inference.pairs import label_of_test

    return f"{label_of_test(test)}, {_CORRECTIONS[correction]}, {percent(alpha)}"
