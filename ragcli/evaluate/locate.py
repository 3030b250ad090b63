"""Where a quote stands in a text: every place of it, typography apart."""

from __future__ import annotations

import re
import unicodedata

from ragcli import quotes
from ragcli.records import Span


def locate(quote: str, text: str) -> list[Span]:
    """Every place of ``quote`` in ``text``, in order; any white space matches any other, case is ignored.

    A quote that stands nowhere so is looked for once more in spite of hyphenation, ligatures, quotation marks and light
    markup; then its first place is given.
    """
    words = unicodedata.normalize("NFC", quote).split()
    if not words:
        return []
    pattern = r"\s+".join(re.escape(word) for word in words)
    found = [Span(match.start(), match.end()) for match in re.finditer(pattern, text, re.IGNORECASE)]
    if found:
        return found
    loose = quotes.locate(quote, text)
    return [loose] if loose is not None else []
