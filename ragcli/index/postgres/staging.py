"""What the next version is built from: roots, files, documents and chunks, as rows that no reader looks at."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from ragcli.codec import encode
from ragcli.index.postgres.database import Database, as_key, as_name
from ragcli.index.postgres.notes import IngestNotes
from ragcli.index.postgres.records import bytes_of, record_of
from ragcli.index.staged.staging import chunk_set, unique_label
from ragcli.records import Chunk, Document, Entry, FileState, Root

_TABLES = ("staged_roots", "staged_files", "staged_documents", "staged_chunks", "given", "looks")


class Staging:
    """``interfaces.Staging`` in a database. Every write outside ``transaction`` commits by itself."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.notes = IngestNotes(database)

    @property
    def location(self) -> str:
        """The database."""
        return self._database.location

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything in the block is kept, or nothing of it."""
        with self._database.transaction():
            yield

    # ------------------------------------------------------------ roots and files

    def roots(self) -> list[Root]:
        """Every root, in the order in which they were added."""
        rows = self._database.rows("SELECT root_id, path, label FROM staged_roots ORDER BY root_id")
        return [Root(int(number), Path(as_name(path)), as_name(label)) for number, path, label in rows]

    def add_root(self, path: Path) -> Root:
        """The root at ``path`` (made absolute), added when it is new."""
        absolute = path.absolute()
        known = {root.path: root for root in self.roots()}
        if absolute in known:
            return known[absolute]
        label = unique_label(absolute, {root.label for root in known.values()})
        ((number,),) = self._database.rows(
            "INSERT INTO staged_roots (path, label) VALUES (%s, %s) RETURNING root_id",
            (as_key(str(absolute)), as_key(label)),
        )
        return Root(int(number), absolute, label)

    def move_root(self, root_id: int, path: Path) -> None:
        """Keep where a root is from now on."""
        place = as_key(str(path.absolute()))
        self._database.run("UPDATE staged_roots SET path = %s WHERE root_id = %s", (place, root_id))

    def keep_places(self) -> None:
        """A database lies beside no files: its roots are where they were ingested from."""

    def remove_root(self, root_id: int) -> None:
        """Forget a root with its files, documents and notes."""
        with self.transaction():
            owned = "DELETE FROM staged_chunks WHERE doc_id IN (SELECT doc_id FROM staged_documents WHERE root_id = %s)"
            self._database.run(owned, (root_id,))
            for table in ("staged_documents", "staged_files", "given", "looks", "staged_roots"):
                self._database.run(f"DELETE FROM {table} WHERE root_id = %s", (root_id,))

    def file(self, root_id: int, relative: str) -> FileState | None:
        """The file as last read, or None when it is new."""
        found = self._database.row(
            "SELECT data FROM staged_files WHERE root_id = %s AND relative = %s", (root_id, as_key(relative))
        )
        return None if found is None else record_of(FileState, found[0])

    def files(self, root_id: int) -> Iterator[FileState]:
        """Every file of a root, ordered by path."""
        rows = self._database.rows("SELECT data FROM staged_files WHERE root_id = %s ORDER BY relative", (root_id,))
        return (record_of(FileState, data) for (data,) in rows)

    def put_file(self, state: FileState) -> None:
        """Keep what was read of a file, in place of what was kept before."""
        self._database.run(
            "INSERT INTO staged_files VALUES (%s, %s, %s) ON CONFLICT (root_id, relative) DO UPDATE "
            "SET data = EXCLUDED.data",
            (state.root_id, as_key(state.relative), bytes_of(encode(state))),
        )

    def remove_file(self, root_id: int, relative: str) -> None:
        """Forget that the file was read. Its documents stay until ``remove_document``."""
        self._database.run("DELETE FROM staged_files WHERE root_id = %s AND relative = %s", (root_id, as_key(relative)))

    # ------------------------------------------------------------ documents

    def put_document(self, document: Document, *, root_id: int, relative: str) -> str:
        """Keep a document under its ``doc_id``; returns its document key, the hash of the whole record."""
        content = bytes_of(encode(document))
        document_key = hashlib.sha256(content).hexdigest()[:32]
        self._database.run(
            "INSERT INTO staged_documents VALUES (%s, %s, %s, %s, %s) ON CONFLICT (doc_id) DO UPDATE SET "
            "document_key = EXCLUDED.document_key, root_id = EXCLUDED.root_id, relative = EXCLUDED.relative, "
            "data = EXCLUDED.data",
            (as_key(document.doc_id), document_key, root_id, as_key(relative), content),
        )
        return document_key

    def remove_document(self, doc_id: str) -> None:
        """Drop a document, its chunks and its look; nothing happens when there is none of that id."""
        with self.transaction():
            for table in ("staged_documents", "staged_chunks", "looks"):
                self._database.run(f"DELETE FROM {table} WHERE doc_id = %s", (as_key(doc_id),))

    def document_keys(self) -> dict[str, str]:
        """``doc_id`` → document key of every document, sorted by id."""
        rows = self._database.rows("SELECT doc_id, document_key FROM staged_documents ORDER BY doc_id")
        return {as_name(doc_id): str(key) for doc_id, key in rows}

    def document_files(self) -> dict[str, str]:
        """The path, within its root, of the file that each document came out of."""
        rows = self._database.rows("SELECT doc_id, relative FROM staged_documents")
        return {as_name(doc_id): as_name(relative) for doc_id, relative in rows}

    def document(self, doc_id: str) -> Document:
        """The document. Raises KeyError when there is none of that id."""
        found = self._database.row("SELECT data FROM staged_documents WHERE doc_id = %s", (as_key(doc_id),))
        if found is None:
            raise KeyError(doc_id)
        return record_of(Document, found[0])

    def owner(self, doc_id: str) -> tuple[int, str] | None:
        """Root id and relative path of the file that gave the document, or None when there is no such document."""
        found = self._database.row(
            "SELECT root_id, relative FROM staged_documents WHERE doc_id = %s", (as_key(doc_id),)
        )
        return None if found is None else (int(found[0]), as_name(found[1]))

    # ------------------------------------------------------------ chunks

    def put_chunks(self, doc_id: str, document_key: str, chunk_key: str, chunks: Sequence[Chunk]) -> None:
        """Keep the chunks of one document, in place of its former ones.

        Raises ValueError when their ids are not ``doc_id#1`` … ``doc_id#n`` in order.
        """
        entry_key, content = chunk_set(doc_id, document_key, chunk_key, chunks)
        self._database.run(
            "INSERT INTO staged_chunks VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (doc_id) DO UPDATE SET "
            "document_key = EXCLUDED.document_key, chunk_key = EXCLUDED.chunk_key, entry_key = EXCLUDED.entry_key, "
            "count = EXCLUDED.count, data = EXCLUDED.data",
            (as_key(doc_id), document_key, chunk_key, entry_key, len(chunks), content),
        )

    def chunk_keys(self) -> dict[str, tuple[str, str]]:
        """``doc_id`` → document key and chunk key of every document that has been chunked, sorted by id."""
        rows = self._database.rows("SELECT doc_id, document_key, chunk_key FROM staged_chunks ORDER BY doc_id")
        return {as_name(doc_id): (str(document_key), str(chunk_key)) for doc_id, document_key, chunk_key in rows}

    def chunks(self, doc_id: str) -> list[Chunk]:
        """The document's chunks, in order. Raises KeyError when it has not been chunked."""
        found = self._database.row("SELECT data FROM staged_chunks WHERE doc_id = %s", (as_key(doc_id),))
        if found is None:
            raise KeyError(doc_id)
        return list(record_of(tuple[Chunk, ...], found[0]))

    # ------------------------------------------------------------ for the publisher

    def entries(self) -> dict[str, Entry]:
        """Every document whose chunks are those of its present content, sorted by id."""
        rows = self._database.rows(
            "SELECT doc_id, c.entry_key, c.count FROM staged_documents d JOIN staged_chunks c USING (doc_id) "
            "WHERE d.document_key = c.document_key ORDER BY doc_id"
        )
        return {as_name(doc_id): Entry(as_name(doc_id), str(key), int(count)) for doc_id, key, count in rows}

    def unchunked(self) -> list[str]:
        """Documents without chunks, or with chunks of an older content, sorted by id."""
        rows = self._database.rows(
            "SELECT doc_id FROM staged_documents d LEFT JOIN staged_chunks c USING (doc_id) "
            "WHERE c.document_key IS DISTINCT FROM d.document_key ORDER BY doc_id"
        )
        return [as_name(doc_id) for (doc_id,) in rows]

    def scrub(self) -> None:
        """Rewrite the tables, so that nothing of removed documents is left in their files."""
        for table in _TABLES:
            self._database.run(f"VACUUM (FULL) {table}")
