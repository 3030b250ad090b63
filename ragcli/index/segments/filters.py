"""Filters and access groups against the values that occur in an index."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ragcli.codec import decode
from ragcli.errors import ConfigError, StoreError
from ragcli.filters import DATE_KEYS, META, TEXT_KEYS, condition, key_of
from ragcli.names import valid
from ragcli.records import Filter, is_open
from ragcli.regular_files import parse_json

if TYPE_CHECKING:
    from ragcli.index.segments.lookup import AttributeLookup

Known = Callable[[str], bool]
"""Whether the asker sees any document with this ``meta.<name>``."""


def stored_key(item: Filter, known: Known, meta_keys: Callable[[], Sequence[str]]) -> str:
    """The stored name of the filter's key. Raises ConfigError for an unknown one, listing those known to the asker."""
    key = key_of(item.key)
    if key in TEXT_KEYS or key in DATE_KEYS or (key.startswith(META) and known(key)):
        return key
    names = ", ".join((*TEXT_KEYS, *DATE_KEYS, *sorted(filter(known, meta_keys()))))
    raise ConfigError(f"unknown filter key {item.key!r} in {str(item)!r}", hint=f"known keys: {names}")


def acl_values(values: Sequence[str], groups: Sequence[str], default_acl: Sequence[str]) -> list[str]:
    """Of stored access sets, those that the groups open.

    An empty set counts as ``default_acl``, and when that is empty too the document is public.
    """
    own = set(groups)
    return [value for value in values if is_open(_groups(value), own, default_acl)]


def _groups(value: str) -> tuple[str, ...]:
    try:
        return decode(tuple[str, ...], parse_json(value))
    except (TypeError, ValueError) as error:
        hint = "rag versions verify; rag index --rebuild"
        raise StoreError(f"who may see some documents cannot be told: {error}", hint=hint) from error


def matching_values(segment: AttributeLookup, key: str, item: Filter) -> tuple[list[str], bool]:
    """The stored values of ``key`` that match, and whether the documents with them are those left *out*.

    ``!=`` also lets through documents that have no such value at all. Raises ConfigError for a bad date.
    """
    asked = condition(dataclasses.replace(item, value=valid(item.value)))
    return [value for value in segment.values(key, asked.low, asked.high) if asked.fits(value)], asked.excludes
