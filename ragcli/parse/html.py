"""Web pages: the main content as readable blocks, without menus, banners and footers.

The page's own structure gives the blocks; ``trafilatura`` is asked which words are main content.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ragcli.errors import ParseError
from ragcli.parse.assemble import Assembly
from ragcli.parse.decode import decode
from ragcli.parse.html_blocks import pieces_of
from ragcli.parse.html_main import main_pieces
from ragcli.parse.html_text import flat_text
from ragcli.parse.source import Context, Extract, Outcome, Source
from ragcli.records import Coverage

if TYPE_CHECKING:
    from lxml.etree import _Element

_CHARSET = re.compile(rb"<meta[^>]+?charset\s*=\s*[\"']?\s*([\w.:-]+)|<\?xml[^>]+?encoding\s*=\s*[\"']([\w.:-]+)", re.I)
_META_KEYS = {"keywords": "tags", "last-modified": "modified", "article:modified_time": "modified"}


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """One document: the page's main content. Raises ParseError when there is no HTML in it."""
    declared = _CHARSET.search(source.data[:4096])
    decoded = decode(source.data, (declared[1] or declared[2]).decode("ascii") if declared else None)
    extract = read_html(decoded.text, source.doc_id, main_only=context.config.strip_boilerplate)
    coverage = replace(extract.coverage, warnings=(*extract.coverage.warnings, *decoded.warnings))
    yield replace(extract, encoding=decoded.encoding, coverage=coverage)


def read_html(text: str, where: str, *, main_only: bool = True) -> Extract:
    """HTML ``text`` as blocks; ``main_only`` leaves out what is not the page's content."""
    root = tree_of(text)
    if root is None:
        if not text.strip():
            return Extract("", ())
        raise ParseError(f"{where}: holds no HTML")
    pieces = pieces_of(root)
    if main_only:
        pieces = main_pieces(pieces, _main_text(text))
    assembly = Assembly()
    for piece in pieces:
        assembly.add(piece.kind, piece.text, level=piece.level)
    tables = sum(1 for piece in pieces if piece.kind == "table")
    return Extract(
        assembly.text,
        assembly.blocks,
        title=_title(root),
        declared=_declared(root),
        coverage=Coverage(tables=tables),
    )


def tree_of(text: str) -> _Element | None:
    """The parsed page, None when there is no markup in it; nothing is fetched."""
    from lxml import etree, html

    text = re.sub(r"^\s*<\?xml[^>]*\?>", "", text.replace("\x00", ""))
    if "<" not in text:
        return None
    try:
        parser = html.HTMLParser(no_network=True, remove_comments=True, huge_tree=True)
        return html.document_fromstring(text, parser=parser)
    except (etree.ParserError, ValueError):
        return None


def _main_text(text: str) -> str:
    from trafilatura import extract

    return extract(text, include_comments=False, include_tables=True) or ""


def _title(root: _Element) -> str:
    heading = _first_heading(root)
    title = next((flat_text(item) for item in root.iter("title")), "")
    if heading and title and heading.lower() in title.lower():
        return heading
    return title or heading


def _first_heading(root: _Element) -> str:
    return next((flat_text(item) for item in root.iter("h1") if flat_text(item)), "")


def _declared(root: _Element) -> dict[str, str]:
    found: dict[str, str] = {}
    for item in root.iter("meta"):
        name = (item.get("name") or item.get("property") or item.get("http-equiv") or "").lower()
        if name in _META_KEYS and item.get("content"):
            found[_META_KEYS[name]] = str(item.get("content"))
    return found
