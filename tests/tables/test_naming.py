"""Names of tables: short where they can be, one table a name, and nothing of what is closed in them."""

from __future__ import annotations

import pytest

from ragcli.errors import ConfigError
from ragcli.tables.naming import Named, Names, column_names, identifier, labels_that_tell_apart, table_names


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Unit price (€)", "unit_price_eur"),
        ("% of total", "percent_of_total"),
        ("2023", "_2023"),
        ("Preis je Stück", "preis_je_stück"),
        ("価格", "価格"),
        ("Spring > Yield", "spring_yield"),
        ("***", "x"),
        ("word " * 40, "_".join(["word"] * 12)),
    ],
)
def test_identifiers(text: str, name: str) -> None:
    assert identifier(text, "x") == name


def test_no_column_name_stands_twice() -> None:
    assert column_names(["Price", "price", "", "Price 2", ""]) == [
        "price",
        "price_2",
        "column_3",
        "price_2_2",
        "column_5",
    ]


def test_a_table_has_the_shortest_name_that_is_its_own() -> None:
    tables = [
        Named("a/prices.csv", 1, 1),
        Named("b/prices.csv", 1, 1),
        Named("b/prices.xlsx", 1, 2, "Old"),
        Named("b/prices.xlsx", 2, 2, "New"),
        Named("documents.csv", 1, 1),
        Named("report.pdf", 1, 2),
        Named("report.pdf", 3, 2),
        Named("x-y.csv", 1, 1),
        Named("x_y.csv", 1, 1),
    ]
    names = table_names(tables)
    assert names == [
        *("a_prices", "b_prices", "prices_old", "prices_new", "documents_csv"),
        *("report_1", "report_3", "x_y_csv_no2", "x_y_csv_no3"),
    ]
    known = Names(tables, names)
    for place, (table, name) in enumerate(zip(tables, names, strict=True)):
        assert known.meant(name) == place
        assert known.meant(f"{table.doc_id}#{table.number}") == place
        assert table.count > 1 or known.meant(table.doc_id) == place
    assert known.meant("b_prices_xlsx_new") == 3
    assert known.meant("DOCUMENTS") is None


def test_a_name_that_fits_several_or_none_is_told() -> None:
    tables = [Named("a/prices.csv", 1, 1), Named("b/prices.csv", 1, 1)]
    known = Names(tables, table_names(tables))
    with pytest.raises(ConfigError, match="'prices' may mean 2 tables: a_prices, b_prices"):
        known.meant("prices")
    with pytest.raises(ConfigError, match="there is no table 'a_price'; did you mean a_prices"):
        known.meant("a_price")


def test_ids_that_differ_in_case_alone_are_told_apart() -> None:
    tables = [Named("A.csv", 1, 1), Named("a.csv", 1, 1)]
    known = Names(tables, table_names(tables))
    assert [known.meant("A.csv"), known.meant("a.csv")] == [0, 1]


def test_sheets_are_named_where_every_one_has_a_name_of_its_own() -> None:
    assert labels_that_tell_apart(["Old", "New"]) == ["Old", "New"]
    assert labels_that_tell_apart(["Old", "old"]) == ["", ""]
