"""Small corpora, retrievals and answers for the tests of the evaluation, written so that ranks can be read off."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ragcli.records import (
    Answer,
    Block,
    Chunk,
    Citation,
    Coverage,
    Document,
    Hit,
    Metadata,
    Ranking,
    Retrieval,
    RetrievedChunk,
    Section,
    Sentence,
    Span,
    Usage,
)


def document(
    doc_id: str,
    text: str,
    *,
    blocks: Sequence[Block] = (),
    sections: Sequence[Section] = (),
    also_in: Sequence[str] = (),
) -> Document:
    """A document of plain text."""
    return Document(
        doc_id=doc_id,
        source=doc_id,
        title=doc_id,
        text=text,
        blocks=tuple(blocks),
        sections=tuple(sections),
        metadata=Metadata(),
        media_type="text/plain",
        sha256="0" * 64,
        parser="test",
        coverage=Coverage(),
        also_in=tuple(also_in),
    )


def chunked(doc: Document, *cuts: int) -> list[Chunk]:
    """The document cut at these offsets; a chunk for each piece."""
    edges = [0, *cuts, len(doc.text)]
    return [
        chunk(f"{doc.doc_id}#{n}", Span(start, end), doc.text[start:end])
        for n, (start, end) in enumerate(itertools.pairwise(edges), start=1)
    ]


def chunk(chunk_id: str, span: Span | None = None, text: str = "", **more: object) -> Chunk:
    """A chunk by its id."""
    doc_id, _, ordinal = chunk_id.rpartition("#")
    return Chunk(chunk_id, doc_id, int(ordinal), span or Span(0, len(text)), text, doc_id, **more)  # type: ignore[arg-type]


@dataclass
class FakeCorpus:
    """Documents and their chunks in memory."""

    texts: Mapping[str, Document] = field(default_factory=dict)
    cut: Mapping[str, list[Chunk]] = field(default_factory=dict)
    read: list[str] = field(default_factory=list)

    def doc_ids(self) -> list[str]:
        return sorted(self.texts)

    def document(self, doc_id: str) -> Document:
        self.read.append(doc_id)
        return self.texts[doc_id]

    def headers(self, doc_ids: Sequence[str]) -> list[Document]:
        return [self.texts[doc_id] for doc_id in doc_ids]

    def document_chunks(self, doc_id: str) -> list[Chunk]:
        return self.cut[doc_id]


def corpus(*documents: tuple[Document, list[Chunk]]) -> FakeCorpus:
    """A corpus of documents with their chunks."""
    return FakeCorpus({doc.doc_id: doc for doc, _ in documents}, {doc.doc_id: cut for doc, cut in documents})


def named(*doc_ids: str) -> FakeCorpus:
    """A corpus of one-chunk documents."""
    made = [document(doc_id, f"text of {doc_id}") for doc_id in doc_ids]
    return corpus(*((doc, chunked(doc)) for doc in made))


def ranking(name: str, *chunk_ids: str) -> Ranking:
    """Hits in this order."""
    return Ranking(name, tuple(Hit(chunk_id, 1.0 / rank, rank) for rank, chunk_id in enumerate(chunk_ids, start=1)))


def retrieval(
    hits: Sequence[str | Chunk],
    *,
    bm25: Sequence[str] | None = None,
    dense: Sequence[str] | None = None,
    fused: Sequence[str] | None = None,
    reranked: Sequence[str] | None = None,
) -> Retrieval:
    """A search result with these hits; legs and the fused ranking as given (fused: the hits, unless told)."""
    chunks = [hit if isinstance(hit, Chunk) else chunk(hit) for hit in hits]
    legs = {name: ranking(name, *ids) for name, ids in (("bm25", bm25), ("dense", dense)) if ids is not None}
    return Retrieval(
        query="q",
        mode="hybrid",
        hits=tuple(RetrievedChunk(rank, item, 1.0 / rank) for rank, item in enumerate(chunks, start=1)),
        legs=legs,
        fused=ranking("fused", *(fused if fused is not None else [item.chunk_id for item in chunks])),
        reranked=ranking("reranked", *reranked) if reranked is not None else None,
        dense_method=None,
        superseded_hidden=0,
        reranker=None,
        timings_ms={"total": 1.0},
    )


def answer(
    text: str | None, *cited: str, statuses: Sequence[str] = ("supported",), invalid: Sequence[str] = ()
) -> Answer:
    """A checked answer citing these chunks; None declines."""
    citations = tuple(
        Citation(n, chunk_id, chunk_id.rpartition("#")[0], "", (), "quote", None, None, None, None)
        for n, chunk_id in enumerate(cited, start=1)
    )
    return Answer(
        question="q",
        standalone_question="q",
        found=text is not None,
        not_found_reason=None if text is not None else "low_evidence",
        text=text or "",
        sentences=tuple(
            Sentence("…" if place else text, (1,), status)  # type: ignore[arg-type]
            for place, status in enumerate(statuses if text else ())
        ),
        citations=citations,
        invalid_citations=tuple(invalid),
        passages=tuple(cited),
        provider="test",
        model="test",
        usage=Usage(),
    )
