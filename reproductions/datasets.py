"""Download the public collections that the data tests and the reproductions use: `make data`, or

    python -m reproductions.datasets FOLDER [SET ...]

datasets.toml names every file with its repository, commit and hash. A file that is there with the right content is not
downloaded again; one whose content differs from its hash is refused, and nothing half written is left behind.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import io
import json
import sys
import tomllib
import urllib.parse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

MANIFEST = Path(__file__).with_name("datasets.toml")
DEFAULT = Path("data")

# Fetches an address as a file: (address, file, caller), as pooch calls its downloaders.
Downloader = Callable[[str, str, Any], None]


@dataclass(frozen=True, kw_only=True)
class DataFile:
    """A file of a set: where it goes, the addresses it is made from, how, and the hash of its uncompressed content."""

    to: str
    addresses: tuple[str, ...]
    made: str | None
    sha256: str

    def is_in(self, folder: Path) -> bool:
        """Whether the folder has it, with the right content."""
        path = folder / self.to
        return path.is_file() and hashlib.sha256(_content(path)).hexdigest() == self.sha256


def sets(manifest: Path = MANIFEST) -> dict[str, list[DataFile]]:
    """The files of every set, by its name."""
    described = tomllib.loads(manifest.read_text(encoding="utf-8"))
    return {name: [file for table in tables for file in _files(name, table)] for name, tables in described.items()}


def _files(name: str, table: dict[str, Any]) -> Iterator[DataFile]:
    base = f"https://raw.githubusercontent.com/{table['repository']}/{table['commit']}/"
    for file in table["files"]:
        sources = [file["from"]] if isinstance(file["from"], str) else file["from"]
        addresses = tuple(base + urllib.parse.quote(table["from"] + source) for source in sources)
        yield DataFile(to=f"{name}/{file['to']}", addresses=addresses, made=table.get("made"), sha256=file["sha256"])


def fetch(file: DataFile, folder: Path, *, downloader: Downloader | None = None) -> None:
    """Download a file's sources, make the file, check its hash, and put it in its place."""
    import pooch

    with TemporaryDirectory() as temporary:
        sources = []
        for number, address in enumerate(file.addresses):
            # An unchanged copy is checked as it arrives; what is made from several, once it is made.
            expected = f"sha256:{file.sha256}" if file.made is None else None
            kept = pooch.retrieve(
                address, expected, fname=str(number), path=temporary, downloader=downloader, progressbar=False
            )
            sources.append(Path(kept).read_bytes())
        content = _MADE[file.made](sources) if file.made is not None else sources[0]
    if hashlib.sha256(content).hexdigest() != file.sha256:
        raise ValueError(f"{file.to}: what was downloaded differs from the file that datasets.toml describes")
    path = folder / file.to
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.part")
    partial.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
    partial.replace(path)


def battles(sources: Sequence[bytes]) -> bytes:
    """The battles of people and of three LLM judges side by side, one line per battle."""
    human, *judges = ([json.loads(line) for line in source.splitlines() if line.strip()] for source in sources)
    battle = ("num", "question_id", "model_a", "model_b")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*battle, "winner_human", "winner_gpt4", "winner_claude3", "winner_gpt35"])
    for rows in zip(human, *judges, strict=True):
        (key,) = {tuple(row[name] for name in battle) for row in rows}
        writer.writerow([*key, *(row["winner"] for row in rows)])
    return out.getvalue().encode()


def first_200_lines(sources: Sequence[bytes]) -> bytes:
    """The first 200 lines of a file, unchanged."""
    return b"".join(sources[0].splitlines(keepends=True)[:200])


_MADE: dict[str, Callable[[Sequence[bytes]], bytes]] = {"battles": battles, "first_200_lines": first_200_lines}


def _content(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def main(arguments: Sequence[str] | None = None) -> int:
    """Download the sets named, or all; the exit code is 1 where a file could not be had."""
    known = sets()
    parser = argparse.ArgumentParser(prog="python -m reproductions.datasets", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=DEFAULT, help="where the sets go (data)")
    parser.add_argument("names", nargs="*", metavar="SET", help=f"of {', '.join(known)}; all by default")
    given = parser.parse_args(arguments)
    if unknown := sorted(set(given.names) - set(known)):
        parser.error(f"there is no set {', '.join(unknown)}; there are {', '.join(known)}")
    failed = 0
    for name in given.names or known:
        missing = [file for file in known[name] if not file.is_in(given.folder)]
        print(f"{name}: {len(known[name])} files, {len(missing)} to download")
        for file in missing:
            try:
                fetch(file, given.folder)
            except (OSError, ValueError) as error:
                failed += 1
                print(f"{file.to}: {error}", file=sys.stderr)
    print(f"The data: {given.folder.resolve()} (set RANKSCOPE_DATA to it)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
