"""The command line: each command reads, calls one library function, and writes.

Data go to stdout, remarks and progress to stderr; bad input exits with 2. A command's module is imported when the
command is called, and the library when it is used (`rs.NAME`), so that `--help` stays fast.
"""

from __future__ import annotations

import atexit
import gc
import os

import click

from rankscope import __version__
from rankscope.cli.interrupts import listen
from rankscope.cli.lazy import LazyGroup

COMMANDS = (
    "compare",
    "judge",
    "labels",
    "evaluate",
    "rank",
    "correct",
    "plan",
    "reliability",
    "simulate",
    "metrics",
    "nulls",
    "study",
    "show",
    "demo",
)

# Commands have threads of their own for compiled loops; BLAS threads beside them only take processor time.
for _variable in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")


@click.group(
    cls=LazyGroup, names=COMMANDS, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)
@click.version_option(__version__, prog_name="rankscope")
def main() -> None:
    """Does one way of evaluating rank systems as another does, how certain is that, and where do they differ?

    The two sides of a comparison are the TRUTH and the ESTIMATE, always in that order. Higher scores are better.
    """
    # Imports make many objects and no garbage. Collecting during them takes a tenth of the start-up, and collecting
    # once more at exit takes even longer.
    gc.set_threshold(100_000, 50, 50)
    atexit.register(gc.freeze)
    listen()
