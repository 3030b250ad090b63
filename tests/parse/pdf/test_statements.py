"""Tables of amounts in PDFs, as annual reports print them."""

from __future__ import annotations

import pymupdf
import pytest

from ragcli.index.lexical.analysis import terms
from ragcli.parse.pdf.lines import Line
from ragcli.parse.pdf.tables import ruled_tables
from tests.parse.builders import parse_one, shape

SIZE = 9.0
FONT = pymupdf.Font("helv")


class Sheet:
    """One page on which texts are set flush left, flush right or centred."""

    def __init__(self) -> None:
        self._document = pymupdf.open()
        self._page = self._document.new_page(width=595, height=842)

    def left(self, x: float, y: float, text: str) -> Sheet:
        self._page.insert_text((x, y), text, fontsize=SIZE)
        return self

    def right(self, x: float, y: float, text: str) -> Sheet:
        return self.left(x - FONT.text_length(text, SIZE), y, text)

    def middle(self, x: float, y: float, text: str) -> Sheet:
        return self.left(x - FONT.text_length(text, SIZE) / 2, y, text)

    def row(self, y: float, label: str, *amounts: str, indent: float = 0, sign: str = "") -> Sheet:
        """A label and amounts flush right at 400, 480 and 560, a closing bracket hanging over; signs 60 before them."""
        self.left(60 + indent, y, label)
        for x, amount in zip((400, 480, 560), amounts, strict=False):
            self.right(x + (3 if amount.endswith(")") else 0), y, amount)
            if sign:
                self.left(x - 60, y, sign)
        return self

    def line(self, x0: float, x1: float, y: float) -> Sheet:
        self._page.draw_line((x0, y), (x1, y))
        return self

    def upright(self, x: float, y0: float, y1: float) -> Sheet:
        self._page.draw_line((x, y0), (x, y1))
        return self

    def blocks(self) -> list[tuple[str, int | None, str]]:
        return shape(parse_one("a.pdf", self._document.tobytes()))


def balance() -> Sheet:
    sheet = Sheet().middle(300, 60, "CONSOLIDATED BALANCE SHEETS").middle(300, 72, "(In millions)")
    sheet.middle(410, 100, "December 31,").right(400, 112, "2025").right(480, 112, "2024")
    sheet.left(60, 126, "Current assets:").row(140, "Cash and equivalents", "5,794", "4,225", indent=10, sign="$")
    sheet.row(154, "Receivables, net of allowances that", indent=10)
    sheet.row(164, "were made in the year", "848", "1,035", indent=16)
    return sheet.row(178, "Total current assets", "6,642", "5,260", indent=16).row(192, "Losses", "(619)", "-")


def test_years_above_are_the_header_and_signs_belong_to_their_numbers() -> None:
    *_, (named, _, name), (kind, _, text) = balance().blocks()
    assert (named, name) == ("caption", "CONSOLIDATED BALANCE SHEETS (In millions)")
    assert kind == "table"
    assert text.split("\n") == [
        "|  | December 31, 2025 | December 31, 2024 |",
        "| --- | --- | --- |",
        "| Current assets > Cash and equivalents | $5,794 | $4,225 |",
        "| Current assets > Receivables, net of allowances that were made in the year | 848 | 1,035 |",
        "| Total current assets | 6,642 | 5,260 |",
        "| Losses | (619) | - |",
    ]


def test_what_stands_over_several_columns_is_said_of_each() -> None:
    sheet = Sheet().middle(410, 100, "Three months ended").left(60, 112, "(in millions)")
    for x, name in ((400, "June 2025"), (480, "June 2024"), (560, "Change")):
        sheet.right(x, 112, name)
    sheet.row(126, "Revenue", "10", "20", "3%").row(140, "Costs", "1,100", "2,100", "(4)%")
    (_, _, text) = sheet.blocks()[-1]
    assert text.split("\n")[0] == (
        "| (in millions) | Three months ended > June 2025 | Three months ended > June 2024 | Change |"
    )
    assert text.split("\n")[-1] == "| Costs | 1,100 | 2,100 | (4)% |"


def test_a_table_below_without_a_header_of_its_own_has_that_of_the_table_above() -> None:
    sheet = balance().left(60, 240, "Liabilities:").row(254, "Accounts payable", "292", "253", indent=10)
    sheet.row(268, "Deferred revenue", "1,375", "1,493", indent=10)
    (_, _, text) = sheet.blocks()[-1]
    assert text.split("\n")[0] == "|  | December 31, 2025 | December 31, 2024 |"
    assert text.split("\n")[2] == "| Liabilities > Accounts payable | 292 | 253 |"


def test_words_before_and_after_the_amounts_are_columns() -> None:
    sheet = Sheet()
    for place, (name, level, where) in enumerate(
        (("Funds", "Level 1", "Cash"), ("Bonds", "Level 2", "Other assets"), ("Notes", "Level 2", "Cash"))
    ):
        y = 100 + 14 * place
        sheet.left(60, y, name).left(200, y, level).right(350, y, f"{place},100").right(420, y, "90").left(
            450, y, where
        )
    (_, _, text) = sheet.blocks()[-1]
    assert "| Bonds | Level 2 | 1,100 | 90 | Other assets |" in text


def test_a_dash_stands_in_the_column_it_is_set_in() -> None:
    sheet = Sheet().row(100, "Shares", "601", "10").row(114, "Amount", "7,000", "20").left(392, 128, "-")
    sheet.left(60, 128, "Other").right(480, 128, "30")
    (_, _, text) = sheet.blocks()[-1]
    assert text.split("\n")[-1] == "| Other | - | 30 |"


def test_underlines_and_shades_are_no_grid() -> None:
    """Strokes under totals close cells around the first column of amounts alone."""
    sheet = balance()
    for y in (130, 143, 168, 182):
        sheet.line(340, 405, y)
    for x in (340, 360, 405):
        sheet.upright(x, 130, 182)
    assert [text for kind, _, text in sheet.blocks() if kind == "table"] == [balance().blocks()[-1][2]]


def test_numbers_of_pages_belong_to_no_table() -> None:
    """A list of contents has one number a row and no amounts; the page's own number under a table is not in it."""
    sheet = balance().middle(300, 215, "7")
    assert "| 7 |" not in sheet.blocks()[-2][2]
    contents = Sheet()
    for place, name in enumerate(("Business", "Risk factors", "Properties", "Legal proceedings")):
        contents.row(100 + 14 * place, name, str(3 + place))
    (_, _, text) = contents.blocks()[-1]
    assert text.split("\n")[2] == "| Business | 3 |"


def test_right_to_left_cells_are_read_from_the_right() -> None:
    words = [Line(x, 102, x + 20, 110, text, 8) for x, text in ((20, "\u05d1"), (50, "\u05d0"), (120, "12"))]
    words += [Line(x, 122, x + 20, 130, text, 8) for x, text in ((20, "\u05d3"), (50, "\u05d2"), (120, "13"))]
    rules = [(10.0, y, 150.0, y) for y in (100.0, 118.0, 136.0)] + [(x, 100.0, x, 136.0) for x in (10.0, 100.0, 150.0)]
    (table,) = ruled_tables(words, rules)
    assert table.rows == [["\u05d0 \u05d1", "12"], ["\u05d2 \u05d3", "13"]]


@pytest.mark.parametrize("query", ["-1,234", "1,234", "(1,234)", "-1234"])
def test_a_negative_number_in_brackets_is_found_as_it_may_be_typed(query: str) -> None:
    assert set(terms(query, "en")) & set(terms("| Net loss | $(1,234) | (99) |", "en"))
