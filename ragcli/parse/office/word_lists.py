"""The markers of Word's automatic lists, counted as Word counts them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lxml.etree import _Element

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


@dataclass(frozen=True, slots=True)
class ListItem:
    """What stands before an item (``-``, ``3.``, ``2.1``) and its depth from 1."""

    marker: str
    level: int


class Numbering:
    """Counts items while a document is walked in order."""

    def __init__(self, root: Iterable[_Element]) -> None:
        self._levels: dict[str, dict[int, tuple[str, str, int]]] = {}
        self._abstract: dict[str, str] = {}
        self._counts: dict[str, dict[int, int]] = {}
        for node in root:
            if node.tag == _W + "abstractNum":
                self._levels[str(node.get(_W + "abstractNumId"))] = dict(_levels(node))
            elif node.tag == _W + "num":
                target = node.find(_W + "abstractNumId")
                if target is not None:
                    self._abstract[str(node.get(_W + "numId"))] = str(target.get(_W + "val"))

    def item(self, paragraph: _Element, style: Any) -> ListItem | None:
        """The marker of a paragraph, counted; None when it is in no list."""
        found = _properties(paragraph.find(f"{_W}pPr/{_W}numPr")) or _of_style(style)
        if found is None or found[0] in ("", "0"):
            return None
        number, level = found
        abstract = self._abstract.get(number, "")
        kind, text, start = self._levels.get(abstract, {}).get(level, ("bullet", "", 1))
        counts = self._counts.setdefault(abstract or number, {})
        counts[level] = counts.get(level, start - 1) + 1
        for deeper in [key for key in counts if key > level]:
            del counts[deeper]
        if kind in ("bullet", "none"):
            return ListItem("-", level + 1)
        return ListItem(self._marker(text, level, abstract, counts), level + 1)

    def _marker(self, text: str, level: int, abstract: str, counts: dict[int, int]) -> str:
        for place in range(level + 1):
            kind, _, start = self._levels[abstract].get(place, ("decimal", "", 1))
            text = text.replace(f"%{place + 1}", _written(counts.get(place, start), kind))
        return text.strip() or f"{counts[level]}."


def _levels(abstract: _Element) -> Iterable[tuple[int, tuple[str, str, int]]]:
    for node in abstract.iter(_W + "lvl"):
        kind, text, start = (node.find(_W + name) for name in ("numFmt", "lvlText", "start"))
        first = str(start.get(_W + "val")) if start is not None else "1"
        yield (
            int(str(node.get(_W + "ilvl") or 0)),
            (
                str(kind.get(_W + "val")) if kind is not None else "decimal",
                str(text.get(_W + "val") or "") if text is not None else "",
                int(first) if first.isdigit() else 1,
            ),
        )


def _properties(node: _Element | None) -> tuple[str, int] | None:
    if node is None:
        return None
    number, level = node.find(_W + "numId"), node.find(_W + "ilvl")
    depth = str(level.get(_W + "val")) if level is not None else "0"
    return (str(number.get(_W + "val")) if number is not None else "", int(depth) if depth.isdigit() else 0)


def _of_style(style: Any) -> tuple[str, int] | None:
    seen = 0
    while style is not None and seen < 10:
        found = _properties(style.element.find(f"{_W}pPr/{_W}numPr"))
        if found is not None:
            return found
        style, seen = style.base_style, seen + 1
    return None


def _written(number: int, kind: str) -> str:
    if kind in ("lowerLetter", "upperLetter"):
        letter = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letter if kind == "lowerLetter" else letter.upper()
    if kind in ("lowerRoman", "upperRoman"):
        roman = _roman(number)
        return roman.lower() if kind == "lowerRoman" else roman
    return str(number)


def _roman(number: int) -> str:
    result = ""
    for value, letters in zip(
        (1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1),
        ["M", "CM", "D", "CD", "C", "XC", "L", "XL", "X", "IX", "V", "IV", "I"],
        strict=True,
    ):
        result += letters * (number // value)
        number %= value
    return result
