"""Filters: what ``KEY OP VALUE`` spells, and which values of a document it lets through. Pure.

An index finds the values by the range they lie in and keeps those that fit, so that what a filter means is said here
alone: keys and their aliases, dates by year, month or day, globs, small vocabularies whatever their case.
"""

from __future__ import annotations

import re
import typing
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Literal

from ragcli.errors import ConfigError
from ragcli.language.patterns import pattern
from ragcli.records import Filter

Operator = Literal["=", "!=", "<", "<=", ">", ">=", "~"]

OPERATORS: tuple[str, ...] = typing.get_args(Operator)
TEXT_KEYS = ("source", "doc_id", "lang", "type", "status", "tag", "title")
DATE_KEYS = ("date", "effective_date", "modified", "expires")
META = "meta."
_ALIASES = {"language": "lang", "tags": "tag"}
_FOLDED_KEYS = ("lang", "type", "status", "tag")

_EXPRESSION = pattern(r"\s*(?P<key>[^=!<>~]*?)\s*(?P<operator>[=!<>~]+)(?P<value>.*)", re.DOTALL)
_KEY = pattern(r"(meta\.\S.*|(?!meta\.)[A-Za-z_][\w.-]*)")
_PARTIAL_DATE = pattern(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?", re.ASCII)
_HINT = "a filter is KEY OP VALUE with OP one of " + " ".join(OPERATORS) + ", such as lang=de or date>=2026-01-01"
_LAST = "\U0010ffff"


def parse_filter(text: str) -> Filter:
    """The filter that ``text`` spells. A value in double quotes is taken as it stands between them.

    Which ``meta.`` keys exist is the engine's to say. Raises ConfigError with the expression and what is wrong with it.
    """
    match = _EXPRESSION.fullmatch(text)
    if match is None:
        raise _wrong(text, "has no operator")
    key, operator, value = match["key"], match["operator"], match["value"].strip()
    if not _KEY.fullmatch(key):
        raise _wrong(text, f"has no usable key before {operator!r}" if key == "" else f"has the malformed key {key!r}")
    if operator not in OPERATORS:
        raise _wrong(text, f"has the unknown operator {operator!r}")
    if len(value) >= 2 and value[0] == value[-1] == '"':
        value = value[1:-1]
    if not value:
        raise _wrong(text, "has no value")
    if operator == "~" and (opened := value.find("[")) >= 0 and "]" not in value[opened + 2 :]:
        raise _wrong(text, "has a [ in its glob that no ] closes")
    key = key if key.startswith(META) else key.lower()
    if key_of(key) in TEXT_KEYS and operator[0] in "<>":
        raise _wrong(text, f"asks for an order of {key}, which is text: use = != or ~")
    item = Filter(key, typing.cast(Operator, operator), value)
    condition(item)
    return item


def _wrong(text: str, problem: str) -> ConfigError:
    return ConfigError(f"filter {text!r} {problem}", hint=_HINT)


def key_of(name: str) -> str:
    """The key that ``name`` means: ``lang`` for ``language``."""
    return _ALIASES.get(name, name)


@dataclass(frozen=True, slots=True)
class Condition:
    """What a filter asks: values from ``low`` to before ``high`` (None: to the last) that also ``fit``.

    With ``excludes`` the documents that have such a value are left out, and those without any value stay in.
    """

    low: str
    high: str | None
    fits: Callable[[str], bool]
    excludes: bool = False

    def allows(self, value: str) -> bool:
        """Whether one value is such a value, whatever becomes of the documents that have it."""
        return self.low <= value and (self.high is None or value < self.high) and self.fits(value)


def condition(item: Filter) -> Condition:
    """What the filter asks of the values of its key. Raises ConfigError for a bad date."""
    key, excludes = key_of(item.key), item.operator == "!="
    if item.operator == "~":
        return _glob(item.value)
    if key in DATE_KEYS:
        low, high = _days(item)
        return Condition(low, high, _anything, excludes)
    if item.operator not in ("=", "!="):
        return Condition("", None, lambda value: _is_ordered(value, item.operator, item.value))
    if key not in _FOLDED_KEYS:
        return Condition(item.value, item.value + "\0", _anything, excludes)
    wanted = item.value.casefold()
    region = wanted + "-" if key == "lang" else None
    return Condition("", None, lambda value: _is_called(value.casefold(), wanted, region), excludes)


def _anything(value: str) -> bool:
    return True


def _is_called(value: str, wanted: str, region: str | None) -> bool:
    """Equal, or a language with any region."""
    return value == wanted or (region is not None and value.startswith(region))


def _is_ordered(value: str, operator: str, wanted: str) -> bool:
    """Order as numbers when both are numbers, else as text."""
    left: float | str
    right: float | str
    try:
        left, right = float(value), float(wanted)
    except ValueError:
        left, right = value, wanted
    if operator == "<":
        return left < right  # type: ignore[operator]
    if operator == "<=":
        return left <= right  # type: ignore[operator]
    return left > right if operator == ">" else left >= right  # type: ignore[operator]


def _days(item: Filter) -> tuple[str, str | None]:
    """The range of stored days that a date filter lets through."""
    first, last = date_range(item)
    after = last + _LAST
    ranges: dict[str, tuple[str, str | None]] = {
        "<": ("", first), "<=": ("", after), ">": (after, None), ">=": (first, None),
    }  # fmt: skip
    return ranges.get(item.operator, (first, after))


def date_range(item: Filter) -> tuple[str, str]:
    """First and last day that a date filter means: ``2026`` is a year, ``2026-03`` a month. Raises ConfigError."""
    match = _PARTIAL_DATE.fullmatch(item.value.strip())
    try:
        if match is None:
            raise ValueError
        year, month, day = match.groups()
        date(int(year), int(month or 1), int(day or 1))
    except ValueError:
        raise _wrong(str(item), f"has the bad date {item.value!r}, expected YYYY-MM-DD, YYYY-MM or YYYY") from None
    if day:
        return f"{year}-{month}-{day}", f"{year}-{month}-{day}"
    return (f"{year}-{month}-01", f"{year}-{month}-31") if month else (f"{year}-01-01", f"{year}-12-31")


def _glob(glob: str) -> Condition:
    prefix = re.split(r"[*?\[]", glob, maxsplit=1)[0]
    wanted = re.compile(glob_pattern(glob), re.DOTALL)
    return Condition(prefix, prefix + _LAST if prefix else None, lambda value: wanted.fullmatch(value) is not None)


def glob_pattern(glob: str) -> str:
    """A regular expression for a path glob: ``**`` crosses folders, ``*`` and ``?`` do not, ``[…]`` is a set."""
    parts: list[str] = []
    place = 0
    while place < len(glob):
        if glob.startswith("**/", place):
            parts.append("(?:.*/)?")
            place += 3
        elif glob.startswith("**", place):
            parts.append(".*")
            place += 2
        elif glob[place] in "*?":
            parts.append("[^/]*" if glob[place] == "*" else "[^/]")
            place += 1
        elif glob[place] == "[" and (end := glob.find("]", place + 2)) > 0:
            inner = glob[place + 1 : end].replace("\\", "\\\\").replace("[", "\\[")
            parts.append(f"[^{inner[1:]}]" if inner[0] in "!^" else f"[{inner}]")
            place = end + 1
        else:
            parts.append(re.escape(glob[place]))
            place += 1
    return "".join(parts)
