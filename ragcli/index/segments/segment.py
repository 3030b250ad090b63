"""An immutable segment: documents, chunks and vectors that were added together.

    records.sqlite    documents (head and body apart), chunks, and filter postings: (key, value) → document rows
    offsets.npy       row of each document's first chunk, and one more for the end        (int64)
    numbers.npy       permanent number of each document's first chunk, ascending          (int64)
    embeddings.npy    one unit row per chunk: the truth about vectors                     (float32)
    dense.hnsw        the graph built from them

A *row* is a place in this segment, a *number* belongs to a chunk for ever. Opening maps the arrays and reads none.
"""

from __future__ import annotations

import functools
import threading
import tokenize
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragcli.errors import StoreError
from ragcli.index.staged.database import SMALL_RECORD, SealedDatabase, as_record, stored_name, unpack, unpack_as
from ragcli.names import kept, valid
from ragcli.records import Chunk, Document
from ragcli.regular_files import check_file

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


RECORDS = "records.sqlite"
OFFSETS = "offsets.npy"
NUMBERS = "numbers.npy"
EMBEDDINGS = "embeddings.npy"
GRAPH = "dense.hnsw"
CODES = "codes.npy"
CENTRE = "centre.npy"

SCHEMA = """
CREATE TABLE documents (
    row INTEGER PRIMARY KEY, doc_id TEXT NOT NULL, entry_key TEXT NOT NULL, head BLOB NOT NULL, body BLOB NOT NULL
);
CREATE TABLE chunks (row INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE postings (
    key TEXT NOT NULL, value TEXT NOT NULL, count INTEGER NOT NULL, rows BLOB NOT NULL, PRIMARY KEY (key, value)
) WITHOUT ROWID;
"""
INDEX_OF_IDS = "CREATE UNIQUE INDEX documents_by_id ON documents (doc_id)"

_BATCH = 500
_NUMBERS = 1 << 62
_HINT = "rag versions verify; rag index --rebuild"


