"""Which language a text is in: by its script where that settles it, else by ``py3langid`` (97 languages, offline)."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

_SAMPLE = 4000
_MIN_LETTERS = 20
_MIN_CONFIDENCE = 0.6
_SCRIPTS = (
    (re.compile(r"[\u3040-\u30ff]"), "ja", 0.05),
    (re.compile(r"[\uac00-\ud7af]"), "ko", 0.1),
    (re.compile(r"[\u4e00-\u9fff]"), "zh", 0.2),
    (re.compile(r"[\u0e00-\u0e7f]"), "th", 0.2),
    (re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]"), "el", 0.4),
    (re.compile(r"[\u0590-\u05ff]"), "he", 0.3),
)


def detect_language(text: str) -> str | None:
    """ISO 639-1 code of the language most of the text is in, None when there is too little text to tell."""
    sample = _sample(text)
    letters = [char for char in sample if char.isalpha()]
    if len(letters) < 4:
        return None
    joined = "".join(letters)
    for pattern, code, share in _SCRIPTS:
        if len(pattern.findall(joined)) >= share * len(joined):
            return code
    if len(letters) < _MIN_LETTERS:
        return None
    code, confidence = _identifier().classify(sample)
    return str(code) if confidence >= _MIN_CONFIDENCE else None


def load_languages() -> None:
    """Load the model now; else the first text that needs it waits for that."""
    _identifier()


def _sample(text: str) -> str:
    """The start, the middle and the end of a long text: a preface or a licence does not decide alone."""
    if len(text) <= _SAMPLE:
        return text
    part, middle = _SAMPLE // 4, len(text) // 2
    return "\n".join((text[: 2 * part], text[middle : middle + part], text[-part:]))


@functools.cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
