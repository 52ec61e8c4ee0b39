"""Rank-biased overlap of lists and runs with different items: twins, published values, and odd input."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
import rankscope as rs
from rankscope.coefficients.overlap import TieTreatment

RULES: list[TieTreatment] = ["a", "b", "w"]
P = st.sampled_from([0.3, 0.6, 0.8])
ITEMS = "abcdéf"


@st.composite
def grouped(draw, most, items=ITEMS):
    """A list of at most so many items in groups."""
    taken = draw(st.permutations(items))[: draw(st.integers(1, most))]
    ends = [*sorted(draw(st.sets(st.integers(1, len(taken) - 1)))), len(taken)] if len(taken) > 1 else [1]
    return [taken[a:b] for a, b in itertools.pairwise([0, *ends])]


def values(first, second, p, ties):
    overlap = rs.rbo_lists(first, second, p=p, ties=ties)
    return overlap.ext, overlap.min, overlap.max


@given(first=grouped(3), second=grouped(3), p=P, ties=st.sampled_from(RULES))
def test_definition_and_all_ways_to_continue(first, second, p, ties):
    assert values(first, second, p, ties) == pytest.approx(oracles.rbo_lists(first, second, p, ties), abs=1e-12)


@given(first=grouped(6), second=grouped(6), p=st.floats(0.01, 0.999), ties=st.sampled_from(RULES))
def test_extrapolation_order_symmetry_and_identity(first, second, p, ties):
    ext, least, most = found = values(first, second, p, ties)
    assert 0 <= least <= ext <= most <= 1
    shorter, longer = sorted((first, second), key=size)
    assert ext == pytest.approx(oracles.rbo_lists_ext(shorter, longer, p, ties), abs=1e-12)
    assert values(second, first, p, ties) == pytest.approx(found, abs=1e-14)
    if ties != "a":
        assert rs.rbo_lists(first, first, p=p, ties=ties).ext == pytest.approx(1)
    untied = [item for group in first for item in group]
    assert rs.rbo_lists(untied, untied, p=p, ties=ties).ext == pytest.approx(1)


def size(groups):
    return sum(map(len, groups))


def orders(groups):
    return [[i for part in parts for i in part] for parts in itertools.product(*map(itertools.permutations, groups))]


@given(first=grouped(4), second=grouped(4), p=P)
@settings(max_examples=50)
def test_a_is_the_mean_over_all_ways_to_break_ties(first, second, p):
    """The least value always, and the extrapolated one of lists of one length."""
    broken = [rs.rbo_lists(x, y, p=p) for x in orders(first) for y in orders(second)]
    found = rs.rbo_lists(first, second, p=p)
    assert found.min == pytest.approx(np.mean([each.min for each in broken]), abs=1e-12)
    if size(first) == size(second):
        assert found.ext == pytest.approx(np.mean([each.ext for each in broken]), abs=1e-12)


@given(
    lists=st.integers(2, 8).flatmap(lambda m: st.tuples(*[st.lists(st.integers(0, 3), min_size=m, max_size=m)] * 2)),
    ties=st.sampled_from(RULES),
)
def test_the_same_items_have_the_coefficient(lists, ties):
    x, y = (dict(zip("abcdefgh", scores, strict=False)) for scores in lists)
    if len(set(x.values())) > 1 and len(set(y.values())) > 1:
        assert rs.rbo_lists(x, y, ties=ties).ext == pytest.approx(rs.rbo(x, y, ties=ties), abs=1e-15)


@given(
    first=st.permutations(range(8)),
    second=st.permutations(range(4, 11)),
    p=P,
    lengths=st.tuples(*[st.integers(1, 7)] * 2),
)
def test_without_ties_equation_32_of_webber_et_al(first, second, p, lengths):
    first, second = sorted((first[: lengths[0]], second[: lengths[1]]), key=len)
    s, l = len(first), len(second)  # noqa: E741  the paper's names
    x = [len(set(first[:d]) & set(second[:d])) for d in range(l + 1)]
    seen = sum(x[d] / d * p**d for d in range(1, l + 1))
    unseen = sum(x[s] * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    ext = (1 - p) / p * (seen + unseen) + ((x[l] - x[s]) / l + x[s] / s) * p**l
    for ties in RULES:
        assert rs.rbo_lists(first, second, p=p, ties=ties).ext == pytest.approx(ext, abs=1e-12)


def listed(text):
    """A list as the reference implementation writes it: "red (blue green) yellow"."""
    parts = text.replace(")", "(").split("(")
    return [item for i, part in enumerate(parts) for item in ([part.split()] if i % 2 else part.split())]


# ext, min, max under w, a and b. The first: rbo/Python/README.md of julian-urbano/sigir2024-rbo, the code of Corsi &
# Urbano (2024); the others: rows of its rbo/test.csv.
PUBLISHED = [
    (
        "red (blue green) yellow pink",
        "(blue red) white (yellow black purple) green",
        0.95,
        (0.7068257, 0.3429684, 0.9049857),
        (0.6922853, 0.3310519, 0.8930692),
        (0.7207131, 0.3509163, 0.9129336),
    ),
    (
        "i13 (i1 i4 i5 i6)",
        "i3 i14 i11 (i10 i15) i12 (i6 i9) i4 i2",
        0.92238320668128,
        (0.117578490431637, 0.0763135264223449, 0.53999366118093),
        (0.114619469221414, 0.0733545052121218, 0.537945108035391),
        (0.11474835409049, 0.0734833900811979, 0.538589532380772),
    ),
    (
        "(i4 i7 i15) (i2 i11) i8 i18",
        "i4 i8 i17 i11 (i2 i3 i5 i7 i9 i13 i14)",
        0.955836875418683,
        (0.601671359995661, 0.310498723372055, 0.820912519608734),
        (0.584235464666522, 0.295503371358027, 0.805839323150565),
        (0.632087129618464, 0.322093781902212, 0.833840285843908),
    ),
    (
        "(i1 i3 i6 i11 i15) i17 (i5 i8)",
        "(i1 i2 i3 i4 i5 i6 i7 i8 i9 i10 i11 i12)",
        0.966485585840186,
        (0.647993254615828, 0.307897712904381, 0.853885398258049),
        (0.56593642947334, 0.250532359019861, 0.795583602856033),
        (0.658581961799868, 0.315458973083789, 0.861496368240528),
    ),
    (
        "i21 i20 (i1 i16 i19) (i5 i10) i4",
        "(i12 i17) (i2 i3 i8 i11) (i15 i18) (i6 i13) (i7 i14) i9",
        0.930074017489188,
        (0, 0, 0.389142712252727),
        (0, 0, 0.38977330351866),
        (0, 0, 0.390116806797613),
    ),
    (
        "i5 (i9 i26) i21 i1 i11 i8 (i7 i17) i23 (i12 i15) i13",
        "i13 (i14 i22) (i7 i20) (i9 i25) (i6 i10 i23) (i4 i18) i3",
        0.908711666481576,
        (0.160660665378898, 0.12703802845919, 0.311303040814921),
        (0.156889595572318, 0.12326695865261, 0.307531971008341),
        (0.158613825872411, 0.124991188952703, 0.309256201308434),
    ),
]


@pytest.mark.parametrize(("first", "second", "p", "w", "a", "b"), PUBLISHED)
def test_the_code_of_corsi_and_urbano(first, second, p, w, a, b):
    for ties, expected in zip(RULES, (a, b, w), strict=True):
        assert values(listed(first), listed(second), p, ties) == pytest.approx(expected, abs=1e-7)
        overlap = rs.rbo_lists(listed(first), listed(second), p=p, ties=ties)
        assert overlap.residual == overlap.max - overlap.min


def test_what_a_list_may_be(tmp_path):
    plain = rs.rbo_lists(["b", "a", "é"], ["é", "b"])
    tied = rs.rbo_lists(["b", {"a", "c"}], ["a", "b"])
    assert tied == rs.rbo_lists({"a": 1, "b": 3, "c": 1.0}, ["a", "b"]) == rs.rbo_lists(["b", ("c", "a")], ["a", "b"])
    (tmp_path / "board.csv").write_text("system,AP\na,.2\nb,.3\né,.1\n", encoding="utf-8")
    scores = rs.SystemScores([0.2, 0.3, 0.1], ["a", "b", "é"])
    forms: list[Any] = [("b", "a", "é"), np.array(["b", "a", "é"]), {"a": 2, "b": 3, "é": 1}, iter("baé"), scores]
    for first in forms:
        assert rs.rbo_lists(first, ["é", "b"]) == plain
    assert rs.rbo_lists(str(tmp_path / "board.csv"), {"é": 2, "b": 1}) == plain
    assert rs.rbo_lists([3, 1], [1, 2]) == rs.rbo_lists(["3", "1"], ["1", "2"])


def test_extreme_persistence_and_long_lists():
    first, second = [f"a{i}" for i in range(3000)], [f"a{i}" for i in range(1500, 4000)]
    for p in (1e-12, 0.9, 0.99, 1 - 1e-6, 1 - 1e-12):
        overlap = rs.rbo_lists(first, second, p=p)
        assert 0 <= overlap.min <= overlap.ext <= overlap.max <= 1
    assert rs.rbo_lists(first, second, p=1e-12).max < 1e-11  # another first item, and no hope
    assert rs.rbo_lists(first, first, p=0.9).min == pytest.approx(1)


@pytest.mark.parametrize(
    ("first", "options", "error", "match"),
    [
        ([], {}, rs.BadParameter, "first is empty"),
        ({}, {}, rs.BadParameter, "first is empty"),
        (["é", "b", "é"], {}, rs.BadParameter, "first has 'é' twice"),
        ([["a", "b"], "b"], {}, rs.BadParameter, "first has 'b' twice"),
        (["a", []], {}, rs.BadParameter, "empty group"),
        ({"a", "b"}, {}, rs.BadParameter, "has no order"),
        (3, {}, rs.BadParameter, "has no order"),
        ([{"a": 1}], {}, rs.BadParameter, "type dict; give names"),
        ([["a", ["b"]]], {}, rs.BadParameter, "type list; give names"),
        ({"a": math.nan}, {}, rs.NotFinite, "gives 'a' the score nan"),
        ({"a": "high"}, {}, rs.BadParameter, "'a' the score 'high'"),
        (["a"], {"p": 0.0}, rs.BadParameter, "p=0.0"),
        (["a"], {"p": 1.0}, rs.BadParameter, "p=1.0"),
        (["a"], {"p": math.nan}, rs.BadParameter, "p=nan"),
        (["a"], {"ties": "c"}, rs.BadParameter, "one of a, b, w"),
    ],
)
def test_refused(first, options, error, match):
    with pytest.raises(error, match=match):
        rs.rbo_lists(first, ["a"], **options)


# --- runs --------------------------------------------------------------------

RUNS = {
    "bm25": {"1": ["d1", "d2", "d3"], "2": ["d4"], "3": ["d5", "d6"]},
    "dense": {"1": ["d3", "d1"], "2": ["d7", "d4", "d8"], "3": []},
    "mono": {"1": ["d3", "d9", "d1", "d2"], "3": ["d6", "d5"]},
}


@pytest.mark.parametrize("depth", [None, 1, 2])
def test_runs_are_lists_by_topic(depth):
    result = rs.rbo_runs(RUNS, p=0.8, depth=depth)
    rows = {row[:3]: row[3:] for row in result.tables()["topics"].rows}
    for pair in result.pairs:
        found = []
        for topic in "123":
            lists = [RUNS[system].get(topic, [])[:depth] for system in (pair.first, pair.second)]
            row = rows[pair.first, pair.second, topic]
            if all(lists):
                overlap = rs.rbo_lists(*lists, p=0.8)
                found.append((overlap.ext, overlap.min, overlap.max, overlap.residual))
                assert row == pytest.approx(found[-1], abs=1e-14)
            else:
                assert np.isnan(row).all()
        assert (pair.ext, pair.min, pair.max, pair.residual) == pytest.approx(np.mean(found, axis=0), abs=1e-14)
        assert pair.topics == len(found)
    assert [(pair.first, pair.second) for pair in result.pairs] == list(itertools.combinations(RUNS, 2))
    assert "3 pairs of runs" in str(result)


def test_runs_without_a_common_topic():
    runs = {"a": {"1": ["x"]}, "b": {"1": ["x"]}, "c": {"2": ["x"]}}
    pairs = rs.rbo_runs(runs).pairs
    assert [(pair.ext, pair.topics) for pair in pairs] == [(1.0, 1), (None, 0), (None, 0)]
    assert str(rs.rbo_runs(runs))
    with pytest.raises(rs.MismatchedNames, match="same topic"):
        rs.rbo_runs({"a": {"1": ["x"]}, "c": {"2": ["x"]}})
    with pytest.raises(rs.TooFewSystems, match="1 run;"):
        rs.rbo_runs({"a": {"1": ["x"]}})
    with pytest.raises(rs.BadParameter, match="depth=0"):
        rs.rbo_runs(runs, depth=0)
