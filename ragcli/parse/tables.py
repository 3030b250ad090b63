"""One model of a table for every format: cells with what they cover become rows that each say what they mean.

A row is found, quoted and read alone, so what stands once on the page for several rows or columns is written where it
holds: a cell merged downwards or across in each place it covers, headers of several rows joined (``Spring > Yield``),
a label row before the rows under it (``Europe > Graz``). The result is a Markdown table with one header row, which
every later chunk of the table repeats; what stands above the header across the whole table is its caption.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ragcli.parse.assemble import Assembly, one_line

JOINT = " > "
"""Between a header (or label) and the one under it."""

MOST_SPAN = 100
"""Columns that one cell may cover; more is a mistake of the file."""

_MOST_REPEATED = 120  # characters: a longer text in a merged cell is prose, and stands once
_MOST_LABEL_SHARE = 1 / 3
_VALUE = re.compile(r"[^\w]*\d[\d.,:'’/\s–-]*[^\W\d]{0,3}[^\w]*|[^\w]+|n\.?/?a\.?")
_YEAR = re.compile(r"(?:[^\W\d]{1,3}\s?)?(?:19|20)\d\d(?:\s?[/–-]\s?(?:\d\d){1,2})?")
_TOTAL = re.compile(
    r"(?i)(?:sub-?|grand )?total|sum\b|(?:zwischen)?summe|gesamt|somme|suma\b|итого|всего|合计|总计|合計"
)
_MOST_VALUE = 40  # characters


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell and how many rows (downwards) and columns (across) it covers, itself included."""

    text: str
    rows: int = 1
    columns: int = 1


Row = Iterable[str | Cell]


@dataclass(frozen=True, slots=True)
class TableText:
    """A table as text: what stands above it across its whole width (may be empty) and its rows.

    ``rows`` gives for each line under the rule the place of the row it was, among those that were given.
    """

    caption: str
    text: str
    rows: tuple[int, ...] = ()


@dataclass(slots=True)
class _TextGrid:
    """Texts by row and column, each text in its first place only.

    ``given`` are the places of the rows among those that were given. ``origins`` gives for a covered place where its
    cell begins, ``spans`` the rows and columns of a cell that covers more than one place.
    """

    texts: list[list[str]] = field(default_factory=list)
    given: list[int] = field(default_factory=list)
    origins: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    spans: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    width: int = 0

    def at(self, row: int, column: int) -> str:
        """The text of the cell that covers a place."""
        row, column = self.origins.get((row, column), (row, column))
        return self.texts[row][column]

    def filled(self, row: int) -> list[int]:
        """The columns in which a text begins in this row."""
        return [column for column, text in enumerate(self.texts[row]) if text]

    def across(self, row: int, column: int) -> int:
        """How many columns the cell that begins at a place covers."""
        return self.spans.get((row, column), (1, 1))[1]


def add_table(
    assembly: Assembly,
    rows: Iterable[Row],
    *,
    caption: str = "",
    header_rows: int | None = None,
    page: int | None = None,
) -> bool:
    """Append a table, its caption before it; whether it had any text. See ``read_table``."""
    return bool(add_read_table(assembly, read_table(rows, header_rows=header_rows), caption=caption, page=page).text)


def add_read_table(assembly: Assembly, table: TableText, *, caption: str = "", page: int | None = None) -> TableText:
    """Append a table that was read, its caption before it."""
    above = dict.fromkeys((one_line(caption), *table.caption.split("\n")))
    assembly.add("caption", "\n".join(filter(None, above)), page=page)
    assembly.add("table", table.text, page=page)
    return table


def table_text(rows: Iterable[Row], *, header_rows: int | None = None, label_rows: bool = True) -> str:
    """``read_table`` as one Markdown table, a caption found in it as the line above."""
    table = read_table(rows, header_rows=header_rows, label_rows=label_rows)
    return "\n".join(filter(None, (table.caption, table.text)))


def read_table(rows: Iterable[Row], *, header_rows: int | None = None, label_rows: bool = True) -> TableText:
    """Rows of cells as text; a text stands for a cell that covers nothing but its own place.

    A row lists the cells that begin in it, from left to right, as HTML does. ``header_rows`` is how many the format
    says are headers: None when it does not say (the first row then is one, with the rows under it that its merged
    cells ask for), 0 when it says that there is none. ``label_rows`` is False for rows that have their labels already.
    Empty rows and columns are left out.
    """
    grid = _grid_of(rows)
    first = 0
    captions: list[str] = []
    while first < len(grid.texts) - 1 and ((title := _whole_width(grid, first)) or not any(grid.texts[first])):
        captions += [title] if title else []
        first += 1
    if not any(any(row) for row in grid.texts[first:]):
        return TableText("\n".join(captions), "")
    stated = None if header_rows is None else max(0, header_rows - first)
    depth = _header_depth(grid, first) if stated is None or (header_rows and not stated) else stated
    depth = min(depth, len(grid.texts) - first)
    if not any(any(row) for row in grid.texts[first + depth :]):
        depth = min(depth, 1)  # headers alone are a table of one header and rows
    header = _header(grid, first, depth)
    body = [_body_row(grid, number, header) for number in range(first + depth, len(grid.texts))]
    if label_rows:
        _label(grid, first + depth, body)
    kept = [number for number, row in enumerate(body, first + depth) if any(row)]
    text = _markdown(header, [row for row in body if any(row)], grid, first)
    return TableText("\n".join(captions), text, tuple(grid.given[number] for number in kept))


