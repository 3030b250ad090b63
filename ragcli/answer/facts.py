"""Facts that code can compare: numbers with their units, dates, times, codes and names, whatever way they are written.

``facts`` reads them from a text, each with every value it may stand for (``01/03/2026`` is two dates, ``5`` and
``five`` one number). ``missing`` says which facts of a sentence an evidence text does not state.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ragcli.answer.words import FUNCTION_WORDS, stem

FactKind = Literal["number", "date", "time", "code", "name"]


@dataclass(frozen=True, slots=True)
class Fact:
    """``values`` are the canonical readings; ``unit`` is the canonical unit a number counts, ``""`` when it has none."""

    kind: FactKind
    text: str
    values: frozenset[str]
    start: int
    end: int
    unit: str = ""


_MONTHS: dict[str, int] = {}
for _number, _names in enumerate(
    (
        "january jan januar janvier enero",
        "february feb februar février febrero",
        "march mar märz mars marzo",
        "april apr avril abril",
        "may mai mayo",
        "june jun juni juin junio",
        "july jul juli juillet julio",
        "august aug août agosto",
        "september sep sept septembre septiembre",
        "october oct oktober octobre octubre okt",
        "november nov novembre noviembre",
        "december dec dezember décembre diciembre dez",
    ),
    start=1,
):
    _MONTHS.update(dict.fromkeys(_names.split(), _number))
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATE = re.compile(
    rf"""
      (?<![\w.])(?P<iso>\d{{4}})[-/.](?P<iso_month>\d{{1,2}})[-/.](?P<iso_day>\d{{1,2}})(?![\w]|[-/.]\d)
    | (?P<cjk>\d{{4}})\s?年(?:\s?(?P<cjk_month>\d{{1,2}})\s?月(?:\s?(?P<cjk_day>\d{{1,2}})\s?日)?)?
    | (?<![\w./-])(?P<first>\d{{1,2}})(?P<mark>[./-])(?P<second>\d{{1,2}})(?P=mark)(?P<year>\d{{4}}|\d{{2}})(?![\w]|[-/.]\d)
    | (?<![\w.])(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.|er|º)?\s+(?:of\s+|de\s+)?(?P<month>{_MONTH})\b\.?(?:,?\s+(?:de\s+|del\s+)?(?P<day_year>\d{{4}})(?!\d))?
    | \b(?P<us_month>{_MONTH})\.?\s+(?P<us_day>\d{{1,2}})(?:st|nd|rd|th)?(?!\d|[.,:]\d)(?:,?\s+(?P<us_year>\d{{4}})(?!\d))?
    | \b(?P<only_month>{_MONTH})\.?,?\s+(?:of\s+|de\s+)?(?P<only_year>\d{{4}})(?!\d)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_TIME = re.compile(
    r"(?<![\w.:])(?P<hour>\d{1,2})(?:[:.h](?P<minute>\d{2})(?!\d))?(?::\d{2})?\s*(?P<half>[ap]\.?m\b\.?)(?!\w)"
    r"|(?<![\w.:])(?P<hour24>\d{1,2}):(?P<minute24>\d{2})(?![\d:])(?:\s*(?:uhr|h)\b)?"
    r"|(?<![\w.:])(?P<uhr>\d{1,2})\s+uhr\b",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"(?:https?://|www\.)[^\s<>()\[\]]*[\w/]"
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
    r"|(?<![\w])v?\d+(?:\.\d+){2,}(?![\w])"
    r"|(?<![\w-])(?=[\w./-]*[A-Za-z_])(?=[\w./-]*[\d_])[A-Za-z0-9_]+(?:[./-][A-Za-z0-9_]+)*(?![\w])"
    r"|(?<![\w])[A-Z]{2,}(?:-[A-Z0-9]+)*(?![\w])"
    r"|(?<![\w])[A-Za-z]*[a-z][A-Z][A-Za-z]*(?![\w])"
)
_UNIT_SUFFIX = re.compile(r"(\d+(?:[.,]\d+)?)(st|nd|rd|th|k|m|bn|kg|g|mg|km|cm|mm|s|ms|h|hrs?|min|gb|mb|kb|tb|px|pt|x|er|ten|te)", re.I)
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_])(?P<sign>(?<![\w)])[-\u2212])?(?:\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?!\d)|\d+(?:[.,'\u2019]\d+)*)(?P<percent>\s?%)?"
)
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")

_SMALL = dict(
    zip(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
        eighteen nineteen""".split(),
        range(20),
        strict=True,
    )
)
_TENS = dict(zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True))
_FOREIGN = {
    **dict(zip("zwei drei vier fünf sechs sieben acht neun zehn elf zwölf".split(), range(2, 13), strict=True)),
    **dict(zip("deux trois quatre cinq sept huit dix onze douze".split(), (2, 3, 4, 5, 7, 8, 10, 11, 12), strict=True)),
    **dict(zip("dos tres cuatro cinco seis siete ocho nueve diez".split(), range(2, 11), strict=True)),
    **{"zwanzig": 20, "dreißig": 30, "vierzig": 40, "fünfzig": 50, "hundert": 100, "tausend": 1000},
}
_ORDINALS = dict(
    zip(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(),
        range(1, 13),
        strict=True,
    )
)
_SCALES = {
    **dict.fromkeys(("hundred",), 100),
    **dict.fromkeys(("thousand", "k", "tausend"), 1000),
    **dict.fromkeys(("million", "millions", "mio", "mn", "millionen"), 10**6),
    **dict.fromkeys(("billion", "billions", "bn", "mrd", "milliarden", "milliarde"), 10**9),
    **dict.fromkeys(("trillion", "trillions"), 10**12),
}
_NUMBER_WORDS = {**_SMALL, **_TENS, **_FOREIGN, "half": 0, "dozen": 12}
_NOT_A_COUNT = frozenset("of another can could should would must may might who that is was has cannot's".split())
_UNITS: dict[str, str] = {}
for _unit, _names in {
    "second": "seconds sec secs s sekunde sekunden secondes segundos",
    "minute": "minute minutes min mins minuten minutos",
    "hour": "hour hours hr hrs h stunde stunden heure heures hora horas",
    "day": "day days tag tage tagen jour jours día días weekday weekdays werktage arbeitstage werktagen arbeitstagen",
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
    "kb": "kb kilobytes",
    "mb": "mb megabyte megabytes",
    "gb": "gb gigabyte gigabytes",
    "tb": "tb terabyte terabytes",
    "ms": "ms millisecond milliseconds",
}.items():
    _UNITS.update(dict.fromkeys((_unit, *_names.split()), _unit))


def facts(text: str) -> list[Fact]:
    """Every fact of ``text``, in order; they do not overlap."""
    found: list[Fact] = []
    taken: list[tuple[int, int]] = []
    for reader in (_dates, _times, _codes, _numbers, _number_words, _names):
        for fact in reader(text):
            if not any(fact.start < end and start < fact.end for start, end in taken):
                found.append(fact)
                taken.append((fact.start, fact.end))
    return sorted(found, key=lambda fact: (fact.start, fact.end))


def missing(wanted: Iterable[Fact], evidence: Sequence[Fact], evidence_words: frozenset[str] | set[str]) -> list[Fact]:
    """The facts of ``wanted`` that the evidence does not state; names are looked up in its folded words and stems."""
    return [fact for fact in wanted if not states(evidence, evidence_words, fact)]


def states(evidence: Sequence[Fact], evidence_words: frozenset[str] | set[str], fact: Fact) -> bool:
    """Whether the evidence states ``fact`` (with the same unit, where both give one)."""
    if fact.kind == "name":
        folded = fact.text.casefold().replace("\u2019", "'").removesuffix("'s")
        return folded in evidence_words or stem(folded) in evidence_words
    for other in evidence:
        if fact.kind == "date" and other.kind == "date":
            if any(_date_agrees(a, b) for a in fact.values for b in other.values):
                return True
        elif fact.values & other.values and (not fact.unit or not other.unit or fact.unit == other.unit):
            return True
    return False


def _date_agrees(wanted: str, given: str) -> bool:
    """Every part of the wanted date is given and equal: ``2026-03`` is stated by ``2026-03-01``, not the other way."""
    return all(part in ("", other) for part, other in zip(wanted.split("-"), given.split("-"), strict=True))


def _date(year: str | int | None, month: int | None, day: str | int | None) -> str:
    number = int(year) if year else 0
    if year and number < 100:
        number += 2000 if number < 70 else 1900
    return f"{number or ''}-{month or ''}-{int(day) if day else ''}"


def _dates(text: str) -> Iterator[Fact]:
    for match in _DATE.finditer(text):
        values = frozenset(_date_readings(match))
        if values:
            yield Fact("date", match.group(), values, match.start(), match.end())


def _date_readings(match: re.Match[str]) -> Iterator[str]:
    part = match.groupdict()
    if part["iso"]:
        if int(part["iso_month"]) <= 12 and int(part["iso_day"]) <= 31:
            yield _date(part["iso"], int(part["iso_month"]), part["iso_day"])
    elif part["cjk"]:
        yield _date(part["cjk"], int(part["cjk_month"] or 0), part["cjk_day"])
    elif part["first"]:
        first, second = int(part["first"]), int(part["second"])
        if second <= 12 and 1 <= first <= 31:
            yield _date(part["year"], second, first)
        if first <= 12 and 1 <= second <= 31:
            yield _date(part["year"], first, second)
    elif part["day"]:
        yield _date(part["day_year"], _MONTHS[part["month"].casefold()], part["day"])
    elif part["us_day"]:
        yield _date(part["us_year"], _MONTHS[part["us_month"].casefold()], part["us_day"])
    elif part["only_year"]:
        yield _date(part["only_year"], _MONTHS[part["only_month"].casefold()], None)


def _times(text: str) -> Iterator[Fact]:
    for match in _TIME.finditer(text):
        hour = int(match["hour"] or match["hour24"] or match["uhr"])
        minute = int(match["minute"] or match["minute24"] or 0)
        if match["half"]:
            hour = hour % 12 + (12 if match["half"][0] in "pP" else 0)
        yield Fact("time", match.group(), frozenset({f"{hour:02d}:{minute:02d}"}), match.start(), match.end())


def _codes(text: str) -> Iterator[Fact]:
    for match in _CODE.finditer(text):
        if _UNIT_SUFFIX.fullmatch(match.group()):
            continue
        value = re.sub(r"[-_/]", "", match.group().casefold())
        yield Fact("code", match.group(), frozenset({f"code:{value}"}), match.start(), match.end())


def _numbers(text: str) -> Iterator[Fact]:
    for match in _UNIT_SUFFIX.finditer(text):
        if not _alone(text, match.start(), match.end()):
            continue
        suffix = match[2].casefold()
        scale = _SCALES.get(suffix, 1)
        values = frozenset(_scaled(value, scale) for value in _readings(match[1]))
        yield Fact("number", match.group(), values, match.start(), match.end(), _UNITS.get(suffix, ""))
    for match in _NUMBER.finditer(text):
        body = match.group().strip("-\u2212% ")
        scale, end = _scale_after(text, match.end())
        values = {_scaled(value, scale) for value in _readings(body)}
        if match["sign"]:
            values = {"-" + value for value in values}
        unit = "percent" if match["percent"] else _currency_before(text, match.start()) or _unit_after(text, end)
        yield Fact("number", text[match.start() : end], frozenset(values), match.start(), end, unit)


def _alone(text: str, start: int, end: int) -> bool:
    return not (start and (text[start - 1].isalnum() or text[start - 1] in "_.,-")) and not text[end : end + 1].isalnum()


def _readings(body: str) -> Iterator[str]:
    """The values a numeral may have; a separator before exactly three digits groups thousands."""
    plain = re.sub(r"[ \u00a0\u202f'\u2019]", "", body)
    if re.fullmatch(r"[1-9]\d{0,2}(?:[.,]\d{3})+", plain):
        yield re.sub(r"[.,]", "", plain)
        return
    head, mark, tail = plain, "", ""
    for candidate in (".", ","):
        if plain.count(candidate) == 1 and plain.rfind(candidate) > plain.rfind("," if candidate == "." else "."):
            head, mark, tail = plain.rpartition(candidate)
            break
    whole = re.sub(r"[.,]", "", head if mark else plain).lstrip("0") or "0"
    fraction = tail.rstrip("0") if mark else ""
    yield f"{whole}.{fraction}" if fraction else whole


def _scaled(value: str, scale: int) -> str:
    if scale == 1:
        return value
    whole, _, fraction = value.partition(".")
    digits = len(str(scale)) - 1
    padded = (fraction + "0" * digits)[:digits]
    rest = fraction[digits:]
    number = (whole + padded).lstrip("0") or "0"
    return f"{number}.{rest}" if rest else number


def _scale_after(text: str, end: int) -> tuple[int, int]:
    match = re.compile(r"[ \u00a0-]?([A-Za-z]+)\b").match(text, end)
    if match and match[1].casefold() in _SCALES and match[1].casefold() not in ("k", "m"):
        return _SCALES[match[1].casefold()], match.end()
    return 1, end


def _unit_after(text: str, end: int) -> str:
    """The unit among the two words that follow: ``5 working days`` counts days."""
    if text[end : end + 1] in ("€", "$", "£", "%"):
        return _UNITS[text[end]]
    tail = re.match(r"[ \u00a0\n-]*([^\W\d]+|[€$£%])(?:[ \u00a0\n-]+([^\W\d]+))?", text[end : end + 60])
    for word in (tail[1], tail[2]) if tail else ():
        if word and word.casefold() in _UNITS:
            return _UNITS[word.casefold()]
        if not word or word.casefold() in FUNCTION_WORDS:
            break
    return ""


def _currency_before(text: str, start: int) -> str:
    return _UNITS.get(text[start - 1 : start].strip() or text[max(0, start - 2) : start].strip(), "") if start else ""


def _number_words(text: str) -> Iterator[Fact]:
    tokens = [(m.group().casefold(), m.start(), m.end()) for m in _WORD.finditer(text)]
    index = 0
    while index < len(tokens):
        word, start, end = tokens[index]
        if word in _ORDINALS and word != "second":
            yield Fact("number", text[start:end], frozenset({str(_ORDINALS[word])}), start, end, "")
        value = _word_value(word)
        if value is None or (word == "one" and _is_pronoun(tokens, index)):
            index += 1
            continue
        index += 1
        while index < len(tokens) and text[end : tokens[index][1]].strip(" \u00a0") == "":
            following = tokens[index][0]
            if following in _SCALES:
                value *= _SCALES[following]
            elif following in _SMALL and value % 100 == 0 and value:
                value += _SMALL[following]
            elif following in _SMALL and word in _TENS and value % 10 == 0:
                value += _SMALL[following]
            else:
                break
            end = tokens[index][2]
            index += 1
        yield Fact("number", text[start:end], frozenset({str(value)}), start, end, _unit_after(text, end))


def _word_value(word: str) -> int | None:
    if word == "half":
        return None
    if word in _NUMBER_WORDS:
        return _NUMBER_WORDS[word]
    first, mark, second = word.partition("-")
    if mark and first in _TENS and second in _SMALL:
        return _TENS[first] + _SMALL[second]
    return None


def _is_pronoun(tokens: Sequence[tuple[str, int, int]], index: int) -> bool:
    following = tokens[index + 1][0] if index + 1 < len(tokens) else ""
    before = tokens[index - 1][0] if index else ""
    return not following or following in _NOT_A_COUNT or before in ("the", "this", "that", "no", "any", "which", "another")


def _names(text: str) -> Iterator[Fact]:
    """Capitalised words inside a sentence. The first word of a sentence is capitalised anyway and proves nothing."""
    for match in _WORD.finditer(text):
        word = match.group()
        folded = word.casefold().replace("\u2019", "'").removesuffix("'s")
        if not word[0].isupper() or folded in FUNCTION_WORDS or folded in _NUMBER_WORDS or _opens_sentence(text, match.start()):
            continue
        yield Fact("name", word, frozenset({folded}), match.start(), match.end())


def _opens_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip(" \t\u00a0\"'\u201c\u2018\u00ab(*_#>-[")
    return not before or before[-1] in ".!?:;\n|\u2022"
