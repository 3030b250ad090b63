"""The cells of a Word table with what they cover."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ragcli.parse.office.word.styles import W, toggle
from ragcli.parse.tables import MOST_SPAN, Cell

if TYPE_CHECKING:
    from lxml.etree import _Element

WRAPPERS = {W + name for name in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag")}


def within(element: _Element, *tags: str) -> Iterator[_Element]:
    """Children of the given tags, those in content controls included, those of nested elements not."""
    for child in element:
        if child.tag in tags:
            yield child
        elif child.tag in WRAPPERS:
            yield from within(child, *tags)


def rows_of(table: _Element) -> list[_Element]:
    """The rows of a table, deleted ones left out."""
    return [row for row in within(table, W + "tr") if row.find(f"{W}trPr/{W}del") is None]


def is_hidden(row: _Element) -> bool:
    """Whether a row is not shown."""
    return toggle(row.find(f"{W}trPr/{W}hidden")) or False


def header_rows(rows: list[_Element]) -> int | None:
    """How many rows Word repeats on every page; None for less than two, which says no more than a guess."""
    count = 0
    for row in rows:
        if not toggle(row.find(f"{W}trPr/{W}tblHeader")):
            break
        count += 1
    return count if 1 < count < len(rows) else None


def title_of(table: _Element) -> str:
    """The title that the table's properties give it."""
    node = table.find(f"{W}tblPr/{W}tblCaption")
    return str(node.get(W + "val") or "") if node is not None else ""


def grid(rows: list[_Element], text_of: Callable[[_Element], str]) -> list[list[Cell]]:
    """The cells that begin in each row; a cell merged downwards is told how many rows it covers."""
    result: list[list[Cell]] = []
    open_cells: dict[int, tuple[int, int]] = {}  # grid column -> row and place of the cell that may go on
    for number, row in enumerate(rows):
        cells: list[Cell] = [Cell("")] * _gap(row)
        column = len(cells)
        open_now: dict[int, tuple[int, int]] = {}
        for node in within(row, W + "tc"):
            columns = _span(node.find(f"{W}tcPr/{W}gridSpan"))
            merged = node.find(f"{W}tcPr/{W}vMerge")
            goes_on = merged is not None and merged.get(W + "val") in (None, "continue")
            if goes_on and column in open_cells:
                begun, place = open_cells[column]
                cell = result[begun][place]
                result[begun][place] = Cell(cell.text, number - begun + 1, cell.columns)
                open_now[column] = (begun, place)
            else:
                if merged is not None:
                    open_now[column] = (number, len(cells))
                cells.append(Cell("" if goes_on else text_of(node), columns=columns))
            column += columns
        open_cells = open_now
        result.append(cells)
    return result


def _gap(row: _Element) -> int:
    node = row.find(f"{W}trPr/{W}gridBefore")
    return _span(node) if node is not None else 0


def _span(node: _Element | None) -> int:
    value = (node.get(W + "val") or "1") if node is not None else "1"
    return max(1, min(MOST_SPAN, int(value))) if value.isascii() and value.isdigit() else 1
