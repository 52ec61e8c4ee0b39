"""`simulate`, its diagnostics and its command: reproducible, labelled, and clear about what it cannot do."""

import json
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import rankscope as rs
from narrowing import by_topic, known
from rankscope.cli.simulate import simulate as command
from rankscope.simulation import diagnose, fit_collection, simulate
from rankscope.simulation.copulas import COPULAS
from rankscope.simulation.diagnostics import variance_components
from rankscope.simulation.margin_families import CRITERIA, MARGINS
from rankscope.simulation.models import MODELS


@pytest.fixture(scope="module")
def scores():
    values = np.random.default_rng(0).beta(1.0, 3.0, (30, 1)) + 0.1 * np.random.default_rng(1).random((30, 5))
    return rs.ScoreMatrix(values / 1.1, ["a", "[red]", 'é,\n"x"', "topic", "0.5"], measure="AP")


def test_a_seed_gives_the_same_collections_with_any_number_of_jobs(scores):
    one = simulate(scores, topics=40, collections=7, rng=3, jobs=1)
    four = simulate(scores, topics=40, collections=7, rng=3, jobs=4)
    assert np.array_equal(one.values, four.values)
    assert not np.array_equal(one.values, simulate(scores, topics=40, collections=7, rng=4).values)
    assert not np.array_equal(one.values[0], one.values[1])
    more = simulate(scores, topics=40, collections=9, rng=3)
    assert np.array_equal(more.values[:7], one.values)


def test_fitted_models_are_reused(scores):
    model = fit_collection(scores)
    made = simulate(model, topics=12, collections=2, rng=8)
    assert np.array_equal(made.values, simulate(scores, topics=12, collections=2, rng=8).values)
    child = np.random.SeedSequence(8).spawn(2)[1]
    assert np.array_equal(made.values[1], model.draw(12, np.random.default_rng(child)))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"normal": True}, "normal=True: the model is fitted already"),
        ({"margin": "beta", "trees": 3}, "margin='beta', trees=3: the model"),
        ({"bounds": [0, 2]}, r"bounds=\(0, 2\)"),
        ({"on_missing": "zero", "discrete": False}, "discrete=False, on_missing='zero'"),
        ({"model": "margins"}, "model='margins': .* pass such options to fit_collection"),
    ],
)
def test_options_of_the_fit_are_refused_beside_a_fitted_model(scores, options, says):
    fitted = fit_collection(scores)
    with pytest.raises(rs.BadParameter, match=says):
        simulate(fitted, **options)
    wrong: Any = fitted
    with pytest.raises(rs.BadParameter, match=r"model=<CollectionModel \(effects\): 30 topics × 5 systems>: one of"):
        simulate(scores, model=wrong)
    assert simulate(fitted, bounds=[0, 1], jobs=1).values.shape == (1, 30, 5)


def test_collections_are_labelled(scores):
    made = simulate(scores, collections=2)
    first, second = made.matrices()
    assert first.systems == scores.systems
    assert len(first.topics) == len(scores.topics)
    assert not set(first.topics) & set(second.topics)
    assert first.measure == "AP"
    assert made.settings["seed"] == 0
    assert not next(simulate(scores.values).matrices()).systems_named
    assert set(json.loads(made.to_json())) >= {"values", "means", "diagnostics", "settings"}


@pytest.mark.parametrize("options", [{}, {"model": "margins"}, {"discrete": True}, {"normal": True}], ids=str)
def test_identical_and_constant_systems_stay_so(scores, options):
    values = np.column_stack([scores.values, np.full(30, 0.25), scores.values[:, 1], np.zeros(30)])
    drawn = fit_collection(values, **options).draw(500, 1)
    assert np.array_equal(drawn[:, 1], drawn[:, 6])
    assert (drawn[:, 5] == 0.25).all()
    assert (drawn[:, 7] == 0.0).all()
    assert np.ptp(drawn[:, 0]) > 0.0


def test_all_constant_one_system_and_two_topics(scores):
    assert (fit_collection(np.full((4, 2), 0.3)).draw(3) == 0.3).all()
    single = simulate(scores.values[:, :1], topics=2_000)
    assert single.diagnostics.correlations is None
    assert single.values.mean() == pytest.approx(scores.values[:, 0].mean(), abs=0.02)
    assert fit_collection(scores.values[:2]).draw(10).shape == (10, 5)


def test_a_range_that_is_given_is_taken_and_stated(scores):
    wide = 10.0 * scores.values - 5.0
    made = simulate(wide, topics=50, rng=2, bounds=(-5, 5))
    assert made.settings["bounds"] == [-5.0, 5.0]
    assert 10.0 * simulate(scores.values, topics=50, rng=2).values - 5.0 == pytest.approx(made.values, abs=1e-6)


