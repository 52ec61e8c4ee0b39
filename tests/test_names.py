"""The grammar of names: parse(str(name)) == name, and errors that say what a name looks like."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.errors import UnknownName
from rankscope.names import Name, parse

words = st.from_regex(r"[A-Za-z_]\w{0,8}", fullmatch=True)
values = st.one_of(
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(max_size=8),
    st.sampled_from(["nan", "inf", "1", ""]),
)
names = st.builds(
    Name,
    words,
    st.lists(st.tuples(words, values), max_size=3, unique_by=lambda item: item[0]).map(tuple),
    st.none() | st.integers(1, 10_000),
)


@given(names)
def test_parsing_undoes_printing(name):
    again = parse(str(name))
    assert again == name
    assert [type(value) for _, value in again.parameters] == [type(value) for _, value in name.parameters]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("tau_ap", Name("tau_ap")),
        ("nDCG@10", Name("nDCG", (), 10)),
        ("nDCG(dcg='exp-log2')@10", Name("nDCG", (("dcg", "exp-log2"),), 10)),  # as ir_measures writes it
        ("RBP(p=0.8,rel=2)", Name("RBP", (("p", 0.8), ("rel", 2)))),
        (" rbo( p = .9 , ) @ 5 ", Name("rbo", (("p", 0.9),), 5)),
        ("tau_gap(symmetric=true)", Name("tau_gap", (("symmetric", True),))),
    ],
)
def test_names_as_people_write_them(text, name):
    assert parse(text) == name


@pytest.mark.parametrize(
    "text", ["", "10", "tau ap", "rbo(0.9)", "rbo(p=)", "rbo(p=1", "a@", "a@-1", "a@1.5", "f(p=1,p=2)", "a@0"]
)
def test_what_is_not_a_name(text):
    with pytest.raises(UnknownName):
        parse(text)