# ---------------------------------------------------------------- places


def _grid_of(rows: Iterable[Row]) -> _TextGrid:
    """Every cell in its place, empty rows left out."""
    grid = _TextGrid()
    pending: dict[int, tuple[int, tuple[int, int]]] = {}  # column -> rows still covered, where the cell begins
    for place, row in enumerate(rows):
        cells = list(row)
        texts = [_cell_text(cell) for cell in cells]
        if not pending and not any(isinstance(cell, Cell) and (cell.rows > 1 or cell.columns > 1) for cell in cells):
            if any(texts):
                grid.texts.append(texts)
                grid.given.append(place)
        else:
            grid.given.append(place)
            _place(grid, cells, texts, pending)
    grid.width = max((column + 1 for row in grid.texts for column, text in enumerate(row) if text), default=0)
    for place, texts in enumerate(grid.texts):
        grid.texts[place] = [*texts[: grid.width], *[""] * (grid.width - len(texts))]
    return grid


def _cell_text(cell: str | Cell) -> str:
    text = cell if isinstance(cell, str) else cell.text
    if text.isascii() and text.isprintable() and "|" not in text and "  " not in text:
        return text.strip()  # most cells of large tables
    return one_line(text).replace("|", "\\|")


def _place(
    grid: _TextGrid, cells: Sequence[str | Cell], texts: Sequence[str], pending: dict[int, tuple[int, tuple[int, int]]]
) -> None:
    """Append a row in which cells of rows above still stand, or in which cells cover more than their place."""
    number = len(grid.texts)
    places: list[str] = []
    covered: dict[int, tuple[int, tuple[int, int]]] = {}

    def pass_covered() -> None:
        while len(places) in pending:
            left, origin = pending.pop(len(places))
            grid.origins[number, len(places)] = origin
            grid.spans[origin] = (number - origin[0] + 1, grid.spans[origin][1])
            if left > 1:
                covered[len(places)] = (left - 1, origin)
            places.append("")

    for cell, text in zip(cells, texts, strict=True):
        pass_covered()
        down, across = (cell.rows, min(cell.columns, MOST_SPAN)) if isinstance(cell, Cell) else (1, 1)
        origin = (number, len(places))
        if down > 1 or across > 1:
            grid.spans[origin] = (1, across)
        for offset in range(across):
            if offset and len(places) in pending:
                break  # two cells claim the place: the one that stood there first keeps it
            if offset:
                grid.origins[number, len(places)] = origin
            if down > 1:
                covered[len(places)] = (down - 1, origin)
            places.append("" if offset else text)
    while pending:  # gaps between the last cell and what still stands from above
        pass_covered()
        if pending:
            places.append("")
    pending.update(covered)
    grid.texts.append(places)


# ---------------------------------------------------------------- headers


def _whole_width(grid: _TextGrid, row: int) -> str:
    """The text of a row that is one cell over the whole table, else empty."""
    covers = grid.across(row, 0) if grid.texts[row] else 0
    return grid.texts[row][0] if grid.width > 1 and covers >= grid.width else ""


def is_value(text: str) -> bool:
    """Whether a cell holds an amount, a date or nothing to name a column by; a year may be either."""
    return len(text) <= _MOST_VALUE and bool(_VALUE.fullmatch(text)) and not _YEAR.fullmatch(text)


def is_total(label: str) -> bool:
    """Whether a row's label says that it sums up the rows above it."""
    return bool(_TOTAL.match(label))


def _header_depth(grid: _TextGrid, first: int) -> int:
    """How many rows from ``first`` are headers, by what is merged in them and by what stands under them."""
    last = len(grid.texts) - 1
    depth = 1
    while first + depth < last and _unfinished(grid, first, first + depth - 1):
        below = first + depth
        names = [text for column in range(grid.width) if (text := grid.texts[below][column])]
        held = any(origin[0] < below for (row, _), origin in grid.origins.items() if row == below)
        if not names or (not held and (any(map(is_value, names)) or _comes_again(grid, below))):
            break
        depth += 1
    if depth == 1 and _split_over_two(grid, first):
        depth = 2
    return depth


