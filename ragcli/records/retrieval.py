"""What a question may see and what was found for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from ragcli.config.sections import SearchMode
from ragcli.records.chunks import Chunk

DenseMethod = Literal["exact", "hnsw", "quantised"]
"""How vectors were searched; ``quantised``: bit codes first, then exact scores of the nearest (large corpora only)."""


@dataclass(frozen=True, slots=True)
class Link:
    """Document ``source`` names document ``target`` by its title, ``name``."""

    source: str
    target: str
    name: str


@dataclass(frozen=True, slots=True)
class Filter:
    """One parsed filter expression; ``key`` is a known key or ``meta.<name>``, ``value`` its text."""

    key: str
    operator: Literal["=", "!=", "<", "<=", ">", ">=", "~"]
    value: str

    def __str__(self) -> str:
        return f"{self.key}{self.operator}{self.value}"


@dataclass(frozen=True, slots=True)
class Scope:
    """What a question may see: every filter (AND), the asker's groups, the date it is asked as of.

    ``as_of`` is an ISO date, None means today as given by the caller who builds the scope; superseded, expired and
    not yet effective documents are left out unless ``include_superseded``.
    """

    filters: tuple[Filter, ...] = ()
    groups: tuple[str, ...] = ()
    as_of: str | None = None
    include_superseded: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """One retrieved chunk; a higher score is better everywhere."""

    chunk_id: str
    score: float
    rank: int


@dataclass(frozen=True, slots=True)
class Ranking:
    """Hits with ranks 1…n, scores that do not rise, ties broken by chunk id."""

    retriever: str
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class RetrievedChunk:
    """A chunk in its final place, with what each leg thought of it (None: the leg did not return it).

    ``score`` is the fused one. A ``dense_score`` without a ``dense_rank`` is the cosine of a candidate that only BM25
    proposed. ``also_in`` names the sources of copies that were left out.
    """

    rank: int
    chunk: Chunk
    score: float
    bm25_rank: int | None = None
    bm25_score: float | None = None
    dense_rank: int | None = None
    dense_score: float | None = None
    fused_rank: int | None = None
    rerank_score: float | None = None
    source: str = ""
    effective_date: str | None = None
    language: str | None = None
    media_type: str = ""
    also_in: tuple[str, ...] = ()

    @property
    def lines(self) -> tuple[int, int] | None:
        """First and last line of the chunk, None where the source has no lines."""
        first = self.chunk.first_line
        return None if first is None else (first, self.chunk.last_line or first)

    def to_json(self) -> dict[str, Any]:
        """The hit as ``rag search --json`` prints it."""
        chunk = self.chunk
        return {
            "rank": self.rank,
            "chunk_id": chunk.chunk_id,
            "doc_id": chunk.doc_id,
            "source": self.source,
            "title": chunk.title,
            "heading_path": list(chunk.heading_path),
            "page": chunk.first_page,
            "lines": None if chunk.first_line is None else [chunk.first_line, chunk.last_line],
            "effective_date": self.effective_date,
            "language": self.language,
            "score": self.score,
            "bm25_rank": self.bm25_rank,
            "bm25_score": self.bm25_score,
            "dense_rank": self.dense_rank,
            "dense_score": self.dense_score,
            "rerank_score": self.rerank_score,
            "also_in": list(self.also_in),
            "text": chunk.text,
        }


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The outcome of one search, with enough of each stage to say where a passage was lost.

    ``legs`` holds the candidate rankings (``bm25``, ``dense``), ``fused`` the fused one, ``reranked`` the reranked
    one (None: no reranker ran). ``dense_method`` is None when the dense leg did not run. Times are milliseconds.
    ``scope`` is what was searched, ``parts`` the questions searched for beside ``query``, which asks them all,
    ``links`` what led to the hits that no candidate of a leg need have been.
    """

    query: str
    mode: SearchMode
    hits: tuple[RetrievedChunk, ...]
    legs: Mapping[str, Ranking]
    fused: Ranking
    reranked: Ranking | None
    dense_method: DenseMethod | None
    superseded_hidden: int
    reranker: str | None
    timings_ms: Mapping[str, float]
    index_version: str = ""
    scope: Scope = Scope()
    parts: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()

    @property
    def scoring(self) -> tuple[str | None, str | None]:
        """How the scores of the dense leg were had, ``exact`` or ``hnsw``, and what named the rows to score, if any.

        A scan of bit codes is exact in its scores alone: it can miss a row, so it is named beside the method.
        """
        return ("exact", "bit_codes") if self.dense_method == "quantised" else (self.dense_method, None)

    def to_json(self) -> dict[str, Any]:
        """What ``rag search --json`` prints."""
        method, first_pass = self.scoring
        return {
            "schema": "rag.search/1",
            "query": self.query,
            "parts": list(self.parts),
            "links": [asdict(link) for link in self.links],
            "index_version": self.index_version,
            "mode": self.mode,
            "dense_method": method,
            "dense_first_pass": first_pass,
            "reranker": self.reranker,
            "filters": [str(item) for item in self.scope.filters],
            "groups": list(self.scope.groups),
            "superseded_hidden": self.superseded_hidden,
            "hits": [hit.to_json() for hit in self.hits],
            "timings_ms": {name: round(value, 3) for name, value in self.timings_ms.items()},
        }
