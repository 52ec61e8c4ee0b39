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
import re
import sys
import tomllib
import urllib.parse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
    """A file of a set: where it goes, what it is made from (names and their addresses), how, and its content's hash.

    Where it is kept compressed, the hash is that of the uncompressed content.
    """

    to: str
    addresses: Mapping[str, str]
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
        addresses = {source: base + urllib.parse.quote(table["from"] + source) for source in sources}
        yield DataFile(to=f"{name}/{file['to']}", addresses=addresses, made=table.get("made"), sha256=file["sha256"])


def fetch(file: DataFile, folder: Path, *, downloader: Downloader | None = None) -> None:
    """Download a file's sources, make the file, check its hash, and put it in its place."""
    import pooch

    with TemporaryDirectory() as temporary:
        sources = {}
        for number, (name, address) in enumerate(file.addresses.items()):
            # An unchanged copy is checked as it arrives; what is made from several, once it is made.
            expected = f"sha256:{file.sha256}" if file.made is None else None
            kept = pooch.retrieve(
                address, expected, fname=str(number), path=temporary, downloader=downloader, progressbar=False
            )
            sources[name] = Path(kept).read_bytes()
        content = _MADE[file.made](sources) if file.made is not None else next(iter(sources.values()))
    if hashlib.sha256(content).hexdigest() != file.sha256:
        raise ValueError(f"{file.to}: what was downloaded differs from the file that datasets.toml describes")
    path = folder / file.to
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.part")
    partial.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
    partial.replace(path)


Sources = Mapping[str, bytes]


def battles(sources: Sources) -> bytes:
    """The battles of people and of three LLM judges side by side, one line per battle."""
    human, *judges = ([json.loads(line) for line in data.splitlines() if line.strip()] for data in sources.values())
    battle = ("num", "question_id", "model_a", "model_b")

    def rows() -> Iterator[list[Any]]:
        for same in zip(human, *judges, strict=True):
            (key,) = {tuple(row[name] for name in battle) for row in same}
            yield [*key, *(row["winner"] for row in same)]

    return _table([*battle, "winner_human", "winner_gpt4", "winner_claude3", "winner_gpt35"], rows())


def first_200_lines(sources: Sources) -> bytes:
    """The first 200 lines of a file, unchanged."""
    return _first(_only(sources), 200)


def first_500_lines_unpacked(sources: Sources) -> bytes:
    """The first 500 lines of a compressed file."""
    return _first(gzip.decompress(_only(sources)), 500)


def unpacked(sources: Sources) -> bytes:
    """The content of a compressed file, which is compressed anew here."""
    return gzip.decompress(_only(sources))


def unix_lines(sources: Sources) -> bytes:
    """A text file with the line ends of Unix."""
    return _only(sources).replace(b"\r\n", b"\n")


def trec_eval_scores(sources: Sources) -> bytes:
    """Four measures by system and topic, from ndcgeval/SYSTEM.ndcgeval and treceval/SYSTEM.treceval in turn."""
    wanted = {"ndcgeval": {"ndcg_cut_10"}, "treceval": {"map", "P_10", "recip_rank"}}

    def rows() -> Iterator[list[str]]:
        for name, data in sources.items():
            system, _, program = name.rpartition("/")[2].rpartition(".")
            for line in data.decode().splitlines():
                measure, topic, value = (word.strip() for word in line.split("\t"))
                if measure in wanted[program]:
                    yield [system, topic, measure, value]

    return _table(["system", "topic", "measure", "value"], rows())


def passage_runs(sources: Sources) -> bytes:
    """Group, type and task of the passage runs that a page of NIST's TREC browser describes, by name."""
    rows = []
    for part in re.split(r"^#### ", _only(sources).decode(), flags=re.MULTILINE)[1:]:
        told = {key: value.strip() for key, value in re.findall(r"\*\*(Participant|Type|Task):\*\*(.*)", part)}
        rows.append([part.splitlines()[0].strip(), told["Participant"], told["Type"], told["Task"]])
    return _table(["system", "group", "type", "task"], sorted(row for row in rows if row[3] == "passages"))


def preferences(sources: Sources) -> bytes:
    """An LLM judge's preferences from results/MODEL/JUDGE/annotations.json, by model and instruction."""
    rows = ([model, number, preference] for _, _, model, number, preference in _preferences(sources))
    return _table(["model", "instruction", "preference"], rows)


def preferences_of_judges(sources: Sources) -> bytes:
    """The same for several judges, each with its folder and with the name that the file gives it."""
    return _table(["judge", "annotator_field", "model", "instruction", "preference"], _preferences(sources))


def instructions(sources: Sources) -> bytes:
    """The dataset that each instruction is from, by its index."""
    return _table(["instruction", "dataset"], enumerate(row["dataset"] for row in json.loads(_only(sources))))


def _preferences(sources: Sources) -> Iterator[tuple[str, str, str, int, object]]:
    """Judge, its name in the file, model, instruction and preference, in the order of the files.

    An instruction is its index in the longest file; a file may lack some, but has the others in the same order.
    """
    files = {name: json.loads(data) for name, data in sources.items()}
    order = [row["instruction"] for row in max(files.values(), key=len)]
    for name, rows in files.items():
        _, model, judge, _ = name.split("/")
        number = -1
        for row in rows:
            number = order.index(row["instruction"], number + 1)
            yield judge, row["annotator"], model, number, row["preference"]


def _only(sources: Sources) -> bytes:
    (data,) = sources.values()
    return data


def _first(data: bytes, lines: int) -> bytes:
    return b"".join(data.splitlines(keepends=True)[:lines])


def _table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([header, *rows])
    return out.getvalue().encode()


_MADE: dict[str, Callable[[Sources], bytes]] = {
    function.__name__: function
    for function in (
        battles,
        first_200_lines,
        first_500_lines_unpacked,
        unpacked,
        unix_lines,
        trec_eval_scores,
        passage_runs,
        preferences,
        preferences_of_judges,
        instructions,
    )
}


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
