"""The tables that an asker may query: every table of the documents in a scope, and the documents themselves.

Who may see a document is decided before anything else: of a closed one there is no table, no name, no row.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from ragcli.answer.extract.plain import as_read
from ragcli.interfaces import Engine
from ragcli.records import Document, RowPlace, Scope, TableColumn, TableInfo
from ragcli.records.tables import CellValue
from ragcli.tables.cells import Clean, Found, lines_of, tables_of
from ragcli.tables.columns import Typed, column, typed
from ragcli.tables.documents import document_rows
from ragcli.tables.naming import DOCUMENTS, Named, Names, column_names, labels_that_tell_apart, table_names

_MARKS = frozenset("*_`[]<>&~\\")
"""Characters of which a cell has one when it has markup in it."""
_SHEETS = ("spreadsheet", "excel", "ms-excel")
_DOCUMENTS_KEPT = 16


@dataclass(frozen=True, slots=True)
class Loaded:
    """A table with its rows: as they are queried, as they are written, and where each comes from."""

    info: TableInfo
    rows: Sequence[Sequence[CellValue]]
    raw: Sequence[Sequence[str]]
    place: Callable[[int], RowPlace]


class Library:
    """The tables of one version that a scope holds."""

    def __init__(self, engine: Engine, scope: Scope) -> None:
        self._engine = engine
        self._scope = scope
        self._read = functools.lru_cache(_DOCUMENTS_KEPT)(self._read_document)

    @functools.cached_property
    def headers(self) -> list[Document]:
        """The documents, without their texts."""
        engine = self._engine
        return engine.headers(engine.doc_ids(engine.allowed(self._scope)))

    @functools.cached_property
    def _tables(self) -> list[Named]:
        return [named for header in self.headers if header.coverage.tables for named in self._named(header)]

    @functools.cached_property
    def _names(self) -> list[str]:
        return table_names(self._tables)

    @functools.cached_property
    def names(self) -> Names:
        """What names mean."""
        return Names(self._tables, self._names)

    @functools.cached_property
    def count(self) -> int:
        """How many tables the parsers met; of it no document is read, so it may count a few that have no rows."""
        return sum(header.coverage.tables for header in self.headers)

    def places(self, doc_ids: Collection[str] | None = None) -> list[int]:
        """The places of the tables of some documents, of all for None."""
        return [place for place, table in enumerate(self._tables) if doc_ids is None or table.doc_id in doc_ids]

    def document_of(self, place: int) -> str:
        """The id of the document that a table is in."""
        return self._tables[place].doc_id

    def infos(self) -> Iterator[TableInfo]:
        """Every table, in the order of the documents; the table of the documents comes last."""
        for place in range(len(self._tables)):
            yield self.load(place).info
        yield self.load(None).info

    def load(self, place: int | None) -> Loaded:
        """A table by its place among all; None is the table of the documents."""
        return self._table_of_documents() if place is None else self._table(self._tables[place], self._names[place])

    # ------------------------------------------------------------ tables of documents

    def _read_document(self, doc_id: str) -> tuple[Document, dict[int, Found]]:
        document = self._engine.document(doc_id)
        return document, {found.number: found for found in tables_of(document, _cleaner(document.media_type))}

    def _named(self, header: Document) -> Iterator[Named]:
        found = list(self._read(header.doc_id)[1].values())
        titles = [one.title for one in found]
        of_sheets = any(part in header.media_type for part in _SHEETS)
        labels = labels_that_tell_apart(titles) if of_sheets else [""] * len(found)
        for one, label in zip(found, labels, strict=True):
            yield Named(header.doc_id, one.number, len(found), label)

    def _table(self, named: Named, name: str) -> Loaded:
        document, tables = self._read(named.doc_id)
        found = tables[named.number]
        grid = found.grid
        cells = list(zip(*grid.rows, strict=True))
        read = [typed(one, document.metadata.language) for one in cells]
        names = column_names(grid.header)
        columns = tuple(column(*one) for one in zip(names, grid.header, read, strict=True))
        info = TableInfo(
            name,
            document.doc_id,
            document.source,
            named.number,
            found.title,
            columns,
            len(grid.rows),
            found.page,
            found.lines,
            tuple(_unread(name, *one) for one in zip(columns, cells, read, strict=True) if one[0].unread),
        )

        def place(row: int) -> RowPlace:
            span = grid.spans[row]
            lines = lines_of(document, span)
            return RowPlace(name, document.doc_id, document.source, row + 1, span, found.page, lines)

        return Loaded(info, list(zip(*(one.values for one in read), strict=True)), grid.rows, place)

    def _table_of_documents(self) -> Loaded:
        columns, rows = document_rows(self.headers)
        info = TableInfo(DOCUMENTS, "", "", 0, "the documents themselves", columns, len(rows))
        raw = [[_written(cell) for cell in row] for row in rows]
        places = [RowPlace(DOCUMENTS, header.doc_id, header.source) for header in self.headers]
        return Loaded(info, rows, raw, places.__getitem__)


def _cleaner(media_type: str) -> Clean:
    def clean(cell: str) -> str:
        return as_read(cell, media_type) if _MARKS.intersection(cell) else cell

    return clean


def _written(cell: CellValue) -> str:
    return ", ".join(cell) if isinstance(cell, tuple) else "" if cell is None else str(cell)


def _unread(table: str, one: TableColumn, cells: Sequence[str], read: Typed) -> str:
    """What a query does not see of a column, with the first such cell."""
    first = read.unread[0]
    return (
        f"{table}.{one.name}: {one.unread} of {len(cells)} cells hold no {one.type} and count as empty, such as "
        f"{cells[first]!r} in row {first + 1}; raw.{table} has them as they are written"
    )
