"""ODS: sheets as they are shown, which the file itself states beside every value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ragcli.parse.assemble import squeeze
from ragcli.parse.hidden import HiddenText
from ragcli.parse.office.drawings import alternative_text
from ragcli.parse.office.opendocument.package import DRAW, OFFICE, SVG, TABLE, TEXT, XLINK, Package, whole
from ragcli.parse.office.opendocument.styles import OpenDocumentStyles
from ragcli.parse.office.opendocument.tables import CELL, COVERED, FILLING, chart_of, rows_of
from ragcli.parse.office.sheets.package import column_name
from ragcli.parse.office.sheets.writing import CellValues, Covered, SheetWriter, Shown, Value
from ragcli.parse.source import Context, Outcome, Source
from ragcli.parse.tables import table_text
from ragcli.records import BlockKind

if TYPE_CHECKING:
    from lxml.etree import _Element

_CREATOR = "{http://purl.org/dc/elements/1.1/}creator"
_DURATION = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,]\d+)?S)?$")
_COLUMNS = {TABLE + name for name in ("table-columns", "table-header-columns", "table-column-group")}
_VALUES = (OFFICE + "value", OFFICE + "date-value", OFFICE + "time-value", OFFICE + "boolean-value")


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """One document, a section a sheet. Raises ParseError when the package is damaged or encrypted."""
    package = Package(source)
    hidden = HiddenText(context.config, context.conditions)
    styles = OpenDocumentStyles()
    styles.read(package.styles)
    styles.read(package.content)
    writer = SheetWriter(hidden)
    for table in package.content.iterfind(f"{OFFICE}body/{OFFICE}spreadsheet/{TABLE}table"):
        name = str(table.get(TABLE + "name") or "")
        if not styles.hides("table", table.get(TABLE + "style-name")) or hidden.reads(f"sheet {name!r} (hidden)"):
            _Sheet(package, table, name).write(writer)
    yield writer.extract()


class _Sheet:
    """One sheet while it is read."""

    def __init__(self, package: Package, table: _Element, name: str) -> None:
        self._package = package
        self._table = table
        self._name = name
        self._notes: list[tuple[BlockKind, str]] = []
        self._links: list[tuple[str, str]] = []
        self._unsaved: list[str] = []

    def write(self, writer: SheetWriter) -> None:
        """Hand the sheet over, with what is hidden in it."""
        grid: CellValues = []
        hidden_rows: set[int] = set()
        for row in rows_of(self._table):
            cells = self._row(row.element, len(grid))
            times = 1 if row.times >= FILLING else row.times
            if not row.shown:
                hidden_rows.update(range(len(grid), len(grid) + times))
            grid += [list(cells) for _ in range(times)]
        _cover(grid)
        for shapes in self._table.iterfind(TABLE + "shapes"):
            self._frames(shapes)
        writer.sheet(self._name, grid, hidden_rows, set(_hidden_columns(self._table)), self._notes)
        writer.unsaved(self._name, self._unsaved)
        writer.links(self._links)

    def _row(self, row: _Element, number: int) -> list[Value]:
        cells: list[Value] = []
        for cell in row:
            if cell.tag not in (CELL, COVERED):
                continue
            times = whole(cell.get(TABLE + "number-columns-repeated"))
            value = self._cell(cell, number, len(cells)) if cell.tag == CELL else ""
            cells += [value] * (min(times, FILLING) if value else times if times < FILLING else 1)
        return cells

    def _cell(self, cell: _Element, row: int, column: int) -> Value:
        lines = [self._line(paragraph) for paragraph in cell.iterfind(TEXT + "p")]
        text = squeeze("\n".join(lines)) if lines else ""
        for annotation in cell.iterfind(OFFICE + "annotation"):
            author = annotation.find(_CREATOR)
            words = " ".join("".join(map(str, p.itertext())) for p in annotation.iter(TEXT + "p"))
            who = f"{author.text}: " if author is not None and author.text else ""
            self._notes.append(("other", squeeze(who + words)))
        self._frames(cell)
        if cell.get(TABLE + "formula") and not text and not cell.get(OFFICE + "value-type"):
            self._unsaved.append(f"{column_name(column)}{row + 1}")
        raw = _raw(cell)
        value: str | Shown = Shown(text, raw) if raw and raw != text else text
        down = whole(cell.get(TABLE + "number-rows-spanned"))
        across = whole(cell.get(TABLE + "number-columns-spanned"))
        return Covered(value, down, across) if down > 1 or across > 1 else value

    def _line(self, paragraph: _Element) -> str:
        for link in paragraph.iter(TEXT + "a"):
            self._links.append(("".join(map(str, link.itertext())), link.get(XLINK + "href") or ""))
        return _inline(paragraph)

    def _frames(self, holder: _Element) -> None:
        """Charts, text boxes and what describes pictures."""
        for frame in holder.iterfind(DRAW + "frame"):
            for inner in frame.iterfind(DRAW + "object"):
                root = self._package.object(inner)
                chart = chart_of(root) if root is not None else None
                if chart is not None:
                    self._notes += [("caption", chart[0]), ("table", table_text(chart[1], header_rows=1))]
            for box in frame.iterfind(DRAW + "text-box"):
                self._notes.append(("paragraph", squeeze("\n".join(_inline(line) for line in box.iter(TEXT + "p")))))
            for name in ("title", "desc"):
                if (node := frame.find(SVG + name)) is not None and (text := alternative_text(node.text or "")):
                    self._notes.append(("other", f"Picture: {text}"))


def _cover(grid: CellValues) -> None:
    """Lay every merged cell over the places it covers."""
    for row, cells in enumerate(grid):
        for column, cell in enumerate(cells):
            if not isinstance(cell, Covered) or (cell.down == 1 and cell.across == 1):
                continue
            down, across = cell.down, cell.across
            cell.down = cell.across = 1  # laid once
            for other in grid[row : row + down]:
                other += [""] * (min(column + across, column + FILLING) - len(other))
                for place in range(column, min(column + across, len(other))):
                    other[place] = cell


def _raw(cell: _Element) -> str:
    """The value behind what a cell shows, empty for a text."""
    value = next((found for name in _VALUES if (found := cell.get(name)) is not None), "")
    duration = _DURATION.match(value)
    if duration:
        return ":".join(part.zfill(2) for part in (duration[1] or "", duration[2] or "", duration[3] or ""))
    return value.replace("T", " ") if value[:4].isdigit() and "-" in value else value


def _inline(paragraph: _Element) -> str:
    parts = [paragraph.text or ""]
    for child in paragraph:
        tag = str(child.tag)
        if tag == TEXT + "s":
            parts.append(" " * whole(child.get(TEXT + "c")))
        elif tag in (TEXT + "line-break", TEXT + "tab"):
            parts.append(" ")
        elif tag != OFFICE + "annotation":
            parts.append(_inline(child))
        parts.append(child.tail or "")
    return "".join(parts)


def _hidden_columns(table: _Element) -> Iterator[int]:
    column = 0
    for node in _columns(table):
        times = whole(node.get(TABLE + "number-columns-repeated"))
        if node.get(TABLE + "visibility") not in (None, "visible"):
            yield from range(column, column + times)
        column += times


def _columns(parent: _Element) -> Iterator[_Element]:
    for child in parent:
        if child.tag == TABLE + "table-column":
            yield child
        elif child.tag in _COLUMNS:
            yield from _columns(child)
