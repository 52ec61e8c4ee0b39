"""Output appears whole or not at all."""

import os
import shutil
import stat
from pathlib import Path

import pytest

from rankscope.errors import UnwritableOutput
from rankscope.files import replacing, write_scores, write_text
from rankscope.scores import SystemScores


def test_text_is_written_as_it_is(tmp_path):
    write_text(tmp_path / "a.html", "é\r\n")
    assert (tmp_path / "a.html").read_bytes() == "é\r\n".encode()
    assert [path.name for path in tmp_path.iterdir()] == ["a.html"]


def test_a_failure_leaves_the_old_file(tmp_path):
    target = tmp_path / "a.txt"
    target.write_text("old")

    def write_half() -> None:
        with replacing(target) as temporary:
            temporary.write_text("half")
            raise KeyError

    with pytest.raises(KeyError):
        write_half()
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_full_disk_is_an_error_of_ours(tmp_path):
    with (
        pytest.raises(UnwritableOutput, match=r"a.txt: cannot be written \(No space left"),
        replacing(tmp_path / "a.txt"),
    ):
        raise OSError(28, "No space left on device")
    assert not list(tmp_path.iterdir())


def test_permissions_stay(tmp_path):
    target = tmp_path / "a.txt"
    write_text(target, "old")
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(target.stat().st_mode) == 0o666 & ~umask
    target.chmod(0o600)
    write_text(target, "new")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    write_text(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_a_device_is_written_to_and_not_replaced():
    write_text("/dev/null", "x")
    assert Path("/dev/null").is_char_device()


@pytest.mark.parametrize("target", ["", "missing/a.csv", "a.csv/b.csv", "x" * 300 + ".csv"])
def test_places_that_cannot_be_written_to(tmp_path, target):
    (tmp_path / "a.csv").write_text("x")
    path = tmp_path / target
    with pytest.raises(
        UnwritableOutput, match=r"a folder; give the name of a file|choose another place for the output"
    ):
        write_text(path, "x")
    if target:
        with pytest.raises(UnwritableOutput):
            write_scores(SystemScores([0.1]), path)


def test_a_file_that_another_process_removes_meanwhile(tmp_path, monkeypatch):
    target, copymode = tmp_path / "scores.csv", shutil.copymode

    def too_late(source, destination):
        Path(source).unlink()
        copymode(source, destination)

    monkeypatch.setattr(shutil, "copymode", too_late)
    target.write_text("old")
    write_text(target, "new")
    assert target.read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["scores.csv"]
