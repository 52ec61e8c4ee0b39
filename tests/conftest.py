"""What every test may ask for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples on every run and machine; HYPOTHESIS_PROFILE=default explores.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of shared public data (RANKSCOPE_DATA names another place)."""
    folder = Path(os.environ.get("RANKSCOPE_DATA", Path(__file__).parents[1] / ".." / "shared" / "data")).resolve()
    if not folder.is_dir():
        pytest.skip(f"no shared data at {folder}: set RANKSCOPE_DATA")
    return folder
