"""Names and numbers with which divisions of documents begin: ``Part II``, ``Item 1A``, ``Note 5``, ``3.2``. Pure."""

from __future__ import annotations

import re

_DIVISION = re.compile(
    r"(?:(?P<part>part|teil|partie|parte)|(?P<item>item|chapter|kapitel|chapitre|capítulo|article|artikel|artículo)"
    r"|(?P<note>note))\s+(?:[IVXLC]+|\d{1,3}[A-Z]?)\b",
    re.I,
)
_DECIMAL = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+[^\W\d]")
RANKS = {"part": 1, "item": 2, "note": 3}
"""Kinds of divisions, the outermost first."""


def division_of(text: str) -> str:
    """The kind of division that a heading begins with; empty for none."""
    match = _DIVISION.match(text)
    return str(match.lastgroup) if match and match.lastgroup else ""


def number_depth(text: str) -> int:
    """How deep a heading is by its number: 1 for ``3``, 2 for ``3.2``; 0 without a number."""
    match = _DECIMAL.match(text)
    return 1 + match[1].count(".") if match else 0
