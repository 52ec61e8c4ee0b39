"""Every measure against its literal definition in tests/oracles_measures.py."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_runs import table, tracks

import oracles_measures as oracles
from rankscope.measures import all_measures, parse_measure, rescore, score
from rankscope.runs import Judgments, RunSet, join

# Each record at least once, each parameter too; cutoffs above, at and below the length of rankings.
_NAMES = """
AP AP(rel=2) AP@3 AP(judged_only=true)@4 GMAP infAP infAP(rel=3) nDCG nDCG@1 nDCG@5 nDCG@100 nDCG(dcg='exp-log2')@10
nDCG(judged_only=true)@5 nDCG(gains={1:3,2:0,0:1})@10 DCG DCG@4 DCG(dcg='exp-log2') DCG(gains={1:2.5}) P@1 P@5 P@20
P(rel=2,judged_only=true)@3 R@2 R(rel=3)@10 Rprec Rprec(judged_only=true) RR RR@2 RR(rel=2) Success@1 Success(rel=2)@5
Bpref Bpref(rel=2) ERR ERR@3 ERR(max_rel=5)@20 RBP RBP(p=0.5) RBP(p=0) RBP(p=0.95,rel=2)@5 RBP(p=0.5,max_rel=4)
RBP(part=residual) RBP(p=0.5,part=upper)@3 Compat Compat(p=0.5,normalize=false) IPrec@0 IPrec@0.5
IPrec(judged_only=true)@1 IPrecMean SetP SetP(relative=true) SetP(judged_only=true) SetR SetF SetF(beta=0.5) SetAP
Utility Judged Judged@3 NumQ NumRet NumRet(rel=2) NumRel NumRelRet NumRelRet(rel=0)
"""
NAMES = _NAMES.split()
# Their definitions walk a thousand ranks.
DEEP = ("INSQ", "INSQ(T=3,max_rel=4)", "INST", "INST(T=2.5,rel=2)", "INST(T=0.5,max_rel=4)")
# What takes grades that are not whole numbers.
_REAL = """
nDCG nDCG@3 nDCG(dcg='exp-log2')@5 DCG ERR RBP(max_rel=4) Compat AP(rel=1.5) P(rel=0.5)@3
Bpref(rel=1) Judged@2 NumRet
"""
REAL = _REAL.split()


def literal(name):
    """The definition with the name's parameters and cutoff."""
    measure = parse_measure(name)
    options: dict[str, Any] = dict(measure.parameters)
    if "gains" in options:
        options["gains"] = {int(g): float(v) for g, v in (pair.split(":") for pair in options["gains"].split(","))}
    if measure.cutoff is not None:
        options["recall" if measure.record.real_cutoff else "k"] = measure.cutoff
    return lambda ranking, grades: getattr(oracles, measure.record.name.lower())(ranking, grades, **options)


def check(track, names):
    rankings, judgments = track
    matrices = score(join(RunSet.of(rankings), Judgments.of(judgments)), names)
    for name in names:
        values = matrices[str(parse_measure(name))].values
        expected = table(judgments, rankings, literal(name))
        assert np.allclose(values, expected, rtol=0, atol=1e-12), (name, values, expected)


def test_every_measure_and_parameter_has_a_case():
    used = [parse_measure(name) for name in (*NAMES, *DEEP)]
    assert {m.record.name for m in used} == {record.name for record in all_measures()}
    told = {"p", "part", "max_rel", "T", "beta", "relative", "dcg", "gains", "normalize"}
    for record in all_measures():
        given_parameters = {key for m in used if m.record is record for key, _ in m.parameters}
        assert told & {p.name for p in record.parameters} <= given_parameters


@given(tracks())
def test_measures_equal_their_definitions(track):
    check(track, NAMES)


@settings(max_examples=20)
@given(tracks())
def test_deep_measures_equal_their_definitions(track):
    check(track, DEEP)


@given(tracks(grades=st.floats(-1, 4, allow_nan=False).map(lambda x: round(x, 2))))
def test_measures_equal_their_definitions_for_real_grades(track):
    check(track, REAL)


@settings(max_examples=40)
@given(tracks(), st.data())
def test_rescoring_is_scoring_under_other_judgments(track, data):
    """NaN takes a judgment away; every other grade takes the place of the first one."""
    rankings, judgments = track
    judged = join(RunSet.of(rankings), Judgments.of(judgments))
    size = len(judged.grades)
    grade = st.one_of(st.none(), st.integers(-2, 4))
    others = [data.draw(st.lists(grade, min_size=size, max_size=size)) for _ in range(2)]
    gradings = [[np.nan if g is None else g for g in row] for row in others]
    scores = rescore(judged, NAMES, gradings, jobs=data.draw(st.sampled_from([1, 2])))
    for b, row in enumerate(others):
        new = iter(row)
        changed = {t: {d: g for d in grades if (g := next(new)) is not None} for t, grades in judgments.items()}
        again = score(judged.with_grades(gradings[b]), NAMES)
        for name in NAMES:
            values = scores[str(parse_measure(name))][b]
            expected = table(changed, rankings, literal(name))
            assert np.allclose(values, expected, rtol=0, atol=1e-12), (name, values, expected)
            assert np.array_equal(values, again[str(parse_measure(name))].values)


@settings(max_examples=40)
@given(tracks(), st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_hits_under_many_gradings_are_those_under_each(track, gradings, seed):
    """A kernel counts hits under many gradings at once: the bits are those of the kernel of one grading."""
    rankings, judgments = track
    judged = join(RunSet.of(rankings), Judgments.of(judgments))
    random = np.random.default_rng(seed)
    grades = random.integers(-2, 4, (gradings, len(judged.grades))).astype(float)
    grades[random.random(grades.shape) < 0.1] = np.nan
    names = ["AP", "AP(rel=2)", "AP@3", "GMAP", "P@1", "P@20", "R(rel=3)@2"]
    scores = rescore(judged, names, grades, jobs=1)
    for b, row in enumerate(grades):
        alone = score(judged.with_grades(row), names)
        new = iter(row.tolist())
        changed = {t: {d: int(g) for d in of if (g := next(new)) == g} for t, of in judgments.items()}
        for name in names:
            assert np.array_equal(scores[name][b], alone[name].values)
            assert np.allclose(scores[name][b], table(changed, rankings, literal(name)), rtol=0, atol=1e-12)


@given(tracks(grades=st.integers(0, 4)))
def test_scores_stay_in_their_ranges(track):
    rankings, judgments = track
    judged = join(RunSet.of(rankings), Judgments.of(judgments))
    for record in all_measures():
        name = record.name + {"required": "@0.5" if record.real_cutoff else "@4"}.get(record.cutoff, "")
        values = score(judged, name)[name].values
        low, high = record.range
        assert (values >= low).all(), name
        assert (values <= high + 1e-12).all(), name


@given(st.dictionaries(st.sampled_from(["a", "b", "c", "d", "e", "f"]), st.integers(0, 4), min_size=1))
def test_a_perfect_ranking_scores_one(grades):
    if max(grades.values()) == 0:
        return
    ranking = sorted(grades, key=lambda d: -grades[d])
    judged = join(RunSet.of({"best": {"1": ranking}}), Judgments.of({"1": grades}))
    for name in ("nDCG", "nDCG@5", "nDCG(dcg='exp-log2')", "AP", "Rprec", "Bpref", "RR"):
        assert score(judged, name)[name].values.item() == 1.0
    assert score(judged, "Compat")["Compat"].values.item() == pytest.approx(1.0, abs=1e-14)
