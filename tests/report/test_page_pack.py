"""What is packed into a page comes out again as it was."""

import json
import math

from hypothesis import given
from hypothesis import strategies as st
from page_reports import HOSTILE, filled, unpacked

from rankscope.report.numbers import decimals
from rankscope.report.page_model import Column, PageTable
from rankscope.report.page_pack import Store, _table, common_part, rounded, script_json

TEXTS = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=8))
CELLS = st.one_of(st.none(), st.booleans(), st.integers(-5, 5), TEXTS)
ROWS = st.lists(st.fixed_dictionaries({"system": TEXTS, "other": CELLS, "a.b[0]": CELLS}), max_size=8)
SPECS = st.recursive(
    CELLS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
    max_leaves=12,
)


@given(st.lists(ROWS, max_size=4))
def test_rows_come_out_as_they_went_in(tables):
    store = Store()
    packed = [store.rows(rows) for rows in tables]
    kept = json.loads(json.dumps(store.to_dict()))
    assert [unpacked(kept, rows) for rows in packed] == tables


def test_a_column_that_two_tables_share_is_kept_once():
    store = Store()
    store.rows([{"system": "a", "score": 0.5}, {"system": "b", "score": 0.25}])
    store.rows([{"name": "a", "score": 0.5, "rank": 1}, {"name": "b", "score": 0.25, "rank": 2}])
    assert len(store.to_dict()["columns"]) == 3
    assert store.to_dict()["words"] == ["a", "b"]


@given(st.lists(SPECS, min_size=1, max_size=4))
def test_a_specification_is_its_common_part_filled(specs):
    common, fillings = common_part(specs)
    for spec, filling in zip(specs, fillings, strict=True):
        assert json.dumps(filled(common, filling)) == json.dumps(spec)


def test_what_specifications_share_is_kept_once():
    common, fillings = common_part([{"x": {"title": "AP", "domain": [0, 1]}}, {"x": {"title": "RR", "domain": [0, 1]}}])
    assert common == {"x": {"title": {"$hole": 0}, "domain": [0, 1]}}
    assert fillings == [["AP"], ["RR"]]


@given(st.recursive(TEXTS, lambda inner: st.lists(inner, max_size=3), max_leaves=6))
def test_data_in_a_script_element_cannot_end_it(value):
    text = script_json(value)
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == value


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_keep_five_digits(value):
    short = rounded(value)
    assert math.isclose(short, value, rel_tol=0.5001e-4, abs_tol=0.0) or short == value


@given(st.floats(-1e6, 1e6), st.integers(0, 6))
def test_cells_are_rounded_once_as_texts_are(value, digits):
    table = PageTable("All", [value, 0.5], (Column("Mean", lambda row: row, "number", digits),))
    (column,) = _table(table, store := Store())["columns"]
    short = store.to_dict()["columns"][column["values"]]["v"][0]
    assert decimals(short, digits) == decimals(value, digits)
    assert short == round(short, digits)


def test_numbers_are_short():
    assert [rounded(x) for x in (0.1 + 0.2, 2.0, -0.0, 1 / 3, 123456.789)] == [0.3, 2, 0, 0.33333, 123460]
