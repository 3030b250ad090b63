"""The text of HTML elements and tables, as a reader sees it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ragcli.parse.assemble import clean, one_line

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


def local_name(element: _Element) -> str:
    """The tag without its namespace, empty for comments and processing instructions."""
    tag = element.tag
    return tag.rsplit("}", 1)[-1].lower() if isinstance(tag, str) else ""


def hidden(element: _Element) -> bool:
    """Whether the page says that a reader does not see the element."""
    style = (element.get("style") or "").replace(" ", "").lower()
    return element.get("hidden") is not None or "display:none" in style or "visibility:hidden" in style


def inline_text(element: _Element) -> str:
    """All text in an element, a line break where it has one, block elements set apart by a blank."""
    parts = [element.text or ""]
    for child in element:
        tag = local_name(child)
        if tag == "br":
            parts.append(BREAK)
        elif tag == "input" and child.get("type") in ("checkbox", "radio"):
            parts.append("☒ " if child.get("checked") is not None else "☐ ")
        elif tag and tag not in DROPPED and not hidden(child):
            inner = inline_text(child)
            parts.append(inner if tag in INLINE else f" {inner} ")
        parts.append(child.tail or "")
    return "".join(parts)


def flat_text(element: _Element) -> str:
    """All text in an element on one line."""
    return one_line(inline_text(element).replace(BREAK, " "))


def table_rows(element: _Element) -> Iterator[list[str]]:
    """Cells of a table as rows; a spanned cell is written once, in its first place, and leaves the others empty."""
    covered: set[tuple[int, int]] = set()
    for number, row in enumerate(_own_rows(element)):
        cells: list[str] = []
        for cell in row:
            if local_name(cell) not in CELLS:
                continue
            while (number, len(cells)) in covered:
                cells.append("")
            across, down = _span(cell, "colspan"), _span(cell, "rowspan")
            covered |= {
                (number + offset, column)
                for offset in range(1, down)
                for column in range(len(cells), len(cells) + across)
            }
            cells.append(broken_lines(inline_text(cell)))
            cells += [""] * (across - 1)
        yield cells


def _own_rows(element: _Element) -> Iterator[_Element]:
    for child in element:
        tag = local_name(child)
        if tag == "tr":
            yield child
        elif tag in ("thead", "tbody", "tfoot"):
            yield from _own_rows(child)


def _span(cell: _Element, name: str) -> int:
    value = (cell.get(name) or "1").strip()
    return max(1, min(100, int(value))) if value.isascii() and value.isdigit() else 1


def broken_lines(text: str) -> str:
    """White space folded, with a line end where the page breaks the line."""
    parts = (" ".join(clean(part).split()) for part in text.split(BREAK))
    return "\n".join(part for part in parts if part)
