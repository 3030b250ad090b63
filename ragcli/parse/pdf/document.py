"""PDF: text in reading order with pages, headings, tables, annotations and attachments; OCR where there is no text."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import Any

from ragcli.errors import ParseError
from ragcli.parse.access import Statement, says_who
from ragcli.parse.assemble import Assembly, clean, one_line
from ragcli.parse.conditions import PASSWORDS
from ragcli.parse.pdf.blocks import TextBlock, outline_titles, page_blocks, style_of
from ragcli.parse.pdf.edges import strip_edges
from ragcli.parse.pdf.forms import TICKED, Field, filled_in, without_ticks
from ragcli.parse.pdf.headings import is_cover, settled
from ragcli.parse.pdf.layout import reading_order
from ragcli.parse.pdf.lines import Line, join_markers
from ragcli.parse.pdf.ocr import Recogniser, engine_for
from ragcli.parse.pdf.page import Page, read_page, rules_of, words_of
from ragcli.parse.pdf.statements import statement_tables
from ragcli.parse.pdf.tables import Table, is_better, may_hold_table, ruled_tables, visual_rows
from ragcli.parse.pdf.titles import title_of
from ragcli.parse.source import Context, Extract, Outcome, Source
from ragcli.records import Alias, Coverage

_OCR_DPI = 200
_GARBAGE = re.compile("[\ufffd\ue000-\uf8ff]")


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """One document with its pages, then its attachments. Raises ParseError when it cannot be opened."""
    document = _open(source, context)
    try:
        yield _PageReader(document, context).extract()
        yield from _attachments(document, source, context)
    except _broken() as error:
        raise ParseError(f"{source.doc_id}: damaged PDF: {error}") from error
    finally:
        document.close()


def _library() -> Any:
    """pymupdf without the layout model that it loads on import where it can: half of its start, and unused here."""
    unused = [name for name in ("pymupdf.layout", "pymupdf4llm") if name not in sys.modules]
    halted: dict[str, Any] = dict.fromkeys(unused)  # None in sys.modules makes an import of the name fail
    sys.modules.update(halted)
    try:
        import pymupdf
    finally:
        for name in unused:
            del sys.modules[name]
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    return pymupdf


def _open(source: Source, context: Context) -> Any:
    pymupdf = _library()
    try:
        document = pymupdf.open(stream=source.data, filetype="pdf")
    except _broken() as error:
        raise ParseError(f"{source.doc_id}: not a readable PDF: {error}") from error
    if document.needs_pass and not any(document.authenticate(word) for word in context.passwords):
        context.conditions.add(PASSWORDS)
        raise ParseError(
            f"{source.doc_id}: encrypted, and no known password opens it",
            hint="set RAG_PDF_PASSWORDS or ingest.passwords",
        )
    if not len(document):
        raise ParseError(f"{source.doc_id}: damaged PDF, no page of it can be found")
    return document


class _PageReader:
    """Reads a document page by page; only plain lines are kept of each."""

    def __init__(self, document: Any, context: Context) -> None:
        self._document, self._context = document, context
        self._warnings: list[str] = []
        self._aliases: list[Alias] = []
        self._tables: dict[int, list[Table]] = {}
        self._notes: dict[int, list[str]] = {}
        self._engine: Recogniser | None = None

    def extract(self) -> Extract:
        """The whole document."""
        pages = [self._page(number) for number in range(1, len(self._document) + 1)]
        strip = self._context.config.strip_boilerplate
        stripped = strip_edges([page for page in pages if not page.ocr]) if strip else []
        outline = outline_titles(self._outline())
        cover = bool(pages) and is_cover([line.text for line in pages[0].lines], len(pages))
        whole = style_of([line for page in pages for line in page.lines], outline)
        inner = style_of([line for page in pages[1:] for line in page.lines], outline) if cover else whole
        found = [block for page in pages for block in self._blocks(page, whole if page.number == 1 else inner)]
        first = [line.text for row in visual_rows(pages[0].lines) for line in row] if pages else []
        title = title_of((self._document.metadata or {}).get("title") or "", found, first)
        assembly = Assembly()
        for block in settled(found, outline, cover=cover):
            assembly.add(block.kind, block.text, page=block.page, level=block.level)
            if block.aliases and assembly.last is not None:
                self._aliases.append(Alias(assembly.last.span, " ".join(block.aliases)))
        return self._extract(assembly, pages, stripped, title)

    def _extract(self, assembly: Assembly, pages: list[Page], stripped: list[str], title: str) -> Extract:
        info = self._document.metadata or {}
        hidden = sum(page.hidden for page in pages)
        if hidden:
            where = ", ".join(str(page.number) for page in pages if page.hidden)
            self._warnings.append(f"{hidden} characters of hidden text left out (page {where})")
        date = _date(info.get("modDate")) or _date(info.get("creationDate"))
        return Extract(
            assembly.text,
            assembly.blocks,
            title=title,
            declared={"modified": date} if date else {},
            coverage=Coverage(
                pages=len(pages),
                pages_with_text=len({block.page for block in assembly.blocks}),
                ocr_pages=sum(page.ocr for page in pages),
                image_only_pages=sum(page.image_only for page in pages),
                tables=sum(1 for block in assembly.blocks if block.kind == "table"),
                stripped_lines=tuple(stripped),
                warnings=tuple(self._warnings),
            ),
            ocr_pages=tuple(page.number for page in pages if page.ocr),
            aliases=tuple(self._aliases),
            stated=tuple(_statements(self._document)),
        )

    def _outline(self) -> list[tuple[int, str, int]]:
        try:
            return [(int(level), clean(title), int(page)) for level, title, page in self._document.get_toc(simple=True)]
        except _broken() as error:
            self._warnings.append(f"the outline could not be read: {error}")
            return []

    def _page(self, number: int) -> Page:
        self._context.tick()
        try:
            raw = self._document[number - 1]
            page = read_page(raw, number)
        except _broken() as error:
            self._warnings.append(f"page {number} could not be read: {error}")
            return Page(number, 0, 0, image_only=True)
        force = self._context.config.ocr == "force"
        if force or page.needs_ocr or _unreadable(page):
            self._recognise(raw, page)
        elif may_hold_table(page.lines):
            self._take_tables(raw, page)
        self._annotations(raw, page)
        return page

    def _take_tables(self, raw: Any, page: Page) -> None:
        rules = rules_of(raw)
        if len(rules) < 6 or page.width != raw.rect.width:
            return
        tables = ruled_tables(words_of(raw), rules)
        stated = statement_tables(page.lines) if tables else []
        tables = [table for table in tables if not any(is_better(other, table) for other in stated)]
        for table in tables:
            page.lines = [line for line in page.lines if not _inside(line, table)]
        self._tables[page.number] = tables

    def _recognise(self, raw: Any, page: Page) -> None:
        """Read a page from its picture; without an engine a page of pictures is counted as lost."""
        if self._context.config.ocr != "off" and self._engine is None:
            self._engine = engine_for(self._context.config.ocr_languages)
        if self._engine is None:
            self._give_up(page)
            return
        scale = 72 / _OCR_DPI
        picture = raw.get_pixmap(dpi=_OCR_DPI).tobytes("png")
        found = self._engine(picture)
        lines = [item.line(scale) for item in found]
        if lines:
            page.lines, page.aside, page.ocr = join_markers(lines), [], True
            page.width, page.height = raw.rect.width, raw.rect.height

    def _give_up(self, page: Page) -> None:
        """Count a page that only OCR could read as lost, and keep no text that stands for nothing."""
        if _unreadable(page):
            self._warnings.append(
                f"page {page.number}: its fonts do not say which letters they show; not read without OCR"
            )
            page.lines, page.needs_ocr = [], True
        page.image_only = page.needs_ocr

    def _annotations(self, raw: Any, page: Page) -> None:
        """Notes and filled-in fields that the page's own text does not show; ticks are no text of it."""
        try:
            if not (raw.first_annot or raw.first_widget):
                return
            notes = [note.info.get("content") or "" for note in raw.annots() or ()]
            fields = [_field(widget) for widget in raw.widgets() or ()]
            seen = one_line(raw.get_text())
        except _broken() as error:
            self._warnings.append(f"the notes of page {page.number} could not be read: {error}")
            return
        page.lines = without_ticks(page.lines, fields)
        texts = dict.fromkeys([*map(one_line, notes), *filled_in(fields, page.lines)])
        self._notes[page.number] = [
            text for text in texts if text and (text.endswith(TICKED) or text.rpartition(": ")[2] not in seen)
        ]

    def _blocks(self, page: Page, style: Any) -> Iterator[TextBlock]:
        yield from page_blocks(reading_order(page.lines, self._tables.get(page.number, ())), page.number, style)
        for text in (*(line.text for line in page.aside), *self._notes.get(page.number, ())):
            yield TextBlock("other", one_line(text), page.number)


