"""`python -m rankscope`."""

from rankscope.cli import main

main(prog_name="rankscope")
