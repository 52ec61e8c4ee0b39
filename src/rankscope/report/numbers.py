"""How numbers are written in sentences, tables, charts and pages."""

from __future__ import annotations

import math

from rankscope.results import Interval

DASH = "–"


def two(value: float | None) -> str:
    """Two decimals, a real minus sign and no negative zero; a dash where there is no number.

    >>> two(-0.001), two(0.914), two(-0.25), two(None)
    ('0.00', '0.91', '−0.25', '–')
    """
    if value is None or not math.isfinite(value):
        return DASH
    return f"{round(value, 2) + 0.0:.2f}".replace("-", "−")


def worth_number(value: float | None) -> str:
    """A worth, or a number of topics as a share of others: as many digits as it deserves.

    >>> worth_number(0.004), worth_number(0.9811), worth_number(27.86), worth_number(math.inf)
    ('0.004', '0.98', '28', '∞')
    """
    if value is None or math.isnan(value):
        return DASH
    if math.isinf(value):
        return "∞"
    if value >= 1000.0:
        return "> 1,000"
    if value >= 10.0:
        return f"{value:.0f}"
    if 0.0 < value < 0.0005:
        return "< 0.001"
    return f"{value:.2f}" if value >= 0.01 or value == 0.0 else f"{value:.3f}"


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
    """Level and ends of an interval.

    >>> interval_text(Interval(low=0.66, high=1.574, level=0.95, method=""))
    '95 % interval 0.66 to 1.57'
    """
    write = worth_number if number == "worth" else two
    return f"{percent(interval.level)} interval {write(interval.low)} to {write(interval.high)}"


def percent(share: float) -> str:
    """A share in per cent, without decimals that say nothing.

    >>> percent(0.95), percent(0.99375), percent(0.049)
    ('95 %', '99.4 %', '4.9 %')
    """
    return f"{100.0 * share:.3g} %"
