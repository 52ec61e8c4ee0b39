"""Charts, each a pure function of a result. Altair: one specification gives the page and the paper's figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankscope.errors import BadParameter
from rankscope.studies.parts import Comparison, EstimateComparison, SystemComparison

if TYPE_CHECKING:
    import altair

# Okabe & Ito's colours, told apart by people with any colour vision, and in greyscale by their lightness.
_BLUE, _VERMILION, _GREY = "#0072B2", "#D55E00", "#999999"
# A system is marked when it moved by more than this share of the ranking.
_FAR = 0.1


def chart(result: Any) -> altair.Chart | altair.HConcatChart:
    """The chart of a result."""
    if isinstance(result, Comparison):
        return comparison_chart(result)
    raise BadParameter(f"there is no chart of {type(result).__name__}")


def comparison_chart(result: Comparison) -> altair.HConcatChart:
    """Scores against scores, one panel per estimate; systems that moved far in rank stand out."""
    import altair

    return altair.hconcat(*(_panel(result, estimate) for estimate in result.estimates))


def _panel(result: Comparison, estimate: EstimateComparison) -> altair.LayerChart | altair.FacetChart:
    import altair

    far = max(1.0, _FAR * len(estimate.systems))
    rows = [
        {
            "system": s.system,
            "truth": s.truth,
            "estimate": s.estimate,
            "truth rank": s.truth_rank,
            "estimate rank": s.estimate_rank,
            "moved": _moved(s, far),
        }
        for s in estimate.systems
    ]
    scale = altair.Scale(zero=False, nice=True)
    kinds, shapes = ["little", "up", "down"], ["circle", "triangle-up", "triangle-down"]
    points = (
        altair.Chart({"values": rows})
        .mark_point(filled=True, size=55, opacity=0.9)
        .encode(
            x=altair.X("truth:Q", title=_axis("truth", result.truth.name, result.truth.measure), scale=scale),
            y=altair.Y("estimate:Q", title=_axis("estimate", estimate.name, estimate.measure), scale=scale),
            color=altair.Color(
                "moved:N", title="rank moved", scale=altair.Scale(domain=kinds, range=[_GREY, _BLUE, _VERMILION])
            ),
            shape=altair.Shape(
                "moved:N",
                title="rank moved",
                scale=altair.Scale(domain=kinds, range=shapes),
            ),
            tooltip=[
                "system:N",
                altair.Tooltip("truth:Q", format=".4f"),
                altair.Tooltip("estimate:Q", format=".4f"),
                "truth rank:Q",
                "estimate rank:Q",
            ],
        )
    )
    title = altair.TitleParams(estimate.name, subtitle=_subtitle(estimate))
    return altair.layer(points).properties(width=260, height=260, title=title)


def picture(result: Any, style: str) -> bytes:
    """A result's chart as svg, png or pdf, made without a browser."""
    import vl_convert

    specification = chart(result).to_dict()
    if style == "svg":
        return str(vl_convert.vegalite_to_svg(specification)).encode()
    if style == "pdf":
        return bytes(vl_convert.vegalite_to_pdf(specification))
    return bytes(vl_convert.vegalite_to_png(specification, scale=2.0))


def _moved(system: SystemComparison, far: float) -> str:
    steps = system.estimate_rank - system.truth_rank
    return "down" if steps > far else "up" if steps < -far else "little"


def _axis(role: str, name: str, measure: str | None) -> str:
    return f"{role}: {name}" + ("" if measure is None or measure == name else f", {measure}") + " (higher is better)"


def _subtitle(estimate: EstimateComparison) -> str:
    shown = [c for c in estimate.coefficients if c.name in ("kendall", "tau_ap", "tau_gap")]
    return "  ".join(f"{c.symbol} {c.value:.3f}" for c in shown) or f"{estimate.swap_count} swaps"
