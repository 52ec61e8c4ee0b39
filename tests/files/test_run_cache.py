"""The cache of runs: the same as reading, keyed by content, never believed when broken, safe for two processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import rankscope as rs
from rankscope.files import run_cache


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    runs = {f"s{s}": {str(t): [f"é{(7 * s + 3 * t + i) % 50}" for i in range(20)] for t in range(4)} for s in range(3)}
    rs.write_runs(rs.RunSet.of(runs), tmp_path / "runs")
    return tmp_path / "runs"


def _state(runs: rs.RunSet) -> tuple[object, ...]:
    arrays = (runs.documents, runs.starts, runs.pool_starts)
    return (runs.systems, runs.topics, *(a.tolist() for a in arrays), runs.ids.names(), runs.name)


def _caches(place: Path) -> list[Path]:
    return sorted(place.glob("*.runs"))


def test_the_cache_gives_what_reading_gives(folder, tmp_path, monkeypatch):
    read = rs.read_runs(folder)
    first = rs.read_runs(folder, cache=tmp_path / "kept")
    assert len(_caches(tmp_path / "kept")) == 1

    def refuse(*_):
        raise AssertionError("the text was read again")

    monkeypatch.setattr("rankscope.files.runs.read_lines", refuse)
    seen = []
    second = rs.read_runs(folder, cache=tmp_path / "kept", progress=lambda *counts: seen.append(counts))
    assert _state(read) == _state(first) == _state(second)
    assert seen == [(3, 3)]
    judgments = rs.Judgments.of({"0": {"é0": 1.0}})
    assert rs.join(second, judgments).ranks.tolist() == rs.join(read, judgments).ranks.tolist()


def test_beside_the_input(folder):
    rs.read_runs(folder, cache=True)
    assert len(_caches(folder / ".rankscope")) == 1
    assert rs.read_runs(folder, cache=True).systems == ("s0", "s1", "s2")


def test_the_key_is_content_names_and_options(folder, tmp_path):
    kept = tmp_path / "kept"
    rs.read_runs(folder, cache=kept)
    stamp = (folder / "s0.run").stat()
    # Other content of the same length and time: only the content tells.
    text = (folder / "s0.run").read_text(encoding="utf-8")
    (folder / "s0.run").write_text(text.replace("é1 ", "é9 ", 1).replace("Q0 é9 1", "Q0 é9 2", 1), encoding="utf-8")
    os.utime(folder / "s0.run", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    with pytest.raises(rs.DuplicateDocument):
        rs.read_runs(folder, cache=kept)
    (folder / "s0.run").write_text(text, encoding="utf-8")
    assert len(_caches(kept)) == 1
    rs.read_runs(folder, cache=kept)
    assert len(_caches(kept)) == 1
    rs.read_runs(folder, cache=kept, ties="rank")
    rs.read_runs(folder, cache=kept, on_duplicate="best")
    rs.read_runs(folder, cache=kept, name="tag")
    assert len(_caches(kept)) == 4
    (folder / "s0.run").rename(folder / "other.run")
    assert rs.read_runs(folder, cache=kept).systems == ("other", "s1", "s2")
    assert len(_caches(kept)) == 5


def test_another_version_is_another_cache(folder, tmp_path, monkeypatch):
    rs.read_runs(folder, cache=tmp_path / "kept")
    monkeypatch.setattr(run_cache, "VERSION", run_cache.VERSION + 1)
    rs.read_runs(folder, cache=tmp_path / "kept")
    assert len(_caches(tmp_path / "kept")) == 2


def test_a_broken_cache_is_made_again(folder, tmp_path):
    wanted = _state(rs.read_runs(folder, cache=tmp_path / "kept"))
    (cache,) = _caches(tmp_path / "kept")
    whole = cache.read_bytes()
    broken = [whole[:cut] for cut in range(0, len(whole), max(1, len(whole) // 40))]
    broken += [whole + b"x", b"", b"rankscope runs\n", whole[:100] + bytes([whole[100] ^ 1]) + whole[101:]]
    for content in broken:
        cache.write_bytes(content)
        assert _state(rs.read_runs(folder, cache=tmp_path / "kept")) == wanted
        assert cache.read_bytes() == whole


def test_a_cache_that_cannot_be_written_is_a_warning(folder, tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.warns(rs.UnwrittenCache, match="the cache cannot be written .*; choose another folder"):
        runs = rs.read_runs(folder, cache=tmp_path / "file")
    assert runs.systems == ("s0", "s1", "s2")


FORGER = """
import dataclasses, sys
import rankscope as rs
from rankscope.files import run_cache
save = run_cache.RunCache.save
def swap(self, digests, runs):
    save(self, digests, dataclasses.replace(runs, systems=runs.systems[::-1]))