def _broken() -> tuple[type[Exception], ...]:
    """What pymupdf raises on damaged parts of a file."""
    import pymupdf

    return (pymupdf.mupdf.FzErrorBase, RuntimeError, ValueError, IndexError, AttributeError)


def _field(widget: Any) -> Field:
    value = widget.field_value if isinstance(widget.field_value, str) else ""
    states = (widget.button_states() or {}) if "B" in widget.field_type_string else {}
    own = {state for kind in ("normal", "down") for state in (states.get(kind) or ()) if state != "Off"}
    choices = widget.choice_values or () if not states else ()
    return Field(
        widget.field_type_string,
        widget.field_name or "",
        clean(widget.field_label or ""),
        clean("" if value == "Off" else value),
        tuple(widget.rect),
        on=value not in ("", "Off") and (not own or value in own),
        shown=tuple((clean(pair[0]), clean(pair[1])) for pair in choices if isinstance(pair, (tuple, list))),
    )


def _inside(line: Line, table: Table) -> bool:
    x, y = (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2
    return table.x0 - 2 <= x <= table.x1 + 2 and table.y0 - 2 <= y <= table.y1 + 2


def _unreadable(page: Page) -> bool:
    """Whether a text layer is mostly characters that stand for nothing."""
    text = "".join(line.text for line in page.lines)
    return len(text) > 20 and len(_GARBAGE.findall(text)) > 0.3 * len(text)


def _date(value: str | None) -> str | None:
    match = re.match(r"(?:D:)?(\d{4})(\d\d)(\d\d)", value or "")
    return f"{match[1]}-{match[2]}-{match[3]}" if match else None


def _statements(document: Any) -> Iterator[Statement]:
    """What a field of the document's information, or of its XMP packet, says of who may see it."""
    kind, info = document.xref_get_key(-1, "Info")
    xref = int(info.split()[0]) if kind == "xref" else 0
    for key in document.xref_get_keys(xref) if xref else ():
        if says_who(key, among_metadata=True):
            yield key, clean(document.xref_get_key(xref, key)[1])
    packet = document.get_xml_metadata() or ""
    for match in re.finditer(
        r"""<(?:[\w-]+:)?([\w-]+)\b[^>]*>(.*?)</|\s(?:[\w-]+:)?([\w-]+)=["']([^"']*)["']""", packet, re.S
    ):
        name, value = (match[1], match[2]) if match[1] else (match[3], match[4])
        if says_who(name):
            yield name, one_line(re.sub(r"<[^>]*>", " ", value))


def _attachments(document: Any, source: Source, context: Context) -> Iterator[Outcome]:
    for name in document.embfile_names():
        data = document.embfile_get(name)
        context.budget.take(len(data), source.doc_id)
        shown = re.sub(r"[\x00-\x1f!#/]", "_", clean(name)) or "attachment"
        yield Source(f"{source.doc_id}!{shown}", data)
