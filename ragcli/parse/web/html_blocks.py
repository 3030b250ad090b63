"""An HTML element tree as pieces of readable text, each with what tells content from the frame around it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragcli.parse.assemble import clean
from ragcli.parse.tables import read_table
from ragcli.parse.web.frames import frame_of, is_meant
from ragcli.parse.web.html_text import (
    BREAK,
    CELLS,
    DROPPED,
    INLINE,
    alternative_text,
    broken_lines,
    flat_text,
    inline_text,
    local_name,
    table_rows,
)
from ragcli.records import BlockKind

if TYPE_CHECKING:
    from lxml.etree import _Element

_HEADING = re.compile(r"h([1-6])$")
_LISTS = {"ul", "ol", "menu", "dir"}
_OWN_KINDS: dict[str, BlockKind] = {"blockquote": "quote", "figcaption": "caption", "caption": "caption"}
# What a description may begin with besides text.
_UNDESCRIBED = {"pre", "table", *_LISTS, *_OWN_KINDS}


@dataclass(frozen=True, slots=True)
class PageBlock:
    """One block of a page. ``linked`` is the share of its characters that are links, ``links`` holds words and targets.

    ``frame`` names the element around it that calls itself navigation, footer or the like, empty when none does;
    ``meant`` says that one calls itself a part of the content, such as a caution or the footnotes.
    """

    kind: BlockKind
    text: str
    level: int | None
    linked: float
    frame: str = ""
    meant: bool = False
    links: tuple[tuple[str, str], ...] = ()

    @property
    def framed(self) -> bool:
        """Whether an element around it is no content."""
        return bool(self.frame)


def pieces_of(root: _Element) -> list[PageBlock]:
    """The visible text under ``root`` as blocks, in reading order."""
    writer = _BlockWriter()
    writer.children(root, "paragraph", None)
    writer.flush("paragraph", None)
    writer.bare_terms()
    return writer.pieces


class _BlockWriter:
    """Collects inline text until a block element begins or ends."""

    def __init__(self) -> None:
        self.pieces: list[PageBlock] = []
        self._inline: list[str] = []
        self._linked = 0
        self._links: list[tuple[str, str]] = []
        self._pictures: list[tuple[str, int]] = []  # alternative texts, and the characters of them that are a link
        self._frames: list[str] = []
        self._meant = 0
        self._marker = ""
        self._terms: list[str] = []  # of a definition list, until their description comes

    def flush(self, kind: BlockKind, level: int | None) -> None:
        """Make what was collected a block of its own."""
        text = broken_lines("".join(self._inline))
        if text:
            self._add(kind, self._marker + "\n".join([*self._terms, text]), level, self._linked)
            self._marker = ""
            self._terms = []
            self._linked = 0
        self._inline = []
        pictures, self._pictures = self._pictures, []
        for words, linked in pictures:
            self._add("other", f"Picture: {words}", None, linked)

    def bare_terms(self) -> None:
        """Terms whose description begins with no text of its own, or that have none, as a paragraph."""
        terms, self._terms = self._terms, []
        self._add("paragraph", "\n".join(terms), None, self._linked)
        self._linked = 0

    def _add(self, kind: BlockKind, text: str, level: int | None, linked: int) -> None:
        if text.strip():
            share = min(1.0, linked / len(text))
            frame = self._frames[0] if self._frames else ""
            links, self._links = tuple(self._links), []
            self.pieces.append(PageBlock(kind, text, level, share, frame, self._meant > 0 and not frame, links))

    def children(self, element: _Element, kind: BlockKind, level: int | None) -> None:
        """The content of an element whose own text is of ``kind``."""
        self._inline.append(element.text or "")
        for child in element:
            self._element(child, kind, level)
            self._inline.append(child.tail or "")

    def _element(self, element: _Element, kind: BlockKind, level: int | None) -> None:
        tag = local_name(element)
        if not tag or tag in DROPPED:
            return
        if tag == "br":
            self._inline.append(BREAK)
        elif tag in INLINE and not _holds_block(element):
            self._run(element, tag)
        else:
            self.flush(kind, level)
            with self._inside(element, tag):
                self._block(element, tag, kind, level)

    def _run(self, element: _Element, tag: str) -> None:
        """An element within a line; a picture that stands alone in it is told after the block."""
        text = inline_text(element)
        images = [element] if tag == "img" else list(element.iter("img"))
        if images and not any(part.strip() for part in element.itertext()):
            named = [words for image in images if (words := alternative_text(image.get("alt") or ""))]
            self._pictures += [(words, len(words) * (tag == "a" or tag == "button")) for words in named]
            return
        self._inline.append(text)
        self._linked += len(text.strip()) if tag == "a" else _linked_length(element)
        self._links += _links_of(element)

    @contextlib.contextmanager
    def _inside(self, element: _Element, tag: str) -> Iterator[None]:
        """What an element says of itself, for all that is written meanwhile."""
        frame = frame_of(element, tag)
        meant = not frame and is_meant(element, tag)
        self._frames += [frame] if frame else []
        self._meant += meant
        yield
        self._meant -= meant
        if frame:
            self._frames.pop()

    def _block(self, element: _Element, tag: str, kind: BlockKind, level: int | None) -> None:
        heading = _HEADING.match(tag)
        if tag in _UNDESCRIBED or heading:
            self.bare_terms()
        if heading:
            self._links += _links_of(element)
            self._add("heading", flat_text(element), int(heading[1]), _linked_length(element))
        elif tag == "pre":
            self._add("code", clean(_preformatted(element)), None, 0)
        elif tag == "table" and not _is_layout(element):
            self._table(element)
        elif tag in _LISTS:
            self._list(element, (level or 0) + 1 if kind == "list_item" else 1)
        elif tag == "dt" and not _holds_structure(element):
            self._terms += filter(None, [broken_lines(inline_text(element))])
            self._linked += _linked_length(element)
            self._links += _links_of(element)
        else:
            own = _OWN_KINDS.get(tag, kind)
            self.children(element, own, level)
            self.flush(own, level)
            if tag in ("dl", "dd"):
                self.bare_terms()

    def _list(self, element: _Element, level: int) -> None:
        number = _first_number(element)
        for child in element:
            tag = local_name(child)
            if tag in _LISTS:
                self._list(child, level + 1)
            elif tag == "li":
                self._marker = "- " if number is None else f"{number}. "
                number = None if number is None else number + 1
                with self._inside(child, tag):
                    self.children(child, "list_item", level)
                    self.flush("list_item", level)
                self._marker = ""
            elif tag:
                self._element(child, "paragraph", None)
                self.flush("paragraph", None)

    def _table(self, element: _Element) -> None:
        rows, headers = table_rows(element)
        table = read_table(rows, header_rows=headers)
        named = [flat_text(child) for child in element if local_name(child) == "caption"]
        self._add("caption", "\n".join(dict.fromkeys(filter(None, [*named, table.caption]))), None, 0)
        self._links += _links_of(element)
        self._add("table", table.text, None, _linked_length(element))


def _links_of(element: _Element) -> Iterator[tuple[str, str]]:
    return ((flat_text(link), link.get("href") or "") for link in element.iter("a"))


def _linked_length(element: _Element) -> int:
    return sum(len(flat_text(link)) for link in element.iter("a"))


def _is_layout(table: _Element) -> bool:
    """Whether a table only arranges a page: it holds tables, headings, one cell, or cells of many blocks."""
    inside = [local_name(item) for item in table.iter() if item is not table]
    cells = sum(1 for tag in inside if tag in CELLS)
    return cells < 2 or "table" in inside or any(_HEADING.match(tag) for tag in inside) or inside.count("p") > 3 * cells


def _holds_block(element: _Element) -> bool:
    return any(local_name(item) not in INLINE and local_name(item) for item in element.iterdescendants())


def _holds_structure(element: _Element) -> bool:
    return any(_HEADING.match(tag) or tag in _UNDESCRIBED for tag in map(local_name, element.iterdescendants()))


def _preformatted(element: _Element) -> str:
    parts = [element.text or ""]
    for child in element:
        parts.append("\n" if local_name(child) == "br" else _preformatted(child))
        parts.append(child.tail or "")
    return "".join(parts)


def _first_number(element: _Element) -> int | None:
    if local_name(element) != "ol":
        return None
    start = element.get("start") or "1"
    return int(start) if start.isascii() and start.isdigit() else 1
