"""Which characters belong to which kind of script, as ranges for a character class, and what a reader cannot see."""

from __future__ import annotations

import functools
import unicodedata

from ragcli.language.patterns import pattern

THAI = "\u0e00-\u0e7f"
SPACE_ENDS_SENTENCE = f"{THAI}\u0e80-\u0eff\u1780-\u17ff"
"""Thai, Lao and Khmer: no spaces between words, one at the end of a sentence."""
HAN = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3040-\u312f\u31a0-\u31ff"
"""Kana and bopomofo."""
HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
UNSPACED = f"{SPACE_ENDS_SENTENCE}\u1000-\u109f{KANA}{HAN}"
"""The scripts that write no spaces between words: Han, kana, Thai, Lao, Khmer, Burmese. Korean does."""
WIDE_SIGNS = "\u3000-\u3004\u3008-\u303f\u3190-\u319f\u3200-\u33ff\uff00-\uffef"
"""Their punctuation, enclosed and full-width forms, beside which no space is written either."""

JOINERS = "\u200c\u200d"
"""Seen by their neighbours alone: Persian, Indian scripts and emoji need them."""
UNSEEN = "\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f"
"""Soft hyphens, zero-width spaces, directions and tags: what nobody sees, the joiners apart."""

_UNSPACED = pattern(f"[{UNSPACED}{WIDE_SIGNS}]")


def is_unspaced(character: str) -> bool:
    """Whether no space is written beside ``character``: it is of a script without spaces between words, or its sign."""
    return character > "\u0dff" and _UNSPACED.match(character) is not None


@functools.cache
def marks() -> str:
    """Combining marks of all scripts, as ranges: ``\\w`` lacks them and would cut Hindi words at their vowel signs."""
    found: list[list[int]] = []
    for first, last in ((0x300, 0x3100), (0xA620, 0xAC00), (0xFB1E, 0xFB1F), (0xFE20, 0xFE30)):
        for code in range(first, last):
            if unicodedata.category(chr(code))[0] != "M":
                continue
            if found and found[-1][1] == code - 1:
                found[-1][1] = code
            else:
                found.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in found)
