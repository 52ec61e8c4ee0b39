"""A secret of the user, kept in a folder of their own: what is signed with it was written by the same user."""

from __future__ import annotations

import secrets
from pathlib import Path

from rankscope.errors import UnwritableOutput
from rankscope.files.atomic import write_bytes
from rankscope.folders import is_own, make_own, own_folders

_NAME = "secret"
_SIZE = 32


def user_secret() -> bytes | None:
    """The user's secret, made on first need; None where the user has no folder to keep it in."""
    folders = own_folders()
    for folder in folders:
        if (known := _kept(folder)) is not None:
            return known
    for folder in folders:
        try:
            make_own(folder)
            write_bytes(folder / _NAME, secrets.token_bytes(_SIZE))
        except (OSError, UnwritableOutput):
            continue
        return _kept(folder)  # another process may have written its own in the meantime
    return None


def _kept(folder: Path) -> bytes | None:
    try:
        secret = (folder / _NAME).read_bytes() if is_own(folder) else b""
    except OSError:
        return None
    return secret if len(secret) == _SIZE else None
