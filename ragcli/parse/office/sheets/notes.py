"""What stands on an XLSX sheet besides cells: comments, charts, text boxes, diagrams, alternative texts of pictures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from ragcli.parse.assemble import one_line
from ragcli.parse.office.drawings import A, alternative_text, chart_rows, chart_title, diagram_items
from ragcli.parse.tables import table_text
from ragcli.parse.web.html_text import local_name
from ragcli.records import BlockKind

if TYPE_CHECKING:
    from lxml.etree import _Element

_THREADED = re.compile(r"^\[Threaded comment\].*?Comment:\s*", re.S)
_MOST_POINTS = 60
"""Cells of a chart's table: a larger one repeats its sheet, and is told by its title and series alone."""


def notes_of(parts: Iterable[tuple[str, _Element]], people: Mapping[str, str]) -> Iterator[tuple[BlockKind, str]]:
    """Kind and text of each; ``people`` are the names behind the ids of threaded comments."""
    parts = tuple(parts)
    threaded = any(kind == "threadedComment" for kind, _ in parts)
    for kind, root in parts:
        if kind == "chart":
            yield from _chart(root)
        elif kind == "chartEx":
            yield "other", "\n".join(filter(None, (one_line(node.text or "") for node in _named(root, "t"))))
        elif kind == "diagramData":
            yield from (("list_item", f"- {text}") for _, text in diagram_items(root))
        elif kind == "drawing":
            yield from _drawing(root)
        elif kind == "threadedComment":
            for node in _named(root, "threadedComment"):
                yield "other", _note(people.get(str(node.get("personId")), ""), "".join(_texts(node)))
        elif kind == "comments":
            yield from (("other", note) for note in _legacy(root, threaded))


def _chart(root: _Element) -> Iterator[tuple[BlockKind, str]]:
    title, rows = chart_title(root), chart_rows(root)
    size = sum(len(row) for row in rows)
    yield "caption", title
    if rows and size <= _MOST_POINTS:
        yield "table", table_text(rows, header_rows=1)
    elif rows:
        yield "other", f"Chart{f' {title!r}' if title else ''} of: {', '.join(filter(None, rows[0]))}"


def _drawing(root: _Element) -> Iterator[tuple[BlockKind, str]]:
    """Text boxes, and what pictures and charts say of themselves."""
    for shape in _named(root, "sp"):
        lines = ("".join(part.text or "" for part in line.iter(A + "t")) for line in shape.iter(A + "p"))
        yield "paragraph", "\n".join(filter(None, map(one_line, lines)))
    for node in _named(root, "cNvPr"):
        if text := alternative_text(str(node.get("descr") or "")):
            yield "other", f"Picture: {text}"


def _legacy(root: _Element, threaded: bool) -> Iterator[str]:
    authors = [one_line("".join(_texts(node))) for node in _named(root, "author")]
    for node in _named(root, "comment"):
        text = "".join(_texts(node))
        if threaded and _THREADED.match(text):
            continue
        place = node.get("authorId") or ""
        author = authors[int(place)] if place.isdigit() and int(place) < len(authors) else ""
        yield _note(author, _THREADED.sub("", text))


def _note(author: str, text: str) -> str:
    text = one_line(text)
    return f"{author}: {text}" if author and text and not text.startswith(author) else text


def _named(root: _Element, name: str) -> Iterator[_Element]:
    return (node for node in root.iter() if local_name(node) == name.lower())


def _texts(element: _Element) -> Iterator[str]:
    return (str(part) for part in element.itertext())
