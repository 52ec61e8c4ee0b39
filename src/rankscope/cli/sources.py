"""How a source is written on the command line: `[NAME=]FILE[:KEY=VALUE,KEY=VALUE…]`.

The name is what reports call the source; keys choose a part of the file, or say how to read it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from rankscope.errors import BadParameter

_KEY = r"[^\W\d][\w. -]*"
_OPTIONS = re.compile(rf"(?P<file>.+):(?P<options>{_KEY}=.*)", re.DOTALL)
_NEXT = re.compile(rf",(?={_KEY}=)")


class Source(NamedTuple):
    """A file, folder or pattern, the name given to it, if any, and what was said of how to read it."""

    path: str
    name: str | None
    options: dict[str, str]

    def files(self) -> list[str]:
        """All files of a comma list of files, folders and patterns."""
        from rankscope.files.sources import find_files, is_there

        parts = [self.path] if is_there(self.path) else self.path.split(",")
        if not all(part.strip() for part in parts):
            raise BadParameter(
                f"{self.path!r}: there is nothing before or after a comma; give files with commas between"
            )
        return [str(path) for part in parts for path in find_files(part.strip()).paths]

    def refuse_options(self, known: Collection[str] = ()) -> None:
        """Raise `BadParameter` for a key that is not one of these."""
        for key in self.options:
            if key not in known:
                there = f"there are {', '.join(known)}" if known else "nothing can be said here"
                raise BadParameter(f"{self.path}: no key {key!r} after the colon; {there}")


def parse_source(word: str) -> Source:
    """The parts of a source; a file that exists may have signs of this grammar in its own name.

    >>> parse_source("human=labels.csv:rater=expert*,rel=2")
    Source(path='labels.csv', name='human', options={'rater': 'expert*', 'rel': '2'})
    >>> parse_source("labels.csv")
    Source(path='labels.csv', name=None, options={})
    """
    from rankscope.files.sources import is_there

    if is_there(word):
        return Source(word, None, {})
    name, equals, path = word.partition("=")
    if path and is_there(path):
        return Source(path, name, {})
    options: dict[str, str] = {}
    match = _OPTIONS.fullmatch(word)
    if match is not None:
        word = match["file"]
        for part in _NEXT.split(match["options"]):
            key, _, value = part.partition("=")
            if key.strip() in options:
                raise BadParameter(f"{word}: {key.strip()!r} is given twice after the colon; give it once")
            options[key.strip()] = value.strip()
    name, equals, path = word.partition("=")
    if not equals or is_there(word):
        return Source(word, None, options)
    return Source(path, name, options)
