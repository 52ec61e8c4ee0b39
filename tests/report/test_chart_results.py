"""Every result has its charts: what they are made of, that they draw, and that none is forgotten."""

import base64
import functools
import html
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from altair.utils.schemapi import debug_mode
from sample_results import HUMAN, PARTIAL, made

import rankscope as rs
from narrowing import known
from rankscope.report.charts import chart, charts_of, find_chart, picture, specification
from rankscope.report.kinds import KINDS
from rankscope.report.sentences import verdict_headline
from rankscope.report.theme import config

# Charts of judges and of measures have tests of their own (test_page_report.py, test_metrics_report.py).
HERE = [
    pytest.param(kind.result, chart.name, id=f"{kind.result}-{chart.name}")
    for kind in KINDS
    for chart in kind.charts
    if kind.result != "JudgeReport" and "metrics" not in chart.function
]


@pytest.mark.parametrize(("kind", "name"), HERE)
def test_a_chart_draws(kind, name):
    png = picture(made(kind), "png", name)
    assert png.startswith(b"\x89PNG")
    assert len(png) > 5_000


ALL = [
    pytest.param(kind.result, chart.name, id=f"{kind.result}-{chart.name}") for kind in KINDS for chart in kind.charts
]


@pytest.mark.parametrize(("kind", "name"), ALL)
def test_a_chart_is_the_same_with_altairs_copies(kind, name):
    result = made(kind)
    with debug_mode(False):
        copied = find_chart(result, name).load()(result).configure(**config("light")).to_dict(validate=False)
    plain, other = (
        re.sub(r"(view|param|data)[-_0-9a-f]+", "", json.dumps(spec)) for spec in (specification(result, name), copied)
    )
    assert plain == other


