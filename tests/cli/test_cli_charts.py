"""Charts and the studies of coefficients from the command line."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import rankscope as rs
from rankscope.cli import main
from rankscope.demo import demo_scores

STARTS = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "html": b"<!doctype html>"}


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scores")
    for name, scores in demo_scores().items():
        rs.write_scores(scores, folder / f"{name}.csv")
    human = demo_scores()["human"]
    rs.write_scores(human.select(topics=human.topics[:20]), folder / "few.csv")
    return folder


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def invoke(*words):
        return CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)

    return invoke


def commands(folder):
    """Every command that writes a result from score tables, quickly."""
    human, partial = folder / "human.csv", folder / "partial.csv"
    return {
        "compare": ["compare", human, partial, "--resamples", "50"],
        "rank": ["rank", human, "--resamples", "50"],
        "correct": ["correct", folder / "few.csv", human, "--resamples", "50"],
        "reliability": ["reliability", human, "--resamples", "30"],
        "nulls": ["nulls", human, "--resamples", "99"],
        "simulate": ["simulate", human],
        "estimators": [
            "study",
            "estimators",
            human,
            "--sizes",
            "10,20",
            "--collections",
            "2",
            "--estimator",
            "ml",
        ],
        "swaps": ["study", "swaps", human, "--draws", "20"],
        "weights": ["study", "weights", human, "-c", "tau_ap"],
        "gaps": ["study", "gaps", "--draws", "50", "--systems", "10"],
        "reorderings": ["study", "reorderings", human, "--draws", "80", "--resamples", "0"],
    }


@pytest.mark.parametrize("name", list(commands(Path())))
def test_every_command_draws(run, tables, tmp_path, name):
    words = commands(tables)[name]
    for extension in ("svg", "html"):
        done = run(*words, "-o", tmp_path / f"out.{extension}")
        assert done.exit_code == 0, done.stderr
        assert (tmp_path / f"out.{extension}").read_bytes().startswith(STARTS[extension])
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.html", "out.svg"]


@pytest.mark.parametrize("extension", list(STARTS))
def test_a_chart_of_several(run, tables, tmp_path, extension):
    words = [*commands(tables)["swaps"], "--chart", "coefficients", "--theme", "dark"]
    done = run(*words, "-o", tmp_path / f"out.{extension}")
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / f"out.{extension}").read_bytes().startswith(STARTS[extension])
    if extension == "svg":
        assert "#16181c" in (tmp_path / "out.svg").read_text()


def test_a_chart_that_there_is_not(run, tables, tmp_path):
    done = run(*commands(tables)["compare"], "--chart", "pie", "-o", tmp_path / "out.svg")
    assert done.exit_code == 2
    assert done.stderr.startswith("rankscope: Comparison has no chart 'pie'; it has: scores, ranks")
    assert list(tmp_path.iterdir()) == []


def test_swaps(run, tables):
    words = commands(tables)["swaps"]
    done = run(*words, "--among", "others", "-c", "tau_gap")
    assert done.exit_code == 0
    assert "pairs are significantly different" in done.stdout
    assert done.stdout.count("tau_gap") == 1
    found = run(*words, "--format", "json", "--seed", "3", "-c", "tau_gap")
    printed = json.loads(found.stdout)
    del printed["settings"]["inputs"]
    wanted = rs.study_swaps(tables / "human.csv", draws=20, coefficients=["tau_gap"], rng=3)
    assert printed == json.loads(wanted.to_json())
    done = run(*words, "--swaps", "1000")
    assert done.exit_code == 2
    assert "too few for 1000 swaps" in done.stderr


def test_weights(run, tables):
    done = run("study", "weights", tables / "human.csv")
    assert done.stdout.startswith("The pairs that weigh most, of 496: 32 systems\n")
    assert len(done.stdout.splitlines()) < 40
    table = run("study", "weights", tables / "human.csv", "-c", "tau_ap", "--format", "csv").stdout
    assert len(table.splitlines()) == 497


def test_gaps(run):
    done = run(
        "study", "gaps", "--draws", "50", "--pair", "zipf:normal", "--pair", "uniform:uniform", "--format", "csv"
    )
    assert [line.split(",")[:2] for line in done.stdout.splitlines()[1:]] == [
        ["zipf", "normal"],
        ["uniform", "uniform"],
    ]
    done = run("study", "gaps", "--pair", "zipf")
    assert done.exit_code == 2
    assert "with a colon" in done.stderr


def test_reorderings(run, tables):
    words = commands(tables)["reorderings"]
    found = json.loads(run(*words, "--tau", "0.8", "--count", "3", "--format", "json").stdout)
    assert len(found["reorderings"]) == 3
    assert all(abs(one["tau"] - 0.8) < 0.01 for one in found["reorderings"])
    done = run("study", "reorderings", tables / "human.csv", "--tau", "0.9999")
    assert done.exit_code == 2
    assert "allow no swap" in done.stderr


def test_every_command_with_an_output_has_its_charts_to_choose_from():
    def walk(group):
        context = click.Context(group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            yield from walk(command) if isinstance(command, click.Group) else [command]

    for command in walk(main):
        options = {option for parameter in command.params for option in parameter.opts}
        shared = any(p.help and "a chart as .svg" in p.help for p in command.params if isinstance(p, click.Option))
        assert not shared or {"--chart", "--theme"} <= options
