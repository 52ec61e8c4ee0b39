"""Compiled loops over rows of scores: plain arrays in and out; no labels, options or randomness.

Each kernel takes `truth` of shape (1 or B, m) and `estimate` of shape (1 or B, m), so that one list is compared with
many without being copied, and, where it needs them, `order` arrays that sort the rows from best to worst. The modules
are Cython, compiled when the package is built (`hatch_build.py`); others import them on first need. On processors with
AVX2 they come from the folder `x86_64_v3`, whose modules have the same names and results.
"""

from pathlib import Path

from numpy._core._multiarray_umath import (  # type: ignore[import-not-found]  # it has no stub
    __cpu_features__ as _features,
)

if _features.get("AVX2") and _features.get("FMA3"):  # whatever has both has the rest of x86-64-v3
    __path__.insert(0, str(Path(__file__).parent / "x86_64_v3"))
