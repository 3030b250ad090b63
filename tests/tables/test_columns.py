"""The type of a column, from what its cells agree on; what leaves a doubt stays text."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pytest

from ragcli.tables.columns import typed
from ragcli.tables.numerals import numeral


@pytest.mark.parametrize(
    ("cells", "language", "values", "unit"),
    [
        (["1,234", "5,678"], "en", [1234, 5678], ""),
        (["1.234", "5.678"], "de", [1234, 5678], ""),
        (["1.234", "5.678"], "en", [Decimal("1.234"), Decimal("5.678")], ""),
        (["1.234,50 €", "12 €"], "en", [Decimal("1234.50"), 12], "€"),
        (["$ 1,234", "(56)", "-", ""], "en", [1234, -56, None, None], "$"),
        (["$(1,234)", "($ 5)", "−3", "7-"], "en", [-1234, -5, -3, -7], "$"),
        (["12 %", "3.5%", "(1)%"], "en", [12, Decimal("3.5"), -1], "%"),
        (["5 kg", "7 kg"], "en", [5, 7], "kg"),
        (["5 days", "1 day"], "en", [5, 1], "day"),
        (["$1.2M", "$3bn", "$40k"], "en", [1_200_000, 3_000_000_000, 40_000], "$"),
        (["1.2 million", "3 million"], "en", [1_200_000, 3_000_000], ""),
        (["1'234.50", "12.00"], "de", [Decimal("1234.50"), 12], ""),
        (["1 234,5", "12"], "fr", [Decimal("1234.5"), 12], ""),
        (["1,00,000", "2,500"], "en", [100_000, 2500], ""),
        (["0.125", "1.5"], "de", [Decimal("0.125"), Decimal("1.5")], ""),
        (["US$ 5", "US$ 6.25"], "en", [5, Decimal("6.25")], "US$"),
        (["2023", "2024"], "en", [2023, 2024], ""),
    ],
)
def test_numbers(cells: list[str], language: str, values: list[object], unit: str) -> None:
    found = typed(cells, language)
    assert found.type in ("integer", "number")
    assert (list(found.values), found.unit, found.unread) == (values, unit, ())


@pytest.mark.parametrize(
    ("cells", "language", "values"),
    [
        (["2026-01-02", "2026-02-03"], "en", [(2026, 1, 2), (2026, 2, 3)]),
        (["03/04/2026", "25/06/2026"], "en", [(2026, 4, 3), (2026, 6, 25)]),
        (["03/04/2026", "06/25/2026"], "en", [(2026, 3, 4), (2026, 6, 25)]),
        (["03/04/2026", "05/06/2026"], "fr", [(2026, 4, 3), (2026, 6, 5)]),
        (["01.02.2026", "05.06.2026"], "de", [(2026, 2, 1), (2026, 6, 5)]),
        (["1 March 2026", "Mar 5, 2026"], "en", [(2026, 3, 1), (2026, 3, 5)]),
        (["05/05/2026", "06/06/2026"], "en", [(2026, 5, 5), (2026, 6, 6)]),
    ],
)
def test_dates(cells: list[str], language: str, values: list[tuple[int, int, int]]) -> None:
    found = typed(cells, language)
    assert (found.type, list(found.values)) == ("date", [datetime.date(*value) for value in values])


def test_moments() -> None:
    found = typed(["2026-01-02 10:30", "2026-01-02T11:00:05"])
    assert found.type == "timestamp"
    assert found.values == (datetime.datetime(2026, 1, 2, 10, 30), datetime.datetime(2026, 1, 2, 11, 0, 5))


@pytest.mark.parametrize(
    "cells",
    [
        ["00123", "00124"],  # leading zeros name something
        ["+49301234567"],
        ["1234567890123456789012"],
        ["€5", "$5"],
        ["5 days", "2 weeks"],
        ["12%", "3"],
        ["03/04/2026", "05/06/2026"],  # which is the month?
        ["1.234,5", "1,234.5"],  # two ways to write a number
        ["10:30", "11:15"],
        ["1-2", "3-4"],
        ["1e5", "2e5"],
        ["v1.2", "1.3"],
        ["March 2026", "April 2026"],
        ["Yes", "No"],
        ["", ""],
    ],
)
def test_a_doubt_stays_text(cells: list[str]) -> None:
    found = typed(cells, "en")
    assert (found.type, found.values) == ("text", tuple(cell or None for cell in cells))


def test_a_few_cells_that_are_none_of_the_type_are_counted() -> None:
    found = typed([*map(str, range(10)), "TBD"])
    assert (found.type, found.values[-1], found.unread) == ("integer", None, (10,))
    assert typed(["1", "2", "3", "TBD"]).type == "text"


@pytest.mark.parametrize(
    "text", ["", "-", "(5", "5)", "--5", "(-5)", "5 €/$", "1,2,3.4.5x y", "5 6 kg m", "12 34", "a" * 99]
)
def test_what_is_no_number(text: str) -> None:
    found = numeral(text)
    assert found is None or (found.reading(".") is None and found.reading(",") is None)
