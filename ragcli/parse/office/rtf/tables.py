"""The rows of an RTF table: cells by where they end on the page, with what they cover."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

from ragcli.parse.tables import MOST_SPAN, Cell

_NEAR = 30  # twips within which two edges are one


@dataclass(slots=True)
class CellPlace:
    """Where a cell ends, and whether it goes on from the one to its left or above it."""

    right: int = 0
    from_left: bool = False
    from_above: bool = False
    goes_down: bool = False


@dataclass(slots=True)
class TableRow:
    """One row: its cells' texts and places; ``left`` is where the first begins."""

    texts: list[str] = field(default_factory=list)
    places: list[CellPlace] = field(default_factory=list)
    left: int = 0
    header: bool = False


def grid(rows: Sequence[TableRow]) -> list[list[Cell]]:
    """The cells that begin in each row."""
    edges = _edges(rows)
    result: list[list[Cell]] = []
    open_cells: dict[int, tuple[int, int]] = {}  # column -> row and place of the cell that may go down
    for number, row in enumerate(rows):
        cells: list[Cell] = [Cell("")] * _column(edges, row.left)
        open_now: dict[int, tuple[int, int]] = {}
        column = len(cells)
        for place, text in zip(_places(row), row.texts, strict=True):
            end = (
                max(column + (0 if place.from_left else 1), _column(edges, place.right)) if place.right else column + 1
            )
            width = min(end - column, MOST_SPAN)
            if place.from_left and cells and not text.strip():
                last = cells[-1]
                cells[-1] = Cell(last.text, last.rows, last.columns + width)
            elif place.from_above and column in open_cells:
                begun, position = open_cells[column]
                cell = result[begun][position]
                result[begun][position] = Cell(cell.text, number - begun + 1, cell.columns)
                open_now[column] = (begun, position)
            else:
                if place.goes_down:
                    open_now[column] = (number, len(cells))
                cells.append(Cell(text, columns=max(1, width)))
            column += width
        open_cells = open_now
        result.append(cells)
    return result


def header_rows(rows: Sequence[TableRow]) -> int | None:
    """How many rows are repeated on every page; None for less than two, which says no more than a guess."""
    count = next((number for number, row in enumerate(rows) if not row.header), len(rows))
    return count if 1 < count < len(rows) else None


def _places(row: TableRow) -> list[CellPlace]:
    """A place for every text, also where the row is described for less."""
    return [*row.places[: len(row.texts)], *(CellPlace() for _ in range(len(row.texts) - len(row.places)))]


def _edges(rows: Sequence[TableRow]) -> list[int]:
    """Where columns begin and end, from left to right; near ones are one."""
    found = sorted({edge for row in rows for edge in (row.left, *(place.right for place in row.places))})
    edges: list[int] = []
    for edge in found:
        if not edges or edge - edges[-1] > _NEAR:
            edges.append(edge)
    return edges


def _column(edges: Sequence[int], edge: int) -> int:
    """The number of the column that begins at an edge."""
    return bisect_left(edges, edge - _NEAR)
