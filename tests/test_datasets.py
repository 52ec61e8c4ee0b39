"""`make data`: what datasets.toml describes is what the tests use, and a download is checked, made and put in place."""

import csv
import gzip
import hashlib
import io
import json
import shutil
from pathlib import Path

import pytest
from reproductions import datasets


def _from_folder(folder):
    """A downloader that takes files from a folder by the last part of their address."""

    def download(address, file, _):
        shutil.copyfile(folder / address.rsplit("/", 1)[1], file)

    return download


def _file(tmp_path, name, content, *, to="set/table.csv", made=None, sha256=None):
    (tmp_path / name).write_bytes(content)
    digest = hashlib.sha256(content).hexdigest() if sha256 is None else sha256
    return datasets.DataFile(to=to, addresses={name: f"https://example.invalid/{name}"}, made=made, sha256=digest)


def test_the_manifest_describes_the_data_that_tests_use(data):
    for name, files in datasets.sets().items():
        for file in files:
            assert file.is_in(data), f"{name}: {file.to}"
            assert file.made is None or file.made in datasets._MADE
            assert all(address.startswith("https://raw.githubusercontent.com/") for address in file.addresses.values())
        assert len({file.to for file in files}) == len(files)


def test_a_copy_is_downloaded_and_compressed_alike_each_time(tmp_path):
    file = _file(tmp_path, "table.csv", b"a,b\n1,2\n", to="set/table.csv.gz")
    for folder in ("one", "two"):
        assert not file.is_in(tmp_path / folder)
        datasets.fetch(file, tmp_path / folder, downloader=_from_folder(tmp_path))
        assert file.is_in(tmp_path / folder)
    first, second = ((tmp_path / folder / "set" / "table.csv.gz").read_bytes() for folder in ("one", "two"))
    assert first == second
    assert gzip.decompress(first) == b"a,b\n1,2\n"


def test_a_download_that_differs_is_refused_and_leaves_nothing(tmp_path):
    file = _file(tmp_path, "table.csv", b"a,b\n1,2\n", sha256="0" * 64)
    with pytest.raises(ValueError, match="hash"):
        datasets.fetch(file, tmp_path / "data", downloader=_from_folder(tmp_path))
    made = _file(tmp_path, "lines.json", b"{}\n", made="first_200_lines", sha256="0" * 64)
    with pytest.raises(ValueError, match=r"set/table\.csv: what was downloaded differs"):
        datasets.fetch(made, tmp_path / "data", downloader=_from_folder(tmp_path))
    assert not (tmp_path / "data").exists()


def test_battles_are_joined_as_in_the_shared_data(data):
    rows = list(csv.DictReader(io.StringIO(gzip.decompress((data / "arena" / "battles.csv.gz").read_bytes()).decode())))
    names = ("winner_human", "winner_gpt4", "winner_claude3", "winner_gpt35")
    sources = {
        name: "".join(
            json.dumps(
                {
                    "num": int(row["num"]),
                    "model_a": row["model_a"],
                    "model_b": row["model_b"],
                    "winner": row[name],
                    "question_id": row["question_id"],
                }
            )
            + "\n"
            for row in rows
        ).encode()
        for name in names
    }
    (file,) = [file for file in datasets.sets()["arena"] if file.made == "battles"]
    assert hashlib.sha256(datasets.battles(sources)).hexdigest() == file.sha256


def test_battles_that_do_not_match_are_an_error():
    one = b'{"num": 1, "question_id": "q", "model_a": "a", "model_b": "b", "winner": "tie"}\n'
    with pytest.raises(ValueError, match="unpack"):
        datasets.battles({"human": one, "judge": one.replace(b'"a"', b'"c"')})


def test_scores_of_trec_eval_are_reduced_as_in_the_shared_data(data):
    """Of one system both files are there."""
    folder = data / "dl22" / "human"
    names = ("2systems.ndcgeval", "2systems.treceval")
    made = datasets.trec_eval_scores({name: (folder / "raw" / name).read_bytes() for name in names})
    table = gzip.decompress((folder / "scores.csv.gz").read_bytes()).decode()
    header, *rows = table.splitlines(keepends=True)
    assert made.decode() == header + "".join(row for row in rows if row.startswith("2systems,"))


