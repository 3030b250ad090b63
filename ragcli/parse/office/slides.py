"""PPTX: every slide's title, text, tables, charts, diagrams, pictures' descriptions and notes, a page a slide."""

from __future__ import annotations

import functools
import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from typing import Any

from ragcli.errors import ParseError
from ragcli.parse.assemble import Assembly, one_line, squeeze
from ragcli.parse.hidden import HiddenText
from ragcli.parse.links import Links
from ragcli.parse.office.drawings import DIAGRAM, A, alternative_text, chart_rows, chart_title, diagram_items
from ragcli.parse.office.number_forms import written
from ragcli.parse.source import Context, Extract, Outcome, Source
from ragcli.parse.tables import Cell, add_table
from ragcli.parse.web.safe_xml import read_xml
from ragcli.records import Coverage

_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_PICTURE = 13
_NUMBERED = re.compile(r"(arabic|alphaLc|alphaUc|romanLc|romanUc)(Period|ParenR|ParenBoth|Plain)$")
_FORMS = {
    "arabic": "decimal",
    "alphaLc": "lowerLetter",
    "alphaUc": "upperLetter",
    "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
}
_AROUND = {"Period": "{}.", "ParenR": "{})", "ParenBoth": "({})", "Plain": "{}"}


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """One document. Raises ParseError when the package is damaged or protected."""
    from lxml.etree import XMLSyntaxError
    from pptx import Presentation

    try:
        presentation = Presentation(io.BytesIO(source.data))
        slides = list(presentation.slides)
    except (zipfile.BadZipFile, XMLSyntaxError, EOFError, OSError, *_malformed()) as error:
        raise ParseError(f"{source.doc_id}: not a readable PPTX: {error}") from error
    hidden = HiddenText(context.config, context.conditions)
    reader = _SlideReader(hidden)
    for number, slide in enumerate(slides, 1):
        if slide._element.get("show") not in ("0", "false") or hidden.reads(f"slide {number}"):
            try:
                reader.slide(slide, number)
            except _malformed() as error:
                reader.warnings.append(f"slide {number}: damaged, and read in part at most ({error})")
    title, modified = _stated(presentation)
    yield Extract(
        reader.assembly.text,
        reader.assembly.blocks,
        title=title,
        declared={"modified": modified} if modified else {},
        coverage=Coverage(
            pages=len(slides),
            pages_with_text=len({block.page for block in reader.assembly.blocks}),
            image_only_pages=len(reader.image_only),
            tables=reader.tables,
            warnings=(*hidden.warnings, *dict.fromkeys(reader.warnings)),
        ),
    )


@functools.cache
def _malformed() -> tuple[type[Exception], ...]:
    """What python-pptx raises for a part that is not as it should be."""
    from pptx.exc import PythonPptxError

    return (KeyError, ValueError, AttributeError, TypeError, NotImplementedError, PythonPptxError)


def _stated(presentation: Any) -> tuple[str, Any]:
    """The title and the time of the last change that the package states; python-pptx makes up what is not there."""
    if not any(str(one.reltype).endswith("/core-properties") for one in presentation.part.package._rels.values()):
        return "", None
    properties = _guarded(lambda: presentation.core_properties)
    title, modified = (_guarded(lambda: properties.title), _guarded(lambda: properties.modified))
    return one_line(title or "") if title != "PowerPoint Presentation" else "", modified


