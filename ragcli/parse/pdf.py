"""PDF: text in reading order with pages, headings and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ragcli.errors import ParseError
from ragcli.parse.assemble import Assembly, clean
from ragcli.parse.source import Context, Extract, Outcome, Source
from ragcli.records import Coverage


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """One document with its pages. Raises ParseError when it cannot be opened or its password is not known."""
    document = _open(source, context.passwords)
    assembly = Assembly()
    with_text = image_only = 0
    pages = len(document)
    for number in range(pages):
        page = document[number]
        blocks = [block for block in page.get_text("blocks", sort=True) if block[6] == 0 and block[4].strip()]
        with_text += bool(blocks)
        image_only += not blocks and bool(page.get_images())
        for block in blocks:
            assembly.add("paragraph", _joined(clean(block[4])), page=number + 1)
    info = document.metadata or {}
    declared = {"modified": date} if (date := _date(info.get("modDate") or info.get("creationDate"))) else {}
    document.close()
    yield Extract(
        assembly.text,
        assembly.blocks,
        title=(info.get("title") or "").strip(),
        declared=declared,
        coverage=Coverage(pages=pages, pages_with_text=with_text, image_only_pages=image_only),
    )


def _open(source: Source, passwords: tuple[str, ...]) -> Any:
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    try:
        document = pymupdf.open(stream=source.data, filetype="pdf")
    except (RuntimeError, ValueError) as error:
        raise ParseError(f"{source.doc_id}: not a readable PDF: {error}") from error
    if document.needs_pass and not any(document.authenticate(word) for word in passwords):
        raise ParseError(
            f"{source.doc_id}: encrypted, and no known password opens it",
            hint="set RAG_PDF_PASSWORDS or ingest.passwords",
        )
    if not len(document):
        raise ParseError(f"{source.doc_id}: holds no pages")
    return document


def _joined(text: str) -> str:
    text = re.sub(r"(\w)[-\u00ad]\n(?=[a-z\u00df-\u00ff])", r"\1", text.strip())
    return " ".join(text.split())


def _date(value: str | None) -> str | None:
    match = re.match(r"(?:D:)?(\d{4})(\d\d)(\d\d)", value or "")
    return f"{match[1]}-{match[2]}-{match[3]}" if match else None
