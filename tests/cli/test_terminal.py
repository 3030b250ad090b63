"""Nothing that a document or a file name says reaches the terminal as a command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.cli.output import link, shortened
from ragcli.display import json_safe, one_line, printable

UNSAFE = [chr(code) for code in (0, 7, 8, 0x0B, 0x0D, 0x1B, 0x7F, 0x85, 0x9B, 0x202E, 0x2066, 0xD800, 0xDCFF, 0xE0041)]


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("\x1b[2J\x1b]0;owned\x07", "\\x1b[2J\\x1b]0;owned\\x07"),
        ("real\rfake", "real\\x0dfake"),
        ("a\u202eb", "a\\u202eb"),
        ("caf\udce9.txt", "caf%E9.txt"),
        ("\U000e0041", "\\U000e0041"),
        ("tab\tand\nline, Grüße, 日本語, 👍🏽", "tab\tand\nline, Grüße, 日本語, 👍🏽"),
    ],
)
def test_printable(text: str, safe: str) -> None:
    assert printable(text) == safe


@given(st.text(st.one_of(st.sampled_from(UNSAFE), st.characters())))
def test_no_unsafe_character_is_left(text: str) -> None:
    assert not set(printable(text)) & set(UNSAFE)
    printable(text).encode()
    assert printable(printable(text)) == printable(text)


@given(st.text(st.one_of(st.sampled_from(UNSAFE), st.characters())))
def test_safe_json_has_the_same_value(text: str) -> None:
    safe = json_safe(json.dumps([text], ensure_ascii=False))
    assert json.loads(safe) == json.loads(json.dumps([text]))
    assert not set(safe) & set(UNSAFE)


def test_one_line_and_shortened() -> None:
    assert one_line("a\n\n b\tc") == "a b c"
    assert shortened("abcdef", 4) == "abc…"
    assert shortened("abcd", 4) == "abcd"
    assert shortened("abc def", 5) == "abc…"


def test_link_goes_to_the_page() -> None:
    assert link("x", Path("/a b/c.pdf"), 3) == "\x1b]8;;file:///a%20b/c.pdf#page=3\x1b\\x\x1b]8;;\x1b\\"
    assert link("x", Path("/c.md")) == "\x1b]8;;file:///c.md\x1b\\x\x1b]8;;\x1b\\"
