"""The versions of an index in PostgreSQL: their rows, pins that keep them while they are read, and removal."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ragcli.codec import encode
from ragcli.errors import ConfigError, StoreError
from ragcli.index.manifest import VERSION_NAME
from ragcli.index.postgres.database import Database, as_name
from ragcli.index.postgres.records import bytes_of, record_of
from ragcli.index.staged.staging import fingerprint as fingerprint_of
from ragcli.index.versions import number as number_of
from ragcli.records import EmbedderInfo, VersionInfo

AT = "born <= %(version)s AND died > %(version)s"
"""Which places a version is made of."""


@dataclass(frozen=True, slots=True)
class StoredManifest:
    """What a version says about itself. ``build`` is that of its contents; ``languages`` are those of its documents."""

    package: str
    embedder: EmbedderInfo
    analyser: str
    build: str
    languages: tuple[str, ...]
    config: Mapping[str, Mapping[str, Any]]
    config_hash: str
    roots: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Published:
    """A version."""

    number: int
    created: str
    fingerprint: str
    documents: int
    chunks: int
    recall: float | None
    current: bool
    manifest: StoredManifest

    @property
    def name(self) -> str:
        """``v000007``."""
        return name_of(self.number)


def name_of(number: int) -> str:
    """``v000007`` for 7."""
    return f"v{number:06d}"


_COLUMNS = "number, created, fingerprint, documents, chunks, recall, current, manifest"


def every(database: Database) -> list[Published]:
    """Every version, oldest first."""
    return [_published(row) for row in database.rows(f"SELECT {_COLUMNS} FROM versions ORDER BY number")]


def current(database: Database) -> Published | None:
    """The current version, None when nothing has been published."""
    row = database.row(f"SELECT {_COLUMNS} FROM versions WHERE current")
    return None if row is None else _published(row)


def find(database: Database | None, version: str | None, location: str) -> Published:
    """A version by name, the current one for None.

    Raises ConfigError for a name that is none, StoreError (``index_missing``) for a version that is not there.
    """
    if version is not None and not VERSION_NAME.fullmatch(version):
        raise ConfigError(f"{version!r} is no version name such as v000007", hint="rag versions list")
    found = None if database is None else current(database) if version is None else _numbered(database, version)
    if found is not None:
        return found
    if version is None:
        raise StoreError(f"no index in {location}", hint="rag ingest PATH makes one", category="index_missing")
    known = [item.name for item in every(database)] if database is not None else []
    raise StoreError(
        f"version {version} is not in {location} (there: {', '.join(known) or 'none'})",
        hint=f"rag versions use {known[-1]}" if known else "rag ingest PATH makes one",
        category="index_missing",
    )


def _numbered(database: Database, version: str) -> Published | None:
    row = database.row(f"SELECT {_COLUMNS} FROM versions WHERE number = %s", (min(number_of(version), 2**31 - 1),))
    return None if row is None else _published(row)


def _published(row: tuple[Any, ...]) -> Published:
    number, created, fingerprint, documents, chunks, recall, serving, manifest = row
    return Published(
        number, created, fingerprint, documents, chunks, recall, serving, record_of(StoredManifest, manifest)
    )


def add(database: Database, version: Published) -> None:
    """Add a version; when it is the current one, the one before no longer is."""
    if version.current:
        database.run("UPDATE versions SET current = false WHERE current")
    database.run(
        f"INSERT INTO versions ({_COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
        (
            version.number,
            version.created,
            version.fingerprint,
            version.documents,
            version.chunks,
            version.recall,
            version.current,
            bytes_of(encode(version.manifest)),
        ),
    )


def set_current(database: Database, number: int) -> None:
    """Point at a version, in one step."""
    with database.transaction():
        database.run("UPDATE versions SET current = false WHERE current")
        database.run("UPDATE versions SET current = true WHERE number = %s", (number,))


def describe(database: Database, version: Published) -> VersionInfo:
    """One version as ``rag versions list`` shows it; its bytes are those of its records and vectors."""
    row = database.row(
        "SELECT coalesce(sum(pg_column_size(c.head) + pg_column_size(c.body)), 0) + coalesce(sum(k.size), 0) "
        "FROM places p JOIN contents c USING (content) LEFT JOIN LATERAL (SELECT sum(pg_column_size(data) + "
        f"pg_column_size(embedding)) AS size FROM chunks WHERE content = c.content) k ON true WHERE {AT}",
        {"version": version.number},
    )
    return VersionInfo(
        version.name,
        version.created,
        version.documents,
        version.chunks,
        version.current,
        int(row[0]) if row is not None else 0,
        version.manifest.embedder.model,
        version.recall,
    )


# Pins: a reader holds a shared lock on its version, and only what nobody holds is removed.


def lock_key(schema: str) -> int:
    """The number of an index's writer lock, a signed 64-bit integer."""
    return int.from_bytes(hashlib.sha256(f"ragcli writer {schema}".encode()).digest()[:8], "big", signed=True)


def _pin_key(schema: str) -> int:
    return int.from_bytes(hashlib.sha256(f"ragcli reader {schema}".encode()).digest()[:4], "big", signed=True)


def pin(database: Database, number: int) -> bool:
    """Keep a version for as long as the connection lasts; False when it has been removed meanwhile."""
    values = (_pin_key(database.schema), number)
    database.rows("SELECT pg_advisory_lock_shared(%s, %s)", values)
    if database.row("SELECT 1 FROM versions WHERE number = %s", (number,)) is not None:
        return True
    database.rows("SELECT pg_advisory_unlock_shared(%s, %s)", values)
    return False


def prune(database: Database, keep: int) -> list[str]:
    """Remove all but the newest ``keep`` versions and the current one; those that are being read stay for now."""
    versions = every(database)
    old = [version for version in versions[: max(0, len(versions) - keep)] if not version.current]
    removed = [version.name for version in old if _remove(database, version.number)]
    sweep(database)
    return removed


def _remove(database: Database, number: int) -> bool:
    values = (_pin_key(database.schema), number)
    if database.row("SELECT pg_try_advisory_lock(%s, %s)", values) != (True,):
        return False
    try:
        database.run("DELETE FROM versions WHERE number = %s", (number,))
    finally:
        database.rows("SELECT pg_advisory_unlock(%s, %s)", values)
    return True


def sweep(database: Database) -> None:
    """Remove places that are in no version, and contents without a place."""
    with database.transaction():
        database.run(
            "DELETE FROM places p WHERE NOT EXISTS "
            "(SELECT 1 FROM versions v WHERE p.born <= v.number AND p.died > v.number)"
        )
        database.run("DELETE FROM contents c WHERE NOT EXISTS (SELECT 1 FROM places p WHERE p.content = c.content)")


def summary(database: Database, number: int) -> tuple[str, int, int]:
    """Fingerprint, documents and chunks of a version, from its places."""
    rows = database.rows(
        f"SELECT p.doc_id, entry_key, chunk_count FROM places p JOIN contents USING (content) WHERE {AT} "
        "ORDER BY p.doc_id",
        {"version": number},
    )
    pairs = ((as_name(doc_id), str(key)) for doc_id, key, _ in rows)
    return fingerprint_of(pairs), len(rows), sum(int(count) for _, _, count in rows)


def refresh(database: Database, numbers: Collection[int]) -> None:
    """Count versions anew whose places have changed."""
    for number in numbers:
        database.run(
            "UPDATE versions SET fingerprint = %s, documents = %s, chunks = %s WHERE number = %s",
            (*summary(database, number), number),
        )
