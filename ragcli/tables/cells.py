"""The cells of a table, read back from the one form in which every parser writes tables.

That form is a Markdown table whose cells stand between `` | `` and in which a bar inside a cell is ``\\|``: nothing of
a cell is lost in it, so the text of a document is the one truth about its tables, and each row has its place. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ragcli.records import Document, Span

Clean = Callable[[str], str]
"""A cell as it is read: without the marks of the document's format."""

_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[|:\s-]*--?[|:\s-]*")
_QUOTED = re.compile(r"(?:[ \t]*>)+[ \t]?")


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: one header a column (may be empty), and rows of as many cells, each with its place in the document."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A table of a document: the ``number``-th, with its caption or heading, its page and its first and last line."""

    number: int
    title: str
    span: Span
    page: int | None
    lines: tuple[int, int] | None
    grid: Grid


def tables_of(document: Document, clean: Clean | None = None) -> Iterator[Found]:
    """The tables of a document that have rows, in order; ``number`` counts all blocks of tables, so it stays."""
    number = 0
    for place, block in enumerate(document.blocks):
        if block.kind != "table":
            continue
        number += 1
        grid = read_grid(document.text, block.span, clean)
        if grid.rows:
            before = document.blocks[place - 1] if place else None
            caption = before.span.of(document.text) if before is not None and before.kind == "caption" else ""
            title = " ".join(caption.split()) or _heading(document, block.span)
            yield Found(number, title, block.span, block.page, lines_of(document, block.span), grid)


def read_grid(text: str, span: Span, clean: Clean | None = None) -> Grid:
    """The table at ``span``. Rows wider than the header give it columns without a name; nothing is cut off."""
    lines = list(_lines(text, span))
    rows = [(place, [_text(cell, clean) for cell in _cells(place.of(text))]) for place in lines]
    ruled = len(lines) > 1 and bool(_RULE.fullmatch(_bare(lines[1].of(text))))
    head = rows[0][1] if ruled else []
    body = rows[2:] if ruled else rows
    width = max((len(cells) for cells in [head, *(cells for _, cells in body)]), default=0)
    filled = [(place, (*cells, *[""] * (width - len(cells)))) for place, cells in body if any(cells)]
    return Grid(
        (*head, *[""] * (width - len(head))),
        tuple(cells for _, cells in filled),
        tuple(place for place, _ in filled),
    )


def lines_of(document: Document, span: Span) -> tuple[int, int] | None:
    """First and last line of the source file that a piece of the text stands on; None where it has no lines."""
    if document.first_line is None:
        return None
    first = document.first_line + document.text.count("\n", 0, span.start)
    return first, first + document.text.count("\n", span.start, max(span.start, span.end - 1))


def _lines(text: str, span: Span) -> Iterator[Span]:
    """The lines that are not empty."""
    start = span.start
    while start < span.end:
        end = text.find("\n", start, span.end)
        end = span.end if end < 0 else end
        if text[start:end].strip():
            yield Span(start, end)
        start = end + 1


def _bare(line: str) -> str:
    """A line without what stands around its row: blanks, the mark of a quotation."""
    quoted = _QUOTED.match(line)
    return (line[quoted.end() :] if quoted else line).strip()


def _cells(line: str) -> list[str]:
    bare = _bare(line)
    if bare.startswith("|"):
        bare = bare[1:]
    parts = _BAR.split(bare)
    if len(parts) > 1 and not parts[-1].strip():
        parts.pop()  # the bar that ends the row
    return [part.strip().replace("\\|", "|") for part in parts]


def _text(cell: str, clean: Clean | None) -> str:
    return clean(cell) if clean is not None and not cell.isalnum() else cell


def _heading(document: Document, span: Span) -> str:
    """The innermost heading over a place, else the document's title."""
    over = [section for section in document.sections if section.span.start <= span.start < section.span.end]
    return max(over, key=lambda section: section.level).heading_path[-1] if over else document.title
