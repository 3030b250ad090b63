"""The command tree: ``rag`` with its global options and one command per module."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ragcli.cli.commands import (
    ask,
    chunk,
    config,
    doctor,
    eval,
    explain,
    forget,
    golden,
    index,
    ingest,
    init,
    inspect,
    log,
    search,
    session,
    tune,
    versions,
)
from ragcli.cli.invocation import Invocation, epilog
from ragcli.cli.output import Color, Output
from ragcli.cli.progress import show_logs
from ragcli.errors import ExitCode

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


_IN_ORDER = (
    *(init, ingest, chunk, index, search, ask, session, eval, explain, golden, tune),
    *(inspect, versions, forget, log, config, doctor),
)
for _module in _IN_ORDER:
    _module.register(app)
