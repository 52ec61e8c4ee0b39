"""Every measure is documented, and the hand-written page's claims hold."""

import importlib.util
from pathlib import Path

import rankscope as rs
from narrowing import known
from rankscope.measures.registry import GROUPS

ROOT = Path(__file__).parents[2]


def test_every_measure_is_documented():
    spec = known(importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py"))
    generate = importlib.util.module_from_spec(spec)
    known(spec.loader).exec_module(generate)
    text = generate.pages()["measures.md"]
    for record in rs.all_measures():
        assert f"\n## {record.name}\n" in text
        for parameter in record.parameters:
            assert f"| `{parameter.name}` |" in text
    for group in GROUPS:
        assert f"`{group}`" in text


def test_the_page_tells_how_many_measures_there_are():
    assert f"{len(rs.all_measures())} of ir_measures' and trec_eval's" in (ROOT / "CHANGELOG.md").read_text()
