"""Chunks of a fixed number of tokens with overlap, blind to structure: the baseline every other strategy must beat."""

from __future__ import annotations

from bisect import bisect_right

from ragcli.chunk.cuts import Cut, Sizes
from ragcli.chunk.outline import outline, trimmed
from ragcli.chunk.tokens import TokenMap
from ragcli.chunk.units import word_end
from ragcli.records import Document


def fixed_cuts(document: Document, tokens: TokenMap, sizes: Sizes, overlap: int) -> list[Cut]:
    """Runs of ``sizes.wanted`` tokens, each begun ``overlap`` tokens before the end of the last, between words."""
    text = document.text
    pieces = outline(document)
    starts = [piece.span.start for piece in pieces]
    result: list[Cut] = []
    start = trimmed(text, 0, len(text)).start
    while start < len(text):
        path = pieces[max(0, bisect_right(starts, start) - 1)].path
        furthest = tokens.reach(start, len(text), sizes.limit(path))
        end = len(text) if furthest == len(text) else word_end(text, start, furthest, furthest)
        span = trimmed(text, start, end)
        if result and span.end <= result[-1].span.end:  # a longer prefix left no room beyond the overlap
            start = trimmed(text, result[-1].span.end, len(text)).start
            continue
        result.append(Cut(span, path))
        if not text[span.end :].strip():
            break
        start = _next_start(text, span.start, end, tokens, overlap)
    return result


def _next_start(text: str, start: int, end: int, tokens: TokenMap, overlap: int) -> int:
    """Where the next run begins: up to ``overlap`` tokens before ``end``, at white space, always after ``start``."""
    if overlap <= 0:
        return trimmed(text, end, len(text)).start
    wanted = max(tokens.back(end, overlap), start + 1)
    while wanted < end and not text[wanted - 1].isspace():
        wanted += 1
    return trimmed(text, wanted, len(text)).start
