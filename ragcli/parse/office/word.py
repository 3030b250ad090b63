"""DOCX: body, lists, tables, text boxes, notes, comments, headers and footers."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ragcli.errors import ParseError
from ragcli.parse.assemble import Assembly, clean, one_line, squeeze
from ragcli.parse.office.office_math import formula
from ragcli.parse.office.word_lists import Numbering
from ragcli.parse.source import Context, Extract, Outcome, Source
from ragcli.parse.tables import table_text
from ragcli.parse.web.safe_xml import read_xml
from ragcli.records import Coverage

if TYPE_CHECKING:
    from lxml.etree import _Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_WRAPPERS = {W + name for name in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag")}
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(wordprocessingml|drawingml|officeDocument)/")
_STRICT_NAMES = {
    b"wordprocessingml": b"http://schemas.openxmlformats.org/wordprocessingml/2006/",
    b"drawingml": b"http://schemas.openxmlformats.org/drawingml/2006/",
    b"officeDocument": b"http://schemas.openxmlformats.org/officeDocument/2006/",
}
_PAGE_NUMBER = re.compile(r"(?i)page\W*\d*.{0,8}")
_CHARACTERS = {W + "tab": "\t", W + "noBreakHyphen": "-", W + "br": "\n", W + "cr": "\n"}


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """One document. Raises ParseError when the package is damaged or protected."""
    del context
    document = _open(source)
    reader = _Reader(document)
    reader.body(document.element.body)
    reader.notes()
    properties = document.core_properties
    declared: dict[str, Any] = {"modified": properties.modified} if properties.modified else {}
    if properties.keywords:
        declared["tags"] = properties.keywords
    warnings = (f"{reader.hidden} characters of hidden text left out",) if reader.hidden else ()
    yield Extract(
        reader.assembly.text,
        reader.assembly.blocks,
        title=one_line(properties.title or "") or reader.first_title,
        declared=declared,
        coverage=Coverage(tables=reader.tables, warnings=warnings),
    )


def _open(source: Source) -> Any:
    import docx
    from docx.opc.exceptions import PackageNotFoundError
    from lxml.etree import XMLSyntaxError

    try:
        return docx.Document(io.BytesIO(_transitional(source.data)))
    except (PackageNotFoundError, zipfile.BadZipFile, KeyError, ValueError, XMLSyntaxError, EOFError, OSError) as error:
        raise ParseError(f"{source.doc_id}: not a readable DOCX: {error}") from error


def _transitional(data: bytes) -> bytes:
    """A package in the strict form of the standard, with the names that every reader knows; others as they are."""
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        if "_rels/.rels" not in package.namelist() or not _STRICT.search(package.read("_rels/.rels")):
            return data
        output = io.BytesIO()
        with zipfile.ZipFile(output, "w") as copy:
            for item in package.infolist():
                content = package.read(item)
                if item.filename.endswith((".xml", ".rels")):
                    content = _STRICT.sub(lambda match: _STRICT_NAMES[match[1]], content)
                copy.writestr(item.filename, content)
    return output.getvalue()


class _Reader:
    """Walks a Word document's parts."""

    def __init__(self, document: Any) -> None:
        self.assembly = Assembly()
        self.tables = 0
        self.hidden = 0
        self.first_title = ""
        self._document = document
        self._styles = {style.style_id: style for style in document.styles if style.style_id}
        self._numbering = Numbering(_part(document, "numbering"))

    def body(self, element: _Element) -> None:
        """Every paragraph and table under ``element``, content controls opened."""
        for child in element:
            if child.tag == W + "p":
                self._paragraph(child)
            elif child.tag == W + "tbl":
                self._table(child)
            elif child.tag in _WRAPPERS:
                self.body(child)

    def _paragraph(self, paragraph: _Element) -> None:
        text = squeeze(self._text(paragraph))
        style = self._style_name(paragraph)
        heading = re.match(r"heading (\d)", style)
        if heading or style == "title":
            level = min(6, int(heading[1])) if heading else 1
            self.first_title = self.first_title or (one_line(text) if level == 1 else "")
            self.assembly.add("heading", one_line(text), level=level)
        elif text and (item := self._numbering.item(paragraph, self._style_of(paragraph))):
            self.assembly.add("list_item", f"{item.marker} {text}", level=item.level)
        elif style.startswith("list"):
            self.assembly.add("list_item", f"- {text}" if text else "", level=int((re.findall(r"\d", style) or "1")[0]))
        else:
            self.assembly.add("caption" if style == "caption" else "quote" if "quote" in style else "paragraph", text)
        for box in _text_boxes(paragraph):
            self.body(box)

    def _text(self, element: _Element) -> str:
        """The words under an element: no deleted or hidden text, no text boxes, formulas as LaTeX."""
        parts: list[str] = []
        for node in element:
            tag = str(node.tag)
            if tag == W + "t":
                parts.append(node.text or "")
            elif tag in _CHARACTERS:
                parts.append(_CHARACTERS[tag])
            elif tag in (_MATH + "oMath", _MATH + "oMathPara"):
                parts.append(f" ${formula(node)}$ ")
            elif tag == W + "r" and _is_hidden(node):
                self.hidden += len(self._text(_visible(node)))
            elif tag in (W + "footnoteReference", W + "endnoteReference"):
                parts.append(f"[{node.get(W + 'id')}]")
            elif tag not in (_FALLBACK, W + "txbxContent", W + "del", W + "moveFrom", W + "tbl", W + "pPr", W + "rPr"):
                parts.append(self._text(node))
        return "".join(parts)

    def _style_of(self, paragraph: _Element) -> Any:
        node = paragraph.find(f"{W}pPr/{W}pStyle")
        return self._styles.get(node.get(W + "val")) if node is not None else None

    def _style_name(self, paragraph: _Element) -> str:
        """The lower-case name of the first style in the chain that means something."""
        style, seen = self._style_of(paragraph), 0
        while style is not None and seen < 10:
            name = str(style.name or "").lower()
            if name.startswith(("heading", "title", "list", "caption")) or "quote" in name:
                return name
            style, seen = style.base_style, seen + 1
        outline = paragraph.find(f"{W}pPr/{W}outlineLvl")
        level = outline.get(W + "val") if outline is not None else None
        return f"heading {int(level) + 1}" if level and level.isdigit() and int(level) < 6 else ""

    def _table(self, table: _Element) -> None:
        rows = [list(self._cells(row)) for row in _rows(table)]
        cells = [cell for row in _rows(table) for cell in row.iter(W + "tc")]
        if len(cells) == 1:
            self.body(cells[0])
            return
        rendered = table_text(rows)
        self.tables += bool(rendered)
        self.assembly.add("table", rendered)

    def _cells(self, row: _Element) -> Iterator[str]:
        before = row.find(f"{W}trPr/{W}gridBefore")
        yield from [""] * (_number(before) if before is not None else 0)
        for cell in _within(row, W + "tc"):
            merged = cell.find(f"{W}tcPr/{W}vMerge")
            continued = merged is not None and merged.get(W + "val") in (None, "continue")
            yield "" if continued else self._cell(cell)
            span = cell.find(f"{W}tcPr/{W}gridSpan")
            yield from [""] * (_number(span) - 1 if span is not None else 0)

    def _cell(self, cell: _Element) -> str:
        parts = []
        for child in _within(cell, W + "p", W + "tbl"):
            if child.tag == W + "tbl":
                parts += ["; ".join(filter(None, map(one_line, self._cells(row)))) for row in _rows(child)]
            else:
                item = self._numbering.item(child, self._style_of(child))
                parts.append(f"{item.marker if item else ''} {squeeze(self._text(child))}")
                parts += [self._cell(box) for box in _text_boxes(child)]
        return clean("\n".join(parts))

    def notes(self) -> None:
        """Footnotes, endnotes, comments, and what stands in headers and footers, each once, after the body."""
        for name in ("footnotes", "endnotes", "comments"):
            for note in _part(self._document, name):
                text = squeeze("\n".join(self._text(paragraph) for paragraph in note.iter(W + "p")))
                mark = f"[{note.get(W + 'id')}] " if name != "comments" else ""
                if text and note.get(W + "type") in (None, "normal"):
                    self.assembly.add("other", mark + text)
        seen: set[str] = set()
        for part in _edges(self._document):
            for paragraph in part.iter(W + "p"):
                text = squeeze(self._text(paragraph))
                if (
                    re.search(r"[^\W\d_]{2}", text)
                    and text not in seen
                    and not re.fullmatch(r"(?i)page\W*\d*.{0,8}", text)
                ):
                    seen.add(text)
                    self.assembly.add("other", text)


