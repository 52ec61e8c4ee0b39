"""Every result has its charts: what they are made of, that they draw, and that none is forgotten."""

import base64
import functools
import html
import importlib
import json
import pkgutil
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import rankscope as rs
from rankscope.demo import demo_scores
from rankscope.report.charts import CHARTS, chart, charts_of, picture, specification
from rankscope.report.charts.registry import WITHOUT
from rankscope.results import Result
from rankscope.studies.nulls import null_table

TABLES = demo_scores()
HUMAN, CAREFUL, PARTIAL = TABLES["human"], TABLES["careful"], TABLES["partial"]
THREE = [[0.283, 0.481, 0.516], [0.017, 0.399, 0.544], [0.075, 0.300, 0.277], [0.183, 0.662, 0.616]]

_TOPICS, _SYSTEMS = [str(t) for t in range(8)], [f"s{i}" for i in range(6)]
_RNG = np.random.default_rng(0)
RUNS = rs.RunSet.of({s: {t: [f"d{d}" for d in _RNG.permutation(30)[:12]] for t in _TOPICS} for s in _SYSTEMS})
TRUTH = rs.Judgments.of({t: {f"d{d}": int(_RNG.integers(0, 3)) for d in range(30)} for t in _TOPICS})
JUDGE = rs.Judgments.of({t: {f"d{d}": int(_RNG.integers(0, 3)) for d in range(30)} for t in _TOPICS})
BRIEF = {"coefficients": ["tau_b", "tau_ap"], "resamples": 49}

MADE = {
    "PoolDepthStudy": lambda: rs.study_pool_depth(RUNS, TRUTH, depths=[1, 5, 10], **BRIEF),
    "HolesStudy": lambda: rs.study_holes(RUNS, TRUTH, fractions=[0.2, 0.8], repeats=3, **BRIEF),
    "TopicsStudy": lambda: rs.study_topics(RUNS, TRUTH, sizes=[2, 4, 6], repeats=3, **BRIEF),
    "PseudoStudy": lambda: rs.study_pseudo(RUNS, TRUTH, draws=4, **BRIEF),
    "UniquesStudy": lambda: rs.study_uniques(RUNS, TRUTH, **BRIEF),
    "DepthCostStudy": lambda: rs.study_depth_cost(
        RUNS,
        TRUTH,
        judges={"j</script>": JUDGE},
        depths=[1, 5],
        fractions=[0.5, 1.0],
        repeats=2,
        coefficients=["tau_b"],
    ),
    "Evaluation": lambda: rs.evaluate(RUNS, TRUTH, ("nDCG@10", "AP")),
    "TopicEvaluation": lambda: rs.evaluate(RUNS, TRUTH, ("nDCG@10", "AP")).by_topic(),
    "Coverage": lambda: rs.coverage(RUNS, TRUTH),
    "Worth": lambda: rs.worth(HUMAN, PARTIAL),
    "NewTopicAgreement": lambda: rs.new_topic_agreement(HUMAN, ["kendall", "tau_ap"], resamples=99),
    "LabelAgreement": lambda: rs.label_agreement(TRUTH, JUDGE),
    "Comparison": lambda: rs.compare(HUMAN, CAREFUL, PARTIAL, resamples=200),
    "Bootstrap": lambda: rs.bootstrap(HUMAN, PARTIAL, ["kendall", "tau_gap"], resamples=200),
    "Permutation": lambda: rs.permutation_test(HUMAN, PARTIAL, permutations=99)[0],
    "Significance": lambda: rs.significance(HUMAN),
    "PairWeights": lambda: rs.study_weights(HUMAN, coefficients=["tau_ap", "tau_gap"]),
    "SwapStudy": lambda: rs.study_swaps(HUMAN, draws=50),
    "GapStudy": lambda: rs.study_gaps(draws=300, systems=20),
    "ReorderingStudy": lambda: rs.study_reorderings(HUMAN, draws=200, resamples=99),
    "RankContour": lambda: rs.rank_contour(THREE, [0.5, 0.75, 0.7]),
    "AllowedRanks": lambda: rs.allowed_ranks(HUMAN, by="tau"),
    "RankDistanceNull": lambda: rs.rank_distance_null(HUMAN, resamples=199),
    "RankDistanceTest": lambda: rs.rank_distance_test(HUMAN, PARTIAL, resamples=199),
    "RankDistance": lambda: rs.d_rank(HUMAN, PARTIAL),
    "NullTable": lambda: null_table({"human": HUMAN, "partial": PARTIAL}, resamples=199),
    "DiscriminativePower": lambda: rs.discriminative_power(HUMAN, PARTIAL),
    "MeasurePower": lambda: rs.sakai_discriminative_power(HUMAN, test="t"),
    "TopicInfluence": lambda: rs.topic_influence(HUMAN, PARTIAL, ["kendall", "tau_ap"]),
    "Reliability": lambda: rs.reliability(HUMAN, resamples=50, topic_counts=(10, 40, 200)),
    "ExpectedCorrelation": lambda: rs.expected_correlation(HUMAN, resamples=200),
    "EstimatorStudy": lambda: rs.study_estimators(
        {"a": HUMAN, "b": PARTIAL}, sizes=(10, 20), collections=3, estimators=["ml", "msqd"]
    ),
    "Diagnostics": lambda: rs.simulate(HUMAN).diagnostics,
    "Simulation": lambda: rs.simulate(HUMAN),
}
HERE = [record for record in CHARTS if record.result in MADE]


