"""Names of measures: ir_measures' spelling out, every spelling in, and errors that say the way out."""

import ast

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankscope as rs
from rankscope.errors import BadParameter, UnknownName
from rankscope.measure_names import canonical, is_known
from rankscope.measures import elsewhere
from rankscope.measures.registry import GROUPS


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("map", "AP"),
        ("MAP", "AP"),
        ("map_cut_10", "AP@10"),
        ("gm_map", "GMAP"),
        ("infAP", "infAP"),
        ("Rprec", "Rprec"),
        ("bpref", "Bpref"),
        ("recip_rank", "RR"),
        ("MRR@10", "RR@10"),
        ("P_10", "P@10"),
        ("recall_1000", "R@1000"),
        ("success_5", "Success@5"),
        ("ndcg", "nDCG"),
        ("ndcg_cut_10", "nDCG@10"),
        ("NDCG@10", "nDCG@10"),
        ("11pt_avg", "IPrecMean"),
        ("iprec_at_recall_0.10", "IPrec@0.1"),
        ("set_P", "SetP"),
        ("set_recall", "SetR"),
        ("set_F", "SetF"),
        ("set_map", "SetAP"),
        ("utility", "Utility"),
        ("num_q", "NumQ"),
        ("num_ret", "NumRet"),
        ("num_rel", "NumRel"),
        ("num_rel_ret", "NumRelRet"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(dcg='exp-log2')@10"),
        (" nDCG ( dcg = 'exp-log2' ) @ 10 ", "nDCG(dcg='exp-log2')@10"),
        ("nDCG(gains={1: 3, 2: 9})@5", "nDCG(gains={1:3,2:9})@5"),
        ("AP(rel=2,judged_only=True)", "AP(rel=2,judged_only=True)"),
        ("AP(judged_only=false)", "AP"),
        ("RBP(p=.5)", "RBP(p=0.5)"),
        ("RBP(p=0.8)", "RBP"),
    ],
)
def test_spellings(name, ours):
    measure = rs.parse_measure(name)
    assert str(measure) == ours
    assert rs.parse_measure(ours) == measure
    assert rs.parse_measure(measure.trec_name) == measure


@pytest.mark.parametrize(
    "name",
    [
        "AP",
        "AP(rel=2)@10",
        "nDCG@10",
        "nDCG(dcg='exp-log2')",
        "P(judged_only=True)@5",
        "RR",
        "Bpref",
        "RBP(p=0.5)",
        "ERR@20",
        "Success@1",
        "SetF(beta=0.5)",
        "IPrec@0.1",
        "Judged@10",
        "infAP",
        "Rprec",
        "NumRet(rel=2)",
        "Compat(p=0.9)",
        "nDCG(gains={1:3,2:9})@5",
    ],
)
def test_spelled_as_ir_measures_does(name):
    assert str(elsewhere.parsed(name)) == str(rs.parse_measure(name)) == name


@pytest.mark.skipif(not hasattr(ast, "Num"), reason="ir_measures' own parser needs ast.Num, which Python 3.14 dropped")
@pytest.mark.parametrize(
    "name",
    [
        "AP",
        "AP(rel=2)@10",
        "nDCG(dcg='exp-log2')",
        "P(judged_only=True)@5",
        "IPrec@0.1",
        "Compat(p=.9)@ 5",
        "RBP(p=1e-3)",
        "nDCG(gains={1:3,2:9})@5",
        "nDCG(gains={})",
        "AP()",
        "AP(rel=None)",
        "AP(2)",
        "AP@-1",
        "AP(rel=-1)",
        "AP@(5)",
        "AP(rel=b'2')",
        "AP(rel=...)",
        "AP@5@6",
        "(AP)@5",
        "AP.x@5",
        "AP[1]",
        "AP;P",
        "AP=1",
        "AP(rel",
        "",
        "x@5",
        "AP(rel=x)",
        "AP\0",
    ],
)
def test_parsed_as_ir_measures_does(name):
    try:
        theirs = ir_measures.parse_measure(name)
    except (NameError, ValueError):
        theirs = None
    assert elsewhere.parsed(name) == theirs


@pytest.mark.parametrize("record", rs.all_measures(), ids=lambda r: r.name)
def test_names_of_every_record(record):
    cutoffs = {"none": [""], "optional": ["", "@7"], "required": ["@1" if record.real_cutoff else "@7"]}[record.cutoff]
    for cutoff in cutoffs:
        measure = rs.parse_measure(record.name + cutoff)
        assert measure.record is record
        assert rs.parse_measure(str(measure)) == measure
        assert rs.parse_measure(measure.trec_name) == measure
        assert is_known(measure.trec_name)
        assert is_known(str(measure))
    for other in record.also:
        assert rs.parse_measure(other + cutoffs[-1]).record is record
    assert record.looks_at
    assert record.reference
    assert all(p.meaning for p in record.parameters)


