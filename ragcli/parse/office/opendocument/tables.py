"""The rows and cells of OpenDocument's tables, in texts, slides and sheets alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragcli.parse.office.opendocument.package import CHART, TABLE, TEXT, whole
from ragcli.parse.tables import MOST_SPAN, Cell

if TYPE_CHECKING:
    from lxml.etree import _Element

_ROW, _HEADERS = TABLE + "table-row", TABLE + "table-header-rows"
_GROUPS = {_HEADERS, TABLE + "table-rows", TABLE + "table-row-group", TABLE + "table-header-columns"}
CELL, COVERED = TABLE + "table-cell", TABLE + "covered-table-cell"
FILLING = 100
"""Rows or columns from which a repetition only fills the page with empty or equal cells."""


@dataclass(frozen=True, slots=True)
class RepeatedRow:
    """One row: how often it is repeated, whether the table calls it a header, whether it is shown."""

    element: _Element
    times: int
    header: bool
    shown: bool


def rows_of(table: _Element, *, header: bool = False) -> Iterator[RepeatedRow]:
    """The rows of a table itself, those of tables in its cells not."""
    for child in table:
        if child.tag == _ROW:
            shown = child.get(TABLE + "visibility") in (None, "visible")
            yield RepeatedRow(child, whole(child.get(TABLE + "number-rows-repeated")), header, shown)
        elif child.tag in _GROUPS:
            yield from rows_of(child, header=header or child.tag == _HEADERS)


def grid(rows: list[RepeatedRow], text_of: Callable[[_Element], str]) -> list[list[Cell]]:
    """The cells that begin in each row, with what they cover."""
    return [list(_cells(row.element, text_of)) for row in rows]


def header_rows(rows: list[RepeatedRow]) -> int | None:
    """How many rows the table calls its header; None when it calls none so."""
    count = sum(1 for row in rows if row.header)
    return count if 0 < count < len(rows) else None


def _cells(row: _Element, text_of: Callable[[_Element], str]) -> Iterator[Cell]:
    for cell in row:
        if cell.tag != CELL:
            continue
        text = text_of(cell)
        times = whole(cell.get(TABLE + "number-columns-repeated"))
        down = whole(cell.get(TABLE + "number-rows-spanned"))
        across = min(whole(cell.get(TABLE + "number-columns-spanned")), MOST_SPAN)
        yield from [Cell(text, down, across)] * min(times, FILLING if text else 1 if times > FILLING else times)


def chart_of(root: _Element) -> tuple[str, list[list[str]]] | None:
    """The title of a chart and the table of its data; None when the object is no chart."""
    chart = next(root.iter(CHART + "chart"), None)
    if chart is None:
        return None
    title = chart.find(CHART + "title")
    table = next(chart.iter(TABLE + "table"), None)
    rows = list(rows_of(table)) if table is not None else []
    texts = [[cell.text for cell in row] for row in grid(rows, _plain)]
    return _plain(title) if title is not None else "", texts


def _plain(element: _Element) -> str:
    return " ".join("".join(map(str, item.itertext())) for item in element.iter(TEXT + "p"))
