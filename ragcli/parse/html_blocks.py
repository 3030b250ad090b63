"""An element tree (HTML, or the simpler one of trafilatura) as blocks of readable text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ragcli.parse.assemble import Assembly, clean, one_line, table_text

if TYPE_CHECKING:
    from lxml.etree import _Element

_HEADING = re.compile(r"h([1-6])$")
_DROPPED = {
    "script", "style", "noscript", "template", "head", "svg", "canvas", "iframe", "object", "embed", "audio", "video",
    "map", "select", "datalist", "dialog",
}  # fmt: skip
_INLINE = {
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "hi", "i",
    "img", "input", "ins", "kbd", "label", "lb", "mark", "math", "br", "q", "ref", "rp", "rt", "ruby", "s", "samp",
    "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr", "graphic", "button",
}  # fmt: skip
_BREAK = "\x1e"
_LISTS = {"ul", "ol", "list", "menu", "dir"}
_ITEMS = {"li", "item"}
_ROWS, _CELLS, _HEADER_CELL = {"tr", "row"}, {"td", "th", "cell"}, {"th"}


def add_tree(root: _Element, assembly: Assembly) -> int:
    """Append the blocks under ``root`` in reading order; returns the number of tables."""
    writer = _Writer(assembly)
    writer.children(root, "paragraph", None)
    writer.flush("paragraph", None)
    return writer.tables


class _Writer:
    """Collects inline text until a block element begins or ends."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        self._inline: list[str] = []
        self.tables = 0

    def flush(self, kind: str, level: int | None) -> None:
        """Make what was collected a block of its own."""
        text = _lines("".join(self._inline))
        self._inline = []
        if text:
            self._assembly.add(kind, text, level=level)  # type: ignore[arg-type]

    def children(self, element: _Element, kind: str, level: int | None) -> None:
        """The content of an element whose own text is of ``kind``."""
        self._inline.append(element.text or "")
        for child in element:
            self._element(child, kind, level)
            self._inline.append(child.tail or "")

    def _element(self, element: _Element, kind: str, level: int | None) -> None:
        tag = local_name(element)
        if not tag or tag in _DROPPED or hidden(element):
            return
        if tag in ("br", "lb"):
            self._inline.append(_BREAK)
        elif tag in _INLINE and not _holds_block(element):
            self._inline.append(inline_text(element))
        else:
            self.flush(kind, level)
            self._block(element, tag, kind, level)

    def _block(self, element: _Element, tag: str, kind: str, level: int | None) -> None:
        heading = _HEADING.match(tag) or (_HEADING.match(element.get("rend") or "h2") if tag == "head" else None)
        if heading:
            self._assembly.add("heading", one_line(inline_text(element)), level=int(heading[1]))
        elif tag == "pre" or (tag == "code" and "\n" in "".join(element.itertext())):
            self._assembly.add("code", clean(_preformatted(element)))
        elif tag == "table" and not _is_layout(element):
            self._table(element)
        elif tag in _LISTS:
            self._list(element, (level or 0) + 1 if kind == "list_item" else 1)
        else:
            inner = {"blockquote": "quote", "quote": "quote", "figcaption": "caption", "caption": "caption"}
            inner |= {"dt": "paragraph", "dd": "paragraph"}
            own = inner.get(tag, kind if tag not in ("dl",) else "paragraph")
            self.children(element, own, level if own == kind else None)
            self.flush(own, level if own == kind else None)

    def _list(self, element: _Element, level: int) -> None:
        number = _first_number(element)
        for child in element:
            if local_name(child) in _LISTS:
                self._list(child, level + 1)
            elif local_name(child) in _ITEMS and not hidden(child):
                self._inline.append("- " if number is None else f"{number}. ")
                number = None if number is None else number + 1
                self.children(child, "list_item", level)
                if "".join(self._inline).strip(" -.0123456789") or len(self._inline) > 2:
                    self.flush("list_item", level)
                self._inline = []
            elif local_name(child):
                self._element(child, "paragraph", None)
                self.flush("paragraph", None)

    def _table(self, element: _Element) -> None:
        for child in element:
            if local_name(child) == "caption":
                self._assembly.add("caption", one_line(inline_text(child)))
        rows = list(table_rows(element))
        text = table_text(rows)
        if text:
            self.tables += 1
            self._assembly.add("table", text)


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
        if tag in ("br", "lb"):
            parts.append(_BREAK)
        elif tag and tag not in _DROPPED and not hidden(child):
            inner = inline_text(child)
            parts.append(inner if tag in _INLINE else f" {inner} ")
        parts.append(child.tail or "")
    return "".join(parts)


def table_rows(element: _Element) -> Iterator[list[str]]:
    """Cells of a table as rows; a spanned cell is written once, in its first place, and leaves the others empty."""
    covered: dict[tuple[int, int], bool] = {}
    for number, row in enumerate(_own_rows(element)):
        cells: list[str] = []
        for cell in row:
            if local_name(cell) not in _CELLS:
                continue
            while covered.get((number, len(cells))):
                cells.append("")
            across, down = _span(cell, "colspan"), _span(cell, "rowspan")
            for offset in range(1, down):
                for column in range(len(cells), len(cells) + across):
                    covered[number + offset, column] = True
            cells.append(_lines(inline_text(cell)))
            cells += [""] * (across - 1)
        yield cells


def _own_rows(element: _Element) -> Iterator[_Element]:
    for child in element:
        tag = local_name(child)
        if tag in _ROWS:
            yield child
        elif tag in ("thead", "tbody", "tfoot"):
            yield from _own_rows(child)


def _span(cell: _Element, name: str) -> int:
    value = (cell.get(name) or "1").strip()
    return max(1, min(100, int(value))) if value.isascii() and value.isdigit() else 1


def _is_layout(table: _Element) -> bool:
    """Whether a table only arranges a page: it holds other tables, headings or lists, or one cell."""
    inside = [local_name(item) for item in table.iter() if item is not table]
    cells = sum(1 for tag in inside if tag in _CELLS)
    return cells < 2 or "table" in inside or any(_HEADING.match(tag) for tag in inside)


def _holds_block(element: _Element) -> bool:
    return any(local_name(item) not in _INLINE and local_name(item) for item in element.iterdescendants())


def _preformatted(element: _Element) -> str:
    parts = [element.text or ""]
    for child in element:
        parts.append("\n" if local_name(child) in ("br", "lb") else _preformatted(child))
        parts.append(child.tail or "")
    return "".join(parts)


def _first_number(element: _Element) -> int | None:
    if local_name(element) != "ol" and element.get("rend") != "ol":
        return None
    start = element.get("start") or "1"
    return int(start) if start.isascii() and start.isdigit() else 1


def _lines(text: str) -> str:
    """White space folded, with a line end where the page breaks the line."""
    parts = (" ".join(clean(part).split()) for part in text.split(_BREAK))
    return "\n".join(part for part in parts if part)
