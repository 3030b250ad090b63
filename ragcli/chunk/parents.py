"""Parent-child chunking: what the generator reads around a small chunk that was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from ragcli.chunk.outline import trimmed
from ragcli.chunk.tokens import TokenMap
from ragcli.records import Chunk, Document, Span


def with_parents(
    document: Document, chunks: Sequence[Chunk], tokens: TokenMap, mode: Literal["section", "neighbours"], limit: int
) -> tuple[Chunk, ...]:
    """The chunks, each with the span to send in its place, of at most ``limit`` tokens.

    ``section``: the widest section around the chunk that fits, or as many whole chunks around it as fit within its
    innermost section; without sections the document takes their place. ``neighbours``: the chunk before and the one
    after, as far as they fit. None where nothing is gained.
    """
    result: list[Chunk] = []
    around = _enclosing(document, chunks) if mode == "section" else []
    for index, chunk in enumerate(chunks):
        if mode == "section":
            parent = _section(chunks, index, tokens, limit, around[index])
        else:
            parent = _grown(chunks, index, tokens, limit, max(0, index - 1), min(len(chunks), index + 2))
        result.append(replace(chunk, parent=parent if parent != chunk.span else None))
    return tuple(result)


def _section(chunks: Sequence[Chunk], index: int, tokens: TokenMap, limit: int, around: Sequence[Span]) -> Span:
    for span in around:
        if tokens.size(span.start, span.end) <= limit:
            return span
    inner = around[-1]
    first, last = index, index + 1
    while first and chunks[first - 1].span.start >= inner.start and index - first < limit:
        first -= 1
    while last < len(chunks) and chunks[last].span.end <= inner.end and last - index < limit:
        last += 1
    return _grown(chunks, index, tokens, limit, first, last)


def _enclosing(document: Document, chunks: Sequence[Chunk]) -> list[list[Span]]:
    """For each chunk what holds all of it, outermost first: the document, then sections."""
    whole = trimmed(document.text, 0, len(document.text))
    waiting = sorted((s.span for s in document.sections), key=lambda span: (-span.start, span.end))
    opened: list[Span] = []
    result: list[list[Span]] = []
    for chunk in chunks:
        while waiting and waiting[-1].start <= chunk.span.start:
            opened.append(waiting.pop())
        opened = [span for span in opened if span.end > chunk.span.start]
        holding = [trimmed(document.text, s.start, s.end) for s in opened if s.end >= chunk.span.end]
        result.append([whole, *holding])
    return result


def _grown(chunks: Sequence[Chunk], index: int, tokens: TokenMap, limit: int, first: int, last: int) -> Span:
    """The chunk widened by whole chunks of ``first`` to ``last`` (excluded), one after and one before in turn."""
    start, end = chunks[index].span.start, chunks[index].span.end
    before, after = index - 1, index + 1
    growing = True
    while growing:
        growing = False
        if after < last and tokens.size(start, chunks[after].span.end) <= limit:
            end, after, growing = chunks[after].span.end, after + 1, True
        if before >= first and tokens.size(chunks[before].span.start, end) <= limit:
            start, before, growing = chunks[before].span.start, before - 1, True
    return Span(start, end)
