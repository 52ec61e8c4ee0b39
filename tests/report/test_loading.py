"""Saved results are read as they were written, and nothing else is taken for one."""

import json
import math
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from sample_results import made

import rankscope as rs
from rankscope.cli import main
from rankscope.results import SCHEMA

HEADER = {"schema": SCHEMA, "result": "Worth", "versions": {"rankscope": "0.2.0", "Python": "3.11", "numpy": "2"}}


@pytest.fixture
def saved(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made("Worth").save("worth.json")
    made("Comparison").save("compared.json")
    return tmp_path


def show(*words):
    return CliRunner().invoke(main, ["show", *words])


def changed(change, name="worth.json"):
    """The saved file after a change to its content."""
    document = json.loads(Path(name).read_text(encoding="utf-8"))
    change(document)
    Path("changed.json").write_text(json.dumps(document), encoding="utf-8")
    return "changed.json"


def test_numbers_that_json_does_not_have_come_back(saved):
    worth = made("Worth")
    assert worth.equal_at == math.inf
    assert rs.load("worth.json").equal_at == math.inf
    assert json.loads((saved / "worth.json").read_text(encoding="utf-8"))["equal_at"] is None
    weights = made("PairWeights")
    weights.save("weights.json")
    loaded = rs.load(saved / "weights.json")
    for before, after in zip(weights.coefficients, loaded.coefficients, strict=True):
        assert (before.weights.dtype, before.weights.shape) == (after.weights.dtype, after.weights.shape)
        assert not after.weights.flags.writeable


def test_a_loaded_evaluation_can_be_asked_further(saved):
    made("Evaluation").save("evaluation.json")
    loaded = rs.load("evaluation.json")
    assert loaded.scores["ndcg_cut_10"] == made("Evaluation").scores["nDCG@10"]
    assert loaded.by_topic().to_trec_eval() == made("Evaluation").by_topic().to_trec_eval()
    for name in ("evaluation.json", "by_topic.json"):
        made("TopicEvaluation").save("by_topic.json")
        read = rs.read_scores(name, measure="AP")
        assert read.means.tolist() == loaded.scores["AP"].select(systems=read.systems).means.tolist()
    broken = changed(lambda d: d["scores"]["AP"]["topics"].pop(), "evaluation.json")
    with pytest.raises(rs.UnrecognisedFormat, match=r"scores.AP: 8 rows for 7 topics; write the file again"):
        rs.read_scores(broken, measure="AP")


def test_tables_of_single_draws_are_not_kept(saved):
    made("EstimatorStudy").save("study.json")
    loaded = rs.load("study.json")
    with pytest.raises(rs.BadParameter, match=r"run the study again"):
        loaded.collection_table()
    assert "for tables of them run the study again" in show("study.json", "--table", "collections").stderr


def test_show_prints_what_was_printed(saved):
    assert show("compared.json").stdout.split() == str(made("Comparison")).split()
    done = show("compared.json", "--table", "swaps", "--columns", "better,worse", "--format", "csv")
    assert done.stdout == made("Comparison").only("swaps", columns=["better", "worse"]).to_csv()
    assert show("compared.json", "--format", "json").stdout == (saved / "compared.json").read_text(encoding="utf-8")


def test_show_draws_and_pages(saved):
    assert show("compared.json", "-o", "ranks.svg", "--chart", "ranks").exit_code == 0
    assert (saved / "ranks.svg").read_text(encoding="utf-8").startswith("<svg")
    done = show("compared.json", "-o", "out.svg", "--chart", "nothing")
    assert done.exit_code == 2
    assert "scores" in done.stderr


def test_provenance_stays_as_it_was(saved):
    def elsewhere(document):
        document["rankscope"]["versions"] = {"rankscope": "0.2.7", "Python": "3.99.0", "numpy": "9.9"}
        document["settings"]["inputs"] = [
            {"role": "truth", "path": "there.csv", "files": 1, "bytes": 12, "blake2b": "ab"}
        ]

    assert show(changed(elsewhere, "compared.json"), "-o", "page.html").exit_code == 0
    page = (saved / "page.html").read_text(encoding="utf-8")
    assert "rankscope 0.2.7, Python 3.99.0, numpy 9.9" in page
    assert "there.csv (12 bytes, blake2b ab)" in page
    assert "changed.json" not in page


def test_a_file_is_not_replaced_by_what_is_made_of_it(saved):
    shutil.copy("worth.json", "worth.csv")
    before = (saved / "worth.csv").read_bytes()
    done = show("worth.csv", "-o", "worth.csv")
    assert done.exit_code == 2
    assert (saved / "worth.csv").read_bytes() == before


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("system,score\na,1\n", r"f.json:1: not JSON, or not all of it \(Expecting value\); save the result again"),
        ('{"rankscope": {"schema": 1', "not JSON, or not all of it"),
        ('{"rankscope": NaN}', "NaN is not JSON"),
        ("", "the file is empty"),
        ("\x89PNG\0", "f.json: "),
        ("[1, 2]", r"JSON, but not a saved result.* run the command again with -o FILE\.json"),
        ('{"a": 0.5}', "JSON, but not a saved result"),
        ('{"rankscope": "0.2"}', "JSON, but not a saved result"),
        ("[" * 100_000, "its values nest too deep"),
        (json.dumps({"rankscope": {}}), "does not have the schema, result and versions"),
        (json.dumps({"rankscope": {**HEADER, "schema": True}}), "does not have the schema"),
        (json.dumps({"rankscope": {**HEADER, "versions": [1]}}), "does not have the schema"),
        (json.dumps({"rankscope": {**HEADER, "schema": 99}}), r"schema 99 of rankscope 0\.2\.0, .*; upgrade rankscope"),
        (json.dumps({"rankscope": {**HEADER, "schema": 0}}), "schema 0 of rankscope .* run the command again"),
        *(
            (json.dumps({"rankscope": {**HEADER, "result": name}}), "does not know; use the version that wrote it")
            for name in ("Result", "os.system", "ScoreMatrix", "load", "")
        ),
        (
            json.dumps({"rankscope": HEADER}),
            r"is missing; rankscope 0\.2\.0 wrote it, and this is .* or use the version that wrote it",
        ),
    ],
)
def test_other_files_are_refused_in_one_line(content, problem, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.json").write_text(content, encoding="latin-1")
    with pytest.raises(rs.BadFile, match=problem):
        rs.load("f.json")
    done = show("f.json")
    assert done.exit_code == 2
    assert done.stderr.startswith("rankscope: f.json")
    assert done.stderr.count("\n") == 1


def deep(levels):
    return [deep(levels - 1)] if levels else []


def put(value, *path):
    def change(document):
        for key in path[:-1]:
            document = document[key]
        document[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (put("a", "estimates", 0, "pairs"), 'estimates/0/pairs is "a", which does not fit there'),
        (put(1.5, "estimates", 0, "pairs"), "estimates/0/pairs is 1.5"),
        (put(True, "estimates", 0, "pairs"), "estimates/0/pairs is true"),
        (put("12", "estimates", 0, "pairs"), 'estimates/0/pairs is "12"'),
        (put(None, "estimates", 0, "coefficients", 0, "value"), "coefficients/0/value is null"),
        (put("fine", "estimates", 0, "verdict", "level"), 'verdict/level is "fine"'),
        (put([1.0], "estimates", 0, "swaps", 0, "truth_ranks"), "truth_ranks has 1 values instead of 2"),
        (put({}, "estimates", 0, "swaps"), "estimates/0/swaps is an object"),
        (put(3, "estimates", 0, "swaps", 0), "estimates/0/swaps/0 is 3"),
        (put(1, "estimates", 0, "more"), "estimates/0/more is not known"),
        (put(deep(30), "settings", "deep"), "settings/deep nests too deep"),
        (put(-1.0, "estimates", 0, "verdict", "rule", "times"), "times=-1"),
        (put({"/estimates/7/x": "nan"}, "rankscope", "not_finite"), "estimates/7/x is not there"),
        (put({"/estimates/0/pairs": "nan"}, "rankscope", "not_finite"), "estimates/0/pairs is not null"),
        (put({"": "nan"}, "rankscope", "not_finite"), "is not there"),
        (put({"/estimates/0/x": []}, "rankscope", "not_finite"), "is not there"),
        (put([], "rankscope", "not_finite"), "not_finite is not an object"),
    ],
)
def test_what_does_not_fit_is_named(change, problem, saved):
    with pytest.raises(rs.UnrecognisedFormat) as error:
        rs.load(changed(change, "compared.json"))
    assert problem in str(error.value)
    assert str(error.value).endswith("so it was changed since it was written: run the command again")


@pytest.mark.parametrize(
    ("kind", "change", "problem"),
    [
        ("Significance", put([[True, 2]], "significant"), "significant is not an array of type bool"),
        ("Significance", put([[0.5], [0.5, 1]], "pvalues"), "pvalues is not an array of numbers"),
        ("Significance", put("x", "means"), 'means is "x"'),
        ("LabelAgreement", put([[1.5]], "confusion"), "confusion is not an array of type int64"),
        ("RankDistanceNull", put([3.0, 1.0], "distances"), "in ascending order"),
        ("OneTable", put(["no such column"], "columns"), "rows/0 has other columns"),
        ("Evaluation", put({}, "scores", "AP"), "scores/AP/given is missing"),
        ("Evaluation", put([], "scores"), "scores is a list"),
    ],
)
def test_arrays_and_tables_that_do_not_fit(kind, change, problem, saved):
    made(kind).save("one.json")
    with pytest.raises(rs.UnrecognisedFormat) as error:
        rs.load(changed(change, "one.json"))
    assert problem in str(error.value)


def test_a_field_with_a_default_may_be_absent_from_older_files(saved):
    path = changed(lambda document: document["estimates"][0].pop("unit"), "compared.json")
    assert rs.load(path).estimates[0].unit == "topic"
