"""Start-up of command lines by framework: why rankscope keeps click (docs/architecture.md).

    python -m venv /tmp/frameworks && /tmp/frameworks/bin/pip install click typer cyclopts
    /tmp/frameworks/bin/python benchmarks/cli_frameworks.py

Each framework gets the same 23 commands with 16 options; the median of nine runs of `--help`, after one that writes
bytecode.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

COMMANDS = [f"command_{number}" for number in range(23)]
# The name, type and default of each option.
OPTIONS = [
    *((f"a{number}", "int", str(number)) for number in range(6)),
    *((f"b{number}", "float", f"0.{number}") for number in range(4)),
    *((f"c{number}", "str", "'x'") for number in range(4)),
    *((f"d{number}", "bool", "False") for number in range(2)),
]


def typed(decorator: str) -> str:
    """The commands as functions with annotated signatures."""
    signature = ", ".join(f"{name}: {kind} = {default}" for name, kind, default in OPTIONS)
    return "".join(f"{decorator}\ndef {name}(scores: str, {signature}) -> None: ...\n" for name in COMMANDS)


def declared() -> str:
    """The commands with an option decorator each."""
    options = "".join(
        f"@click.option('--{name}', is_flag=True, help='h')\n"
        if kind == "bool"
        else f"@click.option('--{name}', type={kind}, default={default}, help='h')\n"
        for name, kind, default in OPTIONS
    )
    return "".join(f"@main.command()\n@click.argument('scores')\n{options}def {n}(**given): ...\n" for n in COMMANDS)


PROGRAMS = {
    "python alone": "pass\n",
    "click": f"import click\n@click.group()\ndef main(): ...\n{declared()}main()\n",
    "typer": f"import typer\napp = typer.Typer()\n{typed('@app.command()')}app()\n",
    "cyclopts": f"from cyclopts import App\napp = App()\n{typed('@app.command')}app()\n",
}


def main() -> None:
    """Print processor and wall time by framework."""
    with tempfile.TemporaryDirectory() as folder:
        for number, (framework, text) in enumerate(PROGRAMS.items()):
            (Path(folder) / f"program_{number}.py").write_text(text, encoding="utf-8")
            for words in (["--help"], ["command-3", "--help"]):
                run = f"import sys; sys.argv[1:] = {words!r}; import program_{number}"
                walls, processor = zip(*(_timed(run, folder) for _ in range(10)), strict=True)
                wall, own = (statistics.median(times[1:]) for times in (walls, processor))
                print(f"{framework}, {' '.join(words)}: {own:.3f} s of processor, {wall:.3f} s")


def _timed(code: str, folder: str) -> tuple[float, float]:
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - started, used


if __name__ == "__main__":
    main()
