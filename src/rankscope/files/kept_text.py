"""Text that takes long to make and depends on its name alone, kept in a folder of the user's own."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from rankscope.errors import UnwritableOutput
from rankscope.files.atomic import write_bytes
from rankscope.folders import is_own, make_own, own_folders

_DIGEST = 64


def kept_text(name: str, make: Callable[[], str]) -> str:
    """What is kept under this name, intact and in a folder of this user; otherwise what `make` makes, which is kept.

    Where nothing can be written, it is made every time.
    """
    folders = own_folders()
    for folder in folders:
        try:
            data = (folder / name).read_bytes() if is_own(folder) else b""
        except OSError:
            continue
        if len(data) > _DIGEST and hashlib.sha256(data[_DIGEST:]).hexdigest().encode() == data[:_DIGEST]:
            return data[_DIGEST:].decode()
    text = make()
    data = text.encode()
    for folder in folders:
        try:
            make_own(folder)
            write_bytes(folder / name, hashlib.sha256(data).hexdigest().encode() + data)
        except (OSError, UnwritableOutput):
            continue
        break
    return text
