"""Small documents and chunks for the index's tests."""

from __future__ import annotations

import hashlib
from typing import Any

from ragcli.records import Block, Chunk, Coverage, Document, Metadata, Span


def document(doc_id: str, text: str = "Some text.", **metadata: Any) -> Document:
    """A one-block document; keyword arguments are fields of its metadata."""
    return Document(
        doc_id=doc_id,
        source=doc_id,
        title=metadata.pop("title", doc_id.rsplit("/", 1)[-1].split(".")[0]),
        text=text,
        blocks=(Block("paragraph", Span(0, len(text))),),
        sections=(),
        also_in=metadata.pop("also_in", ()),
        metadata=Metadata(**metadata),
        media_type="text/plain",
        sha256=hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        parser="text",
        coverage=Coverage(),
    )


def chunks(owner: Document, size: int = 10_000) -> list[Chunk]:
    """The document's text cut every ``size`` characters."""
    starts = range(0, len(owner.text), size)
    return [
        Chunk(
            chunk_id=f"{owner.doc_id}#{ordinal}",
            doc_id=owner.doc_id,
            ordinal=ordinal,
            span=Span(start, min(start + size, len(owner.text))),
            text=owner.text[start : start + size],
            title=owner.title,
        )
        for ordinal, start in enumerate(starts, start=1)
    ]