class _SlideReader:
    """Collects the blocks of slides."""

    def __init__(self, hidden: HiddenText) -> None:
        self.assembly = Assembly()
        self.tables = 0
        self.image_only: list[int] = []
        self.warnings: list[str] = []
        self._hidden = hidden
        self._links = Links()

    def slide(self, slide: Any, number: int) -> None:
        """One slide: title first, then its shapes from top to bottom, then notes, comments and links."""
        before = len(self.assembly.blocks)
        title = _guarded(lambda: slide.shapes.title)
        if title is not None and title.has_text_frame:
            self.assembly.add("heading", one_line(title.text_frame.text), page=number, level=1)
            self._collect_links(title)
        shapes = [shape for shape in _flat(slide.shapes) if self._seen(shape, number)]
        for shape in sorted(shapes, key=_place):
            if title is None or shape._element is not title._element:
                self._shape(shape, number)
        if _guarded(lambda: slide.has_notes_slide):
            notes = _guarded(lambda: slide.notes_slide.notes_text_frame)
            self.assembly.add("other", squeeze(notes.text) if notes is not None else "", page=number)
        for text in _comments(slide):
            self.assembly.add("other", text, page=number)
        if len(self.assembly.blocks) == before and any(_guarded(lambda s=s: s.shape_type) == _PICTURE for s in shapes):
            self.image_only.append(number)
        self._links.write(self.assembly, page=number)
        self._name_embedded(slide, number)

    def _seen(self, shape: Any, number: int) -> bool:
        """Whether a shape is shown; the number of the slide itself says nothing."""
        properties = _properties(shape)
        if properties is not None and properties.get("hidden") in ("1", "true"):
            return self._hidden.reads(f"a shape of slide {number}")
        kind = _guarded(lambda: str(shape.placeholder_format.type)) or ""
        return not kind.startswith("SLIDE_NUMBER")

    def _shape(self, shape: Any, number: int) -> None:
        try:
            if getattr(shape, "has_table", False):
                self.tables += add_table(self.assembly, _rows(shape.table), page=number)
            elif getattr(shape, "has_chart", False):
                chart = shape.chart._chartSpace
                rows, title = chart_rows(chart), chart_title(chart)
                self.tables += add_table(self.assembly, rows, caption=title, header_rows=1, page=number)
            elif getattr(shape, "has_text_frame", False):
                self._text(shape, number)
            elif not self._diagram(shape, number):
                loose = " ".join(node.text or "" for node in shape._element.iter(A + "t"))
                self.assembly.add("other", squeeze(loose), page=number)
            self._collect_links(shape)
        except _malformed() as error:
            self.warnings.append(f"slide {number}: a damaged shape was left out ({error})")
        properties = _properties(shape)
        if properties is not None and (text := alternative_text(str(properties.get("descr") or ""))):
            self.assembly.add("other", f"Picture: {text}", page=number)

    def _text(self, shape: Any, number: int) -> None:
        paragraphs = [(item, one_line(item.text.replace("\v", " "))) for item in shape.text_frame.paragraphs]
        filled = [(item, text) for item, text in paragraphs if text]
        listed = len(filled) > 1 and bool(getattr(shape, "is_placeholder", False))
        numbers = _Numbers()
        for item, text in filled:
            marker = numbers.marker(item)
            if listed or marker:
                self.assembly.add("list_item", f"{marker or '-'} {text}", page=number, level=item.level + 1)
            else:
                self.assembly.add("paragraph", text, page=number)

    def _diagram(self, shape: Any, number: int) -> bool:
        """Append the texts of SmartArt; whether the shape is one."""
        relation = next((node.get(_RELATION + "dm") for node in shape._element.iter(DIAGRAM + "relIds")), None)
        if relation is None:
            return False
        root = read_xml(shape.part.related_part(relation).blob, recover=True)
        for depth, text in diagram_items(root) if root is not None else ():
            self.assembly.add("list_item", f"- {text}", page=number, level=depth)
        return True

    def _collect_links(self, shape: Any) -> None:
        """Where the words of a shape lead, and where a click on it does."""
        for run in shape._element.iter(A + "r"):
            link = run.find(f"{A}rPr/{A}hlinkClick")
            if link is not None:
                words = "".join(node.text or "" for node in run.iter(A + "t"))
                self._links.add(words, _address(shape, link))
        properties = _properties(shape)
        click = properties.find(A + "hlinkClick") if properties is not None else None
        if click is not None:
            words = " ".join(node.text or "" for node in shape._element.iter(A + "t"))
            self._links.add(words or str(properties.get("descr") or properties.get("name")), _address(shape, click))

    def _name_embedded(self, slide: Any, number: int) -> None:
        for relation in slide.part.rels.values():
            if not relation.is_external and relation.reltype.endswith(("/package", "/oleObject")):
                name = str(relation.target_part.partname).lstrip("/")
                self.warnings.append(f"slide {number}: embedded file not read: {name}")


class _Numbers:
    """The automatic numbers of one text frame's paragraphs."""

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}

    def marker(self, paragraph: Any) -> str:
        """What stands before a numbered paragraph, counted; empty for every other."""
        level = int(paragraph.level)
        for deeper in [place for place in self._counts if place > level]:
            del self._counts[deeper]
        node = paragraph._p.find(f"{A}pPr/{A}buAutoNum")
        kind = _NUMBERED.match(str(node.get("type") or "")) if node is not None else None
        if node is None or kind is None:
            self._counts.pop(level, None)
            return ""
        start = str(node.get("startAt") or "1")
        first = int(start) if start.isdigit() else 1
        self._counts[level] = self._counts[level] + 1 if level in self._counts else first
        return _AROUND[kind[2]].format(written(self._counts[level], _FORMS[kind[1]]))


def _rows(table: Any) -> Iterator[list[Cell]]:
    """The cells that begin in each row, with what they cover."""
    for row in table.rows:
        yield [
            Cell(squeeze(cell.text), cell.span_height, cell.span_width)
            if cell.is_merge_origin
            else Cell(squeeze(cell.text))
            for cell in row.cells
            if not cell.is_spanned
        ]


def _flat(shapes: Iterable[Any]) -> Iterator[Any]:
    for shape in shapes:
        inner = _guarded(lambda shape=shape: shape.shapes)
        if inner is not None:
            yield from _flat(inner)
        else:
            yield shape


def _guarded(read: Any) -> Any:
    """A property of a possibly malformed shape, None when it cannot be read."""
    try:
        return read()
    except _malformed():
        return None


def _properties(shape: Any) -> Any:
    """The element with a shape's name, description and click."""
    return _guarded(lambda: shape._element._nvXxPr.cNvPr)


def _address(shape: Any, link: Any) -> str:
    name = link.get(_RELATION + "id") or ""
    relation = _guarded(lambda: shape.part.rels[name])
    return str(relation.target_ref) if relation is not None and relation.is_external else ""


def _place(shape: Any) -> tuple[int, int]:
    top, left = _guarded(lambda: shape.top), _guarded(lambda: shape.left)
    return (top or 0) // 200_000, left or 0


def _comments(slide: Any) -> Iterator[str]:
    for relation in slide.part.rels.values():
        if not relation.is_external and relation.reltype.endswith("/comments"):
            root = read_xml(relation.target_part.blob, recover=True)
            for node in root.iter() if root is not None else ():
                if str(node.tag).endswith(("}text", "}t")) and node.text:
                    yield squeeze(node.text)
