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
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragcli.codec import decode
from ragcli.errors import StoreError
from ragcli.index.staged.database import open_sealed, store_errors, unpack
from ragcli.names import kept, name_of, valid
from ragcli.records import Chunk, Document

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


RECORDS = "records.sqlite"
OFFSETS = "offsets.npy"
NUMBERS = "numbers.npy"
EMBEDDINGS = "embeddings.npy"
GRAPH = "dense.hnsw"

_BATCH = 500
_HINT = "rag versions verify; rag index --rebuild"


class Segment:
    """A sealed segment, read-only."""

    def __init__(self, folder: Path) -> None:
        """Open and map every file. Raises StoreError when one is missing or has the wrong shape."""
        self.folder = folder
        self._path = folder / RECORDS
        self._database = open_sealed(self._path)
        # Both legs of a search ask at once, and Python 3.12 hands one prepared statement to two threads.
        self._asking = threading.Lock()
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

        sizes = np.diff(self.offsets)
        rising = np.diff(self.numbers) >= sizes[:-1]
        first = int(self.numbers[0]) if self.document_count else 0
        if self.offsets[0] != 0 or first < 0 or (sizes < 0).any() or not rising.all():
            raise StoreError(f"{self.folder}: offsets or numbers are out of order", hint=_HINT)

    @property
    def chunk_count(self) -> int:
        """Chunks, dead ones counted."""
        return len(self.embeddings)

    def close(self) -> None:
        """Release the database; the maps go with their last reader."""
        self._database.close()

    def _rows(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        with self._asking, store_errors(self._path, _HINT):
            return self._database.execute(sql, values).fetchall()

    def _row(self, sql: str, row: int) -> tuple[Any, ...]:
        """The one record at ``row``. Raises StoreError when it is missing, which only damage explains."""
        found = self._rows(sql, (row,))
        if not found:
            raise StoreError(f"{self._path} lacks record {row}", hint=_HINT)
        return found[0]

    # ------------------------------------------------------------ documents

    def document_row(self, doc_id: str) -> int | None:
        """Row of the document, dead or alive, or None."""
        rows = self._rows("SELECT row FROM documents WHERE doc_id = ?", (kept(doc_id),))
        return int(rows[0][0]) if rows else None

    def doc_ids(self, rows: Iterable[int]) -> dict[int, str]:
        """Ids of the documents at ``rows``, by row."""
        wanted = sorted(set(rows))
        found: dict[int, str] = {}
        for start in range(0, len(wanted), _BATCH):
            batch = wanted[start : start + _BATCH]
            marks = ",".join("?" * len(batch))
            for row, doc_id in self._rows(f"SELECT row, doc_id FROM documents WHERE row IN ({marks})", batch):
                found[int(row)] = name_of(doc_id)
        return found

    def entries(self) -> list[tuple[int, str, str]]:
        """(row, doc_id, entry_key) of every document, dead or alive, in order of rows."""
        rows = self._rows("SELECT row, doc_id, entry_key FROM documents ORDER BY row")
        return [(int(row), name_of(doc_id), str(entry_key)) for row, doc_id, entry_key in rows]

    def names(self) -> list[tuple[int, str, str, tuple[str, ...]]]:
        """(row, doc_id, source, ids of copies) of every document, dead or alive, in order of rows."""
        rows = self._rows("SELECT row, doc_id, head FROM documents ORDER BY row")
        heads = [(int(row), name_of(doc_id), unpack(head)) for row, doc_id, head in rows]
        return [(row, doc_id, str(head["source"]), tuple(head.get("also_in") or ())) for row, doc_id, head in heads]

    def head(self, row: int) -> Document:
        """The document at ``row`` without text, blocks and sections."""
        content = unpack(self._row("SELECT head FROM documents WHERE row = ?", row)[0])
        return decode(Document, content | {"text": "", "blocks": [], "sections": []})

    def document(self, row: int) -> Document:
        """The whole document at ``row``."""
        head, body = self._row("SELECT head, body FROM documents WHERE row = ?", row)
        return decode(Document, unpack(head) | unpack(body))

    def stored(self, row: int) -> tuple[object, str, bytes, bytes]:
        """The document at ``row`` as it is stored: id, entry key, head, body."""
        return self._row("SELECT doc_id, entry_key, head, body FROM documents WHERE row = ?", row)

    # ------------------------------------------------------------ chunks

    def chunk_rows(self, row: int) -> range:
        """Rows of the chunks of the document at ``row``."""
        return range(int(self.offsets[row]), int(self.offsets[row + 1]))

    def chunk(self, chunk_row: int) -> Chunk:
        """The chunk at ``chunk_row``."""
        return decode(Chunk, unpack(self._row("SELECT data FROM chunks WHERE row = ?", chunk_row)[0]))

    def chunk_data(self, rows: range) -> list[bytes]:
        """Stored chunks of consecutive rows."""
        found = self._rows("SELECT data FROM chunks WHERE row >= ? AND row < ? ORDER BY row", (rows.start, rows.stop))
        return [data for (data,) in found]

    def chunks(self, row: int) -> list[Chunk]:
        """The chunks of the document at ``row``, in order."""
        return [decode(Chunk, unpack(data)) for data in self.chunk_data(self.chunk_rows(row))]

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
        return int(self._rows("SELECT count(*) FROM chunks")[0][0])

    # ------------------------------------------------------------ postings

    def values(self, key: str, low: str = "", high: str | None = None) -> list[str]:
        """The distinct values of a filter key in ``low <= value < high``, sorted."""
        bounds = [valid(bound) for bound in (low, high) if bound is not None]
        bound, values = "" if high is None else " AND value < ?", [key, *bounds]
        rows = self._rows(f"SELECT value FROM postings WHERE key = ? AND value >= ?{bound} ORDER BY value", values)
        return [str(value) for (value,) in rows]

    def posting_keys(self) -> list[str]:
        """The filter keys that occur, sorted."""
        return [str(key) for (key,) in self._rows("SELECT DISTINCT key FROM postings ORDER BY key")]

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
        import numpy as np

        for value in values:
            found = self._rows("SELECT count, rows FROM postings WHERE key = ? AND value = ?", (key, valid(value)))
            for count, rows in found:
                if count == self.document_count:
                    mask[:] = True
                else:
                    mask[np.frombuffer(rows, dtype="<i4")] = True


# Arrays in ``.npy`` files, mapped: whatever bytes a file holds, the outcome is the array expected or a StoreError.

_MEND = "rag versions verify; rag index --rebuild"


def map_array(path: Path, kind: str, dimensions: int) -> Any:
    """The array in ``path``, mapped and read by nobody yet; a plain array: slicing a ``memmap`` is slow.

    Raises StoreError when the file is no sound array, holds Python objects, or is of another dtype (``kind``, such as
    ``<f4``) or number of dimensions.
    """
    import numpy as np

    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError, TypeError, OverflowError, SyntaxError, tokenize.TokenError) as error:
        # numpy parses the header as Python source, which can fail in all the ways that source can.
        raise StoreError(f"{path} cannot be read: {error}", hint=_MEND) from error
    if not isinstance(array, np.ndarray):
        raise StoreError(f"{path} holds several arrays, expected one", hint=_MEND)
    if array.dtype.str != kind or array.ndim != dimensions:
        found = f"{array.dtype.str} in {array.ndim} dimensions"
        raise StoreError(f"{path} holds {found}, expected {kind} in {dimensions}", hint=_MEND)
    return np.asarray(array)
