"""Folders that only this user can write to, so that their content can be trusted."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from pathlib import Path


def own_folders() -> list[Path]:
    """The user's folders: the one for caches, then the one among temporary files."""
    return [folder for folder in (cache_folder(), temporary_folder()) if folder is not None]


def cache_folder() -> Path | None:
    """The platform's folder for caches; None where the user has no home."""
    if sys.platform == "win32":
        named, usual = "LOCALAPPDATA", Path("~", "AppData", "Local")
    elif sys.platform == "darwin":
        named, usual = "XDG_CACHE_HOME", Path("~", "Library", "Caches")
    else:
        named, usual = "XDG_CACHE_HOME", Path("~", ".cache")
    chosen = Path(os.environ.get(named, ""))
    home = chosen if chosen.is_absolute() else Path(os.path.expanduser(usual))  # noqa: PTH111  Path.expanduser raises
    return home / "rankscope" if home.is_absolute() else None


def temporary_folder() -> Path | None:
    """The folder among temporary files; None where the system has no place for them."""
    try:
        place = Path(tempfile.gettempdir())
    except FileNotFoundError:
        return None
    return place / (f"rankscope-{os.getuid()}" if hasattr(os, "getuid") else "rankscope")


def is_own(folder: Path) -> bool:
    """Whether a folder exists, belongs to this user, and nobody else may write to it."""
    try:
        status = folder.lstat()
    except OSError:
        return False
    if not hasattr(os, "getuid"):
        return stat.S_ISDIR(status.st_mode)  # Windows gives every user a profile that others cannot write to
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o022


def make_own(folder: Path) -> None:
    """Make a folder that only this user can read and write; an OSError if it is there and not this user's."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not is_own(folder):
        raise PermissionError(f"{folder} belongs to another user, or others may write to it")
