"""Outputs of evaluation harnesses: invented files of each form, and the real ones under shared/data."""

import io
import json
import math
import warnings
import zipfile

import numpy as np
import pytest

import rankscope as rs
from narrowing import by_topic, errors_of
from rankscope.files.harness.documents import HARNESSES, read_harness


@pytest.fixture
def write(tmp_path):
    """Write a file below a folder, as JSON unless it is text or bytes, and give its path."""

    def written(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    return written


def lines(*objects):
    return "".join(json.dumps(each) + "\n" for each in objects)


def table(source, **options):
    """Scores by system and topic, or by system."""
    scores = rs.read_scores(source, on_missing="keep", **options)
    if isinstance(scores, rs.SystemScores):
        return dict(zip(scores.systems, scores.values.tolist(), strict=True))
    return {
        system: dict(zip(scores.topics, column, strict=True))
        for system, column in zip(scores.systems, scores.values.T.tolist(), strict=True)
    }


# lm-evaluation-harness


def lm_eval(model, tasks, **more):
    return {"results": tasks, "config": {"model": "hf", "model_args": f"pretrained={model},dtype=auto"}, **more}


def new_scores(value, error=0.01):
    return {"alias": " - text", "acc,none": value, "acc_stderr,none": error, "acc,strict": value / 2}


def test_lm_eval_results_of_several_tasks(write, tmp_path):
    write("out/a/results_1.json", lm_eval("org/a", {"arc": new_scores(0.5), "piqa": new_scores(0.7)}))
    write("out/b/results_1.json", lm_eval("org/b", {"arc": new_scores(0.6), "piqa": new_scores(0.4)}))
    assert table(tmp_path / "out", measure="acc") == {
        "org/a": {"arc": 0.5, "piqa": 0.7},
        "org/b": {"arc": 0.6, "piqa": 0.4},
    }
    assert table(tmp_path / "out", measure="acc,strict")["org/a"]["arc"] == 0.25


def test_one_task_is_a_leaderboard_with_standard_errors(write, tmp_path):
    write("a.json", lm_eval("a", {"arc": {"acc": 0.5, "acc_stderr": 0.02}}, versions={}))
    write("b.json", lm_eval("b,revision=step3", {"arc": {"acc": 0.6, "acc_stderr": "N/A"}}, versions={}))
    scores = rs.read_scores(tmp_path)
    assert scores.systems == ("a", "b@step3")
    assert np.array_equal(errors_of(scores), [0.02, math.nan], equal_nan=True)


def test_groups_of_listed_tasks_are_summaries(write):
    tasks = {"mmlu": new_scores(0.5), "mmlu_law": new_scores(0.4), "mmlu_math": new_scores(0.6), "big": new_scores(0.3)}
    path = write("r.json", lm_eval("a", tasks, group_subtasks={"mmlu": ["mmlu_law", "mmlu_math"], "big": ["unlisted"]}))
    assert table(path, measure="acc") == {"a": {"mmlu_law": 0.4, "mmlu_math": 0.6, "big": 0.3}}


def sample(doc, score, chosen="none"):
    about = {"doc_id": doc, "doc": {"q": "?"}, "resps": [["x"]], "filtered_resps": ["x"], "filter": chosen}
    return {**about, "metrics": ["exact_match"], "exact_match": score}


def test_lm_eval_samples_are_topics_of_the_model_beside_them(write, tmp_path):
    time = "2026-01-21T03-44-18.458309"
    write(f"m/results_{time}.json", lm_eval("org/a", {"gsm": {"exact_match,none": 0.5}}))
    write(f"m/samples_gsm_{time}.jsonl", lines(sample(0, 1.0), sample(1, 0.0)))
    assert table(tmp_path / "m") == {"org/a": {"0": 1.0, "1": 0.0}}
    write(f"org__b/samples_gsm_{time}.jsonl", lines(sample(0, 0.0), sample(1, 1.0)))
    write(f"org__b/samples_arc_plus_{time}.jsonl", lines(sample(0, 1.0, "flexible")))
    assert table(tmp_path / "org__b", measure="exact_match")["org/b"] == {"gsm/0": 0.0, "gsm/1": 1.0}
    assert table(tmp_path / "org__b", measure="exact_match,flexible") == {"org/b": {"arc_plus/0": 1.0}}


def test_a_model_without_samples_among_others_is_named(write, tmp_path):
    write("a/samples_gsm.jsonl", lines(sample(0, 1.0)))
    write("b/results.json", lm_eval("b", {"gsm": {"acc,none": 0.5}}))
    with pytest.warns(rs.SkippedFile, match=r"results\.json: left out, since it holds scores of whole tasks"):
        assert rs.read_scores(tmp_path).systems == ("a",)


# Inspect


def inspect_log(model, samples, **more):
    return {"version": 2, "status": "success", "eval": {"task": "arc", "model": model}, "samples": samples, **more}


def answer(number, value, epoch=1, scorer="match"):
    return {"id": number, "epoch": epoch, "scores": {scorer: {"value": value}}}


def test_inspect_values_are_numbers_as_inspect_makes_them(write):
    values = ["C", "I", "P", "N", "yes", "False", "0.25", 3, True, None]
    path = write("log.json", inspect_log("a", [answer(i, value) for i, value in enumerate(values)]))
    scores = by_topic(rs.read_scores(path, on_missing="keep"))
    assert np.array_equal(scores.values[:, 0], [1, 0, 0.5, 0, 1, 0, 0.25, 3, 1, math.nan], equal_nan=True)


def test_inspect_epochs_are_averaged_and_failed_samples_missing(write):
    failed = {"id": "s3", "epoch": 1, "error": {"message": "timeout"}, "scores": None}
    path = write("log.json", inspect_log("a", [answer("s1", "C"), answer("s1", "I", 2), answer("s2", "C"), failed]))
    with pytest.raises(rs.MissingScores, match=r"'a' on topic 's3' \(.*log\.json: sample s3\)"):
        rs.read_scores(path)
    assert table(path)["a"]["s1"] == 0.5


def test_inspect_scores_by_name_and_other_reductions_are_measures(write):
    reduced = [
        {"scorer": "match", "reducer": "max", "samples": [{"sample_id": 1, "value": 1.0}]},
        {"scorer": "match", "reducer": "mean", "samples": [{"sample_id": 1, "value": 0.5}]},
    ]
    log = inspect_log("a", [answer(1, {"right": "C", "short": 0.5})], reductions=reduced)
    assert list(rs.read_measures(write("log.json", log)).measures) == ["match/right", "match/short", "match/max"]


def test_inspect_logs_without_samples(write):
    metrics = {"accuracy": {"value": 0.8}, "stderr": {"value": 0.05}}
    log = inspect_log("a", None, results={"scores": [{"name": "match", "metrics": metrics}]})
    scores = rs.read_scores(write("log.json", log))
    assert (scores.measure, scores.values.tolist()) == ("accuracy", [0.8])
    assert errors_of(scores).tolist() == [0.05]


def archive(**members):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, content in members.items():
            zipped.writestr(
                name.replace("__", "/") + ".json", content if isinstance(content, str) else json.dumps(content)
            )
    return data.getvalue()


@pytest.mark.parametrize("kept", ["summaries", "samples", "journal"])
def test_inspect_archives(write, kept):
    header = inspect_log("a", None)
    answers = [answer(1, "C"), answer(2, "I")]
    if kept == "summaries":
        data = archive(header=header, summaries=answers)
    elif kept == "samples":
        data = archive(header=header, samples__1_epoch_1=answers[0], samples__2_epoch_1=answers[1])
    else:
        data = archive(_journal__start=header, _journal__summaries__1=answers)
    assert table(write("log.eval", data)) == {"a": {"1": 1.0, "2": 0.0}}


def test_archives_that_are_broken_or_too_large(write, monkeypatch):
    whole = archive(header=inspect_log("a", None), summaries=[answer(1, "C")])
    with pytest.raises(rs.UnreadableFile, match=r"log\.eval: .*(broken|not a score table)"):
        rs.read_scores(write("log.eval", whole[:20] + b"\0" * 40 + whole[60:]))
    monkeypatch.setattr("rankscope.files.compression.MOST", 1 << 12)
    bomb = archive(header=inspect_log("a", None), summaries="[" + " " * (1 << 20) + "]")
    with pytest.raises(rs.UnreadableFile, match=r"grow to more than 256 MB when unpacked"):
        rs.read_scores(write("bomb.eval", bomb))
    with pytest.raises(rs.BinaryFile, match="Excel"):
        rs.read_scores(write("other.xlsx", archive(workbook={})))


# HELM


def stat(name, value, split="test", **more):
    return {"name": {"name": name, "split": split, **more}, "count": 1, "sum": value, "mean": value}


def test_helm_runs_are_folders_with_signs_in_their_names(write, tmp_path):
    for model, right in (("org_a", 1.0), ("org_b", 0.0)):
        folder = f"runs/mmlu-subject=law,method=joint,model={model}"
        spec = {"name": f"mmlu:subject=law,model={model},n=1", "adapter_spec": {"model": model.replace("_", "/")}}
        write(f"{folder}/run_spec.json", spec)
        write(f"{folder}/scenario_state.json", {"huge": 1})
        instances = [
            {
                "instance_id": "id1",
                "train_trial_index": 0,
                "stats": [stat("num_tokens", 9), stat("exact_match", right)],
            },
            {"instance_id": "id1", "train_trial_index": 1, "stats": [stat("num_tokens", 7), stat("exact_match", 0.0)]},
            {"instance_id": "id1", "perturbation": {"name": "typo"}, "stats": [stat("exact_match", 0.0)]},
            {"instance_id": "id2", "stats": [stat("exact_match", 1.0, "valid")]},
            {
                "instance_id": "id3",
                "stats": [stat("exact_match", 1.0), {"name": {"name": "cost"}, "count": 0, "sum": 0}],
            },
        ]
        write(f"{folder}/per_instance_stats.json", instances)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = table(tmp_path / "runs", measure="exact_match")
    assert scores == {"org/a": {"id1": 0.5, "id3": 1.0}, "org/b": {"id1": 0.0, "id3": 1.0}}
    with pytest.raises(rs.AmbiguousMeasure, match="none chosen: exact_match, cost, num_tokens"):
        rs.read_scores(tmp_path / "runs")


def test_helm_runs_without_instances(write, tmp_path):
    stats = [stat("em", 0.5), stat("em", 0.9, "valid"), stat("em", 0.1, perturbation={"name": "typo"})]
    for task in ("law", "math"):
        write(f"mmlu:subject={task},model=a/stats.json", stats)
        write(f"mmlu:subject={task},model=a/run_spec.json", {"name": f"mmlu:subject={task},model=a"})
    assert table(tmp_path) == {"a": {"mmlu:subject=law": 0.5, "mmlu:subject=math": 0.5}}


# Every Eval Ever


def record(model, *results):
    listed = [
        {
            "evaluation_name": task,
            "metric_config": config,
            "score_details": {"score": score, "uncertainty": {"standard_error": {"value": 0.1}}},
        }
        for task, config, score in results
    ]
    return {"schema_version": "0.3.0", "model_info": {"id": model}, "evaluation_results": listed}


def test_records_of_every_eval_ever(write, tmp_path):
    kind = {"metric_kind": "accuracy", "metric_name": "Bench (law)"}
    write("data/a/1.json", record("a", ("law", kind, 0.5), ("math", kind, 0.25)))
    write("data/b/2.json", record("b", ("law", kind, 0.7), ("math", kind, None)))
    assert table(tmp_path / "data", measure="accuracy")["a"] == {"law": 0.5, "math": 0.25}
    assert rs.read_scores(write("old.json", record("a", ("law", {"lower_is_better": False}, 1)))).measure == "score"
    twice = record(
        "a",
        ("law", {"metric_kind": "f1", "metric_name": "macro"}, 0.5),
        ("law", {"metric_kind": "f1", "metric_name": "micro"}, 0.6),
    )
    assert rs.read_measures(write("twice.json", twice)).measures == ("macro", "micro")


def test_answers_of_every_eval_ever_and_the_index(write, tmp_path):
    rows = [
        {
            "schema_version": "0.3.0",
            "model_id": "a",
            "evaluation_name": "t",
            "sample_id": f"s{i}",
            "evaluation": {"score": i},
        }
        for i in range(2)
    ]
    write("x/1_samples.jsonl", lines(*rows))
    index = write("x/aggregate.jsonl", lines({"record_type": "aggregate", "object_path": "flat/1.json"}))
    with pytest.raises(rs.UnrecognisedFormat, match=r"aggregate\.jsonl: an index of Every Eval Ever.*give the records"):
        rs.read_scores(index)
    with pytest.warns(rs.SkippedFile, match=r"aggregate\.jsonl: left out"):
        assert table(tmp_path / "x") == {"a": {"s0": 0.0, "s1": 1.0}}


# MTEB


def mteb(task, **subsets):
    scores = [{"hf_subset": subset, "main_score": score} for subset, score in subsets.items()]
    return {"dataset_revision": "1", "task_name": task, "mteb_version": "2.0", "scores": {"test": scores}}


def test_mteb_trees(write, tmp_path):
    write("org__a/r1/STS.json", mteb("STS", default=0.5))
    write("org__a/r1/model_meta.json", {"name": "org/a"})
    write("org__a/r1/Multi.json", mteb("Multi", de=0.5, en=0.75))
    write("org__b/no_revision/STS.json", {"mteb_dataset_name": "STS", "test": {"cos_sim": {"spearman": 0.9}}})
    old = {
        "mteb_dataset_name": "Multi",
        "mteb_version": "1.0",
        "test": {"de": {"main_score": 0.25}, "en": {"main_score": 0.75}},
    }
    write("org__b/no_revision/Multi.json", old)
    splits = '{"test": [{"main_score": NaN}], "dev": [{"main_score": 0.3}]}'
    nan = '{"dataset_revision": "1", "task_name": "AF", "scores": ' + splits + "}"
    write("org__b/deep/experiments/AF.json", nan)
    scores = table(tmp_path)
    assert scores["org/a"]["Multi"] == 0.625
    assert scores["org/b"]["Multi"] == 0.5
    assert scores["org/b"]["AF"] == 0.3
    assert math.isnan(scores["org/b"]["STS"])  # which of its numbers is the main score is not said
    write("org__c/r1/Multi.json", mteb("Multi", en=0.1))
    assert set(table(tmp_path)["org/a"]) == {"STS", "Multi (de)", "Multi (en)", "AF"}
    write("org__c/r2/Multi.json", mteb("Multi", en=0.2))
    with pytest.raises(rs.DuplicateScore, match=r"r2.Multi\.json: test\.en: 'org/c' has a score.*already, on .*r1"):
        rs.read_scores(tmp_path)


# AlpacaEval


def preference(instruction, value, **more):
    about = {"instruction": instruction, "generator_1": "base", "generator_2": "a", "annotator": "gpt4"}
    return {**about, "preference": value, **more}


def test_annotations_of_alpaca_eval(write):
    rows = [preference(f"Dö {i}\n?", value) for i, value in enumerate([1, 2, 1.5, 0, None, 1.25])]
    path = write("annotations.json", rows)
    scores = by_topic(rs.read_scores(path, on_missing="keep"))
    assert scores.measure == "gpt4"
    assert np.array_equal(scores.values[:, 0], [0, 1, 0.5, 0.5, math.nan, 0.25], equal_nan=True)
    both = [preference("x", 1), preference("x", 2, annotator="claude"), preference("x", 2)]
    assert table(write("both.json", both), measure="gpt4") == {"a": {"x": 0.0, "x (2)": 1.0}}
    with pytest.raises(rs.NotANumber, match=r"\[0\]\.preference: 3 is not a preference"):
        rs.read_scores(write("wrong.json", [preference("x", 3)]))


# TIRA


def prototext(*blocks):
    return "".join(
        "measure {\n" + "".join(f'\t{key}: "{value}"\n' for key, value in block.items()) + "}\n" for block in blocks
    )


def test_evaluations_of_tira(write, tmp_path):
    by_query = [{"query_id": q, "measure": "AP", "value": v} for q, v in (("51", 0.5), ("52", 0.25))]
    write("bm25/output/evaluation-per-query.prototext", prototext(*by_query))
    overall = write(
        "bm25/output/evaluation.prototext", prototext({"key": "AP", "value": 0.375}, {"key": "RR", "value": 1})
    )
    write("dense/output/evaluation-per-query.prototext", prototext(*by_query[:1]))
    assert table(tmp_path, measure="AP")["bm25"] == {"51": 0.5, "52": 0.25}
    assert table(overall, measure="AP") == {"bm25": 0.375}
    for broken, message in (
        ('measure {\n key: "AP"\n', "ends early"),
        ("measure {\nAP 0.5\n}\n", ":2: not a field"),
        ('measure {\n key: "AP"\n}\n', ":1: this measure has no value"),
    ):
        with pytest.raises(rs.UnrecognisedFormat, match=rf"x\.prototext.*{message}"):
            rs.read_scores(write("broken/x.prototext", broken))


def test_the_dump_of_tirex(write):
    dump = {
        "trec7": {"bm25": {"approach": "bm25", "dataset": "trec7", "ndcg@10": 0.5}, "dense": None},
        "trec8": {name: {"approach": name, "dataset": "trec8", "ndcg@10": 0.25} for name in ("bm25", "dense")},
    }
    path = write("all.json", dump)
    assert table(path)["bm25"] == {"trec7": 0.5, "trec8": 0.25}
    with pytest.raises(rs.MissingScores, match="'dense' on topic 'trec7'"):
        rs.read_scores(path)


# Plain JSON


RECORDS = [{"system": "a", "topic": 1, "score": 0.5}, {"system": "b", "topic": 1, "score": 0.25}]
BY_SYSTEM = {"a": {"301": 0.5, "302": 0.2}, "b": {"301": 0.25, "302": None}}
BY_TOPIC = {"301": {"a": 0.5, "b": 0.25}, "302": {"a": 1, "b": 0}}


@pytest.mark.parametrize(
    ("document", "options", "expected"),
    [
        (RECORDS, {}, {"a": {"1": 0.5}, "b": {"1": 0.25}}),
        ({"a": 0.5, "b": None, "ü": 0.25}, {}, {"a": 0.5, "b": math.nan, "ü": 0.25}),
        ({"a": {"nDCG@10": 0.5, "AP": 0.2}, "b": {"nDCG@10": 0.25}}, {"measure": "nDCG@10"}, {"a": 0.5, "b": 0.25}),
        (BY_SYSTEM, {}, {"a": {"301": 0.5, "302": 0.2}, "b": {"301": 0.25, "302": math.nan}}),
        (BY_TOPIC, {}, {"a": {"301": 0.5, "302": 1.0}, "b": {"301": 0.25, "302": 0.0}}),
        ({"301": {"AP": 0.5}, "302": {"AP": 0.25}}, {}, {"scores": {"301": 0.5, "302": 0.25}}),
        ({"AP": 0.5, "RR": 1.0}, {"measure": "AP"}, {"scores": 0.5}),
        ({"q1": {"x": 0.5}, "q2": {"x": 0.25}}, {"format": "wide"}, {"x": {"q1": 0.5, "q2": 0.25}}),
        ({"x": {"q1": 0.5}}, {"format": "wide-systems"}, {"x": {"q1": 0.5}}),
        ({"x": {"rouge": 0.5}}, {"format": "leaderboard"}, {"x": 0.5}),
        ({"q1": {"AP": 0.5}, "q2": {"AP": 0.25}}, {"format": "ir_measures"}, {"scores": {"q1": 0.5, "q2": 0.25}}),
    ],
)
def test_plain_json(write, document, options, expected):
    for text in (json.dumps(document), json.dumps(document, indent=1)):
        np.testing.assert_equal(table(write("scores.json", text), **options), expected)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"q1": {"d1": 0.5}, "q2": {"d1": 0.2}}, "not clear what its keys are.*--input-format wide-systems.*ranx"),
        ({"301": {"d1": 0.5}, "302": {"d2": 0.2}}, "not clear what its keys are"),
        ({"q1": {"AP": 0.5}, "q2": {"AP": 0.2}}, "'q1' may be a topic or a system.*--input-format ir_measures"),
        ({"a": {"b": {"c": 1}}}, "JSON of an unknown form, with the keys 'a'"),
        ([{"system": "a", "score": [1]}], "row 1: 'score' holds a list"),
        ([{"system": "a", "score": 1}, 7], "row 2: not an object"),
        ('{\n "results": {\n  "arc":', r"scores\.json:3: broken JSON .*cut short"),
        ('[\n {"system": "a",\n', r"scores\.json:\d: broken JSON .*cut short"),
        ('{\n"a": 1,\n"a": 2}', "the key 'a' appears twice"),
        ({"a": 10**400, "b": 1}, "row 1: a score that is not finite"),
        ("[[" * 100_000, "nested too deeply"),
        (lm_eval("a", {"arc": {"acc,none": 0.5, "acc_stderr,none": "bad"}}), "arc.acc,none: 'bad' is not"),
        (lm_eval("a", {"arc": {"alias": "x"}}), "lm-evaluation-harness results, without any score"),
        (inspect_log("a", [{"epoch": 1}]), r"samples\[0\]\.id: None should be a name.*read as an Inspect log"),
        (inspect_log("a", [answer(1, "maybe")]), r"scores\.match: 'maybe' is neither a number"),
        (inspect_log("a", "many"), "samples: 'many' should be a list"),
        (inspect_log("a", None), "results: neither samples nor results"),
        ([{"instance_id": "id1", "stats": 3}], "no run_spec.json beside this file"),
        (record("a", ("law", {}, "high")), r"score: 'high' is not a finite number"),
        (mteb("STS", default="x"), r"scores\.test\[0\]\.main_score: 'x' is not"),
        ({"mteb_dataset_name": ["x"], "test": {}}, r"mteb_dataset_name: \['x'\] should be a name"),
        (lines(sample(0, 1.0)) + '{"doc_id": 1, "doc', r"scores\.json:2: broken JSON"),
        (lines(sample(0, "x"), sample(1, "y")), r"scores\.json:1: this sample has no score"),
    ],
)
def test_what_cannot_be_read_is_refused(write, document, message):
    path = write("scores.json", document)
    with pytest.raises(rs.BadFile, match=message) as caught:
        rs.read_scores(path)
    assert caught.value.path == str(path)


