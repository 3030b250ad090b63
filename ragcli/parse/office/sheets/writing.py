"""The cells of a sheet as tables and lines: where tables begin and end, what is hidden, what stands behind a format."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ragcli.parse.assemble import Assembly, one_line, squeeze
from ragcli.parse.hidden import HiddenText
from ragcli.parse.links import Links
from ragcli.parse.source import Extract
from ragcli.parse.tables import MOST_SPAN, Cell, TableText, add_read_table, read_table
from ragcli.records import Alias, BlockKind, Coverage, Span

_MOST_NAMED = 5
_FORMAT_HIDES = "cells that their format hides"


@dataclass(frozen=True, slots=True)
class Shown:
    """A cell whose format shows ``text`` for the value ``raw``."""

    text: str
    raw: str


@dataclass(eq=False, slots=True)
class Covered:
    """The cell that covers all places which hold this very object, or is to cover ``down`` rows and ``across``."""

    cell: str | Shown | Covered
    down: int = 1
    across: int = 1


Value = str | Shown | Covered
CellValues = list[list[Value]]


class SheetWriter:
    """Collects the sheets of one workbook."""

    def __init__(self, hidden: HiddenText) -> None:
        self.warnings: list[str] = []
        self._assembly = Assembly()
        self._hidden = hidden
        self._tables = 0
        self._aliases: list[Alias] = []
        self._links = Links()

    def sheet(
        self,
        name: str,
        grid: CellValues,
        hidden_rows: Collection[int],
        hidden_columns: Collection[int],
        notes: Iterable[tuple[BlockKind, str]] = (),
    ) -> None:
        """A sheet's heading, tables and notes; nothing for one without any text."""
        regions = list(_regions(self._visible(name, grid, hidden_rows, hidden_columns)))
        notes = [(kind, text) for kind, text in notes if text.strip()]
        if regions or notes:
            self._assembly.add("heading", one_line(name), level=1)
        for region in regions:
            self._region(region)
        for kind, text in notes:
            self._assembly.add(kind, text)

    def unsaved(self, name: str, cells: Sequence[str]) -> None:
        """Name formulas whose results the file does not hold: they show nothing here."""
        if cells:
            more = f" and {len(cells) - _MOST_NAMED} more" if len(cells) > _MOST_NAMED else ""
            self.warnings.append(
                f"sheet {name!r}: formulas without a stored value: {', '.join(cells[:_MOST_NAMED])}{more} "
                "(save it in a spreadsheet program)"
            )

    def links(self, links: Iterable[tuple[str, str]]) -> None:
        """Words and addresses of the sheet's links, after all else of it."""
        for words, address in links:
            self._links.add(words, address)
        self._links.write(self._assembly)

    def extract(self) -> Extract:
        """The workbook as one document."""
        text = self._assembly.text
        warnings = list(self.warnings)
        if lost := text.count("\ufffd"):
            warnings.append(f"{lost} characters are in a code page that is not read (save it as .xlsx)")
        coverage = Coverage(tables=self._tables, warnings=(*self._hidden.warnings, *warnings))
        return Extract(text, self._assembly.blocks, coverage=coverage, aliases=tuple(self._aliases))

    def _visible(self, name: str, grid: CellValues, rows: Collection[int], columns: Collection[int]) -> CellValues:
        """The sheet without what it hides, unless that is to be read."""
        lost_rows = {number for number in rows if 0 <= number < len(grid) and any(map(_text, grid[number]))}
        width = max(map(len, grid), default=0)
        lost_columns = {
            number
            for number in columns
            if 0 <= number < width and any(number < len(row) and _text(row[number]) for row in grid)
        }
        kept_rows = not lost_rows or self._hidden.reads(f"{_counted(lost_rows, 'row')} of sheet {name!r}")
        kept_columns = not lost_columns or self._hidden.reads(f"{_counted(lost_columns, 'column')} of sheet {name!r}")
        shown = grid if kept_rows else [row for number, row in enumerate(grid) if number not in lost_rows]
        if not kept_columns:
            shown = [[cell for number, cell in enumerate(row) if number not in lost_columns] for row in shown]
        return [[cell if isinstance(cell, str) else self._seen(cell) for cell in row] for row in shown]

    def _seen(self, cell: Value) -> Value:
        if isinstance(cell, Shown) and not cell.text and cell.raw:
            return cell.raw if self._hidden.reads(_FORMAT_HIDES, len(cell.raw)) else ""
        return cell

    def _region(self, region: CellValues) -> None:
        while region and _filled(region[0]) == 1 and max(map(len, region)) > 1 and not _is_merged(region[0]):
            self._assembly.add("paragraph", squeeze(next(filter(None, map(_text, region[0])))))
            region = region[1:]
        if region and max(map(_filled, region)) > 1:
            table = add_read_table(self._assembly, read_table(_cells(region)))
            self._tables += 1
            self._remember(table, region)
        else:
            for row in region:
                self._assembly.add("paragraph", squeeze(" ".join(dict.fromkeys(filter(None, map(_text, row))))))

    def _remember(self, table: TableText, region: CellValues) -> None:
        """Keep the values behind formats, with the line of the table that each row became."""
        block = self._assembly.last
        if block is None or block.kind != "table":
            return
        start = block.span.start
        lines = table.text.split("\n")
        start += sum(len(line) + 1 for line in lines[:2])
        for line, place in zip(lines[2:], table.rows, strict=True):
            behind = (_behind(cell) for cell in region[place] if not isinstance(cell, str))
            raws = [cell.raw for cell in behind if isinstance(cell, Shown)]
            plain = line.replace(",", "") if raws else line
            words = [raw for raw in dict.fromkeys(raws) if not _stands_in(raw, plain)]
            if words:
                self._aliases.append(Alias(Span(start, start + len(line)), " ".join(words)))
            start += len(line) + 1


