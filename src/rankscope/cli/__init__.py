"""The command line: each command reads, calls one library function, and writes.

Data go to stdout, remarks and progress to stderr; bad input exits with 2. Command modules import the library inside
their functions, so that `rankscope --help` stays fast.
"""

from __future__ import annotations

import os

import click

from rankscope import __version__
from rankscope.cli.compare import compare
from rankscope.cli.demo import demo
from rankscope.cli.evaluate import evaluate
from rankscope.cli.judge import judge
from rankscope.cli.metrics import metrics
from rankscope.cli.nulls import nulls
from rankscope.cli.reliability import reliability
from rankscope.cli.simulate import simulate
from rankscope.cli.study import study

# Commands have threads of their own for compiled loops; BLAS threads spinning beside them only take their time.
for _variable in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="rankscope")
def main() -> None:
    """Do two evaluations rank systems alike, how sure may one be, and where do they part?

    The two sides of a comparison are the TRUTH and the ESTIMATE, always in that order. Higher scores are better.
    """


main.add_command(compare)
main.add_command(judge)
main.add_command(evaluate)
main.add_command(reliability)
main.add_command(simulate)
main.add_command(metrics)
main.add_command(nulls)
main.add_command(study)
main.add_command(demo)
