"""How far a command is, on stderr: a live line for a person at a terminal, a line per minute for a log."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType

import click

from rankscope.cli import streams
from rankscope.cli.interrupts import check

# Seconds before the live line appears, between its changes (of parts, of the clock), and between lines of a log.
_PATIENCE, _TICK, _CLOCK, _LOG = 2.0, 0.2, 0.5, 60.0
_CLEAR = "\r\x1b[K"


class Progress:
    """What a command is doing, and for how long; where the library counts parts, how many are done and the time left.

    As a context, it keeps a clock on the live line while there are no parts to count.
    """

    def __init__(self, step: str, *, quiet: bool) -> None:
        self._quiet, self._live = quiet, sys.stderr.isatty()
        self._began = time.monotonic()
        self._next = self._began + (_PATIENCE if self._live else _LOG)
        self._wrote = False
        self._ended = threading.Event()
        self._clock: threading.Thread | None = None
        self.begin(step)

    def begin(self, step: str) -> None:
        """Name the next step; raise KeyboardInterrupt if compiled code dropped one."""
        check()
        self._step = step
        self._started = time.monotonic()
        self._before: int | None = None

    def __call__(self, done: int, total: int) -> None:
        """Say how many parts are done; raise KeyboardInterrupt if compiled code dropped one.

        Parts that were done at the first call, by an earlier run, do not count for the pace.
        """
        check()
        if self._quiet:
            return
        if self._before is None:
            self._before = done
            if done:
                self.remark(f"{self._step}: {done} of {total} parts are there already")
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + (_TICK if self._live else _LOG)
        new = done - self._before
        left = "" if not new else f", {_span((now - self._started) / new * (total - done))} left"
        self._show(f"{self._step}: {done} of {total} parts{left}")

    def remark(self, text: str) -> None:
        """A line on stderr that stays."""
        self._clear()
        streams.remark(text)

    def close(self) -> None:
        """End the clock and leave a clean line."""
        self._ended.set()
        if self._clock is not None:
            self._clock.join()
        self._clear()

    def __enter__(self) -> Progress:
        if self._live and not self._quiet:
            self._clock = threading.Thread(target=self._tick, daemon=True)
            self._clock.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _tick(self) -> None:
        while not self._ended.wait(_CLOCK):
            seconds = time.monotonic() - self._began
            if seconds > _PATIENCE and self._before is None:
                self._show(f"{self._step} … {seconds:.0f} s")

    def _show(self, text: str) -> None:
        click.echo(f"\r{text}\x1b[K" if self._live else text, err=True, nl=not self._live)
        self._wrote = self._live

    def _clear(self) -> None:
        if self._wrote:
            click.echo(_CLEAR, err=True, nl=False)
            self._wrote = False


def _span(seconds: float) -> str:
    """A length of time as people say it.

    >>> _span(40), _span(400), _span(9000)
    ('40 s', '7 min', '2.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
