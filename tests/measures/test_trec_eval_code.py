"""Measures against trec_eval's own code, through pytrec_eval: to 1e-10 on all that both know."""

import numpy as np
import pytrec_eval
from hypothesis import assume, given
from hypothesis import strategies as st
from made_runs import DOCUMENTS

from rankscope.measures import parse_measure, score
from rankscope.runs import Judgments, RunSet, join

CUTS = (1, 3, 5, 20)
_UNCUT = """
map gm_map infAP ndcg Rprec recip_rank bpref 11pt_avg set_P set_recall set_F set_map set_relative_P utility num_q
num_ret num_rel num_rel_ret
"""
NAMES = (
    *_UNCUT.split(),
    *(f"{base}_{k}" for base in ("map_cut", "ndcg_cut", "P", "recall", "success") for k in CUTS),
    *(f"iprec_at_recall_{level / 10:.2f}" for level in range(11)),
    "iprec_at_recall_0.33",
)
# Those that have no least relevant grade.
NOT_WITH_LEVELS = ("ndcg", "num_q", "num_ret")
OURS = {"set_relative_P": "SetP(relative=true)"}

scores = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e6, 1e6))


@st.composite
def scored_tracks(draw):
    """Scores with many ties, also such as only single precision has, and judgments with negative grades."""
    topics = draw(st.lists(st.sampled_from(["1", "10", "ü"]), min_size=1, unique=True))
    run = {t: draw(st.dictionaries(st.sampled_from(DOCUMENTS), scores, min_size=1)) for t in topics}
    judged = draw(st.lists(st.sampled_from(["1", "10", "x"]), min_size=1, unique=True))
    assume(not set(topics).isdisjoint(judged))  # otherwise they cannot be joined
    judgments = {}
    for topic in judged:
        grades = draw(st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-2, 3), min_size=1))
        # trec_eval's code crashes on topics of which no grade is 0 or more.
        judgments[topic] = grades if max(grades.values()) >= 0 else {**grades, "other": 0}
    return run, judgments


def ranked(run):
    """Best first as trec_eval has it: by score in single precision, then by name, both descending."""
    return {
        topic: sorted(documents, key=lambda d: (np.float32(documents[d]), d.encode()), reverse=True)
        for topic, documents in run.items()
    }


def our_name(name, rel=1, judged_only=False):
    measure = parse_measure(OURS.get(name, name))
    options = dict(measure.parameters)
    known = {p.name for p in measure.record.parameters}
    options |= {"rel": rel} if rel != 1 and "rel" in known else {}
    options |= {"judged_only": True} if judged_only and "judged_only" in known else {}
    inside = ",".join(f"{key}={value}" for key, value in options.items())
    cutoff = "" if measure.cutoff is None else f"@{measure.cutoff:g}"
    return measure.record.name + (f"({inside})" if inside else "") + cutoff


def check(run, judgments, names, rel=1, judged_only=False):
    evaluator = pytrec_eval.RelevanceEvaluator(judgments, set(names), rel, judged_only)
    expected = evaluator.evaluate(run)
    joined = join(RunSet.of({"run": ranked(run)}), Judgments.of(judgments))
    assert set(expected) == set(judgments) & set(run)
    for name in names:
        ours = our_name(name, rel, judged_only)
        matrix = score(joined, ours)[str(parse_measure(ours))]
        for topic, value in zip(matrix.topics, matrix.values[:, 0], strict=True):
            if topic in expected and np.isnan(expected[topic][name]):  # 0 / 0 where nothing retrieved is judged
                assert value == 0.0
            elif topic in expected:
                assert abs(value - expected[topic][name]) < 1e-10, (name, topic, value, expected[topic][name])


@given(scored_tracks())
def test_equal_to_trec_eval(track):
    run, judgments = track
    check(run, judgments, NAMES)


@given(scored_tracks(), st.integers(2, 3))
def test_equal_to_trec_eval_at_other_levels(track, rel):
    run, judgments = track
    check(run, judgments, [name for name in NAMES if not name.startswith(NOT_WITH_LEVELS)], rel)


@given(scored_tracks())
def test_equal_to_trec_eval_on_judged_documents_only(track):
    names = [n for n in NAMES if any(p.name == "judged_only" for p in parse_measure(OURS.get(n, n)).record.parameters)]
    assert "map" in names
    run, judgments = track
    check(run, judgments, names, judged_only=True)


@given(scored_tracks(), st.sampled_from([0.5, 2.0, 3.0]))
def test_set_f_weighs_recall_as_trec_eval(track, beta):
    run, judgments = track
    expected = pytrec_eval.RelevanceEvaluator(judgments, {f"set_F_{beta}"}).evaluate(run)
    matrices = score(join(RunSet.of({"run": ranked(run)}), Judgments.of(judgments)), f"SetF(beta={beta})")
    for topic, value in zip(judgments, next(iter(matrices.values())).values[:, 0], strict=True):
        assert abs(value - expected.get(topic, {"set_F": 0.0})["set_F"]) < 1e-10
