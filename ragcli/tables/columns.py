"""What the cells of a column are, inferred once for all of them: numbers with their unit, dates, or text. Pure.

A column is typed when nearly all of its cells agree. The few that do not are empty to a query, counted in ``unread``
and still there as written in the table ``raw.NAME``; what leaves a doubt (two currencies, ``03/04/2026`` in an English
text, numbers that may be names) stays text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from ragcli.language.dates import dates
from ragcli.records.tables import CellValue, ColumnType, TableColumn
from ragcli.tables.numerals import COMMA, POINT, Numeral, numeral

_AGREE = 0.9
"""Share of the filled cells that must be of a type for the column to be of it."""
_MOST_DECIMALS = 12
_NOTHING = frozenset("- -- \u2013 \u2014 \u2212 n/a n.a. na null nil k.a. … ?".split()) | {"", "k. a."}
"""What stands in a cell of numbers or dates that holds none."""
_COMMA_LANGUAGES = frozenset("cs da de es fi fr hr hu id it nb nl nn no pl pt ro ru sk sl sv tr uk vi".split())
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?Z?")
_NUMERIC_DATE = re.compile(r"\d{1,2}([./-])\d{1,2}\1\d{2,4}\.?")


@dataclass(frozen=True, slots=True)
class Typed:
    """A column's type and the value of every cell, None where it is empty or was not read.

    ``unread`` are the places of the cells that hold something, and nothing of the type.
    """

    type: ColumnType
    values: tuple[CellValue, ...]
    unit: str = ""
    decimals: int = 0
    unread: tuple[int, ...] = ()


def typed(cells: Sequence[str], language: str | None = None) -> Typed:
    """The type that the cells agree on. ``language`` settles what the cells leave open, such as ``1.234``."""
    filled = [place for place, cell in enumerate(cells) if cell.strip().casefold() not in _NOTHING]
    for infer in (_moments, _dates, _numbers):
        found = infer([cells[place].strip() for place in filled], (language or "").partition("-")[0])
        if found is not None:
            values: list[CellValue] = [None] * len(cells)
            for place, value in zip(filled, found.values, strict=True):
                values[place] = value
            unread = tuple(place for place in filled if values[place] is None)
            return Typed(found.type, tuple(values), found.unit, found.decimals, unread)
    return Typed("text", tuple(cell or None for cell in cells))


def column(name: str, header: str, found: Typed) -> TableColumn:
    """The column of a name and a header."""
    return TableColumn(name, header, found.type, found.unit, found.decimals, len(found.unread))


def _agree(read: Sequence[object | None]) -> bool:
    good = sum(value is not None for value in read)
    return good > 0 and good >= _AGREE * len(read)


# ---------------------------------------------------------------- numbers


def _numbers(cells: Sequence[str], language: str) -> Typed | None:
    read = [numeral(cell) for cell in cells]
    if not _agree(read) or any(one is not None and one.is_code for one in read):
        return None
    unit, read = _unit(read)
    if unit is None or not _agree(read):
        return None
    point = _point(read, language)
    values = [one.reading(point) if one is not None else None for one in read]
    if not _agree(values):
        return None
    decimals = max((_decimals(value) for value in values if value is not None), default=0)
    if decimals > _MOST_DECIMALS:
        return None
    if decimals == 0:
        whole = tuple(int(value) if value is not None else None for value in values)
        return Typed("integer", whole, unit)
    return Typed("number", tuple(values), unit, decimals)


def _unit(read: Sequence[Numeral | None]) -> tuple[str | None, list[Numeral | None]]:
    """The one unit of all numbers; None when there are several. A number without one does not belong among percents."""
    units = {_one(numeral.unit): numeral.unit for numeral in read if numeral is not None and numeral.unit}
    if len(units) > 1:
        return None, list(read)
    unit = min(units.values(), default="")
    bare_too = unit not in ("%", "‰")
    return unit, [one if one is not None and (one.unit or bare_too) else None for one in read]


def _one(unit: str) -> str:
    """A unit in its singular: ``day`` and ``days`` are the same."""
    return unit[:-1] if len(unit) > 3 and unit.endswith("s") else unit


def _point(read: Iterable[Numeral | None], language: str) -> str:
    """The mark of decimals: the one by which most cells can be read, else the one of the language."""
    known = [one for one in read if one is not None]
    readable = {mark: sum(one.reading(mark) is not None for one in known) for mark in (POINT, COMMA)}
    if readable[POINT] != readable[COMMA]:
        return max(readable, key=lambda mark: readable[mark])
    return COMMA if language in _COMMA_LANGUAGES else POINT


def _decimals(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return -exponent if isinstance(exponent, int) and exponent < 0 else 0


# ---------------------------------------------------------------- dates


def _moments(cells: Sequence[str], language: str) -> Typed | None:
    del language
    values = [_moment(cell) for cell in cells]
    return Typed("timestamp", tuple(values)) if _agree(values) else None


def _moment(cell: str) -> datetime | None:
    found = _MOMENT.fullmatch(cell)
    try:
        return datetime.fromisoformat(f"{found[1]}T{found[2]}") if found else None
    except ValueError:
        return None


def _dates(cells: Sequence[str], language: str) -> Typed | None:
    readings = [_days(cell) for cell in cells]
    if not _agree([one or None for one in readings]):
        return None
    day_first = all(one[0] is not None for one in readings if one)
    month_first = all(one[1] is not None for one in readings if one)
    differ = any(len(set(one)) > 1 for one in readings if one)
    if not day_first and not month_first:
        return None
    if day_first and month_first and differ:
        slashes = any("/" in cell for cell in cells if _NUMERIC_DATE.fullmatch(cell))
        if slashes and language not in _COMMA_LANGUAGES:
            return None  # 03/04/2026: which of the two is the month cannot be told
    values = [(one[0] if day_first else one[1]) if one else None for one in readings]
    return Typed("date", tuple(values))


def _days(cell: str) -> tuple[date | None, date | None] | None:
    """The date that a cell holds and nothing besides, with the day first and with the month first."""
    found = next(((match, readings) for match, readings in dates(cell)), None) if len(cell) <= 40 else None
    if found is None or found[0].group() != cell.rstrip("."):
        return None
    possible = sorted(day for reading in found[1] if (day := _date(reading)) is not None)
    if not possible:
        return None
    if not _NUMERIC_DATE.fullmatch(cell):
        return possible[0], possible[0]
    first, second = (int(part) for part in re.findall(r"\d+", cell)[:2])
    by_day = next((day for day in possible if (day.day, day.month) == (first, second)), None)
    by_month = next((day for day in possible if (day.month, day.day) == (first, second)), None)
    return by_day, by_month


def _date(reading: str) -> date | None:
    year, month, day = reading.split("-")
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
