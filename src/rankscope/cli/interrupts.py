"""Ctrl-C while compiled code runs: it comes back as a SystemError, or is dropped where C calls back into Python."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_PRESSED = threading.Event()


def listen() -> None:
    """Remember from now on whether Ctrl-C was pressed, unless another handler is set."""
    here = threading.current_thread() is threading.main_thread()
    if here and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)


def check() -> None:
    """Raise `KeyboardInterrupt` if Ctrl-C was pressed and compiled code dropped it."""
    if _PRESSED.is_set():
        raise KeyboardInterrupt


@contextmanager
def interruptible() -> Iterator[None]:
    """Turn an interrupt that compiled code made a SystemError back into a `KeyboardInterrupt`."""
    try:
        yield
    except SystemError as error:
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, KeyboardInterrupt):
            cause = cause.__cause__ or cause.__context__
        if cause is None and not _PRESSED.is_set():
            raise
        raise KeyboardInterrupt from error


def _interrupt(number: int, frame: Any) -> None:
    _PRESSED.set()
    signal.default_int_handler(number, frame)
