"""The chosen chunks with everything that is shown of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragcli.records import Chunk, Document, Hit, Link, Ranking, RetrievedChunk
from ragcli.retrieve.fusion import scores_of

if TYPE_CHECKING:
    from ragcli.interfaces import Engine
    from ragcli.retrieve.candidates import Candidates


@dataclass(frozen=True)
class Rankings:
    """What each stage made of the candidates."""

    candidates: Candidates
    fused: Ranking
    reranked: Ranking | None
    links: tuple[Link, ...] = ()

    def order(self) -> list[str]:
        """Chunk ids in final order: the reranked ones, then the rest as fused."""
        first = [hit.chunk_id for hit in self.reranked.hits] if self.reranked else []
        placed = set(first)
        return first + [hit.chunk_id for hit in self.fused.hits if hit.chunk_id not in placed]


def describe_hits(engine: Engine, rankings: Rankings, k: int) -> tuple[RetrievedChunk, ...]:
    """The first ``k`` chunks that differ in what the retriever reads (title, headings, text).

    Copies of a chunk take no place of their own: their sources are named in its ``also_in``.
    """
    chosen = _first_different(engine, rankings.order(), k)
    doc_ids = sorted({copy.doc_id for copies in chosen for copy in copies})
    documents = dict(zip(doc_ids, engine.headers(doc_ids), strict=True))
    views = {name: _by_id(ranking) for name, ranking in rankings.candidates.legs.items()}
    views |= {"fused": _by_id(rankings.fused)}
    rescored = scores_of(rankings.reranked) if rankings.reranked else {}
    return tuple(
        _describe(number, copies, documents, views, rankings.candidates.cosines, rescored.get(copies[0].chunk_id))
        for number, copies in enumerate(chosen, 1)
    )


def _first_different(engine: Engine, order: Sequence[str], k: int) -> list[list[Chunk]]:
    """Groups of equal chunks, the best first in each; copies below the last place are not looked for."""
    groups: dict[str, list[Chunk]] = {}
    for start in range(0, len(order), k):
        for chunk in engine.chunks(order[start : start + k]):
            if chunk.indexed_text in groups:
                groups[chunk.indexed_text].append(chunk)
            elif len(groups) < k:
                groups[chunk.indexed_text] = [chunk]
        if len(groups) == k:
            break
    return list(groups.values())


def _describe(
    number: int,
    copies: Sequence[Chunk],
    documents: Mapping[str, Document],
    views: Mapping[str, Mapping[str, Hit]],
    cosines: Mapping[str, float],
    rerank_score: float | None,
) -> RetrievedChunk:
    chunk = copies[0]
    document = documents[chunk.doc_id]
    fused, bm25, dense = (views.get(name, {}).get(chunk.chunk_id) for name in ("fused", "bm25", "dense"))
    assert fused is not None
    others = {documents[copy.doc_id].source for copy in copies[1:]} | set(document.also_in)
    return RetrievedChunk(
        rank=number,
        chunk=chunk,
        score=fused.score,
        bm25_rank=bm25.rank if bm25 else None,
        bm25_score=bm25.score if bm25 else None,
        dense_rank=dense.rank if dense else None,
        dense_score=dense.score if dense else cosines.get(chunk.chunk_id),
        fused_rank=fused.rank,
        rerank_score=rerank_score,
        source=document.source,
        effective_date=document.metadata.effective_date,
        language=document.metadata.language,
        media_type=document.media_type,
        also_in=tuple(sorted(others - {document.source})),
    )


def _by_id(ranking: Ranking) -> dict[str, Hit]:
    return {hit.chunk_id: hit for hit in ranking.hits}
