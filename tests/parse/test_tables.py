"""Tables as a person reads them: what is merged stands where it holds, and each row says what it means."""

from __future__ import annotations

import pytest

from ragcli.parse.assemble import Assembly
from ragcli.parse.tables import Cell, add_table, is_value, read_table, table_text


def lines(text: str) -> list[str]:
    """The rows without the rule and the outer strokes."""
    return [line.strip("| ") for line in text.split("\n") if "---" not in line]


def test_plain_rows_are_a_markdown_table() -> None:
    rows = [["Plan", "", "Price"], ["Basic | small", "", "10"], ["", "", ""], ["Pro", "", "20"]]
    assert table_text(rows) == "| Plan | Price |\n| --- | --- |\n| Basic \\| small | 10 |\n| Pro | 20 |"
    assert table_text([["", ""], []]) == ""
    assert table_text([["alone", "x"]]) == "| alone | x |\n| --- | --- |"


def test_cells_merged_downwards_stand_in_every_row() -> None:
    rows = [
        ["Site", "Shift", "Head"],
        [Cell("Warehouse", rows=2), "Early", "Ben Ochs"],
        ["Late", "Aino Koski"],
        [Cell("Bottling", rows=2), "Early", Cell("Lucia Ferri", rows=2)],
        ["Late"],
    ]
    assert lines(table_text(rows)) == [
        "Site | Shift | Head",
        "Warehouse | Early | Ben Ochs",
        "Warehouse | Late | Aino Koski",
        "Bottling | Early | Lucia Ferri",
        "Bottling | Late | Lucia Ferri",
    ]


def test_headers_of_several_rows_are_joined() -> None:
    rows = [
        [Cell("Plant", rows=3), Cell("Spring", columns=3), Cell("Autumn", columns=2)],
        [Cell("Yield", columns=2), "Loss", "Yield", "Loss"],
        ["2024", "2025", "%", "t", "%"],
        ["Graz", "4", "5", "1", "6", "2"],
    ]
    assert lines(table_text(rows)) == [
        "Plant | Spring > Yield > 2024 | Spring > Yield > 2025 | Spring > Loss > % "
        "| Autumn > Yield > t | Autumn > Loss > %",
        "Graz | 4 | 5 | 1 | 6 | 2",
    ]


def test_rows_under_a_merged_header_are_no_header_when_their_cells_come_again() -> None:
    rows = [["", Cell("A with B", columns=2)], ["R1", "true", "false"], ["R2", "true", "true"]]
    assert lines(table_text(rows))[1:] == ["R1 | true | false", "R2 | true | true"]


def test_headers_over_gaps_are_joined_where_amounts_stand_under_names() -> None:
    rows = [["", "Spring", "", "Autumn", ""], ["Plant", "Yield", "Loss", "Yield", "Loss"], ["Graz", "4", "1", "6", "2"]]
    assert lines(table_text(rows))[0] == "Plant | Spring > Yield | Spring > Loss | Autumn > Yield | Autumn > Loss"
    data = [["Name", "", "Town"], ["Ann", "Dr", "Graz"], ["Ben", "Mag", "Linz"]]
    assert lines(table_text(data))[0] == "Name |  | Town"


def test_what_the_format_says_of_its_headers_is_believed() -> None:
    rows = [["a", "b"], ["c", "d"], ["1", "2"]]
    assert lines(table_text(rows, header_rows=2)) == ["a > c | b > d", "1 | 2"]
    assert table_text(rows[:2], header_rows=0) == "|  |  |\n| --- | --- |\n| a | b |\n| c | d |"
    assert lines(table_text(rows, header_rows=3)) == ["a | b", "c | d", "1 | 2"]


