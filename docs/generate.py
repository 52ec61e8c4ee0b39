"""Write docs/reference/ from the registries, so that it cannot drift; `make docs` runs it, a test holds it current."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click

import rankscope
from rankscope import errors
from rankscope.cli import main
from rankscope.coefficients import Record, all_coefficients
from rankscope.measures import Record as MeasureRecord
from rankscope.measures import all_measures
from rankscope.measures.registry import GROUPS
from rankscope.parameters import Parameter

REFERENCE = Path(__file__).parent / "reference"
_NOTE = "<!-- Written by docs/generate.py; change the code it is made from, then run `make docs`. -->\n\n"


def pages() -> dict[str, str]:
    """Every generated page by its file name."""
    return {
        "api.md": _NOTE + "\n".join(_api()) + "\n",
        "coefficients.md": _NOTE + "\n".join(_coefficients()) + "\n",
        "commands.md": _NOTE + "\n".join(_commands()) + "\n",
        "errors.md": _NOTE + "\n".join(_errors()) + "\n",
        "measures.md": _NOTE + "\n".join(_measures()) + "\n",
    }


def _coefficients() -> Iterator[str]:
    yield "# Coefficients\n"
    yield (
        "All take `(truth, estimate)`: scores of the same systems, higher is better, arrays of shape `(…, m)` that "
        "broadcast, or two ScoreMatrix or SystemScores. A side that scores all systems alike gives `nan` with a "
        "`ConstantInput` warning. `@k` (`k=10` in Python) restricts any of them to the truth's top k; systems "
        "tied at the cut all stay. How the tie rules were chosen: [ties](../ties.md).\n"
    )
    yield "| name | symbol | looks at | range | symmetric | head-weighted | gap-sensitive | scale | cost |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for r in all_coefficients():
        low, high = (f"{end:g}".replace("-", "−") for end in r.range)
        traits = ("yes" if trait else "no" for trait in (r.symmetric, r.head_weighted, r.gap_sensitive))
        yield (
            f"| [`{r.name}`](#{r.name}) | {r.symbol} | {r.looks_at} | {low} to {high} | {' | '.join(traits)} "
            f"| {'interval' if r.interval else 'ordinal'} | {r.cost} |"
        )
    for r in all_coefficients():
        yield from _coefficient(r)


def _coefficient(r: Record) -> Iterator[str]:
    yield f"\n## {r.name}\n\n{r.label}, {r.symbol}. {r.reference}.\n"
    yield _docstring(r.function) + "\n"
    yield f"Ties: {r.ties}.\n"
    yield from _parameters(r.parameters)


def _parameters(parameters: tuple[Parameter, ...]) -> Iterator[str]:
    if not parameters:
        return
    yield "| parameter | default | meaning |\n|---|---|---|"
    for p in parameters:
        choices = f" ({', '.join(map(str, p.choices))})" if p.choices else ""
        yield f"| `{p.name}` | {'–' if p.default in (None, '') else p.default} | {p.meaning}{choices} |"


def _measures() -> Iterator[str]:
    yield "# Measures\n"
    yield (
        "Names are ir_measures': `nDCG@10`, `AP(rel=2)`, `RBP(p=0.5)`; trec_eval's are accepted, `ndcg_cut_10` or "
        "`map`. What was chosen where definitions leave a choice: [measures](../measures.md). Any other measure that "
        "ir_measures knows is computed through it, and the result's `providers` say so.\n"
    )
    for group, names in GROUPS.items():
        yield f"The group `{group}` is {', '.join(f'`{name}`' for name in names)}.\n"
    yield "| name | in trec_eval | looks at | uses | cutoff | range | not judged | over topics |"
    yield "|---|---|---|---|---|---|---|---|"
    for r in all_measures():
        trec = ", ".join(f"`{name.format('k')}`" for name in (r.trec, r.trec_cut) if name is not None) or "–"
        low, high = (f"{end:g}".replace("-", "−").replace("inf", "∞") for end in r.range)
        uses = "relevant or not" if r.binary else "grades"
        yield (
            f"| [`{r.name}`](#{r.name.lower()}) | {trec} | {r.looks_at} | {uses} "
            f"| {_cutoff(r)} | {low} to {high} | {r.unjudged} | {r.summary} |"
        )
    for r in all_measures():
        yield f"\n## {r.name}\n\n{r.label[0].upper()}{r.label[1:]}: {r.looks_at}. {r.reference}.\n"
        if r.also:
            yield f"Also called {', '.join(f'`{name}`' for name in r.also)}.\n"
        yield from _parameters(r.parameters)


def _cutoff(r: MeasureRecord) -> str:
    kind = " (a recall)" if r.real_cutoff else ""
    return {"none": "–", "optional": "may be", "required": "needed"}[r.cutoff] + kind


def _commands() -> Iterator[str]:
    yield "# Commands\n"
    yield "`rankscope COMMAND --help` says the same. Bad input exits with 2 and one line on stderr.\n"
    for path, command in walk(main, "rankscope"):
        arguments = " ".join(
            p.make_metavar(click.Context(command)) for p in command.params if isinstance(p, click.Argument)
        )
        yield f"## {path}\n\n`{path} [OPTIONS] {arguments}`\n".replace(" `", "`")
        yield inspect.cleandoc(command.help or "").replace("\b\n", "") + "\n"
        yield "| option | meaning |\n|---|---|"
        for option in command.params:
            if isinstance(option, click.Option):
                choices = f" One of {', '.join(option.type.choices)}." if isinstance(option.type, click.Choice) else ""
                names = "`, `".join((*option.opts, *option.secondary_opts))
                default = option.get_help_extra(click.Context(command)).get("default")
                yield f"| `{names}` | {option.help}{choices}{f' Default: {default}.' if default else ''} |"
        yield ""


def walk(group: click.Group, path: str) -> Iterator[tuple[str, click.Command]]:
    """Every command with the words that call it."""
    context = click.Context(group)
    for name in sorted(group.list_commands(context)):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from walk(command, f"{path} {name}")
        elif command is not None:
            yield f"{path} {name}", command


def _errors() -> Iterator[str]:
    yield "# Errors and warnings\n"
    yield (
        "All errors are `RankscopeError`, which is a `ValueError`; their messages name the place, the problem and the "
        "way out.\n"
    )
    yield "| class | kind of | when |\n|---|---|---|"
    for name, kind in vars(errors).items():
        if inspect.isclass(kind) and issubclass(kind, errors.RankscopeError | errors.RankscopeWarning):
            yield f"| `{name}` | `{kind.__bases__[0].__name__}` | {_docstring(kind)} |"


def _api() -> Iterator[str]:
    yield "# Public names\n"
    yield "Everything here is `import rankscope as rs`, then `rs.name`. Errors have [their own page](errors.md).\n"
    for name in rankscope.__all__:
        thing = getattr(rankscope, name)
        if inspect.isclass(thing) and issubclass(thing, Exception):
            continue
        yield f"## {name}\n\n```python\n{name}{_signature(thing)}\n```\n\n{_docstring(thing)}\n"
        for title, text in sections(thing).items():
            yield from _section(title, text)


def _signature(thing: Callable[..., object]) -> str:
    text = str(inspect.signature(thing))
    return re.sub(r"'([^']*)'", r"\1", text) if "'" in text else text


def _docstring(thing: object) -> str:
    """What a docstring says before its first section or example."""
    text = _HEADING.split(inspect.getdoc(thing) or "", maxsplit=1)[0]
    return _cell(text.split("\n>>>")[0])


_HEADING = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", re.MULTILINE)
_ENTRY = re.compile(r"^(?=\S)", re.MULTILINE)


def sections(thing: object) -> dict[str, str]:
    """The sections of a numpydoc docstring by their titles; none of a plain one."""
    _, *rest = _HEADING.split(inspect.getdoc(thing) or "")
    return dict(zip(rest[::2], (text.strip() for text in rest[1::2]), strict=True))


def entries(text: str) -> Iterator[tuple[str, str, str]]:
    """Name, type and meaning of each entry of a section such as Parameters; Returns and Raises name a type alone."""
    for entry in filter(None, _ENTRY.split(text)):
        head, _, meaning = entry.partition("\n")
        name, _, kind = head.partition(" : ")
        yield name.strip(), kind.strip(), " ".join(meaning.split())


def _section(title: str, text: str) -> Iterator[str]:
    yield f"**{title}**\n"
    if title in ("Parameters", "Attributes"):
        yield "| name | type | meaning |\n|---|---|---|"
        for name, kind, meaning in entries(text):
            names = ", ".join(f"`{each.strip()}`" for each in name.split(","))
            yield f"| {names} | {_cell(kind)} | {_cell(meaning)} |"
        yield ""
    elif title in ("Returns", "Yields", "Raises", "Warns"):
        for name, kind, meaning in entries(text):
            yield f"- `{name}`{' ' * bool(kind)}{_cell(kind)}: {_cell(meaning)}"
        yield ""
    elif title == "Examples":
        yield f"```python\n{text}\n```\n"
    else:
        yield f"{text}\n"


def _cell(text: str) -> str:
    return text.strip().replace("|", "\\|")


if __name__ == "__main__":
    REFERENCE.mkdir(exist_ok=True)
    for file_name, text in pages().items():
        (REFERENCE / file_name).write_text(text, encoding="utf-8")
    sys.stdout.write(f"wrote {REFERENCE}\n")
