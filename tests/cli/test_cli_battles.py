"""Battles on the command line: `rank` and `compare`, and the keys that say how to read them."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import rankscope as rs
from rankscope.cli import main


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    strength = {"a": 1.0, "b": 0.5, "c": 0.0, "d": -1.0}
    rows = ["num,question_id,model_a,model_b,winner_people,winner_llm,kind"]
    for number in range(600):
        first, second = rng.choice(list(strength), 2, replace=False)
        chance = 1.0 / (1.0 + np.exp(strength[second] - strength[first]))
        labels = ["tie" if rng.random() < 0.2 else "model_a" if rng.random() < chance else "model_b" for _ in range(2)]
        rows.append(f"{number},q{number // 3},{first},{second},{labels[0]},{labels[1]},{'xy'[number % 2]}")
    (tmp_path / "battles.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "one.csv").write_text("model_a,model_b,winner\na,b,model_a\nb,c,tie\n")
    return lambda *words: CliRunner().invoke(main, [*words, "--resamples", "100"], catch_exceptions=False)


def test_judges_are_ranked_side_by_side(run):
    said = run("rank", "battles.csv:winner=people", "battles.csv:winner=winner_llm", "--format", "json")
    boards = json.loads(said.stdout)["leaderboards"]
    assert [board["label"] for board in boards] == ["people", "llm"]
    assert {board["unit"] for board in boards} == {"battle"}
    ours = rs.rank(rs.read_battles("battles.csv", winner="people"), resamples=100).leaderboards[0]
    assert [entry["system"] for entry in boards[0]["systems"]] == [entry.system for entry in ours.systems]


def test_keys_reach_the_reader_and_the_score(run):
    by_question = run("rank", "q=battles.csv:winner=people,id_column=question_id,score=win_rate,kind=x").stdout
    assert "4 systems on 200 questions" in by_question
    assert "topic" not in by_question
    few = run("rank", "one.csv")
    assert few.exit_code == 2
    assert "'a' won every battle" in few.stderr
    assert "FILE:prior=1" in few.stderr
    assert run("rank", "one.csv:prior=1").exit_code == 0
    assert run("rank", "one.csv:score=win_rate").exit_code == 0
    assert "prior=x after the colon is not a number" in run("rank", "one.csv:prior=x").stderr
    assert "score='elo': one of" in run("rank", "one.csv:score=elo,prior=1").stderr
    assert "several judges" in run("rank", "battles.csv").stderr
    assert "winner=winner_people" in run("rank", "battles.csv").stderr


def test_judges_are_compared_on_the_same_battles(run):
    said = run("compare", "people=battles.csv:winner=people", "llm=battles.csv:winner=llm", "--format", "json")
    estimate = json.loads(said.stdout)["estimates"][0]
    assert (estimate["name"], estimate["topics"]) == ("llm", 600)
    tau = next(value for value in estimate["coefficients"] if value["name"] == "kendall")
    assert tau["interval"]["low"] <= tau["value"] <= tau["interval"]["high"]
    assert estimate["verdict"]["worth"]["worth"] > 0.0


def test_the_text_speaks_of_battles_and_keeps_names(run):
    text = run("compare", "my topics=battles.csv:winner=people", "topic-llm=battles.csv:winner=llm").stdout
    assert "topic-llm instead of my topics: 4 systems on 600 battles" in text
    assert "600 battles and 4 systems cannot tell: a battle of topic-llm is worth" in text
    assert "of a battle of my topics" in text
    assert "Winners of 600 battles: the same outcome in" in text
    assert "decided anew by a coin in every battle" in text
    found = json.loads(
        run("compare", "battles.csv:winner=people", "battles.csv:winner=llm", "--format", "json").stdout
    )["estimates"][0]
    assert (found["unit"], found["battles"]["battles"], found["verdict"]["unit"]) == ("battle", 600, "battle")
    assert found["battles"]["truth"]["judge"] == "people"


def test_a_page_and_charts_are_made_of_battles(run, tmp_path):
    sides = ("battles.csv:winner=people", "battles.csv:winner=llm")
    assert run("compare", *sides, "-o", "page.html").exit_code == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "4 systems on 600 battles" in page
    assert "What is a battle worth?" in page
    assert run("rank", *sides, "-o", "ranks.svg").exit_code == 0
