"""Speed, as ratios to a named baseline in the same run. `make bench` prints them; nothing here is a test."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests"))  # the oracles are baselines
