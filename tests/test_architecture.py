"""Imports point one way, and heavy packages wait until they are needed."""

import ast
import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import rankscope
from rankscope.results import Result

PACKAGE = Path(rankscope.__file__).parent

# docs/architecture.md's list; a module may import from its own line and those before it.
LAYERS = (
    "errors",
    "checks",
    "defaults",
    "folders",
    "names",
    "parameters",
    "measure_names",
    "results",
    "kernels",
    "missing",
    "aggregates",
    "averages",
    "fits",
    "scores",
    "in_memory",
    "alignment",
    "strengths",
    "battles",
    "runs",
    "files",
    "inputs",
    "measures",
    "measure_table",
    "coefficients",
    "inference",
    "simulation",
    "studies",
    "demo",
    "report",
    "cli",
)
MODULES = sorted(PACKAGE.rglob("*.py"))


def _layer(module: str) -> int:
    parts = module.split(".")
    return LAYERS.index(parts[1]) if len(parts) > 1 and parts[1] in LAYERS else -1


def _imports(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.append(node.module or "")
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def test_every_module_has_a_layer():
    known = {*LAYERS, "__init__", "__main__"}
    assert {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in MODULES} <= known


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_down(path):
    module = "rankscope." + str(path.relative_to(PACKAGE).with_suffix("")).replace("/", ".")
    here = _layer(module)
    if here < 0:
        return  # the package itself and __main__ stand above all layers
    above = [name for name in _imports(path) if name.startswith("rankscope.") and _layer(name) > here]
    assert not above


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_only_the_command_line_prints(path):
    if "cli" not in path.parts:
        assert not [name for name in _imports(path) if name.split(".")[0] == "click"]


# Packages whose name on the index differs from the one that is imported.
_INDEX_NAMES = {"vl_convert": "vl-convert-python", "sklearn": "scikit-learn"}


def test_every_package_that_is_imported_is_declared():
    """What another dependency happens to bring may be gone with its next version."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = (project["dependencies"], *project["optional-dependencies"].values())
    known = {re.split(r"[<>=\[]", one)[0].lower() for some in declared for one in some}
    used = {name.split(".")[0] for path in MODULES for name in _imports(path)} - {"", "rankscope", "__future__"}
    others = {_INDEX_NAMES.get(name, name).lower() for name in used - sys.stdlib_module_names}
    assert others - known == set()


HEAVY = ("numpy", "scipy", "polars", "pandas", "pyarrow", "altair", "rich", "joblib", "narwhals")


def _loaded_by(code: str) -> set[str]:
    report = f"import sys; {code}; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    return set(
        subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True).stdout.split()
    )


def test_importing_rankscope_loads_nothing_heavy():
    assert _loaded_by("import rankscope") == set()


def test_help_loads_nothing_heavy():
    run = "CliRunner().invoke(main, ['compare', '--help'])"
    assert _loaded_by(f"from click.testing import CliRunner; from rankscope.cli import main; {run}") == set()


def test_a_name_loads_what_it_needs_only():
    assert _loaded_by("import rankscope as rs; rs.tau_ap; rs.read_scores; rs.all_coefficients()") == {"numpy"}


STUB = ast.parse(Path(rankscope.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))


def test_the_stub_lists_every_public_name_once():
    imported = [alias for node in STUB.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert sorted(alias.name for alias in imported) == sorted(rankscope.__all__)
    assert all(alias.asname == alias.name for alias in imported), "type checkers export `name as name` only"
    assert all(getattr(rankscope, name) is not None for name in rankscope.__all__)


def test_what_public_functions_return_is_public():
    functions = [thing for name in rankscope.__all__ if inspect.isfunction(thing := getattr(rankscope, name))]
    returned = [getattr(inspect.unwrap(thing), "__annotations__", {}).get("return", "") for thing in functions]
    results = {kind.__name__ for kind in Result.__subclasses__()}
    words = {word for annotation in returned for word in re.findall(r"\w+", str(annotation))}
    assert words & results <= set(rankscope.__all__)


def test_an_unknown_name_is_an_attribute_error():
    unknown = "tau_apx"
    with pytest.raises(AttributeError, match="attribute tau_apx"):
        getattr(rankscope, unknown)
    assert "tau_ap" in dir(rankscope)


def test_the_map_names_every_layer():
    text = (Path(__file__).parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert [name for name in LAYERS if f"`{name}.py`" not in text and f"`{name}/`" not in text] == []
