"""ODT and ODP: headings and lists with their numbers, tables, charts, notes, slides, links, footers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ragcli.parse.assemble import Assembly, one_line, squeeze
from ragcli.parse.hidden import HiddenText
from ragcli.parse.links import Links
from ragcli.parse.office.drawings import alternative_text
from ragcli.parse.office.opendocument.forms import Controls
from ragcli.parse.office.opendocument.lists import Counter
from ragcli.parse.office.opendocument.package import (
    DRAW,
    MATH,
    OFFICE,
    PRESENTATION,
    SVG,
    TABLE,
    TEXT,
    XLINK,
    Package,
    whole,
)
from ragcli.parse.office.opendocument.styles import HIDDEN_PAGE, PAGE_STYLE, OpenDocumentStyles
from ragcli.parse.office.opendocument.tables import chart_of, grid, header_rows, rows_of
from ragcli.parse.source import Context, Extract, Outcome, Source
from ragcli.parse.tables import add_table
from ragcli.records import BlockKind, Coverage

if TYPE_CHECKING:
    from lxml.etree import _Element

_SKIPPED = {
    TEXT + "tracked-changes",
    OFFICE + "annotation-end",
    TEXT + "sequence-decls",
    OFFICE + "forms",
    TEXT + "number",
    SVG + "title",
    SVG + "desc",
}
_BY_STYLE = "text hidden by its style"
_ID = "{http://www.w3.org/XML/1998/namespace}id"


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """One document. Raises ParseError when the package is damaged or encrypted."""
    package = Package(source)
    hidden = HiddenText(context.config, context.conditions)
    reader = _ElementReader(package, hidden)
    body = package.content.find(OFFICE + "body")
    reader.children(body if body is not None else package.content)
    reader.finish()
    slides = reader.page or 0
    title, modified = package.stated
    yield Extract(
        reader.assembly.text,
        reader.assembly.blocks,
        title=title or reader.first_title,
        declared={"modified": modified} if modified else {},
        coverage=Coverage(
            pages=slides or 1,
            pages_with_text=len({block.page for block in reader.assembly.blocks if block.page}) if slides else 1,
            tables=reader.tables,
            warnings=(*hidden.warnings, *reader.warnings),
        ),
    )


class _ElementReader:
    """Walks the elements of an OpenDocument body."""

    def __init__(self, package: Package, hidden: HiddenText) -> None:
        self.assembly = Assembly()
        self.tables = 0
        self.page: int | None = None
        self.first_title = ""
        self.warnings: list[str] = []
        self._package = package
        self._hidden = hidden
        self._styles = OpenDocumentStyles()
        self._styles.read(package.styles)
        self._styles.read(package.content)
        self._controls = Controls(package.content)
        self._links = Links()
        self._notes: list[str] = []
        self._outline = Counter(self._styles.outline)
        self._lists: dict[str, Counter] = {}  # by id, and the last of each style

    def children(self, element: _Element, kind: BlockKind = "paragraph", level: int | None = None) -> None:
        """The blocks under an element, in order; notes follow the page or text they stand in."""
        for child in element:
            self._element(child, kind, level)
        if element.tag in (DRAW + "page", OFFICE + "body"):
            for note in self._notes:
                self.assembly.add("other", note, page=self.page)
            self._notes.clear()
            self._links.write(self.assembly, page=self.page)

    def _element(self, element: _Element, kind: BlockKind, level: int | None) -> None:
        tag = str(element.tag)
        if tag in _SKIPPED:
            return
        if tag == TEXT + "h":
            self._heading(element, self._outline_number(element))
        elif tag == TEXT + "p":
            self._paragraph(element, kind, level, "- " if kind == "list_item" else "")
        elif tag == TEXT + "list":
            self._list(element, 1, None)
        elif tag == TABLE + "table":
            self._table(element)
        elif tag == PRESENTATION + "notes":
            for text_box in element.iter(DRAW + "text-box"):
                self.children(text_box)
        elif tag == DRAW + "page":
            self.page = (self.page or 0) + 1
            style = element.get(PAGE_STYLE)
            if not self._styles.hides(HIDDEN_PAGE, style) or self._hidden.reads(f"slide {self.page}"):
                self.children(element)
        elif tag == TEXT + "section" and element.get(TEXT + "display") == "none":
            if self._hidden.reads(f"section {element.get(TEXT + 'name') or ''}".strip()):
                self.children(element, kind, level)
        elif tag == DRAW + "frame":
            self._frame(element, kind, level)
        elif tag == DRAW + "control":
            self.assembly.add("paragraph", self._controls.shown(element), page=self.page)
        else:
            self.children(element, kind, level)

    # ------------------------------------------------------------ text

    def _paragraph(self, element: _Element, kind: BlockKind, level: int | None, marker: str) -> None:
        text = squeeze(self._inline(element))
        parent = element.getparent()
        holder = parent.getparent() if parent is not None else None
        is_title = bool(self.page) and holder is not None and holder.get(PRESENTATION + "class") == "title"
        if is_title:
            self.assembly.add("heading", one_line(text), page=self.page, level=1)
        else:
            self.assembly.add(kind, marker + text if text else "", page=self.page, level=level)
        for frame in _frames(element):
            self._element(frame, "paragraph", None)

    def _heading(self, element: _Element, number: str) -> None:
        self._links.write(self.assembly, page=self.page)
        text = one_line(self._inline(element))
        self.first_title = self.first_title or text
        level = max(1, min(6, whole(element.get(TEXT + "outline-level"))))
        numbered = f"{number} {text}" if number not in ("", "-") and text else text
        self.assembly.add("heading", numbered, page=self.page, level=level)
        for frame in _frames(element):
            self._element(frame, "paragraph", None)

    def _outline_number(self, heading: _Element) -> str:
        """The number of a heading that stands in no list."""
        if heading.get(TEXT + "is-list-header") == "true" or not self._styles.outline:
            return ""
        restarts = heading.get(TEXT + "restart-numbering") == "true"
        start = heading.get(TEXT + "start-value")
        first = whole(start) if start is not None else 1 if restarts else None
        return self._outline.item(whole(heading.get(TEXT + "outline-level")), first)

    def _list(self, element: _Element, level: int, counter: Counter | None) -> None:
        """A list; ``counter`` is that of the list around it."""
        if counter is None:
            counter = self._counter(element)
        elif (own := element.get(TEXT + "style-name")) and own in self._styles.lists:
            counter = Counter(self._styles.lists[own], counter.counts)
        for item in element:
            if item.tag == TEXT + "list-header":
                self.children(item, "paragraph")
            elif item.tag == TEXT + "list-item":
                self._item(item, level, counter)

    def _counter(self, element: _Element) -> Counter:
        """The counter of an outermost list: a new one unless the list goes on where another ended."""
        style = element.get(TEXT + "style-name") or ""
        goes_on = element.get(TEXT + "continue-list") or (
            style if element.get(TEXT + "continue-numbering") == "true" else ""
        )
        counter = self._lists.get(goes_on) if goes_on else None
        if counter is None:
            counter = Counter(self._styles.lists.get(style, {}))
        self._lists[style] = counter
        if name := element.get(_ID):
            self._lists[name] = counter
        return counter

    def _item(self, item: _Element, level: int, counter: Counter) -> None:
        """An item: its first paragraph or heading has the number, what follows in it none."""
        marked = False
        start = item.get(TEXT + "start-value")
        for child in item:
            if child.tag == TEXT + "list":
                self._list(child, level + 1, counter)
            elif child.tag in (TEXT + "p", TEXT + "h") and not marked:
                marked = True
                marker = counter.item(level, whole(start) if start is not None else None)
                if child.tag == TEXT + "h":
                    self._heading(child, marker)
                else:
                    self._paragraph(child, "list_item", level, f"{marker or '-'} ")
            elif child.tag == TEXT + "p":
                self._paragraph(child, "list_item", level, "")
            else:
                self._element(child, "paragraph", None)

    def _inline(self, element: _Element) -> str:
        family = "paragraph" if element.tag in (TEXT + "p", TEXT + "h") else "text"
        if self._styles.hides(family, element.get(TEXT + "style-name")) or element.tag in (
            TEXT + "hidden-text",
            TEXT + "hidden-paragraph",
        ):
            size = len("".join(map(str, element.itertext())))
            if size and not self._hidden.reads(_BY_STYLE, size):
                return ""
        parts = [element.text or ""]
        for child in element:
            tag = str(child.tag)
            if tag == TEXT + "s":
                parts.append(" " * whole(child.get(TEXT + "c")))
            elif tag in (TEXT + "tab", TEXT + "line-break"):
                parts.append("\t" if tag.endswith("tab") else "\n")
            elif tag == TEXT + "note":
                self._note(child, parts)
            elif tag == OFFICE + "annotation":
                self._notes.append(squeeze(" ".join(self._inline(item) for item in child.iter(TEXT + "p"))))
            elif tag == TEXT + "a":
                words = self._inline(child)
                self._links.add(words, child.get(XLINK + "href") or "")
                parts.append(words)
            elif tag == TEXT + "ruby":
                base, reading = (self._inline(item) for item in (child[0], child[-1]))
                parts.append(f"{base}({reading})" if len(child) > 1 and reading else base)
            elif tag == DRAW + "control":
                parts.append(self._controls.shown(child))
            elif tag not in _SKIPPED and not tag.startswith(DRAW):
                parts.append(self._inline(child))
            parts.append(child.tail or "")
        return "".join(parts)

    def _note(self, note: _Element, parts: list[str]) -> None:
        citation = note.find(TEXT + "note-citation")
        mark = one_line("".join(map(str, citation.itertext()))) if citation is not None else ""
        body = note.find(TEXT + "note-body")
        text = " ".join(self._inline(item) for item in body.iter(TEXT + "p")) if body is not None else ""
        parts.append(f"[{mark}]")
        self._notes.append(f"[{mark}] {squeeze(text)}")

    # ------------------------------------------------------------ frames and tables

    def _frame(self, frame: _Element, kind: BlockKind, level: int | None) -> None:
        """A text box, a table, a chart, a formula, or a picture with what describes it."""
        for child in frame:
            if child.tag == DRAW + "object":
                self._object(child)
            elif child.tag != DRAW + "image":
                self._element(child, kind, level)
        described = " – ".join(
            text
            for name in ("title", "desc")
            if (node := frame.find(SVG + name)) is not None and (text := alternative_text(node.text or ""))
        )
        self.assembly.add("other", f"Picture: {described}" if described else "", page=self.page)

    def _object(self, element: _Element) -> None:
        root = self._package.object(element)
        if root is None:
            self.warnings.append(f"embedded object not read: {element.get(XLINK + 'href') or 'without a name'}")
            return
        chart = chart_of(root)
        if chart is not None:
            self.tables += add_table(self.assembly, chart[1], caption=chart[0], header_rows=1, page=self.page)
            return
        formula = next(root.iter(MATH + "annotation"), None)
        if formula is not None:
            self.assembly.add("paragraph", f"${one_line(formula.text or '')}$", page=self.page)
        elif (body := root.find(OFFICE + "body")) is not None:
            self.children(body)

    def _table(self, table: _Element) -> None:
        rows = [row for row in rows_of(table) if row.shown or self._hidden.reads("a row of a table")]
        filled = grid(rows, self._cell)
        caption = table.find(TABLE + "title")
        self.tables += add_table(
            self.assembly,
            filled,
            caption=caption.text or "" if caption is not None else "",
            header_rows=header_rows(rows),
            page=self.page,
        )

    def _cell(self, cell: _Element) -> str:
        parts: list[str] = []
        for child in cell:
            if child.tag == TABLE + "table":
                inner = grid(list(rows_of(child)), self._cell)
                parts += ["; ".join(filter(None, (one_line(one.text) for one in row))) for row in inner]
            elif child.tag == TEXT + "list":
                parts += self._items_of(child, 1, None)
            elif child.tag in (TEXT + "p", TEXT + "h"):
                parts.append(self._inline(child))
                parts += [self._cell(box) for frame in _frames(child) for box in frame.iter(DRAW + "text-box")]
            elif child.tag == TEXT + "section":
                parts.append(self._cell(child))
        return squeeze("\n".join(parts))

    def _items_of(self, element: _Element, level: int, counter: Counter | None) -> Iterator[str]:
        """The items of a list in a cell, a line each."""
        counter = counter or self._counter(element)
        for item in element:
            marker = ""
            for child in item:
                if child.tag == TEXT + "list":
                    yield from self._items_of(child, level + 1, counter)
                elif child.tag in (TEXT + "p", TEXT + "h"):
                    marker = counter.item(level) if not marker and item.tag == TEXT + "list-item" else ""
                    yield f"{'' if marker == '-' else marker} {self._inline(child)}"

    def finish(self) -> None:
        """What stands in headers and footers, once, after the body."""
        seen: set[str] = set()
        styles: Any = self._package.styles
        for part in styles.iter() if styles is not None else ():
            if str(part.tag).endswith(("}header", "}footer")):
                for paragraph in part.iter(TEXT + "p"):
                    text = squeeze(self._inline(paragraph))
                    if any(char.isalpha() for char in text) and text not in seen:
                        seen.add(text)
                        self.assembly.add("other", text)
        self._links.write(self.assembly)


def _frames(paragraph: _Element) -> Iterator[_Element]:
    """The frames and shapes that stand in a paragraph, those inside others not."""
    for child in paragraph:
        tag = str(child.tag)
        if tag == DRAW + "frame" or (tag.startswith(DRAW) and child.find(TEXT + "p") is not None):
            yield child
        elif tag not in (OFFICE + "annotation", TEXT + "note"):
            yield from _frames(child)
