"""Tables as other tools write them: invented samples of the same shape, and the real files where they are at hand."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

import rankscope as rs
from narrowing import by_topic
from rankscope.cli import main
from rankscope.errors import (
    AmbiguousMeasure,
    DuplicateScore,
    MissingScores,
    NoNumericColumn,
    RaggedRow,
    UnknownMeasure,
    UnrecognisedFormat,
)
from rankscope.files.scores import read_every_measure, read_scores

TOT = """r1\tCLARITY\t7\t1.0
r1\tLENGTH\t7\t12
r1\tCLARITY\t8\t0.5
r1\tLENGTH\t8\t14
r1\tCLARITY\tall\t0.75
r1\tLENGTH\tall\t13
r2\tCLARITY\t7\t0.25
r2\tLENGTH\t7\t3
r2\tCLARITY\t8\t0
r2\tLENGTH\t8\t4
r2\tCLARITY\tall\t0.125
r2\tLENGTH\tall\t3.5"""


def _swapped(text: str) -> str:
    """The other layout of AutoJudge: topic before measure."""
    rows = [line.split("\t") for line in text.splitlines()]
    return "\n".join("\t".join((run, topic, measure, value)) for run, measure, topic, value in rows)


def _padded(text: str) -> str:
    return "\n".join("  ".join(f"{field:<9}" for field in line.split("\t")).rstrip() for line in text.splitlines())


def _without_summaries(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if "\tall\t" not in line)


NAMED = TOT.replace("\t7\t", "\tleaf\t").replace("\t8\t", "\tcloud\t")
KNOWN = NAMED.replace("CLARITY", "AP").replace("LENGTH", "nDCG@10")


@pytest.mark.parametrize(
    "text",
    [
        *(TOT, TOT + "\n", _padded(TOT), _without_summaries(TOT), _padded(_without_summaries(TOT)), NAMED),
        *(_swapped(TOT), _padded(_swapped(TOT)), _swapped(NAMED), _without_summaries(KNOWN)),
        *(_swapped(_without_summaries(KNOWN)), "run_id\tquery_id\tmeasure\tvalue\n" + _swapped(TOT)),
        "run_id  measure  query_id  value\n" + _padded(_without_summaries(NAMED)),
        "\n".join(
            json.dumps({"run_id": run, "topic_id": topic, "measure": measure, "value": float(value)})
            for run, measure, topic, value in (line.split("\t") for line in TOT.splitlines())
        ),
    ],
)
def test_leaderboards_of_autojudge(file, text):
    path = file(text, "judge.eval.txt")
    scores = by_topic(read_scores(path, measure="AP" if "AP" in text else "CLARITY"))
    assert scores.values.tolist() == [[1.0, 0.25], [0.5, 0.0]]
    assert scores.systems == ("r1", "r2")
    assert "all" not in scores.topics
    assert len(read_every_measure(path)) == 2


def test_autojudge_layouts_that_cannot_be_told_are_forced(file):
    unclear = _without_summaries(NAMED)
    with pytest.raises(UnrecognisedFormat, match=r"add a header.*--input-format tot.*--input-format ir_measures"):
        read_scores(file(unclear))
    tot = by_topic(read_scores(file(unclear), format="tot", measure="CLARITY"))
    swapped = by_topic(read_scores(file(_swapped(unclear)), format="ir_measures", measure="CLARITY"))
    assert tot.values.tolist() == swapped.values.tolist() == [[1.0, 0.25], [0.5, 0.0]]
    done = CliRunner().invoke(main, ["rank", str(file(unclear)), "--input-format", "tot", "-m", "CLARITY", "-q"])
    assert done.exit_code == 0, done.output


def test_autojudge_numbers_before_names_may_be_judgments(file):
    judged = "r1 7 CLARITY 1\nr1 8 CLARITY 0\n"
    with pytest.raises(UnrecognisedFormat, match=r"look like relevance judgments.*--input-format ir_measures"):
        read_scores(file(judged))
    assert by_topic(read_scores(file(judged), format="ir_measures")).topics == ("7", "8")
    with pytest.raises(UnrecognisedFormat, match="look like relevance judgments"):
        read_scores(file("q1 0 all 1\nq2 0 d2 0\n"))


def test_a_broken_line_of_autojudge(file):
    with pytest.raises(RaggedRow, match=r":301: 3 fields, and other lines have 4 \(system, measure, topic, value\)"):
        read_scores(file("".join(f"r\tAP\t{t}\t0.5\n" for t in range(300)) + "r\tAP\t0.5\n"))
    with pytest.raises(UnrecognisedFormat, match="not 'tot'"):
        read_scores(file("topic,a\n1,0.5\n"), format="tot")


WMT = "".join(
    f"BLEU\t{pair}\tnews\t{reference}\t{system}\t{score}\n"
    for pair, reference, system, score in [
        ("cs-en", "ref", "A.1", 29.2),
        ("cs-en", "ref", "B.2", 26.0),
        ("de-en", "ref", "A.3", 40.0),
        ("de-en", "refB", "A.3", 41.5),
        ("de-en", "refB", "C.4", 39.5),
    ]
)


def test_system_scores_of_wmt(file):
    path = file(WMT, "BLEU.sys.score")
    with pytest.raises(UnrecognisedFormat, match=r"2 values of lang pair \('cs-en', 'de-en'\).*FILE:lang_pair=cs-en"):
        read_scores(path)
    with pytest.raises(UnrecognisedFormat, match=r"2 values of reference"):
        read_scores(path, where={"lang_pair": "de-en"})
    with pytest.raises(UnrecognisedFormat, match=r"2 values of lang pair"):
        read_scores(path, where={"lang_pair": "*-en"})
    scores = read_scores(path, where={"lang_pair": "de-en", "reference": "refB"})
    assert (scores.systems, scores.values.tolist(), scores.measure) == (("A.3", "C.4"), [41.5, 39.5], "BLEU")
    words = [f"truth={path}:lang_pair=cs-en", f"{path}:lang_pair=cs-en"]
    done = CliRunner().invoke(main, ["compare", *words, "-c", "tau", "-q"])
    assert done.exit_code == 0, done.output


def test_segments_of_wmt_are_numbered_within_documents(file):
    lines = [
        f"chrF\tcs-en\tnews\tref\t{system}\t{document}\t{segment}\t{score}"
        for system, shift in (("A.1", 0.5), ("B.2", 0.25))
        for document in ("d1", "d2")
        for segment, score in ((1, shift), (2, shift + 0.125))
    ]
    scores = by_topic(read_scores(file("\n".join(lines), "chrF.seg.score")))
    assert scores.topics == ("d1:1", "d1:2", "d2:1", "d2:2")
    assert scores.values.tolist() == [[0.5, 0.25], [0.625, 0.375]] * 2
    one = by_topic(read_scores(file("\n".join(lines), "chrF.seg.score"), where={"document": "d2"}))
    assert one.topics == ("d2:1", "d2:2")


def test_direct_assessment_is_separated_by_spaces(file):
    scores = read_scores(
        file("RAW.SCR Z.SCR N SYS N.ALL \n75.1 0.08 894 A.1 1168 \n64.1 -0.2 898 B.2 1179 \n"), measure="Z.SCR"
    )
    assert (scores.systems, scores.values.tolist()) == (("A.1", "B.2"), [0.08, -0.2])
    by_document = read_scores(
        file("SYS SEGID RAW.SCR Z.SCR N\nA.1 w 66.6 0.02 12\nB.2 w 65.5 -0.01 12\n"), measure="Z.SCR"
    )
    assert by_topic(by_document).topics == ("w",)


@pytest.mark.parametrize(
    "header",
    [
        *("model,task,score", "model,scenario,score", "generator,instruction,preference", "name,prompt_id,acc"),
        *("Model,Sample ID,acc", "system,seg,score", "system,document,rating", "model_name,item,score"),
    ],
)
def test_long_tables_under_other_words(file, header):
    scores = by_topic(read_scores(file(f"{header}\na,1,0.5\na,2,0.25\nb,1,0.75\nb,2,1\n")))
    assert scores.values.tolist() == [[0.5, 0.75], [0.25, 1.0]]


def test_a_word_for_topics_over_scores_names_a_system(file):
    scores = by_topic(read_scores(file("topic,example,item\n1,0.5,0.25\n2,0.75,0.5\n")))
    assert scores.systems == ("example", "item")
    assert by_topic(read_scores(file("example,sample\n0.5,0.25\n0.75,0.5\n"))).systems == ("example", "sample")
    board = read_scores(file("model,dimension,score\na,768,0.5\nb,1024,0.25\n"), measure="score")
    assert board.values.tolist() == [0.5, 0.25]


def test_dimensions_are_measures(file):
    path = file("document,system,dimension,score\nd,a,fluency,1\nd,a,relevance,2\nd,b,fluency,3\nd,b,relevance,4\n")
    assert by_topic(read_scores(path, measure="fluency")).values.tolist() == [[1, 3]]


def test_identifiers_are_no_measures(file):
    path = file("system,query_id,doc_id,precision\na,1,901,0.5\na,2,902,0.25\n")
    assert by_topic(read_scores(path)).measure == "precision"
    board = file("model,model_id,card_id,accuracy\na,17,3,0.5\nb,18,4,0.25\n")
    assert read_scores(board).measure == "accuracy"
    with pytest.raises(UnknownMeasure, match="column 'card_id' does not hold scores; there is accuracy"):
        read_scores(file("model,model_id,card_id,accuracy,f1\na,17,3,0.5,1\nb,18,4,0.25,1\n"), measure="card_id")


def test_empty_columns_do_not_vanish(file):
    path = file("system,AP,RR,notes\na,0.5,,\nb,0.25,,\n")
    with pytest.raises(AmbiguousMeasure, match="2 measures and none chosen: AP, RR"):
        read_scores(path)
    with pytest.raises(MissingScores, match="2 of 2 scores are missing"):
        read_scores(path, measure="RR")
    with pytest.raises(UnknownMeasure, match="column 'notes' does not hold scores"):
        read_scores(path, measure="notes")
    with pytest.warns(rs.IgnoredColumns, match="left out, since they are empty: 'notes'"):
        assert list(read_every_measure(path)) == ["AP", "RR"]
    with pytest.raises(NoNumericColumn, match="the columns are 'system', 'x', 'y'; all are empty or hold names"):
        read_scores(file("system,x,y\na,,\nb,,\n"))


def test_empty_columns_beside_the_only_measure_are_said(file):
    path = file("system,topic,AP,x,y\na,1,0.5,,\nb,1,0.25,,\n")
    with pytest.warns(rs.IgnoredColumns, match="left out, since they are empty: 'x', 'y'"):
        assert read_scores(path).measure == "AP"
    assert read_scores(path, measure="AP").systems == ("a", "b")


def test_text_beside_scores_by_topic_is_left_out_and_said(file):
    path = file("topic,title,bm25,dense\n1,cats,0.5,0.25\n2,dogs and cats,0.75,0.5\n")
    with pytest.warns(rs.IgnoredColumns, match="left out, since they hold text: 'title'"):
        scores = by_topic(read_scores(path))
    assert (scores.systems, scores.values.tolist()) == (("bm25", "dense"), [[0.5, 0.25], [0.75, 0.5]])
    for cell in ("45%", "0,5", "inf", "~0.5"):
        with pytest.raises(rs.NotANumber):
            read_scores(file(f'topic,a,b\n1,0.5,"{cell}"\n2,0.5,"{cell}"\n'))
    with pytest.raises(rs.NotANumber):
        read_scores(file("topic,a,b\n1,0.5,x\n2,0.5,0.7\n"))


def test_text_beside_an_unnamed_index(file):
    path = file(",Human agreement,Price [$/1000 examples],Bias,mode\ngpt,70.9,14.4,27.6,verified\nrandom,50,,,\n")
    scores = read_scores(path, measure="Human agreement")
    assert (scores.systems, scores.values.tolist()) == (("gpt", "random"), [70.9, 50.0])
    assert list(read_every_measure(path)) == ["Human agreement", "Price [$/1000 examples]", "Bias"]


EXPERIMENT = """,name,map,ndcg,map +,map -,map p-value,map reject,map p-value corrected
0,BR(TF_IDF),0.29,0.61,NaN,NaN,NaN,False,NaN
1,BR(BM25) >> RM3,0.30,0.62,46.0,45.0,0.237317,False,0.711951
"""


def test_experiments_of_pyterrier(file):
    path = file(EXPERIMENT)
    assert list(read_every_measure(path)) == ["AP", "nDCG"]
    assert read_scores(path, measure="AP").systems == ("BR(TF_IDF)", "BR(BM25) >> RM3")
    assert rs.read_measures(path).values.shape == (2, 2)
    frame = pd.read_csv(path, index_col=0)
    with pytest.raises(UnrecognisedFormat, match=r"as it is printed.*frame.to_csv"):
        read_scores(file(str(frame), "experiment.txt"))
    with pytest.raises(UnrecognisedFormat, match=r"as it is printed"):
        read_scores(file(str(frame[["name", "map"]]), "experiment.txt"))
    counted = file("  topic a\n0 0.5\n1 0.25\n")  # a table with as many names as columns
    assert by_topic(read_scores(counted)).topics == ("0", "1")


def test_leaderboards_with_shots_marks_and_links(file):
    path = file("\ufeffModel,Average,ARC (25-shot),URL\na,58.3,57.8,\nb,57.9,56.7,https://x\n")
    assert read_scores(path, measure="ARC (25-shot)").values.tolist() == [57.8, 56.7]
    assert list(read_every_measure(path)) == ["Average", "ARC (25-shot)"]


def test_settings_are_no_scores(file):
    with pytest.raises(UnrecognisedFormat, match="looks like YAML"):
        read_scores(file("# settings\nname: default\njudge: true\nruns:\n  - a\n  - b: 1\n", "config.yml"))
    assert read_scores(file("  0.1 0.2\n  0.3 0.4\n")).values.shape == (2, 2)


def test_dots_of_a_manual_are_named(file):
    with pytest.raises(RaggedRow, match=":3: 1 field, a line of ir_measures has 3; remove the line"):
        read_scores(file("1   P@5 0.6\n1   nDCG@10 0.5\n...\nall P@5 0.7\n"))


# What each real file gives: the systems and topics (0: a leaderboard) under a measure, or a part of the refusal.
FORMATS: dict[str, tuple[str | None, int, int] | str] = {
    "autojudge/default.eval.txt": ("SCORE", 11, 122),
    "autojudge/kiddie_fake.eval.ir_measures.txt": ("RELEVANCE", 4, 5),
    "autojudge/leaderboard_float.approved.txt": (None, 1, 2),
    "autojudge/skeleton.trec-leaderboard.txt": ("LENGTH", 2, 1),
    "autojudge/spot-check.trec-leaderboard.txt": ("Measure-02", 3, 1),
    "autojudge/default.qrels.txt": "look like relevance judgments",
    "autojudge/judges.yml": "looks like YAML",
    "autojudge/datasets.yml": "looks like YAML",
    "autojudge/default.config.yml": "looks like YAML",
    "autojudge/diag/RELEVANCE__RANDOM/kendall.jsonl": ("eval_score", 4, 0),
    "autojudge/diag/RELEVANCE__RANDOM/kendall.ranking.tsv": ("truth_score", 4, 0),
    "benchbench/alphacaeval_v2lc_240829_holistic.csv": "has a score already",
    "benchbench/chatbot_arena_241104_holistic.csv": (None, 129, 0),
    "benchbench/helm_lite_240829_holistic.csv": (None, 72, 0),
    "benchbench/livebench_240829_holistic.csv": ("LB_Coding", 70, 0),
    "benchbench/mtbench_240829_holistic.csv": (None, 31, 0),
    "benchbench/old/helm_lite_240610.csv": (None, 48, 11),
    "ir_measures/cli_docs.txt": ("nDCG@10", 1, 0),
    "ir_measures/cli_q_docs.txt": "remove the line",
    "open_llm_leaderboard/20230523.csv": ("MMLU (5-shot)", 49, 0),
    "open_llm_leaderboard/20230728.csv": ("MMLU(5-shot)", 472, 0),
    "open_llm_leaderboard/hf_open_llm_v2_240829.csv": "8 measures and none chosen",
    "pandas/claude_leaderboard.named.csv": ("win_rate", 29, 0),
    "pandas/evaluators_leaderboard.csv": ("Bias", 32, 0),
    "pyterrier/experiment.cell11.csv": ("AP", 3, 0),
    "pyterrier/experiment.cell13.csv": ("nDCG", 3, 0),
    "pyterrier/wow2025-msmarco-v1.cell10.csv": (None, 4, 0),
    "pyterrier/experiment.cell11.txt": "as it is printed",
    "pyterrier/experiment.cell9.txt": "as it is printed",
    "pyterrier/wow2025-msmarco-v1.cell10.txt": "as it is printed",
    "ranx/run.json": "a run or judgments of ranx",
    "ranx/small_qrels.json": "a run or judgments of ranx",
    "ranx/run.trec": "this is a run",
    "ranx/qrels.trec": "look like relevance judgments",
    "wmt20/BLEU.sys.score.gz": "23 values of lang pair",
    "wmt20/chrF.seg.score.first500.txt": (None, 1, 500),
    "wmt20/EQ_dyn.seg.score.first500.txt": (None, 1, 500),
    "wmt20/ad-sys-scores-ja-en.csv": ("Z.SCR", 10, 0),
    "wmt20/metrics-ad-doc-scores-ps-en.csv": ("RAW.SCR", 7, 1),
}


@pytest.mark.parametrize("name", FORMATS)
def test_real_files(data, name):
    """Systems and topics as counted with cut, sort and uniq."""
    path, wanted = data / "formats" / name, FORMATS[name]
    if isinstance(wanted, str):
        with pytest.raises(rs.BadFile) as error:
            read_scores(path)
        assert wanted in str(error.value)
        return
    scores = read_scores(path, measure=wanted[0], on_missing="keep")
    topics = len(scores.topics) if isinstance(scores, rs.ScoreMatrix) else 0
    assert (len(scores.systems), topics) == wanted[1:]


def test_repeated_models_of_real_leaderboards(data):
    path = data / "formats/benchbench/hf_open_llm_v2_240829_holistic.csv"
    with pytest.warns(rs.RepeatedScores, match="given more than once"):
        assert read_scores(path, on_duplicate="best").systems


def test_one_language_pair_of_real_scores(data):
    where = {"lang_pair": "de-en", "reference": "newstestM2020"}
    assert len(read_scores(data / "formats/wmt20/BLEU.sys.score.gz", where=where).systems) == 12


def test_alpaca(data):
    """Sizes from shared/data/alpaca/README.md."""
    preferences = by_topic(read_scores(data / "alpaca/preferences.csv.gz", on_missing="keep"))
    assert preferences.values.shape == (805, 58)
    others = data / "alpaca/preferences_other_judges.csv.gz"
    with pytest.raises(DuplicateScore, match="the rows differ in 'judge'"):
        read_scores(others)
    for judge, models in {"alpaca_eval_gpt4": 53, "alpaca_eval_cot_gpt4_turbo_fn": 12}.items():
        assert len(read_scores(others, where={"judge": judge}, on_missing="keep").systems) == models
    boards = sorted((data / "alpaca/leaderboards").glob("data_*/*.csv"))
    assert len(boards) == 9
    for board in boards:
        assert read_scores(board, measure="win_rate").values.max() <= 100
    with pytest.raises(NoNumericColumn, match="the columns are 'instruction', 'dataset'"):
        read_scores(data / "alpaca/instructions.csv.gz")


def test_mteb(data):
    """673 models × 1,543 tasks, 100,410 cells filled: shared/data/mteb/README.md."""
    path = data / "mteb/scores.csv.gz"
    with pytest.raises(DuplicateScore, match="the rows differ in 'split'"):
        read_scores(path, on_missing="keep")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", rs.RepeatedScores)
        scores = by_topic(read_scores(path, on_duplicate="mean", on_missing="keep"))
    assert scores.measure == "main_score"
    assert len(scores.systems) == 673
    assert len(scores.topics) == 1543


def test_dl22(data):
    """100 systems, 76 and 424 topics beside `all`: shared/data/dl22/README.md."""
    for side, topics in (("human", 76), ("gpt4", 424)):
        scores = read_every_measure(Path(data, "dl22", side, "scores.csv.gz"))
        assert list(scores) == ["nDCG@10", "AP", "RR", "P@10"]
        assert {by_topic(each).values.shape for each in scores.values()} == {(topics, 100)}
