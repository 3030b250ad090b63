"""One connection to PostgreSQL, its failures told as StoreError. Nothing else in ragcli knows the driver.

Names and records are kept as bytes (``bytea``): PostgreSQL's text holds neither NUL nor what is no valid text, and
bytes sort as Python sorts the text they are of.
"""

from __future__ import annotations

import contextlib
import os
import re
import socket
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ragcli.errors import EngineUnreachable, StoreError

if TYPE_CHECKING:
    import psycopg

ADDRESS = "RAG_DATABASE_URL"
_ADDRESS_HINT = f"export {ADDRESS}=postgresql://USER:PASSWORD@HOST:5432/DATABASE; the server must be up"
_NAME = re.compile(r"[a-z_][a-z0-9_]{0,50}")
_CONNECT_SECONDS = 10
_BATCH = 1_000

Values = Sequence[object] | Mapping[str, object]


def as_key(name: str) -> bytes:
    """A name as it is stored; ``as_name`` is the way back."""
    return name.encode("utf-8", "surrogatepass")


def as_name(stored: bytes) -> str:
    """The name that was stored."""
    return bytes(stored).decode("utf-8", "surrogatepass")


def place_of(address: str, schema: str) -> str:
    """Where an index is, as printed: host, database and schema, without user and password."""
    try:
        from psycopg import Error, conninfo

        parts = conninfo.conninfo_to_dict(address)
    except ImportError as error:
        raise EngineUnreachable(f"PostgreSQL needs a driver: {error}", hint="pip install 'ragcli[postgres]'") from error
    except Error as error:
        raise StoreError(f"{ADDRESS} is no database address", hint=_ADDRESS_HINT) from error
    host, port = parts.get("host") or "localhost", parts.get("port")
    where = f"{host}:{port}" if port else str(host)
    return f"postgresql://{where}/{parts.get('dbname') or ''} ({schema})"


class Database:
    """A connection whose tables are those of one schema. Every statement outside ``transaction`` commits by itself.

    Threads may share it: one at a time has it, for a statement or for a whole transaction.
    """

    def __init__(self, address: str, schema: str) -> None:
        """Connect. Raises StoreError when the server cannot be reached or lacks pgvector."""
        if not _NAME.fullmatch(schema):
            raise ValueError(f"{schema!r} is no name of a schema")
        self.location = place_of(address, schema)
        self.schema = schema
        self._in_use = threading.RLock()
        self._connection = _connected(address, self.location)
        self._closing = weakref.finalize(self, self._connection.close)
        with self._told():
            self._find_vectors()

    def _find_vectors(self) -> None:
        """Put pgvector's types on the search path, made where it may be."""
        found = self._extension()
        if found is None:
            from psycopg import Error

            try:
                self._connection.execute("CREATE EXTENSION IF NOT EXISTS vector SCHEMA public")
            except Error as error:
                raise StoreError(
                    f"{self.location} has no pgvector: {str(error).strip()}",
                    hint="a superuser runs CREATE EXTENSION vector; Debian's package is postgresql-18-pgvector",
                ) from error
            found = self._extension()
        self._connection.execute("SELECT set_config('search_path', %s, false)", (f"{self.schema}, {found}",))
        from pgvector.psycopg import register_vector

        register_vector(self._connection)

    def _extension(self) -> str | None:
        row = self._connection.execute(
            "SELECT quote_ident(nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = extnamespace "
            "WHERE extname = 'vector'"
        ).fetchone()
        return None if row is None else str(row[0])

    def close(self) -> None:
        """Let go of the connection and of every lock that it holds."""
        self._closing()

    @property
    def lost(self) -> bool:
        """Whether the connection has ended: closed, or the server went away."""
        return self._connection.closed

    @contextlib.contextmanager
    def _told(self) -> Iterator[None]:
        from psycopg import Error

        try:
            with self._in_use:
                yield
        except Error as error:
            message = " ".join(str(error).split())[:300] or type(error).__name__
            raise StoreError(f"{self.location}: {message}", hint="rag doctor; rag versions verify") from error

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All of the block or nothing of it; inside another transaction, part of that one."""
        with self._told(), self._connection.transaction():
            yield

    def rows(self, sql: str, values: Values = ()) -> list[tuple[Any, ...]]:
        """What a statement gives."""
        with self._told():
            return self._connection.execute(sql, values or None).fetchall()

    def row(self, sql: str, values: Values = ()) -> tuple[Any, ...] | None:
        """The first row of what a statement gives, None when it gives nothing."""
        found = self.rows(sql, values)
        return found[0] if found else None

    def run(self, sql: str, values: Values = ()) -> int:
        """Carry out a statement; how many rows it touched."""
        with self._told():
            return self._connection.execute(sql, values or None).rowcount

    def run_many(self, sql: str, values: Iterable[Sequence[object]]) -> None:
        """Carry out a statement for each of the values; all of them or, when one fails, none."""
        with self.transaction(), self._connection.cursor() as cursor:
            cursor.executemany(sql, values)

    def copy(self, table: str, columns: str, types: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Add many rows to a table."""
        statement = f"COPY {table} ({columns}) FROM STDIN (FORMAT BINARY)"
        with self.transaction(), self._connection.cursor() as cursor, cursor.copy(statement) as copy:
            copy.set_types(types)
            for row in rows:
                copy.write_row(row)

    def stream(self, sql: str, values: Values = ()) -> Iterator[tuple[Any, ...]]:
        """What a statement gives, a thousand rows at a time, as it stood when it was begun."""
        with self.transaction(), self._connection.cursor(name="ragcli_stream") as cursor:
            cursor.itersize = _BATCH
            yield from cursor.execute(sql, values or None)


def _connected(address: str, location: str) -> psycopg.Connection[tuple[Any, ...]]:
    import psycopg

    name = f"rag {os.getpid()} {socket.gethostname()[:24]} {datetime.now(UTC):%Y-%m-%dT%H:%M:%S}"
    try:
        return psycopg.connect(
            address, autocommit=True, application_name=name, connect_timeout=_CONNECT_SECONDS, client_encoding="UTF8"
        )
    except psycopg.Error as error:
        message = " ".join(str(error).split())[:300]
        raise EngineUnreachable(f"{location} cannot be reached: {message}", hint=_ADDRESS_HINT) from error
