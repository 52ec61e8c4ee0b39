"""Tables at terminals of every width: columns that can be spared go first, and no number is cut or broken."""

import io

import pytest
from rich.console import Console

import rankscope as rs
from rankscope.demo import demo_scores
from rankscope.report.terminal import show
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
    assert "weighted_tau" in text


@pytest.mark.parametrize("width", [80, 100, 120])
def test_a_narrow_one_leaves_out_what_can_be_spared_and_breaks_no_number(result, width):
    text = shown(result, width)
    assert "looks at" not in text
    assert all(len(line) <= width for line in text.splitlines())
    for one in result.estimates[0].coefficients:
        assert f"{one.value:.4f}" in text
        assert f"{one.interval.low:.3f} to {one.interval.high:.3f}" in text
    for one in result.estimates[0].swaps[:10]:
        assert f"{one.truth_gap:.4f}" in text


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
