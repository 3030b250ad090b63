"""What a set of documents must offer to be filtered: a sealed segment has it, and a version in a database."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class AttributeLookup(Protocol):
    """Documents by row, found by (key, value); see ``attributes`` for the keys."""

    @property
    def document_count(self) -> int:
        """Rows."""

    @property
    def chunk_count(self) -> int:
        """Chunks of all documents."""

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of chunks of each document."""

    @property
    def numbers(self) -> NDArray[np.int64]:
        """What each document is called in the BM25 index, ascending."""

    def values(self, key: str, low: str = "", high: str | None = None) -> list[str]:
        """The distinct values of a key in ``low <= value < high``, sorted."""

    def posting_keys(self) -> list[str]:
        """The keys that occur, sorted."""

    def marked(self, key: str, values: Iterable[str]) -> NDArray[np.bool_]:
        """A flag per document: whether it has ``key`` with one of the values."""

    def mark(self, key: str, values: Iterable[str], mask: NDArray[np.bool_]) -> None:
        """Set ``mask`` (a flag per document) for the documents that have ``key`` with one of the values."""
