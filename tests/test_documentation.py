"""Docs that cannot drift: generated pages are current, README's commands and code run, links lead somewhere."""

import importlib.util
import inspect
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import rankscope as rs
from narrowing import known
from rankscope import errors
from rankscope.cli import main

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
README = (ROOT / "README.md").read_text(encoding="utf-8")

_spec = known(importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py"))
generate = importlib.util.module_from_spec(_spec)
known(_spec.loader).exec_module(generate)


@pytest.mark.parametrize("page", generate.pages())
def test_generated_pages_are_current(page):
    committed = (ROOT / "docs" / "reference" / page).read_text(encoding="utf-8")
    assert committed == generate.pages()[page], "run `make docs`"


def test_every_coefficient_is_documented():
    text = generate.pages()["coefficients.md"]
    for record in rs.all_coefficients():
        assert f"## {record.name}\n" in text
        assert record.looks_at
        assert record.ties
        assert record.reference


def test_every_command_and_option_is_documented():
    text = generate.pages()["commands.md"]
    for path, command in generate.walk(main, "rankscope"):
        assert f"## {path}\n" in text
        assert command.help
        for option in command.params:
            if isinstance(option, click.Option):
                assert option.help, f"{path} {option.opts} has no help"
                assert f"`{option.opts[0]}`" in text


def test_every_error_is_documented_and_public():
    text = generate.pages()["errors.md"]
    kinds = [
        k for k in vars(errors).values() if isinstance(k, type) and issubclass(k, (errors.RankscopeError, Warning))
    ]
    assert len(kinds) > 10
    for kind in kinds:
        assert f"| `{kind.__name__}` |" in text
        assert kind.__doc__
        assert getattr(rs, kind.__name__) is kind


@pytest.mark.parametrize("name", rs.__all__)
def test_every_public_name_has_a_docstring(name):
    assert getattr(rs, name).__doc__


FUNCTIONS = sorted(name for name in rs.__all__ if inspect.isfunction(getattr(rs, name)))


def _parameters(name: str) -> list[tuple[str, str, str]]:
    entries = generate.entries(generate.sections(getattr(rs, name)).get("Parameters", ""))
    return [(word.strip(" *"), kind, meaning) for names, kind, meaning in entries for word in names.split(",")]


def _bare(text: str) -> str:
    """A value as written, whatever its quotes, brackets and marks between digits."""
    return re.sub(r"""["'`,_\s()\[\]]""", "", text)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if _parameters(name)])
def test_documented_parameters_are_those_of_the_signature(name):
    signature = inspect.signature(getattr(rs, name)).parameters
    assert [parameter for parameter, _, _ in _parameters(name)] == list(signature)
    for parameter, kind, _ in _parameters(name):
        _, said, default = kind.partition("default ")
        # A long one may be cut (…), and what is no plain value may be called by a name.
        if said and "…" not in default and not default.isupper() and "(" not in str(signature[parameter].default)[1:]:
            assert _bare(default) == _bare(str(signature[parameter].default)), parameter


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_has_a_type_and_a_meaning(name):
    if inspect.signature(getattr(rs, name)).parameters:
        assert _parameters(name), "no section Parameters"
    assert all(kind and meaning for _, kind, meaning in _parameters(name))


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), f"{page}: {target}"


def _blocks(language: str, text: str = README) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


# Words that a reader stumbles over, and the terms of the field that replace them.
REPLACED = {
    r"(?:tell|told|telling|tells)(?: \w+)? apart": "significantly different, or distinguish",
    r"knows? nothing": "random labels",
    r"endless (?:topics|ones)": "the population of topics",
    r"fresh (?:topics|ones|τ)|fresh_agreement": "new topics",
    r"luck of (?:the )?topics": "topic sampling error",
    r"that (?:is|are) none": "the condition itself, as in: unless 0 < level < 1",
    r"(?:go|goes|went|going) in circles": "cycle, or: is not transitive",
    r"no less than": "at least",
    r"human ceiling": "human reference",
}
_WRITTEN = ("src", "docs", "tests", "benchmarks", "reproductions")
_ENDINGS = (".py", ".md", ".html", ".js", ".yml", ".ipynb")
WRITTEN = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "mkdocs.yml"] + [
    path for folder in _WRITTEN for path in (ROOT / folder).rglob("*") if path.suffix in _ENDINGS
]


@pytest.mark.parametrize("words", REPLACED)
def test_replaced_words_do_not_come_back(words):
    """In code, pages and what tests expect; only the changelog may name them, and this list."""
    pattern = re.compile(rf"\b(?:{words.replace(' ', chr(92) + 's+')})\b", re.IGNORECASE)
    for path in WRITTEN:
        if path != Path(__file__):
            met = pattern.search(path.read_text(encoding="utf-8"))
            assert not met, f"{path.relative_to(ROOT)}: write {REPLACED[words]!r} instead of {met[0]!r}"


def _run(command: str) -> None:
    program, *words = shlex.split(command)
    assert program == "rankscope"
    done = CliRunner().invoke(main, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output


COMMANDS = [line.split(" #")[0] for block in _blocks("console") for line in block.splitlines() if line.strip()]


@pytest.mark.parametrize(
    "command", [c for c in COMMANDS if c.startswith("rankscope") and c.strip() != "rankscope demo"]
)
def test_readme_commands_run(command, demo_folder, monkeypatch):
    monkeypatch.chdir(demo_folder)
    _run(command)


@pytest.mark.parametrize("command", [c for c in COMMANDS if not c.startswith("rankscope")])
def test_readme_names_make_targets_that_exist(command):
    if command == "pip install rankscope":
        return  # what is installed under that name is what `make test-wheel` builds
    program, target = command.split()
    assert program == "make"
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_readme_code_runs(demo_folder, monkeypatch):
    monkeypatch.chdir(demo_folder)
    (block,) = _blocks("python")
    exec(compile(block, "README.md", "exec"), {})
    assert (demo_folder / "rankscope-demo" / "human.csv").exists()


HOWTOS = [
    ROOT / "docs" / "tutorial.md",
    ROOT / "docs" / "extending.md",
    *sorted((ROOT / "docs" / "howto").glob("*.md")),
]
# Those about files of the reader's own, or other machines, cannot be run here.
HOWTO_COMMANDS = [
    pytest.param(line.split(" #")[0], id=f"{page.stem}: {line[:40]}")
    for page in HOWTOS
    for block in _blocks("console", page.read_text(encoding="utf-8"))
    for line in block.splitlines()
    if line.startswith("rankscope") and "rankscope-demo" in line
]
HOWTO_CODE = [
    pytest.param(block, id=f"{page.stem} {i}")
    for page in HOWTOS
    for i, block in enumerate(_blocks("python", page.read_text(encoding="utf-8")))
]


@pytest.mark.parametrize("command", HOWTO_COMMANDS)
def test_howto_commands_run(command, demo_folder, monkeypatch):
    monkeypatch.chdir(demo_folder)
    _run(command)


@pytest.mark.parametrize("code", HOWTO_CODE)
def test_howto_code_runs(code, demo_folder, monkeypatch, capsys):
    monkeypatch.chdir(demo_folder)
    exec(compile(code, "howto", "exec"), {})
    assert capsys.readouterr().out


def test_the_site_builds_strictly(tmp_path):
    pytest.importorskip("mkdocs")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "https://fonts" not in (tmp_path / "index.html").read_text(encoding="utf-8")
