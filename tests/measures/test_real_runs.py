"""Real tracks under shared/data: official scores, trec_eval's own code, and judges in the place of people."""

import gzip

import numpy as np
import pytest
import pytrec_eval
from leaderboard import OFFICIAL, differences

import rankscope as rs
from rankscope.errors import BadParameter
from rankscope.runs import join

_TREC = """
map gm_map infAP ndcg Rprec recip_rank bpref 11pt_avg set_P set_recall set_F set_map utility num_ret num_rel num_rel_ret
map_cut_10 map_cut_100 ndcg_cut_5 ndcg_cut_10 ndcg_cut_1000 P_5 P_10 P_1000 recall_10 recall_1000 success_1 success_10
iprec_at_recall_0.00 iprec_at_recall_0.50 iprec_at_recall_1.00
"""
TREC = _TREC.split()


def test_covid1_equals_the_official_leaderboard(data):
    """143 runs × 5 measures: leaderboard.csv has four decimals."""
    cells = differences(data / "covid1")
    assert len(cells) == 143 * len(OFFICIAL)
    assert [cell for cell in cells if abs(cell[2] - cell[3]) > 5.0001e-5] == []


def scores_of(path):
    run: dict[str, dict[str, float]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            topic, _, document, _, value, _ = line.split()
            run.setdefault(topic, {})[document] = float(value)
    return run


@pytest.mark.parametrize(
    ("track", "qrels", "every"),
    [
        ("dl19", "qrels.human.txt", 1),
        ("covid1", "qrels.txt", 4),
        pytest.param("covid1", "qrels.txt", 1, marks=pytest.mark.slow),
    ],
)
def test_equal_to_trec_eval_on_real_runs(data, track, qrels, every):
    paths = sorted((data / track / "runs").glob("*.gz"))[::every]
    evaluation = rs.evaluate(paths, data / track / qrels, TREC)
    with (data / track / qrels).open(encoding="utf-8") as lines:
        judgments = pytrec_eval.parse_qrel(lines)
    evaluator = pytrec_eval.RelevanceEvaluator(judgments, set(TREC))
    for path in paths:
        expected = evaluator.evaluate(scores_of(path))
        for name in TREC:
            matrix = evaluation.scores[name]
            column = matrix.values[:, matrix.systems.index(path.name.removesuffix(".gz"))]
            for topic, value in zip(matrix.topics, column, strict=True):
                if topic in expected:
                    assert abs(value - expected[topic][name]) < 1e-10, (path.name, name, topic)


# FACTS.md, checked: τ_b with the human ranking by mean nDCG@10, grades truncated to whole numbers.
TRUNCATED = {
    "umbrela-gpt-4o": 0.9159,
    "four-prompts-flan-t5": 0.9039,
    "four-prompts-llama3": 0.8769,
    "exam-max-gpt-4o": 0.8619,
    "binary-gpt-4o": 0.8520,
    "umbrela-gpt-4": 0.8498,
    "binary-llama3.2": 0.8310,
}


def test_judges_in_the_place_of_people(data):
    runs = rs.read_runs(data / "dl19/runs")
    human = rs.evaluate(runs, data / "dl19/qrels.human.txt", "nDCG@10").summaries["nDCG@10"].values
    for judge, expected in TRUNCATED.items():
        judged = join(runs, rs.read_judgments(data / f"dl19/judges/{judge}.qrels"))
        whole = rs.score(judged.with_grades(np.trunc(judged.grades)), "nDCG@10")["nDCG@10"].means
        assert rs.tau_b(human, whole) == pytest.approx(expected, abs=5.1e-5), judge


def test_real_valued_grades_as_they_are(data):
    """One judge's grades are means of several. Gains are the grades themselves; a binary measure asks for `rel`."""
    runs = rs.read_runs(data / "dl19/runs")
    human = rs.evaluate(runs, data / "dl19/qrels.human.txt", "nDCG@10").summaries["nDCG@10"].values
    judged = join(runs, rs.read_judgments(data / "dl19/judges/exam-mean-gpt-4o.qrels"))
    as_they_are = rs.score(judged, "nDCG@10")["nDCG@10"].means
    truncated = rs.score(judged.with_grades(np.trunc(judged.grades)), "nDCG@10")["nDCG@10"].means
    # No published figure: what this code gives, to be told of any change.
    assert rs.tau_b(human, as_they_are) == pytest.approx(0.8739, abs=5.1e-5)
    assert rs.tau_b(human, truncated) == pytest.approx(0.8498, abs=5.1e-5)
    with pytest.raises(BadParameter, match="not whole numbers"):
        rs.evaluate(judged, measures="AP")
    assert rs.evaluate(judged, measures="AP(rel=1)").summaries["AP(rel=1)"].values.max() < 1.0
