"""What a question may see, from plain values."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import TypedDict

from ragcli.config import Config
from ragcli.errors import ConfigError
from ragcli.records import Scope


class ScopeOptions(TypedDict, total=False):
    """``filters`` such as ``lang=de`` (AND), the asker's ``groups`` (default: those of the settings), an ISO date
    ``as_of`` (default: today), and whether superseded, expired and future documents are seen."""

    filters: Sequence[str]
    groups: Sequence[str] | None
    as_of: str | None
    include_superseded: bool


def scope_of(config: Config, options: ScopeOptions) -> Scope:
    """The scope of the options. Raises ConfigError for a group without a name, a filter or a date that is none."""
    from ragcli.filters import parse_filter

    if unknown := set(options) - set(ScopeOptions.__annotations__):
        raise TypeError(f"no option {sorted(unknown)[0]!r}; there are {', '.join(ScopeOptions.__annotations__)}")
    groups = several(options.get("groups"))
    if not all(group.strip() for group in groups):
        raise ConfigError("--as names no group", hint="--as GROUP, once for each group")
    as_of = options.get("as_of")
    return Scope(
        filters=tuple(parse_filter(text) for text in several(options.get("filters"))),
        groups=tuple(groups) if groups else config.groups,
        as_of=_date(as_of) if as_of else datetime.date.today().isoformat(),
        include_superseded=options.get("include_superseded", False),
    )


def several(names: str | Sequence[str] | None) -> Sequence[str]:
    """The names; one that stands alone is one name, not its letters."""
    return (names,) if isinstance(names, str) else names or ()


def _date(text: str) -> str:
    try:
        return datetime.date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise ConfigError(f"--as-of {text!r} is not a date", hint="write it as YYYY-MM-DD") from error
