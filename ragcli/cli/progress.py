"""Progress on standard error: a bar on a terminal, a plain line every few seconds elsewhere, or nothing."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import Any

from ragcli.cli.invocation import Invocation
from ragcli.interfaces import Progress

_SECONDS_BETWEEN_LINES = 5.0


@contextlib.contextmanager
def progress(run: Invocation) -> Iterator[Progress | None]:
    """What a pipeline reports to, for the length of the block; None under ``--quiet`` and ``--no-progress``."""
    if not run.progress:
        yield None
    elif sys.stderr.isatty() and run.output.color != "never":
        with _bars() as report:
            yield report
    else:
        yield _Lines(run)


class _Lines:
    """Plain lines, so that a log file stays readable."""

    def __init__(self, run: Invocation) -> None:
        self._run = run
        self._next = time.monotonic() + _SECONDS_BETWEEN_LINES

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _SECONDS_BETWEEN_LINES
            self._run.output.notice(f"{stage}: {done} of {total}" if total else f"{stage}: {done}")


@contextlib.contextmanager
def _bars() -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns: list[Any] = [TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn()]
    with Bars(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def report(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total or None)
            bars.update(tasks[stage], completed=done, total=total or None)

        yield report
