"""The text of HTML elements and tables, as a reader sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ragcli.parse.assemble import clean, one_line
from ragcli.parse.tables import Cell

if TYPE_CHECKING:
    from lxml.etree import _Element


DROPPED = {
    "script", "style", "noscript", "template", "head", "svg", "canvas", "iframe", "object", "embed", "audio", "video",
    "map", "datalist", "select", "option",
}  # fmt: skip
INLINE = {
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "img",
    "input", "ins", "kbd", "label", "mark", "math", "br", "q", "rp", "rt", "ruby", "s", "samp", "small", "span",
    "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr", "button", "nobr", "o:p",
}  # fmt: skip
BREAK = "\x1e"
CELLS = {"td", "th"}
_GENERATED = re.compile(
    r"\s*(?:Description automatically generated|Automatisch generierte Beschreibung|Description générée automatiquement"
    r"|(?:AI|KI)[-\s]?(?:generated|generiert|生成))[^.。\n]*[.。]?\s*$",
    re.I,
)
_FILE_NAME = re.compile(r"\S+\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|svg|webp)$", re.I)


def local_name(element: _Element) -> str:
    """The tag without its namespace, empty for comments and processing instructions."""
    tag = element.tag
    return tag.rsplit("}", 1)[-1].lower() if isinstance(tag, str) else ""


def inline_text(element: _Element) -> str:
    """All text in an element, a line break where it has one, block elements set apart by a blank."""
    parts = [element.text or ""]
    for child in element:
        tag = local_name(child)
        if tag == "br":
            parts.append(BREAK)
        elif tag == "input" and child.get("type") in ("checkbox", "radio"):
            parts.append("☒ " if child.get("checked") is not None else "☐ ")
        elif tag == "img":
            parts.append(_pictured(child))
        elif tag and tag not in DROPPED:
            inner = inline_text(child)
            parts.append(inner if tag in INLINE else f" {inner} ")
        parts.append(child.tail or "")
    return "".join(parts)


def _pictured(image: _Element) -> str:
    """The alternative text of a picture inside a text, set apart from it; empty when it says nothing."""
    text = alternative_text(image.get("alt") or "")
    return f" {text} " if text else ""


def alternative_text(written: str) -> str:
    """An alternative text without what an editor adds to it; empty when it is only the name of a file."""
    text = one_line(_GENERATED.sub("", written))
    return "" if _FILE_NAME.fullmatch(text) else text


def flat_text(element: _Element) -> str:
    """All text in an element on one line."""
    return one_line(inline_text(element).replace(BREAK, " "))


def table_rows(element: _Element) -> tuple[list[list[Cell]], int | None]:
    """The cells of a table's rows with what they cover, and how many rows are headers (None: it does not say)."""
    rows: list[list[Cell]] = []
    headers, stated = 0, False
    for place, (row, in_head) in enumerate(_own_rows(element)):
        cells = [cell for cell in row if local_name(cell) in CELLS]
        named = bool(cells) and all(local_name(cell) == "th" for cell in cells)
        stated |= in_head or any(local_name(cell) == "th" for cell in cells)
        headers += headers == place and (in_head or (named and len(cells) > 1))
        rows.append([_cell(cell) for cell in cells])
    if headers == len(rows) or not stated:
        return rows, None
    return rows, headers


def _cell(cell: _Element) -> Cell:
    return Cell(broken_lines(inline_text(cell)), _span(cell, "rowspan"), _span(cell, "colspan"))


def _own_rows(element: _Element, in_head: bool = False) -> Iterator[tuple[_Element, bool]]:
    for child in element:
        tag = local_name(child)
        if tag == "tr":
            yield child, in_head
        elif tag in ("thead", "tbody", "tfoot"):
            yield from _own_rows(child, tag == "thead")


def _span(cell: _Element, name: str) -> int:
    value = (cell.get(name) or "1").strip()
    return max(1, min(100, int(value))) if value.isascii() and value.isdigit() else 1


def broken_lines(text: str) -> str:
    """White space folded, with a line end where the page breaks the line."""
    parts = (" ".join(clean(part).split()) for part in text.split(BREAK))
    return "\n".join(part for part in parts if part)
