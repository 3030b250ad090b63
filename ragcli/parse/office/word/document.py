"""DOCX: body, headings and lists with their numbers, tables, drawings, notes, comments, headers and footers."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ragcli.errors import ParseError
from ragcli.parse.assemble import Assembly, clean, one_line, squeeze
from ragcli.parse.hidden import HiddenText
from ragcli.parse.links import Links
from ragcli.parse.office.drawings import all_texts, alternative_text, chart_rows, chart_title, diagram_items
from ragcli.parse.office.embedded import blocks_inside
from ragcli.parse.office.word.lists import Numbering
from ragcli.parse.office.word.parts import PackageParts
from ragcli.parse.office.word.runs import FALLBACK, RELATION, Runs
from ragcli.parse.office.word.styles import W, WordStyles, heading_level
from ragcli.parse.office.word.tables import WRAPPERS, grid, header_rows, is_hidden, rows_of, title_of, within
from ragcli.parse.source import Context, Extract, Outcome, Source
from ragcli.parse.tables import add_table, table_text
from ragcli.records import Coverage

if TYPE_CHECKING:
    from lxml.etree import _Element

_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(wordprocessingml|drawingml|officeDocument)/")
_STRICT_NAMES = {
    b"wordprocessingml": b"http://schemas.openxmlformats.org/wordprocessingml/2006/",
    b"drawingml": b"http://schemas.openxmlformats.org/drawingml/2006/",
    b"officeDocument": b"http://schemas.openxmlformats.org/officeDocument/2006/",
}
_PAGE_NUMBER = re.compile(r"(?i)page\W*\d*.{0,8}")
_WORD_IN = re.compile(r"[^\W\d_]{2}")
_OF_TABLE = re.compile(r"(?i)(?:tab\b|tab\.|tables?|tabellen?|tableau|tabla|tabella|tabela|tabulka|таблица|表)")
_LONGEST_HEADING = 200  # characters: a longer paragraph in a heading's style is a numbered clause
_LONGEST_OUTLINED = 120
_ENDS = (".", ";", ",", ":")


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """One document. Raises ParseError when the package is damaged or protected."""
    document = _open(source)
    hidden = HiddenText(context.config, context.conditions)
    reader = _BodyReader(PackageParts(document.part), hidden, source, context)
    body = document.element.body
    reader.body(body if body is not None else document.element)
    reader.finish()
    title, declared = _properties(document)
    yield Extract(
        reader.assembly.text,
        reader.assembly.blocks,
        title=title or reader.first_title,
        declared=declared,
        coverage=Coverage(tables=reader.tables, warnings=(*hidden.warnings, *reader.warnings)),
    )


def _properties(document: Any) -> tuple[str, dict[str, Any]]:
    """The title and what else the package says of itself; python-docx would make up what is not there."""
    if not any(str(one.reltype).endswith("/core-properties") for one in document.part.package.rels.values()):
        return "", {}
    try:
        properties = document.core_properties
        str(properties.modified)
    except (AttributeError, KeyError, TypeError, ValueError):
        return "", {}
    declared: dict[str, Any] = {"modified": properties.modified} if properties.modified else {}
    if properties.keywords:
        declared["tags"] = properties.keywords
    return one_line(properties.title or ""), declared


def _open(source: Source) -> Any:
    import docx
    from docx.exceptions import PythonDocxError
    from docx.opc.exceptions import OpcError
    from lxml.etree import XMLSyntaxError

    malformed = (OpcError, PythonDocxError, AttributeError, KeyError, TypeError, ValueError, XMLSyntaxError)
    try:
        return docx.Document(io.BytesIO(_transitional(source.data)))
    except (*malformed, zipfile.BadZipFile, EOFError, OSError) as error:
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


class _BodyReader:
    """Walks a Word document's parts."""

    def __init__(self, parts: PackageParts, hidden: HiddenText, source: Source, context: Context) -> None:
        self.assembly = Assembly()
        self.tables = 0
        self.first_title = ""
        self.warnings: list[str] = []
        self._parts = parts
        self._hidden = hidden
        self._source = source
        self._context = context
        self._styles = WordStyles(parts.first("styles"))
        self._numbering = Numbering(parts.first("numbering"), self._styles)
        self._links = Links()
        self._runs = Runs(self._styles, hidden, parts.targets, self._links)

    def body(self, element: _Element) -> None:
        """Every paragraph and table under ``element``, content controls opened."""
        moved: _Element | None = None
        for child in element:
            if child is moved:
                continue
            if child.tag == W + "p":
                self._paragraph(child)
            elif child.tag == W + "tbl":
                moved = self._table(child)
            elif child.tag == W + "altChunk":
                self._inner(child)
            elif child.tag in WRAPPERS:
                self.body(child)

    def finish(self) -> None:
        """What stands outside the body, and what could not be read."""
        self._links.write(self.assembly)
        self._notes()
        if self._runs.unknown_signs:
            self.warnings.append(f"{self._runs.unknown_signs} signs of a font that is not known were left out")
        self.warnings += [f"embedded file not read: {name}" for name in self._parts.embedded]

    def _paragraph(self, paragraph: _Element) -> None:
        meaning = self._styles.meaning(paragraph)
        level = heading_level(meaning)
        if level is not None:
            self._links.write(self.assembly)
        item = self._numbering.item(paragraph)
        text = squeeze(self._runs.text(paragraph))
        if meaning.startswith("outline") and len(text) <= _LONGEST_OUTLINED and not text.endswith(_ENDS):
            level = int(meaning.removeprefix("outline "))
        if level is not None and text and len(text) <= _LONGEST_HEADING:
            if level == 1 and not self.first_title:
                self.first_title = one_line(text)
            number = f"{item.marker} " if item and item.numbered else ""
            self.assembly.add("heading", one_line(number + text), level=level)
        elif text and item and item.marker:
            self.assembly.add("list_item", f"{item.marker} {text}", level=item.level)
        elif meaning.startswith("list"):
            depth = int((re.findall(r"\d", meaning) or "1")[0])
            self.assembly.add("list_item", f"- {text}" if text else "", level=max(1, depth))
        else:
            quoted = "quote" in meaning
            self.assembly.add("caption" if meaning == "caption" else "quote" if quoted else "paragraph", text)
        self._drawings(paragraph)
        for box in _text_boxes(paragraph):
            self.body(box)

    def _table(self, table: _Element) -> _Element | None:
        """Append a table; the paragraph after it when that was its caption and stands before it now."""
        rows = self._shown(rows_of(table))
        cells = [cell for row in rows for cell in within(row, W + "tc")]
        if len(cells) == 1:
            self.body(cells[0])
            return None
        below = self._caption_below(table)
        caption = one_line(self._runs.text(below)) if below is not None else title_of(table)
        filled = grid(rows, self._cell)
        self.tables += add_table(self.assembly, filled, caption=caption, header_rows=header_rows(rows))
        return below

    def _shown(self, rows: list[_Element]) -> list[_Element]:
        return [row for row in rows if not is_hidden(row) or self._hidden.reads("a row of a table")]

    def _caption_below(self, table: _Element) -> _Element | None:
        """The caption right under a table that has none above it."""
        following = table.getnext()
        if following is None or following.tag != W + "p" or self._styles.meaning(following) != "caption":
            return None
        above = self.assembly.blocks[-1:]
        if above and above[0].kind == "caption":
            return None
        words = "".join(node.text or "" for node in following.iter(W + "t"))
        return following if _OF_TABLE.match(words.strip()) else None

    def _cell(self, cell: _Element) -> str:
        parts: list[str] = []
        for child in within(cell, W + "p", W + "tbl"):
            if child.tag == W + "tbl":
                inner = grid(self._shown(rows_of(child)), self._cell)
                parts += ["; ".join(filter(None, (one_line(one.text) for one in row))) for row in inner]
            else:
                item = self._numbering.item(child)
                parts.append(f"{item.marker if item else ''} {squeeze(self._runs.text(child))}")
                parts += [line for kind, line, _ in self._drawn(child) if kind != "table"]
                parts += [self._cell(box) for box in _text_boxes(child)]
        return clean("\n".join(parts))

    # ------------------------------------------------------------ parts

    def _drawings(self, paragraph: _Element) -> None:
        """Charts, diagrams and pictures of a paragraph, after its words."""
        for kind, text, level in self._drawn(paragraph):
            self.tables += kind == "table"
            if kind == "list_item":
                self.assembly.add("list_item", f"- {text}", level=level)
            else:
                self.assembly.add("table" if kind == "table" else kind, text)  # type: ignore[arg-type]

    def _drawn(self, paragraph: _Element) -> Iterator[tuple[str, str, int]]:
        """Kind, text and depth of each."""
        for node in paragraph.iter():
            name = str(node.tag).rpartition("}")[2]
            if name not in ("docPr", "graphicData", "shape") or _is_fallback(node, paragraph):
                continue
            if name == "graphicData":
                for inner in node:
                    yield from self._graphic(inner)
            elif text := alternative_text(str(node.get("descr") or node.get("alt") or "")):
                yield "other", f"Picture: {text}", 1

    def _graphic(self, node: _Element) -> Iterator[tuple[str, str, int]]:
        name = str(node.tag).rpartition("}")[2]
        relation = node.get(RELATION + ("dm" if name == "relIds" else "id"))
        if name not in ("relIds", "chart"):
            return
        root = self._parts.root(relation)
        if root is None:
            self.warnings.append(f"a {'diagram' if name == 'relIds' else 'chart'} whose part is missing was not read")
        elif name == "relIds":
            yield from (("list_item", text, depth) for depth, text in diagram_items(root))
        else:
            title, rows = chart_title(root), chart_rows(root)
            yield "caption", title, 1
            yield ("table", table_text(rows, header_rows=1), 1) if rows else ("other", "\n".join(all_texts(root)), 1)

    def _inner(self, chunk: _Element) -> None:
        """A text of another format that Word shows in this place."""
        found = self._parts.data(chunk.get(RELATION + "id"))
        if found is None:
            self.warnings.append("an embedded text whose part is missing was not read")
            return
        name, _, data = found
        for block in blocks_inside(Source(f"{self._source.doc_id}!{name}", data), self._source, self._context):
            if isinstance(block, str):
                self.warnings.append(block)
            else:
                kind, text, level = block
                self.tables += kind == "table"
                self.assembly.add(kind, text, level=level)

    def _notes(self) -> None:
        """Footnotes, endnotes, comments, and what stands in headers and footers, each once, after the body."""
        for kind in ("footnote", "endnote"):
            for note in self._parts.first(f"{kind}s"):
                text = squeeze("\n".join(self._runs.text(paragraph) for paragraph in note.iter(W + "p")))
                mark = self._runs.marks.get((kind, note.get(W + "id") or ""), "")
                if text and note.get(W + "type") in (None, "normal"):
                    self.assembly.add("other", f"{mark} {text}".strip())
        for comment in self._parts.first("comments"):
            self.assembly.add("other", squeeze("\n".join(self._runs.text(item) for item in comment.iter(W + "p"))))
        seen: set[str] = set()
        for part in self._parts.of_kind("header", "footer"):
            for paragraph in part.iter(W + "p"):
                text = squeeze(self._runs.text(paragraph))
                if _WORD_IN.search(text) and text not in seen and not _PAGE_NUMBER.fullmatch(text):
                    seen.add(text)
                    self.assembly.add("other", text)
        self._links.write(self.assembly)


def _text_boxes(paragraph: _Element) -> Iterator[_Element]:
    return (box for box in paragraph.iter(W + "txbxContent") if not _is_fallback(box, paragraph))


def _is_fallback(node: _Element, until: _Element) -> bool:
    """Whether an element is the poorer copy of another, or stands in a text box, which is walked by itself."""
    for parent in node.iterancestors():
        if parent is until:
            return False
        if parent.tag in (FALLBACK, W + "txbxContent"):
            return True
    return False
