"""Progress on standard error: a bar on a terminal, a plain line every few seconds elsewhere, or nothing."""

from __future__ import annotations

import contextlib
import logging
import sys
import time
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ragcli.cli.invocation import Invocation
from ragcli.cli.output import Output

if TYPE_CHECKING:
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


# What stages and libraries log, on standard error: warnings always, more with ``-v`` and ``-vv``.

_LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)


def show_logs(output: Output) -> None:
    """Send log records to ``output``: ragcli's own from WARNING (INFO with ``-v``, DEBUG with ``-vv``), those of
    libraries from WARNING. Python's own warnings are for developers and show with ``-vv`` alone."""
    root = logging.getLogger()
    for old in [handler for handler in root.handlers if isinstance(handler, _ToOutput)]:
        root.removeHandler(old)
    root.addHandler(_ToOutput(output))
    logging.getLogger("ragcli").setLevel(_LEVELS[min(output.verbosity, len(_LEVELS) - 1)])
    if output.verbosity < len(_LEVELS) - 1:
        warnings.simplefilter("ignore")
    else:
        logging.captureWarnings(True)


class _ToOutput(logging.Handler):
    def __init__(self, output: Output) -> None:
        super().__init__()
        self._output = output

    def emit(self, record: logging.LogRecord) -> None:
        """A warning as one, anything less as a detail."""
        message = record.getMessage()
        if record.levelno >= logging.WARNING:
            self._output.warning(message)
        else:
            self._output.detail(message)
