"""Tables and texts on terminals of every width."""

from __future__ import annotations

import io
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcli.cli.output import Output, cell_width, fitted

ROWS = [
    ("remote", "How many remote days per week can I take?"),
    ("tokyo", "東京事務所の駐車場は何台分ありますか、教えてください"),
]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> Output:
    """Standard output is a terminal of this width until the test ends."""
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setenv("COLUMNS", str(columns))
    return Output(color="never")


def test_a_table_that_is_too_wide_breaks_its_widest_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    narrow = on_terminal(30, monkeypatch)
    assert narrow.table(("case", "n>", "question"), [("remote", 12, "How many remote days per week?")]) == (
        "case     n  question\nremote  12  How many remote\n            days per week?"
    )


@pytest.mark.parametrize("columns", [20, 24, 40, 80])
def test_no_line_is_wider_than_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = on_terminal(columns, monkeypatch).table(("case", "question"), ROWS).splitlines()
    assert max(map(cell_width, lines)) <= columns
    shown = "".join("".join(line[8:].split()) for line in lines)
    assert (
        "HowmanyremotedaysperweekcanItake?" in shown and "東京事務所の駐車場は何台分ありますか、教えてください" in shown
    )


def test_a_file_gets_whole_rows_and_texts() -> None:
    table = Output().table(("case", "question"), ROWS).splitlines()
    assert len(table) == 3 and table[1] == "remote  How many remote days per week can I take?"
    assert Output().folded("word " * 60) == "word " * 60


def test_a_text_is_broken_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    narrow = on_terminal(30, monkeypatch)
    assert narrow.folded("Remote work is limited to two days per week [1].") == (
        "Remote work is limited to two\ndays per week [1]."
    )
    assert narrow.folded("one\n\ntwo", "  ") == "  one\n  \n  two"


@given(st.lists(st.integers(0, 200), min_size=1, max_size=8), st.integers(1, 300))
def test_widths_fit_or_are_the_narrowest(widths: list[int], columns: int) -> None:
    found = fitted(widths, columns)
    assert all(now == was or now < was for now, was in zip(found, widths, strict=True))
    assert sum(found) + 2 * (len(found) - 1) <= columns or max(found) <= 8
    if sum(widths) + 2 * (len(widths) - 1) <= columns:
        assert found == widths