def test_a_format_is_not_forced_on_a_harness(write):
    with pytest.raises(rs.UnrecognisedFormat, match="not 'wide' but lm-evaluation-harness results; leave format out"):
        rs.read_scores(write("r.json", lm_eval("a", {"arc": {"acc": 1}})), format="wide")


def test_other_files_in_a_folder(write, tmp_path):
    write("README.md", "# Scores")
    write("notes.json", {"about": {"me": {"x": 1}}})
    write("sub/r.json", lm_eval("a", {"arc": {"acc": 1}}))
    with pytest.warns(rs.SkippedFile, match=r"notes\.json \(and 1 more\): left out, since it holds no scores"):
        assert rs.read_scores(tmp_path).systems == ("a",)
    write("sub/cut.json", '{\n"results":')
    with pytest.raises(rs.UnrecognisedFormat, match=r"cut\.json:2: broken JSON"):
        rs.read_scores(tmp_path)


def test_a_folder_of_other_tables_is_read_as_such(write, tmp_path):
    write("sub/r.json", lm_eval("a", {"arc": {"acc": 1}}))
    write("bm25.eval", "map\t301\t0.5\nmap\tall\t0.5\n")
    assert table(tmp_path) == {"bm25": {"301": 0.5}}


def test_columns_take_other_roles(write, tmp_path):
    write("a.json", lm_eval("a", {"arc": {"acc": 0.5}, "piqa": {"acc": 0.25}}))
    tasks = rs.read_scores(tmp_path, columns={"system": "task", "topic": "model"})
    assert (tasks.systems, tasks.values.tolist()) == (("arc", "piqa"), [[0.5, 0.25]])