@pytest.mark.parametrize(
    ("change", "options", "error", "says"),
    [
        (lambda v: v[:1], {}, rs.MissingScores, "at least two"),
        (lambda v: v[0], {}, rs.MissingScores, "without topics; new topics"),
        (lambda v: np.where(v == v[3, 2], np.nan, v), {}, rs.MissingScores, "on_missing"),
        (lambda v: v * 3.0, {}, rs.BadParameter, "bounds="),
        (lambda v: v[:, :0], {}, rs.TooFewSystems, "no systems"),
        (lambda v: v, {"model": "2016"}, rs.BadParameter, "effects, margins"),
        (lambda v: v, {"margin": "beta"}, rs.BadParameter, "model='margins'"),
        (lambda v: v, {"model": "margins", "margin": "smoothed"}, rs.BadParameter, "discrete=True"),
        (lambda v: v, {"model": "margins", "normal": True}, rs.BadParameter, "model='effects'"),
        (lambda v: v, {"discrete": True, "homoscedastic": True}, rs.BadParameter, "discrete=False"),
        (lambda v: v, {"discrete": True, "model": "margins", "margin": "beta_binomial"}, rs.BadParameter, "spaced"),
        (lambda v: v, {"bounds": (1, 0)}, rs.BadParameter, "lower first"),
        (lambda v: v, {"topics": 0}, rs.BadParameter, "topics=0"),
        (lambda v: v, {"collections": 0}, rs.BadParameter, "collections=0"),
        (lambda v: v, {"trees": 0}, rs.BadParameter, "trees=0"),
    ],
)
def test_errors_say_what_to_do(scores, change, options, error, says):
    with pytest.raises(error, match=says):
        simulate(change(scores.values), **options)


def test_missing_scores_may_be_left_out(scores):
    values = scores.values.copy()
    values[3, 2] = np.nan
    assert simulate(values, on_missing="intersect").values.shape == (1, 29, 5)


def test_diagnostics_of_the_scores_themselves_show_no_difference(scores):
    diagnosed = diagnose(scores, scores.values)
    assert all(m.ks == 0.0 and m.variance.difference == 0.0 for m in diagnosed.margins)
    assert known(diagnosed.correlations).largest == 0.0
    assert known(diagnosed.components).topics.difference == 0.0
    assert len(diagnosed.systems_table().columns) == len(diagnosed.systems_table().rows[0])


def test_diagnostics_of_simulated_scores(scores):
    diagnosed = simulate(scores, topics=500, collections=20).diagnostics
    assert all(abs(m.mean.difference) < 4.5 * m.standard_error for m in diagnosed.margins)
    assert abs(known(diagnosed.correlations).mean.difference) < 0.05
    rows = {row[0]: row for row in diagnosed.table().rows}
    assert rows["mean"][2] == pytest.approx(scores.means.mean(), abs=0.01)


def test_variance_components_by_hand():
    """Systems 0, 2 and topics 0, 4 with no residual: variances 2 and 8."""
    assert variance_components(np.array([[0.0, 2.0], [4.0, 6.0]])) == (2.0, 8.0, 0.0)


@pytest.fixture
def run(tmp_path, scores):
    table = tmp_path / "scores.csv"
    rs.write_scores(scores, table)
    return lambda *args: CliRunner().invoke(command, [str(table), *map(str, args)])


def test_the_command_writes_a_folder_and_prints_diagnostics(run, tmp_path, scores):
    out = run("--topics", 20, "--collections", 3, "-o", tmp_path / "made", "--seed", 5, "-q")
    assert out.exit_code == 0, out.output
    assert "KS distance" in out.stdout
    files = sorted((tmp_path / "made").iterdir())
    assert [f.name for f in files] == ["collection-1.csv", "collection-2.csv", "collection-3.csv"]
    made = list(simulate(scores, topics=20, collections=3, rng=5).matrices())
    assert np.array_equal(rs.read_scores(files[2]).values, made[2].values)
    assert by_topic(rs.read_scores(files[2])).topics == made[2].topics
    assert rs.read_scores(files[0]).systems == scores.systems


def test_the_command_writes_a_file(run, tmp_path):
    out = run("-o", tmp_path / "one.parquet", "--format", "json")
    assert out.exit_code == 0, out.output
    assert len(json.loads(out.stdout)["margins"]) == 5
    assert len(by_topic(rs.read_scores(tmp_path / "one.parquet")).topics) == 30
    assert run("--format", "csv").stdout.startswith("quantity,original,simulated")
    assert run("--format", "latex").stdout.startswith(r"% \usepackage{booktabs")


def test_the_command_ends_with_2_on_bad_input(run, tmp_path):
    out = run("--bounds", 0.4, 0.5)
    assert out.exit_code == 2
    assert "--bounds" in out.stderr
    blocked = tmp_path / "file"
    blocked.write_text("x")
    out = run("--collections", 2, "-o", blocked)
    assert out.exit_code == 2
    assert str(blocked) in out.stderr


def test_the_command_offers_what_the_library_knows():
    choices = {p.name: tuple(p.type.choices) for p in command.params if hasattr(p.type, "choices")}
    assert (choices["model"], choices["copula"]) == (MODELS, COPULAS)
    assert (choices["margin"], choices["criterion"]) == (MARGINS, CRITERIA)


def test_margins_of_too_many_systems_are_refused_before_they_are_fitted():
    scores = np.random.default_rng(0).random((3, 2_001))
    with pytest.raises(rs.TooLarge, match="at most 2,000, or by model='effects'"):
        rs.fit_collection(scores, model="margins", bounds=(0.0, 1.0))