def test_no_two_records_share_a_name():
    names = [canonical(name) for r in rs.all_measures() for name in {canonical(r.name), *map(canonical, r.also)}]
    assert len(names) == len(set(names))


@given(st.sampled_from(rs.all_measures()), st.data())
def test_parameters_survive(record, data):
    kept = {}
    for p in record.parameters:
        if p.choices:
            kept[p.name] = data.draw(st.sampled_from(p.choices))
        elif isinstance(p.default, bool):
            kept[p.name] = data.draw(st.booleans())
        elif p.name == "gains":
            kept[p.name] = data.draw(st.sampled_from(["{1:3}", "{0:1,3:2.5}"]))
        else:
            kept[p.name] = data.draw(st.sampled_from([0.5, 0.9] if p.below else [1, 2, 2.5]))
    inside = ",".join(f"{k}='{v}'" if v == "exp-log2" else f"{k}={v}" for k, v in kept.items())
    cutoff = {"none": "", "optional": "@3", "required": "@1"}[record.cutoff]
    measure = rs.parse_measure(f"{record.name}({inside}){cutoff}" if inside else record.name + cutoff)
    assert rs.parse_measure(str(measure)) == measure
    for key, value in kept.items():
        assert str(measure[key]) == str(value).strip("{}") or measure[key] == value


@pytest.mark.parametrize(
    ("name", "error", "says"),
    [
        ("nDGC@10", UnknownName, "did you mean nDCG"),
        ("recip_rnk", UnknownName, "did you mean RR"),
        ("", UnknownName, "is not a measure"),
        ("P", BadParameter, "write P@10"),
        ("IPrec", BadParameter, r"write IPrec@0\.1"),
        ("IPrec@1.5", BadParameter, "from 0 to 1"),
        ("P@2.5", BadParameter, "a whole number"),
        ("P@0", BadParameter, "from 1"),
        ("P@ten", BadParameter, "'ten' is not a cutoff"),
        ("bpref@10", BadParameter, "takes no cutoff"),
        ("RBP(p=1)", BadParameter, "p is below 1"),
        ("RBP(p=-0.5)", BadParameter, "p is 0 or more"),
        ("RBP(p=often)", BadParameter, "p is a number"),
        ("RBP(p=nan)", BadParameter, "p is"),
        ("RBP(patience=1)", BadParameter, "it has: p, rel"),
        ("AP(rel)", UnknownName, "is not a parameter"),
        ("AP(rel=1,rel=2)", UnknownName, "given twice"),
        ("AP(judged_only=2)", BadParameter, "is true or false"),
        ("nDCG(dcg=exp)@10", BadParameter, "log2, exp-log2"),
        ("nDCG(gains={1})@10", BadParameter, r"write gains=\{1:3,2:9\}"),
    ],
)
def test_errors_say_the_way_out(name, error, says):
    with pytest.raises(error, match=says):
        rs.parse_measure(name)


def test_groups():
    names = [str(m) for m in rs.parse_measures("gupta2019")]
    assert len(names) == 23  # Gupta et al. 2019, section 3
    assert names == [str(rs.parse_measure(name)) for name in GROUPS["gupta2019"]]
    assert [str(m) for m in rs.parse_measures(["trec", "AP", "nDCG@10"])] == [*GROUPS["trec"], "nDCG@10"]
    assert [str(m) for m in rs.parse_measures("AP(rel=2, judged_only=true), P@5 map")] == [
        "AP(rel=2,judged_only=True)",
        "P@5",
        "AP",
    ]
    with pytest.raises(BadParameter, match="no measure is named"):
        rs.parse_measures([])


def test_gupta_columns(data):
    """The 23 columns of the authors' own tables; their rdp is RBP, their err is cut at 20."""
    columns = (data / "gupta2019/result_wt2012.csv").read_text().splitlines()[0].split(",")
    spelled = {
        {"rdp_5": "RBP(p=0.5)", "rdp_8": "RBP(p=0.8)", "rdp_95": "RBP(p=0.95)", "err": "ERR@20"}.get(
            c.removesuffix("all"), c.removesuffix("all")
        )
        for c in columns
    }
    assert set(rs.parse_measures(spelled)) == set(rs.parse_measures("gupta2019"))


def test_others_come_through_ir_measures():
    measure = rs.parse_measure("Accuracy(rel=2)@5")
    assert str(measure) == "Accuracy(rel=2)@5"
    assert measure.provider == "ir_measures (accuracy)"
    assert rs.parse_measure(str(measure)) == measure
    assert {m.provider for m in rs.parse_measures("trec gupta2019")} == {"rankscope"}
    with pytest.raises(BadParameter, match=r"pyndeval, which is not installed: pip install"):
        rs.parse_measure("alpha_nDCG@10")
    with pytest.raises(BadParameter, match="ir_measures"):
        rs.parse_measure("BPM(nonsense=1)@10")
