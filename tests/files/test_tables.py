"""Wide and long tables and leaderboards: what is recognised, and as what."""

from typing import Any

import pytest

from narrowing import by_topic
from rankscope.errors import AmbiguousMeasure, BadParameter, UnknownMeasure, UnrecognisedFormat
from rankscope.files import FORMATS, read_scores
from rankscope.scores import ScoreMatrix, SystemScores


def test_wide_with_topics(file):
    scores = read_scores(file("topic,bm25,dense\n301,0.1,0.2\n0302,0.3,0.4\n1e5,0.5,0.6\n"))
    assert scores == ScoreMatrix([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], ["bm25", "dense"], ["301", "0302", "1e5"])
    assert scores.name == "scores.csv"


@pytest.mark.parametrize(
    "header", ["topic", "Topic", "TOPIC_ID", "query", "qid", "q_id", "Query ID", "question", "id", ""]
)
def test_words_for_the_topic_column(file, header):
    scores = read_scores(file(f"{header},bm25,dense\n301,0.1,0.2\n302,0.3,0.4\n"))
    assert scores == ScoreMatrix([[0.1, 0.2], [0.3, 0.4]], ["bm25", "dense"], ["301", "302"])


def test_wide_without_topics(file):
    scores = read_scores(file('"sys1","sys2"\n0.0113,1e-04\n0.4158,0\n'))
    assert scores == ScoreMatrix([[0.0113, 0.0001], [0.4158, 0.0]], ["sys1", "sys2"])
    assert not by_topic(scores).topics_named


def test_wide_without_a_header(file):
    scores = read_scores(file("0.1,0.2\n0.3,0.4\n"))
    assert scores == ScoreMatrix([[0.1, 0.2], [0.3, 0.4]])
    assert not scores.systems_named


@pytest.mark.parametrize(
    "content", ['"1","2"\n0.1,0.2\n', "topic,1,2\n301,0.1,0.2\n", "1,2,3\n0.1,0.2,0.3\n", ",1,2\n7,0.1,0.2"]
)
def test_a_header_of_numbers(file, content):
    assert read_scores(file(content)).systems[:2] == ("1", "2")
    assert read_scores(file(content)).systems_named


@pytest.mark.parametrize("delimiter", [",", ";", "\t", " "])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("name", ["scores.csv", "scores.tsv", "scores.dat"])
def test_the_content_tells_the_delimiter(file, delimiter, newline, name):
    lines = ["topic,bm25,dense", "301,0.1,0.2", "302,0.3,0.4", "", ""]
    content = newline.join(lines).replace(",", delimiter)
    assert read_scores(file(content, name)) == ScoreMatrix([[0.1, 0.2], [0.3, 0.4]], ["bm25", "dense"], ["301", "302"])


def test_names_may_hold_delimiters_quotes_and_newlines(file):
    scores = read_scores(file('topic;"a, b";"say ""hi""";"two\nlines"\n301;0.1;0.2;0.3\n'))
    assert scores.systems == ("a, b", 'say "hi"', "two\nlines")


def test_spaces_around_names_go_unless_quoted(file):
    assert read_scores(file("topic , bm25 ,dense\n301 , 0.1,0.2 \n")).systems == ("bm25", "dense")
    assert by_topic(read_scores(file("topic , bm25 ,dense\n301 , 0.1,0.2 \n"))).topics == ("301",)
    assert read_scores(file('topic," bm25 ",dense\n301,0.1,0.2\n')).systems == (" bm25 ", "dense")


def test_a_row_index_beside_a_topic_column_is_no_system(file):
    assert read_scores(file(",topic,bm25\n0,301,0.1\n1,302,0.2\n")).systems == ("bm25",)


def test_an_empty_last_column_is_no_column(file):
    assert read_scores(file("bm25,dense,\n0.1,0.2,\n")).systems == ("bm25", "dense")


def test_text_beside_the_topic_is_ignored(file):
    assert by_topic(read_scores(file("qid,query,bm25\n1,how to,0.1\n2,what is,0.2\n"))).topics == ("1", "2")


@pytest.mark.parametrize("label", ["system", "Run", "MODEL", "name"])
def test_systems_in_rows(file, label):
    expected = ScoreMatrix([[0.1, 0.3], [0.2, 0.4]], ["bm25", "dense"], ["301", "302"])
    assert read_scores(file(f"{label},301,302\nbm25,0.1,0.2\ndense,0.3,0.4\n")) == expected


