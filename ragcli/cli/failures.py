"""How an error ends the program: one message, as text or JSON, and its exit code; never a traceback unasked."""

from __future__ import annotations

import contextlib
import difflib
import sys
import traceback
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import typer

from ragcli.cli.output import Output
from ragcli.display import continued, printable
from ragcli.errors import ExitCode, RagError

if TYPE_CHECKING:
    from ragcli import Index

USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[1]
"""What the parser raises for a wrong command line."""

INTERRUPTED = "interrupted; the last published version still serves"
INTERRUPTED_FIRST = "interrupted; nothing is published yet, and the next rag ingest goes on where this one stopped"


@contextlib.contextmanager
def interruptible(index: Index) -> Iterator[None]:
    """An interrupt in the block does not speak of a published version where there is none."""
    try:
        yield
    except KeyboardInterrupt as error:
        if index.store.current() is None:
            raise KeyboardInterrupt(INTERRUPTED_FIRST) from error
        raise


def report(error: BaseException, output: Output, *, debug: bool, root: Any) -> ExitCode:
    """Print ``error`` and give the exit code; ``root`` is the command tree, for the nearest name of a typo."""
    if debug and not isinstance(error, USAGE_ERROR):
        traceback.print_exception(error, file=sys.stderr)
    if type(error).__name__ == "NoArgsIsHelpError" and not output.json:
        sys.stderr.write(str(error) + "\n")
        return ExitCode.USAGE
    code, category, message, hint = describe(error, root)
    if output.json:
        content = {"code": int(code), "category": category, "message": message, "hint": hint}
        output.result({"error": content}, "")
    else:
        lines = [f"error: {message}"] + ([f"hint: {hint}"] if hint else [])
        sys.stderr.write("".join(continued(printable(line)) + "\n" for line in lines))
    return code


def describe(error: BaseException, root: Any) -> tuple[ExitCode, str, str, str]:
    """``(exit code, category, message, hint)`` of any exception."""
    if isinstance(error, RagError):
        return error.exit_code, error.category, error.message, error.hint
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        return ExitCode.INTERRUPTED, "interrupted", str(error) or INTERRUPTED, ""
    if isinstance(error, USAGE_ERROR):
        message, hint = _usage(error, root)
        return ExitCode.USAGE, "usage", message, hint
    where = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    hint = "this is a defect of ragcli: run again with --debug and report the traceback"
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.strerror}: {error.filename}" if error.filename else error.strerror
        hint = "run again with --debug for the place where it happened"
    return ExitCode.INTERNAL, "internal", where, hint


def _usage(error: Any, root: Any) -> tuple[str, str]:
    context = error.ctx
    path = context.command_path if context is not None else "rag"
    if type(error).__name__ == "NoArgsIsHelpError":
        return "missing command", f"{path} --help lists them"
    message = " ".join(error.format_message().split())
    option = getattr(error, "option_name", None)
    if option is not None and message.startswith("No such option"):
        message = f"no such option: {option}" + _nearest(option, _option_names(context, root))
    elif message.startswith("No such command") and "Did you mean" not in message and context is not None:
        name = message.partition("'")[2].partition("'")[0]
        message = message.rstrip(".") + _nearest(name, getattr(context.command, "commands", {}), 0.4)
    return message, f"{path} --help lists what it takes"


def _option_names(context: Any, root: Any) -> list[str]:
    nodes = [root] if context is None else [context.command, root]
    return [name for node in nodes for item in node.params for name in item.opts if name.startswith("-")]


def _nearest(name: str, known: Iterable[str], cutoff: float = 0.5) -> str:
    close = difflib.get_close_matches(name, sorted(known), n=1, cutoff=cutoff)
    return f"; did you mean {close[0]}?" if close else ""
