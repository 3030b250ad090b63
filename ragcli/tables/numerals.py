"""What the cell of a table says as a number: sign, digits, currency, percent, unit. Pure.

``1.234`` is one number in Graz and another in Boston, so a cell alone has readings; which one holds is decided for the
whole column (``columns``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from ragcli.language.lexicon import valued

POINT, COMMA = ".", ","

_CODES = "EUR|USD|GBP|CHF|JPY|CNY|RMB|INR|SEK|NOK|DKK|PLN|CZK|HUF|RON|CAD|AUD|NZD|BRL|MXN|ZAR|TRY|KRW|HKD|SGD"
_CURRENCY = rf"(?:US|C|A)?\$|[€£¥₹₩₽₺₫₴₪]|(?:{_CODES})\b|Fr\.|kr\.?|zł|Kč"
_BODY = r"\d{1,3}(?:[ \u00a0\u2009\u202f'’]\d{3})+(?:[.,]\d+)?|\d+(?:[.,]\d+)*|[.,]\d+"
_UNIT = rf"%|‰|{_CURRENCY}|[^\W\d_°]{{1,14}}[²³]?(?:/[^\W\d_]{{1,10}}[²³]?)?|°[CF]?"
_CELL = re.compile(
    rf"(?P<sign>[-+])?\s?(?P<before>{_CURRENCY})?\s?(?P<open>\()?\s?(?P<sign_within>[-+])?\s?(?P<within>{_CURRENCY})?\s?"
    rf"(?P<body>{_BODY})\s?(?P<unit>{_UNIT})?\s?(?P<more>{_CURRENCY})?\s?(?P<close>\))?(?P<after>%|-)?"
)
_MINUS = str.maketrans({"\u2212": "-", "\u2013": "-", "\ufe63": "-", "\uff0d": "-"})
_GROUPS = re.compile(r"[ \u00a0\u2009\u202f'’]")
_MONEY_SCALES: Mapping[str, int] = {"k": 1000, "m": 10**6, "mn": 10**6, "mio": 10**6, "bn": 10**9, "b": 10**9}
_GROUPED = {mark: re.compile(rf"[1-9]\d{{0,2}}(?:\{mark}\d{{2,3}})*\{mark}\d{{3}}") for mark in (POINT, COMMA)}
_MOST_DIGITS = 18
_LONGEST = 60  # characters of a cell that may be a number


@dataclass(frozen=True, slots=True)
class Numeral:
    """A cell that holds one number: its digits as written, and what stands around them.

    ``unit`` is a currency as written, ``%``, or a word; ``scale`` what a word such as *million* multiplies by.
    """

    negative: bool
    body: str
    unit: str
    scale: int = 1
    signed: bool = False

    @property
    def is_code(self) -> bool:
        """Whether the digits name something instead of counting: leading zeros, a telephone number, too many."""
        digits = sum(character.isdigit() for character in self.body)
        whole = self.body.isdigit()
        zeros = whole and len(self.body) > 1 and self.body[0] == "0"
        return zeros or digits > _MOST_DIGITS or (self.signed and not self.negative and whole and digits > 6)

    def reading(self, point: str) -> Decimal | None:
        """The value when ``point`` (``.`` or ``,``) parts off the decimals; None when it cannot be read so."""
        group = COMMA if point == POINT else POINT
        plain = _GROUPS.sub("", self.body)
        whole, mark, decimals = plain.partition(point)
        if group in decimals or point in decimals or (mark and not decimals):
            return None
        if group in whole and not _GROUPED[group].fullmatch(whole):
            return None
        value = Decimal((whole.replace(group, "") or "0") + (f".{decimals}" if decimals else ""))
        if self.scale > 1:
            value *= self.scale
            value = value.to_integral_value() if value == value.to_integral_value() else value.normalize()
        return -value if self.negative else value


def numeral(text: str) -> Numeral | None:
    """The number that a cell holds and nothing besides; None when it holds none, or anything more."""
    if len(text) > _LONGEST or not any(character.isdigit() for character in text):
        return None
    found = _CELL.fullmatch(text.translate(_MINUS).strip())
    if found is None or bool(found["open"]) != bool(found["close"]):
        return None
    signs = [found["sign"], found["sign_within"], "-" if found["after"] == "-" else None]
    if sum(sign is not None for sign in signs) + bool(found["open"]) > 1:
        return None
    money = found["before"] or found["within"] or found["more"]
    word = found["unit"] or ("%" if found["after"] == "%" else "")
    scale = valued("scales").get(word.casefold(), 1) if len(word) > 2 else 1
    if money and scale == 1:
        scale = _MONEY_SCALES.get(word.casefold(), 1)
    unit = money or ("" if scale > 1 else word)
    if money and word and scale == 1:
        return None  # two units: what it counts cannot be told
    negative = bool(found["open"]) or "-" in signs
    return Numeral(negative, found["body"], unit, scale, signed="+" in signs)
