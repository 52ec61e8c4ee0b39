"""Runs docs/notebooks/tutorial.ipynb anew and stores it with its output; `make notebooks` calls this.

    .venv/bin/python docs/notebooks/run.py             # run it and write it
    .venv/bin/python docs/notebooks/run.py --check     # run it, write nothing, tell what reads differently now

To change the tutorial, edit it in Jupyter (or by hand), then run this. What changes from run to run without meaning is
not stored: times, versions, the state of widgets. Cells keep their ids.
"""

from __future__ import annotations

import argparse
import base64
import difflib
import os
import re
import struct
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Both are read when Jupyter is first imported: its folders as the platform has them, the kernel of this environment.
os.environ.setdefault("JUPYTER_PLATFORM_DIRS", "1")
os.environ.setdefault("JUPYTER_PREFER_ENV_PATH", "1")

import nbformat

NOTEBOOK = Path(__file__).with_name("tutorial.ipynb")
_SECONDS = 120  # for one cell, on a slow machine and with kernels still to compile
_METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
_PICTURE = "image/png"
_KINDS = (_PICTURE, "text/html", "text/plain")  # of what a cell shows, the richest first


def main() -> int:
    """Run the notebook, then write it or tell what differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if text differs from what is stored")
    chosen = parser.parse_args()
    stored = read(NOTEBOOK)
    fresh = normalised(executed(stored))
    if chosen.check:
        found = differences(stored, fresh)
        print("\n".join(found) if found else f"{NOTEBOOK.name}: every cell runs and says what is stored")
        return 1 if found else 0
    from rankscope.files.atomic import write_text

    write_text(NOTEBOOK, nbformat.writes(fresh) + "\n")
    print(f"{NOTEBOOK}: {NOTEBOOK.stat().st_size:,} bytes")
    return 0


def read(path: Path) -> Any:
    """The notebook of this file, checked."""
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    return notebook


def executed(notebook: Any) -> Any:
    """A copy, run from the top in a fresh kernel and an empty folder; a cell that fails, or warns, raises."""
    from nbclient import NotebookClient

    copy = nbformat.from_dict(notebook)
    with tempfile.TemporaryDirectory(prefix="rankscope-notebook-") as folder:
        client = NotebookClient(
            copy,
            timeout=_SECONDS,
            kernel_name="python3",
            record_timing=False,
            extra_arguments=["--log-level=ERROR"],
            resources={"metadata": {"path": folder}},
        )
        # Nobody's start-up files, colours or renderers have a say in what is stored.
        apart = {"IPYTHONDIR": str(Path(folder, ".ipython")), "NO_COLOR": "1"}
        client.execute(env={**os.environ, **apart})
    for cell in code_cells(copy):
        said = [output["text"] for output in cell.outputs if output.get("name") == "stderr"]
        if said:
            raise SystemExit(f"cell {cell.id!r} writes to stderr: {''.join(said)}")
    return copy


def normalised(notebook: Any) -> Any:
    """A copy without what changes from run to run, pictures described by their cell's `alt`."""
    copy = nbformat.from_dict(notebook)
    copy.metadata = nbformat.from_dict(_METADATA)
    for count, cell in enumerate(code_cells(copy), 1):
        cell.execution_count = count
        cell.outputs = _joined(cell.outputs)
        for output in cell.outputs:
            if "execution_count" in output:
                output["execution_count"] = count
            if _PICTURE in output.get("data", {}):
                sizes = output["metadata"].setdefault(_PICTURE, nbformat.from_dict({}))
                sizes["alt"] = cell.metadata.get("alt", "")
                output["data"][_PICTURE] = _smaller(output["data"][_PICTURE])
    for cell in copy.cells:
        kept = {key: cell.metadata[key] for key in ("alt", "tags") if key in cell.metadata}
        cell.metadata = nbformat.from_dict(kept)
    nbformat.validate(copy)
    return copy


def _joined(outputs: list[Any]) -> list[Any]:
    """Outputs, what was printed at one go in one piece: how it comes in pieces is a matter of time."""
    joined: list[Any] = []
    for output in outputs:
        before = joined[-1] if joined else {}
        if "stream" == output.output_type == before.get("output_type") and output["name"] == before["name"]:
            before["text"] += output["text"]
        else:
            joined.append(output)
    return joined


def _smaller(picture: str) -> str:
    """A PNG's pixels packed as tightly as zlib can, a quarter of what the renderer writes; the pixels stay."""
    raw = base64.b64decode(picture)
    head, chunks, at = raw[:8], [], 8
    while at < len(raw):
        (size,) = struct.unpack(">I", raw[at : at + 4])
        chunks.append((raw[at + 4 : at + 8], raw[at + 8 : at + 8 + size]))
        at += 12 + size
    pixels = b"".join(data for kind, data in chunks if kind == b"IDAT")
    packed = zlib.compress(zlib.decompress(pixels), 9)
    if len(packed) > 0.9 * len(pixels):  # packed before, perhaps by another version of zlib: no reason for a change
        return picture
    before = [chunk for chunk in chunks if chunk[0] not in (b"IDAT", b"IEND")]
    body = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in [*before, (b"IDAT", packed), (b"IEND", b"")]
    )
    return base64.b64encode(head + body).decode()


def differences(stored: Any, fresh: Any) -> list[str]:
    """What reads differently, as lines of a diff for each cell; pictures are not compared."""
    found: list[str] = []
    for before, after in zip(code_cells(stored), code_cells(fresh), strict=True):
        old, new = text(before).splitlines(), text(after).splitlines()
        found += difflib.unified_diff(old, new, f"stored {before.id}", f"now {after.id}", lineterm="")
    return found


def text(cell: Any) -> str:
    """All that a code cell's output says, and which pictures it shows."""
    said = "\n".join(line for output in cell.outputs for line in _said(output))
    return re.sub(r"<style>.*?</style>|data:image[^\"]*", "", said, flags=re.DOTALL).replace("</tr>", "</tr>\n")


def _said(output: Any) -> Iterator[str]:
    if output.output_type == "stream":
        yield output["text"]
    elif output.output_type == "error":
        yield f"{output['ename']}: {output['evalue']}"
    else:
        # The richest form that is text: the plain one of a result has all digits, and the last ones are the machine's.
        data = output["data"]
        yield next(data[kind] if kind != _PICTURE else kind for kind in _KINDS if kind in data)


def code_cells(notebook: Any) -> list[Any]:
    """The cells with code, in order."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


if __name__ == "__main__":
    sys.exit(main())
