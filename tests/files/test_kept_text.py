"""Text that is kept between processes: made once, made again where it is damaged or cannot be trusted."""

import os

import pytest

from rankscope.files.kept_text import kept_text


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    return tmp_path / "cache" / "rankscope"


def test_it_is_made_once(home):
    for make in (lambda: "τ = 1\r\n", lambda: pytest.fail("made again")):
        assert kept_text("a.js", make) == "τ = 1\r\n"
    assert [path.name for path in home.iterdir()] == ["a.js"]
    assert kept_text("b.js", lambda: "other") == "other"


@pytest.mark.parametrize("damage", [b"", b"x", b"0" * 64 + b"other"])
def test_a_damaged_file_is_made_again(home, damage):
    kept_text("a.js", lambda: "text")
    (home / "a.js").write_bytes(damage)
    assert kept_text("a.js", lambda: "text") == "text"
    assert kept_text("a.js", lambda: pytest.fail("made again")) == "text"


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders have owners on POSIX only")
def test_a_folder_that_others_can_write_to_is_not_believed(home):
    kept_text("a.js", lambda: "text")
    home.chmod(0o777)
    assert kept_text("a.js", lambda: "made again") == "made again"


def test_without_a_folder_it_is_made_every_time(home, monkeypatch):
    monkeypatch.setattr("rankscope.files.kept_text.own_folders", list)
    assert kept_text("a.js", lambda: "text") == "text"
    assert not home.exists()
