"""Quotes: what counts as word for word, and that the span is exactly where it stands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.quotes import locate, locate_loosely, normalise
from ragcli.records import Span

TEXT = (
    "An **approved** refund is re-\nturned to the [original](http://x.y/z) pay\u00adment method within 5 working\n"
    "days \u2014 \u201creally\u201d. It costs 10,000 \u20ac and 15 days. The \ufb01rst of snake_case; E-4012.\n\n"
    "| Plan | Price |\n|---|---|\n| Basic | 10 |\n\n- one\n- two"
)


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("approved refund is returned to the original", "approved** refund is re-\nturned to the [original"),
        ("payment method within 5 working days", "pay\u00adment method within 5 working\ndays"),
        ("5 working days - 'really'", "5 working\ndays \u2014 \u201creally"),
        ("AN APPROVED REFUND", "An **approved** refund"),
        ("the first of", "The \ufb01rst of"),
        ("10,000 \u20ac", "10,000 \u20ac"),
        ("E\u20104012.", "E-4012"),
        ("Plan Price Basic 10", "Plan | Price |\n|---|---|\n| Basic | 10"),
        ("one two", "one\n- two"),
        ("\u201c15 days.\u201d", "15 days"),
    ],
)
def test_finds_a_quote_in_spite_of_typography(quote: str, found: str) -> None:
    span = locate(quote, TEXT)
    assert span is not None
    assert span.of(TEXT) == found


@pytest.mark.parametrize("quote", ["5 days", "000", "snake", "approve", "6 working days", "", "\u2014 \u201d", "..."])
def test_does_not_find_what_is_not_there_as_words(quote: str) -> None:
    assert locate(quote, TEXT) is None


def test_a_number_is_not_part_of_a_longer_one() -> None:
    assert locate("5", "15 and 0.5 and 5,000 and 5%") == Span(25, 26)


def test_scripts_without_spaces_are_found_across_line_ends() -> None:
    assert locate("\u6771\u4eac\u90fd\u306b", "\u3053\u308c\u306f\u6771\u4eac\n\u90fd\u306b\u3042\u308b") == Span(3, 8)
    assert locate("5\u65e5", "15\u65e5\u9593") is None


def test_a_decomposed_quote_is_the_same_quote() -> None:
    assert locate("cafe\u0301 cre\u0300me", "Un caf\u00e9 cr\u00e8me.") == Span(3, 13)


def test_hyphen_between_digits_counts() -> None:
    assert locate("1020 days", "10-20 days") is None
    assert locate("10\u201320 days", "within 10 - 20 days") == Span(7, 19)


def test_a_minus_sign_counts() -> None:
    assert locate("at 5 degrees", "kept at -5 degrees") is None
    assert locate("at -5 degrees", "kept at \u22125 degrees") == Span(5, 18)


def test_a_dash_between_words_does_not_join_them() -> None:
    assert locate("within 5 days", "within 5 days \u2014 really") == Span(0, 13)
    assert locate("days really", "5 days\u2014really") == Span(2, 13)


def test_loose_search_forgives_letters_but_not_digits() -> None:
    text = "The apprcved refund is retumed within 5 working days."
    span = locate_loosely("approved refund is returned within 5 working days", text)
    assert span is not None
    assert span.of(text) == "apprcved refund is retumed within 5 working days"
    assert locate_loosely("approved refund is returned within 6 working days", text) is None
    assert locate_loosely("something else entirely, not here at all", text) is None
    assert locate("approved refund is returned within 5 working days", text) is None


@given(st.text(max_size=200))
def test_every_reduced_character_knows_its_place(text: str) -> None:
    reduced = normalise(text)
    assert len(reduced.text) == len(reduced.starts) == len(reduced.ends)
    assert list(reduced.starts) == sorted(reduced.starts)
    assert all(0 <= start < end <= len(text) for start, end in zip(reduced.starts, reduced.ends, strict=True))


@given(st.text(alphabet="ab 5,.-\n*_\u2014|", max_size=60), st.integers(0, 60), st.integers(0, 60))
def test_whole_words_cut_from_a_text_are_found_in_it(text: str, start: int, end: int) -> None:
    pieces = text.split()
    piece = " ".join(pieces[start:end])
    joined = " ".join(pieces)
    span = locate(piece, joined)
    if span is not None:
        assert normalise(span.of(joined)).text.strip(" .,-") == normalise(piece).text.strip(" .,-")


@pytest.mark.parametrize("hostile", ["](", "-\n", "|-", " ", "[", "-- "])
def test_normalising_hostile_text_ends_and_loses_no_word(hostile: str) -> None:
    # Ends: a pattern that goes back and forth over 50,000 repeats would not within any patience.
    text = f"before {hostile * 50_000} after"
    found = normalise(text)
    assert found.text.split()[0].startswith("before")
    assert found.text.split()[-1].endswith("after")
