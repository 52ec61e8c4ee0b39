"""How a source is written on the command line: name, file, and keys after a colon."""

import pytest

from rankscope import BadParameter
from rankscope.cli.sources import Source, parse_source


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("a.qrels", Source("a.qrels", None, {})),
        ("llm=a.qrels", Source("a.qrels", "llm", {})),
        ("a.qrels:rel=1", Source("a.qrels", None, {"rel": "1"})),
        ("llm=a.qrels:map=1>2,2>3,rel=2", Source("a.qrels", "llm", {"map": "1>2,2>3", "rel": "2"})),
        (r"llm=C:\labels\a.qrels:rel=1", Source(r"C:\labels\a.qrels", "llm", {"rel": "1"})),
        (r"C:\labels\a.qrels", Source(r"C:\labels\a.qrels", None, {})),
        ("scores.csv:rater=a:b", Source("scores.csv", None, {"rater": "a:b"})),
        ("scores.csv:Größe=ü", Source("scores.csv", None, {"Größe": "ü"})),
        ("scores.csv:topics=", Source("scores.csv", None, {"topics": ""})),
    ],
)
def test_parts_of_a_source(word, expected):
    assert parse_source(word) == expected


@pytest.mark.parametrize("name", ["llm=a.qrels", "a:rel=1", "mmlu:subject=x,model=y"])
def test_a_file_may_have_these_signs_in_its_own_name(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).touch()
    assert parse_source(name) == Source(name, None, {})
    assert parse_source(f"own={name}") == Source(name, "own", {})
    assert parse_source(f"own={name}:rel=2") == Source(name, "own", {"rel": "2"})


def test_a_key_twice_or_unknown_is_refused():
    with pytest.raises(BadParameter, match="'rel' is given twice"):
        parse_source("a.qrels:rel=1,rel=2")
    with pytest.raises(BadParameter, match=r"a\.qrels: no key 'level' after the colon; there are rel, map"):
        parse_source("a.qrels:level=2").refuse_options(("rel", "map"))
