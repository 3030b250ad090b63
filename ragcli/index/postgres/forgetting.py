"""Erases documents from every version, and searches all tables for what is left of them.

Rows that are deleted stay in a table's files until it is rewritten, so it is. What the server archives (its log of
changes, backups, replicas that lag) is its administrator's to clear.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ragcli.codec import encode
from ragcli.index.postgres import versions
from ragcli.index.postgres.contents import digest, records
from ragcli.index.postgres.database import Database, as_key
from ragcli.index.postgres.records import bytes_of, record_of
from ragcli.index.traces_of_text import forms
from ragcli.interfaces import IsMeant
from ragcli.names import valid
from ragcli.records import Document

_CONTENTS = ("postings", "attributes", "chunks", "places", "contents", "versions")
_LOGS = ("traces", "turns", "notes")


@dataclass(frozen=True, slots=True)
class _DoomedContents:
    """Contents that hold wanted documents, and what the others are from now on that name one as a copy."""

    doomed: tuple[int, ...]
    renamed: Mapping[int, Document]

    def __bool__(self) -> bool:
        return bool(self.doomed or self.renamed)


def wanted_contents(database: Database, wanted: IsMeant) -> _DoomedContents:
    """The contents of any version that are meant."""
    doomed, renamed = [], {}
    for content, head in database.stream("SELECT content, head FROM contents ORDER BY content"):
        document = record_of(Document, head, text="", blocks=[], sections=[])
        if wanted(document.doc_id, document.source):
            doomed.append(int(content))
        elif any(wanted(name, name) for name in document.also_in):
            left = tuple(name for name in document.also_in if not wanted(name, name))
            renamed[int(content)] = replace(document, also_in=left)
    return _DoomedContents(tuple(doomed), renamed)


def erase(database: Database, wanted: IsMeant, roots: Collection[str]) -> list[str]:
    """Take the wanted documents and the roots of these labels out of every version; names of those that changed."""
    found = wanted_contents(database, wanted)
    with database.transaction():
        rows = database.rows(
            "SELECT number FROM versions WHERE EXISTS "
            "(SELECT 1 FROM places WHERE born <= number AND died > number AND content = ANY(%s))",
            ([*found.doomed, *found.renamed],),
        )
        changed = {int(number) for (number,) in rows}
        database.run("DELETE FROM contents WHERE content = ANY(%s)", (list(found.doomed),))
        for content, document in found.renamed.items():
            _rename(database, content, document)
        for version in versions.every(database):
            if version.manifest.roots.keys() & set(roots):
                left = {label: path for label, path in version.manifest.roots.items() if label not in roots}
                manifest = bytes_of(encode(replace(version.manifest, roots=left)))
                database.run("UPDATE versions SET manifest = %s WHERE number = %s", (manifest, version.number))
                changed.add(version.number)
        versions.refresh(database, changed)
    if changed or found:
        for table in _CONTENTS:
            database.run(f"VACUUM (FULL) {table}")
    return [versions.name_of(number) for number in sorted(changed)]


def _rename(database: Database, content: int, document: Document) -> None:
    """Keep another head of a content; its entry key is another one too, as that of any other content."""
    ((key, body),) = database.rows("SELECT entry_key, body FROM contents WHERE content = %s", (content,))
    head, _ = records(document)
    chunks = [bytes(data) for (data,) in _chunk_rows(database, content)]
    entry_key = hashlib.sha256(str(key).encode() + head).hexdigest()[:32]
    database.run(
        "UPDATE contents SET head = %s, entry_key = %s, digest = %s WHERE content = %s",
        (head, entry_key, digest(head, bytes(body), chunks), content),
    )
    names = [as_key(valid(name)) for name in (document.source, *document.also_in)]
    database.run(
        "DELETE FROM attributes WHERE content = %s AND key = %s AND value <> ALL(%s)",
        (content, as_key("source"), names),
    )


def _chunk_rows(database: Database, content: int) -> list[tuple[bytes]]:
    return database.rows("SELECT data FROM chunks WHERE content = %s ORDER BY ordinal", (content,))


def sweep(database: Database, needles: Sequence[str]) -> tuple[int, list[str]]:
    """Take rows that hold a needle out of logs and notes, then search every table: how many, and where one stands."""
    sought = sorted({form for needle in needles for form in forms(needle)})
    columns = database.rows(
        "SELECT table_name, column_name FROM information_schema.columns "
        "WHERE table_schema = %s AND data_type = 'bytea' ORDER BY table_name, column_name",
        (database.schema,),
    )
    for table in _LOGS if sought else ():
        if database.run(f"DELETE FROM {table} WHERE {_holds('data')}", (sought,)):
            database.run(f"VACUUM (FULL) {table}")
    found = []
    for table, column in columns if sought else ():
        count = database.row(f"SELECT count(*) FROM {table} WHERE {_holds(str(column))}", (sought,))
        if count is not None and count[0]:
            found.append(f"{table}.{column} in {count[0]} rows")
    return len({table for table, _ in columns}), found


def _holds(column: str) -> str:
    return f"EXISTS (SELECT 1 FROM unnest(%s::bytea[]) AS needle WHERE position(needle in {column}) > 0)"
