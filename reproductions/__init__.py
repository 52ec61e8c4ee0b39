"""The five papers again, by rankscope: `python -m reproductions [--quick] [paper …]`, or `make reproduce [QUICK=1]`."""
