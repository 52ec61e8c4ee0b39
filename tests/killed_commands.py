"""Run commands that are killed at several moments of their lives, and check what is left after each.

    python tests/killed_commands.py PLACE < commands.json > told.json

PLACE is the folder that the commands write to, and the input is {"commands": {name: words}, "library": text}; the text
is what `page_render.vega` gives, which takes a second in every new process. Each command runs

- undisturbed: a step is an opening for writing, a renaming, a new folder or a deletion. At each step the files of
  PLACE that a reader sees are noted: what is there then is what a kill at that moment would leave.
- ended by the kernel in the middle of writing its largest file (SIGXFSZ, left to do what SIGKILL does);
- killed (SIGKILL) at a step in the middle, and early when it goes on from there;
- to its end, over what the kills have left: the same bytes as the first time.

Nothing but files `.rankscope-….partial` may ever be opened for writing, and only they may be left over.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import pkgutil
import re
import resource
import signal
import sys
import threading
from pathlib import Path
from typing import Any

STEPS = ("open", "os.rename", "os.mkdir", "os.remove")
PARTIAL = re.compile(r"\.rankscope-[0-9a-f]+\.partial")
# A step that comes also where a cache or a checkpoint is whole: the last file is opened, opened to write, renamed.
_EARLY = 2
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def main() -> int:
    """Kill each command, check, and tell."""
    place = Path(sys.argv[1]).resolve()
    given = json.load(sys.stdin)
    _prepare(given["library"])
    told = {}
    for name, words in given["commands"].items():
        try:
            told[name] = _try(place, words)
        except _Wrong as wrong:
            raise SystemExit(f"{name}: {wrong}") from None
        _empty(place)
    sys.stdout.write(json.dumps(told))
    return 0


class _Wrong(Exception):
    """A command has left something that it must not leave."""


def _try(place: Path, words: list[str]) -> dict[str, int]:
    notes = place.with_name("notes")
    notes.unlink(missing_ok=True)
    if os.waitstatus_to_exitcode(_run(words, place, notes=notes)) != 0:
        raise _Wrong("fails undisturbed")
    wanted = _content(place)
    steps = [json.loads(line) for line in notes.read_text().splitlines()]
    _check_steps(steps, wanted)
    _check_leftovers(place, 0)
    _empty(place)
    halves = _killed(_run(words, place, limit=_half(wanted)), signal.SIGXFSZ)
    _check(_content(place), wanted)
    _check_leftovers(place, halves)
    if not [path for path in place.rglob(".*") if path.is_file() and path.stat().st_size]:
        raise _Wrong("was not in the middle of writing")
    _empty(place)  # a cache or a checkpoint that is there already would not be written again
    killed = 0
    for at in (1 + len(steps) // 2, _EARLY):
        killed += _killed(_run(words, place, kill_at=at), signal.SIGKILL)
        _check(_content(place), wanted)
        _check_leftovers(place, killed)
    if os.waitstatus_to_exitcode(_run(words, place)) != 0:
        raise _Wrong("does not run over what the kills have left")
    again = _content(place)
    if again != wanted:
        raise _Wrong(
            f"other content in the end: {[key for key in {**again, **wanted} if again.get(key) != wanted.get(key)]}"
        )
    return {"steps": len(steps), "killed": killed, "halves": halves}


def _prepare(library: str) -> None:
    """Do before forking what every command does late, but import polars, which begins threads; a fork has none."""
    import rankscope

    for module in pkgutil.walk_packages(rankscope.__path__, "rankscope."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for name in ("altair", "ir_measures", "jinja2", "joblib", "scipy.stats", "vl_convert"):
        importlib.import_module(name)
    from rankscope.report import page_render

    page_render.vega = lambda: library  # type: ignore[assignment]
    if threading.active_count() > 1 or len(os.listdir("/proc/self/task")) > 1:  # noqa: PTH208  names are enough
        raise SystemExit("a thread has begun, which a fork would be without")


def _run(words: list[str], place: Path, *, kill_at: int = 0, limit: int = 0, notes: Path | None = None) -> int:
    """The status of a child that runs the command, is killed at this step, or writes no more than this to a file."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    here, seen, busy = str(Path.cwd()), 0, False

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal seen, busy
        if busy or event not in STEPS or isinstance(arguments[0], int):
            return
        path = os.path.abspath(os.fsdecode(arguments[0]))  # noqa: PTH100  no disk is asked
        if not path.startswith(here):
            return
        if event == "open" and not int(arguments[2]) & _WRITES:
            return
        seen += 1
        if seen == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        if notes is not None:
            busy = True
            with notes.open("a") as file:
                file.write(json.dumps([event, path, _content(place)]) + "\n")
            busy = False

    code = 1
    try:
        from rankscope.cli import main as command
        from writing_commands import make_demo_small

        make_demo_small()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if limit:
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        sys.addaudithook(watch)
        command(words)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0
    finally:
        os._exit(code)


def _killed(status: int, by: signal.Signals) -> int:
    if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != by:
        raise _Wrong(f"was to be ended by {by.name}, and its status is {status}")
    return 1


def _half(wanted: dict[str, tuple[int, str]]) -> int:
    """A size that the largest file passes, in its middle if no other is as large as that."""
    *smaller, largest = sorted(size for size, _ in wanted.values())
    return min(largest - 1, max([largest // 2, *smaller[-1:]]))


def _content(place: Path) -> dict[str, tuple[int, str]]:
    """The size and a hash of each file that a reader sees, by its path."""
    files = (path for path in sorted(place.rglob("*")) if path.is_file() and not path.name.startswith("."))
    found = {str(path.relative_to(place)): path.read_bytes() for path in files}
    return {name: (len(data), hashlib.blake2b(data).hexdigest()) for name, data in found.items()}


def _check_steps(steps: list[tuple[str, str, dict[str, tuple[int, str]]]], wanted: dict[str, tuple[int, str]]) -> None:
    for event, path, content in steps:
        if event == "open" and not PARTIAL.fullmatch(Path(path).name):
            raise _Wrong(f"{path} is opened for writing under its own name")
        _check({name: (size, digest) for name, (size, digest) in content.items()}, wanted)


def _check(content: dict[str, tuple[int, str]], wanted: dict[str, tuple[int, str]]) -> None:
    for name, found in content.items():
        if name not in wanted:
            raise _Wrong(f"{name} is not a file of this command")
        if found != wanted[name]:
            raise _Wrong(f"{name} is half a file: {found[0]} of {wanted[name][0]} bytes")


def _check_leftovers(place: Path, most: int) -> None:
    left = [path.name for path in place.rglob(".*")]
    if len(left) > most or not all(map(PARTIAL.fullmatch, left)):
        raise _Wrong(f"left over after {most} kills: {left}")


def _empty(place: Path) -> None:
    for path in sorted(place.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()


if __name__ == "__main__":
    sys.exit(main())
