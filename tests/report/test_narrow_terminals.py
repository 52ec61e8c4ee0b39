"""Tables at terminals of every width: columns that can be spared go first, and no number is cut or broken."""

import io

import pytest
from click.testing import CliRunner
from rich.console import Console
from sample_results import MADE, made

import rankscope as rs
from narrowing import known
from rankscope.cli import main
from rankscope.demo import demo_scores
from rankscope.report.numbers import number_range
from rankscope.report.terminal import show
from rankscope.report.terminal_compare import main_values
from rankscope.report.text_tables import TextTable


def shown(result, width):
    text = io.StringIO()
    show(result, Console(file=text, width=width, highlight=False))
    return text.getvalue()


@pytest.fixture(scope="module")
def result():
    tables = demo_scores()
    return rs.compare(tables["human"], tables["partial"], resamples=20)


def test_a_wide_terminal_shows_all_columns(result):
    text = shown(result, 200)
    assert "looks at" in text
    assert "pearson_rank" in text


@pytest.mark.parametrize("width", [60, 80, 100])
def test_a_narrow_one_leaves_out_what_can_be_spared_and_breaks_no_number(result, width):
    text = shown(result, width)
    assert "looks at" not in text
    for one in main_values(result, result.estimates[0]):
        assert f"{one.value:.4f}" in text
        assert number_range(known(one.interval).low, known(one.interval).high) in text
    for one in result.estimates[0].swaps[:10]:
        assert f"{one.truth_gap:.4f}" in text


def test_the_main_coefficients_are_shown_and_how_to_see_all(result):
    text = shown(result, 120)
    for symbol in ("τ ", "τ_AP ", "τ_GAP ", "ρ_r ", "RBO "):
        assert f"\n {symbol}" in text
    assert "weighted_tau" not in text
    assert "10 more coefficients and symmetric forms: --table coefficients" in text
    assert "weighted_tau" in shown(result.only("coefficients"), 120)


def test_coefficients_that_were_chosen_are_all_shown():
    tables = demo_scores()
    chosen = ["spearman", "weighted_tau"]
    text = shown(rs.compare(tables["human"], tables["partial"], coefficients=chosen, resamples=0), 120)
    assert "weighted_tau" in text
    assert "more coefficients" not in text


@pytest.mark.parametrize("kind", MADE)
def test_every_result_fits_a_terminal_of_60_columns(kind):
    for result in (made(kind), *map(made(kind).only, made(kind).tables())):
        assert max(map(len, shown(result, 60).splitlines())) <= 60


def test_what_there_is_no_room_for_is_named():
    table = TextTable(columns=("name", "first", "second"), rows=(("a", "0.123456789", "0.987654321"),))
    text = io.StringIO()
    console = Console(file=text, width=21, highlight=False)
    console.print(table.rich(console))
    assert "0.123456789" in text.getvalue()
    assert "No room for: second" in text.getvalue()


def test_piped_text_is_as_wide_as_columns_says(tmp_path, result):
    result.save(tmp_path / "result.json")
    wide, narrow = (
        CliRunner().invoke(main, ["show", str(tmp_path / "result.json")], env={"COLUMNS": columns}).stdout
        for columns in ("", "60")
    )
    assert max(map(len, wide.splitlines())) > 100
    assert max(map(len, narrow.splitlines())) <= 60


def test_where_there_is_no_room_at_all_cells_are_folded_and_nothing_is_lost():
    table = TextTable(columns=("name", "value"), rows=(("a" * 30, "0.1234"), ("b", "0.5678")))
    text = io.StringIO()
    console = Console(file=text, width=12, highlight=False)
    console.print(table.rich(console))
    assert text.getvalue().count("a") == 30 + 2  # and those of the headings
    assert sum(text.getvalue().count(digit) for digit in "5678") == 4


def test_bars_of_judges_are_whole_or_left_out():
    track = rs.simulate_track(systems=6, topics=8, rng=1)
    report = rs.judge(track.runs, track.truth, track.judges, ["AP"], resamples=20, random_draws=0, pseudo_draws=0)
    assert "●" in shown(report, 200)
    assert "●" not in shown(report, 90)
    for answer in report.answers:
        assert f"{answer.agreement.value('tau_b'):.3f}" in shown(report, 90)
