"""Plain text, source code, subtitles, and markup that is read as text: RST, AsciiDoc, org, LaTeX.

The source itself is the text; the blocks are its paragraphs, headings, list items and code.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Iterator

from ragcli.errors import ParseError
from ragcli.parse.assemble import clean, cover
from ragcli.parse.decode import decode
from ragcli.parse.hidden import HiddenText
from ragcli.parse.source import Context, Extract, Outcome, Source
from ragcli.parse.text.asciidoc_tables import with_tables
from ragcli.parse.text.front_matter import FrontMatter, head_statements, settings_statements, split_front_matter
from ragcli.parse.text.restructured import read_rst
from ragcli.parse.text.text_markup import DESCRIPTIONS, HEADINGS, LITERALS
from ragcli.records import Block, BlockKind, Coverage, Span

_SETTINGS = ("text/x-code-yaml", "text/x-code-yml", "text/x-code-toml")
_MAX_REPLACED = 0.1
# Looks back, so that a line of blanks is not tried again from each of them.
_PARAGRAPH = re.compile(r"(?:(?<![^\S\n])[^\S\n]*)?\S[^\n]*(?:\n[^\S\n]*\S[^\n]*)*")
_ITEM = re.compile(r"^([ \t]*)(?:[-*+•‣◦]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|#\.)[ \t]+\S", re.M)


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """One document whose lines are the source's. Raises ParseError when the bytes are no text."""
    hidden = HiddenText(context.config, context.conditions)
    decoded = decode(source.data)
    text = clean(decoded.text)
    if decoded.replaced > _MAX_REPLACED * max(1, len(text)):
        raise ParseError(f"{source.doc_id}: no known encoding fits these bytes")
    front = split_front_matter(text, source.doc_id) if source.media_type in HEADINGS else None
    front = front or FrontMatter({}, {}, text, 1, "")
    stated = tuple(settings_statements(text, source.doc_id)) if source.media_type in _SETTINGS else ()
    body = front.body
    if source.media_type == "text/x-rst":
        stated = tuple(head_statements(body))  # a comment may say who sees the text
        body = read_rst(body, hidden)
    if source.media_type == "text/asciidoc":
        body = with_tables(body)
    blocks, titles = read_blocks(body, source.media_type)
    yield Extract(
        body,
        blocks,
        title=titles[0] if titles and blocks and _first_is_heading(blocks) else "",
        heading_titles=titles,
        declared=front.declared,
        line_of_key=front.lines,
        coverage=Coverage(warnings=(*decoded.warnings, *filter(None, [front.warning]), *hidden.warnings)),
        encoding=decoded.encoding,
        first_line=front.first_line,
        stated=stated,
    )


def read_blocks(text: str, media_type: str) -> tuple[tuple[Block, ...], tuple[str, ...]]:
    """Blocks over clean ``text`` and the clean titles of its headings, by the rules of its kind of markup."""
    if media_type.startswith("text/x-code-"):
        return cover(text, _pieces(text, Span(0, len(text)), lambda _: "code")), ()
    find = HEADINGS.get(media_type, HEADINGS["text/plain"])
    literals = _literals(text, media_type)
    headings = [heading for heading in find(text) if not _inside(heading.span, literals)]
    marks = [*((heading.span, heading.level) for heading in headings), *((span, None) for span in literals)]
    blocks: list[Block] = []
    position = 0
    join = DESCRIPTIONS.get(media_type)
    for span, level in [*sorted(marks, key=lambda mark: mark[0]), (Span(len(text), len(text)), None)]:
        body = list(_body(text, Span(position, span.start)))
        blocks += join(text, body) if join else body
        if len(span):
            blocks.append(Block("code" if level is None else "heading", span, None, level))
        position = span.end
    return cover(text, blocks), tuple(heading.title for heading in headings)


def _literals(text: str, media_type: str) -> list[Span]:
    find = LITERALS.get(media_type)
    return list(find(text)) if find else []


def _inside(span: Span, others: list[Span]) -> bool:
    at = bisect.bisect_right(others, span.start, key=lambda other: other.start)
    return at > 0 and others[at - 1].end > span.start


def _first_is_heading(blocks: tuple[Block, ...]) -> bool:
    return blocks[0].kind == "heading"


def _body(text: str, span: Span) -> Iterator[Block]:
    for block in _pieces(text, span, _kind_of):
        items = list(_ITEM.finditer(text, block.span.start, block.span.end)) if block.kind == "paragraph" else []
        if not items or items[0].start() != block.span.start:
            yield block
            continue
        indents = sorted({len(item[1].expandtabs()) for item in items})
        ends = [*(item.start() for item in items[1:]), block.span.end]
        for item, end in zip(items, ends, strict=True):
            level = indents.index(len(item[1].expandtabs())) + 1
            yield Block("list_item", _trim(text, Span(item.start(), end)), None, level)


def _kind_of(paragraph: str) -> BlockKind:
    lines = paragraph.split("\n")
    if _is_grid(lines):
        return "table"
    indented = all(line.startswith(("    ", "\t")) for line in lines)
    return "code" if indented and not _ITEM.match(paragraph) and _looks_like_code(paragraph) else "paragraph"


def _is_grid(lines: list[str]) -> bool:
    if (
        len(lines) > 1
        and all(line.lstrip().startswith("|") for line in lines)
        and re.match(r"\s*\|[ :|-]+\|$", lines[1])
    ):
        return True
    ruled = sum(1 for line in lines if re.match(r"^\s*(?:\+[-=+]{3,}|\|.*\||={2,}( +={2,})+)\s*$", line))
    return len(lines) > 1 and ruled >= 0.8 * len(lines)


def _looks_like_code(paragraph: str) -> bool:
    return bool(re.search(r"[{};=<>$#]|\(\)|^\s*(?:def|class|import|for|if|return|\$|>>>)\b", paragraph, re.M))


def _pieces(text: str, span: Span, kind_of: Callable[[str], BlockKind]) -> Iterator[Block]:
    for match in _PARAGRAPH.finditer(text, span.start, span.end):
        piece = _trim(text, Span(match.start(), match.end()))
        yield Block(kind_of(match[0]), piece)


def _trim(text: str, span: Span) -> Span:
    return Span(span.start, span.start + len(span.of(text).rstrip()))
