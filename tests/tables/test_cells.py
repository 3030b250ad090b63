"""Cells read back from the text of a document: what a parser wrote, and each row where it stands."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import given

from ragcli.parse.assemble import one_line
from ragcli.parse.tables import read_table
from ragcli.records import Block, Coverage, Document, Metadata, Section, Span
from ragcli.tables.cells import read_grid, tables_of

CELLS = st.text(st.sampled_from("ab1 |\\-:\n.é>"), max_size=6)
ROWS = st.lists(
    st.tuples(CELLS, CELLS, st.just("end")), min_size=1, max_size=5
)  # a first cell alone labels what follows


def whole(text: str) -> Span:
    return Span(0, len(text))


@given(ROWS)
def test_no_cell_of_a_table_is_lost_in_its_text(rows: list[tuple[str, str, str]]) -> None:
    header = ["first", "second", "third"]
    text = read_table([header, *rows], header_rows=1).text
    grid = read_grid(text, whole(text))
    assert grid.header == tuple(header)
    assert list(grid.rows) == [tuple(one_line(cell) for cell in row) for row in rows]


@given(ROWS)
def test_every_row_stands_where_it_is_said_to(rows: list[tuple[str, str, str]]) -> None:
    text = read_table([["first", "second", "third"], *rows], header_rows=1).text
    grid = read_grid(text, whole(text))
    for row, span in zip(grid.rows, grid.spans, strict=True):
        assert "\n" not in span.of(text)
        assert all(cell.replace("|", "\\|") in span.of(text) for cell in row)


def test_tables_of_markdown_as_people_write_them() -> None:
    text = "Item | Price\n:-- | --:\n a \\| b | 1\n short\n wide | 2 | 3 |\n\n"
    grid = read_grid(text, whole(text))
    assert grid.header == ("Item", "Price", "")
    assert grid.rows == (("a | b", "1", ""), ("short", "", ""), ("wide", "2", "3"))
    quoted = "> | a | b |\n> |---|---|\n> | 1 | 2 |"
    assert read_grid(quoted, whole(quoted)).rows == (("1", "2"),)
    headless = "| 1 | 2 |\n| 3 | 4 |"
    assert read_grid(headless, whole(headless)).rows == (("1", "2"), ("3", "4"))
    dashes = "| a | b |\n| --- | --- |\n| -- | - |"
    assert read_grid(dashes, whole(dashes)).rows == (("--", "-"),)


def test_a_table_knows_its_title_and_its_lines() -> None:
    text = "# Rates\n\n| a |\n| --- |\n| 1 |\n\nNights\n\n| b |\n| --- |\n| 2 |\n"
    tables = [Span(9, text.index("\n\nNights")), Span(text.index("| b |"), len(text) - 1)]
    blocks = (
        Block("heading", Span(0, 7), level=1),
        Block("table", tables[0]),
        Block("caption", Span(text.index("Nights"), text.index("Nights") + 6)),
        Block("table", tables[1]),
    )
    sections = (Section(("Rates",), whole(text), 1),)
    document = Document(
        "d.md", "d.md", "D", text, blocks, sections, Metadata(), "text/markdown", "", "", Coverage(), first_line=1
    )
    found = list(tables_of(document))
    assert [(one.number, one.title, one.lines) for one in found] == [(1, "Rates", (3, 5)), (2, "Nights", (9, 11))]
