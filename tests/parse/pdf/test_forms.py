"""Fields of PDF forms."""

from __future__ import annotations

import pymupdf

from ragcli.parse.pdf.forms import Field, filled_in, without_ticks
from ragcli.parse.pdf.lines import Line
from tests.parse.builders import make_pdf, parse_one

MACHINE = "topmostSubform[0].Page1[0].c1_02[0]"


def line(x: float, y: float, text: str) -> Line:
    return Line(x, y, x + 5 * len(text), y + 10, text, 10)


def button(y: float, on: bool, label: str = "") -> Field:
    return Field("CheckBox", MACHINE, label, "1" if on else "", (50, y, 60, y + 10), on)


def test_a_ticked_box_is_called_by_the_words_beside_it() -> None:
    lines = [line(65, 100, "Pays monthly"), line(65, 120, "Pays yearly")]
    assert filled_in([button(100, True), button(120, False)], lines) == ["Pays monthly: ticked"]
    assert filled_in([button(120, True, "Payment")], lines) == ["Payment (Pays yearly): ticked"]


def test_the_letter_that_draws_a_tick_is_no_text() -> None:
    lines = [line(52, 100, "3"), line(65, 100, "Pays monthly"), line(200, 100, "3")]
    assert [item.text for item in without_ticks(lines, [button(100, True)])] == ["Pays monthly", "3"]


def test_a_choice_reads_as_it_is_shown_and_a_field_as_it_is_labelled() -> None:
    choice = Field(
        "ComboBox", "country", "Country", "de", (200, 100, 300, 110), shown=(("de", "Germany"), ("at", "Austria"))
    )
    text = Field("Text", "Page1[0].t1", "", "Graz", (200, 120, 300, 130))
    assert filled_in([choice, text], [line(150, 120, "City")]) == ["Country: Germany", "City: Graz"]


def test_a_box_in_a_real_form() -> None:
    document = pymupdf.open(stream=make_pdf([[(72, 100, 11, "Application form"), (90, 162, 11, "Pays monthly")]]))
    widget = pymupdf.Widget()
    widget.field_name, widget.field_type = "c1_01", pymupdf.PDF_WIDGET_TYPE_CHECKBOX
    widget.rect, widget.field_value = pymupdf.Rect(72, 152, 84, 164), True
    document[0].add_widget(widget)
    text = parse_one("a.pdf", document.tobytes()).text
    assert text.endswith("Pays monthly: ticked")
    assert "Pays monthly\n" in text
