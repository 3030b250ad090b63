"""SQLite, opened in one way, with its failures told as StoreError."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragcli.errors import StoreError

_BUSY_SECONDS = 30.0
_DISK_HINT = "make room on the disk, or mend its permissions, and run it again; what is published still serves"
_DISK_CODES = frozenset(
    {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}
)


@contextlib.contextmanager
def store_errors(path: Path, hint: str = "") -> Iterator[None]:
    """Turn what SQLite and the file system complain about into a StoreError that names ``path``.

    ``hint`` is for a file that is damaged; a full or read-only disk has a hint of its own.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{path}: {error}", hint=_DISK_HINT if _is_of_the_disk(error) else hint) from error
    except OSError as error:
        raise StoreError(f"{error.filename or path}: {error.strerror or error}", hint=_DISK_HINT) from error


def _is_of_the_disk(error: sqlite3.Error) -> bool:
    """Whether the file may well be sound and its disk is full, read-only or failing."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DISK_CODES


def open_database(
    path: Path, schema: str, version: int, hint: str, steps: Mapping[int, str] | None = None
) -> sqlite3.Connection:
    """A database for one writer, made with ``schema`` when it is new.

    ``steps`` has, for an older schema version, what leads from it to the next. Raises StoreError when it cannot be
    opened, is damaged, or was made under a version that no step leads on from.
    """
    with store_errors(path, hint):
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            _prepare(connection, path, schema, version, hint, steps or {})
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


def open_sealed(path: Path) -> sqlite3.Connection:
    """A finished, immutable database, read-only: no locks, no journal, nothing is written beside it."""
    with store_errors(path):
        uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA query_only=1")
            connection.execute("PRAGMA trusted_schema=0")
            connection.execute("PRAGMA cell_size_check=1")
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        except BaseException:
            connection.close()
            raise
    return connection


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


def pack(value: Any) -> bytes:
    """A JSON value as compressed bytes; equal values, equal bytes."""
    return pack_bytes(canonical(value))


def pack_bytes(content: bytes) -> bytes:
    """What ``canonical`` gave, compressed: the same as ``pack`` of the value."""
    return zlib.compress(content, 1)


def unpack(data: bytes) -> Any:
    """The value that ``pack`` made ``data`` from. Raises StoreError when the bytes are damaged."""
    try:
        return json.loads(zlib.decompress(data))
    except (zlib.error, ValueError) as error:
        raise StoreError(f"a stored record is damaged: {error}", hint="rag versions verify") from error


def canonical(value: Any) -> bytes:
    """A JSON value as bytes that are equal exactly when the values are; lone surrogates survive."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
