"""Web pages: the main content as readable blocks, without menus, banners and footers.

The page's own structure gives the blocks; ``trafilatura`` is asked which words are main content.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ragcli.errors import ParseError
from ragcli.parse.access import Statement, says_who
from ragcli.parse.assemble import Assembly, clean
from ragcli.parse.decode import decode
from ragcli.parse.hidden import HiddenText
from ragcli.parse.links import Links
from ragcli.parse.source import Context, Extract, Outcome, Source
from ragcli.parse.text.front_matter import split_front_matter
from ragcli.parse.web.hidden_elements import drop_hidden
from ragcli.parse.web.html_blocks import PageBlock, pieces_of
from ragcli.parse.web.html_text import flat_text
from ragcli.parse.web.main_content import left_out, main_pieces
from ragcli.records import Coverage

if TYPE_CHECKING:
    from lxml.etree import _Element


_CHARSET = re.compile(rb"<meta[^>]+?charset\s*=\s*[\"']?\s*([\w.:-]+)|<\?xml[^>]+?encoding\s*=\s*[\"']([\w.:-]+)", re.I)
_META_KEYS = {"keywords": "tags", "last-modified": "modified", "article:modified_time": "modified"}


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """One document: the page's main content. Raises ParseError when there is no HTML in it."""
    declared = _CHARSET.search(source.data[:4096])
    decoded = decode(source.data, (declared[1] or declared[2]).decode("ascii") if declared else None)
    front = split_front_matter(clean(decoded.text), source.doc_id)
    markup = front.body if front.declared else decoded.text
    hidden = HiddenText(context.config, context.conditions)
    extract = read_html(markup, source.doc_id, hidden, main_only=context.config.strip_boilerplate)
    coverage = replace(extract.coverage, warnings=(*extract.coverage.warnings, *decoded.warnings))
    yield replace(
        extract, declared={**extract.declared, **front.declared}, encoding=decoded.encoding, coverage=coverage
    )


def read_html(text: str, where: str, hidden: HiddenText, *, main_only: bool = True) -> Extract:
    """HTML ``text`` as blocks; ``main_only`` leaves out what is not the page's content, and lists it."""
    root = tree_of(text)
    if root is None:
        if not text.strip():
            return Extract("", ())
        raise ParseError(f"{where}: holds no HTML")
    title, declared, stated = _title(root), _declared(root), tuple(_statements(root))
    changed = drop_hidden(root, hidden)
    pieces = pieces_of(root)
    kept = main_pieces(pieces, _main_text(_markup(root) if changed else text)) if main_only else pieces
    assembly = _assembled(kept)
    return Extract(
        assembly.text,
        assembly.blocks,
        title=title,
        declared=declared,
        coverage=Coverage(
            tables=sum(1 for piece in kept if piece.kind == "table"),
            stripped_lines=tuple(left_out(pieces, kept)),
            warnings=hidden.warnings,
        ),
        stated=stated,
    )


def _assembled(pieces: list[PageBlock]) -> Assembly:
    """The pieces in order, where the links of a section lead after it."""
    assembly, links = Assembly(), Links()
    for piece in pieces:
        if piece.kind == "heading":
            links.write(assembly)
        assembly.add(piece.kind, piece.text, level=piece.level)
        for words, target in piece.links:
            links.add(words, target)
    links.write(assembly)
    return assembly


def _markup(root: _Element) -> str:
    from lxml import etree

    return str(etree.tostring(root, encoding="unicode", method="html"))


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


def _statements(root: _Element) -> Iterator[Statement]:
    """What the page's ``meta`` elements, and attributes of the page itself, say of who may see it."""
    for item in root.iter("meta"):
        names = [item.get(key) or "" for key in ("name", "property", "itemprop", "http-equiv")]
        if stated := next((name for name in names if says_who(name, among_metadata=True)), ""):
            yield stated, item.get("content") or ""
    for item in (root, *root.findall("body")):
        yield from ((str(key), value) for key, value in item.attrib.items() if says_who(key))
