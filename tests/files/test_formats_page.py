"""The examples of docs/formats.md are what they are said to be, and its lists are the code's."""

import re
from pathlib import Path

import pytest

from rankscope.files import FORMATS, read_scores
from rankscope.files.columns import LABEL, RANK, ROLES
from rankscope.files.scores import Reading, text_content

PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
# Battles are not scores: their own tests read their example.
EXAMPLES = [pair for pair in re.findall(r"```text (\S+)\n(.*?)```", PAGE, re.DOTALL) if pair[0] != "battles"]


def test_every_format_has_an_example():
    assert {form for form, _ in EXAMPLES} == set(FORMATS)


@pytest.mark.parametrize(("form", "example"), EXAMPLES)
def test_examples_are_recognised(file, form, example):
    assert text_content(example, "example", Reading()).format == form
    measure = "AP" if "\nAP\t" in example else None
    assert read_scores(file(example), measure=measure).systems


@pytest.mark.parametrize("word", [word for words in (*ROLES.values(), LABEL, RANK) for word in words if word])
def test_every_header_is_listed(word):
    assert f"`{word}`" in PAGE
