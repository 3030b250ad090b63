"""PPTX: every slide's title, text, tables, charts and notes, a page a slide."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator
from typing import Any

from ragcli.errors import ParseError
from ragcli.parse.assemble import Assembly, one_line, squeeze
from ragcli.parse.source import Context, Extract, Outcome, Source
from ragcli.parse.tables import table_text
from ragcli.parse.web.safe_xml import read_xml
from ragcli.records import Coverage

_TEXT = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_MALFORMED = (KeyError, ValueError, AttributeError, TypeError, NotImplementedError)


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """One document. Raises ParseError when the package is damaged or protected."""
    del context
    from lxml.etree import XMLSyntaxError
    from pptx import Presentation
    from pptx.exc import PackageNotFoundError

    try:
        presentation = Presentation(io.BytesIO(source.data))
        slides = list(presentation.slides)
    except (PackageNotFoundError, zipfile.BadZipFile, XMLSyntaxError, EOFError, OSError, *_MALFORMED) as error:
        raise ParseError(f"{source.doc_id}: not a readable PPTX: {error}") from error
    reader = _Reader()
    for number, slide in enumerate(slides, 1):
        reader.slide(slide, number)
    properties = presentation.core_properties
    yield Extract(
        reader.assembly.text,
        reader.assembly.blocks,
        title=one_line(properties.title or "") if properties.title != "PowerPoint Presentation" else "",
        declared={"modified": properties.modified} if properties.modified else {},
        coverage=Coverage(
            pages=len(slides),
            pages_with_text=len({block.page for block in reader.assembly.blocks}),
            image_only_pages=len(reader.image_only),
            tables=reader.tables,
            warnings=tuple(reader.warnings),
        ),
    )


class _Reader:
    """Collects the blocks of slides."""

    def __init__(self) -> None:
        self.assembly = Assembly()
        self.tables = 0
        self.image_only: list[int] = []
        self.warnings: list[str] = []

    def slide(self, slide: Any, number: int) -> None:
        """One slide: title first, then its shapes from top to bottom, then notes and comments."""
        before = len(self.assembly.blocks)
        title = _guarded(lambda: slide.shapes.title)
        if title is not None and title.has_text_frame:
            self.assembly.add("heading", one_line(title.text_frame.text), page=number, level=1)
        shapes = list(_flat(slide.shapes))
        for shape in sorted(shapes, key=_place):
            if title is None or shape.shape_id != title.shape_id:
                self._shape(shape, number)
        if _guarded(lambda: slide.has_notes_slide):
            notes = _guarded(lambda: slide.notes_slide.notes_text_frame)
            self.assembly.add("other", squeeze(notes.text) if notes is not None else "", page=number)
        for text in _comments(slide):
            self.assembly.add("other", text, page=number)
        if len(self.assembly.blocks) == before and any(_guarded(lambda s=s: s.shape_type) == 13 for s in shapes):
            self.image_only.append(number)

    def _shape(self, shape: Any, number: int) -> None:
        try:
            if getattr(shape, "has_table", False):
                rows = [
                    [squeeze(cell.text) if not cell.is_spanned else "" for cell in row.cells]
                    for row in shape.table.rows
                ]
                self.tables += 1
                self.assembly.add("table", table_text(rows), page=number)
            elif getattr(shape, "has_chart", False):
                self.assembly.add("table", _chart(shape.chart), page=number)
            elif getattr(shape, "has_text_frame", False):
                self._text(shape, number)
            else:
                loose = " ".join(node.text or "" for node in shape._element.iter(_TEXT + "t"))
                self.assembly.add("other", squeeze(loose), page=number)
        except _MALFORMED as error:
            self.warnings.append(f"slide {number}: a damaged shape was left out ({error})")

    def _text(self, shape: Any, number: int) -> None:
        paragraphs = [(one_line(item.text.replace("\v", " ")), item.level) for item in shape.text_frame.paragraphs]
        filled = [(text, level) for text, level in paragraphs if text]
        listed = len(filled) > 1 and bool(getattr(shape, "is_placeholder", False))
        for text, level in filled:
            if listed:
                self.assembly.add("list_item", f"- {text}", page=number, level=level + 1)
            else:
                self.assembly.add("paragraph", text, page=number)


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
    except _MALFORMED:
        return None


def _place(shape: Any) -> tuple[int, int]:
    top, left = _guarded(lambda: shape.top), _guarded(lambda: shape.left)
    return (top or 0) // 200_000, left or 0


def _chart(chart: Any) -> str:
    """A chart's data as a table, a series a column."""
    plots = list(chart.plots)
    categories = [str(item) for item in plots[0].categories] if plots else []
    series = [item for plot in plots for item in plot.series]
    title = chart.chart_title.text_frame.text if chart.has_title and chart.chart_title.has_text_frame else ""
    rows = [[title, *(item.name for item in series)]]
    for place, category in enumerate(categories):
        rows.append(
            [category, *(f"{item.values[place]:g}" if item.values[place] is not None else "" for item in series)]
        )
    return table_text(rows)


def _comments(slide: Any) -> Iterator[str]:
    for relation in slide.part.rels.values():
        if not relation.is_external and relation.reltype.endswith("/comments"):
            root = read_xml(relation.target_part.blob, recover=True)
            for node in root.iter() if root is not None else ():
                if str(node.tag).endswith(("}text", "}t")) and node.text:
                    yield squeeze(node.text)
