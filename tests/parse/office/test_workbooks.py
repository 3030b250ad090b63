"""Sheets as they are shown: formats, merged cells, what is hidden, formulas, charts, text boxes, links."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest

from ragcli.config import IngestConfig
from tests.parse.builders import parse_bytes, parse_one, shape

xlsxwriter = pytest.importorskip("xlsxwriter")


def workbook(fill: Callable[[Any], None]) -> bytes:
    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream, {"in_memory": True}) as book:
        fill(book)
    return stream.getvalue()


def loans(book: Any) -> None:
    sheet = book.add_worksheet("Loans")
    sheet.write_row(0, 0, ["Loan", "Rate", "Balance", "Branch"])
    sheet.write(1, 0, "Seaview")
    for column, (value, code) in enumerate([(0.0575, "0.00%"), (1254300.5, "[$€-2]#,##0.00"), (712, "00000")], 1):
        sheet.write_number(1, column, value, book.add_format({"num_format": code}))


def test_cells_read_as_shown_and_are_found_by_their_values() -> None:
    document = parse_one("loans.xlsx", workbook(loans))
    row = "| Seaview | 5.75% | €1,254,300.50 | 00712 |"
    assert row in document.text
    assert [(alias.span.of(document.text), alias.text) for alias in document.aliases] == [(row, "0.0575 1254300.5 712")]


def hiding(book: Any) -> None:
    prices = book.add_worksheet("Prices")
    prices.write_row(0, 0, ["Article", "Price", "Cost", "Code"])
    prices.write_row(1, 0, ["Kettle", 49, 21, "K"])
    prices.write_row(2, 0, ["Old kettle", 39, 20, "O"])
    prices.write_row(3, 0, ["Pan", 19, 8, "P"])
    prices.write_number(3, 1, 19, book.add_format({"num_format": ";;;"}))
    prices.set_column(2, 2, None, None, {"hidden": True})
    prices.set_row(2, None, None, {"hidden": True})
    prices.set_row(3, None, None, {"hidden": True, "level": 1})  # folded away under a click
    book.add_worksheet("Margins").write(0, 0, "secret margin")
    book.worksheets()[-1].hide()
    book.add_worksheet("Lookup").write(0, 0, "deep secret")
    book.worksheets()[-1].very_hidden()


def test_hidden_sheets_rows_and_columns_are_named_and_read_on_wish() -> None:
    data = workbook(hiding)
    documents, reports = parse_bytes("prices.xlsx", data)
    assert shape(documents[0])[1:] == [
        ("table", None, "| Article | Price | Code |\n| --- | --- | --- |\n| Kettle | 49 | K |\n| Pan |  | P |")
    ]
    assert reports[-1].warnings == (
        "hidden, left out (ingest.hidden_text: true reads it): 1 row of sheet 'Prices'; 1 column of sheet 'Prices'; "
        "cells that their format hides, 2 characters; sheet 'Margins' (hidden); sheet 'Lookup' (very hidden)",
    )
    text = parse_one("prices.xlsx", data, IngestConfig(hidden_text=True)).text
    assert all(words in text for words in ("Old kettle", "| 21 |", "secret margin", "deep secret", "| 19 |"))


def merged(book: Any) -> None:
    sheet = book.add_worksheet("Yield")
    sheet.merge_range(0, 0, 0, 3, "Yield by plant, 2026")
    sheet.merge_range(1, 0, 2, 0, "Plant")
    sheet.merge_range(1, 1, 1, 2, "Spring")
    sheet.write_row(1, 3, ["Autumn"])
    sheet.write_row(2, 1, ["Yield", "Loss", "Yield"])
    sheet.merge_range(3, 0, 4, 0, "Graz")
    sheet.write_row(3, 1, [4, 1, 6])
    sheet.write_row(4, 1, [5, 2, 7])


def test_merged_cells_and_headers_of_two_rows() -> None:
    assert shape(parse_one("yield.xlsx", workbook(merged)))[1:] == [
        ("caption", None, "Yield by plant, 2026"),
        (
            "table",
            None,
            "| Plant | Spring > Yield | Spring > Loss | Autumn > Yield |\n| --- | --- | --- | --- |\n"
            "| Graz | 4 | 1 | 6 |\n| Graz | 5 | 2 | 7 |",
        ),
    ]


def drawn(book: Any) -> None:
    sheet = book.add_worksheet("Falls")
    sheet.write_column(0, 0, ["Leeds", "Turin"])
    sheet.write_column(0, 1, [37, 12])
    sheet.insert_textbox(5, 0, "Counted by the works council")
    chart = book.add_chart({"type": "column"})
    chart.add_series({"name": "2025", "categories": "=Falls!$A$1:$A$2", "values": "=Falls!$B$1:$B$2",
                      "categories_data": ["Leeds", "Turin"], "values_data": [37, 12]})  # fmt: skip
    chart.set_title({"name": "Incidents by plant"})
    sheet.insert_chart(8, 0, chart, {"description": "Leeds has three times as many as Turin"})
    sheet.write_url(20, 0, "https://example.org/rules", string="House rules")


def test_charts_text_boxes_pictures_and_links_stand_under_their_sheet() -> None:
    found = shape(parse_one("falls.xlsx", workbook(drawn)))
    assert ("caption", None, "Incidents by plant") in found
    assert ("table", None, "|  | 2025 |\n| --- | --- |\n| Leeds | 37 |\n| Turin | 12 |") in found
    assert ("paragraph", None, "Counted by the works council") in found
    assert ("other", None, "Picture: Leeds has three times as many as Turin") in found
    assert found[-1] == ("other", None, "House rules: https://example.org/rules")


def computed(book: Any) -> None:
    sheet = book.add_worksheet("Sum")
    sheet.write_row(0, 0, ["Item", "Price"])
    sheet.write_row(1, 0, ["Pan", 19])
    sheet.write(2, 0, "Total")
    sheet.write_formula(2, 1, "=SUM(B2:B2)", None, "")


def test_formulas_without_a_stored_value_are_named() -> None:
    data = workbook(computed)
    _, reports = parse_bytes("sum.xlsx", data)
    assert reports[-1].warnings == (
        "sheet 'Sum': formulas without a stored value: B3 (save it in a spreadsheet program)",
    )
