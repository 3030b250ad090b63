"""``rag forget``: erase documents from the current and all kept versions, caches, traces and conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ragcli.cli.invocation import epilog, invocation
from ragcli.cli.retrieval_options import Wait
from ragcli.codec import encode
from ragcli.display import one_line
from ragcli.errors import ExitCode

if TYPE_CHECKING:
    from ragcli.records import Forgotten


def register(app: typer.Typer) -> None:
    """Add the command."""
    examples = ("rag forget hr/old-policy.md", "rag forget 'customers/**' --wait 60 --json")
    codes = (ExitCode.GATE, ExitCode.INDEX, ExitCode.LOCKED)
    app.command("forget", epilog=epilog(*examples, codes=codes))(forget)


def forget(
    context: typer.Context,
    sources: Annotated[
        list[str], typer.Argument(metavar="SOURCE...", help="Documents by id, source or glob; a root by its path.")
    ],
    wait: Wait = 0,
) -> None:
    """Erase documents everywhere, and prove it by searching the folder for their text; exit 1 when some is left."""
    run = invocation(context)
    found = run.index_with().forget(sources, wait_seconds=wait)
    run.output.result({"schema": "rag.forget/1", **encode(found)}, lambda: _text(found))
    run.output.notice("the files themselves were not touched: the next ingest reads what is still there")
    for copy in found.copies:
        run.output.notice(f"{copy} had the same text and was not named: the next ingest reads it again")
    for doc_id in found.kept_by:
        run.output.notice(f"{doc_id} was not named and says some of the same")
    if found.still_found:
        raise typer.Exit(ExitCode.GATE)


def _text(found: Forgotten) -> str:
    lines = [f"- {one_line(doc_id)}" for doc_id in found.doc_ids]
    versions = ", ".join(found.versions) or "none"
    lines += [f"forgotten in versions: {versions}", f"{found.files_searched} files searched for their text"]
    lines += [f"still found in {one_line(name)}" for name in found.still_found] or ["found nowhere"]
    return "\n".join(lines)