class Segment:
    """A sealed segment, read-only."""

    def __init__(self, folder: Path) -> None:
        """Open and map every file. Raises StoreError when one is missing or has the wrong shape."""
        self.folder = folder
        self._path = folder / RECORDS
        self._database = SealedDatabase(self._path, SCHEMA + INDEX_OF_IDS, _HINT)
        self.offsets: NDArray[np.int64] = map_array(folder / OFFSETS, "<i8", 1)
        self.numbers: NDArray[np.int64] = map_array(folder / NUMBERS, "<i8", 1)
        self.embeddings: NDArray[np.float32] = map_array(folder / EMBEDDINGS, "<f4", 2)
        self.document_count = len(self.numbers)
        if len(self.offsets) != self.document_count + 1 or int(self.offsets[-1]) != len(self.embeddings):
            raise StoreError(
                f"{folder}: {len(self.offsets)} offsets for {self.document_count} documents and "
                f"{len(self.embeddings)} vectors do not fit together",
                hint=_HINT,
            )
        self._check_order()

    def _check_order(self) -> None:
        """Everything counts on offsets and numbers that rise; a look at all of them is a millisecond per 100,000."""
        import numpy as np

        last = int(self.numbers.max(initial=0))
        # Differences of what is not negative cannot overflow.
        possible = self.offsets.min() >= 0 <= self.numbers.min(initial=0) and last < _NUMBERS
        sizes = np.diff(self.offsets)
        rising = np.diff(self.numbers) >= sizes[:-1]
        if not possible or self.offsets[0] != 0 or (sizes < 0).any() or not rising.all():
            raise StoreError(f"{self.folder}: offsets or numbers are out of order", hint=_HINT)

    @property
    def chunk_count(self) -> int:
        """Chunks, dead ones counted."""
        return len(self.embeddings)

    def close(self) -> None:
        """Release the database; the maps go with their last reader."""
        self._database.close()

    def _row(self, sql: str, row: int) -> tuple[Any, ...]:
        """The one record at ``row``. Raises StoreError when it is missing, which only damage explains."""
        found = self._database.rows(sql, (row,))
        if not found:
            raise self._damaged(f"lacks record {row}")
        return found[0]

    def _damaged(self, what: str) -> StoreError:
        return StoreError(f"{self._path} {what}", hint=_HINT)

    # ------------------------------------------------------------ documents

    def document_row(self, doc_id: str) -> int | None:
        """Row of the document, dead or alive, or None."""
        rows = self._database.rows("SELECT row FROM documents WHERE doc_id = ?", (kept(doc_id),))
        return self._checked(int(rows[0][0])) if rows else None

    def _checked(self, row: int) -> int:
        if not 0 <= row < self.document_count:
            raise self._damaged(f"has a record {row} of {self.document_count} documents")
        return row

    def doc_ids(self, rows: Iterable[int]) -> dict[int, str]:
        """Ids of the documents at ``rows``, by row."""
        wanted = sorted(set(rows))
        found: dict[int, str] = {}
        for start in range(0, len(wanted), _BATCH):
            batch = wanted[start : start + _BATCH]
            marks = ",".join("?" * len(batch))
            for row, doc_id in self._database.rows(f"SELECT row, doc_id FROM documents WHERE row IN ({marks})", batch):
                found[int(row)] = _name(doc_id)
        if len(found) < len(wanted):
            raise self._damaged(f"lacks {len(wanted) - len(found)} of {len(wanted)} records")
        return found

    def entries(self) -> list[tuple[int, str, str]]:
        """(row, doc_id, entry_key) of every document, dead or alive, in order of rows."""
        rows = self._database.rows("SELECT row, doc_id, entry_key FROM documents ORDER BY row")
        if [row for row, _, _ in rows] != list(range(self.document_count)):
            raise self._damaged(f"has {len(rows)} records, expected one for each of {self.document_count} documents")
        return [(int(row), _name(doc_id), str(entry_key)) for row, doc_id, entry_key in rows]

    def names(self) -> list[tuple[int, str, str, tuple[str, ...]]]:
        """(row, doc_id, source, ids of copies) of every document, dead or alive, in order of rows."""
        rows = self._database.rows("SELECT row, doc_id, head FROM documents ORDER BY row")
        heads = [(self._checked(int(row)), _name(doc_id), _document(head)) for row, doc_id, head in rows]
        return [(row, doc_id, head.source, head.also_in) for row, doc_id, head in heads]

    def head(self, row: int) -> Document:
        """The document at ``row`` without text, blocks and sections."""
        return _document(self._row("SELECT head FROM documents WHERE row = ?", row)[0])

    def document(self, row: int) -> Document:
        """The whole document at ``row``."""
        head, body = self._row("SELECT head, body FROM documents WHERE row = ?", row)
        content = unpack(body)
        if not isinstance(content, dict):
            raise self._damaged(f"has a record {row} that is no document")
        return as_record(Document, unpack(head, SMALL_RECORD), **content)

    def stored(self, row: int) -> tuple[object, str, bytes, bytes]:
        """The document at ``row`` as it is stored: id, entry key, head, body."""
        return self._row("SELECT doc_id, entry_key, head, body FROM documents WHERE row = ?", row)

    # ------------------------------------------------------------ chunks

    def chunk_rows(self, row: int) -> range:
        """Rows of the chunks of the document at ``row``."""
        return range(int(self.offsets[row]), int(self.offsets[row + 1]))

    def chunk(self, chunk_row: int) -> Chunk:
        """The chunk at ``chunk_row``."""
        return unpack_as(Chunk, self._row("SELECT data FROM chunks WHERE row = ?", chunk_row)[0], SMALL_RECORD)

    def chunk_data(self, rows: range) -> list[bytes]:
        """Stored chunks of consecutive rows."""
        found = self._database.rows(
            "SELECT data FROM chunks WHERE row >= ? AND row < ? ORDER BY row", (rows.start, rows.stop)
        )
        if len(found) != len(rows):
            raise self._damaged(f"has {len(found)} chunks, expected {len(rows)}")
        return [data for (data,) in found]

    def chunks(self, row: int) -> list[Chunk]:
        """The chunks of the document at ``row``, in order."""
        return [unpack_as(Chunk, data, SMALL_RECORD) for data in self.chunk_data(self.chunk_rows(row))]

    def owners(self, chunk_rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Row of the document that each chunk row belongs to."""
        import numpy as np

        return np.searchsorted(self.offsets, chunk_rows, side="right") - 1

    def rows_of_numbers(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Chunk row of each permanent number; every number must be of this segment."""
        import numpy as np

        owners = np.searchsorted(self.numbers, numbers, side="right") - 1
        return self.offsets[owners] + (numbers - self.numbers[owners])

    def numbers_of_rows(self, chunk_rows: NDArray[np.int64] | None) -> NDArray[np.int64]:
        """Permanent number of each chunk row, of every one for None."""
        import numpy as np

        rows = np.arange(self.chunk_count, dtype=np.int64) if chunk_rows is None else chunk_rows
        owners = self.owners(rows)
        return self.numbers[owners] + (rows - self.offsets[owners])

    @functools.cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Number of chunks of each document."""
        import numpy as np

        return np.diff(self.offsets)

    def record_count(self) -> int:
        """Number of chunk records, for a check against the number of vectors."""
        most = self.chunk_count + 1
        return int(self._database.rows("SELECT count(*) FROM (SELECT 1 FROM chunks LIMIT ?)", (most,))[0][0])

    # ------------------------------------------------------------ postings

    def values(self, key: str, low: str = "", high: str | None = None) -> list[str]:
        """The distinct values of a filter key in ``low <= value < high``, sorted."""
        bounds = [valid(bound) for bound in (low, high) if bound is not None]
        bound, values = "" if high is None else " AND value < ?", [key, *bounds]
        rows = self._database.rows(
            f"SELECT value FROM postings WHERE key = ? AND value >= ?{bound} ORDER BY value", values
        )
        return [str(value) for (value,) in rows]

    def posting_keys(self) -> list[str]:
        """The filter keys that occur, sorted."""
        return [str(key) for (key,) in self._database.rows("SELECT DISTINCT key FROM postings ORDER BY key")]

    def marked(self, key: str, values: Iterable[str]) -> NDArray[np.bool_]:
        """A flag per document: whether it has ``key`` with one of the values."""
        import numpy as np

        mask = np.zeros(self.document_count, dtype=bool)
        self.mark(key, values, mask)
        return mask

    def rows_with(self, key: str, value: str) -> list[int]:
        """Rows of the documents that have this value, ascending."""
        import numpy as np

        return [int(row) for row in np.flatnonzero(self.marked(key, [value]))]

    def mark(self, key: str, values: Iterable[str], mask: NDArray[np.bool_]) -> None:
        """Set ``mask`` (a flag per document) for the documents that have ``key`` with one of the values."""

        for value in values:
            found = self._database.rows(
                "SELECT count, rows FROM postings WHERE key = ? AND value = ?", (key, valid(value))
            )
            for count, rows in found:
                if count == self.document_count:
                    mask[:] = True
                else:
                    mask[self._posting(count, rows)] = True

    def _posting(self, count: object, rows: object) -> NDArray[np.int32]:
        """Rows of documents, as they are stored. Raises StoreError for what does not fit this segment."""
        import numpy as np

        if not isinstance(rows, bytes) or len(rows) % 4 or count != len(rows) // 4:
            raise self._damaged(f"has a filter list of {count!r} documents that is of another length")
        found = np.frombuffer(rows, dtype="<i4")
        if len(found) and not 0 <= found.min() <= found.max() < self.document_count:
            raise self._damaged(f"has a filter list beyond its {self.document_count} documents")
        return found


def _name(value: object) -> str:
    return stored_name(value, _HINT)


def _document(head: object) -> Document:
    """A document without text, blocks and sections."""
    return unpack_as(Document, head, SMALL_RECORD, text="", blocks=[], sections=[])


# Arrays in ``.npy`` files, mapped: whatever bytes a file holds, the outcome is the array expected or a StoreError.

_MEND = "rag versions verify; rag index --rebuild"
_NO_SOURCE = (SyntaxError, tokenize.TokenError, MemoryError, RecursionError)
"""numpy parses the header as Python source, which can fail in all the ways that source can."""
_PARSING = threading.Lock()
"""Python 3.11 counts the depth of the source it parses for all threads at once, and trips over it (gh-106905)."""
_UNREADABLE = (OSError, ValueError, EOFError, TypeError, OverflowError, *_NO_SOURCE)


def map_array(path: Path, kind: str, dimensions: int) -> Any:
    """The array in ``path``, mapped and read by nobody yet; a plain array: slicing a ``memmap`` is slow.

    Raises StoreError when the file is no sound array, holds Python objects, or is of another dtype (``kind``, such as
    ``<f4``) or number of dimensions.
    """
    import numpy as np

    check_file(path, _MEND)
    try:
        with _PARSING:
            array = np.load(path, mmap_mode="r", allow_pickle=False)
    except _UNREADABLE as error:
        raise StoreError(f"{path} cannot be read: {str(error)[:200]}", hint=_MEND) from error
    if not isinstance(array, np.ndarray):
        raise StoreError(f"{path} holds several arrays, expected one", hint=_MEND)
    if array.dtype.str != kind or array.ndim != dimensions:
        found = f"{array.dtype.str} in {array.ndim} dimensions"
        raise StoreError(f"{path} holds {found}, expected {kind} in {dimensions}", hint=_MEND)
    return np.asarray(array)
