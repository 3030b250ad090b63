"""What answers searches over one version of an index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ragcli.records import Allowed, Chunk, DenseMethod, Document, EmbedderInfo, Ranking, Scope

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Engine(Protocol):
    """One version of an index, held for the reader's life. Never shows what ``allowed`` does not hold."""

    @property
    def version(self) -> str:
        """``v000007``."""

    @property
    def fingerprint(self) -> str:
        """Hash of all documents and chunks of this version: equal corpora, equal hash."""

    @property
    def roots(self) -> Mapping[str, str]:
        """Label and path of every file or folder that this version was ingested from."""

    @property
    def settings(self) -> Mapping[str, Mapping[str, Any]]:
        """The settings that this version was built under, by section; secrets masked."""

    @property
    def embedder(self) -> EmbedderInfo:
        """The model that made the vectors of this version."""

    def allowed(self, scope: Scope) -> Allowed:
        """The chunks a scope may see. Raises ConfigError for an unknown key, naming the known ones."""

    def lexical(self, query: str, depth: int, allowed: Allowed) -> Ranking:
        """BM25 over the allowed chunks: ``min(depth, matching)`` hits. Any string at all is a valid query."""

    def dense(
        self, vector: NDArray[np.float32], depth: int, allowed: Allowed, method: str = "auto"
    ) -> tuple[Ranking, DenseMethod]:
        """Cosine over the allowed chunks: ``min(depth, allowed.count)`` hits, and how they were found."""

    def chunks(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """The chunks, in the order asked for. Raises KeyError for an id that is not in this version."""

    def vectors(self, chunk_ids: Sequence[str]) -> NDArray[np.float32]:
        """Stored vectors of the chunks, a row each."""

    @property
    def notices(self) -> tuple[str, ...]:
        """What a user should know about how this version is served (a graph that could not be loaded, …)."""

    def document(self, doc_id: str) -> Document:
        """The document with its text. Raises KeyError when it is not in this version."""

    def headers(self, doc_ids: Sequence[str]) -> list[Document]:
        """The documents without text, blocks and sections (all empty): cheap. Raises KeyError for an unknown id."""

    def document_chunks(self, doc_id: str) -> list[Chunk]:
        """The document's chunks, in order."""

    def titled(self, titles: Sequence[str], allowed: Allowed) -> list[str]:
        """The allowed documents that have one of the titles, letter for letter, sorted."""

    def doc_ids(self, allowed: Allowed | None = None) -> list[str]:
        """Every document (or every allowed one), sorted."""

    def close(self) -> None:
        """Let go of the version."""