def _comes_again(grid: _TextGrid, row: int) -> bool:
    """Whether a cell right of the first stands in its column again further down: then it is no name of the column."""
    return any(
        grid.texts[row][column] and any(later[column] == grid.texts[row][column] for later in grid.texts[row + 1 :])
        for column in range(1, grid.width)
    )


def _unfinished(grid: _TextGrid, first: int, row: int) -> bool:
    """Whether a header row has cells over several columns of the table, which the row under it tells apart."""
    wide = [column for column in grid.filled(row) if 1 < grid.across(row, column) < grid.width]
    return any(
        any(grid.texts[row + 1][column + offset] for offset in range(1, grid.across(row, column))) for column in wide
    ) and (row > first or len(grid.filled(row)) > 1)


def _split_over_two(grid: _TextGrid, first: int) -> bool:
    """Whether the first two rows are headers without merged cells: gaps above names above amounts."""
    if len(grid.texts) - first < 3 or grid.width < 3 or grid.origins:
        return False
    upper, lower = grid.texts[first], grid.texts[first + 1]
    if all(upper[1:]) or sum(map(bool, upper)) < 2 or not all(lower[1:]) or any(map(is_value, lower)):
        return False
    return any(
        sum(is_value(row[column]) for row in grid.texts[first + 2 :] if row[column]) * 2 > len(grid.texts) - first - 2
        for column in range(1, grid.width)
    )


def _header(grid: _TextGrid, first: int, depth: int) -> list[str]:
    """One name a column: those that stand over it, from the top, each once."""
    names = []
    for column in range(grid.width):
        over: list[str] = []
        for row in range(first, first + depth):
            text = grid.at(row, column)
            if not text and row < first + depth - 1 and not grid.origins:
                text = next((grid.texts[row][left] for left in range(column, 0, -1) if grid.texts[row][left]), "")
            if text and text not in over[-1:]:
                over.append(text)
        names.append(JOINT.join(over))
    return names


# ---------------------------------------------------------------- rows


def _body_row(grid: _TextGrid, number: int, header: Sequence[str]) -> list[str]:
    """A row with what covers its places from above and from the left written where it holds.

    Empty for a row in which no text begins: it would only repeat the one above.
    """
    texts = list(grid.texts[number])
    if not grid.origins or not any(texts):
        return texts
    for column in range(grid.width):
        origin = grid.origins.get((number, column))
        if origin is None or len(text := grid.texts[origin[0]][origin[1]]) > _MOST_REPEATED:
            continue
        whole = grid.across(*origin) >= grid.width
        same_name = origin[1] < column and header[column] == header[column - 1]
        if not whole and not same_name:
            texts[column] = text
    return texts


def _label(grid: _TextGrid, first: int, body: list[list[str]]) -> None:
    """Write label rows before the rows under them, up to the next label row or past a total."""
    if grid.width < 2:
        return
    labels = _label_rows(grid, first, body)
    over: list[str] = []
    for place, row in enumerate(body):
        if place in labels:
            over = [*(over if place - 1 in labels else []), row[0].rstrip(" :：")]
        elif over and any(row):
            sums_up = is_total(row[0])
            row[0] = JOINT.join([*over, row[0]] if row[0] else over)
            over = [] if sums_up else over


def _label_rows(grid: _TextGrid, first: int, body: Sequence[Sequence[str]]) -> set[int]:
    """Rows that only name those under them: one cell over the whole width, or the first alone in a full table."""
    alone = [
        place
        for place, row in enumerate(body)
        if row[0] and not any(row[1:]) and len(row[0]) <= _MOST_REPEATED and not is_value(row[0])
    ]
    rest = [row for place, row in enumerate(body) if place not in set(alone) and any(row)]
    if not alone or not rest:
        return set()
    full = len(alone) <= _MOST_LABEL_SHARE * len(body) and all(all(row[1:]) for row in rest)
    return {
        place
        for place in alone
        if (full or body[place][0].endswith((":", "：")) or _whole_width(grid, first + place))
        and not is_total(body[place][0])
        and not body[place][0].endswith((".", "。"))
    }


def _markdown(header: Sequence[str], body: Sequence[Sequence[str]], grid: _TextGrid, first: int) -> str:
    """The rows under the header and a rule, without columns in which no text begins."""
    begins = [any(row[column] for row in grid.texts[first:]) for column in range(grid.width)]
    keep = [column for column, filled in enumerate(begins) if filled]
    lines = list(_lines((header, *body), keep))
    return "\n".join([lines[0], "|" + " --- |" * len(keep), *lines[1:]])


def _lines(rows: Iterable[Sequence[str]], keep: Sequence[int]) -> Iterator[str]:
    return ("| " + " | ".join(row[column] for column in keep) + " |" for row in rows)
