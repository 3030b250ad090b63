"""``rag inspect``: what the parser produced and how it was chunked, as the model will read it."""

from __future__ import annotations

from typing import Annotated

import typer

from ragcli.cli.invocation import epilog, invocation
from ragcli.cli.retrieval_options import At, Groups
from ragcli.errors import ExitCode


def register(app: typer.Typer) -> None:
    """Add the command."""
    examples = ("rag inspect docs/report.pdf --page 4", "rag inspect hr/remote-policy.md#2 --json")
    codes = (ExitCode.NOT_FOUND, ExitCode.INDEX)
    app.command("inspect", epilog=epilog(*examples, codes=codes))(inspect)


def inspect(
    context: typer.Context,
    target: Annotated[
        str, typer.Argument(metavar="FILE|DOC_ID|CHUNK_ID", help="A file on disk or an id in the index.")
    ],
    page: Annotated[int | None, typer.Option(min=1, help="One page only.")] = None,
    groups: Groups = None,
    at: At = None,
) -> None:
    """Show a document's text, blocks and chunks side by side."""
    from ragcli.cli.views import layout

    run = invocation(context)
    shown = run.index_with(at=at).inspect(target, groups=groups)
    if page is not None:
        shown = [item.only_page(page) for item in shown]
    values = [item.to_json() for item in shown]
    value = values[0] if len(values) == 1 else {"schema": "rag.documents/1", "documents": values}
    text = "\n\n".join(layout.text(item.document, item.chunks, run.output) for item in shown)
    run.output.result(value, text)
