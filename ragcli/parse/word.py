"""DOCX: body, lists, tables, text boxes, notes and comments in reading order."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ragcli.errors import ParseError
from ragcli.parse.assemble import Assembly, one_line, squeeze, table_text
from ragcli.parse.source import Context, Extract, Outcome, Source
from ragcli.records import Coverage

if TYPE_CHECKING:
    from lxml.etree import _Element

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """One document. Raises ParseError when the package is damaged or protected."""
    del context
    import docx
    from docx.opc.exceptions import PackageNotFoundError
    from lxml.etree import XMLSyntaxError

    try:
        document = docx.Document(io.BytesIO(source.data))
    except (PackageNotFoundError, zipfile.BadZipFile, KeyError, ValueError, XMLSyntaxError, EOFError) as error:
        raise ParseError(f"{source.doc_id}: not a readable DOCX: {error}") from error
    reader = _Reader(document)
    reader.body(document.element.body)
    properties = document.core_properties
    declared: dict[str, Any] = {"modified": properties.modified} if properties.modified else {}
    if properties.keywords:
        declared["tags"] = properties.keywords
    yield Extract(
        reader.assembly.text,
        reader.assembly.blocks,
        title=one_line(properties.title or "") or reader.first_title,
        declared=declared,
        coverage=Coverage(tables=reader.tables),
    )


class _Reader:
    """Walks the body of a Word document."""

    def __init__(self, document: Any) -> None:
        self.assembly = Assembly()
        self.tables = 0
        self.first_title = ""
        self._styles = {style.style_id: style for style in document.styles if style.style_id}

    def body(self, element: _Element) -> None:
        """Every paragraph and table under ``element``, content controls opened."""
        for child in element:
            if child.tag == _W + "p":
                self._paragraph(child)
            elif child.tag == _W + "tbl":
                self._table(child)
            elif child.tag in (_W + "sdt", _W + "sdtContent", _W + "ins", _W + "customXml", _W + "smartTag"):
                self.body(child)

    def _paragraph(self, paragraph: _Element) -> None:
        text = squeeze(paragraph_text(paragraph))
        style = self._style_name(paragraph)
        heading = re.match(r"heading (\d)", style)
        if heading or style in ("title",):
            level = int(heading[1]) if heading else 1
            self.first_title = self.first_title or (text if level == 1 else "")
            self.assembly.add("heading", one_line(text), level=min(6, level))
            return
        numbering = paragraph.find(f"{_W}pPr/{_W}numPr/{_W}ilvl")
        if numbering is not None or style.startswith("list"):
            level = int(numbering.get(_W + "val") or 0) + 1 if numbering is not None else 1
            self.assembly.add("list_item", f"- {text}" if text else "", level=level)
            return
        self.assembly.add("caption" if style == "caption" else "quote" if "quote" in style else "paragraph", text)

    def _style_name(self, paragraph: _Element) -> str:
        """The lower-case name of the first style in the chain that means something."""
        node = paragraph.find(f"{_W}pPr/{_W}pStyle")
        style = self._styles.get(node.get(_W + "val")) if node is not None else None
        seen = 0
        while style is not None and seen < 10:
            name = str(style.name or "").lower()
            if name.startswith(("heading", "title", "list", "caption")) or "quote" in name:
                return name
            style, seen = style.base_style, seen + 1
        return ""

    def _table(self, table: _Element) -> None:
        rows = [[squeeze(cell) for cell in _cells(row)] for row in table.iter(_W + "tr")]
        rendered = table_text(rows)
        self.tables += bool(rendered)
        self.assembly.add("table", rendered)


def _cells(row: _Element) -> Iterator[str]:
    for cell in row.iter(_W + "tc"):
        yield "\n".join(paragraph_text(paragraph) for paragraph in cell.iter(_W + "p"))


def paragraph_text(paragraph: _Element) -> str:
    """The words of a paragraph; deleted text is left out, tabs and breaks kept."""
    parts = []
    for node in paragraph.iter(_W + "t", _W + "tab", _W + "br", _W + "cr", _W + "noBreakHyphen"):
        if node.tag == _W + "t":
            parts.append(node.text or "")
        else:
            parts.append({_W + "tab": "\t", _W + "noBreakHyphen": "-"}.get(str(node.tag), "\n"))
    return "".join(parts)
