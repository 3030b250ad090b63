"""What an ingest must remember besides files and documents: flags given for a folder, and what each text looks like."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from ragcli.codec import decode
from ragcli.index.staged.database import damage_told, store_errors
from ragcli.records import Given, Look, hidden_prefix
from ragcli.regular_files import parse_json

SCHEMA = """
CREATE TABLE given (
    root_id INTEGER NOT NULL, prefix TEXT NOT NULL, meta TEXT NOT NULL, acl TEXT NOT NULL,
    PRIMARY KEY (root_id, prefix)
);
CREATE TABLE looks (
    doc_id TEXT PRIMARY KEY, root_id INTEGER NOT NULL, relative TEXT NOT NULL, family TEXT NOT NULL,
    exact TEXT NOT NULL, size INTEGER NOT NULL, modified TEXT, kept TEXT, sketch BLOB
);
CREATE INDEX looks_by_family ON looks (family);
CREATE INDEX looks_by_file ON looks (root_id, relative);
CREATE INDEX looks_by_kept ON looks (kept);
"""
_COLUMNS = "doc_id, root_id, relative, family, exact, size, modified, kept, sketch"


class IngestNotes:
    """The tables of notes inside the staging catalogue; ids are kept as JSON text so that any name can be stored."""

    def __init__(self, database: sqlite3.Connection, path: Path, hint: str) -> None:
        self._database, self._path, self._hint = database, path, hint

    def _run(self, sql: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        with store_errors(self._path, self._hint):
            return self._database.execute(sql, values).fetchall()

    def given(self, root_id: int) -> list[Given]:
        """What was given for a root, the shortest prefix first."""
        rows = self._run("SELECT prefix, meta, acl FROM given WHERE root_id = ?", (root_id,))
        with damage_told(self._path, self._hint):
            found = [Given(_name(prefix), _meta(meta), _groups(groups)) for prefix, meta, groups in rows]
        return sorted(found, key=lambda item: (len(item.prefix), item.prefix))

    def put_given(self, root_id: int, given: Given) -> None:
        """Keep what was given for a prefix, in place of what was; nothing given is forgotten."""
        self._run("DELETE FROM given WHERE root_id = ? AND prefix = ?", (root_id, _key(hidden_prefix(given.prefix))))
        if not given.meta and not given.acl:
            self._run("DELETE FROM given WHERE root_id = ? AND prefix = ?", (root_id, _key(given.prefix)))
            return
        values = (root_id, _key(given.prefix), json.dumps(dict(given.meta)), json.dumps(list(given.acl)))
        self._run("INSERT OR REPLACE INTO given VALUES (?, ?, ?, ?)", values)

    def hide_given(self, root_id: int, relative: str) -> None:
        """Keep what was given for one file under a hash of its name: it holds on, and the name is gone."""
        keys = (_key(hidden_prefix(relative)), root_id, _key(relative))
        self._run("UPDATE OR REPLACE given SET prefix = ? WHERE root_id = ? AND prefix = ?", keys)

    def put_look(self, look: Look) -> None:
        """Keep a document's look, in place of its former one."""
        values = (
            _key(look.doc_id),
            look.root_id,
            _key(look.relative),
            look.family,
            look.exact,
            look.size,
            look.modified,
            None if look.kept is None else _key(look.kept),
            look.sketch,
        )
        self._run("INSERT OR REPLACE INTO looks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", values)

    def take_file(self, root_id: int, relative: str) -> list[Look]:
        """Forget and return the looks of one file's documents."""
        looks = self.of_file(root_id, relative)
        self._run("DELETE FROM looks WHERE root_id = ? AND relative = ?", (root_id, _key(relative)))
        return looks

    def of_file(self, root_id: int, relative: str) -> list[Look]:
        """The looks of one file's documents, copies among them, sorted by id."""
        rows = self._run(f"SELECT {_COLUMNS} FROM looks WHERE root_id = ? AND relative = ?", (root_id, _key(relative)))
        return self._looks(rows)

    def look(self, doc_id: str) -> Look | None:
        """The look of one document, None when there is none of that id."""
        rows = self._run(f"SELECT {_COLUMNS} FROM looks WHERE doc_id = ?", (_key(doc_id),))
        return _look(rows[0]) if rows else None

    def all_looks(self) -> list[Look]:
        """Every look, sorted by id."""
        return sorted(map(_look, self._run(f"SELECT {_COLUMNS} FROM looks")), key=lambda look: look.doc_id)

    def unread(self) -> list[Look]:
        """Looks that must be taken anew: without a text's hash, or copies of a document that is gone; sorted by id."""
        gone = "SELECT 1 FROM looks AS other WHERE other.doc_id = looks.kept AND other.kept IS NULL"
        rows = self._run(f"SELECT {_COLUMNS} FROM looks WHERE exact = '' OR kept IS NOT NULL AND NOT EXISTS ({gone})")
        return sorted(map(_look, rows), key=lambda look: look.doc_id)

    def family(self, family: str) -> list[Look]:
        """All looks of a family, sorted by id."""
        rows = self._run(f"SELECT {_COLUMNS} FROM looks WHERE family = ?", (family,))
        return self._looks(rows)

    def same_text(self, besides: Collection[str] = ()) -> dict[str, list[Look]]:
        """The looks of every text that several documents have, by its hash, and of the hashes ``besides``."""
        several = "SELECT exact FROM looks WHERE exact <> '' GROUP BY exact HAVING COUNT(*) > 1"
        rows = self._run(f"SELECT {_COLUMNS} FROM looks WHERE exact IN ({several})")
        for exact in besides:
            rows += self._run(f"SELECT {_COLUMNS} FROM looks WHERE exact = ?", (exact,))
        found: dict[str, dict[str, Look]] = {}
        for look in self._looks(rows):
            found.setdefault(look.exact, {})[look.doc_id] = look
        return {exact: [looks[doc_id] for doc_id in sorted(looks)] for exact, looks in found.items()}

    def copies(self, doc_id: str) -> tuple[str, ...]:
        """Ids of the copies that a document stands for, sorted."""
        rows = self._run("SELECT doc_id FROM looks WHERE kept = ?", (_key(doc_id),))
        with damage_told(self._path, self._hint):
            return tuple(sorted(_name(row[0]) for row in rows))

    def older_than(self, date: str) -> list[Look]:
        """Looks of documents last modified before an ISO date, sorted by id."""
        rows = self._run(f"SELECT {_COLUMNS} FROM looks WHERE kept IS NULL AND modified < ?", (date,))
        return self._looks(rows)

    def _looks(self, rows: Sequence[Sequence[object]]) -> list[Look]:
        with damage_told(self._path, self._hint):
            return sorted(map(_look, rows), key=lambda look: look.doc_id)

    def forget(self, doc_id: str) -> None:
        """Drop a document's look."""
        self._run("DELETE FROM looks WHERE doc_id = ?", (_key(doc_id),))

    def forget_root(self, root_id: int) -> None:
        """Drop everything about a root."""
        self._run("DELETE FROM looks WHERE root_id = ?", (root_id,))
        self._run("DELETE FROM given WHERE root_id = ?", (root_id,))


def _key(name: str) -> str:
    return json.dumps(name)


def _name(stored: object) -> str:
    return decode(str, parse_json(str(stored)))


def _meta(stored: object) -> Mapping[str, str]:
    return decode(Mapping[str, str], parse_json(str(stored)))  # type: ignore[type-abstract]


def _groups(stored: object) -> tuple[str, ...]:
    return decode(tuple[str, ...], parse_json(str(stored)))


def _look(row: Sequence[object]) -> Look:
    doc_id, root_id, relative, family, exact, size, modified, kept, sketch = row
    return Look(
        _name(doc_id),
        int(str(root_id)),
        _name(relative),
        str(family),
        str(exact),
        int(str(size)),
        None if modified is None else str(modified),
        None if kept is None else _name(kept),
        sketch if isinstance(sketch, bytes) else None,
    )
