"""Which lines of a PDF are headings, and how deep: type, outline, list of contents and numbering, checked against
each other. Pure.

Type alone misleads: what a cover sets large stands over nothing, and a form's ticked line is no heading. So the names
of divisions (``Part I``, ``Item 1A``, ``Note 5``, ``3.2``) decide among themselves, the document's own outline decides
before them, and type decides where neither says anything.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ragcli.parse.pdf.blocks import TextBlock, key_of
from ragcli.parse.pdf.numbering import RANKS, division_of, number_depth

_TICK = re.compile(r"^(?:[□■✓✔✗]|[xo]\s(?=[A-Z]{2}))|[☐☑☒]|^\((?i:mark one)")
_NO_HEADING = re.compile(r"^(?:[•‣◦▪●○■□◆➢➤✓✔\uf0b7\uf0a7]|by:|/s/|\$|\W*$)|/s/|\.{4,}|_{4,}", re.I)
_FORM = re.compile(r"^(?:form|schedule)\s+[\dA-Z][\w-]*(?:/A)?$", re.I)
_CONTINUED = re.compile(r"\W*\b(?:continued|fortsetzung|suite)\b[\W\d]*$", re.I)
_LEAST_NUMBERED = 4
_LEAST_DIVISIONS = 3  # of a kind, for a document to be divided by it
_RUNNING_PAGES = 3  # that begin with the same heading
_COVER_WORDS = 150
_COVER_LINE = 70  # characters: running text has longer lines
_DEEPEST = 6


def is_cover(lines: Sequence[str], pages: int) -> bool:
    """Whether a first page is a form's or a title page: what it sets large stands over nothing but itself."""
    if pages < 3:
        return False
    ticked = any(_TICK.search(line) for line in lines)
    named = any(_FORM.match(line.strip()) for line in lines)
    few = sum(len(line.split()) for line in lines) < _COVER_WORDS and max(map(len, lines), default=0) < _COVER_LINE
    return (ticked and named) or few


def settled(blocks: Sequence[TextBlock], outline: Mapping[int, Mapping[str, int]], *, cover: bool) -> list[TextBlock]:
    """The blocks with headings that are none made paragraphs, and with levels that agree.

    ``outline`` maps pages to titles of bookmarks and their levels; ``cover`` says that page 1 is one.
    """
    running = _running(blocks)
    seen: set[str] = set()
    kept: list[TextBlock] = []
    for block in blocks:
        if block.kind == "heading":
            key = _plain(block.text)
            is_none = _NO_HEADING.search(block.text) or _TICK.search(block.text) or len(key) < 2
            again = key in running and key in seen and not division_of(block.text)
            if is_none or again:
                block = replace(block, kind="paragraph", level=None)
            seen.add(key)
        kept.append(block)
    if cover:
        kept = _without_cover(kept)
    stated = {key for titles in outline.values() for key in titles}
    if sum(block.kind == "heading" and key_of(block.text) in stated for block in kept) >= 3:
        return _by_outline(kept, outline)
    return _by_divisions(kept)


def _plain(text: str) -> str:
    return key_of(_CONTINUED.sub("", text))


def _running(blocks: Sequence[TextBlock]) -> set[str]:
    """Headings with which several pages begin: they name the part of the document that goes on."""
    firsts: Counter[str] = Counter()
    page = 0
    for block in blocks:
        if block.page != page and block.kind == "heading":
            firsts[_plain(block.text)] += 1
        page = block.page
    return {key for key, count in firsts.items() if count >= _RUNNING_PAGES}


def _without_cover(blocks: Sequence[TextBlock]) -> list[TextBlock]:
    """The largest heading of a cover stays, over all that follows; a form's is none."""
    headings = [block for block in blocks if block.page == 1 and block.kind == "heading"]
    form = any(_FORM.match(block.text) or _TICK.search(block.text) for block in blocks if block.page == 1)
    best = min(headings, key=lambda block: block.level or _DEEPEST, default=None)
    kept = None if form else best
    return [
        replace(block, kind="paragraph", level=None)
        if block.page == 1 and block.kind == "heading" and block is not kept
        else block
        for block in blocks
    ]


def _by_outline(blocks: Iterable[TextBlock], outline: Mapping[int, Mapping[str, int]]) -> list[TextBlock]:
    """Headings that bookmarks name at their levels, others under the one before them."""
    result: list[TextBlock] = []
    over, types = 0, _Types()
    for block in blocks:
        if block.kind == "heading":
            level = outline.get(block.page, {}).get(key_of(block.text))
            if level is not None:
                over, types = level, _Types()
            else:
                level = over + types.depth(block.level or 1)
            block = replace(block, level=min(_DEEPEST, max(1, level)))
        result.append(block)
    return result


def _by_divisions(blocks: Sequence[TextBlock]) -> list[TextBlock]:
    """Headings by the divisions that the document is made of; by type alone where it is made of none.

    What begins a page after the last division, in no smaller type than that, stands beside the divisions: annexes.
    """
    headings = [block for block in blocks if block.kind == "heading"]
    kinds = Counter(kind for block in headings if (kind := division_of(block.text)))
    used = {kind for kind in RANKS if kinds[kind] >= _LEAST_DIVISIONS}
    if not used:
        numbered = sum(number_depth(block.text) > 0 for block in headings)
        return _by_numbers(blocks) if numbered >= _LEAST_NUMBERED else list(blocks)
    used |= {"part"} & set(kinds)
    last = [block for block in headings if division_of(block.text) in used][-1]
    result: list[TextBlock] = []
    over, types, page, ended = 0, _Types(), 0, False
    for block in blocks:
        if block.kind == "heading":
            kind = division_of(block.text)
            if ended and block.page != page and (block.level or 1) <= (last.level or 1):
                over, types = 0, _Types()
            level = types.depth(block.level or 1)
            if kind in used:
                over, types, level = 1 + sum(RANKS[other] < RANKS[kind] for other in used), _Types(), 0
            ended = ended or block is last
            result.append(replace(block, level=min(_DEEPEST, max(1, over + level))))
        else:
            result.append(block)
        page = block.page
    return result


def _by_numbers(blocks: Sequence[TextBlock]) -> list[TextBlock]:
    """Numbered headings as deep as their numbers, from the level that the highest of them has by its type."""
    depths = [number_depth(block.text) if block.kind == "heading" else 0 for block in blocks]
    top = min((block.level or 1 for block, depth in zip(blocks, depths, strict=True) if depth), default=1)
    return [
        replace(block, level=min(_DEEPEST, top + depth - 1)) if depth else block
        for block, depth in zip(blocks, depths, strict=True)
    ]


class _Types:
    """Depths of headings by their types under one division: a larger type is less deep, whatever its level."""

    def __init__(self) -> None:
        self._open: list[int] = []

    def depth(self, level: int) -> int:
        """1 for the outermost type in use; smaller ones nest under larger ones met before them."""
        while self._open and self._open[-1] >= level:
            self._open.pop()
        self._open.append(level)
        return len(self._open)
