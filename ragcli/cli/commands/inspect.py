"""``rag inspect``: what the parser produced and how it was chunked, as the model will read it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragcli import wiring
from ragcli.cli.invocation import epilog, invocation
from ragcli.cli.retrieval_options import At, Groups, RetrievalOptions
from ragcli.config import Config
from ragcli.errors import ConfigError, ExitCode, NotFound, SourceError

if TYPE_CHECKING:
    from ragcli.records import Chunk, Document


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
    config = run.config()
    if Path(target).is_file():
        shown = _parsed(Path(target), config)
    else:
        options = RetrievalOptions(groups=groups, at=at, include_superseded=True)
        shown = [_indexed(target, wiring.Stages(config, at=at), options)]
    if page is not None:
        shown = [layout.only_page(document, chunks, page) for document, chunks in shown]
    values = [layout.content(document, chunks) for document, chunks in shown]
    value = values[0] if len(values) == 1 else {"schema": "rag.documents/1", "documents": values}
    text = "\n\n".join(layout.text(document, chunks, run.output) for document, chunks in shown)
    run.output.result(value, text)


def _parsed(path: Path, config: Config) -> list[tuple[Document, tuple[Chunk, ...]]]:
    """A file as an ingest would read and cut it now. Raises SourceError when nothing of it can be read."""
    documents, reports = wiring.parse_file(path, config)
    if not documents:
        reasons = "; ".join(report.skipped for report in reports if report.skipped) or "no text in it"
        raise SourceError(f"{path} gives no document: {reasons}")
    return [(document, wiring.chunk_document(document, config)) for document in documents]


def _indexed(target: str, stages: wiring.Stages, options: RetrievalOptions) -> tuple[Document, tuple[Chunk, ...]]:
    """A document of the index, or one of its chunks. Raises NotFound, also for what the groups may not see."""
    from ragcli.cli.views import layout

    engine = stages.engine
    known = engine.doc_ids(engine.allowed(options.scope(stages.config)))
    doc_id, _, ordinal = target.rpartition("#") if target.rpartition("#")[2].isdecimal() else (target, "", "")
    found = [name for name in known if name == doc_id] or [name for name in known if name.endswith(f"/{doc_id}")]
    if not found:
        raise NotFound(
            f"{target!r} is neither a file nor a document in index {engine.version}", hint="rag search finds ids"
        )
    if len(found) > 1:
        raise ConfigError(f"{target!r} fits several documents: {', '.join(found[:5])}")
    chunks = tuple(engine.document_chunks(found[0]))
    if ordinal:
        chunks = tuple(chunk for chunk in chunks if chunk.ordinal == int(ordinal))
        if not chunks:
            raise NotFound(f"{found[0]} has no chunk {ordinal} in index {engine.version}")
        return layout.only_span(engine.document(found[0]), chunks, chunks[0].span)
    return engine.document(found[0]), chunks
