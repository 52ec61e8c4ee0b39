"""Run a command again and again, each time killed at another of its steps on the disk; what is left is printed.

    python tests/killed_commands.py PLACE MOMENTS WORDS…

PLACE is the folder that the command writes to. A step is an opening for writing in there, a new folder, or a renaming:
at MOMENTS of them, the first and last too, and a moment after the last, the process is killed (SIGKILL). After each
kill the files in PLACE are checked: there are whole ones, and hidden leftovers that no reader looks at. At last the
command runs to its end, over what the kills have left.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np

# Seconds: enough to begin to write, rarely to end.
_LATE = 0.0005


def main() -> int:
    """Kill, check, and run to the end."""
    place, moments, words = Path(sys.argv[1]).resolve(), int(sys.argv[2]), sys.argv[3:]
    _import_all()
    steps = _steps_of(place, words)
    wanted = _content(place)
    _empty(place)
    chosen = sorted({1 + round(i * (steps - 1) / max(1, moments - 1)) for i in range(moments)})
    killed = 0
    for at in chosen:
        for late in (None, _LATE) if at == chosen[-1] else (None,):
            status = _run(words, place, kill_at=at, late=late)
            killed += os.WIFSIGNALED(status)
            _check(place, wanted)
    if os.waitstatus_to_exitcode(_run(words, place)) != 0:
        raise SystemExit(f"{words[0]} does not run over what the kills have left")
    if _content(place).keys() != wanted.keys():
        raise SystemExit(f"other files in the end: {sorted(_content(place).keys() ^ wanted.keys())}")
    sys.stdout.write(json.dumps({"steps": steps, "killed": killed}))
    return 0


def _import_all() -> None:
    """Import before forking what commands import late; nothing is computed yet, so that no thread runs."""
    import rankscope.cli
    import rankscope.files
    import rankscope.measures
    import rankscope.report.saving
    import rankscope.studies.comparison  # noqa: F401


def _run(words: list[str], place: Path, *, kill_at: int = 0, late: float | None = None, count: int = -1) -> int:
    """The status of a child that runs the command and is killed at this step, or a moment after it."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    seen = 0
    above = str(place)

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal seen
        if event not in ("open", "os.rename", "os.mkdir") or not str(arguments[0]).startswith(above):
            return
        if event == "open" and not int(arguments[2]) & (os.O_WRONLY | os.O_RDWR):  # type: ignore[call-overload]
            return
        seen += 1
        if count >= 0:
            os.write(count, b".")
        if seen != kill_at:
            return
        if late is None:
            os.kill(os.getpid(), signal.SIGKILL)
        threading.Thread(target=_kill_after, args=(late,), daemon=True).start()

    code = 1
    try:
        sys.addaudithook(watch)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        from rankscope.cli import main as command

        command(words)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0
    finally:
        os._exit(code)


def _kill_after(seconds: float | None) -> None:
    time.sleep(seconds or 0)
    os.kill(os.getpid(), signal.SIGKILL)


def _steps_of(place: Path, words: list[str]) -> int:
    """How many steps the command takes when nobody kills it."""
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    status = _run(words, place, count=writing)
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"{words} fails: {status}")
    os.close(writing)
    return len(os.read(reading, 65536))


def _content(place: Path) -> dict[str, bytes]:
    """The files that a reader sees, by their path."""
    files = (path for path in sorted(place.rglob("*")) if path.is_file() and not path.name.startswith("."))
    return {str(path.relative_to(place)): path.read_bytes() for path in files}


def _empty(place: Path) -> None:
    for path in sorted(place.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()


def _check(place: Path, wanted: dict[str, bytes]) -> None:
    for name, data in _content(place).items():
        if name not in wanted:
            raise SystemExit(f"{name} is not a file of this command")
        ending = Path(name).suffix
        if ending == ".npz":
            with np.load(place / name) as archive:
                whole = all(archive[key] is not None for key in archive)
        elif ending in (".html", ".json"):  # these tell the time
            whole = len(data) == len(wanted[name]) or data.rstrip().endswith((b"</html>", b"}"))
        else:
            whole = data == wanted[name]
        if not whole:
            raise SystemExit(f"{name} is half a file: {len(data)} of {len(wanted[name])} bytes")


if __name__ == "__main__":
    sys.exit(main())
