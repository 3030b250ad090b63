"""Values of another shape than their record's are refused where they are read, with the field that is wrong."""

from __future__ import annotations

import math

import pytest

from ragcli.codec import decode, encode
from ragcli.records import Chunk, Coverage, Filter, Span

CHUNK = encode(Chunk("a#1", "a", 1, Span(0, 3), "abc", "A", ("A", "B"), first_page=1))


@pytest.mark.parametrize(
    ("field", "wrong", "message"),
    [
        ("text", 7, "text: text is wanted, 7 found"),
        ("ordinal", "1", "ordinal: a whole number is wanted, '1' found"),
        ("ordinal", True, "a whole number is wanted, True found"),
        ("span", [0, 3], "span: Span: a JSON object is wanted, list found"),
        ("span", {"start": 0}, "span"),
        ("span", {"start": 0, "end": None}, "end: a whole number is wanted, None found"),
        ("heading_path", "AB", "heading_path: a list is wanted, 'AB' found"),
        ("heading_path", ["A", 1], "heading_path: text is wanted, 1 found"),
        ("ocr", 1, "ocr: true or false is wanted, 1 found"),
        ("first_page", {}, "first_page: a whole number is wanted, dict found"),
    ],
)
def test_a_field_of_another_type_is_named(field: str, wrong: object, message: str) -> None:
    assert decode(Chunk, CHUNK).text == "abc"
    with pytest.raises(TypeError, match=message.replace("[", r"\[")):
        decode(Chunk, CHUNK | {field: wrong})


@pytest.mark.parametrize("value", [None, 1, "text", [], [["chunk_id", "a"]]])
def test_what_is_no_object_is_no_record(value: object) -> None:
    with pytest.raises(TypeError, match="a JSON object is wanted"):
        decode(Chunk, value)


@pytest.mark.parametrize("value", [math.nan, math.inf, "0.5", True, 10**400])
def test_numbers_are_finite(value: object) -> None:
    with pytest.raises(TypeError):
        decode(Coverage, {"garbage_ratio": value})
    assert decode(Coverage, {"garbage_ratio": 1}) == Coverage(garbage_ratio=1.0)


def test_a_word_is_one_of_those_known() -> None:
    with pytest.raises(TypeError, match=r"operator: one of =, !=, .* is wanted, '==' found"):
        decode(Filter, {"key": "a", "operator": "==", "value": "b"})
