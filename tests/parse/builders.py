"""Small real files for the parser tests, and one way to parse them."""

from __future__ import annotations

import io
from pathlib import Path

from ragcli.config import IngestConfig
from ragcli.parse.registry import context_for, read
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
