"""Tables of documents as they can be queried, and what a query gave."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ragcli.records.documents import Span

ColumnType = Literal["text", "integer", "number", "date", "timestamp", "list"]
"""What the cells of a column are; ``number`` is exact, with as many decimals as the column shows."""

CellValue = str | int | decimal.Decimal | datetime.date | datetime.datetime | tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column: its name in SQL, its header as it is written, and what its cells are.

    ``unit`` is what every number of it carries (``€``, ``%``, ``kg``). ``decimals`` are those of a ``number``.
    ``unread`` counts the cells that are none of the type: empty to a query, as written in ``raw``.
    """

    name: str
    header: str
    type: ColumnType = "text"
    unit: str = ""
    decimals: int = 0
    unread: int = 0


@dataclass(frozen=True, slots=True)
class TableInfo:
    """A table that can be queried: the ``number``-th of its document, with where it stands.

    ``title`` is its caption or the heading that it stands under; ``page`` is None without pages, ``lines`` where lines
    of the document are no lines of the source. ``warnings`` say what a query does not see of it.
    """

    name: str
    doc_id: str
    source: str
    number: int
    title: str
    columns: tuple[TableColumn, ...]
    row_count: int
    page: int | None = None
    lines: tuple[int, int] | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RowPlace:
    """Where a row of a result comes from: a row (from 1) of a table, or for None the whole table.

    ``span`` is where it stands in the text of the document.
    """

    table: str
    doc_id: str
    source: str
    row: int | None = None
    span: Span | None = None
    page: int | None = None
    lines: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class QueryResult:
    """What a query gave. ``places`` has for each row the rows of documents that it was made of, the first of them.

    ``types`` are the engine's names of the columns' types. ``cut`` says that there were more rows than asked for,
    ``more_places`` for which rows of the result more rows were used than are named.
    """

    query: str
    index_version: str
    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    places: tuple[tuple[RowPlace, ...], ...]
    more_places: tuple[bool, ...]
    tables: tuple[TableInfo, ...]
    cut: bool = False
    notices: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """What ``rag sql --json`` prints."""
        return {
            "schema": "rag.sql/1",
            "query": self.query,
            "index_version": self.index_version,
            "columns": [{"name": name, "type": kind} for name, kind in zip(self.columns, self.types, strict=True)],
            "rows": [[json_value(cell) for cell in row] for row in self.rows],
            "places": [[place_json(place) for place in places] for places in self.places],
            "more_places": list(self.more_places),
            "tables": [table.name for table in self.tables],
            "cut": self.cut,
            "notices": list(self.notices),
        }


def json_value(cell: Any) -> Any:
    """A cell in JSON: numbers as numbers, dates as ISO text."""
    if isinstance(cell, decimal.Decimal):
        return int(cell) if cell == cell.to_integral_value() else float(cell)
    if isinstance(cell, datetime.date):
        return cell.isoformat()
    if isinstance(cell, Mapping):
        return {str(name): json_value(value) for name, value in cell.items()}
    return [json_value(item) for item in cell] if isinstance(cell, list | tuple) else cell


def place_json(place: RowPlace) -> dict[str, Any]:
    """A place as JSON prints it."""
    return {
        "table": place.table,
        "doc_id": place.doc_id,
        "source": place.source,
        "row": place.row,
        "page": place.page,
        "lines": None if place.lines is None else list(place.lines),
    }


def table_json(table: TableInfo) -> dict[str, Any]:
    """A table as ``rag tables --json`` lists it."""
    return {
        "name": table.name,
        "doc_id": table.doc_id,
        "source": table.source,
        "number": table.number,
        "title": table.title,
        "page": table.page,
        "lines": None if table.lines is None else list(table.lines),
        "rows": table.row_count,
        "columns": [
            {"name": one.name, "header": one.header, "type": one.type, "unit": one.unit, "unread": one.unread}
            for one in table.columns
        ],
        "warnings": list(table.warnings),
    }
