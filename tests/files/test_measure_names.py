import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscope.measure_names import canonical, closest_first, is_known, matching

# trec_eval's name and ir_measures' for the same measure, after `PytrecEvalProvider` in ir_measures 0.4.3.
SAME = [
    ("map", "AP"),
    ("map_cut_10", "AP@10"),
    ("P_10", "P@10"),
    ("recall_100", "R@100"),
    ("ndcg", "nDCG"),
    ("ndcg_cut_10", "nDCG@10"),
    ("recip_rank", "RR"),
    ("Rprec", "Rprec"),
    ("bpref", "Bpref"),
    ("infAP", "infAP"),
    ("success_5", "Success@5"),
    ("set_P", "SetP"),
    ("set_recall", "SetR"),
    ("set_F", "SetF"),
    ("set_map", "SetAP"),
    ("num_ret", "NumRet"),
    ("num_rel", "NumRel"),
    ("num_q", "NumQ"),
    ("iprec_at_recall_0.10", "IPrec@0.1"),
]


@pytest.mark.parametrize(("trec_eval", "ir_measures"), SAME)
def test_one_measure_under_two_names(trec_eval, ir_measures):
    assert canonical(trec_eval) == canonical(ir_measures)
    assert matching(ir_measures, ["other", trec_eval]) == [trec_eval]
    assert matching(trec_eval, ["other", ir_measures]) == [ir_measures]
    assert is_known(trec_eval)
    assert is_known(ir_measures)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("MAP", "AP"),
        ("MRR@10", "RR@10"),
        ("ndcg@20", "nDCG@20"),
        ("p@5", "P@5"),
        ("RBP(p=.5)", "RBP(p=0.5)"),
        ("AP(rel=1)", "AP"),
    ],
)
def test_spellings_people_use(one, other):
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("AP", "AP@10"),
        ("P_10", "P_100"),
        ("AP(rel=2)", "AP"),
        ("P_10", "recall_10"),
        ("rbp_95", "RBP@95"),
        ("ndcg", "ndcg_rel"),
    ],
)
def test_measures_that_differ(one, other):
    assert canonical(one) != canonical(other)


def test_ir_measures_own_vocabulary_is_known():
    ir_measures = pytest.importorskip("ir_measures", reason="ir_measures is not installed")
    assert [name for name in ir_measures.measures.registry if not is_known(name)] == []


@pytest.mark.parametrize("name", ["bm25", "dense", "301", "run1", "", "run@home"])
def test_systems_are_no_measures(name):
    assert not is_known(name)


def test_the_exact_name_comes_first():
    assert matching("map", ["AP", "map"]) == ["map"]
    assert matching("MAP", ["AP", "map"]) == ["AP", "map"]


@given(st.text(), st.lists(st.text(), max_size=5))
def test_any_text_will_do(wanted, offered):
    canonical(wanted)
    assert sorted(closest_first(wanted, offered)) == sorted(offered)
