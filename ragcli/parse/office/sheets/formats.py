"""Numbers and dates as a sheet shows them: the format codes of spreadsheets (ECMA-376, 18.8.30–31).

No maintained Python library renders these codes. Separators are written as in the code (``,`` and ``.``), names of
months and days in English; a date in the short form of the reader's own country is written as ISO.
"""

from __future__ import annotations

import calendar
import datetime
import functools
import itertools
import math
import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

from ragcli.parse.office.sheets.format_codes import FormatSection, Part, SimpleForm, section_for, sections_of

Value = float | int | datetime.datetime | datetime.date | datetime.time | datetime.timedelta

_ISO_DATE = "yyyy-mm-dd"
BUILT_IN = {
    0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?",
    13: "# ??/??", 14: _ISO_DATE, 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM",
    20: "h:mm", 21: "h:mm:ss", 22: f"{_ISO_DATE} h:mm", 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)",
    39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;(#,##0.00)", 41: "#,##0;(#,##0);-", 42: "$#,##0;$(#,##0);$-",
    43: "#,##0.00;(#,##0.00);-", 44: "$#,##0.00;$(#,##0.00);$-", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0",
    48: "##0.0E+0", 49: "@",
    **dict.fromkeys((*range(27, 37), *range(50, 59)), _ISO_DATE),
}  # fmt: skip
"""Formats that a workbook names by number alone."""

_LONGEST_CODE = 255
_EPOCH = datetime.datetime(1899, 12, 30)
_MOST_DAYS = 2_958_465  # 9999-12-31


def general(value: float) -> str:
    """A number without a format: whole ones without a point, no noise of binary fractions."""
    return f"{value:.0f}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:.10g}"


def plain(value: Value) -> str:
    """A value without its format: numbers as they are, dates as ISO, durations as hours, minutes and seconds."""
    if isinstance(value, datetime.datetime):
        whole = value.time() == datetime.time()
        return value.date().isoformat() if whole else value.isoformat(sep=" ", timespec="seconds")
    if isinstance(value, datetime.timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, datetime.time):
        return value.isoformat(timespec="seconds")
    return general(value)


def shown(value: Value, code: str) -> str:
    """What a cell with that format code shows; empty when the code hides it."""
    if code in ("", "General", "@") or len(code) > _LONGEST_CODE:
        return plain(value)
    sections = sections_of(code)
    number = value if isinstance(value, int | float) else None
    if number is not None and not math.isfinite(number):
        return str(number)
    section, signed = section_for(sections, number if number is not None else 1.0)
    if section is None or section.general:
        return plain(value) if section is None else _with_general(section, value, signed)
    if section.dated:
        return _dated(section, value)
    if number is None:
        return plain(value)
    if section.simple is not None:
        return _simply(section.simple, number if signed else abs(number))
    return " ".join(_numeric(section.parts, abs(number) if not signed else number).split())


def shown_text(text: str, code: str) -> str:
    """A cell's text under that format: only a section with ``@`` adds something to it."""
    if "@" not in code or code == "@" or len(code) > _LONGEST_CODE:
        return text
    section = next((one for one in sections_of(code) if one.texts), None)
    if section is None:
        return text
    return "".join(text if part.kind == "text" else part.text for part in section.parts if part.kind != "digit")


def _with_general(section: FormatSection, value: Value, signed: bool) -> str:
    if isinstance(value, int | float) and not signed:
        value = abs(value)
    return "".join(plain(value) if part.kind == "general" else part.text for part in section.parts)


# ---------------------------------------------------------------- numbers


def _simply(form: SimpleForm, number: float) -> str:
    value = Decimal(repr(float(number)))
    rounded = (value.scaleb(form.power) if form.power else value).quantize(form.step, ROUND_HALF_UP)
    digits = f"{abs(rounded):{',' if form.grouped else ''}.{form.decimals}f}"
    missing = form.least_digits - len(digits.partition(".")[0])
    minus = "-" if rounded < 0 else ""
    return " ".join(f"{minus}{form.before}{'0' * missing}{digits}{form.after}".split())


def _numeric(parts: Sequence[Part], number: float) -> str:
    digits = [place for place, part in enumerate(parts) if part.kind == "digit"]
    if not digits:
        return "".join(part.text for part in parts)
    if any(part.kind == "slash" for part in parts):
        return _fraction(parts, number)
    value = Decimal(repr(float(number)))
    value = value.scaleb(2 * sum(part.kind == "percent" for part in parts))
    exponent = next((place for place, part in enumerate(parts) if part.kind == "exponent"), None)
    if exponent is not None:
        return _scientific(parts, exponent, value)
    point = next((place for place, part in enumerate(parts) if part.kind == "point"), len(parts))
    whole = [place for place in digits if place < point]
    grouped = bool(whole) and any(part.kind == "comma" for part in parts[whole[0] : whole[-1]])
    scaled = sum(_commas_after(parts, place) for place in {digits[-1], *whole[-1:]})
    value = value.scaleb(-3 * scaled)
    decimals = [place for place in digits if place > point]
    rounded = abs(value).quantize(Decimal(1).scaleb(-len(decimals)), ROUND_HALF_UP)
    minus = "-" if value < 0 and rounded else ""
    integer, _, fraction = f"{rounded:f}".partition(".")
    written = {**_whole_digits(parts, whole, integer, grouped), **_decimal_digits(parts, decimals, fraction)}
    lead = integer if not whole and integer != "0" else ""  # ``.00`` shows what stands before the point
    body = []
    for place, part in enumerate(parts):
        if part.kind == "digit":
            body.append(written[place])
        elif part.kind == "point":
            bare = decimals and not any(written[decimal] for decimal in decimals)
            body.append(lead + ("" if bare else part.text))
        elif part.kind != "comma":
            body.append(part.text)
    return minus + "".join(body)


