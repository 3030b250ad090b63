"""Writes one new segment: documents copied from older segments, then new ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.errors import ModelError
from ragcli.index.analysis import terms
from ragcli.index.lexical_writer import LexicalChunk, LexicalWriter
from ragcli.index.segment import Segment
from ragcli.index.segment_writer import SegmentWriter
from ragcli.index.staging import Entry, Staging
from ragcli.interfaces import Progress
from ragcli.records import Chunk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BATCH = 1_024


class SegmentBuilder:
    """Writes one segment folder. Copies are planned first, so that the number of rows is known."""

    def __init__(
        self,
        folder: Path,
        *,
        staging: Staging,
        vectors: Callable[[list[Chunk]], NDArray[np.float32]],
        dimension: int,
        clock: Callable[[str], AbstractContextManager[None]],
        progress: Progress,
    ) -> None:
        self.folder = folder
        self._staging = staging
        self._vectors = vectors
        self._dimension = dimension
        self._clock = clock
        self._progress = progress
        self._copies: list[tuple[Segment, list[int]]] = []

    def plan_copy(self, source: Segment, dead: NDArray[np.int64]) -> None:
        """Take over the living documents of an older segment, in their order."""
        gone = set(dead.tolist())
        self._copies.append((source, [row for row in range(source.document_count) if row not in gone]))

    def write(self, incoming: Sequence[Entry], next_number: int, lexical: LexicalWriter) -> int:
        """Write it, all but the graph; returns the number after the last one given."""
        copied = sum(len(source.chunk_rows(row)) for source, rows in self._copies for row in rows)
        total = copied + sum(entry.chunk_count for entry in incoming)
        writer = SegmentWriter(self.folder, total, self._dimension)
        try:
            with self._clock("records"):
                for source, rows in self._copies:
                    copy_documents(source, rows, writer)
            for batch in _batches(incoming):
                next_number = self._write_batch(batch, next_number, writer, lexical)
            writer.finish()
        except BaseException:
            writer.abandon()
            raise
        return next_number

    def _write_batch(
        self, batch: Sequence[Entry], next_number: int, writer: SegmentWriter, lexical: LexicalWriter
    ) -> int:
        pending: list[Chunk] = []
        for entry in batch:
            with self._clock("records"):
                document = self._staging.document(entry.doc_id)
                chunks = self._staging.chunks(entry.doc_id)
                writer.add(document, entry.entry_key, chunks, next_number)
            with self._clock("lexical"):
                for each in lexical_chunks(next_number, chunks, document.metadata.language):
                    lexical.add(each)
            next_number += len(chunks)
            pending += chunks
        with self._clock("embed"):
            for start in range(0, len(pending), _BATCH):
                part = pending[start : start + _BATCH]
                writer.append_vectors(self._checked(self._vectors(part), len(part)))
        return next_number

    def _checked(self, vectors: NDArray[np.float32], count: int) -> NDArray[np.float32]:
        """Unit rows. Raises ModelError for another shape or for values that are no numbers."""
        import numpy as np

        rows = np.asarray(vectors, dtype=np.float32)
        if rows.shape != (count, self._dimension):
            raise ModelError(f"the model gave vectors of shape {rows.shape}, expected {(count, self._dimension)}")
        if not np.isfinite(rows).all():
            raise ModelError("the model gave vectors that are not finite")
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.where(np.abs(lengths - 1) < 1e-4, rows, rows / np.maximum(lengths, 1e-12))


def lexical_chunks(first_number: int, chunks: Sequence[Chunk], language: str | None) -> Iterator[LexicalChunk]:
    """The terms of a document's chunks by field.

    ``text`` is all that is embedded, ``title`` and ``headings`` once more to be weighed apart, ``nearby`` the
    chunk with the ones before and after it: what a question names may stand on both sides of a cut, and a document
    cut in two would otherwise lose to one that was not.
    """
    own = [" ".join(terms(chunk.text, language)) for chunk in chunks]
    for offset, chunk in enumerate(chunks):
        headings = chunk.heading_path[1:] if chunk.heading_path[:1] == (chunk.title,) else chunk.heading_path
        yield LexicalChunk(
            number=first_number + offset,
            document=first_number,
            text=" ".join((*terms(chunk.indexed_text.removesuffix(chunk.text), language), own[offset])),
            title=" ".join(terms(chunk.title, language)),
            headings=" ".join(terms("\n".join(headings), language)),
            nearby=" ".join(own[max(0, offset - 1) : offset + 2]),
        )


def _batches(entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    """Documents in groups of about a batch of chunks."""
    batch: list[Entry] = []
    count = 0
    for entry in entries:
        batch.append(entry)
        count += entry.chunk_count
        if count >= _BATCH or len(batch) >= _BATCH:
            yield batch
            batch, count = [], 0
    if batch:
        yield batch


def copy_documents(source: Segment, rows: Sequence[int], writer: SegmentWriter) -> None:
    """Add documents of another segment as they are stored, with their chunks, vectors and numbers."""
    for row in rows:
        chunk_rows = source.chunk_rows(row)
        document = source.head(row)
        writer.add_stored(document, source.stored(row), source.chunk_data(chunk_rows), int(source.numbers[row]))
        writer.append_vectors(source.embeddings[chunk_rows.start : chunk_rows.stop])
