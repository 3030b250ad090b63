"""One file or one document looked at: parsed and cut as an ingest would do it now, or as a version holds it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragcli.codec import encode
from ragcli.config import Config
from ragcli.errors import ConfigError, NotFound, SourceError
from ragcli.interfaces import Embedder, Engine
from ragcli.parse.files.pool import parse_files
from ragcli.parse.files.walk import SourceFile, walk
from ragcli.parse.metadata import describe
from ragcli.pipelines.building.chunk import chunk_staged
from ragcli.records import Block, Chunk, Document, FileReport, Scope, Span


@dataclass(frozen=True, slots=True)
class Inspected:
    """A document beside its chunks."""

    document: Document
    chunks: tuple[Chunk, ...]

    def to_json(self) -> dict[str, Any]:
        """What ``rag inspect --json`` prints of one document."""
        document = self.document
        return {
            "schema": "rag.document/1",
            "doc_id": document.doc_id,
            "source": document.source,
            "title": document.title,
            "media_type": document.media_type,
            "parser": document.parser,
            "encoding": document.encoding,
            "also_in": list(document.also_in),
            "text": document.text,
            "blocks": [_block(block) for block in document.blocks],
            "metadata": encode(document.metadata),
            "coverage": encode(document.coverage),
            "chunks": [_chunk(chunk) for chunk in self.chunks],
        }

    def only_page(self, page: int) -> Inspected:
        """The blocks of one page and the chunks that touch them; offsets stay those of the whole text."""
        blocks = tuple(block for block in self.document.blocks if block.page == page)
        if not blocks:
            return Inspected(dataclasses.replace(self.document, blocks=()), ())
        span = Span(blocks[0].span.start, blocks[-1].span.end)
        return Inspected(
            dataclasses.replace(self.document, blocks=blocks), tuple(c for c in self.chunks if _meet(c.span, span))
        )

    def only_chunk(self, chunk: Chunk) -> Inspected:
        """One chunk and the blocks that touch it."""
        blocks = tuple(block for block in self.document.blocks if _meet(block.span, chunk.span))
        return Inspected(dataclasses.replace(self.document, blocks=blocks), (chunk,))


def inspect_file(path: Path, *, config: Config, embedder: Embedder) -> list[Inspected]:
    """A file as an ingest would read and cut it now, contexts aside. Raises SourceError when it gives no document."""
    met = list(walk(path, config.ingest))
    files = [item for item in met if isinstance(item, SourceFile)]
    documents: list[Document] = []
    reports = [item for item in met if isinstance(item, FileReport)]
    for parsed in parse_files(files, config.ingest):
        relative = parsed.file.relative
        documents += [describe(document, config.ingest.rules, {}, (), relative)[0] for document in parsed.documents]
        reports += parsed.reports
    if not documents:
        reasons = "; ".join(report.skipped for report in reports if report.skipped) or "no text in it"
        raise SourceError(f"{path} gives no document: {reasons}")
    return [Inspected(each, chunk_staged(each, config=config, embedder=embedder)) for each in documents]


def inspect_indexed(target: str, *, engine: Engine, scope: Scope) -> Inspected:
    """A document of the index, or one of its chunks. Raises NotFound, also for what ``scope`` may not see."""
    known = engine.doc_ids(engine.allowed(scope))
    doc_id, _, ordinal = target.rpartition("#") if target.rpartition("#")[2].isdecimal() else (target, "", "")
    found = [name for name in known if name == doc_id] or [name for name in known if name.endswith(f"/{doc_id}")]
    if not found:
        raise NotFound(
            f"{target!r} is neither a file nor a document in index {engine.version}", hint="rag search finds ids"
        )
    if len(found) > 1:
        raise ConfigError(f"{target!r} fits several documents: {', '.join(found[:5])}")
    whole = Inspected(engine.document(found[0]), tuple(engine.document_chunks(found[0])))
    if not ordinal:
        return whole
    chunk = next((chunk for chunk in whole.chunks if chunk.ordinal == int(ordinal)), None)
    if chunk is None:
        raise NotFound(f"{found[0]} has no chunk {ordinal} in index {engine.version}")
    return whole.only_chunk(chunk)


def _meet(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def _block(block: Block) -> dict[str, Any]:
    span = block.span
    return {"kind": block.kind, "start": span.start, "end": span.end, "page": block.page, "level": block.level}


def _chunk(chunk: Chunk) -> dict[str, Any]:
    return {
        "chunk_id": chunk.chunk_id,
        "start": chunk.span.start,
        "end": chunk.span.end,
        "tokens": chunk.token_count,
        "heading_path": list(chunk.heading_path),
        "page": chunk.first_page,
        "indexed_text": chunk.indexed_text,
    }
