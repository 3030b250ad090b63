"""Spreadsheets (XLSX, XLSM, XLSB, XLS, ODS): every sheet's tables, through calamine. Macros are never looked at."""

from __future__ import annotations

import datetime
import io
import itertools
from collections.abc import Iterator
from typing import Any

from ragcli.errors import ParseError
from ragcli.parse.access import Statement, table_statements
from ragcli.parse.assemble import Assembly, one_line
from ragcli.parse.office.sheet_notes import office_notes
from ragcli.parse.source import Context, Extract, Outcome, Source
from ragcli.parse.tables import table_text
from ragcli.records import Coverage

Grid = list[list[str]]


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """One document, a section a sheet. Raises ParseError when the workbook is damaged or protected."""
    del context
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(source.data))
    except (CalamineError, OSError, ValueError) as error:
        raise ParseError(f"{source.doc_id}: not a readable workbook: {error}") from error
    assembly = Assembly()
    tables, warnings = 0, []
    stated: list[Statement] = []
    for name in workbook.sheet_names:
        try:
            grid = _grid(workbook.get_sheet_by_name(name))
        except (CalamineError, OSError, ValueError) as error:
            warnings.append(f"sheet {name!r} could not be read: {error}")
            continue
        tables += _add_sheet(assembly, name, grid)
        stated += table_statements(grid)
    for kind, note in office_notes(source.data):
        assembly.add(kind, note)
    if lost := assembly.text.count("\ufffd"):
        warnings.append(f"{lost} characters are in a code page that is not read (save it as .xlsx)")
    coverage = Coverage(tables=tables, warnings=tuple(warnings))
    yield Extract(assembly.text, assembly.blocks, coverage=coverage, stated=tuple(stated))


def _add_sheet(assembly: Assembly, name: str, grid: Grid) -> int:
    """The sheet's heading and tables; returns the number of tables."""
    regions = list(_regions(grid))
    if regions:
        assembly.add("heading", one_line(name), level=1)
    tables = 0
    for region in regions:
        while region and sum(1 for cell in region[0] if cell) == 1 and max(map(len, region)) > 1:
            assembly.add("paragraph", next(cell for cell in region[0] if cell))
            region = region[1:]
        if region and max(sum(1 for cell in row if cell) for row in region) > 1:
            assembly.add("table", table_text(region))
            tables += 1
        else:
            for row in region:
                assembly.add("paragraph", " ".join(filter(None, row)))
    return tables


def _regions(grid: Grid) -> Iterator[Grid]:
    """Stretches of rows between empty ones, each split where whole columns are empty."""
    for filled, group in itertools.groupby(grid, key=any):
        if filled:
            yield from _side_by_side(list(group))


def _side_by_side(rows: Grid) -> Iterator[Grid]:
    """Two well filled tables beside each other as two; anything else, such as a form with gaps, as one."""
    width = max(len(row) for row in rows)
    used = [any(column < len(row) and row[column] for row in rows) for column in range(width)]
    parts: list[Grid] = []
    for filled, group in itertools.groupby(range(width), key=lambda column: used[column]):
        if filled:
            columns = list(group)
            part = [[row[column] if column < len(row) else "" for column in columns] for row in rows]
            parts.append([row for row in part if any(row)])
    if len(parts) > 1 and all(_is_table(part) for part in parts):
        yield from parts
    else:
        yield rows


def _is_table(part: Grid) -> bool:
    cells = [cell for row in part for cell in row]
    return len(part) > 2 and len(part[0]) > 1 and sum(map(bool, cells)) > 0.8 * len(cells)


def _grid(sheet: Any) -> Grid:
    """The sheet's cells as text; a cell merged downwards stands in each of its rows."""
    grid = [[_text(value) for value in row] for row in sheet.to_python(skip_empty_area=False)]
    for (top, left), (bottom, _) in sheet.merged_cell_ranges or ():
        if top < len(grid) and left < len(grid[top]):
            for row in grid[top + 1 : bottom + 1]:
                if left < len(row):
                    row[left] = grid[top][left]
    return grid


def _text(value: Any) -> str:
    """A cell as a reader sees it: whole numbers without a point, dates as ISO."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.10g}"
    if isinstance(value, datetime.datetime):
        whole = value.time() == datetime.time()
        return value.date().isoformat() if whole else value.isoformat(sep=" ", timespec="seconds")
    if isinstance(value, datetime.timedelta):
        return _clock(value)
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return one_line(str(value))


def _clock(value: datetime.timedelta) -> str:
    minutes, seconds = divmod(int(value.total_seconds()), 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"
