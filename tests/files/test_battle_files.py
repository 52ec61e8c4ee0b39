"""Battles from files and frames: what is recognised, what labels mean, and what is refused."""

import json

import numpy as np
import polars as pl
import pytest

import rankscope as rs

JUDGES = """num,question_id,model_a,model_b,winner_people,winner_llm
0,q1,x,y,model_a,model_a
1,q2,y,z,tie (bothbad),model_b
3,q2,z,x,model_b,tie
4,q3,y,x,model_a,model_a
5,q4,z,y,model_a,model_a
"""


def written(tmp_path, text, name="battles.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def rows(battles):
    names = [[battles.systems[code] for code in side] for side in (battles.first, battles.second)]
    return list(zip(*names, battles.wins.tolist(), strict=True))


def test_a_judge_is_chosen_by_column_or_name(tmp_path):
    path = written(tmp_path, JUDGES)
    battles = rs.read_battles(path, winner="winner_people")
    assert rows(battles)[:2] == [("x", "y", 1.0), ("y", "z", 0.5)]
    assert (battles.name, battles.ids) == ("people", ("0", "1", "3", "4", "5"))
    assert rs.read_battles(path, winner="people") == battles
    by_question = rs.read_battles(path, winner="llm", id_column="question_id")
    assert by_question.units[0] == ("q1", "q2", "q3", "q4")
    with pytest.raises(rs.UnrecognisedFormat, match="several judges: 'winner_people', 'winner_llm'; choose one"):
        rs.read_battles(path)
    with pytest.raises(rs.UnrecognisedFormat, match="several judges"):
        rs.read_scores(path)
    with pytest.raises(rs.UnrecognisedFormat, match="no column 'gpt' with winners; there are 'winner_people'"):
        rs.read_battles(path, winner="gpt")


@pytest.mark.parametrize(
    ("label", "won"),
    [
        *(("model_a", 1.0), ("Model B", 0.0), ("A", 1.0), ("b", 0.0), ("left", 1.0), ("RIGHT", 0.0), ("x", 1.0)),
        *(
            ("y", 0.0),
            ("tie (bothbad)", 0.5),
            ("both_bad", 0.5),
            ("[[C]]", 0.5),
            ("1", 1.0),
            ("2", 0.0),
            ("1.25", 0.75),
        ),
    ],
)
def test_labels(tmp_path, label, won):
    path = written(tmp_path, f"model_a,model_b,winner\nx,y,{label}\n")
    assert rows(rs.read_battles(path)) == [("x", "y", won)]


def test_a_zero_is_a_tie_beside_twos_and_unknown_beside_ones(tmp_path):
    path = written(tmp_path, "generator_1,generator_2,preference\nx,y,1\nx,y,2\nx,y,0\n")
    assert rs.read_battles(path).wins.tolist() == [1.0, 0.0, 0.5]
    path = written(tmp_path, "generator_1,generator_2,preference\nx,y,1\nx,y,0\n")
    with pytest.raises(rs.UnrecognisedFormat, match=r"battles.csv:3: '0' in column 'preference' is not a winner"):
        rs.read_battles(path)


def test_an_unknown_label_names_line_labels_and_a_way_out_that_works(tmp_path):
    path = written(tmp_path, "model_a,model_b,winner\nx,y,model_a\ny,x,error\ny,x,\nx,y,tie\n")
    said = (
        r"battles.csv:3: 'error' in column 'winner' is not a winner.*'model_a' \(1\).*skip=\['error'\], FILE:skip=error"
    )
    with pytest.raises(rs.UnrecognisedFormat, match=said):
        rs.read_battles(path)
    with pytest.warns(rs.LeftOutBattles, match="2 of 4 battles have a label to skip"):
        battles = rs.read_battles(path, skip=["error", ""])
    assert len(battles) == 2


def test_json_with_conversations_is_read(tmp_path):
    lines = [
        {"question_id": "q1", "model_a": "x", "model_b": "y", "winner": "tie", "conversation_a": [{"role": "user"}]},
        {"question_id": "q2", "model_a": "y", "model_b": "x", "winner": "model_a", "turn": 1, "toxic": {"flag": False}},
    ]
    expected = [("x", "y", 0.5), ("y", "x", 1.0)]
    by_line = written(tmp_path, "\n".join(map(json.dumps, lines)), "battles.jsonl")
    assert rows(rs.read_battles(by_line)) == expected
    array = written(tmp_path, json.dumps(lines), "battles.json")
    assert rows(rs.read_battles(array)) == expected
    assert rs.read_scores(array).measure == "Bradley–Terry"
    broken = written(tmp_path, json.dumps(lines[0]) + "\n{not json\n", "broken.jsonl")
    with pytest.raises(rs.UnrecognisedFormat, match=r"broken.jsonl:2: not a JSON object"):
        rs.read_battles(broken)


def test_one_column_per_outcome(tmp_path):
    header = "id,model_a,model_b,winner_model_a,winner_model_b,winner_tie\n"
    path = written(tmp_path, header + "1,x,y,1,0,0\n2,x,y,0,0,1\n3,x,y,0,1,0\n")
    assert rs.read_battles(path).wins.tolist() == [1.0, 0.5, 0.0]
    path = written(tmp_path, header + "1,x,y,1,0,1\n")
    with pytest.raises(rs.UnrecognisedFormat, match=r"battles.csv:2: one of winner_model_a"):
        rs.read_battles(path)


def test_frames_and_parquet(tmp_path):
    frame = pl.DataFrame({"model_a": ["x", "y"], "model_b": ["y", "x"], "winner": ["model_a", "model_a"]})
    assert rows(rs.read_battles(frame)) == [("x", "y", 1.0), ("y", "x", 1.0)]
    assert rs.read_scores(frame).means.tolist() == [1000.0, 1000.0]
    frame.write_parquet(tmp_path / "battles.parquet")
    assert rs.read_battles(tmp_path / "battles.parquet") == rs.read_battles(frame)
    assert rs.rank(tmp_path / "battles.parquet", resamples=50).leaderboards[0].topics == 2


def test_battles_of_a_model_with_itself_are_left_out(tmp_path):
    path = written(tmp_path, "model_a,model_b,winner\nx,y,tie\nx,x,model_a\n")
    with pytest.warns(rs.LeftOutBattles, match="a model battles itself in 1 of 2 battles"):
        assert len(rs.read_battles(path)) == 1
    path = written(tmp_path, "model_a,model_b,winner\nx,x,model_a\n")
    with pytest.warns(rs.LeftOutBattles), pytest.raises(rs.EmptyFile, match="no battle of two models is left"):
        rs.read_battles(path)


def test_columns_that_are_missing_or_empty(tmp_path):
    with pytest.raises(rs.UnrecognisedFormat, match=r"no columns 'model_a' and 'model_b'.*there are 'left', 'other'"):
        rs.read_battles(written(tmp_path, "left,other,winner\nx,y,left\n"))
    named = rs.read_battles(written(tmp_path, "left,other,winner\nx,y,left\n"), model_a="left", model_b="other")
    assert rows(named) == [("x", "y", 1.0)]
    with pytest.raises(rs.MissingName, match=r"battles.csv:3: the column 'model_b' is empty"):
        rs.read_battles(written(tmp_path, "model_a,model_b,winner\nx,y,tie\nx,,tie\n"))
    with pytest.raises(rs.BadParameter, match="is not battles"):
        rs.read_battles(5)


def test_arena_as_published(data):
    """Counts of arena's README, and the same 200 battles from the judge's own file."""
    path = data / "arena" / "battles.csv.gz"
    gpt35 = rs.read_battles(path, winner="gpt35")
    assert (len(gpt35), len(gpt35.systems), gpt35.ties) == (26_919, 20, 52)
    assert int((gpt35.wins == 1.0).sum()) == 23_176
    gpt4 = rs.read_battles(path, winner="gpt4")
    first = rs.read_battles(path.parent / "gpt-4-0125-preview.first200.jsonl")
    assert first == gpt4._rows(np.arange(200))