def _stands_in(raw: str, line: str) -> bool:
    """Whether a number stands in a line as a number of its own."""
    start = line.find(raw)
    while start >= 0:
        before, after = line[start - 1 : start], line[start + len(raw) : start + len(raw) + 2]
        if not (before.isdigit() or before == "." or after[:1].isdigit() or (after[:1] == "." and after[1:].isdigit())):
            return True
        start = line.find(raw, start + 1)
    return False


def _counted(numbers: Collection[int], what: str) -> str:
    return f"{len(numbers)} {what}{'s' if len(numbers) > 1 else ''}"


def _behind(cell: Value) -> Value:
    while isinstance(cell, Covered):
        cell = cell.cell
    return cell


def _text(cell: Value) -> str:
    if isinstance(cell, str):
        return cell
    cell = _behind(cell)
    return cell if isinstance(cell, str) else cell.text if isinstance(cell, Shown) else ""


def _filled(row: Sequence[Value]) -> int:
    """How many cells with a text stand in a row, a merged one counted once."""
    return len({id(cell) if isinstance(cell, Covered) else place for place, cell in enumerate(row) if _text(cell)})


def _is_merged(row: Sequence[Value]) -> bool:
    return any(isinstance(cell, Covered) for cell in row)


def _cells(region: CellValues) -> Iterator[list[str | Cell]]:
    """The rows as ``read_table`` takes them: a covered place is left out, its cell says what it covers."""
    met: set[int] = set()
    for number, row in enumerate(region):
        cells: list[str | Cell] = []
        for column, cell in enumerate(row):
            if not isinstance(cell, Covered):
                cells.append(_text(cell))
            elif id(cell) not in met:
                met.add(id(cell))
                down = _run([other[column] if column < len(other) else "" for other in region[number:]])
                cells.append(Cell(_text(cell), down, min(_run(row[column:]), MOST_SPAN)))
        yield cells


def _run(places: Sequence[Value]) -> int:
    """How many places from the first on hold the same cell."""
    return next((count for count, cell in enumerate(places) if cell is not places[0]), len(places))


def _regions(grid: CellValues) -> Iterator[CellValues]:
    """Stretches of rows between empty ones, each split where whole columns are empty."""
    for filled, group in itertools.groupby(grid, key=lambda row: any(map(_text, row))):
        if filled:
            yield from _side_by_side(list(group))


def _side_by_side(rows: CellValues) -> Iterator[CellValues]:
    """Two well filled tables beside each other as two; anything else, such as a form with gaps, as one."""
    width = max(len(row) for row in rows)
    used = [any(column < len(row) and _text(row[column]) for row in rows) for column in range(width)]
    parts: list[CellValues] = []
    for filled, group in itertools.groupby(range(width), key=lambda column: used[column]):
        if filled:
            columns = list(group)
            part: CellValues = [[row[column] if column < len(row) else "" for column in columns] for row in rows]
            parts.append([row for row in part if any(map(_text, row))])
    if len(parts) > 1 and all(_is_table(part) for part in parts):
        yield from parts
    else:
        yield rows


def _is_table(part: CellValues) -> bool:
    cells = [_text(cell) for row in part for cell in row]
    return len(part) > 2 and len(part[0]) > 1 and sum(map(bool, cells)) > 0.8 * len(cells)
