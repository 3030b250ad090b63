"""What is reusable by content hash: parsed documents, vectors, generated contexts; rows of one table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from ragcli.codec import encode
from ragcli.errors import StoreError
from ragcli.index.postgres.database import Database, as_key
from ragcli.index.postgres.records import bytes_of, record_of
from ragcli.records import Document, FileReport

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class _Parsed:
    """What one file gave."""

    documents: tuple[Document, ...]
    reports: tuple[FileReport, ...]


class _Entries:
    """The entries of one kind, with the day on which each was put or last seen in use."""

    def __init__(self, database: Database, kind: str) -> None:
        self._database = database
        self._kind = kind

    def read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The values that are there, by key."""
        found: dict[bytes, bytes] = {}
        for start in range(0, len(keys), _BATCH):
            batch = list(keys[start : start + _BATCH])
            rows = self._database.rows(
                "SELECT key, value FROM cache WHERE kind = %s AND key = ANY(%s)", (self._kind, batch)
            )
            found.update((bytes(key), bytes(value)) for key, value in rows)
        return found

    def write(self, items: Iterable[tuple[bytes, bytes]]) -> None:
        """Keep the values, all of them or, when it fails, none."""
        day = date.today().toordinal()
        self._database.run_many(
            "INSERT INTO cache VALUES (%s, %s, %s, %s) ON CONFLICT (kind, key) DO UPDATE "
            "SET value = EXCLUDED.value, day = EXCLUDED.day",
            [(self._kind, key, value, day) for key, value in items],
        )

    def remove(self, keys: Sequence[bytes]) -> int:
        """Drop the entries of the keys; how many there were."""
        return self._database.run("DELETE FROM cache WHERE kind = %s AND key = ANY(%s)", (self._kind, list(keys)))

    def remove_where(self, unwanted: Callable[[bytes], bool]) -> int:
        """Drop the entries whose value is unwanted; how many there were."""
        rows = self._database.stream("SELECT key, value FROM cache WHERE kind = %s", (self._kind,))
        return self.remove([bytes(key) for key, value in rows if unwanted(bytes(value))])

    def trim(self, days: int, today: date, used: Callable[[], Iterable[bytes]]) -> int:
        """Drop the entries that were neither put nor among ``used`` for ``days`` days; how many there were."""
        rows = self._database.rows(
            "SELECT key FROM cache WHERE kind = %s AND day < %s", (self._kind, today.toordinal() - days)
        )
        old = {bytes(key) for (key,) in rows}
        if not old:
            return 0
        kept = old.intersection(used())
        with self._database.transaction():
            self._database.run(
                "UPDATE cache SET day = %s WHERE kind = %s AND key = ANY(%s)",
                (today.toordinal(), self._kind, sorted(kept)),
            )
            self.remove(sorted(old - kept))
        return len(old) - len(kept)

    def scrub(self) -> None:
        """Rewrite the table, so that nothing of dropped entries is left in its file."""
        self._database.run("VACUUM (FULL) cache")


class DocumentCache:
    """Parsed files, before metadata rules: key → documents and reports."""

    def __init__(self, database: Database) -> None:
        self._entries = _Entries(database, "document")

    def get(self, key: str) -> tuple[tuple[Document, ...], tuple[FileReport, ...]] | None:
        """What the file under ``key`` (content and parser) gave, or None when it has not been parsed."""
        value = self._entries.read([as_key(key)]).get(as_key(key))
        if value is None:
            return None
        try:
            found = record_of(_Parsed, value)
        except StoreError:  # damaged: as good as not there
            return None
        return found.documents, found.reports

    def put(self, key: str, documents: Sequence[Document], reports: Sequence[FileReport] = ()) -> None:
        """Keep what a file gave."""
        self._entries.write([(as_key(key), bytes_of(encode(_Parsed(tuple(documents), tuple(reports)))))])

    def remove_files(self, unwanted: Callable[[Sequence[Document], Sequence[FileReport]], bool]) -> int:
        """Drop, beyond recovery, every file whose documents and reports are unwanted; how many there were."""

        def holds(value: bytes) -> bool:
            try:
                parsed = record_of(_Parsed, value)
            except StoreError:
                return True  # what is in it cannot be told
            return unwanted(parsed.documents, parsed.reports)

        removed = self._entries.remove_where(holds)
        self._entries.scrub()
        return removed

    def trim(self, days: int, today: date, used: Callable[[], Iterable[str]]) -> int:
        """Drop what has not been among the ``used`` keys for so many days; how many files there were."""
        return self._entries.trim(days, today, lambda: map(as_key, used()))


class VectorCache:
    """Embedded texts: key (model, revision, prefix and text, hashed) → float32 vector."""

    def __init__(self, database: Database) -> None:
        self._entries = _Entries(database, "vector")

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        """The vectors that are there, by key; missing keys are left out."""
        import numpy as np

        stored = {key: value for key, value in self._entries.read(keys).items() if len(value) % 4 == 0}
        rows = {key: np.frombuffer(value, dtype="<f4") for key, value in stored.items()}
        return {key: row for key, row in rows.items() if np.isfinite(row).all()}

    def put_many(self, keys: Sequence[bytes], rows: NDArray[np.float32]) -> None:
        """Keep one row per key; the whole batch is kept, or none of it, when this returns or fails."""
        import numpy as np

        if len(keys) != len(rows):
            raise ValueError(f"{len(keys)} keys for {len(rows)} vectors")
        values = np.ascontiguousarray(rows, dtype="<f4")
        self._entries.write((key, row.tobytes()) for key, row in zip(keys, values, strict=True))

    def remove(self, keys: Sequence[bytes]) -> None:
        """Drop the vectors of the keys, beyond recovery."""
        self._entries.remove(keys)
        self._entries.scrub()

    def trim(self, days: int, today: date, used: Callable[[], Iterable[bytes]]) -> int:
        """Drop what has not been among the ``used`` keys for so many days; how many vectors there were."""
        return self._entries.trim(days, today, used)


class ContextCache:
    """Texts that a model wrote about chunks: key → text."""

    def __init__(self, database: Database) -> None:
        self._entries = _Entries(database, "context")

    def get(self, key: str) -> str | None:
        """The text kept under ``key``, or None."""
        value = self._entries.read([as_key(key)]).get(as_key(key))
        return None if value is None else record_of(str, value)

    def put(self, key: str, text: str) -> None:
        """Keep a text; it is safe when this returns."""
        self._entries.write([(as_key(key), bytes_of(text))])

    def remove_texts(self, texts: Collection[str]) -> int:
        """Drop, beyond recovery, the entries that hold one of the texts; how many there were."""
        unwanted = {bytes_of(text) for text in texts}
        removed = self._entries.remove_where(lambda value: value in unwanted)
        self._entries.scrub()
        return removed


class Caches:
    """The three caches of one index."""

    def __init__(self, database: Database) -> None:
        self.documents = DocumentCache(database)
        self.vectors = VectorCache(database)
        self.contexts = ContextCache(database)
