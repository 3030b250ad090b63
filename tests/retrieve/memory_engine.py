"""An engine over a handful of chunks, with scores that can be worked out by hand.

BM25 here is the number of the query's words in the chunk; vectors are given. It shows nothing outside the allowed set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ragcli.records import (
    Allowed,
    Chunk,
    Coverage,
    DenseMethod,
    Document,
    EmbedderInfo,
    Metadata,
    Ranking,
    Scope,
    Span,
)
from ragcli.retrieve.fusion import rank

INFO = EmbedderInfo("toy", "1", 2, 16)


def chunk(chunk_id: str, text: str, title: str = "") -> Chunk:
    doc_id, _, ordinal = chunk_id.partition("#")
    return Chunk(chunk_id, doc_id, int(ordinal), Span(0, len(text)), text, title)


def document(doc_id: str, metadata: Metadata, also_in: tuple[str, ...] = ()) -> Document:
    coverage = Coverage()
    return Document(
        doc_id, f"docs/{doc_id}", doc_id, "", (), (), metadata, "text/plain", "", "test", coverage, also_in=also_in
    )


class MemoryEngine:
    """Implements ``interfaces.Engine``; documents named in ``hidden`` are in no allowed set."""

    version = "v000001"
    embedder = INFO
    notices: tuple[str, ...] = ()

    def __init__(
        self,
        chunks: Sequence[Chunk],
        vectors: Mapping[str, Sequence[float]],
        *,
        hidden: Sequence[str] = (),
        metadata: Mapping[str, Metadata] | None = None,
        also_in: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        self._chunks = {each.chunk_id: each for each in chunks}
        self._vectors = {key: np.asarray(row, np.float32) for key, row in vectors.items()}
        self._hidden = set(hidden)
        self._metadata = metadata or {}
        self._also_in = also_in or {}
        self.scopes: list[Scope] = []

    def allowed(self, scope: Scope) -> Allowed:
        self.scopes.append(scope)
        ids = frozenset(key for key, each in self._chunks.items() if each.doc_id not in self._hidden)
        return Allowed(len(ids), len(self._hidden), ids)

    def lexical(self, query: str, depth: int, allowed: Allowed) -> Ranking:
        words = query.lower().split()
        scores = {
            key: float(sum(each.text.lower().split().count(w) for w in words)) for key, each in self._seen(allowed)
        }
        return _top("bm25", {key: score for key, score in scores.items() if score}, depth)

    def dense(
        self, vector: np.ndarray, depth: int, allowed: Allowed, method: str = "auto"
    ) -> tuple[Ranking, DenseMethod]:
        scores = {key: float(self._vectors[key] @ vector) for key, _ in self._seen(allowed)}
        return _top("dense", scores, depth), "hnsw" if method == "hnsw" else "exact"

    def chunks(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        return [self._chunks[key] for key in chunk_ids]

    def vectors(self, chunk_ids: Sequence[str]) -> np.ndarray:
        return np.stack([self._vectors[key] for key in chunk_ids])

    def document(self, doc_id: str) -> Document:
        raise AssertionError("a search shows no document's text")

    def headers(self, doc_ids: Sequence[str]) -> list[Document]:
        assert not self._hidden & set(doc_ids)
        return [self._header(doc_id) for doc_id in doc_ids]

    def _header(self, doc_id: str) -> Document:
        return document(doc_id, self._metadata.get(doc_id, Metadata()), self._also_in.get(doc_id, ()))

    def document_chunks(self, doc_id: str) -> list[Chunk]:
        return [each for each in self._chunks.values() if each.doc_id == doc_id]

    def doc_ids(self, allowed: Allowed | None = None) -> list[str]:
        return sorted({each.doc_id for each in self._chunks.values()})

    def _seen(self, allowed: Allowed) -> list[tuple[str, Chunk]]:
        assert isinstance(allowed.token, frozenset)
        return [(key, each) for key, each in self._chunks.items() if key in allowed.token]


def _top(name: str, scores: Mapping[str, float], depth: int) -> Ranking:
    full = rank(name, scores)
    return Ranking(name, full.hits[:depth])


class ToyEmbedder:
    """Every question is the vector it was given for; tokens are one-hot by their first letter."""

    info = INFO

    def __init__(self, queries: Mapping[str, Sequence[float]]) -> None:
        self._queries = queries

    @property
    def tokenizer(self) -> object:
        raise AssertionError("not needed")

    def queries(self, texts: Sequence[str]) -> np.ndarray:
        return np.asarray([self._queries[text] for text in texts], np.float32)

    def passages(self, texts: Sequence[str], progress: object = None) -> np.ndarray:
        raise AssertionError("not needed")

    def token_vectors(self, texts: Sequence[str]) -> list[np.ndarray]:
        return [
            np.asarray([np.eye(26)[ord(word[0].lower()) - 97] for word in text.split()], np.float32).reshape(-1, 26)
            for text in texts
        ]