@functools.cache
def made(kind):
    return MADE[kind]()


def every_result():
    """The classes of results in the package."""
    for module in pkgutil.walk_packages(rs.__path__, "rankscope."):
        if not module.name.startswith(("rankscope.cli", "rankscope.report", "rankscope.__main__")):
            importlib.import_module(module.name)
    found, left = set(), [Result]
    while left:
        kind = left.pop()
        left += kind.__subclasses__()
        if kind.__module__.startswith("rankscope."):
            found.add(kind.__name__)
    return found - {"Result"}


def test_no_result_is_forgotten():
    drawn = {record.result for record in CHARTS}
    known = every_result()
    assert known - drawn - set(WITHOUT) == set(), "give it a chart in report/charts, or say in WITHOUT why it has none"
    assert set(WITHOUT) <= known
    assert drawn <= known
    assert not drawn & set(WITHOUT)
    assert all(WITHOUT.values())


def test_names_are_distinct_and_functions_exist():
    keys = [(record.result, record.name) for record in CHARTS]
    assert len(set(keys)) == len(keys)
    assert all(callable(record.load()) for record in CHARTS)
    assert all(record.shows for record in CHARTS)


@pytest.mark.parametrize("record", HERE, ids=lambda r: f"{r.result}-{r.name}")
def test_a_chart_draws(record):
    png = picture(made(record.result), "png", record.name)
    assert png.startswith(b"\x89PNG")
    assert len(png) > 5_000


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


@pytest.mark.parametrize("record", HERE, ids=lambda r: f"{r.result}-{r.name}")
def test_a_chart_is_data_with_names_on_hover_and_titles_on_axes(record):
    spec = specification(made(record.result), record.name)
    json.dumps(spec, allow_nan=False)
    found = list(encodings(spec))
    assert any("tooltip" in one for one in found)
    titles = [one[axis].get("title") for one in found for axis in ("x", "y") if isinstance(one.get(axis), dict)]
    assert any(titles)
    # What is told apart by colour is told apart by shape or dash too, but for cells of squares, which have no room.
    for one in found:
        colour = one.get("color", {})
        if colour.get("field") == "kind" and "x2" not in one and "y2" not in one and record.name not in SQUARES:
            assert "shape" in one or "strokeDash" in one or "yOffset" in one or colour.get("legend") is None


SQUARES = ("map", "discordance", "weights", "pairs", "topics", "error", "bias")


@pytest.mark.parametrize("record", HERE, ids=lambda r: f"{r.result}-{r.name}")
def test_dark_is_the_same_chart_with_another_configuration(record):
    light, dark = (specification(made(record.result), record.name, theme=theme) for theme in ("light", "dark"))
    assert light.pop("config") != dark.pop("config")
    assert light == dark


def test_results_draw_themselves():
    result = made("Comparison")
    assert result.chart().to_dict() == specification(result, "scores")
    assert result.chart("ranks", theme="dark").to_dict() == specification(result, "ranks", theme="dark")
    with pytest.raises(rs.BadParameter, match="it has: scores, ranks, coefficients, worth, discordance, contrasts"):
        result.chart("rank")
    with pytest.raises(rs.BadParameter, match="light, dark"):
        chart(result, theme="grey")


def test_a_subclass_is_drawn_as_its_base():
    base = made("DiscriminativePower")

    class Other(type(base)):
        pass

    assert charts_of(Other(**base.__dict__)) == charts_of(base)


def test_a_notebook_shows_chart_and_table():
    shown = made("DiscriminativePower")._repr_html_()
    picture, table = shown.split("</p>", 1)
    assert table.startswith("<table>")
    assert "<svg" not in shown  # which a notebook that is not trusted would take apart
    alt, data = re.fullmatch(r'<p><img alt="([^"]+)" src="data:image/svg\+xml;base64,([^"]+)">', picture).groups()
    assert html.unescape(alt) == charts_of(made("DiscriminativePower"))[0].shows
    assert base64.b64decode(data).startswith(b"<svg")


def test_a_notebook_shows_the_table_where_charts_cannot_be_drawn(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "vl_convert", None)  # as if it were not installed
    shown = made("Significance")._repr_html_()
    assert shown.startswith("<table>")
    assert "rows more" in shown
    assert "<pre>" in made("Permutation")._repr_html_()  # a result without a table


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


def test_coefficients_are_shown_beside_random_labels():
    from rankscope.report.charts.coefficients import coefficients_panel
    from rankscope.report.charts.sides import sides_of

    sides = sides_of(made("Comparison"))[0]
    bare = coefficients_panel([sides]).to_dict()
    shaded = coefficients_panel([replace(sides, chance={"tau_b": (0.1, 0.3), "none": (0, 1)})]).to_dict()
    assert len(shaded["layer"]) == len(bare["layer"]) + 1
    assert {(row["what"], row["low"]) for row in rows(shaded, "what")} == {("random labels", 0.1)}


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
    for record in CHARTS:
        assert f"| `{record.name}` | {record.shows} |" in page, "add it to docs/charts.md"


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
