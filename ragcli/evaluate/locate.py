"""Where a quote stands in a text, white space and case apart."""

from __future__ import annotations

import re
import unicodedata

from ragcli.records import Span


def locate(quote: str, text: str) -> list[Span]:
    """Every place of ``quote`` in ``text``, in order; any white space matches any other, case is ignored."""
    words = unicodedata.normalize("NFC", quote).split()
    if not words:
        return []
    pattern = r"\s+".join(re.escape(word) for word in words)
    return [Span(match.start(), match.end()) for match in re.finditer(pattern, text, re.IGNORECASE)]
