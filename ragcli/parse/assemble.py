"""Builds a document's text and its blocks together, so that every span is right by construction."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from ragcli.records import Block, BlockKind, Section, Span

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ufeff\ufffe\uffff]")
_LINE_END = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_BLANK = re.compile(r"[^\S\n]+")


def clean(text: str) -> str:
    """NFC with ``\\n`` line ends and without control characters; a lone surrogate becomes U+FFFD."""
    text = _CONTROL.sub("", _LINE_END.sub("\n", text))
    if not text.isascii():
        text = unicodedata.normalize("NFC", text.encode("utf-8", "replace").decode() if _broken(text) else text)
    return text


def _broken(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def squeeze(text: str) -> str:
    """``clean`` text with runs of blanks made one and each line trimmed: for formats that do not keep layout."""
    lines = (_BLANK.sub(" ", line).strip() for line in clean(text).split("\n"))
    return "\n".join(line for line in lines if line)


def one_line(text: str) -> str:
    """``clean`` text with all white space runs made one blank."""
    return " ".join(clean(text).split())


class Assembly:
    """Collects blocks in reading order; ``text`` and ``blocks`` are the result.

    Blocks stand apart by an empty line, neighbouring list items by a line end.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []

    def add(self, kind: BlockKind, text: str, *, page: int | None = None, level: int | None = None) -> None:
        """Append a block; text without a visible character is left out. ``text`` must be clean."""
        text = text.strip("\n").rstrip()
        if not text.strip():
            return
        if self._blocks:
            joint = "\n" if kind == "list_item" and self._blocks[-1].kind == "list_item" else "\n\n"
            self._parts.append(joint)
            self._length += len(joint)
        start = self._length
        self._parts.append(text)
        self._length += len(text)
        self._blocks.append(Block(kind, Span(start, self._length), page, level))

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._parts)

    @property
    def last(self) -> Block | None:
        """The block added last."""
        return self._blocks[-1] if self._blocks else None

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks so far."""
        return tuple(self._blocks)


def cover(text: str, blocks: Iterable[Block]) -> tuple[Block, ...]:
    """The blocks in order, with an ``other`` block over every stretch of visible text that none of them holds."""
    result: list[Block] = []
    position = 0
    for block in [*sorted(blocks, key=lambda item: item.span), Block("other", Span(len(text), len(text)))]:
        gap = text[position : block.span.start]
        if gap.strip():
            start = position + len(gap) - len(gap.lstrip())
            result.append(Block("other", Span(start, position + len(gap.rstrip())), block.page))
        if len(block.span):
            result.append(block)
        position = block.span.end
    return tuple(result)


def sections_of(text: str, blocks: Iterable[Block], titles: Iterable[str] | None = None) -> tuple[Section, ...]:
    """A section for every heading block, up to the next heading of its level or above.

    ``titles`` are the clean titles of the heading blocks, in order; without them a block's own text is its title.
    """
    headings = [block for block in blocks if block.kind == "heading"]
    named = [one_line(title) for title in (titles if titles is not None else (b.span.of(text) for b in headings))]
    result: list[Section] = []
    path: list[tuple[int, str]] = []
    ends = _section_ends(headings, len(text))
    for block, title, end in zip(headings, named, ends, strict=True):
        level = block.level or 1
        path = [*(item for item in path if item[0] < level), (level, title)]
        result.append(Section(tuple(name for _, name in path), Span(block.span.start, end), level))
    return tuple(result)


def _section_ends(headings: Sequence[Block], length: int) -> list[int]:
    """For each heading where the next of its level or above begins, else ``length``; each is looked at once."""
    ends = [length] * len(headings)
    open_ones: list[int] = []
    for position, block in enumerate(headings):
        while open_ones and (headings[open_ones[-1]].level or 1) >= (block.level or 1):
            ends[open_ones.pop()] = block.span.start
        open_ones.append(position)
    return ends
