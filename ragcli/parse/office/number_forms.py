"""A number as lists and clauses write it: 4, d, iv, 04, 4th, 四. Names of forms are Word's (ECMA-376, ST_NumberFormat).

OpenDocument's (``1 a A i I``) stand for five of them. A form that is not known is written in digits.
"""

from __future__ import annotations

from collections.abc import Callable

OPEN_DOCUMENT = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
    (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip
_MOST_ROMAN = 4999
_CHINESE_DIGITS = "〇一二三四五六七八九"
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
_RUSSIAN = "абвгдежзиклмнопрстуфхцчшщэюя"
_GREEK = "αβγδεζηθικλμνξοπρστυφχψω"
_STEMS = "甲乙丙丁戊己庚辛壬癸"


def written(number: int, form: str) -> str:
    """``number`` in a form; in digits where the form has no way to write it, empty in the form ``none``."""
    if form == "none":
        return ""
    write = _FORMS.get(form)
    return (write(number) if write and number > 0 else "") or str(number)


def padded(number: int, width: int) -> str:
    """In digits with zeros before: what a custom format such as ``001, 002, 003, …`` means."""
    return str(number).zfill(width)


def _repeated(alphabet: str) -> Callable[[int], str]:
    """a … z, aa, bb: Word repeats the letter."""
    return lambda number: alphabet[(number - 1) % len(alphabet)] * ((number - 1) // len(alphabet) + 1)


def _listed(signs: str) -> Callable[[int], str]:
    return lambda number: signs[number - 1] if number <= len(signs) else ""


def _roman(number: int) -> str:
    if number > _MOST_ROMAN:
        return ""
    result = ""
    for value, letters in _ROMAN:
        result += letters * (number // value)
        number %= value
    return result


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _chinese(number: int) -> str:
    """Up to 99 as it is counted: 十, 十一, 二十."""
    tens, ones = divmod(number, 10)
    if tens > 9:
        return ""
    lead = "" if tens == 0 else "十" if tens == 1 else _CHINESE_DIGITS[tens] + "十"
    return lead + (_CHINESE_DIGITS[ones] if ones else "")


_LATIN = "abcdefghijklmnopqrstuvwxyz"
_FORMS: dict[str, Callable[[int], str]] = {
    "lowerLetter": _repeated(_LATIN),
    "upperLetter": _repeated(_LATIN.upper()),
    "lowerRoman": lambda number: _roman(number).lower(),
    "upperRoman": _roman,
    "decimalZero": lambda number: padded(number, 2),
    "ordinal": _ordinal,
    "numberInDash": lambda number: f"- {number} -",
    "decimalEnclosedCircle": _listed(_CIRCLED),
    "decimalEnclosedCircleChinese": _listed(_CIRCLED),
    "decimalFullWidth": lambda number: str(number).translate({ord("0") + digit: 0xFF10 + digit for digit in range(10)}),
    "russianLower": _repeated(_RUSSIAN),
    "russianUpper": _repeated(_RUSSIAN.upper()),
    "lowerGreek": _repeated(_GREEK),
    "chineseCounting": _chinese,
    "chineseCountingThousand": _chinese,
    "taiwaneseCounting": _chinese,
    "taiwaneseCountingThousand": _chinese,
    "japaneseCounting": _chinese,
    "ideographTraditional": _listed(_STEMS),
}