# The real files


def test_every_form_has_a_real_file(data):
    """Every record of the registry but two, of which no file was kept, and rankscope's own, written by other tests."""
    found = set()
    for folder in ("formats", "mteb/raw"):
        for path in (data / folder).rglob("*"):
            if path.suffix in (".json", ".jsonl", ".eval", ".prototext"):
                read = read_harness(path.read_bytes(), path)
                found.add(None if read is None else read.harness.name)
    without = {"annotations of AlpacaEval", "TIREx's dump of evaluations", "an evaluation of rankscope"}
    assert {form.name for form in HARNESSES} - found == without


@pytest.mark.parametrize(
    ("path", "measure", "shape", "first"),
    [
        # Sizes as counted with json.load, and first scores as the files write them.
        ("formats/lm_eval/old", "acc", (65, 2), 0.27167630057803466),
        ("formats/lm_eval/results_2026-01-21T03-44-18.458309.json", None, (2, 1), 0.0),
        ("formats/lm_eval/samples_math_perturbed_full_2026-01-21T03-44-18.458309.jsonl", None, (10, 1), 0.0),
        ("formats/inspect/2025-05-12T20-28-13-04-00_popularity.json", None, (3, 1), 1.0),
        ("formats/inspect/2025-05-12T20-28-13-04-00_no-samples.json", None, (3, 1), 1.0),
        ("formats/inspect/data_arc_qwen.json", None, (3, 1), 1.0),
        ("formats/inspect/data_with_llm_scoring.json", None, (1,), 0.431),
        ("formats/inspect/log_formats.eval", None, (1, 1), 0.0),
        ("formats/inspect/log_formats.json", None, (1, 1), 0.0),
        ("formats/helm", "exact_match", (9, 1), 0.0),
        ("formats/every_eval_ever/676f4465-ce78-411a-9f5a-c97b3d2eac4f.json", None, (15, 1), 0.5229),
        ("formats/every_eval_ever/98ea850e-7019-4728-a558-8b1819ec47c2.json", None, (6, 1), 0.4486),
        ("formats/every_eval_ever/f3a1c0de-4b2e-4c1a-9f6d-1b7e5a2c8d40.json", None, (1,), 0.75),
        ("formats/ir_measures/tira/evaluation-per-query.prototext", "AP", (48, 1), 0.08431784264198276),
        ("formats/ir_measures/tira/evaluation.prototext", "AP", (1,), 0.0984479789876958),
        ("formats/ir_measures/tira/all_evaluations.json.gz", "ndcg@10", (31, 51), 0.00748994879722202),
    ],
)
def test_real_files(data, path, measure, shape, first):
    scores = rs.read_scores(data / path, measure=measure, on_missing="keep")
    assert scores.values.shape == shape
    assert scores.values.flat[0] == first