def test_a_cell_across_the_table_is_its_caption_or_a_label_for_the_rows_under_it() -> None:
    rows = [
        [Cell("Staff by town, 2026", columns=3)],
        ["Town", "Full time", "Part time"],
        [Cell("Austria", columns=3)],
        ["Graz", "4", "1"],
        ["Linz", "3", "2"],
        [Cell("Norway:", columns=3)],
        ["Bergen", "7", "0"],
        ["Total", "14", "3"],
        ["Of which new", "1", "1"],
    ]
    table = read_table(rows)
    assert table.caption == "Staff by town, 2026"
    assert lines(table.text) == [
        "Town | Full time | Part time",
        "Austria",
        "Austria > Graz | 4 | 1",
        "Austria > Linz | 3 | 2",
        "Norway:",
        "Norway > Bergen | 7 | 0",
        "Norway > Total | 14 | 3",
        "Of which new | 1 | 1",
    ]


def test_a_caption_may_be_merged_over_several_rows() -> None:
    rows = [[Cell("Loads", rows=2, columns=2)], [], ["Crane", "Tons"], ["K1", "4"]]
    assert read_table(rows).caption == "Loads"
    assert lines(read_table(rows).text) == ["Crane | Tons", "K1 | 4"]


def test_a_label_row_without_merged_cells_needs_a_full_table() -> None:
    full = [["Item", "2024", "2025"], ["Current assets:", "", ""], ["Cash", "4", "5"], ["Stock", "1", "2"]]
    assert lines(table_text(full))[2] == "Current assets > Cash | 4 | 5"
    checklist = [["Task", "Who", "Done"], ["Buy milk", "", ""], ["Call Ben", "Ann", ""], ["Pay rent", "", "yes"]]
    assert lines(table_text(checklist))[2] == "Call Ben | Ann"


def test_a_cell_over_several_columns_holds_for_each_of_them() -> None:
    rows = [["Town", "Mo", "Tu", "We"], ["Graz", Cell("closed", columns=2), "8-12"]]
    assert lines(table_text(rows))[1] == "Graz | closed | closed | 8-12"
    form = [["Name", Cell("Ann Berg", columns=3)], ["Street", Cell("Elm 4", columns=3)]]
    assert lines(table_text(form)) == ["Name | Ann Berg", "Street | Elm 4"]


def test_prose_in_a_merged_cell_stands_once() -> None:
    prose = "All orders that come in after noon are packed on the next working day. " * 3
    rows = [["Step", "Who"], [Cell(prose, rows=2), "Ann"], ["Ben"]]
    assert table_text(rows).count("next working day") == 3


@pytest.mark.parametrize(
    "rows",
    [
        [[Cell("a", rows=9, columns=9)], ["b", "c"]],
        [[Cell("a", rows=2), "x", Cell("b", rows=2)], [Cell("wide", columns=3)], ["1", "2", "3", "4"]],
        [[Cell("a", rows=3)], [], ["b"]],
        [[Cell("a", rows=2), Cell("b", rows=2)], []],
        [[Cell("", columns=500)], ["x", "y"]],
    ],
)
def test_spans_that_contradict_each_other_lose_no_text(rows: list[list[str | Cell]]) -> None:
    wanted = {cell.text if isinstance(cell, Cell) else cell for row in rows for cell in row} - {""}
    text = table_text(rows)
    assert all(word in text for word in wanted)
    widths = {line.count("|") for line in text.split("\n") if line.startswith("|")}
    assert len(widths) == 1


def test_the_caption_is_a_block_of_its_own_before_the_table() -> None:
    assembly = Assembly()
    rows = [[Cell("Loads", columns=2)], ["Crane", "Tons"], ["K1", "4"]]
    assert add_table(assembly, rows, caption="Table 2: cranes", page=3)
    assert [(block.kind, block.page) for block in assembly.blocks] == [("caption", 3), ("table", 3)]
    assert assembly.text.startswith("Table 2: cranes\nLoads\n\n| Crane")
    assert not add_table(assembly, [])


@pytest.mark.parametrize("text", ["1,254.50", "€12", "(3.4)", "12 kg", "—", "2026-03-15", "n/a"])
def test_amounts_do_not_name_a_column(text: str) -> None:
    assert is_value(text)


@pytest.mark.parametrize("text", ["2025", "FY2025", "2024/25", "Yield", "X200-A", "Q1"])
def test_names_and_years_do(text: str) -> None:
    assert not is_value(text)
