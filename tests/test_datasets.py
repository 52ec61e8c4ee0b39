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
    return datasets.DataFile(to=to, addresses=(f"https://example.invalid/{name}",), made=made, sha256=digest)


def test_the_manifest_describes_the_data_that_tests_use(data):
    for name, files in datasets.sets().items():
        for file in files:
            assert file.is_in(data), f"{name}: {file.to}"
            assert len({file.to for file in files}) == len(files)
            assert all(address.startswith("https://raw.githubusercontent.com/") for address in file.addresses)


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
    sources = [
        "".join(
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
    ]
    (file,) = [file for file in datasets.sets()["arena"] if file.made == "battles"]
    assert hashlib.sha256(datasets.battles(sources)).hexdigest() == file.sha256


def test_battles_that_do_not_match_are_an_error():
    one = b'{"num": 1, "question_id": "q", "model_a": "a", "model_b": "b", "winner": "tie"}\n'
    with pytest.raises(ValueError, match="unpack"):
        datasets.battles([one, one.replace(b'"a"', b'"c"')])


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
