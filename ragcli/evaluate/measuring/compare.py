"""Comparing an answer with accepted texts; pure.

``exact_match`` and ``token_f1`` follow SQuAD's evaluation (Rajpurkar et al., 2016): lower case, punctuation and English
articles removed, white space collapsed; beyond it, compatibility forms are unfolded, punctuation of every script goes,
and scripts without spaces between words are counted by character.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from ragcli.language.scripts import UNSPACED, is_unspaced

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_TOKEN = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}]+")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_NO_CENTS = re.compile(r"(?<=\d)[.,]00(?![\d.,])|(?<=\d)[.,]00(?=[.,](?!\d))")
_INSIDE_NUMBER = re.compile(r"(?<=\d)[.,:/](?=\d)")
_APOSTROPHES = "'\u2019\u02bc"
_MEANINGFUL = "%#&@+$€£¥°"


def normalised(text: str) -> str:
    """``text`` as SQuAD's evaluation compares it."""
    folded = unicodedata.normalize("NFKC", text).lower()
    kept = "".join(character for character in folded if unicodedata.category(character)[0] not in "PS")
    return " ".join(_ARTICLES.sub(" ", kept).split())


def tokens(text: str) -> list[str]:
    """Words of the normalised text; single characters of scripts written without spaces."""
    return _TOKEN.findall(normalised(text))


def exact_match(answer: str, accepted: Sequence[str]) -> float:
    """1.0 when the answer is one of the accepted ones after normalisation."""
    return float(any(normalised(answer) == normalised(text) for text in accepted))


def token_f1(answer: str, accepted: Sequence[str]) -> float:
    """Best harmonic mean of token precision and recall against the accepted answers."""
    return max((_f1(tokens(answer), tokens(text)) for text in accepted), default=0.0)


def contains(answer: str, wanted: str, *, whole: bool = False) -> bool:
    """Whether ``wanted`` stands in ``answer``, white space, case, dashes and punctuation apart.

    A number must stand whole: ``10`` is not in ``100``, ``1,000`` or ``10.5``, but it is in ``10.00``. With ``whole``
    so must words; without it a part of a word is enough, so that a stem can be asked for.
    """
    needle, straw = _readable(wanted), _readable(answer)
    if not needle:
        return False
    start = straw.find(needle)
    while start >= 0:
        if _edge(straw, start, whole=whole) and _edge(straw, start + len(needle), whole=whole):
            return True
        start = straw.find(needle, start + 1)
    return False


def _readable(text: str) -> str:
    """Lower case with single spaces; punctuation becomes a space except inside a number, apostrophes vanish."""
    folded = _NO_CENTS.sub("", _THOUSANDS.sub("", unicodedata.normalize("NFKC", text).casefold()))
    inside = {match.start() for match in _INSIDE_NUMBER.finditer(folded)}
    kept = []
    for position, character in enumerate(folded):
        plain = character in _MEANINGFUL or position in inside or unicodedata.category(character)[0] not in "PSCZ"
        kept.append(character if plain else "" if character in _APOSTROPHES else " ")
    return " ".join("".join(kept).split())


def _edge(text: str, position: int, *, whole: bool) -> bool:
    """Whether a number (or with ``whole`` a word) ends or begins at ``position``."""
    if position in (0, len(text)):
        return True
    before, after = text[position - 1], text[position]
    if before.isdigit() and after.isdigit():
        return False
    if text[position - 2 : position + 1][1:2] in tuple(".,:/") and text[position - 2].isdigit() and after.isdigit():
        return False
    if after in ".,:/" and before.isdigit() and text[position + 1 : position + 2].isdigit():
        return False
    return not (whole and before.isalnum() and after.isalnum() and not is_unspaced(before))


def _f1(given: Sequence[str], wanted: Sequence[str]) -> float:
    shared = sum((Counter(given) & Counter(wanted)).values())
    if not given or not wanted:
        return float(given == wanted)
    return 2 * shared / (len(given) + len(wanted))
