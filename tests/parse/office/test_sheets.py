"""Excel 95: records written by hand ([MS-XLS], BIFF5) into the container of a real file."""

from __future__ import annotations

import struct
from pathlib import Path

import olefile
import pytest

from tests.parse.builders import parse_bytes

SHEET = "Orte"


def record(kind: int, data: bytes) -> bytes:
    return struct.pack("<HH", kind, len(data)) + data


def globals_of(code_page: int, offset: int) -> bytes:
    sheet = struct.pack("<IHB", offset, 0, len(SHEET)) + SHEET.encode()
    start = record(0x0809, struct.pack("<4H", 0x0500, 5, 0, 0)) + record(0x0042, struct.pack("<H", code_page))
    return start + record(0x0085, sheet) + record(0x000A, b"")


def excel_95(container: Path, folder: Path, words: list[str], code_page: int) -> bytes:
    """A workbook with a sheet of one column of labels and one of numbers from 1."""
    book = globals_of(code_page, len(globals_of(code_page, 0)))
    book += record(0x0809, struct.pack("<4H", 0x0500, 0x10, 0, 0))
    book += record(0x0200, struct.pack("<5H", 0, len(words), 0, 2, 0))
    for row, word in enumerate(words):
        data = word.encode(f"cp{code_page}")
        book += record(0x0204, struct.pack("<4H", row, 0, 0, len(data)) + data)
        book += record(0x0203, struct.pack("<3Hd", row, 1, 0, row + 1))
    book += record(0x000A, b"")
    path = folder / "book.xls"
    path.write_bytes(container.read_bytes())
    with olefile.OleFileIO(path, write_mode=True) as file:
        file.write_stream("Book", book.ljust(file.get_size("Book"), b"\0"))
    return path.read_bytes()


@pytest.fixture
def container(shared_data: Path) -> Path:
    return shared_data / "hard/legacy_office/testEXCEL_95.xls"


@pytest.mark.parametrize(
    ("words", "code_page"), [(["Zürich", "Köln"], 1252), (["Łódź", "Gdańsk"], 1250), (["Москва", "Омск"], 1251)]
)
def test_excel_95_in_its_code_page(container: Path, tmp_path: Path, words: list[str], code_page: int) -> None:
    documents, reports = parse_bytes("b.xls", excel_95(container, tmp_path, words, code_page))
    assert documents[0].text == f"Orte\n\n| {words[0]} | 1 |\n| --- | --- |\n| {words[1]} | 2 |"
    assert reports[-1].warnings == ()


def test_excel_95_in_a_code_page_that_is_not_read_says_so(container: Path, tmp_path: Path) -> None:
    documents, reports = parse_bytes("b.xls", excel_95(container, tmp_path, ["格式測試", "x"], 950))
    lost = documents[0].text.count("\ufffd")
    assert lost > 0
    assert reports[-1].warnings == (f"{lost} characters are in a code page that is not read (save it as .xlsx)",)
