"""The command tree: ``rag`` with its global options, and each command in a module that is read when it is called."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from ragcli.cli.invocation import Invocation, epilog
from ragcli.cli.output import Color, Output
from ragcli.cli.progress import show_logs
from ragcli.errors import ExitCode

_MODULES = {
    **{"init": "init", "ingest": "ingest", "chunk": "chunk", "index": "index"},
    **{"search": "search", "ask": "ask", "session": "session", "tables": "tables", "sql": "sql"},
    **{"eval": "eval", "explain": "explain", "golden": "golden", "tune": "tune"},
    **{"inspect": "inspect", "versions": "versions", "forget": "forget"},
    **{"log": "log", "stats": "log", "feedback": "log", "config": "config", "doctor": "doctor"},
}
"""The commands in the order of ``rag --help``, each with its module in ``cli.commands``."""

app = typer.Typer(
    name="rag",
    rich_markup_mode=None,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    epilog=epilog(
        "rag ingest docs/",
        'rag ask "How many remote days per week can I take?"',
        codes=tuple(ExitCode),
        globals_too=False,
    ),
)


@app.callback()
def rag(
    context: typer.Context,
    config: Annotated[
        Path | None, typer.Option(help="Settings file [default: RAG_CONFIG, else the nearest rag.yaml upward].")
    ] = None,
    index: Annotated[Path | None, typer.Option(help="Index folder [default: RAG_INDEX, else index.path].")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON value, errors included.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress and no notices.")] = False,
    verbose: Annotated[int, typer.Option("-v", count=True, help="Say more; -vv says most.")] = 0,
    color: Annotated[Color, typer.Option(help="Colours and links: on a terminal, always or never.")] = "auto",
    no_progress: Annotated[bool, typer.Option("--no-progress", help="No progress.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Answer questions from your own documents, with citations that code has checked."""
    output = Output(json=json, quiet=quiet, verbosity=verbose, color=color)
    show_logs(output)
    context.obj = Invocation(output, config, index, progress=not (no_progress or quiet), debug=debug)


class _Commands(Mapping[str, Any]):
    """The commands by name. A command's module and its options cost time, so each is built when it is asked for."""

    def __init__(self) -> None:
        self._built: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            part = typer.Typer(rich_markup_mode=None)
            importlib.import_module(f"ragcli.cli.commands.{_MODULES[name]}").register(part)
            self._built.update(typer.main.get_group(part).commands)
        return self._built[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


def command_tree() -> Any:
    """``rag`` as the parser knows it: the global options, and every command under its name."""
    root: Any = typer.main.get_command(app)
    root.commands = _Commands()
    return root
