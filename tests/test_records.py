"""Records are frozen, plain, and survive their JSON."""

from __future__ import annotations

import dataclasses
import inspect
import json
import typing
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcli import records
from ragcli.codec import decode, encode
from ragcli.records import Chunk, Span, Usage

KINDS = [
    kind
    for _, kind in inspect.getmembers(records, dataclasses.is_dataclass)
    if isinstance(kind, type)
    and kind.__module__.startswith("ragcli.records.")
    # the token of one is opaque by intent, the path of the other is one of this machine: neither is kept as JSON
    and kind not in (records.Allowed, records.Root)
]

TEXT = st.text(max_size=8)
LEAVES: dict[Any, st.SearchStrategy[Any]] = {
    str: TEXT,
    int: st.integers(-(10**9), 10**9),
    float: st.floats(allow_nan=False, allow_infinity=False),
    bool: st.booleans(),
    type(None): st.none(),
}


def values(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a type as records use it."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint in LEAVES:
        return LEAVES[hint]
    if dataclasses.is_dataclass(hint):
        hints = typing.get_type_hints(hint)
        return st.builds(hint, **{item.name: values(hints[item.name]) for item in dataclasses.fields(hint)})
    if origin is typing.Literal:
        return st.sampled_from(arguments)
    if origin is tuple and arguments[-1] is Ellipsis:
        return st.lists(values(arguments[0]), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*map(values, arguments))
    if isinstance(origin, type) and issubclass(origin, typing.Mapping):
        return st.dictionaries(TEXT, values(arguments[1]), max_size=2)
    return st.one_of(*map(values, arguments))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@settings(max_examples=25)
@given(data=st.data())
def test_a_record_survives_its_json(kind: type, data: st.DataObject) -> None:
    record = data.draw(values(kind))
    assert decode(kind, json.loads(json.dumps(encode(record)))) == record


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_records_are_frozen_and_described(kind: type) -> None:
    assert kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert kind.__doc__ and not kind.__doc__.startswith(f"{kind.__name__}(")


def test_a_record_of_an_older_version_takes_the_defaults_of_new_fields() -> None:
    assert decode(Usage, {"input_tokens": 3}) == Usage(input_tokens=3)


def test_a_missing_field_is_an_error() -> None:
    with pytest.raises(TypeError):
        decode(Span, {"start": 1})


def test_span_is_half_open() -> None:
    assert Span(1, 3).of("abcd") == "bc"
    assert len(Span(1, 3)) == 2


def test_prefix_does_not_repeat_the_title() -> None:
    def chunk(title: str, *path: str) -> Chunk:
        return Chunk("d#1", "d", 1, Span(0, 1), "text", title, path)

    assert chunk("Leave", "Leave", "Limits").prefix == "Leave > Limits"
    assert chunk("Leave", "Limits").prefix == "Leave > Limits"
    assert chunk("", "Limits").prefix == "Limits"
    assert chunk("").indexed_text == "text"
    full = dataclasses.replace(chunk("Leave", "Limits"), lead="| day |", context="About leave.", questions=("How?",))
    assert full.indexed_text == "Leave > Limits\nAbout leave.\nHow?\n| day |\ntext"
