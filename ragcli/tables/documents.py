"""The documents themselves as a table: what is known of each besides its text. Pure."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence

from ragcli.records.documents import Document
from ragcli.records.tables import CellValue, ColumnType, TableColumn
from ragcli.tables.columns import column, typed
from ragcli.tables.naming import column_names

_FACTS: tuple[tuple[str, ColumnType, Callable[[Document], CellValue]], ...] = (
    ("doc_id", "text", lambda document: document.doc_id),
    ("source", "text", lambda document: document.source),
    ("title", "text", lambda document: document.title),
    ("media_type", "text", lambda document: document.media_type),
    ("type", "text", lambda document: document.metadata.type),
    ("status", "text", lambda document: document.metadata.status),
    ("language", "text", lambda document: document.metadata.language),
    ("effective_date", "date", lambda document: _date(document.metadata.effective_date)),
    ("expires", "date", lambda document: _date(document.metadata.expires)),
    ("modified", "date", lambda document: _date(document.metadata.modified)),
    ("tags", "list", lambda document: tuple(document.metadata.tags)),
    ("pages", "integer", lambda document: document.coverage.pages),
    ("tables", "integer", lambda document: document.coverage.tables),
)
"""Who may see a document is not among what is told of it."""


def document_rows(headers: Sequence[Document]) -> tuple[tuple[TableColumn, ...], list[list[CellValue]]]:
    """A row for each document; metadata without a field of its own is a column ``meta_NAME``, typed as any other."""
    extra = sorted({key for header in headers for key in header.metadata.extra})
    names = column_names([*(name for name, _, _ in _FACTS), *(f"meta {key}" for key in extra)])
    found = [typed([header.metadata.extra.get(key, "") for header in headers]) for key in extra]
    columns = [TableColumn(name, name, kind) for name, kind, _ in _FACTS]
    columns += [
        column(name, f"meta.{key}", one) for name, key, one in zip(names[len(_FACTS) :], extra, found, strict=True)
    ]
    rows = [
        [*(fact(header) for _, _, fact in _FACTS), *(one.values[place] for one in found)]
        for place, header in enumerate(headers)
    ]
    return tuple(columns), rows


def _date(text: str | None) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(text) if text else None
    except ValueError:
        return None
