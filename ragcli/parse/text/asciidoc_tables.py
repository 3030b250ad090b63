"""Tables of AsciiDoc in the one form of all formats, line for line: the result has the lines of the source."""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Iterator, Sequence

from ragcli.parse.tables import Cell, read_table
from ragcli.parse.text.asciidoc import asciidoc_literals

_TABLE = re.compile(
    r"(?:^\.(?P<above>[^\s.][^\n]*)\n)?(?:^\[(?P<attributes>[^\n]*)\][ \t]*\n)?(?:^\.(?P<below>[^\s.][^\n]*)\n)?"
    r"^\|===+[ \t]*\n(?P<rows>(?s:.*?))^\|===+[ \t]*$",
    re.M,
)
_CELL = re.compile(
    r"(?:(?<=\s)|^)(?:(?P<across>\d+)?(?:\.(?P<down>\d+))?\+|(?P<times>\d+)\*)?(?:\.?[<^>]){0,2}[adehlmsv]?(?<!\\)\|",
    re.M,
)
_COLUMNS = re.compile(r"cols\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^,\]\s]*))")
_HEADER = re.compile(r"%header|options\s*=\s*\"?[^\"\]]*header")
_OTHER_FORM = re.compile(r"(?:format|separator)\s*=")
_WORD = re.compile(r"\w+")
_MOST = 200  # columns, and copies of a cell


def with_tables(text: str) -> str:
    """Clean ``text`` with its tables as Markdown, as many lines; a table that would lose a word stays as it is."""
    if "\n|===" not in f"\n{text}":
        return text
    literals = list(asciidoc_literals(text))

    def shown(found: re.Match[str]) -> str:
        at = bisect.bisect_right(literals, found.start(), key=lambda span: span.start)
        if at and literals[at - 1].end > found.start():
            return found[0]
        return _written(found) or found[0]

    return _TABLE.sub(shown, text)


def _written(found: re.Match[str]) -> str:
    """A table as text with empty lines up to its length; empty when it cannot be told so."""
    attributes, source = found["attributes"] or "", found["rows"]
    width = _width(attributes, source)
    if not width or _OTHER_FORM.search(attributes):
        return ""
    lines = source.split("\n")
    filled = next((place for place, line in enumerate(lines) if line.strip()), 0)
    headed = bool(_HEADER.search(attributes)) or (filled == 0 and len(lines) > 1 and not lines[1].strip())
    table = read_table(_rows(_cells(source), width), header_rows=1 if headed else None)
    captions = [*filter(None, [(found["above"] or found["below"] or "").strip(), table.caption])]
    words = set(_WORD.findall("\n".join([*captions, table.text])))
    length = found[0].count("\n")
    for parts in ([*captions, *([""] if captions else []), table.text], [*captions, table.text]):
        written = "\n".join(parts)
        if table.text and written.count("\n") <= length and words.issuperset(_WORD.findall(_CELL.sub("", source))):
            return written + "\n" * (length - written.count("\n"))
    return ""


def _width(attributes: str, source: str) -> int:
    """The number of columns: as stated, else the cells of the first line."""
    if match := _COLUMNS.search(attributes):
        stated = match[1] or match[2] or match[3] or ""
        parts = [part for part in re.split(r"[,;]", stated) if part.strip()]
        return min(_MOST, sum(int(times[1]) if (times := re.match(r"\s*(\d{1,3})\*", part)) else 1 for part in parts))
    first = next((line for line in source.split("\n") if line.strip()), "")
    return min(_MOST, sum(cell.columns for cell in _cells(first)))


def _cells(source: str) -> Iterator[Cell]:
    marks = list(_CELL.finditer(source))
    for mark, following in itertools.zip_longest(marks, marks[1:]):
        text = source[mark.end() : following.start() if following else len(source)].replace("\\|", "|").strip()
        down, across = int(mark["down"] or 1), int(mark["across"] or 1)
        for _ in range(min(_MOST, int(mark["times"] or 1))):
            yield Cell(text, max(1, min(down, _MOST)), max(1, min(across, _MOST)))


def _rows(cells: Iterator[Cell], width: int) -> Sequence[list[Cell]]:
    """The cells that begin in each row: a row ends when all its columns are taken."""
    rows: list[list[Cell]] = [[]]
    taken: set[tuple[int, int]] = set()
    for cell in cells:
        while all((len(rows) - 1, column) in taken for column in range(width)):
            rows.append([])
        row = len(rows) - 1
        column = next(column for column in range(width) if (row, column) not in taken)
        across = min(cell.columns, width - column)
        taken |= {(row + down, column + offset) for down in range(cell.rows) for offset in range(across)}
        rows[-1].append(Cell(cell.text, cell.rows, across))
    return rows