def test_the_mean_over_helms_test_instances_is_helms_own(data):
    """stats.json says 0.111 for exact_match on the test split."""
    folder = next((data / "formats/helm").iterdir())
    means = rs.read_scores(folder, measure="exact_match").system_scores()
    assert means.values[0] == pytest.approx(rs.read_scores(folder / "stats.json", measure="exact_match").values[0])


def test_the_mean_over_inspects_samples_is_inspects_own(data):
    """The logs say accuracy 0.667 and 0.333."""
    for name, accuracy in (("2025-05-12T20-28-13-04-00_popularity.json", 2 / 3), ("data_arc_qwen.json", 1 / 3)):
        scores = rs.read_scores(data / "formats/inspect" / name).system_scores()
        assert scores.values[0] == pytest.approx(accuracy)


def test_real_mteb_tree(data, tmp_path):
    """Scores as in the table that was made from the same files; two revisions of one model are refused."""
    with pytest.raises(rs.DuplicateScore, match="'baseline/Human' has a score on topic 'HUMEEmotionClassification'"):
        rs.read_scores(data / "mteb/raw", on_missing="keep")
    models = [path for path in sorted((data / "mteb/raw").iterdir()) if path.name != "baseline__Human"]
    scores = table(models)
    assert len(scores) == 20
    assert scores["BidirLM/BidirLM-0.6B-Embedding"]["STSBenchmark"] == 0.861102
    assert scores["GritLM/GritLM-7B"]["AFQMC"] == pytest.approx(0.35, abs=0.01)  # its test split is NaN
    assert math.isnan(scores["openai/text-embedding-3-large"]["STSBenchmark"])  # no main score


