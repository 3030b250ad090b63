"""What stages and libraries log, on standard error: warnings always, more with ``-v`` and ``-vv``."""

from __future__ import annotations

import logging
import warnings

from ragcli.cli.output import Output

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
