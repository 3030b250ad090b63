"""``rag index``: embed, build BM25 and HNSW, verify, and publish a version."""

from __future__ import annotations

from typing import Any

import typer

from ragcli import wiring
from ragcli.cli.invocation import epilog, invocation
from ragcli.cli.progress import progress
from ragcli.cli.retrieval_options import Rebuild, Wait
from ragcli.cli.views import coverage
from ragcli.errors import ExitCode


def register(app: typer.Typer) -> None:
    """Add the command."""
    codes = (ExitCode.MODEL, ExitCode.INDEX, ExitCode.LOCKED)
    app.command("index", epilog=epilog("rag index", "rag index --rebuild --wait 60", codes=codes))(index)


def index(context: typer.Context, rebuild: Rebuild = False, wait: Wait = 0) -> None:
    """Publish what is ingested as a version."""
    run = invocation(context)
    config = run.config()
    with wiring.existing_folder(config).writer(wait) as writer, progress(run) as show:
        built = wiring.build(config, writer, rebuild=rebuild, progress=show)
    run.output.result(_content(built), lambda: "\n".join(coverage.built_lines(built)))
    for notice in built.notices:
        run.output.notice(notice)


def _content(built: wiring.Built) -> dict[str, Any]:
    return {
        "schema": "rag.index/1",
        "index_version": built.index_version,
        "documents": built.documents,
        "chunks": built.chunks,
        "truncated_chunks": built.truncated_chunks,
        "recall_at_10": built.recall_at_10,
        "seconds": built.seconds,
    }
