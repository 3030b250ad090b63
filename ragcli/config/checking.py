"""Whether a value is what a setting asks for: types, choices, bounds, and the nearest known name for a typo."""

from __future__ import annotations

import dataclasses
import difflib
import types
import typing
from collections.abc import Mapping
from typing import Any, Literal

from ragcli import plugins
from ragcli.errors import ConfigError


def nearest(name: str, known: Mapping[str, Any], section: str = "") -> str:
    """``; did you mean …?`` for a name close to a known one, else ``; known: …``."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    dotted = f"{section}." if section else ""
    if close:
        return f"; did you mean {dotted}{close[0]!r}?" if not dotted else f"; did you mean '{dotted}{close[0]}'?"
    return f"; known: {', '.join(known)}"


def checked(value: Any, hint: Any, metadata: Mapping[str, Any], where: str) -> Any:
    """``value`` as the type ``hint`` asks for; raises ConfigError naming both."""
    value = _typed(value, hint, metadata, where)
    if metadata.get("group"):
        for name in (value,) if isinstance(value, str) else value:
            plugins.check(metadata["group"], name, where, metadata["own"])
    return value


def _typed(value: Any, hint: Any, metadata: Mapping[str, Any], where: str) -> Any:
    origin = typing.get_origin(hint)
    if origin is Literal:
        allowed = typing.get_args(hint)
        value = {True: "on", False: "off"}.get(value, value) if isinstance(value, bool) else value  # YAML 1.1: off
        if value not in allowed:
            raise ConfigError(f"{where} is {value!r}, expected one of {', '.join(map(str, allowed))}")
        return value
    if origin is tuple:
        return _check_tuple(value, typing.get_args(hint)[0], where)
    if origin is not None and issubclass(origin, Mapping):
        if not isinstance(value, Mapping):
            raise ConfigError(f"{where} is {value!r}, expected keys and values")
        inner = typing.get_args(hint)[1]
        return {str(k): v if inner is Any else checked(v, inner, {}, f"{where}.{k}") for k, v in value.items()}
    return _check_scalar(value, hint, metadata, where)


def _check_tuple(value: Any, inner: Any, where: str) -> tuple[Any, ...]:
    if (isinstance(value, str) and inner is not str) or not isinstance(value, list | tuple | str):
        raise ConfigError(f"{where} is {value!r}, expected a list")
    items = [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value
    if dataclasses.is_dataclass(inner):
        return tuple(_check_record(item, typing.cast(type, inner), f"{where}[{n}]") for n, item in enumerate(items))
    return tuple(checked(item, inner, {}, f"{where}[{n}]") for n, item in enumerate(items))


def _check_record(value: Any, kind: type, where: str) -> Any:
    if not isinstance(value, Mapping):
        raise ConfigError(f"{where} is {value!r}, expected keys and values")
    known = {item.name: item for item in dataclasses.fields(kind)}
    hints = typing.get_type_hints(kind)
    for key in value:
        if key not in known:
            raise ConfigError(f"{where}: unknown key {key!r}{nearest(str(key), known)}")
    return kind(**{key: checked(item, hints[key], {}, f"{where}.{key}") for key, item in value.items()})


def _check_scalar(value: Any, hint: Any, metadata: Mapping[str, Any], where: str) -> Any:
    if isinstance(hint, types.UnionType):
        raise AssertionError(f"{where}: a setting has one type")
    wanted = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}[hint]
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if hint is str and isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        raise ConfigError(f"{where} is {value!r}, expected {wanted}")
    if isinstance(value, str) and not _is_text(value):
        raise ConfigError(f"{where} is {value!r}, which holds a character that no name or address can have")
    low, high = metadata.get("low"), metadata.get("high")
    if isinstance(value, int | float) and not isinstance(value, bool):
        if value != value or (low is not None and value < low) or (high is not None and value > high):
            limits = f"from {low}" if high is None else f"between {low} and {high}"
            raise ConfigError(f"{where} is {value}, expected a number {limits}")
    return value


def _is_text(value: str) -> bool:
    """Whether a text can be handed to the system: no NUL, no half of a character (a byte of a file name may stand)."""
    try:
        value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return "\0" not in value