def test_systems_in_rows_forced(file):
    path = file("system,q1,q2\nbm25,0.1,0.2\ndense,0.3,0.4\n")
    assert by_topic(read_scores(path, format="wide-systems")).topics == ("q1", "q2")
    with pytest.raises(AmbiguousMeasure, match=r"q1, q2; say which.*--input-format wide-systems"):
        read_scores(path)


def test_the_measure_of_a_wide_table_is_what_it_is_said_to_be(file):
    path = file("topic,bm25\n301,0.1\n")
    assert read_scores(path).measure is None
    assert read_scores(path, measure="AP").measure == "AP"


def test_a_summary_row_is_no_topic(file):
    assert by_topic(read_scores(file("topic,bm25\n301,0.1\n302,0.3\nall,0.2\n"))).topics == ("301", "302")
    assert read_scores(file("topic,bm25,dense\nall,0.1,0.2\n")) == SystemScores([0.1, 0.2], ["bm25", "dense"])


LONG = "run,query_id,metric,score\nbm25,301,AP,0.1\nbm25,302,AP,0.2\ndense,301,AP,0.3\ndense,302,AP,0.4\n"
MATRIX = ScoreMatrix([[0.1, 0.3], [0.2, 0.4]], ["bm25", "dense"], ["301", "302"], measure="AP")


def test_long(file):
    assert read_scores(file(LONG)) == MATRIX


@pytest.mark.parametrize(
    "header",
    ["system,topic,measure,value", "Model,QID,Metric,Score", "run_id,topic_id,measure,val", "name,qid,measure,value"],
)
@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_long_under_other_names(file, header, delimiter):
    content = LONG.replace("run,query_id,metric,score", header).replace(",", delimiter)
    assert read_scores(file(content)) == MATRIX


def test_long_in_json_lines(file):
    rows = [line.split(",") for line in LONG.splitlines()[1:]]
    lines = [f'{{"run": "{r}", "qid": {q}, "measure": "{m}", "score": {v}, "note": null}}' for r, q, m, v in rows]
    assert read_scores(file("\n".join(lines), "scores.jsonl")) == MATRIX


def test_wide_in_json_lines(file):
    content = '{"topic": "0301", "bm25": 0.1, "dense": NaN}\n\n{"topic": "302", "bm25": 0.3}\n'
    scores = read_scores(file(content), on_missing="keep")
    assert by_topic(scores).topics == ("0301", "302")
    assert scores.missing == (("dense", "0301"), ("dense", "302"))


def test_long_with_a_column_per_measure(file):
    path = file("name,qid,AP,nDCG@10\nbm25,1,0.1,0.2\ndense,1,0.3,0.4\n")
    assert read_scores(path, measure="map").values.tolist() == [[0.1, 0.3]]
    with pytest.raises(AmbiguousMeasure, match=r"scores.csv: 2 measures and none chosen: AP, nDCG@10"):
        read_scores(path)


def test_gdeval_output(file):
    path = file(
        "runid,topic,ndcg@20,err@20\nx,1,0.1,0.2\nx,2,0.2,0.3\namean,amean,0.15,0.25\n".replace("amean,a", "x,a")
    )
    assert read_scores(path, measure="nDCG@20") == ScoreMatrix([[0.1], [0.2]], ["x"], ["1", "2"], measure="ndcg@20")


def test_summary_rows_of_a_long_table(file):
    summaries = "bm25,all,AP,0.15\ndense,ALL,AP,0.35\n"
    assert read_scores(file(LONG + summaries)) == MATRIX
    header = LONG.splitlines()[0]
    assert read_scores(file(f"{header}\n{summaries}")) == SystemScores([0.15, 0.35], ["bm25", "dense"], measure="AP")


def test_a_system_with_a_summary_only_is_not_forgotten(file):
    scores = read_scores(file(f"{LONG}late,all,AP,0.5\n"), on_missing="keep")
    assert scores.missing == (("late", "301"), ("late", "302"))


def test_a_system_without_the_measure_is_not_forgotten(file):
    scores = read_scores(file(f"{LONG}late,301,RR,0.5\n"), measure="AP", on_missing="keep")
    assert scores.missing == (("late", "301"), ("late", "302"))


def test_long_without_topics_is_a_leaderboard(file):
    path = file("system,measure,value\nbm25,AP,0.1\nbm25,RR,0.2\ndense,AP,0.3\ndense,RR,0.4\n")
    assert read_scores(path, measure="RR") == SystemScores([0.2, 0.4], ["bm25", "dense"], measure="RR")


