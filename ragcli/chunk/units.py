"""Pieces cut into units, the smallest parts a chunk is put together from.

A piece that fits is one unit. One that does not is cut by what it is: a table between rows, code at blank lines and
then lines, prose at sentences, and anything that still does not fit between words. Each unit carries the price of a
cut before it, which the packing adds up, and what a chunk that begins with it must repeat to be understood.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from ragcli.chunk.outline import trimmed
from ragcli.chunk.tokens import TokenMap
from ragcli.language.scripts import JOINERS, is_unspaced
from ragcli.language.sentences import sentence_spans
from ragcli.records import BlockKind, Span

GLUED = 100.0
"""Price of a cut that leaves a heading without its text: paid only when nothing else is possible."""

PROSE: tuple[BlockKind, ...] = ("paragraph", "list_item", "quote", "other")

# Scripts without spaces between words: a cut between two of their characters is not inside a word.
_JOINERS = frozenset(JOINERS + "".join(map(chr, range(0x1F3FB, 0x1F400))))
_LOOK_BACK = 400


@dataclass(frozen=True, slots=True)
class Unit:
    """``joint`` is the price of a cut before it, ``lead`` what to repeat there; ``piece`` is its piece's index."""

    span: Span
    kind: BlockKind
    piece: int
    joint: float
    lead: str = ""
    lead_size: int = 0


def cut_piece(
    text: str, span: Span, kind: BlockKind, tokens: TokenMap, budget: int, language: str | None
) -> list[Span]:
    """The parts of one piece, each of at most ``budget`` tokens (a single word may have more characters than fit)."""
    if tokens.size(span.start, span.end) <= budget:
        return [span]
    if kind == "table":
        parts = [line for line in lines(text, span) if line]
    elif kind == "code":
        parts = list(_code_parts(text, span, tokens, budget))
    else:
        parts = [Span(span.start + s.start, span.start + s.end) for s in sentence_spans(span.of(text), language)]
    result: list[Span] = []
    for part in parts:
        if tokens.size(part.start, part.end) <= budget:
            result.append(part)
        elif kind in ("table", "code") or len(parts) == 1:
            result += cut_between_words(text, part, tokens, budget)
        else:
            result += _cut_wrapped(text, part, tokens, budget)
    return result


def lines(text: str, span: Span) -> Iterator[Span]:
    """Lines of the span, each without white space at its ends (indentation is kept)."""
    position = span.start
    while position < span.end:
        end = text.find("\n", position, span.end)
        end = span.end if end < 0 else end
        yield Span(position, position + len(text[position:end].rstrip()))
        position = end + 1


def _code_parts(text: str, span: Span, tokens: TokenMap, budget: int) -> Iterator[Span]:
    """Runs of lines between blank lines; single lines of a run that does not fit."""
    run: list[Span] = []
    for line in [*lines(text, span), Span(span.end, span.end)]:
        if line:
            run.append(line)
        elif run:
            whole = Span(run[0].start, run[-1].end)
            if tokens.size(whole.start, whole.end) <= budget:
                yield whole
            else:
                yield from run
            run = []
    if run:
        yield from run


def _cut_wrapped(text: str, part: Span, tokens: TokenMap, budget: int) -> list[Span]:
    """A sentence too long for a chunk: by its lines when they are its structure (verse, logs, addresses)."""
    rows = [line for line in lines(text, part) if line]
    if len(rows) < 2 or any(tokens.size(row.start, row.end) > budget for row in rows):
        return cut_between_words(text, part, tokens, budget)
    return rows


def cut_between_words(text: str, span: Span, tokens: TokenMap, budget: int) -> list[Span]:
    """Parts of about equal size, cut at white space where there is any, else between characters that are no word."""
    result: list[Span] = []
    start = span.start
    while start < span.end:
        left = tokens.size(start, span.end)
        if left <= budget:
            result.append(Span(start, span.end))
            break
        share = -(-left // -(-left // budget))
        cut = word_end(text, start, tokens.reach(start, span.end, share), tokens.reach(start, span.end, budget))
        part = trimmed(text, start, cut)
        if part:
            result.append(part)
        start = trimmed(text, cut, span.end).start
    return result


def word_end(text: str, start: int, wanted: int, furthest: int) -> int:
    """A cut near ``wanted`` and not after ``furthest``: at white space, else where no word is, else anywhere.

    One that leaves less than half of what was wanted is taken only when there is no other.
    """
    for least in (start + (wanted - start) // 2, start):
        for allowed in (_at_space, _outside_word):
            for end in (wanted, furthest):
                for position in range(end, max(least, end - _LOOK_BACK), -1):
                    if allowed(text, position):
                        return position
    position = max(furthest, start + 1)
    while position > start + 1 and _extends(text, position):
        position -= 1
    return position


def _at_space(text: str, position: int) -> bool:
    return position >= len(text) or text[position].isspace() or text[position - 1].isspace()


def _outside_word(text: str, position: int) -> bool:
    return not inside_word(text, position)


def inside_word(text: str, position: int) -> bool:
    """Whether a cut at ``position`` would part two characters of one word (or a letter and its marks)."""
    if position <= 0 or position >= len(text):
        return False
    if _extends(text, position):
        return True
    left, right = text[position - 1], text[position]
    if is_unspaced(left) or is_unspaced(right):
        return False
    return _is_word(left) and _is_word(right)


def _extends(text: str, position: int) -> bool:
    """Whether the character at ``position`` only modifies or is joined to the one before it."""
    right, left = text[position : position + 1], text[position - 1]
    return (not right.isascii() and (unicodedata.category(right)[0] == "M" or right in _JOINERS)) or left == "\u200d"


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_" or unicodedata.category(character)[0] == "M"
