"""What cells show: each format code with what a spreadsheet writes for it."""

from __future__ import annotations

import datetime
import shutil
import subprocess
from pathlib import Path

import pytest

from ragcli.parse.office.sheets.formats import plain, shown, shown_text

NUMBERS = [
    (0.0575, "0.00%", "5.75%"),
    (1254300.5, '"€"#,##0.00', "€1,254,300.50"),
    (712, "00000", "00712"),
    (-0.031, "0.0%", "-3.1%"),
    (1234.5, "[$€-2] #,##0.00", "€ 1,234.50"),
    (-1234.5, "$#,##0.00_);($#,##0.00)", "($1,234.50)"),
    (-5, "#,##0;[Red]-#,##0", "-5"),
    (0, '#,##0;-#,##0;"none"', "none"),
    (5551234567, "(###) ###-####", "(555) 123-4567"),
    (123456789, "000-00-0000", "123-45-6789"),
    (12345678, '0.0,,"M"', "12.3M"),
    (12345678, "#,##0,", "12,346"),
    (1.5, "# ?/?", "1 1/2"),
    (0.333, "# ??/??", "1/3"),
    (0.25, "# ?/8", "2/8"),
    (1234567.891, "#,##0.###", "1,234,567.891"),
    (2, "#,##0.###", "2"),
    (0.5, ".00", ".50"),
    (1e-7, "0.00E+00", "1.00E-07"),
    (12345.678, "##0.0E+0", "12.3E+3"),
    (1.005, "0.00", "1.01"),
    (7, '"Nr. "0', "Nr. 7"),
    (75, '0" %"', "75 %"),
    (5, 'General" pcs"', "5 pcs"),
    (0.5, "[<1]0.0%;0.00", "50.0%"),
    (3, "[<1]0.0%;0.00", "3.00"),
    (5, ";;;", ""),
    (45000.75, "dd/mm/yyyy hh:mm", "15/03/2023 18:00"),
    (46096, "d. mmmm yyyy", "15. March 2026"),
    (46096, "ddd, mmm d", "Sun, Mar 15"),
    (0.604166666666667, "h:mm AM/PM", "2:30 PM"),
    (1.25, "[h]:mm", "30:00"),
    (0.0005, "mm:ss.0", "00:43.2"),
]


@pytest.mark.parametrize(("value", "code", "expected"), NUMBERS)
def test_numbers_as_their_format_shows_them(value: float, code: str, expected: str) -> None:
    assert shown(value, code) == expected


@pytest.mark.parametrize(
    ("value", "code", "expected"),
    [
        (datetime.datetime(2026, 3, 15), "yyyy-mm-dd", "2026-03-15"),
        (datetime.datetime(2026, 3, 5, 15, 4, 59, 999_600), "h:mm:ss", "15:05:00"),
        (datetime.date(2026, 3, 5), "[$-407]d.m.yy;@", "5.3.26"),
        (datetime.time(14, 30), "hh:mm", "14:30"),
        (datetime.timedelta(hours=30, minutes=5), "[h]:mm", "30:05"),
        (datetime.datetime(2026, 3, 5), "General", "2026-03-05"),
    ],
)
def test_dates_as_their_format_shows_them(value: datetime.datetime, code: str, expected: str) -> None:
    assert shown(value, code) == expected


def test_what_no_format_can_show_is_plain() -> None:
    assert shown(float("inf"), "0.0") == "inf"
    assert shown(3.0, "0" * 300) == "3"
    assert shown(-4.5, "[Red]") == ""
    assert plain(datetime.timedelta(hours=30)) == "30:00:00"


def test_texts_take_what_their_section_adds() -> None:
    assert shown_text("12", '0;0;0;@" kg"') == "12 kg"
    assert shown_text("12", "0.00") == "12"


@pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not here")
def test_libreoffice_shows_the_same(tmp_path: Path) -> None:
    import xlsxwriter

    path = tmp_path / "formats.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        for row, (value, code, _) in enumerate(NUMBERS):
            sheet.write_number(row, 0, value, book.add_format({"num_format": code}))
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    tab_separated = "csv:Text - txt - csv (StarCalc):9,34,76,1,,1033,false,true"
    command = ["soffice", profile, "--headless", "--convert-to", tab_separated, "--outdir", str(tmp_path), str(path)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    lines = path.with_suffix(".csv").read_text(encoding="utf-8").split("\n")
    seen = [" ".join(line.strip('"').replace('""', '"').split()) for line in lines]
    differing = [
        (value, code, expected, seen[row])
        for row, (value, code, expected) in enumerate(NUMBERS)
        if seen[row] != expected
    ]
    assert differing == []
