"""The caches as rows of one table: ``Entries`` of the caches of parsed documents, vectors and generated contexts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import Any

from ragcli.index.postgres.database import Database
from ragcli.index.postgres.records import Record, bytes_of, record_of
from ragcli.index.staged.caches import ContextCache, DocumentCache, VectorCache

_BATCH = 1_000


class _Entries:
    """The entries of one kind, with the day on which each was put or last seen in use."""

    def __init__(self, database: Database, kind: str) -> None:
        self._database = database
        self._kind = kind

    def packed(self, value: Any) -> bytes:
        """A JSON value as it is kept."""
        return bytes_of(value)

    def record(self, kind: type[Record], stored: bytes) -> Record:
        """The record that ``packed`` kept. Raises StoreError when it is none."""
        return record_of(kind, stored)

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

    def write(self, items: Sequence[tuple[bytes, bytes]]) -> None:
        """Keep the values, all of them or, when it fails, none."""
        day = date.today().toordinal()
        self._database.run_many(
            "INSERT INTO cache VALUES (%s, %s, %s, %s) ON CONFLICT (kind, key) DO UPDATE "
            "SET value = EXCLUDED.value, day = EXCLUDED.day",
            [(self._kind, key, value, day) for key, value in items],
        )

    def remove(self, keys: Sequence[bytes]) -> None:
        """Drop the entries of the keys."""
        self._database.run("DELETE FROM cache WHERE kind = %s AND key = ANY(%s)", (self._kind, list(keys)))

    def remove_where(self, unwanted: Callable[[bytes], bool]) -> int:
        """Drop the entries whose value is unwanted; how many there were."""
        rows = self._database.stream("SELECT key, value FROM cache WHERE kind = %s", (self._kind,))
        keys = [bytes(key) for key, value in rows if unwanted(bytes(value))]
        self.remove(keys)
        return len(keys)

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


class Caches:
    """The three caches of one index."""

    def __init__(self, database: Database) -> None:
        self.documents = DocumentCache(_Entries(database, "document"))
        self.vectors = VectorCache(_Entries(database, "vector"))
        self.contexts = ContextCache(_Entries(database, "context"))
