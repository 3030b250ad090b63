"""What a question may see, from plain values."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Sequence
from typing import TypedDict

from ragcli.config import Config
from ragcli.errors import ConfigError
from ragcli.records import Scope


class ScopeOptions(TypedDict, total=False):
    """``filters`` such as ``lang=de`` (AND), the asker's ``groups`` (default: those of the settings), a date (ISO)
    ``as_of`` (default: today), and whether superseded, expired and future documents are seen."""

    filters: Sequence[str]
    groups: Sequence[str] | None
    as_of: str | datetime.date | None
    include_superseded: bool


def scope_of(config: Config, options: ScopeOptions) -> Scope:
    """The scope of the options. Raises ConfigError for a group without a name, a filter or a date that is none."""
    from ragcli.filters import parse_filter

    if unknown := set(options) - set(ScopeOptions.__annotations__):
        raise TypeError(f"no option {sorted(unknown)[0]!r}; there are {', '.join(ScopeOptions.__annotations__)}")
    groups = several(options.get("groups"), "a group")
    if not all(group.strip() for group in groups):
        raise ConfigError("--as names no group", hint="--as GROUP, once for each group")
    as_of, superseded = options.get("as_of"), options.get("include_superseded", False)
    if not isinstance(superseded, bool):
        raise TypeError(f"include_superseded is True or False, not {superseded!r}")
    return Scope(
        filters=tuple(parse_filter(text) for text in several(options.get("filters"), "a filter")),
        groups=tuple(groups) if groups else config.groups,
        as_of=_date(as_of) if as_of else datetime.date.today().isoformat(),
        include_superseded=superseded,
    )


def several(names: str | Sequence[str] | None, what: str) -> Sequence[str]:
    """The names; one that stands alone is one name, not its letters. Raises TypeError for what is no text."""
    if names is None or isinstance(names, str):
        return (names,) if names is not None else ()
    if isinstance(names, bytes) or not isinstance(names, Iterable):
        raise TypeError(f"{what} is text, or several are a list of texts, not {names!r}")
    return [text(name, what) for name in names]


def text(value: object, what: str) -> str:
    """``value``, which has to be text. Raises TypeError when it is none."""
    if not isinstance(value, str):
        raise TypeError(f"{what} is text, not {value!r}")
    return value


def _date(value: str | datetime.date) -> str:
    if isinstance(value, datetime.date):
        return value.isoformat()[:10]
    try:
        return datetime.date.fromisoformat(text(value, "as_of")).isoformat()
    except ValueError as error:
        raise ConfigError(f"--as-of {value!r} is not a date", hint="write it as YYYY-MM-DD") from error
