"""Filters and access groups against the values that occur in an index."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from datetime import date
from typing import TYPE_CHECKING

from ragcli.errors import ConfigError
from ragcli.index.segments.attributes import ALIASES, DATE_KEYS, PLAIN_KEYS, stored_value
from ragcli.records import Filter

if TYPE_CHECKING:
    from ragcli.index.segments.segment import Segment

META = "meta."
FOLDED_KEYS = ("lang", "type", "status", "tag")
_PARTIAL_DATE = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?")


Known = Callable[[str], bool]
"""Whether the asker sees any document with this ``meta.<name>``."""


def stored_key(item: Filter, known: Known, meta_keys: Callable[[], Sequence[str]]) -> str:
    """The stored name of the filter's key. Raises ConfigError for an unknown one, listing those known to the asker."""
    key = ALIASES.get(item.key, item.key)
    if key in PLAIN_KEYS or key in DATE_KEYS or (key.startswith(META) and known(key)):
        return key
    names = ", ".join((*PLAIN_KEYS, *DATE_KEYS, *sorted(filter(known, meta_keys()))))
    raise ConfigError(f"unknown filter key {item.key!r} in {str(item)!r}", hint=f"known keys: {names}")


def acl_values(values: Sequence[str], groups: Sequence[str], default_acl: Sequence[str]) -> list[str]:
    """Of stored access sets, those that the groups open.

    An empty set counts as ``default_acl``, and when that is empty too the document is public.
    """
    own = set(groups)
    found = []
    for value in values:
        wanted = set(json.loads(value)) or set(default_acl)
        if not wanted or wanted & own:
            found.append(value)
    return found


def matching_values(segment: Segment, key: str, item: Filter) -> tuple[list[str], bool]:
    """The stored values of ``key`` that match, and whether the documents with them are those left *out*.

    ``!=`` also lets through documents that have no such value at all. Raises ConfigError for a bad date.
    """
    if key in DATE_KEYS:
        return _matching_dates(segment, key, item)
    if item.operator in ("=", "!="):
        return _equal(segment, key, item.value), item.operator == "!="
    if item.operator == "~":
        return _matching_glob(segment, key, item.value), False
    return [value for value in segment.values(key) if _compare(value, item.operator, item.value)], False


def _equal(segment: Segment, key: str, wanted: str) -> list[str]:
    """Values equal to ``wanted``; those of a small vocabulary whatever their case, a language with any region."""
    if key not in FOLDED_KEYS:
        return [wanted]
    folded = wanted.casefold()
    return [
        value
        for value in segment.values(key)
        if value.casefold() == folded or (key == "lang" and value.casefold().startswith(folded + "-"))
    ]


def _compare(value: str, operator: str, wanted: str) -> bool:
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


def _matching_dates(segment: Segment, key: str, item: Filter) -> tuple[list[str], bool]:
    if item.operator == "~":
        return _matching_glob(segment, key, item.value), False
    first, last = date_range(item)
    after = last + "\uffff"
    if item.operator in ("=", "!="):
        return segment.values(key, first, after), item.operator == "!="
    if item.operator == "<":
        return segment.values(key, "", first), False
    if item.operator == "<=":
        return segment.values(key, "", after), False
    return segment.values(key, first if item.operator == ">=" else after), False


def date_range(item: Filter) -> tuple[str, str]:
    """First and last day that a date filter means: ``2026`` is a year, ``2026-03`` a month. Raises ConfigError."""
    match = _PARTIAL_DATE.fullmatch(item.value.strip())
    try:
        if match is None:
            raise ValueError
        year, month, day = match.groups()
        date(int(year), int(month or 1), int(day or 1))
    except ValueError:
        raise ConfigError(f"bad date {item.value!r} in filter {str(item)!r}", hint="write YYYY-MM-DD") from None
    if day:
        return f"{year}-{month}-{day}", f"{year}-{month}-{day}"
    return (f"{year}-{month}-01", f"{year}-{month}-31") if month else (f"{year}-01-01", f"{year}-12-31")


def _matching_glob(segment: Segment, key: str, glob: str) -> list[str]:
    glob = stored_value(glob)
    prefix = re.split(r"[*?\[]", glob, maxsplit=1)[0]
    pattern = re.compile(glob_pattern(glob), re.DOTALL)
    high = prefix + "\U0010ffff" if prefix else None
    return [value for value in segment.values(key, prefix, high) if pattern.fullmatch(value)]


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
