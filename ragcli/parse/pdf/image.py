"""Pictures, read by OCR."""

from __future__ import annotations

from collections.abc import Iterator

from ragcli.errors import ParseError
from ragcli.parse.assemble import Assembly
from ragcli.parse.conditions import library, program
from ragcli.parse.pdf.blocks import page_blocks, style_of
from ragcli.parse.pdf.layout import reading_order
from ragcli.parse.pdf.lines import join_markers
from ragcli.parse.pdf.ocr import engine_for
from ragcli.parse.source import Context, Extract, Outcome, Source
from ragcli.records import Coverage


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """One document of one page. Raises ParseError when no OCR is installed or wanted."""
    context.conditions.update((library("rapidocr"), program("tesseract")))
    engine = engine_for(context.config.ocr_languages) if context.config.ocr != "off" else None
    if engine is None:
        hint = "ingest.ocr is off" if context.config.ocr == "off" else "pip install 'ragcli[ocr]', or install tesseract"
        raise ParseError(f"{source.doc_id}: an image, not read without OCR", hint=hint)
    found = engine(source.data)
    lines = join_markers([item.line() for item in found if item.text.strip()])
    assembly = Assembly()
    for block in page_blocks(reading_order(lines, ()), 1, style_of(lines, {})):
        assembly.add(block.kind, block.text, page=1, level=block.level)
    yield Extract(
        assembly.text,
        assembly.blocks,
        coverage=Coverage(ocr_pages=1, tables=sum(1 for block in assembly.blocks if block.kind == "table")),
        ocr_pages=(1,),
    )
