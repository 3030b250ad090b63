"""What is reusable by content hash: parsed documents, vectors, generated contexts.

A cache is never the only place of anything: a damaged one is thrown away and filled again. Only the holder of the
writer's lock opens them. Parsed documents and vectors that nothing staged has used for some days are dropped; contexts,
which may have been paid for, are kept.
"""

from __future__ import annotations

import contextlib
import functools
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from ragcli.codec import encode
from ragcli.errors import StoreError
from ragcli.index.staged.database import (
    as_record,
    check_files,
    open_database,
    pack,
    scrub,
    store_errors,
    transaction,
    unpack,
    unpack_as,
)
from ragcli.records import Document, FileReport

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class _Parsed:
    """What one file gave."""

    documents: tuple[Document, ...]
    reports: tuple[FileReport, ...]


class DocumentCache:
    """Parsed files, before metadata rules: key → documents and reports."""

    def __init__(self, path: Path) -> None:
        self._table = CacheTable(path)

    def get(self, key: str) -> tuple[tuple[Document, ...], tuple[FileReport, ...]] | None:
        """What the file under ``key`` (content and parser) gave, or None when it has not been parsed."""
        value = self._table.read([_key(key)]).get(_key(key))
        with contextlib.suppress(StoreError):  # damaged: as good as not there
            if value is not None:
                found = unpack_as(_Parsed, value)
                return found.documents, found.reports
        return None

    def put(self, key: str, documents: Sequence[Document], reports: Sequence[FileReport] = ()) -> None:
        """Keep what a file gave."""
        try:
            value = pack(encode(_Parsed(tuple(documents), tuple(reports))))
        except StoreError:
            return  # too large to be read again: it is parsed anew
        self._table.write([(_key(key), value)])

    def remove_files(self, unwanted: Callable[[Sequence[Document], Sequence[FileReport]], bool]) -> int:
        """Drop, beyond recovery, every file whose documents and reports are unwanted; how many there were."""

        def holds(value: bytes) -> bool:
            try:
                parsed = unpack_as(_Parsed, value)
            except StoreError:
                return True  # what is in it cannot be told
            return unwanted(parsed.documents, parsed.reports)

        removed = self._table.remove_where(holds)
        self._table.scrub()
        return removed

    def trim(self, days: int, today: date, used: Callable[[], Iterable[str]]) -> int:
        """Drop what has not been among the ``used`` keys for so many days; how many files there were."""
        return self._table.trim(days, today, lambda: map(_key, used()))

    def close(self) -> None:
        """Release the file."""
        self._table.close()


class VectorCache:
    """Embedded texts: key (model, revision, prefix and text, hashed) → float32 vector."""

    def __init__(self, path: Path) -> None:
        self._table = CacheTable(path)

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        """The vectors that are there, by key; missing keys are left out."""
        import numpy as np

        stored = {key: value for key, value in self._table.read(keys).items() if len(value) % 4 == 0}
        rows = {key: np.frombuffer(value, dtype="<f4") for key, value in stored.items()}
        return {key: row for key, row in rows.items() if np.isfinite(row).all()}

    def put_many(self, keys: Sequence[bytes], rows: NDArray[np.float32]) -> None:
        """Keep one row per key; the whole batch is on disk, or none of it, when this returns or fails."""
        import numpy as np

        if len(keys) != len(rows):
            raise ValueError(f"{len(keys)} keys for {len(rows)} vectors")
        values = np.ascontiguousarray(rows, dtype="<f4")
        self._table.write([(key, row.tobytes()) for key, row in zip(keys, values, strict=True)])

    def remove(self, keys: Sequence[bytes]) -> None:
        """Drop the vectors of the keys, beyond recovery."""
        self._table.remove(keys)
        self._table.scrub()

    def trim(self, days: int, today: date, used: Callable[[], Iterable[bytes]]) -> int:
        """Drop what has not been among the ``used`` keys for so many days; how many vectors there were."""
        return self._table.trim(days, today, used)

    def close(self) -> None:
        """Release the file."""
        self._table.close()


class ContextCache:
    """Texts that a model wrote about chunks: key → text."""

    def __init__(self, path: Path) -> None:
        self._table = CacheTable(path)

    def get(self, key: str) -> str | None:
        """The text kept under ``key``, or None."""
        value = self._table.read([_key(key)]).get(_key(key))
        return None if value is None else as_record(str, unpack(value))

    def put(self, key: str, text: str) -> None:
        """Keep a text; it is on disk when this returns."""
        self._table.write([(_key(key), pack(text))])

    def remove(self, keys: Sequence[str]) -> None:
        """Drop what is kept under the keys."""
        self._table.remove([_key(key) for key in keys])

    def remove_texts(self, texts: Collection[str]) -> int:
        """Drop, beyond recovery, the entries that hold one of the texts; how many there were."""
        unwanted = set(texts)
        removed = self._table.remove_where(lambda value: unpack(value) in unwanted)
        self._table.scrub()
        return removed

    def close(self) -> None:
        """Release the file."""
        self._table.close()


def _key(key: str) -> bytes:
    return key.encode("utf-8", "surrogatepass")


class Caches:
    """The three caches under one folder, each opened when it is first used."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @functools.cached_property
    def documents(self) -> DocumentCache:
        """Parsed files."""
        return DocumentCache(self.folder / "documents.sqlite")

    @functools.cached_property
    def vectors(self) -> VectorCache:
        """Embedded texts."""
        return VectorCache(self.folder / "vectors.sqlite")

    @functools.cached_property
    def contexts(self) -> ContextCache:
        """Generated contexts."""
        return ContextCache(self.folder / "contexts.sqlite")

    def close(self) -> None:
        """Release every opened cache."""
        for name in ("documents", "vectors", "contexts"):
            cache = self.__dict__.pop(name, None)
            if cache is not None:
                cache.close()


# One cache: a SQLite file of keys and values that is thrown away when it is damaged and trimmed when it is old.

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
