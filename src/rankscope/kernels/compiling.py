"""Who is told that kernels have to be compiled: it takes seconds, and once only, so a waiting person should know."""

from __future__ import annotations

from collections.abc import Callable

# Called without arguments before a kernel is compiled; threads may call at once.
listeners: list[Callable[[], None]] = []
