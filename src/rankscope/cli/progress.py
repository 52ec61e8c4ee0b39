"""How far a long study is, on stderr: a live line for a person, a line a minute for a log."""

from __future__ import annotations

import sys
import time

import click

from rankscope.cli.interrupts import check

# Seconds of silence that a person bears, between changes of the live line, and between lines of a log.
_PATIENCE, _TICK, _LOG = 2.0, 0.2, 60.0


class Progress:
    """Called with the parts done and all parts; says how many are done and how long the others will take.

    Parts that were done at the first call, by an earlier run, do not count for the pace.
    """

    def __init__(self, what: str, *, quiet: bool) -> None:
        self._what, self._quiet = what, quiet
        self._live = sys.stderr.isatty()
        self._started = time.monotonic()
        self._next = self._started + (_PATIENCE if self._live else _LOG)
        self._before: int | None = None
        self._wrote = False

    def __call__(self, done: int, total: int) -> None:
        """Tell, if it is time to; a place to stop, too, where an interrupt got lost."""
        check()
        if self._quiet:
            return
        if self._before is None:
            self._before = done
            if done:
                click.echo(f"{self._what}: {done} of {total} parts are there already", err=True)
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + (_TICK if self._live else _LOG)
        new = done - self._before
        left = "" if not new else f", {_span((now - self._started) / new * (total - done))} left"
        text = f"{self._what}: {done} of {total} parts{left}"
        click.echo(f"\r{text}\x1b[K" if self._live else text, err=True, nl=not self._live)
        self._wrote = self._live

    def close(self) -> None:
        """Leave a clean line."""
        if self._wrote:
            click.echo("\r\x1b[K", err=True, nl=False)


def _span(seconds: float) -> str:
    """A length of time as people say it.

    >>> _span(40), _span(400), _span(9000)
    ('40 s', '7 min', '2.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
