"""A result as one HTML file: no script, no network, every name escaped."""

from __future__ import annotations

import html

from rankscope.errors import BadParameter
from rankscope.report.charts import picture
from rankscope.report.terminal import headline, where_they_part
from rankscope.results import Result, Table
from rankscope.studies.parts import Comparison, EstimateComparison

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; }
table { border-collapse: collapse; margin: 1rem 0; } td, th { padding: .25rem .75rem; text-align: left; }
tr { border-bottom: 1px solid #ddd; } thead { border-bottom: 2px solid #666; } svg { max-width: 100%; height: auto; }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_SWAPS_SHOWN = 25


def page(result: Result) -> str:
    """The page of a result."""
    if not isinstance(result, Comparison):
        raise BadParameter(f"there is no page of {type(result).__name__}")
    sections = "".join(_section(result, estimate) for estimate in result.estimates)
    title = html.escape(f"Do they rank systems as {result.truth.name} does?")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f'<meta name="viewport" content="width=device-width"><title>{title}</title><style>{_STYLE}</style></head><body>'
        f"<h1>{title}</h1>{picture(result, 'svg').decode()}{sections}</body></html>\n"
    )


def _section(result: Comparison, estimate: EstimateComparison) -> str:
    values = Table(
        ("", "coefficient", "value", "low", "high", "p, chance", "looks at"),
        tuple(
            (
                c.symbol,
                c.name,
                c.value,
                None if c.interval is None else c.interval.low,
                None if c.interval is None else c.interval.high,
                c.pvalue,
                c.looks_at,
            )
            for c in estimate.coefficients
        ),
    )
    swaps = Table(
        ("better in the truth", "worse", "gap in the truth", "gap in the estimate", "p in the truth"),
        tuple((s.better, s.worse, s.truth_gap, s.estimate_gap, s.pvalue) for s in estimate.swaps[:_SWAPS_SHOWN]),
    )
    sentences = "".join(f"<li>{html.escape(sentence)}</li>" for sentence in where_they_part(estimate))
    asked = result.settings
    made = f"{asked['resamples']:,} draws of topics, level {asked['level']:g}, seed {asked['seed']}"
    return (
        f"<h2>{html.escape(estimate.name)}</h2><p>{html.escape(headline(result, estimate))}</p><ul>{sentences}</ul>"
        f"{values.to_html()}<p>Intervals: {html.escape(made)}.</p>"
        + (f"<h3>Largest swaps</h3>{swaps.to_html()}" if estimate.swaps else "")
    )
