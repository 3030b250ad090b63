"""Stems by Snowball (PyStemmer): which stemmer a language has, and one stem for words whose language is not known."""

from __future__ import annotations

import functools
from typing import Any

_STEMMERS = {
    "ar": "arabic", "hy": "armenian", "eu": "basque", "ca": "catalan", "cs": "czech", "da": "danish", "nl": "dutch",
    "en": "english", "eo": "esperanto", "et": "estonian", "fi": "finnish", "fr": "french", "de": "german",
    "el": "greek", "hi": "hindi", "hu": "hungarian", "id": "indonesian", "ga": "irish", "it": "italian",
    "lt": "lithuanian", "ne": "nepali", "no": "norwegian", "nb": "norwegian", "nn": "norwegian", "fa": "persian",
    "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "es": "spanish",
    "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip


def stemmer_name(language: str) -> str | None:
    """Snowball's name for the language (ISO 639-1), None when it has no stemmer."""
    return _STEMMERS.get(language)


@functools.cache
def stemmer(language: str) -> Any:
    """The stemmer of a language, its words given in lower case to ``stemWord``; None when it has none."""
    name = _STEMMERS.get(language)
    if name is None:
        return None
    import Stemmer

    return Stemmer.Stemmer(name)


@functools.lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The stem of a word in lower case whose language is not known: the English one. Codes and figures are left."""
    if len(word) < 4 or not word.isalpha():
        return word
    return str(stemmer("en").stemWord(word))
