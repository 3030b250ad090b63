"""Jupyter notebooks: text cells as Markdown, code cells as code, text outputs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ragcli.errors import ParseError
from ragcli.parse.assemble import Assembly, clean
from ragcli.parse.decode import decode
from ragcli.parse.markdown import read_markdown
from ragcli.parse.source import Context, Extract, Outcome, Source


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """One document. Raises ParseError when it is no notebook."""
    del context
    try:
        book = json.loads(decode(source.data).text)
        cells = book.get("cells") or [cell for sheet in book.get("worksheets", ()) for cell in sheet.get("cells", ())]
    except (ValueError, AttributeError, RecursionError) as error:
        raise ParseError(f"{source.doc_id}: not a readable notebook: {error}") from error
    assembly = Assembly()
    titles: list[str] = []
    title = ""
    for cell in cells:
        text = clean(_joined(cell.get("source", cell.get("input", ""))))
        if cell.get("cell_type") == "markdown":
            part = read_markdown(text, source.doc_id)
            title = title or part.title
            titles += part.heading_titles or ()
            for block in part.blocks:
                assembly.add(block.kind, block.span.of(part.text), level=block.level)
        else:
            assembly.add("code" if cell.get("cell_type") == "code" else "other", text)
            for output in cell.get("outputs", ()):
                assembly.add("other", clean(_output(output)))
    stated = book.get("metadata", {}).get("title")
    yield Extract(
        assembly.text,
        assembly.blocks,
        title=stated if isinstance(stated, str) else title,
        heading_titles=tuple(titles),
        encoding="utf-8",
    )


def _joined(value: Any) -> str:
    return "".join(map(str, value)) if isinstance(value, list) else str(value or "")


def _output(output: Any) -> str:
    data = output.get("data", {}) if isinstance(output, dict) else {}
    text = _joined(output.get("text", "")) if isinstance(output, dict) else ""
    return text or _joined(data.get("text/markdown") or data.get("text/plain") or "")
