"""ODT and ODP: headings, paragraphs, lists, tables, notes, slides, footers."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ragcli.errors import ParseError
from ragcli.parse.assemble import Assembly, one_line, squeeze
from ragcli.parse.source import Context, Extract, Outcome, Source
from ragcli.parse.tables import table_text
from ragcli.parse.web.safe_xml import read_xml
from ragcli.records import BlockKind, Coverage

if TYPE_CHECKING:
    from lxml.etree import _Element

_OASIS = "{urn:oasis:names:tc:opendocument:xmlns:"
_TEXT, _TABLE, _DRAW = _OASIS + "text:1.0}", _OASIS + "table:1.0}", _OASIS + "drawing:1.0}"
_OFFICE, _PRESENTATION = _OASIS + "office:1.0}", _OASIS + "presentation:1.0}"
_MANIFEST = _OASIS + "manifest:1.0}"
_SKIPPED = {_TEXT + "tracked-changes", _OFFICE + "annotation-end", _TEXT + "sequence-decls", _OFFICE + "forms"}


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """One document. Raises ParseError when the package is damaged or encrypted."""
    del context
    content, styles, meta = _parts(source)
    body = content.find(_OFFICE + "body")
    reader = _Reader()
    reader.children(body if body is not None else content)
    reader.footers(styles)
    slides = reader.page or 0
    title, modified = _stated(meta)
    yield Extract(
        reader.assembly.text,
        reader.assembly.blocks,
        title=title or reader.first_title,
        declared={"modified": modified} if modified else {},
        coverage=Coverage(
            pages=slides or 1,
            pages_with_text=len({block.page for block in reader.assembly.blocks if block.page}) if slides else 1,
            tables=reader.tables,
        ),
    )


def _parts(source: Source) -> tuple[Any, Any, Any]:
    from lxml import etree

    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as package:
            names = set(package.namelist())
            if "META-INF/manifest.xml" in names and b"encryption-data" in package.read("META-INF/manifest.xml"):
                raise ParseError(f"{source.doc_id}: encrypted OpenDocument file")
            read = {
                name: read_xml(package.read(name)) if name in names else None
                for name in ("content.xml", "styles.xml", "meta.xml")
            }
    except (zipfile.BadZipFile, etree.XMLSyntaxError, KeyError, OSError, RuntimeError, EOFError) as error:
        raise ParseError(f"{source.doc_id}: not a readable OpenDocument file: {error}") from error
    if read["content.xml"] is None:
        raise ParseError(f"{source.doc_id}: not an OpenDocument file: it holds no content.xml")
    return read["content.xml"], read["styles.xml"], read["meta.xml"]


def _stated(meta: Any) -> tuple[str, str]:
    title = modified = ""
    for node in meta.iter() if meta is not None else ():
        if str(node.tag).endswith("dc/elements/1.1/}title"):
            title = one_line(node.text or "")
        if str(node.tag).endswith("dc/elements/1.1/}date"):
            modified = (node.text or "")[:10]
    return title, modified


class _Reader:
    """Walks the elements of an OpenDocument body."""

    def __init__(self) -> None:
        self.assembly = Assembly()
        self.tables = 0
        self.page: int | None = None
        self.first_title = ""
        self._notes: list[str] = []

    def children(self, element: _Element, kind: BlockKind = "paragraph", level: int | None = None) -> None:
        """The blocks under an element, in order; notes follow the page or text they stand in."""
        for child in element:
            self._element(child, kind, level)
        if element.tag in (_DRAW + "page", _OFFICE + "body"):
            for note in self._notes:
                self.assembly.add("other", note, page=self.page)
            self._notes.clear()

    def _element(self, element: _Element, kind: BlockKind, level: int | None) -> None:
        tag = str(element.tag)
        if tag in _SKIPPED:
            return
        if tag == _TEXT + "h":
            self._heading(element)
        elif tag == _TEXT + "p":
            text = squeeze(self._inline(element))
            is_title = element.getparent().getparent().get(_PRESENTATION + "class") == "title" if self.page else False
            if is_title:
                self.assembly.add("heading", one_line(text), page=self.page, level=1)
            else:
                marker = "- " if kind == "list_item" and text else ""
                self.assembly.add(kind, marker + text, page=self.page, level=level)
            for frame in element.iter(_DRAW + "text-box"):
                self.children(frame)
        elif tag == _TEXT + "list":
            self.children(element, "list_item", (level or 0) + 1)
        elif tag == _TABLE + "table":
            self._table(element)
        elif tag == _PRESENTATION + "notes":
            for text_box in element.iter(_DRAW + "text-box"):
                self.children(text_box)
        else:
            if tag == _DRAW + "page":
                self.page = (self.page or 0) + 1
            self.children(element, kind, level)

    def _heading(self, element: _Element) -> None:
        level = element.get(_TEXT + "outline-level") or "1"
        text = one_line(self._inline(element))
        self.first_title = self.first_title or text
        self.assembly.add("heading", text, page=self.page, level=min(6, int(level) if level.isdigit() else 1))

    def _inline(self, element: _Element) -> str:
        parts = [element.text or ""]
        for child in element:
            tag = str(child.tag)
            if tag == _TEXT + "s":
                count = child.get(_TEXT + "c") or "1"
                parts.append(" " * (int(count) if count.isdigit() else 1))
            elif tag in (_TEXT + "tab", _TEXT + "line-break"):
                parts.append("\t" if tag.endswith("tab") else "\n")
            elif tag == _TEXT + "note":
                self._note(child, parts)
            elif tag == _OFFICE + "annotation":
                self._notes.append(squeeze(" ".join(self._inline(item) for item in child.iter(_TEXT + "p"))))
            elif tag not in (_DRAW + "text-box", *_SKIPPED) and not tag.startswith(_DRAW + "frame"):
                parts.append(self._inline(child))
            parts.append(child.tail or "")
        return "".join(parts)

    def _note(self, note: _Element, parts: list[str]) -> None:
        mark = one_line("".join(str(text) for text in note.find(_TEXT + "note-citation").itertext()))
        body = note.find(_TEXT + "note-body")
        text = " ".join(self._inline(item) for item in body.iter(_TEXT + "p")) if body is not None else ""
        parts.append(f"[{mark}]")
        self._notes.append(f"[{mark}] {squeeze(text)}")

    def _table(self, table: _Element) -> None:
        rows = [list(self._cells(row)) for row in table.iter(_TABLE + "table-row")]
        rendered = table_text(rows)
        self.tables += bool(rendered)
        self.assembly.add("table", rendered, page=self.page)

    def _cells(self, row: _Element) -> Iterator[str]:
        for cell in row:
            if cell.tag not in (_TABLE + "table-cell", _TABLE + "covered-table-cell"):
                continue
            texts = [self._inline(item) for item in cell.iter(_TEXT + "p", _TEXT + "h")]
            repeat = cell.get(_TABLE + "number-columns-repeated") or "1"
            times = min(int(repeat) if repeat.isdigit() else 1, 1 if not any(texts) else 100)
            yield from [squeeze("\n".join(texts))] * times

    def footers(self, styles: Any) -> None:
        """What stands in headers and footers, once, after the body."""
        seen: set[str] = set()
        for part in styles.iter() if styles is not None else ():
            if str(part.tag).endswith(("}header", "}footer")):
                for paragraph in part.iter(_TEXT + "p"):
                    text = squeeze(self._inline(paragraph))
                    if any(char.isalpha() for char in text) and text not in seen:
                        seen.add(text)
                        self.assembly.add("other", text)