def test_scores_of_trec_eval_keep_four_measures_as_they_are_written():
    sources = {
        "ndcgeval/a.b.ndcgeval": b"Rndcg    \t1\t0.1\nndcg_cut_10   \t1\t0.5000\nndcg_cut_10 \tall\t0.5000\n",
        "treceval/a.b.treceval": b"runid \tall\tx\nnum_ret \t1\t10\nmap \t1\t0.2500\nP_10\t1\t0.1000\nP_100\t1\t0.01\n",
    }
    rows = ["a.b,1,ndcg_cut_10,0.5000", "a.b,all,ndcg_cut_10,0.5000", "a.b,1,map,0.2500", "a.b,1,P_10,0.1000"]
    assert datasets.trec_eval_scores(sources).decode().splitlines() == ["system,topic,measure,value", *rows]


def test_passage_runs_of_a_page():
    page = "# Runs\n"
    for name, group, task in (("b", "lab two", "passages"), ("d", "x", "docs"), ("a", "lab", "passages")):
        page += f"#### {name} \n[**`Results`**](x) \n\n- :x: **Run ID:** {name} \n- :y: **Participant:** {group} \n"
        page += f"- :z: **Type:** auto \n- :t: **Task:** {task} \n- **Run description:** Task: none \n\n---\n"
    wanted = "system,group,type,task\na,lab,auto,passages\nb,lab two,auto,passages\n"
    assert datasets.passage_runs({"runs.md": page.encode()}).decode() == wanted


def test_preferences_go_by_the_place_of_the_instruction():
    """Also where a file lacks some, or an instruction comes twice; a preference that could not be read is empty."""

    def annotations(*rows):
        keys = ("instruction", "preference", "annotator", "dataset")
        return json.dumps([dict(zip(keys, (*row, "gpt", "base"), strict=True)) for row in rows]).encode()

    sources = {
        "results/short/judge/annotations.json": annotations(("same", 2), ("same", None)),
        "results/whole/judge/annotations.json": annotations(("same", 1.25), ("other", 1.0), ("same", 2)),
    }
    wanted = ["short,0,2", "short,2,", "whole,0,1.25", "whole,1,1.0", "whole,2,2"]
    assert datasets.preferences(sources).decode().splitlines() == ["model,instruction,preference", *wanted]
    first = datasets.preferences_of_judges(sources).decode().splitlines()[:2]
    assert first == ["judge,annotator_field,model,instruction,preference", "judge,gpt,short,0,2"]
    whole = {"whole": sources["results/whole/judge/annotations.json"]}
    assert datasets.instructions(whole) == b"instruction,dataset\n0,base\n1,base\n2,base\n"


def test_small_changes_of_files():
    lines = b"".join(b"%d\n" % number for number in range(600))
    assert datasets.unix_lines({"a": b"1 0 d 1\r\n"}) == b"1 0 d 1\n"
    assert datasets.unpacked({"a.gz": gzip.compress(lines)}) == lines
    assert datasets.first_500_lines_unpacked({"a.gz": gzip.compress(lines)}).count(b"\n") == 500
    assert datasets.first_200_lines({"a": lines}).count(b"\n") == 200


def test_the_command_downloads_what_is_missing_and_says_what_failed(tmp_path, capsys, monkeypatch):
    good = _file(tmp_path, "good.csv", b"a\n", to="set/good.csv")
    bad = _file(tmp_path, "bad.csv", b"a\n", to="set/bad.csv", sha256="0" * 64)
    monkeypatch.setattr(datasets, "sets", lambda: {"set": [good, bad]})
    fetch = datasets.fetch
    monkeypatch.setattr(datasets, "fetch", lambda file, folder: fetch(file, folder, downloader=_from_folder(tmp_path)))
    assert datasets.main([str(tmp_path / "data")]) == 1
    assert datasets.main([str(tmp_path / "data"), "set"]) == 1
    printed = capsys.readouterr()
    assert "set: 2 files, 2 to download\n" in printed.out
    assert "set: 2 files, 1 to download\n" in printed.out
    assert "set/bad.csv: " in printed.err
    assert Path(tmp_path / "data" / "set" / "good.csv").read_bytes() == b"a\n"
    with pytest.raises(SystemExit):
        datasets.main([str(tmp_path / "data"), "nothing"])
