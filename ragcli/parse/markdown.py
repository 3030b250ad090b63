"""Markdown with front matter: the source itself is the text, a CommonMark parser says where its blocks are."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ragcli.config import parse_yaml
from ragcli.errors import ConfigError, ParseError
from ragcli.parse.assemble import clean, cover
from ragcli.parse.decode import decode
from ragcli.parse.source import Context, Extract, Outcome, Source
from ragcli.records import Block, BlockKind, Coverage, Span

if TYPE_CHECKING:
    from markdown_it.token import Token

_FRONT = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S | re.M)
_HEAD = re.compile(r"\A---[ \t]*\n((?:[ \t]*\S[^\n]*(?:\n|\Z))*)")
_ACCESS = re.compile(r"^[ \t\"'{]*(?:acl|groups)[ \t\"']*:", re.M | re.I)
_KEY = re.compile(r"^([A-Za-z_][\w.-]*)[ \t]*:", re.M)


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """One document: the Markdown without its front matter, lines as in the source."""
    del context
    decoded = decode(source.data)
    extract = read_markdown(clean(decoded.text), source.doc_id)
    warnings = (*extract.coverage.warnings, *decoded.warnings)
    yield replace(extract, encoding=decoded.encoding, coverage=replace(extract.coverage, warnings=warnings))


def read_markdown(text: str, where: str) -> Extract:
    """Markdown ``text`` (clean, with or without front matter) as blocks over itself."""
    declared, lines, body, first_line, warning = split_front_matter(text, where)
    tokens = _tokens(body)
    blocks = cover(body, _blocks(tokens, body))
    titles = tuple(_plain(title) for title in _heading_sources(tokens))
    title = next((name for name, level in zip(titles, _levels(blocks), strict=True) if level == 1 and name), "")
    tables = sum(1 for block in blocks if block.kind == "table")
    return Extract(
        body,
        blocks,
        title=title,
        declared=declared,
        line_of_key=lines,
        heading_titles=titles,
        coverage=Coverage(tables=tables, warnings=(warning,) if warning else ()),
        first_line=first_line,
    )


def split_front_matter(text: str, where: str) -> tuple[dict[str, Any], dict[str, int], str, int, str]:
    """Keys, the line of each, the text after them, the line it starts on, and a warning (or ``""``).

    Front matter that is no valid YAML stays part of the text and gives the warning. Raises ParseError when such front
    matter, or one without an end, says who may see the document: it must not become public by a slip of the pen.
    """
    match = _FRONT.match(text)
    if not match:
        head = _HEAD.match(text)
        if head and _ACCESS.search(head[1]):
            raise ParseError(
                f"{where}: front matter without an end: who may see it cannot be told", hint="close it with ---"
            )
        return {}, {}, text, 1, ""
    try:
        declared = parse_yaml(match[1], f"{where} front matter")
    except ConfigError as error:
        if _ACCESS.search(match[1]):
            raise ParseError(f"{error.message}; who may see it cannot be told", hint="mend it") from error
        return {}, {}, text, 1, f"{error.message}; kept as text"
    lines = {key[1]: 2 + match[1].count("\n", 0, key.start()) for key in _KEY.finditer(match[1])}
    body = text[match.end() :]
    first = 1 + text.count("\n", 0, match.end())
    stripped = body.lstrip("\n")
    return declared, lines, stripped, first + len(body) - len(stripped), ""


def _tokens(text: str) -> list[Token]:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table").disable(["inline", "text_join"], ignoreInvalid=True)
    return parser.parse(text)


_LEAVES: dict[str, BlockKind] = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "fence": "code",
    "code_block": "code",
    "table_open": "table",
    "html_block": "other",
}


def _blocks(tokens: list[Token], text: str) -> Iterator[Block]:
    """The leaf blocks of the token stream, over whole source lines."""
    starts = [0, *(match.end() for match in re.finditer("\n", text)), len(text)]
    lists, quotes, end = 0, 0, 0
    for token in tokens:
        lists += (token.type == "list_item_open") - (token.type == "list_item_close")
        quotes += (token.type == "blockquote_open") - (token.type == "blockquote_close")
        kind = _LEAVES.get(token.type)
        if kind is None or token.map is None:
            continue
        first, last = token.map
        span = _trimmed(text, Span(max(starts[first], end), starts[min(last, len(starts) - 1)]))
        if not len(span):
            continue
        end = span.end
        level = int(token.tag[1]) if kind == "heading" else None
        if kind == "paragraph" and lists:
            kind, level = "list_item", lists
        elif kind == "paragraph" and quotes:
            kind = "quote"
        yield Block(kind, span, None, level)


def _trimmed(text: str, span: Span) -> Span:
    piece = span.of(text)
    leading = len(piece) - len(piece.lstrip("\n"))
    return Span(span.start + leading, max(span.start + leading, span.start + len(piece.rstrip())))


def _levels(blocks: tuple[Block, ...]) -> list[int]:
    return [block.level or 1 for block in blocks if block.kind == "heading"]


def _heading_sources(tokens: list[Token]) -> Iterator[str]:
    for token, following in itertools.pairwise(tokens):
        if token.type == "heading_open":
            yield following.content if following.type == "inline" else ""


_PLAIN = (
    (re.compile(r"\s*\{[#.:][^}]*\}\s*$"), ""),
    (re.compile(r"!\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"\[([^\]]+)\](?:\([^)]*\)|\[[^\]]*\])"), r"\1"),
    (re.compile(r"<((?:https?|mailto):[^>\s]+)>"), r"\1"),
    (re.compile(r"</?[A-Za-z][^>]*>"), ""),
    (re.compile(r"(?<!\\)(\*\*\*|\*\*|\*)(?=\S)(.+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"(?<![\w\\])(__|_)(?=\S)(.+?)(?<=\S)\1(?!\w)"), r"\2"),
    (re.compile(r"~~(.+?)~~"), r"\1"),
    (re.compile(r"(`+) ?(.+?) ?\1"), r"\2"),
    (re.compile(r"\\([!-/:-@\[-`{-~])"), r"\1"),
)


def _plain(heading: str) -> str:
    """A heading's words without Markdown's marks."""
    for pattern, replacement in _PLAIN:
        heading = pattern.sub(replacement, heading)
    return " ".join(heading.split())
