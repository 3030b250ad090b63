"""Jupyter notebooks: text cells as Markdown, code cells as code, text outputs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ragcli.errors import ParseError
from ragcli.parse.access import Statement, statements_in
from ragcli.parse.assemble import Assembly, clean
from ragcli.parse.decode import decode
from ragcli.parse.source import Context, Extract, Outcome, Source
from ragcli.parse.text.front_matter import split_front_matter
from ragcli.parse.text.markdown import read_body
from ragcli.records import Coverage


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """One document. Raises ParseError when it is no notebook."""
    del context
    try:
        book = json.loads(decode(source.data).text)
    except (ValueError, RecursionError) as error:
        raise ParseError(f"{source.doc_id}: not a readable notebook: {error}") from error
    if not isinstance(book, dict):
        raise ParseError(f"{source.doc_id}: not a notebook: its JSON holds no object with cells")
    cells = _items(book.get("cells")) or [
        cell
        for sheet in _items(book.get("worksheets"))
        if isinstance(sheet, dict)
        for cell in _items(sheet.get("cells"))
    ]
    assembly = Assembly()
    titles: list[str] = []
    title = ""
    declared: Mapping[str, Any] = {}
    warnings: list[str] = []
    for number, cell in enumerate(cells, 1):
        if not isinstance(cell, dict):
            warnings.append(f"cell {number} is no cell but {json.dumps(cell)[:40]}, left out")
            continue
        text = clean(_joined(cell.get("source", cell.get("input", ""))))
        if number == 1 and cell.get("cell_type") in ("raw", "markdown"):
            front = split_front_matter(text, source.doc_id)
            declared, text = front.declared, front.body
        if cell.get("cell_type") == "markdown":
            part = read_body(text)
            title = title or part.title
            titles += part.heading_titles or ()
            for block in part.blocks:
                assembly.add(block.kind, block.span.of(part.text), level=block.level)
        else:
            assembly.add("code" if cell.get("cell_type") == "code" else "other", text)
            for output in _items(cell.get("outputs")):
                assembly.add("other", clean(_output(output)))
    stated = metadata.get("title") if isinstance(metadata := book.get("metadata"), dict) else None
    yield Extract(
        assembly.text,
        assembly.blocks,
        title=stated if isinstance(stated, str) else title,
        heading_titles=tuple(titles),
        encoding="utf-8",
        declared=declared,
        coverage=Coverage(warnings=tuple(warnings)),
        stated=tuple(_statements(book, cells)),
    )


def _statements(book: Mapping[str, Any], cells: list[Any]) -> Iterator[Statement]:
    """What the metadata of the notebook and of its cells say of who may see it: one document, so each holds for all."""
    yield from statements_in(book.get("metadata"), among_metadata=True)
    for cell in cells:
        yield from statements_in(cell.get("metadata") if isinstance(cell, dict) else None, among_metadata=True)


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _joined(value: Any) -> str:
    return "".join(map(str, value)) if isinstance(value, list) else str(value or "")


def _output(output: Any) -> str:
    data = output.get("data") if isinstance(output, dict) else None
    data = data if isinstance(data, dict) else {}
    text = _joined(output.get("text", "")) if isinstance(output, dict) else ""
    return text or _joined(data.get("text/markdown") or data.get("text/plain") or "")
