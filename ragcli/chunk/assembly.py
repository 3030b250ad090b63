"""Cuts become chunk records: numbered, with pages and lines, and every one counted against the model's window."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace

from ragcli.chunk.cuts import Cut
from ragcli.chunk.outline import trimmed
from ragcli.chunk.prefixes import Prefixes
from ragcli.chunk.tokens import TokenMap
from ragcli.chunk.units import cut_between_words
from ragcli.interfaces import Tokenizer
from ragcli.records import Chunk, Document

_LINE_END = re.compile("\n")
_SPACES = ("", " ", "\n", "\t")
"""What parts words for every tokenizer (some drop rarer kinds of white space); empty: the text's own ends."""


class Places:
    """Pages and lines of a document's characters."""

    def __init__(self, document: Document) -> None:
        self._document = document
        counted = document.first_line is not None
        self._line_ends = [match.start() for match in _LINE_END.finditer(document.text)] if counted else []
        self._blocks = sorted((b for b in document.blocks if b.page is not None), key=lambda block: block.span)
        self._starts = [block.span.start for block in self._blocks]
        self._alias_starts = [alias.span.start for alias in document.aliases]

    def pages(self, start: int, end: int) -> tuple[int, int] | None:
        """First and last page of the characters; None where the format has no pages."""
        last = bisect_left(self._starts, end)
        first = max(0, bisect_right(self._starts, start) - 1)
        pages = [block.page for block in self._blocks[first:last] if block.span.end > start and block.page is not None]
        return (min(pages), max(pages)) if pages else None

    def lines(self, start: int, end: int) -> tuple[int, int] | None:
        """First and last line of the source; None where the text has no lines of the source."""
        first_line = self._document.first_line
        if first_line is None:
            return None
        return first_line + bisect_left(self._line_ends, start), first_line + bisect_left(self._line_ends, end)

    def ocr(self, pages: tuple[int, int] | None) -> bool:
        """Whether any of it was read from a picture."""
        first, last = pages or (0, 1 << 30)
        return any(first <= page <= last for page in self._document.ocr_pages)

    def aliases(self, start: int, end: int) -> str:
        """Other forms of what stands between the characters."""
        first = bisect_left(self._alias_starts, start)
        last = bisect_left(self._alias_starts, end)
        return " ".join(alias.text for alias in self._document.aliases[first:last])


def assemble(
    document: Document, cuts: Sequence[Cut], *, prefixes: Prefixes, tokenizer: Tokenizer, tokens: TokenMap, window: int
) -> tuple[Chunk, ...]:
    """The chunks of a document, none of whose indexed texts has more than ``window`` tokens.

    A cut whose text turns out larger than its share of the whole (a slice inside a word has other tokens) is halved.
    """
    places = Places(document)
    fitting = list(cuts)
    counts: list[int] = []
    while True:
        drafts = [_draft(document, cut, prefixes, places) for cut in fitting]
        counts = tokenizer.count_many([draft.indexed_text for draft in drafts])
        if all(count <= window for count in counts):
            break
        halved: list[Cut] = []
        for cut, count in zip(fitting, counts, strict=True):
            halved += [cut] if count <= window else _halved(document.text, cut, tokens)
        if len(halved) == len(fitting) and halved == fitting:
            break
        fitting = halved
    return tuple(
        replace(
            draft,
            chunk_id=f"{document.doc_id}#{ordinal}",
            ordinal=ordinal,
            token_count=_own_tokens(document.text, draft, tokenizer, tokens),
            indexed_tokens=count,
        )
        for ordinal, (draft, count) in enumerate(zip(drafts, counts, strict=True), 1)
    )


def _own_tokens(text: str, draft: Chunk, tokenizer: Tokenizer, tokens: TokenMap) -> int:
    """Tokens of the chunk's text: those it has in the document where it is cut at white space."""
    start, end = draft.span.start, draft.span.end
    if text[max(0, start - 1) : start] in _SPACES and text[end : end + 1] in _SPACES:
        return tokens.before(end) - tokens.before(start)
    return tokenizer.count(draft.text)


def _draft(document: Document, cut: Cut, prefixes: Prefixes, places: Places) -> Chunk:
    start, end = cut.span.start, cut.span.end
    pages, lines = places.pages(start, end), places.lines(start, end)
    return Chunk(
        chunk_id="",
        doc_id=document.doc_id,
        ordinal=0,
        span=cut.span,
        text=cut.span.of(document.text),
        title=prefixes.title,
        heading_path=prefixes.path(cut.path),
        first_page=pages[0] if pages else None,
        last_page=pages[1] if pages else None,
        first_line=lines[0] if lines else None,
        last_line=lines[1] if lines else None,
        lead=cut.lead,
        ocr=places.ocr(pages),
        aliases=places.aliases(start, end),
    )


def _halved(text: str, cut: Cut, tokens: TokenMap) -> list[Cut]:
    """The cut in two or more, without its lead when there is nothing else to give up."""
    if cut.lead:
        return [replace(cut, lead="")]
    size = tokens.size(cut.span.start, cut.span.end)
    parts = cut_between_words(text, cut.span, tokens, max(1, -(-size // 2)))
    if len(parts) < 2 and len(cut.span) > 1:
        middle = cut.span.start + len(cut.span) // 2
        parts = [trimmed(text, cut.span.start, middle), trimmed(text, middle, cut.span.end)]
    return [replace(cut, span=part) for part in parts if part]
