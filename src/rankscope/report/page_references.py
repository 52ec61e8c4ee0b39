"""Full references by the short form in which records cite them, such as "Kendall 1938"."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from importlib.resources import files


@functools.cache
def known_references() -> dict[str, str]:
    """The references of assets/references.txt by their short forms."""
    text = (files("rankscope.report") / "assets" / "references.txt").read_text(encoding="utf-8")
    return dict(line.split(": ", 1) for line in text.splitlines())


def short_forms(citation: str) -> list[str]:
    """The short forms in a record's citation.

    >>> short_forms("Webber, Moffat & Zobel 2010; Corsi & Urbano 2024")
    ['Webber, Moffat & Zobel 2010', 'Corsi & Urbano 2024']
    """
    return [short.strip() for short in citation.split(";") if short.strip()]


def references(citations: Iterable[str]) -> list[str]:
    """The full references of citations, each once, by author; short forms without a reference are left out.

    >>> references(["Kendall 1945; Kendall 1938", "Kendall 1938", "ours"])[0]
    'M. G. Kendall. A new measure of rank correlation. Biometrika 30, 1938.'
    """
    known = known_references()
    return sorted({known[short] for citation in citations for short in short_forms(citation) if short in known})
