"""Writes a new segment folder: see ``segment`` for what is in one."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.codec import encode
from ragcli.index.database import pack, store_errors
from ragcli.index.postings import Postings
from ragcli.index.segment import EMBEDDINGS, NUMBERS, OFFSETS, RECORDS, stored_id
from ragcli.records import Chunk, Document

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SCHEMA = """
CREATE TABLE documents (
    row INTEGER PRIMARY KEY, doc_id TEXT NOT NULL, entry_key TEXT NOT NULL, head BLOB NOT NULL, body BLOB NOT NULL
);
CREATE TABLE chunks (row INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE postings (
    key TEXT NOT NULL, value TEXT NOT NULL, count INTEGER NOT NULL, rows BLOB NOT NULL, PRIMARY KEY (key, value)
) WITHOUT ROWID;
"""
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
        self._postings = Postings()
        # Appended, not mapped: on a full disk a mapped file would end the process instead of raising.
        self._expected = self._missing = chunk_count
        self._vectors = (folder / EMBEDDINGS).open("wb")
        shape = (chunk_count, dimension)
        header = {"descr": "<f4", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(self._vectors, header)
        with store_errors(folder / RECORDS):
            self._database = sqlite3.connect(folder / RECORDS, isolation_level=None)
            self._database.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; " + _SCHEMA)
            self._database.execute("BEGIN")

    def add(self, document: Document, entry_key: str, chunks: Sequence[Chunk], first_number: int) -> int:
        """Add a document with its chunks; returns the row of its first chunk."""
        data = [pack(encode(chunk)) for chunk in chunks]
        content = encode(document)
        body = {name: content.pop(name) for name in _BODY}
        return self.add_stored(
            document, (stored_id(document.doc_id), entry_key, pack(content), pack(body)), data, first_number
        )

    def add_stored(
        self, document: Document, stored: tuple[object, str, bytes, bytes], data: Sequence[bytes], first_number: int
    ) -> int:
        """The same with records already packed, as ``Segment.stored`` gives them."""
        row, first = len(self._numbers), self._offsets[-1]
        with store_errors(self.folder / RECORDS):
            self._database.execute("INSERT INTO documents VALUES (?, ?, ?, ?, ?)", (row, *stored))
            self._database.executemany("INSERT INTO chunks VALUES (?, ?)", enumerate(data, start=first))
        self._postings.add(row, document)
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
            self._database.executemany("INSERT INTO postings VALUES (?, ?, ?, ?)", self._postings.rows())
            self._database.execute("CREATE UNIQUE INDEX documents_by_id ON documents (doc_id)")
            self._database.execute("COMMIT")
            self._database.close()
            self._vectors.close()
            np.save(self.folder / OFFSETS, np.asarray(self._offsets, dtype="<i8"), allow_pickle=False)
            np.save(self.folder / NUMBERS, np.asarray(self._numbers, dtype="<i8"), allow_pickle=False)
