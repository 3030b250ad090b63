"""A document as a flat list of pieces in reading order, each knowing its section: nothing visible is left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ragcli.records import Block, BlockKind, Document, Section, Span

_BLANK_LINES = re.compile(r"(?:[^\S\n]*\n)*")
_BLANK = re.compile(r"\s*")


@dataclass(frozen=True, slots=True)
class Piece:
    """A block without white space at its ends.

    ``section`` is the index of its innermost section, -1 before the first heading; ``path`` is that section's.
    """

    kind: BlockKind
    span: Span
    section: int
    path: tuple[str, ...]
    level: int | None = None


def outline(document: Document) -> list[Piece]:
    """The document's blocks as pieces; text that no block holds becomes a piece of its own."""
    blocks = _covering(document.text, document.blocks)
    return list(_placed(blocks, document.sections))


def trimmed(text: str, start: int, end: int, *, keep_indent: bool = False) -> Span:
    """The span without white space at its ends (blank lines only before it, with ``keep_indent``)."""
    match = (_BLANK_LINES if keep_indent else _BLANK).match(text, start, end)
    start = match.end() if match else start
    return Span(start, max(start, start + len(text[start:end].rstrip())))


def _covering(text: str, blocks: Sequence[Block]) -> list[Block]:
    """Blocks in order, trimmed, without overlaps, holding every visible character."""
    result: list[Block] = []
    position = 0
    end_mark = Block("other", Span(len(text), len(text)))
    for block in [*sorted(blocks, key=lambda item: item.span), end_mark]:
        start, end = max(block.span.start, position), min(block.span.end, len(text))
        if gap := trimmed(text, position, max(position, start)):
            start = _place_gap(text, result, gap, start if start < end else None)
        span = trimmed(text, start, max(start, end), keep_indent=block.kind == "code")
        if span:
            result.append(replace(block, span=span))
        position = max(position, block.span.end)
    return result


def _place_gap(text: str, result: list[Block], gap: Span, following: int | None) -> int:
    """Give a stretch outside all blocks to a block on its line, else make it a block; where the next one starts."""
    if following is not None and "\n" not in text[gap.start : following]:
        return gap.start
    if result and "\n" not in text[result[-1].span.end : gap.end]:
        result[-1] = replace(result[-1], span=Span(result[-1].span.start, gap.end))
    else:
        result.append(Block("other", gap, result[-1].page if result else None))
    return following if following is not None else gap.end


def _placed(blocks: Iterable[Block], sections: Sequence[Section]) -> Iterator[Piece]:
    order = sorted(range(len(sections)), key=lambda index: (sections[index].span.start, -sections[index].span.end))
    waiting = iter(order)
    upcoming = next(waiting, None)
    open_sections: list[int] = []
    for block in blocks:
        while upcoming is not None and sections[upcoming].span.start < block.span.end:
            open_sections.append(upcoming)
            upcoming = next(waiting, None)
        open_sections = [index for index in open_sections if sections[index].span.end > block.span.start]
        inner = open_sections[-1] if open_sections else -1
        path = sections[inner].heading_path if open_sections else ()
        yield Piece(block.kind, block.span, inner, path, block.level)
