"""Where a quote stands in a text: every place of it, typography apart."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from ragcli import quotes
from ragcli.records import Span

_TOKEN = re.compile(r"\S+")
_ANCHOR_WORDS = 6


def locate(quote: str, text: str, *, loosely: bool = True) -> list[Span]:
    """Every place of ``quote`` in ``text``, in order; any white space matches any other, case is ignored.

    A quote that stands nowhere so is looked for once more, unless ``loosely`` is False, in spite of hyphenation,
    ligatures, quotation marks and light markup; then its first place is given.
    """
    words = unicodedata.normalize("NFC", quote).split()
    if not words:
        return []
    found = list(_places(words, text))
    if found or not loosely:
        return found
    loose = quotes.locate(quote, text)
    return [loose] if loose is not None else []


def _places(words: Sequence[str], text: str) -> Iterator[Span]:
    """Places that do not overlap. The first words find candidates, the rest is compared one by one: compiling a
    whole paragraph as one pattern costs more than the search."""
    anchor, rest = words[:_ANCHOR_WORDS], [word.casefold() for word in words[_ANCHOR_WORDS:]]
    pattern = re.compile(r"\s+".join(re.escape(word) for word in anchor), re.IGNORECASE)
    reached = 0
    for match in pattern.finditer(text):
        end = _end(match.end(), rest, text)
        if end is not None and match.start() >= reached:
            reached = end
            yield Span(match.start(), end)


def _end(start: int, words: Sequence[str], text: str) -> int | None:
    """Where the words end that must follow white space at ``start``; None when others stand there."""
    end = start
    for place, word in enumerate(words):
        match = _TOKEN.search(text, end)
        if match is None or match.start() == end:
            return None
        said = match.group().casefold()
        last = place == len(words) - 1
        if said != word and not (last and said.startswith(word)):
            return None
        end = match.end() if said == word else match.start() + _length_of(word, match.group())
    return end


def _length_of(folded: str, token: str) -> int:
    """How many characters of ``token`` fold to ``folded``."""
    return next((n for n in range(1, len(token) + 1) if token[:n].casefold() == folded), len(token))
