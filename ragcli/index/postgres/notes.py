"""What ingests remember besides files and documents: flags given for a folder, and what each text looks like."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ragcli.index.postgres.database import Database, as_key, as_name
from ragcli.index.postgres.records import bytes_of, record_of
from ragcli.records import Given, Look, hidden_prefix

_COLUMNS = "doc_id, root_id, relative, family, exact, size, modified, kept, sketch"
_UPDATES = ", ".join(f"{name} = EXCLUDED.{name}" for name in _COLUMNS.split(", ")[1:])


class IngestNotes:
    """``interfaces.Notes`` in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def given(self, root_id: int) -> list[Given]:
        """What was given for a root, the shortest prefix first."""
        rows = self._database.rows("SELECT prefix, meta, acl FROM given WHERE root_id = %s", (root_id,))
        found = [Given(as_name(prefix), _meta(meta), record_of(tuple[str, ...], acl)) for prefix, meta, acl in rows]
        return sorted(found, key=lambda given: (len(given.prefix), given.prefix))

    def put_given(self, root_id: int, given: Given) -> None:
        """Keep what was given for a prefix, in place of what was; nothing given is forgotten."""
        prefixes = [as_key(given.prefix), as_key(hidden_prefix(given.prefix))]
        with self._database.transaction():
            self._database.run("DELETE FROM given WHERE root_id = %s AND prefix = ANY(%s)", (root_id, prefixes))
            if given.meta or given.acl:
                values = (root_id, prefixes[0], bytes_of(dict(given.meta)), bytes_of(list(given.acl)))
                self._database.run("INSERT INTO given VALUES (%s, %s, %s, %s)", values)

    def hide_given(self, root_id: int, relative: str) -> None:
        """Keep what was given for one file under a hash of its name: it holds on, and the name is gone."""
        hidden, shown = as_key(hidden_prefix(relative)), as_key(relative)
        with self._database.transaction():
            known = self._database.row("SELECT 1 FROM given WHERE root_id = %s AND prefix = %s", (root_id, shown))
            if known is not None:
                self._database.run("DELETE FROM given WHERE root_id = %s AND prefix = %s", (root_id, hidden))
                self._database.run(
                    "UPDATE given SET prefix = %s WHERE root_id = %s AND prefix = %s", (hidden, root_id, shown)
                )

    def put_look(self, look: Look) -> None:
        """Keep a document's look, in place of its former one."""
        values = (
            as_key(look.doc_id),
            look.root_id,
            as_key(look.relative),
            as_key(look.family),
            as_key(look.exact),
            look.size,
            None if look.modified is None else as_key(look.modified),
            None if look.kept is None else as_key(look.kept),
            look.sketch,
        )
        marks = ", ".join(["%s"] * len(values))
        self._database.run(
            f"INSERT INTO looks ({_COLUMNS}) VALUES ({marks}) ON CONFLICT (doc_id) DO UPDATE SET {_UPDATES}", values
        )

    def take_file(self, root_id: int, relative: str) -> list[Look]:
        """Forget and return the looks of one file's documents."""
        with self._database.transaction():
            looks = self.of_file(root_id, relative)
            self._database.run("DELETE FROM looks WHERE root_id = %s AND relative = %s", (root_id, as_key(relative)))
        return looks

    def of_file(self, root_id: int, relative: str) -> list[Look]:
        """The looks of one file's documents, copies among them, sorted by id."""
        return self._where("root_id = %s AND relative = %s", (root_id, as_key(relative)))

    def look(self, doc_id: str) -> Look | None:
        """The look of one document, None when there is none of that id."""
        return next(iter(self._where("doc_id = %s", (as_key(doc_id),))), None)

    def all_looks(self) -> list[Look]:
        """Every look, sorted by id."""
        return self._where("true")

    def unread(self) -> list[Look]:
        """Looks that must be taken anew: without a text's hash, or copies of a document that is gone; sorted by id."""
        standing = "SELECT 1 FROM looks other WHERE other.doc_id = looks.kept AND other.kept IS NULL"
        return self._where(f"exact = '' OR (kept IS NOT NULL AND NOT EXISTS ({standing}))")

    def family(self, family: str) -> list[Look]:
        """All looks of a family, sorted by id."""
        return self._where("family = %s", (as_key(family),))

    def same_text(self, besides: Collection[str] = ()) -> dict[str, list[Look]]:
        """The looks of every text that several documents have, by its hash, and of the hashes ``besides``."""
        several = "SELECT exact FROM looks WHERE exact <> '' GROUP BY exact HAVING count(*) > 1"
        found: dict[str, list[Look]] = {}
        for look in self._where(f"exact IN ({several}) OR exact = ANY(%s)", ([as_key(exact) for exact in besides],)):
            found.setdefault(look.exact, []).append(look)
        return found

    def copies(self, doc_id: str) -> tuple[str, ...]:
        """Ids of the copies that a document stands for, sorted."""
        return tuple(look.doc_id for look in self._where("kept = %s", (as_key(doc_id),)))

    def older_than(self, date: str) -> list[Look]:
        """Looks of documents last modified before an ISO date, sorted by id."""
        return self._where("kept IS NULL AND modified < %s", (as_key(date),))

    def forget(self, doc_id: str) -> None:
        """Drop a document's look."""
        self._database.run("DELETE FROM looks WHERE doc_id = %s", (as_key(doc_id),))

    def _where(self, condition: str, values: Sequence[object] = ()) -> list[Look]:
        rows = self._database.rows(f"SELECT {_COLUMNS} FROM looks WHERE {condition} ORDER BY doc_id", values)
        return [_look(row) for row in rows]


def _meta(stored: bytes) -> Mapping[str, str]:
    return record_of(Mapping[str, str], stored)  # type: ignore[type-abstract]


def _look(row: Sequence[Any]) -> Look:
    doc_id, root_id, relative, family, exact, size, modified, kept, sketch = row
    return Look(
        as_name(doc_id),
        int(root_id),
        as_name(relative),
        as_name(family),
        as_name(exact),
        int(size),
        None if modified is None else as_name(modified),
        None if kept is None else as_name(kept),
        None if sketch is None else bytes(sketch),
    )
