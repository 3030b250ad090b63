"""What ingest → chunk → index are building: the roots, the files met, their documents and their chunks.

One SQLite file that only the holder of the writer's lock opens. Search never reads it: a version is a copy.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePath

from ragcli.codec import decode, encode
from ragcli.errors import StoreError
from ragcli.index.roots import candidates, guesses, holds, relative_to_index
from ragcli.index.staged.database import (
    canonical,
    damage_told,
    open_database,
    pack_bytes,
    scrub,
    store_errors,
    stored_name,
    transaction,
    unpack,
)
from ragcli.index.staged.ingest_notes import SCHEMA as NOTES_SCHEMA
from ragcli.index.staged.ingest_notes import IngestNotes
from ragcli.names import kept
from ragcli.records import Chunk, Document, Entry, FileReport, FileState, Root
from ragcli.regular_files import parse_json

FORMAT = 3

_SCHEMA = (
    """
CREATE TABLE roots (
    root_id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, label TEXT NOT NULL UNIQUE,
    relative TEXT NOT NULL DEFAULT ''
);
CREATE TABLE files (
    root_id INTEGER NOT NULL, relative TEXT NOT NULL, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
    sha256 TEXT NOT NULL, parse_key TEXT NOT NULL, reports BLOB NOT NULL, doc_ids BLOB NOT NULL,
    aliases BLOB NOT NULL DEFAULT x'5b5d', real TEXT NOT NULL DEFAULT '', PRIMARY KEY (root_id, relative)
) WITHOUT ROWID;
CREATE TABLE documents (
    doc_id TEXT PRIMARY KEY, document_key TEXT NOT NULL, root_id INTEGER NOT NULL, relative TEXT NOT NULL,
    data BLOB NOT NULL
);
CREATE INDEX documents_by_file ON documents (root_id, relative);
CREATE TABLE chunk_sets (
    doc_id TEXT PRIMARY KEY, document_key TEXT NOT NULL, chunk_key TEXT NOT NULL, entry_key TEXT NOT NULL,
    count INTEGER NOT NULL, data BLOB NOT NULL
);
"""
    + NOTES_SCHEMA
)
_STEPS = {
    2: "ALTER TABLE roots ADD COLUMN relative TEXT NOT NULL DEFAULT ''; "
    "ALTER TABLE files ADD COLUMN aliases BLOB NOT NULL DEFAULT x'5b5d'; "
    "ALTER TABLE files ADD COLUMN real TEXT NOT NULL DEFAULT ''"
}
_SAMPLE = 50
_HINT = (
    "remove the staging folder of the index, then run rag ingest for every folder with its --acl and --meta, the first "
    "with --max-delete 100; published versions are not touched"
)


class Staging:
    """The catalogue of the next version. Every write outside ``transaction`` commits by itself."""

    def __init__(self, path: Path) -> None:
        """Open or make the catalogue at ``path``. Raises StoreError when it cannot be used."""
        self.path = path
        self._database = open_database(path, _SCHEMA, FORMAT, _HINT, _STEPS)
        self.notes = IngestNotes(self._database, path, _HINT)
        self._places: dict[int, Path] = {}

    @property
    def location(self) -> str:
        """The catalogue's file."""
        return str(self.path)

    def close(self) -> None:
        """Release the file."""
        self._database.close()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything in the block is kept, or nothing of it."""
        with store_errors(self.path, _HINT), transaction(self._database):
            yield

    def _run(self, sql: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        with store_errors(self.path, _HINT):
            return self._database.execute(sql, values)

    def _rows(self, sql: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        with store_errors(self.path, _HINT):
            return self._database.execute(sql, values).fetchall()

    # ------------------------------------------------------------ roots and files

    @property
    def folder(self) -> Path:
        """The index folder that the catalogue is in."""
        return self.path.absolute().parent.parent

    def roots(self) -> list[Root]:
        """Every root, in the order in which they were added, where it is now."""
        rows = self._rows("SELECT root_id, path, label, relative FROM roots ORDER BY root_id")
        with damage_told(self.path, _HINT):
            return [
                Root(int(str(row[0])), self._place(int(str(row[0])), _name(row[1]), _name(row[3])), _name(row[2]))
                for row in rows
            ]

    def _place(self, root_id: int, path: str, relative: str) -> Path:
        """Where a root is now: at the first of its places that holds its files, else the first that is there."""
        if root_id not in self._places:
            places = [place for place in candidates(Path(path), relative, self.folder) if place.exists()]
            files = self._rows("SELECT relative, size FROM files WHERE root_id = ? LIMIT ?", (root_id, _SAMPLE))
            sizes = {_name(name): int(str(size)) for name, size in files}
            guessed = [] if relative else [place for place in guesses(Path(path), self.folder) if holds(place, sizes)]
            known = [place for place in places if len(places) == 1 or any((place / name).exists() for name in sizes)]
            self._places[root_id] = (guessed or known or places or [Path(path)])[0]
        return self._places[root_id]

    def places(self) -> dict[str, str]:
        """The way from the index folder to each root, by its label."""
        rows = self._rows("SELECT label, relative FROM roots WHERE relative <> '' ORDER BY root_id")
        return {_name(label): _name(relative) for label, relative in rows}

    def add_root(self, path: Path) -> Root:
        """The root at ``path`` (made absolute), added when it is new."""
        absolute = path.absolute()
        known = {root.path: root for root in self.roots()}
        if absolute in known:
            return known[absolute]
        label = unique_label(absolute, {root.label for root in known.values()})
        relative = relative_to_index(absolute, self.folder)
        cursor = self._run(
            "INSERT INTO roots (path, label, relative) VALUES (?, ?, ?)",
            (kept(str(absolute)), kept(label), kept(relative)),
        )
        return Root(int(cursor.lastrowid or 0), absolute, label)

    def move_root(self, root_id: int, path: Path) -> None:
        """Keep where a root is from now on."""
        places = (kept(str(path)), kept(relative_to_index(path, self.folder)))
        self._run("UPDATE roots SET path = ?, relative = ? WHERE root_id = ?", (*places, root_id))
        self._places[root_id] = path

    def keep_places(self) -> None:
        """Keep where every root is now, for what moves next."""
        with self.transaction():
            taken: set[Path] = set()
            for root in self.roots():
                if root.path in taken:
                    self.remove_root(root.root_id)  # an earlier version took a moved folder for a second one
                taken.add(root.path)
            found = [root for root in self.roots() if root.path.exists()]
            for root in found:  # out of the way of one another: no two may be at one path
                self._run("UPDATE roots SET path = ? WHERE root_id = ?", (f"moving {root.root_id}", root.root_id))
            for root in found:
                self.move_root(root.root_id, root.path)

    def remove_root(self, root_id: int) -> None:
        """Forget a root with its files and documents."""
        with self.transaction():
            rows = self._rows("SELECT doc_id FROM documents WHERE root_id = ?", (root_id,))
            for row in rows:
                self.remove_document(_name(row[0]))
            self._run("DELETE FROM files WHERE root_id = ?", (root_id,))
            self.notes.forget_root(root_id)
            self._run("DELETE FROM roots WHERE root_id = ?", (root_id,))
            self._places.pop(root_id, None)

    def file(self, root_id: int, relative: str) -> FileState | None:
        """The file as last read, or None when it is new."""
        rows = self._rows(f"{_FILE_SELECT} WHERE root_id = ? AND relative = ?", (root_id, kept(relative)))
        with damage_told(self.path, _HINT):
            return _file_state(rows[0]) if rows else None

    def files(self, root_id: int) -> Iterator[FileState]:
        """Every file of a root, ordered by its stored path."""
        rows = self._rows(f"{_FILE_SELECT} WHERE root_id = ? ORDER BY relative", (root_id,))
        with damage_told(self.path, _HINT):
            return iter([_file_state(row) for row in rows])

    def put_file(self, state: FileState) -> None:
        """Keep what was read of a file, in place of what was kept before."""
        self._run(
            "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                state.root_id,
                kept(state.relative),
                state.size,
                state.mtime_ns,
                state.sha256,
                state.parse_key,
                canonical(encode(state.reports)),
                canonical(list(state.doc_ids)),
                canonical(list(state.aliases)),
                kept(state.real),
            ),
        )

    def remove_file(self, root_id: int, relative: str) -> None:
        """Forget that the file was read. Its documents stay until ``remove_document``."""
        self._run("DELETE FROM files WHERE root_id = ? AND relative = ?", (root_id, kept(relative)))

    # ------------------------------------------------------------ documents

    def put_document(self, document: Document, *, root_id: int, relative: str) -> str:
        """Keep a document under its ``doc_id``; returns its document key, the hash of the whole record."""
        content = canonical(encode(document))
        document_key = hashlib.sha256(content).hexdigest()[:32]
        self._run(
            "INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?, ?)",
            (kept(document.doc_id), document_key, root_id, kept(relative), pack_bytes(content)),
        )
        return document_key

    def remove_document(self, doc_id: str) -> None:
        """Drop a document and its chunks; nothing happens when there is none of that id."""
        with self.transaction():
            self._run("DELETE FROM documents WHERE doc_id = ?", (kept(doc_id),))
            self._run("DELETE FROM chunk_sets WHERE doc_id = ?", (kept(doc_id),))
            self.notes.forget(doc_id)

    def document_keys(self) -> dict[str, str]:
        """``doc_id`` → document key of every document, sorted by id."""
        rows = self._rows("SELECT doc_id, document_key FROM documents ORDER BY doc_id")
        return {_name(row[0]): str(row[1]) for row in rows}

    def document_files(self) -> dict[str, str]:
        """The path, within its root, of the file that each document came out of."""
        return {_name(name): _name(path) for name, path in self._rows("SELECT doc_id, relative FROM documents")}

    def document(self, doc_id: str) -> Document:
        """The document. Raises KeyError when there is none of that id."""
        rows = self._rows("SELECT data FROM documents WHERE doc_id = ?", (kept(doc_id),))
        if not rows:
            raise KeyError(doc_id)
        with damage_told(self.path, _HINT):
            return decode(Document, unpack(rows[0][0]))

    def owner(self, doc_id: str) -> tuple[int, str] | None:
        """Root id and relative path of the file that gave the document, or None when there is no such document."""
        rows = self._rows("SELECT root_id, relative FROM documents WHERE doc_id = ?", (kept(doc_id),))
        with damage_told(self.path, _HINT):
            return (int(str(rows[0][0])), _name(rows[0][1])) if rows else None

    # ------------------------------------------------------------ chunks

    def put_chunks(self, doc_id: str, document_key: str, chunk_key: str, chunks: Sequence[Chunk]) -> None:
        """Keep the chunks of one document, in place of its former ones.

        Raises ValueError when their ids are not ``doc_id#1`` … ``doc_id#n`` in order.
        """
        entry_key, content = chunk_set(doc_id, document_key, chunk_key, chunks)
        self._run(
            "INSERT OR REPLACE INTO chunk_sets VALUES (?, ?, ?, ?, ?, ?)",
            (kept(doc_id), document_key, chunk_key, entry_key, len(chunks), pack_bytes(content)),
        )

    def chunk_keys(self) -> dict[str, tuple[str, str]]:
        """``doc_id`` → document key and chunk key of every document that has been chunked, sorted by id."""
        rows = self._rows("SELECT doc_id, document_key, chunk_key FROM chunk_sets ORDER BY doc_id")
        return {_name(row[0]): (str(row[1]), str(row[2])) for row in rows}

    def chunks(self, doc_id: str) -> list[Chunk]:
        """The document's chunks, in order. Raises KeyError when it has not been chunked."""
        rows = self._rows("SELECT data FROM chunk_sets WHERE doc_id = ?", (kept(doc_id),))
        if not rows:
            raise KeyError(doc_id)
        with damage_told(self.path, _HINT):
            return list(decode(tuple[Chunk, ...], unpack(rows[0][0])))

    # ------------------------------------------------------------ for the publisher

    def entries(self) -> dict[str, Entry]:
        """Every document whose chunks are those of its present content, sorted by id."""
        rows = self._rows(
            "SELECT doc_id, c.entry_key, c.count FROM documents d JOIN chunk_sets c USING (doc_id) "
            "WHERE d.document_key = c.document_key ORDER BY doc_id"
        )
        with damage_told(self.path, _HINT):
            return {_name(row[0]): Entry(_name(row[0]), str(row[1]), int(str(row[2]))) for row in rows}

    def unchunked(self) -> list[str]:
        """Documents without chunks, or with chunks of an older content, sorted by id."""
        rows = self._rows(
            "SELECT doc_id FROM documents d LEFT JOIN chunk_sets c USING (doc_id) "
            "WHERE c.document_key IS NULL OR c.document_key <> d.document_key ORDER BY doc_id"
        )
        return [_name(row[0]) for row in rows]

    def scrub(self) -> None:
        """Rewrite the file so that nothing of removed documents is left in it."""
        with store_errors(self.path, _HINT):
            scrub(self._database)


