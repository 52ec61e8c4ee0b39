"""References: BibTeX entries by the short form in which records cite them, such as "Kendall 1938"."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files

_ENTRY = re.compile(r"@(\w+)\{(\w+),\n(.*?)^\}", re.M | re.S)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", re.M)


@dataclass(frozen=True)
class Reference:
    """An entry of assets/references.bib: its kind, its key in BibTeX, and its fields."""

    kind: str
    key: str
    fields: dict[str, str]

    @property
    def text(self) -> str:
        """The reference in a line."""
        f = self.fields
        where = f.get("publisher") or f.get("booktitle") or f"{f['journal']} {f['volume']}"
        comma = "" if "booktitle" in f else ","
        return f"{f['author'].replace(' and ', ', ')}. {f['title']}. {where}{comma} {f['year']}."

    @property
    def bibtex(self) -> str:
        """The entry as BibTeX; titles keep their capitals."""
        fields = {name: value for name, value in self.fields.items() if name != "short"}
        fields["title"] = f"{{{fields['title']}}}"
        lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
        return f"@{self.kind}{{{self.key},\n{lines}}}\n"


@functools.cache
def known_references() -> dict[str, Reference]:
    """The entries by their short forms; some have several."""
    text = (files("rankscope.report") / "assets" / "references.bib").read_text(encoding="utf-8")
    entries = (Reference(kind, key, dict(_FIELD.findall(body))) for kind, key, body in _ENTRY.findall(text))
    return {short: entry for entry in entries for short in short_forms(entry.fields["short"])}


def short_forms(citation: str) -> list[str]:
    """The short forms in a record's citation.

    >>> short_forms("Webber, Moffat & Zobel 2010; Corsi & Urbano 2024")
    ['Webber, Moffat & Zobel 2010', 'Corsi & Urbano 2024']
    """
    return [short.strip() for short in citation.split(";") if short.strip()]


def cited(citations: Iterable[str]) -> list[Reference]:
    """The entries of citations, each once, in the order of citing; short forms without an entry are left out."""
    known = known_references()
    shorts = (short for citation in citations for short in short_forms(citation))
    return list({known[short].key: known[short] for short in shorts if short in known}.values())


def references(citations: Iterable[str]) -> list[str]:
    """The full references of citations, each once, by author.

    >>> references(["Kendall 1945; Kendall 1938", "Kendall 1938", "ours"])[0]
    'M. G. Kendall. A new measure of rank correlation. Biometrika 30, 1938.'
    """
    return sorted(entry.text for entry in cited(citations))
