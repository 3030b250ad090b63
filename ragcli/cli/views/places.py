"""How a place in a document is written: source, page or lines, heading path."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragcli.cli.output import shortened
from ragcli.display import as_quoted, one_line

if TYPE_CHECKING:
    from ragcli.records import RowPlace


def place(source: str, page: int | None, lines: tuple[int, int] | None) -> str:
    """``hr/policy.md:14-18``, ``rates.pdf p. 2`` or the source alone."""
    name = as_quoted(one_line(source))
    if page is not None:
        return f"{name} p. {page}"
    if lines is not None:
        return f"{name}:{lines[0]}" if lines[0] == lines[1] else f"{name}:{lines[0]}-{lines[1]}"
    return name


def heading(title: str, path: Sequence[str]) -> str:
    """Title and heading path, the title not repeated when it is the first heading."""
    inner = path[1:] if path and path[0] == title else path
    return " > ".join(as_quoted(one_line(part)) for part in (title, *inner) if part)


def snippet(text: str, path: Sequence[str], width: int) -> str:
    """The beginning of a chunk on one line, without the headings that its heading path names already."""
    known = {name.casefold() for name in path}
    lines = text.splitlines()
    while len(lines) > 1 and (not lines[0].strip() or lines[0].strip("#= \t").casefold() in known):
        lines.pop(0)
    return shortened("\n".join(lines), width)


def table_places(places: Sequence[RowPlace], most: int, *, more: bool) -> str:
    """``prices.csv row 3, prices.csv row 9``: the first rows a result was made of, and whether there are others."""
    written = [
        place(one.source, one.page, one.lines) + ("" if one.row is None or one.lines is not None else f" row {one.row}")
        for one in places[:most]
    ]
    return "; ".join([*written, *(["…"] if more or len(places) > most else [])])
