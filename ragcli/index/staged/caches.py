"""What is reusable by content hash: parsed documents, vectors, generated contexts.

A cache is never the only place of anything: a damaged one is thrown away and filled again. Only the holder of the
writer's lock opens them. Parsed documents and vectors that nothing staged has used for some days are dropped; contexts,
which may have been paid for, are kept.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ragcli.codec import encode
from ragcli.errors import StoreError
from ragcli.index.staged.cache_table import CacheTable
from ragcli.records import Document, FileReport

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Record = TypeVar("Record")


class Entries(Protocol):
    """Keys and values of one cache, wherever they are kept, with the day on which each was put or last seen in use."""

    def packed(self, value: Any) -> bytes:
        """A JSON value as it is kept. Raises StoreError for one that is too large to be read again."""

    def record(self, kind: type[Record], stored: bytes) -> Record:
        """The record that ``packed`` kept. Raises StoreError when it is none."""

    def read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The values that are there, by key."""

    def write(self, items: Sequence[tuple[bytes, bytes]]) -> None:
        """Keep the values, all of them or, when it fails, none."""

    def remove(self, keys: Sequence[bytes]) -> None:
        """Drop the entries of the keys, all of them or, when it fails, none."""

    def remove_where(self, unwanted: Callable[[bytes], bool]) -> int:
        """Drop the entries whose value is unwanted; how many there were."""

    def trim(self, days: int, today: date, used: Callable[[], Iterable[bytes]]) -> int:
        """Drop the entries that were neither put nor seen in use for ``days`` days; how many there were."""

    def scrub(self) -> None:
        """Leave nothing of dropped entries in any file."""


@dataclass(frozen=True, slots=True)
class _ParsedFile:
    """What one file gave."""

    documents: tuple[Document, ...]
    reports: tuple[FileReport, ...]


class DocumentCache:
    """Parsed files, before metadata rules: key → documents and reports."""

    def __init__(self, entries: Entries) -> None:
        self._entries = entries

    def get(self, key: str) -> tuple[tuple[Document, ...], tuple[FileReport, ...]] | None:
        """What the file under ``key`` (content and parser) gave, or None when it has not been parsed."""
        value = self._entries.read([_key(key)]).get(_key(key))
        with contextlib.suppress(StoreError):  # damaged: as good as not there
            if value is not None:
                found = self._entries.record(_ParsedFile, value)
                return found.documents, found.reports
        return None

    def put(self, key: str, documents: Sequence[Document], reports: Sequence[FileReport] = ()) -> None:
        """Keep what a file gave."""
        try:
            value = self._entries.packed(encode(_ParsedFile(tuple(documents), tuple(reports))))
        except StoreError:
            return  # too large to be read again: it is parsed anew
        self._entries.write([(_key(key), value)])

    def remove_files(self, unwanted: Callable[[Sequence[Document], Sequence[FileReport]], bool]) -> int:
        """Drop, beyond recovery, every file whose documents and reports are unwanted; how many there were."""

        def holds(value: bytes) -> bool:
            try:
                parsed = self._entries.record(_ParsedFile, value)
            except StoreError:
                return True  # what is in it cannot be told
            return unwanted(parsed.documents, parsed.reports)

        removed = self._entries.remove_where(holds)
        self._entries.scrub()
        return removed

    def trim(self, days: int, today: date, used: Callable[[], Iterable[str]]) -> int:
        """Drop what has not been among the ``used`` keys for so many days; how many files there were."""
        return self._entries.trim(days, today, lambda: map(_key, used()))


class VectorCache:
    """Embedded texts: key (model, revision, prefix and text, hashed) → float32 vector."""

    def __init__(self, entries: Entries) -> None:
        self._entries = entries

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
        self._entries.write([(key, row.tobytes()) for key, row in zip(keys, values, strict=True)])

    def remove(self, keys: Sequence[bytes]) -> None:
        """Drop the vectors of the keys, beyond recovery."""
        self._entries.remove(keys)
        self._entries.scrub()

    def trim(self, days: int, today: date, used: Callable[[], Iterable[bytes]]) -> int:
        """Drop what has not been among the ``used`` keys for so many days; how many vectors there were."""
        return self._entries.trim(days, today, used)


class ContextCache:
    """Texts that a model wrote about chunks: key → text."""

    def __init__(self, entries: Entries) -> None:
        self._entries = entries

    def get(self, key: str) -> str | None:
        """The text kept under ``key``, or None."""
        value = self._entries.read([_key(key)]).get(_key(key))
        return None if value is None else self._entries.record(str, value)

    def put(self, key: str, text: str) -> None:
        """Keep a text; it is safe when this returns."""
        self._entries.write([(_key(key), self._entries.packed(text))])

    def remove_texts(self, texts: Collection[str]) -> int:
        """Drop, beyond recovery, the entries that hold one of the texts; how many there were."""
        unwanted = set(texts)

        def holds(value: bytes) -> bool:
            try:
                return self._entries.record(str, value) in unwanted
            except StoreError:
                return True  # what is in it cannot be told

        removed = self._entries.remove_where(holds)
        self._entries.scrub()
        return removed


def _key(key: str) -> bytes:
    return key.encode("utf-8", "surrogatepass")


class Caches:
    """The three caches under one folder, each opened when it is first used."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._tables: list[CacheTable] = []

    def _table(self, name: str) -> CacheTable:
        self._tables.append(CacheTable(self.folder / name))
        return self._tables[-1]

    @functools.cached_property
    def documents(self) -> DocumentCache:
        """Parsed files."""
        return DocumentCache(self._table("documents.sqlite"))

    @functools.cached_property
    def vectors(self) -> VectorCache:
        """Embedded texts."""
        return VectorCache(self._table("vectors.sqlite"))

    @functools.cached_property
    def contexts(self) -> ContextCache:
        """Generated contexts."""
        return ContextCache(self._table("contexts.sqlite"))

    def close(self) -> None:
        """Release every opened cache; one that is used again is opened again."""
        for table in self._tables:
            table.close()
        self._tables.clear()
        for name in ("documents", "vectors", "contexts"):
            self.__dict__.pop(name, None)
