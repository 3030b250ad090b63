"""Dates and times of day as text writes them, reduced to one form."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragcli.language.lexicon import any_word, months
from ragcli.language.patterns import pattern

_ENDS = r"(?![\w]|[-/.]\d)"
_DATE = pattern(
    lambda: (
        rf"""
      (?<![\w.])(?P<iso>\d{{4}})[-/.](?P<iso_month>\d{{1,2}})[-/.](?P<iso_day>\d{{1,2}}){_ENDS}
    | (?P<cjk>\d{{4}})\s?年(?:\s?(?P<cjk_month>\d{{1,2}})\s?月(?:\s?(?P<cjk_day>\d{{1,2}})\s?日)?)?
    | (?<![\w./-])(?P<first>\d{{1,2}})(?P<mark>[./-])(?P<second>\d{{1,2}})(?P=mark)(?P<year>\d{{4}}|\d{{2}}){_ENDS}
    | (?<![\w.])(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.|er|º)?\s+(?:of\s+|de\s+)?(?P<month>{any_word(months())})\b\.?
      (?:,?\s+(?:de\s+|del\s+)?(?P<day_year>\d{{4}})(?!\d))?
    | \b(?P<us_month>{any_word(months())})\.?\s+(?P<us_day>\d{{1,2}})(?:st|nd|rd|th)?(?!\d|[.,:]\d)
      (?:,?\s+(?P<us_year>\d{{4}})(?!\d))?
    | \b(?P<only_month>{any_word(months())})\.?,?\s+(?:of\s+|de\s+)?(?P<only_year>\d{{4}})(?!\d)
    """
    ),
    re.VERBOSE | re.IGNORECASE,
)
_TIME = pattern(
    r"(?<![\w.:])(?P<hour>\d{1,2})(?:[:.h](?P<minute>\d{2})(?!\d))?(?::\d{2})?\s*(?P<half>[ap]\.?m\b\.?)(?!\w)"
    r"|(?<![\w.:])(?P<hour24>\d{1,2}):(?P<minute24>\d{2})(?![\d:])(?:\s*(?:uhr|h)\b)?"
    r"|(?<![\w.:])(?P<uhr>\d{1,2})\s+uhr\b",
    re.IGNORECASE,
)


def dates(text: str) -> Iterator[tuple[re.Match[str], frozenset[str]]]:
    """Each date with its readings ``year-month-day``; a part that is not given is empty (``2026-3-``)."""
    for match in _DATE.finditer(text):
        if readings := frozenset(_readings(match)):
            yield match, readings


def times(text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Each time of day as ``HH:MM``."""
    for match in _TIME.finditer(text):
        hour = int(match["hour"] or match["hour24"] or match["uhr"])
        minute = int(match["minute"] or match["minute24"] or 0)
        if match["half"]:
            hour = hour % 12 + (12 if match["half"][0] in "pP" else 0)
        yield match, f"{hour:02d}:{minute:02d}"


def month(name: str) -> int:
    """The number of a month by its name or its abbreviation in any case, 0 when it is none."""
    return months().get(name.casefold().rstrip("."), 0)


def states_date(wanted: str, given: str) -> bool:
    """Every part of the wanted date is given and equal: ``2026-3-`` is stated by ``2026-3-1``, not the other way."""
    return all(part in ("", other) for part, other in zip(wanted.split("-"), given.split("-"), strict=True))


def _date(year: str | None, month: int, day: str | None) -> str:
    number = int(year) if year else 0
    if year and number < 100:
        number += 2000 if number < 70 else 1900
    return f"{number or ''}-{month or ''}-{int(day) if day else ''}"


def _readings(match: re.Match[str]) -> Iterator[str]:
    part = match.groupdict()
    if part["iso"]:
        if int(part["iso_month"]) <= 12 and int(part["iso_day"]) <= 31:
            yield _date(part["iso"], int(part["iso_month"]), part["iso_day"])
    elif part["cjk"]:
        yield _date(part["cjk"], int(part["cjk_month"] or 0), part["cjk_day"])
    elif part["first"]:
        yield from _numeric(part["first"], part["second"], part["year"])
    elif part["day"]:
        yield _date(part["day_year"], month(part["month"]), part["day"])
    elif part["us_day"]:
        yield _date(part["us_year"], month(part["us_month"]), part["us_day"])
    else:
        yield _date(part["only_year"], month(part["only_month"]), None)


def _numeric(first: str, second: str, year: str) -> Iterator[str]:
    """Day before month and month before day, as far as each is possible."""
    if 1 <= int(second) <= 12 and 1 <= int(first) <= 31:
        yield _date(year, int(second), first)
    if 1 <= int(first) <= 12 and 1 <= int(second) <= 31:
        yield _date(year, int(first), second)
