"""Rows of a page read as a label and the amounts to its right, each with its signs. Pure.

A dollar sign at the left edge of its column, a per cent sign or a closing bracket set apart belong to the number
beside them; a number right after words (``December 31, 2019``) belongs to the words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ragcli.parse.pdf.lines import Line

_AMOUNT = re.compile(
    r"[(\[+\-\u2013\u2212]*(?:US|[AC])?[$€£¥]?[(\-\u2013\u2212]?\d(?:[\d.,'\u2019]*\d)?[)\]]?%?\)?(?:x|bps|pts|pp)?"
)
_EMPTY = re.compile(r"[\u2014\u2013\u2212-]{1,3}%?|\([\u2014\u2013-]\)%?|(?i:n/?[am]|nm)|[*#]")
_BEFORE = re.compile(r"(?:US|[AC])?[$€£¥][(\-\u2013]?|[(+\-\u2013\u2212]")
_AFTER = re.compile(r"[)\]%]+|bps|pts|pp|x")
_YEAR = re.compile(r"(?:19|20)\d\d")
_MONEY = re.compile(r"[$€£¥%(]|\d[.,]\d")
_WORD_GAP = 0.45  # of the type size: no wider than a blank
_COLUMN_GAP = 0.8  # of the type size: what parts a label from its first amount


@dataclass(slots=True)
class Amount:
    """A number with its signs; ``x0`` and ``x1`` are those of the number, ``left`` that of a sign set apart from it."""

    x0: float
    x1: float
    left: float
    text: str
    is_number: bool


@dataclass(slots=True)
class AmountRow:
    """Words on one baseline, from left to right: those of the label, and the amounts after them."""

    words: list[Line]
    label: list[Line]
    amounts: list[Amount]
    used: bool = field(default=False)

    @property
    def x0(self) -> float:
        return self.words[0].x0

    @property
    def x1(self) -> float:
        return max(word.x1 for word in self.words)

    @property
    def y0(self) -> float:
        return min(word.y0 for word in self.words)

    @property
    def y1(self) -> float:
        return max(word.y1 for word in self.words)

    @property
    def label_text(self) -> str:
        return " ".join(word.text for word in self.label)

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    @property
    def names_years(self) -> bool:
        """Whether its amounts are years that stand over columns."""
        return len(self.amounts) > 1 and all(is_year(amount.text) for amount in self.amounts)


def is_year(text: str) -> bool:
    """Whether a text is a year in four figures."""
    return bool(_YEAR.fullmatch(text))


def is_money(text: str) -> bool:
    """Whether a number is written as amounts are and the numbers of pages, notes and years are not."""
    return bool(_MONEY.search(text))


def read_row(words: list[Line], size: float) -> AmountRow:
    """The row that ``words`` (from left to right) are; ``size`` is that of the type, in points.

    Words set apart after several amounts stand in a column of their own; a year before amounts is the row's label.
    """
    end = _end_of_amounts(words, size)
    start = end
    while start and _is_part(words[start - 1].text):
        start -= 1
    amounts, counts = _amounts(words[start:end], size)
    while amounts and start and amounts[0].left - words[start - 1].x1 < _COLUMN_GAP * size:
        start += counts.pop(0)
        del amounts[0]
    if end < len(words) and len(amounts) < 2:
        return AmountRow(words, words, [])
    if not start and amounts and is_year(amounts[0].text) and not all(is_year(amount.text) for amount in amounts):
        del amounts[0]
        start = counts[0]
    if end < len(words):
        text = " ".join(word.text for word in words[end:])
        amounts.append(Amount(words[end].x0, words[-1].x1, words[end].x0, text, False))
    return AmountRow(words, words[:start], amounts)


def _end_of_amounts(words: Sequence[Line], size: float) -> int:
    """Where the words begin that stand in a column after the amounts; their number when there are none."""
    end = len(words)
    while end and not _is_part(words[end - 1].text):
        end -= 1
        if end and words[end].x0 - words[end - 1].x1 > _COLUMN_GAP * size:
            return end if _is_part(words[end - 1].text) else len(words)
    return len(words)


def _is_part(text: str) -> bool:
    return any(pattern.fullmatch(text) for pattern in (_AMOUNT, _EMPTY, _BEFORE, _AFTER))


def _amounts(words: Sequence[Line], size: float) -> tuple[list[Amount], list[int]]:
    """The amounts that trailing words are, and of how many words each is made."""
    found: list[Amount] = []
    counts: list[int] = []
    signs: list[Line] = []
    for word in words:
        is_number = bool(_AMOUNT.fullmatch(word.text))
        if not is_number and _BEFORE.fullmatch(word.text) and not _EMPTY.fullmatch(word.text):
            signs.append(word)
        elif found and not signs and (_joins(found[-1], word, size, is_number)):
            blank = " " if is_number else ""
            found[-1].text += blank + word.text
            found[-1].x1 = word.x1
            counts[-1] += 1
        else:
            left = signs[0].x0 if signs else word.x0
            text = "".join(sign.text for sign in signs) + word.text
            found.append(Amount(word.x0, word.x1, left, text, is_number))
            counts.append(len(signs) + 1)
            signs = []
    if signs:  # signs that nothing follows
        text = "".join(sign.text for sign in signs)
        found.append(Amount(signs[0].x0, signs[-1].x1, signs[0].x0, text, False))
        counts.append(len(signs))
    return found, counts


def _joins(amount: Amount, word: Line, size: float, is_number: bool) -> bool:
    """Whether a word belongs to the amount before it: a sign after it, or the next figures of ``1 234 567``."""
    if _AFTER.fullmatch(word.text):
        return word.x0 - amount.x1 < 3 * size
    grouped = is_number and re.fullmatch(r"\d{3}(?:[.,]\d+)?\)?", word.text) and not is_year(amount.text)
    return bool(grouped) and word.x0 - amount.x1 < _WORD_GAP * size
