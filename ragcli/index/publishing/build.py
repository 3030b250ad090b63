"""Writes one new segment: documents copied from older segments, then new ones."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.codec import encode
from ragcli.errors import ModelError
from ragcli.index.lexical.analysis import terms
from ragcli.index.lexical.bm25 import part_name
from ragcli.index.lexical.writing import LexicalChunk, LexicalWriter
from ragcli.index.segments.attributes import AttributeRows, acl_value
from ragcli.index.segments.segment import (
    EMBEDDINGS,
    INDEX_OF_IDS,
    NUMBERS,
    OFFSETS,
    RECORDS,
    SCHEMA,
    Segment,
)
from ragcli.index.staged.database import SMALL_RECORD, pack, store_errors
from ragcli.index.staged.staging import Staging
from ragcli.interfaces import Progress
from ragcli.names import kept
from ragcli.records import Chunk, Document, Entry, Metadata

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
                for each in lexical_chunks(next_number, chunks, document.metadata):
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


def lexical_chunks(first_number: int, chunks: Sequence[Chunk], metadata: Metadata) -> Iterator[LexicalChunk]:
    """The terms of a document's chunks by field.

    ``text`` is all that is embedded and the aliases, ``title`` and ``headings`` once more to be weighed apart,
    ``nearby`` the chunk with the ones before and after it: what a question names may stand on both sides of a cut, and
    a document cut in two would otherwise lose to one that was not.
    """
    language, part = metadata.language, part_name(acl_value(metadata.acl))
    own = [" ".join(terms(f"{chunk.text}\n{chunk.aliases}", language)) for chunk in chunks]
    for offset, chunk in enumerate(chunks):
        headings = chunk.heading_path[1:] if chunk.heading_path[:1] == (chunk.title,) else chunk.heading_path
        yield LexicalChunk(
            number=first_number + offset,
            document=first_number,
            text=" ".join((*terms(chunk.indexed_text.removesuffix(chunk.text), language), own[offset])),
            title=" ".join(terms(chunk.title, language)),
            headings=" ".join(terms("\n".join(headings), language)),
            nearby=" ".join(own[max(0, offset - 1) : offset + 2]),
            part=part,
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


def copy_documents(
    source: Segment, rows: Sequence[int], writer: SegmentWriter, copies: Mapping[int, tuple[str, ...]] | None = None
) -> None:
    """Add documents of another segment as they are stored, with their chunks, vectors and numbers.

    ``copies`` gives, for the rows at which they change, the copies that a document names from now on.
    """
    for row in rows:
        chunk_rows = source.chunk_rows(row)
        document, stored = source.head(row), source.stored(row)
        if copies is not None and row in copies:
            document = replace(document, also_in=copies[row])
            stored = _renamed(document, stored)
        writer.add_stored(document, stored, source.chunk_data(chunk_rows), int(source.numbers[row]))
        writer.append_vectors(source.embeddings[chunk_rows.start : chunk_rows.stop])


def _renamed(document: Document, stored: tuple[object, str, bytes, bytes]) -> tuple[object, str, bytes, bytes]:
    """A stored document with another head; its entry key is another one too, as that of any other content."""
    doc_id, entry_key, _, body = stored
    head = pack({name: value for name, value in encode(document).items() if name not in _BODY})
    return doc_id, hashlib.sha256(entry_key.encode() + head).hexdigest()[:32], head, body


# Writes a new segment folder: see ``segment`` for what is in one.

_BODY = ("text", "blocks", "sections")


class SegmentWriter:
    """Writes a new segment folder, one document at a time, in the order of their numbers."""

    def __init__(self, folder: Path, chunk_count: int, dimension: int) -> None:
        """``chunk_count`` rows are reserved; exactly so many chunks must be added."""
        import numpy as np

        folder.mkdir(parents=True)
        self.folder = folder
        self._offsets = [0]
        self._numbers: list[int] = []
        self._attributes = AttributeRows()
        # Appended, not mapped: on a full disk a mapped file would end the process instead of raising.
        self._expected = self._missing = chunk_count
        self._vectors = (folder / EMBEDDINGS).open("wb")
        shape = (chunk_count, dimension)
        header = {"descr": "<f4", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(self._vectors, header)
        with store_errors(folder / RECORDS):
            self._database = sqlite3.connect(folder / RECORDS, isolation_level=None)
            self._database.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; " + SCHEMA)
            self._database.execute("BEGIN")

    def add(self, document: Document, entry_key: str, chunks: Sequence[Chunk], first_number: int) -> int:
        """Add a document with its chunks; returns the row of its first chunk."""
        data = [pack(encode(chunk), SMALL_RECORD) for chunk in chunks]
        content = encode(document)
        body = {name: content.pop(name) for name in _BODY}
        return self.add_stored(
            document,
            (kept(document.doc_id), entry_key, pack(content, SMALL_RECORD), pack(body)),
            data,
            first_number,
        )

    def add_stored(
        self, document: Document, stored: tuple[object, str, bytes, bytes], data: Sequence[bytes], first_number: int
    ) -> int:
        """The same with records already packed, as ``Segment.stored`` gives them."""
        row, first = len(self._numbers), self._offsets[-1]
        with store_errors(self.folder / RECORDS):
            self._database.execute("INSERT INTO documents VALUES (?, ?, ?, ?, ?)", (row, *stored))
            self._database.executemany("INSERT INTO chunks VALUES (?, ?)", enumerate(data, start=first))
        self._attributes.add(row, document)
        self._numbers.append(first_number)
        self._offsets.append(first + len(data))
        return first

    def append_vectors(self, vectors: NDArray[np.float32]) -> None:
        """The vectors of the chunks that have none yet, in order."""
        import numpy as np

        self._missing -= len(vectors)
        self._vectors.write(np.ascontiguousarray(vectors, dtype="<f4").tobytes())

    def abandon(self) -> None:
        """Release the files of a segment that will not be finished."""
        self._database.close()
        self._vectors.close()

    def finish(self) -> None:
        """Write what is left; the folder is complete but not yet synced.

        Raises ValueError when there were not as many chunks or vectors as announced.
        """
        import numpy as np

        if self._missing or self._offsets[-1] != self._expected:
            raise ValueError(f"{self._offsets[-1]} chunks and {self._missing} missing vectors of {self._expected}")

        with store_errors(self.folder):
            self._database.executemany("INSERT INTO postings VALUES (?, ?, ?, ?)", self._attributes.rows())
            self._database.execute(INDEX_OF_IDS)
            self._database.execute("COMMIT")
            self._database.close()
            self._vectors.close()
            np.save(self.folder / OFFSETS, np.asarray(self._offsets, dtype="<i8"), allow_pickle=False)
            np.save(self.folder / NUMBERS, np.asarray(self._numbers, dtype="<i8"), allow_pickle=False)
