"""Groups of systems and lists of names from files."""

import pytest

import rankscope as rs
from rankscope.files.groups import read_names


def write(folder, text, name="groups.csv"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "text",
    ["system,group\na,X\nδ,Y Z\n", "a,X\nδ,Y Z\n", "team\trun\nX\ta\nY Z\tδ\n", '"run";"team"\n"a";"X"\n"δ";"Y Z"\n'],
)
def test_two_columns_in_any_form(tmp_path, text):
    assert rs.read_groups(write(tmp_path, text)) == {"a": "X", "δ": "Y Z"}


def test_a_column_by_name_or_after_a_colon(tmp_path):
    path = write(tmp_path, "run,Team Name,kind\na,X,manual\nb,,auto\n")
    assert rs.read_groups(path, "Team Name") == {"a": "X"}  # an empty group is none
    assert rs.read_groups(path, "team_name") == {"a": "X"}
    assert rs.read_groups(f"{path}:kind") == {"a": "manual", "b": "auto"}
    awkward = write(tmp_path, "run,team\na,X\n", "a:b.csv")
    assert rs.read_groups(awkward) == {"a": "X"}


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("run,team,kind\na,X,m\n", None, "there are 'team', 'kind'; say which, as .*:COLUMN"),
        ("run,team\na,X\n", "zz", "no column 'zz' for groups; there are 'team'"),
        ("run\na\nb\n", None, "there is one column"),
        ("run,team\na,X\nb,Y\na,Y\n", None, ":4: 'a' has the groups 'X' and 'Y'"),
        ("a,X\nb,Y\na,Y\n", None, ":3: 'a' has the groups 'X' and 'Y'"),
        ("run,team\na,\n", None, "no system has a group"),
        ("", None, "the file is empty"),
        ("run,team\na,X,Y\n", None, "3 fields"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path, text, column, message):
    path = write(tmp_path, text)
    with pytest.raises(rs.BadFile, match=message) as caught:
        rs.read_groups(path, column)
    assert str(path) in str(caught.value)


def test_the_same_group_twice_is_no_conflict(tmp_path):
    assert rs.read_groups(write(tmp_path, "run,team\na,X\na,X\n")) == {"a": "X"}


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(rs.UnreadableFile, match="no such file"):
        rs.read_groups(tmp_path / "none.csv")
    with pytest.raises(rs.UnreadableFile, match=r"none\.csv: there is no such file"):
        rs.read_groups(f"{tmp_path / 'none.csv'}:team")


def test_names(tmp_path):
    assert read_names(write(tmp_path, "# pooled\r\nrun #1\r\n\r\n δ \nrun #1\n")) == ["run #1", "δ"]
    with pytest.raises(rs.EmptyFile, match="no name"):
        read_names(write(tmp_path, "# nothing\n"))
