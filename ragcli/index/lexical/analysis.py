"""Text to BM25 terms, the same way for chunks and for questions. Pure.

Words are normalised (NFKC, case and accent folding), stemmed by language, and cut from identifiers so that
``E-4012``, ``X200-B``, ``snake_case``, ``v1.2.3`` and paths are found whole, joined and in parts. Scripts without
spaces (Han, kana, Hangul, Thai, Lao, Khmer, Burmese) become uni- and bigrams. Combining marks stay in words: Python's
``\\w`` alone would cut Hindi words at their vowel signs.
"""

from __future__ import annotations

import functools
import itertools
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from ragcli.language.patterns import pattern
from ragcli.language.scripts import HANGUL, UNSPACED, marks
from ragcli.language.stems import stemmer

VERSION = "3"
"""Of these rules and of the BM25 fields. Part of every manifest: an index made under other ones is built anew."""

MAX_TERM = 256
_UNKNOWN = "en"
_GRAMS = UNSPACED + HANGUL
_JOINT = r"(?:[-./\\:@+#'’\u2010\u2011]{1,3}|(?<=\d),(?=\d))"
_WORD = pattern(lambda: rf"[\w{marks()}]+(?:{_JOINT}[\w{marks()}]+)*(?:(?<=\b\w)[+#]{{1,2}})?")
_RUN = pattern(lambda: rf"([{_GRAMS}][{_GRAMS}{marks()}]*)")
_CLUSTER = pattern(lambda: rf"(?s).[{marks()}]*")
_PART = pattern(lambda: rf"(?:[^\W_]|[{marks()}])+")
_HUMP = pattern(r"[A-Z]{2,}(?=[A-Z][a-z])|[A-Z]?[a-z]{2,}|[A-Z]{2,}|\d+")
_LETTERS_OR_DIGITS = pattern(r"[^\W\d_]{2,}|\d+")
_ELISION = pattern(r"(?i)^[a-z]{1,4}['’](?=\w{2})")
_POSSESSIVE = pattern(r"(?i)['’]s?$|['’](?:s)(?=\W)")
_GROUPED_NUMBER = pattern(r"\d{1,3}(?:[.,'’]\d{3})+")
# Default ignorables: invisible, and typed by nobody who searches. Zero-width space separates words where it is used.
_INVISIBLE = dict.fromkeys((173, 847, 1564, 8204, 8205, 8288, 65279, *range(8206, 8208)))
_INVISIBLE |= {0x640: None, 0x200B: " "}
_LETTER_FOLDS = str.maketrans({"ø": "o", "đ": "d", "ł": "l", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ı": "i"})
_VOWEL_POINTS = dict.fromkeys((*range(1611, 1619), 1648, *range(1425, 1480)))


def terms(text: str, language: str | None) -> list[str]:
    """The terms of ``text`` in reading order, repeats kept; no term holds white space or is longer than MAX_TERM.

    ``language`` is an ISO 639-1 code (a region is ignored); None stems as English, a language without a stemmer
    is not stemmed.
    """
    code = base_language(language)
    found: list[str] = []
    plain = _normalise(text)
    for place, piece in enumerate([plain] if plain.isascii() else _RUN.split(plain)):
        if place % 2:
            found.extend(_grams(piece))
        else:
            for word in _WORD.findall(piece):
                found.extend(_word_terms(word, code))
    return found


def query_terms(text: str, languages: Iterable[str]) -> dict[str, int]:
    """The terms of a question as each language of the index would have them, with how often it says each."""
    counts: dict[str, int] = {}
    for language in sorted(set(languages)) or [_UNKNOWN]:
        own: dict[str, int] = {}
        for term in terms(text, language):
            own[term] = own.get(term, 0) + 1
        for term, count in own.items():
            counts[term] = max(counts.get(term, 0), count)
    return counts


def plain_words(text: str) -> list[str]:
    """Words normalised but not stemmed, for stop-word lists."""
    return [_fold(word.casefold()) for word in _WORD.findall(_normalise(text))]


def base_language(language: str | None) -> str:
    """The language whose stemmer is used: ``de`` for ``de-AT``, ``en`` when it is not known."""
    return language.strip().lower().replace("_", "-").partition("-")[0] if language and language.strip() else _UNKNOWN


def _normalise(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFKC", text).translate(_INVISIBLE)


def _grams(run: str) -> Iterator[str]:
    units = _CLUSTER.findall(run)
    yield from units
    yield from map("".join, itertools.pairwise(units))


@functools.lru_cache(maxsize=1 << 18)
def _word_terms(word: str, language: str) -> tuple[str, ...]:
    """Every term of one word or identifier: plain words give one, identifiers several."""
    word = _POSSESSIVE.sub("", _ELISION.sub("", word))
    parts = _PART.findall(word)
    if len(parts) == 1 and len(parts[0]) == len(word):
        found = _part_terms(word, language)
    else:
        found = _compound_terms(word, parts, language)
    return tuple(dict.fromkeys(term[:MAX_TERM] for term in found if term))


def _part_terms(part: str, language: str) -> list[str]:
    """A run of letters and digits: stemmed when it is all letters, with its humps or letter and digit runs."""
    found = _stems(part.casefold(), language)
    pieces = _HUMP.findall(part) if part.isascii() else []
    if len(pieces) < 2 or sum(map(len, pieces)) != len(part):
        pieces = [] if part.isalpha() or part.isdigit() else _LETTERS_OR_DIGITS.findall(part)
    if len(pieces) > 1:
        found += [stem for piece in pieces for stem in _stems(piece.casefold(), language)]
    return found


def _compound_terms(word: str, parts: Sequence[str], language: str) -> list[str]:
    """Parts joined by ``-``, ``_``, ``.``, ``/`` …: whole, in parts, and written together."""
    folded = _fold(word.casefold())
    joined = "".join(parts)
    if _GROUPED_NUMBER.fullmatch(word):
        return [folded, joined]
    if all(part.isalpha() for part in parts) and set(word) - set(joined) <= set("-'’\u2010\u2011"):
        return [
            *_stems(joined.casefold(), language),
            *(stem for part in parts for stem in _stems(part.casefold(), language)),
        ]
    found = [folded]
    if folded[:1] == "v" and folded[1:2].isdigit():
        found.append(folded[1:])
    if len(joined) <= 40:
        found.append(_fold(joined.casefold()))
    return found + [term for part in parts for term in _part_terms(part, language)]


def _stems(word: str, language: str) -> list[str]:
    """The stem, folded, and where folding first gives another one (``café`` typed as ``cafe``), that one too."""
    folded = _fold(word)
    if any(character.isdigit() for character in word):
        return [folded]
    snowball = stemmer(language)
    if snowball is None:
        return [folded]
    stem = _fold(snowball.stemWord(word))
    other = stem if folded == word else snowball.stemWord(folded)
    return [stem] if stem == other else [stem, other]


def _fold(word: str) -> str:
    """Without the accents of Latin and Greek letters and without vowel points; other scripts keep their marks."""
    if word.isascii():
        return word
    kept: list[str] = []
    base = ""
    for character in unicodedata.normalize("NFD", word.translate(_VOWEL_POINTS).replace("ё", "е")):
        if unicodedata.combining(character) and _is_european(base):
            continue
        base = base if unicodedata.combining(character) else character
        kept.append(character)
    return unicodedata.normalize("NFC", "".join(kept)).translate(_LETTER_FOLDS)


def _is_european(character: str) -> bool:
    return character < "\u0400" or "\u1e00" <= character < "\u2000"
