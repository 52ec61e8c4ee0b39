"""Standard output and error in any encoding: data are UTF-8, text for people falls back to ASCII."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

if TYPE_CHECKING:
    from rankscope.report.text_tables import TextTable

_FALLBACK = "rankscope.fallback"

# What replaces characters that an encoding lacks. Greek letters are replaced by their names, and what Unicode takes
# for a form of ASCII characters (é, ², …) by these.
_SIGNS = {
    "−": "-",
    "–": "-",
    "—": "-",
    "─": "-",
    "⁻": "-",
    "₋": "-",
    "×": "x",
    "·": ".",
    "±": "+-",
    "≈": "~",
    "≤": "<=",
    "≥": ">=",
    "→": "->",
    "←": "<-",
    "∞": "inf",
    "√": "sqrt",
    "∑": "sum",
    "‖": "||",
    "′": "'",
    "•": "*",
    "✓": "+",
    "✗": "x",
    "╶": "[",
    "╴": "]",
    "●": "o",
    "\ufffd": "?",
}


def prepare() -> None:
    """Let standard output and error take any text; a closed error stream discards it."""
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  open to the end
    codecs.register_error(_FALLBACK, _fallback)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_FALLBACK)


def show(*parts: str | TextTable) -> None:
    """Write text and tables for a person to standard output."""
    from rankscope.report.text_tables import printable

    stream = standard_output()
    with fitting_tables():
        text = [printable(part) if isinstance(part, str) else part.plain() for part in parts]
    click.echo("\n".join(text), file=stream)


def remark(text: str) -> None:
    """Write one line to standard error."""
    click.echo(visible(text), file=sys.stderr)


def visible(text: str) -> str:
    r"""Text with characters that control a terminal or break the line escaped as Python escapes them.

    >>> print(visible("\x1b[31m.run: not a\nrun"))
    \x1b[31m.run: not a\nrun
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def send(text: str) -> None:
    """Write JSON, CSV and the like to standard output, byte for byte as to a file."""
    click.echo(text.encode("utf-8", "backslashreplace"), file=standard_output(), nl=False)


def standard_output() -> TextIO:
    """Standard output; raise `UnwritableOutput` if it is closed."""
    if sys.stdout is None:
        from rankscope.errors import UnwritableOutput

        raise UnwritableOutput("standard output", "it is closed; name a file for the output with -o")
    return sys.stdout


@contextlib.contextmanager
def fitting_tables() -> Iterator[None]:
    """Lay tables out with characters that standard output can take, so that columns stay aligned."""
    from rankscope.report.text_tables import ADAPTED

    encoding = sys.stdout.encoding or "utf-8"
    token = ADAPTED.set(lambda text: text.encode(encoding, _FALLBACK).decode(encoding))
    try:
        yield
    finally:
        ADAPTED.reset(token)


def _fallback(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_ascii, error.object[error.start : error.end])), error.end


def _ascii(sign: str) -> str:
    r"""An ASCII text for a character.

    >>> [_ascii(sign) for sign in "τΣλ−é系\udcff"]
    ['tau', 'Sigma', 'lambda', '-', 'e', '\\u7cfb', '\\udcff']
    """
    if sign in _SIGNS:
        return _SIGNS[sign]
    words = unicodedata.name(sign, "").split()
    if words[:1] == ["GREEK"] and len(words) == 4:
        name = words[3].replace("LAMDA", "LAMBDA").lower()
        return name.capitalize() if words[1] == "CAPITAL" else name
    plain = unicodedata.normalize("NFKD", sign).encode("ascii", "ignore").decode()
    return plain.strip() or sign.encode("ascii", "backslashreplace").decode()