def _name(value: object) -> str:
    return stored_name(value, _HINT)


def chunk_set(doc_id: str, document_key: str, chunk_key: str, chunks: Sequence[Chunk]) -> tuple[str, bytes]:
    """The entry key of a document with its chunks, which changes when anything of them does, and the chunks as bytes.

    Raises ValueError when their ids are not ``doc_id#1`` … ``doc_id#n`` in order.
    """
    for ordinal, chunk in enumerate(chunks, start=1):
        if (chunk.doc_id, chunk.ordinal, chunk.chunk_id) != (doc_id, ordinal, f"{doc_id}#{ordinal}"):
            raise ValueError(f"chunk {chunk.chunk_id!r} (ordinal {chunk.ordinal}) is not {doc_id}#{ordinal}")
    content = canonical(encode(list(chunks)))
    return hashlib.sha256(f"{document_key}\0{chunk_key}\0".encode() + content).hexdigest()[:32], content


def check_chunked(waiting: Sequence[str]) -> None:
    """Raise StoreError when documents wait to be chunked: nothing can be published then."""
    if waiting:
        raise StoreError(
            f"{len(waiting)} documents have no chunks yet, the first is {waiting[0]}",
            hint="rag chunk",
            category="index_incompatible",
        )


def fingerprint(entries: Iterable[tuple[str, str]]) -> str:
    """Hash of all documents and chunks, from (doc_id, entry_key) sorted by id: equal corpora, equal hash."""
    digest = hashlib.sha256()
    for doc_id, entry_key in entries:
        digest.update(f"{doc_id}\0{entry_key}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:32]


_FILE_SELECT = "SELECT root_id, relative, size, mtime_ns, sha256, parse_key, reports, doc_ids, aliases, real FROM files"


def _file_state(row: Sequence[object]) -> FileState:
    root_id, relative, size, mtime_ns, sha256, parse_key, reports, doc_ids, aliases, real = row
    return FileState(
        root_id=int(str(root_id)),
        relative=_name(relative),
        size=int(str(size)),
        mtime_ns=int(str(mtime_ns)),
        sha256=str(sha256),
        parse_key=str(parse_key),
        reports=decode(tuple[FileReport, ...], parse_json(_bytes(reports))),
        doc_ids=decode(tuple[str, ...], parse_json(_bytes(doc_ids))),
        aliases=decode(tuple[str, ...], parse_json(_bytes(aliases))),
        real=_name(real),
    )


def unique_label(path: PurePath, taken: set[str]) -> str:
    """The last name of a path, numbered when it is ``taken``."""
    name = path.name or "root"
    label, number = name, 2
    while label in taken:
        label, number = f"{name}-{number}", number + 1
    return label


def _bytes(value: object) -> bytes:
    if not isinstance(value, bytes):
        raise TypeError(f"bytes are wanted, {type(value).__name__} found")
    return value
