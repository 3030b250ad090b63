"""The program: global options, one catch for every error, signals, and a quiet end for a closed pipe."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any

import typer

from ragcli import __version__, telemetry
from ragcli.cli import failures
from ragcli.cli.app import command_tree
from ragcli.cli.arguments import hoisted
from ragcli.cli.output import Output, protect_streams
from ragcli.errors import ExitCode


def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``rag`` with ``arguments`` (those of the process without them) and give its exit code."""
    protect_streams()
    telemetry.switch_off()
    root = command_tree()
    if "_RAG_COMPLETE" in os.environ:
        root.main(prog_name="rag")
    given = sys.argv[1:] if arguments is None else arguments
    front: list[str] = [token for token in given if token in ("--json", "--debug")]  # until all are known
    output = Output(json="--json" in front)
    _interrupt_on_termination()
    try:
        front, rest = hoisted(given, root)
        output = Output(json="--json" in front)
        code = _run(root, [*front, *rest]) if "--version" not in front else _version(output)
        sys.stdout.flush()
    except BaseException as error:  # the one catch: whatever happens below ends here, as a message
        code = _ended(error, output, debug="--debug" in front, root=root)
    return code


def _version(output: Output) -> int:
    output.result({"schema": "rag.version/1", "version": __version__}, f"rag {__version__}")
    return ExitCode.OK


def _run(root: Any, arguments: list[str]) -> int:
    try:
        with root.make_context("rag", arguments) as context:
            root.invoke(context)
    except typer.Exit as ended:
        return ended.exit_code
    return ExitCode.OK


def _ended(error: BaseException, output: Output, *, debug: bool, root: Any) -> int:
    if isinstance(error, SystemExit | GeneratorExit):
        raise error
    if isinstance(error, BrokenPipeError) and _reader_has_gone():
        return ExitCode.OK
    try:
        code = failures.report(error, output, debug=debug, root=root)
        sys.stdout.flush()
    except OSError:  # the message itself cannot be written, or what stands before it
        _discard_output()
        return failures.describe(error, root)[0]
    return code


def _reader_has_gone() -> bool:
    """Whether nobody reads standard output any more; if so what is left to write goes nowhere.

    A pipe to one of our own processes may break as well: that is an error like any other.
    """
    descriptor = sys.stdout.fileno()
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(descriptor, select.POLLOUT)
        if not any(event & select.POLLERR for _, event in poll.poll(0)):
            return False
    _discard_output()
    return True


def _discard_output() -> None:
    """What is left to write goes nowhere, so that the end of the process does not fail on it a second time."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _interrupt_on_termination() -> None:
    """SIGTERM ends the process as Ctrl-C does; a forked child dies of it as usual."""
    owner = os.getpid()

    def interrupt(number: int, frame: FrameType | None) -> None:
        if os.getpid() == owner:
            raise KeyboardInterrupt
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    signal.signal(signal.SIGTERM, interrupt)
