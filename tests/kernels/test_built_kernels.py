"""The kernels as they are built: every module has a stub, and the modules for newer processors give the same bits."""

import importlib.machinery
import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

import rankscope
from rankscope import kernels

FOLDER = Path(rankscope.__file__).parent / "kernels"
MODULES = sorted(path.stem for path in FOLDER.glob("*.pyx"))
WIDE = FOLDER / "x86_64_v3"


def variant(folder, name):
    """A kernel module from this folder, beside the one that is in use."""
    found = importlib.machinery.PathFinder.find_spec(f"rankscope.kernels.{name}", [str(folder)])
    assert found is not None, f"{folder} has no {name}: run `make test`, which compiles it"
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", MODULES)
def test_a_module_and_its_stub_have_the_same_functions(name):
    stub, source = ((FOLDER / f"{name}.{ending}").read_text(encoding="utf-8") for ending in ("pyi", "pyx"))
    public = re.findall(r"^def ([a-z]\w+)\(", source, re.MULTILINE)
    assert public
    assert all(callable(getattr(variant(FOLDER, name), word)) for word in public)
    assert re.findall(r"^def (\w+)\(", stub, re.MULTILINE) == public


def test_processors_with_avx2_have_modules_of_their_own():
    features = importlib.import_module("numpy._core._multiarray_umath").__cpu_features__
    assert (str(WIDE) in kernels.__path__) == bool(features.get("AVX2") and features.get("FMA3"))


@pytest.mark.skipif(str(WIDE) not in kernels.__path__, reason="the processor has no AVX2")
@pytest.mark.parametrize("m", [2, 3, 17, 64, 301])
def test_both_variants_give_the_same_bits(m):
    random = np.random.default_rng(m)
    x, y = random.random((1, m)).round(2), random.random((40, m)).round(2)
    orders = [np.argsort(-side, axis=1, kind="stable") for side in (x, y)]
    results = []
    for folder in (FOLDER, WIDE):
        modules = {name: variant(folder, name) for name in ("sorting", "kendall", "ap", "gaps", "linear", "distance")}
        keys, values = modules["sorting"].arrange(y, x, orders[1])
        results.append(
            [
                modules["kendall"].kendall_counts(keys, values),
                modules["kendall"].kendall_counts_by_pairs(x, y),
                modules["kendall"].weighted_tau_by_pairs(x, y, *orders),
                modules["ap"].tau_ap(keys, values),
                modules["gaps"].tau_gap(keys, values),
                modules["gaps"].tau_gap_by_pairs(keys, values),
                modules["gaps"].pearson_rank(x, y, orders[0], True, True),
                modules["linear"].pearson(x, y),
                modules["distance"].difference_variances(np.ascontiguousarray(y.T), 0.0),
            ]
        )
    for plain, wide in zip(*results, strict=True):
        np.testing.assert_array_equal(plain, wide)


@pytest.mark.skipif(str(WIDE) not in kernels.__path__, reason="the processor has no AVX2")
@pytest.mark.parametrize("gradings", [1, 5, 16, 40])
def test_both_variants_count_hits_alike(gradings):
    random = np.random.default_rng(gradings)
    starts, judgments = np.arange(0, 121, 20), np.array([0, 30, 60])
    ranks = np.tile(np.arange(1, 40, 2, dtype=np.int32), 6)
    rows = np.concatenate([30 * (cell // 3) + random.permutation(30)[:20] for cell in range(6)]).astype(np.int32)
    levels = random.integers(-1, 3, (gradings, 60), dtype=np.int8)
    results = []
    for folder in (FOLDER, WIDE):
        module = variant(folder, "measures")
        rankings = module.Rankings(starts, ranks, rows, np.full(6, 50, dtype=np.int32), judgments)
        top = module.counts(rankings, levels, 25, False)
        results.append([*module.hit_counts(rankings, levels, 25), top.relevant, top.hits, top.precision_sum])
    plain, wide = results
    assert all(np.array_equal(a, b) for a, b in zip(plain, wide, strict=True))
    assert all(np.array_equal(a, b) for a, b in zip(plain[:3], plain[3:], strict=True))
