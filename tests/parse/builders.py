"""Small real files for the parser tests, and one way to parse them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

from ragcli.config import IngestConfig
from ragcli.parse.reading import context_for, read
from ragcli.parse.source import Source
from ragcli.records import Document, FileReport


def parse_bytes(name: str, data: bytes, config: IngestConfig | None = None) -> tuple[list[Document], list[FileReport]]:
    """Documents and reports of one file's bytes."""
    items = list(read(Source(name, data), context_for(config or IngestConfig())))
    return [item for item in items if isinstance(item, Document)], [i for i in items if isinstance(i, FileReport)]


def parse_one(name: str, data: bytes, config: IngestConfig | None = None) -> Document:
    """The only document of one file's bytes."""
    documents, reports = parse_bytes(name, data, config)
    assert len(documents) == 1, [report.skipped for report in reports]
    return documents[0]


def shape(document: Document) -> list[tuple[str, int | None, str]]:
    """Kind, level and text of every block."""
    return [(block.kind, block.level, block.span.of(document.text)) for block in document.blocks]


def write_tree(root: Path, files: dict[str, str | bytes]) -> Path:
    """Write files under ``root``; returns it."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def make_pdf(pages: list[list[tuple[float, float, float, str]]], **save: object) -> bytes:
    """A PDF with a text line for each ``(x, y, size, text)`` of each page, on A4."""
    import pymupdf

    document = pymupdf.open()
    for lines in pages:
        page = document.new_page(width=595, height=842)
        for x, y, size, text in lines:
            page.insert_text((x, y), text, fontsize=size)
    data = document.tobytes(**save)
    document.close()
    return bytes(data)


def make_docx() -> bytes:
    """A Word document with a title, headings, a list and a table."""
    import docx

    document = docx.Document()
    document.add_heading("Travel policy", 0)
    document.add_heading("Hotels", 1)
    document.add_paragraph("A night may cost up to 140 euros.")
    document.add_paragraph("Book early", style="List Bullet")
    document.add_paragraph("Keep the receipt", style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip([*table.rows[0].cells, *table.rows[1].cells], ["City", "Limit", "Graz", "140"], strict=True):
        cell.text = text
    document.core_properties.title = "Travel policy"
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def make_zip(files: Mapping[str, str | bytes]) -> bytes:
    """A ZIP archive of the given entries."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in files.items():
            package.writestr(name, content)
    return stream.getvalue()


def make_pptx() -> bytes:
    """Two slides: a title with bullets and notes, and a table."""
    from pptx import Presentation
    from pptx.util import Inches

    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Safety first"
    slide.placeholders[1].text_frame.text = "Wear a helmet"
    slide.placeholders[1].text_frame.add_paragraph().text = "Report every fall"
    slide.notes_slide.notes_text_frame.text = "Mention the new form"
    second = deck.slides.add_slide(deck.slide_layouts[5])
    second.shapes.title.text = "Numbers"
    table = second.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(4), Inches(1)).table
    for place, text in enumerate(["Year", "Falls", "2025", "3"]):
        table.cell(place // 2, place % 2).text = text
    stream = io.BytesIO()
    deck.save(stream)
    return stream.getvalue()


def make_xlsx() -> bytes:
    """Two sheets: a titled table with a date, a percentage and a merged cell with a comment; and a lone note."""
    import datetime

    import xlsxwriter

    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream, {"in_memory": True}) as book:
        sheet = book.add_worksheet("Prices")
        sheet.write(0, 0, "Price list 2026")
        sheet.write_row(2, 0, ["Group", "Part", "Price", "From"])
        sheet.merge_range(3, 0, 4, 0, "Pumps")
        sheet.write_row(3, 1, ["X200-A", 19.5])
        sheet.write_row(4, 1, ["X200-B", 20.0])
        sheet.write_datetime(3, 3, datetime.datetime(2026, 3, 1), book.add_format({"num_format": "yyyy-mm-dd"}))
        sheet.write_comment(3, 2, "net price", {"author": "Kim"})
        book.add_worksheet("Notes").write(0, 0, "Prices without tax")
    return stream.getvalue()


_ODF = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0">'
    "<office:body><office:text>{}</office:text></office:body></office:document-content>"
)


def make_odt(body: str) -> bytes:
    """An OpenDocument text with the given body XML."""
    return make_zip({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": _ODF.format(body)})


def make_epub(chapters: dict[str, str]) -> bytes:
    """A book of XHTML chapters, named in the order of its spine."""
    items = "".join(f'<item id="{n}" href="{n}.xhtml" media-type="application/xhtml+xml"/>' for n in chapters)
    spine = "".join(f'<itemref idref="{name}"/>' for name in chapters)
    opf = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
        f"<dc:title>The pump book</dc:title></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
    )
    pages = {f"OEBPS/{name}.xhtml": f"<html><body>{body}</body></html>" for name, body in chapters.items()}
    files = {"mimetype": "application/epub+zip", "META-INF/container.xml": container, "OEBPS/book.opf": opf}
    return make_zip({**files, **pages})