def encodings(node):
    """Every encoding in a specification."""
    if isinstance(node, dict):
        if isinstance(node.get("encoding"), dict):
            yield node["encoding"]
        for key, inner in node.items():
            if key not in ("datasets", "config"):
                yield from encodings(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from encodings(inner)


@functools.cache
def light(kind, name):
    return chart(made(kind), name).to_dict()  # Altair validates


@pytest.mark.parametrize(("kind", "name"), HERE)
def test_a_chart_is_data_with_names_on_hover_and_titles_on_axes(kind, name):
    spec = light(kind, name)
    json.dumps(spec, allow_nan=False)
    found = list(encodings(spec))
    assert any("tooltip" in one for one in found)
    titles = [one[axis].get("title") for one in found for axis in ("x", "y") if isinstance(one.get(axis), dict)]
    assert any(titles)
    # What differs in colour differs in shape or dash too, except for cells of matrices, which have no room.
    for one in found:
        colour = one.get("color", {})
        if colour.get("field") == "kind" and "x2" not in one and "y2" not in one and name not in SQUARES:
            assert "shape" in one or "strokeDash" in one or "yOffset" in one or colour.get("legend") is None


SQUARES = ("map", "discordance", "weights", "pairs", "topics", "error", "bias")


@pytest.mark.parametrize(("kind", "name"), HERE)
def test_dark_is_the_same_chart_with_another_configuration(kind, name):
    dark = specification(made(kind), name, theme="dark")
    assert dark["config"] != light(kind, name)["config"]
    assert {**dark, "config": None} == {**light(kind, name), "config": None}


def test_results_draw_themselves():
    result = made("Comparison")
    assert result.chart().to_dict() == specification(result, "scores")
    assert result.chart("ranks", theme="dark").to_dict() == specification(result, "ranks", theme="dark")
    known = "scores, ranks, coefficients, worth, discordance, certainty, top, decisiveness, contrasts"
    with pytest.raises(rs.BadParameter, match=f"it has: {known}"):
        result.chart("rank")
    wrong: Any = "grey"
    with pytest.raises(rs.BadParameter, match="light, dark"):
        chart(result, theme=wrong)


def test_a_subclass_is_drawn_as_its_base():
    base = made("DiscriminativePower")

    class Other(rs.DiscriminativePower):
        pass

    assert charts_of(Other(**base.__dict__)) == charts_of(base)


def test_a_notebook_shows_the_answer_a_compact_table_and_the_chart():
    result = made("Comparison")
    shown = result._repr_html_()
    assert shown.startswith("<p><strong>careful instead of human: ")
    said, table, picture, more = known(
        re.fullmatch(r"(.*?)(<div .*?</table></div>)<p>(<img [^>]*>)</p>(<details>.*</details>)", shown)
    ).groups()
    assert verdict_headline(known(result.estimates[0].verdict)) in html.unescape(said)
    assert said.count("<p>") <= 5
    assert "ρ_r" in table
    assert "τ_fuzzy" not in table  # as in the text, the main coefficients
    assert "instead of human" in more
    assert "<svg" not in shown  # which a notebook that is not trusted would take apart
    form = r'<img alt="([^"]+)" width="(\d+)" style="max-width:100%" src="data:image/png;base64,([^"]+)">'
    alt, width, data = known(re.fullmatch(form, picture)).groups()
    assert html.unescape(alt) == charts_of(result)[0].shows
    assert 2 * int(width) == int.from_bytes(base64.b64decode(data)[16:20], "big")


def test_a_notebook_shows_the_rest_where_charts_cannot_be_drawn(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "vl_convert", None)  # as if it were not installed
    shown = made("Significance")._repr_html_()
    assert "<img" not in shown
    assert "<table>" in shown
    assert "rows more" in shown


def rows(spec, field):
    """The rows of the data sets that have this field."""
    return [row for values in spec["datasets"].values() for row in values if field in row]


def test_a_point_for_each_system_and_estimate():
    spec = specification(made("Comparison"), "scores")
    points = rows(spec, "truth rank")
    assert len(points) == 2 * len(HUMAN.systems)
    assert {row["system"] for row in points} == set(HUMAN.systems)
    assert all(row["truth low"] < row["truth"] < row["truth high"] for row in points)


def test_swapped_pairs_are_marked():
    result = made("Comparison")
    for estimate in result.estimates:
        cells = {(row["i"], row["j"]) for row in rows(specification(result, "discordance"), "i")}
        places = {s.system: rank for rank, s in enumerate(estimate.systems, start=1)}
        assert {(places[s.better], places[s.worse]) for s in estimate.swaps} <= cells
    told = {name for s in result.estimates[1].swaps if s.significant for name in (s.better, s.worse)}
    assert told
    spec = rs.compare(HUMAN, PARTIAL, resamples=0).chart().to_dict()
    marked = {row["system"] for row in rows(spec, "kind") if row["kind"] == "significant swap"}
    assert marked == told


def test_coefficients_are_shown_beside_the_chance_level():
    from rankscope.report.charts.coefficients import coefficients_panel
    from rankscope.report.charts.sides import sides_of

    sides = sides_of(made("Comparison"))[0]
    bare = coefficients_panel([replace(sides, chance=None)]).to_dict()
    shaded = coefficients_panel([replace(sides, chance={"tau_b": (0.1, 0.3), "none": (0, 1)})]).to_dict()
    assert len(shaded["layer"]) == len(bare["layer"]) + 1
    assert {(row["what"], row["low"]) for row in rows(shaded, "what")} == {("random scores", 0.1)}


def test_contrasts_need_two_estimates():
    with pytest.raises(rs.BadParameter, match="two estimates"):
        rs.compare(HUMAN, PARTIAL, resamples=50).chart("contrasts")


def test_a_significance_map_has_every_pair():
    spec = specification(made("Significance"))
    cells = rows(spec, "i")
    assert len(cells) == made("Significance").pairs
    assert sum(row["kind"] == "p ≤ 0.05" for row in cells) / len(cells) == made("Significance").share


def test_the_null_has_the_observed_and_the_critical_value():
    result = made("RankDistanceTest")
    at = sorted(row["at"] for row in rows(specification(result), "at"))
    assert at == sorted([result.distance, result.critical_value(0.05)])
    bars = rows(specification(result), "share")
    assert sum(row["share"] for row in bars) == pytest.approx(1.0)


def test_an_infinite_distance_is_drawn_too():
    values = np.array([[0.1, 0.2, 0.7], [0.2, 0.3, 0.3], [0.3, 0.4, 0.6], [0.4, 0.5, 0.2], [0.2, 0.3, 0.1]])
    result = rs.rank_distance_test(values, [0.5, 0.1, 0.3], ridge=0.0, resamples=99)
    assert np.isinf(result.distance)
    assert picture(result, "svg")


def test_the_curve_of_reliability_has_the_target():
    result = made("Reliability")
    spec = specification(result, "topics")
    assert {row["topics"] for row in rows(spec, "low")} == {c.topics for c in result.counts}
    assert [row["y"] for row in rows(spec, "y")] == [result.needed.target]


def test_every_chart_is_in_the_list_of_charts():
    page = (Path(__file__).parents[2] / "docs" / "charts.md").read_text(encoding="utf-8")
    for shown in (each for kind in KINDS for each in kind.charts):
        assert f"| `{shown.name}` | {shown.shows} |" in page, "add it to docs/charts.md"


def test_reduced_judgments_are_three_panels():
    # Carterette 2009, Figure 4: correlation, rank distance, p
    spec = specification(made("HolesStudy"))
    titles = [panel["layer"][-1]["encoding"]["y"]["title"] for panel in spec["hconcat"]]
    assert [title.split()[0] for title in titles] == ["τ_b", "d_rank", "p"]
    shares = {row["x"] for row in rows(spec, "coefficient")}
    assert shares == {0.2, 0.8}


def test_panels_of_reorderings_go_from_near_to_far():
    result = made("ReorderingStudy")
    titles = [panel["title"]["text"] for panel in specification(result)["concat"]]
    assert titles[0].startswith(f"(a) d_rank {result.reorderings[0].distance:.2f}")
    assert len(titles) == len(result.reorderings)


def test_tooltips_name_the_aggregate():
    result = rs.compare(HUMAN.scored("median"), PARTIAL.scored("median"), resamples=20)
    drawn = result.chart("scores").to_json()
    assert '"title": "median, ' in drawn
    assert '"title": "mean, ' not in drawn


def test_intervals_in_characters_stand_below_each_other_in_a_notebook():
    cells = re.findall(r'<td style="([^"]*)">[·╶─╴● ]*●', made("Comparison")._repr_html_())
    assert cells
    assert all("monospace" in style for style in cells)
