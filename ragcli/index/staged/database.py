"""SQLite, opened in one way, with its failures told as StoreError.

A database may have been written by anyone. It is opened only when it is a file in its own place, with a schema of ours
to the letter: no view, trigger, computed column or virtual table runs. What it gives is bounded by what it is: no value
is larger than the file, no record unpacks to more than its kind may have, and a statement ends after so many steps.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import sqlite3
import sys
import threading
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ragcli.codec import decode
from ragcli.errors import DiskError, StoreError
from ragcli.index.durable import DISK_HINT
from ragcli.names import name_of
from ragcli.regular_files import check_file, make_folder, open_regular, parse_json

Record = TypeVar("Record")

_BUSY_SECONDS = 30.0
_DISK_CODES = frozenset(
    {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}
)
_BESIDE = ("-wal", "-shm", "-journal")
_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
_LEAST_LENGTH = 1 << 20
_STEPS_PER_CALL = 1 << 20
_STEPS_PER_BYTE = 4
"""A step of SQLite's machine handles a value or goes on to the next row, and a row takes more than a byte."""

SMALL_RECORD = 16 << 20
"""Bytes that a chunk, or what is known of a document, may unpack to."""
LARGE_RECORD = 1 << 30
"""Bytes that a whole document, or all that came out of a file, may unpack to."""


@contextlib.contextmanager
def store_errors(path: Path, hint: str = "") -> Iterator[None]:
    """Turn what SQLite and the file system complain about into a StoreError that names ``path``.

    ``hint`` is for a file that is damaged; a full or read-only disk has a hint of its own.
    """
    try:
        yield
    except sqlite3.Error as error:
        if _is_of_the_disk(error):
            raise DiskError(f"{path}: {error}", hint=DISK_HINT) from error
        raise StoreError(f"{path}: {error}", hint=hint) from error
    except UnicodeDecodeError as error:  # SQLite's own message quotes bytes of the file
        raise StoreError(f"{path}: its schema is damaged", hint=hint) from sqlite3.DatabaseError(str(error))
    except OSError as error:
        raise DiskError(f"{error.filename or path}: {error.strerror or error}", hint=DISK_HINT) from error


@contextlib.contextmanager
def damage_told(path: Path, hint: str) -> Iterator[None]:
    """Turn what reading stored values trips over into a StoreError: ``path`` holds what ragcli did not write."""
    try:
        yield
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
        raise StoreError(f"{path} holds what ragcli did not write: {str(error)[:200]}", hint=hint) from error


def stored_name(value: object, hint: str) -> str:
    """The name that was kept as ``value``. Raises StoreError when those bytes are none."""
    try:
        return name_of(value)
    except UnicodeDecodeError as error:
        raise StoreError(f"a stored name is damaged: {value!r:.60}", hint=hint) from error


