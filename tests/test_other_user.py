"""Commands as a user who owns nothing: an arbitrary user id in a container, a read-only installation, no home."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import rankscope

NOBODY = 65_534
SCORES = "topic,a,b,c\n1,.1,.2,.3\n2,.2,.1,.4\n3,.3,.2,.5\n4,.1,.3,.2\n"

pytestmark = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may run a command as another user"
)


@pytest.fixture
def place():
    """A folder that everybody may read: those of pytest are for their owner alone."""
    folder = Path(tempfile.mkdtemp(prefix="rankscope-other-user-"))
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(rankscope.__file__).parent, folder / "site" / "rankscope", ignore=ignored)
    (folder / "scores.csv").write_text(SCORES)
    (folder / "home").mkdir()
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    yield folder
    shutil.rmtree(folder)


# The interpreter may be where only root looks: it starts as root and becomes a user who may read all files (by a
# capability that is kept) and write where everybody may.
BECOME_NOBODY = f"""
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(8, 1, 0, 0, 0)  # PR_SET_KEEPCAPS
os.setgroups([])
os.setresgid(*3 * [{NOBODY}])
os.setresuid(*3 * [{NOBODY}])
reading = 1 << 2  # CAP_DAC_READ_SEARCH
if libc.capset((ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)(reading, reading, 0, 0, 0, 0)):
    raise SystemExit(99)
"""


def compare(folder, temporary):
    words = ("compare", "scores.csv", "scores.csv", "-c", "tau_a", "--resamples", "20")
    kept = {name: text for name, text in os.environ.items() if name != "XDG_CACHE_HOME"}
    done = subprocess.run(
        [sys.executable, "-c", f"{BECOME_NOBODY}\nfrom rankscope.cli import main\nmain()", *words],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(folder / "site"), "HOME": str(folder / "home"), "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    if done.returncode == 99:
        pytest.skip("capabilities cannot be set here")
    return done


def test_nothing_but_temporary_files_can_be_written(place):
    temporary = place / "tmp"
    temporary.mkdir()
    temporary.chmod(0o1777)
    done = compare(place, temporary)
    assert done.returncode == 0, done.stderr
    assert "tau_a" in done.stdout
    assert done.stderr == ""
    assert not list((place / "home").iterdir())
    assert not list(place.rglob("__pycache__"))
