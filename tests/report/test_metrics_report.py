"""Text and charts of the studies of measures: what they say, that they draw, and that names cannot break them."""

import json

import numpy as np
import pytest

import rankscope as rs
from rankscope.report import chart
from rankscope.report.page import page
from rankscope.report.terminal import heading_of, plain_text
from rankscope.report.terminal_metrics import short_names

HOSTILE = ("<script>alert(1)</script>", "[red]x[/red]", "a.b[0]", "täu, ρ\nnew", "x" * 90)


def collection(seed, names, topics=6, systems=9):
    random = np.random.default_rng(seed)
    ability = random.uniform(0.2, 0.8, systems)
    return {n: np.clip(ability + 0.2 * random.standard_normal((topics, systems)), 0, 1).round(3) for n in names}


def results(names=("AP", "nDCG", "RR", "P@10", "bpref")):
    first, second, third = (collection(seed, names) for seed in range(3))
    depths = [
        {f"{d}:{n}": v for d in (10, 100) for n, v in collection(10 * d + seed, ("AP", "P", "bpref")).items()}
        for seed in range(2)
    ]
    return {
        "correlations": rs.correlate_measures(first, resamples=30),
        "each": rs.correlate_measures([first, second], pooled=False, resamples=0, coefficient="tau_ap"),
        "predictions": rs.predict_measures(first, development=second, tests=third, max_predictors=2),
        "crossed": rs.predict_measures([first, second], max_predictors=1),
        "given": rs.predict_measure([first, second, third], given={names[1]: 0.9}, target=names[0]),
        "depths": rs.predict_deep_measures(depths[0], development=depths[1]),
        "ranking": rs.rank_measures(first, resamples=30),
    }


@pytest.fixture(scope="module")
def made():
    return results()


@pytest.fixture(scope="module")
def hostile():
    return results(HOSTILE)


KINDS = ("correlations", "each", "predictions", "crossed", "given", "depths", "ranking")


@pytest.mark.parametrize("kind", KINDS)
def test_text_fits_a_page_and_starts_with_what_was_asked(made, kind):
    text = plain_text(made[kind])
    assert text.startswith(heading_of(made[kind]).text)
    tables = [line for line in text.splitlines() if "─" in line]
    assert all(len(line) <= 100 for line in tables)


def test_what_the_text_says(made):
    text = plain_text(made["correlations"])
    assert "Least like the others:" in text
    assert "× 100, in the order of the clusters" in text
    assert "95 % interval" in text
    assert "mean of both directions" in plain_text(made["each"])
    assert "No intervals: no resamples were asked for." in plain_text(made["each"])
    assert "The best of 10 subsets" in plain_text(made["predictions"])
    assert "prediction intervals" in plain_text(made["predictions"])
    assert "each training collection left out in turn" in plain_text(made["crossed"])
    given = plain_text(made["given"])
    assert "For a system on another collection" in given
    assert "this extrapolates" in given
    assert "proven by branch and bound" in plain_text(made["ranking"])
    assert "draws of topics" in plain_text(made["ranking"])


def test_a_singular_matrix_and_dependent_predictors_are_told():
    first = collection(0, ("AP", "RR"))
    table = {**first, "copy": first["AP"]}
    assert "nearly singular, since these are (nearly) alike: AP, copy" in plain_text(
        rs.rank_measures(table, resamples=0)
    )
    found = rs.predict_measures(table, development=table, targets=["RR"], max_predictors=2)
    assert "AP + copy (dependent)" in plain_text(found)
    assert "linearly dependent" in plain_text(rs.predict_measure(table, given="AP=0.4,copy=0.4", target="RR"))


@pytest.mark.parametrize("kind", KINDS)
def test_charts_are_data_and_draw(made, kind):
    specification = chart(made[kind]).to_dict()
    assert json.loads(json.dumps(specification, allow_nan=False))
    import vl_convert

    assert "<svg" in vl_convert.vegalite_to_svg(specification)


def test_a_cell_per_pair_and_a_frame_per_group(made):
    found = made["correlations"]
    data = chart(found).to_dict()["datasets"]
    assert any(len(rows) == 25 and "value" in rows[0] for rows in data.values())
    together = [group for group in found.parts[0].clusters.groups if len(group) > 1]
    assert sum("last" in rows[0] for rows in data.values()) == bool(together)


def test_a_point_per_collection_and_model(made):
    data = chart(made["predictions"]).to_dict()["datasets"]
    rows = max(data.values(), key=len)
    assert len(rows) == 2 * len(made["predictions"].models)
    assert {row["kind"] for row in rows} == set(short_names(["scores (2)", "scores (3)"]))


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_names_break_nothing(hostile, kind, tmp_path):
    text = plain_text(hostile[kind])
    assert "\x1b" not in text
    import vl_convert

    assert "<svg" in vl_convert.vegalite_to_svg(chart(hostile[kind]).to_dict())
    assert "<script>alert" not in page(hostile[kind])
    hostile[kind].save(tmp_path / "x.png")
    assert (tmp_path / "x.png").stat().st_size > 1_000


def test_names_are_shortened_to_what_differs():
    assert short_names(["result_web2012_low_to_high", "result_web2013_low_to_high"]) == ["web2012", "web2013"]
    assert short_names(["cross-validation", "wt2013"]) == ["cross-validation", "wt2013"]
    assert short_names(["a", "a"]) == ["a", "a"]