def _is_of_the_disk(error: sqlite3.Error) -> bool:
    """Whether the file may well be sound and its disk is full, read-only or failing."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DISK_CODES


def open_database(
    path: Path, schema: str, version: int, hint: str, steps: Mapping[int, str] | None = None
) -> sqlite3.Connection:
    """A database for one writer, made with ``schema`` when it is new.

    ``steps`` has, for an older schema version, what leads from it to the next. Raises StoreError when it cannot be
    opened, is damaged, or was made under another schema or schema version.
    """
    with store_errors(path, hint):
        make_folder(path.parent)
        check_files(path, hint)
        connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            _distrust(connection)
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            _prepare(connection, path, schema, version, hint, steps or {})
            _check_schema(connection, path, schema, hint)
        except BaseException:
            connection.close()
            raise
    return connection


def _prepare(
    connection: sqlite3.Connection, path: Path, schema: str, version: int, hint: str, steps: Mapping[int, str]
) -> None:
    found = connection.execute("PRAGMA user_version").fetchone()[0]
    while found in steps:
        connection.executescript(f"BEGIN IMMEDIATE; {steps[found]}; PRAGMA user_version={found + 1}; COMMIT")
        found += 1
    if found == version:
        return
    if found != 0:
        raise StoreError(f"{path} has format {found}, this ragcli reads format {version}", hint=hint)
    connection.executescript(f"BEGIN IMMEDIATE; {schema}; PRAGMA user_version={version}; COMMIT")


class SealedDatabase:
    """A finished, immutable database, read-only: no locks, no journal, nothing is written beside it."""

    def __init__(self, path: Path, schema: str, hint: str) -> None:
        """Raises StoreError unless it has the very tables and indexes of ``schema``."""
        self.path = path
        self._hint = hint
        # Both legs of a search ask at once, and Python 3.12 hands one prepared statement to two threads.
        self._asking = threading.Lock()
        with store_errors(path, hint):
            self._size = max(_LEAST_LENGTH, path.lstat().st_size if check_file(path, hint) else 0)
            self._steps = _StepLimit(self._size)
            uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
            self._connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
            try:
                self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, self._size)
                self._connection.set_progress_handler(self._steps, _STEPS_PER_CALL)
                self._connection.execute("PRAGMA query_only=1")
                self._connection.execute("PRAGMA mmap_size=0")
                _distrust(self._connection)
                _check_schema(self._connection, path, schema, hint)
            except BaseException:
                self._connection.close()
                raise

    def close(self) -> None:
        """Release the file."""
        self._connection.close()

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """What a statement gives. Raises StoreError when that is more than the file holds: it must be damaged."""
        found, left = [], self._size
        with self._asking, store_errors(self.path, self._hint):
            self._steps.calls = 0
            for row in self._connection.execute(sql, values):
                left -= sum(len(value) for value in row if isinstance(value, str | bytes))
                if left < 0:
                    raise StoreError(f"{self.path}: its pages lead in circles", hint=self._hint)
                found.append(row)
        return found


# ------------------------------------------------------------ distrust


def _distrust(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA trusted_schema=0")
    connection.execute("PRAGMA cell_size_check=1")
    if sys.version_info >= (3, 12):
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)


def check_files(path: Path, hint: str) -> None:
    """Raise StoreError when the database or a file beside it is no file, or its journal is not ours.

    SQLite removes the file that a rollback journal names as its super-journal. Ours never name one: no transaction
    spans two databases.
    """
    check_file(path, hint)
    for ending in _BESIDE:
        check_file(path.with_name(path.name + ending), hint)
    journal = path.with_name(path.name + "-journal")
    with contextlib.suppress(FileNotFoundError):
        descriptor = open_regular(journal, hint=hint)
        with os.fdopen(descriptor, "rb") as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, size - len(_JOURNAL_MAGIC)))
            named = size > len(_JOURNAL_MAGIC) and stream.read() == _JOURNAL_MAGIC
        if named:
            raise StoreError(f"{journal} names another journal, as none of ours does", hint=hint)


def _check_schema(connection: sqlite3.Connection, path: Path, schema: str, hint: str) -> None:
    """Raise StoreError unless all that is in the database was made by ``schema``, to the letter.

    A table that is missing says so itself when it is asked.
    """
    foreign = _objects(connection) - _expected(schema)
    if foreign:
        names = sorted({name for name, _ in foreign})
        raise StoreError(f"{path} holds other tables than ragcli makes: {', '.join(names)[:200]}", hint=hint)


@functools.cache
def _expected(schema: str) -> frozenset[tuple[str, str]]:
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(schema)
        return _objects(connection)


def _objects(connection: sqlite3.Connection) -> frozenset[tuple[str, str]]:
    """Name and definition of everything in the schema; the indexes that SQLite makes by itself have none.

    Without blanks: a column that was added later stands after others than those it would have been written with.
    """
    rows = connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
    return frozenset((str(name), "".join(str(sql).split())) for name, sql in rows)


class _StepLimit:
    """Ends a statement that takes more steps than a database of its size can need."""

    def __init__(self, size: int) -> None:
        self._most = max(16, size * _STEPS_PER_BYTE // _STEPS_PER_CALL)
        self.calls = 0

    def __call__(self) -> bool:
        self.calls += 1
        return self.calls > self._most


# ------------------------------------------------------------ transactions


def scrub(connection: sqlite3.Connection) -> None:
    """Rewrite the file so that nothing of deleted rows is left in it."""
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All of the block or nothing of it; inside another transaction, part of that one."""
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


# ------------------------------------------------------------ records


def pack(value: Any, limit: int = LARGE_RECORD) -> bytes:
    """A JSON value as compressed bytes; equal values, equal bytes. Raises StoreError over ``limit`` bytes of JSON."""
    return pack_bytes(canonical(value), limit)


def pack_bytes(content: bytes, limit: int = LARGE_RECORD) -> bytes:
    """What ``canonical`` gave, compressed: the same as ``pack`` of the value."""
    if len(content) > limit:
        hint = "ingest.max_file_mb keeps such files out, chunk.size makes chunks smaller"
        raise StoreError(
            f"a record of {len(content):,} bytes is larger than the {limit:,} that are read again", hint=hint
        )
    return zlib.compress(content, 1)


def unpack(data: object, limit: int = LARGE_RECORD) -> Any:
    """The value that ``pack`` made ``data`` from. Raises StoreError when it is damaged or larger than ``limit``."""
    try:
        if not isinstance(data, bytes):
            raise ValueError(f"it is {type(data).__name__}, expected bytes")
        unpacking = zlib.decompressobj()
        content = unpacking.decompress(data, limit)
        if not unpacking.eof:
            raise ValueError(f"it is cut off, or unpacks to more than {limit:,} bytes")
        return parse_json(content)
    except (zlib.error, ValueError) as error:
        hint = "rag versions verify; rag index --rebuild"
        raise StoreError(f"a stored record is damaged: {error}", hint=hint) from error


def unpack_as(kind: type[Record], data: object, limit: int = LARGE_RECORD, **more: Any) -> Record:
    """The record that ``data`` was packed from, with the fields ``more``. Raises StoreError when it is none."""
    return as_record(kind, unpack(data, limit), **more)


def as_record(kind: type[Record], content: object, **more: Any) -> Record:
    """An unpacked value as a record, with the fields ``more``. Raises StoreError when it is none."""
    try:
        return decode(kind, {**content, **more} if isinstance(content, dict) else content)
    except TypeError as error:
        hint = "rag versions verify; rag index --rebuild"
        raise StoreError(f"a stored record is damaged: {error}", hint=hint) from error


def canonical(value: Any) -> bytes:
    """A JSON value as bytes that are equal exactly when the values are; lone surrogates survive."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
