"""Measures how long each stage of one search takes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Stopwatch:
    """``milliseconds`` by stage, in the order the stages first ended."""

    def __init__(self) -> None:
        self.milliseconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Adds the time spent inside to the stage's."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.milliseconds[name] = self.milliseconds.get(name, 0.0) + (time.perf_counter() - start) * 1000
