"""Numbers as text writes them, in figures and in words, with the unit they count, reduced to one form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragcli.language.words import FUNCTION_WORDS, listed

UNIT_SUFFIX = re.compile(
    r"(?<![\w.,-])(\d+(?:[.,]\d+)?)"
    r"(st|nd|rd|th|k|m|bn|kg|g|mg|km|cm|mm|s|ms|h|hrs?|min|gb|mb|kb|tb|px|pt|x|er|ten|te)(?![^\W_])",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"(?<![A-Za-z0-9_])(?P<sign>(?<![\w)])[-\u2212])?"
    r"(?:\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?!\d)|\d+(?:[.,'\u2019]\d+)*)(?P<percent>\s?%)?"
)
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_SCALE = re.compile(r"[ \u00a0-]?([A-Za-z]+)\b")
_NEXT_WORDS = re.compile(r"[ \u00a0\n-]*([^\W\d]+|[€$£%])(?:[ \u00a0\n-]+([^\W\d]+))?")


@dataclass(frozen=True, slots=True)
class Number:
    """``values`` are its canonical readings (``1200.5``); ``unit`` is canonical (``day``), empty when it has none."""

    values: frozenset[str]
    start: int
    end: int
    unit: str = ""


def figures(text: str) -> Iterator[Number]:
    """Numbers written with digits: ``1,200.50``, ``5 million``, ``15 %``, ``30min``, ``-5``."""
    for match in UNIT_SUFFIX.finditer(text):
        suffix = match[2].casefold()
        value = _scaled(_reading(match[1]), SCALES.get(suffix, 1))
        yield Number(frozenset({value}), match.start(), match.end(), UNITS.get(suffix, ""))
    for match in _FIGURE.finditer(text):
        body = match.group().strip("-\u2212% ")
        scale, end = _scale_after(text, match.end())
        value = ("-" if match["sign"] else "") + _scaled(_reading(body), scale)
        unit = "percent" if match["percent"] else _currency_before(text, match.start()) or _unit_after(text, end)
        yield Number(frozenset({value}), match.start(), end, unit)


def spelled(text: str) -> Iterator[Number]:
    """Numbers written as words: ``five``, ``twenty-five``, ``two hundred thousand``, ``first``."""
    tokens = [(match.group().casefold(), match.start(), match.end()) for match in _WORD.finditer(text)]
    index = 0
    while index < len(tokens):
        word, start, end = tokens[index]
        value = _word_value(word)
        if word in ORDINALS:
            yield Number(frozenset({str(ORDINALS[word])}), start, end)
        elif value is not None and not (word == "one" and _is_pronoun(tokens, index)):
            value, last = _with_following(text, tokens, index, value)
            index, end = last, tokens[last][2]
            yield Number(frozenset({str(value)}), start, end, _unit_after(text, end))
        index += 1


def _with_following(text: str, tokens: Sequence[tuple[str, int, int]], index: int, value: int) -> tuple[int, int]:
    """The value together with the number words right after it, and the index of the last of them."""
    while index + 1 < len(tokens) and not text[tokens[index][2] : tokens[index + 1][1]].strip(" \u00a0"):
        following = tokens[index + 1][0]
        if following in SCALES and len(following) > 2:
            value *= SCALES[following]
        elif (
            following in SMALL and value and (value % 100 == 0 or (tokens[index][0] in TENS and SMALL[following] < 10))
        ):
            value += SMALL[following]
        else:
            break
        index += 1
    return value, index


def _reading(body: str) -> str:
    """The value of a numeral; a separator before exactly three digits groups thousands."""
    plain = re.sub(r"[ \u00a0\u202f'\u2019]", "", body)
    if re.fullmatch(r"[1-9]\d{0,2}(?:[.,]\d{3})+", plain):
        return re.sub(r"[.,]", "", plain)
    last = max(plain.rfind("."), plain.rfind(","))
    if last < 0 or plain.count(plain[last]) > 1:
        return re.sub(r"[.,]", "", plain).lstrip("0") or "0"
    whole = re.sub(r"[.,]", "", plain[:last]).lstrip("0") or "0"
    fraction = plain[last + 1 :].rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole


def _scaled(value: str, scale: int) -> str:
    if scale == 1:
        return value
    whole, _, fraction = value.partition(".")
    digits = len(str(scale)) - 1
    number = (whole + (fraction + "0" * digits)[:digits]).lstrip("0") or "0"
    rest = fraction[digits:]
    return f"{number}.{rest}" if rest else number


def _scale_after(text: str, end: int) -> tuple[int, int]:
    match = _SCALE.match(text, end)
    if match and len(match[1]) > 1 and match[1].casefold() in SCALES:
        return SCALES[match[1].casefold()], match.end()
    return 1, end


def _unit_after(text: str, end: int) -> str:
    """The unit among the two words that follow: ``5 working days`` counts days."""
    tail = _NEXT_WORDS.match(text[end : end + 60])
    for word in (tail[1], tail[2]) if tail else ():
        if word and word.casefold() in UNITS:
            return UNITS[word.casefold()]
        if not word or word.casefold() in FUNCTION_WORDS:
            break
    return ""


def _currency_before(text: str, start: int) -> str:
    before = text[max(0, start - 2) : start].strip()[-1:]
    return UNITS[before] if before in ("€", "$", "£") else ""


def _word_value(word: str) -> int | None:
    if word in WORD_VALUES:
        return WORD_VALUES[word]
    first, mark, second = word.partition("-")
    if mark and first in TENS and second in SMALL:
        return TENS[first] + SMALL[second]
    return None


def _is_pronoun(tokens: Sequence[tuple[str, int, int]], index: int) -> bool:
    """``one`` that counts nothing: at the end, before ``of`` or a verb, after ``the`` or ``no``."""
    following = tokens[index + 1][0] if index + 1 < len(tokens) else ""
    before = tokens[index - 1][0] if index else ""
    return not following or following in NOT_A_COUNT or before in NOT_A_COUNT


# Tables of number words and units: English first, with the common ones of German, French and Spanish.


def _numbered(text: str, start: int, step: int = 1) -> dict[str, int]:
    return {word: start + step * index for index, word in enumerate(text.split())}


SMALL = _numbered(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen""",
    0,
)
TENS = _numbered("twenty thirty forty fifty sixty seventy eighty ninety", 20, 10)
_FOREIGN = {
    **_numbered("zwei drei vier fünf sechs sieben acht neun zehn elf zwölf", 2),
    **_numbered("zwanzig dreißig vierzig fünfzig", 20, 10),
    **_numbered("deux trois quatre cinq", 2),
    **_numbered("dos tres cuatro cinco seis siete ocho nueve diez", 2),
    "sept": 7, "huit": 8, "dix": 10, "douze": 12, "hundert": 100, "tausend": 1000,
}  # fmt: skip
ORDINALS = {
    word: value
    for word, value in _numbered(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth", 1
    ).items()
    if word != "second"  # also a unit of time
}
WORD_VALUES = {**SMALL, **TENS, **_FOREIGN, "dozen": 12}
SCALES = {
    **dict.fromkeys(listed("hundred"), 100),
    **dict.fromkeys(listed("thousand k tausend"), 1000),
    **dict.fromkeys(listed("million millions mio mn millionen"), 10**6),
    **dict.fromkeys(listed("billion billions bn mrd milliarden milliarde"), 10**9),
    **dict.fromkeys(listed("trillion trillions"), 10**12),
}
NOT_A_COUNT = listed(
    """of another can could should would must may might who that is was has the this any no which each every"""
)
UNITS = {
    name: unit
    for unit, names in {
        "second": "second seconds sec secs s sekunde sekunden seconde secondes segundo segundos",
        "minute": "minute minutes min mins minuten minuto minutos",
        "hour": "hour hours hr hrs h stunde stunden heure heures hora horas",
        "day": """day days weekday weekdays
            tag tage tagen werktag werktage werktagen arbeitstag arbeitstage arbeitstagen
            jour jours día días""",
        "week": "week weeks woche wochen semaine semaines semana semanas",
        "month": "month months monat monate monaten mois mes meses",
        "quarter": "quarter quarters quartal quartale",
        "year": "year years yr yrs jahr jahre jahren an ans année années año años",
        "percent": "percent % prozent pct percentage",
        "euro": "euro euros eur €",
        "dollar": "dollar dollars usd $",
        "pound": "pounds gbp £",
        "km": "km kilometre kilometres kilometer kilometers",
        "mile": "mile miles",
        "metre": "metre metres meter meters",
        "kg": "kg kilogram kilograms kilo kilos",
        "kb": "kb kilobyte kilobytes",
        "mb": "mb megabyte megabytes",
        "gb": "gb gigabyte gigabytes",
        "tb": "tb terabyte terabytes",
        "ms": "ms millisecond milliseconds",
    }.items()
    for name in names.split()
}