def _commas_after(parts: Sequence[Part], place: int) -> int:
    """By how many thousands the commas right after a digit divide the number."""
    return sum(1 for _ in itertools.takewhile(lambda part: part.kind == "comma", parts[place + 1 :]))


def _whole_digits(parts: Sequence[Part], places: Sequence[int], integer: str, grouped: bool) -> dict[int, str]:
    """What each placeholder before the point shows; the first takes all digits that are left."""
    digits = list(integer.lstrip("0"))
    result: dict[int, str] = {}
    count = 0
    for place in reversed(places):
        taken: list[str] = []
        while True:
            digit = digits.pop() if digits else {"0": "0", "?": " "}.get(parts[place].text, "")
            if digit:
                if grouped and count and count % 3 == 0 and digit != " ":
                    taken.append(",")
                taken.append(digit)
                count += 1
            if place != places[0] or not digits:
                break
        result[place] = "".join(reversed(taken))
    return result


def _decimal_digits(parts: Sequence[Part], places: Sequence[int], fraction: str) -> dict[int, str]:
    result: dict[int, str] = {}
    trailing = True
    for place, digit in reversed(list(zip(places, fraction, strict=False))):
        trailing = trailing and digit == "0"
        result[place] = {"#": "", "?": " "}.get(parts[place].text, digit) if trailing else digit
    return result


def _scientific(parts: Sequence[Part], exponent: int, value: Decimal) -> str:
    power = value.adjusted() if value else 0
    point = next((place for place, part in enumerate(parts[:exponent]) if part.kind == "point"), exponent)
    power -= power % max(1, sum(part.kind == "digit" for part in parts[:point]))
    mantissa = float(value.scaleb(-power))
    sign = "-" if power < 0 else "+" if "+" in parts[exponent].text else ""
    width = len(parts[exponent].text) - 2
    return f"{_numeric(parts[:exponent], mantissa)}{parts[exponent].text[0]}{sign}{abs(power):0{width}d}"


def _fraction(parts: Sequence[Part], number: float) -> str:
    """``1 3/4``; a denominator that the code gives is kept."""
    code = "".join(part.text for part in parts)
    above, _, below = code.partition("/")
    fixed = re.match(r"\d+", below)
    places = sum(char in "0#?" for char in below)
    exact = Fraction(repr(abs(float(number))))
    nearest = exact.limit_denominator(10 ** min(places, 4) - 1 if places else 9)
    bottom = int(fixed[0]) if fixed and int(fixed[0]) else nearest.denominator
    top = round(exact * bottom)
    mixed = bool(re.search(r"[0#?]\s+[0#?]", above))
    whole, top = divmod(top, bottom) if mixed else (0, top)
    text = f"{whole} {top}/{bottom}" if whole and top else str(whole) if mixed and not top else f"{top}/{bottom}"
    return ("-" if number < 0 else "") + text


# ---------------------------------------------------------------- dates


@functools.lru_cache(maxsize=65_536)
def _dated(section: FormatSection, value: Value) -> str:
    if isinstance(value, int | float):
        if not 0 <= value <= _MOST_DAYS:
            return general(value)
        moment = _EPOCH + datetime.timedelta(seconds=round(value * 86_400_000) / 1000)
        passed = datetime.timedelta(days=value)
    elif isinstance(value, datetime.timedelta):
        moment, passed = _EPOCH + value, value
    elif isinstance(value, datetime.time):
        moment = datetime.datetime.combine(_EPOCH.date(), value)
        passed = moment - _EPOCH
    else:
        day = value if isinstance(value, datetime.datetime) else datetime.datetime.combine(value, datetime.time())
        moment, passed = day, day - _EPOCH
    half = any(part.kind == "ampm" for part in section.parts)
    fraction = sum(part.kind == "digit" for part in section.parts)
    if not fraction:  # seconds are rounded, not cut
        moment += datetime.timedelta(milliseconds=500)
    written = [_moment(part, moment, passed, half=half) for part in section.parts]
    text = "".join(written)
    if fraction:
        text = re.sub(r"\.0+", "." + f"{moment.microsecond:06d}"[:fraction], text, count=1)
    return " ".join(text.split())


def _moment(part: Part, moment: datetime.datetime, passed: datetime.timedelta, *, half: bool) -> str:
    """One token of a date or time; ``half`` says that hours count to twelve."""
    if part.kind not in ("date", "elapsed", "ampm"):
        return part.text
    size, name = len(part.text), part.text[0]
    if part.kind == "elapsed":
        seconds = round(passed.total_seconds())
        return str(seconds // {"h": 3600, "m": 60, "s": 1}[name]).zfill(size)
    if part.kind == "ampm":
        before, _, after = part.text.partition("/")
        return before if moment.hour < 12 else after
    if name in "mdn" and size > 2:
        names = calendar.month_name[moment.month] if name == "m" else calendar.day_name[moment.weekday()]
        return names[:3] if size == 3 else names[:1] if size == 5 else names
    number = {
        "y": moment.year if size > 2 else moment.year % 100,
        "e": moment.year,
        "m": moment.month,
        "d": moment.day,
        "h": (moment.hour % 12 or 12) if half else moment.hour,
        "n": moment.minute,
        "s": moment.second,
    }.get(name)
    if number is None:
        return ""
    return str(number).zfill(4 if name == "y" and size > 2 else 2 if name == "y" else min(size, 2))
