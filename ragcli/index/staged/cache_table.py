"""One cache as a SQLite file of keys and values, thrown away when it is damaged and trimmed when it is old."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

from ragcli.errors import StoreError
from ragcli.index.staged.database import (
    check_files,
    open_database,
    pack,
    scrub,
    store_errors,
    transaction,
    unpack_as,
)

Record = TypeVar("Record")

FORMAT = 1
_SCHEMA = "CREATE TABLE entries (key BLOB PRIMARY KEY, value BLOB NOT NULL)"
_AGES = "CREATE TABLE ages (key BLOB PRIMARY KEY, day INTEGER NOT NULL) WITHOUT ROWID"
_PAGE_COUNTS = ("page_count", "freelist_count")
_BATCH = 500
_HINT = "remove the cache folder of the index; it is filled again"


def _day(value: date) -> int:
    return value.toordinal()


class CacheTable:
    """One SQLite file of keys and values. ``ages`` holds the day on which each was put or last seen in use."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._database = self._open()

    def _open(self) -> sqlite3.Connection:
        check_files(self.path, _HINT)
        try:
            return self._opened()
        except StoreError as error:
            if not isinstance(error.__cause__, sqlite3.DatabaseError | None):
                raise
            if isinstance(error.__cause__, sqlite3.OperationalError):
                raise
        _remove_database(self.path)
        return self._opened()

    def _opened(self) -> sqlite3.Connection:
        database = open_database(self.path, f"{_SCHEMA}; {_AGES}", FORMAT, _HINT)
        try:
            with store_errors(self.path, _HINT):
                if not database.execute("SELECT 1 FROM sqlite_schema WHERE name = 'ages'").fetchone():
                    with transaction(database):
                        database.execute(_AGES)
                        database.execute("INSERT INTO ages SELECT key, ? FROM entries", (_day(date.today()),))
        except BaseException:
            database.close()
            raise
        return database

    def close(self) -> None:
        """Release the file."""
        self._database.close()

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        with store_errors(self.path, _HINT):
            yield

    def packed(self, value: Any) -> bytes:
        """A JSON value as it is kept. Raises StoreError for one that is too large to be read again."""
        return pack(value)

    def record(self, kind: type[Record], stored: bytes) -> Record:
        """The record that ``packed`` kept. Raises StoreError when it is none."""
        return unpack_as(kind, stored)

    def read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The values that are there, by key."""
        found: dict[bytes, bytes] = {}
        with self._errors():
            for start in range(0, len(keys), _BATCH):
                batch = keys[start : start + _BATCH]
                marks = ",".join("?" * len(batch))
                rows = self._database.execute(f"SELECT key, value FROM entries WHERE key IN ({marks})", batch)
                found.update((key, value) for key, value in rows if isinstance(value, bytes))
        return found

    def write(self, items: Sequence[tuple[bytes, bytes]]) -> None:
        """Keep the values, all of them or, when it fails, none."""
        with self._errors(), transaction(self._database):
            self._database.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?)", items)
            self._mark([key for key, _ in items], date.today())

    def remove(self, keys: Sequence[bytes]) -> None:
        """Drop the entries of the keys, all of them or, when it fails, none."""
        with self._errors(), transaction(self._database):
            self._database.executemany("DELETE FROM entries WHERE key = ?", [(key,) for key in keys])
            self._database.executemany("DELETE FROM ages WHERE key = ?", [(key,) for key in keys])

    def _mark(self, keys: Sequence[bytes], today: date) -> None:
        day = _day(today)
        self._database.executemany("INSERT OR REPLACE INTO ages VALUES (?, ?)", [(key, day) for key in keys])

    def trim(self, days: int, today: date, used: Callable[[], Iterable[bytes]]) -> int:
        """Drop the entries that were neither put nor seen in use for ``days`` days; how many there were.

        ``used`` gives the keys in use. It is asked only when something is old enough, and what it gives is young
        again, so that it is asked about once in so many days.
        """
        with self._errors():
            rows = self._database.execute("SELECT key FROM ages WHERE day < ?", (_day(today) - days,))
            old = {bytes(key) for (key,) in rows}
        if not old:
            return 0
        kept = old.intersection(used())
        with self._errors(), transaction(self._database):
            self._mark(sorted(kept), today)
            self.remove(sorted(old - kept))
        if len(old) > len(kept):
            self._give_back()
        return len(old) - len(kept)

    def _give_back(self) -> None:
        """Give the space of dropped entries back once it is half of the file; that needs room for a copy meanwhile."""
        with self._errors():
            (pages,), (free,) = (self._database.execute(f"PRAGMA {name}").fetchone() for name in _PAGE_COUNTS)
        if 2 * free > pages:
            with contextlib.suppress(StoreError):
                self.scrub()

    def remove_where(self, unwanted: Callable[[bytes], bool]) -> int:
        """Drop the entries whose value is unwanted; how many there were."""
        with self._errors():
            rows = self._database.execute("SELECT key, value FROM entries")
            keys = [key for key, value in rows if unwanted(value)]
        self.remove(keys)
        return len(keys)

    def scrub(self) -> None:
        """Rewrite the file, so that nothing of dropped entries is left in it."""
        with self._errors():
            scrub(self._database)


def _remove_database(path: Path) -> None:
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
