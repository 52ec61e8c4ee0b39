"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rankscope.errors import UnwritableOutput
from rankscope.files.overwriting import check_output


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place on success and is removed on failure.

    Whoever reads `path` meanwhile sees the old content or the new one, never half of it. A device or a pipe
    (`/dev/stdout`) cannot be replaced and is written to directly.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder, "scores.csv")) as temporary:
    ...         _ = temporary.write_text("0.1,0.2")
    ...     Path(folder, "scores.csv").read_text()
    '0.1,0.2'
    """
    target = Path(path)
    check_output(target)
    # Looked at once: another process may remove the file at any time.
    mode = stat.S_IFREG
    with _refusing(path), suppress(FileNotFoundError):
        mode = target.stat().st_mode
    if stat.S_ISDIR(mode):
        raise UnwritableOutput(path, "this is a folder; give the name of a file")
    if not stat.S_ISREG(mode):
        with _refusing(path):
            yield target
        return
    # A link stays a link: what it points to is replaced.
    final = Path(os.path.realpath(target))
    temporary = final.with_name(f".rankscope-{secrets.token_hex(6)}.partial")
    with _refusing(path):
        # Opened by name rather than with mkstemp, so that the file gets the permissions the user's umask gives.
        temporary.open("xb").close()
        try:
            yield temporary
            with suppress(FileNotFoundError):
                shutil.copymode(final, temporary)
            temporary.replace(final)
        finally:
            temporary.unlink(missing_ok=True)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    r"""Write `text` to `path` as UTF-8, whole or not at all; a byte of a name that is not a character as `\udcff`."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write `data` to `path`, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_bytes(data)


@contextmanager
def _refusing(path: str | os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        folder = Path(path).parent
        if isinstance(error, FileNotFoundError) and not folder.exists():
            problem = f"there is no folder {os.fspath(folder)!r}; make it, or choose another place for the output"
            raise UnwritableOutput(path, problem) from error
        reason = error.strerror or str(error)
        raise UnwritableOutput(path, f"cannot be written ({reason}); choose another place for the output") from error
