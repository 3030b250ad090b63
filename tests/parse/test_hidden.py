from __future__ import annotations

from ragcli.config import IngestConfig
from ragcli.parse.hidden import HiddenText


def test_what_is_hidden_is_named_once_with_its_size() -> None:
    conditions: set[str] = set()
    hidden = HiddenText(IngestConfig(), conditions)
    assert hidden.warnings == () and conditions == set()
    assert not hidden.reads("sheet 'Margins' (very hidden)")
    assert not hidden.reads("text hidden by its style", 12)
    assert not hidden.reads("text hidden by its style", 30)
    assert conditions == {"ingest.hidden_text"}
    assert hidden.warnings == (
        "hidden, left out (ingest.hidden_text: true reads it): sheet 'Margins' (very hidden); "
        "text hidden by its style, 42 characters",
    )


def test_read_on_wish_without_a_warning() -> None:
    conditions: set[str] = set()
    hidden = HiddenText(IngestConfig(hidden_text=True), conditions)
    assert hidden.reads("slide 4")
    assert hidden.warnings == () and conditions == {"ingest.hidden_text"}


def test_many_hidden_things_are_counted() -> None:
    hidden = HiddenText(IngestConfig())
    for number in range(25):
        hidden.reads(f"slide {number}")
    assert hidden.warnings[0].endswith("slide 19; 5 more")
