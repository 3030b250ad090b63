"""Log records reach standard error by their level."""

from __future__ import annotations

import logging
import warnings

import pytest

from ragcli.cli.output import Output
from ragcli.cli.progress import show_logs


@pytest.mark.parametrize(("verbosity", "shown"), [(0, "W"), (1, "WI"), (2, "WID")])
def test_levels(verbosity: int, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    kept = logging.root.handlers[:]
    try:
        with warnings.catch_warnings():
            show_logs(Output(verbosity=verbosity))
            show_logs(Output(verbosity=verbosity))
            log = logging.getLogger("ragcli.some.stage")
            log.warning("W \x1b[2J%s", "!")
            log.info("I")
            log.debug("D")
            logging.getLogger("library").info("never")
    finally:
        logging.root.handlers[:] = kept
        logging.captureWarnings(False)
        logging.getLogger("ragcli").setLevel(logging.NOTSET)
    printed = capsys.readouterr()
    lines = {"W": "warning: W \\x1b[2J!", "I": "I", "D": "D"}
    assert printed.err.splitlines() == [lines[letter] for letter in shown]
    assert printed.out == ""
