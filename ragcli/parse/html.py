"""Web pages: the main content as readable blocks, without menus, banners and footers.

``trafilatura`` finds the main content. It is made for articles and gives up on short or unusual pages; what it leaves
is compared with the whole page, and a page it took to be nearly all boilerplate is kept whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ragcli.errors import ParseError
from ragcli.parse.assemble import Assembly, one_line
from ragcli.parse.decode import decode
from ragcli.parse.html_blocks import add_tree, inline_text, local_name
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
    root = _tree(text)
    if root is None:
        if not text.strip():
            return Extract("", ())
        raise ParseError(f"{where}: holds no HTML")
    whole = Assembly()
    tables = add_tree(root, whole)
    kept, kept_tables = whole, tables
    if main_only:
        main = Assembly()
        found = _main_content(text)
        heading = _first_heading(root)
        if found is not None and heading and heading not in one_line(inline_text(found)):
            main.add("heading", heading, level=1)
        main_tables = add_tree(found, main) if found is not None else 0
        if _enough(main.text, whole.text, root):
            kept, kept_tables = main, main_tables
    return Extract(
        kept.text,
        kept.blocks,
        title=_title(root),
        declared=_declared(root),
        coverage=Coverage(tables=kept_tables),
    )


def _tree(text: str) -> _Element | None:
    from lxml import etree, html

    text = re.sub(r"^\s*<\?xml[^>]*\?>", "", text.replace("\x00", ""))
    if "<" not in text:
        return None
    try:
        parser = html.HTMLParser(no_network=True, remove_comments=True, huge_tree=True)
        return html.document_fromstring(text, parser=parser)
    except (etree.ParserError, ValueError):
        return None


def _main_content(text: str) -> _Element | None:
    from trafilatura import bare_extraction

    found = bare_extraction(
        text, include_comments=True, include_tables=True, include_formatting=True, favor_recall=True
    )
    body = getattr(found, "body", None)
    if body is None:
        return None
    comments = getattr(found, "commentsbody", None)
    if comments is not None and len(comments):
        body.append(comments)
    return body


def _enough(main: str, whole: str, root: _Element) -> bool:
    """Whether the main content can stand for the page: pages with no sign of a frame around it are kept whole."""
    if not main.strip():
        return False
    framed = any(local_name(item) in ("nav", "footer", "aside", "header") for item in root.iter())
    share = len(main) / max(1, len(whole))
    if len(whole) < 2000 and not framed:
        return False
    return share > 0.1 or len(main) > 1000


def _title(root: _Element) -> str:
    heading = _first_heading(root)
    title = next((one_line(inline_text(item)) for item in root.iter("title")), "")
    if heading and title and heading.lower() in title.lower():
        return heading
    return title or heading


def _first_heading(root: _Element) -> str:
    return next((one_line(inline_text(item)) for item in root.iter("h1") if inline_text(item).strip()), "")


def _declared(root: _Element) -> dict[str, str]:
    found: dict[str, str] = {}
    for item in root.iter("meta"):
        name = (item.get("name") or item.get("property") or item.get("http-equiv") or "").lower()
        if name in _META_KEYS and item.get("content"):
            found[_META_KEYS[name]] = str(item.get("content"))
    return found
