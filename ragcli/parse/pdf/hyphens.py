"""Hyphens at line ends: which belong to the word and which only to the line. Pure.

The document's own words decide first: a word that it writes whole elsewhere is whole here, one that it writes with its
hyphen keeps it. Where it writes neither, the hyphenation patterns of its language say whether a line may be broken
there (Liang 1983, through pyphen): if not, the hyphen is real; if so, the word is made whole and its other form told,
so that both are found.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ragcli.language.words import is_function_word

_SOFT = "\u00ad"
_LAST = re.compile(r"(\w+(?:[-\u2010]\w+)*)[-\u2010]$")
_FIRST = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_OPTION = re.compile(r"(?:^|\s)--?[a-z]")
_DASH = re.compile(r"\w - \w")
_PREFIXES = ("well", "self")
_PARTICLES = ("over", "under", "with", "some", "every")
"""First halves of words that are written together."""
_JOINED_LANGUAGES = ("de", "nl", "sv", "da", "nb", "no", "fi", "is", "et", "hu")
"""Languages that write compounds together: two words of the document make no hyphen."""
_LEAST_HALF = 4  # letters
_SHORT = 7  # letters: a compound is longer
_UNKNOWN = "en_US"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What a document writes where no line ends: its words in lower case, compounds with their hyphens.

    ``options`` says that it writes ``-x`` as commands do and no spaced hyphens; ``language`` is a code, None unknown.
    """

    words: frozenset[str] = frozenset()
    options: bool = False
    language: str | None = None


def ends_in_hyphen(line: str) -> bool:
    """Whether a line ends in a hyphen of any kind."""
    return line.rstrip().endswith(("-", "\u2010", _SOFT))


def vocabulary_of(lines: Iterable[str], language: str | None) -> Vocabulary:
    """The vocabulary of a document's lines, in order; halves of words at line ends are not in it."""
    words: set[str] = set()
    options = dashes = False
    broken = False
    for line in lines:
        own = _WORD.findall(line)
        ends = ends_in_hyphen(line)
        words.update(word.lower() for word in own[1 if broken else 0 : len(own) - 1 if ends else len(own)])
        options = options or bool(_OPTION.search(line))
        dashes = dashes or bool(_DASH.search(line))
        broken = ends
    return Vocabulary(frozenset(words), options and not dashes, language)


@dataclass(frozen=True, slots=True)
class Joint:
    """How a row goes on: ``text`` so far without or with its hyphen, ``blank`` between, and another form in doubt."""

    text: str
    blank: bool
    alias: str = ""


def joint(text: str, row: str, vocabulary: Vocabulary) -> Joint:
    """What becomes of the end of ``text`` before ``row``."""
    if text.endswith(_SOFT):
        return Joint(text.rstrip(_SOFT), False)
    if text[-1:] not in "-\u2010":
        ranges = text[-1:] == "\u2013" and text[-2:-1].isdigit() and row[:1].isdigit()
        return Joint(text, not ranges)
    match = _LAST.search(text, max(0, len(text) - 80))
    if match is None:
        return Joint(text, not (vocabulary.options and text.endswith(" -") and row[:1].isalpha()))
    first = _FIRST.match(row)
    if first is None:
        return Joint(text, not row[:1].isdigit())
    if not first[0][0].islower():
        known = (match[1] + first[0]).lower() in vocabulary.words or match[1] == "Mc"
        return Joint(text[:-1] if known else text, False)
    return _between_letters(text, match[1], first[0], row[first.end() : first.end() + 1], vocabulary)


def _between_letters(text: str, left: str, right: str, after: str, vocabulary: Vocabulary) -> Joint:
    last = re.split(r"[-\u2010]", left)[-1]
    whole, compound = (last + right).lower(), f"{last}-{right}".lower()
    if last != left or len(last) == 1 or not last.isalpha() or after in ("-", "\u2010"):
        return Joint(text, False)
    if whole in vocabulary.words:
        return Joint(text[:-1], False)
    if compound in vocabulary.words:
        return Joint(text, False)
    if is_function_word(right.lower()):
        return Joint(text, True)  # "pre- and postwar"
    if last.lower() in _PREFIXES or _are_words(last.lower(), right.lower(), vocabulary):
        return Joint(text, False)
    if len(whole) <= _SHORT or _may_break(whole, len(last), vocabulary.language):
        return Joint(text[:-1], False, compound)
    return Joint(text, False)


def _are_words(left: str, right: str, vocabulary: Vocabulary) -> bool:
    if (vocabulary.language or "")[:2] in _JOINED_LANGUAGES or min(len(left), len(right)) < _LEAST_HALF:
        return False
    if left in _PARTICLES:
        return False
    return left in vocabulary.words and right in vocabulary.words


def _may_break(word: str, place: int, language: str | None) -> bool:
    """Whether a line may end in a word after so many letters; true where nothing is known of the language."""
    patterns = _patterns(language)
    return patterns is None or place in patterns.positions(word)


@functools.cache
def _patterns(language: str | None) -> Any:
    """The hyphenation patterns of a language, None where there are none."""
    import pyphen

    name = pyphen.language_fallback(language) if language and language != "en" else _UNKNOWN
    return pyphen.Pyphen(lang=name) if name else None