@pytest.mark.parametrize("name", ["qrels.json", "run.json", "small_qrels.json"])
def test_runs_and_judgments_of_ranx_are_refused(data, name):
    with pytest.raises(rs.UnrecognisedFormat, match="ranx"):
        rs.read_scores(data / "formats/ranx" / name)


def test_files_that_say_lower_is_better_are_ranked_so(tmp_path):
    for model, perplexity in (("a", 9.0), ("b", 12.0)):
        document = {
            "results": {"wiki": {"ppl,none": perplexity, "acc,none": 0.5}},
            "higher_is_better": {"wiki": {"ppl": False, "acc": True}},
            "config": {"model_args": f"pretrained={model}"},
            "versions": {},
        }
        (tmp_path / f"results_{model}.json").write_text(json.dumps(document))
    scores = rs.read_scores(tmp_path, measure="ppl")
    assert scores.lower_is_better
    assert dict(zip(scores.systems, scores.system_scores().ranks, strict=True)) == {"a": 1.0, "b": 2.0}
    assert not rs.read_scores(tmp_path, measure="acc").lower_is_better


@pytest.mark.filterwarnings("ignore::rankscope.errors.RepeatedScores")
def test_the_best_of_several_is_the_lowest_where_lower_is_better(tmp_path):
    path = tmp_path / "ter.csv"
    path.write_text("system,topic,TER\na,1,0.3\na,1,0.2\na,2,0.4\nb,1,0.5\nb,2,0.1\n")
    assert rs.read_scores(path, on_duplicate="best").values.tolist() == [[0.3, 0.5], [0.4, 0.1]]
    lowest = rs.read_scores(path, on_duplicate="best", lower_is_better=True)
    assert lowest.given.tolist() == [[0.2, 0.5], [0.4, 0.1]]
