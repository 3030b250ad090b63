"""What a question may see and what was found for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ragcli.records.chunks import Chunk

SearchMode = Literal["hybrid", "bm25", "dense"]
DenseMethod = Literal["exact", "hnsw", "quantised"]
"""How vectors were searched; ``quantised``: bit codes first, then exact scores of the nearest (large corpora only)."""


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
    also_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The outcome of one search, with enough of each stage to say where a passage was lost.

    ``legs`` holds the candidate rankings (``bm25``, ``dense``), ``fused`` the fused one, ``reranked`` the reranked
    one (None: no reranker ran). ``dense_method`` is None when the dense leg did not run. Times are milliseconds.
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
