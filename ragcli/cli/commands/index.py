"""``rag index``: embed, build BM25 and HNSW, verify, and publish a version."""

from __future__ import annotations

import typer

from ragcli.cli.failures import interruptible
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
    target = run.index_with()
    with interruptible(target), progress(run) as show:
        built = target.build(rebuild=rebuild, wait_seconds=wait, progress=show)
    run.output.result(built.to_json(), lambda: "\n".join(coverage.built_lines(built)))
    for notice in built.notices:
        run.output.notice(notice)
