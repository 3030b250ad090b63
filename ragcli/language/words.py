"""Words of a sentence as the checks compare them: folded, stemmed, function words told apart.

Scripts that write no spaces are compared by pairs of neighbouring characters. The lists are small on purpose: a
missing stop word costs a little precision, a wrong one hides a difference.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from ragcli.language.lexicon import listed
from ragcli.language.patterns import pattern
from ragcli.language.scripts import UNSPACED, marks
from ragcli.language.stems import stem

LETTERS = pattern(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
"""A word of letters alone, with the apostrophes and hyphens inside it."""
_WORD = pattern(lambda: rf"(?:[^\W_]|[{marks()}])+(?:['\u2019_.\-/@:](?:[^\W_]|[{marks()}])+)*")
_UNSPACED = pattern(f"[{UNSPACED}]")
_RUN = pattern(r"[0-9A-Za-z]+|[^0-9A-Za-z]+")


@dataclass(frozen=True, slots=True)
class Word:
    """One word in place: ``folded`` for comparison, ``stem`` for comparison across inflections."""

    text: str
    folded: str
    stem: str
    start: int
    end: int

    @property
    def is_content(self) -> bool:
        """Whether it carries meaning of its own."""
        return not is_function_word(self.folded) and not is_function_word(self.stem)

    @property
    def is_negator(self) -> bool:
        """Whether it turns a statement round."""
        return self.folded in listed("negators") or self.folded.endswith(("n't", "n\u2019t"))


def is_function_word(folded: str) -> bool:
    """Whether a word in lower case carries no meaning of its own, in any language there is a lexicon of."""
    return folded in listed("function_words")


def words(text: str) -> list[Word]:
    """Every word of ``text`` in order."""
    return list(_words(text))


def content_stems(text: str) -> set[str]:
    """Stems of the words of ``text`` that carry meaning."""
    return {word.stem for word in _words(text) if word.is_content}


def _words(text: str) -> Iterator[Word]:
    for match in _WORD.finditer(text):
        token = match.group()
        if not token.isascii() and _UNSPACED.search(token):
            yield from _pairs(token, match.start())
        else:
            folded = fold(token)
            yield Word(token, folded, stem(folded), match.start(), match.end())


def fold(word: str) -> str:
    """A word in the form in which it is compared: compatibility forms unfolded, lower case, without a possessive."""
    return unicodedata.normalize("NFKC", word).casefold().replace("\u2019", "'").removesuffix("'s")


def _pairs(token: str, offset: int) -> Iterator[Word]:
    """Runs of letters and digits whole, everything else by overlapping pairs of characters."""
    for run in _RUN.finditer(token):
        text, start = run.group(), offset + run.start()
        if text[0].isascii() or len(text) == 1:
            yield Word(text, text.casefold(), text.casefold(), start, start + len(text))
            continue
        for index in range(len(text) - 1):
            pair = text[index : index + 2]
            yield Word(pair, pair, pair, start + index, start + index + 2)