def test_the_measure_is_found_in_other_spellings(file):
    path = file("run,topic,measure,value\nbm25,1,map,0.1\nbm25,1,ndcg_cut_10,0.2\nbm25,1,recip_rank,0.3\n")
    assert read_scores(path, measure="AP").measure == "map"
    assert read_scores(path, measure="nDCG@10").values[0, 0] == 0.2
    assert read_scores(path, measure="RR").values[0, 0] == 0.3


def test_a_measure_that_is_not_there(file):
    path = file("run,topic,measure,value\nbm25,1,AP,0.1\nbm25,1,nDCG@10,0.2\n")
    with pytest.raises(UnknownMeasure) as caught:
        read_scores(path, measure="nDCG@20")
    message = str(caught.value)
    assert message.startswith(f"{path}: no measure 'nDCG@20'; there is nDCG@10, AP;")
    assert message.endswith("measure='nDCG@10' (--measure nDCG@10)")


def test_leaderboard(file):
    path = file("run,team,judged,ndcg@10,MAP\nr1,A,yes,0.6,0.3\nr2,B,no,0.5,0.4\n")
    assert read_scores(path, measure="AP") == SystemScores([0.3, 0.4], ["r1", "r2"], measure="MAP")
    with pytest.raises(AmbiguousMeasure, match=r"2 measures and none chosen: ndcg@10, MAP; .*\(--measure ndcg@10\)$"):
        read_scores(path)


@pytest.mark.parametrize(
    "content",
    [
        "system,score\nbm25,0.1\ndense,0.2\n",
        "bm25,0.1\ndense,0.2\n",
        "bm25 0.1\ndense 0.2\n",
        "bm25\t0.1\ndense\t0.2\n",
        "rank,model,score\n2,bm25,0.1\n1,dense,0.2\n",
        "Whatever,score\nbm25,0.1\ndense,0.2\n",
    ],
)
def test_leaderboards_of_one_score(file, content):
    assert read_scores(file(content)) == SystemScores([0.1, 0.2], ["bm25", "dense"])
    assert read_scores(file(content), measure="AP").measure == "AP"


def test_leaderboard_forced_on_numbers(file):
    path = file("P_10,map\n0.1,0.2\n0.3,0.4\n")
    assert read_scores(path, format="leaderboard", measure="AP") == SystemScores([0.2, 0.4], measure="map")
    assert read_scores(path) == ScoreMatrix([[0.1, 0.2], [0.3, 0.4]], ["P_10", "map"])


def test_text_that_may_be_topics_or_systems_is_not_guessed(file):
    path = file("config,s1,s2\na,0.1,0.2\nb,0.3,0.4\n")
    with pytest.raises(UnrecognisedFormat, match=r"'config'.*the columns are 'config', 's1'.*--topic-column config"):
        read_scores(path)
    assert by_topic(read_scores(path, columns={"topic": "config"})).systems == ("s1", "s2")
    assert read_scores(path, columns={"system": "config"}, measure="s2").systems == ("a", "b")
    assert by_topic(read_scores(path, format="wide")).topics == ("a", "b")
    assert read_scores(path, format="leaderboard", measure="s1").systems == ("a", "b")


@pytest.mark.parametrize("header", ["", "first,s1,s2\n"])
def test_ids_are_not_taken_for_scores(file, header):
    path = file(f"{header}301,0.1,0.2\n302,0.3,0.4\n303,0.5,0.6\n")
    with pytest.raises(UnrecognisedFormat, match=r"look like topic ids; call it 'topic'.*format='wide'"):
        read_scores(path)
    assert read_scores(path, format="wide").values[0, 0] == 301


def test_a_system_column_of_decimals_is_not_guessed(file):
    with pytest.raises(UnrecognisedFormat, match=r"'system' should name systems and holds decimals"):
        read_scores(file("topic,system,bm25\n1,0.25,0.3\n2,0.3,0.4\n"))


@pytest.mark.parametrize("forced", [form for form in FORMATS if form not in ("wide", "wide-systems", "leaderboard")])
def test_a_forced_format_that_does_not_fit(file, forced):
    with pytest.raises(UnrecognisedFormat, match=rf"scores.csv.*not '{forced}'.*leave format out"):
        read_scores(file("topic,bm25,dense\n301,0.1,0.2\n"), format=forced)


def test_an_unknown_format(file):
    wrong: Any = "excel"
    with pytest.raises(BadParameter, match="one of wide, wide-systems, long"):
        read_scores(file("a,b\n0.1,0.2\n"), format=wrong)