def _part(document: Any, name: str) -> Any:
    """The root element of a related part, an empty list when there is none or it is damaged."""
    from lxml import etree

    for relation in document.part.rels.values():
        if not relation.is_external and relation.reltype.endswith(f"/{name}"):
            try:
                return etree.fromstring(
                    relation.target_part.blob, etree.XMLParser(resolve_entities=False, no_network=True)
                )
            except etree.XMLSyntaxError:
                return []
    return []


def _edges(document: Any) -> Iterator[Any]:
    relations = sorted(document.part.rels.items())
    for _, relation in relations:
        if not relation.is_external and relation.reltype.endswith(("/header", "/footer")) and relation.target_part.blob:
            root = read_xml(relation.target_part.blob, recover=True)
            if root is not None:
                yield root


def _rows(table: _Element) -> Iterator[_Element]:
    return _within(table, W + "tr")


def _within(element: _Element, *tags: str) -> Iterator[_Element]:
    """Children of the given tags, those in content controls included, those of nested elements not."""
    for child in element:
        if child.tag in tags:
            yield child
        elif child.tag in _WRAPPERS:
            yield from _within(child, *tags)


def _text_boxes(paragraph: _Element) -> Iterator[_Element]:
    for box in paragraph.iter(W + "txbxContent"):
        if not any(parent.tag == _FALLBACK for parent in box.iterancestors()):
            yield box


def _is_hidden(run: _Element) -> bool:
    mark = run.find(f"{W}rPr/{W}vanish")
    return mark is not None and mark.get(W + "val") not in ("0", "false", "off")


def _visible(run: _Element) -> list[_Element]:
    return [node for node in run if node.tag != W + "rPr"]


def _number(node: _Element) -> int:
    value = node.get(W + "val") or "1"
    return max(0, min(100, int(value))) if value.isdigit() else 1
