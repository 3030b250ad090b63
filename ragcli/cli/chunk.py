"""``rag chunk``: cut the ingested documents again under the present settings, without parsing them again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ragcli import wiring
from ragcli.cli.help import epilog
from ragcli.cli.invocation import invocation
from ragcli.cli.progress import progress
from ragcli.cli.writing_options import Wait
from ragcli.codec import encode
from ragcli.errors import ExitCode

if TYPE_CHECKING:
    from ragcli.pipelines.chunk import ChunkResult


def register(app: typer.Typer) -> None:
    """Add the command."""
    codes = (ExitCode.MODEL, ExitCode.INDEX, ExitCode.LOCKED)
    app.command("chunk", epilog=epilog("rag chunk", "RAG_CHUNK__MAX_TOKENS=120 rag chunk --json", codes=codes))(chunk)


def chunk(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="State calls, tokens and cost; change nothing.")] = False,
    wait: Wait = 0,
) -> None:
    """Cut the ingested documents again; rag index publishes the result."""
    run = invocation(context)
    config = run.config()
    with wiring.index_folder(config).writer(wait) as writer, progress(run) as show:
        found = wiring.chunk(config, writer, progress=show, dry_run=dry_run)
    run.output.result({"schema": "rag.chunk/1", **encode(found)}, lambda: _text(found))


def _text(found: ChunkResult) -> str:
    return str(found)
