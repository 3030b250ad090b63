"""Records to plain JSON values and back: how a record is stored and printed.

``decode(kind, encode(record)) == record`` for every record in ``ragcli.records``.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, Literal

T = typing.TypeVar("T")
Decoder = Callable[[Any], Any]
_PLAIN = frozenset({str, int, float, bool, type(None)})


def encode(value: Any) -> Any:
    """``value`` as dicts, lists, strings, numbers, booleans and None."""
    kind: typing.Any = type(value)
    if kind in _PLAIN:
        return value
    names = _field_names(kind)
    if names is not None:
        return {name: encode(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [encode(item) for item in value]
    return value


def decode(kind: type[T], value: Any) -> T:
    """``value``, as ``encode`` made it, as a record of type ``kind``.

    Raises TypeError for every other shape: what is stored may have been written by anyone, and a record whose fields
    are not what they say would fail far from here.
    """
    try:
        return typing.cast(T, _decoder(typing.cast(Any, kind))(value))
    except (KeyError, ValueError, AttributeError, OverflowError) as error:
        raise TypeError(f"{getattr(kind, '__name__', kind)}: {error}") from error


@functools.cache
def _field_names(kind: type) -> tuple[str, ...] | None:
    return tuple(item.name for item in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else None


@functools.cache
def _decoder(hint: Any) -> Decoder:
    if dataclasses.is_dataclass(hint):
        return _record_decoder(typing.cast(type, hint))
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple:
        return _tuple_decoder(arguments)
    if origin is Literal:
        return functools.partial(_one_of, arguments)
    if origin is None:
        return _PLAIN_DECODERS.get(hint, _same)
    if origin in (typing.Union, types.UnionType):
        inner = _decoder(next(item for item in arguments if item is not type(None)))
        return lambda value: None if value is None else inner(value)
    if issubclass(origin, Mapping):
        of_value = _decoder(arguments[1])
        return lambda value: {key: of_value(item) for key, item in value.items()}
    raise TypeError(f"no way to decode {hint}")


def _tuple_decoder(arguments: tuple[Any, ...]) -> Decoder:
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        item_decoder = _decoder(arguments[0])
        return lambda value: tuple(item_decoder(item) for item in _list(value))
    decoders = [_decoder(item) for item in arguments]
    return lambda value: tuple(each(item) for each, item in zip(decoders, _list(value), strict=True))


def _record_decoder(kind: type) -> Decoder:
    hints = typing.get_type_hints(kind)
    made = [(item.name, _decoder(hints[item.name])) for item in dataclasses.fields(kind)]

    def decoder(value: Any) -> Any:
        if type(value) is not dict:
            raise TypeError(f"{kind.__name__}: a JSON object is wanted, {_shown(value)} found")
        fields = {}
        for name, each in made:
            if name in value:
                try:
                    fields[name] = each(value[name])
                except TypeError as error:
                    raise TypeError(f"{name}: {error}") from None
        return kind(**fields)

    return decoder


def _shown(value: Any) -> str:
    text = repr(value) if isinstance(value, str | int | float | None) else type(value).__name__
    return text if len(text) < 40 else text[:36] + "…"


def _list(value: Any) -> list[Any]:
    if type(value) is not list:
        raise TypeError(f"a list is wanted, {_shown(value)} found")
    return value


def _text(value: Any) -> str:
    if type(value) is not str:
        raise TypeError(f"text is wanted, {_shown(value)} found")
    return value


def _whole_number(value: Any) -> int:
    if type(value) is not int:
        raise TypeError(f"a whole number is wanted, {_shown(value)} found")
    return value


def _number(value: Any) -> float:
    if (type(value) is not float and type(value) is not int) or not math.isfinite(value):
        raise TypeError(f"a number is wanted, {_shown(value)} found")
    return value


def _truth(value: Any) -> bool:
    if type(value) is not bool:
        raise TypeError(f"true or false is wanted, {_shown(value)} found")
    return value


def _one_of(known: tuple[Any, ...], value: Any) -> Any:
    if type(value) is not str or value not in known:
        raise TypeError(f"one of {', '.join(map(str, known))} is wanted, {_shown(value)} found")
    return value


def _same(value: Any) -> Any:
    return value


_PLAIN_DECODERS: dict[Any, Decoder] = {str: _text, int: _whole_number, float: _number, bool: _truth}
