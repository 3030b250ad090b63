"""How many tokens any part of a document has, after tokenizing it once."""

from __future__ import annotations

from bisect import bisect_left

from ragcli.interfaces import Tokenizer

CHARACTERS_PER_TOKEN = 16
"""Text denser than this in its tokens is not language (one unknown token may stand for a megabyte of base64): its
size is taken from its characters instead."""

SPECIAL_TOKENS = 2
"""Tokens a sentence model adds around a text (one before, one after)."""


class TokenMap:
    """Token positions of one text; sizes of its parts without tokenizing them again.

    A part cut at white space has the same tokens as it has inside the whole; a part cut elsewhere may differ by a
    few, so what must hold exactly (the window) is counted again on the part itself.
    """

    def __init__(self, text: str, tokenizer: Tokenizer) -> None:
        self._starts = [start for start, end in tokenizer.offsets(text) if end > start]

    def before(self, position: int) -> int:
        """Number of tokens that begin before ``position``."""
        return bisect_left(self._starts, position)

    def size(self, start: int, end: int) -> int:
        """Tokens of the characters from ``start`` to ``end``."""
        return max(self.before(end) - self.before(start), self.least(start, end))

    @staticmethod
    def least(start: int, end: int) -> int:
        """The fewest tokens that so many characters count as."""
        return (end - start) // CHARACTERS_PER_TOKEN

    def reach(self, start: int, end: int, budget: int) -> int:
        """The furthest position up to ``end`` such that ``size(start, position)`` is at most ``budget``."""
        last = self.before(start) + budget
        position = self._starts[last] if last < len(self._starts) else end
        return min(position, end, start + budget * CHARACTERS_PER_TOKEN + CHARACTERS_PER_TOKEN - 1)

    def back(self, end: int, count: int) -> int:
        """The position where the last ``count`` tokens before ``end`` begin, or 0."""
        first = self.before(end) - count
        position = self._starts[first] if first >= 0 and self._starts else 0
        return max(position, end - count * CHARACTERS_PER_TOKEN)
