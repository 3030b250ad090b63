"""Reads a filter expression, ``key OP value``.

Which keys exist is the engine's to say; what can be wrong with the expression itself is found here: no operator, an
unknown one, an order asked of words, a date that is none.
"""

from __future__ import annotations

import datetime
import re
import typing
from typing import Literal

from ragcli.errors import ConfigError
from ragcli.records import Filter

Operator = Literal["=", "!=", "<", "<=", ">", ">=", "~"]

OPERATORS: tuple[str, ...] = typing.get_args(Operator)
DATE_KEYS = frozenset({"date", "modified", "effective_date", "expires"})
TEXT_KEYS = frozenset({"lang", "source", "type", "tag", "status", "title", "doc_id"})

_EXPRESSION = re.compile(r"\s*(?P<key>[^=!<>~]*?)\s*(?P<operator>[=!<>~]+)(?P<value>.*)", re.DOTALL)
_KEY = re.compile(r"(meta\.\S.*|(?!meta\.)[A-Za-z_][\w.-]*)")
_HINT = "a filter is KEY OP VALUE with OP one of " + " ".join(OPERATORS) + ", such as lang=de or date>=2026-01-01"


def parse_filter(text: str) -> Filter:
    """The filter that ``text`` spells. A value in double quotes is taken as it stands between them.

    Raises ConfigError with the expression and what is wrong with it.
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
    key = key if key.startswith("meta.") else key.lower()
    _check(text, key, operator, value)
    return Filter(key, typing.cast(Operator, operator), value)


def _check(text: str, key: str, operator: str, value: str) -> None:
    if key in DATE_KEYS:
        if operator == "~":
            raise _wrong(text, f"matches the date {key} by a glob; dates are compared with = != < <= > >=")
        if not _is_date(value):
            raise _wrong(text, f"has the bad date {value!r}, expected YYYY-MM-DD")
    elif key in TEXT_KEYS and operator[0] in "<>":
        raise _wrong(text, f"asks for an order of {key}, which is text: use = != or ~")


def _is_date(value: str) -> bool:
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII):
        return False
    try:
        datetime.date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _wrong(text: str, problem: str) -> ConfigError:
    return ConfigError(f"filter {text!r} {problem}", hint=_HINT)
