"""Names that are no valid text: shown one way, kept as they are."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.evaluate.reports.trec import plain
from ragcli.names import kept, name_of, readable, valid

ANY = st.text(st.one_of(st.characters(), st.characters(categories=["Cs"])))


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (os.fsdecode(b"caf\xe9.md"), "caf%E9.md"),
        ("new\nline", "new%0Aline"),
        ("\ud800", "%ED%A0%80"),
        ("Grüße 日本.md", "Grüße 日本.md"),
        ("100%.md", "100%.md"),
    ],
)
def test_names_as_they_are_shown(name: str, shown: str) -> None:
    assert readable(name) == shown


@given(ANY)
def test_any_name_can_be_stored_and_printed(name: str) -> None:
    for text in (readable(name), valid(name), plain(name)):
        text.encode()
    assert "\n" not in readable(name)
    assert name_of(kept(name)) == name
