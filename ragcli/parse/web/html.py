"""Web pages: the main content as readable blocks, without menus, banners and footers.

The page's own structure gives the blocks; ``trafilatura`` is asked which words are main content.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ragcli.errors import ParseError
from ragcli.parse.access import Statement, says_who
from ragcli.parse.assemble import Assembly, clean
from ragcli.parse.decode import decode
from ragcli.parse.source import Context, Extract, Outcome, Source
from ragcli.parse.text.front_matter import split_front_matter
from ragcli.parse.web.html_blocks import Piece, pieces_of
from ragcli.parse.web.html_text import flat_text
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
    extract = read_html(markup, source.doc_id, main_only=context.config.strip_boilerplate)
    coverage = replace(extract.coverage, warnings=(*extract.coverage.warnings, *decoded.warnings))
    yield replace(
        extract, declared={**extract.declared, **front.declared}, encoding=decoded.encoding, coverage=coverage
    )


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
        stated=tuple(_statements(root)),
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


def _statements(root: _Element) -> Iterator[Statement]:
    """What the page's ``meta`` elements, and attributes of the page itself, say of who may see it."""
    for item in root.iter("meta"):
        names = [item.get(key) or "" for key in ("name", "property", "itemprop", "http-equiv")]
        if stated := next((name for name in names if says_who(name, among_metadata=True)), ""):
            yield stated, item.get("content") or ""
    for item in (root, *root.findall("body")):
        yield from ((str(key), value) for key, value in item.attrib.items() if says_who(key))


# Which pieces of a page are its content. Pure.
#
# ``trafilatura`` finds the words of the main content but flattens or drops headings, lists, code and some teasers; the
# pieces of the page are kept when their words are among those it found, or when they stand between such pieces and
# nothing marks them as frame.

_WORDS = re.compile(r"\w+")
_SMALL_PAGE = 2000
_MIN_SHARE = 0.03
_MIN_MAIN = 250


def main_pieces(pieces: Sequence[Piece], reference: str) -> list[Piece]:
    """The content of a page among all its pieces; all of them when it is small and frameless or nothing was found.

    ``reference`` is the text of the main content as another judge sees it.
    """
    total = sum(len(piece.text) for piece in pieces)
    if total < _SMALL_PAGE and not any(piece.framed for piece in pieces):
        return list(pieces)
    found = " " + " ".join(_WORDS.findall(reference.lower())) + " "
    if len(found) < max(_MIN_SHARE * total, min(_MIN_MAIN, 0.3 * total)):
        unframed = [piece for piece in pieces if not piece.framed]
        return unframed or list(pieces)
    named = [_named(piece, found) for piece in pieces]
    return [piece for piece, keep in zip(pieces, _with_context(pieces, named), strict=True) if keep]


def _named(piece: Piece, found: str) -> bool:
    words = _WORDS.findall(piece.text.lower())
    if not words:
        return False
    if f" {' '.join(words)} " in found:
        return len(words) > 2 or piece.kind != "paragraph" or not piece.framed
    if piece.kind in ("table", "code", "paragraph", "list_item", "quote") and len(words) > 7:
        runs = [" ".join(words[start : start + 4]) for start in range(0, len(words) - 3, 4)]
        return sum(f" {run} " in found for run in runs) >= 0.6 * len(runs)
    return False


def _with_context(pieces: Sequence[Piece], named: list[bool]) -> list[bool]:
    """Named pieces, and unframed ones that belong to them: what stands beside them and the headings over them.

    A few named words with nothing of the content beside them are a coincidence.
    """
    kept = [
        keep and (len(_WORDS.findall(piece.text)) > 5 or piece.kind == "heading" or _beside(named, place))
        for place, (piece, keep) in enumerate(zip(pieces, named, strict=True))
    ]
    places = [place for place, keep in enumerate(kept) if keep]
    for place in range(places[0] + 1, places[-1]) if places else ():
        piece = pieces[place]
        if not kept[place] and not piece.framed and piece.kind != "heading" and _beside(kept, place):
            kept[place] = _like_content(piece)
    for place in range(len(pieces) - 2, -1, -1):
        piece = pieces[place]
        if piece.kind == "heading" and not piece.framed and not kept[place]:
            kept[place] = piece.level == 1 or (kept[place + 1] and piece.linked < 0.5)
    return kept


def _beside(kept: list[bool], place: int) -> bool:
    return any(kept[max(0, place - 1) : place]) or any(kept[place + 1 : place + 2])


def _like_content(piece: Piece) -> bool:
    if piece.kind in ("code", "table"):
        return piece.linked < 0.4
    words = len(_WORDS.findall(piece.text))
    return piece.linked < 0.3 and (words >= 12 or (piece.kind in ("list_item", "caption") and words >= 4))
