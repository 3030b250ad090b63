"""Records to plain JSON values and back: how a record is stored and printed.

``decode(kind, encode(record)) == record`` for every record in ``ragcli.records``.
"""

from __future__ import annotations

import dataclasses
import functools
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
    """``value``, as ``encode`` made it, as a record of type ``kind``. Raises KeyError or TypeError on other shapes."""
    return typing.cast(T, _decoder(typing.cast(Any, kind))(value))


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
    if origin is Literal or origin is None:
        return _same
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
        return lambda value: tuple(item_decoder(item) for item in value)
    decoders = [_decoder(item) for item in arguments]
    return lambda value: tuple(each(item) for each, item in zip(decoders, value, strict=True))


def _record_decoder(kind: type) -> Decoder:
    hints = typing.get_type_hints(kind)
    decoders = {item.name: _decoder(hints[item.name]) for item in dataclasses.fields(kind)}
    plain = [name for name, each in decoders.items() if each is _same]
    made = [(name, each) for name, each in decoders.items() if each is not _same]

    def decoder(value: Any) -> Any:
        fields = {name: value[name] for name in plain if name in value}
        fields |= {name: each(value[name]) for name, each in made if name in value}
        return kind(**fields)

    return decoder


def _same(value: Any) -> Any:
    return value
