"""Markdown with front matter: the source itself is the text, a CommonMark parser says where its blocks are."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ragcli.parse.assemble import clean, cover
from ragcli.parse.decode import decode
from ragcli.parse.hidden import HiddenText
from ragcli.parse.source import Context, Extract, Outcome, Source
from ragcli.parse.text.front_matter import head_statements, split_front_matter
from ragcli.records import Block, BlockKind, Coverage, Span

if TYPE_CHECKING:
    from markdown_it.token import Token

# Code first: what looks like a comment in it is none.
_COMMENTS = re.compile(
    r"""^[ \t]*(?P<fence>`{3,}|~{3,})[^\n]*\n(?s:.*?)(?:^[ \t]*(?P=fence)|\Z)  # a fence
    |^(?:[ ]{4}|\t)[^\n]*                                     # indented
    |(?<!`)(?P<ticks>`+)(?!`)[^\n]*?(?<!`)(?P=ticks)(?!`)     # within a line
    |(?P<comment><!--(?s:.*?)-->
        |(?<![\w%])%%(?!%)[^%\n]+%%(?![\w%])
        |^[ \t]*%%[ \t]*\n(?s:.*?)^[ \t]*%%[ \t]*$
        |^%%(?s:(?:(?!%%).)+)%%[ \t]*$)""",
    re.M | re.X,
)


def parse(source: Source, context: Context) -> Iterator[Outcome]:
    """One document: the Markdown with no more of its front matter than facts, lines as in the source."""
    decoded = decode(source.data)
    hidden = HiddenText(context.config, context.conditions)
    extract = read_markdown(clean(decoded.text), source.doc_id, hidden)
    warnings = (*extract.coverage.warnings, *decoded.warnings, *hidden.warnings)
    yield replace(extract, encoding=decoded.encoding, coverage=replace(extract.coverage, warnings=warnings))


def read_markdown(text: str, where: str, hidden: HiddenText) -> Extract:
    """Markdown ``text`` (clean, with or without front matter) as blocks over itself, without its comments."""
    front = split_front_matter(text, where)
    extract = read_body(_without_comments(front.body, hidden), front.facts)
    warnings = (front.warning,) if front.warning else ()
    return replace(
        extract,
        declared=front.declared,
        line_of_key=front.lines,
        coverage=replace(extract.coverage, warnings=warnings),
        first_line=front.first_line - front.facts.count("\n"),
        stated=tuple(head_statements(front.body)),  # a comment may say who sees the text
    )


def _without_comments(text: str, hidden: HiddenText) -> str:
    """Text whose comments (of HTML and of Obsidian) are empty lines, unless hidden text is read."""
    if "<!--" not in text and "%%" not in text:
        return text

    def kept(found: re.Match[str]) -> str:
        words = " ".join((found["comment"] or "").strip("<!->% \n").split())
        if not words or hidden.reads("comments", len(words)):
            return found[0]
        return "\n" * found[0].count("\n")

    # Behind the last end of a comment none is looked for: each beginning would be followed to the end of the text.
    end = max(text.rfind("-->"), text.rfind("%%")) + 3
    return _COMMENTS.sub(kept, text[:end]) + text[end:]


def read_body(text: str, facts: str = "") -> Extract:
    """Markdown ``text`` (clean) without front matter as blocks over itself, under the ``facts`` of what there was."""
    masked = re.sub(r"[^\n]", " ", facts) + text  # no Markdown, and in its place
    tokens = _tokens(masked)
    text = facts + text
    blocks = cover(text, _blocks(tokens, masked))
    titles = tuple(_plain(title) for title in _heading_sources(tokens))
    title = next((name for name, level in zip(titles, _levels(blocks), strict=True) if level == 1 and name), "")
    tables = sum(1 for block in blocks if block.kind == "table")
    return Extract(text, blocks, title=title, heading_titles=titles, coverage=Coverage(tables=tables), first_line=1)


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
    (re.compile(r"!?\[\[(?:[^\[\]|\n]*\|)?([^\[\]|\n]+)\]\]"), r"\1"),
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