run_cache.RunCache.save = swap
rs.read_runs(sys.argv[1], cache=True)
"""


def test_a_cache_that_somebody_else_made_is_not_believed(folder, tmp_path):
    wanted = rs.read_runs(folder)
    home = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "XDG_CACHE_HOME": str(tmp_path / "forger")}
    subprocess.run([sys.executable, "-c", FORGER, str(folder)], check=True, env=home)
    (forged,) = _caches(folder / ".rankscope")
    assert _state(rs.read_runs(folder, cache=True)) == _state(wanted)
    (own,) = set(_caches(folder / ".rankscope")) - {forged}
    own.write_bytes(forged.read_bytes())  # under the name that this user's cache has
    assert _state(rs.read_runs(folder, cache=True)) == _state(wanted)


def test_without_a_folder_for_the_key_there_is_no_cache(folder, tmp_path):
    code = "import sys, rankscope as rs; print(rs.read_runs(sys.argv[1], cache=sys.argv[2]).systems)"
    (tmp_path / f"rankscope-{os.getuid()}").write_text("no folder")
    (tmp_path / "file").write_text("no folder")
    places = {"XDG_CACHE_HOME": str(tmp_path / "file"), "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder), str(tmp_path / "kept")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **places},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "('s0', 's1', 's2')\n"
    assert "set XDG_CACHE_HOME to one that can" in done.stderr
    assert not (tmp_path / "kept").exists()


def test_a_file_that_changes_before_it_is_parsed_is_kept_as_what_it_was_then(folder, tmp_path):
    before = (folder / "s2.run").read_text(encoding="utf-8")
    after = before.replace("é", "e")

    def change(done, of):
        (folder / "s2.run").write_text(after, encoding="utf-8")

    changed = rs.read_runs(folder, cache=tmp_path / "kept", jobs=1, progress=change)
    assert changed.retrieved("s2", "0")[0].startswith("e")
    assert _state(rs.read_runs(folder, cache=tmp_path / "kept")) == _state(changed)
    assert len(_caches(tmp_path / "kept")) == 1
    (folder / "s2.run").write_text(before, encoding="utf-8")
    assert rs.read_runs(folder, cache=tmp_path / "kept").retrieved("s2", "0")[0].startswith("é")


def test_a_process_killed_while_it_writes_leaves_no_half_cache(folder, tmp_path):
    code = (
        "import os, sys; import rankscope as rs; from rankscope.files import run_cache\n"
        "parts = run_cache._packed\n"
        "def half(runs, secret):\n"
        "    yield from parts(runs, secret)[:3]\n"
        "    os._exit(9)\n"
        "run_cache._packed = half\n"
        "rs.read_runs(sys.argv[1], cache=sys.argv[2])\n"
    )
    words = [sys.executable, "-c", code, str(folder), str(tmp_path / "kept")]
    assert subprocess.run(words, check=False, capture_output=True).returncode == 9
    assert _caches(tmp_path / "kept") == []
    assert _state(rs.read_runs(folder, cache=tmp_path / "kept")) == _state(rs.read_runs(folder))
    assert len(_caches(tmp_path / "kept")) == 1


def test_two_processes_may_share_a_folder(folder, tmp_path):
    code = (
        "import sys, rankscope as rs\n"
        "for _ in range(20):\n"
        "    runs = rs.read_runs(sys.argv[1], cache=sys.argv[2])\n"
        "    assert runs.retrieved('s2', '3') == [f'é{(14 + 9 + i) % 50}' for i in range(20)]\n"
        "    for path in __import__('pathlib').Path(sys.argv[2]).glob('*.runs'):\n"
        "        path.unlink(missing_ok=True)\n"
    )
    words = [sys.executable, "-W", "error", "-c", code, str(folder), str(tmp_path / "kept")]
    both = [subprocess.Popen(words, stderr=subprocess.PIPE) for _ in range(2)]
    assert [process.communicate()[1] for process in both] == [b"", b""]
    assert [process.returncode for process in both] == [0, 0]
    assert not [path for path in (tmp_path / "kept").iterdir() if path.name.endswith(".partial")]


def test_covid_from_the_cache(data, tmp_path):
    paths = sorted((data / "covid1" / "runs").iterdir())[:20]
    assert _state(rs.read_runs(paths, cache=tmp_path)) == _state(rs.read_runs(paths, cache=tmp_path))
