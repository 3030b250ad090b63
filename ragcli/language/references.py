"""Words at the start of a text that point back to what stood before it."""

from __future__ import annotations

import re

from ragcli.language.lexicon import any_word, listed
from ragcli.language.patterns import pattern


def _expression() -> str:
    """Words of scripts with spaces end at a boundary, the others where they end."""
    unspaced = listed("points_back", "ja") | listed("points_back", "zh")
    return rf"{any_word(listed('points_back') - unspaced)}\b|{any_word(unspaced)}"


_WORDS = pattern(_expression, re.IGNORECASE)
_OPENERS = pattern(r"[\s\"'“‘«(\[*_>#-]*")


def points_back(text: str, start: int = 0) -> bool:
    """Whether the text from ``start`` begins with such a word (English, German, French, Spanish, Japanese, Chinese)."""
    match = _OPENERS.match(text, start)
    return _WORDS.match(text, match.end() if match else start) is not None
